/* Base: errors, memory, options, random streams, the parallel loop, packed files, text. */
#include <signal.h>
#include <sys/wait.h>
#include "base/nearest.h"
#include "base/number.h"
#include "base/options.h"
#include "base/pack.h"
#include "base/parallel.h"
#include "base/rng_dist.h"
#include "base/value.h"
#include "unit.h"

/* ---- random numbers ---- */

static void philox_known_answers(void **state)
{
    (void)state;                                        /* kat_vectors of the Random123 distribution */
    uint32_t c[3][4] = {{0, 0, 0, 0}, {~0u, ~0u, ~0u, ~0u}, {0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}};
    uint32_t k[3][2] = {{0, 0}, {~0u, ~0u}, {0xa4093822, 0x299f31d0}};
    uint32_t want[3][4] = {{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8},
                           {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd},
                           {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}};
    for (int i = 0; i < 3; i++) {
        uint32_t out[4];
        tamis_philox(c[i], k[i], out);
        assert_memory_equal(out, want[i], sizeof out);
    }
}

/* Words come in the order of the counters, beyond 2^32 of them. */
static void words_are_those_of_the_counters(void **state)
{
    (void)state;
    struct tamis_rng r;
    tamis_rng_init(&r, 0x123456789abcdefull, TAMIS_RNG_TEST, 7);
    r.counter[0] = 0xfffffffcu;
    for (uint64_t block = 0xfffffffcu; block < 0x100000020u; block++) {
        uint32_t c[4] = {(uint32_t)block, (uint32_t)(block >> 32), 7, TAMIS_RNG_TEST}, want[4];
        tamis_philox(c, r.key, want);
        for (int i = 0; i < 4; i++) assert_int_equal(tamis_rng_word(&r), want[i]);
    }
    struct tamis_rng one = r, two = r;
    for (int i = 0; i < 100; i++) {                                     /* also pairs that begin at an odd word */
        uint64_t high = tamis_rng_word(&one), low = tamis_rng_word(&one);
        assert_true(tamis_rng_words(&two) == (high << 32 | low));
        if (i % 7 == 0) assert_int_equal(tamis_rng_word(&one), tamis_rng_word(&two));
    }
}

static void normals_have_normal_moments(void **state)
{
    (void)state;
    enum { N = 200000 };
    struct tamis_rng r;
    double m[4] = {0}, u1 = 0, u2 = 0;
    tamis_rng_init(&r, 987654321, TAMIS_RNG_TEST, 7);
    for (int i = 0; i < N; i++) {
        double z = tamis_rng_normal(&r), u = tamis_rng_uniform(&r);
        assert_between(u, 0, 1);
        u1 += u;
        u2 += u * u;
        for (int k = 0; k < 4; k++) m[k] += pow(z, k + 1);
    }
    for (int k = 0; k < 4; k++) m[k] /= N; /* standard errors: 1, sqrt 2, sqrt 15, sqrt 96 over sqrt N; bounds at 5 */
    assert_close(m[0], 0, 5 / sqrt(N));
    assert_close(m[1], 1, 5 * sqrt(2.0 / N));
    assert_close(m[2], 0, 5 * sqrt(15.0 / N));
    assert_close(m[3], 3, 5 * sqrt(96.0 / N));
    assert_close(u1 / N, 0.5, 5 * sqrt(1 / 12.0 / N));
    assert_close(u2 / N, 1 / 3.0, 5 * sqrt(4 / 45.0 / N));
}

/* Layers of equal area, and the whole distribution of the draws. */
static void the_ziggurat_is_normal(void **state)
{
    (void)state;
    enum { N = 1000000, BINS = 90 };
    const double *edge = tamis_ziggurat_edge, last = edge[TAMIS_ZIGGURAT_LAYERS - 1];
    double area = last * exp(-0.5 * last * last) + sqrt(M_PI / 2) * erfc(last / sqrt(2));
    for (int i = 0; i < TAMIS_ZIGGURAT_LAYERS - 1; i++)
        assert_close(edge[i + 1] * (exp(-0.5 * edge[i] * edge[i]) - exp(-0.5 * edge[i + 1] * edge[i + 1])), area,
                     1e-15);
    assert_close(edge[TAMIS_ZIGGURAT_LAYERS] * exp(-0.5 * last * last), area, 1e-15);
    static double below[BINS + 1];
    struct tamis_rng r;
    tamis_rng_init(&r, 4, TAMIS_RNG_TEST, 3);
    for (int i = 0; i < N; i++) {
        double z = tamis_rng_ziggurat(&r);
        int bin = (int)floor(z * 10) + BINS / 2 + 1;
        below[bin < 0 ? 0 : bin > BINS ? BINS : bin]++;
    }
    for (int i = 1; i < BINS; i++) {
        double p = 0.5 * erfc(-0.1 * (i - BINS / 2) / sqrt(2));
        below[i] += below[i - 1];
        assert_close(below[i], N * p, 5 * sqrt(N * p * (1 - p)) + 5);
    }
}

