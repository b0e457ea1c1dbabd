/* Rows of a file in any format, block by block: CSV at fixed memory, other formats read whole. */
#ifndef TAMIS_BLOCKS_H
#define TAMIS_BLOCKS_H

#include "data/csv.h"

struct tamis_blocks;

/* As tamis_csv_open, tamis_csv_next and tamis_csv_close. */
int tamis_blocks_open(tamis_context *cx, const char *path, const tamis_options *o, const struct tamis_csv_want *want,
                      size_t wants, struct tamis_blocks **out);
/* The same; takes the stream over. */
int tamis_blocks_open_stream(tamis_context *cx, struct tamis_stream *s, const char *file, const tamis_options *o,
                             const struct tamis_csv_want *want, size_t wants, struct tamis_blocks **out);
int tamis_blocks_next(struct tamis_blocks *b, const tamis_table **block);
void tamis_blocks_close(struct tamis_blocks *b);

#endif
