/* One selection, from options to result: the object that everything under tamis_select receives.
 *
 * It is filled in this order: what was asked for; which rows are complete and which of them are held out; the method,
 * criterion and search, resolved once; the designs; the result. */
#ifndef TAMIS_RUN_H
#define TAMIS_RUN_H

#include "search/search.h"
#include "select/result.h"

struct tamis_method;

/* Options that mean the same everywhere (common.c). */
struct tamis_common {
    const char *target, *task, *method, *checkpoint, *impute, *groups, *dates, *importance, *time, *season,
               *row_weights, *assumption;
    size_t neighbours, horizon, outer, repeats, bootstrap, pairs;
    struct tamis_range lags;
    struct tamis_names inputs, ignore, keep, test_inputs;
    size_t test_draws;
    double holdout, memory, stability;
    size_t threads;                             /* tamis_resources_apply reads these two */
    uint64_t seed;
    int standardize, blocks, evidence, as_published, split_rows;
};
extern const struct tamis_option tamis_common_options[], tamis_path_options[];

/* Rows of the table to learn from, and rows held out until the end of the run; both in increasing order. */
struct tamis_split { const size_t *learn, *held; size_t learns, helds; };

struct tamis_run {
    /* ---- what was asked for ---- */
    tamis_context *cx;
    const tamis_table *data, *test_table;
    const struct tamis_split *split;            /* NULL: rows by the options; else these, and --holdout is ignored */
    const unsigned char *only;                  /* NULL, or a mark for each candidate input that may be used */
    const tamis_options *given;
    tamis_options *options;                     /* a copy: auto adds to it */
    struct tamis_common common;
    uint64_t seed;
    const char *checkpoint;

    /* ---- what that resolves to: filled by the method's resolve() from the options alone ---- */
    const struct tamis_method *method;
    const struct tamis_criterion *criterion;    /* NULL: the method has none */
    const struct tamis_search *search;
    const struct tamis_option *more;            /* options of whatever else it runs; NULL: none */
    int keep_start;                             /* the start set is part of the path even if it is empty */
    int scaling;                                /* weight the inputs after the search */
    int unlabelled;                             /* rows without a class are used too: last, with y = classes */
    char why[256];                              /* why `auto` picked the method */

    /* ---- the rows as numbers ---- */
    struct tamis_encoder *encoder;
    struct tamis_encoder *whole;                /* of all inputs, where `only` leaves some out; NULL: encoder */
    struct tamis_design *design, *test;         /* test: rows held out until the end; NULL: none */
    const double *weigh, *test_weigh;           /* --row-weights: of each row of data, of test_table; NULL: none */
    size_t *row, rows;                          /* rows of the table with a target to learn from */
    size_t *place;                              /* the row of the design that stands for each of them; NULL: in order */
    size_t labelled;                            /* rows of the design with a target: the first ones */
    size_t used;                                /* rows of the table that the design stands for */
    size_t *test_row;                           /* of the table, or of test_table: the rows of test; NULL: none */
    size_t season;                              /* --season in rows; 0: none */
    size_t dropped, repeated;                   /* repeated: rows of the design that equal an earlier one */
    struct tamis_spread spread;                 /* --split-rows: the part of the design in this process */
    uint64_t fingerprint;                       /* a checkpoint must have the same */

    /* ---- the answer ---- */
    struct tamis_result *result;
    int refits;                                 /* the criterion can fit the answer again on other rows */
};

/* Fills a run that has cx, data and test_table or split, up to the result. Call tamis_run_finish even if it fails. */
int tamis_run_prepare(struct tamis_run *run, const tamis_options *o);
void tamis_run_finish(struct tamis_run *run);           /* also frees run->result */
/* Checks memory and runs the method: run->result, without what only users read (names, options, notes). */
int tamis_run_select(struct tamis_run *run);

/* The same with its share of progress and simple predictions beside it (select.c). */
int tamis_selection_run(struct tamis_run *run);

