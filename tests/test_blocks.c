/* Block variances by evidence, dual ridge regression and tails: against dense Gaussians, direct solutions, closed
 * forms and reference values. */
#include <float.h>
#include "base/rng.h"
#include "num/blocks.h"
#include "num/tail.h"
#include "unit.h"

#define COUNT(a) (sizeof(a) / sizeof *(a))

/* ---- dense algebra in plain loops ---- */

/* A = L L' over the lower triangle (n x n); log |A|. */
static double plain_cholesky(size_t n, double *a)
{
    double sum = 0;
    for (size_t j = 0; j < n; j++)
        for (size_t i = j; i < n; i++) {
            double left = a[i + n * j];
            for (size_t k = 0; k < j; k++) left -= a[i + n * k] * a[j + n * k];
            a[i + n * j] = i > j ? left / a[j * (n + 1)] : sqrt(left);
            if (i == j) sum += 2 * log(a[j * (n + 1)]);
        }
    return sum;
}

static void plain_solve(size_t n, const double *l, double *x)
{
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < i; k++) x[i] -= l[i + n * k] * x[k];
        x[i] /= l[i * (n + 1)];
    }
    for (size_t i = n; i-- > 0;) {
        for (size_t k = i + 1; k < n; k++) x[i] -= l[k + n * i] * x[k];
        x[i] /= l[i * (n + 1)];
    }
}

/* tr(X'X) and its like: sum over i of x_i y_i */
static double product(size_t n, const double *x, const double *y)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += x[i] * y[i];
    return sum;
}

/* ---- problems ---- */

struct problem {
    size_t n;
    double *h, *y, *g, *c, *work;
    size_t *block;
    struct tamis_blocks m;
};

static void centre(size_t n, size_t columns, double *x)
{
    for (size_t j = 0; j < columns; j++) {
        double mean = 0;
        for (size_t i = 0; i < n; i++) mean += x[i + n * j] / (double)n;
        for (size_t i = 0; i < n; i++) x[i + n * j] -= mean;
    }
}

static void moments(struct problem *p)
{
    size_t n = p->n, k = p->m.p;
    for (size_t j = 0; j < k; j++)
        for (size_t i = 0; i < k; i++) p->g[i + k * j] = product(n, p->h + n * i, p->h + n * j);
    for (size_t o = 0; o < p->m.l; o++)
        for (size_t i = 0; i < k; i++) p->c[i + k * o] = product(n, p->h + n * i, p->y + n * o);
    p->m.yy = product(n * p->m.l, p->y, p->y);
}

/* Features of unequal scale; those of even blocks carry signal. Blocks are interleaved. */
static void make(struct problem *p, size_t n, size_t k, size_t l, size_t blocks, uint64_t seed)
{
    *p = (struct problem){.n = n, .h = normal_numbers(n * k, seed), .y = normal_numbers(n * l, seed + 1000)};
    p->g = malloc((k * k + 1) * sizeof(double));
    p->c = malloc((k * l + 1) * sizeof(double));
    p->work = malloc((tamis_blocks_size(k, l) + 1) * sizeof(double));
    p->block = malloc((k + 1) * sizeof(size_t));
    p->m = (struct tamis_blocks){k, l, blocks, (double)n, p->g, k, p->c, k, 0, p->block};
    p->m.v = calloc(blocks + 1, sizeof(double));
    p->m.sure = calloc(blocks + 1, sizeof(double));
    p->m.b = malloc((k * l + 1) * sizeof(double));
    double *weight = normal_numbers(k * l + 1, seed + 2000);
    for (size_t j = 0; j < k; j++) {
        p->block[j] = (j * 7 + j / 3) % blocks;
        for (size_t i = 0; i < n; i++) p->h[i + n * j] *= 0.6 + 0.3 * (double)(j % 4);
        for (size_t o = 0; o < l; o++)
            for (size_t i = 0; i < n && p->block[j] % 2 == 0; i++)
                p->y[i + n * o] += weight[j + k * o] * p->h[i + n * j];
    }
    free(weight);
    centre(n, k, p->h);
    centre(n, l, p->y);
    moments(p);
}

