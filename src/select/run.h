/* One selection, from options to result: the object that everything under tamis_select gets.
 *
 * It is filled in this order: what was asked for; which rows are complete and which of them are held out; the method,
 * criterion and search that the options resolve to, once; the rows as numbers; the result. */
#ifndef TAMIS_RUN_H
#define TAMIS_RUN_H

#include "search/search.h"
#include "select/result.h"

struct tamis_method;

/* Options that mean the same everywhere (common.c). */
struct tamis_common {
    const char *target, *task, *method, *checkpoint, *impute, *groups;
    size_t neighbours, horizon, outer, repeats, bootstrap;
    struct tamis_range lags;
    struct tamis_names inputs, ignore;
    double holdout, memory;
    size_t threads;                             /* tamis_resources_apply reads these two */
    uint64_t seed;
    int standardize, blocks, evidence;
};
extern const struct tamis_option tamis_common_options[], tamis_path_options[];

/* Rows of the table to learn from, and rows that the run never sees before its end; both in increasing order. */
struct tamis_split { const size_t *learn, *held; size_t learns, helds; };

struct tamis_run {
    /* ---- what was asked for ---- */
    tamis_context *cx;
    const tamis_table *data, *test_table;
    const struct tamis_split *split; /* NULL: rows by the options; else these, whatever --holdout and --test say */
    const tamis_options *given;
    tamis_options *options;                     /* a copy: auto adds to it */
    struct tamis_common common;
    uint64_t seed;
    const char *checkpoint;

    /* ---- what that resolves to: the method's resolve() fills it from the options alone ---- */
    const struct tamis_method *method;
    const struct tamis_criterion *criterion;    /* NULL: the method has none */
    const struct tamis_search *search;
    const struct tamis_option *more;            /* options of what it runs besides; NULL: none */
    int keep_start;                             /* the start set counts as part of the path, also when it is empty */
    int scaling;                                /* weights of the inputs after the search */
    int unlabelled; /* rows without a class are used too: after the others, with y = classes */
    char why[256];                              /* of `auto` */

    /* ---- the rows as numbers ---- */
    struct tamis_encoder *encoder;
    struct tamis_design *design, *test;         /* test: NULL, or rows never seen before the end */
    size_t *row, rows;                          /* of the table: those with a target that it learns from */
    size_t dropped;
    uint64_t fingerprint;                       /* what a checkpoint must agree with */

    /* ---- the answer ---- */
    struct tamis_result *result;
    int refits; /* the criterion fitted the answer, at the parameters of the chosen step */
};

/* Fills a run that has cx, data and test_table or split, up to the result. tamis_run_finish after it also when it
 * fails. */
int tamis_run_prepare(struct tamis_run *run, const tamis_options *o);
void tamis_run_finish(struct tamis_run *run);           /* also frees a result that has not been taken */
/* Checks memory and runs the method: run->result, without what only a user wants to know (names, options, notes). */
int tamis_run_select(struct tamis_run *run);

const char *tamis_loss_units(const struct tamis_run *run);      /* of the errors of its models (select.c) */

/* The tables whose rows a resolved run reads, ended by part NULL; from TAMIS_FIRST_OWN on those of the method, its
 * criterion and its search. */
enum { TAMIS_TABLES = 9, TAMIS_FIRST_OWN = 2 };
void tamis_run_tables(const struct tamis_run *run, struct tamis_option_table used[TAMIS_TABLES]);

int tamis_rows_find(struct tamis_run *run, size_t **row, size_t *rows, size_t *held);           /* rows.c */
int tamis_rows_design(struct tamis_run *run, size_t **row, size_t rows, size_t held);
int tamis_resolve(struct tamis_run *run, size_t rows);                                          /* resolve.c */
/* `auto` (auto.c): the method for so many rows, and why; options that it wants and the user left open are put into
 * run->options. */
int tamis_auto_pick(struct tamis_run *run, size_t rows);
/* Whether method m can do the task with the options given: run gets what they resolve to. */
int tamis_resolve_as(struct tamis_run *run, const struct tamis_method *m);
/* For a method's resolve(): by name, with the sentence where there is none. */
int tamis_resolve_criterion(struct tamis_run *run, const char *name);
int tamis_resolve_search(struct tamis_run *run, const char *name);
int tamis_resolve_scaling(struct tamis_run *run, int scaling); /* TAMIS_USAGE where the criterion has no weights */

#endif
