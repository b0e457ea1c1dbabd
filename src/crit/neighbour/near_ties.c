/* Rows that are equal in all columns of a set. Each is among the nearest rows of the others, so that with the mean over
 * ties a group g of c such rows contributes
 *
 *     sum_i 1/(c - 1) sum_j (y_i - y_j)^2 = 2 c / (c - 1) sum_i (y_i - mean_g y)^2,
 *
 * or, with weights w and W_g their sum, sum_i w_i / (W_g - w_i) (W_g (y_i - mean_g y)^2 + sum_j w_j (y_j - mean_g
 * y)^2), in O(N) per column where the pairs of a column with few values would take O(N^2). Groups are found by sorting
 * ranks of the values, and summed in the order of y: the order of the rows changes no bit. */
#include <string.h>
#include "base/parallel.h"
#include "crit/neighbour/near_inside.h"
#include "num/order.h"

/* ---- ranks of the columns, made when a query needs them ---- */

struct ranking { struct tamis_near *e; uint32_t *column; };

static int column_rank(void *arg, size_t item, int worker)
{
    const struct ranking *r = arg;
    struct tamis_near *e = r->e;
    size_t c = r->column[item];
    struct tamis_digits *work = tamis_raw(e->cx, struct tamis_digits, 2 * e->n);
    uint32_t *row = tamis_raw(e->cx, uint32_t, e->n);
    (void)worker;
    if (work && row) e->values[c] = tamis_order_ranks(e->z + c, e->columns, e->n, work, e->code + c * e->n, row);
    tamis_free(work);
    tamis_free(row);
    return tamis_status(e->cx);
}

/* The first column of m without ranks, or SIZE_MAX: all have some, or one has as many values as rows. */
static size_t column_unknown(const struct tamis_near *e, const struct tamis_metric *m)
{
    size_t first = SIZE_MAX;
    for (size_t c = m->count; c--;) {
        size_t values = e->values[m->column[c]];
        if (values == e->n) return SIZE_MAX;
        if (!values) first = m->column[c];
    }
    return first;
}

static int ranks_room(struct tamis_near *e)
{
    if (!e->code) e->code = tamis_raw(e->cx, uint32_t, e->n * e->columns);
    if (!e->values) e->values = tamis_new(e->cx, size_t, e->columns);
    return tamis_status(e->cx);
}

int tamis_near_ranks(const struct tamis_query *l)
{
    struct ranking r = {l->e, tamis_raw(l->e->cx, uint32_t, l->e->columns)};
    int status = r.column ? ranks_room(l->e) : tamis_status(l->e->cx);
    for (size_t count = 1; count && !status;) {
        unsigned char *known = tamis_new(l->e->cx, unsigned char, l->e->columns);
        count = 0;
        for (size_t s = 0; known && s < l->sets; s++) {
            size_t c = column_unknown(l->e, &l->set[s].all);
            if (c == SIZE_MAX || known[c]++) continue;
            r.column[count++] = (uint32_t)c;
        }
        tamis_free(known);
        status = known ? tamis_parallel(l->e->cx, count, column_rank, &r) : tamis_status(l->e->cx);
    }
    tamis_free(r.column);
    return status;
}

/* The rows in the order of the target: once, before the first sum over groups. */
static int target_order(struct tamis_near *e)
{
    if (e->by_target) return TAMIS_OK;
    struct tamis_digits *work = tamis_raw(e->cx, struct tamis_digits, 2 * e->n);
    uint32_t *below = tamis_raw(e->cx, uint32_t, e->n);
    e->by_target = tamis_raw(e->cx, uint32_t, e->n);
    if (!tamis_status(e->cx)) tamis_order_ranks(e->ties, 1, e->n, work, below, e->by_target);
    tamis_free(work);
    tamis_free(below);
    return tamis_status(e->cx);
}

/* ---- groups of equal rows ---- */

/* Workspace of one set: n places each, n + 1 in count. */
struct work { uint32_t *id, *first, *second, *count; };

void tamis_near_sort(const uint32_t *key, size_t keys, const uint32_t *in, size_t n, uint32_t *count, uint32_t *out)
{
    memset(count, 0, (keys + 1) * sizeof *count);
    for (size_t i = 0; i < n; i++) count[key[i] + 1]++;
    for (size_t k = 1; k <= keys; k++) count[k] += count[k - 1];
    for (size_t i = 0; i < n; i++) {
        uint32_t row = in ? in[i] : (uint32_t)i;
        out[count[key[row]]++] = row;
    }
}

