/* tamis_select: from a table and options to a result. */
#include <math.h>
#include <string.h>
#include "base/blas.h"
#include "evidence/evidence.h"
#include "select/resample.h"

/* ---- the result ---- */

static char *copy(struct tamis_call *c, const char *s) { return s ? tamis_strdup(c->cx, s) : NULL; }

/* "y", or with several "a,b" as --target has them. */
static char *targets_joined(struct tamis_call *c)
{
    struct tamis_text t = {.cx = c->cx};
    tamis_text_puts(&t, c->encoder->target);
    for (size_t o = 0; o < c->encoder->more; o++) {
        tamis_text_puts(&t, ",");
        tamis_text_puts(&t, c->encoder->more_target[o]);
    }
    if (!t.failed) return t.s;
    tamis_text_free(&t);
    return NULL;
}

static int echo_command(struct tamis_call *c, struct tamis_outcome *o)
{
    char **word;
    int n = tamis_options_words(c->options, &word);
    o->word = tamis_strings_copy(c->cx, (const char *const *)word, (size_t)n, &o->words);
    return tamis_status(c->cx);
}

/* Every option of the method, its criterion and its search, as given or by default: a JSON object. */
static void echo_options(struct tamis_call *c, struct tamis_text *t)
{
    struct tamis_option_table used[TAMIS_TABLES];
    int first = 1;
    tamis_plan_tables(&c->run.plan, used);
    tamis_text_puts(t, "{");
    for (const struct tamis_option_table *u = used + TAMIS_FIRST_OWN; u->part; u++)
        for (const struct tamis_option *r = u->rows; r->name; r++) {
            const char *text = tamis_options_text(c->options, r);
            tamis_text_puts(t, first ? "" : ", ");
            tamis_text_json(t, r->name);
            tamis_text_puts(t, ": ");
            if (r->type == TAMIS_FLAG) tamis_text_puts(t, text && strcmp(text, "no") ? "true" : "false");
            else tamis_text_json(t, text);
            first = 0;
        }
    tamis_text_puts(t, "}");
}

static int result_fill(struct tamis_call *c, struct tamis_outcome *o, double began)
{
    tamis_result *r = &o->open;
    r->method = o->method = copy(c, c->run.plan.method->name);
    r->picked = o->picked = copy(c, *c->why ? c->why : NULL);
    r->target = o->target = targets_joined(c);
    r->file = o->file = copy(c, c->data->file);
    r->task = c->encoder->classes ? "classification" : "regression";
    r->units = c->encoder->classes     ? "share of rows misclassified"
               : c->common.standardize ? "mean squared error of the standardised target"
                                       : "mean squared error of the target";
    if (c->run.plan.criterion && c->run.plan.criterion->units) r->units = c->run.plan.criterion->units;
    r->dropped = c->dropped;
    r->test_rows = c->test ? c->test->rows : 0;
    r->seed = c->common.seed;
    r->threads = tamis_threads(c->cx);
    r->seconds = tamis_clock() - began;
    echo_command(c, o);
    echo_options(c, &o->options);
    if (tamis_text_status(&o->options)) return tamis_status(c->cx);
    return tamis_outcome_notes(c->cx, o);
}

int tamis_select(tamis_context *cx, const tamis_table *data, const tamis_table *test, const tamis_options *o,
                 tamis_result **out)
{
    struct tamis_call c = {.cx = cx, .data = data, .test_table = test};
    struct tamis_outcome *found = NULL;
    double began = tamis_clock();
    *out = NULL;
    if (tamis_begin(cx)) return TAMIS_STOPPED;
    struct tamis_resources before = tamis_resources_apply(cx, o);
    int blas = tamis_blas_begin(cx), status = blas;
    if (!status) status = tamis_call_prepare(&c, o);
    if (!status) status = tamis_call_run(&c, &found);
    if (!status) status = tamis_outer_run(&c, found);
    if (!status) status = result_fill(&c, found, began);
    if (!status && c.common.evidence) status = tamis_evidence_fill(&c.run, data, test);
    if (status) tamis_outcome_free(found);
    else *out = &found->open;
    tamis_call_finish(&c);
    if (!blas) tamis_blas_end();
    tamis_resources_restore(cx, before);
    return status;
}

int tamis_estimate(tamis_context *cx, const tamis_table *data, const tamis_options *o, double *bytes, double *flops)
{
    struct tamis_call c = {.cx = cx, .data = data};
    struct tamis_cost cost = {0, 0, NULL};
    if (tamis_begin(cx)) return TAMIS_STOPPED;
    struct tamis_resources before = tamis_resources_apply(cx, o);
    int status = tamis_call_prepare(&c, o);
    if (!status) status = c.run.plan.method->cost(&c.run, &cost);
    tamis_call_finish(&c);
    tamis_resources_restore(cx, before);
    *bytes = cost.bytes;
    *flops = cost.flops;
    return status;
}
