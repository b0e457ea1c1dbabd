/* The two forms of a model file: packed (model_file.c) and JSON (model_json.c). */
#ifndef TAMIS_MODEL_FILE_H
#define TAMIS_MODEL_FILE_H

#include "base/pack.h"
#include "model/model.h"

/* {"tamis-model": 1, ...}, with every number exact to the last bit (caller: tamis_free). TAMIS_DATA if a name is not
 * UTF-8. */
int tamis_model_json(tamis_context *cx, const struct tamis_model *m, char **text, size_t *length);
/* n bytes of JSON as a packed file, as tamis_model_save_memory would write it; the reader of packed files checks the
 * values. TAMIS_DATA, with the place, for what is not JSON or not a model. */
int tamis_model_json_pack(tamis_context *cx, const void *bytes, size_t n, struct tamis_pack *p);

/* The kind and the newest format of packed model files. */
extern const char tamis_model_magic[4];
enum { TAMIS_MODEL_FORMAT = 6 };

#endif
