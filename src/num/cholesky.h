/* Cholesky factors whose digits do not depend on the alignment of memory. */
#ifndef TAMIS_CHOLESKY_H
#define TAMIS_CHOLESKY_H

#include <cblas.h>
#include <stddef.h>

/* A = L L^T (half CblasLower) or R^T R (CblasUpper) over that half of A, n x n; the other half is neither read nor
 * written. 0, or the number, counted from 1, of the first pivot that is not positive. n^3 / 3 flops. */
int tamis_cholesky(CBLAS_UPLO half, size_t n, double *a, size_t lda);

/* B = (L L^T)^-1 B, B n x columns with leading dimension ldb. 2 n^2 columns flops. */
void tamis_cholesky_solve(size_t n, const double *l, size_t lda, size_t columns, double *b, size_t ldb);

#endif
