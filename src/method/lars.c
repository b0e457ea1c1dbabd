/* lars: inputs ranked by least angle regression, as many as cross-validation wants.
 *
 * The path adds inputs in the order in which their columns join the walk (num/least_angle.c). How many are kept is
 * judged by cross-validation of all of it: without a fold, walk and least-squares refit on the first k inputs; on the
 * fold, their error. The smallest wins, of equal ones (1e-9) the fewer inputs, and none at all when the mean predicts
 * best. (PRESS of the refits alone forgets that the walk has seen the row left out: with 3000 inputs of noise it keeps
 * hundreds.) Inputs collinear with those before them come last and are never chosen.
 *
 * [1] B. Efron, T. Hastie, I. Johnstone, R. Tibshirani, Least angle regression, Annals of Statistics 32 (2004) 407-499.
 * [2] F. Mateo, A. Lendasse, A variable selection approach based on the Delta Test for Extreme Learning Machine models,
 * 2008, 3. */
#include <math.h>
#include <stddef.h>
#include <string.h>
#include "base/text.h"
#include "base/parallel.h"
#include "crit/lars_rank.h"
#include "method/methods.h"
#include "model/linear.h"
#include "num/lapack.h"
#include "num/nested_press.h"

struct settings { size_t folds; };

static const struct tamis_option rows[] = {
    {"folds", TAMIS_COUNT, offsetof(struct settings, folds), "10", 2, 1e6, NULL, "K",
     "folds that decide how many inputs are kept; blocks of rows in a time series"},
    {0}};

/* A walk and the least-squares refits along it. */
struct ranking {
    const struct tamis_design *d;
    struct tamis_lars_walk walk;
    size_t *order, count, joined;       /* inputs: all of them, and those that joined */
    size_t *sequence, *columns; /* columns of the walk, input by input; columns[k]: those of the first k inputs */
    size_t m;                           /* columns of the inputs that joined */
    double *h, *q, *memory, *press_of;  /* bias and columns in sequence; press_of[c]: with the first c columns */
    struct tamis_press press;
};

struct lars {
    struct tamis_run *run;
    struct settings s;
    struct ranking whole;
    unsigned char *full, *set;
    size_t *fold;
    double *error;                      /* error[k]: cross-validated, with k inputs */
    double *part;                       /* folds x (inputs + 1): the sums of squares of each fold */
    size_t best;
};

static int cost(struct tamis_run *run, struct tamis_cost *c)
{
    struct settings s = {0};
    double n = (double)run->design->rows, p = (double)run->design->columns, m = n < p ? n : p,
           workers = tamis_threads(run->cx);
    int status = tamis_options_read(run->cx, run->options, rows, &s);
    c->bytes = 8 * ((workers + 1) * (2 * n * p + p * m + 3 * n * m + 2 * m * m) + p * m);
    c->flops = (1 + (double)s.folds) * (2 * n * p * m + 8 * n * m * m);
    return status;
}

/* ---- a walk and its refits ---- */

static void sequence_fill(struct ranking *r)
{
    size_t at = 0;
    for (size_t k = 0; k < r->count; k++) {
        size_t first = tamis_lars_column(r->d, &r->walk, r->order[k]);
        for (size_t j = 0; j < r->d->encoder->input[r->order[k]].columns; j++) r->sequence[at++] = first + j;
        r->columns[k + 1] = at;
    }
    r->m = r->columns[r->joined];
}

static int refits_make(tamis_context *cx, struct ranking *r)
{
    size_t n = r->d->rows, m = r->m + 1, k = tamis_design_outputs(r->d);
    r->h = tamis_raw(cx, double, n * m);
    r->q = tamis_raw(cx, double, n * m);
    r->memory = tamis_raw(cx, double, tamis_press_size(n, m, k));
    r->press_of = tamis_raw(cx, double, m);
    if (tamis_status(cx)) return tamis_status(cx);
    for (size_t i = 0; i < n; i++) r->h[i] = 1;
    for (size_t s = 0; s < r->m; s++) memcpy(r->h + n * (s + 1), r->walk.x + n * r->sequence[s], n * sizeof *r->h);
    memcpy(r->q, r->h, n * m * sizeof *r->q);
    tamis_press_bind(&r->press, n, m, k, r->q, r->d->y, r->memory);
    tamis_press_factor(&r->press);
    tamis_press_errors(&r->press, SIZE_MAX, r->press_of);
    return TAMIS_OK;
}

static int ranking_make(tamis_context *cx, const struct tamis_design *d, const unsigned char *full, struct ranking *r)
{
    *r = (struct ranking){.d = d};
    r->order = tamis_new(cx, size_t, d->inputs);
    r->columns = tamis_new(cx, size_t, d->inputs + 1);
    r->sequence = tamis_new(cx, size_t, d->columns);
    int status = tamis_status(cx);
    if (!status) status = tamis_lars_walk(cx, d, full, &r->walk);
    if (status) return status;
    r->count = tamis_lars_inputs(d, &r->walk, r->order, &r->joined);
    sequence_fill(r);
    return refits_make(cx, r);
}

