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

/* ---- errors ---- */

/* Errors of all inputs and of the chosen ones, with its standard error; NAN: unknown. */
struct errors { char what[64]; double all, chosen, se; };

/* The rows of the table: nested validation, the criterion, test rows; how many there are. */
static size_t errors_read(const tamis_value *v, struct errors row[3])
{
    const tamis_value *e = tamis_value_at(v, "error");
    double test_rows = tamis_value_number(v, "data.test_rows");
    size_t n = 0;
    if (tamis_value_at(v, "outer")) {
        row[n] = (struct errors){"", tamis_value_number(e, "nested_all_inputs"), tamis_value_number(e, "nested"),
                                 tamis_value_number(e, "nested_se")};
        snprintf(row[n++].what, sizeof row->what, "nested, %.0f folds%s", tamis_value_number(v, "outer.folds"),
                 tamis_value_number(v, "outer.repeats") > 1 ? ", repeated" : "");
    }
    row[n] = (struct errors){"", tamis_value_number(e, "all_inputs"), tamis_value_number(e, "selected"),
                             tamis_value_number(e, "selected_se")};
    snprintf(row[n++].what, sizeof row->what, "%s", tamis_value_text(e, "label"));
    if (!(test_rows > 0)) return n;
    row[n] = (struct errors){"", tamis_value_number(e, "test_all_inputs"), tamis_value_number(e, "test"), NAN};
    snprintf(row[n++].what, sizeof row->what, "%.0f test rows", test_rows);
    return n;
}

static void print_figure(double x, int width)
{
    if (isnan(x)) printf("%*s", width, "-");
    else printf("%*.4g", width, x);
}

static void print_se(double se)
{
    if (isnan(se)) return;
    printf(" %s ", cli_unicode() ? "\xC2\xB1" : "+-");
    printf(se < 100 ? "%.2g" : "%.0f", se);
}

/* "what     all     chosen"; all: whether there is such a column. */
static void print_row(const struct errors *r, int all)
{
    printf("  %-30s ", r->what);
    if (all) print_figure(r->all, 13);
    print_figure(r->chosen, all ? 16 : 14);
    print_se(r->se);
    printf("\n");
}

/* What a model without inputs scores. */
static void print_baseline(const tamis_value *v, int all)
{
    double baseline = tamis_value_number(v, "error.baseline");
    int classes = !strcmp(tamis_value_text(v, "data.task"), "classification");
    if (isnan(baseline)) return;
    printf("  %-30s %*s", classes ? "predicting the majority class" : "predicting the mean", all ? 13 : 0, "");
    print_figure(baseline, all ? 16 : 14);
    printf("\n");
}

static void print_errors(const tamis_value *v, size_t inputs, size_t chosen)
{
    char head[48], picked[48];
    struct errors row[3];
    size_t n = errors_read(v, row);
    const char *units = tamis_value_text(v, "error.units");
    int all = 0, se = 0;
    for (size_t i = 0; i < n; i++) all |= !isnan(row[i].all), se |= !isnan(row[i].se);
    snprintf(head, sizeof head, "all %zu inputs", inputs);
    snprintf(picked, sizeof picked, "%zu chosen", chosen);
    if (all) printf("\n  error %*s  %*s\n", 38, head, 14, picked);
    else printf("\n  error %*s\n", 39, picked);
    for (size_t i = 0; i < n; i++) print_row(&row[i], all);
    print_baseline(v, all);
    printf("  (%s%s)\n", units, se ? "; with one standard error" : "");
}

/* Said before all else: the choice costs more than chance explains. */
static void print_better(const tamis_value *v, size_t inputs)
{
    double all = tamis_value_number(v, "error.all_inputs"), chosen = tamis_value_number(v, "error.selected"),
           se = tamis_value_number(v, "error.selected_se");
    if (!(chosen > all + se)) return;
    printf("but all %zu inputs together predict better: error %.4g, against %.4g", inputs, all, chosen);
    print_se(se);
    printf(" with the chosen ones\n");
}

/* ---- the model ---- */

static void print_count(double n, const char *thing) { printf("%.0f %s%s", n, thing, n == 1 ? "" : "s"); }

static void print_model(const tamis_value *v)
{
    const char *kind = tamis_value_text(v, "model.kind");
    double terms = tamis_value_number(v, "model.parameters.terms"),
           features = tamis_value_number(v, "model.parameters.features"),
           centres = tamis_value_number(v, "model.parameters.centres");
    if (!kind) return;
    printf("\n  model: ");
    if (!(features > 0) && !(centres > 0)) printf("%s", kind);
    if (features > 0) {
        print_count(terms, "term");
        printf(" (");
        print_count(features, "basis function");
        printf(")");
    }
    if (features > 0 && centres > 0) printf(" and ");
    if (centres > 0) print_count(centres, "Gaussian");
    printf("\n");
}

static void print_result(const tamis_result *r)
{
    const tamis_value *v = tamis_result_value(r);
    size_t inputs = tamis_result_inputs(r), chosen = tamis_result_selected(r, NULL);
    printf("%s: %.0f rows, %zu inputs, target %s (%s)\n", tamis_value_text(v, "data.file"),
           tamis_value_number(v, "data.rows"), inputs, tamis_value_text(v, "data.target"),
           tamis_value_text(v, "data.task"));
    if (tamis_value_text(v, "picked")) printf("auto: %s\n", tamis_value_text(v, "picked"));
    printf("%s chose %zu of %zu inputs in %.2f s\n", tamis_value_text(v, "method"), chosen, inputs,
           tamis_value_number(v, "seconds"));
    print_better(v, inputs);
    printf("\n");
    if (chosen) print_chosen(r, chosen);
    else printf("  no input helps\n");
    print_not_selected(r, chosen);
    if (cli_picture_wanted()) cli_picture_path(r);
    print_errors(v, inputs, chosen);
    if (chosen) print_model(v);
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
    int threads = cli_threads(c);
    printf("memory: about %.3g MB\ntime: about %.3g s with %d thread%s\n", cli_megabytes(bytes),
           cli_seconds(flops, threads), threads, threads > 1 ? "s" : "");
    return TAMIS_OK;
}

static int run(struct cli *c)
{
    tamis_table *data = NULL, *test = NULL;
    tamis_result *r = NULL;
    const char *test_file = cli_option(c, "test");
    int status = cli_report_check(c);
    if (!status) status = cli_outputs_check(c);
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
    .about = "DATA is a table: CSV or TSV with a header, or another format (tamis --version lists them), plain, "
             "gzipped or zstd-compressed; '-' is standard input. "
             "The last column is the target unless --target names another. The selected inputs and their errors are "
             "printed as a table; -o writes the full result as JSON, and --model the fitted model. Rows with missing "
             "values are dropped, with a note; --impute fills in missing inputs instead.",
    .examples = "tamis select boston.csv\n"
                "tamis select boston.csv --target medv --holdout 0.2 -o result.json --model boston.model\n"
                "tamis select boston.csv --holdout 0.2 --report boston.html\n"
                "tamis select spectra.csv --method forward --max-inputs 20 --checkpoint run.ckpt",
    .run = run,
};
