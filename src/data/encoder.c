/* Which columns are inputs, and what a model remembers about them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/number.h"
#include "base/text.h"
#include "data/dates.h"
#include "data/series.h"
#include "num/order.h"

const char *tamis_input_name(const void *encoder, size_t i)
{
    const struct tamis_encoder *e = encoder;
    return i < e->inputs ? e->input[i].name : NULL;
}

void tamis_encoder_free(struct tamis_encoder *e)
{
    if (!e) return;
    for (size_t i = 0; e->input && i < e->inputs; i++) {
        tamis_free(e->input[i].name);
        tamis_free(e->input[i].source);
        tamis_strings_free(e->input[i].level, e->input[i].levels);
    }
    tamis_strings_free(e->class_name, e->classes);
    tamis_strings_free(e->more_target, e->more);
    tamis_free(e->more_mean);
    tamis_free(e->more_scale);
    tamis_free(e->fill);
    tamis_free(e->donor);
    tamis_free(e->input);
    tamis_free(e->mean);
    tamis_free(e->scale);
    tamis_free(e->target);
    tamis_free(e->time.column);
    tamis_free(e);
}

/* "x", with a lag "x[t-3]", a part of a date "x.month". */
static char *feature_name(tamis_context *cx, const char *name, int part, int series, size_t lag)
{
    char *made;
    struct tamis_text t = {.cx = cx};
    tamis_text_puts(&t, name);
    if (part) tamis_text_printf(&t, ".%s", tamis_date_part_words[part]);
    if (series && lag) tamis_text_printf(&t, "[t-%zu]", lag);
    else if (series) tamis_text_puts(&t, "[t]");
    tamis_text_take(&t, &made, NULL);
    return made;
}

static int feature_from_column(tamis_context *cx, const struct tamis_data_column *c, int part, int series, size_t lag,
                               struct tamis_feature *f)
{
    f->name = feature_name(cx, c->name, part, series, lag);
    f->source = series || part ? tamis_strdup(cx, c->name) : NULL;
    f->lag = lag;
    f->date = c->date;
    f->part = part;
    if (c->type == TAMIS_CATEGORY)
        f->level = tamis_strings_copy(cx, (const char *const *)c->level, c->levels, &f->levels);
    f->columns = c->type == TAMIS_CATEGORY ? c->levels : 1;
    return tamis_status(cx);
}

enum { MOST_CLASSES = 1000 };

/* A numeric target as classes: its distinct values are the labels, in order. */
static int classes_from_numbers(tamis_context *cx, const tamis_table *t, const struct tamis_data_column *c,
                                struct tamis_encoder *e)
{
    char label[32];
    size_t n = 0;
    double *value = tamis_raw(cx, double, t->rows);
    e->class_name = tamis_new(cx, char *, MOST_CLASSES);
    if (value && e->class_name) {
        for (size_t i = 0; i < t->rows; i++)
            if (!isnan(c->value[i])) value[n++] = c->value[i];
        qsort(value, n, sizeof *value, tamis_by_value);
    }
    for (size_t i = 0; i < n && !tamis_status(cx); i++) {
        if (i && value[i] == value[i - 1]) continue;
        if (e->classes == MOST_CLASSES)
            tamis_fail(cx, TAMIS_DATA, "%s: the target '%s' has more than %d distinct values, too many for classes",
                       t->file, c->name, MOST_CLASSES);
        else if ((e->class_name[e->classes] = tamis_strdup(cx, tamis_number_text(value[i], label)))) e->classes++;
    }
    tamis_free(value);
    return tamis_status(cx);
}

enum { FEW_VALUES = 10, ROWS_PER_VALUE = 5 };

/* Whether the numbers may be classes: a few whole numbers that repeat. */
static size_t few_values(const struct tamis_data_column *c, size_t rows)
{
    double seen[FEW_VALUES];
    size_t n = 0, k;
    for (size_t i = 0; i < rows; i++) {
        if (isnan(c->value[i])) continue;
        for (k = 0; k < n && seen[k] != c->value[i]; k++) ;
        if (k < n) continue;
        if (n == FEW_VALUES || c->value[i] != floor(c->value[i])) return 0;
        seen[n++] = c->value[i];
    }
    return n > 1 && n * ROWS_PER_VALUE <= rows ? n : 0;
}

