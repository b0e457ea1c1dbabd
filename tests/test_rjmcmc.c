/* The reversible-jump sampler: known densities, ratios and posteriors; Geweke's joint distribution test, and proof that
 * it tells a wrong ratio from a right one; diagnostics; draws against theory; the method end to end. TAMIS_LONG=1 runs
 * the long versions. */
#include "base/rng_dist.h"
#include "cases_rjmcmc.h"
#include "base/pack.h"
#include "data/table.h"
#include "method/rjmcmc/mixture_target.h"
#include "select/result.h"
#include "model/mixture.h"
#include "num/density.h"
#include "num/diagnose.h"
#include "num/fft.h"
#include "run.h"

static int is_long(void) { return getenv("TAMIS_LONG") != NULL; }

/* Sanitizers look for other faults than statistics do, and are slow. */
#ifdef TAMIS_SANITIZED
enum { SHORTER = 4 };
#else
enum { SHORTER = 1 };
#endif

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
            for (size_t d = 0; d < D; d++)
                near(s->now.l[at + m->r.n * d] - log(2 * M_PI), want_log_kernels[n * D + d], 1e-9);
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
        for (size_t k = 0; k < K; k++)
            shift += tamis_mixture_shift(D, case_w + D * k, eq4_deltas + D / 2 * k, 1, w + D * k);
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
    static const double w2[] = {0.7, 0.3}, w4[] = {0.6, 0.2, 0.15, 0.05}, big[] = {0.8}, mixed[] = {0.4, 0.1},
                        small[] = {0.1};
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
        near(s->energy - before + ratio, mode == 2 ? want_carry_min : want_carry[mode], 1e-6);
        if (mode < 2) {
            memcpy(s->tau + D, exchange_tau, sizeof exchange_tau);
            tamis_mixture_state_settle(s);
            double both = s->energy - before + tamis_mixture_log_prior(m, 1, exchange_mu, exchange_tau) -
                          tamis_mixture_log_proposal(m, 1, there, 1, exchange_mu, exchange_tau) -
                          tamis_mixture_log_prior(m, 2, old_mu, old_tau) +
                          tamis_mixture_log_proposal(m, 2, back, 1, old_mu, old_tau);
            near(both, want_exchange[mode], 1e-6);
        }
        tamis_mixture_state_free(s);
        tamis_mixture_free(m);
    }
}

/* What is computed in one go against its parts; powers far beyond a double's range on the way. */
static void shortcuts_agree_with_their_parts(void **state)
{
    static const double far[] = {1e280, 3.7e-250, 2.5e279, 1e-280, 7e-281, 0.3}, factor[] = {1e-3, 0.7, 1, 45};
    double all = 0;
    for (size_t i = 0; i < 6; i++) near(tamis_mix_log_product(i + 1, far), all += log(far[i]), 1e-12);
    for (int least = 0; least < 2; least++) {
        struct tamis_mixture *m = case_mixture(*state, TAMIS_BACKGROUND, 0.02 * least);
        struct tamis_mixture_state *s = case_state(*state, m);
        for (size_t i = 0; i < 4; i++) {
            double tau[D];
            for (size_t d = 0; d < D; d++) tau[d] = factor[i] * s->tau[d];
            double tails = 0, rate = tamis_mixture_rate_scaled(m, 0, s->tau, factor[i], &tails);
            near(tails + tamis_mixture_log_scaled(m, 1, &rate, log(factor[i])),
                 tamis_mixture_log_tau(m, 0, tau) - tamis_mixture_log_tau(m, 0, s->tau), 1e-10);
        }
        tamis_mixture_state_free(s);
        tamis_mixture_free(m);
    }
}

/* The energies that moves keep by difference are those of the parameters. */
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
            near(kept, s->energy, 1e-6);
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
    for (size_t n = 0; n < 8; n++)
        y[n] = mode == TAMIS_CONDITIONAL   ? brute_y_conditional[n]
               : brute_y_background[n] < 0 ? 2
                                           : brute_y_background[n];
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

/* Arithmetic differs in the last bits from processor to processor, and then all draws do: what chance has put beyond a
 * limit is looked at again, so many times as long. A wrong ratio only shows more clearly there. */
enum { CHANCE = 8 };