static void ranking_free(struct ranking *r)
{
    void *all[] = {r->order, r->columns, r->sequence, r->h, r->q, r->memory, r->press_of};
    tamis_lars_walk_free(&r->walk);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) tamis_free(all[i]);
}

/* ---- the cross-validated error of every size ---- */

/* Rows of d in the fold, or all others. */
static int rows_of(tamis_context *cx, const struct tamis_design *d, const size_t *fold, size_t which, int inside,
                   struct tamis_design *out)
{
    size_t k = tamis_design_outputs(d), n = 0;
    *out = (struct tamis_design){.encoder = d->encoder, .columns = d->columns, .inputs = d->inputs};
    for (size_t i = 0; i < d->rows; i++) out->rows += (fold[i] == which) == inside;
    out->x = tamis_raw(cx, double, out->rows * d->columns);
    out->y = tamis_raw(cx, double, out->rows * k);
    if (!out->x || !out->y) return tamis_status(cx);
    for (size_t i = 0; i < d->rows; i++) {
        if ((fold[i] == which) != inside) continue;
        for (size_t j = 0; j < d->columns; j++) out->x[n + out->rows * j] = d->x[i + d->rows * j];
        for (size_t o = 0; o < k; o++) out->y[n + out->rows * o] = d->y[i + d->rows * o];
        n++;
    }
    return TAMIS_OK;
}

/* Squared errors on the rows of t of the refits on 0, 1, ... columns: with H = Q R on the rows learnt from, the rows of
 * t are q = h R^-1, and each column adds q_s (Q^T y)_s to the prediction. h comes in as t's columns in sequence, the
 * bias first, and becomes q. */
static int sums_fill(tamis_context *cx, const struct ranking *r, const struct tamis_design *t, double *h, double *sum)
{
    size_t n = t->rows, m = r->m + 1, k = r->press.k;
    double *left = tamis_raw(cx, double, n * k), *triangle = tamis_raw(cx, double, m * m);
    if (left && triangle) {
        memcpy(left, t->y, n * k * sizeof *left);
        tamis_gemm(TRANS, PLAIN, m, m, r->d->rows, 1, r->q, r->d->rows, r->h, r->d->rows, 0, triangle, m);
        for (size_t s = 0; s < m; s++) {
            double *q = h + n * s, pivot = triangle[s + m * s];
            if (s) tamis_gemv(PLAIN, n, s, -1, h, n, triangle + m * s, 1, q);
            for (size_t i = 0; i < n; i++) q[i] = fabs(pivot) > 0 ? q[i] / pivot : 0;
            sum[s] = 0;
            for (size_t o = 0; o < k; o++)
                for (size_t i = 0; i < n; i++) {
                    left[i + n * o] -= q[i] * r->press.qy[s + r->press.m * o];
                    sum[s] += left[i + n * o] * left[i + n * o];
                }
        }
    }
    tamis_free(left);
    tamis_free(triangle);
    return tamis_status(cx);
}

static int fold_judge(tamis_context *cx, const struct ranking *r, const struct tamis_design *t, double *part)
{
    size_t n = t->rows, inputs = t->inputs;
    double *h = tamis_raw(cx, double, n * (r->m + 1)), *sum = tamis_raw(cx, double, r->m + 1);
    if (h && sum) {
        for (size_t i = 0; i < n; i++) h[i] = 1;
        for (size_t s = 0; s < r->m; s++) {
            size_t j = r->sequence[s];
            double by = r->walk.scale[j] > 0 ? 1 / r->walk.scale[j] : 0;
            for (size_t i = 0; i < n; i++)
                h[i + n * (s + 1)] = (t->x[i + n * r->walk.column[j]] - r->walk.mean[j]) * by;
        }
        if (!sums_fill(cx, r, t, h, sum))
            for (size_t k = 0; k <= inputs; k++) part[k] = sum[r->columns[k < r->joined ? k : r->joined]];
    }
    tamis_free(h);
    tamis_free(sum);
    return tamis_status(cx);
}

/* One fold: the walk without it, judged on it. */
static int fold_body(void *arg, size_t item, int worker)
{
    struct lars *l = arg;
    tamis_context *cx = l->run->cx;
    struct tamis_design in = {0}, out = {0};
    struct ranking r = {0};
    (void)worker;
    int status = rows_of(cx, l->run->design, l->fold, item, 0, &in);
    if (!status) status = rows_of(cx, l->run->design, l->fold, item, 1, &out);
    if (!status) status = ranking_make(cx, &in, l->full, &r);
    if (!status) status = fold_judge(cx, &r, &out, l->part + (l->run->design->inputs + 1) * item);
    ranking_free(&r);
    tamis_free(in.x), tamis_free(in.y), tamis_free(out.x), tamis_free(out.y);
    return status;
}

