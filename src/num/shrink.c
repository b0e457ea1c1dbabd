/* A covariance that is positive definite for any number of rows.
 *
 *     S = Z Z' / n,  m = tr S / d,  d^2 = |S - m I|^2,  b^2 = min(d^2, sum_i |z_i z_i' - S|^2 / n^2)
 *     Sigma = (1 - lambda) S + lambda m I,  lambda = b^2 / d^2
 *
 * With weights of rows, S and the mean of |z_i z_i' - S|^2 are weighted, and n is Kish's number of rows.
 *
 * O. Ledoit, M. Wolf, A well-conditioned estimator for large-dimensional covariance matrices, J. Multivariate Analysis
 * 88 (2004). DIFFERS: lambda is at least `least`, so that copies of an input do not make Sigma singular, and Sigma is
 * rescaled to a correlation. */
#include <math.h>
#include "num/knockoff.h"
#include "num/lapack.h"
#include "num/weighted.h"

static const double least = 1e-4;

/* |S|^2 and, in *trace, its trace. */
static double square(size_t d, const double *s, double *trace)
{
    double sum = tamis_dot(d * d, s, s);
    *trace = 0;
    for (size_t j = 0; j < d; j++) *trace += s[j + d * j];
    return sum;
}

double tamis_shrink_weight(size_t d, size_t n, const double *weight, const double *s, double fourth)
{
    double trace, all = square(d, s, &trace), rows = tamis_weight_rows(weight, n);
    double far = all - trace * trace / (double)d,
           noise = (fourth * (rows / tamis_weight_sum(weight, n)) - rows * all) / (rows * rows);
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

void tamis_shrink_add(size_t d, size_t n, const double *weight, const double *z, double beta, double *s, double *fourth,
                      double *work)
{
    for (size_t i = 0; weight && i < n; i++)
        for (size_t j = 0; j < d; j++) work[j + d * i] = weight[i] * z[j + d * i];
    tamis_gemm(PLAIN, TRANS, d, d, n, 1 / tamis_weight_sum(weight, n), weight ? work : z, d, z, d, beta, s, d);
    for (size_t i = 0; i < n; i++) {
        double length = tamis_dot(d, z + d * i, z + d * i);
        *fourth += tamis_weight_at(weight, i) * length * length;
    }
}

double tamis_shrink(size_t d, size_t n, const double *weight, const double *z, double *sigma, double *work)
{
    double fourth = 0;
    tamis_shrink_add(d, n, weight, z, 0, sigma, &fourth, work);
    double lambda = tamis_shrink_weight(d, n, weight, sigma, fourth);
    tamis_correlate(d, lambda, sigma);
    return lambda;
}
