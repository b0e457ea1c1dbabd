/* The mixture behind rjmcmc: known densities, jump ratios and full conditionals; gradients against differences. */
#include "base/rng_dist.h"
#include "cases_rjmcmc.h"
#include "method/rjmcmc/mixture_target.h"
#include "num/density.h"
#include "unit.h"

/* ---- the known problem of four inputs ---- */

enum { N = 9, M = 4, K = 3, D = 4 };

static struct tamis_mixture *case_mixture(tamis_context *cx, int mode, double beta_min)
{
    static const size_t width[M] = {1, 1, 1, 1};
    struct tamis_mixture_settings set = {mode, TAMIS_WEIGHTS_KEEP, D, 0, 2, 0.2, 3, 0};
    struct tamis_mixture *m = tamis_mixture_sized(cx, N, M, K, width, &set);
    double x[N * M], y[N];
    assert_non_null(m);
    for (size_t c = 0; c < M; c++) {
        m->h[c] = case_h[c], m->xi[c] = case_xi[c], m->kappa[c] = case_kappa[c], m->beta_min[c] = beta_min;
        for (size_t n = 0; n < N; n++) x[n + N * c] = case_x[n * M + c];
    }
    for (size_t n = 0; n < N; n++) y[n] = case_y[n] < 0 ? K : case_y[n];
    tamis_mixture_prior(m);
    m->prior_share = 0.2;
    tamis_mixture_rows(m, x, y, NULL);
    return m;
}

static void state_inputs(struct tamis_mixture_state *s, unsigned set)
{
    for (size_t i = 0; i < s->mix->inputs; i++)
        if (tamis_mixture_has(s, i) != (int)(set >> i & 1)) tamis_mixture_state_toggle(s, i);
}

static struct tamis_mixture_state *case_state(tamis_context *cx, const struct tamis_mixture *m)
{
    struct tamis_mixture_state *s = tamis_mixture_state_new(cx, m);
    assert_non_null(s);
    for (size_t c = 0; c < M; c++) {
        s->beta[c] = case_beta[c];
        for (size_t d = 0; d < D; d++) s->mu[d + D * c] = case_mu[d * M + c], s->tau[d + D * c] = case_tau[d * M + c];
    }
    memcpy(s->w, case_w, sizeof case_w);
    memcpy(s->p, case_p, sizeof case_p);
    state_inputs(s, 1 | 4);
    tamis_mixture_state_settle(s);
    return s;
}

/* Sums over rows allocated by z, as a state sums its shares. */
static void sums_of(const struct tamis_mixture *m, const double *z, size_t column, double *sum)
{
    memset(sum, 0, 3 * D * sizeof *sum);
    for (size_t n = 0; n < N; n++) {
        double x = m->x[m->place[n] + m->r.n * column], *s = sum + 3 * (size_t)z[n];
        s[0]++, s[1] += x, s[2] += x * x;
    }
}

static void likelihoods_are_the_known_ones(void **state)
{
    for (int mode = 0; mode < 2; mode++) {
        struct tamis_mixture *m = case_mixture(*state, mode, 0);
        struct tamis_mixture_state *s = case_state(*state, m);
        for (size_t n = 0; n < N; n++) {
            size_t at = m->place[n];
            for (size_t d = 0; d < D; d++)
                assert_near(s->now.l[at + m->r.n * d] - log(2 * M_PI), want_log_kernels[n * D + d], 1e-9);
            if (case_y[n] >= 0) {
                size_t k = (size_t)case_y[n];
                assert_near(log(s->now.f[at]) + s->now.m[at] - log(2 * M_PI), want_log_class_density[n * K + k], 1e-9);
                assert_near(s->p[k] * s->now.f[at] / s->now.s[at], want_class_posterior[n * K + k], 1e-9);
            }
        }
        if (mode == TAMIS_CONDITIONAL) assert_near(s->energy, want_conditional, 1e-9);
        else {
            double all = 0;
            for (size_t i = 0; i < M; i++) {
                assert_near(m->log_m[i], want_log_background_beta_min_0[i], 1e-6);
                all += m->log_m[i];
            }
            assert_near(s->energy + m->log_m[0] + m->log_m[2], want_joint, 1e-9);
            assert_near(s->energy + all, want_joint_background, 1e-6);
        }
        for (size_t i = 0; i <= M; i++) assert_near(tamis_mixture_log_size(m, i), want_log_prior_size[i], 1e-9);
        assert_near(tamis_mixture_log_tau(m, 0, s->tau), want_log_tau, 1e-9);
        tamis_mixture_state_free(s);
        tamis_mixture_free(m);
    }
    struct tamis_mixture *m = case_mixture(*state, TAMIS_BACKGROUND, 0.02);
    struct tamis_mixture_state *s = case_state(*state, m);
    for (size_t i = 0; i < M; i++) assert_near(m->log_m[i], want_log_background_beta_min_0_02[i], 1e-6);
    assert_near(tamis_mixture_log_tau(m, 0, s->tau), want_log_tau_min, 1e-9);
    tamis_mixture_state_free(s);
    tamis_mixture_free(m);
}

