/* What the criteria of Gaussian networks share: distances between rows in a set of inputs, and the relevance of a
 * network's inputs. */
#ifndef TAMIS_NETWORK_H
#define TAMIS_NETWORK_H

#include "crit/crit.h"
#include "model/rbf.h"

/* d2 (rows x rows, lower triangle): squared distances in the inputs of set except `without` (SIZE_MAX: all of them). */
void tamis_set_distances(const struct tamis_design *d, const unsigned char *set, size_t without, double *d2);
void tamis_set_distances_add(const struct tamis_design *d, size_t input, double *d2);

/* relevance[i] of every input i in set, others untouched: [1] eqs. (4) and (5) with the weights of the median and the
 * spread of the derivatives; with several outputs, their mean.
 * [1] J. Tikka, J. Hollmen, Selection of important input variables for RBF network using partial derivatives, ESANN
 * 2008. */
int tamis_network_relevance(tamis_context *cx, const struct tamis_design *d, const unsigned char *set,
                            const struct tamis_rbf *net, double median, double spread, double *relevance);

#endif
