/* Partial derivatives of a Gaussian network's output, and the relevance of its inputs. */
#ifndef TAMIS_RELEVANCE_H
#define TAMIS_RELEVANCE_H

#include "num/order.h"

/* Doubles of work for tamis_derivatives with m centres and `count` inputs. */
size_t tamis_derivatives_size(size_t m, size_t count);

/* derivative (n x count, column-major): d f(x_j) / d x_ji of f(x) = sum_m alpha_m exp(-|x - c_m|^2 / sigma2) + bias, at
 * the n rows of x, for the inputs columns[0..count-1]. x (leading dimension ldx) and the m centres c (leading dimension
 * ldc) are column-major and hold all columns; alpha: m weights. A column that is constant over rows and centres gives
 * exact zeros. 4 n m count flops. */
void tamis_derivatives(size_t n, const double *x, size_t ldx, size_t m, const double *c, size_t ldc,
                       const size_t *columns, size_t count, const double *alpha, double sigma2, double *work,
                       double *derivative);

/* Relevance of one input from its n derivatives: median * m + spread * (h - l), m the median of their absolute values,
 * h and l the 0.835n-th and 0.165n-th of these in ascending order. Overwrites derivative. */
double tamis_relevance(size_t n, double *derivative, double median, double spread);
/* The same for rows that count weight[i] times. place: n of workspace. */
double tamis_relevance_weighted(size_t n, const double *derivative, const double *weight, double median, double spread,
                                struct tamis_place *place);

#endif
