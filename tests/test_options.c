/* Options as programs set them: numbers, flags and names beside text; older names; limits of one call. */
#include "base/options.h"
#include "unit.h"

struct settings { int flag, plain; size_t count; double real, size; struct tamis_names names; };
#define AT(f) offsetof(struct settings, f)
static const struct tamis_option rows[] = {
    {.name = "flag", .type = TAMIS_FLAG, .offset = AT(flag), .standard = "yes", .help = ""},
    {.name = "plain", .type = TAMIS_FLAG, .offset = AT(plain), .help = ""},
    {.name = "count", .type = TAMIS_COUNT, .offset = AT(count), .standard = "7", .least = 1, .largest = 1e15,
     .choices = "all", .help = "", .alias = "number"},
    {.name = "real", .type = TAMIS_REAL, .offset = AT(real), .least = -1e300, .largest = 1e300, .help = ""},
    {.name = "size", .type = TAMIS_SIZE, .offset = AT(size), .help = ""},
    {.name = "names", .type = TAMIS_NAMES, .offset = AT(names), .help = ""},
    {0}};
static const struct tamis_option_table tables[] = {{"test", rows}, {NULL, NULL}};

static struct settings read_back(tamis_context *cx, const tamis_options *o)
{
    struct settings s = {0};
    if (tamis_options_read(cx, o, rows, &s)) fail_msg("%s", tamis_error(cx));
    return s;
}

static void numbers_and_flags_are_set(void **state)
{
    tamis_context *cx = *state;
    tamis_options *o = tamis_options_create(cx, tables);
    assert_int_equal(tamis_options_set_number(o, "count", 123456789012), TAMIS_OK);
    assert_int_equal(tamis_options_set_number(o, "real", -0.1), TAMIS_OK);
    assert_int_equal(tamis_options_set_number(o, "size", 4e9), TAMIS_OK);
    assert_int_equal(tamis_options_set_flag(o, "flag", 0), TAMIS_OK);
    assert_int_equal(tamis_options_set_flag(o, "plain", 17), TAMIS_OK);
    struct settings s = read_back(cx, o);
    assert_true(s.count == 123456789012 && s.real == -0.1 && s.size == 4e9 && !s.flag && s.plain == 1);
    assert_string_equal(tamis_options_get(o, "plain"), "yes");
    tamis_options_free(o);
}

static void wrong_types_are_refused(void **state)
{
    tamis_context *cx = *state;
    tamis_options *o = tamis_options_create(cx, tables);
    double x = 5;
    int on = 5;
    assert_int_equal(tamis_options_set_number(o, "count", 2.5), TAMIS_USAGE);
    says(cx, "--count '2.5': expected a whole number from 1 to 1e+15, or all");
    assert_int_equal(tamis_options_set_number(o, "real", NAN), TAMIS_USAGE);
    assert_int_equal(tamis_options_set_number(o, "flag", 3), TAMIS_USAGE);
    assert_int_equal(tamis_options_set_number(o, "none", 3), TAMIS_USAGE);
    says(cx, "unknown option --none");
    assert_int_equal(tamis_options_set_flag(o, "real", 1), TAMIS_USAGE);
    says(cx, "--real is not a flag");
    assert_int_equal(tamis_options_set_flag(o, "none", 1), TAMIS_USAGE);
    says(cx, "unknown option --none");
    assert_int_equal(tamis_options_set_names(o, "none", NULL, 0), TAMIS_USAGE);
    assert_int_equal(tamis_options_get_number(o, "none", &x), TAMIS_USAGE);
    assert_int_equal(tamis_options_get_number(o, "real", &x), TAMIS_USAGE);
    says(cx, "--real is not set and has no default");
    assert_int_equal(tamis_options_get_number(o, "flag", &x), TAMIS_USAGE);
    assert_int_equal(tamis_options_get_flag(o, "count", &on), TAMIS_USAGE);
    says(cx, "--count '7' is not a flag");
    assert_int_equal(tamis_options_set(o, "count", "all"), TAMIS_OK);
    assert_int_equal(tamis_options_get_number(o, "count", &x), TAMIS_USAGE);
    says(cx, "--count 'all' is not a number");
    assert_true(x == 5 && on == 5);
    tamis_options_free(o);
}

static void set_values_or_defaults_are_read(void **state)
{
    tamis_options *o = tamis_options_create(*state, tables);
    double x = 0;
    int on = 0;
    assert_int_equal(tamis_options_get_number(o, "count", &x), TAMIS_OK);
    assert_true(x == 7);
    assert_int_equal(tamis_options_set(o, "size", "1.5GiB"), TAMIS_OK);
    assert_int_equal(tamis_options_get_number(o, "size", &x), TAMIS_OK);
    assert_true(x == 1.5 * 1024 * 1024 * 1024);
    assert_int_equal(tamis_options_get_flag(o, "flag", &on), TAMIS_OK);
    assert_int_equal(on, 1);
    assert_int_equal(tamis_options_get_flag(o, "plain", &on), TAMIS_OK);
    assert_int_equal(on, 0);
    assert_int_equal(tamis_options_set(o, "no-flag", NULL), TAMIS_OK);
    assert_int_equal(tamis_options_get_flag(o, "flag", &on), TAMIS_OK);
    assert_int_equal(on, 0);
    tamis_options_free(o);
}

