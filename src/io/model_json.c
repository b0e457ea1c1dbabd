/* Models as JSON, written and read.
 *
 * What a kind packs is a list of named fields (tamis_field). To write JSON, the packed bytes are read by that list. To
 * read JSON, the same bytes are made from the named values and go to the reader of packed files, which checks every
 * count and number: a model that went through JSON packs to the same bytes. */
#include <math.h>
#include <string.h>
#include "base/text.h"
#include "data/dates.h"
#include "io/json_read.h"
#include "io/model_file.h"

enum { FORMAT = 1 };
static const double MOST = 9007199254740992.0;           /* a count is exact in a double up to here: 2^53 */
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

static void add_time(tamis_context *cx, tamis_value *to, const struct tamis_time *t)
{
    add_name(cx, to, "column", t->column);
    if (t->date) tamis_add_text(to, "date", tamis_date_words[t->date]);
    tamis_add_exact(to, "step", t->step);
    tamis_add_exact(to, "longest", t->longest);
}

static void add_encoder(tamis_context *cx, tamis_value *to, const struct tamis_encoder *e)
{
    add_targets(cx, to, e);
    tamis_add_flag(to, "series", e->series);
    if (e->time.column) add_time(cx, tamis_add_record(to, "time"), &e->time);
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
    int whole = f->type == TAMIS_FIELD_COUNTS;
    if (!whole) entries = (size_t)tamis_unpack_u64(u, UINT64_MAX);
    if (!entries && f->type == TAMIS_FIELD_REALS_OR_NONE) return;
    double *x = tamis_add_room(to, f->name, entries);
    for (size_t i = 0; x && i < entries; i++)
        x[i] = whole ? (double)tamis_unpack_u64(u, UINT64_MAX) : tamis_unpack_f64(u);
}

static void add_body(tamis_context *cx, tamis_value *to, struct tamis_unpack *u, const struct tamis_field *field)
{
    size_t count[32] = {0};
    for (size_t k = 0; field[k].name && !tamis_status(cx); k++)
        add_field(to, u, &field[k], count[field[k].of], &count[k]);
}

