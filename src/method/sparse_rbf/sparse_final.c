/* sparse-rbf, the last part: the fit at the chosen (r, t) and the inputs that it drops. See sparse_rbf.c. */
#include <math.h>
#include <string.h>
#include "base/parallel.h"
#include "method/sparse_rbf/sparse_run.h"
#include "num/excess.h"
#include "num/gauss.h"
#include "num/lapack.h"

enum {
    PRUNE_MOST = 100,                           /* inputs; with more, none is pruned by validation */
    AROUND = 4,                                 /* values of r and of t tried again after pruning */
    ROUNDS = 6, BLOCK = 256                     /* of exchanging candidates; rows examined together */
};
static const double around = 2.5;               /* r and t are multiplied and divided by this */
static const double exact = 1e-9, nearly = 1e-5; /* the gap, relative to E: of the final fit, while candidates change */

/* ---- the final fit ---- */

/* Starts: equal weights, weights by the screen, and the mean of the folds' weights at the best point. */
static int start_make(const struct tamis_sparse_run *u, size_t which, double *w)
{
    const struct tamis_sparse_surface *s = &u->surface;
    size_t d = u->all.columns, cells = s->r.count * s->t.count;
    if (which < 2) return tamis_sparse_start(&u->all, which, u->t, w);
    if (which > 2 || !s->weights) return 0;
    for (size_t i = 0; i < d; i++) {
        w[i] = 0;
        for (size_t f = 0; f < s->folds; f++)
            w[i] += (double)s->weights[(f * cells + s->best) * d + i] / (double)s->folds;
    }
    return 1;
}

static int fit_all(struct tamis_sparse_run *u)
{
    struct tamis_sparse_data data = tamis_sparse_data_of(u);
    struct tamis_sparse_answer a;
    size_t d = u->all.columns, p = data.net.m + 1;
    int status = TAMIS_OK, projection = u->all.solver == TAMIS_SPARSE_PROJECTION;
    u->answer.error = INFINITY;
    for (size_t which = 0; !status && (projection || !which) && start_make(u, which, u->best_w); which++) {
        status = tamis_sparse_solve(u->fit, &data, u->r, u->t, u->s.centres ? nearly : exact, 0, u->run->seed,
                                    u->best_w, u->best_alpha, &a);
        if (status || !(a.error < u->answer.error)) continue;
        u->answer = a;
        memcpy(u->w, u->best_w, d * sizeof *u->w);
        memcpy(u->alpha, u->best_alpha, p * sizeof *u->alpha);
    }
    return status;
}

/* ---- better candidate centres ---- */

struct candidates { const struct tamis_sparse_run *u; const double *e; double *work, *most; size_t *row; };

/* The row of a block whose basis function would gain most: |K_j^T e|. */
static int candidates_body(void *arg, size_t item, int worker)
{
    struct candidates *c = arg;
    const struct tamis_sparse_task *k = &c->u->all;
    size_t n = k->rows, from = item * BLOCK, m = n - from < BLOCK ? n - from : BLOCK;
    double *kernel = c->work + (size_t)worker * n;
    for (size_t b = 0; b < m; b++) {
        memset(kernel, 0, n * sizeof *kernel);
        for (size_t j = 0; j < k->columns; j++) {
            double w = c->u->w[j], centre = k->x[from + b + n * j];
            for (size_t i = 0; w > 0 && i < n; i++)
                kernel[i] += w * (k->x[i + n * j] - centre) * (k->x[i + n * j] - centre);
        }
        tamis_exp_scale(n, kernel, 1, kernel);
        double gain = fabs(tamis_dot(n, kernel, c->e));
        if (!b || gain > c->most[item]) c->most[item] = gain, c->row[item] = from + b;
    }
    return TAMIS_OK;
}

