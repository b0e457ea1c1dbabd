/* Densities of one input's parameters under the mixture target, draws from them, and the weights of a jump. */
#include <math.h>
#include <string.h>
#include "base/rng_dist.h"
#include "method/rjmcmc/mixture_target.h"
#include "num/density.h"

enum { MOST_KERNELS = 64 };

/* ---- one input's parameters ---- */

static double shape_of_beta(const struct tamis_mixture *m) { return m->set.g + (double)m->set.kernels * m->set.alpha; }

/* log Q(g + D alpha, sum beta_min) */
static double log_above(const struct tamis_mixture *m, size_t c, double sum)
{
    return sum * m->beta_min[c] < m->quiet ? 0 : tamis_log_gamma_tail(shape_of_beta(m), sum * m->beta_min[c]);
}

static double rate_of_beta(const struct tamis_mixture *m, size_t c, const double *tau)
{
    double sum = m->h[c];
    for (size_t d = 0; d < m->set.kernels; d++) sum += tau[d];
    return sum;
}

static double log_tau(const struct tamis_mixture *m, size_t c, const double *tau, double log_product)
{
    double sum = rate_of_beta(m, c, tau);
    return m->tau_level[c] + (m->set.alpha - 1) * log_product - shape_of_beta(m) * log(sum) + log_above(m, c, sum);
}

double tamis_mixture_log_tau(const struct tamis_mixture *m, size_t c, const double *tau)
{
    return log_tau(m, c, tau, tamis_mix_log_product(m->set.kernels, tau));
}

double tamis_mixture_rate_scaled(const struct tamis_mixture *m, size_t c, const double *tau, double factor,
                                 double *tails)
{
    double before = rate_of_beta(m, c, tau), after = m->h[c] + factor * (before - m->h[c]);
    *tails += log_above(m, c, after) - log_above(m, c, before);
    return after / before;
}

double tamis_mixture_log_scaled(const struct tamis_mixture *m, size_t columns, const double *rate, double log_factor)
{
    return (m->set.alpha - 1) * (double)(m->set.kernels * columns) * log_factor -
           shape_of_beta(m) * tamis_mix_log_product(columns, rate);
}

static double log_mu(const struct tamis_mixture *m, size_t c, const double *mu)
{
    double squares = 0;
    for (size_t d = 0; d < m->set.kernels; d++) squares += (mu[d] - m->xi[c]) * (mu[d] - m->xi[c]);
    return m->mu_level[c] - 0.5 * m->kappa[c] * squares;
}

double tamis_mixture_log_prior(const struct tamis_mixture *m, size_t input, const double *mu, const double *tau)
{
    double sum = 0;
    for (size_t c = 0, kernels = m->set.kernels; c < m->width[input]; c++)
        sum += log_mu(m, m->first[input] + c, mu + kernels * c) +
               tamis_mixture_log_tau(m, m->first[input] + c, tau + kernels * c);
    return sum;
}

/* Mean and precision of mu_d given tau_d, of a kernel with these sums. */
static void mean_given(const struct tamis_mixture *m, size_t c, const double *sum, double heat, double tau,
                       double *mean, double *precision)
{
    *precision = heat * sum[0] * tau + m->kappa[c];
    *mean = (heat * sum[1] * tau + m->kappa[c] * m->xi[c]) / *precision;        /* [1] eq. 3 */
}

double tamis_mixture_log_means(const struct tamis_mixture *m, size_t c, const double *sum, double heat,
                               const double *tau, const double *mu)
{
    double all = 0, mean, precision[MOST_KERNELS];
    for (size_t d = 0; d < m->set.kernels; d++) {
        mean_given(m, c, sum + 3 * d, heat, tau[d], &mean, &precision[d]);
        all -= precision[d] * (mu[d] - mean) * (mu[d] - mean);
    }
    return 0.5 * (all + tamis_mix_log_product(m->set.kernels, precision) - (double)m->set.kernels * log(2 * M_PI));
}

void tamis_mixture_draw_means(const struct tamis_mixture *m, size_t c, const double *sum, double heat,
                              const double *tau, double *mu, struct tamis_rng *rng)
{
    double mean, precision;
    for (size_t d = 0; d < m->set.kernels; d++) {
        mean_given(m, c, sum + 3 * d, heat, tau[d], &mean, &precision);
        mu[d] = mean + tamis_rng_ziggurat(rng) / sqrt(precision);
    }
}

/* Ga(a, b) for tau_d: as [1] eq. 3 with beta at its prior mean g / h and squares about the kernel's own mean. */
static void precision_given(const struct tamis_mixture *m, size_t c, const double *sum, double heat, double *a,
                            double *b)
{
    double ss = sum[0] > 1e-12 ? fmax(sum[2] - sum[1] * sum[1] / sum[0], 0) : 0;
    *a = m->set.alpha + 0.5 * heat * sum[0];
    *b = fmax(m->set.g / m->h[c], m->beta_min[c]) + 0.5 * heat * ss;
}

