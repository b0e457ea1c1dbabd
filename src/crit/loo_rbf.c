/* loo-rbf: the leave-one-out error of a Gaussian RBF network, smallest over (sigma2, gamma).
 *
 *     y(x) = sum_m alpha_m exp(-|x - c_m|^2 / sigma2) + alpha_0,    alpha = argmin |y - K alpha|^2 + gamma |alpha|^2
 *     LOO(gamma) = 1/N sum_j ((P y)_j / P_jj)^2,    P = I - K (K^T K + gamma I)^-1 K^T        [1] eq. (3)
 *
 * A row of weight w is w equal rows and w equal basis functions (num/loo.c); left out, it goes with all of them.
 *
 * Several targets share basis functions, sigma2 and gamma; LOO is the mean of the targets' errors, and so is relevance.
 *
 * [1] J. Tikka, J. Hollmen, Selection of important input variables for RBF network using partial derivatives, ESANN
 * 2008.
 * DIFFERS [1] eq. (2): one gamma in eqs. (2) and (3), without the 1/N; the bias is penalised, as the sum from m = 0
 * says.
 * DIFFERS [1] section 2: gamma by a scan and Brent's method in the best bracket, because LOO(gamma) can have several
 * minima; the paper's golden section is --regularization-search golden.
 * DIFFERS [1] with --centers M: M centres from k-means on the standardised inputs of all columns, fixed for all
 * sets. */
#include <float.h>
#include <math.h>
#include <string.h>
#include "base/parallel.h"
#include "base/rng.h"
#include "crit/loo_rbf.h"
#include "crit/network.h"
#include "num/centers.h"
#include "num/gauss.h"
#include "num/kmeans.h"
#include "num/loo.h"
#include "num/minimise.h"
#include "num/weighted.h"

struct settings {
    struct tamis_grid sigma2;
    struct tamis_range gamma;
    const char *search;
    size_t centres;
    double median_weight, spread_weight;
    int fast;
};

#define AT(field) offsetof(struct settings, field)
static const struct tamis_option rows[] = {
    {"sigma2", TAMIS_GRID, AT(sigma2), "auto", 1e-6, 1e12, "auto", NULL,
     "widths of the basis functions to try; auto: 50 from 1 to the larger of 500 and 4 inputs^2"},
    {"regularization", TAMIS_RANGE, AT(gamma), "1e-14:1e3", 1e-14, 1e6, NULL, NULL,
     "range to search for the regularisation; its lower end decides how many inputs are kept from collinear spectra",
     .alias = "gamma"},
    {"regularization-search", TAMIS_CHOICE, AT(search), "scan", 0, 0, "scan|golden", NULL,
     "scan: a grid, then Brent's method, safe with several minima; golden: the paper's plain golden section",
     .alias = "gamma-search"},
    {"centers", TAMIS_COUNT, AT(centres), "all", 2, 100000, "all", "M|all",
     "basis functions: one on every row, or on M centres from k-means, for tables that are too large"},
    {"median-weight", TAMIS_REAL, AT(median_weight), "1", 0, 1e6, NULL, NULL,
     "weight of the median in the relevance (eq. 5)"},
    {"spread-weight", TAMIS_REAL, AT(spread_weight), "1", 0, 1e6, NULL, NULL,
     "weight of the spread in the relevance (eq. 5)"},
    {"fast", TAMIS_FLAG, AT(fast), NULL, 0, 0, NULL, NULL,
     "search sigma2 only near the last step's value: several times faster, finds the best of the grid in 82 to 98 % "
     "of steps"},
    {0}};

/* A set being evaluated: its columns and, with a basis function on every row, its n x n squared distances. */
struct slot { size_t *column, columns; double *d2; };

struct scorer;

/* With a basis function on every row, or on centres from k-means. */
struct route {
    int (*minimise)(const struct scorer *j, const struct slot *s, double sigma2, double *memory,
                    struct tamis_minimum *best);
    int (*weights)(const struct scorer *j, const struct slot *s, double sigma2, double gamma, double *alpha);
};

