#include <string.h>
#include "crit/network.h"
#include "crit/effects.h"
#include "num/gauss.h"
#include "num/relevance.h"

void tamis_set_distances_add(const struct tamis_design *d, size_t input, double *d2)
{
    const struct tamis_feature *f = &d->encoder->input[input];
    for (size_t k = 0; k < f->columns; k++) tamis_dist_add(d->rows, d->x + d->rows * (f->first + k), d2);
}

void tamis_set_distances(const struct tamis_design *d, const unsigned char *set, size_t without, double *d2)
{
    memset(d2, 0, d->rows * d->rows * sizeof *d2);
    for (size_t i = 0; i < d->inputs; i++)
        if (set[i] && i != without) tamis_set_distances_add(d, i, d2);
}

/* The rows in the network's columns, and the workspace. */
struct view {
    tamis_context *cx;
    const struct tamis_rbf *net;
    const struct tamis_encoder *e;
    size_t n;
    double median, spread;
    size_t *column;             /* 0, 1, ... */
    double *x, *slope, *work;
    const double *weight;       /* of the rows; NULL: none */
    struct tamis_place *place;  /* with weights: n of workspace */
};

/* Numbers by their derivatives. An indicator has no rows between its two values, and the derivative at the rows says
 * nothing about the step from one to the other: categories by their difference quotients. */
static double relevance_of(const struct view *v, const struct tamis_feature *f)
{
    double *slope = v->slope + v->n * f->first;
    if (f->levels && tamis_level_effects(v->cx, &tamis_rbf_kind, v->net, v->e, f, v->x, v->n, slope)) return 0;
    if (v->weight) return tamis_relevance_weighted(v->n, slope, v->weight, v->median, v->spread, v->place);
    return tamis_relevance(v->n, slope, v->median, v->spread);
}

/* Adds the contribution of one output. */
static void output_add(struct view *v, size_t output, const unsigned char *set, size_t inputs, double *relevance)
{
    struct tamis_rbf one = *v->net;
    const struct tamis_rbf *all = v->net;
    one.alpha += output * (one.centres + 1);
    one.outputs = 1;
    v->net = &one;
    tamis_derivatives(v->n, v->x, v->n, one.centres, one.centre, one.centres, v->column, one.columns, one.alpha,
                      one.sigma2, v->work, v->slope);
    for (size_t i = 0, at = 0; i < inputs && !tamis_status(v->cx); i++)
        if (set[i]) relevance[i] += relevance_of(v, &v->e->input[at++]) / (double)all->outputs;
    v->net = all;
}

int tamis_network_relevance(tamis_context *cx, const struct tamis_design *d, const unsigned char *set,
                            const struct tamis_rbf *net, double median, double spread, double *relevance)
{
    size_t n = d->rows, columns = net->columns;
    struct tamis_encoder *e = tamis_encoder_subset(cx, d->encoder, set);
    struct view v = {.cx = cx, .net = net, .e = e, .n = n, .median = median, .spread = spread,
                     .weight = d->weight};
    v.column = tamis_raw(cx, size_t, d->columns);
    v.x = tamis_raw(cx, double, n * columns);
    v.slope = tamis_raw(cx, double, n * columns);
    v.work = tamis_raw(cx, double, tamis_derivatives_size(net->centres, columns));
    v.place = d->weight ? tamis_raw(cx, struct tamis_place, n) : NULL;
    if (!tamis_status(cx)) {
        tamis_set_columns(d, set, v.column);
        for (size_t k = 0; k < columns; k++) memcpy(v.x + n * k, d->x + n * v.column[k], n * sizeof *v.x);
        for (size_t k = 0; k < columns; k++) v.column[k] = k;
        for (size_t i = 0; i < d->inputs; i++) relevance[i] = set[i] ? 0 : relevance[i];
        for (size_t c = 0; c < net->outputs; c++) output_add(&v, c, set, d->inputs, relevance);
    }
    tamis_encoder_free(e);
    tamis_free(v.column);
    tamis_free(v.x);
    tamis_free(v.slope);
    tamis_free(v.work);
    tamis_free(v.place);
    return tamis_status(cx);
}
