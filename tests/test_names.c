/* Columns by what users type: names, numbers, ranges and patterns. */
#include "data/names.h"
#include "unit.h"

static char *const names[] = {"a", "sensor_1", "sensor_2", "1100", "1102.5", "1105,0", "t:0", "7", "b*", "z"};
enum { NAMES = sizeof names / sizeof *names };

/* The marks as a text of 0 and 1; how many is asked for, too. */
static void means(const char *text, const char *want)
{
    unsigned char mark[NAMES] = {0};
    char got[NAMES + 1] = {0};
    size_t found = tamis_names_mark(names, NAMES, text, mark), ones = 0;
    for (size_t i = 0; i < NAMES; i++) got[i] = mark[i] ? '1' : '0', ones += mark[i];
    assert_string_equal(got, want);
    assert_int_equal(found, ones);
}

static void names_and_numbers(void **state)
{
    (void)state;
    means("a", "1000000000");
    means("1", "1000000000");
    means("10", "0000000001");
    means("7", "0000000100");           /* a name before a number */
    means("1100", "0001000000");
    means("b*", "0000000010");          /* a name before a pattern */
    means("t:0", "0000001000");         /* and before a range */
    means("0", "0000000000");
    means("11", "0000000000");
    means("99999999999999999999999", "0000000000");
    means("", "0000000000");
    means("A", "0000000000");
    means("sensor", "0000000000");
}

static void ranges(void **state)
{
    (void)state;
    means("1100:1102.5", "0001100000");
    means("1101:1110", "0000110000");   /* a decimal comma in a name */
    means("1110:1101", "0000110000");
    means("1103:", "0000010000");
    means(":1100", "0001000100");
    means("a:sensor_2", "1110000000");
    means("sensor_2:a", "1110000000");
    means("a:3", "1110000000");
    means("z:", "0000000001");
    means("t:0:z", "0000001111");       /* a colon in a name */
    means("2000:3000", "0000000000");
    means("a:none", "0000000000");
    means(":", "0000000000");
}

static void patterns(void **state)
{
    (void)state;
    means("sensor_*", "0110000000");
    means("*_?", "0110000000");
    means("?", "1000000101");
    means("*", "1111111111");
    means("11*0*", "0001110000");
    means("q*", "0000000000");
}

static void unknown_names(void **state)
{
    char *list[] = {"a", "sensr_1"};
    struct tamis_names asked = {2, list};
    unsigned char mark[NAMES] = {0};
    assert_int_equal(tamis_names_resolve(*state, "keep", &asked, "t.csv", names, NAMES, mark), TAMIS_USAGE);
    assert_non_null(strstr(tamis_error(*state), "--keep sensr_1: t.csv has no such column"));
    assert_non_null(strstr(tamis_error(*state), "did you mean 'sensor_1'"));
    assert_true(mark[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(names_and_numbers), TEST(ranges), TEST(patterns), TEST(unknown_names)};
    return cmocka_run_group_tests_name("names", tests, NULL, NULL);
}
