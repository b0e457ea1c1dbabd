/* Models as JSON, written and read.
 *
 * What a kind packs is a list of named fields (tamis_field). To write JSON, the packed bytes are read by that list. To
 * read JSON, the same bytes are made from the named values and go to the reader of packed files, which checks every
 * count and number: a model that went through JSON packs to the same bytes. */
#include <string.h>
#include "base/text.h"
#include "base/value.h"
#include "data/dates.h"
#include "io/json_read.h"
#include "io/model_file.h"

enum { FORMAT = 1 };
static const char *const impute_words[] = {"none", "median", "knn"};

/* ---- writing ---- */

/* Keeps the sign of zero, which tamis_add_numbers drops; NAN, a missing value, becomes null. */
static void add_reals(tamis_value *to, const char *key, const double *x, size_t n)
{
    double *copy = tamis_add_room(to, key, n);
    if (copy) memcpy(copy, x, n * sizeof *x);
}

static void add_name(tamis_context *cx, tamis_value *to, const char *key, const char *s)
{
    if (tamis_utf8(s)) tamis_add_text(to, key, s);
    else tamis_fail(cx, TAMIS_DATA, "the name '%.60s' is not UTF-8; rename it in the table and run again", s);
}

static void add_names(tamis_context *cx, tamis_value *to, const char *key, char *const *s, size_t n)
{
    tamis_value *list = tamis_add_list(to, key);
    for (size_t i = 0; i < n; i++) add_name(cx, list, NULL, s[i]);
}

static void add_targets(tamis_context *cx, tamis_value *to, const struct tamis_encoder *e)
{
    tamis_value *list = tamis_add_list(to, "targets");
    for (size_t o = 0; o <= e->more; o++) {
        tamis_value *one = tamis_add_record(list, NULL);
        add_name(cx, one, "name", o ? e->more_target[o - 1] : e->target);
        tamis_add_exact(one, "mean", o ? e->more_mean[o - 1] : e->target_mean);
        tamis_add_exact(one, "scale", o ? e->more_scale[o - 1] : e->target_scale);
    }
    add_names(cx, to, "classes", e->class_name, e->classes);
}

static void add_input(tamis_context *cx, tamis_value *to, const struct tamis_encoder *e, const struct tamis_feature *f)
{
    add_name(cx, to, "name", f->name);
    if (f->source) add_name(cx, to, "column", f->source);
    if (e->series) tamis_add_number(to, "lag", (double)f->lag);
    if (f->date) tamis_add_text(to, "date", tamis_date_words[f->date]);
    if (f->part) tamis_add_text(to, "part", tamis_date_part_words[f->part]);
    tamis_add_flag(to, "constant", f->constant);
    add_names(cx, to, "levels", f->level, f->levels);
    add_reals(to, "mean", e->mean + f->first, f->columns);
    add_reals(to, "scale", e->scale + f->first, f->columns);
}

static void add_impute(tamis_value *to, const struct tamis_encoder *e)
{
    tamis_add_text(to, "how", impute_words[e->impute]);
    if (!e->impute) return;
    add_reals(to, "fill", e->fill, e->columns);
    tamis_add_number(to, "neighbours", (double)e->neighbours);
    tamis_add_number(to, "donors", (double)e->donors);
    add_reals(to, "donor", e->donor, e->donors * e->columns);
}

static void add_encoder(tamis_context *cx, tamis_value *to, const struct tamis_encoder *e)
{
    add_targets(cx, to, e);
    tamis_add_flag(to, "series", e->series);
    tamis_value *list = tamis_add_list(to, "inputs");
    for (size_t i = 0; i < e->inputs; i++) add_input(cx, tamis_add_record(list, NULL), e, &e->input[i]);
    add_impute(tamis_add_record(to, "impute"), e);
}

/* The next field that the kind packed; *count keeps it if it is a count. */
static void add_field(tamis_value *to, struct tamis_unpack *u, const struct tamis_field *f, size_t entries,
                      size_t *count)
{
    if (f->type == TAMIS_FIELD_COUNT)
        tamis_add_number(to, f->name, (double)(*count = (size_t)tamis_unpack_u64(u, UINT64_MAX)));
    if (f->type == TAMIS_FIELD_REAL) tamis_add_exact(to, f->name, tamis_unpack_f64(u));
    if (f->type == TAMIS_FIELD_COUNT || f->type == TAMIS_FIELD_REAL) return;
    if (f->type == TAMIS_FIELD_REALS) entries = (size_t)tamis_unpack_u64(u, UINT64_MAX);
    double *x = tamis_add_room(to, f->name, entries);
    for (size_t i = 0; x && i < entries; i++)
        x[i] = f->type == TAMIS_FIELD_REALS ? tamis_unpack_f64(u) : (double)tamis_unpack_u64(u, UINT64_MAX);
}

