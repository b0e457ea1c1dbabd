/* Greedy choice of basis functions by the mean reconstruction error. */
#ifndef TAMIS_GREEDY_H
#define TAMIS_GREEDY_H

#include <stddef.h>

/* r: a kernel with unit diagonal, n x n, lower triangle, leading dimension ld; overwritten by what the chosen rows do
 * not explain, K - K_NS K_SS^-1 K_SN. order: the rows chosen, in order, at most `most` of them; a row is eligible while
 * its pivot is above tolerance. g (n x most, leading dimension n, or NULL): the columns of the pivoted Cholesky factor,
 * K_NS K_SS^-1 K_SN = g g^T, g_S lower triangular. mre (most + 1, or NULL): the reconstruction error summed over rows,
 * before the first choice and after each. work: 2 n. Returns how many were chosen; about 3 n^2 flops each. */
size_t tamis_greedy(size_t n, double *r, size_t ld, double tolerance, size_t most, size_t *order, double *g,
                    double *mre, double *work);
/* The same for rows that count w times, root = sqrt(w) or NULL: r is scaled by it from both sides first, and the error
 * is sum w_n R_nn. r is scaled back, the rows of g are not. */
size_t tamis_greedy_weighted(size_t n, double *r, size_t ld, const double *root, double tolerance, size_t most,
                             size_t *order, double *g, double *mre, double *work);

#endif
