/* No search: all inputs, one evaluation. For methods that run without a selection of inputs. */
#include "search/searches.h"

static const struct tamis_option rows[] = {{0}};

static double remaining(const struct tamis_walk *r) { return !r->moves; }

static int step(struct tamis_walk *r)
{
    static const size_t self[1] = {SIZE_MAX};
    struct tamis_score score;
    int status = r->criterion->evaluate(r->scorer, r->set, self, 1, NULL, &score);
    r->done = 1;
    return status ? status : tamis_walk_accept(r, NULL, 0, 0, &score);
}

const struct tamis_search tamis_keep = {
    .name = "keep",
    .summary = "no search: all inputs are kept",
    .options = rows,
    .keeps = 1,
    .start_full = 1,
    .remaining = remaining,
    .step = step,
};
