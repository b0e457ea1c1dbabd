/* Paired differences of losses. */
#include <math.h>
#include "num/compare.h"
#include "num/excess.h"
#include "num/weigh.h"

double tamis_mean(const double *v, size_t n) { return tamis_weigh_mean(v, NULL, n); }

/* Of the mean of rows whose weighted squares about it have this sum. */
static double standard_error(double squares, const double *w, size_t n)
{
    double count = tamis_weigh_count(w, n), share = count / tamis_weigh_sum(w, n);
    return sqrt(squares * share / (count > 1 ? count - 1 : 1) / count);
}

static double paired_excess(const double *a, const double *b, const double *w, size_t n, double *se)
{
    double mean = 0, squares = 0, all = tamis_weigh_sum(w, n);
    for (size_t i = 0; i < n; i++) mean += tamis_weigh(w, i) * (a[i] - b[i]) / all;
    for (size_t i = 0; i < n; i++) squares += tamis_weigh(w, i) * pow(a[i] - b[i] - mean, 2);
    *se = standard_error(squares, w, n);
    return mean;
}

double tamis_paired_excess(const double *a, const double *b, size_t n, double *se)
{
    return paired_excess(a, b, NULL, n, se);
}

/* 0 if the means over rows of a and b, whose mean difference is `mean`, differ by no more than fits do by rounding. */
static double ratio(const double *a, const double *b, const double *w, size_t n, double mean, double se)
{
    double most = fmax(fabs(tamis_weigh_mean(a, w, n)), fabs(tamis_weigh_mean(b, w, n)));
    if (fabs(mean) <= tamis_slack(most, TAMIS_FITTED)) return 0;
    return se > 0 ? mean / se : mean > 0 ? INFINITY : mean < 0 ? -INFINITY : 0;
}

double tamis_weigh_excess_ratio(const double *a, const double *b, const double *w, size_t n)
{
    double se, mean = paired_excess(a, b, w, n, &se);
    return ratio(a, b, w, n, mean, se);
}

double tamis_excess_ratio(const double *a, const double *b, size_t n)
{
    return tamis_weigh_excess_ratio(a, b, NULL, n);
}

/* The largest |a - b|, or the second largest if the first makes up four fifths of the squares. */
static double firm_limit(const double *a, const double *b, const double *w, size_t n)
{
    double all = 0, first = 0, second = 0, weight = 1;
    for (size_t i = 0; i < n; i++) {
        double v = fabs(a[i] - b[i]);
        all += tamis_weigh(w, i) * v * v;
        if (v > first) second = first, first = v, weight = tamis_weigh(w, i);
        else if (v > second) second = v;
    }
    return weight * first * first > 0.8 * all ? second : first;
}

double tamis_weigh_firm_excess_ratio(const double *a, const double *b, const double *w, size_t n)
{
    double mean = 0, middle = 0, squares = 0, most = firm_limit(a, b, w, n), all = tamis_weigh_sum(w, n);
    for (size_t i = 0; i < n; i++) mean += tamis_weigh(w, i) * (a[i] - b[i]) / all;
    for (size_t i = 0; i < n; i++) middle += tamis_weigh(w, i) * fmax(-most, fmin(most, a[i] - b[i])) / all;
    for (size_t i = 0; i < n; i++)
        squares += tamis_weigh(w, i) * pow(fmax(-most, fmin(most, a[i] - b[i])) - middle, 2);
    return ratio(a, b, w, n, mean, standard_error(squares, w, n));
}

double tamis_firm_excess_ratio(const double *a, const double *b, size_t n)
{
    return tamis_weigh_firm_excess_ratio(a, b, NULL, n);
}

size_t tamis_first_within(size_t n, const double *value, const double *limit, size_t step)
{
    size_t k = 0;
    while (k < n && !tamis_at_most(value[k], limit[k * step], TAMIS_SUMMED)) k++;
    return k;
}
