/* Ridge regression on features with a free bias: cross-validation for many more rows than features. */
#ifndef TAMIS_RIDGE_H
#define TAMIS_RIDGE_H

#include "num/lssvm_folds.h"

/* The K-fold error of theta, b = argmin 1/2 |theta|^2 + gamma/2 |y - G theta - b|^2 at each gamma. g: n x (s + 1), G
 * and a column of ones; with weights, rows times data->root. The rows of data->folds must be 0, 1, 2, ...: each fold is
 * a block of rows. About n s^2 + folds count s^3 / 3 flops. work: 3 (s + 1)^2 + (3 s + 3 + m) outputs doubles, m the
 * size of the largest fold. */
void tamis_ridge_errors(const struct tamis_lssvm_data *data, size_t s, const double *g, const double *gamma,
                        size_t count, double *work, struct tamis_lssvm_error *error);

/* theta and b of all rows, (s + 1) x outputs. Nonzero: the normal equations cannot be solved in double precision. */
int tamis_ridge_weights(const struct tamis_lssvm_data *data, size_t s, const double *g, double gamma, double *work,
                        double *theta);

#endif
