/* How the prediction changes with each selected input: profiles and slopes, one small picture per input. */
#include <math.h>
#include <stdlib.h>
#include "base/format.h"
#include "io/report/report.h"

enum { WIDE = 250, HIGH = 186, ACROSS = 3, MOST = 24, CLASSES = 6, ROWS = 8, LEVELS = 20 };
static const char *const colours[CLASSES] = {"c1", "c2", "c3", "c4", "c5", "c0"};

static size_t at_most(const tamis_value *list, size_t most)
{
    return tamis_page_items(list) < most ? tamis_page_items(list) : most;
}

/* ---- a sheet of small pictures in a file of its own; on a page they follow each other ---- */

typedef void small_draw(struct tamis_page *p, const tamis_value *one, double from, double to);

static void sheet(struct tamis_page *p, const tamis_value *all, const char *label, small_draw *draw, double from,
                  double to)
{
    size_t n = at_most(all, MOST), across = n < ACROSS ? n : ACROSS;
    struct tamis_plot whole = {.t = p->t, .width = WIDE * (double)across, .alone = 1};
    whole.height = HIGH * (double)((n + across - 1) / across);
    if (p->alone) tamis_plot_begin(&whole, label);
    for (size_t k = 0; k < n; k++) {
        if (p->alone)
            tamis_text_printf(p->t, "<svg x=\"%zu\" y=\"%zu\" width=\"%d\" height=\"%d\">", k % across * WIDE,
                              k / across * HIGH, WIDE, HIGH);
        draw(p, tamis_value_item(all, k), from, to);
        if (p->alone) tamis_text_puts(p->t, "</svg>");
    }
    if (p->alone) tamis_plot_end(&whole);
}

static struct tamis_plot small_plot(const struct tamis_page *p)
{
    return (struct tamis_plot){
        .t = p->t, .width = WIDE, .height = HIGH, .left = 60, .right = 10, .top = 10, .bottom = 40};
}

static const char *score_label(struct tamis_page *p)
{
    return tamis_page_label(p, tamis_page_classes(p) ? "probability" : tamis_value_text(p->root, "data.target"));
}

/* ---- profiles ---- */

static void profile_reach(const tamis_value *one, double *from, double *to)
{
    static const char *const keys[] = {"median", "rows", "scores"};
    for (size_t k = 0; k < 3; k++) {
        const tamis_value *curves = tamis_value_at(one, keys[k]);
        for (size_t c = 0; c < tamis_page_items(curves); c++) tamis_page_reach(tamis_value_item(curves, c), from, to);
    }
}

static void profiles_reach(const tamis_value *all, double *from, double *to)
{
    *from = *to = NAN;
    for (size_t k = 0; k < at_most(all, MOST); k++) profile_reach(tamis_value_item(all, k), from, to);
}

/* Ticks along the axis. */
static void rug(struct tamis_plot *plot, const tamis_value *one)
{
    size_t n;
    const double *x = tamis_page_numbers(one, "deciles", &n);
    tamis_text_puts(plot->t, "<path class=\"ax\" d=\"");
    for (size_t i = 0; i < n; i++) {
        if (isnan(x[i])) continue;
        tamis_text_puts(plot->t, "M");
        tamis_svg_number(plot->t, tamis_plot_at(&plot->x, x[i]));
        tamis_text_puts(plot->t, " ");
        tamis_svg_number(plot->t, plot->y.low);
        tamis_text_puts(plot->t, "v-6");
    }
    tamis_text_puts(plot->t, "\"/>");
}

struct grid { const double *x; size_t n; };

static void curve(struct tamis_plot *plot, const struct grid *g, const tamis_value *values, const char *style,
                  const char *hover)
{
    size_t m;
    const double *y = tamis_page_numbers(values, NULL, &m);
    tamis_plot_line(plot, g->x, y, m < g->n ? m : g->n, style, hover);
}

