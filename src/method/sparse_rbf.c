/* sparse-rbf: inputs and basis functions of a Gaussian network chosen at once, by bounds on their sums.
 *
 *     minimise 1/N sum_n (y_n - f(x_n))^2   such that  sum_m |alpha_m| <= r,  sum_i w_i <= t,  w >= 0           [1] eq. (12)
 *
 * (r, t) by cross-validation over a grid. Two classes: y is +-1, errors are counted by sign.
 *
 * [1] J. Tikka, Simultaneous input variable and basis function selection for RBF networks, Neurocomputing 72 (2009).
 * DIFFERS [1] section 4: the default solver projects alpha out (model/sparse_projection.c); the paper's are direct and alternating.
 * DIFFERS [1] section 5: without cross-validation, weights below --keep of the largest go, and the network is fitted again without them; the
 * paper counts weights that are clearly not zero.
 * DIFFERS [1]: at the (r, t) chosen, inputs are taken out one by one, the one that raises E least first, while the validation error of the
 * networks fitted without it does not grow by more than its standard error (--no-prune: not). Weights do not tell useful inputs from useless
 * ones: an input that y depends on in a straight line needs no more weight than one that is noise.
 * DIFFERS [1] with many rows: candidate centres on some rows, put right where a row outside them would do better. */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include "base/parallel.h"
#include "base/rng.h"
#include "method/methods.h"
#include "method/sparse_grid.h"
#include "model/sparse_rbf.h"
#include "num/gauss.h"
#include "num/lapack.h"

enum {
    DENSE_ROWS = 1500, CENTRES = 400,           /* beyond so many rows, so many candidate centres */
    GRID_ROWS = 2000,                           /* rows that choose (r, t) at most */
    AUTO_COUNT = 10, PILOT_R = 7, PILOT_T = 8, PILOT_FOLDS = 3,
    PRUNE_MOST = 100,                           /* inputs; with more, none is taken out by validation */
    ROUNDS = 4, BLOCK = 256                     /* of putting right the candidates; rows looked at together */
};
static const double exact = 1e-9;               /* the final fit's gap, of E */

struct settings {
    struct tamis_grid r, t;
    const char *solver;
    size_t folds, centres;
    double keep;
    int prune;
};

#define AT(field) offsetof(struct settings, field)
static const struct tamis_option rows[] = {
    {"r", TAMIS_GRID, AT(r), "auto", 1e-9, 1e9, "auto", NULL, "bounds tried on the sum of the coefficients' magnitudes; auto: ten values around the best of a coarse grid; one value here and in --t: no cross-validation"},
    {"t", TAMIS_GRID, AT(t), "auto", 1e-9, 1e9, "auto", NULL, "bounds tried on the sum of the inputs' weights"},
    {"solver", TAMIS_CHOICE, AT(solver), "projection", 0, 0, "projection|direct|alternating", NULL, "projection: exact zeros, fast; direct and alternating: the paper's algorithms 1 and 2"},
    {"folds", TAMIS_COUNT, AT(folds), "10", 2, 1e9, NULL, NULL, "folds of the cross-validation"},
    {"centers", TAMIS_COUNT, AT(centres), "auto", 2, 100000, "auto", "M|auto", "candidate basis functions; auto: one on every row up to 1500 rows, beyond that 400"},
    {"keep", TAMIS_REAL, AT(keep), "0.01", 0, 0.9, NULL, NULL, "where nothing is pruned by validation: inputs with a weight below this share of the largest are dropped and the network fitted again; 0: exact zeros only"},
    {"prune", TAMIS_FLAG, AT(prune), "yes", 0, 0, NULL, NULL, "drop inputs one by one while the cross-validated error does not grow by more than its standard error"},
    {0}
};

struct run {
    struct tamis_job *job;
    tamis_context *cx;
    struct settings s;
    struct tamis_sparse_task all, part;         /* all rows; those that choose (r, t) */
    struct tamis_sparse_surface surface;
    double *y, *screen, *centre, *part_x, *part_y;
    double r, t;
    double *w, *alpha;                          /* the answer: columns; centres + 1 */
    double *best_w, *best_alpha;
    struct tamis_sparse_answer answer;
    struct tamis_sparse_fit *fit;
    double error;                               /* validation error of the inputs that are left; NAN: none */
};

static int plan(tamis_context *cx, const tamis_options *o, struct tamis_plan *p)
{
    (void)cx, (void)o;
    p->criterion = NULL;
    p->search = NULL;
    return TAMIS_OK;
}

/* ---- settings ---- */

static enum tamis_sparse_solver solver_of(const struct settings *s)
{
    return !strcmp(s->solver, "direct") ? TAMIS_SPARSE_DIRECT : !strcmp(s->solver, "alternating") ? TAMIS_SPARSE_ALTERNATING : TAMIS_SPARSE_PROJECTION;
}

