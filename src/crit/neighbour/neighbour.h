/* The criteria that use the nearest neighbours of each row: the table rows, and what they share. */
#ifndef TAMIS_NEIGHBOUR_H
#define TAMIS_NEIGHBOUR_H

#include "crit/crit.h"
#include "crit/neighbour/near.h"

extern const struct tamis_criterion tamis_delta, tamis_gamma_test, tamis_knn_loo, tamis_mutual_info, tamis_mrmr,
    tamis_jmi;

struct tamis_neighbour {
    tamis_context *cx;
    const struct tamis_design *d;
    struct tamis_near e;
    double empty;               /* value of the empty set */
    double (*value)(const struct tamis_neighbour *j, const double *mean); /* of a set, from the means of the tallies */
    double per_value;           /* mean = per_value x value, for bounds; 0: there is no such relation */
    size_t model_k;             /* neighbours of the fitted model; 0: chosen by leave-one-out */
    double above;               /* the bound set last */
    unsigned char *tenth, *last;
    size_t from;                /* the slot with the neighbours of the current set, or SIZE_MAX */
    int seen;                   /* last and from are known */
};

/* A scorer with k neighbours whose tally gives `width` numbers, the c-th at most largest[c]. The caller frees it with
 * tamis_neighbour_finish, also after failure. */
int tamis_neighbour_start(tamis_context *cx, const struct tamis_design *d, size_t k, tamis_tally *tally, size_t width,
                          const double *largest, struct tamis_neighbour **out);
void tamis_neighbour_finish(void *self);
int tamis_neighbour_cost(const struct tamis_design *d, size_t k, struct tamis_cost *cost);
int tamis_neighbour_evaluate(void *self, const unsigned char *base, const size_t *toggle, size_t count,
                             const struct tamis_score *hint, struct tamis_score *score);
int tamis_neighbour_fit(void *self, const unsigned char *set, const struct tamis_score *at, struct tamis_model **model,
                        double *relevance);
int tamis_neighbour_weigh(void *self, const unsigned char *tenth, const struct tamis_change *change, size_t count,
                          struct tamis_score *score);
int tamis_neighbour_fit_weighed(void *self, const unsigned char *tenth, const struct tamis_score *at,
                                struct tamis_model **model, double *relevance);
void tamis_neighbour_bound(void *self, double above);

/* The k-NN model on weighted inputs; k 0: the number of neighbours up to 20 with the smallest leave-one-out error. */
struct tamis_model *tamis_neighbour_model(tamis_context *cx, const struct tamis_design *d, const unsigned char *tenth,
                                          size_t k);

/* The most frequent class among k neighbours, the first of equally frequent ones. */
size_t tamis_neighbour_vote(const struct tamis_design *d, const uint32_t *neighbour, size_t k);

/* Leave-one-out error without inputs: of the mean of the other rows, or of their most frequent class. */
int tamis_constant_loo(tamis_context *cx, const struct tamis_design *d, double *error);
double tamis_target_variance(const struct tamis_design *d);     /* divisor N - 1; the mean over targets */
double tamis_target_range(const struct tamis_design *d);         /* of several targets, the widest */
/* Squared difference of two rows, the mean over targets. */
double tamis_target_difference(const struct tamis_design *d, size_t a, size_t b);

/* Columns and weights of the inputs at tenth[], ascending, without `but` (SIZE_MAX: none). m has room for all. */
void tamis_metric_fill(const struct tamis_design *d, const unsigned char *tenth, size_t but, struct tamis_metric *m);

#endif
