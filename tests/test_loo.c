/* The leave-one-out error: against refits, against the dense formula in quadruple precision, against known answers, at
 * the edges. */
#include <stdint.h>
#include <cblas.h>
#include "base/rng.h"
#include "cases_sisal.h"
#include "num/centers.h"
#include "num/gauss.h"
#include "num/loo.h"
#include "num/minimise.h"
#include "num/pair_update.h"
#include "num/relevance.h"
#include "unit.h"

__extension__ typedef _Float128 quad;

/* ---- data ---- */

struct problem {
    size_t n, d;
    double *x, *y, *d2;
};

static void distances(struct problem *p)
{
    memset(p->d2, 0, p->n * p->n * sizeof *p->d2);
    for (size_t v = 0; v < p->d; v++)
        tamis_dist_add(p->n, p->x + v * p->n, p->d2);
}

static struct problem problem_new(size_t n, size_t d, uint64_t seed)
{
    struct tamis_rng r;
    struct problem p = {n, d, malloc(n * d * sizeof(double)), malloc(n * sizeof(double)),
                        malloc(n * n * sizeof(double))};
    tamis_rng_init(&r, seed, TAMIS_RNG_TEST, 0);
    for (size_t i = 0; i < n * d; i++)
        p.x[i] = tamis_rng_normal(&r);
    for (size_t i = 0; i < n; i++)
        p.y[i] = sin(1.7 * p.x[i]) + 0.6 * p.x[i + (d - 1) * n] + 0.3 * tamis_rng_normal(&r);
    distances(&p);
    return p;
}

static void problem_free(struct problem *p)
{
    free(p->x);
    free(p->y);
    free(p->d2);
}

static struct tamis_loo loo_new(size_t n, double **memory)
{
    struct tamis_loo w;
    *memory = malloc(tamis_loo_size(n) * sizeof **memory);
    memset(*memory, 0xff,
           tamis_loo_size(n) * sizeof **memory); /* NaN: reading before writing shows */
    tamis_loo_bind(&w, n, *memory);
    return w;
}

/* ---- the naive formula, without a square root, in quadruple precision ---- */

/* A = L D L^T in place, m x m; A^-1 b into x. */
static void quad_factor(size_t m, quad *a)
{
    for (size_t j = 0; j < m; j++)
        for (size_t i = j; i < m; i++) {
            quad s = a[i + j * m];
            for (size_t k = 0; k < j; k++)
                s -= a[i + k * m] * a[j + k * m] * a[k + k * m];
            a[i + j * m] = i == j ? s : s / a[j + j * m];
        }
}

static void quad_solve(size_t m, const quad *a, quad *x)
{
    for (size_t i = 0; i < m; i++)
        for (size_t k = 0; k < i; k++)
            x[i] -= a[i + k * m] * x[k];
    for (size_t i = 0; i < m; i++)
        x[i] /= a[i + i * m];
    for (size_t i = m; i-- > 0;)
        for (size_t k = i + 1; k < m; k++)
            x[i] -= a[k + i * m] * x[k];
}

/* Rows list[0..m-1] of K = [G 1] for the full set of n basis functions. */
static void network_rows(const struct problem *p, double sigma2, size_t m, const size_t *list, quad *k)
{
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j <= p->n; j++) {
            size_t a = list[i] > j ? list[i] : j, b = list[i] > j ? j : list[i];
            k[i + j * m] = j == p->n ? 1.0 : exp(-p->d2[a + b * p->n] / sigma2);
        }
}

/* K K^T + lambda I, factored. */
static quad *dual(size_t m, size_t columns, const quad *k, double lambda)
{
    quad *a = calloc(m * m, sizeof *a);
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j <= i; j++) {
            quad s = i == j ? (quad)lambda : 0;
            for (size_t l = 0; l < columns; l++)
                s += k[i + l * m] * k[j + l * m];
            a[i + j * m] = s;
        }
    quad_factor(m, a);
    return a;
}

/* How far a change of K by eps sqrt(lambda) can move the answers, relative to their size and in units of eps, at least
 * 1: |d e_i| <= eps sqrt(y'Py / P_ii), |d alpha| <= eps sqrt(lambda) |x| + ..., x = (K K^T + lambda I)^-1 y. */
struct sensitivity {
    double residuals, weights;
};