static int settings_read(struct tamis_job *job, struct settings *s)
{
    const struct tamis_design *d = job->design;
    memset(s, 0, sizeof *s);
    int status = tamis_options_read(job->cx, job->options, rows, s);
    if (status) return status;
    if (job->checkpoint) return tamis_fail(job->cx, TAMIS_USAGE, "--checkpoint: method sparse-rbf keeps none");
    if (d->encoder->classes > 2)
        return tamis_fail(job->cx, TAMIS_USAGE, "method sparse-rbf tells two classes apart, and the target '%s' has %zu", d->encoder->target, d->encoder->classes);
    if (s->centres == SIZE_MAX && d->rows > DENSE_ROWS) s->centres = CENTRES;
    if (s->folds > d->rows) s->folds = d->rows;
    if (s->centres >= d->rows) s->centres = 0;                  /* one on every row */
    return TAMIS_OK;
}

static int grid_needed(const struct settings *s) { return s->r.count != 1 || s->t.count != 1; }

static void task_set(const struct run *u, struct tamis_sparse_task *k, size_t n, const double *x, const double *y)
{
    *k = (struct tamis_sparse_task){.cx = u->cx, .solver = solver_of(&u->s), .rows = n, .columns = u->job->design->columns, .x = x, .y = y, .centres = u->s.centres,
                                    .centre = u->centre, .screen = u->screen, .classes = u->all.classes, .mean = u->all.mean, .scale = u->all.scale, .seed = u->job->seed};
}

static int cost(struct tamis_job *job, struct tamis_cost *c)
{
    struct run u = {.job = job, .cx = job->cx};
    int status = settings_read(job, &u.s);
    if (status) return status;
    const struct tamis_design *d = job->design;
    size_t part = u.s.centres && d->rows > GRID_ROWS ? GRID_ROWS : d->rows, m = u.s.centres ? u.s.centres : d->rows;
    size_t cells = (u.s.r.count ? u.s.r.count : AUTO_COUNT) * (u.s.t.count ? u.s.t.count : AUTO_COUNT);
    double n = (double)part, pool = u.s.centres ? (double)m : n, fits = grid_needed(&u.s) ? (double)(cells * u.s.folds) : 0, k = fmin(pool, 40), all = (double)d->columns;
    task_set(&u, &u.part, part, NULL, NULL);
    c->bytes = tamis_sparse_bytes(u.part.solver, d->rows, m, d->columns) + (grid_needed(&u.s) ? tamis_sparse_grid_bytes(&u.part, cells, u.s.folds, tamis_threads(job->cx)) : 0) +
               8 * ((double)d->rows * (2 + (u.s.centres ? (double)m + all + 2 + BLOCK * tamis_threads(job->cx) : 0)) + (double)m * all + n * all);
    double evaluation = n * pool * 40 + 8 * n * k * k + 2 * n * k * all, last = (double)d->rows * (double)m * 60;
    if (u.part.solver != TAMIS_SPARSE_PROJECTION) evaluation = 60 * (n * (pool + all) * (pool + all) + pool * pool * pool / 3), last = evaluation * 10;
    c->flops = 12 * fits * evaluation + 100 * last;
    return TAMIS_OK;
}

/* ---- what is fitted ---- */

/* +-1, standardised, for two classes. */
static int target_make(struct run *u)
{
    const struct tamis_design *d = u->job->design;
    double mean = 0;
    u->y = tamis_raw(u->cx, double, d->rows);
    if (!u->y) return tamis_status(u->cx);
    memcpy(u->y, d->y, d->rows * sizeof *u->y);
    u->all.classes = d->encoder->classes > 0;
    u->all.scale = 1;
    if (!u->all.classes) return TAMIS_OK;
    for (size_t i = 0; i < d->rows; i++) mean += (2 * d->y[i] - 1) / (double)d->rows;
    u->all.mean = mean;
    u->all.scale = sqrt(1 - mean * mean);
    for (size_t i = 0; i < d->rows; i++) u->y[i] = (2 * d->y[i] - 1 - mean) / u->all.scale;
    return TAMIS_OK;
}

static double squared_correlation(const double *x, const double *y, size_t n, int square)
{
    double mean = 0, sx = 0, sy = 0, xx = 0, yy = 0, xy = 0;
    for (size_t i = 0; square && i < n; i++) mean += x[i] / (double)n;
    for (size_t i = 0; i < n; i++) {
        double v = square ? (x[i] - mean) * (x[i] - mean) : x[i];
        sx += v, sy += y[i], xx += v * v, yy += y[i] * y[i], xy += v * y[i];
    }
    double count = (double)n, cov = xy - sx * sy / count, vx = xx - sx * sx / count, vy = yy - sy * sy / count;
    return vx > 1e-12 * xx && vy > 0 ? cov * cov / (vx * vy) : 0;
}

/* What an input by itself tells of y, in a straight line or a bow; 0 only for constants. */
static int screen_make(struct run *u)
{
    const struct tamis_design *d = u->job->design;
    u->screen = tamis_new(u->cx, double, d->columns);
    for (size_t j = 0; u->screen && j < d->columns; j++) {
        const double *x = d->x + d->rows * j;
        int varies = 0;
        for (size_t i = 1; i < d->rows && !varies; i++) varies = x[i] != x[0];
        if (varies) u->screen[j] = 1e-6 + fmax(squared_correlation(x, u->y, d->rows, 0), squared_correlation(x, u->y, d->rows, 1));
    }
    return tamis_status(u->cx);
}

