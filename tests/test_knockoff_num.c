/* The numbers behind knockoffs, against plain loops and brute force. */
#include "num/group_lasso.h"
#include "num/knockoff.h"
#include "unit.h"

/* A covariance with ones on the diagonal from `rank` + d random factors, d x d. */
static double *some_sigma(size_t d, uint64_t seed)
{
    size_t m = d + 3;
    double *f = normal_numbers(d * m, seed), *s = calloc(d * d, sizeof *s);
    for (size_t i = 0; i < d; i++)
        for (size_t j = 0; j < d; j++)
            for (size_t k = 0; k < m; k++) s[i + d * j] += f[i + d * k] * f[j + d * k];
    tamis_correlate(d, 0.05, s);
    free(f);
    return s;
}

/* A^-1 by Gauss and Jordan. */
static double *inverse_of(size_t d, const double *from)
{
    double *a = malloc(d * d * sizeof *a), *x = calloc(d * d, sizeof *x);
    memcpy(a, from, d * d * sizeof *a);
    for (size_t i = 0; i < d; i++) x[i + d * i] = 1;
    for (size_t k = 0; k < d; k++) {
        double pivot = a[k + d * k];
        for (size_t j = 0; j < d; j++) a[k + d * j] /= pivot, x[k + d * j] /= pivot;
        for (size_t i = 0; i < d; i++) {
            double ratio = i == k ? 0 : a[i + d * k];
            for (size_t j = 0; j < d; j++) a[i + d * j] -= ratio * a[k + d * j], x[i + d * j] -= ratio * x[k + d * j];
        }
    }
    free(a);
    return x;
}

/* ---- covariance ---- */

static void shrinkage_is_that_of_ledoit_and_wolf(void **state)
{
    enum { D = 7, N = 40 };
    double *z = normal_numbers(D * N, 3), s[D * D] = {0}, distance = 0, noise = 0, trace = 0, fourth = 0;
    (void)state;
    for (size_t i = 0; i < N; i++) z[1 + D * i] += 0.8 * z[D * i];
    for (size_t i = 0; i < D * D; i++)
        for (size_t r = 0; r < N; r++) s[i] += z[i % D + D * r] * z[i / D + D * r] / N;
    for (size_t j = 0; j < D; j++) trace += s[j + D * j];
    for (size_t i = 0; i < D * D; i++) distance += pow(s[i] - (i % D == i / D ? trace / D : 0), 2);
    for (size_t r = 0; r < N; r++) {
        double length = 0;
        for (size_t i = 0; i < D * D; i++) noise += pow(z[i % D + D * r] * z[i / D + D * r] - s[i], 2) / (N * N);
        for (size_t j = 0; j < D; j++) length += z[j + D * r] * z[j + D * r];
        fourth += length * length;
    }
    assert_below(noise, distance);
    assert_near(tamis_shrink_weight(D, N, NULL, s, fourth), noise / distance, 1e-12);
    double sigma[D * D], lambda = tamis_shrink(D, N, NULL, z, sigma, NULL), m = trace / D;
    assert_near(lambda, noise / distance, 1e-12);
    double a = (1 - lambda) * s[0] + lambda * m, b = (1 - lambda) * s[1 + D] + lambda * m;
    assert_near(sigma[1], (1 - lambda) * s[1] / sqrt(a * b), 1e-12);
    assert_close(sigma[0], 1, 0);
    free(z);
}

static void more_inputs_than_rows_and_copies_have_a_covariance(void **state)
{
    enum { D = 30, N = 8 };
    double *z = normal_numbers(D * N, 5), sigma[D * D], s[D], work[2 * D * D];
    (void)state;
    for (size_t i = 0; i < N; i++) z[3 + D * i] = z[4 + D * i];
    tamis_shrink(D, N, NULL, z, sigma, NULL);
    assert_int_equal(tamis_knockoff_mvr(D, sigma, s, work), 0);
    assert_true(tamis_knockoff_feasible(D, sigma, s, work));
    free(z);
}

