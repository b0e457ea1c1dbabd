/* Weighted Gaussian networks.
 * [1] J. Tikka, Simultaneous input variable and basis function selection for RBF networks, Neurocomputing 72 (2009). */
#include "num/wnet.h"

#include <math.h>
#include <string.h>
#include "base/base.h"
#include "num/gauss.h"
#include "num/lapack.h"
#include "num/weighted.h"

void tamis_wnet_roots(size_t n, const double *weight, double *root)
{
    double mean = tamis_weight_sum(weight, n) / (double)n;
    for (size_t i = 0; i < n; i++) root[i] = sqrt(weight[i] / mean);
}

size_t tamis_wnet_basis_size(size_t n, size_t m, size_t inputs) { return (n + m) * inputs; }

void tamis_wnet_basis(const struct tamis_wnet *w, const double *weight, double *work, size_t *columns, double *a)
{
    size_t count = 0;
    double *x = work, *c;
    for (size_t i = 0; i < w->d; i++) count += weight[i] > 0;
    c = x + w->n * count;
    count = 0;
    for (size_t i = 0; i < w->d; i++) {
        if (!(weight[i] > 0)) continue;
        double root = sqrt(weight[i]);
        for (size_t n = 0; n < w->n; n++) x[n + w->n * count] = root * w->x[n + w->ldx * i];
        for (size_t m = 0; m < w->m; m++) c[m + w->m * count] = root * w->c[m + w->ldc * i];
        columns[count] = count;
        count++;
    }
    for (size_t n = 0; n < w->n; n++) a[n] = 1;
    tamis_gauss_cross(w->n, x, w->n, w->m, c, w->m, columns, count, 1, a + w->n, w->n);
    for (size_t k = 0; w->root && k <= w->m; k++)
        for (size_t n = 0; n < w->n; n++) a[n + w->n * k] *= w->root[n];
}

/* ---- the gradient ---- */

size_t tamis_wnet_gradient_size(size_t n, size_t d, size_t count) { return n * (count + 1) + count * (d + 1); }

void tamis_wnet_gradient(const struct tamis_wnet *w, const double *a, const size_t *active, const double *alpha,
                         size_t count, const double *e, double *work, double *gradient)
{
    size_t n = w->n, d = w->d, k = 0;
    double *rows = work, *b = rows + n, *columns = b + n * count, *product = columns + count;
    memset(rows, 0, n * sizeof *rows);
    for (size_t j = 0; j < count; j++) {
        if (!active[j]) continue;
        const double *kernel = a + n * active[j];
        double *to = b + n * k, sum = 0;
        for (size_t i = 0; i < n; i++) {
            to[i] = e[i] * alpha[j] * kernel[i];
            rows[i] += to[i];
            sum += to[i];
        }
        columns[k++] = sum;
    }
    if (k) tamis_gemm(TRANS, PLAIN, k, d, n, 1, b, n, w->x, w->ldx, 0, product, k);
    for (size_t i = 0; i < d; i++) {
        const double *x = w->x + w->ldx * i, *c = w->c + w->ldc * i;
        double sum = 0;
        for (size_t r = 0; r < n; r++) sum += rows[r] * x[r] * x[r];
        for (size_t j = 0, at = 0; j < count; j++) {
            if (!active[j]) continue;
            double v = c[active[j] - 1];
            sum += v * (columns[at] * v - 2 * product[at + k * i]);
            at++;
        }
        gradient[i] = 2 * sum / (double)n;
    }
}

/* ---- second derivatives ---- */

TAMIS_CLONES
static void squares(size_t n, const double *restrict x, double c, const double *restrict kernel, double alpha,
                    const double *restrict e, double *restrict d2, double *restrict weighted, double *restrict jacobian)
{
    for (size_t i = 0; i < n; i++) {
        double v = (x[i] - c) * (x[i] - c), f = alpha * kernel[i] * v;
        d2[i] = v;
        weighted[i] = e[i] * f;
        jacobian[i] -= f;
    }
}

/* The sum of v; a: the first column of A. */
static double sum_of(const struct tamis_wnet *w, const double *v, const double *a)
{
    double sum = 0;
    if (!w->root) return tamis_dot(w->n, v, a);                                 /* a: ones */
    for (size_t i = 0; i < w->n; i++) sum += v[i];
    return sum;
}

void tamis_wnet_derivatives(const struct tamis_wnet *w, const double *a, const size_t *active, const double *alpha,
                            size_t count, const double *e, const size_t *which, size_t k, double *work,
                            double *jacobian, double *mixed, double *second)
{
    size_t n = w->n;
    double *d2 = work, *weighted = work + n * k;
    memset(jacobian, 0, n * k * sizeof *jacobian);
    if (second) memset(second, 0, k * k * sizeof *second);
    for (size_t j = 0; j < count; j++) {
        for (size_t i = 0; mixed && i < k; i++) mixed[j + count * i] = 0;
        if (!active[j] || alpha[j] == 0) continue;
        for (size_t i = 0; i < k; i++) {
            squares(n, w->x + w->ldx * which[i], w->c[active[j] - 1 + w->ldc * which[i]], a + n * active[j], alpha[j],
                    e, d2 + n * i, weighted + n * i, jacobian + n * i);
            if (mixed) mixed[j + count * i] = sum_of(w, weighted + n * i, a) / alpha[j];
        }
        if (second) tamis_gemm(TRANS, PLAIN, k, k, n, 1, d2, n, weighted, n, 1, second, k);
    }
}

/* ---- representative rows ---- */

size_t tamis_wnet_pivots(size_t n, const double *x, size_t ldx, size_t d, const double *weight, size_t count,
                         double *work, size_t *pivot)
{
    double *left = work, *row = left + n, *factor = row + n;
    for (size_t i = 0; i < n; i++) left[i] = 1;
    for (size_t k = 0; k < count; k++) {
        double *column = factor + n * k;
        size_t best = tamis_largest(n, left);
        if (!(left[best] > 1e-10)) return k;
        pivot[k] = best;
        memset(column, 0, n * sizeof *column);
        for (size_t j = 0; j < d; j++)
            for (size_t i = 0; weight[j] > 0 && i < n; i++)
                column[i] += weight[j] * (x[i + ldx * j] - x[best + ldx * j]) * (x[i + ldx * j] - x[best + ldx * j]);
        tamis_exp_scale(n, column, 1, column);
        for (size_t j = 0; j < k; j++) row[j] = factor[best + n * j];
        if (k) tamis_gemv(PLAIN, n, k, -1, factor, n, row, 1, column);
        double root = sqrt(left[best]);
        for (size_t i = 0; i < n; i++) {
            column[i] /= root;
            left[i] = fmax(0, left[i] - column[i] * column[i]);
        }
        left[best] = 0;
    }
    return count;
}
