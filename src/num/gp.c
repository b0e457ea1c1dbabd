/* Marginal likelihood and its gradient in one pass: a Cholesky factor, its inverse, one product M X.
 *
 *     dL/dtheta = -1/2 tr(A dC/dtheta),   A = sum_o alpha_o alpha_o^T - l C^-1,   M = A o (a E)
 *     dL/dlog a = -1/2 sum M,   dL/dlog s = -s/2 sum_j A_jj / v_j + l/2 sum_j (v_j - 1)
 *     dL/dlog w_i = w_i (sum_j (M 1)_j x_ji^2 - x_i^T M x_i)
 *
 * [1] C. Rasmussen, C. Williams: Gaussian Processes for Machine Learning, 2006, eqs. 5.8, 5.9, 5.12. */
#include "num/gp.h"

#include <math.h>
#include <string.h>
#include "base/base.h"
#include "num/cholesky.h"
#include "num/gauss.h"
#include "num/lapack.h"
#include "num/weighted.h"

size_t tamis_gp_size(size_t n, size_t d, size_t outputs) { return 3 * n * n + 2 * n * d + n * outputs + 3 * n; }

void tamis_gp_bind(struct tamis_gp *g, size_t n, size_t d, size_t outputs, const double *x, const double *y,
                   double bias, double *memory)
{
    *g = (struct tamis_gp){.n = n, .d = d, .outputs = outputs, .x = x, .y = y, .bias = bias};
    g->e = memory;
    g->c = g->e + n * n;
    g->m = g->c + n * n;
    g->z = g->m + n * n;
    g->mx = g->z + n * d;
    g->alpha = g->mx + n * d;
    g->norm = g->alpha + n * outputs;
    g->ones = g->norm + n;
    g->row = g->ones + n;
    for (size_t j = 0; j < n; j++) g->ones[j] = 1;
}

void tamis_gp_weigh(struct tamis_gp *g, const double *v)
{
    g->v = v;
    g->copies = g->logs = 0;
    for (size_t j = 0; v && j < g->n; j++) g->copies += v[j] - 1, g->logs += log(v[j]);
}

/* z = x sqrt(w), norm = |z_j|^2. */
static void scale_rows(const double *x, size_t n, size_t ld, size_t d, const double *theta, double *z, double *norm)
{
    memset(norm, 0, n * sizeof *norm);
    for (size_t i = 0; i < d; i++) {
        double root = exp(0.5 * theta[i]);
        for (size_t j = 0; j < n; j++) {
            z[j + n * i] = root * x[j + ld * i];
            norm[j] += z[j + n * i] * z[j + n * i];
        }
    }
}

/* Squared distances from products, in place: d2 = |z_j|^2 + |z_k|^2 - 2 z_j.z_k, at least 0. */
TAMIS_CLONES
static void products_to_distances(size_t n, const double *restrict norm, double other, double *restrict d2)
{
    for (size_t j = 0; j < n; j++) {
        double v = norm[j] + other - 2 * d2[j];
        d2[j] = v > 0 ? v : 0;
    }
}

/* The lower triangle of a E. */
static void gaussians(struct tamis_gp *g, const double *theta)
{
    scale_rows(g->x, g->n, g->n, g->d, theta, g->z, g->norm);
    tamis_syrk(CblasLower, PLAIN, g->n, g->d, 1, g->z, g->n, 0, g->e, g->n);
    double a = exp(theta[g->d]);
    for (size_t k = 0; k < g->n; k++) {
        double *column = g->e + k * (g->n + 1);
        products_to_distances(g->n - k, g->norm + k, g->norm[k], column);
        tamis_exp_scale(g->n - k, column, 1, column);
        tamis_scale(g->n - k, a, column);
        column[0] = a;
    }
}

/* C, its factor, and alpha; half the log determinant in *half. 0 on success. */
static int factorise(struct tamis_gp *g, const double *theta, double *half)
{
    double s = exp(theta[g->d + 1]);
    for (size_t k = 0; k < g->n; k++) {
        for (size_t j = k; j < g->n; j++) g->c[j + g->n * k] = g->e[j + g->n * k] + g->bias;
        g->c[k * (g->n + 1)] += s / tamis_weight_at(g->v, k);
    }
    int failed = tamis_cholesky(CblasLower, g->n, g->c, g->n);
    if (failed) return failed;
    *half = 0;
    for (size_t k = 0; k < g->n; k++) *half += log(g->c[k * (g->n + 1)]);
    memcpy(g->alpha, g->y, g->n * g->outputs * sizeof *g->alpha);
    tamis_cholesky_solve(g->n, g->c, g->n, g->outputs, g->alpha, g->n);
    return 0;
}

enum { BLOCK = 48, LEAF = 24 };

static size_t least(size_t a, size_t b) { return a < b ? a : b; }

/* X = L^-1 by columns, over zeros. */
TAMIS_CLONES
static void leaf_inverse(size_t n, const double *restrict l, double *restrict x, size_t ld)
{
    for (size_t j = 0; j < n; j++) {
        double *column = x + j * ld;
        column[j] = 1;
        for (size_t k = j; k < n; k++) {
            double v = column[k] /= l[k + k * ld];
            for (size_t i = k + 1; i < n; i++) column[i] -= v * l[i + k * ld];
        }
    }
}

/* X = L^-1 over zeros, by halves: X21 = -X22 (L21 X11), in matrix products that skip what is zero. The transpose of the
 * product in brackets goes above the diagonal of L. */
