/* Kernels over rows. Logarithms are taken of products, whose powers of two are kept apart. */
#include <math.h>
#include <string.h>
#include "base/base.h"
#include "num/exp_inline.h"
#include "num/gauss.h"
#include "num/mixture.h"

static const double floor_ratio = 1e-35;

/* Four numbers at a time, twice: sums are added in one order whatever the machine's registers. (gcc 12 spills vectors of eight.) */
typedef double quad __attribute__((vector_size(4 * sizeof(double)), aligned(8), may_alias));
typedef long whole __attribute__((vector_size(4 * sizeof(long))));
#define AT(x, i) (*(const quad *)((x) + (i)))
#define SUM(v) (((v)[0] + (v)[1]) + ((v)[2] + (v)[3]))

TAMIS_CLONES
static void column_term(size_t n, const double *restrict x, double mu, double half, double level, const double *in, double *out)
{
#pragma GCC ivdep
    for (size_t i = 0; i < n; i++) out[i] = in[i] + (level - half * (x[i] - mu) * (x[i] - mu));
}

void tamis_mix_column(size_t n, size_t kernels, const double *x, const double *mu, const double *tau, const double *log_tau, double sign, const double *in, double *out)
{
    for (size_t d = 0; d < kernels; d++)
        column_term(n, x, mu[d], sign * 0.5 * tau[d], sign * 0.5 * (log_tau ? log_tau[d] : log(tau[d])), in + n * d, out + n * d);
}

TAMIS_CLONES
static void stretch(size_t n, const double *restrict in, double factor, double level, double *restrict out)
{
    for (size_t i = 0; i < n; i++) out[i] = factor * in[i] + level;
}

void tamis_mix_stretch(size_t n, const double *in, double factor, double level, double *out) { stretch(n, in, factor, level, out); }

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

/* A block of rows stays in the nearest cache from l to f and s. */
TAMIS_CLONES
static void block_all(size_t from, size_t to, size_t n, size_t kernels, const double *w, const double *v, const double *l, double *e, double *m, double *f, double *s)
{
#pragma GCC ivdep
    for (size_t i = from; i < to; i++) m[i] = l[i], f[i] = s[i] = 0;
    for (size_t d = 1; d < kernels; d++)
#pragma GCC ivdep
        for (size_t i = from; i < to; i++) m[i] = l[i + n * d] > m[i] ? l[i + n * d] : m[i];
    for (size_t d = 0; d < kernels; d++) {
        double a = w[d], b = v[d];
#pragma GCC ivdep
        for (size_t i = from; i < to; i++) {
            double y = exp_nonpositive(l[i + n * d] - m[i]);
            e[i + n * d] = y;
            f[i] += a * y;
            s[i] += b * y;
        }
    }
}

enum { BLOCK = 128 };

void tamis_mix_all(const struct tamis_mix_rows *r, size_t kernels, const double *w, const double *v, size_t classes, struct tamis_mix *q)
{
    for (size_t k = 0; k < r->ranges; k++)
        for (size_t from = r->from[k]; from < r->from[k + 1]; from += BLOCK)
            block_all(from, from + BLOCK < r->from[k + 1] ? from + BLOCK : r->from[k + 1], r->n, kernels, k < classes ? w + kernels * k : v, v, q->l, q->e, q->m, q->f, q->s);
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

/* The powers of two of positive p are added to `power`; p becomes the rest, in [1, 2). A macro: a function of quads would have an ABI of its own. */
#define POWER_OUT(p, power) do {                                                                                                      \
        const whole bias_ = {1023, 1023, 1023, 1023}, mantissa_ = {0xFFFFFFFFFFFFF, 0xFFFFFFFFFFFFF, 0xFFFFFFFFFFFFF, 0xFFFFFFFFFFFFF};  \
        whole bits_ = (whole)(p);                                                                                                     \
        (power) += (bits_ >> 52) - bias_;                                                                                             \
        (p) = (quad)((bits_ & mantissa_) | (bias_ << 52));                                                                            \
    } while (0)

/* log of the product of a_n / b_n. A quad holds products of at most eight ratios before their powers of two are put aside. */
TAMIS_CLONES
static double log_ratios(size_t n, const double *a, const double *b, const double *keep)
{
    const quad one = {1, 1, 1, 1}, least = one * floor_ratio;
    quad p = one, q = one;
    whole power = {0};
    for (size_t i = 0; i < n;) {
        for (size_t stop = i + 64 < n ? i + 64 : n; i < stop; i += TAMIS_LANES) {
            p *= (AT(a, i) / AT(b, i) + least) * AT(keep, i) + (one - AT(keep, i));
            q *= (AT(a, i + 4) / AT(b, i + 4) + least) * AT(keep, i + 4) + (one - AT(keep, i + 4));
        }
        POWER_OUT(p, power);
        POWER_OUT(q, power);
    }
    p *= q;
    return log(p[0] * p[1] * p[2] * p[3]) + M_LN2 * (double)SUM(power);
}

