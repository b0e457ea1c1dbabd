/* The common way of a method: a criterion under a search gives a path of sets; the best of them is fitted and becomes
 * the answer. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "select/constraints.h"

struct path {
    struct tamis_run *run;
    void *scorer;
    struct tamis_walk *walk;
    struct tamis_constraints constraints;
    size_t best;
    struct tamis_score score;                   /* of the answer */
    unsigned char *set, *full;
    double *relevance, *order;
};

int tamis_path_cost(struct tamis_run *run, struct tamis_cost *cost)
{
    const struct tamis_plan *plan = &run->plan;
    int status = plan->criterion->cost(run->cx, run->design, run->options, cost);
    if (status) return status;
    struct tamis_walk *walk = tamis_walk_new(run->cx, run->design, plan->criterion, NULL, plan->search, run->options);
    if (!walk) return tamis_status(run->cx);
    cost->flops *= plan->search->remaining(walk);
    tamis_walk_free(walk);
    return TAMIS_OK;
}

/* ---- the answer ---- */

/* When an input that was not chosen last changed: those that left late, or would have come next, stand higher. */
static void order_fill(struct path *p)
{
    const struct tamis_walk *r = p->walk;
    for (size_t i = 0; i < r->design->inputs; i++) p->order[i] = NAN;
    for (size_t k = 0; k < r->moves; k++)
        for (size_t i = 0; i < r->move[k].count; i++) {
            double when = (double)k + (double)i / (double)(r->move[k].count + 1);
            p->order[r->changed[r->move[k].first + i]] = r->move[k].added ? -when : when;
        }
}

static int path_copy(struct path *p)
{
    struct tamis_outcome *o = p->run->outcome;
    const struct tamis_walk *r = p->walk;
    tamis_context *cx = p->run->cx;
    o->path = tamis_new(cx, tamis_step, r->moves);
    o->changed = tamis_new(cx, size_t, r->changes);
    if (!o->path || !o->changed) return tamis_status(cx);
    if (r->changes) memcpy(o->changed, r->changed, r->changes * sizeof *o->changed);
    o->changed_count = r->changes;
    for (size_t k = 0; k < r->moves; k++) {
        const struct tamis_move *m = &r->move[k];
        o->path[k] = (tamis_step){m->size,        m->count ? (long)r->changed[m->first] : -1,
                                  m->added,       m->count ? m->count - 1 : 0,
                                  m->score.value, {0}};
        memcpy(o->path[k].parameters, m->score.parameter, sizeof o->path[k].parameters);
    }
    o->open.path = o->path;
    o->open.steps = r->moves;
    o->open.chosen_step = p->best;
    return TAMIS_OK;
}

static int describe(struct path *p)
{
    struct tamis_outcome *o = p->run->outcome;
    const struct tamis_criterion *c = p->run->plan.criterion;
    tamis_context *cx = p->run->cx;
    size_t n = 0;
    while (c->parameters[n]) n++;
    o->criterion = tamis_strdup(cx, c->name);
    o->error_name = tamis_strdup(cx, c->error_name);
    o->parameter_name = tamis_new(cx, char *, n);
    if (!o->criterion || !o->error_name || !o->parameter_name) return tamis_status(cx);
    memcpy(o->parameter_name, c->parameters, n * sizeof *o->parameter_name);
    o->open.criterion = o->criterion;
    o->open.error_name = o->error_name;
    o->open.parameters = n;
    o->open.parameter_names = (const char *const *)o->parameter_name;
    return TAMIS_OK;
}

/* The score of all inputs: on the path, or evaluated for the comparison. */
static int baseline(struct path *p, struct tamis_score *score)
{
    static const size_t self[1] = {SIZE_MAX};
    const struct tamis_walk *r = p->walk;
    for (size_t k = 0; k < r->moves; k++)
        if (r->move[k].size == r->design->inputs) {
            *score = r->move[k].score;
            return TAMIS_OK;
        }
    return r->criterion->evaluate(p->scorer, p->full, self, 1, tamis_walk_last(r), score);
}

static int fit_all_inputs(struct path *p, const struct tamis_score *score)
{
    struct tamis_run *run = p->run;
    struct tamis_model *m = NULL;
    run->outcome->open.all_inputs = score->value;
    if (!run->test) return TAMIS_OK;
    int status = p->walk->criterion->fit(p->scorer, p->full, score, &m, NULL);
    if (status) return status;
    status = tamis_model_error(run->cx, m, run->test, &run->outcome->open.test_all_inputs);
    tamis_model_free(m);
    return status;
}

/* The model of the best set, or of the weighted inputs. */
static int fit_answer(struct path *p)
{
    struct tamis_outcome *o = p->run->outcome;
    struct tamis_walk *r = p->walk;
    struct tamis_score score = p->score;
    o->open.error = score.value;
    if (!r->scaled) return r->criterion->fit(p->scorer, p->set, &score, &o->model, p->relevance);
    for (size_t i = 0; i < r->design->inputs; i++) p->set[i] = r->tenth[i] > 0;
    o->open.error = score.value = r->scaled_value;
    return r->criterion->fit_weighed(p->scorer, r->tenth, &score, &o->model, p->relevance);
}

