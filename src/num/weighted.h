/* Sums, means and order statistics of rows that count w_i times; weight NULL: every row counts once.
 *
 *     W = sum w_i,    mean = sum w_i v_i / W,    n = W^2 / sum w_i^2                        [1]: as many equal rows
 *
 * [1] L. Kish, Survey Sampling, Wiley 1965. */
#ifndef TAMIS_WEIGHTED_H
#define TAMIS_WEIGHTED_H

#include <stddef.h>
#include "num/order.h"

static inline double tamis_weight_at(const double *weight, size_t i) { return weight ? weight[i] : 1; }

double tamis_weight_sum(const double *weight, size_t n);        /* W */
double tamis_weight_rows(const double *weight, size_t n);       /* [1]: independent rows; n without weights */

/* Whole weights give the values of a list in which v_i stands w_i times: the median of tamis_median, and the value at
 * the rank of tamis_quantile_rank. p: values and places, which are sorted by tamis_by_place. */
double tamis_weighted_median(const struct tamis_place *p, const double *weight, size_t n);
double tamis_weighted_quantile(const struct tamis_place *p, const double *weight, size_t n, size_t per_mille);

/* The median of v, with its whole weights as above. order: n places of work if there are weights. Reorders v. */
double tamis_weight_median(double *v, const double *weight, size_t n, struct tamis_place *order);

/* Multiplies row i of x (n x columns, leading dimension ld) by factor[i], the root of a weight or the weight; NULL: by
 * nothing. */
void tamis_weight_scale(size_t n, size_t columns, const double *factor, double *x, size_t ld);

#endif
