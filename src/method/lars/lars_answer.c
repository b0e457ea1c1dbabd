/* The result of lars: path, model, the method's block. */
#include <string.h>
#include "base/text.h"
#include "method/lars/lars.h"
#include "model/linear.h"

/* ---- the model of the first k inputs ---- */

/* From weights of the walk's columns, in sequence, to those of the design's columns in the model's order. */
static void coefficients_place(const struct lars_ranking *r, const struct tamis_encoder *e, const size_t *place,
                               const double *beta, size_t k, struct tamis_linear *m)
{
    const struct tamis_design *d = r->d;
    size_t ld = r->press.m;
    for (size_t o = 0; o < m->outputs; o++) {
        double *b = m->b + (m->columns + 1) * o;
        b[m->columns] = beta[ld * o];
        for (size_t s = 0; s < r->columns[k]; s++) {
            size_t j = r->sequence[s], column = r->walk.column[j], input = tamis_input_of(d, column);
            double weight = r->walk.scale[j] > 0 ? beta[1 + s + ld * o] / r->walk.scale[j] : 0;
            b[e->input[place[input]].first + column - d->encoder->input[input].first] = weight;
            b[m->columns] -= weight * r->walk.mean[j];
        }
    }
}

static int model_fit(struct lars *l, size_t k, struct tamis_model **model)
{
    struct lars_ranking *r = &l->whole;
    const struct tamis_design *d = r->d;
    tamis_context *cx = l->run->cx;
    size_t size = r->columns[k] + 1;
    for (size_t i = 0; i < d->inputs; i++) l->set[i] = 0;
    for (size_t i = 0; i < k; i++) l->set[r->order[i]] = 1;
    size_t *place = tamis_new(cx, size_t, d->inputs + 1);       /* of an input among those of the model */
    for (size_t i = 0; place && i < d->inputs; i++) place[i + 1] = place[i] + l->set[i];
    double *triangle = tamis_raw(cx, double, size * size), *beta = tamis_raw(cx, double, r->press.m * r->press.k);
    struct tamis_encoder *e = tamis_encoder_subset(cx, d->encoder, l->set);
    struct tamis_linear *m = tamis_linear_new(cx, r->columns[k], r->press.k);
    if (place && triangle && beta && e && m) {
        tamis_press_weights(&r->press, r->h, size, triangle, beta);
        coefficients_place(r, e, place, beta, k, m);
        *model = tamis_model_new(cx, &tamis_linear_kind, e, m);
    } else {
        tamis_encoder_free(e);
        tamis_linear_free(m);
    }
    tamis_free(place);
    tamis_free(triangle);
    tamis_free(beta);
    return tamis_status(cx);
}

/* ---- the result ---- */

static int path_fill(struct lars *l)
{
    static const char *const parameters[] = {"correlation", "press"};
    const struct lars_ranking *r = &l->whole;
    struct tamis_result *o = l->run->result;
    if (tamis_result_path(l->run->cx, o, r->joined + 1, r->joined)) return tamis_status(l->run->cx);
    for (size_t k = 0; k <= r->joined; k++) {
        size_t place = r->walk.l.steps;
        for (size_t s = k ? r->columns[k - 1] : 0; k && s < r->columns[k]; s++)
            if (r->walk.l.place[r->sequence[s]] < place) place = r->walk.l.place[r->sequence[s]];
        o->path[k] = (struct tamis_path_step){
            .size = k,
            .changed = k ? (ptrdiff_t)r->order[k - 1] : -1,
            .added = k > 0,
            .criterion = l->error[k],
            .parameters = {r->walk.l.c[k ? place : 0] / (r->walk.total * (double)r->press.k),
                           r->press_of[r->columns[k]]}};
        if (k) o->changed[k - 1] = r->order[k - 1];
    }
    o->chosen_step = l->best;
    o->criterion = o->error_name = "cv";
    o->error_label = "cross-validated error";
    o->parameters = 2;
    o->parameter_names = parameters;
    return TAMIS_OK;
}