static void release(struct problem *p)
{
    free(p->h), free(p->y), free(p->g), free(p->c), free(p->work), free(p->block);
    free(p->m.v), free(p->m.sure), free(p->m.b);
}

/* Variances and noise spread around sensible ones. */
static void set_start(struct problem *p, uint64_t seed, double spread)
{
    struct tamis_rng r;
    double s0 = p->m.yy / (double)(p->n * p->m.l);
    tamis_rng_init(&r, seed, TAMIS_RNG_TEST, 3);
    for (size_t g = 0; g < p->m.blocks; g++) p->m.v[g] = 0.2 * s0 * exp(spread * tamis_rng_normal(&r));
    p->m.s = 0.3 * s0 * exp(0.5 * tamis_rng_normal(&r));
}

static int fit(struct problem *p, size_t rounds, double gain) { return tamis_blocks_fit(&p->m, rounds, gain, p->work); }

/* sum over outputs of log N(y; 0, H V H' + s I), without -n l / 2 log 2 pi */
static double dense_evidence(const struct problem *p)
{
    size_t n = p->n;
    double *a = malloc(n * n * sizeof *a), *x = malloc(n * sizeof *x), sum;
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < n; i++) {
            a[i + n * j] = i == j ? p->m.s : 0;
            for (size_t k = 0; k < p->m.p; k++)
                a[i + n * j] += p->m.v[p->block[k]] * p->h[i + n * k] * p->h[j + n * k];
        }
    sum = -0.5 * (double)p->m.l * plain_cholesky(n, a);
    for (size_t o = 0; o < p->m.l; o++) {
        memcpy(x, p->y + n * o, n * sizeof *x);
        plain_solve(n, a, x);
        sum -= 0.5 * product(n, x, p->y + n * o);
    }
    free(a), free(x);
    return sum;
}

/* Rounding, relative to what cancels: eps (p + n) times the condition of B, which is at most 1 + trace(D G D) / s. */
static double allowed(const struct problem *p)
{
    double trace = 1;
    for (size_t i = 0; i < p->m.p; i++) trace += p->m.v[p->block[i]] * p->g[i * (p->m.p + 1)] / p->m.s;
    return 10 * DBL_EPSILON * (double)(p->m.p + p->n) * trace;
}

/* b, gamma and rss by their definitions in blocks.h */
static void check_definitions(struct problem *p)
{
    struct tamis_blocks *m = &p->m;
    size_t k = m->p;
    double *a = malloc(k * k * sizeof *a), *x = malloc(k * sizeof *x), *sure = calloc(m->blocks, sizeof *sure);
    double tolerance = allowed(p), rss = m->yy;
    for (size_t i = 0; i < k * k; i++) a[i] = p->g[i] / m->s;
    for (size_t i = 0; i < k; i++) a[i * (k + 1)] += 1 / m->v[p->block[i]];
    plain_cholesky(k, a);
    for (size_t o = 0; o < m->l; o++) {
        for (size_t i = 0; i < k; i++) x[i] = p->c[i + k * o] / m->s;
        plain_solve(k, a, x);
        double size = sqrt(product(k, x, x));
        for (size_t i = 0; i < k; i++) assert_close(m->b[i + k * o], x[i], tolerance * size);
        for (size_t i = 0; i < k; i++) {
            rss -= 2 * x[i] * p->c[i + k * o];
            for (size_t j = 0; j < k; j++) rss += x[i] * p->g[i + k * j] * x[j];
        }
    }
    for (size_t i = 0; i < k; i++) {
        memset(x, 0, k * sizeof *x);
        x[i] = 1;
        plain_solve(k, a, x);
        sure[p->block[i]] += 1 - x[i] / m->v[p->block[i]];
    }
    for (size_t g = 0; g < m->blocks; g++) assert_close(m->sure[g], sure[g], tolerance * (double)k);
    assert_close(m->rss, rss, tolerance * m->yy);
    free(a), free(x), free(sure);
}

