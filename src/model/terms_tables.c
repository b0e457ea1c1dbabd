/* The functions of all columns as tables. */
#include "model/terms_tables.h"

#include <string.h>

enum { F = TAMIS_FUNCTIONS };

struct tamis_gauss_net tamis_terms_network(const struct tamis_terms *t, double *alpha)
{
    size_t m = t->centres, n = m + 1;
    for (size_t o = 0; o < t->outputs; o++) {
        memcpy(alpha + n * o, t->alpha + m * o, m * sizeof *alpha);
        alpha[m + n * o] = t->bias[o];
    }
    return (struct tamis_gauss_net){m, t->columns, t->outputs, t->centre, t->weight, 1, alpha, alpha + m, n};
}

void tamis_terms_needed(const struct tamis_terms *t, size_t *needed)
{
    for (size_t c = 0; c < t->columns; c++) needed[c] = 0;
    for (size_t i = 0; i < TAMIS_TERM_INPUTS * t->features; i++) {
        size_t column = (t->factor[i] - 1) / F, function = (t->factor[i] - 1) % F;
        if (t->factor[i] && t->basis[column].functions && needed[column] <= function) needed[column] = function + 1;
    }
}

void tamis_terms_tables_free(struct tamis_terms_tables *s)
{
    void *part[] = {s->count, s->knot_count, s->order_at, s->knot_at, s->mean_at, s->turn_at, s->order,
                    s->lo,    s->hi,         s->knot,     s->rank,    s->mean,    s->turn};
    for (size_t i = 0; i < sizeof part / sizeof *part; i++) tamis_free(part[i]);
}

int tamis_terms_tables_columns(tamis_context *cx, struct tamis_terms_tables *s, size_t columns)
{
    size_t **part[] = {&s->count, &s->knot_count, &s->order_at, &s->knot_at, &s->mean_at, &s->turn_at};
    for (size_t i = 0; i < sizeof part / sizeof *part; i++) *part[i] = tamis_new(cx, size_t, columns);
    s->lo = tamis_new(cx, double, columns);
    s->hi = tamis_new(cx, double, columns);
    return tamis_status(cx);
}

void tamis_terms_tables_place(struct tamis_terms_tables *s, size_t c, const size_t *order)
{
    s->order_at[c] = s->functions;
    s->knot_at[c] = s->knots;
    s->mean_at[c] = s->means;
    s->turn_at[c] = s->turns;
    s->functions += s->count[c];
    s->knots += s->knot_count[c];
    s->means += s->count[c] ? order[s->count[c] - 1] + 1 : 0;
    for (size_t k = 0; k < s->count[c]; k++) s->turns += order[k] + 1;
}

int tamis_terms_tables_fill(tamis_context *cx, struct tamis_terms_tables *s)
{
    s->order = tamis_new(cx, size_t, s->functions);
    s->knot = tamis_new(cx, double, s->knots);
    s->rank = tamis_new(cx, double, s->knots);
    s->mean = tamis_new(cx, double, s->means);
    s->turn = tamis_new(cx, double, s->turns);
    return tamis_status(cx);
}

static void move(double *table, double *basis, size_t n, int back)
{
    memcpy(back ? basis : table, back ? table : basis, n * sizeof *table);
}

void tamis_terms_tables_move(const struct tamis_terms_tables *s, struct tamis_basis *b, size_t c, int back)
{
    size_t q = s->count[c];
    double *turn = s->turn + s->turn_at[c];
    move(s->lo + c, &b->lo, 1, back);
    move(s->hi + c, &b->hi, 1, back);
    move(s->knot + s->knot_at[c], b->knot, s->knot_count[c], back);
    move(s->rank + s->knot_at[c], b->rank, s->knot_count[c], back);
    move(s->mean + s->mean_at[c], b->mean, q ? b->order[q - 1] + 1 : 0, back);
    for (size_t k = 0; k < q; turn += b->order[k++] + 1) move(turn, b->turn[k], b->order[k] + 1, back);
}

int tamis_terms_tables_make(tamis_context *cx, const struct tamis_terms *t, struct tamis_terms_tables *s)
{
    if (tamis_terms_tables_columns(cx, s, t->columns)) return tamis_status(cx);
    for (size_t c = 0; c < t->columns; c++) {
        s->count[c] = t->basis[c].functions;
        s->knot_count[c] = s->count[c] ? t->basis[c].knots : 0;
        tamis_terms_tables_place(s, c, t->basis[c].order);
    }
    if (tamis_terms_tables_fill(cx, s)) return tamis_status(cx);
    for (size_t c = 0; c < t->columns; c++) {
        memcpy(s->order + s->order_at[c], t->basis[c].order, s->count[c] * sizeof *s->order);
        tamis_terms_tables_move(s, &t->basis[c], c, 0);
    }
    return TAMIS_OK;
}
