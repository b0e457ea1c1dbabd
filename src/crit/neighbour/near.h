/* The nearest neighbours of every row under many sets of inputs at once: the basis of the Delta Test, the Gamma Test
 * and the k-NN error. All routes (pairs filtered in single precision, one tree on the common inputs, one tree per set)
 * find the same rows: distances are those of tamis_metric_d2, and of equally near rows the lowest comes first. The
 * route affects the time only. */
#ifndef TAMIS_NEAR_H
#define TAMIS_NEAR_H

#include "base/base.h"
#include "data/design.h"
#include "num/metric.h"

enum { TAMIS_NEAR_WIDTH = 64 };

/* The contribution of a row and its k neighbours, ascending by (d2, row): `width` numbers, which are averaged over the
 * rows. */
typedef void tamis_tally(const void *arg, size_t row, const uint32_t *neighbour, const double *d2, double *out);

struct tamis_near {
    tamis_context *cx;
    size_t n, columns, k;       /* k: at most n - 1 */
    const double *ties;         /* (with k = 1, width 1) the target whose squared differences are tallied: the mean over
                                   all rows tied for the nearest; NULL: the lowest of them */
    size_t targets;             /* with ties: columns of it */
    tamis_tally *tally;
    const void *arg;
    const double *weight;       /* of the rows, in the mean over rows and among ties; NULL: all one */
    double heaviest, total;     /* the largest weight, and their sum divided by it (n without weights) */
    size_t width;
    double unit[TAMIS_NEAR_WIDTH];      /* tamis_fixed_unit of the largest number a tally can give */

    double *z;                  /* n x columns, row-major; scaled by a power of two if squares would overflow */
    double most;                /* largest |z| */
    double shrink;              /* a power of two that brings all z below 1 */
    double *span;               /* largest |z| of a column */
    size_t slots;               /* sets whose neighbours are remembered; 0: there are too many rows for that */
    uint32_t *seed;             /* slots x n x k; UINT32_MAX: none */
    uint32_t *code;             /* NULL, or of a column with values[]: how many different values are below, n each */
    size_t *values;             /* how many different values a column has; 0: not known yet */
    uint32_t *by_target;        /* NULL, or the rows in the order of `ties` */
    const struct tamis_spread *spread;  /* NULL, or other processes have rows, too: means are of all rows */
    unsigned char *repeats;     /* then, of each column: 1 all values differ, 2 some are equal, 0 not known yet */
    int route;                  /* 0: the cheapest; for tests: 1 pairs, 2 shared tree, 3 one tree per set */
};

/* The weight of a row as a share of the largest. */
static inline double tamis_near_share(const struct tamis_near *e, size_t i)
{
    return e->weight ? e->weight[i] / e->heaviest : 1;
}

/* Fills cx, n, columns, k, weight, z, shrink, span, slots, seed; the caller sets the rest, at the latest before the
 * first query. */
int tamis_near_start(struct tamis_near *e, tamis_context *cx, const struct tamis_design *d, size_t k, size_t slots);
void tamis_near_finish(struct tamis_near *e);
double tamis_near_bytes(double n, double columns, double k, double slots);      /* of a query, roughly, at most */

/* A set to evaluate: all its columns, those that it has beyond the common ones (none: the common set itself), and the
 * slot that remembers its neighbours (SIZE_MAX: none). */
struct tamis_near_set { struct tamis_metric all, extra; size_t slot; };

/* mean[s width + w] of `sets` sets that all contain `common`. `from`: a slot whose neighbours are likely to be near
 * under every set, or SIZE_MAX. A set whose first mean is certain to exceed `bound` may get INFINITY. */
int tamis_near_with(struct tamis_near *e, const struct tamis_metric *common, const struct tamis_near_set *set,
                    size_t sets, size_t from, double bound, double *mean);
/* The same for sets that lack some columns of `common`; here `extra` holds the columns that they lack. */
int tamis_near_without(struct tamis_near *e, const struct tamis_metric *common, const struct tamis_near_set *set,
                       size_t sets, size_t from, double bound, double *mean);

#endif
