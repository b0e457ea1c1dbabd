/* The data, and how to reproduce the result. */
#include <math.h>
#include <string.h>
#include "base/format.h"
#include "io/report/report.h"

enum { NAMED = 12 };

/* ---- the data ---- */

static void missing_words(struct tamis_page *p, double rows, double cells)
{
    if (!(rows > 0)) {
        tamis_page_puts(p, "No value is missing. ");
        return;
    }
    tamis_page_count(p, rows, "row");
    tamis_page_puts(p, rows == 1 ? " has missing values" : " have missing values");
    if (cells > 0) {
        tamis_page_puts(p, " (");
        tamis_page_count(p, cells, "cell");
        tamis_page_puts(p, " in total)");
    }
    tamis_page_puts(p, ". ");
}

static void duplicate_words(struct tamis_page *p, double rows)
{
    if (rows > 0) {
        tamis_page_count(p, rows, "row");
        tamis_page_puts(p, rows == 1 ? " repeats" : " repeat");
        tamis_page_puts(p, " an earlier one; folds keep equal rows together unless chance explains that many.");
    } else if (rows == 0) {
        tamis_page_puts(p, "No two rows are equal.");
    }
}

static void audit_words(struct tamis_page *p, const tamis_value *a)
{
    double dropped = tamis_value_number(p->root, "data.rows_dropped");
    tamis_page_puts(p, "<p>");
    tamis_page_count(p, tamis_value_number(a, "rows"), "row");
    tamis_page_puts(p, " and ");
    tamis_page_count(p, tamis_value_number(a, "columns"), "column");
    tamis_page_puts(p, ". ");
    missing_words(p, tamis_value_number(a, "incomplete_rows"), tamis_value_number(a, "missing_cells"));
    if (dropped > 0) {
        tamis_page_count(p, dropped, "row");
        tamis_page_puts(p, dropped == 1 ? " was dropped. " : " were dropped. ");
    }
    duplicate_words(p, tamis_value_number(a, "duplicates"));
    tamis_page_puts(p, "</p>\n");
}

static const char *remark(const tamis_value *column)
{
    double distinct = tamis_value_number(column, "distinct");
    if (distinct == 0) return "all missing";
    if (distinct == 1) return "constant";
    return tamis_value_number(column, "missing") > 0 ? "has missing values" : "";
}

static void column_row(struct tamis_page *p, const tamis_value *c)
{
    static const char *const key[] = {"missing", "distinct", "min", "mean", "max", "sd"};
    tamis_page_row(p, tamis_value_text(c, "name"));
    tamis_page_cell_text(p, tamis_value_text(c, "type"));
    for (size_t k = 0; k < 6; k++) {
        const char *date = k == 2 || k == 4 ? tamis_value_text(c, k == 2 ? "first" : "last") : NULL;
        if (date) tamis_page_cell_text(p, date);
        else tamis_page_cell(p, tamis_value_number(c, key[k]));
    }
    tamis_page_cell_text(p, remark(c));
    tamis_page_puts(p, "\n");
}

static void column_table(struct tamis_page *p, const tamis_value *columns)
{
    static const char *const heads[] = {"column", "type", "#missing",            "#distinct", "#min",
                                        "#mean",  "#max", "#standard deviation", "remark",    NULL};
    size_t n = tamis_page_items(columns);
    if (!n) return;
    tamis_page_details(p, "All columns");
    tamis_page_filter(p, "t-columns", 0);
    tamis_page_table(p, "t-columns", n > 40 ? "sort long" : "sort", "Columns of the table as read.", heads);
    for (size_t i = 0; i < n; i++) column_row(p, tamis_value_item(columns, i));
    tamis_page_table_end(p);
    tamis_page_details_end(p);
}

static void remarks(struct tamis_page *p, const tamis_value *columns)
{
    size_t shown = 0;
    for (size_t i = 0; i < tamis_page_items(columns) && shown < NAMED; i++) {
        const tamis_value *c = tamis_value_item(columns, i);
        if (!*remark(c)) continue;
        tamis_page_puts(p, shown++ ? ", " : "<p>Columns to check: ");
        tamis_page_name(p, tamis_value_text(c, "name"));
        tamis_text_printf(p->t, " (%s)", remark(c));
    }
    if (shown) tamis_page_puts(p, ".</p>\n");
}

static void audit_section(struct tamis_page *p)
{
    const tamis_value *a = tamis_value_at(p->root, "evidence.audit");
    if (!tamis_page_record(a)) return;
    audit_words(p, a);
    remarks(p, tamis_value_at(a, "column"));
    column_table(p, tamis_value_at(a, "column"));
}

/* ---- origin ---- */

static int plain_word(const char *s)
{
    return *s && strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./,:=+@%") == strlen(s);
}

