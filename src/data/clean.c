/* clean: the reduction of [1] section 5.1. Until nothing is missing, drop the column with the most missing values (the
 * last in a tie), then the k rows with the most missing values in what is left (the first in a tie).
 *
 * More rows per step leave more columns and fewer rows: the best k is a trade-off ([1] Fig. 2). Without
 * --samples-per-step, every k up to 100 and then steps of 5 % are tried; the k that leaves the most columns with at
 * least --min-rows rows wins, or without --min-rows the k that leaves the most cells.
 *
 * [1] F. Mateo, A. Lendasse, A variable selection approach based on the Delta Test for Extreme Learning Machine models,
 * 2008.
 * DIFFERS [1]: a target that is named is neither counted nor dropped; the paper's rows include one without its
 * target. */
#include <math.h>
#include <stddef.h>
#include <string.h>
#include "base/value.h"
#include "data/clean.h"

struct settings { size_t per_step, least; const char *target; };

/* What one number of rows per step leaves; the target, when one is named, is not counted and always kept. */
struct reduction { size_t per_step, iterations, rows, columns; };

#define AT(field) offsetof(struct settings, field)
const struct tamis_option tamis_clean_options[] = {
    {"samples-per-step", TAMIS_COUNT, AT(per_step), "auto", 0, 1e9, "auto", "K|auto",
     "rows to drop with each column; auto: try many, keep the best"},
    {"min-rows", TAMIS_COUNT, AT(least), NULL, 1, 1e12, NULL, "N",
     "with auto: best means most columns with at least N rows (default: most cells)"},
    {0}};

static const struct tamis_option target_row[] = {{"target", TAMIS_TEXT, AT(target), NULL, 0, 0, NULL, NULL, ""}, {0}};

struct cleaner {
    tamis_context *cx;
    const tamis_table *t;
    size_t target;                      /* `columns` when none is named */
    unsigned char *mask;                /* rows x columns, row-major: 1 where a value is missing */
    size_t *row_count, *column_count;   /* missing values at the start */
    size_t missing;
    size_t *row, *column;               /* of one reduction, in what is left; SIZE_MAX: dropped */
    size_t *bin;                        /* columns + 2 */
    size_t left;                        /* missing values */
    size_t count, room, chosen;         /* of the reductions tried */
    struct reduction *tried;
};

static int mask_fill(struct cleaner *c)
{
    size_t rows = c->t->rows, columns = c->t->columns;
    for (size_t j = 0; j < columns; j++)
        for (size_t i = 0; j != c->target && i < rows; i++) {
            unsigned char gap = isnan(c->t->column[j].value[i]) != 0;
            c->mask[i * columns + j] = gap;
            c->row_count[i] += gap;
            c->column_count[j] += gap;
            c->missing += gap;
        }
    return TAMIS_OK;
}

/* ---- one reduction ---- */

static void drop_column(struct cleaner *c)
{
    size_t worst = c->t->columns, columns = c->t->columns;
    for (size_t j = 0; j < columns; j++)
        if (j != c->target && c->column[j] != SIZE_MAX && (worst == columns || c->column[j] >= c->column[worst]))
            worst = j;
    for (size_t i = 0; i < c->t->rows; i++)
        if (c->row[i] != SIZE_MAX) c->row[i] -= c->mask[i * columns + worst];
    c->left -= c->column[worst];
    c->column[worst] = SIZE_MAX;
}

static void drop_row(struct cleaner *c, size_t i)
{
    size_t columns = c->t->columns;
    for (size_t j = 0; j < columns; j++)
        if (j != c->target && c->column[j] != SIZE_MAX) c->column[j] -= c->mask[i * columns + j];
    c->left -= c->row[i];
    c->row[i] = SIZE_MAX;
}

/* The k rows with the most missing values: all above some count, and the first of those with that count. */
static size_t drop_rows(struct cleaner *c, size_t k, size_t rows)
{
    size_t columns = c->t->columns, level = columns + 1, above = 0;
    if (k > rows) k = rows;
    memset(c->bin, 0, (columns + 2) * sizeof *c->bin);
    for (size_t i = 0; i < c->t->rows; i++)
        if (c->row[i] != SIZE_MAX) c->bin[c->row[i]]++;
    while (level && above + c->bin[level - 1] <= k) above += c->bin[--level];
    size_t more = k - above;
    for (size_t i = 0; i < c->t->rows; i++) {
        if (c->row[i] == SIZE_MAX || c->row[i] + 1 < level) continue;
        if (c->row[i] < level && !more) continue;
        if (c->row[i] < level) more--;
        drop_row(c, i);
    }
    return k;
}

