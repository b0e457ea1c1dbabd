/* Sums over weighted rows. */
#include "num/weigh.h"

#include <stdlib.h>
#include "num/compare.h"
#include "num/order.h"

double tamis_weigh_sum(const double *w, size_t n)
{
    double sum = 0;
    if (!w) return (double)n;
    for (size_t i = 0; i < n; i++) sum += w[i];
    return sum;
}

double tamis_weigh_count(const double *w, size_t n)
{
    double sum = tamis_weigh_sum(w, n), squares = 0;
    if (!w || !n) return (double)n;
    for (size_t i = 0; i < n; i++) squares += w[i] * w[i];
    return sum * sum / squares;
}

double tamis_weigh_mean(const double *v, const double *w, size_t n)
{
    double mean = 0, all = tamis_weigh_sum(w, n);
    for (size_t i = 0; i < n; i++) mean += tamis_weigh(w, i) * v[i] / all;
    return mean;
}

double tamis_weigh_median(double *v, const double *w, size_t n, struct tamis_place *order)
{
    double half = 0.5 * tamis_weigh_sum(w, n), slack = tamis_slack(half, TAMIS_SUMMED), below = 0;
    size_t k = 0;
    if (!w) return tamis_median(v, n);
    for (size_t i = 0; i < n; i++) order[i] = (struct tamis_place){v[i], i};
    qsort(order, n, sizeof *order, tamis_by_place);
    while (k + 1 < n && (below += w[order[k].i]) < half - slack) k++;
    int between = k + 1 < n && below <= half + slack;
    return 0.5 * (order[k].x + order[between ? k + 1 : k].x);
}

void tamis_weigh_rows(size_t n, size_t columns, const double *factor, double *x, size_t ld)
{
    if (!factor) return;
    for (size_t k = 0; k < columns; k++)
        for (size_t i = 0; i < n; i++) x[i + ld * k] *= factor[i];
}
