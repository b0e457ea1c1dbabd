/* A linear model with one variance per block of coefficients, learnt by evidence from a Gram matrix.
 *
 *     y_o = H b_o + e,   b_io ~ N(0, v_g) for feature i in block g,   e ~ N(0, s),   o = 1 .. l outputs
 *
 * From G = H'H, C = H'Y and tr(Y'Y) alone (columns of H and Y centred), so that the cost does not depend on the rows:
 *
 *     A = G / s + diag(1/v),  b = A^-1 C / s,  gamma_g = sum over block g of 1 - (A^-1)_ii / v_g
 *     rss = tr(Y'Y) - 2 tr(b'C) + tr(b'G b)
 *     evidence = -l/2 (n log s + log |A| + sum_i log v_i) - 1/2 (rss / s + sum_i |b_i|^2 / v_i)
 *     v_g = sum |b_i|^2 / max(l gamma_g, 1e-3), at least 1e-9 s0;   s = rss / (l (n - sum gamma)), at least 1e-3 s0;
 *     s0 = tr(Y'Y) / (n l)                       (D. MacKay, Bayesian interpolation, Neural Computation 4, 1992) */
#ifndef TAMIS_BLOCKS_H
#define TAMIS_BLOCKS_H

#include <stddef.h>

struct tamis_blocks {
    size_t p, l, blocks;
    double n;                   /* observations: rows, or independent groups of them */
    const double *g;            /* p x p, lower triangle, leading dimension ldg */
    size_t ldg;
    const double *c;            /* p x l, leading dimension ldc */
    size_t ldc;
    double yy;                  /* tr(Y'Y) */
    const size_t *block;        /* p: the block of each feature */
    double *v;                  /* blocks: where to start (0: at 0.5 s0 / p), and what was found */
    double s;                   /* the same (0: at 0.8 s0) */
    double *b;                  /* p x l, leading dimension p: the coefficients found */
    double *sure;               /* blocks: gamma, the well-determined coefficients */
    double rss, evidence;       /* found */
};

size_t tamis_blocks_size(size_t p, size_t l);           /* doubles of work: p^2 + (l + 4) p */

/* At most `rounds` of the fixed point, fewer when the evidence gains less than `gain` in one; then b, rss and evidence
 * at the v and s found. 1 if A is not positive definite in floating point, or a number is not finite. About 2/3 p^3
 * flops per round, p counting only features whose variance has not reached its floor. */
int tamis_blocks_fit(struct tamis_blocks *m, size_t rounds, double gain, double *work);

/* The evidence of no feature at all: -n l / 2 (log(tr(Y'Y) / n l) + 1). */
double tamis_blocks_empty(double n, size_t l, double yy);

/* Ridge regression on all inputs in dual form, its strength by evidence (wide tables):
 * K = Z Z' / d (n x n, lower triangle, Z centred), Y n x l centred. For rho = 10^-5 ... 10^6 in steps of 10^(1/4), with
 * the eigenvalues e and eigenvectors U of K: q_i = 1 + rho e_i, s = sum_i |T_i|^2 / q_i / ((n - 1) l), T = U'Y,
 * evidence = -l/2 ((n - 1) log s + sum_i log q_i) - (n - 1) l / 2; the largest with s >= 1e-3 s at rho = 0 is taken.
 * Leaves alpha (n x l) such that the prediction of a row z is z Z' alpha / d, and *evidence. 4/3 n^3 flops. Returns 1
 * if no rho gives a finite evidence. `rows` stands for n in the evidence: less where the rows of Z and Y are multiplied
 * by roots of weights whose sum it is. */
size_t tamis_dual_size(size_t n, size_t l);
int tamis_dual_ridge(size_t n, size_t l, double rows, double *k, const double *y, double *alpha, double *evidence,
                     double *work);

#endif
