/* Kernels over rows. Logarithms of products: eight ratios, none below 1e-35, are multiplied before one logarithm is taken. */
#include <math.h>
#include "base/base.h"
#include "num/gauss.h"
#include "num/mixture.h"

static const double floor_ratio = 1e-35;

TAMIS_CLONES
static void column_term(size_t n, const double *restrict x, double mu, double half, double level, const double *in, double *out)
{
#pragma GCC ivdep
    for (size_t i = 0; i < n; i++) out[i] = in[i] + (level - half * (x[i] - mu) * (x[i] - mu));
}

void tamis_mix_column(size_t n, size_t kernels, const double *x, const double *mu, const double *tau, double sign, const double *in, double *out)
{
    for (size_t d = 0; d < kernels; d++)
        column_term(n, x, mu[d], sign * 0.5 * tau[d], sign * 0.5 * log(tau[d]), in + n * d, out + n * d);
}

TAMIS_CLONES
static void stabilise(size_t n, size_t kernels, const double *restrict l, double *restrict m, double *restrict e)
{
    for (size_t i = 0; i < n; i++) m[i] = l[i];
    for (size_t d = 1; d < kernels; d++)
        for (size_t i = 0; i < n; i++) m[i] = l[i + n * d] > m[i] ? l[i + n * d] : m[i];
    for (size_t d = 0; d < kernels; d++)
        for (size_t i = 0; i < n; i++) e[i + n * d] = m[i] - l[i + n * d];
}

void tamis_mix_exp(size_t n, size_t kernels, struct tamis_mix *q)
{
    stabilise(n, kernels, q->l, q->m, q->e);
    tamis_exp_scale(n * kernels, q->e, 1, q->e);
}

TAMIS_CLONES
static void range_sums(size_t from, size_t to, size_t n, size_t kernels, const double *w, const double *v, const double *restrict e, double *restrict f, double *restrict s)
{
    for (size_t i = from; i < to; i++) f[i] = w[0] * e[i], s[i] = v[0] * e[i];
    for (size_t d = 1; d < kernels; d++) {
        double a = w[d], b = v[d];
        for (size_t i = from; i < to; i++) f[i] += a * e[i + n * d], s[i] += b * e[i + n * d];
    }
}

void tamis_mix_sums(const struct tamis_mix_rows *r, size_t kernels, const double *w, const double *v, size_t classes, struct tamis_mix *q)
{
    for (size_t k = 0; k < r->ranges; k++)
        range_sums(r->from[k], r->from[k + 1], r->n, kernels, k < classes ? w + kernels * k : v, v, q->e, q->f, q->s);
}

/* log of the product of a_n / b_n (b NULL: of a_n) over multiples of 64 rows, then the rest. */
TAMIS_CLONES
static double log_product(size_t n, const double *restrict a, const double *restrict b, const double *restrict keep)
{
    double sum = 0;
    for (size_t i = 0; i < n;) {
        double p[TAMIS_LANES] = {1, 1, 1, 1, 1, 1, 1, 1};
        for (size_t stop = i + 64 < n ? i + 64 : n; i < stop; i += TAMIS_LANES)
            for (size_t j = 0; j < TAMIS_LANES; j++) {
                double ratio = b ? a[i + j] / b[i + j] : a[i + j];
                ratio = ratio > floor_ratio ? ratio : floor_ratio;
                p[j] *= keep[i + j] > 0 ? ratio : 1;
            }
        for (size_t j = 0; j < TAMIS_LANES; j++) sum += log(p[j]);
    }
    return sum;
}

double tamis_mix_log_conditional(const struct tamis_mix_rows *r, const struct tamis_mix *q) { return log_product(r->n, q->f, q->s, r->keep); }

double tamis_mix_log_joint(const struct tamis_mix_rows *r, const struct tamis_mix *q)
{
    double sum = log_product(r->n, q->f, NULL, r->keep);
    for (size_t i = 0; i < r->n; i++) sum += r->keep[i] * q->m[i];
    return sum;
}

