/* Nearest neighbours of all rows under many sets.
 *
 *     d2_S(i, j) = sum over c in S of (w_c z_ic - w_c z_jc)^2
 *
 * Additions. d2_(S+k) >= d2_S, so a pair (i, j) matters to some set S + k only if d2_S(i, j) <= T_i, T_i the largest over the sets of the
 * distance to the k-th neighbour found so far. Pairs are filtered by d2_S in single precision, many j at a time; what is left is looked at
 * in double precision, many sets at a time; and what may enter a list is decided by tamis_metric_d2.
 * Removals. d2_(S-k) = d2_S - t_k in exact arithmetic: single precision, with room for what the subtraction may lose, filters; the
 * decision is again by tamis_metric_d2 over the columns that are left, so no residue of a removed column breaks a tie.
 * Filter: with |z_f - z| <= 2^-24 span_c in each coordinate, |d_f - d| <= E = sqrt(sum (2^-23 w_c span_c)^2), and the sum itself is off by
 * a relative (columns + 3) 2^-24 at most: d2 <= T implies d2_f <= (sqrt(T) + E)^2 (1 + (columns + 8) 2^-22). */
#include <float.h>
#include <math.h>
#include <string.h>
#include "base/parallel.h"
#include "crit/near.h"
#include "num/kdtree.h"

enum { ROWS = 16, TILE = 512, LANES = 4, REMEMBER = 65536, SMALL = 200, SAMPLE = 16, ROUNDS = 8, GROUP = 8, SERIAL = 500000 };

/* ---- what stays ---- */

void tamis_near_finish(struct tamis_near *e)
{
    tamis_free(e->z);
    tamis_free(e->f);
    tamis_free(e->span);
    tamis_free(e->seed);
}

static double power_above(double x)
{
    int exponent = 0;
    frexp(x, &exponent);
    return ldexp(1, exponent);
}

static void copies_fill(struct tamis_near *e, const double *x)
{
    double most = 0, unit = 1;
    for (size_t i = 0; i < e->n * e->columns; i++) most = fmax(most, fabs(x[i]));
    if (most > 0x1p480) unit = power_above(most) * 0x1p-480;
    else if (most > 0 && most < 0x1p-400) unit = power_above(most);
    e->most = most / unit;
    e->shrink = most > 0 ? power_above(e->most) : 1;
    for (size_t c = 0; c < e->columns; c++) {
        e->span[c] = 0;
        for (size_t i = 0; i < e->n; i++) {
            double z = x[i + e->n * c] / unit;
            e->z[i * e->columns + c] = z;
            e->f[i + e->n * c] = (float)(z / e->shrink);
            e->span[c] = fmax(e->span[c], fabs(z));
        }
    }
}

/* Neighbours are kept for the next look when pairs are the likely way and memory is no matter. */
static int remembered(double n, double k, double slots) { return n <= REMEMBER && n * k * slots <= 0x1p25; }

int tamis_near_start(struct tamis_near *e, tamis_context *cx, const struct tamis_design *d, size_t k, size_t slots)
{
    e->cx = cx;
    e->n = d->rows;
    e->columns = d->columns;
    e->k = k < d->rows - 1 ? k : d->rows - 1;
    e->slots = remembered((double)d->rows, (double)e->k, (double)slots) ? slots : 0;
    e->z = tamis_raw(cx, double, e->n * e->columns);
    e->f = tamis_raw(cx, float, e->n * e->columns);
    e->span = tamis_raw(cx, double, e->columns);
    e->seed = tamis_raw(cx, uint32_t, e->n * e->slots * e->k);
    if (tamis_status(cx)) return tamis_status(cx);
    copies_fill(e, d->x);
    memset(e->seed, 0xff, e->n * e->slots * e->k * sizeof *e->seed);
    return TAMIS_OK;
}

/* Copies, seeds, extras side by side, and a tree of ten columns with the records that it is built from. */
double tamis_near_bytes(double n, double columns, double k, double slots)
{
    return 12 * n * columns + (remembered(n, k, slots) ? 4 * n * k * slots : 0) + 16 * n * (columns + 8) + 8 * n * 36;
}

/* ---- one look ---- */

struct work {                   /* one a worker */
    double *worst;              /* ROWS x stride: (1 + slack) d2 of the k-th of each set, negative where no set is */
    double *d2;                 /* ROWS x sets x k */
    uint32_t *row;
    double reach[ROWS];         /* largest of worst */
    tamis_fixed *sum;           /* sets x width */
    tamis_fixed *tie;           /* ROWS x sets */
    uint32_t *ties;
    uint32_t *hit;              /* TILE, and stride */
    float *near;                /* TILE */
    size_t looked, leaves;      /* sampled costs */
};

