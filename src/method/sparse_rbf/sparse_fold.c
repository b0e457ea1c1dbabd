/* The grid is walked fold by fold: t outside, r inside, both growing. A point starts from the better of its two
 * neighbours' weights (the last r; the last t, scaled) and of equal weights, by the smallest error over the
 * coefficients. The solvers of the paper start from equal weights everywhere, as it says, and their items are single
 * points. */
#include <float.h>
#include <math.h>
#include <string.h>
#include "base/parallel.h"
#include "method/sparse_rbf/sparse_fold.h"
#include "num/weighted.h"

enum { COLUMNS_MOST = 500 };    /* input columns of a fold: the most telling in its training rows */
static const double rough = 1e-3;       /* relative accuracy of E in validation */
static const double nothing_left = 1e-5; /* E below which the network interpolates; y has a variance of about 1 */

/* ---- the rows and columns of a fold ---- */

static void rows_take(const struct tamis_sparse_grid *g, struct tamis_sparse_worker *v, size_t fold, size_t from,
                      size_t to)
{
    const struct tamis_sparse_task *k = g->k;
    for (size_t i = 0, a = 0, b = 0; i < k->rows; i++) {
        double value = k->x[i + k->rows * from];
        if (g->s->fold[i] != fold) v->x[a++ + v->n * to] = value;
        else v->held[b++ + v->m * to] = value;
    }
}

/* The fold's columns: all, or the most telling in its own training rows. */
static void columns_take(const struct tamis_sparse_grid *g, struct tamis_sparse_worker *v, size_t fold)
{
    const struct tamis_sparse_task *k = g->k;
    size_t count = 0;
    for (size_t j = 0; j < k->columns; j++) {
        rows_take(g, v, fold, j, 0);
        tamis_sparse_screen(v->x, v->n, 1, v->y, v->weight, v->screen + j);
    }
    double least = tamis_sparse_screen_rank(v->screen, k->columns, COLUMNS_MOST);
    for (size_t j = 0; j < k->columns && count < COLUMNS_MOST; j++) {
        if (!(v->screen[j] >= least)) continue;
        rows_take(g, v, fold, j, count);
        for (size_t c = 0; c < k->centres; c++) v->centre[c + k->centres * count] = k->centre[c + k->centres * j];
        if (k->start) v->start[count] = k->start[j];
        v->screen[count] = v->screen[j];
        v->list[count++] = j;
    }
    v->task = *k;
    v->task.columns = count;
    v->task.screen = v->screen;
    v->task.start = k->start ? v->start : NULL;
}

/* Weights of the fold's rows, and the target as the fit wants it. */
static void weights_take(const struct tamis_sparse_grid *g, struct tamis_sparse_worker *v, size_t fold)
{
    const struct tamis_sparse_task *k = g->k;
    for (size_t i = 0, a = 0, b = 0; i < k->rows; i++)
        if (g->s->fold[i] != fold) v->weight[a++] = k->weight[i];
        else v->held_weight[b++] = k->weight[i];
    tamis_wnet_roots(v->n, v->weight, v->root);
    for (size_t i = 0; i < v->n; i++) v->root_y[i] = v->root[i] * v->y[i];
}

static void fold_take(const struct tamis_sparse_grid *g, struct tamis_sparse_worker *v, size_t fold)
{
    const struct tamis_sparse_task *k = g->k;
    v->n = 0;
    for (size_t i = 0; i < k->rows; i++) v->n += g->s->fold[i] != fold;
    v->m = k->rows - v->n;
    for (size_t i = 0, a = 0, b = 0; i < k->rows; i++)
        if (g->s->fold[i] != fold) v->y[a++] = k->y[i];
        else v->held_y[b++] = k->y[i];
    if (k->weight) weights_take(g, v, fold);
    columns_take(g, v, fold);
    size_t m = k->centres ? k->centres : v->n;
    v->data.net = (struct tamis_wnet){v->n, v->n, m, m, v->task.columns, v->x, k->centres ? v->centre : v->x,
                                      v->root};
    v->data.y = k->weight ? v->root_y : v->y;
}

/* ---- one point ---- */

/* Weighted sums over the held-out rows. */
static void held_errors(const struct tamis_sparse_task *k, struct tamis_sparse_worker *v, const double *w,
                        const double *alpha, double *error, double *squares)
{
    tamis_sparse_apply(v->held, v->m, v->m, &v->data.net, w, alpha, v->work, v->out);
    *error = *squares = 0;
    for (size_t i = 0; i < v->m; i++) {
        double e = v->held_y[i] - v->out[i], c = tamis_weight_at(v->held_weight, i);
        *squares += c * (e * e);
        *error += c * (k->classes ? tamis_sparse_wrong(k, v->held_y[i], v->out[i]) : e * e);
    }
}

