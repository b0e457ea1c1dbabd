/* The additive model behind the statistic. */
#ifndef TAMIS_KNOCKOFFS_FIT_H
#define TAMIS_KNOCKOFFS_FIT_H

#include "method/knockoffs/knockoffs.h"
#include "method/sift/sift.h"
#include "num/group_lasso.h"

enum { KNOCKOFFS_FUNCTIONS = 5,         /* of a column, at most */
       KNOCKOFFS_SIDE = 2,              /* functions of each column in the product of two */
       KNOCKOFFS_PAIRS = 20 };          /* pairs of columns that may join, at most, each in four versions */

/* value (inputs of d): the variance of what each column takes part in. Columns 2 j and 2 j + 1 belong together. */
int knockoffs_importances(tamis_context *cx, const struct knockoffs_target *t, const struct tamis_design *d,
                          double *value);

/* What the additive model of all inputs but one leaves of the target, r (n x l), and the values of the others. */
int knockoffs_residuals(tamis_context *cx, const struct knockoffs_target *t, const struct sift_functions *f,
                        size_t without, double *r, double *value);

#endif