struct scorer {
    tamis_context *cx;
    const struct tamis_design *d;
    struct settings s;
    const struct route *route;
    size_t parts;               /* values of sigma2 */
    double *sigma2;
    size_t slots;               /* sets evaluated at once: enough to keep all workers busy */
    struct slot *slot;
    double *base;               /* distances of the set that candidates are added to */
    double *work;               /* work_size for each worker */
    size_t work_size;
    double *y, *root;           /* with row weights: sqrt(w) y of all targets, and sqrt(w); NULL: none */
    double *centre;             /* from k-means: centres x columns of the design */
};

/* ---- one set at one sigma2 ---- */

static void dense_errors(void *arg, const double *lambda, size_t count, double *value)
{
    tamis_loo_least(arg, lambda, count, value);
}

static int dense_reduce(const struct scorer *j, struct tamis_loo *w, double *memory, const double *d2, double sigma2)
{
    size_t outputs = tamis_design_outputs(j->d);
    tamis_loo_bind(w, j->d->rows, memory);
    if (outputs > 1) tamis_loo_targets(w, outputs, memory + tamis_loo_size(j->d->rows));
    tamis_loo_weigh(w, j->root, tamis_weight_sum(j->d->weight, j->d->rows));
    if (!tamis_loo_reduce(w, d2, sigma2, j->root ? j->y : j->d->y)) return TAMIS_OK;
    return tamis_fail(j->cx, TAMIS_NUMERIC,
                      "loo-rbf: basis functions of width %g are not numbers; check the inputs for enormous values",
                      sigma2);
}

static int dense_minimise(const struct scorer *j, const struct slot *s, double sigma2, double *memory,
                          struct tamis_minimum *best)
{
    struct tamis_loo w;
    enum tamis_gamma_search how = strcmp(j->s.search, "golden") ? TAMIS_SEARCH_SCAN : TAMIS_SEARCH_GOLDEN;
    int status = dense_reduce(j, &w, memory, s->d2, sigma2);
    if (!status) tamis_minimise(how, log10(j->s.gamma.from), log10(j->s.gamma.to), 1e-5, dense_errors, &w, best);
    return status;
}

static int dense_weights(const struct scorer *j, const struct slot *s, double sigma2, double gamma, double *alpha)
{
    struct tamis_loo w;
    int status = dense_reduce(j, &w, j->work, s->d2, sigma2);
    if (!status) tamis_loo_weights(&w, gamma, alpha);
    return status;
}

static const struct route dense = {dense_minimise, dense_weights};

/* ---- the same with centres from k-means ---- */

static int centers_reduce(const struct scorer *j, struct tamis_centers *w, double *memory, const struct slot *s,
                          double sigma2)
{
    const struct tamis_design *d = j->d;
    struct tamis_centers_data data = {d->rows, d->rows,   j->s.centres, j->s.centres, s->columns,
                                      d->x,    j->centre, j->root ? j->y : d->y, s->column, j->root,
                                      tamis_weight_sum(d->weight, d->rows), tamis_design_outputs(d)};
    tamis_centers_bind(w, &data, memory);
    if (!tamis_centers_reduce(w, sigma2)) return TAMIS_OK;
    return tamis_fail(j->cx, TAMIS_NUMERIC, "loo-rbf: the basis functions of width %g could not be factorised", sigma2);
}

static int centers_minimise(const struct scorer *j, const struct slot *s, double sigma2, double *memory,
                            struct tamis_minimum *best)
{
    struct tamis_centers w;
    int status = centers_reduce(j, &w, memory, s, sigma2);
    if (!status) tamis_centers_minimise(&w, log10(j->s.gamma.from), log10(j->s.gamma.to), best);
    return status;
}

static int centers_weights(const struct scorer *j, const struct slot *s, double sigma2, double gamma, double *alpha)
{
    struct tamis_centers w;
    int status = centers_reduce(j, &w, j->work, s, sigma2);
    if (!status) tamis_centers_weights(&w, gamma, alpha);
    return status;
}

static const struct route reduced = {centers_minimise, centers_weights};

