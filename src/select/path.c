/* Path methods: a criterion under a search gives a path of sets; one of them, the best or the one that --select-rule
 * picks, is fitted and becomes the answer. */
#include <math.h>
#include <string.h>
#include "select/constraints.h"
#include "select/losses.h"
#include "select/method.h"

struct path {
    struct tamis_run *run;
    void *scorer;
    struct tamis_walk *walk;
    struct tamis_constraints constraints;
    size_t best;
    struct tamis_score score;                   /* of the answer */
    unsigned char *set, *full;                  /* full: all candidates */
    double *relevance, *order;
};

int tamis_path_cost(struct tamis_run *run, struct tamis_cost *cost)
{
    int status = run->criterion->cost(run->cx, run->design, run->options, cost);
    if (status) return status;
    struct tamis_walk *walk = tamis_walk_new(run->cx, run->design, run->criterion, NULL, run->search, run->options);
    if (!walk) return tamis_status(run->cx);
    status = tamis_constraints_most(run, &walk->limits.most);
    cost->flops = cost->once + cost->flops * run->search->remaining(walk);
    tamis_walk_free(walk);
    return status;
}

/* ---- the answer ---- */

/* When each input last changed, for the ranks of those not chosen: inputs removed late, or added early, rank higher. */
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
    struct tamis_result *o = p->run->result;
    const struct tamis_walk *r = p->walk;
    if (tamis_result_path(p->run->cx, o, r->moves, r->changes)) return tamis_status(p->run->cx);
    memcpy(o->start, r->start, r->design->inputs);
    if (r->changes) memcpy(o->changed, r->changed, r->changes * sizeof *o->changed);
    for (size_t k = 0; k < r->moves; k++) {
        const struct tamis_move *m = &r->move[k];
        struct tamis_path_step *s = &o->path[k];
        *s = (struct tamis_path_step){.size = m->size,
                                      .changed = m->count ? (ptrdiff_t)r->changed[m->first] : -1,
                                      .added = m->added,
                                      .also = m->count ? m->count - 1 : 0,
                                      .criterion = m->score.value};
        memcpy(s->parameters, m->score.parameter, sizeof s->parameters);
    }
    o->chosen_step = p->best;
    return TAMIS_OK;
}

static void names_fill(struct path *p)
{
    struct tamis_result *o = p->run->result;
    const struct tamis_criterion *c = p->run->criterion;
    o->criterion = c->name;
    o->error_name = c->error_name;
    o->error_label = c->label;
    o->parameter_names = c->parameters;
    while (c->parameters[o->parameters]) o->parameters++;
}

/* The score of all inputs: from the path, or evaluated. */
static int baseline(struct path *p, struct tamis_score *score)
{
    static const size_t self[1] = {SIZE_MAX};
    const struct tamis_walk *r = p->walk;
    for (size_t k = 0; k < r->moves; k++)
        if (r->move[k].size == tamis_walk_candidates(r)) {
            *score = r->move[k].score;
            return TAMIS_OK;
        }
    return r->criterion->evaluate(p->scorer, p->full, self, 1, tamis_walk_last(r), score);
}

static int fit_all_inputs(struct path *p, const struct tamis_score *score)
{
    struct tamis_run *run = p->run;
    struct tamis_model *m = NULL;
    run->result->all_inputs = score->value;
    if (!run->test) return TAMIS_OK;
    int status = p->walk->criterion->fit(p->scorer, p->full, score, &m, NULL);
    if (status) return status;
    status = tamis_model_error(run->cx, m, run->test, &run->result->test_all_inputs);
    tamis_model_free(m);
    return status;
}

/* The model of the best set, or of the weighted inputs. */
static int fit_answer(struct path *p)
{
    struct tamis_result *o = p->run->result;
    struct tamis_walk *r = p->walk;
    struct tamis_score score = p->score;
    o->error = score.value;
    if (!r->scaled) return r->criterion->fit(p->scorer, p->set, &score, &o->model, p->relevance);
    for (size_t i = 0; i < r->design->inputs; i++) p->set[i] = r->tenth[i] > 0;
    o->error = score.value = r->scaled_value;
    return r->criterion->fit_weighed(p->scorer, r->tenth, &score, &o->model, p->relevance);
}

/* Whether to compute the criterion of all inputs; a note says if not. With many columns, finding the neighbours of very
 * many rows costs as much as comparing all pairs; where a path can end early, few pairs of inputs have been
 * compared. */
static int affordable(struct path *p)
{
    const struct tamis_design *d = p->run->design;
    double rows = (double)tamis_design_all_rows(d), columns = (double)d->columns;
    const struct tamis_criterion *c = p->walk->criterion;
    if (c->ends ? columns * columns * pow(rows, 1.5) < 3e9 : !c->weigh || columns <= 10 || rows * rows * columns < 1e11)
        return 1;
    for (size_t k = 0; k < p->walk->moves; k++)
        if (p->walk->move[k].size == tamis_walk_candidates(p->walk)) return 1;
    tamis_note(p->run->cx,
               "the criterion of all %zu inputs was not computed: with %zu rows it would take longer than the search",
               d->inputs, tamis_design_all_rows(d));
    return 0;
}

/* ---- which set of the path ---- */

