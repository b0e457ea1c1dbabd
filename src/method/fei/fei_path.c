/* Cross-validation: how many hidden nodes, and how many inputs of the ranking. */
#include <math.h>
#include <string.h>
#include "base/parallel.h"
#include "method/fei/fei.h"
#include "num/compare.h"
#include "num/excess.h"
#include "num/weighted.h"

enum { RESTARTS = 3, FOLD_STARTS = 10, DENSE_STEPS = 20 };
static const uint32_t growing = 0x80000000u;            /* random streams of the growth, apart from those of the path */

/* ---- one fold ---- */

struct fold {
    struct tamis_fei_data train, test;
    size_t *column;                     /* where each column of train.x comes from */
};

static void fold_free(struct fold *f)
{
    tamis_free(f->train.x);
    tamis_free(f->train.y);
    tamis_free(f->test.x);
    tamis_free(f->test.y);
    tamis_free(f->train.weight);
    tamis_free(f->test.weight);
    tamis_free(f->column);
}

/* The rows of fold k (in != 0) or the others, with their columns as `column` says. */
static void rows_take(const struct tamis_fei_data *d, const size_t *fold, size_t k, int in, const size_t *column,
                      struct tamis_fei_data *to)
{
    for (size_t v = 0; v < d->columns; v++)
        for (size_t i = 0, at = 0; i < d->rows; i++)
            if ((fold[i] == k) == in) to->x[at++ + to->rows * v] = d->x[i + d->rows * column[v]];
    for (size_t i = 0, at = 0; i < d->rows; i++)
        if ((fold[i] == k) == in) to->y[at++] = d->y[i];
    for (size_t i = 0, at = 0; d->weight && i < d->rows; i++)
        if ((fold[i] == k) == in) to->weight[at++] = d->weight[i];
}

static int fold_make(tamis_context *cx, const struct tamis_fei_data *d, const size_t *fold, size_t k, struct fold *f)
{
    size_t held = 0;
    for (size_t i = 0; i < d->rows; i++) held += fold[i] == k;
    f->train = f->test = *d;
    f->train.journal = NULL;                            /* the fold is kept as a whole */
    f->train.rows = d->rows - held;
    f->test.rows = held;
    f->train.x = tamis_raw(cx, double, f->train.rows * d->columns);
    f->test.x = tamis_raw(cx, double, held * d->columns);
    f->train.y = tamis_raw(cx, double, f->train.rows);
    f->test.y = tamis_raw(cx, double, held);
    f->train.weight = d->weight ? tamis_raw(cx, double, f->train.rows) : NULL;
    f->test.weight = d->weight ? tamis_raw(cx, double, held) : NULL;
    f->column = tamis_raw(cx, size_t, d->columns);
    if (tamis_status(cx)) return tamis_status(cx);
    for (size_t v = 0; v < d->columns; v++) f->column[v] = v;
    rows_take(d, fold, k, 0, f->column, &f->train);
    rows_take(d, fold, k, 1, f->column, &f->test);
    return TAMIS_OK;
}

/* ---- fits of one fold, in parallel ---- */

struct fits {
    const struct tamis_fei_settings *s;
    const struct fold *f;
    struct tamis_trainer **trainer;
    double *phi, *score;                /* per worker */
    const size_t *columns, *nodes;      /* per fit: the first columns that it uses, its hidden nodes */
    size_t most;                        /* of nodes */
    uint64_t seed;
    uint32_t first;
    double *wrong;                      /* per fit: what the rows count that it gets wrong */
};

static double wrong_rows(const double *score, const struct tamis_fei_data *d)
{
    size_t n = d->rows;
    double wrong = 0;
    for (size_t i = 0; i < n; i++) {
        size_t best = 0;
        for (size_t k = 1; k < d->classes; k++)
            if (score[i + n * k] > score[i + n * best]) best = k;
        if ((double)best != d->y[i]) wrong += tamis_weight_at(d->weight, i);
    }
    return wrong;
}

