/* Relevance of every input, how stable the choice is, which inputs are alike. */
#include <math.h>
#include <string.h>
#include "io/report/report.h"

enum { BARS = 40 };

/* ---- relevance ---- */

static void relevance_bar(struct tamis_page *p, const struct tamis_plot *plot, const json_t *in, double y,
                          double height)
{
    const char *name = tamis_json_text(in, "name");
    double value = tamis_json_number(in, "relevance"), zero = tamis_plot_at(&plot->x, 0),
           to = tamis_plot_at(&plot->x, value);
    int on = tamis_json_true(in, "selected");
    tamis_svg_name(p->t, plot->left - 8, y + height - 3, on ? "hd e" : "lb e", name, 24);
    tamis_svg_rect(p->t, fmin(zero, to), y, fmax(fabs(to - zero), 1), height - 2, on ? "c1" : "c0");
    tamis_svg_title(p->t, "%s\n%s\nrelevance %.4g", name ? name : "", on ? "chosen" : "left out", value);
    tamis_text_puts(p->t, "</rect><text class=\"tk\" x=\"");
    tamis_svg_number(p->t, fmax(zero, to) + 5);
    tamis_text_puts(p->t, "\" y=\"");
    tamis_svg_number(p->t, y + height - 3);
    tamis_text_puts(p->t, "\">");
    tamis_html_number(p->t, value, 3);
    tamis_text_puts(p->t, "</text>");
}

int tamis_picture_relevance(struct tamis_page *p)
{
    size_t n, shown = 0;
    double from = 0, to = 0;
    const json_t **in = tamis_page_sorted(p, tamis_json_at(p->root, "inputs"), "relevance", &n);
    while (shown < n && shown < BARS && !isnan(tamis_json_number(in[shown], "relevance"))) {
        double v = tamis_json_number(in[shown++], "relevance");
        tamis_plot_reach(&v, 1, &from, &to);
    }
    if (shown) {
        struct tamis_plot plot = {.t = p->t,
                                  .width = 720,
                                  .height = 17 * (double)shown + 8,
                                  .left = tamis_page_margin(in, shown),
                                  .right = 56,
                                  .top = 4,
                                  .bottom = 4,
                                  .alone = p->alone};
        tamis_plot_scale(&plot.x, from, to, 0);
        if (from == 0) plot.x.from = 0;
        tamis_plot_begin(&plot, "relevance of the inputs");
        for (size_t i = 0; i < shown; i++) relevance_bar(p, &plot, in[i], 4 + 17 * (double)i, 17);
        tamis_plot_end(&plot);
    }
    tamis_free(in);
    return shown > 0;
}

static void filter_box(struct tamis_page *p, const char *table, int chosen)
{
    tamis_text_printf(
        p->t, "<div class=\"tools\" data-for=\"%s\" hidden><label>Filter by name <input type=\"search\"></label>",
        table);
    if (chosen) tamis_page_puts(p, "<label><input type=\"checkbox\"> chosen only</label>");
    tamis_page_puts(p, "<output aria-live=\"polite\"></output></div>\n");
}

/* Shares of runs that kept each input: of resamples, outer folds or the folds of a rule, whatever the result has. */
static const json_t *shares(const struct tamis_page *p)
{
    static const char *const at[] = {"bootstrap.frequency", "outer.frequency", "select_rule.share"};
    for (size_t i = 0; i < sizeof at / sizeof *at; i++)
        if (json_object_size(tamis_json_at(p->root, at[i]))) return tamis_json_at(p->root, at[i]);
    const json_t *own = tamis_json_at(tamis_page_own(p), "stability");
    return json_is_object(own) ? own : NULL;
}

static const char *shares_of(const struct tamis_page *p)
{
    if (json_object_size(tamis_json_at(p->root, "bootstrap.frequency"))) return "resamples";
    return json_object_size(tamis_json_at(p->root, "outer.frequency")) ? "outer folds" : "folds";
}

