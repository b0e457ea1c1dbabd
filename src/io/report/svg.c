/* Axes, curves, points and shapes as SVG. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/format.h"
#include "io/report/svg.h"

void tamis_svg_number(struct tamis_text *t, double v)
{
    long tenth = isfinite(v) && fabs(v) < 1e6 ? lround(v * 10) : 0;
    if (tenth % 10) tamis_text_printf(t, "%s%ld.%ld", tenth < 0 ? "-" : "", labs(tenth) / 10, labs(tenth) % 10);
    else tamis_text_printf(t, "%ld", tenth / 10);
}

static void attribute(struct tamis_text *t, const char *name, double v)
{
    tamis_text_printf(t, " %s=\"", name);
    tamis_svg_number(t, v);
    tamis_text_puts(t, "\"");
}

/* ---- scales ---- */

void tamis_plot_reach(const double *v, size_t n, double *from, double *to)
{
    for (size_t i = 0; i < n; i++) {
        if (!isfinite(v[i])) continue;
        if (!(*from <= v[i])) *from = v[i];
        if (!(*to >= v[i])) *to = v[i];
    }
}

void tamis_plot_scale(struct tamis_axis *a, double from, double to, int log)
{
    *a = (struct tamis_axis){from, to, log, 0, 0};
    if (!isfinite(from) || !isfinite(to) || to < from || (log && !(from >= 1e-290 && to <= 1e290)))
        a->from = log ? 1 : 0, a->to = log ? 10 : 1;
    double wide = log ? log10(a->to / a->from) : a->to - a->from;
    if (!(wide > 1e-9 * (log ? 1 : fabs(a->to) + fabs(a->from))) || !isfinite(wide)) {
        if (!isfinite(wide)) a->from = -1e300, a->to = 1e300;
        else if (log) a->from /= 2, a->to *= 2;
        else if (a->to == 0) a->from = -1, a->to = 1;
        else a->from -= 0.1 * fabs(a->from), a->to += 0.1 * fabs(a->to);
        return;
    }
    if (log) a->from = fmax(a->from / pow(10, 0.04 * wide), 1e-300), a->to = fmin(a->to * pow(10, 0.04 * wide), 1e300);
    else a->from -= 0.04 * wide, a->to += 0.04 * wide;
}

double tamis_plot_at(const struct tamis_axis *a, double v)
{
    double share = a->log ? log(v / a->from) / log(a->to / a->from) : (v / 2 - a->from / 2) / (a->to / 2 - a->from / 2);
    double at = a->low + (a->high - a->low) * share;
    return isfinite(at) ? fmin(fmax(at, -1e4), 1e4) : a->low;
}

/* ---- ticks ---- */

/* 1, 2 or 5 times a power of ten: about `count` steps over `wide`. */
static double tick_step(double wide, int count)
{
    double raw = wide / count, ten = pow(10, floor(log10(raw))), m = raw / ten;
    return (m < 1.5 ? 1 : m < 3.5 ? 2 : m < 7.5 ? 5 : 10) * ten;
}

/* 1, 2 and 5 times the powers of ten from 10^low on, inside a logarithmic axis. */
static size_t fine_ticks(const struct tamis_axis *a, int low, int high, double *at, size_t room)
{
    static const double digit[] = {1, 2, 5};
    size_t n = 0;
    for (int e = low; e <= high; e++)
        for (int k = 0; k < 3 && n < room; k++) {
            double v = digit[k] * pow(10, e);
            if (v >= a->from && v <= a->to) at[n++] = v;
        }
    return n;
}

/* Ticks of an axis into at[], at most `room`; how many. */
static size_t ticks(const struct tamis_axis *a, int count, int whole, double *at, size_t room)
{
    size_t n = 0;
    if (a->log) {
        int low = (int)ceil(log10(a->from) - 1e-9), high = (int)floor(log10(a->to) + 1e-9),
            each = (high - low) / count + 1;
        for (int e = low; e <= high && n < room; e += each) at[n++] = pow(10, e);
        if (n > 2) return n;
        if ((n = fine_ticks(a, low - 1, high, at, room)) > 2) return n;
        n = 0;
    }
    double step = tick_step(a->to - a->from, count);
    if (whole && step < 1) step = 1;
    if (!(step > 0) || !isfinite(step)) return 0;
    for (double k = ceil(a->from / step); k * step <= a->to * (1 + 1e-12) && n < room; k++)
        if (!a->log || k > 0) at[n++] = k * step;
    return n;
}

