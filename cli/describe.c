/* tamis describe */
#include <math.h>
#include "cli.h"

enum { LEVELS_SHOWN = 4 };

static void print_levels(const tamis_value *col)
{
    const tamis_value *level = tamis_value_get(col, "levels");
    size_t n = tamis_value_length(level);
    for (size_t l = 0; l < n && l < LEVELS_SHOWN; l++) {
        printf(l ? ", " : "  ");
        cli_put(tamis_value_text(tamis_value_item(level, l), NULL));
    }
    if (n > LEVELS_SHOWN) printf(", ...");
}

static void print_remark(const tamis_value *col, double distinct)
{
    const char *of = tamis_value_text(col, "duplicate_of"), *reason = tamis_value_text(col, "reason"),
               *units = tamis_value_text(col, "units");
    if (of) {
        printf("  duplicate of ");
        cli_put(of);
    }
    if (reason) printf("  %s", reason);
    if (units) {
        printf("  in ");
        cli_put(units);
    }
    printf("%s\n", distinct == 0 ? "  all missing" : distinct == 1 ? "  constant" : "");
}

static void print_row(const tamis_value *col, int width)
{
    double distinct = tamis_value_number(col, "distinct");
    printf("  ");
    cli_padded(tamis_value_text(col, "name"), width);
    printf("  %-8s  %-11s  %7.0f  %8.0f", tamis_value_text(col, "type"), tamis_value_text(col, "role"),
           tamis_value_number(col, "missing"), distinct);
    if (tamis_value_text(col, "first"))
        printf("  from %s to %s", tamis_value_text(col, "first"), tamis_value_text(col, "last"));
    else if (!isnan(tamis_value_number(col, "mean")))
        printf("  %10.4g  %10.4g  %10.4g  %10.4g", tamis_value_number(col, "min"), tamis_value_number(col, "max"),
               tamis_value_number(col, "mean"), tamis_value_number(col, "sd"));
    print_levels(col);
    print_remark(col, distinct);
}

static int name_width(const tamis_value *columns)
{
    int most = 6;
    for (size_t j = 0; j < tamis_value_length(columns); j++) {
        int width = cli_width(tamis_value_text(tamis_value_item(columns, j), "name"));
        if (width > most) most = width;
    }
    return most < 40 ? most : 40;
}

static void print_table(const tamis_value *v)
{
    const tamis_value *columns = tamis_value_get(v, "columns");
    double twins = tamis_value_number(v, "duplicate_rows");
    int width = name_width(columns);
    cli_put(tamis_value_text(v, "file"));
    printf(": %.0f rows, %zu columns, %.0f duplicate row%s\n\n  ", tamis_value_number(v, "rows"),
           tamis_value_length(columns), twins, twins == 1 ? "" : "s");
    cli_padded("column", width);
    printf("  %-8s  %-11s  %7s  %8s  %10s  %10s  %10s  %10s\n", "type", "role", "missing", "distinct", "min", "max",
           "mean", "sd");
    for (size_t j = 0; j < tamis_value_length(columns); j++) print_row(tamis_value_item(columns, j), width);
}

static int run(struct cli *c)
{
    tamis_table *t = NULL;
    tamis_value *v = NULL;
    int status = cli_read_table(c, c->word[0], &t);
    if (status) return status;
    if ((status = tamis_table_describe_with(c->cx, t, c->options, &v))) cli_fail(c, status);
    else if (cli_flag(c, "json")) status = cli_print_json(c, v);
    else print_table(v);
    tamis_value_free(v);
    tamis_table_free(t);
    return status;
}

const struct command cli_describe = {
    .name = "describe",
    .arguments = "DATA",
    .summary = "summarise the columns: types, roles, missing values, ranges, duplicates",
    .accepts = "data target inputs ignore keep dates groups row-weights json quiet progress",
    .least = 1,
    .most = 1,
    .about = "One line per column. A column of text is a category; as an input it becomes one indicator column per "
             "level. The role says what 'tamis select' would do with the column: identifiers (row numbers, texts that "
             "differ in every row), dates and categories of very many levels are not inputs unless --keep names them.",
    .examples = "tamis describe boston.csv\n"
                "tamis describe survey.csv.gz --missing -9,unknown --json",
    .run = run,
};
