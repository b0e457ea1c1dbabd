/* When two errors, criteria or relevances are equal: differences at the level of rounding are not differences. */
#ifndef TAMIS_COMPARE_H
#define TAMIS_COMPARE_H

#include <math.h>

/* Relative: of sums that are exact but for their own rounding; of values that come from a fit or a factorisation. */
static const double TAMIS_SUMMED = 1e-12, TAMIS_FITTED = 1e-9;

static inline double tamis_slack(double b, double tolerance) { return isfinite(b) ? tolerance * fabs(b) : 0; }

/* a is below b by more than rounding; a is not above b by more than rounding. */
static inline int tamis_below(double a, double b, double tolerance) { return a < b - tamis_slack(b, tolerance); }
static inline int tamis_at_most(double a, double b, double tolerance) { return a <= b + tamis_slack(b, tolerance); }

#endif
