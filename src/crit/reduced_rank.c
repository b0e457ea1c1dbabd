/* Reduced rank kernel ridge regression with candidate rows.
 *
 *     S from M candidate rows C by num/greedy.c on K_CC,   K_SS = L L^T,   G = K_NS L^-T,
 *     min 1/2 |theta|^2 + gamma/2 |y - G theta - b|^2,   beta = L^-T theta                            [1] eqs. (7), (8)
 *
 * DIFFERS [1] eq. (6): the reconstruction error is summed over the candidates only, and the choice is among them. All
 * rows are fitted.
 * [1] J. Tikka, Simultaneous input variable and basis function selection for RBF networks, Neurocomputing 72 (2009). */
#include <stdlib.h>
#include <string.h>
#include "base/rng.h"
#include "crit/reduced_rank.h"
#include "num/gauss.h"
#include "num/greedy.h"
#include "num/cholesky.h"
#include "num/lapack.h"
#include "num/ridge.h"

static int increasing(const void *a, const void *b)
{
    size_t x = *(const size_t *)a, y = *(const size_t *)b;
    return (x > y) - (x < y);
}

static int candidates_draw(tamis_context *cx, struct tamis_reduced_rank *f, uint64_t seed)
{
    struct tamis_rng r;
    size_t *row = tamis_raw(cx, size_t, f->d->rows);
    if (!row) return tamis_status(cx);
    for (size_t i = 0; i < f->d->rows; i++) row[i] = i;
    tamis_rng_init(&r, seed, TAMIS_RNG_CANDIDATES, 0);
    tamis_rng_shuffle(&r, row, f->d->rows);
    memcpy(f->candidate, row, f->candidates * sizeof *row);
    qsort(f->candidate, f->candidates, sizeof *row, increasing);
    tamis_free(row);
    return TAMIS_OK;
}

/* Columns with their rows in the order of the folds. */
static void by_fold(size_t n, size_t columns, const size_t *row, const double *from, double *to)
{
    for (size_t k = 0; k < columns; k++)
        for (size_t i = 0; i < n; i++) to[i + n * k] = from[row[i] + n * k];
}

void tamis_reduced_rank_free(struct tamis_reduced_rank *f)
{
    if (!f) return;
    tamis_free(f->candidate);
    tamis_free(f->x);
    tamis_free(f->y);
    tamis_free(f->root);
    tamis_free(f->candidate_root);
    tamis_free(f->class_of);
    tamis_free(f->folds.start);
    tamis_free(f->folds.row);
    tamis_free(f);
}

struct tamis_reduced_rank *tamis_reduced_rank_new(tamis_context *cx, const struct tamis_design *d,
                                                  const struct tamis_lssvm_data *data, size_t candidates, size_t most,
                                                  double tolerance, uint64_t seed)
{
    size_t n = d->rows;
    struct tamis_reduced_rank *f = tamis_new(cx, struct tamis_reduced_rank, 1);
    if (!f) return NULL;
    *f = (struct tamis_reduced_rank){
        .d = d, .candidates = candidates, .most = most < candidates ? most : candidates, .tolerance = tolerance};
    f->candidate = tamis_raw(cx, size_t, candidates);
    f->x = tamis_raw(cx, double, n * d->columns);
    f->y = tamis_raw(cx, double, n * data->outputs);
    f->class_of = tamis_raw(cx, double, n);
    f->root = data->root ? tamis_raw(cx, double, n) : NULL;
    f->candidate_root = data->root ? tamis_raw(cx, double, candidates) : NULL;
    f->folds = (struct tamis_folds){data->folds->count, tamis_raw(cx, size_t, data->folds->count + 1),
                                    tamis_raw(cx, size_t, n)};
    if (!tamis_status(cx) && !candidates_draw(cx, f, seed)) {
        by_fold(n, d->columns, data->folds->row, d->x, f->x);
        by_fold(n, data->outputs, data->folds->row, data->y, f->y);
        by_fold(n, 1, data->folds->row, d->y, f->class_of);
        if (f->root) by_fold(n, 1, data->folds->row, data->root, f->root);
        for (size_t i = 0; f->root && i < candidates; i++) f->candidate_root[i] = data->root[f->candidate[i]];
        memcpy(f->folds.start, data->folds->start, (data->folds->count + 1) * sizeof *f->folds.start);
        for (size_t i = 0; i < n; i++) f->folds.row[i] = i;
        f->data = (struct tamis_lssvm_data){n, data->outputs, f->y, data->class_of ? f->class_of : NULL, &f->folds,
                                            f->root, data->total};
        return f;
    }
    tamis_reduced_rank_free(f);
    return NULL;
}

double tamis_reduced_rank_work(double rows, double candidates, double outputs, double fold)
{
    double s = candidates + 1;
    return rows * s + 5 * s * s + (4 * s + fold) * outputs + candidates * (2 + outputs);
}

/* The parts of one worker's memory. */
struct parts { double *g, *kernel, *triangle, *ridge, *small; };

