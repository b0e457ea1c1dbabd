/* Prediction by all Gaussian networks: out_o(x) = bias_o + sum_m alpha_mo exp(-sum_j w_j (x_j - c_mj)^2). */
#ifndef TAMIS_GAUSS_NET_H
#define TAMIS_GAUSS_NET_H

#include "model/code.h"

struct tamis_gauss_net {
    size_t centres, columns, outputs;
    const double *centre;       /* centres x columns, column-major */
    const double *weight;       /* one per column; NULL: 1 / sigma2 for all */
    double sigma2;
    const double *alpha;        /* centres x outputs, leading dimension lead */
    const double *bias;         /* of output o at bias[o lead] */
    size_t lead;
};

/* out: rows x outputs. A row's outputs do not depend on the other rows. */
int tamis_gauss_net_predict(tamis_context *cx, const struct tamis_gauss_net *g, const double *x, size_t rows, size_t ld,
                            double *out);
/* As C: tables, and the function NAME_function (const double *z, double *out). */
void tamis_gauss_net_code(const struct tamis_gauss_net *g, const char *function, struct tamis_code *c);

#endif
