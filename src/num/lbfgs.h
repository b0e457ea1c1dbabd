/* Least value of a smooth function of many variables. */
#ifndef TAMIS_LBFGS_H
#define TAMIS_LBFGS_H

#include <stddef.h>

/* The value at x, and its gradient in g; +inf or NaN where x is out of bounds. */
typedef double tamis_smooth(void *arg, const double *x, double *g);

struct tamis_lbfgs {
    size_t iterations;          /* at most so many steps */
    double tolerance;           /* ends when a step lowers the value by less than this, absolute */
    double largest;             /* longest step of any variable */
};

/* Doubles of work for n variables. */
size_t tamis_lbfgs_size(size_t n);

/* From x, which is replaced by the best point; returns its value. least and most (or NULL): bounds of each variable. */
double tamis_lbfgs(size_t n, double *x, const double *least, const double *most, const struct tamis_lbfgs *how,
                   tamis_smooth *f, void *arg, double *work);

/* Goes on from where the last call with this x and work stood, with the curvature that it had learnt. */
double tamis_lbfgs_more(size_t n, double *x, const double *least, const double *most, const struct tamis_lbfgs *how,
                        tamis_smooth *f, void *arg, double *work);

#endif
