/* The reversible-jump sampler: known densities, ratios and posteriors; Geweke's joint distribution test, and proof that it tells a wrong ratio from a
 * right one; diagnostics; draws against theory; the method end to end. TAMIS_LONG=1 runs the long versions. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>
#include "base/rng_dist.h"
#include "cases_rjmcmc.h"
#include "method/mixture.h"
#include "num/density.h"
#include "num/diagnose.h"

static int set_up(void **state) { return !(*state = tamis_context_new()); }
static int tear_down(void **state) { tamis_context_free(*state); return 0; }
static int is_long(void) { return getenv("TAMIS_LONG") != NULL; }

static void near(double got, double want, double tolerance)
{
    if (!(fabs(got - want) <= tolerance * fmax(1, fabs(want)))) fail_msg("got %.15g, want %.15g", got, want);
}

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
    tamis_mixture_rows(m, x, y);
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

/* Sums over rows allocated by z, as the shares of a state are summed. */
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
            for (size_t d = 0; d < D; d++) near(s->now.l[at + m->r.n * d] - log(2 * M_PI), want_log_kernels[n * D + d], 1e-9);
            if (case_y[n] >= 0) {
                size_t k = (size_t)case_y[n];
                near(log(s->now.f[at]) + s->now.m[at] - log(2 * M_PI), want_log_class_density[n * K + k], 1e-9);
                near(s->p[k] * s->now.f[at] / s->now.s[at], want_class_posterior[n * K + k], 1e-9);
            }
        }
        if (mode == TAMIS_CONDITIONAL) near(s->energy, want_conditional, 1e-9);
        else {
            double all = 0;
            for (size_t i = 0; i < M; i++) {
                near(m->log_m[i], want_log_background_beta_min_0[i], 1e-6);
                all += m->log_m[i];
            }
            near(s->energy + m->log_m[0] + m->log_m[2], want_joint, 1e-9);
            near(s->energy + all, want_joint_background, 1e-6);
        }
        for (size_t i = 0; i <= M; i++) near(tamis_mixture_log_size(m, i), want_log_prior_size[i], 1e-9);
        near(tamis_mixture_log_tau(m, 0, s->tau), want_log_tau, 1e-9);
        tamis_mixture_state_free(s);
        tamis_mixture_free(m);
    }
    struct tamis_mixture *m = case_mixture(*state, TAMIS_BACKGROUND, 0.02);
    struct tamis_mixture_state *s = case_state(*state, m);
    for (size_t i = 0; i < M; i++) near(m->log_m[i], want_log_background_beta_min_0_02[i], 1e-6);
    near(tamis_mixture_log_tau(m, 0, s->tau), want_log_tau_min, 1e-9);
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
        near(prior, want_prior_input, 1e-9);
        near(proposal, want_proposal_input, 1e-9);
        state_inputs(s, 1 | 4 | 8);
        tamis_mixture_state_settle(s);
        after = s->energy;
        near(after - before + log(3.0 / 3), want_birth[mode][0].keep, 1e-6);
        near(after - before + prior - proposal, want_birth[mode][1].keep, 1e-6);
        for (size_t k = 0; k < K; k++) shift += tamis_mixture_shift(D, case_w + D * k, eq4_deltas + D / 2 * k, 1, w + D * k);
        for (size_t i = 0; i < D * K; i++) near(w[i], eq4_w_birth[i], 1e-12);
        near(shift, want_eq4, 1e-8);
        memcpy(s->w, w, sizeof w);
        tamis_mixture_state_settle(s);
        near(s->energy - before + shift, want_birth[mode][0].shift, 1e-6);
        near(s->energy - before + shift + prior - proposal, want_birth[mode][1].shift, 1e-6);
        tamis_mixture_state_free(s);
        tamis_mixture_free(m);
    }
}

static void shifts_that_break_the_order_are_refused(void **state)
{
    static const double w2[] = {0.7, 0.3}, w4[] = {0.6, 0.2, 0.15, 0.05}, big[] = {0.8}, mixed[] = {0.4, 0.1}, small[] = {0.1};
    double out[4];
    (void)state;
    assert_true(tamis_mixture_shift(2, w2, big, 1, out) == -INFINITY);
    near(out[0], 0.14, 1e-12);
    assert_true(tamis_mixture_shift(4, w4, mixed, 1, out) == -INFINITY);
    double there = tamis_mixture_shift(2, w2, small, 1, out), w[2], back[] = {0.07 / 0.37};
    near(there, -0.3016628085130535, 1e-10);
    near(tamis_mixture_shift(2, out, back, 0, w), -there, 1e-10);
    near(w[0], 0.7, 1e-12);
}