/* ---- distance ---- */

/* tr G^-1 of the joint covariance of originals and knockoffs. */
static double joint_trace(size_t d, const double *sigma, const double *s)
{
    size_t m = 2 * d;
    double *g = malloc(m * m * sizeof *g), sum = 0;
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < m; j++)
            g[i + m * j] = sigma[i % d + d * (j % d)] - (i % d == j % d && i != j ? s[i % d] : 0);
    double *inverse = inverse_of(m, g);
    for (size_t i = 0; i < m; i++) sum += inverse[i + m * i];
    free(g), free(inverse);
    return sum;
}

static void mvr_minimises_the_trace_of_the_inverse(void **state)
{
    enum { D = 6 };
    (void)state;
    for (uint64_t seed = 1; seed < 5; seed++) {
        double *sigma = some_sigma(D, seed), s[D], work[2 * D * D];
        assert_int_equal(tamis_knockoff_mvr(D, sigma, s, work), 0);
        double least = joint_trace(D, sigma, s);
        for (size_t j = 0; j < D; j++)
            for (int sign = -1; sign < 2; sign += 2) {
                double before = s[j];
                s[j] *= 1 + 0.01 * sign;
                if (tamis_knockoff_feasible(D, sigma, s, work)) assert_above(joint_trace(D, sigma, s), least);
                s[j] = before;
            }
        assert_int_equal(tamis_knockoff_equal(D, sigma, s, work), 0);
        assert_above(joint_trace(D, sigma, s) * (1 + 1e-12), least);
        free(sigma);
    }
}

static void independent_inputs_have_independent_knockoffs(void **state)
{
    enum { D = 4 };
    double sigma[D * D] = {0}, s[D], work[2 * D * D];
    (void)state;
    for (size_t j = 0; j < D; j++) sigma[j + D * j] = 1;
    assert_int_equal(tamis_knockoff_mvr(D, sigma, s, work), 0);
    for (size_t j = 0; j < D; j++) assert_close(s[j], 1, 1e-4);
}

static void equal_distances_are_twice_the_least_eigenvalue(void **state)
{
    enum { D = 5 };
    double sigma[D * D], s[D], work[2 * D * D];
    (void)state;
    for (size_t i = 0; i < D * D; i++) sigma[i] = i % D == i / D ? 1 : 0.7;     /* eigenvalues 0.3 and 1 + 4 * 0.7 */
    assert_int_equal(tamis_knockoff_equal(D, sigma, s, work), 0);
    for (size_t j = 0; j < D; j++) assert_close(s[j], 0.6, 1e-9);
    for (size_t i = 0; i < D * D; i++) sigma[i] = i % D == i / D ? 1 : 0.2;
    assert_int_equal(tamis_knockoff_equal(D, sigma, s, work), 0);
    assert_close(s[0], 1, 0);
    for (size_t j = 0; j < D; j++) s[j] = 1.61;                                 /* past 2 * 0.8 */
    assert_false(tamis_knockoff_feasible(D, sigma, s, work));
    sigma[1] = sigma[D] = 2;                                                    /* not a covariance */
    assert_int_equal(tamis_knockoff_equal(D, sigma, s, work), 1);
    assert_int_equal(tamis_knockoff_mvr(D, sigma, s, work), 1);
}

/* Cov(B x + L e) = Sigma and Cov(B x + L e, x) = Sigma - S. */
static void the_law_has_the_covariances_asked_for(void **state)
{
    enum { D = 5 };
    double *sigma = some_sigma(D, 9), s[D], b[D * D], l[D * D], work[2 * D * D];
    (void)state;
    assert_int_equal(tamis_knockoff_mvr(D, sigma, s, work), 0);
    assert_int_equal(tamis_knockoff_law(D, sigma, s, b, l, work), 0);
    for (size_t i = 0; i < D; i++)
        for (size_t j = 0; j < D; j++) {
            double cross = 0, own = 0;
            for (size_t k = 0; k < D; k++) {
                cross += b[i + D * k] * sigma[k + D * j];
                own += l[i + D * k] * l[j + D * k];
                for (size_t m = 0; m < D; m++) own += b[i + D * k] * sigma[k + D * m] * b[j + D * m];
            }
            assert_close(cross, sigma[i + D * j] - (i == j ? s[i] : 0), 1e-10);
            assert_close(own, sigma[i + D * j], 1e-10);
        }
    free(sigma);
}

