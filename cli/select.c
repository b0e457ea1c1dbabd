/* tamis select */
#include <math.h>
#include <string.h>
#include "cli.h"

/* ---- the printed table ---- */

/* The k-th selected input. */
static tamis_input chosen_at(const tamis_result *r, size_t k)
{
    tamis_input in = {sizeof in};
    const size_t *chosen;
    tamis_result_selected(r, &chosen);
    tamis_result_input(r, chosen[k], &in);
    return in;
}

/* Width of the column of names; and the largest relevance. */
static int name_width(const tamis_result *r, size_t chosen, double *largest)
{
    int width = 5;
    *largest = 0;
    for (size_t k = 0; k < chosen; k++) {
        tamis_input in = chosen_at(r, k);
        if (cli_width(in.name) > width) width = cli_width(in.name);
        *largest = fmax(*largest, in.relevance);
    }
    return width < 40 ? width : 40;
}

static void print_input(const tamis_input *in, int width, int frequency, double largest)
{
    if (in->rank) printf("  %4zu  ", in->rank);
    else printf("     -  ");
    cli_padded(stdout, in->name, width);
    if (isnan(in->relevance)) printf("          -");
    else printf("  %9.4g", in->relevance);
    if (frequency) printf("  %7.0f %%", 100 * in->frequency);
    if (cli_picture_wanted() && largest > 0) {
        printf("  ");
        cli_picture_bar(in->relevance / largest, width + 21 + (frequency ? 11 : 0));
    }
    printf("\n");
}

static void print_chosen(const tamis_result *r, size_t chosen)
{
    double largest;
    int width = name_width(r, chosen, &largest), frequency = !isnan(chosen_at(r, 0).frequency);
    printf("  rank  ");
    cli_padded(stdout, "input", width);
    printf("  relevance%s\n", frequency ? "  chosen in" : "");
    for (size_t k = 0; k < chosen; k++) {
        tamis_input in = chosen_at(r, k);
        print_input(&in, width, frequency, largest);
    }
}

static void print_not_selected(const tamis_result *r, size_t chosen)
{
    size_t shown = 0, inputs = tamis_result_inputs(r), left = inputs - chosen;
    tamis_input in = {sizeof in};
    if (!left) return;
    printf("\n  not selected: ");
    for (size_t i = 0; tamis_result_input(r, i, &in) && shown < 30; i++) {
        if (in.selected) continue;
        printf("%s", shown++ ? ", " : "");
        cli_padded(stdout, in.name, 0);
    }
    printf(left > shown ? ", and %zu more\n" : "\n", left - shown);
}

/* "what     all     chosen"; a dash for an unknown number. */
static void print_pair(const char *what, double all, double chosen)
{
    printf("  %-30s ", what);
    if (isnan(all)) printf("%13s  ", "-");
    else printf("%13.4g  ", all);
    if (isnan(chosen)) printf("%14s\n", "-");
    else printf("%14.4g\n", chosen);
}

static void print_nested(const tamis_value *v)
{
    char nested[64];
    int repeated = tamis_value_number(v, "outer.repeats") > 1;
    if (!tamis_value_at(v, "outer")) return;
    snprintf(nested, sizeof nested, "nested, %.0f folds%s", tamis_value_number(v, "outer.folds"),
             repeated ? ", repeated" : "");
    print_pair(nested, tamis_value_number(v, "error.nested_all_inputs"), tamis_value_number(v, "error.nested"));
    printf("  %-30s %13s  %14.2g\n", "  its standard error", "", tamis_value_number(v, "error.nested_se"));
}

static void print_errors(const tamis_value *v, size_t inputs, size_t chosen)
{
    char all[48], picked[48], test[48];
    const char *units = tamis_value_text(v, "error.units");
    double test_rows = tamis_value_number(v, "data.test_rows");
    snprintf(all, sizeof all, "all %zu inputs", inputs);
    snprintf(picked, sizeof picked, "%zu chosen", chosen);
    snprintf(test, sizeof test, "%.0f test rows", test_rows);
    printf("\n  error %*s  %*s\n", 38, all, 14, picked);
    print_nested(v);
    print_pair(tamis_value_text(v, "error.label"), tamis_value_number(v, "error.all_inputs"),
               tamis_value_number(v, "error.selected"));
    if (test_rows > 0)
        print_pair(test, tamis_value_number(v, "error.test_all_inputs"), tamis_value_number(v, "error.test"));
    printf("  (%s%s)\n", units, strstr(units, "standardised") ? "; predicting the mean scores 1" : "");
}

