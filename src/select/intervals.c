/* Prediction intervals: quantiles of the residuals of training rows by models that have not seen them
 * (num/conformal.h), kept with the model, and how many held-out rows the intervals hold.
 *
 * The share of training rows is cross-fitted: the interval of a row comes from the residuals outside its fold. Rows
 * must be exchangeable: a new row as likely to have a large residual as any other. In a time series that says that
 * errors of the future are like those of the past, of whole blocks that were left out. */
#include <math.h>
#include <string.h>
#include "num/conformal.h"
#include "select/held.h"
#include "select/run.h"

enum { MOST_POINTS = 2000 };
static const double levels[] = {0.5, 0.8, 0.9, 0.95};

/* Residuals of the rows of a design, standardised: rows x targets. */
struct residues {
    struct tamis_run *run;
    const struct tamis_design *d;
    double *r, *point;          /* point: room for MOST_POINTS */
    struct tamis_place *place;
};

static void residues_free(struct residues *q)
{
    tamis_free(q->r);
    tamis_free(q->point);
    tamis_free(q->place);
}

static int residues_make(struct tamis_run *run, const struct tamis_design *d, struct residues *q)
{
    *q = (struct residues){run, d, tamis_raw(run->cx, double, d->rows * tamis_design_outputs(d)),
                           tamis_raw(run->cx, double, MOST_POINTS), tamis_raw(run->cx, struct tamis_place, d->rows)};
    return tamis_status(run->cx);
}

/* Of the rows in fold k (fold NULL: of all). */
static int residues_add(struct residues *q, const struct tamis_model *m, const size_t *fold, size_t k)
{
    tamis_context *cx = q->run->cx;
    size_t n = q->d->rows, targets = tamis_design_outputs(q->d);
    double *x = tamis_raw(cx, double, n * m->encoder->columns + 1), *out = tamis_raw(cx, double, n * targets);
    int status = tamis_status(cx);
    if (!status) tamis_model_gather(m, q->d, x);
    if (!status) status = tamis_held_apply(cx, m, q->d->encoder, x, n, out);
    for (size_t i = 0; i < n * targets && !status; i++)
        if (!fold || fold[i % n] == k) q->r[i] = q->d->y[i] - out[i];
    tamis_free(x);
    tamis_free(out);
    return status;
}

/* Points of target o from the rows outside fold k (folds: from all). */
static size_t points_of(struct residues *q, size_t o, const size_t *fold, size_t k)
{
    size_t n = q->d->rows, used = 0;
    for (size_t i = 0; i < n; i++)
        if (!fold || fold[i] != k) q->place[used++] = (struct tamis_place){q->r[i + n * o], i};
    return tamis_residual_points(q->place, used, q->d->weight, MOST_POINTS, q->point);
}

/* ---- how many rows they hold ---- */

struct cover { double held, rows, width; };

/* Rows of fold k (fold NULL: all) of target o whose residual is between the ends. */
static void cover_add(const struct residues *q, size_t o, const size_t *fold, size_t k, double lower, double upper,
                      struct cover *c)
{
    size_t n = q->d->rows;
    for (size_t i = 0; i < n; i++) {
        double w = tamis_row_weight(q->d, i), r = q->r[i + n * o];
        if (fold && fold[i] != k) continue;
        c->rows += w;
        c->held += w * (r >= lower && r <= upper);
        c->width += w * (upper - lower);
    }
}

/* Training rows, each by the residuals outside its fold, all targets together. */
static struct cover cover_folds(struct residues *q, const struct tamis_held *h, double level)
{
    struct cover c = {0};
    for (size_t o = 0; o < tamis_design_outputs(q->d); o++)
        for (size_t k = 0; k < h->folds; k++) {
            double lower, upper;
            size_t n = points_of(q, o, h->fold, k);
            if (!tamis_interval_ends(q->point, n, level, &lower, &upper)) return (struct cover){NAN, 1, NAN};
            cover_add(q, o, h->fold, k, lower, upper, &c);
        }
    return c;
}

