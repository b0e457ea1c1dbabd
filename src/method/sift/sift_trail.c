/* A trail: the terms that a search finds, a network beside them where that is worth its price, and inputs that leave
 * one by one. */
#include <math.h>
#include <string.h>
#include "method/sift/sift_mix.h"

enum { START_ROUNDS = 12, STEP_ROUNDS = 6, TRIALS = 3, TRIAL_CENTRES = 100,
       CROWD = 20, LEAVERS = 16 };      /* with more inputs than CROWD an eighth leave at once, at most LEAVERS */
static const double idle = 1e-3;                /* of the noise: what leaves a network without learning again */
static const double network_price = 3;          /* in log evidence: a network must be clearly better than none */

/* ---- records ---- */

struct trail {
    const struct sift_ground *g;
    struct sift_mix x;
    struct sift_trail *p;
    const size_t *held;
    unsigned char *set;
    double *share;                      /* inputs: of the variance */
    int measured;                       /* the path of the network of the target was measured on the held rows */
};

static int losses_record(struct trail *t, size_t at)
{
    struct sift_trail *p = t->p;
    size_t m = p->held;
    double *out = tamis_raw(t->g->frame.cx, double, m * t->g->frame.outputs + 1);
    int status = out ? sift_fit_predict(&t->x.fit, t->held, m, out) : tamis_status(t->g->frame.cx);
    if (!status) sift_losses(&t->g->frame, t->held, m, out, p->loss + at * m, p->prediction + at * m);
    if (!status) sift_scores(&t->g->frame, m, out, p->score + at * m * p->scores);
    tamis_free(out);
    return status;
}

/* The set that the model now has; with bundles and inputs that must stay, those too. */
static size_t set_find(struct trail *t)
{
    const struct sift_ground *g = t->g;
    size_t inputs = g->functions.d->inputs, n = 0;
    sift_fit_set(&t->x.fit, t->x.net_set, t->set);
    for (size_t i = 0; i < inputs; i++) {
        if (g->must && g->must[i]) t->set[i] = 1;
        for (size_t j = 0; g->unit && t->set[i] && j < inputs; j++) t->set[j] |= g->unit[j] == g->unit[i];
    }
    for (size_t i = 0; i < inputs; i++) n += t->set[i];
    return n;
}

static int record(struct trail *t)
{
    struct sift_trail *p = t->p;
    size_t inputs = t->g->functions.d->inputs, size = set_find(t), at = sift_trail_grow(t->g->frame.cx, p, inputs);
    if (at == SIZE_MAX) return tamis_status(t->g->frame.cx);
    p->size[at] = size;
    memcpy(p->set + at * inputs, t->set, inputs);
    p->evidence[at] = sift_fit_gain(&t->x.fit);
    sift_fit_shares(&t->x.fit, t->x.relevance, t->share);
    for (size_t i = 0; i < inputs; i++)
        if (t->set[i]) p->share[i] = t->share[i];
    return losses_record(t, at);
}

/* ---- who leaves ---- */

static size_t unit_of(const struct sift_ground *g, size_t input) { return g->unit ? g->unit[input] : input; }

static int term_holds(const struct sift_ground *g, const struct sift_term *m, size_t unit)
{
    for (size_t k = 0; k < m->inputs; k++)
        if (unit_of(g, m->input[k]) == unit) return 1;
    return 0;
}

/* What a unit brings, under a budget for each unit of its cost; what the budget cannot pay brings nothing. */
static double per_cost(const struct sift_ground *g, size_t unit, double brings)
{
    double cost = 0;
    if (!g->cost) return brings;
    for (size_t i = 0; i < g->functions.d->inputs; i++)
        if (unit_of(g, i) == unit) cost += g->cost[i];
    return cost > g->budget ? -INFINITY : brings / cost;
}

