/* Score tests of functions and products against residuals.
 *
 * Z = [1, what the model has, lower orders, tested columns] over the rows, U = Z L^-T orthonormal in this order
 * (directions with next to nothing left are dropped), R the scores of the residuals, uncorrelated and of variance 1.
 * With k tested directions, m lower ones, l outputs and n observations,
 *
 *     S = R'R - R' U_m U_m' R,  V = tr(U_k' R S^-1 R' U_k)
 *     s = min(k, l),  a = (|k - l| - 1) / 2,  b = (n - m - k - l - 2) / 2
 *     V / s ~ Beta(s (2a + s + 1) / 2, s (2b + s + 1) / 2)              Pillai's trace; for l = 1 the F test of R^2
 *
 * All sums over rows are weighted by what the rows count, and n is what they are worth.
 *
 * With more than SIFT_SMALL rows the plain residuals r must agree under any spread of the noise: with a = U_k * r row
 * by row, t = sum over outputs of (sum a)' (a'a)^-1 (sum a) ~ chi-squared with k l degrees; the larger p counts. (The
 * first alone is deceived by noise whose spread follows an input, the second by heavy tails and rare classes. The
 * second is made only if the first is below 5 %.) */
#include <math.h>
#include <string.h>
#include "method/sift/sift_sums.h"
#include "num/lapack.h"
#include "num/tail.h"

enum { PAIR_SIDE = 3, TRIPLE_SIDE = 2, MOST_KNOWN = 64,
       MOST = 1 + MOST_KNOWN + 3 * SIFT_LEVELS + 3 * 9 + 8 };
static const double hopeless = 0.05;            /* p of the first test above which the second is not made */
static const double little = 1e-8, little_product = 0.0025;     /* of a column's variance: less is nothing */

struct test {
    const struct sift_view *v;
    const struct sift_probe *p;
    size_t known;                       /* columns that the model has */
    size_t lower, tested;               /* columns of Z: 1 + known + lower orders; tested ones after them */
    size_t side[3];                     /* functions of each input in the tested products */
    double *z;                          /* SIFT_BLOCK x columns */
    double *fun;                        /* SIFT_BLOCK x functions of the inputs */
    double *a;                          /* SIFT_BLOCK x tested */
    double *g, *c, *sandwich, *sums;
    int second;                         /* the sandwich counts too */
    double *s;                          /* l x l */
    unsigned char kept[MOST];
};

static size_t columns_of(const struct test *t) { return t->lower + t->tested; }

/* ---- the columns ---- */

static double *product_fill(const double *a, size_t ka, const double *b, size_t kb, size_t n, double *to)
{
    for (size_t i = 0; i < ka; i++)
        for (size_t j = 0; j < kb; j++, to += SIFT_BLOCK)
            for (size_t r = 0; r < n; r++) to[r] = a[r + SIFT_BLOCK * i] * b[r + SIFT_BLOCK * j];
    return to;
}

static double *triple_fill(const struct test *t, double *const *fun, size_t n, double *to)
{
    double both[SIFT_BLOCK * TRIPLE_SIDE * TRIPLE_SIDE];
    size_t k = t->side[0] * t->side[1];
    product_fill(fun[0], t->side[0], fun[1], t->side[1], n, both);
    return product_fill(both, k, fun[2], t->side[2], n, to);
}

/* The lower orders of a triple: products of each pair. */
static double *pairs_fill(const struct test *t, double *const *fun, size_t n, double *to)
{
    for (size_t a = 0; a < 3; a++)
        for (size_t b = a + 1; b < 3; b++) {
            size_t ka = sift_least(PAIR_SIDE, sift_functions_of(t->v->f, t->p->input[a])),
                   kb = sift_least(PAIR_SIDE, sift_functions_of(t->v->f, t->p->input[b]));
            to = product_fill(fun[a], ka, fun[b], kb, n, to);
        }
    return to;
}

/* Rows from .. from + n - 1 of Z. */
static void block_fill(const struct test *t, size_t from, size_t n)
{
    const struct sift_functions *f = t->v->f;
    double *fun[3], *next = t->fun, *to = t->z + SIFT_BLOCK;
    for (size_t r = 0; r < n; r++) t->z[r] = 1;
    for (size_t k = 0; k < t->known; k++, to += SIFT_BLOCK)
        memcpy(to, t->v->known + from + t->v->n * k, n * sizeof *to);
    for (size_t k = 0; k < t->p->inputs; k++) {
        size_t q = sift_functions_of(f, t->p->input[k]);
        fun[k] = next;
        if (t->p->inputs == 1) q = t->tested;
        sift_functions_fill(f, t->p->input[k], q, t->v->row + from, n, next, SIFT_BLOCK);
        memcpy(to, next, q * SIFT_BLOCK * sizeof *to);
        next += q * SIFT_BLOCK;
        to += q * SIFT_BLOCK;
    }
    if (t->p->inputs == 2) product_fill(fun[0], t->side[0], fun[1], t->side[1], n, to);
    if (t->p->inputs == 3) triple_fill(t, fun, n, pairs_fill(t, fun, n, to));
}

