/* Arrow's C data and stream interfaces, with arrays built by hand: every type, offsets everywhere, validity bitmaps,
 * dictionaries that differ between batches; what is refused, and that everything is released once, whatever happens. */
#include <errno.h>
#include "data/arrow_abi.h"
#include "data/table.h"
#include "unit.h"

#define COUNT(a) (sizeof(a) / sizeof *(a))
enum { MOST = 24 };

/* ---- arrays by hand ---- */

/* A column as a test describes it: its buffers are static, and `rows` counts what follows the offset. */
struct made {
    const char *format, *name;
    const void *buffer[5];
    int64_t buffers, rows, offset, nulls;
    const char *dictionary;             /* its format; NULL: none */
    const void *words[3];               /* its buffers */
    int64_t levels, words_offset, words_nulls;
};

struct batch {
    struct ArrowSchema schema, child[MOST], *children[MOST], dictionary[MOST];
    struct ArrowArray array, values[MOST], *value[MOST], words[MOST];
    const void *buffer[MOST][5], *word[MOST][3], *validity[1];
    int schema_released, array_released;
};

static void release_schema(struct ArrowSchema *s)
{
    ((struct batch *)s->private_data)->schema_released++;
    s->release = NULL;
}

static void release_array(struct ArrowArray *a)
{
    ((struct batch *)a->private_data)->array_released++;
    a->release = NULL;
}

static struct batch *build(struct batch *b, const struct made *m, size_t columns, int64_t rows, int64_t offset)
{
    *b = (struct batch){0};
    b->schema = (struct ArrowSchema){.format = "+s", .name = "", .n_children = (int64_t)columns,
                                     .children = b->children, .release = release_schema, .private_data = b};
    b->array = (struct ArrowArray){.length = rows, .offset = offset, .n_buffers = 1, .buffers = b->validity,
                                   .n_children = (int64_t)columns, .children = b->value, .release = release_array,
                                   .private_data = b};
    for (size_t j = 0; j < columns; j++) {
        memcpy(b->buffer[j], m[j].buffer, sizeof b->buffer[j]);
        memcpy(b->word[j], m[j].words, sizeof b->word[j]);
        b->child[j] = (struct ArrowSchema){.format = m[j].format, .name = m[j].name};
        b->values[j] = (struct ArrowArray){.length = m[j].rows, .null_count = m[j].nulls, .offset = m[j].offset,
                                           .n_buffers = m[j].buffers, .buffers = b->buffer[j]};
        b->children[j] = &b->child[j];
        b->value[j] = &b->values[j];
        if (!m[j].dictionary) continue;
        b->dictionary[j] = (struct ArrowSchema){.format = m[j].dictionary};
        b->words[j] = (struct ArrowArray){.length = m[j].levels, .offset = m[j].words_offset, .n_buffers = 3,
                                          .null_count = m[j].words_nulls, .buffers = b->word[j]};
        b->child[j].dictionary = &b->dictionary[j];
        b->values[j].dictionary = &b->words[j];
    }
    return b;
}

static tamis_table *taken(tamis_context *cx, struct batch *b)
{
    tamis_table *t = NULL;
    if (tamis_table_from_arrow(cx, &b->schema, &b->array, &t)) fail_msg("%s", tamis_error(cx));
    assert_int_equal(b->schema_released, 1);
    assert_int_equal(b->array_released, 1);
    return t;
}

static void column_is(const tamis_table *t, const char *name, const double *want)
{
    const struct tamis_data_column *c = &t->column[tamis_table_find(t, name)];
    assert_string_equal(c->name, name);
    for (size_t i = 0; i < t->rows; i++)
        if (c->value[i] != want[i] && !(isnan(want[i]) && isnan(c->value[i])))
            fail_msg("column %s, row %zu: %.17g, expected %.17g", name, i, c->value[i], want[i]);
}

/* NULL: missing. */
static void labels_are(const tamis_table *t, const char *name, const char *const *want)
{
    const struct tamis_data_column *c = &t->column[tamis_table_find(t, name)];
    assert_int_equal(c->type, TAMIS_CATEGORY);
    for (size_t i = 0; i < t->rows; i++) {
        assert_int_equal(isnan(c->value[i]) != 0, !want[i]);
        if (want[i]) assert_string_equal(c->level[(size_t)c->value[i]], want[i]);
    }
    for (size_t l = 1; l < c->levels; l++) assert_true(strcmp(c->level[l - 1], c->level[l]) < 0);
}

/* ---- every type ---- */

