/* Vectors, and matrices times vectors: four numbers at a time, four columns at a time. */
#include "num/level2.h"

#include <math.h>
#include <string.h>
#include "base/watch.h"
#include "num/quads.h"

/* ---- vectors ---- */

TAMIS_CLONES
static double dot(size_t n, const double *x, const double *y)
{
    quad s0 = {0}, s1 = {0}, s2 = {0}, s3 = {0};
    size_t i = 0;
    for (; i + 16 <= n; i += 16) {
        s0 += AT(x, i) * AT(y, i);
        s1 += AT(x, i + 4) * AT(y, i + 4);
        s2 += AT(x, i + 8) * AT(y, i + 8);
        s3 += AT(x, i + 12) * AT(y, i + 12);
    }
    for (; i + 4 <= n; i += 4) s0 += AT(x, i) * AT(y, i);
    s0 = (s0 + s1) + (s2 + s3);
    double sum = SUM(s0);
    for (; i < n; i++) sum += x[i] * y[i];
    return sum;
}

double tamis_dot(size_t n, const double *x, const double *y) { return dot(n, x, y); }

TAMIS_CLONES
static void axpy(size_t n, double alpha, const double *x, double *y)
{
    size_t i = 0;
    for (; i + 8 <= n; i += 8) {
        quad low = AT(y, i) + alpha * AT(x, i), high = AT(y, i + 4) + alpha * AT(x, i + 4);
        TO(y, i) = low;
        TO(y, i + 4) = high;
    }
    for (; i < n; i++) y[i] += alpha * x[i];
}

void tamis_axpy(size_t n, double alpha, const double *x, double *y) { axpy(n, alpha, x, y); }

TAMIS_CLONES
static void scale(size_t n, double alpha, double *x)
{
    for (size_t i = 0; i < n; i++) x[i] *= alpha;
}

void tamis_scale(size_t n, double alpha, double *x) { scale(n, alpha, x); }

double tamis_sum_abs(size_t n, const double *x)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += fabs(x[i]);
    return sum;
}

size_t tamis_largest(size_t n, const double *x)
{
    size_t best = 0;
    for (size_t i = 1; i < n; i++)
        if (fabs(x[i]) > fabs(x[best])) best = i;
    return best;
}

double tamis_norm(size_t n, const double *x)
{
    double squares = dot(n, x, x), sum = 0;
    if ((squares > 1e-280 && squares < 1e280) || n == 0) return sqrt(squares);
    double largest = fabs(x[tamis_largest(n, x)]);
    if (!(largest > 0) || !isfinite(largest)) return squares != squares ? squares : largest;
    for (size_t i = 0; i < n; i++) sum += (x[i] / largest) * (x[i] / largest);
    return largest * sqrt(sum);
}

TAMIS_CLONES
static void rotate(size_t n, double *restrict x, double *restrict y, double c, double s)
{
    for (size_t i = 0; i < n; i++) {
        double old = x[i];
        x[i] = c * old + s * y[i];
        y[i] = c * y[i] - s * old;
    }
}

void tamis_rotate(size_t n, double *x, double *y, double c, double s) { rotate(n, x, y, c, s); }

/* ---- matrix times vector ---- */

/* y += A x of four columns */
TAMIS_CLONES
static void add_columns(size_t m, const double *a, size_t lda, const double *x, double *y)
{
    const double *a0 = a, *a1 = a0 + lda, *a2 = a1 + lda, *a3 = a2 + lda;
    double x0 = x[0], x1 = x[1], x2 = x[2], x3 = x[3];
    size_t i = 0;
    for (; i + 4 <= m; i += 4)
        TO(y, i) = AT(y, i) + ((AT(a0, i) * x0 + AT(a1, i) * x1) + (AT(a2, i) * x2 + AT(a3, i) * x3));
    for (; i < m; i++) y[i] += (a0[i] * x0 + a1[i] * x1) + (a2[i] * x2 + a3[i] * x3);
}

/* sum[k] = a_k . x of four columns */
TAMIS_CLONES
static void dot_columns(size_t m, const double *a, size_t lda, const double *x, double *sum)
{
    const double *a0 = a, *a1 = a0 + lda, *a2 = a1 + lda, *a3 = a2 + lda;
    quad s0 = {0}, s1 = {0}, s2 = {0}, s3 = {0}, t0 = {0}, t1 = {0}, t2 = {0}, t3 = {0};
    size_t i = 0;
    for (; i + 8 <= m; i += 8) {
        quad low = AT(x, i), high = AT(x, i + 4);
        s0 += AT(a0, i) * low, t0 += AT(a0, i + 4) * high;
        s1 += AT(a1, i) * low, t1 += AT(a1, i + 4) * high;
        s2 += AT(a2, i) * low, t2 += AT(a2, i + 4) * high;
        s3 += AT(a3, i) * low, t3 += AT(a3, i + 4) * high;
    }
    s0 += t0, s1 += t1, s2 += t2, s3 += t3;
    sum[0] = SUM(s0), sum[1] = SUM(s1), sum[2] = SUM(s2), sum[3] = SUM(s3);
    for (; i < m; i++) {
        sum[0] += a0[i] * x[i], sum[1] += a1[i] * x[i];
        sum[2] += a2[i] * x[i], sum[3] += a3[i] * x[i];
    }
}

/* Whether a product of so many elements is not wanted any more; small ones are not worth the question. */
static int skipped(size_t m, size_t n) { return m * n > 4096 && tamis_halted(2.0 * (double)m * (double)n); }

static void scale_or_clear(size_t n, double beta, double *y)
{
    if (beta == 0) memset(y, 0, n * sizeof *y);
    else if (beta != 1) scale(n, beta, y);
}

