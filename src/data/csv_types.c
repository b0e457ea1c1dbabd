/* Types of columns. A column without texts is numeric. In a category, numbers become labels by their shortest decimal,
 * the labels are sorted, and the doubles become their indices. Texts among a majority of numbers are an error. */
#include <math.h>
#include "data/csv_inner.h"
#include "base/number.h"
#include "data/dates.h"

struct tally { size_t numbers, texts; };

static struct tally tally(const double *value, size_t rows)
{
    struct tally t = {0, 0};
    for (size_t i = 0; i < rows; i++) {
        t.numbers += value[i] == value[i];
        t.texts += value_text(value[i]) >= 0;
    }
    return t;
}

static int numbers_to_labels(struct tamis_csv *c, struct field *f, double *value, size_t rows)
{
    char shortest[32];
    long label;
    for (size_t i = 0; i < rows; i++) {
        if (isnan(value[i])) continue;
        if (tamis_csv_label(c, f, shortest, (size_t)(tamis_number_write(value[i] + 0.0, shortest) - shortest), &label))
            return TAMIS_MEMORY;
        value[i] = text_value(label);
    }
    return TAMIS_OK;
}

static int make_category(struct tamis_csv *c, struct field *f)
{
    struct tamis_data_column *col = &c->table->column[f->column];
    int status = numbers_to_labels(c, f, col->value, c->table->rows);
    uint32_t *rank = tamis_raw(c->cx, uint32_t, f->labels.count);
    if (!status) status = rank ? tamis_labels_sort(c->cx, &f->labels, rank) : TAMIS_MEMORY;
    for (size_t i = 0; !status && i < c->table->rows; i++) {
        long label = value_text(col->value[i]);
        col->value[i] = label < 0 ? NAN : rank[label];
    }
    tamis_free(rank);
    if (status) return status;
    col->type = TAMIS_CATEGORY;
    col->levels = f->labels.count;
    col->level = f->labels.label;
    f->labels.label = NULL;
    f->labels.count = 0;
    return TAMIS_OK;
}

/* Infinite cells count as numbers here: they do not make a column a category. */
static size_t infinite_cells(const struct tamis_csv *c, const struct field *f)
{
    const double *value = c->table->column[f->column].value;
    size_t n = 0;
    for (size_t i = 0; f->infinite && i < c->table->rows; i++) {
        long label = value_text(value[i]);
        double x;
        n += label >= 0 &&
             tamis_number_whole(f->labels.label[label], strlen(f->labels.label[label]), c->cells.point, &x);
    }
    return n;
}

static int decide_type(struct tamis_csv *c, size_t k)
{
    struct field *f = &c->field[k];
    struct tamis_data_column *col = &c->table->column[f->column];
    struct tally t = tally(col->value, c->table->rows);
    if (t.texts + t.numbers == 0 || (!t.texts && !f->forced)) return TAMIS_OK;
    if (t.texts && !f->forced && !f->lenient) {
        const char *s = f->labels.label[f->text];
        if (2 * (t.numbers + infinite_cells(c, f)) >= t.numbers + t.texts)
            return f->text_infinite ? tamis_csv_say_infinite(c, k, s, strlen(s), f->text_line)
                                    : tamis_csv_say_text(c, k, s, strlen(s), f->text_line);
    }
    int status = make_category(c, f);
    return status || f->forced ? status : tamis_dates_find(c->cx, col, c->table->rows);
}

/* A delimiter at the end of every line makes a last column without a name or values. */
static void drop_empty_last(struct tamis_csv *c)
{
    struct tamis_data_column *last = &c->table->column[c->table->columns - 1];
    struct tally t = tally(last->value, c->table->rows);
    if (c->table->columns < 2 || !c->field[c->fields - 1].unnamed || t.numbers + t.texts) return;
    tamis_free(last->name);
    tamis_free(last->value);
    memset(last, 0, sizeof *last);
    c->hot[--c->fields].value = NULL;
    c->table->columns--;
}

static void note_unnamed(struct tamis_csv *c)
{
    for (size_t f = 0; f < c->fields; f++)
        if ((c->table->column[c->field[f].column].unnamed = c->field[f].unnamed))
            tamis_note(c->cx, "%s: column %zu has no name and is called '%s'", tamis_csv_file(c),
                       c->field[f].column + 1, tamis_csv_name(c, f));
}

int tamis_csv_finish(struct tamis_csv *c)
{
    if (!c->table->rows)
        return tamis_fail(c->cx, TAMIS_DATA, "%s:%zu: a header but no rows; add rows of values",
                          tamis_csv_file(c), c->cells.line);
    int status = tamis_csv_room(c, c->table->rows);
    if (!status) drop_empty_last(c);
    for (size_t f = (size_t)c->row_names; f < c->fields && !status; f++) status = decide_type(c, f);
    if (!status) note_unnamed(c);
    return status;
}
