/* What the files of the pairwise criteria, mrmr and jmi, share. */
#ifndef TAMIS_PAIRWISE_H
#define TAMIS_PAIRWISE_H

#include "crit/neighbour/neighbour.h"
#include "num/pair_info.h"

struct pairwise_settings { size_t k, permutations; const char *form; };

struct pairwise {
    tamis_context *cx;
    const struct tamis_design *d;
    struct pairwise_settings s;
    int joint, quotient;                /* jmi; mrmr with the quotient */
    struct tamis_info info;
    double *psi;
    struct tamis_variable *input, target;       /* of each input */
    double *relevance;                  /* I(x_i; y) */
    double *level, *step_level;         /* what the estimate of a useless input reaches as the first input, and as
                                           another one; zeros without permutations */
    double **pair;                      /* pair[i][j]: what i and j share; NULL: nothing known of i; NAN: of the two */
    double *work;                       /* 3 n per worker */
    uint32_t *next;                     /* 2 n per worker */
};

/* ---- pairwise_start.c ---- */

/* The caller calls pairwise_finish, also after failure. */
int pairwise_start(tamis_context *cx, const struct tamis_design *d, const struct pairwise_settings *s, int joint,
                   uint64_t seed, struct pairwise **out);
void pairwise_finish(void *self);
int pairwise_shared(const struct pairwise *j, size_t a, size_t b, double *shared);      /* 0: not known yet */
/* Computes what is not known yet of a set, and of it with each of several inputs. */
int pairwise_know(struct pairwise *j, const size_t *member, size_t members, const size_t *more, size_t count);

#endif
