/* The indices of sets of inputs, as medians over the starts, and the method's block of the result. Up to 20 inputs
 * every set is evaluated; beyond that the best set of each size is searched for, with a bound on the best possible. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/format.h"
#include "base/parallel.h"
#include "method/fei/fei.h"
#include "num/fei_search.h"
#include "num/order.h"

enum { LOW = 10 };                      /* sets are evaluated 2^10 at a time */
static const double search_budget = 3e8;        /* operations of branch and bound per size */

const char *const tamis_fei_rules[2] = {
    "the fewest inputs from the top of the ranking whose cross-validated error is within one standard error of the "
    "least along the ranking; none unless the least is two standard errors below that of the most frequent class; each "
    "fold ranks on its own training rows",
    "the inputs from the top of the ranking with the least cross-validated error along it; each fold ranks on its own "
    "training rows"};

/* Of the values that are not NaN; NAN if none is left. Reorders v. */
static double median(double *v, size_t n)
{
    size_t k = 0;
    for (size_t i = 0; i < n; i++)
        if (!isnan(v[i])) v[k++] = v[i];
    return k ? tamis_median(v, k) : NAN;
}

/* The median over starts of a set's index. */
static double set_value(const struct tamis_fei_ranking *r, int which, const unsigned char *set, double *work)
{
    for (size_t s = 0; s < r->starts; s++) {
        size_t at = r->inputs * r->classes * s;
        work[s] = tamis_fei_value(r->inputs, r->classes, r->a[which] + at, r->b[which] + at, set);
    }
    return median(work, r->starts);
}

/* ---- every set ---- */

struct every {
    const struct tamis_fei_ranking *r;
    size_t low;
    double *value[2];                   /* 2^inputs */
    double *work;                       /* per worker: starts 2^low, 2^(low + 1), starts */
    size_t work_size;
};

static int one_block(void *arg, size_t item, int worker)
{
    struct every *q = arg;
    const struct tamis_fei_ranking *r = q->r;
    size_t size = (size_t)1 << q->low, l = r->classes;
    double *v = q->work + (size_t)worker * q->work_size, *more = v + size * r->starts, *column = more + 2 * size;
    for (int i = 0; i < 2; i++) {
        for (size_t s = 0; s < r->starts; s++)
            tamis_fei_block(r->inputs, l, r->a[i] + r->inputs * l * s, r->b[i] + r->inputs * l * s, item << q->low,
                            q->low, more, v + size * s);
        for (size_t f = 0; f < size; f++) {
            for (size_t s = 0; s < r->starts; s++) column[s] = v[f + size * s];
            q->value[i][(item << q->low) + f] = median(column, r->starts);
        }
    }
    return TAMIS_OK;
}

static int every_set(tamis_context *cx, const struct tamis_fei_ranking *r, double *value[2])
{
    struct every q = {.r = r, .low = r->inputs < LOW ? r->inputs : LOW, .value = {value[0], value[1]}};
    q.work_size = ((size_t)1 << q.low) * (r->starts + 2) + r->starts;
    q.work = tamis_raw(cx, double, q.work_size * (size_t)tamis_threads(cx));
    int status = q.work ? tamis_parallel(cx, (size_t)1 << (r->inputs - q.low), one_block, &q) : tamis_status(cx);
    tamis_free(q.work);
    return status;
}

struct entry { double value; size_t mask, size, rank, overall; };

static int by_index(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    if (isnan(x->value) != isnan(y->value)) return isnan(x->value) - isnan(y->value);
    if (x->value > y->value || x->value < y->value) return x->value > y->value ? -1 : 1;
    return (x->mask > y->mask) - (x->mask < y->mask);
}

static int by_size(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    if (x->size != y->size) return x->size < y->size ? -1 : 1;
    return (x->rank > y->rank) - (x->rank < y->rank);
}

/* Ranks of all sets but the empty and the full one, within their size and overall; the first `list` of each size are
 * kept, ordered by size. */
static size_t entries_rank(const struct tamis_fei_ranking *r, const double *value, size_t list, struct entry *e)
{
    size_t count = ((size_t)1 << r->inputs) - 2, seen[TAMIS_FEI_ALL_SUBSETS + 1] = {0}, kept = 0;
    for (size_t i = 0; i < count; i++)
        e[i] = (struct entry){value[i + 1], i + 1, (size_t)__builtin_popcountll(i + 1), 0, 0};
    qsort(e, count, sizeof *e, by_index);
    for (size_t i = 0; i < count; i++) {
        e[i].overall = i + 1;
        e[i].rank = ++seen[e[i].size];
        if (e[i].rank <= list) e[kept++] = e[i];
    }
    qsort(e, kept, sizeof *e, by_size);
    return kept;
}

