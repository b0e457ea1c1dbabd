/* The test of one input: does x_j say anything about y that the other inputs do not?
 *
 *     H0: y and x_j are independent given x_-j;   p = (1 + #{T* >= T}) / (M + 1)                            [1] sec. 4
 *
 * T* are the statistics of M columns drawn from the law of x_j given x_-j (knockoffs_law.c): z_j given the other scores
 * is normal with mean -sum_k P_jk z_k / P_jj and variance 1 / P_jj, P the inverse of their correlation, and the column
 * is the quantile of the values of x_j there, so that few values stay the same few.
 *
 * Distilled, as in [2]: e, the residuals of the target in an additive model of x_-j (knockoffs_fit.c), is fitted once.
 * With functions g_k of x_j (its linear effect, others, and products of the first with the values of the strongest
 * other inputs),
 *
 *     D_k = sum_i e_i (g_k(x_ij) - E_i g_k),   V_kl = sum_i e_i^2 Cov_i(g_k, g_l),
 *
 * mean and covariance under the law of row i, from NODES quantiles; u = L^-1 D, L L' = V, has uncorrelated elements of
 * variance 1. The sums of u^2 over the linear effect, the other functions and the products are compared with
 * chi-squared laws, and T is minus the logarithm of the smallest of the three tail probabilities, each divided by its
 * weight: the same for either sign of an effect. Nothing but the law of x_j decides whether p is valid.
 *
 * With at least two rows per column, the correlation of the scores is not shrunk: x_j is in effect regressed on the
 * other scores, and its residuals r are orthogonal to them. e' r then has the variance sigma^2 |M e|^2, M the
 * projection off the other scores, as in the t-test of a linear model, and the draws get the same one: the variance
 * above becomes n / (n - d) / P_jj |M e|^2 / |e|^2. With fewer rows, Sigma is shrunk (num/shrink.c).
 *
 * Rows of weight w count w times in the law, in the fit that leaves e, and in the sums: w_i e_i takes the place of e_i
 * in D, V and the last ratio, and n is Kish's number of rows. A row has one draw whatever its weight, so that p is
 * valid for any weights that depend on the target and the other inputs alone.
 *
 * [1] E. Candes, Y. Fan, L. Janson, J. Lv, Panning for gold: model-X knockoffs, JRSS B 80 (2018).
 * [2] M. Liu, E. Katsevich, L. Janson, A. Ramdas, Fast and powerful conditional randomization testing via distillation,
 *     Biometrika 109 (2022). DIFFERS: functions of x_j beside the linear one. */
#include <math.h>
#include <string.h>
#include "method/input_tests/input_tests.h"
#include "num/level2.h"
#include "num/tail.h"
#include "num/weighted.h"

enum { NODES = 24, PARTNERS = 4, MOST = KNOCKOFFS_FUNCTIONS + PARTNERS, PARTS = 3, PASSES = 3 };
static const double least_pivot = 1e-6,         /* of a function's own variance: below, others say the same */
    share[PARTS] = {0.6, 0.2, 0.2};            /* of the parts: linear effects are the most common */

struct one {
    const struct input_tests *t;
    size_t n, l, functions, partners, count;    /* count: functions + partners */
    double *e;                          /* n x l; from the sums on, times the weight of the row */
    double *upto;                       /* n: the weight of the rows up to each place; NULL: the rows count once */
    double *g;                          /* functions x n: at each place of the sorted values */
    double *w;                          /* partners x n: their values in each row */
    double *mean, sd;                   /* n: of z_j given the other scores */
    size_t *place;                      /* n: of each row among the sorted values */
    double *centre, *factor;            /* count x l; count x count x l: L, zeros on the diagonal where left out */
    double *sum;                        /* count x l */
};

/* ---- the law of x_j ---- */

static double normal_share(double x) { return 0.5 * erfc(-x * M_SQRT1_2); }

static size_t place_of(const struct one *o, double z)
{
    size_t at = 0, end = o->n;
    if (!o->upto) at = (size_t)((double)o->n * normal_share(z));
    else
        for (double below = o->upto[o->n - 1] * normal_share(z); at < end;) {
            size_t middle = (at + end) / 2;
            if (o->upto[middle] > below) end = middle;
            else at = middle + 1;
        }
    return at < o->n ? at : o->n - 1;
}

