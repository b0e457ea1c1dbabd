/* The outputs that sift learns, from targets or classes, and the way back. */
#include <math.h>
#include "base/spread.h"
#include "method/sift/sift.h"

size_t sift_outputs(const struct tamis_design *d)
{
    size_t classes = d->encoder->classes;
    return classes > 2 ? classes - 1 : classes ? 1 : tamis_design_outputs(d);
}

/* Column o of the target before scaling: a number, or the indicator of a class (the second of two). */
static double raw_target(const struct tamis_design *d, size_t row, size_t o)
{
    size_t classes = d->encoder->classes;
    return classes ? d->y[row] == (double)(classes > 2 ? o : 1) : d->y[row + d->rows * o];
}

/* Takes the outputs before o out of output o where they are classes, and scales it to variance 1; what was done goes
 * into back. */
static void output_scale(struct sift *s, size_t o)
{
    const struct tamis_design *d = s->run->design;
    size_t n = d->rows, levels = s->ground.frame.levels;
    double *t = s->target + n * o, variance = 0, all = tamis_weight_sum(d->weight, tamis_design_all_rows(d));
    for (size_t k = 0; d->encoder->classes > 2 && k < o; k++) {
        const double *other = s->target + n * k;
        double share = 0;
        for (size_t i = 0; i < n; i++) share += tamis_row_weight(d, i) * t[i] * other[i] / all;
        for (size_t i = 0; i < n; i++) t[i] -= share * other[i];
        s->back[o + levels * k] = share;
    }
    tamis_spread_take(d->spread, &variance, sizeof variance);
    for (size_t i = 0; i < n; i++) variance += tamis_row_weight(d, i) * t[i] * t[i] / all;
    tamis_spread_give(d->spread, &variance, sizeof variance);
    double scale = variance > 1e-12 ? sqrt(variance) : 1;
    for (size_t i = 0; i < n; i++) t[i] /= scale;
    s->back[o + levels * o] = scale;
}

/* Uncorrelated outputs of mean 0 and variance 1, and the way back to targets or class scores. The score of the last of
 * more than two classes is 1 less the others. */
void sift_target_fill(struct sift *s)
{
    const struct tamis_design *d = s->run->design;
    size_t n = d->rows, l = s->ground.frame.outputs, levels = s->ground.frame.levels;
    double all = tamis_weight_sum(d->weight, tamis_design_all_rows(d));
    for (size_t o = 0; o < l; o++) {
        double mean = 0;
        tamis_spread_take(d->spread, &mean, sizeof mean);
        for (size_t i = 0; i < n; i++) mean += tamis_row_weight(d, i) * raw_target(d, i, o) / all;
        tamis_spread_give(d->spread, &mean, sizeof mean);
        for (size_t i = 0; i < n; i++) s->target[i + n * o] = raw_target(d, i, o) - mean;
        s->base[o] = mean;
        output_scale(s, o);
    }
    if (d->encoder->classes <= 2) return;
    s->base[l] = 1;
    for (size_t c = 0; c < l; c++) {
        s->base[l] -= s->base[c];
        for (size_t o = 0; o < l; o++) s->back[l + levels * o] -= s->back[c + levels * o];
    }
}
