/* Models as JSON, written and read.
 *
 * What a kind packs is a list of fields with names (tamis_field). Written, the packed bytes are walked by that list;
 * read, the same bytes are made from the names, and the reader of packed files, which trusts no count and no number,
 * does the rest: a model that went through JSON is packed to the same bytes. */
#include <math.h>
#include <string.h>
#include <jansson.h>
#include "io/model_file.h"

enum { FORMAT = 1 };
static const char *const impute_words[] = {"none", "median", "knn"};

/* ---- writing ---- */

struct writer { struct tamis_text *t; const struct tamis_encoder *e; };

static void real(struct tamis_text *t, double x)
{
    if (x == 0 && signbit(x)) tamis_text_puts(t, "-0.0");      /* "-0" is an integer, which has no sign of zero */
    else tamis_text_number(t, x);
}

static void reals(struct tamis_text *t, const double *x, size_t n)
{
    tamis_text_puts(t, "[");
    for (size_t i = 0; i < n; i++) {
        if (i) tamis_text_puts(t, i % 8 ? ", " : ",\n    ");
        real(t, x[i]);
    }
    tamis_text_puts(t, "]");
}

static void name(struct tamis_text *t, const char *s)
{
    if (!tamis_utf8(s)) {
        tamis_fail(t->cx, TAMIS_DATA,
                   "the name '%.60s' is not UTF-8, and JSON holds nothing else; rename it in the table and make the "
                   "model again",
                   s);
        t->failed = 1;
    }
    tamis_text_json(t, s);
}

static void names(struct tamis_text *t, char *const *s, size_t n)
{
    tamis_text_puts(t, "[");
    for (size_t i = 0; i < n; i++) {
        if (i) tamis_text_puts(t, ", ");
        name(t, s[i]);
    }
    tamis_text_puts(t, "]");
}

static void write_targets(struct tamis_text *t, const struct tamis_encoder *e)
{
    tamis_text_puts(t, "  \"targets\": [");
    for (size_t o = 0; o <= e->more; o++) {
        tamis_text_puts(t, o ? ",\n    {\"name\": " : "{\"name\": ");
        name(t, o ? e->more_target[o - 1] : e->target);
        tamis_text_puts(t, ", \"mean\": ");
        real(t, o ? e->more_mean[o - 1] : e->target_mean);
        tamis_text_puts(t, ", \"scale\": ");
        real(t, o ? e->more_scale[o - 1] : e->target_scale);
        tamis_text_puts(t, "}");
    }
    tamis_text_puts(t, "],\n  \"classes\": ");
    names(t, e->class_name, e->classes);
}

static void write_input(struct tamis_text *t, const struct tamis_encoder *e, const struct tamis_feature *f)
{
    tamis_text_puts(t, "{\"name\": ");
    name(t, f->name);
    if (e->series) {
        tamis_text_puts(t, ", \"column\": ");
        name(t, f->source);
        tamis_text_printf(t, ", \"lag\": %zu", f->lag);
    }
    tamis_text_printf(t, ", \"constant\": %s, \"levels\": ", f->constant ? "true" : "false");
    names(t, f->level, f->levels);
    tamis_text_puts(t, ", \"mean\": ");
    reals(t, e->mean + f->first, f->columns);
    tamis_text_puts(t, ", \"scale\": ");
    reals(t, e->scale + f->first, f->columns);
    tamis_text_puts(t, "}");
}

static void write_encoder(struct tamis_text *t, const struct tamis_encoder *e)
{
    write_targets(t, e);
    tamis_text_printf(t, ",\n  \"series\": %s,\n  \"inputs\": [", e->series ? "true" : "false");
    for (size_t i = 0; i < e->inputs; i++) {
        tamis_text_puts(t, i ? ",\n    " : "\n    ");
        write_input(t, e, &e->input[i]);
    }
    tamis_text_printf(t, "],\n  \"impute\": {\"how\": \"%s\"", impute_words[e->impute]);
    if (e->impute) {
        tamis_text_puts(t, ", \"fill\": ");
        reals(t, e->fill, e->columns);
        tamis_text_printf(t, ", \"neighbours\": %zu, \"donors\": %zu, \"donor\": ", e->neighbours, e->donors);
        reals(t, e->donor, e->donors * e->columns);             /* null where missing */
    }
    tamis_text_puts(t, "},\n");
}