/* Of one column: the log of its proposal from the data over its prior. */
static double log_data(const struct tamis_mixture *m, size_t c, const double *sum, double heat, const double *mu,
                       const double *tau)
{
    double a[MOST_KERNELS], b[MOST_KERNELS], log_product = tamis_mix_log_product(m->set.kernels, tau);
    for (size_t d = 0; d < m->set.kernels; d++) precision_given(m, c, sum + 3 * d, heat, &a[d], &b[d]);
    return tamis_mixture_log_means(m, c, sum, heat, tau, mu) + tamis_log_gammas(m->set.kernels, a, b, tau) -
           log_product - log_mu(m, c, mu) - log_tau(m, c, tau, log_product);
}

double tamis_mixture_log_excess(const struct tamis_mixture *m, size_t input, const double *sum, double heat,
                                const double *mu, const double *tau)
{
    double data = 0;
    if (!sum) return 0;
    for (size_t c = 0, kernels = m->set.kernels; c < m->width[input]; c++)
        data += log_data(m, m->first[input] + c, sum + 3 * kernels * c, heat, mu + kernels * c, tau + kernels * c);
    return data < 500 ? -log(m->prior_share + (1 - m->prior_share) * exp(data)) : -data - log(1 - m->prior_share);
}

double tamis_mixture_log_proposal(const struct tamis_mixture *m, size_t input, const double *sum, double heat,
                                  const double *mu, const double *tau)
{
    return tamis_mixture_log_prior(m, input, mu, tau) - tamis_mixture_log_excess(m, input, sum, heat, mu, tau);
}

static void draw_prior(const struct tamis_mixture *m, size_t c, double *mu, double *tau, struct tamis_rng *rng)
{
    double beta = tamis_rng_gamma_above(rng, m->set.g, m->h[c] * m->beta_min[c]) / m->h[c];
    for (size_t d = 0; d < m->set.kernels; d++) {
        tau[d] = fmax(tamis_rng_gamma(rng, m->set.alpha) / fmax(beta, 1e-280), 1e-280);
        mu[d] = m->xi[c] + tamis_rng_ziggurat(rng) / sqrt(m->kappa[c]);
    }
}

static void draw_data(const struct tamis_mixture *m, size_t c, const double *sum, double heat, double *mu, double *tau,
                      struct tamis_rng *rng)
{
    double a, b;
    for (size_t d = 0; d < m->set.kernels; d++) {
        precision_given(m, c, sum + 3 * d, heat, &a, &b);
        tau[d] = tamis_rng_gamma(rng, a) / b;
    }
    tamis_mixture_draw_means(m, c, sum, heat, tau, mu, rng);
}

void tamis_mixture_propose(const struct tamis_mixture *m, size_t input, const double *sum, double heat, double *mu,
                           double *tau, struct tamis_rng *rng)
{
    size_t kernels = m->set.kernels;
    int prior = !sum || tamis_rng_uniform(rng) < m->prior_share;
    for (size_t c = 0; c < m->width[input]; c++)
        if (prior) draw_prior(m, m->first[input] + c, mu + kernels * c, tau + kernels * c, rng);
        else draw_data(m, m->first[input] + c, sum + 3 * kernels * c, heat, mu + kernels * c, tau + kernels * c, rng);
}

double tamis_mixture_draw_beta(const struct tamis_mixture *m, size_t c, const double *tau, struct tamis_rng *rng)
{
    double rate = rate_of_beta(m, c, tau);
    return tamis_rng_gamma_above(rng, shape_of_beta(m), rate * m->beta_min[c]) / rate;      /* [1] eq. 3 */
}

/* ---- eq. 4 ---- */

static const double shift_a = 1, shift_b = 9;           /* delta ~ Beta(b_a, b_b + 1) */

/* Kernels by weight, heaviest first; among equals in order. */
static void by_weight(size_t n, const double *w, size_t *order)
{
    for (size_t i = 0; i < n; i++) {
        size_t j = i;
        for (; j && w[order[j - 1]] < w[i]; j--) order[j] = order[j - 1];
        order[j] = i;
    }
}

/* Of one pair: heavy a gives a delta to light b (birth), or light b gives b delta to heavy a (death):
 *     log { q(delta back) / q(delta) |d(a', b', delta back)/d(a, b, delta)| }
 *         = b_a log(a / b') + b_b log(a b / (a' b')) for a birth. */
double tamis_mixture_shift(size_t n, const double *w, const double *delta, int birth, double *out)
{
    size_t order[MOST_KERNELS], after[MOST_KERNELS];
    double ratio = 0;
    by_weight(n, w, order);
    memcpy(out, w, n * sizeof *w);
    for (size_t d = 0; d < n / 2; d++) {
        size_t a = order[d], b = order[n - 1 - d], from = birth ? a : b, to = birth ? b : a;
        out[to] = w[to] + w[from] * delta[d];
        out[from] = w[from] * (1 - delta[d]);
        ratio += shift_a * log(w[from] / out[to]) + shift_b * log(w[a] * w[b] / (out[a] * out[b]));
    }
    by_weight(n, out, after);
    return memcmp(order, after, n * sizeof *order) ? -INFINITY : ratio;
}