static struct reduction reduce(struct cleaner *c, size_t k)
{
    size_t rows = c->t->rows, columns = c->t->columns - (c->target < c->t->columns);
    struct reduction r = {k, 0, rows, columns};
    memcpy(c->row, c->row_count, rows * sizeof *c->row);
    memcpy(c->column, c->column_count, c->t->columns * sizeof *c->column);
    c->left = c->missing;
    for (; c->left && r.columns && r.rows; r.iterations++) {
        drop_column(c);
        r.columns--;
        r.rows -= drop_rows(c, k, r.rows);
    }
    return r;
}

/* ---- which k ---- */

static int better(const struct settings *s, const struct reduction *a, const struct reduction *b)
{
    double cells_a = (double)a->rows * (double)a->columns, cells_b = (double)b->rows * (double)b->columns;
    int fits_a = a->rows >= s->least && a->columns, fits_b = b->rows >= s->least && b->columns;
    if (fits_a != fits_b) return fits_a;
    if (!s->least) return cells_a > cells_b;
    return a->columns != b->columns ? a->columns > b->columns : a->rows > b->rows;
}

static size_t next_k(size_t k) { return k < 100 ? k + 1 : k + k / 20; }

static int keep_tried(struct cleaner *c, const struct settings *s, struct reduction r)
{
    if (c->count == c->room) {
        struct reduction *more = tamis_grow(c->cx, c->tried, 2 * c->room + 128, sizeof *more);
        if (!more) return TAMIS_MEMORY;
        c->tried = more;
        c->room = 2 * c->room + 128;
    }
    c->tried[c->count] = r;
    if (better(s, &r, &c->tried[c->chosen])) c->chosen = c->count;
    c->count++;
    return TAMIS_OK;
}

static int try_all(struct cleaner *c, const struct settings *s)
{
    size_t from = s->per_step == SIZE_MAX ? 0 : s->per_step;
    for (size_t k = from; k <= c->t->rows; k = next_k(k)) {
        int status = keep_tried(c, s, reduce(c, k));
        if (!status) status = tamis_check_cancel(c->cx);
        if (status) return status;
        if (s->per_step != SIZE_MAX || !c->missing) break;
        tamis_progress(c->cx, "clean", (double)k, (double)c->t->rows);
    }
    return TAMIS_OK;
}

/* ---- what is left ---- */

static int column_copy(tamis_context *cx, const struct cleaner *c, const struct tamis_data_column *from,
                       struct tamis_data_column *to)
{
    size_t at = 0;
    to->type = from->type;
    to->date = from->date;
    to->name = tamis_strdup(cx, from->name);
    if (from->units) to->units = tamis_strdup(cx, from->units);
    to->level = from->levels ? tamis_new(cx, char *, from->levels) : NULL;
    for (size_t l = 0; to->level && l < from->levels; l++, to->levels++)
        if (!(to->level[l] = tamis_strdup(cx, from->level[l]))) break;
    for (size_t i = 0; i < c->t->rows; i++)
        if (c->row[i] != SIZE_MAX) to->value[at++] = from->value[i];
    return tamis_status(cx);
}

static int remainder_copy(const struct cleaner *c, const struct reduction *r, tamis_table **out)
{
    size_t extra = c->target < c->t->columns, at = 0;
    tamis_table *t = tamis_table_sized(c->cx, c->t->file, r->rows, r->columns + extra);
    if (!t) return tamis_status(c->cx);
    t->cleaned = tamis_raw(c->cx, size_t, r->rows);
    for (size_t i = 0, n = 0; t->cleaned && i < c->t->rows; i++)
        if (c->row[i] != SIZE_MAX) t->cleaned[n++] = i;
    for (size_t j = 0; j < c->t->columns && !tamis_status(c->cx); j++)
        if (c->column[j] != SIZE_MAX || j == c->target) column_copy(c->cx, c, &c->t->column[j], &t->column[at++]);
    if (tamis_status(c->cx)) tamis_table_free(t);
    else *out = t;
    return tamis_status(c->cx);
}

