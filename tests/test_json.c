/* Reading JSON: what is valid becomes values, what is not is refused with its line. Texts lie in memory of exactly
 * their size, so that a sanitizer sees a byte read too far. */
#include "unit.h"
#include "io/json_read.h"

static int parse(tamis_context *cx, const char *text, size_t n, int unique, tamis_value **v)
{
    char *copy = malloc(n ? n : 1);
    memcpy(copy, text, n);
    forget(cx);
    int status = tamis_json_parse(cx, copy, n, unique, v);
    assert_int_equal(status == TAMIS_OK, *v != NULL);
    free(copy);
    return status;
}

static tamis_value *parsed(tamis_context *cx, const char *text)
{
    tamis_value *v = NULL;
    if (parse(cx, text, strlen(text), 1, &v)) fail_msg("%s: %s", text, tamis_error(cx));
    return v;
}

static void values_are_read(void **state)
{
    tamis_value *v = parsed(*state,
                            " {\"a\" : [ 1, null ,-2.5e1 ] ,\n\"b\":{\"c\":true,\"d\":false,\"e\":null},\t\"f\":\"g\","
                            "\"h\":[],\"i\":[null],\"j\":[1,\"x\",[2]],\"k\":{},\"l\":-0.0,\"m\":0.1 }\r\n");
    size_t n;
    const double *a = tamis_value_numbers(v, "a", &n);
    assert_int_equal(n, 3);
    assert_close(a[0], 1, 0);
    assert_true(isnan(a[1]));
    assert_close(a[2], -25, 0);
    assert_true(tamis_value_flag(v, "b.c"));
    assert_int_equal(tamis_value_kind(tamis_value_at(v, "b.d")), TAMIS_VALUE_FLAG);
    assert_false(tamis_value_flag(v, "b.d"));
    assert_int_equal(tamis_value_kind(tamis_value_at(v, "b.e")), TAMIS_VALUE_NULL);
    assert_string_equal(tamis_value_text(v, "f"), "g");
    assert_int_equal(tamis_value_kind(tamis_value_at(v, "h")), TAMIS_VALUE_LIST);
    assert_int_equal(tamis_value_kind(tamis_value_at(v, "i")), TAMIS_VALUE_LIST);
    assert_int_equal(tamis_value_length(tamis_value_at(v, "j")), 3);
    assert_close(tamis_value_item_number(tamis_value_item(tamis_value_at(v, "j"), 2), 0), 2, 0);
    assert_int_equal(tamis_value_length(tamis_value_at(v, "k")), 0);
    assert_true(signbit(tamis_value_number(v, "l")));
    assert_close(tamis_value_number(v, "m"), 0.1, 0);
    assert_int_equal(tamis_value_length(v), 9);
    tamis_value_free(v);
}

