/* The network of sift: one weight per input, learnt by marginal likelihood (num/gp.h). */
#ifndef TAMIS_SIFT_NET_H
#define TAMIS_SIFT_NET_H

#include <math.h>
#include <stdatomic.h>
#include "data/design.h"
#include "num/gp.h"
#include "num/excess.h"

/* Outliers: a residual beyond SIFT_FAR robust standard deviations is pulled in to SIFT_NEAR of them. */
#define SIFT_FAR 4.0
#define SIFT_MAD_TO_SD 1.4826  /* of a normal distribution */
#define SIFT_NEAR 2.5

static inline int sift_far(double residual, double sd) { return fabs(residual) > SIFT_FAR * sd; }
static inline double sift_pulled(double residual, double sd) { return copysign(SIFT_NEAR * sd, residual); }

/* Units done by all trails of a run: those of a network about one per evaluation of the likelihood. */
struct sift_progress { atomic_size_t done; size_t total; };

/* What all paths of a run share. */
struct sift_frame {
    tamis_context *cx;
    const struct tamis_design *design;
    size_t outputs;             /* 1, or one per class if there are more than two */
    const double *target;       /* rows x outputs: mean 0, variance 1 each */
    /* from outputs to targets or class scores: score_c = base_c + sum_o back[c + levels o] out_o */
    size_t levels;              /* targets; 1 for two classes, the score of the second; else the classes */
    const double *base, *back;
    size_t scores;              /* classes whose scores are kept, to choose the size by probabilities; 0: none are */
    size_t sizes;               /* of the sets on the path, falling, the last 1 */
    const size_t *size;
    size_t learn;               /* rows that weights are learnt on, at most */
    uint64_t seed;
    struct sift_progress *progress;     /* NULL: not reported */
};

void sift_progress_add(const struct sift_frame *f, size_t units);

/* What the outputs out[0], out[stride], ... predict: the (first) target in units of the design, or the class. */
double sift_prediction(const struct sift_frame *f, const double *out, size_t stride);

/* Losses (squared errors, summed over outputs) and predictions of the rows held[0..m-1] from out (m x outputs). */
void sift_losses(const struct sift_frame *f, const size_t *held, size_t m, const double *out, double *loss,
                 double *prediction);

/* Scores of the classes (m x f->scores) from out. */
void sift_scores(const struct sift_frame *f, size_t m, const double *out, double *score);
/* The same to the rows held[0..m-1] of score (all rows x f->scores). */
void sift_scores_keep(const struct sift_frame *f, const size_t *held, size_t m, const double *out, double *score);

/* Up to so many times the rows that a network learns from, it learns from all of them. */
#define SIFT_SLACK 1.25
enum { SIFT_REFINED = 1000 };   /* rows that a network of the chosen inputs alone learns from */

enum { SIFT_LANES = 2 };        /* starts that are learnt from at once */

/* A network under way. Weights belong to inputs; the columns of a category share one. */
struct sift_net {
    const struct sift_frame *f;
    size_t n, columns, inputs;          /* rows learnt on; columns and inputs of the set */
    size_t *input, *column_input;       /* inputs of the set; for each of its columns, the place of its input there */
    size_t *column;                     /* columns of the design */
    double *x, *y;                      /* n x columns, n x outputs */
    double *weight;                     /* n: what each row counts, their sum what they are worth; NULL: once */
    double *theta;                      /* inputs + 2: log w, log a, log s */
    double *last;                       /* the theta that gp is at; its slope is known if `sloped` */
    double *wide, *slope;               /* columns + 2: the same per column */
    double *least, *most, *memory;      /* bounds of theta; of gp */
    double *lane_theta[SIFT_LANES], *lane_work[SIFT_LANES], lane_value[SIFT_LANES];
    size_t lanes;
    size_t used;                        /* rows that gp has: n, or those of a sample */
    double worth;                       /* observations of equal weight that these rows are worth */
    size_t curved;                      /* rows that lane_work[0] has learnt curvature from; 0: it has none */
    int known, sloped;
    size_t quota;                       /* units of progress left to it */
    double value;                       /* L at theta, after sift_net_settle */
    double spread;                      /* variance of y, mean over outputs */
    double far;                         /* residuals beyond this were pulled in; infinite: none was */
    struct tamis_gp gp;
};

int sift_net_room(struct sift_net *t, const struct sift_frame *f, size_t n);
void sift_net_free(struct sift_net *t);

/* The next `units` of progress belong to this network: one per evaluation until they are used up. What is left of the
 * last quota counts as done. */
void sift_net_quota(struct sift_net *t, size_t units);

/* Takes the inputs of set, on the first t->n rows of row; theta is left for the caller to fill. What has been learnt of
 * the curvature stays for the inputs that stay, if no others come. */
void sift_net_take(struct sift_net *t, const unsigned char *set, const size_t *row);
void sift_net_targets(struct sift_net *t, const size_t *row);

/* Starting values in theta: equal weights; or weights on the inputs in `on`, hardly any on the others. */
void sift_net_equal(struct sift_net *t);
void sift_net_around(struct sift_net *t, const unsigned char *on, double weight);

/* From now on the network learns from a sample of its rows, or from all of them. 0: there are too few rows to sample
 * from. On a sample a network can learn, not predict. */
int sift_net_sample(struct sift_net *t);
void sift_net_all(struct sift_net *t);

/* L at theta, of the rows that are in use. */
double sift_net_value(struct sift_net *t);

/* Raises the smallest weights where that should lower L at once; how many. */
size_t sift_net_wake(struct sift_net *t);

/* Learning as a race: every start gets a few steps, and the best goes on. sift_net_enter takes the first steps from
 * theta. */
void sift_net_enter(struct sift_net *t);
void sift_net_near(struct sift_net *t);         /* the same as the first start, with the curvature learnt last */
double sift_net_leading(const struct sift_net *t);       /* L of the start that leads */
double sift_net_finish(struct sift_net *t, size_t iterations, double gain);

/* Brings t->gp to theta, with the gradient if `slope`; what is known already is not computed again. */
void sift_net_settle(struct sift_net *t, int slope);

/* Pulls in targets with far leave-one-out residuals; how many. */
size_t sift_net_pull_in(struct sift_net *t);

/* Root mean square of the derivatives of the network with respect to each input of the set, over rows, and root of the
 * sum over outputs and the columns of a category. */
int sift_net_relevance(struct sift_net *t, double *relevance);

/* Predictions out (m x outputs) for the m rows held[] of the design; work: sift_net_predict_size doubles. */
size_t sift_net_predict_size(const struct sift_net *t, size_t m);
void sift_net_predict(struct sift_net *t, const size_t *held, size_t m, double *out, double *work);

double sift_net_empty(const struct sift_net *t);        /* L without inputs, a mean and noise, of the rows in use */

#endif
