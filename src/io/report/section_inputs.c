/* How stable the choice is, and which inputs are alike. */
#include <math.h>
#include <stdlib.h>
#include "io/report/report.h"

enum { ALIKE = 5, TOGETHER = 16 };

/* By input: the share of the method's own folds that chose it; or NULL. */
static const tamis_value *own_shares(const struct tamis_page *p)
{
    const tamis_value *own = tamis_value_at(tamis_page_own(p->root), "stability");
    return tamis_page_members(own) ? own : NULL;
}

const tamis_value *tamis_page_frequencies(const struct tamis_page *p, const char **of)
{
    static const char *const known[][2] = {{"stability_selection.frequency", "half-samples"},
                                           {"bootstrap.frequency", "resamples"},
                                           {"outer.frequency", "outer folds"},
                                           {"select_rule.share", "folds"}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        const tamis_value *v = tamis_value_at(p->root, known[i][0]);
        *of = known[i][1];
        if (tamis_page_members(v)) return v;
    }
    *of = "folds";
    return own_shares(p);
}

/* ---- stability ---- */

static void size_words(struct tamis_page *p, const tamis_value *o)
{
    if (isnan(tamis_value_number(o, "inputs.mean"))) return;
    tamis_page_puts(p, " They choose ");
    tamis_html_number(p->t, tamis_value_number(o, "inputs.mean"), 3);
    tamis_page_puts(p, " inputs on average, from ");
    tamis_page_number(p, tamis_value_number(o, "inputs.min"));
    tamis_page_puts(p, " to ");
    tamis_page_number(p, tamis_value_number(o, "inputs.max"));
    tamis_page_puts(p, ".");
}

static void stability_words(struct tamis_page *p, const tamis_value *o, const char *runs)
{
    double v = tamis_value_number(o, "stability");
    double low = tamis_value_number(o, "stability_low"), high = tamis_value_number(o, "stability_high");
    if (isnan(v)) return;
    tamis_text_printf(p->t, "<p>The stability of the choice over %s is <b>", runs);
    tamis_page_number(p, v);
    tamis_page_puts(p, "</b>");
    if (!isnan(low) && !isnan(high)) {
        tamis_page_puts(p, " (95 % interval ");
        tamis_html_number(p->t, low, 3);
        tamis_page_puts(p, " to ");
        tamis_html_number(p->t, fmin(high, 1), 3);
        tamis_page_puts(p, ")");
    }
    tamis_page_puts(p, ": 1 if all choose the same inputs, 0 if they agree no more than by chance.");
    size_words(p, o);
    tamis_page_puts(p, "</p>\n");
}

struct share { const char *name; double share; int on; size_t at; };

/* Selected inputs first, then by falling share. */
static int by_share(const void *a, const void *b)
{
    const struct share *x = a, *y = b;
    if (x->on != y->on) return y->on - x->on;
    if (x->share > y->share || x->share < y->share) return x->share > y->share ? -1 : 1;
    return (x->at > y->at) - (x->at < y->at);
}

/* Inputs that are selected or that some run chose, sorted; allocated. */
static struct share *share_list(struct tamis_page *p, const tamis_value *frequency, size_t *n)
{
    struct share *s = tamis_raw(p->cx, struct share, tamis_page_members(frequency) + 1);
    *n = 0;
    for (size_t i = 0; s && i < tamis_page_members(frequency); i++) {
        const char *name = tamis_value_key(frequency, i);
        double x = fmin(fmax(tamis_value_number(tamis_value_item(frequency, i), NULL), 0), 1);
        int on = tamis_page_selected(p, name);
        if (x > 0 || on) s[(*n)++] = (struct share){name, x, on, i};
    }
    if (*n) qsort(s, *n, sizeof *s, by_share);
    return s;
}