/* Residuals by [1] eq. (3), and the n + 1 weights, bias last. */
static struct sensitivity dense(const struct problem *p, double sigma2, double lambda, double *e, double *alpha)
{
    quad inverse = 0, energy = 0, size = 0, solution = 0, weights = 0;
    size_t n = p->n, *list = malloc(n * sizeof *list);
    quad *k = malloc(n * (n + 1) * sizeof *k), *x = malloc(n * sizeof *x), *unit = malloc(n * sizeof *unit);
    for (size_t i = 0; i < n; i++)
        list[i] = i;
    network_rows(p, sigma2, n, list, k);
    quad *a = dual(n, n + 1, k, lambda);
    for (size_t i = 0; i < n; i++)
        x[i] = p->y[i];
    quad_solve(n, a, x);
    for (size_t i = 0; i < n; i++) {
        memset(unit, 0, n * sizeof *unit);
        unit[i] = 1;
        quad_solve(n, a, unit);
        e[i] = (double)(x[i] / unit[i]);
        energy += x[i] * p->y[i];
        inverse += 1 / unit[i];
        size += (quad)e[i] * e[i];
        solution += x[i] * x[i];
    }
    for (size_t j = 0; j <= n; j++) {
        quad s = 0;
        for (size_t i = 0; i < n; i++)
            s += k[i + j * n] * x[i];
        alpha[j] = (double)s;
        weights += s * s;
    }
    free(list), free(k), free(x), free(unit), free(a);
    return (struct sensitivity){fmax(1.0, sqrt((double)(energy * inverse / size))),
                                fmax(1.0, sqrt((double)(lambda * solution / weights)))};
}

/* y_i minus the prediction of the network fitted without target i. */
static double refit(const struct problem *p, double sigma2, double lambda, size_t out)
{
    size_t n = p->n, m = n - 1, list[64];
    quad *k = malloc(m * (n + 1) * sizeof *k), *row = malloc((n + 1) * sizeof *row), *x = malloc(m * sizeof *x),
         prediction = 0;
    for (size_t i = 0; i < m; i++)
        list[i] = i < out ? i : i + 1;
    network_rows(p, sigma2, m, list, k);
    network_rows(p, sigma2, 1, &out, row);
    quad *a = dual(m, n + 1, k, lambda);
    for (size_t i = 0; i < m; i++)
        x[i] = p->y[list[i]];
    quad_solve(m, a, x);
    for (size_t j = 0; j <= n; j++)
        for (size_t i = 0; i < m; i++)
            prediction += row[j] * k[i + j * m] * x[i];
    free(k), free(row), free(x), free(a);
    return (double)((quad)p->y[out] - prediction);
}

static double mean_square(size_t n, const double *e)
{
    double s = 0.0;
    for (size_t i = 0; i < n; i++)
        s += e[i] * e[i];
    return s / (double)n;
}

static double norm_apart(size_t n, const double *a, const double *b)
{
    double apart = 0.0, size = 0.0;
    for (size_t i = 0; i < n; i++) {
        apart += (a[i] - b[i]) * (a[i] - b[i]);
        size += b[i] * b[i];
    }
    return size > 0.0 ? sqrt(apart / size) : sqrt(apart);
}

/* What double precision allows: rounding of K, relative to sqrt(lambda). */
static double attainable(size_t n, double lambda)
{
    return 1e-12 + 4.0 * 2.2e-16 * (double)n / sqrt(lambda);
}

static void compare_dense(const struct problem *p, double sigma2, double lambda)
{
    size_t n = p->n;
    double *memory, *e = malloc(n * sizeof *e), *alpha = malloc((n + 1) * sizeof *alpha),
                    *got = malloc((n + 1) * sizeof *got), mse;
    struct tamis_loo w = loo_new(n, &memory);
    struct sensitivity change = dense(p, sigma2, lambda, e, alpha);
    double tolerance = attainable(n, lambda) * change.residuals;
    assert_int_equal(tamis_loo_reduce(&w, p->d2, sigma2, p->y), 0);
    tamis_loo_errors(&w, &lambda, 1, &mse);
    assert_relative(mse, mean_square(n, e), tolerance);
    tamis_loo_residuals(&w, lambda, got);
    if (!(norm_apart(n, got, e) <= tolerance))
        fail_msg("residuals at n %zu, sigma2 %g, lambda %g: apart by %g, more than %g", n, sigma2, lambda,
                 norm_apart(n, got, e), tolerance);
    tamis_loo_weights(&w, lambda, got);
    tolerance = attainable(n, lambda) * change.weights;
    if (!(norm_apart(n + 1, got, alpha) <= tolerance))
        fail_msg("weights at n %zu, sigma2 %g, lambda %g: apart by %g, more than %g", n, sigma2, lambda,
                 norm_apart(n + 1, got, alpha), tolerance);
    free(memory), free(e), free(alpha), free(got);
}

