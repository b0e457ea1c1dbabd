/* A network on its way along a path of sift, and what the parts of a path do with it: learning (sift_learn.c), who
 * leaves (sift_screen.c), what it is worth (sift_score.c), the model in the end (sift_model.c). */
#ifndef TAMIS_SIFT_WALK_H
#define TAMIS_SIFT_WALK_H

#include "method/sift/sift_path.h"

struct sift_walk {
    const struct sift_frame *f;
    struct sift_net net;                /* weights are learnt in this one */
    const size_t *row;                  /* rows of the path */
    const size_t *held;                 /* m rows that errors are measured on */
    size_t m;
    size_t second;                      /* 1: the first step screens, the second learns from scratch; 0: no screening */
    double best;                        /* least L on the path so far */
    double *relevance;                  /* inputs of the network: root mean square derivative */
    double *merit;                      /* inputs of the network: the lowest leave first */
    double *weight;                     /* inputs of the design: log w when last in the network */
    double *spare;                      /* inputs + 2: a theta put aside */
    double *out, *work;                 /* predictions */
    unsigned char *set, *on;            /* inputs in the network; those a start is centred on, and scratch */
};

/* Room for a network on rows row[0..n-1]. */
int sift_walk_room(struct sift_walk *w, const struct sift_frame *f, const size_t *row, size_t n);
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

/* Of the m held rows, by the network and by the mean; score: m x scores of the frame. */
void sift_score(struct sift_walk *w, double *loss, double *prediction, double *score);
void sift_score_empty(struct sift_walk *w, double *loss, double *prediction, double *score);

#endif
