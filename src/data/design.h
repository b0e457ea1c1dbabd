/* From a table to numbers: which columns are inputs, indicator columns for categories, standardising from training
 * rows.
 *
 * An *input* is what a user selects or not: a column of the table. A *column* of the design is numeric: one for a
 * numeric input, one indicator column per level for a category. Standardising: z = (x - mean) / scale with divisor N; a
 * constant column has scale 1 and becomes zeros.
 *
 * Series: with lags, the inputs of row t are earlier values, x[t-3] being the one three rows back; the table stays as
 * it is, and only the encoder knows the lags.
 *
 * Imputation fills in missing inputs after standardising, from what was learnt on training rows; without it, rows with
 * missing inputs are dropped. Means and scales are those of the values present. */
#ifndef TAMIS_DESIGN_H
#define TAMIS_DESIGN_H

#include "base/spread.h"
#include "data/roles.h"

/* One input, as a model remembers it. */
struct tamis_feature {
    char *name;
    size_t levels;              /* 0: numbers */
    char **level;
    size_t first, columns;      /* its columns of the design */
    int constant;
    char *source;               /* the column of the table, if that is not the name: with lags, and of a part */
    size_t lag;                 /* rows back */
    int date;                   /* enum tamis_date: how its column is written; the numbers are days since 1970 */
    int part;                   /* enum tamis_date_part: of these days; 0: they are the input themselves */
};

enum tamis_impute { TAMIS_IMPUTE_NONE, TAMIS_IMPUTE_MEDIAN, TAMIS_IMPUTE_KNN };

/* The time of the rows of a series (series.h). */
struct tamis_time {
    char *column;               /* of the table; NULL: none */
    int date;                   /* enum tamis_date; 0: plain numbers */
    double step, longest;       /* the usual step from row to row, and from when on it is a gap; 0: unknown */
};

/* All that is needed to turn a row of a table into standardised numbers, and a prediction back into the target's
 * units. */
struct tamis_encoder {
    size_t inputs, columns;
    struct tamis_feature *input;
    double *mean, *scale;       /* one per column */
    char *target;
    double target_mean, target_scale;
    size_t classes;             /* 0: regression */
    char **class_name;
    size_t more;                /* targets after the first, in regression */
    char **more_target;
    double *more_mean, *more_scale;
    int series;                 /* the rows are in time order, and inputs have lags */
    struct tamis_time time;
    int impute;                 /* enum tamis_impute */
    double *fill;               /* one per column: stands for a missing value, standardised; NULL without imputation */
    size_t neighbours;          /* TAMIS_IMPUTE_KNN: how many are averaged */
    size_t donors;              /* and the training rows that they are taken from */
    double *donor;              /* donors x columns, column-major, standardised, NaN where missing */
};

/* Columns of a prediction: the targets, or the scores of the classes. */
static inline size_t tamis_encoder_outputs(const struct tamis_encoder *e)
{
    return e->classes ? e->classes : 1 + e->more;
}

struct tamis_design {
    struct tamis_encoder *encoder;
    size_t rows, columns, inputs;
    double *x;                  /* rows x columns, column-major */
    double *y;                  /* standardised target (rows x targets if there are several), or the class index */
    double *weight;             /* NULL: every row counts once; else row i counts as weight[i] > 0 equal rows */
    size_t *group, groups;      /* NULL, or the group of each row, below groups: rows of a group share a fold */
    int standardized;           /* its encoder learnt means and scales */
    int blocks;                 /* the rows are in an order that folds must keep: time, place */
    int fewer_folds;            /* fewer groups, or rows without groups, than folds: no error, but fewer folds; see
                                   tamis_design_fold_count */
    const struct tamis_spread *spread;  /* NULL, or the rows are a part of those of all processes; without weights */
};

/* Rows of all processes. */
static inline size_t tamis_design_all_rows(const struct tamis_design *d)
{
    return d->spread ? d->spread->all : d->rows;
}

/* The largest |r| of a column of input i with one of input j, over at most `most` rows (likeness.c). */
double tamis_design_likeness(const struct tamis_design *d, size_t i, size_t j, size_t most);

static inline double tamis_row_weight(const struct tamis_design *d, size_t i) { return d->weight ? d->weight[i] : 1; }

static inline size_t tamis_design_outputs(const struct tamis_design *d) { return 1 + d->encoder->more; }