/* ---- tests ---- */

static void equals_refits(void **state)
{
    (void)state;
    static const double lambdas[] = {1e-8, 3.7e-4, 0.11, 29.0};
    struct problem p = problem_new(26, 3, 11);
    double *memory, e[26];
    struct tamis_loo w = loo_new(p.n, &memory);
    for (size_t l = 0; l < 4; l++)
        for (double sigma2 = 0.7; sigma2 < 100.0; sigma2 *= 9.3) {
            assert_int_equal(tamis_loo_reduce(&w, p.d2, sigma2, p.y), 0);
            tamis_loo_residuals(&w, lambdas[l], e);
            for (size_t i = 0; i < p.n; i++)
                assert_relative(e[i], refit(&p, sigma2, lambdas[l], i), 1e-10 + attainable(p.n, lambdas[l]));
        }
    free(memory);
    problem_free(&p);
}

static void equals_dense_formula(void **state)
{
    (void)state;
    static const size_t sizes[] = {1, 2, 3, 5, 8, 9, 17, 40, 61};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        struct problem p = problem_new(sizes[s], 4, 100 + s);
        for (double lambda = 1e-14; lambda < 2e3; lambda *= 1e3)
            for (double sigma2 = 0.3; sigma2 < 1e3; sigma2 *= 17.1)
                compare_dense(&p, sigma2, lambda);
        problem_free(&p);
    }
}

/* One input: G has a dozen directions above rounding, and isolated rows lie entirely in them. */
static void equals_dense_formula_at_low_rank(void **state)
{
    (void)state;
    for (size_t lonely = 0; lonely < 60; lonely = 3 * lonely + 4) {
        struct problem p = problem_new(110, 1, 77 + lonely);
        for (size_t i = 0; i < lonely; i++)
            p.x[2 * i % p.n + (2 * i / p.n)] = 40.0 + 7.3 * (double)i;
        distances(&p);
        double *memory;
        struct tamis_loo w = loo_new(p.n, &memory);
        tamis_loo_reduce(&w, p.d2, 3.0, p.y);
        assert_below(w.rank, p.n);
        assert_at_least(w.rank, 10 + lonely);
        free(memory);
        compare_dense(&p, 3.0, 1e-12);
        compare_dense(&p, 3.0, 2.3e-8);
        compare_dense(&p, 3.0, 0.31);
        problem_free(&p);
    }
}

static void stands_equal_rows_and_constants(void **state)
{
    (void)state;
    struct problem p = problem_new(30, 2, 5);
    for (size_t i = 0; i < 12; i++)
        for (size_t v = 0; v < 2; v++)
            p.x[18 + i + v * p.n] = p.x[i + v * p.n];
    distances(&p);
    compare_dense(&p, 2.0, 1e-14);
    compare_dense(&p, 2.0, 1e-3);
    memset(p.d2, 0, p.n * p.n * sizeof *p.d2);
    for (p.n = 1; p.n <= 30; p.n++) {
        compare_dense(&p, 2.0, 1e-14);
        compare_dense(&p, 2.0, 47.0);
    }
    p.n = 30;
    distances(&p);
    for (size_t i = 0; i < p.n; i++)
        p.y[i] = 0.83;
    compare_dense(&p, 2.0, 1e-6);                                  /* the residuals nearly vanish */
    problem_free(&p);
}

static void zero_target_has_zero_error(void **state)
{
    (void)state;
    struct problem p = problem_new(25, 2, 6);
    double *memory, lambda[] = {1e-14, 0.2, 1e3}, mse[3];
    struct tamis_loo w = loo_new(p.n, &memory);
    memset(p.y, 0, p.n * sizeof *p.y);
    assert_int_equal(tamis_loo_reduce(&w, p.d2, 5.0, p.y), 0);
    tamis_loo_errors(&w, lambda, 3, mse);
    for (size_t l = 0; l < 3; l++)
        assert_true(mse[l] == 0.0);
    free(memory);
    problem_free(&p);
}