static void jumps_have_the_known_ratios(void **state)
{
    for (int mode = 0; mode < 2; mode++) {
        struct tamis_mixture *m = case_mixture(*state, mode, 0);
        struct tamis_mixture_state *s = case_state(*state, m);
        double sum[3 * D], before = s->energy, after, shift = 0, w[D * K], prior, proposal;
        memcpy(s->mu + D * 3, case_birth_mu, sizeof case_birth_mu);
        memcpy(s->tau + D * 3, case_birth_tau, sizeof case_birth_tau);
        sums_of(m, case_z, 3, sum);
        prior = tamis_mixture_log_prior(m, 3, case_birth_mu, case_birth_tau);
        proposal = tamis_mixture_log_proposal(m, 3, sum, 1, case_birth_mu, case_birth_tau);
        assert_near(prior, want_prior_input, 1e-9);
        assert_near(proposal, want_proposal_input, 1e-9);
        state_inputs(s, 1 | 4 | 8);
        tamis_mixture_state_settle(s);
        after = s->energy;
        assert_near(after - before + log(3.0 / 3), want_birth[mode][0].keep, 1e-6);
        assert_near(after - before + prior - proposal, want_birth[mode][1].keep, 1e-6);
        for (size_t k = 0; k < K; k++)
            shift += tamis_mixture_shift(D, case_w + D * k, eq4_deltas + D / 2 * k, 1, w + D * k);
        for (size_t i = 0; i < D * K; i++) assert_near(w[i], eq4_w_birth[i], 1e-12);
        assert_near(shift, want_eq4, 1e-8);
        memcpy(s->w, w, sizeof w);
        tamis_mixture_state_settle(s);
        assert_near(s->energy - before + shift, want_birth[mode][0].shift, 1e-6);
        assert_near(s->energy - before + shift + prior - proposal, want_birth[mode][1].shift, 1e-6);
        tamis_mixture_state_free(s);
        tamis_mixture_free(m);
    }
}

static void shifts_that_break_the_order_are_refused(void **state)
{
    static const double w2[] = {0.7, 0.3}, w4[] = {0.6, 0.2, 0.15, 0.05}, big[] = {0.8}, mixed[] = {0.4, 0.1},
                        small[] = {0.1};
    double out[4];
    (void)state;
    assert_true(tamis_mixture_shift(2, w2, big, 1, out) == -INFINITY);
    assert_near(out[0], 0.14, 1e-12);
    assert_true(tamis_mixture_shift(4, w4, mixed, 1, out) == -INFINITY);
    double there = tamis_mixture_shift(2, w2, small, 1, out), w[2], back[] = {0.07 / 0.37};
    assert_near(there, -0.3016628085130535, 1e-10);
    assert_near(tamis_mixture_shift(2, out, back, 0, w), -there, 1e-10);
    assert_near(w[0], 0.7, 1e-12);
}

/* Input 2 leaves, input 1 enters; means and precisions given. */
static void exchanges_have_the_known_ratios(void **state)
{
    for (int mode = 0; mode < 3; mode++) {
        struct tamis_mixture *m = case_mixture(*state, mode > 0, mode == 2 ? 0.02 : 0);
        struct tamis_mixture_state *s = case_state(*state, m);
        double there[3 * D], back[3 * D], tau[D], old_mu[D], old_tau[D], before = s->energy, ratio = 0,
                                                                         r = case_h[1] / case_h[2];
        memcpy(old_mu, s->mu + D * 2, sizeof old_mu);
        memcpy(old_tau, s->tau + D * 2, sizeof old_tau);
        for (size_t d = 0; d < D; d++) tau[d] = old_tau[d] * r;
        memcpy(s->mu + D, exchange_mu, sizeof exchange_mu);
        memcpy(s->tau + D, tau, sizeof tau);
        sums_of(m, case_z, 1, there);
        sums_of(m, case_z2, 2, back);
        for (size_t d = 0; d < D; d++)
            ratio += tamis_log_normal(exchange_mu[d], m->xi[1], m->kappa[1]) -
                     tamis_log_normal(old_mu[d], m->xi[2], m->kappa[2]);
        ratio += tamis_mixture_log_means(m, 2, back, 1, old_tau, old_mu) -
                 tamis_mixture_log_means(m, 1, there, 1, tau, exchange_mu) + m->log_tail[2] - m->log_tail[1];
        state_inputs(s, 1 | 2);
        tamis_mixture_state_settle(s);
        assert_near(s->energy - before + ratio, mode == 2 ? want_carry_min : want_carry[mode], 1e-6);
        if (mode < 2) {
            memcpy(s->tau + D, exchange_tau, sizeof exchange_tau);
            tamis_mixture_state_settle(s);
            double both = s->energy - before + tamis_mixture_log_prior(m, 1, exchange_mu, exchange_tau) -
                          tamis_mixture_log_proposal(m, 1, there, 1, exchange_mu, exchange_tau) -
                          tamis_mixture_log_prior(m, 2, old_mu, old_tau) +
                          tamis_mixture_log_proposal(m, 2, back, 1, old_mu, old_tau);
            assert_near(both, want_exchange[mode], 1e-6);
        }
        tamis_mixture_state_free(s);
        tamis_mixture_free(m);
    }
}

