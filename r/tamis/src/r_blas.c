/* The BLAS and LAPACK of R behind shim/cblas.h, through R's own prototypes. Column-major order, as Fortran has it. */
#ifndef USE_FC_LEN_T
#define USE_FC_LEN_T
#endif
#include <Rconfig.h>
#include <R_ext/BLAS.h>
#include <R_ext/Lapack.h>
#ifndef FCONE
#define FCONE
#endif
#include "num/lapack.h"
#undef dgesdd_                          /* from here on these are R's */
#undef dgelsy_
#undef dsytrd_
#undef dormtr_

static const char *letter(CBLAS_TRANSPOSE op) { return op == CblasTrans ? "T" : "N"; }
static const char *triangle(CBLAS_UPLO half) { return half == CblasUpper ? "U" : "L"; }
static const char *place(CBLAS_SIDE side) { return side == CblasLeft ? "L" : "R"; }

void cblas_dgemm(CBLAS_ORDER order, CBLAS_TRANSPOSE opa, CBLAS_TRANSPOSE opb, int m, int n, int k, double alpha,
                 const double *a, int lda, const double *b, int ldb, double beta, double *c, int ldc)
{
    (void)order;
    F77_CALL(dgemm)(letter(opa), letter(opb), &m, &n, &k, &alpha, a, &lda, b, &ldb, &beta, c, &ldc FCONE FCONE);
}

void cblas_dsyrk(CBLAS_ORDER order, CBLAS_UPLO half, CBLAS_TRANSPOSE op, int n, int k, double alpha, const double *a,
                 int lda, double beta, double *c, int ldc)
{
    (void)order;
    F77_CALL(dsyrk)(triangle(half), letter(op), &n, &k, &alpha, a, &lda, &beta, c, &ldc FCONE FCONE);
}

void cblas_dsymm(CBLAS_ORDER order, CBLAS_SIDE side, CBLAS_UPLO half, int m, int n, double alpha, const double *a,
                 int lda, const double *b, int ldb, double beta, double *c, int ldc)
{
    (void)order;
    F77_CALL(dsymm)(place(side), triangle(half), &m, &n, &alpha, a, &lda, b, &ldb, &beta, c, &ldc FCONE FCONE);
}

void cblas_dtrsm(CBLAS_ORDER order, CBLAS_SIDE side, CBLAS_UPLO half, CBLAS_TRANSPOSE op, CBLAS_DIAG diagonal, int m,
                 int n, double alpha, const double *t, int ldt, double *b, int ldb)
{
    (void)order, (void)diagonal;
    F77_CALL(dtrsm)(place(side), triangle(half), letter(op), "N", &m, &n, &alpha, t, &ldt, b, &ldb
                    FCONE FCONE FCONE FCONE);
}

void cblas_dtrmm(CBLAS_ORDER order, CBLAS_SIDE side, CBLAS_UPLO half, CBLAS_TRANSPOSE op, CBLAS_DIAG diagonal, int m,
                 int n, double alpha, const double *t, int ldt, double *b, int ldb)
{
    (void)order, (void)diagonal;
    F77_CALL(dtrmm)(place(side), triangle(half), letter(op), "N", &m, &n, &alpha, t, &ldt, b, &ldb
                    FCONE FCONE FCONE FCONE);
}

void tamis_r_dgesdd(const char *jobz, const int *m, const int *n, double *a, const int *lda, double *s, double *u,
                    const int *ldu, double *vt, const int *ldvt, double *work, const int *lwork, int *iwork, int *info,
                    size_t jobz_length)
{
    (void)jobz_length;
    F77_CALL(dgesdd)(jobz, m, n, a, lda, s, u, ldu, vt, ldvt, work, lwork, iwork, info FCONE);
}

void tamis_r_dgelsy(const int *m, const int *n, const int *nrhs, double *a, const int *lda, double *b, const int *ldb,
                    int *jpvt, const double *rcond, int *rank, double *work, const int *lwork, int *info)
{
    F77_CALL(dgelsy)(m, n, nrhs, a, lda, b, ldb, jpvt, rcond, rank, work, lwork, info);
}

void tamis_r_dsytrd(const char *uplo, const int *n, double *a, const int *lda, double *d, double *e, double *tau,
                    double *work, const int *lwork, int *info, size_t uplo_length)
{
    (void)uplo_length;
    F77_CALL(dsytrd)(uplo, n, a, lda, d, e, tau, work, lwork, info FCONE);
}

void tamis_r_dormtr(const char *side, const char *uplo, const char *op, const int *m, const int *n, const double *a,
                    const int *lda, const double *tau, double *c, const int *ldc, double *work, const int *lwork,
                    int *info, size_t side_length, size_t uplo_length, size_t op_length)
{
    (void)side_length, (void)uplo_length, (void)op_length;
    F77_CALL(dormtr)(side, uplo, op, m, n, a, lda, tau, c, ldc, work, lwork, info FCONE FCONE FCONE);
}
