/* Gaussian radial basis function network; in classification, one such sum per class:
 *
 *     y(x) = sum_m alpha_m exp(-|x - c_m|^2 / sigma2) + alpha_0                                            [1] eq. (1)
 *
 * LS-SVM and reduced rank kernel ridge regression predict by the same sum and differ in how alpha is found. */
#ifndef TAMIS_RBF_H
#define TAMIS_RBF_H

#include "model/model.h"

struct tamis_rbf {
    size_t centres, columns, outputs;
    double *centre;             /* centres x columns, column-major */
    double *alpha;              /* (centres + 1) x outputs, the bias of each output last */
    double sigma2, gamma;
};

extern const struct tamis_model_kind tamis_rbf_kind, tamis_lssvm_kind, tamis_rrkrr_kind;

/* Memory for a network of one output, or of several; contents zero. */
struct tamis_rbf *tamis_rbf_new(tamis_context *cx, size_t centres, size_t columns);
struct tamis_rbf *tamis_rbf_outputs(tamis_context *cx, size_t centres, size_t columns, size_t outputs);
void tamis_rbf_free(struct tamis_rbf *r);

#endif