static void full_leverage_is_infinite(void **state)
{
    (void)state;
    struct problem p = problem_new(1, 1, 8);
    double *memory, lambda = 5e-324, mse, e;                             /* P = lambda / (2 + lambda) rounds to 0 */
    struct tamis_loo w = loo_new(p.n, &memory);
    assert_int_equal(tamis_loo_reduce(&w, p.d2, 0.5, p.y), 0);
    tamis_loo_errors(&w, &lambda, 1, &mse);
    assert_true(mse == INFINITY);
    tamis_loo_residuals(&w, lambda, &e);
    assert_true(e == INFINITY);
    lambda = 1e-300;
    tamis_loo_residuals(&w, lambda, &e);
    assert_relative(e, p.y[0], 1e-12);
    free(memory);
    problem_free(&p);
}

static void says_what_is_no_number(void **state)
{
    (void)state;
    struct problem p = problem_new(20, 2, 9);
    double *memory;
    struct tamis_loo w = loo_new(p.n, &memory);
    p.y[13] = NAN;
    assert_int_not_equal(tamis_loo_reduce(&w, p.d2, 1.0, p.y), 0);
    p.y[13] = 0.4;
    p.d2[17 + 3 * p.n] = NAN;
    assert_int_not_equal(tamis_loo_reduce(&w, p.d2, 1.0, p.y), 0);
    p.d2[17 + 3 * p.n] = 2.9;
    assert_int_equal(tamis_loo_reduce(&w, p.d2, 1.0, p.y), 0);
    free(memory);
    problem_free(&p);
}

/* Neither the alignment of memory nor which lambdas are evaluated together changes a bit. */
static void gives_the_same_bits(void **state)
{
    (void)state;
    struct problem p = problem_new(147, 5, 10);
    double lambda[35], together[35], alone, *block = malloc((tamis_loo_size(p.n) + 8) * sizeof *block);
    for (size_t l = 0; l < 35; l++)
        lambda[l] = pow(10.0, -14.0 + 0.5 * (double)l);
    for (size_t shift = 0; shift < 8; shift++) {
        struct tamis_loo w;
        tamis_loo_bind(&w, p.n, block + shift);
        tamis_loo_reduce(&w, p.d2, 12.0, p.y);
        if (shift == 0)
            tamis_loo_errors(&w, lambda, 35, together);
        for (size_t l = 0; l < 35; l++) {
            tamis_loo_errors(&w, lambda + l, 1, &alone);
            assert_memory_equal(&alone, together + l, sizeof alone);
        }
    }
    free(block);
    problem_free(&p);
}

/* Of a batch, the least error has the bits of tamis_loo_errors, and the others are as there or +inf. */
static void least_error_is_exact(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 6; seed++) {
        struct problem p = problem_new(40 + 23 * seed, 3, 900 + seed);
        double *memory, lambda[35], all[35], some[35];
        struct tamis_loo w = loo_new(p.n, &memory);
        size_t least = 0, cut = 0;
        tamis_loo_reduce(&w, p.d2, pow(4.0, (double)seed - 2.0), p.y);
        for (size_t count = 1; count <= 35; count += 1 + count / 3) {
            for (size_t l = 0; l < count; l++)
                lambda[l] = pow(10.0, -12.3 + 0.41 * (double)l);
            tamis_loo_errors(&w, lambda, count, all);
            tamis_loo_least(&w, lambda, count, some);
            least = 0;
            for (size_t l = 0; l < count; l++) {
                least = all[l] < all[least] ? l : least;
                cut += some[l] == INFINITY && all[l] < INFINITY;
                assert_true(some[l] == all[l] || some[l] == INFINITY);
            }
            assert_true(some[least] == all[least]);
        }
        assert_at_least(cut, 1);
        free(memory);
        problem_free(&p);
    }
}

/* ---- products with a symmetric matrix less pairs ---- */

struct pairs_case { size_t n, ld; double *a, *u, *x, *y, *right; };

