/* Nearest neighbours of all rows under many sets.
 *
 *     d2_S(i, j) = sum over c in S of (w_c z_ic - w_c z_jc)^2
 *
 * Additions: d2_(S+k) = d2_S + t_k, so a block of rows whose d2_S from row i all exceed the limit under S + k is
 * skipped.
 * Removals: d2_(S-k) = d2_S - t_k. Both are computed in single precision, with a margin for its rounding, as a filter;
 * tamis_metric_d2 over the columns of the set decides, so that no residue of a removed column breaks a tie. */
#include <math.h>
#include <string.h>
#include "base/parallel.h"
#include "num/weighted.h"
#include "crit/neighbour/near_inside.h"

enum { REMEMBER = 65536, SMALL = 1200 };
static const double share_unit = 0x1p64;        /* of sums of shares: of at most 2^32 rows */

/* ---- what queries share ---- */

void tamis_near_finish(struct tamis_near *e)
{
    tamis_free(e->z);
    tamis_free(e->span);
    tamis_free(e->seed);
    tamis_free(e->code);
    tamis_free(e->values);
    tamis_free(e->by_target);
    tamis_free(e->repeats);
}

static double power_above(double x)
{
    int exponent = 0;
    frexp(x, &exponent);
    return ldexp(1, exponent);
}

/* Of all rows. */
static int largest_find(const struct tamis_near *e, const double *x, double *most)
{
    *most = 0;
    for (size_t i = 0; i < e->n * e->columns; i++) *most = fmax(*most, fabs(x[i]));
    if (!tamis_spread_shared(e->spread)) return TAMIS_OK;
    double *of = tamis_raw(e->cx, double, (size_t)e->spread->ranks);
    int status = of ? tamis_spread_gather(e->spread, most, sizeof *most, of) : tamis_status(e->cx);
    for (int k = 0; k < e->spread->ranks && !status; k++) *most = fmax(*most, of[k]);
    tamis_free(of);
    return status;
}

static void copies_fill(struct tamis_near *e, const double *x, double most)
{
    double unit = 1;
    if (most > 0x1p480) unit = power_above(most) * 0x1p-480;
    else if (most > 0 && most < 0x1p-400) unit = power_above(most);
    e->most = most / unit;
    e->shrink = most > 0 ? power_above(e->most) : 1;
    for (size_t c = 0; c < e->columns; c++) {
        e->span[c] = 0;
        for (size_t i = 0; i < e->n; i++) {
            double z = x[i + e->n * c] / unit;
            e->z[i * e->columns + c] = z;
            e->span[c] = fmax(e->span[c], fabs(z));
        }
    }
}

/* Neighbours are remembered for the next query if pairs are the likely route and memory allows. */
static int remembered(double n, double k, double slots) { return n <= REMEMBER && n * k * slots <= 0x1p25; }

int tamis_near_start(struct tamis_near *e, tamis_context *cx, const struct tamis_design *d, size_t k, size_t slots)
{
    e->cx = cx;
    e->n = d->rows;
    e->columns = d->columns;
    e->weight = d->weight;
    e->heaviest = 0;
    for (size_t i = 0; e->weight && i < e->n; i++) e->heaviest = fmax(e->heaviest, e->weight[i]);
    e->spread = tamis_spread_shared(d->spread) ? d->spread : NULL;
    size_t all = tamis_design_all_rows(d);
    e->total = e->weight ? tamis_weight_sum(e->weight, e->n) / e->heaviest : (double)all;
    e->k = k < all - 1 ? k : all - 1;
    e->slots = !e->spread && remembered((double)d->rows, (double)e->k, (double)slots) ? slots : 0;
    e->z = tamis_raw(cx, double, e->n * e->columns);
    e->span = tamis_raw(cx, double, e->columns);
    e->seed = tamis_raw(cx, uint32_t, e->n * e->slots * e->k);
    e->repeats = tamis_new(cx, unsigned char, e->columns + 1);
    double most;
    if (tamis_status(cx) || largest_find(e, d->x, &most)) return tamis_status(cx);
    copies_fill(e, d->x, most);
    memset(e->seed, 0xff, e->n * e->slots * e->k * sizeof *e->seed);
    return TAMIS_OK;
}