static double share_of(const json_t *s, const char *name)
{
    const json_t *v = s && name ? json_object_get(s, name) : NULL;
    return json_is_number(v) ? json_number_value(v) : NAN;
}

static void input_row(struct tamis_page *p, const json_t *in, const json_t *stable)
{
    const char *name = tamis_json_text(in, "name");
    int on = tamis_json_true(in, "selected");
    tamis_page_puts(p, on ? "<tr class=\"on\"><th scope=\"row\">" : "<tr><th scope=\"row\">");
    tamis_page_name(p, name);
    tamis_page_cell(p, tamis_json_number(in, "rank"));
    tamis_page_puts(p, on ? "<td>yes" : "<td>no");
    tamis_page_cell(p, tamis_json_number(in, "relevance"));
    if (stable) tamis_page_cell(p, share_of(stable, name));
    if (tamis_json_true(in, "constant")) tamis_page_puts(p, " <span class=\"note\">constant</span>");
    tamis_page_puts(p, "\n");
}

void tamis_section_relevance(struct tamis_page *p)
{
    static const char *const plain[] = {"input", "#rank", "chosen", "#relevance", NULL}, *const more[] = {
                                                                                             "input",    "#rank",
                                                                                             "chosen",   "#relevance",
                                                                                             "#kept by", NULL};
    const json_t *inputs = tamis_json_at(p->root, "inputs"), *stable = shares(p);
    size_t n = tamis_json_length(inputs), known = 0;
    if (!n || tamis_json_length(tamis_json_at(tamis_page_own(p), "inclusion"))) return; /* the posterior says it then */
    for (size_t i = 0; i < n; i++) known += !isnan(tamis_json_number(json_array_get(inputs, i), "relevance"));
    if (known) {
        tamis_page_figure(p, "");
        tamis_picture_relevance(p);
        tamis_text_printf(p->t,
                          "</div><figcaption>The method's own measure, longer is more relevant; blue was chosen, grey "
                          "was not.%s%s</figcaption></figure>\n",
                          known > BARS ? " The forty largest are drawn." : "",
                          known < n ? " The method has no figure for the other inputs." : "");
    }
    filter_box(p, "t-inputs", 1);
    tamis_page_table(p, "t-inputs", n > 40 ? "sort long" : "sort",
                     stable ? "All inputs; &#8220;kept by&#8221; is the share of repeated selections (resamples, outer "
                              "folds or folds) that kept the input."
                            : "All inputs.",
                     stable ? more : plain);
    const json_t **in = tamis_page_sorted(p, inputs, "relevance", &n);
    for (int on = 1; on >= 0; on--)
        for (size_t i = 0; i < n; i++)
            if (tamis_json_true(in[i], "selected") == on) input_row(p, in[i], stable);
    tamis_free(in);
    tamis_page_table_end(p);
}

/* ---- stability ---- */

static void stability_words(struct tamis_page *p, const char *at, const char *runs)
{
    const json_t *o = tamis_json_at(p->root, at);
    double v = tamis_json_number(o, "stability"), a = tamis_json_number(o, "stability_low"),
           b = tamis_json_number(o, "stability_high");
    if (isnan(v)) return;
    tamis_text_printf(p->t, "<p>Over %s the stability of the set is <b>", runs);
    tamis_page_number(p, v);
    tamis_page_puts(p, "</b>");
    if (!isnan(a) && !isnan(b)) {
        tamis_page_puts(p, " (95 % interval ");
        tamis_html_number(p->t, a, 3);
        tamis_page_puts(p, " to ");
        tamis_html_number(p->t, fmin(b, 1), 3);
        tamis_page_puts(p, ")");
    }
    tamis_page_puts(p, ": 1 where all choose the same inputs, 0 where they agree no more than by chance.");
    if (!isnan(tamis_json_number(o, "inputs.mean"))) {
        tamis_page_puts(p, " They choose ");
        tamis_html_number(p->t, tamis_json_number(o, "inputs.mean"), 3);
        tamis_page_puts(p, " inputs on average, from ");
        tamis_page_number(p, tamis_json_number(o, "inputs.min"));
        tamis_page_puts(p, " to ");
        tamis_page_number(p, tamis_json_number(o, "inputs.max"));
        tamis_page_puts(p, ".");
    }
    tamis_page_puts(p, "</p>\n");
}

