/* Rows that count as one: equal rows, by the guard of data/equal_rows.c, and rows with a weight.
 *
 * Copies of a row are one observation that was written down several times. The first of them stands for all, with the
 * sum of their weights, so that a table with row weights and the table in which rows are repeated instead are the same
 * to every hold-out, fold, resample and method. A fit of some inputs takes the rows as one that are equal in all
 * inputs: in one column alone, copies look like chance. Where the order of the rows matters, every row stands for
 * itself. */
#include "select/method.h"

void tamis_distinct_free(struct tamis_distinct *q)
{
    tamis_free(q->at);
    tamis_free(q->of);
    tamis_free(q->row);
    tamis_free(q->weight);
    tamis_free(q->group);
    *q = (struct tamis_distinct){0};
}

double tamis_run_weight(const struct tamis_run *run, size_t row) { return run->weigh ? run->weigh[row] : 1; }

int tamis_run_weighs(const struct tamis_run *run)
{
    return run->method->weights && (!run->criterion || run->criterion->weights);
}

/* The groups of --groups, joined where rows of theirs are equal; those of the rows that stand for others. */
static int groups_fill(struct tamis_run *run, const size_t *row, size_t rows, const size_t *first,
                       struct tamis_distinct *q)
{
    size_t *group = tamis_raw(run->cx, size_t, rows), before, n = 0;
    int status = group ? tamis_groups_number(run->cx, run->data, tamis_table_find(run->data, run->common.groups), row,
                                             rows, group, &q->groups)
                       : tamis_status(run->cx);
    before = q->groups;
    if (!status) status = tamis_groups_join(run->cx, first, rows, group, &q->groups);
    q->joined = q->groups < before;
    for (size_t i = 0; !status && i < rows; i++)
        if (first[i] == i) group[n++] = group[i];
    q->group = group;
    return status;
}

static void rows_fill(const struct tamis_run *run, const size_t *row, size_t rows, const size_t *first,
                      struct tamis_distinct *q)
{
    for (size_t i = 0; i < rows; i++) {
        if (first[i] == i) q->at[q->rows] = i, q->row[q->rows] = row[i], q->weight[q->rows] = 0, q->of[i] = q->rows++;
        else q->of[i] = q->of[first[i]];
        q->weight[q->of[i]] += tamis_run_weight(run, row[i]);
    }
    q->joined = q->rows < rows;
}

int tamis_distinct_find(struct tamis_run *run, const size_t *row, size_t rows, struct tamis_distinct *q)
{
    int ordered = run->encoder->series || run->common.blocks;
    size_t *first = tamis_raw(run->cx, size_t, rows);
    *q = (struct tamis_distinct){.at = tamis_raw(run->cx, size_t, rows), .of = tamis_raw(run->cx, size_t, rows),
                                 .row = tamis_raw(run->cx, size_t, rows), .weight = tamis_raw(run->cx, double, rows)};
    int status = tamis_status(run->cx);
    for (size_t i = 0; !status && i < rows; i++) first[i] = i;
    if (!status && !ordered)
        status = tamis_rows_first(run->cx, run->whole ? run->whole : run->encoder, run->data, row, rows, first,
                                  &q->repeated);
    if (!status) rows_fill(run, row, rows, first, q);
    if (!status && run->common.groups) status = groups_fill(run, row, rows, first, q);
    tamis_free(first);
    if (status) tamis_distinct_free(q);
    return status;
}
