/* Moves that take a kernel from one mode to another, which a gradient cannot.
 *
 * kernel  mu_d of one kernel and all inputs is drawn from q, its prior mixed with normals around the rows, tau_d from
 *         its prior given beta: t dE + log p(mu') - log q(mu') - log p(mu) + log q(mu)
 * cross   two kernels trade mu, tau in some of the inputs: the prior does not change, t dE
 * trade   two kernels trade their weights in one class, or the weights of the class are drawn from their prior: t dE,
 *         without a single exponential */
#include <math.h>
#include <string.h>
#include "base/rng_dist.h"
#include "method/rjmcmc/mixture_target.h"
#include "num/density.h"

static const double near_prior = 0.5;           /* share of the prior */
static const double near_precision = 100;       /* around a row, in units of kappa */

/* next.l as it is now, of the kernels that stay. */
static void candidate_start(struct tamis_mixture_state *s, size_t a, size_t b)
{
    size_t n = s->mix->r.n;
    s->turned[0] = a;
    s->turned[1] = b;
    for (size_t d = 0; d < s->mix->set.kernels; d++)
        if (d != a && d != b) memcpy(s->next.l + n * d, s->now.l + n * d, n * sizeof *s->now.l);
    tamis_mixture_columns(s);
}

/* l of one kernel with these parameters. */
static void kernel_levels(struct tamis_mixture_state *s, size_t k, const double *mu, const double *tau, double *l)
{
    const struct tamis_mixture *m = s->mix;
    size_t columns = s->columns;
    double *one_mu = s->y, *one_tau = s->y + columns;
    for (size_t c = 0; c < columns; c++)
        one_mu[c] = mu[k + m->set.kernels * s->column[c]], one_tau[c] = tau[k + m->set.kernels * s->column[c]];
    double level = 0.5 * tamis_mix_log_product(columns, one_tau);
    tamis_mix_levels(m->r.n, 1, columns, s->column, m->x, one_mu, one_tau, &level, l);
}

/* next.l of a kernel whose parameters changed. */
static void kernel_again(struct tamis_mixture_state *s, size_t k)
{
    kernel_levels(s, k, s->mu2, s->tau2, s->next.l + s->mix->r.n * k);
}

/* h dE of the candidate, from next.l. */
static double heated_change(struct tamis_mixture_state *s, double heat)
{
    s->next_energy = tamis_mixture_energy(s, &s->next, s->w, s->v, s->p, s->columns, tamis_mixture_sum_m(s));
    return heat > 0 ? heat * (s->next_energy - s->energy) : 0;
}

/* log p(mu) of one kernel's means, without its constant. */
static double log_means(const struct tamis_mixture_state *s, size_t k, const double *mu)
{
    const struct tamis_mixture *m = s->mix;
    double sum = 0;
    for (size_t i = 0; i < s->columns; i++) {
        size_t c = s->column[i];
        double z = mu[k + m->set.kernels * c] - m->xi[c];
        sum -= 0.5 * m->kappa[c] * z * z;
    }
    return sum;
}

/* log q(mu), without the same constant: a share of the prior, and normals around the rows with a tenth of the range as
 * standard deviation. */
static double log_near(struct tamis_mixture_state *s, size_t k, const double *mu, double prior)
{
    const struct tamis_mixture *m = s->mix;
    size_t columns = s->columns;
    double *one_mu = s->y, *one_tau = s->y + columns,
           level = 0.5 * (double)columns * log(near_precision) + log(1 - near_prior) - m->log_rows;
    for (size_t c = 0; c < columns; c++)
        one_mu[c] = mu[k + m->set.kernels * s->column[c]], one_tau[c] = near_precision * m->kappa[s->column[c]];
    tamis_mix_levels(m->r.n, 1, columns, s->column, m->x, one_mu, one_tau, &level, s->base.l);
    s->evaluations += 1 / (double)m->set.kernels;
    return tamis_log_add(log(near_prior) + prior, tamis_mix_log_sum_exp(m->r.n, s->base.l, m->keep));
}

