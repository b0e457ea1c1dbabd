/* --outer and --bootstrap of a selection: an unbiased error estimate, and how often each input is chosen. */
#include <math.h>
#include <string.h>
#include "base/text.h"
#include "select/resample.h"

/* ---- as values ---- */

static void add_column(tamis_value *to, const char *key, const struct tamis_trial *trial, size_t trials, size_t offset)
{
    double *x = tamis_add_room(to, key, trials);
    for (size_t k = 0; x && k < trials; k++) x[k] = *(const double *)(const void *)((const char *)&trial[k] + offset);
}

static void add_summary(tamis_value *to, const struct tamis_trials_summary *s)
{
    tamis_value *e = tamis_add_record(to, "error");
    tamis_add_number(e, "mean", s->mean);
    tamis_add_number(e, "sd", s->sd);
    tamis_add_number(e, "se", s->se);
    tamis_add_number(e, "all_inputs", s->all_inputs);
    tamis_add_number(e, "criterion", s->criterion);
    tamis_add_baselines(e, "", &s->baseline);
    tamis_value *n = tamis_add_record(to, "inputs");
    tamis_add_number(n, "mean", s->size_mean);
    tamis_add_number(n, "min", (double)s->size_min);
    tamis_add_number(n, "max", (double)s->size_max);
    tamis_add_number(to, "stability", s->stability);
    tamis_add_number(to, "stability_low", s->low);
    tamis_add_number(to, "stability_high", s->high);
}

void tamis_add_trials(tamis_value *to, const struct tamis_encoder *e, const struct tamis_resample *r,
                      const struct tamis_trial *trial, const struct tamis_trials_summary *s)
{
    add_summary(to, s);
    tamis_value *f = tamis_add_record(to, "frequency");
    for (size_t i = 0; i < e->inputs; i++) tamis_add_number(f, e->input[i].name, tamis_trials_frequency(r, trial, i));
    add_column(to, "errors", trial, r->trials, offsetof(struct tamis_trial, error));
    add_column(to, "errors_all_inputs", trial, r->trials, offsetof(struct tamis_trial, all_inputs));
    add_column(to, "criteria", trial, r->trials, offsetof(struct tamis_trial, criterion));
    tamis_value *sets = tamis_add_list(to, "sets");
    for (size_t k = 0; k < r->trials; k++) tamis_add_set(sets, NULL, e, trial[k].set);
}

/* The trials as users read them; resamples, which come second, replace the outer folds. */
int tamis_trials_keep(struct tamis_run *run, const char *kind, const struct tamis_resample *r,
                      const struct tamis_trial *trial)
{
    struct tamis_result *p = run->result;
    tamis_free(p->trial);
    tamis_free(p->trial_set);
    p->trial = tamis_new(run->cx, tamis_trial_info, r->trials);
    p->trial_set = tamis_raw(run->cx, unsigned char, r->trials * p->inputs);
    p->trials = p->trial && p->trial_set ? r->trials : 0;
    for (size_t k = 0; k < p->trials; k++) {
        size_t size = 0;
        for (size_t i = 0; i < p->inputs; i++) size += trial[k].set[i];
        memcpy(p->trial_set + k * p->inputs, trial[k].set, p->inputs);
        p->trial[k] = (tamis_trial_info){sizeof(tamis_trial_info), kind, size, trial[k].error, trial[k].all_inputs};
    }
    for (size_t i = 0; i < p->inputs && !p->stable; i++) p->input[i].frequency = tamis_trials_frequency(r, trial, i);
    return tamis_status(run->cx);
}

/* ---- the runs ---- */

/* FILE.outer beside the checkpoint FILE; NULL without one, or with the sentence in cx. */
static char *file_beside(tamis_context *cx, const char *checkpoint, const char *what)
{
    char *file = NULL;
    struct tamis_text t = {.cx = cx};
    if (!checkpoint) return NULL;
    tamis_text_printf(&t, "%s.%s", checkpoint, what);
    tamis_text_take(&t, &file, NULL);
    return file;
}

int tamis_trials_of(struct tamis_run *run, const tamis_options *o, const struct tamis_resample *r, const char *what,
                    const char *file, struct tamis_trial **trial, struct tamis_trials_summary *s)
{
    *trial = tamis_trials_new(run->cx, r->trials);
    int status = tamis_status(run->cx);
    struct tamis_trials t = {run->cx, run->data, o, r, what, file, run->fingerprint + r->trials, 0, *trial};
    if (!status) status = tamis_trials_run(&t);
    if (!status) tamis_trials_summarise(r, *trial, s);
    return status;
}

