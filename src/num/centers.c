/* Leave-one-out error of a Gaussian network with fixed centres.
 *
 *     Phi = [exp(-|x_i - c_j|^2 / sigma2)  1],  n x p, p = m + 1,      min |Phi a - y|^2 + lambda |a|^2
 *
 * Phi is never in memory as a whole. A first pass folds blocks of it, with y as one more column, into the triangle of a
 * QR factorisation: [R Q^T y] from QR([R_old; block]) [2] (qr_update.c). With R = U S V^T, the row phi of Phi has
 * z = V^T phi, and
 *
 *     h_i = sum_k z_k^2 / (s_k^2 + lambda),   f_i = sum_k z_k b_k,   b_k = s_k (U^T Q^T y)_k / (s_k^2 + lambda),
 *     e_i = (y_i - f_i) / (1 - h_i),          LOO(lambda) = |e|^2 / n                                       [1] eq. (3)
 *
 * so that a second pass serves any number of lambdas by three products. Phi^T Phi is never formed. Singular values at
 * the level of rounding are ignored. 1 - h_i is a difference: for a row with leverage 1 - p, only the digits of p above
 * 1e-15 are significant.
 *
 * The search over lambda needs one scan, and then a second around the best point of the first. Generalised
 * cross-validation, n |y - f|^2 / (n - sum h)^2, needs R alone and predicts where the second will be, erring towards
 * small lambda: its best point and the three above are evaluated in the same pass. A correct prediction saves a pass.
 *
 * With weights, the rows of Phi and y are those times sqrt(w), and n is sum w. Several outputs are as many columns y,
 * and LOO is the mean of theirs.
 *
 * DIFFERS [1]: a basis function on m centres, not on every row; [1] section 5 suggests it.
 *
 * [1] Tikka, Hollmen: Selection of important input variables for RBF network using partial derivatives. ESANN 2008.
 * [2] Demmel, Grigori, Hoemmen, Langou: Communication-optimal parallel and sequential QR and LU factorizations.
 *     SISC 34, 2012. */
#include "num/centers.h"

#include <float.h>
#include <math.h>
#include <string.h>
#include "base/base.h"
#include "num/gauss.h"
#include "num/lapack.h"
#include "num/qr_update.h"

enum { GROUP = 100, LEAST_BLOCK = 256, PREFETCHED = 4 };

static size_t block_of(size_t m, size_t outputs)
{
    return 2 * (m + outputs) > LEAST_BLOCK ? 2 * (m + outputs) : LEAST_BLOCK;
}

/* dgesdd with all vectors: 4 p^2 + 7 p, and 8 p integers; more lets it work in blocks. */
static size_t svd_work(size_t p)
{
    return 4 * p * p + 7 * p + 64 * p;
}

static size_t work_of(size_t p, size_t outputs)
{
    size_t qr = tamis_qr_update_size(p + outputs), svd = svd_work(p) + 8 * p;
    return qr > svd ? qr : svd;
}

size_t tamis_centers_size(size_t m, size_t outputs)
{
    size_t p = m + 1, block = block_of(m, outputs);
    return (p + outputs) * (p + outputs) + p * p + p * (1 + outputs) + block * (2 * p + outputs) +
           (1 + outputs) * GROUP * (p + block) + work_of(p, outputs) + TAMIS_ALIGNMENT;
}

void tamis_centers_bind(struct tamis_centers *w, const struct tamis_centers_data *data, double *memory)
{
    size_t p = data->m + 1, outputs = data->outputs;
    memset(w, 0, sizeof *w);
    w->data = *data;
    w->block = block_of(data->m, outputs);
    w->r = tamis_aligned(memory);               /* for dgesdd */
    w->v = w->r + (p + outputs) * (p + outputs);
    w->s = w->v + p * p;
    w->uy = w->s + p;
    w->phi = w->uy + p * outputs;
    w->z = w->phi + w->block * (p + outputs);
    w->lanes = w->z + w->block * p;
    w->work = w->lanes + (1 + outputs) * GROUP * (p + w->block);
}

/* Rows row.. of [Phi y] in w->phi. Returns how many. */
static size_t fill_block(struct tamis_centers *w, size_t row)
{
    const struct tamis_centers_data *d = &w->data;
    size_t rows = d->n - row < w->block ? d->n - row : w->block;
    double *ones = w->phi + d->m * w->block, *y = ones + w->block;
    tamis_gauss_cross(rows, d->x + row, d->ldx, d->m, d->c, d->ldc, d->columns, d->count, w->sigma2, w->phi, w->block);
    for (size_t i = 0; i < rows; i++)
        ones[i] = 1.0;
    for (size_t k = 0; d->root && k <= d->m; k++)
        for (size_t i = 0; i < rows; i++)
            w->phi[i + k * w->block] *= d->root[row + i];
    for (size_t o = 0; o < d->outputs; o++)
        memcpy(y + o * w->block, d->y + o * d->n + row, rows * sizeof *y);
    return rows;
}

