/* Time series: which lags of which columns matter, and predictions over time. An input of a series is named after its
 * column and lag, as in flow[t-3]. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/number.h"
#include "data/dates.h"
#include "io/report/report.h"
#include "num/order.h"

enum { COLUMNS = 40, LAGS = 120 };

/* ---- lags ---- */

/* The lag in the name of an input; NAN: none. *stem: the length of the name of its column. */
static double lag_of(const char *name, size_t *stem)
{
    const char *at = name ? strrchr(name, '[') : NULL;
    double lag = NAN;
    if (!at || at[1] != 't') return NAN;
    *stem = (size_t)(at - name);
    if (!strcmp(at, "[t]")) return 0;
    const char *from = at + 3, *end = at[2] == '-' ? tamis_number_read(from, at + strlen(at), '.', &lag) : from;
    return end > from && !strcmp(end, "]") && lag >= 0 && lag < 1e9 ? lag : NAN;
}

/* The columns of lagged inputs, in order; the lags from least to largest; the largest relevance. */
struct lags { size_t columns; const char *name[COLUMNS]; size_t stem[COLUMNS]; double least, largest, most; };

static size_t column_find(const struct lags *l, const char *name, size_t stem)
{
    size_t i = 0;
    while (i < l->columns && (l->stem[i] != stem || strncmp(l->name[i], name, stem))) i++;
    return i;
}

/* selected: only those of selected inputs, which go first if there are more than COLUMNS. */
static void columns_read(const tamis_value *inputs, struct lags *l, int selected)
{
    size_t stem;
    for (size_t i = 0; i < tamis_page_items(inputs) && l->columns < COLUMNS; i++) {
        const tamis_value *in = tamis_value_item(inputs, i);
        const char *name = tamis_value_text(in, "name");
        if (isnan(lag_of(name, &stem)) || (selected && !tamis_value_flag(in, "selected"))) continue;
        if (column_find(l, name, stem) < l->columns) continue;
        l->name[l->columns] = name;
        l->stem[l->columns++] = stem;
    }
}

static struct lags lags_read(const tamis_value *result)
{
    const tamis_value *inputs = tamis_value_at(result, "inputs");
    struct lags l = {.least = NAN, .largest = NAN, .most = 0};
    double none = 0;
    size_t stem;
    for (size_t i = 0; i < tamis_page_items(inputs); i++) {
        const tamis_value *in = tamis_value_item(inputs, i);
        double lag = lag_of(tamis_value_text(in, "name"), &stem), v = tamis_value_number(in, "relevance");
        tamis_plot_reach(&lag, 1, &l.least, &l.largest);
        if (!isnan(lag)) tamis_plot_reach(&v, 1, &none, &l.most);
    }
    columns_read(inputs, &l, 0);
    if (l.columns < COLUMNS) return l;
    l.columns = 0;
    columns_read(inputs, &l, 1);
    columns_read(inputs, &l, 0);
    return l;
}

static int lags_applicable(const tamis_value *result)
{
    struct lags l = lags_read(result);
    return l.columns > 0 && l.largest > l.least && l.largest - l.least < LAGS;
}

/* A square whose area is the relevance; one dot where it is unknown or 0. */
static void lag_mark(struct tamis_plot *plot, const struct lags *l, const tamis_value *in, double lag, double y)
{
    double v = tamis_value_number(in, "relevance"), cell = (plot->x.high - plot->x.low) / (l->largest - l->least + 1);
    int on = tamis_value_flag(in, "selected");
    double side = fmin(cell, 20) * sqrt(v > 0 && l->most > 0 ? v / l->most : on && !(l->most > 0) ? 1 : 0);
    side = fmax(side, on ? 4 : 2);
    tamis_svg_rect(plot->t, tamis_plot_at(&plot->x, lag) - side / 2, y - side / 2, side, side, on ? "c1" : "c0");
    tamis_svg_title(plot->t, "%s\n%s\nrelevance %.4g", tamis_value_text(in, "name"), on ? "selected" : "not selected",
                    v);
    tamis_text_puts(plot->t, "</rect>");
}

