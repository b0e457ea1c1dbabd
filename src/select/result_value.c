/* A result as a tree of values: the one place that names its fields, which schema/result.schema.json describes. */
#include <math.h>
#include <string.h>
#include "base/format.h"
#include "base/text.h"
#include "data/series.h"
#include "num/weighted.h"
#include "select/method.h"

enum { FORMAT = 1 };

/* What --row-weights made of the rows; the labelled ones among them are learnt from. */
static void weights(tamis_value *data, const struct tamis_run *run)
{
    if (!run->weigh) return;
    tamis_add_text(data, "row_weights", run->common.row_weights);
    tamis_add_number(data, "weight_sum", tamis_weight_sum(run->design->weight, run->labelled));
    tamis_add_number(data, "effective_rows", tamis_weight_rows(run->design->weight, run->labelled));
}

tamis_value *tamis_add_head(tamis_value *to, const struct tamis_run *run, size_t rows, const char *target)
{
    char **word;
    int words = tamis_options_words(run->options, &word);
    tamis_add_text(to, "tamis", TAMIS_VERSION);
    tamis_add_number(to, "format", FORMAT);
    tamis_add_texts(to, "command", (const char *const *)word, (size_t)words);
    tamis_value *d = tamis_add_record(to, "data");
    tamis_add_text(d, "file", run->data->file);
    tamis_add_number(d, "rows", (double)rows);
    tamis_add_number(d, "inputs", (double)run->encoder->inputs);
    tamis_add_text(d, "target", target);
    tamis_add_text(d, "task", run->encoder->classes ? "classification" : "regression");
    weights(d, run);
    return d;
}

/* Every option of the method, its criterion and its search, as given or by default; of two rows of one name, the
 * method's. */
static void add_options(tamis_value *to, const struct tamis_run *run)
{
    struct tamis_option_table used[TAMIS_TABLES];
    tamis_value *v = tamis_add_record(to, "options");
    tamis_run_tables(run, used);
    for (const struct tamis_option_table *u = used + TAMIS_FIRST_OWN; u->part; u++)
        for (const struct tamis_option *o = u->rows; o->name; o++) {
            const char *text = tamis_options_text(run->options, o);
            if (tamis_value_get(v, o->name)) continue;
            if (o->type == TAMIS_FLAG) tamis_add_flag(v, o->name, text && strcmp(text, "no") != 0);
            else tamis_add_text(v, o->name, text);
        }
}

/* The targets as --target takes them: "y", or "a,b". */
static void targets_join(const struct tamis_encoder *e, struct tamis_text *t)
{
    tamis_text_puts(t, e->target);
    for (size_t o = 0; o < e->more; o++) tamis_text_printf(t, ",%s", e->more_target[o]);
}

/* What --lags made of the rows. */
static void series(tamis_value *data, struct tamis_run *run)
{
    const struct tamis_encoder *e = run->encoder;
    struct tamis_breaks b;
    if (!e->series || tamis_time_breaks(run->cx, e, run->data, &b)) return;
    tamis_value *v = tamis_add_record(data, "series");
    tamis_add_number(v, "horizon", (double)run->common.horizon);
    if (run->season) tamis_add_number(v, "season", (double)run->season);
    if (e->time.column) tamis_add_text(v, "time", e->time.column);
    if (e->time.step > 0) tamis_add_number(v, "step", e->time.step);
    if (b.since) {
        tamis_add_number(v, "gaps", (double)(b.gaps + b.back));
        tamis_add_number(v, "gap_rows", (double)tamis_breaks_cost(&b, run->data->rows, tamis_encoder_reach(e)));
    }
    tamis_free(b.since);
}

static void head(tamis_value *v, struct tamis_run *run)
{
    struct tamis_result *r = run->result;
    struct tamis_text target = {.cx = run->cx};
    targets_join(run->encoder, &target);
    tamis_value *data = tamis_add_head(v, run, r->rows, target.s);
    tamis_text_free(&target);
    tamis_add_number(data, "rows_dropped", (double)r->dropped);
    tamis_add_number(data, "repeated_rows", run->design->blocks ? NAN : (double)run->repeated);
    tamis_add_number(data, "test_rows", (double)r->test_rows);
    series(data, run);
    tamis_add_text(v, "method", r->method);
    if (r->picked) tamis_add_text(v, "picked", r->picked);
    tamis_add_number(v, "seed", (double)run->seed);
    add_options(v, run);
    tamis_published_add(v, run);
}

