/* Exact cross-validation of a least squares support vector machine: one reduction of the kernel serves many gammas. */
#ifndef TAMIS_LSSVM_NUM_H
#define TAMIS_LSSVM_NUM_H

#include <stddef.h>
#include "num/loo.h"

/* Fold f is row[start[f]] .. row[start[f + 1] - 1]; every row is in one fold. count == n: leave-one-out. */
struct tamis_folds { size_t count, *start, *row; };

struct tamis_lssvm_data {
    size_t n, outputs;
    const double *y;                    /* n x outputs, column-major */
    const double *class_of;             /* the class of each row: the output that should be largest; NULL: regression */
    const struct tamis_folds *folds;
    const double *root;                 /* NULL, or sqrt(w) of rows that count w times: y is then sqrt(w) y, */
    double total;                       /* and this is sum w */
};

static inline double tamis_lssvm_total(const struct tamis_lssvm_data *d) { return d->root ? d->total : (double)d->n; }

enum { TAMIS_MANY_OUTPUTS = 30 };       /* beyond this, outputs pass together as matrix products */

/* Everything lives in the caller's memory (tamis_lssvm_size doubles); the data must outlive it. */
struct tamis_lssvm {
    struct tamis_lssvm_data data;
    struct tamis_loo t;
    double *qy;         /* n x outputs: Q^T y */
    double *rest;       /* of each fold, what the directions without kernel add to P_FF: m^2 (leave-one-out: 1) */
    double *rest_y;     /* n x outputs, panel after panel: and to P y */
    double *factor;     /* of a group of gammas */
    double *z;          /* the largest panel, m x n */
    double *block;      /* m^2 */
    double *e;          /* m x outputs */
};

/* Cross-validation error at one gamma; both +infinity where the system could not be solved in double precision. */
struct tamis_lssvm_error {
    double squared;     /* mean squared residual over rows and outputs */
    double wrong;       /* share of misclassified rows */
};

/* Doubles of memory: about 2 n^2 + 2 n m + n (170 + 27 outputs), m the size of the largest fold. */
size_t tamis_lssvm_size(const struct tamis_lssvm_data *data);
void tamis_lssvm_bind(struct tamis_lssvm *w, const struct tamis_lssvm_data *data, double *memory);

/* Write the kernel (n x n, lower triangle, leading dimension tamis_lssvm_ld) into tamis_lssvm_kernel; the reduction
 * overwrites it. About 8/3 n^3 flops. Nonzero: the kernel holds a NaN or an infinity. */
double *tamis_lssvm_kernel(struct tamis_lssvm *w);
size_t tamis_lssvm_ld(const struct tamis_lssvm *w);
int tamis_lssvm_reduce(struct tamis_lssvm *w);
/* Writes exp(-d2 / sigma2) (d2: lower triangle of n x n squared distances) and reduces it. */
int tamis_lssvm_gauss(struct tamis_lssvm *w, const double *d2, double sigma2);

/* The error at each gamma > 0; about n^2 (m + 3) flops each, and 2 n^2 for each output of many. */
void tamis_lssvm_errors(struct tamis_lssvm *w, const double *gamma, size_t count, struct tamis_lssvm_error *error);
/* The n x outputs residuals of rows held out with their fold. Nonzero: the system could not be solved. */
int tamis_lssvm_residuals(struct tamis_lssvm *w, double gamma, double *e);
/* (n + 1) x outputs: beta and the bias of each output. */
void tamis_lssvm_weights(struct tamis_lssvm *w, double gamma, double *beta);

#endif