/* Units that may leave: the `most` with the least share, in `unit`; how many. */
static size_t least_units(struct trail *t, size_t most, size_t *unit)
{
    const struct sift_ground *g = t->g;
    size_t inputs = g->functions.d->inputs, n = 0;
    double least[LEAVERS];
    for (size_t i = 0; i < inputs; i++) {
        double sum = 0;
        int stays = 0, first = t->set[i];
        for (size_t j = g->unit ? 0 : i; first && j < (g->unit ? inputs : i + 1); j++) {
            if (unit_of(g, j) != unit_of(g, i)) continue;
            sum += t->share[j];
            stays |= g->must && g->must[j];
            if (j < i) first = 0;
        }
        if (!first || stays) continue;
        sum = per_cost(g, unit_of(g, i), sum);
        size_t at = n < most ? n++ : most;
        for (; at && sum < least[at - 1]; at--)
            if (at < most) least[at] = least[at - 1], unit[at] = unit[at - 1];
        if (at < most) least[at] = sum, unit[at] = unit_of(g, i);
    }
    return n;
}

/* Evidence without a unit of the network and the terms in skip[]. Terms and network hold the same inputs and stand in
 * for each other, so they leave together. The other weights are not learnt again, and few centres will do. */
static int evidence_without(struct trail *t, size_t unit, const unsigned char *skip, double *evidence)
{
    struct sift_fit *f = &t->x.fit;
    size_t inputs = t->g->functions.d->inputs, left = 0;
    unsigned char *set = tamis_raw(f->v->cx, unsigned char, inputs);
    struct sift_gauss *net = NULL;
    if (!set) return tamis_status(f->v->cx);
    for (size_t i = 0; i < inputs; i++) left += set[i] = t->x.net_set[i] && unit_of(t->g, i) != unit;
    if (left)
        net = sift_gauss_make(f->v->cx, t->g->functions.d, set, t->x.weight, f->v->row, f->v->n, TRIAL_CENTRES,
                              2 * TRIAL_CENTRES);
    if (!tamis_status(f->v->cx)) sift_fit_other(f, net, f->variance[f->net_block], skip, STEP_ROUNDS, evidence);
    tamis_free(set);
    return tamis_status(f->v->cx);
}

/* What a unit costs to lose: minus the evidence without it, or under a budget what it brings for its cost. */
static int loss_of(struct trail *t, size_t unit, double *cost)
{
    struct sift_fit *f = &t->x.fit;
    size_t terms = 0, network = 0;
    unsigned char *skip = tamis_new(f->v->cx, unsigned char, f->terms + 1);
    double evidence = f->evidence;
    for (size_t k = 0; skip && k < f->terms; k++)
        terms += skip[k] = f->term[k].on && term_holds(t->g, &f->term[k], unit);
    for (size_t i = 0; f->net && f->net_on && i < t->g->functions.d->inputs; i++)
        network += unit_of(t->g, i) == unit && t->x.net_set[i];
    if (skip && network) evidence_without(t, unit, skip, &evidence);
    else if (skip && terms) sift_fit_without(f, skip, STEP_ROUNDS, &evidence);
    *cost = t->g->cost ? per_cost(t->g, unit, f->evidence - evidence) : -evidence;
    tamis_free(skip);
    return tamis_status(f->v->cx);
}

/* The units to leave next: of a crowd several, those with the least share; otherwise the one of three whose loss costs
 * the least evidence. *n: how many, 0 if none may leave. */
static int leavers_find(struct trail *t, size_t *unit, size_t *n)
{
    size_t size = t->p->size[t->p->sizes - 1], many = size > CROWD ? size / 8 : 1, best = 0;
    double least = INFINITY, cost = 0;
    int status = TAMIS_OK;
    sift_fit_shares(&t->x.fit, t->x.relevance, t->share);
    *n = least_units(t, many > LEAVERS ? LEAVERS : many > 1 ? many : TRIALS, unit);
    if (many > 1 || *n < 2) return TAMIS_OK;
    for (size_t k = 0; k < *n && !status; k++) {
        status = loss_of(t, unit[k], &cost);
        if (cost < least) least = cost, best = k;
    }
    unit[0] = unit[best];
    *n = 1;
    return status;
}

