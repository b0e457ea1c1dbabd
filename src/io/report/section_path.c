/* The criterion along the path, with the chosen point and its neighbours. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "io/report/report.h"

struct walk { size_t n, chosen; double *x, *y, *se; int by_size; };

/* By size where every step has a size of its own, else by step. */
static int walk_read(struct tamis_page *p, struct walk *w)
{
    const tamis_value *path = tamis_value_at(p->root, "path");
    double chosen = tamis_value_number(p->root, "chosen_step");
    w->n = tamis_page_items(path);
    w->chosen = chosen >= 0 && chosen < (double)w->n ? (size_t)chosen : w->n;
    w->by_size = 1;
    w->x = tamis_raw(p->cx, double, w->n + 1);
    w->y = tamis_raw(p->cx, double, w->n + 1);
    w->se = tamis_raw(p->cx, double, w->n + 1);
    if (!w->x || !w->y || !w->se) return 0;
    for (size_t i = 0; i < w->n; i++) {
        const tamis_value *s = tamis_value_item(path, i);
        w->x[i] = tamis_value_number(s, "size");
        w->y[i] = tamis_value_number(s, "criterion");
        w->se[i] = tamis_value_number(s, "parameters.se");
        if (i > 1 && !((w->x[i] > w->x[i - 1]) == (w->x[i - 1] > w->x[i - 2]) && w->x[i] != w->x[i - 1]))
            w->by_size = 0;
    }
    for (size_t i = 0; i < w->n && !w->by_size; i++) w->x[i] = (double)i;
    return w->n > 1;
}

static void walk_free(struct walk *w)
{
    tamis_free(w->x);
    tamis_free(w->y);
    tamis_free(w->se);
}

/* A criterion that spans more than a factor of thirty is drawn by its logarithm. */
static int wants_log(const double *y, size_t n)
{
    double from = NAN, to = NAN;
    tamis_plot_reach(y, n, &from, &to);
    return from > 0 && to > 30 * from;
}

static void step_point(struct tamis_page *p, struct tamis_plot *plot, const struct walk *w, size_t i)
{
    const tamis_value *s = tamis_value_item(tamis_value_at(p->root, "path"), i);
    const char *changed = tamis_value_text(s, "changed");
    size_t also = tamis_page_items(tamis_value_at(s, "with"));
    double x = tamis_plot_at(&plot->x, w->x[i]), y = tamis_plot_at(&plot->y, w->y[i]);
    int near = w->chosen < w->n && (i + 1 == w->chosen || i == w->chosen + 1);
    if (isnan(w->y[i]) || isnan(w->x[i])) return;
    tamis_svg_circle(p->t, x, y, i == w->chosen ? 5 : near ? 4.5 : 3, i == w->chosen ? "c2" : near ? "open" : "c1");
    const char *word = !changed          ? "start"
                       : *changed == '+' ? "in: "
                                         : "out: ",
               *name = changed && *changed ? changed + 1 : "", *mark = i == w->chosen ? ", chosen" : "";
    if (also)
        tamis_svg_title(p->t, "%.0f inputs%s\n%s%s and %zu more\ncriterion %.4g", tamis_value_number(s, "size"), mark,
                        word, name, also, w->y[i]);
    else
        tamis_svg_title(p->t, "%.0f inputs%s\n%s%s\ncriterion %.4g", tamis_value_number(s, "size"), mark, word, name,
                        w->y[i]);
    tamis_text_puts(p->t, "</circle>");
    if (i == w->chosen) {
        tamis_svg_circle(p->t, x, y, 9, "ring");
        tamis_text_puts(p->t, "</circle>");
    }
}

