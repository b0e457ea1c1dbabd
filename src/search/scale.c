/* Weights of the inputs after a search: from the best set with weights 1, each step sets one input to the weight among
 * 0, 0.1, ..., 1 that lowers the criterion most, until none does. Inputs that were not selected may enter, too, up
 * to the largest number allowed.
 * [1] F. Mateo, A. Lendasse, A variable selection approach based on the Delta Test for Extreme Learning Machine models,
 * 2008, section 5.5: the paper does not say what a step is; this reading needs 5 to 9 times as many evaluations as the
 * search, which agrees with the paper's times. */
#include <math.h>
#include "base/format.h"
#include "search/searches.h"

enum { GRID = 11 };

int tamis_scaling_check(tamis_context *cx, const struct tamis_criterion *criterion)
{
    char names[256] = "";
    const struct tamis_criterion *c;
    if (criterion->weigh) return TAMIS_OK;
    for (size_t i = 0, n = 0; (c = tamis_criterion_at(i)) && n < sizeof names; i++)
        if (c->weigh) n += (size_t)tamis_snprintf(names + n, sizeof names - n, "%s%s", n ? ", " : "", c->name);
    return tamis_fail(cx, TAMIS_USAGE, "--scaling: criterion %s has no weights; use one of %s", criterion->name, names);
}

int tamis_scale_begin(struct tamis_walk *r)
{
    size_t best = tamis_walk_best(r);
    if (tamis_scaling_check(r->cx, r->criterion)) return tamis_status(r->cx);
    if (best == r->moves || !isfinite(r->move[best].score.value))
        return tamis_fail(r->cx, TAMIS_NUMERIC, "--scaling: no set of the search has a finite criterion");
    tamis_walk_set_at(r, best, r->tenth);
    for (size_t i = 0; i < r->design->inputs; i++) r->tenth[i] *= 10;
    r->scaled_value = r->move[best].score.value;
    r->scaled = 1;
    return TAMIS_OK;
}

static size_t changes(const struct tamis_walk *r, struct tamis_change *c)
{
    size_t n = 0, size = 0;
    for (size_t i = 0; i < r->design->inputs; i++) size += r->tenth[i] > 0;
    int full = r->limits.most && size >= r->limits.most;
    for (size_t i = 0; i < r->design->inputs; i++)
        for (unsigned char t = 0; t < GRID && tamis_walk_candidate(r, i) && (!full || r->tenth[i]); t++)
            if (t != r->tenth[i] && (t || !tamis_walk_must(r, i))) c[n++] = (struct tamis_change){i, t};
    return n;
}

int tamis_scale_step(struct tamis_walk *r)
{
    size_t n = (GRID - 1) * r->design->inputs, best = 0;
    struct tamis_change *c = tamis_raw(r->cx, struct tamis_change, n);
    struct tamis_score *score = tamis_raw(r->cx, struct tamis_score, n);
    if (c) n = changes(r, c);
    if (c && score && !r->criterion->weigh(r->scorer, r->tenth, c, n, score)) {
        for (size_t k = 1; k < n; k++)
            if (tamis_step_better(score[k].value, score[best].value, 0)) best = k;
        if (tamis_step_better(score[best].value, r->scaled_value, 0)) {
            r->tenth[c[best].input] = c[best].tenth;
            r->scaled_value = score[best].value;
            r->scale_steps++;
        } else r->scaled = 2;
    }
    tamis_free(c);
    tamis_free(score);
    return tamis_status(r->cx);
}