static void progress_cell(struct tamis_sparse_grid *g)
{
    size_t done = atomic_fetch_add(&g->done, 1) + 1;
    tamis_progress(g->k->cx, g->what, (double)done, (double)(g->s->folds * g->cells));
}

static void cell_keep(struct tamis_sparse_grid *g, struct tamis_sparse_worker *v, size_t fold, size_t cell,
                      const struct tamis_sparse_answer *a)
{
    size_t at = fold * g->cells + cell, d = g->k->columns;
    float *weights = g->s->weights + at * d;
    held_errors(g->k, v, v->w, v->alpha, &g->sum_error[at], &g->sum_squares[at]);
    g->count_inputs[at] = (double)a->inputs;
    g->count_functions[at] = (double)a->functions;
    for (size_t i = 0; i < d; i++) weights[i] = 0;
    for (size_t i = 0; i < v->task.columns; i++) weights[v->list[i]] = (float)v->w[i];
    progress_cell(g);
}

/* Is `try` a better start than w (error *best)? */
static int start_try(struct tamis_sparse_worker *v, double r, int warm, double *best)
{
    double error;
    size_t d = v->task.columns, p = v->data.net.m + 1;
    int status = tamis_sparse_probe(v->fit, &v->data, r, v->try, v->try_alpha, warm, &error);
    if (status || !(error < *best)) return status;
    *best = error;
    memcpy(v->w, v->try, d * sizeof *v->w);
    memcpy(v->alpha, v->try_alpha, p * sizeof *v->alpha);
    return TAMIS_OK;
}

/* The network with equal weights, for comparison and, unless there are many inputs, as a start. */
static int equal_weights(const struct tamis_sparse_grid *g, struct tamis_sparse_worker *v, size_t fold, size_t cell,
                         double r, double t, double *best)
{
    const struct tamis_sparse_task *k = &v->task;
    double error, squares;
    size_t at = fold * g->cells + cell, useful = 0;
    if (k->columns < g->k->columns) return TAMIS_OK;
    for (size_t i = 0; i < k->columns; i++) useful += k->screen[i] > 0;
    for (size_t i = 0; i < k->columns; i++) v->try[i] = k->screen[i] > 0 ? t / (double)useful : 0;
    int status = tamis_sparse_probe(v->fit, &v->data, r, v->try, v->equal_alpha, cell % g->s->r.count > 0, &error);
    if (status) return status;
    held_errors(k, v, v->try, v->equal_alpha, &g->sum_equal[at], &squares);
    if (k->columns > TAMIS_SPARSE_WIDE || !(error < *best)) return TAMIS_OK;
    *best = error;
    memcpy(v->w, v->try, k->columns * sizeof *v->w);
    memcpy(v->alpha, v->equal_alpha, (v->data.net.m + 1) * sizeof *v->alpha);
    return TAMIS_OK;
}

/* The best start for a point of the grid into w and alpha, which hold the answer at the last r. */
static int cell_start(const struct tamis_sparse_grid *g, struct tamis_sparse_worker *v, size_t fold, size_t cell,
                      double r, double t)
{
    struct tamis_sparse_surface *s = g->s;
    size_t a = cell % s->r.count, b = cell / s->r.count, d = v->task.columns, p = v->data.net.m + 1;
    double best = INFINITY;
    int status = TAMIS_OK;
    if (a) {
        memcpy(v->try, v->w, d * sizeof *v->w);
        memcpy(v->try_alpha, v->alpha, p * sizeof *v->alpha);
        status = start_try(v, r, 1, &best);
    }
    if (b && !status) {
        for (size_t i = 0; i < d; i++) v->try[i] = v->last_t[d * a + i] * t / tamis_grid_at(&s->t, b - 1);
        memcpy(v->try_alpha, v->last_alpha + p * a, p * sizeof *v->alpha);
        status = start_try(v, r, 1, &best);
    }
    if (!cell && v->task.start) {
        memcpy(v->try, v->task.start, d * sizeof *v->w);
        status = start_try(v, r, 0, &best);
    }
    if (!status) status = equal_weights(g, v, fold, cell, r, t, &best);
    for (size_t which = 0; !status && (!cell || !which) && tamis_sparse_start(&v->task, which, t, v->try); which++)
        if (!cell || v->task.columns > TAMIS_SPARSE_WIDE) status = start_try(v, r, 0, &best);
    return status;
}

