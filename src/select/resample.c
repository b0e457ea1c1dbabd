/* Draws folds and resamples, runs a trial on each, and summarises the trials. */
#include <math.h>
#include <string.h>
#include "base/format.h"
#include "base/rng.h"
#include "select/resample.h"
#include "num/agreement.h"
#include "num/weighted.h"

enum { HALF_BLOCKS = 20 };              /* blocks of ordered rows that half-samples are made of */

/* ---- which rows ---- */

/* The rows that the run learns from; splits are drawn of the distinct ones, and respect groups or classes. */
struct frame {
    const size_t *row;
    size_t rows;
    struct tamis_distinct q;
    double *class_of;           /* of each distinct row */
};

static void frame_free(struct frame *f)
{
    tamis_distinct_free(&f->q);
    tamis_free(f->class_of);
}

/* The class of each distinct row, as the encoder's index. */
static int classes_fill(struct tamis_run *run, struct frame *f)
{
    struct tamis_design *d = tamis_design_apply(run->cx, run->encoder, run->data, f->q.row, f->q.rows, 1);
    if (!d) return tamis_status(run->cx);
    f->class_of = d->y;
    d->y = NULL;
    tamis_design_free(d);
    return TAMIS_OK;
}

static int frame_make(struct tamis_run *run, struct frame *f)
{
    f->row = run->row;
    f->rows = run->rows;
    int status = tamis_distinct_find(run, f->row, f->rows, &f->q);
    return !status && run->encoder->classes ? classes_fill(run, f) : status;
}

static struct tamis_resample *resample_new(tamis_context *cx, size_t trials, size_t rows, size_t inputs)
{
    struct tamis_resample *r = tamis_new(cx, struct tamis_resample, 1);
    if (!r) return NULL;
    r->trials = trials;
    r->inputs = inputs;
    r->split = tamis_new(cx, struct tamis_split, trials);
    r->row = tamis_raw(cx, size_t, trials * rows);
    r->weight = tamis_raw(cx, double, trials * rows);
    if (r->split && r->row && r->weight) return r;
    tamis_resample_free(r);
    return NULL;
}

void tamis_resample_free(struct tamis_resample *r)
{
    if (!r) return;
    tamis_free(r->split);
    tamis_free(r->row);
    tamis_free(r->weight);
    tamis_free(r);
}

static double stands_for(const struct frame *f, size_t i)
{
    size_t q = f->q.of[i];
    return f->q.at[q] == i ? f->q.weight[q] : 0;
}

/* Trial k is measured on the rows whose distinct row has mark[] == held and learns from the others. */
static void split_fill(struct tamis_resample *r, size_t k, const struct frame *f, const size_t *mark, size_t held)
{
    size_t *at = r->row + k * f->rows, learns = 0, helds = 0;
    double *weight = r->weight + k * f->rows;
    for (size_t i = 0; i < f->rows; i++)
        if (mark[f->q.of[i]] != held) weight[learns] = stands_for(f, i), at[learns++] = f->row[i];
    for (size_t i = 0; i < f->rows; i++)
        if (mark[f->q.of[i]] == held) weight[learns + helds] = stands_for(f, i), at[learns + helds++] = f->row[i];
    r->split[k] = (struct tamis_split){at, at + learns, learns, helds};
}

static int folds_draw(struct tamis_run *run, const struct frame *f, size_t folds, uint64_t seed, size_t *fold)
{
    size_t classes = run->encoder->classes;
    const struct tamis_distinct *q = &f->q;
    struct tamis_grouping s = {q->rows, q->group, q->groups, f->class_of, classes, NULL};
    if (q->group) return tamis_split_group_folds(run->cx, &s, folds, seed, fold);
    if (run->encoder->series || run->common.blocks) return tamis_split_blocks(run->cx, q->rows, folds, fold);
    return tamis_split_folds(run->cx, q->rows, f->class_of, classes, folds, seed, fold);
}

