/* The result as JSON (format 1). */
#include <math.h>
#include <string.h>
#include "select/result.h"

static void key(struct tamis_text *t, const char *name, int first)
{
    if (!first) tamis_text_puts(t, ", ");
    tamis_text_json(t, name);
    tamis_text_puts(t, ": ");
}

static void text(struct tamis_text *t, const char *name, const char *value, int first)
{
    key(t, name, first);
    tamis_text_json(t, value);
}

static void number(struct tamis_text *t, const char *name, double value, int first)
{
    key(t, name, first);
    tamis_text_number(t, value);
}

static void strings(struct tamis_text *t, const char *const *s, size_t n)
{
    tamis_text_puts(t, "[");
    for (size_t i = 0; i < n; i++) {
        if (i) tamis_text_puts(t, ", ");
        tamis_text_json(t, s[i]);
    }
    tamis_text_puts(t, "]");
}

static void head(struct tamis_text *t, const struct tamis_outcome *o)
{
    const tamis_result *r = &o->open;
    text(t, "tamis", TAMIS_VERSION, 1);
    number(t, "format", 1, 0);
    tamis_text_puts(t, ",\n  \"command\": ");
    strings(t, (const char *const *)o->word, o->words);
    tamis_text_puts(t, ",\n  \"data\": {");
    text(t, "file", r->file, 1);
    number(t, "rows", (double)r->rows, 0);
    number(t, "inputs", (double)r->inputs, 0);
    text(t, "target", r->target, 0);
    text(t, "task", r->task, 0);
    number(t, "rows_dropped", (double)r->dropped, 0);
    number(t, "test_rows", (double)r->test_rows, 0);
    tamis_text_puts(t, "},\n  ");
    text(t, "method", r->method, 1);
    if (r->picked) text(t, "picked", r->picked, 0);
    number(t, "seed", (double)r->seed, 0);
    tamis_text_puts(t, ",\n  \"options\": ");
    tamis_text_puts(t, o->options.s ? o->options.s : "{}");
}

static void selected(struct tamis_text *t, const tamis_result *r)
{
    tamis_text_puts(t, ",\n  \"selected\": [");
    for (size_t k = 0; k < r->selected; k++) {
        if (k) tamis_text_puts(t, ", ");
        tamis_text_json(t, r->input[r->chosen[k]].name);
    }
    tamis_text_puts(t, "]");
}

static void inputs(struct tamis_text *t, const tamis_result *r)
{
    tamis_text_puts(t, ",\n  \"inputs\": [");
    for (size_t i = 0; i < r->inputs; i++) {
        const tamis_input *in = &r->input[i];
        tamis_text_puts(t, i ? ",\n    {" : "\n    {");
        text(t, "name", in->name, 1);
        key(t, "selected", 0);
        tamis_text_puts(t, in->selected ? "true" : "false");
        number(t, "relevance", in->relevance, 0);
        number(t, "rank", in->rank ? (double)in->rank : NAN, 0);
        if (in->constant) tamis_text_puts(t, ", \"constant\": true");
        if (!isnan(in->frequency)) number(t, "frequency", in->frequency, 0);
        tamis_text_puts(t, "}");
    }
    tamis_text_puts(t, "]");
}

static void signed_name(struct tamis_text *t, const char *name, int added)
{
    struct tamis_text both = {.cx = t->cx};
    tamis_text_puts(&both, added ? "+" : "-");
    tamis_text_puts(&both, name);
    if (both.failed) t->failed = 1;
    else tamis_text_json(t, both.s);
    tamis_text_free(&both);
}

static void parameters(struct tamis_text *t, const tamis_result *r, const double *value)
{
    tamis_text_puts(t, "{");
    for (size_t i = 0; i < r->parameters; i++) number(t, r->parameter_names[i], value[i], !i);
    tamis_text_puts(t, "}");
}

