/* Pictures as SVG text: axes, curves, points, bars. Colours are classes: the style of the page, or of a picture in a
 * file of its own, defines them. Nothing carries a style attribute, which the page's policy forbids.
 *
 *     struct tamis_plot p = {.t = t, .width = 640, .height = 300};
 *     tamis_plot_scale(&p.x, 0, 10, 0); tamis_plot_scale(&p.y, 0.1, 1, 1);
 *     tamis_plot_begin(&p, "error by size"); tamis_plot_axes(&p, "inputs", "error");
 *     tamis_plot_line(&p, x, y, n, "c1", NULL); tamis_plot_end(&p); */
#ifndef TAMIS_SVG_H
#define TAMIS_SVG_H

#include "base/text.h"

struct tamis_axis {
    double from, to;            /* in data; from < to */
    int log;
    double low, high;           /* in pixels: where `from` and `to` are */
};

struct tamis_plot {
    struct tamis_text *t;
    double width, height;
    double left, right, top, bottom;    /* margins; 0: standard ones */
    struct tamis_axis x, y;
    int dates;                  /* the x axis has days since 1970-01-01 */
    int whole;                  /* the x axis counts things: ticks at whole numbers */
    int alone;                  /* a file of its own: namespace and style inside */
};

/* The text, escaped for elements and attributes; bytes that are not UTF-8, and characters that HTML does not allow, are
 * replaced by U+FFFD. */
void tamis_html(struct tamis_text *t, const char *s);
/* The same cut to about `most` characters. */
void tamis_html_short(struct tamis_text *t, const char *s, size_t most);
/* The same with its middle left out where it would be wider than `room` pixels at a size of 12. */
void tamis_html_fit(struct tamis_text *t, const char *s, double room);
double tamis_html_width(const char *s);                                 /* in pixels at a size of 12, at most */
/* A number for people: at most `digits` digits, a dash when it is not finite. */
void tamis_html_number(struct tamis_text *t, double x, int digits);

/* An axis over [from, to], widened a little (log: both are positive); equal ends are spread. */
void tamis_plot_scale(struct tamis_axis *a, double from, double to, int log);
/* Joins the least and largest of the finite numbers to *from, *to, which start as NAN. */
void tamis_plot_reach(const double *v, size_t n, double *from, double *to);
double tamis_plot_at(const struct tamis_axis *a, double v);

void tamis_plot_begin(struct tamis_plot *p, const char *label);         /* label: for readers who cannot see it */
void tamis_plot_end(struct tamis_plot *p);
void tamis_plot_axes(struct tamis_plot *p, const char *x, const char *y);       /* their names, or NULL */
void tamis_plot_names(struct tamis_plot *p, const char *x, const char *y);      /* the names alone */
/* A curve through the finite points; hover (or NULL): "name of x|name of y". */
void tamis_plot_line(struct tamis_plot *p, const double *x, const double *y, size_t n, const char *style,
                     const char *hover);
void tamis_plot_points(struct tamis_plot *p, const double *x, const double *y, size_t n, const char *style,
                       const char *hover);
/* A straight line between two points, in data. */
void tamis_plot_segment(struct tamis_plot *p, double x1, double y1, double x2, double y2, const char *style);

/* An error bar at x, cut where it would leave the picture. */
void tamis_plot_whisker(struct tamis_plot *p, double x, double low, double high, const char *style);

/* Ticks of an axis of dates, about `count` and at most `room`; how many. Their labels, for the i-th of n; out: 32
 * characters (svg_dates.c). */
size_t tamis_date_ticks(const struct tamis_axis *a, int count, double *at, size_t room);
const char *tamis_date_label(const double *at, size_t n, size_t i, char *out);

/* In pixels. Rectangles and circles are left open for a title: the caller writes </rect> or </circle>. */
void tamis_svg_number(struct tamis_text *t, double v);                  /* to a tenth of a pixel */
void tamis_svg_rect(struct tamis_text *t, double x, double y, double w, double h, const char *style);
void tamis_svg_circle(struct tamis_text *t, double x, double y, double r, const char *style);
void tamis_svg_span(struct tamis_text *t, double from, double to, double y, const char *style); /* a horizontal line */
void tamis_svg_axis(struct tamis_text *t, double from, double to, double y);    /* the same, as an axis */
void tamis_svg_value(struct tamis_text *t, double x, double y, double v);       /* a small number, three digits */
void tamis_svg_title(struct tamis_text *t, const char *format, ...) TAMIS_PRINTF(2, 3); /* escaped; closes nothing */
void tamis_svg_text(struct tamis_text *t, double x, double y, const char *style, const char *s);
void tamis_svg_name(struct tamis_text *t, double x, double y, const char *style, const char *s, double room);

/* The style of a picture in a file of its own, ended by NULL. */
extern const char *const tamis_svg_style[];

#endif
