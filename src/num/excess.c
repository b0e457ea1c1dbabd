/* Paired differences of losses. */
#include <math.h>
#include "num/compare.h"
#include "num/excess.h"

double tamis_mean(const double *v, const double *weight, size_t n)
{
    double sum = 0;
    for (size_t i = 0; !weight && i < n; i++) sum += v[i] / (double)n;
    for (size_t i = 0; weight && i < n; i++) sum += weight[i] * v[i];
    return weight ? sum / tamis_weight_sum(weight, n) : sum;
}

/* Differences cut at +-most. */
static double cut(const double *a, const double *b, size_t i, double most)
{
    double v = a[i] - b[i];
    return most < INFINITY ? fmax(-most, fmin(most, v)) : v;
}

static double cut_mean(const double *a, const double *b, const double *weight, size_t n, double most)
{
    double mean = 0;
    for (size_t i = 0; !weight && i < n; i++) mean += cut(a, b, i, most) / (double)n;
    for (size_t i = 0; weight && i < n; i++) mean += weight[i] * cut(a, b, i, most);
    return weight ? mean / tamis_weight_sum(weight, n) : mean;
}

/* The standard error of a mean over rows: spread^2 / Kish's number of rows. */
static double cut_se(const double *a, const double *b, const double *weight, size_t n, double most, double mean)
{
    double squares = 0, rows = tamis_weight_rows(weight, n);
    for (size_t i = 0; i < n; i++) squares += tamis_weight_at(weight, i) * pow(cut(a, b, i, most) - mean, 2);
    if (!weight) return sqrt(squares / (double)(n > 1 ? n - 1 : 1) / (double)n);
    return sqrt(squares / tamis_weight_sum(weight, n) / (rows > 1 ? rows - 1 : 1));
}

double tamis_paired_excess(const double *a, const double *b, const double *weight, size_t n, double *se)
{
    double mean = cut_mean(a, b, weight, n, INFINITY);
    *se = cut_se(a, b, weight, n, INFINITY, mean);
    return mean;
}

/* 0 if the means over rows of a and b, whose mean difference is `mean`, differ by no more than fits do by rounding. */
static double ratio(const double *a, const double *b, const double *weight, size_t n, double mean, double se)
{
    double larger = fmax(fabs(tamis_mean(a, weight, n)), fabs(tamis_mean(b, weight, n)));
    if (fabs(mean) <= tamis_slack(larger, TAMIS_FITTED)) return 0;
    return se > 0 ? mean / se : mean > 0 ? INFINITY : mean < 0 ? -INFINITY : 0;
}

double tamis_excess_ratio(const double *a, const double *b, const double *weight, size_t n)
{
    double se, mean = tamis_paired_excess(a, b, weight, n, &se);
    return ratio(a, b, weight, n, mean, se);
}

/* The largest |a - b|, or the second largest if the first makes up four fifths of the squares. */
static double firm_limit(const double *a, const double *b, const double *weight, size_t n)
{
    double all = 0, first = 0, second = 0, share = 0;
    for (size_t i = 0; i < n; i++) {
        double v = fabs(a[i] - b[i]), w = tamis_weight_at(weight, i);
        all += w * (v * v);
        if (v > first) second = first, first = v, share = w;
        else if (v > second) second = v;
    }
    return share * (first * first) > 0.8 * all ? second : first;
}

double tamis_firm_excess_ratio(const double *a, const double *b, const double *weight, size_t n)
{
    double mean = cut_mean(a, b, weight, n, INFINITY), most = firm_limit(a, b, weight, n),
           middle = cut_mean(a, b, weight, n, most);
    return ratio(a, b, weight, n, mean, cut_se(a, b, weight, n, most, middle));
}

size_t tamis_first_within(size_t n, const double *value, const double *limit, size_t step)
{
    size_t k = 0;
    while (k < n && !tamis_at_most(value[k], limit[k * step], TAMIS_SUMMED)) k++;
    return k;
}