/* Copies, ranks, seeds, packed extras, equal rows, and a tree of ten columns with the records that it is built from. */
double tamis_near_bytes(double n, double columns, double k, double slots)
{
    return 17 * n * columns + (remembered(n, k, slots) ? 4 * n * k * slots : 0) + 16 * n * (columns + 8) + 8 * n * 36;
}

/* ---- one query ---- */

static void work_free(struct tamis_near_work *w)
{
    tamis_free(w->limit);
    tamis_free(w->d2);
    tamis_free(w->row);
    tamis_free(w->sum);
    tamis_free(w->tie);
    tamis_free(w->ties);
    tamis_free(w->hit);
    tamis_free(w->near);
    tamis_free(w->far);
    tamis_free(w->best);
    tamis_free(w->second);
    tamis_free(w->nearest);
}

static void work_make(struct tamis_query *l, struct tamis_near_work *w)
{
    tamis_context *cx = l->e->cx;
    size_t lists = TAMIS_NEAR_ROWS * l->sets;
    w->limit = tamis_raw(cx, float, TAMIS_NEAR_ROWS * l->stride);
    w->d2 = tamis_raw(cx, double, lists * l->e->k);
    w->row = tamis_raw(cx, uint32_t, lists * l->e->k);
    w->sum = tamis_new(cx, tamis_fixed, l->sets * l->e->width);
    w->tie = tamis_raw(cx, tamis_fixed, l->e->ties ? lists : 0);
    w->ties = tamis_raw(cx, tamis_fixed, l->e->ties ? lists : 0);
    w->hit = tamis_raw(cx, uint32_t, TAMIS_NEAR_TILE > l->stride ? TAMIS_NEAR_TILE : l->stride);
    w->near = tamis_raw(cx, float, TAMIS_NEAR_TILE);
    w->far = tamis_raw(cx, float, TAMIS_NEAR_TILE);
    w->best = tamis_raw(cx, int32_t, TAMIS_NEAR_ROWS * l->stride);
    w->second = tamis_raw(cx, int32_t, TAMIS_NEAR_ROWS * l->stride);
    w->nearest = tamis_raw(cx, int32_t, TAMIS_NEAR_ROWS * l->stride);
}

static void query_free(struct tamis_query *l)
{
    for (int t = 0; l->work && t < l->workers; t++) work_free(&l->work[t]);
    tamis_free(l->work);
    tamis_free(l->column);
    tamis_free(l->extra);
    tamis_free(l->at);
    tamis_free(l->order);
    tamis_free(l->place);
    tamis_free(l->f);
    tamis_free(l->alive);
    tamis_free(l->equal);
}

enum { LEADING = 8, ORDERED = 8192 };

/* Places as in a tree on the first of the common columns; with many rows, trees themselves are the likely route. */
static int order_find(struct tamis_query *l)
{
    struct tamis_near *e = l->e;
    struct tamis_metric m = *l->common;
    struct tamis_tree t;
    void *memory = NULL;
    size_t p = 0;
    if (m.count > LEADING) m.count = LEADING;
    if (!l->removals && m.count && e->n <= ORDERED) memory = tamis_alloc(e->cx, tamis_tree_bytes(e->n, m.count), 1, 0);
    if (tamis_status(e->cx)) return tamis_status(e->cx);
    if (memory) {
        tamis_tree_build(&t, memory, e->n, e->z, e->columns, &m);
        for (size_t k = 0; k < t.leaves * TAMIS_LEAF; k++)
            if (t.row[k] != UINT32_MAX) l->order[p++] = t.row[k];
    }
    for (; p < e->n; p++) l->order[p] = (uint32_t)p;
    for (p = 0; p < e->n; p++) l->place[l->order[p]] = (uint32_t)p;
    tamis_free(memory);
    return TAMIS_OK;
}

