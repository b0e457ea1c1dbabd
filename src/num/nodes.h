/* The hidden nodes of a radial basis function classifier from a clustering, and its output weights. Matrices are
 * column-major. */
#ifndef TAMIS_NODES_H
#define TAMIS_NODES_H

#include <stddef.h>

struct tamis_rng;

/* weight, in all of these: row i counts as weight[i] > 0 equal rows; NULL: as one. */

/* Rows and clusters as tamis_kmeans leaves them; no cluster is empty. sigma[c]: the root mean squared distance of the
 * rows of node c from its centre; where that is 0 (one row, or equal rows), half the distance to the nearest other
 * centre; 1 when there is none. work: n doubles. */
void tamis_nodes_sigma(size_t n, const double *x, size_t ldx, const double *weight, const size_t *columns, size_t d,
                       size_t m, const double *centre, const size_t *assignment, const size_t *count, double *work,
                       double *sigma);

/* Removes centres without rows from centre (m x d, in place; columns 0..d-1), count and assignment. Returns how many
 * are left. */
size_t tamis_nodes_compact(size_t n, size_t d, size_t m, double *centre, size_t *assignment, size_t *count);

/* phi (n x m, leading dimension ldphi) = exp(-|x - mu_c|^2 / (2 sigma_c^2)); centre m x d with leading dimension m. */
void tamis_nodes_basis(size_t n, const double *x, size_t ldx, const size_t *columns, size_t d, size_t m,
                       const double *centre, const double *sigma, double *phi, size_t ldphi);

/* Output weights w (m x l) that minimise |phi w - y|^2, of least norm when there are several; y: one of l classes per
 * row; no bias. work: tamis_nodes_ls_size doubles; iwork: m ints. Returns the rank of phi, 0 when LAPACK failed. */
size_t tamis_nodes_ls_size(size_t n, size_t m, size_t l);
size_t tamis_nodes_ls(size_t n, size_t m, size_t l, const double *phi, const double *y, const double *weight,
                      double *work, int *iwork, double *w);

enum { TAMIS_MANY_CLASSES = 30 };

/* The same by least mean squares from w = 0: w_k += rate / n (t_k - phi_i w_k) phi_i, row by row, in a new order every
 * epoch; with many classes, in one order for all epochs. n is the sum of the weights, and a row is presented as often
 * as it counts, one time after the other (nodes_lms.c). work: tamis_nodes_lms_size doubles; order: n. About
 * 4 n m l epochs operations; with many classes 4 n m (m + l) + 3 m^2 (m + l) log2 epochs, as matrix products. */
size_t tamis_nodes_lms_size(size_t n, size_t m, size_t l);
void tamis_nodes_lms(size_t n, size_t m, size_t l, const double *phi, const double *y, const double *weight,
                     double rate, size_t epochs, struct tamis_rng *rng, double *work, size_t *order, double *w);

#endif
