/* The criterion along the path, with the chosen point and its neighbours. */
#include <math.h>
#include <string.h>
#include "io/report.h"

struct walk { size_t n, chosen; double *x, *y, *se; int by_size; };

/* By size where every step has a size of its own, else by step. */
static int walk_read(struct tamis_page *p, struct walk *w)
{
    const json_t *path = tamis_json_at(p->root, "path");
    double chosen = tamis_json_number(p->root, "chosen_step");
    w->n = tamis_json_length(path);
    w->chosen = chosen >= 0 && chosen < (double)w->n ? (size_t)chosen : w->n;
    w->by_size = 1;
    w->x = tamis_raw(p->cx, double, w->n + 1);
    w->y = tamis_raw(p->cx, double, w->n + 1);
    w->se = tamis_raw(p->cx, double, w->n + 1);
    if (!w->x || !w->y || !w->se) return 0;
    for (size_t i = 0; i < w->n; i++) {
        const json_t *s = json_array_get(path, i);
        w->x[i] = tamis_json_number(s, "size");
        w->y[i] = tamis_json_number(s, "criterion");
        w->se[i] = tamis_json_number(s, "parameters.se");
        if (i > 1 && !((w->x[i] > w->x[i - 1]) == (w->x[i - 1] > w->x[i - 2]) && w->x[i] != w->x[i - 1])) w->by_size = 0;
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
    const json_t *s = json_array_get(tamis_json_at(p->root, "path"), i);
    const char *changed = tamis_json_text(s, "changed");
    size_t also = tamis_json_length(tamis_json_at(s, "with"));
    double x = tamis_plot_at(&plot->x, w->x[i]), y = tamis_plot_at(&plot->y, w->y[i]);
    int near = w->chosen < w->n && (i + 1 == w->chosen || i == w->chosen + 1);
    if (isnan(w->y[i]) || isnan(w->x[i])) return;
    tamis_svg_circle(p->t, x, y, i == w->chosen ? 5 : near ? 4.5 : 3, i == w->chosen ? "c2" : near ? "open" : "c1");
    const char *word = !changed ? "start" : *changed == '+' ? "in: " : "out: ", *name = changed && *changed ? changed + 1 : "", *mark = i == w->chosen ? ", chosen" : "";
    if (also) tamis_svg_title(p->t, "%.0f inputs%s\n%s%s and %zu more\ncriterion %.4g", tamis_json_number(s, "size"), mark, word, name, also, w->y[i]);
    else tamis_svg_title(p->t, "%.0f inputs%s\n%s%s\ncriterion %.4g", tamis_json_number(s, "size"), mark, word, name, w->y[i]);
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
            if (w.se[i] > 0) tamis_plot_segment(&plot, w.x[i], log ? fmax(w.y[i] - w.se[i], plot.y.from) : w.y[i] - w.se[i], w.x[i], w.y[i] + w.se[i], "thin c0");
        tamis_plot_line(&plot, w.x, w.y, w.n, "c1", NULL);
        for (size_t i = 0; i < w.n; i++)
            if (i != w.chosen) step_point(p, &plot, &w, i);
        if (w.chosen < w.n) step_point(p, &plot, &w, w.chosen);
        tamis_plot_end(&plot);
    }
    walk_free(&w);
    return drawn;
}

static void changed_cell(struct tamis_page *p, const json_t *s)
{
    const json_t *with = tamis_json_at(s, "with");
    const char *changed = tamis_json_text(s, "changed");
    tamis_page_puts(p, "<td>");
    if (!changed) tamis_page_puts(p, "start");
    else {
        tamis_page_puts(p, *changed == '+' ? "+ " : "\xE2\x88\x92 ");
        tamis_page_name(p, *changed ? changed + 1 : "");
    }
    for (size_t i = 0; i < tamis_json_length(with) && i < 5; i++) {
        const char *name = json_string_value(json_array_get(with, i));
        tamis_page_puts(p, ", ");
        tamis_page_name(p, name && *name ? name + 1 : "");
    }
    if (tamis_json_length(with) > 5) tamis_text_printf(p->t, ", and %zu more", tamis_json_length(with) - 5);
}

static void path_table(struct tamis_page *p)
{
    const json_t *path = tamis_json_at(p->root, "path"), *names = tamis_json_at(json_array_get(path, 0), "parameters");
    const char *heads[8] = {"#step", "#inputs", "change", "#criterion"}, *key;
    double chosen = tamis_json_number(p->root, "chosen_step");
    char text[4][40];
    size_t k = 0;
    json_t *v;
    json_object_foreach((json_t *)names, key, v) {
        if (k >= 3) break;
        snprintf(text[k], sizeof text[k], "#%.38s", key);
        heads[4 + k] = text[k];
        k++;
    }
    tamis_page_details(p, "Every step as a table");
    tamis_page_table(p, "t-path", "sort", "The chosen step is ticked.", heads);
    for (size_t i = 0; i < tamis_json_length(path); i++) {
        const json_t *s = json_array_get(path, i);
        tamis_text_printf(p->t, "<tr%s><th scope=\"row\" class=\"r\">%zu", (double)i == chosen ? " class=\"on\"" : "", i);
        tamis_page_cell(p, tamis_json_number(s, "size"));
        changed_cell(p, s);
        tamis_page_cell(p, tamis_json_number(s, "criterion"));
        for (size_t c = 0; c < k; c++) {
            const json_t *q = json_object_get(tamis_json_at(s, "parameters"), heads[4 + c] + 1);
            tamis_page_cell(p, json_is_number(q) ? json_number_value(q) : NAN);
        }
        tamis_page_puts(p, "\n");
    }
    tamis_page_table_end(p);
    tamis_page_details_end(p);
}

/* What one more or one fewer input would change. */
static void neighbours(struct tamis_page *p)
{
    const json_t *path = tamis_json_at(p->root, "path");
    size_t n = tamis_json_length(path);
    double chosen = tamis_json_number(p->root, "chosen_step");
    if (!(chosen >= 0 && chosen < (double)n)) return;
    double here = tamis_json_number(json_array_get(path, (size_t)chosen), "criterion");
    tamis_page_puts(p, "<p>");
    for (int way = -1; way <= 1; way += 2) {
        double at = chosen + way;
        if (at < 0 || at >= (double)n) continue;
        const json_t *s = json_array_get(path, (size_t)at);
        double there = tamis_json_number(s, "criterion");
        if (isnan(there) || isnan(here)) continue;
        tamis_page_puts(p, way < 0 ? "The step before, with " : "The step after, with ");
        tamis_page_count(p, tamis_json_number(s, "size"), "input");
        tamis_page_puts(p, ", has ");
        tamis_page_number(p, there);
        tamis_page_puts(p, " where the chosen one has ");
        tamis_page_number(p, here);
        tamis_page_puts(p, ". ");
    }
    tamis_page_puts(p, "</p>\n");
}

void tamis_section_path(struct tamis_page *p)
{
    if (tamis_json_length(tamis_json_at(p->root, "path")) < 2) return;
    const char *rule = tamis_json_text(tamis_page_own(p), "rule");
    tamis_page_figure(p, "");
    tamis_picture_path(p);
    tamis_page_caption(p, "The criterion for each set on the path; lower is better. The ring marks the chosen set, open points its neighbours.");
    neighbours(p);
    if (rule) {
        tamis_page_puts(p, "<p class=\"note\">How the point was chosen: ");
        tamis_page_say(p, rule);
        tamis_page_puts(p, ".</p>\n");
    }
    path_table(p);
}
