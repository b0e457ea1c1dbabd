/* A covariance that is positive definite for any number of rows.
 *
 *     S = Z Z' / n,  m = tr S / d,  d^2 = |S - m I|^2,  b^2 = min(d^2, sum_i |z_i z_i' - S|^2 / n^2)
 *     Sigma = (1 - lambda) S + lambda m I,  lambda = b^2 / d^2
 *
 * O. Ledoit, M. Wolf, A well-conditioned estimator for large-dimensional covariance matrices, J. Multivariate Analysis
 * 88 (2004). DIFFERS: lambda is at least `least`, so that copies of an input do not make Sigma singular, and Sigma is
 * rescaled to a correlation. */
#include <math.h>
#include "num/knockoff.h"
#include "num/lapack.h"

static const double least = 1e-4;

/* |S|^2 and, in *trace, its trace. */
static double square(size_t d, const double *s, double *trace)
{
    double sum = tamis_dot(d * d, s, s);
    *trace = 0;
    for (size_t j = 0; j < d; j++) *trace += s[j + d * j];
    return sum;
}

double tamis_shrink_weight(size_t d, size_t n, const double *s, double fourth)
{
    double trace, all = square(d, s, &trace), rows = (double)n;
    double far = all - trace * trace / (double)d, noise = (fourth - rows * all) / (rows * rows);
    double lambda = far > 0 ? noise / far : 1;
    return fmin(fmax(lambda, least), 1);
}

void tamis_correlate(size_t d, double lambda, double *s)
{
    double trace;
    square(d, s, &trace);
    for (size_t i = 0; i < d * d; i++) s[i] *= 1 - lambda;
    for (size_t j = 0; j < d; j++) s[j + d * j] += lambda * (trace > 0 ? trace / (double)d : 1);
    for (size_t j = 0; j < d; j++)
        for (size_t i = 0; i < j; i++) s[i + d * j] = s[j + d * i] /= sqrt(s[i + d * i]) * sqrt(s[j + d * j]);
    for (size_t j = 0; j < d; j++) s[j + d * j] = 1;
}

static double fourth_powers(size_t d, size_t n, const double *z)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        double length = tamis_dot(d, z + d * i, z + d * i);
        sum += length * length;
    }
    return sum;
}

double tamis_shrink(size_t d, size_t n, const double *z, double *sigma)
{
    tamis_gemm(PLAIN, TRANS, d, d, n, 1 / (double)n, z, d, z, d, 0, sigma, d);
    double lambda = tamis_shrink_weight(d, n, sigma, fourth_powers(d, n, z));
    tamis_correlate(d, lambda, sigma);
    return lambda;
}
