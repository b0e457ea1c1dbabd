/* How numbers are spelt, as long as their column may turn out to be a category, in which 007, 7 and 7.0 are three
 * labels. Numbers that are written the plain way (123, -4.5) need no memory: the way back from the double is known. Of
 * others the text is kept, up to a limit; past it, or where a decimal has more than 15 digits, the column is blurred:
 * all its numbers, also those after the first text, are labels by value, so that the label of a cell never depends on
 * where in the file it is.
 *
 * A record of the list: the row, the length of the text, the text. A row that is read twice, because the first block
 * ended inside it, has two that are alike. */
#include <math.h>
#include "base/format.h"
#include "base/number.h"
#include "data/csv_inner.h"

enum { MOST_BYTES = 1 << 25, FEWEST_BYTES = 1 << 12, DIGITS = 15, FIXED = 4 };

static size_t digits(const char *s, size_t n)
{
    size_t k = 0;
    while (k < n && s[k] >= '0' && s[k] <= '9') k++;
    return k;
}

/* Whether tamis_csv_plain writes a number with this decimal mark like this. */
static int is_plain(const char *s, size_t n, char point)
{
    size_t minus = n && *s == '-', whole = digits(s + minus, n - minus), rest = n - minus - whole;
    const char *part = s + minus + whole + 1;
    if (!whole || whole > DIGITS || (s[minus] == '0' && (whole > 1 || (!rest && minus)))) return 0;
    if (!rest) return 1;
    if (part[-1] != point || rest < 2 || whole + rest > DIGITS || digits(part, rest - 1) < rest - 1) return 0;
    if (part[rest - 2] == '0') return 0;
    size_t zeros = 0;
    while (part[zeros] == '0') zeros++;
    return s[minus] != '0' || zeros < FIXED;
}

/* Decimals of more digits than a label would have. */
static int is_measured(const char *s, size_t n, char point)
{
    size_t minus = *s == '-', whole = digits(s + minus, n - minus), at = minus + whole;
    return at < n && s[at] == point && whole + digits(s + at + 1, n - at - 1) > DIGITS;
}

size_t tamis_csv_plain(double x, char point, char *out)
{
    if (x == floor(x) && fabs(x) < 1e15) return (size_t)tamis_snprintf(out, 32, "%.0f", x + 0.0);
    size_t n = (size_t)(tamis_number_write(x, out) - out);
    char *mark = memchr(out, '.', n);
    if (mark) *mark = point;
    return n;
}

int tamis_csv_misspelt(const char *s, char point)
{
    char plain[32];
    double x;
    size_t n = strlen(s);
    if (!tamis_number_whole(s, n, point, &x) || !isfinite(x)) return 0;
    return tamis_csv_plain(x, point, plain) != n || memcmp(plain, s, n) != 0;
}

struct record { size_t row, n; };       /* n bytes of text follow */

static void forget(struct spelling *p)
{
    tamis_free(p->bytes);
    p->bytes = NULL;
    p->length = p->room = 0;
    p->lost = 1;
}

static int record(struct tamis_csv *c, struct spelling *p, size_t row, const char *s, size_t n)
{
    struct record r = {row, n};
    size_t need = p->length + sizeof r + n, most = MOST_BYTES / (c->fields + 1);
    if (need > (most > FEWEST_BYTES ? most : FEWEST_BYTES)) return forget(p), TAMIS_OK;
    if (need > p->room) {
        unsigned char *bytes = tamis_grow(c->cx, p->bytes, 2 * need, 1);
        if (!bytes) return TAMIS_MEMORY;
        p->bytes = bytes;
        p->room = 2 * need;
    }
    memcpy(p->bytes + p->length, &r, sizeof r);
    memcpy(p->bytes + p->length + sizeof r, s, n);
    p->length = need;
    return TAMIS_OK;
}

int tamis_csv_watch(struct tamis_csv *c, size_t f, size_t row, const char *s, size_t n)
{
    struct spelling *p = &c->field[f].spelling;
    if (!p->uneven) {
        p->uneven = digits(s, n) < n || n > DIGITS || (p->width && p->width != n);
        p->width = n;
        p->padded |= n > 1 && *s == '0';
    }
    if (!p->lost && n > DIGITS && is_measured(s, n, c->cells.point)) forget(p);
    c->hot[f].watch = !p->uneven ? WATCH_ALL : p->lost ? WATCH_NOTHING : WATCH_SPELLING;
    return p->lost || is_plain(s, n, c->cells.point) ? TAMIS_OK : record(c, p, row, s, n);
}

int tamis_csv_codes(const struct field *f)
{
    return f->spelling.padded && !f->spelling.uneven;
}

/* The label of a number; codes have leading zeros up to their common width. */
static int label_of(struct tamis_csv *c, struct field *f, double x, long *label)
{
    char text[40];
    size_t n = tamis_csv_codes(f) ? (size_t)tamis_snprintf(text, sizeof text, "%0*.0f", (int)f->spelling.width, x)
                                  : tamis_csv_plain(x, c->cells.point, text);
    return tamis_csv_label(c, f, text, n, label);
}

int tamis_csv_turn(struct tamis_csv *c, size_t k, size_t rows)
{
    struct field *f = &c->field[k];
    struct spelling *p = &f->spelling;
    double *value = c->hot[k].value;
    size_t at = 0, n = 0;
    struct record r;
    int status = TAMIS_OK;
    for (size_t i = 0; i < rows && !status; i++) {
        long label = 0;
        const char *text = NULL;
        for (; at < p->length && (memcpy(&r, p->bytes + at, sizeof r), r.row <= i); at += sizeof r + n)
            text = (const char *)p->bytes + at + sizeof r, n = r.n;
        if (isnan(value[i])) continue;
        status = text && !tamis_csv_codes(f) ? tamis_csv_label(c, f, text, n, &label)
                                             : label_of(c, f, value[i], &label);
        value[i] = (double)label;
    }
    f->blurred = p->lost && !tamis_csv_codes(f);
    tamis_free(p->bytes);
    p->bytes = NULL;
    c->hot[k].how = LABELS;
    c->hot[k].watch = 0;
    return status;
}