static void note_target(const struct cleaner *c)
{
    size_t gaps = 0;
    for (size_t i = 0; c->target < c->t->columns && i < c->t->rows; i++)
        gaps += c->row[i] != SIZE_MAX && isnan(c->t->column[c->target].value[i]);
    if (gaps)
        tamis_note(c->cx, "%zu of the remaining rows %s no value of the target '%s'", gaps, gaps == 1 ? "has" : "have",
                   c->t->column[c->target].name);
}

static int allocate(struct cleaner *c)
{
    size_t rows = c->t->rows, columns = c->t->columns, cells;
    if (__builtin_mul_overflow(rows, columns, &cells)) cells = SIZE_MAX;
    c->mask = tamis_new(c->cx, unsigned char, cells);
    c->row_count = tamis_new(c->cx, size_t, rows);
    c->column_count = tamis_new(c->cx, size_t, columns);
    c->row = tamis_new(c->cx, size_t, rows);
    c->column = tamis_new(c->cx, size_t, columns);
    c->bin = tamis_new(c->cx, size_t, columns + 2);
    return tamis_status(c->cx);
}

static int clean(struct cleaner *c, const struct settings *s, tamis_table **out)
{
    c->target = s->target ? tamis_table_find(c->t, s->target) : c->t->columns;
    if (s->target && c->target == c->t->columns)
        return tamis_fail(c->cx, TAMIS_USAGE, "--target %s: %s has no such column", s->target, c->t->file);
    int status = allocate(c);
    if (!status) status = mask_fill(c);
    if (!status) status = try_all(c, s);
    if (status) return status;
    struct reduction best = c->count ? reduce(c, c->tried[c->chosen].per_step) : (struct reduction){0};
    if (!best.rows || !best.columns || best.rows < s->least)
        return tamis_fail(c->cx, TAMIS_DATA,
                          "%s: cleaning leaves %zu rows, %zu columns; lower --samples-per-step or --min-rows, or "
                          "impute instead",
                          c->t->file, best.rows, best.columns);
    note_target(c);
    return remainder_copy(c, &best, out);
}

static void reduction_add(tamis_value *to, const struct reduction *r)
{
    tamis_add_number(to, "samples_per_step", (double)r->per_step);
    tamis_add_number(to, "iterations", (double)r->iterations);
    tamis_add_number(to, "rows", (double)r->rows);
    tamis_add_number(to, "columns", (double)r->columns);
}

static int report_make(const struct cleaner *c, const tamis_table *left, tamis_value **out)
{
    const struct reduction *best = &c->tried[c->chosen];
    tamis_value *v = tamis_record_new(c->cx);
    tamis_add_text(v, "file", c->t->file);
    tamis_add_number(v, "rows", (double)best->rows);
    tamis_add_number(v, "columns", (double)best->columns);
    tamis_add_number(v, "samples_per_step", (double)best->per_step);
    tamis_value *kept = tamis_add_list(v, "kept"), *tradeoff = tamis_add_list(v, "tradeoff");
    for (size_t j = 0; j < left->columns; j++) tamis_add_text(kept, NULL, left->column[j].name);
    for (size_t i = 0; i < c->count; i++) reduction_add(tamis_add_record(tradeoff, NULL), &c->tried[i]);
    tamis_add_number(v, "chosen", (double)c->chosen);
    if (!tamis_status(c->cx)) *out = v;
    else tamis_value_free(v);
    return tamis_status(c->cx);
}

int tamis_table_clean(tamis_context *cx, const tamis_table *t, const tamis_options *o, tamis_table **out,
                      tamis_value **report)
{
    TAMIS_CALL(cx);
    struct cleaner c = {.cx = cx, .t = t};
    struct settings s = {0};
    *out = NULL;
    *report = NULL;
    int status = tamis_check_cancel(cx);
    if (!status) status = tamis_options_read(cx, o, tamis_clean_options, &s);
    if (!status) status = tamis_options_read(cx, o, target_row, &s);
    if (!status) status = clean(&c, &s, out);
    if (!status) status = report_make(&c, *out, report);
    void *all[] = {c.mask, c.row_count, c.column_count, c.row, c.column, c.bin, c.tried};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) tamis_free(all[i]);
    if (!status) return TAMIS_OK;
    tamis_table_free(*out);
    *out = NULL;
    return status;
}
