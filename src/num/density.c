/* Densities. log Gamma by Stirling's series, after the recurrence has taken the argument to 8 or more; the incomplete
 * gamma function by its series below a + 1 and by its continued fraction (modified Lentz) above. */
#include <float.h>
#include <math.h>
#include "num/density.h"
#include "num/mixture_sums.h"

static const double log_2pi = 1.8378770664093454836;

/* Shifts a to 8 or more: Gamma(a before) = Gamma(a after) / the product returned. */
static double shift_up(double *a)
{
    double product = 1;
    for (; *a < 8; ++*a) product *= *a;
    return product;
}

double tamis_stirling_rest(double a)
{
    double r = 1 / a, s = r * r;
    return r * (0.083333333333333333 + s * (-0.0027777777777777778 + s * (7.9365079365079365e-4
           + s * (-5.9523809523809524e-4 + s * (8.4175084175084175e-4 + s * (-1.9175269175269175e-3
           + s * (6.4102564102564103e-3 + s * -2.9550653594771242e-2)))))));
}

/* log Gamma(a) - (a - 1/2) log a, a >= 8 */
static double stirling(double a) { return 0.5 * log_2pi - a + tamis_stirling_rest(a); }

double tamis_log_gamma(double a)
{
    double product = shift_up(&a);
    return (a - 0.5) * log(a) + stirling(a) - (product == 1 ? 0 : log(product));
}

double tamis_log_gammas(size_t n, const double *shape, const double *rate, const double *x)
{
    enum { BATCH = 4 };
    double sum = 0, product = 1;
    for (size_t from = 0; from < n; from += BATCH) {
        double value[2 * BATCH], log_of[2 * BATCH], a[BATCH];
        for (size_t i = 0; i < 2 * BATCH; i++) value[i] = 1;
        for (size_t i = 0; i < BATCH && from + i < n; i++) {
            a[i] = shape[from + i];
            product *= shift_up(&a[i]);
            value[i] = rate[from + i] * x[from + i];
            value[BATCH + i] = a[i];
        }
        if (product > 1e200) sum += log(product), product = 1;
        tamis_mix_log_any(2 * BATCH, value, log_of);
        for (size_t i = 0; i < BATCH && from + i < n; i++)
            sum += shape[from + i] * log_of[i] - value[i] - (a[i] - 0.5) * log_of[BATCH + i] - stirling(a[i]);
    }
    return sum + log(product);
}

double tamis_log_normal(double x, double mean, double precision)
{
    return 0.5 * (log(precision) - log_2pi - precision * (x - mean) * (x - mean));
}

double tamis_log_gamma_density(double x, double shape, double rate)
{
    return shape * log(rate) - tamis_log_gamma(shape) + (shape - 1) * log(x) - rate * x;
}

double tamis_log_beta_density(double x, double a, double b)
{
    return tamis_log_gamma(a + b) - tamis_log_gamma(a) - tamis_log_gamma(b) + (a - 1) * log(x) + (b - 1) * log1p(-x);
}

double tamis_log_dirichlet_density(size_t n, const double *p, double prior)
{
    double sum = tamis_log_gamma((double)n * prior) - (double)n * tamis_log_gamma(prior);
    for (size_t i = 0; i < n; i++) sum += (prior - 1) * log(p[i]);
    return sum;
}

enum { TERMS = 100000 };

/* P(a, x) = x^a e^-x / Gamma(a + 1) sum_k x^k / ((a + 1) ... (a + k)) */
static double lower_by_series(double a, double x)
{
    double term = 1, sum = 1;
    for (int k = 1; k < TERMS && term > sum * DBL_EPSILON / 4; k++) sum += term *= x / (a + k);
    return sum * exp(a * log(x) - x - tamis_log_gamma(a + 1));
}

/* Q(a, x) = x^a e^-x / Gamma(a) 1/(x + 1 - a - 1 (1 - a)/(x + 3 - a - ...)) */
static double log_upper_by_fraction(double a, double x)
{
    double b = x + 1 - a, c = 1 / DBL_MIN, d = 1 / b, h = d;
    for (int k = 1; k < TERMS; k++) {
        double n = -k * (k - a);
        b += 2;
        d = n * d + b;
        c = b + n / c;
        if (fabs(d) < DBL_MIN) d = DBL_MIN;
        if (fabs(c) < DBL_MIN) c = DBL_MIN;
        d = 1 / d;
        h *= d * c;
        if (fabs(d * c - 1) < DBL_EPSILON) break;
    }
    return a * log(x) - x - tamis_log_gamma(a) + log(h);
}

double tamis_log_gamma_tail(double a, double x)
{
    if (!(x > 0)) return 0;
    return x < a + 1 ? log1p(-lower_by_series(a, x)) : log_upper_by_fraction(a, x);
}

double tamis_log_add(double a, double b)
{
    double top = a > b ? a : b;
    if (top == -INFINITY) return top;
    return top + log1p(exp((a > b ? b : a) - top));
}

double tamis_binomial_test(size_t a, size_t b)
{
    size_t n = a + b, k = a < b ? a : b;
    double sum = 0;
    if (a == b) return 1;
    for (size_t i = 0; i <= k; i++)
        sum += exp(tamis_log_gamma((double)n + 1) - tamis_log_gamma((double)i + 1) -
                   tamis_log_gamma((double)(n - i) + 1) - (double)n * M_LN2);
    return fmin(1, 2 * sum);
}
