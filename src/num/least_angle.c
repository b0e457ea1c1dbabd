/* Least angle regression [1] and multiresponse sparse regression [2], which is the same path with several outputs.
 *
 *     u_j = x_j^T (Y - F),  c_j = |u_j|_1;      at every step the active columns share c_j = C and no other has more
 *     F <- F + gamma (F_ls - F),                F_ls the least-squares fit on the active columns
 *
 * On the way all active u_j shrink by the factor 1 - gamma, so they stay equal. With w_j = x_j^T (Y - F_ls) and
 * t = gamma / (1 - gamma), an idle column joins where |u_j + t w_j|_1 = C: a convex, piecewise linear function of t,
 * whose root Newton's method reaches from above in at most k + 1 steps. For one output this is the path of [1].
 *
 * The active columns are kept as Q R. A column with |x - Q Q^T x|^2 <= 1e-10 |x|^2 is skipped and goes to the end of
 * the ranking.
 *
 * [1] B. Efron, T. Hastie, I. Johnstone, R. Tibshirani, Least angle regression, Annals of Statistics 32 (2004) 407-499.
 * [2] T. Simila, J. Tikka, Multiresponse sparse regression with application to multidimensional scaling, ICANN 2005.
 * DIFFERS from lars_path of scikit-learn, which leaves the equal correlations when an active coefficient changes
 *     sign. */
#include <math.h>
#include <string.h>
#include "base/base.h"
#include "num/lapack.h"
#include "num/least_angle.h"

static const double collinear = 1e-10;

static size_t at_most(const struct tamis_lars_data *d) { return d->n < d->p ? d->n : d->p; }

size_t tamis_lars_size(size_t n, size_t p, size_t k, int gram)
{
    size_t m = n < p ? n : p;
    return 3 * m + 1 + p * m + m * k + (gram ? 0 : n * m) + 2 * k * p + p;
}

void tamis_lars_bind(struct tamis_lars *l, const struct tamis_lars_data *data, double *memory, size_t *index)
{
    size_t p = data->p, k = data->k, m = at_most(data);
    *l = (struct tamis_lars){.data = *data, .most = m, .order = index, .place = index + p};
    l->c = memory;
    l->gamma = l->c + m + 1;
    l->row = l->gamma + m;
    l->r = l->row + m;
    l->qy = l->r + p * m;
    l->u = l->qy + m * k;
    l->w = l->u + k * p;
    l->length = l->w + k * p;
    l->q = l->length + p;
}

TAMIS_CLONES
static void standardise(size_t n, double *x, double *mean, double *scale)
{
    double sum = 0, squares = 0;
#pragma omp simd reduction(+ : sum)
    for (size_t i = 0; i < n; i++) sum += x[i];
    double middle = sum / (double)n;
#pragma omp simd reduction(+ : squares)
    for (size_t i = 0; i < n; i++) {
        x[i] -= middle;
        squares += x[i] * x[i];
    }
    *mean = middle;
    *scale = squares > 1e-24 * (double)n * middle * middle ? sqrt(squares / (double)n) : 0;
    double by = *scale > 0 ? 1 / *scale : 0;
    for (size_t i = 0; i < n; i++) x[i] *= by;
}

void tamis_lars_standardise(size_t n, double *x, double *mean, double *scale) { standardise(n, x, mean, scale); }

void tamis_lars_standardise_weighted(size_t n, const double *root, double total, double *x, double *mean,
                                     double *scale)
{
    double sum = 0, squares = 0;
    if (!root) {
        standardise(n, x, mean, scale);
        return;
    }
    for (size_t i = 0; i < n; i++) sum += root[i] * root[i] * x[i];
    *mean = sum / total;
    for (size_t i = 0; i < n; i++) {
        x[i] = root[i] * (x[i] - *mean);
        squares += x[i] * x[i];
    }
    *scale = squares > 1e-24 * total * *mean * *mean ? sqrt(squares / total) : 0;
    for (size_t i = 0; i < n; i++) x[i] *= *scale > 0 ? 1 / *scale : 0;
}

/* ---- a column joins ---- */

