/* With v_ck = omega_ck / sigma_c (FEI) or omega_ck (FEI'), u_ck = sum over k' != k of v_ck', and x_c the centre of node
 * c in feature j:
 *
 *     a_jk = sum over c < c' of v_ck v_c'k q_cc',        b_jk = 1/2 sum over c != c' of v_ck u_c'k q_cc',
 *     q_cc' = (x_c - x_c')^2   (FEI' adds sigma_c^2 + sigma_c'^2),
 *
 * and, with V = sum v, U = sum u and the weighted mean z = sum v x / V,
 *
 *     a_jk = V sum v (x - z)^2,       b_jk = 1/2 [V sum u (x - z)^2 + U sum v (x - z)^2]:
 *
 * sums of nonnegative terms, so that no digits cancel. Centres are taken as differences from that of the node with the
 * largest v: a feature with one value at all centres gives exact zeros, and a distant node without weight costs no
 * digits.
 *
 * [1] J. Basak, S. Mitra: Feature selection using radial basis function networks. Neural Computing & Applications 8,
 *     1999.
 * DIFFERS [1] eqs. 7, 8, 12, 13: the sums go over j not in F; the tables of [1] can be had in no other way.
 * DIFFERS [1] eqs. 8, 13: the sum over c' > c depends on how the nodes are numbered; TAMIS_SYMMETRIC is its mean over
 *     all numberings, TAMIS_ORDERED the sum as printed. */
#include "num/fei_index.h"

#include <float.h>
#include <math.h>
#include <string.h>
#include "base/base.h"

enum { MANY = 30 };             /* beyond this many classes, sums over the others are differences from the whole */

int tamis_fei_omega(size_t count, const double *w, double *omega)
{
    double least = INFINITY, most = 0.0;
    for (size_t i = 0; i < count; i++) {
        least = fmin(least, fabs(w[i]));
        most = fmax(most, fabs(w[i]));
    }
    if (!(most > least) || !isfinite(most))
        return 0;
    for (size_t i = 0; i < count; i++)
        omega[i] = (fabs(w[i]) - least) / (most - least);               /* [1] eq. 5 */
    return 1;
}

/* ---- terms ---- */

struct weights {
    size_t m;
    double *v, *u, *x;          /* of one class; x: the centres in one feature, minus that of `heavy` */
    double sum_v, sum_u;
    size_t heavy;               /* the node with the largest v */
    double *total;              /* of many classes: the sums of v over all of them */
};

static void class_weights(struct weights *w, enum tamis_fei_index index, size_t l, size_t k, const double *sigma,
                          const double *omega)
{
    w->sum_v = w->sum_u = 0.0;
    w->heavy = 0;
    for (size_t c = 0; c < w->m; c++) {
        double scale = index == TAMIS_FEI ? 1.0 / sigma[c] : 1.0;
        w->v[c] = scale * omega[c + w->m * k];
        w->u[c] = w->total ? scale * fmax(w->total[c] - omega[c + w->m * k], 0.0) : 0.0;
        for (size_t other = 0; other < l && !w->total; other++)
            w->u[c] += other == k ? 0.0 : scale * omega[c + w->m * other];
        w->sum_v += w->v[c];
        w->sum_u += w->u[c];
        if (w->v[c] > w->v[w->heavy])
            w->heavy = c;
    }
}

/* x = mu - mu_from; 0 where they differ by rounding alone. */
TAMIS_CLONES
static void differences(size_t m, const double *mu, size_t from, double *x)
{
    double most = 0.0, spread = 0.0;
    for (size_t c = 0; c < m; c++) {
        x[c] = mu[c] - mu[from];
        most = fmax(most, fabs(mu[c]));
        spread = fmax(spread, fabs(x[c]));
    }
    if (spread <= 8.0 * DBL_EPSILON * most)
        memset(x, 0, m * sizeof *x);
}

TAMIS_CLONES
static void symmetric(const struct weights *w, double *a, double *b)
{
    double z = 0.0, sv = 0.0, su = 0.0;
    for (size_t c = 0; c < w->m; c++)
        z += w->v[c] * w->x[c];
    z = w->sum_v > 0.0 ? z / w->sum_v : 0.0;
    for (size_t c = 0; c < w->m; c++) {
        double q = (w->x[c] - z) * (w->x[c] - z);
        sv += w->v[c] * q;
        su += w->u[c] * q;
    }
    *a = w->sum_v * sv;
    *b = 0.5 * (w->sum_v * su + w->sum_u * sv);
}

static double ordered(const struct weights *w)
{
    double sum = 0.0;
    for (size_t c = 0; c < w->m; c++)
        for (size_t d = c + 1; d < w->m; d++)
            sum += w->v[c] * w->u[d] * (w->x[c] - w->x[d]) * (w->x[c] - w->x[d]);
    return sum;
}

