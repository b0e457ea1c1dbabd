/* What the chosen inputs cost, and error against cost along the path. */
#include <math.h>
#include <stdlib.h>
#include "select/constraints.h"

struct point { double cost, value; size_t size; };

static int by_cost(const void *a, const void *b)
{
    const struct point *x = a, *y = b;
    if (x->cost != y->cost) return x->cost < y->cost ? -1 : 1;
    return (x->value > y->value) - (x->value < y->value);
}

static double cost_of(const double *cost, const unsigned char *set, size_t inputs)
{
    double sum = 0;
    for (size_t i = 0; i < inputs; i++) sum += !set || set[i] ? cost[i] : 0;
    return sum;
}

/* The points that beat every cheaper one; they are in order of cost. */
static void frontier(tamis_value *to, const struct point *at, size_t points)
{
    double least = INFINITY;
    tamis_value *list = tamis_add_list(to, "frontier");
    for (size_t k = 0; k < points; k++) {
        if (!(at[k].value < least)) continue;
        least = at[k].value;
        tamis_value *one = tamis_add_record(list, NULL);
        tamis_add_number(one, "cost", at[k].cost);
        tamis_add_number(one, "size", (double)at[k].size);
        tamis_add_number(one, "criterion", least);
    }
}

int tamis_costs_add(struct tamis_run *run, const struct tamis_constraints *w, const unsigned char *set)
{
    struct tamis_result *r = run->result;
    if (!w->cost) return TAMIS_OK;
    struct point *at = tamis_raw(run->cx, struct point, r->steps);
    unsigned char *on_path = tamis_raw(run->cx, unsigned char, r->inputs);
    for (size_t k = 0; at && on_path && k < r->steps; k++) {
        tamis_result_set(r, k, on_path);
        at[k] = (struct point){cost_of(w->cost, on_path, r->inputs), r->path[k].criterion, r->path[k].size};
    }
    if (at && on_path) {
        qsort(at, r->steps, sizeof *at, by_cost);
        r->cost = tamis_record_new(run->cx);
        tamis_add_number(r->cost, "chosen", cost_of(w->cost, set, r->inputs));
        tamis_add_number(r->cost, "all", cost_of(w->cost, NULL, r->inputs));
        tamis_add_number(r->cost, "budget", w->limits.budget);
        frontier(r->cost, at, r->steps);
    }
    tamis_free(at);
    tamis_free(on_path);
    return tamis_status(run->cx);
}
