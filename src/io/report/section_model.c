/* The model: what the path started from, and how the error falls with the number of basis functions. */
#include <math.h>
#include <string.h>
#include "io/report/report.h"

enum { TERMS = 20 };

/* ---- the ladder of models ---- */

/* Kinds of models in a ladder, from the simplest. */
static const struct kind { const char *name, *words, *style; } kinds[] = {
    {"linear", "linear", "c4"}, {"terms", "terms", "c3"}, {"network", "network", "c1"},
    {"kernel", "logistic", "c2"}, {NULL, "other", "c0"}};

static const struct kind *kind_of(const tamis_value *rung)
{
    const char *name = tamis_value_text(rung, "model");
    const struct kind *k = kinds;
    while (k->name && (!name || strcmp(k->name, name))) k++;
    return k;
}

static const tamis_value *ladder_of(const tamis_value *result)
{
    return tamis_value_at(tamis_page_own(result), "ladder");
}

struct rungs { size_t n; double *x, *y; };

/* Reads what can be drawn. */
static int rungs_read(struct tamis_page *p, struct rungs *r)
{
    const tamis_value *ladder = ladder_of(p->root);
    *r = (struct rungs){.n = tamis_page_items(ladder)};
    r->x = tamis_raw(p->cx, double, r->n + 1);
    r->y = tamis_raw(p->cx, double, r->n + 1);
    for (size_t i = 0; r->x && r->y && i < r->n; i++) {
        r->x[i] = tamis_value_number(tamis_value_item(ladder, i), "basis_functions");
        r->y[i] = tamis_value_number(tamis_value_item(ladder, i), "error");
    }
    return r->x && r->y;
}

static void rung_point(struct tamis_plot *plot, const tamis_value *rung, double x, double y)
{
    const struct kind *k = kind_of(rung);
    int taken = tamis_value_flag(rung, "taken");
    if (!isfinite(x) || !isfinite(y)) return;
    tamis_svg_circle(plot->t, tamis_plot_at(&plot->x, x), tamis_plot_at(&plot->y, y), taken ? 5 : 4, k->style);
    tamis_svg_title(plot->t, "%s%s\n%.0f basis function%s\nerror %.4g", k->words, taken ? ", taken" : "", x,
                    x == 1 ? "" : "s", y);
    tamis_text_puts(plot->t, "</circle>");
    if (!taken) return;
    tamis_svg_circle(plot->t, tamis_plot_at(&plot->x, x), tamis_plot_at(&plot->y, y), 9, "ring");
    tamis_text_puts(plot->t, "</circle>");
}

/* The kinds that occur, and the ring. */
static void keys(struct tamis_plot *plot, const tamis_value *ladder)
{
    double x = plot->left + 6;
    for (const struct kind *k = kinds; k < kinds + sizeof kinds / sizeof *kinds; k++) {
        size_t i = 0, n = tamis_page_items(ladder);
        while (i < n && kind_of(tamis_value_item(ladder, i)) != k) i++;
        if (i == n) continue;
        tamis_svg_circle(plot->t, x, 12, 4, k->style);
        tamis_text_puts(plot->t, "</circle>");
        tamis_svg_text(plot->t, x + 10, 16, "tk", k->words);
        x += 20 + tamis_html_width(k->words);
    }
    tamis_svg_circle(plot->t, x + 4, 12, 7, "ring");
    tamis_text_puts(plot->t, "</circle>");
    tamis_svg_text(plot->t, x + 17, 16, "tk", "taken");
}

