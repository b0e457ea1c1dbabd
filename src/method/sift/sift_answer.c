/* The result of sift: the path, the set, the model, and what it was chosen by. */
#include <math.h>
#include <string.h>
#include "method/sift/sift.h"

/* All inputs are the answer if their ridge regression beats the chosen set and the mean by so many standard errors. */
static const double dense_se = 2;

static size_t set_size(const struct sift *s) { return sift_set_size(s->set, s->run->design->inputs); }

static const double *loss_of(const struct sift *s, size_t k) { return s->loss + k * s->observations; }

/* ---- errors ---- */

/* Error of one row in the units of the result: of the (standardised) targets, or whether the class is wrong. */
static double row_error(const struct sift *s, size_t row, double loss, double prediction)
{
    const struct tamis_design *d = s->run->design;
    const struct sift_frame *f = &s->ground.frame;
    if (d->encoder->classes) return prediction != d->y[row];
    return d->encoder->more ? loss / (double)f->outputs : pow(d->y[row] - prediction, 2);
}

/* Mean and standard error over observations of an error by row. */
static double error_mean(const struct sift *s, const double *error, double *se)
{
    const struct tamis_design *d = s->run->design;
    double mean = 0, squares = 0, n = tamis_weight_sum(s->counts, sift_observations(s)),
           rows = tamis_weight_sum(d->weight, tamis_design_all_rows(d));
    double *by = tamis_new(s->run->cx, double, s->observations);
    if (!by) return NAN;
    tamis_spread_take(d->spread, &mean, sizeof mean);
    for (size_t i = 0; i < d->rows; i++) {
        double part = tamis_row_weight(d, i) * error[i];
        mean += part / rows;
        by[s->observation[i]] += part * n / (rows * tamis_weight_at(s->counts, s->observation[i]));
    }
    tamis_spread_give(d->spread, &mean, sizeof mean);
    tamis_spread_take(d->spread, &squares, sizeof squares);
    for (size_t i = 0; i < s->observations; i++)
        squares += tamis_weight_at(s->counts, i) * (by[i] - mean) * (by[i] - mean);
    tamis_spread_give(d->spread, &squares, sizeof squares);
    if (se) *se = s->worth > 1 ? sqrt(squares * (s->worth / n) / (s->worth - 1) / s->worth) : NAN;
    tamis_free(by);
    return mean;
}

/* Errors by row of size k, averaged over splits. */
static void size_errors(const struct sift *s, size_t k, double *error)
{
    size_t n = s->run->design->rows;
    memset(error, 0, n * sizeof *error);
    for (size_t split = 0; split < s->splits; split++)
        for (size_t f = 0; f < s->s.folds; f++) {
            const struct sift_trail *p = s->trail[split * s->s.folds + f];
            size_t from = sift_trail_at(p, s->all->size[k]) * p->held, at = 0;
            for (size_t i = 0; i < n; i++) {
                if (s->fold[split * n + i] != f) continue;
                error[i] += row_error(s, i, p->loss[from + at], p->prediction[from + at]) / (double)s->splits;
                at++;
            }
        }
}

static double size_error(const struct sift *s, size_t k, double *se)
{
    double *error = tamis_raw(s->run->cx, double, s->run->design->rows), mean;
    if (!error) return NAN;
    size_errors(s, k, error);
    mean = error_mean(s, error, se);
    tamis_free(error);
    return mean;
}

/* Of predictions by row; of several targets from the losses by observation. */
static double model_error(const struct sift *s, const double *prediction, const double *loss, double *se)
{
    size_t n = s->run->design->rows;
    double *error = tamis_raw(s->run->cx, double, n), mean;
    if (!error) return NAN;
    for (size_t i = 0; i < n; i++) error[i] = row_error(s, i, loss[s->observation[i]], prediction[i]);
    mean = error_mean(s, error, se);
    tamis_free(error);
    return mean;
}

static double dense_error(const struct sift *s, double *se)
{
    return model_error(s, s->dense_prediction, s->dense, se);
}

/* The size on the path that stands for the chosen set: every fold's own set of so many inputs. */
static size_t shown_size(const struct sift *s) { return sift_trail_at(s->all, set_size(s)); }

/* Of the model taken, each fold with the set of so many inputs that it selected by itself. */
static void chosen_error(struct sift *s)
{
    struct tamis_result *o = s->run->result;
    const struct sift_rung *r = s->rungs ? &s->ladder[s->rung] : NULL;
    if (s->all_inputs) o->error = dense_error(s, &o->error_se);
    else if (r) o->error = model_error(s, r->prediction, r->loss, &o->error_se);
    else o->error = size_error(s, shown_size(s), &o->error_se);
}

static void errors_fill(struct sift *s)
{
    struct tamis_result *o = s->run->result;
    o->criterion = "cross-fitted";
    o->error_name = "cv";
    o->error_label = "cross-validated error";
    chosen_error(s);
    o->all_inputs = s->all->sizes > 1 ? size_error(s, 0, NULL) : NAN;
    if (!s->dense) return;
    double dense = dense_error(s, NULL);
    if (!(o->all_inputs <= dense)) o->all_inputs = dense;
}

