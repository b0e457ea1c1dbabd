/* The answer in two sentences, and how good it is. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "io/report/report.h"

enum { NAMED = 12 };

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

static void chosen_sentence(struct tamis_page *p)
{
    const tamis_value *selected = tamis_value_at(p->root, "selected");
    double inputs = tamis_value_number(p->root, "data.inputs");
    size_t n = tamis_page_items(selected);
    tamis_page_puts(p, "Method ");
    tamis_page_say(p, tamis_page_method(p));
    if (!n) {
        tamis_page_puts(p, " finds <b>no input</b> that helps to predict <bdi>");
        tamis_page_say(p, tamis_value_text(p->root, "data.target"));
        tamis_page_puts(p, "</bdi>: a constant does as well as anything it tried.");
        return;
    }
    if ((double)n == inputs) tamis_page_puts(p, n == 1 ? " keeps the one input, " : " keeps all ");
    else tamis_page_puts(p, " chose ");
    if (!((double)n == inputs && n == 1)) tamis_text_printf(p->t, "<b>%zu</b>", n);
    if ((double)n == inputs && n > 1) tamis_page_puts(p, " inputs: ");
    else if ((double)n != inputs) {
        tamis_page_puts(p, " of ");
        tamis_page_count(p, inputs, "input");
        tamis_page_puts(p, ": ");
    }
    name_list(p, selected);
    tamis_page_puts(p, ".");
}

static const char *rows_kind(const struct tamis_page *p)
{
    if (!isnan(tamis_value_number(p->root, "error.nested"))) return "nested";
    if (!isnan(tamis_value_number(p->root, "error.test"))) return "test";
    return NULL;
}

static int training(const struct tamis_page *p)
{
    const char *name = tamis_value_text(p->root, "error.criterion");
    return name && !strcmp(name, "training");
}

static void share_words(struct tamis_page *p, double error)
{
    const char *units = tamis_value_text(p->root, "error.units");
    if (tamis_page_classes(p) && units && strstr(units, "misclassified")) {
        tamis_text_puts(p->t, " (");
        tamis_html_number(p->t, 100 * error, 3);
        tamis_text_puts(p->t, " % of rows put into the wrong class)");
    } else if (units && strstr(units, "standardised")) {
        tamis_text_puts(p->t, " (the variance left unexplained; predicting the mean would leave 1)");
    }
}

static void honest_sentence(struct tamis_page *p)
{
    const char *kind = rows_kind(p), *model = tamis_value_text(p->root, "model.kind");
    double error = kind ? tamis_value_number(p->root, !strcmp(kind, "nested") ? "error.nested" : "error.test")
                        : tamis_value_number(p->root, "error.selected");
    double all = kind ? tamis_value_number(p->root,
                                          !strcmp(kind, "nested") ? "error.nested_all_inputs" : "error.test_all_inputs")
                      : tamis_value_number(p->root, "error.all_inputs");
    if (isnan(error)) return;
    if (kind && !strcmp(kind, "nested"))
        tamis_page_puts(
            p, " With the whole selection repeated inside an outer cross-validation, the error on rows never seen is ");
    else if (kind) {
        tamis_page_puts(p, " On ");
        tamis_page_count(p, tamis_value_number(p->root, "data.test_rows"), "row");
        tamis_page_puts(p, " that neither selection nor fitting saw, the ");
        tamis_page_say(p, model ? model : "fitted");
        tamis_page_puts(p, " model on them has error ");
    } else {
        tamis_page_puts(p, " Its ");
        tamis_page_say(p, tamis_page_error_name(p));
        tamis_page_puts(p, " is ");
    }
    tamis_page_puts(p, "<b>");
    tamis_page_number(p, error);
    tamis_page_puts(p, "</b>");
    share_words(p, error);
    if (!isnan(all)) {
        tamis_page_puts(p, ", against ");
        tamis_page_number(p, all);
        tamis_page_puts(p, " with all inputs");
    }
    tamis_page_puts(p, kind ? "."
                       : training(p)
                           ? "; new rows will do worse."
                           : "; the choice was made by that same figure, so that new rows will do somewhat worse.");
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
    const char *kind = rows_kind(p);
    double inputs = tamis_value_number(p->root, "data.inputs");
    char of[48];
    snprintf(of, sizeof of, "of %.0f", isnan(inputs) ? 0 : inputs);
    tamis_page_puts(p, "<dl class=\"tiles\">");
    tile(p, "inputs chosen", (double)tamis_page_items(tamis_value_at(p->root, "selected")), isnan(inputs) ? NULL : of);
    if (kind)
        tile(p, "error on unseen rows",
             tamis_value_number(p->root, !strcmp(kind, "nested") ? "error.nested" : "error.test"),
             !strcmp(kind, "nested") ? "nested validation" : "test rows");
    tile(p, tamis_page_error_name(p), tamis_value_number(p->root, "error.selected"),
         training(p) ? "on the rows it was fitted to"
         : kind      ? "what the choice was made by"
                     : "not yet checked on unseen rows");
    tile(p, "basis functions", tamis_value_number(p->root, "model.basis_functions"),
         tamis_value_at(p->root, "model.kind") ? "size of the model" : NULL);
    tile(p, "seconds", tamis_value_number(p->root, "seconds"), NULL);
    tamis_page_puts(p, "</dl>\n");
}

static void notes(struct tamis_page *p)
{
    const tamis_value *note = tamis_value_at(p->root, "notes");
    size_t n = tamis_page_items(note);
    if (tamis_value_text(p->root, "picked")) {
        tamis_page_puts(p, "<p class=\"note\">Why this method: ");
        tamis_page_say(p, tamis_value_text(p->root, "picked"));
        tamis_page_puts(p, "</p>");
    }
    for (size_t i = 0; i < n && i < 20; i++) {
        tamis_page_puts(p, "<p class=\"warn\">");
        tamis_page_say(p, tamis_page_item_text(note, i));
        tamis_page_puts(p, "</p>");
    }
}

void tamis_section_answer(struct tamis_page *p)
{
    tamis_page_puts(p, "<p class=\"lead\">");
    chosen_sentence(p);
    honest_sentence(p);
    tamis_page_puts(p, "</p>\n");
    tiles(p);
    notes(p);
}

/* ---- errors ---- */

