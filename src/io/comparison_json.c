/* A comparison as JSON (format 1). */
#include <math.h>
#include <string.h>
#include "select/comparison.h"

static void text(struct tamis_text *t, const char *before, const char *s)
{
    tamis_text_puts(t, before);
    tamis_text_json(t, s);
}

static void number(struct tamis_text *t, const char *before, double v)
{
    tamis_text_puts(t, before);
    tamis_text_number(t, v);
}

static void strings(struct tamis_text *t, const char *before, char *const *s, size_t n)
{
    tamis_text_puts(t, before);
    for (size_t i = 0; i < n; i++) text(t, i ? ", " : "", s[i]);
    tamis_text_puts(t, "]");
}

static void head(struct tamis_text *t, const struct tamis_match *x)
{
    const tamis_comparison *c = &x->open;
    text(t, "{\n  \"tamis\": ", TAMIS_VERSION);
    strings(t, ", \"format\": 1,\n  \"command\": [", x->word, x->words);
    text(t, ",\n  \"data\": {\"file\": ", c->file);
    tamis_text_printf(t, ", \"rows\": %zu, \"inputs\": %zu", c->rows, c->inputs);
    text(t, ", \"target\": ", c->target);
    text(t, ", \"task\": ", c->task);
    tamis_text_printf(t, "},\n  \"seed\": %llu, \"outer\": {\"folds\": %zu, \"repeats\": %zu}",
                      (unsigned long long)c->seed, c->folds, c->repeats);
    text(t, ", \"units\": ", c->units);
}

static void contender(struct tamis_text *t, const struct tamis_match *x, size_t k)
{
    const tamis_contender *c = &x->contender[k];
    text(t, "{\"method\": ", c->method);
    if (c->failed) text(t, ", \"failed\": ", c->failed);
    else {
        tamis_text_puts(t, ", ");
        tamis_text_puts(t, x->entrant[k].json.s);
    }
    number(t, ", \"seconds\": ", c->seconds);
    tamis_text_puts(t, "}");
}

static void difference(struct tamis_text *t, const struct tamis_match *x, const tamis_difference *d)
{
    text(t, "{\"a\": ", x->contender[d->a].method);
    text(t, ", \"b\": ", x->contender[d->b].method);
    number(t, ", \"difference\": ", d->difference);
    number(t, ", \"p\": ", d->p);
    number(t, ", \"p_adjusted\": ", d->p_adjusted);
    tamis_text_puts(t, "}");
}

int tamis_comparison_json(tamis_context *cx, const tamis_comparison *c, char **out, size_t *length)
{
    const struct tamis_match *x = (const struct tamis_match *)c;
    struct tamis_text t = {.cx = cx};
    tamis_forget(cx);
    head(&t, x);
    tamis_text_puts(&t, ",\n  \"methods\": [");
    for (size_t k = 0; k < c->contenders; k++) {
        tamis_text_puts(&t, k ? ",\n    " : "\n    ");
        contender(&t, x, k);
    }
    text(&t, "],\n  \"test\": ", c->test);
    tamis_text_puts(&t, ",\n  \"better\": [");
    for (size_t k = 0; k < c->differences; k++) {
        tamis_text_puts(&t, k ? ",\n    " : "\n    ");
        difference(&t, x, &c->difference[k]);
    }
    tamis_text_puts(&t, "]");
    if (x->evidence.length) {
        tamis_text_puts(&t, ",\n  \"evidence\": ");
        tamis_text_puts(&t, x->evidence.s);
    }
    strings(&t, ",\n  \"notes\": [", x->note, x->notes);
    number(&t, ", \"seconds\": ", c->seconds);
    number(&t, ", \"threads\": ", c->threads);
    tamis_text_puts(&t, "\n}\n");
    *out = t.s;
    *length = t.length;
    if (!t.failed) return TAMIS_OK;
    tamis_text_free(&t);
    *out = NULL;
    return tamis_status(cx);
}