/* Candidate centres: rows that stand for the others when all inputs count the same. */
static int centres_make(struct run *u)
{
    const struct tamis_design *d = u->job->design;
    size_t m = u->s.centres, n = d->rows, useful = 0;
    if (!m) return TAMIS_OK;
    double *work = tamis_raw(u->cx, double, n * (m + d->columns + 2)), *weight = tamis_raw(u->cx, double, d->columns);
    size_t *pivot = tamis_raw(u->cx, size_t, m);
    u->centre = tamis_raw(u->cx, double, m * d->columns);
    if (!tamis_status(u->cx)) {
        for (size_t j = 0; j < d->columns; j++) useful += u->screen[j] > 0;
        for (size_t j = 0; j < d->columns; j++) weight[j] = u->screen[j] > 0 ? 0.5 / (double)useful : 0;
        u->s.centres = m = tamis_wnet_pivots(n, d->x, n, d->columns, weight, m, work, pivot);
        for (size_t j = 0; j < d->columns; j++)
            for (size_t k = 0; k < m; k++) u->centre[k + m * j] = d->x[pivot[k] + n * j];
    }
    tamis_free(work);
    tamis_free(weight);
    tamis_free(pivot);
    return tamis_status(u->cx);
}

/* The rows that choose (r, t): all, or a seeded share. */
static int part_make(struct run *u)
{
    const struct tamis_design *d = u->job->design;
    size_t n = d->rows, m = GRID_ROWS;
    task_set(u, &u->all, n, d->x, u->y);
    u->part = u->all;
    if (!u->s.centres || n <= GRID_ROWS || !grid_needed(&u->s)) return TAMIS_OK;
    size_t *row = tamis_raw(u->cx, size_t, n);
    struct tamis_rng rng;
    u->part_x = tamis_raw(u->cx, double, m * d->columns);
    u->part_y = tamis_raw(u->cx, double, m);
    if (!tamis_status(u->cx)) {
        for (size_t i = 0; i < n; i++) row[i] = i;
        tamis_rng_init(&rng, u->job->seed, TAMIS_RNG_SPARSE, 1);
        tamis_rng_shuffle(&rng, row, n);
        for (size_t j = 0; j < d->columns; j++)
            for (size_t i = 0; i < m; i++) u->part_x[i + m * j] = d->x[row[i] + n * j];
        for (size_t i = 0; i < m; i++) u->part_y[i] = u->y[row[i]];
        task_set(u, &u->part, m, u->part_x, u->part_y);
    }
    tamis_free(row);
    return tamis_status(u->cx);
}

/* ---- the bounds ---- */

/* Units in which t and r are of order one: the inverse of the inputs' variance, and the target's deviation. */
static void units(const struct run *u, double *weight, double *coefficient)
{
    const struct tamis_sparse_task *k = &u->all;
    double sum = 0, count = 0, vy = 0, my = 0;
    for (size_t j = 0; j < k->columns; j++) {
        double mean = 0, v = 0;
        if (!(k->screen[j] > 0)) continue;
        for (size_t i = 0; i < k->rows; i++) mean += k->x[i + k->rows * j] / (double)k->rows;
        for (size_t i = 0; i < k->rows; i++) v += pow(k->x[i + k->rows * j] - mean, 2) / (double)k->rows;
        sum += log(v);
        count++;
    }
    for (size_t i = 0; i < k->rows; i++) my += k->y[i] / (double)k->rows;
    for (size_t i = 0; i < k->rows; i++) vy += pow(k->y[i] - my, 2) / (double)k->rows;
    *weight = exp(-sum / count);
    *coefficient = sqrt(vy);
}

/* Around the best of a coarse grid, one of its steps either way. */
static void zoom(const struct tamis_grid *coarse, size_t at, struct tamis_grid *g)
{
    double step = pow(coarse->to / coarse->from, 1 / (double)(coarse->count - 1)), middle = tamis_grid_at(coarse, at);
    *g = (struct tamis_grid){middle / step, middle * step, AUTO_COUNT};
}

static int ranges_find(struct run *u)
{
    struct tamis_sparse_surface *s = &u->surface, pilot = {.r = u->s.r, .t = u->s.t, .folds = u->s.folds < PILOT_FOLDS ? u->s.folds : PILOT_FOLDS};
    struct tamis_sparse_task quick = u->part;
    double weight, coefficient;
    s->r = u->s.r;
    s->t = u->s.t;
    s->folds = u->s.folds;
    if (u->s.r.count && u->s.t.count) return TAMIS_OK;
    units(u, &weight, &coefficient);
    if (!s->r.count) pilot.r = (struct tamis_grid){coefficient, 1000 * coefficient, PILOT_R};
    if (!s->t.count) pilot.t = (struct tamis_grid){0.001 * weight, 15 * weight, PILOT_T};
    quick.solver = TAMIS_SPARSE_PROJECTION;
    int status = tamis_sparse_validate(&quick, &pilot, "ranges of r and t");
    if (!status && !s->r.count) zoom(&pilot.r, pilot.best % pilot.r.count, &s->r);
    if (!status && !s->t.count) zoom(&pilot.t, pilot.best / pilot.r.count, &s->t);
    tamis_sparse_surface_free(&pilot);
    return status;
}

