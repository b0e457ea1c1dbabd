/* Rows of a table as standardised numbers. */
#include <float.h>
#include <math.h>
#include <string.h>
#include "base/format.h"
#include "base/number.h"
#include "base/text.h"
#include "data/dates.h"
#include "data/series.h"
#include "num/compare.h"
#include "num/weighted.h"

/* ---- rows and columns ---- */

static size_t targets(const struct tamis_encoder *e, int target) { return target ? 1 + e->more : 0; }

static const char *column_name(const struct tamis_encoder *e, size_t i)
{
    const struct tamis_feature *f = &e->input[i];
    if (i < e->inputs) return f->source ? f->source : f->name;
    return i == e->inputs ? e->target : e->more_target[i - e->inputs - 1];
}

size_t *tamis_encoder_columns(tamis_context *cx, const struct tamis_encoder *e, const tamis_table *t, int target)
{
    size_t *at = tamis_new(cx, size_t, e->inputs + 1 + e->more), i;
    for (i = 0; at && i < e->inputs + targets(e, target); i++) {
        const char *name = column_name(e, i);
        for (at[i] = 0; at[i] < t->columns && strcmp(t->column[at[i]].name, name); at[i]++) ;
        if (at[i] == t->columns) {
            tamis_fail(cx, TAMIS_DATA, "%s: column '%s' is missing", t->file, name);
            tamis_free(at);
            return NULL;
        }
    }
    return at;
}

size_t tamis_encoder_reach(const struct tamis_encoder *e)
{
    size_t most = 0;
    for (size_t i = 0; i < e->inputs; i++)
        if (e->input[i].lag > most) most = e->input[i].lag;
    return most;
}

int tamis_rows_complete(tamis_context *cx, const struct tamis_encoder *e, const tamis_table *t, int target,
                        size_t **row, size_t *count)
{
    size_t *at = tamis_encoder_columns(cx, e, t, target);
    unsigned char *gap = tamis_new(cx, unsigned char, t->rows);
    struct tamis_breaks b;
    *row = tamis_raw(cx, size_t, t->rows);
    *count = 0;
    if (!tamis_time_breaks(cx, e, t, &b) && at && gap && *row) {
        size_t reach = tamis_encoder_reach(e);
        for (size_t i = e->impute ? e->inputs : 0; i < e->inputs + targets(e, target); i++) {
            size_t lag = i < e->inputs ? e->input[i].lag : 0;
            for (size_t n = reach; n < t->rows; n++) gap[n] |= (unsigned char)isnan(t->column[at[i]].value[n - lag]);
        }
        for (size_t n = reach; n < t->rows; n++)
            if (!gap[n] && (!b.since || b.since[n] >= reach)) (*row)[(*count)++] = n;
    }
    tamis_free(b.since);
    tamis_free(at);
    tamis_free(gap);
    if (!tamis_status(cx)) return TAMIS_OK;
    tamis_free(*row);
    *row = NULL;
    return tamis_status(cx);
}

/* Index of a label among levels; `levels`: it is not one of them. */
static size_t level_find(char *const *level, size_t levels, const char *label)
{
    for (size_t i = 0; i < levels; i++)
        if (!strcmp(level[i], label)) return i;
    return levels;
}

/* For each level of the table's column, its index among the encoder's labels. */
static size_t *level_map(tamis_context *cx, const struct tamis_data_column *c, char *const *level, size_t levels)
{
    size_t *map = tamis_raw(cx, size_t, c->levels + 1);
    for (size_t i = 0; map && i < c->levels; i++) map[i] = level_find(level, levels, c->level[i]);
    if (map) map[c->levels] = levels;                   /* any other label, from a reader by blocks */
    return map;
}

static void numbers_fill(const struct tamis_data_column *c, const size_t *row, size_t rows, size_t lag, double *x)
{
    for (size_t n = 0; n < rows; n++) x[n] = c->value[row[n] - lag];
}

/* The one level whose text is this number, however it is written: 7 is the level 007 unless 7.0 is one, too. */
static size_t level_of_number(char *const *level, size_t levels, double v)
{
    char label[32];
    double x;
    size_t found = level_find(level, levels, tamis_number_text(v, label)), alike = levels, n = 0;
    if (found < levels) return found;
    for (size_t i = 0; i < levels; i++)
        if (tamis_number_whole(level[i], strlen(level[i]), '.', &x) && x == v) alike = i, n++;
    return n == 1 ? alike : levels;
}