/* ---- as values ---- */

static const char *name_of(const struct tamis_fei_answer *w, size_t i) { return w->input[w->data->input[i]].name; }

/* A new record of the list with the names of the inputs in set. */
static tamis_value *add_set(const struct tamis_fei_answer *w, const unsigned char *set, tamis_value *list)
{
    tamis_value *one = tamis_add_record(list, NULL), *names = tamis_add_list(one, "inputs");
    for (size_t i = 0; i < w->data->inputs; i++)
        if (set[i]) tamis_add_text(names, NULL, name_of(w, i));
    return one;
}

static void add_entry(const struct tamis_fei_answer *w, const struct entry *e, double *const *value, tamis_value *list)
{
    unsigned char set[TAMIS_FEI_ALL_SUBSETS];
    for (size_t j = 0; j < w->ranking->inputs; j++) set[j] = e->mask >> j & 1;
    tamis_value *one = add_set(w, set, list);
    tamis_add_number(one, "fei", value[0][e->mask]);
    tamis_add_number(one, "fei2", value[1][e->mask]);
    tamis_add_number(one, "rank", (double)e->rank);
    tamis_add_number(one, "overall_rank", (double)e->overall);
}

static int add_every(tamis_context *cx, const struct tamis_fei_answer *w, tamis_value *list)
{
    const struct tamis_fei_ranking *r = w->ranking;
    size_t all = (size_t)1 << r->inputs, kept = 0,
           most = r->inputs <= TAMIS_FEI_LIST_ALL ? SIZE_MAX : w->settings->list;
    double *value[2] = {tamis_raw(cx, double, all), tamis_raw(cx, double, all)};
    struct entry *e = tamis_raw(cx, struct entry, all);
    int status = tamis_status(cx) ? tamis_status(cx) : every_set(cx, r, value);
    if (!status && r->inputs > 1) kept = entries_rank(r, value[tamis_fei_which(w->settings)], most, e);
    for (size_t i = 0; i < kept; i++) add_entry(w, &e[i], value, list);
    tamis_free(value[0]);
    tamis_free(value[1]);
    tamis_free(e);
    return status;
}

/* ---- the best set of each size ---- */

struct searches {
    tamis_context *cx;
    const struct tamis_fei_ranking *r;
    int which;
    double *work;                       /* per worker, as are the next two */
    size_t *index;
    unsigned char *flag;
    unsigned char *set;                 /* sizes x inputs */
    struct tamis_fei_found *found;
};

static int asked_to_stop(void *cx) { return tamis_cancelled(cx); }

static int one_size(void *arg, size_t item, int worker)
{
    struct searches *q = arg;
    const struct tamis_fei_ranking *r = q->r;
    size_t n = r->inputs, terms = r->classes * r->starts, at = (size_t)worker;
    double *work = q->work + at * tamis_fei_search_size(n, terms);
    struct tamis_fei_search s = {n, terms, item + 1, r->a[q->which], r->b[q->which], search_budget, work,
                                 q->index + at * 2 * n, q->flag + at * 3 * n, asked_to_stop, q->cx};
    tamis_fei_search(&s, q->set + n * item, &q->found[item]);
    return tamis_check_cancel(q->cx);
}

static int add_searched(tamis_context *cx, const struct tamis_fei_answer *w, tamis_value *list)
{
    const struct tamis_fei_ranking *r = w->ranking;
    size_t n = r->inputs, terms = r->classes * r->starts,
           sizes = w->settings->sizes < n - 1 ? w->settings->sizes : n - 1, threads = (size_t)tamis_threads(cx);
    struct searches q = {.cx = cx, .r = r, .which = tamis_fei_which(w->settings)};
    q.work = tamis_raw(cx, double, threads * tamis_fei_search_size(n, terms));
    q.index = tamis_raw(cx, size_t, threads * 2 * n);
    q.flag = tamis_raw(cx, unsigned char, threads * 3 * n);
    q.set = tamis_new(cx, unsigned char, sizes * n);
    q.found = tamis_new(cx, struct tamis_fei_found, sizes);
    double *more = tamis_raw(cx, double, r->starts);
    int status = tamis_status(cx);
    if (!status) status = tamis_parallel(cx, sizes, one_size, &q);
    for (size_t k = 0; !status && k < sizes; k++) {
        const unsigned char *set = q.set + n * k;
        tamis_value *one = add_set(w, set, list);
        tamis_add_number(one, "fei", set_value(r, 0, set, more));
        tamis_add_number(one, "fei2", set_value(r, 1, set, more));
        tamis_add_number(one, "rank", 1);
        tamis_add_number(one, "mean", q.found[k].value / (double)r->starts);
        tamis_add_number(one, "bound", q.found[k].bound / (double)r->starts);
        tamis_add_flag(one, "proved", q.found[k].proved);
    }
    tamis_free(q.work);
    tamis_free(q.index);
    tamis_free(q.flag);
    tamis_free(q.set);
    tamis_free(q.found);
    tamis_free(more);
    return status;
}

