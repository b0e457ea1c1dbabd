/* Tables from a program's arrays: every format and stride, categories, dates, missing values, borrowed doubles; the
 * same results as from the same table read as CSV; what is refused; failing allocations. */
#include "base/rng.h"
#include "data/table.h"
#include "unit.h"

#define COLUMN(...) (tamis_column){.size = sizeof(tamis_column), __VA_ARGS__}
#define COUNT(a) (sizeof(a) / sizeof *(a))

static tamis_table *table_of(tamis_context *cx, const char *name, size_t rows, const tamis_column *c, size_t columns)
{
    tamis_table *t = NULL;
    if (tamis_table_from_columns(cx, name, rows, c, columns, &t)) fail_msg("%s", tamis_error(cx));
    return t;
}

static void same_table(const tamis_table *a, const tamis_table *b)
{
    assert_int_equal(a->rows, b->rows);
    assert_int_equal(a->columns, b->columns);
    for (size_t j = 0; j < a->columns; j++) {
        const struct tamis_data_column *p = &a->column[j], *q = &b->column[j];
        assert_string_equal(p->name, q->name);
        assert_int_equal(p->type, q->type);
        assert_int_equal(p->levels, q->levels);
        for (size_t l = 0; l < p->levels; l++) assert_string_equal(p->level[l], q->level[l]);
        for (size_t i = 0; i < a->rows; i++)
            if (p->value[i] != q->value[i] && !(isnan(p->value[i]) && isnan(q->value[i])))
                fail_msg("column '%s', row %zu: %.17g and %.17g", p->name, i, p->value[i], q->value[i]);
    }
}

/* ---- formats and strides ---- */

static void every_format_is_read(void **state)
{
    static const double f64[] = {1.5, -2, NAN};
    static const float f32[] = {0.25f, -8, NAN};
    static const int8_t i8[] = {-128, 127, 3};
    static const int16_t i16[] = {-32768, 32767, 3};
    static const int32_t i32[] = {INT32_MIN, INT32_MAX, 3};
    static const int64_t i64[] = {-9007199254740992, 9007199254740992, 3};
    static const uint8_t u8[] = {0, 255, 3};
    static const uint16_t u16[] = {0, 65535, 3};
    static const uint32_t u32[] = {0, UINT32_MAX, 3};
    static const uint64_t u64[] = {0, (uint64_t)1 << 63, 3};
    static const unsigned char b[] = {0, 1, 1};
    const tamis_column c[] = {
        COLUMN("f64", f64, TAMIS_F64), COLUMN("f32", f32, TAMIS_F32), COLUMN("i8", i8, TAMIS_I8),
        COLUMN("i16", i16, TAMIS_I16), COLUMN("i32", i32, TAMIS_I32), COLUMN("i64", i64, TAMIS_I64),
        COLUMN("u8", u8, TAMIS_U8),    COLUMN("u16", u16, TAMIS_U16), COLUMN("u32", u32, TAMIS_U32),
        COLUMN("u64", u64, TAMIS_U64), COLUMN("b", b, TAMIS_BOOL)};
    static const double want[][3] = {{1.5, -2, NAN}, {0.25, -8, NAN}, {-128, 127, 3}, {-32768, 32767, 3},
                                     {INT32_MIN, INT32_MAX, 3}, {-9007199254740992, 9007199254740992, 3}, {0, 255, 3},
                                     {0, 65535, 3}, {0, UINT32_MAX, 3}, {0, 9223372036854775808.0, 3}, {0, 1, 1}};
    tamis_table *t = table_of(*state, "numbers", 3, c, COUNT(c));
    for (size_t j = 0; j < COUNT(c); j++)
        for (size_t i = 0; i < 3; i++)
            if (t->column[j].value[i] != want[j][i] && !(isnan(want[j][i]) && isnan(t->column[j].value[i])))
                fail_msg("%s, row %zu: %g", c[j].name, i, t->column[j].value[i]);
    tamis_table_free(t);
}

