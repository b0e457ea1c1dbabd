/* The reader of JSON: what it takes is written as JSON that reads as the same values, and its errors name a line. */
#include <math.h>
#include "fuzz.h"
#include "io/json_read.h"

enum { DEEPEST = 600 };

static void check_value(const tamis_value *a, const tamis_value *b, int depth);

static void check_members(const tamis_value *a, const tamis_value *b, int depth)
{
    for (size_t i = 0; i < tamis_value_length(a); i++) {
        const char *key = tamis_value_key(a, i), *other = tamis_value_key(b, i);
        check(!key == !other && (!key || !strcmp(key, other)));
        check_value(tamis_value_item(a, i), tamis_value_item(b, i), depth + 1);
    }
}

static void check_value(const tamis_value *a, const tamis_value *b, int depth)
{
    int kind = tamis_value_kind(a);
    size_t n = tamis_value_length(a), m;
    check(kind == tamis_value_kind(b) && n == tamis_value_length(b) && depth < DEEPEST);
    if (kind == TAMIS_VALUE_LIST || kind == TAMIS_VALUE_RECORD) check_members(a, b, depth);
    if (kind == TAMIS_VALUE_FLAG) check(tamis_value_flag(a, "") == tamis_value_flag(b, ""));
    if (kind == TAMIS_VALUE_NUMBER) check(tamis_value_number(a, "") == tamis_value_number(b, ""));
    if (kind == TAMIS_VALUE_TEXT) check(!strcmp(tamis_value_text(a, ""), tamis_value_text(b, "")));
    if (kind != TAMIS_VALUE_NUMBERS) return;
    const double *x = tamis_value_numbers(a, "", &m), *y = tamis_value_numbers(b, "", &m);
    for (size_t i = 0; i < n; i++) check(x[i] == y[i] || (isnan(x[i]) && isnan(y[i])));
}

static void check_written(tamis_context *cx, const tamis_value *v)
{
    tamis_value *back = NULL;
    char *text = NULL, *again = NULL;
    size_t n, m;
    check(!tamis_value_json(cx, v, &text, &n));
    check(!tamis_value_parse(cx, text, n, &back));
    check_value(v, back, 0);
    check(!tamis_value_json(cx, back, &again, &m) && n == m && !memcmp(text, again, n));
    tamis_value_free(back);
    tamis_release(text);
    tamis_release(again);
}

static tamis_value *parse(tamis_context *cx, const uint8_t *data, size_t n, int unique)
{
    tamis_value *v = NULL;
    TAMIS_CALL(cx);
    int status = tamis_json_parse(cx, (const char *)data, n, unique, &v);
    check(!status == !!v && (!status || (status == TAMIS_DATA && !strncmp(tamis_error(cx), "line ", 5)) ||
                             strstr(tamis_error(cx), "not an object")));
    return v;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    tamis_context *cx = fuzz_context();
    tamis_value *v = parse(cx, data, n, 0), *unique = parse(cx, data, n, 1);
    if (v) check_written(cx, v);
    check(v || !unique);
    if (unique) check_value(v, unique, 0);
    tamis_value_free(v);
    tamis_value_free(unique);
    return 0;
}

FUZZ_MUTATOR(fuzz_mutate_json)
