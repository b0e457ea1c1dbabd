/* A growing string, and JSON written into it. Failure sticks: test `failed` (or tamis_text_status) once at the end. */
#ifndef TAMIS_TEXT_H
#define TAMIS_TEXT_H

#include "base/base.h"

struct tamis_text {
    tamis_context *cx;
    char *s;                    /* always terminated once anything was added */
    size_t length, room;
    int failed;
};

void tamis_text_add(struct tamis_text *t, const char *s, size_t n);
void tamis_text_puts(struct tamis_text *t, const char *s);
void tamis_text_printf(struct tamis_text *t, const char *format, ...) TAMIS_PRINTF(2, 3);
void tamis_text_json(struct tamis_text *t,
                     const char *s); /* "quoted and escaped", valid UTF-8 whatever s is; NULL: null */
int tamis_utf8(const char *s);                                  /* whether s is well-formed UTF-8 */
void tamis_text_number(struct tamis_text *t, double x); /* shortest that reads back the same; null when not finite */
void tamis_text_free(struct tamis_text *t);
int tamis_text_status(const struct tamis_text *t);

#endif
