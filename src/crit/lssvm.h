/* Criteria of least squares support vector machines: the rows, and what their file shares with the methods and the
 * tests. */
#ifndef TAMIS_CRIT_LSSVM_H
#define TAMIS_CRIT_LSSVM_H

#include "crit/crit.h"

extern const struct tamis_criterion tamis_cv_lssvm, tamis_loo_lssvm, tamis_cv_rrkrr;

/* The option rows that method rrkrr shows as its own, whichever criterion chose its inputs. */
#define TAMIS_RRKRR_ROWS(tolerance, most, candidates) \
    {"pivot-tolerance", \
     TAMIS_REAL, \
     tolerance, \
     "1e-8", \
     1e-14, \
     0.5, \
     NULL, \
     NULL, \
     "basis functions are added while the best has a pivot above this; 1e-5 comes closest to the paper's counts"}, \
        {"max-basis", TAMIS_COUNT, most, "all", 1, 1e9, "all", "K|all", "basis functions at most"}, \
    { \
        "candidates", TAMIS_COUNT, candidates, "all", 2, 20000, "all", "M|all", \
            "rows that may carry a basis function: all, or a seeded sample of M for what is too large" \
    }

/* The members of a block of the result: parameters and error of the set and its validation surface, the error at each
 * (sigma2, gamma). */
int tamis_lssvm_block(void *self, const unsigned char *set, const struct tamis_score *at, tamis_value *block);

/* For tests: other folds than the seeded ones, fold[i] < folds of each row. */
int tamis_lssvm_refold(void *self, const size_t *fold, size_t folds);

#endif
