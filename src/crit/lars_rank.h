/* Inputs ranked by least angle regression. */
#ifndef TAMIS_LARS_RANK_H
#define TAMIS_LARS_RANK_H

#include "crit/crit.h"
#include "num/least_angle.h"

/* The walk over the columns of a set, in memory of its own; columns and targets are centred and scaled to the same
 * length. */
struct tamis_lars_walk {
    struct tamis_lars l;
    size_t columns, *column;            /* the design's index of each column of the walk */
    double *x, *y, *memory;             /* x = (column - mean) / scale; zeros where scale is 0; rows times root */
    double *root, total;                /* sqrt(w) of rows with weights, or NULL; sum w, or the number of rows */
    double *mean, *scale;
    size_t *index;
};

int tamis_lars_walk(tamis_context *cx, const struct tamis_design *d, const unsigned char *set,
                    struct tamis_lars_walk *w);
void tamis_lars_walk_free(struct tamis_lars_walk *w);

/* Inputs of the set in the order in which the first of their columns joined; order has room for all inputs. Returns how
 * many: first the *joined ones that joined, then those collinear with others. */
size_t tamis_lars_inputs(const struct tamis_design *d, const struct tamis_lars_walk *w, size_t *order, size_t *joined);
/* The first column of the walk that belongs to an input in the set. */
size_t tamis_lars_column(const struct tamis_design *d, const struct tamis_lars_walk *w, size_t input);
size_t tamis_input_of(const struct tamis_design *d, size_t column);     /* the input that a column belongs to */

/* relevance[i] of the inputs in the set: the correlation with the residual when the input joined; 0 if it never
 * did. */
void tamis_lars_walk_relevance(const struct tamis_design *d, const struct tamis_lars_walk *w, const unsigned char *set,
                               double *relevance);
int tamis_lars_relevance(tamis_context *cx, const struct tamis_design *d, const unsigned char *set, double *relevance);

#endif
