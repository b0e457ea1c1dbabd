/* Prepares a run from its options and runs the method. */
#include <math.h>
#include <string.h>
#include "base/nearest.h"
#include "base/pack.h"
#include "data/series.h"
#include "data/weights.h"
#include "select/method.h"
#include "select/resample.h"

/* ---- options ---- */

/* Options of time series alone. */
static int series_check(struct tamis_run *run)
{
    static const char *const needs_lags[] = {"horizon", "time", "season"};
    for (size_t i = 0; i < sizeof needs_lags / sizeof *needs_lags; i++)
        if (tamis_options_get(run->given, needs_lags[i]) && !tamis_options_get(run->given, "lags"))
            return tamis_fail(run->cx, TAMIS_USAGE, "--%s needs --lags", needs_lags[i]);
    return TAMIS_OK;
}

static int season_read(struct tamis_run *run)
{
    const struct tamis_common *m = &run->common;
    int status = m->season ? tamis_duration_rows(run->cx, run->encoder, "season", m->season, &run->season) : TAMIS_OK;
    if (status || !m->season || run->season >= m->horizon) return status;
    return tamis_fail(run->cx, TAMIS_USAGE, "--season %s is shorter than --horizon %zu: that value is not known yet",
                      m->season, m->horizon);
}

/* What --split-rows can do: sift, or a search with the Delta Test, of numbers, on all rows as they are. */
static int split_check(struct tamis_run *run)
{
    static const char *const whole[] = {"row-weights", "holdout", "outer", "bootstrap", "stability", "groups", "blocks",
                                        "impute", "lags", "dates", "categorical", "select-rule", "test-inputs",
                                        "checkpoint"};
    tamis_context *cx = run->cx;
    if (!run->common.split_rows) return TAMIS_OK;
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++)
        if (tamis_options_get(run->given, whole[i]))
            return tamis_fail(cx, TAMIS_USAGE, "--%s needs all rows in one process; it does not go with --split-rows",
                              whole[i]);
    if (run->test_table)
        return tamis_fail(cx, TAMIS_USAGE, "--test does not go with --split-rows; predict the test rows with the model");
    run->common.evidence = 0;
    return TAMIS_OK;
}

static int usage_check(struct tamis_run *run)
{
    const struct tamis_common *m = &run->common;
    if (run->test_table && m->holdout > 0)
        return tamis_fail(run->cx, TAMIS_USAGE, "--test and --holdout both name test rows; give one of them");
    if (strcmp(m->method, "auto") && !tamis_method_find(m->method))
        return tamis_fail(run->cx, TAMIS_USAGE, "--method %s: unknown method%s", m->method,
                          tamis_hint(m->method, tamis_method_name, NULL, "; 'tamis methods' lists them").text);
    if (m->lags.from != floor(m->lags.from) || m->lags.to != floor(m->lags.to))
        return tamis_fail(run->cx, TAMIS_USAGE, "--lags %g:%g: expected whole numbers", m->lags.from, m->lags.to);
    if (m->groups && m->blocks)
        return tamis_fail(run->cx, TAMIS_USAGE, "--groups and --blocks both define the folds; give one of them");
    int status = series_check(run);
    return status ? status : split_check(run);
}

/* What else --split-rows needs, once there are columns and a criterion. */
static int split_fits(const struct tamis_run *run)
{
    const struct tamis_encoder *e = run->encoder;
    tamis_context *cx = run->cx;
    if (!run->common.split_rows) return TAMIS_OK;
    if (!run->method->spreads)
        return tamis_fail(cx, TAMIS_USAGE, "--split-rows is for --method sift, or search with the Delta Test; %s holds "
                          "all rows in every process", run->method->name);
    if (run->criterion && strcmp(run->criterion->name, "delta"))
        return tamis_fail(cx, TAMIS_USAGE, "--criterion %s does not go with --split-rows; delta does",
                          run->criterion->name);
    if (e->classes || e->more)
        return tamis_fail(cx, TAMIS_USAGE, "--split-rows is for one target of numbers");
    for (size_t i = 0; i < e->inputs; i++)
        if (e->input[i].levels || e->input[i].date)
            return tamis_fail(cx, TAMIS_DATA,
                              "%s: '%s' is not a column of numbers, which --split-rows needs; --ignore it",
                              run->data->file, e->input[i].name);
    return TAMIS_OK;
}

static int roles_of(const struct tamis_run *run, struct tamis_roles *r)
{
    const struct tamis_common *m = &run->common;
    *r = (struct tamis_roles){
        .force = !strcmp(m->task, "auto") ? -1 : !strcmp(m->task, "classification"),
        .lag_from = (size_t)m->lags.from,
        .lag_to = (size_t)m->lags.to,
        .horizon = tamis_options_get(run->given, "lags") ? m->horizon : 0,
        .impute = TAMIS_IMPUTE_NONE,
        .neighbours = m->neighbours,
        .plain = m->split_rows,
    };
    if (strcmp(m->impute, "none")) r->impute = strcmp(m->impute, "knn") ? TAMIS_IMPUTE_MEDIAN : TAMIS_IMPUTE_KNN;
    return tamis_roles_read(run->cx, run->given, r);
}

/* ---- fingerprint ---- */

