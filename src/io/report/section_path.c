/* The criterion along the path, with the chosen step and its neighbours. */
#include <math.h>
#include "base/format.h"
#include "io/report/report.h"

enum { PARAMETERS = 3, ALSO = 5 };

/* ---- the figure ---- */

/* ring_x, ring_y: where the answer is, which may be a part of the set of the chosen step. */
struct steps { size_t n, chosen; double *x, *y, *se, ring_x, ring_y; int by_size; };

static int steps_allocate(struct tamis_page *p, struct steps *s)
{
    s->x = tamis_raw(p->cx, double, s->n + 1);
    s->y = tamis_raw(p->cx, double, s->n + 1);
    s->se = tamis_raw(p->cx, double, s->n + 1);
    return s->x && s->y && s->se;
}

static void steps_free(struct steps *s)
{
    tamis_free(s->x);
    tamis_free(s->y);
    tamis_free(s->se);
}

/* Whether the sizes rise or fall throughout. */
static int monotonic(const double *x, size_t n)
{
    for (size_t i = 2; i < n; i++)
        if ((x[i] > x[i - 1]) != (x[i - 1] > x[i - 2]) || x[i] == x[i - 1]) return 0;
    return 1;
}

/* Whether half of the sizes crowd into a twentieth of the axis, as where thousands of inputs left in the first step. */
static int crowded(const double *x, size_t n)
{
    double from = NAN, to = NAN;
    size_t near = 0;
    tamis_plot_reach(x, n, &from, &to);
    for (size_t i = 0; i < n; i++) near += x[i] < from + (to - from) / 20;
    return n > 3 && 2 * near >= n;
}

/* x: the size where every step has its own and they can be told apart, else the step. */
static void steps_fill(const tamis_value *path, struct steps *s)
{
    for (size_t i = 0; i < s->n; i++) {
        const tamis_value *step = tamis_value_item(path, i);
        s->x[i] = tamis_value_number(step, "size");
        s->y[i] = tamis_value_number(step, "criterion");
        s->se[i] = tamis_value_number(step, "parameters.se");
    }
    s->by_size = monotonic(s->x, s->n) && !crowded(s->x, s->n);
    for (size_t i = 0; i < s->n && !s->by_size; i++) s->x[i] = (double)i;
}

/* Where a set of that size lies between steps; NAN: nowhere. */
static double place_of(const struct tamis_page *p, const struct steps *s, double size)
{
    const tamis_value *path = tamis_value_at(p->root, "path");
    if (s->by_size) return size;
    for (size_t i = 1; i < s->n; i++) {
        double a = tamis_value_number(tamis_value_item(path, i - 1), "size"),
               b = tamis_value_number(tamis_value_item(path, i), "size"), share = (size - a) / (b - a);
        if (share >= 0 && share <= 1) return s->x[i - 1] + share * (s->x[i] - s->x[i - 1]);
    }
    return NAN;
}

/* The ring is around the chosen step, or, if the answer is smaller than its set, where the answer is. */
static void ring_place(const struct tamis_page *p, struct steps *s)
{
    const tamis_value *path = tamis_value_at(p->root, "path"), *set = tamis_value_at(p->root, "selected");
    double size = (double)tamis_page_items(set), error = tamis_value_number(p->root, "error.selected");
    s->ring_x = s->ring_y = NAN;
    if (s->chosen >= s->n) return;
    s->ring_x = s->x[s->chosen];
    s->ring_y = s->y[s->chosen];
    if (!set || tamis_value_number(tamis_value_item(path, s->chosen), "size") == size) return;
    double x = place_of(p, s, size);
    if (!isnan(x)) s->ring_x = x, s->ring_y = isnan(error) ? s->ring_y : error;
}

