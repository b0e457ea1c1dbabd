/* How the prediction moves with each chosen input: profiles and slopes, a small picture an input. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "io/report/report.h"

enum { WIDE = 250, HIGH = 186, ACROSS = 3, MOST = 24 };
static const char *const colours[] = {"c1", "c2", "c3", "c4", "c5", "c0"};

/* A sheet of small pictures in a file of its own. */
static void sheet_begin(struct tamis_page *p, size_t n, const char *label)
{
    if (!p->alone) return;
    size_t across = n < ACROSS ? n : ACROSS;
    struct tamis_plot all = {
        .t = p->t, .width = WIDE * (double)across, .height = HIGH * (double)((n + across - 1) / across), .alone = 1};
    tamis_plot_begin(&all, label);
}

static void sheet_place(struct tamis_page *p, size_t k, size_t n)
{
    size_t across = n < ACROSS ? n : ACROSS;
    if (p->alone)
        tamis_text_printf(p->t, "<svg x=\"%zu\" y=\"%zu\" width=\"%d\" height=\"%d\">", k % across * WIDE,
                          k / across * HIGH, WIDE, HIGH);
}

static void sheet_placed(struct tamis_page *p)
{
    if (p->alone) tamis_text_puts(p->t, "</svg>");
}

static void sheet_end(struct tamis_page *p)
{
    if (p->alone) tamis_text_puts(p->t, "</svg>\n");
}

static void small_plot(struct tamis_page *p, struct tamis_plot *plot)
{
    *plot = (struct tamis_plot){
        .t = p->t, .width = WIDE, .height = HIGH, .left = p->alone ? 60 : 46, .right = 10, .top = 10, .bottom = 40};
}

/* The page's captions say what is upright; a picture that stands alone says it itself. */
static const char *y_label(const struct tamis_page *p, int slope)
{
    if (!p->alone) return NULL;
    return slope ? "slope" : tamis_page_classes(p) ? "score" : tamis_value_text(p->root, "data.target");
}

/* ---- profiles ---- */

static void reach_of(const tamis_value *curve, double *from, double *to)
{
    for (size_t i = 0; i < tamis_page_items(curve); i++) {
        double v = tamis_value_item_number(curve, i);
        tamis_plot_reach(&v, 1, from, to);
    }
}

static void profile_reach(const tamis_value *one, double *from, double *to)
{
    static const char *const keys[] = {"median", "rows", "scores"};
    for (size_t k = 0; k < 3; k++) {
        const tamis_value *curves = tamis_value_at(one, keys[k]);
        for (size_t c = 0; c < tamis_page_items(curves); c++) reach_of(tamis_value_item(curves, c), from, to);
    }
}

static void curve(struct tamis_page *p, struct tamis_plot *plot, const double *x, size_t n, const tamis_value *values,
                  const char *style, const char *hover)
{
    size_t m = tamis_page_items(values);
    double *y = tamis_raw(p->cx, double, n + 1);
    if (m > n) m = n;
    for (size_t i = 0; y && i < m; i++) y[i] = tamis_value_item_number(values, i);
    if (y) tamis_plot_line(plot, x, y, m, style, hover);
    tamis_free(y);
}

static void rug(struct tamis_plot *plot, const tamis_value *deciles)
{
    tamis_text_puts(plot->t, "<path class=\"ax\" d=\"");
    for (size_t i = 0; i < tamis_page_items(deciles); i++) {
        double x = tamis_value_item_number(deciles, i);
        if (isnan(x)) continue;
        tamis_text_puts(plot->t, "M");
        tamis_svg_number(plot->t, tamis_plot_at(&plot->x, x));
        tamis_text_puts(plot->t, " ");
        tamis_svg_number(plot->t, plot->y.low);
        tamis_text_puts(plot->t, "v-6");
    }
    tamis_text_puts(plot->t, "\"/>");
}

static void curves(struct tamis_page *p, struct tamis_plot *plot, const tamis_value *one, const double *x, size_t n)
{
    const tamis_value *rows = tamis_value_at(one, "rows"), *scores = tamis_value_at(one, "scores"),
                 *names = tamis_value_at(p->root, "evidence.classes");
    char hover[160];
    for (size_t c = 0; c < tamis_page_items(rows) && c < 8; c++)
        curve(p, plot, x, n, tamis_value_item(rows, c), "thin c0", NULL);
    if (tamis_value_at(one, "median"))
        curve(p, plot, x, n, tamis_value_item(tamis_value_at(one, "median"), 0), "c1", "input|prediction");
    for (size_t c = 0; c < tamis_page_items(scores) && c < 6; c++) {
        const char *name = tamis_page_item_text(names, c);
        snprintf(hover, sizeof hover, "input|score|%.100s", name ? name : "");
        curve(p, plot, x, n, tamis_value_item(scores, c), colours[c], hover);
    }
}

