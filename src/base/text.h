/* A growing string. A failure persists: test `failed` once at the end. */
#ifndef TAMIS_TEXT_H
#define TAMIS_TEXT_H

#include "base/base.h"

struct tamis_text {
    tamis_context *cx;
    char *s;                    /* terminated; NULL before the first addition */
    size_t length, room;
    int failed;
};

void tamis_text_add(struct tamis_text *t, const char *s, size_t n);
void tamis_text_puts(struct tamis_text *t, const char *s);
void tamis_text_printf(struct tamis_text *t, const char *format, ...) TAMIS_PRINTF(2, 3);
void tamis_text_free(struct tamis_text *t);

int tamis_utf8(const char *s);                  /* whether s is well-formed UTF-8 */
size_t tamis_utf8_length(const char *s);        /* bytes of the character at s; 0: not well-formed */

#endif