static void law_take(struct one *o, size_t column)
{
    const struct knockoffs_law *law = &o->t->law;
    size_t d = law->d;
    const double *p = law->precision + d * column;
    for (size_t i = 0; i < o->n; i++) {
        double pull = 0;
        for (size_t k = 0; k < d; k++) pull += k == column ? 0 : p[k] * law->z[k + d * i];
        o->mean[i] = -pull / p[column];
    }
    double upto = 0;
    for (size_t k = 0; k < o->n; k++) {
        size_t row = law->order[k + o->n * column];
        o->place[row] = k;
        if (o->upto) o->upto[k] = upto += law->weight[row];
    }
}

/* w_i e_i, in `room` if there are weights. */
static const double *weighed(const struct one *o, const double *e, double *room)
{
    const double *weight = o->t->law.weight;
    for (size_t i = 0; weight && i < o->n; i++) room[i] = weight[i] * e[i];
    return weight ? room : e;
}

/* to = e less its regression on the other scores, by (Sigma_-j)^-1 = P_-j - p_j p_j' / P_jj; PASSES make up for a Sigma
 * that was rescaled. */
static void project(const struct one *o, size_t column, const double *e, double *s, double *room, double *to)
{
    const struct knockoffs_law *law = &o->t->law;
    size_t d = law->d, n = o->n;
    const double *p = law->precision + d * column;
    double *b = s + d, all = tamis_weight_sum(law->weight, n);
    memcpy(to, e, n * sizeof *to);
    for (size_t pass = 0; pass < PASSES; pass++) {
        tamis_gemv(PLAIN, d, n, 1 / all, law->z, d, weighed(o, to, room), 0, s);
        s[column] = 0;
        tamis_symv(d, 1, law->precision, d, s, b);
        tamis_axpy(d, -tamis_dot(d, p, s) / p[column], p, b);
        b[column] = 0;
        tamis_gemv(TRANS, d, n, -1, law->z, d, b, 1, to);
    }
}

/* The standard deviation of z_j given the other scores. */
static int sd_fill(struct one *o, size_t column)
{
    tamis_context *cx = o->t->run->cx;
    size_t d = o->t->law.d, n = o->n;
    double *s = tamis_raw(cx, double, 2 * d), *to = tamis_raw(cx, double, n), *room = tamis_raw(cx, double, n),
           rows = tamis_weight_rows(o->t->law.weight, n), left = 0, all = 0;
    for (size_t out = 0; s && to && room && out < o->l; out++) {
        const double *e = o->e + n * out, *x;
        project(o, column, e, s, room, to);
        x = weighed(o, to, room);
        left += tamis_dot(n, x, x);
        x = weighed(o, e, room);
        all += tamis_dot(n, x, x);
    }
    o->sd = 1 / sqrt(o->t->law.precision[column + d * column]);
    if (o->t->plain && all > 0) o->sd *= sqrt(left / all * rows / (rows - (double)d));
    tamis_free(s);
    tamis_free(to);
    tamis_free(room);
    return tamis_status(cx);
}

/* ---- functions ---- */

/* Functions of an input, all rows: to[i + n k]. */
static void functions_take(const struct one *o, size_t input, size_t count, double *to)
{
    size_t row[SIFT_BLOCK];
    for (size_t from = 0; from < o->n; from += SIFT_BLOCK) {
        size_t k = sift_least(SIFT_BLOCK, o->n - from);
        for (size_t i = 0; i < k; i++) row[i] = from + i;
        sift_functions_fill(&o->t->functions, input, count, row, k, to + from, o->n);
    }
}

static int functions_fill(struct one *o, size_t input)
{
    double *by_row = tamis_raw(o->t->run->cx, double, o->n * o->functions);
    if (!by_row) return tamis_status(o->t->run->cx);
    functions_take(o, input, o->functions, by_row);
    for (size_t i = 0; i < o->n; i++)
        for (size_t k = 0; k < o->functions; k++) o->g[k + o->functions * o->place[i]] = by_row[i + o->n * k];
    tamis_free(by_row);
    return TAMIS_OK;
}