static void curves(struct tamis_page *p, struct tamis_plot *plot, const tamis_value *one, const struct grid *g)
{
    const tamis_value *rows = tamis_value_at(one, "rows"), *scores = tamis_value_at(one, "scores");
    const tamis_value *names = tamis_value_at(p->root, "evidence.classes"), *median = tamis_value_at(one, "median");
    char hover[160];
    for (size_t c = 0; c < at_most(rows, ROWS); c++) curve(plot, g, tamis_value_item(rows, c), "thin c0", NULL);
    if (median) curve(plot, g, tamis_value_item(median, 0), "c1", "input|prediction");
    for (size_t c = 0; c < at_most(scores, CLASSES); c++) {
        const char *name = tamis_page_item_text(names, c);
        tamis_snprintf(hover, sizeof hover, "input|probability|%.100s", name ? name : "");
        curve(plot, g, tamis_value_item(scores, c), colours[c], hover);
    }
}

static void number_profile(struct tamis_page *p, const tamis_value *one, double from, double to)
{
    struct tamis_plot plot = small_plot(p);
    struct grid g;
    double low = NAN, high = NAN;
    g.x = tamis_page_numbers(one, "x", &g.n);
    tamis_plot_reach(g.x, g.n, &low, &high);
    tamis_plot_scale(&plot.x, low, high, 0);
    tamis_plot_scale(&plot.y, from, to, 0);
    tamis_plot_begin(&plot, "the prediction along one input");
    tamis_plot_axes(&plot, tamis_page_label(p, tamis_value_text(one, "input")), score_label(p));
    rug(&plot, one);
    curves(p, &plot, one, &g);
    tamis_plot_end(&plot);
}

static void level_points(struct tamis_plot *plot, const tamis_value *one, size_t l, const char *level)
{
    const tamis_value *rows = tamis_value_at(one, "rows"), *median = tamis_value_at(one, "median");
    const tamis_value *set = median ? median : tamis_value_at(one, "scores");
    double at = (double)l;
    for (size_t c = 0; c < at_most(rows, ROWS); c++) {
        double y = tamis_value_item_number(tamis_value_item(rows, c), l);
        tamis_plot_points(plot, &at, &y, 1, "c0", NULL);
    }
    for (size_t c = 0; c < at_most(set, CLASSES); c++) {
        double y = tamis_value_item_number(tamis_value_item(set, c), l);
        if (isnan(y)) continue;
        tamis_svg_circle(plot->t, tamis_plot_at(&plot->x, at), tamis_plot_at(&plot->y, y), 4.5, colours[c]);
        tamis_svg_title(plot->t, "%s\n%.4g", level ? level : "", y);
        tamis_text_puts(plot->t, "</circle>");
    }
}

/* A category: one point per level. */
static void level_profile(struct tamis_page *p, const tamis_value *one, double from, double to)
{
    const tamis_value *levels = tamis_value_at(one, "levels");
    size_t n = at_most(levels, LEVELS);
    struct tamis_plot plot = small_plot(p);
    plot.x = (struct tamis_axis){.from = NAN, .to = NAN};                       /* names instead of ticks */
    tamis_plot_scale(&plot.y, from, to, 0);
    tamis_plot_begin(&plot, "the prediction for each level");
    tamis_plot_axes(&plot, tamis_page_label(p, tamis_value_text(one, "input")), score_label(p));
    plot.x.from = -0.5, plot.x.to = (double)n - 0.5;
    for (size_t l = 0; l < n; l++) {
        const char *level = tamis_page_item_text(levels, l);
        tamis_svg_name(p->t, tamis_plot_at(&plot.x, (double)l), plot.y.low + 15, "tk m", level,
                       (plot.x.high - plot.x.low) / (double)n);
        level_points(&plot, one, l, level);
    }
    tamis_plot_end(&plot);
}

static void profile(struct tamis_page *p, const tamis_value *one, double from, double to)
{
    if (tamis_page_items(tamis_value_at(one, "levels"))) level_profile(p, one, from, to);
    else number_profile(p, one, from, to);
}

