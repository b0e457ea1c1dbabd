/* The page: head, policy, sections in order, the result itself, the script.
 *
 * One file without any external link. Its policy allows no source but the style and the script of this file, by their
 * SHA-256; all names from files pass tamis_html; < > & inside the embedded JSON are written as \u003c and so on, so
 * that no text of it can end its element. */
#include <string.h>
#include "base/format.h"
#include "base/number.h"
#include "base/sha256.h"
#include "io/report/report.h"

static const struct tamis_section *const select_page[] = {
    &tamis_section_answer,    &tamis_section_spectrum,  &tamis_section_lags,      &tamis_section_error,
    &tamis_section_path,      &tamis_section_model,     &tamis_section_importance, &tamis_section_tests,
    &tamis_section_posterior, &tamis_section_stability, &tamis_section_alike,     &tamis_section_held_out,
    &tamis_section_probabilities, &tamis_section_intervals, &tamis_section_profiles,
    &tamis_section_slopes,    &tamis_section_surface,   &tamis_section_classes,   &tamis_section_chains,
    &tamis_section_audit,     &tamis_section_origin,    NULL,
};

static const struct tamis_section *const compare_page[] = {
    &tamis_section_compare,
    &tamis_section_compare_error,
    &tamis_section_compare_inputs,
    &tamis_section_compare_pairs,
    &tamis_section_audit,
    &tamis_section_origin,
    NULL,
};

static int is_comparison(const tamis_value *root)
{
    int kind = tamis_value_kind(tamis_value_get(root, "methods"));
    return kind == TAMIS_VALUE_LIST || kind == TAMIS_VALUE_NUMBERS;
}

/* ---- sections ---- */

/* Writes a section and its link, or neither where it has nothing to say. */
static void section(struct tamis_page *p, const struct tamis_section *s, struct tamis_text *nav)
{
    struct tamis_text *t = p->t;
    size_t before = t->length;
    tamis_text_printf(t, "<section id=\"%s\" aria-labelledby=\"h-%s\"><h2 id=\"h-%s\">%s</h2>\n", s->id, s->id, s->id,
                      s->title);
    size_t empty = t->length;
    s->draw(p);
    if (t->failed) return;
    if (t->length == empty) {
        t->length = before;
        t->s[before] = 0;
        return;
    }
    tamis_text_puts(t, "</section>\n");
    tamis_text_printf(nav, "<li><a href=\"#%s\">%s</a></li>", s->id, s->title);
}

/* ---- the result, embedded ---- */

enum { LONG = 90000, DIGITS = 8 };              /* numbers of results above LONG bytes are shortened */

/* The number of n characters at s with DIGITS digits. */
static void shortened(struct tamis_text *t, const char *s, size_t n)
{
    char brief[40], *comma;
    double x;
    tamis_number_read(s, s + n, '.', &x);
    tamis_snprintf(brief, sizeof brief, "%.*g", DIGITS, x);
    if ((comma = strchr(brief, ','))) *comma = '.';
    if (strlen(brief) < n) tamis_text_puts(t, brief);
    else tamis_text_add(t, s, n);
}

/* Text outside quotes, without blanks; brief: with shortened numbers. */
static void outside(struct tamis_text *t, const char *s, size_t n, int brief)
{
    for (size_t i = 0; i < n;) {
        size_t m = i;
        while (m < n && s[m] && strchr("+-.0123456789eE", s[m])) m++;
        if (m - i > DIGITS + 3 && brief) shortened(t, s + i, m - i);
        else tamis_text_add(t, s + i, m - i);
        if (m < n && !strchr(" \t\r\n", s[m])) tamis_text_add(t, s + m, 1);
        i = m + 1;
    }
}

/* Text in quotes, without what could end its element. */
static void inside(struct tamis_text *t, const char *s, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (strchr("<>&", s[i]) && s[i]) tamis_text_printf(t, "\\u%04x", (unsigned)s[i]);
        else tamis_text_add(t, s + i, 1);
    }
}

/* json: n bytes of tamis_value_json, so that quotes and backslashes are where they belong. */
static void embed(struct tamis_text *t, const char *json, size_t n)
{
    tamis_text_puts(t, "<script type=\"application/json\" id=\"result\">");
    for (size_t i = 0; i < n;) {
        size_t from = i;
        while (i < n && json[i] != '"') i++;
        outside(t, json + from, i - from, n > LONG);
        from = i;
        if (i < n) i++;
        while (i < n && json[i] != '"') i += json[i] == '\\' ? 2 : 1;
        i = i < n ? i + 1 : n;
        if (i > from) inside(t, json + from, i - from);
    }
    tamis_text_puts(t, "</script>\n");
}

/* ---- the frame ---- */

static void lines(struct tamis_text *t, const char *const *line)
{
    for (; *line; line++) tamis_text_puts(t, *line);
}

static void source(struct tamis_text *t, const char *const *line)
{
    struct tamis_sha256 s;
    unsigned char digest[32];
    char sum[45];
    tamis_sha256_begin(&s);
    for (; *line; line++) tamis_sha256_add(&s, *line, strlen(*line));
    tamis_sha256_end(&s, digest);
    tamis_sha256_base64(digest, sum);
    tamis_text_printf(t, "'sha256-%s'", sum);
}

/* The text at path, or else `other`. */
static const char *text_or(const tamis_value *root, const char *path, const char *other)
{
    const char *s = tamis_value_text(root, path);
    return s && *s ? s : other;
}

