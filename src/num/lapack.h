/* The Fortran LAPACK routines that num calls (LP64 integers, hidden lengths of character arguments last, as gfortran has them),
 * and the products of CBLAS with size_t sizes, unit increments and column-major order, as all of num has them. */
#ifndef TAMIS_LAPACK_H
#define TAMIS_LAPACK_H

#include <cblas.h>
#include <stddef.h>

#define TRANS CblasTrans
#define PLAIN CblasNoTrans

/* C = alpha op(A) op(B) + beta C, m x n, inner size k */
static inline void tamis_gemm(CBLAS_TRANSPOSE opa, CBLAS_TRANSPOSE opb, size_t m, size_t n, size_t k, double alpha, const double *a, size_t lda,
                              const double *b, size_t ldb, double beta, double *c, size_t ldc)
{
    cblas_dgemm(CblasColMajor, opa, opb, (int)m, (int)n, (int)k, alpha, a, (int)lda, b, (int)ldb, beta, c, (int)ldc);
}

/* y = alpha op(A) x + beta y, A m x n */
static inline void tamis_gemv(CBLAS_TRANSPOSE op, size_t m, size_t n, double alpha, const double *a, size_t lda, const double *x,
                              double beta, double *y)
{
    cblas_dgemv(CblasColMajor, op, (int)m, (int)n, alpha, a, (int)lda, x, 1, beta, y, 1);
}

/* y = alpha A x, A symmetric in its lower triangle */
static inline void tamis_symv(size_t n, double alpha, const double *a, size_t lda, const double *x, double *y)
{
    cblas_dsymv(CblasColMajor, CblasLower, (int)n, alpha, a, (int)lda, x, 1, 0.0, y, 1);
}

/* A -= x y^T + y x^T, lower triangle; x, y of k columns */
static inline void tamis_syr2k(size_t n, size_t k, const double *x, size_t ldx, const double *y, size_t ldy, double *a, size_t lda)
{
    cblas_dsyr2k(CblasColMajor, CblasLower, CblasNoTrans, (int)n, (int)k, -1.0, x, (int)ldx, y, (int)ldy, 1.0, a, (int)lda);
}

static inline double tamis_dot(size_t n, const double *x, const double *y)
{
    return cblas_ddot((int)n, x, 1, y, 1);
}

/* y += alpha x */
static inline void tamis_axpy(size_t n, double alpha, const double *x, double *y)
{
    cblas_daxpy((int)n, alpha, x, 1, y, 1);
}


/* C = A^T A, upper triangle; A m x n */
static inline void tamis_syrk(size_t m, size_t n, const double *a, size_t lda, double *c, size_t ldc)
{
    cblas_dsyrk(CblasColMajor, CblasUpper, CblasTrans, (int)n, (int)m, 1.0, a, (int)lda, 0.0, c, (int)ldc);
}

/* A = A R^-1, A m x n, R upper triangular */
static inline void tamis_trsm(size_t m, size_t n, const double *r, size_t ldr, double *a, size_t lda)
{
    cblas_dtrsm(CblasColMajor, CblasRight, CblasUpper, CblasNoTrans, CblasNonUnit, (int)m, (int)n, 1.0, r, (int)ldr, a, (int)lda);
}

void dpotrf_(const char *uplo, const int *n, double *a, const int *lda, int *info, size_t uplo_length);
/* QR of [A; B], A n x n upper triangular, B m x n with its last l rows trapezoidal; blocks of nb. */
void dtpqrt_(const int *m, const int *n, const int *l, const int *nb, double *a, const int *lda, double *b, const int *ldb, double *t, const int *ldt,
             double *work, int *info);
void dormqr_(const char *side, const char *trans, const int *m, const int *n, const int *k, const double *a, const int *lda,
             const double *tau, double *c, const int *ldc, double *work, const int *lwork, int *info, size_t side_length, size_t trans_length);
void dgesdd_(const char *jobz, const int *m, const int *n, double *a, const int *lda, double *s, double *u, const int *ldu,
             double *vt, const int *ldvt, double *work, const int *lwork, int *iwork, int *info, size_t jobz_length);
void dpotrs_(const char *uplo, const int *n, const int *nrhs, const double *a, const int *lda, double *b, const int *ldb, int *info, size_t uplo_length);
/* min |A X - B| by QR with column pivoting; A m x n of rank found, condition below 1 / rcond; the solution of least norm in B. */
void dgelsy_(const int *m, const int *n, const int *nrhs, double *a, const int *lda, double *b, const int *ldb, int *jpvt, const double *rcond,
             int *rank, double *work, const int *lwork, int *info);
#endif
