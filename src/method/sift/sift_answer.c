/* The result of sift: the path, the set, the model, and what it was chosen by. */
#include <math.h>
#include <string.h>
#include "method/sift/sift.h"
#include "model/rbf.h"
#include "num/excess.h"

static size_t set_size(const struct sift *s)
{
    size_t n = 0;
    for (size_t i = 0; i < s->run->design->inputs; i++) n += s->set[i];
    return n;
}

/* Mean error of a size in the units of the result; frame.sizes: of the empty set; one more: of the linear model. */
static double size_error(const struct sift *s, size_t k)
{
    int classes = s->run->design->encoder->classes > 0;
    const double *v = s->error + k * s->measured;
    double sum = 0;
    for (size_t i = 0; i < s->measured; i++) sum += v[i];
    return sum / (double)s->measured * (classes ? 1 : s->frame.scale * s->frame.scale);
}

static size_t error_at(const struct sift *s) { return s->linear ? s->frame.sizes + 1 : s->chosen; }

static int linear_asked(const struct sift *s) { return !strcmp(s->s.final, "linear"); }

/* Linear if it was asked for, or if its excess over the network is within one standard error. */
static int linear_choose(struct sift *s)
{
    tamis_context *cx = s->run->cx;
    size_t n = s->measured;
    if (s->chosen == s->frame.sizes || !strcmp(s->s.final, "network")) return TAMIS_OK;
    if (!sift_linear_errors(s))
        return !linear_asked(s) ? tamis_status(cx)
                                : tamis_fail(cx, TAMIS_DATA,
                                             "--final linear: a fold has too few rows for the columns of %zu input%s; "
                                             "use --final network, or more rows",
                                             s->size[s->chosen], s->size[s->chosen] == 1 ? "" : "s");
    double excess = tamis_excess_ratio(s->loss + (s->frame.sizes + 1) * n, s->loss + s->chosen * n, n);
    s->linear = linear_asked(s) || excess <= 1;
    if (s->linear && !linear_asked(s))
        tamis_note(cx, "nothing nonlinear helps: the final model is linear, and the folds cannot tell it from the "
                       "network");
    return TAMIS_OK;
}

/* *changes counts the inputs that have changed so far. */
static void step_fill(struct sift *s, size_t k, size_t *changes)
{
    struct tamis_result *o = s->run->result;
    const struct sift_path *p = s->path[s->s.folds];
    size_t inputs = s->run->design->inputs, first = *changes;
    for (size_t i = 0; k && i < inputs; i++)
        if (p->set[(k - 1) * inputs + i] && !p->set[k * inputs + i]) {
            o->changed[(*changes)++] = i;
            s->order[i] = (double)k + p->relevance[i] / (1 + p->relevance[i]);
        }
    size_t count = *changes - first;
    o->path[k] = (struct tamis_path_step){.size = s->size[k],
                                          .changed = count ? (ptrdiff_t)o->changed[first] : -1,
                                          .also = count ? count - 1 : 0,
                                          .criterion = size_error(s, k)};
}

static int path_fill(struct sift *s)
{
    struct tamis_result *o = s->run->result;
    size_t inputs = s->run->design->inputs, sizes = s->frame.sizes, changes = 0;
    if (tamis_result_path(s->run->cx, o, sizes, inputs)) return tamis_status(s->run->cx);
    memcpy(o->start, s->path[s->s.folds]->set, inputs);
    for (size_t i = 0; i < inputs; i++) s->order[i] = (double)sizes;
    for (size_t k = 0; k < sizes; k++) step_fill(s, k, &changes);
    o->chosen_step = s->chosen < sizes ? s->chosen : sizes - 1;
    return TAMIS_OK;
}

static void add_by_size(tamis_value *to, const char *key, const struct sift *s,
                        double (*value)(const struct sift *, size_t))
{
    double *x = tamis_add_room(to, key, s->frame.sizes);
    for (size_t k = 0; x && k < s->frame.sizes; k++) x[k] = value(s, k);
}

/* Standard errors by which the empty set is worse than size k. */
static double over_empty(const struct sift *s, size_t k)
{
    return tamis_excess_ratio(s->loss + s->frame.sizes * s->measured, s->loss + k * s->measured, s->measured);
}

