/* Tables from Arrow's C data and stream interfaces. A struct array is a table, its children are the columns: integers,
 * floating-point numbers, booleans (categories, as in a file), texts, dictionaries of texts, dates and times. Rows that
 * a validity bitmap clears, of a child or of the struct, are missing. */
#include <math.h>
#include <string.h>
#include "data/arrow_abi.h"
#include "data/gather.h"

/* ---- a column of one batch ---- */

typedef double read_number(const void *values, size_t i);
typedef const char *read_text(const struct ArrowArray *a, size_t i, size_t *n);

/* What a format string means; `format` and `unit` of numbers that tamis_number_format reads, else number or text. */
struct form {
    const char *code;
    int prefix;                 /* a time zone follows */
    int format;
    double unit;
    read_number *number;
    read_text *text;
    int buffers;
};

struct child {
    const char *name;
    const struct form *form, *text_form;                /* text_form: of the texts in `values` */
    const struct ArrowArray *parent, *array, *values;   /* values: the dictionary, or the array itself */
    size_t at, values_at;                               /* index of row 0 in array; of text 0 in values */
};

/* Bit i of a bitmap; one that is absent has them all set. */
static int bit(const void *map, size_t i) { return !map || ((const unsigned char *)map)[i / 8] >> i % 8 & 1; }

static int valid(const struct ArrowArray *a, size_t i)
{
    return a->n_buffers < 1 || !a->null_count || bit(a->buffers[0], i);
}

static int child_missing(const void *from, size_t row)
{
    const struct child *c = from;
    return !valid(c->parent, (size_t)c->parent->offset + row) || !valid(c->array, c->at + row);
}

static double child_number(const void *from, size_t row)
{
    const struct child *c = from;
    const struct tamis_number_format *f = c->form->number ? NULL : tamis_number_format(c->form->format);
    size_t i = c->at + row;
    return f ? f->read((const char *)c->array->buffers[1] + i * f->size) : c->form->number(c->array->buffers[1], i);
}

static double all_missing(const void *from, size_t row)
{
    (void)from, (void)row;
    return NAN;
}

/* Text i of the values: by row, or by code. Cut at a zero byte: labels are C strings. */
static const char *child_text(const void *from, size_t i, size_t *n)
{
    const struct child *c = from;
    size_t k = c->values_at + i;
    const char *s = valid(c->values, k) ? c->text_form->text(c->values, k, n) : NULL;
    if (s) *n = strnlen(s, *n);
    return s;
}

/* ---- formats ---- */

static double read_bit(const void *values, size_t i) { return bit(values, i); }

static const char *boolean_text(const void *from, size_t i, size_t *n)
{
    (void)from;
    *n = i ? 4 : 5;
    return i ? "True" : "False";
}

/* IEEE 754 half precision: 1 sign bit, 5 of the exponent, 10 of the fraction. */
static double read_half(const void *values, size_t i)
{
    uint16_t h;
    memcpy(&h, (const char *)values + 2 * i, sizeof h);
    int exponent = h >> 10 & 31, fraction = h & 1023;
    double x = exponent == 31 ? (fraction ? NAN : INFINITY)
               : exponent     ? ldexp(1024 + fraction, exponent - 25)
                              : ldexp(fraction, -24);
    return h >> 15 ? -x : x;
}

static const char *slice(const struct ArrowArray *a, int64_t from, int64_t to, size_t *n)
{
    *n = to > from ? (size_t)(to - from) : 0;
    return *n && a->buffers[2] ? (const char *)a->buffers[2] + from : "";
}

static const char *read_utf8(const struct ArrowArray *a, size_t i, size_t *n)
{
    const int32_t *offset = a->buffers[1];
    return slice(a, offset[i], offset[i + 1], n);
}

static const char *read_large_utf8(const struct ArrowArray *a, size_t i, size_t *n)
{
    const int64_t *offset = a->buffers[1];
    return slice(a, offset[i], offset[i + 1], n);
}

/* A view: length, then the bytes themselves where there are at most 12, else 4 of them, buffer and offset. */
static const char *read_view(const struct ArrowArray *a, size_t i, size_t *n)
{
    const char *view = (const char *)a->buffers[1] + 16 * i;
    int32_t word[4];
    memcpy(word, view, sizeof word);
    *n = word[0] > 0 ? (size_t)word[0] : 0;
    return word[0] <= 12 ? view + 4 : (const char *)a->buffers[2 + word[2]] + word[3];
}

