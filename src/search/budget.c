/* Improves the best set within a budget, which a path may miss. From the best affordable set on the path (or the inputs
 * that must stay), each round makes the best of these changes while the criterion falls: add an input that the budget
 * allows, or exchange one input for another. */
#include <math.h>
#include <string.h>
#include "search/searches.h"

enum { MOST_TRIALS = 4000 };                    /* evaluations per round; beyond that, additions only */

struct round { size_t out, in; struct tamis_score score, without; };    /* out SIZE_MAX: an addition */

static double cost_now(const struct tamis_walk *r) { return r->move[r->moves - 1].cost; }

/* The best addition to the current set, from which `out` may have been removed, at a cost of at most `left` and within
 * the room for inputs. */
static int best_addition(struct tamis_walk *r, size_t out, double left, size_t *toggle, struct tamis_score *score,
                         struct round *best)
{
    static const size_t self[1] = {SIZE_MAX};
    struct tamis_score without = {0};
    size_t n = 0, room = tamis_walk_room(r);
    for (size_t i = 0; i < r->design->inputs; i++)
        if (!r->set[i] && i != out && tamis_walk_candidate(r, i) && r->limits.cost[i] <= left &&
            tamis_walk_members(r, i) <= room)
            toggle[n++] = i;
    if (!n) return TAMIS_OK;
    int status = r->criterion->evaluate(r->scorer, r->set, toggle, n, tamis_walk_last(r), score);
    for (size_t k = 0; k < n && !status; k++) {
        if (!tamis_step_better(score[k].value, best->score.value, 0)) continue;
        if (out != SIZE_MAX && best->out != out)
            status = r->criterion->evaluate(r->scorer, r->set, self, 1, tamis_walk_last(r), &without);
        *best = (struct round){out, toggle[k], score[k], without};
    }
    return status;
}

static int exchanges(struct tamis_walk *r, size_t *toggle, struct tamis_score *score, struct round *best)
{
    size_t size = tamis_walk_size(r);
    int status = TAMIS_OK;
    if (size * (r->design->inputs - size) > MOST_TRIALS) return TAMIS_OK;
    for (size_t i = 0; i < r->design->inputs && !status; i++) {
        if (!r->set[i] || tamis_walk_must(r, i)) continue;
        r->set[i] = 0;
        status = best_addition(r, i, r->limits.budget - cost_now(r) + r->limits.cost[i], toggle, score, best);
        r->set[i] = 1;
        if (!status) status = tamis_check_cancel(r->cx);
    }
    return status;
}

static int accept(struct tamis_walk *r, const struct round *best)
{
    if (best->out != SIZE_MAX && tamis_walk_accept(r, &best->out, 1, 0, &best->without)) return tamis_status(r->cx);
    return tamis_walk_accept(r, &best->in, 1, 1, &best->score);
}

/* Goes to the best set within the limits, or else to the smallest set. */
static int begin(struct tamis_walk *r, unsigned char *wanted)
{
    size_t best = tamis_walk_best(r);
    if (best < r->moves) tamis_walk_set_at(r, best, wanted);
    else for (size_t i = 0; i < r->design->inputs; i++) wanted[i] = (unsigned char)tamis_walk_must(r, i);
    return tamis_walk_goto(r, wanted);
}

int tamis_walk_polish(struct tamis_walk *r)
{
    size_t n = r->design->inputs, *toggle = tamis_raw(r->cx, size_t, n);
    unsigned char *wanted = tamis_new(r->cx, unsigned char, n);
    struct tamis_score *score = tamis_raw(r->cx, struct tamis_score, n);
    int status = tamis_status(r->cx);
    if (!status) status = begin(r, wanted);
    while (!status && r->moves && tamis_walk_within(r, &r->move[r->moves - 1])) {
        struct round best = {SIZE_MAX, SIZE_MAX, *tamis_walk_last(r), {0}};
        status = best_addition(r, SIZE_MAX, r->limits.budget - cost_now(r), toggle, score, &best);
        if (!status) status = exchanges(r, toggle, score, &best);
        if (status || best.in == SIZE_MAX) break;
        status = accept(r, &best);
    }
    tamis_free(toggle);
    tamis_free(wanted);
    tamis_free(score);
    return status;
}