/* Marks the inputs that a method may choose: those that vary in the rows that the encoder learnt from. */
static inline void tamis_design_candidates(const struct tamis_design *d, unsigned char *set)
{
    for (size_t i = 0; i < d->inputs; i++) set[i] = !d->encoder->input[i].constant;
}

/* Names and types from the table; means and scales are not known yet. */
struct tamis_encoder *tamis_encoder_new(tamis_context *cx, const tamis_table *t, const struct tamis_roles *roles);
void tamis_encoder_free(struct tamis_encoder *e);
const char *tamis_input_name(const void *encoder, size_t i);            /* for tamis_hint */
/* A copy with only the inputs in set[]; NULL: all of them. */
struct tamis_encoder *tamis_encoder_subset(tamis_context *cx, const struct tamis_encoder *e, const unsigned char *set);

/* The columns of t of the encoder's inputs, then, with target != 0, of its targets; the caller frees them. NULL, with
 * TAMIS_DATA: one is missing. */
size_t *tamis_encoder_columns(tamis_context *cx, const struct tamis_encoder *e, const tamis_table *t, int target);
/* Rows of t that have all their lags, with no break of time between them (series.h), and in which no input (unless
 * imputed) and, with target != 0, no target is missing. The caller frees *row. */
int tamis_rows_complete(tamis_context *cx, const struct tamis_encoder *e, const tamis_table *t, int target,
                        size_t **row, size_t *count);

/* Learns means and scales from these rows (standardize 0: they are 0 and 1) and makes the design. */
struct tamis_design *tamis_design_learn(tamis_context *cx, struct tamis_encoder *e, const tamis_table *t,
                                        const size_t *row, size_t rows, int standardize);
/* The same with a weight for each of these rows (NULL: none), which the design copies: means are sum w x / sum w. */
struct tamis_design *tamis_design_learn_weighted(tamis_context *cx, struct tamis_encoder *e, const tamis_table *t,
                                                 const size_t *row, size_t rows, const double *weight,
                                                 int standardize);
/* Every process gives its own part of the rows, whose places s knows; the digits are those of one process with all. */
struct tamis_design *tamis_design_learn_spread(tamis_context *cx, struct tamis_encoder *e, const tamis_table *t,
                                               const size_t *row, size_t rows, const struct tamis_spread *s,
                                               int standardize);
/* Copies weights into a design: NULL, and all one, are none. */
int tamis_design_weigh(tamis_context *cx, struct tamis_design *d, const double *weight);
/* The design of other rows, with an encoder that has learnt; y is NULL unless `target` != 0. The caller keeps the
 * encoder. */
struct tamis_design *tamis_design_apply(tamis_context *cx, const struct tamis_encoder *e, const tamis_table *t,
                                        const size_t *row, size_t rows, int target);
/* Whether the target has one value in all rows but one, up to rounding: no other row can confirm what explains it. */
int tamis_target_lone(const struct tamis_design *d);
void tamis_design_free(struct tamis_design *d);       /* not its encoder */
/* Some rows of d as a design of their own: with means and scales of these rows (*e is a new encoder, the caller's), or
 * in the units of an encoder that tamis_design_relearn made from d. */
struct tamis_design *tamis_design_relearn(tamis_context *cx, const struct tamis_design *d, const size_t *row,
                                          size_t rows, struct tamis_encoder **e);
struct tamis_design *tamis_design_part(tamis_context *cx, const struct tamis_design *d, const struct tamis_encoder *e,
                                       const size_t *row, size_t rows);

/* Of a category: the standardised indicator of level l in its column k; the level of a row of z (n rows), that of its
 * largest raw indicator. */
double tamis_level_indicator(const struct tamis_encoder *e, const struct tamis_feature *f, size_t l, size_t k);
size_t tamis_level_of(const struct tamis_encoder *e, const struct tamis_feature *f, const double *z, size_t n,
                      size_t row);

/* The largest lag: rows at the start of a table that lack some inputs. */
size_t tamis_encoder_reach(const struct tamis_encoder *e);

/* Missing values (impute.c): learns what replaces them from a standardised design with NaN where a value is missing,
 * and fills them in. */
int tamis_impute_learn(tamis_context *cx, struct tamis_encoder *e, const struct tamis_design *d);
int tamis_impute_apply(tamis_context *cx, const struct tamis_encoder *e, struct tamis_design *d);

