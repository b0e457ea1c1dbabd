/* Types of columns. A column without texts is numeric, unless its numbers are codes (01234). In a category, labels are
 * sorted, and the doubles become their indices. Texts among a majority of numbers are an error. */
#include <math.h>
#include "data/csv_inner.h"
#include "base/number.h"
#include "data/dates.h"

static size_t present(const double *value, size_t rows)
{
    size_t n = 0;
    for (size_t i = 0; i < rows; i++) n += !isnan(value[i]);
    return n;
}

static int make_category(struct tamis_csv *c, struct field *f)
{
    struct tamis_data_column *col = &c->table->column[f->column];
    uint32_t *rank = tamis_raw(c->cx, uint32_t, f->labels.count);
    int status = rank ? tamis_labels_sort(c->cx, &f->labels, rank) : TAMIS_MEMORY;
    for (size_t i = 0; !status && i < c->table->rows; i++)
        if (!isnan(col->value[i])) col->value[i] = rank[(size_t)col->value[i]];
    tamis_free(rank);
    if (status) return status;
    col->type = TAMIS_CATEGORY;
    col->levels = f->labels.count;
    col->level = f->labels.label;
    f->labels.label = NULL;
    f->labels.count = 0;
    return TAMIS_OK;
}

/* Rows whose label is a number; infinite ones count, so that they do not make a column a category. */
static int numbers_among(struct tamis_csv *c, const struct field *f, size_t *count)
{
    const double *value = c->table->column[f->column].value;
    unsigned char *number = tamis_raw(c->cx, unsigned char, f->labels.count);
    double x;
    *count = 0;
    if (!number) return TAMIS_MEMORY;
    for (size_t l = 0; l < f->labels.count; l++)
        number[l] = tamis_number_whole(f->labels.label[l], strlen(f->labels.label[l]), c->cells.point, &x) != 0;
    for (size_t i = 0; i < c->table->rows; i++) *count += !isnan(value[i]) && number[(size_t)value[i]];
    tamis_free(number);
    return TAMIS_OK;
}

/* The column has texts: is it a category, or are some cells wrong? */
static int texts_check(struct tamis_csv *c, size_t k)
{
    const struct field *f = &c->field[k];
    const char *s = f->labels.label[f->text];
    size_t numbers;
    int status = numbers_among(c, f, &numbers);
    if (status) return status;
    if (2 * numbers >= present(c->table->column[f->column].value, c->table->rows))
        return f->text_infinite ? tamis_csv_say_infinite(c, k, s, strlen(s), f->text_line)
                                : tamis_csv_say_text(c, k, s, strlen(s), f->text_line);
    if (f->blurred)
        return tamis_fail(c->cx, TAMIS_DATA, "%s:%zu: text in column '%.60s' after many numbers; if it is a category, "
                          "add --categorical %.60s", tamis_csv_file(c), f->text_line, tamis_csv_name(c, k),
                          tamis_csv_name(c, k));
    return TAMIS_OK;
}

static int codes_make(struct tamis_csv *c, size_t k)
{
    const char *name = tamis_csv_name(c, k);
    int status = tamis_csv_turn(c, k, c->table->rows);
    tamis_note(c->cx,
               "%s: column '%.60s' has codes with leading zeros and is a category; --numeric %.60s reads numbers",
               tamis_csv_file(c), name, name);
    return status;
}

static int decide_type(struct tamis_csv *c, size_t k)
{
    struct field *f = &c->field[k];
    struct tamis_data_column *col = &c->table->column[f->column];
    int status = TAMIS_OK;
    if (!present(col->value, c->table->rows)) return TAMIS_OK;
    if (c->hot[k].how == GUESS) {
        if (!tamis_csv_codes(f) && !f->numeric) tamis_dates_number(col, c->table->rows);
        if (!tamis_csv_codes(f) || f->numeric) return TAMIS_OK;
        status = codes_make(c, k);
    } else if (!f->forced && !f->lenient) status = texts_check(c, k);
    if (!status) status = make_category(c, f);
    return status || f->forced ? status : tamis_dates_find(c->cx, col, c->table->rows);
}

/* A delimiter at the end of every line makes a last column without a name or values. */
static void drop_empty_last(struct tamis_csv *c)
{
    struct tamis_data_column *last = &c->table->column[c->table->columns - 1];
    if (c->table->columns < 2 || !c->field[c->fields - 1].unnamed || present(last->value, c->table->rows)) return;
    tamis_data_column_free(last);
    memset(last, 0, sizeof *last);
    c->hot[--c->fields].value = NULL;
    tamis_labels_free(&c->field[c->fields].labels);     /* of cells that count as missing */
    tamis_free(c->field[c->fields].spelling.bytes);
    c->table->columns--;
}

static void note_unnamed(struct tamis_csv *c)
{
    for (size_t f = 0; f < c->fields; f++)
        if ((c->table->column[c->field[f].column].unnamed = c->field[f].unnamed))
            tamis_note(c->cx, "%s: column %zu has no name and is called '%s'", tamis_csv_file(c),
                       c->field[f].column + 1, tamis_csv_name(c, f));
}

/* A name that is also a label of its column, among names that are numbers: the first line is data. */
static void note_headless(struct tamis_csv *c)
{
    size_t numbers = 0, labels = 0;
    double x;
    for (size_t j = 0; c->set.header && j < c->table->columns; j++) {
        const struct tamis_data_column *col = &c->table->column[j];
        numbers += tamis_number_whole(col->name, strlen(col->name), c->cells.point, &x) != 0;
        for (size_t l = 0; l < col->levels; l++)
            if (!strcmp(col->level[l], col->name)) {
                labels++;
                break;
            }
    }
    if (labels && numbers && numbers + labels == c->table->columns)
        tamis_note(c->cx, "%s: the first line looks like a row of data; if it is, add --no-header", tamis_csv_file(c));
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
    if (!status) note_headless(c);
    if (!status && c->comments)
        tamis_note(c->cx, "%s: %zu comment line%s (#) between the rows %s skipped", tamis_csv_file(c), c->comments,
                   c->comments == 1 ? "" : "s", c->comments == 1 ? "was" : "were");
    if (!status && c->converted)
        tamis_note(c->cx, "%s: text that is not UTF-8 was read as Windows-1252 (Latin-1)", tamis_csv_file(c));
    return status;
}
