/* Centres of a network by pivoted Cholesky. */
#include "method/sift/sift_gauss.h"

#include <math.h>
#include <string.h>
#include "method/sift/sift_spread.h"
#include "num/gauss.h"
#include "num/lapack.h"

static const double nothing_left = 1e-6;        /* of a Gaussian, whose value at its centre is 1 */

struct pivots {
    size_t n;                           /* candidates */
    double *x;                          /* n x columns, stretched */
    double *left;                       /* n: what the centres so far leave of each Gaussian */
    double *l;                          /* n x most */
    size_t *pick;
    size_t *all;
};

/* l_j = (K(:, p) - sum_k l_k l_pk) / sqrt(left_p) */
static void pivot_add(struct pivots *p, const struct sift_gauss *g, size_t j, size_t at)
{
    size_t n = p->n;
    double *to = p->l + n * j, root = sqrt(p->left[at]);
    tamis_gauss_cross(n, p->x, n, 1, p->x + at, n, p->all, g->columns, 1, to, n);
    for (size_t k = 0; k < j; k++) tamis_axpy(n, -p->l[at + n * k], p->l + n * k, to);
    for (size_t i = 0; i < n; i++) {
        to[i] /= root;
        p->left[i] -= to[i] * to[i];
    }
    p->left[at] = 0;
    p->pick[j] = at;
}

static size_t largest(const double *x, size_t n)
{
    size_t best = 0;
    for (size_t i = 1; i < n; i++)
        if (x[i] > x[best]) best = i;
    return best;
}

static size_t pivots_find(struct pivots *p, const struct sift_gauss *g, size_t most)
{
    size_t j = 0;
    for (size_t i = 0; i < p->n; i++) p->left[i] = 1;
    for (; j < most; j++) {
        size_t at = largest(p->left, p->n);
        if (p->left[at] < nothing_left) break;
        pivot_add(p, g, j, at);
    }
    return j;
}

static void centres_take(struct sift_gauss *g, const struct pivots *p)
{
    for (size_t i = 0; i < g->m; i++) {
        for (size_t k = 0; k < g->columns; k++) g->centre[i + g->m * k] = p->x[p->pick[i] + p->n * k];
        for (size_t k = 0; k <= i; k++) g->l[i + g->m * k] = p->l[p->pick[i] + p->n * k];
    }
}

static void columns_take(struct sift_gauss *g, const unsigned char *set, const double *weight)
{
    for (size_t i = 0; i < g->d->inputs; i++)
        for (size_t k = 0; set[i] && k < g->d->encoder->input[i].columns; k++) {
            g->root[g->columns] = exp(0.5 * weight[i]);
            g->column[g->columns++] = g->d->encoder->input[i].first + k;
        }
}

static void stretched(const struct sift_gauss *g, const size_t *row, size_t n, double *x)
{
    for (size_t k = 0; k < g->columns; k++)
        for (size_t i = 0; i < n; i++) x[i + n * k] = g->root[k] * g->d->x[row[i] + g->d->rows * g->column[k]];
}

/* The n candidates: places at[] of a list of rows, of which this process has `own`. */
static int candidates_fetch(const struct sift_gauss *g, const size_t *row, size_t own, const size_t *at, size_t n,
                            double *x)
{
    struct sift_source from = {row, g->d->x, g->d->rows, g->column, g->columns};
    int status = sift_spread_fetch(g->d->spread, own, at, n, &from, x);
    for (size_t k = 0; k < g->columns && !status; k++)
        for (size_t i = 0; i < n; i++) x[i + n * k] *= g->root[k];
    return status;
}

static int centres_find(tamis_context *cx, struct sift_gauss *g, const size_t *row, size_t own, const size_t *at,
                        size_t n, size_t most)
{
    struct pivots p = {.n = n};
    if (most > n) most = n;
    p.x = tamis_raw(cx, double, n * g->columns + 1);
    p.left = tamis_raw(cx, double, n);
    p.l = tamis_raw(cx, double, n * most);
    p.pick = tamis_raw(cx, size_t, most);
    p.all = tamis_raw(cx, size_t, g->columns + 1);
    if (!tamis_status(cx) && !candidates_fetch(g, row, own, at, n, p.x)) {
        for (size_t k = 0; k < g->columns; k++) p.all[k] = k;
        g->m = pivots_find(&p, g, most);
        g->centre = tamis_raw(cx, double, g->m * g->columns + 1);
        g->l = tamis_new(cx, double, g->m * g->m + 1);
        if (g->centre && g->l) centres_take(g, &p);
    }
    void *all[] = {p.x, p.left, p.l, p.pick, p.all};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) tamis_free(all[i]);
    return tamis_status(cx);
}

void sift_gauss_free(struct sift_gauss *g)
{
    if (!g) return;
    void *all[] = {g->column, g->root, g->centre, g->l, g};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) tamis_free(all[i]);
}

struct sift_gauss *sift_gauss_make(tamis_context *cx, const struct tamis_design *d, const unsigned char *set,
                                   const double *weight, const size_t *row, size_t n, size_t most, size_t candidates)
{
    size_t before, all, few, *at;
    if (sift_spread_count(d->spread, n, &before, &all)) return NULL;
    struct sift_gauss *g = tamis_new(cx, struct sift_gauss, 1);
    at = tamis_raw(cx, size_t, few = candidates < all ? candidates : all);
    if (g) {
        g->d = d;
        g->column = tamis_raw(cx, size_t, d->columns);
        g->root = tamis_raw(cx, double, d->columns);
    }
    if (!tamis_status(cx)) {
        columns_take(g, set, weight);
        for (size_t i = 0; i < few; i++) at[i] = (size_t)((double)i * (double)all / (double)few);
        centres_find(cx, g, row, n, at, few, most);
    }
    tamis_free(at);
    if (!tamis_status(cx)) return g;
    sift_gauss_free(g);
    return NULL;
}

void sift_gauss_fill(const struct sift_gauss *g, const size_t *row, size_t n, double *out, size_t ld, double *work)
{
    stretched(g, row, n, work);
    for (size_t j = 0; j < g->m; j++) memset(out + ld * j, 0, n * sizeof *out);
    for (size_t k = 0; k < g->columns; k++)
        for (size_t j = 0; j < g->m; j++) {
            const double *x = work + n * k;
            double c = g->centre[j + g->m * k], *to = out + ld * j;
            for (size_t i = 0; i < n; i++) to[i] += (x[i] - c) * (x[i] - c);
        }
    for (size_t j = 0; j < g->m; j++) tamis_exp_scale(n, out + ld * j, 1, out + ld * j);
    if (g->m) tamis_trsm(CblasRight, CblasLower, TRANS, n, g->m, g->l, g->m, out, ld);
}
