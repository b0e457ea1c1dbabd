/* Kernels over the coordinates of drift. See mixture_drift.h. */
#include "base/base.h"
#include "num/mixture_drift.h"
#include "num/quads.h"

TAMIS_CLONES
static double prior(const struct tamis_mix_cells *c, double alpha, const double *mu, const double *log_tau,
                    const double *tau)
{
    quad sum = {0};
    for (size_t i = 0; i < c->n; i += 4) {
        quad z = AT(mu, i) - AT(c->xi, i);
        sum += alpha * AT(log_tau, i) - AT(c->beta, i) * AT(tau, i) - 0.5 * AT(c->kappa, i) * z * z;
    }
    return SUM(sum);
}

double tamis_mix_cells_prior(const struct tamis_mix_cells *c, double alpha, const double *mu, const double *log_tau,
                             const double *tau)
{
    return prior(c, alpha, mu, log_tau, tau);
}

TAMIS_CLONES
static void slope(const struct tamis_mix_cells *c, double alpha, double heat, const double *mu, const double *tau,
                  double *by_mu, double *by_tau)
{
    const struct tamis_mix_cells own = *c;              /* a local copy: a quad may alias anything */
    for (size_t i = 0; i < own.n; i += 4) {
        quad m = AT(mu, i), t = AT(tau, i), weight = AT(own.all, i), off = AT(own.first, i) - m * weight;
        quad squares = AT(own.second, i) - m * (AT(own.first, i) + off);
        TO(by_mu, i) = heat * t * off - AT(own.kappa, i) * (m - AT(own.xi, i));
        TO(by_tau, i) = heat * 0.5 * (weight - t * squares) + alpha - AT(own.beta, i) * t;
    }
}

void tamis_mix_cells_slope(const struct tamis_mix_cells *c, double alpha, double heat, const double *mu,
                           const double *tau, double *by_mu, double *by_tau)
{
    slope(c, alpha, heat, mu, tau, by_mu, by_tau);
}

TAMIS_CLONES
static void leap(size_t n, double part, const double *pace, const double *slope, double *momentum, double *y)
{
    for (size_t i = 0; i < n; i += 4) {
        quad step = AT(pace, i), m = AT(momentum, i) + part * step * AT(slope, i);
        TO(momentum, i) = m;
        TO(y, i) += step * m;
    }
}

void tamis_mix_leap(size_t n, double part, const double *pace, const double *slope, double *momentum, double *y)
{
    leap(n, part, pace, slope, momentum, y);
}

TAMIS_CLONES
static double kinetic(size_t n, const double *pace, const double *slope, const double *momentum)
{
    quad sum = {0};
    for (size_t i = 0; i < n; i += 4) {
        quad m = AT(momentum, i) + 0.5 * AT(pace, i) * AT(slope, i);
        sum += m * m;
    }
    return 0.5 * SUM(sum);
}

double tamis_mix_kinetic(size_t n, const double *pace, const double *slope, const double *momentum)
{
    return kinetic(n, pace, slope, momentum);
}
