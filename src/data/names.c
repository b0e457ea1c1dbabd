/* Names, ranges and patterns. */
#include <math.h>
#include <string.h>
#include "base/nearest.h"
#include "base/number.h"
#include "data/design.h"
#include "data/names.h"

enum { LONGEST = 63 };          /* digits of a number */

struct list { char *const *name; size_t count; int numbered; }; /* numbered: a number means a place, too */

static size_t name_find(const struct list *l, const char *s, size_t n)
{
    size_t i = 0;
    while (i < l->count && (strncmp(l->name[i], s, n) || l->name[i][n])) i++;
    return i;
}

/* A 1-based number; `count`: it is not one. */
static size_t place(const struct list *l, const char *s, size_t n)
{
    size_t number = 0;
    for (size_t i = 0; i < n; i++) {
        if (s[i] < '0' || s[i] > '9' || number > l->count) return l->count;
        number = 10 * number + (size_t)(s[i] - '0');
    }
    return l->numbered && n && number >= 1 && number <= l->count ? number - 1 : l->count;
}

static int is_number(const char *s, double *x)
{
    size_t n = strlen(s);
    return (tamis_number_whole(s, n, '.', x) || tamis_number_whole(s, n, ',', x)) && isfinite(*x);
}

/* ---- ranges ---- */

struct end { const char *s; size_t n; };

static int end_number(const struct end *e, double open, double *x)
{
    char text[LONGEST + 1];
    *x = open;
    if (!e->n) return 1;
    if (e->n > LONGEST) return 0;
    memcpy(text, e->s, e->n);
    text[e->n] = 0;
    return is_number(text, x);
}

/* Names that are numbers from one end to the other. */
static size_t mark_numbers(const struct list *l, const struct end *a, const struct end *b, unsigned char *mark)
{
    double from, to, x;
    size_t found = 0;
    if (!end_number(a, -INFINITY, &from) || !end_number(b, INFINITY, &to)) return 0;
    if (from > to) x = from, from = to, to = x;
    for (size_t i = 0; i < l->count; i++)
        if (is_number(l->name[i], &x) && x >= from && x <= to) mark[i] = 1, found++;
    return found;
}

static size_t end_place(const struct list *l, const struct end *e, size_t open)
{
    if (!e->n) return open;
    size_t i = name_find(l, e->s, e->n);
    return i < l->count ? i : place(l, e->s, e->n);
}

static size_t mark_between(const struct list *l, const struct end *a, const struct end *b, unsigned char *mark)
{
    size_t from = end_place(l, a, 0), to = end_place(l, b, l->count - 1), found = 0;
    if (from >= l->count || to >= l->count) return 0;
    if (from > to) found = from, from = to, to = found, found = 0;
    for (size_t i = from; i <= to; i++, found++) mark[i] = 1;
    return found;
}

/* A name may contain a colon itself: each is tried. */
static size_t mark_range(const struct list *l, const char *text, unsigned char *mark)
{
    size_t found = 0;
    for (const char *c = strchr(text, ':'); c && !found; c = strchr(c + 1, ':')) {
        struct end a = {text, (size_t)(c - text)}, b = {c + 1, strlen(c + 1)};
        if (!a.n && !b.n) continue;
        found = mark_numbers(l, &a, &b, mark);
        if (!found) found = mark_between(l, &a, &b, mark);
    }
    return found;
}

/* ---- patterns ---- */

static int matches(const char *s, const char *pattern)
{
    const char *star = NULL, *from = NULL;
    while (*s) {
        if (*pattern == '*') star = ++pattern, from = s;
        else if (*pattern == '?' || *pattern == *s) pattern++, s++;
        else if (star) pattern = star, s = ++from;
        else return 0;
    }
    while (*pattern == '*') pattern++;
    return !*pattern;
}

static size_t mark_pattern(const struct list *l, const char *text, unsigned char *mark)
{
    size_t found = 0;
    if (!strpbrk(text, "*?")) return 0;
    for (size_t i = 0; i < l->count; i++)
        if (matches(l->name[i], text)) mark[i] = 1, found++;
    return found;
}

/* ---- all of them ---- */

static size_t mark_all(const struct list *l, const char *text, unsigned char *mark)
{
    size_t i = name_find(l, text, strlen(text));
    if (i == l->count) i = place(l, text, strlen(text));
    if (i < l->count) return mark[i] = 1;
    size_t found = l->count ? mark_range(l, text, mark) : 0;
    return found ? found : mark_pattern(l, text, mark);
}

size_t tamis_names_mark(char *const *name, size_t names, const char *text, unsigned char *mark)
{
    return mark_all(&(struct list){name, names, 1}, text, mark);
}

static const char *name_at(const void *list, size_t i)
{
    const struct list *l = list;
    return i < l->count ? l->name[i] : NULL;
}

int tamis_names_unknown(tamis_context *cx, const char *option, const char *text, const char *where, char *const *name,
                        size_t names)
{
    struct list l = {name, names, 1};
    const char *what = strcmp(option, "variables") ? "column" : "variable";
    return tamis_fail(cx, TAMIS_USAGE, "--%s %.60s: %s has no such %s%s", option, text, where, what,
                      tamis_hint(text, name_at, &l, "").text);
}

int tamis_names_resolve(tamis_context *cx, const char *option, const struct tamis_names *list, const char *where,
                        char *const *name, size_t names, unsigned char *mark)
{
    for (size_t i = 0; i < list->count; i++)
        if (!tamis_names_mark(name, names, list->name[i], mark))
            return tamis_names_unknown(cx, option, list->name[i], where, name, names);
    return TAMIS_OK;
}

int tamis_names_inputs(tamis_context *cx, const struct tamis_encoder *e, const char *text, unsigned char *mark,
                       size_t *found)
{
    char **name = tamis_raw(cx, char *, e->inputs);
    *found = 0;
    if (!name) return TAMIS_MEMORY;
    for (size_t i = 0; i < e->inputs; i++) name[i] = e->input[i].name;
    *found = mark_all(&(struct list){name, e->inputs, 0}, text, mark);
    tamis_free(name);
    return TAMIS_OK;
}

char **tamis_table_names(tamis_context *cx, const tamis_table *t)
{
    char **name = tamis_raw(cx, char *, t->columns);
    for (size_t j = 0; name && j < t->columns; j++) name[j] = t->column[j].name;
    return name;
}
