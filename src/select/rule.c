/* --select-rule se and stable: the size of the set by cross-fitting.
 *
 * The path is run again without each of K folds, and the models along it predict the fold held out. e_k(n) is the loss
 * of row n at size k, with the set of that size that has the smallest criterion (for a size that the path skips, the
 * next smaller one); e_0 is the loss of the best constant. The size chosen is the smallest k for which the mean over
 * rows of e_k - e_best is at most `se` of its standard errors. `stable` then drops inputs that too few folds select at
 * that size. With --loss (classes, losses.c), e_k(n) is that loss, from the scores of all folds. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "base/format.h"
#include "select/constraints.h"
#include "select/losses.h"
#include "num/compare.h"
#include "num/excess.h"

struct cross {
    struct tamis_run *run;
    const struct tamis_constraints *w;
    size_t n, sizes, folds;
    size_t *fold, *row;
    double *loss;                       /* sizes x n */
    double *score;                      /* sizes x classes x n: what w->loss is made of, if it is not NULL */
    unsigned char *set;                 /* folds x sizes x inputs */
};

/* The best move of each size within the limits; r->moves: there is none. */
static void best_moves(const struct tamis_walk *r, size_t sizes, size_t *best)
{
    for (size_t k = 0; k < sizes; k++) best[k] = r->moves;
    for (size_t m = 0; m < r->moves; m++) {
        const struct tamis_move *v = &r->move[m];
        if (!isfinite(v->score.value) || !tamis_walk_within(r, v) || v->size >= sizes) continue;
        if (best[v->size] == r->moves || v->score.value < r->move[best[v->size]].score.value) best[v->size] = m;
    }
}

/* ---- one fold ---- */

struct part { struct tamis_encoder *encoder; struct tamis_design *learn, *held; size_t learns, helds; };

static void part_free(struct part *p)
{
    tamis_design_free(p->learn);
    tamis_design_free(p->held);
    tamis_encoder_free(p->encoder);
}

static int part_make(struct cross *c, size_t k, struct part *p)
{
    const struct tamis_design *d = c->run->design;
    for (size_t i = 0; i < c->n; i++)
        if (c->fold[i] != k) c->row[p->learns++] = i;
    for (size_t i = 0; i < c->n; i++)
        if (c->fold[i] == k) c->row[p->learns + p->helds++] = i;
    p->learn = tamis_design_relearn(c->run->cx, d, c->row, p->learns, &p->encoder);
    if (p->learn) p->held = tamis_design_part(c->run->cx, d, p->encoder, c->row + p->learns, p->helds);
    return tamis_status(c->run->cx);
}

/* The loss of the best constant: the mean, or the largest class. */
static void constant_losses(const struct part *p, double *loss)
{
    const struct tamis_design *h = p->held, *l = p->learn;
    size_t classes = p->encoder->classes, outputs = tamis_design_outputs(h), best = 0;
    double most = 0, all = tamis_weight_sum(l->weight, l->rows);
    for (size_t q = 0; q < classes; q++) {
        double count = 0;
        for (size_t i = 0; i < l->rows; i++) count += l->y[i] == (double)q ? tamis_row_weight(l, i) : 0;
        if (count > most) most = count, best = q;
    }
    for (size_t i = 0; i < h->rows; i++) {
        double sum = 0;
        for (size_t o = 0; !classes && o < outputs; o++) {
            double mean = 0;
            for (size_t m = 0; !l->standardized && m < l->rows; m++)
                mean += tamis_row_weight(l, m) * l->y[m + l->rows * o] / all;
            sum += pow(h->y[i + h->rows * o] - mean, 2) / (double)outputs;
        }
        loss[i] = classes ? h->y[i] != (double)best : sum;
    }
}

/* Losses of the rows held out or, where there is room for them, scores. */
static int losses_of(struct cross *c, const struct part *p, const struct tamis_walk *r, size_t move, void *scorer,
                     const unsigned char *set, double *loss)
{
    struct tamis_model *m = NULL;
    int status = r->criterion->fit(scorer, set, &r->move[move].score, &m, NULL);
    if (!status && c->score) status = tamis_model_outputs_of(c->run->cx, m, p->held, loss);
    else if (!status) status = tamis_model_losses(c->run->cx, m, p->held, loss);
    tamis_model_free(m);
    return status;
}

static void losses_keep(struct cross *c, const struct part *p, size_t size, const double *loss)
{
    size_t columns = c->score ? p->encoder->classes : 1;
    double *to = c->score ? c->score : c->loss;
    for (size_t k = 0; k < columns; k++)
        for (size_t i = 0; i < p->helds; i++)
            to[(size * columns + k) * c->n + c->row[p->learns + i]] = loss[i + p->helds * k];
}

