/* tamis compare */
#include <math.h>
#include <string.h>
#include "cli.h"

static int label_width(const tamis_value *methods)
{
    int most = 18;              /* "one season earlier" */
    for (size_t k = 0; k < tamis_value_length(methods); k++) {
        int width = cli_width(tamis_value_text(tamis_value_item(methods, k), "method"));
        if (width > most) most = width;
    }
    return most < 48 ? most : 48;
}

static void print_number(const char *format, int width, double v)
{
    char text[32];
    snprintf(text, sizeof text, format, v);
    printf("  %*s", width, isnan(v) ? "-" : text);
}

static void print_contender(const tamis_value *m, int width)
{
    printf("  ");
    cli_padded(tamis_value_text(m, "method"), width);
    if (tamis_value_text(m, "failed")) {
        printf("  failed: %s\n", tamis_value_text(m, "failed"));
        return;
    }
    print_number("%.4g", 8, tamis_value_number(m, "error.mean"));
    print_number("%.2g", 8, tamis_value_number(m, "error.sd"));
    print_number("%.4g", 10, tamis_value_number(m, "error.all_inputs"));
    print_number("%.1f", 6, tamis_value_number(m, "inputs.mean"));
    printf("  %4.0f-%-4.0f", tamis_value_number(m, "inputs.min"), tamis_value_number(m, "inputs.max"));
    print_number("%.2f", 9, tamis_value_number(m, "stability"));
    print_number("%.2f", 8, tamis_value_number(m, "seconds"));
    printf("\n");
}

/* What is reached without a model, on the same rows; it is the same for all methods. */
static void print_baselines(const tamis_value *v, int width)
{
    static const struct { const char *key, *what; } row[] = {
        {"error.baseline", NULL}, {"error.persistence", "last known value"}, {"error.seasonal", "one season earlier"}};
    int classes = !strcmp(tamis_value_text(v, "data.task"), "classification");
    const tamis_value *methods = tamis_value_at(v, "methods"), *m = NULL;
    for (size_t k = 0; k < tamis_value_length(methods) && !tamis_value_at(m, "error"); k++)
        m = tamis_value_item(methods, k);
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        double error = tamis_value_number(m, row[i].key);
        if (isnan(error)) continue;
        printf("  ");
        cli_padded(row[i].what ? row[i].what : classes ? "majority class" : "mean", width);
        print_number("%.4g", 8, error);
        printf("\n");
    }
}

/* Pairs with an adjusted p below 0.05. */
static void print_differences(const tamis_value *v)
{
    const tamis_value *better = tamis_value_at(v, "better");
    size_t shown = 0, pairs = tamis_value_length(better);
    const char *test = tamis_value_text(v, "test"), *plural = pairs == 1 ? "" : "s";
    for (size_t k = 0; k < pairs; k++, shown++) {
        const tamis_value *d = tamis_value_item(better, k);
        if (!(tamis_value_number(d, "p_adjusted") < 0.05)) break;
        if (!shown) printf("\n  significant differences (%s, Holm over %zu pair%s):\n", test, pairs, plural);
        printf("    %s better than %s: %.3g less error, p %.2g\n", tamis_value_text(d, "a"), tamis_value_text(d, "b"),
               tamis_value_number(d, "difference"), tamis_value_number(d, "p_adjusted"));
    }
    if (!shown && pairs) printf("\n  no significant difference (%s, Holm over %zu pair%s)\n", test, pairs, plural);
}

/* What the folds could have told, where that is little. */
static void print_resolution(const tamis_value *v)
{
    double pairs = tamis_value_number(v, "resolution.pairs"), least = tamis_value_number(v, "resolution.smallest_p"),
           needed = tamis_value_number(v, "resolution.needed_sd"), folds = tamis_value_number(v, "outer.folds");
    if (!(pairs > 0) || !(least * pairs > 0.05)) return;
    if (isnan(needed))
        printf("  too few rows to tell: no pair disagrees on more than %.0f, so p cannot fall below %.2g\n",
               1 - log2(least), least);
    else
        printf("  %.0f folds cannot tell methods apart: without assuming normal errors, p cannot fall below %.2g; the\n"
               "  t test needs a difference of %.1f standard deviations over the folds, with --repeats 10 of %.1f\n",
               folds * tamis_value_number(v, "outer.repeats"), least, needed,
               tamis_value_number(v, "resolution.needed_sd_repeated"));
}

static int same_why(const tamis_value *list, size_t a, size_t b)
{
    return !strcmp(tamis_value_text(tamis_value_item(list, a), "why"),
                   tamis_value_text(tamis_value_item(list, b), "why"));
}

/* "not for 3 classes: a, b", one line per reason. */
static void print_unfit(const tamis_value *v)
{
    const tamis_value *list = tamis_value_at(v, "not_for");
    size_t n = tamis_value_length(list), first;
    if (n) printf("\n");
    for (size_t k = 0; k < n; k++) {
        for (first = 0; !same_why(list, first, k); first++) ;
        if (first < k) continue;
        printf("  %s: ", tamis_value_text(tamis_value_item(list, k), "why"));
        for (size_t j = k; j < n; j++)
            if (same_why(list, j, k))
                printf("%s%s", j > k ? ", " : "", tamis_value_text(tamis_value_item(list, j), "method"));
        printf("\n");
    }
}

