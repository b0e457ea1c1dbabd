/* Kernels over rows. Logarithms are taken of products, whose powers of two are accumulated separately. */
#include <math.h>
#include <string.h>
#include "base/base.h"
#include "num/mixture_sums.h"
#include "num/quads.h"

/* log tau of kernels d to d + 3 */
#define LOGS(tau) __extension__({                                                                       \
        quad some_ = {1, 1, 1, 1};                                                                      \
        for (size_t j_ = 0; j_ < 4 && d + j_ < kernels; j_++) some_[j_] = (tau)[d + j_];                \
        QUAD_LOG(some_); })

TAMIS_CLONES
static void column_terms(size_t n, size_t kernels, const double *x, const double *mu, const double *tau, double sign,
                         const double *in, double *out)
{
    quad logs = {0};
    for (size_t d = 0; d < kernels; d++, in += n, out += n) {
        if (d % 4 == 0) logs = LOGS(tau);
        quad mean = (quad){0} + mu[d], half = (quad){0} + 0.5 * sign * tau[d],
             level = (quad){0} + 0.5 * sign * logs[d % 4];
        for (size_t i = 0; i < n; i += 4) {
            quad z = mean - AT(x, i);
            TO(out, i) = AT(in, i) + (level - half * z * z);
        }
    }
}

void tamis_mix_column(size_t n, size_t kernels, const double *x, const double *mu, const double *tau, double sign,
                      const double *in, double *out)
{
    column_terms(n, kernels, x, mu, tau, sign, in, out);
}

TAMIS_CLONES
static void column_change(size_t n, size_t kernels, const struct tamis_mix_term *a, const struct tamis_mix_term *b,
                          const double *in, double *out)
{
    const double *x = a->x, *new_x = b->x;      /* a quad may alias anything: loops read local variables only */
    quad logs = {0};
    for (size_t d = 0; d < kernels; d++, in += n, out += n) {
        if (d % 4 == 0) logs = LOGS(b->tau) - LOGS(a->tau);
        quad mean = (quad){0} + a->mu[d], half = (quad){0} + 0.5 * a->tau[d], new_mean = (quad){0} + b->mu[d],
             new_half = (quad){0} + 0.5 * b->tau[d], level = (quad){0} + 0.5 * logs[d % 4];
        for (size_t i = 0; i < n; i += 4) {
            quad z = mean - AT(x, i), y = new_mean - AT(new_x, i);
            TO(out, i) = AT(in, i) + (level + (half * z * z - new_half * y * y));
        }
    }
}

void tamis_mix_column_change(size_t n, size_t kernels, const struct tamis_mix_term *leaves,
                             const struct tamis_mix_term *enters, const double *in, double *out)
{
    column_change(n, kernels, leaves, enters, in, out);
}

/* l of `count` quads of rows from i on, of kernel d. */
#define LEVELS(count) do {                                                                              \
        quad sum[count] = {{0}};                                                                        \
        for (size_t c = 0; c < columns; c++) {                                                          \
            const double *at = x + n * column[c] + i;                                                   \
            double mean = mu[d + kernels * c], t = tau[d + kernels * c];                                \
            for (size_t j = 0; j < (count); j++) {                                                      \
                quad z = mean - AT(at, 4 * j);                                                          \
                sum[j] += t * z * z;                                                                    \
            }                                                                                           \
        }                                                                                               \
        for (size_t j = 0; j < (count); j++, i += 4) TO(l, i + n * d) = level[d] - 0.5 * sum[j];        \
    } while (0)

TAMIS_CLONES
static void levels(size_t n, size_t kernels, size_t columns, const size_t *column, const double *x, const double *mu,
                   const double *tau, const double *level, double *l)
{
    for (size_t d = 0; d < kernels; d++) {
        size_t i = 0;
        while (i + 32 <= n) LEVELS(8);
        if (i < n && n >= 32) {                 /* some rows again, for fewer passes through the columns */
            i = n - 32;
            LEVELS(8);
        }
        if (i + 16 <= n) LEVELS(4);
        if (i + 8 <= n) LEVELS(2);
        if (i < n) LEVELS(1);
    }
}

void tamis_mix_levels(size_t n, size_t kernels, size_t columns, const size_t *column, const double *x, const double *mu,
                      const double *tau, const double *level, double *l)
{
    levels(n, kernels, columns, column, x, mu, tau, level, l);
}

TAMIS_CLONES
static double log_sum_exp(size_t n, double *l, const double *keep)
{
    quad top = {-INFINITY, -INFINITY, -INFINITY, -INFINITY}, sum = {0};
    for (size_t i = 0; i < n; i += 4) {
        TO(l, i) = AT(keep, i) * AT(l, i) - (1.0 - AT(keep, i)) * 1e300;
        top = QUAD_LARGER(top, AT(l, i));
    }
    double most = top[0];
    for (size_t j = 1; j < 4; j++) most = top[j] > most ? top[j] : most;
    for (size_t i = 0; i < n; i += 4) sum += QUAD_EXP(AT(l, i) - most);
    return most + log(SUM(sum));
}

