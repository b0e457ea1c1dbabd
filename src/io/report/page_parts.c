/* The pieces that sections are made of. End tags that HTML does not ask for are left out: they would be a tenth of a
 * page. */
#include <math.h>
#include "io/report/report.h"

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

void tamis_page_table_end(struct tamis_page *p) { tamis_text_puts(p->t, "</tbody></table></div>\n"); }

void tamis_page_row(struct tamis_page *p, const char *name)
{
    tamis_text_puts(p->t, "<tr><th scope=\"row\">");
    tamis_page_name(p, name);
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

double tamis_page_margin(const char *const *names, size_t n)
{
    size_t longest = 4;
    for (size_t i = 0; i < n; i++) {
        const char *name = names[i];
        size_t letters = 0;
        for (; name && *name; name++) letters += ((unsigned char)*name & 0xC0) != 0x80;
        if (letters > longest) longest = letters;
    }
    return fmin(190, 22 + 7.4 * (double)longest);
}

void tamis_page_details(struct tamis_page *p, const char *summary)
{
    tamis_text_printf(p->t, "<details><summary>%s</summary>\n", summary);
}
void tamis_page_details_end(struct tamis_page *p) { tamis_text_puts(p->t, "</details>\n"); }
