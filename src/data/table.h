/* The table: named columns of doubles, each its own array. */
#ifndef TAMIS_TABLE_H
#define TAMIS_TABLE_H

#include "base/base.h"

struct tamis_data_column {
    char *name;
    int type;                   /* TAMIS_NUMBER, TAMIS_CATEGORY */
    double *value;              /* rows of them; NaN is missing; of a category: the index of its level */
    size_t levels;
    char **level;               /* in order of the label: by number where all labels are numbers, else by bytes */
};

struct tamis_table {
    char *file;                 /* for messages and results; "-" is standard input */
    int on_disk;                /* `file` is the path that it was read from */
    size_t rows, columns;
    struct tamis_data_column
        *column; /* every pointer in it is an allocation of its own, which tamis_table_free gives back */
};

tamis_table *tamis_table_new(tamis_context *cx, const char *file);
/* `columns` numeric columns of zeros, still without names. */
tamis_table *tamis_table_sized(tamis_context *cx, const char *file, size_t rows, size_t columns);
/* Index of the column with that name, or of that 1-based number when no column has the name; `columns` when there is
 * none. */
size_t tamis_table_find(const tamis_table *t, const char *name);

#endif
