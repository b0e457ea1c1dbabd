/* tamis select */
#include <math.h>
#include <string.h>
#include "cli.h"

/* ---- the table that a person reads ---- */

static int name_width(const tamis_result *r)
{
    int most = 5;
    for (size_t i = 0; i < r->inputs; i++)
        if (r->input[i].selected && cli_width(r->input[i].name) > most) most = cli_width(r->input[i].name);
    return most < 40 ? most : 40;
}

/* Whether folds or resamples say how often each input is chosen. */
static int frequencies(const tamis_result *r) { return r->inputs && !isnan(r->input[0].frequency); }

static void print_chosen(const tamis_result *r)
{
    int width = name_width(r);
    double most = 0;
    for (size_t k = 0; k < r->selected; k++) most = fmax(most, r->input[r->chosen[k]].relevance);
    printf("  rank  ");
    cli_padded(stdout, "input", width);
    printf("  relevance%s\n", frequencies(r) ? "  chosen in" : "");
    for (size_t k = 0; k < r->selected; k++) {
        const tamis_input *in = &r->input[r->chosen[k]];
        if (in->rank) printf("  %4zu  ", in->rank);
        else printf("     -  ");
        cli_padded(stdout, in->name, width);
        if (isnan(in->relevance)) printf("          -");
        else printf("  %9.4g", in->relevance);
        if (frequencies(r)) printf("  %7.0f %%", 100 * in->frequency);
        if (cli_picture_wanted() && most > 0) {
            printf("  ");
            cli_picture_bar(in->relevance / most, width + 21 + (frequencies(r) ? 11 : 0));
        }
        printf("\n");
    }
}

static void print_left_out(const tamis_result *r)
{
    size_t shown = 0, left = r->inputs - r->selected;
    if (!left) return;
    printf("\n  left out: ");
    for (size_t i = 0; i < r->inputs && shown < 30; i++) {
        if (r->input[i].selected) continue;
        printf("%s", shown++ ? ", " : "");
        cli_padded(stdout, r->input[i].name, 0);
    }
    printf(left > shown ? ", and %zu more\n" : "\n", left - shown);
}

/* "what     all     chosen", a dash for what is not known. */
static void print_pair(const char *what, double all, double chosen)
{
    printf("  %-30s ", what);
    if (isnan(all)) printf("%13s  ", "-");
    else printf("%13.4g  ", all);
    if (isnan(chosen)) printf("%14s\n", "-");
    else printf("%14.4g\n", chosen);
}

static void print_errors(const tamis_result *r)
{
    char all[48], chosen[48];
    snprintf(all, sizeof all, "all %zu inputs", r->inputs);
    snprintf(chosen, sizeof chosen, "%zu chosen", r->selected);
    printf("\n  error %*s  %*s\n", 38, all, 14, chosen);
    if (r->outer_folds) {
        char nested[64];
        snprintf(nested, sizeof nested, "nested, %zu folds%s", r->outer_folds,
                 r->outer_repeats > 1 ? ", repeated" : "");
        print_pair(nested, r->nested_all_inputs, r->nested);
        printf("  %-30s %13s  %14.2g\n", "  its standard error", "", r->nested_se);
    }
    print_pair(!strcmp(r->error_name, "loo")  ? "leave-one-out"
               : !strcmp(r->error_name, "cv") ? "cross-validated"
                                              : r->error_name,
               r->all_inputs, r->error);
    if (r->test_rows) {
        char test[48];
        snprintf(test, sizeof test, "%zu test rows", r->test_rows);
        print_pair(test, r->test_all_inputs, r->test);
    }
    printf("  (%s%s)\n", r->units, strstr(r->units, "standardised") ? "; predicting the mean scores 1" : "");
}

static void print_result(const tamis_result *r)
{
    printf("%s: %zu rows, %zu inputs, target %s (%s)\n", r->file, r->rows, r->inputs, r->target, r->task);
    if (r->picked) printf("auto: %s\n", r->picked);
    printf("%s chose %zu of %zu inputs in %.2f s\n\n", r->method, r->selected, r->inputs, r->seconds);
    if (r->selected) print_chosen(r);
    else printf("  no input helps\n");
    print_left_out(r);
    if (cli_picture_wanted()) cli_picture_path(r);
    print_errors(r);
}

/* ---- the command ---- */

static int write_result(struct cli *c, const tamis_result *r)
{
    char *text = NULL;
    size_t n = 0;
    const char *output = cli_option(c, "output"), *model = cli_option(c, "model");
    int status = tamis_result_json(c->cx, r, &text, &n);
    if (status) return cli_fail(c, status);
    if (model && r->model && (status = tamis_model_save(c->cx, r->model, model))) cli_fail(c, status);
    if (!status && output) status = cli_write(c, output, text, n);
    if (!status) status = cli_report_json(c, text, n);
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
    printf("memory: about %.3g MB\nwork: about %.3g Gflop, %.3g s on one core at 20 Gflop/s\n", bytes / 1e6,
           flops / 1e9, flops / 20e9);
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
    "select",
    "DATA",
    "find the inputs that matter and fit the model on them",
    "common path output data +methods",
    1,
    1,
    "DATA is CSV or TSV with a header, plain, gzipped or zstd-compressed; '-' is standard input. The last column is "
    "predicted unless "
    "--target says otherwise. The table of chosen inputs goes to standard output; -o writes the whole result as JSON "
    "and --model the "
    "fitted model. Rows with missing values are left out, and that is said.",
    "tamis select boston.csv\n"
    "tamis select boston.csv --target medv --holdout 0.2 -o result.json --model boston.model\n"
    "tamis select boston.csv --holdout 0.2 --report boston.html\n"
    "tamis select spectra.csv --method forward --max-inputs 20 --checkpoint run.ckpt",
    run};
