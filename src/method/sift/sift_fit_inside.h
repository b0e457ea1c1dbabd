/* What the two files of a fit share: features of a block of rows. */
#ifndef TAMIS_SIFT_FIT_INSIDE_H
#define TAMIS_SIFT_FIT_INSIDE_H

#include "method/sift/sift_fit.h"

struct sift_blocks { double *h, *fun, *work; }; /* SIFT_BLOCK x features; functions; for the network */

int sift_blocks_make(const struct sift_fit *t, struct sift_blocks *b);  /* call sift_blocks_free even if it fails */
void sift_blocks_free(struct sift_blocks *b);
/* Columns of H for n rows; those of terms that are off too if `all`. */
void sift_block_fill(const struct sift_fit *t, const size_t *row, size_t n, int all, const struct sift_blocks *b);
int sift_targets_take(struct sift_fit *t);              /* c again, after v->y has changed */

#endif
