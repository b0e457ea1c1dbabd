/* Hamiltonian steps of a mixture classifier (num/mixture_sums.h) on mu, log tau and the log weights. A cell is a pair
 * of a kernel and a column: cell d + D c is kernel d of the c-th column listed. Arrays of cells and of coordinates are
 * padded to a multiple of TAMIS_LANES, with prior and pace 0. */
#ifndef TAMIS_MIXTURE_DRIFT_H
#define TAMIS_MIXTURE_DRIFT_H

#include "num/mixture_sums.h"

struct tamis_mix_cells {
    size_t n;                   /* with the padding */
    double *xi, *kappa, *beta;  /* of the cell's column: mu ~ N(xi, 1 / kappa), tau ~ Ga(alpha, beta) */
    double *all, *first, *second;       /* tamis_mix_moments of a_nd */
};

/* log p(mu) + log p(log tau), without constants */
double tamis_mix_cells_prior(const struct tamis_mix_cells *c, double alpha, const double *mu, const double *log_tau,
                             const double *tau);
/* The gradient of heat times the energy and of that prior, from the moments. */
void tamis_mix_cells_slope(const struct tamis_mix_cells *c, double alpha, double heat, const double *mu,
                           const double *tau, double *by_mu, double *by_tau);
/* momentum += part pace slope, y += pace momentum */
void tamis_mix_leap(size_t n, double part, const double *pace, const double *slope, double *momentum, double *y);
/* Half the square of the momentum after the last half step. */
double tamis_mix_kinetic(size_t n, const double *pace, const double *slope, const double *momentum);

#endif
