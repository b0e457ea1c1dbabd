/* Cells as spreadsheets and instruments write them: Windows-1252, thousands in groups, values beyond a limit. */
#include <math.h>
#include "base/format.h"
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
    static const unsigned short high[] = {0x20AC, 0x81,   0x201A, 0x192,  0x201E, 0x2026, 0x2020, 0x2021,
                                          0x2C6,  0x2030, 0x160,  0x2039, 0x152,  0x8D,   0x17D,  0x8F,
                                          0x90,   0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014,
                                          0x2DC,  0x2122, 0x161,  0x203A, 0x153,  0x9D,   0x17E,  0x178};
    return b >= 128 && b < 160 ? high[b - 128] : b;
}

/* The text, in *room if it had to be converted. */
static int to_utf8(tamis_context *cx, char **room, const char **s, size_t *n)
{
    if (is_utf8(*s, *n)) return TAMIS_OK;
    char *text = tamis_grow(cx, *room, 3 * *n + 1, 1), *to = text;
    if (!text) return TAMIS_MEMORY;
    for (size_t i = 0; i < *n; i++) to = tamis_utf8_put(to, code_point((unsigned char)(*s)[i]));
    *to = 0;
    *s = *room = text;
    *n = (size_t)(to - text);
    return TAMIS_OK;
}

int tamis_csv_utf8(struct tamis_csv *c, const char **s, size_t *n) { return to_utf8(c->cx, &c->converted, s, n); }

char *tamis_column_name(tamis_context *cx, const char *s, size_t n, size_t number)
{
    char made[32], *room = NULL, *name = NULL;
    while (n && (*s == ' ' || *s == '\t')) s++, n--;
    while (n && (s[n - 1] == ' ' || s[n - 1] == '\t')) n--;
    if (!n) s = made, n = (size_t)tamis_snprintf(made, sizeof made, "column%zu", number);
    if (!to_utf8(cx, &room, &s, &n)) name = tamis_strndup(cx, s, n);
    tamis_free(room);
    return name;
}

/* ---- numbers ---- */

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
