/* A sum of functions of one, two or three inputs, and of Gaussians:
 *
 *     out_o(x) = bias_o + sum_f coefficient_fo prod_{j <= 3} phi_(f, j)(x)
 *                       + sum_m alpha_mo exp(-sum_c w_c (x_c - z_mc)^2)
 *
 * phi: functions of single columns (num/basis.h), or the column itself for an indicator of a category. */
#ifndef TAMIS_TERMS_H
#define TAMIS_TERMS_H

#include "model/model.h"
#include "num/basis.h"

enum { TAMIS_TERM_INPUTS = 3 };

struct tamis_terms {
    size_t columns, outputs;
    struct tamis_basis *basis;          /* columns; functions 0: the column itself is its only function */
    size_t features;
    /* features x 3, factor j of feature f at factor[3 f + j]: 1 + column TAMIS_FUNCTIONS + function (from 0), or 0 for
     * none */
    size_t *factor;
    double *coefficient;                /* features x outputs, column-major */
    double *bias;                       /* outputs */
    size_t centres;
    double *weight;                     /* columns: w */
    double *centre;                     /* centres x columns, column-major */
    double *alpha;                      /* centres x outputs */
};

extern const struct tamis_model_kind tamis_terms_kind;

/* Contents zero. */
struct tamis_terms *tamis_terms_new(tamis_context *cx, size_t columns, size_t outputs, size_t features, size_t centres);
void tamis_terms_free(struct tamis_terms *t);

#endif