/* The label in row n of a column, as an index among `level`; `levels`: another label, or missing. A column of labels in
 * training may be one of numbers here: a table with the rows 1, 2, 3 alone reads as numbers. */
static size_t label_index(const struct tamis_data_column *c, size_t n, const size_t *map, char *const *level,
                          size_t levels)
{
    double v = c->value[n];
    if (isnan(v)) return levels;
    return c->type == TAMIS_CATEGORY ? map[(size_t)v] : level_of_number(level, levels, v);
}

static int indicators_fill(tamis_context *cx, const struct tamis_data_column *c, const struct tamis_feature *f,
                           const size_t *row, size_t rows, double *x)
{
    size_t unknown = 0, *map = level_map(cx, c, f->level, f->levels);
    if (!map) return tamis_status(cx);
    memset(x, 0, rows * f->columns * sizeof *x);
    for (size_t n = 0; n < rows; n++) {
        size_t l = label_index(c, row[n] - f->lag, map, f->level, f->levels);
        if (isnan(c->value[row[n] - f->lag]))
            for (size_t k = 0; k < f->columns; k++) x[n + rows * k] = NAN;
        else if (l < f->levels) x[n + rows * l] = 1;
        else
            unknown += c->type != TAMIS_CATEGORY ||
                       c->value[row[n] - f->lag] <
                           (double)c->levels; /* those from a reader by blocks are counted by its caller */
    }
    tamis_free(map);
    if (unknown)
        tamis_note(cx, "input '%s': %zu rows have a label not seen in training, which matches no known level", f->name,
                   unknown);
    return TAMIS_OK;
}

static int input_fill(tamis_context *cx, const tamis_table *t, const struct tamis_data_column *c,
                      const struct tamis_feature *f, const size_t *row, size_t rows, double *x)
{
    if (f->levels) return indicators_fill(cx, c, f, row, rows, x);
    if (c->type != TAMIS_NUMBER)
        return tamis_fail(cx, TAMIS_DATA, "%s: column '%s' contains text, but the model was fitted on numbers", t->file,
                          c->name);
    numbers_fill(c, row, rows, f->lag, x);
    for (size_t n = 0; f->date && !c->date && n < rows; n++) x[n] = tamis_date_number(x[n], f->date);
    for (size_t n = 0; f->part && n < rows; n++) x[n] = tamis_date_part(x[n], f->part);
    return TAMIS_OK;
}

static int target_fill(tamis_context *cx, const struct tamis_encoder *e, const tamis_table *t,
                       const struct tamis_data_column *c, const size_t *row, size_t rows, double *y)
{
    if (!e->classes) {
        if (c->type != TAMIS_NUMBER)
            return tamis_fail(cx, TAMIS_DATA, "%s: the target '%s' contains text; numbers are needed", t->file,
                              c->name);
        numbers_fill(c, row, rows, 0, y);
        return TAMIS_OK;
    }
    size_t *map = level_map(cx, c, e->class_name, e->classes);
    for (size_t n = 0; map && n < rows; n++) y[n] = (double)label_index(c, row[n], map, e->class_name, e->classes);
    tamis_free(map);
    return tamis_status(cx);
}

/* ---- standardising ---- */

/* Of the rows of one process, or of all of them. */
struct extent { size_t rows; double first, most; int constant; };

static void extent_join(struct extent *e, const struct extent *next)
{
    if (!next->rows) return;
    e->constant = e->rows ? e->constant && next->constant && next->first == e->first : next->constant;
    if (!e->rows) e->first = next->first;
    if (next->most > e->most) e->most = next->most;
    e->rows += next->rows;
}

static int extent_of(const double *x, size_t n, const struct tamis_spread *s, struct extent *e)
{
    *e = (struct extent){.rows = n, .first = n ? x[0] : 0, .constant = 1};
    for (size_t i = 0; i < n; i++) {
        if (fabs(x[i]) > e->most) e->most = fabs(x[i]);
        if (x[i] != x[0]) e->constant = 0;
    }
    if (!tamis_spread_shared(s)) return TAMIS_OK;
    struct extent *of = tamis_raw(s->cx, struct extent, (size_t)s->ranks);
    int status = of ? tamis_spread_gather(s, e, sizeof *e, of) : tamis_status(s->cx);
    *e = (struct extent){.constant = 1};
    for (int k = 0; k < s->ranks && !status; k++) extent_join(e, &of[k]);
    tamis_free(of);
    return status;
}

