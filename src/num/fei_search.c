/* max over |F| = s of sum over t of N_t / D_t, N_t = A_t - a_t(F), D_t = B_t - b_t(F), where x(F) is the sum of x over
 * the features in F.
 *
 * Forward greedy selection, then swaps until none helps, gives a set. A single ratio is maximised by Dinkelbach's
 * iteration [1]: with lambda the ratio so far, the s features with the least a_j - lambda b_j go into F, which gives
 * the next lambda, until it stops growing. Then N_t - lambda_t D_t <= 0 for every F, so that with M_t >= D_t
 *
 *     sum N_t / D_t = sum lambda_t + (N_t - lambda_t D_t) / D_t <= sum lambda_t + (N_t - lambda_t D_t) / M_t,
 *
 * which is linear in F: its largest value, with the s features of least key_j = sum over t of (a_jt - lambda_t b_jt) /
 * M_t in F, is the bound. Forcing a feature to the other side lowers the bound by the distance of its key from the
 * threshold; where that takes it below the best set so far, the feature's side is fixed. Branch and bound decides the
 * rest.
 *
 * [1] W. Dinkelbach: On nonlinear fractional programming. Management Science 13, 1967. */
#include "num/fei_search.h"

#include "num/compare.h"

#include <math.h>
#include <string.h>
#include "base/base.h"

static const double tiny = 1e-13;       /* a denominator below this share of its total is rounding */

enum side { FREE, IN, OUT };            /* IN: in F, ignored */

struct state {
    const struct tamis_fei_search *s;
    double *key, *scratch, *joint;                      /* n each */
    double *open;                                       /* n: along the trail, the bound of the branch not yet taken */
    double *total, *kept, *value;                       /* 2 terms, 2 terms, n */
    size_t *list, *trail;                               /* n each */
    unsigned char *side, *branch, *trial;               /* n each; branch: the trail's item has another side to try */
    unsigned char *best;
    double best_value, work;
};

size_t tamis_fei_search_size(size_t n, size_t terms) { return 5 * n + 4 * terms; }

static struct state state_of(const struct tamis_fei_search *s, unsigned char *set)
{
    double *w = s->work;
    size_t n = s->n;
    return (struct state){.s = s, .key = w, .scratch = w + n, .joint = w + 2 * n, .open = w + 3 * n, .value = w + 4 * n,
                          .total = w + 5 * n, .kept = w + 5 * n + 2 * s->terms, .list = s->index, .trail = s->index + n,
                          .side = s->flag, .branch = s->flag + n, .trial = s->flag + 2 * n, .best = set,
                          .best_value = NAN};
}

/* ---- a set ---- */

/* sum[t], sum[terms + t] = sums of a and b over the features that are not in `set` (NULL: all) */
static void sums_of(const struct tamis_fei_search *s, const unsigned char *set, double *sum)
{
    for (size_t t = 0; t < s->terms; t++) {
        const double *a = s->a + s->n * t, *b = s->b + s->n * t;
        double above = 0.0, below = 0.0;
        for (size_t j = 0; j < s->n; j++) {
            above += set && set[j] ? 0.0 : a[j];
            below += set && set[j] ? 0.0 : b[j];
        }
        sum[t] = above;
        sum[s->terms + t] = below;
    }
}

TAMIS_CLONES
static void add_ratios(size_t n, const double *a, const double *b, double above, double below, double least,
                       double *restrict value)
{
    for (size_t j = 0; j < n; j++) {
        double d = below - b[j];
        value[j] += (d > least ? above - a[j] : NAN) / d;
    }
}

/* value[j] of the set with j added; NAN where it has none */
static void values_with(struct state *q)
{
    const struct tamis_fei_search *s = q->s;
    memset(q->value, 0, s->n * sizeof *q->value);
    for (size_t t = 0; t < s->terms; t++)
        add_ratios(s->n, s->a + s->n * t, s->b + s->n * t, q->kept[t], q->kept[s->terms + t],
                   tiny * q->total[s->terms + t], q->value);
}

static double value_of(struct state *q, const unsigned char *set)
{
    const struct tamis_fei_search *s = q->s;
    double value = 0.0;
    sums_of(s, set, q->kept);
    for (size_t t = 0; t < s->terms; t++)
        value += q->kept[s->terms + t] > tiny * q->total[s->terms + t] ? q->kept[t] / q->kept[s->terms + t] : NAN;
    return value;
}

