/* Nearest neighbours where the rows are spread over processes: the mean over ties of one target.
 *
 * Each process has a tree of its own rows. Their queries, with the nearest distance so far and the exact sums over the
 * rows at it, go round from process to process, and each looks for nearer rows in its tree: after a whole turn they are
 * home again. Distances are rounded alike everywhere, and sums are exact, so that the result has the digits of one
 * process. Rows that are equal in all columns of a set meet in the process that the hash of their values names; the
 * groups are summed there as in near_ties.c. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/parallel.h"
#include "base/spread.h"
#include "crit/neighbour/near_inside.h"
#include "data/bits.h"

enum { GROUP = 512 };           /* queries that a worker takes at a time */

/* ---- rows that are equal under a set ---- */

struct record { uint64_t hash[2]; double y; };          /* 128 bits stand for the values of a row */
struct met { struct record r; size_t place; };

static int by_record(const void *a, const void *b)
{
    const struct record *p = a, *q = b;
    for (int k = 0; k < 2; k++)
        if (p->hash[k] != q->hash[k]) return p->hash[k] > q->hash[k] ? 1 : -1;
    return (p->y > q->y) - (p->y < q->y);
}

static int same(const struct met *a, const struct met *b) { return !memcmp(a->r.hash, b->r.hash, sizeof a->r.hash); }

/* Whether the values of every column are known to be different; a column is looked at once. */
static int may_repeat(struct tamis_near *e, const struct tamis_metric *m, int *may)
{
    *may = m->count > 0;
    for (size_t c = 0; c < m->count && *may; c++) {
        unsigned char *known = &e->repeats[m->column[c]];
        size_t repeated = 0;
        if (!*known && tamis_values_repeated(e->spread, e->z + m->column[c], e->columns, e->n, &repeated))
            return tamis_status(e->cx);
        if (!*known) *known = repeated ? 2 : 1;
        if (*known == 1) *may = 0;
    }
    return TAMIS_OK;
}

static void records_fill(const struct tamis_near *e, const struct tamis_metric *m, struct record *r)
{
    for (size_t i = 0; i < e->n; i++) {
        r[i] = (struct record){{0, 1}, e->ties[i]};
        for (size_t c = 0; c < m->count; c++) {
            uint64_t bits = tamis_bits_of(e->z[i * e->columns + m->column[c]]);
            for (int k = 0; k < 2; k++) r[i].hash[k] = tamis_bits_whirl(r[i].hash[k] ^ bits);
        }
    }
}

/* The contributions of the groups among the n that have met here; in[place]: 1 for a row of a group. */
static int groups_add(const struct tamis_near *e, struct met *at, size_t n, unsigned char *in, tamis_fixed *sum)
{
    double *y = tamis_raw(e->cx, double, n + 1);
    if (!y) return tamis_status(e->cx);
    qsort(at, n, sizeof *at, by_record);
    for (size_t i = 0; i < n; i++) y[i] = at[i].r.y;
    for (size_t from = 0, to; from < n; from = to) {
        for (to = from + 1; to < n && same(&at[to], &at[from]);) to++;
        for (size_t i = from; i < to; i++) in[at[i].place] = to - from > 1;
        if (to - from > 1) tamis_fixed_add(sum, tamis_near_group_term(y + from, NULL, to - from), e->unit[0]);
    }
    tamis_free(y);
    return TAMIS_OK;
}

/* Says to the process of each record whether it is one of a group. */
static int marks_return(const struct tamis_near *e, const struct tamis_deal *d, unsigned char *in, unsigned char *equal)
{
    const struct tamis_spread *s = e->spread;
    struct tamis_bytes *out = tamis_new(e->cx, struct tamis_bytes, (size_t)s->ranks),
                       *back = tamis_new(e->cx, struct tamis_bytes, (size_t)s->ranks);
    size_t at = 0;
    for (int k = 0; out && k < s->ranks; k++) {
        out[k] = (struct tamis_bytes){in + at, d->in[k].n / sizeof(struct record)};
        at += out[k].n;
    }
    int status = out && back ? tamis_spread_deal(s, out, back) : tamis_status(e->cx);
    for (size_t i = 0; i < e->n && !status; i++) equal[i] = ((unsigned char *)back[d->owner[i]].at)[d->place[i]];
    for (int k = 0; back && k < s->ranks; k++) tamis_free(back[k].at);
    tamis_free(out);
    tamis_free(back);
    return status;
}