struct look {
    struct tamis_near *e;
    const struct tamis_metric *common;
    const struct tamis_near_set *set;
    size_t sets, stride, from, first, last;     /* rows of this round */
    double slack, error;        /* error: E, in the common columns */
    double *packed;             /* places x stride: the first extra column of each set */
    const float **column;       /* the common columns, weighted */
    float *weighted;
    int removals;
    const float **taken;        /* removals: the columns of each set's extra, weighted */
    unsigned char *alive;
    struct work *work;
    int workers, tie_round;
    struct tamis_tree tree;
    size_t only;                /* a tree a set: which */
};

static void work_free(struct work *w)
{
    tamis_free(w->worst);
    tamis_free(w->d2);
    tamis_free(w->row);
    tamis_free(w->sum);
    tamis_free(w->tie);
    tamis_free(w->ties);
    tamis_free(w->hit);
    tamis_free(w->near);
}

static void work_make(struct look *l, struct work *w)
{
    tamis_context *cx = l->e->cx;
    w->worst = tamis_raw(cx, double, ROWS * l->stride);
    w->d2 = tamis_raw(cx, double, ROWS * l->sets * l->e->k);
    w->row = tamis_raw(cx, uint32_t, ROWS * l->sets * l->e->k);
    w->sum = tamis_new(cx, tamis_fixed, l->sets * l->e->width);
    w->tie = tamis_raw(cx, tamis_fixed, l->e->ties ? ROWS * l->sets : 0);
    w->ties = tamis_raw(cx, uint32_t, l->e->ties ? ROWS * l->sets : 0);
    w->hit = tamis_raw(cx, uint32_t, TILE + l->stride);
    w->near = tamis_raw(cx, float, TILE);
}

static void look_free(struct look *l)
{
    for (int t = 0; l->work && t < l->workers; t++) work_free(&l->work[t]);
    tamis_free(l->work);
    tamis_free(l->packed);
    tamis_free(l->column);
    tamis_free(l->weighted);
    tamis_free(l->taken);
    tamis_free(l->alive);
}

/* Pointers to the columns of m in single precision, weighted into l->weighted where a weight is not 1; *used columns of it are taken. */
static void columns_point(struct look *l, const struct tamis_metric *m, const float **at, size_t *used)
{
    const struct tamis_near *e = l->e;
    for (size_t c = 0; c < m->count; c++) {
        at[c] = e->f + e->n * m->column[c];
        if (m->weight[c] == 1) continue;
        float *w = l->weighted + e->n * (*used)++;
        for (size_t i = 0; i < e->n; i++) w[i] = (float)(m->weight[c] * e->z[i * e->columns + m->column[c]] / e->shrink);
        at[c] = w;
    }
}

static int look_make(struct look *l, int removals)
{
    tamis_context *cx = l->e->cx;
    l->removals = removals;
    size_t most = l->common->count, used = 0, at = 0;
    l->stride = (l->sets + LANES - 1) / LANES * LANES;
    l->slack = tamis_metric_slack(l->common->count + l->e->columns);
    for (size_t c = 0; c < l->common->count; c++) l->error += pow(0x1p-23 * l->common->weight[c] * (l->e->span[l->common->column[c]] / l->e->shrink), 2);
    l->error = sqrt(l->error);
    l->workers = tamis_threads(cx);
    l->work = tamis_new(cx, struct work, (size_t)l->workers);
    l->alive = tamis_new(cx, unsigned char, l->sets);
    l->column = tamis_new(cx, const float *, most);
    for (size_t s = 0; s < l->sets; s++) most += removals ? l->set[s].extra.count : 0;
    l->taken = tamis_new(cx, const float *, removals ? most : 0);
    size_t unweighted = 0;
    for (size_t c = 0; c < l->common->count; c++) unweighted += l->common->weight[c] == 1;
    l->weighted = unweighted == l->common->count ? NULL : tamis_raw(cx, float, l->e->n * most);
    for (int t = 0; l->work && t < l->workers; t++) work_make(l, &l->work[t]);
    if (tamis_status(cx)) return tamis_status(cx);
    memset(l->alive, 1, l->sets);
    columns_point(l, l->common, l->column, &used);
    for (size_t s = 0; removals && s < l->sets; at += l->set[s++].extra.count) columns_point(l, &l->set[s].extra, l->taken + at, &used);
    return TAMIS_OK;
}

/* ---- the lists of a row ---- */

static const double *z_of(const struct look *l, size_t row) { return l->e->z + row * l->e->columns; }

static void reach_update(const struct look *l, struct work *w, size_t r)
{
    double most = -1;
    for (size_t s = 0; s < l->sets; s++) most = w->worst[r * l->stride + s] > most ? w->worst[r * l->stride + s] : most;
    w->reach[r] = most;
}