static struct parts parts_of(const struct tamis_reduced_rank *f, double *work)
{
    size_t s = f->candidates + 1;
    struct parts p = {.g = work};
    p.kernel = p.g + f->data.n * s;
    p.triangle = p.kernel + s * s;
    p.small = p.triangle + s * s;
    p.ridge = p.small + 2 * s;
    return p;
}

/* Kernel of rows row[0..m-1] of the design among themselves, m x m. */
static void kernel_among(const struct tamis_reduced_rank *f, const size_t *row, size_t m, const size_t *column,
                         size_t columns, double sigma2, double *k)
{
    const struct tamis_design *d = f->d;
    memset(k, 0, m * m * sizeof *k);
    for (size_t v = 0; v < columns; v++)
        for (size_t j = 0; j < m; j++) {
            const double *x = d->x + d->rows * column[v];
            for (size_t i = j; i < m; i++) k[i + j * m] += (x[row[i]] - x[row[j]]) * (x[row[i]] - x[row[j]]);
        }
    for (size_t j = 0; j < m; j++) tamis_exp_scale(m - j, k + j * (m + 1), 1 / sigma2, k + j * (m + 1));
}

/* K_NS, column by column. */
static void kernel_cross(const struct tamis_reduced_rank *f, const size_t *row, size_t m, const size_t *column,
                         size_t columns, double sigma2, double *k)
{
    const struct tamis_design *d = f->d;
    size_t n = d->rows;
    memset(k, 0, n * m * sizeof *k);
    for (size_t j = 0; j < m; j++) {
        for (size_t v = 0; v < columns; v++)
            tamis_dist_cross(n, f->x + n * column[v], 1, d->x + n * column[v] + row[j], k + n * j);
        tamis_exp_scale(n, k + n * j, 1 / sigma2, k + n * j);
    }
}

/* S (as rows of the design, in order), L and [G 1]; the number of basis functions, 0 if K_SS cannot be factorised. */
static size_t features(const struct tamis_reduced_rank *f, const size_t *column, size_t columns, double sigma2,
                       const struct parts *p, size_t *order)
{
    size_t n = f->data.n, m = f->candidates;
    kernel_among(f, f->candidate, m, column, columns, sigma2, p->kernel);
    size_t s = tamis_greedy_weighted(m, p->kernel, m, f->candidate_root, f->tolerance, f->most, order,
                                     NULL, NULL, p->small);
    for (size_t k = 0; k < s; k++) order[k] = f->candidate[order[k]];
    kernel_among(f, order, s, column, columns, sigma2, p->triangle);
    if (tamis_cholesky(CblasLower, s, p->triangle, s)) return 0;
    kernel_cross(f, order, s, column, columns, sigma2, p->g);
    tamis_trsm(CblasRight, CblasLower, TRANS, n, s, p->triangle, s, p->g, n);
    for (size_t i = 0; i < n; i++) p->g[i + n * s] = 1;
    for (size_t k = 0; f->root && k <= s; k++)
        for (size_t i = 0; i < n; i++) p->g[i + n * k] *= f->root[i];
    return s;
}

int tamis_reduced_rank_errors(const struct tamis_reduced_rank *f, const size_t *column, size_t columns, double sigma2,
                              const double *gamma, size_t count, double *work, size_t *order,
                              struct tamis_lssvm_error *error, size_t *basis)
{
    struct parts p = parts_of(f, work);
    *basis = features(f, column, columns, sigma2, &p, order);
    if (!*basis) return 1;
    tamis_ridge_errors(&f->data, *basis, p.g, gamma, count, p.ridge, error);
    return 0;
}

struct tamis_rbf *tamis_reduced_rank_fit(tamis_context *cx, const struct tamis_reduced_rank *f, const size_t *column,
                                         size_t columns, double sigma2, double gamma, double *work, size_t *order)
{
    struct parts p = parts_of(f, work);
    size_t s = features(f, column, columns, sigma2, &p, order), c = f->data.outputs;
    struct tamis_rbf *net = s ? tamis_rbf_outputs(cx, s, columns, c) : NULL;
    if (!net) return NULL;
    net->sigma2 = sigma2;
    net->gamma = gamma;
    for (size_t k = 0; k < columns; k++)
        for (size_t i = 0; i < s; i++) net->centre[i + s * k] = f->d->x[order[i] + f->d->rows * column[k]];
    if (tamis_ridge_weights(&f->data, s, p.g, gamma, p.ridge, net->alpha)) {
        tamis_fail(cx, TAMIS_NUMERIC,
                   "rrkrr: the normal equations at sigma2 %g, gamma %g cannot be solved; try a smaller --gamma",
                   sigma2, gamma);
        tamis_rbf_free(net);
        return NULL;
    }
    for (size_t k = 0; k < c; k++) tamis_trsv(CblasLower, TRANS, s, p.triangle, s, net->alpha + k * (s + 1));
    return net;
}
