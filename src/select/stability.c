/* --stability: the inputs that the method selects in so many half-samples that few of them can be false.
 *
 * B random splits of the rows into two halves give 2 B runs of the method (resample.c). The stable set holds the inputs
 * selected in at least a share tau of them, where tau is the least share above 1/2 for which the bound of Shah and
 * Samworth on the expected number of selected inputs of low selection probability (num/stability_bound.c) is at most
 * the user's. q is the mean number of inputs that the halves select, p the number of inputs that can be selected or
 * not; those of --must and constants are not among them. A smaller set than the stable one keeps its bound, so
 * --max-inputs raises tau where needed. The model is the method's own with these inputs alone.
 *
 * [1] R. D. Shah, R. J. Samworth, Variable selection with error control: another look at stability selection, JRSS B 75
 * (2013). */
#include <math.h>
#include <string.h>
#include "num/stability_bound.h"
#include "select/constraints.h"
#include "select/held.h"
#include "select/method.h"
#include "select/resample.h"

static const double halves_end = 0.95;          /* of the progress scale; the rest is for the model */
static const char *const own[] = {"stability", "stability-pairs", "stability-assume"};
enum { OWN = sizeof own / sizeof *own,
       PAIRS = 50 };                            /* [1]: more change the bounds little */

struct stable {
    struct tamis_run *run;
    struct tamis_resample *half;
    struct tamis_trial *trial;
    struct tamis_trials_summary summary;
    unsigned char *fixed, *set;                 /* of each input: of --must or constant; in the stable set */
    double *frequency;
    struct tamis_stability s;
    enum tamis_stability_assumption assumption;
    size_t times, chosen;                       /* half-samples that must select an input, 0: no number will do */
    int crowded;                                /* because too many inputs are selected in all of them */
};

/* ---- what can be asked ---- */

int tamis_stability_check(const struct tamis_run *run)
{
    static const char *const no_use[] = {"cost", "budget"};
    const struct tamis_common *m = &run->common;
    for (size_t i = 1; i < OWN && !(m->stability > 0); i++)
        if (tamis_options_get(run->given, own[i]))
            return tamis_fail(run->cx, TAMIS_USAGE, "--%s needs --stability Q", own[i]);
    if (!(m->stability > 0)) return TAMIS_OK;
    if (run->method->bounds)
        return tamis_fail(run->cx, TAMIS_USAGE, "--stability and --fdr both bound false inputs; give one of them");
    if (m->bootstrap)
        return tamis_fail(run->cx, TAMIS_USAGE, "--stability and --bootstrap both resample the rows; give one of them");
    if (run->search && run->search->keeps)
        return tamis_fail(run->cx, TAMIS_USAGE,
                          "--stability needs a method that leaves inputs out; %s keeps all: give --select forward",
                          run->method->name);
    for (size_t i = 0; i < sizeof no_use / sizeof *no_use; i++)
        if (tamis_options_get(run->given, no_use[i]))
            return tamis_fail(run->cx, TAMIS_USAGE,
                              "--stability selects by frequency alone and cannot be combined with --%s", no_use[i]);
    return TAMIS_OK;
}

double tamis_stability_runs(const struct tamis_common *m)
{
    return m->stability > 0 ? 1 + 2 * (double)m->pairs * tamis_part_of_run(0.5) : 1;
}

void tamis_stability_skip(tamis_options *o)
{
    for (size_t i = 0; i < OWN; i++) tamis_options_unset(o, own[i]);
}

/* ---- the half-samples ---- */

static int halves_run(struct stable *t)
{
    struct tamis_run *run = t->run;
    tamis_options *o = tamis_options_copy(run->cx, run->given);
    struct tamis_span before = tamis_span_enter(run->cx, 0, halves_end, NULL);
    if (o) tamis_stability_skip(o);
    if (o) t->half = tamis_resample_halves(run, run->common.pairs);
    int status = t->half ? tamis_trials_of(run, o, t->half, "stability", run->checkpoint, &t->trial, &t->summary)
                         : tamis_status(run->cx);
    tamis_span_leave(run->cx, before);
    tamis_options_free(o);
    return status;
}

