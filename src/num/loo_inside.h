/* Shared by the files of the leave-one-out reduction. */
#ifndef TAMIS_LOO_INSIDE_H
#define TAMIS_LOO_INSIDE_H

#include "num/loo.h"

enum {
    PANEL = 16,         /* columns between looks at what is left of A */
    BLOCK = 48,         /* most reflectors applied at a time when Q is formed */
    ROWS = 32,          /* rows of Q reflected at a time, where their complement is small */
    STRIP = 8,          /* rows of Q that pass together */
    LANES = 8           /* lambdas factored together */
};

static inline size_t tamis_loo_work(size_t n)
{
    return 3 * BLOCK * BLOCK + 2 * BLOCK * n + 2 * BLOCK * ROWS;
}

/* G in w->q, lower triangle, to T and the reflectors in w->v. */
void tamis_loo_tridiagonal(struct tamis_loo *w);
/* The first `columns` of Q in w->q, from w->rank (those of T) to n (all); the reflectors stay. */
void tamis_loo_form_q(struct tamis_loo *w, size_t columns);
/* Q^T y, and what the dropped directions add to P. */
void tamis_loo_rest(struct tamis_loo *w, const double *y);

#endif