/* The numbers with the largest values in the model of the others. */
static int partners_fill(struct one *o, size_t input, double *value)
{
    const struct tamis_encoder *e = o->t->run->design->encoder;
    double *by_row = tamis_raw(o->t->run->cx, double, o->n);
    for (o->partners = 0; by_row && o->partners < PARTNERS; o->partners++) {
        size_t best = SIZE_MAX;
        for (size_t i = 0; i < e->inputs; i++)
            if (i != input && !e->input[i].levels && value[i] > (best == SIZE_MAX ? 0 : value[best])) best = i;
        if (best == SIZE_MAX) break;
        functions_take(o, best, 1, by_row);
        for (size_t i = 0; i < o->n; i++) o->w[o->partners + PARTNERS * i] = by_row[i];
        value[best] = 0;
    }
    o->count = o->functions + o->partners;
    tamis_free(by_row);
    return tamis_status(o->t->run->cx);
}

/* All functions of row i with x_j at a place of its values. */
static void row_fill(const struct one *o, size_t i, size_t place, double *to)
{
    const double *g = o->g + o->functions * place, *w = o->w + PARTNERS * i;
    for (size_t k = 0; k < o->functions; k++) to[k] = g[k];
    for (size_t k = 0; k < o->partners; k++) to[o->functions + k] = g[0] * w[k];
}

/* ---- mean and covariance under the law ---- */

static void row_moments(const struct one *o, size_t i, const double *node, double *mean, double *cov)
{
    double at[MOST];
    size_t c = o->count;
    memset(mean, 0, c * sizeof *mean);
    memset(cov, 0, c * c * sizeof *cov);
    for (size_t q = 0; q < NODES; q++) {
        row_fill(o, i, place_of(o, o->mean[i] + o->sd * node[q]), at);
        for (size_t k = 0; k < c; k++) {
            mean[k] += at[k] / NODES;
            for (size_t m = 0; m <= k; m++) cov[k + c * m] += at[k] * at[m] / NODES;
        }
    }
    for (size_t k = 0; k < c; k++)
        for (size_t m = 0; m <= k; m++) cov[k + c * m] -= mean[k] * mean[m];
}

/* L L' = V in place, lower; a function that the ones before it make up has zeros. */
static void factorise(size_t c, double *v)
{
    for (size_t k = 0; k < c; k++) {
        double own = v[k + c * k], pivot = own;
        for (size_t m = 0; m < k; m++) {
            double x = v[k + c * m];
            for (size_t s = 0; s < m; s++) x -= v[k + c * s] * v[m + c * s];
            v[k + c * m] = v[m + c * m] > 0 ? x / v[m + c * m] : 0;
            pivot -= v[k + c * m] * v[k + c * m];
        }
        v[k + c * k] = pivot > least_pivot * own ? sqrt(pivot) : 0;
    }
}

static void moments_fill(struct one *o)
{
    double node[NODES], mean[MOST], cov[MOST * MOST];
    size_t c = o->count;
    for (size_t q = 0; q < NODES; q++) node[q] = tamis_normal_quantile(((double)q + 0.5) / NODES);
    for (size_t i = 0; i < o->n; i++) {
        row_moments(o, i, node, mean, cov);
        for (size_t out = 0; out < o->l; out++) {
            double e = o->e[i + o->n * out];
            for (size_t k = 0; k < c; k++) o->centre[k + c * out] += e * mean[k];
            for (size_t k = 0; k < c * c; k++) o->factor[k + c * c * out] += e * e * cov[k];
        }
    }
    for (size_t out = 0; out < o->l; out++) factorise(c, o->factor + c * c * out);
}

/* ---- the statistic ---- */

static void sum_add(struct one *o, size_t i, size_t place)
{
    double at[MOST];
    row_fill(o, i, place, at);
    for (size_t out = 0; out < o->l; out++)
        for (size_t k = 0; k < o->count; k++) o->sum[k + o->count * out] += o->e[i + o->n * out] * at[k];
}

/* Adds the squares of u = L^-1 (sum - centre) of an output, and how many there are, to their parts. */
static void squares_add(const struct one *o, size_t out, double *square, double *freedom)
{
    size_t c = o->count;
    const double *l = o->factor + c * c * out;
    double u[MOST];
    for (size_t k = 0; k < c; k++) {
        size_t part = !k ? 0 : k < o->functions ? 1 : 2;
        u[k] = o->sum[k + c * out] - o->centre[k + c * out];
        for (size_t m = 0; m < k; m++) u[k] -= l[k + c * m] * u[m];
        u[k] = l[k + c * k] > 0 ? u[k] / l[k + c * k] : 0;
        square[part] += u[k] * u[k];
        freedom[part] += l[k + c * k] > 0;
    }
}

