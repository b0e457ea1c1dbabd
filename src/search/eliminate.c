/* Backward elimination by relevance: from all inputs, each step removes the least relevant one, at one evaluation.
 * [1] J. Tikka, J. Hollmen, Selection of important input variables for RBF network using partial derivatives, ESANN
 * 2008, Algorithm 1.
 *
 * Relevances within a relative 1e-9 of the smallest are tied; of tied inputs the lowest column is removed first.
 * DIFFERS [1] with drop-fraction f > 0: while more than drop-until inputs remain, max(1, floor(f size)) of them are
 * removed in one step. */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include "num/compare.h"
#include "search/searches.h"

struct settings { double fraction; size_t least; };

static const struct tamis_option rows[] = {
    {"drop-fraction", TAMIS_REAL, offsetof(struct settings, fraction), "0", 0, 0.9, NULL, "F",
     "share of the inputs to drop in one step while more than --drop-until remain; 0: one at a time, as in the paper"},
    {"drop-until", TAMIS_COUNT, offsetof(struct settings, least), "100", 1, 1e9, NULL, "K",
     "once K inputs remain, drop one at a time"},
    {0}};

static size_t drop_count(const struct settings *s, size_t size)
{
    size_t n = (size_t)floor(s->fraction * (double)size);
    if (size <= s->least || n < 1) return 1;
    return size - n < s->least ? size - s->least : n;
}

static double remaining(const struct tamis_walk *r)
{
    double left = !r->moves;
    for (size_t size = tamis_walk_size(r); size > 1; size -= drop_count(r->settings, size)) left++;
    return left;
}

/* What an input is worth: its relevance, or with costs its relevance per unit of cost; infinite if it must stay. */
static double worth(const struct tamis_walk *r, size_t i)
{
    if (tamis_walk_must(r, i)) return INFINITY;
    return r->limits.cost ? r->relevance[i] / fmax(r->limits.cost[i], 1e-300) : r->relevance[i];
}

/* The next input to remove: the one with the smallest worth, of tied ones the lowest column. */
static size_t least_relevant(const struct tamis_walk *r)
{
    double least = INFINITY;
    size_t i;
    for (i = 0; i < r->design->inputs; i++)
        if (r->set[i] && worth(r, i) < least) least = worth(r, i);
    for (i = 0; i < r->design->inputs; i++)
        if (r->set[i] && tamis_at_most(worth(r, i), least, TAMIS_FITTED)) break;
    return i;
}

static size_t may_leave(const struct tamis_walk *r)
{
    size_t n = 0;
    for (size_t i = 0; i < r->design->inputs; i++) n += r->set[i] && !tamis_walk_must(r, i);
    return n;
}

struct ranked { double relevance; size_t input; };

static int by_relevance(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    if (x->relevance != y->relevance) return x->relevance < y->relevance ? -1 : 1;
    return (x->input > y->input) - (x->input < y->input);
}

/* Several inputs at once, in order of worth. */
static int choose_many(const struct tamis_walk *r, size_t *leave, size_t count)
{
    size_t n = 0;
    struct ranked *order = tamis_raw(r->cx, struct ranked, r->design->inputs);
    for (size_t i = 0; order && i < r->design->inputs; i++)
        if (r->set[i]) order[n++] = (struct ranked){worth(r, i), i};
    if (order) qsort(order, n, sizeof *order, by_relevance);
    for (size_t k = 0; order && k < count; k++) leave[k] = order[k].input;
    tamis_free(order);
    return tamis_status(r->cx);
}

static int evaluate_without(struct tamis_walk *r, const size_t *leave, size_t count, struct tamis_score *score)
{
    static const size_t self[1] = {SIZE_MAX};
    for (size_t k = 0; k < count; k++) r->set[leave[k]] = 0;
    int status = r->criterion->evaluate(r->scorer, r->set, self, 1, tamis_walk_last(r), score);
    for (size_t k = 0; k < count; k++) r->set[leave[k]] = 1;
    return status;
}

static int drop(struct tamis_walk *r)
{
    struct tamis_score score;
    size_t size = tamis_walk_size(r), count = drop_count(r->settings, size);
    if (count > may_leave(r)) count = may_leave(r);
    size_t *leave = tamis_raw(r->cx, size_t, count);
    if (leave && count == 1) leave[0] = least_relevant(r);
    else if (leave) choose_many(r, leave, count);
    if (!tamis_status(r->cx) && !evaluate_without(r, leave, count, &score))
        tamis_walk_accept(r, leave, count, 0, &score);
    tamis_free(leave);
    return tamis_status(r->cx);
}

static int step(struct tamis_walk *r)
{
    static const size_t self[1] = {SIZE_MAX};
    struct tamis_score score;
    int status;
    if (!r->moves) {
        status = r->criterion->evaluate(r->scorer, r->set, self, 1, NULL, &score);
        return status ? status : tamis_walk_accept(r, NULL, 0, 0, &score);
    }
    status = r->criterion->fit(r->scorer, r->set, tamis_walk_last(r), NULL, r->relevance);
    if (status) return status;
    if (tamis_walk_size(r) > 1 && may_leave(r)) return drop(r);
    r->done = 1;
    return TAMIS_OK;
}

const struct tamis_search tamis_eliminate = {
    .name = "eliminate",
    .summary = "from all inputs, the least relevant is removed at each step",
    .options = rows,
    .settings_size = sizeof(struct settings),
    .start_full = 1,
    .remaining = remaining,
    .step = step,
};
