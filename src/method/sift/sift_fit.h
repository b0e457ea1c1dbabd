/* The linear model of a path: the features of terms, and those of a network, fitted together on all rows of a view with
 * one variance per block (num/blocks.h). Sums over rows are kept, so that fitting a part of it does not look at the
 * rows again. */
#ifndef TAMIS_SIFT_FIT_H
#define TAMIS_SIFT_FIT_H

#include "method/sift/sift_gauss.h"
#include "method/sift/sift_view.h"

/* The functions of one input, or the products of those of two or three. Two blocks: its first feature (the linear
 * effect, the product), and the rest. */
struct sift_term {
    size_t inputs, input[3];
    size_t first, count;                /* its features */
    size_t block;                       /* of its first feature; the rest is in the next */
    int on;                             /* part of the model now */
};

struct sift_fit {
    struct sift_view *v;
    struct sift_term *term;
    size_t terms, terms_room;
    size_t p, room;                     /* features */
    size_t *factor;                     /* 3 x room: 1 + function, 0 for none */
    double *scale;
    size_t *block, blocks;
    struct sift_gauss *net;             /* NULL: no network; else its features are the last */
    size_t net_first, net_block, net_used;      /* net_used: features of it that count, the first */
    int net_on;
    double *g, *c, *sum;                /* room x room (lower triangle and all before), room x l, room: raw sums */
    double yy;                          /* of v->y */
    double *variance, s;                /* blocks; noise */
    double *b;                          /* room x l; 0 for what is off */
    double *sure;                       /* blocks */
    double evidence, rss;
};

int sift_fit_make(struct sift_view *v, struct sift_fit *t);
void sift_fit_free(struct sift_fit *t);

/* Adds a term with its sums, on. No network may be there. */
int sift_fit_term(struct sift_fit *t, size_t inputs, const size_t *input);
/* Takes the last term away again. */
void sift_fit_untake(struct sift_fit *t);
/* Puts a network (which the fit now owns) in place of the last one, on, with its sums; NULL: none. `variance` of a
 * Gaussian to start from. */
int sift_fit_network(struct sift_fit *t, struct sift_gauss *net, double variance);

/* Fits what is on: at most `rounds` from the variances it has. */
int sift_fit_solve(struct sift_fit *t, size_t rounds);
/* The evidence if the terms with skip[] != 0 were off; nothing is changed. */
int sift_fit_without(const struct sift_fit *t, const unsigned char *skip, size_t rounds, double *evidence);
/* The same with another network (NULL: none), which starts from `variance`, in place of the one that is there. */
int sift_fit_other(struct sift_fit *t, struct sift_gauss *net, double variance, const unsigned char *skip,
                   size_t rounds, double *evidence);
/* Evidence over that of no feature. */
double sift_fit_gain(const struct sift_fit *t);

/* v->r = v->y - fit. */
int sift_fit_residuals(struct sift_fit *t);
/* In regression: pulls in targets that the fit misses by far, fits again, and takes the residuals. */
int sift_fit_pull_in(struct sift_fit *t, size_t rounds);
/* Predictions for rows of the design, in increasing order: out[i + m o], the mean of the target included. */
int sift_fit_predict(const struct sift_fit *t, const size_t *row, size_t m, double *out);

/* v->known = the first feature of every term. */
int sift_fit_known(struct sift_fit *t);

/* Variance that each input takes part in: that of the network, in proportion to `relevance` (by input), and of the
 * terms that hold it. */
void sift_fit_network_shares(const struct sift_fit *t, const double *relevance, double *share);
void sift_fit_shares(const struct sift_fit *t, const double *relevance, double *share);
/* The inputs of what is on; net_set: those of the network. How many. */
size_t sift_fit_set(const struct sift_fit *t, const unsigned char *net_set, unsigned char *set);

#endif