static const size_t shapes[][4] = {{40, 7, 1, 3}, {25, 40, 2, 5}, {60, 90, 1, 4}, {31, 57, 3, 6}, {50, 24, 1, 2},
                                   {33, 25, 2, 1}, {12, 1, 1, 1}};

/* ---- block variances ---- */

static void evidence_is_that_of_the_dense_gaussian(void **state)
{
    (void)state;
    for (size_t t = 0; t < COUNT(shapes); t++) {
        struct problem p;
        make(&p, shapes[t][0], shapes[t][1], shapes[t][2], shapes[t][3], 40 + t);
        set_start(&p, t, 1.2);
        assert_int_equal(fit(&p, 0, 0), 0);
        assert_close(p.m.evidence, dense_evidence(&p), allowed(&p) * (fabs(p.m.evidence) + p.m.yy / p.m.s));
        check_definitions(&p);
        release(&p);
    }
}

static void zero_and_equal_columns_do_no_harm(void **state)
{
    (void)state;
    struct problem p;
    make(&p, 30, 48, 2, 4, 8);
    memset(p.h + 30 * 5, 0, 30 * sizeof *p.h);
    memset(p.h + 30 * 20, 0, 30 * sizeof *p.h);
    memcpy(p.h + 30 * 9, p.h + 30 * 2, 30 * sizeof *p.h);
    memcpy(p.h + 30 * 40, p.h + 30 * 31, 30 * sizeof *p.h);
    p.block[9] = p.block[2];
    moments(&p);
    for (int learnt = 0; learnt < 2; learnt++) {
        if (!learnt) set_start(&p, 5, 1);
        assert_int_equal(fit(&p, learnt ? 30 : 0, 1e-6), 0);
        assert_close(p.m.evidence, dense_evidence(&p), allowed(&p) * (fabs(p.m.evidence) + p.m.yy / p.m.s));
        for (size_t o = 0; o < 2; o++) {
            const double *b = p.m.b + 48 * o;
            assert_true(b[5] == 0 && b[20] == 0);
            assert_close(b[9], b[2], allowed(&p) * sqrt(product(48, b, b)));
        }
        assert_between(p.m.sure[0] + p.m.sure[1] + p.m.sure[2] + p.m.sure[3], 1, 29);   /* below the rank of G */
    }
    check_definitions(&p);
    release(&p);
}

/* Features with a common part, little noise, and fewer groups of rows than features that matter. */
static void few_groups(struct problem *p)
{
    memset(p->y, 0, p->n * p->m.l * sizeof *p->y);
    for (size_t i = p->n; i < p->n * p->m.p; i++) p->h[i] += 4 * p->h[i % p->n];
    for (size_t i = 0; i < p->n * p->m.l; i++)
        for (size_t j = 0; j < p->m.p; j++) p->y[i] += p->h[i % p->n + p->n * j] * cos((double)(j * j + i / p->n));
    moments(p);
    p->m.n = 0.2 * (double)(p->n < p->m.p ? p->n : p->m.p);
}

/* No round lowers the evidence, wherever it starts; a step that would, as they do where n counts groups of rows and is
 * less than the rank of G, is taken back. */
static void rounds_raise_the_evidence(void **state)
{
    (void)state;
    for (size_t t = 0; t < 150; t++) {
        struct problem p;
        make(&p, shapes[t % 3][0], shapes[t % 3][1], shapes[t % 3][2], shapes[t % 3][3], t);
        if (t % 4 == 3) few_groups(&p);
        set_start(&p, t, t % 2 ? 6 : 1);
        assert_int_equal(fit(&p, 0, 0), 0);
        for (int r = 0; r < 20; r++) {
            double before = p.m.evidence;
            assert_int_equal(fit(&p, 1, 0), 0);
            assert_at_least(p.m.evidence, before - 1e-9 * (fabs(before) + p.m.n));
        }
        release(&p);
    }
}

