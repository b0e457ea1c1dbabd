/* Which rows a run learns from, which are held out, and the designs of both. A list of rows has those held out first,
 * then those to learn from, then those without a class that the method also uses. */
#include <math.h>
#include <string.h>
#include "base/text.h"
#include "data/series.h"
#include "select/run.h"

enum { COLUMNS_SHOWN = 3 };     /* that cost the most rows */

/* The used column that lacks the most values, among those with less than *most, which moves there; NULL: none. */
static const char *worst_column(const tamis_table *t, const size_t *at, size_t count, size_t *most)
{
    size_t below = *most;
    const char *name = NULL;
    *most = 0;
    for (size_t i = 0; i < count; i++) {
        size_t missing = 0;
        for (size_t n = 0; n < t->rows; n++) missing += isnan(t->column[at[i]].value[n]) != 0;
        if (missing > *most && missing < below) *most = missing, name = t->column[at[i]].name;
    }
    return name;
}

static void note_missing(struct tamis_run *run, const tamis_table *t, size_t rows)
{
    size_t *at = tamis_encoder_columns(run->cx, run->encoder, t, 1), most = SIZE_MAX;
    struct tamis_text worst = {.cx = run->cx};
    for (int shown = 0; at && shown < COLUMNS_SHOWN; shown++) {
        const char *name = worst_column(t, at, run->encoder->inputs + 1 + run->encoder->more, &most);
        if (!name) break;
        tamis_text_printf(&worst, "%s'%.60s' (%zu)", shown ? ", " : "", name, most);
    }
    if (worst.s && !worst.failed)
        tamis_note(run->cx, "%s: %zu of %zu rows have missing values and were dropped, most in %s; --impute median "
                   "keeps rows without some inputs", t->file, t->rows - rows, t->rows, worst.s);
    tamis_text_free(&worst);
    tamis_free(at);
}

static void note_gaps(struct tamis_run *run, const tamis_table *t, const struct tamis_breaks *b, size_t cost)
{
    const struct tamis_time *time = &run->encoder->time;
    const double *value = t->column[tamis_table_find(t, time->column)].value;
    char where[40], length[40];
    if (b->back)
        tamis_note(run->cx, "%s: time does not move forward at %zu row%s of '%.60s', which count%s as gaps", t->file,
                   b->back, b->back == 1 ? "" : "s", time->column, b->back == 1 ? "s" : "");
    if (b->gaps)
        tamis_note(run->cx, "%s: %zu gap%s in '%.60s', the longest %s after %s", t->file, b->gaps,
                   b->gaps == 1 ? "" : "s", time->column, tamis_duration_text(b->longest, time->date, length),
                   tamis_time_text(value[b->after], time->date, where));
    if (b->gaps + b->back)
        tamis_note(run->cx, "%s: lags do not run across gaps, which leaves out %zu row%s; --time none ignores gaps",
                   t->file, cost, cost == 1 ? "" : "s");
}

/* In a series; rows: those that are complete. */
static void note_lags(struct tamis_run *run, const tamis_table *t, size_t rows)
{
    size_t reach = tamis_encoder_reach(run->encoder), cost;
    struct tamis_breaks b;
    if (reach > t->rows) reach = t->rows;
    if (reach)
        tamis_note(run->cx, "%s: the first %zu rows lack some of their lags and serve as inputs only", t->file, reach);
    if (tamis_time_breaks(run->cx, run->encoder, t, &b)) return;
    cost = tamis_breaks_cost(&b, t->rows, reach);
    if (b.since) note_gaps(run, t, &b, cost);
    if (rows + reach + cost < t->rows)
        tamis_note(run->cx, "%s: %zu more rows have missing values among their inputs or target and were dropped",
                   t->file, t->rows - reach - cost - rows);
    tamis_free(b.since);
}

static void note_dropped(struct tamis_run *run, const tamis_table *t, size_t rows)
{
    if (run->encoder->series) note_lags(run, t, rows);
    else if (rows < t->rows && run->encoder->impute)
        tamis_note(run->cx, "%s: %zu of %zu rows have no target and were dropped", t->file, t->rows - rows, t->rows);
    else if (rows < t->rows) note_missing(run, t, rows);
}

