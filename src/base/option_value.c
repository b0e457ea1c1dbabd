/* Texts of options to values, and what is wrong with them. */
#include <math.h>
#include <string.h>
#include <strings.h>
#include "base/format.h"
#include "base/number.h"
#include "base/options.h"

static const struct {
    const char *name, *argument, *expected;     /* as tamis_option_info has it; in help; in messages */
} types[] = {[TAMIS_FLAG] = {"flag", NULL, "yes or no"},
             [TAMIS_COUNT] = {"count", "N", "a whole number"},
             [TAMIS_REAL] = {"real", "X", "a number"},
             [TAMIS_GRID] = {"grid", "FROM:TO:COUNT", "FROM:TO:COUNT with 0 < FROM <= TO, or one value"},
             [TAMIS_RANGE] = {"range", "FROM:TO", "FROM:TO with FROM <= TO, or one value"},
             [TAMIS_CHOICE] = {"choice", NULL, "one of"},
             [TAMIS_TEXT] = {"text", "TEXT", "text"},
             [TAMIS_NAMES] = {"names", "A,B,...", "names"},
             [TAMIS_SIZE] = {"text", "SIZE", "a size such as 500M or 4G"}};

static int read_real(const char *text, size_t n, double *value)
{
    return tamis_number_whole(text, n, '.', value) && isfinite(*value);
}

int tamis_size_read(const char *text, double *bytes)
{
    static const char units[] = "KMGT";
    const char *end = tamis_number_read(text, text + strlen(text), '.', bytes);
    const char *unit = *end ? strchr(units, *end & ~32) : NULL;
    if (end == text || (*end && !unit) || !(*bytes > 0) || !isfinite(*bytes)) return 0;
    for (const char *u = units; unit && u <= unit; u++) *bytes *= 1024;
    return !unit || !end[1] || !strcasecmp(end + 1, "B") || !strcasecmp(end + 1, "iB");
}

static int within(const struct tamis_option *row, double v)
{
    return (row->least == 0 && row->largest == 0) || (v >= row->least && v <= row->largest);
}

/* Up to three numbers separated by colons: how many, or 0 if one does not parse. */
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

/* The word of a|b|c that equals text, in the table itself, so that it outlives the text; NULL: none. */
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
    case TAMIS_SIZE: return tamis_size_read(text, out);
    case TAMIS_NAMES: if (names) *(struct tamis_names *)out = *names; return 1;
    }
    return 0;
}

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
    const char *choices = row->choices ? row->choices : "";
    if (row->type == TAMIS_CHOICE)
        return tamis_fail(cx, TAMIS_USAGE, "--%s '%s': expected one of %s", row->name, text, choices);
    char range[64] = "";
    if (row->least != 0 || row->largest != 0)
        tamis_snprintf(range, sizeof range, " from %g to %g", row->least, row->largest);
    return tamis_fail(cx, TAMIS_USAGE, "--%s '%s': expected %s%s%s%s", row->name, text, types[row->type].expected,
                      range, *choices ? ", or " : "", choices);
}

tamis_option_info tamis_option_describe(const struct tamis_option *row, const char *part, const char *kind)
{
    const char *argument = row->argument               ? row->argument
                           : row->type == TAMIS_CHOICE ? row->choices
                                                       : types[row->type].argument;
    return (tamis_option_info){.name = row->name,
                               .alias = row->alias,
                               .type = types[row->type].name,
                               .argument = argument,
                               .standard = row->standard,
                               .choices = row->choices,
                               .least = row->least,
                               .largest = row->largest,
                               .help = row->help,
                               .part = part,
                               .kind = kind,
                               .basic = row->basic};
}

double tamis_grid_at(const struct tamis_grid *g, size_t i)
{
    if (i == 0) return g->from;
    if (i == g->count - 1) return g->to;
    return exp(log(g->from) + (log(g->to) - log(g->from)) * (double)i / (double)(g->count - 1));
}