/* Records with gaps between the fields, packed so that nothing is aligned, forwards and backwards. */
static void strides_go_both_ways(void **state)
{
    struct __attribute__((packed)) record { char pad; double x; int32_t n; const char *s; } r[5];
    static const char *const word[] = {"b", "a", "c", "a", "b"};
    for (int i = 0; i < 5; i++) r[i] = (struct record){'-', i + 0.5, 10 - i, word[i]};
    const char *base = (const char *)r;
    ptrdiff_t step = sizeof *r;
    const tamis_column c[] = {
        COLUMN("x", base + offsetof(struct record, x), TAMIS_F64, step),
        COLUMN("n", base + offsetof(struct record, n), TAMIS_I32, step),
        COLUMN("s", base + offsetof(struct record, s), TAMIS_TEXT_POINTERS, step),
        COLUMN("x back", base + 4 * step + (ptrdiff_t)offsetof(struct record, x), TAMIS_F64, -step),
        COLUMN("s back", base + 4 * step + (ptrdiff_t)offsetof(struct record, s), TAMIS_TEXT_POINTERS, -step)};
    tamis_table *t = table_of(*state, "records", 5, c, COUNT(c));
    for (size_t i = 0; i < 5; i++) {
        assert_true(t->column[0].value[i] == (double)i + 0.5 && t->column[3].value[i] == 4.5 - (double)i);
        assert_true(t->column[1].value[i] == 10 - (double)i);
        assert_string_equal(t->column[2].level[(size_t)t->column[2].value[i]], word[i]);
        assert_string_equal(t->column[4].level[(size_t)t->column[4].value[i]], word[4 - i]);
    }
    tamis_table_free(t);
}

static void numbers_lie_by_row_or_by_column(void **state)
{
    double by_row[3 * 2], by_column[2 * 4] = {0}, back[3 * 2];
    static const char *const names[] = {"u", "v"};
    tamis_table *a, *b, *c, *d;
    for (size_t i = 0; i < 3; i++)
        for (size_t j = 0; j < 2; j++) {
            double x = i == 1 && j == 1 ? NAN : 3.25 * (double)i - 7.5 * (double)j + 1;
            by_row[2 * i + j] = by_column[i + 4 * j] = back[5 - (2 * i + j)] = x;
        }
    assert_int_equal(tamis_table_from_numbers(*state, 3, 2, by_row, 2, 1, names, &a), TAMIS_OK);
    assert_int_equal(tamis_table_from_numbers(*state, 3, 2, by_column, 1, 4, names, &b), TAMIS_OK);
    assert_int_equal(tamis_table_from_numbers(*state, 3, 2, back + 5, -2, -1, names, &c), TAMIS_OK);
    assert_true(a->column[0].value[2] == 7.5 && isnan(a->column[1].value[1]) && a->column[1].value[0] == -6.5);
    same_table(a, b);
    same_table(a, c);
    assert_int_equal(tamis_table_from_numbers(*state, 3, 2, by_row, 0, 1, NULL, &d), TAMIS_OK);
    assert_true(d->column[1].value[2] == by_row[1]);            /* one row, three times */
    assert_string_equal(d->column[1].name, "x2");
    tamis_table_free(a), tamis_table_free(b), tamis_table_free(c), tamis_table_free(d);
}

/* ---- categories, dates, missing values ---- */

