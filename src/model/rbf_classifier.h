/* Radial basis function classifier: score_k(x) = sum over c of W_ck exp(-|x - mu_c|^2 / (2 sigma_c^2)), without bias;
 * the class with the largest score wins. Centres by k-means, widths from the clusters, output weights by least squares
 * or least mean squares. */
#ifndef TAMIS_RBF_CLASSIFIER_H
#define TAMIS_RBF_CLASSIFIER_H

#include "base/rng.h"
#include "model/model.h"

struct tamis_rbf_classifier {
    size_t nodes, columns, classes;
    double *centre;             /* nodes x columns, column-major */
    double *sigma;              /* nodes */
    double *weight;             /* nodes x classes, column-major */
};

extern const struct tamis_model_kind tamis_rbf_classifier_kind;

/* Memory for a classifier; contents zero. */
struct tamis_rbf_classifier *tamis_rbf_classifier_new(tamis_context *cx, size_t nodes, size_t columns, size_t classes);
void tamis_rbf_classifier_free(struct tamis_rbf_classifier *r);

/* ---- training ---- */

struct tamis_training {
    size_t rows, columns, classes, nodes;
    const double *x;            /* rows x columns, column-major */
    const double *y;            /* the index of the class */
    int lms;                    /* 0: least squares */
    double rate;                /* of least mean squares, per epoch */
    size_t epochs;
    const double *weight;       /* of the rows; NULL: every row counts once */
};

/* Memory for trainings of at most these sizes, and the result of the last one. */
struct tamis_trainer {
    size_t nodes;               /* fewer than requested when there are fewer distinct rows */
    double sse;                 /* sum of weighted squared distances of the rows from their centres */
    double *centre, *sigma, *weight;            /* nodes x columns, nodes, nodes x classes */
    double *spare, *phi, *work;
    size_t *columns, *assignment, *count, *spare_assignment, *spare_count, *order;
    int *pivot;
};

struct tamis_trainer *tamis_trainer_new(tamis_context *cx, size_t rows, size_t columns, size_t nodes, size_t classes);
double tamis_trainer_bytes(size_t rows, size_t columns, size_t nodes, size_t classes);
void tamis_trainer_free(struct tamis_trainer *w);

/* The best of `starts` clusterings (least sse; streams `purpose` with index first, first + 1, ...), its widths and
 * weights. Returns 0 when least squares failed. Allocates nothing. */
int tamis_train(struct tamis_trainer *w, const struct tamis_training *p, size_t starts, uint64_t seed, uint32_t purpose,
                uint32_t first);

/* A copy of the last training as a classifier. */
struct tamis_rbf_classifier *tamis_trainer_classifier(tamis_context *cx, const struct tamis_trainer *w,
                                                      const struct tamis_training *p);

/* score (n x classes) of n rows of x, leading dimension ld; phi: n x nodes doubles; w as training left it. */
void tamis_trainer_scores(const struct tamis_trainer *w, size_t columns, size_t classes, size_t n, const double *x,
                          size_t ld, double *phi, double *score);

#endif
