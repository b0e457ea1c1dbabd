#include <math.h>
#include <stdlib.h>
#include "num/compare.h"
#include "num/weighted.h"

double tamis_weight_sum(const double *weight, size_t n)
{
    double sum = 0;
    if (!weight) return (double)n;
    for (size_t i = 0; i < n; i++) sum += weight[i];
    return sum;
}

double tamis_weight_rows(const double *weight, size_t n)
{
    double sum = 0, squares = 0;
    if (!weight) return (double)n;
    for (size_t i = 0; i < n; i++) sum += weight[i], squares += weight[i] * weight[i];
    return squares > 0 ? sum * sum / squares : 0;
}

double tamis_weighted_median(const struct tamis_place *p, const double *weight, size_t n)
{
    double half = 0.5 * tamis_weight_sum(weight, n), slack = tamis_slack(half, TAMIS_SUMMED), below = 0;
    for (size_t i = 0; i < n; i++) {
        below += tamis_weight_at(weight, p[i].i);
        if (below < half - slack && i + 1 < n) continue;
        return below > half + slack || i + 1 == n ? p[i].x : 0.5 * (p[i].x + p[i + 1].x);
    }
    return NAN;
}

/* Rank floor(W q + 1/2) of a list of W values is the first place with more than W q - 1/2 values up to it; weights
 * below 1 move the 1/2 with them. */
double tamis_weighted_quantile(const struct tamis_place *p, const double *weight, size_t n, size_t per_mille)
{
    double all = tamis_weight_sum(weight, n), unit = fmin(1, all / (double)n), upto = 0;
    for (size_t i = 0; i < n; i++) {
        upto += tamis_weight_at(weight, p[i].i);
        if (1000 * upto > (double)per_mille * all - 500 * unit) return p[i].x;
    }
    return n ? p[n - 1].x : NAN;
}

double tamis_weight_median(double *v, const double *weight, size_t n, struct tamis_place *order)
{
    if (!weight) return tamis_median(v, n);
    for (size_t i = 0; i < n; i++) order[i] = (struct tamis_place){v[i], i};
    qsort(order, n, sizeof *order, tamis_by_place);
    return tamis_weighted_median(order, weight, n);
}

void tamis_weight_scale(size_t n, size_t columns, const double *factor, double *x, size_t ld)
{
    if (!factor) return;
    for (size_t k = 0; k < columns; k++)
        for (size_t i = 0; i < n; i++) x[i + ld * k] *= factor[i];
}