/* The scores of the best constant: the shares of the classes. */
static void constant_scores(const struct part *p, double *score)
{
    const struct tamis_design *l = p->learn;
    for (size_t k = 0; k < p->encoder->classes; k++) {
        double share = 0, all = 0;
        for (size_t i = 0; i < l->rows; i++)
            share += tamis_row_weight(l, i) * (l->y[i] == (double)k), all += tamis_row_weight(l, i);
        for (size_t i = 0; i < p->helds; i++) score[i + p->helds * k] = share / all;
    }
}

/* Every size of the fold's path, on the rows held out. */
static int sizes_measure(struct cross *c, size_t k, const struct part *p, const struct tamis_walk *r, void *scorer,
                         size_t *best, double *loss)
{
    size_t inputs = c->run->design->inputs;
    unsigned char *set = c->set + k * c->sizes * inputs;
    int status = TAMIS_OK, seen = 0;
    best_moves(r, c->sizes, best);
    if (c->score) constant_scores(p, loss);
    else constant_losses(p, loss);
    for (size_t s = 0; s < c->sizes && !status; s++) {
        if (best[s] < r->moves && s) {
            tamis_walk_set_at(r, best[s], set + s * inputs);
            status = losses_of(c, p, r, best[s], scorer, set + s * inputs, loss);
            seen = 1;
        } else if (s && seen) memcpy(set + s * inputs, set + (s - 1) * inputs, inputs);
        if (!status) status = tamis_check_cancel(c->run->cx);
        losses_keep(c, p, s, loss);
    }
    return status;
}

/* FILE.fold1, ... beside the checkpoint FILE. */
static void fold_file(const char *checkpoint, size_t k, char *name, size_t room)
{
    tamis_snprintf(name, room, "%s.fold%zu", checkpoint, k + 1);
}

static int fold_run(struct cross *c, size_t k)
{
    struct tamis_run *run = c->run;
    const struct tamis_criterion *crit = run->criterion;
    struct part p = {0};
    struct tamis_walk *r = NULL;
    void *scorer = NULL;
    char name[4096];
    size_t *best = tamis_raw(run->cx, size_t, c->sizes);
    double *loss = tamis_raw(run->cx, double, c->n * (c->score ? run->encoder->classes : 1));
    int status = tamis_status(run->cx);
    if (run->checkpoint) fold_file(run->checkpoint, k, name, sizeof name);
    if (!status) status = part_make(c, k, &p);
    if (!status) status = crit->start(run->cx, p.learn, run->options, run->seed, &scorer);
    if (!status) status = tamis_constraints_drive(run, c->w, p.learn, scorer, run->checkpoint ? name : NULL, &r);
    if (!status) status = sizes_measure(c, k, &p, r, scorer, best, loss);
    tamis_walk_free(r);
    if (scorer) crit->finish(scorer);
    part_free(&p);
    tamis_free(best);
    tamis_free(loss);
    return status;
}

/* ---- the size ---- */

/* Whether there is a set of that size; the empty one counts unless --must names inputs. */
static int available(const struct cross *c, const size_t *best, size_t none, size_t size)
{
    return size ? best[size] < none : !c->w->must;
}

/* rule->size: the smallest whose excess over the best is within `se` standard errors; SIZE_MAX: there is none. */
static int size_choose(const struct cross *c, struct tamis_rule *rule, const size_t *best, size_t none)
{
    size_t at = SIZE_MAX;
    double *excess = tamis_raw(c->run->cx, double, 2 * c->sizes), *margin = excess + c->sizes;
    const struct tamis_design *d = c->run->design;
    double all = tamis_weight_sum(d->weight, c->n);
    if (!excess) return tamis_status(c->run->cx);
    for (size_t s = 0; s < c->sizes; s++) {
        for (size_t i = 0; i < c->n; i++) rule->error[s] += tamis_row_weight(d, i) * c->loss[s * c->n + i] / all;
        if (!available(c, best, none, s)) continue;
        if (at == SIZE_MAX || rule->error[s] < rule->error[at]) at = s;
    }
    for (size_t s = 0; at != SIZE_MAX && s < c->sizes; s++) {
        excess[s] = tamis_paired_excess(c->loss + s * c->n, c->loss + at * c->n, d->weight, c->n,
                                        &rule->excess_se[s]);
        margin[s] = c->w->se * rule->excess_se[s];
        if (!available(c, best, none, s)) excess[s] = INFINITY;
    }
    rule->size = at == SIZE_MAX ? at : tamis_first_within(at, excess, margin, 1);
    tamis_free(excess);
    return TAMIS_OK;
}