static int one_fit(void *arg, size_t item, int worker)
{
    struct fits *q = arg;
    const struct tamis_fei_data *test = &q->f->test;
    struct tamis_training t = tamis_fei_training(&q->f->train, q->s, q->nodes[item], 1);
    double *phi = q->phi + (size_t)worker * test->rows * q->most,
           *score = q->score + (size_t)worker * test->rows * t.classes;
    t.columns = q->columns[item];
    q->wrong[item] = tamis_weight_sum(test->weight, test->rows);
    if (!tamis_train(q->trainer[worker], &t, RESTARTS, q->seed, TAMIS_RNG_FEI_FIT,
                     q->first + (uint32_t)item * RESTARTS))
        return TAMIS_OK;
    tamis_trainer_scores(q->trainer[worker], t.columns, t.classes, test->rows, test->x, test->rows, phi, score);
    q->wrong[item] = wrong_rows(score, test);
    return TAMIS_OK;
}

static int fits_run(tamis_context *cx, const struct tamis_fei_settings *s, const struct fold *f, size_t items,
                    const size_t *columns, const size_t *nodes, uint64_t seed, uint32_t first, double *wrong)
{
    struct fits q = {.s = s, .f = f, .columns = columns, .nodes = nodes, .seed = seed, .first = first, .wrong = wrong};
    size_t threads = (size_t)tamis_threads(cx);
    for (size_t i = 0; i < items; i++) q.most = nodes[i] > q.most ? nodes[i] : q.most;
    q.trainer = tamis_fei_trainers(cx, items, f->train.rows, f->train.columns, q.most, f->train.classes);
    q.phi = tamis_raw(cx, double, threads * f->test.rows * q.most);
    q.score = tamis_raw(cx, double, threads * f->test.rows * f->train.classes);
    int status = tamis_status(cx);
    if (!status) status = tamis_parallel(cx, items, one_fit, &q);
    tamis_fei_trainers_free(q.trainer);
    tamis_free(q.phi);
    tamis_free(q.score);
    return status;
}

/* ---- errors of all folds ---- */

/* error and se from wrong[step + steps fold] and what the rows count, all and in each fold; se: of the mean over
 * folds. */
static void errors_fill(size_t steps, size_t folds, double rows, const double *held, const double *wrong, double *error,
                        double *se)
{
    for (size_t k = 0; k < steps; k++) {
        double all = 0, sum = 0;
        for (size_t f = 0; f < folds; f++) all += wrong[k + steps * f];
        error[k] = all / rows;
        for (size_t f = 0; f < folds; f++) {
            double gap = wrong[k + steps * f] / held[f] - error[k];
            sum += gap * gap;
        }
        se[k] = sqrt(sum / (double)(folds - 1) / (double)folds);
    }
}

static size_t least_error(size_t steps, const double *error)
{
    size_t best = 0;
    for (size_t k = 1; k < steps; k++)
        if (tamis_below(error[k], error[best], TAMIS_SUMMED)) best = k;
    return best;
}

/* The first step within a standard error of the best. */
static size_t within_se(const double *error, const double *se, size_t best)
{
    double limit = error[best] + se[best];
    return tamis_first_within(best, error, &limit, 0);
}

/* No inputs at all is the answer unless the best step is better by two standard errors: among several worthless steps
 * the best is often better by one. */
static int nothing_helps(const struct tamis_fei_path *p, const struct tamis_fei_data *d)
{
    double none = p->error[0], rows = tamis_weight_rows(d->weight, d->rows),
           se = fmax(p->se[p->best], sqrt(none * (1 - none) / rows));
    return tamis_at_most(none, p->error[p->best] + 2 * se, TAMIS_SUMMED);
}

static void held_count(const struct tamis_fei_data *d, const size_t *fold, double *held)
{
    for (size_t i = 0; i < d->rows; i++) held[fold[i]] += tamis_weight_at(d->weight, i);
}

/* ---- folds that the journal has ---- */

/* wrong[n] of the next fold, whose rows count `held`, if the journal has it (*had). */
static int fold_take(const struct tamis_fei_data *d, double held, double *wrong, size_t n, int *had)
{
    int status = tamis_journal_take(d->journal, wrong, n, had);
    if (status || !*had) return status;
    if (!d->weight && !tamis_journal_counts(wrong, n, (size_t)held)) return tamis_journal_damaged(d->journal);
    for (size_t i = 0; i < n; i++)
        if (!(wrong[i] >= 0 && wrong[i] <= held)) return tamis_journal_damaged(d->journal);
    return TAMIS_OK;
}