/* The models of the folds learn from fewer rows than the final one. Burman's correction for that, to first order:
 *     nested = mean error of the folds + error of the final model on its own rows
 *              - mean error of the folds' models on all rows.
 * [1] P. Burman, A comparative study of ordinary cross-validation, v-fold cross-validation and the repeated
 * learning-testing methods, Biometrika 76 (1989), eq. 2.3. */
static int corrected(struct tamis_run *run, const struct tamis_trials_summary *s, double *nested)
{
    double own;
    *nested = s->mean;
    if (!run->result->model || isnan(s->whole)) return TAMIS_OK;
    int status = tamis_learnt_error(run, run->result->model, &own);
    *nested = fmax(0, s->mean + own - s->whole);
    return status;
}

static int outer_fill(struct tamis_run *run, const struct tamis_resample *r, const struct tamis_trial *trial,
                      const struct tamis_trials_summary *s)
{
    struct tamis_result *p = run->result;
    int status = corrected(run, s, &p->nested);
    if (!status) status = tamis_trials_keep(run, "outer", r, trial);
    p->nested_se = s->se;
    p->nested_all_inputs = s->all_inputs;
    p->stability = s->stability;
    p->outer_folds = r->folds;
    p->outer_repeats = run->common.repeats;
    p->outer = tamis_record_new(run->cx);
    tamis_add_number(p->outer, "folds", (double)r->folds);
    tamis_add_number(p->outer, "repeats", (double)run->common.repeats);
    tamis_add_trials(p->outer, run->encoder, r, trial, s);
    return status ? status : tamis_status(run->cx);
}

static int bootstrap_fill(struct tamis_run *run, const struct tamis_resample *r, const struct tamis_trial *trial,
                          const struct tamis_trials_summary *s)
{
    struct tamis_result *p = run->result;
    p->stability = s->stability;
    p->bootstrap = tamis_record_new(run->cx);
    tamis_add_number(p->bootstrap, "resamples", (double)run->common.bootstrap);
    tamis_add_trials(p->bootstrap, run->encoder, r, trial, s);
    return tamis_trials_keep(run, "bootstrap", r, trial);
}

typedef int trials_fill(struct tamis_run *, const struct tamis_resample *, const struct tamis_trial *,
                        const struct tamis_trials_summary *);

/* Frees r. */
static int trials_report(struct tamis_run *run, struct tamis_resample *r, const char *what, trials_fill *fill)
{
    struct tamis_trial *trial = NULL;
    struct tamis_trials_summary s;
    char *file = file_beside(run->cx, run->checkpoint, what);
    tamis_items_part(run->cx, what);
    int status = r ? tamis_trials_of(run, run->given, r, what, file, &trial, &s) : tamis_status(run->cx);
    tamis_text_free(&(struct tamis_text){.s = file});
    if (!status) status = fill(run, r, trial, &s);
    if (r) tamis_trials_free(trial, r->trials);
    tamis_resample_free(r);
    return tamis_items_go_on(run->cx, status);          /* the next trials do not need these */
}

double tamis_part_of_run(double share) { return pow(share, 1.5); }      /* most methods: between n and n^3 */

static double outer_runs(const struct tamis_common *m)
{
    double k = (double)m->outer;
    return k > 1 ? k * (double)m->repeats * tamis_part_of_run((k - 1) / k) : 0;
}

double tamis_outer_runs(const struct tamis_run *run)
{
    return 1 + outer_runs(&run->common) + (double)run->common.bootstrap * tamis_part_of_run(0.632);
}

int tamis_outer_run(struct tamis_run *run)
{
    const struct tamis_common *m = &run->common;
    double all = tamis_outer_runs(run), middle = (1 + outer_runs(m)) / all;
    struct tamis_span before = tamis_span_enter(run->cx, 1 / all, middle, NULL);
    int status = TAMIS_OK;
    if (m->outer) status = trials_report(run, tamis_resample_folds(run, m->outer, m->repeats), "outer", outer_fill);
    tamis_span_leave(run->cx, before);
    if (status || !m->bootstrap) return status;
    before = tamis_span_enter(run->cx, middle, 1, NULL);
    status = trials_report(run, tamis_resample_bootstrap(run, m->bootstrap), "bootstrap", bootstrap_fill);
    tamis_span_leave(run->cx, before);
    return status;
}