static void print_comparison(const tamis_value *v)
{
    const tamis_value *methods = tamis_value_at(v, "methods");
    double repeats = tamis_value_number(v, "outer.repeats");
    int width = label_width(methods);
    cli_put(tamis_value_text(v, "data.file"));
    printf(": %.0f rows, %.0f inputs, target ", tamis_value_number(v, "data.rows"),
           tamis_value_number(v, "data.inputs"));
    cli_put(tamis_value_text(v, "data.target"));
    printf(" (%s)\n", tamis_value_text(v, "data.task"));
    printf("%.0f outer folds", tamis_value_number(v, "outer.folds"));
    if (repeats > 1) printf(", drawn %.0f times", repeats);
    printf("; every method selects and fits anew in each\n\n");
    printf("  ");
    cli_padded("method", width);
    printf("  %8s  %8s  %10s  %6s  %9s  %9s  %8s\n", "error", "sd", "all inputs", "inputs", "from-to", "stability",
           "s/fold");
    for (size_t k = 0; k < tamis_value_length(methods); k++) print_contender(tamis_value_item(methods, k), width);
    print_baselines(v, width);
    print_unfit(v);
    print_differences(v);
    print_resolution(v);
    printf("  (%s)\n", tamis_value_text(v, "units"));
}

static int write_comparison(struct cli *c, const tamis_comparison *r)
{
    char *text = NULL;
    size_t n = 0;
    const char *output = cli_option(c, "output");
    int status = tamis_comparison_json(c->cx, r, &text, &n);
    if (status) return cli_fail(c, status);
    if (output) status = cli_write(c, output, text, n);
    if (!status) status = cli_report(c, tamis_comparison_value(r));
    if (!status && cli_flag(c, "json")) status = cli_write(c, NULL, text, n);
    if (!status && !cli_flag(c, "json") && !(output && !strcmp(output, "-")))
        print_comparison(tamis_comparison_value(r));
    tamis_release(text);
    return status;
}

static int dry_run(struct cli *c, const tamis_table *data)
{
    tamis_value *plan = NULL;
    double all = 0, bytes = 0;
    int status = tamis_compare_estimate(c->cx, data, c->options, &plan), threads = cli_threads(c);
    if (status) return cli_fail(c, status);
    const tamis_value *methods = tamis_value_at(plan, "methods");
    double folds = tamis_value_number(plan, "folds"), repeats = tamis_value_number(plan, "repeats");
    int width = label_width(methods);
    for (size_t k = 0; k < tamis_value_length(methods); k++) {
        const tamis_value *m = tamis_value_item(methods, k);
        double seconds = cli_seconds(tamis_value_number(m, "flops"), threads);
        printf("  ");
        cli_padded(tamis_value_text(m, "method"), width);
        printf("  about %8.3g s, %8.3g MB\n", seconds, cli_megabytes(tamis_value_number(m, "bytes")));
        all += seconds;
        bytes = fmax(bytes, tamis_value_number(m, "bytes"));
    }
    print_unfit(plan);
    printf("%s%zu methods, %.0f folds, %.0f repeat%s\nmemory: about %.3g MB\ntime: about %.3g s with %d thread%s\n",
           tamis_value_length(tamis_value_at(plan, "not_for")) ? "\n" : "", tamis_value_length(methods), folds, repeats,
           repeats > 1 ? "s" : "", cli_megabytes(bytes), all, threads, threads > 1 ? "s" : "");
    tamis_value_free(plan);
    return TAMIS_OK;
}

static int run(struct cli *c)
{
    tamis_table *data = NULL;
    tamis_comparison *r = NULL;
    int status = cli_follows() ? TAMIS_OK : cli_report_check(c);
    if (!status) status = cli_shard_begin(c);
    if (!status) status = cli_read_table(c, c->word[0], &data);
    if (!status && cli_flag(c, "dry-run")) status = dry_run(c, data);
    else if (!status && (status = tamis_compare(c->cx, data, c->options, &r))) cli_fail(c, status);
    else if (!status && !cli_follows()) status = r ? write_comparison(c, r) : cli_shard_write(c);
    tamis_comparison_free(r);
    tamis_table_free(data);
    return status;
}

const struct command cli_compare = {
    .name = "compare",
    .arguments = "DATA",
    .summary = "compare methods by nested validation on the same folds",
    .accepts = "common path output report plot plot-what label json dry-run shard progress verbose quiet data +methods "
               "compare",
    .least = 1,
    .most = 1,
    .spreads = 1,
    .about = "Every method selects inputs and fits its model on the training rows of the same outer folds (--outer, "
             "5 by default), and its error is measured on the held-out rows. The table gives the mean error, its "
             "standard deviation over the folds, the error with all inputs, the number of selected inputs, the "
             "stability of the selection, and seconds per fold. --methods names the methods; options that follow one "
             "after colons are its own. Other options apply to every method that has them.",
    .examples = "tamis compare boston.csv\n"
                "tamis compare boston.csv --methods sift,sisal,search:criterion=delta --outer 10 --repeats 3\n"
                "tamis compare iris.csv --methods sift,search:criterion=knn:search=exhaustive -o compare.json",
    .differs = (const struct difference[]){
        {"outer", "5", "outer folds in which every method selects and fits anew"},
        {"repeats", NULL, "draw the outer folds R times"},
        {"holdout", NULL, ""},
        {"bootstrap", NULL, ""},
        {"test-inputs", NULL, ""},
        {"test-draws", NULL, ""},
        {"method", NULL, ""},
        {"target", NULL, "column to predict, by name or number (default: the last)"},
        {0}},
    .run = run,
};
