/* The network with one weight per input: likelihood against a naive one, gradient against differences, residuals
 * against refits; L-BFGS. */
#include "base/rng.h"
#include "num/gp.h"
#include "num/lbfgs.h"
#include "unit.h"

enum { N = 23, D = 4, L = 2 };

struct problem { double x[N * D], y[N * L], theta[D + 2], memory[8192]; };

static void problem_make(struct problem *p)
{
    struct tamis_rng r;
    tamis_rng_init(&r, 77, TAMIS_RNG_TEST, 5);
    for (size_t i = 0; i < N * D; i++) p->x[i] = tamis_rng_normal(&r);
    for (size_t i = 0; i < N * L; i++) p->y[i] = tamis_rng_normal(&r) + sin(p->x[i % N]);
    for (size_t i = 0; i < D + 2; i++) p->theta[i] = 0.4 * tamis_rng_normal(&r) - 1;
    assert_at_most(tamis_gp_size(N, D, L), sizeof p->memory / sizeof *p->memory);
}

static double kernel(const struct problem *p, const double *theta, size_t j, size_t k)
{
    double d2 = 0;
    for (size_t i = 0; i < D; i++) d2 += exp(theta[i]) * pow(p->x[j + N * i] - p->x[k + N * i], 2);
    return exp(theta[D]) * exp(-d2);
}

/* Plain Gaussian elimination: log |C| and C^-1 y for the rows that are not `out`. */
static double naive(const struct problem *p, const double *theta, double bias, size_t out, double *fit_at_out)
{
    static double c[N][N + L];
    size_t row[N], n = 0;
    double value = 0;
    for (size_t j = 0; j < N; j++)
        if (j != out) row[n++] = j;
    for (size_t j = 0; j < n; j++) {
        for (size_t k = 0; k < n; k++) c[j][k] = kernel(p, theta, row[j], row[k]) + bias + (j == k) * exp(theta[D + 1]);
        for (size_t o = 0; o < L; o++) c[j][n + o] = p->y[row[j] + N * o];
    }
    for (size_t k = 0; k < n; k++) {
        value += 0.5 * L * log(c[k][k]);
        for (size_t j = 0; j < n; j++) {
            if (j == k) continue;
            double f = c[j][k] / c[k][k];
            for (size_t i = k; i < n + L; i++) c[j][i] -= f * c[k][i];
        }
    }
    for (size_t o = 0; o < L; o++) {
        if (fit_at_out) fit_at_out[o] = 0;
        for (size_t j = 0; j < n; j++) {
            double alpha = c[j][n + o] / c[j][j];
            value += 0.5 * p->y[row[j] + N * o] * alpha;
            if (fit_at_out) fit_at_out[o] += (kernel(p, theta, out, row[j]) + bias) * alpha;
        }
    }
    return value;
}

static void likelihood_is_the_naive_one(void **state)
{
    struct problem p;
    struct tamis_gp g;
    (void)state;
    problem_make(&p);
    tamis_gp_bind(&g, N, D, L, p.x, p.y, 0.7, p.memory);
    double value = tamis_gp_likelihood(&g, p.theta, NULL);
    assert_close(value, naive(&p, p.theta, 0.7, N, NULL), 1e-10);
}

static void gradient_is_that_of_differences(void **state)
{
    struct problem p;
    struct tamis_gp g;
    double slope[D + 2], none[D + 2];
    (void)state;
    problem_make(&p);
    tamis_gp_bind(&g, N, D, L, p.x, p.y, 0.7, p.memory);
    tamis_gp_likelihood(&g, p.theta, slope);
    for (size_t i = 0; i < D + 2; i++) {
        double h = 1e-5, keep = p.theta[i];
        p.theta[i] = keep + h;
        double up = tamis_gp_likelihood(&g, p.theta, none);
        p.theta[i] = keep - h;
        double down = tamis_gp_likelihood(&g, p.theta, none);
        p.theta[i] = keep;
        assert_close((up - down) / (2 * h), slope[i], 1e-6 * (1 + fabs(slope[i])));
    }
}

static void residuals_are_those_of_refits(void **state)
{
    struct problem p;
    struct tamis_gp g;
    double slope[D + 2], residual[N * L], fit[L], out[N * L], *work = malloc((N * (N + D + 1) + N) * sizeof *work);
    (void)state;
    problem_make(&p);
    tamis_gp_bind(&g, N, D, L, p.x, p.y, 0.7, p.memory);
    tamis_gp_likelihood(&g, p.theta, slope);
    tamis_gp_residuals(&g, residual);
    for (size_t j = 0; j < N; j++) {
        naive(&p, p.theta, 0.7, j, fit);
        for (size_t o = 0; o < L; o++) assert_close(p.y[j + N * o] - fit[o], residual[j + N * o], 1e-10);
    }
    tamis_gp_predict(&g, p.theta, p.x, N, N, out, work);        /* at the training rows: y - s alpha */
    for (size_t j = 0; j < N * L; j++) assert_close(out[j], p.y[j] - exp(p.theta[D + 1]) * g.alpha[j], 1e-10);
    free(work);
}

