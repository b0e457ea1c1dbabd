/* Squared distances one variable at a time, and their Gaussians. */
#ifndef TAMIS_GAUSS_H
#define TAMIS_GAUSS_H

#include <stddef.h>

/* d2 (n x n, column-major) += (x_i - x_j)^2, lower triangle with its diagonal; the upper triangle is not touched. Equal
 * rows give exact zeros. About n^2 / 2 multiply-adds, bound by memory. */
void tamis_dist_add(size_t n, const double *x, double *d2);

/* d2 (n x m, column-major) += (x_i - c_j)^2. */
void tamis_dist_cross(size_t n, const double *x, size_t m, const double *c, double *d2);

/* out = exp(-scale d2), n values within 1 ulp; exactly 1 at 0, gradual underflow to 0. scale d2 >= 0; out may be d2. */
void tamis_exp_scale(size_t n, const double *d2, double scale, double *out);

/* g = exp(-d2 / sigma2), n x n, lower triangle of d2 to lower triangle of g; the upper triangles are not touched. */
void tamis_gauss(size_t n, const double *d2, double sigma2, double *g);

/* Rows against centres over the chosen columns: g (rows x m, leading dimension ldg) = exp(-d2 / sigma2) with d2_ij =
 * sum over v < count of (x_i,columns[v] - c_j,columns[v])^2; x and c are column-major with leading dimensions ldx and
 * ldc. sigma2 = 0 leaves d2 itself. */
void tamis_gauss_cross(size_t rows, const double *x, size_t ldx, size_t m, const double *c, size_t ldc,
                       const size_t *columns, size_t count, double sigma2, double *g, size_t ldg);

#endif
