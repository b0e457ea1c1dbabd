/* Functions of one column: orthonormal over the rows they were learnt on, equal to naive loops, and numbers for every
 * column. */
#include <float.h>
#include "base/rng.h"
#include "naive_basis.h"

enum { F = TAMIS_FUNCTIONS, ROWS = 3000 };

/* ---- columns ---- */

static double normal(struct tamis_rng *g, double p) { return p * tamis_rng_normal(g); }
static double skewed(struct tamis_rng *g, double p) { return exp(p * tamis_rng_normal(g)); }
static double levels(struct tamis_rng *g, double p) { return floor(p * tamis_rng_uniform(g)) / 7; }
static double rare(struct tamis_rng *g, double p) { return tamis_rng_uniform(g) < p ? 3.7 : -1.2; }
static double offset(struct tamis_rng *g, double p) { return p + tamis_rng_uniform(g); }
static double outlying(struct tamis_rng *g, double p)
{
    return tamis_rng_normal(g) * (tamis_rng_uniform(g) < 0.01 ? p : 1);
}

static const struct column {
    const char *name;
    double (*draw)(struct tamis_rng *, double);
    double parameter;
    size_t functions;           /* expected */
} columns[] = {{"normal", normal, 1, 7},       {"large", normal, 1e300, 7}, {"small", normal, 1e-310, 7},
               {"skewed", skewed, 3, 7},       {"two", levels, 2, 1},       {"three", levels, 3, 2},
               {"five", levels, 5, 4},         {"300", levels, 300, 7},     {"rare", rare, 0.002, 1},
               {"offset", offset, 1e9, 7},     {"outlying", outlying, 1e6, 7}};
enum { COLUMNS = sizeof columns / sizeof *columns };

static void draw(const struct column *c, size_t n, double *x)
{
    struct tamis_rng g;
    tamis_rng_init(&g, 5, TAMIS_RNG_TEST, (uint64_t)(c - columns));
    for (size_t i = 0; i < n; i++) x[i] = c->draw(&g, c->parameter);
}

static void learn(struct tamis_basis *b, const double *x, size_t n)
{
    double *work = malloc(n * sizeof *work);
    tamis_basis_learn(b, x, n, work);
    free(work);
}

/* ---- properties ---- */

static void check_orthonormal(const double *phi, size_t n, size_t q)
{
    for (size_t j = 0; j < q; j++)
        for (size_t k = 0; k <= q; k++) {               /* k = q: the constant */
            long double sum = 0;
            for (size_t i = 0; i < n; i++) sum += (long double)phi[i + n * j] * (k < q ? phi[i + n * k] : 1);
            assert_close((double)(sum / (long double)n), j == k, 1e-12);
        }
}

static void functions_are_orthonormal(void **state)
{
    (void)state;
    static double x[ROWS], phi[ROWS * F];
    for (const struct column *c = columns; c < columns + COLUMNS; c++) {
        struct tamis_basis b;
        draw(c, ROWS, x);
        learn(&b, x, ROWS);
        if (b.functions != c->functions) fail_msg("%s: %zu functions", c->name, b.functions);
        tamis_basis_apply(&b, b.functions, x, ROWS, phi, ROWS);
        check_orthonormal(phi, ROWS, b.functions);
    }
}

static void functions_equal_naive_loops(void **state)
{
    (void)state;
    static double x[ROWS], phi[ROWS * F];
    for (const struct column *c = columns; c < columns + COLUMNS; c++) {
        struct tamis_basis b;
        draw(c, ROWS, x);
        learn(&b, x, ROWS);
        for (size_t i = 0; i < ROWS; i += 2) x[i] *= 1 + 1e-3 * (double)(i % 1000);     /* not only learnt values */
        tamis_basis_apply(&b, b.functions, x, ROWS, phi, ROWS);
        if (c->parameter != 1e-310)                     /* the naive loop divides by differences of such numbers */
            for (size_t i = 0; i < ROWS * b.functions; i++)
                assert_near(phi[i], naive_function(&b, i / ROWS, x[i % ROWS]), 1e-9);
    }
}

