/* sparse-rbf: model, ranks, errors and the method's own block of the result. */
#include <math.h>
#include <string.h>
#include "method/sparse_rbf/sparse_run.h"
#include "model/sparse_net.h"

static void input_weights(const struct tamis_sparse_run *u, double *weight)
{
    const struct tamis_encoder *e = u->run->design->encoder;
    for (size_t i = 0; i < e->inputs; i++) {
        weight[i] = 0;
        for (size_t j = 0; j < e->input[i].columns; j++) weight[i] += u->w[e->input[i].first + j];
    }
}

/* The network of the chosen inputs and the basis functions that are not zero. */
static struct tamis_model *model_make(struct tamis_sparse_run *u, const double *w, const double *alpha,
                                      const unsigned char *set)
{
    const struct tamis_design *d = u->run->design;
    struct tamis_sparse_data data = tamis_sparse_data_of(u);
    struct tamis_encoder *e = tamis_encoder_subset(u->cx, d->encoder, set);
    size_t m = 0, k = 0;
    for (size_t j = 1; j <= data.net.m; j++) m += alpha[j] != 0;
    struct tamis_sparse_rbf *net = e ? tamis_sparse_rbf_new(u->cx, m, e->columns, u->all.classes ? 2 : 1) : NULL;
    if (!net) {
        tamis_encoder_free(e);
        return NULL;
    }
    net->r = u->r;
    net->t = u->t;
    net->mean = u->all.mean;
    net->scale = u->all.scale;
    net->alpha[0] = alpha[0];
    for (size_t i = 0; i < d->inputs; i++)
        for (size_t j = 0; set[i] && j < d->encoder->input[i].columns; j++, k++) {
            size_t from = d->encoder->input[i].first + j, at = 0;
            net->weight[k] = w[from];
            for (size_t c = 0; c < data.net.m; c++)
                if (alpha[c + 1] != 0) net->centre[at++ + m * k] = data.net.c[c + data.net.ldc * from];
        }
    for (size_t c = 0, at = 1; c < data.net.m; c++)
        if (alpha[c + 1] != 0) net->alpha[at++] = alpha[c + 1];
    return tamis_model_new(u->cx, &tamis_sparse_rbf_kind, e, net);
}

/* The network with equal weights at its own best (r, t), for comparison. */
static int all_inputs(struct tamis_sparse_run *u)
{
    struct tamis_run *run = u->run;
    const struct tamis_sparse_surface *s = &u->surface;
    size_t useful = 0;
    double error;
    if (!s->equal || isnan(s->equal[s->best_equal])) return TAMIS_OK;
    run->result->all_inputs = s->equal[s->best_equal];
    if (!run->test) return TAMIS_OK;
    unsigned char *set = tamis_raw(u->cx, unsigned char, run->design->inputs);
    if (!set) return tamis_status(u->cx);
    memset(set, 1, run->design->inputs);
    struct tamis_sparse_data data = tamis_sparse_data_of(u);
    for (size_t i = 0; i < u->all.columns; i++) useful += u->screen[i] > 0;
    for (size_t i = 0; i < u->all.columns; i++)
        u->best_w[i] = u->screen[i] > 0 ? tamis_grid_at(&s->t, s->best_equal / s->r.count) / (double)useful : 0;
    int status = tamis_sparse_probe(u->fit, &data, tamis_grid_at(&s->r, s->best_equal % s->r.count), u->best_w,
                                    u->best_alpha, 0, &error);
    struct tamis_model *m = status ? NULL : model_make(u, u->best_w, u->best_alpha, set);
    if (m) tamis_model_error(u->cx, m, run->test, &run->result->test_all_inputs);
    tamis_model_free(m);
    tamis_free(set);
    return tamis_status(u->cx);
}

static void add_surface(tamis_value *to, const char *key, const double *v, size_t r, size_t count)
{
    tamis_value *list = tamis_add_list(to, key);
    for (size_t b = 0; b < count; b++) tamis_add_numbers(list, NULL, v + r * b, r);
}

