/* The common way of a method: a criterion under a search gives a path of sets; the best of them is fitted and becomes the answer. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "select/constraints.h"

struct path {
    struct tamis_job *job;
    void *judge;
    struct tamis_run *run;
    struct tamis_wishes wishes;
    size_t best;
    struct tamis_score score;                   /* of the answer */
    unsigned char *set, *full;
    double *relevance, *order;
};

int tamis_path_cost(struct tamis_job *job, struct tamis_cost *cost)
{
    const struct tamis_plan *plan = &job->plan;
    int status = plan->criterion->cost(job->cx, job->design, job->options, cost);
    if (status) return status;
    struct tamis_run *run = tamis_run_new(job->cx, job->design, plan->criterion, NULL, plan->search, job->options);
    if (!run) return tamis_status(job->cx);
    cost->flops *= plan->search->remaining(run);
    tamis_run_free(run);
    return TAMIS_OK;
}

/* ---- the answer ---- */

/* When an input that was not chosen last changed: those that left late, or would have come next, stand higher. */
static void order_fill(struct path *p)
{
    const struct tamis_run *r = p->run;
    for (size_t i = 0; i < r->design->inputs; i++) p->order[i] = NAN;
    for (size_t k = 0; k < r->moves; k++)
        for (size_t i = 0; i < r->move[k].count; i++) {
            double when = (double)k + (double)i / (double)(r->move[k].count + 1);
            p->order[r->changed[r->move[k].first + i]] = r->move[k].added ? -when : when;
        }
}

static int path_copy(struct path *p)
{
    struct tamis_outcome *o = p->job->outcome;
    const struct tamis_run *r = p->run;
    tamis_context *cx = p->job->cx;
    o->path = tamis_new(cx, tamis_step, r->moves);
    o->changed = tamis_new(cx, size_t, r->changes);
    if (!o->path || !o->changed) return tamis_status(cx);
    if (r->changes) memcpy(o->changed, r->changed, r->changes * sizeof *o->changed);
    o->changed_count = r->changes;
    for (size_t k = 0; k < r->moves; k++) {
        const struct tamis_move *m = &r->move[k];
        o->path[k] = (tamis_step){m->size, m->count ? (long)r->changed[m->first] : -1, m->added, m->count ? m->count - 1 : 0, m->score.value, {0}};
        memcpy(o->path[k].parameters, m->score.parameter, sizeof o->path[k].parameters);
    }
    o->open.path = o->path;
    o->open.steps = r->moves;
    o->open.chosen_step = p->best;
    return TAMIS_OK;
}

static int describe(struct path *p)
{
    struct tamis_outcome *o = p->job->outcome;
    const struct tamis_criterion *c = p->job->plan.criterion;
    tamis_context *cx = p->job->cx;
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
    const struct tamis_run *r = p->run;
    for (size_t k = 0; k < r->moves; k++)
        if (r->move[k].size == r->design->inputs) {
            *score = r->move[k].score;
            return TAMIS_OK;
        }
    return r->criterion->evaluate(p->judge, p->full, self, 1, tamis_run_last(r), score);
}

static int fit_all_inputs(struct path *p, const struct tamis_score *score)
{
    struct tamis_job *job = p->job;
    struct tamis_model *m = NULL;
    job->outcome->open.all_inputs = score->value;
    if (!job->test) return TAMIS_OK;
    int status = p->run->criterion->fit(p->judge, p->full, score, &m, NULL);
    if (status) return status;
    status = tamis_model_error(job->cx, m, job->test, &job->outcome->open.test_all_inputs);
    tamis_model_free(m);
    return status;
}

/* The model of the best set, or of the weighted inputs. */
static int fit_answer(struct path *p)
{
    struct tamis_outcome *o = p->job->outcome;
    struct tamis_run *r = p->run;
    struct tamis_score score = p->score;
    o->open.error = score.value;
    if (!r->scaled) return r->criterion->fit(p->judge, p->set, &score, &o->model, p->relevance);
    for (size_t i = 0; i < r->design->inputs; i++) p->set[i] = r->tenth[i] > 0;
    o->open.error = score.value = r->scaled_value;
    return r->criterion->fit_weighed(p->judge, r->tenth, &score, &o->model, p->relevance);
}

