/* gamma-test: the parent of the Delta Test. The squared distances to the p nearest rows and the squared differences of
 * the target there,
 *
 *     delta(k) = 1/N sum_i |x_i - x_N(i,k)|^2,    gamma(k) = 1/(2N) sum_i (y_i - y_N(i,k))^2,    k = 1 .. p,
 *
 * are fitted by a line, whose value at distance 0 estimates the noise variance. gamma(empty) = var(y), divisor N - 1.
 * Several targets: gamma(k) is their mean.
 *
 * [1] A. J. Jones, New tools in non-linear modelling and prediction, Computational Management Science 1 (2004).
 * If all delta(k) are equal (many tied rows), the mean of gamma(k) replaces the intercept. The intercept can be
 * negative. */
#include <math.h>
#include "crit/neighbour/neighbour.h"

struct settings { size_t p; };

static const struct tamis_option rows[] = {
    {"neighbors", TAMIS_COUNT, offsetof(struct settings, p), "10", 2, TAMIS_NEAR_WIDTH / 2, NULL, "K",
     "gamma-test: number of nearest rows in the fit of the line"},
    {0}};

static void tally(const void *arg, size_t row, const uint32_t *neighbour, const double *d2, double *out)
{
    const struct tamis_neighbour *j = arg;
    for (size_t k = 0; k < j->e.k; k++) {
        out[2 * k] = tamis_target_difference(j->d, row, neighbour[k]) / 2;
        out[2 * k + 1] = d2[k];
    }
}

static double value(const struct tamis_neighbour *j, const double *mean)
{
    double p = (double)j->e.k, g = 0, d = 0, dd = 0, dg = 0;
    for (size_t k = 0; k < j->e.k; k++) g += mean[2 * k] / p, d += mean[2 * k + 1] / p;
    for (size_t k = 0; k < j->e.k; k++) {
        double from = mean[2 * k + 1] - d;
        dd += from * from;
        dg += from * (mean[2 * k] - g);
    }
    return dd > 1e-24 * d * d ? g - dg / dd * d : g;
}

static int start(tamis_context *cx, const struct tamis_design *d, const tamis_options *o, uint64_t seed, void **self)
{
    struct settings s = {0};
    struct tamis_neighbour *j = NULL;
    double range = tamis_target_range(d), largest[TAMIS_NEAR_WIDTH];
    (void)seed;
    int status = tamis_options_read(cx, o, rows, &s);
    if (status) return status;
    if (s.p > d->rows - 1) s.p = d->rows - 1;
    for (size_t k = 0; k < s.p; k++) largest[2 * k] = range * range / 2, largest[2 * k + 1] = 1;
    status = tamis_neighbour_start(cx, d, s.p, tally, 2 * s.p, largest, &j);
    *self = j;
    if (status) return status;
    j->value = value;
    for (size_t k = 0; k < j->e.k; k++)
        j->e.unit[2 * k + 1] = tamis_fixed_unit(4 * (double)d->columns * j->e.most * j->e.most);
    j->empty = tamis_target_variance(d);
    return TAMIS_OK;
}

static int cost(tamis_context *cx, const struct tamis_design *d, const tamis_options *o, struct tamis_cost *c)
{
    struct settings s = {0};
    int status = tamis_options_read(cx, o, rows, &s);
    return status ? status : tamis_neighbour_cost(d, s.p, c);
}

static const char *const none[] = {NULL};

const struct tamis_criterion tamis_gamma_test = {
    .name = "gamma-test",
    .error_name = "gamma",
    .label = "Gamma Test",
    .relevance = "Gamma Test rise",
    .task = "regression",
    .summary = "Gamma Test: the noise variance, estimated by a line fitted to the p nearest neighbours",
    .paper = "A. J. Jones, 2004",
    .options = rows,
    .parameters = none,
    .start = start,
    .finish = tamis_neighbour_finish,
    .cost = cost,
    .evaluate = tamis_neighbour_evaluate,
    .fit = tamis_neighbour_fit,
    .weigh = tamis_neighbour_weigh,
    .fit_weighed = tamis_neighbour_fit_weighed,
    .weights = 1,
    .several_targets = 1,
};