/* ---- the path ---- */

/* *changes counts the inputs that have changed so far. */
static void step_fill(struct sift *s, size_t k, size_t *changes)
{
    struct tamis_result *o = s->run->result;
    const struct sift_trail *p = s->all;
    size_t inputs = s->run->design->inputs, first = *changes;
    for (size_t i = 0; i < inputs; i++)
        if ((k ? p->set[(k - 1) * inputs + i] : 1) && !p->set[k * inputs + i]) {
            o->changed[(*changes)++] = i;
            s->order[i] = (double)(k + 1) + p->share[i] / (1 + p->share[i]);
        }
    size_t count = *changes - first;
    o->path[k + 1] = (struct tamis_path_step){.size = p->size[k],
                                              .changed = count ? (ptrdiff_t)o->changed[first] : -1,
                                              .also = count ? count - 1 : 0,
                                              .criterion = size_error(s, k, NULL)};
}

/* All inputs, then the sets of the trail. */
static int path_fill(struct sift *s)
{
    struct tamis_result *o = s->run->result;
    size_t inputs = s->run->design->inputs, sizes = s->all->sizes, changes = 0,
           first = s->all->size[0] == inputs;                   /* the trail itself starts with all */
    if (tamis_result_path(s->run->cx, o, sizes + 1 - first, inputs)) return tamis_status(s->run->cx);
    memset(o->start, 1, inputs);
    for (size_t i = 0; i < inputs; i++) s->order[i] = s->all->set[(sizes - 1) * inputs + i] ? INFINITY : 0;
    o->path -= first;
    for (size_t k = 0; k < sizes; k++) step_fill(s, k, &changes);
    o->path += first;
    if (!first) o->path[0] = (struct tamis_path_step){.size = inputs, .changed = -1, .criterion = o->all_inputs};
    o->chosen_step = s->all_inputs ? 0 : shown_size(s) + 1 - first;
    return TAMIS_OK;
}

/* ---- the block ---- */

static double over_empty(const struct sift *s, size_t k)
{
    return sift_excess(s, loss_of(s, sift_empty(s)), loss_of(s, k));
}

static void add_by_size(tamis_value *to, const char *key, const struct sift *s,
                        double (*value)(const struct sift *, size_t))
{
    double *x = tamis_add_room(to, key, s->all->sizes);
    for (size_t k = 0; x && k < s->all->sizes; k++) x[k] = value(s, k);
}

static const char *rung_name(const struct sift_rung *r)
{
    if (r->centres == SIZE_MAX) return "linear";
    return r->logistic.penalty > 0 ? "kernel" : !r->centres ? "terms" : "network";
}

/* Error against number of basis functions. */
static void ladder_fill(struct sift *s, tamis_value *to)
{
    tamis_value *list = tamis_add_list(to, "ladder");
    for (size_t k = 0; k < s->rungs; k++) {
        const struct sift_rung *r = &s->ladder[k];
        if (k && k != s->rung && r->functions == r[-1].functions) continue;     /* it has no more centres to add */
        tamis_value *one = tamis_add_record(list, NULL);
        tamis_add_text(one, "model", rung_name(r));
        tamis_add_number(one, "basis_functions", (double)r->functions);
        tamis_add_number(one, "error", model_error(s, r->prediction, r->loss, NULL));
        tamis_add_flag(one, "taken", k == s->rung);
    }
}

static void terms_fill(struct sift *s, tamis_value *to)
{
    tamis_value *list = tamis_add_list(to, "terms");
    for (size_t k = 0; k < s->all->terms; k++) {
        const struct sift_probe *p = &s->all->term[k];
        tamis_value *one = tamis_add_list(list, NULL);
        for (size_t j = 0; j < p->inputs; j++)
            tamis_add_text(one, NULL, s->run->design->encoder->input[p->input[j]].name);
    }
}

static const char *kind_name(enum sift_kind kind)
{
    static const char *const name[] = {"none", "none", "terms", "terms and a network of the rest",
                                       "terms and a network", "network"};
    return name[kind];
}

static void block_fill(struct sift *s)
{
    tamis_value *v = tamis_result_block(s->run->cx, s->run->result, "sift");
    tamis_add_number(v, "folds", (double)s->s.folds);
    tamis_add_number(v, "splits", (double)s->splits);
    tamis_add_text(v, "start", kind_name(s->all->kind));
    terms_fill(s, v);
    tamis_add_number(v, "observations", (double)sift_observations(s));
    tamis_add_number(v, "empty_error", tamis_constant_error(s->run->design));
    if (s->dense) tamis_add_number(v, "ridge_error", dense_error(s, NULL));
    add_by_size(v, "over_empty", s, over_empty);
    add_by_size(v, "behind_best", s, sift_behind);
    add_by_size(v, "evidence", s, sift_evidence);
    tamis_add_by_input(v, "stability", s->run->design->encoder, s->share);
    ladder_fill(s, v);
}