static void ladder_plot(struct tamis_page *p, const tamis_value *ladder, const struct rungs *r)
{
    struct tamis_plot plot = {
        .t = p->t, .width = tamis_page_width(p), .height = 280, .left = 64, .top = 30, .alone = p->alone, .whole = 1};
    double from = NAN, to = NAN, low = NAN, high = NAN;
    tamis_plot_reach(r->x, r->n, &from, &to);
    tamis_plot_reach(r->y, r->n, &low, &high);
    tamis_plot_scale(&plot.x, from, to, from > 0 && to > 5 * from);
    tamis_plot_scale(&plot.y, low, high, tamis_page_log(r->y, r->n));
    tamis_plot_begin(&plot, tamis_figure_ladder.label);
    tamis_plot_axes(&plot, tamis_page_label(p, "basis functions"), tamis_page_label(p, tamis_page_error_name(p)));
    keys(&plot, ladder);
    for (size_t i = 0, next; i < r->n; i = next) {      /* a line for each kind */
        for (next = i; next < r->n && kind_of(tamis_value_item(ladder, next)) == kind_of(tamis_value_item(ladder, i));)
            next++;
        tamis_plot_line(&plot, r->x + i, r->y + i, next - i, "thin c0", NULL);
    }
    for (size_t i = 0; i < r->n; i++) rung_point(&plot, tamis_value_item(ladder, i), r->x[i], r->y[i]);
    tamis_plot_end(&plot);
}

static void ladder_draw(struct tamis_page *p)
{
    struct rungs r;
    if (rungs_read(p, &r)) ladder_plot(p, ladder_of(p->root), &r);
    tamis_free(r.x);
    tamis_free(r.y);
}

/* At least two points. */
static int ladder_applicable(const tamis_value *result)
{
    const tamis_value *ladder = ladder_of(result);
    size_t known = 0;
    for (size_t i = 0; i < tamis_page_items(ladder); i++) {
        const tamis_value *rung = tamis_value_item(ladder, i);
        known += isfinite(tamis_value_number(rung, "basis_functions")) && isfinite(tamis_value_number(rung, "error"));
    }
    return known > 1;
}

static void ladder_table(struct tamis_page *p)
{
    static const char *const heads[] = {"model", "#basis functions", "#error", NULL};
    const tamis_value *ladder = ladder_of(p->root);
    tamis_page_details(p, "Every model");
    tamis_page_table(p, "t-ladder", "",
                     "Models of the chosen inputs, from the smallest; \xE2\x9C\x93 marks the one taken.", heads);
    for (size_t i = 0; i < tamis_page_items(ladder); i++) {
        const tamis_value *rung = tamis_value_item(ladder, i);
        tamis_text_printf(p->t, "<tr%s><th scope=\"row\">%s", tamis_value_flag(rung, "taken") ? " class=\"on\"" : "",
                          kind_of(rung)->words);
        tamis_page_cell(p, tamis_value_number(rung, "basis_functions"));
        tamis_page_cell(p, tamis_value_number(rung, "error"));
        tamis_page_puts(p, "\n");
    }
    tamis_page_table_end(p);
    tamis_page_details_end(p);
}

static void ladder_figure(struct tamis_page *p)
{
    const char *asked = tamis_value_text(p->root, "options.final");
    tamis_page_figure(p, "");
    tamis_page_draw(p, &tamis_figure_ladder);
    tamis_page_puts(p, "</div><figcaption>Models of the chosen inputs with more and more basis functions; lower is "
                       "better. ");
    if (asked && !strcmp(asked, "linear"))
        tamis_page_puts(p, "The ring marks the model that <code>--final linear</code> asked for.");
    else
        tamis_text_printf(p->t, "The ring marks the model taken, the smallest within one standard error of the best%s.",
                          tamis_page_classes(p) ? " by the log loss of held-out rows" : "");
    tamis_page_puts(p, " The folds here share the chosen inputs; for the error of the answer, each fold chose its "
                       "own.</figcaption></figure>\n");
    ladder_table(p);
}

/* ---- where the path started ---- */

/* "nox x dis" with a proper sign. */
static void term_item(struct tamis_page *p, const tamis_value *inputs)
{
    tamis_page_puts(p, "<li>");
    for (size_t i = 0; i < tamis_page_items(inputs); i++) {
        if (i) tamis_page_puts(p, " \xC3\x97 ");
        tamis_page_name(p, tamis_page_item_text(inputs, i));
    }
}

static void term_list(struct tamis_page *p, const tamis_value *terms)
{
    size_t n = tamis_page_items(terms), shown = n <= TERMS ? n : TERMS - 1;
    tamis_page_puts(p, "<ul class=\"terms\">");
    for (size_t i = 0; i < shown; i++) term_item(p, tamis_value_item(terms, i));
    if (n > shown) tamis_text_printf(p->t, "<li class=\"note\">and %zu more", n - shown);
    tamis_page_puts(p, "</ul>\n");
}

