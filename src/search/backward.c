/* Backward selection: from all inputs (or another start), each step removes the input whose removal gives the smallest
 * criterion; ties go to the lowest column. The path runs down to the empty set, because the minimum may come late. */
#include <stddef.h>
#include "search/searches.h"

static const struct tamis_option rows[] = {TAMIS_START_ROWS("full"), {0}};

static double remaining(const struct tamis_walk *r)
{
    double k = (double)tamis_walk_size(r), d = (double)r->design->inputs;
    return !r->moves + k * (k + 1) / 2 + (double)(r->restarts - r->state[0]) * d * (d + 2) / 8;
}

static int step(struct tamis_walk *r)
{
    size_t best;
    struct tamis_score score;
    if (!r->moves) return tamis_start_first(r) < 0 ? tamis_status(r->cx) : TAMIS_OK;
    if (tamis_step_best(r, 1, &best, &score)) return tamis_status(r->cx);
    return best == SIZE_MAX ? tamis_start_next(r) : tamis_walk_accept(r, &best, 1, 0, &score);
}

const struct tamis_search tamis_backward = {
    .name = "backward",
    .summary = "from all inputs, the best removal at each step",
    .options = rows,
    .start_full = 1,
    .remaining = remaining,
    .step = step,
    .starts = 1,
};