static void share_bar(struct tamis_page *p, struct tamis_plot *plot, const struct share *s, double y)
{
    double to = tamis_plot_at(&plot->x, s->share);
    tamis_page_row_name(p, plot, y + 13, s->name, s->on);
    tamis_svg_rect(plot->t, plot->left, y, fmax(1, to - plot->left), 15, s->on ? "c1" : "c0");
    tamis_svg_title(plot->t, "%s\nchosen by %.0f %%", s->name, 100 * s->share);
    tamis_text_puts(plot->t, "</rect><text class=\"tk\" x=\"");
    tamis_svg_number(plot->t, to + 5);
    tamis_text_printf(plot->t, "\" y=\"%.0f\">%.0f %%</text>", y + 13, 100 * s->share);
}

static void share_bars(struct tamis_page *p, const struct share *s, size_t n)
{
    const char *name[TAMIS_BARS] = {NULL};
    if (n > TAMIS_BARS) n = TAMIS_BARS;
    for (size_t i = 0; i < n; i++) name[i] = s[i].name;
    struct tamis_plot plot = tamis_page_bars(p, name, n);
    tamis_plot_begin(&plot, "share of repeated selections that chose each input");
    for (size_t i = 0; i < n; i++) share_bar(p, &plot, &s[i], 4 + TAMIS_BAR * (double)i);
    tamis_plot_names(&plot, tamis_page_label(p, "share of repeated selections that chose the input"), NULL);
    tamis_plot_end(&plot);
}

static void share_words(struct tamis_page *p, const struct share *s, size_t n)
{
    size_t always = 0, selected = 0, other = 0;
    for (size_t i = 0; i < n; i++) {
        selected += (size_t)s[i].on;
        always += s[i].on && s[i].share > 0.999999;
        other += !s[i].on && s[i].share >= 0.5;
    }
    if (!selected) return;
    tamis_text_printf(p->t, "<p>%zu of the %zu selected inputs were chosen by every repeated selection", always,
                      selected);
    if (other)
        tamis_text_printf(p->t, "; %zu other%s chosen by at least half of them", other, other == 1 ? " was" : "s were");
    tamis_page_puts(p, ".</p>\n");
}

/* "folds" went before: of how many splits. */
static void splits_words(struct tamis_page *p)
{
    const tamis_value *own = tamis_page_own(p->root);
    double folds = tamis_value_number(own, "folds"), splits = tamis_value_number(own, "splits");
    if (!(folds > 0) || !(splits > 0)) return;
    tamis_page_puts(p, splits > 1 ? " over all splits (" : " (");
    tamis_page_count(p, splits, "split");
    tamis_page_puts(p, " of the rows into ");
    tamis_page_count(p, folds, "fold");
    tamis_page_puts(p, ")");
}

/* `which`: what the shares are of, after "Share of ...". */
static void shares_figure(struct tamis_page *p, const struct share *s, size_t n, const tamis_value *frequency,
                          const char *of, const char *which)
{
    tamis_page_figure(p, "");
    share_bars(p, s, n);
    tamis_text_printf(p->t, "</div><figcaption>Share of %s", of);
    if (frequency == own_shares(p)) splits_words(p);
    tamis_page_puts(p, which);
    tamis_page_puts(p, "</figcaption></figure>\n");
}

/* Of a spectrum: neighbouring channels are one bar. */
static void bands_figure(struct tamis_page *p, const tamis_value *frequency, const char *of)
{
    struct tamis_band band[TAMIS_BANDS];
    size_t n = tamis_page_bands(p, frequency, band, TAMIS_BANDS);
    struct share s[TAMIS_BANDS];
    for (size_t i = 0; i < n; i++) s[i] = (struct share){band[i].name, band[i].share, band[i].on, i};
    qsort(s, n, sizeof *s, by_share);
    shares_figure(p, s, n, frequency, of,
                  " that chose a channel of each band, summed over its neighbouring channels, at most 100 %. "
                  "Bands with a selected channel are blue.");
}

