/* The error over a grid of two parameters. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/format.h"
#include "io/report/report.h"

enum { COLOURS = 10, MOST = 60, LABELS = 4 };

/* ---- the grid ---- */

struct surface {
    const tamis_value *all;
    const char *x, *y;                  /* names of its axes: the first two lists of numbers */
    size_t nx, ny;
};

static int surface_find(const tamis_value *result, struct surface *s)
{
    *s = (struct surface){.all = tamis_value_at(tamis_page_own(result), "surface")};
    for (size_t i = 0; i < tamis_page_members(s->all); i++) {
        const tamis_value *v = tamis_value_item(s->all, i);
        const char *key = tamis_value_key(s->all, i);
        if (tamis_value_kind(v) != TAMIS_VALUE_NUMBERS) continue;
        if (!s->x) s->x = key, s->nx = tamis_page_items(v);
        else if (!s->y) s->y = key, s->ny = tamis_page_items(v);
    }
    return s->y && s->nx <= MOST && s->ny <= MOST && s->nx * s->ny > 1;
}

/* The cells of one member, nx rows of ny numbers, NAN where unknown; allocated. */
static double *cells_read(struct tamis_page *p, const struct surface *s, const char *key)
{
    const tamis_value *rows = tamis_value_at(s->all, key);
    double *v = tamis_raw(p->cx, double, s->nx * s->ny);
    for (size_t i = 0; v && i < s->nx; i++)
        for (size_t j = 0; j < s->ny; j++) v[i * s->ny + j] = tamis_value_item_number(tamis_value_item(rows, i), j);
    return v;
}

static int surface_applicable(const tamis_value *result)
{
    struct surface s;
    double from = NAN, to = NAN;
    if (!surface_find(result, &s)) return 0;
    const tamis_value *rows = tamis_value_at(s.all, "error");
    for (size_t i = 0; i < tamis_page_items(rows); i++) tamis_page_reach(tamis_value_item(rows, i), &from, &to);
    return !isnan(from);
}

/* ---- colours ---- */

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Where each colour begins: at tenths of the cells for errors, so that the valley is visible however high the hills
 * are; evenly for counts. */
