/* Which methods a comparison runs, and with which options. */
#include <string.h>
#include "base/nearest.h"
#include "select/comparison.h"
#include "select/method.h"

/* A copy of the text up to the next colon or the end; *s moves past it. */
static char *word_next(tamis_context *cx, const char **s)
{
    size_t n = strcspn(*s, ":");
    char *w = tamis_strndup(cx, *s, n);
    *s += n + ((*s)[n] == ':');
    return w;
}

/* "option=value", or a flag. A grid FROM:TO:COUNT has colons of its own: the value goes on while a number follows. */
static int option_next(tamis_context *cx, const char **s, tamis_options *o)
{
    const char *from = *s;
    size_t n = strcspn(from, ":");
    while (from[n] == ':' && strspn(from + n + 1, "0123456789.")) n += 1 + strcspn(from + n + 1, ":");
    char *text = tamis_strndup(cx, from, n), *value = text ? strchr(text, '=') : NULL;
    *s += n + (from[n] == ':');
    if (value) *value++ = 0;
    if (text) tamis_options_set(o, text, value ? value : "");
    tamis_free(text);
    return tamis_status(cx);
}

tamis_options *tamis_contender_options(tamis_context *cx, const tamis_options *given, const char *label)
{
    const char *s = label;
    char *name = word_next(cx, &s);
    const struct tamis_method *m = name ? tamis_method_find(name) : NULL;
    tamis_options *o = tamis_options_copy(cx, given);
    struct tamis_run run = {.cx = cx, .options = o, .method = m ? m : tamis_method_at(0)}; /* auto: the default */
    struct tamis_option_table used[TAMIS_TABLES];
    if (name && o && !m && strcmp(name, "auto"))
        tamis_fail(cx, TAMIS_USAGE, "--methods %s: unknown method%s", name,
                   tamis_hint(name, tamis_method_name, NULL, "; 'tamis methods' lists them").text);
    else if (name && o) tamis_options_set(o, "method", name);
    while (*s && !tamis_status(cx)) option_next(cx, &s, o);
    if (o && !tamis_status(cx) && !(run.method->resolve && run.method->resolve(&run))) {
        tamis_run_tables(&run, used);
        tamis_options_keep(o, used);
    }
    tamis_free(name);
    if (!tamis_status(cx)) return o;
    tamis_options_free(o);
    return NULL;
}

/* Every method that looks for the best prediction, with the label of its row. */
static size_t usual_contenders(int classes, const char **label)
{
    const struct tamis_method *m;
    size_t n = 0;
    for (size_t i = 0; (m = tamis_method_at(i)); i++) {
        const char *as = classes ? m->in_classification : m->in_regression;
        if (m->bounds) continue;
        if (label) label[n] = as ? as : m->name;
        n++;
    }
    return n;
}

const char **tamis_contenders_list(const struct tamis_run *plain, const struct tamis_names *named, size_t *count)
{
    int classes = plain->encoder->classes > 0;
    *count = named->count ? named->count : usual_contenders(classes, NULL);
    const char **label = tamis_new(plain->cx, const char *, *count);
    if (label && !named->count) usual_contenders(classes, label);
    for (size_t i = 0; label && i < named->count; i++) label[i] = named->name[i];
    return label;
}

int tamis_contender_unfit(const struct tamis_run *plain, const tamis_options *given, const char *label,
                          char why[TAMIS_UNFIT])
{
    tamis_options *o = tamis_contender_options(plain->cx, given, label);
    const struct tamis_method *m = o ? tamis_method_find(tamis_options_get(o, "method")) : NULL;
    struct tamis_run run = {.cx = plain->cx, .options = o, .encoder = plain->encoder};
    *why = 0;
    if (m && !tamis_resolve_method(&run, m)) tamis_target_unfit(&run, why);     /* auto always fits */
    tamis_options_free(o);
    return tamis_status(plain->cx);
}

/* Every option given must be taken by some contender. */
struct search { tamis_options **contender; size_t count; const char *unknown; };

static void option_search(void *arg, const char *name, const char *text)
{
    struct search *s = arg;
    (void)text;
    for (size_t k = 0; k < s->count; k++)
        if (tamis_options_get(s->contender[k], name)) return;
    if (strcmp(name, "methods")) s->unknown = name;
}

int tamis_contenders_usage(tamis_context *cx, const tamis_options *o, const char **label, size_t count)
{
    struct search s = {tamis_new(cx, tamis_options *, count), count, NULL};
    for (size_t k = 0; s.contender && k < count && !tamis_status(cx); k++)
        s.contender[k] = tamis_contender_options(cx, o, label[k]);
    if (!tamis_status(cx)) tamis_options_each(o, option_search, &s);
    if (s.unknown) tamis_fail(cx, TAMIS_USAGE, "--%s: none of the methods compared has this option", s.unknown);
    for (size_t k = 0; s.contender && k < count; k++) tamis_options_free(s.contender[k]);
    tamis_free(s.contender);
    return tamis_status(cx);
}
