/* sparse-rbf: inputs and basis functions of a Gaussian network chosen at once, by bounds on their sums.
 *
 *     minimise 1/N sum_n (y_n - f(x_n))^2   such that  sum_m |alpha_m| <= r,  sum_i w_i <= t,  w >= 0      [1] eq. (12)
 *
 * (r, t) by cross-validation over a grid. Two classes: y is +-1, errors are counted by sign. Weights of rows: sums over
 * rows are weighted, and N is the sum of the weights; a row has one candidate basis function whatever it weighs, as two
 * equal ones make no other network than one.
 *
 * [1] J. Tikka, Simultaneous input variable and basis function selection for RBF networks, Neurocomputing 72 (2009).
 * DIFFERS [1] section 4: the default solver projects alpha out (method/sparse_rbf/sparse_projection.c); the paper's are
 * direct and alternating.
 * DIFFERS [1] section 5: without cross-validation, weights below --drop-below of the largest go, and the network is
 * fitted again without them; the paper counts weights that are clearly not zero.
 * DIFFERS [1]: at the chosen (r, t), inputs are removed one by one, the one that raises E least first, while the
 * validation error of the networks fitted without it does not grow by more than its standard error (--no-prune: not),
 * and the bounds are chosen again near those. Weights do not tell useful inputs from useless ones: an input
 * that y depends on linearly needs no more weight than one that is noise.
 * DIFFERS [1] section 5.2: unless they are given, the ranges of r and t come from coarse grids on fewer folds.
 * DIFFERS [1] with many rows: candidate centres on some rows, exchanged where another row would do better. */
#include <math.h>
#include <stddef.h>
#include <string.h>
#include "base/rng.h"
#include "method/methods.h"
#include "method/sparse_rbf/sparse_run.h"
#include "num/weighted.h"

enum {
    DENSE_ROWS = 1500, CENTRES = 400,           /* with more rows, this many candidate centres */
    GRID_ROWS = 1000,                           /* rows that choose (r, t), at most */
    WIDE = 300, AUTO_COUNT = 10, AUTO_WIDE = 5,   /* values of r and of t; for large tables fewer */
    AGAIN = 5, AUTO_REFINED = 4,                /* values in the second coarse grid, and in the grid that follows it */
    PILOT_R = 7, PILOT_T = 8, PILOT_FOLDS = 3,
    FORESEEN_CELLS = 100000, FEW = 4,           /* of a table that estimates run a part of; values of r and t there */
};

static const double finer = 0.6;                /* work at a point of the fine grid, by that at one of FEW x FEW */
static const double pruning = 20;               /* the pruning that follows a grid, in points of the grid */

#define AT(field) offsetof(struct tamis_sparse_settings, field)
static const struct tamis_option rows[] = {
    {.name = "r", .type = TAMIS_GRID, .offset = AT(r), .standard = "auto", .least = 1e-9, .largest = 1e9,
     .choices = "auto",
     .help = "bounds tried on the sum of the coefficients' magnitudes; auto: values around the best of coarse grids; "
             "one value here and in --t: no cross-validation"},
    {.name = "t", .type = TAMIS_GRID, .offset = AT(t), .standard = "auto", .least = 1e-9, .largest = 1e9,
     .choices = "auto", .help = "bounds tried on the sum of the inputs' weights"},
    {.name = "grid-size", .type = TAMIS_COUNT, .offset = AT(grid_size), .standard = "auto", .least = 2, .largest = 1000,
     .choices = "auto", .argument = "K|auto",
     .help = "values of r and of t around the best of one coarse grid; auto: 4, around the best of two, or, if r or t is "
             "given, 10 values of the other, 5 for large tables"},
    {.name = "solver", .type = TAMIS_CHOICE, .offset = AT(solver), .standard = "projection",
     .choices = "projection|direct|alternating",
     .help = "projection: exact zeros, fast; direct and alternating: the paper's algorithms 1 and 2"},
    {.name = "folds", .type = TAMIS_COUNT, .offset = AT(folds), .standard = "10", .least = 2, .largest = 1e9,
     .help = "folds of the cross-validation"},
    {.name = "centers", .type = TAMIS_COUNT, .offset = AT(centres), .standard = "auto", .least = 2, .largest = 100000,
     .choices = "auto", .argument = "M|auto",
     .help = "candidate basis functions; auto: one on every row up to 1500 rows, beyond that 400"},
    {.name = "drop-below", .type = TAMIS_REAL, .offset = AT(drop_below), .standard = "0.01", .least = 0, .largest = 0.9,
     .help = "without pruning, drop inputs below this share of the largest weight and fit again; 0: exact zeros only"},
    {.name = "prune", .type = TAMIS_FLAG, .offset = AT(prune), .standard = "yes",
     .help = "drop inputs one by one while the cross-validated error grows by no more than its standard error"},
    {0}};

