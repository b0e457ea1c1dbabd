/* The set-up of a scorer: memory, targets, folds, and the ranges of width and gamma. See lssvm.c. */
#include <math.h>
#include <string.h>
#include "crit/lssvm_inside.h"
#include "num/weighted.h"

void tamis_lssvm_finish(void *self)
{
    struct scorer *j = self;
    if (!j) return;
    for (size_t s = 0; j->slot && s < j->slots; s++) {
        tamis_free(j->slot[s].column);
        tamis_free(j->slot[s].d2);
        tamis_free(j->slot[s].error);
        tamis_free(j->slot[s].basis);
    }
    tamis_free(j->slot);
    tamis_free(j->y);
    tamis_free(j->root);
    tamis_free(j->folds.start);
    tamis_free(j->folds.row);
    tamis_free(j->sigma2);
    tamis_free(j->gamma);
    tamis_free(j->spread);
    tamis_free(j->base);
    tamis_free(j->work);
    tamis_free(j->some);
    tamis_free(j->some_error);
    tamis_free(j->order);
    tamis_free(j->kept);
    tamis_reduced_rank_free(j->reduced_rank);
    tamis_free(j);
}

static size_t larger(size_t a, size_t b) { return a > b ? a : b; }

static int allocate(struct scorer *j)
{
    size_t n = j->d->rows, widths = larger(larger(j->s.sigma2.count, GRID_POINTS), WIDE_WIDTHS),
           gammas = larger(larger(j->s.gamma.count, GRID_POINTS), WIDE_GAMMAS);
    int dense = j->s.candidates == SIZE_MAX;
    j->room = gammas;
    j->slots = tamis_lssvm_slots(j->cx, j->d);
    j->y = tamis_raw(j->cx, double, n * j->outputs);
    if (j->d->weight) j->root = tamis_raw(j->cx, double, n);
    j->folds.start = tamis_new(j->cx, size_t, n + 1);
    j->folds.row = tamis_raw(j->cx, size_t, n);
    j->sigma2 = tamis_raw(j->cx, double, widths);
    j->gamma = tamis_raw(j->cx, double, gammas);
    j->spread = tamis_new(j->cx, double, j->d->inputs);
    if (dense) j->base = tamis_raw(j->cx, double, n * n);
    j->order = tamis_raw(j->cx, size_t, n * (size_t)tamis_threads(j->cx));
    j->some = tamis_raw(j->cx, double, j->room * (size_t)tamis_threads(j->cx));
    j->some_error = tamis_raw(j->cx, struct tamis_lssvm_error, j->room * (size_t)tamis_threads(j->cx));
    j->kept = tamis_new(j->cx, unsigned char, j->d->inputs);
    j->slot = tamis_new(j->cx, struct slot, j->slots);
    for (size_t s = 0; j->slot && s < j->slots; s++) {
        j->slot[s].column = tamis_raw(j->cx, size_t, j->d->columns);
        if (dense) j->slot[s].d2 = tamis_raw(j->cx, double, n * n);
        j->slot[s].error = tamis_raw(j->cx, struct tamis_lssvm_error, widths * gammas);
        j->slot[s].basis = tamis_new(j->cx, size_t, widths);
    }
    return tamis_status(j->cx);
}

/* The rows of each fold, in order, and work for machines with folds of these sizes. */
static int folds_set(struct scorer *j, const size_t *fold, size_t folds)
{
    size_t n = j->d->rows, at = 0;
    j->folds.count = folds;
    for (size_t f = 0; f < folds; f++) {
        j->folds.start[f] = at;
        for (size_t i = 0; i < n; i++)
            if (fold[i] == f) j->folds.row[at++] = i;
    }
    j->folds.start[folds] = at;
    struct tamis_lssvm_data data = tamis_lssvm_machine_data(j);
    if (j->s.candidates != SIZE_MAX)
        j->work_size = (size_t)tamis_reduced_rank_work((double)n, (double)j->s.candidates, (double)j->outputs,
                                                       (double)n);
    else j->work_size = tamis_lssvm_size(&data) + (j->v->reduced ? n * n + 2 * n : 0);
    j->work_size = (j->work_size + 7) / 8 * 8;
    tamis_free(j->work);
    j->work = tamis_raw(j->cx, double, j->work_size * (size_t)tamis_threads(j->cx));
    return tamis_status(j->cx);
}

int tamis_lssvm_refold(void *self, const size_t *fold, size_t folds) { return folds_set(self, fold, folds); }

static int folds_make(struct scorer *j, uint64_t seed)
{
    const struct tamis_design *d = j->d;
    size_t *fold = tamis_raw(j->cx, size_t, d->rows);
    for (size_t i = 0; fold && i < d->rows; i++) fold[i] = i;
    if (!j->v->loo) j->s.folds = tamis_design_fold_count(j->cx, d, j->s.folds);
    if (j->s.folds > d->rows) j->s.folds = d->rows;
    if (fold && j->s.folds < d->rows) tamis_design_folds(j->cx, d, j->s.folds, seed, fold);
    if (!tamis_status(j->cx)) folds_set(j, fold, j->s.folds);
    tamis_free(fold);
    return tamis_status(j->cx);
}

