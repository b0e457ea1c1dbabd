/* How well a model of classes does in the folds of the first split: log losses of its held-out scores as they are, or
 * calibrated (num/calibrate.h) if they are lower then. */
#include <string.h>
#include "method/sift/sift.h"
#include "num/class_measures.h"
#include "select/held.h"
#include "select/losses.h"

/* row_loss: of the scores through a calibrator; p: rows x classes. */
static void rows_rate(const struct sift *s, const struct tamis_calibrator *c, const double *score, double *p,
                      double *row_loss)
{
    const struct tamis_design *d = s->run->design;
    struct tamis_rated r = {d->rows, d->encoder->classes, p, d->y, NULL};
    tamis_calibrator_apply(c, score, d->rows, p);
    for (size_t i = 0; i < d->rows; i++) row_loss[i] = tamis_log_loss(&r, i);
}

/* r->loss: the lesser of both. One calibrator for all rows: it has few parameters, and every rung has one. */
static int losses_fill(struct sift *s, const double *score, struct sift_rung *r)
{
    const struct tamis_design *d = s->run->design;
    tamis_context *cx = s->run->cx;
    size_t n = d->rows, classes = d->encoder->classes;
    struct tamis_calibrator *c = tamis_calibrator_new(cx, classes);
    double *p = tamis_raw(cx, double, n * classes), *row_loss = tamis_raw(cx, double, n),
           *plain = tamis_raw(cx, double, s->observations);
    int status = tamis_status(cx) ? tamis_status(cx) : tamis_fold_calibrate(cx, d, score, NULL, 0, c);
    if (!status) {
        rows_rate(s, c, score, p, row_loss);
        sift_observe(s, row_loss, r->loss);
        tamis_calibrate_none(c, (double)n);
        rows_rate(s, c, score, p, row_loss);
        sift_observe(s, row_loss, plain);
        if (sift_mean(s, plain) < sift_mean(s, r->loss)) memcpy(r->loss, plain, s->observations * sizeof *plain);
    }
    tamis_calibrator_free(c);
    void *all[] = {p, row_loss, plain};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) tamis_free(all[i]);
    return status;
}

int sift_rung_rate(struct sift *s, struct sift_rung *r)
{
    const struct tamis_design *d = s->run->design;
    double *score = tamis_raw(s->run->cx, double, d->rows * d->encoder->classes);
    int status = tamis_status(s->run->cx);
    for (size_t f = 0; f < s->s.folds && !status; f++)
        status = tamis_fold_scores(s->run->cx, r->model[f], d, s->fold, f, score);
    for (size_t i = 0; i < d->rows && !status; i++)
        r->prediction[i] = (double)tamis_largest_class(score, d->rows, d->encoder->classes, i);
    if (!status) status = losses_fill(s, score, r);
    tamis_free(score);
    return status;
}
