/* Distances between rows that do not depend on how a set of columns was reached, and sums that do not depend on the
 * order of their terms: every search finds the same neighbours, with the same bits. */
#ifndef TAMIS_METRIC_H
#define TAMIS_METRIC_H

#include <stddef.h>
#include <stdint.h>

/* d2(a, b) = sum over c of (w_c a_c - w_c b_c)^2 over `count` columns in ascending order, from left to right. Each
 * operation is rounded separately: none are fused, and no term is ever subtracted again. */
struct tamis_metric { size_t count; uint32_t *column; double *weight; };
double tamis_metric_d2(const struct tamis_metric *m, const double *a, const double *b);

/* A factor that covers the rounding of any other way to compute such a sum of `count` terms and products with it. */
double tamis_metric_slack(size_t count);

/* A list of the k nearest, ascending by (d2, row). Inserts (d, r) if it belongs there; 1 when the list changed. A row
 * is in the list at most once. Empty places hold (INFINITY, UINT32_MAX). */
int tamis_nearest_insert(size_t k, double *d2, uint32_t *row, double d, uint32_t r);

/* Fixed-point sums: exact, so that neither the order of the terms nor the thread that adds them matters. `unit` is a
 * power of two from tamis_fixed_unit, for terms of magnitude at most `largest`; terms are truncated at 2^-90 of it. */
__extension__ typedef __int128 tamis_fixed;
double tamis_fixed_unit(double largest);
/* x towards 0, |x| < 2^126: what a cast gives, without a call. */
static inline tamis_fixed tamis_fixed_whole(double x)
{
    int64_t high = (int64_t)(x * 0x1p-63), low = (int64_t)(x - (double)high * 0x1p63);
    return (tamis_fixed)high * ((tamis_fixed)1 << 63) + low;
}
static inline void tamis_fixed_add(tamis_fixed *sum, double term, double unit)
{
    *sum += tamis_fixed_whole(term * unit);
}
static inline double tamis_fixed_value(tamis_fixed sum, double unit) { return (double)sum / unit; }

#endif
