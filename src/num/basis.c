/* Functions of one column. Blocks of rows pass through look-up, cosine, recurrence and triangular product while they
 * stay in the first-level cache.
 *
 * The rank of x needs the last knot not above it. Equal buckets over the range of the knots give a first guess, and
 * every row takes the same few steps of bisection from there; the knot found is the same as that of any other search.
 * Values are first multiplied by a power of two, 1 unless they are so large or small that differences could overflow
 * or reciprocals become infinite. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("fp-contract=off")
#endif
#include "num/basis.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/base.h"
#include "num/compare.h"
#include "num/order.h"
#include "num/weighted.h"

enum { BLOCK = 256, BUCKETS = 512, LANES = 8 };

static const double least_left = 1e-4;          /* of a function's variance, or it is dropped */
static const double least_variance = 1e-24;     /* of a raw function: below this it is rounding */

typedef double square[TAMIS_FUNCTIONS][TAMIS_FUNCTIONS];

struct table {
    double unit, lo, hi, inverse;               /* z = (unit x, within [lo, hi], - lo) inverse - 1 */
    double first, last, rate;                   /* bucket: (unit x, within [first, last], - first) rate */
    int buckets, steps;
    int start[BUCKETS];                         /* the last knot surely not above the values of a bucket */
    double knot[2 * TAMIS_KNOTS];               /* infinite after the last one */
    double rank[TAMIS_KNOTS], slope[TAMIS_KNOTS];
};

/* ---- the tables of a column ---- */

static double unit_of(const struct tamis_basis *b)
{
    double most = fmax(fabs(b->knot[0]), fabs(b->knot[b->knots - 1]));
    return most < 0x1p-900 ? 0x1p100 : most > 0x1p900 ? 0x1p-100 : 1;
}

static int bucket(const struct table *t, double x)
{
    int k = (int)((x - t->first) * t->rate);
    return k < t->buckets ? k : t->buckets - 1;
}

/* Bisection from start[k] must be able to pass all the knots in bucket k. */
static void make_buckets(struct table *t, size_t knots, int buckets)
{
    int most = 0;
    size_t k = 0;
    t->buckets = buckets;
    t->rate = buckets / (t->last - t->first);
    for (int i = 0; i < buckets; i++) {
        int from = (int)k;
        while (k < knots && bucket(t, t->knot[k]) <= i) k++;
        t->start[i] = from > 0 ? from - 1 : 0;
        if ((int)k - from > most) most = (int)k - from;
    }
    for (t->steps = 0; most >> t->steps;) t->steps++;
}

static void make_knots(struct table *t, const struct tamis_basis *b)
{
    for (size_t k = 0; k < 2 * TAMIS_KNOTS; k++) t->knot[k] = k < b->knots ? t->unit * b->knot[k] : INFINITY;
    t->first = t->knot[0];
    t->last = t->knot[b->knots - 1];
    for (size_t k = 0; k < b->knots; k++) {
        double slope = k + 1 < b->knots ? (b->rank[k + 1] - b->rank[k]) / (t->knot[k + 1] - t->knot[k]) : 0;
        t->slope[k] = slope - slope == 0 ? slope : 0;
        t->rank[k] = b->rank[k];
    }
}

static void make_table(struct table *t, const struct tamis_basis *b, size_t rows)
{
    t->unit = unit_of(b);
    t->lo = t->unit * b->lo;
    t->hi = t->unit * b->hi;
    t->inverse = 1 / (0.5 * (t->hi - t->lo));
    if (t->inverse - t->inverse != 0) t->inverse = 0;
    make_knots(t, b);
    make_buckets(t, b->knots, rows < BUCKETS ? 1 : BUCKETS);
}

/* ---- raw functions of a block ---- */

/* The comparisons take NaN, which no caller passes, to the lower end. */
TAMIS_CLONES
static void clip(size_t n, const double *restrict x, double unit, double lo, double hi, double *restrict out)
{
    for (size_t i = 0; i < n; i++) {
        double v = unit * x[i];
        v = v > lo ? v : lo;
        out[i] = v < hi ? v : hi;
    }
}

TAMIS_CLONES
static void powers(size_t n, double lo, double inverse, double *restrict z, double *restrict z2)
{
    for (size_t i = 0; i < n; i++) {
        z[i] = (z[i] - lo) * inverse - 1;
        z2[i] = z[i] * z[i];
    }
}

