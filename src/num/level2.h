/* Vector and matrix-vector operations. Our own, because the rounding of some OpenBLAS kernels depends on the alignment
 * of their arguments (dot, asum, gemv, trsv and what is built on them, with the Prescott and Sandybridge kernels;
 * tests/test_blas.c). Here the order of sums depends on the sizes alone. Matrices are column-major, increments 1. */
#ifndef TAMIS_LEVEL2_H
#define TAMIS_LEVEL2_H

#include <cblas.h>
#include <stddef.h>

#define TRANS CblasTrans
#define PLAIN CblasNoTrans

double tamis_dot(size_t n, const double *x, const double *y);
void tamis_axpy(size_t n, double alpha, const double *x, double *y);            /* y += alpha x */
void tamis_scale(size_t n, double alpha, double *x);                            /* x *= alpha */
double tamis_norm(size_t n, const double *x);           /* |x|, without intermediate overflow or underflow */
double tamis_sum_abs(size_t n, const double *x);
size_t tamis_largest(size_t n, const double *x);        /* the first index of the largest |x_i|; n > 0 */
/* (x, y) = (c x + s y, c y - s x) */
void tamis_rotate(size_t n, double *x, double *y, double c, double s);

/* y = alpha op(A) x + beta y, A m x n; with beta = 0, y is not read. */
void tamis_gemv(CBLAS_TRANSPOSE op, size_t m, size_t n, double alpha, const double *a, size_t lda, const double *x,
                double beta, double *y);
/* y = alpha A x, A symmetric in its lower triangle; each element is read once */
void tamis_symv(size_t n, double alpha, const double *a, size_t lda, const double *x, double *y);
/* A += alpha x x^T, lower triangle */
void tamis_syr(size_t n, double alpha, const double *x, double *a, size_t lda);
/* x = op(A)^-1 x, A triangular */
void tamis_trsv(CBLAS_UPLO half, CBLAS_TRANSPOSE op, size_t n, const double *a, size_t lda, double *x);

#endif