/* If a neighbour with smaller bounds leaves nothing of y, it is an answer here too: into w and alpha. */
static int cell_done(const struct tamis_sparse_grid *g, struct tamis_sparse_worker *v, size_t cell,
                     struct tamis_sparse_answer *answer)
{
    size_t a = cell % g->s->r.count, d = v->task.columns, p = v->data.net.m + 1;
    *answer = (struct tamis_sparse_answer){.error = INFINITY};
    if (a && v->last_answer[a - 1].error <= nothing_left) {             /* w and alpha are those of the last r */
        *answer = v->last_answer[a - 1];
        return 1;
    }
    if (cell < g->s->r.count || !(v->last_answer[a].error <= nothing_left)) return 0;
    *answer = v->last_answer[a];
    memcpy(v->w, v->last_t + d * a, d * sizeof *v->w);
    memcpy(v->alpha, v->last_alpha + p * a, p * sizeof *v->alpha);
    return 1;
}

/* All points of the grid for one fold, by projection. */
static int projection_fold(struct tamis_sparse_grid *g, struct tamis_sparse_worker *v, size_t fold)
{
    struct tamis_sparse_surface *s = g->s;
    size_t d = v->task.columns, p = v->data.net.m + 1;
    int status = TAMIS_OK;
    for (size_t cell = 0; cell < g->cells && !status; cell++) {
        size_t a = cell % s->r.count;
        double r = tamis_grid_at(&s->r, a), t = tamis_grid_at(&s->t, cell / s->r.count);
        struct tamis_sparse_answer answer;
        status = cell_done(g, v, cell, &answer) ? equal_weights(g, v, fold, cell, r, t, &(double){0})
                                                : cell_start(g, v, fold, cell, r, t);
        if (!status && !(answer.error <= nothing_left))
            status = tamis_sparse_solve(v->fit, &v->data, r, t, rough, 1, 0, v->w, v->alpha, &answer);
        if (status) break;
        cell_keep(g, v, fold, cell, &answer);
        v->last_answer[a] = answer;
        memcpy(v->last_t + d * a, v->w, d * sizeof *v->w);
        memcpy(v->last_alpha + p * a, v->alpha, p * sizeof *v->alpha);
    }
    return status;
}

static int paper_cell(struct tamis_sparse_grid *g, struct tamis_sparse_worker *v, size_t fold, size_t cell)
{
    struct tamis_sparse_surface *s = g->s;
    double r = tamis_grid_at(&s->r, cell % s->r.count), t = tamis_grid_at(&s->t, cell / s->r.count);
    struct tamis_sparse_answer answer;
    tamis_sparse_start(&v->task, 0, t, v->w);
    int status = tamis_sparse_solve(v->fit, &v->data, r, t, 0, 0, g->k->seed, v->w, v->alpha, &answer);
    if (!status) cell_keep(g, v, fold, cell, &answer);
    return status;
}

size_t tamis_sparse_grid_items(const struct tamis_sparse_grid *g)
{
    return g->k->solver == TAMIS_SPARSE_PROJECTION ? g->s->folds : g->s->folds * g->cells;
}

int tamis_sparse_grid_item(void *grid, size_t item, int worker)
{
    struct tamis_sparse_grid *g = grid;
    struct tamis_sparse_worker *v = &g->worker[worker];
    int projection = g->k->solver == TAMIS_SPARSE_PROJECTION;
    size_t fold = projection ? item : item / g->cells;
    fold_take(g, v, fold);
    return projection ? projection_fold(g, v, fold) : paper_cell(g, v, fold, item % g->cells);
}

/* ---- what the journal keeps ---- */

enum { SUMS = 5 };              /* per point: error, squares, inputs, functions, error with equal weights */

static size_t item_cells(const struct tamis_sparse_grid *g)
{
    return g->k->solver == TAMIS_SPARSE_PROJECTION ? g->cells : 1;
}

static void item_pack(const void *grid, size_t item, double *v)
{
    const struct tamis_sparse_grid *g = grid;
    size_t n = item_cells(g), d = g->k->columns, all = g->s->folds * g->cells;
    for (size_t q = 0; q < SUMS; q++) memcpy(v + q * n, g->sum_error + q * all + item * n, n * sizeof *v);
    for (size_t i = 0; i < n * d; i++) v[SUMS * n + i] = (double)g->s->weights[item * n * d + i];
}

static int item_unpack(void *grid, size_t item, const double *v)
{
    struct tamis_sparse_grid *g = grid;
    size_t n = item_cells(g), d = g->k->columns, all = g->s->folds * g->cells;
    for (size_t i = 0; i < SUMS * n; i++)
        if (v[i] < 0) return 0;
    if (!tamis_journal_counts(v + 2 * n, n, d) || !tamis_journal_counts(v + 3 * n, n, g->most_centres + 1)) return 0;
    for (size_t i = SUMS * n; i < (SUMS + d) * n; i++)
        if (!(v[i] >= 0 && v[i] <= FLT_MAX)) return 0;
    for (size_t q = 0; q < SUMS; q++) memcpy(g->sum_error + q * all + item * n, v + q * n, n * sizeof *v);
    for (size_t i = 0; i < n * d; i++) g->s->weights[item * n * d + i] = (float)v[SUMS * n + i];
    atomic_fetch_add(&g->done, n);
    return 1;
}

