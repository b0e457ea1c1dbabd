/* Fits the answer of a run again without each fold of its rows. */
#include <math.h>
#include <string.h>
#include "base/number.h"
#include "select/method.h"
#include "select/held.h"
#include "select/resample.h"
#include "num/weighted.h"

enum { FOLDS = 5, ROWS_PER_FOLD = 4 };

struct tamis_held *tamis_held_new(tamis_context *cx, size_t rows, size_t folds)
{
    struct tamis_held *h = tamis_new(cx, struct tamis_held, 1);
    if (!h) return NULL;
    *h = (struct tamis_held){rows, folds, tamis_new(cx, size_t, rows), tamis_new(cx, struct tamis_model *, folds)};
    if (h->fold && h->model) return h;
    tamis_held_free(h);
    return NULL;
}

void tamis_held_free(struct tamis_held *h)
{
    if (!h) return;
    for (size_t k = 0; h->model && k < h->folds; k++) tamis_model_free(h->model[k]);
    tamis_free(h->model);
    tamis_free(h->fold);
    tamis_free(h);
}

int tamis_held_apply(tamis_context *cx, const struct tamis_model *m, const struct tamis_encoder *e, double *x,
                     size_t rows, double *out)
{
    const struct tamis_encoder *own = m->encoder;
    struct tamis_design d = {.encoder = m->encoder, .rows = rows, .columns = own->columns, .inputs = own->inputs,
                             .x = x};
    if (tamis_model_apply(cx, m, &d, out)) return tamis_status(cx);
    for (size_t o = 0; !e->classes && o <= e->more; o++) {
        double from = o ? own->more_mean[o - 1] : own->target_mean, by = o ? own->more_scale[o - 1] : own->target_scale,
               to = o ? e->more_mean[o - 1] : e->target_mean, scale = o ? e->more_scale[o - 1] : e->target_scale;
        if (from == to && by == scale) continue;
        for (size_t i = 0; i < rows; i++) out[i + rows * o] = (out[i + rows * o] * by + (from - to)) / scale;
    }
    return TAMIS_OK;
}

/* ---- by the criterion, the chosen set at the chosen parameters; without inputs, the constant ---- */

/* The rows of d outside fold `which`. */
static int part_make(tamis_context *cx, const struct tamis_design *d, const size_t *fold, size_t which,
                     struct tamis_design *out)
{
    size_t n = 0, at = 0, targets = tamis_design_outputs(d);
    for (size_t i = 0; i < d->rows; i++) n += fold[i] != which;
    double *x = tamis_raw(cx, double, n * d->columns), *y = tamis_raw(cx, double, n * targets);
    *out = (struct tamis_design){d->encoder, n, d->columns, d->inputs, x, y};
    out->weight = d->weight ? tamis_raw(cx, double, n) : NULL;
    for (size_t i = 0; !tamis_status(cx) && i < d->rows; i++) {
        if (fold[i] == which) continue;
        for (size_t j = 0; j < d->columns; j++) x[at + n * j] = d->x[i + d->rows * j];
        for (size_t o = 0; o < targets; o++) y[at + n * o] = d->y[i + d->rows * o];
        if (d->weight) out->weight[at] = d->weight[i];
        at++;
    }
    return tamis_status(cx);
}

static int fit_again(struct tamis_run *run, const unsigned char *set, const struct tamis_design *d,
                     struct tamis_model **m)
{
    const struct tamis_criterion *c = run->criterion;
    const struct tamis_path_step *s = &run->result->path[run->result->chosen_step];
    struct tamis_score at = {.value = s->criterion};
    void *scorer = NULL;
    memcpy(at.parameter, s->parameters, sizeof at.parameter);
    int status = c->start(run->cx, d, run->options, run->seed, &scorer);
    if (!status) status = c->fit(scorer, set, &at, m, NULL);
    if (scorer) c->finish(scorer);
    return status;
}

static int constant_again(tamis_context *cx, const struct tamis_design *d, struct tamis_model **m)
{
    *m = tamis_constant_model(cx, d);
    return tamis_status(cx);
}

static int part_refit(struct tamis_run *run, const unsigned char *set, const size_t *fold, size_t k,
                      struct tamis_model **m)
{
    struct tamis_design part = {0};
    int status = part_make(run->cx, run->design, fold, k, &part);
    if (!status) status = set ? fit_again(run, set, &part, m) : constant_again(run->cx, &part, m);
    tamis_free(part.x);
    tamis_free(part.y);
    tamis_free(part.weight);
    return status;
}

/* ---- by the whole method: it may choose among the chosen inputs ---- */

/* The fold of a row of the table: that of the row of the design that stands for it. */
static size_t fold_of(const struct tamis_run *run, const size_t *fold, size_t i)
{
    return fold[run->place ? run->place[i] : i];
}

