/* Probabilities of classes: a calibrator (num/calibrate.h) fitted to scores of rows by models that have not seen them,
 * and how good the probabilities are, beside the shares of the classes in the training rows.
 *
 * Of training rows, the calibrator that rates a row was fitted without the row's fold, and so was the model that scored
 * it; of test rows, both are those of the answer. Scores that are probabilities already, or their logarithms but for a
 * constant as those of a logistic regression, are calibrated if that lowers the log loss of held-out rows. */
#include <math.h>
#include <string.h>
#include "num/class_measures.h"
#include "select/held.h"
#include "select/losses.h"

enum { MOST_CLASSES = 30 };     /* that tables are shown of */

/* Rows that are rated. */
struct rating {
    struct tamis_run *run;
    const struct tamis_design *d;
    size_t classes;
    double *score, *p;          /* rows x classes */
    double *weight;             /* rows: of the rating */
    double *share;              /* rows x classes: the shares of the classes */
    double *work;               /* classes x classes */
    struct tamis_place *place;
};

static void rating_free(struct rating *g)
{
    void *all[] = {g->score, g->p, g->weight, g->share, g->work, g->place};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) tamis_free(all[i]);
}

static int rating_make(struct tamis_run *run, const struct tamis_design *d, struct rating *g)
{
    tamis_context *cx = run->cx;
    size_t n = d->rows, classes = run->encoder->classes;
    *g = (struct rating){.run = run, .d = d, .classes = classes,
                         .score = tamis_raw(cx, double, n * classes), .p = tamis_raw(cx, double, n * classes),
                         .weight = tamis_raw(cx, double, n), .share = tamis_raw(cx, double, n * classes),
                         .work = tamis_raw(cx, double, classes * classes + 1),
                         .place = tamis_raw(cx, struct tamis_place, n)};
    for (size_t i = 0; g->weight && i < n; i++) g->weight[i] = tamis_row_weight(d, i);
    return tamis_status(cx);
}

/* ---- scores ---- */

/* Rows of x (n x columns) in fold k to the front, as many x columns; how many. */
static size_t fold_take(const size_t *fold, size_t k, size_t n, size_t columns, double *x)
{
    size_t m = 0, to = 0;
    for (size_t i = 0; i < n; i++) m += !fold || fold[i] == k;
    for (size_t c = 0; fold && c < columns; c++)
        for (size_t i = 0; i < n; i++)
            if (fold[i] == k) x[to++] = x[i + n * c];
    return m;
}

int tamis_fold_scores(tamis_context *cx, const struct tamis_model *m, const struct tamis_design *d, const size_t *fold,
                      size_t k, double *score)
{
    size_t n = d->rows, classes = d->encoder->classes;
    double *x = tamis_raw(cx, double, n * m->encoder->columns + 1), *out = tamis_raw(cx, double, n * classes);
    int status = tamis_status(cx);
    if (!status) {
        tamis_model_gather(m, d, x);
        size_t rows = fold_take(fold, k, n, m->encoder->columns, x), at = 0;
        status = rows ? tamis_held_apply(cx, m, d->encoder, x, rows, out) : TAMIS_OK;
        for (size_t c = 0; c < classes && !status; c++)
            for (size_t i = 0; i < n; i++)
                if (!fold || fold[i] == k) score[i + n * c] = out[at++];
    }
    tamis_free(x);
    tamis_free(out);
    return status;
}

/* ---- calibration ---- */

static int on_log(const struct rating *g) { return g->run->result->model->kind->probabilities; }

static double log_loss_of(const struct rating *g, const double *p)
{
    struct tamis_rated r = {g->d->rows, g->classes, p, g->d->y, g->weight};
    return tamis_class_measure(&r, g->work).log_loss;
}

/* Scores that calibration does not improve stay as they are, in p and in the model's calibrator. */
static int none_compare(struct rating *g, struct tamis_calibrator *c)
{
    size_t n = g->d->rows;
    double *plain = tamis_raw(g->run->cx, double, n * g->classes);
    struct tamis_calibrator *none = tamis_calibrator_new(g->run->cx, g->classes);
    int status = tamis_status(g->run->cx);
    if (!status) {
        none->on_log = c->on_log;
        tamis_calibrate_none(none, (double)n);
        tamis_calibrator_apply(none, g->score, n, plain);
        if (log_loss_of(g, plain) <= log_loss_of(g, g->p)) {
            memcpy(g->p, plain, n * g->classes * sizeof *plain);
            tamis_calibrate_none(c, (double)n);
        }
    }
    tamis_calibrator_free(none);
    tamis_free(plain);
    return status;
}