/* Splits the groups id[] by the values of one more column; returns how many there are then. */
static size_t split(const uint32_t *code, size_t values, size_t groups, size_t n, const struct work *w)
{
    size_t count = 0;
    uint32_t last_id = 0, last_code = 0;
    tamis_near_sort(code, values, NULL, n, w->count, w->first);
    tamis_near_sort(w->id, groups, w->first, n, w->count, w->second);
    for (size_t i = 0; i < n; i++) {
        uint32_t row = w->second[i], id = w->id[row];
        count += !i || id != last_id || code[row] != last_code;
        last_id = id, last_code = code[row];
        w->id[row] = (uint32_t)(count - 1);
    }
    return count;
}

/* Whether some rows may be equal under the set: not if a column has as many values as rows. */
static int may_repeat(const struct tamis_near *e, const struct tamis_metric *m)
{
    for (size_t c = 0; c < m->count; c++)
        if (e->values[m->column[c]] == e->n) return 0;
    return m->count > 0;
}

double tamis_near_group_term(const double *y, const uint32_t *row, size_t c)
{
    double mean = 0, squares = 0;
    for (size_t i = 0; i < c; i++) mean += y[row ? row[i] : i] / (double)c;
    for (size_t i = 0; i < c; i++) squares += (y[row ? row[i] : i] - mean) * (y[row ? row[i] : i] - mean);
    return 2 * (double)c / ((double)c - 1) * squares;
}

/* The same of rows with weights, as shares of the largest. */
static double group_term_weighted(const struct tamis_near *e, const double *y, const uint32_t *row, size_t c)
{
    double all = 0, mean = 0, squares = 0, sum = 0;
    for (size_t i = 0; i < c; i++) all += tamis_near_share(e, row[i]);
    for (size_t i = 0; i < c; i++) mean += tamis_near_share(e, row[i]) * y[row[i]] / all;
    for (size_t i = 0; i < c; i++) squares += tamis_near_share(e, row[i]) * (y[row[i]] - mean) * (y[row[i]] - mean);
    for (size_t i = 0; i < c; i++) {
        double w = tamis_near_share(e, row[i]), d = y[row[i]] - mean;
        sum += w / (all - w) * (all * d * d + squares);
    }
    return sum;
}

/* The mean over targets. */
static double group_terms(const struct tamis_near *e, const uint32_t *row, size_t c)
{
    double sum = 0;
    for (size_t o = 0; o < e->targets; o++) {
        const double *y = e->ties + o * e->n;
        sum += (e->weight ? group_term_weighted(e, y, row, c) : tamis_near_group_term(y, row, c)) / (double)e->targets;
    }
    return sum;
}

static void groups_sum(struct tamis_query *l, size_t s, size_t groups, const struct work *w)
{
    const struct tamis_near *e = l->e;
    const uint32_t *row = w->first;
    tamis_fixed sum = 0;
    tamis_near_sort(w->id, groups, e->by_target, e->n, w->count, w->first);
    for (size_t from = 0, to; from < e->n; from = to) {
        for (to = from + 1; to < e->n && w->id[row[to]] == w->id[row[from]];) to++;
        if (to - from == 1) continue;
        for (size_t i = from; i < to; i++) l->equal[s * e->n + row[i]] = 1;
        tamis_fixed_add(&sum, group_terms(e, row + from, to - from), e->unit[0]);
    }
    l->work[0].sum[s] = sum;
}

static int set_groups(void *arg, size_t s, int worker)
{
    struct tamis_query *l = arg;
    const struct tamis_near *e = l->e;
    const struct tamis_metric *m = &l->set[s].all;
    (void)worker;
    if (!may_repeat(e, m)) return TAMIS_OK;
    uint32_t *all = tamis_raw(e->cx, uint32_t, 4 * e->n + 1);
    if (!all) return tamis_status(e->cx);
    struct work w = {all, all + e->n, all + 2 * e->n, all + 3 * e->n};
    size_t groups = e->values[m->column[0]];
    memcpy(w.id, e->code + e->n * m->column[0], e->n * sizeof *w.id);
    for (size_t c = 1; c < m->count && groups < e->n; c++)
        groups = split(e->code + e->n * m->column[c], e->values[m->column[c]], groups, e->n, &w);
    if (groups < e->n) groups_sum(l, s, groups, &w);
    tamis_free(all);
    return TAMIS_OK;
}

int tamis_near_equal_rows(struct tamis_query *l)
{
    struct tamis_near *e = l->e;
    size_t may = 0;
    if (!e->ties || tamis_near_ranks(l)) return tamis_status(e->cx);
    for (size_t s = 0; s < l->sets; s++) may += (size_t)may_repeat(e, &l->set[s].all);
    if (!may || target_order(e)) return tamis_status(e->cx);
    l->equal = tamis_new(e->cx, unsigned char, l->sets * e->n);
    return l->equal ? tamis_parallel(e->cx, l->sets, set_groups, l) : tamis_status(e->cx);
}
