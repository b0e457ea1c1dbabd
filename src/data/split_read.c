/* A table of which each process keeps a part of the rows. All of them see the bytes of the file, which one process
 * reads, in pieces (stream.c); what belongs to others is dropped at once, so that no process ever has the table. The
 * rows of CSV are counted first. */
#include <math.h>
#include <string.h>
#include "base/spread.h"
#include "data/formats.h"
#include "data/npy.h"

size_t tamis_part_start(size_t n, size_t k, size_t parts) { return n / parts * k + n % parts * k / parts; }

struct part { tamis_context *cx; const char *path; const tamis_options *o; size_t k, parts; };

/* ---- CSV ---- */

static int csv_open(const struct part *p, struct tamis_csv **c)
{
    struct tamis_stream *s;
    *c = NULL;
    int status = tamis_stream_open(p->cx, p->path, &s);
    return status ? status : tamis_csv_open_numbers(p->cx, s, p->path, p->o, c);
}

static int csv_count(const struct part *p, size_t *rows)
{
    struct tamis_csv *c;
    const tamis_table *block = NULL;
    int status = csv_open(p, &c);
    *rows = 0;
    while (!status && !(status = tamis_csv_next(c, &block)) && block->rows) *rows += block->rows;
    tamis_csv_close(c);
    return status;
}

static int csv_room(const struct part *p, const tamis_table *block, size_t rows, tamis_table **out)
{
    double bytes = 8 * (double)rows * (double)block->columns;
    int status = tamis_memory_check(p->cx, bytes, "this process's part of the table", "use more processes");
    if (status || !(*out = tamis_table_sized(p->cx, p->path, rows, block->columns))) return tamis_status(p->cx);
    for (size_t j = 0; j < block->columns; j++)
        if (!((*out)->column[j].name = tamis_strdup(p->cx, block->column[j].name))) return tamis_status(p->cx);
    return TAMIS_OK;
}

/* Rows lo .. hi - 1 of the file, from a block that begins at row `at`; of a column that is not used, nothing. */
static void csv_keep(const tamis_table *block, size_t at, size_t lo, size_t hi, tamis_table *t)
{
    size_t from = lo > at ? lo : at, to = hi < at + block->rows ? hi : at + block->rows;
    for (size_t j = 0; j < block->columns && from < to; j++)
        if (block->column[j].type == TAMIS_NUMBER)
            memcpy(t->column[j].value + (from - lo), block->column[j].value + (from - at),
                   (to - from) * sizeof(double));
}

static int csv_part(const struct part *p, tamis_table **out)
{
    struct tamis_csv *c = NULL;
    const tamis_table *block = NULL;
    size_t rows = 0, at = 0;
    int status = csv_count(p, &rows);
    size_t lo = tamis_part_start(rows, p->k, p->parts), hi = tamis_part_start(rows, p->k + 1, p->parts);
    tamis_mute(p->cx, 1);                                       /* it has said all that there is to say */
    if (!status) status = csv_open(p, &c);
    while (!status && !(status = tamis_csv_next(c, &block)) && block->rows) {
        if (!*out) status = csv_room(p, block, hi - lo, out);
        if (!status) csv_keep(block, at, lo, hi, *out);
        at += block->rows;
    }
    tamis_mute(p->cx, 0);
    tamis_csv_close(c);
    if (!status && !*out) status = tamis_fail(p->cx, TAMIS_DATA, "%s: no rows", p->path);
    return status;
}

/* ---- NumPy ---- */

static int column_check(const struct part *p, const struct tamis_data_column *c, size_t rows)
{
    if (c->type != TAMIS_NUMBER)
        return tamis_fail(p->cx, TAMIS_DATA, "%s: '%s' contains text; --split-rows needs numbers", p->path, c->name);
    for (size_t i = 0; i < rows; i++)
        if (isinf(c->value[i]))
            return tamis_fail(p->cx, TAMIS_DATA, "%s: '%s' has infinite values; correct them", p->path, c->name);
    return TAMIS_OK;
}

static int npy_part(const struct part *p, struct tamis_stream *s, tamis_table **out)
{
    if (p->o && tamis_options_get(p->o, "missing"))
        return tamis_fail(p->cx, TAMIS_USAGE, "--missing: with --split-rows, for CSV alone; a missing value is NaN");
    int status = tamis_npy_part(p->cx, s, NULL, p->k, p->parts, out);
    for (size_t j = 0; !status && j < (*out)->columns; j++)
        status = column_check(p, &(*out)->column[j], (*out)->rows);
    return status;
}

/* ---- both ---- */

static int other_format(const struct part *p, const struct tamis_reader *r)
{
    if (!strcmp(r->name, "csv")) return TAMIS_OK;
    return tamis_fail(p->cx, TAMIS_USAGE, "%s: --split-rows reads CSV and NumPy arrays (.npy), but this is %s", p->path,
                      r->label);
}

int tamis_split_read(tamis_context *cx, const char *path, const tamis_options *o, tamis_table **out)
{
    struct tamis_resources before = tamis_resources_apply(cx, o);
    struct tamis_spread spread;
    struct tamis_stream *s = NULL;
    const struct tamis_reader *reader = NULL;
    *out = NULL;
    tamis_spread_begin(cx, &spread);
    struct part p = {cx, path, o, (size_t)spread.rank, (size_t)spread.ranks};
    int npy = 0, status = strcmp(path, "-") ? tamis_stream_open(cx, path, &s)
                          : tamis_fail(cx, TAMIS_USAGE, "--split-rows reads the table twice; name a file");
    if (!status) status = tamis_reader_find(cx, s, o, &reader);
    if (!status) npy = reader == &tamis_npy;
    if (!status && !npy) status = other_format(&p, reader);
    if (!status && npy) status = npy_part(&p, s, out);
    tamis_stream_close(s);
    if (!status && !npy) status = csv_part(&p, out);
    if (status) tamis_table_free(*out), *out = NULL;
    tamis_resources_restore(cx, before);
    return status;
}