static void lists_clear(const struct look *l, struct work *w, size_t r)
{
    size_t k = l->e->k;
    for (size_t s = 0; s < l->stride; s++) w->worst[r * l->stride + s] = s < l->sets && l->alive[s] ? INFINITY : -1;
    for (size_t i = r * l->sets * k; i < (r + 1) * l->sets * k; i++) w->d2[i] = INFINITY, w->row[i] = UINT32_MAX;
    w->reach[r] = INFINITY;
}

/* Row j for the list of set s of row i; the distance decides. */
static void offer(const struct look *l, struct work *w, size_t r, size_t s, size_t i, size_t j)
{
    size_t k = l->e->k, list = (r * l->sets + s) * k;
    double d = tamis_metric_d2(&l->set[s].all, z_of(l, i), z_of(l, j)), term;
    uint32_t row = (uint32_t)j;
    if (l->tie_round) {
        if (d != w->d2[list]) return;
        l->e->tally(l->e->arg, i, &row, &d, &term);
        tamis_fixed_add(&w->tie[r * l->sets + s], term, l->e->unit[0]);
        w->ties[r * l->sets + s]++;
    } else if (tamis_nearest_insert(k, w->d2 + list, w->row + list, d, row)) w->worst[r * l->stride + s] = w->d2[list + k - 1] * l->slack;
}

typedef double lanes __attribute__((vector_size(LANES * sizeof(double)), aligned(8)));
typedef long long lane_bits __attribute__((vector_size(LANES * sizeof(double)), aligned(8)));

/* The sets for which common + (a - b)^2 is within worst; returns how many. Most pairs are within none: one look says so. */
TAMIS_CLONES
static size_t sets_within(size_t stride, const double *a, const double *b, double common, const double *worst, uint32_t *hit)
{
    size_t n = 0;
    lane_bits any = {0};
    for (size_t s = 0; s < stride; s += LANES) {
        lanes difference = *(const lanes *)(a + s) - *(const lanes *)(b + s);
        any |= common + difference * difference <= *(const lanes *)(worst + s);
    }
    if (!((any[0] | any[1]) | (any[2] | any[3]))) return 0;
    for (size_t s = 0; s < stride; s++) {
        hit[n] = (uint32_t)s;
        n += common + (a[s] - b[s]) * (a[s] - b[s]) <= worst[s];
    }
    return n;
}

/* A pair that passed the filter, for all sets. a, b: the packed extras of i and j. */
static void pair_look(const struct look *l, struct work *w, size_t r, size_t i, size_t j, double common, const double *a, const double *b)
{
    uint32_t *hit = w->hit + TILE;
    size_t n = sets_within(l->stride, a, b, common, w->worst + r * l->stride, hit);
    double *worst = w->worst + r * l->stride;
    int farthest = 0;
    for (size_t h = 0; h < n; h++) {
        farthest |= worst[hit[h]] >= w->reach[r];
        offer(l, w, r, hit[h], i, j);
    }
    if (farthest && !l->tie_round) reach_update(l, w, r);
    w->looked++;
}

static uint32_t *seeds_of(const struct tamis_near *e, size_t slot, size_t i) { return e->seed + (slot * e->n + i) * e->k; }

/* The tally of row i under set s into the worker's sums. */
static void set_finish(const struct look *l, struct work *w, size_t r, size_t s, size_t i)
{
    const struct tamis_near *e = l->e;
    double out[TAMIS_NEAR_WIDTH];
    size_t list = (r * l->sets + s) * e->k;
    if (e->ties) out[0] = tamis_fixed_value(w->tie[r * l->sets + s], e->unit[0]) / (double)w->ties[r * l->sets + s];
    else e->tally(e->arg, i, w->row + list, w->d2 + list, out);
    for (size_t c = 0; c < e->width; c++) tamis_fixed_add(&w->sum[s * e->width + c], out[c], e->unit[c]);
    if (l->set[s].slot < e->slots) memcpy(seeds_of(e, l->set[s].slot, i), w->row + list, e->k * sizeof *w->row);
}

static void row_finish(const struct look *l, struct work *w, size_t r, size_t i)
{
    for (size_t s = 0; s < l->sets; s++)
        if (l->alive[s]) set_finish(l, w, r, s, i);
}

static void ties_clear(const struct look *l, struct work *w, size_t r)
{
    memset(w->tie + r * l->sets, 0, l->sets * sizeof *w->tie);
    memset(w->ties + r * l->sets, 0, l->sets * sizeof *w->ties);
}

/* Neighbours of the last time: good first guesses shorten the way, and nothing else. */
static void seeds_try(const struct look *l, struct work *w, size_t r, size_t i)
{
    const struct tamis_near *e = l->e;
    for (size_t s = 0; s < l->sets; s++) {
        size_t slot[2] = {l->from, l->set[s].slot};
        for (size_t t = 0; t < 2 && l->alive[s]; t++)
            for (size_t k = 0; slot[t] < e->slots && k < e->k; k++)
                if (seeds_of(e, slot[t], i)[k] != UINT32_MAX) offer(l, w, r, s, i, seeds_of(e, slot[t], i)[k]);
    }
    reach_update(l, w, r);
}

