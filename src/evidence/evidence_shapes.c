/* How the prediction f changes with each chosen input.
 *
 * Profile: f along input i over the range of the training rows, with the other inputs at their medians (categories: the
 * most frequent level), and with the others as in a few rows spread over the range of predictions. Slope:
 * (f(x + h e_i) - f(x - h e_i)) / 2h at training rows, h a thousandth of the input's standard deviation. For classes:
 * their scores along the profile at the medians, and no slopes. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "evidence/evidence.h"
#include "num/weighted.h"

enum {
    SAMPLE = 500,
    GRID = 31,
    ROWS = 4,
    LEVELS = 20,
    CLASSES = 6,
    PREDICTED = (1 + ROWS) * GRID > 2 * TAMIS_SLOPES_SHOWN ? (1 + ROWS) * GRID : 2 * TAMIS_SLOPES_SHOWN
};

struct shapes {
    struct tamis_run *run;
    const struct tamis_model *m;
    const struct tamis_encoder *e;      /* of the model */
    size_t rows, outputs;
    double *x;                          /* rows x columns, as the model sees them */
    double *median;                     /* of each column */
    size_t pick[ROWS], picks;
    double *in, *out, *sorted;          /* workspaces: rows to predict, predictions, one column in order */
    double *weight;                     /* of the rows; NULL: all one */
    struct tamis_place *place;          /* with weights: the column in order, and its rows */
};

/* ---- the rows ---- */

static int sample_take(struct shapes *s)
{
    tamis_context *cx = s->run->cx;
    const struct tamis_design *d = s->run->design;
    size_t n = d->rows, many = PREDICTED;
    s->rows = n < SAMPLE ? n : SAMPLE;
    if (many < s->rows) many = s->rows;
    double *x = tamis_raw(cx, double, s->rows * d->columns);
    struct tamis_design part = {d->encoder, s->rows, d->columns, d->inputs, x, NULL};
    s->x = tamis_raw(cx, double, s->rows * s->e->columns);
    s->median = tamis_new(cx, double, s->e->columns);
    s->in = tamis_raw(cx, double, many * s->e->columns);
    s->out = tamis_raw(cx, double, many * s->outputs);
    s->sorted = tamis_raw(cx, double, s->rows);
    if (d->weight) s->weight = tamis_raw(cx, double, s->rows), s->place = tamis_raw(cx, struct tamis_place, s->rows);
    if (!tamis_status(cx)) {
        for (size_t i = 0; d->weight && i < s->rows; i++) s->weight[i] = d->weight[tamis_spread(i, s->rows, n)];
        for (size_t j = 0; j < d->columns; j++)
            for (size_t i = 0; i < s->rows; i++) x[i + s->rows * j] = d->x[tamis_spread(i, s->rows, n) + n * j];
        tamis_model_gather(s->m, &part, s->x);
    }
    tamis_free(x);
    return tamis_status(cx);
}

static void shapes_free(struct shapes *s)
{
    tamis_free(s->x);
    tamis_free(s->median);
    tamis_free(s->in);
    tamis_free(s->out);
    tamis_free(s->sorted);
    tamis_free(s->weight);
    tamis_free(s->place);
}

static size_t common_level(const struct shapes *s, const struct tamis_feature *f)
{
    size_t best = 0;
    double most = 0;
    for (size_t l = 0; l < f->levels; l++) {
        double count = 0;
        for (size_t i = 0; i < s->rows; i++)
            if (tamis_level_of(s->e, f, s->x, s->rows, i) == l) count += tamis_weight_at(s->weight, i);
        if (count > most) most = count, best = l;
    }
    return best;
}

static void sort_column(struct shapes *s, size_t column)
{
    memcpy(s->sorted, s->x + s->rows * column, s->rows * sizeof *s->sorted);
    qsort(s->sorted, s->rows, sizeof *s->sorted, tamis_by_value);
    for (size_t i = 0; s->place && i < s->rows; i++) s->place[i] = (struct tamis_place){s->x[i + s->rows * column], i};
    if (s->place) qsort(s->place, s->rows, sizeof *s->place, tamis_by_place);
}

/* Of the column sorted last. */
static double decile_of(const struct shapes *s, size_t q)
{
    return s->place ? tamis_weighted_quantile(s->place, s->weight, s->rows, 100 * (q + 1))
                    : s->sorted[(q + 1) * (s->rows - 1) / 10];
}

