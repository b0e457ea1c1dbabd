/* Error over two parameters, and spectra. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "io/report/report.h"

enum { COLOURS = 10, MOST = 60 };

/* ---- surfaces ---- */

struct surface {
    const tamis_value *all;
    const char *x, *y;                  /* names of its axes: the first two lists of numbers */
    size_t nx, ny;
};

static int surface_find(const struct tamis_page *p, struct surface *s)
{
    *s = (struct surface){.all = tamis_value_at(tamis_page_own(p), "surface")};
    for (size_t i = 0; i < tamis_page_members(s->all); i++) {
        const tamis_value *v = tamis_value_item(s->all, i);
        const char *key = tamis_value_key(s->all, i);
        if (tamis_value_kind(v) != TAMIS_VALUE_NUMBERS) continue;
        if (!s->x) s->x = key, s->nx = tamis_page_items(v);
        else if (!s->y) s->y = key, s->ny = tamis_page_items(v);
    }
    return s->y && s->nx <= MOST && s->ny <= MOST && s->nx * s->ny > 1;
}

static double cell(const struct surface *s, const char *key, size_t i, size_t j)
{
    return tamis_value_item_number(tamis_value_item(tamis_value_at(s->all, key), i), j);
}

static void reach(const struct surface *s, const char *key, double *from, double *to)
{
    *from = *to = NAN;
    for (size_t i = 0; i < s->nx; i++)
        for (size_t j = 0; j < s->ny; j++) {
            double v = cell(s, key, i, j);
            tamis_plot_reach(&v, 1, from, to);
        }
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Where each colour begins: at tenths of all cells for errors, so that the valley is seen however high the hills are;
 * evenly for counts. */
static int limits_find(struct tamis_page *p, const struct surface *s, const char *key, int even,
                       double limit[COLOURS + 1])
{
    size_t n = 0;
    double *v = tamis_raw(p->cx, double, s->nx * s->ny);
    if (!v) return 0;
    for (size_t i = 0; i < s->nx; i++)
        for (size_t j = 0; j < s->ny; j++)
            if (!isnan(cell(s, key, i, j))) v[n++] = cell(s, key, i, j);
    if (n) qsort(v, n, sizeof *v, by_value);
    for (int k = 0; k <= COLOURS && n; k++)
        limit[k] = even ? v[0] + (v[n - 1] - v[0]) * k / COLOURS : v[(size_t)k * (n - 1) / COLOURS];
    tamis_free(v);
    return n > 0;
}

static int colour(double v, const double *limit)
{
    int k = 0;
    while (k + 1 < COLOURS && v >= limit[k + 1] && limit[k + 1] > limit[0]) k++;
    return k;
}

/* One path a colour: the cells of that colour. */
static void cells(struct tamis_plot *plot, const struct surface *s, const char *key, const double *limit)
{
    double w = (plot->x.high - plot->x.low) / (double)s->nx, h = (plot->y.low - plot->y.high) / (double)s->ny;
    for (int k = 0; k < COLOURS; k++) {
        tamis_text_printf(plot->t, "<path class=\"k%d\" d=\"", k);
        for (size_t i = 0; i < s->nx; i++)
            for (size_t j = 0; j < s->ny; j++) {
                double v = cell(s, key, i, j);
                if (isnan(v) || colour(v, limit) != k) continue;
                tamis_text_puts(plot->t, "M");
                tamis_svg_number(plot->t, plot->x.low + w * (double)i);
                tamis_text_puts(plot->t, " ");
                tamis_svg_number(plot->t, plot->y.low - h * (double)(j + 1));
                tamis_text_puts(plot->t, "h");
                tamis_svg_number(plot->t, w + 0.3);
                tamis_text_puts(plot->t, "v");
                tamis_svg_number(plot->t, h + 0.3);
                tamis_text_puts(plot->t, "h-");
                tamis_svg_number(plot->t, w + 0.3);
                tamis_text_puts(plot->t, "z");
            }
        tamis_text_puts(plot->t, "\"/>");
    }
}

static void brief(double v, char text[32])
{
    snprintf(text, 32, fabs(v) >= 100 && fabs(v) < 1e5 ? "%.0f" : "%.2g", v);
}

static void labels(struct tamis_plot *plot, const struct surface *s)
{
    const tamis_value *x = tamis_value_at(s->all, s->x), *y = tamis_value_at(s->all, s->y);
    double w = (plot->x.high - plot->x.low) / (double)s->nx, h = (plot->y.low - plot->y.high) / (double)s->ny;
    char text[32];
    for (size_t k = 0; k < 4; k++) {
        size_t i = k * (s->nx - 1) / 3, j = k * (s->ny - 1) / 3;
        brief(tamis_value_item_number(x, i), text);
        if (k < s->nx) tamis_svg_text(plot->t, plot->x.low + w * ((double)i + 0.5), plot->y.low + 16, "tk m", text);
        brief(tamis_value_item_number(y, j), text);
        if (k < s->ny) tamis_svg_text(plot->t, plot->x.low - 6, plot->y.low - h * ((double)j + 0.5) + 4, "tk e", text);
    }
    tamis_svg_name(plot->t, (plot->x.low + plot->x.high) / 2, plot->height - 6, "lb m", s->x, 30);
    tamis_text_puts(plot->t, "<text class=\"lb m\" transform=\"translate(13 ");
    tamis_svg_number(plot->t, (plot->y.low + plot->y.high) / 2);
    tamis_text_puts(plot->t, ")rotate(-90)\">");
    tamis_html_short(plot->t, s->y, 30);
    tamis_text_puts(plot->t, "</text>");
}

static void legend(struct tamis_plot *plot, const char *key, const double *limit)
{
    double x = plot->x.high + 12, h = (plot->y.low - plot->y.high) / COLOURS;
    char text[32];
    for (int k = 0; k < COLOURS; k++) {
        char style[8];
        snprintf(style, sizeof style, "k%d", k);
        tamis_svg_rect(plot->t, x, plot->y.low - h * (k + 1), 12, h + 0.3, style);
        tamis_text_puts(plot->t, "</rect>");
        if (k % 2) continue;
        brief(limit[k], text);
        tamis_svg_text(plot->t, x + 16, plot->y.low - h * k, "tk", text);
    }
    brief(limit[COLOURS], text);
    tamis_svg_text(plot->t, x + 16, plot->y.high + 9, "tk", text);
    tamis_svg_name(plot->t, x - 2, plot->y.high - 6, "tk", !strcmp(key, "inputs") ? "inputs" : "error", 10);
}

/* A ring around the least error. */
static void best(struct tamis_page *p, struct tamis_plot *plot, const struct surface *s)
{
    double least = INFINITY, w = (plot->x.high - plot->x.low) / (double)s->nx,
           h = (plot->y.low - plot->y.high) / (double)s->ny;
    size_t bi = 0, bj = 0;
    for (size_t i = 0; i < s->nx; i++)
        for (size_t j = 0; j < s->ny; j++)
            if (cell(s, "error", i, j) < least) least = cell(s, "error", i, j), bi = i, bj = j;
    if (!isfinite(least)) return;
    for (int k = 0; k < 2; k++) {
        tamis_svg_circle(p->t, plot->x.low + w * ((double)bi + 0.5), plot->y.low - h * ((double)bj + 0.5), 7,
                         k ? "eye" : "halo");
        tamis_text_puts(p->t, "</circle>");
    }
}

static void surface_plot(struct tamis_page *p, const struct surface *s, const char *key, int alone)
{
    struct tamis_plot plot = {.t = p->t,
                              .width = 400,
                              .height = 330,
                              .left = 62,
                              .right = 58,
                              .top = 22,
                              .alone = alone,
                              .x = {0, 1, 0, 0, 0},
                              .y = {0, 1, 0, 0, 0}};
    double limit[COLOURS + 1];
    if (!limits_find(p, s, key, !strcmp(key, "inputs"), limit)) return;
    tamis_plot_begin(&plot,
                     strcmp(key, "inputs") ? "error over two parameters" : "inputs in the model over two parameters");
    tamis_text_puts(p->t, "<g data-g=\"");
    tamis_html(p->t, tamis_page_method(p));
    tamis_text_puts(p->t, "/surface\" data-k=\"");
    tamis_html(p->t, s->x);
    tamis_text_puts(p->t, "/");
    tamis_html(p->t, s->y);
    tamis_text_printf(p->t, "/%s\" data-b=\"%.1f %.1f %.1f %.1f %zu %zu\">", key, plot.x.low, plot.y.high,
                      plot.x.high - plot.x.low, plot.y.low - plot.y.high, s->nx, s->ny);
    cells(&plot, s, key, limit);
    tamis_text_puts(p->t, "</g>");
    labels(&plot, s);
    legend(&plot, key, limit);
    best(p, &plot, s);
    tamis_plot_end(&plot);
}

int tamis_picture_surface(struct tamis_page *p)
{
    struct surface s;
    double from, to;
    if (!surface_find(p, &s)) return 0;
    reach(&s, "error", &from, &to);
    if (isnan(from)) return 0;
    surface_plot(p, &s, "error", p->alone);
    return 1;
}

void tamis_section_surface(struct tamis_page *p)
{
    struct surface s;
    if (!surface_find(p, &s) || !tamis_value_at(s.all, "error")) return;
    int inputs = tamis_page_items(tamis_value_at(s.all, "inputs")) == s.nx;
    tamis_page_figure(p, "pair");
    tamis_picture_surface(p);
    if (inputs) surface_plot(p, &s, "inputs", 0);
    tamis_page_caption(
        p, inputs ? "Left: the validation error for each pair of parameters, bright is small; a colour holds a tenth "
                    "of the cells. Right: how many inputs the model then uses. The ring marks the least error."
                  : "The validation error for each pair of parameters, bright is small; a colour holds a tenth of the "
                    "cells. The ring marks the least error; one at the edge of the grid asks for a wider grid.");
}

/* ---- spectra ---- */

int tamis_picture_spectrum(struct tamis_page *p)
{
    const tamis_value *curves = tamis_value_at(p->root, "evidence.spectrum.curves"),
                 *at = tamis_value_at(p->root, "evidence.spectrum.chosen"),
                 *worth = tamis_value_at(p->root, "evidence.spectrum.relevance");
    size_t n, m = tamis_page_items(curves) < 40 ? tamis_page_items(curves) : 40;
    const double *x = tamis_page_numbers(p->root, "evidence.spectrum.axis", &n);
    double from = NAN, to = NAN, low = NAN,
           high = NAN, most = 0;
    struct tamis_plot plot = {.t = p->t, .width = 900, .height = 380, .bottom = 130, .alone = p->alone};
    if (n && m) {
        tamis_plot_reach(x, n, &from, &to);
        for (size_t c = 0; c < m; c++)
            for (size_t i = 0; i < tamis_page_items(tamis_value_item(curves, c)); i++) {
                double v = tamis_value_item_number(tamis_value_item(curves, c), i);
                tamis_plot_reach(&v, 1, &low, &high);
            }
        tamis_plot_scale(&plot.x, from, to, 0);
        tamis_plot_scale(&plot.y, low, high, 0);
        tamis_plot_begin(&plot, "spectra of a few rows, and the chosen channels");
        tamis_plot_axes(&plot, "channel", "value");
        for (size_t c = 0; c < m; c++) {
            size_t k;
            const tamis_value *one = tamis_value_item(curves, c);
            const double *y = tamis_page_numbers(one, NULL, &k);
            tamis_plot_line(&plot, x, y, k < n ? k : n, "thin c0", NULL);
        }
        for (size_t i = 0; i < tamis_page_items(worth); i++) most = fmax(most, fmax(0, tamis_value_item_number(worth, i)));
        for (size_t i = 0; i < tamis_page_items(at); i++) {
            double where = tamis_plot_at(&plot.x, tamis_value_item_number(at, i)), value = tamis_value_item_number(worth, i),
                   h = most > 0 && value > 0 ? 76 * value / most : 76;
            tamis_svg_rect(p->t, where - 1.6, 354 - h, 3.2, h, "c1");
            tamis_svg_title(p->t, "channel %.6g\nrelevance %.4g", tamis_value_item_number(at, i), value);
            tamis_text_puts(p->t, "</rect>");
        }
    }
    if (n && m) {
        tamis_text_puts(p->t, "<path class=\"ax\" d=\"M58 354H886\"/>");
        tamis_plot_end(&plot);
    }
    return n && m;
}

void tamis_section_spectrum(struct tamis_page *p)
{
    if (!tamis_page_items(tamis_value_at(p->root, "evidence.spectrum.curves"))) return;
    tamis_page_figure(p, "wide");
    tamis_picture_spectrum(p);
    tamis_page_caption(
        p,
        "Above: a few rows of the table over the ordered inputs. Below: the chosen channels and their relevance. "
        "Neighbouring channels carry nearly the same, so that the place of a bar matters more than its exact channel.");
}
