/* How numbers are spelt, as long as their column may turn out to be a category, in which 007, 7 and 7.0 are three
 * labels. Numbers that are written the plain way (123, -4.5) need no memory: the way back from the double is known. Of
 * others the text is kept, up to a limit.
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
    if (point != '.' || part[-1] != '.' || rest < 2 || whole + rest > DIGITS || digits(part, rest - 1) < rest - 1) return 0;
    if (part[rest - 2] == '0') return 0;
    size_t zeros = 0;
    while (part[zeros] == '0') zeros++;
    return s[minus] != '0' || zeros < FIXED;
}

size_t tamis_csv_plain(double x, char *out)
{
    if (x == floor(x) && fabs(x) < 1e15) return (size_t)tamis_snprintf(out, 32, "%.0f", x + 0.0);
    return (size_t)(tamis_number_write(x, out) - out);
}

int tamis_csv_plain_text(const char *s)
{
    return is_plain(s, strlen(s), '.');
}

static void forget(struct spelling *p)
{
    tamis_free(p->bytes);
    p->bytes = NULL;
    p->length = p->room = 0;
    p->lost = 1;
}

static int record(struct tamis_csv *c, struct spelling *p, size_t row, const char *s, size_t n)
{
    size_t need = p->length + sizeof row + 1 + n, most = MOST_BYTES / (c->fields + 1);
    if (n > 255 || need > (most > FEWEST_BYTES ? most : FEWEST_BYTES)) return forget(p), TAMIS_OK;
    if (need > p->room) {
        unsigned char *bytes = tamis_grow(c->cx, p->bytes, 2 * need, 1);
        if (!bytes) return TAMIS_MEMORY;
        p->bytes = bytes;
        p->room = 2 * need;
    }
    unsigned char length = (unsigned char)n;
    memcpy(p->bytes + p->length, &row, sizeof row);
    memcpy(p->bytes + p->length + sizeof row, &length, 1);
    memcpy(p->bytes + p->length + sizeof row + 1, s, n);
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
    if (p->lost || is_plain(s, n, c->cells.point)) c->hot[f].watch = !p->lost || !p->uneven;
    else return record(c, p, row, s, n);
    return TAMIS_OK;
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
                                  : tamis_csv_plain(x, text);
    return tamis_csv_label(c, f, text, n, label);
}

int tamis_csv_turn(struct tamis_csv *c, size_t k, size_t rows)
{
    struct field *f = &c->field[k];
    struct spelling *p = &f->spelling;
    double *value = c->hot[k].value;
    size_t at = 0, row = SIZE_MAX;
    int status = TAMIS_OK;
    for (size_t i = 0; i < rows && !status; i++) {
        long label = 0;
        const unsigned char *text = NULL;
        for (; at < p->length && (memcpy(&row, p->bytes + at, sizeof row), row <= i); at += sizeof row + 1 + *text)
            text = p->bytes + at + sizeof row;
        if (isnan(value[i])) continue;
        status = text && !tamis_csv_codes(f) ? tamis_csv_label(c, f, (const char *)text + 1, *text, &label)
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