static void say_edges(const struct run *u)
{
    const struct tamis_sparse_surface *s = &u->surface;
    size_t a = s->best % s->r.count, b = s->best / s->r.count;
    if (s->r.count > 1 && u->s.r.count && (a == 0 || a + 1 == s->r.count)) tamis_note(u->cx, "the best r, %g, is the %s that was tried", u->r, a ? "largest" : "smallest");
    if (s->t.count > 1 && u->s.t.count && (b == 0 || b + 1 == s->t.count)) tamis_note(u->cx, "the best t, %g, is the %s that was tried", u->t, b ? "largest" : "smallest");
    if (s->gain < 2 * s->gain_error)
        tamis_note(u->cx, "the error is not surely below that of predicting %s: %g against %g; the inputs may be chance", u->all.classes ? "the commoner class" : "the mean", s->error[s->best], s->plain);
}

static int bounds_choose(struct run *u)
{
    struct tamis_sparse_surface *s = &u->surface;
    u->r = u->s.r.from;
    u->t = u->s.t.from;
    if (!grid_needed(&u->s)) return TAMIS_OK;
    int status = ranges_find(u);
    if (!status) status = tamis_sparse_validate(&u->part, s, "cross-validation");
    if (status) return status;
    u->r = tamis_grid_at(&s->r, s->best % s->r.count);
    u->t = tamis_grid_at(&s->t, s->best / s->r.count);
    u->error = s->error[s->best];
    say_edges(u);
    return TAMIS_OK;
}

/* ---- the final fit ---- */

static size_t centre_count(const struct run *u) { return u->s.centres ? u->s.centres : u->all.rows; }

static struct tamis_sparse_data data_of(const struct run *u)
{
    size_t n = u->all.rows, m = centre_count(u);
    return (struct tamis_sparse_data){{n, n, m, m, u->all.columns, u->all.x, u->centre ? u->centre : u->all.x}, u->y};
}

/* Starts: equal weights, weights by the screen, and the mean of the folds' weights at the best point. */
static int start_make(const struct run *u, size_t which, double *w)
{
    const struct tamis_sparse_surface *s = &u->surface;
    size_t d = u->all.columns, cells = s->r.count * s->t.count;
    if (which < 2) return tamis_sparse_start(&u->all, which, u->t, w);
    if (which > 2 || !s->weights) return 0;
    for (size_t i = 0; i < d; i++) {
        w[i] = 0;
        for (size_t f = 0; f < s->folds; f++) w[i] += (double)s->weights[(f * cells + s->best) * d + i] / (double)s->folds;
    }
    return 1;
}

static int fit_all(struct run *u)
{
    struct tamis_sparse_data data = data_of(u);
    struct tamis_sparse_answer a;
    size_t d = u->all.columns, p = data.net.m + 1;
    int status = TAMIS_OK, projection = u->all.solver == TAMIS_SPARSE_PROJECTION;
    u->answer.error = INFINITY;
    for (size_t which = 0; !status && (projection || !which) && start_make(u, which, u->best_w); which++) {
        status = tamis_sparse_solve(u->fit, &data, u->r, u->t, exact, 0, u->job->seed, u->best_w, u->best_alpha, &a);
        if (status || !(a.error < u->answer.error)) continue;
        u->answer = a;
        memcpy(u->w, u->best_w, d * sizeof *u->w);
        memcpy(u->alpha, u->best_alpha, p * sizeof *u->alpha);
    }
    return status;
}

/* ---- candidate centres put right ---- */

struct candidates { const struct run *u; const double *e; double *work, *most; size_t *row; };

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
            for (size_t i = 0; w > 0 && i < n; i++) kernel[i] += w * (k->x[i + n * j] - centre) * (k->x[i + n * j] - centre);
        }
        tamis_exp_scale(n, kernel, 1, kernel);
        double gain = fabs(tamis_dot(n, kernel, c->e));
        if (!b || gain > c->most[item]) c->most[item] = gain, c->row[item] = from + b;
    }
    return TAMIS_OK;
}

/* |K_m^T e| of the candidates that there are; returns the largest: the multiplier of the bound. */
static double candidate_gains(const struct run *u, const double *e, double *kernel, double *gain)
{
    struct tamis_sparse_data data = data_of(u);
    size_t n = u->all.rows;
    double most = 0;
    for (size_t m = 0; m < data.net.m; m++) {
        memset(kernel, 0, n * sizeof *kernel);
        for (size_t j = 0; j < u->all.columns; j++)
            for (size_t i = 0; u->w[j] > 0 && i < n; i++) kernel[i] += u->w[j] * pow(u->all.x[i + n * j] - data.net.c[m + data.net.ldc * j], 2);
        tamis_exp_scale(n, kernel, 1, kernel);
        gain[m] = fabs(tamis_dot(n, kernel, e));
        most = fmax(most, gain[m]);
    }
    return most;
}