static const int8_t c8[] = {-1, -2, -3, -4};
static const uint8_t C8[] = {1, 2, 3, 255}, bits[] = {0x0A}, without_second[] = {0x0D};
static const int16_t s16[] = {-300, 2, 3, 4};
static const uint16_t S16[] = {300, 2, 3, 65535}, half[] = {0x3C00, 0xC500, 0x0001, 0x7E00};
static const int32_t i32[] = {-70000, 2, 3, 4}, offsets[] = {0, 1, 3, 3, 5}, days[] = {0, 1, -1, 19000};
static const uint32_t I32[] = {70000, 2, 3, UINT32_MAX};
static const int64_t l64[] = {-5000000000, 2, 3, 4}, large[] = {0, 1, 3, 3, 5},
                     millis[] = {0, 43200000, 86400000, -86400000};
static const int64_t seconds[] = {0, 86400, 172800, -43200}, micros[] = {0, 43200000000, 1, 2},
                     nanos[] = {86400000000000, 0, 0, 0};
static const uint64_t L64[] = {5000000000u, 2, 3, 4};
static const float f32[] = {1.5f, -2.5f, NAN, 4};
static const double g64[] = {1.5, -2.25, NAN, 1e300};
static const char text[] = "abbcc", more_text[] = "a text that is longer than twelve bytes";

struct view { int32_t n; char bytes[12]; };

static void every_type_is_read(void **state)
{
    struct view view[4] = {
        {1, "a"}, {12, {'t', 'w', 'e', 'l', 'v', 'e', ' ', 'b', 'y', 't', 'e', 's'}}, {0, ""}, {31, ""}};
    const int32_t where[] = {0, 2};
    memcpy(view[3].bytes, more_text + 2, 4);
    memcpy(view[3].bytes + 4, where, sizeof where);
    const struct made m[] = {
        {"c", "c", {NULL, c8}, 2, 4}, {"C", "C", {NULL, C8}, 2, 4}, {"s", "s", {NULL, s16}, 2, 4},
        {"S", "S", {NULL, S16}, 2, 4}, {"i", "i", {NULL, i32}, 2, 4}, {"I", "I", {NULL, I32}, 2, 4},
        {"l", "l", {NULL, l64}, 2, 4}, {"L", "L", {NULL, L64}, 2, 4}, {"e", "e", {NULL, half}, 2, 4},
        {"f", "f", {NULL, f32}, 2, 4}, {"g", "g", {NULL, g64}, 2, 4}, {"b", "b", {NULL, bits}, 2, 4},
        {"n", "n", {NULL}, 0, 4}, {"tdD", "tdD", {NULL, days}, 2, 4}, {"tdm", "tdm", {NULL, millis}, 2, 4},
        {"tss:", "tss", {NULL, seconds}, 2, 4}, {"tsm:UTC", "tsm", {NULL, millis}, 2, 4},
        {"tsu:Europe/Berlin", "tsu", {NULL, micros}, 2, 4}, {"tsn:", "tsn", {NULL, nanos}, 2, 4},
        {"u", "u", {NULL, offsets, text}, 3, 4}, {"U", "U", {NULL, large, text}, 3, 4},
        {"vu", "vu", {NULL, view, more_text, NULL}, 4, 4}};
    struct batch b;
    tamis_table *t = taken(*state, build(&b, m, COUNT(m), 4, 0));
    assert_int_equal(t->columns, COUNT(m));
    column_is(t, "c", (double[]){-1, -2, -3, -4});
    column_is(t, "C", (double[]){1, 2, 3, 255});
    column_is(t, "s", (double[]){-300, 2, 3, 4});
    column_is(t, "S", (double[]){300, 2, 3, 65535});
    column_is(t, "i", (double[]){-70000, 2, 3, 4});
    column_is(t, "I", (double[]){70000, 2, 3, UINT32_MAX});
    column_is(t, "l", (double[]){-5e9, 2, 3, 4});
    column_is(t, "L", (double[]){5e9, 2, 3, 4});
    column_is(t, "e", (double[]){1, -5, ldexp(1, -24), NAN});
    column_is(t, "f", (double[]){1.5, -2.5, NAN, 4});
    column_is(t, "g", g64);
    labels_are(t, "b", (const char *const[]){"False", "True", "False", "True"});
    column_is(t, "n", (double[]){NAN, NAN, NAN, NAN});
    column_is(t, "tdD", (double[]){0, 1, -1, 19000});
    column_is(t, "tdm", (double[]){0, 0.5, 1, -1});
    column_is(t, "tss", (double[]){0, 1, 2, -0.5});
    column_is(t, "tsm", (double[]){0, 0.5, 1, -1});
    column_is(t, "tsu", (double[]){0, 0.5, 1 / 86400e6, 2 / 86400e6});
    column_is(t, "tsn", (double[]){1, 0, 0, 0});
    labels_are(t, "u", (const char *const[]){"a", "bb", NULL, "cc"});           /* an empty text is missing */
    labels_are(t, "U", (const char *const[]){"a", "bb", NULL, "cc"});
    labels_are(t, "vu", (const char *const[]){"a", "twelve bytes", NULL, "text that is longer than twelve"});
    tamis_table_free(t);
}

