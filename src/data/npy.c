/* Arrays to columns. The bytes come from a stream in blocks: rows of all columns in C order, one column after another
 * in Fortran order, records with named fields. Only the columns are kept. */
#include <math.h>
#include <string.h>
#include "base/format.h"
#include "data/gather.h"
#include "data/join.h"
#include "data/npy.h"

enum { BLOCK = 1 << 20 };

/* ---- elements ---- */

static double half(uint16_t h)
{
    int exponent = h >> 10 & 31;
    double fraction = h & 1023, x;
    if (exponent == 31) x = fraction > 0 ? NAN : INFINITY;
    else x = exponent ? ldexp(1024 + fraction, exponent - 25) : ldexp(fraction, -24);
    return h >> 15 ? -x : x;
}

static int format_of(const struct tamis_npy_field *f)
{
    static const struct { char kind; size_t size; int format; } known[] = {
        {'f', 8, TAMIS_F64}, {'f', 4, TAMIS_F32}, {'i', 1, TAMIS_I8},  {'i', 2, TAMIS_I16}, {'i', 4, TAMIS_I32},
        {'i', 8, TAMIS_I64}, {'u', 1, TAMIS_U8},  {'u', 2, TAMIS_U16}, {'u', 4, TAMIS_U32}, {'u', 8, TAMIS_U64},
        {'b', 1, TAMIS_BOOL}, {'f', 2, TAMIS_U16}};
    size_t k = 0;
    while (known[k].kind != f->kind || known[k].size != f->size) k++;
    return known[k].format;
}

static void bytes_of(const struct tamis_npy_field *f, const unsigned char *p, unsigned char *out, size_t size)
{
    for (size_t k = 0; k < size; k++) out[k] = p[f->swap ? size - 1 - k : k];
}

static void numbers(const struct tamis_npy_field *f, const unsigned char *p, size_t stride, size_t n, double *out)
{
    double (*read)(const void *) = tamis_number_format(format_of(f))->read;
    int is_half = f->kind == 'f' && f->size == 2;
    unsigned char b[8];
    for (size_t i = 0; i < n; i++, p += stride) {
        if (f->swap) bytes_of(f, p, b, f->size);
        double x = read(f->swap ? b : p);
        out[i] = is_half ? half((uint16_t)x) : x;
    }
}

/* ---- texts ---- */

struct texts { const struct tamis_npy_field *f; const unsigned char *p; size_t stride; char *utf8; };

/* Zeros end the text. */
static const char *text_of(const void *from, size_t i, size_t *n)
{
    const struct texts *t = from;
    const unsigned char *p = t->p + i * t->stride;
    char *to = t->utf8;
    if (t->f->kind == 'S') {
        *n = strnlen((const char *)p, t->f->size);
        return (const char *)p;
    }
    for (size_t k = 0; k < t->f->size; k += 4) {
        uint32_t c;
        unsigned char b[4];
        bytes_of(t->f, p + k, b, 4);
        memcpy(&c, b, 4);
        if (!c) break;
        to = tamis_utf8_put(to, c);
    }
    *n = (size_t)(to - t->utf8);
    return t->utf8;
}

/* ---- columns ---- */

struct array {
    tamis_context *cx;
    struct tamis_stream *s;
    struct tamis_npy_header h;
    tamis_table *t;
    struct tamis_gather *gather;        /* of columns of texts; else unused */
    unsigned char *block;
    char *utf8;
    size_t from, kept;                  /* the rows that the table gets */
};

static int is_text(const struct tamis_npy_field *f) { return f->kind == 'S' || f->kind == 'U'; }
static int has_records(const struct tamis_npy_header *h) { return h->field[0].name != NULL; }
static size_t width(const struct tamis_npy_header *h) { return has_records(h) ? h->fields : h->columns; }

static const struct tamis_npy_field *field_at(const struct array *a, size_t j)
{
    return &a->h.field[has_records(&a->h) ? j : 0];
}