/* ---- the stable set ---- */

static int fixed_fill(struct stable *t)
{
    struct tamis_constraints w = {0};
    int status = t->run->method->constraints ? tamis_constraints_read(t->run, &w) : TAMIS_OK;
    for (size_t i = 0; i < t->half->inputs && !status; i++) {
        if (w.must && w.must[i]) t->set[i] = t->fixed[i] = 1;
        if (t->run->encoder->input[i].constant) t->fixed[i] = 1;
    }
    tamis_constraints_free(&w);
    return status;
}

static void numbers_fill(struct stable *t)
{
    t->s.pairs = t->run->common.pairs;
    for (size_t i = 0; i < t->half->inputs; i++) {
        t->frequency[i] = tamis_trials_frequency(t->half, t->trial, i);
        if (t->fixed[i]) continue;
        t->s.p++;
        t->s.q += t->frequency[i];
    }
}

/* Inputs selected at least so often, and those of --must. */
static size_t set_fill(struct stable *t, size_t times)
{
    size_t n = 0;
    for (size_t i = 0; i < t->half->inputs; i++) {
        double count = t->frequency[i] * (double)t->half->trials;
        if (!t->fixed[i]) t->set[i] = times && count > (double)times - 0.5;
        n += t->set[i];
    }
    return n;
}

static int choose(struct stable *t)
{
    const struct tamis_common *m = &t->run->common;
    size_t most = 0;
    t->assumption = !strcmp(m->assumption, "nothing")    ? TAMIS_STABLE_NONE
                    : !strcmp(m->assumption, "unimodal") ? TAMIS_STABLE_UNIMODAL
                                                         : TAMIS_STABLE_CONCAVE;
    int status = fixed_fill(t);
    if (!status) status = tamis_constraints_most(t->run, &most);
    if (status) return status;
    numbers_fill(t);
    t->times = t->s.p > 0 ? tamis_stability_times(&t->s, t->assumption, m->stability) : 0;
    t->chosen = set_fill(t, t->times);
    while (most && t->chosen > most && t->times && t->times <= t->half->trials) t->chosen = set_fill(t, ++t->times);
    t->crowded = t->times > t->half->trials;
    if (t->crowded) t->times = 0;
    return TAMIS_OK;
}

/* ---- the model ---- */

static tamis_options *model_options(const struct stable *t)
{
    const struct tamis_run *run = t->run;
    tamis_options *o = tamis_options_copy(run->cx, run->options);
    if (!o) return NULL;
    tamis_stability_skip(o);
    tamis_options_set(o, "method", run->method->name);
    if (run->method->constraints) tamis_path_skip(run, t->set, o);
    return o;
}

/* The model, its errors and the relevance of its inputs move to the result of the run. */
static void part_take(struct tamis_run *run, struct tamis_run *part, double *relevance)
{
    struct tamis_result *to = run->result, *from = part->result;
    to->model = tamis_result_take_model(from);
    to->held_out = from->held_out;
    from->held_out = NULL;
    to->error = from->error;
    to->error_se = from->error_se;
    to->criterion = from->criterion;
    to->error_name = from->error_name;
    to->error_label = from->error_label;
    for (size_t j = 0; j < from->inputs; j++)
        for (size_t i = 0; i < to->inputs; i++)
            if (!strcmp(from->name[j], to->name[i])) relevance[i] = from->input[j].relevance;
}

static int part_fit(struct stable *t, double *relevance)
{
    struct tamis_run *run = t->run;
    const struct tamis_split rows = {.learn = run->row, .learns = run->rows};
    struct tamis_run part = {.cx = run->cx, .data = run->data, .split = &rows, .only = t->set};
    tamis_options *o = model_options(t);
    int status = tamis_status(run->cx), mute = tamis_mute(run->cx, 1);
    if (!status) status = tamis_run_prepare(&part, o);
    part.checkpoint = NULL;
    if (!status) status = tamis_run_select(&part);
    if (!status) part_take(run, &part, relevance);
    tamis_mute(run->cx, mute);
    tamis_run_finish(&part);
    tamis_options_free(o);
    return status;
}

