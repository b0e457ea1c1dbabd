/* The variables of a file, and which of them make the table. A file is often a whole workspace: unless the user names
 * variables, those with as many rows as the largest matrix are taken, and a note names the others. */
#include <string.h>
#include "base/format.h"
#include "data/join.h"
#include "data/mat.h"
#include "data/names.h"

/* ---- variables ---- */

static struct tamis_mat_variable *append(const struct tamis_mat *m, struct tamis_mat_variables *v, const char *name)
{
    if (v->count == v->room) {
        size_t room = 2 * v->room + 8;
        struct tamis_mat_variable *grown = tamis_grow(m->cx, v->variable, room, sizeof *grown);
        if (!grown) return NULL;
        v->variable = grown;
        v->room = room;
    }
    char *copy = tamis_strdup(m->cx, name);
    if (!copy) return NULL;
    v->variable[v->count] = (struct tamis_mat_variable){.name = copy};
    return &v->variable[v->count++];
}

static int add_one(const struct tamis_mat *m, struct tamis_mat_array *a, const struct tamis_mat_element *e,
                   const char *name, struct tamis_mat_variables *to)
{
    tamis_table *t;
    struct tamis_mat_reason why;
    int status = tamis_mat_table(m, a, e, name, &t, &why);
    if (status) return status;
    struct tamis_mat_variable *v = append(m, to, name);
    if (!v) {
        tamis_table_free(t);
        return TAMIS_MEMORY;
    }
    v->table = t;
    v->why = why;
    return TAMIS_OK;
}

/* A struct: the width of its names, the names, and one array per name. */
static int add_fields(const struct tamis_mat *m, struct tamis_mat_array *a, struct tamis_mat_variables *to)
{
    struct tamis_mat_element width, names, e;
    int status = tamis_mat_next(m, &a->rest, &width);
    if (!status) status = tamis_mat_next(m, &a->rest, &names);
    if (status) return status;
    size_t each = width.data.n == 4 ? tamis_mat_u32(m, width.data.p) : 0;
    if (!each || each > 256) return tamis_mat_damaged(m, "a struct has no names");
    for (size_t k = 0; k < names.data.n / each && !status; k++) {
        struct tamis_mat_array field;
        const char *at = (const char *)names.data.p + k * each;
        char *name = tamis_strndup(m->cx, at, strnlen(at, each));
        if (!(status = name ? tamis_mat_next(m, &a->rest, &e) : TAMIS_MEMORY)) status = tamis_mat_head(m, &e, &field);
        if (!status) status = add_one(m, &field, NULL, name, to);
        tamis_free(name);
    }
    return status;
}

int tamis_mat_add(const struct tamis_mat *m, struct tamis_mat_array *a, const struct tamis_mat_element *e,
                  const char *name, struct tamis_mat_variables *to)
{
    int single = a->dimensions == 2 && a->rows == 1 && a->columns == 1;
    if (a->class == TAMIS_MAT_STRUCT && single) return add_fields(m, a, to);
    return add_one(m, a, e, name, to);
}

void tamis_mat_variables_free(struct tamis_mat_variables *v)
{
    for (size_t i = 0; i < v->count; i++) {
        tamis_free(v->variable[i].name);
        tamis_table_free(v->variable[i].table);
    }
    tamis_free(v->variable);
    memset(v, 0, sizeof *v);
}

/* ---- which are taken ---- */

static int say_reason(const struct tamis_mat *m, const struct tamis_mat_variable *v)
{
    return tamis_fail(m->cx, TAMIS_DATA, "%s: variable '%.60s' %s, which is not read; %s", m->file, v->name,
                      v->why.what, v->why.remedy);
}

static int chosen(const struct tamis_mat *m, const struct tamis_mat_variables *v, const struct tamis_names *choice,
                  unsigned char *mark)
{
    char **name = tamis_raw(m->cx, char *, v->count);
    if (!name) return TAMIS_MEMORY;
    for (size_t i = 0; i < v->count; i++) name[i] = v->variable[i].name;
    int status = tamis_names_resolve(m->cx, "variables", choice, m->file, name, v->count, mark);
    tamis_free(name);
    for (size_t i = 0; i < v->count && !status; i++)
        if (mark[i] && !v->variable[i].table) status = say_reason(m, &v->variable[i]);
    return status;
}

static int has_numbers(const tamis_table *t)
{
    for (size_t j = 0; j < t->columns; j++)
        if (t->column[j].type == TAMIS_NUMBER) return 1;
    return 0;
}

static int rank(const tamis_table *t) { return has_numbers(t) ? 1 + (t->columns > 1) : 0; }

/* The rows of the largest variable; matrices go before vectors, and those before texts. 0: there is none. */
static size_t largest(const struct tamis_mat_variables *v)
{
    const tamis_table *most = NULL;
    for (size_t i = 0; i < v->count; i++) {
        const tamis_table *t = v->variable[i].table;
        if (!t || (most && rank(t) < rank(most))) continue;
        if (!most || rank(t) > rank(most) || t->rows * t->columns > most->rows * most->columns) most = t;
    }
    return most ? most->rows : 0;
}

static void say_left_out(const struct tamis_mat *m, const struct tamis_mat_variables *v, const unsigned char *mark,
                         size_t rows)
{
    enum { NAMED = 4 };
    struct tamis_text list = {.cx = m->cx};
    size_t left = 0;
    for (size_t i = 0; i < v->count; i++) {
        const struct tamis_mat_variable *x = &v->variable[i];
        if (mark[i] || left++ >= NAMED) continue;
        tamis_text_printf(&list, "%s%.60s (", left > 1 ? ", " : "", x->name);
        if (x->table) tamis_text_printf(&list, "%zu row%s)", x->table->rows, x->table->rows > 1 ? "s" : "");
        else tamis_text_printf(&list, "%s)", x->why.what);
    }
    if (left > NAMED) tamis_text_printf(&list, " and %zu more", left - NAMED);
    if (left && !list.failed)
        tamis_note(m->cx, "%s: the table has the variables with %zu rows; left out: %s; --variables chooses", m->file,
                   rows, list.s);
    tamis_text_free(&list);
}

static int fitting(const struct tamis_mat *m, const struct tamis_mat_variables *v, unsigned char *mark)
{
    size_t rows = largest(v), i = 0;
    for (; i < v->count; i++) mark[i] = v->variable[i].table && v->variable[i].table->rows == rows;
    if (rows) say_left_out(m, v, mark, rows);
    else if (v->count) return say_reason(m, &v->variable[0]);
    return tamis_status(m->cx);
}

int tamis_mat_join(const struct tamis_mat *m, struct tamis_mat_variables *v, const struct tamis_names *choice,
                   tamis_table **out)
{
    struct tamis_join j = {.cx = m->cx, .file = m->file};
    unsigned char *mark = tamis_new(m->cx, unsigned char, v->count + 1);
    if (!mark) return TAMIS_MEMORY;
    int status = choice->count ? chosen(m, v, choice, mark) : fitting(m, v, mark);
    for (size_t i = 0; i < v->count && !status; i++) {
        tamis_table *t = v->variable[i].table;
        if (!mark[i]) continue;
        v->variable[i].table = NULL;
        status = tamis_join_add(&j, v->variable[i].name, t);
    }
    if (!status) status = tamis_join_end(&j, out);
    tamis_join_free(&j);
    tamis_free(mark);
    return status;
}
