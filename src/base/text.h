/* A growing string. A failure persists: tamis_text_take or tamis_text_status tells at the end. */
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
/* Hands the string over, for tamis_free: *s, "" if nothing was added, and its length unless NULL. On failure a status,
 * and *s is NULL. t is empty afterwards. */
int tamis_text_take(struct tamis_text *t, char **s, size_t *length);
int tamis_text_status(struct tamis_text *t);    /* TAMIS_OK, or why an addition failed */

int tamis_utf8(const char *s);                  /* whether s is well-formed UTF-8 */
size_t tamis_utf8_length(const char *s);        /* bytes of the character at s; 0: not well-formed */
char *tamis_utf8_put(char *to, uint32_t c);     /* up to 4 bytes, and past them; what is not a character: U+FFFD */

#endif
