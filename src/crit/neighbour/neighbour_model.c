/* The k-NN model of criteria that have none of their own. */
#include <math.h>
#include "crit/neighbour/neighbour.h"
#include "model/knn.h"

enum { MOST = 20 };

struct choice { const struct tamis_design *d; size_t k; };

/* The leave-one-out errors of 1 .. k neighbours. */
static void errors_tally(const void *arg, size_t row, const uint32_t *neighbour, const double *d2, double *out)
{
    const struct choice *c = arg;
    size_t classes = c->d->encoder->classes, outputs = tamis_design_outputs(c->d);
    (void)d2;
    for (size_t k = 0; k < c->k; k++)
        out[k] = classes ? (double)((double)tamis_neighbour_vote(c->d, neighbour, k + 1) != c->d->y[row]) : 0;
    for (size_t o = 0; o < outputs && !classes; o++) {
        const double *y = c->d->y + o * c->d->rows;
        double sum = 0, all = 0;
        for (size_t k = 0; k < c->k; k++) {
            sum += tamis_row_weight(c->d, neighbour[k]) * y[neighbour[k]];
            all += tamis_row_weight(c->d, neighbour[k]);
            double e = sum / all - y[row];
            out[k] += e * e / (double)outputs;
        }
    }
}

static size_t smallest(const double *error, size_t n)
{
    size_t best = 0;
    for (size_t k = 1; k < n; k++)
        if (error[k] < error[best]) best = k;
    return best + 1;
}

/* The number of neighbours with the smallest leave-one-out error. */
static int neighbours_choose(tamis_context *cx, const struct tamis_design *d, const struct tamis_metric *m, size_t *k)
{
    struct tamis_near e = {.tally = errors_tally};
    struct choice c = {d, 0};
    struct tamis_near_set self = {*m, {0, NULL, NULL}, SIZE_MAX};
    double error[MOST], range = tamis_target_range(d);
    int status = tamis_near_start(&e, cx, d, MOST, 0);
    e.arg = &c;
    e.width = c.k = e.k;
    for (size_t t = 0; t < e.k; t++) e.unit[t] = tamis_fixed_unit(d->encoder->classes ? 1 : range * range);
    if (!status) status = tamis_near_with(&e, m, &self, 1, SIZE_MAX, INFINITY, error);
    if (!status) *k = smallest(error, e.k);
    tamis_near_finish(&e);
    return status;
}

static struct tamis_knn *body_make(tamis_context *cx, const struct tamis_design *d, const struct tamis_metric *m,
                                   size_t k)
{
    size_t targets = tamis_design_outputs(d);
    struct tamis_knn *b = tamis_knn_new(cx, d->rows, m->count, targets);
    if (!b || (d->weight && !(b->weight = tamis_raw(cx, double, d->rows)))) {
        tamis_knn_free(b);
        return NULL;
    }
    b->k = k;
    b->classes = d->encoder->classes;
    for (size_t c = 0; c < m->count; c++) b->factor[c] = m->weight[c];
    for (size_t i = 0; i < d->rows; i++) {
        for (size_t o = 0; o < targets; o++) b->y[i + d->rows * o] = d->y[i + d->rows * o];
        if (b->weight) b->weight[i] = tamis_row_weight(d, i);
        for (size_t c = 0; c < m->count; c++) b->x[i * m->count + c] = d->x[i + d->rows * m->column[c]];
    }
    return b;
}

struct tamis_model *tamis_neighbour_model(tamis_context *cx, const struct tamis_design *d, const unsigned char *tenth,
                                          size_t k)
{
    struct tamis_metric m = {0, tamis_raw(cx, uint32_t, d->columns), tamis_raw(cx, double, d->columns)};
    struct tamis_model *model = NULL;
    if (m.column && m.weight) {
        tamis_metric_fill(d, tenth, SIZE_MAX, &m);
        if (!k && m.count) neighbours_choose(cx, d, &m, &k);
        if (!m.count) k = d->rows;
        if (k > d->rows) k = d->rows;
    }
    struct tamis_knn *body = tamis_status(cx) ? NULL : body_make(cx, d, &m, k);
    if (body) model = tamis_model_new(cx, &tamis_knn_kind, tamis_encoder_subset(cx, d->encoder, tenth), body);
    tamis_free(m.column);
    tamis_free(m.weight);
    return model;
}
