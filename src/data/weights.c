#include "data/weights.h"
#include <math.h>
#include "data/names.h"

/* ---- the column ---- */

static int weight_fail(tamis_context *cx, const tamis_table *t, const struct tamis_data_column *c, size_t row)
{
    double w = c->value[row];
    size_t line = (t->origin ? t->origin[row] : row) + 1;
    if (isnan(w))
        return tamis_fail(cx, TAMIS_DATA, "%s: the weight '%s' is missing in row %zu; 0 leaves a row out", t->file,
                          c->name, line);
    return tamis_fail(cx, TAMIS_DATA, "%s: the weight '%s' is %g in row %zu; weights are finite and 0 or more", t->file,
                      c->name, w, line);
}

int tamis_weights_find(tamis_context *cx, const tamis_table *t, const char *name, const double **weight)
{
    size_t j = tamis_table_find(t, name);
    double most = 0;
    if (j == t->columns) {
        char **names = tamis_table_names(cx, t);
        if (names) tamis_names_unknown(cx, "row-weights", name, t->file, names, t->columns);
        tamis_free(names);
        return tamis_status(cx);
    }
    const struct tamis_data_column *c = &t->column[j];
    if (c->type != TAMIS_NUMBER || c->date)
        return tamis_fail(cx, TAMIS_DATA, "%s: the weights '%s' are %s; --row-weights needs a column of numbers",
                          t->file, c->name, c->date ? "dates" : "text");
    for (size_t i = 0; i < t->rows; i++) {
        if (!isfinite(c->value[i]) || c->value[i] < 0) return weight_fail(cx, t, c, i);
        most = fmax(most, c->value[i]);
    }
    *weight = c->value;
    if (most > 0) return TAMIS_OK;
    return tamis_fail(cx, TAMIS_DATA, "%s: all weights in '%s' are 0; no row is left", t->file, c->name);
}

/* ---- rows of weight 0 ---- */

/* The levels that occur in c's values, which are numbered again. */
static int levels_keep(tamis_context *cx, const struct tamis_data_column *from, size_t rows,
                       struct tamis_data_column *c)
{
    size_t *number = tamis_new(cx, size_t, from->levels + 1), kept = 0;
    c->level = number ? tamis_new(cx, char *, from->levels + 1) : NULL;
    if (!c->level) {
        tamis_free(number);
        return tamis_status(cx);
    }
    for (size_t i = 0; i < rows; i++)
        if (!isnan(c->value[i])) number[(size_t)c->value[i]] = 1;
    for (size_t l = 0; l < from->levels; l++)
        if (number[l] && (c->level[kept] = tamis_strdup(cx, from->level[l]))) number[l] = kept++;
    c->levels = kept;
    for (size_t i = 0; i < rows; i++)
        if (!isnan(c->value[i])) c->value[i] = (double)number[(size_t)c->value[i]];
    tamis_free(number);
    return tamis_status(cx);
}

static int column_keep(tamis_context *cx, const struct tamis_data_column *from, const tamis_table *to,
                       struct tamis_data_column *c)
{
    c->name = tamis_strdup(cx, from->name);
    c->units = from->units ? tamis_strdup(cx, from->units) : NULL;
    c->type = from->type;
    c->date = from->date;
    c->date_doubt = from->date_doubt;
    c->unnamed = from->unnamed;
    for (size_t i = 0; i < to->rows; i++) c->value[i] = from->value[to->origin[i]];
    return from->levels && !tamis_status(cx) ? levels_keep(cx, from, to->rows, c) : tamis_status(cx);
}

int tamis_weights_drop(tamis_context *cx, const tamis_table *t, const double *weight, tamis_table **out)
{
    size_t kept = 0;
    *out = NULL;
    for (size_t i = 0; i < t->rows; i++) kept += weight[i] > 0;
    if (kept == t->rows) return TAMIS_OK;
    tamis_table *p = tamis_table_sized(cx, t->file, kept, t->columns);
    if (!p) return tamis_status(cx);
    p->on_disk = t->on_disk;
    p->origin = tamis_raw(cx, size_t, kept);
    for (size_t i = 0, n = 0; p->origin && i < t->rows; i++)
        if (weight[i] > 0) p->origin[n++] = i;
    for (size_t j = 0; !tamis_status(cx) && j < t->columns; j++) column_keep(cx, &t->column[j], p, &p->column[j]);
    if (!tamis_status(cx)) {
        *out = p;
        return TAMIS_OK;
    }
    tamis_table_free(p);
    return tamis_status(cx);
}
