/* Models that each learnt without one fold of the rows. What a result says about rows it has not seen rests on them:
 * predictions of held-out rows, importances, probabilities, intervals. */
#ifndef TAMIS_HELD_H
#define TAMIS_HELD_H

#include "model/model.h"

struct tamis_run;

struct tamis_held {
    size_t rows, folds;
    size_t *fold;                       /* of each row of the design */
    struct tamis_model **model;         /* of each fold: learnt from the rows outside it */
};

/* Without folds or models yet; the caller fills them. */
struct tamis_held *tamis_held_new(tamis_context *cx, size_t rows, size_t folds);
void tamis_held_free(struct tamis_held *h);
/* run->result->held, unless the method has filled it: the answer fitted again without each of five folds. It stays NULL
 * where that cannot be done. */
int tamis_held_fill(struct tamis_run *run);
/* *m: the answer fitted again with the inputs in set[], from the rows outside fold k. */
int tamis_held_refit(struct tamis_run *run, const unsigned char *set, const size_t *fold, size_t k,
                     struct tamis_model **m);
/* Adds the flops of that, and of the importances that follow, to those of the run. */
int tamis_held_cost(struct tamis_run *run, double *flops);
/* For a method that follows a path: options under which the inputs in set[] are all selected. */
void tamis_path_skip(const struct tamis_run *run, const unsigned char *set, tamis_options *o);
/* What the model makes of the rows of x (its own columns, standardised by its encoder) in the units of e, the encoder
 * of the run: rows x outputs. */
int tamis_held_apply(tamis_context *cx, const struct tamis_model *m, const struct tamis_encoder *e, double *x,
                     size_t rows, double *out);

/* result->error_se of a method that has none, if its error is a mean loss of rows not seen: that of the losses of all
 * rows by run->result->held. */
int tamis_held_error_se(struct tamis_run *run);

/* Of a classifier: the model's calibrator, result->probabilities and the measures in the result (probabilities.c). */
int tamis_probabilities_fill(struct tamis_run *run);
/* score (rows x classes): what the model makes of the rows of d in fold k (fold NULL: of all). */
int tamis_fold_scores(tamis_context *cx, const struct tamis_model *m, const struct tamis_design *d, const size_t *fold,
                      size_t k, double *score);
/* In regression: the model's residuals and result->intervals (intervals.c). */
int tamis_intervals_fill(struct tamis_run *run);

/* inputs[].importance of the result: how much the error on rows that a model has not seen grows when one input takes
 * the values of other rows (importance.c). */
int tamis_importance_fill(struct tamis_run *run);

#endif