int tamis_picture_path(struct tamis_page *p)
{
    struct walk w = {0};
    struct tamis_plot plot = {.t = p->t, .width = 720, .height = 300, .alone = p->alone, .whole = 1, .left = 64};
    double from = NAN, to = NAN, x0 = NAN, x1 = NAN;
    int drawn = walk_read(p, &w);
    if (drawn) {
        int log = wants_log(w.y, w.n);
        tamis_plot_reach(w.y, w.n, &from, &to);
        for (size_t i = 0; i < w.n; i++)
            if (w.se[i] > 0 && !log) {
                double both[] = {w.y[i] - w.se[i], w.y[i] + w.se[i]};
                tamis_plot_reach(both, 2, &from, &to);
            }
        tamis_plot_reach(w.x, w.n, &x0, &x1);
        tamis_plot_scale(&plot.x, x0, x1, 0);
        tamis_plot_scale(&plot.y, from, to, log);
        tamis_plot_begin(&plot, "the criterion along the path of sets");
        tamis_plot_axes(&plot, w.by_size ? "inputs in the set" : "step", tamis_page_error_name(p));
        for (size_t i = 0; i < w.n; i++)
            if (w.se[i] > 0)
                tamis_plot_segment(&plot, w.x[i], log ? fmax(w.y[i] - w.se[i], plot.y.from) : w.y[i] - w.se[i], w.x[i],
                                   w.y[i] + w.se[i], "thin c0");
        tamis_plot_line(&plot, w.x, w.y, w.n, "c1", NULL);
        for (size_t i = 0; i < w.n; i++)
            if (i != w.chosen) step_point(p, &plot, &w, i);
        if (w.chosen < w.n) step_point(p, &plot, &w, w.chosen);
        tamis_plot_end(&plot);
    }
    walk_free(&w);
    return drawn;
}

static void changed_cell(struct tamis_page *p, const tamis_value *s)
{
    const tamis_value *with = tamis_value_at(s, "with");
    const char *changed = tamis_value_text(s, "changed");
    tamis_page_puts(p, "<td>");
    if (!changed) tamis_page_puts(p, "start");
    else {
        tamis_page_puts(p, *changed == '+' ? "+ " : "\xE2\x88\x92 ");
        tamis_page_name(p, *changed ? changed + 1 : "");
    }
    for (size_t i = 0; i < tamis_page_items(with) && i < 5; i++) {
        const char *name = tamis_page_item_text(with, i);
        tamis_page_puts(p, ", ");
        tamis_page_name(p, name && *name ? name + 1 : "");
    }
    if (tamis_page_items(with) > 5) tamis_text_printf(p->t, ", and %zu more", tamis_page_items(with) - 5);
}

static void path_table(struct tamis_page *p)
{
    const tamis_value *path = tamis_value_at(p->root, "path"), *names = tamis_value_at(tamis_value_item(path, 0), "parameters");
    const char *heads[8] = {"#step", "#inputs", "change", "#criterion"};
    double chosen = tamis_value_number(p->root, "chosen_step");
    char text[4][40];
    size_t k = 0;
    for (; k < tamis_page_members(names) && k < 3; k++) {
        snprintf(text[k], sizeof text[k], "#%.38s", tamis_value_key(names, k));
        heads[4 + k] = text[k];
    }
    tamis_page_details(p, "Every step as a table");
    tamis_page_table(p, "t-path", tamis_page_items(path) > 40 ? "sort long" : "sort", "The chosen step is ticked.",
                     heads);
    for (size_t i = 0; i < tamis_page_items(path); i++) {
        const tamis_value *s = tamis_value_item(path, i);
        tamis_text_printf(p->t, "<tr%s><th scope=\"row\" class=\"r\">%zu", (double)i == chosen ? " class=\"on\"" : "",
                          i);
        tamis_page_cell(p, tamis_value_number(s, "size"));
        changed_cell(p, s);
        tamis_page_cell(p, tamis_value_number(s, "criterion"));
        for (size_t c = 0; c < k; c++) {
            const tamis_value *q = tamis_value_get(tamis_value_at(s, "parameters"), heads[4 + c] + 1);
            tamis_page_cell(p, tamis_value_number(q, NULL));
        }
        tamis_page_puts(p, "\n");
    }
    tamis_page_table_end(p);
    tamis_page_details_end(p);
}

static void neighbour(struct tamis_page *p, const tamis_value *s, int *said)
{
    double there = tamis_value_number(s, "criterion");
    if (isnan(there)) return;
    tamis_page_puts(p, *said ? ", with " : "<p>One step away: with ");
    tamis_page_count(p, tamis_value_number(s, "size"), "input");
    tamis_page_puts(p, " it is ");
    tamis_page_number(p, there);
    *said = 1;
}

