/* cv-lssvm, loo-lssvm, cv-rrkrr: the cross-validated error of a kernel machine, smallest over a grid of
 * (sigma2, gamma).
 *
 *     min 1/2 |z|^2 + gamma/2 sum_n (y_n - z.phi(x_n) - b)^2,   K(x, x') = exp(-|x - x'|^2 / sigma2)  [1] eqs. (4), (5)
 *
 * Classification: one machine per class, targets +1 and -1, the largest output wins; the error is the share of
 * misclassified rows, and parameters that misclassify equally many are ranked by their squared error. Several targets:
 * one machine per target, of the same width and gamma; the error is the mean of theirs.
 *
 * Reduced rank ([1] eqs. 6 to 8): phi is projected onto the span of the basis functions S that num/greedy.c chooses.
 * With the pivoted Cholesky factor K_NS K_SS^-1 K_SN = G G^T, G_S = L and theta = L^T beta, [1] eq. (7) is
 * min 1/2 |theta|^2 + gamma/2 |y - G theta - b|^2: an LS-SVM whose kernel is G G^T. The same reduction gives its exact
 * cross-validation, with S chosen once from all rows (their inputs only).
 *
 * Rows of weight w have w gamma/2 in place of gamma/2, and count w times in the errors.
 *
 * sigma2 auto: widths are relative to the mean squared distance between rows in the inputs of the set; their range, and
 * that of gamma, is centred on the best of a wide, coarse grid with all inputs.
 *
 * DIFFERS [1] section 3: when a search compares several sets after its first step, they are screened near the last
 * (sigma2, gamma), and the best of them are evaluated on the whole grid; with --exact, all of them are.
 *
 * [1] J. Tikka, Simultaneous input variable and basis function selection for RBF networks, Neurocomputing 72 (2009). */
#include <math.h>
#include <string.h>
#include "crit/lssvm_inside.h"
#include "num/loo.h"

#define AT(field) offsetof(struct settings, field)
#define GRIDS \
    {"sigma2", TAMIS_GRID, AT(sigma2), "auto", 1e-6, 1e15, "auto", NULL, \
     "widths to try; auto: 20 around the best of a coarse grid"}, \
    {"gamma", TAMIS_GRID, AT(gamma), "auto", 1e-9, 1e12, "auto", NULL, \
     "weights of the squared errors to try; auto: 20 around the best of a coarse grid"}
#define FOLDS \
    {"folds", TAMIS_COUNT, AT(folds), "10", 2, 1e9, NULL, "K", "folds of the cross-validation"}
#define EXACT \
    {"exact", TAMIS_FLAG, AT(exact), NULL, 0, 0, NULL, NULL, \
     "evaluate every candidate on the whole grid, instead of screening near the last sigma2 and gamma"}
static const struct tamis_option rows_cv[] = {GRIDS, FOLDS, EXACT, {0}};
static const struct tamis_option rows_loo[] = {GRIDS, EXACT, {0}};
static const struct tamis_option rows_rrkrr[] = {GRIDS, FOLDS, EXACT,
                                                 TAMIS_RRKRR_ROWS(AT(tolerance), AT(most), AT(candidates)), {0}};

static const struct variant cv = {.rows = rows_cv, .kind = &tamis_lssvm_kind};
static const struct variant loo = {.rows = rows_loo, .kind = &tamis_lssvm_kind, .loo = 1};
static const struct variant rrkrr = {.rows = rows_rrkrr, .kind = &tamis_rrkrr_kind, .reduced = 1};

int tamis_lssvm_settings(tamis_context *cx, const struct tamis_design *d, const tamis_options *o,
                         const struct variant *v, struct settings *s)
{
    memset(s, 0, sizeof *s);
    int status = tamis_options_read(cx, o, v->rows, s);
    if (v->loo || (s->folds > d->rows && !d->fewer_folds)) s->folds = d->rows;
    if (!v->reduced || s->candidates >= d->rows) s->candidates = SIZE_MAX;      /* all */
    return status;
}

