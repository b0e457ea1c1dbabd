/* tamis clean */
#include <string.h>
#include "cli.h"

/* The trade-off: what each number of rows a step leaves; of many, those where the number of columns changes, and the
 * one taken. */
static void print_tradeoff(const tamis_reduction *r, size_t count, size_t chosen)
{
    printf("  rows a step  iterations     rows  columns\n");
    for (size_t i = 0; i < count; i++) {
        int turn = !i || r[i].columns != r[i - 1].columns;
        if (r[i].rows && (turn || i == chosen))
            printf("  %11zu  %10zu  %7zu  %7zu%s\n", r[i].samples_per_step, r[i].iterations, r[i].rows, r[i].columns,
                   i == chosen ? "  <" : "");
    }
}

static void print_json(const struct cli *c, const tamis_table *left, const tamis_reduction *r, size_t count,
                       size_t chosen)
{
    printf("{\n  \"file\": ");
    cli_json_string(stdout, c->word[0]);
    printf(", \"rows\": %zu, \"columns\": %zu, \"samples_per_step\": %zu,\n  \"kept\": [", r[chosen].rows,
           r[chosen].columns, r[chosen].samples_per_step);
    for (size_t j = 0; j < tamis_table_columns(left); j++) {
        if (j) printf(", ");
        cli_json_string(stdout, tamis_table_name(left, j));
    }
    printf("],\n  \"tradeoff\": [");
    for (size_t i = 0; i < count; i++)
        printf("%s\n    {\"samples_per_step\": %zu, \"iterations\": %zu, \"rows\": %zu, \"columns\": %zu}",
               i ? "," : "", r[i].samples_per_step, r[i].iterations, r[i].rows, r[i].columns);
    printf("\n  ]\n}\n");
}

static int constants(struct cli *c, const tamis_table *t, size_t *count)
{
    int status = TAMIS_OK;
    for (size_t j = 0; j < tamis_table_columns(t) && !status; j++) {
        tamis_column col;
        status = tamis_table_describe(c->cx, t, j, &col);
        *count += !status && col.distinct <= 1;
    }
    return status;
}

static int report(struct cli *c, const tamis_table *t, const tamis_table *left, const tamis_reduction *r, size_t count,
                  size_t chosen)
{
    size_t constant = 0;
    const char *target = cli_option(c, "target");
    int status = constants(c, left, &constant);
    if (status) return cli_fail(c, status);
    if (cli_flag(c, "json")) {
        print_json(c, left, r, count, chosen);
        return TAMIS_OK;
    }
    printf("%s: %zu rows, %zu columns\n", c->word[0], tamis_table_rows(t), tamis_table_columns(t));
    printf("clean: %zu x %zu without missing values", r[chosen].rows, r[chosen].columns);
    if (target) printf(", and the target %s", target);
    printf("; %zu constant\n\n", constant);
    print_tradeoff(r, count, chosen);
    return TAMIS_OK;
}

static int run(struct cli *c)
{
    tamis_table *t = NULL, *left = NULL;
    tamis_reduction *r = NULL;
    size_t count = 0, chosen = 0, n = 0;
    char *text = NULL;
    const char *output = cli_option(c, "output");
    int status = cli_read_table(c, c->word[0], &t);
    if (status) return status;
    status = tamis_table_clean(c->cx, t, c->options, &left, &r, &count, &chosen);
    if (!status && output) status = tamis_table_csv(c->cx, left, &text, &n);
    if (status) cli_fail(c, status);
    else if (output) status = cli_write(c, output, text, n);
    if (!status && !(output && !strcmp(output, "-"))) status = report(c, t, left, r, count, chosen);
    tamis_release(text);
    tamis_release(r);
    tamis_table_free(left);
    tamis_table_free(t);
    return status;
}

const struct command cli_clean = {
    "clean",
    "DATA",
    "missing values out: drop variables and samples",
    "data clean target output json quiet progress",
    1,
    1,
    "Until nothing is missing, the column with most missing values goes and then the K rows with most. More rows a "
    "step leave more "
    "columns and fewer rows: the table shows the trade-off. -o writes what is left as CSV. A column named with "
    "--target is neither counted nor dropped.",
    "tamis clean anthrokids.csv --missing 0 --target WEIGHT --samples-per-step 43 -o small.csv\n"
    "tamis clean survey.csv --min-rows 1000 -o complete.csv",
    run};
