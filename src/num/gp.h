/* A Gaussian network with one weight per input; weights and noise by marginal likelihood.
 *
 *     C = a E + b 1 1^T + s I,   E_jk = exp(-sum_i w_i (x_ji - x_ki)^2),   y ~ N(0, C)
 *     L = 1/2 sum_o y_o^T C^-1 y_o + l/2 log |C|                              (l outputs; without constants)
 *
 * A row that counts as v_j rows, with the same target, has the noise s / v_j, and the others of them say nothing but
 * that the noise is small:
 *
 *     C = a E + b 1 1^T + s diag(1 / v)
 *     L = 1/2 sum_o y_o^T C^-1 y_o + l/2 (log |C| + sum_j (v_j - 1) log s + log v_j) */
#ifndef TAMIS_GP_H
#define TAMIS_GP_H

#include <stddef.h>

struct tamis_gp {
    size_t n, d, outputs;
    const double *x;            /* n x d, column-major, contiguous */
    const double *y;            /* n x outputs */
    double bias;                /* b */
    const double *v;            /* NULL: every row counts once; else what each counts */
    double copies, logs;        /* sums of v - 1 and log v */
    double *z, *e, *c, *m, *alpha, *mx, *norm, *ones, *row;     /* in the caller's memory */
};

size_t tamis_gp_size(size_t n, size_t d, size_t outputs);       /* doubles: about 3 n^2 + 2 n d */
void tamis_gp_bind(struct tamis_gp *g, size_t n, size_t d, size_t outputs, const double *x, const double *y,
                   double bias, double *memory);
void tamis_gp_weigh(struct tamis_gp *g, const double *v);       /* after binding; v is kept */

/* L at theta = (log w_1 .. log w_d, log a, log s), and its gradient in slope unless NULL; +inf when C is not positive
 * definite. Leaves alpha = C^-1 y (n x outputs) in g->alpha and, with slope, C^-1 (lower triangle) in g->c.
 * About n^3 + 3 n^2 d flops. */
double tamis_gp_likelihood(struct tamis_gp *g, const double *theta, double *slope);

/* Leave-one-out residuals alpha_j / (C^-1)_jj of the last likelihood with slope, n x outputs. */
void tamis_gp_residuals(const struct tamis_gp *g, double *residual);

/* Predictions (rows x outputs) at other rows, from the alpha of the last likelihood: out = a sum_j E(x, x_j) alpha_j +
 * b sum_j alpha_j. work: rows x (n + d + 1) + n doubles. */
void tamis_gp_predict(const struct tamis_gp *g, const double *theta, const double *x, size_t rows, size_t ld,
                      double *out, double *work);

#endif
