/* Quadratic problems over the corner {x >= 0, sum x <= t}. */
#ifndef TAMIS_SIMPLEX_H
#define TAMIS_SIMPLEX_H

#include <stddef.h>

size_t tamis_simplex_size(size_t n);            /* doubles of work */

/* min g^T (x - x0) + 1/2 (x - x0)^T (H + shift I) (x - x0) over x >= 0, sum x <= t, from a feasible x = x0; H n x n,
 * both triangles. Zeros are exact. Returns 1, with x meaningless, when the form is not convex on a face that the method
 * reaches: raise shift; otherwise 0. */
int tamis_simplex_quadratic(size_t n, const double *h, double shift, const double *g, double t, const double *x0,
                            double *work, double *x);

/* g^T x - min over v in the corner of g^T v: at least 0, and 0 where x is stationary for a function with gradient g. */
double tamis_simplex_gap(size_t n, const double *g, double t, const double *x);

#endif
