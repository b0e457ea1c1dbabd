/* Which columns are inputs, and what a model remembers of them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/text.h"
#include "data/design.h"

static void names_free(char **name, size_t n)
{
    for (size_t i = 0; name && i < n; i++) tamis_free(name[i]);
    tamis_free(name);
}

static int names_copy(tamis_context *cx, char *const *from, size_t n, char ***to, size_t *count)
{
    *count = 0;
    *to = n ? tamis_new(cx, char *, n) : NULL;
    for (size_t i = 0; *to && i < n; i++, ++*count)
        if (!((*to)[i] = tamis_strdup(cx, from[i]))) break;
    return *count == n;
}

void tamis_encoder_free(struct tamis_encoder *e)
{
    if (!e) return;
    for (size_t i = 0; e->input && i < e->inputs; i++) {
        tamis_free(e->input[i].name);
        names_free(e->input[i].level, e->input[i].levels);
    }
    names_free(e->class_name, e->classes);
    tamis_free(e->input);
    tamis_free(e->mean);
    tamis_free(e->scale);
    tamis_free(e->target);
    tamis_free(e);
}

static int feature_from_column(tamis_context *cx, const struct tamis_data_column *c, struct tamis_feature *f)
{
    f->name = tamis_strdup(cx, c->name);
    if (c->type == TAMIS_CATEGORY) names_copy(cx, c->level, c->levels, &f->level, &f->levels);
    f->columns = c->type == TAMIS_CATEGORY ? c->levels : 1;
    return tamis_status(cx);
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

enum { MOST_CLASSES = 1000 };

/* A numeric target as classes: its distinct values are the labels, in order. */
static int classes_from_numbers(tamis_context *cx, const tamis_table *t, const struct tamis_data_column *c, struct tamis_encoder *e)
{
    char label[32];
    size_t n = 0;
    double *value = tamis_raw(cx, double, t->rows);
    e->class_name = tamis_new(cx, char *, MOST_CLASSES);
    if (value && e->class_name) {
        for (size_t i = 0; i < t->rows; i++)
            if (!isnan(c->value[i])) value[n++] = c->value[i];
        qsort(value, n, sizeof *value, by_value);
    }
    for (size_t i = 0; i < n && !tamis_status(cx); i++) {
        if (i && value[i] == value[i - 1]) continue;
        if (e->classes == MOST_CLASSES)
            tamis_fail(cx, TAMIS_DATA, "%s: the target '%s' has more than %d values: too many for classes", t->file, c->name, MOST_CLASSES);
        else if ((e->class_name[e->classes] = tamis_strdup(cx, tamis_shortest(value[i], label)))) e->classes++;
    }
    tamis_free(value);
    return tamis_status(cx);
}

static int target_set(tamis_context *cx, const tamis_table *t, const struct tamis_data_column *c, int force, struct tamis_encoder *e)
{
    e->target = tamis_strdup(cx, c->name);
    e->target_scale = 1;
    if (!e->target) return tamis_status(cx);
    if (c->type == TAMIS_NUMBER) return force == 1 ? classes_from_numbers(cx, t, c, e) : TAMIS_OK;
    if (force == 0)
        return tamis_fail(cx, TAMIS_DATA, "%s: the target '%s' holds text, and regression wants numbers; name another with --target", t->file, c->name);
    names_copy(cx, c->level, c->levels, &e->class_name, &e->classes);
    return tamis_status(cx);
}

static int mark_names(tamis_context *cx, const tamis_table *t, const char *option, const char *const *name, size_t n, unsigned char *mark)
{
    for (size_t i = 0; i < n; i++) {
        size_t j = tamis_table_find(t, name[i]);
        if (j == t->columns) return tamis_fail(cx, TAMIS_USAGE, "--%s %s: %s has no such column", option, name[i], t->file);
        mark[j] = 1;
    }
    return TAMIS_OK;
}

