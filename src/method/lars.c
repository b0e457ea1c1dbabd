/* lars: inputs ranked by least angle regression, as many as the leave-one-out error of least squares on them wants.
 *
 * The path adds inputs in the order in which their columns join the walk (num/lars.c). A point on it is judged by PRESS of the
 * least-squares refit on its inputs, not by the shrunken coefficients of the walk; the smallest wins, of equal ones (1e-9) the fewer
 * inputs, and none at all when the mean predicts best. Inputs collinear with those before them come last and are never chosen.
 *
 * [1] B. Efron, T. Hastie, I. Johnstone, R. Tibshirani, Least angle regression, Annals of Statistics 32 (2004) 407-499.
 * [2] F. Mateo, A. Lendasse, A variable selection approach based on the Delta Test for Extreme Learning Machine models, 2008, 3. */
#include <math.h>
#include <string.h>
#include "crit/lars_rank.h"
#include "method/methods.h"
#include "model/linear.h"
#include "num/press.h"

static const struct tamis_option none[] = {{0}};

struct ranking {
    struct tamis_job *job;
    struct tamis_lars_walk walk;
    unsigned char *full, *set;
    size_t *order, count, joined;       /* inputs */
    size_t *sequence, *columns;         /* columns of the walk, input by input; columns[k]: those of the first k inputs */
    double *h, *q, *memory, *error;     /* bias and columns in sequence; error[k]: with the first k inputs */
    struct tamis_press press;
    size_t best;
};

static int plan(tamis_context *cx, const tamis_options *o, struct tamis_plan *p)
{
    (void)cx, (void)o;
    p->several = 1;
    return TAMIS_OK;
}

static int cost(struct tamis_job *job, struct tamis_cost *c)
{
    double n = (double)job->design->rows, p = (double)job->design->columns, m = n < p ? n : p;
    c->bytes = 8 * (3 * n * p + p * m + n * m + p * p);
    c->flops = 2 * n * p * m + 4 * n * m * m + 4 * n * p * p;
    return TAMIS_OK;
}

/* ---- the errors along the path ---- */

static void sequence_fill(struct ranking *r)
{
    const struct tamis_design *d = r->job->design;
    size_t at = 0;
    for (size_t k = 0; k < r->count; k++) {
        for (size_t j = 0; j < r->walk.columns; j++)
            if (tamis_input_of(d, r->walk.column[j]) == r->order[k]) r->sequence[at++] = j;
        r->columns[k + 1] = at;
    }
}

static int errors_fill(struct ranking *r)
{
    const struct tamis_design *d = r->job->design;
    tamis_context *cx = r->job->cx;
    size_t n = d->rows, p = r->walk.columns, k = tamis_design_outputs(d);
    r->h = tamis_raw(cx, double, n * (p + 1));
    r->q = tamis_raw(cx, double, n * (p + 1));
    r->memory = tamis_raw(cx, double, tamis_press_size(n, p + 1, k));
    r->error = tamis_raw(cx, double, p + 1);
    if (!r->h || !r->q || !r->memory || !r->error) return tamis_status(cx);
    for (size_t i = 0; i < n; i++) r->h[i] = 1;
    for (size_t s = 0; s < p; s++) memcpy(r->h + n * (s + 1), r->walk.x + n * r->sequence[s], n * sizeof *r->h);
    memcpy(r->q, r->h, n * (p + 1) * sizeof *r->q);
    tamis_press_bind(&r->press, n, p + 1, k, r->q, d->y, r->memory);
    tamis_press_factor(&r->press);
    tamis_press_errors(&r->press, SIZE_MAX, r->error);
    for (size_t c = 0; c <= r->count; c++) r->error[c] = r->error[r->columns[c]];
    for (size_t c = 1; c <= r->joined; c++)
        if (r->error[c] < r->error[r->best] * (1 - 1e-9)) r->best = c;
    return TAMIS_OK;
}

static int ranking_make(struct ranking *r)
{
    const struct tamis_design *d = r->job->design;
    tamis_context *cx = r->job->cx;
    r->full = tamis_new(cx, unsigned char, d->inputs);
    r->set = tamis_new(cx, unsigned char, d->inputs);
    r->order = tamis_new(cx, size_t, d->inputs);
    r->columns = tamis_new(cx, size_t, d->inputs + 1);
    r->sequence = tamis_new(cx, size_t, d->columns);
    if (tamis_status(cx)) return tamis_status(cx);
    memset(r->full, 1, d->inputs);
    int status = tamis_lars_walk(cx, d, r->full, &r->walk);
    if (status) return status;
    r->count = tamis_lars_inputs(d, &r->walk, r->order, &r->joined);
    sequence_fill(r);
    return errors_fill(r);
}

