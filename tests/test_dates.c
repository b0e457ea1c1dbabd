/* Dates in text: every day of several centuries against a count of days, forms, faults, parts and columns. */
#include "data/dates.h"
#include "unit.h"

static double read_as(const char *text, int kind)
{
    double days = NAN;
    return tamis_date_read(text, strlen(text), kind, &days) ? days : NAN;
}

static int length_of(int y, int m)
{
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    return days[m - 1] + (m == 2 && (y % 4 == 0 && (y % 100 || y % 400 == 0)));
}

/* One day after another from 1600 on; 1970-01-01 is day 0. */
static void every_day(void **state)
{
    char text[40], back[32];
    double day = -135140;
    (void)state;
    for (int y = 1600; y < 2101; y++)
        for (int m = 1; m <= 12; m++)
            for (int d = 1; d <= length_of(y, m); d++, day++) {
                snprintf(text, sizeof text, "%04d-%02d-%02d", y, m, d);
                assert_true(read_as(text, TAMIS_DATE_YMD) == day);
                assert_string_equal(tamis_date_text(day, TAMIS_DATE_YMD, back), text);
                assert_true(tamis_date_part(day, TAMIS_PART_YEAR) == y && tamis_date_part(day, TAMIS_PART_MONTH) == m);
                assert_true(tamis_date_part(day, TAMIS_PART_WEEKDAY) == fmod(day + 3 + 700000, 7) + 1);
            }
    assert_true(day == 47847);          /* 2101-01-01 */
}

