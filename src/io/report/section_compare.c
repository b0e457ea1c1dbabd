/* Several methods under the same outer validation. */
#include <math.h>
#include <string.h>
#include "io/report/report.h"

enum { METHODS = 40, INPUTS = 100 };

static const json_t *methods(const struct tamis_page *p, size_t *n)
{
    const json_t *m = tamis_json_at(p->root, "methods");
    *n = tamis_json_length(m) < METHODS ? tamis_json_length(m) : METHODS;
    return m;
}

static double mean_error(const json_t *m)
{
    double e = tamis_json_number(m, "error.mean");
    return isnan(e) ? tamis_json_number(m, "error") : e;
}

static const char *name_of(const json_t *m)
{
    const char *s = tamis_json_text(m, "method");
    return s ? s : "";
}

static size_t best_of(const json_t *all, size_t n)
{
    size_t best = n;
    for (size_t i = 0; i < n; i++)
        if (!isnan(mean_error(json_array_get(all, i))) &&
            (best == n || mean_error(json_array_get(all, i)) < mean_error(json_array_get(all, best))))
            best = i;
    return best;
}

/* p of the pair in either order; NAN: not tested. */
static double pair_p(const struct tamis_page *p, const char *a, const char *b)
{
    const json_t *better = tamis_json_at(p->root, "better");
    for (size_t i = 0; i < tamis_json_length(better); i++) {
        const json_t *q = json_array_get(better, i);
        const char *x = tamis_json_text(q, "a"), *y = tamis_json_text(q, "b");
        if (x && y && ((!strcmp(x, a) && !strcmp(y, b)) || (!strcmp(x, b) && !strcmp(y, a))))
            return tamis_json_number(q, isnan(tamis_json_number(q, "p_adjusted")) ? "p" : "p_adjusted");
    }
    return NAN;
}