/* What FEI' adds to every a_jk and b_jk: sigma_c^2 + sigma_c'^2 is inside the sum over features ([1] eqs. 12, 13). */
static void widths(const struct weights *w, enum tamis_fei_pairs pairs, const double *sigma, double *a, double *b)
{
    double v = 0.0, u = 0.0, sv = 0.0, su = 0.0;         /* sums of v, u, sigma^2 v, sigma^2 u over c < d */
    *a = *b = 0.0;
    for (size_t d = 0; d < w->m; d++) {
        double s = sigma[d] * sigma[d], above = sv + s * v;
        *a += above * w->v[d];
        *b += pairs == TAMIS_ORDERED ? above * w->u[d] : 0.5 * (above * w->u[d] + (su + s * u) * w->v[d]);
        v += w->v[d];
        u += w->u[d];
        sv += s * w->v[d];
        su += s * w->u[d];
    }
}

static void totals(size_t m, size_t l, const double *omega, double *total)
{
    memset(total, 0, m * sizeof *total);
    for (size_t k = 0; k < l; k++)
        for (size_t c = 0; c < m; c++)
            total[c] += omega[c + m * k];
}

void tamis_fei_terms(enum tamis_fei_index index, enum tamis_fei_pairs pairs, size_t n, size_t m, size_t l,
                     const double *mu, const double *sigma, const double *omega, double *work, double *a, double *b)
{
    struct weights w = {m, work, work + m, work + 2 * m, 0.0, 0.0, 0, l > MANY ? work + 3 * m : NULL};
    if (w.total) totals(m, l, omega, w.total);
    for (size_t k = 0; k < l; k++) {
        double more_a = 0.0, more_b = 0.0;
        class_weights(&w, index, l, k, sigma, omega);
        if (index == TAMIS_FEI2)
            widths(&w, pairs, sigma, &more_a, &more_b);
        for (size_t j = 0; j < n; j++) {
            differences(m, mu + m * j, w.heavy, w.x);
            symmetric(&w, &a[j + n * k], &b[j + n * k]);
            if (pairs == TAMIS_ORDERED)
                b[j + n * k] = ordered(&w);
            a[j + n * k] += more_a;
            b[j + n * k] += more_b;
        }
    }
}

/* ---- values ---- */

static double ratio(double a, double b) { return b > 0.0 ? a / b : NAN; }

double tamis_fei_value(size_t n, size_t terms, const double *a, const double *b, const unsigned char *ignored)
{
    double value = 0.0;
    for (size_t t = 0; t < terms; t++) {
        double above = 0.0, below = 0.0;
        for (size_t j = 0; j < n; j++) {
            above += ignored && ignored[j] ? 0.0 : a[j + n * t];
            below += ignored && ignored[j] ? 0.0 : b[j + n * t];
        }
        value += ratio(above, below);
    }
    return value;
}

void tamis_fei_singles(size_t n, size_t terms, const double *a, const double *b, double *work, double *value)
{
    double *after_a = work, *after_b = work + n;        /* sums over the features after j */
    memset(value, 0, n * sizeof *value);
    for (size_t t = 0; t < terms; t++) {
        const double *at = a + n * t, *bt = b + n * t;
        double sa = 0.0, sb = 0.0;
        for (size_t j = n; j-- > 0;) {
            after_a[j] = sa;
            after_b[j] = sb;
            sa += at[j];
            sb += bt[j];
        }
        sa = sb = 0.0;
        for (size_t j = 0; j < n; j++) {
            value[j] += ratio(sa + after_a[j], sb + after_b[j]);
            sa += at[j];
            sb += bt[j];
        }
    }
}

/* sum[g + 2^bit] = sum[g] + x, g < 2^bit */
TAMIS_CLONES
static void doubled(size_t size, double x, double *sum)
{
    for (size_t g = 0; g < size; g++)
        sum[size + g] = sum[g] + x;
}

/* value[f] += above / below of the features not in f, which are indexed from the last to the first */
TAMIS_CLONES
static void ratios(size_t size, const double *above, const double *below, double *restrict value)
{
    for (size_t f = 0; f < size; f++) {
        double b = below[size - 1 - f];
        value[f] += (b > 0.0 ? above[size - 1 - f] : NAN) / b;
    }
}

void tamis_fei_block(size_t n, size_t terms, const double *a, const double *b, size_t high, size_t low, double *work,
                     double *value)
{
    size_t size = (size_t)1 << low;
    double *above = work, *below = work + size;         /* indexed by the features kept */
    memset(value, 0, size * sizeof *value);
    for (size_t t = 0; t < terms; t++) {
        const double *at = a + n * t, *bt = b + n * t;
        above[0] = below[0] = 0.0;
        for (size_t j = low; j < n; j++) {
            above[0] += high >> j & 1 ? 0.0 : at[j];
            below[0] += high >> j & 1 ? 0.0 : bt[j];
        }
        for (size_t j = 0; j < low; j++) {
            doubled((size_t)1 << j, at[j], above);
            doubled((size_t)1 << j, bt[j], below);
        }
        ratios(size, above, below, value);
    }
}
