/* Numbers and dates of a table in memory as labels: the option `categorical`, which readers of files apply. */
#include <math.h>
#include <string.h>
#include "base/number.h"
#include "data/dates.h"
#include "data/gather.h"
#include "data/names.h"

struct settings { struct tamis_names categorical; };
static const struct tamis_option rows[] = {
    {"categorical", TAMIS_NAMES, offsetof(struct settings, categorical), NULL, 0, 0, NULL, NULL, ""}, {0}};

struct written { const struct tamis_data_column *column; char *cell; };

/* A value as it is written to a file; NULL: missing. */
static const char *write_value(const void *from, size_t i, size_t *n)
{
    const struct written *w = from;
    double x = w->column->value[i];
    if (isnan(x)) return NULL;
    if (w->column->date) tamis_date_text(x, w->column->date, w->cell);
    else *tamis_number_write(x, w->cell) = 0;
    *n = strlen(w->cell);
    return w->cell;
}

static int column_categorise(tamis_context *cx, struct tamis_data_column *c, size_t n)
{
    char cell[40];
    struct written w = {c, cell};
    struct tamis_data_column made = {0};
    struct tamis_gather g = {.cx = cx, .name = c->name, .forced = 1};
    struct tamis_piece p = {.rows = n, .from = &w, .text = write_value};
    int status = tamis_gather_add(&g, &p);
    if (!status) status = tamis_gather_end(&g, &made);
    tamis_gather_free(&g);
    if (status) return status;
    tamis_data_column_free(c);
    *c = made;
    return TAMIS_OK;
}

int tamis_table_categorise(tamis_context *cx, tamis_table *t, const tamis_options *o)
{
    TAMIS_CALL(cx);
    struct settings s = {0};
    char **name = tamis_table_names(cx, t);
    unsigned char *mark = tamis_new(cx, unsigned char, t->columns);
    int status = tamis_status(cx);
    if (!status) status = tamis_options_read(cx, o, rows, &s);
    if (!status) status = tamis_names_resolve(cx, "categorical", &s.categorical, t->file, name, t->columns, mark);
    for (size_t j = 0; j < t->columns && !status; j++)
        if (mark[j] && t->column[j].type == TAMIS_NUMBER) status = column_categorise(cx, &t->column[j], t->rows);
    tamis_free(name);
    tamis_free(mark);
    return status;
}
