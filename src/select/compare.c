/* tamis_compare: the same outer folds for several methods.
 *
 * Tests of a difference: in regression the corrected resampled t of the errors of the folds (num/agreement.h); in
 * classification the exact binomial test of the rows that only one of two got wrong, in the first repeat: later ones
 * see the same rows again.
 * [1] S. Holm, A simple sequentially rejective multiple test procedure, Scand. J. Statist. 6 (1979). */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include "base/blas.h"
#include "select/comparison.h"
#include "evidence/evidence.h"
#include "num/agreement.h"
#include "num/density.h"

struct settings { struct tamis_names methods; };

const struct tamis_option tamis_compare_options[] = {
    {"methods", TAMIS_NAMES, offsetof(struct settings, methods), NULL, 0, 0, NULL, "A,B,...",
     "those to compare, each with options of its own after colons: search:criterion=mi (default: all for the task)"},
    {0}};

enum { USUAL_FOLDS = 5 };

/* ---- who takes part ---- */

/* The text up to the next colon or the end, copied; *s moves behind it. */
static char *word_next(tamis_context *cx, const char **s)
{
    size_t n = strcspn(*s, ":");
    char *w = tamis_strndup(cx, *s, n);
    *s += n + ((*s)[n] == ':');
    return w;
}

/* "option=value", or a flag. A grid holds colons itself: FROM:TO:COUNT goes on while what follows is a number. */
static int option_next(tamis_context *cx, const char **s, tamis_options *o)
{
    const char *from = *s;
    size_t n = strcspn(from, ":");
    while (from[n] == ':' && strspn(from + n + 1, "0123456789.")) n += 1 + strcspn(from + n + 1, ":");
    char *text = tamis_strndup(cx, from, n), *value = text ? strchr(text, '=') : NULL;
    *s += n + (from[n] == ':');
    if (value) *value++ = 0;
    if (text) tamis_options_set(o, text, value ? value : "");
    tamis_free(text);
    return tamis_status(cx);
}

/* The options of one entrant: those given that it takes, its name, and what stands behind it. */
static tamis_options *entrant_options(tamis_context *cx, const tamis_options *given, const char *label)
{
    const char *s = label;
    char *name = word_next(cx, &s);
    const struct tamis_method *m = name ? tamis_method_find(name) : NULL;
    tamis_options *o = tamis_options_copy(cx, given);
    struct tamis_plan plan = {.method = m};
    struct tamis_option_table used[TAMIS_TABLES];
    if (name && o && !m && strcmp(name, "auto"))
        tamis_fail(cx, TAMIS_USAGE, "--methods %s: there is no such method; 'tamis methods' lists them", name);
    else if (name && o) tamis_options_set(o, "method", name);
    while (*s && !tamis_status(cx)) option_next(cx, &s, o);
    if (!m) plan.method = tamis_method_at(0);           /* auto takes what its usual choice does */
    if (o && !tamis_status(cx) && !plan.method->plan(cx, o, &plan)) {
        tamis_plan_tables(&plan, used);
        tamis_options_keep(o, used);
    }
    tamis_free(name);
    if (!tamis_status(cx)) return o;
    tamis_options_free(o);
    return NULL;
}

/* Every method for the task, as its row says. */
static size_t usual_entrants(int classes, const char **label)
{
    const struct tamis_method *m;
    size_t n = 0;
    for (size_t i = 0; (m = tamis_method_at(i)); i++) {
        if (strcmp(m->task, "both") && strcmp(m->task, classes ? "classification" : "regression")) continue;
        const char *as = classes ? m->in_classification : m->in_regression;
        if (label) label[n] = as ? as : m->name;
        n++;
    }
    return n;
}

/* ---- running ---- */

static void *spread(tamis_context *cx, size_t n, size_t size) { return tamis_alloc(cx, n, size, 1); }

