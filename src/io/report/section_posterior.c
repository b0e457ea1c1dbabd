/* Posterior of inputs, subsets and sizes, and the chains of a sampler. */
#include <math.h>
#include "io/report/report.h"

enum { BARS = 40, ROWS = 500, SUBSETS = 40, SIZES = 120, CHAINS = 12 };

/* ---- inclusion ---- */

static void inclusion_bar(struct tamis_page *p, struct tamis_plot *plot, const tamis_value *one, double y)
{
    const char *name = tamis_value_text(one, "name");
    double v = fmin(fmax(tamis_value_number(one, "probability"), 0), 1), se = tamis_value_number(one, "mcse");
    int on = tamis_page_selected(p, name);
    tamis_page_row_name(p, plot, y + 13, name, on);
    tamis_svg_rect(p->t, plot->left, y, fmax(1, tamis_plot_at(&plot->x, v) - plot->left), 14, on ? "c1" : "c0");
    tamis_svg_title(p->t, "%s\nprobability %.3g\nstandard error %.2g", name ? name : "", v, se);
    tamis_text_puts(p->t, "</rect>");
    if (se > 0)
        tamis_svg_span(p->t, tamis_plot_at(&plot->x, fmax(v - 2 * se, 0)), tamis_plot_at(&plot->x, fmin(v + 2 * se, 1)),
                       y + 7, "c2");
}

static void inclusion_plot(struct tamis_page *p, const tamis_value *const *one, size_t n)
{
    const char *name[BARS];
    double prior = tamis_value_number(tamis_page_own(p->root), "prior_inclusion");
    for (size_t i = 0; i < n; i++) name[i] = tamis_value_text(one[i], "name");
    struct tamis_plot plot = {.t = p->t,
                              .width = tamis_page_width(p),
                              .height = 17 * (double)n + 50,
                              .left = tamis_page_margin(p, name, n),
                              .right = 20,
                              .top = 6,
                              .bottom = 42,
                              .alone = p->alone,
                              .x = {.to = 1},
                              .y = {.from = NAN, .to = NAN}};                    /* no ticks upright */
    tamis_plot_begin(&plot, tamis_figure_inclusion.label);
    tamis_plot_axes(&plot, tamis_page_label(p, "posterior probability of the input"), NULL);
    plot.y.from = 0, plot.y.to = 1;
    for (size_t i = 0; i < n; i++) inclusion_bar(p, &plot, one[i], 6 + 17 * (double)i);
    if (prior >= 0 && prior <= 1) tamis_plot_segment(&plot, prior, 0, prior, 1, "dash c2");
    tamis_plot_end(&plot);
}

static const tamis_value *inclusion(const tamis_value *result)
{
    return tamis_value_at(tamis_page_own(result), "inclusion");
}

static int inclusion_applicable(const tamis_value *result) { return tamis_page_items(inclusion(result)) > 0; }

static void inclusion_draw(struct tamis_page *p)
{
    size_t n;
    const tamis_value **one = tamis_page_sorted(p, inclusion(p->root), "probability", &n);
    if (n) inclusion_plot(p, one, n < BARS ? n : BARS);
    tamis_free(one);
}

static void inclusion_table(struct tamis_page *p)
{
    static const char *const key[] = {"probability", "mcse", "log_bayes_factor", "rhat", "ess"};
    static const char *const heads[] = {
        "input", "#probability", "#standard error", "#log Bayes factor", "#R-hat", "#effective samples", NULL};
    size_t n;
    const tamis_value **one = tamis_page_sorted(p, inclusion(p->root), "probability", &n);
    tamis_page_table(p, "t-inclusion", "sort",
                     "All inputs. A log Bayes factor above 0 favours the input, whatever its prior probability.",
                     heads);
    for (size_t i = 0; i < n && i < ROWS; i++) {
        tamis_page_row(p, tamis_value_text(one[i], "name"));
        for (size_t k = 0; k < 5; k++) tamis_page_cell(p, tamis_value_number(one[i], key[k]));
        tamis_page_puts(p, "\n");
    }
    tamis_page_table_end(p);
    tamis_free(one);
}