/* ---- the model ---- */

static int test_errors(struct sift *s)
{
    struct tamis_run *run = s->run;
    if (!run->test) return TAMIS_OK;
    int status = tamis_model_error(run->cx, run->result->model, run->test, &run->result->test);
    struct tamis_model *all = status ? NULL : sift_largest_model(s);
    if (all) status = tamis_model_error(run->cx, all, run->test, &run->result->test_all_inputs);
    tamis_model_free(all);
    return status ? status : tamis_status(run->cx);
}

/* Predictions for every row by what was learnt without it: the model taken, in the first split. */
static int held_out(struct sift *s)
{
    const struct tamis_design *d = s->run->design;
    double *out = s->run->result->held_out = tamis_raw(s->run->cx, double, d->rows);
    if (!out) return tamis_status(s->run->cx);
    if (s->all_inputs) memcpy(out, s->dense_prediction, d->rows * sizeof *out);
    else if (s->rungs) memcpy(out, s->ladder[s->rung].prediction, d->rows * sizeof *out);
    else
        for (size_t f = 0; f < s->s.folds; f++) {
            const struct sift_trail *p = s->trail[f];
            size_t at = sift_trail_at(p, 0) * p->held;
            for (size_t i = 0; i < d->rows; i++)
                if (s->fold[i] == f) out[i] = p->prediction[at++];
        }
    return TAMIS_OK;
}

/* Drops inputs that the model does not use; whether there were any. */
static int idle_drop(struct sift *s)
{
    size_t idle = 0;
    for (size_t i = 0; i < s->run->design->inputs; i++) {
        if (!s->set[i] || s->relevance[i] > 0 || (s->ground.must && s->ground.must[i]) || s->ground.unit) continue;
        s->set[i] = 0;
        idle++;
        tamis_note(s->run->cx, "%s was dropped from the chosen inputs: the final model has no use for it",
                   s->run->design->encoder->input[i].name);
    }
    return idle > 0;
}

static void approximations_note(const struct sift *s)
{
    if (s->all->net_set && (double)sift_observations(s) > SIFT_SLACK * (double)s->s.learn)
        tamis_note(s->run->cx, "the weights of the network are learnt on at most %zu of the %zu rows in every trail; "
                               "everything else is fitted on all rows",
                   s->s.learn, tamis_design_all_rows(s->run->design));
}

static int model_fill(struct sift *s)
{
    struct tamis_run *run = s->run;
    int status;
    run->result->model = s->all_inputs ? sift_dense_model(s, NULL, run->design->rows) : sift_final_model(s);
    if (run->result->model && idle_drop(s)) {
        tamis_model_free(run->result->model);
        run->result->model = sift_final_model(s);
    }
    if (!run->result->model) return tamis_status(run->cx);
    status = test_errors(s);
    return status || run->test || run->design->encoder->more || run->common.split_rows ? status : held_out(s);
}

/* All inputs, if their ridge regression is clearly better than the set, and than the mean. */
static int dense_compare(struct sift *s)
{
    size_t inputs = s->run->design->inputs;
    int limited = s->limits.most || isfinite(s->limits.limits.budget) || !sift_is_wide(s);
    int status = sift_dense_losses(s);
    if (status || !s->dense || limited) return status;
    const double *set = loss_of(s, shown_size(s)), *empty = loss_of(s, sift_empty(s));
    s->all_inputs = sift_excess(s, set, s->dense) >= dense_se && sift_excess(s, empty, s->dense) >= dense_se;
    if (!s->all_inputs) return TAMIS_OK;
    memset(s->set, 1, inputs);
    tamis_note(s->run->cx, "no small set does as well as all inputs: the answer is a ridge regression on all of them");
    return TAMIS_OK;
}

static void notes_write(struct sift *s)
{
    struct tamis_result *o = s->run->result;
    if (!set_size(s))
        tamis_note(s->run->cx,
                   "no input helps: no set of them beats the mean by %g standard errors, and the evidence for any is "
                   "not clear",
                   s->s.empty_se);
    else if (o->error > o->all_inputs + o->error_se && o->error > 1.02 * o->all_inputs)
        tamis_note(s->run->cx, "all inputs together predict better than the chosen ones: error %.4g against %.4g",
                   o->all_inputs, o->error);
}

int sift_answer(struct sift *s)
{
    struct tamis_run *run = s->run;
    int status = sift_bring_back(s);
    if (!status) status = dense_compare(s);
    if (!status && set_size(s) && !s->all_inputs) status = sift_ladder(s);
    if (!status) errors_fill(s);
    if (!status) status = path_fill(s);
    if (!status) status = model_fill(s);
    if (!status) status = sift_held_keep(s);
    if (!status) status = tamis_costs_add(run, &s->limits, s->set);
    if (status) return status;
    block_fill(s);
    notes_write(s);
    approximations_note(s);
    status = tamis_result_rank(run->cx, run->result, s->set, s->relevance, s->order);
    tamis_progress(run->cx, "sift", 1, 1);
    return status ? status : tamis_status(run->cx);
}
