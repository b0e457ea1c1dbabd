/* How the prediction moves with each chosen input.
 *
 * Profile: f along input i over the range of the training rows, the others at their medians (categories: most frequent
 * level), and at the values of a few rows spread over the predictions. Slope: (f(x + h e_i) - f(x - h e_i)) / 2h at
 * training rows, h a thousandth of the input's deviation. In classification the scores of the classes along the profile
 * at the medians; no slopes. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "evidence/evidence.h"

enum { SAMPLE = 500, GRID = 31, ROWS = 4, LEVELS = 20, CLASSES = 6 };

struct shapes {
    struct tamis_witness *w;
    const struct tamis_model *m;
    const struct tamis_encoder *e;      /* of the model */
    size_t rows, outputs;
    double *x;                          /* rows x columns, as the model sees them */
    double *median;                     /* a column */
    size_t pick[ROWS], picks;
    double *in, *out, *sorted;          /* room for predictions */
};

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* ---- the rows ---- */

static int sample_take(struct shapes *s)
{
    tamis_context *cx = s->w->run->cx;
    const struct tamis_design *d = s->w->run->design;
    size_t n = d->rows, many = (1 + ROWS) * GRID > 2 * TAMIS_SLOPES_SHOWN ? (1 + ROWS) * GRID : 2 * TAMIS_SLOPES_SHOWN;
    s->rows = n < SAMPLE ? n : SAMPLE;
    if (many < s->rows) many = s->rows;
    struct tamis_design part = {d->encoder, s->rows, d->columns, d->inputs, tamis_raw(cx, double, s->rows * d->columns),
                                NULL};
    s->x = tamis_raw(cx, double, s->rows * s->e->columns);
    s->median = tamis_new(cx, double, s->e->columns);
    s->in = tamis_raw(cx, double, many * s->e->columns);
    s->out = tamis_raw(cx, double, many * s->outputs);
    s->sorted = tamis_raw(cx, double, s->rows);
    if (!tamis_status(cx)) {
        for (size_t j = 0; j < d->columns; j++)
            for (size_t i = 0; i < s->rows; i++) part.x[i + s->rows * j] = d->x[tamis_spread(i, s->rows, n) + n * j];
        tamis_model_gather(s->m, &part, s->x);
    }
    tamis_free(part.x);
    return tamis_status(cx);
}

static void shapes_free(struct shapes *s)
{
    tamis_free(s->x);
    tamis_free(s->median);
    tamis_free(s->in);
    tamis_free(s->out);
    tamis_free(s->sorted);
}

static size_t common_level(const struct shapes *s, const struct tamis_feature *f)
{
    size_t best = 0, most = 0;
    for (size_t l = 0; l < f->levels; l++) {
        size_t count = 0;
        for (size_t i = 0; i < s->rows; i++) count += tamis_level_of(s->e, f, s->x, s->rows, i) == l;
        if (count > most) most = count, best = l;
    }
    return best;
}

static void sort_column(struct shapes *s, size_t column)
{
    memcpy(s->sorted, s->x + s->rows * column, s->rows * sizeof *s->sorted);
    qsort(s->sorted, s->rows, sizeof *s->sorted, by_value);
}

static void medians(struct shapes *s)
{
    for (size_t k = 0; k < s->e->inputs; k++) {
        const struct tamis_feature *f = &s->e->input[k];
        if (!f->levels) {
            sort_column(s, f->first);
            s->median[f->first] = 0.5 * (s->sorted[(s->rows - 1) / 2] + s->sorted[s->rows / 2]);
            continue;
        }
        size_t level = common_level(s, f);
        for (size_t c = 0; c < f->columns; c++) s->median[f->first + c] = tamis_level_indicator(s->e, f, level, c);
    }
}

static int predict(struct shapes *s, size_t n)
{
    return s->m->kind->predict(s->w->run->cx, s->m->body, s->in, n, n, s->out);
}

