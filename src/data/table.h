/* The table: named columns of doubles, each its own array. */
#ifndef TAMIS_TABLE_H
#define TAMIS_TABLE_H

#include "base/text.h"

enum tamis_type { TAMIS_NUMBER, TAMIS_CATEGORY };

/* Cells of a column as they are in the file, one behind the other. */
struct tamis_cell_texts {
    struct tamis_text text;
    size_t *end;                /* where the cell of each row ends */
};

struct tamis_data_column {
    char *name;
    int type;                   /* enum tamis_type */
    double *value;              /* one per row; NaN is missing; of a category: the index of its level */
    size_t levels;
    char **level;               /* ordered by number where all labels are numbers, else by bytes */
    int borrowed;               /* value belongs to the caller of the library */
    int date;                   /* enum tamis_date: days since 1970-01-01; 0: not a date */
    int date_doubt;             /* its days and months may be the other way round */
    int unnamed;                /* the file gives it no name */
    char *units;                /* as in the file; NULL: not known */
    struct tamis_cell_texts *texts;     /* NULL: not kept */
};

struct tamis_table {
    char *file;                 /* for messages and results; "-" is standard input */
    int on_disk;                /* `file` is the path that it was read from */
    size_t rows, columns;
    struct tamis_data_column *column;   /* every pointer in it is an allocation of its own */
    size_t *origin;             /* NULL, or the row of the table that each row was taken from (data/weights.h) */
    size_t *cleaned;            /* NULL, or the row of the table before tamis_table_clean that each row was */
};

tamis_table *tamis_table_new(tamis_context *cx, const char *file);
/* `columns` numeric columns of zeros, still without names. */
tamis_table *tamis_table_sized(tamis_context *cx, const char *file, size_t rows, size_t columns);
void tamis_data_column_free(struct tamis_data_column *c);       /* what it points to */
/* Index of the column with that name, or, if no column has it, of that 1-based number; `columns`: there is neither. */
size_t tamis_table_find(const tamis_table *t, const char *name);

static inline const char *tamis_cell_text(const struct tamis_data_column *c, size_t row, size_t *n)
{
    size_t from = row ? c->texts->end[row - 1] : 0;
    *n = c->texts->end[row] - from;
    return c->texts->text.s + from;
}

/* A cell of CSV after `before` (a comma or nothing), quoted where it must be. */
void tamis_csv_put(struct tamis_text *out, const char *s, size_t n, const char *before);

/* ---- summaries (describe.c) ---- */

struct tamis_column_summary {
    const char *name, *units;           /* units NULL: not known */
    int type, date;
    size_t missing, distinct;           /* distinct values, missing ones not counted */
    double least, largest, mean, sd;    /* of numbers; sd has divisor N; NAN for categories and where all are missing */
    size_t levels;
    const char *const *level;
};

int tamis_column_summarise(tamis_context *cx, const tamis_table *t, size_t column, struct tamis_column_summary *out);
const char *tamis_type_name(const struct tamis_column_summary *c);      /* "number", "category", "date" */
void tamis_add_span(tamis_value *to, const struct tamis_column_summary *c);     /* of a date: first and last, as text */

int tamis_table_duplicates(tamis_context *cx, const tamis_table *t,
                           size_t *rows); /* rows equal to an earlier one (equal_rows.c) */

#endif
