/* What a model knows of its own errors: probabilities of classes, intervals around numbers. */
#include <math.h>
#include "model/model.h"
#include "num/conformal.h"

/* ---- probabilities ---- */

struct tamis_calibrator *tamis_calibrator_new(tamis_context *cx, size_t classes)
{
    struct tamis_calibrator *c = tamis_new(cx, struct tamis_calibrator, 1);
    if (!c) return NULL;
    c->classes = classes;
    if ((c->slope = tamis_new(cx, double, 2 * classes))) return c;
    tamis_calibrator_free(c);
    return NULL;
}

void tamis_calibrator_free(struct tamis_calibrator *c)
{
    if (!c) return;
    tamis_free(c->slope);
    tamis_free(c);
}

void tamis_model_calibrate(const struct tamis_model *m, double *score, size_t rows)
{
    if (m->calibrator) tamis_calibrator_apply(m->calibrator, score, rows, score);
}

int tamis_model_probabilities(const tamis_model *m) { return m->calibrator != NULL; }

/* ---- intervals ---- */

struct tamis_residuals *tamis_residuals_new(tamis_context *cx, size_t count, size_t targets)
{
    struct tamis_residuals *r = tamis_new(cx, struct tamis_residuals, 1);
    if (!r) return NULL;
    r->count = count;
    if ((r->point = tamis_raw(cx, double, count * targets))) return r;
    tamis_residuals_free(r);
    return NULL;
}

void tamis_residuals_free(struct tamis_residuals *r)
{
    if (!r) return;
    tamis_free(r->point);
    tamis_free(r);
}

static int interval_check(tamis_context *cx, const tamis_model *m, double level)
{
    const struct tamis_residuals *r = m->residuals;
    if (m->encoder->classes)
        return tamis_fail(cx, TAMIS_USAGE, "the model predicts classes, which have probabilities; intervals are for "
                                           "numbers");
    if (!(level > 0 && level < 1))
        return tamis_fail(cx, TAMIS_USAGE, "an interval needs a level between 0 and 1, such as 0.9");
    if (!r)
        return tamis_fail(cx, TAMIS_USAGE, "the model has no residuals of held-out rows for intervals; select again "
                                           "with evidence on 20 rows or more");
    if (tamis_interval_rows(level) <= (double)r->count) return TAMIS_OK;
    return tamis_fail(cx, TAMIS_USAGE, "an interval of level %g needs %.0f held-out rows, but the model has %zu; ask "
                      "for at most %.3g", level, tamis_interval_rows(level), r->count, tamis_interval_most(r->count));
}

int tamis_model_interval(tamis_context *cx, const tamis_model *m, double level, double *lower, double *upper)
{
    TAMIS_CALL(cx);
    const struct tamis_encoder *e = m->encoder;
    int status = interval_check(cx, m, level);
    for (size_t o = 0; o <= e->more && !status; o++) {
        double scale = o ? e->more_scale[o - 1] : e->target_scale;
        tamis_interval_ends(m->residuals->point + m->residuals->count * o, m->residuals->count, level, &lower[o],
                            &upper[o]);
        lower[o] *= scale;
        upper[o] *= scale;
    }
    return status;
}