/* ---- pairs ---- */

typedef float floats __attribute__((vector_size(32), aligned(4)));
typedef int float_bits __attribute__((vector_size(32), aligned(4)));

static float filter_limit(const struct look *l, double reach)
{
    double root = sqrt(reach) / l->e->shrink + l->error, limit = root * root * (1 + ((double)l->common->count + 8) * 0x1p-22);
    return limit < FLT_MAX ? nextafterf((float)limit, INFINITY) : INFINITY;
}

/* Single-precision d2 of row i from rows j .. j + 31. */
#define DISTANCES_32(j)                                                                                          \
    floats s0 = {0}, s1 = {0}, s2 = {0}, s3 = {0};                                                               \
    for (size_t c = 0; c < count; c++) {                                                                         \
        const float *x = column[c] + (j);                                                                        \
        floats at = column[c][i] - (floats){0}, e0, e1, e2, e3;                                                  \
        e0 = *(const floats *)x - at, e1 = *(const floats *)(x + 8) - at;                                        \
        e2 = *(const floats *)(x + 16) - at, e3 = *(const floats *)(x + 24) - at;                                \
        s0 += e0 * e0, s1 += e1 * e1, s2 += e2 * e2, s3 += e3 * e3;                                              \
    }

static inline int any_set(float_bits m)
{
    return (m[0] | m[1]) | (m[2] | m[3]) | (m[4] | m[5]) | (m[6] | m[7]);
}

/* Rows j in from .. to - 1 that may be within `limit` of row i; returns how many. */
TAMIS_CLONES
static size_t filter(size_t count, const float *const *column, size_t i, size_t from, size_t to, float limit, uint32_t *hit)
{
    size_t n = 0, j = from;
    for (; j + 32 <= to; j += 32) {
        DISTANCES_32(j)
        float_bits m0 = s0 <= limit, m1 = s1 <= limit, m2 = s2 <= limit, m3 = s3 <= limit;
        float_bits m = (m0 | m1) | (m2 | m3);
        if (!any_set(m)) continue;
        for (size_t t = 0; t < 8; t++) hit[n] = (uint32_t)(j + t), n += (size_t)(m0[t] & 1);
        for (size_t t = 0; t < 8; t++) hit[n] = (uint32_t)(j + 8 + t), n += (size_t)(m1[t] & 1);
        for (size_t t = 0; t < 8; t++) hit[n] = (uint32_t)(j + 16 + t), n += (size_t)(m2[t] & 1);
        for (size_t t = 0; t < 8; t++) hit[n] = (uint32_t)(j + 24 + t), n += (size_t)(m3[t] & 1);
    }
    for (; j < to; j++) {
        float sum = 0;
        for (size_t c = 0; c < count; c++) sum += (column[c][j] - column[c][i]) * (column[c][j] - column[c][i]);
        hit[n] = (uint32_t)j;
        n += sum <= limit;
    }
    return n;
}

static void tile_add(const struct look *l, struct work *w, size_t r, size_t i, size_t from, size_t to)
{
    size_t n = filter(l->common->count, l->column, i, from, to, filter_limit(l, w->reach[r]), w->hit);
    for (size_t h = 0; h < n; h++) {
        size_t j = w->hit[h];
        if (j == i) continue;
        double common = tamis_metric_d2(l->common, z_of(l, i), z_of(l, j));
        if (common <= w->reach[r]) pair_look(l, w, r, i, j, common, l->packed + i * l->stride, l->packed + j * l->stride);
    }
}

/* near = d2 of row i from rows from .. to - 1, less what single precision may lose when a part is subtracted. */
TAMIS_CLONES
static void distances(size_t count, const float *const *column, size_t i, size_t from, size_t to, float *restrict near)
{
    float keep = 1 - (float)(count + 8) * 0x1p-22f;
    size_t j = from;
    for (; j + 32 <= to; j += 32, near += 32) {
        DISTANCES_32(j)
        *(floats *)near = s0 * keep, *(floats *)(near + 8) = s1 * keep, *(floats *)(near + 16) = s2 * keep, *(floats *)(near + 24) = s3 * keep;
    }
    for (; j < to; j++, near++) {
        float sum = 0;
        for (size_t c = 0; c < count; c++) sum += (column[c][j] - column[c][i]) * (column[c][j] - column[c][i]);
        *near = sum * keep;
    }
}

