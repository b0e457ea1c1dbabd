/* Rows that are equal in all columns of a set. Each is among the nearest rows of the others, so that with the mean over
 * ties a group g of c such rows contributes
 *
 *     sum_i 1/(c - 1) sum_j (y_i - y_j)^2 = 2 c / (c - 1) sum_i (y_i - mean_g y)^2,
 *
 * or, with weights w and W_g their sum, sum_i w_i / (W_g - w_i) (W_g (y_i - mean_g y)^2 + sum_j w_j (y_j - mean_g
 * y)^2), in O(N) per column where the pairs of a column with few values would take O(N^2). Groups are found by sorting
 * ranks of the values, and summed in the order of y: the order of the rows changes no bit. */
#include <stdlib.h>
#include <string.h>
#include "base/parallel.h"
#include "crit/neighbour/near_inside.h"

struct ranked { double value; uint32_t row; };

static int by_value(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    return (x->value > y->value) - (x->value < y->value);
}

/* code[i]: how many different values are below x[i * step]; returns how many there are. at: the rows in that order. */
static size_t rank_values(const double *x, size_t step, size_t n, struct ranked *at, uint32_t *code)
{
    size_t count = 0;
    for (size_t i = 0; i < n; i++) at[i] = (struct ranked){x[i * step], (uint32_t)i};
    qsort(at, n, sizeof *at, by_value);
    for (size_t i = 0; i < n; i++) {
        count += !i || at[i].value != at[i - 1].value;
        code[at[i].row] = (uint32_t)(count - 1);
    }
    return count;
}

/* The ranks of all columns, and the rows in the order of the target: once, before the first query. */
static int codes_make(struct tamis_near *e)
{
    if (e->code) return TAMIS_OK;
    struct ranked *at = tamis_raw(e->cx, struct ranked, e->n);
    e->code = tamis_raw(e->cx, uint32_t, e->n * (e->columns + 1));
    e->values = tamis_raw(e->cx, size_t, e->columns);
    if (!tamis_status(e->cx)) {
        for (size_t c = 0; c < e->columns; c++)
            e->values[c] = rank_values(e->z + c, e->columns, e->n, at, e->code + e->n * c);
        rank_values(e->ties, 1, e->n, at, e->code + e->n * e->columns);
        for (size_t i = 0; i < e->n; i++) e->code[e->n * e->columns + i] = at[i].row;
    }
    tamis_free(at);
    return tamis_status(e->cx);
}

/* Workspace of one set: n places each, n + 1 in count. */
struct work { uint32_t *id, *first, *second, *count; };

/* The rows `in` (NULL: 0, 1, ...) in the order of key[row] < keys, equal ones in the order of `in`. */
static void sort_rows(const uint32_t *key, size_t keys, const uint32_t *in, size_t n, uint32_t *count, uint32_t *out)
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
    sort_rows(code, values, NULL, n, w->count, w->first);
    sort_rows(w->id, groups, w->first, n, w->count, w->second);
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
    sort_rows(w->id, groups, e->code + e->n * e->columns, e->n, w->count, w->first);
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
    if (!e->ties) return TAMIS_OK;
    int status = codes_make(e);
    l->equal = tamis_new(e->cx, unsigned char, l->sets * e->n);
    return status || !l->equal ? tamis_status(e->cx) : tamis_parallel(e->cx, l->sets, set_groups, l);
}
