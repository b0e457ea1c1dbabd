/* Results as data. A node owns its children; a record keeps its keys in the order in which they were added. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/format.h"
#include "base/number.h"
#include "base/value.h"

struct tamis_value {
    tamis_context *cx;
    int kind;                           /* enum tamis_value_kind */
    size_t count, room;                 /* of numbers or children */
    union {
        double number;
        int flag;
        char *text;
        double *numbers;
        tamis_value **child;
    };
    char **key;                         /* of a record's children */
};

/* ---- building ---- */

static tamis_value *node_new(tamis_context *cx, int kind)
{
    tamis_value *v = tamis_new(cx, tamis_value, 1);
    if (v) *v = (tamis_value){.cx = cx, .kind = kind};
    return v;
}

tamis_value *tamis_record_new(tamis_context *cx) { return node_new(cx, TAMIS_VALUE_RECORD); }
tamis_value *tamis_list_new(tamis_context *cx) { return node_new(cx, TAMIS_VALUE_LIST); }

void tamis_value_free(tamis_value *v)
{
    if (!v) return;
    int parent = v->kind == TAMIS_VALUE_RECORD || v->kind == TAMIS_VALUE_LIST;
    for (size_t i = 0; parent && i < v->count; i++) {
        tamis_value_free(v->child[i]);
        if (v->key) tamis_free(v->key[i]);
    }
    if (parent) tamis_free(v->child);
    if (v->kind == TAMIS_VALUE_TEXT) tamis_free(v->text);
    if (v->kind == TAMIS_VALUE_NUMBERS) tamis_free(v->numbers);
    tamis_free(v->key);
    tamis_free(v);
}

static int room_make(tamis_value *v)
{
    if (v->count < v->room) return 1;
    size_t room = 2 * v->room + 4;
    tamis_value **child = tamis_grow(v->cx, v->child, room, sizeof *child);
    if (child) v->child = child;
    char **key = child && v->kind == TAMIS_VALUE_RECORD ? tamis_grow(v->cx, v->key, room, sizeof *key) : NULL;
    if (key) v->key = key;
    if (!child || (v->kind == TAMIS_VALUE_RECORD && !key)) return 0;
    v->room = room;
    return 1;
}

void tamis_add_child(tamis_value *to, const char *key, tamis_value *child)
{
    int record = to && to->kind == TAMIS_VALUE_RECORD;
    char *copy = child && record ? tamis_strdup(to->cx, key) : NULL;
    if (!to || !child || (record && !copy) || !room_make(to)) {
        tamis_free(copy);
        tamis_value_free(child);
        return;
    }
    if (record) to->key[to->count] = copy;
    to->child[to->count++] = child;
}

static tamis_value *add(tamis_value *to, const char *key, int kind)
{
    if (!to) return NULL;
    tamis_value *v = node_new(to->cx, kind);
    size_t before = to->count;
    tamis_add_child(to, key, v);
    return to->count > before ? v : NULL;
}

tamis_value *tamis_add_record(tamis_value *to, const char *key) { return add(to, key, TAMIS_VALUE_RECORD); }
tamis_value *tamis_add_list(tamis_value *to, const char *key) { return add(to, key, TAMIS_VALUE_LIST); }
void tamis_add_null(tamis_value *to, const char *key) { add(to, key, TAMIS_VALUE_NULL); }

void tamis_add_exact(tamis_value *to, const char *key, double x)
{
    tamis_value *v = add(to, key, isfinite(x) ? TAMIS_VALUE_NUMBER : TAMIS_VALUE_NULL);
    if (v && isfinite(x)) v->number = x;
}

void tamis_add_number(tamis_value *to, const char *key, double x) { tamis_add_exact(to, key, x + 0.0); }

void tamis_add_flag(tamis_value *to, const char *key, int flag)
{
    tamis_value *v = add(to, key, TAMIS_VALUE_FLAG);
    if (v) v->flag = flag != 0;
}

void tamis_add_text(tamis_value *to, const char *key, const char *s)
{
    tamis_value *v = add(to, key, TAMIS_VALUE_NULL);
    char *copy = v && s ? tamis_strdup(v->cx, s) : NULL;
    if (!copy) return;
    v->kind = TAMIS_VALUE_TEXT;
    v->text = copy;
}

