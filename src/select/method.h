/* Methods: a row a paper. Most are a criterion under a search (path.c); a row in methods.c names it, its options and
 * its paper, and feeds the command line, `tamis methods`, the documentation and the test matrix. */
#ifndef TAMIS_METHOD_H
#define TAMIS_METHOD_H

#include "select/result.h"
#include "search/search.h"

struct tamis_method;

/* What a method will run with these options. */
struct tamis_plan {
    const struct tamis_method *method;
    const struct tamis_criterion *criterion;
    const struct tamis_search *search;
    const struct tamis_option *more;            /* of what it runs besides; NULL: nothing */
    int several;                                /* it takes several targets */
    int keep_start;                             /* the start set counts as part of the path, also when it is empty */
    int scaling;                                /* weights of the inputs after the search */
    const char *block; /* name of the result's own object: criterion, search, value, scaling; NULL: none */
    int unlabelled; /* rows without a class are wanted too: after the others in the design, with y = classes */
};

/* One call of tamis_select. */
struct tamis_run {
    tamis_context *cx;
    const tamis_options *options;
    const struct tamis_design *design, *test;   /* test: NULL, or rows never seen before the end */
    struct tamis_plan plan;
    uint64_t seed, fingerprint;
    const char *checkpoint;
    struct tamis_outcome *outcome;
    int refits; /* plan.criterion fitted the answer, at the parameters of the chosen step */
    /* NULL, or what tamis_path_run calls at its end, with the criterion's scorer and the chosen set: fills the method's
     * own block. */
    int (*describe)(struct tamis_run *run, void *scorer, const unsigned char *set, const struct tamis_score *at);
};

struct tamis_method {
    const char *name, *task, *summary, *paper;
    const struct tamis_option *options;         /* its own, besides those of its criterion and search */
    int (*plan)(tamis_context *cx, const tamis_options *o, struct tamis_plan *plan);
    int (*cost)(struct tamis_run *run, struct tamis_cost *cost);        /* flops of the whole run */
    int (*run)(struct tamis_run *run);
    /* How `tamis compare` runs it when no methods are named: "name:option=value:..."; NULL: by its name alone. */
    const char *in_regression, *in_classification;
};

const struct tamis_method *tamis_method_find(const char *name);
const struct tamis_method *tamis_method_at(size_t i);                   /* NULL past the last */

/* The common way: plan.criterion under plan.search. */
int tamis_path_cost(struct tamis_run *run, struct tamis_cost *cost);
int tamis_path_run(struct tamis_run *run);
/* The same without a model: the best set on the path, the weight of each input in it, its score, and the standing of
 * the inputs that are not in it (for tamis_outcome_rank); the outcome gets the path and the names. For methods that
 * select this way and then do something of their own. */
int tamis_path_choose(struct tamis_run *run, unsigned char *set, double *factor, double *order, struct tamis_score *at);

/* Options that mean the same everywhere (common.c). */
struct tamis_common {
    const char *target, *task, *method, *checkpoint, *impute, *groups;
    size_t neighbours, horizon, outer, repeats, bootstrap;
    struct tamis_range lags;
    struct tamis_names inputs, ignore;
    double holdout, memory;
    size_t threads;             /* tamis_resources_apply reads these two */
    uint64_t seed;
    int standardize, blocks, evidence;
};
extern const struct tamis_option tamis_common_options[], tamis_output_options[], tamis_path_options[];

/* Whether a task ("regression", "classification", "both", NULL) is that of the design. */
int tamis_task_fits(const struct tamis_design *d, const char *task);
/* The tables whose rows this plan reads, ended by part NULL. */
enum { TAMIS_TABLES = 10 };
void tamis_plan_tables(const struct tamis_plan *p, struct tamis_option_table used[TAMIS_TABLES]);

/* `auto`: the method for this design, and why; options that it wants and the user left open are put into o. */
int tamis_auto_pick(tamis_context *cx, const struct tamis_design *d, tamis_options *o,
                    const struct tamis_method **method, char *why, size_t room);

#endif
