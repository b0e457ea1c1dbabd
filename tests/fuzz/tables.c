/* What must be true of every file that is read as a table, whatever its format. */
#include <math.h>
#include "fuzz.h"
#include "base/pack.h"
#include "data/blocks.h"
#include "data/formats.h"

static const struct tamis_option other[] = {{"ignore", TAMIS_NAMES, 0, NULL, 0, 0, NULL, NULL, ""}, {0}};
static const struct tamis_option_table tables[] = {
    {"data", tamis_read_options}, {"data", tamis_format_options}, {"common", other}, {NULL, NULL}};

const tamis_options *fuzz_read_options(tamis_context *cx, const uint8_t *data, size_t n)
{
    static const char *const some[][2] = {{"missing", "0,x,-1e3"},
                                          {"categorical", "1"},
                                          {"decimal", ","},
                                          {"sheet", "2"},
                                          {"sheet", "Second"},
                                          {"query", "select * from t"},
                                          {"query", "select a, count(*) from t group by a"},
                                          {"query", "values(1,'a'),(2,x'00')"},
                                          {"query", "pragma user_version"},
                                          {"query", "attach '/tmp/x' as x"},
                                          {"query", "select 1; select 2"},
                                          {"query", "select load_extension('x')"},
                                          {"query", "delete from t returning 1"},
                                          {"header", "no"}};
    enum { SOME = sizeof some / sizeof *some };
    static tamis_options *made[SOME];
    size_t which = tamis_checksum(data, n, 0) % (4 * SOME);
    if (which >= SOME) return NULL;
    if (!made[which]) {
        made[which] = tamis_options_create(cx, tables);
        check(!tamis_options_set(made[which], some[which][0], some[which][1]));
    }
    return made[which];
}

/* ---- the same table ---- */

enum { MANY = 20000 };

static int same(double x, double y) { return x == y || (isnan(x) && isnan(y)); }

static void check_same_column(const struct tamis_data_column *a, const struct tamis_data_column *b, size_t rows)
{
    check(!strcmp(a->name, b->name) && a->type == b->type && a->levels == b->levels);
    for (size_t k = 0; k < a->levels; k++) check(!strcmp(a->level[k], b->level[k]));
    for (size_t i = 0; i < rows; i++) check(same(a->value[i], b->value[i]));
}

static void check_same(const tamis_table *a, const tamis_table *b)
{
    check(a->rows == b->rows && a->columns == b->columns);
    for (size_t j = 0; j < a->columns; j++) check_same_column(&a->column[j], &b->column[j], a->rows);
}

/* ---- block by block ---- */

static int open_blocks(tamis_context *cx, const uint8_t *data, size_t n, const tamis_options *o, int as_csv,
                       const struct tamis_csv_want *want, size_t wants, struct tamis_csv **csv,
                       struct tamis_blocks **blocks)
{
    struct tamis_stream *s;
    TAMIS_CALL(cx);
    int status = tamis_stream_open_memory(cx, data, n, "f", &s);
    if (status) return status;
    return as_csv ? tamis_csv_open_stream(cx, s, "f", o, want, wants, csv)
                  : tamis_blocks_open_stream(cx, s, "f", o, want, wants, blocks);
}

void fuzz_check_blocks(tamis_context *cx, const tamis_table *t, const uint8_t *data, size_t n, const tamis_options *o,
                       int as_csv)
{
    struct tamis_csv_want *want = calloc(t->columns, sizeof *want);
    struct tamis_csv *csv = NULL;
    struct tamis_blocks *blocks = NULL;
    const tamis_table *b;
    size_t rows = 0;
    for (size_t j = 0; j < t->columns; j++)
        want[j] = (struct tamis_csv_want){t->column[j].name, t->column[j].type, t->column[j].levels,
                                          t->column[j].level, t->column[j].date};
    check(!open_blocks(cx, data, n, o, as_csv, want, t->columns, &csv, &blocks));
    for (;; rows += b->rows) {
        check(!(csv ? tamis_csv_next(csv, &b) : tamis_blocks_next(blocks, &b)));
        if (!b->rows) break;
        check(rows + b->rows <= t->rows);
        for (size_t j = 0; j < t->columns; j++)
            for (size_t i = 0; i < b->rows; i++) check(same(b->column[j].value[i], t->column[j].value[rows + i]));
    }
    check(rows == t->rows);
    tamis_csv_close(csv);
    tamis_blocks_close(blocks);
    free(want);
}

/* ---- written and read ---- */

static tamis_options *as_written(tamis_context *cx, const tamis_table *t)
{
    tamis_options *o = tamis_options_create(cx, tables);
    const char **name = malloc(t->columns * sizeof *name);
    size_t n = 0;
    for (size_t j = 0; j < t->columns; j++)
        if (t->column[j].type == TAMIS_CATEGORY) name[n++] = t->column[j].name;
    check(!tamis_options_set(o, "delimiter", ",") && !tamis_options_set(o, "decimal", ".") &&
          !tamis_options_set(o, "skip", "0") && !tamis_options_set(o, "units", "no"));
    if (n) check(!tamis_options_set_names(o, "categorical", name, n));
    free(name);
    return o;
}

void fuzz_check_written(tamis_context *cx, const tamis_table *t)
{
    tamis_options *o = as_written(cx, t);
    tamis_table *back = NULL;
    char *text = NULL;
    size_t length;
    check(!tamis_table_csv(cx, t, &text, &length));
    check(!tamis_table_read_memory(cx, text, length, "written", o, &back));
    check_same(t, back);
    tamis_table_free(back);
    tamis_release(text);
    tamis_options_free(o);
}

void fuzz_check_reading(tamis_context *cx, const uint8_t *data, size_t n, const tamis_options *o)
{
    tamis_table *t = fuzz_read_table(cx, data, n, o);
    char *error = strdup(tamis_error(cx));
    tamis_table *again = fuzz_read_table(cx, data, n, o);
    /* The sanitizer keeps freed memory for a while, so that what fits once may not fit again. */
    int scarce = strstr(error, " memory") || strstr(tamis_error(cx), " memory");
    check(scarce || !t == !again);
    if (!scarce && strcmp(error, tamis_error(cx))) fuzz_wrong(error, __FILE__, __LINE__);
    if (t && again && t->columns < MANY) {      /* more take seconds, and memory that the sanitizer multiplies */
        check_same(t, again);
        fuzz_check_blocks(cx, t, data, n, o, 0);
        fuzz_check_written(cx, t);
    }
    free(error);
    tamis_table_free(t);
    tamis_table_free(again);
}