/* ---- the shares of the classes ---- */

/* A constant for every row: those of the training rows. */
static void shares_fill(struct rating *g)
{
    const struct tamis_design *from = g->run->design;
    size_t n = g->d->rows, classes = g->classes;
    double *count = g->work, all = 0;
    for (size_t c = 0; c < classes; c++) count[c] = 0.1;        /* one that only test rows have is not impossible */
    for (size_t i = 0; i < from->rows; i++)
        if (from->y[i] < (double)classes) count[(size_t)from->y[i]] += tamis_row_weight(from, i);
    for (size_t c = 0; c < classes; c++) all += count[c];
    for (size_t i = 0; i < n * classes; i++) g->share[i] = count[i / n] / all;
}

/* ---- as values ---- */

static double auc_mean(const struct rating *g, const double *p)
{
    struct tamis_rated r = {g->d->rows, g->classes, p, g->d->y, g->weight};
    double sum = 0, known = 0;
    for (size_t c = 0; c < g->classes; c++) {
        double auc = tamis_auc(&r, c, g->place);
        if (!isnan(auc)) sum += auc, known++;
    }
    return known > 0 ? sum / known : NAN;
}

/* Standard error of the mean log loss, each row once. */
static double log_loss_se(const struct rating *g, double mean)
{
    struct tamis_rated r = {g->d->rows, g->classes, g->p, g->d->y, g->weight};
    double squares = 0, n = 0, all = 0;
    for (size_t i = 0; i < r.rows; i++) {
        if (!(r.class_of[i] < (double)r.classes)) continue;
        squares += pow(g->weight[i] * (tamis_log_loss(&r, i) - mean), 2);
        all += g->weight[i];
        n++;
    }
    return n > 1 ? sqrt(squares * n / (n - 1)) / all : NAN;
}

static struct tamis_class_error measures_of(const struct rating *g, const double *p, double *confusion)
{
    struct tamis_rated r = {g->d->rows, g->classes, p, g->d->y, g->weight};
    struct tamis_class_measures m = tamis_class_measure(&r, confusion);
    return (struct tamis_class_error){m.error, m.log_loss, m.brier, m.balanced_accuracy, auc_mean(g, p)};
}

static void measures_add(tamis_value *v, const struct tamis_class_error *m)
{
    tamis_add_number(v, "error", m->error);
    tamis_add_number(v, "log_loss", m->log_loss);
    tamis_add_number(v, "brier", m->brier);
    tamis_add_number(v, "balanced_accuracy", m->balanced_accuracy);
    tamis_add_number(v, "auc", m->auc);
}

static void classes_add(tamis_value *v, const struct rating *g, const double *confusion)
{
    struct tamis_rated r = {g->d->rows, g->classes, g->p, g->d->y, g->weight};
    tamis_value *list = tamis_add_list(v, "classes");
    for (size_t a = 0; a < g->classes && g->classes <= MOST_CLASSES; a++) {
        double rows = 0, called = 0, right = confusion[a * g->classes + a];
        for (size_t b = 0; b < g->classes; b++) rows += confusion[a * g->classes + b];
        for (size_t b = 0; b < g->classes; b++) called += confusion[b * g->classes + a];
        tamis_value *one = tamis_add_record(list, NULL);
        tamis_add_text(one, "name", g->run->encoder->class_name[a]);
        tamis_add_number(one, "rows", rows);
        tamis_add_number(one, "recall", rows > 0 ? right / rows : NAN);
        tamis_add_number(one, "precision", called > 0 ? right / called : NAN);
        tamis_add_number(one, "auc", tamis_auc(&r, a, g->place));
    }
    list = tamis_add_list(v, "confusion");
    for (size_t a = 0; a < g->classes && g->classes <= MOST_CLASSES; a++)
        tamis_add_numbers(list, NULL, confusion + a * g->classes, g->classes);
}

static void reliability_add(tamis_value *v, const struct rating *g)
{
    struct tamis_rated r = {g->d->rows, g->classes, g->p, g->d->y, g->weight};
    struct tamis_tenth tenth[TAMIS_TENTHS];
    tamis_value *list = tamis_add_list(v, "reliability");
    tamis_reliability(&r, tenth);
    for (size_t b = 0; b < TAMIS_TENTHS; b++) {
        if (!(tenth[b].rows > 0)) continue;
        tamis_value *one = tamis_add_record(list, NULL);
        tamis_add_number(one, "rows", tenth[b].rows);
        tamis_add_number(one, "probability", tenth[b].mean);
        tamis_add_number(one, "observed", tenth[b].observed);
    }
}