/* |K_m^T e| of the present candidates; returns the largest: the multiplier of the bound. */
static double candidate_gains(const struct tamis_sparse_run *u, const double *e, double *kernel, double *gain)
{
    struct tamis_sparse_data data = tamis_sparse_data_of(u);
    size_t n = u->all.rows;
    double most = 0;
    for (size_t m = 0; m < data.net.m; m++) {
        memset(kernel, 0, n * sizeof *kernel);
        for (size_t j = 0; j < u->all.columns; j++)
            for (size_t i = 0; u->w[j] > 0 && i < n; i++)
                kernel[i] += u->w[j] * pow(u->all.x[i + n * j] - data.net.c[m + data.net.ldc * j], 2);
        tamis_exp_scale(n, kernel, 1, kernel);
        gain[m] = fabs(tamis_dot(n, kernel, e));
        most = fmax(most, gain[m]);
    }
    return most;
}

/* Replaces the unused candidate that gains least by row `row`; 0 if all are used. */
static int candidate_replace(struct tamis_sparse_run *u, size_t row, double *gain)
{
    size_t m = u->s.centres, least = m, n = u->all.rows;
    for (size_t k = 0; k < m; k++)
        if (u->alpha[k + 1] == 0 && (least == m || gain[k] < gain[least])) least = k;
    if (least == m || !(gain[least] < INFINITY)) return 0;
    for (size_t j = 0; j < u->all.columns; j++) u->centre[least + m * j] = u->all.x[row + n * j];
    gain[least] = INFINITY;
    return 1;
}

/* One round: rows that violate the optimality over all rows come in, and the fit goes on. *worst: E can
 * fall by no more than that, at these weights, with a basis function on any row (the problem is convex in alpha). */
static int candidates_round(struct tamis_sparse_run *u, double *e, double *gain, struct candidates *c, double *worst,
                            size_t *came)
{
    struct tamis_sparse_data data = tamis_sparse_data_of(u);
    size_t n = u->all.rows, blocks = (n + BLOCK - 1) / BLOCK;
    tamis_sparse_apply(u->all.x, n, n, &data.net, u->w, u->alpha, c->work, e);
    for (size_t i = 0; i < n; i++) e[i] = (u->y[i] - e[i]) * (u->root ? u->root[i] * u->root[i] : 1);
    double bound = candidate_gains(u, e, c->work, gain);
    int status = tamis_parallel(u->cx, blocks, candidates_body, c);
    *worst = 0;
    *came = 0;
    for (size_t b = 0; !status && b < blocks; b++) {
        *worst = fmax(*worst, 2 * u->r * (c->most[b] - bound) / (double)n);
        if (c->most[b] > 1.001 * bound) *came += (size_t)candidate_replace(u, c->row[b], gain);
    }
    if (!status && *came)
        status = tamis_sparse_solve(u->fit, &data, u->r, u->t, nearly, 1, 0, u->w, u->alpha, &u->answer);
    return status;
}

static int candidates_improve(struct tamis_sparse_run *u)
{
    size_t n = u->all.rows, blocks = (n + BLOCK - 1) / BLOCK, came = 1, round = 0;
    double *e = tamis_raw(u->cx, double, n), *gain = tamis_raw(u->cx, double, tamis_sparse_centres(u)), worst = 0;
    struct candidates c = {u, e, tamis_raw(u->cx, double, n * (size_t)tamis_threads(u->cx)),
                           tamis_raw(u->cx, double, blocks), tamis_raw(u->cx, size_t, blocks)};
    for (c.e = e; !tamis_status(u->cx) && came && round < ROUNDS; round++)
        if (candidates_round(u, e, gain, &c, &worst, &came)) break;
    if (!tamis_status(u->cx))
        tamis_note(
            u->cx,
            "%zu candidate basis functions instead of one on each of %zu rows, improved in %zu rounds; before the "
            "last of them, one on every row could have lowered the error by at most %.2g at the same weights",
            u->s.centres, n, round, fmax(0, worst));
    tamis_free(e);
    tamis_free(gain);
    tamis_free(c.work);
    tamis_free(c.most);
    tamis_free(c.row);
    return tamis_status(u->cx);
}

/* ---- small weights and equal columns ---- */

static int same_column(const struct tamis_sparse_task *k, size_t a, size_t b)
{
    return !memcmp(k->x + k->rows * a, k->x + k->rows * b, k->rows * sizeof *k->x);
}