/* Takes a unit's terms out, and its inputs out of the network; the variance that the network loses. */
static double take_out(struct trail *t, size_t unit)
{
    struct sift_fit *f = &t->x.fit;
    double moved = 0;
    for (size_t k = 0; k < f->terms; k++)
        if (term_holds(t->g, &f->term[k], unit)) f->term[k].on = 0;
    for (size_t i = 0; i < t->g->functions.d->inputs; i++) {
        if (unit_of(t->g, i) != unit || !t->x.net_set[i]) continue;
        t->x.net_set[i] = 0;
        t->x.relevance[i] = 0;
        moved += t->share[i];
    }
    return moved;
}

/* With units go all terms that hold them; a network loses their weights and learns again, unless it hardly moves. */
static int leave(struct trail *t, const size_t *unit, size_t n)
{
    struct sift_fit *f = &t->x.fit;
    size_t inputs = t->g->functions.d->inputs, before = 0, left = 0;
    double moved = 0;
    int status = TAMIS_OK;
    sift_fit_network_shares(f, t->x.relevance, t->share);
    for (size_t i = 0; i < inputs; i++) before += t->x.net_set[i];
    for (size_t k = 0; k < n; k++) moved += take_out(t, unit[k]);
    for (size_t i = 0; i < inputs; i++) left += t->x.net_set[i];
    if (f->net && f->net_on && left < before && left && moved < idle * f->s)
        status = sift_mix_features(&t->x, t->g->centres);
    else if (f->net && f->net_on && left < before) {
        f->net_on = 0;
        status = sift_fit_solve(f, STEP_ROUNDS);
        if (!status) status = sift_mix_relearn(&t->x, 0);
    }
    return status ? status : sift_fit_solve(f, STEP_ROUNDS);
}

static int go_back(struct trail *t)
{
    size_t unit[LEAVERS], n = 1;
    int status = record(t);
    while (!status && n) {
        status = leavers_find(t, unit, &n);
        if (status || !n) break;
        status = leave(t, unit, n);
        if (!status) status = record(t);
        if (!status) status = tamis_check_cancel(t->g->frame.cx);
    }
    return status;
}

/* ---- where it starts ---- */

/* Log of the number of pairs, or triples, of k inputs, for each that is a term. */
static double products_price(const struct sift_fit *f, double k)
{
    double price = 0;
    for (size_t i = 0; i < f->terms; i++) {
        if (f->term[i].on && f->term[i].inputs == 2) price += log(k * (k - 1) / 2);
        if (f->term[i].on && f->term[i].inputs == 3) price += log(k * (k - 1) * (k - 2) / 6);
    }
    return price;
}

/* Evidence less the price of the inputs, of having found which of their products matter, and of a network. */
static double score_of(struct trail *t, double gain, const unsigned char *net_set, int network)
{
    size_t k = sift_fit_set(&t->x.fit, net_set, t->set);
    return gain - sift_price(k, t->g->ins, t->x.view.groups) - products_price(&t->x.fit, (double)k) -
           (network ? network_price : 0);
}

static void terms_switch(struct sift_fit *f, int on)
{
    for (size_t k = 0; k < f->terms; k++) f->term[k].on = on;
}

/* A start that was tried: what it is, its network, its score. */
struct start { enum sift_kind kind; struct sift_path *p; size_t at; double score; };

/* Brings the mix to a start. */
static int start_take(struct trail *t, const struct start *s)
{
    struct sift_fit *f = &t->x.fit;
    int status = TAMIS_OK;
    terms_switch(f, s->kind != SIFT_NETWORK);
    memset(f->variance, 0, f->blocks * sizeof *f->variance);
    f->s = 0;
    if (s->p) status = sift_mix_take(&t->x, s->p, s->at);
    else status = sift_fit_network(f, NULL, 0);
    return status ? status : sift_fit_solve(f, START_ROUNDS);
}

/* Whether a network alone is taken as it was learnt: it has seen all rows. */
static int network_whole(const struct trail *t, enum sift_kind kind)
{
    return kind == SIFT_NETWORK && (double)t->x.samples >= t->x.view.separate;
}

/* Whether its path is the trail: it is measured where the trail is to be, and nothing binds it. */
static int own_way(const struct trail *t, enum sift_kind kind)
{
    return network_whole(t, kind) && !t->g->unit && !t->g->must && !t->g->cost && (!t->p->held || t->measured);
}