void tamis_section_compare(struct tamis_page *p)
{
    size_t n, rivals = 0;
    const json_t *all = methods(p, &n);
    size_t best = best_of(all, n);
    double folds = tamis_json_number(p->root, "outer.folds"), repeats = tamis_json_number(p->root, "outer.repeats");
    if (best == n) {
        tamis_page_puts(p, "<p class=\"lead\">No method came to an end.</p>\n");
        return;
    }
    const json_t *b = json_array_get(all, best);
    tamis_page_puts(p, "<p class=\"lead\">Of ");
    tamis_page_count(p, (double)n, "method");
    tamis_page_puts(p, ", <b>");
    tamis_page_name(p, name_of(b));
    tamis_page_puts(p, "</b> has the smallest error on rows it never saw, <b>");
    tamis_page_number(p, mean_error(b));
    tamis_page_puts(p, "</b>");
    if (!isnan(tamis_json_number(b, "inputs.mean"))) {
        tamis_page_puts(p, ", with ");
        tamis_html_number(p->t, tamis_json_number(b, "inputs.mean"), 3);
        tamis_page_puts(p, " inputs on average");
    }
    tamis_page_puts(p, ". ");
    for (size_t i = 0; i < n; i++)
        rivals += i != best && !(pair_p(p, name_of(b), name_of(json_array_get(all, i))) < 0.05);
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

static void method_line(struct tamis_page *p, struct tamis_plot *plot, const json_t *m, double y, int best)
{
    double mean = mean_error(m), sd = tamis_json_number(m, "error.sd");
    const json_t *each = tamis_json_at(m, "errors");
    tamis_svg_name(p->t, plot->left - 10, y + 4, best ? "hd e" : "lb e", name_of(m), 22);
    if (isnan(mean)) return;
    tamis_text_puts(p->t, "<path class=\"pt c0\" d=\"");
    for (size_t i = 0; i < tamis_json_length(each) && i < 200; i++) {
        double v = tamis_json_item(each, i);
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
    const json_t *all = methods(p, &n);
    double from = NAN, to = NAN;
    for (size_t i = 0; i < n; i++) {
        const json_t *m = json_array_get(all, i), *each = tamis_json_at(m, "errors");
        double mean = mean_error(m), sd = tamis_json_number(m, "error.sd"),
               both[] = {mean - (sd > 0 ? sd : 0), mean + (sd > 0 ? sd : 0)};
        tamis_plot_reach(both, 2, &from, &to);
        for (size_t k = 0; k < tamis_json_length(each); k++) {
            double v = tamis_json_item(each, k);
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
        method_line(p, &plot, json_array_get(all, i), 22 + 30 * (double)i, i == best_of(all, n));
    tamis_plot_end(&plot);
    return 1;
}

static void failures(struct tamis_page *p, const json_t *all, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const json_t *m = json_array_get(all, i);
        if (!tamis_json_text(m, "failed")) continue;
        tamis_page_puts(p, "<p class=\"warn\">");
        tamis_page_name(p, name_of(m));
        tamis_page_puts(p, " failed: ");
        tamis_page_say(p, tamis_json_text(m, "failed"));
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
    const json_t *all = methods(p, &n);
    tamis_page_figure(p, "");
    tamis_picture_methods(p);
    tamis_page_puts(p, "</div><figcaption>Mean over the outer folds and one standard deviation either way; grey points "
                       "are the single folds. ");
    if (tamis_json_text(p->root, "error.units") || tamis_json_text(p->root, "units")) {
        tamis_page_puts(p, "Errors are ");
        tamis_page_say(p, tamis_json_text(p->root, "error.units") ? tamis_json_text(p->root, "error.units")
                                                                  : tamis_json_text(p->root, "units"));
        tamis_page_puts(p, ".");
    }
    tamis_page_puts(p, "</figcaption></figure>\n");
    tamis_page_table(p, "t-methods", "sort",
                     "Every method. Stability is 1 where all folds choose the same inputs and 0 where they agree no "
                     "more than by chance, with its 95 % interval.",
                     heads);
    for (size_t i = 0; i < n; i++) {
        const json_t *m = json_array_get(all, i);
        tamis_page_row(p, name_of(m));
        tamis_page_cell(p, mean_error(m));
        tamis_page_cell(p, tamis_json_number(m, "error.sd"));
        tamis_page_cell(p, tamis_json_number(m, "error.all_inputs"));
        range_cell(p, tamis_json_number(m, "inputs.mean"), tamis_json_number(m, "inputs.min"),
                   tamis_json_number(m, "inputs.max"));
        range_cell(p, tamis_json_number(m, "stability"), tamis_json_number(m, "stability_low"),
                   fmin(tamis_json_number(m, "stability_high"), 1));
        tamis_page_cell(p, tamis_json_number(m, "seconds"));
        tamis_page_puts(p, "\n");
    }
    tamis_page_table_end(p);
    failures(p, all, n);
}

/* ---- inputs ---- */

static double frequency(const json_t *m, const char *name)
{
    const json_t *v = json_object_get(tamis_json_at(m, "frequency"), name);
    return json_is_number(v) ? json_number_value(v) : NAN;
}

void tamis_section_compare_inputs(struct tamis_page *p)
{
    size_t n, rows = 0;
    const json_t *all = methods(p, &n), *names = NULL;
    const char *name;
    json_t *v;
    for (size_t i = 0; i < n; i++)
        if (json_object_size(tamis_json_at(json_array_get(all, i), "frequency")) > json_object_size(names))
            names = tamis_json_at(json_array_get(all, i), "frequency");
    if (!names) return;
    tamis_page_table(p, "t-frequency", "heat", "Share of outer folds in which each method chose each input.", NULL);
    for (size_t i = 0; i < n; i++) {
        tamis_page_puts(p, "<th scope=\"col\">");
        tamis_page_name(p, name_of(json_array_get(all, i)));
    }
    tamis_page_puts(p, "</thead><tbody>\n");
    json_object_foreach((json_t *)names, name, v) {
        double sum = 0;
        for (size_t i = 0; i < n; i++) sum += fmax(frequency(json_array_get(all, i), name), 0);
        if (rows >= INPUTS || (json_object_size(names) > INPUTS && sum == 0)) continue;
        rows++;
        tamis_page_row(p, name);
        for (size_t i = 0; i < n; i++)
            tamis_page_shade(p, frequency(json_array_get(all, i), name), frequency(json_array_get(all, i), name));
        tamis_page_puts(p, "\n");
    }
    tamis_page_table_end(p);
    if (rows < json_object_size(names))
        tamis_text_printf(p->t,
                          "<p class=\"note\">%zu of %zu inputs are shown; none of the others was chosen often.</p>\n",
                          rows, json_object_size(names));
}

/* ---- pairs ---- */

void tamis_section_compare_pairs(struct tamis_page *p)
{
    size_t n;
    const json_t *all = methods(p, &n);
    if (!tamis_json_length(tamis_json_at(p->root, "better"))) return;
    tamis_page_table(p, "t-pairs", "heat",
                     "p-value of the difference in error between two methods over the same outer folds, adjusted for "
                     "the number of pairs where the result has that; below 0.05 (shaded) chance explains it badly.",
                     NULL);
    for (size_t i = 0; i < n; i++) {
        tamis_page_puts(p, "<th scope=\"col\">");
        tamis_page_name(p, name_of(json_array_get(all, i)));
    }
    tamis_page_puts(p, "</thead><tbody>\n");
    for (size_t i = 0; i < n; i++) {
        tamis_page_row(p, name_of(json_array_get(all, i)));
        for (size_t j = 0; j < n; j++) {
            double v = i == j ? NAN : pair_p(p, name_of(json_array_get(all, i)), name_of(json_array_get(all, j)));
            if (i == j) tamis_page_puts(p, "<td>");
            else tamis_page_shade(p, v < 0.05 ? 0.9 : v < 0.2 ? 0.3 : 0, v);
        }
        tamis_page_puts(p, "\n");
    }
    tamis_page_table_end(p);
}
