/* Terms and a network side by side on the rows of a path. */
#ifndef TAMIS_SIFT_MIX_H
#define TAMIS_SIFT_MIX_H

#include "method/sift/sift_trail.h"

struct sift_mix {
    const struct sift_ground *g;
    struct sift_view view;
    struct sift_fit fit;
    uint32_t index;                     /* names random streams */
    struct sift_frame frame;            /* of the network: that of the run, or of some of its rows: */
    struct tamis_design some;           /* where rows are spread, those that the network learns and is measured on */
    double *some_target;
    size_t *sample, samples;            /* rows that the network learns from: one per group */
    size_t *other, others;              /* further rows that its sizes are measured on */
    double worth;                       /* observations of equal weight that the sample is worth */
    double *other_weight;               /* others: what each counts; NULL: once */
    size_t *from;                       /* of the rows of `some`: their places among the rows of all processes */
    double *left;                       /* rows of frame.design x outputs: what the terms leave of the target */
    unsigned char *net_set;             /* inputs of the network */
    double *weight;                     /* inputs + 2: log weights, scale, noise */
    double *relevance;                  /* inputs: root mean square derivatives of the network */
};

/* Call sift_mix_free even if it fails. */
int sift_mix_make(const struct sift_ground *g, const size_t *row, size_t n, uint32_t index, struct sift_mix *x);
void sift_mix_free(struct sift_mix *x);

/* The path of a network that learns the target, or what the terms leave of it: a new path, with the index of the size
 * that it would take, or its number of sizes if it finds nothing. held: see sift_path_run; m = 0: on x->other. */
int sift_mix_learn(struct sift_mix *x, int rest, const size_t *held, size_t m, struct sift_path **out, size_t *at);
/* Puts the network of size `at` beside the terms. */
int sift_mix_take(struct sift_mix *x, const struct sift_path *p, size_t at);
/* Learns the weights of net_set again on what the terms leave: some steps from what they are, or from scratch to the
 * end. */
int sift_mix_relearn(struct sift_mix *x, int whole);
int sift_mix_features(struct sift_mix *x, size_t centres);      /* the network's features from weight and net_set */

/* A network of the inputs in `set` alone, learnt from several starts on at most `rows` rows of what the terms leave,
 * with at most `centres` centres, in place of the one that was there; 0: it is learnt only. *gain (gain may be NULL):
 * log evidence over a constant. */
int sift_mix_refine(struct sift_mix *x, const unsigned char *set, size_t rows, size_t centres, double *gain);

/* Brings a mix to the terms and weights of a trail that lie within `set`; inputs of the set without any get a term of
 * their own. Fitted. */
int sift_mix_restore(struct sift_mix *x, const struct sift_trail *p, const unsigned char *set);

#endif
