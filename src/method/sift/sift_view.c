/* Residuals and their normal scores. */
#include "method/sift/sift_view.h"
#include "method/sift/sift_spread.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "num/order.h"
#include "num/tail.h"

enum { PER_FUNCTION = 10 };     /* rows of the smallest class that one function in a test needs */

/* ---- making one ---- */

/* What the rows in view of the smallest class are worth that has any. */
static double smallest_class(const struct sift_view *v, double *sum, double *squares)
{
    const struct tamis_design *d = v->f->d;
    double least = (double)v->n;
    for (size_t i = 0; i < v->n; i++) {
        size_t class = (size_t)d->y[v->row[i]];
        sum[class] += tamis_weight_at(v->weight, i);
        squares[class] += tamis_weight_at(v->weight, i) * tamis_weight_at(v->weight, i);
    }
    for (size_t k = 0; k < d->encoder->classes; k++)
        if (squares[k] > 0) least = fmin(least, sum[k] * sum[k] / squares[k]);
    return least;
}

static int most_find(struct sift_view *v)
{
    v->most = SIFT_LEVELS;
    if (!v->classes) return TAMIS_OK;
    size_t classes = v->f->d->encoder->classes;
    double *sums = tamis_new(v->cx, double, 2 * classes);
    if (!sums) return tamis_status(v->cx);
    size_t most = (size_t)(smallest_class(v, sums, sums + classes) * (1 + 1e-12) / PER_FUNCTION);
    v->most = most < 1 ? 1 : most < SIFT_LEVELS ? most : SIFT_LEVELS;
    tamis_free(sums);
    return TAMIS_OK;
}

/* n^2 / sum of m_g^2 where the rows of group g are one observation and count m_g together: as many groups of equal
 * size. */
static double groups_worth(const struct sift_view *v, const double *weight, double *sum)
{
    const struct sift_functions *f = v->f;
    memset(sum, 0, f->groups * sizeof *sum);
    for (size_t i = 0; i < v->n; i++) sum[f->group[v->row[i]]] += tamis_weight_at(weight, i);
    return tamis_weight_rows(sum, f->groups);
}

static int groups_count(struct sift_view *v)
{
    const struct sift_functions *f = v->f;
    v->groups = tamis_weight_rows(v->weight, v->all);
    v->separate = (double)v->all;
    if (!f->group) return TAMIS_OK;
    double *sum = tamis_raw(v->cx, double, f->groups);
    if (!sum) return tamis_status(v->cx);
    v->groups = groups_worth(v, v->weight, sum);
    v->separate = groups_worth(v, NULL, sum);
    tamis_free(sum);
    return TAMIS_OK;
}

/* The weights of the rows, if the design has any. */
static int weights_take(struct sift_view *v)
{
    const double *w = v->f->d->weight;
    v->total = (double)v->all;
    if (!w) return TAMIS_OK;
    v->weight = tamis_raw(v->cx, double, v->n);
    v->root = tamis_raw(v->cx, double, v->n);
    if (!v->weight || !v->root) return tamis_status(v->cx);
    for (size_t i = 0; i < v->n; i++) v->root[i] = sqrt(v->weight[i] = w[v->row[i]]);
    v->total = tamis_weight_sum(v->weight, v->n);
    return TAMIS_OK;
}

double sift_view_mean(const struct sift_view *v, const double *y)
{
    const struct tamis_spread *d = v->f->d->spread;
    struct tamis_spread s;
    if (!tamis_spread_shared(d)) return tamis_mean(y, v->weight, v->n);
    s = *d;
    s.all = v->all;
    return tamis_shared_mean(&s, y, NULL, v->n);
}

static double centre(const struct sift_view *v, double *y)
{
    double mean = sift_view_mean(v, y);
    for (size_t i = 0; i < v->n; i++) y[i] -= mean;
    return mean;
}