static void codes_and_texts_are_categories(void **state)
{
    static const char *const level[] = {"10", "never", "9", NULL, "", "9"}, *const mixed[] = {"b", "B", "a"};
    static const int8_t code[] = {2, 0, -1, 3, 4, 5, 0};
    static const uint16_t other[] = {0, 1, 2, 0, 1, 2, 0};
    static const char *const text[] = {"9", "10", NULL, NULL, "", "9", "10"};
    static const int32_t none[] = {-1, -1, -1, -1, -1, -1, -1};
    const tamis_column c[] = {COLUMN("codes", code, TAMIS_I8, .level = level, .levels = 6),
                              COLUMN("texts", text, TAMIS_TEXT_POINTERS),
                              COLUMN("mixed", other, TAMIS_U16, .level = mixed, .levels = 3),
                              COLUMN("none", none, TAMIS_I32, .level = mixed, .levels = 3)};
    tamis_table *t = table_of(*state, "t", 7, c, COUNT(c)),
                *u = text_table(*state, "codes,texts,mixed,none\n\"9 \",\"9 \",b,\n10,10,B,\n,,a,\n,,b,\n,,B,\n"
                                        "\"9 \",\"9 \",a,\n10,10,b,\n");
    assert_int_equal(t->column[0].levels, 2);                   /* those that occur, by number, equal ones merged */
    assert_string_equal(t->column[0].level[0], "9");
    assert_string_equal(t->column[0].level[1], "10");
    assert_true(t->column[0].value[0] == 0 && t->column[0].value[1] == 1 && t->column[0].value[5] == 0);
    for (int i = 2; i < 5; i++) assert_true(isnan(t->column[0].value[i]) && isnan(t->column[1].value[i]));
    assert_string_equal(t->column[2].level[0], "B");            /* by bytes */
    assert_int_equal(t->column[3].type, TAMIS_NUMBER);          /* as a column of a file without any value */
    for (size_t i = 0; i < 7; i++) assert_true(t->column[2].value[i] == u->column[2].value[i]);
    tamis_table_free(t), tamis_table_free(u);
}

static void dates_are_days(void **state)
{
    static const int64_t ms[] = {0, 86400000, -43200000, INT64_MIN}, ns[] = {43200000000000, 0, 0, 0};
    static const int32_t days[] = {0, 19000, -1, INT32_MIN};
    static const double hours[] = {0, 36, NAN, -12};
    const tamis_column c[] = {COLUMN("ms", ms, TAMIS_I64, .unit = 86400e3),
                              COLUMN("ns", ns, TAMIS_I64, .unit = 86400e9), COLUMN("days", days, TAMIS_I32, .unit = 1),
                              COLUMN("hours", hours, TAMIS_F64, .unit = 24)};
    tamis_table *t = table_of(*state, "t", 4, c, COUNT(c));
    assert_true(t->column[0].value[1] == 1 && t->column[0].value[2] == -0.5 && isnan(t->column[0].value[3]));
    assert_true(t->column[1].value[0] == 0.5 && t->column[2].value[1] == 19000 && t->column[3].value[1] == 1.5);
    assert_true(isnan(t->column[3].value[2]) && t->column[2].value[3] == INT32_MIN);
    tamis_table_free(t);
}

static void masks_mark_what_is_missing(void **state)
{
    static const unsigned char mask[] = {0, 1, 0, 255};
    static const int32_t n[] = {1, 2, 3, 4};
    static const double x[] = {1, INFINITY, 3, 4};
    static const char *const s[] = {"a", "b", "a", "c"};
    const tamis_column c[] = {COLUMN("n", n, TAMIS_I32, .missing = mask), COLUMN("x", x, TAMIS_F64, .missing = mask),
                              COLUMN("s", s, TAMIS_TEXT_POINTERS, .missing = mask)};
    tamis_table *t = table_of(*state, "t", 4, c, COUNT(c));
    for (size_t j = 0; j < 3; j++)
        for (size_t i = 0; i < 4; i++) assert_int_equal(isnan(t->column[j].value[i]) != 0, mask[i] != 0);
    assert_int_equal(t->column[2].levels, 1);
    tamis_table_free(t);
}

