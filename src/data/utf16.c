/* UTF-16: which bytes are, and what they say in UTF-8. Halves of characters become U+FFFD. */
#include "base/text.h"
#include "data/utf16.h"

enum { FEWEST = 4, TRIED = 64, REPLACEMENT = 0xFFFD };

/* Whether most units of the first bytes have a zero at place `zero`, and hardly any has one at the other. */
static int has_zeros(const unsigned char *b, size_t n, size_t zero)
{
    size_t units = 0, zeros = 0, others = 0;
    for (size_t i = 0; i + 1 < n && units < TRIED; i += 2, units++) {
        zeros += !b[i + zero];
        others += !b[i + 1 - zero];
    }
    return units >= FEWEST && 4 * zeros >= 3 * units && 16 * others <= units;
}

enum tamis_utf16_order tamis_utf16_find(const unsigned char *b, size_t n)
{
    if (n < 2) return TAMIS_NOT_UTF16;
    if ((b[0] == 0xFF && b[1] == 0xFE) || has_zeros(b, n, 1)) return TAMIS_UTF16_LITTLE;
    return (b[0] == 0xFE && b[1] == 0xFF) || has_zeros(b, n, 0) ? TAMIS_UTF16_BIG : TAMIS_NOT_UTF16;
}

static char *unit_take(struct tamis_utf16 *u, unsigned unit, char *to)
{
    int low = unit >= 0xDC00 && unit < 0xE000;
    if (u->high && low) to = tamis_utf8_put(to, 0x10000 + ((u->high - 0xD800) << 10) + (unit - 0xDC00));
    else if (u->high) to = tamis_utf8_put(to, REPLACEMENT);
    unsigned paired = u->high && low;
    u->high = unit >= 0xD800 && unit < 0xDC00 ? unit : 0;
    return paired || u->high ? to : tamis_utf8_put(to, unit);
}

size_t tamis_utf16_convert(struct tamis_utf16 *u, const unsigned char *bytes, size_t n, char *out)
{
    char *to = out;
    for (size_t i = 0; i < n; i++) {
        u->unit[u->held++] = bytes[i];
        if (u->held < 2) continue;
        u->held = 0;
        to = unit_take(u, (unsigned)u->unit[!u->big] << 8 | u->unit[u->big], to);
    }
    return (size_t)(to - out);
}

size_t tamis_utf16_end(struct tamis_utf16 *u, char *out)
{
    char *to = u->high || u->held ? tamis_utf8_put(out, REPLACEMENT) : out;
    u->high = 0;
    u->held = 0;
    return (size_t)(to - out);
}
