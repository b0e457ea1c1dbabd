/* Gaussian radial basis function network: y(x) = sum_m alpha_m exp(-|x - c_m|^2 / sigma2) + alpha_0   ([1] eq. 1). */
#ifndef TAMIS_RBF_H
#define TAMIS_RBF_H

#include "model/model.h"

struct tamis_rbf {
    size_t centres, columns;
    double *centre;             /* centres x columns, column-major */
    double *alpha;              /* centres + 1, the bias last */
    double sigma2, gamma;
};

extern const struct tamis_model_kind tamis_rbf_kind;

/* Room for a network; contents zero. */
struct tamis_rbf *tamis_rbf_new(tamis_context *cx, size_t centres, size_t columns);
void tamis_rbf_free(struct tamis_rbf *r);

#endif