/* Pixels of the widest tick label. */
static double widest_tick(struct tamis_plot *p, const double *at, size_t n)
{
    struct tamis_text one = {.cx = p->t->cx};
    double most = 0;
    for (size_t i = 0; i < n; i++) {
        one.length = 0;
        tamis_html_number(&one, at[i], 4);
        if (!one.failed) most = fmax(most, 11.0 / 12 * tamis_html_width(one.s));
    }
    if (one.failed) p->t->failed = 1;
    tamis_text_free(&one);
    return most;
}

static size_t y_ticks(const struct tamis_plot *p, double *at, size_t room)
{
    return ticks(&p->y, p->height > 200 ? 6 : 4, 0, at, room);
}

/* ---- frame ---- */

/* Where the axes lie in pixels. */
static void place(struct tamis_plot *p)
{
    double at[24];
    if (p->left == 0) p->left = 58;
    if (p->y.from < p->y.to) p->left = fmax(p->left, 28 + widest_tick(p, at, y_ticks(p, at, 24)));
    if (p->right == 0) p->right = 14;
    if (p->top == 0) p->top = 12;
    if (p->bottom == 0) p->bottom = 44;
    p->x.low = p->left;
    p->x.high = p->width - p->right;
    p->y.low = p->height - p->bottom;
    p->y.high = p->top;
}

static void own_style(struct tamis_text *t)
{
    tamis_text_puts(t, "<style>");
    for (size_t i = 0; tamis_svg_style[i]; i++) tamis_text_puts(t, tamis_svg_style[i]);
    tamis_text_puts(t, "</style><rect class=\"paper\" width=\"100%\" height=\"100%\"/>");
}

void tamis_plot_begin(struct tamis_plot *p, const char *label)
{
    struct tamis_text *t = p->t;
    place(p);
    tamis_text_puts(t, "<svg");
    if (p->alone) {
        tamis_text_puts(t, " xmlns=\"http://www.w3.org/2000/svg\"");
        attribute(t, "width", p->width);
        attribute(t, "height", p->height);
    }
    tamis_text_puts(t, " viewBox=\"0 0 ");
    tamis_svg_number(t, p->width);
    tamis_text_puts(t, " ");
    tamis_svg_number(t, p->height);
    tamis_text_puts(t, "\" role=\"img\" aria-label=\"");
    tamis_html(t, label);
    tamis_text_puts(t, "\">");
    if (p->alone) own_style(t);
}

void tamis_plot_end(struct tamis_plot *p) { tamis_text_puts(p->t, "</svg>\n"); }

static void tick_text(struct tamis_plot *p, double x, double y, const char *style, double v)
{
    struct tamis_text *t = p->t;
    tamis_text_puts(t, "<text");
    attribute(t, "x", x);
    attribute(t, "y", y);
    tamis_text_printf(t, " class=\"%s\">", style);
    tamis_html_number(t, fabs(v) < 1e-12 * fmax(fabs(p->y.to), fabs(p->x.to)) ? 0 : v, 4);
    tamis_text_puts(t, "</text>");
}

static void move(struct tamis_text *t, char letter, double x, double y)
{
    tamis_text_add(t, &letter, 1);
    tamis_svg_number(t, x);
    tamis_text_puts(t, " ");
    tamis_svg_number(t, y);
}

static void y_axis(struct tamis_plot *p)
{
    double at[24];
    size_t n = y_ticks(p, at, 24);
    tamis_text_puts(p->t, "<path class=\"gr\" d=\"");
    for (size_t i = 0; i < n; i++) {
        move(p->t, 'M', p->x.low, tamis_plot_at(&p->y, at[i]));
        move(p->t, 'L', p->x.high, tamis_plot_at(&p->y, at[i]));
    }
    tamis_text_puts(p->t, "\"/>");
    for (size_t i = 0; i < n; i++) tick_text(p, p->x.low - 6, tamis_plot_at(&p->y, at[i]) + 4, "tk e", at[i]);
}

static size_t x_ticks(const struct tamis_plot *p, int count, double *at, size_t room)
{
    return p->dates ? tamis_date_ticks(&p->x, count, at, room) : ticks(&p->x, count, p->whole, at, room);
}

