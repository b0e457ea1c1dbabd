/* Tables from a program's own arrays. */
#include <math.h>
#include <string.h>
#include "base/format.h"
#include "data/gather.h"

/* ---- a table and its columns ---- */

int tamis_column_named(tamis_context *cx, const char *name, size_t number)
{
    return name && *name ? TAMIS_OK
                         : tamis_fail(cx, TAMIS_DATA, "column %zu has no name; every column needs one", number);
}

enum { COLUMN = 128 };          /* bytes of a column beside its values: how it is read, its name */

int tamis_shape_check(tamis_context *cx, size_t rows, size_t columns)
{
    if (!rows || !columns)
        return tamis_fail(cx, TAMIS_DATA, "the table has %zu rows and %zu columns; at least one of each is needed",
                          rows, columns);
    double bytes = (8 * (double)rows + COLUMN) * (double)columns;
    return bytes > 1e8 ? tamis_memory_check(cx, bytes, "the table", "drop rows or columns") : TAMIS_OK;
}

int tamis_names_number(tamis_context *cx, const tamis_table *t, struct tamis_labels *out)
{
    *out = (struct tamis_labels){0};
    for (size_t j = 0; j < t->columns; j++) {
        long k = tamis_labels_put(cx, out, t->column[j].name, strlen(t->column[j].name));
        if (k < 0) return TAMIS_MEMORY;
        if ((size_t)k < j)
            return tamis_fail(cx, TAMIS_DATA, "columns %ld and %zu are both named '%.60s'; rename one", k + 1, j + 1,
                              t->column[j].name);
    }
    return TAMIS_OK;
}

int tamis_names_distinct(tamis_context *cx, const tamis_table *t)
{
    struct tamis_labels seen;
    int status = tamis_names_number(cx, t, &seen);
    tamis_labels_free(&seen);
    return status;
}

/* ---- one column ---- */

static const char *cell(const tamis_column *c, size_t i) { return (const char *)c->value + (ptrdiff_t)i * c->stride; }

static int masked(const void *from, size_t i) { return ((const tamis_column *)from)->missing[i] != 0; }

static double number(const void *from, size_t i)
{
    const tamis_column *c = from;
    return tamis_number_format(c->format)->read(cell(c, i));
}

/* NumPy and pandas write a missing time as the least integer. */
static double instant(const void *from, size_t i)
{
    double x = number(from, i);
    return x == (double)INT64_MIN ? NAN : x;
}

static const char *measured(const char *s, size_t *n)
{
    *n = s ? strlen(s) : 0;
    return s;
}

static const char *text_of_row(const void *from, size_t i, size_t *n)
{
    const char *s;
    memcpy(&s, cell(from, i), sizeof s);
    return measured(s, n);
}

static const char *text_of_level(const void *from, size_t i, size_t *n)
{
    return measured(((const tamis_column *)from)->level[i], n);
}

static int column_wrong(tamis_context *cx, const tamis_column *c, const char *what)
{
    return tamis_fail(cx, TAMIS_USAGE, "column '%.60s': %s", c->name, what);
}

static int column_check(tamis_context *cx, const tamis_column *c, size_t number)
{
    const struct tamis_number_format *f = tamis_number_format(c->format);
    int status = tamis_column_named(cx, c->name, number);
    if (status) return status;
    if (!c->value) return column_wrong(cx, c, "value is NULL");
    if (!f && c->format != TAMIS_TEXT_POINTERS) return column_wrong(cx, c, "format is not one of enum tamis_format");
    if (!c->level && c->levels) return column_wrong(cx, c, "levels is set, but level is NULL");
    if (c->level && !(f && f->integer)) return column_wrong(cx, c, "codes of levels must be integers");
    if (!(c->unit >= 0) || isinf(c->unit)) return column_wrong(cx, c, "unit must be 0, or units per day");
    if (c->unit > 0 && (c->level || !f)) return column_wrong(cx, c, "unit is for numbers, not for categories");
    return TAMIS_OK;
}

/* Doubles side by side that nothing is to be done to. */
static int can_borrow(const tamis_column *c)
{
    return c->borrow && c->format == TAMIS_F64 && c->stride == sizeof(double) && !c->level && !c->missing &&
           !(c->unit > 0) && (uintptr_t)c->value % _Alignof(double) == 0;
}

static int column_borrow(tamis_context *cx, const tamis_column *c, size_t rows, struct tamis_data_column *out)
{
    const double *x = c->value;
    for (size_t i = 0; i < rows; i++)
        if (isinf(x[i])) return tamis_infinite(cx, i, c->name);
    char *name = tamis_strdup(cx, c->name);
    if (!name) return TAMIS_MEMORY;
    *out = (struct tamis_data_column){
        .name = name, .type = TAMIS_NUMBER, .value = (double *)(uintptr_t)x, .borrowed = 1};
    return TAMIS_OK;
}