/* Neighbours in many columns among very many rows are as dear as all pairs: the comparison is left out, and said to be. */
static int affordable(struct path *p)
{
    const struct tamis_design *d = p->job->design;
    if (!p->run->criterion->weigh || d->columns <= 10 || (double)d->rows * (double)d->rows * (double)d->columns < 1e11) return 1;
    for (size_t k = 0; k < p->run->moves; k++)
        if (p->run->move[k].size == d->inputs) return 1;
    tamis_note(p->job->cx, "the criterion of all %zu inputs was not computed: with %zu rows it would take longer than the search", d->inputs, d->rows);
    return 0;
}

/* {"criterion", "search", "value", and with weights "unscaled", "steps", "scaling"}; what people maximise is shown as they know it. */
static int block_fill(struct path *p)
{
    struct tamis_outcome *o = p->job->outcome;
    const struct tamis_run *r = p->run;
    struct tamis_text *t = &o->block;
    double sign = r->criterion->negated ? -1 : 1;
    o->block_name = p->job->plan.block;
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
    struct tamis_text *t = &p->job->outcome->rule;
    tamis_text_printf(t, "{\"rule\": \"%.*s\", \"folds\": %zu, \"se\": ", (int)strcspn(p->wishes.rule, "|"), p->wishes.rule, p->wishes.folds);
    tamis_text_number(t, p->wishes.se);
    tamis_text_printf(t, ", \"size\": %zu, \"sizes\": [", rule->size);
    for (size_t k = 0; k < rule->sizes; k++) {
        tamis_text_printf(t, "%s{\"size\": %zu, \"error\": ", k ? ", " : "", k);
        tamis_text_number(t, rule->error[k]);
        tamis_text_puts(t, ", \"excess_se\": ");
        tamis_text_number(t, rule->excess_se[k]);
        tamis_text_puts(t, "}");
    }
    tamis_text_puts(t, "], \"share\": ");
    tamis_json_by_input(t, p->job->design->encoder, rule->share);
    tamis_text_puts(t, "}");
}

/* The answer by cross-fitting; a set that is not on the path is judged. */
static int rule_find(struct path *p)
{
    static const size_t self[1] = {SIZE_MAX};
    struct tamis_rule rule = {0};
    const struct tamis_run *r = p->run;
    int status = tamis_rule_apply(p->job, &p->wishes, r, &rule);
    if (!status) {
        memcpy(p->set, rule.set, r->design->inputs);
        if (rule.move < r->moves) p->best = rule.move;
        status = r->criterion->evaluate(p->judge, p->set, self, 1, &r->move[p->best].score, &p->score);
        rule_json(p, &rule);
        if (!rule.size) tamis_note(p->job->cx, "no input helps: no set beats the best constant by %g standard errors", p->wishes.se);
    }
    tamis_rule_free(&rule);
    return status;
}

