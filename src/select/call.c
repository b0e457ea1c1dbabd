/* From options to designs, a plan and a run. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "base/pack.h"
#include "base/text.h"
#include "data/csv.h"
#include "select/call.h"

static int call_usage(struct tamis_call *c)
{
    const struct tamis_common *m = &c->common;
    if (c->test_table && m->holdout > 0)
        return tamis_fail(c->cx, TAMIS_USAGE, "--test and --holdout cannot both name the test rows");
    if (strcmp(m->method, "auto") && !tamis_method_find(m->method))
        return tamis_fail(c->cx, TAMIS_USAGE, "--method %s: there is no such method; 'tamis methods' lists them",
                          m->method);
    if (m->lags.from != floor(m->lags.from) || m->lags.to != floor(m->lags.to))
        return tamis_fail(c->cx, TAMIS_USAGE, "--lags %g:%g: whole numbers are wanted", m->lags.from, m->lags.to);
    if (m->groups && m->blocks)
        return tamis_fail(c->cx, TAMIS_USAGE,
                          "--groups and --blocks are two ways of cutting rows into folds; take one");
    if (tamis_options_get(c->given, "horizon") && !tamis_options_get(c->given, "lags"))
        return tamis_fail(c->cx, TAMIS_USAGE, "--horizon goes with --lags");
    return TAMIS_OK;
}

static struct tamis_roles roles_of(const struct tamis_call *c)
{
    const struct tamis_common *m = &c->common;
    struct tamis_roles r = {m->target,
                            (const char *const *)m->inputs.name,
                            m->inputs.count,
                            (const char *const *)m->ignore.name,
                            m->ignore.count,
                            !strcmp(m->task, "auto") ? -1 : !strcmp(m->task, "classification"),
                            (size_t)m->lags.from,
                            (size_t)m->lags.to,
                            tamis_options_get(c->given, "lags") ? m->horizon : 0,
                            TAMIS_IMPUTE_NONE,
                            m->neighbours,
                            m->groups};
    if (strcmp(m->impute, "none")) r.impute = strcmp(m->impute, "knn") ? TAMIS_IMPUTE_MEDIAN : TAMIS_IMPUTE_KNN;
    return r;
}

/* ---- rows ---- */

static int say_dropped(struct tamis_call *c, const tamis_table *t, size_t rows)
{
    size_t reach = tamis_encoder_reach(c->encoder);
    if (reach) {
        if (reach > t->rows) reach = t->rows;
        tamis_note(c->cx, "%s: the first %zu rows have not all their lags and only serve as inputs", t->file, reach);
        if (rows + reach < t->rows)
            tamis_note(c->cx, "%s: %zu more rows have missing values among their inputs or target and were left out",
                       t->file, t->rows - reach - rows);
    } else if (rows < t->rows && c->encoder->impute)
        tamis_note(c->cx, "%s: %zu of %zu rows have no target and were left out", t->file, t->rows - rows, t->rows);
    else if (rows < t->rows)
        tamis_note(c->cx, "%s: %zu of %zu rows have missing values and were left out", t->file, t->rows - rows,
                   t->rows);
    return TAMIS_OK;
}

static int column_used(const struct tamis_call *c, const char *name)
{
    for (size_t i = 0; i < c->encoder->inputs; i++)
        if (!strcmp(name, c->encoder->input[i].source ? c->encoder->input[i].source : c->encoder->input[i].name))
            return 1;
    return !strcmp(name, c->encoder->target);
}

static int enough_rows(struct tamis_call *c, size_t rows)
{
    if (rows >= 3) return TAMIS_OK;
    for (size_t j = 0; j < c->data->columns; j++) {
        size_t seen = 0;
        for (size_t n = 0; n < c->data->rows && !seen; n++) seen += !isnan(c->data->column[j].value[n]);
        if (!seen && column_used(c, c->data->column[j].name))
            return tamis_fail(
                c->cx, TAMIS_DATA,
                "%s: %zu complete rows, because column '%s' has no value at all; leave it out with --ignore",
                c->data->file, rows, c->data->column[j].name);
    }
    return tamis_fail(c->cx, TAMIS_DATA, "%s: %zu complete row%s; at least 3 are needed to learn from", c->data->file,
                      rows, rows == 1 ? "" : "s");
}

