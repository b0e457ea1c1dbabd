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
    struct sift_progress progress;
    double *target, *centre;
    size_t *size, *fold, *row;          /* row: folds + 1 lists of rows, those held out last in each */
    size_t *training, *held;            /* rows of each list that are learnt from, and that are held out */
    struct sift_path **path;            /* folds + 1, the last on all rows */
    size_t measured;                    /* held-out rows of all folds */
    double *loss, *error;               /* (sizes + 2) x measured: every size, the empty set, the linear model */
    double *weight;                     /* measured: 1, or less for an outlier, a row that no size comes near */
    double *prediction;                 /* measured: of the linear model */
    double *relevance, *order, *share;
    unsigned char *set;
    size_t chosen;                      /* index of a size; frame.sizes: the empty set */
    int linear;                         /* the final model is linear */
};

/* Which size, and which of its inputs the folds agree on (sift_choose.c). */
int sift_choose(struct sift *s);
double sift_evidence(const struct sift *s, size_t k);   /* log evidence of a size over none, less the price of inputs */

/* Cross-fitted errors of the linear model of the chosen size, after those of the empty set; 0: a fold has too few rows
 * for it. And that model of the chosen set. (sift_linear.c) */
int sift_linear_errors(struct sift *s);
struct tamis_model *sift_linear_model(struct sift *s);

/* The result (sift_answer.c). */
int sift_answer(struct sift *s);

/* The finished paths to the checkpoint, and from it; if the file does not exist yet, an empty one is made.
 * (sift_checkpoint.c) */
int sift_checkpoint_save(struct sift *s);
int sift_checkpoint_load(struct sift *s);

/* Units of progress: every path, perhaps the one of all rows again, checks of the set, the final network. */
static inline size_t sift_total_units(const struct sift *s)
{
    return (s->s.folds + 3) * sift_path_evaluations(&s->frame);
}

#endif