/* Steps that are halved end where the slope of the evidence in log s is 0, unless s is at its least. */
static void halved_steps_reach_the_maximum(void **state)
{
    (void)state;
    for (size_t t = 0; t < 60; t++) {
        struct problem p;
        double sum = 0;
        make(&p, shapes[t % 3][0], shapes[t % 3][1], shapes[t % 3][2], shapes[t % 3][3], t);
        few_groups(&p);
        assert_int_equal(fit(&p, 1000, 1e-9), 0);
        for (size_t g = 0; g < p.m.blocks; g++) sum += p.m.sure[g];
        if (p.m.s > 1.01e-3 * p.m.yy / (p.m.n * (double)p.m.l))
            assert_close(p.m.rss / p.m.s / (double)p.m.l, p.m.n - sum, 0.01 * p.m.n);
        release(&p);
    }
}

/* At the end, no v and no s nearby has more evidence; sum |b|^2 / v = l gamma and rss / s = l (n - sum gamma). */
static void fit_ends_at_a_maximum(void **state)
{
    (void)state;
    struct problem p;
    double sum = 0;
    make(&p, 80, 21, 2, 4, 91);
    assert_int_equal(fit(&p, 3000, 1e-11), 0);
    double top = dense_evidence(&p);
    for (size_t g = 0; g < 4; g++) {
        double bb = 0, v = p.m.v[g];
        for (size_t o = 0; o < 2; o++)
            for (size_t i = 0; i < 21; i++) bb += p.block[i] == g ? pow(p.m.b[i + 21 * o], 2) : 0;
        sum += p.m.sure[g];
        if (2 * p.m.sure[g] > 1e-2) assert_close(bb / v, 2 * p.m.sure[g], 1e-3);
        for (int side = -1; side <= 1; side += 2) {
            p.m.v[g] = v * exp(0.05 * side);
            assert_at_most(dense_evidence(&p), top + 1e-4);
        }
        p.m.v[g] = v;
    }
    assert_relative(p.m.rss / p.m.s, 2 * (80 - sum), 1e-3);
    for (size_t g = 0; g < 4; g++) assert_true((p.m.sure[g] > 4) == (g % 2 == 0));      /* of 5 or 6 features */
    assert_above(top, tamis_blocks_empty(80, 2, p.m.yy) + 50);
    release(&p);
}

static void warm_starts_end_where_cold_ones_do(void **state)
{
    (void)state;
    struct problem p;
    make(&p, 70, 33, 1, 3, 17);
    assert_int_equal(fit(&p, 2000, 1e-10), 0);
    double evidence = p.m.evidence, s = p.m.s, v0 = p.m.v[0], v2 = p.m.v[2];
    p.m.v[0] *= 7, p.m.v[1] = 0, p.m.v[2] *= 0.3, p.m.s *= 1.9;
    assert_int_equal(fit(&p, 2000, 1e-10), 0);
    assert_close(p.m.evidence, evidence, 1e-4);         /* slow at the end: an idle block may be on its way out */
    assert_relative(p.m.s, s, 1e-3);
    assert_relative(p.m.v[0], v0, 1e-2);
    assert_relative(p.m.v[2], v2, 1e-2);
    assert_int_equal(fit(&p, 1, 1e-6), 0);
    assert_close(p.m.evidence, evidence, 1e-4);
    release(&p);
}

/* A block at its floor has no coefficients and stays there; the rest is fitted as if it were absent. */
static void dead_blocks_stay_dead(void **state)
{
    (void)state;
    struct problem p;
    make(&p, 45, 30, 1, 3, 23);
    double floor = 1e-9 * p.m.yy / 45;
    p.m.v[1] = 1.5 * floor;             /* the floor of a similar table */
    assert_int_equal(fit(&p, 0, 0), 0);
    assert_true(p.m.v[1] == floor);
    assert_int_equal(fit(&p, 20, 1e-9), 0);
    assert_true(p.m.v[1] == floor && p.m.sure[1] == 0);
    for (size_t i = 0; i < 30; i++) assert_true((p.m.b[i] == 0) == (p.block[i] == 1));
    assert_close(p.m.evidence, dense_evidence(&p), 1e-5);       /* floor G / s is at most 1e-6 */
    release(&p);
}

