/* Every input with its importance, which means the same for every method, and its relevance, the method's own
 * measure. */
#include <math.h>
#include <string.h>
#include "base/format.h"
#include "io/report/report.h"

/* A measure of inputs; se (or NULL): its standard error. */
struct measure { const char *name, *se; const struct tamis_figure *figure; };
static const struct measure importance = {"importance", "importance_se", &tamis_figure_importance};
static const struct measure relevance = {"relevance", NULL, &tamis_figure_relevance};

struct tamis_plot tamis_page_bars(struct tamis_page *p, const char *const *names, size_t n)
{
    return (struct tamis_plot){.t = p->t,
                               .width = tamis_page_width(p),
                               .height = TAMIS_BAR * (double)n + 26,
                               .left = tamis_page_margin(p, names, n),
                               .right = 60,
                               .top = 4,
                               .bottom = 22,
                               .alone = p->alone,
                               .x = {.to = 1},
                               .y = {.from = NAN, .to = NAN}};                   /* no ticks upright */
}

/* ---- bars ---- */

static double se_of(const struct measure *m, const tamis_value *in)
{
    double se = m->se ? tamis_value_number(in, m->se) : NAN;
    return isnan(se) ? 0 : se;
}

static void bar(struct tamis_page *p, struct tamis_plot *plot, const struct measure *m, const tamis_value *in, double y)
{
    const char *name = tamis_value_text(in, "name");
    double value = tamis_value_number(in, m->name), se = se_of(m, in);
    double zero = tamis_plot_at(&plot->x, 0), to = tamis_plot_at(&plot->x, value);
    int on = tamis_value_flag(in, "selected");
    tamis_page_row_name(p, plot, y + 13, name, on);
    tamis_svg_rect(plot->t, fmin(zero, to), y, fmax(fabs(to - zero), 1), 15, on ? "c1" : "c0");
    tamis_svg_title(plot->t, "%s\n%s\n%s %.4g", name ? name : "", on ? "selected" : "not selected", m->name, value);
    tamis_text_puts(plot->t, "</rect>");
    double low = tamis_plot_at(&plot->x, value - se), high = tamis_plot_at(&plot->x, value + se);
    if (se > 0) tamis_svg_span(plot->t, low, high, y + 7.5, "thin c2");
    tamis_svg_value(plot->t, fmax(fmax(zero, to), high) + 5, y + 14, value);
}

static void bars(struct tamis_page *p, const struct measure *m, const tamis_value *const *in, size_t n)
{
    const char *name[TAMIS_BARS];
    double from = 0, to = 0;
    for (size_t i = 0; i < n; i++) {
        double v = tamis_value_number(in[i], m->name), se = se_of(m, in[i]), ends[] = {v - se, v + se};
        tamis_plot_reach(ends, 2, &from, &to);
        name[i] = tamis_value_text(in[i], "name");
    }
    struct tamis_plot plot = tamis_page_bars(p, name, n);
    tamis_plot_scale(&plot.x, from, to, 0);
    if (from == 0) plot.x.from = 0;
    tamis_plot_begin(&plot, m->figure->label);
    for (size_t i = 0; i < n; i++) bar(p, &plot, m, in[i], 4 + TAMIS_BAR * (double)i);
    tamis_plot_names(&plot, tamis_page_label(p, m->name), NULL);
    tamis_plot_end(&plot);
}

/* How many inputs have a value. */
static size_t known(const tamis_value *result, const struct measure *m)
{
    const tamis_value *inputs = tamis_value_at(result, "inputs");
    size_t n = 0;
    for (size_t i = 0; i < tamis_page_items(inputs); i++)
        n += !isnan(tamis_value_number(tamis_value_item(inputs, i), m->name));
    return n;
}

static void draw(struct tamis_page *p, const struct measure *m)
{
    size_t n, values = known(p->root, m);
    const tamis_value **in = tamis_page_sorted(p, tamis_value_at(p->root, "inputs"), m->name, &n);
    if (in) bars(p, m, in, values < TAMIS_BARS ? values : TAMIS_BARS);
    tamis_free(in);
}

static void relevance_draw(struct tamis_page *p) { draw(p, &relevance); }
static void importance_draw(struct tamis_page *p) { draw(p, &importance); }
static int relevance_applicable(const tamis_value *result) { return known(result, &relevance) > 0; }
static int importance_applicable(const tamis_value *result) { return known(result, &importance) > 0; }

/* ---- the table ---- */