static const tamis_value *profiles(const tamis_value *result) { return tamis_value_at(result, "evidence.profiles"); }

static int profiles_applicable(const tamis_value *result)
{
    double from, to;
    profiles_reach(profiles(result), &from, &to);
    return !isnan(from);
}

static void profiles_draw(struct tamis_page *p)
{
    double from, to;
    profiles_reach(profiles(p->root), &from, &to);
    sheet(p, profiles(p->root), tamis_figure_profiles.label, profile, from, to);
}

static void class_legend(struct tamis_page *p)
{
    const tamis_value *names = tamis_value_at(p->root, "evidence.classes");
    size_t n = at_most(names, CLASSES);
    tamis_text_printf(p->t, "<figure><svg viewBox=\"0 0 480 %d\" role=\"img\" aria-label=\"colours of the classes\">",
                      n > 3 ? 40 : 20);
    for (size_t c = 0; c < n; c++) {
        double x = 4 + 158 * (double)(c % 3), y = 10 + 20 * (double)(c / 3);
        tamis_svg_span(p->t, x, x + 18, y, colours[c]);
        tamis_svg_name(p->t, x + 24, y + 4, "tk", tamis_page_item_text(names, c), 130);
    }
    tamis_page_puts(p, "</svg></figure>\n");
}

static void profiles_words(struct tamis_page *p)
{
    if (tamis_page_classes(p)) {
        tamis_page_puts(p,
                        "Probabilities of the classes along each input, with the other inputs at their medians.");
        return;
    }
    tamis_page_puts(p, "Predicted <bdi>");
    tamis_page_say(p, tamis_value_text(p->root, "data.target"));
    tamis_page_puts(p, "</bdi> along each input. Blue: the other inputs at their medians. Grey: the other inputs as in "
                       "four rows with low to high predictions; where grey curves are not parallel, inputs interact.");
}

static void profiles_section(struct tamis_page *p)
{
    size_t n = tamis_page_items(profiles(p->root)), selected = tamis_page_items(tamis_value_at(p->root, "selected"));
    if (!n) return;
    if (tamis_page_classes(p)) class_legend(p);
    tamis_page_figure(p, "many");
    tamis_page_draw(p, &tamis_figure_profiles);
    tamis_page_puts(p, "</div><figcaption>");
    profiles_words(p);
    tamis_page_puts(p, " Ticks on the axis are deciles of the data; few rows lie far outside them.");
    if (selected > n) tamis_text_printf(p->t, " The %zu most relevant inputs are drawn.", n);
    tamis_page_puts(p, "</figcaption></figure>\n");
}

/* ---- slopes ---- */

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

struct sorted { double *v; size_t n; };

/* The finite numbers, or their absolute values, in rising order. */
static struct sorted sort(struct tamis_page *p, const double *v, size_t n, int absolute)
{
    struct sorted s = {tamis_raw(p->cx, double, n + 1), 0};
    for (size_t i = 0; s.v && i < n; i++)
        if (isfinite(v[i])) s.v[s.n++] = absolute ? fabs(v[i]) : v[i];
    if (s.n) qsort(s.v, s.n, sizeof *s.v, by_value);
    return s;
}

static double quantile(const struct sorted *s, double q)
{
    return s->n ? s->v[(size_t)(q * (double)(s->n - 1) + 0.5)] : NAN;
}

static void median_line(struct tamis_page *p, struct tamis_plot *plot, const double *y, size_t n)
{
    struct sorted s = sort(p, y, n, 0);
    double median = quantile(&s, 0.5);
    if (n) tamis_plot_segment(plot, plot->x.from, median, plot->x.to, median, "thin c2");
    tamis_free(s.v);
}

