/* Class structure and subset ranks; posterior, subsets and chains of a sampler. */
#include <math.h>
#include <string.h>
#include "io/report/report.h"

enum { SUBSETS = 40, LINES = 40 };

static void name_set(struct tamis_page *p, const tamis_value *names)
{
    if (!tamis_page_items(names)) tamis_page_puts(p, "(none)");
    for (size_t i = 0; i < tamis_page_items(names) && i < 30; i++) {
        if (i) tamis_page_puts(p, ", ");
        tamis_page_name(p, tamis_page_item_text(names, i));
    }
}

/* ---- subsets by feature evaluation index ---- */

static void subset_table(struct tamis_page *p, const tamis_value *own)
{
    static const char *const heads[] = {"subset",          "#inputs", "#FEI", "#FEI2", "#rank among its size",
                                        "#rank among all", NULL};
    const tamis_value *sets = tamis_value_at(own, "subsets");
    size_t n = tamis_page_items(sets);
    if (!n) return;
    tamis_page_table(p, "t-subsets", "sort",
                     "Subsets by feature evaluation index: how much better ignoring all other inputs keeps the classes "
                     "apart. Larger is better.",
                     heads);
    for (size_t i = 0; i < n && i < SUBSETS; i++) {
        const tamis_value *s = tamis_value_item(sets, i), *names = tamis_value_at(s, "inputs");
        tamis_page_puts(p, "<tr><th scope=\"row\">");
        name_set(p, names);
        tamis_page_cell(p, (double)tamis_page_items(names));
        tamis_page_cell(p, tamis_value_number(s, "fei"));
        tamis_page_cell(p, tamis_value_number(s, "fei2"));
        tamis_page_cell(p, tamis_value_number(s, "rank"));
        tamis_page_cell(p, tamis_value_number(s, "overall_rank"));
        tamis_page_puts(p, "\n");
    }
    tamis_page_table_end(p);
    if (n > SUBSETS) tamis_text_printf(p->t, "<p class=\"note\">The first %d of %zu.</p>\n", SUBSETS, n);
}

/* The records are keyed by input. */
static void agreement_table(struct tamis_page *p, const tamis_value *own)
{
    static const char *const key[] = {"single_fei", "single_fei2", "mean_rank", "rank_agreement"};
    static const char *const heads[] = {
        "input", "#FEI alone", "#FEI2 alone", "#mean rank", "#starts that agree on the rank", NULL};
    const tamis_value *inputs = tamis_value_at(p->root, "inputs");
    struct tamis_index column[4];
    if (!tamis_page_record(tamis_value_at(own, key[3]))) return;
    for (size_t k = 0; k < 4; k++) column[k] = tamis_index_new(p->cx, tamis_value_at(own, key[k]));
    tamis_page_table(p, "t-agree", "sort", "Each input on its own, over networks grown from different starts.", heads);
    for (size_t i = 0; i < tamis_page_items(inputs) && i < 200; i++) {
        const char *name = tamis_value_text(tamis_value_item(inputs, i), "name");
        tamis_page_row(p, name);
        for (size_t k = 0; k < 4; k++) tamis_page_cell(p, tamis_value_number(tamis_index_get(&column[k], name), NULL));
        tamis_page_puts(p, "\n");
    }
    tamis_page_table_end(p);
    for (size_t k = 0; k < 4; k++) tamis_index_free(&column[k]);
}

static void growth_picture(struct tamis_page *p, const tamis_value *growth)
{
    size_t n = tamis_page_items(growth);
    double *x = tamis_raw(p->cx, double, n + 1), *y = tamis_raw(p->cx, double, n + 1), from = NAN, to = NAN, low = NAN,
           high = NAN;
    struct tamis_plot plot = {.t = p->t, .width = 720, .height = 230, .whole = 1};
    for (size_t i = 0; x && y && i < n; i++)
        x[i] = tamis_value_number(tamis_value_item(growth, i), "hidden"),
        y[i] = tamis_value_number(tamis_value_item(growth, i), "cv");
    if (x && y && n > 1) {
        tamis_plot_reach(x, n, &from, &to);
        tamis_plot_reach(y, n, &low, &high);
        tamis_plot_scale(&plot.x, from, to, 0);
        tamis_plot_scale(&plot.y, low, high, 0);
        tamis_page_figure(p, "");
        tamis_plot_begin(&plot, "error by the number of hidden nodes");
        tamis_plot_axes(&plot, "hidden nodes", "cross-validated error");
        tamis_plot_line(&plot, x, y, n, "c1", "hidden nodes|error");
        tamis_plot_points(&plot, x, y, n, "c1", NULL);
        tamis_plot_end(&plot);
        tamis_page_caption(
            p, "How the size of the network was found: the classes need that many hidden nodes to be told apart.");
    }
    tamis_free(x);
    tamis_free(y);
}