/* Rows j whose `near` less the terms of `count` columns may be within `limit`. */
TAMIS_CLONES
static size_t filter_less(size_t count, const float *const *column, size_t i, size_t from, size_t to, const float *restrict near, float limit, uint32_t *hit)
{
    size_t n = 0, j = from;
    for (; j + 32 <= to; j += 32, near += 32) {
        DISTANCES_32(j)
        float_bits m0 = *(const floats *)near - s0 <= limit, m1 = *(const floats *)(near + 8) - s1 <= limit;
        float_bits m2 = *(const floats *)(near + 16) - s2 <= limit, m3 = *(const floats *)(near + 24) - s3 <= limit;
        float_bits m = (m0 | m1) | (m2 | m3);
        if (!any_set(m)) continue;
        for (size_t t = 0; t < 8; t++) hit[n] = (uint32_t)(j + t), n += (size_t)(m0[t] & 1);
        for (size_t t = 0; t < 8; t++) hit[n] = (uint32_t)(j + 8 + t), n += (size_t)(m1[t] & 1);
        for (size_t t = 0; t < 8; t++) hit[n] = (uint32_t)(j + 16 + t), n += (size_t)(m2[t] & 1);
        for (size_t t = 0; t < 8; t++) hit[n] = (uint32_t)(j + 24 + t), n += (size_t)(m3[t] & 1);
    }
    for (; j < to; j++, near++) {
        float sum = 0;
        for (size_t c = 0; c < count; c++) sum += (column[c][j] - column[c][i]) * (column[c][j] - column[c][i]);
        hit[n] = (uint32_t)j;
        n += *near - sum <= limit;
    }
    return n;
}

static void tile_drop(const struct look *l, struct work *w, size_t r, size_t i, size_t from, size_t to)
{
    const float *const *taken = l->taken;
    distances(l->common->count, l->column, i, from, to, w->near);
    for (size_t s = 0; s < l->sets; taken += l->set[s++].extra.count) {
        if (!l->alive[s]) continue;
        size_t n = filter_less(l->set[s].extra.count, taken, i, from, to, w->near, filter_limit(l, w->worst[r * l->stride + s]), w->hit);
        for (size_t h = 0; h < n; h++)
            if (w->hit[h] != i) offer(l, w, r, s, i, w->hit[h]);
        w->looked += n;
    }
}

/* Small tiles at first: while the lists are empty the filter lets everything through. */
static void tiles(struct look *l, struct work *w, size_t first, size_t rows)
{
    size_t n = l->e->n, to, step = 32;
    for (size_t j = 0; j < n; j = to, step = 2 * step < TILE ? 2 * step : TILE) {
        to = j + step < n ? j + step : n;
        for (size_t r = 0; r < rows; r++) {
            if (l->removals) tile_drop(l, w, r, first + r, j, to);
            else tile_add(l, w, r, first + r, j, to);
        }
    }
}

static int pairs_block(void *arg, size_t item, int worker)
{
    struct look *l = arg;
    struct look tied = *l;
    struct work *w = &l->work[worker];
    size_t first = l->first + item * ROWS, rows = l->last - first < ROWS ? l->last - first : ROWS;
    for (size_t r = 0; r < rows; r++) {
        lists_clear(l, w, r);
        seeds_try(l, w, r, first + r);
        if (l->e->ties) ties_clear(l, w, r);
    }
    tiles(l, w, first, rows);
    tied.tie_round = 1;
    if (l->e->ties) tiles(&tied, w, first, rows);
    for (size_t r = 0; r < rows; r++) row_finish(l, w, r, first + r);
    return TAMIS_OK;
}

static tamis_fixed total(const struct look *l, size_t at)
{
    tamis_fixed sum = 0;
    for (int t = 0; t < l->workers; t++) sum += l->work[t].sum[at];
    return sum;
}

/* Sets whose sum over the rows so far passes the bound are out. */
static void hopeless_drop(struct look *l, double bound)
{
    for (size_t s = 0; s < l->sets; s++)
        if (tamis_fixed_value(total(l, s * l->e->width), l->e->unit[0]) > bound * (double)l->e->n) l->alive[s] = 0;
}

/* Blocks of rows side by side, or one after the other where starting workers costs more than it saves. */
static int blocks_run(struct look *l, size_t blocks)
{
    double work = (double)(l->last - l->first) * (double)l->e->n * (double)(l->common->count + 4);
    int status = tamis_check_cancel(l->e->cx);
    if (work > SERIAL) return tamis_parallel(l->e->cx, blocks, pairs_block, l);
    for (size_t k = 0; k < blocks && !status; k++) status = pairs_block(l, k, 0);
    return status;
}

static int pairs_all(struct look *l, double bound)
{
    size_t n = l->e->n, rounds = bound < INFINITY && n >= 256 * ROUNDS ? ROUNDS : 1;       /* few rows: not worth the stops */
    for (size_t k = 0; k < rounds; k++) {
        l->first = k * n / rounds;
        l->last = (k + 1) * n / rounds;
        int status = blocks_run(l, (l->last - l->first + ROWS - 1) / ROWS);
        if (status) return status;
        if (bound < INFINITY) hopeless_drop(l, bound);
    }
    return TAMIS_OK;
}