/* "x", or of a category "colour=red". */
static void add_column_name(tamis_value *to, tamis_context *cx, const struct lars_ranking *r, size_t j)
{
    const struct tamis_design *d = r->d;
    const struct tamis_feature *f = &d->encoder->input[tamis_input_of(d, r->walk.column[j])];
    struct tamis_text name = {.cx = cx};
    tamis_text_puts(&name, f->name);
    if (f->levels) tamis_text_printf(&name, "=%s", f->level[r->walk.column[j] - f->first]);
    if (!name.failed) tamis_add_text(to, NULL, name.s);
    tamis_text_free(&name);
}

static void add_names(tamis_value *to, const char *key, tamis_context *cx, const struct lars_ranking *r, size_t from,
                      size_t end)
{
    tamis_value *list = tamis_add_list(to, key);
    for (size_t s = from; s < end; s++) add_column_name(list, cx, r, r->walk.l.order[s]);
}

/* After step s, the coefficients of the s columns that have joined, in their order; with several outputs, one list
 * each. */
static void add_coefficients(tamis_value *to, const struct lars_ranking *r, const double *coef)
{
    const struct tamis_lars *l = &r->walk.l;
    size_t p = l->data.p, k = l->data.k;
    tamis_value *steps = tamis_add_list(to, "coefficients");
    for (size_t s = 0; s <= l->steps; s++) {
        tamis_value *outputs = k > 1 ? tamis_add_list(steps, NULL) : steps;
        for (size_t o = 0; o < k; o++) {
            double *x = tamis_add_room(outputs, NULL, s);
            for (size_t i = 0; x && i < s; i++) x[i] = coef[l->order[i] + p * (o + k * s)];
        }
    }
}

static int block_fill(struct lars *a)
{
    const struct lars_ranking *r = &a->whole;
    const struct tamis_lars *l = &r->walk.l;
    tamis_context *cx = a->run->cx;
    size_t p = l->data.p, k = l->data.k;
    double *coef = tamis_raw(cx, double, p * k * (l->steps + 1)), *work = tamis_raw(cx, double, 2 * l->most * k);
    tamis_value *v = tamis_result_block(cx, a->run->result, "lars");
    if (coef && work) {
        tamis_lars_path(l, coef, work);
        add_names(v, "order", cx, r, 0, l->steps);
        add_names(v, "collinear", cx, r, l->steps, p);
        double *c = tamis_add_room(v, "correlation", l->steps + 1);
        for (size_t s = 0; c && s <= l->steps; s++) c[s] = l->c[s] / (r->walk.total * (double)k);
        add_coefficients(v, r, coef);
    }
    tamis_free(coef);
    tamis_free(work);
    return tamis_status(cx);
}

int lars_answer(struct lars *l)
{
    struct tamis_run *run = l->run;
    struct tamis_result *o = run->result;
    struct lars_ranking *r = &l->whole;
    struct tamis_model *all = NULL;
    size_t inputs = run->design->inputs;
    double *relevance = tamis_new(run->cx, double, inputs), *order = tamis_new(run->cx, double, inputs);
    int status = tamis_status(run->cx);
    if (!status) status = path_fill(l);
    if (!status) tamis_lars_walk_relevance(run->design, &r->walk, l->full, relevance);
    o->error = l->error[l->best];
    o->all_inputs = l->error[inputs];
    if (!status && run->test) status = model_fit(l, r->joined, &all);
    if (!status && run->test) status = tamis_model_error(run->cx, all, run->test, &o->test_all_inputs);
    if (!status) status = model_fit(l, l->best, &o->model);
    if (!status && run->test) status = tamis_model_error(run->cx, o->model, run->test, &o->test);
    for (size_t k = 0; !status && k < r->count; k++) order[r->order[k]] = -(double)k;
    if (!status) status = tamis_result_rank(run->cx, o, l->set, relevance, order);
    if (!status) status = block_fill(l);
    tamis_model_free(all);
    tamis_free(relevance);
    tamis_free(order);
    return status;
}
