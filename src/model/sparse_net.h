/* Gaussian network with a weight on each input:
 *
 *     f(x) = alpha_0 + sum_m alpha_m exp(-sum_i w_i (x_i - c_mi)^2)                                    [1] eq. (11) */
#ifndef TAMIS_SPARSE_RBF_H
#define TAMIS_SPARSE_RBF_H

#include "model/model.h"

struct tamis_sparse_rbf {
    size_t centres, columns, outputs;
    double *centre;             /* centres x columns, column-major */
    double *weight;             /* columns */
    double *alpha;              /* centres + 1, the bias first */
    double r, t;
    double mean, scale;         /* two classes: the second where mean + scale f > 0 */
};

extern const struct tamis_model_kind tamis_sparse_rbf_kind;

/* Memory for a network; contents zero, scale 1. outputs: 1, or 2 for two classes. */
struct tamis_sparse_rbf *tamis_sparse_rbf_new(tamis_context *cx, size_t centres, size_t columns, size_t outputs);
void tamis_sparse_rbf_free(struct tamis_sparse_rbf *s);

#endif