static void doubles_are_borrowed(void **state)
{
    double x[] = {1, 2, NAN, 4, 5, 6};
    const tamis_column c[] = {COLUMN("x", x, TAMIS_F64, .borrow = 1), COLUMN("y", x, TAMIS_F64),
                              COLUMN("z", x, TAMIS_F64, .stride = 2 * sizeof *x, .borrow = 1)};
    tamis_table *t = table_of(*state, "t", 3, c, COUNT(c));
    assert_ptr_equal(t->column[0].value, x);
    assert_ptr_not_equal(t->column[1].value, x);
    assert_true(t->column[2].value[1] != x[1] && t->column[2].value[2] == 5);   /* copied: not side by side */
    tamis_table_free(t);
    assert_true(x[0] == 1);
    x[1] = -INFINITY;
    assert_int_equal(tamis_table_from_columns(*state, "t", 3, c, 1, &t), TAMIS_DATA);
    says(*state, "row 2 of column 'x' is infinite");
}

static void columns_are_added(void **state)
{
    static const double x[] = {1, 2, 3}, y[] = {7, 8, 9};
    static const char *const group[] = {"g", "h", "g"};
    const tamis_column c = COLUMN("x", x, TAMIS_F64), target = COLUMN("y", y, TAMIS_F64, .borrow = 1),
                       groups = COLUMN("group", group, TAMIS_TEXT_POINTERS);
    tamis_table *t = table_of(*state, "t", 3, &c, 1), *u = text_table(*state, "x,y,group\n1,7,g\n2,8,h\n3,9,g\n");
    assert_int_equal(tamis_table_add(*state, t, &target), TAMIS_OK);
    assert_int_equal(tamis_table_add(*state, t, &groups), TAMIS_OK);
    same_table(t, u);
    assert_int_equal(tamis_table_add(*state, t, &groups), TAMIS_DATA);
    says(*state, "already has a column 'group'");
    assert_int_equal(tamis_table_columns(t), 3);
    assert_int_equal(tamis_table_add(*state, u, &COLUMN("more", y, TAMIS_F64)), TAMIS_OK);
    assert_true(u->column[3].value[2] == 9);
    tamis_table_free(t), tamis_table_free(u);
}

/* ---- the same as from CSV ---- */

static void results_are_those_of_the_file(void **state)
{
    enum { N = 60 };
    static const char *const colour[] = {"red", "green", "blue"}, *const day[] = {"tue", "mon", "wed"};
    static double x[N][2], y[N];
    static int32_t code[N];
    static const char *word[N];
    static unsigned char gap[N];
    tamis_context *cx = *state;
    struct tamis_rng r;
    char text[8192] = "a,b,colour,day,y\n";
    tamis_rng_init(&r, 11, TAMIS_RNG_TEST, 5);
    for (size_t i = 0; i < N; i++) {
        size_t n = strlen(text);
        for (int j = 0; j < 2; j++) x[i][j] = ldexp(tamis_rng_below(&r, 4096), -10);
        code[i] = (int32_t)tamis_rng_below(&r, 3);
        word[i] = day[tamis_rng_below(&r, 3)];
        gap[i] = i % 17 == 3;
        y[i] = x[i][0] * x[i][0] + code[i] + ldexp(tamis_rng_below(&r, 64), -10);
        char b[32] = "";
        if (!gap[i]) snprintf(b, sizeof b, "%.17g", x[i][1]);
        snprintf(text + n, sizeof text - n, "%.17g,%s,%s,%s,%.17g\n", x[i][0], b, colour[code[i]], word[i], y[i]);
    }
    const tamis_column c[] = {COLUMN("a", &x[0][0], TAMIS_F64, sizeof *x),
                              COLUMN("b", &x[0][1], TAMIS_F64, sizeof *x, .missing = gap),
                              COLUMN("colour", code, TAMIS_I32, .level = colour, .levels = 3),
                              COLUMN("day", word, TAMIS_TEXT_POINTERS), COLUMN("y", y, TAMIS_F64, .borrow = 1)};
    static const char *const words[] = {"method=sisal sigma2=1:100:5", "method=sift", "method=search outer=3",
                                        "method=lssvm sigma2=1:50:3 target=day",
                                        "method=search criterion=knn target=colour impute=knn"};
    tamis_table *t = table_of(cx, "t.csv", N, c, COUNT(c)), *u = text_table(cx, text);
    same_table(t, u);
    for (size_t k = 0; k < COUNT(words); k++) {
        tamis_options *o = worded(cx, words[k]);
        char *mine = json(cx, t, o), *theirs = json(cx, u, o);
        assert_string_equal(mine, theirs);
        tamis_release(mine), tamis_release(theirs);
        tamis_options_free(o);
    }
    tamis_table_free(t), tamis_table_free(u);
}

