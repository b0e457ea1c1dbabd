/* The answer in two sentences, and how accurate it is. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "io/report/report.h"

enum { NAMED = 12, NOTES = 20 };

/* ---- the answer ---- */

/* "a, b and c", at most NAMED of them. */
static void name_list(struct tamis_page *p, const tamis_value *names)
{
    size_t n = tamis_page_items(names), shown = n <= NAMED ? n : NAMED - 2;
    for (size_t i = 0; i < shown; i++) {
        if (i) tamis_page_puts(p, i + 1 == n ? " and " : ", ");
        tamis_page_puts(p, "<b>");
        tamis_page_name(p, tamis_page_item_text(names, i));
        tamis_page_puts(p, "</b>");
    }
    if (n > shown) tamis_text_printf(p->t, " and %zu more", n - shown);
}

static void none_sentence(struct tamis_page *p)
{
    tamis_page_puts(p, " finds <b>no input</b> that helps to predict <bdi>");
    tamis_page_say(p, tamis_value_text(p->root, "data.target"));
    tamis_page_puts(p, "</bdi>: a constant predicts as well as any set that it tried.");
}

static void count_words(struct tamis_page *p, size_t n, double inputs)
{
    if ((double)n == inputs && n == 1) tamis_page_puts(p, " keeps the only input, ");
    else if ((double)n == inputs) tamis_text_printf(p->t, " keeps all <b>%zu</b> inputs: ", n);
    else {
        tamis_text_printf(p->t, " chose <b>%zu</b> of ", n);
        tamis_page_count(p, inputs, "input");
        tamis_page_puts(p, ": ");
    }
}

static void choice_sentence(struct tamis_page *p)
{
    const tamis_value *selected = tamis_value_at(p->root, "selected");
    size_t n = tamis_page_items(selected);
    tamis_page_puts(p, "Method ");
    tamis_page_say(p, tamis_page_method(p->root));
    if (!n) {
        none_sentence(p);
        return;
    }
    count_words(p, n, tamis_value_number(p->root, "data.inputs"));
    name_list(p, selected);
    tamis_page_puts(p, ".");
}

/* The best estimate of the error that the result has. */
struct estimate { enum { NESTED, TEST, CRITERION } kind; double error, all, se; };

static struct estimate estimate_of(const tamis_value *r)
{
    struct estimate e = {NESTED, tamis_value_number(r, "error.nested"),
                         tamis_value_number(r, "error.nested_all_inputs"), tamis_value_number(r, "error.nested_se")};
    if (isnan(e.error))
        e = (struct estimate){TEST, tamis_value_number(r, "error.test"),
                              tamis_value_number(r, "error.test_all_inputs"), NAN};
    if (isnan(e.error))
        e = (struct estimate){CRITERION, tamis_value_number(r, "error.selected"),
                              tamis_value_number(r, "error.all_inputs"),
                              tamis_value_number(r, "error.selected_se")};
    return e;
}

static int training(const struct tamis_page *p)
{
    const char *name = tamis_value_text(p->root, "error.criterion");
    return name && !strcmp(name, "training");
}

/* "; predicting the mean scores 1.01" */
static void baseline_words(struct tamis_page *p, double baseline)
{
    if (isnan(baseline)) return;
    tamis_page_puts(p, tamis_page_classes(p) ? "; predicting the majority class scores "
                                             : "; predicting the mean scores ");
    tamis_html_number(p->t, baseline, 3);
}

static void unit_words(struct tamis_page *p, double error)
{
    const char *units = tamis_value_text(p->root, "error.units");
    double baseline = tamis_value_number(p->root, "error.baseline");
    if (tamis_page_classes(p) && units && strstr(units, "misclassified")) {
        tamis_text_puts(p->t, " (");
        tamis_html_number(p->t, 100 * error, 3);
        tamis_text_puts(p->t, " % of rows misclassified");
    } else if (units && strstr(units, "standardised")) {
        tamis_text_puts(p->t, " (the share of variance left unexplained");
        if (isnan(baseline)) baseline = 1;
    } else return;
    baseline_words(p, baseline);
    tamis_page_puts(p, ")");
}

static void estimate_words(struct tamis_page *p, const struct estimate *e)
{
    const char *model = tamis_value_text(p->root, "model.kind");
    if (e->kind == NESTED)
        tamis_page_puts(p, " With the whole selection repeated inside an outer cross-validation, the error on held-out "
                           "rows is ");
    else if (e->kind == TEST) {
        tamis_page_puts(p, " On ");
        tamis_page_count(p, tamis_value_number(p->root, "data.test_rows"), "test row");
        tamis_page_puts(p, " that neither the selection nor the fit used, the error of the ");
        tamis_page_say(p, model ? model : "fitted");
        tamis_page_puts(p, " model is ");
    } else {
        tamis_page_puts(p, " Its ");
        tamis_page_say(p, tamis_page_error_name(p));
        tamis_page_puts(p, " is ");
    }
}