/* Neighbours in many columns among very many rows are as dear as all pairs: the comparison is left out, and said to
 * be. */
static int affordable(struct path *p)
{
    const struct tamis_design *d = p->run->design;
    if (!p->walk->criterion->weigh || d->columns <= 10 || (double)d->rows * (double)d->rows * (double)d->columns < 1e11)
        return 1;
    for (size_t k = 0; k < p->walk->moves; k++)
        if (p->walk->move[k].size == d->inputs) return 1;
    tamis_note(p->run->cx,
               "the criterion of all %zu inputs was not computed: with %zu rows it would take longer than the search",
               d->inputs, d->rows);
    return 0;
}

/* {"criterion", "search", "value", and with weights "unscaled", "steps", "scaling"}; what people maximise is shown as
 * they know it. */
static int block_fill(struct path *p)
{
    struct tamis_outcome *o = p->run->outcome;
    const struct tamis_walk *r = p->walk;
    struct tamis_text *t = &o->block;
    double sign = r->criterion->negated ? -1 : 1;
    o->block_name = p->run->plan.block;
    tamis_text_puts(t, "{\"criterion\": ");
    tamis_text_json(t, r->criterion->name);
    tamis_text_puts(t, ", \"search\": ");
    tamis_text_json(t, r->search->name);
    tamis_text_puts(t, ", \"value\": ");
    tamis_text_number(t, sign * o->open.error + 0.0);
    if (r->scaled) {
        tamis_text_puts(t, ", \"unscaled\": ");
        tamis_text_number(t, sign * r->move[p->best].score.value + 0.0);
        tamis_text_printf(t, ", \"steps\": %zu, \"scaling\": [", r->scale_steps);
        for (size_t i = 0; i < r->design->inputs; i++) {
            if (i) tamis_text_puts(t, ", ");
            tamis_text_number(t, r->tenth[i] / 10.0);
        }
        tamis_text_puts(t, "]");
    }
    tamis_text_puts(t, "}");
    return tamis_text_status(t);
}

/* ---- which point of the path ---- */

static void rule_json(struct path *p, const struct tamis_rule *rule)
{
    struct tamis_text *t = &p->run->outcome->rule;
    tamis_text_printf(t, "{\"rule\": \"%.*s\", \"folds\": %zu, \"se\": ", (int)strcspn(p->constraints.rule, "|"),
                      p->constraints.rule, p->constraints.folds);
    tamis_text_number(t, p->constraints.se);
    tamis_text_printf(t, ", \"size\": %zu, \"sizes\": [", rule->size);
    for (size_t k = 0; k < rule->sizes; k++) {
        tamis_text_printf(t, "%s{\"size\": %zu, \"error\": ", k ? ", " : "", k);
        tamis_text_number(t, rule->error[k]);
        tamis_text_puts(t, ", \"excess_se\": ");
        tamis_text_number(t, rule->excess_se[k]);
        tamis_text_puts(t, "}");
    }
    tamis_text_puts(t, "], \"share\": ");
    tamis_json_by_input(t, p->run->design->encoder, rule->share);
    tamis_text_puts(t, "}");
}

/* The answer by cross-fitting; a set that is not on the path is judged. */
static int rule_find(struct path *p)
{
    static const size_t self[1] = {SIZE_MAX};
    struct tamis_rule rule = {0};
    const struct tamis_walk *r = p->walk;
    int status = tamis_rule_apply(p->run, &p->constraints, r, &rule);
    if (!status) {
        memcpy(p->set, rule.set, r->design->inputs);
        if (rule.move < r->moves) p->best = rule.move;
        status = r->criterion->evaluate(p->scorer, p->set, self, 1, &r->move[p->best].score, &p->score);
        rule_json(p, &rule);
        if (!rule.size)
            tamis_note(p->run->cx, "no input helps: no set beats the best constant by %g standard errors",
                       p->constraints.se);
    }
    tamis_rule_free(&rule);
    return status;
}

static int best_find(struct path *p)
{
    const struct tamis_run *run = p->run;
    p->best = tamis_walk_best(p->walk);
    if (p->best == p->walk->moves && isfinite(p->constraints.limits.budget))
        return tamis_fail(run->cx, TAMIS_USAGE, "--budget %g: no set on the path costs so little",
                          p->constraints.limits.budget);
    if (p->best == p->walk->moves)
        return tamis_fail(run->cx, TAMIS_NUMERIC, "%s: no set of inputs has a finite %s error", run->plan.method->name,
                          run->plan.criterion->error_name);
    tamis_walk_set_at(p->walk, p->best, p->set);
    p->score = p->walk->move[p->best].score;
    if (*p->constraints.rule != 'b' && rule_find(p)) return tamis_status(run->cx);
    memcpy(p->relevance, p->walk->relevance, run->design->inputs * sizeof *p->relevance);
    order_fill(p);
    return TAMIS_OK;
}

/* ---- costs ---- */

static int by_cost(const void *a, const void *b)
{
    const struct tamis_move *x = a, *y = b;
    if (x->cost != y->cost) return x->cost < y->cost ? -1 : 1;
    return (x->score.value > y->score.value) - (x->score.value < y->score.value);
}