/* Input 2 leaves, input 1 enters; means and precisions given. */
static void exchanges_have_the_known_ratios(void **state)
{
    for (int mode = 0; mode < 3; mode++) {
        struct tamis_mixture *m = case_mixture(*state, mode > 0, mode == 2 ? 0.02 : 0);
        struct tamis_mixture_state *s = case_state(*state, m);
        double there[3 * D], back[3 * D], tau[D], old_mu[D], old_tau[D], before = s->energy, ratio = 0, r = case_h[1] / case_h[2];
        memcpy(old_mu, s->mu + D * 2, sizeof old_mu);
        memcpy(old_tau, s->tau + D * 2, sizeof old_tau);
        for (size_t d = 0; d < D; d++) tau[d] = old_tau[d] * r;
        memcpy(s->mu + D, exchange_mu, sizeof exchange_mu);
        memcpy(s->tau + D, tau, sizeof tau);
        sums_of(m, case_z, 1, there);
        sums_of(m, case_z2, 2, back);
        for (size_t d = 0; d < D; d++) ratio += tamis_log_normal(exchange_mu[d], m->xi[1], m->kappa[1]) - tamis_log_normal(old_mu[d], m->xi[2], m->kappa[2]);
        ratio += tamis_mixture_log_means(m, 2, back, 1, old_tau, old_mu) - tamis_mixture_log_means(m, 1, there, 1, tau, exchange_mu) + m->log_tail[2] - m->log_tail[1];
        state_inputs(s, 1 | 2);
        tamis_mixture_state_settle(s);
        near(s->energy - before + ratio, mode == 2 ? want_carry_min : want_carry[mode], 1e-6);
        if (mode < 2) {
            memcpy(s->tau + D, exchange_tau, sizeof exchange_tau);
            tamis_mixture_state_settle(s);
            double both = s->energy - before + tamis_mixture_log_prior(m, 1, exchange_mu, exchange_tau) - tamis_mixture_log_proposal(m, 1, there, 1, exchange_mu, exchange_tau)
                        - tamis_mixture_log_prior(m, 2, old_mu, old_tau) + tamis_mixture_log_proposal(m, 2, back, 1, old_mu, old_tau);
            near(both, want_exchange[mode], 1e-6);
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
            double *position[] = {s->mu2, s->mu2 + 2 * D, s->log_tau, s->log_tau + 2 * D, s->log_w};
            double *gradient[] = {s->grad_mu, s->grad_mu + 2 * D, s->grad_tau, s->grad_tau + 2 * D, s->grad_w};
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
                    near(kept[i], (up - down) / (2 * step), 1e-6);
                }
            }
            tamis_mixture_state_free(s);
            tamis_mixture_free(m);
        }
}

/* ---- subset posteriors by enumeration ---- */

static struct tamis_mixture *brute_mixture(tamis_context *cx, int mode, int weights)
{
    static const size_t width[3] = {1, 1, 1};
    struct tamis_mixture_settings set = {mode, weights, 2, 0, 2, 0.5, 1.5, 0};
    struct tamis_mixture *m = tamis_mixture_sized(cx, 8, 3, 2, width, &set);
    double x[24], y[8];
    assert_non_null(m);
    for (size_t c = 0; c < 3; c++) {
        m->h[c] = brute_h[c], m->xi[c] = brute_xi[c], m->kappa[c] = brute_kappa[c], m->beta_min[c] = 0.005;
        for (size_t n = 0; n < 8; n++) x[n + 8 * c] = brute_x[n * 3 + c];
    }
    for (size_t n = 0; n < 8; n++) y[n] = mode == TAMIS_CONDITIONAL ? brute_y_conditional[n] : brute_y_background[n] < 0 ? 2 : brute_y_background[n];
    tamis_mixture_prior(m);
    tamis_mixture_rows(m, x, y);
    return m;
}

/* The move table without `without` (names, blank between). */
static void moves_without(const char *without, struct tamis_mcmc_move *out)
{
    size_t n = 0;
    for (const struct tamis_mcmc_move *v = tamis_mixture_moves; v->name; v++)
        if (!strstr(without, v->name)) out[n++] = *v;
    out[n] = (struct tamis_mcmc_move){0};
}

