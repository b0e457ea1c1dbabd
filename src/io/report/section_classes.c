/* Class structure and subset ranks; posterior, subsets and chains of a sampler. */
#include <math.h>
#include <string.h>
#include "io/report/report.h"

enum { SUBSETS = 40, LINES = 40 };

static void name_set(struct tamis_page *p, const json_t *names)
{
    if (!tamis_json_length(names)) tamis_page_puts(p, "(none)");
    for (size_t i = 0; i < tamis_json_length(names) && i < 30; i++) {
        if (i) tamis_page_puts(p, ", ");
        tamis_page_name(p, json_string_value(json_array_get(names, i)));
    }
}

/* ---- subsets by feature evaluation index ---- */

static void subset_table(struct tamis_page *p, const json_t *own)
{
    static const char *const heads[] = {"subset",          "#inputs", "#FEI", "#FEI2", "#rank among its size",
                                        "#rank among all", NULL};
    const json_t *sets = tamis_json_at(own, "subsets");
    size_t n = tamis_json_length(sets);
    if (!n) return;
    tamis_page_table(p, "t-subsets", "sort",
                     "Subsets by feature evaluation index: how much better ignoring all other inputs keeps the classes "
                     "apart. Larger is better.",
                     heads);
    for (size_t i = 0; i < n && i < SUBSETS; i++) {
        const json_t *s = json_array_get(sets, i), *names = tamis_json_at(s, "inputs");
        tamis_page_puts(p, "<tr><th scope=\"row\">");
        name_set(p, names);
        tamis_page_cell(p, (double)tamis_json_length(names));
        tamis_page_cell(p, tamis_json_number(s, "fei"));
        tamis_page_cell(p, tamis_json_number(s, "fei2"));
        tamis_page_cell(p, tamis_json_number(s, "rank"));
        tamis_page_cell(p, tamis_json_number(s, "overall_rank"));
        tamis_page_puts(p, "\n");
    }
    tamis_page_table_end(p);
    if (n > SUBSETS) tamis_text_printf(p->t, "<p class=\"note\">The first %d of %zu.</p>\n", SUBSETS, n);
}

static double named(const json_t *object, const char *name)
{
    const json_t *v = name ? json_object_get(object, name) : NULL;
    return json_is_number(v) ? json_number_value(v) : NAN;
}

static void agreement_table(struct tamis_page *p, const json_t *own)
{
    static const char *const heads[] = {
        "input", "#FEI alone", "#FEI2 alone", "#mean rank", "#starts that agree on the rank", NULL};
    const json_t *inputs = tamis_json_at(p->root, "inputs"), *agree = tamis_json_at(own, "rank_agreement");
    if (!json_is_object(agree)) return;
    tamis_page_table(p, "t-agree", "sort", "Each input on its own, over networks grown from different starts.", heads);
    for (size_t i = 0; i < tamis_json_length(inputs) && i < 200; i++) {
        const char *name = tamis_json_text(json_array_get(inputs, i), "name");
        tamis_page_row(p, name);
        tamis_page_cell(p, named(tamis_json_at(own, "single_fei"), name));
        tamis_page_cell(p, named(tamis_json_at(own, "single_fei2"), name));
        tamis_page_cell(p, named(tamis_json_at(own, "mean_rank"), name));
        tamis_page_cell(p, named(agree, name));
        tamis_page_puts(p, "\n");
    }
    tamis_page_table_end(p);
}

static void growth_picture(struct tamis_page *p, const json_t *growth)
{
    size_t n = tamis_json_length(growth);
    double *x = tamis_raw(p->cx, double, n + 1), *y = tamis_raw(p->cx, double, n + 1), from = NAN, to = NAN, low = NAN,
           high = NAN;
    struct tamis_plot plot = {.t = p->t, .width = 720, .height = 230, .whole = 1};
    for (size_t i = 0; x && y && i < n; i++)
        x[i] = tamis_json_number(json_array_get(growth, i), "hidden"),
        y[i] = tamis_json_number(json_array_get(growth, i), "cv");
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
    const json_t *own = tamis_page_own(p);
    if (strcmp(tamis_page_method(p), "fei") || !own) return;
    tamis_page_puts(p, "<p>With all inputs the classes have FEI ");
    tamis_page_number(p, tamis_json_number(own, "baseline.fei"));
    tamis_page_puts(p, " and FEI2 ");
    tamis_page_number(p, tamis_json_number(own, "baseline.fei2"));
    tamis_page_puts(p, ", from a network of ");
    tamis_page_count(p, tamis_json_number(own, "hidden"), "hidden node");
    tamis_page_puts(p, "; a subset with less has lost what keeps them apart.</p>\n");
    growth_picture(p, tamis_json_at(own, "growth"));
    agreement_table(p, own);
    subset_table(p, own);
}

