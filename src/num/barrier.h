/* The barrier form of the sparse network, and the damped Newton iteration for it.
 *
 *     J = E + mu (B1 + B2),  B1 = -log(r - sum_m s_m) - (1/M) sum_m log(s_m^2 - alpha_m^2),
 *     B2 = -log(t - sum_i w_i) - (1/d) sum_i log(w_i),    m = 0..M, i = 1..d                         [1] eq. (14) */
#ifndef TAMIS_BARRIER_H
#define TAMIS_BARRIER_H

#include <stddef.h>
#include "num/wnet.h"

enum { TAMIS_BARRIER_ALPHA = 1, TAMIS_BARRIER_WEIGHTS = 2 };

/* Lives in the caller's memory, tamis_barrier_size doubles. The point is (alpha, s, w), strictly inside the bounds. */
struct tamis_barrier {
    const struct tamis_wnet *net;
    const double *y;
    double r, t, mu;
    int moves;                  /* the variables that move: TAMIS_BARRIER_ALPHA, _WEIGHTS or both; B1 or B2 of
                                 * variables that do not move is omitted */
    size_t p, d;                /* M + 1; inputs */
    double *alpha, *s, *w;      /* p, p, d: the point */
    double *theta;              /* the three, one after the other */
    double value, error;        /* J and E at the point */
    double *g;                  /* 2 p + d: gradient */
    double *h;                  /* (p + d)^2, lower: (2/N) [A Jw]^T [A Jw] of what moves; then the factor */
    double *basis;              /* n x (p + d): A and df/dw */
    double *e;                  /* n */
    double *step, *trial;       /* 2 p + d */
    double *new_basis, *new_e, *work, *rank;
    size_t *columns, *all;
    double delta, bound, ratio; /* of the last iteration */
    size_t evaluations;
};

size_t tamis_barrier_size(size_t n, size_t m, size_t d);
void tamis_barrier_bind(struct tamis_barrier *b, const struct tamis_wnet *net, const double *y, double r, double t,
                        double *memory);

/* J and E at the point; call after setting it, mu or moves. Nonzero: outside the bounds. */
int tamis_barrier_start(struct tamis_barrier *b);
/* Gradient and Gauss-Newton matrix at the point. */
void tamis_barrier_derivatives(struct tamis_barrier *b);
/* The step p of (H + lambda I) p = -g into b->step, s eliminated; needs the derivatives and keeps h. Nonzero: the
 * matrix is not positive definite. */
int tamis_barrier_step(struct tamis_barrier *b, double lambda, double *factor);
/* p^T H p of b->step. */
double tamis_barrier_curvature(const struct tamis_barrier *b);
/* One iteration of Algorithm 3 (steps 2 to 8): updates lambda; 1 when the point moved. */
int tamis_barrier_iterate(struct tamis_barrier *b, double *lambda);
/* Algorithm 3: from lambda = 1, until J falls by less than 1e-4 of itself in five iterations, or fifty are done. */
void tamis_barrier_minimise(struct tamis_barrier *b);

#endif
