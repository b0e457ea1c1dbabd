/* Neighbours in one column: adjacent in its order. */
#include <math.h>
#include <string.h>
#include "base/parallel.h"
#include "crit/neighbour/near_inside.h"

/* A column in ascending order: `groups` different values, and the rows of each, ascending. In a group only the first
 * k + 1 rows can be among the k nearest of any row; with the mean over ties all of them are. */
struct column {
    const struct tamis_query *l;
    struct tamis_near_work *w;
    size_t s, groups;
    uint32_t *row, *group, *count;      /* group: where the rows of one begin; groups + 1 */
    double *value;                      /* of a group, weighted */
};

static double distance(const struct column *c, size_t g, size_t h)
{
    return (c->value[g] - c->value[h]) * (c->value[g] - c->value[h]);
}

/* Offers the first rows of group h to the list of row i in group g; 0 if they are too far away. */
static int group_offer(const struct column *c, size_t g, size_t h, size_t i)
{
    size_t k = c->l->e->k, list = c->s * k;
    double d = distance(c, g, h);
    if (d > c->w->d2[list + k - 1]) return 0;
    for (size_t t = c->group[h]; t < c->group[h + 1] && (c->l->e->ties || t <= c->group[h] + k); t++)
        if (c->row[t] != i) tamis_near_take(c->l, c->w, 0, c->s, i, c->row[t], d);
    return 1;
}

static void column_row(const struct column *c, size_t g, size_t i)
{
    size_t list = c->s * c->l->e->k, below = g, above = g + 1;
    for (size_t t = list; t < list + c->l->e->k; t++) c->w->d2[t] = INFINITY, c->w->row[t] = UINT32_MAX;
    group_offer(c, g, g, i);
    while (below || above < c->groups) {
        below = below && group_offer(c, g, below - 1, i) ? below - 1 : 0;
        above = above < c->groups && group_offer(c, g, above, i) ? above + 1 : c->groups;
    }
    tamis_near_end_set(c->l, c->w, 0, c->s, i);
}

/* Of a row without equals, with ties: 1 if a single row is the nearest, which is tallied. */
static int column_single(const struct column *c, size_t g, size_t i)
{
    double below = g ? distance(c, g, g - 1) : INFINITY, above = g + 1 < c->groups ? distance(c, g, g + 1) : INFINITY;
    size_t near = below < above ? g - 1 : g + 1, next = below < above ? g - 2 : g + 2;
    if (below == above || c->group[near + 1] - c->group[near] > 1) return 0;
    if (next < c->groups && distance(c, g, next) == (below < above ? below : above)) return 0;     /* by rounding */
    tamis_near_end_single(c->l, c->w, c->s, i, c->row[c->group[near]]);
    return 1;
}

static void column_order(const struct column *c)
{
    const struct tamis_query *l = c->l;
    const struct tamis_metric *m = &l->set[c->s].all;
    size_t n = l->e->n, groups = 0;
    const uint32_t *code = l->e->code + n * m->column[0];
    tamis_near_sort(code, c->groups, NULL, n, c->count, c->row);
    for (size_t i = 0; i < n; i++) {
        if (i && code[c->row[i]] == code[c->row[i - 1]]) continue;
        c->group[groups] = (uint32_t)i;
        c->value[groups++] = m->weight[0] * tamis_near_z(l, c->row[i])[m->column[0]];
    }
    c->group[groups] = (uint32_t)n;
}

static int column_block(void *arg, size_t item, int worker)
{
    struct tamis_query *l = arg;
    size_t n = l->e->n;
    struct column c = {l, &l->work[worker], item, l->e->values[l->set[item].all.column[0]],
                       tamis_raw(l->e->cx, uint32_t, n), tamis_raw(l->e->cx, uint32_t, n + 1),
                       tamis_raw(l->e->cx, uint32_t, n + 1), tamis_raw(l->e->cx, double, n)};
    if (c.row && c.group && c.count && c.value) {
        column_order(&c);
        for (size_t g = 0; g < c.groups; g++)
            for (size_t t = c.group[g]; t < c.group[g + 1]; t++) {
                if (tamis_near_counted(l, item, c.row[t])) continue;
                if (!l->e->ties || !column_single(&c, g, c.row[t])) column_row(&c, g, c.row[t]);
            }
    }
    tamis_free(c.row);
    tamis_free(c.group);
    tamis_free(c.count);
    tamis_free(c.value);
    return tamis_status(l->e->cx);
}

int tamis_near_columns(struct tamis_query *l)
{
    return tamis_near_ranks(l) ? tamis_status(l->e->cx) : tamis_parallel(l->e->cx, l->sets, column_block, l);
}