static int errors_fill(struct lars *l)
{
    const struct tamis_design *d = l->run->design;
    size_t folds = l->s.folds < d->rows ? l->s.folds : d->rows;
    int status = tamis_design_folds(l->run->cx, d, folds, l->run->seed, l->fold);
    if (!status) status = tamis_parallel(l->run->cx, folds, fold_body, l);
    if (status) return status;
    for (size_t k = 0; k <= d->inputs; k++) {
        for (size_t f = 0; f < folds; f++) l->error[k] += l->part[k + (d->inputs + 1) * f];
        l->error[k] /= (double)(d->rows * tamis_design_outputs(d));
    }
    for (size_t k = 1; k <= l->whole.joined; k++)
        if (l->error[k] < l->error[l->best] * (1 - 1e-9)) l->best = k;
    return TAMIS_OK;
}

static int prepare(struct lars *l)
{
    const struct tamis_design *d = l->run->design;
    tamis_context *cx = l->run->cx;
    int status = tamis_options_read(cx, l->run->options, rows, &l->s);
    if (status) return status;
    l->full = tamis_new(cx, unsigned char, d->inputs);
    l->set = tamis_new(cx, unsigned char, d->inputs);
    l->fold = tamis_new(cx, size_t, d->rows);
    l->error = tamis_new(cx, double, d->inputs + 1);
    l->part = tamis_new(cx, double, (d->inputs + 1) * (l->s.folds < d->rows ? l->s.folds : d->rows));
    if (tamis_status(cx)) return tamis_status(cx);
    memset(l->full, 1, d->inputs);
    status = ranking_make(cx, d, l->full, &l->whole);
    return status ? status : errors_fill(l);
}

/* ---- the model of the first k inputs ---- */

/* From weights of the walk's columns, in sequence, to those of the design's columns in the model's order. */
static void coefficients_place(const struct ranking *r, const struct tamis_encoder *e, const size_t *place,
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
    struct ranking *r = &l->whole;
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
    const struct ranking *r = &l->whole;
    struct tamis_result *o = l->run->result;
    size_t n = r->d->rows;
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
            .parameters = {r->walk.l.c[k ? place : 0] / (double)(n * r->press.k), r->press_of[r->columns[k]]}};
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
static void add_column_name(tamis_value *to, tamis_context *cx, const struct ranking *r, size_t j)
{
    const struct tamis_design *d = r->d;
    const struct tamis_feature *f = &d->encoder->input[tamis_input_of(d, r->walk.column[j])];
    struct tamis_text name = {.cx = cx};
    tamis_text_puts(&name, f->name);
    if (f->levels) tamis_text_printf(&name, "=%s", f->level[r->walk.column[j] - f->first]);
    if (!name.failed) tamis_add_text(to, NULL, name.s);
    tamis_text_free(&name);
}

static void add_names(tamis_value *to, const char *key, tamis_context *cx, const struct ranking *r, size_t from,
                      size_t end)
{
    tamis_value *list = tamis_add_list(to, key);
    for (size_t s = from; s < end; s++) add_column_name(list, cx, r, r->walk.l.order[s]);
}

/* After step s, the coefficients of the s columns that have joined, in their order; with several outputs, one list
 * each. */
static void add_coefficients(tamis_value *to, const struct ranking *r, const double *coef)
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
    const struct ranking *r = &a->whole;
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
        for (size_t s = 0; c && s <= l->steps; s++) c[s] = l->c[s] / (double)(l->data.n * k);
        add_coefficients(v, r, coef);
    }
    tamis_free(coef);
    tamis_free(work);
    return tamis_status(cx);
}

static int answer(struct lars *l)
{
    struct tamis_run *run = l->run;
    struct tamis_result *o = run->result;
    struct ranking *r = &l->whole;
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

static int select_inputs(struct tamis_run *run)
{
    struct lars l = {.run = run};
    int status = prepare(&l);
    if (!status) status = answer(&l);
    void *all[] = {l.full, l.set, l.fold, l.error, l.part};
    ranking_free(&l.whole);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) tamis_free(all[i]);
    return status;
}

const struct tamis_method tamis_lars_method = {
    .name = "lars",
    .task = "regression",
    .summary = "least angle regression: inputs ranked along a linear path, as many as cross-validation supports",
    .paper = "B. Efron et al., 2004; F. Mateo, A. Lendasse, 2008, section 3",
    .options = rows,
    .cost = cost,
    .select = select_inputs,
    .several_targets = 1,
};