/* ---- choice ---- */

static double ratio(size_t d, const double *w, double t)
{
    double above = 0, below = 0;
    for (size_t j = 0; j < d; j++) above += w[j] >= t, below += w[j] <= -t;
    return (1 + below) / fmax(1, above);
}

static void thresholds_are_those_of_a_fine_scan(void **state)
{
    enum { D = 60 };
    (void)state;
    for (uint64_t seed = 1; seed < 20; seed++) {
        double *w = normal_numbers(D, seed), q = seed % 2 ? 0.1 : 0.3, t = INFINITY;
        for (size_t j = 0; j < 30; j++) w[j] += 2.5;
        w[40] = 0;
        for (size_t k = 1; k < 60000; k++)
            if (ratio(D, w, 1e-4 * (double)k) <= q) {
                t = 1e-4 * (double)k;
                break;
            }
        double found = tamis_knockoff_threshold(D, w, q);
        if (isinf(t)) assert_true(isinf(found));
        else assert_true(found >= t - 1e-4 && ratio(D, w, found) <= q && ratio(D, w, found) == ratio(D, w, t));
        free(w);
    }
    double none[3] = {-1, 0, -2};
    assert_true(isinf(tamis_knockoff_threshold(3, none, 0.5)));
}

static void one_draw_joined_is_knockoff_plus(void **state)
{
    enum { D = 60 };
    (void)state;
    for (uint64_t seed = 1; seed < 20; seed++) {
        double *w = normal_numbers(D, seed), e[D] = {0}, q = 0.1;
        unsigned char set[D];
        for (size_t j = 0; j < 30; j++) w[j] += 2.5;
        double t = tamis_knockoff_threshold(D, w, q);
        tamis_knockoff_e_values(D, w, q, e);
        tamis_e_bh(D, e, q, set);
        for (size_t j = 0; j < D; j++) assert_int_equal(set[j], w[j] >= t);
        free(w);
    }
}

/* 12 strong inputs are fewer than 1 / 0.05: knockoff+ would find none, but the draw says which are above all others. */
static void a_draw_that_finds_too_few_still_says_something(void **state)
{
    enum { D = 40 };
    double w[D], e[D] = {0};
    (void)state;
    for (size_t j = 0; j < D; j++) w[j] = j < 12 ? 5 + (double)j : 0;
    assert_true(isinf(tamis_knockoff_threshold(D, w, 0.05)));
    tamis_knockoff_e_values(D, w, 0.05, e);
    for (size_t j = 0; j < D; j++) assert_close(e[j], j < 12 ? D : 0, 0);
    w[20] = -30, w[21] = -1;
    tamis_knockoff_e_values(D, w, 0.05, e);
    assert_close(e[0], D + D / 3.0, 1e-12);             /* 1 is the least t: both negative ones are beyond it */
}

static void e_bh_takes_the_largest_set_that_passes(void **state)
{
    static const struct { double e[5], q; size_t chosen; } cases[] = {
        {{50, 20, 10, 0, 0}, 0.1, 1},   /* d / (q k) = 50, 25, 16.7 */
        {{50, 25, 10, 0, 0}, 0.1, 2},
        {{20, 20, 20, 0, 0}, 0.1, 3},   /* none of rank 1 or 2 passes, but three of 20 do */
        {{49, 24, 16, 12, 9}, 0.1, 0},
        {{10, 10, 10, 10, 10}, 0.1, 5}};
    unsigned char set[5];
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(tamis_e_bh(5, cases[i].e, cases[i].q, set), cases[i].chosen);
        for (size_t j = 0; j < 5; j++) assert_int_equal(set[j], j < cases[i].chosen);
    }
}

