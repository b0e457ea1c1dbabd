/* Products with a symmetric matrix while pairs of vectors are taken from it, for reductions to tridiagonal form. */
#ifndef TAMIS_PAIR_UPDATE_H
#define TAMIS_PAIR_UPDATE_H

#include <stddef.h>

/* The matrix: n columns of ld doubles and room for three more, ld a multiple of TAMIS_PAIR_ROWS; its lower triangle,
 * read and written in blocks of TAMIS_PAIR_ROWS rows that begin at multiples of it. Blocks on the diagonal are whole
 * (both halves), and what is past row or column n is 0, which tamis_pair_prepare sees to. Vectors have ld entries, 0
 * from n on. */
enum { TAMIS_PAIR_ROWS = 8, TAMIS_PAIR_MOST = 4 };

void tamis_pair_prepare(size_t n, double *a, size_t ld);

/* y = A x over rows and columns from `from` on; x is 0 before. Entries of y before `from` are overwritten, down to the
 * multiple of TAMIS_PAIR_ROWS. */
void tamis_pair_product(size_t n, size_t from, const double *a, size_t ld, const double *x, double *y);

/* The same after A -= sum of v_j s_j^T + s_j v_j^T, j < TAMIS_PAIR_MOST, which stays in a: one pass for both. u: v_0
 * s_0 v_1 s_1 ..., ld apart. */
void tamis_pair_update(size_t n, size_t from, double *a, size_t ld, const double *u, const double *x, double *y);

#endif