static void ranking_free(struct ranking *r)
{
    void *all[] = {r->full, r->set, r->order, r->columns, r->sequence, r->h, r->q, r->memory, r->error};
    tamis_lars_walk_free(&r->walk);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) tamis_free(all[i]);
}

/* ---- the model of the first k inputs ---- */

/* From weights of the walk's columns, in sequence, to those of the design's columns in the model's order. */
static void coefficients_place(const struct ranking *r, const struct tamis_encoder *e, const double *beta, size_t k, struct tamis_linear *m)
{
    const struct tamis_design *d = r->job->design;
    size_t ld = r->walk.columns + 1;
    for (size_t o = 0; o < m->outputs; o++) {
        double *b = m->b + (m->columns + 1) * o;
        b[m->columns] = beta[ld * o];
        for (size_t s = 0; s < r->columns[k]; s++) {
            size_t j = r->sequence[s], column = r->walk.column[j], input = tamis_input_of(d, column), at = 0;
            while (strcmp(e->input[at].name, d->encoder->input[input].name)) at++;
            double weight = beta[1 + s + ld * o] * r->walk.by[j];
            b[e->input[at].first + column - d->encoder->input[input].first] = weight;
            b[m->columns] -= weight * r->walk.mean[j];
        }
    }
}

static int model_fit(struct ranking *r, size_t k, struct tamis_model **model)
{
    const struct tamis_design *d = r->job->design;
    tamis_context *cx = r->job->cx;
    size_t size = r->columns[k] + 1;
    for (size_t i = 0; i < d->inputs; i++) r->set[i] = 0;
    for (size_t i = 0; i < k; i++) r->set[r->order[i]] = 1;
    double *triangle = tamis_raw(cx, double, size * size), *beta = tamis_raw(cx, double, r->press.m * r->press.k);
    struct tamis_encoder *e = tamis_encoder_subset(cx, d->encoder, r->set);
    struct tamis_linear *m = tamis_linear_new(cx, r->columns[k], r->press.k);
    if (triangle && beta && e && m) {
        tamis_press_weights(&r->press, r->h, size, triangle, beta);
        coefficients_place(r, e, beta, k, m);
        *model = tamis_model_new(cx, &tamis_linear_kind, e, m);
    } else {
        tamis_encoder_free(e);
        tamis_linear_free(m);
    }
    tamis_free(triangle);
    tamis_free(beta);
    return tamis_status(cx);
}

/* ---- the result ---- */

static int path_fill(struct ranking *r)
{
    struct tamis_outcome *o = r->job->outcome;
    tamis_context *cx = r->job->cx;
    size_t n = r->job->design->rows;
    o->path = tamis_new(cx, tamis_step, r->joined + 1);
    o->changed = tamis_new(cx, size_t, r->joined);
    o->parameter_name = tamis_new(cx, char *, 1);
    o->criterion = tamis_strdup(cx, "press");
    o->error_name = tamis_strdup(cx, "press");
    if (tamis_status(cx)) return tamis_status(cx);
    o->parameter_name[0] = "correlation";
    for (size_t k = 0; k <= r->joined; k++) {
        size_t place = r->walk.l.steps;
        for (size_t s = k ? r->columns[k - 1] : 0; k && s < r->columns[k]; s++)
            if (r->walk.l.place[r->sequence[s]] < place) place = r->walk.l.place[r->sequence[s]];
        o->path[k] = (tamis_step){k, k ? (long)r->order[k - 1] : -1, k > 0, 0, r->error[k], {r->walk.l.c[k ? place : 0] / (double)(n * r->press.k)}};
        if (k) o->changed[k - 1] = r->order[k - 1];
    }
    o->changed_count = r->joined;
    o->open.path = o->path;
    o->open.steps = r->joined + 1;
    o->open.chosen_step = r->best;
    o->open.criterion = o->criterion;
    o->open.error_name = o->error_name;
    o->open.parameters = 1;
    o->open.parameter_names = (const char *const *)o->parameter_name;
    return TAMIS_OK;
}

