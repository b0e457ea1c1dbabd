/* Bundles of inputs for searches that know only inputs. */
#include <math.h>
#include <string.h>
#include "search/bundle.h"

static void set_expand(const struct tamis_bundles *b, const unsigned char *bundle, unsigned char *set)
{
    for (size_t i = 0; i < b->design->inputs; i++) set[i] = b->of[i] < b->count && bundle[b->of[i]];
}

static size_t members(const struct tamis_bundles *b, size_t bundle, size_t *only)
{
    size_t n = 0;
    for (size_t i = 0; i < b->design->inputs; i++)
        if (b->of[i] == bundle) n++, *only = i;
    return n;
}

/* ---- the criterion that the search sees ---- */

/* Bundles of one input are evaluated in one call, so that the inner criterion can share work; the others one by one. */
static int evaluate(void *self, const unsigned char *base, const size_t *toggle, size_t count,
                    const struct tamis_score *hint, struct tamis_score *score)
{
    static const size_t itself[1] = {SIZE_MAX};
    const struct tamis_bundles *b = self;
    size_t n = 0, *single = tamis_raw(b->cx, size_t, count), *place = tamis_raw(b->cx, size_t, count);
    unsigned char *set = tamis_raw(b->cx, unsigned char, b->design->inputs);
    struct tamis_score *found = tamis_raw(b->cx, struct tamis_score, count);
    int status = tamis_status(b->cx);
    for (size_t k = 0; !status && k < count; k++) {
        size_t only = 0;
        set_expand(b, base, set);
        if (toggle[k] != SIZE_MAX && members(b, toggle[k], &only) == 1) {
            single[n] = only;
            place[n++] = k;
            continue;
        }
        for (size_t i = 0; i < b->design->inputs; i++)
            if (b->of[i] == toggle[k]) set[i] = !set[i];
        status = b->inner->evaluate(b->scorer, set, itself, 1, hint, &score[k]);
    }
    if (!status && n) {
        set_expand(b, base, set);
        status = b->inner->evaluate(b->scorer, set, single, n, hint, found);
        for (size_t k = 0; !status && k < n; k++) score[place[k]] = found[k];
    }
    tamis_free(single);
    tamis_free(place);
    tamis_free(set);
    tamis_free(found);
    return status;
}

/* The relevance of a bundle is the sum over its inputs. */
static int fit(void *self, const unsigned char *bundle, const struct tamis_score *at, struct tamis_model **model,
               double *relevance)
{
    const struct tamis_bundles *b = self;
    size_t n = b->design->inputs;
    unsigned char *set = tamis_raw(b->cx, unsigned char, n);
    double *own = tamis_raw(b->cx, double, n);
    int status = tamis_status(b->cx);
    for (size_t i = 0; !status && i < n; i++) own[i] = NAN;
    if (!status) {
        set_expand(b, bundle, set);
        status = b->inner->fit(b->scorer, set, at, model, own);
    }
    for (size_t k = 0; !status && relevance && k < b->count; k++)
        if (bundle[k]) relevance[k] = 0;
    for (size_t i = 0; !status && relevance && i < n; i++)
        if (set[i]) relevance[b->of[i]] += own[i];
    tamis_free(set);
    tamis_free(own);
    return status;
}

static void bound(void *self, double above)
{
    const struct tamis_bundles *b = self;
    b->inner->bound(b->scorer, above);
}

/* ---- the view ---- */

/* Constants leave their bundles, unless they must stay; a bundle of nothing else is a constant. */
static int view_fill(struct tamis_bundles *b, const unsigned char *must)
{
    struct tamis_encoder *e = tamis_new(b->cx, struct tamis_encoder, 1);
    if (!e) return tamis_status(b->cx);
    b->view = *b->design;
    b->view.encoder = e;
    b->view.inputs = b->count;
    e->inputs = b->count;
    e->classes = b->design->encoder->classes;
    if (!(e->input = tamis_new(b->cx, struct tamis_feature, b->count))) return tamis_status(b->cx);
    for (size_t k = 0; k < b->count; k++) e->input[k].constant = 1;
    for (size_t i = b->design->inputs; i-- > 0;) {
        e->input[b->of[i]].name = b->design->encoder->input[i].name;
        if (b->design->encoder->input[i].constant && !(must && must[i])) b->of[i] = SIZE_MAX;
        else e->input[b->of[i]].constant = 0;
    }
    return TAMIS_OK;
}

