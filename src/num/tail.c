/* Tail probabilities. Chi-squared is a gamma variable of shape k/2 (density.h). Beta, with w = 1 - v, by a continued
 * fraction on the side of the mode that v is on:
 *
 *     I_v(a, b) = P(Beta(a, b) < v) = v^a w^b / (a B(a, b)) 1/(1 + d_1/(1 + d_2/(1 + ...))),  v < (a + 1)/(a + b + 2)
 *     d_2k = k (b - k) v / ((a + 2k - 1)(a + 2k)),  d_2k+1 = -(a + k)(a + b + k) v / ((a + 2k)(a + 2k + 1))
 *
 * (DLMF 8.17.22), and P(Beta(a, b) > v) = I_w(b, a). The factor in front, without differences of large numbers [1]:
 *
 *     log(v^a w^b / B(a, b)) = a log(v (a + b)/a) + b log(w (a + b)/b) + 1/2 log(a b / (2 pi (a + b)))
 *                              + r(a + b) - r(a) - r(b),  r(a) = log Gamma(a) - (a - 1/2) log a + a - 1/2 log 2 pi
 *
 * F = d2 v / (d1 w) with a = d1/2, b = d2/2. Both v and w are kept: each may be as small as it likes.
 * The normal quantile by [2] 26.2.23 (error 4.5e-4) and two steps of Halley, each of which cubes the error.
 *
 * [1] Loader: Fast and accurate computation of binomial probabilities, 2000.
 * [2] Abramowitz, Stegun: Handbook of mathematical functions, 1964. */
#include "num/tail.h"

#include <float.h>
#include <math.h>
#include "num/density.h"

static const double half_log_2pi = 0.91893853320467274178;

double tamis_log_upper_chi2(double x, double k)
{
    return x == INFINITY ? -INFINITY : tamis_log_gamma_tail(0.5 * k, 0.5 * x);
}

static double stirling_rest(double a)
{
    return a >= 8 ? tamis_stirling_rest(a) : tamis_log_gamma(a) - (a - 0.5) * log(a) + a - half_log_2pi;
}

struct beta { double v, w, log_v, log_w, a, b; };

static double log_factor(const struct beta *x)
{
    double a = x->a, b = x->b, sum = a + b;
    return a * (x->log_v + log1p(b / a)) + b * (x->log_w + log1p(a / b)) + 0.5 * (log(a) + log(b / sum)) -
           half_log_2pi + stirling_rest(sum) - stirling_rest(a) - stirling_rest(b);
}

static double away_from_0(double x) { return fabs(x) < DBL_MIN ? DBL_MIN : x; }

/* One more term of the fraction h = 1/(1 + ...) by the modified Lentz method; the factor by which h changed. */
static double lentz(double term, double *c, double *d, double *h)
{
    *d = 1 / away_from_0(1 + term * *d);
    *c = away_from_0(1 + term / *c);
    *h *= *c * *d;
    return *c * *d;
}

static double fraction(double v, double a, double b)
{
    enum { TERMS = 100000 };
    double c = 1, d = 1 / away_from_0(1 - (a + b) * v / (a + 1)), h = d;
    for (int k = 1; k < TERMS; k++) {
        double even = k * (b - k) * v / ((a + 2 * k - 1) * (a + 2 * k));
        double odd = -(a + k) * (a + b + k) * v / ((a + 2 * k) * (a + 2 * k + 1));
        lentz(even, &c, &d, &h);
        if (fabs(lentz(odd, &c, &d, &h) - 1) < 2 * DBL_EPSILON) break;
    }
    return h;
}

/* log P(Beta(a, b) < v) on the side of the mode where the fraction is fast */
static double log_lower(const struct beta *x) { return log_factor(x) + log(fraction(x->v, x->a, x->b) / x->a); }

static double log_upper(double v, double w, double a, double b)
{
    double log_v = v < 0.5 ? log(v) : log1p(-w), log_w = w < 0.5 ? log(w) : log1p(-v);
    struct beta below = {v, w, log_v, log_w, a, b}, above = {w, v, log_w, log_v, b, a};
    if (!(w > 0)) return -INFINITY;
    if (!(v > 0)) return 0;
    if (v * (a + b + 2) >= a + 1) return fmin(0, log_lower(&above));
    return log1p(-exp(fmin(0, log_lower(&below))));
}

double tamis_log_upper_beta(double v, double a, double b) { return log_upper(v, 1 - v, a, b); }

double tamis_log_upper_f(double f, double d1, double d2)
{
    double ratio = f * (d1 / d2);
    return ratio > 0 ? log_upper(1 / (1 + 1 / ratio), 1 / (1 + ratio), 0.5 * d1, 0.5 * d2) : 0;
}

static double first_guess(double p)
{
    double t = sqrt(-2 * log(p));
    return (2.515517 + t * (0.802853 + t * 0.010328)) / (1 + t * (1.432788 + t * (0.189269 + t * 0.001308))) - t;
}

double tamis_normal_quantile(double p)
{
    if (!(p > 0)) return p == 0 ? -INFINITY : NAN;
    if (p > 0.5) return p <= 1 ? -tamis_normal_quantile(1 - p) : NAN;
    double x = first_guess(p);
    for (int k = 0; k < 2; k++) {       /* u = (Phi(x) - p) / phi(x) */
        double u = (0.5 * erfc(-x * M_SQRT1_2) / p - 1) * exp(log(p) + 0.5 * x * x + half_log_2pi);
        x -= u / (1 + 0.5 * x * u);
    }
    return x;
}