static void no_signal_and_no_features(void **state)
{
    (void)state;
    struct problem p;
    make(&p, 20, 30, 2, 3, 4);
    memset(p.y, 0, 40 * sizeof *p.y);
    moments(&p);
    assert_int_equal(fit(&p, 10, 1e-3), 0);
    for (size_t i = 0; i < 60; i++) assert_true(p.m.b[i] == 0);
    assert_true(p.m.s > 0 && p.m.rss == 0 && isfinite(p.m.evidence));
    assert_true(isfinite(tamis_blocks_empty(20, 2, 0)));
    release(&p);
    make(&p, 20, 0, 2, 1, 4);
    assert_int_equal(fit(&p, 10, 1e-9), 0);
    assert_relative(p.m.s, p.m.yy / 40, 1e-14);
    assert_relative(p.m.evidence, tamis_blocks_empty(20, 2, p.m.yy), 1e-13);
    release(&p);
}

/* As many determined coefficients as observations (n counts groups of rows); no noise at all. */
static void noise_stays_within_its_bounds(void **state)
{
    (void)state;
    struct problem p;
    make(&p, 60, 40, 1, 2, 71);
    p.m.n = 9.5;
    assert_int_equal(fit(&p, 50, 1e-6), 0);
    assert_between(p.m.s, 0.999e-3 * p.m.yy / 9.5, 1.001 * p.m.yy / 9.5);
    assert_below(p.m.sure[0] + p.m.sure[1], 9.5);
    assert_close(p.m.rss / p.m.s, 9.5 - p.m.sure[0] - p.m.sure[1], 0.05);
    release(&p);
    make(&p, 60, 5, 1, 1, 72);
    for (size_t i = 0; i < 60; i++) p.y[i] = 3.7 * p.h[i] - 1.3 * p.h[i + 60] + 0.7 * p.h[i + 240];
    moments(&p);
    assert_int_equal(fit(&p, 50, 1e-6), 0);
    assert_relative(p.m.s, 1e-3 * p.m.yy / 60, 1e-12);
    assert_close(p.m.b[1], -1.3, 1e-3);
    release(&p);
}

static void nonsense_is_refused(void **state)
{
    (void)state;
    struct problem p;
    make(&p, 30, 30, 1, 2, 3);
    double keep = p.g[31 * 7];
    p.g[31 * 7] = -1e6 * keep;
    assert_int_equal(fit(&p, 5, 1e-3), 1);
    p.g[31 * 7] = NAN;
    assert_int_equal(fit(&p, 5, 1e-3), 1);
    p.g[31 * 7] = keep;
    p.c[3] = INFINITY;
    assert_int_equal(fit(&p, 5, 1e-3), 1);
    moments(&p);
    p.m.yy = NAN;
    assert_int_equal(fit(&p, 5, 1e-3), 1);
    release(&p);
}

/* ---- dual ridge ---- */

struct wide { size_t n, d, l; double *z, *y, *k, *alpha, *work, evidence; };

static void wide_make(struct wide *w, size_t n, size_t d, size_t l, double scale, double noise, uint64_t seed)
{
    *w = (struct wide){n, d, l, normal_numbers(n * d, seed), normal_numbers(n * l, seed + 50)};
    w->k = malloc(n * n * sizeof *w->k);
    w->alpha = malloc(n * l * sizeof *w->alpha);
    w->work = malloc(tamis_dual_size(n, l) * sizeof *w->work);
    centre(n, d, w->z);
    for (size_t o = 0; o < l; o++)
        for (size_t i = 0; i < n; i++) {
            w->y[i + n * o] *= noise;
            for (size_t j = 0; j < d; j += 3) w->y[i + n * o] += w->z[i + n * j] * cos((double)(j + o));
        }
    for (size_t i = 0; i < n * d; i++) w->z[i] *= scale;
    centre(n, l, w->y);
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < n; i++) {
            w->k[i + n * j] = 0;
            for (size_t c = 0; c < d; c++) w->k[i + n * j] += w->z[i + n * c] * w->z[j + n * c] / (double)d;
        }
}

