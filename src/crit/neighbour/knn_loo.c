/* knn: the leave-one-out error of k nearest neighbours, the third criterion of
 * [1] F. Mateo, A. Lendasse, 2008, section 1: the prediction is the mean of the k nearest other rows, or their most
 * frequent class (the first of equally frequent ones). Without inputs all other rows are equally near, and it is the
 * mean, or the most frequent class, of all of them. Several targets: the mean of their errors. Neighbours and errors
 * count by the weights of their rows. */
#include "crit/neighbour/neighbour.h"

struct settings { size_t k; };

static const struct tamis_option rows[] = {
    {"neighbors", TAMIS_COUNT, offsetof(struct settings, k), "5", 1, 200, NULL, "K",
     "knn: number of nearest rows in a prediction"},
    {0}};

static void tally(const void *arg, size_t row, const uint32_t *neighbour, const double *d2, double *out)
{
    const struct tamis_neighbour *j = arg;
    size_t k = j->e.k, outputs = tamis_design_outputs(j->d);
    (void)d2;
    out[0] = 0;
    if (j->d->encoder->classes) {
        out[0] = (double)((double)tamis_neighbour_vote(j->d, neighbour, k) != j->d->y[row]);
        return;
    }
    for (size_t o = 0; o < outputs; o++) {
        const double *y = j->d->y + o * j->d->rows;
        double sum = 0, all = 0;
        for (size_t t = 0; t < k; t++) {
            double w = tamis_row_weight(j->d, neighbour[t]);
            sum += w * y[neighbour[t]];
            all += w;
        }
        out[0] += (y[row] - sum / all) * (y[row] - sum / all) / (double)outputs;
    }
}

static double value(const struct tamis_neighbour *j, const double *mean)
{
    (void)j;
    return mean[0];
}

static int start(tamis_context *cx, const struct tamis_design *d, const tamis_options *o, uint64_t seed, void **self)
{
    struct settings s = {0};
    struct tamis_neighbour *j = NULL;
    double range = tamis_target_range(d), largest = d->encoder->classes ? 1 : range * range;
    (void)seed;
    int status = tamis_options_read(cx, o, rows, &s);
    if (!status) status = tamis_neighbour_start(cx, d, s.k, tally, 1, &largest, &j);
    *self = j;
    if (status) return status;
    j->value = value;
    j->per_value = 1;
    j->model_k = j->e.k;
    return tamis_constant_loo(cx, d, &j->empty);
}

static int cost(tamis_context *cx, const struct tamis_design *d, const tamis_options *o, struct tamis_cost *c)
{
    struct settings s = {0};
    int status = tamis_options_read(cx, o, rows, &s);
    return status ? status : tamis_neighbour_cost(d, s.k, c);
}

static const char *const none[] = {NULL};

const struct tamis_criterion tamis_knn_loo = {
    .name = "knn",
    .error_name = "knn-loo",
    .label = "leave-one-out error (k-NN)",
    .relevance = "error rise",
    .task = "both",
    .summary = "leave-one-out error of k nearest neighbours",
    .paper = "F. Mateo, A. Lendasse, 2008",
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