size_t tamis_lssvm_slots(const tamis_context *cx, const struct tamis_design *d)
{
    return d->rows <= SMALL ? 2 * (size_t)tamis_threads(cx) + 2 : 1;
}

/* Rows, rows in a fold, machines, workers and grid points as doubles. */
struct extent { double n, m, outputs, workers, widths, gammas; };

static struct extent extent_of(const tamis_context *cx, const struct tamis_design *d, const struct settings *s)
{
    return (struct extent){.n = (double)d->rows,
                           .m = ceil((double)d->rows / (double)s->folds),
                           .outputs = (double)tamis_encoder_outputs(d->encoder),
                           .workers = (double)tamis_threads(cx),
                           .widths = s->sigma2.count ? (double)s->sigma2.count : GRID_POINTS,
                           .gammas = s->gamma.count ? (double)s->gamma.count : GRID_POINTS};
}

static int cost_candidates(tamis_context *cx, const struct tamis_design *d, const struct settings *s,
                           struct tamis_cost *c)
{
    struct extent e = extent_of(cx, d, s);
    double k = (double)s->candidates;
    c->bytes = 8 * (e.workers * tamis_reduced_rank_work(e.n, k, e.outputs, e.n) + 3 * e.n * (double)d->columns +
                    e.n * (e.outputs + e.workers + 8));
    c->flops = 2 * e.widths * (3 * e.n * k * k + (3 + (double)s->folds * e.gammas / 3) * k * k * k);
    return tamis_memory_check(cx, c->bytes, "rrkrr",
                              "try fewer --candidates or --threads, fewer rows, or more --memory");
}

/* Fitted to measured times. Most widths have kernels of low rank: half the work of a full one. */
static double widths_cost(const struct extent *e, const struct variant *v, double widths, double points)
{
    int many = e->outputs > TAMIS_MANY_OUTPUTS;
    double nn = e->n * e->n, point = 1.7 * (e->m + 3) + (many ? 2.6 : 6.4) * e->outputs;
    return 0.5 * nn * (widths * (v->reduced ? 10 : 4) * e->n + points * point);
}

/* Of each set, and of the wide grid once; for many outputs both are searched from coarse to fine. */
static void grid_cost(const struct extent *e, const struct settings *s, const struct variant *v, struct tamis_cost *c)
{
    int automatic = !s->sigma2.count || !s->gamma.count, descends = e->outputs > TAMIS_MANY_OUTPUTS && !s->exact;
    double near = 2 * NEAR_WIDTHS + 1.5, points = near * (2 * NEAR_GAMMAS + 1), first = 11, firsts = 41;
    if (!descends) near = e->widths, points = near * e->gammas, first = WIDE_WIDTHS, firsts = WIDE_WIDTHS * WIDE_GAMMAS;
    else if (!automatic) near = fmin(first, e->widths), points = fmin(firsts, near * e->gammas);
    c->flops = widths_cost(e, v, near, points);
    c->once = automatic ? widths_cost(e, v, first, firsts) : 0;
}

static int cost_dense(tamis_context *cx, const struct tamis_design *d, const struct settings *s,
                      const struct variant *v, struct tamis_cost *c)
{
    struct extent e = extent_of(cx, d, s);
    double nn = e.n * e.n, machine = (double)tamis_loo_size(d->rows) + 2 * e.n * e.m + e.m * e.m +
                                     13 * e.n * e.outputs + (v->reduced ? nn + 2 * e.n : 0);
    c->bytes = 8 * (nn * (1 + (double)tamis_lssvm_slots(cx, d)) + e.workers * machine + (v->reduced ? 2 * nn : 0) +
                    3 * e.n * (double)d->columns);
    grid_cost(&e, s, v, c);
    if (v->reduced)
        return tamis_memory_check(cx, c->bytes, "rrkrr with all rows as candidates",
                                  "try --candidates 1000, fewer rows, or more --memory");
    return tamis_memory_check(cx, c->bytes, "an LS-SVM, with a basis function on every row,",
                              "try --method rrkrr --candidates 1000, --method sisal --centers 500, fewer rows, or more "
                              "--memory");
}