double tamis_mix_log_sum_exp(size_t n, double *l, const double *keep) { return log_sum_exp(n, l, keep); }

TAMIS_CLONES
static void exp_any(size_t n, const double *x, double *out)
{
    for (size_t i = 0; i < n; i += 4) {
        quad y = -QUAD_LARGER(-AT(x, i), (quad){0} - 600.0);
        TO(out, i) = QUAD_EXP(y);
    }
}

void tamis_mix_exp_any(size_t n, const double *x, double *out) { exp_any(n, x, out); }

TAMIS_CLONES
static void log_any(size_t n, const double *x, double *out)
{
    for (size_t i = 0; i < n; i += 4) TO(out, i) = QUAD_LOG(AT(x, i));
}

void tamis_mix_log_any(size_t n, const double *x, double *out) { log_any(n, x, out); }

TAMIS_CLONES
static void stretch(size_t n, const double *restrict in, double factor, double level, double *restrict out)
{
    for (size_t i = 0; i < n; i++) out[i] = factor * in[i] + level;
}

void tamis_mix_stretch(size_t n, const double *in, double factor, double level, double *out)
{
    stretch(n, in, factor, level, out);
}

/* m of `count` quads of rows from i on. */
#define TOPS(count) do {                                                                                \
        quad top[count];                                                                                \
        for (size_t j = 0; j < (count); j++) top[j] = AT(l, i + 4 * j);                                 \
        for (size_t d = 1; d < kernels; d++)                                                            \
            for (size_t j = 0; j < (count); j++)                                                        \
                top[j] = QUAD_LARGER(top[j], AT(l, i + 4 * j + n * d));                                 \
        for (size_t j = 0; j < (count); j++, i += 4) TO(m, i) = top[j];                                 \
    } while (0)

TAMIS_CLONES
static void stable_exp(size_t n, size_t kernels, const double *l, double *m, double *e)
{
    size_t i = 0;
    while (i + 16 <= n) TOPS(4);
    if (i < n && n >= 16) {                                                     /* some rows again */
        i = n - 16;
        TOPS(4);
    }
    while (i < n) TOPS(1);
    for (size_t d = 0; d < kernels; d++, l += n, e += n)
        for (i = 0; i < n; i += 4) TO(e, i) = QUAD_EXP(AT(l, i) - AT(m, i));
}

void tamis_mix_exp(size_t n, size_t kernels, struct tamis_mix *q) { stable_exp(n, kernels, q->l, q->m, q->e); }

/* Moves the powers of two of positive p to `power`; p becomes the rest, in [1, 2). */
#define POWER_OUT(p, power) do {                                                                        \
        const whole bias_ = {1023, 1023, 1023, 1023}, mantissa_ = bias_ * 0 + 0xFFFFFFFFFFFFF;          \
        whole bits_ = (whole)(p);                                                                       \
        (power) += (bits_ >> 52) - bias_;                                                               \
        (p) = (quad)((bits_ & mantissa_) | (bias_ << 52));                                              \
    } while (0)

#define LOG_OF(p, power) (log((p)[0] * (p)[1] * (p)[2] * (p)[3]) + M_LN2 * (double)(long)SUM(power))
#define KEPT(y, i) ((y) * AT(keep, i) + AT(least, i))
enum { BLOCK = 32 };            /* rows whose product a quad holds before its powers of two are moved out */

/* f and s of `count` quads of rows from i on, and their products. */
#define SUMS(count) do {                                                                                \
        quad own[count], all[count];                                                                    \
        for (size_t j = 0; j < (count); j++)                                                            \
            own[j] = mine[0] * AT(e, i + 4 * j), all[j] = v[0] * AT(e, i + 4 * j);                      \
        for (size_t d = 1; d < kernels; d++)                                                            \
            for (size_t j = 0; j < (count); j++) {                                                      \
                quad y = AT(e, i + 4 * j + n * d);                                                      \
                own[j] += mine[d] * y;                                                                  \
                all[j] += v[d] * y;                                                                     \
            }                                                                                           \
        for (size_t j = 0; j < (count); j++, i += 4) {                                                  \
            TO(f, i) = own[j];                                                                          \
            TO(s, i) = all[j];                                                                          \
            p *= KEPT(own[j], i);                                                                       \
            q *= KEPT(all[j], i);                                                                       \
        }                                                                                               \
    } while (0)