/* The functions from their definition: ranks by counting, Gram-Schmidt on vectors. */
static size_t defined(const double *x, size_t n, double lo, double hi, long double *f)
{
    size_t kept = 0;
    for (size_t j = 0; j < F; j++) {
        long double *v = f + n * kept, mean = 0, before = 0, left = 0;
        for (size_t i = 0; i < n; i++) {
            double z = 2 * (fmin(fmax(x[i], lo), hi) - lo) / (hi - lo) - 1, u = 0;
            for (size_t l = 0; l < n; l++) u += (x[l] < x[i]) + 0.5 * (x[l] == x[i]);
            v[i] = j == 0 ? z : j == 1 ? z * z : sqrt(2) * cos(M_PI * (double)(j - 1) * u / (double)n);
            mean += v[i] / (long double)n;
        }
        for (size_t i = 0; i < n; i++) v[i] -= mean, before += v[i] * v[i];
        for (size_t k = 0; k < 2 * kept; k++) {
            long double *w = f + n * (k % kept), dot = 0;
            for (size_t i = 0; i < n; i++) dot += v[i] * w[i] / (long double)n;
            for (size_t i = 0; i < n; i++) v[i] -= dot * w[i];
        }
        for (size_t i = 0; i < n; i++) left += v[i] * v[i];
        for (size_t i = 0; i < n; i++) v[i] /= sqrtl(left / (long double)n);
        kept += before > 1e-20 && left > 1e-4L * before;
    }
    return kept;
}

static void functions_follow_their_definition(void **state)
{
    (void)state;
    enum { N = 250 };                                   /* one knot per value */
    static double x[N], phi[N * F], sorted[N];
    static long double want[N * (F + 1)];
    for (const struct column *c = columns; c < columns + COLUMNS; c++) {
        struct tamis_basis b;
        draw(c, N, x);
        if (c->parameter == 1e-310) continue;
        tamis_basis_learn(&b, x, N, sorted);
        double q05 = sorted[12], q95 = sorted[237], step = 1.5 * (q95 - q05);
        double lo = step == 0 ? sorted[0] : fmax(sorted[0], q05 - step),
               hi = step == 0 ? sorted[N - 1] : fmin(sorted[N - 1], q95 + step);
        assert_true(b.lo == lo && b.hi == hi);
        assert_int_equal(b.functions, lo == hi ? 0 : defined(x, N, lo, hi, want));
        tamis_basis_apply(&b, b.functions, x, N, phi, N);
        for (size_t i = 0; i < N * b.functions; i++) assert_close(phi[i], (double)want[i], 1e-9);
    }
}

static void knots_hold_mid_ranks(void **state)
{
    (void)state;
    static double x[ROWS];
    struct tamis_basis b;
    draw(&columns[7], ROWS, x);
    learn(&b, x, ROWS);
    assert_int_equal(b.values, TAMIS_KNOTS + 1);
    assert_int_equal(b.knots, TAMIS_KNOTS);
    for (size_t k = 0; k < b.knots; k++) {
        double rank = 0;
        for (size_t i = 0; i < ROWS; i++) rank += (x[i] < b.knot[k]) + 0.5 * (x[i] == b.knot[k]);
        assert_close(b.rank[k], rank / ROWS, 1e-15);
        if (k) assert_between(b.knot[k] - b.knot[k - 1], 0.99 / 7, 2.01 / 7);   /* every value or every second one */
    }
    assert_true(b.knot[0] == 0 && b.knot[b.knots - 1] == 299. / 7);
}

static void the_order_and_number_of_rows_do_not_matter(void **state)
{
    (void)state;
    static double x[ROWS], y[ROWS], phi[ROWS * F], other[ROWS * F];
    for (const struct column *c = columns; c < columns + COLUMNS; c++) {
        struct tamis_basis a, b;
        draw(c, ROWS, x);
        for (size_t i = 0; i < ROWS; i++) y[i] = x[(i * 7 + 11) % ROWS];
        learn(&a, x, ROWS);
        learn(&b, y, ROWS);
        assert_memory_equal(&a, &b, sizeof a);
        tamis_basis_apply(&a, a.functions, x, ROWS, phi, ROWS);         /* buckets */
        for (size_t i = 0, n; i < ROWS; i += n) {
            n = ROWS - i < 1 + i % 5 ? ROWS - i : 1 + i % 5;            /* bisection */
            tamis_basis_apply(&a, a.functions, x + i, n, other + i, ROWS);
        }
        assert_memory_equal(phi, other, ROWS * a.functions * sizeof *phi);
        for (size_t q = 0; q < a.functions; q++) {
            tamis_basis_apply(&a, q, x, ROWS, other, ROWS);
            assert_memory_equal(phi, other, ROWS * q * sizeof *phi);
        }
    }
}

/* ---- extremes ---- */