/* ---- hidden nodes ---- */

size_t tamis_fei_nodes(size_t step, size_t classes, size_t rows)
{
    size_t most = rows / 2 > classes + 1 ? rows / 2 : classes + 1, size = (2 + step % 2) * classes << step / 2;
    return size < most ? size : most;
}

static int growth_fold(tamis_context *cx, const struct tamis_fei_data *d, const struct tamis_fei_settings *s,
                       const size_t *fold, size_t k, uint64_t seed, size_t step, const size_t *nodes, double *wrong)
{
    struct fold f = {0};
    int status = fold_make(cx, d, fold, k, &f);
    if (!status)
        status = fits_run(cx, s, &f, 1, &d->columns, nodes, seed,
                          growing + (uint32_t)((step * s->folds + k) * RESTARTS), wrong);
    fold_free(&f);
    return status ? status : tamis_journal_add(d->journal, wrong, 1);
}

static int growth_step(tamis_context *cx, const struct tamis_fei_data *d, const struct tamis_fei_settings *s,
                       const size_t *fold, uint64_t seed, struct tamis_fei_growth *g, const double *held, double *wrong)
{
    size_t step = g->steps;
    int status = TAMIS_OK;
    for (size_t k = 0; k < s->folds && !status; k++) {
        int had;
        status = fold_take(d, held[k], &wrong[k], 1, &had);
        if (!status && !had)
            status = growth_fold(cx, d, s, fold, k, seed, step, &g->hidden[step], &wrong[k]);
    }
    if (!status)
        errors_fill(1, s->folds, tamis_weight_sum(d->weight, d->rows), held, wrong, &g->error[step], &g->se[step]);
    g->steps++;
    return status;
}

int tamis_fei_grow(tamis_context *cx, const struct tamis_fei_data *d, const struct tamis_fei_settings *s, uint64_t seed,
                   struct tamis_fei_growth *g, size_t *nodes)
{
    size_t *fold = tamis_raw(cx, size_t, d->rows), idle = 0;
    double *held = tamis_new(cx, double, s->folds), *wrong = tamis_new(cx, double, s->folds);
    int status = tamis_status(cx) ? tamis_status(cx) : tamis_design_folds(cx, d->design, s->folds, seed, fold);
    size_t rows = d->rows - d->rows / s->folds, best = 0;
    if (!status) held_count(d, fold, held);
    g->steps = 0;
    while (!status && idle < 2 && g->steps < sizeof g->hidden / sizeof *g->hidden) {
        g->hidden[g->steps] = tamis_fei_nodes(g->steps, d->classes, rows);
        if (g->steps && g->hidden[g->steps] == g->hidden[g->steps - 1]) break;
        tamis_progress(cx, "hidden nodes", 0.3 * (double)g->steps, (double)g->steps + 3);
        status = growth_step(cx, d, s, fold, seed, g, held, wrong);
        if (status) break;
        best = least_error(g->steps, g->error);
        idle = best == g->steps - 1 ? 0 : idle + 1;
    }
    if (!status) *nodes = g->hidden[within_se(g->error, g->se, best)];
    tamis_free(fold);
    tamis_free(held);
    tamis_free(wrong);
    return status;
}

/* ---- along the ranking ---- */

void tamis_fei_path_free(struct tamis_fei_path *p)
{
    tamis_free(p->size);
    tamis_free(p->error);
    tamis_free(p->se);
    memset(p, 0, sizeof *p);
}

/* 0, 1, 2, ... while they are few, then half as many more each time, and all. */
static int sizes_fill(tamis_context *cx, size_t inputs, struct tamis_fei_path *p)
{
    size_t next = 0;
    p->size = tamis_raw(cx, size_t, inputs + 1);
    for (p->steps = 0; p->size && next <= inputs; p->steps++) {
        p->size[p->steps] = next;
        if (next == inputs) next++;
        else next = next < 2 * DENSE_STEPS || inputs <= 3 * DENSE_STEPS ? next + 1 : next + next / 2;
        if (next > inputs && p->size[p->steps] < inputs) next = inputs;
    }
    p->error = tamis_new(cx, double, p->steps);
    p->se = tamis_new(cx, double, p->steps);
    return tamis_status(cx);
}

/* The columns of the inputs in the order of the ranking, one input after the other; upto[k]: the columns of the first
 * k. */
