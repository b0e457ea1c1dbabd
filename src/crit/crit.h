/* Criteria: how good is a set of inputs, and the model that goes with it. A criterion is one file and one row in
 * crit.c. */
#ifndef TAMIS_CRIT_H
#define TAMIS_CRIT_H

#include "base/options.h"
#include "data/design.h"
#include "model/model.h"

enum { TAMIS_PARAMETERS = 8 };

struct tamis_score {
    double value;                               /* smaller is better; +infinity: the set cannot be had */
    double parameter[TAMIS_PARAMETERS];
    double second; /* decides, smaller is better, between sets of one step that are equal in value; not kept */
};

/* One input put at another weight: 10 is as it is, 0 is out, tenths between. SIZE_MAX: no change. */
struct tamis_change { size_t input; unsigned char tenth; };

struct tamis_cost {
    double bytes, flops;
    const char *remedy;
}; /* of a run; flops of one evaluation of all inputs; what to do when it does not fit, or NULL */

struct tamis_criterion {
    const char *name;
    const char *error_name;                     /* what the value is called in a result: "loo" */
    const char *task, *summary, *paper;
    const struct tamis_option *options;
    const char *const *parameters;              /* their names, ended by NULL */

    int (*start)(tamis_context *cx, const struct tamis_design *d, const tamis_options *o, uint64_t seed, void **self);
    void (*finish)(void *self);
    /* What `start` and a run would take, before anything is allocated. */
    int (*cost)(tamis_context *cx, const struct tamis_design *d, const tamis_options *o, struct tamis_cost *cost);
    /* score[k] of the set `base` with input toggle[k] put in or taken out (SIZE_MAX: base itself). `hint` is the score
     * of the last set accepted, or NULL. Parallel inside; the same bits for any number of threads and any grouping of
     * calls (but a criterion that screens, and says so in a note, compares the sets of one call with each other). The
     * empty set is judged too: as the best constant. Of sets taken out of, one that cannot be the smallest of the call
     * may have value INFINITY. */
    int (*evaluate)(void *self, const unsigned char *base, const size_t *toggle, size_t count,
                    const struct tamis_score *hint, struct tamis_score *score);
    /* The fitted model of a set at its score's parameters; its encoder is of the set's inputs. With relevance (one an
     * input, or NULL): the measure of every input in the set, others untouched. model may be NULL. */
    int (*fit)(void *self, const unsigned char *set, const struct tamis_score *at, struct tamis_model **model,
               double *relevance);

    /* ---- what a criterion need not have ---- */
    const char *units;                          /* of the value, where they are not those of the task's errors */
    int negated;                                /* the value is minus what people speak of */
    /* evaluate and fit for inputs with weights: tenth[] of each input, with one changed. */
    int (*weigh)(void *self, const unsigned char *tenth, const struct tamis_change *change, size_t count,
                 struct tamis_score *score);
    int (*fit_weighed)(void *self, const unsigned char *tenth, const struct tamis_score *at, struct tamis_model **model,
                       double *relevance);
    /* From now on a set whose value is certain to be above may get value INFINITY. */
    void (*bound)(void *self, double above);
    const char *label;                          /* of the value in tables and figures: "leave-one-out error" */
};

const struct tamis_criterion *tamis_criterion_find(const char *name);
const struct tamis_criterion *tamis_criterion_at(size_t i);             /* NULL past the last */

/* Columns of the design that the inputs in set have, in order; returns how many. at has room for all columns. */
size_t tamis_set_columns(const struct tamis_design *d, const unsigned char *set, size_t *at);

#endif
