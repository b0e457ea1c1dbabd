/* Moves between subsets. With t the heat, q the proposal of mixture_model.c at the shares of the state without the
 * inputs that change:
 *
 *     birth      log A = t dE + log p(mu_j, tau_j) - log q(mu_j, tau_j | S) + log(lambda / (I + 1))         ([1] eq. 5)
 *     death      -log A of the birth that undoes it
 *     exchange   t dE + log p_j - log q_j(. | S \ i) - log p_i + log q_i(. | S \ i)
 *     redraw     an exchange of an input for itself: other parameters, the same set
 *     rescale    t dE + log p(c tau_i) - log p(tau_i) + D log c: the prior of precisions spans many powers of ten
 *     inherit    t dE + log p_j - log p_i: j takes over the kernels of i, mirrored if the two columns are negatively
 *                correlated
 *     carry      t dE + log N_j(mu') - log N_i(mu) - log q(mu' | shares now) + log q(mu | shares after),
 *                tau' = tau h_j / h_i, beta' = beta h_i / h_j
 *
 * An input j outside is chosen to enter with probability a_j / A, A the sum over those outside; one inside to leave
 * with probability 1 / I. a = 1 gives the ratios above; else birth has log(A / (a_j (M - I))) more, and exchange and
 * carry log(a_i / (A - a_j + a_i)) - log(a_j / A). carry is for background mode: if only the classes count, means drawn
 * from the density of the rows are hardly ever accepted (1 in 2,000). beta is integrated out of p, and drawn from its
 * conditional after a birth or an exchange. C(M, I) of the prior cancels against the choice of the input, and beta, tau
 * of carry against their Jacobian (but for the tails above beta_min). */
#include <math.h>
#include <string.h>
#include "base/rng_dist.h"
#include "method/rjmcmc/mixture_target.h"

enum { MOST_PAIRS = 32 };
#define NONE SIZE_MAX

/* to->l = from->l with the columns of `input` added or removed. */
static void columns_add(const struct tamis_mixture_state *s, size_t input, const double *mu, const double *tau,
                        double sign, const struct tamis_mix *from, struct tamis_mix *to)
{
    const struct tamis_mixture *m = s->mix;
    size_t n = m->r.n, d = m->set.kernels;
    for (size_t c = 0; c < m->width[input]; c++)
        tamis_mix_column(n, d, m->x + n * (m->first[input] + c), mu + d * c, tau + d * c, sign, c ? to->l : from->l,
                         to->l);
}

/* to->l = from->l with one input replaced by another of the same width. */
static void columns_change(const struct tamis_mixture_state *s, size_t leaves, size_t enters,
                           const struct tamis_mix *from, struct tamis_mix *to)
{
    const struct tamis_mixture *m = s->mix;
    size_t n = m->r.n, d = m->set.kernels;
    for (size_t c = 0; c < m->width[leaves]; c++) {
        size_t a = m->first[leaves] + c, b = m->first[enters] + c;
        struct tamis_mix_term out = {m->x + n * a, s->mu + d * a, s->tau + d * a},
                              in = {m->x + n * b, s->new_mu + d * c, s->new_tau + d * c};
        tamis_mix_column_change(n, d, &out, &in, c ? to->l : from->l, to->l);
    }
}

static void input_sums(const struct tamis_mixture_state *s, size_t input, double *sum)
{
    const struct tamis_mixture *m = s->mix;
    size_t n = m->r.n, d = m->set.kernels;
    for (size_t c = 0; c < m->width[input]; c++) {
        double *to = sum + 3 * d * c;
        tamis_mix_moments(n, d, s->share, m->x + n * (m->first[input] + c), s->total, 3, to, to + 1, to + 2);
    }
}