static void accuracy_sentence(struct tamis_page *p)
{
    struct estimate e = estimate_of(p->root);
    if (isnan(e.error)) return;
    estimate_words(p, &e);
    tamis_page_puts(p, "<b>");
    tamis_page_number(p, e.error);
    tamis_page_puts(p, "</b>");
    if (e.se > 0) tamis_page_puts(p, " \xC2\xB1 "), tamis_html_number(p->t, e.se, e.se < 100 ? 2 : 3);
    unit_words(p, e.error);
    if (!isnan(e.all)) {
        tamis_page_puts(p, ", against ");
        tamis_page_number(p, e.all);
        tamis_page_puts(p, e.error > e.all + e.se ? " with all inputs, <b>which predict better</b>"
                                                  : " with all inputs");
    }
    if (e.kind != CRITERION) tamis_page_puts(p, ".");
    else if (training(p)) tamis_page_puts(p, "; expect a larger error on new rows.");
    else tamis_page_puts(p, ". The choice is based on this error, so expect a somewhat larger one on new rows.");
}

static void tile(struct tamis_page *p, const char *what, double x, const char *small)
{
    if (isnan(x)) return;
    tamis_page_puts(p, "<div><dt>");
    tamis_page_say(p, what);
    tamis_page_puts(p, "</dt><dd>");
    tamis_html_number(p->t, x, 3);
    if (small) tamis_text_printf(p->t, "<small>%s</small>", small);
    tamis_page_puts(p, "</dd></div>");
}

static void tiles(struct tamis_page *p)
{
    struct estimate e = estimate_of(p->root);
    double inputs = tamis_value_number(p->root, "data.inputs");
    char of[48];
    snprintf(of, sizeof of, "of %.0f", isnan(inputs) ? 0 : inputs);
    tamis_page_puts(p, "<dl class=\"tiles\">");
    tile(p, "inputs chosen", (double)tamis_page_items(tamis_value_at(p->root, "selected")), isnan(inputs) ? NULL : of);
    if (e.kind != CRITERION)
        tile(p, "error on held-out rows", e.error, e.kind == NESTED ? "nested validation" : "test rows");
    tile(p, tamis_page_error_name(p), tamis_value_number(p->root, "error.selected"),
         training(p)           ? "on the training rows"
         : e.kind == CRITERION ? "not checked on held-out rows"
                               : "the choice is based on it");
    tile(p, tamis_page_classes(p) ? "majority class" : "predicting the mean",
         tamis_value_number(p->root, "error.baseline"), "error without any input");
    tile(p, "basis functions", tamis_value_number(p->root, "model.basis_functions"),
         tamis_value_at(p->root, "model.kind") ? "size of the model" : NULL);
    tile(p, "seconds", tamis_value_number(p->root, "seconds"), NULL);
    tamis_page_puts(p, "</dl>\n");
}

static void notes(struct tamis_page *p)
{
    const tamis_value *note = tamis_value_at(p->root, "notes");
    if (tamis_value_text(p->root, "picked")) {
        tamis_page_puts(p, "<p class=\"note\">Why this method: ");
        tamis_page_say(p, tamis_value_text(p->root, "picked"));
        tamis_page_puts(p, "</p>");
    }
    for (size_t i = 0; i < tamis_page_items(note) && i < NOTES; i++) {
        tamis_page_puts(p, "<p class=\"warn\">");
        tamis_page_say(p, tamis_page_item_text(note, i));
        tamis_page_puts(p, "</p>");
    }
}

static void answer(struct tamis_page *p)
{
    tamis_page_puts(p, "<p class=\"lead\">");
    choice_sentence(p);
    accuracy_sentence(p);
    tamis_page_puts(p, "</p>\n");
    tiles(p);
    notes(p);
}

/* ---- errors ---- */

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
        tamis_svg_span(plot->t, tamis_plot_at(&plot->x, value - se), tamis_plot_at(&plot->x, value + se), y + 7.5,
                       "c2");
    tamis_svg_value(plot->t, fmax(fmax(from, to), se > 0 ? tamis_plot_at(&plot->x, value + se) : 0) + 5, y + 12, value);
}

static double row_height(const struct bar *b) { return isnan(b->all) ? 34 : 52; }

static void key(struct tamis_text *t, double x, const char *style, const char *what)
{
    tamis_svg_rect(t, x, 5, 10, 10, style);
    tamis_text_puts(t, "</rect>");
    tamis_svg_text(t, x + 15, 14, "tk", what);
}

static void error_rows(struct tamis_plot *plot, const struct bar *b, size_t n)
{
    double y = 26;
    for (size_t i = 0; i < n; y += row_height(&b[i++])) {
        tamis_svg_name(plot->t, 200, y + (isnan(b[i].all) ? 12 : 21), "lb e", b[i].what, 32);
        error_bar(plot, y, b[i].selected, b[i].se, "c1", "chosen inputs");
        error_bar(plot, y + 17, b[i].all, NAN, "c0", "all inputs");
    }
}

static void error_plot(struct tamis_page *p, const struct bar *b, size_t n)
{
    struct tamis_plot plot = {.t = p->t, .width = 720, .height = 24, .left = 210, .right = 60, .top = 22, .bottom = 4};
    double from = 0, to = 0;
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
    key(p->t, 210, "c1", "chosen inputs");
    if (all) key(p->t, 325, "c0", "all inputs");
    error_rows(&plot, b, n);
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
    if (estimate_of(p->root).kind == CRITERION)
        tamis_page_puts(p,
                        "<p class=\"note\">No rows were held out. <code>--holdout 0.2</code>, <code>--test FILE</code> "
                        "or <code>--outer 5</code> give an error that the choice has not influenced.</p>\n");
}

const struct tamis_section tamis_section_answer = {.id = "answer", .title = "The answer", .draw = answer};
const struct tamis_section tamis_section_error = {
    .id = "error", .title = "How accurate it is", .draw = error_section};
