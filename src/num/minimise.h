/* Minimises a function of lambda over log10(lambda). */
#ifndef TAMIS_MINIMISE_H
#define TAMIS_MINIMISE_H

#include <stddef.h>

/* value[i] = f(lambda[i]), i < count. Values that are not finite count as +inf, and those of a call that are not its
 * least may be given as +inf. */
typedef void tamis_batch_function(void *arg, const double *lambda, size_t count, double *value);

enum tamis_gamma_search {
    TAMIS_SEARCH_SCAN,          /* an even scan in log10, then Brent's method between the best point's neighbours */
    TAMIS_SEARCH_GOLDEN,        /* golden section over the whole range, as in the paper; finds one of several minima */
    TAMIS_SEARCH_GRID           /* an even scan, then another between the best point's neighbours: two calls of f */
};

enum { TAMIS_SCAN_POINTS = 35, TAMIS_GRID_POINTS = 16 };

struct tamis_minimum {
    double lambda, value;       /* value is +inf when f was +inf everywhere */
    int at_lower;               /* the minimum is at the lower bound */
    int at_upper;
    size_t evaluations;
};

/* lo <= hi: log10 of the range. tolerance: of log10(lambda); the grid keeps its own spacing. */
void tamis_minimise(enum tamis_gamma_search search, double lo, double hi, double tolerance, tamis_batch_function *f,
                    void *arg, struct tamis_minimum *best);

/* The points (TAMIS_GRID_POINTS values of lambda) of the second scan of TAMIS_SEARCH_GRID when point `least` of the
 * first scan of [lo, hi] was the best. */
void tamis_grid_inside(double lo, double hi, size_t least, double *lambda);

#endif
