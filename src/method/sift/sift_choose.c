/* The size of sift's answer, by two witnesses, and which of its inputs.
 *
 * The folds: every size has been measured on rows that its trail did not see. Sizes whose paired excess over the best
 * is within `se` standard errors cannot be told from it.
 * The evidence: log marginal likelihood of a size's model on all rows over that of no input, less the price of its k
 * inputs, k/2 log n for what is learnt of them (Schwarz) and log C(d, k) for having searched for them among d. Of the
 * sizes that the folds cannot tell apart, the one with most evidence is chosen.
 *
 * The empty set must be beaten by `empty-se` standard errors in the folds, or by any amount there and by `clear` in the
 * evidence; otherwise no input helps. Inputs that fewer than a share `stable` of the folds keep at the chosen size are
 * dropped, unless the model without them, fitted and measured in the same folds, is worse by more than `se` standard
 * errors. In that case inputs are interchangeable (copies, neighbours in a spectrum), every fold needs some of them,
 * and those that most folds keep come back until the set does as well.
 *
 * Rows of a group count as one observation: losses are averaged over them. Weights of rows enter these means, the
 * standard errors and the number of observations n. Losses are squared errors, of classes those of their decorrelated
 * indicators, in which a rare class weighs as much as another; --loss takes misclassification. */
#include <math.h>
#include <string.h>
#include "base/parallel.h"
#include "method/sift/sift.h"
#include "select/losses.h"

/* ---- losses ---- */

/* A row that every size, the empty one too, misses by more than `far` is an outlier: its weight brings its least loss
 * down to far^2. A row that one size predicts and another misses counts in full: there it is the model that is far
 * off. */
static double outlier_weight(const struct sift_trail *p, size_t i)
{
    double least = INFINITY, far = p->far < 1e150 ? p->far * p->far : INFINITY;
    for (size_t k = 0; k < p->sizes; k++) least = fmin(least, p->loss[k * p->held + i]);
    return least > far ? far / least : 1;
}

static void weights_fill(struct sift *s)
{
    size_t n = s->run->design->rows;
    for (size_t k = 0; k < s->s.folds; k++) {
        const struct sift_trail *p = s->trail[k];
        size_t at = 0;
        for (size_t i = 0; i < n; i++)
            if (s->fold[i] == k) s->weight[i] = outlier_weight(p, at++);
    }
}

/* Of a loss of probabilities, from scores (rows x classes) by models that have not seen their row. */
static int rated(const struct sift *s, const size_t *fold, const double *score, double *row_loss)
{
    return tamis_loss_rows(s->run->cx, s->limits.loss, s->run->design, score, fold, s->s.folds, row_loss);
}

/* Of any other loss. */
static int called(const struct sift *s, const double *prediction, double *row_loss)
{
    const struct tamis_design *d = s->run->design;
    size_t classes = d->encoder->classes;
    double *count = tamis_raw(s->run->cx, double, classes + 2);
    if (count) tamis_loss_counts(d, count);
    for (size_t i = 0; count && i < d->rows; i++)
        row_loss[i] = tamis_loss_called(s->limits.loss, count, classes, d->y[i], prediction[i]);
    tamis_free(count);
    return tamis_status(s->run->cx);
}

int sift_class_losses(const struct sift *s, const double *prediction, const double *score, double *row_loss)
{
    if (!s->limits.loss) return TAMIS_OK;
    return s->ground.frame.scores ? rated(s, s->fold, score, row_loss) : called(s, prediction, row_loss);
}

/* Adds to the losses of size k those of one split, by row, divided by the number of splits. */
static int split_rate(const struct sift *s, size_t split, size_t k, double *own, double *row_loss)
{
    size_t n = s->run->design->rows, classes = s->ground.frame.scores;
    const size_t *fold = s->fold + split * n;
    double *score = tamis_raw(s->run->cx, double, n * classes);
    for (size_t f = 0; score && f < s->s.folds; f++) {
        const struct sift_trail *p = s->trail[split * s->s.folds + f];
        const double *from = p->score + sift_trail_at(p, s->all->size[k]) * p->held * classes;
        for (size_t c = 0, at = 0; c < classes; c++)
            for (size_t i = 0; i < n; i++)
                if (fold[i] == f) score[i + n * c] = from[at++];
    }
    int status = score ? rated(s, fold, score, own) : tamis_status(s->run->cx);
    for (size_t i = 0; i < n && !status; i++) row_loss[i] += own[i] / (double)s->splits;
    tamis_free(score);
    return status;
}

