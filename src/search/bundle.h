/* Bundles: inputs that enter and leave together. A search sees bundles as its inputs; the criterion sees the inputs in
 * them. */
#ifndef TAMIS_BUNDLE_H
#define TAMIS_BUNDLE_H

#include "search/search.h"

struct tamis_bundles {
    tamis_context *cx;
    size_t count;
    size_t *of;                         /* the bundle of each input; numbered in the order of their first inputs;
                                           SIZE_MAX: none, a constant */
    const struct tamis_criterion *inner;
    void *scorer;                       /* the inner criterion's */
    const struct tamis_design *design;
    unsigned char *must;                /* of bundles; NULL as in the limits */
    double *cost;
    size_t *members;                    /* inputs in each; NULL if their number is not limited */

    /* What a search gets instead: */
    struct tamis_criterion criterion;   /* its scorer is this struct */
    struct tamis_design view;           /* one input per bundle, named after its first */
    struct tamis_limits limits;
};

/* of[] (one per input of d, each below count) is copied. */
struct tamis_bundles *tamis_bundles_new(tamis_context *cx, const struct tamis_design *d, const size_t *of, size_t count,
                                        const struct tamis_criterion *c, void *scorer,
                                        const struct tamis_limits *limits);
void tamis_bundles_free(struct tamis_bundles *b);
/* The walk as if the search had moved inputs: a new one, over the design and the inner criterion. */
struct tamis_walk *tamis_bundles_expand(const struct tamis_bundles *b, const struct tamis_walk *r,
                                        const struct tamis_limits *limits);

#endif
