/* What sift needs of rows that processes share (base/spread.h): its own division of the rows, values of single rows,
 * and ranks. All processes make the same calls. */
#ifndef TAMIS_SIFT_SPREAD_H
#define TAMIS_SIFT_SPREAD_H

#include "method/sift/sift_functions.h"

/* Moves the rows of a design so that every process holds whole strips, or all rows if they make one strip only: then
 * d->spread is NULL afterwards. s: the spread of the design, which moves with it. */
int sift_spread_rows(struct tamis_spread *s, struct tamis_design *d);
/* The rows that this process will have, and bytes that it needs because rows are spread: its new part, lists of all
 * rows, a column of all rows, strips that wait. */
double sift_spread_bytes(const struct tamis_design *d, size_t *rows);

/* Of a list of which this process has n: how many there are before its own, and in all. s NULL or one process: 0, n. */
int sift_spread_count(const struct tamis_spread *s, size_t n, size_t *before, size_t *all);

/* Numbers that stand in columns, x[i + ld column[c]], i = row[k] for place k of a list; row or column NULL: k, c. */
struct sift_source { const size_t *row; const double *x; size_t ld; const size_t *column; size_t columns; };
/* to[k + count c]: the numbers of place at[k] among all places of the list, of which this process has n. */
int sift_spread_fetch(const struct tamis_spread *s, size_t n, const size_t *at, size_t count,
                      const struct sift_source *from, double *to);

/* Of n sorted values of this process: how many of all values are less than each, and how many are equal to it. */
int sift_spread_below(const struct tamis_spread *s, const double *sorted, size_t n, size_t *below, size_t *here);
/* The median of all values; reorders v. */
int sift_spread_median(const struct tamis_spread *s, double *v, size_t n, double *median);

#endif
