/* Numbers as text: reading against strtod, decimal commas, the shortest form that reads back. */
#include "base/rng.h"
#include "base/text.h"
#include "base/number.h"
#include "unit.h"

static void read_as_strtod(const char *s)
{
    double mine, theirs;
    char *end;
    const char *p = tamis_number_read(s, s + strlen(s), '.', &mine);
    theirs = strtod(s, &end);
    if (p != end || memcmp(&mine, &theirs, sizeof mine)) {
        if (p == end && isnan(mine) && isnan(theirs)) return;
        fail_msg("'%s': %a up to %td, strtod %a up to %td", s, mine, p - s, theirs, end - s);
    }
}

static double any_double(struct tamis_rng *r)
{
    uint64_t bits = (uint64_t)tamis_rng_word(r) << 32 | tamis_rng_word(r);
    double x;
    memcpy(&x, &bits, sizeof x);
    return isfinite(x) ? x : 1;
}

static void numbers_equal_strtod(void **state)
{
    (void)state;
    struct tamis_rng r;
    char s[1200];
    tamis_rng_init(&r, 7, TAMIS_RNG_TEST, 0);
    for (int i = 0; i < 200000; i++) {
        double x = any_double(&r);
        for (int digits = 15; digits < 20; digits++) snprintf(s, sizeof s, "%.*g", digits, x), read_as_strtod(s);
        snprintf(s, sizeof s, "%u.%u%ue%d", tamis_rng_word(&r) >> tamis_rng_word(&r) % 32, tamis_rng_word(&r),
                 tamis_rng_word(&r), (int)tamis_rng_below(&r, 700) - 350);
        read_as_strtod(s);
        snprintf(s, sizeof s, "%d.%0*u", (int)tamis_rng_word(&r) >> tamis_rng_word(&r) % 32,
                 1 + (int)tamis_rng_below(&r, 9), tamis_rng_word(&r));
        read_as_strtod(s);
    }
}

/* Exact midpoints of two doubles, one digit short, and with one digit changed: normal and subnormal. */
static void middles_of_doubles_equal_strtod(void **state)
{
    (void)state;
    struct tamis_rng r;
    char s[1200];
    tamis_rng_init(&r, 8, TAMIS_RNG_TEST, 0);
    for (int i = 0; i < 20000; i++) {
        double x = fabs(any_double(&r));
        if (i % 4 == 0) x = ldexp(x, -1100 - ilogb(x) + (int)tamis_rng_below(&r, 80));
        long double middle = ((long double)x + nextafter(x, INFINITY)) / 2;
        int n = snprintf(s, sizeof s, "%.*Le", i % 2 ? 800 : (int)tamis_rng_below(&r, 780), middle);
        read_as_strtod(s);
        char *e = strchr(s, 'e');
        if (n < 30 || e < s + 8) continue;
        e[-1 - (long)tamis_rng_below(&r, (size_t)(e - s - 4))] = (char)('0' + tamis_rng_below(&r, 10));
        read_as_strtod(s);
    }
}

static void strange_numbers_equal_strtod(void **state)
{
    (void)state;
    static const char *const list[] = {
        "", "0", "-0", "+0", ".", "-", "+", "-.", "+.5", "5.", ".5e3", "1e", "1e+", "1e-", "1ex", "--1", "1..2",
        "1e5.5", "x", "1e400", "-1e400", "1e-400", "1e99999999999999999999", "1e-99999999999999999999",
        "0e99999999999", "9007199254740993", "9007199254740993.00000000000000000000000000001", "18446744073709551615",
        "18446744073709551616", "99999999999999999999", "1.7976931348623158e308", "1.7976931348623159e308",
        "4.9406564584124654e-324", "2.4703282292062327e-324", "2.4703282292062328e-324", "2.2250738585072011e-308",
        "2.2250738585072014e-308", "1e23", "8.5e22", "inf", "-INF", "Infinity", "infinit", "nan", "-NaN", "nanx",
        "000000000000000000000000000000001.5", "6.02E+23", "1E5",
        "0.0000000000000000000000000000000000000000000000000000000012345678901234567890123456789e70"
    };
    char s[1600];
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) read_as_strtod(list[i]);
    memset(s, '9', 1500);
    s[1500] = 0;
    read_as_strtod(s);
    memset(s, '0', 1500);
    memcpy(s + 1490, "1e1480", 7);
    s[1] = '.';
    read_as_strtod(s);
}

static void decimal_comma_and_wholes(void **state)
{
    (void)state;
    double x;
    assert_true(tamis_number_whole(" 1,25\t", 6, ',', &x) && x == 1.25);
    assert_false(tamis_number_whole("1.25", 4, ',', &x));
    assert_false(tamis_number_whole("1,25", 4, '.', &x));
    assert_false(tamis_number_whole("1 2", 3, '.', &x));
    assert_false(tamis_number_whole("  ", 2, '.', &x));
    assert_true(tamis_number_whole("-7e-1x", 5, '.', &x) && x == -.7);
}

/* printf's %g with the least of 15 to 17 digits that reads back. */
static void assert_shortest(double x)
{
    char mine[32], usual[32];
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(usual, sizeof usual, "%.*g", digits, x);
        if (strtod(usual, NULL) == x) break;
    }
    assert_string_equal(tamis_number_text(x, mine), usual);
}

static void written_numbers_are_shortest(void **state)
{
    (void)state;
    struct tamis_rng r;
    tamis_rng_init(&r, 9, TAMIS_RNG_TEST, 0);
    for (int i = 0; i < 300000; i++) {
        static const double unit[] = {1, 10, 100, 1e3, 1e6, 1e-3, 1e-9};
        double x = i % 3 == 0   ? any_double(&r)
                   : i % 3 == 1 ? tamis_rng_normal(&r) * unit[i % 7]
                                : (int)tamis_rng_word(&r) / unit[i % 7];
        assert_shortest(x);
    }
}

/* Products of powers of two and ten, whose first bits are all ones until the last step of rounding. */
static void powers_of_two_and_ten_are_written(void **state)
{
    (void)state;
    for (int i = -100; i <= 100; i++)
        for (int j = 0; j <= 22; j++) {
            assert_shortest(ldexp(pow(10, j), i));
            assert_shortest(-ldexp(pow(10, j), i));
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(numbers_equal_strtod),
        TEST(middles_of_doubles_equal_strtod),
        TEST(strange_numbers_equal_strtod),
        TEST(decimal_comma_and_wholes),
        TEST(written_numbers_are_shortest),
        TEST(powers_of_two_and_ten_are_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
