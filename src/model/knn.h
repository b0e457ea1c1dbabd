/* The mean of the k nearest training rows, or their shares of the classes:
 *
 *     y(x) = 1/k sum of y_i over the k rows i with the smallest sum_c (f_c x_c - f_c x_ic)^2
 *
 * Ties go to the lower row. Rows with weights count by them: the mean is sum w_i y_i / sum w_i. Several targets have
 * the same neighbours. */
#ifndef TAMIS_KNN_H
#define TAMIS_KNN_H

#include "model/model.h"

struct tamis_knn {
    size_t rows, columns, classes, targets, k;  /* classes 0: regression, of so many targets */
    double *x;                  /* rows x columns, row-major */
    double *y;                  /* rows x targets: numbers; or the index of the class */
    double *factor;             /* columns: 1, or the scaling of the column */
    double *weight;             /* rows; NULL: all one */
};

extern const struct tamis_model_kind tamis_knn_kind, tamis_weighted_knn_kind, tamis_several_knn_kind;

struct tamis_knn *tamis_knn_new(tamis_context *cx, size_t rows, size_t columns, size_t targets); /* contents zero */
void tamis_knn_free(struct tamis_knn *m);

#endif