/* Total variation between the subsets visited and the known posterior. */
static double brute_distance(tamis_context *cx, int mode, int weights, const char *without, size_t heats, size_t samples)
{
    struct tamis_mcmc_move moves[TAMIS_MCMC_MOVES];
    struct tamis_mixture *m = brute_mixture(cx, mode, weights);
    struct tamis_mcmc_target target = tamis_mixture_target;
    struct tamis_mcmc_settings set = {4, heats, 2000, samples, 1, 4, 100, 7};
    const double *want = mode == TAMIS_CONDITIONAL ? brute_conditional : brute_background;
    double seen[8] = {0}, distance = 0;
    moves_without(without, moves);
    target.move = moves;
    target.model = m;
    assert_int_equal(tamis_mixture_records_new(cx, m, 4, samples, samples), TAMIS_OK);
    struct tamis_mcmc *run = tamis_mcmc_new(cx, &target, &set);
    assert_int_equal(tamis_mcmc_run(run, NULL, 0), TAMIS_OK);
    for (size_t i = 0; i < 4 * samples; i++) seen[m->records->set[i]] += 1.0 / (double)(4 * samples);
    for (size_t i = 0; i < 8; i++) {
        distance += 0.5 * fabs(seen[i] - want[i]);
        if (weights == TAMIS_WEIGHTS_KEEP && is_long()) near(seen[i], want[i], 0.01);
    }
    tamis_mcmc_free(run);
    tamis_mixture_free(m);
    return distance;
}

static void subset_posteriors_are_those_of_enumeration(void **state)
{
    static const char *const names[] = {"conditional", "background"};
    static const struct { const char *without; size_t heats; int weights; } way[] = {
        {"", 4, TAMIS_WEIGHTS_KEEP}, {"renew exchange carry", 1, TAMIS_WEIGHTS_KEEP}, {"carry", 1, TAMIS_WEIGHTS_SHIFT}, {"drift exchange", 1, TAMIS_WEIGHTS_KEEP}};
    size_t samples = is_long() ? 100000 : 6000;
    for (int mode = 0; mode < 2; mode++)
        for (size_t i = 0; i < sizeof way / sizeof *way; i++) {
            if (i == 3 && mode == TAMIS_CONDITIONAL) continue;                  /* without drift nothing moves the weights there */
            double distance = brute_distance(*state, mode, way[i].weights, way[i].without, way[i].heats, samples);
            printf("%s, without '%s', %zu heats: total variation %.4f\n", names[mode], way[i].without, way[i].heats, distance);
            assert_true(distance < (is_long() ? 0.01 : 0.03));
        }
}

static void enumeration_tells_the_printed_weights_apart(void **state)
{
    for (int mode = 0; mode < 2; mode++) {
        double distance = brute_distance(*state, mode, TAMIS_WEIGHTS_AS_PRINTED, "renew exchange carry", 1, 6000);
        printf("eq. 4 as printed: total variation %.4f\n", distance);
        assert_true(distance > 0.04);
    }
}

/* ---- Geweke: the joint distribution of parameters and data ----
 * [1] J. Geweke, Getting it right: joint distribution tests of posterior simulators, JASA 99, 2004.
 * Parameters drawn from the prior have known moments. A chain that draws data given parameters and then moves the parameters given the data, in turn,
 * must have the same: any wrong factor in a ratio shows. */

enum { GN = 6, GM = 3, GK = 2, GD = 2, STATISTICS = 25 };

static void statistics_of(const struct tamis_mixture_state *s, double *g)
{
    size_t n = 0, a = 0;
    double mu = 0, mu2 = 0, tau = 0, beta = 0, cross = 0, between = 0;
    for (size_t i = 0; i < GM; i++) g[n++] = tamis_mixture_has(s, i);
    g[n++] = (double)s->size;
    g[n++] = (double)(s->size * s->size);
    g[n++] = s->size == 0;
    g[n++] = tamis_mixture_has(s, 0) && tamis_mixture_has(s, 1);
    for (size_t i = 0; i < GM; i++)
        for (size_t d = 0; tamis_mixture_has(s, i) && d < GD; d++) {
            double m = s->mu[d + GD * i], t = log(s->tau[d + GD * i]);
            mu += m, mu2 += fmin(m * m, 50), tau += t, cross += m * s->w[d], between += m * (d ? -t : t), a++;
            beta += d ? 0 : log(s->beta[i]);
        }
    g[n++] = mu;
    g[n++] = mu2;
    g[n++] = tau;
    g[n++] = tau * tau;
    g[n++] = beta;
    g[n++] = cross;
    g[n++] = between;
    for (size_t k = 0; k < GK; k++) {
        g[n++] = s->w[GD * k];
        g[n++] = s->w[GD * k] * s->w[GD * k];
        g[n++] = log(s->w[GD * k]);
    }
    g[n++] = s->p[0];
    g[n++] = s->p[0] * s->p[0];
    g[n++] = s->w[0] * s->w[GD];
    g[n++] = s->p[0] * s->w[0];
    g[n++] = s->w[0] * (double)s->size;
    assert_int_equal(n, STATISTICS);
}

