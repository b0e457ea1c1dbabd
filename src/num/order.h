/* Order statistics of doubles. */
#ifndef TAMIS_ORDER_H
#define TAMIS_ORDER_H

#include <stddef.h>

/* Ascending order, for qsort. NaN compares equal to everything: remove it first. */
int tamis_by_value(const void *a, const void *b);

/* A value and where it stands; ascending order, equal values in their places, for qsort. */
struct tamis_place { double x; size_t i; };
int tamis_by_place(const void *a, const void *b);

/* floor(n per_mille / 1000 + 1/2), at least 1: the rank, counted from 1, of a quantile of n values. */
size_t tamis_quantile_rank(size_t n, size_t per_mille);

/* The value of rank k (from 0) among a[0..n-1], moved to a[k]; none before it is larger, none after smaller. */
double tamis_select_rank(double *a, size_t n, size_t k);

/* The mean of the two middle values for even n. Reorders a. */
double tamis_median(double *a, size_t n);

#endif