static void shares_of(struct tamis_mixture_state *s, const struct tamis_mix *q, const double *w, const double *v,
                      int now)
{
    const struct tamis_mixture *m = s->mix;
    if (now && s->shares_known) return;
    tamis_mix_shares(&m->r, m->set.kernels, w, v, m->classes, q, s->share);
    tamis_mix_totals(m->r.n, m->set.kernels, s->share, s->total);
    s->shares_known = now;
}

static void weights_keep(struct tamis_mixture_state *s)
{
    s->jump_w = s->w;
    s->jump_v = s->v;
}

/* Weights of the candidate; the log ratio of eq. 4. */
static double weights_propose(struct tamis_mixture_state *s, int birth, struct tamis_rng *rng)
{
    const struct tamis_mixture *m = s->mix;
    size_t d = m->set.kernels;
    double ratio = 0, delta[MOST_PAIRS];
    weights_keep(s);
    if (m->set.weights == TAMIS_WEIGHTS_KEEP) return 0;
    for (size_t k = 0; k < m->classes; k++) {
        for (size_t i = 0; i < d / 2; i++) delta[i] = tamis_rng_beta(rng, 1, 10);
        ratio += tamis_mixture_shift(d, s->w + d * k, delta, birth, s->new_w + d * k);
    }
    tamis_mixture_total(m, s->new_w, s->p, s->new_v);
    s->jump_w = s->new_w;
    s->jump_v = s->new_v;
    return m->set.weights == TAMIS_WEIGHTS_AS_PRINTED ? 0 : ratio;
}

static double next_energy(struct tamis_mixture_state *s)
{
    const struct tamis_mixture *m = s->mix;
    size_t columns = tamis_mixture_columns(s);
    double log_m = tamis_mixture_sum_m(s);
    if (s->enters != NONE) columns += m->width[s->enters], log_m += m->log_m[s->enters];
    if (s->leaves != NONE) columns -= m->width[s->leaves], log_m -= m->log_m[s->leaves];
    return s->next_energy = tamis_mixture_energy(s, &s->next, s->jump_w, s->jump_v, s->p, columns, log_m);
}

static void candidate(struct tamis_mixture_state *s, size_t enters, size_t leaves)
{
    s->enters = enters;
    s->leaves = leaves;
}

static size_t some_inside(const struct tamis_mixture_state *s, struct tamis_rng *rng)
{
    return s->list[tamis_rng_below(rng, s->size)];
}

static double choice_outside(const struct tamis_mixture_state *s)
{
    double sum = 0;
    for (size_t i = s->size; i < s->mix->inputs; i++) sum += s->mix->choice[s->list[i]];
    return sum;
}

/* An input outside, with probability proportional to its choice; *all: the sum of these. */
static size_t some_outside(const struct tamis_mixture_state *s, double *all, struct tamis_rng *rng)
{
    size_t last = s->mix->inputs - 1;
    double u = (*all = choice_outside(s)) * tamis_rng_uniform(rng);
    for (size_t i = s->size; i < last; i++)
        if ((u -= s->mix->choice[s->list[i]]) < 0) return s->list[i];
    return s->list[last];
}

/* Exchange of i for j: probability of the choice that undoes it, over that of the choice itself. */
static double choice_ratio(const struct tamis_mixture *m, size_t i, size_t j, double all)
{
    return log(m->choice[i] * all / (m->choice[j] * (all - m->choice[j] + m->choice[i])));
}

/* h dE that is 0 at h = 0 even where the energy is -infinite. */
static double heated(double heat, double difference) { return heat > 0 ? heat * difference : 0; }

/* The sums that a birth proposes from and a death is compared with; NULL: the prior alone. */
static const double *birth_sums(const struct tamis_mixture_state *s)
{
    return s->mix->set.prior_births ? NULL : s->sum;
}

