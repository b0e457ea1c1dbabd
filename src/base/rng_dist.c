/* Gamma: G. Marsaglia, W. W. Tsang, A simple method for generating gamma variables, ACM TOMS 26, 2000.
 * Gamma above a point far in its tail: an exponential envelope with the rate that accepts most (J. S. Dagpunar, Sampling of variates from a
 * truncated gamma distribution, J. Statist. Comput. Simul. 8, 1978). */
#include <float.h>
#include <math.h>
#include "base/rng_dist.h"

double tamis_rng_exponential(struct tamis_rng *r) { return -log(tamis_rng_uniform(r)); }

double tamis_rng_gamma(struct tamis_rng *r, double shape)
{
    double boost = shape < 1 ? pow(tamis_rng_uniform(r), 1 / shape) : 1;        /* Ga(a) = Ga(a + 1) U^(1/a) */
    double d = (shape < 1 ? shape + 1 : shape) - 1.0 / 3, c = 1 / sqrt(9 * d);
    for (;;) {
        double x = tamis_rng_normal(r), v = 1 + c * x;
        if (v <= 0) continue;
        v = v * v * v;
        double u = tamis_rng_uniform(r), x2 = x * x;
        if (u < 1 - 0.0331 * x2 * x2 || log(u) < 0.5 * x2 + d * (1 - v + log(v))) return d * v * boost;
    }
}

/* x^(a-1) exp(-x) on x > c under the envelope exp(-rate x): the ratio is largest at x = (a - 1) / (1 - rate), or at c. */
static double gamma_tail(struct tamis_rng *r, double a, double c)
{
    double rate = a > 1 ? (c - a + sqrt((c - a) * (c - a) + 4 * c)) / (2 * c) : 1;
    double top = a > 1 && rate < 1 ? fmax(c, (a - 1) / (1 - rate)) : c;
    for (;;) {
        double x = c + tamis_rng_exponential(r) / rate;
        if (log(tamis_rng_uniform(r)) <= (a - 1) * log(x / top) - (1 - rate) * (x - top)) return x;
    }
}

double tamis_rng_gamma_above(struct tamis_rng *r, double shape, double least)
{
    double x;
    if (least > shape) return gamma_tail(r, shape, least);
    do x = tamis_rng_gamma(r, shape);
    while (x < least);
    return x;
}

double tamis_rng_beta(struct tamis_rng *r, double a, double b)
{
    double x = tamis_rng_gamma(r, a), y = tamis_rng_gamma(r, b);
    return x / (x + y);
}

void tamis_rng_dirichlet(struct tamis_rng *r, size_t n, double prior, const double *count, double *out)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += out[i] = fmax(tamis_rng_gamma(r, prior + (count ? count[i] : 0)), DBL_MIN);
    for (size_t i = 0; i < n; i++) out[i] = fmax(out[i] / sum, DBL_MIN);
}

size_t tamis_rng_categorical(struct tamis_rng *r, size_t n, const double *weight)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += weight[i];
    double u = sum * tamis_rng_uniform(r);
    size_t last = 0;
    for (size_t i = 0; i < n; i++) {
        if (weight[i] <= 0) continue;
        last = i;
        if (u < weight[i]) return i;
        u -= weight[i];
    }
    return last;
}
