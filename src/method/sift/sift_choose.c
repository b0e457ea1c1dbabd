/* The size of sift's answer, by two witnesses.
 *
 * The folds: every size has been measured on rows that its path did not see. Sizes whose paired excess over the best is
 * within `se` standard errors cannot be told from it.
 * The evidence: log marginal likelihood of a size's network on all rows over that of no input, less a price of 1/2 log
 * n for each weight learnt (Schwarz) and log d for having looked for it among d inputs. Of the sizes that the folds
 * cannot tell apart, the one with most is taken.
 *
 * The empty set must be beaten by `empty-se` standard errors in the folds, or by any amount there and by `clear` in the
 * evidence, else no input helps. Inputs that fewer than a share `stable` of the folds keep at the size taken are
 * dropped; unless the network without them, learnt and measured on the same folds, is worse by more than `se` standard
 * errors: then inputs stand for each other (copies, neighbours in a spectrum), every fold needs some of them, and those
 * that most folds keep come back until the set does. */
#include <math.h>
#include "base/parallel.h"
#include "method/sift/sift.h"
#include "num/agreement.h"

static double ratio(double mean, double se)
{
    return se > 0 ? mean / se : mean > 0 ? INFINITY : mean < 0 ? -INFINITY : 0;
}

double sift_excess(const double *a, const double *b, size_t n)
{
    double se, mean = tamis_paired_excess(a, b, n, &se);
    return ratio(mean, se);
}

/* The same, but where one row makes four fifths of the squares its difference counts in the spread as the second
 * largest: a row that a network misses by very far has mean = standard error however far, and would pass for chance. */
static double firm_excess(const double *a, const double *b, size_t n)
{
    double mean = 0, middle = 0, squares = 0, all = 0, first = 0, second = 0;
    for (size_t i = 0; i < n; i++) {
        double v = fabs(a[i] - b[i]);
        mean += (a[i] - b[i]) / (double)n;
        all += v * v;
        if (v > first) second = first, first = v;
        else if (v > second) second = v;
    }
    double most = first * first > 0.8 * all ? second : first;
    for (size_t i = 0; i < n; i++) middle += fmax(-most, fmin(most, a[i] - b[i])) / (double)n;
    for (size_t i = 0; i < n; i++) squares += pow(fmax(-most, fmin(most, a[i] - b[i])) - middle, 2);
    return ratio(mean, sqrt(squares / (double)(n > 1 ? n - 1 : 1) / (double)n));
}

static double mean_of(const double *v, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += v[i];
    return sum / (double)n;
}

double sift_net_gain(const struct sift *s, size_t k)
{
    const struct tamis_design *d = s->run->design;
    double n = (double)(d->rows < s->s.learn ? d->rows : s->s.learn), price = 0.5 * log(n) + log((double)d->inputs);
    return s->path[s->s.folds]->evidence[k] - price * (double)s->size[k];
}

static size_t best_size(const struct sift *s)
{
    size_t n = s->judged, best = 0;
    for (size_t k = 1; k < s->frame.sizes; k++)
        if (mean_of(s->loss + k * n, n) <= mean_of(s->loss + best * n, n)) best = k;
    return best;
}

static void size_choose(struct sift *s)
{
    size_t n = s->judged, sizes = s->frame.sizes, best = best_size(s);
    s->chosen = best;
    for (size_t k = 0; k < sizes; k++)
        if (firm_excess(s->loss + k * n, s->loss + best * n, n) <= s->s.se &&
            sift_net_gain(s, k) >= sift_net_gain(s, s->chosen))
            s->chosen = k;
    double beaten = sift_excess(s->loss + sizes * n, s->loss + s->chosen * n, n);
    int evident = beaten > 0 && sift_net_gain(s, s->chosen) > s->s.clear;
    if (beaten < s->s.empty_se && !evident) s->chosen = sizes;
}

/* ---- which inputs of it ---- */

struct check { struct sift *s; double *loss; };

