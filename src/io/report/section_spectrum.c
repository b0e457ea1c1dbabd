/* Spectra of a few rows, the selected channels, and how often each band was chosen. */
#include <ctype.h>
#include <math.h>
#include <string.h>
#include "base/format.h"
#include "base/number.h"
#include "io/report/report.h"

enum { ROWS = 40, NAMED = 30 };
static const double tallest = 70;                       /* of the bars below the spectra, in pixels */

/* ---- bands: neighbouring channels ---- */

/* The number at the end of a name; NAN: none. */
static double channel_of(const char *name)
{
    size_t n = name ? strlen(name) : 0, at = n;
    double x = NAN;
    while (at && (isdigit((unsigned char)name[at - 1]) || (name[at - 1] == '.' && at < n))) at--;
    return at < n && tamis_number_whole(name + at, n - at, '.', &x) ? x : NAN;
}

static void band_add(struct tamis_band *b, const char *name, double share, int on)
{
    double at = channel_of(name);
    b->to = at;
    b->share = fmin(b->share + share, 1);
    b->on |= on;
    if (b->from == b->to) tamis_snprintf(b->name, sizeof b->name, "%.10g", at);
    else tamis_snprintf(b->name, sizeof b->name, "%.10g\xE2\x80\x93%.10g", fmin(b->from, at), fmax(b->from, at));
}

/* A band ends where two hundredths of the channels, or two of them, were never chosen. */
size_t tamis_page_bands(struct tamis_page *p, const tamis_value *frequency, struct tamis_band *band, size_t most)
{
    const tamis_value *inputs = tamis_value_at(p->root, "inputs");
    size_t n = 0, last = 0, inputs_n = tamis_page_items(inputs), gap = inputs_n / 50 > 2 ? inputs_n / 50 : 2;
    struct tamis_index share = tamis_index_new(p->cx, frequency);
    for (size_t i = 0; i < inputs_n; i++) {
        const char *name = tamis_value_text(tamis_value_item(inputs, i), "name");
        double x = fmin(fmax(tamis_value_number(tamis_index_get(&share, name), NULL), 0), 1);
        int on = tamis_value_flag(tamis_value_item(inputs, i), "selected");
        if (!(x > 0) && !on) continue;
        if (!n || i - last > gap) {
            if (n == most) break;
            band[n++] = (struct tamis_band){.from = channel_of(name)};
        }
        band_add(&band[n - 1], name, x > 0 ? x : 0, on);
        last = i;
    }
    tamis_index_free(&share);
    return n;
}

/* ---- the figure ---- */

static void spectra(struct tamis_plot *plot, const tamis_value *curves, const double *x, size_t n)
{
    for (size_t c = 0; c < tamis_page_items(curves) && c < ROWS; c++) {
        size_t m;
        const double *y = tamis_page_numbers(tamis_value_item(curves, c), NULL, &m);
        tamis_plot_line(plot, x, y, m < n ? m : n, "thin c0", NULL);
    }
}

static void band_bars(struct tamis_page *p, struct tamis_plot *plot, double base)
{
    struct tamis_band band[TAMIS_BANDS];
    const char *of;
    const tamis_value *frequency = tamis_page_frequencies(p, &of);
    size_t n = frequency ? tamis_page_bands(p, frequency, band, TAMIS_BANDS) : 0;
    for (size_t i = 0; i < n; i++) {
        double a = tamis_plot_at(&plot->x, band[i].from), b = tamis_plot_at(&plot->x, band[i].to);
        double h = tallest * band[i].share;
        tamis_svg_rect(p->t, fmin(a, b) - 3, base - h, fabs(b - a) + 6, h, "pale");
        tamis_svg_title(p->t, "%s\nchosen by %.0f %% of %s", band[i].name, 100 * band[i].share, of);
        tamis_text_puts(p->t, "</rect>");
    }
}

static void channel_bar(struct tamis_plot *plot, double at, double value, double h, double base)
{
    tamis_svg_rect(plot->t, tamis_plot_at(&plot->x, at) - 1.6, base - h, 3.2, h, "c1");
    tamis_svg_title(plot->t, "%.10g\nrelevance %.4g", at, value);
    tamis_text_puts(plot->t, "</rect>");
}

