/* Random draws against theory, densities against identities, the Fourier transform, the diagnostics of chains. */
#include "base/rng_dist.h"
#include "num/density.h"
#include "num/diagnose.h"
#include "num/fft.h"
#include "unit.h"

/* ---- draws and densities ---- */

static void mean_is(double sum, double squares, size_t n, double want)
{
    double mean = sum / (double)n, sd = sqrt(fmax(squares / (double)n - mean * mean, 1e-30));
    if (!(fabs(mean - want) <= 5 * sd / sqrt((double)n)))
        fail_msg("mean %.6g, want %.6g, standard error %.2g", mean, want, sd / sqrt((double)n));
}

static void draws_follow_theory(void **state)
{
    static const double shapes[] = {0.05, 0.2, 0.9, 1, 2.5, 40}, least[] = {0, 0.01, 0.8, 3, 60};
    enum { DRAWS = 40000 };
    struct tamis_rng r;
    (void)state;
    tamis_rng_init(&r, 8, TAMIS_RNG_TEST, 0);
    for (size_t i = 0; i < 6; i++)
        for (size_t j = 0; j < 5; j++) {
            double a = shapes[i], c = least[j], s = 0, s2 = 0, l = 0, l2 = 0;
            if (c > 0 && tamis_log_gamma_tail(a, c) < -300) continue;
            for (int k = 0; k < DRAWS; k++) {
                double x = tamis_rng_gamma_above(&r, a, c), y = 1 / (1 + x);
                assert_at_least(x, c);
                s += x, s2 += x * x, l += y, l2 += y * y;
            }
            /* E(X | X > c) = a Q(a + 1, c) / Q(a, c) */
            mean_is(s, s2, DRAWS, a * exp(tamis_log_gamma_tail(a + 1, c) - tamis_log_gamma_tail(a, c)));
        }
    double b = 0, b2 = 0, e = 0, e2 = 0, p[3], d = 0, d2 = 0, weight[] = {1, 0, 3}, seen[3] = {0},
           count[] = {0.5, 2, 0};
    for (int k = 0; k < DRAWS; k++) {
        double x = tamis_rng_beta(&r, 2, 0.7), y = tamis_rng_exponential(&r);
        tamis_rng_dirichlet(&r, 3, 1, count, p);
        assert_near(p[0] + p[1] + p[2], 1, 1e-12);
        b += x, b2 += x * x, e += y, e2 += y * y, d += p[1], d2 += p[1] * p[1];
        seen[tamis_rng_categorical(&r, 3, weight)]++;
    }
    mean_is(b, b2, DRAWS, 2 / 2.7);
    mean_is(e, e2, DRAWS, 1);
    mean_is(d, d2, DRAWS, 3 / 5.5);
    assert_true(seen[1] == 0);
    mean_is(seen[0], seen[0], DRAWS, 0.25);
}

static void densities_agree_with_identities(void **state)
{
    static const double a[] = {0.05, 0.2, 1, 2.5, 8.2, 60}, x[] = {1e-4, 0.3, 1, 5, 40, 200};
    (void)state;
    for (size_t i = 0; i < 6; i++) {
        assert_near(tamis_log_gamma(a[i]), lgamma(a[i]), 1e-13);
        for (size_t j = 0; j < 6; j++) {
            assert_near(tamis_log_gamma_tail(1, x[j]), -x[j], 1e-12);
            double more = a[i] * log(x[j]) - x[j] -
                          lgamma(a[i] + 1); /* Q(a + 1, x) = Q(a, x) + x^a e^-x / Gamma(a + 1) */
            assert_near(tamis_log_gamma_tail(a[i] + 1, x[j]), tamis_log_add(tamis_log_gamma_tail(a[i], x[j]), more),
                        1e-10);
        }
    }
    double sum = 0, step = 1e-3;
    for (double t = step / 2; t < 1; t += step) sum += step * exp(tamis_log_beta_density(t, 2.3, 1.7));
    assert_near(sum, 1, 1e-4);
    sum = 0;
    for (double t = step / 2; t < 40; t += step) sum += step * exp(tamis_log_gamma_density(t, 2.3, 1.7));
    assert_near(sum, 1, 1e-6);
    assert_near(tamis_log_dirichlet_density(3, (double[]){0.2, 0.3, 0.5}, 1), log(2), 1e-12);
    assert_near(tamis_log_add(-1000, -1000), -1000 + log(2), 1e-12);
    assert_near(tamis_binomial_test(11, 4), 2 * 1941 / 32768.0, 1e-12); /* the paper's Ionosphere: not significant */
    assert_near(tamis_binomial_test(0, 2), 0.5, 1e-12);
    assert_near(tamis_binomial_test(10, 10), 1, 0);
    assert_near(tamis_binomial_test(0, 0), 1, 0);
    assert_below(tamis_binomial_test(1000, 1200), 1e-4);
    assert_true(tamis_binomial_test(40, 2) == tamis_binomial_test(2, 40));
}

