/* Cell arrays: rows of texts and numbers, column after column. A column is of texts or of numbers; an empty cell is
 * missing; a row of cells is a column, as a row of numbers is. */
#include <math.h>
#include <string.h>
#include "base/format.h"
#include "data/gather.h"
#include "data/mat.h"

struct cells {
    const struct tamis_mat *m;
    struct tamis_gather text;           /* of the column under way */
    double *number;
    size_t row, texts, numbers;         /* how many of each it has */
    struct tamis_mat_bytes one;
    char *made;                         /* what `one` points to; NULL: nothing */
    size_t missing;                     /* rows since the last text */
};

static int take_text(void *arg, const char *s, size_t n)
{
    struct cells *c = arg;
    c->made = tamis_strndup(c->m->cx, s, n);
    c->one = (struct tamis_mat_bytes){(const unsigned char *)c->made, n};
    return c->made ? TAMIS_OK : TAMIS_MEMORY;
}

/* The text of the last row of the piece; those before it are missing. */
static const char *last_text(const void *from, size_t i, size_t *n)
{
    const struct cells *c = from;
    *n = i == c->missing ? c->one.n : 0;
    return *n ? (const char *)c->one.p : NULL;
}

static int add_text(struct cells *c, const struct tamis_mat_array *a, const struct tamis_mat_element *e)
{
    if (a->rows > 1) return TAMIS_USAGE;
    int status = a->rows ? tamis_mat_texts(c->m, a, e, take_text, c) : TAMIS_OK;
    struct tamis_piece piece = {.rows = c->missing + 1, .from = c, .text = last_text};
    if (!status && c->one.n) {
        status = tamis_gather_add(&c->text, &piece);
        c->missing = 0;
        c->texts++;
    } else c->missing++;
    tamis_free(c->made);
    c->made = NULL;
    c->one.n = 0;
    return status;
}

/* One cell; TAMIS_USAGE: it is neither a text nor a number. */
static int take(struct cells *c, struct tamis_mat_bytes *from)
{
    struct tamis_mat_element e, value;
    struct tamis_mat_array a;
    int status = tamis_mat_next(c->m, from, &e);
    if (!status) status = tamis_mat_head(c->m, &e, &a);
    if (status) return status;
    int is_number = a.class >= TAMIS_MAT_NUMBERS && a.class <= TAMIS_MAT_LAST_NUMBERS;
    c->number[c->row] = NAN;
    if (!a.dimensions || (a.dimensions == 2 && (!a.rows || !a.columns) && (is_number || a.class == TAMIS_MAT_CHAR))) {
        c->missing++;
        return TAMIS_OK;
    }
    if (a.complex || a.dimensions != 2 || (!is_number && a.class != TAMIS_MAT_CHAR)) return TAMIS_USAGE;
    if ((status = tamis_mat_next(c->m, &a.rest, &value))) return status;
    if (a.class == TAMIS_MAT_CHAR) return add_text(c, &a, &value);
    if (a.rows != 1 || a.columns != 1) return TAMIS_USAGE;
    size_t size = tamis_mat_size(value.type);
    if (!size || value.data.n != size) return tamis_mat_damaged(c->m, "a cell does not have one number");
    tamis_mat_numbers(c->m, &value, 0, 1, &c->number[c->row]);
    c->missing++;
    c->numbers++;
    return TAMIS_OK;
}

static const char *no_text(const void *from, size_t i, size_t *n)
{
    (void)from, (void)i;
    *n = 0;
    return NULL;
}

/* Replaces the zeros of the column by its texts. */
static int texts_end(struct cells *c, struct tamis_data_column *to)
{
    struct tamis_data_column made;
    struct tamis_piece rest = {.rows = c->missing, .from = c, .text = no_text};
    int status = c->missing ? tamis_gather_add(&c->text, &rest) : TAMIS_OK;
    if (!status) status = tamis_gather_end(&c->text, &made);
    if (status) return status;
    tamis_data_column_free(to);
    *to = made;
    return TAMIS_OK;
}

static int column(const struct tamis_mat *m, struct tamis_mat_bytes *from, size_t rows, struct tamis_data_column *to)
{
    struct cells c = {.m = m, .text = {.cx = m->cx, .name = to->name}, .number = to->value};
    int status = TAMIS_OK;
    for (; c.row < rows && !status; c.row++) status = take(&c, from);
    if (!status && c.texts) status = c.numbers ? TAMIS_USAGE : texts_end(&c, to);
    if (!status) status = tamis_check_cancel(m->cx);
    tamis_gather_free(&c.text);
    return status;
}

int tamis_mat_cells(const struct tamis_mat *m, struct tamis_mat_array *a, const char *name, tamis_table **out,
                    struct tamis_mat_reason *why)
{
    enum { LEAST = 8 };                 /* bytes of a cell */
    size_t rows = a->rows == 1 ? a->columns : a->rows, columns = a->rows == 1 ? 1 : a->columns;
    if (a->rest.n / LEAST / rows < columns) return tamis_mat_damaged(m, "a cell array does not have all of its cells");
    int status = tamis_mat_columns(m, name, rows, columns, out);
    for (size_t j = 0; j < columns && !status; j++) status = column(m, &a->rest, rows, &(*out)->column[j]);
    if (!status) return TAMIS_OK;
    tamis_table_free(*out);
    *out = NULL;
    if (status != TAMIS_USAGE || tamis_status(m->cx)) return tamis_status(m->cx);
    tamis_snprintf(why->what, sizeof why->what, "has cells that are not texts, or texts beside numbers in a column");
    return TAMIS_OK;
}