/* The feature outside the set whose addition gives the largest value; n: none has a value. */
static size_t best_addition(struct state *q, const unsigned char *set)
{
    size_t best = q->s->n;
    sums_of(q->s, set, q->kept);
    values_with(q);
    for (size_t j = 0; j < q->s->n; j++)
        if (!set[j] && !isnan(q->value[j]) && (best == q->s->n || q->value[j] > q->value[best]))
            best = j;
    return best;
}

static int greedy(struct state *q, unsigned char *set)
{
    size_t have = 0;
    for (size_t j = 0; j < q->s->n; j++)
        have += set[j] != 0;
    for (; have < q->s->size; have++) {
        size_t j = best_addition(q, set);
        if (j == q->s->n)
            return 0;
        set[j] = 1;
    }
    return !isnan(value_of(q, set));
}

/* One round of swaps: each member in turn against the best feature outside. Returns whether one helped. */
static int swap_round(struct state *q, unsigned char *set, double *value)
{
    int helped = 0;
    for (size_t i = 0; i < q->s->n; i++) {
        if (!set[i])
            continue;
        set[i] = 0;
        size_t j = best_addition(q, set);
        if (j == q->s->n || j == i || tamis_at_most(q->value[j], *value, TAMIS_SUMMED))
            j = i;
        set[j] = 1;
        if (j == i)
            continue;
        *value = value_of(q, set);
        helped = 1;
    }
    return helped;
}

/* ---- one ratio ---- */

/* The r-th least (from 0) of n values, which are reordered: none before it is larger. */
static double nth_least(double *x, size_t n, size_t r)
{
    size_t lo = 0, hi = n - 1;
    while (lo < hi) {
        double pivot = x[lo + (hi - lo) / 2];
        size_t i = lo, j = hi;
        for (;;) {
            while (x[i] < pivot) i++;
            while (x[j] > pivot) j--;
            if (i >= j) break;
            double t = x[i];
            x[i++] = x[j];
            x[j--] = t;
        }
        if (r <= j) hi = j;
        else lo = j + 1;
    }
    return x[r];
}

struct node {
    size_t free, r;             /* q->list[0 .. free-1] may go either way; r of them go into F */
    double bound;
    double last_in, first_out;  /* the largest joint key in F, the least outside */
};

struct ratio {
    const double *a, *b;
    double above, below;        /* of all features that are not IN */
    double least, lambda;
};

TAMIS_CLONES
static void keys(size_t count, const size_t *list, const double *a, const double *b, double lambda, double *key)
{
    for (size_t i = 0; i < count; i++)
        key[i] = a[list[i]] - lambda * b[list[i]];
}

/* The ratio when the r free features with the least keys go into F; 0 when it is undefined. */
static int ratio_after(const struct state *q, const struct node *v, double threshold, const struct ratio *r,
                       double *next)
{
    double a = 0.0, b = 0.0;
    size_t count = 0;
    for (size_t i = 0; i < v->free; i++)
        if (q->key[i] < threshold) {
            a += r->a[q->list[i]];
            b += r->b[q->list[i]];
            count++;
        }
    for (size_t i = 0; i < v->free && count < v->r; i++)
        if (q->key[i] == threshold) {
            a += r->a[q->list[i]];
            b += r->b[q->list[i]];
            count++;
        }
    *next = (r->above - a) / (r->below - b);
    return r->below - b > r->least;
}

/* The largest value of this ratio at the node, in r->lambda, and its keys; 0 when it is unbounded. 1 <= r < free. */
static int dinkelbach(struct state *q, const struct node *v, struct ratio *r)
{
    double next = r->above / r->below;
    for (int round = 0; round < 60; round++) {
        r->lambda = next;
        keys(v->free, q->list, r->a, r->b, r->lambda, q->key);
        memcpy(q->scratch, q->key, v->free * sizeof *q->scratch);
        double threshold = nth_least(q->scratch, v->free, v->r - 1);
        q->work += 6.0 * (double)v->free;
        if (!ratio_after(q, v, threshold, r, &next))
            return 0;
        if (round > 0 && !(next > r->lambda * (1.0 + 1e-15)))
            break;
    }
    return 1;
}

