/* What the parts of sift share: the run, the choice, the answer. */
#ifndef TAMIS_SIFT_H
#define TAMIS_SIFT_H

#include "method/sift/sift_mix.h"
#include "base/parallel.h"
#include "num/excess.h"
#include "select/constraints.h"
#include "select/method.h"

struct sift_settings { double se, empty_se, clear, stable; size_t folds, learn, centres, splits; const char *final; };

/* Of a logistic regression: the width of its Gaussians in columns^-1/2 (0: it has none, but is linear), its penalty
 * per row, and how many Gaussians it has at most. */
struct sift_logistic { double width, penalty; size_t centres; };

/* Errors of models of the same set with more and more basis functions. */
struct sift_rung {
    size_t centres;                     /* of the network; SIZE_MAX: a linear model of the inputs instead */
    int refined;                        /* the network is learnt anew, of the chosen inputs alone and on more rows */
    struct sift_logistic logistic;      /* of classes; penalty 0: it is none */
    size_t functions;                   /* basis functions of the model of all rows */
    double *loss;                       /* observations: squared errors, or of classes log losses */
    double *prediction;                 /* rows */
    struct tamis_model **model;         /* of each fold of the first split */
};

struct sift {
    struct tamis_run *run;
    struct sift_settings s;
    struct sift_ground ground;
    struct tamis_constraints limits;
    struct sift_progress progress;
    double *target, *base, *back;
    size_t *network_size;               /* sizes of the network's sets */
    size_t *fold;                       /* splits x rows */
    struct sift_trail *all;             /* on all rows */
    struct sift_trail **trail;          /* splits x folds: without each fold */
    size_t splits;                      /* done */
    size_t observations, *observation;  /* independent ones: rows (of this process), or groups of rows; of each row */
    double *per;                        /* observations: weight of the rows of each */
    double *counts;                     /* observations: mean weight of those rows; NULL: every row counts once */
    double worth;                       /* as many observations of equal weight say as much */
    double *loss;                       /* sizes of `all` x observations: mean over splits and rows of a group */
    double *weight;                     /* rows: 1, or less for an outlier, a row that no size comes near */
    double *relevance, *order, *share;
    unsigned char *set;
    size_t chosen;                      /* index of a size of `all`; the last: no input helps */
    double *dense;                      /* observations: losses of a ridge regression on all inputs; NULL: not made */
    double *dense_prediction;           /* rows */
    int all_inputs;                     /* the answer is all inputs: no small set does as well */
    size_t rungs, rung;                 /* the ladder of final models, and the one taken */
    struct sift_rung *ladder;
};

enum { SIFT_WIDE_TABLE = 200 };
/* More inputs than can be told apart: no network, and all inputs together are a possible answer. */
static inline int sift_is_wide(const struct sift *s)
{
    return s->run->design->inputs > SIFT_WIDE_TABLE && tamis_design_all_rows(s->run->design) <= SIFT_SMALL;
}
/* Observations of all processes. */
static inline size_t sift_observations(const struct sift *s)
{
    const struct tamis_spread *spread = s->run->design->spread;
    return tamis_spread_shared(spread) ? spread->all : s->observations;
}
/* Index of the empty set, or of what must stay. */
static inline size_t sift_empty(const struct sift *s) { return s->all->sizes - 1; }
/* What output c of a model takes from output o of a fit, and its constant: score_c = base + sum_o back out_o, for the
 * first of two classes the opposite of the second. */
static inline double sift_back(const struct sift *s, size_t c, size_t o)
{
    const struct sift_frame *f = &s->ground.frame;
    return s->run->design->encoder->classes == 2 ? (c ? 1 : -1) * f->back[0] : f->back[c + f->levels * o];
}
static inline double sift_base(const struct sift *s, size_t c)
{
    const struct sift_frame *f = &s->ground.frame;
    return s->run->design->encoder->classes == 2 ? (c ? f->base[0] : 1 - f->base[0]) : f->base[c];
}
/* Calls body for 0 .. folds - 1: in parallel, or in order where rows are spread, as folds then talk to others. */
int sift_folds_each(const struct sift *s, size_t folds, tamis_body *body, void *arg);
/* Rows of fold k of a split, or (other != 0) all the others; how many. */
size_t sift_fold_rows(const struct sift *s, size_t split, size_t k, int other, size_t *row);
/* The set of as many inputs as the chosen one that fold k of the first split has selected by itself. */
const unsigned char *sift_fold_set(const struct sift *s, size_t k);
/* With --loss: losses by row become those of the predicted classes, or of the scores (rows x scores of the frame) in
 * the folds of the first split. */