/* ---- sums ---- */

/* Multiplies rows by the roots of their weights: once for a side of a product, twice for a sum. */
static void rows_weigh(const struct test *t, size_t from, size_t n, size_t columns, double *x)
{
    tamis_weight_scale(n, columns, t->v->root ? t->v->root + from : NULL, x, SIFT_BLOCK);
}

/* g = Z'Z and, after it, c = Z' scores. */
static int gram(struct test *t)
{
    const struct sift_view *v = t->v;
    struct sift_sums s;
    size_t q = columns_of(t), n = v->n, m;
    t->c = t->g + q * q;
    int status = sift_sums_begin(&s, v, t->g, q * (q + v->l));
    for (size_t from = 0; from < n && !status; from += m) {
        double *g = sift_sums_at(&s, from);
        m = sift_block(v->f, v->row, from, n);
        block_fill(t, from, m);
        rows_weigh(t, from, m, q, t->z);
        tamis_gemm(TRANS, PLAIN, q, q, m, 1, t->z, SIFT_BLOCK, t->z, SIFT_BLOCK, 1, g, q);
        rows_weigh(t, from, m, q, t->z);
        tamis_gemm(TRANS, PLAIN, q, v->l, m, 1, t->z, SIFT_BLOCK, v->score + from, n, 1, g + q * q, q);
    }
    return sift_sums_end(&s);
}

/* g = L L' over directions of which more than `least` of their variance about the mean is left; c becomes L^-1 c, 0 for
 * the others. */
static void orthonormalise(size_t q, double *g, size_t l, double *c, const double *least, unsigned char *kept)
{
    for (size_t j = 0; j < q; j++) {
        double d = g[j + q * j];
        for (size_t k = 0; k < j; k++) d -= kept[k] ? g[j + q * k] * g[j + q * k] : 0;
        kept[j] = d > least[j] && d > 0;
        double root = kept[j] ? sqrt(d) : 1;
        for (size_t i = j + 1; i < q; i++) {
            double sum = g[i + q * j];
            for (size_t k = 0; k < j; k++) sum -= kept[k] ? g[i + q * k] * g[j + q * k] : 0;
            g[i + q * j] = sum / root;
        }
        for (size_t o = 0; o < l; o++) {
            double sum = c[j + q * o];
            for (size_t k = 0; k < j; k++) sum -= kept[k] ? g[j + q * k] * c[k + q * o] : 0;
            c[j + q * o] = kept[j] ? sum / root : 0;
        }
        g[j + q * j] = root;
    }
}

static void limits_fill(const struct test *t, double *least)
{
    size_t q = columns_of(t);
    double n = t->v->total;
    for (size_t j = 0; j < q; j++) {
        double mean = t->g[j] / n, variance = t->g[j + q * j] - n * mean * mean;
        least[j] = (j >= t->lower && t->p->inputs > 1 ? little_product : little) * (j ? variance : n);
    }
}

/* Rows and columns of L of directions that were dropped become those of the identity. */
static void dropped_clear(const struct test *t)
{
    size_t q = columns_of(t);
    for (size_t j = 0; j < q; j++) {
        if (t->kept[j]) continue;
        for (size_t k = 0; k < q; k++) t->g[j + q * k] = t->g[k + q * j] = 0;
        t->g[j + q * j] = 1;
    }
}

/* Z becomes U = Z L^-T over n rows, 0 in dropped directions. */
static void block_turn(const struct test *t, size_t n)
{
    size_t q = columns_of(t);
    for (size_t j = 0; j < q; j++)
        if (!t->kept[j]) memset(t->z + SIFT_BLOCK * j, 0, n * sizeof *t->z);
    tamis_trsm(CblasRight, CblasLower, TRANS, n, q, t->g, q, t->z, SIFT_BLOCK);
}

/* to += a'a for output o and, after those of all outputs, sum a, a = U_k * r_o, over the n rows from `from` on, which
 * are in Z. */
