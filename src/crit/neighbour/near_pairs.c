/* Neighbours by all pairs, filtered in single precision, 32 rows at a time. */
#include <math.h>
#include <string.h>
#include "base/parallel.h"
#include "crit/neighbour/near_inside.h"

enum { ROWS = TAMIS_NEAR_ROWS, TILE = TAMIS_NEAR_TILE, KEPT = TAMIS_NEAR_KEPT, ROUNDS = 8, SERIAL = 500000 };

typedef float floats __attribute__((vector_size(32), aligned(4)));
typedef int float_bits __attribute__((vector_size(32), aligned(4)));
typedef unsigned long long quads __attribute__((vector_size(32), aligned(4)));

/* Single-precision d2 of row i from rows j .. j + 31. */
#define DISTANCES_32(j) \
    floats s0 = {0}, s1 = {0}, s2 = {0}, s3 = {0}; \
    for (size_t c = 0; c < count; c++) { \
        const float *x = column[c] + (j); \
        floats own = column[c][i] - (floats){0}, e0, e1, e2, e3; \
        e0 = *(const floats *)x - own, e1 = *(const floats *)(x + 8) - own; \
        e2 = *(const floats *)(x + 16) - own, e3 = *(const floats *)(x + 24) - own; \
        s0 += e0 * e0, s1 += e1 * e1, s2 += e2 * e2, s3 += e3 * e3; \
    }

/* One bit for each of the 32 distances: whether it is within the limit. */
#define BIT(n) (int)(1u << (n))
#define BITS(n) \
    (float_bits){BIT(n), BIT(n + 1), BIT(n + 2), BIT(n + 3), BIT(n + 4), BIT(n + 5), BIT(n + 6), BIT(n + 7)}
#define WITHIN_32(limit) \
    quads bits = (quads)(((s0 <= (limit)) & BITS(0)) | ((s1 <= (limit)) & BITS(8)) | \
                         ((s2 <= (limit)) & BITS(16)) | ((s3 <= (limit)) & BITS(24))); \
    bits[0] |= bits[1] | bits[2] | bits[3]; \
    uint32_t mask = (uint32_t)(bits[0] | bits[0] >> 32);

/* The lesser of two nonnegative numbers, which compare like their bits. */
#define LESS(type, a, b) (((a) & (type)((a) < (b))) | ((b) & ~(type)((a) < (b))))

static inline float least_of(const float_bits *a)
{
    typedef int half __attribute__((vector_size(16)));
    half c, d;
    float least;
    memcpy(&c, a, sizeof c);
    memcpy(&d, (const char *)a + sizeof c, sizeof d);
    c = LESS(half, c, d);
    int e = c[0] < c[1] ? c[0] : c[1], f = c[2] < c[3] ? c[2] : c[3];
    e = e < f ? e : f;
    memcpy(&least, &e, sizeof least);
    return least;
}

/* near = d2 of place i from places from .. to - 1, times keep; low: the least of each 32 of them. from and to:
 * multiples of 32. */
TAMIS_CLONES
static void distances(size_t count, const float *const *column, size_t i, size_t from, size_t to, float keep,
                      float *restrict near, float *restrict low)
{
    for (size_t j = from; j < to; j += 32, near += 32, low++) {
        DISTANCES_32(j)
        s0 *= keep, s1 *= keep, s2 *= keep, s3 *= keep;
        *(floats *)near = s0, *(floats *)(near + 8) = s1, *(floats *)(near + 16) = s2, *(floats *)(near + 24) = s3;
        float_bits a = LESS(float_bits, (float_bits)s0, (float_bits)s1),
                   b = LESS(float_bits, (float_bits)s2, (float_bits)s3), least = LESS(float_bits, a, b);
        *low = least_of(&least);
    }
}

/* Which of the 32 blocks have a distance within the limit. */
TAMIS_CLONES
static uint32_t blocks_within(const float *low, float limit)
{
    floats s0 = *(const floats *)low, s1 = *(const floats *)(low + 8), s2 = *(const floats *)(low + 16),
           s3 = *(const floats *)(low + 24);
    WITHIN_32(limit)
    return mask;
}

/* Place i against those of a tile from `from` on, under one set. */
struct sieve {
    const struct tamis_query *l;
    size_t count, i, from;
    const float *const *column; /* its extras */
    float sign;                 /* 1: their terms are added to `near`; -1: subtracted */
    const float *near;
    float limit;
    float *kept;                /* upper bounds of the k smallest so far */
    uint32_t *hit;
    float *far;
    size_t n;
};

/* A place that passed the filter, at most d from i. */
static inline void hit_take(struct sieve *s, size_t j, float far, float d)
{
    size_t k = s->l->e->k, t = k;
    if (j == s->i) return;
    s->hit[s->n] = (uint32_t)j;
    s->far[s->n++] = far;
    if (k > KEPT || !(d < s->kept[k - 1])) return;
    while (--t && s->kept[t - 1] > d) s->kept[t] = s->kept[t - 1];
    s->kept[t] = d;
}

static inline void limit_lower(struct sieve *s)
{
    size_t k = s->l->e->k;
    float now = k > KEPT ? INFINITY : tamis_near_limit(s->l, tamis_near_limit(s->l, s->kept[k - 1]));
    if (now < s->limit) s->limit = now;
}

/* In the given blocks, the places j whose `near` plus (or minus) the terms of the extras is within the limit, which
 * falls along the way. */