/* Total variation between the subsets visited and the known posterior. */
static double brute_distance(tamis_context *cx, int mode, int weights, const char *without, size_t heats,
                             size_t samples)
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
    for (size_t i = 0; i < heats; i++)
        assert_true(i ? run->heat[i] < run->heat[i - 1] && run->heat[i] >= 0 : run->heat[0] == 1);
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
    static const struct { const char *without; size_t heats; int weights;
    } way[] = {{"", 4, TAMIS_WEIGHTS_KEEP},
               {"renew exchange carry", 1, TAMIS_WEIGHTS_KEEP},
               {"carry", 1, TAMIS_WEIGHTS_SHIFT},
               {"drift exchange", 1, TAMIS_WEIGHTS_KEEP},
               {"renew inherit", 1, TAMIS_WEIGHTS_KEEP}};
    size_t samples = is_long() ? 100000 : 6000 / SHORTER;
    for (int mode = 0; mode < 2; mode++)
        for (size_t i = 0; i < sizeof way / sizeof *way; i++) {
            if (i == 3 && mode == TAMIS_CONDITIONAL) continue; /* without drift nothing moves the weights there */
            double distance = brute_distance(*state, mode, way[i].weights, way[i].without, way[i].heats, samples);
            double allowed = is_long() ? 0.01 : 0.03 * SHORTER;
            if (distance >= allowed)
                distance = brute_distance(*state, mode, way[i].weights, way[i].without, way[i].heats, CHANCE * samples);
            printf("%s, without '%s', %zu heats: total variation %.4f\n", names[mode], way[i].without, way[i].heats,
                   distance);
            assert_true(distance < allowed);
        }
}

static void enumeration_tells_the_printed_weights_apart(void **state)
{
    for (int mode = 0; mode < 2; mode++) {
        double distance = brute_distance(*state, mode, TAMIS_WEIGHTS_AS_PRINTED, "renew exchange carry inherit", 1,
                                         6000 / SHORTER);
        printf("eq. 4 as printed: total variation %.4f\n", distance);
        assert_true(distance > 0.04);
    }
}

/* ---- Geweke: the joint distribution of parameters and data ----
 * [1] J. Geweke, Getting it right: joint distribution tests of posterior simulators, JASA 99, 2004.
 * Parameters drawn from the prior have known moments. A chain that draws data given parameters and then moves the
 * parameters given the data, in turn, must have the same: any wrong factor in a ratio shows. */

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
            if (tamis_mixture_has(s, i))
                l[d] += tamis_log_normal(x[row + GN * i], s->mu[d + GD * i], s->tau[d + GD * i]);
        top = fmax(top, l[d]);
    }
    for (size_t d = 0; d < GD; d++) sum += s->w[d + GD * k] * exp(l[d] - top);
    return s->p[k] * sum;
}

/* Data given the parameters. Conditional: the classes of fixed rows. Background: classes (the last row's is lost),
 * rows, and the columns outside. */
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
            if (tamis_mixture_has(s, i))
                x[n + GN * i] = s->mu[z + GD * i] + tamis_rng_normal(rng) / sqrt(s->tau[z + GD * i]);
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
    static const double h[GM] = {0.5, 0.7, 0.4}, xi[GM] = {0.1, -0.2, 0}, kappa[GM] = {0.3, 0.4, 0.25},
                        least[GM] = {0.05, 0, 0.1};
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
static double geweke(tamis_context *cx, int mode, int weights, double heat, const char *without, size_t rounds,
                     int loud)
{
    struct tamis_mcmc_move moves[TAMIS_MCMC_MOVES];
    struct tamis_mcmc_target target = tamis_mixture_target;
    struct tamis_mixture *m = geweke_mixture(cx, mode, weights);
    struct tamis_mixture_state *s = tamis_mixture_state_new(cx, m);
    struct tamis_rng rng;
    double *prior = malloc(2 * rounds * STATISTICS * sizeof *prior), *chain = prior + rounds * STATISTICS, x[GN * GM],
           y[GN] = {0}, worst = 0, scale[TAMIS_MCMC_MOVES];
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
    static const char *const without[] = {"renew", "renew exchange carry", "renew drift",
                                          "renew exchange carry redraw rescale stretch kernel cross trade"};
    size_t rounds = is_long() ? 400000 : 12000 / SHORTER;
    for (int mode = 0; mode < 2; mode++)
        for (int on = 0; on < 2; on++)
            for (size_t i = 0; i < 4; i++) {
                if (i == 2 && (mode == TAMIS_CONDITIONAL || !on)) continue;
                int weights = i == 1 ? TAMIS_WEIGHTS_SHIFT : TAMIS_WEIGHTS_KEEP;
                double z = geweke(*state, mode, weights, on, without[i], rounds, 0);
                if (z >= 4) z = geweke(*state, mode, weights, on, without[i], CHANCE * rounds, 1);
                printf("%s, likelihood %s, without '%s': largest |z| of %d statistics %.2f\n", names[mode],
                       on ? "on" : "off", without[i], STATISTICS, z);
                assert_true(z < 4);
            }
}

