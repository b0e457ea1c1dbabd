/* Labels of categories: that of a cell is the same wherever in the file it is, wherever the blocks of the reader end,
 * and whether the table is read whole or block by block with the labels known. */
#include "data/csv.h"
#include "unit.h"

enum { BLOCK = 1 << 20 };               /* of the reader, in bytes */

static const struct tamis_option other[] = {{"ignore", TAMIS_NAMES, 0, NULL, 0, 0, NULL, NULL, ""}, {0}};
static const struct tamis_option_table tables[] = {{"data", tamis_read_options}, {"common", other}, {NULL, NULL}};

static tamis_options *set_of(tamis_context *cx, const char *name, const char *value)
{
    tamis_options *o = tamis_options_create(cx, tables);
    if (name) assert_int_equal(tamis_options_set(o, name, value), 0);
    return o;
}

static void check_rows(const tamis_table *whole, const tamis_table *block, size_t from)
{
    for (size_t i = 0; i < block->rows; i++) {
        double x = block->column[0].value[i], y = whole->column[0].value[from + i];
        if (!(x == y || (isnan(x) && isnan(y))))
            fail_msg("row %zu: label %g in a block, %g in the table", from + i + 1, x, y);
    }
}

/* The first column of the text by its labels in the table, which is read whole as well. */
static tamis_table *read_both_ways(tamis_context *cx, const char *text, size_t n, const tamis_options *o)
{
    tamis_table *t;
    const tamis_table *b;
    struct tamis_csv *c;
    size_t rows = 0;
    if (tamis_table_read_memory(cx, text, n, "t.csv", o, &t)) fail_msg("%s", tamis_error(cx));
    assert_int_equal(t->column[0].type, TAMIS_CATEGORY);
    struct tamis_csv_want want = {t->column[0].name, TAMIS_CATEGORY, t->column[0].levels, t->column[0].level, 0};
    assert_int_equal(tamis_csv_open_memory(cx, text, n, "t.csv", o, &want, 1, &c), 0);
    for (assert_int_equal(tamis_csv_next(c, &b), 0); b->rows; assert_int_equal(tamis_csv_next(c, &b), 0)) {
        check_rows(t, b, rows);
        rows += b->rows;
    }
    assert_int_equal(rows, t->rows);
    tamis_csv_close(c);
    return t;
}

/* The labels of the first column, in order. */
static void labels_are(tamis_context *cx, const char *text, const char *option, const char *value, const char *labels)
{
    char got[200] = "";
    size_t n = 0;
    tamis_options *o = set_of(cx, option, value);
    tamis_table *t = read_both_ways(cx, text, strlen(text), o);
    for (size_t k = 0; k < t->column[0].levels; k++)
        n += (size_t)snprintf(got + n, sizeof got - n, "%s[%s]", k ? " " : "", t->column[0].level[k]);
    assert_string_equal(got, labels);
    tamis_table_free(t);
    tamis_options_free(o);
}

static void a_label_is_the_same_in_every_row(void **state)
{
    tamis_context *cx = *state;
    labels_are(cx, "a,y\n7,1\n7.0,2\n007,1\nz,2\nz,1\nz,2\nz,1\n7.0,1\n007,1\n", "ignore", "1", "[007] [7] [7.0] [z]");
    labels_are(cx, "a,y\n\" 1,500\",1\nx,2\n\"1,500 \",3\n", NULL, NULL, "[1,500] [x]");
    labels_are(cx, "a,y\n\" inf\",1\nx,2\n\"inf \",3\nx,1\n", "ignore", "1", "[inf] [x]");
    labels_are(cx, "a,y\n\" <5\",1\nx,2\n<5,3\ny,2\n", "censored", "half", "[<5] [x] [y]");
    labels_are(cx, "a,y\n<5,1\nx,2\n<5,3\n", "censored", "missing", "[x]");
    labels_are(cx, "a;y\n1,5;1\nx;2\n1,50;3\nx;1,5\nx;1\n", "decimal", ",", "[1,5] [1,50] [x]");
    labels_are(cx, "a;y\n1,5;1\nx;2\n1.5;3\nx;1,5\nx;1\n", "decimal", ",", "[1,5] [1.5] [x]");
    labels_are(cx, "a;y\nx;2\n\"1.5 \";3\n\"x \";1,5\n1.5;1\n", "decimal", ",", "[1.5] [x] [x ]");
    labels_are(cx, "a;y\nx;2\n\" 1,5\";3\nx;1.5\n1,5;1\nx;1\n", "decimal", ".", "[1,5] [x]");
    labels_are(cx, "a,y\n012,1\n-1,1\n345,2\n", "missing", "-1", "[012] [345]");
    labels_are(cx, "a,y\n012,1\n\"-1\",1\n345,2\n", "missing", "-1", "[012] [345]");
}