/* A in its lower triangle, NaN elsewhere; pairs, and x zero before `from`. */
static struct pairs_case pairs_new(size_t n, size_t from, struct tamis_rng *r)
{
    size_t ld = (n + TAMIS_PAIR_ROWS - 1) / TAMIS_PAIR_ROWS * TAMIS_PAIR_ROWS;
    struct pairs_case c = {n, ld, malloc((n + 3) * ld * sizeof(double)),
                           calloc(2 * TAMIS_PAIR_MOST * ld, sizeof(double)), calloc(ld, sizeof(double)),
                           malloc(ld * sizeof(double)), calloc(n, sizeof(double))};
    memset(c.a, 0xff, (n + 3) * ld * sizeof *c.a);
    for (size_t j = 0; j < n; j++)
        for (size_t i = j; i < n; i++)
            c.a[i + j * ld] = tamis_rng_normal(r);
    for (size_t j = 0; j < 2 * TAMIS_PAIR_MOST; j++)
        for (size_t i = 0; i < n; i++)
            c.u[i + j * ld] = tamis_rng_normal(r);
    for (size_t i = from; i < n; i++)
        c.x[i] = tamis_rng_normal(r);
    return c;
}

static void pairs_free(struct pairs_case *c)
{
    free(c->a), free(c->u), free(c->x), free(c->y), free(c->right);
}

/* right = A x, after taking the pairs from the lower triangle of b if there are any. */
static void pairs_naive(struct pairs_case *c, size_t from, int pairs, double *b)
{
    memset(c->right, 0, c->n * sizeof *c->right);
    for (size_t j = from; j < c->n; j++)
        for (size_t i = j; i < c->n; i++) {
            for (size_t k = 0; k < 2 * TAMIS_PAIR_MOST && pairs; k++)
                b[i + j * c->ld] -= c->u[i + k * c->ld] * c->u[j + (k ^ 1) * c->ld];
            c->right[i] += b[i + j * c->ld] * c->x[j];
            c->right[j] += i == j ? 0.0 : b[i + j * c->ld] * c->x[i];
        }
}

static void pairs_equal_naive_loops(void **state)
{
    (void)state;
    struct tamis_rng r;
    tamis_rng_init(&r, 4711, TAMIS_RNG_TEST, 0);
    for (size_t n = 1; n < 70; n += 1 + n / 9)
        for (size_t from = 0; from < n; from += 1 + from / 2) {
            struct pairs_case c = pairs_new(n, from, &r);
            double *b = malloc((n + 3) * c.ld * sizeof *b);
            tamis_pair_prepare(n, c.a, c.ld);
            memcpy(b, c.a, (n + 3) * c.ld * sizeof *b);
            for (int pairs = 0; pairs < 2; pairs++) {
                if (pairs) tamis_pair_update(n, from, c.a, c.ld, c.u, c.x, c.y);
                else tamis_pair_product(n, from, c.a, c.ld, c.x, c.y);
                pairs_naive(&c, from, pairs, b);
                assert_at_most(norm_apart(n - from, c.y + from, c.right + from), 1e-13);
                for (size_t j = from; j < n; j++)
                    assert_at_most(norm_apart(n - j, c.a + j * (c.ld + 1), b + j * (c.ld + 1)), 1e-13);
            }
            free(b);
            pairs_free(&c);
        }
}

/* ---- known answers ---- */

static struct problem problem_scaled(const struct sisal_case *c)
{
    struct problem p = problem_new(c->n, c->d, 1);
    for (size_t v = 0; v <= c->d; v++) {
        const double *from = v < c->d ? c->x + v * c->n : c->y;
        double *to = v < c->d ? p.x + v * c->n : p.y, mean = 0.0, square = 0.0;
        for (size_t i = 0; i < c->n; i++)
            mean += from[i] / (double)c->n;
        for (size_t i = 0; i < c->n; i++)
            square += (from[i] - mean) * (from[i] - mean) / (double)c->n;
        for (size_t i = 0; i < c->n; i++)
            to[i] = square > 1e-20 ? (from[i] - mean) / sqrt(square) : 0.0;
    }
    distances(&p);
    return p;
}

