/* Neighbours by trees: one on the common columns, or one per set.
 *
 * The rows of a leaf share a list of the leaves that may hold a neighbour of one of them: those whose box is not
 * farther from its box than the neighbours that its home, the leaves around it, has for them. A row then compares
 * itself with the points of the listed leaves, in single precision, in all sets at once. With one neighbour the least
 * two distances of a set are kept, and only where rounding may hide which is less do exact ones decide; with more
 * neighbours, exact distances of all rows within the limit do. */
#include <math.h>
#include <string.h>
#include "base/parallel.h"
#include "crit/neighbour/near_inside.h"

enum { LEAF = TAMIS_LEAF, SAMPLE = 4, GROUP = 8, FEW = 32, HITS = FEW + LEAF, ROUNDS = 8 };

typedef float floats __attribute__((vector_size(32), aligned(4), may_alias));
typedef int float_bits __attribute__((vector_size(32), aligned(4), may_alias));
typedef unsigned long long quads __attribute__((vector_size(32), aligned(4), may_alias));

/* One walk over a tree: its sets are `lanes` from `first` on. */
struct walk {
    struct tamis_query *l;
    size_t first, lanes, from;  /* from: the block of leaves of item 0 */
    size_t dims, leaves, home;  /* home: how many leaves are the home of one, a power of two */
    int exact;                  /* exact distances of all rows within the limit */
    const float *point;         /* by leaf, dimension, place, as those of the tree, in units of shrink */
    const float *packed;        /* NULL: the distances in the tree are those of the one set */
    uint32_t *list;             /* per worker: leaves */
    float *gap;                 /* and how far their boxes are */
};

/* A row on its way: the `r`-th of its leaf, at `place`. */
struct row { size_t r, i; uint32_t place; float reach; };

/* ---- the points of leaves ---- */

/* Places at most `reach` from the point at own[0], own[LEAF], ..., and how far they are, of the leaves list[*at] ..
 * list[end - 1] whose gap is within reach; returns how many. Stops when they are FEW. */
TAMIS_CLONES
static size_t leaves_scan(size_t dims, const float *point, const float *own, const uint32_t *list, const float *gap,
                          size_t *at, size_t end, float reach, uint32_t *hit, float *near)
{
    static const float_bits low = {1, 2, 4, 8, 16, 32, 64, 128},
                            high = {256, 512, 1024, 2048, 4096, 8192, 16384, 32768};
    size_t n = 0, k = *at;
    for (; k < end && n < FEW; k++) {
        if (gap[k] > reach) continue;
        const float *p = point + list[k] * dims * LEAF;
        floats a = {0}, b = {0};
        for (size_t c = 0; c < dims; c++, p += LEAF) {
            floats x = *(const floats *)p - own[c * LEAF], y = *(const floats *)(p + 8) - own[c * LEAF];
            a += x * x, b += y * y;
        }
        quads bits = (quads)(((a <= reach) & low) | ((b <= reach) & high));
        bits[0] |= bits[1] | bits[2] | bits[3];
        uint32_t mask = (uint32_t)(bits[0] | bits[0] >> 32);
        if (!mask) continue;
        float all[LEAF];
        *(floats *)all = a, *(floats *)(all + 8) = b;
        for (; mask; mask &= mask - 1, n++) {
            uint32_t t = (uint32_t)__builtin_ctz(mask);
            hit[n] = list[k] * LEAF + t;
            near[n] = all[t];
        }
    }
    *at = k;
    return n;
}

/* ---- the least two distances of each set; nonnegative floats compare as their bits do ---- */