static int column_used(const struct tamis_run *run, const char *name)
{
    for (size_t i = 0; i < run->encoder->inputs; i++)
        if (!strcmp(name, run->encoder->input[i].source ? run->encoder->input[i].source : run->encoder->input[i].name))
            return 1;
    return !strcmp(name, run->encoder->target);
}

static int rows_check(struct tamis_run *run, size_t rows)
{
    if (rows >= 3) return TAMIS_OK;
    for (size_t j = 0; j < run->data->columns; j++) {
        size_t seen = 0;
        for (size_t n = 0; n < run->data->rows && !seen; n++) seen += !isnan(run->data->column[j].value[n]);
        if (!seen && column_used(run, run->data->column[j].name))
            return tamis_fail(run->cx, TAMIS_DATA,
                              "%s: %zu complete rows, because column '%s' is empty; drop it with --ignore",
                              run->data->file, rows, run->data->column[j].name);
    }
    return tamis_fail(run->cx, TAMIS_DATA, "%s: %zu complete row%s; at least 3 are needed to learn from",
                      run->data->file, rows, rows == 1 ? "" : "s");
}

static int inputs_check(struct tamis_run *run)
{
    size_t constant = 0;
    for (size_t i = 0; i < run->encoder->inputs; i++) constant += (size_t)run->encoder->input[i].constant;
    if (constant == run->encoder->inputs)
        return tamis_fail(run->cx, TAMIS_DATA,
                          "%s: every input is constant in the training rows; there is nothing to choose from",
                          run->data->file);
    if (tamis_target_lone(run->design))
        tamis_note(run->cx,
                   "the target '%s' has one value in all rows but one; no other row can confirm what it depends on",
                   run->encoder->target);
    if (constant)
        tamis_note(run->cx, "%zu input%s constant in the training rows and cannot matter", constant,
                   constant == 1 ? " is" : "s are");
    return TAMIS_OK;
}

/* The class of each row of the table, for stratified hold-outs; NULL: regression. */
static const double *classes_of(const struct tamis_run *run)
{
    return run->encoder->classes ? run->data->column[tamis_table_find(run->data, run->encoder->target)].value : NULL;
}

/* Appends the rows that have their inputs but no class; row[0 .. *rows - 1] are the labelled ones in any order. */
static int unlabelled_add(struct tamis_run *run, size_t **row, size_t *rows)
{
    size_t *all = NULL, *labelled = NULL, count = 0, known = 0, next = 0, n = *rows;
    int status = tamis_rows_complete(run->cx, run->encoder, run->data, 0, &all, &count);
    if (!status) status = tamis_rows_complete(run->cx, run->encoder, run->data, 1, &labelled, &known);
    size_t *both = status ? NULL : tamis_raw(run->cx, size_t, n + count - known + 1);
    for (size_t i = 0; both && i < n; i++) both[i] = (*row)[i];
    for (size_t i = 0; both && i < count; i++) {
        if (next < known && all[i] == labelled[next]) next++;
        else if (tamis_run_weight(run, all[i]) > 0) both[(*rows)++] = all[i];
    }
    tamis_free(all);
    tamis_free(labelled);
    if (!both) return tamis_status(run->cx);
    tamis_free(*row);
    *row = both;
    return TAMIS_OK;
}

/* ---- groups ---- */

/* By --groups; without it, every row for itself. */
static int groups_by_column(struct tamis_run *run, const size_t *row, size_t rows, struct tamis_row_groups *g)
{
    if (!(g->of = tamis_raw(run->cx, size_t, rows))) return tamis_status(run->cx);
    if (run->common.groups)
        return tamis_groups_number(run->cx, run->data, tamis_table_find(run->data, run->common.groups), row, rows,
                                   g->of, &g->count);
    for (size_t i = 0; i < rows; i++) g->of[i] = i;
    g->count = rows;
    return TAMIS_OK;
}

