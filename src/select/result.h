/* What a run found, as data: methods fill it, result_value.c turns it into the tree of values that users read. */
#ifndef TAMIS_RESULT_H
#define TAMIS_RESULT_H

#include "base/value.h"
#include "crit/crit.h"
#include "data/design.h"
#include "model/model.h"

/* A set on the path and what led to it. */
struct tamis_path_step {
    size_t size;                        /* inputs in the set after this step */
    ptrdiff_t changed;                  /* the first input added or removed; -1: none */
    int added;                          /* 1: added, 0: removed */
    size_t also;                        /* how many more changed in the same step */
    double criterion;
    double parameters[TAMIS_PARAMETERS];
};

/* Errors of predictions without a model; NAN: not known, or not a time series. */
struct tamis_baselines {
    double constant;                    /* the mean or the majority class of the training rows */
    double persistence, seasonal;       /* the last value known, and the value one season earlier */
};

/* How good predicted classes and their probabilities are (num/class_measures.h); NAN: not known. */
struct tamis_class_error { double error, log_loss, brier, balanced_accuracy, auc; };

struct tamis_result {
    const char *method;                 /* the method that ran */
    char *picked;                       /* why `auto` picked it, in one sentence; NULL: the user named it */
    const char *criterion;              /* "loo-rbf" */
    const char *error_name, *error_label;       /* "loo", "leave-one-out error" */
    const char *units;                  /* of all errors */
    size_t rows, dropped;               /* rows used; rows dropped for missing values */
    size_t test_rows;                   /* 0: none */

    size_t inputs;
    tamis_input *input;                 /* every candidate, in column order */
    char **name;
    size_t selected, *chosen;           /* the selected inputs, most relevant first */
    size_t steps, chosen_step;
    struct tamis_path_step *path;
    unsigned char *start;               /* the set of the first step; NULL: no inputs */
    size_t *changed;                    /* inputs that changed, step by step: 1 + also of each step that changed any */
    size_t parameters;
    const char *const *parameter_names;

    double all_inputs, error;           /* the criterion with all inputs, with the chosen ones; NAN: unknown */
    double error_se;                    /* standard error of `error`; NAN: unknown */
    struct tamis_baselines baseline, test_baseline;     /* on the training rows, on the test rows */
    double test_all_inputs, test;       /* on the test rows; NAN: none */
    struct tamis_class_error held_class, held_class_baseline;   /* of training rows, held out fold by fold */
    struct tamis_class_error test_class, test_class_baseline;
    double nested_all_inputs;           /* mean over outer folds of the error with all inputs; NAN: none */
    double nested;                      /* with the chosen ones, corrected for folds that learn from fewer rows */
    double nested_se;                   /* standard error of `nested` */
    size_t outer_folds, outer_repeats;
    double stability;                   /* of the sets that resamples or outer folds chose, 1 is perfect; NAN: none */
    size_t trials;                      /* the outer folds, or else the resamples */
    tamis_trial_info *trial;
    unsigned char *trial_set;           /* trials x inputs */

    tamis_model *model;                 /* fitted on the chosen inputs; NULL: none */
    /* NULL, or for each training row the prediction (standardised, or the class) by a model not fitted on it. */
    double *held_out;
    struct tamis_held *held;            /* what made them: models without each fold; NULL: none */
    size_t held_rows, *held_row;        /* the same for users: rows of the table, predictions in the target's units */
    double *held_prediction;

    const char *block_name;             /* of the method's own block */
    tamis_value *block;                 /* this and the following: records; NULL: none */
    tamis_value *rule, *cost;           /* how the size was chosen, what the inputs cost */
    tamis_value *outer, *bootstrap;     /* nested validation and resamples */
    tamis_value *probabilities;         /* of classes (probabilities.c) */
    tamis_value *intervals;             /* around numbers (intervals.c) */
    tamis_value *tests;                 /* p-values of single inputs */
    tamis_value *stable;                /* stability selection */
    tamis_value *evidence;              /* see evidence.h */
    char **note;                        /* remarks for the user */
    size_t notes;
    double seconds;
    int threads;
    tamis_value *value;                 /* all of the above */
};

struct tamis_result *tamis_result_new(tamis_context *cx, const struct tamis_design *d);
/* A new record for the method's own block under this name, or NULL with the sentence in cx. */
tamis_value *tamis_result_block(tamis_context *cx, struct tamis_result *r, const char *name);
/* Marks set[] as selected and ranks the inputs: the selected by relevance, then the others by `order` (larger is
 * better; NAN comes last, unranked). */
int tamis_result_rank(tamis_context *cx, struct tamis_result *r, const unsigned char *set, const double *relevance,
                      const double *order);
int tamis_result_notes(tamis_context *cx, struct tamis_result *r);      /* takes the context's notes over */
/* Allocates a path of `steps` sets with `changes` changes of inputs in all. */
int tamis_result_path(tamis_context *cx, struct tamis_result *r, size_t steps, size_t changes);
/* The errors that are known, their keys after `before`. */
void tamis_add_baselines(tamis_value *to, const char *before, const struct tamis_baselines *b);
/* One number per input: {"x1": 0.8, ...}. */
void tamis_add_by_input(tamis_value *to, const char *key, const struct tamis_encoder *e, const double *x);
/* The names of the inputs in set[], as a list. */
void tamis_add_set(tamis_value *to, const char *key, const struct tamis_encoder *e, const unsigned char *set);

#endif
