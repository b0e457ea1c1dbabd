/* Bounded functions of one column: phi_1 .. phi_q, q <= TAMIS_FUNCTIONS, orthonormal over the rows they were learnt on
 * (mean 0, variance 1, uncorrelated).
 *
 *     raw functions:  z, z^2, sqrt2 cos(pi k u), k = 1 .. 5
 *     z   x clipped to [lo, hi] and scaled to [-1, 1]; lo = max(min, q05 - 1.5 (q95 - q05)), hi likewise, with the 5
 *         and 95 % quantiles (the extremes where these coincide)
 *     u   the mid-rank of x in (0, 1), from a table of at most TAMIS_KNOTS values, linear between them, constant beyond
 *
 * centred and made orthonormal in this order by Gram-Schmidt, twice; a function with less than 1e-4 of its variance
 * left is dropped (a column of m values keeps at most m - 1, a constant one none).
 *
 * The arithmetic is fixed: no operation is fused, sums run in order, the cosine is our own. The exported C source of
 * model/terms.c does the same, and gives the same bits on every IEEE machine. */
#ifndef TAMIS_BASIS_H
#define TAMIS_BASIS_H

#include <stddef.h>

enum { TAMIS_FUNCTIONS = 7, TAMIS_KNOTS = 256 };

struct tamis_basis {
    size_t functions;                                   /* q */
    size_t order[TAMIS_FUNCTIONS];                      /* of each function kept: its raw function, from 0 */
    double lo, hi;
    size_t knots;
    double knot[TAMIS_KNOTS], rank[TAMIS_KNOTS];        /* increasing values and their mid-ranks */
    double mean[TAMIS_FUNCTIONS];                       /* of the raw functions */
    /* phi_k = sum over j <= order[k] of turn[k][j] (raw_j - mean_j) */
    double turn[TAMIS_FUNCTIONS][TAMIS_FUNCTIONS];
    size_t values;                                      /* distinct values seen, at most TAMIS_KNOTS + 1 */
};

/* From n values (none NaN); work: n doubles. */
void tamis_basis_learn(struct tamis_basis *b, const double *x, size_t n, double *work);
/* From n values that count as w[i] each, in quantiles, ranks, means and products; w may be NULL. work: 4 n doubles. */
void tamis_basis_learn_weighed(struct tamis_basis *b, const double *x, const double *w, size_t n, double *work);

/* The first `count` functions (at most b->functions) of n values: out[i + ld k]. */
void tamis_basis_apply(const struct tamis_basis *b, size_t count, const double *x, size_t n, double *out, size_t ld);

#endif