/* The same of predicted classes; own: room for rows. */
static int split_classes(const struct sift *s, size_t split, size_t k, double *own, double *row_loss)
{
    size_t n = s->run->design->rows;
    for (size_t f = 0; f < s->s.folds; f++) {
        const struct sift_trail *p = s->trail[split * s->s.folds + f];
        const double *from = p->prediction + sift_trail_at(p, s->all->size[k]) * p->held;
        size_t at = 0;
        for (size_t i = 0; i < n; i++)
            if (s->fold[split * n + i] == f) own[i] = from[at++];
    }
    int status = called(s, own, own);
    for (size_t i = 0; i < n && !status; i++) row_loss[i] += own[i] / (double)s->splits;
    return status;
}

/* The same of squared errors. */
static void split_add(const struct sift *s, size_t split, size_t k, double *row_loss)
{
    size_t n = s->run->design->rows, at;
    const size_t *fold = s->fold + split * n;
    for (size_t f = 0; f < s->s.folds; f++) {
        const struct sift_trail *p = s->trail[split * s->s.folds + f];
        const double *loss = p->loss + sift_trail_at(p, s->all->size[k]) * p->held;
        at = 0;
        for (size_t i = 0; i < n; i++)
            if (fold[i] == f) row_loss[i] += loss[at++] / (double)s->splits;
    }
}

int sift_losses_gather(struct sift *s)
{
    size_t n = s->run->design->rows, sizes = s->all->sizes;
    double *row_loss = tamis_raw(s->run->cx, double, 2 * n), *own = row_loss + n;
    if (!s->loss) s->loss = tamis_raw(s->run->cx, double, sizes * s->observations);
    if (s->loss && row_loss) {
        weights_fill(s);
        for (size_t k = 0; k < sizes && !tamis_status(s->run->cx); k++) {
            memset(row_loss, 0, n * sizeof *row_loss);
            for (size_t split = 0; split < s->splits; split++)
                if (s->ground.frame.scores) split_rate(s, split, k, own, row_loss);
                else if (s->limits.loss) split_classes(s, split, k, own, row_loss);
                else split_add(s, split, k, row_loss);
            sift_observe(s, row_loss, s->loss + k * s->observations);
        }
    }
    tamis_free(row_loss);
    return tamis_status(s->run->cx);
}

static const double *loss_of(const struct sift *s, size_t k) { return s->loss + k * s->observations; }

/* ---- the size ---- */

enum { MANY = 20000 };                          /* rows */
static const double useless = 0.002;            /* of the variance explained */

double sift_evidence(const struct sift *s, size_t k)
{
    return s->all->evidence[k] - sift_price(s->all->size[k], s->run->design->inputs, s->worth);
}

static int affordable(const struct sift *s, size_t k)
{
    const struct tamis_constraints *w = &s->limits;
    double cost = 0;
    size_t inputs = s->run->design->inputs;
    if (w->most && s->all->size[k] > w->most) return 0;
    for (size_t i = 0; w->cost && i < inputs; i++) cost += s->all->set[k * inputs + i] ? w->cost[i] : 0;
    return !(cost > w->limits.budget);
}

/* The least loss among the sizes that may be chosen; the empty set if none may. */
static size_t best_size(const struct sift *s)
{
    size_t empty = sift_empty(s), best = empty;
    for (size_t k = 0; k < empty; k++)
        if (affordable(s, k) && (best == empty || sift_mean(s, loss_of(s, k)) <= sift_mean(s, loss_of(s, best))))
            best = k;
    return best;
}

/* Of the sizes that the folds cannot tell from the best: the smallest, or the one with most evidence. */
static size_t equal_size(const struct sift *s, size_t best, int smallest)
{
    size_t chosen = best;
    for (size_t k = 0; k < sift_empty(s); k++)
        if (affordable(s, k) && sift_firm_excess(s, loss_of(s, k), loss_of(s, best)) <= s->s.se &&
            (smallest ? s->all->size[k] < s->all->size[chosen] : sift_evidence(s, k) >= sift_evidence(s, chosen)))
            chosen = k;
    return chosen;
}

double sift_behind(const struct sift *s, size_t k)
{
    return sift_firm_excess(s, loss_of(s, k), loss_of(s, best_size(s)));
}

static int rule_is(const struct sift *s, const char *rule)
{
    const char *given = tamis_options_get(s->run->options, "select-rule");
    return given && !strcmp(given, rule);
}

/* With very many rows every real effect is significant, also one of no use: the smallest size that loses next to
 * nothing of what is explained. */
static size_t useful_size(const struct sift *s, size_t chosen)
{
    size_t empty = sift_empty(s), k = chosen;
    if (tamis_design_all_rows(s->run->design) <= MANY || chosen == empty) return chosen;
    double loss = sift_mean(s, loss_of(s, chosen)), explained = sift_mean(s, loss_of(s, empty)) - loss;
    while (k + 1 < empty && affordable(s, k + 1) && sift_mean(s, loss_of(s, k + 1)) - loss < useless * explained) k++;
    return k;
}

