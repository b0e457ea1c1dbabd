/* Tail probabilities, as logarithms: they reach 1e-300 and below. */
#ifndef TAMIS_TAIL_H
#define TAMIS_TAIL_H

double tamis_log_upper_chi2(double x, double k);                /* log P(chi-squared with k degrees > x) */
double tamis_log_upper_beta(double v, double a, double b);      /* log P(Beta(a, b) > v) */
double tamis_log_upper_f(double f, double d1, double d2);       /* log P(F with d1, d2 degrees > f) */
double tamis_normal_quantile(double p);                         /* Phi^-1(p), 0 < p < 1 */

#endif
