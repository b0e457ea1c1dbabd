/* Extreme learning machine: a random hidden layer, output weights by least squares.
 *
 *     y_o(x) = beta_0o + sum over neurons i of beta_io g_i(x)
 *     linear:   g(x) = x_c
 *     sigmoid:  g(x) = tanh(w^T x + b)
 *     gaussian: g(x) = exp(-mean_c (x_c - centre_c)^2 / s^2) */
#ifndef TAMIS_ELM_H
#define TAMIS_ELM_H

#include "model/model.h"

struct tamis_elm {
    size_t columns, outputs;
    size_t linear, sigmoid, gauss;      /* neurons of each sort, in this order */
    size_t *input;                      /* linear: the column of each */
    double *weight, *bias;              /* columns x sigmoid; sigmoid */
    double *centre, *width;             /* columns x gauss; gauss: s */
    double *beta;                       /* (neurons + 1) x outputs, column-major, the bias last */
};

extern const struct tamis_model_kind tamis_elm_kind;

static inline size_t tamis_elm_neurons(const struct tamis_elm *e) { return e->linear + e->sigmoid + e->gauss; }

/* Memory for a network; contents zero. */
struct tamis_elm *tamis_elm_new(tamis_context *cx, size_t columns, size_t outputs, size_t linear, size_t sigmoid,
                                size_t gauss);
void tamis_elm_free(struct tamis_elm *e);

/* A network of the neurons keep[0..count-1], in any order; output weights zero. */
struct tamis_elm *tamis_elm_keep(tamis_context *cx, const struct tamis_elm *e, const size_t *keep, size_t count);

/* The hidden layer: h (rows x neurons, leading dimension rows) of x (rows x columns, leading dimension ld). work:
 * rows + gauss doubles. */
void tamis_elm_hidden(const struct tamis_elm *e, const double *x, size_t rows, size_t ld, double *h, double *work);

#endif