static void medians(struct shapes *s)
{
    for (size_t k = 0; k < s->e->inputs; k++) {
        const struct tamis_feature *f = &s->e->input[k];
        if (!f->levels) {
            sort_column(s, f->first);
            s->median[f->first] = s->place ? tamis_weighted_median(s->place, s->weight, s->rows)
                                           : tamis_median(s->sorted, s->rows);
            continue;
        }
        size_t level = common_level(s, f);
        for (size_t c = 0; c < f->columns; c++) s->median[f->first + c] = tamis_level_indicator(s->e, f, level, c);
    }
}

static int predict(struct shapes *s, size_t n)
{
    return s->m->kind->predict(s->run->cx, s->m->body, s->in, n, n, s->out);
}

/* The rows whose predictions are the 10, 35, 65 and 90 % quantiles. */
static int picks(struct shapes *s)
{
    static const double at[ROWS] = {0.1, 0.35, 0.65, 0.9};
    if (s->e->classes || s->rows < 10) return TAMIS_OK;
    memcpy(s->in, s->x, s->rows * s->e->columns * sizeof *s->in);
    int status = predict(s, s->rows);
    if (status) return status;
    memcpy(s->sorted, s->out, s->rows * sizeof *s->sorted);
    qsort(s->sorted, s->rows, sizeof *s->sorted, tamis_by_value);
    for (; s->picks < ROWS; s->picks++)
        for (size_t i = 0; i < s->rows; i++)
            if (s->out[i] == s->sorted[(size_t)(at[s->picks] * (double)(s->rows - 1))]) s->pick[s->picks] = i;
    return TAMIS_OK;
}

/* ---- profiles ---- */

static double target_units(const struct shapes *s, double y)
{
    return s->e->classes ? y : s->e->target_mean + s->e->target_scale * y;
}

/* Row r of n in `in` becomes base row b: 0 the medians, else pick b - 1. */
static void base_row(struct shapes *s, size_t b, size_t r, size_t n)
{
    for (size_t j = 0; j < s->e->columns; j++) s->in[r + n * j] = b ? s->x[s->pick[b - 1] + s->rows * j] : s->median[j];
}

/* `count` curves of predictions, from `first` on. */
static void add_curves(tamis_value *to, const char *key, const struct shapes *s, size_t first, size_t points,
                       size_t count)
{
    tamis_value *list = tamis_add_list(to, key);
    for (size_t c = 0; c < count; c++) {
        double *y = tamis_add_room(list, NULL, points);
        for (size_t g = 0; y && g < points; g++)
            y[g] = tamis_six_digits(target_units(s, s->out[first + c * points + g]));
    }
}

static double input_units(const struct shapes *s, const struct tamis_feature *f, double z)
{
    return tamis_six_digits(s->e->mean[f->first] + s->e->scale[f->first] * z);
}

static void add_grid(tamis_value *to, const struct shapes *s, const struct tamis_feature *f, const double *z,
                     size_t points)
{
    if (f->levels) {
        tamis_add_texts(to, "levels", (const char *const *)f->level, points);
        return;
    }
    double *x = tamis_add_room(to, "x", points), *decile = tamis_add_room(to, "deciles", 9);
    for (size_t g = 0; x && g < points; g++) x[g] = input_units(s, f, z[g]);
    for (size_t q = 0; decile && q < 9; q++) decile[q] = input_units(s, f, decile_of(s, q));
}

static int profile(struct shapes *s, const struct tamis_feature *f, tamis_value *list)
{
    double z[GRID] = {0};
    size_t points = f->levels ? (f->levels < LEVELS ? f->levels : LEVELS) : GRID, bases = 1 + s->picks,
           n = points * bases;
    if (!f->levels) sort_column(s, f->first);
    for (size_t g = 0; g < points; g++)
        z[g] = s->sorted[0] + (s->sorted[s->rows - 1] - s->sorted[0]) * (double)g / (double)(GRID - 1);
    for (size_t b = 0; b < bases; b++)
        for (size_t g = 0; g < points; g++) {
            base_row(s, b, b * points + g, n);
            for (size_t c = 0; c < f->columns; c++)
                s->in[b * points + g + n * (f->first + c)] = f->levels ? tamis_level_indicator(s->e, f, g, c) : z[g];
        }
    int status = predict(s, n);
    if (status) return status;
    if (s->e->classes) tamis_model_calibrate(s->m, s->out, n);
    tamis_value *one = tamis_add_record(list, NULL);
    tamis_add_text(one, "input", f->name);
    add_grid(one, s, f, z, points);
    if (s->e->classes) add_curves(one, "scores", s, 0, points, s->e->classes < CLASSES ? s->e->classes : CLASSES);
    else {
        add_curves(one, "median", s, 0, points, 1);
        add_curves(one, "rows", s, points, points, s->picks);
    }
    return TAMIS_OK;
}

