/* Criteria: how good is a set of inputs, and the model that goes with it. A criterion is one file and one row in
 * crit.c. */
#ifndef TAMIS_CRIT_H
#define TAMIS_CRIT_H

#include "base/options.h"
#include "data/design.h"
#include "model/model.h"

enum { TAMIS_PARAMETERS = 8 };

struct tamis_score {
    double value;                               /* smaller is better; INFINITY: the set has no value */
    double parameter[TAMIS_PARAMETERS];
    double second;              /* breaks ties in value within a step, smaller is better; not kept on the path */
};

/* One input moved to another weight, in tenths: 10 is full weight, 0 is not in the set. SIZE_MAX: no change. */
struct tamis_change { size_t input; unsigned char tenth; };

struct tamis_cost {
    double bytes;                               /* of a run */
    double flops;                               /* of one evaluation of all inputs */
    double once;                                /* flops besides, whatever the number of evaluations */
    const char *remedy;                         /* what to do when it does not fit, or NULL */
};

struct tamis_criterion {
    const char *name;
    const char *error_name;                     /* what results call the value: "loo" */
    const char *label;                          /* what tables and figures call it: "leave-one-out error" */
    const char *relevance;                      /* what they call the measure that `fit` gives inputs: "derivative" */
    const char *task, *summary, *paper;
    const struct tamis_option *options;
    const char *const *parameters;              /* their names, ended by NULL */

    int (*start)(tamis_context *cx, const struct tamis_design *d, const tamis_options *o, uint64_t seed, void **self);
    void (*finish)(void *self);
    /* What `start` and a run would take, before anything is allocated. */
    int (*cost)(tamis_context *cx, const struct tamis_design *d, const tamis_options *o, struct tamis_cost *cost);
    /* score[k] of the set `base` with input toggle[k] added or removed (SIZE_MAX: base itself). `hint` is the score of
     * the last set accepted, or NULL. Parallel inside; the same bits for any number of threads and any grouping of
     * calls (except that a criterion which screens, with a note, compares the sets of one call with each other). The
     * value of the empty set is that of the best constant. Among removals, one that cannot be the smallest of the call
     * may have value INFINITY. */
    int (*evaluate)(void *self, const unsigned char *base, const size_t *toggle, size_t count,
                    const struct tamis_score *hint, struct tamis_score *score);
    /* The fitted model of a set at its score's parameters; its encoder has the set's inputs only. model may be NULL.
     * relevance (one per input, or NULL): filled for the inputs in the set, others untouched. */
    int (*fit)(void *self, const unsigned char *set, const struct tamis_score *at, struct tamis_model **model,
               double *relevance);

    /* ---- optional ---- */
    const char *units;                          /* of the value, unless they are those of the task's errors */
    int weights;                                /* it takes row weights (design->weight) */
    int several_targets;                        /* it accepts several, in regression */
    int negated;                                /* the value is minus the quantity that the criterion is named after */
    /* evaluate and fit for weighted inputs: tenth[] of each input, with one changed. */
    int (*weigh)(void *self, const unsigned char *tenth, const struct tamis_change *change, size_t count,
                 struct tamis_score *score);
    int (*fit_weighed)(void *self, const unsigned char *tenth, const struct tamis_score *at, struct tamis_model **model,
                       double *relevance);
    /* From now on a set whose value is certain to exceed `above` may get value INFINITY. */
    void (*bound)(void *self, double above);
    /* Whether a forward path may end at this set, since additions no longer lower the value. */
    int (*ends)(void *self, const unsigned char *set);
};

const struct tamis_criterion *tamis_criterion_find(const char *name);   /* NULL: none of that name */
const struct tamis_criterion *tamis_criterion_at(size_t i);             /* NULL past the last */
const char *tamis_criterion_name(const void *list, size_t i);           /* for tamis_hint */

/* A program that links the static library may define this array, ended by NULL, to add criteria to the table. */
extern const struct tamis_criterion *const tamis_extra_criteria[] __attribute__((weak));

/* Columns of the design that belong to the inputs in set, in order; returns how many. at has room for all columns. */
size_t tamis_set_columns(const struct tamis_design *d, const unsigned char *set, size_t *at);

#endif