static void relevances(const struct problem *p, size_t count, const size_t *inputs, const double *alpha, double sigma2,
                       double *r)
{
    double *work = malloc(tamis_derivatives_size(p->n, count) * sizeof *work),
           *derivative = malloc(p->n * count * sizeof *derivative);
    tamis_derivatives(p->n, p->x, p->n, p->n, p->x, p->n, inputs, count, alpha, sigma2, work, derivative);
    for (size_t i = 0; i < count; i++)
        r[i] = tamis_relevance(p->n, derivative + i * p->n, 1.0, 1.0);
    free(work), free(derivative);
}

static void known_fixed_points(void **state)
{
    (void)state;
    static const size_t all[] = {0, 1, 2, 3, 4, 5, 6, 7};
    for (size_t c = 0; c < sizeof sisal_cases / sizeof *sisal_cases; c++) {
        struct problem p = problem_scaled(&sisal_cases[c]);
        double *memory, got[61], mse, r[8];
        struct tamis_loo w = loo_new(p.n, &memory);
        for (size_t k = 0; k < sisal_cases[c].fixed_count; k++) {
            const struct sisal_fixed *f = &sisal_cases[c].fixed[k];
            assert_int_equal(tamis_loo_reduce(&w, p.d2, f->sigma2, p.y), 0);
            tamis_loo_errors(&w, &f->gamma, 1, &mse);
            assert_relative(mse, f->loo, 1e-10);
            tamis_loo_residuals(&w, f->gamma, got);
            assert_at_most(norm_apart(p.n, got, f->residuals), 1e-10);
            tamis_loo_weights(&w, f->gamma, got);
            assert_at_most(norm_apart(p.n + 1, got, f->alpha), 1e-9);
            relevances(&p, p.d, all, got, f->sigma2, r);
            for (size_t v = 0; v < p.d; v++)
                assert_relative(r[v], f->relevance[v], 1e-9);
        }
        free(memory);
        problem_free(&p);
    }
}

static void loo_batch(void *arg, const double *lambda, size_t count, double *value)
{
    tamis_loo_errors(arg, lambda, count, value);
}

static void known_step(const struct sisal_case *c, const struct sisal_step *s, enum tamis_gamma_search search,
                       struct problem *p, struct tamis_loo *w)
{
    double best = INFINITY, second = INFINITY, alpha[61], r[8];
    size_t index = 0;
    struct tamis_minimum m;
    memset(p->d2, 0, p->n * p->n * sizeof *p->d2);
    for (size_t v = 0; v < s->count; v++)
        tamis_dist_add(p->n, p->x + s->inputs[v] * p->n, p->d2);
    for (size_t k = 0; k < c->sigma2_n; k++) {
        tamis_loo_reduce(w, p->d2,
                         c->sigma2_lo * pow(c->sigma2_hi / c->sigma2_lo, (double)k / (double)(c->sigma2_n - 1)), p->y);
        tamis_minimise(search, c->log10gamma_lo, c->log10gamma_hi, c->golden_tolerance, loo_batch, w, &m);
        second = fmin(second, fmax(best, m.value));
        if (m.value < best)
            best = m.value, index = k;
    }
    assert_relative(best, s->loo, 1e-8);
    if (s->margin_sigma2 > 1e-5)
        assert_int_equal(index, s->sigma2_index);
    tamis_loo_reduce(w, p->d2, s->sigma2, p->y);
    tamis_minimise(search, c->log10gamma_lo, c->log10gamma_hi, c->golden_tolerance, loo_batch, w, &m);
    assert_int_equal(m.at_lower, s->gamma_at_lower_bound);
    if (!s->gamma_at_lower_bound)
        assert_close(log10(m.lambda), s->log10gamma, 1e-3);
    tamis_loo_weights(w, m.lambda, alpha);
    relevances(p, s->count, s->inputs, alpha, s->sigma2, r);
    for (size_t v = 0; v < s->count; v++)
        assert_relative(r[v], s->relevance[v], 1e-4);
}

static void known_paths(void **state)
{
    (void)state;
    for (size_t c = 0; c < sizeof sisal_cases / sizeof *sisal_cases; c++) {
        struct problem p = problem_scaled(&sisal_cases[c]);
        double *memory;
        struct tamis_loo w = loo_new(p.n, &memory);
        for (size_t k = 0; k < sisal_cases[c].golden.count; k++)
            known_step(&sisal_cases[c], &sisal_cases[c].golden.steps[k], TAMIS_SEARCH_GOLDEN, &p, &w);
        for (size_t k = 0; k < sisal_cases[c].scan.count; k++)
            known_step(&sisal_cases[c], &sisal_cases[c].scan.steps[k], TAMIS_SEARCH_SCAN, &p, &w);
        free(memory);
        problem_free(&p);
    }
}

