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

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(every_day), TEST(forms), TEST(not_dates), TEST(parts), TEST(columns)};
    return cmocka_run_group_tests_name("dates", tests, NULL, NULL);
}
