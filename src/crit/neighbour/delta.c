/* delta: the Delta Test, an estimate of the noise variance that no function of the set's inputs can explain.
 *
 *     DT(S) = 1/(2N) sum_i (y_i - y_NN(i))^2,    NN(i) the row nearest to i in the inputs of S
 *     DT(empty) = var(y), divisor N - 1
 *
 * Several targets: the mean of their Delta Tests, whose neighbours are the same.
 *
 * [1] F. Mateo, A. Lendasse, A variable selection approach based on the Delta Test for Extreme Learning Machine models,
 *     2008, section 2.
 * [2] H. Pi, C. Peterson, Finding the embedding dimension and variable dependencies in time series, Neural Computation
 *     6 (1994).
 * DIFFERS [1]: all equally near rows count, with equal weight, as in the empty set, where all rows are tied. With one
 * of them (--ties first) every row of a group of equal ones is compared with the same row f, the mean is half of
 * var(y) + (y_f - mean y)^2, and a column of noise with few values looks better than no column at all. */
#include <string.h>
#include "crit/neighbour/neighbour.h"

struct settings { const char *ties; };

static const struct tamis_option rows[] = {
    {"ties", TAMIS_CHOICE, offsetof(struct settings, ties), "mean", 0, 0, "first|mean", NULL,
     "among equally near rows, the mean of all, which does not depend on the order of the rows, or the first of them"},
    {0}};

static void tally(const void *arg, size_t row, const uint32_t *neighbour, const double *d2, double *out)
{
    const struct tamis_neighbour *j = arg;
    (void)d2;
    out[0] = tamis_target_difference(j->d, row, neighbour[0]);
}

static double value(const struct tamis_neighbour *j, const double *mean)
{
    (void)j;
    return mean[0] / 2;
}

static int start(tamis_context *cx, const struct tamis_design *d, const tamis_options *o, uint64_t seed, void **self)
{
    struct settings s = {0};
    struct tamis_neighbour *j = NULL;
    double range = tamis_target_range(d), largest = range * range;
    (void)seed;
    int status = tamis_options_read(cx, o, rows, &s);
    if (!status && d->spread && strcmp(s.ties, "mean"))
        status = tamis_fail(cx, TAMIS_USAGE, "--ties %s does not go with --split-rows; leave one of them out", s.ties);
    if (!status) status = tamis_neighbour_start(cx, d, 1, tally, 1, &largest, &j);
    *self = j;
    if (status) return status;
    j->e.ties = strcmp(s.ties, "mean") ? NULL : d->y;
    j->e.targets = tamis_design_outputs(d);
    j->value = value;
    j->per_value = 2;
    j->empty = tamis_target_variance(d);
    return tamis_status(cx);
}

static int cost(tamis_context *cx, const struct tamis_design *d, const tamis_options *o, struct tamis_cost *c)
{
    (void)cx, (void)o;
    return tamis_neighbour_cost(d, 1, c);
}

static const char *const none[] = {NULL};

const struct tamis_criterion tamis_delta = {
    .name = "delta",
    .error_name = "delta",
    .label = "Delta Test",
    .relevance = "Delta Test rise",
    .task = "regression",
    .summary = "Delta Test: the noise variance, estimated from the target differences of nearest neighbours",
    .paper = "F. Mateo, A. Lendasse, 2008; H. Pi, C. Peterson, 1994",
    .options = rows,
    .parameters = none,
    .start = start,
    .finish = tamis_neighbour_finish,
    .cost = cost,
    .evaluate = tamis_neighbour_evaluate,
    .fit = tamis_neighbour_fit,
    .weigh = tamis_neighbour_weigh,
    .fit_weighed = tamis_neighbour_fit_weighed,
    .bound = tamis_neighbour_bound,
    .weights = 1,
    .several_targets = 1,
};
