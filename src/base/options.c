/* Option rows: text in, checked values out. */
#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "base/options.h"

struct item { char *name, *text; struct tamis_names names; };

struct tamis_options {
    tamis_context *cx;
    struct tamis_option_table *tables;  /* a copy, ended by part NULL */
    size_t count, room;
    struct item *item;
    int words;
    char **word;
};

/* ---- texts to values ---- */

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

/* A value into *out (which may be scratch, for a check); 0 when the text is wrong. */
static int read_value(const struct tamis_option *row, const char *text, const struct tamis_names *names, void *out)
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
    if (read_value(row, text, NULL, &scratch)) return TAMIS_OK;
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

/* ---- the object ---- */

tamis_options *tamis_options_create(tamis_context *cx, const struct tamis_option_table *tables)
{
    size_t n = 0;
    while (tables[n].part) n++;
    tamis_options *o = tamis_new(cx, tamis_options, 1);
    if (o && (o->tables = tamis_new(cx, struct tamis_option_table, n + 1))) {
        o->cx = cx;
        memcpy(o->tables, tables, n * sizeof *tables);
        return o;
    }
    tamis_free(o);
    return NULL;
}

static void names_free(struct tamis_names *n)
{
    for (size_t i = 0; i < n->count; i++) tamis_free(n->name[i]);
    tamis_free(n->name);
}

static void item_free(struct item *it)
{
    names_free(&it->names);
    tamis_free(it->name);
    tamis_free(it->text);
}

static int item_put(tamis_options *o, const char *name, const char *text);

static void words_free(tamis_options *o)
{
    for (int i = 0; i < o->words; i++) tamis_free(o->word[i]);
    tamis_free(o->word);
    o->words = 0;
    o->word = NULL;
}

void tamis_options_free(tamis_options *o)
{
    if (!o) return;
    for (size_t i = 0; i < o->count; i++) item_free(&o->item[i]);
    words_free(o);
    tamis_free(o->item);
    tamis_free(o->tables);
    tamis_free(o);
}

tamis_options *tamis_options_copy(tamis_context *cx, const tamis_options *from)
{
    tamis_options *o = tamis_options_create(cx, from->tables);
    if (!o) return NULL;
    for (size_t i = 0; i < from->count && !tamis_status(cx); i++) item_put(o, from->item[i].name, from->item[i].text);
    tamis_options_command(o, from->words, from->word);
    if (!tamis_status(cx)) return o;
    tamis_options_free(o);
    return NULL;
}

void tamis_options_command(tamis_options *o, int words, char **word)
{
    words_free(o);
    o->word = tamis_new(o->cx, char *, (size_t)words);
    for (int i = 0; o->word && i < words; i++) {
        o->word[i] = tamis_strdup(o->cx, word[i]);
        o->words = i + 1;
    }
}

int tamis_options_words(const tamis_options *o, char ***word)
{
    *word = o->word;
    return o->words;
}

/* One name of A,"B,C",... from *s into buffer; *s moves past it and its comma. */
static size_t name_next(const char **s, char *buffer)
{
    size_t n = 0;
    int quoted = **s == '"';
    const char *c = *s + quoted;
    for (; *c; c++) {
        if (quoted && *c == '"' && c[1] != '"') break;
        if (!quoted && *c == ',') break;
        c += quoted && *c == '"';
        buffer[n++] = *c;
    }
    c += quoted && *c == '"';
    while (*c && *c != ',') buffer[n++] = *c++;
    *s = c + (*c == ',');
    buffer[n] = 0;
    return n;
}

static int names_split(tamis_context *cx, const char *text, struct tamis_names *out)
{
    size_t commas = 1;
    char *buffer = tamis_raw(cx, char, strlen(text) + 1);
    for (const char *c = text; *c; c++) commas += *c == ',';
    out->name = tamis_new(cx, char *, commas);
    for (const char *s = text; buffer && out->name && *s; out->count++) {
        size_t n = name_next(&s, buffer);
        if (!(out->name[out->count] = tamis_strndup(cx, buffer, n))) break;
    }
    tamis_free(buffer);
    return tamis_status(cx);
}

/* Whether it is the name of the row, or its alias. */
static int named(const struct tamis_option *r, const char *name, int alias)
{
    return alias ? r->alias && !strcmp(r->alias, name) : !strcmp(r->name, name);
}

/* Rows of that name come first, then rows that once had it: a complaint names the option as the user wrote it. */
static const struct tamis_option *row_find(const tamis_options *o, const char *name, size_t *nth)
{
    for (int alias = 0; alias < 2; alias++)
        for (const struct tamis_option_table *t = o->tables; t->part; t++)
            for (const struct tamis_option *r = t->rows; r->name; r++)
                if (named(r, name, alias) && !(*nth)--) return r;
    return NULL;
}