/* Seeds of the repeats, from a stream of their own: outer folds differ from those that the method draws inside. */
static uint64_t outer_seed(uint64_t seed, size_t repeat)
{
    struct tamis_rng r;
    tamis_rng_init(&r, seed, TAMIS_RNG_OUTER, (uint32_t)repeat);
    return (uint64_t)tamis_rng_word(&r) << 20 ^ tamis_rng_word(&r);
}

struct tamis_resample *tamis_resample_folds(struct tamis_run *run, size_t folds, size_t repeats)
{
    struct frame f = {0};
    struct tamis_resample *r = NULL;
    int status = frame_make(run, &f);
    size_t *fold = status ? NULL : tamis_raw(run->cx, size_t, f.rows);
    if (!status && (run->encoder->series || run->common.blocks) && repeats > 1)
        status = tamis_fail(run->cx, TAMIS_USAGE,
                            "--repeats %zu: ordered rows can be split into blocks in only one way; use --repeats 1",
                            repeats);
    if (!status && f.q.joined) folds = tamis_fold_count(run->cx, f.q.group ? f.q.groups : f.q.rows, folds);
    if (!status && fold) r = resample_new(run->cx, folds * repeats, f.rows, run->encoder->inputs);
    if (r) r->folds = folds;
    for (size_t k = 0; r && !status && k < repeats; k++) {
        status = folds_draw(run, &f, folds, outer_seed(run->common.seed, k), fold);
        for (size_t i = 0; !status && i < folds; i++) split_fill(r, k * folds + i, &f, fold, i);
    }
    tamis_free(fold);
    frame_free(&f);
    if (!tamis_status(run->cx)) return r;
    if (tamis_status(run->cx) == TAMIS_USAGE) tamis_fail_at(run->cx, "--outer");
    tamis_resample_free(r);
    return NULL;
}

struct tamis_resample *tamis_resample_bootstrap(struct tamis_run *run, size_t draws)
{
    struct frame f = {0};
    struct tamis_resample *r = NULL;
    int status = frame_make(run, &f);
    size_t items = f.q.group ? f.q.groups : f.q.rows, *drawn = status ? NULL : tamis_raw(run->cx, size_t, items),
           *mark = status ? NULL : tamis_raw(run->cx, size_t, f.rows);
    if (drawn && mark) r = resample_new(run->cx, draws, f.rows, run->encoder->inputs);
    for (size_t k = 0; r && k < draws; k++) {
        struct tamis_rng g;
        tamis_rng_init(&g, run->common.seed, TAMIS_RNG_BOOTSTRAP, (uint32_t)k);
        memset(drawn, 0, items * sizeof *drawn);
        for (size_t i = 0; i < items; i++) drawn[tamis_rng_below(&g, items)] = 1;
        for (size_t i = 0; i < f.q.rows; i++) mark[i] = drawn[f.q.group ? f.q.group[i] : i];
        split_fill(r, k, &f, mark, 0);
    }
    tamis_free(drawn);
    tamis_free(mark);
    frame_free(&f);
    return r;
}

/* What stays together in half-samples, and on which side it is. */
struct items {
    size_t count, *of;                  /* of each distinct row */
    double *rows;                       /* of each item: the rows that it stands for */
    size_t *kind;                       /* 0: no or several classes; 1 + c: all of class c */
    size_t *order;
    unsigned char *side;
};

static void items_free(struct items *t)
{
    void *all[] = {t->of, t->rows, t->kind, t->order, t->side};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) tamis_free(all[i]);
}

