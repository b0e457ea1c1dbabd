/* The table of losses, and calibration fold by fold.
 *
 * The share of wrong classes hardly depends on a rare class: calling every row by the largest class may be within a
 * standard error of the best set. The balanced error counts a row of class c, with N_c of N rows and C classes, as
 * N / (C N_c) rows; log loss and Brier score rate the probabilities of every row, and are proper. */
#include <string.h>
#include "select/losses.h"

enum { MOST_ROWS = 20000 };     /* that a calibrator is fitted to */

static const struct tamis_loss losses[] = {
    {"error", "misclassification", "share of rows misclassified", 0, NULL},
    {"balanced-error", "balanced error", "share misclassified, mean over classes", 1, NULL},
    {"log-loss", "log loss", "mean of -log(probability of the class)", 0, tamis_log_loss},
    {"brier", "Brier score", "mean squared distance of probabilities from the class", 0, tamis_brier},
};

const struct tamis_loss *tamis_loss_named(struct tamis_run *run, const char *name, const char *standard)
{
    const char *wanted = strcmp(name, "auto") ? name : standard;
    if (!run->encoder->classes) {
        tamis_fail(run->cx, TAMIS_USAGE, "--loss %s is for classes, but the target '%.60s' is a number; leave it out",
                   name, run->encoder->target);
        return NULL;
    }
    for (size_t i = 0; i < sizeof losses / sizeof *losses; i++)
        if (!strcmp(losses[i].name, wanted)) return &losses[i];
    return NULL;
}

/* ---- classes ---- */

void tamis_loss_counts(const struct tamis_design *d, double *count)
{
    size_t classes = d->encoder->classes;
    memset(count, 0, (classes + 2) * sizeof *count);
    for (size_t i = 0; i < d->rows; i++)
        if (d->y[i] < (double)classes) count[(size_t)d->y[i]] += tamis_row_weight(d, i);
    for (size_t c = 0; c < classes; c++) count[classes] += count[c], count[classes + 1] += count[c] > 0;
}

double tamis_loss_called(const struct tamis_loss *l, const double *count, size_t classes, double y, double predicted)
{
    if (y == predicted) return 0;
    return l->balanced ? count[classes] / (count[classes + 1] * count[(size_t)y]) : 1;
}

/* ---- calibration ---- */

int tamis_fold_calibrate(tamis_context *cx, const struct tamis_design *d, const double *score, const size_t *fold,
                         size_t k, struct tamis_calibrator *c)
{
    size_t n = d->rows, step = (n + MOST_ROWS - 1) / MOST_ROWS;
    double *weight = tamis_raw(cx, double, n), *work = tamis_raw(cx, double, tamis_calibrate_work(c->classes));
    struct tamis_scored s = {n, c->classes, score, d->y, weight};
    if (weight && work) {
        for (size_t i = 0; i < n; i++) weight[i] = i % step || (fold && fold[i] == k) ? 0 : tamis_row_weight(d, i);
        tamis_calibrate(&s, c, work);
    }
    tamis_free(weight);
    tamis_free(work);
    return tamis_status(cx);
}

int tamis_cross_calibrate(tamis_context *cx, const struct tamis_design *d, const double *score, int on_log,
                          const size_t *fold, size_t folds, double *p)
{
    size_t n = d->rows, classes = d->encoder->classes;
    struct tamis_calibrator *c = tamis_calibrator_new(cx, classes);
    double *own = tamis_raw(cx, double, n * classes);
    int status = tamis_status(cx);
    for (size_t k = 0; k < folds && !status; k++) {
        c->on_log = on_log;
        if ((status = tamis_fold_calibrate(cx, d, score, fold, k, c))) break;
        tamis_calibrator_apply(c, score, n, own);
        for (size_t i = 0; i < n * classes; i++)
            if (fold[i % n] == k) p[i] = own[i];
    }
    tamis_calibrator_free(c);
    tamis_free(own);
    return status;
}

/* ---- losses ---- */

/* Rows without a class have none. */
static void rows_rate(const struct tamis_loss *l, const struct tamis_design *d, const double *p, const double *count,
                      double *loss)
{
    size_t n = d->rows, classes = d->encoder->classes;
    struct tamis_rated r = {n, classes, p, d->y, NULL};
    for (size_t i = 0; i < n; i++) {
        double called = (double)tamis_largest_class(p, n, classes, i);
        loss[i] = 0;
        if (!(d->y[i] < (double)classes)) continue;
        loss[i] = l->rate ? l->rate(&r, i) : tamis_loss_called(l, count, classes, d->y[i], called);
    }
}

int tamis_loss_rows(tamis_context *cx, const struct tamis_loss *l, const struct tamis_design *d, const double *score,
                    const size_t *fold, size_t folds, double *loss)
{
    size_t classes = d->encoder->classes;
    double *count = tamis_raw(cx, double, classes + 2), *p = tamis_raw(cx, double, l->rate ? d->rows * classes : 1);
    int status = tamis_status(cx);
    if (!status && l->rate) status = tamis_cross_calibrate(cx, d, score, 0, fold, folds, p);
    if (!status) tamis_loss_counts(d, count);
    if (!status) rows_rate(l, d, l->rate ? p : score, count, loss);
    tamis_free(count);
    tamis_free(p);
    return status;
}
