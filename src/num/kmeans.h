/* Centres by k-means. */
#ifndef TAMIS_KMEANS_H
#define TAMIS_KMEANS_H

#include <stddef.h>

struct tamis_rng;

/* Doubles of work for n rows and k centres. */
size_t tamis_kmeans_size(size_t n, size_t k);

/* n >= 1 rows of x (column-major, leading dimension ldx) over the columns columns[0..d-1] to k <= n centres. weight:
 * row i counts as weight[i] > 0 equal rows; NULL: as one. centre (leading dimension k) is written in the same columns;
 * assignment (n): the nearest centre of each row, the lowest index on ties; count (k): the number of rows of each
 * centre, whatever they weigh. *sse, unless NULL: the sum of weighted squared distances. Returns the number of
 * iterations, at most `iterations`. Centres stay empty only when x has fewer than k distinct rows or the iterations run
 * out. About n k d multiply-adds per iteration. */
size_t tamis_kmeans(size_t n, const double *x, size_t ldx, const double *weight, const size_t *columns, size_t d,
                    size_t k, size_t iterations, struct tamis_rng *rng, double *work, double *centre,
                    size_t *assignment, size_t *count, double *sse);

#endif