/* Options that do not change the numbers of the selection itself. */
static int is_neutral(const char *name)
{
    return !strcmp(name, "checkpoint") || !strcmp(name, "evidence") || !strcmp(name, "outer") ||
           !strcmp(name, "repeats") || !strcmp(name, "bootstrap") || !strcmp(name, "threads") ||
           !strcmp(name, "memory");
}

static void sum_option(void *arg, const char *name, const char *text)
{
    uint64_t *sum = arg;
    if (!is_neutral(name)) *sum += tamis_checksum(text, strlen(text), tamis_checksum(name, strlen(name), 0));
}

/* Checkpoints must match it: a checksum of the data, the options that change the numbers, and the version. */
static uint64_t fingerprint(const struct tamis_run *run)
{
    const struct tamis_design *d = run->design;
    uint64_t sum = tamis_checksum(TAMIS_VERSION, strlen(TAMIS_VERSION), d->rows), options = 0;
    sum = tamis_checksum(d->x, d->rows * d->columns * sizeof *d->x, sum);
    sum = tamis_checksum(d->y, d->rows * tamis_design_outputs(d) * sizeof *d->y, sum);
    if (d->weight) sum = tamis_checksum(d->weight, d->rows * sizeof *d->weight, sum);
    sum = tamis_checksum(run->method->name, strlen(run->method->name), sum);
    tamis_options_each(run->options, sum_option, &options);
    return sum ^ options;
}

/* ---- the steps ---- */

/* A test table without the column of weights has rows that count once. */
static int weights_read(struct tamis_run *run)
{
    const char *name = run->common.row_weights;
    const tamis_table *test = run->test_table;
    int status = name ? tamis_weights_find(run->cx, run->data, name, &run->weigh) : TAMIS_OK;
    if (status || !name || !test || tamis_table_find(test, name) == test->columns) return status;
    return tamis_weights_find(run->cx, test, name, &run->test_weigh);
}

/* The inputs that the run may use. */
static int encoder_make(struct tamis_run *run, const struct tamis_roles *roles)
{
    struct tamis_encoder *all = tamis_encoder_new(run->cx, run->data, roles);
    run->encoder = all && run->only ? tamis_encoder_subset(run->cx, all, run->only) : all;
    run->whole = all != run->encoder ? all : NULL;
    return tamis_status(run->cx);
}

/* Rows to learn from, with those of other processes. */
static int rows_all(const struct tamis_run *run, size_t rows, size_t *all)
{
    struct tamis_spread s;
    *all = rows;
    if (!run->common.split_rows) return TAMIS_OK;
    tamis_spread_begin(run->cx, &s);
    int status = tamis_spread_count(&s, rows);
    *all = s.all;
    return status;
}

int tamis_run_prepare(struct tamis_run *run, const tamis_options *o)
{
    size_t *row = NULL, rows = 0, held = 0, all = 0;
    const struct tamis_runner *runner = tamis_runner_of(run->cx);
    run->given = o;
    if (!(run->options = tamis_options_copy(run->cx, o))) return tamis_status(run->cx);
    int status = tamis_published_set(run);
    if (!status) status = tamis_options_read(run->cx, run->options, tamis_common_options, &run->common);
    if (!status) status = usage_check(run);
    if (status) return status;
    struct tamis_roles roles;
    if (roles_of(run, &roles)) return tamis_status(run->cx);
    run->seed = run->common.seed;
    run->checkpoint = runner && runner->keeps ? NULL : run->common.checkpoint;
    if (encoder_make(run, &roles)) return tamis_status(run->cx);
    status = season_read(run);
    if (!status) status = weights_read(run);
    if (!status) status = tamis_rows_find(run, &row, &rows, &held);
    if (!status) status = rows_all(run, rows - held, &all);
    if (!status) status = tamis_resolve(run, all);
    if (!status) status = split_fits(run);
    if (!status) status = tamis_stability_check(run);
    if (!status) status = tamis_rows_design(run, &row, rows, held);
    if (!status) run->fingerprint = fingerprint(run);
    tamis_free(row);
    return status;
}

void tamis_run_finish(struct tamis_run *run)
{
    tamis_free(run->row);
    tamis_free(run->test_row);
    tamis_free(run->place);
    tamis_design_free(run->design);
    tamis_design_free(run->test);
    tamis_encoder_free(run->encoder);
    tamis_encoder_free(run->whole);
    tamis_options_free(run->options);
    tamis_result_free(run->result);
}

static int memory_fits(struct tamis_run *run)
{
    struct tamis_cost cost = {0};
    int status = run->method->cost(run, &cost);
    const char *remedy = cost.remedy ? cost.remedy : "use fewer rows or inputs, or allow more with --memory";
    return status ? status : tamis_memory_check(run->cx, cost.bytes, run->method->name, remedy);
}

int tamis_run_select(struct tamis_run *run)
{
    int status = memory_fits(run);
    if (!status && run->checkpoint && !run->method->checkpoint && !(run->common.stability > 0))
        tamis_note(run->cx, "%s keeps no checkpoint: %s was not written", run->method->name, run->checkpoint);
    if (!status && !(run->result = tamis_result_new(run->cx, run->design))) status = tamis_status(run->cx);
    if (status) return status;
    return run->common.stability > 0 ? tamis_stability_select(run) : run->method->select(run);
}
