/* Neighbours by trees: one on the common columns, or one per set. */
#include <math.h>
#include <string.h>
#include "base/parallel.h"
#include "crit/neighbour/near_inside.h"

enum { SAMPLE = 16, GROUP = 8 };

typedef float lanes __attribute__((vector_size(TAMIS_NEAR_LANES * sizeof(float)), aligned(4)));
typedef int lane_bits __attribute__((vector_size(TAMIS_NEAR_LANES * sizeof(int)), aligned(4)));
typedef long long halves __attribute__((vector_size(TAMIS_NEAR_LANES * sizeof(int)), aligned(4)));

/* The sets for which near + (a - b)^2 is within the limit; returns how many. Most pairs are within none, which the
 * first pass finds out. */
TAMIS_CLONES
static size_t sets_within(size_t stride, const float *a, const float *b, float near, const float *limit, uint32_t *hit)
{
    size_t n = 0;
    lane_bits any = {0};
    for (size_t s = 0; s < stride; s += TAMIS_NEAR_LANES) {
        lanes difference = *(const lanes *)(a + s) - *(const lanes *)(b + s);
        any |= near + difference * difference <= *(const lanes *)(limit + s);
    }
    halves h = (halves)any;
    if (!((h[0] | h[1]) | (h[2] | h[3]))) return 0;
    for (size_t s = 0; s < stride; s++) {
        hit[n] = (uint32_t)s;
        n += near + (a[s] - b[s]) * (a[s] - b[s]) <= limit[s];
    }
    return n;
}

static void reach_update(const struct tamis_query *l, struct tamis_near_work *w)
{
    float most = -1;
    for (size_t s = 0; s < l->stride; s++) most = w->limit[s] > most ? w->limit[s] : most;
    w->reach = most;
}

/* A pair whose common part is `near`, for all sets. a, b: the packed extras of i and j. */
static void pair_offer(const struct tamis_query *l, struct tamis_near_work *w, size_t i, size_t j, float near,
                       const float *a, const float *b)
{
    size_t n = sets_within(l->stride, a, b, near, w->limit, w->hit);
    int farthest = 0;
    for (size_t h = 0; h < n; h++) {
        size_t s = w->hit[h], last = (s + 1) * l->e->k - 1;
        if (!tamis_near_offer(l, w, 0, s, i, j)) continue;
        float now = tamis_near_limit(l, w->d2[last] / (l->e->shrink * l->e->shrink));
        farthest |= w->limit[s] >= w->reach;
        if (now < w->limit[s]) w->limit[s] = now;
    }
    if (farthest) reach_update(l, w);
    w->tried++;
}

struct shared_visit {
    struct tamis_visitor v;
    const struct tamis_query *l;
    struct tamis_near_work *w;
    size_t i;
    const float *packed;
};

static double reach(const struct tamis_query *l, const struct tamis_near_work *w)
{
    return w->reach * l->e->shrink * l->e->shrink * l->slack;
}

static void shared_leaf(struct tamis_visitor *v, size_t leaf, const uint32_t *row, const double *d2)
{
    struct shared_visit *s = (struct shared_visit *)v;
    for (size_t t = 0; t < TAMIS_LEAF; t++) {
        float near = (float)(d2[t] / (s->l->e->shrink * s->l->e->shrink));
        if (near <= s->w->reach && row[t] != s->i && row[t] != UINT32_MAX)
            pair_offer(s->l, s->w, s->i, row[t], near, s->packed,
                       s->l->packed + (leaf * TAMIS_LEAF + t) * s->l->stride);
    }
    v->bound = reach(s->l, s->w);
}

static void point_of(const struct tamis_tree *t, size_t place, double *q)
{
    size_t leaf = place / TAMIS_LEAF, at = place % TAMIS_LEAF;
    for (size_t c = 0; c < t->dims; c++) q[c] = t->point[(leaf * t->dims + c) * TAMIS_LEAF + at];
}

/* Row i at a place of the shared tree, under all sets. */
static void shared_row(const struct tamis_query *l, struct tamis_near_work *w, size_t place, size_t i, double *q)
{
    struct shared_visit s = {{shared_leaf, INFINITY, UINT32_MAX, 0}, l, w, i, l->packed + place * l->stride};
    point_of(&l->tree, place, q);
    tamis_near_begin(l, w, 0, i);
    reach_update(l, w);
    s.v.bound = reach(l, w);
    tamis_tree_visit(&l->tree, q, &s.v);
    w->leaves += s.v.leaves;
}

struct tie_visit { struct tamis_visitor v; const struct tamis_query *l; struct tamis_near_work *w; size_t i; };

static void tie_leaf(struct tamis_visitor *v, size_t leaf, const uint32_t *row, const double *d2)
{
    struct tie_visit *s = (struct tie_visit *)v;
    (void)leaf;
    for (size_t t = 0; t < TAMIS_LEAF; t++)
        if (d2[t] <= v->bound && row[t] != s->i && row[t] != UINT32_MAX)
            tamis_near_offer(s->l, s->w, 0, s->l->only, s->i, row[t]);
}

/* Row i under set l->only, whose tree this is. */
static void own_row(const struct tamis_query *l, struct tamis_near_work *w, size_t place, size_t i, double *q)
{
    size_t k = l->e->k, list = l->only * k;
    if (tamis_near_counted(l, l->only, i)) return;
    for (size_t t = list; t < list + k; t++) w->d2[t] = INFINITY, w->row[t] = UINT32_MAX;
    point_of(&l->tree, place, q);
    tamis_tree_nearest(&l->tree, q, (uint32_t)i, k, w->d2 + list, w->row + list, &w->leaves);
    if (!l->e->ties) return;
    struct tie_visit s = {{tie_leaf, w->d2[list] * l->slack, UINT32_MAX, 0}, l, w, i};
    w->d2[list] = INFINITY;
    tamis_tree_visit(&l->tree, q, &s.v);
}