/* Groups; or, if the rows are ordered, blocks of adjacent rows; or single rows. */
static int items_make(struct tamis_run *run, const struct frame *f, struct items *t)
{
    int ordered = run->encoder->series || run->common.blocks;
    size_t n = f->q.rows, blocks = n < 2 * HALF_BLOCKS ? n : HALF_BLOCKS;
    t->count = f->q.group ? f->q.groups : ordered ? blocks : n;
    t->of = tamis_raw(run->cx, size_t, n);
    t->rows = tamis_new(run->cx, double, t->count);
    t->kind = tamis_new(run->cx, size_t, t->count);
    t->order = tamis_raw(run->cx, size_t, t->count);
    t->side = tamis_raw(run->cx, unsigned char, t->count);
    if (tamis_status(run->cx)) return tamis_status(run->cx);
    for (size_t i = 0; i < n; i++) {
        size_t at = t->of[i] = f->q.group ? f->q.group[i] : ordered ? i * t->count / n : i,
               own = f->class_of ? 1 + (size_t)f->class_of[i] : 0;
        t->kind[at] = !(t->rows[at] > 0) || t->kind[at] == own ? own : 0;
        t->rows[at] += f->q.weight[i];
    }
    if (t->count >= 2) return TAMIS_OK;
    return tamis_fail(run->cx, TAMIS_DATA, "--stability: all rows are in one group and cannot be split into halves");
}

/* In random order, each item goes to the side with fewer rows of its kind, then with fewer rows, then to either. */
static void items_deal(struct items *t, struct tamis_rng *g, double *own)
{
    double total[2] = {0, 0};
    for (size_t i = 0; i < t->count; i++) t->order[i] = i;
    tamis_rng_shuffle(g, t->order, t->count);
    for (size_t i = 0; i < t->count; i++) {
        size_t at = t->order[i], either = tamis_rng_below(g, 2);
        double *mine = own + 2 * t->kind[at];
        size_t side = mine[0] != mine[1] ? mine[1] < mine[0] : total[0] != total[1] ? total[1] < total[0] : either;
        t->side[at] = (unsigned char)side;
        mine[side] += t->rows[at];
        total[side] += t->rows[at];
    }
}

static int halves_fill(struct tamis_run *run, const struct frame *f, struct items *t, struct tamis_resample *r)
{
    size_t kinds = 1 + run->encoder->classes, *mark = tamis_raw(run->cx, size_t, f->rows);
    double *own = tamis_new(run->cx, double, 2 * kinds);
    for (size_t k = 0; own && mark && k < r->trials; k += 2) {
        struct tamis_rng g;
        tamis_rng_init(&g, run->common.seed, TAMIS_RNG_STABILITY, (uint32_t)(k / 2));
        memset(own, 0, 2 * kinds * sizeof *own);
        items_deal(t, &g, own);
        for (size_t i = 0; i < f->q.rows; i++) mark[i] = t->side[t->of[i]];
        split_fill(r, k, f, mark, 1);
        split_fill(r, k + 1, f, mark, 0);
    }
    tamis_free(own);
    tamis_free(mark);
    return tamis_status(run->cx);
}

struct tamis_resample *tamis_resample_halves(struct tamis_run *run, size_t pairs)
{
    struct frame f = {0};
    struct items t = {0};
    struct tamis_resample *r = NULL;
    int status = frame_make(run, &f);
    if (!status) status = items_make(run, &f, &t);
    if (!status && (r = resample_new(run->cx, 2 * pairs, f.rows, run->encoder->inputs)))
        status = halves_fill(run, &f, &t, r);
    items_free(&t);
    frame_free(&f);
    if (!tamis_status(run->cx)) return r;
    tamis_resample_free(r);
    return NULL;
}

const double *tamis_resample_held(const struct tamis_resample *r, size_t k)
{
    return r->weight + (r->split[k].held - r->row);
}

double tamis_resample_ratio(const struct tamis_resample *r)
{
    double sum = 0;
    for (size_t k = 0; k < r->trials; k++)
        sum += tamis_weight_sum(tamis_resample_held(r, k), r->split[k].helds) /
               tamis_weight_sum(r->weight + (r->split[k].learn - r->row), r->split[k].learns);
    return sum / (double)r->trials;
}

