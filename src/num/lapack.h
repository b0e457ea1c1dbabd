/* The matrix products of BLAS and the LAPACK routines that num calls, with size_t sizes and column-major order as
 * everywhere in num. Nothing else calls BLAS or LAPACK. Matrix products give the same bits at every alignment under
 * every kernel set (tests/test_blas.c); LAPACK's routines do not, and are given aligned memory. */
#ifndef TAMIS_LAPACK_H
#define TAMIS_LAPACK_H

#include <stdint.h>
#include "num/level2.h"

/* ---- products.c: large ones in pieces; once the run is to stop they do nothing ---- */

/* C = alpha op(A) op(B) + beta C, m x n, inner size k */
void tamis_gemm(CBLAS_TRANSPOSE opa, CBLAS_TRANSPOSE opb, size_t m, size_t n, size_t k, double alpha, const double *a,
                size_t lda, const double *b, size_t ldb, double beta, double *c, size_t ldc);
/* C = alpha op(A) op(A)^T + beta C over one half of C, n x n; op(A) n x k */
void tamis_syrk(CBLAS_UPLO half, CBLAS_TRANSPOSE op, size_t n, size_t k, double alpha, const double *a, size_t lda,
                double beta, double *c, size_t ldc);
/* C = A B, A n x n symmetric in its lower triangle, B n x m */
void tamis_symm(size_t n, size_t m, const double *a, size_t lda, const double *b, size_t ldb, double *c, size_t ldc);
/* B = op(T)^-1 B (side CblasLeft) or B op(T)^-1 (CblasRight), B m x n, T triangular */
void tamis_trsm(CBLAS_SIDE side, CBLAS_UPLO half, CBLAS_TRANSPOSE op, size_t m, size_t n, const double *t, size_t ldt,
                double *b, size_t ldb);
/* B = T B, T m x m upper triangular, B m x n */
void tamis_trmm(size_t m, size_t n, const double *t, size_t ldt, double *b, size_t ldb);

/* ---- LAPACK ---- */

/* The first multiple of 64 bytes at or after p, at most TAMIS_ALIGNMENT doubles further. */
enum { TAMIS_ALIGNMENT = 8 };
static inline double *tamis_aligned(double *p) { return (double *)(((uintptr_t)p + 63) & ~(uintptr_t)63); }

/* Fortran: LP64 integers, hidden lengths of character arguments last, as in gfortran. */
void dgesdd_(const char *jobz, const int *m, const int *n, double *a, const int *lda, double *s, double *u,
             const int *ldu, double *vt, const int *ldvt, double *work, const int *lwork, int *iwork, int *info,
             size_t jobz_length);
void dgelsy_(const int *m, const int *n, const int *nrhs, double *a, const int *lda, double *b, const int *ldb,
             int *jpvt, const double *rcond, int *rank, double *work, const int *lwork, int *info);
void dsytrd_(const char *uplo, const int *n, double *a, const int *lda, double *d, double *e, double *tau, double *work,
             const int *lwork, int *info, size_t uplo_length);
void dormtr_(const char *side, const char *uplo, const char *op, const int *m, const int *n, const double *a,
             const int *lda, const double *tau, double *c, const int *ldc, double *work, const int *lwork, int *info,
             size_t side_length, size_t uplo_length, size_t op_length);

/* The same with size_t sizes; lapack.c. Nonzero: it failed, or the run is to stop. room: doubles at work. */

/* A = U diag(s) V^T, n x n, in U and vt; A is lost; iwork: 8 n */
int tamis_gesdd(size_t n, double *a, double *s, double *u, double *vt, double *work, size_t room, int *iwork);
/* min |A X - B| by QR with column pivoting, A m x n, B of k columns; finds the rank of A from condition numbers below
 * 1 / limit. Leaves the minimum-norm solution in B; pivot: n. */
int tamis_gelsy(size_t m, size_t n, size_t k, double *a, double *b, size_t ldb, int *pivot, double limit, size_t *rank,
                double *work, size_t room);
/* A = Q T Q', A symmetric in its lower half, n x n, T tridiagonal (diagonal d, off-diagonal e); Q is left in A, tau */
int tamis_sytrd(size_t n, double *a, double *d, double *e, double *tau, double *work, size_t room);
/* C = op(Q) C, C m x n, with the Q of tamis_sytrd; op "N" or "T" */
int tamis_ormtr(const char *op, size_t m, size_t n, const double *a, const double *tau, double *c, double *work,
                size_t room);

#endif