typedef void row_walk(const struct tamis_query *l, struct tamis_near_work *w, size_t place, size_t i, double *q);
struct walk { struct tamis_query *l; row_walk *row; double *q; size_t dims; };

static int walk_block(void *arg, size_t item, int worker)
{
    struct walk *k = arg;
    struct tamis_query *l = k->l;
    size_t last = (item + 1) * GROUP * TAMIS_LEAF, all = l->tree.leaves * TAMIS_LEAF;
    for (size_t place = item * GROUP * TAMIS_LEAF; place < last && place < all; place++) {
        size_t i = l->tree.row[place];
        if (i == UINT32_MAX) continue;
        k->row(l, &l->work[worker], place, i, k->q + (size_t)worker * k->dims);
        tamis_near_end(l, &l->work[worker], 0, i);
    }
    return TAMIS_OK;
}

static int walk_all(struct tamis_query *l, row_walk *row)
{
    struct walk k = {l, row, NULL, (l->tree.dims + 8) / 8 * 8};
    k.q = tamis_raw(l->e->cx, double, (size_t)l->workers * k.dims);
    if (k.q) tamis_parallel(l->e->cx, (l->tree.leaves + GROUP - 1) / GROUP, walk_block, &k);
    tamis_free(k.q);
    return tamis_status(l->e->cx);
}

/* Some rows, to estimate the cost of all. */
static int walk_sample(struct tamis_query *l, row_walk *row, double *tried, double *leaves)
{
    double *q = tamis_raw(l->e->cx, double, l->tree.dims + 1);
    size_t places = l->tree.leaves * TAMIS_LEAF, done = 0;
    l->work[0].tried = l->work[0].leaves = 0;
    for (size_t k = 0; q && k < SAMPLE; k++) {
        size_t place = (2 * k + 1) * places / (2 * SAMPLE);
        if (l->tree.row[place] == UINT32_MAX) place = place / TAMIS_LEAF * TAMIS_LEAF;
        row(l, &l->work[0], place, l->tree.row[place], q);
        done++;
    }
    *tried = done ? (double)l->work[0].tried / (double)done : 0;
    *leaves = done ? (double)l->work[0].leaves / (double)done : 0;
    tamis_free(q);
    return tamis_status(l->e->cx);
}

static void *tree_make(struct tamis_query *l, const struct tamis_metric *m)
{
    void *memory = tamis_alloc(l->e->cx, tamis_tree_bytes(l->e->n, m->count), 1, 0);
    if (memory) tamis_tree_build(&l->tree, memory, l->e->n, l->e->z, l->e->columns, m);
    return memory;
}

/* The extras of all sets side by side, in the order of the tree's places. */
static int extras_pack(struct tamis_query *l)
{
    size_t places = l->tree.leaves * TAMIS_LEAF;
    l->packed = tamis_new(l->e->cx, float, places * l->stride);
    for (size_t p = 0; l->packed && p < places; p++) {
        uint32_t i = l->tree.row[p];
        if (i == UINT32_MAX) continue;
        for (size_t s = 0; s < l->sets; s++)
            if (l->set[s].extra.count) l->packed[p * l->stride + s] = l->extra[l->at[s]][l->place[i]];
    }
    return tamis_status(l->e->cx);
}

static double cost_shared(const struct tamis_query *l, double tried, double leaves)
{
    return leaves * (20 + 4 * (double)l->tree.dims) + tried * (8 + 0.3 * (double)l->stride);
}
static double cost_own(const struct tamis_query *l, double leaves) { return leaves * (40 + 6 * (double)l->tree.dims); }

/* *worth: whether the tree was walked; otherwise pairs cost less. */
int tamis_near_tree_own(struct tamis_query *l, size_t s, double allowed, int *worth)
{
    double tried, leaves;
    void *memory = tree_make(l, &l->set[s].all);
    if (!memory) return tamis_status(l->e->cx);
    l->only = s;
    int status = walk_sample(l, own_row, &tried, &leaves);
    *worth = cost_own(l, leaves) <= allowed;
    for (size_t t = 0; t < l->sets; t++) l->alive[t] = t == s;
    if (!status && *worth) status = walk_all(l, own_row);
    memset(l->alive, 1, l->sets);
    tamis_free(memory);
    return status;
}

int tamis_near_trees(struct tamis_query *l)
{
    int status = TAMIS_OK, worth;
    for (size_t s = 0; s < l->sets && !status; s++) status = tamis_near_tree_own(l, s, INFINITY, &worth);
    return status;
}

/* A tree per set pays if many rows are near in the common columns alone and the sets have few columns. */
int tamis_near_tree_shared(struct tamis_query *l, int *done)
{
    double tried, leaves;
    void *memory = tree_make(l, l->common);
    if (!memory || extras_pack(l)) {
        tamis_free(memory);
        return tamis_status(l->e->cx);
    }
    int status = walk_sample(l, shared_row, &tried, &leaves), route = l->e->route;
    double pairs = tamis_near_cost_pairs(l), shared = cost_shared(l, tried, leaves),
           own = l->common->count + 1 > 3 ? INFINITY : (double)l->sets * 2000;
    if (!route) route = shared <= pairs && shared <= own ? 2 : own < pairs ? 3 : 1;
    *done = route != 1;
    if (!status && route == 2) status = walk_all(l, shared_row);
    tamis_free(memory);
    if (!status && route == 3) status = tamis_near_trees(l);
    return status;
}

