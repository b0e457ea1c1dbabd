/* Texts of options to values, and what is wrong with them. */
#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "base/options.h"

static int read_real(const char *text, size_t n, double *value)
{
    char copy[64], *end;
    locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (!c || !n || n >= sizeof copy) {
        if (c) freelocale(c);
        return 0;
    }
    memcpy(copy, text, n);
    copy[n] = 0;
    *value = strtod_l(copy, &end, c);
    freelocale(c);
    return !*end && end != copy && isfinite(*value);
}

static int within(const struct tamis_option *row, double v)
{
    return (row->least == 0 && row->largest == 0) || (v >= row->least && v <= row->largest);
}

/* Reads up to three numbers separated by colons; how many, 0 when something is no number. */
static int read_numbers(const char *text, double v[3])
{
    for (int k = 0; k < 3; k++) {
        size_t n = strcspn(text, ":");
        if (!read_real(text, n, &v[k])) return 0;
        if (!text[n]) return k + 1;
        text += n + 1;
    }
    return 0;
}

static int read_flag(const char *text, int *value)
{
    static const char *const word[] = {"0", "no", "false", "off", "1", "yes", "true", "on"};
    if (!*text) return *value = 1;
    for (int i = 0; i < 8; i++)
        if (!strcasecmp(text, word[i])) {
            *value = i >= 4;
            return 1;
        }
    return 0;
}

/* The word in a|b|c that text is; the word as it stands in the table, so that it outlives the text. */
static const char *choice_find(const char *choices, const char *text, size_t *length)
{
    size_t n = strlen(text);
    for (const char *c = choices; c && *c; c += strcspn(c, "|"), c += *c == '|') {
        *length = strcspn(c, "|");
        if (n && n == *length && !memcmp(c, text, n)) return c;
    }
    return NULL;
}

static int read_count(const struct tamis_option *row, const char *text, size_t *value)
{
    double v;
    size_t n;
    if (choice_find(row->choices, text, &n)) {
        *value = SIZE_MAX;
        return 1;
    }
    if (!read_real(text, strlen(text), &v) || v != floor(v) || v < 0 || v > 9e15 || !within(row, v)) return 0;
    *value = (size_t)v;
    return 1;
}

static int read_grid(const struct tamis_option *row, const char *text, struct tamis_grid *g)
{
    double v[3];
    size_t n;
    if (choice_find(row->choices, text, &n)) {
        *g = (struct tamis_grid){0, 0, 0};
        return 1;
    }
    int k = read_numbers(text, v);
    if (k == 1) v[1] = v[0], v[2] = 1;
    if ((k != 1 && k != 3) || v[0] <= 0 || v[1] < v[0] || v[2] < 1 || v[2] > 100000 || v[2] != floor(v[2])) return 0;
    if (!within(row, v[0]) || !within(row, v[1]) || (v[2] == 1 && v[0] != v[1])) return 0;
    *g = (struct tamis_grid){v[0], v[1], (size_t)v[2]};
    return 1;
}

static int read_range(const struct tamis_option *row, const char *text, struct tamis_range *r)
{
    double v[3];
    int k = read_numbers(text, v);
    if (k == 1) v[1] = v[0];
    if ((k != 1 && k != 2) || v[1] < v[0] || !within(row, v[0]) || !within(row, v[1])) return 0;
    *r = (struct tamis_range){v[0], v[1]};
    return 1;
}

int tamis_option_value(const struct tamis_option *row, const char *text, const struct tamis_names *names, void *out)
{
    size_t n;
    switch (row->type) {
    case TAMIS_FLAG: return read_flag(text, out);
    case TAMIS_COUNT: return read_count(row, text, out);
    case TAMIS_REAL: return read_real(text, strlen(text), out) && within(row, *(double *)out);
    case TAMIS_GRID: return read_grid(row, text, out);
    case TAMIS_RANGE: return read_range(row, text, out);
    case TAMIS_CHOICE: *(const char **)out = text; return choice_find(row->choices, text, &n) != NULL;
    case TAMIS_TEXT: *(const char **)out = text; return 1;
    case TAMIS_NAMES: if (names) *(struct tamis_names *)out = *names; return 1;
    }
    return 0;
}

static const char *const expected[] = {"yes or no",
                                       "a whole number",
                                       "a number",
                                       "FROM:TO:COUNT with 0 < FROM <= TO, or one value",
                                       "FROM:TO with FROM <= TO, or one value",
                                       "",
                                       "text",
                                       "names"};

int tamis_option_check(tamis_context *cx, const struct tamis_option *row, const char *text)
{
    union {
        int i;
        size_t n;
        double d;
        struct tamis_grid g;
        struct tamis_range r;
        struct tamis_names s;
        const char *c;
    } scratch;
    memset(&scratch, 0, sizeof scratch);
    if (tamis_option_value(row, text, NULL, &scratch)) return TAMIS_OK;
    if (row->type == TAMIS_CHOICE)
        return tamis_fail(cx, TAMIS_USAGE, "--%s '%s': one of %s is wanted", row->name, text, row->choices);
    const char *word = row->choices ? row->choices : "";
    if (row->least == 0 && row->largest == 0)
        return tamis_fail(cx, TAMIS_USAGE, "--%s '%s': %s is wanted%s%s", row->name, text, expected[row->type],
                          *word ? ", or " : "", word);
    return tamis_fail(cx, TAMIS_USAGE, "--%s '%s': %s is wanted, from %g to %g%s%s", row->name, text,
                      expected[row->type], row->least, row->largest, *word ? ", or " : "", word);
}

double tamis_grid_at(const struct tamis_grid *g, size_t i)
{
    if (i == 0) return g->from;
    if (i == g->count - 1) return g->to;
    return exp(log(g->from) + (log(g->to) - log(g->from)) * (double)i / (double)(g->count - 1));
}
