/* What the page asks of a result. A result may be forged: whatever is of another kind than expected counts as
 * absent. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "io/report/report.h"

/* ---- kinds ---- */

size_t tamis_page_items(const tamis_value *v)
{
    int kind = tamis_value_kind(v);
    return kind == TAMIS_VALUE_LIST || kind == TAMIS_VALUE_NUMBERS ? tamis_value_length(v) : 0;
}

int tamis_page_record(const tamis_value *v) { return tamis_value_kind(v) == TAMIS_VALUE_RECORD; }
size_t tamis_page_members(const tamis_value *v) { return tamis_page_record(v) ? tamis_value_length(v) : 0; }

const char *tamis_page_item_text(const tamis_value *v, size_t i)
{
    return i < tamis_page_items(v) ? tamis_value_text(tamis_value_item(v, i), NULL) : NULL;
}

const double *tamis_page_numbers(const tamis_value *v, const char *path, size_t *n)
{
    const double *x = tamis_value_numbers(v, path, n);
    for (size_t i = 0; i < *n; i++)
        if (isfinite(x[i])) return x;
    *n = 0;
    return NULL;
}

void tamis_page_reach(const tamis_value *list, double *from, double *to)
{
    size_t n;
    const double *x = tamis_value_numbers(list, NULL, &n);
    tamis_plot_reach(x, n, from, to);
}

/* ---- facts ---- */

const char *tamis_page_method(const tamis_value *result)
{
    const char *name = tamis_value_text(result, "method");
    return name ? name : "";
}

const tamis_value *tamis_page_own(const tamis_value *result)
{
    const tamis_value *own = tamis_value_get(result, tamis_page_method(result));
    return tamis_page_record(own) ? own : NULL;
}

const char *tamis_page_error_name(const struct tamis_page *p)
{
    const char *label = tamis_value_text(p->root, "error.label"), *name = tamis_value_text(p->root, "error.criterion");
    return label ? label : name ? name : "criterion";
}

struct tamis_estimate tamis_page_estimate(const tamis_value *r)
{
    struct tamis_estimate e = {TAMIS_NESTED, tamis_value_number(r, "error.nested"),
                               tamis_value_number(r, "error.nested_all_inputs"),
                               tamis_value_number(r, "error.nested_se")};
    if (isnan(e.error))
        e = (struct tamis_estimate){TAMIS_TESTED, tamis_value_number(r, "error.test"),
                                    tamis_value_number(r, "error.test_all_inputs"),
                                    tamis_value_number(r, "error.test_se")};
    if (isnan(e.error))
        e = (struct tamis_estimate){TAMIS_CRITERION, tamis_value_number(r, "error.selected"),
                                    tamis_value_number(r, "error.all_inputs"),
                                    tamis_value_number(r, "error.selected_se")};
    return e;
}

int tamis_page_squared(const struct tamis_page *p)
{
    const char *units = tamis_value_text(p->root, "error.units");
    return units && strstr(units, "standardised") != NULL;
}

double tamis_page_in_units(const struct tamis_page *p, double error)
{
    return tamis_page_squared(p) && error >= 0 ? sqrt(error) * tamis_value_number(p->root, "error.target_scale") : NAN;
}

int tamis_page_classes(const struct tamis_page *p)
{
    const char *task = tamis_value_text(p->root, "data.task");
    return task && !strcmp(task, "classification");
}

int tamis_page_selected(const struct tamis_page *p, const char *input)
{
    return tamis_value_flag(tamis_index_get(&p->inputs, input), "selected");
}

/* ---- by name ---- */

struct tamis_named { const char *name; const tamis_value *value; size_t at; };

static int by_name(const void *a, const void *b)
{
    const struct tamis_named *x = a, *y = b;
    int order = strcmp(x->name, y->name);
    return order ? order : (x->at > y->at) - (x->at < y->at);
}

struct tamis_index tamis_index_new(tamis_context *cx, const tamis_value *v)
{
    size_t n = tamis_value_length(v);
    int record = tamis_page_record(v);
    struct tamis_index x = {n ? tamis_raw(cx, struct tamis_named, n) : NULL, 0};
    for (size_t i = 0; x.entry && i < n; i++) {
        const tamis_value *item = tamis_value_item(v, i);
        const char *name = record ? tamis_value_key(v, i) : tamis_value_text(item, "name");
        if (name) x.entry[x.n++] = (struct tamis_named){name, item, i};
    }
    if (x.n) qsort(x.entry, x.n, sizeof *x.entry, by_name);
    return x;
}

void tamis_index_free(struct tamis_index *x) { tamis_free(x->entry); }

const tamis_value *tamis_index_get(const struct tamis_index *x, const char *name)
{
    size_t low = 0, high = name ? x->n : 0;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (strcmp(x->entry[middle].name, name) < 0) low = middle + 1;
        else high = middle;
    }
    return name && low < x->n && !strcmp(x->entry[low].name, name) ? x->entry[low].value : NULL;
}

/* ---- by a number ---- */

struct place { const tamis_value *item; double key; size_t at; };

static int by_key(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    if (isnan(x->key) != isnan(y->key)) return isnan(x->key) ? 1 : -1;
    if (x->key > y->key || x->key < y->key) return x->key > y->key ? -1 : 1;
    return (x->at > y->at) - (x->at < y->at);
}

const tamis_value **tamis_page_sorted(struct tamis_page *p, const tamis_value *list, const char *key, size_t *n)
{
    *n = tamis_page_items(list);
    struct place *place = *n ? tamis_raw(p->cx, struct place, *n) : NULL;
    const tamis_value **out = place ? tamis_raw(p->cx, const tamis_value *, *n) : NULL;
    if (!out) *n = 0;
    for (size_t i = 0; i < *n; i++) {
        const tamis_value *item = tamis_value_item(list, i);
        place[i] = (struct place){item, tamis_value_number(item, key), i};
    }
    if (out) qsort(place, *n, sizeof *place, by_key);
    for (size_t i = 0; i < *n; i++) out[i] = place[i].item;
    tamis_free(place);
    return out;
}