const char *tamis_relevance_name(const struct tamis_run *run)
{
    const struct tamis_criterion *c = run->criterion;
    if (run->method->relevance) return run->method->relevance;
    return c && c->relevance ? c->relevance : "relevance";
}

static void inputs(tamis_value *v, const struct tamis_run *run, const struct tamis_result *r)
{
    tamis_value *names = tamis_add_list(v, "selected");
    for (size_t k = 0; k < r->selected; k++) tamis_add_text(names, NULL, r->name[r->chosen[k]]);
    tamis_add_text(v, "relevance_name", tamis_relevance_name(run));
    tamis_value *list = tamis_add_list(v, "inputs");
    for (size_t i = 0; i < r->inputs; i++) {
        const tamis_input *in = &r->input[i];
        tamis_value *one = tamis_add_record(list, NULL);
        tamis_add_text(one, "name", in->name);
        tamis_add_flag(one, "selected", in->selected);
        tamis_add_number(one, "relevance", in->relevance);
        tamis_add_number(one, "rank", in->rank ? (double)in->rank : NAN);
        if (in->constant) tamis_add_flag(one, "constant", 1);
        if (!isnan(in->frequency)) tamis_add_number(one, "frequency", in->frequency);
        tamis_add_number(one, "importance", in->importance);
        tamis_add_number(one, "importance_se", in->importance_se);
    }
}

/* "+x3" or "-x3". */
static void signed_name(tamis_context *cx, tamis_value *to, const char *key, const char *name, int added)
{
    struct tamis_text t = {.cx = cx};
    tamis_text_puts(&t, added ? "+" : "-");
    tamis_text_puts(&t, name);
    if (!t.failed) tamis_add_text(to, key, t.s);
    tamis_text_free(&t);
}

/* One step; *at advances along r->changed. */
static void step(tamis_context *cx, tamis_value *v, const struct tamis_result *r, const struct tamis_path_step *s,
                 size_t *at)
{
    size_t changes = s->changed < 0 ? 0 : 1 + s->also;
    tamis_add_number(v, "size", (double)s->size);
    if (changes) signed_name(cx, v, "changed", r->name[s->changed], s->added);
    else tamis_add_null(v, "changed");
    tamis_value *with = changes > 1 ? tamis_add_list(v, "with") : NULL;
    for (size_t i = 1; i < changes; i++) signed_name(cx, with, NULL, r->name[r->changed[*at + i]], s->added);
    *at += changes;
    tamis_add_number(v, "criterion", s->criterion);
    tamis_value *p = tamis_add_record(v, "parameters");
    for (size_t i = 0; i < r->parameters; i++) tamis_add_number(p, r->parameter_names[i], s->parameters[i]);
}

static void path(tamis_context *cx, tamis_value *v, const struct tamis_result *r)
{
    size_t at = 0;
    tamis_value *list = tamis_add_list(v, "path");
    for (size_t k = 0; k < r->steps; k++) step(cx, tamis_add_record(list, NULL), r, &r->path[k], &at);
    if (r->steps) tamis_add_number(v, "chosen_step", (double)r->chosen_step);
}

void tamis_add_baselines(tamis_value *to, const char *before, const struct tamis_baselines *b)
{
    const struct { const char *key; double error; } row[] = {
        {"baseline", b->constant}, {"persistence", b->persistence}, {"seasonal", b->seasonal}};
    char key[32];
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        tamis_snprintf(key, sizeof key, "%s%s", before, row[i].key);
        if (!isnan(row[i].error)) tamis_add_number(to, key, row[i].error);
    }
}