static int something_varies(struct tamis_call *c)
{
    size_t constant = 0;
    for (size_t i = 0; i < c->encoder->inputs; i++) constant += (size_t)c->encoder->input[i].constant;
    if (constant == c->encoder->inputs)
        return tamis_fail(c->cx, TAMIS_DATA,
                          "%s: every input has one value in all training rows: there is nothing to choose",
                          c->data->file);
    if (constant)
        tamis_note(c->cx, "%zu input%s the same value in all training rows and cannot matter", constant,
                   constant == 1 ? " has" : "s have");
    return TAMIS_OK;
}

/* A class (or the number 0 of all) for each row of the table, for stratified hold-outs. */
static const double *classes_of(const struct tamis_call *c)
{
    return c->encoder->classes ? c->data->column[tamis_table_find(c->data, c->encoder->target)].value : NULL;
}

/* Rows with their inputs but no class, put behind the others; row[0 .. *rows - 1] are the labelled rows in any
 * order. */
static int unlabelled_add(struct tamis_call *c, size_t **row, size_t *rows)
{
    size_t *all = NULL, *labelled = NULL, count = 0, known = 0, next = 0, n = *rows;
    int status = tamis_rows_complete(c->cx, c->encoder, c->data, 0, &all, &count);
    if (!status) status = tamis_rows_complete(c->cx, c->encoder, c->data, 1, &labelled, &known);
    size_t *both = status ? NULL : tamis_raw(c->cx, size_t, n + count - known + 1);
    for (size_t i = 0; both && i < n; i++) both[i] = (*row)[i];
    for (size_t i = 0; both && i < count; i++) {
        if (next < known && all[i] == labelled[next]) next++;
        else both[(*rows)++] = all[i];
    }
    tamis_free(all);
    tamis_free(labelled);
    if (!both) return tamis_status(c->cx);
    tamis_free(*row);
    *row = both;
    return TAMIS_OK;
}

static size_t group_column(const struct tamis_call *c)
{
    return c->common.groups ? tamis_table_find(c->data, c->common.groups) : c->data->columns;
}

static int held_by_group(struct tamis_call *c, size_t *row, size_t rows, size_t *held)
{
    size_t groups = 0, *group = tamis_raw(c->cx, size_t, rows);
    int status = group ? tamis_groups_number(c->cx, c->data, group_column(c), row, rows, group, &groups)
                       : tamis_status(c->cx);
    if (!status)
        status = tamis_split_group_holdout(c->cx, row, rows, group, groups, c->common.holdout, c->common.seed, held);
    tamis_free(group);
    return status;
}

/* Brings the rows that --holdout asks for to the front. */
static int hold_out(struct tamis_call *c, size_t *row, size_t rows, size_t *held)
{
    int labels = c->encoder->classes &&
                 c->data->column[tamis_table_find(c->data, c->encoder->target)].type == TAMIS_CATEGORY;
    if (c->common.groups) return held_by_group(c, row, rows, held);
    if (c->encoder->series || c->common.blocks) return tamis_split_last(c->cx, row, rows, c->common.holdout, held);
    return tamis_split_holdout(c->cx, row, rows, labels ? classes_of(c) : NULL, c->encoder->classes, c->common.holdout,
                               c->common.seed, held);
}

/* row: first `held` rows that are held out, then those to learn from, then those without a class that are learnt from,
 * too. */
static int rows_choose(struct tamis_call *c, size_t **row, size_t *rows, size_t *labelled, size_t *held)
{
    const struct tamis_split *p = c->split;
    int status = TAMIS_OK;
    *held = 0;
    if (p && !(*row = tamis_raw(c->cx, size_t, p->learns + p->helds))) return tamis_status(c->cx);
    if (p) {
        if (p->helds) memcpy(*row, p->held, p->helds * sizeof **row);
        memcpy(*row + p->helds, p->learn, p->learns * sizeof **row);
        *rows = p->learns + p->helds;
        *held = p->helds;
    } else status = tamis_rows_complete(c->cx, c->encoder, c->data, 1, row, rows);
    *labelled = *rows;
    if (!status && c->run.plan.unlabelled && c->encoder->classes) status = unlabelled_add(c, row, rows);
    if (status || p) return status;
    c->dropped = c->data->rows - *rows;
    say_dropped(c, c->data, *rows);
    if (*rows > *labelled)
        tamis_note(c->cx, "%s: %zu rows without a class are used too", c->data->file, *rows - *labelled);
    return c->common.holdout > 0 ? hold_out(c, *row, *labelled, held) : TAMIS_OK;
}