/* {"chosen", "all", "budget", "frontier"}: of the sets on the path those that no cheaper one equals. */
static int costs_json(struct path *p)
{
    const struct tamis_walk *r = p->walk;
    struct tamis_text *t = &p->run->outcome->cost;
    double chosen = 0, all = 0, least = INFINITY;
    int first = 1;
    if (!p->constraints.cost) return TAMIS_OK;
    struct tamis_move *move = tamis_raw(p->run->cx, struct tamis_move, r->moves);
    if (!move) return tamis_status(p->run->cx);
    memcpy(move, r->move, r->moves * sizeof *move);
    qsort(move, r->moves, sizeof *move, by_cost);
    for (size_t i = 0; i < r->design->inputs; i++)
        all += p->constraints.cost[i], chosen += p->set[i] ? p->constraints.cost[i] : 0;
    tamis_text_puts(t, "{\"chosen\": ");
    tamis_text_number(t, chosen);
    tamis_text_puts(t, ", \"all\": ");
    tamis_text_number(t, all);
    tamis_text_puts(t, ", \"budget\": ");
    tamis_text_number(t, p->constraints.limits.budget);
    tamis_text_puts(t, ", \"frontier\": [");
    for (size_t k = 0; k < r->moves; k++) {
        if (!(move[k].score.value < least)) continue;
        least = move[k].score.value;
        tamis_text_puts(t, first ? "{\"cost\": " : ", {\"cost\": ");
        tamis_text_number(t, move[k].cost);
        tamis_text_printf(t, ", \"size\": %zu, \"criterion\": ", move[k].size);
        tamis_text_number(t, least);
        tamis_text_puts(t, "}");
        first = 0;
    }
    tamis_text_puts(t, "]}");
    tamis_free(move);
    return tamis_text_status(t);
}

static int answer(struct path *p)
{
    struct tamis_run *run = p->run;
    struct tamis_outcome *o = run->outcome;
    struct tamis_score all;
    int status = best_find(p);
    if (!status) status = fit_answer(p);
    if (!status && affordable(p)) {
        status = baseline(p, &all);
        if (!status) status = fit_all_inputs(p, &all);
    }
    if (!status && run->test) status = tamis_model_error(run->cx, o->model, run->test, &o->open.test);
    if (!status) status = tamis_outcome_rank(run->cx, o, p->set, p->relevance, p->order);
    if (!status) status = path_copy(p);
    if (!status) status = describe(p);
    if (!status) status = costs_json(p);
    if (!status && run->plan.block) status = block_fill(p);
    if (!status && run->describe) status = run->describe(run, p->scorer, p->set, &p->score);
    o->open.model = o->model;
    run->refits = !p->walk->scaled;
    return status;
}

/* ---- the walk ---- */

static int path_drive(struct path *p)
{
    struct tamis_run *run = p->run;
    const struct tamis_plan *plan = &run->plan;
    size_t n = run->design->inputs;
    p->set = tamis_new(run->cx, unsigned char, n);
    p->full = tamis_new(run->cx, unsigned char, n);
    p->relevance = tamis_new(run->cx, double, n);
    p->order = tamis_new(run->cx, double, n);
    if (p->set && p->full && p->relevance && p->order) memset(p->full, 1, n);
    int status = tamis_status(run->cx) ? tamis_status(run->cx) : tamis_constraints_read(run, &p->constraints);
    if (!status) status = plan->criterion->start(run->cx, run->design, run->options, run->seed, &p->scorer);
    return status ? status
                  : tamis_constraints_drive(run, &p->constraints, run->design, p->scorer, run->checkpoint, &p->walk);
}

static void path_finish(struct path *p)
{
    tamis_walk_free(p->walk);
    tamis_constraints_free(&p->constraints);
    if (p->scorer) p->run->plan.criterion->finish(p->scorer);
    tamis_free(p->set);
    tamis_free(p->full);
    tamis_free(p->relevance);
    tamis_free(p->order);
}

int tamis_path_run(struct tamis_run *run)
{
    struct path p = {.run = run};
    int status = path_drive(&p);
    if (!status) status = answer(&p);
    path_finish(&p);
    return status;
}

int tamis_path_choose(struct tamis_run *run, unsigned char *set, double *factor, double *order, struct tamis_score *at)
{
    struct path p = {.run = run};
    int status = path_drive(&p);
    if (!status) status = best_find(&p);
    if (!status) {
        memcpy(set, p.set, run->design->inputs);
        for (size_t i = 0; i < run->design->inputs; i++) factor[i] = p.walk->scaled ? p.walk->tenth[i] / 10.0 : 1;
        for (size_t i = 0; p.walk->scaled && i < run->design->inputs; i++) set[i] = factor[i] > 0;
        memcpy(order, p.order, run->design->inputs * sizeof *order);
        *at = p.score;
        if (p.walk->scaled) at->value = p.walk->scaled_value;
        status = path_copy(&p);
    }
    if (!status) status = costs_json(&p);
    if (!status) status = describe(&p);
    path_finish(&p);
    return status;
}