static int match_begin(struct tamis_match *x, struct tamis_call *c, size_t entrants)
{
    tamis_context *cx = c->cx;
    size_t folds = c->common.outer ? c->common.outer : USUAL_FOLDS, repeats = c->common.repeats;
    x->contender = spread(cx, entrants, sizeof *x->contender);
    x->entrant = spread(cx, entrants, sizeof *x->entrant);
    x->difference = spread(cx, entrants * entrants, sizeof *x->difference);
    x->name = spread(cx, c->encoder->inputs, sizeof *x->name);
    x->file = tamis_strdup(cx, c->data->file);
    x->target = tamis_strdup(cx, c->encoder->target);
    for (size_t i = 0; x->name && i < c->encoder->inputs; i++, x->names++)
        if (!(x->name[i] = tamis_strdup(cx, c->encoder->input[i].name))) break;
    if (!tamis_status(cx)) x->resample = tamis_resample_folds(c, folds, repeats);
    x->open = (tamis_comparison){.file = x->file,
                                 .target = x->target,
                                 .task = c->encoder->classes ? "classification" : "regression",
                                 .units = c->encoder->classes     ? "share of rows misclassified"
                                          : c->common.standardize ? "mean squared error of the standardised target"
                                                                  : "mean squared error of the target",
                                 .rows = c->rows,
                                 .inputs = c->encoder->inputs,
                                 .input = (const char *const *)x->name,
                                 .folds = folds,
                                 .repeats = repeats,
                                 .seed = c->common.seed,
                                 .contender = x->contender,
                                 .difference = x->difference,
                                 .test = c->encoder->classes ? "exact binomial test of rows that only one got wrong"
                                                             : "corrected resampled t"};
    return tamis_status(cx);
}

static int entrant_summary(tamis_context *cx, struct tamis_match *x, size_t k, const struct tamis_encoder *e)
{
    struct tamis_entrant *n = &x->entrant[k];
    struct tamis_trials_summary s;
    tamis_trials_summarise(x->resample, n->trial, &s);
    n->frequency = tamis_raw(cx, double, e->inputs);
    for (size_t i = 0; n->frequency && i < e->inputs; i++)
        n->frequency[i] = tamis_trials_frequency(x->resample, n->trial, i);
    x->contender[k] = (tamis_contender){n->label,     NULL,        s.mean,      s.sd,         s.se,
                                        s.all_inputs, s.criterion, s.size_mean, s.size_min,   s.size_max,
                                        s.stability,  s.low,       s.high,      n->frequency, s.seconds};
    n->json.cx = cx;
    tamis_trials_json(&n->json, e, x->resample, n->trial, &s);
    return tamis_status(cx);
}

/* A method that cannot cope with these data does not take the others with it. */
static int forgive(tamis_context *cx, struct tamis_match *x, size_t k, int status)
{
    if (status != TAMIS_NUMERIC && status != TAMIS_DATA &&
        !(status == TAMIS_MEMORY && strstr(tamis_error(cx), "--memory")))
        return status;
    struct tamis_entrant *n = &x->entrant[k];
    char sentence[1024];
    strncpy(sentence, tamis_error(cx), sizeof sentence - 1);
    sentence[sizeof sentence - 1] = 0;
    tamis_forget(cx);
    if (!(n->failed = tamis_strdup(cx, sentence))) return tamis_status(cx);
    x->contender[k] = (tamis_contender){.method = n->label,
                                        .failed = n->failed,
                                        .error = NAN,
                                        .sd = NAN,
                                        .se = NAN,
                                        .all_inputs = NAN,
                                        .criterion = NAN,
                                        .inputs_mean = NAN,
                                        .stability = NAN,
                                        .stability_low = NAN,
                                        .stability_high = NAN,
                                        .seconds = NAN};
    tamis_note(cx, "%s failed: %s", n->label, n->failed);
    return TAMIS_OK;
}

static char *file_for(tamis_context *cx, const char *checkpoint, size_t k)
{
    struct tamis_text t = {.cx = cx};
    if (checkpoint) tamis_text_printf(&t, "%s.%zu", checkpoint, k + 1);
    if (!t.failed) return t.s;
    tamis_text_free(&t);
    return NULL;
}

/* The whole of one entrant; the first also draws the folds. */
static int entrant_run(tamis_context *cx, const tamis_table *data, const tamis_options *given, struct tamis_match *x,
                       size_t k, size_t entrants, const char *label)
{
    struct tamis_call c = {.cx = cx, .data = data};
    tamis_options *o = entrant_options(cx, given, label);
    if (!o) return tamis_status(cx);
    tamis_mute(cx, k > 0);
    int status = tamis_call_prepare(&c, o);
    tamis_mute(cx, 0);
    if (!status && !k) status = match_begin(x, &c, entrants);
    if (!status) x->open.contenders = k + 1;            /* from here on there is something of it to free */
    char *file = status ? NULL : file_for(cx, c.common.checkpoint, k);
    if (!status && (!(x->entrant[k].label = tamis_strdup(cx, label)) ||
                    !(x->entrant[k].trial = tamis_trials_new(cx, x->resample->trials))))
        status = tamis_status(cx);
    if (!status) {
        status = tamis_trials_run(cx, data, o, x->resample, label, file, c.run.fingerprint + x->resample->trials,
                                  x->entrant[k].trial);
        status = status ? forgive(cx, x, k, status) : entrant_summary(cx, x, k, c.encoder);
    }
    tamis_text_free(&(struct tamis_text){.s = file});
    tamis_call_finish(&c);
    tamis_options_free(o);
    return status;
}