static void step_title(struct tamis_text *t, const tamis_value *step, int chosen)
{
    const char *changed = tamis_value_text(step, "changed"), *mark = chosen ? ", chosen" : "";
    const char *word = !changed ? "start" : *changed == '+' ? "added " : "removed ";
    const char *name = changed && *changed ? changed + 1 : "";
    size_t also = tamis_page_items(tamis_value_at(step, "with"));
    char more[40] = "";
    if (also) tamis_snprintf(more, sizeof more, " and %zu more", also);
    tamis_svg_title(t, "%.0f inputs%s\n%s%s%s\ncriterion %.4g", tamis_value_number(step, "size"), mark, word, name,
                    more, tamis_value_number(step, "criterion"));
}

static void step_point(struct tamis_plot *plot, const tamis_value *path, const struct steps *s, size_t i)
{
    double x = tamis_plot_at(&plot->x, s->x[i]), y = tamis_plot_at(&plot->y, s->y[i]);
    int chosen = i == s->chosen, near = s->chosen < s->n && (i + 1 == s->chosen || i == s->chosen + 1);
    if (isnan(s->y[i]) || isnan(s->x[i])) return;
    tamis_svg_circle(plot->t, x, y, chosen ? 5 : near ? 4.5 : 3, chosen ? "c2" : near ? "open" : "c1");
    step_title(plot->t, tamis_value_item(path, i), chosen);
    tamis_text_puts(plot->t, "</circle>");
}

static void ring(struct tamis_page *p, struct tamis_plot *plot, const struct steps *s)
{
    size_t n = tamis_page_items(tamis_value_at(p->root, "selected"));
    if (isnan(s->ring_x) || isnan(s->ring_y)) return;
    tamis_svg_circle(plot->t, tamis_plot_at(&plot->x, s->ring_x), tamis_plot_at(&plot->y, s->ring_y), 9, "ring");
    tamis_svg_title(plot->t, "%zu input%s, chosen\ncriterion %.4g", n, n == 1 ? "" : "s", s->ring_y);
    tamis_text_puts(plot->t, "</circle>");
}

static void scales(struct tamis_plot *plot, const struct steps *s)
{
    double from = NAN, to = NAN, x0 = NAN, x1 = NAN;
    int log = tamis_page_log(s->y, s->n);
    tamis_plot_reach(s->y, s->n, &from, &to);
    tamis_plot_reach(&s->ring_y, log && !(s->ring_y > 0) ? 0 : 1, &from, &to);
    for (size_t i = 0; i < s->n; i++) {
        double ends[] = {s->y[i] + s->se[i], s->y[i] - s->se[i]};
        if (s->se[i] > 0) tamis_plot_reach(ends, log ? 1 : 2, &from, &to);
    }
    tamis_plot_reach(s->x, s->n, &x0, &x1);
    tamis_plot_reach(&s->ring_x, 1, &x0, &x1);
    tamis_plot_scale(&plot->x, x0, x1, 0);
    tamis_plot_scale(&plot->y, from, to, log);
}

static void standard_errors(struct tamis_plot *plot, const struct steps *s)
{
    for (size_t i = 0; i < s->n; i++)
        if (s->se[i] > 0)
            tamis_plot_whisker(plot, s->x[i], s->y[i] - s->se[i], s->y[i] + s->se[i], "thin c0");
}

static void path_plot(struct tamis_page *p, const tamis_value *path, const struct steps *s)
{
    struct tamis_plot plot = {
        .t = p->t, .width = tamis_page_width(p), .height = 300, .alone = p->alone, .whole = 1, .left = 64};
    scales(&plot, s);
    tamis_plot_begin(&plot, tamis_figure_path.label);
    tamis_plot_axes(&plot, tamis_page_label(p, s->by_size ? "inputs in the set" : "step"),
                    tamis_page_label(p, tamis_page_error_name(p)));
    standard_errors(&plot, s);
    tamis_plot_line(&plot, s->x, s->y, s->n, "c1", NULL);
    for (size_t i = 0; i < s->n; i++)
        if (i != s->chosen) step_point(&plot, path, s, i);
    if (s->chosen < s->n) step_point(&plot, path, s, s->chosen);
    ring(p, &plot, s);
    tamis_plot_end(&plot);
}