TAMIS_CLONES
static void sieve(struct sieve *s, uint32_t blocks)
{
    size_t count = s->count, i = s->i;
    const float *const *column = s->column;
    float sign = s->sign, more = sign < 0 ? 2 * s->l->room : 0;
    for (; blocks; blocks &= blocks - 1) {
        size_t at = (size_t)__builtin_ctz(blocks) * 32, j = s->from + at;
        const float *near = s->near + at;
        DISTANCES_32(j)
        s0 = *(const floats *)near + sign * s0, s1 = *(const floats *)(near + 8) + sign * s1;
        s2 = *(const floats *)(near + 16) + sign * s2, s3 = *(const floats *)(near + 24) + sign * s3;
        WITHIN_32(s->limit)
        if (!mask) continue;
        float all[32];
        *(floats *)all = s0, *(floats *)(all + 8) = s1, *(floats *)(all + 16) = s2, *(floats *)(all + 24) = s3;
        for (; mask; mask &= mask - 1) {
            int t = __builtin_ctz(mask);
            hit_take(s, j + (size_t)t, all[t], all[t] + more * near[t]);
        }
        limit_lower(s);
    }
}

/* The block of p itself comes first, since it holds the likeliest neighbours. */
static void set_tile(const struct tamis_query *l, struct tamis_near_work *w, size_t r, size_t set, size_t p,
                     size_t from, size_t to, const float *low)
{
    const struct tamis_near *e = l->e;
    float *limit = &w->limit[r * l->stride + set], kept[KEPT];
    struct sieve s = {.l = l, .count = l->set[set].extra.count, .i = p, .from = from, .near = w->near};
    uint32_t all = UINT32_MAX >> (31 - (to - from - 1) / 32),
             own = p >= from && p < to ? (uint32_t)1 << (p - from) / 32 : 0;
    s.column = l->extra + l->at[set];
    s.sign = l->removals ? -1 : 1;
    s.limit = *limit;
    s.kept = kept, s.hit = w->hit, s.far = w->far;
    for (size_t t = 0; t < e->k && t < KEPT; t++) kept[t] = INFINITY;
    sieve(&s, own);
    sieve(&s, (l->removals ? all : blocks_within(low, s.limit)) & ~own);
    if (s.limit < *limit) *limit = s.limit;
    for (size_t h = 0; h < s.n; h++)
        if (s.far[h] <= *limit) tamis_near_offer(l, w, r, set, l->order[p], l->order[s.hit[h]]);
}

static void row_tile(const struct tamis_query *l, struct tamis_near_work *w, size_t r, size_t p, size_t from, size_t to)
{
    float low[TILE / 32];
    for (size_t b = (to - from) / 32; b < TILE / 32; b++) low[b] = INFINITY;
    distances(l->common->count, l->column, p, from, to, l->removals ? 1 - l->room : 1, w->near, low);
    for (size_t s = l->done; s < l->sets; s++)
        if (l->alive[s]) set_tile(l, w, r, s, p, from, to, low);
}

static void tiles(struct tamis_query *l, struct tamis_near_work *w, size_t first, size_t rows)
{
    size_t n = l->padded;
    for (size_t from = 0; from < n; from += TILE)
        for (size_t r = 0; r < rows; r++) row_tile(l, w, r, first + r, from, from + TILE < n ? from + TILE : n);
}

static int pairs_block(void *arg, size_t item, int worker)
{
    struct tamis_query *l = arg;
    struct tamis_near_work *w = &l->work[worker];
    size_t first = l->first + item * ROWS, rows = l->last - first < ROWS ? l->last - first : ROWS;
    for (size_t r = 0; r < rows; r++) tamis_near_begin(l, w, r, l->order[first + r]);
    tiles(l, w, first, rows);
    for (size_t r = 0; r < rows; r++) tamis_near_end(l, w, r, l->order[first + r]);
    return TAMIS_OK;
}

/* Drops the sets whose sum over the rows so far exceeds the bound. */
static void hopeless_drop(struct tamis_query *l, double bound)
{
    for (size_t s = l->done; s < l->sets; s++)
        if (tamis_fixed_value(tamis_near_total(l, s * l->e->width), l->e->unit[0]) > bound * l->e->total)
            l->alive[s] = 0;
}

/* Blocks of rows in parallel, or one after the other if starting workers would cost more than it saves. */
static int blocks_run(struct tamis_query *l, size_t blocks)
{
    double work = (double)(l->last - l->first) * (double)l->e->n * (double)(l->common->count + 4);
    int status = tamis_check_cancel(l->e->cx);
    if (work > SERIAL) return tamis_parallel(l->e->cx, blocks, pairs_block, l);
    for (size_t k = 0; k < blocks && !status; k++) status = pairs_block(l, k, 0);
    return status;
}

int tamis_near_pairs(struct tamis_query *l, double bound)
{
    size_t n = l->e->n, rounds = bound < INFINITY && n >= 256 * ROUNDS ? ROUNDS : 1;    /* few rows: in one round */
    if (tamis_near_floats(l)) return tamis_status(l->e->cx);
    for (size_t k = 0; k < rounds; k++) {
        l->first = k * n / rounds;
        l->last = (k + 1) * n / rounds;
        int status = blocks_run(l, (l->last - l->first + ROWS - 1) / ROWS);
        if (status) return status;
        if (bound < INFINITY) hopeless_drop(l, bound);
    }
    return TAMIS_OK;
}
