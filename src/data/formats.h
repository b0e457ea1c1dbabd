/* Formats of tables, found by their first bytes and never by the name of the file. A format is one file and one row of
 * the table in formats.c; gzip and zstd are unpacked in front of all of them (stream.h). */
#ifndef TAMIS_FORMATS_H
#define TAMIS_FORMATS_H

#include "base/options.h"
#include "base/text.h"
#include "data/csv.h"
#include "data/labels.h"
#include "data/stream.h"
#include "data/table.h"

/* What a reader makes of a stream: a table, or CSV text (commas, decimal points, line numbers as in the file) that the
 * CSV reader takes from there, with its types, missing values and messages. Neither: the stream itself is CSV. */
struct tamis_reading {
    const char *choice;                 /* given to the reader: the value of its own option, or NULL */
    tamis_table *table;                 /* numbers may be infinite, and names occur twice: checked afterwards */
    struct tamis_text csv;
    struct tamis_labels categories;     /* columns of csv that are categories even if their values are numbers */
    int sparse;                         /* a column that the table lacks is zeros */
    int named;                          /* the first line of csv has names in any case */
};

struct tamis_reader {
    const char *name;                   /* "npy" */
    const char *label;                  /* "NumPy array" */
    const char *extensions;             /* ".npy": for documentation */
    int (*sniff)(const unsigned char *bytes, size_t n);         /* of the first TAMIS_STREAM_HEAD bytes */
    /* NULL: this build cannot, or nothing should; `refused` says what to do. On failure *out may be partly filled. */
    int (*read)(tamis_context *cx, struct tamis_stream *s, const tamis_options *o, struct tamis_reading *out);
    const char *refused;
    const char *option;                 /* the row of tamis_format_options that is for this format alone, or NULL */
};

extern const struct tamis_reader tamis_npy, tamis_npz, tamis_arff, tamis_libsvm, tamis_sqlite, tamis_xlsx,
    tamis_matlab;
extern const struct tamis_option tamis_format_options[];        /* part "data" */
const struct tamis_reader *tamis_reader_at(size_t i);           /* those that can read; NULL past the last */
/* The one that reads the stream, by its first bytes. */
int tamis_reader_find(tamis_context *cx, struct tamis_stream *s, const tamis_options *o,
                      const struct tamis_reader **out);
int tamis_magic(const unsigned char *bytes, size_t n, const char *magic, size_t length);

/* A file ready to be read. */
struct tamis_source {
    tamis_table *table;                 /* finite numbers or NaN, no options left to apply; or NULL: */
    struct tamis_stream *csv;
    tamis_options *options;             /* for csv; NULL: those of the user */
    struct tamis_text text;             /* behind csv */
};

/* Finds the format and reads as far as needed; takes the stream over, also on failure. want: the columns that are
 * needed (NULL: all); unless they are numbers, the source is never a table. */
int tamis_source_open(tamis_context *cx, struct tamis_stream *s, const tamis_options *o,
                      const struct tamis_csv_want *want, size_t wants, struct tamis_source *out);
void tamis_source_close(struct tamis_source *src);

/* Where part k of n rows begins (split_read.c). */
size_t tamis_part_start(size_t n, size_t k, size_t parts);
/* The rows of this process alone, from CSV or a NumPy array of numbers. */
int tamis_split_read(tamis_context *cx, const char *path, const tamis_options *o, tamis_table **out);

/* TAMIS_MEMORY where the text has grown past the memory limit; *checked: its length when that was last asked, 0 at
 * first. */
int tamis_text_within(struct tamis_text *t, double *checked);

/* All bytes that are left in the stream, within the memory limit, and a zero behind them. tamis_free. */
int tamis_stream_rest(tamis_context *cx, struct tamis_stream *s, unsigned char **bytes, size_t *n);

#endif
