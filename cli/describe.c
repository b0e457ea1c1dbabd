/* tamis describe */
#include <math.h>
#include "cli.h"

static void print_json(const tamis_column *col, int first)
{
    printf("%s\n    {\"name\": ", first ? "" : ",");
    cli_json_string(stdout, col->name);
    printf(", \"type\": \"%s\", \"missing\": %zu, \"distinct\": %zu, \"constant\": %s, \"min\": ",
           col->type == TAMIS_NUMBER ? "number" : "category", col->missing, col->distinct,
           col->distinct <= 1 ? "true" : "false");
    cli_json_number(stdout, col->least);
    printf(", \"max\": ");
    cli_json_number(stdout, col->largest);
    printf(", \"mean\": ");
    cli_json_number(stdout, col->mean);
    printf(", \"sd\": ");
    cli_json_number(stdout, col->sd);
    printf("}");
}

static void print_row(const tamis_column *col, int width)
{
    printf("  ");
    cli_padded(stdout, col->name, width);
    printf("  %-8s  %7zu  %8zu", col->type == TAMIS_NUMBER ? "number" : "category", col->missing, col->distinct);
    if (col->type == TAMIS_NUMBER && col->distinct)
        printf("  %10.4g  %10.4g  %10.4g  %10.4g", col->least, col->largest, col->mean, col->sd);
    for (size_t l = 0; l < col->levels && l < 4; l++) {
        printf(l ? ", " : "  ");
        cli_padded(stdout, col->level[l], 0);
    }
    if (col->levels > 4) printf(", ...");
    printf("%s\n", col->distinct == 0 ? "  all missing" : col->distinct == 1 ? "  constant" : "");
}

static int name_width(struct cli *c, const tamis_table *t)
{
    int most = 6;
    for (size_t j = 0; j < tamis_table_columns(t); j++) {
        const char *name = tamis_table_name(t, j);
        if (cli_width(name) > most) most = cli_width(name);
    }
    (void)c;
    return most < 40 ? most : 40;
}

static int print_columns(struct cli *c, const tamis_table *t, int json)
{
    int width = name_width(c, t), status = TAMIS_OK;
    if (!json) {
        printf("  ");
        cli_padded(stdout, "column", width);
        printf("  %-8s  %7s  %8s  %10s  %10s  %10s  %10s\n", "type", "missing", "distinct", "min", "max", "mean", "sd");
    }
    for (size_t j = 0; j < tamis_table_columns(t) && !status; j++) {
        tamis_column col;
        status = tamis_table_describe(c->cx, t, j, &col);
        if (status) cli_fail(c, status);
        else if (json) print_json(&col, j == 0);
        else print_row(&col, width);
    }
    return status;
}

static int run(struct cli *c)
{
    tamis_table *t = NULL;
    size_t twins = 0;
    int json = cli_flag(c, "json"), status = cli_read_table(c, c->word[0], &t);
    if (status) return status;
    if ((status = tamis_table_duplicates(c->cx, t, &twins))) cli_fail(c, status);
    else if (json) {
        printf("{\n  \"file\": ");
        cli_json_string(stdout, c->word[0]);
        printf(", \"rows\": %zu, \"duplicate_rows\": %zu,\n  \"columns\": [", tamis_table_rows(t), twins);
    } else
        printf("%s: %zu rows, %zu columns, %zu duplicate row%s\n\n", c->word[0], tamis_table_rows(t),
               tamis_table_columns(t), twins, twins == 1 ? "" : "s");
    if (!status) status = print_columns(c, t, json);
    if (!status && json) printf("\n  ]\n}\n");
    tamis_table_free(t);
    return status;
}

const struct command cli_describe = {
    "describe",
    "DATA",
    "columns, types, missing values, constants, duplicates",
    "data json quiet progress",
    1,
    1,
    "One line a column. A column with text that is no number is a category; as an input it becomes one indicator "
    "column a level.",
    "tamis describe boston.csv\ntamis describe survey.csv.gz --missing -9,unknown --json",
    run};