static int centres_place(struct scorer *j, uint64_t seed)
{
    const struct tamis_design *d = j->d;
    size_t m = j->s.centres, *assigned = tamis_raw(j->cx, size_t, d->rows), *count = tamis_raw(j->cx, size_t, m),
           *column = j->slot[0].column;
    double *work = tamis_raw(j->cx, double, tamis_kmeans_size(d->rows, m));
    struct tamis_rng rng;
    tamis_rng_init(&rng, seed, TAMIS_RNG_KMEANS, 0);
    j->centre = tamis_new(j->cx, double, m * d->columns);
    for (size_t k = 0; k < d->columns; k++) column[k] = k;
    if (!tamis_status(j->cx))
        tamis_kmeans(d->rows, d->x, d->rows, d->weight, column, d->columns, m, 20, &rng, work, j->centre, assigned,
                     count, NULL);
    tamis_free(assigned);
    tamis_free(count);
    tamis_free(work);
    j->route = &reduced;
    tamis_note(j->cx,
               "%zu basis functions on centres from k-means, instead of one on each of %zu rows, approximate the "
               "paper's network",
               m, d->rows);
    return tamis_status(j->cx);
}

/* ---- the sets ---- */

/* What minimise needs of the set `base` with one input toggled. Never by subtraction, so that a removed input leaves no
 * residue. */
static void slot_fill(struct scorer *j, struct slot *s, const unsigned char *base, size_t toggle)
{
    s->columns = 0;
    for (size_t i = 0; i < j->d->inputs; i++)
        for (size_t k = 0; base[i] != (i == toggle) && k < j->d->encoder->input[i].columns; k++)
            s->column[s->columns++] = j->d->encoder->input[i].first + k;
    if (!s->d2) return;
    if (toggle == SIZE_MAX || base[toggle]) tamis_set_distances(j->d, base, toggle, s->d2);
    else {
        memcpy(s->d2, j->base, j->d->rows * j->d->rows * sizeof *s->d2);
        tamis_set_distances_add(j->d, toggle, s->d2);
    }
}

/* ---- all sigma2 of several sets ---- */

struct round { struct scorer *j; size_t *todo; struct tamis_minimum *found; };

static int round_body(void *arg, size_t item, int worker)
{
    struct round *r = arg;
    struct scorer *j = r->j;
    size_t at = r->todo[item];
    return j->route->minimise(j, &j->slot[at / j->parts], j->sigma2[at % j->parts],
                              j->work + (size_t)worker * j->work_size, &r->found[at]);
}

static size_t best_part(const struct scorer *j, const struct tamis_minimum *found)
{
    size_t best = 0;
    for (size_t k = 1; k < j->parts; k++)
        if (found[k].value < found[best].value) best = k;
    return best;
}

/* The window of widths to try first: all, or with --fast those around the last step's. */
static void window_start(const struct scorer *j, const struct tamis_score *hint, size_t *lo, size_t *hi)
{
    size_t near = 0;
    *lo = 0;
    *hi = j->parts - 1;
    if (!j->s.fast || !hint) return;
    for (size_t k = 1; k < j->parts; k++)
        if (fabs(log(j->sigma2[k] / hint->parameter[0])) < fabs(log(j->sigma2[near] / hint->parameter[0]))) near = k;
    *lo = near > 2 ? near - 2 : 0;
    *hi = near + 2 < j->parts ? near + 2 : j->parts - 1;
}

/* Searches the windows of `sets` slots, and beyond where the best lies at the edge of its window. */
static int windows_search(struct scorer *j, size_t sets, const struct tamis_score *hint, struct tamis_minimum *found,
                          size_t *todo)
{
    struct round r = {j, todo, found};
    for (size_t at = 0; at < sets * j->parts; at++) found[at] = (struct tamis_minimum){.value = INFINITY};
    for (;;) {
        size_t n = 0, lo, hi, best;
        for (size_t s = 0; s < sets; s++) {
            const struct tamis_minimum *f = found + s * j->parts;
            window_start(j, hint, &lo, &hi);
            best = best_part(j, f);
            if (f[best].evaluations) lo = best ? best - 1 : 0, hi = best + 1 < j->parts ? best + 1 : best;
            for (size_t k = lo; k <= hi; k++)
                if (!f[k].evaluations) todo[n++] = s * j->parts + k;
        }
        if (!n) return TAMIS_OK;
        int status = tamis_parallel(j->cx, n, round_body, &r);
        if (status) return status;
    }
}

static void score_from(const struct scorer *j, const struct tamis_minimum *found, struct tamis_score *score)
{
    size_t best = best_part(j, found);
    *score = (struct tamis_score){.value = isnan(found[best].value) ? INFINITY : found[best].value,
                                  .parameter = {j->sigma2[best], found[best].lambda}};
}

