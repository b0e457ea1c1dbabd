/* A column of a table out of arrays in memory, piece after piece: where tables from programs and from Arrow meet.
 *
 * Numbers are copied, infinite ones refused. A category is treated as the CSV reader does: only labels that occur
 * become levels, ordered by number where all are numbers, else by bytes; an empty label is missing; a column without
 * any value is one of numbers. So the same data give the same table, wherever they come from. */
#ifndef TAMIS_GATHER_H
#define TAMIS_GATHER_H

#include "data/labels.h"
#include "data/table.h"

/* Some rows of a column. With number and text: codes and the levels that they count; with text alone: labels by row. */
struct tamis_piece {
    size_t rows;
    const void *from;                                           /* for the functions */
    int (*missing)(const void *from, size_t row);               /* NULL: none is */
    double (*number)(const void *from, size_t row);             /* NAN, or a negative code: missing */
    const char *(*text)(const void *from, size_t i, size_t *n); /* n bytes without a zero; NULL: missing */
    size_t levels;
    double unit;                                                /* divides numbers; 0: nothing does */
};

struct tamis_gather {
    tamis_context *cx;
    const char *name;                   /* of the column, for messages and the result */
    double *value;
    size_t rows, room;
    int forced;                         /* labels stay labels, even where all of them are dates */
    int dated;                          /* a piece had a unit: the numbers are days since 1970-01-01 */
    struct tamis_labels labels;
};

int tamis_infinite(tamis_context *cx, size_t row, const char *column);          /* TAMIS_DATA with its sentence */
/* TAMIS_DATA naming the row and the column. */
int tamis_gather_add(struct tamis_gather *g, const struct tamis_piece *p);
/* The column, which takes the memory over. */
int tamis_gather_end(struct tamis_gather *g, struct tamis_data_column *out);
void tamis_gather_free(struct tamis_gather *g);

/* Numbers of enum tamis_format in memory, aligned or not; NULL for TAMIS_TEXT_POINTERS. */
struct tamis_number_format { size_t size; int integer; double (*read)(const void *p); };
const struct tamis_number_format *tamis_number_format(int format);

/* ---- the table that such columns make (columns.c) ---- */

int tamis_column_named(tamis_context *cx, const char *name, size_t number);     /* TAMIS_DATA: it has no name */
/* TAMIS_DATA: rows or columns are 0; TAMIS_MEMORY: more than may be used. */
int tamis_shape_check(tamis_context *cx, size_t rows, size_t columns);
int tamis_names_distinct(tamis_context *cx, const tamis_table *t);
/* The same; the labels are the names, numbered as the columns are. Free them in any case. */
int tamis_names_number(tamis_context *cx, const tamis_table *t, struct tamis_labels *out);

#endif
