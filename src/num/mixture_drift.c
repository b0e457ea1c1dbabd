/* Kernels over the coordinates of drift. See mixture_drift.h. */
#include "base/base.h"
#include "num/exp_inline.h"
#include "num/mixture_drift.h"

#define AT(x, i) (*(const quad *)((x) + (i)))
#define TO(x, i) (*(quad *)((x) + (i)))
#define PICK(a, b, i, j, k, l) __builtin_shufflevector(a, b, i, j, k, l)
/* The sums of four quads */
#define SUMS4(a, b, c, d) __extension__({                                                               \
        quad p_ = PICK(a, b, 0, 4, 2, 6) + PICK(a, b, 1, 5, 3, 7), q_ = PICK(c, d, 0, 4, 2, 6) + PICK(c, d, 1, 5, 3, 7);  \
        PICK(p_, q_, 0, 1, 4, 5) + PICK(p_, q_, 2, 3, 6, 7); })
#define SUM(v) (((v)[0] + (v)[1]) + ((v)[2] + (v)[3]))

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

/* Of one kernel and two columns. */
static inline __attribute__((always_inline)) void moments(size_t n, const double *a, const double *x, const double *y, quad *out)
{
    quad p = {0}, q = {0}, s = {0}, t = {0};
    for (size_t i = 0; i < n; i += 4) {
        quad u = AT(a, i) * AT(x, i), v = AT(a, i) * AT(y, i);
        p += u;
        q += v;
        s += u * AT(x, i);
        t += v * AT(y, i);
    }
    *out = SUMS4(p, q, s, t);
}

TAMIS_CLONES
static void all_moments(struct tamis_mix_cells *cell, size_t n, size_t kernels, size_t columns, const size_t *column, const double *x, const double *a, const double *total)
{
    double *first = cell->first, *second = cell->second, *all = cell->all;
    quad sum;
    for (size_t c = 0; c < columns; c += 2) {
        size_t next = c + 1 < columns ? c + 1 : c;
        for (size_t d = 0; d < kernels; d++) {
            moments(n, a + n * d, x + n * column[c], x + n * column[next], &sum);
            first[d + kernels * c] = sum[0], first[d + kernels * next] = sum[1];
            second[d + kernels * c] = sum[2], second[d + kernels * next] = sum[3];
            all[d + kernels * c] = all[d + kernels * next] = total[d];
        }
    }
}

void tamis_mix_cells_moments(struct tamis_mix_cells *c, size_t n, size_t kernels, size_t columns, const size_t *column, const double *x, const double *a, const double *total)
{
    all_moments(c, n, kernels, columns, column, x, a, total);
}

TAMIS_CLONES
static void slope(const struct tamis_mix_cells *c, double alpha, double heat, const double *mu, const double *tau, double *by_mu, double *by_tau)
{
    for (size_t i = 0; i < c->n; i += 4) {
        quad m = AT(mu, i), t = AT(tau, i), weight = AT(c->all, i), off = AT(c->first, i) - m * weight;
        quad squares = AT(c->second, i) - m * (AT(c->first, i) + off);
        TO(by_mu, i) = heat * t * off - AT(c->kappa, i) * (m - AT(c->xi, i));
        TO(by_tau, i) = heat * 0.5 * (weight - t * squares) + alpha - AT(c->beta, i) * t;
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