double tamis_mixture_birth(void *state, double heat, double scale, struct tamis_rng *rng)
{
    struct tamis_mixture_state *s = state;
    const struct tamis_mixture *m = s->mix;
    (void)scale;
    if (s->size >= m->set.most) return -INFINITY;
    double all;
    size_t j = some_outside(s, &all, rng);
    candidate(s, j, NONE);
    double ratio = weights_propose(s, 1, rng) +
                   log(all / m->choice[j] / (double)(m->inputs - s->size) * m->set.lambda / (double)(s->size + 1));
    shares_of(s, &s->now, s->w, s->v, 1);
    input_sums(s, j, s->sum);
    tamis_mixture_propose(m, j, birth_sums(s), heat, s->new_mu, s->new_tau, rng);
    columns_add(s, j, s->new_mu, s->new_tau, 1, &s->now, &s->next);
    return ratio + heated(heat, next_energy(s) - s->energy) +
           tamis_mixture_log_excess(m, j, birth_sums(s), heat, s->new_mu, s->new_tau);
}

double tamis_mixture_death(void *state, double heat, double scale, struct tamis_rng *rng)
{
    struct tamis_mixture_state *s = state;
    const struct tamis_mixture *m = s->mix;
    (void)scale;
    if (!s->size) return -INFINITY;
    size_t i = some_inside(s, rng);
    const double *mu = s->mu + m->set.kernels * m->first[i], *tau = s->tau + m->set.kernels * m->first[i];
    candidate(s, NONE, i);
    double ratio = weights_propose(s, 0, rng) -
                   log((choice_outside(s) + m->choice[i]) / m->choice[i] / (double)(m->inputs - s->size + 1) *
                       m->set.lambda / (double)s->size);
    columns_add(s, i, mu, tau, -1, &s->now, &s->next);
    ratio += heated(heat, next_energy(s) - s->energy);
    shares_of(s, &s->next, s->jump_w, s->jump_v, 0);
    input_sums(s, i, s->sum);
    return ratio - tamis_mixture_log_excess(m, i, birth_sums(s), heat, mu, tau);
}

/* Replaces input i by j, which may be i itself with other parameters. */
static double replace(struct tamis_mixture_state *s, size_t i, size_t j, double heat, struct tamis_rng *rng)
{
    const struct tamis_mixture *m = s->mix;
    size_t d = m->set.kernels;
    const double *mu = s->mu + d * m->first[i], *tau = s->tau + d * m->first[i];
    double *sum_j = s->sum + 3 * d * m->width[i];
    candidate(s, j, i);
    weights_keep(s);
    columns_add(s, i, mu, tau, -1, &s->now, &s->base);
    tamis_mix_exp(m->r.n, d, &s->base);
    tamis_mix_sums(&m->r, d, s->w, s->v, m->classes, &s->base);
    s->evaluations++;
    shares_of(s, &s->base, s->w, s->v, 0);
    input_sums(s, i, s->sum);
    input_sums(s, j, sum_j);
    tamis_mixture_propose(m, j, sum_j, heat, s->new_mu, s->new_tau, rng);
    columns_add(s, j, s->new_mu, s->new_tau, 1, &s->base, &s->next);
    return heated(heat, next_energy(s) - s->energy) +
           tamis_mixture_log_excess(m, j, sum_j, heat, s->new_mu, s->new_tau) -
           tamis_mixture_log_excess(m, i, s->sum, heat, mu, tau);
}

double tamis_mixture_exchange(void *state, double heat, double scale, struct tamis_rng *rng)
{
    struct tamis_mixture_state *s = state;
    (void)scale;
    if (!s->size || s->size == s->mix->inputs) return NAN;
    double all;
    size_t i = some_inside(s, rng), j = some_outside(s, &all, rng);
    return replace(s, i, j, heat, rng) + choice_ratio(s->mix, i, j, all);
}

double tamis_mixture_redraw(void *state, double heat, double scale, struct tamis_rng *rng)
{
    struct tamis_mixture_state *s = state;
    (void)scale;
    if (!s->size) return NAN;
    size_t i = some_inside(s, rng);
    return replace(s, i, i, heat, rng);
}