static int target_set(tamis_context *cx, const tamis_table *t, const struct tamis_data_column *c, int force,
                      struct tamis_encoder *e)
{
    e->target = tamis_strdup(cx, c->name);
    e->target_scale = 1;
    if (!e->target) return tamis_status(cx);
    size_t few = c->type == TAMIS_NUMBER && force == -1 ? few_values(c, t->rows) : 0;
    if (few)
        tamis_note(cx, "%s: the target '%s' has %zu values and is predicted as a number; for classes, add --task "
                   "classification", t->file, c->name, few);
    if (c->type == TAMIS_NUMBER) return force == 1 ? classes_from_numbers(cx, t, c, e) : TAMIS_OK;
    if (force == 0)
        return tamis_fail(cx, TAMIS_DATA,
                          "%s: the target '%s' contains text; regression needs numbers, so name another with --target",
                          t->file, c->name);
    e->class_name = tamis_strings_copy(cx, (const char *const *)c->level, c->levels, &e->classes);
    return tamis_status(cx);
}

/* Lags of a column, from..to, beyond the horizon. Nothing is newer than t - horizon, but for lag 0 one step ahead: the
 * present value of a column other than the target. */
static size_t first_lag(const struct tamis_roles *r, int target)
{
    size_t lag = r->horizon ? r->lag_from + r->horizon - 1 : 0;
    return lag < r->horizon && (target || r->horizon > 1) ? r->horizon : lag;
}

static size_t last_lag(const struct tamis_roles *r) { return r->horizon ? r->lag_to + r->horizon - 1 : 0; }

static int part_varies(const struct tamis_data_column *c, size_t rows, int part)
{
    double first = NAN;
    for (size_t i = 0; i < rows; i++) {
        double x = tamis_date_part(c->value[i], part);
        if (isnan(x)) continue;
        if (isnan(first)) first = x;
        if (x != first) return 1;
    }
    return 0;
}

/* The parts that column j contributes, at most TAMIS_PARTS: only the column itself, or the parts of a date that
 * vary. */
static size_t parts_of(const tamis_table *t, const struct tamis_roles *r, size_t j, int *part)
{
    const struct tamis_data_column *c = &t->column[j];
    size_t n = 0;
    if (c->date && tamis_roles_dates(r) == TAMIS_DATES_PARTS)
        for (int p = TAMIS_PART_NONE + 1; p < TAMIS_PARTS; p++)
            if (part_varies(c, t->rows, p)) part[n++] = p;
    if (!n) part[n++] = TAMIS_PART_NONE;
    return n;
}

static size_t features_count(const tamis_table *t, const struct tamis_roles *r, const struct tamis_column_role *role)
{
    size_t n = 0;
    int part[TAMIS_PARTS];
    for (size_t j = 0; j < t->columns; j++) {
        size_t first = first_lag(r, role[j].target != 0);
        if (role[j].use && first <= last_lag(r)) n += (last_lag(r) - first + 1) * parts_of(t, r, j, part);
    }
    return n;
}

static int column_features(tamis_context *cx, const tamis_table *t, const struct tamis_roles *r, size_t j, int target,
                           struct tamis_encoder *e)
{
    int part[TAMIS_PARTS];
    size_t parts = parts_of(t, r, j, part);
    for (size_t p = 0; p < parts; p++)
        for (size_t lag = first_lag(r, target); lag <= last_lag(r); lag++) {
            struct tamis_feature *f = &e->input[e->inputs++];
            if (feature_from_column(cx, &t->column[j], part[p], r->horizon > 0, lag, f)) return tamis_status(cx);
            f->first = e->columns;
            e->columns += f->columns;
        }
    if (t->column[j].date_doubt)
        tamis_note(cx, "%s: dates in '%s' were read as %s; write them as 2024-01-31 to be sure", t->file,
                   t->column[j].name, t->column[j].date == TAMIS_DATE_DMY ? "day, month, year" : "month, day, year");
    return TAMIS_OK;
}