/* A seeded share of n rows, at least one and not all: row[0..held-1] held out, the rest kept, both in increasing order.
 * With class_of (the class index of each row of the table, or NULL) classes are held out in proportion. */
int tamis_split_holdout(tamis_context *cx, size_t *row, size_t n, const double *class_of, size_t classes, double share,
                        uint64_t seed, size_t *held);

/* fold[i] in 0..folds-1 of each of n rows, seeded; sizes differ by at most one. With class_of (the class index of each
 * row, or NULL) every class is spread evenly. */
int tamis_split_folds(tamis_context *cx, size_t n, const double *class_of, size_t classes, size_t folds, uint64_t seed,
                      size_t *fold);

/* Rows that belong together. */
struct tamis_grouping {
    size_t rows;
    const size_t *group;        /* of each row, below groups */
    size_t groups;
    const double *class_of;     /* NULL, or the class index of row i: at row[i], or (row NULL) at i */
    size_t classes;
    const size_t *row;
};
/* Folds that keep groups together: groups in seeded order, the larger first, each to the fold with the fewest rows.
 * Groups of one class are dealt class by class, each to the fold with the fewest rows of its class. TAMIS_USAGE: fewer
 * groups than folds. */
int tamis_split_group_folds(tamis_context *cx, const struct tamis_grouping *s, size_t folds, uint64_t seed,
                            size_t *fold);
/* The number of folds where equal rows may leave fewer groups: `folds` or, with a note, `groups`. */
size_t tamis_fold_count(tamis_context *cx, size_t groups, size_t folds);
/* Folds of consecutive rows. */
int tamis_split_blocks(tamis_context *cx, size_t n, size_t folds, size_t *fold);

/* The folds of a design's rows: by its groups, in blocks if its order matters (as in a series), else by class. */
int tamis_design_folds(tamis_context *cx, const struct tamis_design *d, size_t folds, uint64_t seed, size_t *fold);
size_t tamis_design_fold_count(tamis_context *cx, const struct tamis_design *d, size_t folds);  /* call it first */
/* Numbers the groups of rows `row` of t by the values in its column. TAMIS_DATA: one is missing. */
int tamis_groups_number(tamis_context *cx, const tamis_table *t, size_t column, const size_t *row, size_t rows,
                        size_t *group, size_t *groups);
/* first[i]: the first of these rows that equals row i in all inputs and targets, or i where chance explains as many
 * equal rows (equal_rows.c). *repeated: rows equal to an earlier one, explained or not. */
int tamis_rows_first(tamis_context *cx, const struct tamis_encoder *e, const tamis_table *t, const size_t *row,
                     size_t rows, size_t *first, size_t *repeated);
/* Rows equal to another in all inputs and targets, without the guard, where rows are spread; by 64-bit hashes, so that
 * one among N unequal rows is counted by mistake with a probability of N^2 / 4e19. Of values x[i * step]: exactly. */
int tamis_rows_repeated(tamis_context *cx, const struct tamis_encoder *e, const tamis_table *t, const size_t *row,
                        size_t rows, const struct tamis_spread *s, size_t *repeated);
int tamis_values_repeated(const struct tamis_spread *s, const double *x, size_t step, size_t rows, size_t *repeated);
/* The groups of each row and of the first row that equals it become one, numbered again in their order. */
int tamis_groups_join(tamis_context *cx, const size_t *first, size_t rows, size_t *group, size_t *groups);
/* Joins the groups (on entry below *groups; every row may be a group of its own) of rows that are equal in all inputs
 * and targets, unless chance explains them (equal_rows.c). *repeated: rows equal to an earlier one, joined or not. A
 * million rows of 20 inputs take 0.1 to 0.5 s and 60 MB. */
int tamis_groups_join_equal(tamis_context *cx, const struct tamis_encoder *e, const tamis_table *t, const size_t *row,
                            size_t rows, size_t *group, size_t *groups, size_t *repeated);
/* Holds out whole groups, in seeded order, until the share of rows is reached; groups of one class in proportion. row:
 * in increasing order; then as from tamis_split_holdout. */
int tamis_split_group_holdout(tamis_context *cx, const struct tamis_grouping *s, size_t *row, double share,
                              uint64_t seed, size_t *held);

/* Holds out the last share of n rows in time order; rows as from tamis_split_holdout. */
int tamis_split_last(tamis_context *cx, size_t *row, size_t n, double share, size_t *held);

#endif
