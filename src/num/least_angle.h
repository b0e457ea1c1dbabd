/* Least angle regression, and its extension to several outputs. */
#ifndef TAMIS_LARS_H
#define TAMIS_LARS_H

#include <stddef.h>

/* x: n x p, leading dimension n; the ranking is meaningful only if its columns are centred and of equal length. y:
 * n x k, centred. gram: X^T X (p x p, both triangles), or NULL. With it, step s costs 2 p s flops instead of about
 * 2 n p + 8 n s, at the price of a squared condition number. */
struct tamis_lars_data {
    size_t n, p, k;
    const double *x, *y, *gram;
};

/* Lives in the caller's memory: tamis_lars_size doubles and 2 p indices; the data must outlive it. */
struct tamis_lars {
    struct tamis_lars_data data;
    size_t most;        /* largest number of steps: min(n, p) */
    size_t steps;       /* columns that joined */
    size_t *order;      /* p: columns as they joined, then those skipped as collinear, then the idle ones by index */
    size_t *place;      /* p: rank of each column in order */
    double *c;          /* most + 1: the correlation that all active columns share when step s joins; c[steps]: at the
                         * end */
    double *gamma;      /* most: the share of the way to the least-squares fit that step s covers */
    double *r;          /* p x most: column s holds q_s^T X */
    double *qy;         /* most x k: column-major, ld most */
    double *q;          /* n x most; unused with gram */
    double *u;          /* k x p: x_j^T (Y - fit) */
    double *w;          /* k x p: x_j^T (Y - least-squares fit on the active columns) */
    double *length;     /* p: |x_j|^2 */
    double *row;        /* most */
};

/* Scales x to mean 0 and length sqrt(n); a constant becomes zeros, with scale 0. */
void tamis_lars_standardise(size_t n, double *x, double *mean, double *scale);
/* Rows that count w times, root = sqrt(w) (NULL: the above) and total = sum w: mean 0 and mean square 1 by the weights,
 * then every row times root. */
void tamis_lars_standardise_weighted(size_t n, const double *root, double total, double *x, double *mean,
                                     double *scale);

size_t tamis_lars_size(size_t n, size_t p, size_t k, int gram);
void tamis_lars_bind(struct tamis_lars *l, const struct tamis_lars_data *data, double *memory, size_t *index);

/* Runs to the end, or until `most` columns have joined. About 2 n p + 8 n s flops at step s (with gram: 2 p s). */
void tamis_lars_run(struct tamis_lars *l, size_t most);

/* The coefficients after step s = 0..steps: coef[s] is p x k, one after the other. work: 2 most k doubles. */
void tamis_lars_path(const struct tamis_lars *l, double *coef, double *work);

#endif