static int features_fill(tamis_context *cx, const tamis_table *t, const struct tamis_roles *r,
                         const struct tamis_column_role *role, struct tamis_encoder *e)
{
    size_t n = features_count(t, r, role);
    if (!n)
        return tamis_fail(cx, TAMIS_DATA, "%s: no column is left to choose from besides the target '%s'", t->file,
                          e->target);
    if (!(e->input = tamis_new(cx, struct tamis_feature, n))) return tamis_status(cx);
    for (size_t j = 0; j < t->columns; j++)
        if (role[j].use && column_features(cx, t, r, j, role[j].target != 0, e)) return tamis_status(cx);
    e->mean = tamis_new(cx, double, e->columns);
    e->scale = tamis_new(cx, double, e->columns);
    return tamis_status(cx);
}

/* The targets after the first. */
static int more_targets(tamis_context *cx, const tamis_table *t, const struct tamis_column_role *role,
                        struct tamis_encoder *e)
{
    size_t count = 0;
    for (size_t j = 0; j < t->columns; j++) count += role[j].target != 0;
    if (count < 2) return TAMIS_OK;
    if (e->classes)
        return tamis_fail(cx, TAMIS_DATA, "%s: the target '%s' contains labels; several targets must all be numbers",
                          t->file, e->target);
    e->more_target = tamis_new(cx, char *, count - 1);
    e->more_mean = tamis_new(cx, double, count - 1);
    e->more_scale = tamis_new(cx, double, count - 1);
    for (size_t place = 2; !tamis_status(cx) && place <= count; place++)
        for (size_t j = 0; j < t->columns; j++) {
            if (role[j].target != place) continue;
            if (t->column[j].type != TAMIS_NUMBER)
                return tamis_fail(cx, TAMIS_DATA,
                                  "%s: the target '%s' contains text; several targets must all be numbers", t->file,
                                  t->column[j].name);
            if (!(e->more_target[place - 2] = tamis_strdup(cx, t->column[j].name))) break;
            e->more_scale[place - 2] = 1;
            e->more++;
        }
    return tamis_status(cx);
}

static int targets_set(tamis_context *cx, const tamis_table *t, const struct tamis_column_role *role, int force,
                       struct tamis_encoder *e)
{
    size_t first = 0;
    while (first < t->columns && role[first].target != 1) first++;
    if (first == t->columns)
        return tamis_fail(cx, TAMIS_USAGE,
                          "%s: the last column '%s' is a date; name the column to predict with --target", t->file,
                          t->column[t->columns - 1].name);
    int status = target_set(cx, t, &t->column[first], force, e);
    return status ? status : more_targets(cx, t, role, e);
}

struct tamis_encoder *tamis_encoder_new(tamis_context *cx, const tamis_table *t, const struct tamis_roles *roles)
{
    struct tamis_encoder *e = tamis_new(cx, struct tamis_encoder, 1);
    struct tamis_column_role *role = tamis_raw(cx, struct tamis_column_role, t->columns);
    int status = e && role ? tamis_roles_find(cx, t, roles, role) : tamis_status(cx);
    if (!status) status = targets_set(cx, t, role, roles->force, e);
    if (!status) status = tamis_roles_note(cx, t, role);
    if (!status) status = tamis_roles_hint(cx, t, roles, role);
    if (!status) status = features_fill(cx, t, roles, role, e);
    if (!status && roles->horizon) status = tamis_time_find(cx, t, roles, e);
    if (!status) e->series = roles->horizon > 0, e->impute = roles->impute, e->neighbours = roles->neighbours;
    tamis_free(role);
    if (!status) return e;
    tamis_encoder_free(e);
    return NULL;
}

