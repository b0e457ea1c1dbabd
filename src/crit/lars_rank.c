/* Inputs ranked by least angle regression: an input with several columns (a category) has the rank of the first to
 * join. */
#include <math.h>
#include <string.h>
#include "crit/lars_rank.h"
#include "num/weighted.h"

void tamis_lars_walk_free(struct tamis_lars_walk *w)
{
    tamis_free(w->column);
    tamis_free(w->x);
    tamis_free(w->y);
    tamis_free(w->memory);
    tamis_free(w->mean);
    tamis_free(w->index);
    tamis_free(w->root);
}

int tamis_lars_walk(tamis_context *cx, const struct tamis_design *d, const unsigned char *set,
                    struct tamis_lars_walk *w)
{
    size_t n = d->rows, k = tamis_design_outputs(d), p;
    *w = (struct tamis_lars_walk){.column = tamis_new(cx, size_t, d->columns)};
    if (!w->column) return tamis_status(cx);
    p = w->columns = tamis_set_columns(d, set, w->column);
    w->x = tamis_raw(cx, double, n * p);
    w->y = tamis_raw(cx, double, n * k);
    w->memory = tamis_new(cx, double, tamis_lars_size(n, p, k, 0));
    w->index = tamis_new(cx, size_t, 2 * p);
    w->mean = tamis_new(cx, double, 2 * (p + k));
    w->root = d->weight ? tamis_raw(cx, double, n) : NULL;
    w->total = tamis_weight_sum(d->weight, n);
    if (tamis_status(cx)) return tamis_status(cx);
    for (size_t i = 0; w->root && i < n; i++) w->root[i] = sqrt(d->weight[i]);
    for (size_t j = 0; j < p; j++) memcpy(w->x + n * j, d->x + n * w->column[j], n * sizeof *w->x);
    memcpy(w->y, d->y, n * k * sizeof *w->y);
    w->scale = w->mean + p + k;
    for (size_t j = 0; j < p; j++)
        tamis_lars_standardise_weighted(n, w->root, w->total, w->x + n * j, &w->mean[j], &w->scale[j]);
    for (size_t o = 0; o < k; o++)
        tamis_lars_standardise_weighted(n, w->root, w->total, w->y + n * o, &w->mean[p + o], &w->scale[p + o]);
    tamis_lars_bind(&w->l, &(struct tamis_lars_data){n, p, k, w->x, w->y, NULL}, w->memory, w->index);
    if (p) tamis_lars_run(&w->l, SIZE_MAX);
    return TAMIS_OK;
}

size_t tamis_lars_column(const struct tamis_design *d, const struct tamis_lars_walk *w, size_t input)
{
    size_t low = 0, high = w->columns;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (w->column[middle] < d->encoder->input[input].first) low = middle + 1;
        else high = middle;
    }
    return low;
}

/* The earliest place among the columns of an input in the set. */
static size_t place_of(const struct tamis_design *d, const struct tamis_lars_walk *w, size_t input)
{
    const struct tamis_feature *f = &d->encoder->input[input];
    size_t first = SIZE_MAX;
    for (size_t j = tamis_lars_column(d, w, input), end = j + f->columns; j < end; j++)
        if (w->l.place[j] < first) first = w->l.place[j];
    return first;
}

size_t tamis_input_of(const struct tamis_design *d, size_t column)
{
    size_t low = 0, high = d->inputs - 1;
    while (low < high) {
        size_t middle = (low + high + 1) / 2;
        if (d->encoder->input[middle].first <= column) low = middle;
        else high = middle - 1;
    }
    return low;
}

size_t tamis_lars_inputs(const struct tamis_design *d, const struct tamis_lars_walk *w, size_t *order, size_t *joined)
{
    size_t count = 0;
    *joined = 0;
    for (size_t s = 0; s < w->columns; s++) {
        size_t input = tamis_input_of(d, w->column[w->l.order[s]]);
        if (place_of(d, w, input) != s) continue;
        order[count++] = input;
        if (s < w->l.steps) *joined = count;
    }
    return count;
}

void tamis_lars_walk_relevance(const struct tamis_design *d, const struct tamis_lars_walk *w, const unsigned char *set,
                               double *relevance)
{
    for (size_t i = 0; i < d->inputs; i++) {
        size_t s = set[i] ? place_of(d, w, i) : 0;
        if (set[i]) relevance[i] = s < w->l.steps ? w->l.c[s] / (w->total * (double)w->l.data.k) : 0;
    }
}

int tamis_lars_relevance(tamis_context *cx, const struct tamis_design *d, const unsigned char *set, double *relevance)
{
    struct tamis_lars_walk w;
    int status = tamis_lars_walk(cx, d, set, &w);
    if (!status) tamis_lars_walk_relevance(d, &w, set, relevance);
    tamis_lars_walk_free(&w);
    return status;
}
