/* Predictions for rows that the model was not fitted on: test rows, or each row by a model refitted without its fold,
 * at the inputs and parameters chosen from all rows. The first target, where there are several. */
#include <math.h>
#include <string.h>
#include "evidence/evidence.h"

enum { FOLDS = 5, MOST_ROWS = 3000, MOST_CLASSES = 30 };

/* ---- predictions ---- */

int tamis_evidence_guess(tamis_context *cx, const struct tamis_model *m, const struct tamis_design *d, double *guess)
{
    const struct tamis_encoder *e = m->encoder;
    double *x = tamis_raw(cx, double, d->rows * e->columns),
           *out = tamis_raw(cx, double, d->rows *tamis_model_outputs(m));
    struct tamis_design part = {m->encoder, d->rows, e->columns, e->inputs, x, NULL};
    if (x && out) {
        tamis_model_gather(m, d, x);
        if (!tamis_model_apply(cx, m, &part, out))
            for (size_t i = 0; i < d->rows; i++)
                guess[i] = e->classes ? (double)tamis_model_winner(out, d->rows, e->classes, i) : out[i];
    }
    tamis_free(x);
    tamis_free(out);
    return tamis_status(cx);
}

/* The rows of d in fold `which`, or all others. */
static int part_make(tamis_context *cx, const struct tamis_design *d, const size_t *fold, size_t which, int inside,
                     struct tamis_design *out)
{
    size_t n = 0, at = 0, targets = tamis_design_outputs(d);
    for (size_t i = 0; i < d->rows; i++) n += (fold[i] == which) == inside;
    *out = (struct tamis_design){
        d->encoder, n, d->columns, d->inputs, tamis_raw(cx, double, n * d->columns), tamis_raw(cx, double, n *targets)};
    for (size_t i = 0; out->x && out->y && i < d->rows; i++) {
        if ((fold[i] == which) != inside) continue;
        for (size_t j = 0; j < d->columns; j++) out->x[at + n * j] = d->x[i + d->rows * j];
        for (size_t o = 0; o < targets; o++) out->y[at + n * o] = d->y[i + d->rows * o];
        at++;
    }
    return tamis_status(cx);
}

static int refit(struct tamis_run *run, const struct tamis_design *d, struct tamis_model **m)
{
    const struct tamis_criterion *c = run->plan.criterion;
    const tamis_step *s = &run->outcome->path[run->outcome->open.chosen_step];
    struct tamis_score at = {.value = s->criterion};
    unsigned char *set = tamis_new(run->cx, unsigned char, d->inputs);
    void *scorer = NULL;
    memcpy(at.parameter, s->parameters, sizeof at.parameter);
    for (size_t i = 0; set && i < d->inputs; i++) set[i] = (unsigned char)run->outcome->input[i].selected;
    int status = set ? c->start(run->cx, d, run->options, run->seed, &scorer) : tamis_status(run->cx);
    if (!status) status = c->fit(scorer, set, &at, m, NULL);
    if (scorer) c->finish(scorer);
    tamis_free(set);
    return status;
}

static int fold_guess(struct tamis_run *run, const size_t *fold, size_t which, double *guess)
{
    const struct tamis_design *d = run->design;
    struct tamis_design in = {0}, out = {0};
    struct tamis_model *m = NULL;
    size_t at = 0;
    int status = part_make(run->cx, d, fold, which, 0, &in);
    if (!status) status = part_make(run->cx, d, fold, which, 1, &out);
    if (!status) status = refit(run, &in, &m);
    if (!status && m->kind != run->outcome->model->kind)
        status = tamis_fail(run->cx, TAMIS_NUMERIC, "the answer is another kind of model");
    double *own = status ? NULL : tamis_raw(run->cx, double, out.rows);
    if (own && !tamis_evidence_guess(run->cx, m, &out, own))
        for (size_t i = 0; i < d->rows; i++)
            if (fold[i] == which) guess[i] = own[at++];
    tamis_free(own);
    tamis_model_free(m);
    tamis_free(in.x);
    tamis_free(in.y);
    tamis_free(out.x);
    tamis_free(out.y);
    return tamis_status(run->cx);
}

/* A criterion that fits the answer's own kind of model can fit it again on other rows. */
static int refits(const struct tamis_run *run)
{
    const struct tamis_outcome *o = run->outcome;
    return run->refits && o->model && o->path && run->design->rows >= 4 * FOLDS && run->design->rows <= MOST_ROWS;
}