static void joint_distribution_tells_the_printed_weights_apart(void **state)
{
    for (int mode = 0; mode < 2; mode++)
        for (int on = 0; on < 2; on++) {
            double z = geweke(*state, mode, TAMIS_WEIGHTS_AS_PRINTED, on, "renew exchange carry inherit",
                              24000 / SHORTER, 0);
            printf("eq. 4 as printed, likelihood %s: largest |z| %.2f\n", on ? "on" : "off", z);
            assert_true(z > (SHORTER > 1 ? 3 : 6));
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
            near(s->share[m->place[n] + m->r.n * d], want_kernel_probabilities_given_class[n * D + d], 1e-9);
    for (size_t i = 0; i < 2; i++) {
        double level = 0, squares = 0;
        sums_of(m, case_z, column[i], sum);
        for (size_t d = 0; d < D; d++) {
            near(sum[3 * d], want_n_per_kernel[d], 1e-12);
            mean[d] = want_mu_mean[d * 2 + i];
            level += 0.5 * log(want_mu_precision[d * 2 + i] / (2 * M_PI));
        }
        near(tamis_mixture_log_means(m, column[i], sum, 1, s->tau + D * column[i], mean), level, 1e-9);
        for (size_t d = 0; d < D; d++) {
            double a = m->set.alpha + 0.5 * sum[3 * d], mu = s->mu[d + D * column[i]];
            squares = sum[3 * d + 2] - 2 * mu * sum[3 * d + 1] + mu * mu * sum[3 * d];
            near(a, want_tau_shape[d], 1e-12);
            near(s->beta[column[i]] + 0.5 * squares, want_tau_rate[d * 2 + i], 1e-9);
        }
        enum { DRAWS = 40000 };
        double all = 0, rate = want_beta_rate[i];
        for (int k = 0; k < DRAWS; k++)
            all += tamis_mixture_draw_beta(m, column[i], s->tau + D * column[i], &rng) / DRAWS;
        near(all, want_beta_shape / rate, 5 * sqrt(want_beta_shape) / rate / sqrt(DRAWS));
    }
    tamis_mixture_state_free(s);
    tamis_mixture_free(m);
}

/* The precisions and means that a Gibbs move draws, from allocations that cannot be otherwise: one kernel. */
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
    tamis_mixture_rows(m, x, y);
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
    near(tau, 5 / rate, 5 * sqrt(5) / rate / sqrt(DRAWS));                      /* Ga(2 + 6/2, beta + SS/2) */
    near(p, 0.5, 5 * sqrt(0.25 / 9) / sqrt(DRAWS));                             /* Dirichlet(1 + 3, 1 + 3) */
    tamis_mixture_state_free(s);
    tamis_mixture_free(m);
}

/* ---- draws and densities ---- */

