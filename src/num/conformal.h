/* Prediction intervals from residuals of rows that a model has not seen. */
#ifndef TAMIS_CONFORMAL_H
#define TAMIS_CONFORMAL_H

#include <stddef.h>
#include "num/order.h"

/* At most `most` points that stand for n residuals (place: residual and row; sorted on return), in rising order; how
 * many: n, if there is room for all. weight (by row, or NULL: 1). */
size_t tamis_residual_points(struct tamis_place *place, size_t n, const double *weight, size_t most, double *point);

/* What is added to a prediction for the ends of the interval at this level, 0 < level < 1. 0: too few residuals. */
int tamis_interval_ends(const double *point, size_t n, double level, double *lower, double *upper);
/* The fewest residuals for the level, and the highest level for n of them. */
double tamis_interval_rows(double level);
double tamis_interval_most(size_t n);

#endif
