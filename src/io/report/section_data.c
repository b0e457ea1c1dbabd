/* The data and where the result comes from. */
#include <math.h>
#include <string.h>
#include "io/report/report.h"

/* ---- audit ---- */

static void audit_words(struct tamis_page *p, const tamis_value *a)
{
    double gaps = tamis_value_number(a, "missing_cells"), incomplete = tamis_value_number(a, "incomplete_rows"),
           twice = tamis_value_number(a, "duplicates"), dropped = tamis_value_number(p->root, "data.rows_dropped");
    tamis_page_puts(p, "<p>");
    tamis_page_count(p, tamis_value_number(a, "rows"), "row");
    tamis_page_puts(p, " and ");
    tamis_page_count(p, tamis_value_number(a, "columns"), "column");
    tamis_page_puts(p, ". ");
    if (incomplete > 0) {
        tamis_page_count(p, incomplete, "row");
        tamis_page_puts(p, incomplete == 1 ? " has" : " have");
        tamis_page_puts(p, " missing values");
        if (gaps > 0) tamis_page_puts(p, " (in all "), tamis_page_count(p, gaps, "cell"), tamis_page_puts(p, ")");
        tamis_page_puts(p, ". ");
    } else tamis_page_puts(p, "No value is missing. ");
    if (dropped > 0)
        tamis_page_count(p, dropped, "row"), tamis_page_puts(p, dropped == 1 ? " was" : " were"),
            tamis_page_puts(p, " left out. ");
    if (twice > 0)
        tamis_page_count(p, twice, "row"), tamis_page_puts(p, twice == 1 ? " equals" : " equal"),
            tamis_page_puts(p, " an earlier one; equal rows on both sides of a split make errors look smaller. ");
    else if (twice == 0) tamis_page_puts(p, "No two rows are equal.");
    tamis_page_puts(p, "</p>\n");
}

static const char *trouble(const tamis_value *c)
{
    double distinct = tamis_value_number(c, "distinct");
    if (distinct == 0) return "all missing";
    if (distinct == 1) return "constant";
    return tamis_value_number(c, "missing") > 0 ? "has gaps" : "";
}

static void audit_table(struct tamis_page *p, const tamis_value *columns)
{
    static const char *const heads[] = {"column", "type",     "#missing",   "#distinct", "#least",
                                        "#mean",  "#largest", "#deviation", "remark",    NULL},
                             *const key[] = {"missing", "distinct", "min", "mean", "max", "sd"};
    if (!tamis_page_items(columns)) return;
    tamis_page_details(p, "Every column");
    tamis_page_puts(p, "<div class=\"tools\" data-for=\"t-columns\" hidden><label>Filter by name <input "
                       "type=\"search\"></label><output aria-live=\"polite\"></output></div>\n");
    tamis_page_table(p, "t-columns", tamis_page_items(columns) > 40 ? "sort long" : "sort",
                     "Columns of the table as read.", heads);
    for (size_t i = 0; i < tamis_page_items(columns); i++) {
        const tamis_value *c = tamis_value_item(columns, i);
        tamis_page_row(p, tamis_value_text(c, "name"));
        tamis_page_cell_text(p, tamis_value_text(c, "type"));
        for (size_t k = 0; k < 6; k++) tamis_page_cell(p, tamis_value_number(c, key[k]));
        tamis_page_cell_text(p, trouble(c));
        tamis_page_puts(p, "\n");
    }
    tamis_page_table_end(p);
    tamis_page_details_end(p);
}

static void troubled(struct tamis_page *p, const tamis_value *columns)
{
    size_t shown = 0;
    for (size_t i = 0; i < tamis_page_items(columns) && shown < 12; i++) {
        const tamis_value *c = tamis_value_item(columns, i);
        if (!*trouble(c)) continue;
        tamis_page_puts(p, shown++ ? ", " : "<p>Columns to look at: ");
        tamis_page_name(p, tamis_value_text(c, "name"));
        tamis_text_printf(p->t, " (%s)", trouble(c));
    }
    if (shown) tamis_page_puts(p, ".</p>\n");
}

void tamis_section_audit(struct tamis_page *p)
{
    const tamis_value *a = tamis_value_at(p->root, "evidence.audit");
    if (!tamis_page_record(a)) return;
    audit_words(p, a);
    troubled(p, tamis_value_at(a, "column"));
    audit_table(p, tamis_value_at(a, "column"));
}