/* ---- descriptions ---- */

static void tables_are_described(void **state)
{
    tamis_context *cx = *state;
    tamis_value *v = NULL;
    char text[400] = "n,few,many\n1,x,l00\n,y,l01\n3,x,l02\n1,x,l00\n";
    for (int i = 3; i < 25; i++) snprintf(text + strlen(text), 32, "4,y,l%02d\n", i);
    tamis_table *t = text_table(cx, text);
    assert_int_equal(tamis_table_describe(cx, t, &v), TAMIS_OK);
    assert_string_equal(tamis_value_text(v, "file"), "t.csv");
    assert_true(tamis_value_number(v, "rows") == 26 && tamis_value_number(v, "duplicate_rows") == 1);
    const tamis_value *columns = tamis_value_get(v, "columns"), *n = tamis_value_item(columns, 0),
                      *few = tamis_value_item(columns, 1), *many = tamis_value_item(columns, 2);
    assert_int_equal(tamis_value_length(columns), 3);
    assert_string_equal(tamis_value_text(n, "type"), "number");
    assert_true(tamis_value_number(n, "missing") == 1 && tamis_value_number(n, "distinct") == 3);
    assert_true(tamis_value_number(n, "min") == 1 && tamis_value_number(n, "max") == 4 &&
                !tamis_value_flag(n, "constant"));
    assert_null(tamis_value_get(n, "levels"));
    assert_string_equal(tamis_value_text(few, "type"), "category");
    assert_int_equal(tamis_value_kind(tamis_value_get(few, "mean")), TAMIS_VALUE_NULL);
    assert_string_equal(tamis_value_text(tamis_value_item(tamis_value_get(few, "levels"), 1), NULL), "y");
    assert_int_equal(tamis_value_length(tamis_value_get(many, "levels")), 20);
    assert_true(tamis_value_number(many, "levels_total") == 25);
    tamis_value_free(v);
    tamis_table_free(t);
}

/* ---- what is refused ---- */

