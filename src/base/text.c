/* Growing strings, and UTF-8. */
#include <stdlib.h>
#include <string.h>
#include "base/format.h"
#include "base/text.h"

static int make_room(struct tamis_text *t, size_t more)
{
    size_t need = t->length + more + 1, room = t->room ? t->room : 256;
    if (t->failed) return 0;
    if (need <= t->room) return 1;
    while (room < need) room *= 2;
    char *s = tamis_grow(t->cx, t->s, room, 1);
    if (!s) {
        t->failed = 1;
        return 0;
    }
    t->s = s;
    t->room = room;
    return 1;
}

void tamis_text_add(struct tamis_text *t, const char *s, size_t n)
{
    if (!make_room(t, n)) return;
    memcpy(t->s + t->length, s, n);
    t->length += n;
    t->s[t->length] = 0;
}

void tamis_text_puts(struct tamis_text *t, const char *s) { tamis_text_add(t, s, strlen(s)); }

void tamis_text_printf(struct tamis_text *t, const char *format, ...)
{
    va_list ap, again;
    va_start(ap, format);
    va_copy(again, ap);
    int n = tamis_vsnprintf(NULL, 0, format, ap);
    if (n < 0) {
        t->failed = 1;
        tamis_text_status(t);
    } else if (make_room(t, (size_t)n)) {
        tamis_vsnprintf(t->s + t->length, (size_t)n + 1, format, again);
        t->length += (size_t)n;
    }
    va_end(again);
    va_end(ap);
}

size_t tamis_utf8_length(const char *text)
{
    const unsigned char *s = (const unsigned char *)text;
    static const struct { unsigned char mask, lead; size_t n; uint32_t least; } form[] = {
        {0x80, 0, 1, 0}, {0xE0, 0xC0, 2, 0x80}, {0xF0, 0xE0, 3, 0x800}, {0xF8, 0xF0, 4, 0x10000}};
    for (size_t f = 0; f < 4; f++) {
        if ((s[0] & form[f].mask) != form[f].lead) continue;
        uint32_t code = s[0] & (unsigned char)~form[f].mask;
        for (size_t i = 1; i < form[f].n; i++) {
            if ((s[i] & 0xC0) != 0x80) return 0;
            code = code << 6 | (s[i] & 0x3F);
        }
        return code >= form[f].least && code <= 0x10FFFF && (code < 0xD800 || code > 0xDFFF) ? form[f].n : 0;
    }
    return 0;
}

int tamis_utf8(const char *s)
{
    for (size_t n; *s; s += n)
        if (!(n = tamis_utf8_length(s))) return 0;
    return 1;
}

int tamis_text_status(struct tamis_text *t)
{
    return t->failed ? tamis_fail(t->cx, TAMIS_MEMORY, "out of memory: cannot write a text") : TAMIS_OK;
}

int tamis_text_take(struct tamis_text *t, char **s, size_t *length)
{
    tamis_text_add(t, "", 0);
    int status = tamis_text_status(t);
    if (status) tamis_text_free(t);
    *s = t->s;
    if (length) *length = t->length;
    *t = (struct tamis_text){.cx = t->cx};
    return status;
}

void tamis_text_free(struct tamis_text *t)
{
    tamis_free(t->s);
    memset(t, 0, sizeof *t);
}
