/* The numbers behind model-X knockoffs of Gaussian inputs with covariance Sigma and of what is decided with them.
 * Matrices are d x d, symmetric, both halves. */
#ifndef TAMIS_KNOCKOFF_H
#define TAMIS_KNOCKOFF_H

#include <stddef.h>

/* ---- covariance (shrink.c) ---- */

/* Sigma = (1 - lambda) Z Z' / n + lambda I, rescaled to ones on the diagonal, for Z d x n (one column per row of the
 * table, inputs of mean 0 and variance about 1); returns lambda. Rows count as num/weighted.h has it; work: d x n, not
 * used without weights. */
double tamis_shrink(size_t d, size_t n, const double *weight, const double *z, double *sigma, double *work);
/* S = beta S + Z Z' / n; *fourth += the sum over rows of |z_i|^4. */
void tamis_shrink_add(size_t d, size_t n, const double *weight, const double *z, double beta, double *s, double *fourth,
                      double *work);
/* S becomes (1 - lambda) S + lambda m I, m its mean diagonal, rescaled to ones on the diagonal. */
void tamis_correlate(size_t d, double lambda, double *s);
/* Ledoit and Wolf's lambda for S = Z Z' / n; fourth: the sum over rows of |z_i|^4. */
double tamis_shrink_weight(size_t d, size_t n, const double *weight, const double *s, double fourth);

/* ---- how far knockoffs are from their originals (knockoff_distance.c) ---- */

/* Cov(x~) = Sigma, Cov(x, x~) = Sigma - diag(s). Each fills s (d), with scratch work (2 d^2); nonzero: Sigma is not
 * positive definite. mvr: minimises the trace of the inverse of the joint covariance, about ten sweeps of 2 d^3 flops;
 * equal: the largest s that is the same for all inputs, at most 1. */
int tamis_knockoff_mvr(size_t d, const double *sigma, double *s, double *work);
int tamis_knockoff_equal(size_t d, const double *sigma, double *s, double *work);
/* Whether 2 Sigma - diag(s) is positive definite and s positive; work: d^2. */
int tamis_knockoff_feasible(size_t d, const double *sigma, const double *s, double *work);
/* The law of x~ given x: N(B x, L L') with B = I - diag(s) Sigma^-1 and L L' = 2 diag(s) - diag(s) Sigma^-1 diag(s), L
 * lower triangular, zeros above. work: d^2. Nonzero: not feasible. */
int tamis_knockoff_law(size_t d, const double *sigma, const double *s, double *b, double *l, double *work);

/* ---- which inputs (knockoff_choice.c) ---- */

/* The least t = |W_j| > 0 with (1 + #{W <= -t}) / max(1, #{W >= t}) <= q; INFINITY: there is none. */
double tamis_knockoff_threshold(size_t d, const double *w, double q);
/* e_j = d [W_j >= T] / (1 + #{W <= -T}), T the least t for which the ratio above is at most q or fewer than 1 / q
 * inputs have W >= t; added to e. */
void tamis_knockoff_e_values(size_t d, const double *w, double q, double *e);
/* Benjamini and Hochberg with e-values: the k largest, k the most with e_(k) >= d / (q k). How many. */
size_t tamis_e_bh(size_t d, const double *e, double q, unsigned char *set);

#endif
