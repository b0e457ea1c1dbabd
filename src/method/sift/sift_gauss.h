/* The Gaussians of a learnt network as features of a linear model.
 *
 *     K(x, z) = exp(-sum_i w_i (x_i - z_i)^2),   features K(x, Z) L^-T,   L L' = K(Z, Z)
 *
 * The centres Z are rows picked by a pivoted Cholesky factorisation, each the one that those before it explain worst.
 * So the first m features belong to the first m centres, and a smaller network is a shorter list. */
#ifndef TAMIS_SIFT_GAUSS_H
#define TAMIS_SIFT_GAUSS_H

#include "data/design.h"

struct sift_gauss {
    const struct tamis_design *d;
    size_t m, columns;
    size_t *column;                     /* of the design: those of inputs with a weight */
    double *root;                       /* sqrt(w) of each */
    double *centre;                     /* m x columns, times root */
    double *l;                          /* m x m, lower triangle */
};

/* set: inputs of the network; weight: log w of every input of the design. At most `most` centres, from `candidates`
 * rows of row[0..n-1] (and those of other processes), evenly spread. NULL with the sentence in cx. */
struct sift_gauss *sift_gauss_make(tamis_context *cx, const struct tamis_design *d, const unsigned char *set,
                                   const double *weight, const size_t *row, size_t n, size_t most, size_t candidates);
void sift_gauss_free(struct sift_gauss *g);
/* out[i + ld j], n x m, for rows row[0..n-1], n <= SIFT_BLOCK; work: n x columns doubles. */
void sift_gauss_fill(const struct sift_gauss *g, const size_t *row, size_t n, double *out, size_t ld, double *work);

#endif