/* n bytes, escaped. Pieces end between characters. */
static void say_part(struct tamis_page *p, const char *s, size_t n)
{
    char piece[64];
    while (n) {
        size_t m = n < sizeof piece ? n : sizeof piece - 1;
        while (m < n && m > 1 && ((unsigned char)s[m] & 0xC0) == 0x80) m--;
        memcpy(piece, s, m);
        piece[m] = 0;
        tamis_page_say(p, piece);
        s += m;
        n -= m;
    }
}

/* In single quotes for a shell, where one inside is '\''. */
static void quoted(struct tamis_page *p, const char *s)
{
    tamis_page_puts(p, "&#39;");
    for (const char *c = s; *c;) {
        size_t n = strcspn(c, "'");
        say_part(p, c, n);
        c += n;
        if (*c) tamis_page_puts(p, "&#39;\\&#39;&#39;"), c++;
    }
    tamis_page_puts(p, "&#39;");
}

static void command(struct tamis_page *p)
{
    const tamis_value *words = tamis_value_at(p->root, "command");
    if (!tamis_page_items(words)) return;
    tamis_page_puts(p, "<pre><code>tamis");
    for (size_t i = 0; i < tamis_page_items(words); i++) {
        const char *w = tamis_page_item_text(words, i);
        if (!w) continue;
        tamis_page_puts(p, " ");
        if (plain_word(w)) tamis_page_say(p, w);
        else quoted(p, w);
    }
    tamis_page_puts(p, "</code></pre>\n");
}

static void fact(struct tamis_page *p, const char *what, const char *path)
{
    const char *value = tamis_value_text(p->root, path);
    if (!value) return;
    tamis_text_printf(p->t, "<dt>%s</dt><dd>", what);
    tamis_page_name(p, value);
    tamis_page_puts(p, "</dd>");
}

static void fact_number(struct tamis_page *p, const char *what, const char *path, int digits)
{
    double v = tamis_value_number(p->root, path);
    if (isnan(v)) return;
    tamis_text_printf(p->t, "<dt>%s</dt><dd>", what);
    tamis_html_number(p->t, v, digits);
    tamis_page_puts(p, "</dd>");
}

/* Whether v is a number, a text or a flag, which is then written. */
static int plain_value(struct tamis_page *p, const char *before, const char *key, const tamis_value *v)
{
    int kind = tamis_value_kind(v);
    if (kind != TAMIS_VALUE_NUMBER && kind != TAMIS_VALUE_TEXT && kind != TAMIS_VALUE_FLAG) return 0;
    tamis_page_puts(p, before);
    tamis_page_say(p, key);
    tamis_page_puts(p, " ");
    if (kind == TAMIS_VALUE_NUMBER) tamis_html_number(p->t, tamis_value_number(v, NULL), 5);
    else if (kind == TAMIS_VALUE_TEXT) tamis_page_say(p, tamis_value_text(v, NULL));
    else tamis_page_puts(p, tamis_value_flag(v, NULL) ? "yes" : "no");
    return 1;
}

static void fact_record(struct tamis_page *p, const char *what, const char *path)
{
    const tamis_value *o = tamis_value_at(p->root, path);
    char first[64];
    size_t n = 0;
    tamis_snprintf(first, sizeof first, "<dt>%s</dt><dd>", what);
    for (size_t i = 0; i < tamis_page_members(o); i++)
        n += (size_t)plain_value(p, n ? ", " : first, tamis_value_key(o, i), tamis_value_item(o, i));
    if (n) tamis_page_puts(p, "</dd>");
}

static void origin_section(struct tamis_page *p)
{
    command(p);
    tamis_page_puts(p, "<dl class=\"facts\">");
    fact(p, "Data", "data.file");
    fact(p, "SHA-256 of the data", "evidence.file.sha256");
    fact(p, "Test data", "evidence.test_file.name");
    fact(p, "SHA-256 of the test data", "evidence.test_file.sha256");
    fact(p, "Method", "method");
    fact_record(p, "Options", "options");
    fact(p, "Model", "model.kind");
    fact_record(p, "Model parameters", "model.parameters");
    fact_number(p, "Seed", "seed", 17);
    fact(p, "tamis", "tamis");
    fact(p, "BLAS kernels", "evidence.versions.blas");
    fact(p, "Compiler", "evidence.versions.compiler");
    fact_number(p, "Seconds", "seconds", 3);
    fact_number(p, "Threads", "threads", 6);
    tamis_page_puts(p,
                    "</dl>\n<p class=\"note\">The same command, file and version give the same numbers, apart from the "
                    "run time.</p>\n");
}

const struct tamis_section tamis_section_audit = {.id = "audit", .title = "The data", .draw = audit_section};
const struct tamis_section tamis_section_origin = {
    .id = "origin", .title = "How to reproduce this", .draw = origin_section};