static void path_draw(struct tamis_page *p)
{
    const tamis_value *path = tamis_value_at(p->root, "path");
    double chosen = tamis_value_number(p->root, "chosen_step");
    struct steps s = {.n = tamis_page_items(path)};
    s.chosen = chosen >= 0 && chosen < (double)s.n ? (size_t)chosen : s.n;
    if (steps_allocate(p, &s)) {
        steps_fill(path, &s);
        ring_place(p, &s);
        path_plot(p, path, &s);
    }
    steps_free(&s);
}

static int path_applicable(const tamis_value *result) { return tamis_page_items(tamis_value_at(result, "path")) > 1; }

/* ---- the table ---- */

static void changed_cell(struct tamis_page *p, const tamis_value *step)
{
    const tamis_value *with = tamis_value_at(step, "with");
    const char *changed = tamis_value_text(step, "changed");
    tamis_page_puts(p, "<td>");
    if (!changed) tamis_page_puts(p, "start");
    else {
        tamis_page_puts(p, *changed == '+' ? "+ " : "\xE2\x88\x92 ");
        tamis_page_name(p, *changed ? changed + 1 : "");
    }
    for (size_t i = 0; i < tamis_page_items(with) && i < ALSO; i++) {
        const char *name = tamis_page_item_text(with, i);
        tamis_page_puts(p, ", ");
        tamis_page_name(p, name && *name ? name + 1 : "");
    }
    if (tamis_page_items(with) > ALSO) tamis_text_printf(p->t, " and %zu more", tamis_page_items(with) - ALSO);
}

/* heads: of the parameters, each after its '#'. */
static void step_row(struct tamis_page *p, const tamis_value *step, size_t i, int chosen, const char *const *heads)
{
    tamis_text_printf(p->t, "<tr%s><th scope=\"row\" class=\"r\">%zu", chosen ? " class=\"on\"" : "", i);
    tamis_page_cell(p, tamis_value_number(step, "size"));
    changed_cell(p, step);
    tamis_page_cell(p, tamis_value_number(step, "criterion"));
    for (; *heads; heads++)
        tamis_page_cell(p, tamis_value_number(tamis_value_get(tamis_value_at(step, "parameters"), *heads + 1), NULL));
    tamis_page_puts(p, "\n");
}

static void path_table(struct tamis_page *p)
{
    const tamis_value *path = tamis_value_at(p->root, "path");
    const tamis_value *names = tamis_value_at(tamis_value_item(path, 0), "parameters");
    const char *heads[4 + PARAMETERS + 1] = {"#step", "#inputs", "change", "#criterion"};
    double chosen = tamis_value_number(p->root, "chosen_step");
    char text[PARAMETERS][40];
    for (size_t k = 0; k < tamis_page_members(names) && k < PARAMETERS; k++) {
        tamis_snprintf(text[k], sizeof text[k], "#%.38s", tamis_value_key(names, k));
        heads[4 + k] = text[k];
    }
    tamis_page_details(p, "All steps as a table");
    tamis_page_table(p, "t-path", tamis_page_items(path) > 40 ? "sort long" : "sort", "The chosen step is ticked.",
                     heads);
    for (size_t i = 0; i < tamis_page_items(path); i++)
        step_row(p, tamis_value_item(path, i), i, (double)i == chosen, heads + 4);
    tamis_page_table_end(p);
    tamis_page_details_end(p);
}

/* ---- words ---- */

static void step_words(struct tamis_page *p, const char *before, const tamis_value *step, const char *after)
{
    double criterion = tamis_value_number(step, "criterion");
    if (isnan(criterion)) return;
    tamis_page_puts(p, before);
    tamis_page_count(p, tamis_value_number(step, "size"), "input");
    tamis_page_puts(p, after);
    tamis_page_number(p, criterion);
}

