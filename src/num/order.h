/* Order statistics of doubles. */
#ifndef TAMIS_ORDER_H
#define TAMIS_ORDER_H

#include <stddef.h>
#include <stdint.h>

/* Ascending order, for qsort. NaN compares equal to everything: remove it first. */
int tamis_by_value(const void *a, const void *b);

/* A value and where it stands; ascending order, equal values in their places, for qsort. */
struct tamis_place { double x; size_t i; };
int tamis_by_place(const void *a, const void *b);

/* How the n numbers x[0], x[step], x[2 step], ... compare: row[k], the k-th of them in ascending order, equal ones in
 * their order, and below[i], how many different values are below number i. Returns how many different values there
 * are. work: 2 n. n < 2^32. No NaN. */
struct tamis_digits { uint64_t key; uint32_t row; };
size_t tamis_order_ranks(const double *x, size_t step, size_t n, struct tamis_digits *work, uint32_t *below,
                         uint32_t *row);

/* floor(n per_mille / 1000 + 1/2), at least 1: the rank, counted from 1, of a quantile of n values. */
size_t tamis_quantile_rank(size_t n, size_t per_mille);

/* The value of rank k (from 0) among a[0..n-1], moved to a[k]; none before it is larger, none after smaller. */
double tamis_select_rank(double *a, size_t n, size_t k);

/* The mean of the two middle values for even n. Reorders a. */
double tamis_median(double *a, size_t n);

#endif