int tamis_run_groups(struct tamis_run *run, const size_t *row, size_t rows, struct tamis_row_groups *g)
{
    int ordered = run->encoder->series || run->common.blocks;
    *g = (struct tamis_row_groups){0};
    if (ordered && !run->common.groups) return TAMIS_OK;
    int status = groups_by_column(run, row, rows, g);
    size_t before = g->count;
    if (!status && !ordered)
        status = tamis_groups_join_equal(run->cx, run->encoder, run->data, row, rows, g->of, &g->count, &g->repeated);
    g->joined = g->count < before;
    if (!status && (g->joined || run->common.groups)) return TAMIS_OK;
    tamis_free(g->of);
    g->of = NULL;
    g->count = 0;
    return status;
}

/* Reorders distinct rows, those that --holdout sets aside first. */
static int hold_out_distinct(struct tamis_run *run, const struct tamis_distinct *q, size_t *row, size_t *held)
{
    size_t classes = run->encoder->classes;
    int labels = classes && run->data->column[tamis_table_find(run->data, run->encoder->target)].type == TAMIS_CATEGORY;
    const double *class_of = labels ? classes_of(run) : NULL;
    double share = run->common.holdout;
    struct tamis_grouping s = {q->rows, q->group, q->groups, class_of, classes, q->row};
    if (q->group) return tamis_split_group_holdout(run->cx, &s, row, share, run->common.seed, held);
    if (run->encoder->series || run->common.blocks) return tamis_split_last(run->cx, row, q->rows, share, held);
    return tamis_split_holdout(run->cx, row, q->rows, class_of, classes, share, run->common.seed, held);
}

/* Moves the rows that stand with one of the first `helds` of picked[], in increasing order, to the front; how many. */
static size_t held_to_front(const struct tamis_distinct *q, const size_t *picked, size_t helds, size_t *row,
                            size_t rows, size_t *copy, unsigned char *out)
{
    size_t held = 0, front = 0, kept = 0;
    for (size_t k = 0, next = 0; k < q->rows; k++) next += out[k] = next < helds && picked[next] == q->row[k];
    for (size_t i = 0; i < rows; i++) copy[i] = row[i], held += out[q->of[i]];
    for (size_t i = 0; i < rows; i++) row[out[q->of[i]] ? front++ : held + kept++] = copy[i];
    return held;
}

/* Moves the rows that --holdout sets aside to the front: shares of distinct rows, with their copies. */
static int hold_out(struct tamis_run *run, size_t *row, size_t rows, size_t *held)
{
    struct tamis_distinct q;
    size_t helds = 0;
    if (tamis_distinct_find(run, row, rows, &q)) return tamis_status(run->cx);
    size_t *picked = tamis_raw(run->cx, size_t, q.rows), *copy = tamis_raw(run->cx, size_t, rows);
    unsigned char *out = tamis_new(run->cx, unsigned char, q.rows);
    if (picked && copy && out) {
        memcpy(picked, q.row, q.rows * sizeof *picked);
        if (!hold_out_distinct(run, &q, picked, &helds)) *held = held_to_front(&q, picked, helds, row, rows, copy, out);
    }
    tamis_free(picked);
    tamis_free(copy);
    tamis_free(out);
    tamis_distinct_free(&q);
    return tamis_status(run->cx);
}

/* Without the rows of weight 0, which a series keeps for their values. */
static void weightless_drop(const double *weigh, size_t *row, size_t *rows)
{
    size_t kept = 0;
    for (size_t i = 0; i < *rows; i++)
        if (!weigh || weigh[row[i]] > 0) row[kept++] = row[i];
    *rows = kept;
}

/* The rows of run->split, those held out first. */
static int split_rows(struct tamis_run *run, size_t **row, size_t *rows, size_t *held)
{
    const struct tamis_split *p = run->split;
    if (!(*row = tamis_raw(run->cx, size_t, p->learns + p->helds))) return tamis_status(run->cx);
    if (p->helds) memcpy(*row, p->held, p->helds * sizeof **row);
    memcpy(*row + p->helds, p->learn, p->learns * sizeof **row);
    *rows = p->learns + p->helds;
    *held = p->helds;
    return TAMIS_OK;
}