/* Multiplies all precisions of one input by one factor, near 1 or far from it. */
double tamis_mixture_rescale(void *state, double heat, double scale, struct tamis_rng *rng)
{
    struct tamis_mixture_state *s = state;
    const struct tamis_mixture *m = s->mix;
    size_t d = m->set.kernels;
    (void)scale;
    if (!s->size) return NAN;
    size_t i = some_inside(s, rng), cells = d * m->width[i];
    const double *mu = s->mu + d * m->first[i], *tau = s->tau + d * m->first[i];
    double step = tamis_rng_ziggurat(rng) * (tamis_rng_uniform(rng) < 0.5 ? 0.7 : 4), factor = exp(step),
           ratio = (double)cells * step;
    candidate(s, i, i);
    weights_keep(s);
    memcpy(s->new_mu, mu, cells * sizeof *mu);
    for (size_t k = 0; k < cells; k++) {
        s->new_tau[k] = tau[k] * factor;
        if (!(s->new_tau[k] > 1e-280 && s->new_tau[k] < 1e280)) return -INFINITY;
    }
    for (size_t c = 0; c < m->width[i]; c++)
        s->sum[c] = tamis_mixture_rate_scaled(m, m->first[i] + c, tau + d * c, factor, &ratio);
    ratio += tamis_mixture_log_scaled(m, m->width[i], s->sum, step);
    columns_change(s, i, i, &s->now, &s->next);
    return ratio + heated(heat, next_energy(s) - s->energy);
}

/* log of the prior of means */
static double log_means(const struct tamis_mixture *m, size_t c, const double *mu)
{
    double sum = 0.5 * (double)m->set.kernels * log(m->kappa[c]);
    for (size_t d = 0; d < m->set.kernels; d++) sum -= 0.5 * m->kappa[c] * (mu[d] - m->xi[c]) * (mu[d] - m->xi[c]);
    return sum;
}

/* tau', beta' of the columns that enter for those that leave, and the tails; -INFINITY if a beta' is too small. */
static double carry_scales(struct tamis_mixture_state *s, size_t i, size_t j)
{
    const struct tamis_mixture *m = s->mix;
    size_t d = m->set.kernels;
    double ratio = 0;
    for (size_t c = 0; c < m->width[i]; c++) {
        size_t a = m->first[i] + c, b = m->first[j] + c;
        double r = m->h[b] / m->h[a];
        for (size_t k = 0; k < d; k++) s->new_tau[k + d * c] = s->tau[k + d * a] * r;
        s->new_beta[c] = s->beta[a] / r;
        ratio += s->new_beta[c] > m->beta_min[b] ? m->log_tail[a] - m->log_tail[b] : -INFINITY;
    }
    return ratio;
}

double tamis_mixture_carry(void *state, double heat, double scale, struct tamis_rng *rng)
{
    struct tamis_mixture_state *s = state;
    const struct tamis_mixture *m = s->mix;
    (void)scale;
    if (!s->size || s->size == m->inputs || m->set.mode == TAMIS_CONDITIONAL) return NAN;
    double all;
    size_t d = m->set.kernels, i = some_inside(s, rng), j = some_outside(s, &all, rng);
    const double *mu = s->mu + d * m->first[i], *tau = s->tau + d * m->first[i];
    if (m->width[i] != m->width[j]) return -INFINITY;
    candidate(s, j, i);
    double ratio = carry_scales(s, i, j) + choice_ratio(m, i, j, all);
    if (ratio == -INFINITY) return ratio;
    weights_keep(s);
    shares_of(s, &s->now, s->w, s->v, 1);
    input_sums(s, j, s->sum);
    for (size_t c = 0; c < m->width[j]; c++) {
        tamis_mixture_draw_means(m, m->first[j] + c, s->sum + 3 * d * c, heat, s->new_tau + d * c, s->new_mu + d * c,
                                 rng);
        ratio += log_means(m, m->first[j] + c, s->new_mu + d * c) - log_means(m, m->first[i] + c, mu + d * c) -
                 tamis_mixture_log_means(m, m->first[j] + c, s->sum + 3 * d * c, heat, s->new_tau + d * c,
                                         s->new_mu + d * c);
    }
    columns_change(s, i, j, &s->now, &s->next);
    ratio += heated(heat, next_energy(s) - s->energy);
    shares_of(s, &s->next, s->jump_w, s->jump_v, 0);
    input_sums(s, i, s->sum);
    for (size_t c = 0; c < m->width[i]; c++)
        ratio += tamis_mixture_log_means(m, m->first[i] + c, s->sum + 3 * d * c, heat, tau + d * c, mu + d * c);
    return ratio;
}

