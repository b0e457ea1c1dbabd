/* Forward selection: from the empty set (or another start), each step adds the input whose addition gives the smallest
 * criterion; ties go to the lowest column. The path runs to all inputs, because the minimum may come late, to the
 * largest number allowed, or to where the criterion says that additions no longer help; a start with more inputs than
 * that is first reduced by the best removals. The baseline of
 * [1] J. Tikka, J. Hollmen, ESANN 2008, section 4. */
#include <stddef.h>
#include "search/searches.h"

static const struct tamis_option rows[] = {TAMIS_START_ROWS("empty"), {0}};

static size_t last_size(const struct tamis_walk *r)
{
    size_t all = tamis_walk_candidates(r);
    return r->limits.most && r->limits.most < all ? r->limits.most : all;
}

static double remaining(const struct tamis_walk *r)
{
    double d = (double)tamis_walk_candidates(r), left = 0;
    for (size_t k = tamis_walk_size(r); k < last_size(r); k++) left += d - (double)k;
    return left;
}

static int step(struct tamis_walk *r)
{
    size_t best = SIZE_MAX;
    struct tamis_score score;
    int over = tamis_walk_over(r);
    if (!r->moves && (r->keep_start || tamis_walk_size(r)))
        return tamis_start_first(r) < 0 ? tamis_status(r->cx) : TAMIS_OK;
    if (r->moves && !over && r->criterion->ends && r->criterion->ends(r->scorer, r->set))
        return tamis_status(r->cx) ? tamis_status(r->cx) : tamis_start_next(r);
    if ((over || tamis_walk_size(r) < last_size(r)) && tamis_step_best(r, over, &best, &score))
        return tamis_status(r->cx);
    if (best == SIZE_MAX) return tamis_start_next(r);
    if (tamis_walk_accept(r, &best, 1, !over, &score)) return tamis_status(r->cx);
    return !over && tamis_walk_size(r) >= last_size(r) ? tamis_start_next(r) : TAMIS_OK;
}

const struct tamis_search tamis_forward = {
    .name = "forward",
    .summary = "from the empty set, the best addition at each step",
    .options = rows,
    .remaining = remaining,
    .step = step,
    .starts = 1,
};
