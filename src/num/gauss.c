/* Gaussians of squared distances.
 *
 *     d2_ij = sum_v (x_iv - x_jv)^2,      g_ij = exp(-d2_ij / sigma2)
 *
 * Distances are sums of squared differences, never |x|^2 + |y|^2 - 2 xy: equal rows are at distance 0 exactly, and no
 * digits cancel.
 *
 * exp(x), x <= 0: with k the integer nearest to x / ln 2 and r = x - k ln 2 (ln 2 in two parts, so that k ln 2 is exact
 * to 2^-90),
 *
 *     exp(x) = 2^k (1 + r + r^2 p(r)),  |r| <= ln(2) / 2,
 *
 * where p of degree 10 interpolates (exp(r) - 1 - r) / r^2 at the Chebyshev points of the interval (relative error
 * 2.3e-19). The power of two is applied as 2^(k + 100), then 2^-100: results below 2^-1022 are rounded only once. */
#include "num/gauss.h"

#include <string.h>
#include "base/watch.h"
#include "num/exp_inline.h"

#if defined(__GNUC__) && !defined(__clang__)
#define IN_PLACE _Pragma("GCC ivdep")                   /* input and output are the same or do not overlap */
#else
#define IN_PLACE
#endif

TAMIS_CLONES                    /* static: gcc exports the resolvers of clones that are not */
static void exp_many(size_t n, const double *d2, double scale, double *out)
{
    IN_PLACE
    for (size_t i = 0; i < n; i++)
        out[i] = exp_nonpositive(-scale * d2[i]);
}

void tamis_exp_scale(size_t n, const double *d2, double scale, double *out) { exp_many(n, d2, scale, out); }

void tamis_gauss(size_t n, const double *d2, double sigma2, double *g)
{
    for (size_t j = 0; j < n && !tamis_halted(20.0 * (double)(n - j)); j++)
        tamis_exp_scale(n - j, d2 + j + j * n, 1.0 / sigma2, g + j + j * n);
}

TAMIS_CLONES
static void add_squares(size_t n, const double *restrict x, double c, double *restrict d2)
{
    for (size_t i = 0; i < n; i++) {
        double difference = x[i] - c;
        d2[i] += difference * difference;
    }
}

void tamis_dist_add(size_t n, const double *x, double *d2)
{
    for (size_t j = 0; j < n && !tamis_halted(3.0 * (double)(n - j)); j++)
        add_squares(n - j, x + j, x[j], d2 + j + j * n);
}

void tamis_dist_cross(size_t n, const double *x, size_t m, const double *c, double *d2)
{
    for (size_t j = 0; j < m && !tamis_halted(3.0 * (double)n); j++)
        add_squares(n, x, c[j], d2 + j * n);
}

/* The distances of `rows` rows to one centre; four variables per pass through d2. */
TAMIS_CLONES
static void distances_to(size_t rows, const double *x, size_t ldx, const double *c, size_t ldc, const size_t *columns,
                         size_t count, double *restrict d2)
{
    size_t v = 0;
    memset(d2, 0, rows * sizeof *d2);
    for (; v + 4 <= count; v += 4) {
        const double *x0 = x + columns[v] * ldx, *x1 = x + columns[v + 1] * ldx, *x2 = x + columns[v + 2] * ldx,
                     *x3 = x + columns[v + 3] * ldx;
        double c0 = c[columns[v] * ldc], c1 = c[columns[v + 1] * ldc], c2 = c[columns[v + 2] * ldc],
               c3 = c[columns[v + 3] * ldc];
        for (size_t i = 0; i < rows; i++) {
            double e0 = x0[i] - c0, e1 = x1[i] - c1, e2 = x2[i] - c2, e3 = x3[i] - c3;
            d2[i] += (e0 * e0 + e1 * e1) + (e2 * e2 + e3 * e3);
        }
    }
    for (; v < count; v++) {
        const double *x0 = x + columns[v] * ldx;
        double c0 = c[columns[v] * ldc];
        for (size_t i = 0; i < rows; i++)
            d2[i] += (x0[i] - c0) * (x0[i] - c0);
    }
}

void tamis_gauss_cross(size_t rows, const double *x, size_t ldx, size_t m, const double *c, size_t ldc,
                       const size_t *columns, size_t count, double sigma2, double *g, size_t ldg)
{
    for (size_t j = 0; j < m && !tamis_halted((double)rows * (double)(3 * count + 20)); j++) {
        distances_to(rows, x, ldx, c + j, ldc, columns, count, g + j * ldg);
        if (sigma2 > 0.0)
            tamis_exp_scale(rows, g + j * ldg, 1.0 / sigma2, g + j * ldg);
    }
}