/* ---- settings ---- */

static enum tamis_sparse_solver solver_of(const struct tamis_sparse_settings *s)
{
    return !strcmp(s->solver, "direct")        ? TAMIS_SPARSE_DIRECT
           : !strcmp(s->solver, "alternating") ? TAMIS_SPARSE_ALTERNATING
                                               : TAMIS_SPARSE_PROJECTION;
}

static int settings_read(struct tamis_run *run, struct tamis_sparse_settings *s)
{
    const struct tamis_design *d = run->design;
    memset(s, 0, sizeof *s);
    int status = tamis_options_read(run->cx, run->options, rows, s);
    if (status) return status;
    if (s->centres == SIZE_MAX && d->rows > DENSE_ROWS) s->centres = CENTRES;
    s->folds = tamis_design_fold_count(run->cx, d, s->folds);
    if (s->folds > d->rows) s->folds = d->rows;
    if (s->centres >= d->rows) s->centres = 0;                  /* one on every row */
    return TAMIS_OK;
}

static int grid_needed(const struct tamis_sparse_settings *s) { return s->r.count != 1 || s->t.count != 1; }

static void task_set(const struct tamis_sparse_run *u, struct tamis_sparse_task *k, size_t n, const double *x,
                     const double *y, const double *weight)
{
    *k = (struct tamis_sparse_task){.cx = u->cx,
                                    .design = u->run->design,
                                    .solver = solver_of(&u->s),
                                    .rows = n,
                                    .columns = u->run->design->columns,
                                    .x = x,
                                    .y = y,
                                    .weight = weight,
                                    .centres = u->s.centres,
                                    .centre = u->centre,
                                    .screen = u->screen,
                                    .classes = u->all.classes,
                                    .mean = u->all.mean,
                                    .scale = u->all.scale,
                                    .seed = u->run->seed};
}

/* Neither r nor t is given, nor how many values to try: two coarse grids narrow the ranges instead of one. */
static int refined(const struct tamis_sparse_settings *s)
{
    return s->grid_size == SIZE_MAX && !s->r.count && !s->t.count;
}

static size_t auto_count(const struct tamis_sparse_settings *s, const struct tamis_design *d)
{
    if (s->grid_size != SIZE_MAX) return s->grid_size;
    if (refined(s)) return AUTO_REFINED;
    return d->columns > WIDE || d->rows > DENSE_ROWS ? AUTO_WIDE : AUTO_COUNT;
}