static double widest_x(struct tamis_plot *p, const double *at, size_t n)
{
    char text[32];
    double most = 0;
    if (!p->dates) return widest_tick(p, at, n);
    for (size_t i = 0; i < n; i++) most = fmax(most, 11.0 / 12 * tamis_html_width(tamis_date_label(at, n, i, text)));
    return most + 6;
}

static void x_text(struct tamis_plot *p, const double *at, size_t n, size_t i)
{
    char text[32];
    double x = tamis_plot_at(&p->x, at[i]), y = p->y.low + 17;
    if (!p->dates) tick_text(p, x, y, "tk m", at[i]);
    else tamis_svg_text(p->t, x, y, "tk m", tamis_date_label(at, n, i, text));
}

static void x_axis(struct tamis_plot *p)
{
    double at[24];
    int count = p->width > 400 ? 8 : 5;
    size_t n = x_ticks(p, count, at, 24);
    while (count > 2 && (double)n * (widest_x(p, at, n) + 6) > p->x.high - p->x.low) n = x_ticks(p, --count, at, 24);
    tamis_text_puts(p->t, "<path class=\"ax\" d=\"");
    move(p->t, 'M', p->x.low, p->y.low);
    move(p->t, 'L', p->x.high, p->y.low);
    for (size_t i = 0; i < n; i++) {
        move(p->t, 'M', tamis_plot_at(&p->x, at[i]), p->y.low);
        tamis_text_puts(p->t, "v4");
    }
    tamis_text_puts(p->t, "\"/>");
    for (size_t i = 0; i < n; i++) x_text(p, at, n, i);
}

/* Room for a name centred below the axis. */
static double x_room(const struct tamis_plot *p)
{
    double middle = (p->x.low + p->x.high) / 2;
    return 2 * fmin(middle, p->width - middle) - 4;
}

/* The middle of the upright axis, or of the picture where the name is longer than the axis allows. */
static double upright_middle(const struct tamis_plot *p, const char *name)
{
    double half = fmin(tamis_html_width(name), p->height - 4) / 2, middle = (p->y.low + p->y.high) / 2;
    return fmin(fmax(middle, half + 2), p->height - half - 2);
}

void tamis_plot_names(struct tamis_plot *p, const char *x, const char *y)
{
    struct tamis_text *t = p->t;
    if (x)
        tamis_svg_name(t, (p->x.low + p->x.high) / 2, p->height - 6, "lb m", x, x_room(p));
    if (!y) return;
    tamis_text_puts(t, "<text class=\"lb m\" transform=\"translate(13 ");
    tamis_svg_number(t, upright_middle(p, y));
    tamis_text_puts(t, ")rotate(-90)\">");
    tamis_html_fit(t, y, p->height - 4);
    tamis_text_puts(t, "</text>");
}

void tamis_plot_axes(struct tamis_plot *p, const char *x, const char *y)
{
    y_axis(p);
    x_axis(p);
    tamis_plot_names(p, x, y);
}

/* ---- data ---- */

/* What the script needs to turn pixels back into data. */
static void hover_attributes(struct tamis_plot *p, const char *hover)
{
    const struct tamis_axis *both[] = {&p->x, &p->y};
    char number[32];
    if (!hover) return;
    tamis_text_puts(p->t, " data-h=\"");
    tamis_html(p->t, hover);
    tamis_text_puts(p->t, p->dates ? "\" data-d=\"1\" data-a=\"" : "\" data-a=\"");
    for (int k = 0; k < 2; k++) {
        const struct tamis_axis *a = both[k];
        const double v[] = {a->low, a->high, a->log ? log10(a->from) : a->from, a->log ? log10(a->to) : a->to};
        for (int i = 0; i < 4; i++) {
            tamis_snprintf(number, sizeof number, p->dates && !k ? "%.12g " : "%.6g ", v[i]);
            for (char *c = number; *c; c++)
                if (*c == ',') *c = '.';
            tamis_text_puts(p->t, number);
        }
        tamis_text_printf(p->t, "%d ", a->log);
    }
    tamis_text_puts(p->t, "\"");
}

void tamis_plot_line(struct tamis_plot *p, const double *x, const double *y, size_t n, const char *style,
                     const char *hover)
{
    int down = 0;
    tamis_text_printf(p->t, "<path class=\"ln %s\"", style);
    hover_attributes(p, hover);
    tamis_text_puts(p->t, " d=\"");
    for (size_t i = 0; i < n; i++) {
        int known = isfinite(x[i]) && isfinite(y[i]);
        if (known) move(p->t, down ? 'L' : 'M', tamis_plot_at(&p->x, x[i]), tamis_plot_at(&p->y, y[i]));
        down = known;
    }
    tamis_text_puts(p->t, "\"/>");
}