static void transform_is_the_sum(void **state)
{
    enum { MOST = 64 };
    double z[2 * MOST], given[2 * MOST], root[MOST];
    struct tamis_rng r;
    (void)state;
    tamis_rng_init(&r, 9, TAMIS_RNG_TEST, 0);
    assert_true(tamis_fft_length(1) == 1 && tamis_fft_length(2) == 2 && tamis_fft_length(33) == 64 &&
                tamis_fft_length(64) == 64);
    for (size_t n = 2; n <= MOST; n *= 2) {
        for (size_t i = 0; i < 2 * n; i++) z[i] = given[i] = tamis_rng_normal(&r);
        tamis_fft_roots(n, root);
        tamis_fft(n, root, z);
        for (size_t k = 0; k < n; k++) {
            double re = 0, im = 0;
            for (size_t j = 0; j < n; j++) {
                double angle = -2 * M_PI * (double)(j * k % n) / (double)n;
                re += given[2 * j] * cos(angle) - given[2 * j + 1] * sin(angle);
                im += given[2 * j] * sin(angle) + given[2 * j + 1] * cos(angle);
            }
            assert_near(z[2 * k], re, 1e-12);
            assert_near(z[2 * k + 1], im, 1e-12);
        }
    }
}

static void diagnoses_agree_with_theory(void **state)
{
    enum { T = 4000, C = 4 };
    double *x = malloc(T * C * sizeof *x), *work = malloc(tamis_diagnose_size(T, C) * sizeof *work);
    struct tamis_diagnosis d;
    struct tamis_rng r;
    (void)state;
    tamis_rng_init(&r, 2, TAMIS_RNG_TEST, 0);
    for (size_t i = 0; i < T * C; i++) x[i] = tamis_rng_normal(&r);
    tamis_diagnose(T, C, x, work, &d);
    assert_below(d.rhat, 1.01);
    assert_between(d.ess, 0.85 * T * C, 1.2 * T * C);
    assert_close(d.mcse, d.sd / sqrt(d.ess), 1e-12);
    assert_true(!d.constant);
    for (size_t i = 0; i < T * C; i++) x[i] = i % T ? 0.9 * x[i - 1] + x[i] : x[i] / sqrt(0.19);
    tamis_diagnose(T, C, x, work, &d); /* autocorrelation 0.9: 1/19 of the draws */
    assert_below(d.rhat, 1.05);
    assert_between(d.ess, 0.7 * T * C / 19, 1.4 * T * C / 19);
    for (size_t i = 0; i < T; i++) x[i] += 6;
    tamis_diagnose(T, C, x, work, &d);
    assert_above(d.rhat, 1.3);
    assert_below(d.ess, 20);
    for (size_t i = 0; i < T * C; i++) x[i] = (i / T == 0 ? 5 : 1) * tamis_rng_normal(&r);
    tamis_diagnose(T, C, x, work, &d);
    assert_above(d.rhat, 1.1); /* same mean, other spread: folding detects it */
    for (size_t i = 0; i < T * C; i++) x[i] = tamis_rng_uniform(&r) < 0.3;
    tamis_diagnose(T, C, x, work, &d);
    assert_below(d.rhat, 1.01);
    assert_above(d.ess, 0.85 * T * C);
    assert_close(d.mean, 0.3, 0.02);
    for (size_t i = 0; i < T * C; i++) x[i] = 7;
    tamis_diagnose(T, C, x, work, &d);
    assert_true(d.constant && d.rhat == 1 && d.ess == T * C && d.mcse == 0);
    free(x);
    free(work);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(draws_follow_theory),
        TEST(densities_agree_with_identities),
        TEST(transform_is_the_sum),
        TEST(diagnoses_agree_with_theory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
