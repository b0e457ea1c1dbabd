/* Matrix products by BLAS, in pieces between which a stop is heard (base/watch.h).
 *
 * Large products are cut into blocks of columns, and of rows where one such block is still large; the sums over the
 * inner size are not cut. A cut at a multiple of BLOCK falls between two tiles of every kernel, and no piece is short,
 * so that every element is summed by the same kernel in the same order as in one call (tests/test_products.c). */
#include <string.h>
#include "base/watch.h"
#include "num/lapack.h"

enum { BLOCK = 192 };
static const double piece = 5e8;                /* operations: some hundredths of a second */

/* How many of n to take next, where each costs flops: all that are left, or at least BLOCK. */
static size_t next_of(size_t left, double flops)
{
    double most = piece / flops;
    size_t step = most < 2 * BLOCK ? BLOCK : most < (double)left ? (size_t)most / BLOCK * BLOCK : left;
    return left < 2 * step ? left : step;
}

/* What a product that was stopped leaves where it would not have read: nothing uninitialised. */
static void clear(size_t m, size_t n, double *c, size_t ldc)
{
    for (size_t j = 0; j < n; j++) memset(c + j * ldc, 0, m * sizeof *c);
}

struct gemm { CBLAS_TRANSPOSE opa, opb; size_t k, lda, ldb, ldc; double alpha, beta; };

static void gemm_rows(const struct gemm *g, size_t m, size_t n, const double *a, const double *b, double *c)
{
    double row = 2.0 * (double)n * (double)g->k;
    for (size_t i = 0, h; i < m; i += h) {
        h = next_of(m - i, row);
        if (tamis_halted((double)h * row)) {
            if (g->beta == 0) clear(m - i, n, c + i, g->ldc);
            return;
        }
        cblas_dgemm(CblasColMajor, g->opa, g->opb, (int)h, (int)n, (int)g->k, g->alpha,
                    a + i * (g->opa == PLAIN ? 1 : g->lda), (int)g->lda, b, (int)g->ldb, g->beta, c + i, (int)g->ldc);
    }
}

void tamis_gemm(CBLAS_TRANSPOSE opa, CBLAS_TRANSPOSE opb, size_t m, size_t n, size_t k, double alpha, const double *a,
                size_t lda, const double *b, size_t ldb, double beta, double *c, size_t ldc)
{
    struct gemm g = {opa, opb, k, lda, ldb, ldc, alpha, beta};
    double column = 2.0 * (double)m * (double)k;
    for (size_t j = 0, w; j < n; j += w) {
        w = next_of(n - j, column);
        gemm_rows(&g, m, w, a, b + j * (opb == PLAIN ? ldb : 1), c + j * ldc);
    }
}

void tamis_syrk(CBLAS_UPLO half, CBLAS_TRANSPOSE op, size_t n, size_t k, double alpha, const double *a, size_t lda,
                double beta, double *c, size_t ldc)
{
    if (tamis_halted((double)n * (double)n * (double)k)) {
        if (beta == 0) clear(n, n, c, ldc);
    } else cblas_dsyrk(CblasColMajor, half, op, (int)n, (int)k, alpha, a, (int)lda, beta, c, (int)ldc);
}

void tamis_symm(size_t n, size_t m, const double *a, size_t lda, const double *b, size_t ldb, double *c, size_t ldc)
{
    double column = 2.0 * (double)n * (double)n;
    for (size_t j = 0, w; j < m; j += w) {
        w = next_of(m - j, column);
        if (tamis_halted((double)w * column)) {
            clear(n, m - j, c + j * ldc, ldc);
            return;
        }
        cblas_dsymm(CblasColMajor, CblasLeft, CblasLower, (int)n, (int)w, 1.0, a, (int)lda, b + j * ldb, (int)ldb, 0.0,
                    c + j * ldc, (int)ldc);
    }
}

/* The columns of B are independent of each other where T stands at its left, its rows where T stands at its right. */
void tamis_trsm(CBLAS_SIDE side, CBLAS_UPLO half, CBLAS_TRANSPOSE op, size_t m, size_t n, const double *t, size_t ldt,
                double *b, size_t ldb)
{
    int left = side == CblasLeft;
    double size = (double)(left ? m : n), flops = size * size;
    for (size_t at = 0, w, all = left ? n : m; at < all; at += w) {
        w = next_of(all - at, flops);
        if (tamis_halted((double)w * flops)) return;
        cblas_dtrsm(CblasColMajor, side, half, op, CblasNonUnit, (int)(left ? m : w), (int)(left ? w : n), 1.0, t,
                    (int)ldt, b + at * (left ? ldb : 1), (int)ldb);
    }
}

void tamis_trmm(size_t m, size_t n, const double *t, size_t ldt, double *b, size_t ldb)
{
    if (tamis_halted((double)m * (double)m * (double)n)) return;
    cblas_dtrmm(CblasColMajor, CblasLeft, CblasUpper, CblasNoTrans, CblasNonUnit, (int)m, (int)n, 1.0, t, (int)ldt, b,
                (int)ldb);
}