static void column_name(const struct array *a, const char *name, size_t j, char *out, size_t room)
{
    const struct tamis_npy_header *h = &a->h;
    if (has_records(h)) tamis_snprintf(out, room, "%s", h->field[j].name);
    else tamis_join_name(name ? name : "x", name && h->dimensions == 1, j, out, room);
}

static int columns_make(struct array *a, const char *name)
{
    size_t columns = width(&a->h);
    char made[1100];
    a->t = tamis_table_new(a->cx, tamis_stream_name(a->s));
    if (a->t) a->t->column = tamis_new(a->cx, struct tamis_data_column, columns);
    a->gather = tamis_new(a->cx, struct tamis_gather, columns);
    if (tamis_status(a->cx)) return tamis_status(a->cx);
    a->t->rows = a->kept;
    for (size_t j = 0; j < columns && !tamis_status(a->cx); j++) {
        struct tamis_data_column *c = &a->t->column[a->t->columns++];
        column_name(a, name, j, made, sizeof made);
        c->name = tamis_column_name(a->cx, made, strlen(made), j + 1);
        if (!is_text(field_at(a, j))) c->value = tamis_raw(a->cx, double, a->kept);
        a->gather[j] = (struct tamis_gather){.cx = a->cx, .name = c->name};
    }
    return tamis_status(a->cx);
}

/* Rows [row, row + n) of the table's column j, of which the first is at p. */
static int column_take(struct array *a, size_t j, size_t row, size_t n, const unsigned char *p, size_t stride)
{
    const struct tamis_npy_field *f = field_at(a, j);
    if (!is_text(f)) {
        numbers(f, p, stride, n, a->t->column[j].value + row);
        return TAMIS_OK;
    }
    struct texts texts = {f, p, stride, a->utf8};
    struct tamis_piece piece = {.rows = n, .from = &texts, .text = text_of};
    return tamis_gather_add(&a->gather[j], &piece);
}

static int columns_end(struct array *a)
{
    int status = TAMIS_OK;
    for (size_t j = 0; j < a->t->columns && !status; j++) {
        struct tamis_data_column made;
        if (!is_text(field_at(a, j))) continue;
        if ((status = tamis_gather_end(&a->gather[j], &made))) break;
        tamis_data_column_free(&a->t->column[j]);
        a->t->column[j] = made;
    }
    return status;
}

/* ---- blocks ---- */

static int say_short(struct array *a, size_t row)
{
    return tamis_fail(a->cx, TAMIS_DATA, "%s: the data end in row %zu of %zu, the file was truncated; fetch it again",
                      tamis_stream_name(a->s), row + 1, a->h.rows);
}

/* Rows of the columns [first, first + n), each row `stride` bytes. */
static int rows_take(struct array *a, size_t first, size_t n, size_t stride)
{
    size_t most = BLOCK / stride ? BLOCK / stride : 1, got;
    for (size_t row = 0; row < a->h.rows; row += most) {
        size_t rows = a->h.rows - row < most ? a->h.rows - row : most, end = row + rows;
        size_t lo = row < a->from ? a->from : row, hi = end > a->from + a->kept ? a->from + a->kept : end;
        int status = tamis_check_cancel(a->cx);
        if (!status) status = tamis_stream_read(a->s, a->block, rows * stride, &got);
        if (!status && got < rows * stride) status = say_short(a, row + got / stride);
        for (size_t k = 0; k < n && lo < hi && !status; k++) {
            size_t at = (has_records(&a->h) ? a->h.field[first + k].offset : k * a->h.item) + (lo - row) * stride;
            status = column_take(a, first + k, lo - a->from, hi - lo, a->block + at, stride);
        }
        if (status) return status;
        tamis_progress(a->cx, "reading", tamis_stream_taken(a->s), tamis_stream_size(a->s));
    }
    return TAMIS_OK;
}

static int all_take(struct array *a)
{
    size_t columns = width(&a->h);
    int status = TAMIS_OK;
    if (!a->h.fortran || has_records(&a->h))
        return rows_take(a, 0, columns, has_records(&a->h) ? a->h.item : columns * a->h.item);
    for (size_t j = 0; j < columns && !status; j++) status = rows_take(a, j, 1, a->h.item);
    return status;
}