static void names_come_back_as_they_were(void **state)
{
    static const char *const given[] = {"x1", "a,b", "\"quoted\"", "", "say \"hi\"", ",", "two words"};
    enum { N = sizeof given / sizeof *given };
    tamis_context *cx = *state;
    tamis_options *o = tamis_options_create(cx, tables);
    for (size_t from = 0; from < N; from++) {
        assert_int_equal(tamis_options_set_names(o, "names", given + from, N - from), TAMIS_OK);
        struct settings s = read_back(cx, o);
        assert_int_equal(s.names.count, N - from);
        for (size_t i = from; i < N; i++) assert_string_equal(s.names.name[i - from], given[i]);
    }
    assert_int_equal(tamis_options_set_names(o, "names", NULL, 0), TAMIS_OK);
    assert_int_equal(read_back(cx, o).names.count, 0);
    tamis_options_free(o);
}

static void an_alias_is_the_same_option(void **state)
{
    tamis_context *cx = *state;
    tamis_options *o = tamis_options_create(cx, tables);
    double x;
    assert_int_equal(tamis_options_set_number(o, "number", 12), TAMIS_OK);
    assert_string_equal(tamis_options_get(o, "count"), "12");
    assert_int_equal(tamis_options_get_number(o, "count", &x), TAMIS_OK);
    assert_true(x == 12 && read_back(cx, o).count == 12);
    assert_int_equal(tamis_options_set_number(o, "real", 3), TAMIS_OK);
    tamis_options_unset(o, "count");
    assert_null(tamis_options_get(o, "number"));
    assert_int_equal(read_back(cx, o).count, 7);
    assert_true(read_back(cx, o).real == 3);
    tamis_options_unset(o, "count");
    tamis_options_unset(o, "never there");
    tamis_options_free(o);
}

static void sizes_are_read(void **state)
{
    static const struct { const char *text; double bytes;
    } good[] = {{"1", 1},     {"4G", 4294967296.0},     {"500M", 524288000}, {"1.5GiB", 1610612736},
                {"2k", 2048}, {"3tb", 3298534883328.0}, {"1e9", 1e9}};
    static const char *const bad[] = {"", "G", "0", "-1G", "4X", "4GG", "4Gi", "nan", "inf", "4 G", "1,5G"};
    double x;
    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        assert_true(tamis_size_read(good[i].text, &x));
        assert_true(x == good[i].bytes);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (tamis_size_read(bad[i], &x)) fail_msg("'%s' was read as %g bytes", bad[i], x);
}

/* The options of a call take precedence over the context's limits, which come back afterwards. */
static void threads_and_memory_hold_for_one_call(void **state)
{
    tamis_context *cx = *state;
    tamis_context_limits(cx, 1, 5e9);
    tamis_table *t = made(cx, "friedman1", "60", "2");
    tamis_result *r = chosen(cx, t, NULL, OPTIONS("method", "lars", "threads", "3"));
    assert_int_equal(r->threads, 3);
    assert_int_equal(tamis_threads(cx), 1);
    tamis_result_free(r);
    tamis_options *o = OPTIONS("method", "sisal", "memory", "10K");
    assert_int_equal(tamis_select(cx, t, NULL, o, &r), TAMIS_MEMORY);
    assert_true(tamis_memory_limit(cx) > 4e9);
    tamis_options_free(o);
    o = tamis_options_new(cx);
    assert_int_equal(tamis_options_set(o, "memory", "much"), TAMIS_USAGE);
    says(cx, "--memory 'much': expected a size such as 500M or 4G");
    assert_int_equal(tamis_options_set(o, "threads", "0"), TAMIS_USAGE);
    says(cx, "expected a whole number from 1 to 1024, or all");
    tamis_options_free(o);
    tamis_table_free(t);
}

static void every_option_is_described(void **state)
{
    tamis_option_info o = {.size = sizeof o}, none = {0};
    struct { size_t size; const char *name; } old = {.size = sizeof old};
    size_t n = 0;
    (void)state;
    for (; tamis_option_at(n, &o); n++) {
        assert_true(o.name && o.type && o.help && o.part && o.kind);
        assert_true(!strcmp(o.type, "flag") == !o.argument);
        assert_true(tamis_option_at(n, (tamis_option_info *)&old));     /* a program that knows the first fields only */
        assert_string_equal(old.name, o.name);
        assert_true(old.size == sizeof old && o.size == sizeof o);
    }
    assert_true(n > 100);
    assert_false(tamis_option_at(0, &none));
    assert_null(none.name);
}

static int use_options(tamis_context *cx, void *nothing)
{
    static const char *const names[] = {"a,b", "c"};
    char *words[] = {"select", "t.csv"};
    (void)nothing;
    tamis_options *o = tamis_options_create(cx, tables), *copy = NULL;
    int status = o ? tamis_options_command(o, 2, words) : tamis_status(cx);
    if (!status) status = tamis_options_set_number(o, "real", 0.5);
    if (!status) status = tamis_options_set_names(o, "names", names, 2);
    if (!status && !(copy = tamis_options_copy(cx, o))) status = tamis_status(cx);
    tamis_options_free(copy);
    tamis_options_free(o);
    return status;
}

static void every_allocation_fails_once(void **state)
{
    assert_true(every_allocation_fails(*state, use_options, NULL, 500) > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(numbers_and_flags_are_set),
        TEST(wrong_types_are_refused),
        TEST(set_values_or_defaults_are_read),
        TEST(names_come_back_as_they_were),
        TEST(an_alias_is_the_same_option),
        TEST(sizes_are_read),
        TEST(threads_and_memory_hold_for_one_call),
        TEST(every_option_is_described),
        TEST(every_allocation_fails_once),
    };
    return cmocka_run_group_tests_name("options", tests, NULL, NULL);
}
