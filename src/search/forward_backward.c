/* Forward-backward search: each step is the best single addition or removal, as long as it lowers the criterion. From a
 * set with more inputs than allowed, each step is the best removal, whether it lowers the criterion or not.
 * [1] F. Mateo, A. Lendasse, A variable selection approach based on the Delta Test for Extreme Learning Machine models,
 * 2008, section 5.2.
 *
 * DIFFERS [1]: strict descent, so that it cannot cycle. With --accept-equal a step to an equal value is taken, as the
 * paper's text allows, and the search ends when it returns to a set. Local minima do occur: the product of two inputs
 * shows in neither of them alone, and is found from the full set or from random ones, not from the empty one. */
#include <stddef.h>
#include <string.h>
#include "search/searches.h"

struct settings { int equal; };

static const struct tamis_option rows[] = {
    TAMIS_START_ROWS("empty"),
    {"accept-equal", TAMIS_FLAG, offsetof(struct settings, equal), NULL, 0, 0, NULL, NULL,
     "also take steps that leave the criterion unchanged, until a set recurs"},
    {0}};

enum { USUAL_STEPS = 15 };

static double remaining(const struct tamis_walk *r)
{
    double d = (double)r->design->inputs, steps = USUAL_STEPS < d ? USUAL_STEPS : d,
           taken = (double)r->moves - (double)r->state[1];
    return r->done ? 0 : d * ((steps > taken ? steps - taken : 1) + (double)(r->restarts - r->state[0]) * steps);
}

/* Whether the current set has occurred before, since this start. */
static int recurs(struct tamis_walk *r, int *before)
{
    size_t n = r->design->inputs;
    unsigned char *set = tamis_raw(r->cx, unsigned char, n);
    *before = 0;
    for (size_t k = (size_t)r->state[1]; set && k + 1 < r->moves && !*before; k++) {
        tamis_walk_set_at(r, k, set);
        *before = !memcmp(set, r->set, n);
    }
    tamis_free(set);
    return tamis_status(r->cx);
}

static int step(struct tamis_walk *r)
{
    const struct settings *s = r->settings;
    size_t best;
    struct tamis_score score;
    int before = 0, over = tamis_walk_over(r);
    if (!r->moves) return tamis_start_first(r) < 0 ? tamis_status(r->cx) : TAMIS_OK;
    if (tamis_step_best(r, over ? 1 : -1, &best, &score)) return tamis_status(r->cx);
    if (best == SIZE_MAX || (!over && !tamis_step_better(score.value, tamis_walk_last(r)->value, s->equal)))
        return tamis_start_next(r);
    if (tamis_walk_accept(r, &best, 1, !r->set[best], &score) || (s->equal && recurs(r, &before)))
        return tamis_status(r->cx);
    return before ? tamis_start_next(r) : TAMIS_OK;
}

const struct tamis_search tamis_forward_backward = {
    .name = "forward-backward",
    .summary = "the best single addition or removal, while the criterion falls",
    .options = rows,
    .settings_size = sizeof(struct settings),
    .remaining = remaining,
    .step = step,
    .starts = 1,
};