void tamis_add_texts(tamis_value *to, const char *key, const char *const *s, size_t n)
{
    tamis_value *list = tamis_add_list(to, key);
    for (size_t i = 0; list && i < n; i++) tamis_add_text(list, NULL, s[i]);
}

double *tamis_add_room(tamis_value *to, const char *key, size_t n)
{
    tamis_value *v = add(to, key, TAMIS_VALUE_NUMBERS);
    if (v && n && (v->numbers = tamis_raw(v->cx, double, n))) v->count = n;
    return v ? v->numbers : NULL;
}

void tamis_add_numbers(tamis_value *to, const char *key, const double *x, size_t n)
{
    double *copy = tamis_add_room(to, key, n);
    for (size_t i = 0; copy && i < n; i++) copy[i] = isfinite(x[i]) ? x[i] + 0.0 : NAN;
}

/* ---- six digits ---- */

/* By printf, recomposed from its digits. */
double tamis_six_digits(double x)
{
    char buffer[48];
    if (!isfinite(x) || x == 0) return x;
    tamis_snprintf(buffer, sizeof buffer, "%.5e", fabs(x));
    const char *c = buffer;
    uint64_t digits = 0;
    for (; *c != 'e'; c++)
        if (*c >= '0' && *c <= '9') digits = 10 * digits + (uint64_t)(*c - '0');
    return copysign(tamis_number_compose(digits, strtol(c + 1, NULL, 10) - 5), x);
}

void tamis_add_rounded(tamis_value *to, const char *key, double x) { tamis_add_number(to, key, tamis_six_digits(x)); }

/* ---- reading ---- */

int tamis_value_kind(const tamis_value *v) { return v ? v->kind : TAMIS_VALUE_NULL; }
size_t tamis_value_length(const tamis_value *v) { return v ? v->count : 0; }

static int parent_of(const tamis_value *v, size_t i)
{
    return v && i < v->count && (v->kind == TAMIS_VALUE_LIST || v->kind == TAMIS_VALUE_RECORD);
}

const tamis_value *tamis_value_item(const tamis_value *v, size_t i) { return parent_of(v, i) ? v->child[i] : NULL; }

const char *tamis_value_key(const tamis_value *v, size_t i)
{
    return v && v->kind == TAMIS_VALUE_RECORD && i < v->count ? v->key[i] : NULL;
}

static const tamis_value *member(const tamis_value *v, const char *key, size_t n)
{
    for (size_t i = 0; v && v->kind == TAMIS_VALUE_RECORD && i < v->count; i++)
        if (!strncmp(v->key[i], key, n) && !v->key[i][n]) return v->child[i];
    return NULL;
}

const tamis_value *tamis_value_get(const tamis_value *v, const char *key) { return member(v, key, strlen(key)); }

const tamis_value *tamis_value_at(const tamis_value *v, const char *path)
{
    while (v && path && *path) {
        size_t n = strcspn(path, ".");
        v = member(v, path, n);
        path += n + (path[n] == '.');
    }
    return v;
}

double tamis_value_number(const tamis_value *v, const char *path)
{
    v = tamis_value_at(v, path);
    return v && v->kind == TAMIS_VALUE_NUMBER ? v->number : NAN;
}

const char *tamis_value_text(const tamis_value *v, const char *path)
{
    v = tamis_value_at(v, path);
    return v && v->kind == TAMIS_VALUE_TEXT ? v->text : NULL;
}

int tamis_value_flag(const tamis_value *v, const char *path)
{
    v = tamis_value_at(v, path);
    return v && v->kind == TAMIS_VALUE_FLAG && v->flag;
}

const double *tamis_value_numbers(const tamis_value *v, const char *path, size_t *n)
{
    v = tamis_value_at(v, path);
    *n = v && v->kind == TAMIS_VALUE_NUMBERS ? v->count : 0;
    return *n ? v->numbers : NULL;
}

double tamis_value_item_number(const tamis_value *v, size_t i)
{
    if (v && v->kind == TAMIS_VALUE_NUMBERS) return i < v->count ? v->numbers[i] : NAN;
    return tamis_value_number(tamis_value_item(v, i), NULL);
}