/* v = 1/2 - u, u the rank of x. */
TAMIS_CLONES
static void look_up(size_t n, const struct table *restrict t, const double *restrict x, double *restrict v)
{
    int at[BLOCK];
    for (size_t i = 0; i < n; i++) at[i] = t->start[bucket(t, x[i])];
    for (int s = t->steps; s-- > 0;)
        for (size_t i = 0; i < n; i++) at[i] += (int)(t->knot[at[i] + (1 << s)] <= x[i]) << s;
    for (size_t i = 0; i < n; i++)
        v[i] = 0.5 - (t->rank[at[i]] + t->slope[at[i]] * (x[i] - t->knot[at[i]]));
}

/* sin(pi v) / v in powers of v^2, |v| <= 1/2: 3e-17 from it. */
#define SINE_PI(w) (0x1.921fb54442d18p+1 + (w) * (-0x1.4abbce625be52p+2 + (w) * (0x1.466bc6775aa7dp+1             \
    + (w) * (-0x1.32d2cce627c86p-1 + (w) * (0x1.5078348551854p-4 + (w) * (-0x1.e3074dfaf87afp-8                  \
    + (w) * (0x1.e8f3675ee37ddp-12 + (w) * (-0x1.6f7acdb8f6580p-16 + (w) * 0x1.9d462020fcc78p-21))))))))

/* c_1 = cos(pi u) = sin(pi v); c_{k + 1} = 2 c_1 c_k - c_{k - 1}. */
TAMIS_CLONES
static void cosines(size_t n, const double *restrict v, double *restrict c)
{
    for (size_t i = 0; i < n; i++) {
        double c1 = v[i] * SINE_PI(v[i] * v[i]), twice = 2 * c1, c2 = twice * c1 - 1, c3 = twice * c2 - c1,
               c4 = twice * c3 - c2, c5 = twice * c4 - c3;
        c[i] = M_SQRT2 * c1;
        c[i + BLOCK] = M_SQRT2 * c2;
        c[i + 2 * BLOCK] = M_SQRT2 * c3;
        c[i + 3 * BLOCK] = M_SQRT2 * c4;
        c[i + 4 * BLOCK] = M_SQRT2 * c5;
    }
}

/* raw: BLOCK x TAMIS_FUNCTIONS, of which the first `needed` columns are wanted. */
static void raw_functions(const struct table *t, const double *x, size_t n, size_t needed, double *raw)
{
    double work[BLOCK];
    clip(n, x, t->unit, t->lo, t->hi, raw);
    powers(n, t->lo, t->inverse, raw, raw + BLOCK);
    if (needed <= 2) return;
    clip(n, x, t->unit, t->first, t->last, work);
    look_up(n, t, work, raw + 2 * BLOCK);
    memcpy(work, raw + 2 * BLOCK, n * sizeof *work);
    cosines(n, work, raw + 2 * BLOCK);
}

/* ---- application ---- */

TAMIS_CLONES
static void subtract(size_t n, double a, double *x)
{
    for (size_t i = 0; i < n; i++) x[i] -= a;
}

/* out = sum over j < p of a_j x_j, from left to right */
TAMIS_CLONES
static void combine(size_t n, size_t p, const double *restrict a, const double *restrict x, double *restrict out)
{
    for (size_t i = 0; i < n; i++) out[i] = a[0] * x[i];
    for (size_t j = 1; j < p; j++)
        for (size_t i = 0; i < n; i++) out[i] += a[j] * x[i + BLOCK * j];
}

static void centre(const struct tamis_basis *b, size_t n, size_t needed, double *raw)
{
    for (size_t j = 0; j < needed; j++) subtract(n, b->mean[j], raw + BLOCK * j);
}

void tamis_basis_apply(const struct tamis_basis *b, size_t count, const double *x, size_t n, double *out, size_t ld)
{
    struct table t;
    double raw[BLOCK * TAMIS_FUNCTIONS];
    size_t needed = count ? b->order[count - 1] + 1 : 0;
    if (!count || !n) return;
    make_table(&t, b, n);
    for (size_t from = 0; from < n; from += BLOCK) {
        size_t rows = n - from < BLOCK ? n - from : BLOCK;
        raw_functions(&t, x + from, rows, needed, raw);
        centre(b, rows, needed, raw);
        for (size_t k = 0; k < count; k++) combine(rows, b->order[k] + 1, b->turn[k], raw, out + from + ld * k);
    }
}

/* ---- learning ---- */

