/* Several methods under the same outer validation. */
#include <math.h>
#include <string.h>
#include "io/report/report.h"

enum { METHODS = 40, INPUTS = 100, FOLDS = 200 };
static const double significant = 0.05;

static const tamis_value *methods(const tamis_value *result, size_t *n)
{
    const tamis_value *m = tamis_value_at(result, "methods");
    *n = tamis_page_items(m) < METHODS ? tamis_page_items(m) : METHODS;
    return m;
}

static double mean_error(const tamis_value *m)
{
    double e = tamis_value_number(m, "error.mean");
    return isnan(e) ? tamis_value_number(m, "error") : e;
}

static const char *name_of(const tamis_value *m)
{
    const char *s = tamis_value_text(m, "method");
    return s ? s : "";
}

/* The method with the smallest error; n: none has one. */
static size_t best_of(const tamis_value *all, size_t n)
{
    size_t best = n;
    double least = INFINITY;
    for (size_t i = 0; i < n; i++) {
        double e = mean_error(tamis_value_item(all, i));
        if (e < least) least = e, best = i;
    }
    return best;
}

static int is_pair(const tamis_value *v, const char *a, const char *b)
{
    const char *x = tamis_value_text(v, "a"), *y = tamis_value_text(v, "b");
    return x && y && ((!strcmp(x, a) && !strcmp(y, b)) || (!strcmp(x, b) && !strcmp(y, a)));
}

/* p of the pair in either order; NAN: not tested. */
static double pair_p(const struct tamis_page *p, const char *a, const char *b)
{
    const tamis_value *better = tamis_value_at(p->root, "better");
    for (size_t i = 0; i < tamis_page_items(better); i++) {
        const tamis_value *v = tamis_value_item(better, i);
        if (!is_pair(v, a, b)) continue;
        double adjusted = tamis_value_number(v, "p_adjusted");
        return isnan(adjusted) ? tamis_value_number(v, "p") : adjusted;
    }
    return NAN;
}

/* ---- the answer ---- */

static void best_words(struct tamis_page *p, const tamis_value *best, size_t n)
{
    tamis_page_puts(p, "Of ");
    tamis_page_count(p, (double)n, "method");
    tamis_page_puts(p, ", <b>");
    tamis_page_name(p, name_of(best));
    tamis_page_puts(p, "</b> has the smallest error on held-out rows, <b>");
    tamis_page_number(p, mean_error(best));
    tamis_page_puts(p, "</b>");
    if (!isnan(tamis_value_number(best, "inputs.mean"))) {
        tamis_page_puts(p, ", with ");
        tamis_html_number(p->t, tamis_value_number(best, "inputs.mean"), 3);
        tamis_page_puts(p, " inputs on average");
    }
    tamis_page_puts(p, ".");
}

static void rival_words(struct tamis_page *p, const tamis_value *all, size_t best, size_t n)
{
    const char *name = name_of(tamis_value_item(all, best));
    size_t rivals = 0;
    for (size_t i = 0; i < n; i++)
        rivals += i != best && !(pair_p(p, name, name_of(tamis_value_item(all, i))) < significant);
    if (n < 2) return;
    if (rivals == 1) tamis_page_puts(p, " One other method is not significantly worse.");
    else if (rivals) tamis_text_printf(p->t, " %zu other methods are not significantly worse.", rivals);
    else tamis_page_puts(p, n == 2 ? " The other is significantly worse." : " All others are significantly worse.");
}

static void fold_words(struct tamis_page *p)
{
    double folds = tamis_value_number(p->root, "outer.folds"), repeats = tamis_value_number(p->root, "outer.repeats");
    if (!(folds > 0)) return;
    tamis_page_puts(p, "<p class=\"note\">Each method selected its inputs and fitted its model anew in each of ");
    tamis_page_count(p, folds, "outer fold");
    if (repeats > 1) tamis_page_puts(p, ", in "), tamis_page_count(p, repeats, "repeat");
    tamis_page_puts(p, "; errors are measured on the rows that the fold holds out.</p>\n");
}

static void compare_section(struct tamis_page *p)
{
    size_t n;
    const tamis_value *all = methods(p->root, &n);
    size_t best = best_of(all, n);
    if (best == n) {
        tamis_page_puts(p, "<p class=\"lead\">No method finished.</p>\n");
        return;
    }
    tamis_page_puts(p, "<p class=\"lead\">");
    best_words(p, tamis_value_item(all, best), n);
    rival_words(p, all, best, n);
    tamis_page_puts(p, "</p>\n");
    fold_words(p);
}

