/* What the files of criterion press share: the state of a scorer, and the network of a set. */
#ifndef TAMIS_PRESS_INSIDE_H
#define TAMIS_PRESS_INSIDE_H

#include "crit/press.h"
#include "model/elm.h"
#include "num/nested_press.h"

struct settings {
    const char *neurons;
    size_t most;
    int keep_linear, plain;
};

/* The workspace of one worker, for one set. */
struct work {
    size_t *column, columns;
    size_t *index, *order, kept;        /* of LARS; the neurons as ranked, and how many */
    double *x;                          /* rows x columns */
    double *h;                          /* rows x neurons: the hidden layer, centred and scaled */
    double *mean, *scale;               /* of each neuron before that */
    double *q;                          /* rows x (1 + neurons): bias and neurons as ranked, then their basis */
    double *gram, *lars, *press, *error, *pairs, *spare;
};

struct scorer {
    tamis_context *cx;
    const struct tamis_design *d;
    struct settings s;
    size_t outputs, sigmoid, gauss, neurons;    /* neurons: of all types, with all columns */
    double *weight, *bias;              /* sigmoid x columns of the design; sigmoid */
    size_t *centre, *pair, pairs;       /* rows of the centres; rows whose distances give the widths */
    double *root, *y, total;            /* with row weights: sqrt(w), sqrt(w) y, sum w; NULL: none, and n */
    double *share;                      /* where between the percentiles the width of each Gaussian neuron lies */
    struct work *work;
};

/* ---- press_network.c ---- */

/* The columns of the set `base` with one input toggled (SIZE_MAX: none), into w->column. */
void tamis_press_columns(const struct scorer *j, const unsigned char *base, size_t toggle, struct work *w);
/* Neurons, ranking and errors of the columns in w->column; the network is the caller's. */
struct tamis_elm *tamis_press_build(const struct scorer *j, struct work *w, struct tamis_press *p);
struct tamis_score tamis_press_score(const struct scorer *j, const struct work *w, const struct tamis_elm *e);
int tamis_press_fit(void *self, const unsigned char *set, const struct tamis_score *at, struct tamis_model **model,
                    double *relevance);

#endif