static void number_profile(struct tamis_page *p, const tamis_value *one, double from, double to)
{
    struct tamis_plot plot;
    size_t n;
    const double *x = tamis_page_numbers(one, "x", &n);
    double low = NAN, high = NAN;
    small_plot(p, &plot);
    tamis_plot_reach(x, n, &low, &high);
    tamis_plot_scale(&plot.x, low, high, 0);
    tamis_plot_scale(&plot.y, from, to, 0);
    tamis_plot_begin(&plot, "the prediction along one input");
    tamis_plot_axes(&plot, tamis_value_text(one, "input"), y_label(p, 0));
    rug(&plot, tamis_value_at(one, "deciles"));
    curves(p, &plot, one, x, n);
    tamis_plot_end(&plot);
}

/* A category: a point a level. */
static void level_profile(struct tamis_page *p, const tamis_value *one, double from, double to)
{
    const tamis_value *levels = tamis_value_at(one, "levels"), *rows = tamis_value_at(one, "rows"),
                 *set = tamis_value_at(one, "median");
    size_t n = tamis_page_items(levels) < 20 ? tamis_page_items(levels) : 20;
    struct tamis_plot plot;
    small_plot(p, &plot);
    plot.x = (struct tamis_axis){-0.5, (double)n - 0.5, 0, 0, 0};
    tamis_plot_scale(&plot.y, from, to, 0);
    tamis_plot_begin(&plot, "the prediction for each level");
    plot.whole = 1;
    struct tamis_axis x = plot.x;
    plot.x.from = plot.x.to = NAN;
    tamis_plot_axes(&plot, tamis_value_text(one, "input"), y_label(p, 0));
    plot.x = x;
    for (size_t l = 0; l < n; l++) {
        tamis_svg_name(p->t, tamis_plot_at(&plot.x, (double)l), plot.y.low + 15, "tk m",
                       tamis_page_item_text(levels, l), n > 5 ? 4 : 8);
        for (size_t c = 0; c < tamis_page_items(rows) && c < 8; c++) {
            double y = tamis_value_item_number(tamis_value_item(rows, c), l), at = (double)l;
            tamis_plot_points(&plot, &at, &y, 1, "c0", NULL);
        }
        if (!set) set = tamis_value_at(one, "scores");
        for (size_t c = 0; c < tamis_page_items(set) && c < 6; c++) {
            const char *name = tamis_page_item_text(levels, l);
            double y = tamis_value_item_number(tamis_value_item(set, c), l);
            if (isnan(y)) continue;
            tamis_svg_circle(p->t, tamis_plot_at(&plot.x, (double)l), tamis_plot_at(&plot.y, y), 4.5,
                             c < 4 ? colours[c] : "c0");
            tamis_svg_title(p->t, "%s\n%.4g", name ? name : "", y);
            tamis_text_puts(p->t, "</circle>");
        }
    }
    tamis_plot_end(&plot);
}

int tamis_picture_profiles(struct tamis_page *p)
{
    const tamis_value *all = tamis_value_at(p->root, "evidence.profiles");
    size_t n = tamis_page_items(all) < MOST ? tamis_page_items(all) : MOST;
    double from = NAN, to = NAN;
    for (size_t k = 0; k < n; k++) profile_reach(tamis_value_item(all, k), &from, &to);
    if (!n || isnan(from)) return 0;
    sheet_begin(p, n, "profiles of the chosen inputs");
    for (size_t k = 0; k < n; k++) {
        const tamis_value *one = tamis_value_item(all, k);
        sheet_place(p, k, n);
        if (tamis_page_items(tamis_value_at(one, "levels"))) level_profile(p, one, from, to);
        else number_profile(p, one, from, to);
        sheet_placed(p);
    }
    sheet_end(p);
    return 1;
}

static void class_legend(struct tamis_page *p)
{
    const tamis_value *names = tamis_value_at(p->root, "evidence.classes");
    double x = 4;
    size_t n = tamis_page_items(names) < 6 ? tamis_page_items(names) : 6;
    tamis_page_puts(p, "<figure><svg viewBox=\"0 0 720 20\" role=\"img\" aria-label=\"colours of the classes\">");
    for (size_t c = 0; c < n; c++) {
        tamis_text_printf(p->t, "<path class=\"ln %s\" d=\"M%.0f 10h18\"/>", colours[c], x);
        tamis_svg_name(p->t, x + 24, 14, "tk", tamis_page_item_text(names, c), 12);
        x += 116;
    }
    tamis_page_puts(p, "</svg></figure>\n");
}

void tamis_section_profiles(struct tamis_page *p)
{
    size_t n = tamis_page_items(tamis_value_at(p->root, "evidence.profiles")),
           chosen = tamis_page_items(tamis_value_at(p->root, "selected"));
    int classes = tamis_page_classes(p);
    if (!n) return;
    if (classes) class_legend(p);
    tamis_page_figure(p, "many");
    tamis_picture_profiles(p);
    tamis_page_puts(p, "</div><figcaption>");
    if (classes)
        tamis_page_puts(
            p, "Scores of the classes along each input, the other inputs at their medians; the largest score wins.");
    else {
        tamis_page_puts(p, "Predicted <bdi>");
        tamis_page_say(p, tamis_value_text(p->root, "data.target"));
        tamis_page_puts(p, "</bdi> along each input. Blue: the other inputs at their medians. Grey: as in four rows "
                           "with low to high predictions; where grey curves are not parallel, inputs act together.");
    }
    tamis_page_puts(p, " Ticks on the axis are deciles of the data; few rows stand far outside them.");
    if (chosen > n) tamis_text_printf(p->t, " The %zu most relevant inputs are drawn.", n);
    tamis_page_puts(p, "</figcaption></figure>\n");
}

