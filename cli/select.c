/* tamis select */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "cli.h"

/* ---- the printed table ---- */

/* The selected inputs, the most important first; of equal ones, or where that is unknown, the most relevant. The caller
 * frees them; NULL: no memory. */
static tamis_input *chosen_list(const tamis_result *r, size_t chosen)
{
    const size_t *at;
    tamis_input *in = calloc(chosen + 1, sizeof *in);
    tamis_result_selected(r, &at);
    for (size_t k = 0; in && k < chosen; k++) {
        tamis_input one = {sizeof one};
        size_t place = k;
        tamis_result_input(r, at[k], &one);
        for (; place && one.importance > in[place - 1].importance; place--) in[place] = in[place - 1];
        in[place] = one;
    }
    return in;
}

/* What the table shows of inputs: the columns beside the names, and what the bars are of. */
struct columns { int width, frequency, important; const char *relevance; double largest; };

enum { NUMBER = 9 };                    /* columns of the screen for a number */

static int relevance_width(const struct columns *c)
{
    return cli_width(c->relevance) > NUMBER ? cli_width(c->relevance) : NUMBER;
}

static double bar_of(const tamis_input *in, const struct columns *c)
{
    return c->important ? in->importance : in->relevance;
}

static struct columns columns_of(const tamis_input *in, size_t chosen, const char *relevance)
{
    struct columns c = {.width = 5, .frequency = !isnan(in->frequency), .important = !isnan(in->importance),
                        .relevance = relevance};
    for (size_t k = 0; k < chosen; k++) {
        if (cli_width(in[k].name) > c.width) c.width = cli_width(in[k].name);
        c.largest = fmax(c.largest, bar_of(&in[k], &c));
    }
    if (c.width > 40) c.width = 40;
    return c;
}

/* Returns how many columns of the screen it took. */
static int print_number(const char *format, double x)
{
    return isnan(x) ? printf("  %9s", "-") : printf(format, x);
}

static void print_input(const tamis_input *in, const struct columns *c)
{
    int used = c->width + (c->important ? printf("  ") : in->rank ? printf("  %4zu  ", in->rank) : printf("     -  "));
    cli_padded(in->name, c->width);
    if (c->important) {
        used += print_number("  %9.4f", fabs(in->importance) < 5e-5 ? 0 : in->importance);      /* not -0.0000 */
        const char *between = cli_unicode() ? "\xC2\xB1 " : "+-";
        used += isnan(in->importance_se) ? printf("  %9s", "") : printf(" %s%-8.4f", between, in->importance_se) - 1;
    }
    used += printf("%*s", relevance_width(c) - NUMBER, "");
    used += print_number("  %9.4g", in->relevance);
    if (c->frequency) used += printf("  %7.0f %%", 100 * in->frequency);
    if (cli_picture_wanted() && c->largest > 0) {
        printf("  ");
        cli_picture_bar(bar_of(in, c) / c->largest, used + 2);
    }
    printf("\n");
}

enum { CHOSEN_SHOWN = 40 };