static int cost_of(tamis_context *cx, const struct tamis_design *d, const tamis_options *o, const struct variant *v,
                   struct tamis_cost *c)
{
    struct settings s;
    int status = tamis_lssvm_settings(cx, d, o, v, &s);
    if (status) return status;
    return s.candidates != SIZE_MAX ? cost_candidates(cx, d, &s, c) : cost_dense(cx, d, &s, v, c);
}

static int start_cv(tamis_context *cx, const struct tamis_design *d, const tamis_options *o, uint64_t seed, void **self)
{
    return tamis_lssvm_start(cx, d, o, seed, &cv, self);
}
static int start_loo(tamis_context *cx, const struct tamis_design *d, const tamis_options *o, uint64_t seed,
                     void **self)
{
    return tamis_lssvm_start(cx, d, o, seed, &loo, self);
}
static int start_rrkrr(tamis_context *cx, const struct tamis_design *d, const tamis_options *o, uint64_t seed,
                       void **self)
{
    return tamis_lssvm_start(cx, d, o, seed, &rrkrr, self);
}
static int cost_cv(tamis_context *cx, const struct tamis_design *d, const tamis_options *o, struct tamis_cost *c)
{
    return cost_of(cx, d, o, &cv, c);
}
static int cost_loo(tamis_context *cx, const struct tamis_design *d, const tamis_options *o, struct tamis_cost *c)
{
    return cost_of(cx, d, o, &loo, c);
}
static int cost_rrkrr(tamis_context *cx, const struct tamis_design *d, const tamis_options *o, struct tamis_cost *c)
{
    return cost_of(cx, d, o, &rrkrr, c);
}

static const char *const parameters[] = {"sigma2", "gamma", NULL};
static const char *const parameters_reduced[] = {"sigma2", "gamma", "basis_functions", NULL};

const struct tamis_criterion tamis_cv_lssvm = {
    .name = "cv-lssvm",
    .error_name = "cv",
    .label = "cross-validated error",
    .relevance = "derivative",
    .task = "both",
    .summary = "exact K-fold error of an LS-SVM, smallest over a grid of width and gamma",
    .paper = "J. Tikka, Neurocomputing 72 (2009), eqs. 4 and 5",
    .options = rows_cv,
    .parameters = parameters,
    .start = start_cv,
    .finish = tamis_lssvm_finish,
    .cost = cost_cv,
    .evaluate = tamis_lssvm_evaluate,
    .fit = tamis_lssvm_fit,
    .weights = 1,
    .several_targets = 1,
};

const struct tamis_criterion tamis_loo_lssvm = {
    .name = "loo-lssvm",
    .error_name = "loo",
    .label = "leave-one-out error",
    .relevance = "derivative",
    .task = "both",
    .summary = "exact leave-one-out error of an LS-SVM, smallest over a grid of width and gamma",
    .paper = "J. Tikka, Neurocomputing 72 (2009), eqs. 4 and 5",
    .options = rows_loo,
    .parameters = parameters,
    .start = start_loo,
    .finish = tamis_lssvm_finish,
    .cost = cost_loo,
    .evaluate = tamis_lssvm_evaluate,
    .fit = tamis_lssvm_fit,
    .weights = 1,
    .several_targets = 1,
};

const struct tamis_criterion tamis_cv_rrkrr = {
    .name = "cv-rrkrr",
    .error_name = "cv",
    .label = "cross-validated error",
    .relevance = "derivative",
    .task = "both",
    .summary = "exact K-fold error of reduced rank kernel ridge regression, smallest over a grid of width and gamma",
    .paper = "J. Tikka, Neurocomputing 72 (2009), eqs. 6 to 8",
    .options = rows_rrkrr,
    .parameters = parameters_reduced,
    .start = start_rrkrr,
    .finish = tamis_lssvm_finish,
    .cost = cost_rrkrr,
    .evaluate = tamis_lssvm_evaluate,
    .fit = tamis_lssvm_fit,
    .weights = 1,
    .several_targets = 1,
};
