/* num/basis.h one value at a time, with the cosine of libm. */
#ifndef TAMIS_TESTS_NAIVE_BASIS_H
#define TAMIS_TESTS_NAIVE_BASIS_H

#include "num/basis.h"
#include "unit.h"

static inline double naive_rank(const struct tamis_basis *b, double x)
{
    size_t k = 0, last = b->knots - 1;
    if (x <= b->knot[0]) return b->rank[0];
    if (x >= b->knot[last]) return b->rank[last];
    while (b->knot[k + 1] <= x) k++;
    return b->rank[k] + (x - b->knot[k]) / (b->knot[k + 1] - b->knot[k]) * (b->rank[k + 1] - b->rank[k]);
}

static inline double naive_raw(const struct tamis_basis *b, size_t j, double x)
{
    double z = 2 * (fmin(fmax(x, b->lo), b->hi) - b->lo) / (b->hi - b->lo) - 1;
    return j == 0 ? z : j == 1 ? z * z : sqrt(2) * cos(M_PI * (double)(j - 1) * naive_rank(b, x));
}

static inline double naive_function(const struct tamis_basis *b, size_t k, double x)
{
    double sum = 0;
    for (size_t j = 0; j <= b->order[k]; j++) sum += b->turn[k][j] * (naive_raw(b, j, x) - b->mean[j]);
    return sum;
}

#endif
