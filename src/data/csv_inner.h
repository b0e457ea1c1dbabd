/* Inside the CSV reader: csv.c opens files and returns tables, csv_header.c reads the names, csv_rows.c the rows,
 * csv_types.c decides on the types of the columns, csv_spell.c keeps the texts of numbers.
 *
 * The type of a column is known only at its end. Until a cell is not a number, cells are doubles, and csv_spell.c knows
 * how they were written; from then on they are numbers of labels. */
#ifndef TAMIS_CSV_INNER_H
#define TAMIS_CSV_INNER_H

#include <string.h>
#include "data/cells.h"
#include "data/csv.h"
#include "data/labels.h"

enum how { GUESS, NUMBER, DATE, LABELS, KNOWN, SKIP };  /* KNOWN: labels listed by the caller */

/* The fields that the inner loop needs; watch: how numbers are spelt matters; texts: cells are kept, NULL: not. */
/* What is to be learnt from how the numbers of a column are spelt: nothing; whether they are codes, too; their spelling
 * alone. */
enum { WATCH_NOTHING, WATCH_ALL, WATCH_SPELLING };
struct hot { double *value; enum how how; int watch; struct tamis_cell_texts *texts; };

struct spelling {
    unsigned char *bytes;       /* texts of numbers that are not plain; NULL: none */
    size_t length, room, width; /* width: digits of every cell so far */
    int lost, padded, uneven;   /* there were too many; some cell begins with 0; not all cells have `width` digits */
};

struct field {
    size_t column;              /* of the table */
    struct tamis_labels labels;
    size_t text_line;           /* of the first text, 0: none yet */
    long text;                  /* its label */
    int text_infinite;          /* the first text is infinite */
    struct spelling spelling;
    int blurred;                /* numbers are labels by value, and not as they were written */
    /* KNOWN: the numbers among the labels are plain, with the file's decimal mark or with a point: 1.0 is the label
     * 1 */
    int by_value, by_point;
    int date;                   /* enum tamis_date, of DATE */
    int lenient, forced, numeric, unnamed; /* may contain anything; is a category in any case; has no name */
};

struct settings {
    struct tamis_names missing, categorical, numeric, ignore, inputs;
    const char *delimiter, *decimal, *target, *censored, *units;
    int header;
    size_t skip;                /* SIZE_MAX: found */
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
    size_t comments;            /* skipped between the rows */
    size_t kept;                /* bytes of text that the block keeps */
    char *converted;            /* the last text that was not UTF-8; NULL: all were */
};

/* csv.c */
const char *tamis_csv_file(const struct tamis_csv *c);
const char *tamis_csv_name(const struct tamis_csv *c, size_t f);

/* csv_header.c: names, row names, columns of the table. */
int tamis_csv_header(struct tamis_csv *c);

/* csv_rows.c */
int tamis_csv_missing(struct tamis_csv *c);                     /* the missing list, once the decimal mark is known */
int tamis_csv_text_missing(const struct missing *m, const char *s, size_t n);
int tamis_csv_room(struct tamis_csv *c, size_t rows);
int tamis_csv_rows(struct tamis_csv *c, size_t most); /* until the table has `most` or the text ends */
int tamis_csv_label(struct tamis_csv *c, struct field *f, const char *s, size_t n, long *label);
int tamis_csv_say_cut(struct tamis_csv *c, int cut, size_t f, size_t line);
int tamis_csv_say_infinite(struct tamis_csv *c, size_t f, const char *s, size_t n, size_t line);
int tamis_csv_say_text(struct tamis_csv *c, size_t f, const char *s, size_t n, size_t line);

/* csv_types.c: types of the columns, once all rows are read. */
int tamis_csv_finish(struct tamis_csv *c);

/* csv_text.c */
int tamis_csv_utf8(struct tamis_csv *c, const char **s, size_t *n);     /* reads what is not UTF-8 as Windows-1252 */
int tamis_csv_beyond(const struct tamis_csv *c, const char *s, size_t n, double *x); /* <0.05, >100; x is the limit */
int tamis_csv_censored(struct tamis_csv *c, const char *s, size_t n, double *out); /* and what --censored makes of it */

/* csv_spell.c */
int tamis_csv_watch(struct tamis_csv *c, size_t f, size_t row, const char *s, size_t n);        /* a number's text */
/* Makes labels of the numbers in the first rows of the column, spelt as they were; its cells are LABELS from now on. */
int tamis_csv_turn(struct tamis_csv *c, size_t k, size_t rows);
int tamis_csv_codes(const struct field *f);     /* all numbers have the same number of digits, and some begin with 0 */
size_t tamis_csv_plain(double x, char point, char *out); /* a label; its length. out has room for 32 characters */
int tamis_csv_misspelt(const char *s, char point);              /* a finite number that the above writes otherwise */

#endif