/* What the model knows of its own errors, where it does. */
static void add_certainty(tamis_value *to, const struct tamis_model *m)
{
    const struct tamis_calibrator *c = m->calibrator;
    if (c) {
        tamis_value *v = tamis_add_record(to, "calibration");
        tamis_add_flag(v, "log", c->on_log);
        tamis_add_exact(v, "unit", c->unit);
        tamis_add_exact(v, "floor", c->floor);
        add_reals(v, "slope", c->slope, 2 * c->classes);
    }
    if (!m->residuals) return;
    tamis_value *v = tamis_add_record(to, "residuals");
    tamis_add_number(v, "count", (double)m->residuals->count);
    add_reals(v, "point", m->residuals->point, m->residuals->count * (1 + m->encoder->more));
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
    add_certainty(v, m);
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

static const tamis_value *record_of(const struct reader *r, const tamis_value *v, const char *key)
{
    const tamis_value *m = tamis_value_get(v, key);
    if (tamis_value_kind(m) != TAMIS_VALUE_RECORD) wrong(r, key, "an object");
    return tamis_status(r->cx) ? NULL : m;
}

static int is_list(const tamis_value *v)
{
    return tamis_value_kind(v) == TAMIS_VALUE_LIST || tamis_value_kind(v) == TAMIS_VALUE_NUMBERS;
}

static const tamis_value *list_of(const struct reader *r, const tamis_value *v, const char *key)
{
    const tamis_value *m = tamis_value_get(v, key);
    if (!is_list(m)) wrong(r, key, "a list");
    return tamis_status(r->cx) ? NULL : m;
}

/* x: NAN if the value is not a number. */
static void pack_real(struct reader *r, const char *key, double x)
{
    if (isnan(x)) wrong(r, key, "a number");
    tamis_pack_f64(r->p, x);
}

static void pack_count(struct reader *r, const char *key, double x)
{
    int good = x >= 0 && x <= MOST && x == floor(x);
    if (!good) wrong(r, key, "a count");
    tamis_pack_u64(r->p, good ? (uint64_t)x : 0);
}

static void pack_name(struct reader *r, const char *key, const tamis_value *v)
{
    const char *s = tamis_value_text(v, NULL);
    if (!s) wrong(r, key, "text");
    else tamis_pack_str(r->p, s);
}

static void pack_flag(struct reader *r, const char *key, const tamis_value *v)
{
    if (tamis_value_kind(v) != TAMIS_VALUE_FLAG) wrong(r, key, "true or false");
    tamis_pack_u64(r->p, (uint64_t)tamis_value_flag(v, NULL));
}

static void pack_names(struct reader *r, const tamis_value *v, const char *key)
{
    const tamis_value *list = list_of(r, v, key);
    size_t n = tamis_value_length(list);
    tamis_pack_u64(r->p, n);
    for (size_t i = 0; i < n && !tamis_status(r->cx); i++) pack_name(r, key, tamis_value_item(list, i));
}

static void pack_numbers(struct reader *r, const char *key, const tamis_value *list)
{
    for (size_t i = 0; i < tamis_value_length(list) && !tamis_status(r->cx); i++)
        pack_real(r, key, tamis_value_item_number(list, i));
}

static void pack_reals(struct reader *r, const tamis_value *v, const char *key)
{
    const tamis_value *list = list_of(r, v, key);
    tamis_pack_u64(r->p, tamis_value_length(list));
    pack_numbers(r, key, list);
}

/* The member `key` (a list of numbers; with `single` a number) of all entries from `first` on, as one list. */
static void pack_gathered(struct reader *r, const tamis_value *list, size_t first, const char *key, int single)
{
    size_t n = 0;
    for (size_t i = first; i < tamis_value_length(list); i++)
        n += single ? 1 : tamis_value_length(tamis_value_get(tamis_value_item(list, i), key));
    tamis_pack_u64(r->p, n);
    for (size_t i = first; i < tamis_value_length(list) && !tamis_status(r->cx); i++) {
        const tamis_value *v = tamis_value_get(tamis_value_item(list, i), key);
        if (single) pack_real(r, key, tamis_value_number(v, NULL));
        else if (is_list(v)) pack_numbers(r, key, v);
        else wrong(r, key, "a list");
    }
}

static void pack_inputs(struct reader *r, const tamis_value *inputs)
{
    size_t n = tamis_value_length(inputs);
    tamis_pack_u64(r->p, n);
    for (size_t i = 0; i < n && !tamis_status(r->cx); i++) {
        const tamis_value *f = tamis_value_item(inputs, i);
        pack_name(r, "name", tamis_value_get(f, "name"));
        pack_flag(r, "constant", tamis_value_get(f, "constant"));
        pack_names(r, f, "levels");
    }
    pack_gathered(r, inputs, 0, "mean", 0);
    pack_gathered(r, inputs, 0, "scale", 0);
}

static void pack_more(struct reader *r, const tamis_value *targets)
{
    size_t n = tamis_value_length(targets);
    tamis_pack_u64(r->p, n - 1);
    for (size_t o = 1; o < n && !tamis_status(r->cx); o++)
        pack_name(r, "name", tamis_value_get(tamis_value_item(targets, o), "name"));
    pack_gathered(r, targets, 1, "mean", 1);
    pack_gathered(r, targets, 1, "scale", 1);
}

static void pack_series(struct reader *r, const tamis_value *series, const tamis_value *inputs)
{
    pack_flag(r, "series", series);
    size_t n = tamis_value_flag(series, NULL) ? tamis_value_length(inputs) : 0;
    for (size_t i = 0; i < n && !tamis_status(r->cx); i++) {
        pack_name(r, "column", tamis_value_get(tamis_value_item(inputs, i), "column"));
        pack_count(r, "lag", tamis_value_number(tamis_value_item(inputs, i), "lag"));
    }
}

/* The place of an optional word in a list of n, of which the first is "". */
static size_t pack_word(struct reader *r, const tamis_value *input, const char *key, const char *const *words, size_t n)
{
    const tamis_value *v = tamis_value_get(input, key);
    const char *text = v ? tamis_value_text(v, NULL) : "";
    size_t k = 0;
    while (text && k < n && strcmp(text, words[k])) k++;
    if (!text || k == n) wrong(r, key, "a word that this tamis knows");
    tamis_pack_u64(r->p, k);
    return k;
}

static void pack_dates(struct reader *r, const tamis_value *series, const tamis_value *inputs)
{
    for (size_t i = 0; i < tamis_value_length(inputs) && !tamis_status(r->cx); i++) {
        const tamis_value *input = tamis_value_item(inputs, i);
        pack_word(r, input, "date", tamis_date_words, TAMIS_DATES);
        if (pack_word(r, input, "part", tamis_date_part_words, TAMIS_PARTS) && !tamis_value_flag(series, NULL))
            pack_name(r, "column", tamis_value_get(input, "column"));
    }
}

static void pack_time(struct reader *r, const tamis_value *time)
{
    tamis_pack_u64(r->p, time != NULL);
    if (!time) return;
    pack_name(r, "column", tamis_value_get(time, "column"));
    pack_word(r, time, "date", tamis_date_words, TAMIS_DATES);
    pack_real(r, "step", tamis_value_number(time, "step"));
    pack_real(r, "longest", tamis_value_number(time, "longest"));
}

/* Whether entry i of a list is null: a missing value. */
static int is_gap(const tamis_value *list, size_t i)
{
    if (tamis_value_kind(list) == TAMIS_VALUE_NUMBERS) return isnan(tamis_value_item_number(list, i));
    return tamis_value_kind(tamis_value_item(list, i)) == TAMIS_VALUE_NULL;
}

static void pack_donors(struct reader *r, const tamis_value *impute)
{
    const tamis_value *list = list_of(r, impute, "donor");
    size_t n = tamis_value_length(list), gaps = 0;
    pack_count(r, "donors", tamis_value_number(impute, "donors"));
    for (size_t i = 0; i < n; i++) gaps += (size_t)is_gap(list, i);
    tamis_pack_u64(r->p, gaps);
    for (size_t i = 0; i < n; i++)
        if (is_gap(list, i)) tamis_pack_u64(r->p, i);
    for (size_t i = 0; i < n && !tamis_status(r->cx); i++)
        pack_real(r, "donor", is_gap(list, i) ? 0 : tamis_value_item_number(list, i));
}

static void pack_impute(struct reader *r, const tamis_value *impute)
{
    const char *how = tamis_value_text(impute, "how");
    uint64_t k = 0;
    while (how && k < 3 && strcmp(how, impute_words[k])) k++;
    if (!how || k == 3) {
        wrong(r, "how", "one of none, median, knn");
        return;
    }
    tamis_pack_u64(r->p, k);
    if (!k) return;
    pack_reals(r, impute, "fill");
    pack_count(r, "neighbours", tamis_value_number(impute, "neighbours"));
    pack_donors(r, impute);
}

static void pack_encoder(struct reader *r, const tamis_value *root)
{
    const tamis_value *targets = list_of(r, root, "targets"), *inputs = list_of(r, root, "inputs"),
                      *impute = record_of(r, root, "impute"), *first = tamis_value_item(targets, 0);
    if (!tamis_status(r->cx) && !first) wrong(r, "targets", "a list of one or more");
    if (tamis_status(r->cx)) return;
    pack_name(r, "name", tamis_value_get(first, "name"));
    pack_real(r, "mean", tamis_value_number(first, "mean"));
    pack_real(r, "scale", tamis_value_number(first, "scale"));
    pack_names(r, root, "classes");
    pack_inputs(r, inputs);
    pack_more(r, targets);
    pack_series(r, tamis_value_get(root, "series"), inputs);
    pack_impute(r, impute);
    pack_dates(r, tamis_value_get(root, "series"), inputs);
    pack_time(r, tamis_value_get(root, "time"));
}

static void pack_counts(struct reader *r, const tamis_value *body, const struct tamis_field *field,
                        const struct tamis_field *f)
{
    const tamis_value *list = list_of(r, body, f->name);
    size_t n = tamis_value_length(list);
    if (!tamis_status(r->cx) && (double)n != tamis_value_number(tamis_value_get(body, field[f->of].name), NULL))
        tamis_fail(r->cx, TAMIS_DATA,
                   "the model's \"%s\" has %zu entries, but its \"%s\" differs; make the model again", f->name, n,
                   field[f->of].name);
    for (size_t i = 0; i < n && !tamis_status(r->cx); i++) pack_count(r, f->name, tamis_value_item_number(list, i));
}

static void pack_body(struct reader *r, const tamis_value *body, const struct tamis_field *field)
{
    for (const struct tamis_field *f = field; f->name && !tamis_status(r->cx); f++) {
        double x = tamis_value_number(tamis_value_get(body, f->name), NULL);
        if (f->type == TAMIS_FIELD_COUNT) pack_count(r, f->name, x);
        else if (f->type == TAMIS_FIELD_REAL) pack_real(r, f->name, x);
        else if (f->type == TAMIS_FIELD_REALS_OR_NONE && !tamis_value_get(body, f->name)) tamis_pack_u64(r->p, 0);
        else if (f->type != TAMIS_FIELD_COUNTS) pack_reals(r, body, f->name);
        else pack_counts(r, body, field, f);
    }
}

static void pack_certainty(struct reader *r, const tamis_value *root)
{
    const tamis_value *c = tamis_value_get(root, "calibration"), *residuals = tamis_value_get(root, "residuals");
    tamis_pack_u64(r->p, c != NULL);
    if (c) {
        pack_flag(r, "log", tamis_value_get(c, "log"));
        pack_real(r, "unit", tamis_value_number(c, "unit"));
        pack_real(r, "floor", tamis_value_number(c, "floor"));
        pack_reals(r, c, "slope");
    }
    if (!residuals) tamis_pack_u64(r->p, 0);
    else {
        pack_count(r, "count", tamis_value_number(residuals, "count"));
        pack_reals(r, residuals, "point");
    }
}

static void pack_root(struct reader *r, const tamis_value *root)
{
    double format = tamis_value_number(tamis_value_get(root, "tamis-model"), NULL);
    const char *word = tamis_value_text(root, "kind");
    const struct tamis_model_kind *kind = word ? tamis_model_kind_find(word) : NULL;
    if (isnan(format))
        tamis_fail(r->cx, TAMIS_DATA,
                   "this JSON is not a tamis model; 'tamis select --model FILE' and 'tamis export FILE' make one");
    else if (format != FORMAT)
        tamis_fail(r->cx, TAMIS_DATA, "this model has JSON format %g, but this tamis reads %d; use a newer tamis",
                   format, FORMAT);
    else if (!kind)
        tamis_fail(r->cx, TAMIS_DATA, "this tamis does not know models of kind '%.40s'; use a newer tamis",
                   word ? word : "");
    if (tamis_status(r->cx)) return;
    tamis_pack_str(r->p, kind->name);
    pack_encoder(r, root);
    const tamis_value *body = tamis_status(r->cx) ? NULL : record_of(r, root, "body");
    if (body) pack_body(r, body, kind->fields);
    if (body) pack_certainty(r, root);
}

int tamis_model_json_pack(tamis_context *cx, const void *bytes, size_t n, struct tamis_pack *p)
{
    struct reader r = {cx, p};
    tamis_value *root = NULL;
    tamis_pack_begin(p, cx, tamis_model_magic, TAMIS_MODEL_FORMAT);
    if (!tamis_json_parse(cx, bytes, n, 1, &root)) pack_root(&r, root);
    tamis_value_free(root);
    return tamis_status(cx) ? tamis_status(cx) : tamis_pack_end(p);
}
