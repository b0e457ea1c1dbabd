/* The forward search for terms: in every round the inputs, pairs and (if none of these passes) triples whose functions
 * or products explain the residuals at a familywise level of 5 % join the model, which is then fitted again. A false
 * one passes about one search in ten; it has to survive the price of its inputs and the folds. */
#include <math.h>
#include <string.h>
#include "method/sift/sift_trail.h"
#include "num/level2.h"

enum { ROUNDS = 30, FIT_ROUNDS = 6, PAIRS = 100, PAIRS_MANY_ROWS = 20, MANY_ROWS = 100000, TRIPLES = 30,
       CORRELATION_ROWS = 20000, WIDE = 200, LEAST_TERMS = 4, MOST_TERMS = 60, ROWS_PER_TERM = 10 };
static const double level = 0.05, neighbours = 0.2, neighbours_wide = 0.5, pair_work = 4e9, pair_work_wide = 1e9,
                    triple_work = 2e10;

struct search {
    struct sift_fit *t;
    const size_t *in;                   /* candidates */
    size_t k;
    struct sift_probe *passed, *best;
    size_t count;                       /* that passed in this round */
    double *single;                     /* k: log p of each candidate alone */
    size_t *some;                       /* candidates for pairs */
    size_t *used, useds;                /* inputs of the terms added in this round */
};

static int is_wide(const struct search *s) { return s->k > WIDE && s->t->v->all <= SIFT_SMALL; }

double sift_correlation(const struct tamis_design *d, size_t i, size_t j)
{
    return tamis_design_likeness(d, i, j, CORRELATION_ROWS);
}

/* ---- what passes ---- */

static int is_term(const struct sift_fit *t, const struct sift_probe *p)
{
    for (size_t k = 0; k < t->terms; k++)
        if (t->term[k].inputs == p->inputs && !memcmp(t->term[k].input, p->input, p->inputs * sizeof *p->input))
            return 1;
    return 0;
}

static void pass(struct search *s, const struct sift_probe *p, double tests)
{
    if (p->log_p + log(tests) < log(level)) sift_probe_insert(s->passed, &s->count, s->k + PAIRS + TRIPLES, p);
}

static int inputs_pass(struct search *s)
{
    int status = TAMIS_OK;
    for (size_t i = 0; i < s->k && !status; i++) {
        struct sift_probe p = {.inputs = 1, .input = {s->in[i]}};
        s->single[i] = 0;
        if (is_term(s->t, &p)) continue;
        status = sift_test(s->t->v, &p);
        s->single[i] = p.log_p;
        pass(s, &p, (double)s->k);
        if (!status) status = tamis_check_cancel(s->t->v->cx);
    }
    return status;
}

/* All candidates, or as many as pair_work allows: those that rank highest alone. */
static size_t pair_inputs(struct search *s)
{
    const struct sift_view *v = s->t->v;
    double work = is_wide(s) ? pair_work_wide : pair_work;
    size_t most = (size_t)(sqrt(work / ((double)v->all * (double)v->l)) / 3), n = 0, found = 0;
    struct sift_probe *order = s->best;
    if (s->k <= most) {
        memcpy(s->some, s->in, s->k * sizeof *s->some);
        return s->k;
    }
    for (size_t i = 0; i < s->k; i++) {
        struct sift_probe p = {.inputs = 1, .input = {s->in[i]}, .log_p = s->single[i]};
        sift_probe_insert(order, &found, most, &p);
    }
    for (size_t i = 0; i < s->k; i++)                           /* in column order */
        for (size_t j = 0; j < found; j++)
            if (order[j].input[0] == s->in[i]) s->some[n++] = s->in[i];
    return n;
}

static int tested_pass(struct search *s, size_t found, double tests)
{
    int status = TAMIS_OK;
    for (size_t i = 0; i < found && !status; i++) {
        if (is_term(s->t, &s->best[i])) continue;
        status = sift_test(s->t->v, &s->best[i]);
        pass(s, &s->best[i], tests);
        if (!status) status = tamis_check_cancel(s->t->v->cx);
    }
    return status;
}