/* f, s and the log of the product of f_n / s_n from e. */
TAMIS_CLONES
static double sums(const struct tamis_mix_rows *r, size_t kernels, const double *w, const double *v, size_t classes,
                   const double *e, double *f, double *s)
{
    const double *keep = r->keep, *least = r->least;
    quad p = {1, 1, 1, 1}, q = p;
    whole power = {0}, down = {0};
    size_t n = r->n;
    for (size_t k = 0, i = 0; k < r->ranges; k++) {
        const double *mine = k < classes ? w + kernels * k : v;
        for (size_t end = r->from[k + 1], stop; i < end;) {
            stop = i + BLOCK < end ? i + BLOCK : end;
            while (i + 28 <= stop) SUMS(4);
            switch ((stop - i) / 4) {
            case 6: SUMS(6); break;
            case 5: SUMS(5); break;
            case 4: SUMS(4); break;
            case 3: SUMS(3); break;
            case 2: SUMS(2); break;
            case 1: SUMS(1); break;
            }
            POWER_OUT(p, power);
            POWER_OUT(q, down);
        }
    }
    p /= q;
    power -= down;
    return LOG_OF(p, power);
}

/* sum_n (c_n - 1) log(a_n / b_n) (b NULL: log a_n); four rows that count once cost nothing. */
TAMIS_CLONES
static double log_more(const struct tamis_mix_rows *r, const double *a, const double *b)
{
    const double *keep = r->keep, *least = r->least, *weight = r->weight;
    quad sum = {0};
    for (size_t i = 0; i < r->n; i += 4) {
        quad more = AT(weight, i) - AT(keep, i);
        if (more[0] == 0 && more[1] == 0 && more[2] == 0 && more[3] == 0) continue;
        quad y = KEPT(AT(a, i), i);
        if (b) y /= KEPT(AT(b, i), i);
        sum += more * QUAD_LOG(y);
    }
    return SUM(sum);
}

double tamis_mix_sums(const struct tamis_mix_rows *r, size_t kernels, const double *w, const double *v, size_t classes,
                      const struct tamis_mix *q)
{
    double sum = sums(r, kernels, w, v, classes, q->e, q->f, q->s);
    return r->weight ? sum + log_more(r, q->f, q->s) : sum;
}

static const double *counts(const struct tamis_mix_rows *r) { return r->weight ? r->weight : r->keep; }

/* log of the product of a_n */
TAMIS_CLONES
static double log_product(size_t n, const double *a, const double *keep, const double *least)
{
    quad p = {1, 1, 1, 1};
    whole power = {0};
    for (size_t i = 0; i < n;) {
        for (size_t stop = i + BLOCK < n ? i + BLOCK : n; i < stop; i += 4) p *= KEPT(AT(a, i), i);
        POWER_OUT(p, power);
    }
    return LOG_OF(p, power);
}

double tamis_mix_log_joint(const struct tamis_mix_rows *r, const struct tamis_mix *q)
{
    const double *times = counts(r);
    double sum = log_product(r->n, q->f, r->keep, r->least) + (r->weight ? log_more(r, q->f, NULL) : 0);
    for (size_t i = 0; i < r->n; i++) sum += times[i] * q->m[i];
    return sum;
}

TAMIS_CLONES
static void shares(const struct tamis_mix_rows *r, size_t kernels, const double *w, const double *v, size_t classes,
                   const double *e, const double *f, double *share)
{
    const double *times = counts(r);
    for (size_t k = 0, i = 0; k < r->ranges; k++) {
        const double *mine = k < classes ? w + kernels * k : v;
        for (size_t end = r->from[k + 1]; i < end; i += 4) {
            quad part = AT(times, i) / AT(f, i);
            for (size_t d = 0; d < kernels; d++) TO(share, i + r->n * d) = mine[d] * AT(e, i + r->n * d) * part;
        }
    }
}

void tamis_mix_shares(const struct tamis_mix_rows *r, size_t kernels, const double *w, const double *v, size_t classes,
                      const struct tamis_mix *q, double *share)
{
    shares(r, kernels, w, v, classes, q->e, q->f, share);
}

TAMIS_CLONES
static void totals(size_t n, size_t kernels, const double *a, double *total)
{
    for (size_t d = 0; d < kernels; d++, a += n) {
        quad p = {0};
        for (size_t i = 0; i < n; i += 4) p += AT(a, i);
        total[d] = SUM(p);
    }
}

void tamis_mix_totals(size_t n, size_t kernels, const double *a, double *total) { totals(n, kernels, a, total); }

#ifdef __clang__
#define PICK(a, b, i, j, k, l) __builtin_shufflevector(a, b, i, j, k, l)
#else                           /* which gcc has since 12 only */
#define PICK(a, b, i, j, k, l) __builtin_shuffle(a, b, (mask){i, j, k, l})
#endif
/* The sums of four quads */
#define SUMS4(a, b, c, d) __extension__({                                                               \
        quad p_ = PICK(a, b, 0, 4, 2, 6) + PICK(a, b, 1, 5, 3, 7),                                      \
             q_ = PICK(c, d, 0, 4, 2, 6) + PICK(c, d, 1, 5, 3, 7);                                      \
        PICK(p_, q_, 0, 1, 4, 5) + PICK(p_, q_, 2, 3, 6, 7); })

