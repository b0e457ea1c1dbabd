/* A model as one C99 file. */
#ifndef TAMIS_EXPORT_C_H
#define TAMIS_EXPORT_C_H

#include "model/code.h"
#include "model/model.h"

/* Appends the whole file to c->t; every name in it begins with c->name. TAMIS_OK, or the status of the context. */
int tamis_export_c(tamis_context *cx, const struct tamis_model *m, struct tamis_code *c);
/* The tables and the function NAME_impute, if the encoder imputes (export_impute.c). */
void tamis_export_impute(const struct tamis_encoder *e, struct tamis_code *c);

#endif
