/* What simple predictions score on the same rows and in the same units as the errors of a result: the mean or the
 * majority class; in a time series also the last known value (persistence) and the value a season earlier. */
#include <math.h>
#include "select/run.h"

/* ---- constants ---- */

static size_t majority(const struct tamis_design *d)
{
    size_t best = 0, most = 0;
    for (size_t c = 0; c < d->encoder->classes; c++) {
        size_t n = 0;
        for (size_t i = 0; i < d->rows; i++) n += d->y[i] == (double)c;
        if (n > most) most = n, best = c;
    }
    return best;
}

/* Mean over the rows of `to` (rows without a class come last and do not count) of the loss of the best constant of
 * `from`. */
static double constant_error(const struct tamis_design *from, const struct tamis_design *to)
{
    size_t classes = from->encoder->classes, outputs = tamis_design_outputs(from), best = classes ? majority(from) : 0;
    double sum = 0, rows = 0;
    for (size_t i = 0; classes && i < to->rows; i++)
        if (to->y[i] < (double)classes) sum += to->y[i] != (double)best, rows++;
    for (size_t o = 0; !classes && o < outputs; o++) {
        double mean = 0;
        for (size_t i = 0; i < from->rows; i++) mean += from->y[i + from->rows * o] / (double)from->rows;
        for (size_t i = 0; i < to->rows; i++) sum += pow(to->y[i + to->rows * o] - mean, 2), rows++;
    }
    return sum / rows;
}

double tamis_constant_error(const struct tamis_design *d) { return constant_error(d, d); }

int tamis_baselines_fill(struct tamis_run *run)
{
    struct tamis_result *r = run->result;
    int error = !run->criterion || !run->criterion->units;      /* not a mutual information, say */
    if (error) r->baseline = constant_error(run->design, run->design);
    if (run->test) r->test_baseline = constant_error(run->design, run->test);
    return TAMIS_OK;
}
