/* Feature evaluation indices of a radial basis function network, for one set of features or for all sets.
 *
 *     FEI(F) = sum over t < terms of [sum over j not in F of a_jt] / [sum over j not in F of b_jt]
 *
 * One network has one term per class; several networks together have all their terms. a and b are n x terms,
 * column-major with leading dimension n. A value is NAN where a denominator is 0. */
#ifndef TAMIS_FEI_H
#define TAMIS_FEI_H

#include <stddef.h>

enum tamis_fei_index { TAMIS_FEI, TAMIS_FEI2 };         /* FEI of [1] eqs. 6-8, FEI' of eqs. 12-14 */
enum tamis_fei_pairs { TAMIS_SYMMETRIC, TAMIS_ORDERED };

/* omega = (|w| - min) / (max - min), count values ([1] eq. 5). Returns 0, with omega untouched, when all |w| are equal
 * (0/0). */
int tamis_fei_omega(size_t count, const double *w, double *omega);

/* a and b (n x l) of n features from the centres mu (m x n, leading dimension m), the widths sigma (m) and omega
 * (m x l, leading dimension m). work: 4 m doubles. About 8 n m l operations; ordered pairs take n m^2 l. */
void tamis_fei_terms(enum tamis_fei_index index, enum tamis_fei_pairs pairs, size_t n, size_t m, size_t l,
                     const double *mu, const double *sigma, const double *omega, double *work, double *a, double *b);

/* FEI(F) with ignored[j] != 0 for the features in F; NULL: F is empty. */
double tamis_fei_value(size_t n, size_t terms, const double *a, const double *b, const unsigned char *ignored);

/* value[j] of F = {j}, all n of them in O(n terms). work: 2 n doubles. */
void tamis_fei_singles(size_t n, size_t terms, const double *a, const double *b, double *work, double *value);

/* value[f], f < 2^low: the sets F made of `high` (features low and above, as bits of a mask of n <= 63 features) and
 * the bits of f; sums by additions only. work: 2^(low + 1) doubles. With low = n and high = 0: all sets. */
void tamis_fei_block(size_t n, size_t terms, const double *a, const double *b, size_t high, size_t low, double *work,
                     double *value);

#endif