/* ---- one trial ---- */

struct tamis_trial *tamis_trials_new(tamis_context *cx, size_t trials)
{
    return tamis_new(cx, struct tamis_trial, trials);
}

void tamis_trial_clear(struct tamis_trial *t)
{
    tamis_free(t->set);
    tamis_free(t->loss);
    *t = (struct tamis_trial){0};
}

void tamis_trials_free(struct tamis_trial *t, size_t trials)
{
    for (size_t k = 0; t && k < trials; k++) tamis_trial_clear(&t[k]);
    tamis_free(t);
}

static int losses_fill(tamis_context *cx, const struct tamis_model *m, const struct tamis_design *test,
                       struct tamis_trial *t)
{
    double sum = 0;
    if (!(t->loss = tamis_raw(cx, double, test->rows)) || tamis_model_losses(cx, m, test, t->loss))
        return tamis_status(cx);
    for (size_t i = 0; i < test->rows; i++) sum += tamis_row_weight(test, i) * t->loss[i];
    t->error = sum / tamis_weight_sum(test->weight, test->rows);
    return TAMIS_OK;
}

int tamis_learnt_error(const struct tamis_run *run, const struct tamis_model *m, double *error)
{
    double *loss = tamis_raw(run->cx, double, run->design->rows), sum = 0;
    int status = loss ? tamis_model_losses(run->cx, m, run->design, loss) : tamis_status(run->cx);
    for (size_t i = 0; !status && i < run->labelled; i++)      /* rows without a class come last */
        sum += tamis_row_weight(run->design, i) * loss[i];
    *error = sum / tamis_weight_sum(run->design->weight, run->labelled);
    tamis_free(loss);
    return status;
}

static int trial_keep(const struct tamis_run *run, struct tamis_trial *t)
{
    const struct tamis_result *r = run->result;
    tamis_context *cx = run->cx;
    double learnt;
    t->error = t->whole = NAN;
    t->all_inputs = r->test_all_inputs;
    t->criterion = r->error;
    if (!(t->set = tamis_new(cx, unsigned char, r->inputs))) return tamis_status(cx);
    for (size_t i = 0; i < r->inputs; i++) t->set[i] = (unsigned char)r->input[i].selected;
    if (!run->test || !r->model) return TAMIS_OK;
    int status = losses_fill(cx, r->model, run->test, t);
    if (!status) status = tamis_learnt_error(run, r->model, &learnt);
    double rows = tamis_weight_sum(run->design->weight, run->labelled),
           held = tamis_weight_sum(run->test->weight, run->test->rows);
    if (!status) t->whole = (learnt * rows + t->error * held) / (rows + held);
    return status;
}

static int trial_run(tamis_context *cx, const tamis_table *data, const tamis_options *o,
                     const struct tamis_split *split, struct tamis_trial *t)
{
    struct tamis_run run = {.cx = cx, .data = data, .split = split};
    double began = tamis_clock();
    int status = tamis_run_prepare(&run, o);
    run.checkpoint = NULL;
    if (!status) status = tamis_run_select(&run);
    if (!status) status = trial_keep(&run, t);
    if (!status) status = tamis_baselines_test(&run, &t->baseline);
    tamis_run_finish(&run);
    t->seconds = tamis_clock() - began;
    t->done = !status;
    if (status) tamis_trial_clear(t);
    return status;
}

/* ---- all trials ---- */

static int trial_fail(tamis_context *cx, const char *what, size_t k, size_t trials)
{
    char where[96];
    tamis_snprintf(where, sizeof where, "%s %zu of %zu", what, k + 1, trials);
    return tamis_status(cx) == TAMIS_STOPPED ? TAMIS_STOPPED : tamis_fail_at(cx, where);
}

