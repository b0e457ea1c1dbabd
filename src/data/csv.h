/* Tables from delimited text, whole (tamis_csv_read) or block by block at fixed memory. */
#ifndef TAMIS_CSV_H
#define TAMIS_CSV_H

#include "base/options.h"
#include "data/stream.h"
#include "data/table.h"

extern const struct tamis_option tamis_read_options[]; /* missing, delimiter, decimal, categorical: part "data" */

/* A column to read, and its type. For a category, `level` lists the known labels (value: the index into it; value
 * `levels`: any other label), or NULL: every label, numbered in order of appearance. The pointers must outlive the
 * reader. */
struct tamis_csv_want {
    const char *name;
    int type;                   /* TAMIS_NUMBER, TAMIS_CATEGORY */
    size_t levels;
    char *const *level;
    int date;                   /* of a number: the cells are dates of this kind (enum tamis_date); 0: they are not */
    int text;                   /* keep the cells as text, too */
    int optional;               /* if the file lacks the column, its block has no values (NULL) */
    const char *option;         /* the option that names it, for the sentence where the file lacks it; NULL: a model */
};

struct tamis_csv;

/* A column's name in a file of any format: without blanks around it, in UTF-8, column2 if there is none; tamis_free. */
char *tamis_column_name(tamis_context *cx, const char *s, size_t n, size_t number);

/* The whole table; takes the stream over. `file` is what the table calls its file. */
int tamis_csv_read(tamis_context *cx, struct tamis_stream *s, const char *file, const tamis_options *o,
                   tamis_table **out);

/* The columns of every block are those of `want`, in that order; others are skipped unread. TAMIS_DATA: a column is not
 * in the file. path "-" is standard input. */
int tamis_csv_open(tamis_context *cx, const char *path, const tamis_options *o, const struct tamis_csv_want *want,
                   size_t wants, struct tamis_csv **out);
int tamis_csv_open_memory(tamis_context *cx, const void *bytes, size_t n, const char *name, const tamis_options *o,
                          const struct tamis_csv_want *want, size_t wants, struct tamis_csv **out);
/* The same; takes the stream over. */
int tamis_csv_open_stream(tamis_context *cx, struct tamis_stream *s, const char *file, const tamis_options *o,
                          const struct tamis_csv_want *want, size_t wants, struct tamis_csv **out);
/* Every column of the file, as numbers; those that the options leave out are categories without levels. */
int tamis_csv_open_numbers(tamis_context *cx, struct tamis_stream *s, const char *file, const tamis_options *o,
                           struct tamis_csv **out);
/* The next rows, about a million cells, in file order; the block is the reader's and valid until the next call. It has
 * 0 rows at the end. TAMIS_DATA: text in a column of numbers. */
int tamis_csv_next(struct tamis_csv *c, const tamis_table **block);
void tamis_csv_close(struct tamis_csv *c);

#endif
