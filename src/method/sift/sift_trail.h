/* One way from many inputs to none: terms, a network, and what each size of set is worth. */
#ifndef TAMIS_SIFT_TRAIL_H
#define TAMIS_SIFT_TRAIL_H

#include "method/sift/sift_fit.h"
#include "method/sift/sift_path.h"

/* Which model a trail starts from. */
enum sift_kind { SIFT_OPEN, SIFT_NOTHING, SIFT_TERMS, SIFT_TERMS_AND_REST, SIFT_TERMS_AND_NETWORK, SIFT_NETWORK };

/* What all trails of a run share. */
struct sift_ground {
    struct sift_frame frame;            /* of the network */
    struct sift_functions functions;
    size_t *in, ins;                    /* candidates: inputs that are neither constant nor copies of another */
    const unsigned char *must;          /* NULL, or 1 for inputs that stay */
    const size_t *unit;                 /* inputs that leave together have the same number */
    const double *cost;                 /* of each input, if there is a budget; NULL: none */
    double budget;
    double se, clear;
    size_t centres;                     /* of the network, at most */
    unsigned char *fold_of_all;         /* where rows are spread, the fold of each row of all processes */
};

struct sift_trail {
    enum sift_kind kind;
    size_t sizes, room;
    size_t *size;                       /* falling; the last is 0, or what must stay */
    unsigned char *set;                 /* sizes x inputs */
    double *evidence;                   /* of each over none */
    double *share;                      /* inputs: of the variance when last in the model; 0: never */
    size_t held;
    double *loss, *prediction;          /* sizes x held: squared errors; in units of the design, or the class */
    size_t scores;                      /* of the frame */
    double *score;                      /* sizes x scores x held */
    double far;                         /* residuals beyond this were pulled in; DBL_MAX: none was */
    /* the start, to fit other sets from */
    size_t terms;
    struct sift_probe *term;
    double *weight;                     /* inputs + 2: log weights of the network, its scale and noise */
    unsigned char *net_set;             /* inputs of the network; NULL: none */
    size_t learnt;                      /* networks: paths that were run */
    int done;
};

/* Inputs in a set. */
static inline size_t sift_set_size(const unsigned char *set, size_t inputs)
{
    size_t n = 0;
    for (size_t i = 0; i < inputs; i++) n += set[i] != 0;
    return n;
}

struct sift_trail *sift_trail_new(const struct sift_ground *g, size_t held);
void sift_trail_free(struct sift_trail *p);
/* Room for one more set; its index, or SIZE_MAX without memory. */
size_t sift_trail_grow(tamis_context *cx, struct sift_trail *p, size_t inputs);

/* Runs on rows row[0..n-1] and measures on held[0..m-1]. p->kind: SIFT_OPEN to choose, or the kind to take. */
int sift_trail_run(const struct sift_ground *g, const size_t *row, size_t n, const size_t *held, size_t m,
                   uint32_t index, struct sift_trail *p);

/* k/2 log n + log C(d, k): what k of d inputs cost in log evidence. */
double sift_price(size_t k, size_t d, double n);

/* The index of the set that stands for size k: the smallest with at least k inputs, or the largest there is. */
size_t sift_trail_at(const struct sift_trail *p, size_t k);

/* ---- parts ---- */

int sift_search_terms(struct sift_fit *t, const size_t *in, size_t k);          /* sift_search.c */
/* Exchanges inputs of the terms for correlated ones outside them where that raises the evidence (sift_swap.c). */
int sift_swap(struct sift_fit *t, const size_t *in, size_t k);
double sift_correlation(const struct tamis_design *d, size_t i, size_t j);      /* over its rows for correlations */

#endif
