#include "num/kdtree.h"

#include <math.h>
#include <string.h>
#include "base/base.h"
#include "num/exact.h"

static size_t leaf_count(size_t n)
{
    size_t leaves = 1;
    while (leaves * TAMIS_LEAF < n) leaves *= 2;
    return leaves;
}

size_t tamis_tree_bytes(size_t n, size_t dims)
{
    size_t leaves = leaf_count(n);
    return 8 * (leaves * TAMIS_LEAF * dims + 4 * leaves * dims + leaves * TAMIS_LEAF / 2 + leaves + 2 + n * (dims + 1));
}

/* ---- building: records of dims coordinates and the row, as a double ---- */

static void swap_records(double *a, double *b, size_t width)
{
    for (size_t c = 0; c < width; c++) {
        double t = a[c];
        a[c] = b[c];
        b[c] = t;
    }
}

static double median_of_three(double a, double b, double c)
{
    if (a > b) { double t = a; a = b; b = t; }
    return c < a ? a : c > b ? b : c;
}

/* Reorders the records: those before `k` are not larger in dimension c, and those from k on not smaller. */
static void select_record(double *r, size_t width, size_t n, size_t k, size_t c)
{
    size_t lo = 0, hi = n;
    while (hi - lo > 1) {
        double pivot = median_of_three(r[lo * width + c], r[(lo + (hi - lo) / 2) * width + c], r[(hi - 1) * width + c]);
        size_t i = lo, j = hi - 1;
        for (;;) {
            while (r[i * width + c] < pivot) i++;
            while (r[j * width + c] > pivot) j--;
            if (i >= j) break;
            swap_records(r + i * width, r + j * width, width);
            i++, j--;
        }
        size_t split = j + 1;                           /* [lo, split) <= pivot <= [split, hi) */
        if (split == hi) split--;
        if (k == split) return;
        if (k < split) hi = split;
        else lo = split;
    }
}

static size_t widest(const double *box, size_t dims)
{
    size_t best = 0;
    for (size_t c = 1; c < dims; c++)
        if (box[2 * c + 1] - box[2 * c] > box[2 * best + 1] - box[2 * best]) best = c;
    return best;
}

static void box_fill(struct tamis_tree *t, size_t node, const double *r, size_t n)
{
    size_t width = t->dims + 1;
    double *box = t->box + node * 2 * t->dims;
    uint32_t least = UINT32_MAX;
    for (size_t c = 0; c < t->dims; c++) box[2 * c] = INFINITY, box[2 * c + 1] = -INFINITY;
    for (size_t i = 0; i < n; i++, r += width) {
        for (size_t c = 0; c < t->dims; c++) {
            if (r[c] < box[2 * c]) box[2 * c] = r[c];
            if (r[c] > box[2 * c + 1]) box[2 * c + 1] = r[c];
        }
        if ((uint32_t)r[t->dims] < least) least = (uint32_t)r[t->dims];
    }
    t->least[node] = least;
}

static void leaf_fill(struct tamis_tree *t, size_t leaf, const double *r, size_t n)
{
    double *p = t->point + leaf * t->dims * TAMIS_LEAF;
    uint32_t *row = t->row + leaf * TAMIS_LEAF;
    for (size_t i = 0; i < TAMIS_LEAF; i++) {
        row[i] = i < n ? (uint32_t)r[i * (t->dims + 1) + t->dims] : UINT32_MAX;
        for (size_t c = 0; c < t->dims; c++) p[c * TAMIS_LEAF + i] = i < n ? r[i * (t->dims + 1) + c] : INFINITY;
    }
}

/* The node over the leaves from..to - 1, whose records start at r + (from n / leaves) width. */
static void node_build(struct tamis_tree *t, size_t node, size_t from, size_t to, double *r)
{
    size_t width = t->dims + 1, lo = from * t->n / t->leaves, hi = to * t->n / t->leaves,
           middle = from + (to - from) / 2, at = middle * t->n / t->leaves;
    box_fill(t, node, r + lo * width, hi - lo);
    if (to - from == 1) {
        leaf_fill(t, from, r + lo * width, hi - lo);
        return;
    }
    if (t->dims && at > lo && at < hi)
        select_record(r + lo * width, width, hi - lo, at - lo, widest(t->box + node * 2 * t->dims, t->dims));
    node_build(t, 2 * node, from, middle, r);
    node_build(t, 2 * node + 1, middle, to, r);
}

