/* What the parts of sift share: the run, the choice, the answer. */
#ifndef TAMIS_SIFT_H
#define TAMIS_SIFT_H

#include "select/method.h"
#include "method/sift/sift_path.h"

struct sift_settings { double se, empty_se, clear, stable; size_t folds, learn, fit; const char *final; };

struct sift {
    struct tamis_run *run;
    struct sift_settings s;
    struct sift_frame frame;
    double *target, *centre;
    size_t *size, *fold, *row;          /* row: folds + 1 lists of rows, those judged last in each */
    size_t *training, *held;            /* rows of each list that are learnt from, and that are judged */
    struct sift_path **path;            /* folds + 1, the last on all rows */
    size_t judged;                      /* rows that errors are measured on */
    double *loss,
        *error; /* (sizes + 2) x judged, as in a path: every size, then the empty set, then the linear model */
    double *weight;                     /* judged: 1, or less for an outlier, a row that no size comes near */
    double *guess;                      /* judged: what the linear model predicts */
    double *relevance, *order, *share;
    unsigned char *set;
    size_t chosen;                      /* index of a size; frame.sizes: the empty set */
    int linear;                         /* the final model is linear */
};

/* Which size, and which of its inputs the folds agree on (sift_choose.c). */
int sift_choose(struct sift *s);
double sift_net_gain(const struct sift *s,
                     size_t k); /* log evidence of a size over the empty set, less the price of its inputs */
double sift_excess(const double *a, const double *b,
                   size_t n); /* mean of a - b over its standard error; 0 where the two are the same */

/* Cross-fitted errors of the linear model of the chosen size, after those of the empty set; and that model of the
 * chosen set. 0: there are too few rows for it. (sift_linear.c) */
int sift_linear_errors(struct sift *s);
struct tamis_model *sift_linear_model(struct sift *s);

/* The result (sift_answer.c). */
int sift_answer(struct sift *s);

/* The finished paths to the checkpoint, and from it; where there is no file yet, an empty one is made.
 * (sift_checkpoint.c) */
int sift_checkpoint_save(struct sift *s);
int sift_checkpoint_load(struct sift *s);

#endif
