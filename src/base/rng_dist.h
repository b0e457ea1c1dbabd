/* Random draws from common distributions. */
#ifndef TAMIS_RNG_DIST_H
#define TAMIS_RNG_DIST_H

#include "base/rng.h"

/* Standard normal, at a third of the cost of tamis_rng_normal, which must stay as it is because generated tables are
 * identified by their seeds. */
double tamis_rng_ziggurat(struct tamis_rng *r);
enum { TAMIS_ZIGGURAT_LAYERS = 128 };
extern const double tamis_ziggurat_edge[TAMIS_ZIGGURAT_LAYERS + 1];             /* for tests */
double tamis_rng_exponential(struct tamis_rng *r);                              /* rate 1 */
double tamis_rng_gamma(struct tamis_rng *r, double shape);      /* rate 1, shape > 0; may be 0 for shapes below 0.02 */
/* Gamma with this shape and rate 1, given that it exceeds `least` >= 0. */
double tamis_rng_gamma_above(struct tamis_rng *r, double shape, double least);
double tamis_rng_beta(struct tamis_rng *r, double a, double b);
/* out (n) ~ Dirichlet(prior + count), count NULL: zeros; every value is positive. */
void tamis_rng_dirichlet(struct tamis_rng *r, size_t n, double prior, const double *count, double *out);
/* i with probability weight[i] / sum; weights are nonnegative, at least one is positive. */
size_t tamis_rng_categorical(struct tamis_rng *r, size_t n, const double *weight);

#endif
