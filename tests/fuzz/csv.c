/* libFuzzer target over the CSV reader: the first byte chooses options, the rest is the file. Beyond not crashing:
 * every value is in range, an error message has the file's name, and reading block by block gives the same
 * numbers.
 *
 *     clang -g -O1 -fsanitize=fuzzer,address,undefined ... && ./fuzz_csv -max_total_time=60 tests/fuzz/csv */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "data/csv.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct tamis_option other[] = {{"ignore", TAMIS_NAMES, 0, NULL, 0, 0, NULL, NULL, ""}, {0}};
static const struct tamis_option_table tables[] = {{"data", tamis_read_options}, {"common", other}, {NULL, NULL}};

static void check(int good)
{
    if (!good) abort();
}

static void set_some(tamis_options *o, unsigned which)
{
    static const char *const some[][2] = {{"delimiter", ";"}, {"delimiter", "tab"},    {"delimiter", "blank"},
                                          {"decimal", ","},   {"missing", "0,x,-1e3"}, {"categorical", "1"},
                                          {"ignore", "1,2"},  {"decimal", "."}};
    for (unsigned i = 0; i < 8; i++)
        if (which >> i & 1) tamis_options_set(o, some[i][0], some[i][1]);
}

static void check_column(const struct tamis_data_column *c, size_t rows)
{
    check(c->name && *c->name && (c->type == TAMIS_CATEGORY || !c->levels));
    for (size_t k = 1; k < c->levels; k++) check(strcmp(c->level[k - 1], c->level[k]) != 0);
    for (size_t i = 0; i < rows; i++) {
        double x = c->value[i];
        check(isnan(x) || (c->type == TAMIS_NUMBER ? isfinite(x) : x >= 0 && x < (double)c->levels && x == floor(x)));
    }
}

static void check_blocks(tamis_context *cx, const tamis_table *t, const uint8_t *data, size_t size,
                         const tamis_options *o)
{
    struct tamis_csv_want *want = calloc(t->columns, sizeof *want);
    struct tamis_csv *c;
    const tamis_table *b;
    size_t rows = 0;
    for (size_t j = 0; j < t->columns; j++)
        want[j] = (struct tamis_csv_want){t->column[j].name, t->column[j].type, t->column[j].levels,
                                          t->column[j].level};
    check(!tamis_csv_open_memory(cx, data, size, "f", o, want, t->columns, &c));
    for (check(!tamis_csv_next(c, &b)); b->rows; check(!tamis_csv_next(c, &b))) {
        for (size_t j = 0; j < t->columns; j++)
            for (size_t i = 0; i < b->rows; i++) {
                double x = b->column[j].value[i], y = t->column[j].value[rows + i];
                check(x == y || (isnan(x) && isnan(y)));
            }
        rows += b->rows;
    }
    check(rows == t->rows);
    tamis_csv_close(c);
    free(want);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!size) return 0;
    tamis_context *cx = tamis_context_new();
    tamis_options *o = tamis_options_create(cx, tables);
    tamis_table *t;
    set_some(o, data[0]);
    int status = tamis_table_read_memory(cx, data + 1, size - 1, "f", o, &t);
    check(!status == !!t && (!status || *tamis_error(cx)));
    check(status != TAMIS_DATA || !strncmp(tamis_error(cx), "f:", 2));
    if (t) {
        check(t->rows && t->columns);
        for (size_t j = 0; j < t->columns; j++) check_column(&t->column[j], t->rows);
        check_blocks(cx, t, data + 1, size - 1, o);
    }
    tamis_table_free(t);
    tamis_options_free(o);
    tamis_context_free(cx);
    return 0;
}
