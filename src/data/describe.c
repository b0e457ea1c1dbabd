/* What a table contains: its columns' summaries. */
#include <math.h>
#include <string.h>
#include "base/value.h"
#include "data/bits.h"
#include "data/dates.h"
#include "data/roles.h"

/* ---- summaries ---- */

static int count_distinct(tamis_context *cx, const double *x, size_t n, size_t *out)
{
    size_t slots = tamis_bits_slots(n), distinct = 0;
    uint64_t *set = tamis_raw(cx, uint64_t, slots);
    if (!set) return TAMIS_MEMORY;
    memset(set, 0xFF, slots * sizeof *set);             /* TAMIS_BITS_NAN: free */
    for (size_t i = 0; i < n; i++) {
        uint64_t v = tamis_bits_of(x[i]);
        size_t k = tamis_bits_mix(tamis_bits_mix(1, v), v) & (slots - 1);
        if (v == TAMIS_BITS_NAN) continue;
        while (set[k] != TAMIS_BITS_NAN && set[k] != v) k = (k + 1) & (slots - 1);
        distinct += set[k] == TAMIS_BITS_NAN;
        set[k] = v;
    }
    tamis_free(set);
    *out = distinct;
    return TAMIS_OK;
}

/* In long doubles, so that sums and squares of values near the largest double do not overflow. */
static void summarise(const struct tamis_data_column *c, size_t rows, struct tamis_column_summary *out)
{
    long double sum = 0, squares = 0, n = (long double)(rows - out->missing);
    out->least = INFINITY;
    out->largest = -INFINITY;
    for (size_t i = 0; i < rows; i++) {
        if (isnan(c->value[i])) continue;
        sum += c->value[i];
        if (c->value[i] < out->least) out->least = c->value[i];
        if (c->value[i] > out->largest) out->largest = c->value[i];
    }
    long double mean = out->least == out->largest ? (long double)out->least : sum / n;
    for (size_t i = 0; i < rows; i++)
        if (!isnan(c->value[i])) squares += (c->value[i] - mean) * (c->value[i] - mean);
    out->mean = (double)mean;
    out->sd = (double)sqrtl(squares / n);
}

int tamis_column_summarise(tamis_context *cx, const tamis_table *t, size_t column, struct tamis_column_summary *out)
{
    const struct tamis_data_column *c = &t->column[column];
    *out = (struct tamis_column_summary){.name = c->name,
                                         .units = c->units,
                                         .type = c->type,
                                         .date = c->date,
                                         .least = NAN,
                                         .largest = NAN,
                                         .mean = NAN,
                                         .sd = NAN,
                                         .levels = c->levels,
                                         .level = (const char *const *)c->level};
    for (size_t i = 0; i < t->rows; i++) out->missing += isnan(c->value[i]) != 0;
    if (c->type == TAMIS_NUMBER && out->missing < t->rows) summarise(c, t->rows, out);
    return count_distinct(cx, c->value, t->rows, &out->distinct);
}

const char *tamis_type_name(const struct tamis_column_summary *c)
{
    return c->date ? "date" : c->type == TAMIS_NUMBER ? "number" : "category";
}

/* ---- the whole table as a value ---- */

enum { LEVELS_SHOWN = 20 };

static void describe_role(tamis_value *to, const tamis_table *t, const struct tamis_column_role *r)
{
    tamis_add_text(to, "role", tamis_role_name(r->role));
    if (r->role == TAMIS_ROLE_DUPLICATE) tamis_add_text(to, "duplicate_of", t->column[r->of].name);
    if (r->why && !r->use) tamis_add_text(to, "reason", r->why);
}

void tamis_add_span(tamis_value *to, const struct tamis_column_summary *c)
{
    char text[32];
    tamis_add_text(to, "first", tamis_date_text(c->least, c->date, text));
    tamis_add_text(to, "last", tamis_date_text(c->largest, c->date, text));
}

static void describe_column(tamis_value *to, const tamis_table *t, const struct tamis_column_summary *c,
                            const struct tamis_column_role *r)
{
    tamis_add_text(to, "name", c->name);
    tamis_add_text(to, "type", tamis_type_name(c));
    if (c->units) tamis_add_text(to, "units", c->units);
    describe_role(to, t, r);
    tamis_add_number(to, "missing", (double)c->missing);
    tamis_add_number(to, "distinct", (double)c->distinct);
    tamis_add_flag(to, "constant", c->distinct <= 1);
    tamis_add_number(to, "min", c->least);
    tamis_add_number(to, "max", c->largest);
    tamis_add_number(to, "mean", c->mean);
    tamis_add_number(to, "sd", c->sd);
    if (c->date && c->distinct) tamis_add_span(to, c);
    if (c->type != TAMIS_CATEGORY) return;
    tamis_add_texts(to, "levels", c->level, c->levels < LEVELS_SHOWN ? c->levels : LEVELS_SHOWN);
    tamis_add_number(to, "levels_total", (double)c->levels);
}

static int describe(tamis_context *cx, const tamis_table *t, const struct tamis_column_role *role, tamis_value *v)
{
    size_t duplicates = 0;
    int status = tamis_table_duplicates(cx, t, &duplicates);
    tamis_add_text(v, "file", t->file);
    tamis_add_number(v, "rows", (double)t->rows);
    tamis_add_number(v, "duplicate_rows", (double)duplicates);
    tamis_value *columns = tamis_add_list(v, "columns");
    for (size_t j = 0; j < t->columns && !status; j++) {
        struct tamis_column_summary c;
        status = tamis_column_summarise(cx, t, j, &c);
        if (!status) describe_column(tamis_add_record(columns, NULL), t, &c, &role[j]);
        if (!status) status = tamis_check_cancel(cx);
    }
    return status ? status : tamis_status(cx);
}

static int describe_roles(tamis_context *cx, const tamis_table *t, const tamis_options *o, tamis_value *v)
{
    struct tamis_roles asked = {.force = -1};
    struct tamis_column_role *role = tamis_raw(cx, struct tamis_column_role, t->columns);
    int status = role ? tamis_roles_read(cx, o, &asked) : TAMIS_MEMORY;
    if (!status) status = tamis_roles_find(cx, t, &asked, role);
    if (!status) status = tamis_roles_describe(cx, t, role);
    if (!status) status = describe(cx, t, role, v);
    tamis_free(role);
    return status;
}

int tamis_table_describe_with(tamis_context *cx, const tamis_table *t, const tamis_options *o, tamis_value **out)
{
    TAMIS_CALL(cx);
    *out = NULL;
    int status = tamis_check_cancel(cx);
    tamis_value *v = status ? NULL : tamis_record_new(cx);
    if (!status) status = v ? describe_roles(cx, t, o, v) : TAMIS_MEMORY;
    if (!status) *out = v;
    else tamis_value_free(v);
    return status;
}

int tamis_table_describe(tamis_context *cx, const tamis_table *t, tamis_value **out)
{
    TAMIS_CALL(cx);
    return tamis_table_describe_with(cx, t, NULL, out);
}