static void forms(void **state)
{
    static const struct { const char *text; int kind; double days; } cases[] = {
        {"2024-01-31", TAMIS_DATE_YMD, 19753},       {"2024/1/31", TAMIS_DATE_YMD, 19753},
        {"20240131", TAMIS_DATE_YMD, 19753},         {"2024-01", TAMIS_DATE_YMD, 19723},
        {"31.01.2024", TAMIS_DATE_DMY, 19753},       {"31/1/24", TAMIS_DATE_DMY, 19753},
        {"31-Jan-2024", TAMIS_DATE_DMY, 19753},      {"1/31/2024", TAMIS_DATE_MDY, 19753},
        {"January 31, 2024", TAMIS_DATE_MDY, 19753}, {"2024-01-31 12:00", TAMIS_DATE_YMD, 19753.5},
        {"2024-01-31T18:00:00Z", TAMIS_DATE_YMD, 19753.75}, {"2024-01-31T02:00+02:00", TAMIS_DATE_YMD, 19753},
        {"1/31/2024 6:00 PM", TAMIS_DATE_MDY, 19753.75},    {"1/31/2024 12:00 AM", TAMIS_DATE_MDY, 19753},
        {"06:00", TAMIS_DATE_CLOCK, 0.25},           {"6:00:00.0 PM", TAMIS_DATE_CLOCK, 0.75},
        {" 2024-01-31 ", TAMIS_DATE_YMD, 19753},     {"31.12.69", TAMIS_DATE_DMY, -1}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_close(read_as(cases[i].text, cases[i].kind), cases[i].days, 1e-9);
}

static void not_dates(void **state)
{
    static const char *const texts[] = {"",
                                        "2024",
                                        "2024-13-01",
                                        "2024-00-10",
                                        "2023-02-29",
                                        "1900-02-29",
                                        "2024-01-32",
                                        "31.02.2024",
                                        "1.2.3",
                                        "10.0.0.1",
                                        "2024-01-31x",
                                        "2024-01-31 25:00",
                                        "2024-01-31 10:60",
                                        "v1.2.2003",
                                        "May",
                                        "2024-01/31",
                                        "123456789",
                                        "12:3",
                                        "24:01",
                                        "13:00 PM",
                                        "2024-01-31 10:00 +20:00",
                                        "-5",
                                        "1e5"};
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        for (int kind = TAMIS_DATE_YMD; kind < TAMIS_DATES; kind++)
            if (!isnan(read_as(texts[i], kind))) fail_msg("'%s' is a date of kind %d", texts[i], kind);
}

static void parts(void **state)
{
    (void)state;
    assert_true(tamis_date_part(19753.75, TAMIS_PART_HOUR) == 18 && tamis_date_part(-0.25, TAMIS_PART_HOUR) == 18);
    assert_true(tamis_date_part(-0.25, TAMIS_PART_YEAR) == 1969);
    for (int part = TAMIS_PART_YEAR; part < TAMIS_PARTS; part++) assert_true(isnan(tamis_date_part(NAN, part)));
    char text[32];
    assert_string_equal(tamis_date_text(19753.5, TAMIS_DATE_YMD, text), "2024-01-31 12:00");
    assert_string_equal(tamis_date_text(0.25, TAMIS_DATE_CLOCK, text), "06:00");
}

/* The kind that a column has, and whether its days and months are in doubt. */
static void column_is(tamis_context *cx, const char *text, int kind, int doubt)
{
    tamis_table *t = text_table(cx, text);
    assert_int_equal(t->column[0].date, kind);
    assert_int_equal(t->column[0].date_doubt, doubt);
    assert_int_equal(t->column[0].type, kind ? TAMIS_NUMBER : TAMIS_CATEGORY);
    tamis_table_free(t);
}

static void columns(void **state)
{
    column_is(*state, "d,y\n2024-01-31,1\n2024-02-01,2\n,3\n", TAMIS_DATE_YMD, 0);
    column_is(*state, "d,y\n31/01/2024,1\n01/02/2024,2\n", TAMIS_DATE_DMY, 0);
    column_is(*state, "d,y\n01/31/2024,1\n02/01/2024,2\n", TAMIS_DATE_MDY, 0);
    column_is(*state, "d,y\n03/04/2024,1\n05/06/2024,2\n", TAMIS_DATE_DMY, 1);
    column_is(*state, "d,y\n12/01/2023,1\n01/02/2024,2\n02/01/2024,3\n", TAMIS_DATE_MDY, 1);    /* in time order */
    column_is(*state, "d,y\n2024-01-31,1\nsoon,2\n", TAMIS_DATE_NONE, 0);
}

/* ---- numbers ---- */

static void numbers(void **state)
{
    (void)state;
    for (int y = 1900; y < 2101; y++)
        for (int m = 0; m <= 13; m++)
            for (int d = 0; d <= 32; d++) {
                char text[40];
                int there = m >= 1 && m <= 12 && d >= 1 && d <= length_of(y, m);
                double x = tamis_date_number(10000.0 * y + 100 * m + d, TAMIS_DATE_COMPACT);
                snprintf(text, sizeof text, "%04d-%02d-%02d", y, m, d);
                assert_true(there ? x == read_as(text, TAMIS_DATE_YMD) : isnan(x));
            }
    assert_true(isnan(tamis_date_number(20240131.5, TAMIS_DATE_COMPACT)));
    assert_true(tamis_date_number(1706702400, TAMIS_DATE_SECONDS) == 19753.5);
    assert_true(tamis_date_number(1706702400500, TAMIS_DATE_MILLIS) == 19753 + 43200.5 / 86400);
    assert_true(tamis_date_number(17, TAMIS_DATE_DAYS) == 17 && isnan(tamis_date_number(NAN, TAMIS_DATE_SECONDS)));
}

/* The kind of a column of `rows` values under that name. */
static int kind_of(tamis_context *cx, const char *name, double (*value)(int row), int rows)
{
    char text[8000];
    int n = snprintf(text, sizeof text, "%s,y\n", name);
    for (int i = 0; i < rows; i++) n += snprintf(text + n, sizeof text - (size_t)n, "%.17g,%d\n", value(i), i * i % 7);
    tamis_table *t = text_table(cx, text);
    int kind = t->column[0].date;
    for (int i = 0; i < rows; i++)
        assert_close(t->column[0].value[i], tamis_date_number(value(i), kind), 1e-12);
    tamis_table_free(t);
    return kind;
}

static double days(int i) { return 20240100 + 100 * (i / 28) + i % 28 + 1; }
static double shuffled(int i) { return days(i * 11 % 40); }
static double numbered(int i) { return 20240095 + i; }                  /* 20240100 is no day */
static double hours(int i) { return 1.7e9 + 3600 * i; }
static double uneven(int i) { return 1.7e9 + 3600 * i + 7 * (i * i % 13) + 0.25; }
static double once_back(int i) { return hours(i == 20 ? 5 : i); }
static double newest_first(int i) { return hours(100 - i); }
static double scattered(int i) { return hours(i * 11 % 40); }
static double millis(int i) { return 1000 * hours(i) + 250 * i; }
static double early(int i) { return 1e8 + 3600 * i; }                   /* 1973 */
static double small(int i) { return 0.5 * i; }
static double same(int i) { return 1.7e9 + 0 * i; }

static void columns_of_numbers(void **state)
{
    static const struct { const char *name; double (*value)(int); int rows, kind; } cases[] = {
        {"date", days, 40, TAMIS_DATE_COMPACT},        {"x", days, 40, TAMIS_DATE_COMPACT},
        {"sale_date", shuffled, 5, TAMIS_DATE_COMPACT}, {"x", shuffled, 40, TAMIS_DATE_COMPACT},
        {"x", shuffled, 15, TAMIS_DATE_NONE},          {"x", days, 6, TAMIS_DATE_NONE},
        {"date", days, 2, TAMIS_DATE_NONE},            {"date", numbered, 40, TAMIS_DATE_NONE},
        {"x", numbered, 40, TAMIS_DATE_NONE},          {"timestamp", hours, 40, TAMIS_DATE_SECONDS},
        {"Time [s]", uneven, 40, TAMIS_DATE_SECONDS},  {"ts", once_back, 40, TAMIS_DATE_SECONDS},
        {"epoch_ms", millis, 40, TAMIS_DATE_MILLIS},   {"unix", newest_first, 40, TAMIS_DATE_SECONDS},
        {"time", hours, 7, TAMIS_DATE_NONE},           {"time", scattered, 40, TAMIS_DATE_NONE},
        {"pressure", hours, 40, TAMIS_DATE_NONE},      {"counts", hours, 40, TAMIS_DATE_NONE},
        {"sometimes", hours, 40, TAMIS_DATE_NONE},     {"time", early, 40, TAMIS_DATE_NONE},
        {"time", small, 40, TAMIS_DATE_NONE},          {"time", same, 40, TAMIS_DATE_NONE},
        {"x", millis, 40, TAMIS_DATE_NONE}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (kind_of(*state, cases[i].name, cases[i].value, cases[i].rows) != cases[i].kind)
            fail_msg("case %zu, column '%s'", i, cases[i].name);
}

/* Numbers of random range and rounding, in order or not: dates only where they are dates. */
static double from, step;
static double measured(int i) { return from + step * ((i * 7919 + 13) % 101); }
static void measurements_are_not_dates(void **state)
{
    static const double steps[] = {1, 2, 5, 10, 25, 100, 1000, 12345, 1e5};
    for (int k = 0; k < 40; k++)
        for (size_t s = 0; s < sizeof steps / sizeof *steps; s++) {
            from = 19000101 + 50000 * k;
            step = steps[s];
            assert_int_equal(kind_of(*state, "x", measured, 100), TAMIS_DATE_NONE);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(every_day), TEST(forms), TEST(not_dates), TEST(parts), TEST(columns),
                                       TEST(numbers), TEST(columns_of_numbers), TEST(measurements_are_not_dates)};
    return cmocka_run_group_tests_name("dates", tests, NULL, NULL);
}
