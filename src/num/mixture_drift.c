/* Kernels over the coordinates of drift. See mixture_drift.h. */
#include "base/base.h"
#include "num/mixture_drift.h"
#include "num/quads.h"

#define PICK(a, b, i, j, k, l) __builtin_shufflevector(a, b, i, j, k, l)
/* The sums of four quads */
#define SUMS4(a, b, c, d) __extension__({                                                               \
        quad p_ = PICK(a, b, 0, 4, 2, 6) + PICK(a, b, 1, 5, 3, 7), q_ = PICK(c, d, 0, 4, 2, 6) + PICK(c, d, 1, 5, 3, 7);  \
        PICK(p_, q_, 0, 1, 4, 5) + PICK(p_, q_, 2, 3, 6, 7); })

TAMIS_CLONES
static double prior(const struct tamis_mix_cells *c, double alpha, const double *mu, const double *log_tau, const double *tau)
{
    quad sum = {0};
    for (size_t i = 0; i < c->n; i += 4) {
        quad z = AT(mu, i) - AT(c->xi, i);
        sum += alpha * AT(log_tau, i) - AT(c->beta, i) * AT(tau, i) - 0.5 * AT(c->kappa, i) * z * z;
    }
    return SUM(sum);
}

double tamis_mix_cells_prior(const struct tamis_mix_cells *c, double alpha, const double *mu, const double *log_tau, const double *tau)
{
    return prior(c, alpha, mu, log_tau, tau);
}

/* Of `count` kernels from d on, at most three, and one column. */
#define MOMENTS(count) do {                                                                             \
        quad p[3] = {{0}}, q[3] = {{0}};                                                                \
        for (size_t i = 0; i < n; i += 4) {                                                             \
            quad z = AT(from, i);                                                                       \
            for (size_t j = 0; j < (count); j++) {                                                      \
                quad y = AT(a, i + n * (d + j)) * z;                                                    \
                p[j] += y;                                                                              \
                q[j] += y * z;                                                                          \
            }                                                                                           \
        }                                                                                               \
        quad s = SUMS4(p[0], p[1], p[2], q[0]), t = SUMS4(q[1], q[2], q[1], q[2]);                    \
        for (size_t j = 0; j < (count); j++) first[d + j] = s[j], second[d + j] = j ? t[j - 1] : s[3], all[d + j] = total[d + j];  \
        d += (count);                                                                                   \
    } while (0)

TAMIS_CLONES
static void all_moments(struct tamis_mix_cells *cell, size_t n, size_t kernels, size_t columns, const size_t *column, const double *x, const double *a, const double *total)
{
    double *first = cell->first, *second = cell->second, *all = cell->all;
    for (size_t c = 0; c < columns; c++, first += kernels, second += kernels, all += kernels) {
        const double *from = x + n * column[c];
        size_t d = 0;
        while (d + 3 <= kernels) MOMENTS(3);
        if (d + 2 <= kernels) MOMENTS(2);
        if (d < kernels) MOMENTS(1);
    }
}

void tamis_mix_cells_moments(struct tamis_mix_cells *c, size_t n, size_t kernels, size_t columns, const size_t *column, const double *x, const double *a, const double *total)
{
    all_moments(c, n, kernels, columns, column, x, a, total);
}

TAMIS_CLONES
static void slope(const struct tamis_mix_cells *c, double alpha, double heat, const double *mu, const double *tau, double *by_mu, double *by_tau)
{
    const struct tamis_mix_cells own = *c;                                      /* a quad may alias anything */
    for (size_t i = 0; i < own.n; i += 4) {
        quad m = AT(mu, i), t = AT(tau, i), weight = AT(own.all, i), off = AT(own.first, i) - m * weight;
        quad squares = AT(own.second, i) - m * (AT(own.first, i) + off);
        TO(by_mu, i) = heat * t * off - AT(own.kappa, i) * (m - AT(own.xi, i));
        TO(by_tau, i) = heat * 0.5 * (weight - t * squares) + alpha - AT(own.beta, i) * t;
    }
}

void tamis_mix_cells_slope(const struct tamis_mix_cells *c, double alpha, double heat, const double *mu, const double *tau, double *by_mu, double *by_tau)
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

void tamis_mix_leap(size_t n, double part, const double *pace, const double *slope, double *momentum, double *y) { leap(n, part, pace, slope, momentum, y); }

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

double tamis_mix_kinetic(size_t n, const double *pace, const double *slope, const double *momentum) { return kinetic(n, pace, slope, momentum); }