static void print_result(const tamis_result *r)
{
    const tamis_value *v = tamis_result_value(r);
    size_t inputs = tamis_result_inputs(r), chosen = tamis_result_selected(r, NULL);
    printf("%s: %.0f rows, %zu inputs, target %s (%s)\n", tamis_value_text(v, "data.file"),
           tamis_value_number(v, "data.rows"), inputs, tamis_value_text(v, "data.target"),
           tamis_value_text(v, "data.task"));
    if (tamis_value_text(v, "picked")) printf("auto: %s\n", tamis_value_text(v, "picked"));
    printf("%s chose %zu of %zu inputs in %.2f s\n\n", tamis_value_text(v, "method"), chosen, inputs,
           tamis_value_number(v, "seconds"));
    if (chosen) print_chosen(r, chosen);
    else printf("  no input helps\n");
    print_not_selected(r, chosen);
    if (cli_picture_wanted()) cli_picture_path(r);
    print_errors(v, inputs, chosen);
}

/* ---- the command ---- */

static int write_result(struct cli *c, const tamis_result *r)
{
    char *text = NULL;
    size_t n = 0;
    const char *output = cli_option(c, "output"), *model = cli_option(c, "model");
    int status = tamis_result_json(c->cx, r, &text, &n);
    if (status) return cli_fail(c, status);
    if (model && tamis_result_model(r) && (status = tamis_model_save(c->cx, tamis_result_model(r), model)))
        cli_fail(c, status);
    if (!status && output) status = cli_write(c, output, text, n);
    if (!status) status = cli_report(c, tamis_result_value(r));
    if (!status && cli_flag(c, "json")) status = cli_write(c, NULL, text, n);
    if (!status && !cli_flag(c, "json") && !(output && !strcmp(output, "-"))) print_result(r);
    tamis_release(text);
    return status;
}

static int dry_run(struct cli *c, const tamis_table *data)
{
    double bytes, flops;
    int status = tamis_estimate(c->cx, data, c->options, &bytes, &flops);
    if (status) return cli_fail(c, status);
    printf("memory: about %.3g MB\ntime: about %.3g s on one core at 20 Gflop/s (%.3g Gflop)\n", bytes / 1e6,
           flops / 20e9, flops / 1e9);
    return TAMIS_OK;
}

static int run(struct cli *c)
{
    tamis_table *data = NULL, *test = NULL;
    tamis_result *r = NULL;
    const char *test_file = cli_option(c, "test");
    int status = cli_report_check(c);
    if (!status) status = cli_read_table(c, c->word[0], &data);
    if (!status && test_file) status = cli_read_table(c, test_file, &test);
    if (!status && cli_flag(c, "dry-run")) status = dry_run(c, data);
    else if (!status) {
        if ((status = tamis_select(c->cx, data, test, c->options, &r))) cli_stopped_or_failed(c, status);
        else status = write_result(c, r);
    }
    tamis_result_free(r);
    tamis_table_free(test);
    tamis_table_free(data);
    return status;
}

const struct command cli_select = {
    .name = "select",
    .arguments = "DATA",
    .summary = "find the inputs that matter, and fit a model that uses only them",
    .accepts = "test common path result data +methods",
    .least = 1,
    .most = 1,
    .about = "DATA is a CSV or TSV file with a header, plain, gzipped or zstd-compressed; '-' is standard input. "
             "The last column is the target unless --target names another. The selected inputs and their errors are "
             "printed as a table; -o writes the full result as JSON, and --model the fitted model. Rows with missing "
             "values are dropped, with a note; --impute fills in missing inputs instead.",
    .examples = "tamis select boston.csv\n"
                "tamis select boston.csv --target medv --holdout 0.2 -o result.json --model boston.model\n"
                "tamis select boston.csv --holdout 0.2 --report boston.html\n"
                "tamis select spectra.csv --method forward --max-inputs 20 --checkpoint run.ckpt",
    .run = run,
};
