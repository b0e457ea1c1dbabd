/* Tables with known answers. */
#ifndef TAMIS_GENERATE_H
#define TAMIS_GENERATE_H

#include "base/options.h"
#include "data/table.h"

extern const struct tamis_option tamis_generate_options[]; /* rows, useless, noise: part "generate"; seed is read too */

const tamis_part_info *tamis_generator_at(size_t i);            /* NULL past the last */
/* The relevant inputs, "x1,x2" ("": none); NULL: no such generator. */
const char *tamis_generator_truth(const char *name);

#endif
