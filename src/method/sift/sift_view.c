/* Residuals and their normal scores. */
#include "method/sift/sift_view.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "num/tail.h"

enum { PER_FUNCTION = 10 };     /* rows of the smallest class that one function in a test needs */

/* ---- making one ---- */

/* Rows of the smallest class with any rows in view. */
static size_t smallest_class(const struct sift_view *v, size_t *count)
{
    const struct tamis_design *d = v->f->d;
    size_t least = v->n;
    for (size_t i = 0; i < v->n; i++) count[(size_t)d->y[v->row[i]]]++;
    for (size_t k = 0; k < d->encoder->classes; k++)
        if (count[k] && count[k] < least) least = count[k];
    return least;
}

static int most_find(struct sift_view *v)
{
    v->most = SIFT_LEVELS;
    if (!v->classes) return TAMIS_OK;
    size_t *count = tamis_new(v->cx, size_t, v->f->d->encoder->classes);
    if (!count) return tamis_status(v->cx);
    size_t most = smallest_class(v, count) / PER_FUNCTION;
    v->most = most < 1 ? 1 : most < SIFT_LEVELS ? most : SIFT_LEVELS;
    tamis_free(count);
    return TAMIS_OK;
}

/* Rows, or n^2 / sum of m_g^2 where the m_g rows of group g are one observation: as many groups of equal size. */
static int groups_count(struct sift_view *v)
{
    const struct sift_functions *f = v->f;
    double squares = 0, n = (double)v->n;
    v->groups = n;
    if (!f->group) return TAMIS_OK;
    size_t *count = tamis_new(v->cx, size_t, f->groups);
    if (!count) return tamis_status(v->cx);
    for (size_t i = 0; i < v->n; i++) count[f->group[v->row[i]]]++;
    for (size_t g = 0; g < f->groups; g++) squares += (double)count[g] * (double)count[g];
    v->groups = n * n / squares;
    tamis_free(count);
    return TAMIS_OK;
}

static double centre(double *y, size_t n)
{
    double mean = 0;
    for (size_t i = 0; i < n; i++) mean += y[i] / (double)n;
    for (size_t i = 0; i < n; i++) y[i] -= mean;
    return mean;
}

int sift_view_make(tamis_context *cx, const struct sift_functions *f, const double *target, size_t l, const size_t *row,
                   size_t n, struct sift_view *v)
{
    *v = (struct sift_view){.cx = cx, .f = f, .row = row, .n = n, .l = l, .far = INFINITY};
    v->classes = f->d->encoder->classes > 0;
    v->mean = tamis_raw(cx, double, l);
    v->given = tamis_raw(cx, double, n * l);
    v->y = tamis_raw(cx, double, n * l);
    v->r = tamis_raw(cx, double, n * l);
    v->score = tamis_raw(cx, double, n * l);
    if (tamis_status(cx) || most_find(v) || groups_count(v)) return tamis_status(cx);
    for (size_t o = 0; o < l; o++) {
        for (size_t i = 0; i < n; i++) v->given[i + n * o] = target[row[i] + f->d->rows * o];
        v->mean[o] = centre(v->given + n * o, n);
    }
    memcpy(v->y, v->given, n * l * sizeof *v->y);
    memcpy(v->r, v->given, n * l * sizeof *v->r);
    return sift_view_score(v);
}

void sift_view_free(struct sift_view *v)
{
    void *all[] = {v->mean, v->given, v->y, v->r, v->known, v->score};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) tamis_free(all[i]);
}

/* ---- scores ---- */

struct place { double x; size_t i; };

static int by_place(const void *a, const void *b)
{
    const struct place *p = a, *q = b;
    return p->x != q->x ? (p->x > q->x) - (p->x < q->x) : (p->i > q->i) - (p->i < q->i);
}

/* Phi^-1((rank - 1/2) / n), equal values sharing their middle rank. */
static void normal_scores(const double *r, size_t n, struct place *order, double *score)
{
    for (size_t i = 0; i < n; i++) order[i] = (struct place){r[i], i};
    qsort(order, n, sizeof *order, by_place);
    for (size_t from = 0, to; from < n; from = to) {
        for (to = from + 1; to < n && order[to].x == order[from].x;) to++;
        double value = tamis_normal_quantile(0.5 * (double)(from + to) / (double)n);
        for (size_t k = from; k < to; k++) score[order[k].i] = value;
    }
}

static double mean_product(const double *a, const double *b, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += a[i] * b[i];
    return sum / (double)n;
}

/* Makes output o uncorrelated with those before it, and of variance 1; 0 where nothing is left. */
static void whiten(struct sift_view *v, size_t o)
{
    double *s = v->score + v->n * o, before = mean_product(s, s, v->n);
    for (size_t k = 0; k < o; k++) {
        const double *other = v->score + v->n * k;
        double share = mean_product(s, other, v->n);
        for (size_t i = 0; i < v->n; i++) s[i] -= share * other[i];
    }
    double left = mean_product(s, s, v->n), scale = left > 1e-10 * before && left > 0 ? 1 / sqrt(left) : 0;
    for (size_t i = 0; i < v->n; i++) s[i] *= scale;
}

int sift_view_score(struct sift_view *v)
{
    struct place *order = v->classes ? NULL : tamis_raw(v->cx, struct place, v->n);
    if (!v->classes && !order) return tamis_status(v->cx);
    for (size_t o = 0; o < v->l; o++) {
        double *s = v->score + v->n * o;
        if (v->classes) memcpy(s, v->r + v->n * o, v->n * sizeof *s);
        else normal_scores(v->r + v->n * o, v->n, order, s);
        centre(s, v->n);
        whiten(v, o);
    }
    tamis_free(order);
    return TAMIS_OK;
}