static double statistic(const struct one *o)
{
    double square[PARTS] = {0}, freedom[PARTS] = {0}, most = -INFINITY;
    for (size_t out = 0; out < o->l; out++) squares_add(o, out, square, freedom);
    for (size_t part = 0; part < PARTS; part++)
        if (freedom[part] > 0)
            most = fmax(most, log(share[part]) - tamis_log_upper_chi2(square[part], freedom[part]));
    return most > -INFINITY ? most : 0;
}

static double statistic_drawn(struct one *o, struct tamis_rng *g)
{
    memset(o->sum, 0, o->count * o->l * sizeof *o->sum);
    for (size_t i = 0; i < o->n; i++) sum_add(o, i, place_of(o, o->mean[i] + o->sd * tamis_rng_normal(g)));
    return statistic(o);
}

static int draws_run(struct one *o, struct input_test *to)
{
    struct tamis_rng g;
    size_t above = 0;
    tamis_rng_init(&g, o->t->run->seed, TAMIS_RNG_INPUT_TESTS, (uint32_t)to->input);
    memset(o->sum, 0, o->count * o->l * sizeof *o->sum);
    for (size_t i = 0; i < o->n; i++) sum_add(o, i, o->place[i]);
    to->statistic = statistic(o);
    for (to->draws = 0; to->draws < o->t->draws; to->draws++) {
        above += statistic_drawn(o, &g) >= to->statistic;
        if (to->draws % 64 == 0 && tamis_check_cancel(o->t->run->cx)) return tamis_status(o->t->run->cx);
    }
    to->p = (1 + (double)above) / (1 + (double)to->draws);
    return TAMIS_OK;
}

/* ---- all of it ---- */

static int one_make(struct one *o, size_t input)
{
    const struct input_tests *t = o->t;
    tamis_context *cx = t->run->cx;
    size_t of = sift_functions_of(&t->functions, input), most = t->run->design->encoder->input[input].levels ? 1 : of;
    *o = (struct one){.t = t, .n = t->run->design->rows, .l = t->target.l};
    o->functions = sift_least(most, KNOCKOFFS_FUNCTIONS);
    o->e = tamis_raw(cx, double, o->n * o->l);
    o->g = tamis_raw(cx, double, o->n * KNOCKOFFS_FUNCTIONS);
    o->w = tamis_raw(cx, double, o->n * PARTNERS);
    o->mean = tamis_raw(cx, double, o->n);
    o->upto = t->law.weight ? tamis_raw(cx, double, o->n) : NULL;
    o->place = tamis_raw(cx, size_t, o->n);
    o->centre = tamis_new(cx, double, MOST * o->l);
    o->factor = tamis_new(cx, double, MOST * MOST * o->l);
    o->sum = tamis_raw(cx, double, MOST * o->l);
    return tamis_status(cx);
}

static void one_free(struct one *o)
{
    void *all[] = {o->e, o->g, o->w, o->mean, o->upto, o->place, o->centre, o->factor, o->sum};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) tamis_free(all[i]);
}

int input_test_run(const struct input_tests *t, struct input_test *to)
{
    struct one o = {.t = t};
    tamis_context *cx = t->run->cx;
    double *value = tamis_raw(cx, double, t->run->design->inputs);
    int status = value ? one_make(&o, to->input) : tamis_status(cx);
    if (!status) status = knockoffs_residuals(cx, &t->target, &t->functions, to->input, o.e, value);
    if (!status) law_take(&o, t->column[to->input]);
    if (!status) status = sd_fill(&o, t->column[to->input]);
    if (!status) tamis_weight_scale(o.n, o.l, t->law.weight, o.e, o.n);
    if (!status) status = functions_fill(&o, to->input);
    if (!status) status = partners_fill(&o, to->input, value);
    if (!status) moments_fill(&o);
    if (!status) status = draws_run(&o, to);
    one_free(&o);
    tamis_free(value);
    return status;
}