void tamis_plot_points(struct tamis_plot *p, const double *x, const double *y, size_t n, const char *style,
                       const char *hover)
{
    tamis_text_printf(p->t, "<path class=\"pt %s\"", style);
    hover_attributes(p, hover);
    tamis_text_puts(p->t, " d=\"");
    for (size_t i = 0; i < n; i++) {
        if (!isfinite(x[i]) || !isfinite(y[i])) continue;
        move(p->t, 'M', tamis_plot_at(&p->x, x[i]), tamis_plot_at(&p->y, y[i]));
        tamis_text_puts(p->t, "h0");
    }
    tamis_text_puts(p->t, "\"/>");
}

void tamis_plot_whisker(struct tamis_plot *p, double x, double low, double high, const char *style)
{
    tamis_plot_segment(p, x, fmax(low, p->y.from), x, fmin(high, p->y.to), style);
}

void tamis_plot_segment(struct tamis_plot *p, double x1, double y1, double x2, double y2, const char *style)
{
    const double x[] = {x1, x2}, y[] = {y1, y2};
    tamis_plot_line(p, x, y, 2, style, NULL);
}

/* ---- shapes ---- */

void tamis_svg_rect(struct tamis_text *t, double x, double y, double w, double h, const char *style)
{
    tamis_text_puts(t, "<rect");
    attribute(t, "x", x);
    attribute(t, "y", y);
    attribute(t, "width", fmax(w, 0));
    attribute(t, "height", fmax(h, 0));
    tamis_text_printf(t, " class=\"%s\">", style);
}

void tamis_svg_circle(struct tamis_text *t, double x, double y, double r, const char *style)
{
    tamis_text_puts(t, "<circle");
    attribute(t, "cx", x);
    attribute(t, "cy", y);
    attribute(t, "r", r);
    tamis_text_printf(t, " class=\"%s\">", style);
}

void tamis_svg_span(struct tamis_text *t, double from, double to, double y, const char *style)
{
    tamis_text_printf(t, "<path class=\"ln %s\" d=\"", style);
    move(t, 'M', from, y);
    tamis_text_puts(t, "H");
    tamis_svg_number(t, to);
    tamis_text_puts(t, "\"/>");
}

void tamis_svg_axis(struct tamis_text *t, double from, double to, double y)
{
    tamis_text_puts(t, "<path class=\"ax\" d=\"");
    move(t, 'M', from, y);
    tamis_text_puts(t, "H");
    tamis_svg_number(t, to);
    tamis_text_puts(t, "\"/>");
}

void tamis_svg_value(struct tamis_text *t, double x, double y, double v)
{
    tamis_text_puts(t, "<text class=\"tk\"");
    attribute(t, "x", x);
    attribute(t, "y", y);
    tamis_text_puts(t, ">");
    tamis_html_number(t, v, 3);
    tamis_text_puts(t, "</text>");
}

void tamis_svg_title(struct tamis_text *t, const char *format, ...)
{
    char small[512], *s = small, *large = NULL;
    va_list ap, again;
    va_start(ap, format);
    va_copy(again, ap);
    int n = tamis_vsnprintf(small, sizeof small, format, ap);
    if (n >= (int)sizeof small && (large = tamis_raw(t->cx, char, (size_t)n + 1)))
        tamis_vsnprintf(s = large, (size_t)n + 1, format, again);
    if (n >= (int)sizeof small && !large) t->failed = 1;
    va_end(again);
    va_end(ap);
    tamis_text_puts(t, "<title>");
    tamis_html(t, s);
    tamis_text_puts(t, "</title>");
    tamis_free(large);
}

void tamis_svg_name(struct tamis_text *t, double x, double y, const char *style, const char *s, double room)
{
    tamis_text_puts(t, "<text");
    attribute(t, "x", x);
    attribute(t, "y", y);
    tamis_text_printf(t, " class=\"%s\">", style);
    tamis_html_fit(t, s, room);
    tamis_text_puts(t, "</text>");
}

void tamis_svg_text(struct tamis_text *t, double x, double y, const char *style, const char *s)
{
    tamis_svg_name(t, x, y, style, s, INFINITY);
}