static int equal_find(struct tamis_near *e, const struct tamis_metric *m, unsigned char *equal, tamis_fixed *sum)
{
    struct tamis_deal d = {0};
    struct record *r = tamis_raw(e->cx, struct record, e->n + 1);
    if (!r) return tamis_status(e->cx);
    records_fill(e, m, r);
    int status = tamis_deal_make(e->spread, r, e->n, sizeof *r, &d);
    tamis_free(r);
    size_t n = d.came / sizeof *r, at = 0;
    struct met *met = status ? NULL : tamis_raw(e->cx, struct met, n + 1);
    unsigned char *in = status ? NULL : tamis_new(e->cx, unsigned char, n + 1);
    for (int k = 0; met && in && k < e->spread->ranks; k++)
        for (size_t i = 0; i < d.in[k].n / sizeof *r; i++, at++)
            met[at] = (struct met){((struct record *)d.in[k].at)[i], at};
    if (!status) status = met && in ? groups_add(e, met, n, in, sum) : tamis_status(e->cx);
    if (!status) status = marks_return(e, &d, in, equal);
    tamis_free(met);
    tamis_free(in);
    tamis_deal_free(e->spread, &d);
    return status;
}

/* ---- queries on their way ---- */

/* n of them in one piece of memory, which travels: sums over the nearest so far, how many those are, their distance;
 * then the weighted columns of the row, and its target. */
struct near { tamis_fixed tie; uint64_t ties; double d2; };
struct queries { size_t n, dims; struct near *near; double *z, *y; };

static size_t query_bytes(size_t dims) { return sizeof(struct near) + 8 * (dims + 1); }

static struct queries queries_in(const struct tamis_bytes *b, size_t dims)
{
    size_t n = b->n / query_bytes(dims);
    struct near *near = b->at;
    double *z = (double *)(near + n);
    return (struct queries){n, dims, near, z, z + n * dims};
}

/* Of the rows of this process that are not in a group; row[]: which. */
static int queries_make(const struct tamis_near *e, const struct tamis_metric *m, const unsigned char *equal,
                        uint32_t *row, struct tamis_bytes *b)
{
    size_t n = 0;
    for (size_t i = 0; i < e->n; i++)
        if (!equal[i]) row[n++] = (uint32_t)i;
    b->n = n * query_bytes(m->count);
    if (!(b->at = tamis_raw(e->cx, char, b->n + 1))) return tamis_status(e->cx);
    struct queries q = queries_in(b, m->count);
    for (size_t k = 0; k < n; k++) {
        const double *z = e->z + row[k] * e->columns;
        q.near[k] = (struct near){.d2 = INFINITY};
        q.y[k] = e->ties[row[k]];
        for (size_t c = 0; c < m->count; c++) q.z[k * m->count + c] = m->weight[c] * z[m->column[c]];
    }
    return TAMIS_OK;
}

/* ---- a look into the tree of this process ---- */

struct look {
    const struct tamis_near *e;
    struct tamis_tree tree;
    struct queries q;
    const uint32_t *own;        /* the rows of the queries, if they are of this process */
};

struct visit { struct tamis_visitor v; const struct look *l; struct near *near; double y; uint32_t self; };

static void visit_leaf(struct tamis_visitor *v, size_t leaf, const uint32_t *row, const double *d2)
{
    struct visit *s = (struct visit *)v;
    const struct tamis_near *e = s->l->e;
    (void)leaf;
    for (size_t t = 0; t < TAMIS_LEAF; t++) {
        if (!(d2[t] <= s->near->d2) || row[t] == s->self || row[t] == UINT32_MAX) continue;
        if (d2[t] < s->near->d2) *s->near = (struct near){.d2 = d2[t]};
        double d = s->y - e->ties[row[t]];
        tamis_fixed_add(&s->near->tie, d * d, e->unit[0]);
        s->near->ties++;
    }
}