/* ---- subsets and sizes ---- */

static void subset_table(struct tamis_page *p, const tamis_value *own)
{
    static const char *const heads[] = {"subset", "#inputs", "#posterior probability", NULL};
    const tamis_value *sets = tamis_value_at(own, "subsets");
    double visited = tamis_value_number(own, "subsets_visited");
    if (!tamis_page_items(sets)) return;
    tamis_page_table(p, "t-subsets", "sort", "The most probable subsets.", heads);
    for (size_t i = 0; i < tamis_page_items(sets) && i < SUBSETS; i++) {
        const tamis_value *s = tamis_value_item(sets, i), *names = tamis_value_at(s, "inputs");
        tamis_page_row_set(p, names);
        tamis_page_cell(p, (double)tamis_page_items(names));
        tamis_page_cell(p, tamis_value_number(s, "probability"));
        tamis_page_puts(p, "\n");
    }
    tamis_page_table_end(p);
    if (visited > 0) tamis_text_printf(p->t, "<p class=\"note\">%.0f different subsets were visited.</p>\n", visited);
}

static void size_bars(struct tamis_plot *plot, const double *share, size_t n)
{
    double w = (plot->x.high - plot->x.low) / ((double)n + 0.2) * 0.8;
    for (size_t i = 0; i < n; i++) {
        double v = fmax(share[i], 0), top = tamis_plot_at(&plot->y, v);
        tamis_svg_rect(plot->t, tamis_plot_at(&plot->x, (double)i) - w / 2, top, w, plot->y.low - top, "c1");
        tamis_svg_title(plot->t, "%zu inputs\nprobability %.3g", i, v);
        tamis_text_puts(plot->t, "</rect>");
    }
}

static void size_figure(struct tamis_page *p, const tamis_value *own)
{
    size_t n;
    const double *share = tamis_page_numbers(own, "size.distribution", &n);
    struct tamis_plot plot = {.t = p->t, .width = tamis_page_width(p), .height = 200, .whole = 1};
    double from = 0, to = 0;
    if (n > SIZES) n = SIZES;
    tamis_plot_reach(share, n, &from, &to);
    if (!(to > 0)) return;
    plot.x = (struct tamis_axis){.from = -0.6, .to = (double)n - 0.4};
    tamis_plot_scale(&plot.y, 0, to, 0);
    plot.y.from = 0;
    tamis_page_figure(p, "");
    tamis_plot_begin(&plot, "posterior of the number of inputs");
    tamis_plot_axes(&plot, tamis_page_label(p, "inputs in the set"), tamis_page_label(p, "probability"));
    size_bars(&plot, share, n);
    tamis_plot_end(&plot);
    tamis_page_caption(p, "Posterior distribution of the number of inputs.");
}

static void posterior_section(struct tamis_page *p)
{
    const tamis_value *own = tamis_page_own(p->root);
    if (!inclusion_applicable(p->root)) return;
    tamis_page_figure(p, "");
    tamis_page_draw(p, &tamis_figure_inclusion);
    tamis_page_caption(p, "Posterior probability of each input; orange lines span two standard errors of the sampling "
                          "either side, and the dashed line is the prior. Selected inputs are blue.");
    inclusion_table(p);
    subset_table(p, own);
    size_figure(p, own);
}

/* ---- chains ---- */

static size_t longest_of(const tamis_value *chains, size_t n)
{
    size_t longest = 0;
    for (size_t c = 0; c < n; c++) {
        size_t m = tamis_page_items(tamis_value_item(chains, c));
        if (m > longest) longest = m;
    }
    return longest;
}

static void trace_lines(struct tamis_plot *plot, const tamis_value *chains, size_t n, const double *x)
{
    static const char *const colour[] = {"c1", "c2", "c3", "c4", "c5", "c0"};
    for (size_t c = 0; c < n; c++) {
        size_t m;
        const double *y = tamis_page_numbers(tamis_value_item(chains, c), NULL, &m);
        tamis_plot_line(plot, x, y, m, colour[c % 6], NULL);
    }
}