/* ---- errors ---- */

static void fold_points(struct tamis_plot *plot, const tamis_value *m, double y)
{
    size_t n;
    const double *error = tamis_page_numbers(m, "errors", &n);
    tamis_text_puts(plot->t, "<path class=\"pt c0\" d=\"");
    for (size_t i = 0; i < n && i < FOLDS; i++) {
        if (isnan(error[i])) continue;
        tamis_text_puts(plot->t, "M");
        tamis_svg_number(plot->t, tamis_plot_at(&plot->x, error[i]));
        tamis_text_puts(plot->t, " ");
        tamis_svg_number(plot->t, y);
        tamis_text_puts(plot->t, "h0");
    }
    tamis_text_puts(plot->t, "\"/>");
}

static void method_line(struct tamis_page *p, struct tamis_plot *plot, const tamis_value *m, double y, int best)
{
    double mean = mean_error(m), sd = tamis_value_number(m, "error.sd");
    tamis_page_row_name(p, plot, y + 4, name_of(m), best);
    if (isnan(mean)) return;
    fold_points(plot, m, y + 7);
    if (sd > 0)
        tamis_svg_span(plot->t, tamis_plot_at(&plot->x, mean - sd), tamis_plot_at(&plot->x, mean + sd), y, "c1");
    tamis_svg_circle(plot->t, tamis_plot_at(&plot->x, mean), y, 5.5, best ? "c2" : "c1");
    tamis_svg_title(plot->t, "%s\nerror %.4g\nstandard deviation %.3g", name_of(m), mean, sd);
    tamis_text_puts(plot->t, "</circle>");
}

static void methods_reach(const tamis_value *result, double *from, double *to)
{
    size_t n;
    const tamis_value *all = methods(result, &n);
    *from = *to = NAN;
    for (size_t i = 0; i < n; i++) {
        const tamis_value *m = tamis_value_item(all, i);
        double mean = mean_error(m), sd = fmax(tamis_value_number(m, "error.sd"), 0), ends[] = {mean - sd, mean + sd};
        tamis_plot_reach(ends, 2, from, to);
        tamis_page_reach(tamis_value_at(m, "errors"), from, to);
    }
}

static int methods_applicable(const tamis_value *result)
{
    double from, to;
    methods_reach(result, &from, &to);
    return !isnan(from);
}

static void methods_draw(struct tamis_page *p)
{
    size_t n;
    double from, to;
    const tamis_value *all = methods(p->root, &n);
    const char *name[METHODS];
    for (size_t i = 0; i < n; i++) name[i] = name_of(tamis_value_item(all, i));
    struct tamis_plot plot = {.t = p->t,
                              .width = tamis_page_width(p),
                              .height = 30 * (double)n + 56,
                              .left = tamis_page_margin(p, name, n) + 2,
                              .top = 8,
                              .alone = p->alone,
                              .y = {.from = NAN, .to = NAN}};                    /* no ticks upright */
    methods_reach(p->root, &from, &to);
    tamis_plot_scale(&plot.x, from, to, 0);
    tamis_plot_begin(&plot, tamis_figure_methods.label);
    tamis_plot_axes(&plot, tamis_page_label(p, "error on held-out rows"), NULL);
    for (size_t i = 0; i < n; i++)
        method_line(p, &plot, tamis_value_item(all, i), 22 + 30 * (double)i, i == best_of(all, n));
    tamis_plot_end(&plot);
}

static void failures(struct tamis_page *p, const tamis_value *all, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const tamis_value *m = tamis_value_item(all, i);
        if (!tamis_value_text(m, "failed")) continue;
        tamis_page_puts(p, "<p class=\"warn\">");
        tamis_page_name(p, name_of(m));
        tamis_page_puts(p, " failed: ");
        tamis_page_say(p, tamis_value_text(m, "failed"));
        tamis_page_puts(p, "</p>\n");
    }
}