/* The weights of equal columns go to the first of them. */
static void merge_equal(struct tamis_sparse_run *u)
{
    for (size_t a = 0; a < u->all.columns; a++)
        for (size_t b = a + 1; u->w[a] > 0 && b < u->all.columns; b++)
            if (u->w[b] > 0 && same_column(&u->all, a, b)) u->w[a] += u->w[b], u->w[b] = 0;
}

static size_t drop_small(struct tamis_sparse_run *u)
{
    double most = 0;
    size_t gone = 0;
    for (size_t i = 0; i < u->all.columns; i++) most = fmax(most, u->w[i]);
    for (size_t i = 0; i < u->all.columns; i++)
        if (u->w[i] > 0 && u->w[i] < u->s.drop_below * most) u->w[i] = 0, gone++;
    return gone;
}

/* The columns of x (n rows) that have a weight, beside each other. */
static size_t columns_gather(const struct tamis_sparse_run *u, const double *x, size_t n, double *to)
{
    size_t k = 0;
    for (size_t i = 0; i < u->all.columns; i++)
        if (u->w[i] > 0) memcpy(to + n * k++, x + n * i, n * sizeof *to);
    return k;
}

/* The fit again on the columns that have a weight. */
static int refit(struct tamis_sparse_run *u)
{
    size_t n = u->all.rows, m = tamis_sparse_centres(u), d = u->all.columns, k;
    double *x = tamis_raw(u->cx, double, n * d), *c = u->centre ? tamis_raw(u->cx, double, m * d) : x,
           *w = tamis_raw(u->cx, double, d);
    if (!tamis_status(u->cx)) {
        k = columns_gather(u, u->all.x, n, x);
        if (u->centre) columns_gather(u, u->centre, m, c);
        columns_gather(u, u->w, 1, w);
        struct tamis_sparse_data data = {{n, n, m, m, k, x, c, u->root}, u->root ? u->root_y : u->y};
        tamis_sparse_solve(u->fit, &data, u->r, u->t, exact, 1, 0, w, u->alpha, &u->answer);
        for (size_t i = k = 0; i < d; i++)
            if (u->w[i] > 0) u->w[i] = w[k++];
    }
    tamis_free(x);
    if (u->centre) tamis_free(c);
    tamis_free(w);
    return tamis_status(u->cx);
}

static int small_out(struct tamis_sparse_run *u)
{
    int status = TAMIS_OK;
    while (!status && drop_small(u)) status = refit(u);
    return status;
}

/* ---- inputs that do not help ---- */

/* Errors of the folds with the columns that have a weight, at (r, t) or on a grid of `count` by `count` points around
 * it. */
static int validate_set(struct tamis_sparse_run *u, size_t count, struct tamis_sparse_surface *s)
{
    struct tamis_sparse_task k = u->part;
    size_t d = k.columns;
    double *x = tamis_raw(u->cx, double, k.rows * d), *c = tamis_raw(u->cx, double, k.centres * d),
           *small = tamis_raw(u->cx, double, 2 * d);
    double wide = count > 1 ? around : 1;
    *s = (struct tamis_sparse_surface){
        .r = {u->r / wide, u->r * wide, count}, .t = {u->t / wide, u->t * wide, count}, .folds = u->surface.folds};
    if (!tamis_status(u->cx)) {
        k.columns = columns_gather(u, k.x, k.rows, x);
        columns_gather(u, u->w, 1, small);
        columns_gather(u, k.screen, 1, small + d);
        if (k.centres) columns_gather(u, k.centre, k.centres, c);
        k.x = x;
        k.centre = c;
        k.start = small;
        k.screen = small + d;
        tamis_sparse_validate(&k, s, "inputs that do not help");
    }
    tamis_free(x);
    tamis_free(c);
    tamis_free(small);
    return tamis_status(u->cx);
}

static void input_weight(struct tamis_sparse_run *u, size_t input, double *keep, int restore)
{
    const struct tamis_feature *f = &u->run->design->encoder->input[input];
    for (size_t j = f->first; j < f->first + f->columns; j++) {
        if (restore) u->w[j] = keep[j];
        else keep[j] = u->w[j], u->w[j] = 0;
    }
}

