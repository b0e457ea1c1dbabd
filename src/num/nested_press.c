/* PRESS of nested least-squares fits.
 *
 *     e_i = (t_i - h_i beta) / (1 - h_i P h_i^T),    P = (H^T H)^-1,    h_i a row of H
 *
 * With H = Q R the fit on the first s columns is Q_s Q_s^T t and its leverages are the sums of q_ij^2 over j < s, so
 * that one basis gives all sizes. Q comes from the Cholesky factor of H^T H, applied twice: matrix products only, and
 * orthogonal to rounding after the second pass if the first came close. Where H^T H is not positive definite enough, Q
 * comes from block Gram-Schmidt, twice per panel: projection off the columns before it (two products), then
 * orthogonalisation inside. A column with |h - Q Q^T h|^2 <= 1e-10 |h|^2 lies in the span of those before it and adds
 * nothing: fits and leverages are those of the projector on the column space.
 *
 * DIFFERS [1] section 5.3, which writes t_i - h_i without beta and calls h_i a column.
 * [1] F. Mateo, A. Lendasse, A variable selection approach based on the Delta Test for Extreme Learning Machine models,
 *     2008. */
#include <math.h>
#include <string.h>
#include "base/base.h"
#include "num/cholesky.h"
#include "num/lapack.h"
#include "num/nested_press.h"

enum { PANEL = 16 };
static const double collinear = 1e-10, leverage_one = 1e-12;

size_t tamis_press_size(size_t n, size_t m, size_t k)
{
    return m * k + n + n * k + (n < m ? n * n : m * m) + PANEL * (m + 1);
}

void tamis_press_bind(struct tamis_press *w, size_t n, size_t m, size_t k, double *h, const double *y, double *memory)
{
    *w = (struct tamis_press){.n = n, .m = m, .k = k, .q = h, .y = y};
    w->leverage = memory;
    w->residual = w->leverage + n;
    w->qy = w->residual + n * k;
    w->triangle = w->qy + m * k;
    w->work = w->triangle + (n < m ? n * n : m * m);
}

/* Projects columns at..at+count-1 off the first `at`. */
static void project(struct tamis_press *w, size_t at, size_t count)
{
    double *panel = w->q + w->n * at;
    if (!at) return;
    tamis_gemm(TRANS, PLAIN, at, count, w->n, 1, w->q, w->n, panel, w->n, 0, w->work, at);
    tamis_gemm(PLAIN, PLAIN, w->n, count, at, -1, w->q, w->n, w->work, at, 1, panel, w->n);
}

/* Projects a column of the panel off those before it in the panel and normalises it. length2: its original |.|^2. */
static void orthogonalise(struct tamis_press *w, const double *panel, size_t before, double *q, double length2)
{
    for (int pass = 0; pass < 2 && before; pass++) {
        tamis_gemv(TRANS, w->n, before, 1, panel, w->n, q, 0, w->work);
        tamis_gemv(PLAIN, w->n, before, -1, panel, w->n, w->work, 1, q);
    }
    double left = tamis_dot(w->n, q, q), scale = left > collinear * length2 ? 1 / sqrt(left) : 0;
    for (size_t i = 0; i < w->n; i++) q[i] *= scale;
}

static void gram_schmidt(struct tamis_press *w)
{
    double *length2 = w->work + PANEL * w->m;
    for (size_t at = 0; at < w->m; at += PANEL) {
        size_t count = w->m - at < PANEL ? w->m - at : PANEL;
        double *panel = w->q + w->n * at;
        for (size_t j = 0; j < count; j++) length2[j] = tamis_dot(w->n, panel + w->n * j, panel + w->n * j);
        for (int pass = 0; pass < 2; pass++) {
            project(w, at, count);
            for (size_t j = 0; j < count; j++) orthogonalise(w, panel, j, panel + w->n * j, pass ? 0 : length2[j]);
        }
    }
}

/* R^T R = Q^T Q, and Q = Q R^-1. 0: there is no such R, or a pivot shows that a column adds nothing; Q is unchanged. */
static int cholesky(struct tamis_press *w)
{
    double *r = w->triangle;
    tamis_syrk(CblasUpper, TRANS, w->m, w->n, 1, w->q, w->n, 0, r, w->m);
    for (size_t j = 0; j < w->m; j++) w->work[j] = r[j + w->m * j];
    if (tamis_cholesky(CblasUpper, w->m, r, w->m)) return 0;
    for (size_t j = 0; j < w->m; j++)
        if (!(r[j + w->m * j] * r[j + w->m * j] > collinear * w->work[j])) return 0;
    tamis_trsm(CblasRight, CblasUpper, PLAIN, w->n, w->m, r, w->m, w->q, w->n);
    return 1;
}

/* After the second pass R measures what the first had left: if it is near the identity, only rounding remains. */
static int nearly_orthogonal(const struct tamis_press *w)
{
    double most = 0;
    for (size_t j = 0; j < w->m; j++)
        for (size_t i = 0; i <= j; i++) most = fmax(most, fabs(w->triangle[i + w->m * j] - (double)(i == j)));
    return most < 0.1;
}

void tamis_press_factor(struct tamis_press *w)
{
    if (!(w->n > w->m && cholesky(w) && cholesky(w) && nearly_orthogonal(w))) gram_schmidt(w);
    tamis_gemm(TRANS, PLAIN, w->m, w->k, w->n, 1, w->q, w->n, w->y, w->n, 0, w->qy, w->m);
}

TAMIS_CLONES
static double add_column(size_t n, size_t k, const double *restrict q, const double *qy, size_t ld,
                         double *restrict leverage, double *restrict residual)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) leverage[i] += q[i] * q[i];
    for (size_t o = 0; o < k; o++) {
        double *restrict e = residual + n * o, b = qy[ld * o];
#pragma omp simd reduction(+ : sum)
        for (size_t i = 0; i < n; i++) {
            e[i] -= b * q[i];
            double left = 1 - leverage[i], loo = left > leverage_one ? e[i] / left : INFINITY;
            sum += loo * loo;
        }
    }
    return sum / (double)(n * k);
}

void tamis_press_errors(struct tamis_press *w, size_t stop, double *error)
{
    memset(w->leverage, 0, w->n * sizeof *w->leverage);
    memcpy(w->residual, w->y, w->n * w->k * sizeof *w->residual);
    for (size_t s = 0; s < w->m && s < stop; s++)
        error[s] = add_column(w->n, w->k, w->q + w->n * s, w->qy + s, w->m, w->leverage, w->residual);
}

void tamis_press_weights(struct tamis_press *w, const double *h, size_t size, double *triangle, double *beta)
{
    tamis_gemm(TRANS, PLAIN, size, size, w->n, 1, w->q, w->n, h, w->n, 0, triangle, size);         /* R = Q^T H */
    memset(beta, 0, w->m * w->k * sizeof *beta);
    for (size_t o = 0; o < w->k; o++)
        for (size_t i = size; i-- > 0; ) {
            double sum = w->qy[i + w->m * o], pivot = triangle[i + size * i];
            if (!(fabs(pivot) > 0)) continue;                           /* its q is zero */
            for (size_t j = i + 1; j < size; j++) sum -= triangle[i + size * j] * beta[j + w->m * o];
            beta[i + w->m * o] = sum / pivot;
        }
}