/* Every input has its own scale. */
static void slope(struct tamis_page *p, const tamis_value *one, double from, double to)
{
    struct tamis_plot plot = small_plot(p);
    size_t n, m;
    const double *x = tamis_page_numbers(one, "x", &n), *y = tamis_page_numbers(one, "slope", &m);
    double low = NAN, high = NAN;
    if (m < n) n = m;
    tamis_plot_reach(x, n, &low, &high);
    tamis_plot_reach(y, n, &from, &to);
    tamis_plot_scale(&plot.x, low, high, 0);
    tamis_plot_scale(&plot.y, from, to, 0);
    tamis_plot_begin(&plot, "slopes at rows, by the value of the input");
    tamis_plot_axes(&plot, tamis_page_label(p, tamis_value_text(one, "input")), tamis_page_label(p, "slope"));
    tamis_plot_segment(&plot, plot.x.from, 0, plot.x.to, 0, "dash c0");
    if (n) tamis_plot_points(&plot, x, y, n, "c1", "input|slope");
    median_line(p, &plot, y, n);
    tamis_plot_end(&plot);
}

static const tamis_value *slopes(const tamis_value *result) { return tamis_value_at(result, "evidence.derivatives"); }

static int slopes_applicable(const tamis_value *result) { return tamis_page_items(slopes(result)) > 0; }

static void slopes_draw(struct tamis_page *p)
{
    sheet(p, slopes(p->root), tamis_figure_slopes.label, slope, 0, 0);
}

static void slope_row(struct tamis_page *p, const tamis_value *one)
{
    size_t n;
    const double *y = tamis_page_numbers(one, "slope", &n);
    struct sorted s = sort(p, y, n, 0), absolute = sort(p, y, n, 1);
    tamis_page_row(p, tamis_value_text(one, "input"));
    tamis_page_cell(p, quantile(&s, 0.5));
    tamis_page_cell(p, quantile(&absolute, 0.5));
    tamis_page_cell(p, quantile(&absolute, 1.0 / 6));
    tamis_page_cell(p, quantile(&absolute, 5.0 / 6));
    tamis_page_puts(p, "\n");
    tamis_free(s.v);
    tamis_free(absolute.v);
}

static void slope_table(struct tamis_page *p)
{
    static const char *const heads[] = {
        "input", "#median slope", "#median |slope|", "#middle two thirds of |slope|, from", "#to", NULL};
    tamis_page_details(p, "Slopes as a table");
    tamis_page_table(p, "t-slopes", "sort", "Quantiles of the slopes at the rows that are drawn.", heads);
    for (size_t k = 0; k < at_most(slopes(p->root), MOST); k++) slope_row(p, tamis_value_item(slopes(p->root), k));
    tamis_page_table_end(p);
    tamis_page_details_end(p);
}

static void slopes_section(struct tamis_page *p)
{
    if (!slopes_applicable(p->root)) return;
    tamis_page_figure(p, "many");
    tamis_page_draw(p, &tamis_figure_slopes);
    tamis_page_puts(p, "</div><figcaption>The derivative of the predicted <bdi>");
    tamis_page_say(p, tamis_value_text(p->root, "data.target"));
    tamis_page_puts(p,
                    "</bdi> with respect to each input, one point per training row, in the units of the table. Points "
                    "on a horizontal line: the effect is linear; on a sloping line: quadratic; in a wide cloud: it "
                    "depends on the other inputs. Orange: the median.</figcaption></figure>\n");
    slope_table(p);
}

const struct tamis_figure tamis_figure_profiles = {
    .name = "profiles",
    .needs = "evidence",
    .label = "profiles of the selected inputs",
    .summary = "the prediction along each selected input",
    .applicable = profiles_applicable,
    .draw = profiles_draw,
};
const struct tamis_figure tamis_figure_slopes = {
    .name = "slopes",
    .needs = "evidence",
    .label = "slopes with respect to the selected inputs",
    .summary = "the derivative with respect to each selected input",
    .applicable = slopes_applicable,
    .draw = slopes_draw,
};
const struct tamis_section tamis_section_profiles = {
    .id = "profiles", .title = "How the prediction changes with each input", .draw = profiles_section};
const struct tamis_section tamis_section_slopes = {
    .id = "slopes", .title = "How steep the prediction is", .draw = slopes_section};
