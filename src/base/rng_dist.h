/* Draws from the usual distributions, on a stream. */
#ifndef TAMIS_RNG_DIST_H
#define TAMIS_RNG_DIST_H

#include "base/rng.h"

/* As tamis_rng_normal, for a third of its cost. That one stays as it is: made tables are named by their seeds. */
double tamis_rng_ziggurat(struct tamis_rng *r);
enum { TAMIS_ZIGGURAT_LAYERS = 128 };
extern const double tamis_ziggurat_edge[TAMIS_ZIGGURAT_LAYERS + 1];             /* for tests */
double tamis_rng_exponential(struct tamis_rng *r);                              /* rate 1 */
double tamis_rng_gamma(struct tamis_rng *r, double shape); /* rate 1, shape > 0; may be 0 for shapes below 0.02 */
/* Gamma of this shape and rate 1, given that it is above `least` >= 0. */
double tamis_rng_gamma_above(struct tamis_rng *r, double shape, double least);
double tamis_rng_beta(struct tamis_rng *r, double a, double b);
/* out (n) ~ Dirichlet(prior + count), count NULL: none; every value is positive. */
void tamis_rng_dirichlet(struct tamis_rng *r, size_t n, double prior, const double *count, double *out);
/* i with probability weight[i] / sum; weights not negative, some positive. */
size_t tamis_rng_categorical(struct tamis_rng *r, size_t n, const double *weight);

#endif