/* The columns of m by place, from *free on; pointers to them into at. */
static void columns_fill(const struct tamis_query *l, const struct tamis_metric *m, const float **at, float **free)
{
    const struct tamis_near *e = l->e;
    for (size_t c = 0; c < m->count; c++, *free += l->padded) {
        double weight = m->weight[c] / e->shrink;
        float *f = *free;
        at[c] = f;
        for (size_t p = 0; p < e->n; p++) f[p] = (float)(weight * e->z[l->order[p] * e->columns + m->column[c]]);
        for (size_t p = e->n; p < l->padded; p++) f[p] = INFINITY;
    }
}

static double error_of(const struct tamis_near *e, const struct tamis_metric *m)
{
    double sum = 0;
    for (size_t c = 0; c < m->count; c++) sum += pow(0x1p-23 * m->weight[c] * (e->span[m->column[c]] / e->shrink), 2);
    return sum;
}

static int query_make(struct tamis_query *l, int removals)
{
    tamis_context *cx = l->e->cx;
    size_t extras = 0, most = 0;
    double error = 0;
    l->removals = removals;
    l->stride = (l->sets + TAMIS_NEAR_LANES - 1) / TAMIS_NEAR_LANES * TAMIS_NEAR_LANES;
    l->at = tamis_raw(cx, size_t, l->sets);
    for (size_t s = 0; l->at && s < l->sets; s++) {
        l->at[s] = extras;
        extras += l->set[s].extra.count;
        most = l->set[s].extra.count > most ? l->set[s].extra.count : most;
        error = removals ? 0 : fmax(error, error_of(l->e, &l->set[s].extra));
    }
    l->slack = tamis_metric_slack(l->common->count + l->e->columns);
    l->room = (float)(l->common->count + most + 8) * 0x1p-22f;
    l->more = (1 + 0x1p-10) * (1 + 2 * (double)l->room);
    l->least = (1 + 0x1p10) * (1 + 2 * (double)l->room) * (error_of(l->e, l->common) + error);
    l->workers = tamis_threads(cx);
    l->work = tamis_new(cx, struct tamis_near_work, (size_t)l->workers);
    l->alive = tamis_new(cx, unsigned char, l->sets);
    l->extras = extras;
    l->padded = (l->e->n + 31) / 32 * 32;
    for (int t = 0; l->work && t < l->workers; t++) work_make(l, &l->work[t]);
    if (tamis_status(cx)) return tamis_status(cx);
    memset(l->alive, 1, l->sets);
    return tamis_near_equal_rows(l);
}

int tamis_near_floats(struct tamis_query *l)
{
    tamis_context *cx = l->e->cx;
    if (l->f) return TAMIS_OK;
    l->column = tamis_new(cx, const float *, l->common->count);
    l->extra = tamis_new(cx, const float *, l->extras);
    l->order = tamis_raw(cx, uint32_t, l->e->n);
    l->place = tamis_raw(cx, uint32_t, l->e->n);
    l->f = tamis_raw(cx, float, l->padded * (l->common->count + l->extras));
    if (tamis_status(cx) || order_find(l)) return tamis_status(cx);
    float *free = l->f;
    columns_fill(l, l->common, l->column, &free);
    for (size_t s = 0; s < l->sets; s++) columns_fill(l, &l->set[s].extra, l->extra + l->at[s], &free);
    return TAMIS_OK;
}

/* ---- the lists of a row ---- */

static uint32_t *seeds_of(const struct tamis_near *e, size_t slot, size_t i)
{
    return e->seed + (slot * e->n + i) * e->k;
}

static float sum_of(const float *const *column, size_t count, size_t i, size_t j)
{
    float sum = 0;
    for (size_t c = 0; c < count; c++) sum += (column[c][i] - column[c][j]) * (column[c][i] - column[c][j]);
    return sum;
}

/* The farthest, under set s, of the k rows in a slot, or INFINITY if it is empty. near: their common parts, if
 * known. */
static float seeds_farthest(const struct tamis_query *l, size_t s, const uint32_t *seed, size_t i, const float *near)
{
    const uint32_t *place = l->place;
    float most = 0;
    for (size_t t = 0; t < l->e->k; t++) {
        if (seed[t] == UINT32_MAX) return INFINITY;
        float common = near ? near[t] : sum_of(l->column, l->common->count, place[i], place[seed[t]]);
        float own = sum_of(l->extra + l->at[s], l->set[s].extra.count, place[i], place[seed[t]]);
        float d = l->removals ? common + l->room * common - own : common + own;
        most = d > most ? d : most;
    }
    return most;
}