static void mean_is(double sum, double squares, size_t n, double want)
{
    double mean = sum / (double)n, sd = sqrt(fmax(squares / (double)n - mean * mean, 1e-30));
    if (fabs(mean - want) > 5 * sd / sqrt((double)n))
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
                assert_true(x >= c);
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
        near(p[0] + p[1] + p[2], 1, 1e-12);
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
        near(tamis_log_gamma(a[i]), lgamma(a[i]), 1e-13);
        for (size_t j = 0; j < 6; j++) {
            near(tamis_log_gamma_tail(1, x[j]), -x[j], 1e-12);
            double more = a[i] * log(x[j]) - x[j] -
                          lgamma(a[i] + 1); /* Q(a + 1, x) = Q(a, x) + x^a e^-x / Gamma(a + 1) */
            near(tamis_log_gamma_tail(a[i] + 1, x[j]), tamis_log_add(tamis_log_gamma_tail(a[i], x[j]), more), 1e-10);
        }
    }
    double sum = 0, step = 1e-3;
    for (double t = step / 2; t < 1; t += step) sum += step * exp(tamis_log_beta_density(t, 2.3, 1.7));
    near(sum, 1, 1e-4);
    sum = 0;
    for (double t = step / 2; t < 40; t += step) sum += step * exp(tamis_log_gamma_density(t, 2.3, 1.7));
    near(sum, 1, 1e-6);
    near(tamis_log_dirichlet_density(3, (double[]){0.2, 0.3, 0.5}, 1), log(2), 1e-12);
    near(tamis_log_add(-1000, -1000), -1000 + log(2), 1e-12);
    near(tamis_binomial_test(11, 4), 2 * 1941 / 32768.0, 1e-12); /* the paper's Ionosphere: not significant */
    near(tamis_binomial_test(0, 2), 0.5, 1e-12);
    near(tamis_binomial_test(10, 10), 1, 0);
    near(tamis_binomial_test(0, 0), 1, 0);
    assert_true(tamis_binomial_test(1000, 1200) < 1e-4 && tamis_binomial_test(40, 2) == tamis_binomial_test(2, 40));
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
            near(z[2 * k], re, 1e-12);
            near(z[2 * k + 1], im, 1e-12);
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
    assert_true(d.rhat < 1.01 && d.ess > 0.85 * T * C && d.ess < 1.2 * T * C &&
                fabs(d.mcse - d.sd / sqrt(d.ess)) < 1e-12 && !d.constant);
    for (size_t i = 0; i < T * C; i++) x[i] = i % T ? 0.9 * x[i - 1] + x[i] : x[i] / sqrt(0.19);
    tamis_diagnose(T, C, x, work, &d); /* autocorrelation 0.9: 1/19 of the draws */
    assert_true(d.rhat < 1.05 && d.ess > 0.7 * T * C / 19 && d.ess < 1.4 * T * C / 19);
    for (size_t i = 0; i < T; i++) x[i] += 6;
    tamis_diagnose(T, C, x, work, &d);
    assert_true(d.rhat > 1.3 && d.ess < 20);
    for (size_t i = 0; i < T * C; i++) x[i] = (i / T == 0 ? 5 : 1) * tamis_rng_normal(&r);
    tamis_diagnose(T, C, x, work, &d);
    assert_true(d.rhat > 1.1); /* same place, other spread: the folded part sees it */
    for (size_t i = 0; i < T * C; i++) x[i] = tamis_rng_uniform(&r) < 0.3;
    tamis_diagnose(T, C, x, work, &d);
    assert_true(d.rhat < 1.01 && d.ess > 0.85 * T * C && fabs(d.mean - 0.3) < 0.02);
    for (size_t i = 0; i < T * C; i++) x[i] = 7;
    tamis_diagnose(T, C, x, work, &d);
    assert_true(d.constant && d.rhat == 1 && d.ess == T * C && d.mcse == 0);
    free(x);
    free(work);
}

/* ---- the method end to end ---- */

/* Rows of `inputs` normal columns; the class is the sign of x1 x2, wrong in one row of twenty (xor), or a coin. The
 * last column holds it. */
static tamis_table *class_table(tamis_context *cx, size_t rows, size_t inputs, int xor, double unknown, uint64_t seed)
{
    struct tamis_rng r;
    tamis_table *t = NULL;
    double *x = malloc(rows * (inputs + 1) * sizeof *x);
    tamis_rng_init(&r, seed, TAMIS_RNG_TEST, 0);
    for (size_t i = 0; i < rows * inputs; i++) x[i] = tamis_rng_normal(&r);
    for (size_t i = 0; i < rows; i++)
        x[rows * inputs + i] = (double)i < unknown * (double)rows ? NAN
                               : xor? (x[i] * x[i + rows] > 0) != (tamis_rng_uniform(&r) < 0.05)
                                    : i % 2;
    assert_int_equal(tamis_table_from_numbers(cx, rows, inputs + 1, x, 1, rows, NULL, &t), TAMIS_OK);
    free(x);
    return t;
}

static tamis_options *sampling(tamis_context *cx, const char *words)
{
    char all[512];
    snprintf(all, sizeof all, "method=rjmcmc task=classification %s", words);
    return worded(cx, all);
}