void tamis_section_classes(struct tamis_page *p)
{
    const tamis_value *own = tamis_page_own(p);
    if (strcmp(tamis_page_method(p), "fei") || !own) return;
    tamis_page_puts(p, "<p>With all inputs the classes have FEI ");
    tamis_page_number(p, tamis_value_number(own, "baseline.fei"));
    tamis_page_puts(p, " and FEI2 ");
    tamis_page_number(p, tamis_value_number(own, "baseline.fei2"));
    tamis_page_puts(p, ", from a network of ");
    tamis_page_count(p, tamis_value_number(own, "hidden"), "hidden node");
    tamis_page_puts(p, "; a subset with less has lost what keeps them apart.</p>\n");
    growth_picture(p, tamis_value_at(own, "growth"));
    agreement_table(p, own);
    subset_table(p, own);
}

/* ---- posterior ---- */

static void inclusion_bar(struct tamis_page *p, const struct tamis_plot *plot, const tamis_value *one, double y)
{
    const char *name = tamis_value_text(one, "name");
    double v = fmin(fmax(tamis_value_number(one, "probability"), 0), 1), se = tamis_value_number(one, "mcse");
    int on = tamis_page_chosen(p, name);
    tamis_svg_name(p->t, plot->left - 8, y + 13, on ? "hd e" : "lb e", name, 24);
    tamis_svg_rect(p->t, plot->left, y, fmax(1, tamis_plot_at(&plot->x, v) - plot->left), 14, on ? "c1" : "c0");
    tamis_svg_title(p->t, "%s\nprobability %.3g\nstandard error %.2g", name ? name : "", v, se);
    tamis_text_puts(p->t, "</rect>");
    if (!(se > 0)) return;
    tamis_text_puts(p->t, "<path class=\"ln c2\" d=\"M");
    tamis_svg_number(p->t, tamis_plot_at(&plot->x, fmax(v - 2 * se, 0)));
    tamis_text_puts(p->t, " ");
    tamis_svg_number(p->t, y + 7);
    tamis_text_puts(p->t, "H");
    tamis_svg_number(p->t, tamis_plot_at(&plot->x, fmin(v + 2 * se, 1)));
    tamis_text_puts(p->t, "\"/>");
}

int tamis_picture_inclusion(struct tamis_page *p)
{
    size_t n;
    const tamis_value **one = tamis_page_sorted(p, tamis_value_at(tamis_page_own(p), "inclusion"), "probability", &n);
    double prior = tamis_value_number(tamis_page_own(p), "prior_inclusion");
    const char *name[LINES];
    if (n > LINES) n = LINES;
    for (size_t i = 0; i < n; i++) name[i] = tamis_value_text(one[i], "name");
    if (n) {
        struct tamis_plot plot = {.t = p->t,
                                  .width = 720,
                                  .height = 17 * (double)n + 50,
                                  .left = tamis_page_margin(name, n),
                                  .right = 20,
                                  .top = 6,
                                  .bottom = 42,
                                  .alone = p->alone,
                                  .x = {0, 1, 0, 0, 0},
                                  .y = {0, 1, 0, 0, 0}};
        tamis_plot_begin(&plot, "posterior probability of each input");
        double y = plot.y.from;
        plot.y.from = plot.y.to = NAN;
        tamis_plot_axes(&plot, "posterior probability that the input is in the set", NULL);
        plot.y.from = y, plot.y.to = 1;
        for (size_t i = 0; i < n; i++) inclusion_bar(p, &plot, one[i], 6 + 17 * (double)i);
        if (prior >= 0 && prior <= 1) tamis_plot_segment(&plot, prior, 0, prior, 1, "dash c2");
        tamis_plot_end(&plot);
    }
    tamis_free(one);
    return n > 0;
}