/* Puts row `row` in the place of the unused candidate that gains least; 0 when all are used. */
static int candidate_replace(struct run *u, size_t row, double *gain)
{
    size_t m = u->s.centres, least = m, n = u->all.rows;
    for (size_t k = 0; k < m; k++)
        if (u->alpha[k + 1] == 0 && (least == m || gain[k] < gain[least])) least = k;
    if (least == m || !(gain[least] < INFINITY)) return 0;
    for (size_t j = 0; j < u->all.columns; j++) u->centre[least + m * j] = u->all.x[row + n * j];
    gain[least] = INFINITY;
    return 1;
}

/* One round: rows that violate the optimality over all rows come in, and the fit goes on. *worst: by how much of the multiplier. */
static int candidates_round(struct run *u, double *e, double *gain, struct candidates *c, double *worst, size_t *came)
{
    struct tamis_sparse_data data = data_of(u);
    size_t n = u->all.rows, blocks = (n + BLOCK - 1) / BLOCK;
    tamis_sparse_apply(u->all.x, n, n, &data.net, u->w, u->alpha, c->work, e);
    for (size_t i = 0; i < n; i++) e[i] = u->y[i] - e[i];
    double bound = candidate_gains(u, e, c->work, gain);
    int status = tamis_parallel(u->cx, blocks, candidates_body, c);
    *worst = 0;
    *came = 0;
    for (size_t b = 0; !status && b < blocks; b++) {
        *worst = fmax(*worst, c->most[b] / bound - 1);
        if (c->most[b] > 1.001 * bound) *came += (size_t)candidate_replace(u, c->row[b], gain);
    }
    if (!status && *came) status = tamis_sparse_solve(u->fit, &data, u->r, u->t, exact, 1, 0, u->w, u->alpha, &u->answer);
    return status;
}