/* Rows of the table outside fold k and inside it; the caller frees split->learn. */
static int split_make(struct tamis_run *run, const size_t *fold, size_t k, struct tamis_split *split)
{
    size_t *row = tamis_raw(run->cx, size_t, run->rows), learns = 0, helds = 0;
    *split = (struct tamis_split){.learn = row};
    if (!row) return tamis_status(run->cx);
    for (size_t i = 0; i < run->rows; i++)
        if (fold_of(run, fold, i) != k) row[learns++] = run->row[i];
    for (size_t i = 0; i < run->rows; i++)
        if (fold_of(run, fold, i) == k) row[learns + helds++] = run->row[i];
    *split = (struct tamis_split){row, row + learns, learns, helds};
    return TAMIS_OK;
}

void tamis_path_skip(const struct tamis_run *run, const unsigned char *set, tamis_options *o)
{
    static const char *const others[] = {"max-inputs",  "group-inputs", "cost", "budget",
                                         "select-rule", "loss",         "start"};
    const char **name = tamis_new(run->cx, const char *, run->encoder->inputs);
    size_t n = 0;
    for (size_t i = 0; name && i < run->encoder->inputs; i++)
        if (set[i]) name[n++] = run->encoder->input[i].name;
    for (size_t k = 0; k < sizeof others / sizeof *others; k++) tamis_options_unset(o, others[k]);
    if (name) tamis_options_set_names(o, "must", name, n);
    tamis_free(name);
}

/* Whether the user asked for no more than that already. */
static int is_short(const tamis_options *o, const struct tamis_again *a)
{
    double given, most;
    const char *text = tamis_options_get(o, a->option);
    return text && tamis_number_whole(text, strlen(text), '.', &given) &&
           tamis_number_whole(a->value, strlen(a->value), '.', &most) && given <= most;
}

/* The run's options, with what makes fitting again short; NULL with the sentence in cx. */
static tamis_options *options_again(struct tamis_run *run, const unsigned char *set)
{
    tamis_options *o = tamis_options_copy(run->cx, run->options);
    if (o) tamis_stability_skip(o);
    if (o) tamis_options_unset(o, "as-published");      /* what it set is there */
    if (o) tamis_options_set(o, "method", run->method->name);
    if (o && run->method->constraints) tamis_path_skip(run, set, o);
    for (const struct tamis_again *a = run->method->again; o && a && a->option; a++) {
        double x = tamis_value_number(run->result->block, a->option);
        if (a->value && !is_short(o, a)) tamis_options_set(o, a->option, a->value);
        else if (!a->value && isfinite(x)) tamis_options_set_number(o, a->option, x);
    }
    if (!tamis_status(run->cx)) return o;
    tamis_options_free(o);
    return NULL;
}

static int method_refit(struct tamis_run *run, const unsigned char *set, const size_t *fold, size_t k,
                        struct tamis_model **m)
{
    struct tamis_split split = {0};
    struct tamis_run part = {.cx = run->cx, .data = run->data, .split = &split, .only = set};
    tamis_options *o = options_again(run, set);
    int status = o ? split_make(run, fold, k, &split) : tamis_status(run->cx);
    if (!status) status = tamis_run_prepare(&part, o);
    part.checkpoint = NULL;
    if (!status) status = tamis_run_select(&part);
    if (!status) *m = tamis_result_take_model(part.result);
    tamis_run_finish(&part);
    tamis_options_free(o);
    tamis_free((void *)split.learn);
    return status;
}

/* ---- all folds ---- */

int tamis_held_refit(struct tamis_run *run, const unsigned char *set, const size_t *fold, size_t k,
                     struct tamis_model **m)
{
    int empty = !memchr(set, 1, run->encoder->inputs);
    *m = NULL;
    int status = run->refits || empty ? part_refit(run, empty ? NULL : set, fold, k, m)
                                      : method_refit(run, set, fold, k, m);
    if (!status && (!*m || (*m)->encoder->classes != run->encoder->classes))
        status = tamis_fail(run->cx, TAMIS_NUMERIC, "the answer cannot be fitted without fold %zu", k + 1);
    if (!status) return TAMIS_OK;
    tamis_model_free(*m);
    *m = NULL;
    return status;
}

static int folds_fill(struct tamis_run *run, struct tamis_held *h)
{
    const struct tamis_design *d = run->design;
    unsigned char *set = tamis_new(run->cx, unsigned char, d->inputs);
    for (size_t i = 0; set && i < d->inputs; i++) set[i] = (unsigned char)run->result->input[i].selected;
    int status = set ? tamis_design_folds(run->cx, d, h->folds, run->seed, h->fold) : tamis_status(run->cx);
    for (size_t k = 0; k < h->folds && !status; k++) status = tamis_held_refit(run, set, h->fold, k, &h->model[k]);
    tamis_free(set);
    return status;
}