/* The number of a channel above its bar, unless it would touch one that is there. */
static void channel_name(struct tamis_plot *plot, double at, double y, double *taken, size_t *n)
{
    char text[32];
    double x = tamis_plot_at(&plot->x, at);
    tamis_snprintf(text, sizeof text, "%.6g", at);
    double half = tamis_html_width(text) / 2;
    for (size_t i = 0; i < *n; i++)
        if (fabs(x - taken[2 * i]) < half + taken[2 * i + 1] + 4) return;
    taken[2 * *n] = x;
    taken[2 * (*n)++ + 1] = half;
    tamis_svg_text(plot->t, fmin(fmax(x, half), plot->width - half), y, "tk m", text);
}

/* Most relevant first, as the result has them, so that their numbers are written first. */
static void channel_bars(struct tamis_plot *plot, const tamis_value *spectrum, double base)
{
    const tamis_value *channel = tamis_value_at(spectrum, "chosen"), *relevance = tamis_value_at(spectrum, "relevance");
    double least = 0, most = 0, taken[2 * NAMED];
    size_t named = 0;
    tamis_page_reach(relevance, &least, &most);
    for (size_t i = 0; i < tamis_page_items(channel); i++) {
        double at = tamis_value_item_number(channel, i), value = tamis_value_item_number(relevance, i);
        double h = most > 0 && value > 0 ? tallest * value / most : tallest;
        if (isnan(at)) continue;
        channel_bar(plot, at, value, h, base);
        if (named < NAMED) channel_name(plot, at, base - tallest - 6, taken, &named);
    }
    tamis_svg_axis(plot->t, plot->x.low, plot->x.high, base);
}

static int spectrum_applicable(const tamis_value *result)
{
    size_t n;
    return tamis_page_numbers(result, "evidence.spectrum.axis", &n) &&
           tamis_page_items(tamis_value_at(result, "evidence.spectrum.curves"));
}

static void spectrum_draw(struct tamis_page *p)
{
    const tamis_value *spectrum = tamis_value_at(p->root, "evidence.spectrum");
    const tamis_value *curves = tamis_value_at(spectrum, "curves");
    struct tamis_plot plot = {
        .t = p->t, .width = p->alone ? 900 : 560, .height = 380, .bottom = 136, .alone = p->alone};
    double from = NAN, to = NAN, low = NAN, high = NAN;
    size_t n;
    const double *x = tamis_page_numbers(spectrum, "axis", &n);
    tamis_plot_reach(x, n, &from, &to);
    for (size_t c = 0; c < tamis_page_items(curves) && c < ROWS; c++)
        tamis_page_reach(tamis_value_item(curves, c), &low, &high);
    tamis_plot_scale(&plot.x, from, to, 0);
    tamis_plot_scale(&plot.y, low, high, 0);
    tamis_plot_begin(&plot, tamis_figure_spectrum.label);
    tamis_plot_axes(&plot, tamis_page_label(p, "channel"), tamis_page_label(p, "value"));
    spectra(&plot, curves, x, n);
    band_bars(p, &plot, plot.height - 24);
    channel_bars(&plot, spectrum, plot.height - 24);
    tamis_plot_end(&plot);
}

static void spectrum_section(struct tamis_page *p)
{
    const char *of;
    if (!spectrum_applicable(p->root)) return;
    tamis_page_figure(p, "wide");
    tamis_page_draw(p, &tamis_figure_spectrum);
    tamis_page_puts(p, "</div><figcaption>Above: a few rows of the table over the ordered inputs. Below: the selected "
                       "channels with their numbers; the height of a bar is the relevance. ");
    if (tamis_page_frequencies(p, &of))
        tamis_text_printf(p->t, "Behind them, how often %s chose a channel of the band, up to the height of the "
                                "tallest bar. ", of);
    tamis_page_puts(p, "Neighbouring channels carry nearly the same information, so the position of a bar matters more "
                       "than its exact channel.</figcaption></figure>\n");
}

const struct tamis_figure tamis_figure_spectrum = {
    .name = "spectrum",
    .label = "spectra of a few rows, and the selected channels",
    .summary = "spectra of a few rows and the selected channels",
    .applicable = spectrum_applicable,
    .draw = spectrum_draw,
};
const struct tamis_section tamis_section_spectrum = {
    .id = "spectrum", .title = "Where in the spectrum", .draw = spectrum_section};