/* ---- trees ---- */

struct shared_visit { struct tamis_visitor v; const struct look *l; struct work *w; size_t i; const double *packed; };

static void shared_leaf(struct tamis_visitor *v, size_t leaf, const uint32_t *row, const double *d2)
{
    struct shared_visit *s = (struct shared_visit *)v;
    for (size_t t = 0; t < TAMIS_LEAF; t++)
        if (d2[t] <= s->w->reach[0] && row[t] != s->i && row[t] != UINT32_MAX)
            pair_look(s->l, s->w, 0, s->i, row[t], d2[t], s->packed, s->l->packed + (leaf * TAMIS_LEAF + t) * s->l->stride);
    v->bound = s->w->reach[0] * s->l->slack;
}

static void point_of(const struct tamis_tree *t, size_t place, double *q)
{
    size_t leaf = place / TAMIS_LEAF, at = place % TAMIS_LEAF;
    for (size_t c = 0; c < t->dims; c++) q[c] = t->point[(leaf * t->dims + c) * TAMIS_LEAF + at];
}

/* Row i at a place of the shared tree, under all sets. */
static void shared_row(const struct look *l, struct work *w, size_t place, size_t i, double *q)
{
    struct look tied = *l;
    struct shared_visit s = {{shared_leaf, INFINITY, UINT32_MAX, 0}, l, w, i, l->packed + place * l->stride};
    point_of(&l->tree, place, q);
    lists_clear(l, w, 0);
    if (l->e->slots) seeds_try(l, w, 0, i);
    s.v.bound = w->reach[0] * l->slack;
    tamis_tree_visit(&l->tree, q, &s.v);
    w->leaves += s.v.leaves;
    if (!l->e->ties) return;
    ties_clear(l, w, 0);
    tied.tie_round = 1;
    s.l = &tied;
    tamis_tree_visit(&l->tree, q, &s.v);
}

/* Row i under set l->only, whose tree this is. */
struct tie_visit { struct tamis_visitor v; const struct look *l; struct work *w; size_t i; };

static void tie_leaf(struct tamis_visitor *v, size_t leaf, const uint32_t *row, const double *d2)
{
    struct tie_visit *s = (struct tie_visit *)v;
    (void)leaf;
    for (size_t t = 0; t < TAMIS_LEAF; t++)
        if (d2[t] <= v->bound && row[t] != s->i && row[t] != UINT32_MAX) offer(s->l, s->w, 0, s->l->only, s->i, row[t]);
}

static void own_row(const struct look *l, struct work *w, size_t place, size_t i, double *q)
{
    struct look tied = *l;
    size_t k = l->e->k, list = l->only * k;
    for (size_t t = list; t < list + k; t++) w->d2[t] = INFINITY, w->row[t] = UINT32_MAX;
    point_of(&l->tree, place, q);
    tamis_tree_nearest(&l->tree, q, (uint32_t)i, k, w->d2 + list, w->row + list, &w->leaves);
    if (!l->e->ties) return;
    struct tie_visit s = {{tie_leaf, w->d2[list] * l->slack, UINT32_MAX, 0}, &tied, w, i};
    tied.tie_round = 1;
    ties_clear(l, w, 0);
    tamis_tree_visit(&l->tree, q, &s.v);
}

typedef void row_walk(const struct look *l, struct work *w, size_t place, size_t i, double *q);
struct walk { struct look *l; row_walk *row; double *q; size_t dims; };

static int walk_block(void *arg, size_t item, int worker)
{
    struct walk *k = arg;
    struct look *l = k->l;
    size_t last = (item + 1) * GROUP * TAMIS_LEAF, all = l->tree.leaves * TAMIS_LEAF;
    for (size_t place = item * GROUP * TAMIS_LEAF; place < last && place < all; place++) {
        size_t i = l->tree.row[place];
        if (i == UINT32_MAX) continue;
        k->row(l, &l->work[worker], place, i, k->q + (size_t)worker * k->dims);
        row_finish(l, &l->work[worker], 0, i);
    }
    return TAMIS_OK;
}

static int walk_all(struct look *l, row_walk *row)
{
    struct walk k = {l, row, NULL, (l->tree.dims + 8) / 8 * 8};
    k.q = tamis_raw(l->e->cx, double, (size_t)l->workers * k.dims);
    if (k.q) tamis_parallel(l->e->cx, (l->tree.leaves + GROUP - 1) / GROUP, walk_block, &k);
    tamis_free(k.q);
    return tamis_status(l->e->cx);
}

