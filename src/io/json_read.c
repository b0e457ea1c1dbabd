/* JSON to values. */
#include <math.h>
#include "base/value.h"
#include "io/json_read.h"

static double value(const json_t *v)
{
    double x = json_is_number(v) ? json_number_value(v) : NAN;
    return isfinite(x) ? x : NAN;
}

static void add(tamis_value *to, const char *key, const json_t *v);

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

static void add_numbers(tamis_value *to, const char *key, const json_t *array)
{
    size_t n = json_array_size(array);
    double *x = tamis_add_room(to, key, n);
    for (size_t i = 0; x && i < n; i++) x[i] = value(json_array_get(array, i));
}

static void add_list(tamis_value *to, const char *key, const json_t *array)
{
    if (all_numbers(array)) {
        add_numbers(to, key, array);
        return;
    }
    tamis_value *list = tamis_add_list(to, key);
    for (size_t i = 0; list && i < json_array_size(array); i++) add(list, NULL, json_array_get(array, i));
}

static void members(tamis_value *record, const json_t *object)
{
    const char *key;
    json_t *v;
    json_object_foreach((json_t *)(uintptr_t)object, key, v) add(record, key, v);
}

static void add(tamis_value *to, const char *key, const json_t *v)
{
    switch (json_typeof(v)) {
    case JSON_OBJECT: members(tamis_add_record(to, key), v); break;
    case JSON_ARRAY: add_list(to, key, v); break;
    case JSON_STRING: tamis_add_text(to, key, json_string_value(v)); break;
    case JSON_INTEGER:
    case JSON_REAL: tamis_add_number(to, key, json_number_value(v)); break;
    case JSON_TRUE:
    case JSON_FALSE: tamis_add_flag(to, key, json_is_true(v)); break;
    case JSON_NULL: tamis_add_null(to, key); break;
    }
}

/* Where an allocation fails, jansson names no line. */
json_t *tamis_json_load(tamis_context *cx, const void *bytes, size_t n, size_t flags)
{
    json_error_t e;
    json_t *v = json_loadb(bytes, n, flags, &e);
    if (v) return v;
    if (e.line < 0 || json_error_code(&e) == json_error_out_of_memory)
        tamis_fail(cx, TAMIS_MEMORY, "out of memory: cannot read %.3g MB of JSON", (double)n / 1e6);
    else tamis_fail(cx, TAMIS_DATA, "line %d: not valid JSON: %.100s; make the file again", e.line, e.text);
    return NULL;
}

static json_t *object_parse(tamis_context *cx, const char *text, size_t n)
{
    json_t *v = tamis_json_load(cx, text, n, JSON_DECODE_INT_AS_REAL);
    if (json_is_object(v)) return v;
    if (v) tamis_fail(cx, TAMIS_DATA, "this is JSON, but not an object");
    json_decref(v);
    return NULL;
}

int tamis_value_parse(tamis_context *cx, const char *text, size_t n, tamis_value **out)
{
    TAMIS_CALL(cx);
    *out = NULL;
    json_t *o = object_parse(cx, text, n);
    if (!o) return tamis_status(cx);
    tamis_value *v = tamis_record_new(cx);
    if (v) members(v, o);
    json_decref(o);
    if (!tamis_status(cx)) *out = v;
    else tamis_value_free(v);
    return tamis_status(cx);
}
