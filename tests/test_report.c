/* Reports: SHA-256 against published digests, escaping, axes, pages of whole and broken results, failing memory. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>
#include "base/base.h"
#include "base/sha256.h"
#include "io/report.h"

static int set_up(void **state) { return !(*state = tamis_context_new()); }
static int tear_down(void **state) { tamis_context_free(*state); return 0; }

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
    check_escape(cx, "\xC3(", "\xEF\xBF\xBD(");                         /* cut short */
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
    static const struct { double x; const char *want; } known[] = {{0.123456, "0.1235"}, {-2, "\xE2\x88\x92" "2"}, {1e-9, "1e-09"}, {123456, "123456"}, {1500.5, "1500"}, {INFINITY, "\xE2\x80\x93"}, {-0.0, "0"}};
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
    static const double ends[][2] = {{0, 1}, {-5, 1e-9}, {1e-300, 1e300}, {-1e308, 1e308}, {3, 3}, {0, 0}, {NAN, 1}, {2, 1}, {1e300, 1.0000001e300}, {-1e-320, 1e-320}};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        for (int log = 0; log < 2; log++) {
            struct tamis_text t = {.cx = *state};
            struct tamis_plot p = {.t = &t, .width = 300, .height = 200};
            double at[] = {ends[i][0], (ends[i][0] / 2 + ends[i][1] / 2), ends[i][1]};
            tamis_plot_scale(&p.x, ends[i][0], ends[i][1], log);
            tamis_plot_scale(&p.y, ends[i][0], ends[i][1], log);
            assert_true(p.x.from < p.x.to);
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

static char *result_text(tamis_context *cx, const char *generator, const char *method, size_t *n)
{
    tamis_options *o = tamis_options_new(cx), *shape = tamis_options_new(cx);
    tamis_table *t = NULL;
    tamis_result *r = NULL;
    char *json = NULL;
    assert_int_equal(tamis_options_set(shape, "rows", "60"), TAMIS_OK);
    assert_int_equal(tamis_table_generate(cx, generator, shape, &t), TAMIS_OK);
    tamis_options_free(shape);
    assert_int_equal(tamis_options_set(o, "method", method), TAMIS_OK);
    assert_int_equal(tamis_options_set(o, "holdout", "0.25"), TAMIS_OK);
    tamis_select(cx, t, NULL, o, &r);
    assert_string_equal(tamis_error(cx), "");
    assert_int_equal(tamis_result_json(cx, r, &json, n), TAMIS_OK);
    tamis_result_free(r);
    tamis_table_free(t);
    tamis_options_free(o);
    return json;
}

static const char *const cases[][2] = {{"add10", "lars"}, {"add10", "lssvm"}, {"xor", "fei"}, {"add10", "opelm"}, {"noise", "sift"}};

static void pages_and_pictures(void **state)
{
    tamis_context *cx = *state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t n, length;
        char *json = result_text(cx, cases[i][0], cases[i][1], &n), *page, *again, *picture;
        assert_int_equal(tamis_report_html(cx, json, n, &page, &length), TAMIS_OK);
        assert_int_equal(length, strlen(page));
        assert_non_null(strstr(page, "id=\"answer\""));
        assert_int_equal(tamis_report_html(cx, json, n, &again, &length), TAMIS_OK);
        assert_string_equal(page, again);
        for (const struct tamis_picture *k = tamis_pictures; k->name; k++) {
            int status = tamis_report_figure(cx, json, n, k->name, &picture, &length);
            assert_true(status == TAMIS_OK ? !strncmp(picture, "<svg xmlns", 10) : status == TAMIS_DATA && !picture && *tamis_error(cx));
            tamis_release(picture);
        }
        tamis_release(page);
        tamis_release(again);
        tamis_release(json);
    }
}

/* Every k-th allocation fails: a status and no leak. */
static void failing_memory(void **state)
{
    tamis_context *cx = *state;
    size_t n, length;
    char *json = result_text(cx, "add10", "lssvm", &n), *out;
    int status = TAMIS_MEMORY;
    for (long k = 1; status; k++) {
        tamis_fail_allocation(cx, k);
        status = tamis_report_html(cx, json, n, &out, &length);
        assert_true(status == TAMIS_OK || (status == TAMIS_MEMORY && !out));
        tamis_release(out);
    }
    status = TAMIS_MEMORY;
    for (long k = 1; status; k++) {
        tamis_fail_allocation(cx, k);
        status = tamis_report_figure(cx, json, n, "profiles", &out, &length);
        assert_true(status == TAMIS_OK || (status == TAMIS_MEMORY && !out));
        tamis_release(out);
    }
    tamis_fail_allocation(cx, 0);
    tamis_release(json);
}

/* ---- evidence ---- */

static int select_once(tamis_context *cx, const tamis_table *t, const char *method, tamis_result **r)
{
    tamis_options *o = tamis_options_new(cx);
    int status = o ? tamis_options_set(o, "method", method) : TAMIS_MEMORY;
    if (!status) status = tamis_select(cx, t, NULL, o, r);
    tamis_options_free(o);
    return status;
}

static void evidence_with_failing_memory(void **state)
{
    tamis_context *cx = *state;
    static const char *const method[] = {"lars", "search"};
    tamis_options *o = tamis_options_new(cx);
    tamis_table *t = NULL;
    tamis_options_set(o, "rows", "24");
    assert_int_equal(tamis_table_generate(cx, "add10", o, &t), TAMIS_OK);
    for (size_t m = 0; m < 2; m++) {
        int status = TAMIS_MEMORY;
        for (long k = 1; status; k += 1 + k / 40) {
            tamis_result *r = NULL;
            tamis_fail_allocation(cx, k);
            status = select_once(cx, t, method[m], &r);
            assert_true(status == TAMIS_OK || status == TAMIS_MEMORY);
            assert_true((status == TAMIS_OK) == (r != NULL));
            tamis_result_free(r);
        }
        tamis_fail_allocation(cx, 0);
    }
    tamis_table_free(t);
    tamis_options_free(o);
}

static void broken_results(void **state)
{
    static const char *const text[] = {"", "{", "[]", "3", "{}", "{\"selected\": [}", "{\"a\": 1e999}", "{\"selected\": \"\\ud800\"}", "\xFF"};
    for (size_t i = 0; i < sizeof text / sizeof *text; i++) {
        char *out;
        size_t n;
        assert_int_equal(tamis_report_html(*state, text[i], strlen(text[i]), &out, &n), TAMIS_DATA);
        assert_null(out);
        assert_true(*tamis_error(*state));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(digests_are_the_published_ones, set_up, tear_down),
        cmocka_unit_test_setup_teardown(names_are_escaped, set_up, tear_down),
        cmocka_unit_test_setup_teardown(numbers_are_short, set_up, tear_down),
        cmocka_unit_test_setup_teardown(axes_hold_what_they_are_given, set_up, tear_down),
        cmocka_unit_test_setup_teardown(pages_and_pictures, set_up, tear_down),
        cmocka_unit_test_setup_teardown(failing_memory, set_up, tear_down),
        cmocka_unit_test_setup_teardown(evidence_with_failing_memory, set_up, tear_down),
        cmocka_unit_test_setup_teardown(broken_results, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
