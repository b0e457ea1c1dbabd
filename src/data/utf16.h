/* UTF-16 to UTF-8, piece by piece. */
#ifndef TAMIS_UTF16_H
#define TAMIS_UTF16_H

#include <stddef.h>

struct tamis_utf16 {
    int big;                    /* the high byte comes first */
    unsigned char unit[2];      /* the first byte of a unit that was cut off */
    size_t held;
    unsigned high;              /* the first half of a pair of surrogates; 0: none */
};

enum tamis_utf16_order { TAMIS_NOT_UTF16, TAMIS_UTF16_LITTLE, TAMIS_UTF16_BIG };

/* The byte order that the first bytes of a file show: by their mark, or by zeros at every other place. */
enum tamis_utf16_order tamis_utf16_find(const unsigned char *bytes, size_t n);
/* Converts n bytes; `out` has room for TAMIS_UTF16_ROOM(n). How many were written. A mark at the start is kept. */
#define TAMIS_UTF16_ROOM(n) (3 * (n) / 2 + 8)
size_t tamis_utf16_convert(struct tamis_utf16 *u, const unsigned char *bytes, size_t n, char *out);
/* What the end of the text leaves: half of a character. */
size_t tamis_utf16_end(struct tamis_utf16 *u, char *out);

#endif