static int limits_fill(struct tamis_bundles *b, const struct tamis_limits *limits)
{
    b->limits = (struct tamis_limits){.budget = limits->budget, .most = limits->most};
    if (limits->must) b->limits.must = b->must = tamis_new(b->cx, unsigned char, b->count);
    if (limits->cost) b->limits.cost = b->cost = tamis_new(b->cx, double, b->count);
    if (limits->most) b->limits.members = b->members = tamis_new(b->cx, size_t, b->count);
    for (size_t i = 0; !tamis_status(b->cx) && i < b->design->inputs; i++) {
        if (b->of[i] == SIZE_MAX) continue;
        if (limits->most) b->members[b->of[i]]++;
        if (limits->must) b->must[b->of[i]] |= limits->must[i];
        if (limits->cost) b->cost[b->of[i]] += limits->cost[i];
    }
    return tamis_status(b->cx);
}

struct tamis_bundles *tamis_bundles_new(tamis_context *cx, const struct tamis_design *d, const size_t *of, size_t count,
                                        const struct tamis_criterion *c, void *scorer,
                                        const struct tamis_limits *limits)
{
    struct tamis_bundles *b = tamis_new(cx, struct tamis_bundles, 1);
    if (!b) return NULL;
    b->cx = cx, b->count = count, b->inner = c, b->scorer = scorer, b->design = d;
    b->criterion = *c;
    b->criterion.evaluate = evaluate;
    b->criterion.fit = fit;
    b->criterion.bound = c->bound ? bound : NULL;
    b->criterion.weigh = NULL;
    b->criterion.fit_weighed = NULL;
    if ((b->of = tamis_raw(cx, size_t, d->inputs))) memcpy(b->of, of, d->inputs * sizeof *of);
    if (b->of && !view_fill(b, limits->must) && !limits_fill(b, limits)) return b;
    tamis_bundles_free(b);
    return NULL;
}

void tamis_bundles_free(struct tamis_bundles *b)
{
    if (!b) return;
    if (b->view.encoder) tamis_free(b->view.encoder->input);    /* the names are the design's */
    tamis_free(b->view.encoder);
    tamis_free(b->of);
    tamis_free(b->must);
    tamis_free(b->cost);
    tamis_free(b->members);
    tamis_free(b);
}

/* ---- back to inputs ---- */

static int move_expand(const struct tamis_bundles *b, const struct tamis_walk *r, const struct tamis_move *m,
                       struct tamis_walk *to, size_t *input)
{
    size_t n = 0;
    for (size_t k = 0; k < m->count; k++)
        for (size_t i = 0; i < b->design->inputs; i++)
            if (b->of[i] == r->changed[m->first + k]) input[n++] = i;
    return tamis_walk_accept(to, input, n, m->added, &m->score);
}

struct tamis_walk *tamis_bundles_expand(const struct tamis_bundles *b, const struct tamis_walk *r,
                                        const struct tamis_limits *limits)
{
    struct tamis_walk *to = tamis_walk_new(b->cx, b->design, b->inner, b->scorer, tamis_search_find("keep"), NULL);
    size_t *input = tamis_raw(b->cx, size_t, b->design->inputs);
    if (to && input) {
        to->search = r->search;
        set_expand(b, r->start, to->start);
        tamis_walk_limit(to, limits);
        for (size_t k = 0; k < r->moves && !tamis_status(b->cx); k++) move_expand(b, r, &r->move[k], to, input);
        for (size_t i = 0; i < b->design->inputs; i++)
            to->relevance[i] = b->of[i] < b->count ? r->relevance[b->of[i]] : NAN;
        to->done = 1;
    }
    tamis_free(input);
    if (!tamis_status(b->cx)) return to;
    tamis_walk_free(to);
    return NULL;
}