/* Test rows, by the residuals of the model. */
static struct cover cover_test(const struct residues *q, const struct tamis_residuals *r, double level)
{
    struct cover c = {0};
    for (size_t o = 0; o < tamis_design_outputs(q->d); o++) {
        double lower, upper;
        tamis_interval_ends(r->point + r->count * o, r->count, level, &lower, &upper);
        cover_add(q, o, NULL, 0, lower, upper, &c);
    }
    return c;
}

/* ---- the result ---- */

static int residuals_keep(struct residues *q, struct tamis_model *m)
{
    size_t n = q->d->rows, count = n < MOST_POINTS ? n : MOST_POINTS, targets = tamis_design_outputs(q->d);
    struct tamis_residuals *r = m->residuals = tamis_residuals_new(q->run->cx, count, targets);
    for (size_t o = 0; r && o < targets; o++) {
        points_of(q, o, NULL, 0);
        memcpy(r->point + count * o, q->point, count * sizeof *q->point);
    }
    return tamis_status(q->run->cx);
}

/* Ends and widths of one target in its units; of several they are in the model, and the width is standardised. */
static void level_add(struct residues *q, struct residues *test, tamis_value *list, double level)
{
    const struct tamis_result *r = q->run->result;
    const struct tamis_encoder *e = q->run->encoder;
    const struct tamis_residuals *s = r->model->residuals;
    double lower, upper, scale = e->more ? 1 : e->target_scale;
    if (!tamis_interval_ends(s->point, s->count, level, &lower, &upper)) return;
    struct cover c = r->held ? cover_folds(q, r->held, level) : (struct cover){NAN, 1, upper - lower};
    tamis_value *v = tamis_add_record(list, NULL);
    tamis_add_number(v, "level", level);
    if (!e->more) {
        tamis_add_number(v, "lower", scale * lower);
        tamis_add_number(v, "upper", scale * upper);
    }
    tamis_add_number(v, "width", scale * c.width / c.rows);
    tamis_add_number(v, "coverage", c.held / c.rows);
    if (!test) return;
    c = cover_test(test, s, level);
    tamis_add_number(v, "test_coverage", c.held / c.rows);
}

static int levels_add(struct residues *q)
{
    struct tamis_run *run = q->run;
    struct residues test = {0};
    int status = run->test ? residues_make(run, run->test, &test) : TAMIS_OK;
    if (!status && run->test) status = residues_add(&test, run->result->model, NULL, 0);
    tamis_value *v = status ? NULL : tamis_record_new(run->cx);
    run->result->intervals = v;
    if (v) {
        tamis_add_number(v, "rows", (double)q->d->rows);
        tamis_value *list = tamis_add_list(v, "levels");
        for (size_t k = 0; k < sizeof levels / sizeof *levels; k++)
            level_add(q, run->test ? &test : NULL, list, levels[k]);
    }
    residues_free(&test);
    return tamis_status(run->cx);
}

static int all_finite(const struct residues *q)
{
    for (size_t i = 0; i < q->d->rows * tamis_design_outputs(q->d); i++)
        if (!isfinite(q->r[i])) return 0;
    return 1;
}

/* Without inputs the model is the mean, whose residuals without a row are n / (n - 1) of those with it. */
static int is_constant(const struct tamis_run *run)
{
    return !run->result->selected && run->design->rows > 1 && run->common.evidence;
}

static int constant_residues(struct residues *q)
{
    size_t n = q->d->rows;
    int status = residues_add(q, q->run->result->model, NULL, 0);
    for (size_t i = 0; i < n * tamis_design_outputs(q->d) && !status; i++) q->r[i] *= (double)n / (double)(n - 1);
    return status;
}

int tamis_intervals_fill(struct tamis_run *run)
{
    const struct tamis_held *h = run->result->held;
    struct residues q;
    if (run->encoder->classes || !run->result->model || (!h && !is_constant(run))) return TAMIS_OK;
    int status = residues_make(run, run->design, &q);
    for (size_t k = 0; h && k < h->folds && !status; k++) status = residues_add(&q, h->model[k], h->fold, k);
    if (!h && !status) status = constant_residues(&q);
    int known = !status && all_finite(&q);
    if (known) status = residuals_keep(&q, run->result->model);
    if (known && !status) status = levels_add(&q);
    residues_free(&q);
    return status;
}
