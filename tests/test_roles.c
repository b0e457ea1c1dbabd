/* What each column of a table is for: by its values, and by what the user says. */
#include "data/design.h"
#include "data/roles.h"
#include "unit.h"

/* Ten rows: a count, a name for each row, a date, a repeated category, numbers, a copy of them, a constant, y. */
static tamis_table *some_table(tamis_context *cx)
{
    char text[2000];
    int n = snprintf(text, sizeof text, "n,who,day,kind,x,copy,same,y\n");
    for (int i = 0; i < 10; i++)
        n += snprintf(text + n, sizeof text - (size_t)n, "%d,p%d,2024-01-%02d,%c,%d.5,%d.5,7,%d\n", 3 * i + 1,
                      i * 7 % 10, i + 1, "ab"[i % 2], i * i % 7, i * i % 7, i % 3);
    return text_table(cx, text);
}

/* Which columns are inputs, as 0 and 1. */
static void inputs_are(tamis_context *cx, struct tamis_roles r, const char *want)
{
    struct tamis_column_role role[8];
    char got[9] = {0};
    tamis_table *t = some_table(cx);
    r.force = -1;
    if (tamis_roles_find(cx, t, &r, role)) fail_msg("%s", tamis_error(cx));
    for (size_t j = 0; j < 8; j++) got[j] = role[j].use ? '1' : '0';
    assert_string_equal(got, want);
    tamis_table_free(t);
}

static void fails(tamis_context *cx, const struct tamis_roles *r, const char *words)
{
    struct tamis_column_role role[8];
    tamis_table *t = some_table(cx);
    assert_int_equal(tamis_roles_find(cx, t, r, role), TAMIS_USAGE);
    assert_non_null(strstr(tamis_error(cx), words));
    tamis_table_free(t);
}

static void by_values(void **state)
{
    struct tamis_column_role role[8];
    struct tamis_roles r = {.force = -1};
    tamis_table *t = some_table(*state);
    assert_int_equal(tamis_roles_find(*state, t, &r, role), 0);
    assert_int_equal(tamis_roles_describe(*state, t, role), 0);
    static const int want[] = {TAMIS_ROLE_IDENTIFIER, TAMIS_ROLE_IDENTIFIER, TAMIS_ROLE_DATE, TAMIS_ROLE_INPUT,
                               TAMIS_ROLE_INPUT, TAMIS_ROLE_DUPLICATE, TAMIS_ROLE_CONSTANT, TAMIS_ROLE_TARGET};
    for (size_t j = 0; j < 8; j++) assert_int_equal(role[j].role, want[j]);
    assert_int_equal(role[5].of, 4);
    assert_string_equal(role[0].why, "counts the rows");
    tamis_table_free(t);
}

static void by_the_user(void **state)
{
    char *keep[] = {"n", "day"}, *range[] = {"n:x"}, *some[] = {"who", "x"}, *glob[] = {"k*"}, *lag[] = {"n[t-2]"};
    inputs_are(*state, (struct tamis_roles){0}, "00011110");
    inputs_are(*state, (struct tamis_roles){.keep = {2, keep}}, "10111110");
    inputs_are(*state, (struct tamis_roles){.inputs = {1, range}}, "00011000");         /* a range names no column */
    inputs_are(*state, (struct tamis_roles){.inputs = {2, some}}, "01001000");
    inputs_are(*state, (struct tamis_roles){.ignore = {1, glob}}, "00001110");
    inputs_are(*state, (struct tamis_roles){.must = {1, lag}}, "10011110");
    inputs_are(*state, (struct tamis_roles){.target = "x"}, "00010111");
    inputs_are(*state, (struct tamis_roles){.target = "x,8"}, "00010110");
    inputs_are(*state, (struct tamis_roles){.group = "kind"}, "00001110");
    inputs_are(*state, (struct tamis_roles){.dates_word = "numeric"}, "00111110");
}

static void wrong_names(void **state)
{
    char *none[] = {"nobody"}, *target[] = {"y"};
    fails(*state, &(struct tamis_roles){.force = -1, .target = "q"}, "--target q");
    tamis_context *cx = tamis_context_new();
    fails(cx, &(struct tamis_roles){.force = -1, .keep = {1, none}}, "--keep nobody");
    tamis_context_free(cx);
    cx = tamis_context_new();
    fails(cx, &(struct tamis_roles){.force = -1, .inputs = {1, target}}, "'y' is the target");
    tamis_context_free(cx);
}

/* Dates that are numbers are not inputs, unless --keep names them; --numeric reads plain numbers. */
static void dates_as_numbers(void **state)
{
    struct tamis_column_role role[4];
    char text[2000], *keep[] = {"ts"};
    int n = snprintf(text, sizeof text, "day,ts,x,y\n");
    for (int i = 0; i < 20; i++)
        n += snprintf(text + n, sizeof text - (size_t)n, "%d,%.0f,%d,%d\n", 20240101 + i, 1.7e9 + 60 * i,
                      i * i % 7, i % 3);
    tamis_table *t = text_table(*state, text);
    assert_int_equal(tamis_roles_find(*state, t, &(struct tamis_roles){.force = -1}, role), 0);
    assert_true(role[0].role == TAMIS_ROLE_DATE && role[1].role == TAMIS_ROLE_DATE && role[2].use);
    assert_string_equal(role[0].why, "a date as yyyymmdd");
    assert_string_equal(role[1].why, "a date in seconds since 1970");
    struct tamis_roles r = {.force = -1, .keep = {1, keep}};
    assert_int_equal(tamis_roles_find(*state, t, &r, role), 0);
    assert_true(!role[0].use && role[1].use);
    tamis_table_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(by_values), TEST(by_the_user), TEST(wrong_names),
                                       TEST(dates_as_numbers)};
    return cmocka_run_group_tests_name("roles", tests, NULL, NULL);
}
