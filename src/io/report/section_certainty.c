/* How sure the predictions are: probabilities of classes beside the shares of the classes, and whether they are kept;
 * prediction intervals, and how many rows they hold. */
#include <math.h>
#include "base/format.h"
#include "io/report/report.h"

/* Test rows if there are any, else the training rows held out. */
static const tamis_value *measured(const tamis_value *result)
{
    const tamis_value *list = tamis_value_at(result, "probabilities.measured");
    size_t n = tamis_page_items(list);
    return n ? tamis_value_item(list, n - 1) : NULL;
}

/* ---- the reliability diagram ---- */

static const tamis_value *tenths(const tamis_value *result)
{
    const tamis_value *m = measured(result);
    return m ? tamis_value_at(m, "reliability") : NULL;
}

static int reliability_applicable(const tamis_value *result) { return tamis_page_items(tenths(result)) > 0; }

/* A circle whose area is the number of rows, and twice the standard error of a share of so many. */
static void tenth_draw(struct tamis_plot *plot, const tamis_value *t, double most)
{
    double p = tamis_value_number(t, "probability"), share = tamis_value_number(t, "observed"),
           rows = tamis_value_number(t, "rows"), spread = 2 * sqrt(fmax(p * (1 - p), 0) / fmax(rows, 1));
    if (!(isfinite(p) && isfinite(share) && rows > 0)) return;
    tamis_plot_whisker(plot, p, fmax(share - spread, 0), fmin(share + spread, 1), "c0");
    tamis_svg_circle(plot->t, tamis_plot_at(&plot->x, p), tamis_plot_at(&plot->y, share), 3 + 8 * sqrt(rows / most),
                     "c1");
    tamis_svg_title(plot->t, "predicted %.3g, observed %.3g, %.0f rows", p, share, rows);
    tamis_text_puts(plot->t, "</circle>");
}

static void reliability_draw(struct tamis_page *p)
{
    const tamis_value *list = tenths(p->root);
    size_t n = tamis_page_items(list);
    double most = 1;
    struct tamis_plot plot = {.t = p->t, .width = 400, .height = 360, .alone = p->alone};
    for (size_t i = 0; i < n; i++) most = fmax(most, tamis_value_number(tamis_value_item(list, i), "rows"));
    tamis_plot_scale(&plot.x, 0, 1, 0);
    tamis_plot_scale(&plot.y, 0, 1, 0);
    tamis_plot_begin(&plot, tamis_figure_reliability.label);
    tamis_plot_axes(&plot, tamis_page_label(p, "predicted probability"), tamis_page_label(p, "observed share"));
    tamis_plot_segment(&plot, 0, 0, 1, 1, "dash c0");
    for (size_t i = 0; i < n; i++) tenth_draw(&plot, tamis_value_item(list, i), most);
    tamis_plot_end(&plot);
}

/* ---- tables ---- */

static void measures_table(struct tamis_page *p, const tamis_value *m)
{
    static const char *const heads[] = {"measure", "#this model", "#class shares", "better is", NULL};
    static const struct { const char *key, *name, *better; } row[] = {
        {"error", "share of rows wrong", "smaller"}, {"balanced_accuracy", "balanced accuracy", "larger"},
        {"log_loss", "log loss", "smaller"},         {"brier", "Brier score", "smaller"},
        {"auc", "AUC, mean over classes", "larger"}};
    const tamis_value *base = tamis_value_at(m, "baseline");
    tamis_page_table(p, "t-measures", "",
                     "How good classes and probabilities are, beside calling every row by the largest class and giving "
                     "every row the shares of the classes.",
                     heads);
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        tamis_page_row(p, row[i].name);
        tamis_page_cell(p, tamis_value_number(m, row[i].key));
        tamis_page_cell(p, tamis_value_number(base, row[i].key));
        tamis_page_cell_text(p, row[i].better);
        tamis_page_puts(p, "\n");
    }
    tamis_page_table_end(p);
}

static void classes_table(struct tamis_page *p, const tamis_value *m)
{
    static const char *const heads[] = {"class", "#rows", "#recall", "#precision", "#AUC", NULL};
    static const char *const key[] = {"rows", "recall", "precision", "auc"};
    const tamis_value *list = tamis_value_at(m, "classes");
    if (!tamis_page_items(list)) return;
    tamis_page_table(p, "t-class-measures", "sort",
                     "Each class against the rest: the share of its rows that is found, the share of rows called so "
                     "that are right, and the area under the receiver operating characteristic.",
                     heads);
    for (size_t i = 0; i < tamis_page_items(list); i++) {
        const tamis_value *one = tamis_value_item(list, i);
        tamis_page_row(p, tamis_value_text(one, "name"));
        for (size_t k = 0; k < 4; k++) tamis_page_cell(p, tamis_value_number(one, key[k]));
        tamis_page_puts(p, "\n");
    }
    tamis_page_table_end(p);
}

static void probabilities_section(struct tamis_page *p)
{
    const tamis_value *m = measured(p->root);
    if (!tamis_page_record(m)) return;
    measures_table(p, m);
    if (reliability_applicable(p->root)) {
        tamis_page_figure(p, "");
        tamis_page_draw(p, &tamis_figure_reliability);
        tamis_page_caption(p, "Reliability: of rows that get a probability, how many are of the class. Circles on the "
                              "dashed line keep what they promise; bars span two standard errors either side, and the "
                              "area of a circle is its number of rows. Of two classes, the second is shown.");
    }
    classes_table(p, m);
}

/* ---- intervals ---- */

static void intervals_section(struct tamis_page *p)
{
    static const char *const heads[] = {"level", "#from prediction", "#to prediction", "#width",
                                        "#held-out rows inside",
                                        "#test rows inside", NULL};
    static const char *const key[] = {"lower", "upper", "width", "coverage", "test_coverage"};
    const tamis_value *list = tamis_value_at(p->root, "intervals.levels");
    if (!tamis_page_items(list)) return;
    tamis_page_puts(p, "<p>A prediction interval holds a new value with the probability that is its level. Its ends "
                       "are quantiles of the residuals of ");
    tamis_page_count(p, tamis_value_number(p->root, "intervals.rows"), "held-out row");
    tamis_page_puts(p, ", added to the prediction. This assumes that new rows come like these");
    if (tamis_value_at(p->root, "data.series"))
        tamis_page_puts(p, ": that errors of the future are like those of the past");
    tamis_page_puts(p, ".");
    tamis_page_puts(p, "</p>\n");
    tamis_page_table(p, "t-intervals", "",
                     "Shares inside are of rows whose interval comes from the residuals of other rows.", heads);
    for (size_t i = 0; i < tamis_page_items(list); i++) {
        char level[32];
        tamis_snprintf(level, sizeof level, "%.3g %%", 100 * tamis_value_number(tamis_value_item(list, i), "level"));
        tamis_page_row(p, level);
        for (size_t k = 0; k < 5; k++) tamis_page_cell(p, tamis_value_number(tamis_value_item(list, i), key[k]));
        tamis_page_puts(p, "\n");
    }
    tamis_page_table_end(p);
}

const struct tamis_figure tamis_figure_reliability = {
    .name = "reliability",
    .needs = "evidence",
    .label = "observed shares against predicted probabilities",
    .summary = "predicted probabilities of held-out rows against how often their classes occur",
    .applicable = reliability_applicable,
    .draw = reliability_draw,
};
const struct tamis_section tamis_section_probabilities = {
    .id = "probabilities", .title = "How good the probabilities are", .draw = probabilities_section};
const struct tamis_section tamis_section_intervals = {
    .id = "intervals", .title = "Prediction intervals", .draw = intervals_section};