/* relevance: what the method calls its measure. */
static void print_chosen(const tamis_input *in, size_t chosen, const char *relevance)
{
    struct columns c = columns_of(in, chosen, relevance);
    printf("%s", c.important ? "  " : "  rank  ");
    cli_padded("input", c.width);
    printf("%s  %*s%s\n", c.important ? "  importance          " : "", relevance_width(&c), c.relevance,
           c.frequency ? "  chosen in" : "");
    size_t shown = chosen > CHOSEN_SHOWN + 5 ? CHOSEN_SHOWN : chosen;
    for (size_t k = 0; k < shown; k++) print_input(&in[k], &c);
    if (shown < chosen) printf("  and %zu more; -o FILE or --report FILE has all of them\n", chosen - shown);
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
        cli_put(in.name);
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

static void print_baseline(const char *what, double error, int all)
{
    if (isnan(error)) return;
    printf("  %-30s %*s", what, all ? 13 : 0, "");
    print_figure(error, all ? 16 : 14);
    printf("\n");
}

/* What is reached without a model, on the rows of the criterion and on the test rows. */
static void print_baselines(const tamis_value *v, int all)
{
    char season[40];
    int classes = !strcmp(tamis_value_text(v, "data.task"), "classification");
    snprintf(season, sizeof season, "repeating %.0f rows earlier", tamis_value_number(v, "data.series.season"));
    const char *const name[] = {classes ? "predicting the majority class" : "predicting the mean",
                                "repeating the last known value", season};
    static const char *const key[] = {"error.baseline", "error.persistence", "error.seasonal"},
                      *const test[] = {"error.test_baseline", "error.test_persistence", "error.test_seasonal"};
    int series = tamis_value_at(v, "data.series") != NULL;
    for (int i = 0; i < 3; i++) {
        print_baseline(name[i], tamis_value_number(v, key[i]), all);
        if (series) print_baseline("  on the test rows", tamis_value_number(v, test[i]), all);
    }
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
    print_baselines(v, all);
    printf("  (%s%s)\n", units, se ? "; with one standard error" : "");
}

/* Why a smaller set that looks as good was not taken. */
static void print_smaller(const tamis_value *v)
{
    const char *why = tamis_value_text(v, "smaller.why");
    if (!why) return;
    printf("\n  ");
    cli_put(why);
    printf("\n");
}

/* The measures of probabilities on rows not seen, beside those of the class shares. */
static void print_probabilities(const tamis_value *v)
{
    static const char *const measure[] = {"log_loss", "brier", "balanced_accuracy", "auc"};
    static const struct { const char *what, *before; } row[] = {
        {"held-out rows", ""}, {"test rows", "test_"}, {"class shares", "baseline_"}};
    char key[64];
    if (isnan(tamis_value_number(v, "error.log_loss"))) return;
    printf("\n  probabilities    log loss     Brier  balanced accuracy       AUC\n");
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        snprintf(key, sizeof key, "error.%slog_loss", row[i].before);
        if (isnan(tamis_value_number(v, key))) continue;
        printf("  %-15s", row[i].what);
        for (size_t k = 0; k < 4; k++) {
            snprintf(key, sizeof key, "error.%s%s", row[i].before, measure[k]);
            print_figure(tamis_value_number(v, key), k == 2 ? 19 : 10);
        }
        printf("\n");
    }
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

/* ---- p-values ---- */

static void print_tests(const tamis_value *v)
{
    const tamis_value *list = tamis_value_at(v, "tests.inputs");
    int width = 5;
    size_t n = tamis_value_length(list);
    for (size_t k = 0; k < n; k++) {
        int own = cli_width(tamis_value_text(tamis_value_item(list, k), "name"));
        if (own > width) width = own < 40 ? own : 40;
    }
    if (!n) return;
    printf("\n  tests: ");
    cli_padded("input", width);
    printf("          p       Holm         BH  (%.0f draws)\n", tamis_value_number(v, "tests.draws"));
    for (size_t k = 0; k < n; k++) {
        const tamis_value *one = tamis_value_item(list, k);
        printf("         ");
        cli_padded(tamis_value_text(one, "name"), width);
        printf("  %9.4f  %9.4f  %9.4f\n", tamis_value_number(one, "p"), tamis_value_number(one, "holm"),
               tamis_value_number(one, "bh"));
    }
}

/* in: those chosen. */
static void print_lines(const tamis_result *r, const tamis_input *in)
{
    const tamis_value *v = tamis_result_value(r);
    size_t inputs = tamis_result_inputs(r), chosen = tamis_result_selected(r, NULL);
    cli_put(tamis_value_text(v, "data.file"));
    printf(": %.0f rows, %zu inputs, target ", tamis_value_number(v, "data.rows"), inputs);
    cli_put(tamis_value_text(v, "data.target"));
    printf(" (%s)\n", tamis_value_text(v, "data.task"));
    if (tamis_value_text(v, "picked")) printf("auto: %s\n", tamis_value_text(v, "picked"));
    printf("%s chose %zu of %zu inputs in %.2f s\n", tamis_value_text(v, "method"), chosen, inputs,
           tamis_value_number(v, "seconds"));
    print_better(v, inputs);
    printf("\n");
    if (chosen) print_chosen(in, chosen, tamis_value_text(v, "relevance_name"));
    else printf(tamis_value_at(v, "stability_selection") ? "  no input is stable\n" : "  no input helps\n");
    print_not_selected(r, chosen);
    if (cli_picture_wanted()) cli_picture_path(r);
    print_errors(v, inputs, chosen);
    print_smaller(v);
    print_probabilities(v);
    if (chosen) print_model(v);
    print_tests(v);
}

static int print_result(struct cli *c, const tamis_result *r)
{
    tamis_input *in = chosen_list(r, tamis_result_selected(r, NULL));
    if (!in) return cli_fail(c, TAMIS_MEMORY);
    print_lines(r, in);
    free(in);
    return TAMIS_OK;
}

/* ---- the command ---- */

static int no_model(struct cli *c)
{
    return cli_usage(c, "--method search makes no model with --split-rows; leave --model out, and fit one with the "
                        "inputs selected");
}

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
    if (!status && !cli_flag(c, "json") && !(output && !strcmp(output, "-"))) status = print_result(c, r);
    if (!status && model && !tamis_result_model(r)) status = no_model(c);
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

/* With parts of the rows, a search fits no model. */
static int split_check(struct cli *c)
{
    const char *method = cli_option(c, "method");
    int split = 0;
    if (!cli_option(c, "model") || tamis_options_get_flag(c->options, "split-rows", &split) || !split) return TAMIS_OK;
    if (!method || strcmp(method, "search")) return TAMIS_OK;
    return no_model(c);
}

static int run(struct cli *c)
{
    tamis_table *data = NULL, *test = NULL;
    tamis_result *r = NULL;
    const char *test_file = cli_option(c, "test");
    int status = cli_follows() ? TAMIS_OK : cli_report_check(c);
    if (!status) status = split_check(c);
    if (!status) status = cli_shard_begin(c);
    if (!status) status = cli_read_table(c, c->word[0], &data);
    if (!status && test_file) status = cli_read_table(c, test_file, &test);
    if (!status && cli_flag(c, "dry-run")) status = dry_run(c, data);
    else if (!status) {
        if ((status = tamis_select(c->cx, data, test, c->options, &r))) cli_fail(c, status);
        else if (!cli_follows()) status = r ? write_result(c, r) : cli_shard_write(c);
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
    .spreads = 1,
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
