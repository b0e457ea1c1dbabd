/* Inside the CSV reader: csv.c opens files and returns tables, csv_header.c reads the names, csv_rows.c the rows,
 * csv_types.c decides on the types of the columns.
 *
 * The type of a column is known only at its end. Until then a cell is one double: a number as itself, a missing value
 * as NaN, and a text as a NaN with the number of its label in the mantissa. */
#ifndef TAMIS_CSV_INNER_H
#define TAMIS_CSV_INNER_H

#include <string.h>
#include "data/cells.h"
#include "data/csv.h"
#include "data/labels.h"

enum how { GUESS, NUMBER, DATE, LABELS, KNOWN, SKIP };  /* KNOWN: labels listed by the caller */

struct hot { double *value; enum how how; };            /* the fields that the inner loop needs */

struct field {
    size_t column;              /* of the table */
    struct tamis_labels labels;
    size_t text_line;           /* of the first text, 0: none yet */
    long text;                  /* its label */
    int text_infinite, infinite;        /* the first text is infinite; some cell is */
    int date;                   /* enum tamis_date, of DATE */
    int lenient, forced, unnamed; /* may contain anything; is a category in any case; has no name in the file */
};

struct settings {
    struct tamis_names missing, categorical, ignore, inputs;
    const char *delimiter, *decimal, *target;
};

struct missing { size_t texts, numbers; char **text; double *number; };

struct tamis_csv {
    tamis_context *cx;
    struct tamis_cells cells;
    struct settings set;
    struct missing missing;
    size_t fields;              /* cells in a row */
    struct hot *hot;
    struct field *field;
    struct tamis_labels names;
    int row_names;              /* field 0 has no name and is skipped */
    tamis_table *table;
    size_t room;                /* in rows, of the columns */
    int lasting;                /* the table is read whole */
};

/* csv.c */
const char *tamis_csv_file(const struct tamis_csv *c);
const char *tamis_csv_name(const struct tamis_csv *c, size_t f);

/* csv_header.c: names, row names, columns of the table. */
int tamis_csv_header(struct tamis_csv *c);

/* csv_rows.c */
int tamis_csv_missing(struct tamis_csv *c);                     /* the missing list, once the decimal mark is known */
int tamis_csv_room(struct tamis_csv *c, size_t rows);
int tamis_csv_rows(struct tamis_csv *c, size_t most); /* until the table has `most` or the text ends */
int tamis_csv_label(struct tamis_csv *c, struct field *f, const char *s, size_t n, long *label);
int tamis_csv_say_cut(struct tamis_csv *c, int cut, size_t f, size_t line);
int tamis_csv_say_infinite(struct tamis_csv *c, size_t f, const char *s, size_t n, size_t line);
int tamis_csv_say_text(struct tamis_csv *c, size_t f, const char *s, size_t n, size_t line);

/* csv_types.c: types of the columns, once all rows are read. */
int tamis_csv_finish(struct tamis_csv *c);

#define QUIET (0x7FF8ull << 48)

static inline double text_value(long label)
{
    uint64_t bits = QUIET | ((uint64_t)label + 1);
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* The label that x carries, or -1. */
static inline long value_text(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits > QUIET && bits < 0x7FFFull << 48 ? (long)(bits - QUIET) - 1 : -1;
}

#endif