/* ---- differences ---- */

static double fold_test(tamis_context *cx, const struct tamis_match *x, size_t a, size_t b)
{
    size_t n = x->resample->trials;
    double *d = tamis_raw(cx, double, n), p;
    if (!d) return NAN;
    for (size_t k = 0; k < n; k++) d[k] = x->entrant[a].trial[k].error - x->entrant[b].trial[k].error;
    p = tamis_resampled_test(n, d, tamis_resample_ratio(x->resample));
    tamis_free(d);
    return p;
}

static double row_test(const struct tamis_match *x, size_t a, size_t b)
{
    size_t only_a = 0, only_b = 0;
    for (size_t k = 0; k < x->open.folds; k++) {
        const struct tamis_trial *p = &x->entrant[a].trial[k], *q = &x->entrant[b].trial[k];
        for (size_t i = 0; p->loss && q->loss && i < x->resample->split[k].helds; i++) {
            only_a += p->loss[i] > q->loss[i];
            only_b += q->loss[i] > p->loss[i];
        }
    }
    return tamis_binomial_test(only_a, only_b);
}

static int by_p(const void *a, const void *b)
{
    const tamis_difference *x = a, *y = b;
    if (x->p != y->p) return x->p < y->p ? -1 : 1;
    return x->a != y->a ? (x->a > y->a) - (x->a < y->a) : (x->b > y->b) - (x->b < y->b);
}

/* [1]: the smallest of m p-values times m, the next times m - 1, ..., never falling. */
static void holm(tamis_difference *d, size_t n)
{
    double most = 0;
    qsort(d, n, sizeof *d, by_p);
    for (size_t k = 0; k < n; k++) {
        most = fmax(most, fmin(1, d[k].p * (double)(n - k)));
        d[k].p_adjusted = most;
    }
}

static int differences_fill(tamis_context *cx, struct tamis_match *x)
{
    size_t n = 0;
    for (size_t i = 0; i < x->open.contenders; i++)
        for (size_t j = i + 1; j < x->open.contenders; j++) {
            double gap = x->contender[j].error - x->contender[i].error;
            size_t a = gap >= 0 ? i : j, b = gap >= 0 ? j : i;
            if (isnan(gap)) continue;
            x->difference[n++] = (tamis_difference){
                a, b, fabs(gap), strcmp(x->open.task, "classification") ? fold_test(cx, x, a, b) : row_test(x, a, b),
                0};
        }
    holm(x->difference, n);
    x->open.differences = n;
    return tamis_status(cx);
}

/* ---- the call ---- */

void tamis_comparison_free(tamis_comparison *c)
{
    struct tamis_match *x = (struct tamis_match *)c;
    if (!x) return;
    for (size_t k = 0; x->entrant && k < x->open.contenders; k++) {
        struct tamis_entrant *n = &x->entrant[k];
        tamis_trials_free(n->trial, x->resample->trials);
        tamis_text_free(&n->json);
        tamis_free(n->label);
        tamis_free(n->failed);
        tamis_free(n->frequency);
    }
    tamis_text_free(&x->evidence);
    tamis_strings_free(x->name, x->names);
    tamis_strings_free(x->note, x->notes);
    tamis_strings_free(x->word, x->words);
    tamis_resample_free(x->resample);
    tamis_free(x->entrant);
    tamis_free(x->contender);
    tamis_free(x->difference);
    tamis_free(x->file);
    tamis_free(x->target);
    tamis_free(x);
}

static int words_copy(tamis_context *cx, const tamis_options *o, struct tamis_match *x)
{
    char **word;
    size_t n;
    const char *const *note = tamis_notes(cx, &n);
    int words = tamis_options_words(o, &word);
    x->word = tamis_strings_copy(cx, (const char *const *)word, (size_t)words, &x->words);
    x->note = tamis_strings_copy(cx, note, n, &x->notes);
    x->open.notes = x->notes;
    x->open.note = (const char *const *)x->note;
    tamis_notes_clear(cx);
    return tamis_status(cx);
}

/* Whether the target asks for classes: from the call of any method. */
static int task_of(tamis_context *cx, const tamis_table *data, const tamis_options *o, int *classes)
{
    struct tamis_call c = {.cx = cx, .data = data};
    tamis_options *plain = entrant_options(cx, o, tamis_method_at(0)->name);
    tamis_mute(cx, 1);
    int status = plain ? tamis_call_prepare(&c, plain) : tamis_status(cx);
    tamis_mute(cx, 0);
    *classes = !status && c.encoder->classes > 0;
    tamis_call_finish(&c);
    tamis_options_free(plain);
    return status;
}