/* More spellings before the first text than are kept: numbers count by value, before it and after it. */
static void numbers_count_by_value_if_there_are_too_many(void **state)
{
    enum { ROWS = 400000 };
    static const char *const tail[] = {"z", "7.0", "7", "1e300", "z", "-0"};
    tamis_context *cx = *state;
    char *s = malloc(ROWS * 24 + 200);
    size_t n = (size_t)sprintf(s, "a,y\n");
    for (int i = 0; i < ROWS; i++) n += (size_t)sprintf(s + n, "%d.00000000000000,1\n", i % 9);
    for (size_t i = 0; i < sizeof tail / sizeof *tail; i++) n += (size_t)sprintf(s + n, "%s,2\n", tail[i]);
    tamis_options *o = set_of(cx, "ignore", "1");
    tamis_table *t = read_both_ways(cx, s, n, o);
    assert_int_equal(t->column[0].levels, 11);
    assert_string_equal(t->column[0].level[8], "7");
    assert_true(t->column[0].value[ROWS + 1] == 8 && t->column[0].value[ROWS + 2] == 8);
    assert_true(t->column[0].value[ROWS + 5] == 0);
    tamis_table_free(t);
    tamis_options_free(o);
    free(s);
}

static void labels_do_not_depend_on_where_blocks_end(void **state)
{
    static const char row[] = "\" inf \",1\nx,2\n";
    tamis_context *cx = *state;
    char *s = malloc(BLOCK + 100);
    tamis_options *o = set_of(cx, "ignore", "1");
    for (size_t before = 0; before < sizeof row; before++) {    /* bytes of the row in the first block */
        size_t n = (size_t)sprintf(s, "a,y\n");
        for (; n + 10 < BLOCK - before; n += 4) memcpy(s + n, "3,1\n", 4);
        n += (size_t)sprintf(s + n, "3,%0*d\n", (int)(BLOCK - before - n - 3), 1);
        memcpy(s + n, row, sizeof row);
        tamis_table *t = read_both_ways(cx, s, n + sizeof row - 1, o);
        assert_int_equal(t->column[0].levels, 3);
        assert_string_equal(t->column[0].level[1], "inf");
        tamis_table_free(t);
    }
    tamis_options_free(o);
    free(s);
}

static void a_number_finds_its_label_by_value(void **state)
{
    static char *const plain[] = {"1", "2.5", "x"}, *const spelt[] = {"1", "1.0", "x"};
    static const struct { char *const *level; const char *cell; char mark; double label; } cases[] = {
        {plain, "1.0", '.', 0}, {plain, "2.50", '.', 1}, {plain, "x", '.', 2}, {plain, "3", '.', 3},
        {plain, "1,0", ',', 0}, {plain, "2,5", ',', 1},  {spelt, "1.0", '.', 1}, {spelt, "1.00", '.', 3}};
    tamis_context *cx = *state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct tamis_csv_want want = {"a", TAMIS_CATEGORY, 3, cases[i].level, 0};
        char text[40], mark[2] = {cases[i].mark, 0};
        struct tamis_csv *c;
        const tamis_table *b;
        tamis_options *o = set_of(cx, "decimal", mark);
        int n = snprintf(text, sizeof text, "a;b\n%s;1\n", cases[i].cell);
        assert_int_equal(tamis_csv_open_memory(cx, text, (size_t)n, "t.csv", o, &want, 1, &c), 0);
        assert_int_equal(tamis_csv_next(c, &b), 0);
        if (b->column[0].value[0] != cases[i].label) fail_msg("case %zu: label %g", i, b->column[0].value[0]);
        tamis_csv_close(c);
        tamis_options_free(o);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_label_is_the_same_in_every_row),
        TEST(numbers_count_by_value_if_there_are_too_many),
        TEST(labels_do_not_depend_on_where_blocks_end),
        TEST(a_number_finds_its_label_by_value),
    };
    return cmocka_run_group_tests_name("labels", tests, NULL, NULL);
}