static void sandwich_add(const struct test *t, size_t o, size_t from, size_t n, double *to)
{
    size_t q = t->tested;
    const double *u = t->z + SIFT_BLOCK * t->lower, *r = t->v->r + from + t->v->n * o;
    double *a = t->a, *sums = to + q * q * t->v->l;
    for (size_t k = 0; k < q; k++)
        for (size_t i = 0; i < n; i++) a[i + SIFT_BLOCK * k] = u[i + SIFT_BLOCK * k] * r[i];
    rows_weigh(t, from, n, q, a);
    tamis_gemm(TRANS, PLAIN, q, q, n, 1, a, SIFT_BLOCK, a, SIFT_BLOCK, 1, to + q * q * o, q);
    rows_weigh(t, from, n, q, a);
    for (size_t k = 0; k < q; k++)
        for (size_t i = 0; i < n; i++) sums[k + q * o] += a[i + SIFT_BLOCK * k];
}

static int sandwiches(struct test *t)
{
    const struct sift_view *v = t->v;
    struct sift_sums s;
    size_t q = t->tested, n = v->n, m;
    t->sums = t->sandwich + q * q * v->l;
    dropped_clear(t);
    int status = sift_sums_begin(&s, v, t->sandwich, q * (q + 1) * v->l);
    for (size_t from = 0; from < n && !status; from += m) {
        double *to = sift_sums_at(&s, from);
        m = sift_block(v->f, v->row, from, n);
        block_fill(t, from, m);
        block_turn(t, m);
        for (size_t o = 0; o < v->l; o++) sandwich_add(t, o, from, m, to);
    }
    return sift_sums_end(&s);
}

/* ---- p ---- */

static double pillai_log_p(double v, double k, double l, double m, double n)
{
    double s = fmin(k, l), a = (fabs(k - l) - 1) / 2, b = (n - m - k - l - 2) / 2;
    if (k < 1 || 2 * b + s + 1 <= 0) return 0;
    return tamis_log_upper_beta(fmin(v / s, 1), s * (2 * a + s + 1) / 2, s * (2 * b + s + 1) / 2);
}

/* c_k becomes c_k T^-T with T T' = S = n I - c_m' c_m, what the lower columns leave of the scores. */
static void scores_reduce(const struct test *t)
{
    size_t q = columns_of(t), l = t->v->l;
    for (size_t a = 0; a < l; a++)
        for (size_t b = 0; b <= a; b++) {
            double sum = a == b ? t->v->total : 0;
            for (size_t j = 0; j < t->lower; j++) sum -= t->c[j + q * a] * t->c[j + q * b];
            for (size_t k = 0; k < b; k++) sum -= t->s[a + l * k] * t->s[b + l * k];
            t->s[a + l * b] = a > b ? sum / t->s[b + l * b] : sqrt(fmax(sum, little * t->v->total));
        }
    for (size_t j = t->lower; j < q; j++)
        for (size_t a = 0; a < l; a++) {
            double sum = t->c[j + q * a];
            for (size_t k = 0; k < a; k++) sum -= t->s[a + l * k] * t->c[j + q * k];
            t->c[j + q * a] = sum / t->s[a + l * a];
        }
}

/* By the first k tested columns. */
static double score_log_p(const struct test *t, size_t k)
{
    size_t q = columns_of(t), lower = 0, tested = 0;
    double v = 0;
    for (size_t j = 1; j < t->lower; j++) lower += t->kept[j];
    for (size_t j = t->lower; j < t->lower + k; j++) {
        tested += t->kept[j];
        for (size_t o = 0; o < t->v->l; o++) v += t->c[j + q * o] * t->c[j + q * o];
    }
    return pillai_log_p(v, (double)tested, (double)t->v->l, (double)lower, t->v->groups);
}

/* sums_o becomes L^-1 sums_o with a'a = L L', so that the first k of them make the statistic of the first k columns. */
static void sandwiches_solve(const struct test *t)
{
    size_t q = t->tested;
    double least[MOST];
    unsigned char kept[MOST];
    for (size_t o = 0; o < t->v->l; o++) {
        double *g = t->sandwich + q * q * o;
        for (size_t j = 0; j < q; j++) least[j] = little * g[j + q * j];
        orthonormalise(q, g, 1, t->sums + q * o, least, kept);
    }
}