/* The largest denominator that the node allows: the r least of b go into F. */
static double largest_below(struct state *q, const struct node *v, const struct ratio *r)
{
    double sum = 0.0;
    for (size_t i = 0; i < v->free; i++)
        q->scratch[i] = r->b[q->list[i]];
    nth_least(q->scratch, v->free, v->r - 1);
    for (size_t i = 0; i < v->r; i++)                   /* nth_least leaves the smaller ones in front */
        sum += q->scratch[i];
    q->work += 4.0 * (double)v->free;
    return r->below - sum;
}

/* ---- nodes ---- */

/* The features still free, the sums over those not IN, and how many are still to go into F. */
static struct node node_here(struct state *q)
{
    struct node v = {0, q->s->size, 0.0, 0.0, 0.0};
    for (size_t j = 0; j < q->s->n; j++) {
        q->trial[j] = q->side[j] == IN;
        if (q->side[j] == FREE) q->list[v.free++] = j;
        else v.r -= q->side[j] == IN;
    }
    sums_of(q->s, q->trial, q->kept);
    q->work += (double)(q->s->n * q->s->terms);
    return v;
}

/* Puts the r free features with the least joint keys into F: the rest of the bound, and a set to try. */
static void node_threshold(struct state *q, struct node *v)
{
    size_t count = 0;
    memcpy(q->scratch, q->joint, v->free * sizeof *q->scratch);
    v->last_in = nth_least(q->scratch, v->free, v->r - 1);
    v->first_out = INFINITY;
    for (size_t i = 0; i < v->r; i++)
        v->bound -= q->scratch[i];
    for (size_t i = v->r; i < v->free; i++)
        v->first_out = fmin(v->first_out, q->scratch[i]);
    for (int ties = 0; ties < 2; ties++)
        for (size_t i = 0; i < v->free && count < v->r; i++)
            if (ties ? q->joint[i] == v->last_in : q->joint[i] < v->last_in) {
                q->trial[q->list[i]] = 1;
                count++;
            }
}

/* Bound of the node, q->joint the keys behind it, q->trial a set at it. */
static void node_bound(struct state *q, struct node *v)
{
    const struct tamis_fei_search *s = q->s;
    memset(q->joint, 0, v->free * sizeof *q->joint);
    for (size_t t = 0; t < s->terms; t++) {
        struct ratio r = {s->a + s->n * t, s->b + s->n * t, q->kept[t], q->kept[s->terms + t],
                          tiny * q->total[s->terms + t], 0.0};
        if (!(r.below > r.least) || !dinkelbach(q, v, &r)) {
            v->bound = INFINITY;
            return;
        }
        double most = largest_below(q, v, &r);
        v->bound += r.lambda + (r.above - r.lambda * r.below) / most;
        for (size_t i = 0; i < v->free; i++)
            q->joint[i] += q->key[i] / most;
    }
    node_threshold(q, v);
}

static double loss_in(const struct state *q, const struct node *v, size_t i)
{
    return fmax(q->joint[i] - v->last_in, 0.0);
}
static double loss_out(const struct state *q, const struct node *v, size_t i)
{
    return fmax(v->first_out - q->joint[i], 0.0);
}

double tamis_fei_bound(const struct tamis_fei_search *s)
{
    struct state q = state_of(s, NULL);
    memset(q.side, FREE, s->n);
    sums_of(s, NULL, q.total);
    struct node v = node_here(&q);
    node_bound(&q, &v);
    return v.bound;
}

static int pruned(const struct state *q, double bound)
{
    return !isnan(q->best_value) && tamis_at_most(bound, q->best_value, TAMIS_SUMMED);
}

static void decide(struct state *q, size_t *depth, size_t item, enum side side, int other, double open)
{
    q->side[item] = (unsigned char)side;
    q->trail[*depth] = item;
    q->branch[*depth] = (unsigned char)other;
    q->open[(*depth)++] = open;
}

/* Returns to the last branch with another side to try; *bound: its bound. 0: none is left. */
static int backtrack(struct state *q, size_t *depth, double *bound)
{
    while (*depth > 0) {
        size_t d = --*depth, item = q->trail[d];
        if (!q->branch[d] || pruned(q, q->open[d])) {
            q->side[item] = FREE;
            continue;
        }
        *bound = q->open[d];
        decide(q, depth, item, q->side[item] == IN ? OUT : IN, 0, 0.0);
        return 1;
    }
    return 0;
}