static void head(struct tamis_text *t, const tamis_value *root)
{
    tamis_text_puts(t, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                       "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src ");
    source(t, tamis_report_style);
    tamis_text_puts(t, "; script-src ");
    source(t, tamis_report_script);
    tamis_text_puts(t, "; base-uri 'none'; form-action 'none'\">\n"
                       "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                       "<meta name=\"referrer\" content=\"no-referrer\">\n<title>");
    tamis_html_short(t, text_or(root, "data.target", "result"), 60);
    tamis_text_puts(t, is_comparison(root) ? ": methods compared" : ": inputs that matter");
    tamis_text_puts(t, "</title>\n<style>");
    lines(t, tamis_report_style);
    tamis_text_puts(t, "</style>\n</head>\n<body>\n");
}

static void heading(struct tamis_text *t, const tamis_value *root)
{
    int comparison = is_comparison(root);
    tamis_text_puts(t, "<header><div><h1>");
    tamis_text_puts(t, comparison ? "Which method predicts <bdi>" : "Which inputs predict <bdi>");
    tamis_html_short(t, text_or(root, "data.target", "the target"), 120);
    tamis_text_puts(t, comparison ? "</bdi> best?</h1>" : "</bdi>?</h1>");
}

static void counted(struct tamis_page *p, double n, const char *thing)
{
    tamis_page_puts(p, ", ");
    tamis_page_count(p, n, thing);
}

static void table_line(struct tamis_page *p)
{
    double rows = tamis_value_number(p->root, "data.rows"), inputs = tamis_value_number(p->root, "data.inputs"),
           test = tamis_value_number(p->root, "data.test_rows");
    tamis_page_puts(p, "<p class=\"sub\"><bdi>");
    tamis_page_say(p, text_or(p->root, "data.file", "a table"));
    tamis_page_puts(p, "</bdi>");
    if (rows >= 0) counted(p, rows, test > 0 ? "training row" : "row");
    if (test > 0) counted(p, test, "test row");
    if (inputs >= 0) counted(p, inputs, "input");
    tamis_page_puts(p,
                    "</p></div><div class=\"tools noprint\">"
                    "<button class=\"btn\" id=\"theme\" type=\"button\" hidden>Light / dark</button>"
                    "<button class=\"btn\" id=\"save\" type=\"button\" hidden>Save the JSON</button></div></header>\n");
}

static void foot(struct tamis_page *p, const char *json, size_t n)
{
    tamis_page_puts(p, "</main>\n<footer>Made by tamis ");
    tamis_html_short(p->t, text_or(p->root, "tamis", ""), 20);
    tamis_page_puts(p, ". This file is complete in itself and makes no network requests.</footer>\n");
    embed(p->t, json, n);
    tamis_page_puts(p, "<script>");
    lines(p->t, tamis_report_script);
    tamis_page_puts(p, "</script>\n</body>\n</html>\n");
}

static void page(struct tamis_page *p, struct tamis_text *t, const char *json, size_t n)
{
    const struct tamis_section *const *s = is_comparison(p->root) ? compare_page : select_page;
    struct tamis_text nav = {.cx = p->cx}, body = {.cx = p->cx};
    p->t = &body;
    for (; *s && !body.failed; s++) section(p, *s, &nav);
    p->t = t;
    head(t, p->root);
    heading(t, p->root);
    table_line(p);
    tamis_text_puts(t, "<nav aria-label=\"Sections\"><ul>");
    tamis_text_puts(t, nav.s ? nav.s : "");
    tamis_text_puts(t, "</ul></nav>\n<main>\n");
    tamis_text_puts(t, body.s ? body.s : "");
    foot(p, json, n);
    tamis_text_free(&nav);
    tamis_text_free(&body);
}

/* ---- the call ---- */

static int check(tamis_context *cx, const tamis_value *result)
{
    if (tamis_value_get(result, "selected") || is_comparison(result)) return TAMIS_OK;
    return tamis_fail(cx, TAMIS_DATA, "not a result: it has neither 'selected' nor a list 'methods'");
}

static void draw(struct tamis_page *p, const tamis_report_form *form)
{
    char *json = NULL;
    size_t n = 0;
    if (form->figure) {
        tamis_page_picture(p, form->figure);
        return;
    }
    if (!check(p->cx, p->root) && !tamis_value_json(p->cx, p->root, &json, &n)) page(p, p->t, json, n);
    tamis_release(json);
}

int tamis_report(tamis_context *cx, const tamis_value *result, const tamis_report_form *form, char **text,
                 size_t *length)
{
    TAMIS_CALL(cx);
    struct tamis_text t = {.cx = cx};
    tamis_report_form f = {0};
    memcpy(&f, form, form->size < sizeof f ? form->size : sizeof f);
    struct tamis_page p = {.cx = cx, .t = &t, .root = result, .alone = f.figure != NULL};
    *text = NULL;
    p.inputs = tamis_index_new(cx, tamis_value_get(result, "inputs"));
    int status = tamis_status(cx) ? tamis_status(cx) : tamis_page_labels_read(&p, f.label, f.labels);
    if (!status) draw(&p, &f);
    if (!tamis_status(cx)) tamis_page_labels_check(&p);
    tamis_page_labels_free(&p);
    tamis_index_free(&p.inputs);
    if (!tamis_status(cx)) return tamis_text_take(&t, text, length);
    tamis_text_free(&t);
    return tamis_status(cx);
}

int tamis_report_html(tamis_context *cx, const tamis_value *result, char **html, size_t *length)
{
    TAMIS_CALL(cx);
    return tamis_report(cx, result, &(tamis_report_form){.size = sizeof(tamis_report_form)}, html, length);
}

int tamis_report_figure(tamis_context *cx, const tamis_value *result, const char *figure, char **svg, size_t *length)
{
    TAMIS_CALL(cx);
    tamis_report_form form = {.size = sizeof form, .figure = figure ? figure : "auto"};
    return tamis_report(cx, result, &form, svg, length);
}