static void streams_differ_and_repeat(void **state)
{
    (void)state;
    struct tamis_rng a, b, c;
    tamis_rng_init(&a, 11, TAMIS_RNG_TEST, 3);
    tamis_rng_init(&b, 11, TAMIS_RNG_TEST, 3);
    tamis_rng_init(&c, 11, TAMIS_RNG_TEST, 4);
    int same = 0;
    for (int i = 0; i < 1000; i++) {
        uint32_t x = tamis_rng_word(&a);
        assert_int_equal(x, tamis_rng_word(&b));
        same += x == tamis_rng_word(&c);
    }
    assert_below(same, 3);
}

static void below_is_even(void **state)
{
    (void)state;
    struct tamis_rng r;
    size_t seen[7] = {0};
    tamis_rng_init(&r, 5, TAMIS_RNG_TEST, 0);
    for (int i = 0; i < 70000; i++) seen[tamis_rng_below(&r, 7)]++;
    for (int i = 0; i < 7; i++) assert_close((double)seen[i], 10000, 5 * sqrt(10000 * 6 / 7.0));
}

/* ---- errors, memory ---- */

static void first_error_is_kept(void **state)
{
    tamis_context *cx = *state;
    assert_int_equal(tamis_fail(cx, TAMIS_DATA, "first %d\n", 17), TAMIS_DATA);
    assert_int_equal(tamis_fail(cx, TAMIS_USAGE, "second"), TAMIS_DATA);
    assert_string_equal(tamis_error(cx), "first 17?");
    tamis_fail_at(cx, "here");
    assert_string_equal(tamis_error(cx), "here: first 17?");
    assert_int_equal(tamis_exit_code(tamis_status(cx)), 3);
    forget(cx);
    assert_int_equal(tamis_status(cx), TAMIS_OK);
}

static void allocation_fails_with_a_sentence(void **state)
{
    tamis_context *cx = *state;
    assert_null(tamis_new(cx, double, SIZE_MAX / 4));
    assert_int_equal(tamis_status(cx), TAMIS_MEMORY);
    forget(cx);
    tamis_fail_allocation(cx, 2, TAMIS_ONCE);
    void *a = tamis_new(cx, char, 3), *b = tamis_new(cx, char, 3), *c = tamis_new(cx, char, 3);
    assert_non_null(a);
    assert_null(b);
    assert_non_null(c);
    assert_int_equal((uintptr_t)a % 64, 0);
    tamis_free(a);
    tamis_free(c);
    tamis_free(NULL);
    forget(cx);
    tamis_fail_allocation(cx, 1, TAMIS_ONWARDS);
    assert_null(tamis_new(cx, char, 3));
    assert_null(tamis_strdup(cx, "x"));
    assert_int_equal(tamis_allocations(cx), 2);
    tamis_fail_allocation(cx, 0, TAMIS_ONCE);
    forget(cx);
    tamis_context_limits(cx, 0, 1e6);
    assert_int_equal(tamis_memory_check(cx, 2e6, "this", "do less"), TAMIS_MEMORY);
    assert_non_null(strstr(tamis_error(cx), "this needs 0.002 GB"));
}

static int inner_call(tamis_context *cx)
{
    TAMIS_CALL(cx);
    return tamis_status(cx);
}