static int cost(struct tamis_run *run, struct tamis_cost *c)
{
    struct tamis_sparse_run u = {.run = run, .cx = run->cx};
    int status = settings_read(run, &u.s);
    if (status) return status;
    const struct tamis_design *d = run->design;
    size_t part = u.s.centres && d->rows > GRID_ROWS ? GRID_ROWS : d->rows, m = u.s.centres ? u.s.centres : d->rows;
    size_t count = auto_count(&u.s, d);
    size_t cells = (u.s.r.count ? u.s.r.count : count) * (u.s.t.count ? u.s.t.count : count);
    size_t most = u.s.r.count && u.s.t.count ? cells : cells > PILOT_R * PILOT_T ? cells : PILOT_R * PILOT_T;
    double n = (double)part, pool = u.s.centres ? (double)m : n,
           fits = grid_needed(&u.s) ? (double)(cells * u.s.folds) : 0, k = fmin(pool, 40), all = (double)d->columns;
    task_set(&u, &u.part, part, NULL, NULL, NULL);
    c->bytes = tamis_sparse_bytes(u.part.solver, d->rows, m, d->columns) +
               (grid_needed(&u.s) ? tamis_sparse_grid_bytes(&u.part, most, u.s.folds, tamis_threads(run->cx)) : 0) +
               8 * ((double)d->rows * (2 + (u.s.centres ? (double)m + all + 2 + (double)tamis_threads(run->cx) : 0)) +
                    (double)m * all + n * all);
    if (run->checkpoint) c->bytes += 8 * 4 * (double)(most * u.s.folds) * (5 + all);      /* the journal, the file */
    double evaluation = n * pool * 40 + 8 * n * k * k + 2 * n * k * all, last = (double)d->rows * (double)m * 60;
    if (u.part.solver != TAMIS_SPARSE_PROJECTION)
        evaluation = 60 * (n * (pool + all) * (pool + all) + pool * pool * pool / 3), last = evaluation * 10;
    c->flops = 12 * fits * evaluation + 100 * last;
    return TAMIS_OK;
}

/* ---- target, screen, centres, rows ---- */

/* +-1, standardised, for two classes. */
static int target_make(struct tamis_sparse_run *u)
{
    const struct tamis_design *d = u->run->design;
    double mean = 0, all = tamis_weight_sum(d->weight, d->rows);
    u->y = tamis_raw(u->cx, double, d->rows);
    if (!u->y) return tamis_status(u->cx);
    memcpy(u->y, d->y, d->rows * sizeof *u->y);
    u->all.classes = d->encoder->classes > 0;
    u->all.scale = 1;
    if (!u->all.classes) return TAMIS_OK;
    for (size_t i = 0; i < d->rows; i++) mean += tamis_row_weight(d, i) * (2 * d->y[i] - 1) / all;
    u->all.mean = mean;
    u->all.scale = sqrt(1 - mean * mean);
    for (size_t i = 0; i < d->rows; i++) u->y[i] = (2 * d->y[i] - 1 - mean) / u->all.scale;
    return TAMIS_OK;
}

/* What the fits of all rows need of the weights. */
static int roots_make(struct tamis_sparse_run *u)
{
    const struct tamis_design *d = u->run->design;
    if (!d->weight) return TAMIS_OK;
    u->root = tamis_raw(u->cx, double, d->rows);
    u->root_y = tamis_raw(u->cx, double, d->rows);
    if (tamis_status(u->cx)) return tamis_status(u->cx);
    tamis_wnet_roots(d->rows, d->weight, u->root);
    for (size_t i = 0; i < d->rows; i++) u->root_y[i] = u->root[i] * u->y[i];
    return TAMIS_OK;
}

static int screen_make(struct tamis_sparse_run *u)
{
    const struct tamis_design *d = u->run->design;
    u->screen = tamis_raw(u->cx, double, d->columns);
    if (u->screen) tamis_sparse_screen(d->x, d->rows, d->columns, u->y, d->weight, u->screen);
    return tamis_status(u->cx);
}