static double class_weight(const struct tamis_mixture_state *s, const double *x, size_t k, size_t row)
{
    double sum = 0, top = -INFINITY, l[GD];
    for (size_t d = 0; d < GD; d++) {
        l[d] = 0;
        for (size_t i = 0; i < GM; i++)
            if (tamis_mixture_has(s, i)) l[d] += tamis_log_normal(x[row + GN * i], s->mu[d + GD * i], s->tau[d + GD * i]);
        top = fmax(top, l[d]);
    }
    for (size_t d = 0; d < GD; d++) sum += s->w[d + GD * k] * exp(l[d] - top);
    return s->p[k] * sum;
}

/* Data given the parameters. Conditional: the classes of fixed rows. Background: classes (the last row's is lost), rows, and the columns outside. */
static void data_draw(const struct tamis_mixture_state *s, double *x, double *y, struct tamis_rng *rng)
{
    const struct tamis_mixture *m = s->mix;
    double mu[GD], tau[GD], weight[GK];
    if (m->set.mode == TAMIS_CONDITIONAL) {
        for (size_t n = 0; n < GN; n++) {
            for (size_t k = 0; k < GK; k++) weight[k] = class_weight(s, x, k, n);
            y[n] = (double)tamis_rng_categorical(rng, GK, weight);
        }
        return;
    }
    for (size_t n = 0; n < GN; n++) {
        size_t k = tamis_rng_categorical(rng, GK, s->p), z = tamis_rng_categorical(rng, GD, s->w + GD * k);
        y[n] = n == GN - 1 ? GK : (double)k;
        for (size_t i = 0; i < GM; i++)
            if (tamis_mixture_has(s, i)) x[n + GN * i] = s->mu[z + GD * i] + tamis_rng_normal(rng) / sqrt(s->tau[z + GD * i]);
    }
    for (size_t i = 0; i < GM; i++) {
        if (tamis_mixture_has(s, i)) continue;
        tamis_mixture_propose(m, i, NULL, 0, mu, tau, rng);
        for (size_t n = 0; n < GN; n++) x[n + GN * i] = mu[0] + tamis_rng_normal(rng) / sqrt(tau[0]);
    }
}

static struct tamis_mixture *geweke_mixture(tamis_context *cx, int mode, int weights)
{
    static const size_t width[GM] = {1, 1, 1};
    static const double h[GM] = {0.5, 0.7, 0.4}, xi[GM] = {0.1, -0.2, 0}, kappa[GM] = {0.3, 0.4, 0.25}, least[GM] = {0.05, 0, 0.1};
    struct tamis_mixture_settings set = {mode, weights, GD, 0, 2, 1.5, 1.5, 0};
    struct tamis_mixture *m = tamis_mixture_sized(cx, GN, GM, GK, width, &set);
    assert_non_null(m);
    m->choice[0] = 2.5, m->choice[2] = 0.4;
    for (size_t c = 0; c < GM; c++) m->h[c] = h[c], m->xi[c] = xi[c], m->kappa[c] = kappa[c], m->beta_min[c] = least[c];
    tamis_mixture_prior(m);
    return m;
}

/* Mean of the series and its standard error by batches. */
static void batch_mean(size_t n, const double *x, size_t stride, double *mean, double *error)
{
    enum { BATCHES = 50 };
    double b[BATCHES] = {0}, all = 0, squares = 0;
    size_t each = n / BATCHES;
    for (size_t i = 0; i < each * BATCHES; i++) b[i / each] += x[i * stride] / (double)each;
    for (size_t i = 0; i < BATCHES; i++) all += b[i] / BATCHES;
    for (size_t i = 0; i < BATCHES; i++) squares += (b[i] - all) * (b[i] - all);
    *mean = all;
    *error = sqrt(squares / (BATCHES - 1) / BATCHES);
}