double tamis_mixture_kernel(void *state, double heat, double scale, struct tamis_rng *rng)
{
    struct tamis_mixture_state *s = state;
    const struct tamis_mixture *m = s->mix;
    (void)scale;
    if (!s->size) return NAN;
    size_t d = m->set.kernels, k = tamis_rng_below(rng, d), row = m->place[tamis_rng_below(rng, m->rows)];
    int far = tamis_rng_uniform(rng) < near_prior;
    candidate_start(s, k, k);
    for (size_t i = 0; i < s->columns; i++) {
        size_t c = s->column[i];
        double sd = 1 / sqrt(m->kappa[c] * (far ? 1 : near_precision));
        s->mu2[k + d * c] = (far ? m->xi[c] : m->x[row + m->r.n * c]) + sd * tamis_rng_ziggurat(rng);
        s->tau2[k + d * c] = fmax(tamis_rng_gamma(rng, m->set.alpha) / s->beta[c], 1e-280);
    }
    double old = log_means(s, k, s->mu), new = log_means(s, k, s->mu2);
    kernel_again(s, k);
    return new - log_near(s, k, s->mu2, new) - old + log_near(s, k, s->mu, old) + heated_change(s, heat);
}

static void trade(double *x, size_t a, size_t b)
{
    double t = x[a];
    x[a] = x[b];
    x[b] = t;
}

/* Two different kernels. */
static void two_kernels(size_t d, size_t *a, size_t *b, struct tamis_rng *rng)
{
    *a = tamis_rng_below(rng, d);
    *b = tamis_rng_below(rng, d - 1);
    *b += *b >= *a;
}

double tamis_mixture_cross(void *state, double heat, double scale, struct tamis_rng *rng)
{
    struct tamis_mixture_state *s = state;
    const struct tamis_mixture *m = s->mix;
    size_t d = m->set.kernels, a, b, only;
    (void)scale;
    if (!s->size || d < 2) return NAN;
    two_kernels(d, &a, &b, rng);
    only = tamis_rng_below(rng, s->size);
    candidate_start(s, a, b);
    for (size_t i = 0; i < s->size; i++) {
        int stays = i != only && tamis_rng_uniform(rng) < 0.7;
        size_t to_a = stays ? a : b, to_b = stays ? b : a;
        for (size_t c = m->first[s->list[i]]; c < m->first[s->list[i]] + m->width[s->list[i]]; c++) {
            s->mu2[a + d * c] = s->mu[to_a + d * c], s->mu2[b + d * c] = s->mu[to_b + d * c];
            s->tau2[a + d * c] = s->tau[to_a + d * c], s->tau2[b + d * c] = s->tau[to_b + d * c];
        }
    }
    kernel_again(s, a);
    kernel_again(s, b);
    return heated_change(s, heat);
}

void tamis_mixture_accept_kernels(void *state, struct tamis_rng *rng)
{
    struct tamis_mixture_state *s = state;
    size_t d = s->mix->set.kernels;
    (void)rng;
    for (size_t i = 0; i < s->columns; i++)
        for (int j = 0; j < 2; j++) {
            size_t at = s->turned[j] + d * s->column[i];
            s->mu[at] = s->mu2[at];
            s->tau[at] = s->tau2[at];
        }
    tamis_mixture_take_next(s);
}

double tamis_mixture_trade(void *state, double heat, double scale, struct tamis_rng *rng)
{
    struct tamis_mixture_state *s = state;
    const struct tamis_mixture *m = s->mix;
    size_t d = m->set.kernels, k = tamis_rng_below(rng, m->classes), a, b;
    struct tamis_mix q = {s->now.l, s->now.e, s->now.m, s->next.f, s->next.s};
    (void)scale;
    if (d < 2) return NAN;
    memcpy(s->new_w, s->w, d * m->classes * sizeof *s->w);
    memcpy(s->new_p, s->p, m->classes * sizeof *s->p);
    if (tamis_rng_uniform(rng) < 0.3) tamis_rng_dirichlet(rng, d, 1, NULL, s->new_w + d * k);
    else {
        two_kernels(d, &a, &b, rng);
        trade(s->new_w + d * k, a, b);
    }
    tamis_mixture_total(m, s->new_w, s->new_p, s->new_v);
    s->next_energy = tamis_mixture_energy_of_sums(s, &q, s->new_w, s->new_v, s->new_p, tamis_mixture_columns(s),
                                                  tamis_mixture_sum_m(s));
    return heat > 0 ? heat * (s->next_energy - s->energy) : 0;
}

void tamis_mixture_accept_trade(void *state, struct tamis_rng *rng)
{
    (void)rng;
    struct tamis_mixture_state *s = state;
    const struct tamis_mixture *m = s->mix;
    double *f = s->now.f, *t = s->now.s;
    memcpy(s->w, s->new_w, m->set.kernels * m->classes * sizeof *s->w);
    memcpy(s->v, s->new_v, m->set.kernels * sizeof *s->v);
    s->now.f = s->next.f, s->now.s = s->next.s;
    s->next.f = f, s->next.s = t;
    s->energy = s->next_energy;
    s->shares_known = 0;
}
