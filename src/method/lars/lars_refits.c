/* A walk of least angle regression and the least-squares refits along it. */
#include <string.h>
#include "method/lars/lars.h"

static void sequence_fill(struct lars_ranking *r)
{
    size_t at = 0;
    for (size_t k = 0; k < r->count; k++) {
        size_t first = tamis_lars_column(r->d, &r->walk, r->order[k]);
        for (size_t j = 0; j < r->d->encoder->input[r->order[k]].columns; j++) r->sequence[at++] = first + j;
        r->columns[k + 1] = at;
    }
    r->m = r->columns[r->joined];
}

static int refits_make(tamis_context *cx, struct lars_ranking *r)
{
    size_t n = r->d->rows, m = r->m + 1, k = tamis_design_outputs(r->d);
    r->h = tamis_raw(cx, double, n * m);
    r->q = tamis_raw(cx, double, n * m);
    r->memory = tamis_raw(cx, double, tamis_press_size(n, m, k));
    r->press_of = tamis_raw(cx, double, m);
    const double *root = r->walk.root;
    r->y = root ? tamis_raw(cx, double, n * k) : NULL;
    if (tamis_status(cx)) return tamis_status(cx);
    for (size_t i = 0; i < n; i++) r->h[i] = root ? root[i] : 1;
    for (size_t i = 0; r->y && i < n * k; i++) r->y[i] = root[i % n] * r->d->y[i];
    for (size_t s = 0; s < r->m; s++) memcpy(r->h + n * (s + 1), r->walk.x + n * r->sequence[s], n * sizeof *r->h);
    memcpy(r->q, r->h, n * m * sizeof *r->q);
    tamis_press_bind(&r->press, n, m, k, r->q, r->y ? r->y : r->d->y, r->memory);
    tamis_press_factor(&r->press);
    tamis_press_errors(&r->press, SIZE_MAX, r->press_of);
    for (size_t s = 0; root && s < m; s++) r->press_of[s] *= (double)n / r->walk.total;
    return TAMIS_OK;
}

int lars_ranking_make(tamis_context *cx, const struct tamis_design *d, const unsigned char *full,
                      struct lars_ranking *r)
{
    *r = (struct lars_ranking){.d = d};
    r->order = tamis_new(cx, size_t, d->inputs);
    r->columns = tamis_new(cx, size_t, d->inputs + 1);
    r->sequence = tamis_new(cx, size_t, d->columns);
    int status = tamis_status(cx);
    if (!status) status = tamis_lars_walk(cx, d, full, &r->walk);
    if (status) return status;
    r->count = tamis_lars_inputs(d, &r->walk, r->order, &r->joined);
    sequence_fill(r);
    return refits_make(cx, r);
}

void lars_ranking_free(struct lars_ranking *r)
{
    void *all[] = {r->order, r->columns, r->sequence, r->h, r->q, r->memory, r->press_of, r->y};
    tamis_lars_walk_free(&r->walk);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) tamis_free(all[i]);
}
