/* Forward selection: from the empty set, each step adds the input whose set has the smallest criterion; ties go to the lowest
 * column. The whole path is run (the minimum may come late), or up to max-inputs. Baseline of
 * [1] J. Tikka, J. Hollmen, ESANN 2008, section 4. */
#include <math.h>
#include <stddef.h>
#include "search/searches.h"

struct settings { size_t most; };

static const struct tamis_option rows[] = {
    {"max-inputs", TAMIS_COUNT, offsetof(struct settings, most), "all", 1, 1e9, "all", "K|all", "the path ends at sets of this size"},
    {0}
};

static size_t last_size(const struct tamis_run *r)
{
    const struct settings *s = r->settings;
    return s->most < r->design->inputs ? s->most : r->design->inputs;
}

static double remaining(const struct tamis_run *r)
{
    double d = (double)r->design->inputs, left = 0;
    for (size_t k = tamis_run_size(r); k < last_size(r); k++) left += d - (double)k;
    return left;
}

static size_t candidates(const struct tamis_run *r, size_t *toggle)
{
    size_t n = 0;
    for (size_t i = 0; i < r->design->inputs; i++)
        if (!r->set[i]) toggle[n++] = i;
    return n;
}

static size_t smallest(const struct tamis_score *score, size_t n)
{
    size_t best = 0;
    for (size_t k = 1; k < n; k++)
        if (score[k].value < score[best].value || (score[k].value == score[best].value && score[k].second < score[best].second)) best = k;
    return best;
}

static int step(struct tamis_run *r)
{
    size_t *toggle = tamis_raw(r->cx, size_t, r->design->inputs);
    struct tamis_score *score = tamis_raw(r->cx, struct tamis_score, r->design->inputs);
    size_t n = toggle && score ? candidates(r, toggle) : 0;
    if (n && !r->criterion->evaluate(r->judge, r->set, toggle, n, tamis_run_last(r), score)) {
        size_t best = smallest(score, n);
        tamis_run_accept(r, &toggle[best], 1, 1, &score[best]);
        r->done = tamis_run_size(r) >= last_size(r);
    }
    tamis_free(toggle);
    tamis_free(score);
    return tamis_status(r->cx);
}

const struct tamis_search tamis_forward = {"forward", "from the empty set, the best addition at each step", rows, sizeof(struct settings), 0, remaining, step};