/* ---- posterior ---- */

static void inclusion_bar(struct tamis_page *p, const struct tamis_plot *plot, const json_t *one, double y)
{
    const char *name = tamis_json_text(one, "name");
    double v = fmin(fmax(tamis_json_number(one, "probability"), 0), 1), se = tamis_json_number(one, "mcse");
    int on = tamis_json_true(tamis_page_input(p, name), "selected");
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
    const json_t **one = tamis_page_sorted(p, tamis_json_at(tamis_page_own(p), "inclusion"), "probability", &n);
    double prior = tamis_json_number(tamis_page_own(p), "prior_inclusion");
    if (n > LINES) n = LINES;
    if (n) {
        struct tamis_plot plot = {.t = p->t,
                                  .width = 720,
                                  .height = 17 * (double)n + 50,
                                  .left = tamis_page_margin(one, n),
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

static void inclusion_table(struct tamis_page *p, const json_t *own)
{
    static const char *const heads[] = {
        "input", "#probability", "#standard error", "#log Bayes factor", "#R-hat", "#effective samples", NULL};
    size_t n;
    const json_t **one = tamis_page_sorted(p, tamis_json_at(own, "inclusion"), "probability", &n);
    tamis_page_table(p, "t-inclusion", "sort",
                     "Inclusion of every input. A log Bayes factor above 0 speaks for the input whatever the prior.",
                     heads);
    for (size_t i = 0; i < n && i < 500; i++) {
        static const char *const key[] = {"probability", "mcse", "log_bayes_factor", "rhat", "ess"};
        tamis_page_row(p, tamis_json_text(one[i], "name"));
        for (size_t k = 0; k < 5; k++) tamis_page_cell(p, tamis_json_number(one[i], key[k]));
        tamis_page_puts(p, "\n");
    }
    tamis_page_table_end(p);
    tamis_free(one);
}

static void posterior_subsets(struct tamis_page *p, const json_t *own)
{
    static const char *const heads[] = {"subset", "#inputs", "#posterior probability", NULL};
    const json_t *sets = tamis_json_at(own, "subsets");
    double visited = tamis_json_number(own, "subsets_visited");
    if (!tamis_json_length(sets)) return;
    tamis_page_table(p, "t-subsets", "sort", "The most probable subsets.", heads);
    for (size_t i = 0; i < tamis_json_length(sets) && i < SUBSETS; i++) {
        const json_t *s = json_array_get(sets, i);
        tamis_page_puts(p, "<tr><th scope=\"row\">");
        name_set(p, tamis_json_at(s, "inputs"));
        tamis_page_cell(p, (double)tamis_json_length(tamis_json_at(s, "inputs")));
        tamis_page_cell(p, tamis_json_number(s, "probability"));
        tamis_page_puts(p, "\n");
    }
    tamis_page_table_end(p);
    if (visited > 0) tamis_text_printf(p->t, "<p class=\"note\">%.0f different subsets were visited.</p>\n", visited);
}

static void size_picture(struct tamis_page *p, const json_t *own)
{
    const json_t *d = tamis_json_at(own, "size.distribution");
    size_t n = tamis_json_length(d) < 120 ? tamis_json_length(d) : 120;
    double from = 0, to = 0;
    struct tamis_plot plot = {.t = p->t, .width = 720, .height = 200, .whole = 1};
    for (size_t i = 0; i < n; i++) {
        double v = tamis_json_item(d, i);
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
        double v = fmax(tamis_json_item(d, i), 0), top = tamis_plot_at(&plot.y, v);
        tamis_svg_rect(p->t, tamis_plot_at(&plot.x, (double)i) - w / 2, top, w, plot.y.low - top, "c1");
        tamis_svg_title(p->t, "%zu inputs\nprobability %.3g", i, v);
        tamis_text_puts(p->t, "</rect>");
    }
    tamis_plot_end(&plot);
    tamis_page_caption(p, "How many inputs: the posterior of the size of the set.");
}

void tamis_section_posterior(struct tamis_page *p)
{
    const json_t *own = tamis_page_own(p);
    if (!tamis_json_length(tamis_json_at(own, "inclusion"))) return;
    tamis_page_figure(p, "");
    tamis_picture_inclusion(p);
    tamis_page_caption(p, "Posterior probability of each input, two standard errors of the sampling in orange; the "
                          "dashed line is the prior. Blue was chosen.");
    inclusion_table(p, own);
    posterior_subsets(p, own);
    size_picture(p, own);
}

/* ---- chains ---- */

static void trace_picture(struct tamis_page *p, const json_t *chains, const char *label, double every)
{
    static const char *const colour[] = {"c1", "c2", "c3", "c4", "c5", "c0"};
    size_t n = tamis_json_length(chains) < 12 ? tamis_json_length(chains) : 12, longest = 0;
    double from = NAN, to = NAN;
    struct tamis_plot plot = {.t = p->t, .width = 720, .height = 200};
    for (size_t c = 0; c < n; c++) {
        const json_t *one = json_array_get(chains, c);
        if (tamis_json_length(one) > longest) longest = tamis_json_length(one);
        for (size_t i = 0; i < tamis_json_length(one); i++) {
            double v = tamis_json_item(one, i);
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
        double *y = tamis_json_numbers(p->cx, json_array_get(chains, c), "", &m);
        tamis_plot_line(&plot, x, y, m, colour[c % 6], NULL);
        tamis_free(y);
    }
    tamis_plot_end(&plot);
    tamis_free(x);
}

static void acceptance_table(struct tamis_page *p, const json_t *rates)
{
    static const char *const heads[] = {"move", "#accepted", NULL};
    const char *name;
    json_t *v;
    if (!json_is_object(rates) || !json_object_size(rates)) return;
    tamis_page_details(p, "Moves accepted");
    tamis_page_table(p, "t-moves", "sort", "Share of proposals that were accepted, by kind.", heads);
    json_object_foreach((json_t *)rates, name, v) {
        tamis_page_row(p, name);
        tamis_page_cell(p, json_is_number(v) ? json_number_value(v) : NAN);
        tamis_page_puts(p, "\n");
    }
    tamis_page_table_end(p);
    tamis_page_details_end(p);
}

void tamis_section_chains(struct tamis_page *p)
{
    const json_t *own = tamis_page_own(p), *trace = tamis_json_at(own, "trace");
    if (!json_is_boolean(tamis_json_at(own, "converged"))) return;
    int good = tamis_json_true(own, "converged");
    tamis_page_puts(p, good ? "<p>It has: " : "<p class=\"warn\">It has not: ");
    tamis_page_puts(p, "the largest R-hat is <b>");
    tamis_page_number(p, tamis_json_number(own, "worst_rhat"));
    tamis_page_puts(p, "</b> (near 1 is good) and the fewest effective samples are <b>");
    tamis_page_number(p, tamis_json_number(own, "least_ess"));
    tamis_page_puts(p, "</b>.");
    if (tamis_json_text(own, "advice")) {
        tamis_page_puts(p, " Advice: ");
        tamis_page_say(p, tamis_json_text(own, "advice"));
        tamis_page_puts(p, ".");
    }
    tamis_page_puts(p, "</p>\n");
    if (tamis_json_length(tamis_json_at(trace, "size"))) {
        tamis_page_figure(p, "");
        trace_picture(p, tamis_json_at(trace, "size"), "inputs in the set", tamis_json_number(trace, "every"));
        trace_picture(p, tamis_json_at(trace, "log_likelihood"), "log-likelihood", tamis_json_number(trace, "every"));
        tamis_page_caption(
            p, "Traces, a colour a chain, thinned. Chains that have settled look alike and wander over the same band.");
    }
    acceptance_table(p, tamis_json_at(own, "acceptance"));
}
