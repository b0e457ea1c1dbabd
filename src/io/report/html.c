/* Text for people, escaped for HTML and SVG: names whole, cut, or fitted to a width; numbers. */
#include <math.h>
#include <string.h>
#include "base/format.h"
#include "io/report/svg.h"

/* The length of the character at s, and whether HTML allows it; ill-formed UTF-8 is one byte that it does not. */
static size_t character(const unsigned char *s, int *good)
{
    size_t n = s[0] < 0x80 ? 1 : s[0] >> 5 == 6 ? 2 : s[0] >> 4 == 14 ? 3 : s[0] >> 3 == 30 ? 4 : 0;
    uint32_t code = n == 1 ? s[0] : s[0] & (0x7Fu >> n);
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    *good = n != 0;
    for (size_t i = 1; i < n; i++) {
        if ((s[i] & 0xC0) != 0x80) {
            *good = 0;
            return 1;
        }
        code = code << 6 | (s[i] & 0x3F);
    }
    if (!n || code < least[n] || code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF)) *good = 0;
    if ((code < 32 && code != '\n') || (code >= 127 && code < 160) || (code & 0xFFFE) == 0xFFFE ||
        (code >= 0xFDD0 && code <= 0xFDEF))
        *good = 0;
    return n ? n : 1;
}

static void put_character(struct tamis_text *t, const unsigned char *s, size_t n, int good)
{
    static const struct {
        char c;
        const char *text;
    } known[] = {{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}, {'\'', "&#39;"}, {'`', "&#96;"}};
    if (!good) {
        tamis_text_puts(t, "\xEF\xBF\xBD");
        return;
    }
    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
        if (*s == (unsigned char)known[k].c) {
            tamis_text_puts(t, known[k].text);
            return;
        }
    tamis_text_add(t, (const char *)s, n);
}

void tamis_html_short(struct tamis_text *t, const char *s, size_t most)
{
    size_t characters = 0, shown = 0;
    int good;
    if (!s) return;
    for (const unsigned char *c = (const unsigned char *)s; *c; c += character(c, &good)) characters++;
    for (const unsigned char *c = (const unsigned char *)s; *c; shown++) {
        size_t n = character(c, &good);
        if (characters > most && shown + 1 >= most) {
            tamis_text_puts(t, "\xE2\x80\xA6");
            return;
        }
        put_character(t, c, n, good);
        c += n;
    }
}

void tamis_html(struct tamis_text *t, const char *s) { tamis_html_short(t, s, SIZE_MAX); }

/* ---- widths ---- */

/* Pixels of a character at 12 pixels, in a wide sans-serif face. */
static double pixels(const unsigned char *c, size_t n)
{
    if (n > 1) return n == 2 ? 9.5 : n == 3 ? 13 : 17;
    if (strchr("ijlI.,:;'|!", *c)) return 4.2;
    if (strchr("ftr[]() /-", *c)) return 5.4;
    if (strchr("mMWw%@", *c)) return 12;
    return strchr("+=<>~^#&", *c) || (*c >= 'A' && *c <= 'Z') ? 9.6 : 7.7;
}

double tamis_html_width(const char *s)
{
    double sum = 0;
    int good;
    for (const unsigned char *c = (const unsigned char *)(s ? s : ""); *c;) {
        size_t n = character(c, &good);
        sum += pixels(c, n);
        c += n;
    }
    return sum;
}

/* Characters of s that come to lie between two widths. */
static void put_between(struct tamis_text *t, const char *s, double from, double to)
{
    double at = 0;
    int good;
    for (const unsigned char *c = (const unsigned char *)s; *c;) {
        size_t n = character(c, &good);
        double wide = pixels(c, n);
        if (at >= from && at + wide <= to) put_character(t, c, n, good);
        at += wide;
        c += n;
    }
}

void tamis_html_fit(struct tamis_text *t, const char *s, double room)
{
    double wide = tamis_html_width(s), spare = fmax(room - 12, 8);
    if (!s) return;
    if (wide <= room) {
        tamis_html(t, s);
        return;
    }
    put_between(t, s, 0, 0.6 * spare);
    tamis_text_puts(t, "\xE2\x80\xA6");
    put_between(t, s, wide - 0.4 * spare, INFINITY);
}

/* ---- numbers ---- */

void tamis_html_number(struct tamis_text *t, double x, int digits)
{
    char buffer[32];
    if (!isfinite(x)) {
        tamis_text_puts(t, "\xE2\x80\x93");
        return;
    }
    if (fabs(x) >= 1000 && fabs(x) < 1e7 && x == floor(x)) tamis_snprintf(buffer, sizeof buffer, "%.0f", x);
    else tamis_snprintf(buffer, sizeof buffer, "%.*g", digits, x + 0.0);
    for (char *c = buffer; *c; c++)
        if (*c == ',') *c = '.';
    if (*buffer == '-') tamis_text_puts(t, "\xE2\x88\x92");
    tamis_text_puts(t, buffer + (*buffer == '-'));
}