/* "x", or of a category "colour=red". */
static void column_name(const struct ranking *r, size_t j, struct tamis_text *t)
{
    const struct tamis_design *d = r->job->design;
    const struct tamis_feature *f = &d->encoder->input[tamis_input_of(d, r->walk.column[j])];
    struct tamis_text name = {.cx = t->cx};
    tamis_text_puts(&name, f->name);
    if (f->levels) tamis_text_printf(&name, "=%s", f->level[r->walk.column[j] - f->first]);
    tamis_text_json(t, name.s);
    tamis_text_free(&name);
}

static void names_list(const struct ranking *r, size_t from, size_t to, struct tamis_text *t)
{
    tamis_text_puts(t, "[");
    for (size_t s = from; s < to; s++) {
        if (s > from) tamis_text_puts(t, ", ");
        column_name(r, r->walk.l.order[s], t);
    }
    tamis_text_puts(t, "]");
}

/* After step s the coefficients of the s columns that have joined, in their order; of several outputs one list each. */
static void coefficients_list(const struct ranking *r, const double *coef, struct tamis_text *t)
{
    const struct tamis_lars *l = &r->walk.l;
    size_t p = l->data.p, k = l->data.k;
    for (size_t s = 0; s <= l->steps; s++) {
        tamis_text_puts(t, s ? ",\n    [" : "\n    [");
        for (size_t o = 0; o < k; o++) {
            if (k > 1) tamis_text_puts(t, o ? ", [" : "[");
            for (size_t i = 0; i < s; i++) {
                if (i) tamis_text_puts(t, ", ");
                tamis_text_number(t, coef[l->order[i] + p * (o + k * s)]);
            }
            if (k > 1) tamis_text_puts(t, "]");
        }
        tamis_text_puts(t, "]");
    }
}

static int block_write(const struct ranking *r)
{
    struct tamis_text *t = &r->job->outcome->block;
    const struct tamis_lars *l = &r->walk.l;
    size_t p = l->data.p, k = l->data.k;
    double *coef = tamis_raw(r->job->cx, double, p * k * (l->steps + 1)), *work = tamis_raw(r->job->cx, double, 2 * l->most * k);
    if (coef && work) {
        tamis_lars_path(l, coef, work);
        tamis_text_puts(t, "{\"order\": ");
        names_list(r, 0, l->steps, t);
        tamis_text_puts(t, ", \"collinear\": ");
        names_list(r, l->steps, p, t);
        tamis_text_puts(t, ", \"correlation\": [");
        for (size_t s = 0; s <= l->steps; s++) {
            if (s) tamis_text_puts(t, ", ");
            tamis_text_number(t, l->c[s] / (double)(l->data.n * k));
        }
        tamis_text_puts(t, "],\n  \"coefficients\": [");
        coefficients_list(r, coef, t);
        tamis_text_puts(t, "]}");
    }
    r->job->outcome->block_name = "lars";
    tamis_free(coef);
    tamis_free(work);
    return tamis_text_status(t);
}

static int answer(struct ranking *r)
{
    struct tamis_job *job = r->job;
    struct tamis_outcome *o = job->outcome;
    struct tamis_model *all = NULL;
    size_t inputs = job->design->inputs;
    double *relevance = tamis_new(job->cx, double, inputs), *order = tamis_new(job->cx, double, inputs);
    int status = tamis_status(job->cx);
    if (!status) status = path_fill(r);
    if (!status) tamis_lars_walk_relevance(job->design, &r->walk, r->full, relevance);
    o->open.error = r->error[r->best];
    o->open.all_inputs = r->error[r->count];
    if (!status && job->test) status = model_fit(r, r->count, &all);
    if (!status && job->test) status = tamis_model_error(job->cx, all, job->test, &o->open.test_all_inputs);
    if (!status) status = model_fit(r, r->best, &o->model);
    if (!status && job->test) status = tamis_model_error(job->cx, o->model, job->test, &o->open.test);
    for (size_t k = 0; !status && k < r->count; k++) order[r->order[k]] = -(double)k;
    if (!status) status = tamis_outcome_rank(job->cx, o, r->set, relevance, order);
    if (!status) status = block_write(r);
    o->open.model = o->model;
    tamis_model_free(all);
    tamis_free(relevance);
    tamis_free(order);
    return status;
}

static int run(struct tamis_job *job)
{
    struct ranking r = {.job = job};
    int status = ranking_make(&r);
    if (!status) status = answer(&r);
    ranking_free(&r);
    return status;
}

const struct tamis_method tamis_lars_method = {
    "lars", "regression", "least angle regression: inputs ranked by a linear walk, as many as the leave-one-out error of least squares wants",
    "B. Efron et al., 2004; F. Mateo, A. Lendasse, 2008, section 3", none, plan, cost, run};