/* A few rows, for what a whole round would cost. */
static int walk_sample(struct look *l, row_walk *row, double *looked, double *leaves)
{
    double *q = tamis_raw(l->e->cx, double, l->tree.dims + 1);
    size_t places = l->tree.leaves * TAMIS_LEAF, done = 0;
    l->work[0].looked = l->work[0].leaves = 0;
    for (size_t k = 0; q && k < SAMPLE; k++) {
        size_t place = (2 * k + 1) * places / (2 * SAMPLE);
        if (l->tree.row[place] == UINT32_MAX) place = place / TAMIS_LEAF * TAMIS_LEAF;
        row(l, &l->work[0], place, l->tree.row[place], q);
        done++;
    }
    *looked = done ? (double)l->work[0].looked / (double)done : 0;
    *leaves = done ? (double)l->work[0].leaves / (double)done : 0;
    tamis_free(q);
    return tamis_status(l->e->cx);
}

static void *tree_make(struct look *l, const struct tamis_metric *m)
{
    void *memory = tamis_alloc(l->e->cx, tamis_tree_bytes(l->e->n, m->count), 1, 0);
    if (memory) tamis_tree_build(&l->tree, memory, l->e->n, l->e->z, l->e->columns, m);
    return memory;
}

/* The extras of every set beside each other, in the order of rows or of the tree's places. */
static int extras_pack(struct look *l, const uint32_t *row, size_t places)
{
    tamis_free(l->packed);
    l->packed = tamis_new(l->e->cx, double, places * l->stride);
    for (size_t p = 0; l->packed && p < places; p++) {
        size_t i = row ? row[p] : p;
        if (i == UINT32_MAX) continue;
        for (size_t s = 0; s < l->sets; s++)
            if (l->set[s].extra.count) l->packed[p * l->stride + s] = l->set[s].extra.weight[0] * z_of(l, i)[l->set[s].extra.column[0]];
    }
    return tamis_status(l->e->cx);
}

/* Nanoseconds a row, by what was measured on the machines at hand; they choose the way and nothing else. */
static double cost_pairs(const struct look *l, double looked) { return (double)l->e->n * (0.12 * (double)l->common->count + 0.1) + looked * (10 + 0.6 * (double)l->stride); }
static double cost_shared(const struct look *l, double looked, double leaves) { return leaves * (20 + 4 * (double)l->tree.dims) + looked * (8 + 0.6 * (double)l->stride); }
static double cost_own(const struct look *l, double leaves) { return leaves * (40 + 6 * (double)l->tree.dims); }

/* A tree for set s; *worth: whether it was walked, or pairs would cost less. */
static int own_tree(struct look *l, size_t s, double allowed, int *worth)
{
    double looked, leaves;
    void *memory = tree_make(l, &l->set[s].all);
    if (!memory) return tamis_status(l->e->cx);
    l->only = s;
    int status = walk_sample(l, own_row, &looked, &leaves);
    *worth = cost_own(l, leaves) <= allowed;
    for (size_t t = 0; t < l->sets; t++) l->alive[t] = t == s;
    if (!status && *worth) status = walk_all(l, own_row);
    memset(l->alive, 1, l->sets);
    tamis_free(memory);
    return status;
}

static void answer(const struct look *l, double *mean)
{
    const struct tamis_near *e = l->e;
    for (size_t s = 0; s < l->sets; s++)
        for (size_t c = 0; c < e->width; c++)
            mean[s * e->width + c] = l->alive[s] ? tamis_fixed_value(total(l, s * e->width + c), e->unit[c]) / (double)e->n : INFINITY;
}

/* ---- one column ---- */

/* Rows in the order of a column, equal ones by row: neighbours are beside each other. Of a group of equal values only the first k + 1 rows can
 * be among the k nearest of anything. */
struct sorted { double value; uint32_t row; };

static void merge_sort(struct sorted *a, struct sorted *b, size_t n)
{
    for (size_t width = 1; width < n; width *= 2) {
        for (size_t lo = 0; lo < n; lo += 2 * width) {
            size_t middle = lo + width < n ? lo + width : n, hi = middle + width < n ? middle + width : n, i = lo, j = middle;
            for (size_t k = lo; k < hi; k++) b[k] = j >= hi || (i < middle && a[i].value <= a[j].value) ? a[i++] : a[j++];
        }
        memcpy(a, b, n * sizeof *a);
    }
}

struct column { const struct look *l; struct work *w; size_t s, groups; const struct sorted *at; const size_t *group; };

/* The first rows of group g for the list of row i; 0 when the group is too far to matter. */
static int group_offer(const struct column *c, size_t g, size_t i)
{
    size_t k = c->l->e->k, from = c->group[g], to = c->group[g + 1], list = c->s * k;
    uint32_t *row = c->w->row + list;
    double *d2 = c->w->d2 + list, d = tamis_metric_d2(&c->l->set[c->s].all, z_of(c->l, i), z_of(c->l, c->at[from].row));
    if (d > d2[k - 1]) return 0;
    for (size_t t = from; t < to && t <= from + k; t++)
        if (c->at[t].row != i) tamis_nearest_insert(k, d2, row, d, c->at[t].row);
    return 1;
}