/* ---- the file ---- */

static int shape_check(struct array *a)
{
    const struct tamis_npy_header *h = &a->h;
    const char *file = tamis_stream_name(a->s);
    size_t row, bytes;
    if (h->dimensions < 1 || h->dimensions > 2 || (has_records(h) && h->dimensions != 1))
        return tamis_fail(a->cx, TAMIS_DATA,
                          "%s: the array has %zu dimensions; a table needs 1 or 2, and records 1", file, h->dimensions);
    int status = tamis_shape_check(a->cx, h->rows, width(h));
    if (status == TAMIS_DATA) tamis_fail_at(a->cx, file);
    if (status) return status;
    if (!h->item || __builtin_mul_overflow(h->item, h->columns, &row) || __builtin_mul_overflow(row, h->rows, &bytes))
        return tamis_fail(a->cx, TAMIS_DATA, "%s: an array of that shape and type cannot be; save it again", file);
    double left = tamis_stream_size(a->s) - tamis_stream_taken(a->s);
    if (!tamis_stream_packed(a->s) && tamis_stream_size(a->s) > 0 && left < (double)bytes)
        return say_short(a, (size_t)(left / (double)row));
    return tamis_memory_check(a->cx, (double)row + BLOCK, "one row of the array", "save fewer or narrower columns");
}

/* The block holds whole rows. */
static int room_make(struct array *a)
{
    size_t row = a->h.item * a->h.columns, widest = 0;
    for (size_t f = 0; f < a->h.fields; f++) widest = a->h.field[f].size > widest ? a->h.field[f].size : widest;
    a->block = tamis_raw(a->cx, unsigned char, row > BLOCK ? row : BLOCK);
    a->utf8 = tamis_raw(a->cx, char, widest + 4);
    return tamis_status(a->cx);
}

static int at_end(struct array *a)
{
    unsigned char b;
    size_t got;
    int status = tamis_stream_read(a->s, &b, 1, &got);
    if (status || !got) return status;
    return tamis_fail(a->cx, TAMIS_DATA, "%s: bytes follow the array; save one array per file, or several as NPZ",
                      tamis_stream_name(a->s));
}

/* Part k of `parts`: rows k N / parts up to (k + 1) N / parts. */
static void part_set(struct array *a, size_t k, size_t parts)
{
    a->from = tamis_part_start(a->h.rows, k, parts);
    a->kept = tamis_part_start(a->h.rows, k + 1, parts) - a->from;
}

int tamis_npy_table(tamis_context *cx, struct tamis_stream *s, const char *name, tamis_table **out)
{
    return tamis_npy_part(cx, s, name, 0, 1, out);
}

int tamis_npy_part(tamis_context *cx, struct tamis_stream *s, const char *name, size_t k, size_t parts,
                   tamis_table **out)
{
    struct array a = {.cx = cx, .s = s};
    int status = tamis_npy_header(cx, s, &a.h);
    if (!status) part_set(&a, k, parts);
    if (!status) status = shape_check(&a);
    if (!status) status = room_make(&a);
    if (!status) status = columns_make(&a, name);
    if (!status) status = all_take(&a);
    if (!status) status = at_end(&a);
    if (!status) status = columns_end(&a);
    for (size_t j = 0; a.gather && a.t && j < a.t->columns; j++) tamis_gather_free(&a.gather[j]);
    tamis_free(a.gather);
    tamis_free(a.block);
    tamis_free(a.utf8);
    tamis_npy_header_free(&a.h);
    *out = status ? NULL : a.t;
    if (status) tamis_table_free(a.t);
    return status;
}

static int sniff(const unsigned char *b, size_t n) { return tamis_magic(b, n, "\x93NUMPY", 6); }

static int read_npy(tamis_context *cx, struct tamis_stream *s, const tamis_options *o, struct tamis_reading *out)
{
    (void)o;
    return tamis_npy_table(cx, s, NULL, &out->table);
}

const struct tamis_reader tamis_npy = {"npy", "NumPy array", ".npy", sniff, read_npy, NULL};