/* ---- slopes ---- */

/* The standard deviation, over n. */
static double deviation(const double *x, size_t n)
{
    double mean = 0, squares = 0;
    for (size_t i = 0; i < n; i++) mean += x[i] / (double)n;
    for (size_t i = 0; i < n; i++) squares += (x[i] - mean) * (x[i] - mean);
    return sqrt(squares / (double)n);
}

static int slopes(struct shapes *s, const struct tamis_feature *f, tamis_value *list)
{
    size_t shown = s->rows < TAMIS_SLOPES_SHOWN ? s->rows : TAMIS_SLOPES_SHOWN, n = 2 * shown;
    const double *x = s->x + s->rows * f->first;
    double h = 1e-3 * deviation(x, s->rows), scale = s->e->scale[f->first];
    for (size_t j = 0; j < s->e->columns; j++)
        for (size_t i = 0; i < n; i++)
            s->in[i + n * j] = s->x[tamis_spread(i / 2, shown, s->rows) + s->rows * j] +
                               (j == f->first ? (i % 2 ? h : -h) : 0);
    int status = h > 0 ? predict(s, n) : TAMIS_OK;
    if (status || !(h > 0)) return status;
    tamis_value *one = tamis_add_record(list, NULL);
    tamis_add_text(one, "input", f->name);
    double *at = tamis_add_room(one, "x", shown), *slope = tamis_add_room(one, "slope", shown);
    for (size_t i = 0; at && slope && i < shown; i++) {
        at[i] = input_units(s, f, x[tamis_spread(i, shown, s->rows)]);
        slope[i] = tamis_six_digits(s->e->target_scale * (s->out[2 * i + 1] - s->out[2 * i]) / (2 * h * scale));
    }
    return TAMIS_OK;
}

/* ---- profiles and slopes of the most relevant inputs ---- */

static const struct tamis_feature *feature_of(const struct shapes *s, const char *name)
{
    for (size_t k = 0; k < s->e->inputs; k++)
        if (!strcmp(s->e->input[k].name, name)) return &s->e->input[k];
    return NULL;
}

typedef int add_shape(struct shapes *, const struct tamis_feature *, tamis_value *list);

static int each(struct shapes *s, tamis_value *evidence, const char *key, int numbers, add_shape *add)
{
    const struct tamis_result *r = s->run->result;
    tamis_value *list = tamis_add_list(evidence, key);
    int status = TAMIS_OK;
    for (size_t k = 0; k < r->selected && k < TAMIS_INPUTS_SHOWN && !status; k++) {
        const struct tamis_feature *f = feature_of(s, r->name[r->chosen[k]]);
        if (f && !f->constant && !(numbers && f->levels)) status = add(s, f, list);
    }
    return status;
}

int tamis_evidence_shapes(struct tamis_run *run, tamis_value *evidence)
{
    const struct tamis_model *m = run->result->model;
    const struct tamis_encoder *e = m->encoder;
    struct shapes s = {.run = run, .m = m, .e = e, .outputs = tamis_model_outputs(m)};
    size_t classes = e->classes < CLASSES ? e->classes : CLASSES;
    int status = sample_take(&s);
    if (!status) {
        medians(&s);
        status = picks(&s);
    }
    if (!status && classes) tamis_add_texts(evidence, "classes", (const char *const *)e->class_name, classes);
    if (!status) status = each(&s, evidence, "profiles", 0, profile);
    if (!status && !classes && !m->kind->rough) status = each(&s, evidence, "derivatives", 1, slopes);
    shapes_free(&s);
    return status;
}