static int pairs_pass(struct search *s)
{
    double d = (double)s->k;
    size_t found = 0, k = pair_inputs(s), most = s->t->v->all > MANY_ROWS ? PAIRS_MANY_ROWS : PAIRS;
    int status = sift_screen_pairs(s->t->v, s->some, k, most, s->best, &found);
    return status ? status : tested_pass(s, found, d * (d - 1) / 2);
}

static int triples_pass(struct search *s)
{
    const struct sift_view *v = s->t->v;
    double d = (double)s->k;
    size_t found = 0;
    if (s->k < 3 || 16 * (double)v->all * (double)v->l * d * d * d / 6 > triple_work) return TAMIS_OK;
    int status = sift_screen_triples(v, s->in, s->k, TRIPLES, s->best, &found);
    return status ? status : tested_pass(s, found, d * (d - 1) * (d - 2) / 6);
}

/* ---- rounds ---- */

/* Whether an input is, or correlates with, one of a term added in this round: then it waits for the next, where the
 * better one has already explained what they share. */
static int waits(const struct search *s, size_t input)
{
    double most = is_wide(s) ? neighbours_wide : neighbours;
    for (size_t k = 0; k < s->useds; k++)
        if (s->used[k] == input || sift_correlation(s->t->v->f->d, s->used[k], input) > most) return 1;
    return 0;
}

static size_t most_terms(const struct sift_view *v)
{
    size_t n = (size_t)(v->groups / ROWS_PER_TERM);
    return n < LEAST_TERMS ? LEAST_TERMS : n > MOST_TERMS ? MOST_TERMS : n;
}

static int terms_add(struct search *s, size_t most)
{
    int status = TAMIS_OK;
    s->useds = 0;
    for (size_t i = 0; i < s->count && !status && s->t->terms < most; i++) {
        const struct sift_probe *p = &s->passed[i];
        int wait = 0;
        for (size_t k = 0; k < p->inputs && !wait; k++) wait = waits(s, p->input[k]);
        if (wait) continue;
        status = sift_fit_term(s->t, p->inputs, p->input);
        for (size_t k = 0; k < p->inputs; k++) s->used[s->useds++] = p->input[k];
    }
    return status;
}

static int round_run(struct search *s, size_t most, int *added)
{
    size_t before = s->t->terms;
    s->count = 0;
    int status = inputs_pass(s);
    if (!status) status = pairs_pass(s);
    if (!status && !s->count) status = triples_pass(s);
    if (!status) status = terms_add(s, most);
    *added = s->t->terms > before;
    if (status || !*added) return status;
    status = sift_fit_solve(s->t, FIT_ROUNDS);
    if (!status) status = sift_fit_pull_in(s->t, FIT_ROUNDS);
    if (!status) status = sift_fit_known(s->t);
    return status ? status : sift_view_score(s->t->v);
}

int sift_search_terms(struct sift_fit *t, const size_t *in, size_t k)
{
    tamis_context *cx = t->v->cx;
    struct search s = {.t = t, .in = in, .k = k};
    size_t most = most_terms(t->v), room = k + PAIRS + TRIPLES;
    s.passed = tamis_raw(cx, struct sift_probe, room + 1);
    s.best = tamis_raw(cx, struct sift_probe, room + 1);
    s.single = tamis_raw(cx, double, k + 1);
    s.some = tamis_raw(cx, size_t, k + 1);
    s.used = tamis_raw(cx, size_t, 3 * (MOST_TERMS + 1));
    int status = tamis_status(cx), added = 1;
    for (size_t round = 0; round < ROUNDS && added && !status && t->terms < most; round++)
        status = round_run(&s, most, &added);
    void *all[] = {s.passed, s.best, s.single, s.some, s.used};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) tamis_free(all[i]);
    return status;
}