/* The fields that the kind packed, by their names. */
static void write_body(struct tamis_text *t, struct tamis_unpack *u, const struct tamis_field *field)
{
    uint64_t count[16] = {0};
    for (size_t k = 0; field[k].name; k++) {
        const struct tamis_field *f = &field[k];
        uint64_t n = f->type == TAMIS_FIELD_COUNTS ? count[f->of]
                     : f->type == TAMIS_FIELD_REAL ? 1
                                                   : tamis_unpack_u64(u, UINT64_MAX);
        tamis_text_printf(t, "%s\n    \"%s\": %s", k ? "," : "", f->name,
                          f->type == TAMIS_FIELD_COUNTS || f->type == TAMIS_FIELD_REALS ? "[" : "");
        if (f->type == TAMIS_FIELD_COUNT) tamis_text_printf(t, "%llu", (unsigned long long)(count[k] = n));
        for (uint64_t i = 0; f->type != TAMIS_FIELD_COUNT && i < n; i++) {
            if (i) tamis_text_puts(t, i % 8 ? ", " : ",\n      ");
            if (f->type == TAMIS_FIELD_COUNTS)
                tamis_text_printf(t, "%llu", (unsigned long long)tamis_unpack_u64(u, UINT64_MAX));
            else real(t, tamis_unpack_f64(u));
        }
        if (f->type == TAMIS_FIELD_COUNTS || f->type == TAMIS_FIELD_REALS) tamis_text_puts(t, "]");
    }
}

int tamis_model_json(tamis_context *cx, const struct tamis_model *m, struct tamis_text *t)
{
    struct tamis_pack p = {.cx = cx};
    m->kind->pack(m->body, &p);
    struct tamis_unpack u = {.cx = cx, .bytes = p.bytes, .length = p.length};
    if (!p.failed) {
        tamis_text_printf(t, "{\n  \"tamis-model\": %d, \"version\": \"%s\", \"kind\": \"%s\",\n", FORMAT,
                          tamis_version(), m->kind->name);
        write_encoder(t, m->encoder);
        tamis_text_puts(t, "  \"body\": {");
        write_body(t, &u, m->kind->fields);
        tamis_text_puts(t, "\n  }\n}\n");
    }
    tamis_pack_free(&p);
    return tamis_status(cx);
}

/* ---- reading ---- */

struct reader {
    tamis_context *cx;
    struct tamis_pack *p;
};

static int wrong(const struct reader *r, const char *key, const char *wanted)
{
    return tamis_fail(r->cx, TAMIS_DATA, "the model's \"%s\" is not there or is not %s", key, wanted);
}

static json_t *member(const struct reader *r, json_t *object, const char *key, int array)
{
    json_t *v = json_object_get(object, key);
    if (!(array ? json_is_array(v) : json_is_object(v))) wrong(r, key, array ? "a list" : "an object");
    return tamis_status(r->cx) ? NULL : v;
}

static void pack_real(struct reader *r, const char *key, const json_t *v)
{
    if (!json_is_number(v)) wrong(r, key, "a number");
    tamis_pack_f64(r->p, json_number_value(v));
}

static void pack_count(struct reader *r, const char *key, const json_t *v)
{
    if (!json_is_integer(v) || json_integer_value(v) < 0) wrong(r, key, "a count");
    tamis_pack_u64(r->p, (uint64_t)json_integer_value(v));
}

static void pack_name(struct reader *r, const char *key, const json_t *v)
{
    if (!json_is_string(v)) wrong(r, key, "text");
    else tamis_pack_str(r->p, json_string_value(v));
}

static void pack_names(struct reader *r, json_t *object, const char *key)
{
    json_t *list = member(r, object, key, 1);
    tamis_pack_u64(r->p, json_array_size(list));
    for (size_t i = 0; i < json_array_size(list) && !tamis_status(r->cx); i++)
        pack_name(r, key, json_array_get(list, i));
}

