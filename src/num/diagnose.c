/* Convergence diagnostics of Markov chains.
 *
 *     W = mean of the variances within half chains, B/n = variance of their means, var+ = (n - 1)/n W + B/n
 *     R-hat = sqrt(var+ / W),  ESS = m n / tau,  tau = -1 + 2 sum_k (rho_2k + rho_2k+1)   ([1] eqs. 1-4, 10-13)
 *
 * The sum ends where a pair of autocorrelations is negative, and is made monotone ([2]).
 *
 * [1] A. Vehtari, A. Gelman, D. Simpson, B. Carpenter, P.-C. Burkner, Rank-normalization, folding, and localization:
 *     an improved R-hat for assessing convergence of MCMC, Bayesian Analysis 16, 2021.
 * [2] C. J. Geyer, Practical Markov chain Monte Carlo, Statistical Science 7, 1992. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "num/diagnose.h"
#include "num/fft.h"

struct item { double value; size_t at; };

size_t tamis_diagnose_size(size_t n, size_t chains)
{
    size_t items = n * chains * ((sizeof(struct item) + sizeof(double) - 1) / sizeof(double)),
           transform = 4 * tamis_fft_length(2 * (n / 2));
    return n * chains + (items > transform ? items : transform);
}

static int by_value(const void *a, const void *b)
{
    const struct item *x = a, *y = b;
    if (x->value < y->value || x->value > y->value) return x->value < y->value ? -1 : 1;
    return (x->at > y->at) - (x->at < y->at);
}

/* The quantile of the standard normal: P. J. Acklam's rational function, then one step of Halley's method. */
static double normal_quantile(double p)
{
    static const double
        a[] = {-3.969683028665376e1, 2.209460984245205e2, -2.759285104469687e2,
               1.383577518672690e2, -3.066479806614716e1, 2.506628277459239},
        b[] = {-5.447609879822406e1, 1.615858368580409e2, -1.556989798598866e2,
               6.680131188771972e1, -1.328068155288572e1},
        c[] = {-7.784894002430293e-3, -3.223964580411365e-1, -2.400758277161838,
               -2.549732539343734, 4.374664141464968, 2.938163982698783},
        d[] = {7.784695709041462e-3, 3.224671290700398e-1, 2.445134137142996, 3.754408661907416};
    double x, tail = p < 0.5 ? p : 1 - p;
    if (tail < 0.02425) {
        double q = sqrt(-2 * log(tail));
        x = (((((c[0] * q + c[1]) * q + c[2]) * q + c[3]) * q + c[4]) * q + c[5]) /
            ((((d[0] * q + d[1]) * q + d[2]) * q + d[3]) * q + 1);
        if (p > 0.5) x = -x;
    } else {
        double q = p - 0.5, r = q * q;
        x = (((((a[0] * r + a[1]) * r + a[2]) * r + a[3]) * r + a[4]) * r + a[5]) * q /
            (((((b[0] * r + b[1]) * r + b[2]) * r + b[3]) * r + b[4]) * r + 1);
    }
    double e = 0.5 * erfc(-x / sqrt(2)) - p, u = e * sqrt(2 * M_PI) * exp(x * x / 2);
    return x - u / (1 + x * u / 2);
}

/* Replaces each value by the normal score of its rank, ties by that of their mean rank ([1] eq. 14). */
static void rank_normalise(size_t n, double *x, struct item *item)
{
    for (size_t i = 0; i < n; i++) item[i] = (struct item){x[i], i};
    qsort(item, n, sizeof *item, by_value);
    for (size_t i = 0, j; i < n; i = j) {
        for (j = i + 1; j < n && item[j].value == item[i].value; j++) ;
        double rank = 0.5 * (double)(i + 1 + j), z = normal_quantile((rank - 0.375) / ((double)n + 0.25));
        for (size_t k = i; k < j; k++) x[item[k].at] = z;
    }
}

static double mean_of(size_t n, const double *x)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += x[i];
    return sum / (double)n;
}

static double squares(size_t n, const double *x, double mean)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += (x[i] - mean) * (x[i] - mean);
    return sum;
}

/* m chains of n draws, leading dimension ld. */
static void variances(size_t n, size_t ld, size_t m, const double *x, double *within, double *total)
{
    double w = 0, b = 0, all = 0;
    for (size_t c = 0; c < m; c++) all += mean_of(n, x + ld * c) / (double)m;
    for (size_t c = 0; c < m; c++) {
        double mean = mean_of(n, x + ld * c);
        w += squares(n, x + ld * c, mean) / (double)(n - 1) / (double)m;
        b += (mean - all) * (mean - all) / (double)(m > 1 ? m - 1 : 1);
    }
    *within = w;
    *total = w * (double)(n - 1) / (double)n + b;
}

static double rhat_of(size_t n, size_t ld, size_t m, const double *x)
{
    double w, v;
    variances(n, ld, m, x, &w, &v);
    return v <= 0 ? 1 : w <= 0 ? 1e6 : sqrt(v / w);
}

