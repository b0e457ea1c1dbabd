/* Least squares with a penalty on the lengths of groups of coefficients,
 *
 *     min over B of 1/(2 n) |Y - H B|^2 + lambda sum_g w_g |B_g|,   B_g the rows of B of group g, all outputs,
 *
 * by block coordinate descent [1]; columns of H and Y have mean 0.
 * [1] M. Yuan, Y. Lin, Model selection and estimation in regression with grouped variables, JRSS B 68 (2006). */
#ifndef TAMIS_GROUP_LASSO_H
#define TAMIS_GROUP_LASSO_H

#include <stddef.h>

struct tamis_group_lasso {
    size_t n, l, p, groups;             /* rows, outputs, columns, groups */
    const double *h;                    /* n x p */
    const size_t *first;                /* groups + 1: group g has columns first[g] .. first[g + 1] - 1 */
    const double *weight;               /* groups */
    double *bound;                      /* groups: at least the largest eigenvalue of H_g' H_g / n */
    double *b;                          /* p x l */
    double *r;                          /* n x l: Y - H B */
    double *scratch;                    /* largest group x l */
};

void tamis_group_lasso_bounds(struct tamis_group_lasso *t);     /* fills bound */
double tamis_group_lasso_most(struct tamis_group_lasso *t);     /* the least lambda with B = 0, if B = 0 now */
/* From the B and r that it has; at most `sweeps` over all groups, until no coefficient moves a prediction by more than
 * `tolerance` (of a column of variance 1). How many sweeps it took. */
size_t tamis_group_lasso_solve(struct tamis_group_lasso *t, double lambda, double tolerance, size_t sweeps);
/* Degrees of freedom: a group of m coefficients counts 1 + (m - 1) |B_g| / |B_g without penalty|, [1] section 4. */
double tamis_group_lasso_freedom(const struct tamis_group_lasso *t, double lambda);
double tamis_group_lasso_length(const struct tamis_group_lasso *t, size_t g);   /* |B_g| */

#endif