static void add_body(tamis_context *cx, tamis_value *to, struct tamis_unpack *u, const struct tamis_field *field)
{
    size_t count[32] = {0};
    for (size_t k = 0; field[k].name && !tamis_status(cx); k++)
        add_field(to, u, &field[k], count[field[k].of], &count[k]);
}

static tamis_value *model_value(tamis_context *cx, const struct tamis_model *m)
{
    struct tamis_pack p = {.cx = cx};
    tamis_value *v = tamis_record_new(cx);
    m->kind->pack(m->body, &p);
    struct tamis_unpack u = {.cx = cx, .bytes = p.bytes, .length = p.length};
    tamis_add_number(v, "tamis-model", FORMAT);
    tamis_add_text(v, "version", tamis_version());
    tamis_add_text(v, "kind", m->kind->name);
    add_encoder(cx, v, m->encoder);
    add_body(cx, tamis_add_record(v, "body"), &u, m->kind->fields);
    tamis_pack_free(&p);
    return v;
}

int tamis_model_json(tamis_context *cx, const struct tamis_model *m, char **text, size_t *length)
{
    tamis_value *v = model_value(cx, m);
    int status = tamis_status(cx);
    if (!status) status = tamis_value_json(cx, v, text, length);
    tamis_value_free(v);
    return status;
}

/* ---- reading ---- */

struct reader {
    tamis_context *cx;
    struct tamis_pack *p;
};

static int wrong(const struct reader *r, const char *key, const char *expected)
{
    return tamis_fail(r->cx, TAMIS_DATA, "the model's \"%s\" is missing or is not %s", key, expected);
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

/* The member `key` (a list of numbers; with `single` a number) of all entries from `first` on, as one list. */
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

/* The place of an optional word in a list of n, of which the first is "". */
static size_t pack_word(struct reader *r, const json_t *input, const char *key, const char *const *words, size_t n)
{
    const json_t *value = json_object_get(input, key);
    const char *text = value ? json_string_value(value) : "";
    size_t k = 0;
    while (text && k < n && strcmp(text, words[k])) k++;
    if (!text || k == n) wrong(r, key, "a word that this tamis knows");
    tamis_pack_u64(r->p, k);
    return k;
}

static void pack_dates(struct reader *r, const json_t *series, json_t *inputs)
{
    for (size_t i = 0; i < json_array_size(inputs) && !tamis_status(r->cx); i++) {
        const json_t *input = json_array_get(inputs, i);
        pack_word(r, input, "date", tamis_date_words, TAMIS_DATES);
        if (pack_word(r, input, "part", tamis_date_part_words, TAMIS_PARTS) && !json_is_true(series))
            pack_name(r, "column", json_object_get(input, "column"));
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
    pack_dates(r, json_object_get(root, "series"), inputs);
}

static void pack_counts(struct reader *r, json_t *body, const struct tamis_field *field, const struct tamis_field *f)
{
    json_t *list = member(r, body, f->name, 1);
    if (!tamis_status(r->cx) &&
        (json_int_t)json_array_size(list) != json_integer_value(json_object_get(body, field[f->of].name)))
        tamis_fail(r->cx, TAMIS_DATA,
                   "the model's \"%s\" has %zu entries, but its \"%s\" differs; make the model again", f->name,
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
                   "this JSON is not a tamis model; 'tamis select --model FILE' and 'tamis export FILE' make one");
    else if (json_integer_value(format) != FORMAT)
        tamis_fail(r->cx, TAMIS_DATA, "this model has JSON format %lld, but this tamis reads %d; use a newer tamis",
                   (long long)json_integer_value(format), FORMAT);
    else if (!kind)
        tamis_fail(r->cx, TAMIS_DATA, "this tamis does not know models of kind '%.40s'; use a newer tamis",
                   word ? word : "");
    if (tamis_status(r->cx)) return;
    tamis_pack_str(r->p, kind->name);
    pack_encoder(r, root);
    json_t *body = tamis_status(r->cx) ? NULL : member(r, root, "body", 0);
    if (body) pack_body(r, body, kind->fields);
}

int tamis_model_json_pack(tamis_context *cx, const void *bytes, size_t n, struct tamis_pack *p)
{
    struct reader r = {cx, p};
    json_t *root = tamis_json_load(cx, bytes, n, JSON_REJECT_DUPLICATES);
    tamis_pack_begin(p, cx, tamis_model_magic, TAMIS_MODEL_FORMAT);
    if (root) pack_root(&r, root);
    json_decref(root);
    return tamis_status(cx) ? tamis_status(cx) : tamis_pack_end(p);
}
