/* Arrays in memory to columns of doubles. */
#include <math.h>
#include <string.h>
#include "data/dates.h"
#include "data/gather.h"

/* ---- numbers of any format ---- */

#define READER(name, type) \
    static double name(const void *p) \
    { \
        type x; \
        memcpy(&x, p, sizeof x); \
        return (double)x; \
    }
READER(read_f64, double)
READER(read_f32, float)
READER(read_i8, int8_t)
READER(read_i16, int16_t)
READER(read_i32, int32_t)
READER(read_i64, int64_t)
READER(read_u8, uint8_t)
READER(read_u16, uint16_t)
READER(read_u32, uint32_t)
READER(read_u64, uint64_t)
static double read_bool(const void *p) { return *(const unsigned char *)p != 0; }

const struct tamis_number_format *tamis_number_format(int format)
{
    static const struct tamis_number_format all[] = {
        [TAMIS_F64] = {8, 0, read_f64}, [TAMIS_F32] = {4, 0, read_f32}, [TAMIS_I8] = {1, 1, read_i8},
        [TAMIS_I16] = {2, 1, read_i16}, [TAMIS_I32] = {4, 1, read_i32}, [TAMIS_I64] = {8, 1, read_i64},
        [TAMIS_U8] = {1, 1, read_u8},   [TAMIS_U16] = {2, 1, read_u16}, [TAMIS_U32] = {4, 1, read_u32},
        [TAMIS_U64] = {8, 1, read_u64}, [TAMIS_BOOL] = {1, 1, read_bool}};
    return format >= 0 && (size_t)format < sizeof all / sizeof *all ? &all[format] : NULL;
}

/* ---- pieces ---- */

static int room_make(struct tamis_gather *g, size_t rows)
{
    size_t need, room;
    if (__builtin_add_overflow(g->rows, rows, &need)) need = SIZE_MAX;
    if (need <= g->room && g->value) return TAMIS_OK;
    room = g->rows && need < SIZE_MAX / 2 ? need + need / 2 : need;
    double *value = tamis_grow(g->cx, g->value, room, sizeof *value);
    if (!value) return TAMIS_MEMORY;
    g->value = value;
    g->room = room;
    return TAMIS_OK;
}

int tamis_infinite(tamis_context *cx, size_t row, const char *column)
{
    return tamis_fail(cx, TAMIS_DATA, "row %zu of column '%.60s' is infinite; give NaN where a value is missing",
                      row + 1, column);
}

static int is_missing(const struct tamis_piece *p, size_t i) { return p->missing && p->missing(p->from, i); }

static int add_numbers(struct tamis_gather *g, const struct tamis_piece *p, double *out)
{
    for (size_t i = 0; i < p->rows; i++) {
        double x = is_missing(p, i) ? NAN : p->number(p->from, i);
        if (isinf(x)) return tamis_infinite(g->cx, g->rows + i, g->name);
        out[i] = isnan(x) ? NAN : p->unit > 0 ? x / p->unit : x;
    }
    return TAMIS_OK;
}

/* The label of the text; NAN: none. */
static int label_of(struct tamis_gather *g, const char *s, size_t n, double *out)
{
    *out = NAN;
    if (!s || !n) return TAMIS_OK;
    long label = tamis_labels_put(g->cx, &g->labels, s, n);
    if (label < 0) return TAMIS_MEMORY;
    *out = (double)label;
    return TAMIS_OK;
}

static int add_texts(struct tamis_gather *g, const struct tamis_piece *p, double *out)
{
    int status = TAMIS_OK;
    for (size_t i = 0; i < p->rows && !status; i++) {
        size_t n = 0;
        const char *s = is_missing(p, i) ? NULL : p->text(p->from, i, &n);
        status = label_of(g, s, n, &out[i]);
    }
    return status;
}

static int say_code(struct tamis_gather *g, double code, size_t row, size_t levels)
{
    return tamis_fail(g->cx, TAMIS_DATA, "row %zu of column '%.60s' has code %.0f, but there are %zu levels, counted "
                      "from 0", g->rows + row + 1, g->name, code, levels);
}

/* A level gets its label when the first row has it: INFINITY until then. */
static int add_codes(struct tamis_gather *g, const struct tamis_piece *p, double *out)
{
    int status = TAMIS_OK;
    double *label = tamis_raw(g->cx, double, p->levels);
    if (!label) return TAMIS_MEMORY;
    for (size_t l = 0; l < p->levels; l++) label[l] = INFINITY;
    for (size_t i = 0; i < p->rows && !status; i++) {
        double code = is_missing(p, i) ? NAN : p->number(p->from, i);
        out[i] = NAN;
        if (isnan(code) || code < 0) continue;
        if (code >= (double)p->levels) status = say_code(g, code, i, p->levels);
        else if (isinf(label[(size_t)code])) {
            size_t n = 0;
            const char *s = p->text(p->from, (size_t)code, &n);
            status = label_of(g, s, n, &label[(size_t)code]);
        }
        if (!status) out[i] = label[(size_t)code];
    }
    tamis_free(label);
    return status;
}

int tamis_gather_add(struct tamis_gather *g, const struct tamis_piece *p)
{
    int status = room_make(g, p->rows);
    if (status) return status;
    double *out = g->value + g->rows;
    g->dated |= p->unit > 0;
    if (!p->text) status = add_numbers(g, p, out);
    else status = p->number ? add_codes(g, p, out) : add_texts(g, p, out);
    if (!status) g->rows += p->rows;
    return status;
}

/* ---- the column ---- */

static int labels_order(struct tamis_gather *g)
{
    uint32_t *rank = tamis_raw(g->cx, uint32_t, g->labels.count);
    int status = rank ? tamis_labels_sort(g->cx, &g->labels, rank) : TAMIS_MEMORY;
    for (size_t i = 0; !status && i < g->rows; i++)
        if (!isnan(g->value[i])) g->value[i] = rank[(size_t)g->value[i]];
    tamis_free(rank);
    return status;
}

int tamis_gather_end(struct tamis_gather *g, struct tamis_data_column *out)
{
    size_t levels = g->labels.count;
    int status = levels ? labels_order(g) : TAMIS_OK;
    char *name = status ? NULL : tamis_strdup(g->cx, g->name);
    if (!name) return tamis_status(g->cx);
    *out = (struct tamis_data_column){.name = name, .type = levels ? TAMIS_CATEGORY : TAMIS_NUMBER, .value = g->value,
                                      .date = g->dated && !levels ? TAMIS_DATE_DAYS : TAMIS_DATE_NONE};
    if (levels) {
        out->levels = levels;
        out->level = g->labels.label;
        g->labels.label = NULL;
        g->labels.count = 0;
    }
    g->value = NULL;
    if (!g->forced && tamis_dates_find(g->cx, out, g->rows)) tamis_data_column_free(out);
    return tamis_status(g->cx);
}

void tamis_gather_free(struct tamis_gather *g)
{
    tamis_free(g->value);
    g->value = NULL;
    tamis_labels_free(&g->labels);
}
