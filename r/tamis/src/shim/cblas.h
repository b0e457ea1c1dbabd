/* CBLAS and LAPACK, as far as num/ calls them, over the BLAS and LAPACK of R: the core of tamis is compiled with this
 * header in place of the system's. R hands over Fortran routines, whose character arguments have hidden lengths
 * (FC_LEN_T); r_blas.c calls them through R's own prototypes. */
#ifndef TAMIS_R_CBLAS_H
#define TAMIS_R_CBLAS_H

#include <stddef.h>
#include <stdint.h>                     /* as the cblas.h of OpenBLAS has */

/* What num/lapack.h declares and calls under the Fortran names is ours, and goes on to R's. */
#define cblas_dgemm tamis_r_dgemm
#define cblas_dsyrk tamis_r_dsyrk
#define cblas_dsymm tamis_r_dsymm
#define cblas_dtrsm tamis_r_dtrsm
#define cblas_dtrmm tamis_r_dtrmm
#define dgesdd_ tamis_r_dgesdd
#define dgelsy_ tamis_r_dgelsy
#define dsytrd_ tamis_r_dsytrd
#define dormtr_ tamis_r_dormtr

typedef enum { CblasColMajor = 102 } CBLAS_ORDER;
typedef enum { CblasNoTrans = 111, CblasTrans = 112 } CBLAS_TRANSPOSE;
typedef enum { CblasUpper = 121, CblasLower = 122 } CBLAS_UPLO;
typedef enum { CblasNonUnit = 131 } CBLAS_DIAG;
typedef enum { CblasLeft = 141, CblasRight = 142 } CBLAS_SIDE;

void cblas_dgemm(CBLAS_ORDER order, CBLAS_TRANSPOSE opa, CBLAS_TRANSPOSE opb, int m, int n, int k, double alpha,
                 const double *a, int lda, const double *b, int ldb, double beta, double *c, int ldc);
void cblas_dsyrk(CBLAS_ORDER order, CBLAS_UPLO half, CBLAS_TRANSPOSE op, int n, int k, double alpha, const double *a,
                 int lda, double beta, double *c, int ldc);
void cblas_dsymm(CBLAS_ORDER order, CBLAS_SIDE side, CBLAS_UPLO half, int m, int n, double alpha, const double *a,
                 int lda, const double *b, int ldb, double beta, double *c, int ldc);
void cblas_dtrsm(CBLAS_ORDER order, CBLAS_SIDE side, CBLAS_UPLO half, CBLAS_TRANSPOSE op, CBLAS_DIAG diagonal, int m,
                 int n, double alpha, const double *t, int ldt, double *b, int ldb);
void cblas_dtrmm(CBLAS_ORDER order, CBLAS_SIDE side, CBLAS_UPLO half, CBLAS_TRANSPOSE op, CBLAS_DIAG diagonal, int m,
                 int n, double alpha, const double *t, int ldt, double *b, int ldb);

#endif