static void rule_fill(struct path *p, const struct tamis_rule *rule)
{
    const struct tamis_constraints *w = &p->constraints;
    tamis_value *v = p->run->result->rule = tamis_record_new(p->run->cx);
    tamis_add_text(v, "rule", w->rule);
    tamis_add_number(v, "folds", (double)rule->folds);
    tamis_add_number(v, "se", w->se);
    if (w->loss) tamis_add_text(v, "loss", w->loss->name);
    if (w->loss) tamis_add_text(v, "units", w->loss->units);
    tamis_add_number(v, "size", (double)rule->size);
    tamis_value *sizes = tamis_add_list(v, "sizes");
    for (size_t k = 0; k < rule->sizes; k++) {
        tamis_value *one = tamis_add_record(sizes, NULL);
        tamis_add_number(one, "size", (double)k);
        tamis_add_number(one, "error", rule->error[k]);
        tamis_add_number(one, "excess_se", rule->excess_se[k]);
    }
    tamis_add_by_input(v, "share", p->run->encoder, rule->share);
}

/* The answer by cross-fitting; its score is evaluated, since the set may not be on the path. */
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
        rule_fill(p, &rule);
        if (!rule.size)
            tamis_note(p->run->cx, "no input helps: no set beats the best constant by %g standard errors",
                       p->constraints.se);
    }
    tamis_rule_free(&rule);
    return status;
}

/* Whether budget or number of inputs exclude every set of the walk. */
static int all_excluded(const struct tamis_walk *r)
{
    size_t k = 0;
    while (k < r->moves && !tamis_walk_within(r, &r->move[k])) k++;
    return k == r->moves && (isfinite(r->limits.budget) || r->limits.most);
}

static int best_find(struct path *p)
{
    const struct tamis_run *run = p->run;
    p->best = tamis_walk_best(p->walk);
    if (all_excluded(p->walk)) return tamis_constraints_unmet(run, &p->constraints);
    if (p->best == p->walk->moves)
        return tamis_fail(run->cx, TAMIS_NUMERIC, "%s: no set of inputs has a finite %s error", run->method->name,
                          run->criterion->error_name);
    tamis_walk_set_at(p->walk, p->best, p->set);
    p->score = p->walk->move[p->best].score;
    if (strcmp(p->constraints.rule, "best") && rule_find(p)) return tamis_status(run->cx);
    memcpy(p->relevance, p->walk->relevance, run->design->inputs * sizeof *p->relevance);
    order_fill(p);
    return TAMIS_OK;
}

static int describe(struct path *p)
{
    struct tamis_chosen c = {p->walk, p->scorer, p->best, p->set, &p->score};
    return p->run->method->describe ? p->run->method->describe(p->run, &c) : TAMIS_OK;
}

static int answer(struct path *p)
{
    struct tamis_run *run = p->run;
    struct tamis_result *o = run->result;
    struct tamis_score all;
    int status = best_find(p);
    if (!status) status = fit_answer(p);
    if (!status && affordable(p)) {
        status = baseline(p, &all);
        if (!status) status = fit_all_inputs(p, &all);
    }
    if (!status && run->test) status = tamis_model_error(run->cx, o->model, run->test, &o->test);
    if (!status) status = tamis_result_rank(run->cx, o, p->set, p->relevance, p->order);
    if (!status) status = path_copy(p);
    names_fill(p);
    if (!status) status = tamis_costs_add(run, &p->constraints, p->set);
    run->refits = !p->walk->scaled;
    return status ? status : describe(p);
}

/* ---- the walk ---- */

static int path_drive(struct path *p)
{
    struct tamis_run *run = p->run;
    size_t n = run->design->inputs;
    p->set = tamis_new(run->cx, unsigned char, n);
    p->full = tamis_new(run->cx, unsigned char, n);
    p->relevance = tamis_new(run->cx, double, n);
    p->order = tamis_new(run->cx, double, n);
    int status = tamis_status(run->cx) ? tamis_status(run->cx) : tamis_constraints_read(run, &p->constraints);
    if (!status) status = run->criterion->start(run->cx, run->design, run->options, run->seed, &p->scorer);
    double part = !status && strcmp(p->constraints.rule, "best") ? 1 / (1 + (double)p->constraints.folds) : 1;
    struct tamis_span before = tamis_span_enter(run->cx, 0, part, NULL);
    if (!status)
        status = tamis_constraints_drive(run, &p->constraints, run->design, p->scorer, run->checkpoint, &p->walk);
    tamis_span_leave(run->cx, before);
    for (size_t i = 0; !status && i < n; i++) p->full[i] = (unsigned char)tamis_walk_candidate(p->walk, i);
    return status;
}

static void path_finish(struct path *p)
{
    tamis_walk_free(p->walk);
    tamis_constraints_free(&p->constraints);
    if (p->scorer) p->run->criterion->finish(p->scorer);
    tamis_free(p->set);
    tamis_free(p->full);
    tamis_free(p->relevance);
    tamis_free(p->order);
}

int tamis_path_shared(struct tamis_run *run) { return run->search->keeps; }

int tamis_path_select(struct tamis_run *run)
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
    names_fill(&p);
    if (!status) status = tamis_costs_add(run, &p.constraints, p.set);
    path_finish(&p);
    return status;
}
