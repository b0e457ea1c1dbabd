/* Methods: one row per paper. Most are a criterion under a search (path.c); a row in methods.c names a method, its
 * options, what it can do and its paper, and feeds the command line, `tamis methods`, the documentation and the test
 * matrix. */
#ifndef TAMIS_METHOD_H
#define TAMIS_METHOD_H

#include "select/run.h"

struct tamis_chosen;

struct tamis_method {
    const char *name, *task, *summary, *paper;
    const struct tamis_option *options;         /* its own, besides those of its criterion and search */
    /* From run->options to criterion, search and the fields beside them; neither rows nor designs exist yet. NULL: it
     * has none of these. */
    int (*resolve)(struct tamis_run *run);
    int (*cost)(struct tamis_run *run, struct tamis_cost *cost);        /* flops of the whole run */
    int (*select)(struct tamis_run *run);       /* fills run->result */
    /* Of a path method (tamis_path_select): fills its own block, with the criterion's scorer, the chosen set and its
     * score. */
    int (*describe)(struct tamis_run *run, const struct tamis_chosen *chosen);
    int several_targets;                        /* it takes them */
    int checkpoint;                             /* it keeps one */
    int constraints;                            /* --must, --budget, --select-rule, ... hold: it walks a path */
    int keeps_all;                              /* without further options it selects no inputs */
    /* How `tamis compare` runs it if no methods are named: "name:option=value:..."; NULL: by its name alone. */
    const char *in_regression, *in_classification;
};

const struct tamis_method *tamis_method_find(const char *name);
const struct tamis_method *tamis_method_at(size_t i);                   /* NULL past the last */
/* Rows after those of methods.c: a program that links the static library may define this list, ended by NULL. */
extern const struct tamis_method *const tamis_extra_methods[] __attribute__((weak));

/* ---- the common way: run->criterion under run->search ---- */

/* The answer of a path. */
struct tamis_chosen {
    struct tamis_walk *walk;
    void *scorer;
    size_t step;                                /* of the walk */
    const unsigned char *set;
    const struct tamis_score *score;
};

int tamis_path_cost(struct tamis_run *run, struct tamis_cost *cost);
int tamis_path_select(struct tamis_run *run);
/* The same without a model: the best set on the path, the weight of each input in it, its score, and the order of the
 * inputs that are not in it (for tamis_result_rank); the result gets the path and the names. For methods that select
 * this way and then do something of their own. */
int tamis_path_choose(struct tamis_run *run, unsigned char *set, double *factor, double *order, struct tamis_score *at);

/* Whether a task ("regression", "classification", "both", NULL) is that of the encoder's target. */
int tamis_task_fits(const struct tamis_encoder *e, const char *task);

#endif
