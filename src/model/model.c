/* The table of model kinds, and what they share: prediction in the target's units. */
#include <math.h>
#include <string.h>
#include "base/blas.h"
#include "model/elm.h"
#include "model/knn.h"
#include "model/linear.h"
#include "model/model.h"
#include "model/mixture.h"
#include "model/rbf.h"
#include "model/rbf_classifier.h"
#include "model/sparse_net.h"
#include "model/terms.h"
#include "num/class_measures.h"
#include "num/weighted.h"

static const struct tamis_model_kind *const kinds[] = {
    &tamis_rbf_kind, &tamis_lssvm_kind, &tamis_rrkrr_kind, &tamis_rbf_classifier_kind, &tamis_sparse_rbf_kind,
    &tamis_elm_kind, &tamis_linear_kind, &tamis_knn_kind, &tamis_weighted_knn_kind, &tamis_several_knn_kind,
    &tamis_mixture_kind, &tamis_terms_kind};

const struct tamis_model_kind *tamis_model_kind_find(const char *name)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (!strcmp(kinds[i]->name, name)) return kinds[i];
    return NULL;
}

struct tamis_model *tamis_model_new(tamis_context *cx, const struct tamis_model_kind *kind,
                                    struct tamis_encoder *encoder, void *body)
{
    struct tamis_model *m = encoder && body ? tamis_new(cx, struct tamis_model, 1) : NULL;
    if (m) {
        *m = (struct tamis_model){kind, encoder, body};
        return m;
    }
    tamis_encoder_free(encoder);
    if (body) kind->free(body);
    return NULL;
}

void tamis_model_free(tamis_model *m)
{
    if (!m) return;
    m->kind->free(m->body);
    tamis_calibrator_free(m->calibrator);
    tamis_residuals_free(m->residuals);
    tamis_encoder_free(m->encoder);
    tamis_free(m);
}

const char *tamis_model_kind(const tamis_model *m) { return m->kind->name; }
size_t tamis_model_basis_functions(const tamis_model *m) { return m->kind->basis_functions(m->body); }
size_t tamis_model_inputs(const tamis_model *m) { return m->encoder->inputs; }

const char *tamis_model_input(const tamis_model *m, size_t i)
{
    return i < m->encoder->inputs ? m->encoder->input[i].name : NULL;
}

size_t tamis_model_levels(const tamis_model *m, size_t input, const char *const **level)
{
    const struct tamis_feature *f = input < m->encoder->inputs ? &m->encoder->input[input] : NULL;
    if (level) *level = f ? (const char *const *)f->level : NULL;
    return f ? f->levels : 0;
}

const char *tamis_model_target(const tamis_model *m) { return m->encoder->target; }

size_t tamis_model_targets(const tamis_model *m) { return 1 + m->encoder->more; }

const char *tamis_model_target_at(const tamis_model *m, size_t i)
{
    return i ? m->encoder->more_target[i - 1] : m->encoder->target;
}

size_t tamis_model_outputs(const struct tamis_model *m) { return tamis_encoder_outputs(m->encoder); }

size_t tamis_model_classes(const tamis_model *m, const char *const **name)
{
    *name = (const char *const *)m->encoder->class_name;
    return m->encoder->classes;
}

int tamis_model_apply(tamis_context *cx, const struct tamis_model *m, const struct tamis_design *d, double *out)
{
    if (tamis_blas_begin(cx)) return tamis_status(cx);
    int status = m->kind->predict(cx, m->body, d->x, d->rows, d->rows, out);
    tamis_blas_end();
    return status;
}

size_t tamis_model_winner(const double *score, size_t n, size_t classes, size_t i)
{
    return tamis_largest_class(score, n, classes, i);
}

/* From the units of one encoder's column to another's: a model may scale its inputs. */
static void restandardize(double *x, size_t n, double mean, double scale, double to_mean, double to_scale)
{
    if (mean == to_mean && scale == to_scale) return;
    for (size_t i = 0; i < n; i++) x[i] = (x[i] * scale + (mean - to_mean)) / to_scale;
}

void tamis_model_gather(const struct tamis_model *m, const struct tamis_design *d, double *x)
{
    for (size_t i = 0, k = 0; i < d->inputs && k < m->encoder->inputs; i++) {
        const struct tamis_feature *f = &d->encoder->input[i], *g = &m->encoder->input[k];
        if (strcmp(f->name, g->name)) continue;
        memcpy(x + d->rows * g->first, d->x + d->rows * f->first, d->rows * f->columns * sizeof *x);
        for (size_t c = 0; c < f->columns; c++)
            restandardize(x + d->rows * (g->first + c), d->rows, d->encoder->mean[f->first + c],
                          d->encoder->scale[f->first + c], m->encoder->mean[g->first + c],
                          m->encoder->scale[g->first + c]);
        k++;
    }
}

double tamis_model_loss(const struct tamis_encoder *e, const double *out, const double *y, size_t n, size_t i)
{
    double sum = 0;
    if (e->classes) return (double)((double)tamis_model_winner(out, n, e->classes, i) != y[i]);
    for (size_t o = 0; o <= e->more; o++) sum += (y[i + n * o] - out[i + n * o]) * (y[i + n * o] - out[i + n * o]);
    return sum / (double)(1 + e->more);
}

int tamis_model_outputs_of(tamis_context *cx, const struct tamis_model *m, const struct tamis_design *d, double *out)
{
    const struct tamis_encoder *e = m->encoder;
    double *x = tamis_raw(cx, double, d->rows * e->columns);
    struct tamis_design part = {.encoder = m->encoder, .rows = d->rows, .columns = e->columns, .inputs = e->inputs,
                                .x = x, .y = d->y};
    if (x) tamis_model_gather(m, d, x);
    if (x) tamis_model_apply(cx, m, &part, out);
    tamis_free(x);
    return tamis_status(cx);
}

int tamis_model_losses(tamis_context *cx, const struct tamis_model *m, const struct tamis_design *d, double *loss)
{
    size_t n = d->rows;
    double *out = tamis_raw(cx, double, n * tamis_model_outputs(m));
    if (out && !tamis_model_outputs_of(cx, m, d, out))
        for (size_t i = 0; i < n; i++) loss[i] = tamis_model_loss(m->encoder, out, d->y, n, i);
    tamis_free(out);
    return tamis_status(cx);
}

int tamis_model_error(tamis_context *cx, const struct tamis_model *m, const struct tamis_design *d, double *error)
{
    double *loss = tamis_new(cx, double, d->rows), sum = 0;
    if (loss && !tamis_model_losses(cx, m, d, loss))
        for (size_t i = 0; i < d->rows; i++) sum += tamis_row_weight(d, i) * loss[i];
    *error = sum / tamis_weight_sum(d->weight, d->rows);
    tamis_free(loss);
    return tamis_status(cx);
}