/* The struct starts at 1, children at 1 or 2 of their own; bits of bitmaps count from there, too. */
static void offsets_add_up(void **state)
{
    static const int16_t n[] = {90, 91, 92, 3, 4, 5, 93};
    static const uint8_t n_valid[] = {0x6F}, u_valid[] = {0xF7}, flags[] = {0x28};      /* bit 4; bit 3; 3 and 5 */
    static const int32_t where[] = {0, 1, 2, 3, 4, 5, 6};
    static const uint8_t code[] = {9, 9, 0, 1, 2};
    static const int32_t word_at[] = {0, 1, 3, 5, 6};
    const struct made m[] = {
        {"s", "n", {n_valid, n}, 2, 4, 2, 1}, {"u", "u", {u_valid, where, "uvwxyz"}, 3, 4, 1, -1},
        {"b", "b", {NULL, flags}, 2, 4, 2}, {"C", "d", {NULL, code}, 2, 4, 1, 0, "u", {NULL, word_at, "-aabbc"}, 3, 1}};
    struct batch b;
    tamis_table *t = taken(*state, build(&b, m, COUNT(m), 3, 1));
    column_is(t, "n", (double[]){3, NAN, 5});
    labels_are(t, "u", (const char *const[]){"w", NULL, "y"});
    labels_are(t, "b", (const char *const[]){"True", "False", "True"});
    labels_are(t, "d", (const char *const[]){"aa", "bb", "c"});
    tamis_table_free(t);
    build(&b, m, COUNT(m), 3, 1);
    b.validity[0] = without_second;             /* row 0 of the table is index 1 of the struct, which is not there */
    b.array.null_count = 1;
    t = taken(*state, &b);
    column_is(t, "n", (double[]){NAN, NAN, 5});
    labels_are(t, "d", (const char *const[]){NULL, "bb", "c"});
    tamis_table_free(t);
}

static void dictionaries_have_any_index(void **state)
{
    static const int8_t a[] = {1, 0, -1};
    static const uint16_t c[] = {2, 1, 0};
    static const int32_t d[] = {0, 0, 1};
    static const uint64_t e[] = {1, 2, 0};
    static const uint8_t word_valid[] = {0x05};
    const void *const words[] = {NULL, offsets, text}, *const gaps[] = {word_valid, large, text};
    struct made m[] = {{"c", "a", {NULL, a}, 2, 3, 0, 0, "u", {0}, 4},
                       {"S", "c", {NULL, c}, 2, 3, 0, 0, "u", {0}, 4},
                       {"i", "d", {NULL, d}, 2, 3, 0, 0, "U", {0}, 4, 0, 1},
                       {"L", "e", {NULL, e}, 2, 3, 0, 0, "U", {0}, 4}};
    struct batch b;
    for (size_t j = 0; j < 4; j++) memcpy(m[j].words, j == 2 ? gaps : words, sizeof words);
    m[3].words[1] = large;
    tamis_table *t = taken(*state, build(&b, m, 4, 3, 0));
    labels_are(t, "a", (const char *const[]){"bb", "a", NULL});
    labels_are(t, "c", (const char *const[]){NULL, "bb", "a"});
    labels_are(t, "d", (const char *const[]){"a", "a", NULL});          /* null in the dictionary */
    labels_are(t, "e", (const char *const[]){"bb", NULL, "a"});
    tamis_table_free(t);
}

/* ---- streams ---- */

struct flow {
    struct ArrowArrayStream stream;
    struct batch *batch;
    size_t batches, next;
    int fail_at, schema_fails, released;        /* fail_at: -1 never */
};

static int flow_schema(struct ArrowArrayStream *s, struct ArrowSchema *out)
{
    struct flow *f = s->private_data;
    if (f->schema_fails) return EINVAL;
    *out = f->batch[0].schema;
    return 0;
}

static int flow_next(struct ArrowArrayStream *s, struct ArrowArray *out)
{
    struct flow *f = s->private_data;
    if (f->fail_at == (int)f->next) return EIO;
    if (f->next < f->batches) *out = f->batch[f->next++].array;
    else out->release = NULL;
    return 0;
}

