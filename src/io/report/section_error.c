/* How accurate the answer is: errors with the chosen and with all inputs as bars. */
#include <math.h>
#include <stdio.h>
#include "io/report/report.h"

struct bar { const char *what; double all, selected, se; };

static size_t bars_read(const struct tamis_page *p, struct bar *b)
{
    const tamis_value *e = tamis_value_at(p->root, "error");
    const struct bar every[] = {
        {"nested validation", tamis_value_number(e, "nested_all_inputs"), tamis_value_number(e, "nested"),
         tamis_value_number(e, "nested_se")},
        {"test rows", tamis_value_number(e, "test_all_inputs"), tamis_value_number(e, "test"),
         tamis_value_number(e, "test_se")},
        {tamis_page_error_name(p), tamis_value_number(e, "all_inputs"), tamis_value_number(e, "selected"),
         tamis_value_number(e, "selected_se")}};
    size_t n = 0;
    for (size_t i = 0; i < 3; i++)
        if (!isnan(every[i].selected)) b[n++] = every[i];
    return n;
}

static void error_bar(struct tamis_plot *plot, double y, double value, double se, const char *style, const char *who)
{
    double from = tamis_plot_at(&plot->x, 0), to = tamis_plot_at(&plot->x, value);
    if (isnan(value)) return;
    tamis_svg_rect(plot->t, fmin(from, to), y, fabs(to - from), 15, style);
    tamis_svg_title(plot->t, "%s: %.4g", who, value);
    tamis_text_puts(plot->t, "</rect>");
    if (se > 0)
        tamis_svg_span(plot->t, tamis_plot_at(&plot->x, fmax(value - se, plot->x.from)),
                       tamis_plot_at(&plot->x, value + se), y + 7.5, "c2");
    tamis_svg_value(plot->t, fmax(fmax(from, to), se > 0 ? tamis_plot_at(&plot->x, value + se) : 0) + 5, y + 12, value);
}

static double row_height(const struct bar *b) { return isnan(b->all) ? 34 : 52; }

static void error_rows(struct tamis_page *p, struct tamis_plot *plot, const struct bar *b, size_t n)
{
    double y = 26;
    for (size_t i = 0; i < n; y += row_height(&b[i++])) {
        tamis_page_row_name(p, plot, y + (isnan(b[i].all) ? 12 : 21), b[i].what, 0);
        error_bar(plot, y, b[i].selected, b[i].se, "c1", "chosen inputs");
        error_bar(plot, y + 17, b[i].all, NAN, "c0", "all inputs");
    }
}

static void error_plot(struct tamis_page *p, const struct bar *b, size_t n)
{
    const char *name[3] = {NULL};
    for (size_t i = 0; i < n; i++) name[i] = b[i].what;
    struct tamis_plot plot = {.t = p->t,
                              .width = tamis_page_width(p),
                              .height = 42,
                              .left = tamis_page_margin(p, name, n),
                              .right = 60,
                              .top = 22,
                              .bottom = 22,
                              .y = {.from = NAN, .to = NAN}};                    /* no ticks upright */
    double from = 0, to = 0, x = plot.left;
    int all = 0;
    for (size_t i = 0; i < n; i++) {
        double ends[] = {b[i].all, b[i].selected, b[i].se > 0 ? b[i].selected + b[i].se : NAN};
        tamis_plot_reach(ends, 3, &from, &to);
        plot.height += row_height(&b[i]);
        all |= !isnan(b[i].all);
    }
    tamis_plot_scale(&plot.x, from, to, 0);
    if (from == 0) plot.x.from = 0;
    tamis_plot_begin(&plot, "errors with all inputs and with the chosen ones");
    x = tamis_page_key(p, x, "c1", "chosen inputs");
    if (all) tamis_page_key(p, x, "c0", "all inputs");
    error_rows(p, &plot, b, n);
    tamis_plot_names(&plot, tamis_page_label(p, "error"), NULL);
    tamis_plot_end(&plot);
}

static void error_section(struct tamis_page *p)
{
    const char *units = tamis_value_text(p->root, "error.units");
    struct bar b[3];
    size_t n = bars_read(p, b);
    int se = 0;
    if (!n || !tamis_page_items(tamis_value_at(p->root, "selected"))) return;
    for (size_t i = 0; i < n; i++) se |= b[i].se > 0;
    tamis_page_figure(p, "");
    error_plot(p, b, n);
    tamis_page_puts(p, "</div><figcaption>Error measure: ");
    tamis_page_say(p, units ? units : "that of the criterion");
    tamis_page_puts(p, ". Shorter is better.");
    if (se) tamis_page_puts(p, " Orange lines span one standard error either side.");
    tamis_page_puts(p, "</figcaption></figure>\n");
    if (tamis_page_estimate(p->root).kind == TAMIS_CRITERION)
        tamis_page_puts(p,
                        "<p class=\"note\">No rows were held out. <code>--holdout 0.2</code>, <code>--test FILE</code> "
                        "or <code>--outer 5</code> give an error that the choice has not influenced.</p>\n");
}

const struct tamis_section tamis_section_error = {
    .id = "error", .title = "How accurate it is", .draw = error_section};