static int constant_fit(struct tamis_run *run)
{
    const struct tamis_criterion *c = run->criterion;
    run->result->criterion = c ? c->name : run->method->name;
    run->result->error_name = c ? c->error_name : "constant";
    run->result->error_label = c ? c->label : "error of the best constant";
    return tamis_constant_fit(run);
}

static int model_fill(struct stable *t)
{
    struct tamis_run *run = t->run;
    double *relevance = tamis_raw(run->cx, double, t->half->inputs);
    struct tamis_span before = tamis_span_enter(run->cx, halves_end, 1, NULL);
    for (size_t i = 0; relevance && i < t->half->inputs; i++) relevance[i] = NAN;
    int status = relevance ? t->chosen ? part_fit(t, relevance) : constant_fit(run) : tamis_status(run->cx);
    if (!status && run->test) status = tamis_model_error(run->cx, run->result->model, run->test, &run->result->test);
    if (!status) status = tamis_result_rank(run->cx, run->result, t->set, relevance, t->frequency);
    tamis_span_leave(run->cx, before);
    tamis_free(relevance);
    return status;
}

/* ---- what it was chosen by ---- */

/* The bounds at the threshold, or at 1 if there is none. */
static void bounds_add(const struct stable *t, tamis_value *v)
{
    size_t times = t->times ? t->times : t->half->trials;
    int any = t->s.p > 0;
    tamis_value *b = tamis_add_record(v, "bounds");
    tamis_add_number(b, "r_concave", any ? tamis_stability_bound(&t->s, TAMIS_STABLE_CONCAVE, times) : 0);
    tamis_add_number(b, "unimodal", any ? tamis_stability_bound(&t->s, TAMIS_STABLE_UNIMODAL, times) : 0);
    tamis_add_number(b, "nothing", any ? tamis_stability_bound(&t->s, TAMIS_STABLE_NONE, times) : 0);
}

static int block_fill(struct stable *t)
{
    struct tamis_run *run = t->run;
    tamis_value *v = run->result->stable = tamis_record_new(run->cx);
    tamis_add_number(v, "bound", run->common.stability);
    tamis_add_text(v, "assumption", run->common.assumption);
    tamis_add_number(v, "pairs", (double)t->s.pairs);
    tamis_add_number(v, "candidates", t->s.p);
    tamis_add_number(v, "q", t->s.q);
    tamis_add_number(v, "theta", t->s.p > 0 ? t->s.q / t->s.p : 0);
    tamis_add_number(v, "threshold", t->times ? (double)t->times / (double)t->half->trials : NAN);
    bounds_add(t, v);
    tamis_add_trials(v, run->encoder, t->half, t->trial, &t->summary);
    int status = tamis_trials_keep(run, "stability", t->half, t->trial);
    for (size_t i = 0; i < t->half->inputs; i++) run->result->input[i].frequency = t->frequency[i];
    run->result->stability = t->summary.stability;
    return status ? status : tamis_status(run->cx);
}

/* The largest whole number of inputs per half-sample for which some threshold keeps the bound; 0: none. */
static size_t most_for(const struct stable *t)
{
    struct tamis_stability s = t->s;
    for (s.q = ceil(t->s.q) - 1; s.q >= 1; s.q--)
        if (tamis_stability_times(&s, t->assumption, t->run->common.stability)) return (size_t)s.q;
    return 0;
}

