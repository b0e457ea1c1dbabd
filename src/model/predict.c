/* Predictions from tables and from plain arrays, in the units of the target. */
#include <math.h>
#include "base/watch.h"
#include "model/model.h"

void tamis_model_units(const struct tamis_model *m, const double *out, size_t rows, double *prediction)
{
    const struct tamis_encoder *e = m->encoder;
    for (size_t i = 0; i < rows; i++)
        prediction[i] = e->classes ? (double)tamis_model_winner(out, rows, e->classes, i)
                                   : e->target_mean + e->target_scale * out[i];
    for (size_t o = 0; o < e->more; o++)
        for (size_t i = 0; i < rows; i++)
            prediction[i + rows * (o + 1)] = e->more_mean[o] + e->more_scale[o] * out[i + rows * (o + 1)];
}

/* The class is the one with the largest score, which is also the most probable one. */
static void to_units(const struct tamis_model *m, double *out, const size_t *row, size_t rows, size_t all,
                     double *prediction, double *score)
{
    const struct tamis_encoder *e = m->encoder;
    for (size_t n = 0; n < all * (1 + e->more); n++) prediction[n] = NAN;
    for (size_t n = 0; score && n < all * e->classes; n++) score[n] = NAN;
    for (size_t i = 0; i < rows; i++) {
        prediction[row[i]] = e->classes ? (double)tamis_model_winner(out, rows, e->classes, i)
                                        : e->target_mean + e->target_scale * out[i];
        for (size_t o = 0; o < e->more; o++)
            prediction[row[i] + all * (o + 1)] = e->more_mean[o] + e->more_scale[o] * out[i + rows * (o + 1)];
    }
    if (score) tamis_model_calibrate(m, out, rows);
    for (size_t k = 0; score && k < e->classes; k++)
        for (size_t i = 0; i < rows; i++) score[row[i] + all * k] = out[i + rows * k];
}

int tamis_model_predict(tamis_context *cx, const tamis_model *m, const tamis_table *t, double *prediction,
                        double *score)
{
    TAMIS_CALL(cx);
    const struct tamis_encoder *e = m->encoder;
    size_t *row = NULL, rows = 0;
    struct tamis_watch watch = tamis_watch_begin(cx);
    int status = tamis_rows_complete(cx, e, t, 0, &row, &rows);
    struct tamis_design *d = status ? NULL : tamis_design_apply(cx, e, t, row, rows, 0);
    double *out = d ? tamis_raw(cx, double, rows * tamis_model_outputs(m)) : NULL;
    if (out && !tamis_model_apply(cx, m, d, out)) to_units(m, out, row, rows, t->rows, prediction, score);
    tamis_watch_end(watch);
    tamis_free(out);
    tamis_design_free(d);
    tamis_free(row);
    return tamis_status(cx);
}

/* ---- arrays ---- */

/* Model input j as a column: numbers, or the index of a level; its name and levels are the model's. */
static int column_take(tamis_context *cx, const tamis_model *m, size_t j, size_t rows, const double *x,
                       ptrdiff_t row_stride, struct tamis_data_column *c)
{
    const struct tamis_feature *f = &m->encoder->input[j];
    *c = (struct tamis_data_column){.name = f->source ? f->source : f->name,
                                    .type = f->levels ? TAMIS_CATEGORY : TAMIS_NUMBER,
                                    .value = tamis_raw(cx, double, rows),
                                    .levels = f->levels,
                                    .level = f->level,
                                    .date = f->date};          /* days */
    for (size_t i = 0; c->value && i < rows; i++) {
        double v = c->value[i] = x[(ptrdiff_t)i * row_stride];
        if (isinf(v)) return tamis_fail(cx, TAMIS_DATA, "row %zu: input '%s' is infinite", i + 1, f->name);
        if (f->levels && !isnan(v) && !(v >= 0 && v < (double)f->levels && v == floor(v)))
            return tamis_fail(cx, TAMIS_DATA, "row %zu: input '%s' is %g; expected the index of one of its %zu levels",
                              i + 1, f->name, v, f->levels);
    }
    return tamis_status(cx);
}

int tamis_model_predict_numbers(tamis_context *cx, const tamis_model *m, size_t rows, const double *x,
                                ptrdiff_t row_stride, ptrdiff_t column_stride, double *prediction, double *score)
{
    TAMIS_CALL(cx);
    size_t inputs = m->encoder->inputs;
    if (m->encoder->series)
        return tamis_fail(cx, TAMIS_USAGE, "a model with lags predicts from a table in time order, not from an array");
    struct tamis_data_column *column = tamis_new(cx, struct tamis_data_column, inputs);
    tamis_table t = {.file = "array", .rows = rows, .columns = inputs, .column = column};
    int status = tamis_status(cx);
    for (size_t j = 0; !status && j < inputs; j++)
        status = column_take(cx, m, j, rows, x + (ptrdiff_t)j * column_stride, row_stride, &column[j]);
    if (!status) status = tamis_model_predict(cx, m, &t, prediction, score);
    for (size_t j = 0; column && j < inputs; j++) tamis_free(column[j].value);
    tamis_free(column);
    return status;
}