static void wide_free(struct wide *w) { free(w->z), free(w->y), free(w->k), free(w->alpha), free(w->work); }

/* The evidence at rho from a dense factor of I + rho K; *s: the noise. */
static double dense_dual(const struct wide *w, double rho, double *s)
{
    size_t n = w->n;
    double *a = malloc(n * n * sizeof *a), *x = malloc(n * sizeof *x), sum = 0, count = (double)((n - 1) * w->l);
    for (size_t i = 0; i < n * n; i++) a[i] = rho * w->k[i];
    for (size_t i = 0; i < n; i++) a[i * (n + 1)] += 1;
    double log_det = plain_cholesky(n, a);
    for (size_t o = 0; o < w->l; o++) {
        memcpy(x, w->y + n * o, n * sizeof *x);
        plain_solve(n, a, x);
        sum += product(n, x, w->y + n * o);
    }
    *s = sum / count;
    free(a), free(x);
    return -0.5 * (count * log(*s) + (double)w->l * log_det + count);
}

static double best_rho(const struct wide *w, double *evidence)
{
    double s0 = product(w->n * w->l, w->y, w->y) / (double)((w->n - 1) * w->l), best = 0, s;
    *evidence = -INFINITY;
    for (int k = 0; k <= 44; k++) {
        double rho = pow(10, -5 + k / 4.0), value = dense_dual(w, rho, &s);
        if (s >= 1e-3 * s0 && value > *evidence) *evidence = value, best = rho;
    }
    return best;
}

/* At most that of I + rho K. */
static double condition(const struct wide *w, double rho)
{
    double trace = 0;
    for (size_t i = 0; i < w->n; i++) trace += w->k[i * (w->n + 1)];
    return 1 + rho * trace;
}

/* The prediction of a row t by the primal ridge, w = (Z'Z + d / rho)^-1 Z'y, and by alpha. */
static void check_prediction(const struct wide *w, double rho, const double *t)
{
    size_t n = w->n, d = w->d;
    double *a = malloc(d * d * sizeof *a), *x = malloc(d * sizeof *x);
    for (size_t j = 0; j < d; j++)
        for (size_t i = 0; i < d; i++)
            a[i + d * j] = product(n, w->z + n * i, w->z + n * j) + (i == j ? (double)d / rho : 0);
    plain_cholesky(d, a);
    for (size_t o = 0; o < w->l; o++) {
        double dual = 0, size = 0;
        for (size_t j = 0; j < d; j++) x[j] = product(n, w->z + n * j, w->y + n * o);
        plain_solve(d, a, x);
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < d; j++) {
                double part = t[j] * w->z[i + n * j] * w->alpha[i + n * o] / (double)d;
                dual += part, size += fabs(part);
            }
        assert_close(dual, product(d, t, x), 1e-13 * condition(w, rho) * size);
    }
    free(a), free(x);
}

static void dual_ridge_is_the_primal_one(void **state)
{
    (void)state;
    static const struct { size_t n, d, l; double scale, noise; } cases[] = {
        {17, 60, 1, 1, 3},       {30, 41, 2, 1, 0.8},                   /* inside the grid */
        {45, 12, 1, 0.004, 0.5}, {12, 130, 3, 300, 0}, {70, 90, 1, 1, 400},     /* at its ends */
        {40, 5, 1, 1, 0}};                                              /* at the least s */
    for (size_t t = 0; t < COUNT(cases); t++) {
        struct wide w;
        double evidence, *row = normal_numbers(cases[t].d, 600 + t);
        wide_make(&w, cases[t].n, cases[t].d, cases[t].l, cases[t].scale, cases[t].noise, 300 + t);
        double rho = best_rho(&w, &evidence);
        assert_int_equal(tamis_dual_ridge(w.n, w.l, (double)w.n, w.k, w.y, w.alpha, &w.evidence, w.work), 0);
        assert_near(w.evidence, evidence, 1e-13 * condition(&w, rho));
        check_prediction(&w, rho, row);
        free(row);
        wide_free(&w);
    }
}

