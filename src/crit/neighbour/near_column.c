/* Neighbours in one column: adjacent in its order. */
#include <math.h>
#include <string.h>
#include "base/parallel.h"
#include "crit/neighbour/near_inside.h"

/* Rows sorted by a column, equal values by row. In a group of equal values only the first k + 1 rows can be among the k
 * nearest of any row; with the mean over ties all of them are. */
struct sorted { double value; uint32_t row; };

static void merge_sort(struct sorted *a, struct sorted *b, size_t n)
{
    for (size_t width = 1; width < n; width *= 2) {
        for (size_t lo = 0; lo < n; lo += 2 * width) {
            size_t middle = lo + width < n ? lo + width : n, hi = middle + width < n ? middle + width : n, i = lo,
                   j = middle;
            for (size_t k = lo; k < hi; k++)
                b[k] = j >= hi || (i < middle && a[i].value <= a[j].value) ? a[i++] : a[j++];
        }
        memcpy(a, b, n * sizeof *a);
    }
}

struct column {
    const struct tamis_query *l;
    struct tamis_near_work *w;
    size_t s, groups;
    const struct sorted *at;
    const size_t *group;
};

/* Offers the first rows of group g to the list of row i; 0 if the group is too far away. */
static int group_offer(const struct column *c, size_t g, size_t i)
{
    size_t k = c->l->e->k, from = c->group[g], to = c->group[g + 1], list = c->s * k;
    double *d2 = c->w->d2 + list,
           d = tamis_metric_d2(&c->l->set[c->s].all, tamis_near_z(c->l, i), tamis_near_z(c->l, c->at[from].row));
    if (d > d2[k - 1]) return 0;
    for (size_t t = from; t < to && (c->l->e->ties || t <= from + k); t++)
        if (c->at[t].row != i) tamis_near_take(c->l, c->w, 0, c->s, i, c->at[t].row, d);
    return 1;
}

static void column_row(const struct column *c, size_t g, size_t i)
{
    size_t list = c->s * c->l->e->k, below = g, above = g + 1;
    if (tamis_near_counted(c->l, c->s, i)) return;
    for (size_t t = list; t < list + c->l->e->k; t++) c->w->d2[t] = INFINITY, c->w->row[t] = UINT32_MAX;
    group_offer(c, g, i);
    while (below || above < c->groups) {
        below = below && group_offer(c, below - 1, i) ? below - 1 : 0;
        above = above < c->groups && group_offer(c, above, i) ? above + 1 : c->groups;
    }
    tamis_near_end_set(c->l, c->w, 0, c->s, i);
}

static int column_block(void *arg, size_t item, int worker)
{
    struct tamis_query *l = arg;
    size_t n = l->e->n, groups = 0, *group = tamis_raw(l->e->cx, size_t, n + 1);
    struct sorted *at = tamis_raw(l->e->cx, struct sorted, n), *other = tamis_raw(l->e->cx, struct sorted, n);
    if (group && at && other) {
        for (size_t i = 0; i < n; i++)
            at[i] = (struct sorted){tamis_near_z(l, i)[l->set[item].all.column[0]], (uint32_t)i};
        merge_sort(at, other, n);
        for (size_t i = 0; i < n; i++)
            if (!i || at[i].value != at[i - 1].value) group[groups++] = i;
        group[groups] = n;
        struct column c = {l, &l->work[worker], item, groups, at, group};
        for (size_t g = 0; g < groups; g++)
            for (size_t t = group[g]; t < group[g + 1]; t++) column_row(&c, g, at[t].row);
    }
    tamis_free(group);
    tamis_free(at);
    tamis_free(other);
    return tamis_status(l->e->cx);
}

int tamis_near_columns(struct tamis_query *l) { return tamis_parallel(l->e->cx, l->sets, column_block, l); }