/* What one step more or less would change; and where the answer is not quite a set of the path. */
static void neighbours(struct tamis_page *p)
{
    const tamis_value *path = tamis_value_at(p->root, "path");
    size_t n = tamis_page_items(path), selected = tamis_page_items(tamis_value_at(p->root, "selected"));
    double chosen = tamis_value_number(p->root, "chosen_step");
    int said = 0;
    if (!(chosen >= 0 && chosen < (double)n)) return;
    const tamis_value *here = tamis_value_item(path, (size_t)chosen);
    double size = tamis_value_number(here, "size");
    if (chosen > 0) neighbour(p, tamis_value_item(path, (size_t)chosen - 1), &said);
    if (chosen + 1 < (double)n) neighbour(p, tamis_value_item(path, (size_t)chosen + 1), &said);
    if (said) {
        tamis_page_puts(p, "; at the chosen point, with ");
        tamis_page_count(p, size, "input");
        tamis_page_puts(p, ", ");
        tamis_page_number(p, tamis_value_number(here, "criterion"));
        tamis_page_puts(p, ".</p>\n");
    }
    if (selected && size > (double)selected)
        tamis_text_printf(p->t,
                          "<p>Of the %.0f inputs at that point %zu %s kept: the others were not chosen again often "
                          "enough when the selection was repeated.</p>\n",
                          size, selected, selected == 1 ? "is" : "are");
}

/* A small curve of two columns of a list of objects. */
static void curve_of(struct tamis_page *p, const tamis_value *list, const char *x_key, const char *y_key, const char *x_name,
                     const char *y_name, const char *label)
{
    size_t n = tamis_page_items(list);
    double *x = tamis_raw(p->cx, double, n + 1), *y = tamis_raw(p->cx, double, n + 1), from = NAN, to = NAN, low = NAN,
           high = NAN;
    char hover[96];
    struct tamis_plot plot = {.t = p->t, .width = 720, .height = 230, .left = 64};
    for (size_t i = 0; x && y && i < n; i++)
        x[i] = tamis_value_number(tamis_value_item(list, i), x_key),
        y[i] = tamis_value_number(tamis_value_item(list, i), y_key);
    if (x && y) {
        tamis_plot_reach(x, n, &from, &to);
        tamis_plot_reach(y, n, &low, &high);
        tamis_plot_scale(&plot.x, from, to, 0);
        tamis_plot_scale(&plot.y, low, high, wants_log(y, n));
        snprintf(hover, sizeof hover, "%.40s|%.40s", x_name, y_name);
        tamis_plot_begin(&plot, label);
        tamis_plot_axes(&plot, x_name, y_name);
        tamis_plot_line(&plot, x, y, n, "c1", hover);
        tamis_plot_points(&plot, x, y, n, "c1", NULL);
        tamis_plot_end(&plot);
    }
    tamis_free(x);
    tamis_free(y);
}

static void rule_and_cost(struct tamis_page *p)
{
    const tamis_value *sizes = tamis_value_at(p->root, "select_rule.sizes"),
                 *frontier = tamis_value_at(p->root, "cost.frontier");
    if (tamis_page_items(sizes) > 1) {
        tamis_page_figure(p, "");
        curve_of(p, sizes, "size", "error", "inputs in the set", "error",
                 "error of each size over the folds of the rule");
        tamis_page_caption(
            p, "The path run again without each fold and measured on it: the size was chosen by this curve.");
    }
    if (tamis_page_items(frontier) > 1) {
        tamis_page_figure(p, "");
        curve_of(p, frontier, "cost", "criterion", "cost of the set", "criterion", "criterion against cost");
        tamis_page_caption(p, "What a set costs and what it reaches: the best criterion for each cost on the way.");
    }
}

void tamis_section_path(struct tamis_page *p)
{
    if (tamis_page_items(tamis_value_at(p->root, "path")) < 2) return;
    const char *rule = tamis_value_text(tamis_page_own(p), "rule");
    tamis_page_figure(p, "");
    tamis_picture_path(p);
    tamis_page_caption(p, "The criterion for each set on the path; lower is better. The ring marks the chosen set, "
                          "open points its neighbours.");
    neighbours(p);
    if (rule) {
        tamis_page_puts(p, "<p class=\"note\">How the point was chosen: ");
        tamis_page_say(p, rule);
        tamis_page_puts(p, ".</p>\n");
    }
    rule_and_cost(p);
    path_table(p);
}
