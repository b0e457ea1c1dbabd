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
    size_t rows;                        /* classification: rows that only one of the two got wrong */
};

struct tamis_comparison {
    size_t contenders, differences, folds, repeats;
    struct tamis_contender *contender;
    struct tamis_difference *difference;
    struct tamis_resample *resample;
    int classes;                        /* classification */
    tamis_value *unfit;                 /* [{"method", "why"}]: methods that cannot learn the target */
    tamis_value *value;
};

/* The labels of the methods to compare: those named, or all. The caller frees the list but not the labels. plain: a
 * prepared run of the default method on the same table. */
const char **tamis_contenders_list(const struct tamis_run *plain, const struct tamis_names *named, size_t *count);
/* Why a contender cannot learn the target, as "not for 3 classes"; empty: it can. */
int tamis_contender_unfit(const struct tamis_run *plain, const tamis_options *given, const char *label,
                          char why[TAMIS_UNFIT]);
/* The options of one contender: those given that its method takes, its name, and the options in its label. */
tamis_options *tamis_contender_options(tamis_context *cx, const tamis_options *given, const char *label);
/* TAMIS_USAGE for an option that no contender takes. */
int tamis_contenders_usage(tamis_context *cx, const tamis_options *o, const char **label, size_t count);

/* Fills x->difference; then adds "test", "better" and "resolution" to the value (differences.c). */
int tamis_differences_fill(tamis_context *cx, struct tamis_comparison *x);
void tamis_differences_add(struct tamis_comparison *x);

extern const struct tamis_option tamis_compare_options[];

#endif