int tamis_rows_find(struct tamis_run *run, size_t **row, size_t *rows, size_t *held)
{
    *held = 0;
    if (run->split) return split_rows(run, row, rows, held);
    int status = tamis_rows_complete(run->cx, run->encoder, run->data, 1, row, rows);
    if (!status) weightless_drop(run->weigh, *row, rows);
    return status || run->common.holdout <= 0 ? status : hold_out(run, *row, *rows, held);
}

static size_t weightless(const double *weigh, size_t rows)
{
    size_t n = 0;
    for (size_t i = 0; weigh && i < rows; i++) n += weigh[i] == 0;
    return n;
}

/* Adds rows without a class if the method uses them, and notes what was dropped. */
static int rows_complete(struct tamis_run *run, size_t **row, size_t *rows)
{
    size_t labelled = *rows;
    int status = run->unlabelled && run->encoder->classes ? unlabelled_add(run, row, rows) : TAMIS_OK;
    if (status || run->split) return status;
    run->dropped = run->data->rows - weightless(run->weigh, run->data->rows) - *rows;
    note_dropped(run, run->data, *rows + weightless(run->weigh, run->data->rows));
    if (*rows > labelled)
        tamis_note(run->cx, "%s: %zu rows without a class are used too", run->data->file, *rows - labelled);
    return TAMIS_OK;
}

static void note_repeated(struct tamis_run *run, size_t repeated)
{
    run->repeated = repeated;
    if (run->design->fewer_folds)
        tamis_note(run->cx, "%zu row%s an earlier row exactly; equal rows stay in the same fold", repeated,
                   repeated == 1 ? " repeats" : "s repeat");
}

/* A design of all rows, for a method without weights: copies form groups. */
static int design_of_all(struct tamis_run *run, const size_t *row, size_t rows)
{
    struct tamis_row_groups g = {0};
    run->labelled = run->rows;
    run->design = tamis_design_learn(run->cx, run->encoder, run->data, row, rows, run->common.standardize);
    int status = run->design ? tamis_run_groups(run, row, rows, &g) : tamis_status(run->cx);
    if (status) return status;
    run->design->group = g.of;
    run->design->groups = g.count;
    run->design->fewer_folds = g.joined;
    note_repeated(run, g.repeated);
    return TAMIS_OK;
}

static int distinct_check(struct tamis_run *run)
{
    if (run->labelled >= 3) return TAMIS_OK;
    return tamis_fail(run->cx, TAMIS_DATA, "%s: %zu different row%s; at least 3 are needed to learn from",
                      run->data->file, run->labelled, run->labelled == 1 ? "" : "s");
}

/* A design of the rows that stand for others, with their weights. */
static int design_of_distinct(struct tamis_run *run, const size_t *row, size_t rows)
{
    struct tamis_distinct q;
    if (tamis_distinct_find(run, row, rows, &q)) return tamis_status(run->cx);
    for (run->labelled = 0; run->labelled < q.rows && q.at[run->labelled] < run->rows;) run->labelled++;
    int status = distinct_check(run);
    if (!status)
        run->design = tamis_design_learn_weighted(run->cx, run->encoder, run->data, q.row, q.rows, q.weight,
                                                  run->common.standardize);
    if (run->design) {
        run->design->group = q.group;
        run->design->groups = q.groups;
        run->design->fewer_folds = q.joined;
        run->place = q.of;
        q.group = q.of = NULL;
        note_repeated(run, q.repeated);
    }
    tamis_distinct_free(&q);
    return tamis_status(run->cx);
}

/* weigh: of each row of the table that the test rows are of. */
static int test_weigh(struct tamis_run *run, const double *weigh)
{
    double *weight = weigh ? tamis_raw(run->cx, double, run->test->rows) : NULL;
    for (size_t i = 0; weight && i < run->test->rows; i++) weight[i] = weigh[run->test_row[i]];
    if (weight) tamis_design_weigh(run->cx, run->test, weight);
    tamis_free(weight);
    return tamis_status(run->cx);
}