/* Combined computations against their parts; intermediate powers far exceed a double's range. */
static void shortcuts_agree_with_their_parts(void **state)
{
    static const double far[] = {1e280, 3.7e-250, 2.5e279, 1e-280, 7e-281, 0.3}, factor[] = {1e-3, 0.7, 1, 45};
    double all = 0;
    for (size_t i = 0; i < 6; i++) assert_near(tamis_mix_log_product(i + 1, far), all += log(far[i]), 1e-12);
    for (int least = 0; least < 2; least++) {
        struct tamis_mixture *m = case_mixture(*state, TAMIS_BACKGROUND, 0.02 * least);
        struct tamis_mixture_state *s = case_state(*state, m);
        for (size_t i = 0; i < 4; i++) {
            double tau[D];
            for (size_t d = 0; d < D; d++) tau[d] = factor[i] * s->tau[d];
            double tails = 0, rate = tamis_mixture_rate_scaled(m, 0, s->tau, factor[i], &tails);
            assert_near(tails + tamis_mixture_log_scaled(m, 1, &rate, log(factor[i])),
                 tamis_mixture_log_tau(m, 0, tau) - tamis_mixture_log_tau(m, 0, s->tau), 1e-10);
        }
        tamis_mixture_state_free(s);
        tamis_mixture_free(m);
    }
}

/* The energies that moves update by differences are those of the parameters. */
static void energies_do_not_drift(void **state)
{
    struct tamis_rng rng;
    double scale[TAMIS_MCMC_MOVES];
    tamis_rng_init(&rng, 6, TAMIS_RNG_TEST, 0);
    for (size_t j = 0; j < TAMIS_MCMC_MOVES; j++) scale[j] = 0.3;
    for (int mode = 0; mode < 2; mode++) {
        struct tamis_mixture *m = case_mixture(*state, mode, 0.02);
        struct tamis_mixture_state *s = case_state(*state, m);
        for (int i = 0; i < 200; i++) {
            tamis_mcmc_sweep(&tamis_mixture_target, 5, s, 0.7, scale, &rng, NULL);
            double kept = s->energy;
            tamis_mixture_state_settle(s);
            assert_near(kept, s->energy, 1e-6);
        }
        tamis_mixture_state_free(s);
        tamis_mixture_free(m);
    }
}

/* ---- gradients ---- */

static void gradients_are_differences(void **state)
{
    struct tamis_rng rng;
    tamis_rng_init(&rng, 5, TAMIS_RNG_TEST, 0);
    for (int mode = 0; mode < 2; mode++)
        for (double heat = 0.3; heat < 1.1; heat += 0.7) {
            struct tamis_mixture *m = case_mixture(*state, mode, 0);
            struct tamis_mixture_state *s = case_state(*state, m);
            tamis_mixture_candidate_start(s, &rng);
            tamis_mixture_candidate_level(s, heat);
            tamis_mixture_candidate_gradient(s, &s->next, heat);
            double *position[] = {s->y, s->y + D, s->y + 2 * D, s->y + 3 * D, s->y + 4 * D};
            double *gradient[] = {s->slope, s->slope + D, s->slope + 2 * D, s->slope + 3 * D, s->slope + 4 * D};
            double kept[(D + 1) * K];
            for (size_t b = 0; b < 5; b++) {
                size_t n = b < 4 ? D : (D + 1) * K;
                memcpy(kept, gradient[b], n * sizeof *kept);
                for (size_t i = 0; i < n; i++) {
                    double x = position[b][i], step = 1e-5, up, down;
                    position[b][i] = x + step;
                    up = tamis_mixture_candidate_level(s, heat);
                    position[b][i] = x - step;
                    down = tamis_mixture_candidate_level(s, heat);
                    position[b][i] = x;
                    assert_near(kept[i], (up - down) / (2 * step), 1e-6);
                }
            }
            tamis_mixture_state_free(s);
            tamis_mixture_free(m);
        }
}

/* ---- full conditionals ---- */