static void only_the_outermost_call_clears_a_status(void **state)
{
    tamis_context *cx = *state;
    tamis_options *o = tamis_options_new(cx);
    {
        TAMIS_CALL(cx);
        tamis_fail(cx, TAMIS_MEMORY, "no memory");
        assert_int_equal(inner_call(cx), TAMIS_MEMORY);
        tamis_options_set(o, "seed", "7");
        tamis_options_set_flag(o, "no such", 1);
        assert_string_equal(tamis_error(cx), "no memory");
    }
    assert_int_equal(tamis_status(cx), TAMIS_MEMORY);
    assert_int_equal(inner_call(cx), TAMIS_OK);
    assert_string_equal(tamis_error(cx), "");
    tamis_options_free(o);
}

static void not_every_failure_is_forgiven(void **state)
{
    static const struct { int status, forgiven; } cases[] = {{TAMIS_NUMERIC, 1}, {TAMIS_DATA, 1},    {TAMIS_USAGE, 1},
                                                             {TAMIS_MEMORY, 0},  {TAMIS_SYSTEM, 0}, {TAMIS_STOPPED, 0}};
    tamis_context *cx = *state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        forget(cx);
        tamis_fail(cx, cases[i].status, "tried");
        assert_int_equal(tamis_forgive(cx, TAMIS_OK), cases[i].forgiven ? TAMIS_OK : cases[i].status);
    }
    forget(cx);
    int before = tamis_fail(cx, TAMIS_DATA, "earlier");
    assert_int_equal(tamis_forgive(cx, before), TAMIS_DATA);
    forget(cx);
    tamis_context_limits(cx, 0, 1e6);
    tamis_memory_check(cx, 2e6, "this", "do less");
    assert_int_equal(tamis_forgive(cx, TAMIS_OK), TAMIS_OK);
    assert_null(tamis_new(cx, double, SIZE_MAX / 4));
    assert_int_equal(tamis_forgive(cx, TAMIS_OK), TAMIS_MEMORY);
}

static void a_text_that_failed_is_not_handed_over(void **state)
{
    struct tamis_text t = {.cx = *state};
    char *s = NULL;
    size_t n = 1;
    assert_int_equal(tamis_text_take(&t, &s, &n), TAMIS_OK);
    assert_string_equal(s, "");
    assert_int_equal(n, 0);
    tamis_free(s);
    tamis_fail_allocation(*state, 1, TAMIS_ONCE);
    tamis_text_puts(&t, "lost");
    tamis_text_puts(&t, "kept");
    forget(*state);
    assert_int_equal(tamis_text_take(&t, &s, &n), TAMIS_MEMORY);
    assert_null(s);
    assert_int_equal(n, 0);
    assert_true(*tamis_error(*state));
}

/* ---- parallel ---- */

struct counted { tamis_context *cx; double out[1000]; size_t fail_from; };

static int body(void *arg, size_t item, int worker)
{
    struct counted *c = arg;
    assert_true(worker >= 0 && worker < tamis_threads(c->cx));
    if (item >= c->fail_from) return TAMIS_NUMERIC + (int)(item % 2);
    c->out[item] = sin((double)item);
    return TAMIS_OK;
}

static void parallel_results_do_not_depend_on_threads(void **state)
{
    tamis_context *cx = *state;
    struct counted one = {cx, {0}, SIZE_MAX}, many = one;
    tamis_context_limits(cx, 1, 0);
    assert_int_equal(tamis_parallel(cx, 1000, body, &one), TAMIS_OK);
    tamis_context_limits(cx, 7, 0);
    assert_int_equal(tamis_parallel(cx, 1000, body, &many), TAMIS_OK);
    assert_memory_equal(one.out, many.out, sizeof one.out);
    for (int trial = 0; trial < 50; trial++) {          /* the lowest failing item decides */
        many.fail_from = 301;
        assert_int_equal(tamis_parallel(cx, 1000, body, &many), TAMIS_NUMERIC + 1);
    }
}

static int outer(void *arg, size_t item, int worker)
{
    struct counted *c = (struct counted *)arg + item;
    (void)worker;
    return tamis_parallel(c->cx, 100, body, c);
}

static void a_loop_in_a_loop(void **state)
{
    tamis_context *cx = *state;
    struct counted c[5];
    for (size_t k = 0; k < 5; k++) c[k] = (struct counted){cx, {0}, SIZE_MAX};
    tamis_context_limits(cx, 3, 0);
    for (int trial = 0; trial < 300; trial++)
        assert_int_equal(tamis_parallel(cx, 1 + (size_t)trial % 5, outer, c), TAMIS_OK);
    assert_true(c[4].out[99] == sin(99.0));
}

