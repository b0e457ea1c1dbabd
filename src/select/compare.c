/* tamis_compare: several methods on the same outer folds. */
#include <math.h>
#include <stddef.h>
#include <string.h>
#include "base/text.h"
#include "base/blas.h"
#include "base/format.h"
#include "base/watch.h"
#include "select/comparison.h"
#include "select/method.h"
#include "select/parts.h"
#include "select/weighing.h"
#include "evidence/evidence.h"

struct settings { struct tamis_names methods; };

const struct tamis_option tamis_compare_options[] = {
    {"methods", TAMIS_NAMES, offsetof(struct settings, methods), NULL, 0, 0, NULL, "A,B,...",
     "methods to compare, each with its own options after colons, as in search:criterion=mi (default: all for the "
     "task)", .basic = 1},
    {0}};

enum { DEFAULT_FOLDS = 5 };

/* ---- running ---- */

/* Draws the folds by the first contender's run, and allocates. */
static int comparison_begin(struct tamis_comparison *x, struct tamis_run *run, size_t contenders)
{
    x->repeats = run->common.repeats;
    x->classes = run->encoder->classes > 0;
    x->contender = tamis_new(run->cx, struct tamis_contender, contenders);
    x->difference = tamis_new(run->cx, struct tamis_difference, contenders * contenders);
    size_t folds = run->common.outer ? run->common.outer : DEFAULT_FOLDS;
    if (x->contender && x->difference) x->resample = tamis_resample_folds(run, folds, x->repeats);
    if (x->resample) x->folds = x->resample->folds;
    return tamis_status(run->cx);
}

static void head_add(struct tamis_comparison *x, const struct tamis_run *run)
{
    tamis_value *v = x->value = tamis_record_new(run->cx);
    tamis_add_head(v, run, run->rows, run->encoder->target);
    tamis_add_number(v, "seed", (double)run->common.seed);
    tamis_value *outer = tamis_add_record(v, "outer");
    tamis_add_number(outer, "folds", (double)x->folds);
    tamis_add_number(outer, "repeats", (double)x->repeats);
    tamis_add_text(v, "units", tamis_loss_units(run));
}

static int summary_fill(tamis_context *cx, struct tamis_comparison *x, size_t k, const struct tamis_encoder *e)
{
    struct tamis_contender *n = &x->contender[k];
    tamis_trials_summarise(x->resample, n->trial, &n->summary);
    n->value = tamis_record_new(cx);
    tamis_add_text(n->value, "method", n->label);
    tamis_add_trials(n->value, e, x->resample, n->trial, &n->summary);
    tamis_add_number(n->value, "seconds", n->summary.seconds);
    return tamis_status(cx);
}

/* A method that fails on these data does not end the comparison. */
static int failure_keep(tamis_context *cx, struct tamis_contender *n, int status)
{
    char sentence[1024];
    tamis_snprintf(sentence, sizeof sentence, "%s", tamis_error(cx));
    if (status == TAMIS_USAGE || tamis_forgive(cx, TAMIS_OK)) return tamis_status(cx);
    if (!(n->failed = tamis_strdup(cx, sentence))) return tamis_status(cx);
    n->summary.mean = NAN;
    n->value = tamis_record_new(cx);
    tamis_add_text(n->value, "method", n->label);
    tamis_add_text(n->value, "failed", n->failed);
    tamis_add_null(n->value, "seconds");
    tamis_note(cx, "%s failed: %s", n->label, n->failed);
    return tamis_status(cx);
}

/* FILE.1, FILE.2, ... beside the checkpoint FILE, one per contender; NULL without one, or with the sentence in cx. */
static char *file_for(tamis_context *cx, const char *checkpoint, size_t k)
{
    char *file = NULL;
    struct tamis_text t = {.cx = cx};
    if (!checkpoint) return NULL;
    tamis_text_printf(&t, "%s.%zu", checkpoint, k + 1);
    tamis_text_take(&t, &file, NULL);
    return file;
}