/* ---- the block ---- */

static void add_growth(const struct tamis_fei_growth *g, tamis_value *block)
{
    tamis_value *list = tamis_add_list(block, "growth");
    for (size_t i = 0; i < g->steps; i++) {
        tamis_value *one = tamis_add_record(list, NULL);
        tamis_add_number(one, "hidden", (double)g->hidden[i]);
        tamis_add_number(one, "cv", g->error[i]);
        tamis_add_number(one, "se", g->se[i]);
    }
}

static void add_head(const struct tamis_fei_answer *w, double *more, tamis_value *block)
{
    const struct tamis_fei_settings *s = w->settings;
    const struct tamis_fei_path *p = w->path;
    tamis_add_number(block, "hidden", (double)w->nodes);
    tamis_add_text(block, "index", s->index);
    tamis_add_text(block, "weights", s->weights);
    tamis_add_text(block, "pairs", s->pairs);
    tamis_add_number(block, "starts", (double)w->ranking->starts);
    tamis_add_text(block, "rule", tamis_fei_rules[strcmp(s->rule, "se") != 0]);
    tamis_add_number(block, "best_size", (double)p->size[p->best]);
    tamis_add_number(block, "best_error", p->error[p->best]);
    tamis_add_number(block, "se", p->se[p->best]);
    add_growth(w->growth, block);
    tamis_value *baseline = tamis_add_record(block, "baseline");
    tamis_add_number(baseline, "fei", set_value(w->ranking, 0, NULL, more));
    tamis_add_number(baseline, "fei2", set_value(w->ranking, 1, NULL, more));
}

static void add_by_input(const struct tamis_fei_answer *w, const char *key, const double *value, tamis_value *block)
{
    tamis_value *v = tamis_add_record(block, key);
    for (size_t i = 0; i < w->data->inputs; i++) tamis_add_number(v, name_of(w, i), value[i]);
}

/* The medians over starts of every input's index, by both indices. */
static int add_singles(tamis_context *cx, const struct tamis_fei_answer *w, tamis_value *block)
{
    const struct tamis_fei_ranking *r = w->ranking;
    size_t n = r->inputs;
    double *single = tamis_raw(cx, double, n * r->starts), *work = tamis_raw(cx, double, 2 * n + r->starts),
           *value = tamis_raw(cx, double, n);
    for (int i = 0; i < 2 && !tamis_status(cx); i++) {
        for (size_t s = 0; s < r->starts; s++)
            tamis_fei_singles(n, r->classes, r->a[i] + n * r->classes * s, r->b[i] + n * r->classes * s, work,
                              single + n * s);
        for (size_t j = 0; j < n; j++) {
            for (size_t s = 0; s < r->starts; s++) work[s] = single[j + n * s];
            value[j] = median(work, r->starts);
        }
        add_by_input(w, i ? "single_fei2" : "single_fei", value, block);
    }
    tamis_free(single);
    tamis_free(work);
    tamis_free(value);
    return tamis_status(cx);
}

static void add_shown(const struct tamis_fei_answer *w, tamis_value *block)
{
    char best[64];
    size_t n = w->ranking->inputs;
    tamis_snprintf(best, sizeof best, "the best %zu of each size, of all", w->settings->list);
    tamis_add_text(block, "subsets_shown",
                   n <= TAMIS_FEI_LIST_ALL      ? "all"
                   : n <= TAMIS_FEI_ALL_SUBSETS ? best
                                                : "the best found of each size; mean over starts, bound: no set of the "
                                                  "size has a larger mean");
}

int tamis_fei_block_fill(tamis_context *cx, const struct tamis_fei_answer *w, tamis_value *block)
{
    double *more = tamis_raw(cx, double, w->ranking->starts);
    if (!more) return tamis_status(cx);
    add_head(w, more, block);
    tamis_free(more);
    int status = add_singles(cx, w, block);
    add_by_input(w, "mean_rank", w->ranking->mean_rank, block);
    add_by_input(w, "rank_agreement", w->ranking->agreement, block);
    add_shown(w, block);
    tamis_value *list = tamis_add_list(block, "subsets");
    if (!status)
        status = w->ranking->inputs <= TAMIS_FEI_ALL_SUBSETS ? add_every(cx, w, list) : add_searched(cx, w, list);
    return status ? status : tamis_status(cx);
}