/* The labels: those named, or the usual ones. Caller frees the list, not what it points to. */
static const char **labels_of(tamis_context *cx, const tamis_table *data, const tamis_options *o,
                              const struct tamis_names *named, size_t *count)
{
    int classes = 0;
    if (!named->count && task_of(cx, data, o, &classes)) return NULL;
    *count = named->count ? named->count : usual_entrants(classes, NULL);
    const char **label = tamis_new(cx, const char *, *count);
    if (label && !named->count) usual_entrants(classes, label);
    for (size_t i = 0; label && i < named->count; i++) label[i] = named->name[i];
    return label;
}

/* An option that is no common one must be one of some entrant. */
struct search { tamis_options **entrant; size_t count; const char *unknown; };

static void option_look(void *arg, const char *name, const char *text)
{
    struct search *s = arg;
    (void)text;
    for (size_t k = 0; k < s->count; k++)
        if (tamis_options_get(s->entrant[k], name)) return;
    if (strcmp(name, "methods")) s->unknown = name;
}

static int options_taken(tamis_context *cx, const tamis_options *o, const char **label, size_t count)
{
    struct search s = {tamis_new(cx, tamis_options *, count), count, NULL};
    for (size_t k = 0; s.entrant && k < count && !tamis_status(cx); k++)
        s.entrant[k] = entrant_options(cx, o, label[k]);
    if (!tamis_status(cx)) tamis_options_each(o, option_look, &s);
    if (s.unknown) tamis_fail(cx, TAMIS_USAGE, "--%s belongs to none of the methods that are compared", s.unknown);
    for (size_t k = 0; s.entrant && k < count; k++) tamis_options_free(s.entrant[k]);
    tamis_free(s.entrant);
    return tamis_status(cx);
}

static int usage(tamis_context *cx, const tamis_options *o)
{
    static const char *const not_here[] = {"method", "bootstrap", "holdout", "model", "test"};
    for (size_t i = 0; i < sizeof not_here / sizeof *not_here; i++)
        if (tamis_options_get(o, not_here[i]))
            return tamis_fail(cx, TAMIS_USAGE, "--%s has no meaning in a comparison, whose outer folds use every row",
                              not_here[i]);
    return TAMIS_OK;
}

static int evidence_fill(tamis_context *cx, const tamis_table *data, const tamis_options *o, struct tamis_match *x)
{
    struct tamis_common common = {0};
    int status = tamis_options_read(cx, o, tamis_common_options, &common);
    if (status || !common.evidence) return status;
    x->evidence.cx = cx;
    tamis_text_puts(&x->evidence, "{");
    status = tamis_evidence_table(cx, data, NULL, &x->evidence);
    tamis_text_puts(&x->evidence, "}");
    return status ? status : tamis_text_status(&x->evidence);
}

int tamis_compare(tamis_context *cx, const tamis_table *data, const tamis_options *o, tamis_comparison **out)
{
    struct settings s = {{0, NULL}};
    struct tamis_match *x = NULL;
    double began = tamis_clock();
    size_t count = 0;
    *out = NULL;
    if (tamis_begin(cx)) return TAMIS_STOPPED;
    struct tamis_resources before = tamis_resources_apply(cx, o);
    int blas = tamis_blas_begin(cx), status = blas;
    if (!status) status = usage(cx, o);
    if (!status) status = tamis_options_read(cx, o, tamis_compare_options, &s);
    const char **label = status ? NULL : labels_of(cx, data, o, &s.methods, &count);
    if (label && !options_taken(cx, o, label, count)) x = tamis_new(cx, struct tamis_match, 1);
    for (size_t k = 0; x && !tamis_status(cx) && k < count; k++) entrant_run(cx, data, o, x, k, count, label[k]);
    if (x && !tamis_status(cx) && !differences_fill(cx, x)) words_copy(cx, o, x);
    if (x && !tamis_status(cx)) evidence_fill(cx, data, o, x);
    tamis_free(label);
    if (!blas) tamis_blas_end();
    if (x) x->open.threads = tamis_threads(cx);
    tamis_resources_restore(cx, before);
    if (tamis_status(cx)) {
        tamis_comparison_free(x ? &x->open : NULL);
        return tamis_status(cx);
    }
    x->open.seconds = tamis_clock() - began;
    *out = &x->open;
    return TAMIS_OK;
}
