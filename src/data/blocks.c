/* A table that was read whole is one block: the columns that are wanted, lent by the table. */
#include <string.h>
#include "data/blocks.h"
#include "data/formats.h"
#include "data/gather.h"

struct tamis_blocks {
    tamis_context *cx;
    struct tamis_source src;
    struct tamis_csv *csv;
    tamis_table block;
    size_t rows;                /* of the table, until they are handed out */
};

static int lend_column(struct tamis_blocks *b, const struct tamis_labels *names, const char *name, int optional)
{
    long j = tamis_labels_find(names, name, strlen(name));
    if (j < 0 && optional) return b->block.columns++, TAMIS_OK;
    if (j < 0)
        return tamis_fail(b->cx, TAMIS_DATA,
                          "%s: column '%s' is missing; the model needs the columns that it was fitted on",
                          b->src.table->file, name);
    b->block.column[b->block.columns++] = b->src.table->column[j];
    return TAMIS_OK;
}

static int lend_columns(struct tamis_blocks *b, const struct tamis_csv_want *want, size_t wants)
{
    struct tamis_labels names;
    int status = tamis_names_number(b->cx, b->src.table, &names);
    b->rows = b->src.table->rows;
    b->block.file = b->src.table->file;
    b->block.column = tamis_new(b->cx, struct tamis_data_column, wants);
    if (!b->block.column) status = TAMIS_MEMORY;
    for (size_t w = 0; w < wants && !status; w++) status = lend_column(b, &names, want[w].name, want[w].optional);
    tamis_labels_free(&names);
    return status;
}

static int open_csv(struct tamis_blocks *b, const char *file, const tamis_options *o,
                    const struct tamis_csv_want *want, size_t wants)
{
    struct tamis_stream *s = b->src.csv;
    b->src.csv = NULL;
    return tamis_csv_open_stream(b->cx, s, file, b->src.options ? b->src.options : o, want, wants, &b->csv);
}

int tamis_blocks_open_stream(tamis_context *cx, struct tamis_stream *s, const char *file, const tamis_options *o,
                             const struct tamis_csv_want *want, size_t wants, struct tamis_blocks **out)
{
    struct tamis_blocks *b = *out = tamis_new(cx, struct tamis_blocks, 1);
    if (!b) {
        tamis_stream_close(s);
        return TAMIS_MEMORY;
    }
    b->cx = cx;
    int status = tamis_source_open(cx, s, o, want, wants, &b->src);
    if (!status) status = b->src.csv ? open_csv(b, file, o, want, wants) : lend_columns(b, want, wants);
    if (!status) return TAMIS_OK;
    tamis_blocks_close(b);
    *out = NULL;
    return status;
}

int tamis_blocks_open(tamis_context *cx, const char *path, const tamis_options *o, const struct tamis_csv_want *want,
                      size_t wants, struct tamis_blocks **out)
{
    struct tamis_stream *s;
    *out = NULL;
    int status = tamis_stream_open(cx, path, &s);
    return status ? status : tamis_blocks_open_stream(cx, s, path, o, want, wants, out);
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
