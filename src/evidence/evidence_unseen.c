/* Predictions of rows that the model was not fitted on: test rows, or each row by a model refitted without its fold,
 * with the inputs and parameters chosen from all rows. If there are several targets, the first one. */
#include <math.h>
#include <string.h>
#include "evidence/evidence.h"

enum { FOLDS = 5, MOST_ROWS = 3000, MOST_CLASSES = 30 };

/* ---- predictions ---- */

int tamis_evidence_predict(tamis_context *cx, const struct tamis_model *m, const struct tamis_design *d,
                           double *prediction)
{
    const struct tamis_encoder *e = m->encoder;
    double *x = tamis_raw(cx, double, d->rows * e->columns),
           *out = tamis_raw(cx, double, d->rows * tamis_model_outputs(m));
    struct tamis_design part = {m->encoder, d->rows, e->columns, e->inputs, x, NULL};
    if (x && out) {
        tamis_model_gather(m, d, x);
        if (!tamis_model_apply(cx, m, &part, out))
            for (size_t i = 0; i < d->rows; i++)
                prediction[i] = e->classes ? (double)tamis_model_winner(out, d->rows, e->classes, i) : out[i];
    }
    tamis_free(x);
    tamis_free(out);
    return tamis_status(cx);
}

/* The rows of d inside fold `which`, or those outside. */
static int part_make(tamis_context *cx, const struct tamis_design *d, const size_t *fold, size_t which, int inside,
                     struct tamis_design *out)
{
    size_t n = 0, at = 0, targets = tamis_design_outputs(d);
    for (size_t i = 0; i < d->rows; i++) n += (fold[i] == which) == inside;
    double *x = tamis_raw(cx, double, n * d->columns), *y = tamis_raw(cx, double, n * targets);
    *out = (struct tamis_design){d->encoder, n, d->columns, d->inputs, x, y};
    for (size_t i = 0; x && y && i < d->rows; i++) {
        if ((fold[i] == which) != inside) continue;
        for (size_t j = 0; j < d->columns; j++) x[at + n * j] = d->x[i + d->rows * j];
        for (size_t o = 0; o < targets; o++) y[at + n * o] = d->y[i + d->rows * o];
        at++;
    }
    return tamis_status(cx);
}

static int refit(struct tamis_run *run, const struct tamis_design *d, struct tamis_model **m)
{
    const struct tamis_criterion *c = run->criterion;
    const struct tamis_path_step *s = &run->result->path[run->result->chosen_step];
    struct tamis_score at = {.value = s->criterion};
    unsigned char *set = tamis_new(run->cx, unsigned char, d->inputs);
    void *scorer = NULL;
    memcpy(at.parameter, s->parameters, sizeof at.parameter);
    for (size_t i = 0; set && i < d->inputs; i++) set[i] = (unsigned char)run->result->input[i].selected;
    int status = set ? c->start(run->cx, d, run->options, run->seed, &scorer) : tamis_status(run->cx);
    if (!status) status = c->fit(scorer, set, &at, m, NULL);
    if (scorer) c->finish(scorer);
    tamis_free(set);
    return status;
}

static int fold_predict(struct tamis_run *run, const size_t *fold, size_t which, double *prediction)
{
    const struct tamis_design *d = run->design;
    struct tamis_design in = {0}, out = {0};
    struct tamis_model *m = NULL;
    size_t at = 0;
    int status = part_make(run->cx, d, fold, which, 0, &in);
    if (!status) status = part_make(run->cx, d, fold, which, 1, &out);
    if (!status) status = refit(run, &in, &m);
    if (!status && m->kind != run->result->model->kind)
        status = tamis_fail(run->cx, TAMIS_NUMERIC, "the refitted model is of another kind than the answer");
    double *own = status ? NULL : tamis_raw(run->cx, double, out.rows);
    if (own && !tamis_evidence_predict(run->cx, m, &out, own))
        for (size_t i = 0; i < d->rows; i++)
            if (fold[i] == which) prediction[i] = own[at++];
    tamis_free(own);
    tamis_model_free(m);
    tamis_free(in.x);
    tamis_free(in.y);
    tamis_free(out.x);
    tamis_free(out.y);
    return tamis_status(run->cx);
}

/* Whether the criterion can fit the answer again on other rows, at bounded cost. */
static int refits(const struct tamis_run *run)
{
    const struct tamis_result *o = run->result;
    return run->refits && o->model && o->path && run->design->rows >= 4 * FOLDS && run->design->rows <= MOST_ROWS;
}