/* Lane l of s adds the products i = l, l + LANES, ...: the same sums with registers of any width. */
TAMIS_CLONES
static double dot(size_t n, const double *restrict a, const double *restrict b)
{
    double s[LANES] = {0}, sum = 0;
    size_t i = 0;
    for (; i + LANES <= n; i += LANES)
        for (size_t l = 0; l < LANES; l++) s[l] += a[i + l] * b[i + l];
    for (; i < n; i++) s[i % LANES] += a[i] * b[i];
    for (size_t l = 0; l < LANES; l++) sum += s[l];
    return sum;
}

/* The values that a basis is learnt from, in increasing order, and what they count. */
struct sample { size_t n; const double *x, *w, *root; double all; };

/* f is multiplied by the roots of the weights of rows from on. */
static void add_products(const struct sample *s, size_t from, size_t p, size_t n, double *f, square g)
{
    tamis_weight_scale(n, p, s->root ? s->root + from : NULL, f, BLOCK);
    for (size_t j = 0; j < p; j++)
        for (size_t k = 0; k <= j; k++) g[j][k] += dot(n, f + BLOCK * j, f + BLOCK * k);
}

/* Mean products: symmetric. */
static void finish_products(size_t p, double all, square g)
{
    for (size_t j = 0; j < p; j++)
        for (size_t k = 0; k <= j; k++) g[k][j] = g[j][k] /= all;
}

static void learn_means(struct tamis_basis *b, const struct table *t, const struct sample *s)
{
    double raw[BLOCK * TAMIS_FUNCTIONS], one[BLOCK];
    for (size_t from = 0; from < s->n; from += BLOCK) {
        size_t rows = s->n - from < BLOCK ? s->n - from : BLOCK;
        for (size_t i = 0; i < rows; i++) one[i] = tamis_weight_at(s->w, from + i);
        raw_functions(t, s->x + from, rows, TAMIS_FUNCTIONS, raw);
        for (size_t j = 0; j < TAMIS_FUNCTIONS; j++) b->mean[j] += dot(rows, raw + BLOCK * j, one);
    }
    for (size_t j = 0; j < TAMIS_FUNCTIONS; j++) b->mean[j] /= s->all;
}

static void raw_products(const struct tamis_basis *b, const struct table *t, const struct sample *s, square g)
{
    double raw[BLOCK * TAMIS_FUNCTIONS];
    for (size_t from = 0; from < s->n; from += BLOCK) {
        size_t rows = s->n - from < BLOCK ? s->n - from : BLOCK;
        raw_functions(t, s->x + from, rows, TAMIS_FUNCTIONS, raw);
        centre(b, rows, TAMIS_FUNCTIONS, raw);
        add_products(s, from, TAMIS_FUNCTIONS, rows, raw, g);
    }
    finish_products(TAMIS_FUNCTIONS, s->all, g);
}

static void final_products(const struct tamis_basis *b, const struct sample *s, square g)
{
    double f[BLOCK * TAMIS_FUNCTIONS];
    for (size_t from = 0; from < s->n; from += BLOCK) {
        size_t rows = s->n - from < BLOCK ? s->n - from : BLOCK;
        tamis_basis_apply(b, b->functions, s->x + from, rows, f, BLOCK);
        add_products(s, from, b->functions, rows, f, g);
    }
    finish_products(b->functions, s->all, g);
}

/* a' G b */
static double product(size_t p, square g, const double *a, const double *b)
{
    double sum = 0;
    for (size_t i = 0; i < p; i++)
        for (size_t j = 0; j < p; j++) sum += a[i] * g[i][j] * b[j];
    return sum;
}

/* Of p functions with mean products G, in order: coefficients t (rows) of orthonormal ones. Returns how many are
 * kept. */
static size_t gram_schmidt(size_t p, square g, square t, size_t *order)
{
    size_t kept = 0;
    for (size_t j = 0; j < p; j++) {
        double *a = t[kept];
        memset(a, 0, sizeof t[kept]);
        a[j] = 1;
        for (size_t k = 0; k < kept; k++) {
            double c = product(p, g, a, t[k]);
            for (size_t i = 0; i < p; i++) a[i] -= c * t[k][i];
        }
        double left = product(p, g, a, a);
        if (!(g[j][j] > least_variance && left > least_left * g[j][j])) continue;
        for (size_t i = 0; i < p; i++) a[i] /= sqrt(left);
        order[kept++] = j;
    }
    return kept;
}

