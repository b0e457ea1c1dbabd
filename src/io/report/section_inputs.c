/* Relevance of every input, how stable the choice is, which inputs are alike. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "io/report/report.h"

enum { BARS = 40 };

/* ---- relevance ---- */

static void relevance_bar(struct tamis_page *p, const struct tamis_plot *plot, const tamis_value *in, double y,
                          double height)
{
    const char *name = tamis_value_text(in, "name");
    double value = tamis_value_number(in, "relevance"), zero = tamis_plot_at(&plot->x, 0),
           to = tamis_plot_at(&plot->x, value);
    int on = tamis_value_flag(in, "selected");
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
    const tamis_value **in = tamis_page_sorted(p, tamis_value_at(p->root, "inputs"), "relevance", &n);
    const char *name[BARS];
    while (shown < n && shown < BARS && !isnan(tamis_value_number(in[shown], "relevance"))) {
        double v = tamis_value_number(in[shown], "relevance");
        name[shown] = tamis_value_text(in[shown], "name");
        shown++;
        tamis_plot_reach(&v, 1, &from, &to);
    }
    if (shown) {
        struct tamis_plot plot = {.t = p->t,
                                  .width = 720,
                                  .height = 17 * (double)shown + 8,
                                  .left = tamis_page_margin(name, shown),
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
static const tamis_value *shares(const struct tamis_page *p)
{
    static const char *const at[] = {"bootstrap.frequency", "outer.frequency", "select_rule.share"};
    for (size_t i = 0; i < sizeof at / sizeof *at; i++)
        if (tamis_page_members(tamis_value_at(p->root, at[i]))) return tamis_value_at(p->root, at[i]);
    const tamis_value *own = tamis_value_at(tamis_page_own(p), "stability");
    return tamis_page_record(own) ? own : NULL;
}

static const char *shares_of(const struct tamis_page *p)
{
    if (tamis_page_members(tamis_value_at(p->root, "bootstrap.frequency"))) return "resamples";
    return tamis_page_members(tamis_value_at(p->root, "outer.frequency")) ? "outer folds" : "folds";
}

/* share: by input, or NULL. */
static void input_row(struct tamis_page *p, const tamis_value *in, const struct tamis_index *share)
{
    const char *name = tamis_value_text(in, "name");
    int on = tamis_value_flag(in, "selected");
    tamis_page_puts(p, on ? "<tr class=\"on\"><th scope=\"row\">" : "<tr><th scope=\"row\">");
    tamis_page_name(p, name);
    tamis_page_cell(p, tamis_value_number(in, "rank"));
    tamis_page_puts(p, on ? "<td>yes" : "<td>no");
    tamis_page_cell(p, tamis_value_number(in, "relevance"));
    if (share) tamis_page_cell(p, tamis_value_number(tamis_index_get(share, name), NULL));
    if (tamis_value_flag(in, "constant")) tamis_page_puts(p, " <span class=\"note\">constant</span>");
    tamis_page_puts(p, "\n");
}

void tamis_section_relevance(struct tamis_page *p)
{
    static const char *const plain[] = {"input", "#rank", "chosen", "#relevance", NULL}, *const more[] = {
                                                                                             "input",    "#rank",
                                                                                             "chosen",   "#relevance",
                                                                                             "#kept by", NULL};
    const tamis_value *inputs = tamis_value_at(p->root, "inputs"), *stable = shares(p);
    size_t n = tamis_page_items(inputs), known = 0;
    if (!n || tamis_page_items(tamis_value_at(tamis_page_own(p), "inclusion"))) return; /* the posterior says it then */
    for (size_t i = 0; i < n; i++) known += !isnan(tamis_value_number(tamis_value_item(inputs, i), "relevance"));
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
    const tamis_value **in = tamis_page_sorted(p, inputs, "relevance", &n);
    struct tamis_index share = tamis_index_new(p->cx, stable);
    for (int on = 1; on >= 0; on--)
        for (size_t i = 0; i < n; i++)
            if (tamis_value_flag(in[i], "selected") == on) input_row(p, in[i], stable ? &share : NULL);
    tamis_index_free(&share);
    tamis_free(in);
    tamis_page_table_end(p);
}

/* ---- stability ---- */

static void stability_words(struct tamis_page *p, const char *at, const char *runs)
{
    const tamis_value *o = tamis_value_at(p->root, at);
    double v = tamis_value_number(o, "stability"), a = tamis_value_number(o, "stability_low"),
           b = tamis_value_number(o, "stability_high");
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
    if (!isnan(tamis_value_number(o, "inputs.mean"))) {
        tamis_page_puts(p, " They choose ");
        tamis_html_number(p->t, tamis_value_number(o, "inputs.mean"), 3);
        tamis_page_puts(p, " inputs on average, from ");
        tamis_page_number(p, tamis_value_number(o, "inputs.min"));
        tamis_page_puts(p, " to ");
        tamis_page_number(p, tamis_value_number(o, "inputs.max"));
        tamis_page_puts(p, ".");
    }
    tamis_page_puts(p, "</p>\n");
}

struct share { const char *name; double share; int on; size_t at; };

/* Chosen inputs first, then by falling share. */
static int by_share(const void *a, const void *b)
{
    const struct share *x = a, *y = b;
    if (x->on != y->on) return y->on - x->on;
    if (x->share > y->share || x->share < y->share) return x->share > y->share ? -1 : 1;
    return (x->at > y->at) - (x->at < y->at);
}

/* Inputs that are chosen or that some selection kept, in that order; allocated. */
static struct share *share_list(struct tamis_page *p, const tamis_value *stable, size_t *n)
{
    struct share *s = tamis_raw(p->cx, struct share, tamis_page_members(stable) + 1);
    *n = 0;
    for (size_t i = 0; s && i < tamis_page_members(stable); i++) {
        const char *name = tamis_value_key(stable, i);
        double x = fmin(fmax(tamis_value_number(tamis_value_item(stable, i), NULL), 0), 1);
        int on = tamis_page_chosen(p, name);
        if (x > 0 || on) s[(*n)++] = (struct share){name, x, on, i};
    }
    if (*n) qsort(s, *n, sizeof *s, by_share);
    return s;
}

static void share_bar(struct tamis_plot *plot, const struct share *s, double y)
{
    double to = tamis_plot_at(&plot->x, s->share);
    tamis_svg_name(plot->t, plot->left - 8, y + 14, s->on ? "hd e" : "lb e", s->name, 24);
    tamis_svg_rect(plot->t, plot->left, y, fmax(1, to - plot->left), 15, s->on ? "c1" : "c0");
    tamis_svg_title(plot->t, "%s\nkept by %.0f %% of the selections", s->name, 100 * s->share);
    tamis_text_puts(plot->t, "</rect><text class=\"tk\" x=\"");
    tamis_svg_number(plot->t, to + 5);
    tamis_text_printf(plot->t, "\" y=\"%.0f\">%.0f %%</text>", y + 13, 100 * s->share);
}

static void share_bars(struct tamis_page *p, const tamis_value *stable)
{
    size_t n;
    struct share *s = share_list(p, stable, &n);
    const char *name[BARS];
    if (n > BARS) n = BARS;
    for (size_t i = 0; i < n; i++) name[i] = s[i].name;
    struct tamis_plot plot = {.t = p->t,
                              .width = 720,
                              .height = 17 * (double)n + 8,
                              .left = tamis_page_margin(name, n),
                              .right = 60,
                              .top = 4,
                              .bottom = 4,
                              .x = {0, 1, 0, 0, 0},
                              .y = {0, 1, 0, 0, 0}};
    tamis_plot_begin(&plot, "share of repeated selections that kept each input");
    for (size_t i = 0; i < n; i++) share_bar(&plot, &s[i], 4 + 17 * (double)i);
    tamis_plot_end(&plot);
    tamis_free(s);
}

/* Chosen inputs that some runs dropped, and left-out ones that half of them kept. */
static void share_words(struct tamis_page *p, const tamis_value *stable)
{
    size_t sure = 0, chosen = 0, other = 0;
    for (size_t i = 0; i < tamis_page_members(stable); i++) {
        double x = tamis_value_number(tamis_value_item(stable, i), NULL);
        int on = tamis_page_chosen(p, tamis_value_key(stable, i));
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
    const tamis_value *stable = shares(p);
    stability_words(p, "bootstrap", "resamples");
    stability_words(p, "outer", "outer folds");
    if (!stable || !tamis_page_members(stable)) return;
    share_words(p, stable);
    tamis_page_figure(p, "");
    share_bars(p, stable);
    tamis_text_printf(p->t,
                      "</div><figcaption>Share of %s that kept each input; blue was chosen. Inputs that none of them "
                      "kept are not drawn.</figcaption></figure>\n",
                      shares_of(p));
}

/* ---- alike ---- */

static void alike_row(struct tamis_page *p, const tamis_value *one)
{
    const tamis_value *with = tamis_value_at(one, "with");
    tamis_page_row(p, tamis_value_text(one, "input"));
    for (size_t k = 0; k < 5; k++) {
        const tamis_value *w = tamis_value_item(with, k);
        double r = tamis_value_number(w, "r");
        if (isnan(r)) {
            tamis_page_puts(p, "<td>");
            continue;
        }
        tamis_text_printf(p->t, "<td class=\"q%d\">", (int)lround(10 * fmin(fabs(r), 1)));
        tamis_page_name(p, tamis_value_text(w, "name"));
        tamis_page_puts(p, " ");
        tamis_html_number(p->t, r, 2);
        if (tamis_value_flag(w, "selected")) tamis_page_puts(p, " \xE2\x9C\x93");
    }
    tamis_page_puts(p, "\n");
}

/* Pairs of a probability each, and of both. */
static void together(struct tamis_page *p)
{
    const tamis_value *own = tamis_value_at(tamis_page_own(p), "together"), *names = tamis_value_at(own, "names"),
                 *both = tamis_value_at(own, "probability");
    size_t n = tamis_page_items(names);
    if (n < 2 || tamis_page_items(both) != n || n > 16) return;
    tamis_page_table(p, "t-together", "heat",
                     "Posterior probability that both inputs are in the set; on the diagonal that one is. A pair that "
                     "is rarer than its two inputs suggest stands in for each other.",
                     NULL);
    for (size_t i = 0; i < n; i++) {
        tamis_page_puts(p, "<th scope=\"col\">");
        tamis_page_name(p, tamis_page_item_text(names, i));
    }
    tamis_page_puts(p, "</thead><tbody>\n");
    for (size_t i = 0; i < n; i++) {
        tamis_page_row(p, tamis_page_item_text(names, i));
        for (size_t j = 0; j < n; j++) {
            double x = tamis_value_item_number(tamis_value_item(both, i), j);
            tamis_page_shade(p, x, x);
        }
        tamis_page_puts(p, "\n");
    }
    tamis_page_table_end(p);
}

void tamis_section_alike(struct tamis_page *p)
{
    static const char *const heads[] = {"chosen input", "most alike", "second", "third", "fourth", "fifth", NULL};
    const tamis_value *c = tamis_value_at(p->root, "evidence.correlations");
    size_t n = tamis_page_items(c), strong = 0;
    if (!n && !tamis_value_at(tamis_page_own(p), "together")) return;
    for (size_t i = 0; i < n; i++) {
        const tamis_value *w = tamis_value_item(tamis_value_at(tamis_value_item(c, i), "with"), 0);
        strong += fabs(tamis_value_number(w, "r")) >= 0.9 && !tamis_value_flag(w, "selected");
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
        for (size_t i = 0; i < n; i++) alike_row(p, tamis_value_item(c, i));
        tamis_page_table_end(p);
    }
    together(p);
}