/* Moments of `count` kernels from d on, at most three, in one pass through x. */
#define MOMENTS(count) do {                                                                             \
        quad p[3] = {{0}}, q[3] = {{0}};                                                                \
        for (size_t i = 0; i < n; i += 4) {                                                             \
            quad z = AT(x, i);                                                                          \
            for (size_t j = 0; j < (count); j++) {                                                      \
                quad y = AT(a, i + n * (d + j)) * z;                                                    \
                p[j] += y;                                                                              \
                q[j] += y * z;                                                                          \
            }                                                                                           \
        }                                                                                               \
        quad s = SUMS4(p[0], p[1], p[2], q[0]), t = SUMS4(q[1], q[2], q[1], q[2]);                      \
        for (size_t j = 0; j < (count); j++, d++) {                                                     \
            all[step * d] = total[d];                                                                   \
            first[step * d] = s[j];                                                                     \
            second[step * d] = j ? t[j - 1] : s[3];                                                     \
        }                                                                                               \
    } while (0)

TAMIS_CLONES
static void moments(size_t n, size_t kernels, const double *a, const double *x, const double *total, size_t step,
                    double *all, double *first, double *second)
{
    size_t d = 0;
    while (d + 3 <= kernels) MOMENTS(3);
    if (d + 2 <= kernels) MOMENTS(2);
    if (d < kernels) MOMENTS(1);
}

void tamis_mix_moments(size_t n, size_t kernels, const double *a, const double *x, const double *total, size_t step,
                       double *all, double *first, double *second)
{
    moments(n, kernels, a, x, total, step, all, first, second);
}

TAMIS_CLONES
static double dot(size_t n, const double *a, const double *b)
{
    quad p = {0};
    for (size_t i = 0; i < n; i += 4) p += AT(a, i) * AT(b, i);
    return SUM(p);
}

double tamis_mix_dot(size_t n, const double *a, const double *b) { return dot(n, a, b); }

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
        if (product > 0x1p500) product *= 0x1p-500, power += 500;
    }
    return log(product) + M_LN2 * (double)power;
}

/* a of `count` kernels from d on, and the sums of w e / f over every range and of e / s over all rows. */
#define CONTRAST(count) do {                                                                            \
        const double *e = from->e + n * d;                                                              \
        double *to = a + n * d;                                                                         \
        quad q[count] = {{0}}, other[count];                                                            \
        for (size_t j = 0; j < (count); j++) other[j] = (quad){0} + v[d + j];                           \
        for (size_t k = 0, i = 0; k < r->ranges; k++) {                                                 \
            const double *weight = k < classes ? w + kernels * k : v;                                   \
            quad p[count] = {{0}}, mine[count];                                                         \
            for (size_t j = 0; j < (count); j++) mine[j] = (quad){0} + weight[d + j];                   \
            for (size_t end = r->from[k + 1]; i < end; i += 4) {                                        \
                quad u = AT(times, i) / AT(f, i), z = others * AT(times, i) / AT(s, i);                 \
                for (size_t j = 0; j < (count); j++) {                                                  \
                    quad y = AT(e, i + n * j), g = mine[j] * y * u, h = y * z;                          \
                    p[j] += g;                                                                          \
                    q[j] += h;                                                                          \
                    TO(to, i + n * j) = g - other[j] * h;                                               \
                }                                                                                       \
            }                                                                                           \
            for (size_t j = 0; j < (count); j++) own[d + j + kernels * k] = SUM(p[j]);                  \
        }                                                                                               \
        for (size_t j = 0; j < (count); j++) all[d + j] = SUM(q[j]);                                    \
        d += (count);                                                                                   \
    } while (0)

TAMIS_CLONES
static void contrast(const struct tamis_mix_rows *r, size_t kernels, const double *w, const double *v, size_t classes,
                     const struct tamis_mix *from, double others, double *a, double *own, double *all)
{
    const double *times = counts(r), *f = from->f, *s = from->s;
    size_t n = r->n, d = 0;
    while (d + 3 <= kernels) CONTRAST(3);
    if (d + 2 <= kernels) CONTRAST(2);
    if (d < kernels) CONTRAST(1);
}

void tamis_mix_contrast(const struct tamis_mix_rows *r, size_t kernels, const double *w, const double *v,
                        size_t classes, const struct tamis_mix *q, int joint, double *a, double *own, double *all)
{
    contrast(r, kernels, w, v, classes, q, joint ? 0 : 1, a, own, all);
}