/* ---- fixed centres ---- */

struct centred {
    struct tamis_centers_data data;
    double *c, *memory;
    struct tamis_centers w;
};

static const size_t two_columns[] = {2, 0};

/* The first m rows, slightly shifted, are the centres; the network uses columns 2 and 0 of three. */
static struct centred centred_new(const struct problem *p, size_t m)
{
    struct centred s = {.c = malloc(m * p->d * sizeof(double)),
                        .memory = malloc(tamis_centers_size(m, 1) * sizeof(double))};
    for (size_t v = 0; v < p->d; v++)
        for (size_t j = 0; j < m; j++)
            s.c[j + v * m] = p->x[j + v * p->n] + 0.01 * (double)(j % 7);
    s.data = (struct tamis_centers_data){p->n, p->n, m, m, 2, p->x, s.c, p->y, two_columns, .outputs = 1};
    memset(s.memory, 0xff, tamis_centers_size(m, 1) * sizeof *s.memory);
    tamis_centers_bind(&s.w, &s.data, s.memory);
    return s;
}

static void centred_free(struct centred *s)
{
    free(s->c), free(s->memory);
}

static quad *centred_design(const struct tamis_centers_data *d, double sigma2)
{
    quad *phi = malloc(d->n * (d->m + 1) * sizeof *phi);
    for (size_t i = 0; i < d->n; i++)
        for (size_t j = 0; j <= d->m; j++) {
            double d2 = 0.0;
            for (size_t v = 0; v < d->count && j < d->m; v++)
                d2 += pow(d->x[i + d->columns[v] * d->ldx] - d->c[j + d->columns[v] * d->ldc], 2.0);
            phi[i + j * d->n] = j < d->m ? exp(-d2 / sigma2) : 1.0;
        }
    return phi;
}

/* LOO by phi^T (Phi^T Phi + lambda I)^-1 phi in quadruple precision; *least: of 1 - h_i. */
static double centred_dense(const struct tamis_centers_data *d, double sigma2, double lambda, double *alpha,
                            double *least)
{
    *least = 1.0;
    size_t p = d->m + 1;
    quad *phi = centred_design(d, sigma2), *a = calloc(p * p, sizeof *a), *b = calloc(p, sizeof *b),
         *x = malloc(p * sizeof *x), sum = 0;
    for (size_t j = 0; j < p; j++)
        for (size_t i = 0; i < d->n; i++) {
            b[j] += phi[i + j * d->n] * (quad)d->y[i];
            for (size_t k = 0; k <= j; k++)
                a[j + k * p] += phi[i + j * d->n] * phi[i + k * d->n];
        }
    for (size_t j = 0; j < p; j++)
        a[j + j * p] += lambda;
    quad_factor(p, a);
    quad_solve(p, a, b);
    for (size_t i = 0; i < d->n; i++) {
        quad h = 0, f = 0;
        for (size_t j = 0; j < p; j++)
            x[j] = phi[i + j * d->n];
        quad_solve(p, a, x);
        for (size_t j = 0; j < p; j++) {
            h += phi[i + j * d->n] * x[j];
            f += phi[i + j * d->n] * b[j];
        }
        quad e = ((quad)d->y[i] - f) / (1 - h);
        *least = fmin(*least, (double)(1 - h));
        sum += e * e;
    }
    for (size_t j = 0; j < p; j++)
        alpha[j] = (double)b[j];
    free(phi), free(a), free(b), free(x);
    return (double)(sum / (quad)d->n);
}

