/* Predictions of rows that the model was not fitted on: test rows, or each row by a model refitted without its fold,
 * with the inputs and parameters chosen from all rows. If there are several targets, the first one. */
#include <math.h>
#include <string.h>
#include "data/dates.h"
#include "evidence/evidence.h"
#include "select/held.h"
#include "num/weighted.h"

enum { MOST_CLASSES = 30 };

/* ---- predictions ---- */

int tamis_evidence_predict(tamis_context *cx, const struct tamis_model *m, const struct tamis_design *d,
                           double *prediction)
{
    const struct tamis_encoder *e = m->encoder;
    double *x = tamis_raw(cx, double, d->rows * e->columns),
           *out = tamis_raw(cx, double, d->rows * tamis_model_outputs(m));
    if (x && out) {
        tamis_model_gather(m, d, x);
        if (!tamis_held_apply(cx, m, d->encoder, x, d->rows, out))
            for (size_t i = 0; i < d->rows; i++)
                prediction[i] = e->classes ? (double)tamis_model_winner(out, d->rows, e->classes, i) : out[i];
    }
    tamis_free(x);
    tamis_free(out);
    return tamis_status(cx);
}

/* ---- as values ---- */

/* Both numbers are standardised by the training rows, so that r2 = 1 - error, the same share everywhere. */
static void add_scores(tamis_value *v, const struct tamis_design *d, const double *prediction, double scale)
{
    double left = 0, n = tamis_weight_sum(d->weight, d->rows);
    for (size_t i = 0; i < d->rows; i++)
        left += tamis_row_weight(d, i) * ((d->y[i] - prediction[i]) * (d->y[i] - prediction[i]));
    tamis_add_rounded(v, "rmse", scale * sqrt(left / n));
    tamis_add_rounded(v, "r2", 1 - left / n);
}

static void add_rows(tamis_value *v, const char *key, const struct tamis_encoder *e, const double *z, size_t n)
{
    size_t shown = n < TAMIS_ROWS_SHOWN ? n : TAMIS_ROWS_SHOWN;
    double *x = tamis_add_room(v, key, shown);
    for (size_t i = 0; x && i < shown; i++)
        x[i] = tamis_six_digits(e->target_mean + e->target_scale * z[tamis_spread(i, shown, n)]);
}

static void add_pairs(tamis_value *v, const struct tamis_encoder *e, const struct tamis_design *d,
                      const double *prediction)
{
    add_scores(v, d, prediction, e->target_scale);
    add_rows(v, "observed", e, d->y, d->rows);
    add_rows(v, "predicted", e, prediction, d->rows);
}

/* confusion[observed][predicted] */
static int add_confusion(tamis_context *cx, tamis_value *v, const struct tamis_encoder *e,
                         const struct tamis_design *d, const double *prediction)
{
    const double *seen = d->y;
    size_t k = e->classes;
    double *count = tamis_new(cx, double, k * k);
    if (!count) return tamis_status(cx);
    for (size_t i = 0; i < d->rows; i++)
        if (seen[i] < (double)k && prediction[i] < (double)k)
            count[(size_t)seen[i] * k + (size_t)prediction[i]] += tamis_row_weight(d, i);
    tamis_add_texts(v, "classes", (const char *const *)e->class_name, k);
    tamis_value *list = tamis_add_list(v, "confusion");
    for (size_t a = 0; a < k; a++) tamis_add_numbers(list, NULL, count + a * k, k);
    tamis_free(count);
    return TAMIS_OK;
}

/* When the rows were taken, as far as the table says. */
static void add_times(tamis_value *v, const struct tamis_encoder *e, const tamis_table *t, const size_t *row, size_t n)
{
    size_t shown = n < TAMIS_ROWS_SHOWN ? n : TAMIS_ROWS_SHOWN, j = 0;
    while (j < t->columns && strcmp(t->column[j].name, e->time.column)) j++;
    const struct tamis_data_column *c = &t->column[j];
    if (j == t->columns || c->type != TAMIS_NUMBER) return;
    tamis_value *time = tamis_add_record(v, "time");
    tamis_add_text(time, "column", e->time.column);
    tamis_add_flag(time, "date", e->time.date && e->time.date != TAMIS_DATE_CLOCK);
    double *x = tamis_add_room(time, "values", shown);
    for (size_t i = 0; x && i < shown; i++) {
        double at = c->value[row[tamis_spread(i, shown, n)]];
        x[i] = c->date ? at : tamis_date_number(at, e->time.date);
    }
}

/* rows: of the table, which those of the design may stand for. */
static int add_unseen(struct tamis_run *run, tamis_value *evidence, const char *kind, const struct tamis_design *d,
                      size_t rows, const double *prediction)
{
    const struct tamis_encoder *e = run->encoder;
    tamis_value *v = tamis_add_record(evidence, "unseen");
    tamis_add_text(v, "kind", kind);
    tamis_add_number(v, "rows", (double)rows);
    if (!e->classes) add_pairs(v, e, d, prediction);
    if (!e->classes && e->time.column && d == run->test)
        add_times(v, e, run->test_table ? run->test_table : run->data, run->test_row, d->rows);
    else if (!e->classes && e->time.column) add_times(v, e, run->data, run->row, d->rows);
    return e->classes && e->classes <= MOST_CLASSES ? add_confusion(run->cx, v, e, d, prediction) : TAMIS_OK;
}

static int test_rows(struct tamis_run *run, tamis_value *evidence)
{
    double *prediction = tamis_raw(run->cx, double, run->test->rows);
    int status = prediction ? tamis_evidence_predict(run->cx, run->result->model, run->test, prediction)
                            : tamis_status(run->cx);
    if (!status) status = add_unseen(run, evidence, "test", run->test, run->test->rows, prediction);
    tamis_free(prediction);
    return status;
}

/* Predicts every fold by the model that learnt without it; the result keeps the predictions. */
static int folds_fill(struct tamis_run *run)
{
    struct tamis_result *r = run->result;
    const struct tamis_held *h = r->held;
    const struct tamis_design *d = run->design;
    double *own = tamis_raw(run->cx, double, d->rows);
    r->held_out = tamis_raw(run->cx, double, d->rows);
    int status = tamis_status(run->cx);
    for (size_t k = 0; k < h->folds && !status; k++) {
        status = tamis_evidence_predict(run->cx, h->model[k], d, own);
        for (size_t i = 0; i < d->rows && !status; i++)
            if (h->fold[i] == k) r->held_out[i] = own[i];
    }
    tamis_free(own);
    return status;
}

int tamis_evidence_unseen(struct tamis_run *run, tamis_value *evidence)
{
    const struct tamis_result *r = run->result;
    if (!r->model) return TAMIS_OK;
    if (run->test) return test_rows(run, evidence);
    int status = !r->held_out && r->held ? folds_fill(run) : TAMIS_OK;
    return status || !r->held_out ? status : add_unseen(run, evidence, "fold", run->design, run->used, r->held_out);
}