struct tamis_journal_items tamis_sparse_grid_kept(const struct tamis_sparse_grid *g)
{
    return (struct tamis_journal_items){item_cells(g) * (SUMS + g->k->columns), item_pack, item_unpack,
                                        .name = g->what, .every = g->k->pilot};
}

/* ---- memory ---- */

void tamis_sparse_grid_free(struct tamis_sparse_grid *g)
{
    for (int i = 0; g->worker && i < tamis_threads(g->k->cx); i++) {
        struct tamis_sparse_worker *v = &g->worker[i];
        void *all[] = {v->x,      v->y,           v->held,      v->held_y,      v->w,          v->try,
                       v->last_t, v->alpha,       v->try_alpha, v->equal_alpha, v->last_alpha, v->out,
                       v->work,   v->last_answer, v->list,      v->screen,      v->centre,     v->start,
                       v->weight, v->root,        v->root_y,    v->held_weight};
        for (size_t j = 0; j < sizeof all / sizeof *all; j++) tamis_free(all[j]);
        tamis_sparse_fit_free(v->fit);
    }
    tamis_free(g->worker);
    tamis_free(g->sum_error);
}

int tamis_sparse_grid_new(struct tamis_sparse_grid *g)
{
    tamis_context *cx = g->k->cx;
    size_t n = g->most_rows, d = g->k->columns < COLUMNS_MOST ? g->k->columns : COLUMNS_MOST, p = g->most_centres + 1,
           items = g->s->folds * g->cells, held = g->most_held;
    g->worker = tamis_new(cx, struct tamis_sparse_worker, (size_t)tamis_threads(cx));
    g->sum_error = tamis_new(cx, double, 5 * items);
    if (!g->worker || !g->sum_error) return tamis_status(cx);
    g->sum_squares = g->sum_error + items;
    g->count_inputs = g->sum_error + 2 * items;
    g->count_functions = g->sum_error + 3 * items;
    g->sum_equal = g->sum_error + 4 * items;
    for (size_t i = 0; i < items; i++) g->sum_equal[i] = NAN;
    for (int i = 0; i < tamis_threads(cx); i++) {
        struct tamis_sparse_worker *v = &g->worker[i];
        v->x = tamis_raw(cx, double, n * d);
        v->y = tamis_raw(cx, double, n);
        v->held = tamis_raw(cx, double, held * d);
        v->held_y = tamis_raw(cx, double, held);
        if (g->k->weight) {
            v->weight = tamis_raw(cx, double, n);
            v->root = tamis_raw(cx, double, n);
            v->root_y = tamis_raw(cx, double, n);
            v->held_weight = tamis_raw(cx, double, held);
        }
        v->w = tamis_raw(cx, double, d);
        v->try = tamis_raw(cx, double, d);
        v->last_t = tamis_raw(cx, double, d * g->s->r.count);
        v->alpha = tamis_raw(cx, double, p);
        v->try_alpha = tamis_raw(cx, double, p);
        v->equal_alpha = tamis_raw(cx, double, p);
        v->last_alpha = tamis_raw(cx, double, p * g->s->r.count);
        v->list = tamis_raw(cx, size_t, d);
        v->screen = tamis_raw(cx, double, g->k->columns);
        v->start = tamis_raw(cx, double, d);
        v->centre = tamis_raw(cx, double, g->k->centres * d);
        v->last_answer = tamis_raw(cx, struct tamis_sparse_answer, g->s->r.count);
        v->out = tamis_raw(cx, double, held);
        v->work = tamis_raw(cx, double, held);
        v->fit = tamis_sparse_fit_new(cx, g->k->solver, n, g->most_centres, d);
        if (tamis_status(cx)) return tamis_status(cx);
    }
    return TAMIS_OK;
}

double tamis_sparse_grid_bytes(const struct tamis_sparse_task *k, size_t cells, size_t folds, int workers)
{
    size_t most = k->columns < COLUMNS_MOST ? k->columns : COLUMNS_MOST;
    double n = (double)k->rows, d = (double)most;
    return (double)workers * (tamis_sparse_bytes(k->solver, k->rows, k->centres ? k->centres : k->rows, most) +
                              8 * n * (d + 40) + 8 * (double)k->columns) +
           (double)(cells * folds) * (4 * (double)k->columns + 40);
}

int tamis_sparse_screened(const struct tamis_sparse_task *k) { return k->columns > COLUMNS_MOST; }