static void lag_marks(struct tamis_page *p, struct tamis_plot *plot, const struct lags *l, double pitch)
{
    const tamis_value *inputs = tamis_value_at(p->root, "inputs");
    size_t stem;
    for (size_t i = 0; i < tamis_page_items(inputs); i++) {
        const tamis_value *in = tamis_value_item(inputs, i);
        const char *name = tamis_value_text(in, "name");
        double lag = lag_of(name, &stem);
        size_t row = isnan(lag) ? l->columns : column_find(l, name, stem);
        if (row < l->columns) lag_mark(plot, l, in, lag, plot->y.high + pitch * ((double)row + 0.5));
    }
}

static void lag_names(struct tamis_page *p, struct tamis_plot *plot, const struct lags *l, char *const *name,
                      double pitch)
{
    for (size_t i = 0; i < l->columns; i++) {
        double y = plot->y.high + pitch * ((double)i + 0.5);
        tamis_svg_span(p->t, plot->x.low, plot->x.high, y, "gr");
        tamis_page_row_name(p, plot, y + 4, name[i], 0);
    }
}

static void lag_plot(struct tamis_page *p, const struct lags *l, char *const *name)
{
    const double pitch = 24;
    struct tamis_plot plot = {.t = p->t,
                              .width = tamis_page_width(p),
                              .height = pitch * (double)l->columns + 52,
                              .left = tamis_page_margin(p, (const char *const *)name, l->columns),
                              .top = 6,
                              .whole = 1,
                              .alone = p->alone,
                              .x = {.from = l->least - 0.5, .to = l->largest + 0.5},
                              .y = {.from = NAN, .to = NAN}};                    /* no ticks upright */
    tamis_plot_begin(&plot, tamis_figure_lags.label);
    lag_names(p, &plot, l, name, pitch);
    tamis_plot_axes(&plot, tamis_page_label(p, "lag"), NULL);
    lag_marks(p, &plot, l, pitch);
    tamis_plot_end(&plot);
}

static void lags_draw(struct tamis_page *p)
{
    struct lags l = lags_read(p->root);
    char *name[COLUMNS] = {NULL};
    for (size_t i = 0; i < l.columns; i++) name[i] = tamis_strndup(p->cx, l.name[i], l.stem[i]);
    if (!tamis_status(p->cx)) lag_plot(p, &l, name);
    for (size_t i = 0; i < l.columns; i++) tamis_free(name[i]);
}

static void lags_section(struct tamis_page *p)
{
    if (!lags_applicable(p->root)) return;
    tamis_page_figure(p, "");
    tamis_page_draw(p, &tamis_figure_lags);
    tamis_page_caption(p, "Every input by its column and its lag, in rows before the one predicted. The area of a "
                          "square is the relevance; selected inputs are blue.");
}

/* ---- over time ---- */

static int series(const tamis_value *result)
{
    size_t stem;
    const tamis_value *inputs = tamis_value_at(result, "inputs");
    for (size_t i = 0; i < tamis_page_items(inputs); i++)
        if (!isnan(lag_of(tamis_value_text(tamis_value_item(inputs, i), "name"), &stem))) return 1;
    return 0;
}

static int time_applicable(const tamis_value *result)
{
    size_t n, m;
    return series(result) && tamis_page_numbers(result, "evidence.unseen.observed", &n) &&
           tamis_page_numbers(result, "evidence.unseen.predicted", &m) && n > 1 && m == n;
}

/* What the x axis shows: the time of the rows, or their numbers. */
struct times { double *x; size_t n; int dates; const char *name; double gap; };

static int in_order(const double *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!isfinite(x[i]) || (i && x[i] < x[i - 1])) return 0;
    return n > 1 && x[n - 1] > x[0];
}

/* A step three times as long as those in the middle, and more, is a gap. */
static double gap_of(tamis_context *cx, const double *x, size_t n)
{
    double *step = tamis_raw(cx, double, n), gap = INFINITY;
    if (!step || n < 3) return tamis_free(step), gap;
    for (size_t i = 1; i < n; i++) step[i - 1] = x[i] - x[i - 1];
    qsort(step, n - 1, sizeof *step, tamis_by_value);
    gap = step[n / 2] > 0 ? 3 * step[n / 2] : INFINITY;
    tamis_free(step);
    return gap;
}

