/* Losses of two models compared row by row, and sizes that cannot be told from the best. */
#ifndef TAMIS_EXCESS_H
#define TAMIS_EXCESS_H

#include "base/spread.h"
#include "num/weighted.h"

/* weight NULL: every row counts once (num/weighted.h). */
double tamis_mean(const double *v, const double *weight, size_t n);

/* Mean of a - b over n rows, and its standard error, by Kish's number of rows. */
double tamis_paired_excess(const double *a, const double *b, const double *weight, size_t n, double *se);

/* The mean over its standard error; 0 where the means of a and b are equal up to rounding, infinite where a and b
 * differ by a constant. */
double tamis_excess_ratio(const double *a, const double *b, const double *weight, size_t n);

/* The same, but if one row makes up four fifths of the squares, its difference counts in the spread as the second
 * largest: a row that a model misses by very far has mean = standard error however far, and would pass for chance. */
double tamis_firm_excess_ratio(const double *a, const double *b, const double *weight, size_t n);

/* The same of rows that processes share, s NULL or one process: that has all. A failure stays in its context. */
double tamis_shared_mean(const struct tamis_spread *s, const double *v, const double *weight, size_t n);
double tamis_shared_excess_ratio(const struct tamis_spread *s, const double *a, const double *b, const double *weight,
                                 size_t n);
double tamis_shared_firm_excess_ratio(const struct tamis_spread *s, const double *a, const double *b,
                                      const double *weight, size_t n);

/* The first k for which value[k] <= limit[k step] up to rounding, step 0 or 1; n if there is none. */
size_t tamis_first_within(size_t n, const double *value, const double *limit, size_t step);

#endif