static double total_of(const struct tamis_centers *w)
{
    return w->data.root ? w->data.total : (double)w->data.n;
}

static void update_triangle(struct tamis_centers *w)
{
    size_t columns = w->data.m + 1 + w->data.outputs;
    memset(w->r, 0, columns * columns * sizeof *w->r);
    for (size_t row = 0; row < w->data.n; row += w->block) {
        size_t rows = fill_block(w, row);
        tamis_qr_update(rows, columns, w->r, columns, w->phi, w->block, w->work);
    }
}

/* Takes Q^T y (p x outputs, in w->z) and what is left of y from the last columns of the triangle. */
static void take_targets(struct tamis_centers *w)
{
    size_t p = w->data.m + 1, columns = p + w->data.outputs;
    w->left = 0.0;
    for (size_t o = 0; o < w->data.outputs; o++) {
        const double *y = w->r + (p + o) * columns;
        memcpy(w->z + o * p, y, p * sizeof *w->z);
        for (size_t k = p; k <= p + o; k++)
            w->left += y[k] * y[k];
    }
}

int tamis_centers_reduce(struct tamis_centers *w, double sigma2)
{
    size_t p = w->data.m + 1, outputs = w->data.outputs, columns = p + outputs;
    w->sigma2 = sigma2;
    update_triangle(w);
    double *triangle = w->phi, *u = w->r;               /* a block has 2 p rows or more: R fits */
    for (size_t j = 0; j < p; j++)
        memcpy(triangle + j * p, w->r + j * columns, p * sizeof *triangle);
    take_targets(w);
    for (size_t k = 0; k < columns * columns; k++)
        if (!isfinite(w->r[k]))
            return 1;
    int failed = tamis_gesdd(p, triangle, w->s, u, w->v, w->work, svd_work(p),
                             (int *)(void *)(w->work + svd_work(p)));
    for (size_t o = 0; o < outputs; o++)
        tamis_gemv(TRANS, p, p, 1.0, u, p, w->z + o * p, 0.0, w->uy + o * p);
    for (w->rank = p; w->rank > 1 && w->s[w->rank - 1] <= DBL_EPSILON * w->s[0]; w->rank--)
        for (size_t o = 0; o < outputs; o++)
            w->uy[w->rank - 1 + o * p] = 0.0;
    return failed;
}

/* Filters and weights of a group of lambdas, rank x lanes and rank x lanes x outputs. */
static void group_coefficients(const struct tamis_centers *w, const double *lambda, size_t lanes, double *filter,
                               double *weight)
{
    size_t p = w->data.m + 1, r = w->rank;
    for (size_t l = 0; l < lanes; l++)
        for (size_t k = 0; k < r; k++)
            filter[k + l * r] = 1.0 / (w->s[k] * w->s[k] + lambda[l]);
    for (size_t o = 0; o < w->data.outputs; o++)
        for (size_t l = 0; l < lanes; l++)
            for (size_t k = 0; k < r; k++, weight++)
                *weight = w->s[k] * w->uy[k + o * p] * filter[k + l * r];
}

static void add_errors(size_t rows, const double *y, const double *h, const double *f, double *sum)
{
    for (size_t i = 0; i < rows; i++) {
        double p = 1.0 - h[i], e = p > 0.0 ? (y[i] - f[i]) / p : INFINITY;
        *sum += e * e;
    }
}

TAMIS_CLONES
static void square(size_t rows, size_t columns, double *z, size_t ld)
{
    for (size_t k = 0; k < columns; k++)
        for (size_t i = 0; i < rows; i++)
            z[i + k * ld] *= z[i + k * ld];
}