static int trials_run(struct tamis_comparison *x, struct tamis_run *run, const tamis_options *o, size_t k,
                      const char *label)
{
    tamis_context *cx = run->cx;
    struct tamis_contender *n = &x->contender[k];
    x->contenders = k + 1;                              /* from here on tamis_comparison_free frees it */
    char *file = file_for(cx, run->checkpoint, k), part[64];
    tamis_snprintf(part, sizeof part, "contender %zu", k + 1);
    tamis_items_part(cx, part);
    n->label = tamis_strdup(cx, label);
    n->trial = tamis_trials_new(cx, x->resample->trials);
    int status = tamis_status(cx);
    struct tamis_trials t = {cx, run->data, o, x->resample, label, file, run->fingerprint + x->resample->trials, 1,
                             n->trial};
    if (!status) status = tamis_trials_run(&t);
    tamis_free(file);
    if (status == TAMIS_ELSEWHERE) return tamis_items_go_on(cx, status);
    return status ? failure_keep(cx, n, status) : summary_fill(cx, x, k, run->encoder);
}

/* All folds of one contender; the first contender also draws them. */
static int contender_run(tamis_context *cx, const tamis_table *data, const tamis_options *given,
                         struct tamis_comparison *x, size_t k, size_t contenders, const char *label)
{
    struct tamis_run run = {.cx = cx, .data = data};
    tamis_options *o = tamis_contender_options(cx, given, label);
    if (!o) return tamis_status(cx);
    tamis_mute(cx, k > 0);
    int status = tamis_run_prepare(&run, o);
    tamis_mute(cx, 0);
    if (!status && !k) status = comparison_begin(x, &run, contenders);
    if (!status && !k) head_add(x, &run);
    if (!status) status = trials_run(x, &run, o, k, label);
    tamis_run_finish(&run);
    tamis_options_free(o);
    return status;
}

/* ---- the call ---- */

void tamis_comparison_free(tamis_comparison *x)
{
    if (!x) return;
    for (size_t k = 0; k < x->contenders; k++) {
        struct tamis_contender *n = &x->contender[k];
        tamis_trials_free(n->trial, x->resample->trials);
        tamis_value_free(n->value);
        tamis_free(n->label);
        tamis_free(n->failed);
    }
    tamis_resample_free(x->resample);
    tamis_free(x->contender);
    tamis_free(x->difference);
    tamis_value_free(x->unfit);
    tamis_value_free(x->value);
    tamis_free(x);
}

const tamis_value *tamis_comparison_value(const tamis_comparison *c) { return c->value; }

static int usage_check(tamis_context *cx, const tamis_options *o)
{
    static const char *const rejected[] = {"method", "bootstrap", "holdout", "test-inputs", "test-draws"};
    for (size_t i = 0; i < sizeof rejected / sizeof *rejected; i++)
        if (tamis_options_get(o, rejected[i]))
            return tamis_fail(cx, TAMIS_USAGE, "--%s does not apply to a comparison, whose outer folds use every row",
                              rejected[i]);
    return TAMIS_OK;
}

static void contenders_add(struct tamis_comparison *x)
{
    tamis_value *methods = tamis_add_list(x->value, "methods");
    for (size_t k = 0; k < x->contenders; k++) {
        tamis_add_child(methods, NULL, x->contender[k].value);
        x->contender[k].value = NULL;
    }
    tamis_add_child(x->value, "not_for", x->unfit);
    x->unfit = NULL;
    tamis_differences_add(x);
}

static int tail_add(tamis_context *cx, const tamis_table *data, const tamis_options *o, struct tamis_comparison *x,
                    double began)
{
    struct tamis_common common = {0};
    size_t notes;
    const char *const *note = tamis_notes(cx, &notes);
    int status = tamis_options_read(cx, o, tamis_common_options, &common);
    if (!status && common.evidence)
        status = tamis_evidence_table(cx, data, NULL, tamis_add_record(x->value, "evidence"));
    tamis_add_texts(x->value, "notes", note, notes);
    tamis_notes_clear(cx);
    tamis_add_number(x->value, "seconds", tamis_clock() - began);
    tamis_add_number(x->value, "threads", tamis_threads(cx));
    return status ? status : tamis_status(cx);
}

/* ---- what they take ---- */

/* Of one run on all rows. */
static int contender_cost(tamis_context *cx, const tamis_table *data, const tamis_options *given, const char *label,
                          double *bytes, double *flops)
{
    struct tamis_run run = {.cx = cx, .data = data};
    struct tamis_cost cost = {0};
    tamis_options *o = tamis_contender_options(cx, given, label);
    tamis_mute(cx, 1);
    int status = o ? tamis_run_prepare(&run, o) : tamis_status(cx);
    if (!status) status = run.method->cost(&run, &cost);
    tamis_mute(cx, 0);
    tamis_run_finish(&run);
    tamis_options_free(o);
    *bytes = cost.bytes;
    *flops = cost.flops * tamis_stability_runs(&run.common) + 1;
    return status;
}

