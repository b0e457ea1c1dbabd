/* MATLAB's MAT-files of versions 4 and 5 (which MATLAB calls 4, 6 and 7) [1].
 *
 * A file of version 5 is a header of 128 bytes and one element per variable: type, length, data, padded to 8 bytes. An
 * array is an element of elements: flags, dimensions, name, numbers; numbers are stored in the smallest type that holds
 * them. An element may be a zlib stream that holds another. No length or count is trusted: every element is inside the
 * one around it, and an array has as many numbers as its dimensions say, or the file is damaged.
 *
 * [1] MAT-File Format, The MathWorks, R2024a. */
#ifndef TAMIS_MAT_H
#define TAMIS_MAT_H

#include "data/table.h"

struct tamis_mat { tamis_context *cx; const char *file; int swap; };    /* swap: the bytes are in the other order */

/* Types of elements and classes of arrays, [1] tables 1-1 and 1-3. */
enum tamis_mat_type {
    TAMIS_MAT_INT8 = 1, TAMIS_MAT_UINT8, TAMIS_MAT_INT16, TAMIS_MAT_UINT16, TAMIS_MAT_INT32, TAMIS_MAT_UINT32,
    TAMIS_MAT_SINGLE, TAMIS_MAT_DOUBLE = 9, TAMIS_MAT_INT64 = 12, TAMIS_MAT_UINT64, TAMIS_MAT_MATRIX,
    TAMIS_MAT_COMPRESSED, TAMIS_MAT_UTF8, TAMIS_MAT_UTF16, TAMIS_MAT_UTF32
};
enum tamis_mat_class {
    TAMIS_MAT_CELL = 1, TAMIS_MAT_STRUCT, TAMIS_MAT_OBJECT, TAMIS_MAT_CHAR, TAMIS_MAT_SPARSE, TAMIS_MAT_NUMBERS,
    TAMIS_MAT_LAST_NUMBERS = 15, TAMIS_MAT_FUNCTION, TAMIS_MAT_OPAQUE
};

struct tamis_mat_bytes { const unsigned char *p; size_t n; };           /* what is left to read */
struct tamis_mat_element { unsigned type; struct tamis_mat_bytes data; };

/* An array up to its numbers. */
struct tamis_mat_array {
    unsigned class;
    int complex;
    size_t dimensions, rows, columns;   /* 0 dimensions: an empty element */
    struct tamis_mat_bytes name, rest;
};

/* ---- elements (mat_element.c) ---- */

int tamis_mat_damaged(const struct tamis_mat *m, const char *how);     /* TAMIS_DATA with its sentence */
uint32_t tamis_mat_u32(const struct tamis_mat *m, const unsigned char *p);
/* The element at the start of `from`, which moves past it. */
int tamis_mat_next(const struct tamis_mat *m, struct tamis_mat_bytes *from, struct tamis_mat_element *out);
/* The array that an element is. */
int tamis_mat_head(const struct tamis_mat *m, const struct tamis_mat_element *e, struct tamis_mat_array *out);
/* The bytes that a compressed element holds: one element. tamis_free. */
int tamis_mat_inflate(const struct tamis_mat *m, struct tamis_mat_bytes packed, unsigned char **out, size_t *n);

size_t tamis_mat_size(unsigned type);   /* bytes of a number of that type; 0: it is not one of numbers */
void tamis_mat_numbers(const struct tamis_mat *m, const struct tamis_mat_element *e, size_t from, size_t n,
                       double *out);

/* ---- arrays as columns (mat_array.c) ---- */

/* Why a variable is not read: "is complex" and what to do. */
struct tamis_mat_reason { char what[100]; const char *remedy; };

/* *out, or NULL and the reason. A vector gives the column `name`, a matrix name1, name2, ...; `e` has the numbers of
 * version 4, NULL: they follow in the array. */
int tamis_mat_table(const struct tamis_mat *m, struct tamis_mat_array *a, const struct tamis_mat_element *e,
                    const char *name, tamis_table **out, struct tamis_mat_reason *why);
/* The texts of a char array, one per row; each(arg, text, length). */
int tamis_mat_texts(const struct tamis_mat *m, const struct tamis_mat_array *a, const struct tamis_mat_element *e,
                    int (*each)(void *arg, const char *s, size_t n), void *arg);
/* A cell array of texts and numbers (mat_cell.c). */
int tamis_mat_cells(const struct tamis_mat *m, struct tamis_mat_array *a, const char *name, tamis_table **out,
                    struct tamis_mat_reason *why);
/* A table of that shape with named columns of zeros, within the memory limit. */
int tamis_mat_columns(const struct tamis_mat *m, const char *name, size_t rows, size_t columns, tamis_table **out);

/* ---- variables (mat_variables.c) ---- */

struct tamis_mat_variable { char *name; tamis_table *table; struct tamis_mat_reason why; };
struct tamis_mat_variables { size_t count, room; struct tamis_mat_variable *variable; };

/* Adds a variable, or the fields of a struct as variables. */
int tamis_mat_add(const struct tamis_mat *m, struct tamis_mat_array *a, const struct tamis_mat_element *e,
                  const char *name, struct tamis_mat_variables *to);
/* One table of those that are wanted: named by `choice`, or all that have as many rows as the largest. */
struct tamis_names;
int tamis_mat_join(const struct tamis_mat *m, struct tamis_mat_variables *v, const struct tamis_names *choice,
                   tamis_table **out);
void tamis_mat_variables_free(struct tamis_mat_variables *v);

#endif