static inline int32_t bits_of(float x)
{
    int32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline float float_of(int32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* b where the bits of the mask are set, otherwise a. */
#define PICK(mask, a, b) (((b) & (mask)) | ((a) & ~(mask)))

/* Eight sets and a place: d from the row. */
#define KEEP(d, place, best, second, nearest) { \
        float_bits bits = (float_bits)(d), less = bits < best, more = PICK(less, bits, best), lesser = more < second; \
        best = PICK(less, best, bits); \
        second = PICK(lesser, second, more); \
        nearest = PICK(less, nearest, (place)); \
    }

/* Sixteen sets at a time. best -1: a set that takes none. */
TAMIS_CLONES
static void least_keep(size_t stride, const float *own, const float *packed, size_t n, const uint32_t *hit,
                       const float *near, int32_t *best, int32_t *second, int32_t *nearest)
{
    for (size_t s = 0; s < stride; s += 16, own += 16, packed += 16, best += 16, second += 16, nearest += 16) {
        float_bits best0 = *(const float_bits *)best, best1 = *(const float_bits *)(best + 8),
                   second0 = *(const float_bits *)second, second1 = *(const float_bits *)(second + 8),
                   nearest0 = *(const float_bits *)nearest, nearest1 = *(const float_bits *)(nearest + 8);
        floats own0 = *(const floats *)own, own1 = *(const floats *)(own + 8);
        for (size_t h = 0; h < n; h++) {
            const float *p = packed + hit[h] * stride;
            floats d0 = own0 - *(const floats *)p, d1 = own1 - *(const floats *)(p + 8);
            float_bits place = (int32_t)hit[h] - (float_bits){0};
            d0 = near[h] + d0 * d0, d1 = near[h] + d1 * d1;
            KEEP(d0, place, best0, second0, nearest0)
            KEEP(d1, place, best1, second1, nearest1)
        }
        *(float_bits *)best = best0, *(float_bits *)(best + 8) = best1;
        *(float_bits *)second = second0, *(float_bits *)(second + 8) = second1;
        *(float_bits *)nearest = nearest0, *(float_bits *)(nearest + 8) = nearest1;
    }
}

static void least_keep_one(size_t n, const uint32_t *hit, const float *near, int32_t *best, int32_t *second,
                           int32_t *nearest)
{
    for (size_t h = 0; h < n; h++) {
        int32_t d = bits_of(near[h]);
        if (d < *best) *second = *best, *best = d, *nearest = (int32_t)hit[h];
        else if (d < *second) *second = d;
    }
}

TAMIS_CLONES
static int32_t largest(size_t n, const int32_t *x)
{
    int32_t most = -1;
    for (size_t s = 0; s < n; s++) most = x[s] > most ? x[s] : most;
    return most;
}

/* Limits of the sets whose second distance may be the less, -1 for the others; whether there are any. slope, least: of
 * tamis_near_limit applied twice. */
TAMIS_CLONES
static int ties_find(size_t n, const int32_t *restrict best, const int32_t *restrict second, float slope, float least,
                     float *restrict limit)
{
    int any = 0;
    for (size_t s = 0; s < n; s++) {
        float b = float_of(best[s]), most = b * slope + least;
        int tied = b >= 0 && float_of(second[s]) <= most;
        limit[s] = tied ? most : -1;
        any |= tied;
    }
    return any;
}

/* ---- rows ---- */

static size_t width_of(const struct walk *k) { return k->packed ? k->l->stride : 1; }

static float twice_limited(const struct tamis_query *l, float d)
{
    return d < 0 ? -1 : tamis_near_limit(l, tamis_near_limit(l, d));
}

/* Which of the first `n` lanes take neighbours of row i. */
static int takes(const struct walk *k, size_t lane, size_t i)
{
    size_t s = k->first + lane;
    return lane < k->lanes && k->l->alive[s] && !tamis_near_counted(k->l, s, i);
}

static void row_begin(const struct walk *k, struct tamis_near_work *w, struct row *r)
{
    size_t width = width_of(k), at = r->r * k->l->stride;
    if (k->exact) {
        tamis_near_begin(k->l, w, r->r, r->i);
        if (!k->packed) w->limit[at] = w->limit[at + k->first];
    } else
        for (size_t s = at; s < at + width; s++) {
            w->best[s] = takes(k, s - at, r->i) ? bits_of(INFINITY) : bits_of(-1);
            w->second[s] = bits_of(INFINITY);
            w->nearest[s] = -1;
        }
    r->reach = FLT_MAX;
}

/* The sets for which near + (a - b)^2 is within the limit; returns how many. Most pairs are within none, which the
 * first pass finds out. */
TAMIS_CLONES
static size_t sets_within(size_t stride, const float *a, const float *b, float near, const float *limit, uint32_t *hit)
{
    size_t n = 0;
    float_bits any = {0};
    for (size_t s = 0; s < stride; s += 8) {
        floats difference = *(const floats *)(a + s) - *(const floats *)(b + s);
        any |= near + difference * difference <= *(const floats *)(limit + s);
    }
    quads h = (quads)any;
    if (!((h[0] | h[1]) | (h[2] | h[3]))) return 0;
    for (size_t s = 0; s < stride; s++) {
        hit[n] = (uint32_t)s;
        n += near + (a[s] - b[s]) * (a[s] - b[s]) <= limit[s];
    }
    return n;
}

/* Offers the row at a place to the lanes within whose limits it is; 1 if that lowered the limit of one. */
static int pair_offer(const struct walk *k, struct tamis_near_work *w, const struct row *r, uint32_t place, float near)
{
    const struct tamis_query *l = k->l;
    size_t stride = l->stride, n = near <= w->limit[r->r * stride];
    float *limit = w->limit + r->r * stride;
    int lowered = 0;
    w->hit[0] = 0;
    if (k->packed)
        n = sets_within(stride, k->packed + r->place * stride, k->packed + place * stride, near, limit, w->hit);
    for (size_t h = 0; h < n; h++) {
        size_t lane = w->hit[h], s = k->first + lane, last = (r->r * l->sets + s + 1) * l->e->k - 1;
        if (!tamis_near_offer(l, w, r->r, s, r->i, l->tree.row[place])) continue;
        float now = tamis_near_limit(l, w->d2[last] / (l->e->shrink * l->e->shrink));
        if (now < limit[lane]) limit[lane] = now, lowered = 1;
    }
    return lowered;
}

static void pairs_offer(const struct walk *k, struct tamis_near_work *w, struct row *r, size_t n, const uint32_t *hit,
                        const float *near)
{
    const float *limit = w->limit + r->r * k->l->stride;
    int lowered = 0;
    for (size_t h = 0; h < n; h++)
        if (hit[h] != r->place) lowered |= pair_offer(k, w, r, hit[h], near[h]);
    if (!lowered) return;
    r->reach = -1;
    for (size_t s = 0; s < width_of(k); s++) r->reach = limit[s] > r->reach ? limit[s] : r->reach;
}

static void pairs_keep(const struct walk *k, struct tamis_near_work *w, struct row *r, size_t n,
                       const uint32_t *hit, float *near)
{
    size_t stride = k->l->stride, at = r->r * stride;
    for (size_t h = 0; h < n; h++)
        if (hit[h] == r->place) near[h] = INFINITY;
    if (k->packed)
        least_keep(stride, k->packed + r->place * stride, k->packed, n, hit, near, w->best + at,
                   w->second + at, w->nearest + at);
    else least_keep_one(n, hit, near, w->best + at, w->second + at, w->nearest + at);
    r->reach = twice_limited(k->l, float_of(largest(width_of(k), w->best + at)));
}

/* Compares a row with the points of the leaves in the list. */
static void row_scan(const struct walk *k, struct tamis_near_work *w, struct row *r, int exact, const uint32_t *list,
                     const float *gap, size_t end)
{
    uint32_t hit[HITS];
    float near[HITS];
    const float *own = k->point + r->place / LEAF * k->dims * LEAF + r->place % LEAF;
    for (size_t at = 0; at < end && r->reach >= 0;) {
        size_t n = leaves_scan(k->dims, k->point, own, list, gap, &at, end, r->reach, hit, near);
        if (n && exact) pairs_offer(k, w, r, n, hit, near);
        else if (n) pairs_keep(k, w, r, n, hit, near);
        w->tried += n;
    }
    w->leaves += end;
}

/* Exact distances decide in the sets with more than one row that may be the nearest. */
static int ties_decide(const struct walk *k, struct tamis_near_work *w, struct row *r, const uint32_t *list,
                       const float *gap, size_t end)
{
    const struct tamis_query *l = k->l;
    size_t at = r->r * l->stride, width = width_of(k);
    float *limit = w->limit + at;
    double slope = l->more * l->more * (1 + 0x1p-20), least = (l->more + 1) * l->least * (1 + 0x1p-20);
    if (!ties_find(width, w->best + at, w->second + at, (float)slope, (float)least, limit)) return 0;
    r->reach = -1;
    for (size_t s = 0; s < width; s++) {
        if (limit[s] < 0) continue;
        w->d2[r->r * l->sets + k->first + s] = INFINITY;
        w->row[r->r * l->sets + k->first + s] = UINT32_MAX;
        r->reach = limit[s] > r->reach ? limit[s] : r->reach;
    }
    row_scan(k, w, r, 1, list, gap, end);
    return 1;
}

static void nearest_end(const struct walk *k, struct tamis_near_work *w, const struct row *r, size_t lane)
{
    const struct tamis_query *l = k->l;
    size_t s = k->first + lane, list = r->r * l->sets + s;
    uint32_t j = l->tree.row[w->nearest[r->r * l->stride + lane]];
    if (l->e->ties) {
        tamis_near_end_single(l, w, s, r->i, j);
        return;
    }
    w->row[list] = j;
    w->d2[list] = tamis_metric_d2(&l->set[s].all, tamis_near_z(l, r->i), tamis_near_z(l, j));
    tamis_near_end_set(l, w, r->r, s, r->i);
}

static void row_end(const struct walk *k, struct tamis_near_work *w, struct row *r, const uint32_t *list,
                    const float *gap, size_t end)
{
    size_t at = r->r * k->l->stride;
    int ties = !k->exact && ties_decide(k, w, r, list, gap, end);
    for (size_t lane = 0; lane < k->lanes; lane++) {
        if (!takes(k, lane, r->i)) continue;
        if (k->exact || (ties && w->limit[at + lane] >= 0)) tamis_near_end_set(k->l, w, r->r, k->first + lane, r->i);
        else nearest_end(k, w, r, lane);
    }
}

/* ---- leaves ---- */

/* Squared distance of two boxes. */
static double box_gap(const double *a, const double *b, size_t dims)
{
    double sum = 0;
    for (size_t c = 0; c < 2 * dims; c += 2) {
        double below = a[c] - b[c + 1], above = b[c] - a[c + 1], out = below > above ? below : above;
        sum += out > 0 ? out * out : 0;
    }
    return sum;
}

/* Appends the leaves outside the home at most `reach` from a leaf, nearer halves of the tree first; returns the end. */
static size_t leaves_list(const struct walk *k, size_t leaf, float reach, size_t n, uint32_t *list, float *gap)
{
    const struct tamis_tree *t = &k->l->tree;
    struct { size_t node; double d2; } stack[64];
    double unit = k->l->e->shrink * k->l->e->shrink, most = (double)reach * unit * k->l->slack;
    const double *own = t->box + (t->leaves + leaf) * 2 * k->dims;
    size_t top = 0, home = (t->leaves + leaf) / k->home;
    stack[top].node = 1;
    stack[top++].d2 = 0;
    while (top) {
        size_t node = stack[--top].node;
        double d2 = stack[top].d2;
        if (d2 > most || node == home) continue;
        if (node >= t->leaves) {
            list[n] = (uint32_t)(node - t->leaves);
            gap[n++] = (float)(d2 / unit);
            continue;
        }
        double a = box_gap(t->box + 4 * node * k->dims, own, k->dims),
               b = box_gap(t->box + (4 * node + 2) * k->dims, own, k->dims);
        size_t first = b < a;
        stack[top].node = 2 * node + 1 - first;         /* the farther one waits */
        stack[top++].d2 = first ? a : b;
        stack[top].node = 2 * node + first;
        stack[top++].d2 = first ? b : a;
    }
    return n;
}

static size_t home_list(const struct walk *k, size_t leaf, uint32_t *list, float *gap)
{
    size_t n = 0, begin = leaf / k->home * k->home;
    for (size_t h = begin; h < begin + k->home; h++) {
        if (h == leaf) continue;
        list[n] = (uint32_t)h;
        gap[n++] = 0;
    }
    list[n] = list[0], gap[n] = 0;
    list[0] = (uint32_t)leaf;
    return n + 1;
}

/* Fills row[]: the rows of a leaf that some lane needs. */
static size_t leaf_rows(const struct walk *k, size_t leaf, struct row *row)
{
    size_t n = 0;
    for (size_t t = 0; t < LEAF; t++) {
        uint32_t i = k->l->tree.row[leaf * LEAF + t];
        size_t lane = 0;
        while (i != UINT32_MAX && lane < k->lanes && !takes(k, lane, i)) lane++;
        if (i == UINT32_MAX || lane == k->lanes) continue;
        row[n] = (struct row){n, i, (uint32_t)(leaf * LEAF + t), 0};
        n++;
    }
    return n;
}

/* end 0: to estimate the cost. */
static void leaf_walk(const struct walk *k, int worker, size_t leaf, int end)
{
    struct tamis_near_work *w = &k->l->work[worker];
    uint32_t *list = k->list + (size_t)worker * k->leaves;
    float *gap = k->gap + (size_t)worker * k->leaves, reach = -1;
    struct row row[LEAF];
    size_t rows = leaf_rows(k, leaf, row), home = rows ? home_list(k, leaf, list, gap) : 0, all;
    for (size_t r = 0; r < rows; r++) {
        row_begin(k, w, &row[r]);
        row_scan(k, w, &row[r], k->exact, list, gap, home);
        reach = row[r].reach > reach ? row[r].reach : reach;
    }
    all = rows ? leaves_list(k, leaf, reach, home, list, gap) : 0;
    for (size_t r = 0; r < rows; r++) {
        row_scan(k, w, &row[r], k->exact, list + home, gap + home, all - home);
        if (end) row_end(k, w, &row[r], list, gap, all);
    }
}

static int walk_block(void *arg, size_t item, int worker)
{
    const struct walk *k = arg;
    size_t from = (k->from + item) * GROUP;
    for (size_t leaf = from; leaf < from + GROUP && leaf < k->leaves; leaf++) leaf_walk(k, worker, leaf, 1);
    return TAMIS_OK;
}

/* ---- walks ---- */

static int several_columns(const struct tamis_query *l)
{
    for (size_t s = 0; s < l->sets; s++)
        if (l->set[s].extra.count > 1) return 1;
    return 0;
}

static size_t home_size(const struct tamis_query *l)
{
    size_t home = 1, leaves = l->tree.leaves;
    while (home < leaves && home * (l->e->n / leaves) <= l->e->k) home *= 2;
    return home;
}

static void walk_free(struct walk *k)
{
    tamis_free((void *)k->point);
    tamis_free((void *)k->packed);
    tamis_free(k->list);
    tamis_free(k->gap);
}

/* Over l->tree. */
static int walk_make(struct tamis_query *l, struct walk *k)
{
    const struct tamis_tree *t = &l->tree;
    size_t points = t->leaves * LEAF * t->dims;
    float *p = tamis_raw(l->e->cx, float, points);
    for (size_t c = 0; p && c < points; c++) p[c] = (float)(t->point[c] / l->e->shrink);
    k->l = l;
    k->point = p;
    k->dims = t->dims;
    k->leaves = t->leaves;
    k->home = home_size(l);
    k->list = tamis_raw(l->e->cx, uint32_t, (size_t)l->workers * t->leaves);
    k->gap = tamis_raw(l->e->cx, float, (size_t)l->workers * t->leaves);
    return tamis_status(l->e->cx) || !k->exact ? tamis_status(l->e->cx) : tamis_near_floats(l);
}

static void *tree_make(struct tamis_query *l, const struct tamis_metric *m)
{
    void *memory = tamis_alloc(l->e->cx, tamis_tree_bytes(l->e->n, m->count), 1, 0);
    if (memory) tamis_tree_build(&l->tree, memory, l->e->n, l->e->z, l->e->columns, m);
    return memory;
}

/* The extras of all sets side by side, in the order of the tree's places. */
static int extras_pack(struct walk *k)
{
    const struct tamis_query *l = k->l;
    float *p = tamis_new(l->e->cx, float, k->leaves * LEAF * l->stride);
    k->packed = p;
    for (size_t place = 0; p && place < k->leaves * LEAF; place++, p += l->stride) {
        uint32_t i = l->tree.row[place];
        if (i == UINT32_MAX) continue;
        const double *z = tamis_near_z(l, i);
        for (size_t s = 0; s < l->sets; s++) {
            const struct tamis_metric *m = &l->set[s].extra;
            if (m->count) p[s] = (float)(m->weight[0] / l->e->shrink * z[m->column[0]]);
        }
    }
    return tamis_status(l->e->cx);
}

/* By which some leaves estimate the cost of a row: places tried, and leaves compared. */
static void walk_sample(const struct walk *k, double *tried, double *leaves)
{
    struct tamis_near_work *w = &k->l->work[0];
    size_t last = SIZE_MAX, rows = 0;
    w->tried = w->leaves = 0;
    for (size_t t = 0; t < SAMPLE; t++) {
        size_t leaf = (2 * t + 1) * k->leaves / (2 * SAMPLE);
        struct row row[LEAF];
        if (leaf == last) continue;
        rows += leaf_rows(k, leaf, row);
        leaf_walk(k, 0, leaf, 0);
        last = leaf;
    }
    *tried = rows ? (double)w->tried / (double)rows : 0;
    *leaves = rows ? (double)w->leaves / (double)rows : 0;
}

/* Nanoseconds per row. */
static double cost_of(const struct walk *k, double tried, double leaves)
{
    return 100 + leaves * (4 + 1.5 * (double)k->dims) + tried * (2 + 0.3 * (double)width_of(k));
}

/* All leaves, in rounds: a single set ends when its sum exceeds the bound. */
static int walk_all(struct walk *k, double bound)
{
    struct tamis_query *l = k->l;
    size_t blocks = (k->leaves + GROUP - 1) / GROUP, rounds = bound < INFINITY && blocks >= 2 * ROUNDS ? ROUNDS : 1;
    for (size_t t = 0; t < rounds; t++) {
        k->from = t * blocks / rounds;
        int status = tamis_parallel(l->e->cx, (t + 1) * blocks / rounds - k->from, walk_block, k);
        if (status) return status;
        double sum = tamis_fixed_value(tamis_near_total(l, k->first * l->e->width), l->e->unit[0]);
        if (!(sum > bound * l->e->total)) continue;
        l->alive[k->first] = 0;
        return TAMIS_OK;
    }
    return TAMIS_OK;
}

/* *worth: whether the tree was walked; otherwise pairs cost less. */
int tamis_near_tree_own(struct tamis_query *l, size_t s, double allowed, double bound, int *worth)
{
    struct walk k = {.first = s, .lanes = 1, .exact = l->e->k > 1};
    double tried, leaves;
    void *memory = tree_make(l, &l->set[s].all);
    int status = memory ? walk_make(l, &k) : tamis_status(l->e->cx);
    if (!status) {
        walk_sample(&k, &tried, &leaves);
        *worth = cost_of(&k, tried, leaves) <= allowed;
        if (*worth) status = walk_all(&k, bound);
    }
    walk_free(&k);
    tamis_free(memory);
    return status;
}

int tamis_near_trees(struct tamis_query *l)
{
    int status = TAMIS_OK, worth;
    for (size_t s = 0; s < l->sets && !status; s++) status = tamis_near_tree_own(l, s, INFINITY, INFINITY, &worth);
    return status;
}

/* A tree per set pays if many rows are near in the common columns alone and the sets have few columns. */
int tamis_near_tree_shared(struct tamis_query *l, int *done)
{
    struct walk k = {.lanes = l->sets, .exact = l->e->k > 1 || several_columns(l)};
    double tried, leaves;
    void *memory = tree_make(l, l->common);
    int status = memory && !walk_make(l, &k) ? extras_pack(&k) : tamis_status(l->e->cx), route = l->e->route;
    if (!status) {
        walk_sample(&k, &tried, &leaves);
        double pairs = tamis_near_cost_pairs(l), shared = cost_of(&k, tried, leaves),
               own = l->common->count + 1 > 3 ? INFINITY : (double)l->sets * 1000;
        if (!route) route = shared <= pairs && shared <= own ? 2 : own < pairs ? 3 : 1;
        *done = route != 1;
        if (route == 2) status = walk_all(&k, INFINITY);
    }
    walk_free(&k);
    tamis_free(memory);
    return !status && route == 3 ? tamis_near_trees(l) : status;
}