/* Remembered neighbours bound the distance of the nearest ones. */
static float limit_first(const struct tamis_query *l, size_t s, size_t i, const float *near)
{
    const struct tamis_near *e = l->e;
    float d = INFINITY, own = INFINITY;
    if (s < l->done || !l->alive[s] || tamis_near_counted(l, s, i)) return -1;
    if (near) d = seeds_farthest(l, s, seeds_of(e, l->from, i), i, near);
    if (l->set[s].slot < e->slots) own = seeds_farthest(l, s, seeds_of(e, l->set[s].slot, i), i, NULL);
    return tamis_near_limit(l, tamis_near_limit(l, own < d ? own : d));
}

static const float *from_near(const struct tamis_query *l, size_t i, float *near)
{
    if (l->from >= l->e->slots || l->e->k > TAMIS_NEAR_KEPT) return NULL;
    const uint32_t *seed = seeds_of(l->e, l->from, i), *place = l->place;
    for (size_t t = 0; t < l->e->k; t++) {
        if (seed[t] == UINT32_MAX) return NULL;
        near[t] = sum_of(l->column, l->common->count, place[i], place[seed[t]]);
    }
    return near;
}

void tamis_near_begin(const struct tamis_query *l, struct tamis_near_work *w, size_t r, size_t i)
{
    size_t k = l->e->k;
    float buffer[TAMIS_NEAR_KEPT];
    const float *near = from_near(l, i, buffer);
    for (size_t s = 0; s < l->stride; s++) w->limit[r * l->stride + s] = s < l->sets ? limit_first(l, s, i, near) : -1;
    for (size_t t = r * l->sets * k; t < (r + 1) * l->sets * k; t++) w->d2[t] = INFINITY, w->row[t] = UINT32_MAX;
}

int tamis_near_take(const struct tamis_query *l, struct tamis_near_work *w, size_t r, size_t s, size_t i, size_t j,
                    double d)
{
    size_t k = l->e->k, at = r * l->sets + s, list = at * k;
    uint32_t row = (uint32_t)j;
    int nearer = d < w->d2[list];
    double term;
    if (!l->e->ties) return tamis_nearest_insert(k, w->d2 + list, w->row + list, d, row);
    if (!(d <= w->d2[list])) return 0;
    if (nearer) w->d2[list] = d, w->row[list] = row, w->tie[at] = 0, w->ties[at] = 0;
    l->e->tally(l->e->arg, i, &row, &d, &term);
    tamis_fixed_add(&w->tie[at], tamis_near_share(l->e, j) * term, l->e->unit[0]);
    tamis_fixed_add(&w->ties[at], tamis_near_share(l->e, j), share_unit);
    return nearer;
}

int tamis_near_offer(const struct tamis_query *l, struct tamis_near_work *w, size_t r, size_t s, size_t i, size_t j)
{
    double d = tamis_metric_d2(&l->set[s].all, tamis_near_z(l, i), tamis_near_z(l, j));
    return tamis_near_take(l, w, r, s, i, j, d);
}

/* What a list of one row gives: the share of j cancels but for its rounding. */
static double single_term(const struct tamis_near *e, size_t j, double term)
{
    if (!e->weight) return term;
    tamis_fixed tie = 0, ties = 0;
    tamis_fixed_add(&tie, tamis_near_share(e, j) * term, e->unit[0]);
    tamis_fixed_add(&ties, tamis_near_share(e, j), share_unit);
    return tamis_fixed_value(tie, e->unit[0]) / tamis_fixed_value(ties, share_unit);
}

void tamis_near_end_single(const struct tamis_query *l, struct tamis_near_work *w, size_t s, size_t i, size_t j)
{
    const struct tamis_near *e = l->e;
    uint32_t row = (uint32_t)j;
    double term;
    e->tally(e->arg, i, &row, NULL, &term);
    tamis_fixed_add(&w->sum[s], tamis_near_share(e, i) * single_term(e, j, term), e->unit[0]);
    if (l->set[s].slot < e->slots) *seeds_of(e, l->set[s].slot, i) = row;
}