static int has_weight(const struct tamis_sparse_run *u, size_t input)
{
    const struct tamis_feature *f = &u->run->design->encoder->input[input];
    double sum = 0;
    for (size_t j = f->first; j < f->first + f->columns; j++) sum += u->w[j];
    return sum > 0;
}

/* The input without which E, with the best coefficients, is smallest (`inputs`: none); *left: inputs with a weight. */
static int least_input(struct tamis_sparse_run *u, size_t *least, size_t *left)
{
    struct tamis_sparse_data data = tamis_sparse_data_of(u);
    size_t n = u->run->design->inputs, p = data.net.m + 1;
    double best = INFINITY, error;
    *least = n;
    *left = 0;
    for (size_t i = 0; i < n; i++) {
        if (!has_weight(u, i)) continue;
        ++*left;
        input_weight(u, i, u->best_w, 0);
        memcpy(u->best_alpha, u->alpha, p * sizeof *u->alpha);
        int status = tamis_sparse_probe(u->fit, &data, u->r, u->w, u->best_alpha, 1, &error);
        input_weight(u, i, u->best_w, 1);
        if (status) return status;
        if (error < best) best = error, *least = i;
    }
    return TAMIS_OK;
}

/* Is the second no worse than the first, given the spread over the folds? */
static int no_worse(const struct tamis_sparse_surface *with, const struct tamis_sparse_surface *without)
{
    double se, rise = tamis_paired_excess(without->fold_error, with->fold_error, NULL, with->folds, &se);
    return rise <= se;
}

/* One input out, or none (*done). */
static int prune_one(struct tamis_sparse_run *u, struct tamis_sparse_surface *now, int *done)
{
    size_t least, left;
    struct tamis_sparse_surface next = {0};
    int status = least_input(u, &least, &left);
    *done = status || left < 2;
    if (*done) return status;
    input_weight(u, least, u->best_w, 0);
    status = validate_set(u, 1, &next);
    *done = status || !no_worse(now, &next);
    if (*done) {
        input_weight(u, least, u->best_w, 1);
        tamis_sparse_surface_free(&next);
        return status;
    }
    tamis_sparse_surface_free(now);
    *now = next;
    u->error = next.error[0];
    return refit(u);
}

static size_t inputs_left(const struct tamis_sparse_run *u)
{
    size_t inputs = 0;
    for (size_t i = 0; i < u->run->design->inputs; i++) inputs += (size_t)has_weight(u, i);
    return inputs;
}

/* With fewer inputs, other bounds may be better: the best near the present ones, and the fit there. */
static int bounds_again(struct tamis_sparse_run *u)
{
    struct tamis_sparse_surface s = {0};
    int status = validate_set(u, AROUND, &s);
    if (!status) {
        u->r = tamis_grid_at(&s.r, s.best % AROUND);
        u->t = tamis_grid_at(&s.t, s.best / AROUND);
        u->error = s.error[s.best];
    }
    tamis_sparse_surface_free(&s);
    return status ? status : refit(u);
}

static int prune_wanted(const struct tamis_sparse_run *u)
{
    size_t inputs = inputs_left(u);
    return u->s.prune && u->surface.error && inputs > 1 && inputs <= PRUNE_MOST;
}

static int prune(struct tamis_sparse_run *u)
{
    struct tamis_sparse_surface now = {0};
    int done = 0, status = validate_set(u, 1, &now);
    size_t before = inputs_left(u);
    if (!status) u->error = now.error[0];
    while (!status && !done) status = prune_one(u, &now, &done);
    tamis_sparse_surface_free(&now);
    return status || inputs_left(u) == before ? status : bounds_again(u);
}

int tamis_sparse_final(struct tamis_sparse_run *u)
{
    int projection = u->all.solver == TAMIS_SPARSE_PROJECTION, status = fit_all(u);
    if (!status && projection && u->s.centres) status = candidates_improve(u);
    for (size_t i = 0; i < u->all.columns; i++)
        if (!(u->screen[i] > 0)) u->w[i] = 0;                   /* constant */
    if (!status) merge_equal(u);
    if (!status && projection && u->s.centres) status = refit(u);
    if (!status && projection) status = prune_wanted(u) ? prune(u) : small_out(u);
    return status;
}
