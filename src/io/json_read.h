/* JSON to values; src/io only. */
#ifndef TAMIS_JSON_READ_H
#define TAMIS_JSON_READ_H

#include "base/value.h"

/* tamis_value_parse; with `unique`, a key that an object has twice is TAMIS_DATA, else the first one counts. */
int tamis_json_parse(tamis_context *cx, const char *text, size_t n, int unique, tamis_value **out);

#endif