/* ---- origin ---- */

static int plain_word(const char *s)
{
    return *s && strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./,:=+@%") == strlen(s);
}

/* As a shell would take it back. */
static void command(struct tamis_page *p)
{
    const tamis_value *words = tamis_value_at(p->root, "command");
    if (!tamis_page_items(words)) return;
    tamis_page_puts(p, "<pre><code>tamis");
    for (size_t i = 0; i < tamis_page_items(words); i++) {
        const char *w = tamis_page_item_text(words, i);
        if (!w) continue;
        tamis_page_puts(p, plain_word(w) ? " " : " &#39;");
        for (const char *c = w; *c;) {
            char one[64];
            size_t n = strcspn(c, "'");
            if (n >= sizeof one) {
                n = sizeof one - 1;
                while (n > 1 && ((unsigned char)c[n] & 0xC0) == 0x80) n--;
            }
            memcpy(one, c, n);
            one[n] = 0;
            tamis_page_say(p, one);
            c += n;
            if (*c == '\'') tamis_page_puts(p, "&#39;\\&#39;&#39;"), c++;
        }
        if (!plain_word(w)) tamis_page_puts(p, "&#39;");
    }
    tamis_page_puts(p, "</code></pre>\n");
}

static void fact(struct tamis_page *p, const char *what, const char *value)
{
    if (!value) return;
    tamis_text_printf(p->t, "<dt>%s</dt><dd>", what);
    tamis_page_name(p, value);
    tamis_page_puts(p, "</dd>");
}

static void fact_number(struct tamis_page *p, const char *what, double v, int digits)
{
    if (isnan(v)) return;
    tamis_text_printf(p->t, "<dt>%s</dt><dd>", what);
    tamis_html_number(p->t, v, digits);
    tamis_page_puts(p, "</dd>");
}

static void parameters(struct tamis_page *p, const char *what, const tamis_value *o)
{
    size_t n = 0;
    for (size_t i = 0; i < tamis_page_members(o); i++) {
        const tamis_value *v = tamis_value_item(o, i);
        int kind = tamis_value_kind(v);
        if (kind != TAMIS_VALUE_NUMBER && kind != TAMIS_VALUE_TEXT && kind != TAMIS_VALUE_FLAG) continue;
        if (!n++) tamis_text_printf(p->t, "<dt>%s</dt><dd>", what);
        else tamis_page_puts(p, ", ");
        tamis_page_say(p, tamis_value_key(o, i));
        tamis_page_puts(p, " ");
        if (kind == TAMIS_VALUE_NUMBER) tamis_html_number(p->t, tamis_value_number(v, NULL), 5);
        else if (kind == TAMIS_VALUE_TEXT) tamis_page_say(p, tamis_value_text(v, NULL));
        else tamis_page_say(p, tamis_value_flag(v, NULL) ? "yes" : "no");
    }
    if (n) tamis_page_puts(p, "</dd>");
}

void tamis_section_origin(struct tamis_page *p)
{
    command(p);
    tamis_page_puts(p, "<dl class=\"facts\">");
    fact(p, "Data", tamis_value_text(p->root, "data.file"));
    fact(p, "SHA-256 of it", tamis_value_text(p->root, "evidence.file.sha256"));
    fact(p, "Test data", tamis_value_text(p->root, "evidence.test_file.name"));
    fact(p, "SHA-256 of it", tamis_value_text(p->root, "evidence.test_file.sha256"));
    fact(p, "Method", tamis_value_text(p->root, "method"));
    parameters(p, "Options", tamis_value_at(p->root, "options"));
    fact(p, "Model", tamis_value_text(p->root, "model.kind"));
    parameters(p, "Its parameters", tamis_value_at(p->root, "model.parameters"));
    fact_number(p, "Seed", tamis_value_number(p->root, "seed"), 17);
    fact(p, "tamis", tamis_value_text(p->root, "tamis"));
    fact(p, "BLAS kernels", tamis_value_text(p->root, "evidence.versions.blas"));
    fact(p, "Compiler", tamis_value_text(p->root, "evidence.versions.compiler"));
    fact_number(p, "Seconds", tamis_value_number(p->root, "seconds"), 3);
    fact_number(p, "Threads", tamis_value_number(p->root, "threads"), 6);
    tamis_page_puts(p, "</dl>\n<p class=\"note\">The same command, file and version give the same numbers, but for the "
                       "time it takes.</p>\n");
}