/* ---- which of them ---- */

/* The default method; with row weights, the first that takes them. */
static const char *plain_name(const tamis_options *o)
{
    size_t i = 0;
    while (tamis_options_get(o, "row-weights") && tamis_method_at(i + 1) && !tamis_method_at(i)->weights) i++;
    return tamis_method_at(i)->name;
}

/* A run of the default method with what it takes of the options: the target and rows that all contenders share. */
static int plain_prepare(struct tamis_run *plain, const tamis_options *o, tamis_options **own)
{
    if (!(*own = tamis_contender_options(plain->cx, o, plain_name(o)))) return tamis_status(plain->cx);
    tamis_options_unset(*own, "as-published");          /* the default method is not from a paper */
    tamis_mute(plain->cx, 1);
    int status = tamis_run_prepare(plain, *own);
    tamis_mute(plain->cx, 0);
    return status;
}

/* Moves the labels that can learn the target to the front of the list; the others go to x->unfit. */
static int fitting_keep(struct tamis_comparison *x, const struct tamis_run *plain, const tamis_options *o,
                        const char **label, size_t *count)
{
    char why[TAMIS_UNFIT];
    size_t fitting = 0;
    x->unfit = tamis_list_new(plain->cx);
    for (size_t k = 0; k < *count; k++) {
        if (tamis_contender_unfit(plain, o, label[k], why)) return tamis_status(plain->cx);
        tamis_value *one = *why ? tamis_add_record(x->unfit, NULL) : NULL;
        tamis_add_text(one, "method", label[k]);
        tamis_add_text(one, "why", why);
        if (!*why) label[fitting++] = label[k];
    }
    if (!fitting && *count)
        tamis_fail(plain->cx, TAMIS_USAGE, "--methods %s: %s; 'tamis methods' lists what each method is for", label[0],
                   why);
    *count = fitting;
    return tamis_status(plain->cx);
}

/* The labels that will run; NULL with the sentence in cx. */
static const char **contenders_find(struct tamis_comparison *x, tamis_context *cx, const tamis_table *data,
                                    const tamis_options *o, size_t *count)
{
    struct settings s = {{0, NULL}};
    struct tamis_run plain = {.cx = cx, .data = data};
    tamis_options *own = NULL;
    const char **label = NULL;
    int status = usage_check(cx, o);
    if (!status) status = tamis_options_read(cx, o, tamis_compare_options, &s);
    if (!status) status = plain_prepare(&plain, o, &own);
    if (!status && (label = tamis_contenders_list(&plain, &s.methods, count)))
        status = tamis_contenders_usage(cx, o, label, *count);
    if (!status && label) status = fitting_keep(x, &plain, o, label, count);
    tamis_run_finish(&plain);
    tamis_options_free(own);
    if (!tamis_status(cx)) return label;
    tamis_free(label);
    return NULL;
}

static int failures_check(tamis_context *cx, const struct tamis_comparison *x)
{
    size_t failed = 0;
    for (size_t k = 0; k < x->contenders; k++) failed += x->contender[k].failed != NULL;
    if (failed < x->contenders) return TAMIS_OK;
    return tamis_fail(cx, TAMIS_NUMERIC, "every method failed; %s: %s", x->contender[0].label, x->contender[0].failed);
}

static int compare_all(tamis_context *cx, const tamis_table *data, const tamis_options *o, struct tamis_comparison *x)
{
    double began = tamis_clock();
    size_t count = 0;
    const char **label = contenders_find(x, cx, data, o, &count);
    double *flops = tamis_new(cx, double, count + 1), bytes, done = 0, all = 0;
    int status = tamis_status(cx);
    for (size_t k = 0; !status && k < count; k++) {
        if ((status = contender_cost(cx, data, o, label[k], &bytes, &flops[k]))) status = tamis_forgive(cx, TAMIS_OK);
        all += flops[k];
    }
    for (size_t k = 0; !status && k < count; done += flops[k++]) {
        struct tamis_span before = tamis_span_enter(cx, done / all, (done + flops[k]) / all, NULL);
        status = contender_run(cx, data, o, x, k, count, label[k]);
        tamis_span_leave(cx, before);
    }
    tamis_free(flops);
    if (!status && tamis_parts_only(cx)) {
        tamis_free(label);
        return TAMIS_OK;
    }
    if (!status) status = failures_check(cx, x);
    if (!status) status = tamis_differences_fill(cx, x);
    if (!status) contenders_add(x);
    if (!status) status = tail_add(cx, data, o, x, began);
    tamis_free(label);
    return status;
}

