#include <math.h>
#include <string.h>
#include "io/json_read.h"

int tamis_json_parse(tamis_context *cx, const char *text, size_t n, json_t **out)
{
    json_error_t e;
    *out = json_loadb(text, n, JSON_DECODE_INT_AS_REAL, &e);
    if (!*out) return tamis_fail(cx, TAMIS_DATA, "line %d: no JSON: %s", e.line, e.text);
    if (json_is_object(*out)) return TAMIS_OK;
    json_decref(*out);
    *out = NULL;
    return tamis_fail(cx, TAMIS_DATA, "this is JSON, but no result of tamis");
}


const json_t *tamis_json_at(const json_t *o, const char *path)
{
    char word[64];
    while (o && *path) {
        size_t n = strcspn(path, ".");
        if (n >= sizeof word || !json_is_object(o)) return NULL;
        memcpy(word, path, n);
        word[n] = 0;
        o = json_object_get(o, word);
        path += n + (path[n] == '.');
    }
    return o;
}

static double value(const json_t *v)
{
    double x = json_is_number(v) ? json_number_value(v) : NAN;
    return isfinite(x) ? x : NAN;
}

double tamis_json_number(const json_t *o, const char *path) { return value(tamis_json_at(o, path)); }

const char *tamis_json_text(const json_t *o, const char *path) { return json_string_value(tamis_json_at(o, path)); }

int tamis_json_true(const json_t *o, const char *path) { return json_is_true(tamis_json_at(o, path)); }

size_t tamis_json_length(const json_t *array) { return json_is_array(array) ? json_array_size(array) : 0; }

double tamis_json_item(const json_t *array, size_t i) { return value(json_array_get(array, i)); }

double *tamis_json_numbers(tamis_context *cx, const json_t *o, const char *path, size_t *n)
{
    const json_t *a = tamis_json_at(o, path);
    *n = tamis_json_length(a);
    double *x = *n ? tamis_raw(cx, double, *n) : NULL;
    if (!x) *n = 0;
    for (size_t i = 0; i < *n; i++) x[i] = tamis_json_item(a, i);
    return x;
}
