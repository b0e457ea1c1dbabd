/* From a table to numbers: which columns are inputs, indicator columns for categories, standardising from training rows.
 *
 * An *input* is what a user chooses or leaves: a column of the table. A *column* of the design is a number: one for an input of
 * numbers, one indicator a level for a category. Standardising: z = (x - mean) / scale with divisor N; a constant column has scale 1
 * and becomes zeros. */
#ifndef TAMIS_DESIGN_H
#define TAMIS_DESIGN_H

#include "data/table.h"

/* One input, as a model remembers it. */
struct tamis_feature {
    char *name;
    size_t levels;              /* 0: numbers */
    char **level;
    size_t first, columns;      /* its columns of the design */
    int constant;
};

/* All that turns a row of some table into standardised numbers, and a prediction back into the target's units. */
struct tamis_encoder {
    size_t inputs, columns;
    struct tamis_feature *input;
    double *mean, *scale;       /* a column */
    char *target;
    double target_mean, target_scale;
    size_t classes;             /* 0: regression */
    char **class_name;
};

struct tamis_design {
    struct tamis_encoder *encoder;
    size_t rows, columns, inputs;
    double *x;                  /* rows x columns, column-major */
    double *y;                  /* standardised target, or the index of the class */
};

/* Names and types from the table; means and scales not yet. `inputs` empty: all columns but the target and `ignore`.
 * force: -1 task by the target's type, 0 regression, 1 classification. */
struct tamis_roles { const char *target; const char *const *inputs; size_t inputs_count; const char *const *ignore; size_t ignore_count; int force; };
struct tamis_encoder *tamis_encoder_new(tamis_context *cx, const tamis_table *t, const struct tamis_roles *roles);
void tamis_encoder_free(struct tamis_encoder *e);
/* A copy that knows only the inputs in set[]. */
struct tamis_encoder *tamis_encoder_subset(tamis_context *cx, const struct tamis_encoder *e, const unsigned char *set);

/* Rows of t in which the inputs (and, with target != 0, the target) are all there. Caller frees *row. */
int tamis_rows_complete(tamis_context *cx, const struct tamis_encoder *e, const tamis_table *t, int target, size_t **row, size_t *count);

/* Learns means and scales from these rows (standardize 0: 0 and 1) and makes the design. */
struct tamis_design *tamis_design_learn(tamis_context *cx, struct tamis_encoder *e, const tamis_table *t, const size_t *row, size_t rows, int standardize);
/* The design of other rows, with an encoder that has learnt; y is NULL unless `target` != 0. The encoder stays the caller's. */
struct tamis_design *tamis_design_apply(tamis_context *cx, const struct tamis_encoder *e, const tamis_table *t, const size_t *row, size_t rows, int target);
void tamis_design_free(struct tamis_design *d);       /* not its encoder */

/* A seeded share of n rows, at least one and not all: row[0..held-1] held out, the rest kept, both in increasing order. With
 * class_of (an index of its class a row of the table; NULL: none) classes are held out in proportion. */
int tamis_split_holdout(tamis_context *cx, size_t *row, size_t n, const double *class_of, size_t classes, double share, uint64_t seed, size_t *held);

/* fold[i] in 0..folds-1 of each of n rows, seeded, sizes within one of each other; with class_of (an index below classes a row) every
 * class is spread evenly. */
int tamis_split_folds(tamis_context *cx, size_t n, const double *class_of, size_t classes, size_t folds, uint64_t seed, size_t *fold);

#endif
