/* The nearest neighbours of every row under many sets of inputs at once: what the Delta Test, the Gamma Test and the
 * k-NN error are made of. All ways of looking (pairs filtered in single precision, one tree on the common inputs, a
 * tree a set) find the same rows: distances are those of tamis_metric_d2, and of equally near rows the lowest comes
 * first. Which way is taken changes time alone. */
#ifndef TAMIS_NEAR_H
#define TAMIS_NEAR_H

#include "base/base.h"
#include "data/design.h"
#include "num/metric.h"

enum { TAMIS_NEAR_WIDTH = 64 };

/* What a criterion makes of a row and its k neighbours, ascending by (d2, row): `width` numbers, whose means over the
 * rows come back. */
typedef void tamis_tally(const void *arg, size_t row, const uint32_t *neighbour, const double *d2, double *out);

struct tamis_near {
    tamis_context *cx;
    size_t n, columns, k;       /* k: at most n - 1 */
    int ties;                   /* 1 (with k = 1, width 1): the tally's mean over all rows tied for the nearest */
    tamis_tally *tally;
    const void *arg;
    size_t width;
    double unit[TAMIS_NEAR_WIDTH];      /* tamis_fixed_unit of the largest number a tally can give */

    double *z; /* n x columns, row-major; by a power of two from the design's where squares would leave the range of
                  doubles */
    double most;                /* largest |z| */
    double shrink;              /* a power of two that brings all z below 1 */
    double *span;               /* largest |z| of a column */
    size_t slots; /* places to remember neighbours in, one a set that may come again; 0: too many rows to remember */
    uint32_t *seed;             /* slots x n x k; UINT32_MAX: none */
    int route;                  /* 0: the cheapest; tests: 1 pairs, 2 shared tree, 3 a tree a set */
};

/* Fills cx, n, columns, k, z, shrink, span, slots, seed; the caller has set the rest or does so before the first
 * look. */
int tamis_near_start(struct tamis_near *e, tamis_context *cx, const struct tamis_design *d, size_t k, size_t slots);
void tamis_near_finish(struct tamis_near *e);
double tamis_near_bytes(double n, double columns, double k, double slots); /* about what a look takes at most */

/* A set to look at: all its columns, those that it has beyond the common ones (none: the common set itself), and where
 * its neighbours are remembered (SIZE_MAX: nowhere). */
struct tamis_near_set { struct tamis_metric all, extra; size_t slot; };

/* mean[s width + w] of `sets` sets that all hold `common`. `from`: a slot whose neighbours are likely to be near under
 * every set, or SIZE_MAX. Sets whose first mean is certain to pass `bound` may come back as INFINITY. */
int tamis_near_with(struct tamis_near *e, const struct tamis_metric *common, const struct tamis_near_set *set,
                    size_t sets, size_t from, double bound, double *mean);
/* The same for sets that lack some columns of `common`; here extra is what they lack. */
int tamis_near_without(struct tamis_near *e, const struct tamis_metric *common, const struct tamis_near_set *set,
                       size_t sets, size_t from, double bound, double *mean);

#endif