static void wrong_columns_are_refused(void **state)
{
    static const double x[] = {1, 2, INFINITY};
    static const int32_t n[] = {0, 1, 7};
    static const char *const level[] = {"a", "b"};
    const struct { tamis_column c; size_t rows; int status; const char *words; } bad[] = {
        {COLUMN("x", x, TAMIS_F64), 3, TAMIS_DATA, "row 3 of column 'x' is infinite"},
        {COLUMN("x", x, TAMIS_F64), 0, TAMIS_DATA, "0 rows and 1 columns"},
        {COLUMN("x", x, TAMIS_F64), SIZE_MAX / 4, TAMIS_MEMORY, "the table needs"},
        {COLUMN("", x, TAMIS_F64), 2, TAMIS_DATA, "column 1 has no name"},
        {COLUMN(NULL, x, TAMIS_F64), 2, TAMIS_DATA, "column 1 has no name"},
        {COLUMN("x", NULL, TAMIS_F64), 2, TAMIS_USAGE, "column 'x': value is NULL"},
        {COLUMN("x", x, -1), 2, TAMIS_USAGE, "format is not one of"},
        {COLUMN("x", x, TAMIS_TEXT_POINTERS + 1), 2, TAMIS_USAGE, "format is not one of"},
        {COLUMN("n", n, TAMIS_I32, .level = level, .levels = 2), 3, TAMIS_DATA, "row 3 of column 'n' has code 7"},
        {COLUMN("n", n, TAMIS_I32, .levels = 2), 3, TAMIS_USAGE, "level is NULL"},
        {COLUMN("x", x, TAMIS_F64, .level = level, .levels = 2), 2, TAMIS_USAGE, "must be integers"},
        {COLUMN("s", level, TAMIS_TEXT_POINTERS, .level = level, .levels = 2), 2, TAMIS_USAGE, "must be integers"},
        {COLUMN("x", x, TAMIS_F64, .unit = -1), 2, TAMIS_USAGE, "unit must be"},
        {COLUMN("x", x, TAMIS_F64, .unit = NAN), 2, TAMIS_USAGE, "unit must be"},
        {COLUMN("s", level, TAMIS_TEXT_POINTERS, .unit = 1), 2, TAMIS_USAGE, "unit is for numbers"},
        {{.size = 8, .name = "x", .value = x}, 2, TAMIS_USAGE, "column 1: its size is not set"},
        {{.name = "x", .value = x}, 2, TAMIS_USAGE, "its size is not set"}};
    tamis_context *cx = *state;
    for (size_t i = 0; i < COUNT(bad); i++) {
        tamis_table *t = (tamis_table *)state;
        int status = tamis_table_from_columns(cx, "t", bad[i].rows, &bad[i].c, 1, &t);
        if (status != bad[i].status) fail_msg("%s: %d, %s", bad[i].words, status, tamis_error(cx));
        assert_null(t);
        says(cx, bad[i].words);
    }
}

static void wrong_names_are_refused(void **state)
{
    static const double x[] = {1, 2, 3, 4};
    static const char *const same[] = {"u", "u"}, *const none[] = {"u", NULL}, *const empty[] = {"", "v"};
    const tamis_column c[] = {COLUMN("u", x, TAMIS_F64), COLUMN("v", x, TAMIS_F64), COLUMN("u", x, TAMIS_F64)};
    tamis_table *t;
    assert_int_equal(tamis_table_from_columns(*state, "t", 4, c, 3, &t), TAMIS_DATA);
    says(*state, "columns 1 and 3 are both named 'u'");
    assert_int_equal(tamis_table_from_columns(*state, "t", 4, c, 0, &t), TAMIS_DATA);
    assert_int_equal(tamis_table_from_numbers(*state, 2, 2, x, 1, 2, same, &t), TAMIS_DATA);
    says(*state, "columns 1 and 2 are both named 'u'");
    assert_int_equal(tamis_table_from_numbers(*state, 2, 2, x, 1, 2, none, &t), TAMIS_DATA);
    says(*state, "column 2 has no name");
    assert_int_equal(tamis_table_from_numbers(*state, 2, 2, x, 1, 2, empty, &t), TAMIS_DATA);
    assert_int_equal(tamis_table_from_numbers(*state, 2, 2, NULL, 1, 2, same, &t), TAMIS_USAGE);
    assert_null(t);
}

/* A program made with a later version, whose columns have fields that we do not know. */
static void larger_columns_are_stepped_over(void **state)
{
    static const double x[] = {1, 2}, y[] = {3, 4};
    struct {
        tamis_column c;
        char more[24];
    } later[2] = {{COLUMN("x", x, TAMIS_F64), ""}, {COLUMN("y", y, TAMIS_F64), ""}};
    for (int j = 0; j < 2; j++) later[j].c.size = sizeof *later;
    tamis_table *t = table_of(*state, NULL, 2, &later[0].c, 2);
    assert_string_equal(t->column[1].name, "y");
    assert_true(t->column[1].value[1] == 4);
    tamis_table_free(t);
}

static tamis_options *categorical(tamis_context *cx, const char *names)
{
    tamis_options *o = tamis_options_new(cx);
    assert_int_equal(tamis_options_set(o, "categorical", names), 0);
    return o;
}