static int design_groups(struct tamis_call *c, const size_t *row)
{
    struct tamis_design *d = c->design;
    d->blocks |= c->common.blocks;
    if (!c->common.groups) return TAMIS_OK;
    if (!(d->group = tamis_raw(c->cx, size_t, d->rows))) return tamis_status(c->cx);
    return tamis_groups_number(c->cx, c->data, group_column(c), row, d->rows, d->group, &d->groups);
}

static int test_design(struct tamis_call *c)
{
    size_t *row = NULL, rows = 0;
    int status = tamis_rows_complete(c->cx, c->encoder, c->test_table, 1, &row, &rows);
    if (!status && !rows) status = tamis_fail(c->cx, TAMIS_DATA, "%s: no row is complete", c->test_table->file);
    if (!status) say_dropped(c, c->test_table, rows);
    if (!status && !(c->test = tamis_design_apply(c->cx, c->encoder, c->test_table, row, rows, 1)))
        status = tamis_status(c->cx);
    tamis_free(row);
    return status;
}

static int designs_make(struct tamis_call *c)
{
    size_t *row = NULL, rows = 0, labelled = 0, held = 0;
    int status = rows_choose(c, &row, &rows, &labelled, &held);
    if (!status) status = enough_rows(c, rows - held);
    if (!status && !(c->row = tamis_raw(c->cx, size_t, labelled))) status = tamis_status(c->cx);
    if (!status) memcpy(c->row, row + held, (c->rows = labelled - held) * sizeof *c->row);
    if (!status &&
        !(c->design = tamis_design_learn(c->cx, c->encoder, c->data, row + held, rows - held, c->common.standardize)))
        status = tamis_status(c->cx);
    if (!status) status = design_groups(c, row + held);
    if (!status) status = something_varies(c);
    if (!status && held && !(c->test = tamis_design_apply(c->cx, c->encoder, c->data, row, held, 1)))
        status = tamis_status(c->cx);
    if (!status && c->test_table) status = test_design(c);
    tamis_free(row);
    return status;
}

/* ---- method and options ---- */

int tamis_task_fits(const struct tamis_design *d, const char *task)
{
    return !task || !strcmp(task, "both") || !strcmp(task, d->encoder->classes ? "classification" : "regression");
}

static int task_fits(const struct tamis_call *c, const char *task) { return tamis_task_fits(c->design, task); }

void tamis_plan_tables(const struct tamis_plan *p, struct tamis_option_table used[TAMIS_TABLES])
{
    size_t n = TAMIS_FIRST_OWN;
    memset(used, 0, TAMIS_TABLES * sizeof *used);
    used[0] = (struct tamis_option_table){"output", tamis_output_options};
    used[1] = (struct tamis_option_table){"data", tamis_read_options};
    used[2] = (struct tamis_option_table){"common", tamis_common_options};
    used[n++] = (struct tamis_option_table){"method", p->method->options};
    if (p->more) used[n++] = (struct tamis_option_table){"more", p->more};
    if (p->criterion) used[n++] = (struct tamis_option_table){"criterion", p->criterion->options};
    if (p->search) used[n++] = (struct tamis_option_table){"search", p->search->options};
    if (p->criterion && p->search) used[n++] = (struct tamis_option_table){"path", tamis_path_options};
}

static int plan_make(struct tamis_call *c)
{
    struct tamis_plan *p = &c->run.plan;
    int status = TAMIS_OK;
    if (!strcmp(c->common.method, "auto"))
        status = tamis_auto_pick(c->cx, c->design, c->options, &p->method, c->why, sizeof c->why);
    else p->method = tamis_method_find(c->common.method);
    if (status) return status;
    status = p->method->plan(c->cx, c->options, p);
    if (status) return status;
    if (!task_fits(c, p->method->task) || (p->criterion && !task_fits(c, p->criterion->task)))
        return tamis_fail(c->cx, TAMIS_USAGE, "%s %s is for %s, and the target '%s' asks for %s",
                          task_fits(c, p->method->task) ? "criterion" : "method",
                          task_fits(c, p->method->task) ? p->criterion->name : p->method->name,
                          task_fits(c, p->method->task) ? p->criterion->task : p->method->task, c->encoder->target,
                          c->encoder->classes ? "classification" : "regression");
    if (c->encoder->more && !p->several)
        return tamis_fail(
            c->cx, TAMIS_USAGE,
            "method %s predicts one target at a time, and --target names %zu; opelm and lars take several",
            p->method->name, 1 + c->encoder->more);
    struct tamis_option_table used[TAMIS_TABLES];
    tamis_plan_tables(p, used);
    return tamis_options_unused(c->cx, c->options, used, p->method->name);
}