static const struct form forms[] = {
    {.code = "c", .format = TAMIS_I8, .buffers = 2},
    {.code = "C", .format = TAMIS_U8, .buffers = 2},
    {.code = "s", .format = TAMIS_I16, .buffers = 2},
    {.code = "S", .format = TAMIS_U16, .buffers = 2},
    {.code = "i", .format = TAMIS_I32, .buffers = 2},
    {.code = "I", .format = TAMIS_U32, .buffers = 2},
    {.code = "l", .format = TAMIS_I64, .buffers = 2},
    {.code = "L", .format = TAMIS_U64, .buffers = 2},
    {.code = "e", .number = read_half, .buffers = 2},
    {.code = "f", .format = TAMIS_F32, .buffers = 2},
    {.code = "g", .format = TAMIS_F64, .buffers = 2},
    {.code = "b", .number = read_bit, .buffers = 2},
    {.code = "n"},
    {.code = "tdD", .format = TAMIS_I32, .unit = 1, .buffers = 2},
    {.code = "tdm", .format = TAMIS_I64, .unit = 86400e3, .buffers = 2},
    {.code = "tss:", .prefix = 1, .format = TAMIS_I64, .unit = 86400, .buffers = 2},
    {.code = "tsm:", .prefix = 1, .format = TAMIS_I64, .unit = 86400e3, .buffers = 2},
    {.code = "tsu:", .prefix = 1, .format = TAMIS_I64, .unit = 86400e6, .buffers = 2},
    {.code = "tsn:", .prefix = 1, .format = TAMIS_I64, .unit = 86400e9, .buffers = 2},
    {.code = "u", .text = read_utf8, .buffers = 3},
    {.code = "U", .text = read_large_utf8, .buffers = 3},
    {.code = "vu", .text = read_view, .buffers = 3},
};

static const struct form *form_find(const char *code)
{
    for (size_t i = 0; code && i < sizeof forms / sizeof *forms; i++)
        if (forms[i].prefix ? !strncmp(code, forms[i].code, strlen(forms[i].code)) : !strcmp(code, forms[i].code))
            return &forms[i];
    return NULL;
}

static int unsupported(tamis_context *cx, const char *column, const char *what, const char *format)
{
    return tamis_fail(cx, TAMIS_DATA, "column '%.60s': Arrow %s '%.40s' is not supported; cast it to numbers or text",
                      column, what, format ? format : "");
}

static int malformed(tamis_context *cx, const char *column, const char *what)
{
    return tamis_fail(cx, TAMIS_DATA, "column '%.60s': its Arrow array %s", column, what);
}

/* Buffers for `rows` values. */
static int array_check(tamis_context *cx, const char *column, const struct form *f, const struct ArrowArray *a,
                       size_t rows)
{
    if (a->offset < 0 || a->length < 0 || (size_t)a->length < rows) return malformed(cx, column, "is too short");
    if (a->n_buffers < f->buffers || (f->buffers && rows && !a->buffers[1]))
        return malformed(cx, column, "lacks a buffer");
    return TAMIS_OK;
}

static int dictionary_take(tamis_context *cx, const struct ArrowSchema *s, struct child *c)
{
    const struct tamis_number_format *f = c->form->number ? NULL : tamis_number_format(c->form->format);
    if (!f || !f->integer || c->form->unit > 0 || c->form->text || !c->form->buffers)
        return unsupported(cx, c->name, "index type", s->format);
    c->text_form = form_find(s->dictionary->format);
    if (!c->text_form || !c->text_form->text)
        return unsupported(cx, c->name, "dictionary of type", s->dictionary->format);
    if (!(c->values = c->array->dictionary)) return malformed(cx, c->name, "lacks its dictionary");
    c->values_at = c->values->offset > 0 ? (size_t)c->values->offset : 0;
    return array_check(cx, c->name, c->text_form, c->values, c->values->length > 0 ? (size_t)c->values->length : 0);
}

/* Child j of a batch, checked. */
static int child_take(tamis_context *cx, const struct ArrowSchema *s, const struct ArrowArray *parent, size_t j,
                      struct child *c)
{
    *c = (struct child){.name = s->name, .form = form_find(s->format), .parent = parent, .array = parent->children[j]};
    if (!c->form) return unsupported(cx, c->name, "type", s->format);
    int status = array_check(cx, c->name, c->form, c->array, (size_t)(parent->offset + parent->length));
    if (status) return status;
    c->at = (size_t)(parent->offset + c->array->offset);
    if (s->dictionary) return dictionary_take(cx, s, c);
    if (!c->form->text) return TAMIS_OK;
    c->text_form = c->form;
    c->values = c->array;
    c->values_at = c->at;
    return TAMIS_OK;
}

static int child_add(struct tamis_gather *g, const struct ArrowSchema *s, const struct ArrowArray *parent, size_t j)
{
    struct child c;
    int status = child_take(g->cx, s, parent, j, &c);
    if (status) return status;
    struct tamis_piece p = {.rows = (size_t)parent->length, .from = &c, .missing = child_missing, .unit = c.form->unit};
    if (!c.form->buffers) p.number = all_missing;
    else if (!c.form->text) p.number = child_number;
    if (c.text_form) p.text = child_text;
    if (s->dictionary) p.levels = (size_t)c.values->length;
    if (c.form->number == read_bit) p.text = boolean_text, p.levels = 2;
    return tamis_gather_add(g, &p);
}

/* ---- tables ---- */

struct arrow_table {
    tamis_context *cx;
    const struct ArrowSchema *schema;
    size_t columns, rows;
    struct tamis_gather *gather;
};