static tamis_result *selected(tamis_context *cx, const tamis_table *t, const char *words)
{
    return chosen(cx, t, NULL, sampling(cx, words));
}

static void known_inputs_are_found(void **state)
{
    tamis_table *t = class_table(*state, 150, 4, 1, 0, 1);
    tamis_result *r = selected(*state, t, "samples=2500 burn-in=1000 chains=2 temperatures=8 kernels=4");
    for (size_t i = 0; i < 4; i++)
        if (i < 2 ? r->input[i].relevance < 0.98 : r->input[i].relevance > 0.8)
            fail_msg("input %zu has %.3f", i + 1, r->input[i].relevance);
    assert_true(r->input[0].selected && r->input[1].selected && r->error < 0.2);
    tamis_result_free(r);
    tamis_table_free(t);
}

static void nothing_informative_stays_near_the_prior(void **state)
{
    tamis_table *t = class_table(*state, 60, 5, 0, 0, 3);
    tamis_result *r = selected(*state, t, "samples=2500 burn-in=500 chains=2 temperatures=4 lambda=2");
    double sum = 0;
    for (size_t i = 0; i < 5; i++) sum += r->input[i].relevance;
    assert_true(sum > 0.4 && sum < 3);                                          /* the prior mean is 1.92 */
    tamis_result_free(r);
    tamis_table_free(t);
}

static const char small[] = "samples=90 burn-in=40 chains=3 temperatures=4 stored=12";

static void same_bits_for_any_number_of_threads(void **state)
{
    static const char *const mode[] = {"", " likelihood=background weights=shift thin=2"};
    tamis_context *cx = *state;
    for (int i = 0; i < 2; i++) {
        tamis_table *t = class_table(cx, 40, 4, 1, i ? 0.2 : 0, 5);
        char words[256];
        snprintf(words, sizeof words, "%s%s", small, mode[i]);
        same_bits(cx, t, sampling(cx, words), NULL);
        tamis_table_free(t);
    }
}

static void stopped_runs_resume_to_the_same_result(void **state)
{
    static const char path[] = "test_rjmcmc.ckpt",
                      words[] = "samples=700 burn-in=300 chains=2 temperatures=3 stored=12";
    tamis_context *cx = *state;
    tamis_table *t = class_table(cx, 40, 4, 1, 0, 5);
    tamis_options *o = sampling(cx, words);
    tamis_context_limits(cx, 1, 0);
    char *whole = json(cx, t, o);
    cut_notes(whole);
    tamis_options_set(o, "checkpoint", path);
    for (int checks = 5; checks < 40; checks += 9) {            /* stopped once, anywhere */
        tamis_result *r = NULL;
        unlink(path);
        assert_int_equal(select_stopped(cx, t, o, checks, &r), TAMIS_STOPPED);
        assert_null(r);
        assert_int_equal(access(path, R_OK), 0);
        char *resumed = json(cx, t, o);
        cut_notes(resumed);
        assert_string_equal(resumed, whole);
        tamis_release(resumed);
    }
    unlink(path);
    tamis_release(whole);
    tamis_options_free(o);
    assert_true(stopped_and_resumed(cx, t, sampling(cx, words), 5, 9) > 1);     /* again and again */
    tamis_table_free(t);
}

/* A sampler saved in the middle of burn-in and in the middle of sampling goes on with the same bits; damage is
 * refused. */
