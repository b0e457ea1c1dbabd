/* The pieces that sections are made of. Optional end tags are omitted: they would be a tenth of a page. */
#include <math.h>
#include "base/format.h"
#include "io/report/report.h"

enum { NAMED = 30 };
static const double bold = 1.2;         /* how much wider names are in bold, and enlarged on a small screen */

void tamis_page_puts(struct tamis_page *p, const char *markup) { tamis_text_puts(p->t, markup); }
void tamis_page_say(struct tamis_page *p, const char *s) { tamis_html(p->t, s); }
void tamis_page_number(struct tamis_page *p, double x) { tamis_html_number(p->t, x, 4); }

void tamis_page_name(struct tamis_page *p, const char *name)
{
    tamis_text_puts(p->t, "<bdi>");
    tamis_html(p->t, name && *name ? name : "(no name)");
    tamis_text_puts(p->t, "</bdi>");
}

void tamis_page_count(struct tamis_page *p, double n, const char *thing)
{
    tamis_html_number(p->t, n, 7);
    tamis_text_printf(p->t, " %s%s", thing, n == 1 ? "" : "s");
}

void tamis_page_figure(struct tamis_page *p, const char *style)
{
    tamis_text_printf(p->t, "<figure class=\"%s\"><div class=\"p\">", style);
}

void tamis_page_caption(struct tamis_page *p, const char *markup)
{
    tamis_text_printf(p->t, "</div><figcaption>%s</figcaption></figure>\n", markup);
}

void tamis_page_table(struct tamis_page *p, const char *id, const char *style, const char *caption,
                      const char *const *heads)
{
    tamis_text_printf(p->t,
                      "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"table\"><table id=\"%s\" "
                      "class=\"%s\"><caption>%s</caption><thead><tr>%s",
                      id, style, caption, heads ? "" : "<td>");
    for (size_t i = 0; heads && heads[i]; i++) {
        int number = *heads[i] == '#';
        tamis_text_puts(p->t, number ? "<th scope=\"col\" class=\"r\">" : "<th scope=\"col\">");
        tamis_html(p->t, heads[i] + number);
        tamis_text_puts(p->t, "</th>");
    }
    tamis_text_puts(p->t, heads ? "</tr></thead><tbody>\n" : "");
}

void tamis_page_head(struct tamis_page *p, const char *name)
{
    tamis_page_puts(p, "<th scope=\"col\">");
    tamis_page_name(p, name);
}

void tamis_page_heads_end(struct tamis_page *p) { tamis_page_puts(p, "</thead><tbody>\n"); }
void tamis_page_table_end(struct tamis_page *p) { tamis_text_puts(p->t, "</tbody></table></div>\n"); }

void tamis_page_row(struct tamis_page *p, const char *name)
{
    tamis_text_puts(p->t, "<tr><th scope=\"row\">");
    tamis_page_name(p, name);
}

void tamis_page_row_set(struct tamis_page *p, const tamis_value *names)
{
    tamis_page_puts(p, "<tr><th scope=\"row\">");
    if (!tamis_page_items(names)) tamis_page_puts(p, "(none)");
    for (size_t i = 0; i < tamis_page_items(names) && i < NAMED; i++) {
        if (i) tamis_page_puts(p, ", ");
        tamis_page_name(p, tamis_page_item_text(names, i));
    }
    if (tamis_page_items(names) > NAMED) tamis_text_printf(p->t, " and %zu more", tamis_page_items(names) - NAMED);
}

void tamis_page_cell(struct tamis_page *p, double x)
{
    tamis_text_puts(p->t, "<td class=\"r\">");
    tamis_html_number(p->t, x, 4);
}

void tamis_page_cell_text(struct tamis_page *p, const char *s)
{
    tamis_text_puts(p->t, "<td>");
    tamis_html(p->t, s);
}

void tamis_page_shade(struct tamis_page *p, double share, double shown)
{
    int class = isnan(share) ? 0 : (int)lround(10 * fmin(fmax(share, 0), 1));
    tamis_text_printf(p->t, "<td class=\"q%d\">", class);
    tamis_html_number(p->t, shown, 3);
}

double tamis_page_width(const struct tamis_page *p) { return p->alone ? 720 : 480; }

double tamis_page_margin(struct tamis_page *p, const char *const *names, size_t n)
{
    double widest = 40;
    for (size_t i = 0; i < n; i++) widest = fmax(widest, tamis_html_width(tamis_page_label(p, names[i])));
    return fmin(200, 12 + bold * widest);
}

void tamis_page_row_name(struct tamis_page *p, const struct tamis_plot *plot, double y, const char *name, int on)
{
    tamis_svg_name(p->t, plot->left - 8, y, on ? "hd e" : "lb e", tamis_page_label(p, name), (plot->left - 11) / bold);
}

double tamis_page_key(struct tamis_page *p, double x, const char *style, const char *what)
{
    tamis_svg_rect(p->t, x, 5, 10, 10, style);
    tamis_text_puts(p->t, "</rect>");
    tamis_svg_text(p->t, x + 15, 14, "tk", what);
    return x + 27 + tamis_html_width(what);
}

void tamis_page_details(struct tamis_page *p, const char *summary)
{
    tamis_text_printf(p->t, "<details><summary>%s</summary>\n", summary);
}
void tamis_page_details_end(struct tamis_page *p) { tamis_text_puts(p->t, "</details>\n"); }

void tamis_page_filter(struct tamis_page *p, const char *table, int selected)
{
    tamis_text_printf(
        p->t,
        "<div class=\"tools\" data-for=\"%s\" hidden><label>Filter by name <input type=\"search\"></label>%s"
        "<output aria-live=\"polite\"></output></div>\n",
        table, selected ? "<label><input type=\"checkbox\"> selected only</label>" : "");
}

/* ---- a curve ---- */

int tamis_page_log(const double *y, size_t n)
{
    double from = NAN, to = NAN;
    tamis_plot_reach(y, n, &from, &to);
    return from > 0 && to > 30 * from;
}

static void curve_draw(struct tamis_page *p, const double *x, const double *y, size_t n, const struct tamis_curve *c)
{
    double from = NAN, to = NAN, low = NAN, high = NAN;
    char hover[96];
    struct tamis_plot plot = {.t = p->t, .width = tamis_page_width(p), .height = 230, .left = 64, .whole = c->whole};
    tamis_plot_reach(x, n, &from, &to);
    tamis_plot_reach(y, n, &low, &high);
    tamis_plot_scale(&plot.x, from, to, 0);
    tamis_plot_scale(&plot.y, low, high, tamis_page_log(y, n));
    tamis_snprintf(hover, sizeof hover, "%.40s|%.40s", c->x_name, c->y_name);
    tamis_plot_begin(&plot, c->label);
    tamis_plot_axes(&plot, tamis_page_label(p, c->x_name), tamis_page_label(p, c->y_name));
    tamis_plot_line(&plot, x, y, n, "c1", hover);
    tamis_plot_points(&plot, x, y, n, "c1", NULL);
    tamis_plot_end(&plot);
}

void tamis_page_curve(struct tamis_page *p, const tamis_value *list, const struct tamis_curve *c)
{
    size_t n = tamis_page_items(list);
    double *x = tamis_raw(p->cx, double, n + 1), *y = tamis_raw(p->cx, double, n + 1);
    for (size_t i = 0; x && y && i < n; i++) {
        x[i] = tamis_value_number(tamis_value_item(list, i), c->x);
        y[i] = tamis_value_number(tamis_value_item(list, i), c->y);
    }
    if (x && y) curve_draw(p, x, y, n, c);
    tamis_free(x);
    tamis_free(y);
}