static void block_fill(struct sift *s)
{
    tamis_value *v = tamis_result_block(s->run->cx, s->run->result, "sift");
    tamis_add_number(v, "folds", (double)s->s.folds);
    tamis_add_number(v, "judged_rows", (double)s->measured);
    tamis_add_number(v, "empty_error", size_error(s, s->frame.sizes));
    add_by_size(v, "over_empty", s, over_empty);
    add_by_size(v, "evidence", s, sift_evidence);
    tamis_add_by_input(v, "stability", s->run->design->encoder, s->share);
}

/* The network of a set; for the empty one, the mean. */
static struct tamis_model *network_of(struct sift *s, const unsigned char *set, size_t size, double *relevance)
{
    tamis_context *cx = s->run->cx;
    size_t classes = s->run->design->encoder->classes;
    if (size)
        return sift_model(&s->frame, s->row + s->s.folds * s->run->design->rows, s->run->design->rows, set,
                          sift_path_evaluations(&s->frame) / 4, relevance);
    struct tamis_rbf *r = tamis_rbf_outputs(cx, 0, 0, classes ? classes : 1);
    if (r) {
        r->sigma2 = 1;
        for (size_t o = 0; o < s->frame.outputs; o++) r->alpha[classes == 2 ? 1 : o] = s->frame.scale * s->centre[o];
        if (classes == 2) r->alpha[0] = 1 - r->alpha[1];
    }
    return tamis_model_new(cx, &tamis_rbf_kind, tamis_encoder_subset(cx, s->run->design->encoder, set), r);
}

static int test_errors(struct sift *s)
{
    struct tamis_run *run = s->run;
    tamis_result *r = run->result;
    if (!run->test) return TAMIS_OK;
    int status = tamis_model_error(run->cx, run->result->model, run->test, &r->test);
    if (status) return status;
    double *unused = tamis_raw(run->cx, double, run->design->inputs);
    struct tamis_model *all = unused ? network_of(s, s->path[s->s.folds]->set, run->design->inputs, unused) : NULL;
    tamis_free(unused);
    if (all) tamis_model_error(run->cx, all, run->test, &r->test_all_inputs);
    tamis_model_free(all);
    return tamis_status(run->cx);
}

/* Predictions for every row by what was learnt without it, if every row was measured. */
static int held_out(struct sift *s)
{
    const struct tamis_design *d = s->run->design;
    double *out = s->run->result->held_out = tamis_raw(s->run->cx, double, d->rows);
    size_t first = 0;
    if (!out) return tamis_status(s->run->cx);
    for (size_t k = 0; k < s->s.folds; first += s->held[k++]) {
        const double *from = s->linear ? s->prediction + first : s->path[k]->prediction + s->chosen * s->held[k];
        for (size_t i = 0; i < s->held[k]; i++) out[s->row[k * d->rows + s->training[k] + i]] = from[i];
    }
    return TAMIS_OK;
}

static void errors_name(struct sift *s)
{
    struct tamis_result *o = s->run->result;
    o->criterion = "cross-fitted";
    o->error_name = "cv";
    o->error_label = "cross-validated error";
    o->all_inputs = size_error(s, 0);
    o->error = size_error(s, error_at(s));
}

/* The model, its relevances if it is a network, its errors on rows it has not seen. */
static int model_fill(struct sift *s, size_t size)
{
    struct tamis_run *run = s->run;
    int linear = s->linear || (!size && linear_asked(s)), status = TAMIS_OK;
    memcpy(s->relevance, s->path[s->s.folds]->relevance, run->design->inputs * sizeof *s->relevance);
    run->result->model = linear ? sift_linear_model(s) : network_of(s, s->set, size, s->relevance);
    if (run->result->model) status = test_errors(s);
    if (!status && !run->test && s->measured == run->design->rows) status = held_out(s);
    return status ? status : tamis_status(run->cx);
}

int sift_answer(struct sift *s)
{
    struct tamis_run *run = s->run;
    int status = sift_choose(s);
    if (!status) status = linear_choose(s);
    if (status) return status;
    size_t size = set_size(s);
    errors_name(s);
    status = path_fill(s);
    block_fill(s);
    if (!status) status = model_fill(s, size);
    if (!size)
        tamis_note(run->cx,
                   "no input helps: no set of them beats the mean by %g standard errors, and the evidence for any is "
                   "not clear",
                   s->s.empty_se);
    if (!status) status = tamis_result_rank(run->cx, run->result, s->set, s->relevance, s->order);
    if (!status) tamis_progress(run->cx, "sift", (double)s->progress.total, (double)s->progress.total);
    return status;
}