static void strings_are_decoded(void **state)
{
    static const struct { const char *json, *text; } cases[] = {
        {"\\\"\\\\\\/\\b\\f\\n\\r\\t", "\"\\/\b\f\n\r\t"}, {"\\u00e9\\u20AC", "\xC3\xA9\xE2\x82\xAC"},
        {"\\ud83d\\ude00!", "\xF0\x9F\x98\x80!"},           {"\xC3\xA9\xF0\x9F\x98\x80", "\xC3\xA9\xF0\x9F\x98\x80"},
        {"", ""},                                           {"\\u007f\x7f", "\x7f\x7f"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[200];
        snprintf(text, sizeof text, "{\"%s\": \"%s\"}", cases[i].json, cases[i].json);
        tamis_value *v = parsed(*state, text);
        assert_string_equal(tamis_value_key(v, 0), cases[i].text);
        assert_string_equal(tamis_value_text(tamis_value_item(v, 0), NULL), cases[i].text);
        tamis_value_free(v);
    }
}

static void what_is_not_json_is_refused(void **state)
{
    static const char *const inside[] = {
        "", "tru", "nul", "nulll", "TRUE", "NaN", "Infinity", "-", "+1", "01", "1.", ".5", "1e", "1e+", "0x1", "1 2",
        "1e999", "-1e999", "[1,]", "[,1]", "[1 2]", "[1", "[", "]", "[1}", "[null", "[1,n]", "{1:2}", "{\"x\"}",
        "{\"x\":}", "{\"x\":1,}", "{\"x\" 1}", "{,}", "\"", "\"\\x\"", "\"\\u12\"", "\"\\u0000\"", "\"\\ud800\"",
        "\"\\udc00\"", "\"\\ud800\\u0041\"", "\"\\u12g4\"", "\"\t\"", "\"\xff\"", "\"\xC3\"", "\"\xED\xA0\x80\"",
        "'x'", "// x", "{\"x\":1,\"x\":2}"
    };
    tamis_value *v;
    char text[80];
    for (size_t i = 0; i < sizeof inside / sizeof *inside; i++) {
        snprintf(text, sizeof text, "{\n\"a\":\n%s\n}", inside[i]);
        if (parse(*state, text, strlen(text), 1, &v) != TAMIS_DATA) fail_msg("%s is taken", text);
        says(*state, "not valid JSON");
    }
}

static void every_prefix_is_refused(void **state)
{
    static const char text[] = "{\"ab\": [12, null, \"\\ud83d\\ude00\xC3\xA9\", true], \"c\": {\"d\": -1.5e-3}}";
    tamis_value *v;
    for (size_t n = 0; n + 1 < sizeof text - 1; n++) assert_int_equal(parse(*state, text, n, 1, &v), TAMIS_DATA);
    assert_int_equal(parse(*state, text, sizeof text - 1, 1, &v), TAMIS_OK);
    tamis_value_free(v);
    assert_int_equal(parse(*state, text, sizeof text, 1, &v), TAMIS_DATA);     /* with the 0 at its end */
    says(*state, "character 0");
}

static void the_line_is_named(void **state)
{
    tamis_value *v;
    assert_int_equal(parse(*state, "{\n\"a\": 1,\n\n\"b\": x}", 19, 1, &v), TAMIS_DATA);
    says(*state, "line 4: not valid JSON: expected a value");
    assert_int_equal(parse(*state, "{} {}", 5, 1, &v), TAMIS_DATA);
    says(*state, "more after its end");
    assert_int_equal(parse(*state, "[1]", 3, 1, &v), TAMIS_DATA);
    says(*state, "not an object");
    assert_int_equal(parse(*state, "", 0, 1, &v), TAMIS_DATA);
}

static void depth_is_bounded(void **state)
{
    enum { DEEP = 100000 };
    char *text = malloc(DEEP);
    tamis_value *v;
    memcpy(text, "{\"a\":", 5);
    memset(text + 5, '[', DEEP - 5);
    assert_int_equal(parse(*state, text, DEEP, 1, &v), TAMIS_DATA);
    says(*state, "too deeply");
    memset(text + 5 + 400, ']', 400);
    text[805] = '}';
    assert_int_equal(parse(*state, text, 806, 1, &v), TAMIS_OK);
    tamis_value_free(v);
    free(text);
}

static void of_two_keys_the_first_counts(void **state)
{
    tamis_value *v;
    assert_int_equal(parse(*state, "{\"a\":1,\"a\":2,\"b\":3}", 19, 0, &v), TAMIS_OK);
    assert_close(tamis_value_number(v, "a"), 1, 0);
    assert_close(tamis_value_number(v, "b"), 3, 0);
    tamis_value_free(v);
}

static int read_once(tamis_context *cx, void *text)
{
    tamis_value *v = NULL;
    int status = tamis_value_parse(cx, text, strlen(text), &v);
    assert_int_equal(status == TAMIS_OK, v != NULL);
    tamis_value_free(v);
    return status;
}

static void every_allocation_may_fail(void **state)
{
    char text[] = "{\"a\": [1, 2], \"b\": {\"c\": \"text\", \"d\": [\"\\u00e9\", {}]}, \"e\": true}";
    assert_above(every_allocation_fails(*state, read_once, text, 500), 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(values_are_read),
                                       TEST(strings_are_decoded),
                                       TEST(what_is_not_json_is_refused),
                                       TEST(every_prefix_is_refused),
                                       TEST(the_line_is_named),
                                       TEST(depth_is_bounded),
                                       TEST(of_two_keys_the_first_counts),
                                       TEST(every_allocation_may_fail)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