static int candidates_improve(struct run *u)
{
    size_t n = u->all.rows, blocks = (n + BLOCK - 1) / BLOCK, came = 1, round = 0;
    double *e = tamis_raw(u->cx, double, n), *gain = tamis_raw(u->cx, double, centre_count(u)), worst = 0;
    struct candidates c = {u, e, tamis_raw(u->cx, double, n * (size_t)tamis_threads(u->cx)), tamis_raw(u->cx, double, blocks), tamis_raw(u->cx, size_t, blocks)};
    for (c.e = e; !tamis_status(u->cx) && came && round < ROUNDS; round++)
        if (candidates_round(u, e, gain, &c, &worst, &came)) break;
    if (!tamis_status(u->cx))
        tamis_note(u->cx, "%zu candidate basis functions instead of one on each of %zu rows, put right in %zu rounds; the best row left out would exceed the optimum's bound by %.2g %%", u->s.centres, n, round, 100 * fmax(0, worst));
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

/* Columns that are the same share a weight: the first takes it. */
static void merge_equal(struct run *u)
{
    for (size_t a = 0; a < u->all.columns; a++)
        for (size_t b = a + 1; u->w[a] > 0 && b < u->all.columns; b++)
            if (u->w[b] > 0 && same_column(&u->all, a, b)) u->w[a] += u->w[b], u->w[b] = 0;
}

static size_t drop_small(struct run *u)
{
    double most = 0;
    size_t gone = 0;
    for (size_t i = 0; i < u->all.columns; i++) most = fmax(most, u->w[i]);
    for (size_t i = 0; i < u->all.columns; i++)
        if (u->w[i] > 0 && u->w[i] < u->s.keep * most) u->w[i] = 0, gone++;
    return gone;
}

/* The columns of x (n rows) that have a weight, beside each other. */
static size_t columns_gather(const struct run *u, const double *x, size_t n, double *to)
{
    size_t k = 0;
    for (size_t i = 0; i < u->all.columns; i++)
        if (u->w[i] > 0) memcpy(to + n * k++, x + n * i, n * sizeof *to);
    return k;
}

/* The fit again on the columns that have a weight. */
static int refit(struct run *u)
{
    size_t n = u->all.rows, m = centre_count(u), d = u->all.columns, k;
    double *x = tamis_raw(u->cx, double, n * d), *c = u->centre ? tamis_raw(u->cx, double, m * d) : x, *w = tamis_raw(u->cx, double, d);
    if (!tamis_status(u->cx)) {
        k = columns_gather(u, u->all.x, n, x);
        if (u->centre) columns_gather(u, u->centre, m, c);
        columns_gather(u, u->w, 1, w);
        struct tamis_sparse_data data = {{n, n, m, m, k, x, c}, u->y};
        tamis_sparse_solve(u->fit, &data, u->r, u->t, exact, 1, 0, w, u->alpha, &u->answer);
        for (size_t i = k = 0; i < d; i++)
            if (u->w[i] > 0) u->w[i] = w[k++];
    }
    tamis_free(x);
    if (u->centre) tamis_free(c);
    tamis_free(w);
    return tamis_status(u->cx);
}

static int small_out(struct run *u)
{
    int status = TAMIS_OK;
    while (!status && drop_small(u)) status = refit(u);
    return status;
}

/* ---- inputs that do not help ---- */

/* Errors of the folds at (r, t) with the columns that have a weight. */
static int validate_set(struct run *u, struct tamis_sparse_surface *s)
{
    struct tamis_sparse_task k = u->part;
    size_t d = k.columns;
    double *x = tamis_raw(u->cx, double, k.rows * d), *c = tamis_raw(u->cx, double, k.centres * d), *small = tamis_raw(u->cx, double, 2 * d);
    *s = (struct tamis_sparse_surface){.r = {u->r, u->r, 1}, .t = {u->t, u->t, 1}, .folds = u->surface.folds};
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

static void input_weight(struct run *u, size_t input, double *keep, int restore)
{
    const struct tamis_feature *f = &u->job->design->encoder->input[input];
    for (size_t j = f->first; j < f->first + f->columns; j++) {
        if (restore) u->w[j] = keep[j];
        else keep[j] = u->w[j], u->w[j] = 0;
    }
}

static int has_weight(const struct run *u, size_t input)
{
    const struct tamis_feature *f = &u->job->design->encoder->input[input];
    double sum = 0;
    for (size_t j = f->first; j < f->first + f->columns; j++) sum += u->w[j];
    return sum > 0;
}

/* The input without which E, with the best coefficients, is smallest; inputs: none. */
static int least_input(struct run *u, size_t *least, size_t *left)
{
    struct tamis_sparse_data data = data_of(u);
    size_t n = u->job->design->inputs, p = data.net.m + 1;
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

/* Is the second no worse than the first, by their folds? */
static int no_worse(const struct tamis_sparse_surface *with, const struct tamis_sparse_surface *without)
{
    double sum = 0, squares = 0, folds = (double)with->folds;
    for (size_t f = 0; f < with->folds; f++) {
        double rise = without->fold_error[f] - with->fold_error[f];
        sum += rise;
        squares += rise * rise;
    }
    sum /= folds;
    return sum <= sqrt(fmax(0, squares / folds - sum * sum) / (folds - 1));
}

/* One input out, or none (*done). */
static int prune_one(struct run *u, struct tamis_sparse_surface *now, int *done)
{
    size_t least, left;
    struct tamis_sparse_surface next = {0};
    int status = least_input(u, &least, &left);
    *done = status || left < 2;
    if (*done) return status;
    input_weight(u, least, u->best_w, 0);
    status = validate_set(u, &next);
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

static int prune_wanted(const struct run *u)
{
    size_t inputs = 0;
    for (size_t i = 0; i < u->job->design->inputs; i++) inputs += (size_t)has_weight(u, i);
    return u->s.prune && u->surface.error && inputs > 1 && inputs <= PRUNE_MOST;
}

static int prune(struct run *u)
{
    struct tamis_sparse_surface now = {0};
    int done = 0, status = validate_set(u, &now);
    if (!status) u->error = now.error[0];
    while (!status && !done) status = prune_one(u, &now, &done);
    tamis_sparse_surface_free(&now);
    return status;
}

/* ---- the answer ---- */

static void input_weights(const struct run *u, double *weight)
{
    const struct tamis_encoder *e = u->job->design->encoder;
    for (size_t i = 0; i < e->inputs; i++) {
        weight[i] = 0;
        for (size_t j = 0; j < e->input[i].columns; j++) weight[i] += u->w[e->input[i].first + j];
    }
}

/* The network of the chosen inputs and the basis functions that are not zero. */
static struct tamis_model *model_make(struct run *u, const double *w, const double *alpha, const unsigned char *set)
{
    const struct tamis_design *d = u->job->design;
    struct tamis_sparse_data data = data_of(u);
    struct tamis_encoder *e = tamis_encoder_subset(u->cx, d->encoder, set);
    size_t m = 0, k = 0;
    for (size_t j = 1; j <= data.net.m; j++) m += alpha[j] != 0;
    struct tamis_sparse_rbf *net = e ? tamis_sparse_rbf_new(u->cx, m, e->columns, u->all.classes ? 2 : 1) : NULL;
    if (!net) {
        tamis_encoder_free(e);
        return NULL;
    }
    net->r = u->r;
    net->t = u->t;
    net->mean = u->all.mean;
    net->scale = u->all.scale;
    net->alpha[0] = alpha[0];
    for (size_t i = 0; i < d->inputs; i++)
        for (size_t j = 0; set[i] && j < d->encoder->input[i].columns; j++, k++) {
            size_t from = d->encoder->input[i].first + j, at = 0;
            net->weight[k] = w[from];
            for (size_t c = 0; c < data.net.m; c++)
                if (alpha[c + 1] != 0) net->centre[at++ + m * k] = data.net.c[c + data.net.ldc * from];
        }
    for (size_t c = 0, at = 1; c < data.net.m; c++)
        if (alpha[c + 1] != 0) net->alpha[at++] = alpha[c + 1];
    return tamis_model_new(u->cx, &tamis_sparse_rbf_kind, e, net);
}

/* The network with equal weights at its own best (r, t), for comparison. */
static int all_inputs(struct run *u)
{
    struct tamis_job *job = u->job;
    const struct tamis_sparse_surface *s = &u->surface;
    size_t useful = 0;
    double error;
    if (!s->equal || isnan(s->equal[s->best_equal])) return TAMIS_OK;
    job->outcome->open.all_inputs = s->equal[s->best_equal];
    if (!job->test) return TAMIS_OK;
    unsigned char *set = tamis_raw(u->cx, unsigned char, job->design->inputs);
    if (!set) return tamis_status(u->cx);
    memset(set, 1, job->design->inputs);
    struct tamis_sparse_data data = data_of(u);
    for (size_t i = 0; i < u->all.columns; i++) useful += u->screen[i] > 0;
    for (size_t i = 0; i < u->all.columns; i++) u->best_w[i] = u->screen[i] > 0 ? tamis_grid_at(&s->t, s->best_equal / s->r.count) / (double)useful : 0;
    int status = tamis_sparse_probe(u->fit, &data, tamis_grid_at(&s->r, s->best_equal % s->r.count), u->best_w, u->best_alpha, 0, &error);
    struct tamis_model *m = status ? NULL : model_make(u, u->best_w, u->best_alpha, set);
    if (m) tamis_model_error(u->cx, m, job->test, &job->outcome->open.test_all_inputs);
    tamis_model_free(m);
    tamis_free(set);
    return tamis_status(u->cx);
}

static void add_list(struct tamis_text *t, const char *name, const double *v, size_t n)
{
    tamis_text_printf(t, "\"%s\": [", name);
    for (size_t i = 0; i < n; i++) {
        if (i) tamis_text_puts(t, ", ");
        tamis_text_number(t, v[i]);
    }
    tamis_text_puts(t, "]");
}

static void add_surface(struct tamis_text *t, const char *name, const double *v, size_t r, size_t count)
{
    tamis_text_printf(t, ",\n      \"%s\": [", name);
    for (size_t b = 0; b < count; b++) {
        tamis_text_puts(t, b ? ",\n        [" : "\n        [");
        for (size_t a = 0; a < r; a++) {
            if (a) tamis_text_puts(t, ", ");
            tamis_text_number(t, v[a + r * b]);
        }
        tamis_text_puts(t, "]");
    }
    tamis_text_puts(t, "]");
}

static void add_grid(struct tamis_text *t, const char *name, const struct tamis_grid *g)
{
    tamis_text_printf(t, "\"%s\": [", name);
    for (size_t i = 0; i < g->count; i++) {
        if (i) tamis_text_puts(t, ", ");
        tamis_text_number(t, tamis_grid_at(g, i));
    }
    tamis_text_puts(t, "]");
}

static void block_write(struct run *u, const double *weight)
{
    struct tamis_text *t = &u->job->outcome->block;
    const struct tamis_sparse_surface *s = &u->surface;
    struct { const char *name; double value; } one[] = {{"r", u->r}, {"t", u->t}, {"training_error", u->answer.error}, {"basis_functions", (double)u->answer.functions}, {"gap", u->answer.gap}};
    tamis_text_printf(t, "{\"solver\": \"%s\"", u->s.solver);
    for (size_t i = 0; i < sizeof one / sizeof *one; i++) {
        tamis_text_printf(t, ", \"%s\": ", one[i].name);
        tamis_text_number(t, one[i].value);
    }
    tamis_text_puts(t, ",\n    ");
    add_list(t, "weights", weight, u->job->design->inputs);
    tamis_text_puts(t, ",\n    \"surface\": ");
    if (!s->error) tamis_text_puts(t, "null");
    else {
        tamis_text_printf(t, "{\"folds\": %zu, ", s->folds);
        add_grid(t, "r", &s->r);
        tamis_text_puts(t, ", ");
        add_grid(t, "t", &s->t);
        add_surface(t, "error", s->error, s->r.count, s->t.count);
        add_surface(t, "inputs", s->inputs, s->r.count, s->t.count);
        add_surface(t, "basis_functions", s->functions, s->r.count, s->t.count);
        tamis_text_puts(t, "}");
    }
    tamis_text_puts(t, "}");
    u->job->outcome->block_name = "sparse-rbf";
}

/* Inputs that were left out stand by the folds' weights at the best point. */
static void order_fill(const struct run *u, double *order)
{
    const struct tamis_encoder *e = u->job->design->encoder;
    const struct tamis_sparse_surface *s = &u->surface;
    size_t d = u->all.columns, cells = s->r.count * s->t.count;
    for (size_t i = 0; i < e->inputs; i++) {
        double sum = 0;
        for (size_t f = 0; s->weights && f < s->folds; f++)
            for (size_t j = 0; j < e->input[i].columns; j++) sum += (double)s->weights[(f * cells + s->best) * d + e->input[i].first + j];
        order[i] = sum > 0 ? sum : NAN;
    }
}

static int fill(struct run *u, unsigned char *set, double *weight, double *order)
{
    struct tamis_job *job = u->job;
    struct tamis_outcome *o = job->outcome;
    const struct tamis_sparse_surface *s = &u->surface;
    double total = 0;
    input_weights(u, weight);
    for (size_t i = 0; i < job->design->inputs; i++) set[i] = weight[i] > 0, total += weight[i];
    block_write(u, weight);
    for (size_t i = 0; total > 0 && i < job->design->inputs; i++) weight[i] /= total;
    order_fill(u, order);
    o->criterion = tamis_strdup(u->cx, "sparse-rbf");
    o->error_name = tamis_strdup(u->cx, s->error ? "cv" : "training");
    o->open.criterion = o->criterion;
    o->open.error_name = o->error_name;
    o->open.error = s->error ? u->error : u->answer.error;
    o->open.model = o->model = model_make(u, u->w, u->alpha, set);
    int status = tamis_status(u->cx);
    if (!status) status = tamis_outcome_rank(u->cx, o, set, weight, order);
    if (!status) status = all_inputs(u);
    if (!status && !s->error && u->all.classes) status = tamis_model_error(u->cx, o->model, job->design, &o->open.error);
    if (!status && job->test) status = tamis_model_error(u->cx, o->model, job->test, &o->open.test);
    return status;
}

static int outcome_fill(struct run *u)
{
    size_t n = u->job->design->inputs;
    unsigned char *set = tamis_raw(u->cx, unsigned char, n);
    double *weight = tamis_raw(u->cx, double, n), *order = tamis_raw(u->cx, double, n);
    if (set && weight && order) fill(u, set, weight, order);
    tamis_free(set);
    tamis_free(weight);
    tamis_free(order);
    return tamis_status(u->cx);
}

/* Nothing predicts better than the mean: the network of no inputs. */
static int nothing_helps(struct run *u)
{
    const struct tamis_sparse_surface *s = &u->surface;
    if (!s->error || s->error[s->best] < s->plain) return 0;
    tamis_note(u->cx, "no network does better than predicting %s in cross-validation: no input is chosen", u->all.classes ? "the commoner class" : "the mean");
    memset(u->w, 0, u->all.columns * sizeof *u->w);
    memset(u->alpha, 0, (centre_count(u) + 1) * sizeof *u->alpha);
    u->answer = (struct tamis_sparse_answer){.gap = NAN};
    for (size_t i = 0; i < u->all.rows; i++) u->answer.error += u->y[i] * u->y[i] / (double)u->all.rows;
    return 1;
}

static int work_new(struct run *u)
{
    size_t d = u->all.columns, p = centre_count(u) + 1;
    u->w = tamis_new(u->cx, double, d);
    u->best_w = tamis_new(u->cx, double, d);
    u->alpha = tamis_new(u->cx, double, p);
    u->best_alpha = tamis_new(u->cx, double, p);
    u->fit = tamis_sparse_fit_new(u->cx, u->all.solver, u->all.rows, p - 1, d);
    return tamis_status(u->cx);
}

static void run_free(struct run *u)
{
    void *all[] = {u->y, u->screen, u->centre, u->part_x, u->part_y, u->w, u->best_w, u->alpha, u->best_alpha};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) tamis_free(all[i]);
    tamis_sparse_surface_free(&u->surface);
    tamis_sparse_fit_free(u->fit);
}

static int final_fit(struct run *u)
{
    int projection = u->all.solver == TAMIS_SPARSE_PROJECTION, status = fit_all(u);
    if (!status && projection && u->s.centres) status = candidates_improve(u);
    for (size_t i = 0; i < u->all.columns; i++)
        if (!(u->screen[i] > 0)) u->w[i] = 0;                   /* constant */
    if (!status) merge_equal(u);
    if (!status && projection) status = prune_wanted(u) ? prune(u) : small_out(u);
    return status;
}

static int run(struct tamis_job *job)
{
    struct run u = {.job = job, .cx = job->cx};
    int status = settings_read(job, &u.s);
    if (!status) status = target_make(&u);
    if (!status) status = screen_make(&u);
    if (!status) status = centres_make(&u);
    if (!status) status = part_make(&u);
    if (!status && u.part.rows < u.all.rows) tamis_note(u.cx, "r and t were chosen on %zu of %zu rows, drawn at random", u.part.rows, u.all.rows);
    if (!status) status = bounds_choose(&u);
    if (!status) status = work_new(&u);
    if (!status && !nothing_helps(&u)) status = final_fit(&u);
    if (!status) status = outcome_fill(&u);
    run_free(&u);
    return status;
}

const struct tamis_method tamis_sparse_rbf_method = {
    "sparse-rbf", "both", "RBF network with bounds on the sums of input weights and coefficients: inputs and basis functions chosen at once",
    "J. Tikka, Neurocomputing 2009", rows, plan, cost, run};
