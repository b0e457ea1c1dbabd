/* Dropping columns and rows until no value is missing. */
#ifndef TAMIS_CLEAN_H
#define TAMIS_CLEAN_H

#include "base/options.h"
#include "data/table.h"

extern const struct tamis_option tamis_clean_options[];         /* samples-per-step, min-rows: part "clean" */

#endif