/* Rows whose predictions stand at 10, 35, 65 and 90 % of them all. */
static int picks(struct shapes *s)
{
    static const double at[ROWS] = {0.1, 0.35, 0.65, 0.9};
    if (s->e->classes || s->rows < 10) return TAMIS_OK;
    memcpy(s->in, s->x, s->rows * s->e->columns * sizeof *s->in);
    int status = predict(s, s->rows);
    if (status) return status;
    memcpy(s->sorted, s->out, s->rows * sizeof *s->sorted);
    qsort(s->sorted, s->rows, sizeof *s->sorted, by_value);
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

/* Row r of n in `in` becomes the base row (median, or pick b - 1). */
static void base_row(struct shapes *s, size_t b, size_t r, size_t n)
{
    for (size_t j = 0; j < s->e->columns; j++) s->in[r + n * j] = b ? s->x[s->pick[b - 1] + s->rows * j] : s->median[j];
}

static void curve_json(struct shapes *s, const char *key, size_t first, size_t points, size_t count)
{
    struct tamis_text *t = s->w->t;
    tamis_text_printf(t, ", \"%s\": [", key);
    for (size_t c = 0; c < count; c++) {
        tamis_text_puts(t, c ? ",[" : "[");
        for (size_t g = 0; g < points; g++) {
            if (g) tamis_text_puts(t, ",");
            tamis_evidence_number(t, target_units(s, s->out[first + c * points + g]));
        }
        tamis_text_puts(t, "]");
    }
    tamis_text_puts(t, "]");
}

static void grid_json(struct shapes *s, const struct tamis_feature *f, const double *z, size_t points)
{
    struct tamis_text *t = s->w->t;
    tamis_text_puts(t, f->levels ? ", \"levels\": [" : ", \"x\": [");
    for (size_t g = 0; g < points; g++) {
        if (g) tamis_text_puts(t, ",");
        if (f->levels) tamis_text_json(t, f->level[g]);
        else tamis_evidence_number(t, s->e->mean[f->first] + s->e->scale[f->first] * z[g]);
    }
    tamis_text_puts(t, "]");
    if (f->levels) return;
    tamis_text_puts(t, ", \"deciles\": [");
    for (int q = 1; q <= 9; q++) {
        if (q > 1) tamis_text_puts(t, ",");
        tamis_evidence_number(t,
                              s->e->mean[f->first] + s->e->scale[f->first] * s->sorted[(size_t)q * (s->rows - 1) / 10]);
    }
    tamis_text_puts(t, "]");
}

static int profile(struct shapes *s, const struct tamis_feature *f, int first)
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
    tamis_text_puts(s->w->t, first ? "\n      {\"input\": " : ",\n      {\"input\": ");
    tamis_text_json(s->w->t, f->name);
    grid_json(s, f, z, points);
    if (s->e->classes) curve_json(s, "scores", 0, points, s->e->classes < CLASSES ? s->e->classes : CLASSES);
    else {
        curve_json(s, "median", 0, points, 1);
        curve_json(s, "rows", points, points, s->picks);
    }
    tamis_text_puts(s->w->t, "}");
    return TAMIS_OK;
}

/* ---- slopes ---- */

static double deviation(const double *x, size_t n)
{
    double mean = 0, squares = 0;
    for (size_t i = 0; i < n; i++) mean += x[i] / (double)n;
    for (size_t i = 0; i < n; i++) squares += (x[i] - mean) * (x[i] - mean);
    return sqrt(squares / (double)n);
}

static int slopes(struct shapes *s, const struct tamis_feature *f, int first)
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
    struct tamis_text *t = s->w->t;
    tamis_text_puts(t, first ? "\n      {\"input\": " : ",\n      {\"input\": ");
    tamis_text_json(t, f->name);
    tamis_text_puts(t, ", \"x\": [");
    for (size_t i = 0; i < shown; i++) {
        if (i) tamis_text_puts(t, ",");
        tamis_evidence_number(t, s->e->mean[f->first] + scale * x[tamis_spread(i, shown, s->rows)]);
    }
    tamis_text_puts(t, "], \"slope\": [");
    for (size_t i = 0; i < shown; i++) {
        if (i) tamis_text_puts(t, ",");
        tamis_evidence_number(t, s->e->target_scale * (s->out[2 * i + 1] - s->out[2 * i]) / (2 * h * scale));
    }
    tamis_text_puts(t, "]}");
    return TAMIS_OK;
}

/* ---- both, for the most relevant inputs ---- */

static const struct tamis_feature *feature_of(const struct shapes *s, const char *name)
{
    for (size_t k = 0; k < s->e->inputs; k++)
        if (!strcmp(s->e->input[k].name, name)) return &s->e->input[k];
    return NULL;
}

static int each(struct shapes *s, const char *key, int numbers,
                int (*draw)(struct shapes *, const struct tamis_feature *, int))
{
    const struct tamis_outcome *o = s->w->run->outcome;
    int first = 1, status = TAMIS_OK;
    tamis_text_printf(s->w->t, ",\n    \"%s\": [", key);
    for (size_t k = 0; k < o->open.selected && k < TAMIS_INPUTS_SHOWN && !status; k++) {
        const struct tamis_feature *f = feature_of(s, o->name[o->chosen[k]]);
        if (!f || f->constant || (numbers && f->levels)) continue;
        status = draw(s, f, first);
        first = 0;
    }
    tamis_text_puts(s->w->t, "]");
    return status;
}

int tamis_evidence_shapes(struct tamis_witness *w)
{
    const struct tamis_model *m = w->run->outcome->model;
    struct shapes s = {.w = w, .m = m, .e = m->encoder, .outputs = tamis_model_outputs(m)};
    int smooth = !m->encoder->classes && strcmp(m->kind->name, "knn") != 0, status = sample_take(&s);
    if (!status) {
        medians(&s);
        status = picks(&s);
    }
    if (!status && m->encoder->classes) {
        tamis_text_puts(w->t, ",\n    \"classes\": [");
        for (size_t c = 0; c < m->encoder->classes && c < CLASSES; c++) {
            if (c) tamis_text_puts(w->t, ", ");
            tamis_text_json(w->t, m->encoder->class_name[c]);
        }
        tamis_text_puts(w->t, "]");
    }
    if (!status) status = each(&s, "profiles", 0, profile);
    if (!status && smooth) status = each(&s, "derivatives", 1, slopes);
    shapes_free(&s);
    return status;
}
