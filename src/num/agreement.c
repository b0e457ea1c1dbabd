/* Agreement of sets, differences of errors; see agreement.h for [1] and [2]. */
#include <math.h>
#include "num/agreement.h"
#include "num/density.h"

static const unsigned char *set_at(unsigned char *const *first, size_t stride, size_t k)
{
    return *(unsigned char *const *)(const void *)((const char *)first + k * stride);
}

static double frequency(size_t sets, unsigned char *const *first, size_t stride, size_t input)
{
    double sum = 0;
    for (size_t k = 0; k < sets; k++) sum += set_at(first, stride, k)[input];
    return sum / (double)sets;
}

/* Size of the set, and the mean over all d inputs of x_i p_i: [1] section 4.4. */
static void set_terms(const unsigned char *set, size_t sets, size_t inputs, unsigned char *const *first, size_t stride,
                      double *size, double *shared)
{
    *size = *shared = 0;
    for (size_t i = 0; i < inputs; i++) {
        if (!set[i]) continue;
        ++*size;
        *shared += frequency(sets, first, stride, i) / (double)inputs;
    }
}

double tamis_agreement(size_t sets, size_t inputs, unsigned char *const *first, size_t stride, double *low,
                       double *high)
{
    double m = (double)sets, d = (double)inputs, spread = 0, chosen = 0, sum = 0, squares = 0;
    if (low) *low = NAN;
    if (high) *high = NAN;
    for (size_t i = 0; i < inputs; i++) {
        double p = frequency(sets, first, stride, i);
        spread += p * (1 - p) * m / (m - 1) / d;
        chosen += rint(p * m);
    }
    double mean = chosen / (m * d), chance = mean * (1 - mean);                 /* mean: k / d */
    if (sets < 2 || chosen == 0 || chosen == m * d) return NAN;
    double phi = 1 - spread / chance;                                           /* [1] eq. (4) */
    for (size_t k = 0; k < sets && low && high; k++) {
        double size, shared;
        set_terms(set_at(first, stride, k), sets, inputs, first, stride, &size, &shared);
        double v = (shared - size * mean / d + phi / 2 * (2 * mean * size / d - size / d - mean + 1)) / chance;
        sum += v / m;
        squares += v * v / m;
    }
    /* [1] theorem 9: v = 4/M^2 Sum (phi_i - mean)^2 */
    double half = 1.959963984540054 * sqrt(4 / m * fmax(0, squares - sum * sum));
    if (low && high) *low = phi - half, *high = phi + half;
    return phi;
}

/* The continued fraction of the incomplete beta function, by Lentz's method. */
static double beta_fraction(double a, double b, double x)
{
    double c = 1, d = 1 - (a + b) * x / (a + 1), h;
    d = 1 / (fabs(d) < 1e-300 ? 1e-300 : d);
    h = d;
    for (int k = 1; k < 500; k++) {
        for (int half = 0; half < 2; half++) {
            double q = half ? -(a + k) * (a + b + k) * x / ((a + 2 * k) * (a + 2 * k + 1))
                            : k * (b - k) * x / ((a + 2 * k - 1) * (a + 2 * k));
            d = 1 + q * d;
            c = 1 + q / c;
            d = 1 / (fabs(d) < 1e-300 ? 1e-300 : d);
            if (fabs(c) < 1e-300) c = 1e-300;
            h *= c * d;
        }
        if (fabs(c * d - 1) < 1e-15) break;
    }
    return h;
}

/* I_x(a, b) */
static double incomplete_beta(double a, double b, double x)
{
    if (x <= 0) return 0;
    if (x >= 1) return 1;
    double front = exp(tamis_log_gamma(a + b) - tamis_log_gamma(a) - tamis_log_gamma(b) + a * log(x) + b * log1p(-x));
    if (x < (a + 1) / (a + b + 2)) return front * beta_fraction(a, b, x) / a;
    return 1 - front * beta_fraction(b, a, 1 - x) / b;
}

double tamis_student_two_sided(double t, double df) { return incomplete_beta(df / 2, 0.5, df / (df + t * t)); }

double tamis_resampled_test(size_t n, const double *difference, double ratio)
{
    double mean = 0, squares = 0;
    for (size_t i = 0; i < n; i++) mean += difference[i] / (double)n;
    for (size_t i = 0; i < n; i++) squares += pow(difference[i] - mean, 2);
    if (n < 2) return NAN;
    double variance = squares / (double)(n - 1) * (1 / (double)n + ratio);
    if (!(variance > 0)) return mean == 0 ? 1 : 0;
    return tamis_student_two_sided(mean / sqrt(variance), (double)(n - 1));
}
