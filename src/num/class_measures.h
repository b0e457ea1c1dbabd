/* How good predicted classes and their probabilities are. A row whose class is none of them does not count; weight
 * NULL: every row counts once. */
#ifndef TAMIS_CLASS_MEASURES_H
#define TAMIS_CLASS_MEASURES_H

#include <stddef.h>
#include "num/order.h"

/* Rows with the probabilities of their classes. */
struct tamis_rated {
    size_t rows, classes;
    const double *p;            /* rows x classes, column-major */
    const double *class_of, *weight;
};

/* The class with the largest entry in row i of n, the first of equal ones. */
size_t tamis_largest_class(const double *p, size_t n, size_t classes, size_t i);
/* Of row i: -log p of its class; sum over classes of (p - 1)^2 or p^2. */
double tamis_log_loss(const struct tamis_rated *r, size_t i);
double tamis_brier(const struct tamis_rated *r, size_t i);

struct tamis_class_measures { double rows, error, log_loss, brier, balanced_accuracy; };
/* Means over rows; confusion (classes x classes, observed by predicted, row by row) counts by weight. The balanced
 * accuracy is the mean over the classes that occur of the share of their rows that is right. */
struct tamis_class_measures tamis_class_measure(const struct tamis_rated *r, double *confusion);

/* The area under the receiver operating characteristic: the chance that p of a row of this class is larger than that of
 * another row, ties counting one half. NAN where there are none of either. place: one per row. */
double tamis_auc(const struct tamis_rated *r, size_t class, struct tamis_place *place);

/* Probabilities in tenths, and how often their classes occur: those of the second of two classes, of all of several. */
enum { TAMIS_TENTHS = 10 };
struct tamis_tenth { double rows, mean, observed; };
void tamis_reliability(const struct tamis_rated *r, struct tamis_tenth tenth[TAMIS_TENTHS]);

#endif