/* Two passes over x / unit, unit a power of two near the largest value: 1e300 does not overflow, 1e-300 does not
 * vanish, and neither do subnormal numbers. s: NULL, or where the rows (without weights) have their places. */
static int moments(const double *x, const double *weight, size_t n, const struct tamis_spread *s, double *mean,
                   double *scale, int *constant)
{
    struct extent e;
    struct { double squares, rest; } of = {0, 0};
    int exponent = 0, status = extent_of(x, n, s, &e);
    double sum = 0, all = weight ? tamis_weight_sum(weight, n) : (double)e.rows;
    *constant = e.constant;
    *mean = e.first;
    *scale = 1;
    if (status || *constant) return status;
    frexp(e.most, &exponent);
    status = tamis_spread_take(s, &sum, sizeof sum);
    for (size_t i = 0; i < n; i++) sum += tamis_weight_at(weight, i) * ldexp(x[i], -exponent);
    if (!status) status = tamis_spread_give(s, &sum, sizeof sum);
    sum /= all;
    if (!status) status = tamis_spread_take(s, &of, sizeof of);
    for (size_t i = 0; i < n; i++) {
        double z = ldexp(x[i], -exponent) - sum, w = tamis_weight_at(weight, i);
        of.squares += w * (z * z);
        of.rest += w * z;
    }
    if (!status) status = tamis_spread_give(s, &of, sizeof of);
    sum += of.rest / all;
    *mean = ldexp(sum, exponent);
    *scale = ldexp(sqrt(of.squares / all), exponent);
    if (!(*scale > 0)) *scale = DBL_TRUE_MIN;
    return status;
}

static void standardize_column(double *x, size_t n, double mean, double scale)
{
    if (mean == 0 && scale == 1) return;
    for (size_t i = 0; i < n; i++) x[i] = isfinite(x[i] - mean) ? (x[i] - mean) / scale : x[i] / scale - mean / scale;
}

/* Values that are not missing, and their weights. */
struct seen { size_t n; double *x, *weight; };

static void values_seen(const double *x, const double *weight, size_t rows, struct seen *s)
{
    s->n = 0;
    for (size_t i = 0; i < rows; i++) {
        if (isnan(x[i])) continue;
        if (weight) s->weight[s->n] = weight[i];
        s->x[s->n++] = x[i];
    }
}

static int learn_input(struct tamis_encoder *e, struct tamis_feature *f, const struct tamis_design *d, int standardize,
                       struct seen *s)
{
    int status = TAMIS_OK;
    f->constant = 1;
    for (size_t j = f->first; j < f->first + f->columns && !status; j++) {
        int constant;
        values_seen(d->x + d->rows * j, d->weight, d->rows, s);
        status = moments(s->x, d->weight ? s->weight : NULL, s->n, d->spread, &e->mean[j], &e->scale[j], &constant);
        f->constant &= constant;
        if (!standardize) e->mean[j] = 0, e->scale[j] = 1;
    }
    return status;
}

static int learn_target(tamis_context *cx, struct tamis_encoder *e, const tamis_table *t, const struct tamis_design *d,
                        int standardize)
{
    size_t rows = d->rows;
    for (size_t o = 0; o <= e->more; o++) {
        int constant;
        double mean, scale;
        if (moments(d->y + rows * o, d->weight, rows, d->spread, &mean, &scale, &constant)) return tamis_status(cx);
        if (constant)
            return tamis_fail(
                cx, TAMIS_DATA,
                "%s: the target '%s' has the same value in all %zu training rows; there is nothing to predict", t->file,
                o ? e->more_target[o - 1] : e->target, tamis_design_all_rows(d));
        if (e->classes || !standardize) mean = 0, scale = 1;
        if (o) e->more_mean[o - 1] = mean, e->more_scale[o - 1] = scale;
        else e->target_mean = mean, e->target_scale = scale;
    }
    return TAMIS_OK;
}

/* ---- design ---- */

/* Whether memory allows rows x columns numbers; if a category makes most of the columns, the sentence names it. */
static int design_fits(tamis_context *cx, const struct tamis_encoder *e, size_t rows)
{
    double bytes = 8 * (double)rows * (double)e->columns;
    const struct tamis_feature *wide = e->input;
    char what[128], remedy[128];
    for (size_t i = 1; i < e->inputs; i++)
        if (e->input[i].columns > wide->columns) wide = &e->input[i];
    if (bytes < 1e6) return TAMIS_OK;
    if (!wide->levels || 2 * wide->columns < e->columns)
        return tamis_memory_check(cx, bytes, "the standardised table", "use fewer rows or inputs, or raise --memory");
    tamis_snprintf(what, sizeof what, "one column for each of the %zu levels of '%.60s'", wide->levels, wide->name);
    tamis_snprintf(remedy, sizeof remedy, "merge levels, use --ignore %.60s or raise --memory", wide->name);
    return tamis_memory_check(cx, bytes, what, remedy);
}