TAMIS_CLONES
static void range_shares(size_t from, size_t to, size_t n, size_t kernels, const double *w, const double *restrict e, const double *restrict f, const double *restrict keep, double *restrict share)
{
    for (size_t d = 0; d < kernels; d++) {
        double a = w[d];
        for (size_t i = from; i < to; i++) share[i + n * d] = a * e[i + n * d] * (keep[i] / f[i]);
    }
}

void tamis_mix_shares(const struct tamis_mix_rows *r, size_t kernels, const double *w, const double *v, size_t classes, const struct tamis_mix *q, double *share)
{
    for (size_t k = 0; k < r->ranges; k++)
        range_shares(r->from[k], r->from[k + 1], r->n, kernels, k < classes ? w + kernels * k : v, q->e, q->f, r->keep, share);
}

TAMIS_CLONES
static void shares_less(size_t n, size_t kernels, const double *v, const double *restrict e, const double *restrict s, const double *restrict keep, double *restrict share)
{
    for (size_t d = 0; d < kernels; d++) {
        double a = v[d];
        for (size_t i = 0; i < n; i++) share[i + n * d] -= a * e[i + n * d] * (keep[i] / s[i]);
    }
}

void tamis_mix_shares_less(const struct tamis_mix_rows *r, size_t kernels, const double *v, const struct tamis_mix *q, double *share)
{
    shares_less(r->n, kernels, v, q->e, q->s, r->keep, share);
}

/* n is a multiple of TAMIS_LANES: the sums of the lanes are added in one order whatever the machine's registers. */
TAMIS_CLONES
static void moments(size_t n, const double *restrict a, const double *restrict x, double *sum)
{
    double p[TAMIS_LANES] = {0}, q[TAMIS_LANES] = {0}, r[TAMIS_LANES] = {0};
    for (size_t i = 0; i < n; i += TAMIS_LANES)
        for (size_t j = 0; j < TAMIS_LANES; j++) {
            double y = a[i + j] * x[i + j];
            p[j] += a[i + j];
            q[j] += y;
            r[j] += y * x[i + j];
        }
    sum[0] = sum[1] = sum[2] = 0;
    for (size_t j = 0; j < TAMIS_LANES; j++) sum[0] += p[j], sum[1] += q[j], sum[2] += r[j];
}

void tamis_mix_moments(size_t n, size_t kernels, const double *a, const double *x, double *sum)
{
    for (size_t d = 0; d < kernels; d++) moments(n, a + n * d, x, sum + 3 * d);
}

TAMIS_CLONES
static double total(size_t n, const double *restrict a)
{
    double p[TAMIS_LANES] = {0}, sum = 0;
    for (size_t i = 0; i < n; i += TAMIS_LANES)
        for (size_t j = 0; j < TAMIS_LANES; j++) p[j] += a[i + j];
    for (size_t j = 0; j < TAMIS_LANES; j++) sum += p[j];
    return sum;
}

double tamis_mix_total(size_t n, const double *a) { return total(n, a); }

TAMIS_CLONES
static double visits(size_t n, const double *restrict e, const double *restrict s, const double *restrict keep)
{
    double p[TAMIS_LANES] = {0}, sum = 0;
    for (size_t i = 0; i < n; i += TAMIS_LANES)
        for (size_t j = 0; j < TAMIS_LANES; j++) p[j] += e[i + j] * (keep[i + j] / s[i + j]);
    for (size_t j = 0; j < TAMIS_LANES; j++) sum += p[j];
    return sum;
}

void tamis_mix_visits(const struct tamis_mix_rows *r, size_t kernels, const struct tamis_mix *q, double *sum)
{
    for (size_t d = 0; d < kernels; d++) sum[d] = visits(r->n, q->e + r->n * d, q->s, r->keep);
}