static void inclusion_table(struct tamis_page *p, const tamis_value *own)
{
    static const char *const heads[] = {
        "input", "#probability", "#standard error", "#log Bayes factor", "#R-hat", "#effective samples", NULL};
    size_t n;
    const tamis_value **one = tamis_page_sorted(p, tamis_value_at(own, "inclusion"), "probability", &n);
    tamis_page_table(p, "t-inclusion", "sort",
                     "Inclusion of every input. A log Bayes factor above 0 speaks for the input whatever the prior.",
                     heads);
    for (size_t i = 0; i < n && i < 500; i++) {
        static const char *const key[] = {"probability", "mcse", "log_bayes_factor", "rhat", "ess"};
        tamis_page_row(p, tamis_value_text(one[i], "name"));
        for (size_t k = 0; k < 5; k++) tamis_page_cell(p, tamis_value_number(one[i], key[k]));
        tamis_page_puts(p, "\n");
    }
    tamis_page_table_end(p);
    tamis_free(one);
}

static void posterior_subsets(struct tamis_page *p, const tamis_value *own)
{
    static const char *const heads[] = {"subset", "#inputs", "#posterior probability", NULL};
    const tamis_value *sets = tamis_value_at(own, "subsets");
    double visited = tamis_value_number(own, "subsets_visited");
    if (!tamis_page_items(sets)) return;
    tamis_page_table(p, "t-subsets", "sort", "The most probable subsets.", heads);
    for (size_t i = 0; i < tamis_page_items(sets) && i < SUBSETS; i++) {
        const tamis_value *s = tamis_value_item(sets, i);
        tamis_page_puts(p, "<tr><th scope=\"row\">");
        name_set(p, tamis_value_at(s, "inputs"));
        tamis_page_cell(p, (double)tamis_page_items(tamis_value_at(s, "inputs")));
        tamis_page_cell(p, tamis_value_number(s, "probability"));
        tamis_page_puts(p, "\n");
    }
    tamis_page_table_end(p);
    if (visited > 0) tamis_text_printf(p->t, "<p class=\"note\">%.0f different subsets were visited.</p>\n", visited);
}

static void size_picture(struct tamis_page *p, const tamis_value *own)
{
    const tamis_value *d = tamis_value_at(own, "size.distribution");
    size_t n = tamis_page_items(d) < 120 ? tamis_page_items(d) : 120;
    double from = 0, to = 0;
    struct tamis_plot plot = {.t = p->t, .width = 720, .height = 200, .whole = 1};
    for (size_t i = 0; i < n; i++) {
        double v = tamis_value_item_number(d, i);
        tamis_plot_reach(&v, 1, &from, &to);
    }
    if (!n || !(to > 0)) return;
    plot.x = (struct tamis_axis){-0.6, (double)n - 0.4, 0, 0, 0};
    tamis_plot_scale(&plot.y, 0, to, 0);
    plot.y.from = 0;
    tamis_page_figure(p, "");
    tamis_plot_begin(&plot, "posterior of the number of inputs");
    tamis_plot_axes(&plot, "inputs in the set", "probability");
    double w = (plot.x.high - plot.x.low) / ((double)n + 0.2) * 0.8;
    for (size_t i = 0; i < n; i++) {
        double v = fmax(tamis_value_item_number(d, i), 0), top = tamis_plot_at(&plot.y, v);
        tamis_svg_rect(p->t, tamis_plot_at(&plot.x, (double)i) - w / 2, top, w, plot.y.low - top, "c1");
        tamis_svg_title(p->t, "%zu inputs\nprobability %.3g", i, v);
        tamis_text_puts(p->t, "</rect>");
    }
    tamis_plot_end(&plot);
    tamis_page_caption(p, "How many inputs: the posterior of the size of the set.");
}

void tamis_section_posterior(struct tamis_page *p)
{
    const tamis_value *own = tamis_page_own(p);
    if (!tamis_page_items(tamis_value_at(own, "inclusion"))) return;
    tamis_page_figure(p, "");
    tamis_picture_inclusion(p);
    tamis_page_caption(p, "Posterior probability of each input, two standard errors of the sampling in orange; the "
                          "dashed line is the prior. Blue was chosen.");
    inclusion_table(p, own);
    posterior_subsets(p, own);
    size_picture(p, own);
}