static void add_grid(tamis_value *to, const char *key, const struct tamis_grid *g)
{
    double *x = tamis_add_room(to, key, g->count);
    for (size_t i = 0; x && i < g->count; i++) x[i] = tamis_grid_at(g, i);
}

static void surface_fill(tamis_value *block, const struct tamis_sparse_surface *s)
{
    if (!s->error) {
        tamis_add_null(block, "surface");
        return;
    }
    tamis_value *v = tamis_add_record(block, "surface");
    tamis_add_number(v, "folds", (double)s->folds);
    add_grid(v, "r", &s->r);
    add_grid(v, "t", &s->t);
    add_surface(v, "error", s->error, s->r.count, s->t.count);
    add_surface(v, "inputs", s->inputs, s->r.count, s->t.count);
    add_surface(v, "basis_functions", s->functions, s->r.count, s->t.count);
}

static void block_fill(struct tamis_sparse_run *u, const double *weight)
{
    tamis_value *v = tamis_result_block(u->cx, u->run->result, "sparse-rbf");
    tamis_add_text(v, "solver", u->s.solver);
    tamis_add_number(v, "r", u->r);
    tamis_add_number(v, "t", u->t);
    tamis_add_number(v, "training_error", u->answer.error);
    tamis_add_number(v, "basis_functions", (double)u->answer.functions);
    tamis_add_number(v, "gap", u->answer.gap);
    tamis_add_number(v, "pruned_error", u->error);
    tamis_add_numbers(v, "weights", weight, u->run->design->inputs);
    surface_fill(v, &u->surface);
}

/* Inputs that are not selected are ordered by the folds' weights at the best point. */
static void order_fill(const struct tamis_sparse_run *u, double *order)
{
    const struct tamis_encoder *e = u->run->design->encoder;
    const struct tamis_sparse_surface *s = &u->surface;
    size_t d = u->all.columns, cells = s->r.count * s->t.count;
    for (size_t i = 0; i < e->inputs; i++) {
        double sum = 0;
        for (size_t f = 0; s->weights && f < s->folds; f++)
            for (size_t j = 0; j < e->input[i].columns; j++)
                sum += (double)s->weights[(f * cells + s->best) * d + e->input[i].first + j];
        order[i] = sum > 0 ? sum : NAN;
    }
}

static int fill(struct tamis_sparse_run *u, unsigned char *set, double *weight, double *order)
{
    struct tamis_run *run = u->run;
    struct tamis_result *o = run->result;
    const struct tamis_sparse_surface *s = &u->surface;
    double total = 0;
    input_weights(u, weight);
    for (size_t i = 0; i < run->design->inputs; i++) set[i] = weight[i] > 0, total += weight[i];
    block_fill(u, weight);
    for (size_t i = 0; total > 0 && i < run->design->inputs; i++) weight[i] /= total;
    order_fill(u, order);
    o->criterion = "sparse-rbf";
    o->error_name = s->error ? "cv" : "training";
    o->error_label = s->error ? "cross-validated error" : "training error";
    o->error = s->error ? s->error[s->best] : u->answer.error;
    o->model = model_make(u, u->w, u->alpha, set);
    int status = tamis_status(u->cx);
    if (!status) status = tamis_result_rank(u->cx, o, set, weight, order);
    if (!status) status = all_inputs(u);
    if (!status && !s->error && u->all.classes)
        status = tamis_model_error(u->cx, o->model, run->design, &o->error);
    if (!status && run->test) status = tamis_model_error(u->cx, o->model, run->test, &o->test);
    return status;
}

int tamis_sparse_result(struct tamis_sparse_run *u)
{
    size_t n = u->run->design->inputs;
    unsigned char *set = tamis_raw(u->cx, unsigned char, n);
    double *weight = tamis_raw(u->cx, double, n), *order = tamis_raw(u->cx, double, n);
    if (set && weight && order) fill(u, set, weight, order);
    tamis_free(set);
    tamis_free(weight);
    tamis_free(order);
    return tamis_status(u->cx);
}
