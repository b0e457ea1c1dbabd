/* Reports: SHA-256 against published digests, escaping, axes, pages and figures of whole and broken results, failing
 * memory. */
#include <time.h>
#include "base/sha256.h"
#include "io/report/report.h"
#include "unit.h"

/* ---- SHA-256 ---- */

static void digest_of(const void *bytes, size_t n, size_t piece, char hex[65], char base64[45])
{
    struct tamis_sha256 s;
    unsigned char digest[32];
    tamis_sha256_begin(&s);
    for (size_t i = 0; i < n; i += piece) tamis_sha256_add(&s, (const char *)bytes + i, n - i < piece ? n - i : piece);
    tamis_sha256_end(&s, digest);
    tamis_sha256_hex(digest, hex);
    tamis_sha256_base64(digest, base64);
}

static void digests_are_the_published_ones(void **state)
{
    static const char two[] = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
    char hex[65], base64[45], *a = malloc(1000000);
    (void)state;
    digest_of("abc", 3, 3, hex, base64);
    assert_string_equal(hex, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    assert_string_equal(base64, "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=");
    digest_of("", 0, 1, hex, base64);
    assert_string_equal(hex, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    digest_of(two, strlen(two), 5, hex, base64);
    assert_string_equal(hex, "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    memset(a, 'a', 1000000);
    digest_of(a, 1000000, 977, hex, base64);
    assert_string_equal(hex, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    free(a);
}

/* ---- text ---- */

static void check_escape(tamis_context *cx, const char *in, const char *want)
{
    struct tamis_text t = {.cx = cx};
    tamis_html(&t, in);
    assert_string_equal(t.s, want);
    tamis_text_free(&t);
}

static void names_are_escaped(void **state)
{
    tamis_context *cx = *state;
    struct tamis_text t = {.cx = cx};
    check_escape(cx, "a<b>&\"'`", "a&lt;b&gt;&amp;&quot;&#39;&#96;");
    check_escape(cx, "\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80", "\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80");
    check_escape(cx, "\xC3(", "\xEF\xBF\xBD(");                         /* truncated */
    check_escape(cx, "\xC0\xBC", "\xEF\xBF\xBD");                       /* '<' in two bytes */
    check_escape(cx, "\xED\xA0\x80", "\xEF\xBF\xBD");                   /* a surrogate */
    check_escape(cx, "\xF5\x80\x80\x80", "\xEF\xBF\xBD");          /* past the last character */
    check_escape(cx, "a\x01\x1B[1m\x7F", "a\xEF\xBF\xBD\xEF\xBF\xBD[1m\xEF\xBF\xBD");
    tamis_html_short(&t, "abcdef<", 4);
    assert_string_equal(t.s, "abc\xE2\x80\xA6");
    tamis_text_free(&t);
}

static void numbers_are_short(void **state)
{
    static const struct {
        double x;
        const char *want;
    } known[] = {{0.123456, "0.1235"},
                 {-2, "\xE2\x88\x92"
                      "2"},
                 {1e-9, "1e-09"},
                 {123456, "123456"},
                 {1500.5, "1500"},
                 {INFINITY, "\xE2\x80\x93"},
                 {-0.0, "0"}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        struct tamis_text t = {.cx = *state};
        tamis_html_number(&t, known[i].x, 4);
        assert_string_equal(t.s, known[i].want);
        tamis_text_free(&t);
    }
}

/* ---- axes ---- */

static void axes_hold_what_they_are_given(void **state)
{
    static const double ends[][2] = {{0, 1}, {-5, 1e-9}, {1e-300, 1e300}, {-1e308, 1e308},        {3, 3},
                                     {0, 0}, {NAN, 1},   {2, 1},          {1e300, 1.0000001e300}, {-1e-320, 1e-320}};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        for (int log = 0; log < 2; log++) {
            struct tamis_text t = {.cx = *state};
            struct tamis_plot p = {.t = &t, .width = 300, .height = 200};
            double at[] = {ends[i][0], (ends[i][0] / 2 + ends[i][1] / 2), ends[i][1]};
            tamis_plot_scale(&p.x, ends[i][0], ends[i][1], log);
            tamis_plot_scale(&p.y, ends[i][0], ends[i][1], log);
            assert_below(p.x.from, p.x.to);
            tamis_plot_begin(&p, "x");
            tamis_plot_axes(&p, "x", "y");
            tamis_plot_line(&p, at, at, 3, "c1", "a|b");
            tamis_plot_end(&p);
            assert_false(t.failed);
            assert_null(strstr(t.s, "nan"));
            assert_null(strstr(t.s, "inf"));
            tamis_text_free(&t);
        }
}

/* ---- pages ---- */

/* NULL where it does not parse. */
static tamis_value *parsed(tamis_context *cx, const char *text, size_t n)
{
    tamis_value *v;
    int status = tamis_value_parse(cx, text, n, &v);
    assert_true((status == TAMIS_OK) == (v != NULL) && (v || *tamis_error(cx)));
    return v;
}

static tamis_value *held_out_result(tamis_context *cx, const char *generator, const char *method)
{
    tamis_table *t = made(cx, generator, "60", "1");
    tamis_result *r = chosen(cx, t, NULL, OPTIONS("method", method, "holdout", "0.25"));
    char *text = NULL;
    size_t n;
    assert_int_equal(tamis_result_json(cx, r, &text, &n), TAMIS_OK);
    tamis_value *result = parsed(cx, text, n);
    assert_non_null(result);
    tamis_release(text);
    tamis_result_free(r);
    tamis_table_free(t);
    return result;
}

static const char *const cases[][2] = {
    {"add10", "lars"}, {"add10", "lssvm"}, {"xor", "fei"}, {"add10", "opelm"}, {"noise", "sift"}};

/* A picture where the figure is applicable, a sentence where it is not. */
static void check_figures(tamis_context *cx, const tamis_value *result)
{
    const struct tamis_figure *f;
    char *svg;
    size_t length;
    for (size_t i = 0; (f = tamis_figure_at(i)); i++) {
        int status = tamis_report_figure(cx, result, f->name, &svg, &length);
        assert_int_equal(status, f->applicable(result) ? TAMIS_OK : TAMIS_DATA);
        assert_true(status ? !svg && *tamis_error(cx) : !strncmp(svg, "<svg xmlns", 10) && strlen(svg) == length);
        tamis_release(svg);
    }
}

static void pages_and_figures(void **state)
{
    tamis_context *cx = *state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t length;
        tamis_value *result = held_out_result(cx, cases[i][0], cases[i][1]);
        char *page, *again;
        assert_int_equal(tamis_report_html(cx, result, &page, &length), TAMIS_OK);
        assert_int_equal(length, strlen(page));
        assert_non_null(strstr(page, "id=\"answer\""));
        assert_int_equal(tamis_report_html(cx, result, &again, &length), TAMIS_OK);
        assert_string_equal(page, again);
        check_figures(cx, result);
        tamis_release(page);
        tamis_release(again);
        tamis_value_free(result);
    }
}

/* Any string in a result, even the name of a member, may be hostile. */
static char *with_hostile(const char *json, size_t which)
{
    static const char hostile[] = "x'><img src=x><script>1</script><style>*{}</style>";
    const char *from = json, *to = NULL;
    for (size_t k = 0; (from = strchr(from, '"')); k++, from = to + 1) {
        for (to = from + 1; *to != '"'; to++) to += *to == '\\';
        if (k < which) continue;
        char *out = malloc(strlen(json) + sizeof hostile);
        sprintf(out, "%.*s%s%s", (int)(from + 1 - json), json, hostile, to);
        return out;
    }
    return NULL;
}

static void hostile_result(tamis_context *cx, const tamis_value *result)
{
    static const char *const word[] = {"<img", "<script", "</script", "<style"};
    static const size_t own[] = {0, 2, 2, 1};
    char *out;
    size_t n;
    if (tamis_report_html(cx, result, &out, &n)) {              /* a member that must be there */
        assert_null(out);
        return;
    }
    for (size_t i = 0; i < 4; i++) {
        size_t count = 0;
        for (const char *s = out; (s = strstr(s, word[i])); s++) count++;
        assert_int_equal(count, own[i]);
    }
    tamis_release(out);
    const struct tamis_figure *f;
    for (size_t i = 0; (f = tamis_figure_at(i)); i++) {
        if (!tamis_report_figure(cx, result, f->name, &out, &n)) assert_null(strstr(out, "<img"));
        tamis_release(out);
    }
}

static void hostile_text(tamis_context *cx, const char *json)
{
    char *text;
    size_t many = 0;
    for (; (text = with_hostile(json, many)); many++, free(text)) {
        tamis_value *result = parsed(cx, text, strlen(text));
        assert_non_null(result);
        hostile_result(cx, result);
        tamis_value_free(result);
    }
    assert_above(many, 50);
}

enum { SEED = 16384 };

/* A stored result, tests/fuzz/seeds/result/NAME.json. */
static void seed_read(const char *seed, char text[SEED])
{
    char name[80];
    snprintf(name, sizeof name, "tests/fuzz/seeds/result/%s.json", seed);
    FILE *f = fopen(name, "rb");
    assert_non_null(f);
    text[fread(text, 1, SEED - 1, f)] = 0;
    fclose(f);
}

static void every_text_is_escaped(void **state)
{
    static const char *const seed[] = {"compare", "fei", "lssvm", "rjmcmc", "sift", "sift-0.1", "sisal", "spectra"};
    for (size_t i = 0; i < sizeof seed / sizeof *seed; i++) {
        char text[SEED];
        seed_read(seed[i], text);
        hostile_text(*state, text);
    }
}

static int page_once(tamis_context *cx, void *what)
{
    char *out;
    size_t length;
    int status = tamis_report_html(cx, what, &out, &length);
    if (status) assert_null(out);
    tamis_release(out);
    return status;
}

static int figure_once(tamis_context *cx, void *what)
{
    char *out;
    size_t length;
    int status = tamis_report_figure(cx, what, "profiles", &out, &length);
    if (status) assert_null(out);
    tamis_release(out);
    return status;
}

/* Every k-th allocation fails: a status and no leak. */
static void failing_memory(void **state)
{
    tamis_value *result = held_out_result(*state, "add10", "lssvm");
    assert_true(every_allocation_fails(*state, page_once, result, 5000) > 5);
    assert_true(every_allocation_fails(*state, figure_once, result, 5000) > 5);
    tamis_value_free(result);
    char text[SEED];
    seed_read("sift", text);
    result = parsed(*state, text, strlen(text));
    assert_true(every_allocation_fails(*state, page_once, result, 5000) > 5);
    tamis_value_free(result);
}

/* ---- evidence ---- */

struct method_run { const tamis_table *t; const char *method; };

static int select_once(tamis_context *cx, void *what)
{
    const struct method_run *run = what;
    tamis_result *r = NULL;
    tamis_options *o = tamis_options_new(cx);
    int status = o ? tamis_options_set(o, "method", run->method) : TAMIS_MEMORY;
    if (!status) status = tamis_select(cx, run->t, NULL, o, &r);
    assert_true((status == TAMIS_OK) == (r != NULL));
    tamis_result_free(r);
    tamis_options_free(o);
    return status;
}

static void evidence_with_failing_memory(void **state)
{
    tamis_context *cx = *state;
    tamis_table *t = made(cx, "add10", "24", "1");
    struct method_run run[] = {{t, "lars"}, {t, "search"}};
    for (size_t m = 0; m < 2; m++) assert_above(allocations_fail(cx, select_once, &run[m], 200), 100);
    tamis_table_free(t);
}

static void broken_results(void **state)
{
    static const char *const text[] = {
        "", "{", "[]", "3", "{\"selected\": [}", "{\"a\": 1e999}", "{\"selected\": \"\\ud800\"}", "\xFF"};
    for (size_t i = 0; i < sizeof text / sizeof *text; i++) assert_null(parsed(*state, text[i], strlen(text[i])));
}

static void other_values_are_not_results(void **state)
{
    static const char *const text[] = {"{}", "{\"a\": 1}", "{\"methods\": {}}"};
    for (size_t i = 0; i < sizeof text / sizeof *text; i++) {
        tamis_value *v = parsed(*state, text[i], strlen(text[i]));
        char *out;
        size_t n;
        assert_int_equal(tamis_report_html(*state, v, &out, &n), TAMIS_DATA);
        assert_null(out);
        assert_true(*tamis_error(*state));
        assert_int_equal(tamis_report_figure(*state, v, NULL, &out, &n), TAMIS_DATA);
        assert_null(out);
        tamis_value_free(v);
    }
    char *out;
    size_t n;
    assert_int_equal(tamis_report_html(*state, NULL, &out, &n), TAMIS_DATA);
    assert_null(out);
}

/* ---- a figure of the test's own, through the table only ---- */

static int dummy_applicable(const tamis_value *result) { return !isnan(tamis_value_number(result, "dummy")); }

static void dummy_draw(struct tamis_page *p)
{
    struct tamis_plot plot = {.t = p->t, .width = 80, .height = 60, .alone = p->alone};
    tamis_plot_begin(&plot, "a dummy");
    tamis_svg_value(p->t, 20, 20, tamis_value_number(p->root, "dummy"));
    tamis_plot_end(&plot);
}

static const struct tamis_figure dummy = {.name = "dummy",
                                          .label = "a dummy",
                                          .summary = "one number",
                                          .applicable = dummy_applicable,
                                          .draw = dummy_draw};
const struct tamis_figure *const tamis_extra_figures[] = {&dummy, NULL};

static void a_row_adds_a_figure(void **state)
{
    static const char with[] = "{\"selected\": [], \"dummy\": 4.25}",
                      without[] = "{\"selected\": [], \"dummy\": \"x\"}";
    tamis_value *yes = parsed(*state, with, strlen(with)), *no = parsed(*state, without, strlen(without));
    char *svg;
    size_t n;
    assert_int_equal(tamis_report_figure(*state, yes, "dummy", &svg, &n), TAMIS_OK);
    assert_non_null(strstr(svg, ">4.25<"));
    tamis_release(svg);
    assert_int_equal(tamis_report_figure(*state, yes, NULL, &svg, &n), TAMIS_OK);       /* no other has anything */
    tamis_release(svg);
    assert_int_equal(tamis_report_figure(*state, no, "dummy", &svg, &n), TAMIS_DATA);
    assert_non_null(strstr(tamis_error(*state), "one number"));
    assert_null(svg);
    tamis_value_free(yes);
    tamis_value_free(no);
}

/* The sentence names every figure; their names are unique. */
static void unknown_figures_are_refused(void **state)
{
    const struct tamis_figure *f, *g;
    tamis_value *v = parsed(*state, "{\"selected\": []}", 16);
    char *svg;
    size_t n;
    assert_int_equal(tamis_report_figure(*state, v, "pie", &svg, &n), TAMIS_USAGE);
    assert_null(svg);
    for (size_t i = 0; (f = tamis_figure_at(i)); i++) {
        assert_non_null(strstr(tamis_error(*state), f->name));
        assert_true(*f->label && *f->summary);
        for (size_t k = 0; k < i && (g = tamis_figure_at(k)); k++) assert_string_not_equal(f->name, g->name);
    }
    tamis_value_free(v);
}

/* The criterion goes by the label that the result has for it. */
static void criteria_have_labels(void **state)
{
    static const struct {
        const char *json, *want;
    } known[] = {
        {"{\"selected\": [\"a\"], \"error\": {\"criterion\": \"loo\", \"label\": \"leave-one-out error\", "
         "\"selected\": 1}}",
         "<dt>leave-one-out error</dt>"},
        {"{\"selected\": [\"a\"], \"error\": {\"criterion\": \"knn-loo\", \"selected\": 1}}", "<dt>knn-loo</dt>"},
        {"{\"selected\": [\"a\"], \"error\": {\"label\": 3, \"selected\": 1}}", "<dt>criterion</dt>"}};
    for (size_t i = 0; i < 3; i++) {
        tamis_value *v = parsed(*state, known[i].json, strlen(known[i].json));
        char *html;
        size_t n;
        assert_int_equal(tamis_report_html(*state, v, &html, &n), TAMIS_OK);
        assert_non_null(strstr(html, known[i].want));
        tamis_release(html);
        tamis_value_free(v);
    }
}

/* ---- the model of sift ---- */

static size_t occurrences(const char *text, const char *what)
{
    size_t n = 0;
    for (; (text = strstr(text, what)); text++) n++;
    return n;
}

static char *page_of(tamis_context *cx, const char *json)
{
    tamis_value *v = parsed(cx, json, strlen(json));
    char *html;
    size_t n;
    assert_non_null(v);
    assert_int_equal(tamis_report_html(cx, v, &html, &n), TAMIS_OK);
    tamis_value_free(v);
    return html;
}

static void the_model_is_shown(void **state)
{
    static const char *const want[] = {
        "The path started from a sum of 9 terms and a Gaussian network.",
        "2 are interactions",
        "<li><bdi>lstat</bdi><li>",
        "<li><bdi>nox</bdi> \xC3\x97 <bdi>dis</bdi><li>",
        "<li><bdi>rm</bdi> \xC3\x97 <bdi>tax</bdi> \xC3\x97 <bdi>age</bdi></ul>",
        "<b>7 terms</b> (66 basis functions) and <b>300 Gaussians</b>",
        "<tr class=\"on\"><th scope=\"row\">network<td class=\"r\">366<td class=\"r\">0.133",
        "folds over all splits (3 splits of the rows into 5 folds)",
        "<b>0.118</b> \xC2\xB1 0.02",
        "predicting the mean scores 1.01"};
    char text[SEED], *svg;
    size_t n;
    seed_read("sift", text);
    char *html = page_of(*state, text);
    for (size_t i = 0; i < sizeof want / sizeof *want; i++)
        if (!strstr(html, want[i])) fail_msg("not on the page: %s", want[i]);
    assert_null(strstr(html, "which predict better"));
    tamis_release(html);
    tamis_value *v = parsed(*state, text, strlen(text));
    assert_int_equal(tamis_report_figure(*state, v, "ladder", &svg, &n), TAMIS_OK);
    assert_int_equal(occurrences(svg, "<title>"), 8);                   /* models */
    assert_int_equal(occurrences(svg, "class=\"ring\""), 2);            /* the one taken, and the key */
    assert_int_equal(occurrences(svg, ", taken\n366 basis functions\nerror 0.133"), 1);
    tamis_release(svg);
    tamis_value_free(v);
}

/* No ladder, as in results of older versions: no section. One model: no figure. No input: neither. */
static void there_may_be_no_model(void **state)
{
    static const char *const text[] = {
        "{\"method\": \"sift\", \"selected\": [\"a\"], \"sift\": {\"start\": \"terms\", \"terms\": [[\"a\"]]}}",
        "{\"method\": \"sift\", \"selected\": [], \"sift\": {\"start\": \"none\", \"terms\": [], \"ladder\": []}}",
        ("{\"method\": \"sift\", \"selected\": [\"a\"], \"sift\": {\"start\": \"network\", \"terms\": [], \"ladder\": "
         "[{\"model\": \"network\", \"basis_functions\": 5, \"error\": 1, \"taken\": true}]}}")};
    char old[SEED], *svg;
    size_t n;
    seed_read("sift-0.1", old);
    for (size_t i = 0; i < 4; i++) {
        const char *json = i < 3 ? text[i] : old;
        tamis_value *v = parsed(*state, json, strlen(json));
        char *html = page_of(*state, json);
        assert_int_equal(strstr(html, "<section id=\"model\"") != NULL, i == 2);
        assert_int_equal(strstr(html, "a Gaussian network, without terms") != NULL, i == 2);
        assert_int_equal(tamis_report_figure(*state, v, "ladder", &svg, &n), TAMIS_DATA);
        tamis_release(html);
        tamis_value_free(v);
    }
}

/* Twenty are listed, of more the first nineteen. */
static void many_terms_are_cut(void **state)
{
    for (size_t terms = 20; terms <= 21; terms++) {
        struct tamis_text t = {.cx = *state};
        tamis_text_puts(&t, "{\"method\": \"sift\", \"selected\": [\"a\"], \"sift\": {\"ladder\": [{}], \"start\": "
                            "\"terms\", \"terms\": [");
        for (size_t i = 0; i < terms; i++) tamis_text_printf(&t, "%s[\"x%zu\"]", i ? ", " : "", i);
        tamis_text_puts(&t, "]}}");
        char *html = page_of(*state, t.s);
        assert_int_equal(occurrences(html, "<li><bdi>x"), terms == 20 ? 20 : 19);
        assert_int_equal(strstr(html, "and 2 more</ul>") != NULL, terms == 21);
        tamis_release(html);
        tamis_text_free(&t);
    }
}

/* Worse than all inputs by more than the standard error is said in the first sentences, less is not. */
static void all_inputs_may_be_better(void **state)
{
    static const char *const error[] = {"0.31", "0.29"};
    for (size_t i = 0; i < 2; i++) {
        char text[200];
        snprintf(text, sizeof text,
                 "{\"selected\": [\"a\"], \"error\": {\"all_inputs\": 0.2, \"selected\": %s, \"selected_se\": 0.1}}",
                 error[i]);
        char *html = page_of(*state, text);
        assert_int_equal(strstr(html, "against 0.2 with all inputs, <b>which predict better</b>") != NULL, i == 0);
        tamis_release(html);
    }
}

/* 20,000 inputs in the opposite order of their frequencies: a page takes seconds if every lookup is linear. */
static void many_inputs(void **state)
{
    enum { MANY = 20000 };
    struct tamis_text t = {.cx = *state};
    tamis_text_puts(&t, "{\"selected\": [\"x7\"], \"inputs\": [");
    for (int i = 0; i < MANY; i++)
        tamis_text_printf(&t, "%s{\"name\": \"x%d\", \"selected\": %s, \"relevance\": %d}", i ? ", " : "", i,
                          i == 7 ? "true" : "false", i);
    tamis_text_puts(&t, "], \"bootstrap\": {\"frequency\": {");
    for (int i = MANY; i--;) tamis_text_printf(&t, "\"x%d\": %g%s", i, i == 7 ? 0.875 : 0, i ? ", " : "}}}");
    tamis_value *v = parsed(*state, t.s, t.length);
    char *html;
    size_t n;
    clock_t begin = clock();
    assert_int_equal(tamis_report_html(*state, v, &html, &n), TAMIS_OK);
    assert_true(clock() - begin < 2 * CLOCKS_PER_SEC);
    assert_non_null(
        strstr(html, "<bdi>x7</bdi><td class=\"r\">\xE2\x80\x93<td>yes<td class=\"r\">7<td class=\"r\">0.875"));
    tamis_release(html);
    tamis_text_free(&t);
    tamis_value_free(v);
}

/* ---- axes of dates ---- */

/* From a second to centuries: ticks ascend inside the axis, neither one nor too many, and no two labels are alike. */
static void ticks_of_dates(void **state)
{
    static const double begins[] = {19675.3, 0, 19722.9999, -40000.25, 19814};
    (void)state;
    for (size_t b = 0; b < sizeof begins / sizeof *begins; b++)
        for (double wide = 20 / 86400.; wide < 2e5; wide *= 1.37)
            for (int count = 3; count <= 8; count++) {
                double at[24];
                char one[32], two[32];
                struct tamis_axis a = {.from = begins[b], .to = begins[b] + wide};
                size_t n = tamis_date_ticks(&a, count, at, 24);
                assert_true(n >= 1 && n <= (size_t)count + 1);
                for (size_t i = 0; i < n; i++) {
                    assert_true(at[i] >= a.from - 1e-5 && at[i] <= a.to + 1e-5 && (!i || at[i] > at[i - 1]));
                    tamis_date_label(at, n, i, one);
                    if (i) assert_string_not_equal(one, tamis_date_label(at, n, i - 1, two));
                }
            }
}

static void labels_of_dates(void **state)
{
    static const struct { double from, to; int count; const char *label[3]; } known[] = {
        {19722.9, 19726.2, 4, {"2024-01-01", "2024-01-02", "2024-01-03"}},
        {19723.4, 19724.1, 3, {"12:00", "18:00", "2024-01-02"}},
        {19723.001, 19723.0023, 4, {"00:01:30", "00:02:00", "00:02:30"}},
        {19722.9, 19840, 4, {"2024-01", "2024-02", "2024-03"}},
        {19722.9, 21000, 4, {"2024", "2025", "2026"}}};
    (void)state;
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        double at[24];
        char text[32];
        struct tamis_axis a = {.from = known[k].from, .to = known[k].to};
        size_t n = tamis_date_ticks(&a, known[k].count, at, 24);
        assert_true(n >= 3);
        for (size_t i = 0; i < 3; i++) assert_string_equal(tamis_date_label(at, n, i, text), known[k].label[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(ticks_of_dates),
        TEST(labels_of_dates),
        TEST(digests_are_the_published_ones),
        TEST(names_are_escaped),
        TEST(numbers_are_short),
        TEST(axes_hold_what_they_are_given),
        TEST(pages_and_figures),
        TEST(every_text_is_escaped),
        TEST(failing_memory),
        TEST(evidence_with_failing_memory),
        TEST(broken_results),
        TEST(other_values_are_not_results),
        TEST(a_row_adds_a_figure),
        TEST(unknown_figures_are_refused),
        TEST(criteria_have_labels),
        TEST(many_inputs),
        TEST(the_model_is_shown),
        TEST(there_may_be_no_model),
        TEST(many_terms_are_cut),
        TEST(all_inputs_may_be_better),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
