/* Tables without their rows of weight 0 (--row-weights), for the length of a call. */
#ifndef TAMIS_WEIGHING_H
#define TAMIS_WEIGHING_H

#include "base/options.h"
#include "data/table.h"

struct tamis_weighing { tamis_table *data, *test; };    /* NULL: the caller's own table serves */

/* Checks the weights, and replaces *data and *test (test, or *test: NULL, without one) if rows have weight 0. Call
 * tamis_weighing_end even if it fails. */
int tamis_weighing_begin(tamis_context *cx, const tamis_options *o, const tamis_table **data, const tamis_table **test,
                         struct tamis_weighing *w);
void tamis_weighing_end(struct tamis_weighing *w);

#endif
