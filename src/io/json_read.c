/* JSON to values. */
#include <math.h>
#include <string.h>
#include "base/value.h"
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

/* ---- to values ---- */

static void add(tamis_context *cx, tamis_value *to, const char *key, const json_t *v);

/* Whether every item is a number or null, and one at least is a number. */
static int all_numbers(const json_t *array)
{
    size_t n = json_array_size(array), numbers = 0;
    for (size_t i = 0; i < n; i++) {
        const json_t *v = json_array_get(array, i);
        numbers += json_is_number(v);
        if (!json_is_number(v) && !json_is_null(v)) return 0;
    }
    return numbers > 0;
}

static void add_numbers(tamis_context *cx, tamis_value *to, const char *key, const json_t *array)
{
    size_t n = json_array_size(array);
    double *x = tamis_raw(cx, double, n);
    for (size_t i = 0; x && i < n; i++) x[i] = value(json_array_get(array, i));
    if (x) tamis_add_numbers(to, key, x, n);
    tamis_free(x);
}

static void add_list(tamis_context *cx, tamis_value *to, const char *key, const json_t *array)
{
    if (all_numbers(array)) {
        add_numbers(cx, to, key, array);
        return;
    }
    tamis_value *list = tamis_add_list(to, key);
    for (size_t i = 0; list && i < json_array_size(array); i++) add(cx, list, NULL, json_array_get(array, i));
}

static void members(tamis_context *cx, tamis_value *record, const json_t *object)
{
    const char *key;
    json_t *v;
    json_object_foreach((json_t *)(uintptr_t)object, key, v) add(cx, record, key, v);
}

static void add(tamis_context *cx, tamis_value *to, const char *key, const json_t *v)
{
    switch (json_typeof(v)) {
    case JSON_OBJECT: members(cx, tamis_add_record(to, key), v); break;
    case JSON_ARRAY: add_list(cx, to, key, v); break;
    case JSON_STRING: tamis_add_text(to, key, json_string_value(v)); break;
    case JSON_INTEGER:
    case JSON_REAL: tamis_add_number(to, key, json_number_value(v)); break;
    case JSON_TRUE:
    case JSON_FALSE: tamis_add_flag(to, key, json_is_true(v)); break;
    case JSON_NULL: tamis_add_null(to, key); break;
    }
}

int tamis_value_parse(tamis_context *cx, const char *text, size_t n, tamis_value **out)
{
    json_t *o;
    *out = NULL;
    tamis_forget(cx);
    if (tamis_json_parse(cx, text, n, &o)) return tamis_status(cx);
    tamis_value *v = tamis_record_new(cx);
    members(cx, v, o);
    json_decref(o);
    if (!tamis_status(cx)) *out = v;
    else tamis_value_free(v);
    return tamis_status(cx);
}