/* A forked child has the context without its workers: it starts its own, and can free the context. */
static void a_loop_after_fork(void **state)
{
    tamis_context *cx = *state;
    struct counted c = {cx, {0}, SIZE_MAX};
    int status = 0;
    tamis_context_limits(cx, 4, 0);
    assert_int_equal(tamis_parallel(cx, 1000, body, &c), TAMIS_OK);
    pid_t child = fork();
    if (!child) {
        memset(c.out, 0, sizeof c.out);
        int wrong = tamis_parallel(cx, 1000, body, &c) || c.out[999] != sin(999.0);
        tamis_context_free(cx);
        _exit(wrong);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_int_equal(tamis_parallel(cx, 1000, body, &c), TAMIS_OK);
}

static int always(void *user) { (void)user; return 1; }

static void cancel_stops_a_loop(void **state)
{
    tamis_context *cx = *state;
    struct counted c = {cx, {0}, SIZE_MAX};
    tamis_context_on_cancel(cx, always, NULL);
    assert_int_equal(tamis_parallel(cx, 10, body, &c), TAMIS_STOPPED);
    assert_int_equal(tamis_exit_code(TAMIS_STOPPED), 130);
}

/* ---- options ---- */

struct settings {
    int flag;
    size_t count;
    double real;
    struct tamis_grid grid;
    struct tamis_range range;
    const char *choice, *text;
    struct tamis_names names;
};
#define AT(f) offsetof(struct settings, f)
static const struct tamis_option rows[] = {{"flag", TAMIS_FLAG, AT(flag), "yes", 0, 0, NULL, NULL, ""},
                                           {"count", TAMIS_COUNT, AT(count), "7", 1, 100, "all", NULL, ""},
                                           {"real", TAMIS_REAL, AT(real), "0.25", 0, 1, NULL, NULL, ""},
                                           {"grid", TAMIS_GRID, AT(grid), "1:500:50", 1e-9, 1e9, NULL, NULL, ""},
                                           {"range", TAMIS_RANGE, AT(range), "1e-14:1e3", 0, 0, NULL, NULL, ""},
                                           {"choice", TAMIS_CHOICE, AT(choice), "red", 0, 0, "red|green", NULL, ""},
                                           {"text", TAMIS_TEXT, AT(text), NULL, 0, 0, NULL, NULL, ""},
                                           {"names", TAMIS_NAMES, AT(names), NULL, 0, 0, NULL, NULL, ""},
                                           {0}};
static const struct tamis_option_table tables[] = {{"test", rows}, {NULL, NULL}};

static void options_have_defaults(void **state)
{
    struct settings s = {0};
    assert_int_equal(tamis_options_read(*state, NULL, rows, &s), TAMIS_OK);
    assert_true(s.flag == 1 && s.count == 7 && s.real == 0.25 && s.grid.count == 50 && s.grid.to == 500 &&
                s.range.from == 1e-14);
    assert_string_equal(s.choice, "red");
    assert_null(s.text);
    assert_true(tamis_grid_at(&s.grid, 0) == 1 && tamis_grid_at(&s.grid, 49) == 500);
    assert_close(tamis_grid_at(&s.grid, 21), 14.345028995850928, 1e-12);
}

static void options_are_parsed(void **state)
{
    struct settings s = {0};
    tamis_options *o = tamis_options_create(*state, tables);
    static const char *const given[][2] = {
        {"no-flag", NULL}, {"count", "all"},    {"real", "1e-1"}, {"grid", "20"},
        {"range", "3:4"},  {"choice", "green"}, {"text", "a b"},  {"names", "x1,\"a,b\",\"say \"\"hi\"\"\""}};
    for (size_t i = 0; i < sizeof given / sizeof *given; i++)
        assert_int_equal(tamis_options_set(o, given[i][0], given[i][1]), TAMIS_OK);
    assert_int_equal(tamis_options_read(*state, o, rows, &s), TAMIS_OK);
    assert_true(s.flag == 0 && s.count == SIZE_MAX && s.real == 0.1 && s.grid.count == 1 && s.grid.from == 20 &&
                s.range.to == 4);
    assert_string_equal(s.choice, "green");
    assert_string_equal(s.text, "a b");
    assert_int_equal(s.names.count, 3);
    assert_string_equal(s.names.name[1], "a,b");
    assert_string_equal(s.names.name[2], "say \"hi\"");
    assert_int_equal(tamis_options_set(o, "count", "12"), TAMIS_OK);
    assert_string_equal(tamis_options_get(o, "count"), "12");
    tamis_options_free(o);
}

static void bad_options_get_a_sentence(void **state)
{
    tamis_options *o = tamis_options_create(*state, tables);
    static const char *const bad[][2] = {
        {"flag", "maybe"},  {"count", "0"},          {"count", "101"}, {"count", "2.5"},
        {"count", "some"},  {"real", "1.5"},         {"real", "nan"},  {"real", ""},
        {"grid", "5:1:10"}, {"grid", "0:1:10"},      {"grid", "1:2"},  {"grid", "1:2:3:4"},
        {"grid", "1:2:1"},  {"grid", "1:2:x"},       {"range", "2:1"}, {"choice", "blue"},
        {"choice", ""},     {"choice", "red|green"}, {"nothing", "1"}, {"no-real", ""}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(tamis_options_set(o, bad[i][0], bad[i][1]), TAMIS_USAGE);
        assert_non_null(strstr(tamis_error(*state), bad[i][0]));
    }
    tamis_options_free(o);
}

/* ---- text ---- */

static void json_is_escaped(void **state)
{
    tamis_value *v = tamis_list_new(*state);
    char *json;
    size_t n;
    tamis_add_text(v, NULL, "a\"b\\c\n</script>\xc3\xa9\xff\xf0\x9f\x98\x80\xed\xa0\x80");
    assert_int_equal(tamis_value_json(*state, v, &json, &n), TAMIS_OK);
    assert_string_equal(json, "[\"a\\\"b\\\\c\\u000a\\u003c/script\\u003e\xc3\xa9\\ufffd\xf0\x9f\x98\x80"
                              "\\ufffd\\ufffd\\ufffd\"]\n");
    tamis_release(json);
    tamis_value_free(v);
}

static void json_keeps_the_sign_of_an_exact_zero(void **state)
{
    tamis_value *v = tamis_list_new(*state);
    char *json;
    size_t n;
    tamis_add_exact(v, NULL, -0.0);
    tamis_add_number(v, NULL, -0.0);
    tamis_add_exact(v, NULL, NAN);
    assert_int_equal(tamis_value_json(*state, v, &json, &n), TAMIS_OK);
    assert_string_equal(json, "[-0.0, 0, null]\n");
    tamis_release(json);
    tamis_value_free(v);
}

static void numbers_read_back(void **state)
{
    struct tamis_rng r;
    char buffer[32];
    (void)state;
    tamis_rng_init(&r, 3, TAMIS_RNG_TEST, 1);
    for (int i = 0; i < 20000; i++) {
        double x = ldexp(tamis_rng_normal(&r), (int)tamis_rng_below(&r, 600) - 300);
        assert_true(strtod(tamis_number_text(x, buffer), NULL) == x);
    }
    assert_string_equal(tamis_number_text(0.1, buffer), "0.1");
    assert_string_equal(tamis_number_text(17, buffer), "17");
}

/* ---- packed files ---- */

static void pack_one(struct tamis_pack *p, tamis_context *cx)
{
    double v[3] = {1.5, -2.25, 1e-300};
    tamis_pack_begin(p, cx, "TEST", 3);
    tamis_pack_u64(p, 42);
    tamis_pack_str(p, "name");
    tamis_pack_str(p, NULL);
    tamis_pack_doubles(p, v, 3);
    assert_int_equal(tamis_pack_end(p), TAMIS_OK);
}

static int unpack_one(tamis_context *cx, const void *bytes, size_t n)
{
    struct tamis_unpack u;
    forget(cx);
    int status = tamis_unpack_begin(&u, cx, bytes, n, "TEST", 3, "thing");
    if (status) return status;
    uint64_t k = tamis_unpack_u64(&u, 100);
    char *s = tamis_unpack_str(&u), *none = tamis_unpack_str(&u);
    double *v = tamis_unpack_doubles(&u, 3);
    status = tamis_unpack_end(&u, "thing");
    if (!status) {
        assert_true(k == 42 && !none && v[1] == -2.25 && v[2] == 1e-300);
        assert_string_equal(s, "name");
    }
    tamis_free(s);
    tamis_free(none);
    tamis_free(v);
    return status;
}

static void packed_bytes_come_back_or_are_refused(void **state)
{
    tamis_context *cx = *state;
    struct tamis_pack p;
    pack_one(&p, cx);
    assert_int_equal(unpack_one(cx, p.bytes, p.length), TAMIS_OK);
    for (size_t n = 0; n < p.length; n++) assert_int_equal(unpack_one(cx, p.bytes, n), TAMIS_DATA);
    for (size_t i = 0; i < p.length; i++)               /* every byte altered in three ways */
        for (int bit = 1; bit <= 64; bit *= 8) {
            p.bytes[i] ^= (unsigned char)bit;
            assert_int_equal(unpack_one(cx, p.bytes, p.length), TAMIS_DATA);
            p.bytes[i] ^= (unsigned char)bit;
        }
    tamis_pack_free(&p);
}

/* ---- did you mean ---- */

static const char *word_at(const void *list, size_t i) { return ((const char *const *)list)[i]; }

static void nearest_is(const char *word, const char *want)
{
    static const char *const list[] = {"Petal.Width", "Petal.Length", "", "sensor_12", "x1", "y", "forward",
                                       "forward-backward", "cv-lssvm", "medv", NULL};
    const char *got = tamis_nearest(word, word_at, list);
    if (want) assert_non_null(got), assert_string_equal(got, want);
    else assert_null(got);
}

static void the_nearest_name_is_found(void **state)
{
    (void)state;
    nearest_is("petal width", "Petal.Width");           /* case, blanks for dots */
    nearest_is("Petal.Lenght", "Petal.Length");         /* a swap is one mistake */
    nearest_is("sensr_12", "sensor_12");
    nearest_is("MEDV", "medv");
    nearest_is("cvlssvm", "cv-lssvm");
    nearest_is("forwrd", "forward");
    nearest_is("petal", "Petal.Width");                 /* a beginning; the first of several */
    nearest_is("x", NULL);                              /* one letter is like every other */
    nearest_is("z", NULL);
    nearest_is("magic", NULL);
    nearest_is("", NULL);
}

static void long_names_are_compared_or_left(void **state)
{
    (void)state;
    char word[300], other[300];
    memset(word, 'a', sizeof word - 1);
    word[sizeof word - 1] = 0;
    memcpy(other, word, sizeof word);
    other[200] = 'b';
    const char *const list[] = {other, NULL};
    assert_null(tamis_nearest(word, word_at, list));
    word[127] = other[126] = 0;
    assert_ptr_equal(tamis_nearest(word, word_at, list), other);
    assert_string_equal(tamis_hint("zzz", word_at, list, "; none").text, "; none");
    assert_non_null(strstr(tamis_hint(word, word_at, list, "").text, "did you mean 'aaa"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(philox_known_answers),
                                       TEST(words_are_those_of_the_counters),
                                       TEST(normals_have_normal_moments),
                                       TEST(the_ziggurat_is_normal),
                                       TEST(streams_differ_and_repeat),
                                       TEST(below_is_even),
                                       TEST(first_error_is_kept),
                                       TEST(allocation_fails_with_a_sentence),
                                       TEST(only_the_outermost_call_clears_a_status),
                                       TEST(not_every_failure_is_forgiven),
                                       TEST(a_text_that_failed_is_not_handed_over),
                                       TEST(parallel_results_do_not_depend_on_threads),
                                       TEST(a_loop_in_a_loop),
                                       TEST(a_loop_after_fork),
                                       TEST(cancel_stops_a_loop),
                                       TEST(options_have_defaults),
                                       TEST(options_are_parsed),
                                       TEST(bad_options_get_a_sentence),
                                       TEST(json_is_escaped),
                                       TEST(json_keeps_the_sign_of_an_exact_zero),
                                       TEST(numbers_read_back),
                                       TEST(packed_bytes_come_back_or_are_refused),
                                       TEST(the_nearest_name_is_found),
                                       TEST(long_names_are_compared_or_left)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