static void dual_ridge_of_nothing(void **state)
{
    (void)state;
    struct wide w;
    wide_make(&w, 15, 40, 2, 1, 1, 9);
    memset(w.y, 0, 30 * sizeof *w.y);
    assert_int_equal(tamis_dual_ridge(15, 2, 15, w.k, w.y, w.alpha, &w.evidence, w.work), 0);
    assert_true(isfinite(w.evidence));
    for (size_t i = 0; i < 30; i++) assert_true(w.alpha[i] == 0);
    w.y[3] = 0.7, w.y[4] = -0.7;
    memset(w.k, 0, 225 * sizeof *w.k);                  /* every rho is the same: evidence at s0 */
    assert_int_equal(tamis_dual_ridge(15, 1, 15, w.k, w.y, w.alpha, &w.evidence, w.work), 0);
    assert_near(w.evidence, -7 * (log(0.98 / 14) + 1), 1e-13);
    w.k[16] = NAN;
    assert_int_equal(tamis_dual_ridge(15, 1, 15, w.k, w.y, w.alpha, &w.evidence, w.work), 1);
    wide_free(&w);
}

/* ---- tails ---- */

static void tails_have_their_reference_values(void **state)
{
    (void)state;
    const struct { double got, right; } cases[] = {             /* mpmath, 40 digits */
        {tamis_log_upper_chi2(0.0137, 1), -0.0978082068123200856},
        {tamis_log_upper_chi2(7.3, 4), -2.11313278040073499},
        {tamis_log_upper_chi2(0.83, 17), -3.28002650791132247e-9},
        {tamis_log_upper_chi2(461.7, 1), -234.145403321509932},
        {tamis_log_upper_chi2(731.5, 37), -297.360304075283358},
        {tamis_log_upper_chi2(2013.25, 1890), -3.72050510009514955},
        {tamis_log_upper_chi2(1900000.0, 12.5), -949932.957457826887},
        {tamis_log_upper_beta(0.31, 2.5, 7.25), -1.15163666308725622},
        {tamis_log_upper_beta(0.0017, 0.5, 113.5), -0.625977251461813963},
        {tamis_log_upper_beta(0.977, 3.5, 60.25), -218.219219575114854},
        {tamis_log_upper_beta(0.93, 1.5, 90), -236.994436988402941},
        {tamis_log_upper_beta(0.0001, 7.5, 31.25), -2.39314263114424324e-23},
        {tamis_log_upper_beta(0.51, 800.5, 790), -1.21537887841339581},
        {tamis_log_upper_beta(0.9999, 40.5, 77.5), -641.544958481227684},
        {tamis_log_upper_beta(0.023, 4, 20000), -448.763940649107502},
        {tamis_log_upper_f(2.37, 3, 41), -2.47102855782450734},
        {tamis_log_upper_f(1000000000.0, 5, 88), -780.202562956175924},
        {tamis_log_upper_f(0.0021, 2.5, 19), -0.000532155776844343005},
        {tamis_log_upper_f(13.7, 150, 1200), -402.4371997465286},
        {tamis_log_upper_f(1.043, 2000, 30000), -2.34664282448257416},
        {tamis_log_upper_f(380.0, 1, 250), -118.26970424092726},
    };
    for (size_t i = 0; i < COUNT(cases); i++) assert_relative(cases[i].got, cases[i].right, 1e-11);
}

