/* tamis compare */
#include <math.h>
#include <string.h>
#include "cli.h"

static int label_width(const tamis_comparison *c)
{
    int most = 6;
    for (size_t k = 0; k < c->contenders; k++)
        if (cli_width(c->contender[k].method) > most) most = cli_width(c->contender[k].method);
    return most < 48 ? most : 48;
}

static void print_number(const char *format, int width, double v)
{
    char text[32];
    snprintf(text, sizeof text, format, v);
    printf("  %*s", width, isnan(v) ? "-" : text);
}

static void print_contender(const tamis_contender *m, int width)
{
    printf("  ");
    cli_padded(stdout, m->method, width);
    if (m->failed) {
        printf("  failed: %s\n", m->failed);
        return;
    }
    print_number("%.4g", 8, m->error);
    print_number("%.2g", 8, m->sd);
    print_number("%.4g", 10, m->all_inputs);
    print_number("%.1f", 6, m->inputs_mean);
    printf("  %4zu-%-4zu", m->inputs_min, m->inputs_max);
    print_number("%.2f", 9, m->stability);
    print_number("%.2f", 8, m->seconds);
    printf("\n");
}

/* What is worth saying of the pairs: those that chance explains badly. */
static void print_differences(const tamis_comparison *c)
{
    size_t shown = 0;
    for (size_t k = 0; k < c->differences && c->difference[k].p_adjusted < 0.05; k++, shown++) {
        const tamis_difference *d = &c->difference[k];
        if (!shown) printf("\n  better than chance allows (%s, Holm over %zu pairs):\n", c->test, c->differences);
        printf("    %s before %s: %.3g less error, p %.2g\n", c->contender[d->a].method, c->contender[d->b].method,
               d->difference, d->p_adjusted);
    }
    if (!shown && c->differences)
        printf("\n  no difference is beyond chance (%s, Holm over %zu pairs)\n", c->test, c->differences);
}

static void print_comparison(const tamis_comparison *c)
{
    int width = label_width(c);
    printf("%s: %zu rows, %zu inputs, target %s (%s)\n", c->file, c->rows, c->inputs, c->target, c->task);
    printf("%zu outer folds%s; everything is repeated inside each\n\n", c->folds,
           c->repeats > 1 ? ", drawn several times" : "");
    printf("  ");
    cli_padded(stdout, "method", width);
    printf("  %8s  %8s  %10s  %6s  %9s  %9s  %8s\n", "error", "spread", "all inputs", "inputs", "from-to", "stability",
           "s a fold");
    for (size_t k = 0; k < c->contenders; k++) print_contender(&c->contender[k], width);
    print_differences(c);
    printf("  (%s)\n", c->units);
}

static int write_comparison(struct cli *c, const tamis_comparison *r)
{
    char *text = NULL;
    size_t n = 0;
    const char *output = cli_option(c, "output");
    int status = tamis_comparison_json(c->cx, r, &text, &n);
    if (status) return cli_fail(c, status);
    if (output) status = cli_write(c, output, text, n);
    if (!status) status = cli_report_json(c, text, n);
    if (!status && cli_flag(c, "json")) status = cli_write(c, NULL, text, n);
    if (!status && !cli_flag(c, "json") && !(output && !strcmp(output, "-"))) print_comparison(r);
    tamis_release(text);
    return status;
}

static int run(struct cli *c)
{
    tamis_table *data = NULL;
    tamis_comparison *r = NULL;
    int status = cli_report_check(c);
    if (!status) status = cli_read_table(c, c->word[0], &data);
    if (!status && (status = tamis_compare(c->cx, data, c->options, &r))) cli_stopped_or_failed(c, status);
    else if (!status) status = write_comparison(c, r);
    tamis_comparison_free(r);
    tamis_table_free(data);
    return status;
}

const struct command cli_compare = {
    "compare",
    "DATA",
    "the same honest outer validation for several methods",
    "common path output data +methods compare",
    1,
    1,
    "Every method selects and fits on the same training parts of the same outer folds (--outer, 5) and is measured on "
    "the rows left out. "
    "The table gives the mean error, its spread over folds, the error with all inputs, the number of inputs, how "
    "stable the choice is, and "
    "time. --methods names what is compared; an entry may have options of its own after colons. Options on the command "
    "line go to every "
    "method that has them.",
    "tamis compare boston.csv\n"
    "tamis compare boston.csv --methods sift,sisal,search:criterion=delta --outer 10 --repeats 3 -o compare.json\n"
    "tamis compare iris.csv --methods sift,search:criterion=knn:search=exhaustive",
    run};
