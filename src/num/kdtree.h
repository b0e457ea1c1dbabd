/* k-d tree [1]: nearest neighbours when columns are few and rows are many.
 *
 * Nodes are halved at the median of their widest side until a leaf holds at most TAMIS_LEAF points. Every node keeps
 * the box around its points and their smallest row, so that among many points at distance 0 the one with the lowest row
 * is found without visiting the others.
 *
 * [1] J. H. Friedman, J. L. Bentley, R. A. Finkel, An algorithm for finding best matches in logarithmic expected time,
 *     ACM TOMS 3 (1977). */
#ifndef TAMIS_KDTREE_H
#define TAMIS_KDTREE_H

#include "num/metric.h"

enum { TAMIS_LEAF = 16 };

struct tamis_tree {
    size_t n, dims, leaves;     /* leaves: a power of two */
    double *point;              /* by leaf, dimension, place: leaves x dims x TAMIS_LEAF, weighted; empty: INFINITY */
    uint32_t *row;              /* leaves x TAMIS_LEAF; empty: UINT32_MAX */
    double *box;                /* 2 leaves x 2 dims: smallest and largest value of each dimension; node 1 is the root,
                                 * 2i and 2i + 1 are below node i */
    uint32_t *least;            /* 2 leaves: smallest row */
};

/* Memory of a tree; only the build needs the last n (dims + 1) doubles. */
size_t tamis_tree_bytes(size_t n, size_t dims);
/* Of the n rows of z (row-major, `columns` wide) under m. memory: tamis_tree_bytes, aligned for doubles. */
void tamis_tree_build(struct tamis_tree *t, void *memory, size_t n, const double *z, size_t columns,
                      const struct tamis_metric *m);

/* Visits the leaves whose box may be within `bound` of q, nearest first; leaf() gets the d2 (rounded as by
 * tamis_metric_d2) of the TAMIS_LEAF places and may lower the bound. With bound 0, only nodes that hold a row below
 * `last` are visited. */
struct tamis_visitor {
    void (*leaf)(struct tamis_visitor *v, size_t leaf, const uint32_t *row, const double *d2);
    double bound;
    uint32_t last;
    size_t leaves;              /* visited so far */
};
void tamis_tree_visit(const struct tamis_tree *t, const double *q, struct tamis_visitor *v);

/* The k rows nearest to q, ascending by (d2, row), except the row `self` (UINT32_MAX: no exception). The lists may
 * already hold rows. */
void tamis_tree_nearest(const struct tamis_tree *t, const double *q, uint32_t self, size_t k, double *d2, uint32_t *row,
                        size_t *leaves);

#endif