static int best_find(struct path *p)
{
    const struct tamis_job *job = p->job;
    p->best = tamis_run_best(p->run);
    if (p->best == p->run->moves && isfinite(p->wishes.limits.budget))
        return tamis_fail(job->cx, TAMIS_USAGE, "--budget %g: no set on the path costs so little", p->wishes.limits.budget);
    if (p->best == p->run->moves) return tamis_fail(job->cx, TAMIS_NUMERIC, "%s: no set of inputs has a finite %s error", job->plan.method->name, job->plan.criterion->error_name);
    tamis_run_set_at(p->run, p->best, p->set);
    p->score = p->run->move[p->best].score;
    if (*p->wishes.rule != 'b' && rule_find(p)) return tamis_status(job->cx);
    memcpy(p->relevance, p->run->relevance, job->design->inputs * sizeof *p->relevance);
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
    const struct tamis_run *r = p->run;
    struct tamis_text *t = &p->job->outcome->cost;
    double chosen = 0, all = 0, least = INFINITY;
    int first = 1;
    if (!p->wishes.cost) return TAMIS_OK;
    struct tamis_move *move = tamis_raw(p->job->cx, struct tamis_move, r->moves);
    if (!move) return tamis_status(p->job->cx);
    memcpy(move, r->move, r->moves * sizeof *move);
    qsort(move, r->moves, sizeof *move, by_cost);
    for (size_t i = 0; i < r->design->inputs; i++) all += p->wishes.cost[i], chosen += p->set[i] ? p->wishes.cost[i] : 0;
    tamis_text_puts(t, "{\"chosen\": ");
    tamis_text_number(t, chosen);
    tamis_text_puts(t, ", \"all\": ");
    tamis_text_number(t, all);
    tamis_text_puts(t, ", \"budget\": ");
    tamis_text_number(t, p->wishes.limits.budget);
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
    struct tamis_job *job = p->job;
    struct tamis_outcome *o = job->outcome;
    struct tamis_score all;
    int status = best_find(p);
    if (!status) status = fit_answer(p);
    if (!status && affordable(p)) {
        status = baseline(p, &all);
        if (!status) status = fit_all_inputs(p, &all);
    }
    if (!status && job->test) status = tamis_model_error(job->cx, o->model, job->test, &o->open.test);
    if (!status) status = tamis_outcome_rank(job->cx, o, p->set, p->relevance, p->order);
    if (!status) status = path_copy(p);
    if (!status) status = describe(p);
    if (!status) status = costs_json(p);
    if (!status && job->plan.block) status = block_fill(p);
    if (!status && job->describe) status = job->describe(job, p->judge, p->set, &p->score);
    o->open.model = o->model;
    job->refits = !p->run->scaled;
    return status;
}

/* ---- the run ---- */

static int path_drive(struct path *p)
{
    struct tamis_job *job = p->job;
    const struct tamis_plan *plan = &job->plan;
    size_t n = job->design->inputs;
    p->set = tamis_new(job->cx, unsigned char, n);
    p->full = tamis_new(job->cx, unsigned char, n);
    p->relevance = tamis_new(job->cx, double, n);
    p->order = tamis_new(job->cx, double, n);
    if (p->set && p->full && p->relevance && p->order) memset(p->full, 1, n);
    int status = tamis_status(job->cx) ? tamis_status(job->cx) : tamis_wishes_read(job, &p->wishes);
    if (!status) status = plan->criterion->start(job->cx, job->design, job->options, job->seed, &p->judge);
    return status ? status : tamis_wishes_drive(job, &p->wishes, job->design, p->judge, job->checkpoint, &p->run);
}

static void path_finish(struct path *p)
{
    tamis_run_free(p->run);
    tamis_wishes_free(&p->wishes);
    if (p->judge) p->job->plan.criterion->finish(p->judge);
    tamis_free(p->set);
    tamis_free(p->full);
    tamis_free(p->relevance);
    tamis_free(p->order);
}

int tamis_path_run(struct tamis_job *job)
{
    struct path p = {.job = job};
    int status = path_drive(&p);
    if (!status) status = answer(&p);
    path_finish(&p);
    return status;
}

int tamis_path_choose(struct tamis_job *job, unsigned char *set, double *factor, double *order, struct tamis_score *at)
{
    struct path p = {.job = job};
    int status = path_drive(&p);
    if (!status) status = best_find(&p);
    if (!status) {
        memcpy(set, p.set, job->design->inputs);
        for (size_t i = 0; i < job->design->inputs; i++) factor[i] = p.run->scaled ? p.run->tenth[i] / 10.0 : 1;
        for (size_t i = 0; p.run->scaled && i < job->design->inputs; i++) set[i] = factor[i] > 0;
        memcpy(order, p.order, job->design->inputs * sizeof *order);
        *at = p.score;
        if (p.run->scaled) at->value = p.run->scaled_value;
        status = path_copy(&p);
    }
    if (!status) status = costs_json(&p);
    if (!status) status = describe(&p);
    path_finish(&p);
    return status;
}
