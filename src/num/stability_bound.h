/* Bounds on the number of false inputs of stability selection with complementary pairs.
 *
 * [1] R. D. Shah, R. J. Samworth, Variable selection with error control: another look at stability selection, JRSS B 75
 * (2013). */
#ifndef TAMIS_STABILITY_BOUND_H
#define TAMIS_STABILITY_BOUND_H

#include <stddef.h>

/* What is assumed of how often an input of low selection probability is chosen, from nothing to most. */
enum tamis_stability_assumption { TAMIS_STABLE_NONE, TAMIS_STABLE_UNIMODAL, TAMIS_STABLE_CONCAVE };

/* B pairs of half-samples choose q of p inputs on average. */
struct tamis_stability { double q, p; size_t pairs; };

/* Bound on the expected number of inputs of selection probability at most theta = q / p that are chosen in at least
 * `times` of the 2 B half-samples, B < times <= 2 B. */
double tamis_stability_bound(const struct tamis_stability *s, enum tamis_stability_assumption a, size_t times);
/* The least such `times` with a bound of at most `most`; 0: none. */
size_t tamis_stability_times(const struct tamis_stability *s, enum tamis_stability_assumption a, double most);

/* D of [1] eq. (8): the largest P(X >= t / b) of any r-concave distribution, r < 0, on 0, 1/b, ..., 1 with mean at most
 * eta. Takes about 300 b powers. */
double tamis_concave_tail(double eta, size_t t, size_t b, double r);

#endif