/* One step; *at moves along the list of inputs that changed. */
static void step(struct tamis_text *t, const struct tamis_outcome *o, const tamis_step *s, size_t *at)
{
    size_t changes = s->changed < 0 ? 0 : 1 + s->also;
    number(t, "size", (double)s->size, 1);
    key(t, "changed", 0);
    if (!changes) tamis_text_puts(t, "null");
    else signed_name(t, o->open.input[s->changed].name, s->added);
    if (changes > 1) {
        key(t, "with", 0);
        for (size_t i = 1; i < changes; i++) {
            tamis_text_puts(t, i > 1 ? ", " : "[");
            signed_name(t, o->open.input[o->changed[*at + i]].name, s->added);
        }
        tamis_text_puts(t, "]");
    }
    *at += changes;
    number(t, "criterion", s->criterion, 0);
    key(t, "parameters", 0);
    parameters(t, &o->open, s->parameters);
}

static void path(struct tamis_text *t, const struct tamis_outcome *o)
{
    size_t at = 0;
    tamis_text_puts(t, ",\n  \"path\": [");
    for (size_t k = 0; k < o->open.steps; k++) {
        tamis_text_puts(t, k ? ",\n    {" : "\n    {");
        step(t, o, &o->open.path[k], &at);
        tamis_text_puts(t, "}");
    }
    tamis_text_puts(t, "]");
    if (o->open.steps) number(t, "chosen_step", (double)o->open.chosen_step, 0);
}

static void errors(struct tamis_text *t, const struct tamis_outcome *o)
{
    const tamis_result *r = &o->open;
    tamis_text_puts(t, ",\n  \"error\": {");
    text(t, "criterion", r->error_name, 1);
    number(t, "all_inputs", r->all_inputs, 0);
    number(t, "selected", r->error, 0);
    number(t, "test_all_inputs", r->test_all_inputs, 0);
    number(t, "test", r->test, 0);
    if (r->outer_folds) {
        number(t, "nested_all_inputs", r->nested_all_inputs, 0);
        number(t, "nested", r->nested, 0);
        number(t, "nested_se", r->nested_se, 0);
    }
    text(t, "units", r->units, 0);
    tamis_text_puts(t, "}");
}

static void model(struct tamis_text *t, const struct tamis_outcome *o)
{
    if (!o->model) {
        tamis_text_puts(t, ",\n  \"model\": null");
        return;
    }
    tamis_text_puts(t, ",\n  \"model\": {");
    text(t, "kind", o->model->kind->name, 1);
    number(t, "basis_functions", (double)o->model->kind->basis_functions(o->model->body), 0);
    key(t, "parameters", 0);
    o->model->kind->describe(o->model->body, t);
    tamis_text_puts(t, "}");
}

static void block(struct tamis_text *t, const char *name, const struct tamis_text *b)
{
    if (!b->length) return;
    tamis_text_puts(t, ",\n  ");
    key(t, name, 1);
    tamis_text_puts(t, b->s);
}

static void tail(struct tamis_text *t, const struct tamis_outcome *o)
{
    block(t, o->block_name, &o->block);
    block(t, "select_rule", &o->rule);
    block(t, "cost", &o->cost);
    block(t, "outer", &o->outer);
    block(t, "bootstrap", &o->bootstrap);
    block(t, "evidence", &o->evidence);
    tamis_text_puts(t, ",\n  \"notes\": ");
    strings(t, (const char *const *)o->note, o->notes);
    number(t, "seconds", o->open.seconds, 0);
    number(t, "threads", o->open.threads, 0);
}

int tamis_result_json(tamis_context *cx, const tamis_result *r, char **out, size_t *length)
{
    const struct tamis_outcome *o = (const struct tamis_outcome *)r;
    struct tamis_text t = {.cx = cx};
    tamis_forget(cx);
    tamis_text_puts(&t, "{\n  ");
    head(&t, o);
    selected(&t, r);
    inputs(&t, r);
    path(&t, o);
    errors(&t, o);
    model(&t, o);
    tail(&t, o);
    tamis_text_puts(&t, "\n}\n");
    *out = t.s;
    *length = t.length;
    if (!t.failed) return TAMIS_OK;
    tamis_text_free(&t);
    *out = NULL;
    return tamis_status(cx);
}