/* Candidate centres: rows that represent the others if all inputs count the same. */
static int centres_make(struct tamis_sparse_run *u)
{
    const struct tamis_design *d = u->run->design;
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

/* The rows that choose (r, t): all, or a random sample. */
static int part_make(struct tamis_sparse_run *u)
{
    const struct tamis_design *d = u->run->design;
    size_t n = d->rows, m = GRID_ROWS;
    task_set(u, &u->all, n, d->x, u->y, d->weight);
    u->part = u->all;
    if (!u->s.centres || n <= GRID_ROWS || !grid_needed(&u->s)) return TAMIS_OK;
    size_t *row = tamis_raw(u->cx, size_t, n);
    struct tamis_rng rng;
    u->part_x = tamis_raw(u->cx, double, m * d->columns);
    u->part_y = tamis_raw(u->cx, double, m);
    u->part_weight = d->weight ? tamis_raw(u->cx, double, m) : NULL;
    if (!tamis_status(u->cx)) {
        for (size_t i = 0; i < n; i++) row[i] = i;
        tamis_rng_init(&rng, u->run->seed, TAMIS_RNG_SPARSE, 1);
        tamis_rng_shuffle(&rng, row, n);
        for (size_t j = 0; j < d->columns; j++)
            for (size_t i = 0; i < m; i++) u->part_x[i + m * j] = d->x[row[i] + n * j];
        for (size_t i = 0; i < m; i++) u->part_y[i] = u->y[row[i]];
        for (size_t i = 0; d->weight && i < m; i++) u->part_weight[i] = d->weight[row[i]];
        task_set(u, &u->part, m, u->part_x, u->part_y, u->part_weight);
    }
    tamis_free(row);
    return tamis_status(u->cx);
}

/* ---- the bounds ---- */

/* Units in which t and r are of order one: the inverse of the inputs' variance, and the target's deviation. */
static void units(const struct tamis_sparse_run *u, double *weight, double *coefficient)
{
    const struct tamis_sparse_task *k = &u->all;
    double sum = 0, count = 0, vy = 0, my = 0, all = tamis_weight_sum(k->weight, k->rows);
    for (size_t j = 0; j < k->columns; j++) {
        double mean = 0, v = 0;
        if (!(k->screen[j] > 0)) continue;
        for (size_t i = 0; i < k->rows; i++) mean += tamis_weight_at(k->weight, i) * k->x[i + k->rows * j] / all;
        for (size_t i = 0; i < k->rows; i++)
            v += tamis_weight_at(k->weight, i) * pow(k->x[i + k->rows * j] - mean, 2) / all;
        sum += log(v);
        count++;
    }
    for (size_t i = 0; i < k->rows; i++) my += tamis_weight_at(k->weight, i) * k->y[i] / all;
    for (size_t i = 0; i < k->rows; i++) vy += tamis_weight_at(k->weight, i) * pow(k->y[i] - my, 2) / all;
    *weight = exp(-sum / count);
    *coefficient = sqrt(vy);
}

/* Around the best of a coarse grid, one of its steps either way. */
static struct tamis_grid zoom(const struct tamis_grid *coarse, size_t at, size_t count)
{
    double step = pow(coarse->to / coarse->from, 1 / (double)(coarse->count - 1)), middle = tamis_grid_at(coarse, at);
    return (struct tamis_grid){middle / step, middle * step, count};
}

/* The ranges of r and t that are not given, of a few folds' errors on the surface's ranges. */
static int ranges_narrow(struct tamis_sparse_run *u, size_t count)
{
    struct tamis_sparse_surface *s = &u->surface,
                                pilot = {.r = s->r,
                                         .t = s->t,
                                         .folds = u->s.folds < PILOT_FOLDS ? u->s.folds : PILOT_FOLDS};
    struct tamis_sparse_task quick = u->part;
    quick.solver = TAMIS_SPARSE_PROJECTION;
    quick.pilot = 1;
    int status = tamis_sparse_validate(&quick, &pilot, "ranges of r and t");
    u->flops += pilot.flops;
    if (!status && !u->s.r.count) s->r = zoom(&pilot.r, pilot.best % pilot.r.count, count);
    if (!status && !u->s.t.count) s->t = zoom(&pilot.t, pilot.best / pilot.r.count, count);
    tamis_sparse_surface_free(&pilot);
    return status;
}

static int ranges_find(struct tamis_sparse_run *u)
{
    struct tamis_sparse_surface *s = &u->surface;
    double weight, coefficient;
    size_t count = auto_count(&u->s, u->run->design);
    s->r = u->s.r;
    s->t = u->s.t;
    s->folds = u->s.folds;
    if (s->r.count && s->t.count) return TAMIS_OK;
    units(u, &weight, &coefficient);
    if (!s->r.count) s->r = (struct tamis_grid){coefficient, 1000 * coefficient, PILOT_R};
    if (!s->t.count) s->t = (struct tamis_grid){0.001 * weight, 15 * weight, PILOT_T};
    int status = refined(&u->s) ? ranges_narrow(u, AGAIN) : TAMIS_OK;
    return status ? status : ranges_narrow(u, count);
}

static void notes_add(const struct tamis_sparse_run *u)
{
    const struct tamis_sparse_surface *s = &u->surface;
    size_t a = s->best % s->r.count, b = s->best / s->r.count;
    if (s->r.count > 1 && u->s.r.count && (a == 0 || a + 1 == s->r.count))
        tamis_note(u->cx, "the best r, %g, is the %s that was tried", u->r, a ? "largest" : "smallest");
    if (s->t.count > 1 && u->s.t.count && (b == 0 || b + 1 == s->t.count))
        tamis_note(u->cx, "the best t, %g, is the %s that was tried", u->t, b ? "largest" : "smallest");
    if (s->gain < 2 * s->gain_error)
        tamis_note(u->cx,
                   "the error, %g, is not clearly below that of predicting %s, %g; the inputs may be chosen by chance",
                   s->error[s->best], u->all.classes ? "the more frequent class" : "the mean", s->plain);
}

static int bounds_choose(struct tamis_sparse_run *u)
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
    notes_add(u);
    return TAMIS_OK;
}