/* log of the product of a_n */
TAMIS_CLONES
static double log_product(size_t n, const double *a, const double *keep)
{
    const quad one = {1, 1, 1, 1}, least = one * floor_ratio;
    quad p = one;
    whole power = {0};
    for (size_t i = 0; i < n;) {
        for (size_t stop = i + 32 < n ? i + 32 : n; i < stop; i += 4) p *= (AT(a, i) + least) * AT(keep, i) + (one - AT(keep, i));
        POWER_OUT(p, power);
    }
    return log(p[0] * p[1] * p[2] * p[3]) + M_LN2 * (double)SUM(power);
}

double tamis_mix_log_conditional(const struct tamis_mix_rows *r, const struct tamis_mix *q) { return log_ratios(r->n, q->f, q->s, r->keep); }

double tamis_mix_log_joint(const struct tamis_mix_rows *r, const struct tamis_mix *q)
{
    double sum = log_product(r->n, q->f, r->keep);
    for (size_t i = 0; i < r->n; i++) sum += r->keep[i] * q->m[i];
    return sum;
}

TAMIS_CLONES
static void range_shares(size_t from, size_t to, size_t n, size_t kernels, const double *w, const double *e, const double *f, const double *keep, double *share)
{
#pragma GCC ivdep
    for (size_t i = from; i < to; i++) share[i] = keep[i] / f[i];
    for (size_t d = kernels; d-- > 0;) {                                        /* the first last: it holds what the others need */
        double a = w[d];
#pragma GCC ivdep
        for (size_t i = from; i < to; i++) share[i + n * d] = a * e[i + n * d] * share[i];
    }
}

void tamis_mix_shares(const struct tamis_mix_rows *r, size_t kernels, const double *w, const double *v, size_t classes, const struct tamis_mix *q, double *share)
{
    for (size_t k = 0; k < r->ranges; k++)
        range_shares(r->from[k], r->from[k + 1], r->n, kernels, k < classes ? w + kernels * k : v, q->e, q->f, r->keep, share);
}

TAMIS_CLONES
static void moments(size_t n, const double *a, const double *x, double *sum)
{
    quad p = {0}, q = {0}, r = {0}, p2 = {0}, q2 = {0}, r2 = {0};
    for (size_t i = 0; i < n; i += TAMIS_LANES) {
        quad y = AT(a, i) * AT(x, i), y2 = AT(a, i + 4) * AT(x, i + 4);
        p += AT(a, i), p2 += AT(a, i + 4);
        q += y, q2 += y2;
        r += y * AT(x, i), r2 += y2 * AT(x, i + 4);
    }
    p += p2, q += q2, r += r2;
    sum[0] = SUM(p);
    sum[1] = SUM(q);
    sum[2] = SUM(r);
}

void tamis_mix_moments(size_t n, size_t kernels, const double *a, const double *x, double *sum)
{
    for (size_t d = 0; d < kernels; d++) moments(n, a + n * d, x, sum + 3 * d);
}

TAMIS_CLONES
static double total(size_t n, const double *a)
{
    quad p = {0}, q = {0};
    for (size_t i = 0; i < n; i += TAMIS_LANES) p += AT(a, i), q += AT(a, i + 4);
    p += q;
    return SUM(p);
}

double tamis_mix_total(size_t n, const double *a) { return total(n, a); }

double tamis_mix_log_product(size_t n, const double *x)
{
    double product = 1;
    long power = 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t bits;
        double rest;
        memcpy(&bits, &x[i], sizeof bits);
        power += (long)(bits >> 52) - 1023;
        bits = (bits & 0xFFFFFFFFFFFFF) | (uint64_t)1023 << 52;
        memcpy(&rest, &bits, sizeof rest);                                      /* in [1, 2) */
        product *= rest;
    }
    return log(product) + M_LN2 * (double)power;
}

/* Of one range and kernel: a_n = w e / f - v e / s and the sums of e / f and e / s; u, z hold keep / f and keep / s. */
TAMIS_CLONES
static void contrast(size_t n, double w, double v, const double *e, const double *u, const double *z, double *a, double *sum)
{
    quad p = {0}, q = {0};
    for (size_t i = 0; i < n; i += 4) {
        quad g = AT(e, i) * AT(u, i), h = AT(e, i) * AT(z, i);
        p += g;
        q += h;
        *(quad *)(a + i) = w * g - v * h;
    }
    sum[0] = SUM(p);
    sum[1] = SUM(q);
}

TAMIS_CLONES
static void inverses(size_t n, const double *restrict f, const double *restrict keep, double scale, double *restrict out)
{
    for (size_t i = 0; i < n; i++) out[i] = scale * keep[i] / f[i];
}

void tamis_mix_contrast(const struct tamis_mix_rows *r, size_t kernels, const double *w, const double *v, size_t classes, const struct tamis_mix *q, int joint, double *work, double *a, double *own, double *all)
{
    double *u = work, *z = work + r->n, sum[2];
    inverses(r->n, q->f, r->keep, 1, u);
    inverses(r->n, q->s, r->keep, !joint, z);
    for (size_t d = 0; d < kernels; d++) all[d] = 0;
    for (size_t k = 0; k < r->ranges; k++)
        for (size_t d = 0, from = r->from[k]; d < kernels; d++) {
            double mine = k < classes ? w[d + kernels * k] : v[d];
            contrast(r->from[k + 1] - from, mine, v[d], q->e + from + r->n * d, u + from, z + from, a + from + r->n * d, sum);
            own[d + kernels * k] = mine * sum[0];
            all[d] += sum[1];
        }
}
