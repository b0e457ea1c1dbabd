/* A network on its way along a path of sift, and what the parts of a path do with it: learning (sift_learn.c), who
 * leaves (sift_screen.c), what it is worth (sift_score.c), the model in the end (sift_model.c). */
#ifndef TAMIS_SIFT_WALK_H
#define TAMIS_SIFT_WALK_H

#include "method/sift/sift_path.h"

struct sift_walk {
    const struct sift_frame *f;
    struct sift_net net;                /* weights are learnt in this one */
    struct sift_net large;              /* the same weights on more centres, for predictions; only if centres > 0 */
    size_t centres;                     /* of `large`; 0: the network that learns also predicts */
    size_t *row, rows;                  /* rows of the path, shuffled if only some are learnt from */
    const size_t *held;                 /* m rows that errors are measured on */
    size_t m;
    const double *start;                /* NULL, or one more start for the first network */
    size_t second;                      /* 1: the first step screens, the second learns from scratch; 0: no screening */
    double best;                        /* least L on the path so far */
    double moved;                       /* squared, by inputs that have left since its predictions were last made */
    double *relevance;                  /* inputs of the network: root mean square derivative */
    double *merit;                      /* inputs of the network: the lowest leave first */
    double *weight;                     /* inputs of the design: log w when last in the network */
    double *spare;                      /* inputs + 2: a theta put aside */
    double *target;                     /* centres x outputs: targets of `large`, far ones pulled in */
    double *out, *work;                 /* predictions */
    unsigned char *set, *on;            /* inputs in the network; those a start is centred on, and scratch */
};

/* Room for a path on rows row[0..n-1] whose networks predict from at most `centres` of them. */
int sift_walk_room(struct sift_walk *w, const struct sift_frame *f, const size_t *row, size_t n, size_t centres,
                   uint32_t index);
void sift_walk_free(struct sift_walk *w);

/* ---- learning (sift_learn.c) ---- */

int sift_learn_first(struct sift_walk *w);      /* from several starts, outliers pulled in */
int sift_learn_wide(struct sift_walk *w);       /* a rough network of very many inputs, to rank them by */
/* From the weights of the larger network with this scale and noise; `again`: with few inputs, from equal ones too. */
int sift_learn_next(struct sift_walk *w, double scale, double noise, int again);
void sift_learn_set(struct sift_walk *w, const unsigned char *set);     /* one set by itself, to convergence */
void sift_weights_recall(struct sift_walk *w);
void sift_weights_remember(struct sift_walk *w);

/* ---- who leaves (sift_screen.c) ---- */

/* merit = minus the better of an input's ranks by relevance and by what it explains alone. */
int sift_screen(struct sift_walk *w);
/* Removes the inputs of lowest merit from w->set until `size` are left, the lowest column first among equals; the sum
 * of their squared relevances. */
double sift_drop_to(struct sift_walk *w, size_t size);

/* ---- what a network is worth (sift_score.c) ---- */

/* Targets of `large`: those learnt from, and the others with far ones pulled in. */
void sift_large_targets(struct sift_walk *w);
/* The network that predicts: `large` brought to the weights learnt, or the network itself. */
struct sift_net *sift_large(struct sift_walk *w);
void sift_score(struct sift_walk *w, double *loss, double *prediction);          /* of the m held rows */
void sift_score_empty(struct sift_walk *w, double *loss, double *prediction);    /* of the mean */

#endif