static void pack_numbers(struct reader *r, const char *key, const json_t *list)
{
    for (size_t i = 0; i < json_array_size(list) && !tamis_status(r->cx); i++)
        pack_real(r, key, json_array_get(list, i));
}

static void pack_reals(struct reader *r, json_t *object, const char *key)
{
    json_t *list = member(r, object, key, 1);
    tamis_pack_u64(r->p, json_array_size(list));
    pack_numbers(r, key, list);
}

/* The numbers `key` of all entries of a list (lists of numbers, or with `single` numbers) as one, from entry `first`
 * on. */
static void pack_gathered(struct reader *r, json_t *list, size_t first, const char *key, int single)
{
    size_t n = 0;
    for (size_t i = first; i < json_array_size(list); i++)
        n += single ? 1 : json_array_size(json_object_get(json_array_get(list, i), key));
    tamis_pack_u64(r->p, n);
    for (size_t i = first; i < json_array_size(list) && !tamis_status(r->cx); i++) {
        json_t *v = json_object_get(json_array_get(list, i), key);
        if (single) pack_real(r, key, v);
        else if (json_is_array(v)) pack_numbers(r, key, v);
        else wrong(r, key, "a list");
    }
}

static void pack_inputs(struct reader *r, json_t *inputs)
{
    tamis_pack_u64(r->p, json_array_size(inputs));
    for (size_t i = 0; i < json_array_size(inputs) && !tamis_status(r->cx); i++) {
        json_t *f = json_array_get(inputs, i), *constant = json_object_get(f, "constant");
        pack_name(r, "name", json_object_get(f, "name"));
        if (!json_is_boolean(constant)) wrong(r, "constant", "true or false");
        tamis_pack_u64(r->p, json_is_true(constant));
        pack_names(r, f, "levels");
    }
    pack_gathered(r, inputs, 0, "mean", 0);
    pack_gathered(r, inputs, 0, "scale", 0);
}

static void pack_more(struct reader *r, json_t *targets)
{
    size_t n = json_array_size(targets);
    tamis_pack_u64(r->p, n - 1);
    for (size_t o = 1; o < n && !tamis_status(r->cx); o++)
        pack_name(r, "name", json_object_get(json_array_get(targets, o), "name"));
    pack_gathered(r, targets, 1, "mean", 1);
    pack_gathered(r, targets, 1, "scale", 1);
}

static void pack_series(struct reader *r, const json_t *series, json_t *inputs)
{
    if (!json_is_boolean(series)) wrong(r, "series", "true or false");
    tamis_pack_u64(r->p, json_is_true(series));
    for (size_t i = 0; json_is_true(series) && i < json_array_size(inputs) && !tamis_status(r->cx); i++) {
        pack_name(r, "column", json_object_get(json_array_get(inputs, i), "column"));
        pack_count(r, "lag", json_object_get(json_array_get(inputs, i), "lag"));
    }
}

/* null stands for a missing value. */
static void pack_donors(struct reader *r, json_t *impute)
{
    json_t *list = member(r, impute, "donor", 1);
    size_t n = json_array_size(list), gaps = 0;
    pack_count(r, "donors", json_object_get(impute, "donors"));
    for (size_t i = 0; i < n; i++) gaps += json_is_null(json_array_get(list, i));
    tamis_pack_u64(r->p, gaps);
    for (size_t i = 0; i < n; i++)
        if (json_is_null(json_array_get(list, i))) tamis_pack_u64(r->p, i);
    for (size_t i = 0; i < n && !tamis_status(r->cx); i++) {
        if (json_is_null(json_array_get(list, i))) tamis_pack_f64(r->p, 0);
        else pack_real(r, "donor", json_array_get(list, i));
    }
}

static void pack_impute(struct reader *r, json_t *impute)
{
    const char *how = json_string_value(json_object_get(impute, "how"));
    uint64_t k = 0;
    while (how && k < 3 && strcmp(how, impute_words[k])) k++;
    if (!how || k == 3) {
        wrong(r, "how", "one of none, median, knn");
        return;
    }
    tamis_pack_u64(r->p, k);
    if (!k) return;
    pack_reals(r, impute, "fill");
    pack_count(r, "neighbours", json_object_get(impute, "neighbours"));
    pack_donors(r, impute);
}

