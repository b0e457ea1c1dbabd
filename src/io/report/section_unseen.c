/* Predictions for rows the model did not see. */
#include <math.h>
#include <string.h>
#include "io/report/report.h"

struct pairs { size_t n; const double *observed, *predicted; double *residual; };

static int pairs_read(struct tamis_page *p, struct pairs *q)
{
    size_t m;
    q->observed = tamis_page_numbers(p->root, "evidence.unseen.observed", &q->n);
    q->predicted = tamis_page_numbers(p->root, "evidence.unseen.predicted", &m);
    if (m < q->n) q->n = m;
    q->residual = q->n ? tamis_raw(p->cx, double, q->n) : NULL;
    for (size_t i = 0; q->residual && i < q->n; i++) q->residual[i] = q->observed[i] - q->predicted[i];
    return q->residual != NULL;
}

int tamis_picture_fit(struct tamis_page *p)
{
    struct pairs q = {0};
    struct tamis_plot plot = {.t = p->t, .width = 400, .height = 360, .alone = p->alone};
    double from = NAN, to = NAN;
    int drawn = pairs_read(p, &q);
    if (drawn) {
        tamis_plot_reach(q.observed, q.n, &from, &to);
        tamis_plot_reach(q.predicted, q.n, &from, &to);
        tamis_plot_scale(&plot.x, from, to, 0);
        tamis_plot_scale(&plot.y, from, to, 0);
        tamis_plot_begin(&plot, "predicted against observed");
        tamis_plot_axes(&plot, "predicted", "observed");
        tamis_plot_segment(&plot, plot.x.from, plot.y.from, plot.x.to, plot.y.to, "dash c0");
        tamis_plot_points(&plot, q.predicted, q.observed, q.n, "c1", "predicted|observed");
        tamis_plot_end(&plot);
    }
    tamis_free(q.residual);
    return drawn;
}

int tamis_picture_residuals(struct tamis_page *p)
{
    struct pairs q = {0};
    struct tamis_plot plot = {.t = p->t, .width = 400, .height = 360, .alone = p->alone};
    double from = NAN, to = NAN, low = NAN, high = NAN;
    int drawn = pairs_read(p, &q);
    if (drawn) {
        tamis_plot_reach(q.predicted, q.n, &from, &to);
        tamis_plot_reach(q.residual, q.n, &low, &high);
        high = fmax(fabs(low), fabs(high));
        tamis_plot_scale(&plot.x, from, to, 0);
        tamis_plot_scale(&plot.y, -high, high, 0);
        tamis_plot_begin(&plot, "residuals against predictions");
        tamis_plot_axes(&plot, "predicted", "observed \xE2\x88\x92 predicted");
        tamis_plot_segment(&plot, plot.x.from, 0, plot.x.to, 0, "dash c0");
        tamis_plot_points(&plot, q.predicted, q.residual, q.n, "c1", "predicted|residual");
        tamis_plot_end(&plot);
    }
    tamis_free(q.residual);
    return drawn;
}

static void confusion(struct tamis_page *p, const tamis_value *u)
{
    const tamis_value *names = tamis_value_at(u, "classes"), *count = tamis_value_at(u, "confusion");
    size_t n = tamis_page_items(names);
    if (!n || n > 30 || tamis_page_items(count) != n) return;
    tamis_page_table(p, "t-confusion", "heat",
                     "Rows by their class (down) and the predicted class (across); colour is the share of the class.",
                     NULL);
    for (size_t i = 0; i < n; i++) {
        tamis_page_puts(p, "<th scope=\"col\">");
        tamis_page_name(p, tamis_page_item_text(names, i));
    }
    tamis_page_puts(p, "<th scope=\"col\">right</thead><tbody>\n");
    for (size_t i = 0; i < n; i++) {
        const tamis_value *row = tamis_value_item(count, i);
        double sum = 0;
        for (size_t j = 0; j < n; j++) sum += fmax(tamis_value_item_number(row, j), 0);
        tamis_page_row(p, tamis_page_item_text(names, i));
        for (size_t j = 0; j < n; j++)
            tamis_page_shade(p, sum > 0 ? tamis_value_item_number(row, j) / sum : 0, tamis_value_item_number(row, j));
        tamis_page_puts(p, "<td>");
        if (sum > 0) tamis_html_number(p->t, 100 * tamis_value_item_number(row, i) / sum, 3), tamis_page_puts(p, " %");
        tamis_page_puts(p, "\n");
    }
    tamis_page_table_end(p);
}

static void kind_words(struct tamis_page *p, const tamis_value *u)
{
    const char *kind = tamis_value_text(u, "kind");
    double rows = tamis_value_number(u, "rows"), shown = (double)tamis_page_items(tamis_value_at(u, "observed"));
    tamis_page_puts(p, "<p>");
    if (kind && !strcmp(kind, "test")) {
        tamis_page_puts(p, "These are the ");
        tamis_page_count(p, rows, "test row");
        tamis_page_puts(p, ", which neither selection nor fitting saw.");
    } else {
        tamis_page_puts(p, "Each of the ");
        tamis_page_count(p, rows, "row");
        tamis_page_puts(p, " is predicted by a model fitted without its fold, at the inputs and parameters chosen from "
                           "all rows: the fit did not see them, the choice did.");
    }
    if (shown > 0 && shown < rows) tamis_text_printf(p->t, " %.0f of them are drawn.", shown);
    if (!isnan(tamis_value_number(u, "rmse"))) {
        tamis_page_puts(p, " The root mean squared error is <b>");
        tamis_page_number(p, tamis_value_number(u, "rmse"));
        tamis_page_puts(p, "</b> in units of <bdi>");
        tamis_page_say(p, tamis_value_text(p->root, "data.target"));
        tamis_page_puts(p, "</bdi>, and the share of variance explained <b>");
        tamis_html_number(p->t, 100 * tamis_value_number(u, "r2"), 3);
        tamis_page_puts(p, " %</b>.");
    }
    tamis_page_puts(p, "</p>\n");
}

void tamis_section_unseen(struct tamis_page *p)
{
    const tamis_value *u = tamis_value_at(p->root, "evidence.unseen");
    if (!tamis_page_record(u)) {
        if (tamis_value_at(p->root, "evidence"))
            tamis_page_puts(p, "<p>There are none: no row was kept apart, and the method fits its model to all rows at "
                               "once. <code>--holdout 0.2</code> or <code>--test FILE</code> keeps some back.</p>\n");
        return;
    }
    kind_words(p, u);
    if (tamis_page_items(tamis_value_at(u, "observed"))) {
        tamis_page_figure(p, "pair");
        tamis_picture_fit(p);
        tamis_picture_residuals(p);
        tamis_page_caption(p, "Left: observed against predicted; on the dashed line both are equal. Right: what is "
                              "left over; a shape in it is something the model missed.");
    }
    confusion(p, u);
}