static struct tamis_design *design_raw(tamis_context *cx, struct tamis_encoder *e, const tamis_table *t,
                                       const size_t *row, size_t rows, int target)
{
    struct tamis_design *d = tamis_new(cx, struct tamis_design, 1);
    size_t *at = tamis_encoder_columns(cx, e, t, target), cells;
    if (!d || !at || design_fits(cx, e, rows)) goto bad;
    *d = (struct tamis_design){
        .encoder = e, .rows = rows, .columns = e->columns, .inputs = e->inputs, .blocks = e->series};
    if (__builtin_mul_overflow(rows, e->columns, &cells)) cells = SIZE_MAX;
    d->x = tamis_raw(cx, double, cells);
    d->y = tamis_raw(cx, double, rows * (1 + e->more));
    for (size_t i = 0; d->x && d->y && !tamis_status(cx) && i < e->inputs; i++)
        input_fill(cx, t, &t->column[at[i]], &e->input[i], row, rows, d->x + rows * e->input[i].first);
    for (size_t o = 0; !tamis_status(cx) && o < targets(e, target); o++)
        target_fill(cx, e, t, &t->column[at[e->inputs + o]], row, rows, d->y + rows * o);
    if (tamis_status(cx)) goto bad;
    tamis_free(at);
    return d;
bad:
    tamis_free(at);
    tamis_design_free(d);
    return NULL;
}

static void design_standardize(struct tamis_design *d)
{
    for (size_t j = 0; j < d->columns; j++)
        standardize_column(d->x + d->rows * j, d->rows, d->encoder->mean[j], d->encoder->scale[j]);
    if (!d->y || d->encoder->classes) return;
    standardize_column(d->y, d->rows, d->encoder->target_mean, d->encoder->target_scale);
    for (size_t o = 0; o < d->encoder->more; o++)
        standardize_column(d->y + d->rows * (o + 1), d->rows, d->encoder->more_mean[o], d->encoder->more_scale[o]);
}

int tamis_design_weigh(tamis_context *cx, struct tamis_design *d, const double *weight)
{
    size_t ones = 0;
    for (size_t i = 0; weight && i < d->rows; i++) ones += weight[i] == 1;
    if (!weight || ones == d->rows) return TAMIS_OK;
    if (!(d->weight = tamis_raw(cx, double, d->rows))) return tamis_status(cx);
    memcpy(d->weight, weight, d->rows * sizeof *weight);
    return TAMIS_OK;
}

struct tamis_design *tamis_design_learn(tamis_context *cx, struct tamis_encoder *e, const tamis_table *t,
                                        const size_t *row, size_t rows, int standardize)
{
    return tamis_design_learn_weighted(cx, e, t, row, rows, NULL, standardize);
}

/* Learns means and scales from the design, NULL after a failure, in its own units; returns it. */
static struct tamis_design *learn(tamis_context *cx, struct tamis_encoder *e, const tamis_table *t,
                                  struct tamis_design *d, int standardize)
{
    size_t rows = d ? d->rows : 0;
    struct seen s = {0, tamis_raw(cx, double, rows), tamis_raw(cx, double, rows)};
    for (size_t i = 0; d && !tamis_status(cx) && i < e->inputs; i++) learn_input(e, &e->input[i], d, standardize, &s);
    tamis_free(s.x);
    tamis_free(s.weight);
    if (d && !tamis_status(cx) && !learn_target(cx, e, t, d, standardize)) design_standardize(d);
    if (d && e->impute && !tamis_status(cx) && !tamis_impute_learn(cx, e, d)) tamis_impute_apply(cx, e, d);
    if (d) d->standardized = standardize;
    if (!tamis_status(cx)) return d;
    tamis_design_free(d);
    return NULL;
}

struct tamis_design *tamis_design_learn_weighted(tamis_context *cx, struct tamis_encoder *e, const tamis_table *t,
                                                 const size_t *row, size_t rows, const double *weight, int standardize)
{
    struct tamis_design *d = design_raw(cx, e, t, row, rows, 1);
    if (d) tamis_design_weigh(cx, d, weight);
    return learn(cx, e, t, d, standardize);
}

