/* Leave-one-out error of least squares on the first 1, 2, ... columns of a list. */
#ifndef TAMIS_PRESS_H
#define TAMIS_PRESS_H

#include <stddef.h>

/* Lives in the caller's memory, tamis_press_size doubles. h (n x m, leading dimension n) is overwritten by q. */
struct tamis_press {
    size_t n, m, k;
    double *q;          /* n x m: an orthonormal basis; zeros where a column adds nothing to those before it */
    const double *y;    /* n x k */
    double *qy;         /* m x k */
    double *leverage;   /* n */
    double *residual;   /* n x k */
    double *triangle;   /* m x m, where n > m */
    double *work;       /* m x panel, and the squared lengths of a panel's columns */
};

size_t tamis_press_size(size_t n, size_t m, size_t k);
void tamis_press_bind(struct tamis_press *w, size_t n, size_t m, size_t k, double *h, const double *y, double *memory);

/* Orthogonalises the columns; about 4 n m^2 flops, in matrix products unless columns are nearly collinear. */
void tamis_press_factor(struct tamis_press *w);

/* error[s], s < stop: mean over rows and outputs of the squared leave-one-out residual of least squares on the first
 * s + 1 columns; +inf where a leverage is 1. Leaves the leverages and residuals of `stop` columns. 3 n m k flops. */
void tamis_press_errors(struct tamis_press *w, size_t stop, double *error);

/* Weights (m x k, ld m; zero from `size` on and where a column adds nothing) of the first `size` columns. h: the
 * original columns; triangle: size x size doubles. */
void tamis_press_weights(struct tamis_press *w, const double *h, size_t size, double *triangle, double *beta);

#endif