static int column_copy(tamis_context *cx, const tamis_column *c, size_t rows, struct tamis_data_column *out)
{
    struct tamis_gather g = {.cx = cx, .name = c->name};
    struct tamis_piece p = {.rows = rows, .from = c, .levels = c->levels, .unit = c->unit};
    if (c->missing) p.missing = masked;
    if (c->format != TAMIS_TEXT_POINTERS) p.number = c->unit > 0 && c->format == TAMIS_I64 ? instant : number;
    if (c->level) p.text = text_of_level;
    else if (!p.number) p.text = text_of_row;
    int status = tamis_gather_add(&g, &p);
    if (!status) status = tamis_gather_end(&g, out);
    tamis_gather_free(&g);
    return status;
}

/* c's stride is known. */
static int column_make(tamis_context *cx, const tamis_column *c, size_t rows, struct tamis_data_column *out)
{
    return can_borrow(c) ? column_borrow(cx, c, rows, out) : column_copy(cx, c, rows, out);
}

/* A caller may know fewer fields than we do, or more: its size says where the next column begins. */
static int column_take(tamis_context *cx, const tamis_column *given, size_t number, size_t rows,
                       struct tamis_data_column *out)
{
    tamis_column c = {.size = given->size};
    if (given->size < offsetof(tamis_column, borrow) + sizeof given->borrow)
        return tamis_fail(cx, TAMIS_USAGE, "column %zu: its size is not set; give it sizeof(tamis_column)", number);
    memcpy(&c, given, given->size < sizeof c ? given->size : sizeof c);
    int status = column_check(cx, &c, number);
    const struct tamis_number_format *f = status ? NULL : tamis_number_format(c.format);
    if (!c.stride) c.stride = (ptrdiff_t)(f ? f->size : sizeof(char *));
    return status ? status : column_make(cx, &c, rows, out);
}

/* ---- tables ---- */

/* A table of `columns` empty columns, to be filled one after another. */
static tamis_table *table_begin(tamis_context *cx, const char *name, size_t rows, size_t columns)
{
    if (tamis_check_cancel(cx) || tamis_shape_check(cx, rows, columns)) return NULL;
    tamis_table *t = tamis_table_new(cx, name && *name ? name : "table");
    if (!t) return NULL;
    t->rows = rows;
    if ((t->column = tamis_new(cx, struct tamis_data_column, columns))) return t;
    tamis_table_free(t);
    return NULL;
}

static int table_end(tamis_context *cx, tamis_table *t, tamis_table **out)
{
    if (!tamis_status(cx)) tamis_names_distinct(cx, t);
    if (!tamis_status(cx)) *out = t;
    else tamis_table_free(t);
    return tamis_status(cx);
}

int tamis_table_from_columns(tamis_context *cx, const char *name, size_t rows, const tamis_column *column,
                             size_t columns, tamis_table **out)
{
    TAMIS_CALL(cx);
    *out = NULL;
    tamis_table *t = table_begin(cx, name, rows, columns);
    const char *at = (const char *)column;
    for (size_t j = 0; t && j < columns; j++, at += column->size) {
        if (column_take(cx, (const tamis_column *)(const void *)at, j + 1, rows, &t->column[j])) break;
        t->columns = j + 1;
    }
    return t ? table_end(cx, t, out) : tamis_status(cx);
}

int tamis_table_add(tamis_context *cx, tamis_table *t, const tamis_column *column)
{
    TAMIS_CALL(cx);
    struct tamis_data_column made = {0}, *grown;
    int status = tamis_check_cancel(cx);
    if (!status) status = column_take(cx, column, t->columns + 1, t->rows, &made);
    for (size_t j = 0; !status && j < t->columns; j++)
        if (!strcmp(t->column[j].name, made.name))
            status = tamis_fail(cx, TAMIS_DATA, "the table already has a column '%.60s'; rename one", made.name);
    if (!status && !(grown = tamis_grow(cx, t->column, t->columns + 1, sizeof *grown))) status = TAMIS_MEMORY;
    if (status) {
        tamis_data_column_free(&made);
        return status;
    }
    t->column = grown;
    t->column[t->columns++] = made;
    return TAMIS_OK;
}

int tamis_table_from_numbers(tamis_context *cx, size_t rows, size_t columns, const double *x, ptrdiff_t row_stride,
                             ptrdiff_t column_stride, const char *const *names, tamis_table **out)
{
    TAMIS_CALL(cx);
    *out = NULL;
    tamis_table *t = table_begin(cx, NULL, rows, columns);
    for (size_t j = 0; t && j < columns; j++) {
        char made[32];
        tamis_snprintf(made, sizeof made, "x%zu", j + 1);
        tamis_column c = {.name = names ? names[j] : made, .value = x + (ptrdiff_t)j * column_stride,
                          .format = TAMIS_F64, .stride = row_stride * (ptrdiff_t)sizeof *x};
        if (column_check(cx, &c, j + 1) || column_make(cx, &c, rows, &t->column[j])) break;
        t->columns = j + 1;
    }
    return t ? table_end(cx, t, out) : tamis_status(cx);
}
