/* Row weights of a table: a row of weight 2 counts as two rows, a row of weight 0 as none. */
#ifndef TAMIS_ROW_WEIGHTS_H
#define TAMIS_ROW_WEIGHTS_H

#include "data/table.h"

/* The values of a column of weights, which the table keeps: finite numbers, none below 0 or missing, not all 0.
 * TAMIS_DATA, or for an unknown column TAMIS_USAGE, otherwise. */
int tamis_weights_find(tamis_context *cx, const tamis_table *t, const char *name, const double **weight);

/* The table without its rows of weight 0, and without the levels that only these have; *out NULL: there are none. */
int tamis_weights_drop(tamis_context *cx, const tamis_table *t, const double *weight, tamis_table **out);

#endif
