/* tamis clean */
#include <string.h>
#include "cli.h"

/* The size of the table that each number of rows per step leaves: only those where the number of columns changes, and
 * the chosen one. */
static void print_tradeoff(const tamis_value *report)
{
    const tamis_value *tradeoff = tamis_value_get(report, "tradeoff");
    double before = -1;
    printf("  rows per step  iterations     rows  columns\n");
    for (size_t i = 0; i < tamis_value_length(tradeoff); i++) {
        const tamis_value *r = tamis_value_item(tradeoff, i);
        double rows = tamis_value_number(r, "rows"), columns = tamis_value_number(r, "columns");
        int chosen = (double)i == tamis_value_number(report, "chosen");
        if (rows > 0 && (columns != before || chosen))
            printf("  %13.0f  %10.0f  %7.0f  %7.0f%s\n", tamis_value_number(r, "samples_per_step"),
                   tamis_value_number(r, "iterations"), rows, columns, chosen ? "  <- chosen" : "");
        before = columns;
    }
}

static int constants(struct cli *c, const tamis_table *t, size_t *count)
{
    tamis_value *v = NULL;
    int status = tamis_table_describe(c->cx, t, &v);
    const tamis_value *columns = tamis_value_get(v, "columns");
    for (size_t j = 0; j < tamis_value_length(columns); j++)
        *count += (size_t)tamis_value_flag(tamis_value_item(columns, j), "constant");
    tamis_value_free(v);
    return status ? cli_fail(c, status) : TAMIS_OK;
}

static int print_report(struct cli *c, const tamis_table *t, const tamis_table *left, const tamis_value *report)
{
    size_t constant = 0;
    const char *target = cli_option(c, "target");
    int status = constants(c, left, &constant);
    if (status) return status;
    cli_put(c->word[0]);
    printf(": %zu rows, %zu columns\n", tamis_table_rows(t), tamis_table_columns(t));
    printf("clean: %.0f rows, %.0f columns", tamis_value_number(report, "rows"), tamis_value_number(report, "columns"));
    if (target) printf(" and the target ");
    cli_put(target);
    printf("; constant columns: %zu\n\n", constant);
    print_tradeoff(report);
    return TAMIS_OK;
}

static int run(struct cli *c)
{
    tamis_table *t = NULL, *left = NULL;
    tamis_value *report = NULL;
    size_t n = 0;
    char *text = NULL;
    const char *output = cli_option(c, "output");
    int status = cli_read_table(c, c->word[0], &t);
    if (status) return status;
    status = tamis_table_clean(c->cx, t, c->options, &left, &report);
    if (!status && output) status = tamis_table_csv(c->cx, left, &text, &n);
    if (status) cli_fail(c, status);
    else if (output) status = cli_write(c, output, text, n);
    if (!status && !(output && !strcmp(output, "-")))
        status = cli_flag(c, "json") ? cli_print_json(c, report) : print_report(c, t, left, report);
    tamis_release(text);
    tamis_value_free(report);
    tamis_table_free(left);
    tamis_table_free(t);
    return status;
}

const struct command cli_clean = {
    .name = "clean",
    .arguments = "DATA",
    .summary = "drop columns and rows until no value is missing",
    .accepts = "data clean target output json quiet progress",
    .least = 1,
    .most = 1,
    .about = "Each step drops the column with the most missing values, then the K rows with the most "
             "(--samples-per-step), until no value is missing. A larger K keeps more columns and fewer rows; the table "
             "shows the trade-off. -o writes the remaining table as CSV. The column named by --target is never "
             "dropped, and its missing values are not counted.",
    .examples = "tamis clean anthrokids.csv --missing 0 --target WEIGHT --samples-per-step 43 -o small.csv\n"
                "tamis clean survey.csv --min-rows 1000 -o complete.csv",
    .differs = (const struct difference[]){
        {"target", NULL, "column that is neither counted nor dropped (default: none)"},
        {0}},
    .run = run,
};
