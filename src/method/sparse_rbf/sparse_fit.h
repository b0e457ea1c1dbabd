/* Fitting a Gaussian network that is sparse in inputs and basis functions: three solvers of one problem.
 *
 *     minimise E(alpha, w) = 1/N sum_n (y_n - f(x_n))^2   such that  sum_m |alpha_m| <= r,  sum_i w_i <= t,  w >= 0
 *
 * ([1] eq. (12)); with weights c_n of the rows, E is the weighted mean of the squares.
 *
 * [1] J. Tikka, Simultaneous input variable and basis function selection for RBF networks, Neurocomputing 72 (2009). */
#ifndef TAMIS_SPARSE_FIT_H
#define TAMIS_SPARSE_FIT_H

#include "base/base.h"
#include "num/wnet.h"

enum tamis_sparse_solver { TAMIS_SPARSE_PROJECTION, TAMIS_SPARSE_DIRECT, TAMIS_SPARSE_ALTERNATING };

/* Rows, centres and target; the caller's. */
struct tamis_sparse_data {
    struct tamis_wnet net;
    const double *y;            /* times net.root, if the rows have weights */
};

struct tamis_sparse_answer {
    double error;               /* E */
    double gap;                 /* projection: how far from stationary, in units of E; otherwise NAN */
    size_t evaluations;         /* of E, or of the smallest E over alpha */
    size_t inputs, functions;   /* columns with a weight, and basis functions with a coefficient */
};

struct tamis_sparse_fit;

/* Memory for fits of at most this many rows, centres and input columns. */
double tamis_sparse_bytes(enum tamis_sparse_solver solver, size_t rows, size_t centres, size_t columns);
struct tamis_sparse_fit *tamis_sparse_fit_new(tamis_context *cx, enum tamis_sparse_solver solver, size_t rows,
                                              size_t centres, size_t columns);
void tamis_sparse_fit_free(struct tamis_sparse_fit *f);
double tamis_sparse_work(const struct tamis_sparse_fit *f);     /* projection: flops of all its fits so far */

/* From the weights in w (columns; projection: as they are, scaled into the bound; the others: strictly inside it) to
 * the answer in w and alpha (centres + 1, the bias first). projection: alpha is the start of the first lasso when warm
 * != 0; tolerance: stop when the gap is below tolerance (E + a hundredth of the mean square of y), or E falls more
 * slowly than that. The others: alpha's start has random signs from seed, and what their barrier leaves near zero is
 * set to zero (|alpha_m| <= 1e-4, w_i <= 0.01 max w), E being that before. */
int tamis_sparse_solve(struct tamis_sparse_fit *f, const struct tamis_sparse_data *d, double r, double t,
                       double tolerance, int warm, uint64_t seed, double *w, double *alpha,
                       struct tamis_sparse_answer *answer);

/* E alone after the convex step at fixed w, for choosing among starts; projection only. */
int tamis_sparse_probe(struct tamis_sparse_fit *f, const struct tamis_sparse_data *d, double r, const double *w,
                       double *alpha, int warm, double *error);

/* f(x) of `rows` rows of x: out (rows). work: rows + (rows + functions) columns doubles. */
void tamis_sparse_apply(const double *x, size_t ldx, size_t rows, const struct tamis_wnet *net, const double *w,
                        const double *alpha, double *work, double *out);

#endif