/* q = x_a minus its projection on Q, in two passes, then normalised; r_s = X^T q. Returns 0 when nothing is left. */
static int join_by_columns(struct tamis_lars *l, size_t a)
{
    const struct tamis_lars_data *d = &l->data;
    size_t s = l->steps;
    double *q = l->q + d->n * s, *r = l->r + d->p * s;
    memcpy(q, d->x + d->n * a, d->n * sizeof *q);
    for (int pass = 0; pass < 2 && s; pass++) {
        tamis_gemv(TRANS, d->n, s, 1, l->q, d->n, q, 0, l->row);
        tamis_gemv(PLAIN, d->n, s, -1, l->q, d->n, l->row, 1, q);
    }
    double pivot2 = tamis_dot(d->n, q, q), rho = sqrt(pivot2);
    if (!(pivot2 > collinear * l->length[a])) return 0;
    for (size_t i = 0; i < d->n; i++) q[i] /= rho;
    tamis_gemv(TRANS, d->n, d->p, 1, d->x, d->n, q, 0, r);
    for (size_t o = 0; o < d->k; o++) l->qy[s + l->most * o] = tamis_dot(d->n, q, d->y + d->n * o);
    return 1;
}

/* The same from X^T X: a row of its Cholesky factor. */
static int join_by_gram(struct tamis_lars *l, size_t a)
{
    const struct tamis_lars_data *d = &l->data;
    size_t s = l->steps;
    double *r = l->r + d->p * s, pivot2 = l->length[a];
    for (size_t t = 0; t < s; t++) l->row[t] = l->r[a + d->p * t], pivot2 -= l->row[t] * l->row[t];
    if (!(pivot2 > collinear * l->length[a])) return 0;
    memcpy(r, d->gram + d->p * a, d->p * sizeof *r);
    if (s) tamis_gemv(PLAIN, d->p, s, -1, l->r, d->p, l->row, 1, r);
    for (size_t j = 0; j < d->p; j++) r[j] /= sqrt(pivot2);
    r[a] = sqrt(pivot2);
    for (size_t o = 0; o < d->k; o++)                                           /* q^T Y = x_a^T (Y - F_ls) / rho */
        l->qy[s + l->most * o] = l->w[o + d->k * a] / sqrt(pivot2);
    return 1;
}

static int join(struct tamis_lars *l, size_t a)
{
    size_t k = l->data.k, s = l->steps;
    if (!(l->data.gram ? join_by_gram(l, a) : join_by_columns(l, a))) return 0;
    for (size_t j = 0; j < l->data.p; j++)
        for (size_t o = 0; o < k; o++) l->w[o + k * j] -= l->r[j + l->data.p * s] * l->qy[s + l->most * o];
    for (size_t t = 0; t <= s; t++)                                             /* exactly 0 for active columns */
        for (size_t o = 0; o < k; o++) l->w[o + k * (t < s ? l->order[t] : a)] = 0;
    l->order[s] = a;
    l->steps++;
    return 1;
}

/* ---- the path ---- */

static double norm1(const double *u, size_t k)
{
    double sum = 0;
    for (size_t o = 0; o < k; o++) sum += fabs(u[o]);
    return sum;
}

/* The t >= 0 at which |u + t w|_1 = c >= |u|_1; infinite when there is none. */
static double meeting(const double *u, const double *w, size_t k, double c)
{
    double most = norm1(w, k), t = (c + norm1(u, k)) / most;
    if (!(most > 0) || !isfinite(t)) return INFINITY;
    for (size_t i = 0; i <= k; i++) {
        double value = -c, slope = 0;
        for (size_t o = 0; o < k; o++) {
            double v = u[o] + t * w[o];
            value += fabs(v);
            slope += v < 0 ? -w[o] : w[o];
        }
        if (!(value > 0) || !(slope > 0)) break;
        t -= value / slope;
    }
    return t > 0 ? t : 0;
}

enum { IDLE, ACTIVE, SKIPPED };         /* in place[] until the path is complete */

static size_t largest_idle(const struct tamis_lars *l)
{
    size_t best = l->data.p;
    double most = -1;
    for (size_t j = 0; j < l->data.p; j++) {
        double c = l->place[j] == IDLE ? norm1(l->u + l->data.k * j, l->data.k) : -1;
        if (c > most) most = c, best = j;
    }
    return best;
}

/* Moves the fit towards the least-squares fit until an idle column joins, and returns that column; p: none does, and
 * the least-squares fit is reached. */