static void size_choose(struct sift *s)
{
    size_t empty = sift_empty(s), best = best_size(s);
    s->chosen = best;
    if (tamis_target_lone(s->run->design)) s->chosen = empty;
    if (s->chosen == empty || rule_is(s, "best")) return;
    s->chosen = useful_size(s, equal_size(s, best, rule_is(s, "se")));
    double beaten = sift_excess(s, loss_of(s, empty), loss_of(s, s->chosen));
    int evident = beaten > 0 && sift_evidence(s, s->chosen) > s->s.clear && !s->run->design->blocks;
    if (beaten < s->s.empty_se && !evident) s->chosen = empty;
}

/* ---- which of its inputs ---- */

/* Shares of the folds of all splits that keep each input at the chosen size, or with none chosen at the smallest. */
static void shares_fill(struct sift *s)
{
    size_t inputs = s->run->design->inputs, trails = s->splits * s->s.folds, empty = sift_empty(s),
           at = s->chosen < empty || !empty ? s->chosen : empty - 1;
    memset(s->share, 0, inputs * sizeof *s->share);
    for (size_t k = 0; k < trails; k++) {
        const struct sift_trail *p = s->trail[k];
        const unsigned char *set = p->set + sift_trail_at(p, s->all->size[at]) * inputs;
        for (size_t i = 0; i < inputs; i++) s->share[i] += set[i];
    }
    for (size_t i = 0; i < inputs; i++) s->share[i] /= (double)trails;
}

/* If none of its inputs is stable, a size needs both witnesses. */
static int size_is_certain(const struct sift *s)
{
    return sift_excess(s, loss_of(s, sift_empty(s)), loss_of(s, s->chosen)) >= s->s.empty_se &&
           sift_evidence(s, s->chosen) > s->s.clear;
}

/* Inputs that leave together stay if one of them is stable. */
static void stable_take(struct sift *s, const unsigned char *from)
{
    size_t inputs = s->run->design->inputs;
    int all = rule_is(s, "best") || rule_is(s, "se");
    for (size_t i = 0; i < inputs; i++) {
        double share = s->share[i];
        for (size_t j = 0; s->ground.unit && j < inputs; j++)
            if (s->ground.unit[j] == s->ground.unit[i]) share = fmax(share, s->share[j]);
        int must = s->ground.must && s->ground.must[i];
        s->set[i] = from[i] && (all || must || share >= s->s.stable - 1e-9);
    }
}

void sift_choose(struct sift *s)
{
    size_t inputs = s->run->design->inputs, empty;
    size_choose(s);
    shares_fill(s);
    empty = sift_empty(s);
    stable_take(s, s->all->set + s->chosen * inputs);
    if (s->chosen != empty && !sift_set_size(s->set, s->run->design->inputs) && !size_is_certain(s)) s->chosen = empty;
    if (s->chosen == empty) memcpy(s->set, s->all->set + empty * inputs, inputs);
}

const unsigned char *sift_fold_set(const struct sift *s, size_t k)
{
    const struct sift_trail *p = s->trail[k];
    return p->set + sift_trail_at(p, sift_set_size(s->set, s->run->design->inputs)) * s->run->design->inputs;
}

int sift_settled(const struct sift *s)
{
    for (size_t i = 0; i < s->run->design->inputs; i++)
        if (s->set[i] ? s->share[i] < 0.999 : s->share[i] > 0.201) return 0;
    return 1;
}

/* ---- what cannot be dropped ---- */

enum { ROUNDS = 8 };            /* in which dropped inputs come back, at most */
static const double much = 10;  /* log evidence that dropped inputs may take with them */

struct check { struct sift *s; const unsigned char *set; double *row_loss, *prediction, *score; };

static int check_fold(void *arg, size_t k, int worker)
{
    const struct check *c = arg;
    struct sift *s = c->s;
    tamis_context *cx = s->run->cx;
    size_t n = s->run->design->rows, l = s->ground.frame.outputs, *row = tamis_raw(cx, size_t, n);
    double *out = tamis_raw(cx, double, n * (l + 2));
    struct sift_mix x = {0};
    (void)worker;
    if (row && out) {
        size_t learn = sift_fold_rows(s, 0, k, 1, row), held = sift_fold_rows(s, 0, k, 0, row + learn);
        double *loss = out + held * l, *prediction = loss + held;
        int status = sift_mix_make(&s->ground, row, learn, (uint32_t)k + 1, &x);
        if (!status) status = sift_mix_restore(&x, s->trail[k], c->set);
        if (!status) status = sift_fit_predict(&x.fit, row + learn, held, out);
        if (!status) sift_losses(&s->ground.frame, row + learn, held, out, loss, prediction);
        for (size_t i = 0; i < held && !status; i++) {
            c->row_loss[row[learn + i]] = loss[i];
            if (c->prediction) c->prediction[row[learn + i]] = prediction[i];
        }
        if (!status) sift_scores_keep(&s->ground.frame, row + learn, held, out, c->score);
        sift_mix_free(&x);
    }
    tamis_free(row);
    tamis_free(out);
    return tamis_status(cx);
}