static double log_1_minus_exp(double x) { return x > -0.5 ? log(-expm1(x)) : log1p(-exp(x)); }

static void tails_have_their_closed_forms(void **state)
{
    struct tamis_rng r;
    (void)state;
    tamis_rng_init(&r, 31, TAMIS_RNG_TEST, 0);
    for (int t = 0; t < 300; t++) {
        double a = exp(3 * tamis_rng_normal(&r)), b = exp(3 * tamis_rng_normal(&r)), v = tamis_rng_uniform(&r);
        double f = exp(4 * tamis_rng_normal(&r));
        assert_relative(tamis_log_upper_chi2(f, 2), -0.5 * f, 1e-11);
        assert_relative(tamis_log_upper_chi2(f, 1), log(erfc(sqrt(0.5 * f))), f < 1000 ? 1e-11 : INFINITY);
        assert_relative(tamis_log_upper_beta(v, 1, b), b * log1p(-v), 1e-11);
        assert_relative(tamis_log_upper_beta(v, a, 1), log_1_minus_exp(a * log(v)), 1e-11);
        assert_close(exp(tamis_log_upper_beta(v, a, b)) + exp(tamis_log_upper_beta(1 - v, b, a)), 1, 1e-11);
        assert_relative(tamis_log_upper_f(f, 2, b), -0.5 * b * log1p(2 * f / b), 1e-11);
    }
    assert_true(tamis_log_upper_chi2(0, 3) == 0 && tamis_log_upper_chi2(INFINITY, 3) == -INFINITY);
    assert_true(tamis_log_upper_beta(0, 2, 3) == 0 && tamis_log_upper_beta(1, 2, 3) == -INFINITY);
    assert_true(tamis_log_upper_f(0, 2, 3) == 0 && tamis_log_upper_f(INFINITY, 2, 3) == -INFINITY);
}

static void normal_quantile_inverts_erfc(void **state)
{
    struct tamis_rng r;
    (void)state;
    tamis_rng_init(&r, 32, TAMIS_RNG_TEST, 0);
    for (int t = 0; t < 400; t++) {
        double p = t % 2 ? tamis_rng_uniform(&r) : exp(-700 * tamis_rng_uniform(&r)), x = tamis_normal_quantile(p);
        double q = p < 0.5 ? p : 1 - p, tail = 0.5 * erfc(fabs(x) * M_SQRT1_2);
        assert_true((x < 0) == (p < 0.5));
        assert_relative(tail, q, 1e-13 * (1 + x * x));          /* d log p / dx is about |x| */
    }
    assert_close(tamis_normal_quantile(0.975), 1.95996398454005423552, 1e-14);
    assert_close(tamis_normal_quantile(1e-100), -21.2734535609653243, 1e-12);
    assert_close(tamis_normal_quantile(0.5), 0, 1e-15);
    assert_true(tamis_normal_quantile(0) == -INFINITY && tamis_normal_quantile(1) == INFINITY);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(evidence_is_that_of_the_dense_gaussian),
        cmocka_unit_test(zero_and_equal_columns_do_no_harm),
        cmocka_unit_test(rounds_raise_the_evidence),
        cmocka_unit_test(halved_steps_reach_the_maximum),
        cmocka_unit_test(fit_ends_at_a_maximum),
        cmocka_unit_test(warm_starts_end_where_cold_ones_do),
        cmocka_unit_test(dead_blocks_stay_dead),
        cmocka_unit_test(no_signal_and_no_features),
        cmocka_unit_test(noise_stays_within_its_bounds),
        cmocka_unit_test(nonsense_is_refused),
        cmocka_unit_test(dual_ridge_is_the_primal_one),
        cmocka_unit_test(dual_ridge_of_nothing),
        cmocka_unit_test(tails_have_their_reference_values),
        cmocka_unit_test(tails_have_their_closed_forms),
        cmocka_unit_test(normal_quantile_inverts_erfc),
    };
    return cmocka_run_group_tests_name("blocks", tests, NULL, NULL);
}