static void centres_equal_dense_formula(void **state)
{
    (void)state;
    static const size_t rows[] = {3, 40, 256, 701}, centres[] = {5, 13, 1, 33};
    for (size_t s = 0; s < 4; s++) {
        struct problem p = problem_new(rows[s] > 5 ? rows[s] : 5, 3, 200 + s);
        struct centred t = centred_new(&p, centres[s]);
        t.w.data.n = t.data.n = rows[s];
        for (double sigma2 = 0.4; sigma2 < 100.0; sigma2 *= 12.7) {
            assert_int_equal(tamis_centers_reduce(&t.w, sigma2), 0);
            for (double lambda = 1e-10; lambda < 1e3; lambda *= 1e3) {
                double mse, alpha[64], got[64], least, right = centred_dense(&t.data, sigma2, lambda, alpha, &least);
                tamis_centers_errors(&t.w, &lambda, 1, &mse);
                assert_relative(mse, right, 1e-12 + attainable(rows[s], lambda) + 5e-14 / least);
                tamis_centers_weights(&t.w, lambda, got);
                assert_at_most(norm_apart(centres[s] + 1, got, alpha), 1e-10 + 10.0 * attainable(rows[s], lambda));
            }
        }
        centred_free(&t);
        problem_free(&p);
    }
}

/* With a centre on every row the two routes agree. */
static void centres_equal_full_network(void **state)
{
    (void)state;
    struct problem p = problem_new(70, 2, 31);
    static const size_t columns[] = {0, 1};
    struct tamis_centers_data data = {p.n, p.n, p.n, p.n, 2, p.x, p.x, p.y, columns, .outputs = 1};
    double *memory, *room = malloc(tamis_centers_size(p.n, 1) * sizeof *room), lambda[] = {1e-6, 0.03, 8.0}, a[3], b[3];
    struct tamis_centers t;
    struct tamis_loo w = loo_new(p.n, &memory);
    tamis_centers_bind(&t, &data, room);
    assert_int_equal(tamis_centers_reduce(&t, 1.7), 0);
    assert_int_equal(tamis_loo_reduce(&w, p.d2, 1.7, p.y), 0);
    tamis_centers_errors(&t, lambda, 3, a);
    tamis_loo_errors(&w, lambda, 3, b);
    for (size_t l = 0; l < 3; l++)
        assert_relative(a[l], b[l], 1e-10);
    free(memory), free(room);
    problem_free(&p);
}

static void centres_batch(void *arg, const double *lambda, size_t count, double *value)
{
    tamis_centers_errors(arg, lambda, count, value);
}

static void centres_minimum_is_the_grids(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 12; seed++) {
        struct problem p = problem_new(90 + 40 * seed, 3, 300 + seed);
        struct centred t = centred_new(&p, 20 + seed);
        struct tamis_minimum a, b;
        assert_int_equal(tamis_centers_reduce(&t.w, 0.1 * (double)(1 + seed * seed)), 0);
        tamis_centers_minimise(&t.w, -14.0, 3.0, &a);
        tamis_minimise(TAMIS_SEARCH_GRID, -14.0, 3.0, 0.0, centres_batch, &t.w, &b);
        assert_true(a.lambda == b.lambda);
        assert_relative(a.value, b.value, 1e-13);
        assert_int_equal(a.evaluations, TAMIS_SCAN_POINTS + TAMIS_GRID_POINTS);
        centred_free(&t);
        problem_free(&p);
    }
}

static void centres_say_what_is_no_number(void **state)
{
    (void)state;
    struct problem p = problem_new(50, 3, 32);
    struct centred t = centred_new(&p, 6);
    p.y[49] = NAN;
    assert_int_not_equal(tamis_centers_reduce(&t.w, 1.0), 0);
    p.y[49] = -0.7;
    assert_int_equal(tamis_centers_reduce(&t.w, 1.0), 0);
    centred_free(&t);
    problem_free(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equals_refits),
        cmocka_unit_test(equals_dense_formula),
        cmocka_unit_test(equals_dense_formula_at_low_rank),
        cmocka_unit_test(stands_equal_rows_and_constants),
        cmocka_unit_test(zero_target_has_zero_error),
        cmocka_unit_test(full_leverage_is_infinite),
        cmocka_unit_test(says_what_is_no_number),
        cmocka_unit_test(gives_the_same_bits),
        cmocka_unit_test(least_error_is_exact),
        cmocka_unit_test(pairs_equal_naive_loops),
        cmocka_unit_test(known_fixed_points),
        cmocka_unit_test(known_paths),
        cmocka_unit_test(centres_equal_dense_formula),
        cmocka_unit_test(centres_equal_full_network),
        cmocka_unit_test(centres_minimum_is_the_grids),
        cmocka_unit_test(centres_say_what_is_no_number),
    };
    return cmocka_run_group_tests_name("leave one out", tests, NULL, NULL);
}