static int evaluate(void *self, const unsigned char *base, const size_t *toggle, size_t count,
                    const struct tamis_score *hint, struct tamis_score *score)
{
    struct scorer *j = self;
    struct tamis_minimum *found = tamis_raw(j->cx, struct tamis_minimum, j->slots * j->parts);
    size_t *todo = tamis_raw(j->cx, size_t, j->slots * j->parts);
    if (found && todo && j->base) tamis_set_distances(j->d, base, SIZE_MAX, j->base);
    for (size_t k = 0; k < count && !tamis_status(j->cx); k += j->slots) {
        size_t sets = count - k < j->slots ? count - k : j->slots;
        for (size_t s = 0; s < sets; s++) slot_fill(j, &j->slot[s], base, toggle[k + s]);
        if (windows_search(j, sets, hint, found, todo)) break;
        for (size_t s = 0; s < sets; s++) score_from(j, found + s * j->parts, &score[k + s]);
    }
    tamis_free(found);
    tamis_free(todo);
    return tamis_status(j->cx);
}

/* ---- the model of a set ---- */

static size_t centre_count(const struct scorer *j) { return j->centre ? j->s.centres : j->d->rows; }

/* The centres of the network with all columns of the design, which num takes with a list of columns. */
static const double *centre_columns(const struct scorer *j) { return j->centre ? j->centre : j->d->x; }

static struct tamis_rbf *network_fit(struct scorer *j, const struct tamis_score *at)
{
    const struct slot *s = &j->slot[0];
    size_t m = centre_count(j);
    struct tamis_rbf *net = tamis_rbf_outputs(j->cx, m, s->columns, tamis_design_outputs(j->d));
    if (!net) return NULL;
    net->sigma2 = at->parameter[0];
    net->gamma = at->parameter[1];
    for (size_t k = 0; k < s->columns; k++)
        memcpy(net->centre + m * k, centre_columns(j) + m * s->column[k], m * sizeof *net->centre);
    if (!j->route->weights(j, s, net->sigma2, net->gamma, net->alpha)) return net;
    tamis_rbf_free(net);
    return NULL;
}

static int fit(void *self, const unsigned char *set, const struct tamis_score *at, struct tamis_model **model,
               double *relevance)
{
    struct scorer *j = self;
    slot_fill(j, &j->slot[0], set, SIZE_MAX);
    struct tamis_rbf *net = network_fit(j, at);
    if (!net) return tamis_status(j->cx);
    if (relevance) tamis_network_relevance(j->cx, j->d, set, net, j->s.median_weight, j->s.spread_weight, relevance);
    if (model && !tamis_status(j->cx))
        *model = tamis_model_new(j->cx, &tamis_rbf_kind, tamis_encoder_subset(j->cx, j->d->encoder, set), net);
    else tamis_rbf_free(net);
    return tamis_status(j->cx);
}

/* ---- start and finish ---- */

static void grid_default(const struct tamis_design *d, struct tamis_grid *g)
{
    double to = 4 * (double)d->columns * (double)d->columns;
    if (!g->count) *g = (struct tamis_grid){1, to > 500 ? to : 500, 50};
}

static int settings_read(tamis_context *cx, const struct tamis_design *d, const tamis_options *o, struct settings *s)
{
    memset(s, 0, sizeof *s);
    int status = tamis_options_read(cx, o, rows, s);
    if (status) return status;
    grid_default(d, &s->sigma2);
    if (s->centres != SIZE_MAX && s->centres >= d->rows) s->centres = SIZE_MAX; /* exact, and at no greater cost */
    return TAMIS_OK;
}

static size_t slot_count(const tamis_context *cx, size_t parts)
{
    size_t items = (size_t)tamis_threads(cx) * 4;
    return parts >= items ? 1 : (items + parts - 1) / parts;
}

