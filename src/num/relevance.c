/* Partial derivatives of a Gaussian network, and the relevance of its inputs.
 *
 *     d_ji = (2 / sigma2) sum_m alpha_m K(c_m, x_j) (c_mi - x_ji)                                           [1] eq. (4)
 *     D    = (2 / sigma2) (K diag(alpha) C - diag(K alpha) X),    rows by inputs, one matrix product
 *     r_i  = w_1 median_j |d_ji| + w_2 (|d_ji|^high - |d_ji|^low)                                           [1] eq. (5)
 *
 * |.|^high and |.|^low: the 0.835n-th and 0.165n-th ordered values, at rank floor(. + 1/2). C and X are shifted alike
 * by the first row of X: the derivatives do not change, and a constant column cancels before it is rounded.
 *
 * DIFFERS [1] eq. (5): the two terms have weights; 1 and 1 are [1]'s.
 *
 * [1] Tikka, Hollmen: Selection of important input variables for RBF network using partial derivatives. ESANN 2008. */
#include "num/relevance.h"

#include <math.h>
#include <stdlib.h>
#include "num/gauss.h"
#include "num/lapack.h"
#include "num/weighted.h"

enum { ROWS = 128 };

size_t tamis_derivatives_size(size_t m, size_t count)
{
    return m * count + ROWS * m + ROWS;
}

/* m x count: alpha_m (c_mi - shift_i) */
static void weigh_centres(size_t m, const double *c, size_t ldc, const double *x, size_t ldx, const size_t *columns,
                          size_t count, const double *alpha, double *weighed)
{
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < m; j++)
            weighed[j + i * m] = alpha[j] * (c[j + columns[i] * ldc] - x[columns[i] * ldx]);
}

void tamis_derivatives(size_t n, const double *x, size_t ldx, size_t m, const double *c, size_t ldc,
                       const size_t *columns, size_t count, const double *alpha, double sigma2, double *work,
                       double *derivative)
{
    double *weighed = work, *k = weighed + m * count, *f = k + ROWS * m;
    weigh_centres(m, c, ldc, x, ldx, columns, count, alpha, weighed);
    for (size_t row = 0; row < n; row += ROWS) {
        size_t rows = n - row < ROWS ? n - row : ROWS;
        tamis_gauss_cross(rows, x + row, ldx, m, c, ldc, columns, count, sigma2, k, ROWS);
        tamis_gemv(PLAIN, rows, m, 1.0, k, ROWS, alpha, 0.0, f);
        tamis_gemm(PLAIN, PLAIN, rows, count, m, 1.0, k, ROWS, weighed, m, 0.0, derivative + row, n);
        for (size_t i = 0; i < count; i++) {
            const double *column = x + columns[i] * ldx;
            for (size_t j = row; j < row + rows; j++)
                derivative[j + i * n] = 2.0 / sigma2 * (derivative[j + i * n] - f[j - row] * (column[j] - column[0]));
        }
    }
}

double tamis_relevance(size_t n, double *derivative, double median, double spread)
{
    for (size_t j = 0; j < n; j++)
        derivative[j] = fabs(derivative[j]);
    double low = tamis_select_rank(derivative, n, tamis_quantile_rank(n, 165) - 1);
    double high = tamis_select_rank(derivative, n, tamis_quantile_rank(n, 835) - 1);
    return median * tamis_median(derivative, n) + spread * (high - low);
}

double tamis_relevance_weighted(size_t n, const double *derivative, const double *weight, double median, double spread,
                                struct tamis_place *place)
{
    for (size_t j = 0; j < n; j++)
        place[j] = (struct tamis_place){fabs(derivative[j]), j};
    qsort(place, n, sizeof *place, tamis_by_place);
    double low = tamis_weighted_quantile(place, weight, n, 165), high = tamis_weighted_quantile(place, weight, n, 835);
    return median * tamis_weighted_median(place, weight, n) + spread * (high - low);
}