static int limits_find(struct tamis_page *p, const double *cell, size_t cells, int even, double limit[COLOURS + 1])
{
    size_t n = 0;
    double *v = tamis_raw(p->cx, double, cells);
    for (size_t i = 0; v && i < cells; i++)
        if (!isnan(cell[i])) v[n++] = cell[i];
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

/* ---- the picture ---- */

/* Width and height of a cell in pixels. */
struct pitch { double w, h; };

static struct pitch pitch_of(const struct tamis_plot *plot, const struct surface *s)
{
    return (struct pitch){(plot->x.high - plot->x.low) / (double)s->nx, (plot->y.low - plot->y.high) / (double)s->ny};
}

static void cell_path(struct tamis_text *t, double x, double y, const struct pitch *d)
{
    tamis_text_puts(t, "M");
    tamis_svg_number(t, x);
    tamis_text_puts(t, " ");
    tamis_svg_number(t, y);
    tamis_text_puts(t, "h");
    tamis_svg_number(t, d->w + 0.3);
    tamis_text_puts(t, "v");
    tamis_svg_number(t, d->h + 0.3);
    tamis_text_puts(t, "h-");
    tamis_svg_number(t, d->w + 0.3);
    tamis_text_puts(t, "z");
}

/* One path per colour. */
static void cells_draw(struct tamis_plot *plot, const struct surface *s, const double *cell, const double *limit)
{
    struct pitch d = pitch_of(plot, s);
    for (int k = 0; k < COLOURS; k++) {
        tamis_text_printf(plot->t, "<path class=\"k%d\" d=\"", k);
        for (size_t i = 0; i < s->nx * s->ny; i++)
            if (!isnan(cell[i]) && colour(cell[i], limit) == k)
                cell_path(plot->t, plot->x.low + d.w * (double)(i / s->ny),
                          plot->y.low - d.h * (double)(i % s->ny + 1), &d);
        tamis_text_puts(plot->t, "\"/>");
    }
}

static void brief(double v, char text[32])
{
    tamis_snprintf(text, 32, fabs(v) >= 100 && fabs(v) < 1e5 ? "%.0f" : "%.2g", v);
}

static void labels(struct tamis_plot *plot, const struct surface *s)
{
    const tamis_value *x = tamis_value_get(s->all, s->x), *y = tamis_value_get(s->all, s->y);
    struct pitch d = pitch_of(plot, s);
    char text[32];
    for (size_t k = 0; k < LABELS; k++) {
        size_t i = k * (s->nx - 1) / (LABELS - 1), j = k * (s->ny - 1) / (LABELS - 1);
        brief(tamis_value_item_number(x, i), text);
        if (k < s->nx) tamis_svg_text(plot->t, plot->x.low + d.w * ((double)i + 0.5), plot->y.low + 16, "tk m", text);
        brief(tamis_value_item_number(y, j), text);
        if (k < s->ny)
            tamis_svg_text(plot->t, plot->x.low - 6, plot->y.low - d.h * ((double)j + 0.5) + 4, "tk e", text);
    }
    tamis_plot_names(plot, s->x, s->y);
}

static void legend(struct tamis_plot *plot, const char *key, const double *limit)
{
    double x = plot->x.high + 12, h = (plot->y.low - plot->y.high) / COLOURS;
    char text[32], style[8];
    for (int k = 0; k < COLOURS; k++) {
        tamis_snprintf(style, sizeof style, "k%d", k);
        tamis_svg_rect(plot->t, x, plot->y.low - h * (k + 1), 12, h + 0.3, style);
        tamis_text_puts(plot->t, "</rect>");
        if (k % 2) continue;
        brief(limit[k], text);
        tamis_svg_text(plot->t, x + 16, plot->y.low - h * k, "tk", text);
    }
    brief(limit[COLOURS], text);
    tamis_svg_text(plot->t, x + 16, plot->y.high + 9, "tk", text);
    tamis_svg_name(plot->t, x - 2, plot->y.high - 6, "tk", key, 60);
}

/* A ring around the smallest error. */
static void best(struct tamis_page *p, struct tamis_plot *plot, const struct surface *s)
{
    double least = INFINITY, *error = cells_read(p, s, "error");
    struct pitch d = pitch_of(plot, s);
    size_t at = 0;
    for (size_t i = 0; error && i < s->nx * s->ny; i++)
        if (error[i] < least) least = error[i], at = i;
    tamis_free(error);
    for (int k = 0; k < 2 && isfinite(least); k++) {
        tamis_svg_circle(p->t, plot->x.low + d.w * ((double)(at / s->ny) + 0.5),
                         plot->y.low - d.h * ((double)(at % s->ny) + 0.5), 7, k ? "eye" : "halo");
        tamis_text_puts(p->t, "</circle>");
    }
}

/* What the script needs to find the numbers of a cell. */
static void group_begin(struct tamis_page *p, const struct tamis_plot *plot, const struct surface *s, const char *key)
{
    tamis_text_puts(p->t, "<g data-g=\"");
    tamis_html(p->t, tamis_page_method(p->root));
    tamis_text_puts(p->t, "/surface\" data-k=\"");
    tamis_html(p->t, s->x);
    tamis_text_puts(p->t, "/");
    tamis_html(p->t, s->y);
    tamis_text_printf(p->t, "/%s\" data-b=\"%.1f %.1f %.1f %.1f %zu %zu\">", key, plot->x.low, plot->y.high,
                      plot->x.high - plot->x.low, plot->y.low - plot->y.high, s->nx, s->ny);
}

/* key: "error" or "inputs". */
static void surface_plot(struct tamis_page *p, const struct surface *s, const char *key, const char *label)
{
    struct tamis_plot plot = {
        .t = p->t, .width = 400, .height = 330, .left = 62, .right = 70, .top = 22, .alone = p->alone};
    double limit[COLOURS + 1], *cell = cells_read(p, s, key);
    if (cell && limits_find(p, cell, s->nx * s->ny, !strcmp(key, "inputs"), limit)) {
        tamis_plot_begin(&plot, label);
        group_begin(p, &plot, s, key);
        cells_draw(&plot, s, cell, limit);
        tamis_text_puts(p->t, "</g>");
        labels(&plot, s);
        legend(&plot, key, limit);
        best(p, &plot, s);
        tamis_plot_end(&plot);
    }
    tamis_free(cell);
}

static void surface_draw(struct tamis_page *p)
{
    struct surface s;
    surface_find(p->root, &s);
    surface_plot(p, &s, "error", tamis_figure_surface.label);
}

static void surface_section(struct tamis_page *p)
{
    struct surface s;
    if (!surface_applicable(p->root) || !surface_find(p->root, &s)) return;
    int inputs = tamis_page_items(tamis_value_at(s.all, "inputs")) == s.nx;
    tamis_page_figure(p, "pair");
    tamis_page_draw(p, &tamis_figure_surface);
    if (inputs) surface_plot(p, &s, "inputs", "inputs in the model over two parameters");
    tamis_page_caption(
        p, inputs
               ? "The validation error for each pair of parameters; bright is small, and each colour covers a tenth of "
                 "the cells. In the second picture, how many inputs the model then uses. The ring marks the smallest "
                 "error."
               : "The validation error for each pair of parameters; bright is small, and each colour covers a tenth of "
                 "the cells. The ring marks the smallest error; if it is at the edge, try a wider grid.");
}

const struct tamis_figure tamis_figure_surface = {
    .name = "surface",
    .needs = "evidence",
    .label = "error over two parameters",
    .summary = "the validation error over two parameters",
    .applicable = surface_applicable,
    .draw = surface_draw,
};
const struct tamis_section tamis_section_surface = {
    .id = "surface", .title = "Error over the parameters", .draw = surface_section};