static void checkpoints_hold_the_whole_state(void **state)
{
    tamis_context *cx = *state;
    static const char path[] = "test_rjmcmc2.ckpt";
    for (size_t stop = 128; stop <= 384; stop += 256) {
        struct tamis_mixture *m[2];
        struct tamis_mcmc *run[2];
        struct tamis_mcmc_settings set = {2, 3, 256, 300, 1, 3, 64, 5};
        for (int i = 0; i < 2; i++) {
            struct tamis_mcmc_target target = tamis_mixture_target;
            m[i] = brute_mixture(cx, TAMIS_BACKGROUND, TAMIS_WEIGHTS_KEEP);
            target.model = m[i];
            assert_int_equal(tamis_mixture_records_new(cx, m[i], 2, 300, 10), TAMIS_OK);
            run[i] = tamis_mcmc_new(cx, &target, &set);
            assert_non_null(run[i]);
        }
        unlink(path);
        size_t total = run[0]->total;
        run[0]->total = stop; /* ends early, at the end of a block, and saves */
        assert_int_equal(tamis_mcmc_run(run[0], path, 77), TAMIS_OK);
        run[0]->total = total;
        unsigned char *bytes = NULL;
        size_t n = 0;
        assert_int_equal(tamis_file_read(cx, path, &bytes, &n), TAMIS_OK);
        for (size_t k = 0; k < n; k += 1 + n / 100) {
            bytes[k] ^= 8;
            assert_int_not_equal(tamis_mcmc_restore(run[1], bytes, n, 77), TAMIS_OK);
            bytes[k] ^= 8;
            tamis_forget(cx);
        }
        assert_int_equal(tamis_mcmc_restore(run[1], bytes, n, 78), TAMIS_USAGE);
        tamis_forget(cx);
        assert_int_equal(tamis_mcmc_restore(run[1], bytes, n, 77), TAMIS_OK);
        assert_int_equal(run[1]->sweep, stop);
        unlink(path);
        for (int i = 0; i < 2; i++) assert_int_equal(tamis_mcmc_run(run[i], NULL, 0), TAMIS_OK);
        assert_memory_equal(m[0]->records->set, m[1]->records->set, 600 * sizeof(uint64_t));
        assert_memory_equal(m[0]->records->energy, m[1]->records->energy, 600 * sizeof(double));
        assert_memory_equal(m[0]->records->body, m[1]->records->body,
                            2 * m[0]->records->kept * m[0]->records->length * sizeof(double));
        assert_memory_equal(run[0]->heat, run[1]->heat, 3 * sizeof(double));
        for (int i = 0; i < 2; i++) {
            tamis_mcmc_free(run[i]);
            tamis_mixture_free(m[i]);
        }
        tamis_free(bytes);
    }
}

static void models_come_back_the_same(void **state)
{
    tamis_context *cx = *state;
    tamis_table *t = class_table(cx, 50, 4, 1, 0, 6);
    tamis_result *r = selected(cx, t, small);
    double p[50], score[100];
    tamis_model *m = came_back(cx, r->model, t, p, score);
    for (size_t i = 0; i < 50; i++) near(score[i] + score[i + 50], 1, 1e-12);
    damage_is_refused(cx, m, 300);
    tamis_model_free(m);
    tamis_result_free(r);
    tamis_table_free(t);
}

/* The model's probabilities against the formula, term by term. */
static void predictions_are_the_averages_of_the_samples(void **state)
{
    tamis_table *t = class_table(*state, 30, 3, 1, 0, 7);
    tamis_result *r = selected(*state, t, small);
    const struct tamis_mixture_model *b = r->model->body;
    const struct tamis_encoder *e = r->model->encoder;
    double p[30], score[60];
    assert_int_equal(tamis_model_predict(*state, r->model, t, p, score), TAMIS_OK);
    for (size_t n = 0; n < 30; n++) {
        double mean = 0, largest = 0;
        for (size_t s = 0; s < b->samples; s++) {
            double f[2] = {0};
            for (size_t k = 0; k < 2; k++)
                for (size_t d = 0; d < b->kernels; d++) {
                    double l = log(b->p[k + 2 * s] * b->w[d + b->kernels * (k + 2 * s)]);
                    for (size_t c = b->first[s]; c < b->first[s + 1]; c++) {
                        size_t j = b->column[c];
                        double x = (t->column[tamis_table_find(t, e->input[j].name)].value[n] - e->mean[j]) /
                                   e->scale[j];
                        l += tamis_log_normal(x, b->mu[d + b->kernels * c], b->tau[d + b->kernels * c]);
                    }
                    largest = fmax(largest, fabs(l));
                    f[k] = d ? tamis_log_add(f[k], l) : l;
                }
            mean += 1 / (1 + exp(f[1] - f[0])) / (double)b->samples;
        }
        near(score[n], mean,
             1e-9 + 1e-15 * largest); /* precisions may be huge, and exponents then differ in their last digits */
    }
    tamis_result_free(r);
    tamis_table_free(t);
}

