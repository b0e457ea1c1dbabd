/* A comparison of methods on the same outer folds: the object behind tamis_compare. */
#ifndef TAMIS_COMPARISON_H
#define TAMIS_COMPARISON_H

#include "select/resample.h"

struct tamis_contender {
    char *label;                        /* as the user named it: "search:criterion=mi" */
    char *failed;                       /* NULL, or why it failed; then only the label is known */
    struct tamis_trial *trial;
    struct tamis_trials_summary summary;
    tamis_value *value;                 /* method, error, inputs, ..., seconds */
};

struct tamis_difference {
    size_t a, b;                        /* contenders; a has the smaller error */
    double difference, p, p_adjusted;   /* p_adjusted: Holm, over all pairs */
};

struct tamis_comparison {
    size_t contenders, differences, folds, repeats;
    struct tamis_contender *contender;
    struct tamis_difference *difference;
    struct tamis_resample *resample;
    int classes;                        /* classification */
    tamis_value *value;
};

/* The labels of the methods to compare: those named, or all for the task. The caller frees the list but not the
 * labels. */
const char **tamis_contenders_list(tamis_context *cx, const tamis_table *data, const tamis_options *o,
                                   const struct tamis_names *named, size_t *count);
/* The options of one contender: those given that its method takes, its name, and the options in its label. */
tamis_options *tamis_contender_options(tamis_context *cx, const tamis_options *given, const char *label);
/* TAMIS_USAGE for an option that no contender takes. */
int tamis_contenders_usage(tamis_context *cx, const tamis_options *o, const char **label, size_t count);

extern const struct tamis_option tamis_compare_options[];

#endif