static void stability_section(struct tamis_page *p)
{
    size_t n;
    const char *of;
    const tamis_value *frequency = tamis_page_frequencies(p, &of);
    stability_words(p, tamis_value_at(p->root, "stability_selection"), "half-samples");
    stability_words(p, tamis_value_at(p->root, "bootstrap"), "resamples");
    stability_words(p, tamis_value_at(p->root, "outer"), "outer folds");
    if (!frequency) return;
    if (tamis_figure_spectrum.applicable(p->root)) {
        bands_figure(p, frequency, of);
        return;
    }
    struct share *s = share_list(p, frequency, &n);
    share_words(p, s, n);
    shares_figure(p, s, n, frequency, of,
                  " that chose each input. Selected inputs are blue; inputs that none chose are not drawn.");
    tamis_free(s);
}

/* ---- alike ---- */

static void alike_cell(struct tamis_page *p, const tamis_value *other)
{
    double r = tamis_value_number(other, "r");
    if (isnan(r)) {
        tamis_page_puts(p, "<td>");
        return;
    }
    tamis_text_printf(p->t, "<td class=\"q%d\">", (int)lround(10 * fmin(fabs(r), 1)));
    tamis_page_name(p, tamis_value_text(other, "name"));
    tamis_page_puts(p, " ");
    tamis_html_number(p->t, r, 2);
    if (tamis_value_flag(other, "selected")) tamis_page_puts(p, " \xE2\x9C\x93");
}

static void alike_table(struct tamis_page *p, const tamis_value *list)
{
    static const char *const heads[] = {"selected input", "most alike", "second", "third", "fourth", "fifth", NULL};
    tamis_page_table(
        p, "t-alike", "",
        "Correlations of selected inputs with other inputs, where they reach 0.3; \xE2\x9C\x93 marks those "
        "that are selected too.",
        heads);
    for (size_t i = 0; i < tamis_page_items(list); i++) {
        const tamis_value *one = tamis_value_item(list, i);
        tamis_page_row(p, tamis_value_text(one, "input"));
        for (size_t k = 0; k < ALIKE; k++) alike_cell(p, tamis_value_item(tamis_value_at(one, "with"), k));
        tamis_page_puts(p, "\n");
    }
    tamis_page_table_end(p);
}

/* Probabilities of single inputs and of pairs. */
static void together_table(struct tamis_page *p, const tamis_value *own)
{
    const tamis_value *names = tamis_value_at(own, "names"), *both = tamis_value_at(own, "probability");
    size_t n = tamis_page_items(names);
    if (n < 2 || tamis_page_items(both) != n || n > TOGETHER) return;
    tamis_page_table(p, "t-together", "heat",
                     "Posterior probability that both inputs are in the set; on the diagonal, that the one is. Two "
                     "inputs that occur together less often than their own probabilities suggest can replace each "
                     "other.",
                     NULL);
    for (size_t i = 0; i < n; i++) tamis_page_head(p, tamis_page_item_text(names, i));
    tamis_page_heads_end(p);
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

/* Selected inputs whose closest other input is not selected although it is nearly the same. */
static size_t near_twins(const tamis_value *list)
{
    size_t count = 0;
    for (size_t i = 0; i < tamis_page_items(list); i++) {
        const tamis_value *closest = tamis_value_item(tamis_value_at(tamis_value_item(list, i), "with"), 0);
        count += fabs(tamis_value_number(closest, "r")) >= 0.9 && !tamis_value_flag(closest, "selected");
    }
    return count;
}

static void alike_section(struct tamis_page *p)
{
    const tamis_value *list = tamis_value_at(p->root, "evidence.correlations");
    size_t twins = near_twins(list);
    if (twins)
        tamis_text_printf(
            p->t,
            "<p class=\"warn\">%zu selected input%s a correlation of 0.9 or more with an input that is not "
            "selected: which of the two was chosen means little.</p>\n",
            twins, twins == 1 ? " has" : "s have");
    if (tamis_page_items(list)) alike_table(p, list);
    together_table(p, tamis_value_at(tamis_page_own(p->root), "together"));
}

const struct tamis_section tamis_section_stability = {
    .id = "stability", .title = "How stable the choice is", .draw = stability_section};
const struct tamis_section tamis_section_alike = {
    .id = "alike", .title = "Inputs that could replace each other", .draw = alike_section};