static void gemv_plain(size_t m, size_t n, double alpha, const double *a, size_t lda, const double *x, double *y)
{
    size_t j = 0;
    for (; j + 4 <= n; j += 4) {
        double ax[4] = {alpha * x[j], alpha * x[j + 1], alpha * x[j + 2], alpha * x[j + 3]};
        add_columns(m, a + j * lda, lda, ax, y);
    }
    for (; j < n; j++) axpy(m, alpha * x[j], a + j * lda, y);
}

static void gemv_trans(size_t m, size_t n, double alpha, const double *a, size_t lda, const double *x, double *y)
{
    size_t j = 0;
    for (; j + 4 <= n; j += 4) {
        double sum[4];
        dot_columns(m, a + j * lda, lda, x, sum);
        for (size_t k = 0; k < 4; k++) y[j + k] += alpha * sum[k];
    }
    for (; j < n; j++) y[j] += alpha * dot(m, a + j * lda, x);
}

void tamis_gemv(CBLAS_TRANSPOSE op, size_t m, size_t n, double alpha, const double *a, size_t lda, const double *x,
                double beta, double *y)
{
    scale_or_clear(op == PLAIN ? m : n, beta, y);
    if (skipped(m, n)) return;
    (op == PLAIN ? gemv_plain : gemv_trans)(m, n, alpha, a, lda, x, y);
}

/* Four columns of a symmetric matrix below their 4 x 4 block: y += A x4 and sum[k] = a_k . x in one pass. */
TAMIS_CLONES
static void both_ways(size_t m, const double *a, size_t lda, const double *x4, const double *x, double *y, double *sum)
{
    const double *a0 = a, *a1 = a0 + lda, *a2 = a1 + lda, *a3 = a2 + lda;
    double x0 = x4[0], x1 = x4[1], x2 = x4[2], x3 = x4[3];
    quad s0 = {0}, s1 = {0}, s2 = {0}, s3 = {0};
    size_t i = 0;
    for (; i + 4 <= m; i += 4) {
        quad v = AT(x, i), b0 = AT(a0, i), b1 = AT(a1, i), b2 = AT(a2, i), b3 = AT(a3, i);
        TO(y, i) = AT(y, i) + ((b0 * x0 + b1 * x1) + (b2 * x2 + b3 * x3));
        s0 += b0 * v, s1 += b1 * v, s2 += b2 * v, s3 += b3 * v;
    }
    sum[0] = SUM(s0), sum[1] = SUM(s1), sum[2] = SUM(s2), sum[3] = SUM(s3);
    for (; i < m; i++) {
        y[i] += (a0[i] * x0 + a1[i] * x1) + (a2[i] * x2 + a3[i] * x3);
        sum[0] += a0[i] * x[i], sum[1] += a1[i] * x[i];
        sum[2] += a2[i] * x[i], sum[3] += a3[i] * x[i];
    }
}

/* y += A x for the lower triangle of a block of at most four columns. */
static void corner(size_t n, const double *a, size_t lda, const double *x, double *y)
{
    for (size_t j = 0; j < n; j++) {
        y[j] += a[j + j * lda] * x[j];
        for (size_t i = j + 1; i < n; i++) {
            y[i] += a[i + j * lda] * x[j];
            y[j] += a[i + j * lda] * x[i];
        }
    }
}

void tamis_symv(size_t n, double alpha, const double *a, size_t lda, const double *x, double *y)
{
    size_t j = 0;
    memset(y, 0, n * sizeof *y);
    if (skipped(n, n)) return;
    for (; j + 4 < n; j += 4) {
        double sum[4];
        corner(4, a + j * (lda + 1), lda, x + j, y + j);
        both_ways(n - j - 4, a + j * (lda + 1) + 4, lda, x + j, x + j + 4, y + j + 4, sum);
        for (size_t k = 0; k < 4; k++) y[j + k] += sum[k];
    }
    corner(n - j, a + j * (lda + 1), lda, x + j, y + j);
    scale(n, alpha, y);
}

void tamis_syr(size_t n, double alpha, const double *x, double *a, size_t lda)
{
    if (skipped(n, n)) return;
    for (size_t j = 0; j < n; j++) axpy(n - j, alpha * x[j], x + j, a + j * (lda + 1));
}

/* ---- triangles ---- */

static void lower_plain(size_t n, const double *a, size_t lda, double *x)
{
    for (size_t j = 0; j < n; j++) {
        x[j] /= a[j * (lda + 1)];
        axpy(n - j - 1, -x[j], a + j * (lda + 1) + 1, x + j + 1);
    }
}

static void lower_trans(size_t n, const double *a, size_t lda, double *x)
{
    for (size_t i = n; i-- > 0;) x[i] = (x[i] - dot(n - i - 1, a + i * (lda + 1) + 1, x + i + 1)) / a[i * (lda + 1)];
}

static void upper_plain(size_t n, const double *a, size_t lda, double *x)
{
    for (size_t j = n; j-- > 0;) {
        x[j] /= a[j * (lda + 1)];
        axpy(j, -x[j], a + j * lda, x);
    }
}

static void upper_trans(size_t n, const double *a, size_t lda, double *x)
{
    for (size_t i = 0; i < n; i++) x[i] = (x[i] - dot(i, a + i * lda, x)) / a[i * (lda + 1)];
}

void tamis_trsv(CBLAS_UPLO half, CBLAS_TRANSPOSE op, size_t n, const double *a, size_t lda, double *x)
{
    if (skipped(n, n)) return;
    if (half == CblasLower) (op == PLAIN ? lower_plain : lower_trans)(n, a, lda, x);
    else (op == PLAIN ? upper_plain : upper_trans)(n, a, lda, x);
}
