/* The size of sift's answer, by two witnesses.
 *
 * The folds: every size has been measured on rows that its path did not see. Sizes whose paired excess over the best is
 * within `se` standard errors cannot be told from it.
 * The evidence: log marginal likelihood of a size's network on all rows over that of no input, less a price of 1/2 log
 * n for each weight learnt (Schwarz) and log d for having searched for it among d inputs. Of the sizes that the folds
 * cannot tell apart, the one with most evidence is chosen.
 *
 * The empty set must be beaten by `empty-se` standard errors in the folds, or by any amount there and by `clear` in the
 * evidence; otherwise no input helps. Inputs that fewer than a share `stable` of the folds keep at the chosen size are
 * dropped, unless the network without them, learnt and measured on the same folds, is worse by more than `se` standard
 * errors. In that case inputs are interchangeable (copies, neighbours in a spectrum), every fold needs some of them,
 * and those that most folds keep come back until the set does as well. */
#include <math.h>
#include "base/parallel.h"
#include "method/sift/sift.h"
#include "num/excess.h"

static double mean_of(const double *v, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += v[i];
    return sum / (double)n;
}

double sift_evidence(const struct sift *s, size_t k)
{
    const struct tamis_design *d = s->run->design;
    double n = (double)(d->rows < s->s.learn ? d->rows : s->s.learn), price = 0.5 * log(n) + log((double)d->inputs);
    return s->path[s->s.folds]->evidence[k] - price * (double)s->size[k];
}

static size_t best_size(const struct sift *s)
{
    size_t n = s->measured, best = 0;
    for (size_t k = 1; k < s->frame.sizes; k++)
        if (mean_of(s->loss + k * n, n) <= mean_of(s->loss + best * n, n)) best = k;
    return best;
}

static void size_choose(struct sift *s)
{
    size_t n = s->measured, sizes = s->frame.sizes, best = best_size(s);
    s->chosen = best;
    for (size_t k = 0; k < sizes; k++)
        if (tamis_firm_excess_ratio(s->loss + k * n, s->loss + best * n, n) <= s->s.se &&
            sift_evidence(s, k) >= sift_evidence(s, s->chosen))
            s->chosen = k;
    double beaten = tamis_excess_ratio(s->loss + sizes * n, s->loss + s->chosen * n, n);
    int evident = beaten > 0 && sift_evidence(s, s->chosen) > s->s.clear;
    if (beaten < s->s.empty_se && !evident) s->chosen = sizes;
}

/* ---- which of its inputs ---- */

enum { ROUNDS = 8 };            /* in which dropped inputs come back, at most */

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
                           sift_path_evaluations(&s->frame) / (2 * ROUNDS * s->s.folds), c->loss + first);
}

/* Whether the inputs in s->set do as well as all of the chosen size. */
static int set_suffices(struct sift *s, int *suffices)
{
    struct check c = {s, tamis_raw(s->run->cx, double, s->measured)};
    int status = c.loss ? tamis_parallel(s->run->cx, s->s.folds, check_fold, &c) : tamis_status(s->run->cx);
    for (size_t i = 0; !status && i < s->measured; i++) c.loss[i] *= s->weight[i];
    *suffices = !status && tamis_firm_excess_ratio(c.loss, s->loss + s->chosen * s->measured, s->measured) <= s->s.se;
    tamis_free(c.loss);
    return status;
}

/* If none of its inputs is stable, a size needs both witnesses. */
static int size_is_certain(const struct sift *s)
{
    return tamis_excess_ratio(s->loss + s->frame.sizes * s->measured, s->loss + s->chosen * s->measured, s->measured) >=
               s->s.empty_se &&
           sift_evidence(s, s->chosen) > s->s.clear;
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

/* Of the inputs of the chosen size that are not in the set, the one that most folds keep; among equals the most
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

/* Brings dropped inputs back, in at most ROUNDS rounds, until the set does as well as all inputs of its size; *back:
 * how many. */
static int bring_back(struct sift *s, size_t at, size_t left, size_t *back)
{
    size_t part = (s->size[at] - left + ROUNDS - 1) / ROUNDS;
    int enough = 0, status = TAMIS_OK;
    if (left) status = set_suffices(s, &enough);
    for (*back = 0; !status && !enough;) {
        for (size_t k = 0; k < part && left + *back < s->size[at]; k++, ++*back) s->set[next_back(s, at)] = 1;
        if (left + *back == s->size[at]) return TAMIS_OK;
        status = set_suffices(s, &enough);
    }
    return status;
}

int sift_choose(struct sift *s)
{
    size_choose(s);
    size_t sizes = s->frame.sizes, at = s->chosen < sizes ? s->chosen : sizes - 1, left = stable_find(s, at), back = 0;
    int status = TAMIS_OK;
    if (s->chosen == sizes || left == s->size[at]) return TAMIS_OK;
    if (!left && !size_is_certain(s)) s->chosen = sizes;
    else status = bring_back(s, at, left, &back);
    if (!status && back)
        tamis_note(s->run->cx,
                   "%zu of the chosen inputs are kept by fewer than %g of the folds, yet without them the error rises: "
                   "some inputs are interchangeable, and other rows would choose others",
                   back, s->s.stable);
    return status;
}
