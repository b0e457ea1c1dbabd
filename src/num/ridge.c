/* Ridge regression on features with a free bias.
 *
 *     (F^T F + D / gamma) [theta; b] = F^T y,    F = [G 1],  D = I but for a 0 at the bias
 *
 * With weights, the rows of F and y are those times sqrt(w). Without fold f the matrix is F^T F - F_f^T F_f: one
 * product per fold, one Cholesky factor per fold and gamma. */
#include "num/ridge.h"

#include <math.h>
#include <string.h>
#include "num/cholesky.h"
#include "num/lapack.h"

static size_t fold_rows(const struct tamis_lssvm_data *d, size_t f)
{
    return d->folds->start[f + 1] - d->folds->start[f];
}

/* a = scale F^T F + keep a (lower triangle), r = scale F^T y + keep r, over rows first .. first + rows - 1. */
static void products(const struct tamis_lssvm_data *d, size_t s, const double *g, size_t first, size_t rows,
                     double scale, double keep, double *a, double *r)
{
    tamis_syrk(CblasLower, TRANS, s + 1, rows, scale, g + first, d->n, keep, a, s + 1);
    tamis_gemm(TRANS, PLAIN, s + 1, d->outputs, rows, scale, g + first, d->n, d->y + first, d->n, keep, r, s + 1);
}

/* x = (a + D / gamma)^-1 r; factor: (s + 1)^2. */
static int solve(size_t s, size_t outputs, const double *a, const double *r, double gamma, double *factor, double *x)
{
    memcpy(factor, a, (s + 1) * (s + 1) * sizeof *a);
    memcpy(x, r, (s + 1) * outputs * sizeof *r);
    for (size_t k = 0; k < s; k++) factor[k * (s + 2)] += 1.0 / gamma;
    if (tamis_cholesky(CblasLower, s + 1, factor, s + 1)) return 1;
    tamis_cholesky_solve(s + 1, factor, s + 1, outputs, x, s + 1);
    return 0;
}

static void fold_errors(const struct tamis_lssvm_data *d, size_t f, const double *predicted,
                        struct tamis_lssvm_error *sum)
{
    size_t first = d->folds->start[f], m = fold_rows(d, f);
    for (size_t i = 0; i < m; i++) {
        size_t winner = 0;
        for (size_t c = 0; c < d->outputs; c++) {
            double e = d->y[first + i + c * d->n] - predicted[i + c * m];
            sum->squared += e * e;
            if (predicted[i + c * m] > predicted[i + winner * m]) winner = c;
        }
        if (d->class_of && (double)winner != d->class_of[first + i])
            sum->wrong += d->root ? d->root[first + i] * d->root[first + i] : 1;
    }
}

void tamis_ridge_errors(const struct tamis_lssvm_data *d, size_t s, const double *g, const double *gamma, size_t count,
                        double *work, struct tamis_lssvm_error *error)
{
    size_t square = (s + 1) * (s + 1), side = (s + 1) * d->outputs;
    double *all = work, *a = all + square, *factor = a + square, *all_r = factor + square, *r = all_r + side,
           *x = r + side, *predicted = x + side;
    memset(error, 0, count * sizeof *error);
    products(d, s, g, 0, d->n, 1.0, 0.0, all, all_r);
    for (size_t f = 0; f < d->folds->count; f++) {
        size_t first = d->folds->start[f], m = fold_rows(d, f);
        memcpy(a, all, square * sizeof *a);
        memcpy(r, all_r, side * sizeof *r);
        products(d, s, g, first, m, -1.0, 1.0, a, r);
        for (size_t k = 0; k < count; k++) {
            if (solve(s, d->outputs, a, r, gamma[k], factor, x)) {
                error[k].squared = error[k].wrong = INFINITY;
                continue;
            }
            tamis_gemm(PLAIN, PLAIN, m, d->outputs, s + 1, 1.0, g + first, d->n, x, s + 1, 0.0, predicted, m);
            fold_errors(d, f, predicted, &error[k]);
        }
    }
    for (size_t k = 0; k < count; k++) {
        error[k].squared /= tamis_lssvm_total(d) * (double)d->outputs;
        error[k].wrong /= tamis_lssvm_total(d);
        if (isnan(error[k].squared)) error[k].squared = error[k].wrong = INFINITY;
    }
}

int tamis_ridge_weights(const struct tamis_lssvm_data *d, size_t s, const double *g, double gamma, double *work,
                        double *theta)
{
    size_t square = (s + 1) * (s + 1);
    products(d, s, g, 0, d->n, 1.0, 0.0, work, work + 2 * square);
    return solve(s, d->outputs, work, work + 2 * square, gamma, work + square, theta);
}