/* Rows that count 1, 2 or 3 times against as many copies of them. */
static void weights_are_copies(void **state)
{
    enum { ALL = 45 };
    struct problem p;
    struct tamis_gp one, many;
    double v[N], a[D + 2], b[D + 2], *x = malloc(ALL * (D + L) * sizeof *x), *y = x + ALL * D,
           *memory = malloc(tamis_gp_size(ALL, D, L) * sizeof *memory);
    size_t of[ALL], all = 0;
    (void)state;
    problem_make(&p);
    for (size_t j = 0; j < N; j++) {
        v[j] = (double)(j % 3 + 1);
        for (size_t k = 0; k <= j % 3; k++) of[all++] = j;
    }
    assert_int_equal(all, ALL);
    for (size_t j = 0; j < ALL; j++) {
        for (size_t i = 0; i < D; i++) x[j + ALL * i] = p.x[of[j] + N * i];
        for (size_t o = 0; o < L; o++) y[j + ALL * o] = p.y[of[j] + N * o];
    }
    tamis_gp_bind(&one, N, D, L, p.x, p.y, 0.7, p.memory);
    tamis_gp_weigh(&one, v);
    tamis_gp_bind(&many, ALL, D, L, x, y, 0.7, memory);
    assert_close(tamis_gp_likelihood(&one, p.theta, a), tamis_gp_likelihood(&many, p.theta, b), 1e-9);
    for (size_t i = 0; i < D + 2; i++) assert_close(a[i], b[i], 1e-9);
    for (size_t j = 0; j < ALL * L; j++)
        assert_close(one.alpha[of[j % ALL] + N * (j / ALL)], v[of[j % ALL]] * many.alpha[j], 1e-9);
    free(x), free(memory);
}

/* ---- L-BFGS ---- */

static double rosenbrock(void *arg, const double *x, double *g)
{
    double value = 0;
    ++*(int *)arg;
    memset(g, 0, 6 * sizeof *g);
    for (size_t i = 0; i + 1 < 6; i++) {
        double a = x[i + 1] - x[i] * x[i], b = 1 - x[i];
        value += 100 * a * a + b * b;
        g[i] += -400 * a * x[i] - 2 * b;
        g[i + 1] += 200 * a;
    }
    return value;
}

static void lbfgs_finds_the_valley(void **state)
{
    double x[6] = {0.2, 1, 0.3, -0.7, 1.9, 0.1}, work[400], least[6], most[6];
    int calls = 0;
    struct tamis_lbfgs how = {500, 1e-20, 2};
    (void)state;
    assert_at_most(tamis_lbfgs_size(6), 400);
    assert_below(tamis_lbfgs(6, x, NULL, NULL, &how, rosenbrock, &calls, work), 1e-15);
    for (int i = 0; i < 6; i++) assert_close(x[i], 1, 1e-6);
    assert_below(calls, 600);
    for (int i = 0; i < 6; i++) x[i] = 0.1, least[i] = -1, most[i] = i == 2 ? 0.5 : 3;  /* an active bound */
    tamis_lbfgs(6, x, least, most, &how, rosenbrock, &calls, work);
    double g[6];
    rosenbrock(&calls, x, g);
    assert_true(x[2] == 0.5);
    assert_below(g[2], 0);
    for (int i = 0; i < 6; i++)
        if (i != 2) assert_close(g[i], 0, 1e-5);
}

/* times / 2 sum over i, j < n of x_i A_ij x_j, A_ij = 1 / (i + j + 1) + (i == j) i: badly scaled */
struct bowl { size_t n, first; double times; int calls; };

static double bowl(void *arg, const double *x, double *g)
{
    struct bowl *b = arg;
    double value = 0;
    b->calls++;
    for (size_t i = 0; i < b->n; i++) {
        g[i] = 0;
        for (size_t j = 0; j < b->n; j++) {
            double at = (double)(i + j + 2 * b->first);
            g[i] += b->times * x[j] * (1 / (at + 1) + (i == j) * at / 2);
        }
        value += 0.5 * x[i] * g[i];
    }
    return value;
}

static int bowl_calls(struct bowl b, double *work, double ratio)
{
    struct tamis_lbfgs how = {100, 1e-4 * b.times, 2};
    double x[8] = {0.9, -1.1, 1.3, 0.7, -0.8, 1.2, 1.1, -0.6};
    double value = ratio > 0 ? tamis_lbfgs_like(b.n, x, NULL, NULL, &how, bowl, &b, work, ratio)
                             : tamis_lbfgs(b.n, x, NULL, NULL, &how, bowl, &b, work);
    assert_below(value, 1e-3 * b.times);
    return b.calls;
}

/* The curvature of a function serves a multiple of it, and its restriction to the last variables. */
static void lbfgs_keeps_curvature(void **state)
{
    double work[400], fresh[400];
    const size_t keep[] = {2, 3, 4, 5, 6, 7};
    (void)state;
    assert_at_most(tamis_lbfgs_size(8), 400);
    bowl_calls((struct bowl){8, 0, 1, 0}, work, 0);
    int again = bowl_calls((struct bowl){8, 0, 300, 0}, work, 300);
    tamis_lbfgs_narrow(8, keep, 6, work);
    int narrow = bowl_calls((struct bowl){6, 2, 300, 0}, work, 1);
    assert_below(again, bowl_calls((struct bowl){8, 0, 300, 0}, fresh, 0));
    assert_below(narrow, bowl_calls((struct bowl){6, 2, 300, 0}, fresh, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(likelihood_is_the_naive_one), cmocka_unit_test(gradient_is_that_of_differences),
        cmocka_unit_test(residuals_are_those_of_refits), cmocka_unit_test(weights_are_copies),
        cmocka_unit_test(lbfgs_finds_the_valley), cmocka_unit_test(lbfgs_keeps_curvature)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