/* ---- the run ---- */

/* Nothing predicts better than the mean: the network of no inputs. */
static int nothing_helps(struct tamis_sparse_run *u)
{
    const struct tamis_sparse_surface *s = &u->surface;
    if (!s->error || s->error[s->best] < s->plain) return 0;
    tamis_note(u->cx, "no network does better than predicting %s in cross-validation: no input is chosen",
               u->all.classes ? "the more frequent class" : "the mean");
    memset(u->w, 0, u->all.columns * sizeof *u->w);
    memset(u->alpha, 0, (tamis_sparse_centres(u) + 1) * sizeof *u->alpha);
    u->answer = (struct tamis_sparse_answer){.gap = NAN};
    double all = tamis_weight_sum(u->all.weight, u->all.rows);
    for (size_t i = 0; i < u->all.rows; i++)
        u->answer.error += tamis_weight_at(u->all.weight, i) * (u->y[i] * u->y[i]) / all;
    return 1;
}

static int work_new(struct tamis_sparse_run *u)
{
    size_t d = u->all.columns, p = tamis_sparse_centres(u) + 1;
    u->w = tamis_new(u->cx, double, d);
    u->best_w = tamis_new(u->cx, double, d);
    u->alpha = tamis_new(u->cx, double, p);
    u->best_alpha = tamis_new(u->cx, double, p);
    u->fit = tamis_sparse_fit_new(u->cx, u->all.solver, u->all.rows, p - 1, d);
    return tamis_status(u->cx);
}

static void run_free(struct tamis_sparse_run *u)
{
    void *all[] = {u->y, u->screen, u->centre, u->part_x,     u->part_y,      u->part_weight,
                   u->w, u->best_w, u->alpha,  u->best_alpha, u->root, u->root_y};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) tamis_free(all[i]);
    tamis_sparse_surface_free(&u->surface);
    tamis_sparse_fit_free(u->fit);
}

/* Everything that the choice of (r, t) needs. */
static int prepare(struct tamis_sparse_run *u)
{
    int status = target_make(u);
    if (!status) status = roots_make(u);
    if (!status) status = screen_make(u);
    if (!status) status = centres_make(u);
    return status ? status : part_make(u);
}

/* How hard the bounds are to meet depends on the data: the coarse grid is run, and one fold at some points of the fine
 * one, which lie farther apart and take longer than the others. */