/* A failed refit is no reason to lose the result: there is no such evidence then. */
static int guess_by_folds(struct tamis_run *run, double *guess, int *known)
{
    size_t *fold = tamis_raw(run->cx, size_t, run->design->rows);
    int status = fold ? tamis_design_folds(run->cx, run->design, FOLDS, run->seed, fold) : tamis_status(run->cx);
    tamis_mute(run->cx, 1);
    for (size_t k = 0; k < FOLDS && !status; k++) status = fold_guess(run, fold, k, guess);
    tamis_mute(run->cx, 0);
    tamis_free(fold);
    *known = !status;
    if (status != TAMIS_NUMERIC && status != TAMIS_DATA && status != TAMIS_USAGE) return status;
    tamis_forget(run->cx);
    return TAMIS_OK;
}

/* ---- JSON ---- */

static void scores(struct tamis_witness *w, const double *seen, const double *guess, size_t n)
{
    double mean = 0, total = 0, left = 0, scale = w->run->design->encoder->target_scale;
    for (size_t i = 0; i < n; i++) mean += seen[i] / (double)n;
    for (size_t i = 0; i < n; i++)
        total += (seen[i] - mean) * (seen[i] - mean), left += (seen[i] - guess[i]) * (seen[i] - guess[i]);
    tamis_text_puts(w->t, ", \"rmse\": ");
    tamis_evidence_number(w->t, scale * sqrt(left / (double)n));
    tamis_text_puts(w->t, ", \"r2\": ");
    tamis_evidence_number(w->t, total > 0 ? 1 - left / total : NAN);
}

static void pairs(struct tamis_witness *w, const double *seen, const double *guess, size_t n)
{
    const struct tamis_encoder *e = w->run->design->encoder;
    size_t shown = n < TAMIS_ROWS_SHOWN ? n : TAMIS_ROWS_SHOWN;
    const double *of[] = {seen, guess};
    static const char *const name[] = {"observed", "predicted"};
    scores(w, seen, guess, n);
    for (int k = 0; k < 2; k++) {
        tamis_text_printf(w->t, ", \"%s\": [", name[k]);
        for (size_t i = 0; i < shown; i++) {
            if (i) tamis_text_puts(w->t, ",");
            tamis_evidence_number(w->t, e->target_mean + e->target_scale * of[k][tamis_spread(i, shown, n)]);
        }
        tamis_text_puts(w->t, "]");
    }
}

/* confusion[observed][predicted] */
static int confusion(struct tamis_witness *w, const double *seen, const double *guess, size_t n)
{
    const struct tamis_encoder *e = w->run->design->encoder;
    size_t k = e->classes, *count = tamis_new(w->run->cx, size_t, k * k);
    if (!count) return tamis_status(w->run->cx);
    for (size_t i = 0; i < n; i++)
        if (seen[i] < (double)k && guess[i] < (double)k) count[(size_t)seen[i] * k + (size_t)guess[i]]++;
    tamis_text_puts(w->t, ", \"classes\": [");
    for (size_t a = 0; a < k; a++) {
        if (a) tamis_text_puts(w->t, ", ");
        tamis_text_json(w->t, e->class_name[a]);
    }
    tamis_text_puts(w->t, "], \"confusion\": [");
    for (size_t a = 0; a < k; a++) {
        tamis_text_puts(w->t, a ? ", [" : "[");
        for (size_t b = 0; b < k; b++) tamis_text_printf(w->t, "%s%zu", b ? ", " : "", count[a * k + b]);
        tamis_text_puts(w->t, "]");
    }
    tamis_text_puts(w->t, "]");
    tamis_free(count);
    return TAMIS_OK;
}

static int unseen_json(struct tamis_witness *w, const char *kind, const struct tamis_design *d, const double *guess)
{
    int status = TAMIS_OK;
    tamis_text_puts(w->t, ",\n    \"unseen\": {\"kind\": ");
    tamis_text_json(w->t, kind);
    tamis_text_printf(w->t, ", \"rows\": %zu", d->rows);
    if (!d->encoder->classes) pairs(w, d->y, guess, d->rows);
    else if (d->encoder->classes <= MOST_CLASSES) status = confusion(w, d->y, guess, d->rows);
    tamis_text_puts(w->t, "}");
    return status;
}

int tamis_evidence_unseen(struct tamis_witness *w)
{
    struct tamis_run *run = w->run;
    const struct tamis_design *d = run->test ? run->test : run->design;
    const double *own = run->outcome->held_out;
    int known = own != NULL, status = TAMIS_OK;
    if (!run->outcome->model || (!run->test && !own && !refits(run))) return TAMIS_OK;
    if (!run->test && own) return unseen_json(w, "fold", d, own);
    double *guess = tamis_raw(run->cx, double, d->rows);
    if (!guess) return tamis_status(run->cx);
    if (!run->test) status = guess_by_folds(run, guess, &known);
    else known = !(status = tamis_evidence_guess(run->cx, run->outcome->model, d, guess));
    if (!status && known) status = unseen_json(w, run->test ? "test" : "fold", d, guess);
    tamis_free(guess);
    return status;
}