static size_t interactions(const tamis_value *terms)
{
    size_t n = 0;
    for (size_t i = 0; i < tamis_page_items(terms); i++) n += tamis_page_items(tamis_value_item(terms, i)) > 1;
    return n;
}

static void term_words(struct tamis_page *p, const tamis_value *terms)
{
    size_t n = tamis_page_items(terms), several = interactions(terms);
    if (!several) tamis_page_puts(p, n == 1 ? " The term is a function of a single input:"
                                            : " Each term is a function of a single input; none is an interaction:");
    else if (several == n) tamis_page_puts(p, n == 1 ? " The term is an interaction, a function of several inputs:"
                                                     : " All of them are interactions, functions of two or three "
                                                       "inputs:");
    else {
        if (several == 1) tamis_page_puts(p, " One is an interaction, a function of two or three inputs; ");
        else tamis_text_printf(p->t, " %zu are interactions, functions of two or three inputs; ", several);
        tamis_page_puts(p, n == several + 1 ? "the other is a function of one:" : "the others are functions of one:");
    }
}

static void start_section(struct tamis_page *p)
{
    static const char *const after[][2] = {
        {"terms", ""},
        {"terms and a network of the rest", " and a Gaussian network of what they leave unexplained"},
        {"terms and a network", " and a Gaussian network"},
        {"network", NULL}};
    const char *start = tamis_value_text(tamis_page_own(p->root), "start");
    const tamis_value *terms = tamis_value_at(tamis_page_own(p->root), "terms");
    size_t i = 0, n = tamis_page_items(terms);
    while (i < 4 && (!start || strcmp(start, after[i][0]))) i++;
    if (i == 4 || (after[i][1] && !n)) return;
    tamis_page_puts(p, "<p>The path started from ");
    if (!after[i][1]) {
        tamis_page_puts(p, "a Gaussian network, without terms.</p>\n");
        return;
    }
    if (n > 1) tamis_page_puts(p, "a sum of ");
    tamis_page_count(p, (double)n, "term");
    tamis_text_printf(p->t, "%s.", after[i][1]);
    term_words(p, terms);
    tamis_page_puts(p, "</p>\n");
    term_list(p, terms);
}

/* ---- the section ---- */

/* What the fitted model is made of, where its kind counts it. */
static void parts_words(struct tamis_page *p)
{
    const tamis_value *m = tamis_value_at(p->root, "model.parameters");
    double terms = tamis_value_number(m, "terms"), features = tamis_value_number(m, "features"),
           centres = tamis_value_number(m, "centres");
    const char *kind = tamis_value_text(p->root, "model.kind");
    if (kind && !strcmp(kind, "linear")) {
        tamis_page_puts(p, "<p>The fitted model is <b>linear</b>.</p>\n");
        return;
    }
    if (!(features >= 0) || !(centres >= 0)) return;
    tamis_page_puts(p, "<p>The fitted model is a sum of <b>");
    if (features > 0) {
        tamis_page_count(p, terms, "term");
        tamis_page_puts(p, "</b> (");
        tamis_page_count(p, features, "basis function");
        tamis_page_puts(p, centres > 0 ? ") and <b>" : ")");
    }
    if (centres > 0) tamis_page_count(p, centres, "Gaussian");
    tamis_page_puts(p, centres > 0 ? "</b> of the chosen inputs.</p>\n" : " of the chosen inputs.</p>\n");
}

static void model_section(struct tamis_page *p)
{
    if (!tamis_page_items(tamis_value_at(p->root, "selected"))) return;
    if (!tamis_page_items(ladder_of(p->root))) return;
    start_section(p);
    parts_words(p);
    if (ladder_applicable(p->root)) ladder_figure(p);
}

const struct tamis_figure tamis_figure_ladder = {
    .name = "ladder",
    .label = "error against the number of basis functions",
    .summary = "the error of larger and larger models",
    .applicable = ladder_applicable,
    .draw = ladder_draw,
};
const struct tamis_section tamis_section_model = {.id = "model", .title = "The model", .draw = model_section};