int sift_set_losses(struct sift *s, const unsigned char *set, double *row_loss)
{
    size_t n = s->run->design->rows;
    double *prediction = tamis_raw(s->run->cx, double, n);
    double *score = tamis_raw(s->run->cx, double, n * s->ground.frame.scores + 1);
    struct check c = {s, set, row_loss, prediction, score};
    int status = tamis_status(s->run->cx);
    if (!status) status = sift_folds_each(s, s->s.folds, check_fold, &c);
    if (!status) status = sift_class_losses(s, prediction, score, row_loss);
    tamis_free(prediction);
    tamis_free(score);
    return status;
}

int sift_whole_make(struct sift *s, const unsigned char *set, struct sift_whole *w)
{
    size_t n = s->run->design->rows;
    *w = (struct sift_whole){.row = tamis_raw(s->run->cx, size_t, n)};
    if (!w->row) return tamis_status(s->run->cx);
    for (size_t i = 0; i < n; i++) w->row[i] = i;
    int status = sift_mix_make(&s->ground, w->row, n, 0, &w->mix);
    return status ? status : sift_mix_restore(&w->mix, s->all, set);
}

void sift_whole_free(struct sift_whole *w)
{
    sift_mix_free(&w->mix);
    tamis_free(w->row);
}

/* Evidence of a set on all rows over none, less the price of its inputs. */
static int set_evidence(struct sift *s, const unsigned char *set, double *evidence)
{
    size_t inputs = s->run->design->inputs;
    struct sift_whole w;
    int status = sift_whole_make(s, set, &w);
    if (!status)
        *evidence = sift_fit_gain(&w.mix.fit) - sift_price(sift_set_size(set, inputs), inputs, s->worth);
    sift_whole_free(&w);
    return status;
}

/* Whether the evidence is not clearly less without the inputs that were dropped. */
static int evidence_suffices(struct sift *s, int *suffices)
{
    double all = 0, set = 0;
    int status = set_evidence(s, s->all->set + s->chosen * s->run->design->inputs, &all);
    if (!status) status = set_evidence(s, s->set, &set);
    *suffices = set >= all - much;
    return status;
}

/* Whether the inputs in s->set do as well as all of the chosen size, by both witnesses. */
static int set_suffices(struct sift *s, int *suffices)
{
    size_t n = s->run->design->rows;
    double *row_loss = tamis_raw(s->run->cx, double, n), *loss = tamis_raw(s->run->cx, double, s->observations);
    int status = row_loss && loss ? sift_set_losses(s, s->set, row_loss) : tamis_status(s->run->cx);
    if (!status) {
        sift_observe(s, row_loss, loss);
        *suffices = sift_firm_excess(s, loss, loss_of(s, s->chosen)) <= s->s.se;
    }
    if (!status && *suffices) status = evidence_suffices(s, suffices);
    tamis_free(row_loss);
    tamis_free(loss);
    return status;
}

/* Of the inputs of the chosen size that are not in the set, the one that most folds keep; among equals the one with the
 * largest part. */
static size_t next_back(const struct sift *s)
{
    const struct sift_trail *p = s->all;
    size_t inputs = s->run->design->inputs, best = inputs;
    for (size_t i = 0; i < inputs; i++) {
        if (!p->set[s->chosen * inputs + i] || s->set[i]) continue;
        if (best == inputs || s->share[i] > s->share[best] ||
            (s->share[i] == s->share[best] && p->share[i] > p->share[best]))
            best = i;
    }
    return best;
}

int sift_bring_back(struct sift *s)
{
    size_t left = sift_set_size(s->set, s->run->design->inputs), size = s->all->size[s->chosen],
           part = (size - left + ROUNDS - 1) / ROUNDS, back = 0;
    int enough = 0, status = TAMIS_OK;
    if (s->chosen == sift_empty(s) || left == size) return TAMIS_OK;
    if (left) status = set_suffices(s, &enough);
    while (!status && !enough) {
        for (size_t k = 0; k < part && left + back < size; k++, back++) s->set[next_back(s)] = 1;
        if (left + back == size) break;
        status = set_suffices(s, &enough);
    }
    if (!status && back)
        tamis_note(s->run->cx,
                   "%zu of the chosen inputs are kept by fewer than %g of the folds, yet without them the error rises: "
                   "some inputs are interchangeable, and other rows would choose others",
                   back, s->s.stable);
    return status;
}