static void column_row(const struct column *c, size_t g, size_t i)
{
    size_t list = c->s * c->l->e->k, below = g, above = g + 1;
    for (size_t t = list; t < list + c->l->e->k; t++) c->w->d2[t] = INFINITY, c->w->row[t] = UINT32_MAX;
    group_offer(c, g, i);
    while (below || above < c->groups) {
        below = below && group_offer(c, below - 1, i) ? below - 1 : 0;
        above = above < c->groups && group_offer(c, above, i) ? above + 1 : c->groups;
    }
    set_finish(c->l, c->w, 0, c->s, i);
}

static int column_block(void *arg, size_t item, int worker)
{
    struct look *l = arg;
    size_t n = l->e->n, groups = 0, *group = tamis_raw(l->e->cx, size_t, n + 1);
    struct sorted *at = tamis_raw(l->e->cx, struct sorted, n), *other = tamis_raw(l->e->cx, struct sorted, n);
    if (group && at && other) {
        for (size_t i = 0; i < n; i++) at[i] = (struct sorted){z_of(l, i)[l->set[item].all.column[0]], (uint32_t)i};
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

static int single_columns(const struct look *l)
{
    for (size_t s = 0; s < l->sets; s++)
        if (l->set[s].all.count != 1) return 0;
    return !l->e->ties;
}

/* ---- the two questions ---- */

static int each_own(struct look *l)
{
    int status = TAMIS_OK, worth;
    for (size_t s = 0; s < l->sets && !status; s++) status = own_tree(l, s, INFINITY, &worth);
    return status;
}

/* One tree on the common columns, when that is the cheapest; *done says so. A tree a set pays when many rows are near in the common
 * columns alone, and the sets have few columns. */
static int shared_tree(struct look *l, int *done)
{
    double looked, leaves;
    void *memory = tree_make(l, l->common);
    if (!memory || extras_pack(l, l->tree.row, l->tree.leaves * TAMIS_LEAF)) {
        tamis_free(memory);
        return tamis_status(l->e->cx);
    }
    int status = walk_sample(l, shared_row, &looked, &leaves), route = l->e->route;
    double pairs = cost_pairs(l, looked), shared = cost_shared(l, looked, leaves), own = l->common->count + 1 > 3 ? INFINITY : (double)l->sets * 2000;
    if (!route) route = shared <= pairs && shared <= own ? 2 : own < pairs ? 3 : 1;
    *done = route != 1;
    if (!status && route == 2) status = walk_all(l, shared_row);
    tamis_free(memory);
    if (!status && route == 3) status = each_own(l);
    return status;
}

int tamis_near_with(struct tamis_near *e, const struct tamis_metric *common, const struct tamis_near_set *set, size_t sets, size_t from, double bound, double *mean)
{
    struct look l = {.e = e, .common = common, .set = set, .sets = sets, .from = from};
    int done = 0, status = sets ? look_make(&l, 0) : TAMIS_OK, route = e->route;
    if (!status && sets && !route && single_columns(&l)) status = tamis_parallel(e->cx, sets, column_block, &l), done = 1;
    else if (!status && sets && (route == 3 || (!route && !common->count))) status = each_own(&l), done = 1;
    else if (!status && sets && common->count && (route == 2 || (!route && e->n >= SMALL))) status = shared_tree(&l, &done);
    if (!status && sets && !done) status = extras_pack(&l, NULL, e->n);
    if (!status && sets && !done) status = pairs_all(&l, bound);
    if (!status) answer(&l, mean);
    look_free(&l);
    return status;
}

int tamis_near_without(struct tamis_near *e, const struct tamis_metric *common, const struct tamis_near_set *set, size_t sets, size_t from, double bound, double *mean)
{
    struct look l = {.e = e, .common = common, .set = set, .sets = sets, .from = from};
    int status = sets ? look_make(&l, 1) : TAMIS_OK, worth = sets > 0 && (e->route > 1 || (!e->route && e->n >= SMALL));
    double pairs = e->route ? INFINITY : cost_pairs(&l, 0) * 1.5 / (double)(sets + 1);
    size_t s = 0;
    while (!status && s < sets && worth) {
        status = own_tree(&l, s, pairs, &worth);
        s += (size_t)worth;
    }
    struct look rest = l;                                /* what no tree was worth for, by pairs */
    if (!status && s < sets) {
        for (size_t t = 0; t < s; t++) rest.alive[t] = 0;
        status = pairs_all(&rest, bound);
        for (size_t t = 0; t < s; t++) rest.alive[t] = 1;
    }
    if (!status) answer(&l, mean);
    look_free(&l);
    return status;
}
