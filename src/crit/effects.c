#include <math.h>
#include <string.h>
#include "crit/effects.h"

static double level_distance(const struct tamis_encoder *e, const struct tamis_feature *f, size_t a, size_t b)
{
    double sum = 0;
    for (size_t k = 0; k < f->columns; k++)
        sum += pow(tamis_level_indicator(e, f, a, k) - tamis_level_indicator(e, f, b, k), 2);
    return sqrt(sum);
}

static void set_level(const struct tamis_encoder *e, const struct tamis_feature *f, size_t l, double *x, size_t n)
{
    for (size_t k = 0; k < f->columns; k++)
        for (size_t i = 0; i < n; i++) x[i + n * (f->first + k)] = tamis_level_indicator(e, f, l, k);
}

int tamis_level_effects(tamis_context *cx, const struct tamis_model_kind *kind, const void *body,
                        const struct tamis_encoder *e, const struct tamis_feature *f, const double *x, size_t n,
                        double *effect)
{
    double *moved = tamis_raw(cx, double, n * e->columns), *own = tamis_raw(cx, double, n),
           *other = tamis_raw(cx, double, n);
    if (moved && own && other) {
        memcpy(moved, x, n * e->columns * sizeof *moved);
        memset(effect, 0, n * sizeof *effect);
        kind->predict(cx, body, x, n, n, own);
    }
    for (size_t l = 0; l < f->columns && !tamis_status(cx); l++) {
        set_level(e, f, l, moved, n);
        if (kind->predict(cx, body, moved, n, n, other)) break;
        for (size_t i = 0; i < n; i++) {
            size_t now = tamis_level_of(e, f, x, n, i);
            if (now != l) effect[i] = fmax(effect[i], fabs(other[i] - own[i]) / level_distance(e, f, now, l));
        }
    }
    tamis_free(moved);
    tamis_free(own);
    tamis_free(other);
    return tamis_status(cx);
}
