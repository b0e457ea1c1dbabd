/* One look at many sets: what its ways (pairs, trees, single columns) share. */
#ifndef TAMIS_NEAR_INSIDE_H
#define TAMIS_NEAR_INSIDE_H

#include <float.h>
#include "crit/neighbour/near.h"
#include "num/kdtree.h"

enum {
    TAMIS_NEAR_ROWS = 16,
    TAMIS_NEAR_TILE = 1024,
    TAMIS_NEAR_LANES = 8,
    TAMIS_NEAR_KEPT = 64
}; /* KEPT: of more neighbours no bound is kept track of */

struct tamis_near_work {        /* one a worker */
    float *limit; /* ROWS x stride: single-precision distances beyond it are of no use to a set; negative where no set
                     is */
    double *d2;                 /* ROWS x sets x k */
    uint32_t *row;
    tamis_fixed *sum;           /* sets x width */
    tamis_fixed *tie;           /* ROWS x sets */
    uint32_t *ties;
    uint32_t *hit;              /* TILE, or stride */
    float *near, *far;          /* TILE: common distances of a row, and those of the hits under a set */
    float reach;                /* trees: the largest limit */
    size_t looked, leaves;      /* sampled costs */
};

struct tamis_look {
    struct tamis_near *e;
    const struct tamis_metric *common;
    const struct tamis_near_set *set;
    size_t sets, stride, from, first, last;     /* rows of this round */
    double slack;               /* of sums in double precision */
    double more, least;         /* see tamis_near_limit */
    float room;                 /* relative, for the rounding of single-precision sums */
    float *packed;              /* places of the tree x stride: the first extra column of each set, weighted */
    uint32_t *order, *place; /* the row at a place, the place of a row: rows that are near in the common columns are
                                beside each other */
    size_t padded;              /* n up to a multiple of 32 */
    float *f;                   /* columns by place, w z / shrink, and INFINITY from n on */
    const float **column;       /* the common ones */
    const float **extra;        /* those of each set, one set after the other */
    size_t *at;                 /* where in extra a set begins */
    int removals;
    unsigned char *alive;
    struct tamis_near_work *work;
    int workers, tie_round;
    struct tamis_tree tree;
    size_t only;                /* a tree a set: which */
};

/* What a squared distance of `d2` (of z / shrink) may be in single precision at most, and the other way round: with
 * |z_f - z| <= 2^-24 span_c in each coordinate, |d_f - d| <= E = sqrt(sum (2^-23 w_c span_c)^2); the sum itself is off
 * by a relative (columns + 3) 2^-24 at most; and (d + E)^2 <= (1 + 2^-10) d^2 + (1 + 2^10) E^2. Finite: what pads a
 * column is beyond it. */
static inline float tamis_near_limit(const struct tamis_look *l, double d2)
{
    double limit = l->more * d2 + l->least;
    return limit < FLT_MAX ? (float)limit : FLT_MAX;
}

static inline const double *tamis_near_z(const struct tamis_look *l, size_t row)
{
    return l->e->z + row * l->e->columns;
}

/* Lists of place r of a worker, for row i: emptied, with limits by the neighbours of the last time; row j offered to
 * set s, the distance by tamis_metric_d2 decides; all lists tallied, or one. */
void tamis_near_begin(const struct tamis_look *l, struct tamis_near_work *w, size_t r, size_t i);
int tamis_near_offer(const struct tamis_look *l, struct tamis_near_work *w, size_t r, size_t s, size_t i,
                     size_t j); /* 1: it is in */
void tamis_near_end(const struct tamis_look *l, struct tamis_near_work *w, size_t r, size_t i);
void tamis_near_end_set(const struct tamis_look *l, struct tamis_near_work *w, size_t r, size_t s, size_t i);
void tamis_near_ties_clear(const struct tamis_look *l, struct tamis_near_work *w, size_t r);
tamis_fixed tamis_near_total(const struct tamis_look *l, size_t at);    /* of the workers' sums */

/* The ways. tree_shared: one tree on the common columns if that is the cheapest or asked for, *done says so; tree_own:
 * a tree for set s, and whether it was worth it when pairs cost `allowed` a row. */
int tamis_near_pairs(struct tamis_look *l, double bound);
int tamis_near_columns(struct tamis_look *l);
int tamis_near_tree_shared(struct tamis_look *l, int *done);
int tamis_near_tree_own(struct tamis_look *l, size_t s, double allowed, int *worth);
int tamis_near_trees(struct tamis_look *l);             /* one a set */

/* Nanoseconds a row, by what was measured on the machines at hand; they choose the way and nothing else. */
static inline double tamis_near_cost_pairs(const struct tamis_look *l)
{
    return (double)l->e->n * 0.12 * (double)(l->common->count + l->sets + 1);
}

#endif
