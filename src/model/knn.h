/* The mean of the k nearest rows of the training table, or their shares of the classes:
 *     y(x) = 1/k sum over the k rows i with the smallest sum_c (f_c x_c - f_c x_ic)^2 of y_i,     of equally near rows
 *     the first ones. */
#ifndef TAMIS_KNN_H
#define TAMIS_KNN_H

#include "model/model.h"

struct tamis_knn {
    size_t rows, columns, classes, k;   /* classes 0: numbers */
    double *x;                  /* rows x columns, row-major */
    double *y;                  /* numbers, or the index of the class */
    double *factor;             /* columns: 1, or the scaling of the column */
};

extern const struct tamis_model_kind tamis_knn_kind;

struct tamis_knn *tamis_knn_new(tamis_context *cx, size_t rows, size_t columns);        /* room; contents zero */
void tamis_knn_free(struct tamis_knn *m);

#endif
