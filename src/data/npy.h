/* NumPy's array files, alone (.npy) and as members of NPZ. */
#ifndef TAMIS_NPY_H
#define TAMIS_NPY_H

#include "data/formats.h"

/* A value inside a record: a number or a text of fixed width. */
struct tamis_npy_field {
    char *name;                         /* NULL: the array has no named fields */
    char kind;                          /* f, i, u, b, S, U */
    int swap;                           /* the bytes of the file are in the other order */
    size_t size, offset;                /* bytes */
};

/* The header: rows x columns of one type, or rows of records with named fields. */
struct tamis_npy_header {
    size_t dimensions, rows, columns, item;     /* item: bytes of an element or record */
    int fortran;
    size_t fields;
    struct tamis_npy_field *field;
};

/* npy_header.c: reads magic, version and the dictionary. TAMIS_DATA: not such a file, or a type that is not read. */
int tamis_npy_header(tamis_context *cx, struct tamis_stream *s, struct tamis_npy_header *h);
void tamis_npy_header_free(struct tamis_npy_header *h);

/* The array as columns: x1, x2, ... with name NULL; else NAME for one dimension, and NAME1, NAME2, ... for two; named
 * fields keep their names. */
int tamis_npy_table(tamis_context *cx, struct tamis_stream *s, const char *name, tamis_table **out);
/* The rows of part k alone, tamis_part_start(rows, k, parts) and on; the others are read and dropped. */
int tamis_npy_part(tamis_context *cx, struct tamis_stream *s, const char *name, size_t k, size_t parts,
                   tamis_table **out);

#endif