/* Keeps q->trial if it is the best so far. */
static void keep_if_best(struct state *q)
{
    double value = value_of(q, q->trial);
    q->work += (double)(q->s->n * q->s->terms);
    if (isnan(value) || (!isnan(q->best_value) && !(value > q->best_value)))
        return;
    q->best_value = value;
    memcpy(q->best, q->trial, q->s->n);
}

/* A node at which no choice is left. */
static void leaf(struct state *q, const struct node *v)
{
    for (size_t i = 0; i < v->free; i++)
        q->trial[q->list[i]] = v->r > 0;
    keep_if_best(q);
}

/* Fixes the features whose other side is pruned. Returns how many; -1 when both sides of a feature are. */
static long fix_sides(struct state *q, const struct node *v, size_t *depth)
{
    long fixed = 0;
    for (size_t i = 0; i < v->free; i++) {
        int in = pruned(q, v->bound - loss_out(q, v, i)), out = pruned(q, v->bound - loss_in(q, v, i));
        if (in && out)
            return -1;
        if (in || out) {
            decide(q, depth, q->list[i], in ? IN : OUT, 0, 0.0);
            fixed++;
        }
    }
    return fixed;
}

/* Branches on the feature that is most expensive to keep out of F: the one with the least key. */
static void split(struct state *q, const struct node *v, size_t *depth)
{
    size_t best = 0;
    if (isfinite(v->bound))
        for (size_t i = 1; i < v->free; i++)
            if (q->joint[i] < q->joint[best])
                best = i;
    decide(q, depth, q->list[best], IN, 1, isfinite(v->bound) ? v->bound - loss_out(q, v, best) : INFINITY);
}

static int overfull(const struct state *q)
{
    size_t in = 0, out = 0;
    for (size_t j = 0; j < q->s->n; j++) {
        in += q->side[j] == IN;
        out += q->side[j] == OUT;
    }
    return in > q->s->size || out > q->s->n - q->s->size;
}

/* One node: 1 to descend below it, 0 when it is finished. */
static int visit(struct state *q, size_t *depth, double *bound)
{
    for (;;) {
        if (overfull(q))
            return 0;
        struct node v = node_here(q);
        if (v.r == 0 || v.r == v.free) {
            leaf(q, &v);
            return 0;
        }
        node_bound(q, &v);
        if (isfinite(v.bound))
            keep_if_best(q);
        *bound = v.bound;
        if (pruned(q, v.bound))
            return 0;
        long fixed = isfinite(v.bound) ? fix_sides(q, &v, depth) : 0;
        if (fixed < 0)
            return 0;
        if (fixed > 0)
            continue;
        split(q, &v, depth);
        return 1;
    }
}

static void branch_and_bound(struct state *q, struct tamis_fei_found *found)
{
    const struct tamis_fei_search *s = q->s;
    size_t depth = 0;
    int going = 1;
    double bound = found->bound;
    memset(q->side, FREE, s->n);
    while (going && q->work < s->budget && !found->stopped) {
        int below = visit(q, &depth, &bound);
        found->nodes++;
        found->stopped = s->stop && s->stop(s->arg);
        going = below || backtrack(q, &depth, &bound);
    }
    double most = q->best_value;                /* unfinished: below the last node, and the branches not taken */
    for (size_t d = 0; going && d < depth; d++)
        if (q->branch[d] && q->open[d] > most)
            most = q->open[d];
    if (going && !(bound < most))
        most = bound;
    if (!(most > found->bound))
        found->bound = most;
}

void tamis_fei_search(const struct tamis_fei_search *s, unsigned char *set, struct tamis_fei_found *found)
{
    struct state q = state_of(s, set);
    *found = (struct tamis_fei_found){NAN, INFINITY, 0, 0, 0};
    sums_of(s, NULL, q.total);
    if (greedy(&q, set)) {
        q.best_value = value_of(&q, set);
        for (int round = 0; round < 100 && swap_round(&q, set, &q.best_value); round++) ;
    }
    found->bound = tamis_fei_bound(s);
    if (!pruned(&q, found->bound))
        branch_and_bound(&q, found);
    found->value = q.best_value;
    found->proved = pruned(&q, found->bound);
    if (found->proved)
        found->bound = q.best_value;
}