/* Options that leave the numbers of the selection itself alone. */
static int aside(const char *name)
{
    return !strcmp(name, "checkpoint") || !strcmp(name, "evidence") || !strcmp(name, "outer") ||
           !strcmp(name, "repeats") || !strcmp(name, "bootstrap") || !strcmp(name, "threads") ||
           !strcmp(name, "memory");
}

static void sum_option(void *arg, const char *name, const char *text)
{
    uint64_t *sum = arg;
    for (const struct tamis_option *r = tamis_output_options; r->name; r++)
        if (!strcmp(r->name, name)) return;
    if (!aside(name)) *sum += tamis_checksum(text, strlen(text), tamis_checksum(name, strlen(name), 0));
}

/* What a checkpoint must agree with: the numbers, the options that change them, the version. */
static uint64_t fingerprint(const struct tamis_call *c)
{
    const struct tamis_design *d = c->design;
    uint64_t sum = tamis_checksum(TAMIS_VERSION, strlen(TAMIS_VERSION), d->rows), options = 0;
    sum = tamis_checksum(d->x, d->rows * d->columns * sizeof *d->x, sum);
    sum = tamis_checksum(d->y, d->rows * tamis_design_outputs(d) * sizeof *d->y, sum);
    sum = tamis_checksum(c->run.plan.method->name, strlen(c->run.plan.method->name), sum);
    tamis_options_each(c->options, sum_option, &options);
    return sum ^ options;
}

int tamis_call_prepare(struct tamis_call *c, const tamis_options *o)
{
    c->given = o;
    int status = tamis_options_read(c->cx, o, tamis_common_options, &c->common);
    if (!status) status = call_usage(c);
    if (status) return status;
    const struct tamis_common *m = &c->common;
    struct tamis_roles roles = roles_of(c);
    if (!(c->options = tamis_options_copy(c->cx, o)) || !(c->encoder = tamis_encoder_new(c->cx, c->data, &roles)))
        return tamis_status(c->cx);
    const struct tamis_method *named = tamis_method_find(m->method);
    if (named) status = named->plan(c->cx, c->options, &c->run.plan);           /* which rows it wants */
    if (!status) status = designs_make(c);
    if (!status) status = plan_make(c);
    if (status) return status;
    c->run.cx = c->cx;
    c->run.options = c->options;
    c->run.design = c->design;
    c->run.test = c->test;
    c->run.seed = m->seed;
    c->run.checkpoint = m->checkpoint;
    c->run.fingerprint = fingerprint(c);
    return TAMIS_OK;
}

void tamis_call_finish(struct tamis_call *c)
{
    tamis_free(c->row);
    tamis_design_free(c->design);
    tamis_design_free(c->test);
    tamis_encoder_free(c->encoder);
    tamis_options_free(c->options);
}

static int memory_fits(struct tamis_call *c)
{
    struct tamis_cost cost = {0, 0, NULL};
    int status = c->run.plan.method->cost(&c->run, &cost);
    return status ? status
                  : tamis_memory_check(c->cx, cost.bytes, c->run.plan.method->name,
                                       cost.remedy ? cost.remedy
                                                   : "take fewer rows or inputs, or allow more with --memory");
}

int tamis_call_run(struct tamis_call *c, struct tamis_outcome **out)
{
    int status = memory_fits(c);
    if (!status && !(c->run.outcome = tamis_outcome_new(c->cx, c->design))) status = tamis_status(c->cx);
    if (!status) status = c->run.plan.method->run(&c->run);
    if (status) tamis_outcome_free(c->run.outcome);
    *out = status ? NULL : c->run.outcome;
    return status;
}