static void set_choose(const struct cross *c, const struct tamis_walk *main, const size_t *best,
                       struct tamis_rule *rule)
{
    size_t inputs = c->run->design->inputs, s = rule->size;
    int stable = !strcmp(c->w->rule, "stable");
    rule->move = s ? best[s] : main->moves;
    if (s) tamis_walk_set_at(main, best[s], rule->set);
    for (size_t i = 0; i < inputs; i++) {
        for (size_t k = 0; k < c->folds; k++)
            rule->share[i] += c->set[(k * c->sizes + s) * inputs + i] / (double)c->folds;
        if (stable && rule->set[i] && tamis_below(rule->share[i], c->w->stable, TAMIS_FITTED) &&
            !(c->w->must && c->w->must[i]))
            rule->set[i] = 0;
    }
}

/* The folds' checkpoints, once the rule is done. */
static void files_remove(const struct cross *c)
{
    char name[4096];
    for (size_t k = 0; c->run->checkpoint && k < c->folds; k++) {
        fold_file(c->run->checkpoint, k, name, sizeof name);
        unlink(name);
    }
}

static int cross_run(struct cross *c)
{
    tamis_context *cx = c->run->cx;
    int status = tamis_design_folds(cx, c->run->design, c->folds, c->run->seed, c->fold);
    for (size_t k = 0; k < c->folds && !status; k++) {
        double n = (double)c->folds + 1;        /* the path of all rows was the first part: path.c */
        struct tamis_span before = tamis_span_enter(cx, (double)(k + 1) / n, (double)(k + 2) / n, NULL);
        tamis_progress(cx, "select-rule", 0, 1);
        int mute = tamis_mute(cx, 1);
        status = fold_run(c, k);
        tamis_mute(cx, mute);
        tamis_span_leave(cx, before);
    }
    if (!status) tamis_progress(cx, "select-rule", 1, 1);
    return status;
}

void tamis_rule_free(struct tamis_rule *rule)
{
    tamis_free(rule->set);
    tamis_free(rule->share);
    tamis_free(rule->error);
    tamis_free(rule->excess_se);
}

static int rule_make(struct cross *c, const struct tamis_walk *main, struct tamis_rule *rule)
{
    tamis_context *cx = c->run->cx;
    size_t inputs = c->run->design->inputs;
    for (size_t m = 0; m < main->moves; m++)
        if (main->move[m].size + 1 > c->sizes && (!c->w->most || main->move[m].size <= c->w->most))
            c->sizes = main->move[m].size + 1;
    rule->sizes = c->sizes;
    rule->set = tamis_new(cx, unsigned char, inputs);
    rule->share = tamis_new(cx, double, inputs);
    rule->error = tamis_new(cx, double, c->sizes);
    rule->excess_se = tamis_new(cx, double, c->sizes);
    c->fold = tamis_raw(cx, size_t, c->n);
    c->row = tamis_raw(cx, size_t, c->n);
    c->loss = tamis_new(cx, double, c->sizes * c->n);
    c->set = tamis_new(cx, unsigned char, c->folds * c->sizes * inputs);
    if (c->w->loss) c->score = tamis_new(cx, double, c->sizes * c->n * c->run->encoder->classes);
    return tamis_status(cx);
}

static void cross_free(struct cross *c)
{
    tamis_free(c->fold);
    tamis_free(c->row);
    tamis_free(c->loss);
    tamis_free(c->set);
    tamis_free(c->score);
}

/* c->loss from the scores of all folds. */
static int scores_rate(struct cross *c)
{
    int status = TAMIS_OK;
    for (size_t s = 0; s < c->sizes && c->score && !status; s++)
        status = tamis_loss_rows(c->run->cx, c->w->loss, c->run->design,
                                 c->score + s * c->n * c->run->encoder->classes, c->fold, c->folds, c->loss + s * c->n);
    return status;
}

static int rule_choose(const struct cross *c, const struct tamis_walk *main, struct tamis_rule *rule)
{
    tamis_context *cx = c->run->cx;
    size_t *best = tamis_raw(cx, size_t, c->sizes);
    if (!best) return tamis_status(cx);
    best_moves(main, c->sizes, best);
    int status = size_choose(c, rule, best, main->moves);
    if (!status && rule->size == SIZE_MAX)
        tamis_constraints_unmet(c->run, c->w);
    else if (!status) set_choose(c, main, best, rule);
    tamis_free(best);
    return tamis_status(cx);
}

int tamis_rule_apply(struct tamis_run *run, const struct tamis_constraints *w, const struct tamis_walk *main,
                     struct tamis_rule *rule)
{
    struct cross c = {.run = run, .w = w, .n = run->design->rows};
    rule->folds = c.folds = tamis_design_fold_count(run->cx, run->design, w->folds);
    int status = rule_make(&c, main, rule);
    if (!status) status = cross_run(&c);
    if (!status) status = scores_rate(&c);
    if (!status) status = rule_choose(&c, main, rule);
    if (!status) files_remove(&c);
    cross_free(&c);
    return status;
}
