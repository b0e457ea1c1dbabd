/* Paired differences of losses. */
#include <math.h>
#include "num/compare.h"
#include "num/excess.h"

/* Rows of this process and, where they are shared, of all; then they have no weights. */
struct rows { const struct tamis_spread *s; const double *weight; size_t n, all; };

static struct rows rows_of(const struct tamis_spread *s, const double *weight, size_t n)
{
    return (struct rows){s, weight, n, tamis_spread_shared(s) ? s->all : n};
}

static double mean_of(const struct rows *r, const double *v)
{
    double sum = 0;
    tamis_spread_take(r->s, &sum, sizeof sum);
    for (size_t i = 0; !r->weight && i < r->n; i++) sum += v[i] / (double)r->all;
    for (size_t i = 0; r->weight && i < r->n; i++) sum += r->weight[i] * v[i];
    tamis_spread_give(r->s, &sum, sizeof sum);
    return r->weight ? sum / tamis_weight_sum(r->weight, r->n) : sum;
}

double tamis_mean(const double *v, const double *weight, size_t n) { return tamis_shared_mean(NULL, v, weight, n); }

double tamis_shared_mean(const struct tamis_spread *s, const double *v, const double *weight, size_t n)
{
    struct rows r = rows_of(s, weight, n);
    return mean_of(&r, v);
}

/* Differences cut at +-most. */
static double cut(const double *a, const double *b, size_t i, double most)
{
    double v = a[i] - b[i];
    return most < INFINITY ? fmax(-most, fmin(most, v)) : v;
}

static double cut_mean(const struct rows *r, const double *a, const double *b, double most)
{
    double mean = 0;
    tamis_spread_take(r->s, &mean, sizeof mean);
    for (size_t i = 0; !r->weight && i < r->n; i++) mean += cut(a, b, i, most) / (double)r->all;
    for (size_t i = 0; r->weight && i < r->n; i++) mean += r->weight[i] * cut(a, b, i, most);
    tamis_spread_give(r->s, &mean, sizeof mean);
    return r->weight ? mean / tamis_weight_sum(r->weight, r->n) : mean;
}

/* The standard error of a mean over rows: spread^2 / Kish's number of rows. */
static double cut_se(const struct rows *r, const double *a, const double *b, double most, double mean)
{
    double squares = 0, n = (double)r->all, worth = tamis_weight_rows(r->weight, r->all);
    tamis_spread_take(r->s, &squares, sizeof squares);
    for (size_t i = 0; i < r->n; i++) squares += tamis_weight_at(r->weight, i) * pow(cut(a, b, i, most) - mean, 2);
    tamis_spread_give(r->s, &squares, sizeof squares);
    if (!r->weight) return sqrt(squares / (r->all > 1 ? n - 1 : 1) / n);
    return sqrt(squares / tamis_weight_sum(r->weight, r->n) / (worth > 1 ? worth - 1 : 1));
}

double tamis_paired_excess(const double *a, const double *b, const double *weight, size_t n, double *se)
{
    struct rows r = rows_of(NULL, weight, n);
    double mean = cut_mean(&r, a, b, INFINITY);
    *se = cut_se(&r, a, b, INFINITY, mean);
    return mean;
}

/* 0 if the means over rows of a and b, whose mean difference is `mean`, differ by no more than fits do by rounding. */
static double ratio(const struct rows *r, const double *a, const double *b, double mean, double se)
{
    double x = mean_of(r, a), y = mean_of(r, b), larger = fmax(fabs(x), fabs(y));
    if (fabs(mean) <= tamis_slack(larger, TAMIS_FITTED)) return 0;
    return se > 0 ? mean / se : mean > 0 ? INFINITY : mean < 0 ? -INFINITY : 0;
}

double tamis_excess_ratio(const double *a, const double *b, const double *weight, size_t n)
{
    return tamis_shared_excess_ratio(NULL, a, b, weight, n);
}

double tamis_shared_excess_ratio(const struct tamis_spread *s, const double *a, const double *b, const double *weight,
                                 size_t n)
{
    struct rows r = rows_of(s, weight, n);
    double mean = cut_mean(&r, a, b, INFINITY);
    return ratio(&r, a, b, mean, cut_se(&r, a, b, INFINITY, mean));
}

/* The largest |a - b|, or the second largest if the first makes up four fifths of the squares. */
static double firm_limit(const struct rows *r, const double *a, const double *b)
{
    struct { double all, first, second, share; } of = {0, 0, 0, 0};
    tamis_spread_take(r->s, &of, sizeof of);
    for (size_t i = 0; i < r->n; i++) {
        double v = fabs(a[i] - b[i]), w = tamis_weight_at(r->weight, i);
        of.all += w * (v * v);
        if (v > of.first) of.second = of.first, of.first = v, of.share = w;
        else if (v > of.second) of.second = v;
    }
    tamis_spread_give(r->s, &of, sizeof of);
    return of.share * (of.first * of.first) > 0.8 * of.all ? of.second : of.first;
}

double tamis_firm_excess_ratio(const double *a, const double *b, const double *weight, size_t n)
{
    return tamis_shared_firm_excess_ratio(NULL, a, b, weight, n);
}

double tamis_shared_firm_excess_ratio(const struct tamis_spread *s, const double *a, const double *b,
                                      const double *weight, size_t n)
{
    struct rows r = rows_of(s, weight, n);
    double mean = cut_mean(&r, a, b, INFINITY), most = firm_limit(&r, a, b), middle = cut_mean(&r, a, b, most);
    return ratio(&r, a, b, mean, cut_se(&r, a, b, most, middle));
}

size_t tamis_first_within(size_t n, const double *value, const double *limit, size_t step)
{
    size_t k = 0;
    while (k < n && !tamis_at_most(value[k], limit[k * step], TAMIS_SUMMED)) k++;
    return k;
}