/* work[2 lag] = mean over m chains of sum_i y_i y_{i+lag} / n, y centred on the chain's mean; m is even. Two chains are
 * the real and imaginary parts of z: the real part of the transform of |Z|^2 is the sum of both. work:
 * 4 fft_length(2 n) doubles. */
static void autocovariances(size_t n, size_t ld, size_t m, const double *x, double *work)
{
    size_t length = tamis_fft_length(2 * n);
    double *z = work, *power = work + 2 * length, *root = power + length;
    tamis_fft_roots(length, root);
    memset(power, 0, length * sizeof *power);
    for (size_t c = 0; c < m; c += 2) {
        double mean[2] = {mean_of(n, x + ld * c), mean_of(n, x + ld * (c + 1))};
        memset(z, 0, 2 * length * sizeof *z);
        for (size_t i = 0; i < 2 * n; i++) z[i] = x[i / 2 + ld * (c + i % 2)] - mean[i % 2];
        tamis_fft(length, root, z);
        for (size_t i = 0; i < length; i++) power[i] += z[2 * i] * z[2 * i] + z[2 * i + 1] * z[2 * i + 1];
    }
    for (size_t i = 0; i < length; i++)
        z[2 * i] = power[i] / ((double)length * (double)n * (double)m), z[2 * i + 1] = 0;
    tamis_fft(length, root, z);
}

static double ess_of(size_t n, size_t ld, size_t m, const double *x, double *work)
{
    double w, v, tau = -1, before = INFINITY, draws = (double)n * (double)m;
    variances(n, ld, m, x, &w, &v);
    autocovariances(n, ld, m, x, work);
    for (size_t lag = 0; lag + 1 < n; lag += 2) {
        double even = lag ? 1 - (w - work[2 * lag] * (double)n / (double)(n - 1)) / v : 1;
        double odd = 1 - (w - work[2 * lag + 2] * (double)n / (double)(n - 1)) / v;
        double pair = even + odd;
        if (pair < 0) break;
        before = fmin(before, pair);
        tau += 2 * before;
    }
    return fmin(draws / fmax(tau, 1 / log10(draws)), draws * log10(draws));
}

static int all_equal(size_t n, const double *x)
{
    for (size_t i = 1; i < n; i++)
        if (x[i] != x[0]) return 0;
    return 1;
}

/* Each half is a chain of n/2 draws; the middle draw of an odd chain is dropped. */
static double split_rhat(size_t n, size_t chains, const double *draw, double *x, struct item *item, int fold)
{
    size_t half = n / 2, m = 2 * chains;
    for (size_t c = 0; c < chains; c++) {
        memcpy(x + half * 2 * c, draw + n * c, half * sizeof *x);
        memcpy(x + half * (2 * c + 1), draw + n * c + n - half, half * sizeof *x);
    }
    if (fold) {
        for (size_t i = 0; i < half * m; i++) item[i] = (struct item){x[i], i};
        qsort(item, half * m, sizeof *item, by_value);
        double median = 0.5 * (item[(half * m - 1) / 2].value + item[half * m / 2].value);
        for (size_t i = 0; i < half * m; i++) x[i] = fabs(x[i] - median);
    }
    rank_normalise(half * m, x, item);
    return rhat_of(half, half, m, x);
}

/* Whether there are only two values: ranks and folding map them to two others, which leaves R-hat as it is. */
static int two_values(size_t n, const double *x)
{
    size_t i = 1;
    while (i < n && x[i] == x[0]) i++;
    for (size_t k = i; k < n; k++)
        if (x[k] != x[0] && x[k] != x[i]) return 0;
    return 1;
}

void tamis_diagnose(size_t n, size_t chains, const double *draw, double *work, struct tamis_diagnosis *out)
{
    size_t all = n * chains, half = n / 2;
    double *x = work, *rest = work + all;
    struct item *item = (struct item *)rest;
    out->mean = mean_of(all, draw);
    out->constant = all_equal(all, draw);
    out->sd = out->constant ? 0 : sqrt(squares(all, draw, out->mean) / (double)(all - 1));
    out->rhat = 1;
    out->ess = (double)all;
    out->mcse = 0;
    if (out->constant) return;
    int two = two_values(all, draw);
    if (!two) out->rhat = fmax(split_rhat(n, chains, draw, x, item, 0), split_rhat(n, chains, draw, x, item, 1));
    for (size_t c = 0; c < chains; c++) {
        memcpy(x + half * 2 * c, draw + n * c, half * sizeof *x);
        memcpy(x + half * (2 * c + 1), draw + n * c + n - half, half * sizeof *x);
    }
    if (two) out->rhat = rhat_of(half, half, 2 * chains, x);
    out->ess = ess_of(half, half, 2 * chains, x, rest);
    out->mcse = out->sd / sqrt(out->ess);
}