/* The largest |z| of the statistics; heat 0: the sampler alone, which must return the prior. */
static double geweke(tamis_context *cx, int mode, int weights, double heat, const char *without, size_t rounds, int loud)
{
    struct tamis_mcmc_move moves[TAMIS_MCMC_MOVES];
    struct tamis_mcmc_target target = tamis_mixture_target;
    struct tamis_mixture *m = geweke_mixture(cx, mode, weights);
    struct tamis_mixture_state *s = tamis_mixture_state_new(cx, m);
    struct tamis_rng rng;
    double *prior = malloc(2 * rounds * STATISTICS * sizeof *prior), *chain = prior + rounds * STATISTICS, x[GN * GM], y[GN] = {0}, worst = 0, scale[TAMIS_MCMC_MOVES];
    tamis_rng_init(&rng, 11, TAMIS_RNG_TEST, (uint32_t)mode);
    moves_without(without, moves);
    target.move = moves;
    for (size_t j = 0; j < TAMIS_MCMC_MOVES; j++) scale[j] = 0.5;
    for (size_t i = 0; i < GN * GM; i++) x[i] = 1.5 * tamis_rng_normal(&rng);
    tamis_mixture_rows(m, x, y);
    for (size_t i = 0; i < rounds; i++) {
        tamis_mixture_state_prior(s, &rng);
        statistics_of(s, prior + i * STATISTICS);
    }
    for (size_t i = 0; i < rounds; i++) {
        if (heat > 0) {
            data_draw(s, x, y, &rng);
            tamis_mixture_rows(m, x, y);
            tamis_mixture_state_settle(s);
        }
        tamis_mcmc_sweep(&target, 4, s, heat, scale, &rng, NULL);
        statistics_of(s, chain + i * STATISTICS);
    }
    for (size_t j = 0; j < STATISTICS; j++) {
        double a, b, ea, eb;
        batch_mean(rounds, prior + j, STATISTICS, &a, &ea);
        batch_mean(rounds, chain + j, STATISTICS, &b, &eb);
        double z = (a - b) / sqrt(ea * ea + eb * eb);
        if (loud) printf("  statistic %zu: prior %.4f chain %.4f z %.2f\n", j, a, b, z);
        worst = fmax(worst, fabs(z));
    }
    tamis_mixture_state_free(s);
    tamis_mixture_free(m);
    free(prior);
    return worst;
}

static void joint_distribution_is_kept(void **state)
{
    static const char *const names[] = {"conditional", "background"};
    static const char *const without[] = {"renew", "renew exchange carry", "renew gibbs birth death", "renew drift"};
    size_t rounds = is_long() ? 400000 : 12000;
    for (int mode = 0; mode < 2; mode++)
        for (int on = 0; on < 2; on++)
            for (size_t i = 0; i < 4; i++) {
                if (i == 2) continue;
                if (i == 3 && (mode == TAMIS_CONDITIONAL || !on)) continue;
                double z = geweke(*state, mode, i == 1 ? TAMIS_WEIGHTS_SHIFT : TAMIS_WEIGHTS_KEEP, on, without[i], rounds, 0);
                printf("%s, likelihood %s, without '%s': largest |z| of %d statistics %.2f\n", names[mode], on ? "on" : "off", without[i], STATISTICS, z);
                if (z >= 4) geweke(*state, mode, i == 1 ? TAMIS_WEIGHTS_SHIFT : TAMIS_WEIGHTS_KEEP, on, without[i], rounds, 1);
                assert_true(z < 4);
            }
}

static void joint_distribution_tells_the_printed_weights_apart(void **state)
{
    for (int mode = 0; mode < 2; mode++)
        for (int on = 0; on < 2; on++) {
            double z = geweke(*state, mode, TAMIS_WEIGHTS_AS_PRINTED, on, "renew exchange carry", 12000, 0);
            printf("eq. 4 as printed, likelihood %s: largest |z| %.2f\n", on ? "on" : "off", z);
            assert_true(z > 6);
        }
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(likelihoods_are_the_known_ones), TEST(jumps_have_the_known_ratios), TEST(shifts_that_break_the_order_are_refused), TEST(exchanges_have_the_known_ratios),
        TEST(gradients_are_differences), TEST(subset_posteriors_are_those_of_enumeration), TEST(enumeration_tells_the_printed_weights_apart),
        TEST(joint_distribution_is_kept), TEST(joint_distribution_tells_the_printed_weights_apart)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
