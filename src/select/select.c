/* tamis_select: from a table and options to a result. */
#include <math.h>
#include <string.h>
#include "base/blas.h"
#include "base/watch.h"
#include "evidence/evidence.h"
#include "select/held.h"
#include "select/method.h"
#include "select/parts.h"
#include "select/resample.h"
#include "select/weighing.h"

const char *tamis_loss_units(const struct tamis_run *run)
{
    if (run->encoder->classes) return "share of rows misclassified";
    return run->common.standardize ? "mean squared error of the standardised target"
                                   : "mean squared error of the target";
}

/* Held-out predictions as users read them: rows of the table, units of the target. */
static int held_out_fill(struct tamis_run *run)
{
    struct tamis_result *r = run->result;
    const struct tamis_encoder *e = run->encoder;
    if (!r->held_out || e->more) return TAMIS_OK;
    r->held_row = tamis_raw(run->cx, size_t, run->rows);
    r->held_prediction = tamis_raw(run->cx, double, run->rows);
    if (!r->held_row || !r->held_prediction) return tamis_status(run->cx);
    for (size_t i = 0; i < run->rows; i++) {
        double out = r->held_out[run->place ? run->place[i] : i];
        r->held_row[i] = run->data->origin ? run->data->origin[run->row[i]] : run->row[i];
        r->held_prediction[i] = e->classes ? out : e->target_mean + e->target_scale * out;
    }
    r->held_rows = run->rows;
    return TAMIS_OK;
}

static int result_fill(struct tamis_run *run)
{
    struct tamis_result *r = run->result;
    r->method = run->method->name;
    if (*run->why) r->picked = tamis_strdup(run->cx, run->why);
    r->units = run->criterion && run->criterion->units ? run->criterion->units : tamis_loss_units(run);
    r->rows = run->used;
    r->dropped = run->dropped;
    r->test_rows = run->test ? run->test->rows : 0;
    r->threads = tamis_threads(run->cx);
    return tamis_status(run->cx);
}

/* The selection itself: the first part of the work; outer folds and resamples are the rest. */
int tamis_selection_run(struct tamis_run *run)
{
    struct tamis_span before = tamis_span_enter(run->cx, 0, 1 / tamis_outer_runs(run), NULL);
    tamis_items_part(run->cx, "selection");
    int status = tamis_run_select(run);
    tamis_span_leave(run->cx, before);
    return status ? status : tamis_baselines_fill(run);
}

/* The run itself, its validation, and its evidence; in a part, its items alone, and there is no result. */
static int run_all(struct tamis_run *run, const tamis_options *o, double began)
{
    int status = tamis_run_prepare(run, o);
    if (!status && tamis_parts_only(run->cx)) return tamis_parts_run(run);
    if (!status) status = tamis_selection_run(run);
    if (!status) status = tamis_outer_run(run);
    tamis_items_part(run->cx, "evidence");
    if (!status) status = result_fill(run);
    if (!status) status = tamis_inputs_test(run);
    if (!status && run->common.evidence) status = tamis_held_fill(run);
    if (!status && run->common.evidence) status = tamis_importance_fill(run);
    if (!status && run->common.evidence) status = tamis_held_error_se(run);
    if (!status) status = tamis_probabilities_fill(run);
    if (!status) status = tamis_intervals_fill(run);
    if (!status && run->common.evidence) status = tamis_evidence_fill(run);
    if (!status) status = held_out_fill(run);           /* evidence may have made them */
    if (!status) status = tamis_result_notes(run->cx, run->result);
    if (status) return status;
    run->result->seconds = tamis_clock() - began;
    return tamis_result_tree(run);
}

int tamis_select(tamis_context *cx, const tamis_table *data, const tamis_table *test, const tamis_options *o,
                 tamis_result **out)
{
    TAMIS_CALL(cx);
    struct tamis_run run = {.cx = cx};
    struct tamis_weighing w = {0};
    double began = tamis_clock();
    *out = NULL;
    if (tamis_check_cancel(cx)) return tamis_status(cx);
    struct tamis_resources before = tamis_resources_apply(cx, o);
    struct tamis_span span = tamis_span_enter(cx, 0, 1, NULL);
    struct tamis_watch watch = tamis_watch_begin(cx);
    int blas = tamis_blas_begin(cx), status = blas ? blas : tamis_weighing_begin(cx, o, &data, &test, &w);
    run.data = data;
    run.test_table = test;
    if (!status) status = tamis_parts_begin(cx, "selection", data, test, o);
    int part = tamis_parts_only(cx);
    if (!status) status = run_all(&run, o, began);
    if (!status) tamis_progress(cx, run.method->name, 1, 1);
    tamis_span_leave(cx, span);
    tamis_watch_end(watch);
    if (!status) status = tamis_status(cx);
    if (!status && part) tamis_parts_end(cx);
    else if (!status) {
        *out = run.result;
        run.result = NULL;
    }
    tamis_run_finish(&run);
    tamis_weighing_end(&w);
    if (!blas) tamis_blas_end();
    tamis_resources_restore(cx, before);
    return status;
}

int tamis_estimate(tamis_context *cx, const tamis_table *data, const tamis_options *o, double *bytes, double *flops)
{
    TAMIS_CALL(cx);
    struct tamis_run run = {.cx = cx};
    struct tamis_weighing w;
    struct tamis_cost cost = {0};
    if (tamis_check_cancel(cx)) return tamis_status(cx);
    struct tamis_resources before = tamis_resources_apply(cx, o);
    struct tamis_watch watch = tamis_watch_begin(cx);
    int status = tamis_weighing_begin(cx, o, &data, NULL, &w);
    run.data = data;
    if (!status) status = tamis_run_prepare(&run, o);
    if (!status) status = run.method->cost(&run, &cost);
    if (!status && run.method->foresee) status = run.method->foresee(&run, &cost);
    *bytes = cost.bytes;
    *flops = status ? 0 : cost.flops * tamis_outer_runs(&run) * tamis_stability_runs(&run.common);
    if (!status) status = tamis_held_cost(&run, flops);
    if (!status) status = tamis_inputs_test_cost(&run, flops);
    tamis_watch_end(watch);
    if (!status) status = tamis_stopped(cx);
    tamis_run_finish(&run);
    tamis_weighing_end(&w);
    tamis_resources_restore(cx, before);
    return status;
}
