/* Predictions for rows that the model was not fitted to. */
#include <math.h>
#include <string.h>
#include "io/report/report.h"

enum { CLASSES = 30 };

/* ---- figures ---- */

struct pairs { size_t n; const double *observed, *predicted; };

static struct pairs pairs_of(const tamis_value *result)
{
    struct pairs q;
    size_t m;
    q.observed = tamis_page_numbers(result, "evidence.unseen.observed", &q.n);
    q.predicted = tamis_page_numbers(result, "evidence.unseen.predicted", &m);
    if (m < q.n) q.n = m;
    return q;
}

static int pairs_applicable(const tamis_value *result) { return pairs_of(result).n > 0; }

static struct tamis_plot square(const struct tamis_page *p)
{
    return (struct tamis_plot){.t = p->t, .width = 400, .height = 360, .alone = p->alone};
}

static void fit_draw(struct tamis_page *p)
{
    struct pairs q = pairs_of(p->root);
    struct tamis_plot plot = square(p);
    double from = NAN, to = NAN;
    tamis_plot_reach(q.observed, q.n, &from, &to);
    tamis_plot_reach(q.predicted, q.n, &from, &to);
    tamis_plot_scale(&plot.x, from, to, 0);
    tamis_plot_scale(&plot.y, from, to, 0);
    tamis_plot_begin(&plot, tamis_figure_fit.label);
    tamis_plot_axes(&plot, tamis_page_label(p, "predicted"), tamis_page_label(p, "observed"));
    tamis_plot_segment(&plot, plot.x.from, plot.y.from, plot.x.to, plot.y.to, "dash c0");
    tamis_plot_points(&plot, q.predicted, q.observed, q.n, "c1", "predicted|observed");
    tamis_plot_end(&plot);
}

/* The ends of the 90 % interval, or of the last one below it. */
static void interval_draw(struct tamis_page *p, struct tamis_plot *plot)
{
    const tamis_value *list = tamis_value_at(p->root, "intervals.levels"), *at = NULL;
    for (size_t i = 0; i < tamis_page_items(list); i++)
        if (tamis_value_number(tamis_value_item(list, i), "level") <= 0.9) at = tamis_value_item(list, i);
    double end[2] = {tamis_value_number(at, "lower"), tamis_value_number(at, "upper")};
    for (size_t k = 0; at && k < 2; k++)
        if (end[k] >= plot->y.from && end[k] <= plot->y.to)
            tamis_plot_segment(plot, plot->x.from, end[k], plot->x.to, end[k], "dash c2");
}

static void residual_plot(struct tamis_page *p, const double *predicted, const double *residual, size_t n)
{
    struct tamis_plot plot = square(p);
    double from = NAN, to = NAN, low = NAN, high = NAN;
    tamis_plot_reach(predicted, n, &from, &to);
    tamis_plot_reach(residual, n, &low, &high);
    high = fmax(fabs(low), fabs(high));
    tamis_plot_scale(&plot.x, from, to, 0);
    tamis_plot_scale(&plot.y, -high, high, 0);
    tamis_plot_begin(&plot, tamis_figure_residuals.label);
    tamis_plot_axes(&plot, tamis_page_label(p, "predicted"), tamis_page_label(p, "observed \xE2\x88\x92 predicted"));
    tamis_plot_segment(&plot, plot.x.from, 0, plot.x.to, 0, "dash c0");
    interval_draw(p, &plot);
    tamis_plot_points(&plot, predicted, residual, n, "c1", "predicted|residual");
    tamis_plot_end(&plot);
}

static void residuals_draw(struct tamis_page *p)
{
    struct pairs q = pairs_of(p->root);
    double *residual = tamis_raw(p->cx, double, q.n);
    for (size_t i = 0; residual && i < q.n; i++) residual[i] = q.observed[i] - q.predicted[i];
    if (residual) residual_plot(p, q.predicted, residual, q.n);
    tamis_free(residual);
}

/* ---- classes ---- */

static void confusion_row(struct tamis_page *p, const tamis_value *row, size_t class, size_t n)
{
    double sum = 0;
    for (size_t j = 0; j < n; j++) sum += fmax(tamis_value_item_number(row, j), 0);
    for (size_t j = 0; j < n; j++)
        tamis_page_shade(p, sum > 0 ? tamis_value_item_number(row, j) / sum : 0, tamis_value_item_number(row, j));
    tamis_page_puts(p, "<td>");
    if (sum > 0) tamis_html_number(p->t, 100 * tamis_value_item_number(row, class) / sum, 3), tamis_page_puts(p, " %");
    tamis_page_puts(p, "\n");
}