/* -1 if two columns are negatively correlated, else 1; symmetric. The filling is 0. */
static double direction_of(const struct tamis_mixture *m, size_t a, size_t b)
{
    return tamis_mix_dot(m->r.n, m->x + m->r.n * a, m->x + m->r.n * b) < 0 ? -1 : 1;
}

double tamis_mixture_inherit(void *state, double heat, double scale, struct tamis_rng *rng)
{
    struct tamis_mixture_state *s = state;
    const struct tamis_mixture *m = s->mix;
    (void)scale;
    if (!s->size || s->size == m->inputs) return NAN;
    double all;
    size_t d = m->set.kernels, i = some_inside(s, rng), j = some_outside(s, &all, rng);
    const double *mu = s->mu + d * m->first[i], *tau = s->tau + d * m->first[i];
    if (m->width[i] != m->width[j]) return -INFINITY;
    candidate(s, j, i);
    weights_keep(s);
    for (size_t c = 0; c < m->width[i]; c++) {
        double sign = direction_of(m, m->first[i] + c, m->first[j] + c);
        for (size_t k = d * c; k < d * (c + 1); k++) s->new_mu[k] = sign * mu[k], s->new_tau[k] = tau[k];
    }
    columns_change(s, i, j, &s->now, &s->next);
    return choice_ratio(m, i, j, all) + heated(heat, next_energy(s) - s->energy) +
           tamis_mixture_log_prior(m, j, s->new_mu, s->new_tau) - tamis_mixture_log_prior(m, i, mu, tau);
}

/* ---- acceptance ---- */

static void enter(struct tamis_mixture_state *s)
{
    const struct tamis_mixture *m = s->mix;
    size_t d = m->set.kernels, c = m->first[s->enters], w = m->width[s->enters];
    memcpy(s->mu + d * c, s->new_mu, d * w * sizeof *s->mu);
    memcpy(s->tau + d * c, s->new_tau, d * w * sizeof *s->tau);
    tamis_mixture_state_toggle(s, s->enters);
}

/* All but the betas. */
static void take_over(struct tamis_mixture_state *s)
{
    const struct tamis_mixture *m = s->mix;
    size_t d = m->set.kernels;
    if (s->leaves != NONE) tamis_mixture_state_toggle(s, s->leaves);
    if (s->enters != NONE) enter(s);
    if (s->jump_w != s->w) {
        memcpy(s->w, s->new_w, d * m->classes * sizeof *s->w);
        memcpy(s->v, s->new_v, d * sizeof *s->v);
    }
    tamis_mixture_take_next(s);
}

void tamis_mixture_accept_jump(void *state, struct tamis_rng *rng)
{
    struct tamis_mixture_state *s = state;
    take_over(s);
    if (s->enters != NONE) tamis_mixture_draw_betas(s, s->enters, rng);
}

void tamis_mixture_accept_carry(void *state, struct tamis_rng *rng)
{
    struct tamis_mixture_state *s = state;
    (void)rng;
    take_over(s);
    memcpy(s->beta + s->mix->first[s->enters], s->new_beta, s->mix->width[s->enters] * sizeof *s->beta);
}
