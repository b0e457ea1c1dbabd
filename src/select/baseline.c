/* What simple predictions score on the same rows and in the same units as the errors of a result: the mean or the
 * majority class; in a time series also the last known value (persistence) and the value a season earlier. */
#include <math.h>
#include "data/series.h"
#include "model/linear.h"
#include "num/weighted.h"
#include "select/run.h"

/* ---- constants ---- */

static size_t majority(const struct tamis_design *d)
{
    size_t best = 0;
    double most = 0;
    for (size_t c = 0; c < d->encoder->classes; c++) {
        double n = 0;
        for (size_t i = 0; i < d->rows; i++) n += d->y[i] == (double)c ? tamis_row_weight(d, i) : 0;
        if (n > most) most = n, best = c;
    }
    return best;
}

/* Mean over the rows of `to` (rows without a class come last and do not count) of the loss of the best constant of
 * `from`. Where rows are spread, a failure stays in the context. */
static double constant_error(const struct tamis_design *from, const struct tamis_design *to)
{
    size_t classes = from->encoder->classes, outputs = tamis_design_outputs(from), best = classes ? majority(from) : 0;
    struct { double sum, rows; } of = {0, 0};
    double all = from->weight ? tamis_weight_sum(from->weight, from->rows) : (double)tamis_design_all_rows(from);
    for (size_t i = 0; classes && i < to->rows; i++)
        if (to->y[i] < (double)classes)
            of.sum += to->y[i] != (double)best ? tamis_row_weight(to, i) : 0, of.rows += tamis_row_weight(to, i);
    for (size_t o = 0; !classes && o < outputs; o++) {
        double mean = 0;
        tamis_spread_take(from->spread, &mean, sizeof mean);
        for (size_t i = 0; i < from->rows; i++) mean += tamis_row_weight(from, i) * from->y[i + from->rows * o] / all;
        tamis_spread_give(from->spread, &mean, sizeof mean);
        tamis_spread_take(to->spread, &of, sizeof of);
        for (size_t i = 0; i < to->rows; i++) {
            of.sum += tamis_row_weight(to, i) * pow(to->y[i + to->rows * o] - mean, 2);
            of.rows += tamis_row_weight(to, i);
        }
        tamis_spread_give(to->spread, &of, sizeof of);
    }
    return of.sum / of.rows;
}

double tamis_constant_error(const struct tamis_design *d) { return constant_error(d, d); }

struct tamis_model *tamis_constant_model(tamis_context *cx, const struct tamis_design *d)
{
    size_t outputs = tamis_encoder_outputs(d->encoder), classes = d->encoder->classes;
    unsigned char *none = tamis_new(cx, unsigned char, d->inputs);
    struct tamis_linear *m = tamis_linear_new(cx, 0, outputs);
    struct tamis_encoder *e = none ? tamis_encoder_subset(cx, d->encoder, none) : NULL;
    double all = 0;
    for (size_t i = 0; i < d->rows; i++) all += !classes || d->y[i] < (double)classes ? tamis_row_weight(d, i) : 0;
    for (size_t i = 0; m && i < d->rows; i++) {
        double w = tamis_row_weight(d, i) / all;
        if (classes && d->y[i] < (double)classes) m->b[(size_t)d->y[i]] += w;
        for (size_t o = 0; !classes && o < outputs; o++) m->b[o] += w * d->y[i + d->rows * o];
    }
    tamis_free(none);
    return tamis_model_new(cx, &tamis_linear_kind, e, m);
}

int tamis_constant_fit(struct tamis_run *run)
{
    run->result->model = tamis_constant_model(run->cx, run->design);
    run->result->error = tamis_constant_error(run->design);
    return tamis_status(run->cx);
}

/* ---- repetition, in a time series ---- */

/* Rows of a table, and its targets. */
struct rows { const tamis_table *t; const size_t *row, *since, *target; size_t rows; const double *weigh; };

static int known(const struct rows *r, size_t n, size_t back)
{
    return n >= back && (!r->since || r->since[n] >= back) && !isnan(r->t->column[*r->target].value[n - back]);
}

static double loss_at(const struct tamis_encoder *e, const struct rows *r, size_t n, size_t back, size_t o)
{
    const double *y = r->t->column[r->target[o]].value;
    if (e->classes) return y[n] != y[n - back];
    return pow((y[n] - y[n - back]) / (o ? e->more_scale[o - 1] : e->target_scale), 2);
}

/* Mean loss of repeating what the target was `back` rows earlier, over the rows where that is known: *count of them. */
static double repeat_error(const struct tamis_encoder *e, const struct rows *r, size_t back, size_t *count)
{
    double sum = 0, all = 0;
    *count = 0;
    for (size_t i = 0; back && i < r->rows; i++) {
        if (!known(r, r->row[i], back)) continue;
        double w = tamis_weight_at(r->weigh, r->row[i]);
        for (size_t o = 0; o <= e->more; o++) sum += w * (loss_at(e, r, r->row[i], back, o) / (double)(1 + e->more));
        all += w;
        ++*count;
    }
    return *count ? sum / all : NAN;
}

static int repeats_fill(struct tamis_run *run, const tamis_table *t, const size_t *row, size_t rows,
                        const double *weigh, struct tamis_baselines *b)
{
    size_t *at = tamis_encoder_columns(run->cx, run->encoder, t, 1), last, earlier;
    struct tamis_breaks breaks = {0};
    if (at && !tamis_time_breaks(run->cx, run->encoder, t, &breaks)) {
        struct rows r = {t, row, breaks.since, at + run->encoder->inputs, rows, weigh};
        b->persistence = repeat_error(run->encoder, &r, run->common.horizon, &last);
        b->seasonal = repeat_error(run->encoder, &r, run->season, &earlier);
        if (run->season && earlier < rows)
            tamis_note(run->cx, "%s: the value one season earlier is known in %zu of %zu rows; the seasonal error is "
                       "theirs", t->file, earlier, rows);
    }
    tamis_free(breaks.since);
    tamis_free(at);
    return tamis_status(run->cx);
}

/* ---- all of them ---- */

static const struct tamis_baselines unknown = {NAN, NAN, NAN};

int tamis_baselines_test(struct tamis_run *run, struct tamis_baselines *b)
{
    const tamis_table *t = run->test_table ? run->test_table : run->data;
    *b = unknown;
    if (!run->test) return TAMIS_OK;
    b->constant = constant_error(run->design, run->test);
    if (!run->encoder->series) return TAMIS_OK;
    return repeats_fill(run, t, run->test_row, run->test->rows, run->test_table ? run->test_weigh : run->weigh, b);
}

int tamis_baselines_fill(struct tamis_run *run)
{
    struct tamis_result *r = run->result;
    int error = !run->criterion || !run->criterion->units, status = TAMIS_OK;   /* not a mutual information, say */
    r->baseline = unknown;
    if (error) r->baseline.constant = constant_error(run->design, run->design);
    if (error && run->encoder->series) status = repeats_fill(run, run->data, run->row, run->rows, run->weigh,
                                                                 &r->baseline);
    return status ? status : tamis_baselines_test(run, &r->test_baseline);
}