static int cost(tamis_context *cx, const struct tamis_design *d, const tamis_options *o, struct tamis_cost *c)
{
    struct settings s;
    int status = settings_read(cx, d, o, &s);
    if (status) return status;
    double n = (double)d->rows, m = (double)s.centres, p = (double)s.sigma2.count, workers = (double)tamis_threads(cx);
    if (s.centres == SIZE_MAX) {
        double matrices = 1 + (double)slot_count(cx, s.sigma2.count);
        c->remedy = "--centers 500 makes it fit, as an approximation";
        c->bytes = 8 * (n * n * matrices + workers * (double)tamis_loo_size(d->rows));
        c->flops = p * (1.3 * n * n * n + 130 * n * n);
    } else {
        c->bytes = 8 * (workers * (double)tamis_centers_size(s.centres, tamis_design_outputs(d)) +
                        m * (double)d->columns);
        c->flops = p * (8 * n * m * m + 10 * m * m * m);
    }
    c->bytes += 16 * n * (double)d->columns;
    return TAMIS_OK;
}

static void finish(void *self)
{
    struct scorer *j = self;
    if (!j) return;
    for (size_t s = 0; j->slot && s < j->slots; s++) {
        tamis_free(j->slot[s].column);
        tamis_free(j->slot[s].d2);
    }
    tamis_free(j->slot);
    tamis_free(j->sigma2);
    tamis_free(j->base);
    tamis_free(j->work);
    tamis_free(j->centre);
    tamis_free(j->y);
    tamis_free(j->root);
    tamis_free(j);
}

static int weights_fill(struct scorer *j)
{
    const struct tamis_design *d = j->d;
    if (!d->weight) return TAMIS_OK;
    size_t n = d->rows, outputs = tamis_design_outputs(d);
    j->y = tamis_raw(j->cx, double, n * outputs);
    j->root = tamis_raw(j->cx, double, n);
    for (size_t i = 0; j->y && j->root && i < n; i++) {
        j->root[i] = sqrt(d->weight[i]);
        for (size_t o = 0; o < outputs; o++) j->y[i + n * o] = j->root[i] * d->y[i + n * o];
    }
    return tamis_status(j->cx);
}

static int allocate(struct scorer *j)
{
    size_t n = j->d->rows, outputs = tamis_design_outputs(j->d);
    int all = j->s.centres == SIZE_MAX;
    j->work_size = all ? tamis_loo_size(n) + 2 * n * outputs : tamis_centers_size(j->s.centres, outputs);
    j->work_size = (j->work_size + 7) / 8 * 8;
    j->work = tamis_raw(j->cx, double, j->work_size * (size_t)tamis_threads(j->cx));
    j->sigma2 = tamis_raw(j->cx, double, j->parts);
    j->slot = tamis_new(j->cx, struct slot, j->slots);
    if (all) j->base = tamis_raw(j->cx, double, n * n);
    for (size_t s = 0; j->slot && s < j->slots; s++) {
        j->slot[s].column = tamis_raw(j->cx, size_t, j->d->columns);
        if (all) j->slot[s].d2 = tamis_raw(j->cx, double, n * n);
    }
    return tamis_status(j->cx);
}

static int start(tamis_context *cx, const struct tamis_design *d, const tamis_options *o, uint64_t seed, void **self)
{
    struct scorer *j = tamis_new(cx, struct scorer, 1);
    if (!j) return tamis_status(cx);
    *self = j;
    *j = (struct scorer){.cx = cx, .d = d, .route = &dense};
    if (settings_read(cx, d, o, &j->s)) return tamis_status(cx);
    j->parts = j->s.sigma2.count;
    j->slots = slot_count(cx, j->parts);
    if (allocate(j) || weights_fill(j)) return tamis_status(cx);
    for (size_t k = 0; k < j->parts; k++) j->sigma2[k] = tamis_grid_at(&j->s.sigma2, k);
    return j->s.centres == SIZE_MAX ? TAMIS_OK : centres_place(j, seed);
}

static const char *const parameters[] = {"sigma2", "gamma", NULL};

const struct tamis_criterion tamis_loo_rbf = {
    .name = "loo-rbf",
    .error_name = "loo",
    .label = "leave-one-out error",
    .relevance = "derivative",
    .task = "regression",
    .summary = "exact leave-one-out error of an RBF network, smallest over width and regularisation",
    .paper = "J. Tikka, J. Hollmen, ESANN 2008, eq. 3",
    .options = rows,
    .parameters = parameters,
    .start = start,
    .finish = finish,
    .cost = cost,
    .evaluate = evaluate,
    .fit = fit,
    .weights = 1,
    .several_targets = 1,
};
