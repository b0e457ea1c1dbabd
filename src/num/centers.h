/* Leave-one-out error of a Gaussian network with fixed centres, for many more rows than centres. */
#ifndef TAMIS_CENTERS_H
#define TAMIS_CENTERS_H

#include <stddef.h>
#include "num/minimise.h"

/* Rows, centres and targets as the caller holds them: x (n rows, leading dimension ldx) and the m centres c (leading
 * dimension ldc) are column-major and hold all columns; the network sees columns[0..count-1]. */
struct tamis_centers_data {
    size_t n, ldx, m, ldc, count;
    const double *x, *c, *y;
    const size_t *columns;
    const double *root;         /* NULL, or sqrt(w) of rows that count w times: y is then sqrt(w) y, */
    double total;               /* and this is sum w */
    size_t outputs;             /* columns of y, n x outputs: they share centres, width and lambda */
};

/* Lives in the caller's memory, tamis_centers_size doubles; the data must outlive it. */
struct tamis_centers {
    struct tamis_centers_data data;
    size_t block;       /* rows at a time */
    size_t rank;        /* singular values above rounding */
    double sigma2;
    double left;        /* the part of |y|^2 that no weights can explain, the sum over outputs */
    double *r;          /* (m + 1 + outputs)^2: triangle of [Phi y] (after the reduction: U) */
    double *v;          /* (m + 1)^2: V^T */
    double *s;          /* m + 1: singular values of Phi */
    double *uy;         /* (m + 1) x outputs: left singular vectors times y */
    double *phi;        /* block x (m + 1 + outputs) */
    double *z;          /* block x (m + 1) */
    double *lanes;      /* for a group of lambdas */
    double *work;
};

/* Doubles of memory for m centres, whatever the number of rows: about 12 m^2 + (900 + 300 outputs) m. */
size_t tamis_centers_size(size_t m, size_t outputs);
void tamis_centers_bind(struct tamis_centers *w, const struct tamis_centers_data *data, double *memory);

/* One pass over the rows, 2 n m^2 flops, and the singular values of an m x m matrix. Nonzero: something is not a number
 * or the singular values were not found. */
int tamis_centers_reduce(struct tamis_centers *w, double sigma2);

/* Mean squared leave-one-out error at each lambda > 0, the mean over outputs: one pass over the rows, 2 n m^2 +
 * 2 n m (1 + outputs) count flops. */
void tamis_centers_errors(struct tamis_centers *w, const double *lambda, size_t count, double *mse);

/* Its minimum over lo <= log10(lambda) <= hi as TAMIS_SEARCH_GRID finds it: one pass over the rows, sometimes two. */
void tamis_centers_minimise(struct tamis_centers *w, double lo, double hi, struct tamis_minimum *best);

/* The (m + 1) x outputs weights of the network, the bias of each output last. */
void tamis_centers_weights(struct tamis_centers *w, double lambda, double *alpha);

#endif
