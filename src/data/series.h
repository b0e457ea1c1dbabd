/* The time of the rows of a series: where its steps break, and durations. */
#ifndef TAMIS_SERIES_H
#define TAMIS_SERIES_H

#include "data/design.h"

/* Finds the time column (--time, else the first date that is not the target) and learns its usual and longest step. A
 * column that does not order the rows has longest 0, with a note; TAMIS_DATA: time runs backwards. */
int tamis_time_find(tamis_context *cx, const tamis_table *t, const struct tamis_roles *r, struct tamis_encoder *e);

/* Breaks of the time column in a table. */
struct tamis_breaks {
    size_t *since;              /* of each row, how many rows before it follow without a break; the caller frees it */
    size_t gaps, back;          /* steps that are too long; steps that are not forward */
    size_t after;               /* the row before the longest gap */
    double longest;             /* and how long it is */
};
/* All zero if the encoder knows no time, or the table lacks its column. */
int tamis_time_breaks(tamis_context *cx, const struct tamis_encoder *e, const tamis_table *t, struct tamis_breaks *b);
/* Rows at or after `reach` that a break within `reach` rows leaves out. */
size_t tamis_breaks_cost(const struct tamis_breaks *b, size_t rows, size_t reach);

/* A duration of a time column as text: "36 h", or a plain number where times are not dates. out: 40 characters. */
const char *tamis_duration_text(double days, int date, char *out);
const char *tamis_time_text(double time, int date, char *out);         /* a time; out: 40 characters */
/* Rows that "24" or "24h" means: s, min, h, d, w or y, in steps of the time column. TAMIS_USAGE: neither, or not a
 * multiple of the step. */
int tamis_duration_rows(tamis_context *cx, const struct tamis_encoder *e, const char *option, const char *text,
                        size_t *rows);

#endif
