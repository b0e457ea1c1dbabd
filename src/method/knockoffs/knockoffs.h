/* What the parts of the method share: the inputs as numbers, their joint law, draws of knockoffs, statistics, e-values.
 */
#ifndef TAMIS_KNOCKOFFS_H
#define TAMIS_KNOCKOFFS_H

#include "base/rng.h"
#include "select/method.h"

struct knockoffs_settings { double q; size_t draws; const char *statistic; };

/* ---- the law of the inputs (knockoffs_law.c) ---- */

/* A Gaussian copula: column j of x is an increasing function of z_j, z ~ N(0, Sigma). A column with few values only
 * says between which bounds z_j lies. */
struct knockoffs_law {
    tamis_context *cx;
    size_t n, d;
    const double *x;                    /* n x d */
    const double *weight;               /* n: what each row counts; NULL: once */
    size_t *order;                      /* n x d: the rows of each column by value */
    unsigned char *tied;                /* d: has few values */
    size_t ties;                        /* such columns */
    double *low, *high;                 /* d x n: bounds of z; NULL: no column has few values */
    double *z;                          /* d x n: scores, of tied columns one possible value */
    double *sigma, *precision;          /* d x d */
    double *s;                          /* d: Cov(x, x~) = Sigma - diag(s) */
    double *b, *l;                      /* d x d: x~ given x ~ N(B x, L L') */
    double lambda, most;                /* how far Sigma was shrunk, and could be */
    int equal;                          /* s is the same for all inputs */
};

/* The scores and their correlation alone; knockoffs_law_make: also the law of knockoffs. most: of the shrinking. */
int knockoffs_law_fit(tamis_context *cx, size_t n, size_t d, const double *x, const double *weight, double most,
                      uint64_t seed, struct knockoffs_law *law);
int knockoffs_law_make(tamis_context *cx, size_t n, size_t d, const double *x, const double *weight, uint64_t seed,
                       struct knockoffs_law *law);
void knockoffs_law_free(struct knockoffs_law *law);
double knockoffs_law_bytes(size_t n, size_t d);

/* One more possible value of the scores of tied columns in z (d x n): a sweep of the Gibbs sampler. */
int knockoffs_latent_sweep(const struct knockoffs_law *law, struct tamis_rng *g, double *z);
/* Knockoffs of all rows: out (n x d), every column a permutation of that of x (with weights, of the same values in
 * nearly the same shares of the weight). draw: which of the draws. */
int knockoffs_draw(const struct knockoffs_law *law, uint64_t seed, size_t draw, double *out);

/* ---- the statistic (knockoffs_statistic.c) ---- */

/* What the inputs are to explain: n x l, uncorrelated, of mean 0 and variance 1. */
struct knockoffs_target {
    const struct tamis_design *design;
    size_t l;
    double *y;
    int linear;                         /* by their linear effects alone */
};
int knockoffs_target_make(struct tamis_run *run, struct knockoffs_target *t);

/* W (d) of originals x and knockoffs k, both n x d. Changes its sign, and nothing else does, where columns change
 * places; 0 where they are equal. */
int knockoffs_statistic(tamis_context *cx, const struct knockoffs_target *t, size_t d, const double *x, const double *k,
                        double *w);

/* From the statistics of the draws (d x draws) to mean e-values e (d) and the set (d) that they choose at q; how
 * many. */
size_t knockoffs_choose(size_t d, size_t draws, const double *w, double q, double *e, unsigned char *set);

/* ---- the run ---- */

static const double knockoffs_draws_end = 0.8;  /* of the progress scale; the rest is for the model */

struct knockoffs {
    struct tamis_run *run;
    struct knockoffs_settings s;
    size_t d, *input;                   /* candidates: inputs that vary, and which they are */
    double *x;                          /* rows x d */
    struct knockoffs_law law;
    struct knockoffs_target target;
    double *w;                          /* d x draws: statistics */
    double *e;                          /* d: the mean e-value */
    unsigned char *set;                 /* inputs of the run */
    size_t chosen;
};

/* The model of the chosen inputs, and the result (knockoffs_answer.c). */
int knockoffs_answer(struct knockoffs *k);

#endif