/* A trial is one part of `trials` equal ones, and calls itself "outer 3 of 10". */
static int trial_in_span(tamis_context *cx, const tamis_table *data, const tamis_options *o,
                         const struct tamis_resample *r, size_t k, const char *what, struct tamis_trial *t)
{
    char label[64];
    double n = (double)r->trials;
    tamis_snprintf(label, sizeof label, "%s %zu of %zu", what, k + 1, r->trials);
    struct tamis_span before = tamis_span_enter(cx, (double)k / n, (double)(k + 1) / n, label);
    tamis_progress(cx, what, 0, 1);
    int mute = tamis_mute(cx, 1), status = trial_run(cx, data, o, &r->split[k], t);
    tamis_mute(cx, mute);
    tamis_span_leave(cx, before);
    return status;
}

static int one_trial(void *arg, size_t k, int worker)
{
    const struct tamis_trials *t = arg;
    (void)worker;
    int status = trial_in_span(t->cx, t->data, t->options, t->resample, k, t->what, &t->trial[k]);
    return status ? trial_fail(t->cx, t->what, k, t->resample->trials) : TAMIS_OK;
}

static int trial_done(const void *arg, size_t k) { return ((const struct tamis_trials *)arg)->trial[k].done; }

int tamis_trials_run(struct tamis_trials *t)
{
    int status = t->checkpoint ? tamis_trials_resume(t) : TAMIS_OK;
    const struct tamis_items items = {.name = "trials", .count = t->resample->trials, .state = t->fingerprint,
                                      .run = one_trial, .pack = tamis_trial_pack, .unpack = tamis_trial_unpack,
                                      .arg = t, .has = trial_done,
                                      .keep = t->checkpoint ? tamis_trials_save : NULL, .alone = 1,
                                      .spares = t->spares};
    if (!status) status = tamis_items_run(t->cx, &items);
    if (!status) tamis_progress(t->cx, t->what, 1, 1);
    return status;
}

/* ---- summary ---- */

double tamis_trials_frequency(const struct tamis_resample *r, const struct tamis_trial *t, size_t input)
{
    double sum = 0;
    for (size_t k = 0; k < r->trials; k++) sum += t[k].set[input];
    return sum / (double)r->trials;
}

static void sizes_fill(const struct tamis_resample *r, const struct tamis_trial *t, struct tamis_trials_summary *s)
{
    s->size_min = r->inputs;
    s->size_max = 0;
    s->size_mean = 0;
    for (size_t k = 0; k < r->trials; k++) {
        size_t n = 0;
        for (size_t i = 0; i < r->inputs; i++) n += t[k].set[i];
        s->size_mean += (double)n / (double)r->trials;
        if (n < s->size_min) s->size_min = n;
        if (n > s->size_max) s->size_max = n;
    }
}

void tamis_trials_summarise(const struct tamis_resample *r, const struct tamis_trial *t, struct tamis_trials_summary *s)
{
    double n = (double)r->trials, squares = 0;
    *s = (struct tamis_trials_summary){0};
    for (size_t k = 0; k < r->trials; k++) {
        s->mean += t[k].error / n;
        s->all_inputs += t[k].all_inputs / n;
        s->whole += t[k].whole / n;
        s->criterion += t[k].criterion / n;
        s->seconds += t[k].seconds / n;
        s->baseline.constant += t[k].baseline.constant / n;
        s->baseline.persistence += t[k].baseline.persistence / n;
        s->baseline.seasonal += t[k].baseline.seasonal / n;
    }
    for (size_t k = 0; k < r->trials; k++) squares += pow(t[k].error - s->mean, 2);
    s->sd = r->trials > 1 ? sqrt(squares / (n - 1)) : NAN;
    s->se = s->sd * sqrt(1 / n + tamis_resample_ratio(r));
    sizes_fill(r, t, s);
    s->stability = tamis_agreement(r->trials, r->inputs, &t->set, sizeof *t, &s->low, &s->high);
}
