/* Criteria of least squares support vector machines: the rows, and what methods and tests use besides. */
#ifndef TAMIS_CRIT_LSSVM_H
#define TAMIS_CRIT_LSSVM_H

#include "crit/crit.h"

extern const struct tamis_criterion tamis_cv_lssvm, tamis_loo_lssvm, tamis_cv_rrkrr;

/* The option rows that method rrkrr shows as its own, whichever criterion chose its inputs. */
#define TAMIS_RRKRR_ROWS(tolerance, most, candidates) \
    {"pivot-tolerance", TAMIS_REAL, tolerance, "1e-8", 1e-14, 0.5, NULL, NULL, \
     "basis functions are added while the largest pivot exceeds this; 1e-5 comes closest to the paper's counts"}, \
    {"max-basis", TAMIS_COUNT, most, "all", 1, 1e9, "all", "K|all", "largest number of basis functions"}, \
    {"candidates", TAMIS_COUNT, candidates, "all", 2, 20000, "all", "M|all", \
     "rows that may become basis centres: all, or a random sample of M, for tables that are too large"}

/* The members of a block of the result: parameters and error of the set and its validation surface, the error at each
 * (sigma2, gamma). */
int tamis_lssvm_block(void *self, const unsigned char *set, const struct tamis_score *at, tamis_value *block);

/* For tests: folds other than the seeded ones, fold[i] < folds for each row. */
int tamis_lssvm_refold(void *self, const size_t *fold, size_t folds);

#endif