static void nothing_note(const struct stable *t)
{
    tamis_context *cx = t->run->cx;
    double q = t->s.q, bound = t->run->common.stability;
    struct tamis_stability more = t->s;
    size_t most = most_for(t);
    if (more.pairs < PAIRS) more.pairs = PAIRS;
    if (t->crowded) {
        tamis_note(cx, "more inputs than --max-inputs allows are selected in every half-sample; raise it");
        return;
    }
    tamis_note(cx,
               "half-samples select %.3g of %.0f inputs on average, too many for any threshold to keep --stability %g",
               q, t->s.p, bound);
    if (tamis_stability_times(&more, t->assumption, bound))
        tamis_note(cx, "for a stable set, give --stability-pairs %d", PAIRS);
    else if (most && t->run->method->constraints)
        tamis_note(cx, "for a stable set, let half-samples select fewer with --max-inputs %zu, or raise --stability",
                   most);
    else if (most)
        tamis_note(cx, "for a stable set, use a method that selects at most %zu inputs, or raise --stability", most);
    else tamis_note(cx, "for a stable set, raise --stability or add candidate inputs");
}

/* ---- inputs that may stand in for others ---- */

enum { PAIR_ROWS = 2000 };
static const double alike = 0.7;                /* |r|: half of the variance is shared */

/* The largest |r| of the input with another; *like: that input. */
static double likeness(const struct stable *t, size_t input, size_t *like)
{
    const struct tamis_design *d = t->run->design;
    double most = 0;
    for (size_t i = 0; i < d->inputs; i++) {
        double r = i == input ? 0 : tamis_design_likeness(d, input, i, PAIR_ROWS);
        if (r > most) most = r, *like = i;
    }
    return most;
}

/* Where a method selects an input for another one, its selection probability may be high, and no bound counts it. */
static void alike_note(const struct stable *t)
{
    const struct tamis_encoder *e = t->run->encoder;
    size_t count = 0, first = 0, like = 0, other = 0;
    double most = 0;
    for (size_t i = 0; i < t->half->inputs; i++) {
        double r = t->set[i] && !t->fixed[i] ? likeness(t, i, &other) : 0;
        count += r >= alike;
        if (r >= alike && r > most) most = r, first = i, like = other;
    }
    if (count)
        tamis_note(t->run->cx,
                   "%zu of the stable inputs %s |r| of %g or more with another input (%s with %s: %.2f): the bound does "
                   "not count an input that only stands in for another",
                   count, count == 1 ? "has" : "have", alike, e->input[first].name, e->input[like].name, most);
}

static void notes_write(const struct stable *t)
{
    const struct tamis_run *run = t->run;
    size_t model = run->result->model ? run->result->model->encoder->inputs : t->chosen;
    if (!t->times && t->s.p > 0) nothing_note(t);
    else
        tamis_note(
            run->cx,
            "selected in a share of at least %.3g of the half-samples; at most %g of these inputs are expected to "
            "be false, if false inputs are selected no more often than the average one (%.3g)",
            (double)t->times / (double)t->half->trials, run->common.stability, t->s.q / t->s.p);
    if (t->times) alike_note(t);
    if (model < t->chosen)
        tamis_note(run->cx, "%s uses %zu of the %zu stable inputs in its model", run->method->name, model, t->chosen);
}

/* ---- the run ---- */

static void finish(struct stable *t)
{
    if (t->half) tamis_trials_free(t->trial, t->half->trials);
    tamis_resample_free(t->half);
    tamis_free(t->fixed);
    tamis_free(t->set);
    tamis_free(t->frequency);
}

int tamis_stability_select(struct tamis_run *run)
{
    struct stable t = {.run = run};
    size_t inputs = run->encoder->inputs;
    t.fixed = tamis_new(run->cx, unsigned char, inputs);
    t.set = tamis_new(run->cx, unsigned char, inputs);
    t.frequency = tamis_new(run->cx, double, inputs);
    int status = tamis_status(run->cx) ? tamis_status(run->cx) : halves_run(&t);
    if (!status) status = choose(&t);
    if (!status) status = model_fill(&t);
    if (!status) status = block_fill(&t);
    if (!status) notes_write(&t);
    finish(&t);
    return status;
}
