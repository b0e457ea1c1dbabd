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

/* The code of a well-formed character of n bytes. */
static uint32_t code_of(const char *s, size_t n)
{
    uint32_t code = (unsigned char)s[0] & (n == 1 ? 0x7F : 0xFF >> (n + 1));
    for (size_t i = 1; i < n; i++) code = code << 6 | ((unsigned char)s[i] & 0x3F);
    return code;
}

/* C0, DEL, C1; marks, embeddings, overrides and isolates of direction; separators of lines; the byte order mark. */
static int disturbs(uint32_t code)
{
    return code < 0x20 || (code >= 0x7F && code < 0xA0) || code == 0x061C || code == 0x200E || code == 0x200F ||
           (code >= 0x2028 && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069) || code == 0xFEFF;
}

char *tamis_printable(char *text)
{
    char *to = text;
    for (const char *s = text; *s;) {
        size_t n = tamis_utf8_length(s);
        if (!n || disturbs(code_of(s, n))) {
            *to++ = '?';
            s += n ? n : 1;
        } else for (; n; n--) *to++ = *s++;
    }
    *to = 0;
    return text;
}

int tamis_utf8(const char *s)
{
    for (size_t n; *s; s += n)
        if (!(n = tamis_utf8_length(s))) return 0;
    return 1;
}

char *tamis_utf8_put(char *to, uint32_t c)
{
    if (c > 0x10FFFF || (c >= 0xD800 && c < 0xE000)) c = 0xFFFD;
    if (c < 0x80) return *to = (char)c, to + 1;
    int more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
    *to++ = (char)((0xF00 >> (more + 1)) | c >> 6 * more);
    while (more--) *to++ = (char)(0x80 | (c >> 6 * more & 0x3F));
    return to;
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