static size_t advance(struct tamis_lars *l, double *c)
{
    size_t p = l->data.p, k = l->data.k, next = p;
    double least = INFINITY;
    for (size_t j = 0; j < p; j++) {
        double t = l->place[j] == IDLE ? meeting(l->u + k * j, l->w + k * j, k, *c) : INFINITY;
        if (t < least) least = t, next = j;
    }
    double stay = 1 / (1 + least), go = next < p ? least / (1 + least) : 1;
    for (size_t i = 0; i < p * k; i++) l->u[i] = stay * l->u[i] + go * l->w[i];
    *c *= stay;
    double *gamma = &l->gamma[l->steps - 1];
    *gamma = 1 - (1 - *gamma) * stay;                                           /* a skipped column splits a step */
    return next;
}

static void start(struct tamis_lars *l)
{
    const struct tamis_lars_data *d = &l->data;
    l->steps = 0;
    memset(l->gamma, 0, l->most * sizeof *l->gamma);
    for (size_t j = 0; j < d->p; j++) {
        l->place[j] = IDLE;
        l->length[j] = d->gram ? d->gram[j + d->p * j] : tamis_dot(d->n, d->x + d->n * j, d->x + d->n * j);
    }
    tamis_gemm(TRANS, PLAIN, d->k, d->p, d->n, 1, d->y, d->n, d->x, d->n, 0, l->u, d->k);
    memcpy(l->w, l->u, d->k * d->p * sizeof *l->w);
}

/* The rest of the ranking: skipped columns in the order in which they were skipped (order is filled from its end), then
 * idle columns by index. */
static void rank_rest(struct tamis_lars *l, size_t skipped)
{
    size_t p = l->data.p, at = l->steps;
    for (size_t i = 0; i < skipped / 2; i++) {
        size_t swap = l->order[p - 1 - i];
        l->order[p - 1 - i] = l->order[p - skipped + i];
        l->order[p - skipped + i] = swap;
    }
    memmove(l->order + at, l->order + p - skipped, skipped * sizeof *l->order);
    at += skipped;
    for (size_t j = 0; j < p; j++)
        if (l->place[j] == IDLE) l->order[at++] = j;
    for (size_t i = 0; i < p; i++) l->place[l->order[i]] = i;
}

void tamis_lars_run(struct tamis_lars *l, size_t most)
{
    size_t p = l->data.p, skipped = 0;
    start(l);
    size_t a = largest_idle(l);
    double c = a < p ? norm1(l->u + l->data.k * a, l->data.k) : 0;
    l->c[0] = c;
    while (a < p && c > 0 && l->steps < l->most && l->steps < most) {
        if (join(l, a)) l->place[a] = ACTIVE;
        else {
            l->place[a] = SKIPPED;
            l->order[p - ++skipped] = a;
        }
        if (!l->steps) break;                                                   /* NaN: no column can join */
        a = advance(l, &c);
        l->c[l->steps] = c;
    }
    rank_rest(l, skipped);
}

/* ---- coefficients ---- */

/* b (s x k) = R_s^-1 Q_s^T Y for the first s columns */
static void least_squares(const struct tamis_lars *l, size_t s, double *b)
{
    for (size_t o = 0; o < l->data.k; o++)
        for (size_t i = s; i-- > 0; ) {
            double sum = l->qy[i + l->most * o];
            for (size_t j = i + 1; j < s; j++) sum -= l->r[l->order[j] + l->data.p * i] * b[j + l->most * o];
            b[i + l->most * o] = sum / l->r[l->order[i] + l->data.p * i];
        }
}

void tamis_lars_path(const struct tamis_lars *l, double *coef, double *work)
{
    size_t p = l->data.p, k = l->data.k;
    memset(coef, 0, p * k * sizeof *coef);
    for (size_t s = 1; s <= l->steps; s++) {
        const double *before = coef + p * k * (s - 1), g = l->gamma[s - 1];
        double *now = coef + p * k * s;
        least_squares(l, s, work);
        memcpy(now, before, p * k * sizeof *now);
        for (size_t o = 0; o < k; o++)
            for (size_t i = 0; i < s; i++) {
                size_t j = l->order[i] + p * o;
                now[j] = before[j] + g * (work[i + l->most * o] - before[j]);
            }
    }
}
