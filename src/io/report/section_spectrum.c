/* Spectra of a few rows and the selected channels. */
#include <math.h>
#include "io/report/report.h"

enum { ROWS = 40 };
static const double base = 354, tallest = 76;           /* of the bars below the spectra, in pixels */

static void spectra(struct tamis_plot *plot, const tamis_value *curves, const double *x, size_t n)
{
    for (size_t c = 0; c < tamis_page_items(curves) && c < ROWS; c++) {
        size_t m;
        const double *y = tamis_page_numbers(tamis_value_item(curves, c), NULL, &m);
        tamis_plot_line(plot, x, y, m < n ? m : n, "thin c0", NULL);
    }
}

static void channel_bars(struct tamis_plot *plot, const tamis_value *spectrum)
{
    const tamis_value *channel = tamis_value_at(spectrum, "chosen"), *relevance = tamis_value_at(spectrum, "relevance");
    double least = 0, most = 0;
    tamis_page_reach(relevance, &least, &most);
    for (size_t i = 0; i < tamis_page_items(channel); i++) {
        double at = tamis_value_item_number(channel, i), value = tamis_value_item_number(relevance, i);
        double h = most > 0 && value > 0 ? tallest * value / most : tallest;
        tamis_svg_rect(plot->t, tamis_plot_at(&plot->x, at) - 1.6, base - h, 3.2, h, "c1");
        tamis_svg_title(plot->t, "channel %.6g\nrelevance %.4g", at, value);
        tamis_text_puts(plot->t, "</rect>");
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
    struct tamis_plot plot = {.t = p->t, .width = 900, .height = 380, .bottom = 130, .alone = p->alone};
    double from = NAN, to = NAN, low = NAN, high = NAN;
    size_t n;
    const double *x = tamis_page_numbers(spectrum, "axis", &n);
    tamis_plot_reach(x, n, &from, &to);
    for (size_t c = 0; c < tamis_page_items(curves) && c < ROWS; c++)
        tamis_page_reach(tamis_value_item(curves, c), &low, &high);
    tamis_plot_scale(&plot.x, from, to, 0);
    tamis_plot_scale(&plot.y, low, high, 0);
    tamis_plot_begin(&plot, tamis_figure_spectrum.label);
    tamis_plot_axes(&plot, "channel", "value");
    spectra(&plot, curves, x, n);
    channel_bars(&plot, spectrum);
    tamis_plot_end(&plot);
}

static void spectrum_section(struct tamis_page *p)
{
    if (!spectrum_applicable(p->root)) return;
    tamis_page_figure(p, "wide");
    tamis_page_draw(p, &tamis_figure_spectrum);
    tamis_page_caption(p,
                       "Above: a few rows of the table over the ordered inputs. Below: the selected channels and their "
                       "relevance. Neighbouring channels carry nearly the same information, so the position of a bar "
                       "matters more than its exact channel.");
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