static const char *flow_error(struct ArrowArrayStream *s)
{
    return ((struct flow *)s->private_data)->schema_fails ? NULL : "the disk is full";
}

static void flow_release(struct ArrowArrayStream *s)
{
    ((struct flow *)s->private_data)->released++;
    s->release = NULL;
}

static struct ArrowArrayStream *flow(struct flow *f, struct batch *b, size_t batches)
{
    *f = (struct flow){.batch = b, .batches = batches, .fail_at = -1};
    f->stream = (struct ArrowArrayStream){flow_schema, flow_next, flow_error, flow_release, f};
    return &f->stream;
}

/* Three batches, the second empty; the dictionary of the third has other words in another order. */
static void three_batches(struct batch b[3])
{
    static const double x[] = {1, 2, 3};
    static const int8_t code[] = {0, 1, 0};
    static const int32_t other_at[] = {0, 2, 3};
    const struct made first[] = {{"g", "x", {NULL, x}, 2, 3},
                                 {"c", "d", {NULL, code}, 2, 3, 0, 0, "u", {NULL, offsets, text}, 2}},
                      last[] = {{"g", "x", {NULL, x}, 2, 3, 1},
                                {"c", "d", {NULL, code}, 2, 3, 1, 0, "u", {NULL, other_at, "bbz"}, 2}};
    build(&b[0], first, 2, 3, 0);
    build(&b[1], first, 2, 0, 0);
    build(&b[2], last, 2, 2, 0);
}

static void batches_are_joined(void **state)
{
    struct batch b[3];
    struct flow f;
    tamis_table *t = NULL;
    three_batches(b);
    if (tamis_table_from_arrow_stream(*state, flow(&f, b, 3), &t)) fail_msg("%s", tamis_error(*state));
    assert_int_equal(t->rows, 5);
    column_is(t, "x", (double[]){1, 2, 3, 2, 3});
    labels_are(t, "d", (const char *const[]){"a", "bb", "a", "z", "bb"});
    assert_int_equal(t->column[1].levels, 3);
    assert_true(f.released == 1 && !f.stream.release && b[0].schema_released == 1);
    for (int i = 0; i < 3; i++) assert_int_equal(b[i].array_released, 1);
    tamis_table_free(t);
}

static void streams_that_fail(void **state)
{
    struct batch b[3];
    struct flow f;
    tamis_table *t = NULL;
    three_batches(b);
    flow(&f, b, 3)->release = flow_release;
    f.fail_at = 2;
    assert_int_equal(tamis_table_from_arrow_stream(*state, &f.stream, &t), TAMIS_DATA);
    says(*state, "the Arrow stream failed: the disk is full");
    assert_true(f.released == 1 && b[0].schema_released == 1 && b[0].array_released == 1 && !b[2].array_released);
    flow(&f, b, 3);
    f.schema_fails = 1;
    assert_int_equal(tamis_table_from_arrow_stream(*state, &f.stream, &t), TAMIS_DATA);
    says(*state, "the Arrow stream failed: Invalid argument");
    assert_int_equal(f.released, 1);
    three_batches(b);
    assert_int_equal(tamis_table_from_arrow_stream(*state, flow(&f, b + 1, 1), &t), TAMIS_DATA);        /* no rows */
    says(*state, "0 rows and 2 columns");
    three_batches(b);
    assert_int_equal(tamis_table_from_arrow_stream(*state, flow(&f, b, 0), &t), TAMIS_DATA);            /* no batch */
    assert_int_equal(f.released, 1);
    tamis_cancel(*state);
    three_batches(b);
    assert_int_equal(tamis_table_from_arrow_stream(*state, flow(&f, b, 3), &t), TAMIS_STOPPED);
    assert_int_equal(f.released, 1);
    assert_null(t);
}

/* ---- what is refused ---- */

