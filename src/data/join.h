/* Named arrays with the same number of rows, joined into one table: what NPZ and MAT have in common. */
#ifndef TAMIS_JOIN_H
#define TAMIS_JOIN_H

#include "data/table.h"

struct tamis_join {
    tamis_context *cx;
    const char *file;                   /* for messages */
    tamis_table *table;                 /* so far */
    char *first;                        /* the array that the number of rows is from */
    tamis_table *last;                  /* of the array that goes to the end */
};

/* Appends the columns of `t`, which is taken over; name: of the array. One called y, Y, target, label or labels goes to
 * the end, where the default target is. TAMIS_DATA: another number of rows. */
int tamis_join_add(struct tamis_join *j, const char *name, tamis_table *t);
int tamis_join_end(struct tamis_join *j, tamis_table **out);    /* TAMIS_DATA: there was no array */
void tamis_join_free(struct tamis_join *j);
/* The name of column j of an array: its own if it is a vector, else NAME1, NAME2, ..., or NAME_1, ... after a digit. */
void tamis_join_name(const char *array, int vector, size_t j, char *out, size_t room);

#endif