/* By name, number and pattern; levels in the order of the numbers; a borrowed column is left as it was. */
static void numbers_become_labels(void **state)
{
    static const double x[] = {10, 9, NAN, 0.5}, day[] = {18263, 18264, 18263, 18263.5};
    const tamis_column c[] = {COLUMN("x", x, TAMIS_F64, .borrow = 1), COLUMN("day", day, TAMIS_F64, .unit = 1),
                              COLUMN("same", x, TAMIS_F64)};
    tamis_table *t = table_of(*state, "t", 4, c, COUNT(c));
    tamis_options *o = categorical(*state, "1,d*");
    assert_int_equal(tamis_table_categorise(*state, t, o), 0);
    const struct tamis_data_column *n = &t->column[0], *d = &t->column[1];
    assert_true(n->levels == 3 && n->value[0] == 2 && n->value[1] == 1 && isnan(n->value[2]) && n->value[3] == 0);
    assert_string_equal(n->level[0], "0.5");
    assert_true(d->type == TAMIS_CATEGORY && !d->date && d->levels == 3);
    assert_string_equal(d->level[0], "2020-01-02");
    assert_string_equal(d->level[1], "2020-01-02 12:00");
    assert_true(t->column[2].type == TAMIS_NUMBER && x[0] == 10);
    assert_int_equal(tamis_table_categorise(*state, t, o), 0);          /* again: they are labels already */
    assert_int_equal(t->column[0].levels, 3);
    tamis_options_free(o);
    o = categorical(*state, "sane");
    assert_int_equal(tamis_table_categorise(*state, t, o), TAMIS_USAGE);
    assert_non_null(strstr(tamis_error(*state), "did you mean 'same'"));
    tamis_options_free(o);
    tamis_table_free(t);
}

static int make_and_describe(tamis_context *cx, void *nothing)
{
    static const double x[] = {1, 2, 3};
    static const int8_t code[] = {1, 0, 1};
    static const char *const level[] = {"a", "b"}, *const text[] = {"u", "v", "u"};
    const tamis_column c[] = {COLUMN("x", x, TAMIS_F64), COLUMN("n", code, TAMIS_I8, .level = level, .levels = 2),
                              COLUMN("z", x, TAMIS_F64, .borrow = 1)},
                       more = COLUMN("s", text, TAMIS_TEXT_POINTERS);
    tamis_table *t = NULL, *u = NULL;
    tamis_value *v = NULL;
    (void)nothing;
    int status = tamis_table_from_columns(cx, "t", 3, c, COUNT(c), &t);
    if (!status) status = tamis_table_add(cx, t, &more);
    if (!status) status = tamis_table_from_numbers(cx, 3, 1, x, 1, 3, NULL, &u);
    tamis_options *o = status ? NULL : tamis_options_new(cx);
    if (!status) status = o ? tamis_options_set(o, "categorical", "x,z") : TAMIS_MEMORY;
    if (!status) status = tamis_table_categorise(cx, t, o);
    if (!status) status = tamis_table_describe(cx, t, &v);
    tamis_options_free(o);
    tamis_value_free(v);
    tamis_table_free(t);
    tamis_table_free(u);
    return status;
}

static void every_allocation_fails_once(void **state)
{
    assert_true(every_allocation_fails(*state, make_and_describe, NULL, 500) > 60);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(every_format_is_read),
        TEST(strides_go_both_ways),
        TEST(numbers_become_labels),
        TEST(numbers_lie_by_row_or_by_column),
        TEST(codes_and_texts_are_categories),
        TEST(dates_are_days),
        TEST(masks_mark_what_is_missing),
        TEST(doubles_are_borrowed),
        TEST(columns_are_added),
        TEST(results_are_those_of_the_file),
        TEST(tables_are_described),
        TEST(wrong_columns_are_refused),
        TEST(wrong_names_are_refused),
        TEST(larger_columns_are_stepped_over),
        TEST(every_allocation_fails_once),
    };
    return cmocka_run_group_tests_name("tables from memory", tests, NULL, NULL);
}
