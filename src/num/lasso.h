/* Least squares with a bound on the sum of absolute coefficients, over many columns of which few are active. */
#ifndef TAMIS_LASSO_H
#define TAMIS_LASSO_H

#include <stddef.h>

/* Lives in the caller's memory, tamis_lasso_size doubles. A solution has at most min(n, p) nonzero coefficients. */
struct tamis_lasso {
    size_t n, p, room;          /* rows, columns, largest number of active columns */
    const double *a, *y;        /* n x p, column-major; n */
    size_t count;               /* active columns */
    size_t *active;             /* their indices */
    double *sign, *value;       /* of the active columns; sign +1 or -1 */
    double *q, *r;              /* A_S = Q R: n x room; room x room, upper */
    double *qy;                 /* Q^T y */
    double *residual;           /* n: y - A a */
    double *correlation;        /* p: A^T residual */
    double lambda;              /* multiplier of the bound in 1/2 |y - A a|^2; 0: the bound is slack */
    size_t steps;               /* changes of the active set in the last solve */
    double *g, *target;         /* room */
    double *along, *slope;      /* n; p */
    double *spare;              /* room x room */
    unsigned char *state;       /* p: 0 zero, 1 active, 2 set aside */
};

size_t tamis_lasso_size(size_t n, size_t p);
void tamis_lasso_bind(struct tamis_lasso *w, size_t n, size_t p, double *memory);

/* min 1/2 |y - A a|^2 with |a|_1 <= r, r > 0. Starts from the active set, signs and values that w holds (after
 * tamis_lasso_clear: none, and the homotopy from 0 is followed); A and y may have changed since. Nonzero: something is
 * not a number. A step costs 2 n p + 8 n count flops. */
int tamis_lasso_solve(struct tamis_lasso *w, const double *a, const double *y, double r);
void tamis_lasso_clear(struct tamis_lasso *w);
/* The active set of a dense vector of p values, for a warm start. */
void tamis_lasso_seed(struct tamis_lasso *w, const double *value);
void tamis_lasso_dense(const struct tamis_lasso *w, double *value);     /* p */

#endif