static void pack_encoder(struct reader *r, json_t *root)
{
    json_t *targets = member(r, root, "targets", 1), *inputs = member(r, root, "inputs", 1),
           *impute = member(r, root, "impute", 0);
    json_t *first = json_array_get(targets, 0);
    if (!tamis_status(r->cx) && !first) wrong(r, "targets", "a list of one or more");
    if (tamis_status(r->cx)) return;
    pack_name(r, "name", json_object_get(first, "name"));
    pack_real(r, "mean", json_object_get(first, "mean"));
    pack_real(r, "scale", json_object_get(first, "scale"));
    pack_names(r, root, "classes");
    pack_inputs(r, inputs);
    pack_more(r, targets);
    pack_series(r, json_object_get(root, "series"), inputs);
    pack_impute(r, impute);
}

static void pack_counts(struct reader *r, json_t *body, const struct tamis_field *field, const struct tamis_field *f)
{
    json_t *list = member(r, body, f->name, 1);
    if (!tamis_status(r->cx) &&
        (json_int_t)json_array_size(list) != json_integer_value(json_object_get(body, field[f->of].name)))
        tamis_fail(r->cx, TAMIS_DATA, "the model's \"%s\" has %zu entries, and \"%s\" says otherwise", f->name,
                   json_array_size(list), field[f->of].name);
    for (size_t i = 0; i < json_array_size(list) && !tamis_status(r->cx); i++)
        pack_count(r, f->name, json_array_get(list, i));
}

static void pack_body(struct reader *r, json_t *body, const struct tamis_field *field)
{
    for (const struct tamis_field *f = field; f->name && !tamis_status(r->cx); f++) {
        if (f->type == TAMIS_FIELD_COUNT) pack_count(r, f->name, json_object_get(body, f->name));
        else if (f->type == TAMIS_FIELD_REAL) pack_real(r, f->name, json_object_get(body, f->name));
        else if (f->type == TAMIS_FIELD_REALS) pack_reals(r, body, f->name);
        else pack_counts(r, body, field, f);
    }
}

static void pack_root(struct reader *r, json_t *root)
{
    const json_t *format = json_object_get(root, "tamis-model");
    const char *word = json_string_value(json_object_get(root, "kind"));
    const struct tamis_model_kind *kind = word ? tamis_model_kind_find(word) : NULL;
    if (!json_is_integer(format))
        tamis_fail(r->cx, TAMIS_DATA,
                   "this JSON is not a tamis model; 'tamis select --model FILE' makes one, and 'tamis export' writes "
                   "it as JSON");
    else if (json_integer_value(format) != FORMAT)
        tamis_fail(r->cx, TAMIS_DATA, "this model has JSON format %lld and this tamis reads %d; use a newer tamis",
                   (long long)json_integer_value(format), FORMAT);
    else if (!kind)
        tamis_fail(r->cx, TAMIS_DATA, "the model is of kind '%.40s', which this tamis does not know", word ? word : "");
    if (tamis_status(r->cx)) return;
    tamis_pack_str(r->p, kind->name);
    pack_encoder(r, root);
    json_t *body = tamis_status(r->cx) ? NULL : member(r, root, "body", 0);
    if (body) pack_body(r, body, kind->fields);
}

int tamis_model_json_pack(tamis_context *cx, const void *bytes, size_t n, struct tamis_pack *p)
{
    json_error_t e;
    struct reader r = {cx, p};
    json_t *root = json_loadb(bytes, n, JSON_REJECT_DUPLICATES, &e);
    tamis_pack_begin(p, cx, tamis_model_magic, TAMIS_MODEL_FORMAT);
    if (root) pack_root(&r, root);
    else if (json_error_code(&e) == json_error_out_of_memory)
        tamis_fail(cx, TAMIS_MEMORY, "not enough memory for the model's JSON");
    else tamis_fail(cx, TAMIS_DATA, "line %d: this is no JSON: %.100s; make the model again", e.line, e.text);
    json_decref(root);
    return tamis_status(cx) ? tamis_status(cx) : tamis_pack_end(p);
}