static void functions_are_constant_beyond_the_range(void **state)
{
    (void)state;
    static double x[ROWS];
    for (const struct column *c = columns; c < columns + COLUMNS; c++) {
        struct tamis_basis b;
        double most = -INFINITY, least = INFINITY, phi[8 * F];
        draw(c, ROWS, x);
        learn(&b, x, ROWS);
        for (size_t i = 0; i < ROWS; i++) most = fmax(most, x[i]), least = fmin(least, x[i]);
        double probe[8] = {most, most + fabs(most), DBL_MAX, INFINITY, least, least - fabs(least), -DBL_MAX, -INFINITY};
        tamis_basis_apply(&b, b.functions, probe, 8, phi, 8);
        for (size_t k = 0; k < b.functions; k++)
            for (size_t i = 0; i < 8; i++) assert_true(phi[i + 8 * k] == phi[i / 4 * 4 + 8 * k]);
    }
}

static void every_column_gives_numbers(void **state)
{
    (void)state;
    enum { N = 12 };
    static const double cases[][N] = {
        {DBL_MAX, -DBL_MAX, 0, 1, -1, 1e300, 5e-324, -5e-324, 2, 3, 1e-310, -1e-310},
        {5e-324, 0, -5e-324, 1e-323, 0, 0, 1.5e-323, 2e-323, 0, 0, 0, 0},
        {0.0, -0.0, 0.0, -0.0, 1, 1, 0.0, -0.0, 0.0, 1, 1, -0.0},
        {5e-324, 0, 5e-324, 1e10, 0, 5e-324, 0, 0, 5e-324, 5e-324, 0, 0},
        {INFINITY, -INFINITY, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10},
        {1, 1 + DBL_EPSILON, 1, 1, 1 + 2 * DBL_EPSILON, 1, 1, 1, 1, 1, 1, 1},
        {DBL_MAX, DBL_MAX, -DBL_MAX, -DBL_MAX, DBL_MAX, 0, 0, 0, 1, 1, 1, 1},
        {DBL_MIN, 2 * DBL_MIN, 3 * DBL_MIN, DBL_MIN, DBL_MIN, DBL_MIN, 0, 0, 0, 0, 0, 0}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct tamis_basis b;
        double phi[N * F];
        learn(&b, cases[c], N);
        assert_at_least((double)b.functions, 1);
        tamis_basis_apply(&b, b.functions, cases[c], N, phi, N);
        check_orthonormal(phi, N, b.functions);         /* fails for NaN */
    }
}

static void constants_have_no_functions(void **state)
{
    (void)state;
    double x[5] = {0.0, -0.0, 0, 0, 0}, one = 3;
    struct tamis_basis b;
    learn(&b, x, 5);
    assert_true(b.functions == 0 && b.values == 1);
    learn(&b, &one, 1);
    assert_true(b.functions == 0 && b.values == 1);
    tamis_basis_apply(&b, 0, x, 5, NULL, 5);
}

/* Raw functions by themselves: the rank is x, z is 2 x - 1. */
static void cosines_are_exact(void **state)
{
    (void)state;
    static double x[ROWS], phi[ROWS * F];
    struct tamis_basis b = {.functions = F, .hi = 1, .knots = 2, .knot = {0, 1}, .rank = {0, 1}};
    for (size_t k = 0; k < F; k++) b.order[k] = k, b.turn[k][k] = 1;
    for (size_t i = 0; i < ROWS; i++) x[i] = ((double)i + 0.37) / ROWS;
    tamis_basis_apply(&b, F, x, ROWS, phi, ROWS);
    for (size_t i = 0; i < ROWS; i++) {
        assert_close(phi[i], 2 * x[i] - 1, 1e-15);
        for (size_t k = 1; k <= 5; k++)
            assert_close(phi[i + ROWS * (k + 1)], (double)(sqrtl(2) * cosl((long double)k * acosl(-1) * x[i])),
                         k == 1 ? 1e-15 : 1e-14);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functions_are_orthonormal), cmocka_unit_test(functions_equal_naive_loops),
        cmocka_unit_test(functions_follow_their_definition), cmocka_unit_test(knots_hold_mid_ranks),
        cmocka_unit_test(the_order_and_number_of_rows_do_not_matter),
        cmocka_unit_test(functions_are_constant_beyond_the_range), cmocka_unit_test(every_column_gives_numbers),
        cmocka_unit_test(constants_have_no_functions), cmocka_unit_test(cosines_are_exact)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