static int check_fold(void *arg, size_t k, int worker)
{
    const struct check *c = arg;
    struct sift *s = c->s;
    const size_t *row = s->row + k * s->run->design->rows;
    size_t first = 0;
    (void)worker;
    for (size_t i = 0; i < k; i++) first += s->held[i];
    return sift_set_losses(&s->frame, row, s->training[k], row + s->training[k], s->held[k], s->set, (uint32_t)k + 1,
                           c->loss + first);
}

/* Whether the inputs in s->set do as well as all of the size taken. */
static int set_does(struct sift *s, int *does)
{
    struct check c = {s, tamis_raw(s->run->cx, double, s->judged)};
    int status = c.loss ? tamis_parallel(s->run->cx, s->s.folds, check_fold, &c) : tamis_status(s->run->cx);
    for (size_t i = 0; !status && i < s->judged; i++) c.loss[i] *= s->weight[i];
    *does = !status && firm_excess(c.loss, s->loss + s->chosen * s->judged, s->judged) <= s->s.se;
    tamis_free(c.loss);
    return status;
}

/* None of its inputs is stable: the size stands when both witnesses are for it. */
static int size_is_sure(const struct sift *s)
{
    return sift_excess(s->loss + s->frame.sizes * s->judged, s->loss + s->chosen * s->judged, s->judged) >=
               s->s.empty_se &&
           sift_net_gain(s, s->chosen) > s->s.clear;
}

static size_t stable_find(struct sift *s, size_t at)
{
    size_t inputs = s->run->design->inputs, left = 0;
    for (size_t i = 0; i < inputs; i++) {
        s->share[i] = 0;
        for (size_t k = 0; k < s->s.folds; k++) s->share[i] += s->path[k]->set[at * inputs + i] / (double)s->s.folds;
        s->set[i] = s->chosen < s->frame.sizes && s->path[s->s.folds]->set[at * inputs + i] &&
                    s->share[i] >= s->s.stable - 1e-9;
        left += s->set[i];
    }
    return left;
}

/* Of the inputs of the size taken that are not in the set, the one that most folds keep; of equals the most
 * relevant. */
static size_t next_back(const struct sift *s, size_t at)
{
    const struct sift_path *p = s->path[s->s.folds];
    size_t inputs = s->run->design->inputs, best = inputs;
    for (size_t i = 0; i < inputs; i++) {
        if (!p->set[at * inputs + i] || s->set[i]) continue;
        if (best == inputs || s->share[i] > s->share[best] ||
            (s->share[i] == s->share[best] && p->relevance[i] > p->relevance[best]))
            best = i;
    }
    return best;
}

enum { ROUNDS = 8 };

/* Brings dropped inputs back, in at most ROUNDS goes, until the set does as well as all of its size; how many came
 * back. */
static int bring_back(struct sift *s, size_t at, size_t left, size_t *back)
{
    size_t part = (s->size[at] - left + ROUNDS - 1) / ROUNDS;
    int does = 0, status = TAMIS_OK;
    if (left) status = set_does(s, &does);
    for (*back = 0; !status && !does;) {
        for (size_t k = 0; k < part && left + *back < s->size[at]; k++, ++*back) s->set[next_back(s, at)] = 1;
        if (left + *back == s->size[at]) return TAMIS_OK;
        status = set_does(s, &does);
    }
    return status;
}

int sift_choose(struct sift *s)
{
    size_choose(s);
    size_t sizes = s->frame.sizes, at = s->chosen < sizes ? s->chosen : sizes - 1, left = stable_find(s, at), back = 0;
    int status = TAMIS_OK;
    if (s->chosen == sizes || left == s->size[at]) return TAMIS_OK;
    if (!left && !size_is_sure(s)) s->chosen = sizes;
    else status = bring_back(s, at, left, &back);
    if (!status && back)
        tamis_note(s->run->cx,
                   "%zu of the chosen inputs are kept by fewer than %g of the folds, yet without them the error rises: "
                   "inputs stand for each other, and other rows would choose others",
                   back, s->s.stable);
    return status;
}
