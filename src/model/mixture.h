/* Mixture classifier averaged over samples of its posterior; every sample s has its own set S_s of inputs:
 *
 *     P(k | x) = 1/S sum_s P_sk p_s(x | k) / sum_j P_sj p_s(x | j)
 *     p_s(x | k) = sum_d w_skd prod_{i in S_s} N(x_i; mu_sdi, 1 / tau_sdi) */
#ifndef TAMIS_MIXTURE_MODEL_H
#define TAMIS_MIXTURE_MODEL_H

#include "model/model.h"

struct tamis_mixture_model {
    size_t samples, columns, classes, kernels;
    double *p, *w;              /* classes x samples; kernels x classes x samples */
    size_t *first;              /* samples + 1: where the cells of each sample begin */
    size_t *column;             /* of each cell */
    double *mu, *tau;           /* kernels per cell */
};

extern const struct tamis_model_kind tamis_mixture_kind;

/* Memory for a model; contents zero. */
struct tamis_mixture_model *tamis_mixture_model_new(tamis_context *cx, size_t samples, size_t columns, size_t classes,
                                                    size_t kernels, size_t cells);
void tamis_mixture_model_free(struct tamis_mixture_model *m);

#endif
