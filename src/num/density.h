/* Logarithms of densities and of tail probabilities. Gamma distributions have a shape and a rate. */
#ifndef TAMIS_DENSITY_H
#define TAMIS_DENSITY_H

#include <stddef.h>

double tamis_log_gamma(double a); /* log Gamma(a), a > 0, within 2e-14 relative or absolute; no global state */
/* log Gamma(a) - ((a - 1/2) log a - a + 1/2 log 2 pi), a >= 8 */
double tamis_stirling_rest(double a);
double tamis_log_normal(double x, double mean, double precision);
double tamis_log_gamma_density(double x, double shape, double rate);
/* Sum of the logs of n gamma densities of log x (x times the density of x); cheaper than one by one. */
double tamis_log_gammas(size_t n, const double *shape, const double *rate, const double *x);
double tamis_log_beta_density(double x, double a, double b);
double tamis_log_dirichlet_density(size_t n, const double *p, double prior);    /* all parameters the same */
/* log Q(a, x), the probability that a gamma variable of shape a and rate 1 exceeds x >= 0. */
double tamis_log_gamma_tail(double a, double x);
/* log(exp(a) + exp(b)) */
double tamis_log_add(double a, double b);

/* Exact two-sided sign test of two classifiers on the same rows: `a` errors that only the first makes, `b` that only
 * the second makes. If both are equally good, the probability of a split of a + b errors at least as uneven as this
 * one under Binomial(a + b, 1/2); 1 when a = b. */
double tamis_binomial_test(size_t a, size_t b);

#endif
