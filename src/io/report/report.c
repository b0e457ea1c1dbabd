/* The page: head, policy, sections in order, the result itself, the script; and single pictures.
 *
 * One file without any link out. Its policy allows no source but the style and the script of this file, by their
 * SHA-256; all names from files pass tamis_html; < > & inside the embedded JSON are written as \u003c and so on, so
 * that no text of it can end its element. */
#include <stdio.h>
#include <string.h>
#include "base/number.h"
#include "base/sha256.h"
#include "io/report/report.h"

static const struct tamis_section select_sections[] = {
    {"answer", "The answer", tamis_section_answer},
    {"error", "How good it is", tamis_section_error},
    {"path", "The way to it", tamis_section_path},
    {"relevance", "What each input is worth", tamis_section_relevance},
    {"posterior", "Which inputs, with what probability", tamis_section_posterior},
    {"stability", "How stable the choice is", tamis_section_stability},
    {"alike", "Inputs that could stand in for each other", tamis_section_alike},
    {"unseen", "Rows the model did not see", tamis_section_unseen},
    {"profiles", "How the prediction moves with each input", tamis_section_profiles},
    {"slopes", "How steep the prediction is", tamis_section_slopes},
    {"spectrum", "Where in the spectrum", tamis_section_spectrum},
    {"surface", "Error over the parameters", tamis_section_surface},
    {"classes", "Classes and subsets", tamis_section_classes},
    {"chains", "Whether the sampling has settled", tamis_section_chains},
    {"audit", "The data", tamis_section_audit},
    {"origin", "Where this comes from", tamis_section_origin},
    {NULL, NULL, NULL}};

static const struct tamis_section compare_sections[] = {
    {"answer", "The answer", tamis_section_compare},
    {"error", "Error of each method", tamis_section_compare_error},
    {"inputs", "Inputs chosen, and how often", tamis_section_compare_inputs},
    {"pairs", "Which differences are real", tamis_section_compare_pairs},
    {"audit", "The data", tamis_section_audit},
    {"origin", "Where this comes from", tamis_section_origin},
    {NULL, NULL, NULL}};

const struct tamis_picture tamis_pictures[] = {
    {"relevance", "bars, one an input", tamis_picture_relevance},
    {"path", "the criterion along the path", tamis_picture_path},
    {"fit", "predicted against observed", tamis_picture_fit},
    {"residuals", "residuals against predictions", tamis_picture_residuals},
    {"profiles", "the prediction along each chosen input", tamis_picture_profiles},
    {"slopes", "derivatives at the rows", tamis_picture_slopes},
    {"surface", "the error over the parameters", tamis_picture_surface},
    {"spectrum", "spectra and the chosen channels", tamis_picture_spectrum},
    {"inclusion", "posterior probabilities of the inputs", tamis_picture_inclusion},
    {"methods", "errors of the compared methods", tamis_picture_methods},
    {NULL, NULL, NULL}};

static int is_comparison(const tamis_value *root)
{
    int kind = tamis_value_kind(tamis_value_get(root, "methods"));
    return kind == TAMIS_VALUE_LIST || kind == TAMIS_VALUE_NUMBERS;
}

/* ---- sections ---- */

static void sections(struct tamis_page *p, const struct tamis_section *s, struct tamis_text *nav,
                     struct tamis_text *body)
{
    p->t = body;
    for (; s->id; s++) {
        size_t before = body->length;
        tamis_text_printf(body, "<section id=\"%s\" aria-labelledby=\"h-%s\"><h2 id=\"h-%s\">%s</h2>\n", s->id, s->id,
                          s->id, s->title);
        size_t empty = body->length;
        s->draw(p);
        if (body->failed) return;
        if (body->length == empty) {
            body->length = before;
            if (body->s) body->s[before] = 0;
            continue;
        }
        tamis_text_puts(body, "</section>\n");
        tamis_text_printf(nav, "<li><a href=\"#%s\">%s</a></li>", s->id, s->title);
    }
}

/* ---- the result inside ---- */

enum { LONG = 90000, DIGITS = 8 };

/* The number at s, of n letters, with DIGITS digits. */
static void shortened(struct tamis_text *t, const char *s, size_t n)
{
    char brief[40], *comma;
    double x;
    tamis_number_read(s, s + n, '.', &x);
    snprintf(brief, sizeof brief, "%.*g", DIGITS, x);
    if ((comma = strchr(brief, ','))) *comma = '.';
    if (strlen(brief) < n) tamis_text_puts(t, brief);
    else tamis_text_add(t, s, n);
}

/* What stands outside quotes, but for blanks; numbers of a long result are shortened. */
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

static const char *first_of(const tamis_value *root, const char *a, const char *b)
{
    const char *s = tamis_value_text(root, a);
    return s && *s ? s : b;
}

static void head(struct tamis_text *t, const tamis_value *root)
{
    tamis_text_puts(t, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta "
                       "http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src ");
    source(t, tamis_report_style);
    tamis_text_puts(t, "; script-src ");
    source(t, tamis_report_script);
    tamis_text_puts(t,
                    "; base-uri 'none'; form-action 'none'\">\n<meta name=\"viewport\" content=\"width=device-width, "
                    "initial-scale=1\">\n<meta name=\"referrer\" content=\"no-referrer\">\n<title>");
    tamis_html_short(t, first_of(root, "data.target", "result"), 60);
    tamis_text_puts(t, is_comparison(root) ? ": methods compared" : ": inputs that matter");
    tamis_text_puts(t, "</title>\n<style>");
    lines(t, tamis_report_style);
    tamis_text_puts(t, "</style>\n</head>\n<body>\n<header><div><h1>");
    tamis_text_puts(t, is_comparison(root) ? "Which method predicts <bdi>" : "Which inputs predict <bdi>");
    tamis_html_short(t, first_of(root, "data.target", "the target"), 120);
    tamis_text_puts(t, is_comparison(root) ? "</bdi> best?</h1><p class=\"sub\"><bdi>"
                                           : "</bdi>?</h1><p class=\"sub\"><bdi>");
    tamis_html(t, first_of(root, "data.file", "a table"));
    tamis_text_puts(t, "</bdi>");
}