static void hard_tables_are_defined(void **state)
{
    static const char *const text[] = {
        "x,z,y\n1,5,a\n1,5,a\n1,5,b\n2,5,b\n2,5,a\n3,5,b\n", /* ties and a constant */
        "x,z,y\n1,3,a\n2,1,a\n3,2,a\n4,7,b\n5,1,a\n", /* a class with one row */
        "x,z,y\n1e300,1,a\n-2e300,2,b\n3e299,3,a\n4e300,4,b\n-5e300,5,a\n", /* enormous */
        "x,y\n1,a\n2,b\n3,a\n", /* one input, three rows */
        "x,c,y\n1,red,a\n2,red,b\n3,blue,a\n1,green,b\n2,blue,a\n4,red,b\n", /* a category of three columns */
        "a,b,c,d,e,f,y\n1,2,3,4,5,6,p\n2,1,4,3,6,5,q\n6,5,4,3,2,1,p\n"}; /* more inputs than rows */
    static const char *const mode[] = {"conditional", "background"};
    for (size_t i = 0; i < sizeof text / sizeof *text; i++)
        for (int k = 0; k < 2; k++) {
            char words[160];
            snprintf(words, sizeof words, "samples=120 burn-in=40 chains=2 temperatures=3 likelihood=%s", mode[k]);
            tamis_table *t = text_table(*state, text[i]);
            tamis_result *r = selected(*state, t, words);
            assert_true(isfinite(r->error));
            if (!i) assert_true(r->input[1].constant && !r->input[1].selected && r->input[1].relevance == 0);
            char *out = result_text(*state, r);
            assert_null(strstr(out, "nan"));
            assert_null(strstr(out, "inf,"));
            tamis_release(out);
            tamis_result_free(r);
            tamis_table_free(t);
        }
}

static void bad_tables_get_a_sentence(void **state)
{
    static const struct { const char *text, *words, *says; int status; } bad[] = {
        {"x,y\n1,a\n2,a\n3,a\n", "", "one value", TAMIS_DATA},
        {"x,y\n1,a\n2,a\n3,\n4,a\n", "likelihood=background", "one class only", TAMIS_DATA},
        {"x,y\n1,a\n2,b\n3,a\n", "samples=10 burn-in=8", "fewer than 4", TAMIS_USAGE}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        refused(*state, bad[i].text, sampling(*state, bad[i].words), bad[i].status, bad[i].says);
}

static void two_thousand_inputs_run(void **state)
{
    tamis_table *t = class_table(*state, 40, 2000, 1, 0, 9);
    tamis_result *r = selected(*state, t, "samples=60 burn-in=20 chains=2 temperatures=2 stored=4");
    assert_true(r->inputs == 2000 && isfinite(r->error));
    tamis_result_free(r);
    tamis_table_free(t);
}

static void every_allocation_may_fail(void **state)
{
    tamis_context *cx = *state;
    tamis_table *t = class_table(cx, 12, 2, 1, 0.1, 4);
    run_survives_failing_memory(
        cx, t, sampling(cx, "samples=12 burn-in=4 chains=1 temperatures=2 stored=4 likelihood=background"), 100, 5000);
    tamis_table_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(draws_follow_theory),
                                       TEST(densities_agree_with_identities),
                                       TEST(transform_is_the_sum),
                                       TEST(diagnoses_agree_with_theory),
                                       TEST(likelihoods_are_the_known_ones),
                                       TEST(jumps_have_the_known_ratios),
                                       TEST(shifts_that_break_the_order_are_refused),
                                       TEST(exchanges_have_the_known_ratios),
                                       TEST(full_conditionals_are_the_known_ones),
                                       TEST(gibbs_draws_have_the_known_moments),
                                       TEST(gradients_are_differences),
                                       TEST(shortcuts_agree_with_their_parts),
                                       TEST(energies_do_not_drift),
                                       TEST(subset_posteriors_are_those_of_enumeration),
                                       TEST(enumeration_tells_the_printed_weights_apart),
                                       TEST(joint_distribution_is_kept),
                                       TEST(joint_distribution_tells_the_printed_weights_apart),
                                       TEST(known_inputs_are_found),
                                       TEST(nothing_informative_stays_near_the_prior),
                                       TEST(same_bits_for_any_number_of_threads),
                                       TEST(stopped_runs_resume_to_the_same_result),
                                       TEST(checkpoints_hold_the_whole_state),
                                       TEST(models_come_back_the_same),
                                       TEST(predictions_are_the_averages_of_the_samples),
                                       TEST(hard_tables_are_defined),
                                       TEST(bad_tables_get_a_sentence),
                                       TEST(two_thousand_inputs_run),
                                       TEST(every_allocation_may_fail)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