static int feature_copy(tamis_context *cx, const struct tamis_encoder *from, const struct tamis_feature *f,
                        struct tamis_encoder *e)
{
    struct tamis_feature *g = &e->input[e->inputs++];
    g->name = tamis_strdup(cx, f->name);
    g->source = f->source ? tamis_strdup(cx, f->source) : NULL;
    g->lag = f->lag;
    g->date = f->date;
    g->part = f->part;
    g->level = tamis_strings_copy(cx, (const char *const *)f->level, f->levels, &g->levels);
    g->columns = f->columns;
    g->constant = f->constant;
    g->first = e->columns;
    memcpy(e->mean + e->columns, from->mean + f->first, f->columns * sizeof *e->mean);
    memcpy(e->scale + e->columns, from->scale + f->first, f->columns * sizeof *e->scale);
    if (from->fill) memcpy(e->fill + e->columns, from->fill + f->first, f->columns * sizeof *e->fill);
    if (from->donor)
        memcpy(e->donor + e->donors * e->columns, from->donor + from->donors * f->first,
               from->donors * f->columns * sizeof *e->donor);
    e->columns += f->columns;
    return tamis_status(cx);
}

/* What the subset needs for imputation, and the targets. */
static int subset_common(tamis_context *cx, const struct tamis_encoder *from, struct tamis_encoder *e)
{
    e->series = from->series;
    e->time = from->time;
    e->time.column = from->time.column ? tamis_strdup(cx, from->time.column) : NULL;
    e->impute = from->impute;
    e->neighbours = from->neighbours;
    e->donors = from->donors;
    if (from->fill) e->fill = tamis_new(cx, double, from->columns);
    if (from->donor) e->donor = tamis_new(cx, double, from->donors * from->columns);
    if (!from->more) return tamis_status(cx);
    e->more_target = tamis_strings_copy(cx, (const char *const *)from->more_target, from->more, &e->more);
    e->more_mean = tamis_new(cx, double, from->more);
    e->more_scale = tamis_new(cx, double, from->more);
    if (e->more_mean && e->more_scale) {
        memcpy(e->more_mean, from->more_mean, from->more * sizeof *e->more_mean);
        memcpy(e->more_scale, from->more_scale, from->more * sizeof *e->more_scale);
    }
    return tamis_status(cx);
}

struct tamis_encoder *tamis_encoder_subset(tamis_context *cx, const struct tamis_encoder *from,
                                           const unsigned char *set)
{
    struct tamis_encoder *e = tamis_new(cx, struct tamis_encoder, 1);
    if (!e) return NULL;
    e->input = tamis_new(cx, struct tamis_feature, from->inputs);
    e->mean = tamis_new(cx, double, from->columns);
    e->scale = tamis_new(cx, double, from->columns);
    e->target = tamis_strdup(cx, from->target);
    e->target_mean = from->target_mean;
    e->target_scale = from->target_scale;
    e->class_name = tamis_strings_copy(cx, (const char *const *)from->class_name, from->classes, &e->classes);
    subset_common(cx, from, e);
    for (size_t i = 0; !tamis_status(cx) && i < from->inputs; i++)
        if (!set || set[i]) feature_copy(cx, from, &from->input[i], e);
    if (!tamis_status(cx)) return e;
    tamis_encoder_free(e);
    return NULL;
}

double tamis_level_indicator(const struct tamis_encoder *e, const struct tamis_feature *f, size_t l, size_t k)
{
    return ((double)(l == k) - e->mean[f->first + k]) / e->scale[f->first + k];
}

size_t tamis_level_of(const struct tamis_encoder *e, const struct tamis_feature *f, const double *z, size_t n,
                      size_t row)
{
    size_t best = 0;
    double most = -INFINITY;
    for (size_t k = 0; k < f->columns; k++) {
        double raw = e->mean[f->first + k] + e->scale[f->first + k] * z[row + n * (f->first + k)];
        if (raw > most) most = raw, best = k;
    }
    return best;
}