/* The targets themselves, or +1 for the row's class and -1 for the others. */
static void targets_fill(struct scorer *j)
{
    const struct tamis_design *d = j->d;
    size_t n = d->rows;
    for (size_t i = 0; j->root && i < n; i++) j->root[i] = sqrt(d->weight[i]);
    for (size_t i = 0; i < n; i++)
        for (size_t c = 0; c < j->outputs; c++)
            j->y[i + n * c] = (j->root ? j->root[i] : 1) *
                              (d->encoder->classes ? (d->y[i] == (double)c ? 1 : -1) : d->y[i + n * c]);
}

/* Twice the variance: the mean squared distance between two rows drawn with replacement. */
static void spread_fill(struct scorer *j)
{
    const struct tamis_design *d = j->d;
    double n = tamis_weight_sum(d->weight, d->rows);
    for (size_t i = 0; i < d->inputs; i++)
        for (size_t k = 0; k < d->encoder->input[i].columns; k++) {
            const double *x = d->x + d->rows * (d->encoder->input[i].first + k);
            double mean = 0, sum = 0;
            for (size_t r = 0; r < d->rows; r++) mean += tamis_row_weight(d, r) * x[r] / n;
            for (size_t r = 0; r < d->rows; r++) sum += tamis_row_weight(d, r) * ((x[r] - mean) * (x[r] - mean)) / n;
            j->spread[i] += 2 * sum;
        }
}

static void grid_set(const struct tamis_grid *g, double *value, size_t *count)
{
    *count = g->count;
    for (size_t k = 0; k < g->count; k++) value[k] = tamis_grid_at(g, k);
}

/* The best cell of the smallest width whose error comes near the best of all. Where large widths are as good as small
 * ones, the errors are flat along a valley that ends with double precision; its near end is as good, and safe. */
static size_t near_end(const struct scorer *j, const struct slot *s)
{
    size_t best = tamis_lssvm_best_cell(j, s);
    double enough = value_of(j, &s->error[best]) * (1 + near_best);
    for (size_t k = 0; k < j->widths; k++) {
        size_t least = k * j->gammas;
        for (size_t at = least; at < (k + 1) * j->gammas; at++)
            if (tamis_lssvm_better(j, &s->error[at], &s->error[least])) least = at;
        if (value_of(j, &s->error[least]) <= enough) return least;
    }
    return best;
}

/* The grid of the run, around the best cell of the wide one. */
int tamis_lssvm_ranges(struct scorer *j)
{
    static const size_t own[1] = {SIZE_MAX};
    struct tamis_grid widths = j->s.sigma2, gammas = j->s.gamma;
    j->ranged = 1;
    j->relative = !widths.count;
    if (!widths.count) widths = (struct tamis_grid){1e-2, 1e5, WIDE_WIDTHS};
    if (!gammas.count) gammas = (struct tamis_grid){1e-2, 1e9, WIDE_GAMMAS};
    grid_set(&widths, j->sigma2, &j->widths);
    grid_set(&gammas, j->gamma, &j->gammas);
    if (j->s.sigma2.count && j->s.gamma.count) return TAMIS_OK;
    memset(j->kept, 1, j->d->inputs);
    j->pilot = 1;
    int status = tamis_lssvm_evaluate(j, j->kept, own, 1, NULL, &j->wide);
    j->pilot = 0;
    if (status) return status;
    size_t at = near_end(j, &j->slot[0]);
    double width = j->sigma2[at / j->gammas], gamma = j->gamma[at % j->gammas];
    if (!j->s.sigma2.count) widths = (struct tamis_grid){fmin(0.1, width / 30), fmax(100, width * 30), GRID_POINTS};
    if (!j->s.gamma.count)
        gammas = (struct tamis_grid){fmin(1, gamma / 1000), fmin(fmax(1000, gamma * 1000), 1e12), GRID_POINTS};
    grid_set(&widths, j->sigma2, &j->widths);
    grid_set(&gammas, j->gamma, &j->gammas);
    j->has = 0;
    j->known = 1;
    j->wide.parameter[0] = j->relative ? width * j->slot[0].scale : width;
    j->wide.parameter[1] = gamma;
    return TAMIS_OK;
}

static int candidates_start(struct scorer *j, uint64_t seed)
{
    struct tamis_lssvm_data data = tamis_lssvm_machine_data(j);
    j->reduced_rank = tamis_reduced_rank_new(j->cx, j->d, &data, j->s.candidates, j->s.most, j->s.tolerance, seed);
    if (!j->reduced_rank) return tamis_status(j->cx);
    tamis_note(j->cx,
               "basis functions were chosen from %zu rows drawn at random, by the reconstruction error on these rows "
               "alone, and fitted to all %zu rows, which approximates the paper's choice",
               j->s.candidates, j->d->rows);
    return TAMIS_OK;
}

int tamis_lssvm_start(tamis_context *cx, const struct tamis_design *d, const tamis_options *o, uint64_t seed,
                      const struct variant *v, void **self)
{
    struct scorer *j = tamis_new(cx, struct scorer, 1);
    if (!j) return tamis_status(cx);
    *self = j;
    *j = (struct scorer){.cx = cx, .d = d, .v = v, .outputs = tamis_encoder_outputs(d->encoder)};
    int status = tamis_lssvm_settings(cx, d, o, v, &j->s);
    j->descends = j->outputs > TAMIS_MANY_OUTPUTS && !j->s.exact;
    if (!status) status = allocate(j);
    if (status) return status;
    targets_fill(j);
    spread_fill(j);
    status = folds_make(j, seed);
    if (!status && j->s.candidates != SIZE_MAX) status = candidates_start(j, seed);
    return status;
}