/* use[j] = 1 where column j is an input; *target its index. */
static int roles_resolve(tamis_context *cx, const tamis_table *t, const struct tamis_roles *r, unsigned char *use, unsigned char *ignore, size_t *target)
{
    int status;
    *target = r->target ? tamis_table_find(t, r->target) : t->columns - 1;
    if (*target == t->columns) return tamis_fail(cx, TAMIS_USAGE, "--target %s: %s has no such column", r->target, t->file);
    if ((status = mark_names(cx, t, "ignore", r->ignore, r->ignore_count, ignore))) return status;
    if (r->inputs_count) status = mark_names(cx, t, "inputs", r->inputs, r->inputs_count, use);
    else memset(use, 1, t->columns);
    if (r->inputs_count && use[*target])
        return tamis_fail(cx, TAMIS_USAGE, "--inputs: '%s' is the target and cannot be an input too", t->column[*target].name);
    for (size_t j = 0; j < t->columns; j++) use[j] = use[j] && !ignore[j];
    use[*target] = 0;
    return status;
}

static int features_fill(tamis_context *cx, const tamis_table *t, const unsigned char *use, struct tamis_encoder *e)
{
    size_t n = 0;
    for (size_t j = 0; j < t->columns; j++) n += use[j];
    if (!n) return tamis_fail(cx, TAMIS_DATA, "%s: no column is left to choose from besides the target '%s'", t->file, e->target);
    if (!(e->input = tamis_new(cx, struct tamis_feature, n))) return tamis_status(cx);
    for (size_t j = 0; j < t->columns; j++) {
        if (!use[j]) continue;
        struct tamis_feature *f = &e->input[e->inputs++];
        if (feature_from_column(cx, &t->column[j], f)) return tamis_status(cx);
        f->first = e->columns;
        e->columns += f->columns;
    }
    e->mean = tamis_new(cx, double, e->columns);
    e->scale = tamis_new(cx, double, e->columns);
    return tamis_status(cx);
}

struct tamis_encoder *tamis_encoder_new(tamis_context *cx, const tamis_table *t, const struct tamis_roles *roles)
{
    struct tamis_encoder *e = tamis_new(cx, struct tamis_encoder, 1);
    unsigned char *use = tamis_new(cx, unsigned char, t->columns), *ignore = tamis_new(cx, unsigned char, t->columns);
    size_t target = 0;
    int status = !e || !use || !ignore ? tamis_status(cx) : roles_resolve(cx, t, roles, use, ignore, &target);
    if (!status) status = target_set(cx, t, &t->column[target], roles->force, e);
    if (!status) status = features_fill(cx, t, use, e);
    tamis_free(use);
    tamis_free(ignore);
    if (!status) return e;
    tamis_encoder_free(e);
    return NULL;
}

static int feature_copy(tamis_context *cx, const struct tamis_encoder *from, const struct tamis_feature *f, struct tamis_encoder *e)
{
    struct tamis_feature *g = &e->input[e->inputs++];
    g->name = tamis_strdup(cx, f->name);
    names_copy(cx, f->level, f->levels, &g->level, &g->levels);
    g->columns = f->columns;
    g->constant = f->constant;
    g->first = e->columns;
    memcpy(e->mean + e->columns, from->mean + f->first, f->columns * sizeof *e->mean);
    memcpy(e->scale + e->columns, from->scale + f->first, f->columns * sizeof *e->scale);
    e->columns += f->columns;
    return tamis_status(cx);
}

struct tamis_encoder *tamis_encoder_subset(tamis_context *cx, const struct tamis_encoder *from, const unsigned char *set)
{
    struct tamis_encoder *e = tamis_new(cx, struct tamis_encoder, 1);
    if (!e) return NULL;
    e->input = tamis_new(cx, struct tamis_feature, from->inputs);
    e->mean = tamis_new(cx, double, from->columns);
    e->scale = tamis_new(cx, double, from->columns);
    e->target = tamis_strdup(cx, from->target);
    e->target_mean = from->target_mean;
    e->target_scale = from->target_scale;
    names_copy(cx, from->class_name, from->classes, &e->class_name, &e->classes);
    for (size_t i = 0; !tamis_status(cx) && i < from->inputs; i++)
        if (set[i]) feature_copy(cx, from, &from->input[i], e);
    if (!tamis_status(cx)) return e;
    tamis_encoder_free(e);
    return NULL;
}