/* One entry of probabilities.measured; m and base get its numbers. */
static void measured_add(struct rating *g, tamis_value *to, const char *kind, struct tamis_class_error *m,
                         struct tamis_class_error *base)
{
    double *confusion = g->work, rows = 0;
    tamis_value *v = tamis_add_record(to, NULL);
    *base = measures_of(g, g->share, confusion);
    *m = measures_of(g, g->p, confusion);
    for (size_t i = 0; i < g->classes * g->classes; i++) rows += confusion[i];
    tamis_add_text(v, "kind", kind);
    tamis_add_number(v, "rows", rows);
    measures_add(v, m);
    tamis_add_number(v, "log_loss_se", log_loss_se(g, m->log_loss));
    measures_add(tamis_add_record(v, "baseline"), base);
    classes_add(v, g, confusion);
    reliability_add(v, g);
}

/* ---- rows ---- */

/* The model's calibrator, from held-out scores of training rows or, without any, from its own; their measures. Without
 * inputs, the probabilities are the shares of the classes. */
static int training_rows(struct tamis_run *run, tamis_value *to)
{
    struct tamis_result *r = run->result;
    const struct tamis_held *h = r->held;
    struct tamis_calibrator *c = tamis_calibrator_new(run->cx, run->encoder->classes);
    struct rating g;
    int status = rating_make(run, run->design, &g);
    r->model->calibrator = c;
    for (size_t k = 0; h && k < h->folds && !status; k++)
        status = tamis_fold_scores(run->cx, h->model[k], g.d, h->fold, k, g.score);
    if (!h && !status) status = tamis_fold_scores(run->cx, r->model, g.d, NULL, 0, g.score);
    if (!status) {
        c->on_log = on_log(&g);
        if (h || !c->on_log) status = tamis_fold_calibrate(run->cx, run->design, g.score, NULL, 0, c);
        else tamis_calibrate_none(c, (double)run->rows);
    }
    if (!status && h)
        status = tamis_cross_calibrate(run->cx, run->design, g.score, on_log(&g), h->fold, h->folds, g.p);
    if (!status && h) status = none_compare(&g, c);
    if (!status) shares_fill(&g);
    if (!status && !r->selected) memcpy(g.p, g.share, g.d->rows * g.classes * sizeof *g.p);
    if (!status && (h || !r->selected)) measured_add(&g, to, "fold", &r->held_class, &r->held_class_baseline);
    rating_free(&g);
    return status ? status : tamis_status(run->cx);
}

static int test_rows(struct tamis_run *run, tamis_value *to)
{
    struct tamis_result *r = run->result;
    struct rating g;
    int status = rating_make(run, run->test, &g);
    if (!status) status = tamis_fold_scores(run->cx, r->model, g.d, NULL, 0, g.score);
    if (!status) {
        tamis_calibrator_apply(r->model->calibrator, g.score, g.d->rows, g.p);
        shares_fill(&g);
        measured_add(&g, to, "test", &r->test_class, &r->test_class_baseline);
    }
    rating_free(&g);
    return status ? status : tamis_status(run->cx);
}

/* Without inputs, the scores are the shares of the classes, whatever the rows. */
static void how_add(struct tamis_run *run, tamis_value *v)
{
    const struct tamis_result *r = run->result;
    const struct tamis_calibrator *c = r->model->calibrator;
    int plain = c->unit == 1 && c->slope[0] == 1;
    const char *how = plain ? "none" : r->held ? "held-out" : "training";
    tamis_add_text(v, "calibration", how);
    if (!plain && !r->held && r->selected)
        tamis_note(run->cx, "probabilities are calibrated on the rows that the model was fitted to, as there are no "
                            "held-out predictions: they may be too sure");
}

int tamis_probabilities_fill(struct tamis_run *run)
{
    struct tamis_result *r = run->result;
    if (!run->encoder->classes || !r->model) return TAMIS_OK;
    tamis_value *v = r->probabilities = tamis_record_new(run->cx);
    tamis_value *to = tamis_add_list(v, "measured");
    int status = tamis_status(run->cx);
    if (!status) status = training_rows(run, to);
    if (!status && run->test) status = test_rows(run, to);
    if (!status) how_add(run, v);
    return status ? status : tamis_status(run->cx);
}