int tamis_held_fill(struct tamis_run *run)
{
    struct tamis_result *r = run->result;
    int before = tamis_status(run->cx);
    int wanted = run->refits || strcmp(run->common.importance, "none");
    if (before || r->held || !wanted || !r->model || !r->selected || run->design->rows < ROWS_PER_FOLD * FOLDS)
        return before;
    tamis_mute(run->cx, 1);
    struct tamis_held *h = tamis_held_new(run->cx, run->design->rows,
                                          tamis_design_fold_count(run->cx, run->design, FOLDS));
    int status = h ? folds_fill(run, h) : tamis_status(run->cx);
    tamis_mute(run->cx, 0);
    if (!status) r->held = h;
    else tamis_held_free(h);
    return status == TAMIS_MEMORY ? status : tamis_forgive(run->cx, before);
}

/* ---- the estimate ---- */

/* The method's flops with the options for fitting again; what only the answer says is taken to be STAND_IN. */
static int again_cost(struct tamis_run *run, double *flops)
{
    enum { STAND_IN = 8 };
    struct tamis_cost c = {0};
    tamis_options *before = run->options, *o = tamis_options_copy(run->cx, before);
    for (const struct tamis_again *a = run->method->again; o && a && a->option; a++) {
        if (!a->value) tamis_options_set_number(o, a->option, STAND_IN);
        else if (!is_short(o, a)) tamis_options_set(o, a->option, a->value);
    }
    int status = tamis_status(run->cx);
    run->options = o;
    if (!status) status = run->method->cost(run, &c);
    run->options = before;
    tamis_options_free(o);
    *flops = c.flops;
    return status;
}

/* Models of a criterion's path have a basis function on every row, and predict PREDICTED rows of each fold for every
 * input chosen, here half of all or MOST; fitting them again is short. Other methods with constraints have small models
 * and fit them quickly again, or count that themselves. */
int tamis_held_cost(struct tamis_run *run, double *flops)
{
    enum { PREDICTED = 4000, MOST = 8 };
    const struct tamis_design *d = run->design;
    double n = (double)d->rows, chosen = fmin((double)d->inputs / 2, MOST), one = 0;
    int path = run->method->select == tamis_path_select || run->method->describe;
    int wanted = run->common.evidence && strcmp(run->common.importance, "none") && d->rows >= ROWS_PER_FOLD * FOLDS;
    if (!wanted || (run->method->constraints && !path)) return TAMIS_OK;
    if (path) {
        *flops += FOLDS * chosen * fmin(PREDICTED, n * n / (FOLDS * FOLDS)) * n * (2 * chosen + 20);
        return TAMIS_OK;
    }
    int status = again_cost(run, &one);
    *flops += FOLDS * one * tamis_part_of_run((double)(FOLDS - 1) / FOLDS);
    return status;
}

/* ---- the standard error of the error ---- */

/* Whether the error of the result is a mean over rows that its models have not seen. */
static int is_mean_loss(const char *error)
{
    static const char *const known[] = {"cv", "loo", "press", "knn-loo"};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (!strcmp(error, known[i])) return 1;
    return 0;
}

/* Sums over the rows of fold k; rows without a class come last and do not count. */
static int losses_add(struct tamis_run *run, size_t k, double sum[2])
{
    const struct tamis_design *d = run->design;
    const struct tamis_model *m = run->result->held->model[k];
    double *x = tamis_raw(run->cx, double, d->rows * m->encoder->columns + 1),
           *out = tamis_raw(run->cx, double, d->rows * tamis_model_outputs(m));
    int status = tamis_status(run->cx);
    if (!status) tamis_model_gather(m, d, x);
    if (!status) status = tamis_held_apply(run->cx, m, d->encoder, x, d->rows, out);
    for (size_t i = 0; i < run->labelled && !status; i++) {
        if (run->result->held->fold[i] != k) continue;
        double loss = tamis_model_loss(d->encoder, out, d->y, d->rows, i);
        sum[0] += tamis_row_weight(d, i) * loss;
        sum[1] += tamis_row_weight(d, i) * (loss * loss);
    }
    tamis_free(x);
    tamis_free(out);
    return status;
}

int tamis_held_error_se(struct tamis_run *run)
{
    struct tamis_result *r = run->result;
    const double *weight = run->design->weight;
    double sum[2] = {0}, n = tamis_weight_sum(weight, run->labelled), rows = tamis_weight_rows(weight, run->labelled);
    int status = TAMIS_OK;
    if (!r->held || !isnan(r->error_se) || !r->error_name || !is_mean_loss(r->error_name)) return TAMIS_OK;
    for (size_t k = 0; k < r->held->folds && !status; k++) status = losses_add(run, k, sum);
    if (!status && rows > 1) r->error_se = sqrt(fmax(0, sum[1] / n - pow(sum[0] / n, 2)) / (rows - 1));
    return status;
}