int sift_class_losses(const struct sift *s, const double *prediction, const double *score, double *row_loss);
/* Losses by row (weighted) to losses by observation. */
void sift_observe(const struct sift *s, const double *row_loss, double *loss);
/* Of losses by observation: their mean, and that of a - b over its standard error (num/excess.h). */
static inline double sift_mean(const struct sift *s, const double *loss)
{
    return tamis_shared_mean(s->run->design->spread, loss, s->counts, s->observations);
}
static inline double sift_excess(const struct sift *s, const double *a, const double *b)
{
    return tamis_shared_excess_ratio(s->run->design->spread, a, b, s->counts, s->observations);
}
static inline double sift_firm_excess(const struct sift *s, const double *a, const double *b)
{
    return tamis_shared_firm_excess_ratio(s->run->design->spread, a, b, s->counts, s->observations);
}

size_t sift_outputs(const struct tamis_design *d);      /* how many (sift_target.c) */
void sift_target_fill(struct sift *s);                  /* target, base and back */
int sift_candidates_find(struct sift *s);               /* ground.in (sift_candidates.c) */

/* The size, by the losses of all splits so far, and its stable inputs (sift_choose.c). */
int sift_losses_gather(struct sift *s);
void sift_choose(struct sift *s);
int sift_settled(const struct sift *s);                 /* whether the folds agree on every input */
int sift_bring_back(struct sift *s);                    /* inputs that the set cannot do without */
double sift_behind(const struct sift *s, size_t k);     /* standard errors by which it loses to the best size */
double sift_evidence(const struct sift *s, size_t k);   /* log evidence of a size over none, less the price of inputs */
/* Losses of a set by row (rows; with --loss, that loss), its model fitted in every fold of the first split. */
int sift_set_losses(struct sift *s, const unsigned char *set, double *row_loss);

/* The model of a set on all rows, from the trail of all rows. Call sift_whole_free even if it fails. */
struct sift_whole { struct sift_mix mix; size_t *row; };
int sift_whole_make(struct sift *s, const unsigned char *set, struct sift_whole *w);
void sift_whole_free(struct sift_whole *w);

/* Ridge regression on all inputs in every fold: s->dense, if the table is not too large for it. And its model.
 * (sift_dense.c) */
int sift_dense_losses(struct sift *s);
struct tamis_model *sift_dense_model(struct sift *s, const size_t *row, size_t rows);

/* The ladder of models of the chosen set, and the rung taken: the fewest basis functions within one standard error of
 * the best (sift_final.c). And the model of a set on all rows, with its relevances. */
int sift_ladder(struct sift *s);
void sift_rung_free(const struct sift *s, struct sift_rung *r);
struct tamis_model *sift_final_model(struct sift *s);
struct tamis_model *sift_largest_model(struct sift *s);

/* Least squares on the columns of a set (sift_linear.c): losses by row, each fold of the first split with its own set,
 * 0 if a fold has too few rows; its model. */
int sift_linear_losses(struct sift *s, double *row_loss, double *prediction);
struct tamis_model *sift_linear_model(struct sift *s, const unsigned char *set, const size_t *row, size_t rows);

/* Of classes: the log loss and the predicted class of every row by the models of the folds (sift_rate.c). */
int sift_rung_rate(struct sift *s, struct sift_rung *r);

/* Logistic regression of classes (sift_logistic.c): the best linear one and (kernel may be NULL) the best one with
 * Gaussians by their log loss in the folds of the first split; the model of a set on row[0..n-1]. */
int sift_logistic_search(const struct sift *s, struct sift_logistic *linear, struct sift_logistic *kernel);
struct tamis_model *sift_logistic_model(const struct sift *s, const struct sift_logistic *how, const unsigned char *set,
                                        const size_t *row, size_t n);
/* The basis functions that it would have, without fitting it. */
size_t sift_logistic_functions(const struct sift *s, const struct sift_logistic *how, const unsigned char *set,
                               const size_t *row, size_t n);

int sift_held_keep(struct sift *s);                     /* the models of the folds, to the result (sift_held.c) */
int sift_answer(struct sift *s);                        /* the result (sift_answer.c) */

/* The finished trails to the checkpoint, and from it; if the file does not exist yet, an empty one is made.
 * (sift_checkpoint.c) */
int sift_checkpoint_save(struct sift *s);
int sift_checkpoint_load(struct sift *s);

double sift_se(const struct tamis_run *run);             /* --se */
/* A method's why_not (sift_smaller.c). */
void sift_why_not(const struct tamis_run *run, size_t step, struct tamis_text *t);

#endif