static void confusion(struct tamis_page *p, const tamis_value *u)
{
    const tamis_value *names = tamis_value_at(u, "classes"), *count = tamis_value_at(u, "confusion");
    size_t n = tamis_page_items(names);
    if (!n || n > CLASSES || tamis_page_items(count) != n) return;
    tamis_page_table(p, "t-confusion", "heat",
                     "Rows by their class (down) and predicted class (across). The colour is the share of the class.",
                     NULL);
    for (size_t i = 0; i < n; i++) tamis_page_head(p, tamis_page_item_text(names, i));
    tamis_page_puts(p, "<th scope=\"col\">correct");
    tamis_page_heads_end(p);
    for (size_t i = 0; i < n; i++) {
        tamis_page_row(p, tamis_page_item_text(names, i));
        confusion_row(p, tamis_value_item(count, i), i, n);
    }
    tamis_page_table_end(p);
}

/* ---- words ---- */

static void rows_words(struct tamis_page *p, const tamis_value *u)
{
    const char *kind = tamis_value_text(u, "kind");
    double rows = tamis_value_number(u, "rows"), shown = (double)tamis_page_items(tamis_value_at(u, "observed"));
    if (kind && !strcmp(kind, "test")) {
        tamis_page_puts(p, "These are the ");
        tamis_page_count(p, rows, "test row");
        tamis_page_puts(p, ", which neither the selection nor the fit used.");
    } else {
        tamis_page_puts(p, "Each of the ");
        tamis_page_count(p, rows, "row");
        tamis_page_puts(p, " is predicted by a model fitted without the row's fold, with the inputs and parameters "
                           "chosen from all rows: the fit did not use the row, but the choice did.");
    }
    if (shown > 0 && shown < rows) tamis_text_printf(p->t, " %.0f of them are drawn.", shown);
}

static void accuracy_words(struct tamis_page *p, const tamis_value *u)
{
    if (isnan(tamis_value_number(u, "rmse"))) return;
    tamis_page_puts(p, " The root mean squared error is <b>");
    tamis_page_number(p, tamis_value_number(u, "rmse"));
    tamis_page_puts(p, "</b> in the units of <bdi>");
    tamis_page_say(p, tamis_value_text(p->root, "data.target"));
    tamis_page_puts(p, "</bdi>, and the share of variance explained is <b>");
    tamis_html_number(p->t, 100 * tamis_value_number(u, "r2"), 3);
    tamis_page_puts(p, " %</b>.");
}

static void none_words(struct tamis_page *p)
{
    if (!tamis_value_at(p->root, "evidence")) return;
    tamis_page_puts(p, "<p>There are none: no rows were held out, and the method fits its model to all rows at once. "
                       "<code>--holdout 0.2</code> or <code>--test FILE</code> holds some out.</p>\n");
}

static void held_out_section(struct tamis_page *p)
{
    const tamis_value *u = tamis_value_at(p->root, "evidence.unseen");
    if (!tamis_page_record(u)) {
        none_words(p);
        return;
    }
    tamis_page_puts(p, "<p>");
    rows_words(p, u);
    accuracy_words(p, u);
    tamis_page_puts(p, "</p>\n");
    if (tamis_figure_time.applicable(p->root)) {
        tamis_page_figure(p, "wide");
        tamis_page_draw(p, &tamis_figure_time);
        tamis_page_caption(p, "Observed and predicted values in the order of time.");
    }
    if (pairs_applicable(p->root)) {
        tamis_page_figure(p, "pair");
        tamis_page_draw(p, &tamis_figure_fit);
        tamis_page_draw(p, &tamis_figure_residuals);
        tamis_page_caption(p,
                           tamis_page_items(tamis_value_at(p->root, "intervals.levels"))
                               ? "Observed against predicted values, equal on the dashed line; and the residuals, in "
                                 "which a pattern is something that the model missed, with the ends of the "
                                 "prediction interval of level 0.9."
                               : "Observed against predicted values, equal on the dashed line; and the residuals, in "
                                 "which a pattern is something that the model missed.");
    }
    confusion(p, u);
}

const struct tamis_figure tamis_figure_fit = {
    .name = "fit",
    .needs = "evidence",
    .label = "observed against predicted",
    .summary = "observed against predicted values of held-out rows",
    .applicable = pairs_applicable,
    .draw = fit_draw,
};
const struct tamis_figure tamis_figure_residuals = {
    .name = "residuals",
    .needs = "evidence",
    .label = "residuals against predictions",
    .summary = "residuals against predictions of held-out rows",
    .applicable = pairs_applicable,
    .draw = residuals_draw,
};
const struct tamis_section tamis_section_held_out = {
    .id = "held-out", .title = "Predictions for held-out rows", .draw = held_out_section};