static int test_design(struct tamis_run *run)
{
    size_t *row = NULL, rows = 0;
    int status = tamis_rows_complete(run->cx, run->encoder, run->test_table, 1, &row, &rows);
    if (!status) weightless_drop(run->test_weigh, row, &rows);
    if (!status && !rows) status = tamis_fail(run->cx, TAMIS_DATA, "%s: no complete row", run->test_table->file);
    if (!status) note_dropped(run, run->test_table, rows + weightless(run->test_weigh, run->test_table->rows));
    if (!status && !(run->test = tamis_design_apply(run->cx, run->encoder, run->test_table, row, rows, 1)))
        status = tamis_status(run->cx);
    run->test_row = row;
    return status ? status : test_weigh(run, run->test_weigh);
}

/* Rows of the table that are held out. */
static int held_design(struct tamis_run *run, const size_t *row, size_t held)
{
    if (!(run->test_row = tamis_raw(run->cx, size_t, held))) return tamis_status(run->cx);
    memcpy(run->test_row, row, held * sizeof *row);
    run->test = tamis_design_apply(run->cx, run->encoder, run->data, row, held, 1);
    return run->test ? test_weigh(run, run->weigh) : tamis_status(run->cx);
}

/* A design of the rows of this process. Copies would become one row of more weight: there must be none. */
static int design_of_part(struct tamis_run *run, const size_t *row, size_t rows)
{
    size_t repeated = 0;
    int status = tamis_rows_repeated(run->cx, run->encoder, run->data, row, rows, &run->spread, &repeated);
    if (!status && repeated)
        status = tamis_fail(run->cx, TAMIS_DATA, "%s: %zu row%s another row exactly, which --split-rows cannot count "
                            "as one; leave %s out of the table", run->data->file, repeated,
                            repeated == 1 ? " repeats" : "s repeat", repeated == 1 ? "it" : "them");
    if (!status)
        run->design = tamis_design_learn_spread(run->cx, run->encoder, run->data, row, rows, &run->spread,
                                                run->common.standardize);
    run->labelled = run->rows;
    return status ? status : tamis_status(run->cx);
}

static int training_design(struct tamis_run *run, const size_t *row, size_t rows)
{
    int status = run->common.split_rows  ? design_of_part(run, row, rows)
                 : tamis_run_weighs(run) ? design_of_distinct(run, row, rows)
                                         : design_of_all(run, row, rows);
    run->used = run->common.split_rows ? run->spread.all : rows;
    if (run->design) run->design->blocks |= run->common.blocks;
    return status ? status : inputs_check(run);
}

/* Counts the complete rows of all processes. */
static int parts_count(struct tamis_run *run, size_t rows)
{
    struct tamis_spread table;
    tamis_spread_begin(run->cx, &table);
    run->spread = table;
    int status = tamis_spread_count(&table, run->data->rows);
    if (!status) status = tamis_spread_count(&run->spread, rows);
    run->dropped = table.all - run->spread.all;
    if (!status && run->dropped)
        tamis_note(run->cx, "%s: %zu of %zu rows have missing values and were dropped", run->data->file, run->dropped,
                   table.all);
    return status;
}

int tamis_rows_design(struct tamis_run *run, size_t **row, size_t rows, size_t held)
{
    size_t labelled = rows;
    int split = run->common.split_rows, status = split ? parts_count(run, rows) : rows_complete(run, row, &rows);
    if (!status) status = rows_check(run, split ? run->spread.all : rows - held);
    if (!status && !(run->row = tamis_raw(run->cx, size_t, labelled))) status = tamis_status(run->cx);
    if (!status) memcpy(run->row, *row + held, (run->rows = labelled - held) * sizeof *run->row);
    if (!status) status = training_design(run, *row + held, rows - held);
    if (!status && held) status = held_design(run, *row, held);
    return status || !run->test_table ? status : test_design(run);
}