/* Only where some row is as near as those so far is its distance looked for again, with all that are tied. */
static void look_one(const struct look *l, size_t k)
{
    const double *z = l->q.z + k * l->q.dims;
    uint32_t self = l->own ? l->own[k] : UINT32_MAX, row = UINT32_MAX;
    double d2 = l->q.near[k].d2;
    tamis_tree_nearest(&l->tree, z, self, 1, &d2, &row, NULL);
    if (row == UINT32_MAX) return;
    struct visit s = {{visit_leaf, d2 * tamis_metric_slack(l->q.dims), UINT32_MAX, 0}, l, &l->q.near[k],
                      l->q.y[k], self};
    if (d2 < s.near->d2) *s.near = (struct near){.d2 = d2};
    tamis_tree_visit(&l->tree, z, &s.v);
}

static int look_some(void *arg, size_t item, int worker)
{
    const struct look *l = arg;
    (void)worker;
    for (size_t k = item * GROUP; k < (item + 1) * GROUP && k < l->q.n; k++) look_one(l, k);
    return TAMIS_OK;
}

static int turns(struct tamis_near *e, const struct tamis_metric *m, const uint32_t *own, struct tamis_bytes *b)
{
    struct look l = {.e = e};
    void *memory = tamis_alloc(e->cx, tamis_tree_bytes(e->n, m->count), 1, 0);
    int status = memory ? TAMIS_OK : tamis_status(e->cx);
    if (memory) tamis_tree_build(&l.tree, memory, e->n, e->z, e->columns, m);
    for (int k = 0; k < e->spread->ranks && !status; k++) {
        l.q = queries_in(b, m->count);
        l.own = k ? NULL : own;
        status = tamis_parallel(e->cx, (l.q.n + GROUP - 1) / GROUP, look_some, &l);
        if (!status) status = tamis_spread_turn(e->spread, b);
    }
    tamis_free(memory);
    return status;
}

/* ---- a set ---- */

static int set_sum(struct tamis_near *e, const struct tamis_metric *m, tamis_fixed *sum)
{
    unsigned char *equal = tamis_new(e->cx, unsigned char, e->n + 1);
    uint32_t *row = tamis_raw(e->cx, uint32_t, e->n + 1);
    struct tamis_bytes b = {0};
    int may = 0, status = equal && row ? may_repeat(e, m, &may) : tamis_status(e->cx);
    *sum = 0;
    if (!status && may) status = equal_find(e, m, equal, sum);
    if (!status) status = queries_make(e, m, equal, row, &b);
    if (!status) status = turns(e, m, row, &b);
    struct queries q = queries_in(&b, m->count);
    for (size_t k = 0; k < q.n && !status; k++)
        tamis_fixed_add(sum, tamis_fixed_value(q.near[k].tie, e->unit[0]) / (double)q.near[k].ties, e->unit[0]);
    tamis_free(b.at);
    tamis_free(row);
    tamis_free(equal);
    return status;
}

int tamis_near_spread(struct tamis_near *e, const struct tamis_near_set *set, size_t sets, double *mean)
{
    const struct tamis_spread *s = e->spread;
    if (!sets) return TAMIS_OK;
    tamis_fixed *own = tamis_new(e->cx, tamis_fixed, sets + 1),
                *of = tamis_new(e->cx, tamis_fixed, (size_t)s->ranks * sets + 1);
    int status = tamis_status(e->cx);
    for (size_t k = 0; k < sets && !status; k++) status = set_sum(e, &set[k].all, &own[k]);
    if (!status) status = tamis_spread_gather(s, own, sets * sizeof *own, of);
    for (size_t k = 0; k < sets && !status; k++) {
        tamis_fixed sum = 0;
        for (size_t r = 0; r < (size_t)s->ranks; r++) sum += of[r * sets + k];
        mean[k] = tamis_fixed_value(sum, e->unit[0]) / e->total;
    }
    tamis_free(own);
    tamis_free(of);
    return status;
}
