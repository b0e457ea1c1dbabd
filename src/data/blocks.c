/* A table that was read whole is one block: the columns that are wanted, lent by the table. */
#include <string.h>
#include "data/blocks.h"
#include "data/formats.h"

struct tamis_blocks {
    tamis_context *cx;
    struct tamis_source src;
    struct tamis_csv *csv;
    tamis_table block;
    size_t rows;                /* of the table, until they are handed out */
};

static int lend_column(struct tamis_blocks *b, const char *name)
{
    size_t j = 0;
    while (j < b->src.table->columns && strcmp(b->src.table->column[j].name, name)) j++;
    if (j == b->src.table->columns)
        return tamis_fail(b->cx, TAMIS_DATA,
                          "%s: column '%s' is missing; the model needs the columns that it was fitted on",
                          b->src.table->file, name);
    b->block.column[b->block.columns++] = b->src.table->column[j];
    return TAMIS_OK;
}

static int lend_columns(struct tamis_blocks *b, const struct tamis_csv_want *want, size_t wants)
{
    int status = TAMIS_OK;
    b->rows = b->src.table->rows;
    b->block.file = b->src.table->file;
    b->block.column = tamis_new(b->cx, struct tamis_data_column, wants);
    if (!b->block.column) return TAMIS_MEMORY;
    for (size_t w = 0; w < wants && !status; w++) status = lend_column(b, want[w].name);
    return status;
}

static int open_csv(struct tamis_blocks *b, const char *path, const tamis_options *o,
                    const struct tamis_csv_want *want, size_t wants)
{
    struct tamis_stream *s = b->src.csv;
    b->src.csv = NULL;
    return tamis_csv_open_stream(b->cx, s, path, b->src.options ? b->src.options : o, want, wants, &b->csv);
}

int tamis_blocks_open(tamis_context *cx, const char *path, const tamis_options *o, const struct tamis_csv_want *want,
                      size_t wants, struct tamis_blocks **out)
{
    struct tamis_stream *s;
    struct tamis_blocks *b = *out = tamis_new(cx, struct tamis_blocks, 1);
    if (!b) return TAMIS_MEMORY;
    b->cx = cx;
    int status = tamis_stream_open(cx, path, &s);
    if (!status) status = tamis_source_open(cx, s, o, want, wants, &b->src);
    if (!status) status = b->src.csv ? open_csv(b, path, o, want, wants) : lend_columns(b, want, wants);
    if (!status) return TAMIS_OK;
    tamis_blocks_close(b);
    *out = NULL;
    return status;
}

int tamis_blocks_next(struct tamis_blocks *b, const tamis_table **block)
{
    if (b->csv) return tamis_csv_next(b->csv, block);
    b->block.rows = b->rows;
    b->rows = 0;
    *block = &b->block;
    return TAMIS_OK;
}

void tamis_blocks_close(struct tamis_blocks *b)
{
    if (!b) return;
    tamis_csv_close(b->csv);
    tamis_source_close(&b->src);
    tamis_free(b->block.column);
    tamis_free(b);
}
