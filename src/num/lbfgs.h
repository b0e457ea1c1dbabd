/* Minimises a smooth function of many variables. */
#ifndef TAMIS_LBFGS_H
#define TAMIS_LBFGS_H

#include <stddef.h>

/* The value at x, and its gradient in g; +inf or NaN where x is out of bounds. */
typedef double tamis_smooth(void *arg, const double *x, double *g);

struct tamis_lbfgs {
    size_t iterations;          /* most steps */
    double tolerance;           /* stop when a step lowers the value by less than this (absolute), or should */
    double largest;             /* longest step of any variable */
};

/* Doubles of work for n variables. */
size_t tamis_lbfgs_size(size_t n);

/* Starts from x, replaces it by the best point and returns its value. least and most (or NULL): bounds per variable. */
double tamis_lbfgs(size_t n, double *x, const double *least, const double *most, const struct tamis_lbfgs *how,
                   tamis_smooth *f, void *arg, double *work);

/* Continues the last call with this x and work, keeping the curvature that it had learnt. */
double tamis_lbfgs_more(size_t n, double *x, const double *least, const double *most, const struct tamis_lbfgs *how,
                        tamis_smooth *f, void *arg, double *work);

/* Starts from any x with the curvature, times `ratio`, that the last call with this work had learnt of a function like
 * this one. */
double tamis_lbfgs_like(size_t n, double *x, const double *least, const double *most, const struct tamis_lbfgs *how,
                        tamis_smooth *f, void *arg, double *work, double ratio);

/* Forgets all of n variables but keep[0..count-1], rising: work then holds the curvature of a problem in these. */
void tamis_lbfgs_narrow(size_t n, const size_t *keep, size_t count, double *work);

#endif