int sift_view_make(tamis_context *cx, const struct sift_functions *f, const double *target, size_t l, const size_t *row,
                   size_t n, struct sift_view *v)
{
    size_t before;
    *v = (struct sift_view){.cx = cx, .f = f, .row = row, .n = n, .l = l, .far = INFINITY};
    v->classes = f->d->encoder->classes > 0;
    v->mean = tamis_raw(cx, double, l);
    v->given = tamis_raw(cx, double, n * l);
    v->y = tamis_raw(cx, double, n * l);
    v->r = tamis_raw(cx, double, n * l);
    v->score = tamis_raw(cx, double, n * l);
    if (tamis_status(cx) || sift_spread_count(f->d->spread, n, &before, &v->all)) return tamis_status(cx);
    if (weights_take(v) || most_find(v) || groups_count(v)) return tamis_status(cx);
    for (size_t o = 0; o < l; o++) {
        for (size_t i = 0; i < n; i++) v->given[i + n * o] = target[row[i] + f->d->rows * o];
        v->mean[o] = centre(v, v->given + n * o);
    }
    memcpy(v->y, v->given, n * l * sizeof *v->y);
    memcpy(v->r, v->given, n * l * sizeof *v->r);
    return sift_view_score(v);
}

void sift_view_free(struct sift_view *v)
{
    void *all[] = {v->weight, v->root, v->mean, v->given, v->y, v->r, v->known, v->score};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) tamis_free(all[i]);
}

/* ---- scores ---- */

/* The same of values that processes share. */
static int shared_scores(const struct sift_view *v, const struct tamis_place *order, double *score)
{
    size_t n = v->n, *below = tamis_raw(v->cx, size_t, 2 * n + 1), *here = below + n;
    double *sorted = tamis_raw(v->cx, double, n + 1);
    int status = tamis_status(v->cx);
    for (size_t k = 0; k < n && !status; k++) sorted[k] = order[k].x;
    if (!status) status = sift_spread_below(v->f->d->spread, sorted, n, below, here);
    for (size_t k = 0; k < n && !status; k++)
        score[order[k].i] = k && sorted[k] == sorted[k - 1]
                                ? score[order[k - 1].i]
                                : tamis_normal_quantile(((double)below[k] + 0.5 * (double)here[k]) / v->total);
    tamis_free(below);
    tamis_free(sorted);
    return status;
}

/* Phi^-1((rank - 1/2) / n), equal values sharing their middle rank. */
static int normal_scores(const struct sift_view *v, const double *r, struct tamis_place *order, double *score)
{
    size_t n = v->n;
    double below = 0, here;
    for (size_t i = 0; i < n; i++) order[i] = (struct tamis_place){r[i], i};
    qsort(order, n, sizeof *order, tamis_by_place);
    if (tamis_spread_shared(v->f->d->spread)) return shared_scores(v, order, score);
    for (size_t from = 0, to; from < n; from = to, below += here) {
        for (to = from, here = 0; to < n && order[to].x == order[from].x; to++)
            here += tamis_weight_at(v->weight, order[to].i);
        double value = tamis_normal_quantile((below + 0.5 * here) / v->total);
        for (size_t k = from; k < to; k++) score[order[k].i] = value;
    }
    return TAMIS_OK;
}

static double mean_product(const struct sift_view *v, const double *a, const double *b)
{
    double sum = 0;
    tamis_spread_take(v->f->d->spread, &sum, sizeof sum);
    for (size_t i = 0; i < v->n; i++) sum += tamis_weight_at(v->weight, i) * a[i] * b[i];
    tamis_spread_give(v->f->d->spread, &sum, sizeof sum);
    return sum / v->total;
}

/* Makes output o uncorrelated with those before it, and of variance 1; 0 where nothing is left. */
static void whiten(struct sift_view *v, size_t o)
{
    double *s = v->score + v->n * o, before = mean_product(v, s, s);
    for (size_t k = 0; k < o; k++) {
        const double *other = v->score + v->n * k;
        double share = mean_product(v, s, other);
        for (size_t i = 0; i < v->n; i++) s[i] -= share * other[i];
    }
    double left = mean_product(v, s, s), scale = left > 1e-10 * before && left > 0 ? 1 / sqrt(left) : 0;
    for (size_t i = 0; i < v->n; i++) s[i] *= scale;
}

int sift_view_score(struct sift_view *v)
{
    struct tamis_place *order = v->classes ? NULL : tamis_raw(v->cx, struct tamis_place, v->n);
    if (!v->classes && !order) return tamis_status(v->cx);
    for (size_t o = 0; o < v->l; o++) {
        double *s = v->score + v->n * o;
        if (v->classes) memcpy(s, v->r + v->n * o, v->n * sizeof *s);
        else if (normal_scores(v, v->r + v->n * o, order, s)) break;
        centre(v, s);
        whiten(v, o);
    }
    tamis_free(order);
    return TAMIS_OK;
}