struct bar { const char *what; double all, chosen, se; };

static size_t bars(const struct tamis_page *p, struct bar *b)
{
    const struct bar every[] = {{"nested validation", tamis_value_number(p->root, "error.nested_all_inputs"),
                                 tamis_value_number(p->root, "error.nested"),
                                 tamis_value_number(p->root, "error.nested_se")},
                                {"test rows", tamis_value_number(p->root, "error.test_all_inputs"),
                                 tamis_value_number(p->root, "error.test"), tamis_value_number(p->root, "error.test_se")},
                                {tamis_page_error_name(p), tamis_value_number(p->root, "error.all_inputs"),
                                 tamis_value_number(p->root, "error.selected"), NAN}};
    size_t n = 0;
    for (size_t i = 0; i < 3; i++)
        if (!isnan(every[i].chosen)) b[n++] = every[i];
    return n;
}

static void error_bar(struct tamis_plot *plot, double y, double value, double se, const char *style, const char *who)
{
    double from = tamis_plot_at(&plot->x, 0), to = tamis_plot_at(&plot->x, value);
    if (isnan(value)) return;
    tamis_svg_rect(plot->t, fmin(from, to), y, fabs(to - from), 15, style);
    tamis_svg_title(plot->t, "%s: %.4g", who, value);
    tamis_text_puts(plot->t, "</rect><text class=\"tk\" x=\"");
    tamis_svg_number(plot->t, fmax(fmax(from, to), se > 0 ? tamis_plot_at(&plot->x, value + se) : 0) + 5);
    tamis_text_puts(plot->t, "\" y=\"");
    tamis_svg_number(plot->t, y + 12);
    tamis_text_puts(plot->t, "\">");
    tamis_html_number(plot->t, value, 3);
    tamis_text_puts(plot->t, "</text>");
}

static double row_height(const struct bar *b) { return isnan(b->all) ? 34 : 52; }

static void whisker(struct tamis_plot *plot, const struct bar *b, double y)
{
    if (!(b->se > 0)) return;
    tamis_text_puts(plot->t, "<path class=\"ln c2\" d=\"M");
    tamis_svg_number(plot->t, tamis_plot_at(&plot->x, b->chosen - b->se));
    tamis_text_puts(plot->t, " ");
    tamis_svg_number(plot->t, y + 7.5);
    tamis_text_puts(plot->t, "H");
    tamis_svg_number(plot->t, tamis_plot_at(&plot->x, b->chosen + b->se));
    tamis_text_puts(plot->t, "\"/>");
}

static void error_picture(struct tamis_page *p, const struct bar *b, size_t n)
{
    struct tamis_plot plot = {
        .t = p->t, .width = 720, .height = 24, .left = 210, .right = 60, .top = 22, .bottom = 4, .y = {0, 1, 0, 0, 0}};
    double from = 0, to = 0, y = 26;
    for (size_t i = 0; i < n; i++) {
        tamis_plot_reach(&b[i].all, 1, &from, &to);
        tamis_plot_reach(&b[i].chosen, 1, &from, &to);
        plot.height += row_height(&b[i]);
    }
    tamis_plot_scale(&plot.x, from, to, 0);
    if (from == 0) plot.x.from = 0;
    tamis_plot_begin(&plot, "errors with all inputs and with the chosen ones");
    tamis_svg_rect(p->t, 210, 5, 10, 10, "c1");
    tamis_text_puts(p->t, "</rect>");
    tamis_svg_text(p->t, 225, 14, "tk", "chosen inputs");
    tamis_svg_rect(p->t, 325, 5, 10, 10, "c0");
    tamis_text_puts(p->t, "</rect>");
    tamis_svg_text(p->t, 340, 14, "tk", "all inputs");
    for (size_t i = 0; i < n; y += row_height(&b[i++])) {
        tamis_svg_name(p->t, 200, y + (isnan(b[i].all) ? 12 : 21), "lb e", b[i].what, 32);
        error_bar(&plot, y, b[i].chosen, b[i].se, "c1", "chosen inputs");
        error_bar(&plot, y + 17, b[i].all, NAN, "c0", "all inputs");
        whisker(&plot, &b[i], y);
    }
    tamis_plot_end(&plot);
}

void tamis_section_error(struct tamis_page *p)
{
    struct bar b[3];
    size_t n = bars(p, b);
    if (!n || !tamis_page_items(tamis_value_at(p->root, "selected"))) return;
    tamis_page_figure(p, "");
    error_picture(p, b, n);
    tamis_text_puts(p->t, "</div><figcaption>Errors are ");
    tamis_page_say(p, tamis_value_text(p->root, "error.units") ? tamis_value_text(p->root, "error.units")
                                                              : "in the units of the criterion");
    tamis_page_puts(p, "; shorter is better.");
    if (b[0].se > 0) tamis_page_puts(p, " The thin bar is one standard error either way.");
    tamis_page_puts(p, "</figcaption></figure>\n");
    if (!rows_kind(p))
        tamis_page_puts(p, "<p class=\"note\">No rows were kept apart. <code>--holdout 0.2</code>, <code>--test "
                           "FILE</code> or <code>--outer 5</code> give an error that the choice had no part in.</p>\n");
}