static void full_conditionals_are_the_known_ones(void **state)
{
    struct tamis_mixture *m = case_mixture(*state, TAMIS_BACKGROUND, 0);
    struct tamis_mixture_state *s = case_state(*state, m);
    struct tamis_rng rng;
    static const size_t column[2] = {0, 2};
    double sum[3 * D], mean[D];
    tamis_rng_init(&rng, 3, TAMIS_RNG_TEST, 0);
    tamis_mix_shares(&m->r, D, s->w, s->v, K, &s->now, s->share);
    for (size_t n = 0; n < N; n++)
        for (size_t d = 0; case_y[n] >= 0 && d < D; d++)
            assert_near(s->share[m->place[n] + m->r.n * d], want_kernel_probabilities_given_class[n * D + d], 1e-9);
    for (size_t i = 0; i < 2; i++) {
        double level = 0, squares = 0;
        sums_of(m, case_z, column[i], sum);
        for (size_t d = 0; d < D; d++) {
            assert_near(sum[3 * d], want_n_per_kernel[d], 1e-12);
            mean[d] = want_mu_mean[d * 2 + i];
            level += 0.5 * log(want_mu_precision[d * 2 + i] / (2 * M_PI));
        }
        assert_near(tamis_mixture_log_means(m, column[i], sum, 1, s->tau + D * column[i], mean), level, 1e-9);
        for (size_t d = 0; d < D; d++) {
            double a = m->set.alpha + 0.5 * sum[3 * d], mu = s->mu[d + D * column[i]];
            squares = sum[3 * d + 2] - 2 * mu * sum[3 * d + 1] + mu * mu * sum[3 * d];
            assert_near(a, want_tau_shape[d], 1e-12);
            assert_near(s->beta[column[i]] + 0.5 * squares, want_tau_rate[d * 2 + i], 1e-9);
        }
        enum { DRAWS = 40000 };
        double all = 0, rate = want_beta_rate[i];
        for (int k = 0; k < DRAWS; k++)
            all += tamis_mixture_draw_beta(m, column[i], s->tau + D * column[i], &rng) / DRAWS;
        assert_near(all, want_beta_shape / rate, 5 * sqrt(want_beta_shape) / rate / sqrt(DRAWS));
    }
    tamis_mixture_state_free(s);
    tamis_mixture_free(m);
}

/* The precisions and means that a Gibbs move draws, where only one allocation is possible: one kernel. */
static void gibbs_draws_have_the_known_moments(void **state)
{
    static const size_t width[1] = {1};
    static const double x[] = {0.3, -0.7, 1.9, 0.4, 1.1, -0.2}, y[] = {0, 1, 0, 1, 0, 1};
    struct tamis_mixture_settings set = {TAMIS_BACKGROUND, TAMIS_WEIGHTS_KEEP, 1, 0, 2, 0.5, 1, 0};
    struct tamis_mixture *m = tamis_mixture_sized(*state, 6, 1, 2, width, &set);
    enum { DRAWS = 40000 };
    struct tamis_rng rng;
    double tau = 0, p = 0, rate = 0.8, mu = 0.25;
    m->h[0] = 0.5, m->kappa[0] = 0.2, m->xi[0] = 0.1;
    tamis_mixture_prior(m);
    tamis_mixture_rows(m, x, y, NULL);
    struct tamis_mixture_state *s = tamis_mixture_state_new(*state, m);
    tamis_rng_init(&rng, 4, TAMIS_RNG_TEST, 0);
    tamis_mixture_state_prior(s, &rng);
    state_inputs(s, 1);
    for (size_t n = 0; n < 6; n++) rate += 0.5 * (x[n] - mu) * (x[n] - mu);
    for (int i = 0; i < DRAWS; i++) {
        s->mu[0] = mu, s->tau[0] = 1, s->beta[0] = 0.8, s->w[0] = s->w[1] = 1;
        tamis_mixture_state_settle(s);
        assert_true(tamis_mixture_gibbs(s, 1, 0, &rng) == INFINITY);
        tau += s->tau[0] / DRAWS, p += s->p[0] / DRAWS;
    }
    assert_near(tau, 5 / rate, 5 * sqrt(5) / rate / sqrt(DRAWS));                      /* Ga(2 + 6/2, beta + SS/2) */
    assert_near(p, 0.5, 5 * sqrt(0.25 / 9) / sqrt(DRAWS));                             /* Dirichlet(1 + 3, 1 + 3) */
    tamis_mixture_state_free(s);
    tamis_mixture_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(likelihoods_are_the_known_ones),
        TEST(jumps_have_the_known_ratios),
        TEST(shifts_that_break_the_order_are_refused),
        TEST(exchanges_have_the_known_ratios),
        TEST(full_conditionals_are_the_known_ones),
        TEST(gibbs_draws_have_the_known_moments),
        TEST(gradients_are_differences),
        TEST(shortcuts_agree_with_their_parts),
        TEST(energies_do_not_drift),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
