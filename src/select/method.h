/* Methods: one row per paper, in methods.c. A row feeds the command line, `tamis methods`, the documentation and the
 * test matrix. Most methods run a criterion under a search (path.c). */
#ifndef TAMIS_METHOD_H
#define TAMIS_METHOD_H

#include "select/run.h"

struct tamis_chosen;
struct tamis_text;

/* What `auto` sets for tables larger than these, where the user left it open, and how it says so. */
struct tamis_preference { const char *option, *value, *why; size_t above_rows, above_inputs; };

/* An option of a method for fitting its answer again on other rows; value NULL: what its own block of the result says
 * under that name. */
struct tamis_again { const char *option, *value; };

/* An option as the method's paper has it, and where the paper says so: one line of --as-published (published.c). */
struct tamis_published { const char *option, *value, *where; };

struct tamis_method {
    const char *name, *task, *summary;
    const char *relevance;                      /* what its measure of inputs is called; NULL: as its criterion's */
    const char *paper;
    const struct tamis_option *options;         /* its own, besides those of its criterion and search */
    /* From run->options to criterion, search and the fields beside them; called before there are rows or designs.
     * NULL: the method has none of these. */
    int (*resolve)(struct tamis_run *run);
    int (*cost)(struct tamis_run *run, struct tamis_cost *cost);        /* flops of the whole run */
    /* The flops of a run whose way depends on the data, from the first part of the work; NULL: cost() knows. */
    int (*foresee)(struct tamis_run *run, struct tamis_cost *cost);
    int (*select)(struct tamis_run *run);       /* fills run->result */
    /* Whether select(), after little work, comes to a loop over items that holds most of the work (base/items.h), so
     * that processes can share it; NULL: no. */
    int (*shared)(struct tamis_run *run);
    /* Of a path method (tamis_path_select), or NULL: fills the method's own block from the scorer, the chosen set and
     * its score. */
    int (*describe)(struct tamis_run *run, const struct tamis_chosen *chosen);
    /* Why the set of a step of the path was not taken, as a clause. NULL: the rule in the method's block or
     * --select-rule, or else the least criterion, decides. */
    void (*why_not)(const struct tamis_run *run, size_t step, struct tamis_text *t);
    int several_targets;                        /* it accepts several */
    int weights;                                /* it takes row weights, if its criterion does */
    int spreads;                                /* rows may be spread over processes (base/spread.h) */
    int two_classes;                            /* in classification, no more than two */
    int checkpoint;                             /* it writes one */
    int constraints;                            /* it follows a path: --must, --budget, --select-rule apply */
    int bounds;                                 /* it bounds errors of the choice: `tamis compare` runs it if named */
    const struct tamis_preference *preferences; /* of `auto`, ended by an empty one; NULL: none */
    const struct tamis_again *again;            /* makes fitting again short; ended by an empty one; NULL: none */
    const struct tamis_published *published;    /* the method as printed; ended by an empty one; NULL: no paper */
    /* How `tamis compare` runs it if no methods are named: "name:option=value:..."; NULL: by its name alone. */
    const char *in_regression, *in_classification;
};

const struct tamis_method *tamis_method_find(const char *name);
const struct tamis_method *tamis_method_at(size_t i);                   /* NULL past the last */
const char *tamis_method_name(const void *list, size_t i);              /* for tamis_hint */
/* Rows after those of methods.c: a program that links the static library may define this list, ended by NULL. */
extern const struct tamis_method *const tamis_extra_methods[] __attribute__((weak));

/* --as-published (published.c): sets what the paper of the method says of options that the user left open; TAMIS_USAGE
 * if the method has no paper. _fits: it has one, or none is asked for. _add: the record as_published, if asked for. */
int tamis_published_set(struct tamis_run *run);
int tamis_published_fits(const tamis_options *o, const struct tamis_method *m);
void tamis_published_add(tamis_value *to, const struct tamis_run *run);

/* The name of its measure of inputs: the method's or its criterion's, or else "relevance". */
const char *tamis_relevance_name(const struct tamis_run *run);

/* The record `smaller`: the smallest set on the path that looks as good as the answer, and why it was not taken. */
int tamis_smaller_add(tamis_value *to, const struct tamis_run *run);

int tamis_always_shared(struct tamis_run *run);         /* 1, for a method's `shared` */

/* ---- path methods: run->criterion under run->search ---- */

/* The answer of a path. */
struct tamis_chosen {
    struct tamis_walk *walk;
    void *scorer;
    size_t step;                                /* of the walk */
    const unsigned char *set;
    const struct tamis_score *score;
};

int tamis_path_cost(struct tamis_run *run, struct tamis_cost *cost);
int tamis_path_shared(struct tamis_run *run);           /* all inputs are kept: the criterion's grid is all there is */
int tamis_path_select(struct tamis_run *run);
/* The same without fitting a model, for methods that fit their own: the best set on the path, the weight of each input
 * in it, its score, and the order of the inputs that are not in it (for tamis_result_rank). The result gets the path
 * and the names. */
int tamis_path_choose(struct tamis_run *run, unsigned char *set, double *factor, double *order, struct tamis_score *at);

/* The block of --test-inputs, p-values of single inputs (method/input_tests). */
int tamis_inputs_test(struct tamis_run *run);
int tamis_inputs_test_cost(struct tamis_run *run, double *flops);       /* adds its flops */

/* Whether a row's task ("regression", "classification", "both"; NULL: any) fits the encoder's target. */
int tamis_task_fits(const struct tamis_encoder *e, const char *task);

#endif
