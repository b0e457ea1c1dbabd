/* The surface over (r, t): folds, errors, the best point. */
#include <math.h>
#include "method/sparse_rbf/sparse_fold.h"
#include "num/weighted.h"

/* ---- memory ---- */

void tamis_sparse_surface_free(struct tamis_sparse_surface *s)
{
    tamis_free(s->fold);
    tamis_free(s->error);
    tamis_free(s->weights);
}

static int surface_new(const struct tamis_sparse_task *k, struct tamis_sparse_surface *s, size_t cells)
{
    s->fold = tamis_raw(k->cx, size_t, k->rows);
    s->error = tamis_raw(k->cx, double, 5 * cells + s->folds);
    s->weights = tamis_raw(k->cx, float, s->folds * cells * k->columns);
    if (tamis_status(k->cx)) return tamis_status(k->cx);
    s->squares = s->error + cells;
    s->inputs = s->error + 2 * cells;
    s->functions = s->error + 3 * cells;
    s->equal = s->error + 4 * cells;
    s->fold_error = s->error + 5 * cells;
    return TAMIS_OK;
}

/* ---- the surface ---- */

/* Means over rows and folds; the best point, among equals the one with the smaller squared error, then with the smaller
 * bounds. */
static void reduce(const struct tamis_sparse_grid *g)
{
    struct tamis_sparse_surface *s = g->s;
    double rows = tamis_weight_sum(g->k->weight, g->k->rows);
    for (size_t c = 0; c < g->cells; c++) {
        double sum[5] = {0};
        for (size_t f = 0; f < s->folds; f++)
            for (int q = 0; q < 5; q++) sum[q] += g->sum_error[(size_t)q * s->folds * g->cells + f * g->cells + c];
        s->error[c] = sum[0] / rows;
        s->squares[c] = sum[1] / rows;
        s->inputs[c] = sum[2] / (double)s->folds;
        s->functions[c] = sum[3] / (double)s->folds;
        s->equal[c] = sum[4] / rows;
        if (s->error[c] < s->error[s->best] ||
            (s->error[c] == s->error[s->best] && s->squares[c] < s->squares[s->best]))
            s->best = c;
        if (s->equal[c] < s->equal[s->best_equal]) s->best_equal = c;
    }
}

/* The sum of the errors of fold f predicted by the mean of its training rows or their more frequent class; *held: what
 * the fold's rows count. */
static double constant_error(const struct tamis_sparse_task *k, const size_t *fold, size_t f, double *held)
{
    double mean = 0, rows = 0, here = 0;
    for (size_t i = 0; i < k->rows; i++) {
        double c = fold[i] != f ? tamis_weight_at(k->weight, i) : 0;
        mean += c * k->y[i];
        rows += c;
    }
    mean /= rows;
    *held = 0;
    for (size_t i = 0; i < k->rows; i++) {
        double e = k->y[i] - mean, c = fold[i] == f ? tamis_weight_at(k->weight, i) : 0;
        here += c * (k->classes ? tamis_sparse_wrong(k, k->y[i], mean) : e * e);
        *held += c;
    }
    return here;
}

/* What the best point gains over that. */
static void plain_error(const struct tamis_sparse_grid *g)
{
    const struct tamis_sparse_task *k = g->k;
    struct tamis_sparse_surface *s = g->s;
    double total = 0, sum = 0, squares = 0, folds = (double)s->folds;
    for (size_t f = 0; f < s->folds; f++) {
        double held, here = constant_error(k, s->fold, f, &held);
        total += here;
        s->fold_error[f] = g->sum_error[f * g->cells + s->best] / held;
        double gain = here / held - s->fold_error[f];
        sum += gain;
        squares += gain * gain;
    }
    s->plain = total / tamis_weight_sum(k->weight, k->rows);
    s->gain = sum / folds;
    s->gain_error = sqrt(fmax(0, squares / folds - s->gain * s->gain) / fmax(1, folds - 1));
}

static int folds_make(const struct tamis_sparse_task *k, struct tamis_sparse_surface *s)
{
    if (k->design && k->design->rows == k->rows && (k->design->group || k->design->blocks || k->design->weight))
        return tamis_design_folds(k->cx, k->design, s->folds, k->seed, s->fold);
    double *class_of = tamis_raw(k->cx, double, k->rows);
    if (!class_of) return tamis_status(k->cx);
    for (size_t i = 0; i < k->rows; i++) class_of[i] = k->mean + k->scale * k->y[i] > 0;
    int status = tamis_split_folds(k->cx, k->rows, k->classes ? class_of : NULL, k->classes ? 2 : 0, s->folds, k->seed,
                                   s->fold);
    tamis_free(class_of);
    return status;
}

static void flops_sum(struct tamis_sparse_grid *g)
{
    for (int i = 0; i < tamis_threads(g->k->cx); i++) g->s->flops += tamis_sparse_work(g->worker[i].fit);
}

static int grid_prepare(struct tamis_sparse_grid *g)
{
    const struct tamis_sparse_task *k = g->k;
    struct tamis_sparse_surface *s = g->s;
    size_t least = k->rows, most = 0;
    g->cells = s->r.count * s->t.count;
    int status = surface_new(k, s, g->cells);
    if (!status) status = folds_make(k, s);
    for (size_t f = 0; !status && f < s->folds; f++) {
        size_t in = 0;
        for (size_t i = 0; i < k->rows; i++) in += s->fold[i] == f;
        if (in < least) least = in;
        if (in > most) most = in;
    }
    g->most_rows = k->rows - least;
    g->most_held = most;
    g->most_centres = k->centres ? k->centres : g->most_rows;
    return status ? status : tamis_sparse_grid_new(g);
}

int tamis_sparse_validate(const struct tamis_sparse_task *k, struct tamis_sparse_surface *s, const char *what)
{
    struct tamis_sparse_grid g = {.k = k, .s = s, .what = what};
    int status = grid_prepare(&g);
    struct tamis_journal_items kept = tamis_sparse_grid_kept(&g);
    if (!status)
        status = tamis_journal_loop(k->cx, k->journal, tamis_sparse_grid_items(&g), tamis_sparse_grid_item, &g, &kept);
    if (!status) {
        reduce(&g);
        plain_error(&g);
        flops_sum(&g);
    }
    tamis_sparse_grid_free(&g);
    return status;
}

int tamis_sparse_first_fold(const struct tamis_sparse_task *k, struct tamis_sparse_surface *s)
{
    struct tamis_sparse_grid g = {.k = k, .s = s, .what = "estimate"};
    int status = grid_prepare(&g);
    if (!status) status = tamis_sparse_grid_item(&g, 0, 0);
    if (!status) flops_sum(&g);
    tamis_sparse_grid_free(&g);
    return status;
}