void tamis_tree_build(struct tamis_tree *t, void *memory, size_t n, const double *z, size_t columns,
                      const struct tamis_metric *m)
{
    size_t leaves = leaf_count(n), dims = m->count;
    double *at = memory;
    *t = (struct tamis_tree){.n = n, .dims = dims, .leaves = leaves};
    t->point = at;
    t->box = at + leaves * TAMIS_LEAF * dims;
    at = t->box + 4 * leaves * dims;
    t->row = (uint32_t *)at;
    t->least = (uint32_t *)(at + leaves * TAMIS_LEAF / 2);
    double *record = at + leaves * TAMIS_LEAF / 2 + leaves + 1;
    for (size_t i = 0; i < n; i++) {
        for (size_t c = 0; c < dims; c++) record[i * (dims + 1) + c] = m->weight[c] * z[i * columns + m->column[c]];
        record[i * (dims + 1) + dims] = (double)i;
    }
    node_build(t, 1, 0, leaves, record);
}

/* ---- visiting ---- */

/* The d2 of a leaf's places from q, each rounded as by tamis_metric_d2. */
TAMIS_CLONES TAMIS_EXACT
static void leaf_distances(size_t dims, const double *restrict p, const double *restrict q, double *restrict d2)
{
    for (size_t i = 0; i < TAMIS_LEAF; i++) d2[i] = 0;
    for (size_t c = 0; c < dims; c++, p += TAMIS_LEAF)
        for (size_t i = 0; i < TAMIS_LEAF; i++) {
            double difference = q[c] - p[i], square = difference * difference;
            d2[i] += square;
        }
}

static double box_distance(const double *box, const double *q, size_t dims)
{
    double sum = 0;
    for (size_t c = 0; c < dims; c++) {
        double below = box[2 * c] - q[c], above = q[c] - box[2 * c + 1], out = below > above ? below : above;
        sum += out > 0 ? out * out : 0;
    }
    return sum;
}

void tamis_tree_visit(const struct tamis_tree *t, const double *q, struct tamis_visitor *v)
{
    struct { size_t node; double d2; } stack[64];
    size_t top = 0;
    double d2[TAMIS_LEAF];
    stack[top].node = 1;
    stack[top++].d2 = box_distance(t->box + 2 * t->dims, q, t->dims);
    while (top) {
        size_t node = stack[--top].node;
        if (stack[top].d2 > v->bound || (v->bound == 0 && t->least[node] >= v->last)) continue;
        if (node >= t->leaves) {
            size_t leaf = node - t->leaves;
            leaf_distances(t->dims, t->point + leaf * t->dims * TAMIS_LEAF, q, d2);
            v->leaves++;
            v->leaf(v, leaf, t->row + leaf * TAMIS_LEAF, d2);
            continue;
        }
        double a = box_distance(t->box + 4 * node * t->dims, q, t->dims),
               b = box_distance(t->box + (4 * node + 2) * t->dims, q, t->dims);
        int first = a < b || (a == b && t->least[2 * node] <= t->least[2 * node + 1]) ? 0 : 1;
        stack[top].node = 2 * node + 1 - (size_t)first;         /* the farther one waits */
        stack[top++].d2 = first ? a : b;
        stack[top].node = 2 * node + (size_t)first;
        stack[top++].d2 = first ? b : a;
    }
}

struct nearest { struct tamis_visitor v; size_t k; double slack, *d2; uint32_t *row, self; };

static void bound_set(struct nearest *s)
{
    s->v.bound = s->d2[s->k - 1] * s->slack;
    s->v.last = s->row[s->k - 1];
}

static void nearest_leaf(struct tamis_visitor *v, size_t leaf, const uint32_t *row, const double *d2)
{
    struct nearest *s = (struct nearest *)v;
    int changed = 0;
    (void)leaf;
    for (size_t i = 0; i < TAMIS_LEAF; i++)
        if (d2[i] <= s->d2[s->k - 1] && row[i] != s->self && row[i] != UINT32_MAX)
            changed |= tamis_nearest_insert(s->k, s->d2, s->row, d2[i], row[i]);
    if (changed) bound_set(s);
}

void tamis_tree_nearest(const struct tamis_tree *t, const double *q, uint32_t self, size_t k, double *d2, uint32_t *row,
                        size_t *leaves)
{
    struct nearest s = {{nearest_leaf, 0, 0, 0}, k, tamis_metric_slack(t->dims), d2, row, self};
    bound_set(&s);
    tamis_tree_visit(t, q, &s.v);
    if (leaves) *leaves += s.v.leaves;
}
