/* Gaussian networks with a weight on each input: values and derivatives.
 *
 *     f(x_n) = alpha_0 + sum_m alpha_m K_nm,    K_nm = exp(-sum_i w_i (x_ni - c_mi)^2)        [1] eq. (11)
 *
 * x (n rows, leading dimension ldx) and the m centres c (leading dimension ldc) are column-major and hold all d inputs.
 * The matrix A is n x (m + 1): a column of ones, then K. Index 0 of alpha and of A's columns is the bias, as in [1].
 *
 * With weights c_n of the rows, row n of A, of y and so of e = y - A alpha is multiplied by
 * root_n = sqrt(n c_n / sum c): |e|^2 / n is then the weighted mean of squares, and products of two of them summed over
 * rows are weighted sums. */
#ifndef TAMIS_WNET_H
#define TAMIS_WNET_H

#include <stddef.h>

struct tamis_wnet {
    size_t n, ldx, m, ldc, d;
    const double *x, *c;
    const double *root;         /* n; NULL: 1 */
};

/* root (n) of weights. */
void tamis_wnet_roots(size_t n, const double *weight, double *root);

/* A at w; inputs with w = 0 cost nothing. work: (n + m) doubles per input with w > 0. */
size_t tamis_wnet_basis_size(size_t n, size_t m, size_t inputs);
void tamis_wnet_basis(const struct tamis_wnet *w, const double *weight, double *work, size_t *columns, double *a);

/* dE/dw_i, i < d, of E = |e|^2 / n, e = y - f: with B = (e alpha^T) o K over the columns active[0..count-1] of A and
 * their alpha, one product: (2/n) (rowsum(B).x_i^2 - 2 sum_m c_mi (B^T X)_mi + colsum(B).c_i^2). work:
 * tamis_wnet_gradient_size doubles. */
size_t tamis_wnet_gradient_size(size_t n, size_t d, size_t count);
void tamis_wnet_gradient(const struct tamis_wnet *w, const double *a, const size_t *active, const double *alpha,
                         size_t count, const double *e, double *work, double *gradient);

/* For the inputs which[0..k-1], over the active columns of A:
 *     jacobian  n x k        df_n / dw_i = -sum_m alpha_m K_nm (x_ni - c_mi)^2, with K and e as above
 *     mixed     count x k    sum_n e_n K_nm (x_ni - c_mi)^2, 0 for the bias
 *     second    k x k        sum_n e_n sum_m alpha_m K_nm (x_ni - c_mi)^2 (x_nj - c_mj)^2
 * mixed and second may be NULL together. work: 2 n k doubles. */
void tamis_wnet_derivatives(const struct tamis_wnet *w, const double *a, const size_t *active, const double *alpha,
                            size_t count, const double *e, const size_t *which, size_t k, double *work,
                            double *jacobian, double *mixed, double *second);

/* At most `count` representative rows: pivots of the Cholesky factorisation of the n x n Gaussian matrix of x at
 * weights w, largest remaining diagonal first. Returns how many there are before the rest is below 1e-10. work:
 * n (count + d + 2) doubles. n count (count + d) flops. */
size_t tamis_wnet_pivots(size_t n, const double *x, size_t ldx, size_t d, const double *weight, size_t count,
                         double *work, size_t *pivot);

#endif
