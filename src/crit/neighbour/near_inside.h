/* A query of many sets: what its routes (pairs, trees, single columns) share. */
#ifndef TAMIS_NEAR_INSIDE_H
#define TAMIS_NEAR_INSIDE_H

#include <float.h>
#include "crit/neighbour/near.h"
#include "num/kdtree.h"

/* KEPT: with more neighbours than that, no bound is tracked. */
enum { TAMIS_NEAR_ROWS = TAMIS_LEAF, TAMIS_NEAR_TILE = 1024, TAMIS_NEAR_LANES = 16, TAMIS_NEAR_KEPT = 64 };

struct tamis_near_work {        /* one per worker */
    float *limit;               /* ROWS x stride: larger single-precision distances are useless; negative: no set */
    double *d2;                 /* ROWS x sets x k */
    uint32_t *row;
    tamis_fixed *sum;           /* sets x width */
    tamis_fixed *tie;           /* ROWS x sets: with ties, the sum of the tallies of the nearest, and of their shares */
    tamis_fixed *ties;
    uint32_t *hit;              /* TILE, or stride */
    float *near, *far;          /* TILE: common distances of a row, and those of the hits under a set */
    int32_t *best, *second;     /* trees, ROWS x stride: bits of the least two distances */
    int32_t *nearest;           /* and the place of the least */
    size_t tried, leaves;       /* pairs and leaves visited, for estimates of cost */
};

struct tamis_query {
    struct tamis_near *e;
    const struct tamis_metric *common;
    const struct tamis_near_set *set;
    size_t sets, stride, from, first, last;     /* rows of this round */
    double slack;               /* relative, for the rounding of double-precision sums */
    double more, least;         /* see tamis_near_limit */
    float room;                 /* relative, for the rounding of single-precision sums */
    uint32_t *order, *place;    /* the row at a place and the reverse: rows near in the common columns are adjacent */
    size_t padded, extras;      /* n up to a multiple of 32; extra columns of all sets */
    float *f;                   /* columns by place, w z / shrink, and INFINITY from n on */
    const float **column;       /* the common ones */
    const float **extra;        /* those of each set, one set after the other */
    size_t *at;                 /* where in extra a set begins */
    int removals;
    unsigned char *alive;
    struct tamis_near_work *work;
    unsigned char *equal;       /* NULL: none, or sets x n: the row equals another under the set (near_ties.c) */
    int workers;
    struct tamis_tree tree;
    size_t done;                /* the sets before this one are finished */
};

/* The largest value that a squared distance `d2` (of z / shrink) can have in single precision, and vice versa: with
 * |z_f - z| <= 2^-24 span_c in each coordinate, |d_f - d| <= E = sqrt(sum (2^-23 w_c span_c)^2); the sum itself is off
 * by a relative (columns + 3) 2^-24 at most; and (d + E)^2 <= (1 + 2^-10) d^2 + (1 + 2^10) E^2. Finite, so that the
 * padding of a column is always beyond it. */
static inline float tamis_near_limit(const struct tamis_query *l, double d2)
{
    double limit = l->more * d2 + l->least;
    return limit < FLT_MAX ? (float)limit : FLT_MAX;
}

static inline const double *tamis_near_z(const struct tamis_query *l, size_t row)
{
    return l->e->z + row * l->e->columns;
}

static inline int tamis_near_counted(const struct tamis_query *l, size_t s, size_t row)
{
    return l->equal && l->equal[s * l->e->n + row];
}

/* The lists at place r of a worker, for row i. begin: empties them and sets the limits from remembered neighbours.
 * offer: row j to set s; 1 if tamis_metric_d2 puts it among the nearest, before those there were. take: the same, at a
 * known distance d. end: tallies all lists, or that of a set. end_single: with ties, tallies j alone, in place of a
 * list. */
void tamis_near_begin(const struct tamis_query *l, struct tamis_near_work *w, size_t r, size_t i);
int tamis_near_offer(const struct tamis_query *l, struct tamis_near_work *w, size_t r, size_t s, size_t i, size_t j);
int tamis_near_take(const struct tamis_query *l, struct tamis_near_work *w, size_t r, size_t s, size_t i, size_t j,
                    double d);
void tamis_near_end(const struct tamis_query *l, struct tamis_near_work *w, size_t r, size_t i);
void tamis_near_end_set(const struct tamis_query *l, struct tamis_near_work *w, size_t r, size_t s, size_t i);
void tamis_near_end_single(const struct tamis_query *l, struct tamis_near_work *w, size_t s, size_t i, size_t j);
tamis_fixed tamis_near_total(const struct tamis_query *l, size_t at);    /* of the workers' sums */

/* Ranks the values of the columns that tell whether rows are equal under the sets: of each set, all columns, up to one
 * without equal values. */
int tamis_near_ranks(const struct tamis_query *l);

/* The rows `in` (NULL: 0, 1, ...) in the order of key[row] < keys, equal ones in the order of `in`. count: keys + 1. */
void tamis_near_sort(const uint32_t *key, size_t keys, const uint32_t *in, size_t n, uint32_t *count, uint32_t *out);

/* Fills order, place, f, column and extra, which pairs and remembered neighbours need; once. */
int tamis_near_floats(struct tamis_query *l);

/* With ties: finds the rows that are equal under a set and adds their contributions. */
int tamis_near_equal_rows(struct tamis_query *l);

/* The contribution of c equal rows, in the order of the target y; row NULL: y is that of these rows alone. */
double tamis_near_group_term(const double *y, const uint32_t *row, size_t c);

/* With rows of other processes, with ties: the means of the sets. */
int tamis_near_spread(struct tamis_near *e, const struct tamis_near_set *set, size_t sets, double *mean);

/* The routes. tree_shared: one tree on the common columns, if that is the cheapest or requested, which *done says;
 * tree_own: a tree for set s, and whether it was worth it when pairs cost `allowed` per row; bound: see
 * tamis_near_with. */
int tamis_near_pairs(struct tamis_query *l, double bound);
int tamis_near_columns(struct tamis_query *l);
int tamis_near_tree_shared(struct tamis_query *l, int *done);
int tamis_near_tree_own(struct tamis_query *l, size_t s, double allowed, double bound, int *worth);
int tamis_near_trees(struct tamis_query *l);             /* one per set */

/* Nanoseconds per row, as measured on our machines; they choose the route and nothing else. */
static inline double tamis_near_cost_pairs(const struct tamis_query *l)
{
    return (double)l->e->n * 0.12 * (double)(l->common->count + l->sets + 1);
}

#endif