/* Some row of that name takes the text: what the method at hand says of it is checked when it reads its rows. */
static int check_any(tamis_options *o, const char *name, const char *text)
{
    const struct tamis_option *row;
    for (size_t i = 0;; i++) {
        size_t nth = i;
        if (!(row = row_find(o, name, &nth))) break;
        if (!tamis_option_check(o->cx, row, text)) {
            tamis_forget(o->cx);                        /* what another row of that name said */
            return TAMIS_OK;
        }
    }
    return tamis_status(o->cx)
               ? tamis_status(o->cx)
               : tamis_fail(o->cx, TAMIS_USAGE, "there is no option --%s; 'tamis select --help' lists them", name);
}

static struct item *item_find(const tamis_options *o, const char *name)
{
    for (size_t i = 0; i < o->count; i++)
        if (!strcmp(o->item[i].name, name)) return &o->item[i];
    return NULL;
}

static int item_put(tamis_options *o, const char *name, const char *text)
{
    struct item new = {tamis_strdup(o->cx, name), tamis_strdup(o->cx, text), {0, NULL}}, *old = item_find(o, name);
    if (new.name && new.text) names_split(o->cx, text, &new.names);
    if (!tamis_status(o->cx) && !old && o->count == o->room) {
        struct item *grown = tamis_grow(o->cx, o->item, 2 * o->room + 8, sizeof *grown);
        if (grown) o->item = grown, o->room = 2 * o->room + 8;
    }
    if (tamis_status(o->cx)) {
        item_free(&new);
        return tamis_status(o->cx);
    }
    if (old) item_free(old);
    else old = &o->item[o->count++];
    *old = new;
    return TAMIS_OK;
}

int tamis_options_set(tamis_options *o, const char *name, const char *value)
{
    size_t first = 0;
    tamis_forget(o->cx);
    const struct tamis_option *row = row_find(o, name, &first);
    if (!row && !strncmp(name, "no-", 3) && (first = 0, row = row_find(o, name + 3, &first)) &&
        row->type == TAMIS_FLAG) {
        if (value && *value) return tamis_fail(o->cx, TAMIS_USAGE, "--%s takes no value", name);
        name += 3;
        value = "no";
    }
    if (!value) value = "";
    int status = check_any(o, name, value);
    return status ? status : item_put(o, name, value);
}

const char *tamis_options_get(const tamis_options *o, const char *name)
{
    struct item *it = o ? item_find(o, name) : NULL;
    return it ? it->text : NULL;
}

static struct item *item_of(const tamis_options *o, const struct tamis_option *r)
{
    struct item *it = o ? item_find(o, r->name) : NULL;
    return it || !o || !r->alias ? it : item_find(o, r->alias);
}

const char *tamis_options_text(const tamis_options *o, const struct tamis_option *r)
{
    struct item *it = item_of(o, r);
    return it ? it->text : r->standard;
}

void tamis_options_each(const tamis_options *o, void (*each)(void *arg, const char *name, const char *text), void *arg)
{
    for (size_t i = 0; o && i < o->count; i++) each(arg, o->item[i].name, o->item[i].text);
}

int tamis_options_read(tamis_context *cx, const tamis_options *o, const struct tamis_option *rows, void *settings)
{
    for (const struct tamis_option *r = rows; r->name; r++) {
        struct item *it = item_of(o, r);
        const char *text = it ? it->text : r->standard;
        int status = text ? tamis_option_check(cx, r, text) : TAMIS_OK;
        if (status) return status;
        if (text) read_value(r, text, it ? &it->names : NULL, (char *)settings + r->offset);
    }
    return TAMIS_OK;
}

static int known(const struct tamis_option_table *used, const char *name)
{
    for (const struct tamis_option_table *t = used; t->part; t++)
        for (const struct tamis_option *r = t->rows; r->name; r++)
            if (named(r, name, 0) || named(r, name, 1)) return 1;
    return 0;
}

void tamis_options_keep(tamis_options *o, const struct tamis_option_table *used)
{
    size_t n = 0;
    for (size_t i = 0; i < o->count; i++) {
        if (known(used, o->item[i].name)) o->item[n++] = o->item[i];
        else item_free(&o->item[i]);
    }
    o->count = n;
}

int tamis_options_unused(tamis_context *cx, const tamis_options *o, const struct tamis_option_table *used,
                         const char *method)
{
    for (size_t i = 0; o && i < o->count; i++)
        if (!known(used, o->item[i].name))
            return tamis_fail(cx, TAMIS_USAGE, "--%s does not belong to method %s; 'tamis methods' shows what does",
                              o->item[i].name, method);
    return TAMIS_OK;
}
