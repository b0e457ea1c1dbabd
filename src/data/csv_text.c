/* Cells as spreadsheets and instruments write them: Windows-1252, thousands in groups, values beyond a limit. */
#include <math.h>
#include "base/number.h"
#include "base/text.h"
#include "data/csv_inner.h"

/* ---- text that is not UTF-8 ---- */

static int is_utf8(const char *s, size_t n)
{
    for (size_t i = 0; i < n;) {
        size_t k = (unsigned char)s[i] < 128 ? 1 : tamis_utf8_length(s + i);
        if (!k || i + k > n) return 0;
        i += k;
    }
    return 1;
}

/* Bytes 128 to 159 of Windows-1252; others are the code points themselves, as in Latin-1. */
static unsigned code_point(unsigned char b)
{
    static const unsigned short high[] = {
        0x20AC, 0x81, 0x201A, 0x192, 0x201E, 0x2026, 0x2020, 0x2021, 0x2C6, 0x2030, 0x160, 0x2039, 0x152, 0x8D, 0x17D, 0x8F,
        0x90, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x2DC, 0x2122, 0x161, 0x203A, 0x153, 0x9D, 0x17E, 0x178};
    return b >= 128 && b < 160 ? high[b - 128] : b;
}

static size_t encode(unsigned u, char *out)
{
    if (u < 0x80) return out[0] = (char)u, 1;
    if (u < 0x800) return out[0] = (char)(0xC0 | u >> 6), out[1] = (char)(0x80 | (u & 63)), 2;
    out[0] = (char)(0xE0 | u >> 12);
    out[1] = (char)(0x80 | (u >> 6 & 63));
    out[2] = (char)(0x80 | (u & 63));
    return 3;
}

int tamis_csv_utf8(struct tamis_csv *c, const char **s, size_t *n)
{
    size_t length = 0;
    if (is_utf8(*s, *n)) return TAMIS_OK;
    char *text = tamis_grow(c->cx, c->converted, 3 * *n + 1, 1);
    if (!text) return TAMIS_MEMORY;
    for (size_t i = 0; i < *n; i++) length += encode(code_point((unsigned char)(*s)[i]), text + length);
    text[length] = 0;
    *s = c->converted = text;
    *n = length;
    return TAMIS_OK;
}

/* ---- numbers ---- */

static int is_digit(char c) { return c >= '0' && c <= '9'; }

int tamis_csv_grouped(const char *s, size_t n, char point, double *x)
{
    char plain[32], mark = point == ',' ? '.' : ',';
    size_t m = 0, i = n && (*s == '-' || *s == '+'), since = 0, groups = 0;
    if (n >= sizeof plain || i >= n || !is_digit(s[i])) return 0;
    if (i) plain[m++] = *s;
    for (; i < n && s[i] != point; i++) {
        if (is_digit(s[i])) plain[m++] = s[i], since++;
        else if (s[i] != mark || !since || since > 3 || (groups && since != 3)) return 0;
        else groups++, since = 0;
    }
    if (!groups || since != 3) return 0;
    for (; i < n; i++) plain[m++] = s[i];
    plain[m] = 0;
    return tamis_number_whole(plain, m, point, x) && isfinite(*x);
}

/* <0.05 or >100, with blanks after the mark. */
int tamis_csv_beyond(const struct tamis_csv *c, const char *s, size_t n, double *x)
{
    char mark = n ? *s : 0;
    size_t skip = 1;
    if (mark != '<' && mark != '>') return 0;
    while (skip < n && (s[skip] == ' ' || s[skip] == '=')) skip++;
    return skip < n && tamis_number_whole(s + skip, n - skip, c->cells.point, x) && isfinite(*x);
}

int tamis_csv_censored(struct tamis_csv *c, const char *s, size_t n, double *out)
{
    double x;
    const char *how = c->set.censored;
    if (!strcmp(how, "error") || !tamis_csv_beyond(c, s, n, &x)) return 0;
    *out = !strcmp(how, "missing") ? NAN : *s == '<' && !strcmp(how, "half") ? x / 2 : x;
    return 1;
}