static int start_try(struct trail *t, enum sift_kind kind, struct sift_path *p, size_t at, struct start *best)
{
    struct start s = {kind, p, at, 0};
    size_t inputs = t->g->functions.d->inputs;
    if (p && at == t->g->frame.sizes) return TAMIS_OK;
    int status = start_take(t, &s);
    if (status) return status;
    double gain = network_whole(t, kind) ? p->evidence[at] : sift_fit_gain(&t->x.fit);
    s.score = score_of(t, gain, p ? p->set + at * inputs : NULL, p != NULL);
    if (best->kind == SIFT_OPEN || s.score > best->score) *best = s;
    return TAMIS_OK;
}

/* ---- the trail of a network alone that has seen all rows: its own path ---- */

static int path_copy(struct trail *t, const struct sift_path *q)
{
    struct sift_trail *p = t->p;
    const struct sift_frame *f = &t->g->frame;
    size_t inputs = f->design->inputs, m = p->held;
    for (size_t k = 0; k <= f->sizes; k++) {
        size_t at = sift_trail_grow(f->cx, p, inputs);
        if (at == SIZE_MAX) return tamis_status(f->cx);
        p->size[at] = k < f->sizes ? f->size[k] : 0;
        if (k < f->sizes) memcpy(p->set + at * inputs, q->set + k * inputs, inputs);
        else memset(p->set + at * inputs, 0, inputs);
        p->evidence[at] = k < f->sizes ? q->evidence[k] : 0;
        memcpy(p->loss + at * m, q->loss + k * m, m * sizeof *p->loss);
        memcpy(p->prediction + at * m, q->prediction + k * m, m * sizeof *p->prediction);
        memcpy(p->score + at * m * p->scores, q->score + k * m * p->scores, m * p->scores * sizeof *p->score);
    }
    for (size_t i = 0; i < inputs; i++) p->share[i] = isnan(q->relevance[i]) ? 0 : q->relevance[i] * q->relevance[i];
    if (q->far < p->far) p->far = q->far;
    return TAMIS_OK;
}

/* ---- the whole ---- */

/* A network that goes its own way holds every input; the weight of each is that of the smallest network it is in. */
static void last_weights(struct trail *t, const struct sift_path *q)
{
    const struct sift_frame *f = &t->g->frame;
    size_t inputs = f->design->inputs;
    for (size_t k = 0; k < f->sizes; k++)
        for (size_t i = 0; i < inputs; i++) {
            if (!q->set[k * inputs + i]) continue;
            t->p->net_set[i] = 1;
            t->p->weight[i] = q->weight[k * (inputs + 2) + i];
        }
}

static int start_keep(struct trail *t, const struct start *s)
{
    struct sift_trail *p = t->p;
    const struct sift_fit *f = &t->x.fit;
    size_t inputs = t->g->functions.d->inputs;
    tamis_context *cx = t->g->frame.cx;
    p->kind = s->kind;
    p->term = tamis_raw(cx, struct sift_probe, f->terms + 1);
    for (size_t k = 0; p->term && s->kind != SIFT_NETWORK && k < f->terms; k++) {
        p->term[p->terms] = (struct sift_probe){.inputs = f->term[k].inputs};
        memcpy(p->term[p->terms++].input, f->term[k].input, sizeof f->term[k].input);
    }
    if (s->p && (p->net_set = tamis_raw(cx, unsigned char, inputs))) {
        memcpy(p->net_set, s->p->set + s->at * inputs, inputs);
        memcpy(p->weight, s->p->weight + s->at * (inputs + 2), (inputs + 2) * sizeof *p->weight);
        if (own_way(t, s->kind)) last_weights(t, s->p);
    }
    if (f->v->far < p->far) p->far = f->v->far;
    return tamis_status(cx);
}

static int must_add(struct trail *t)
{
    int status = TAMIS_OK;
    for (size_t i = 0; t->g->must && i < t->g->functions.d->inputs && !status; i++)
        if (t->g->must[i] && sift_functions_of(&t->g->functions, i)) status = sift_fit_term(&t->x.fit, 1, &i);
    if (!status && t->x.fit.terms) status = sift_fit_solve(&t->x.fit, STEP_ROUNDS);
    if (!status && t->x.fit.terms) status = sift_fit_pull_in(&t->x.fit, STEP_ROUNDS);
    if (!status && t->x.fit.terms) status = sift_fit_known(&t->x.fit);
    return status ? status : sift_view_score(&t->x.view);
}

