/* Paired differences of losses. */
#include <math.h>
#include "num/compare.h"
#include "num/excess.h"

double tamis_mean(const double *v, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += v[i] / (double)n;
    return sum;
}

double tamis_paired_excess(const double *a, const double *b, size_t n, double *se)
{
    double mean = 0, squares = 0;
    for (size_t i = 0; i < n; i++) mean += (a[i] - b[i]) / (double)n;
    for (size_t i = 0; i < n; i++) squares += pow(a[i] - b[i] - mean, 2);
    *se = sqrt(squares / (double)(n > 1 ? n - 1 : 1) / (double)n);
    return mean;
}

/* 0 if the means over rows of a and b, whose mean difference is `mean`, differ by no more than fits do by rounding. */
static double ratio(const double *a, const double *b, size_t n, double mean, double se)
{
    if (fabs(mean) <= tamis_slack(fmax(fabs(tamis_mean(a, n)), fabs(tamis_mean(b, n))), TAMIS_FITTED)) return 0;
    return se > 0 ? mean / se : mean > 0 ? INFINITY : mean < 0 ? -INFINITY : 0;
}

double tamis_excess_ratio(const double *a, const double *b, size_t n)
{
    double se, mean = tamis_paired_excess(a, b, n, &se);
    return ratio(a, b, n, mean, se);
}

/* The largest |a - b|, or the second largest if the first makes up four fifths of the squares. */
static double firm_limit(const double *a, const double *b, size_t n)
{
    double all = 0, first = 0, second = 0;
    for (size_t i = 0; i < n; i++) {
        double v = fabs(a[i] - b[i]);
        all += v * v;
        if (v > first) second = first, first = v;
        else if (v > second) second = v;
    }
    return first * first > 0.8 * all ? second : first;
}

double tamis_firm_excess_ratio(const double *a, const double *b, size_t n)
{
    double mean = 0, middle = 0, squares = 0, most = firm_limit(a, b, n);
    for (size_t i = 0; i < n; i++) mean += (a[i] - b[i]) / (double)n;
    for (size_t i = 0; i < n; i++) middle += fmax(-most, fmin(most, a[i] - b[i])) / (double)n;
    for (size_t i = 0; i < n; i++) squares += pow(fmax(-most, fmin(most, a[i] - b[i])) - middle, 2);
    return ratio(a, b, n, mean, sqrt(squares / (double)(n > 1 ? n - 1 : 1) / (double)n));
}

size_t tamis_first_within(size_t n, const double *value, const double *limit, size_t step)
{
    size_t k = 0;
    while (k < n && !tamis_at_most(value[k], limit[k * step], TAMIS_SUMMED)) k++;
    return k;
}
