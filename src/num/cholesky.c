/* Cholesky factors by halves:
 *
 *     [A11    ] = [L11    ] [L11^T L21^T]      L11 of A11;  L21 = A21 L11^-T;  L22 of A22 - L21 L21^T
 *     [A21 A22]   [L21 L22] [      L22^T]
 *
 * so that all but the leaves are matrix products. dpotrf's leaves call kernels whose rounding depends on alignment. */
#include "num/cholesky.h"

#include <math.h>
#include "base/watch.h"
#include "num/lapack.h"

enum { LEAF = 24 };

/* One column at a time: a_j -= sum over k < j of l_k l_jk, then divided by the root of its pivot. */
TAMIS_CLONES
static int leaf_lower(size_t n, double *restrict a, size_t lda)
{
    for (size_t j = 0; j < n; j++) {
        double *column = a + j * lda;
        for (size_t k = 0; k < j; k++) {
            const double *before = a + k * lda;
            double factor = before[j];
            for (size_t i = j; i < n; i++) column[i] -= factor * before[i];
        }
        if (!(column[j] > 0)) return (int)j + 1;
        double root = sqrt(column[j]);
        column[j] = root;
        for (size_t i = j + 1; i < n; i++) column[i] /= root;
    }
    return 0;
}

static int leaf_upper(size_t n, double *a, size_t lda)
{
    for (size_t j = 0; j < n; j++) {
        double *column = a + j * lda;
        tamis_trsv(CblasUpper, TRANS, j, a, lda, column);
        double left = column[j] - tamis_dot(j, column, column);
        if (!(left > 0)) return (int)j + 1;
        column[j] = sqrt(left);
    }
    return 0;
}

int tamis_cholesky(CBLAS_UPLO half, size_t n, double *a, size_t lda)
{
    int lower = half == CblasLower;
    if (n <= LEAF) return lower ? leaf_lower(n, a, lda) : leaf_upper(n, a, lda);
    if (tamis_halted(0)) return 1;
    size_t h = (n / 2 + 7) / 8 * 8, rest = n - h;
    double *next = a + h * (lda + 1), *beside = lower ? a + h : a + h * lda;
    int failed = tamis_cholesky(half, h, a, lda);
    if (failed) return failed;
    if (lower) {
        tamis_trsm(CblasRight, half, TRANS, rest, h, a, lda, beside, lda);
        tamis_syrk(half, PLAIN, rest, h, -1, beside, lda, 1, next, lda);
    } else {
        tamis_trsm(CblasLeft, half, TRANS, h, rest, a, lda, beside, lda);
        tamis_syrk(half, TRANS, rest, h, -1, beside, lda, 1, next, lda);
    }
    failed = tamis_cholesky(half, rest, next, lda);
    return failed ? failed + (int)h : 0;
}

void tamis_cholesky_solve(size_t n, const double *l, size_t lda, size_t columns, double *b, size_t ldb)
{
    if (columns == 1) {
        tamis_trsv(CblasLower, PLAIN, n, l, lda, b);
        tamis_trsv(CblasLower, TRANS, n, l, lda, b);
        return;
    }
    tamis_trsm(CblasLeft, CblasLower, PLAIN, n, columns, l, lda, b, ldb);
    tamis_trsm(CblasLeft, CblasLower, TRANS, n, columns, l, lda, b, ldb);
}