/* The same on the rows that count (--row-weights). */
static int split_check(tamis_context *cx, const tamis_options *o)
{
    struct tamis_common common = {0};
    int status = tamis_options_read(cx, o, tamis_common_options, &common);
    if (status || !common.split_rows) return status;
    return tamis_fail(cx, TAMIS_USAGE,
                      "--split-rows is for 'tamis select'; a comparison needs all rows in every process");
}

static int compare_weighed(tamis_context *cx, const tamis_table *data, const tamis_options *o,
                           struct tamis_comparison *x)
{
    struct tamis_weighing w = {0};
    int status = split_check(cx, o);
    if (!status) status = tamis_weighing_begin(cx, o, &data, NULL, &w);
    if (!status) status = tamis_parts_begin(cx, "comparison", data, NULL, o);
    if (!status) status = compare_all(cx, data, o, x);
    tamis_weighing_end(&w);
    return status;
}

int tamis_compare(tamis_context *cx, const tamis_table *data, const tamis_options *o, tamis_comparison **out)
{
    TAMIS_CALL(cx);
    *out = NULL;
    if (tamis_check_cancel(cx)) return tamis_status(cx);
    struct tamis_resources before = tamis_resources_apply(cx, o);
    struct tamis_comparison *x = tamis_new(cx, struct tamis_comparison, 1);
    struct tamis_span span = tamis_span_enter(cx, 0, 1, NULL);
    struct tamis_watch watch = tamis_watch_begin(cx);
    int blas = tamis_blas_begin(cx), status = blas ? blas : x ? compare_weighed(cx, data, o, x) : tamis_status(cx);
    tamis_span_leave(cx, span);
    tamis_watch_end(watch);
    if (!blas) tamis_blas_end();
    tamis_resources_restore(cx, before);
    if (!status) status = tamis_status(cx);
    if (!status && tamis_parts_only(cx)) tamis_parts_end(cx);
    else if (!status) *out = x;
    if (!*out) tamis_comparison_free(x);
    return status;
}

/* ---- the estimate ---- */

static int plan_fill(tamis_context *cx, const tamis_table *data, const tamis_options *o, struct tamis_comparison *x,
                     tamis_value *plan)
{
    struct tamis_common common = {0};
    size_t count = 0;
    const char **label = contenders_find(x, cx, data, o, &count);
    int status = label ? tamis_options_read(cx, o, tamis_common_options, &common) : tamis_status(cx);
    double folds = (double)(common.outer ? common.outer : DEFAULT_FOLDS), bytes, flops;
    tamis_add_number(plan, "folds", folds);
    tamis_add_number(plan, "repeats", (double)common.repeats);
    tamis_value *methods = tamis_add_list(plan, "methods");
    for (size_t k = 0; k < count && !status; k++) {
        status = contender_cost(cx, data, o, label[k], &bytes, &flops);
        tamis_value *one = tamis_add_record(methods, NULL);
        tamis_add_text(one, "method", label[k]);
        tamis_add_number(one, "bytes", bytes);
        tamis_add_number(one, "flops", flops * tamis_part_of_run((folds - 1) / folds) * folds * (double)common.repeats);
    }
    tamis_add_child(plan, "not_for", x->unfit);
    x->unfit = NULL;
    tamis_free(label);
    return status ? status : tamis_status(cx);
}

int tamis_compare_estimate(tamis_context *cx, const tamis_table *data, const tamis_options *o, tamis_value **out)
{
    TAMIS_CALL(cx);
    *out = NULL;
    if (tamis_check_cancel(cx)) return tamis_status(cx);
    struct tamis_resources before = tamis_resources_apply(cx, o);
    struct tamis_comparison *x = tamis_new(cx, struct tamis_comparison, 1);
    tamis_value *plan = tamis_record_new(cx);
    struct tamis_weighing w = {0};
    struct tamis_watch watch = tamis_watch_begin(cx);
    int status = x && plan ? tamis_weighing_begin(cx, o, &data, NULL, &w) : tamis_status(cx);
    if (!status) status = plan_fill(cx, data, o, x, plan);
    tamis_watch_end(watch);
    if (!status) status = tamis_stopped(cx);
    tamis_weighing_end(&w);
    tamis_resources_restore(cx, before);
    tamis_comparison_free(x);
    if (!status) *out = plan;
    else tamis_value_free(plan);
    return status;
}
