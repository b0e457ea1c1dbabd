/* Columns move from table to table; nothing is copied. */
#include <string.h>
#include "base/format.h"
#include "data/join.h"

static int is_target(const char *name)
{
    static const char *const known[] = {"y", "Y", "target", "label", "labels"};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (!strcmp(name, known[i])) return 1;
    return 0;
}

/* The columns of t, which is freed, after those of *to. */
static int append(tamis_context *cx, tamis_table **to, tamis_table *t)
{
    if (!*to) {
        *to = t;
        return TAMIS_OK;
    }
    struct tamis_data_column *grown = tamis_grow(cx, (*to)->column, (*to)->columns + t->columns, sizeof *grown);
    if (grown) {
        (*to)->column = grown;
        memcpy(grown + (*to)->columns, t->column, t->columns * sizeof *grown);
        (*to)->columns += t->columns;
        t->columns = 0;
    }
    tamis_table_free(t);
    return grown ? TAMIS_OK : TAMIS_MEMORY;
}

int tamis_join_add(struct tamis_join *j, const char *name, tamis_table *t)
{
    const tamis_table *other = j->table ? j->table : j->last;
    if (other && other->rows != t->rows) {
        tamis_fail(j->cx, TAMIS_DATA,
                   "%s: array '%.60s' has %zu rows and '%.60s' has %zu; save only arrays with one row per sample",
                   j->file, name, t->rows, j->first, other->rows);
        tamis_table_free(t);
        return TAMIS_DATA;
    }
    if (!j->first && !(j->first = tamis_strdup(j->cx, name))) {
        tamis_table_free(t);
        return TAMIS_MEMORY;
    }
    return append(j->cx, is_target(name) && !j->last ? &j->last : &j->table, t);
}

int tamis_join_end(struct tamis_join *j, tamis_table **out)
{
    if (j->last) {
        tamis_table *last = j->last;
        j->last = NULL;
        if (append(j->cx, &j->table, last)) return TAMIS_MEMORY;
    }
    if (!j->table)
        return tamis_fail(j->cx, TAMIS_DATA, "%s: no array with rows of numbers or texts; save at least one", j->file);
    *out = j->table;
    j->table = NULL;
    return TAMIS_OK;
}

void tamis_join_free(struct tamis_join *j)
{
    tamis_table_free(j->table);
    tamis_table_free(j->last);
    tamis_free(j->first);
    memset(j, 0, sizeof *j);
}

void tamis_join_name(const char *array, int vector, size_t j, char *out, size_t room)
{
    size_t n = strlen(array);
    const char *gap = n && array[n - 1] >= '0' && array[n - 1] <= '9' ? "_" : "";
    if (vector) tamis_snprintf(out, room, "%s", array);
    else tamis_snprintf(out, room, "%s%s%zu", array, gap, j + 1);
}
