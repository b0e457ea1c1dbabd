/* Appends rows to a QR factorisation of which only the triangle is kept. */
#ifndef TAMIS_QR_UPDATE_H
#define TAMIS_QR_UPDATE_H

#include <stddef.h>

/* Doubles of work for that many columns. */
size_t tamis_qr_update_size(size_t columns);

/* R becomes the triangle of [R; B]: R (columns x columns, upper triangle; nothing below it is read or written) has
 * leading dimension ldr, B (rows x columns, ldb) is overwritten. 2 rows columns^2 flops, in matrix products except for
 * leaves of eight columns. */
void tamis_qr_update(size_t rows, size_t columns, double *r, size_t ldr, double *b, size_t ldb, double *work);

#endif