/* ---- slopes ---- */

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

struct sorted { double *v; size_t n; };

/* The finite values, or their sizes, in rising order. */
static struct sorted sort(struct tamis_page *p, const double *v, size_t n, int sizes)
{
    struct sorted s = {tamis_raw(p->cx, double, n + 1), 0};
    for (size_t i = 0; s.v && i < n; i++)
        if (isfinite(v[i])) s.v[s.n++] = sizes ? fabs(v[i]) : v[i];
    if (s.n) qsort(s.v, s.n, sizeof *s.v, by_value);
    return s;
}

static double quantile(const struct sorted *s, double q)
{
    return s->n ? s->v[(size_t)(q * (double)(s->n - 1) + 0.5)] : NAN;
}

static void slope_plot(struct tamis_page *p, const tamis_value *one)
{
    struct tamis_plot plot;
    size_t n, m;
    const double *x = tamis_page_numbers(one, "x", &n), *y = tamis_page_numbers(one, "slope", &m);
    double low = NAN, high = NAN, from = 0, to = 0;
    if (m < n) n = m;
    small_plot(p, &plot);
    tamis_plot_reach(x, n, &low, &high);
    tamis_plot_reach(y, n, &from, &to);
    tamis_plot_scale(&plot.x, low, high, 0);
    tamis_plot_scale(&plot.y, from, to, 0);
    tamis_plot_begin(&plot, "derivatives at rows, by the value of the input");
    tamis_plot_axes(&plot, tamis_value_text(one, "input"), y_label(p, 1));
    tamis_plot_segment(&plot, plot.x.from, 0, plot.x.to, 0, "dash c0");
    if (n) tamis_plot_points(&plot, x, y, n, "c1", "input|slope");
    if (n) {
        struct sorted slopes = sort(p, y, n, 0);
        double median = quantile(&slopes, 0.5);
        tamis_plot_segment(&plot, plot.x.from, median, plot.x.to, median, "thin c2");
        tamis_free(slopes.v);
    }
    tamis_plot_end(&plot);
}

int tamis_picture_slopes(struct tamis_page *p)
{
    const tamis_value *all = tamis_value_at(p->root, "evidence.derivatives");
    size_t n = tamis_page_items(all) < MOST ? tamis_page_items(all) : MOST;
    if (!n) return 0;
    sheet_begin(p, n, "derivatives by the chosen inputs");
    for (size_t k = 0; k < n; k++) {
        sheet_place(p, k, n);
        slope_plot(p, tamis_value_item(all, k));
        sheet_placed(p);
    }
    sheet_end(p);
    return 1;
}

static void slope_table(struct tamis_page *p)
{
    static const char *const heads[] = {
        "input", "#median slope", "#median size", "#central two thirds of sizes, from", "#to", NULL};
    const tamis_value *all = tamis_value_at(p->root, "evidence.derivatives");
    tamis_page_details(p, "Slopes in numbers");
    tamis_page_table(p, "t-slopes", "sort", "Of the derivatives at the rows drawn; sizes are absolute values.", heads);
    for (size_t k = 0; k < tamis_page_items(all) && k < MOST; k++) {
        const tamis_value *one = tamis_value_item(all, k);
        size_t n;
        const double *y = tamis_page_numbers(one, "slope", &n);
        struct sorted slopes = sort(p, y, n, 0), sizes = sort(p, y, n, 1);
        tamis_page_row(p, tamis_value_text(one, "input"));
        tamis_page_cell(p, quantile(&slopes, 0.5));
        tamis_page_cell(p, quantile(&sizes, 0.5));
        tamis_page_cell(p, quantile(&sizes, 1.0 / 6));
        tamis_page_cell(p, quantile(&sizes, 5.0 / 6));
        tamis_page_puts(p, "\n");
        tamis_free(slopes.v);
        tamis_free(sizes.v);
    }
    tamis_page_table_end(p);
    tamis_page_details_end(p);
}

void tamis_section_slopes(struct tamis_page *p)
{
    if (!tamis_page_items(tamis_value_at(p->root, "evidence.derivatives"))) return;
    tamis_page_figure(p, "many");
    tamis_picture_slopes(p);
    tamis_page_puts(p, "</div><figcaption>The derivative of the predicted <bdi>");
    tamis_page_say(p, tamis_value_text(p->root, "data.target"));
    tamis_page_puts(
        p, "</bdi> by each input, a point a training row, in units of the table. Points on a flat line: the input acts "
           "linearly; on a slanted line: quadratically; a "
           "wide cloud: what it does depends on the other inputs. Orange: the median.</figcaption></figure>\n");
    slope_table(p);
}