/* ---- group lasso ---- */

/* At the solution, H_g' R / n = lambda w_g B_g / |B_g| where B_g is not 0, and is no longer than lambda w_g
 * elsewhere. */
static void the_group_lasso_meets_its_conditions(void **state)
{
    enum { N = 50, P = 9, L = 2, G = 4 };
    static const size_t first[G + 1] = {0, 1, 4, 6, 9};
    static const double weight[G] = {1, 1.7, 1.4, 1.7};
    double *h = normal_numbers(N * P, 4), *r = normal_numbers(N * L, 5), b[P * L] = {0}, bound[G], scratch[6];
    struct tamis_group_lasso t = {N, L, P, G, h, first, weight, bound, b, r, scratch};
    size_t on = 0;
    (void)state;
    for (size_t i = 0; i < N; i++) r[i] += h[i] - h[i + N], h[i + N * 2] += h[i + N];
    tamis_group_lasso_bounds(&t);
    double lambda = 0.3 * tamis_group_lasso_most(&t);
    tamis_group_lasso_solve(&t, lambda, 1e-11, 10000);
    for (size_t g = 0; g < G; g++) {
        double length = tamis_group_lasso_length(&t, g), squares = 0;
        on += length > 0;
        for (size_t o = 0; o < L; o++)
            for (size_t k = first[g]; k < first[g + 1]; k++) {
                double c = 0;
                for (size_t i = 0; i < N; i++) c += h[i + N * k] * r[i + N * o] / N;
                squares += c * c;
                if (length > 0) assert_close(c, lambda * weight[g] * b[k + P * o] / length, 1e-8);
            }
        assert_at_most(sqrt(squares), lambda * weight[g] * (1 + 1e-8));
    }
    assert_int_equal(on > 0 && on < G, 1);
    free(h), free(r);
}

static void the_largest_lambda_leaves_nothing(void **state)
{
    enum { N = 30, P = 4 };
    static const size_t first[3] = {0, 1, 4};
    static const double weight[2] = {1, 1.7};
    double *h = normal_numbers(N * P, 4), *r = normal_numbers(N, 5), b[P] = {0}, bound[2], scratch[3];
    struct tamis_group_lasso t = {N, 1, P, 2, h, first, weight, bound, b, r, scratch};
    (void)state;
    tamis_group_lasso_bounds(&t);
    double most = tamis_group_lasso_most(&t);
    tamis_group_lasso_solve(&t, most * (1 + 1e-12), 1e-12, 100);
    assert_close(tamis_group_lasso_freedom(&t, most), 0, 0);
    tamis_group_lasso_solve(&t, most * 0.999, 1e-12, 1000);
    assert_above(tamis_group_lasso_freedom(&t, most), 0.5);
    free(h), free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shrinkage_is_that_of_ledoit_and_wolf),
        cmocka_unit_test(more_inputs_than_rows_and_copies_have_a_covariance),
        cmocka_unit_test(mvr_minimises_the_trace_of_the_inverse),
        cmocka_unit_test(independent_inputs_have_independent_knockoffs),
        cmocka_unit_test(equal_distances_are_twice_the_least_eigenvalue),
        cmocka_unit_test(the_law_has_the_covariances_asked_for),
        cmocka_unit_test(thresholds_are_those_of_a_fine_scan),
        cmocka_unit_test(one_draw_joined_is_knockoff_plus),
        cmocka_unit_test(a_draw_that_finds_too_few_still_says_something),
        cmocka_unit_test(e_bh_takes_the_largest_set_that_passes),
        cmocka_unit_test(the_group_lasso_meets_its_conditions),
        cmocka_unit_test(the_largest_lambda_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