/* frequency: by input, or NULL. */
static void input_row(struct tamis_page *p, const tamis_value *in, int important, const struct tamis_index *frequency)
{
    const char *name = tamis_value_text(in, "name");
    int on = tamis_value_flag(in, "selected");
    tamis_page_puts(p, on ? "<tr class=\"on\"><th scope=\"row\">" : "<tr><th scope=\"row\">");
    tamis_page_name(p, name);
    if (tamis_value_flag(in, "constant")) tamis_page_puts(p, " <span class=\"note\">(constant)</span>");
    tamis_page_cell(p, tamis_value_number(in, "rank"));
    tamis_page_puts(p, on ? "<td>yes" : "<td>no");
    if (important) tamis_page_cell(p, tamis_value_number(in, "importance"));
    if (important) tamis_page_cell(p, tamis_value_number(in, "importance_se"));
    tamis_page_cell(p, tamis_value_number(in, "relevance"));
    if (frequency) tamis_page_cell(p, tamis_value_number(tamis_index_get(frequency, name), NULL));
    tamis_page_puts(p, "\n");
}

/* Selected inputs first. */
static void input_rows(struct tamis_page *p, int important, const tamis_value *frequency)
{
    size_t n;
    const char *by = important ? importance.name : relevance.name;
    const tamis_value **in = tamis_page_sorted(p, tamis_value_at(p->root, "inputs"), by, &n);
    struct tamis_index share = tamis_index_new(p->cx, frequency);
    for (int on = 1; on >= 0; on--)
        for (size_t i = 0; i < n; i++)
            if (tamis_value_flag(in[i], "selected") == on) input_row(p, in[i], important, frequency ? &share : NULL);
    tamis_index_free(&share);
    tamis_free(in);
}

#define OWN_MEASURE "the method's own measure of relevance, explained on its page; the rank is by it."

/* The head of that column, for numbers. */
static void own_head(const struct tamis_page *p, char *head, size_t room)
{
    const char *name = tamis_value_text(p->root, "relevance_name");
    tamis_snprintf(head, room, "#%s", name && strlen(name) + 2 < room ? name : relevance.name);
}

static void input_table(struct tamis_page *p, int important)
{
    const char *of, *heads[8] = {"input", "#rank", "selected"};
    char own[64];
    const tamis_value *frequency = tamis_page_frequencies(p, &of);
    int large = tamis_page_items(tamis_value_at(p->root, "inputs")) > TAMIS_BARS;
    size_t n = 3;
    if (important) heads[n++] = "#importance", heads[n++] = "#standard error";
    heads[n++] = own;
    if (frequency) heads[n++] = "#frequency";
    own_head(p, own, sizeof own);
    tamis_page_filter(p, "t-inputs", 1);
    tamis_page_table(p, "t-inputs", large ? "sort long" : "sort",
                     frequency ? "All inputs. The last column but one is " OWN_MEASURE " The frequency is the share of "
                                 "repeated selections (resamples, outer folds or folds) that chose the input."
                               : "All inputs. The last column is " OWN_MEASURE,
                     heads);
    input_rows(p, important, frequency);
    tamis_page_table_end(p);
}

/* ---- the section ---- */

static void importance_words(struct tamis_page *p)
{
    tamis_page_puts(p, "</div><figcaption>How much the error on rows that the model has not seen grows when the input "
                       "takes the values of other rows, in the units of the error; the lines are one standard error to "
                       "either side. Selected inputs are blue.");
}

static void relevance_words(struct tamis_page *p)
{
    tamis_page_puts(p, "</div><figcaption>The method's own measure: longer is more relevant. Selected inputs are "
                       "blue.");
}

static void figure(struct tamis_page *p, const struct measure *m, void (*words)(struct tamis_page *))
{
    size_t n = tamis_page_items(tamis_value_at(p->root, "inputs")), values = known(p->root, m);
    tamis_page_figure(p, "");
    tamis_page_draw(p, m->figure);
    words(p);
    tamis_text_printf(p->t, "%s%s</figcaption></figure>\n",
                      values > TAMIS_BARS ? " Only the forty largest are drawn." : "",
                      values < n ? " The other inputs have no value." : "");
}

/* The relevance is drawn only where there is no importance, and not where the posterior says it. */
static void importance_section(struct tamis_page *p)
{
    int posterior = tamis_page_items(tamis_value_at(tamis_page_own(p->root), "inclusion")) > 0;
    int important = importance_applicable(p->root);
    if (!tamis_page_items(tamis_value_at(p->root, "inputs"))) return;
    if (important) figure(p, &importance, importance_words);
    else if (!posterior && relevance_applicable(p->root)) figure(p, &relevance, relevance_words);
    if (important || !posterior) input_table(p, important);
}

const struct tamis_figure tamis_figure_importance = {
    .name = "importance",
    .label = "importance of the inputs",
    .summary = "how much the error grows when an input is permuted, as a bar",
    .applicable = importance_applicable,
    .draw = importance_draw,
};
const struct tamis_figure tamis_figure_relevance = {
    .name = "relevance",
    .label = "relevance of the inputs",
    .summary = "the relevance of each input as a bar",
    .applicable = relevance_applicable,
    .draw = relevance_draw,
};
const struct tamis_section tamis_section_importance = {
    .id = "importance", .title = "Importance of each input", .draw = importance_section};
