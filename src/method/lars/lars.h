/* What the parts of lars share. */
#ifndef TAMIS_LARS_METHOD_H
#define TAMIS_LARS_METHOD_H

#include <stdatomic.h>
#include "crit/lars_rank.h"
#include "num/nested_press.h"
#include "select/method.h"

struct lars_settings { const char *choose; size_t folds; };

/* A walk and the least-squares refits along it. */
struct lars_ranking {
    const struct tamis_design *d;
    struct tamis_lars_walk walk;
    size_t *order, count, joined;       /* inputs: all of them, and those that joined */
    size_t *sequence;                   /* columns of the walk, input by input */
    size_t *columns;                    /* inputs + 1: columns[k] of them belong to the first k inputs */
    size_t m;                           /* columns of the inputs that joined */
    double *y;                          /* with row weights: sqrt(w) y; NULL: the design's own */
    double *h, *q, *memory, *press_of;  /* bias and columns in sequence; press_of[c]: with the first c columns */
    struct tamis_press press;
};

struct lars {
    struct tamis_run *run;
    struct lars_settings s;
    struct lars_ranking whole;
    unsigned char *full, *set;
    size_t *fold;
    double *error;                      /* error[k]: cross-validated, with k inputs */
    double *part;                       /* folds x (inputs + 1): the sums of squares of each fold */
    size_t best;
    atomic_size_t done;                 /* folds, for progress */
};

/* The walk over all inputs of the design, and its refits (lars_refits.c). */
int lars_ranking_make(tamis_context *cx, const struct tamis_design *d, const unsigned char *full,
                      struct lars_ranking *r);
void lars_ranking_free(struct lars_ranking *r);

int lars_errors(struct lars *l);        /* cross-validated errors of every size, and the best (lars_folds.c) */
int lars_answer(struct lars *l);        /* the result (lars_answer.c) */

#endif
