/* Results read back: lenient lookups by dotted path in a parsed JSON text. What is not there, or of another type, is
 * NAN, NULL or 0. */
#ifndef TAMIS_JSON_READ_H
#define TAMIS_JSON_READ_H

#include <jansson.h>
#include "base/base.h"

/* TAMIS_DATA with the line for what is no JSON object. Give back with json_decref. */
int tamis_json_parse(tamis_context *cx, const char *text, size_t n, json_t **out);

const json_t *tamis_json_at(const json_t *o, const char *path);         /* "error.test"; NULL */
double tamis_json_number(const json_t *o, const char *path);            /* finite, or NAN */
const char *tamis_json_text(const json_t *o, const char *path);
int tamis_json_true(const json_t *o, const char *path);
size_t tamis_json_length(const json_t *array);                          /* of an array; 0 for all else */
double tamis_json_item(const json_t *array, size_t i);                  /* its i-th number, or NAN */
/* The numbers of an array at path into an allocated list; NULL with *n 0 when there is none, or with the sentence in
 * cx. */
double *tamis_json_numbers(tamis_context *cx, const json_t *o, const char *path, size_t *n);

#endif