void tamis_near_end_set(const struct tamis_query *l, struct tamis_near_work *w, size_t r, size_t s, size_t i)
{
    const struct tamis_near *e = l->e;
    double out[TAMIS_NEAR_WIDTH];
    size_t list = (r * l->sets + s) * e->k;
    if (tamis_near_counted(l, s, i)) return;
    if (e->ties)
        out[0] = tamis_fixed_value(w->tie[r * l->sets + s], e->unit[0]) /
                 tamis_fixed_value(w->ties[r * l->sets + s], share_unit);
    else e->tally(e->arg, i, w->row + list, w->d2 + list, out);
    for (size_t c = 0; c < e->width; c++)
        tamis_fixed_add(&w->sum[s * e->width + c], tamis_near_share(e, i) * out[c], e->unit[c]);
    for (size_t t = 0; l->set[s].slot < e->slots && t < e->k; t++) seeds_of(e, l->set[s].slot, i)[t] = w->row[list + t];
}

void tamis_near_end(const struct tamis_query *l, struct tamis_near_work *w, size_t r, size_t i)
{
    for (size_t s = l->done; s < l->sets; s++)
        if (l->alive[s]) tamis_near_end_set(l, w, r, s, i);
}

tamis_fixed tamis_near_total(const struct tamis_query *l, size_t at)
{
    tamis_fixed sum = 0;
    for (int t = 0; t < l->workers; t++) sum += l->work[t].sum[at];
    return sum;
}

static void means_fill(const struct tamis_query *l, double *mean)
{
    const struct tamis_near *e = l->e;
    for (size_t s = 0; s < l->sets; s++)
        for (size_t c = 0; c < e->width; c++, mean++) {
            double sum = tamis_fixed_value(tamis_near_total(l, s * e->width + c), e->unit[c]);
            *mean = l->alive[s] ? sum / e->total : INFINITY;
        }
}

/* ---- the two kinds of query ---- */

static int single_columns(const struct tamis_query *l)
{
    for (size_t s = 0; s < l->sets; s++)
        if (l->set[s].all.count != 1) return 0;
    return 1;
}

int tamis_near_with(struct tamis_near *e, const struct tamis_metric *common, const struct tamis_near_set *set,
                    size_t sets, size_t from, double bound, double *mean)
{
    struct tamis_query l = {.e = e, .common = common, .set = set, .sets = sets, .from = from};
    if (e->spread) return tamis_near_spread(e, set, sets, mean);
    int done = 0, status = sets ? query_make(&l, 0) : TAMIS_OK, route = e->route;
    if (!status && sets && !route && single_columns(&l)) status = tamis_near_columns(&l), done = 1;
    else if (!status && sets && (route == 3 || (!route && !common->count))) status = tamis_near_trees(&l), done = 1;
    else if (!status && sets && common->count && (route == 2 || (!route && e->n >= SMALL)))
        status = tamis_near_tree_shared(&l, &done);
    if (!status && sets && !done) status = tamis_near_pairs(&l, bound);
    if (!status) means_fill(&l, mean);
    query_free(&l);
    return status;
}

int tamis_near_without(struct tamis_near *e, const struct tamis_metric *common, const struct tamis_near_set *set,
                       size_t sets, size_t from, double bound, double *mean)
{
    struct tamis_query l = {.e = e, .common = common, .set = set, .sets = sets, .from = from};
    if (e->spread) return tamis_near_spread(e, set, sets, mean);
    int status = sets ? query_make(&l, 1) : TAMIS_OK, worth = e->route > 1 || (!e->route && e->n >= SMALL);
    double pairs = e->route ? INFINITY : tamis_near_cost_pairs(&l) / (double)(sets + 1);
    while (!status && l.done < sets && worth) {
        status = tamis_near_tree_own(&l, l.done, pairs, bound, &worth);
        l.done += (size_t)worth;
    }
    if (!status && l.done < sets) status = tamis_near_pairs(&l, bound);     /* those that no tree was worth for */
    if (!status) means_fill(&l, mean);
    query_free(&l);
    return status;
}