/* every: samples from one point to the next. */
static void trace_plot(struct tamis_page *p, const tamis_value *chains, const char *label, double every)
{
    size_t n = tamis_page_items(chains) < CHAINS ? tamis_page_items(chains) : CHAINS, longest = longest_of(chains, n);
    struct tamis_plot plot = {.t = p->t, .width = tamis_page_width(p), .height = 200};
    double from = NAN, to = NAN, *x = longest > 1 ? tamis_raw(p->cx, double, longest) : NULL;
    if (!x) return;
    for (size_t i = 0; i < longest; i++) x[i] = (double)i * (every > 0 ? every : 1);
    for (size_t c = 0; c < n; c++) tamis_page_reach(tamis_value_item(chains, c), &from, &to);
    tamis_plot_scale(&plot.x, 0, x[longest - 1], 0);
    tamis_plot_scale(&plot.y, from, to, 0);
    tamis_plot_begin(&plot, label);
    tamis_plot_axes(&plot, "sample", label);
    trace_lines(&plot, chains, n, x);
    tamis_plot_end(&plot);
    tamis_free(x);
}

static void acceptance_table(struct tamis_page *p, const tamis_value *rates)
{
    static const char *const heads[] = {"move", "#accepted", NULL};
    if (!tamis_page_members(rates)) return;
    tamis_page_details(p, "Acceptance rates");
    tamis_page_table(p, "t-moves", "sort", "Share of proposals that were accepted, by kind of move.", heads);
    for (size_t i = 0; i < tamis_page_members(rates); i++) {
        tamis_page_row(p, tamis_value_key(rates, i));
        tamis_page_cell(p, tamis_value_number(tamis_value_item(rates, i), NULL));
        tamis_page_puts(p, "\n");
    }
    tamis_page_table_end(p);
    tamis_page_details_end(p);
}

static void convergence_words(struct tamis_page *p, const tamis_value *own)
{
    tamis_page_puts(p, tamis_value_flag(own, "converged") ? "<p>Yes: " : "<p class=\"warn\">No: ");
    tamis_page_puts(p, "the largest R-hat is <b>");
    tamis_page_number(p, tamis_value_number(own, "worst_rhat"));
    tamis_page_puts(p, "</b> (near 1 is good) and the smallest effective sample size is <b>");
    tamis_page_number(p, tamis_value_number(own, "least_ess"));
    tamis_page_puts(p, "</b>.");
    if (tamis_value_text(own, "advice")) {
        tamis_page_puts(p, " Advice: ");
        tamis_page_say(p, tamis_value_text(own, "advice"));
        tamis_page_puts(p, ".");
    }
    tamis_page_puts(p, "</p>\n");
}

static void chains_section(struct tamis_page *p)
{
    const tamis_value *own = tamis_page_own(p->root), *trace = tamis_value_at(own, "trace");
    double every = tamis_value_number(trace, "every");
    if (tamis_value_kind(tamis_value_at(own, "converged")) != TAMIS_VALUE_FLAG) return;
    convergence_words(p, own);
    if (tamis_page_items(tamis_value_at(trace, "size"))) {
        tamis_page_figure(p, "");
        trace_plot(p, tamis_value_at(trace, "size"), "inputs in the set", every);
        trace_plot(p, tamis_value_at(trace, "log_likelihood"), "log-likelihood", every);
        tamis_page_caption(p,
                           "Thinned traces, one colour per chain. Chains that have converged look alike and cover the "
                           "same range.");
    }
    acceptance_table(p, tamis_value_at(own, "acceptance"));
}

const struct tamis_figure tamis_figure_inclusion = {
    .name = "inclusion",
    .label = "posterior probability of each input",
    .summary = "the posterior probability of each input",
    .applicable = inclusion_applicable,
    .draw = inclusion_draw,
};
const struct tamis_section tamis_section_posterior = {
    .id = "posterior", .title = "Posterior probability of each input", .draw = posterior_section};
const struct tamis_section tamis_section_chains = {
    .id = "chains", .title = "Has the sampling converged?", .draw = chains_section};