static void triangle_inverse(size_t n, double *l, double *x, size_t ld)
{
    if (n <= LEAF) {
        leaf_inverse(n, l, x, ld);
        return;
    }
    size_t h = (n / 2 + 7) / 8 * 8, r = n - h;
    double *l21 = l + h, *x22 = x + h * (ld + 1), *wt = l + h * ld;
    triangle_inverse(h, l, x, ld);
    triangle_inverse(r, l + h * (ld + 1), x22, ld);
    for (size_t k = 0; k < h; k += BLOCK)                                   /* W^T = X11^T L21^T */
        tamis_gemm(TRANS, TRANS, least(BLOCK, h - k), r, h - k, 1, x + k * (ld + 1), ld, l21 + k * ld, ld, 0, wt + k,
                   ld);
    for (size_t k = 0; k < r; k += BLOCK) {                                 /* X21 = -X22 W */
        size_t b = least(BLOCK, r - k);
        tamis_gemm(PLAIN, TRANS, b, h, k + b, -1, x22 + k, ld, wt, ld, 0, x + h + k, ld);
    }
}

/* C^-1 over its factor in g->c: X = L^-1, then X^T X by blocks of rows. Scratch above the diagonal of g->c. dpotri does
 * the same with half of its work in vector operations. */
static void invert(struct tamis_gp *g)
{
    size_t n = g->n;
    double *x = g->m;
    memset(x, 0, n * n * sizeof *x);
    triangle_inverse(n, g->c, x, n);
    for (size_t k = 0; k < n; k += BLOCK) {
        size_t b = least(BLOCK, n - k);
        tamis_gemm(TRANS, PLAIN, b, k + b, n - k, 1, x + k * (n + 1), n, x + k, n, 0, g->c + k, n);
    }
}

/* m = m o e for a column below the diagonal; returns its sum. */
TAMIS_CLONES
static double weigh_column(size_t n, const double *restrict e, double *restrict m)
{
    double sum = 0;
    for (size_t j = 0; j < n; j++) {
        m[j] *= e[j];
        sum += m[j];
    }
    return sum;
}

/* A into g->m (lower), from alpha and C^-1. */
static void outer_minus_inverse(struct tamis_gp *g)
{
    for (size_t k = 0; k < g->n; k++)
        for (size_t j = k; j < g->n; j++) g->m[j + g->n * k] = -(double)g->outputs * g->c[j + g->n * k];
    tamis_syrk(CblasLower, PLAIN, g->n, g->outputs, 1, g->alpha, g->n, 1, g->m, g->n);
}

static void gradient(struct tamis_gp *g, const double *theta, double *slope)
{
    size_t N = g->n;
    double s = exp(theta[g->d + 1]), trace = 0, sum = 0;
    invert(g);
    outer_minus_inverse(g);
    for (size_t k = 0; k < N; k++) {
        double *m = g->m + k * (N + 1);
        trace += m[0] / tamis_weight_at(g->v, k);
        double part = weigh_column(N - k, g->e + k * (N + 1), m);
        sum += 2 * part - m[0];
    }
    slope[g->d] = -0.5 * sum;
    slope[g->d + 1] = -0.5 * s * trace + 0.5 * (double)g->outputs * g->copies;
    tamis_symm(N, g->d, g->m, N, g->x, N, g->mx, N);
    tamis_symv(N, 1, g->m, N, g->ones, g->row);                            /* M 1 */
    for (size_t i = 0; i < g->d; i++) {
        double v = 0;
        for (size_t j = 0; j < N; j++) v += g->x[j + N * i] * (g->row[j] * g->x[j + N * i] - g->mx[j + N * i]);
        slope[i] = exp(theta[i]) * v;
    }
}

double tamis_gp_likelihood(struct tamis_gp *g, const double *theta, double *slope)
{
    double half, fit;
    for (size_t i = 0; i < g->d + 2; i++)
        if (!isfinite(theta[i])) return INFINITY;
    gaussians(g, theta);
    if (factorise(g, theta, &half)) return INFINITY;
    fit = tamis_dot(g->n * g->outputs, g->y, g->alpha);
    if (slope) gradient(g, theta, slope);
    return 0.5 * fit + (double)g->outputs * (half + 0.5 * (g->copies * theta[g->d + 1] + g->logs));
}

void tamis_gp_residuals(const struct tamis_gp *g, double *residual)
{
    for (size_t o = 0; o < g->outputs; o++)
        for (size_t j = 0; j < g->n; j++) residual[j + g->n * o] = g->alpha[j + g->n * o] / g->c[j * (g->n + 1)];
}

void tamis_gp_predict(const struct tamis_gp *g, const double *theta, const double *x, size_t rows, size_t ld,
                      double *out, double *work)
{
    double *k = work, *z = k + rows * g->n, *norm = z + rows * g->d, *own = norm + rows;
    scale_rows(x, rows, ld, g->d, theta, z, norm);
    scale_rows(g->x, g->n, g->n, g->d, theta, g->z, own);
    tamis_gemm(PLAIN, TRANS, rows, g->n, g->d, 1, z, rows, g->z, g->n, 0, k, rows);
    double a = exp(theta[g->d]);
    for (size_t j = 0; j < g->n; j++) {
        products_to_distances(rows, norm, own[j], k + rows * j);
        tamis_exp_scale(rows, k + rows * j, 1, k + rows * j);
    }
    tamis_gemm(PLAIN, PLAIN, rows, g->outputs, g->n, a, k, rows, g->alpha, g->n, 0, out, rows);
    for (size_t o = 0; o < g->outputs; o++) {
        double bias = 0;
        for (size_t j = 0; j < g->n; j++) bias += g->alpha[j + g->n * o];
        for (size_t i = 0; i < rows; i++) out[i + rows * o] += g->bias * bias;
    }
}