static void class_errors(tamis_value *to, const char *before, const struct tamis_class_error *m, int always)
{
    const struct { const char *key; double value; } row[] = {
        {"log_loss", m->log_loss}, {"brier", m->brier}, {"balanced_accuracy", m->balanced_accuracy}, {"auc", m->auc}};
    char key[40];
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        tamis_snprintf(key, sizeof key, "%s%s", before, row[i].key);
        if (always || !isnan(row[i].value)) tamis_add_number(to, key, row[i].value);
    }
}

static void errors(tamis_value *v, const struct tamis_run *run, const struct tamis_result *r)
{
    tamis_value *e = tamis_add_record(v, "error");
    tamis_add_text(e, "criterion", r->error_name);
    tamis_add_text(e, "label", r->error_label ? r->error_label : r->error_name);
    tamis_add_number(e, "all_inputs", r->all_inputs);
    tamis_add_number(e, "selected", r->error);
    if (!isnan(r->error_se)) tamis_add_number(e, "selected_se", r->error_se);
    tamis_add_baselines(e, "", &r->baseline);
    tamis_add_number(e, "test_all_inputs", r->test_all_inputs);
    tamis_add_number(e, "test", r->test);
    tamis_add_baselines(e, "test_", &r->test_baseline);
    if (r->outer_folds) {
        tamis_add_number(e, "nested_all_inputs", r->nested_all_inputs);
        tamis_add_number(e, "nested", r->nested);
        tamis_add_number(e, "nested_se", r->nested_se);
    }
    if (run->encoder->classes) {
        class_errors(e, "", &r->held_class, 1);
        class_errors(e, "baseline_", &r->held_class_baseline, 0);
        class_errors(e, "test_", &r->test_class, 0);
        class_errors(e, "test_baseline_", &r->test_class_baseline, 0);
    }
    if (!run->encoder->classes && !run->encoder->more) tamis_add_number(e, "target_scale", run->encoder->target_scale);
    tamis_add_text(e, "units", r->units);
}

static void model(tamis_value *v, const struct tamis_result *r)
{
    if (!r->model) {
        tamis_add_null(v, "model");
        return;
    }
    const struct tamis_model_kind *kind = r->model->kind;
    tamis_value *m = tamis_add_record(v, "model");
    tamis_add_text(m, "kind", kind->name);
    tamis_add_number(m, "basis_functions", (double)kind->basis_functions(r->model->body));
    kind->describe(r->model->body, tamis_add_record(m, "parameters"));
}

/* Moves a record of the result into the tree. */
static void block(tamis_value *v, const char *name, tamis_value **from)
{
    if (*from) tamis_add_child(v, name, *from);
    *from = NULL;
}

int tamis_result_tree(struct tamis_run *run)
{
    struct tamis_result *r = run->result;
    tamis_context *cx = run->cx;
    tamis_value *v = r->value = tamis_record_new(cx);
    head(v, run);
    inputs(v, run, r);
    path(cx, v, r);
    errors(v, run, r);
    if (tamis_smaller_add(v, run)) return tamis_status(cx);
    model(v, r);
    block(v, r->block_name, &r->block);
    block(v, "stability_selection", &r->stable);
    block(v, "select_rule", &r->rule);
    block(v, "cost", &r->cost);
    block(v, "outer", &r->outer);
    block(v, "bootstrap", &r->bootstrap);
    block(v, "probabilities", &r->probabilities);
    block(v, "intervals", &r->intervals);
    block(v, "tests", &r->tests);
    block(v, "evidence", &r->evidence);
    tamis_add_texts(v, "notes", (const char *const *)r->note, r->notes);
    tamis_add_number(v, "seconds", r->seconds);
    tamis_add_number(v, "threads", r->threads);
    return tamis_status(cx);
}

void tamis_add_by_input(tamis_value *to, const char *key, const struct tamis_encoder *e, const double *x)
{
    tamis_value *v = tamis_add_record(to, key);
    for (size_t i = 0; i < e->inputs; i++) tamis_add_number(v, e->input[i].name, x[i]);
}

void tamis_add_set(tamis_value *to, const char *key, const struct tamis_encoder *e, const unsigned char *set)
{
    tamis_value *v = tamis_add_list(to, key);
    for (size_t i = 0; i < e->inputs; i++)
        if (set[i]) tamis_add_text(v, NULL, e->input[i].name);
}