struct tamis_design *tamis_design_learn_spread(tamis_context *cx, struct tamis_encoder *e, const tamis_table *t,
                                               const size_t *row, size_t rows, const struct tamis_spread *s,
                                               int standardize)
{
    struct tamis_design *d = design_raw(cx, e, t, row, rows, 1);
    if (d) d->spread = s;
    return learn(cx, e, t, d, standardize);
}

struct tamis_design *tamis_design_apply(tamis_context *cx, const struct tamis_encoder *e, const tamis_table *t,
                                        const size_t *row, size_t rows, int target)
{
    struct tamis_design *d = design_raw(cx, (struct tamis_encoder *)e, t, row, rows, target);
    if (!d) return NULL;
    if (!target) {
        tamis_free(d->y);
        d->y = NULL;
    }
    design_standardize(d);
    if (!e->impute || !tamis_impute_apply(cx, e, d)) return d;
    tamis_design_free(d);
    return NULL;
}

/* Rows whose target differs from v by more than a share of its range. */
static size_t rows_off(const struct tamis_design *d, double v)
{
    double least = v, most = v;
    size_t n = 0;
    for (size_t i = 0; i < d->rows; i++) least = fmin(least, d->y[i]), most = fmax(most, d->y[i]);
    for (size_t i = 0; i < d->rows; i++) n += fabs(d->y[i] - v) > TAMIS_FITTED * (most - least);
    return n;
}

/* The same where the rows are spread: of the processes' first two values and extremes. */
static int spread_lone(const struct tamis_design *d, int *lone)
{
    const struct tamis_spread *s = d->spread;
    struct { double value[2], least, most; size_t n, off[2]; } own = {.least = INFINITY, .most = -INFINITY}, *of;
    double v[2] = {0, 0}, least = INFINITY, most = -INFINITY;
    size_t known = 0;
    for (size_t i = 0; i < d->rows; i++) own.least = fmin(own.least, d->y[i]), own.most = fmax(own.most, d->y[i]);
    for (; own.n < 2 && own.n < d->rows; own.n++) own.value[own.n] = d->y[own.n];
    if (!(of = tamis_alloc(s->cx, (size_t)s->ranks, sizeof *of, 1))) return tamis_status(s->cx);
    int status = tamis_spread_gather(s, &own, sizeof own, of);
    for (int k = 0; k < s->ranks && !status; k++) {
        for (size_t i = 0; i < of[k].n && known < 2; i++) v[known++] = of[k].value[i];
        least = fmin(least, of[k].least), most = fmax(most, of[k].most);
    }
    for (size_t i = 0; i < d->rows; i++)
        for (size_t k = 0; k < 2; k++) own.off[k] += fabs(d->y[i] - v[k]) > TAMIS_FITTED * (most - least);
    if (!status) status = tamis_spread_gather(s, &own, sizeof own, of);
    own.off[0] = own.off[1] = 0;
    for (int k = 0; k < s->ranks && !status; k++) own.off[0] += of[k].off[0], own.off[1] += of[k].off[1];
    *lone = s->all >= 3 && (own.off[0] == 1 || own.off[1] == 1);
    tamis_free(of);
    return status;
}

int tamis_target_lone(const struct tamis_design *d)
{
    int lone = 0;
    if (tamis_spread_shared(d->spread)) return !spread_lone(d, &lone) && lone;
    if (d->rows < 3 || d->encoder->more) return 0;
    return rows_off(d, d->y[0]) == 1 || rows_off(d, d->y[1]) == 1;
}

/* ---- parts of a design ---- */

/* z = (x - mean) / scale becomes (x - to_mean) / to_scale. */
static void column_part(const double *from, const size_t *row, size_t rows, double mean, double scale, double to_mean,
                        double to_scale, double *to)
{
    int same = mean == to_mean && scale == to_scale;
    for (size_t n = 0; n < rows; n++)
        to[n] = same ? from[row[n]] : (from[row[n]] * scale + (mean - to_mean)) / to_scale;
}