/* The chosen step against those next to it; and where the answer is not quite the set of that step. */
static void neighbours(struct tamis_page *p)
{
    const tamis_value *path = tamis_value_at(p->root, "path");
    size_t n = tamis_page_items(path), selected = tamis_page_items(tamis_value_at(p->root, "selected"));
    double chosen = tamis_value_number(p->root, "chosen_step");
    if (!(chosen >= 0 && chosen < (double)n)) return;
    size_t at = (size_t)chosen;
    double size = tamis_value_number(tamis_value_item(path, at), "size");
    if (!isnan(tamis_value_number(tamis_value_item(path, at), "criterion"))) {
        step_words(p, "<p>At the chosen step, with ", tamis_value_item(path, at), ", the criterion is ");
        if (at > 0) step_words(p, "; one step earlier, with ", tamis_value_item(path, at - 1), ", it is ");
        if (at + 1 < n) step_words(p, "; one step later, with ", tamis_value_item(path, at + 1), ", it is ");
        tamis_page_puts(p, ".</p>\n");
    }
    if (selected && size > (double)selected)
        tamis_text_printf(
            p->t,
            "<p>%zu of the %.0f inputs of the chosen set %s kept: the others were not chosen often enough "
            "when the selection was repeated.</p>\n",
            selected, size, selected == 1 ? "is" : "are");
}

/* Why a smaller set that looks as good was not taken. */
static void smaller_words(struct tamis_page *p)
{
    const char *why = tamis_value_text(p->root, "smaller.why");
    if (!why) return;
    tamis_page_puts(p, "<p>");
    tamis_page_say(p, why);
    tamis_page_puts(p, "</p>\n");
}

static void rule_and_cost(struct tamis_page *p)
{
    static const struct tamis_curve by_size = {
        "size", "error", "inputs in the set", "error", "error of each size over the folds of the rule", .whole = 1};
    static const struct tamis_curve by_cost = {
        "cost", "criterion", "cost of the set", "criterion", "criterion against cost", .whole = 0};
    const tamis_value *sizes = tamis_value_at(p->root, "select_rule.sizes");
    const tamis_value *frontier = tamis_value_at(p->root, "cost.frontier");
    if (tamis_page_items(sizes) > 1) {
        tamis_page_figure(p, "");
        tamis_page_curve(p, sizes, &by_size);
        tamis_page_caption(p,
                           "The size was chosen from this curve: the path was rerun without each fold and measured on "
                           "that fold.");
    }
    if (tamis_page_items(frontier) > 1) {
        tamis_page_figure(p, "");
        tamis_page_curve(p, frontier, &by_cost);
        tamis_page_caption(p, "The best criterion on the path for each cost.");
    }
}

static void path_section(struct tamis_page *p)
{
    const char *rule = tamis_value_text(tamis_page_own(p->root), "rule");
    if (!path_applicable(p->root)) return;
    tamis_page_figure(p, "");
    tamis_page_draw(p, &tamis_figure_path);
    tamis_page_caption(p, "The criterion of each set on the path; lower is better. The ring marks the chosen set, open "
                          "points its neighbours.");
    neighbours(p);
    smaller_words(p);
    if (rule) {
        tamis_page_puts(p, "<p class=\"note\">How the set was chosen: ");
        tamis_page_say(p, rule);
        tamis_page_puts(p, ".</p>\n");
    }
    rule_and_cost(p);
    path_table(p);
}

const struct tamis_figure tamis_figure_path = {
    .name = "path",
    .label = "the criterion along the path of sets",
    .summary = "the criterion along the path",
    .applicable = path_applicable,
    .draw = path_draw,
};
const struct tamis_section tamis_section_path = {.id = "path", .title = "How the set was found", .draw = path_section};
