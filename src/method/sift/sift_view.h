/* The rows that a path learns from, what its model has not explained there yet, and tests of what could explain it. */
#ifndef TAMIS_SIFT_VIEW_H
#define TAMIS_SIFT_VIEW_H

#include "method/sift/sift_functions.h"
#include "num/excess.h"

enum { SIFT_SMALL = 500 };      /* up to so many rows, residuals are tested by their normal scores alone */

struct sift_view {
    tamis_context *cx;
    const struct sift_functions *f;
    const size_t *row;
    size_t n, l;                        /* rows; outputs */
    size_t all;                         /* rows, with those of other processes */
    double *weight, *root;              /* n: what each row counts, and its square root; NULL: once */
    double total;                       /* sum of the weights: of n ones without any */
    double groups;                      /* independent observations that the rows are worth */
    double separate;                    /* the same if all rows counted alike: as many can be sampled */
    int classes;
    size_t most;                        /* functions in one test, at most: a small class does not carry more */
    double *mean;                       /* l: of the target with far values pulled in, taken out of: */
    double *given;                      /* n x l: the target */
    double *y;                          /* n x l: the same with far values pulled in; its mean is 0 */
    double far;                         /* residuals beyond this were pulled in; infinite: none was */
    double *r;                          /* n x l: what is left of it */
    double *known;                      /* n x knowns: columns that tests take out, because the model has them */
    size_t knowns;
    double *score;                      /* n x l: normal scores of r (of classes r itself), uncorrelated, variance 1 */
};

/* target: rows of the design x l. */
int sift_view_make(tamis_context *cx, const struct sift_functions *f, const double *target, size_t l, const size_t *row,
                   size_t n, struct sift_view *v);
void sift_view_free(struct sift_view *v);
int sift_view_score(struct sift_view *v);               /* score from r */
double sift_view_mean(const struct sift_view *v, const double *y);     /* of n numbers, over all rows of the view */

/* A set of one to three inputs whose functions or products may explain the residuals. */
struct sift_probe { size_t inputs, input[3]; double log_p; };

/* Log p of the functions of one input, or of the products of two or three with the functions of fewer taken out. */
int sift_test(const struct sift_view *v, struct sift_probe *p);

/* Candidates among the pairs of inputs in[0..k-1] by a screen that takes products for independent of lower orders: the
 * `most` with the lowest p below 1e-3, in best[]; *found: how many. */
int sift_screen_pairs(const struct sift_view *v, const size_t *in, size_t k, size_t most, struct sift_probe *best,
                      size_t *found);
/* The same for triples, p below 1e-4. */
int sift_screen_triples(const struct sift_view *v, const size_t *in, size_t k, size_t most, struct sift_probe *best,
                        size_t *found);

/* Puts p in its place among best[0..*found-1], sorted by log p, then by size and inputs; at most `most` stay. */
void sift_probe_insert(struct sift_probe *best, size_t *found, size_t most, const struct sift_probe *p);

#endif
