/* Rows that count as more or less than one: w[i] copies of row i. A NULL in the place of weights: each counts once. */
#ifndef TAMIS_WEIGH_H
#define TAMIS_WEIGH_H

#include <stddef.h>

struct tamis_place;

static inline double tamis_weigh(const double *w, size_t i) { return w ? w[i] : 1; }

double tamis_weigh_sum(const double *w, size_t n);      /* n without weights */

/* (sum w)^2 / sum w^2: as many rows of equal weight would say as much (L. Kish, Survey Sampling, 1965). */
double tamis_weigh_count(const double *w, size_t n);

double tamis_weigh_mean(const double *v, const double *w, size_t n);

/* The median of the rows with their copies: the value at half of the weight, the mean of two if it lies between them.
 * order: n places of work, not used without weights. Reorders v. */
double tamis_weigh_median(double *v, const double *w, size_t n, struct tamis_place *order);

/* Multiplies row i of x (n x columns, leading dimension ld) by factor[i]; by nothing if factor is NULL. */
void tamis_weigh_rows(size_t n, size_t columns, const double *factor, double *x, size_t ld);

#endif