/* Methods that cannot learn the target, in one line. */
static void not_for(struct tamis_page *p)
{
    const tamis_value *list = tamis_value_at(p->root, "not_for");
    for (size_t i = 0; i < tamis_page_items(list) && i < METHODS; i++) {
        const tamis_value *m = tamis_value_item(list, i);
        tamis_page_puts(p, i ? "; " : "<p class=\"note\">Not run: ");
        tamis_page_name(p, name_of(m));
        tamis_page_puts(p, " (");
        tamis_page_say(p, tamis_value_text(m, "why"));
        tamis_page_puts(p, ")");
    }
    if (tamis_page_items(list)) tamis_page_puts(p, ".</p>\n");
}

/* "4.4 (3 to 6)", sorted by the first. */
static void range_cell(struct tamis_page *p, double v, double from, double to)
{
    tamis_page_puts(p, "<td class=\"r\" data-v=\"");
    if (!isnan(v)) tamis_html_number(p->t, v, 6);
    tamis_page_puts(p, "\">");
    tamis_html_number(p->t, v, 3);
    if (isnan(from) || isnan(to)) return;
    tamis_page_puts(p, " (");
    tamis_html_number(p->t, from, from == rint(from) ? 7 : 2);
    tamis_page_puts(p, " to ");
    tamis_html_number(p->t, to, to == rint(to) ? 7 : 2);
    tamis_page_puts(p, ")");
}

static void method_row(struct tamis_page *p, const tamis_value *m)
{
    tamis_page_row(p, name_of(m));
    tamis_page_cell(p, mean_error(m));
    tamis_page_cell(p, tamis_value_number(m, "error.sd"));
    tamis_page_cell(p, tamis_value_number(m, "error.all_inputs"));
    range_cell(p, tamis_value_number(m, "inputs.mean"), tamis_value_number(m, "inputs.min"),
               tamis_value_number(m, "inputs.max"));
    range_cell(p, tamis_value_number(m, "stability"), tamis_value_number(m, "stability_low"),
               fmin(tamis_value_number(m, "stability_high"), 1));
    tamis_page_cell(p, tamis_value_number(m, "seconds"));
    tamis_page_puts(p, "\n");
}

static void method_table(struct tamis_page *p, const tamis_value *all, size_t n)
{
    static const char *const heads[] = {"method",         "#error",     "#SD",               "#with all inputs",
                                        "#inputs chosen", "#stability", "#seconds per fold", NULL};
    tamis_page_table(p, "t-methods", "sort",
                     "All methods; SD is the standard deviation over the folds. Stability is 1 if all folds choose the "
                     "same inputs and 0 if they agree no more than by chance, with its 95 % interval.",
                     heads);
    for (size_t i = 0; i < n; i++) method_row(p, tamis_value_item(all, i));
    tamis_page_table_end(p);
}

static void error_section(struct tamis_page *p)
{
    size_t n;
    const tamis_value *all = methods(p->root, &n);
    const char *units = tamis_value_text(p->root, "error.units");
    if (!units) units = tamis_value_text(p->root, "units");
    tamis_page_figure(p, "");
    tamis_page_draw(p, &tamis_figure_methods);
    tamis_page_puts(p,
                    "</div><figcaption>Mean over the outer folds and one standard deviation either side; grey points "
                    "are single folds. The method with the smallest error is orange.");
    if (units) {
        tamis_page_puts(p, " Error measure: ");
        tamis_page_say(p, units);
        tamis_page_puts(p, ".");
    }
    tamis_page_puts(p, "</figcaption></figure>\n");
    method_table(p, all, n);
    failures(p, all, n);
    not_for(p);
}

/* ---- inputs ---- */

/* How often each method chose one input, into x[]; their sum. */
static double frequencies(const struct tamis_index *of, size_t n, const char *name, double *x)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        x[i] = tamis_value_number(tamis_index_get(&of[i], name), NULL);
        sum += fmax(x[i], 0);
    }
    return sum;
}

/* At most INPUTS rows; of more inputs, those that some fold chose. */
static size_t frequency_rows(struct tamis_page *p, const tamis_value *names, const struct tamis_index *of, size_t n)
{
    size_t rows = 0, inputs = tamis_page_members(names);
    double x[METHODS];
    for (size_t k = 0; k < inputs && rows < INPUTS; k++) {
        double sum = frequencies(of, n, tamis_value_key(names, k), x);
        if (inputs > INPUTS && sum == 0) continue;
        rows++;
        tamis_page_row(p, tamis_value_key(names, k));
        for (size_t i = 0; i < n; i++) tamis_page_shade(p, x[i], x[i]);
        tamis_page_puts(p, "\n");
    }
    return rows;
}