/* [{"name", "share", "selected"}] of the inputs, new, so that it can be sorted. */
static json_t *share_list(const struct tamis_page *p, const json_t *stable)
{
    const char *name;
    json_t *v, *list = json_array();
    json_object_foreach((json_t *)stable, name, v) {
        double x = json_is_number(v) ? fmin(fmax(json_number_value(v), 0), 1) : 0;
        int on = tamis_json_true(tamis_page_input(p, name), "selected");
        if (x > 0 || on)
            json_array_append_new(
                list, json_pack("{s:s, s:f, s:f, s:b}", "name", name, "share", x, "key", x + 2 * on, "selected", on));
    }
    return list;
}

static void share_bars(struct tamis_page *p, const json_t *stable)
{
    json_t *list = share_list(p, stable);
    size_t n;
    const json_t **one = tamis_page_sorted(p, list, "key", &n);
    if (n > BARS) n = BARS;
    struct tamis_plot plot = {.t = p->t,
                              .width = 720,
                              .height = 17 * (double)n + 8,
                              .left = tamis_page_margin(one, n),
                              .right = 60,
                              .top = 4,
                              .bottom = 4,
                              .x = {0, 1, 0, 0, 0},
                              .y = {0, 1, 0, 0, 0}};
    tamis_plot_begin(&plot, "share of repeated selections that kept each input");
    for (size_t i = 0; i < n; i++) {
        const char *name = tamis_json_text(one[i], "name");
        double x = tamis_json_number(one[i], "share"), y = 4 + 17 * (double)i;
        int on = tamis_json_true(one[i], "selected");
        tamis_svg_name(p->t, plot.left - 8, y + 14, on ? "hd e" : "lb e", name, 24);
        tamis_svg_rect(p->t, plot.left, y, fmax(1, tamis_plot_at(&plot.x, x) - plot.left), 15, on ? "c1" : "c0");
        tamis_svg_title(p->t, "%s\nkept by %.0f %% of the selections", name ? name : "", 100 * x);
        tamis_text_puts(p->t, "</rect><text class=\"tk\" x=\"");
        tamis_svg_number(p->t, tamis_plot_at(&plot.x, x) + 5);
        tamis_text_printf(p->t, "\" y=\"%.0f\">%.0f %%</text>", y + 13, 100 * x);
    }
    tamis_plot_end(&plot);
    tamis_free(one);
    json_decref(list);
}

/* Chosen inputs that some runs dropped, and left-out ones that half of them kept. */
static void share_words(struct tamis_page *p, const json_t *stable)
{
    const char *name;
    json_t *v;
    size_t sure = 0, chosen = 0, other = 0;
    json_object_foreach((json_t *)stable, name, v) {
        double x = json_is_number(v) ? json_number_value(v) : 0;
        int on = tamis_json_true(tamis_page_input(p, name), "selected");
        chosen += (size_t)on;
        sure += on && x >= 1;
        other += !on && x >= 0.5;
    }
    if (!chosen) return;
    tamis_text_printf(p->t, "<p>%zu of the %zu chosen inputs were kept by every repeated selection", sure, chosen);
    if (other)
        tamis_text_printf(p->t, "; %zu that %s left out %s kept by half of them or more", other,
                          other == 1 ? "was" : "were", other == 1 ? "was" : "were");
    tamis_page_puts(p, ".</p>\n");
}