static int table_start(struct arrow_table *a, const struct ArrowSchema *schema)
{
    a->schema = schema;
    if (!schema->format || strcmp(schema->format, "+s"))
        return tamis_fail(a->cx, TAMIS_DATA, "the Arrow data have type '%.40s'; a struct (+s), whose children are the "
                          "columns, is needed", schema->format ? schema->format : "");
    size_t columns = schema->n_children > 0 ? (size_t)schema->n_children : 0;
    if (!(a->gather = tamis_new(a->cx, struct tamis_gather, columns))) return TAMIS_MEMORY;
    for (a->columns = 0; a->columns < columns; a->columns++) {
        const char *name = schema->children[a->columns]->name;
        int status = tamis_column_named(a->cx, name, a->columns + 1);
        if (status) return status;
        a->gather[a->columns] = (struct tamis_gather){.cx = a->cx, .name = name};
    }
    return TAMIS_OK;
}

static int batch_add(struct arrow_table *a, const struct ArrowArray *batch)
{
    if (batch->n_children != a->schema->n_children || batch->length < 0 || batch->offset < 0)
        return tamis_fail(a->cx, TAMIS_DATA, "the Arrow array does not match its schema: %lld children, %lld expected",
                          (long long)batch->n_children, (long long)a->schema->n_children);
    int status = tamis_check_cancel(a->cx);
    if (batch->length) a->rows += (size_t)batch->length;
    if (!status && a->rows && a->columns) status = tamis_shape_check(a->cx, a->rows, a->columns);
    for (size_t j = 0; j < a->columns && !status && batch->length; j++)
        status = child_add(&a->gather[j], a->schema->children[j], batch, j);
    return status;
}

static int table_make(struct arrow_table *a, tamis_table *t)
{
    t->rows = a->rows;
    if (!(t->column = tamis_new(a->cx, struct tamis_data_column, a->columns))) return TAMIS_MEMORY;
    for (; t->columns < a->columns; t->columns++) {
        int status = tamis_gather_end(&a->gather[t->columns], &t->column[t->columns]);
        if (status) return status;
    }
    return tamis_names_distinct(a->cx, t);
}

/* Gives back what was gathered; *out where all went well. */
static int table_finish(struct arrow_table *a, int status, tamis_table **out)
{
    if (!status) status = tamis_shape_check(a->cx, a->rows, a->columns);
    tamis_table *t = status ? NULL : tamis_table_new(a->cx, "table");
    if (!status) status = t ? table_make(a, t) : TAMIS_MEMORY;
    for (size_t j = 0; j < a->columns; j++) tamis_gather_free(&a->gather[j]);
    tamis_free(a->gather);
    if (!status) *out = t;
    else tamis_table_free(t);
    return status;
}

int tamis_table_from_arrow(tamis_context *cx, struct ArrowSchema *schema, struct ArrowArray *array, tamis_table **out)
{
    TAMIS_CALL(cx);
    struct arrow_table a = {.cx = cx};
    *out = NULL;
    int status = tamis_check_cancel(cx);
    if (!status && (!schema->release || !array->release))
        status = tamis_fail(cx, TAMIS_USAGE, "the Arrow schema or array was already released");
    if (!status) status = table_start(&a, schema);
    if (!status) status = batch_add(&a, array);
    status = table_finish(&a, status, out);
    if (array->release) array->release(array);
    if (schema->release) schema->release(schema);
    return status;
}

/* ---- streams ---- */

static int stream_failed(tamis_context *cx, struct ArrowArrayStream *stream, int code)
{
    const char *why = stream->get_last_error(stream);
    return tamis_fail(cx, TAMIS_DATA, "the Arrow stream failed: %s", why && *why ? why : strerror(code));
}

static int batches_add(struct arrow_table *a, struct ArrowArrayStream *stream)
{
    for (;;) {
        struct ArrowArray batch = {.release = NULL};
        int code = stream->get_next(stream, &batch);
        if (code) return stream_failed(a->cx, stream, code);
        if (!batch.release) return TAMIS_OK;
        int status = batch_add(a, &batch);
        batch.release(&batch);
        if (status) return status;
    }
}

int tamis_table_from_arrow_stream(tamis_context *cx, struct ArrowArrayStream *stream, tamis_table **out)
{
    TAMIS_CALL(cx);
    struct arrow_table a = {.cx = cx};
    struct ArrowSchema schema = {.release = NULL};
    *out = NULL;
    int status = tamis_check_cancel(cx);
    if (!status && !stream->release)
        status = tamis_fail(cx, TAMIS_USAGE, "the Arrow stream was already released");
    int code = status ? 0 : stream->get_schema(stream, &schema);
    if (code) status = stream_failed(cx, stream, code);
    if (!status) status = table_start(&a, &schema);
    if (!status) status = batches_add(&a, stream);
    status = table_finish(&a, status, out);
    if (schema.release) schema.release(&schema);
    if (stream->release) stream->release(stream);
    return status;
}
