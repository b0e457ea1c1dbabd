/* --outer and --bootstrap of a selection: its honest error, and how often the same inputs come out. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "base/text.h"
#include "select/resample.h"

/* ---- JSON ---- */

static void list(struct tamis_text *t, const char *name, const struct tamis_trial *trial, size_t trials, size_t offset)
{
    tamis_text_printf(t, ", \"%s\": [", name);
    for (size_t k = 0; k < trials; k++) {
        if (k) tamis_text_puts(t, ", ");
        tamis_text_number(t, *(const double *)(const void *)((const char *)&trial[k] + offset));
    }
    tamis_text_puts(t, "]");
}

static void sets_list(struct tamis_text *t, const struct tamis_encoder *e, const struct tamis_trial *trial,
                      size_t trials)
{
    tamis_text_puts(t, ", \"sets\": [");
    for (size_t k = 0; k < trials; k++) {
        int first = 1;
        tamis_text_puts(t, k ? ", [" : "[");
        for (size_t i = 0; i < e->inputs; i++) {
            if (!trial[k].set[i]) continue;
            if (!first) tamis_text_puts(t, ", ");
            tamis_text_json(t, e->input[i].name);
            first = 0;
        }
        tamis_text_puts(t, "]");
    }
    tamis_text_puts(t, "]");
}

static void pair(struct tamis_text *t, const char *before, double value)
{
    tamis_text_puts(t, before);
    tamis_text_number(t, value);
}

void tamis_trials_json(struct tamis_text *t, const struct tamis_encoder *e, const struct tamis_resample *r,
                       const struct tamis_trial *trial, const struct tamis_trials_summary *s)
{
    pair(t, "\"error\": {\"mean\": ", s->mean);
    pair(t, ", \"sd\": ", s->sd);
    pair(t, ", \"se\": ", s->se);
    pair(t, ", \"all_inputs\": ", s->all_inputs);
    pair(t, ", \"criterion\": ", s->criterion);
    pair(t, "}, \"inputs\": {\"mean\": ", s->size_mean);
    tamis_text_printf(t, ", \"min\": %zu, \"max\": %zu}", s->size_min, s->size_max);
    pair(t, ", \"stability\": ", s->stability);
    pair(t, ", \"stability_low\": ", s->low);
    pair(t, ", \"stability_high\": ", s->high);
    tamis_text_puts(t, ", \"frequency\": {");
    for (size_t i = 0; i < e->inputs; i++) {
        if (i) tamis_text_puts(t, ", ");
        tamis_text_json(t, e->input[i].name);
        pair(t, ": ", tamis_trials_frequency(r, trial, i));
    }
    tamis_text_puts(t, "}");
    list(t, "errors", trial, r->trials, offsetof(struct tamis_trial, error));
    list(t, "errors_all_inputs", trial, r->trials, offsetof(struct tamis_trial, all_inputs));
    list(t, "criteria", trial, r->trials, offsetof(struct tamis_trial, criterion));
    sets_list(t, e, trial, r->trials);
}

/* ---- the runs ---- */

/* FILE.outer beside the checkpoint FILE; NULL without one, or with the sentence in cx. */
static char *beside(tamis_context *cx, const char *checkpoint, const char *what)
{
    struct tamis_text t = {.cx = cx};
    if (!checkpoint) return NULL;
    tamis_text_printf(&t, "%s.%s", checkpoint, what);
    if (!t.failed) return t.s;
    tamis_text_free(&t);
    return NULL;
}

static int trials_of(struct tamis_call *c, const struct tamis_resample *r, const char *what, struct tamis_trial **trial,
                     struct tamis_trials_summary *s)
{
    char *file = beside(c->cx, c->common.checkpoint, what);
    *trial = tamis_trials_new(c->cx, r->trials);
    int status = tamis_status(c->cx);
    if (!status)
        status = tamis_trials_run(c->cx, c->data, c->given, r, what, file, c->run.fingerprint + r->trials, *trial);
    if (!status) tamis_trials_summarise(r, *trial, s);
    tamis_text_free(&(struct tamis_text){.s = file});
    return status;
}

/* The folds' models learn from fewer rows than the one that the user gets. Burman's correction of that, to first order:
 * nested = mean error of the folds + error of the final model on its own rows - mean error of the folds' models on all
 * rows.
 * [1] P. Burman, A comparative study of ordinary cross-validation, v-fold cross-validation and the repeated
 * learning-testing methods, Biometrika 76 (1989), eq. 2.3. */
static int corrected(struct tamis_call *c, const struct tamis_outcome *o, const struct tamis_trials_summary *s,
                     double *nested)
{
    double own;
    *nested = s->mean;
    if (!o->model || isnan(s->whole)) return TAMIS_OK;
    int status = tamis_learnt_error(c, o->model, &own);
    *nested = fmax(0, s->mean + own - s->whole);
    return status;
}

static int outer(struct tamis_call *c, struct tamis_outcome *o)
{
    struct tamis_resample *r = tamis_resample_folds(c, c->common.outer, c->common.repeats);
    struct tamis_trial *trial = NULL;
    struct tamis_trials_summary s;
    int status = r ? trials_of(c, r, "outer", &trial, &s) : tamis_status(c->cx);
    if (!status) status = corrected(c, o, &s, &o->open.nested);
    if (!status) {
        tamis_result *p = &o->open;
        p->nested_se = s.se, p->nested_all_inputs = s.all_inputs, p->stability = s.stability;
        p->outer_folds = c->common.outer, p->outer_repeats = c->common.repeats;
        for (size_t i = 0; i < p->inputs; i++) o->input[i].frequency = tamis_trials_frequency(r, trial, i);
        tamis_text_printf(&o->outer, "{\"folds\": %zu, \"repeats\": %zu, ", c->common.outer, c->common.repeats);
        tamis_trials_json(&o->outer, c->encoder, r, trial, &s);
        tamis_text_puts(&o->outer, "}");
        status = tamis_text_status(&o->outer);
    }
    if (r) tamis_trials_free(trial, r->trials);
    tamis_resample_free(r);
    return status;
}

static int bootstrap(struct tamis_call *c, struct tamis_outcome *o)
{
    struct tamis_resample *r = tamis_resample_bootstrap(c, c->common.bootstrap);
    struct tamis_trial *trial = NULL;
    struct tamis_trials_summary s;
    int status = r ? trials_of(c, r, "bootstrap", &trial, &s) : tamis_status(c->cx);
    if (!status) {
        o->open.stability = s.stability;
        for (size_t i = 0; i < o->open.inputs; i++) o->input[i].frequency = tamis_trials_frequency(r, trial, i);
        tamis_text_printf(&o->bootstrap, "{\"resamples\": %zu, ", c->common.bootstrap);
        tamis_trials_json(&o->bootstrap, c->encoder, r, trial, &s);
        tamis_text_puts(&o->bootstrap, "}");
        status = tamis_text_status(&o->bootstrap);
    }
    if (r) tamis_trials_free(trial, r->trials);
    tamis_resample_free(r);
    return status;
}

int tamis_outer_run(struct tamis_call *c, struct tamis_outcome *o)
{
    int status = c->common.outer ? outer(c, o) : TAMIS_OK;
    return status || !c->common.bootstrap ? status : bootstrap(c, o);
}