static void frequency_table(struct tamis_page *p, const tamis_value *all, size_t n, const tamis_value *names)
{
    struct tamis_index of[METHODS];
    for (size_t i = 0; i < n; i++)
        of[i] = tamis_index_new(p->cx, tamis_value_at(tamis_value_item(all, i), "frequency"));
    tamis_page_table(p, "t-frequency", "heat", "Share of outer folds in which each method chose each input.", NULL);
    for (size_t i = 0; i < n; i++) tamis_page_head(p, name_of(tamis_value_item(all, i)));
    tamis_page_heads_end(p);
    size_t rows = frequency_rows(p, names, of, n);
    tamis_page_table_end(p);
    for (size_t i = 0; i < n; i++) tamis_index_free(&of[i]);
    if (rows < tamis_page_members(names))
        tamis_text_printf(p->t,
                          "<p class=\"note\">The table has %zu of the %zu inputs: those that some fold chose%s.</p>\n",
                          rows, tamis_page_members(names), rows == INPUTS ? ", up to that number" : "");
}

static void inputs_section(struct tamis_page *p)
{
    size_t n;
    const tamis_value *all = methods(p->root, &n), *names = NULL;
    for (size_t i = 0; i < n; i++) {
        const tamis_value *mine = tamis_value_at(tamis_value_item(all, i), "frequency");
        if (tamis_page_members(mine) > tamis_page_members(names)) names = mine;
    }
    if (names) frequency_table(p, all, n, names);
}

/* ---- pairs ---- */

static void pair_row(struct tamis_page *p, const tamis_value *all, size_t i, size_t n)
{
    const char *name = name_of(tamis_value_item(all, i));
    tamis_page_row(p, name);
    for (size_t j = 0; j < n; j++) {
        double v = i == j ? NAN : pair_p(p, name, name_of(tamis_value_item(all, j)));
        if (i == j) tamis_page_puts(p, "<td>");
        else tamis_page_shade(p, v < significant ? 0.9 : v < 0.2 ? 0.3 : 0, v);
    }
    tamis_page_puts(p, "\n");
}

static double least_p(const struct tamis_page *p, const tamis_value *all, size_t n)
{
    double least = 1;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++)
            least = fmin(least, pair_p(p, name_of(tamis_value_item(all, i)), name_of(tamis_value_item(all, j))));
    return least;
}

#define P_VALUES \
    "p-values of the difference in error between two methods over the same outer folds, adjusted for the number of " \
    "pairs where the result has that"

static void pairs_section(struct tamis_page *p)
{
    size_t n;
    const tamis_value *all = methods(p->root, &n);
    if (!tamis_page_items(tamis_value_at(p->root, "better"))) return;
    double least = least_p(p, all, n);
    tamis_page_table(p, "t-pairs", "heat",
                     least < significant ? P_VALUES "; strongly shaded below 0.05, lightly below 0.2."
                     : least < 0.2       ? P_VALUES "; none is below 0.05, those below 0.2 are lightly shaded."
                                         : P_VALUES "; none is below 0.2.",
                     NULL);
    for (size_t i = 0; i < n; i++) tamis_page_head(p, name_of(tamis_value_item(all, i)));
    tamis_page_heads_end(p);
    for (size_t i = 0; i < n; i++) pair_row(p, all, i, n);
    tamis_page_table_end(p);
}

const struct tamis_figure tamis_figure_methods = {
    .name = "methods",
    .needs = "compare",
    .label = "error of each method on held-out rows",
    .summary = "the errors of the compared methods",
    .applicable = methods_applicable,
    .draw = methods_draw,
};
const struct tamis_section tamis_section_compare = {.id = "answer", .title = "The answer", .draw = compare_section};
const struct tamis_section tamis_section_compare_error = {
    .id = "error", .title = "Error of each method", .draw = error_section};
const struct tamis_section tamis_section_compare_inputs = {
    .id = "inputs", .title = "How often each input was chosen", .draw = inputs_section};
const struct tamis_section tamis_section_compare_pairs = {
    .id = "pairs", .title = "Which differences are significant", .draw = pairs_section};