static double sandwich_log_p(const struct test *t, size_t k)
{
    size_t q = t->tested, tested = 0;
    double sum = 0;
    for (size_t j = 0; j < k; j++) tested += t->kept[t->lower + j];
    for (size_t o = 0; o < t->v->l; o++)
        for (size_t j = 0; j < k; j++) sum += t->sums[j + q * o] * t->sums[j + q * o];
    if (!tested) return 0;
    return tamis_log_upper_chi2(sum * t->v->groups / t->v->total, (double)(tested * t->v->l));
}

static double log_p_of(const struct test *t, size_t k)
{
    double p = score_log_p(t, k);
    return t->second ? fmax(p, sandwich_log_p(t, k)) : p;
}

/* One input: of its first function, the first two, all, with half of the level for the first and a quarter for each of
 * the others; a category: all. */
static double least_log_p(const struct test *t)
{
    double p = log_p_of(t, t->tested);
    if (t->p->inputs > 1 || t->tested == 1 || t->v->f->category[t->p->input[0]]) return p;
    p += log(t->tested > 2 ? 4 : 2);
    if (t->tested > 2) p = fmin(p, log(4) + log_p_of(t, 2));
    return fmin(0, fmin(p, log(2) + log_p_of(t, 1)));
}

/* ---- a test ---- */

static void shape(struct test *t)
{
    const struct sift_functions *f = t->v->f;
    size_t inputs = t->p->inputs, most = inputs == 2 ? PAIR_SIDE : TRIPLE_SIDE, q[3];
    t->known = sift_least(t->v->knowns, MOST_KNOWN);
    t->lower = 1 + t->known;
    t->tested = 1;
    while (inputs > 1 && most > 1 && (size_t)pow((double)most, (double)inputs) > t->v->most) most--;
    for (size_t k = 0; k < inputs; k++) {
        q[k] = sift_functions_of(f, t->p->input[k]);
        t->side[k] = inputs == 1 ? sift_least(q[k], t->v->most) : sift_least(q[k], most);
        if (inputs > 1) t->lower += q[k];
        t->tested *= t->side[k];
    }
    for (size_t a = 0; inputs == 3 && a < 3; a++)
        for (size_t b = a + 1; b < 3; b++) t->lower += sift_least(PAIR_SIDE, q[a]) * sift_least(PAIR_SIDE, q[b]);
}

/* All functions of a pair of few values instead of the first three. */
static int widen(struct test *t)
{
    size_t before = t->tested, most = t->v->most;
    if (t->p->inputs != 2) return 0;
    size_t a = sift_functions_screened(t->v->f, t->p->input[0]), b = sift_functions_screened(t->v->f, t->p->input[1]);
    if (a * b <= before || a * b > most) return 0;
    t->side[0] = a;
    t->side[1] = b;
    t->tested = a * b;
    return 1;
}

/* Log p; 0 after a failure, which stays in the context. */
static double run(struct test *t)
{
    double least[MOST];
    if (gram(t)) return 0;
    limits_fill(t, least);
    orthonormalise(columns_of(t), t->g, t->v->l, t->c, least, t->kept);
    scores_reduce(t);
    t->second = 0;
    double p = least_log_p(t);
    if (t->v->all <= SIFT_SMALL || p > log(hopeless)) return p;
    t->second = 1;
    if (sandwiches(t)) return 0;
    sandwiches_solve(t);
    return least_log_p(t);
}

int sift_test(const struct sift_view *v, struct sift_probe *p)
{
    struct test t = {.v = v, .p = p};
    size_t l = v->l, functions = 0;
    p->log_p = 0;
    for (size_t k = 0; k < p->inputs; k++) functions += sift_functions_of(v->f, p->input[k]);
    shape(&t);
    size_t q = columns_of(&t) + SIFT_PAIR * SIFT_PAIR, k = t.tested + SIFT_PAIR * SIFT_PAIR;
    if (!t.tested) return TAMIS_OK;
    t.z = tamis_raw(v->cx, double, SIFT_BLOCK * q);
    t.fun = tamis_raw(v->cx, double, SIFT_BLOCK * functions);
    t.g = tamis_raw(v->cx, double, q * (q + l));
    t.a = tamis_raw(v->cx, double, SIFT_BLOCK * k);
    t.sandwich = tamis_raw(v->cx, double, k * (k + 1) * l);
    t.s = tamis_raw(v->cx, double, l * l);
    if (t.z && t.a && t.fun && t.g && t.sandwich && t.s) {
        p->log_p = run(&t);
        if (widen(&t)) p->log_p = fmin(0, log(2) + fmin(p->log_p, run(&t)));
    }
    void *all[] = {t.z, t.a, t.fun, t.g, t.sandwich, t.s};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) tamis_free(all[i]);
    return tamis_status(v->cx);
}