static void columns_order(const struct tamis_fei_data *d, const size_t *order, size_t *column, size_t *upto)
{
    size_t at = 0;
    for (size_t k = 0; k < d->inputs; k++) {
        upto[k] = at;
        for (size_t v = 0; v < d->width[order[k]]; v++) column[at++] = d->first[order[k]] + v;
    }
    upto[d->inputs] = at;
}

struct cross {
    tamis_context *cx;
    const struct tamis_fei_data *d;
    const struct tamis_fei_settings *s;
    const struct tamis_fei_path *p;
    size_t nodes;
    uint64_t seed;
    size_t *fold, *upto;                        /* rows; inputs + 1 */
    size_t *columns, *hidden;                   /* steps; steps */
    double *held, *wrong;                       /* folds; steps x folds */
};

static int cross_fold(const struct cross *q, size_t k)
{
    struct fold f = {0};
    struct tamis_fei_ranking r = {0};
    size_t starts = q->s->starts < FOLD_STARTS ? q->s->starts : FOLD_STARTS, steps = q->p->steps;
    int status = fold_make(q->cx, q->d, q->fold, k, &f);
    if (!status)
        status = tamis_fei_rank(q->cx, &f.train, q->s, q->nodes, starts, 0, q->seed, (uint32_t)((k + 1) * q->s->starts),
                                &r);
    if (!status) {
        columns_order(q->d, r.order, f.column, q->upto);
        rows_take(q->d, q->fold, k, 0, f.column, &f.train);
        rows_take(q->d, q->fold, k, 1, f.column, &f.test);
        for (size_t i = 0; i < steps; i++) q->columns[i] = q->upto[q->p->size[i]], q->hidden[i] = q->nodes;
        status = fits_run(q->cx, q->s, &f, steps, q->columns, q->hidden, q->seed, (uint32_t)(k * steps * RESTARTS),
                          q->wrong + steps * k);
    }
    tamis_fei_ranking_free(&r);
    fold_free(&f);
    return status ? status : tamis_journal_add(q->d->journal, q->wrong + steps * k, steps);
}

static int cross_folds(const struct cross *q)
{
    size_t steps = q->p->steps;
    int status = TAMIS_OK, had;
    held_count(q->d, q->fold, q->held);
    for (size_t k = 0; k < q->s->folds && !status; k++) {
        tamis_progress(q->cx, "cross-validation", 0.3 + 0.7 * (double)k / (double)q->s->folds, 1);
        status = fold_take(q->d, q->held[k], q->wrong + steps * k, steps, &had);
        if (!status && !had) status = cross_fold(q, k);
    }
    return status;
}

int tamis_fei_cross(tamis_context *cx, const struct tamis_fei_data *d, const struct tamis_fei_settings *s, size_t nodes,
                    uint64_t seed, struct tamis_fei_path *p)
{
    memset(p, 0, sizeof *p);
    int status = sizes_fill(cx, d->inputs, p);
    if (status) return status;
    struct cross q = {.cx = cx, .d = d, .s = s, .p = p, .nodes = nodes, .seed = seed};
    q.fold = tamis_raw(cx, size_t, d->rows);
    q.upto = tamis_new(cx, size_t, d->inputs + 1);
    q.columns = tamis_new(cx, size_t, p->steps);
    q.hidden = tamis_new(cx, size_t, p->steps);
    q.held = tamis_new(cx, double, s->folds);
    q.wrong = tamis_new(cx, double, s->folds * p->steps);
    status = tamis_status(cx);
    if (!status) status = tamis_design_folds(cx, d->design, s->folds, seed, q.fold);
    if (!status) status = cross_folds(&q);
    if (!status) {
        tamis_progress(cx, "cross-validation", 1, 1);
        errors_fill(p->steps, s->folds, tamis_weight_sum(d->weight, d->rows), q.held, q.wrong, p->error, p->se);
        p->best = least_error(p->steps, p->error);
        p->chosen = strcmp(s->rule, "se") ? p->best
                    : nothing_helps(p, d) ? 0
                                          : within_se(p->error, p->se, p->best);
    }
    void *all[] = {q.fold, q.upto, q.columns, q.hidden, q.held, q.wrong};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) tamis_free(all[i]);
    return status;
}
