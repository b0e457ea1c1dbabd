/* The object that a user fills: texts by name, checked against the rows. */
#include <limits.h>
#include <string.h>
#include "base/context.h"
#include "base/number.h"
#include "base/options.h"
#include "base/text.h"

struct item { char *name, *text; struct tamis_names names; };

struct tamis_options {
    tamis_context *cx;
    struct tamis_option_table *tables;  /* a copy, ended by part NULL */
    size_t count, room;
    struct item *item;
    int words;
    char **word;
};

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

static void item_free(struct item *it)
{
    tamis_strings_free(it->names.name, it->names.count);
    tamis_free(it->name);
    tamis_free(it->text);
}

static int item_put(tamis_options *o, const char *name, const char *text);

static void words_free(tamis_options *o)
{
    tamis_strings_free(o->word, (size_t)o->words);
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
    if (!tamis_status(cx) && !tamis_options_command(o, from->words, from->word)) return o;
    tamis_options_free(o);
    return NULL;
}

int tamis_options_command(tamis_options *o, int words, char **word)
{
    TAMIS_CALL(o->cx);
    size_t made = 0;
    words_free(o);
    o->word = tamis_strings_copy(o->cx, (const char *const *)word, words > 0 ? (size_t)words : 0, &made);
    o->words = (int)made;
    if (words <= 0 || (o->word && o->words == words)) return TAMIS_OK;
    words_free(o);
    return tamis_status(o->cx);
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

/* A name as name_next reads it. */
static void name_write(struct tamis_text *t, const char *s)
{
    int quoted = !*s || *s == '"' || strchr(s, ',');
    if (quoted) tamis_text_puts(t, "\"");
    for (; *s; s++) tamis_text_add(t, quoted && *s == '"' ? "\"\"" : s, quoted && *s == '"' ? 2 : 1);
    if (quoted) tamis_text_puts(t, "\"");
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

/* The nth row of that name; rows of that name come first, then rows that once had it, so that messages name the option
 * as the user wrote it. NULL: there are fewer. */
static const struct tamis_option *row_find(const tamis_options *o, const char *name, size_t nth)
{
    for (int alias = 0; alias < 2; alias++)
        for (const struct tamis_option_table *t = o->tables; t->part; t++)
            for (const struct tamis_option *r = t->rows; r->name; r++)
                if (named(r, name, alias) && !nth--) return r;
    return NULL;
}

static int unknown(const tamis_options *o, const char *name)
{
    return tamis_fail(o->cx, TAMIS_USAGE, "unknown option --%s; 'tamis select --help' lists the options", name);
}

/* Some row of that name takes the text; the rows of the method that runs check it again when they are read. */
static int check_any(tamis_options *o, const char *name, const char *text)
{
    const struct tamis_option *row;
    int before = tamis_status(o->cx);
    for (size_t i = 0; (row = row_find(o, name, i)); i++)
        if (!tamis_option_check(o->cx, row, text)) return tamis_forgive(o->cx, before); /* other rows of that name */
    return tamis_status(o->cx) ? tamis_status(o->cx) : unknown(o, name);
}

static struct item *item_find(const tamis_options *o, const char *name)
{
    for (size_t i = 0; i < o->count; i++)
        if (!strcmp(o->item[i].name, name)) return &o->item[i];
    return NULL;
}

static struct item *item_of(const tamis_options *o, const struct tamis_option *r)
{
    struct item *it = o ? item_find(o, r->name) : NULL;
    return it || !o || !r->alias ? it : item_find(o, r->alias);
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

static int is_flag(const tamis_options *o, const char *name)
{
    const struct tamis_option *row = row_find(o, name, 0);
    return row && row->type == TAMIS_FLAG;
}

int tamis_options_set(tamis_options *o, const char *name, const char *value)
{
    TAMIS_CALL(o->cx);
    if (!row_find(o, name, 0) && !strncmp(name, "no-", 3) && is_flag(o, name + 3)) {
        if (value && *value) return tamis_fail(o->cx, TAMIS_USAGE, "--%s takes no value", name);
        name += 3;
        value = "no";
    }
    if (!value) value = "";
    int status = check_any(o, name, value);
    return status ? status : item_put(o, name, value);
}

int tamis_options_set_number(tamis_options *o, const char *name, double value)
{
    TAMIS_CALL(o->cx);
    char text[32];
    return tamis_options_set(o, name, tamis_number_text(value, text));
}

int tamis_options_set_flag(tamis_options *o, const char *name, int value)
{
    TAMIS_CALL(o->cx);
    if (!row_find(o, name, 0)) return unknown(o, name);
    if (!is_flag(o, name)) return tamis_fail(o->cx, TAMIS_USAGE, "--%s is not a flag; give it a value", name);
    return tamis_options_set(o, name, value ? "yes" : "no");
}

int tamis_options_set_names(tamis_options *o, const char *name, const char *const *value, size_t n)
{
    TAMIS_CALL(o->cx);
    char *text;
    struct tamis_text t = {.cx = o->cx};
    for (size_t i = 0; i < n; i++) {
        if (i) tamis_text_puts(&t, ",");
        name_write(&t, value[i]);
    }
    int status = tamis_text_take(&t, &text, NULL);
    if (!status) status = tamis_options_set(o, name, text);
    tamis_free(text);
    return status;
}

/* What was set under that name, or under another name of the same row. */
static struct item *item_any(const tamis_options *o, const char *name)
{
    const struct tamis_option *row;
    struct item *it = item_find(o, name);
    for (size_t i = 0; !it && (row = row_find(o, name, i)); i++) it = item_of(o, row);
    return it;
}

void tamis_options_unset(tamis_options *o, const char *name)
{
    for (struct item *it; (it = item_any(o, name));) {
        item_free(it);
        *it = o->item[--o->count];
    }
}

const char *tamis_options_get(const tamis_options *o, const char *name)
{
    struct item *it = o ? item_any(o, name) : NULL;
    return it ? it->text : NULL;
}

/* A text as the number that the row makes of it; 0: it is a word, or the row is not one of numbers. */
static int number_of(const struct tamis_option *row, const char *text, double *value)
{
    size_t count;
    if (row->type == TAMIS_REAL || row->type == TAMIS_SIZE) return tamis_option_value(row, text, NULL, value);
    if (row->type != TAMIS_COUNT || !tamis_option_value(row, text, NULL, &count) || count == SIZE_MAX) return 0;
    *value = (double)count;
    return 1;
}

static int flag_of(const struct tamis_option *row, const char *text, int *value)
{
    return row->type == TAMIS_FLAG && tamis_option_value(row, text, NULL, value);
}

static int no_value(const tamis_options *o, const char *name, const char *expected)
{
    const struct tamis_option *row = row_find(o, name, 0);
    if (!row) return unknown(o, name);
    const char *text = tamis_options_text(o, row);
    if (!text) return tamis_fail(o->cx, TAMIS_USAGE, "--%s is not set and has no default", name);
    return tamis_fail(o->cx, TAMIS_USAGE, "--%s '%s' is not %s", name, text, expected);
}

int tamis_options_get_number(const tamis_options *o, const char *name, double *value)
{
    TAMIS_CALL(o->cx);
    const struct tamis_option *row;
    for (size_t i = 0; (row = row_find(o, name, i)); i++) {
        const char *text = tamis_options_text(o, row);
        if (text && number_of(row, text, value)) return TAMIS_OK;
    }
    return no_value(o, name, "a number");
}

int tamis_options_get_flag(const tamis_options *o, const char *name, int *value)
{
    TAMIS_CALL(o->cx);
    const struct tamis_option *row;
    for (size_t i = 0; (row = row_find(o, name, i)); i++) {
        const char *text = tamis_options_text(o, row);
        if (row->type == TAMIS_FLAG && !text) text = "no";
        if (text && flag_of(row, text, value)) return TAMIS_OK;
    }
    return no_value(o, name, "a flag");
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
        if (text) tamis_option_value(r, text, it ? &it->names : NULL, (char *)settings + r->offset);
    }
    return TAMIS_OK;
}

int tamis_options_known(const struct tamis_option_table *used, const char *name)
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
        if (tamis_options_known(used, o->item[i].name)) o->item[n++] = o->item[i];
        else item_free(&o->item[i]);
    }
    o->count = n;
}

const char *tamis_options_unused(const tamis_options *o, const struct tamis_option_table *used)
{
    for (size_t i = 0; o && i < o->count; i++)
        if (!tamis_options_known(used, o->item[i].name)) return o->item[i].name;
    return NULL;
}

/* ---- limits of one call ---- */

struct tamis_resources tamis_resources_apply(tamis_context *cx, const tamis_options *o)
{
    static const struct tamis_option threads_row = {.name = "threads", .type = TAMIS_COUNT, .choices = "all"},
                                     memory_row = {.name = "memory", .type = TAMIS_SIZE};
    struct tamis_resources before = {cx->threads, cx->bytes};
    const char *threads = tamis_options_get(o, "threads"), *memory = tamis_options_get(o, "memory");
    size_t count;
    if (threads && tamis_option_value(&threads_row, threads, NULL, &count))
        cx->threads = count < (size_t)INT_MAX ? (int)count : 0;
    if (memory) tamis_option_value(&memory_row, memory, NULL, &cx->bytes);
    atomic_store(&cx->ceiling, 0);
    return before;
}

void tamis_resources_restore(tamis_context *cx, struct tamis_resources before)
{
    tamis_context_limits(cx, before.threads, before.bytes);
}