static int foresee(struct tamis_run *run, struct tamis_cost *c)
{
    struct tamis_sparse_run u = {.run = run, .cx = run->cx};
    int status = settings_read(run, &u.s);
    if (status || solver_of(&u.s) != TAMIS_SPARSE_PROJECTION || !grid_needed(&u.s) ||
        run->design->rows * run->design->columns > FORESEEN_CELLS)
        return status;
    tamis_mute(run->cx, 1);
    status = prepare(&u);
    if (!status) status = ranges_find(&u);
    struct tamis_sparse_surface few = u.surface;
    double cells = (double)(few.r.count * few.t.count);
    if (few.r.count > FEW) few.r.count = FEW;
    if (few.t.count > FEW) few.t.count = FEW;
    if (!status) status = tamis_sparse_first_fold(&u.part, &few);
    tamis_mute(run->cx, 0);
    double tried = (double)(few.r.count * few.t.count),
           each = (double)few.folds * few.flops / tried * (cells > tried ? finer : 1);
    if (!status) c->flops = u.flops + each * (cells + (u.s.prune ? pruning : 0));
    tamis_sparse_surface_free(&few);
    run_free(&u);
    return status;
}

static int select_inputs(struct tamis_run *run)
{
    struct tamis_sparse_run u = {.run = run, .cx = run->cx, .error = NAN};
    int status = settings_read(run, &u.s);
    if (!status) status = tamis_journal_open(&u.journal, run->cx, run->checkpoint, run->fingerprint);
    if (!status) status = prepare(&u);
    u.part.journal = &u.journal;
    if (!status && u.part.rows < u.all.rows)
        tamis_note(u.cx, "r and t were chosen on %zu of %zu rows, drawn at random", u.part.rows, u.all.rows);
    if (!status && grid_needed(&u.s) && tamis_sparse_screened(&u.part))
        tamis_note(u.cx,
                   "r and t were validated with the 500 columns that explain most by themselves in each fold's "
                   "training rows; the final fit could choose from all %zu",
                   u.all.columns);
    if (!status) status = bounds_choose(&u);
    if (!status) status = work_new(&u);
    if (!status && !nothing_helps(&u)) status = tamis_sparse_final(&u);
    if (!status) status = tamis_sparse_result(&u);
    run_free(&u);
    return tamis_journal_close(&u.journal, status);
}

/* With one r and one t there is no grid. */
static int shared(struct tamis_run *run)
{
    struct tamis_sparse_settings s = {0};
    return !settings_read(run, &s) && grid_needed(&s);
}

static const struct tamis_again again[] = {{"r", NULL}, {"t", NULL}, {"folds", "2"}, {0}};

static const struct tamis_published published[] = {
    {"solver", "direct", "Algorithms 1 and 3; Algorithm 2 is --solver alternating"},
    {"grid-size", "20", "section 5.2: twenty values of each parameter; Table 1 has ranges for each table"},
    {"folds", "10", "section 5.2: 10-fold cross-validation"},
    {"centers", "100000", "section 4: a basis function on each training data point"},
    {"prune", "no", "section 4: only the bounds select"},
    {"drop-below", "0.01", "Table 3 counts weights that are clearly not zero"},
    {0}};

const struct tamis_method tamis_sparse_rbf_method = {
    .name = "sparse-rbf",
    .task = "both",
    .summary = "RBF network with bounds on the sums of input weights and coefficients: inputs and basis functions "
               "chosen at once",
    .relevance = "share of weights",
    .paper = "J. Tikka, Neurocomputing 2009",
    .options = rows,
    .cost = cost,
    .foresee = foresee,
    .weights = 1,
    .select = select_inputs,
    .shared = shared,
    .two_classes = 1,
    .checkpoint = 1,
    .again = again,
    .published = published,
    .in_regression = "sparse-rbf:folds=3:centers=100",
    .in_classification = "sparse-rbf:folds=3:centers=100",
};
