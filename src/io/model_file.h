/* The two forms of a model file. */
#ifndef TAMIS_MODEL_FILE_H
#define TAMIS_MODEL_FILE_H

#include "base/text.h"
#include "model/model.h"

/* {"tamis-model": 1, ...}: every number to the last bit, every name. TAMIS_DATA when a name is not UTF-8. */
int tamis_model_json(tamis_context *cx, const struct tamis_model *m, struct tamis_text *t);
/* n bytes of JSON into the fields of a packed file, as tamis_model_save_memory would write it; the reader of packed
 * files checks what they mean.
 * TAMIS_DATA with a sentence that names the place. */
int tamis_model_json_pack(tamis_context *cx, const void *bytes, size_t n, struct tamis_pack *p);

/* The kind and newest format of packed model files. */
extern const char tamis_model_magic[4];
enum { TAMIS_MODEL_FORMAT = 2 };

#endif
