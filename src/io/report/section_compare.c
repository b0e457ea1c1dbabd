/* Several methods under the same outer validation. */
#include <math.h>
#include <string.h>
#include "io/report/report.h"

enum { METHODS = 40, INPUTS = 100 };

static const tamis_value *methods(const struct tamis_page *p, size_t *n)
{
    const tamis_value *m = tamis_value_at(p->root, "methods");
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

static size_t best_of(const tamis_value *all, size_t n)
{
    size_t best = n;
    for (size_t i = 0; i < n; i++)
        if (!isnan(mean_error(tamis_value_item(all, i))) &&
            (best == n || mean_error(tamis_value_item(all, i)) < mean_error(tamis_value_item(all, best))))
            best = i;
    return best;
}

/* p of the pair in either order; NAN: not tested. */
static double pair_p(const struct tamis_page *p, const char *a, const char *b)
{
    const tamis_value *better = tamis_value_at(p->root, "better");
    for (size_t i = 0; i < tamis_page_items(better); i++) {
        const tamis_value *q = tamis_value_item(better, i);
        const char *x = tamis_value_text(q, "a"), *y = tamis_value_text(q, "b");
        if (x && y && ((!strcmp(x, a) && !strcmp(y, b)) || (!strcmp(x, b) && !strcmp(y, a))))
            return tamis_value_number(q, isnan(tamis_value_number(q, "p_adjusted")) ? "p" : "p_adjusted");
    }
    return NAN;
}

void tamis_section_compare(struct tamis_page *p)
{
    size_t n, rivals = 0;
    const tamis_value *all = methods(p, &n);
    size_t best = best_of(all, n);
    double folds = tamis_value_number(p->root, "outer.folds"), repeats = tamis_value_number(p->root, "outer.repeats");
    if (best == n) {
        tamis_page_puts(p, "<p class=\"lead\">No method came to an end.</p>\n");
        return;
    }
    const tamis_value *b = tamis_value_item(all, best);
    tamis_page_puts(p, "<p class=\"lead\">Of ");
    tamis_page_count(p, (double)n, "method");
    tamis_page_puts(p, ", <b>");
    tamis_page_name(p, name_of(b));
    tamis_page_puts(p, "</b> has the smallest error on rows it never saw, <b>");
    tamis_page_number(p, mean_error(b));
    tamis_page_puts(p, "</b>");
    if (!isnan(tamis_value_number(b, "inputs.mean"))) {
        tamis_page_puts(p, ", with ");
        tamis_html_number(p->t, tamis_value_number(b, "inputs.mean"), 3);
        tamis_page_puts(p, " inputs on average");
    }
    tamis_page_puts(p, ". ");
    for (size_t i = 0; i < n; i++)
        rivals += i != best && !(pair_p(p, name_of(b), name_of(tamis_value_item(all, i))) < 0.05);
    if (n > 1 && rivals)
        tamis_text_printf(p->t, "%zu other%s cannot be told apart from it with confidence.", rivals,
                          rivals == 1 ? "" : "s");
    else if (n > 1) tamis_page_puts(p, "It is ahead of every other one by more than chance would explain.");
    tamis_page_puts(p, "</p>\n");
    if (folds > 0) {
        tamis_page_puts(p, "<p class=\"note\">Selection and fitting were repeated inside each of ");
        tamis_page_count(p, folds, "outer fold");
        if (repeats > 1) tamis_page_puts(p, ", "), tamis_page_count(p, repeats, "time");
        tamis_page_puts(p, "; errors are of rows left out of both.</p>\n");
    }
}

/* ---- errors ---- */

static void method_line(struct tamis_page *p, struct tamis_plot *plot, const tamis_value *m, double y, int best)
{
    double mean = mean_error(m), sd = tamis_value_number(m, "error.sd");
    const tamis_value *each = tamis_value_at(m, "errors");
    tamis_svg_name(p->t, plot->left - 10, y + 4, best ? "hd e" : "lb e", name_of(m), 22);
    if (isnan(mean)) return;
    tamis_text_puts(p->t, "<path class=\"pt c0\" d=\"");
    for (size_t i = 0; i < tamis_page_items(each) && i < 200; i++) {
        double v = tamis_value_item_number(each, i);
        if (isnan(v)) continue;
        tamis_text_puts(p->t, "M");
        tamis_svg_number(p->t, tamis_plot_at(&plot->x, v));
        tamis_text_puts(p->t, " ");
        tamis_svg_number(p->t, y + 7);
        tamis_text_puts(p->t, "h0");
    }
    tamis_text_puts(p->t, "\"/>");
    if (sd > 0) {
        tamis_text_puts(p->t, "<path class=\"ln c1\" d=\"M");
        tamis_svg_number(p->t, tamis_plot_at(&plot->x, mean - sd));
        tamis_text_puts(p->t, " ");
        tamis_svg_number(p->t, y);
        tamis_text_puts(p->t, "H");
        tamis_svg_number(p->t, tamis_plot_at(&plot->x, mean + sd));
        tamis_text_puts(p->t, "\"/>");
    }
    tamis_svg_circle(p->t, tamis_plot_at(&plot->x, mean), y, 5.5, best ? "c2" : "c1");
    tamis_svg_title(p->t, "%s\nerror %.4g\ndeviation %.3g", name_of(m), mean, sd);
    tamis_text_puts(p->t, "</circle>");
}

int tamis_picture_methods(struct tamis_page *p)
{
    size_t n;
    const tamis_value *all = methods(p, &n);
    double from = NAN, to = NAN;
    for (size_t i = 0; i < n; i++) {
        const tamis_value *m = tamis_value_item(all, i), *each = tamis_value_at(m, "errors");
        double mean = mean_error(m), sd = tamis_value_number(m, "error.sd"),
               both[] = {mean - (sd > 0 ? sd : 0), mean + (sd > 0 ? sd : 0)};
        tamis_plot_reach(both, 2, &from, &to);
        for (size_t k = 0; k < tamis_page_items(each); k++) {
            double v = tamis_value_item_number(each, k);
            tamis_plot_reach(&v, 1, &from, &to);
        }
    }
    if (isnan(from)) return 0;
    struct tamis_plot plot = {
        .t = p->t, .width = 720, .height = 30 * (double)n + 56, .left = 200, .top = 8, .alone = p->alone};
    tamis_plot_scale(&plot.x, from, to, 0);
    tamis_plot_begin(&plot, "error of each method on rows it did not see");
    plot.y.from = plot.y.to = NAN;
    tamis_plot_axes(&plot, "error on unseen rows", NULL);
    for (size_t i = 0; i < n; i++)
        method_line(p, &plot, tamis_value_item(all, i), 22 + 30 * (double)i, i == best_of(all, n));
    tamis_plot_end(&plot);
    return 1;
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

/* "4.4 (3 to 6)", sorted by the first. */
static void range_cell(struct tamis_page *p, double v, double from, double to)
{
    tamis_page_puts(p, "<td class=\"r\" data-v=\"");
    if (!isnan(v)) tamis_text_printf(p->t, "%.6g", v);
    tamis_page_puts(p, "\">");
    tamis_html_number(p->t, v, 3);
    if (isnan(from) || isnan(to)) return;
    tamis_page_puts(p, " (");
    tamis_html_number(p->t, from, from == rint(from) ? 7 : 2);
    tamis_page_puts(p, " to ");
    tamis_html_number(p->t, to, to == rint(to) ? 7 : 2);
    tamis_page_puts(p, ")");
}

void tamis_section_compare_error(struct tamis_page *p)
{
    static const char *const heads[] = {"method",         "#error",     "#deviation",      "#with all inputs",
                                        "#inputs chosen", "#stability", "#seconds a fold", NULL};
    size_t n;
    const tamis_value *all = methods(p, &n);
    tamis_page_figure(p, "");
    tamis_picture_methods(p);
    tamis_page_puts(p, "</div><figcaption>Mean over the outer folds and one standard deviation either way; grey points "
                       "are the single folds. ");
    if (tamis_value_text(p->root, "error.units") || tamis_value_text(p->root, "units")) {
        tamis_page_puts(p, "Errors are ");
        tamis_page_say(p, tamis_value_text(p->root, "error.units") ? tamis_value_text(p->root, "error.units")
                                                                  : tamis_value_text(p->root, "units"));
        tamis_page_puts(p, ".");
    }
    tamis_page_puts(p, "</figcaption></figure>\n");
    tamis_page_table(p, "t-methods", "sort",
                     "Every method. Stability is 1 where all folds choose the same inputs and 0 where they agree no "
                     "more than by chance, with its 95 % interval.",
                     heads);
    for (size_t i = 0; i < n; i++) {
        const tamis_value *m = tamis_value_item(all, i);
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
    tamis_page_table_end(p);
    failures(p, all, n);
}

/* ---- inputs ---- */

/* Frequencies of one input with each method. */
static double frequencies(const struct tamis_index *of, size_t n, const char *name, double *x)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        x[i] = tamis_value_number(tamis_index_get(&of[i], name), NULL);
        sum += fmax(x[i], 0);
    }
    return sum;
}

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

void tamis_section_compare_inputs(struct tamis_page *p)
{
    size_t n;
    const tamis_value *all = methods(p, &n), *names = NULL;
    struct tamis_index of[METHODS];
    for (size_t i = 0; i < n; i++) {
        const tamis_value *mine = tamis_value_at(tamis_value_item(all, i), "frequency");
        if (tamis_page_members(mine) > tamis_page_members(names)) names = mine;
    }
    if (!names) return;
    for (size_t i = 0; i < n; i++) of[i] = tamis_index_new(p->cx, tamis_value_at(tamis_value_item(all, i), "frequency"));
    tamis_page_table(p, "t-frequency", "heat", "Share of outer folds in which each method chose each input.", NULL);
    for (size_t i = 0; i < n; i++) {
        tamis_page_puts(p, "<th scope=\"col\">");
        tamis_page_name(p, name_of(tamis_value_item(all, i)));
    }
    tamis_page_puts(p, "</thead><tbody>\n");
    size_t rows = frequency_rows(p, names, of, n);
    tamis_page_table_end(p);
    for (size_t i = 0; i < n; i++) tamis_index_free(&of[i]);
    if (rows < tamis_page_members(names))
        tamis_text_printf(p->t,
                          "<p class=\"note\">%zu of %zu inputs are shown; none of the others was chosen often.</p>\n",
                          rows, tamis_page_members(names));
}

/* ---- pairs ---- */

void tamis_section_compare_pairs(struct tamis_page *p)
{
    size_t n;
    const tamis_value *all = methods(p, &n);
    if (!tamis_page_items(tamis_value_at(p->root, "better"))) return;
    tamis_page_table(p, "t-pairs", "heat",
                     "p-value of the difference in error between two methods over the same outer folds, adjusted for "
                     "the number of pairs where the result has that; below 0.05 (shaded) chance explains it badly.",
                     NULL);
    for (size_t i = 0; i < n; i++) {
        tamis_page_puts(p, "<th scope=\"col\">");
        tamis_page_name(p, name_of(tamis_value_item(all, i)));
    }
    tamis_page_puts(p, "</thead><tbody>\n");
    for (size_t i = 0; i < n; i++) {
        tamis_page_row(p, name_of(tamis_value_item(all, i)));
        for (size_t j = 0; j < n; j++) {
            double v = i == j ? NAN : pair_p(p, name_of(tamis_value_item(all, i)), name_of(tamis_value_item(all, j)));
            if (i == j) tamis_page_puts(p, "<td>");
            else tamis_page_shade(p, v < 0.05 ? 0.9 : v < 0.2 ? 0.3 : 0, v);
        }
        tamis_page_puts(p, "\n");
    }
    tamis_page_table_end(p);
}