/* The second time: the functions found, which are orthonormal but for rounding. */
static void polish(struct tamis_basis *b, const struct sample *s)
{
    square g = {{0}}, t = {{0}}, turn;
    size_t order[TAMIS_FUNCTIONS];
    final_products(b, s, g);
    gram_schmidt(b->functions, g, t, order);
    memcpy(turn, b->turn, sizeof turn);
    for (size_t k = 0; k < b->functions; k++)
        for (size_t j = 0; j < TAMIS_FUNCTIONS; j++) {
            double sum = 0;
            for (size_t i = 0; i <= k; i++) sum += t[k][i] * turn[i][j];
            b->turn[k][j] = sum;
        }
}

static size_t distinct(const struct sample *s)
{
    size_t count = 1;
    for (size_t i = 1; i < s->n; i++) count += s->x[i] > s->x[i - 1];
    return count;
}

/* Knot k is distinct value number (k (count - 1)) / (knots - 1), rounded. */
static void learn_knots(struct tamis_basis *b, const struct sample *s, size_t count)
{
    size_t k = 0, last = count < TAMIS_KNOTS ? count - 1 : TAMIS_KNOTS - 1;
    double below = 0, here;
    for (size_t i = 0, number = 0, end; k <= last; i = end, number++, below += here) {
        for (end = i + 1, here = tamis_weight_at(s->w, i); end < s->n && s->x[end] == s->x[i]; end++)
            here += tamis_weight_at(s->w, end);
        if (number != (k * (count - 1) + last / 2) / (last ? last : 1)) continue;
        b->knot[k] = s->x[i];
        b->rank[k++] = (below + 0.5 * here) / s->all;
    }
    b->knots = k;
}

/* The first value up to whose middle there is more than this share of the weight; of rows that count alike, the one of
 * rank tamis_quantile_rank. */
static double quantile(const struct sample *s, size_t per_mille)
{
    double least = (double)per_mille * s->all, below = 0;
    size_t i = 0;
    if (!s->w) return s->x[tamis_quantile_rank(s->n, per_mille) - 1];
    least += tamis_slack(least, TAMIS_SUMMED);
    while (i + 1 < s->n && 1000 * (below += s->w[i]) + 500 * s->w[i] <= least) i++;
    return s->x[i];
}

static void learn_range(struct tamis_basis *b, const struct sample *s)
{
    double q05 = quantile(s, 50), q95 = quantile(s, 950);
    b->lo = s->x[0];
    b->hi = s->x[s->n - 1];
    if (q05 == q95) return;
    b->lo = fmax(b->lo, q05 - 1.5 * (q95 - q05));
    b->hi = fmin(b->hi, q95 + 1.5 * (q95 - q05));
}

static void learn(struct tamis_basis *b, const struct sample *s)
{
    struct table t;
    square g = {{0}};
    size_t count = distinct(s);
    b->values = count < TAMIS_KNOTS ? count : TAMIS_KNOTS + (count > TAMIS_KNOTS);
    learn_knots(b, s, count);
    learn_range(b, s);
    if (count == 1) return;
    make_table(&t, b, s->n);
    learn_means(b, &t, s);
    raw_products(b, &t, s, g);
    b->functions = gram_schmidt(TAMIS_FUNCTIONS, g, b->turn, b->order);
    polish(b, s);
}

static double bounded(double x) { return fmax(-DBL_MAX, fmin(x, DBL_MAX)); }

void tamis_basis_learn(struct tamis_basis *b, const double *x, size_t n, double *work)
{
    struct sample s = {.n = n, .x = work, .all = (double)n};
    *b = (struct tamis_basis){.functions = 0};
    if (!n) return;
    for (size_t i = 0; i < n; i++) work[i] = bounded(x[i]);
    qsort(work, n, sizeof *work, tamis_by_value);
    learn(b, &s);
}

void tamis_basis_learn_weighed(struct tamis_basis *b, const double *x, const double *w, size_t n, double *work)
{
    double *sorted = work, *weight = work + n;
    struct tamis_place *place = (struct tamis_place *)(void *)(work + 2 * n);
    struct sample s = {.n = n, .x = sorted, .w = weight, .root = work + 2 * n, .all = tamis_weight_sum(w, n)};
    *b = (struct tamis_basis){.functions = 0};
    if (!w) tamis_basis_learn(b, x, n, work);
    if (!w || !n) return;
    for (size_t i = 0; i < n; i++) place[i] = (struct tamis_place){bounded(x[i]), i};
    qsort(place, n, sizeof *place, tamis_by_place);
    for (size_t i = 0; i < n; i++) sorted[i] = place[i].x, weight[i] = w[place[i].i];
    for (size_t i = 0; i < n; i++) work[2 * n + i] = sqrt(weight[i]);
    learn(b, &s);
}
