/* JSON as jansson's tree; src/io only. */
#ifndef TAMIS_JSON_READ_H
#define TAMIS_JSON_READ_H

#include <jansson.h>
#include "base/base.h"

/* n bytes of JSON, with jansson's flags; NULL with the sentence in cx: TAMIS_DATA with the line, or TAMIS_MEMORY. */
json_t *tamis_json_load(tamis_context *cx, const void *bytes, size_t n, size_t flags);

#endif