/* If a refit fails, the evidence is omitted and the result kept. */
static int predict_by_folds(struct tamis_run *run, double *prediction, int *known)
{
    int before = tamis_status(run->cx);
    size_t *fold = tamis_raw(run->cx, size_t, run->design->rows);
    tamis_mute(run->cx, 1);
    size_t folds = tamis_design_fold_count(run->cx, run->design, FOLDS);
    int status = fold ? tamis_design_folds(run->cx, run->design, folds, run->seed, fold) : tamis_status(run->cx);
    for (size_t k = 0; k < folds && !status; k++) status = fold_predict(run, fold, k, prediction);
    tamis_mute(run->cx, 0);
    tamis_free(fold);
    *known = !status;
    return status == TAMIS_MEMORY ? status : tamis_forgive(run->cx, before);
}

/* ---- as values ---- */

/* Both numbers are standardised by the training rows, so that r2 = 1 - error, the same share everywhere. */
static void add_scores(tamis_value *v, const double *seen, const double *prediction, size_t n, double scale)
{
    double left = 0;
    for (size_t i = 0; i < n; i++) left += (seen[i] - prediction[i]) * (seen[i] - prediction[i]);
    tamis_add_rounded(v, "rmse", scale * sqrt(left / (double)n));
    tamis_add_rounded(v, "r2", 1 - left / (double)n);
}

static void add_rows(tamis_value *v, const char *key, const struct tamis_encoder *e, const double *z, size_t n)
{
    size_t shown = n < TAMIS_ROWS_SHOWN ? n : TAMIS_ROWS_SHOWN;
    double *x = tamis_add_room(v, key, shown);
    for (size_t i = 0; x && i < shown; i++)
        x[i] = tamis_six_digits(e->target_mean + e->target_scale * z[tamis_spread(i, shown, n)]);
}

static void add_pairs(tamis_value *v, const struct tamis_encoder *e, const double *seen, const double *prediction,
                      size_t n)
{
    add_scores(v, seen, prediction, n, e->target_scale);
    add_rows(v, "observed", e, seen, n);
    add_rows(v, "predicted", e, prediction, n);
}

/* confusion[observed][predicted] */
static int add_confusion(tamis_context *cx, tamis_value *v, const struct tamis_encoder *e, const double *seen,
                         const double *prediction, size_t n)
{
    size_t k = e->classes;
    double *count = tamis_new(cx, double, k * k);
    if (!count) return tamis_status(cx);
    for (size_t i = 0; i < n; i++)
        if (seen[i] < (double)k && prediction[i] < (double)k) count[(size_t)seen[i] * k + (size_t)prediction[i]]++;
    tamis_add_texts(v, "classes", (const char *const *)e->class_name, k);
    tamis_value *list = tamis_add_list(v, "confusion");
    for (size_t a = 0; a < k; a++) tamis_add_numbers(list, NULL, count + a * k, k);
    tamis_free(count);
    return TAMIS_OK;
}

static int add_unseen(struct tamis_run *run, tamis_value *evidence, const char *kind, const struct tamis_design *d,
                      const double *prediction)
{
    const struct tamis_encoder *e = run->encoder;
    tamis_value *v = tamis_add_record(evidence, "unseen");
    tamis_add_text(v, "kind", kind);
    tamis_add_number(v, "rows", (double)d->rows);
    if (!e->classes) add_pairs(v, e, d->y, prediction, d->rows);
    return e->classes && e->classes <= MOST_CLASSES ? add_confusion(run->cx, v, e, d->y, prediction, d->rows)
                                                    : TAMIS_OK;
}

static int test_rows(struct tamis_run *run, tamis_value *evidence)
{
    double *prediction = tamis_raw(run->cx, double, run->test->rows);
    int status = prediction ? tamis_evidence_predict(run->cx, run->result->model, run->test, prediction)
                            : tamis_status(run->cx);
    if (!status) status = add_unseen(run, evidence, "test", run->test, prediction);
    tamis_free(prediction);
    return status;
}

/* Predicts every fold by a model refitted without it; the result keeps the predictions. */
static int folds_fill(struct tamis_run *run)
{
    struct tamis_result *r = run->result;
    int known = 0;
    if (!(r->held_out = tamis_raw(run->cx, double, run->design->rows))) return tamis_status(run->cx);
    int status = predict_by_folds(run, r->held_out, &known);
    if (known) return status;
    tamis_free(r->held_out);
    r->held_out = NULL;
    return status;
}

int tamis_evidence_unseen(struct tamis_run *run, tamis_value *evidence)
{
    const struct tamis_result *r = run->result;
    if (!r->model) return TAMIS_OK;
    if (run->test) return test_rows(run, evidence);
    int status = !r->held_out && refits(run) ? folds_fill(run) : TAMIS_OK;
    return status || !r->held_out ? status : add_unseen(run, evidence, "fold", run->design, r->held_out);
}