/* The first members of a result or comparison; returns the record "data" (result_value.c). */
tamis_value *tamis_add_head(tamis_value *to, const struct tamis_run *run, size_t rows, const char *target);
int tamis_result_tree(struct tamis_run *run);           /* fills run->result->value */
const char *tamis_loss_units(const struct tamis_run *run);      /* of the errors of its models (select.c) */
/* Error of the mean or the majority class on the rows it comes from; this and other simple predictions on the test
 * rows, and as part of run->result (baseline.c). */
double tamis_constant_error(const struct tamis_design *d);
struct tamis_model *tamis_constant_model(tamis_context *cx, const struct tamis_design *d);      /* NULL: see cx */
int tamis_constant_fit(struct tamis_run *run);          /* the mean, or the shares of the classes, as its model */
int tamis_baselines_test(struct tamis_run *run, struct tamis_baselines *b);
int tamis_baselines_fill(struct tamis_run *run);

/* Rows of the table that belong together: by --groups, and because they are equal (rows.c). */
struct tamis_row_groups {
    size_t *of, count;          /* of each row, below count; NULL: every row is on its own */
    size_t repeated;            /* rows equal to an earlier one; 0 where the order of the rows decides the folds */
    int joined;                 /* equal rows form groups, or have joined some */
};
/* The caller frees g->of. */
int tamis_run_groups(struct tamis_run *run, const size_t *row, size_t rows, struct tamis_row_groups *g);

/* Rows of the table, of which the first of equal ones stands for all of them (distinct.c). */
struct tamis_distinct {
    size_t rows, *row;          /* those that stand for others: rows of the table, */
    size_t *at;                 /* and their places in the list given */
    double *weight;             /* what each stands for: the sum of the weights */
    size_t *group, groups;      /* of each, by --groups; NULL: none */
    size_t *of;                 /* of each row given: the place in `row` of the one that stands for it */
    size_t repeated;            /* rows equal to an earlier one; 0 where the order of the rows matters */
    int joined;                 /* some stand for several, or groups were joined because of them */
};
int tamis_distinct_find(struct tamis_run *run, const size_t *row, size_t rows, struct tamis_distinct *q);
void tamis_distinct_free(struct tamis_distinct *q);
double tamis_run_weight(const struct tamis_run *run, size_t row);       /* of a row of the table; 1 without weights */
/* Whether the method and criterion of a resolved run take weights, and thus equal rows as one. */
int tamis_run_weighs(const struct tamis_run *run);

/* The option tables that a resolved run reads, ended by part NULL; from TAMIS_FIRST_OWN on, those of the method, its
 * criterion and its search. */
enum { TAMIS_TABLES = 10, TAMIS_FIRST_OWN = 3 };
void tamis_run_tables(const struct tamis_run *run, struct tamis_option_table used[TAMIS_TABLES]);

int tamis_rows_find(struct tamis_run *run, size_t **row, size_t *rows, size_t *held);           /* rows.c */
int tamis_rows_design(struct tamis_run *run, size_t **row, size_t rows, size_t held);
int tamis_resolve(struct tamis_run *run, size_t rows);                                          /* resolve.c */
/* `auto` (auto.c): picks the method for so many rows and says why; adds options that the user did not give to
 * run->options. */
int tamis_auto_pick(struct tamis_run *run, size_t rows);
/* Resolves the options for method m; TAMIS_USAGE if it does not do the task or does not take them all. */
int tamis_resolve_as(struct tamis_run *run, const struct tamis_method *m);
int tamis_resolve_method(struct tamis_run *run, const struct tamis_method *m);  /* the same without the two checks */
/* What the method, criterion and search of a resolved run can do (fits.c). "not for 3 classes": why they cannot learn
 * the target; 0: they can. The checks are TAMIS_USAGE with what can instead. */
enum { TAMIS_UNFIT = 48 };
int tamis_target_unfit(const struct tamis_run *run, char why[TAMIS_UNFIT]);
int tamis_target_check(const struct tamis_run *run);
int tamis_options_check(const struct tamis_run *run);
/* For a method's resolve(): by name; TAMIS_USAGE if there is none. */
int tamis_resolve_criterion(struct tamis_run *run, const char *name);
int tamis_resolve_search(struct tamis_run *run, const char *name);
int tamis_resolve_scaling(struct tamis_run *run, int scaling);  /* TAMIS_USAGE if the criterion has no weights */

#endif