void tamis_section_stability(struct tamis_page *p)
{
    const json_t *stable = shares(p);
    stability_words(p, "bootstrap", "resamples");
    stability_words(p, "outer", "outer folds");
    if (!stable || !json_object_size(stable)) return;
    share_words(p, stable);
    tamis_page_figure(p, "");
    share_bars(p, stable);
    tamis_text_printf(p->t,
                      "</div><figcaption>Share of %s that kept each input; blue was chosen. Inputs that none of them "
                      "kept are not drawn.</figcaption></figure>\n",
                      shares_of(p));
}

/* ---- alike ---- */

static void alike_row(struct tamis_page *p, const json_t *one)
{
    const json_t *with = tamis_json_at(one, "with");
    tamis_page_row(p, tamis_json_text(one, "input"));
    for (size_t k = 0; k < 5; k++) {
        const json_t *w = json_array_get(with, k);
        double r = tamis_json_number(w, "r");
        if (isnan(r)) {
            tamis_page_puts(p, "<td>");
            continue;
        }
        tamis_text_printf(p->t, "<td class=\"q%d\">", (int)lround(10 * fmin(fabs(r), 1)));
        tamis_page_name(p, tamis_json_text(w, "name"));
        tamis_page_puts(p, " ");
        tamis_html_number(p->t, r, 2);
        if (tamis_json_true(w, "selected")) tamis_page_puts(p, " \xE2\x9C\x93");
    }
    tamis_page_puts(p, "\n");
}

/* Pairs of a probability each, and of both. */
static void together(struct tamis_page *p)
{
    const json_t *own = tamis_json_at(tamis_page_own(p), "together"), *names = tamis_json_at(own, "names"),
                 *both = tamis_json_at(own, "probability");
    size_t n = tamis_json_length(names);
    if (n < 2 || tamis_json_length(both) != n || n > 16) return;
    tamis_page_table(p, "t-together", "heat",
                     "Posterior probability that both inputs are in the set; on the diagonal that one is. A pair that "
                     "is rarer than its two inputs suggest stands in for each other.",
                     NULL);
    for (size_t i = 0; i < n; i++) {
        tamis_page_puts(p, "<th scope=\"col\">");
        tamis_page_name(p, json_string_value(json_array_get(names, i)));
    }
    tamis_page_puts(p, "</thead><tbody>\n");
    for (size_t i = 0; i < n; i++) {
        tamis_page_row(p, json_string_value(json_array_get(names, i)));
        for (size_t j = 0; j < n; j++) {
            double x = tamis_json_item(json_array_get(both, i), j);
            tamis_page_shade(p, x, x);
        }
        tamis_page_puts(p, "\n");
    }
    tamis_page_table_end(p);
}

void tamis_section_alike(struct tamis_page *p)
{
    static const char *const heads[] = {"chosen input", "most alike", "second", "third", "fourth", "fifth", NULL};
    const json_t *c = tamis_json_at(p->root, "evidence.correlations");
    size_t n = tamis_json_length(c), strong = 0;
    if (!n && !tamis_json_at(tamis_page_own(p), "together")) return;
    for (size_t i = 0; i < n; i++) {
        const json_t *w = json_array_get(tamis_json_at(json_array_get(c, i), "with"), 0);
        strong += fabs(tamis_json_number(w, "r")) >= 0.9 && !tamis_json_true(w, "selected");
    }
    if (strong)
        tamis_text_printf(p->t,
                          "<p class=\"warn\">%zu chosen input%s a left-out one with correlation 0.9 or more: which of "
                          "the two was chosen says little.</p>\n",
                          strong, strong == 1 ? " has" : "s have");
    if (n) {
        tamis_page_table(
            p, "t-alike", "",
            "Correlations of chosen inputs with other inputs, where they reach 0.3; \xE2\x9C\x93 was chosen too.",
            heads);
        for (size_t i = 0; i < n; i++) alike_row(p, json_array_get(c, i));
        tamis_page_table_end(p);
    }
    together(p);
}
