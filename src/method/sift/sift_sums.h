/* Sums over the rows of a view whose digits depend neither on the number of processes nor on who holds which rows: the
 * rows of the design fall into strips of equal length, each strip is added up by itself, block by block, and the strips
 * are added in order. Where rows are spread, a process holds whole strips. */
#ifndef TAMIS_SIFT_SUMS_H
#define TAMIS_SIFT_SUMS_H

#include "method/sift/sift_view.h"

struct sift_sums {
    const struct sift_view *v;
    double *total, *part, *to;          /* part: sums of one strip, or of every strip of this process */
    size_t count, strip, strips;        /* numbers; strip under way; strips begun */
    int taken, apart;                   /* total has what comes before; each strip has a place of its own in part */
};

/* Of `count` numbers, which go to total[] in the end. sift_sums_end even if it fails. */
int sift_sums_begin(struct sift_sums *s, const struct sift_view *v, double *total, size_t count);
/* Where the block that begins at place `at` of the view adds what it has; blocks in order. */
double *sift_sums_at(struct sift_sums *s, size_t at);
int sift_sums_end(struct sift_sums *s);

#endif