static void wrong_arrays_are_refused(void **state)
{
    static const float infinite[] = {1, INFINITY};
    static const struct { struct made m; const char *words; } bad[] = {
        {{"d:10,2", "price", {NULL, l64}, 2, 2}, "column 'price': Arrow type 'd:10,2' is not supported"},
        {{"+l", "list", {NULL, i32}, 2, 2}, "column 'list': Arrow type '+l'"},
        {{"z", "bytes", {NULL, offsets, text}, 3, 2}, "column 'bytes': Arrow type 'z'"},
        {{"ttu", "time", {NULL, l64}, 2, 2}, "column 'time': Arrow type 'ttu'"},
        {{NULL, "none", {NULL, l64}, 2, 2}, "column 'none': Arrow type ''"},
        {{"g", "x", {NULL, g64}, 2, 1}, "column 'x': its Arrow array is too short"},
        {{"g", "x", {NULL, g64}, 2, 2, -1}, "too short"},
        {{"g", "x", {NULL, NULL}, 2, 2}, "column 'x': its Arrow array lacks a buffer"},
        {{"u", "x", {NULL, offsets}, 2, 2}, "lacks a buffer"},
        {{"f", "x", {NULL, infinite}, 2, 2}, "row 2 of column 'x' is infinite"},
        {{"g", "", {NULL, g64}, 2, 2}, "column 1 has no name"},
        {{"g", NULL, {NULL, g64}, 2, 2}, "column 1 has no name"},
        {{"g", "x", {NULL, g64}, 2, 2, 0, 0, "u", {NULL, offsets, text}, 2}, "Arrow index type 'g' is not supported"},
        {{"c", "x", {NULL, c8}, 2, 2, 0, 0, "l", {NULL, l64}, 2}, "Arrow dictionary of type 'l' is not supported"},
        {{"C", "x", {NULL, C8}, 2, 2, 0, 0, "u", {NULL, offsets, text}, 2}, "row 2 of column 'x' has code 2"},
        {{"C", "x", {NULL, C8}, 2, 2, 0, 0, "u", {NULL, NULL, text}, 4}, "lacks a buffer"}};
    tamis_context *cx = *state;
    for (size_t i = 0; i < COUNT(bad); i++) {
        struct batch b;
        tamis_table *t = NULL;
        build(&b, &bad[i].m, 1, 2, 0);
        assert_int_equal(tamis_table_from_arrow(cx, &b.schema, &b.array, &t), TAMIS_DATA);
        says(cx, bad[i].words);
        assert_null(t);
        assert_true(b.schema_released == 1 && b.array_released == 1);
    }
}

static int refuse(tamis_context *cx, struct batch *b)
{
    tamis_table *t = NULL;
    int status = tamis_table_from_arrow(cx, &b->schema, &b->array, &t);
    assert_null(t);
    assert_true(b->schema_released == 1 && b->array_released == 1);
    return status;
}

static void wrong_structs_are_refused(void **state)
{
    const struct made m[] = {{"g", "x", {NULL, g64}, 2, 4}, {"g", "x", {NULL, g64}, 2, 4}};
    struct batch b;
    tamis_table *t = NULL;
    assert_int_equal(refuse(*state, build(&b, m, 2, 4, 0)), TAMIS_DATA);
    says(*state, "columns 1 and 2 are both named 'x'");
    build(&b, m, 1, 4, 0)->schema.format = "g";
    assert_int_equal(refuse(*state, &b), TAMIS_DATA);
    says(*state, "the Arrow data have type 'g'");
    build(&b, m, 1, 4, 0)->array.n_children = 0;
    assert_int_equal(refuse(*state, &b), TAMIS_DATA);
    says(*state, "does not match its schema");
    assert_int_equal(refuse(*state, build(&b, m, 0, 4, 0)), TAMIS_DATA);
    says(*state, "4 rows and 0 columns");
    build(&b, m, 1, 4, 0)->array.release = NULL;
    assert_int_equal(tamis_table_from_arrow(*state, &b.schema, &b.array, &t), TAMIS_USAGE);
    says(*state, "already released");
    assert_int_equal(b.schema_released, 1);
    build(&b, m, 1, 4, 0)->values[0].dictionary = NULL;
    b.child[0] = (struct ArrowSchema){.format = "c", .name = "d", .dictionary = &b.dictionary[0]};
    b.dictionary[0] = (struct ArrowSchema){.format = "u"};
    assert_int_equal(refuse(*state, &b), TAMIS_DATA);
    says(*state, "lacks its dictionary");
}

static int take_stream(tamis_context *cx, void *nothing)
{
    struct batch b[3];
    struct flow f;
    tamis_table *t = NULL;
    (void)nothing;
    three_batches(b);
    int status = tamis_table_from_arrow_stream(cx, flow(&f, b, 3), &t);
    assert_true(f.released == 1 && (status != TAMIS_OK) == !t);
    tamis_table_free(t);
    return status;
}

static void every_allocation_fails_once(void **state)
{
    assert_true(every_allocation_fails(*state, take_stream, NULL, 200) > 15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(every_type_is_read),
        TEST(offsets_add_up),
        TEST(dictionaries_have_any_index),
        TEST(batches_are_joined),
        TEST(streams_that_fail),
        TEST(wrong_arrays_are_refused),
        TEST(wrong_structs_are_refused),
        TEST(every_allocation_fails_once),
    };
    return cmocka_run_group_tests_name("arrow", tests, NULL, NULL);
}