/* ---- chains ---- */

static void trace_picture(struct tamis_page *p, const tamis_value *chains, const char *label, double every)
{
    static const char *const colour[] = {"c1", "c2", "c3", "c4", "c5", "c0"};
    size_t n = tamis_page_items(chains) < 12 ? tamis_page_items(chains) : 12, longest = 0;
    double from = NAN, to = NAN;
    struct tamis_plot plot = {.t = p->t, .width = 720, .height = 200};
    for (size_t c = 0; c < n; c++) {
        const tamis_value *one = tamis_value_item(chains, c);
        if (tamis_page_items(one) > longest) longest = tamis_page_items(one);
        for (size_t i = 0; i < tamis_page_items(one); i++) {
            double v = tamis_value_item_number(one, i);
            tamis_plot_reach(&v, 1, &from, &to);
        }
    }
    double *x = longest > 1 ? tamis_raw(p->cx, double, longest) : NULL;
    if (!x) return;
    for (size_t i = 0; i < longest; i++) x[i] = (double)i * (every > 0 ? every : 1);
    tamis_plot_scale(&plot.x, 0, x[longest - 1], 0);
    tamis_plot_scale(&plot.y, from, to, 0);
    tamis_plot_begin(&plot, label);
    tamis_plot_axes(&plot, "sample", label);
    for (size_t c = 0; c < n; c++) {
        size_t m;
        const double *y = tamis_page_numbers(tamis_value_item(chains, c), NULL, &m);
        tamis_plot_line(&plot, x, y, m, colour[c % 6], NULL);
    }
    tamis_plot_end(&plot);
    tamis_free(x);
}

static void acceptance_table(struct tamis_page *p, const tamis_value *rates)
{
    static const char *const heads[] = {"move", "#accepted", NULL};
    if (!tamis_page_members(rates)) return;
    tamis_page_details(p, "Moves accepted");
    tamis_page_table(p, "t-moves", "sort", "Share of proposals that were accepted, by kind.", heads);
    for (size_t i = 0; i < tamis_page_members(rates); i++) {
        tamis_page_row(p, tamis_value_key(rates, i));
        tamis_page_cell(p, tamis_value_number(tamis_value_item(rates, i), NULL));
        tamis_page_puts(p, "\n");
    }
    tamis_page_table_end(p);
    tamis_page_details_end(p);
}

void tamis_section_chains(struct tamis_page *p)
{
    const tamis_value *own = tamis_page_own(p), *trace = tamis_value_at(own, "trace");
    if (tamis_value_kind(tamis_value_at(own, "converged")) != TAMIS_VALUE_FLAG) return;
    int good = tamis_value_flag(own, "converged");
    tamis_page_puts(p, good ? "<p>It has: " : "<p class=\"warn\">It has not: ");
    tamis_page_puts(p, "the largest R-hat is <b>");
    tamis_page_number(p, tamis_value_number(own, "worst_rhat"));
    tamis_page_puts(p, "</b> (near 1 is good) and the fewest effective samples are <b>");
    tamis_page_number(p, tamis_value_number(own, "least_ess"));
    tamis_page_puts(p, "</b>.");
    if (tamis_value_text(own, "advice")) {
        tamis_page_puts(p, " Advice: ");
        tamis_page_say(p, tamis_value_text(own, "advice"));
        tamis_page_puts(p, ".");
    }
    tamis_page_puts(p, "</p>\n");
    if (tamis_page_items(tamis_value_at(trace, "size"))) {
        tamis_page_figure(p, "");
        trace_picture(p, tamis_value_at(trace, "size"), "inputs in the set", tamis_value_number(trace, "every"));
        trace_picture(p, tamis_value_at(trace, "log_likelihood"), "log-likelihood", tamis_value_number(trace, "every"));
        tamis_page_caption(
            p, "Traces, a colour a chain, thinned. Chains that have settled look alike and wander over the same band.");
    }
    acceptance_table(p, tamis_value_at(own, "acceptance"));
}
