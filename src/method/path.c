/* The common way of a method: a criterion under a search gives a path of sets; the best of them is fitted and becomes the answer. */
#include <math.h>
#include <string.h>
#include "method/method.h"

struct path {
    struct tamis_job *job;
    void *judge;
    struct tamis_run *run;
    size_t best;
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
    struct tamis_score score = r->move[p->best].score;
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

static int best_find(struct path *p)
{
    const struct tamis_job *job = p->job;
    p->best = tamis_run_best(p->run);
    if (p->best == p->run->moves) return tamis_fail(job->cx, TAMIS_NUMERIC, "%s: no set of inputs has a finite %s error", job->plan.method->name, job->plan.criterion->error_name);
    tamis_run_set_at(p->run, p->best, p->set);
    memcpy(p->relevance, p->run->relevance, job->design->inputs * sizeof *p->relevance);
    order_fill(p);
    return TAMIS_OK;
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
    if (!status && job->plan.block) status = block_fill(p);
    if (!status && job->describe) status = job->describe(job, p->judge, p->set, &p->run->move[p->best].score);
    o->open.model = o->model;
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
    int status = tamis_status(job->cx);
    if (!status) status = plan->criterion->start(job->cx, job->design, job->options, job->seed, &p->judge);
    if (!status && !(p->run = tamis_run_new(job->cx, job->design, plan->criterion, p->judge, plan->search, job->options))) status = tamis_status(job->cx);
    if (status) return status;
    p->run->keep_start = plan->keep_start;
    p->run->scaling = plan->scaling;
    return tamis_run_drive(p->run, job->checkpoint, job->fingerprint);
}

static void path_finish(struct path *p)
{
    tamis_run_free(p->run);
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
        *at = p.run->move[p.best].score;
        if (p.run->scaled) at->value = p.run->scaled_value;
        status = path_copy(&p);
    }
    if (!status) status = describe(&p);
    path_finish(&p);
    return status;
}