/* Sums of squared leave-one-out residuals at up to GROUP lambdas: one pass. */
static void group_pass(struct tamis_centers *w, const double *lambda, size_t lanes, double *sum)
{
    size_t p = w->data.m + 1, r = w->rank, block = w->block, outputs = w->data.outputs;
    double *filter = w->lanes, *weight = filter + GROUP * p, *h = weight + outputs * GROUP * p, *f = h + GROUP * block;
    group_coefficients(w, lambda, lanes, filter, weight);
    memset(sum, 0, lanes * sizeof *sum);
    for (size_t row = 0; row < w->data.n; row += block) {
        size_t rows = fill_block(w, row);
        tamis_gemm(PLAIN, TRANS, rows, r, p, 1.0, w->phi, block, w->v, p, 0.0, w->z, block);
        tamis_gemm(PLAIN, PLAIN, rows, lanes * outputs, r, 1.0, w->z, block, weight, r, 0.0, f, block);
        square(rows, r, w->z, block);
        tamis_gemm(PLAIN, PLAIN, rows, lanes, r, 1.0, w->z, block, filter, r, 0.0, h, block);
        for (size_t l = 0; l < lanes * outputs; l++)
            add_errors(rows, w->data.y + l / lanes * w->data.n + row, h + l % lanes * block, f + l * block,
                       sum + l % lanes);
    }
}

void tamis_centers_errors(struct tamis_centers *w, const double *lambda, size_t count, double *mse)
{
    for (size_t done = 0; done < count; done += GROUP) {
        size_t lanes = count - done < GROUP ? count - done : GROUP;
        group_pass(w, lambda + done, lanes, mse + done);
        for (size_t l = 0; l < lanes; l++)
            mse[done + l] /= total_of(w) * (double)w->data.outputs;
    }
}

/* n |y - f|^2 / (n - sum h)^2 */
static double cross_validation(const struct tamis_centers *w, double lambda)
{
    double n = total_of(w), error = w->left, free = n;
    for (size_t k = 0; k <= w->data.m; k++) {
        double s2 = w->s[k] * w->s[k], kept = lambda / (s2 + lambda);
        for (size_t o = 0; o < w->data.outputs; o++)
            error += kept * kept * w->uy[k + o * (w->data.m + 1)] * w->uy[k + o * (w->data.m + 1)];
        free -= s2 / (s2 + lambda);
    }
    return n * error / (free * free);
}

/* The first call is the scan; the points at which the second is likely to ask are evaluated in the same pass. */
struct prefetch {
    struct tamis_centers *w;
    double lo, hi;
    double lambda[PREFETCHED][TAMIS_GRID_POINTS], value[PREFETCHED][TAMIS_GRID_POINTS];
};

static void scan_and_prefetch(struct prefetch *s, const double *lambda, double *value)
{
    enum { SCAN = TAMIS_SCAN_POINTS, MORE = PREFETCHED * TAMIS_GRID_POINTS };
    double all[SCAN + MORE], mse[SCAN + MORE];
    size_t predicted = 0;
    for (size_t i = 1; i + PREFETCHED <= SCAN; i++)
        if (cross_validation(s->w, lambda[i]) < cross_validation(s->w, lambda[predicted]))
            predicted = i;
    for (size_t k = 0; k < PREFETCHED; k++)
        tamis_grid_inside(s->lo, s->hi, predicted + k, s->lambda[k]);
    memcpy(all, lambda, SCAN * sizeof *all);
    memcpy(all + SCAN, s->lambda, sizeof s->lambda);
    tamis_centers_errors(s->w, all, SCAN + MORE, mse);
    memcpy(value, mse, SCAN * sizeof *value);
    memcpy(s->value, mse + SCAN, sizeof s->value);
}

static void batch_errors(void *arg, const double *lambda, size_t count, double *value)
{
    struct prefetch *s = arg;
    if (count == TAMIS_SCAN_POINTS) {
        scan_and_prefetch(s, lambda, value);
        return;
    }
    for (size_t k = 0; k < PREFETCHED && count == TAMIS_GRID_POINTS; k++)
        if (memcmp(lambda, s->lambda[k], sizeof s->lambda[k]) == 0) {
            memcpy(value, s->value[k], sizeof s->value[k]);
            return;
        }
    tamis_centers_errors(s->w, lambda, count, value);
}

void tamis_centers_minimise(struct tamis_centers *w, double lo, double hi, struct tamis_minimum *best)
{
    struct prefetch s = {.w = w, .lo = lo, .hi = hi};
    tamis_minimise(TAMIS_SEARCH_GRID, lo, hi, 0.0, batch_errors, &s, best);
}

void tamis_centers_weights(struct tamis_centers *w, double lambda, double *alpha)
{
    size_t p = w->data.m + 1;
    double *filter = w->lanes, *weight = filter + GROUP * p;
    group_coefficients(w, &lambda, 1, filter, weight);
    for (size_t o = 0; o < w->data.outputs; o++)
        tamis_gemv(TRANS, w->rank, p, 1.0, w->v, p, weight + o * w->rank, 0.0, alpha + o * p);
}
