/* Leave-one-out error of a Gaussian network with a basis function on every row: one reduction serves many lambdas. */
#ifndef TAMIS_LOO_H
#define TAMIS_LOO_H

#include <stddef.h>

/* Everything lives in the caller's memory (tamis_loo_size doubles); the struct owns nothing and may be copied. */
struct tamis_loo {
    size_t n;           /* rows */
    size_t stride;      /* leading dimension of q and v */
    size_t rank;        /* order r of T, columns of Q that are kept; r < n when only r directions of G are above
                         * rounding */
    double *q;          /* n x r: Q (during the reduction: G) */
    double *v;          /* Q again, in strips of rows for the pass (during the reduction: the reflectors) */
    double *diagonal;   /* r: of T */
    double *beside;     /* r - 1: off-diagonal of T */
    double *tau;        /* n: of the reflectors */
    size_t outputs;     /* columns of y; 1 unless tamis_loo_targets says more */
    double *y;          /* n x outputs: Q^T y, the last n - r those of the dropped directions */
    double *rest;       /* n: what the dropped directions add to diag P */
    double *rest_y;     /* n x outputs: and to P y */
    double *factor;     /* the band factors of a group of lambdas */
    const double *root; /* n: sqrt(w) of rows with weights, or NULL; the caller's */
    double total;       /* sum of the weights; n without */
    double *work;
};

/* Doubles of memory for n rows: about 2 n^2 + 150 n. */
size_t tamis_loo_size(size_t n);
void tamis_loo_bind(struct tamis_loo *w, size_t n, double *memory);
/* Rows that count w_i times, root[i] = sqrt(w_i) and total = sum w_i; call it after tamis_loo_bind. */
void tamis_loo_weigh(struct tamis_loo *w, const double *root, double total);

/* Several targets that share the reduction; 2 n outputs doubles of memory. Call it after tamis_loo_bind. */
void tamis_loo_targets(struct tamis_loo *w, size_t outputs, double *memory);

/* Reduces the Gaussian matrix of d2 (lower triangle of n x n squared distances, not changed) at width sigma2 to the
 * form that the functions below need; about 8/3 n^3 flops, fewer when G is of low rank. y (n x outputs): with weights,
 * sqrt(w_i) y_i.
 * Nonzero: d2 or y holds a NaN or an infinity. */
int tamis_loo_reduce(struct tamis_loo *w, const double *d2, double sigma2, const double *y);

/* The mean squared leave-one-out error at each lambda > 0, the mean over targets; about 10 n r flops each. +inf where a
 * leverage is 1. */
void tamis_loo_errors(struct tamis_loo *w, const double *lambda, size_t count, double *mse);

/* The same where only the least error is wanted: errors that are larger than another of them may be given as +inf. */
void tamis_loo_least(struct tamis_loo *w, const double *lambda, size_t count, double *mse);

/* The n leave-one-out residuals of the first target, y_i - f_(-i)(x_i). */
void tamis_loo_residuals(struct tamis_loo *w, double lambda, double *e);

/* The (n + 1) x outputs weights of the network, the bias of each output last. */
void tamis_loo_weights(struct tamis_loo *w, double lambda, double *alpha);

#endif