/* The groups of some rows of d, numbered again without those that have no rows here. */
static int part_groups(tamis_context *cx, const struct tamis_design *d, const size_t *row, size_t rows,
                       struct tamis_design *p)
{
    size_t *number = tamis_new(cx, size_t, d->groups);  /* 1 + the new number */
    p->group = tamis_raw(cx, size_t, rows);
    p->groups = 0;
    p->fewer_folds = 1;
    for (size_t n = 0; number && n < rows; n++) number[d->group[row[n]]] = 1;
    for (size_t g = 0; number && g < d->groups; g++)
        if (number[g]) number[g] = ++p->groups;
    for (size_t n = 0; number && p->group && n < rows; n++) p->group[n] = number[d->group[row[n]]] - 1;
    tamis_free(number);
    return tamis_status(cx);
}

struct tamis_design *tamis_design_part(tamis_context *cx, const struct tamis_design *d, const struct tamis_encoder *e,
                                       const size_t *row, size_t rows)
{
    const struct tamis_encoder *f = d->encoder;
    struct tamis_design *p = tamis_new(cx, struct tamis_design, 1);
    if (!p) return NULL;
    *p = *d;
    p->group = NULL;
    p->weight = d->weight ? tamis_raw(cx, double, rows) : NULL;
    for (size_t n = 0; p->weight && n < rows; n++) p->weight[n] = d->weight[row[n]];
    p->encoder = (struct tamis_encoder *)e;
    p->rows = rows;
    p->x = tamis_raw(cx, double, rows * d->columns);
    p->y = tamis_raw(cx, double, rows * tamis_design_outputs(d));
    if (!tamis_status(cx) && (!d->group || !part_groups(cx, d, row, rows, p))) {
        for (size_t j = 0; j < d->columns; j++)
            column_part(d->x + d->rows * j, row, rows, f->mean[j], f->scale[j], e->mean[j], e->scale[j],
                        p->x + rows * j);
        column_part(d->y, row, rows, f->target_mean, f->target_scale, e->target_mean, e->target_scale, p->y);
        for (size_t o = 0; o < f->more; o++)
            column_part(d->y + d->rows * (o + 1), row, rows, f->more_mean[o], f->more_scale[o], e->more_mean[o],
                        e->more_scale[o], p->y + rows * (o + 1));
        return p;
    }
    tamis_design_free(p);
    return NULL;
}

/* Mean and scale of some rows of a standardised column, in the original units. */
static int part_moments(const double *z, const size_t *row, size_t rows, const struct seen *seen, double *mean,
                        double *scale)
{
    int constant;
    double m, s;
    for (size_t n = 0; n < rows; n++) seen->x[n] = z[row[n]];
    moments(seen->x, seen->weight, rows, NULL, &m, &s, &constant);
    *mean += *scale * m;
    if (!constant) *scale *= s;
    return constant;
}

static void part_learn(const struct tamis_design *d, const size_t *row, size_t rows, const struct seen *seen,
                       struct tamis_encoder *e)
{
    for (size_t i = 0; i < e->inputs; i++) {
        struct tamis_feature *f = &e->input[i];
        f->constant = 1;
        for (size_t j = f->first; j < f->first + f->columns; j++)
            f->constant &= part_moments(d->x + d->rows * j, row, rows, seen, &e->mean[j], &e->scale[j]);
    }
    if (e->classes) return;
    part_moments(d->y, row, rows, seen, &e->target_mean, &e->target_scale);
    for (size_t o = 0; o < e->more; o++)
        part_moments(d->y + d->rows * (o + 1), row, rows, seen, &e->more_mean[o], &e->more_scale[o]);
}

struct tamis_design *tamis_design_relearn(tamis_context *cx, const struct tamis_design *d, const size_t *row,
                                          size_t rows, struct tamis_encoder **e)
{
    unsigned char *all = tamis_raw(cx, unsigned char, d->inputs);
    struct seen seen = {rows, tamis_raw(cx, double, rows), d->weight ? tamis_raw(cx, double, rows) : NULL};
    struct tamis_design *p = NULL;
    *e = NULL;
    if (!tamis_status(cx)) {
        for (size_t n = 0; seen.weight && n < rows; n++) seen.weight[n] = d->weight[row[n]];
        memset(all, 1, d->inputs);
        *e = tamis_encoder_subset(cx, d->encoder, all);
        if (*e && d->standardized) part_learn(d, row, rows, &seen, *e);
        if (*e) p = tamis_design_part(cx, d, *e, row, rows);
    }
    tamis_free(all);
    tamis_free(seen.x);
    tamis_free(seen.weight);
    return p;
}

void tamis_design_free(struct tamis_design *d)
{
    if (!d) return;
    tamis_free(d->x);
    tamis_free(d->y);
    tamis_free(d->weight);
    tamis_free(d->group);
    tamis_free(d);
}