static void sub_line(struct tamis_page *p)
{
    double rows = tamis_value_number(p->root, "data.rows"), inputs = tamis_value_number(p->root, "data.inputs"),
           test = tamis_value_number(p->root, "data.test_rows");
    if (rows == rows) tamis_page_puts(p, ", "), tamis_page_count(p, rows, test > 0 ? "training row" : "row");
    if (test > 0) tamis_page_puts(p, ", "), tamis_page_count(p, test, "test row");
    if (inputs == inputs) tamis_page_puts(p, ", "), tamis_page_count(p, inputs, "input");
    tamis_page_puts(p,
                    "</p></div><div class=\"tools noprint\"><button class=\"btn\" id=\"theme\" type=\"button\" "
                    "hidden>Light / dark</button>"
                    "<button class=\"btn\" id=\"save\" type=\"button\" hidden>Save the JSON</button></div></header>\n");
}

static void page(struct tamis_page *p, struct tamis_text *t, const char *json, size_t n)
{
    struct tamis_text nav = {.cx = p->cx}, body = {.cx = p->cx};
    sections(p, is_comparison(p->root) ? compare_sections : select_sections, &nav, &body);
    p->t = t;
    head(t, p->root);
    sub_line(p);
    tamis_text_puts(t, "<nav aria-label=\"Sections\"><ul>");
    tamis_text_puts(t, nav.s ? nav.s : "");
    tamis_text_puts(t, "</ul></nav>\n<main>\n");
    tamis_text_puts(t, body.s ? body.s : "");
    tamis_text_puts(t, "</main>\n<footer>Made by tamis ");
    tamis_html_short(t, first_of(p->root, "tamis", ""), 20);
    tamis_text_puts(t, ". This file holds all it shows and asks nothing of any network.</footer>\n");
    embed(t, json, n);
    tamis_text_puts(t, "<script>");
    lines(t, tamis_report_script);
    tamis_text_puts(t, "</script>\n</body>\n</html>\n");
    if (nav.failed || body.failed) t->failed = 1;
    tamis_text_free(&nav);
    tamis_text_free(&body);
}

/* ---- the two calls ---- */

static int check(tamis_context *cx, const tamis_value *result)
{
    if (tamis_value_get(result, "selected") || is_comparison(result)) return TAMIS_OK;
    return tamis_fail(cx, TAMIS_DATA, "not a result: it has neither the member 'selected' nor the list 'methods'");
}

static struct tamis_index inputs_of(tamis_context *cx, const tamis_value *result)
{
    return tamis_index_new(cx, tamis_value_get(result, "inputs"));
}

static int hand_over(struct tamis_text *t, char **out, size_t *length)
{
    int status = tamis_status(t->cx);
    if (!status) {
        *out = t->s;
        *length = t->length;
    } else tamis_text_free(t);
    return status;
}

int tamis_report_html(tamis_context *cx, const tamis_value *result, char **html, size_t *length)
{
    struct tamis_text t = {.cx = cx};
    char *json = NULL;
    size_t n = 0;
    *html = NULL;
    int status = tamis_value_json(cx, result, &json, &n);       /* first: it forgets earlier failures */
    if (!status && !(status = check(cx, result))) {
        struct tamis_page p = {.cx = cx, .root = result, .inputs = inputs_of(cx, result)};
        page(&p, &t, json, n);
        tamis_index_free(&p.inputs);
        status = hand_over(&t, html, length);
    }
    tamis_release(json);
    return status;
}

/* The picture of that name, or the first that the result has something for. */
static int picture_draw(struct tamis_page *p, const char *what)
{
    for (const struct tamis_picture *k = tamis_pictures; k->name; k++)
        if ((!what || !strcmp(what, k->name)) && k->draw(p)) return TAMIS_OK;
    for (const struct tamis_picture *k = tamis_pictures; k->name && what; k++)
        if (!strcmp(what, k->name))
            return tamis_fail(p->cx, TAMIS_DATA, "the result has nothing for a picture of %s (%s)", k->name, k->what);
    if (!what) return tamis_fail(p->cx, TAMIS_DATA, "the result has nothing to draw");
    return tamis_fail(p->cx, TAMIS_USAGE,
                      "--plot-what %s: one of relevance, path, fit, residuals, profiles, slopes, surface, spectrum, "
                      "inclusion, methods is wanted",
                      what);
}

int tamis_report_figure(tamis_context *cx, const tamis_value *result, const char *figure, char **svg, size_t *length)
{
    struct tamis_text t = {.cx = cx};
    *svg = NULL;
    tamis_forget(cx);
    int status = check(cx, result);
    if (status) return status;
    struct tamis_page p = {.cx = cx, .t = &t, .root = result, .inputs = inputs_of(cx, result), .alone = 1};
    status = picture_draw(&p, figure);
    tamis_index_free(&p.inputs);
    if (!status) return hand_over(&t, svg, length);
    tamis_text_free(&t);
    return status;
}