/* The rows drawn are spread evenly over all held-out rows. */
static void times_read(struct tamis_page *p, struct times *t)
{
    size_t n;
    const double *time = tamis_page_numbers(p->root, "evidence.unseen.time.values", &n);
    double rows = tamis_value_number(p->root, "evidence.unseen.rows");
    int known = n == t->n && in_order(time, n);
    if (!(rows >= (double)t->n)) rows = (double)t->n;
    t->x = tamis_raw(p->cx, double, t->n);
    for (size_t i = 0; t->x && i < t->n; i++) t->x[i] = known ? time[i] : 1 + floor((double)i * rows / (double)t->n);
    t->dates = known && tamis_value_flag(p->root, "evidence.unseen.time.date");
    t->name = known ? tamis_value_text(p->root, "evidence.unseen.time.column") : NULL;
    t->gap = known && t->x ? gap_of(p->cx, t->x, t->n) : INFINITY;
}

/* With the first and last day, which the ticks may not show. */
static void time_name(struct tamis_page *p, const struct times *t, struct tamis_text *out)
{
    char first[32], last[32];
    tamis_text_puts(out, tamis_page_label(p, t->name ? t->name : "held-out row, in the order of time"));
    if (t->dates)
        tamis_text_printf(out, ", %.16s to %.16s", tamis_date_text(t->x[0], TAMIS_DATE_YMD, first),
                          tamis_date_text(t->x[t->n - 1], TAMIS_DATE_YMD, last));
}

/* One line between two gaps. */
static void time_lines(struct tamis_plot *plot, const struct times *t, const double *y, const char *style,
                       const char *hover)
{
    for (size_t from = 0, end; from < t->n; from = end) {
        for (end = from + 1; end < t->n && t->x[end] - t->x[end - 1] <= t->gap; end++) {}
        tamis_plot_line(plot, t->x + from, y + from, end - from, style, hover);
    }
}

static void time_plot(struct tamis_page *p, const struct times *t, const double *observed, const double *predicted)
{
    struct tamis_plot plot = {.t = p->t, .width = p->alone ? 900 : 560, .height = 280, .top = 26, .whole = !t->name,
                              .dates = t->dates, .alone = p->alone};
    struct tamis_text name = {.cx = p->cx};
    double from = NAN, to = NAN;
    tamis_plot_reach(observed, t->n, &from, &to);
    tamis_plot_reach(predicted, t->n, &from, &to);
    tamis_plot_scale(&plot.x, t->x[0], t->x[t->n - 1], 0);
    tamis_plot_scale(&plot.y, from, to, 0);
    time_name(p, t, &name);
    tamis_plot_begin(&plot, tamis_figure_time.label);
    if (!name.failed)
        tamis_plot_axes(&plot, name.s, tamis_page_label(p, tamis_value_text(p->root, "data.target")));
    tamis_page_key(p, tamis_page_key(p, plot.left, "c0", "observed"), "c1", "predicted");
    time_lines(&plot, t, observed, "c0", t->name ? "time|observed" : "row|observed");
    time_lines(&plot, t, predicted, "thin c1", t->name ? "time|predicted" : "row|predicted");
    tamis_plot_end(&plot);
    tamis_text_free(&name);
}

static void time_draw(struct tamis_page *p)
{
    size_t n, m;
    const double *observed = tamis_page_numbers(p->root, "evidence.unseen.observed", &n),
                 *predicted = tamis_page_numbers(p->root, "evidence.unseen.predicted", &m);
    struct times t = {.n = n};
    times_read(p, &t);
    if (t.x) time_plot(p, &t, observed, predicted);
    tamis_free(t.x);
}

const struct tamis_figure tamis_figure_lags = {
    .name = "lags",
    .needs = "lags",
    .label = "relevance of each column at each lag",
    .summary = "the relevance of each column of a time series at each lag",
    .applicable = lags_applicable,
    .draw = lags_draw,
};
const struct tamis_figure tamis_figure_time = {
    .name = "time",
    .needs = "lags evidence",
    .label = "observed and predicted values over time",
    .summary = "observed and predicted values of held-out rows over time",
    .applicable = time_applicable,
    .draw = time_draw,
};
const struct tamis_section tamis_section_lags = {.id = "lags", .title = "Which lags matter", .draw = lags_section};