static int wants(const struct trail *t, enum sift_kind kind) { return t->p->kind == SIFT_OPEN || t->p->kind == kind; }

/* Networks of the kinds that are wanted, learnt; the best start. */
static int starts_try(struct trail *t, struct sift_path **rest, struct sift_path **whole, struct start *best)
{
    const struct sift_ground *g = t->g;
    size_t rest_at = 0, whole_at = 0, terms = t->x.fit.terms;
    int status = TAMIS_OK, alone = wants(t, SIFT_NETWORK), both = terms && wants(t, SIFT_TERMS_AND_NETWORK);
    if (terms && wants(t, SIFT_TERMS_AND_REST) && g->frame.sizes)
        status = sift_mix_learn(&t->x, 1, NULL, 0, rest, &rest_at);
    if (!status && (alone || both || (!terms && t->p->kind != SIFT_TERMS)) && g->frame.sizes) {
        t->measured = t->p->held && t->p->kind == SIFT_NETWORK && (double)t->x.samples >= t->x.view.separate;
        status = sift_mix_learn(&t->x, 0, t->measured ? t->held : NULL, t->measured ? t->p->held : 0, whole, &whole_at);
        if (!status && t->measured && whole_at == g->frame.sizes) whole_at = g->frame.sizes - 1;
    }
    t->p->learnt = (*rest != NULL) + (*whole != NULL);
    if (!status && terms) status = start_try(t, SIFT_TERMS, NULL, 0, best);
    if (!status && *rest) status = start_try(t, SIFT_TERMS_AND_REST, *rest, rest_at, best);
    if (!status && *whole && terms && both) status = start_try(t, SIFT_TERMS_AND_NETWORK, *whole, whole_at, best);
    if (!status && *whole && (alone || !terms)) status = start_try(t, SIFT_NETWORK, *whole, whole_at, best);
    return status;
}

/* A kind that was asked for comes before a better score. */
static int start_find(struct trail *t, struct sift_path **rest, struct sift_path **whole, struct start *best)
{
    int status = starts_try(t, rest, whole, best);
    if (!status && best->kind == SIFT_OPEN) best->kind = SIFT_NOTHING;
    return status;
}

static int trail_walk(struct trail *t)
{
    struct sift_path *rest = NULL, *whole = NULL;
    struct start best = {.kind = SIFT_OPEN};
    int status = must_add(t);
    if (!status && t->p->kind != SIFT_NETWORK) status = sift_search_terms(&t->x.fit, t->g->in, t->g->ins);
    if (!status && t->p->kind != SIFT_NETWORK && !t->g->must) status = sift_swap(&t->x.fit, t->g->in, t->g->ins);
    if (!status) status = start_find(t, &rest, &whole, &best);
    if (!status) status = start_keep(t, &best);
    if (!status && own_way(t, best.kind)) status = path_copy(t, best.p);
    else if (!status) {
        status = best.kind == SIFT_NOTHING ? TAMIS_OK : start_take(t, &best);
        if (!status) status = go_back(t);
    }
    sift_path_free(rest);
    sift_path_free(whole);
    return status;
}

int sift_trail_run(const struct sift_ground *g, const size_t *row, size_t n, const size_t *held, size_t m,
                   uint32_t index, struct sift_trail *p)
{
    struct trail t = {.g = g, .p = p, .held = held};
    size_t inputs = g->functions.d->inputs;
    (void)m;
    t.set = tamis_new(g->frame.cx, unsigned char, inputs);
    t.share = tamis_new(g->frame.cx, double, inputs);
    int status = sift_mix_make(g, row, n, index, &t.x);
    if (!status && t.share && t.set) status = trail_walk(&t);
    sift_mix_free(&t.x);
    tamis_free(t.set);
    tamis_free(t.share);
    p->done = !status && !tamis_status(g->frame.cx);
    return status ? status : tamis_status(g->frame.cx);
}
