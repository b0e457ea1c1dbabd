/* The size of sift's answer, by two witnesses.
 *
 * The folds: every size has been measured on rows that its path did not see. Sizes whose paired excess over the best is within `se` standard
 * errors cannot be told from it.
 * The evidence: log marginal likelihood of a size's network on all rows over that of no input, less a price of 1/2 log n for each weight learnt
 * (Schwarz) and log d for having looked for it among d inputs. Of the sizes that the folds cannot tell apart, the one with most is taken.
 *
 * The empty set must be beaten by `empty-se` standard errors in the folds, or by any amount there and by `clear` in the evidence, else
 * no input helps. Inputs that fewer than a share `stable` of the folds keep at the size taken are dropped. */
#include <math.h>
#include "method/sift.h"

double sift_excess(const double *a, const double *b, size_t n)
{
    double mean = 0, squares = 0;
    for (size_t i = 0; i < n; i++) mean += (a[i] - b[i]) / (double)n;
    for (size_t i = 0; i < n; i++) squares += pow(a[i] - b[i] - mean, 2);
    double se = sqrt(squares / (double)(n > 1 ? n - 1 : 1) / (double)n);
    return se > 0 ? mean / se : mean > 0 ? INFINITY : mean < 0 ? -INFINITY : 0;
}

static double mean_of(const double *v, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += v[i];
    return sum / (double)n;
}

double sift_net_gain(const struct sift *s, size_t k)
{
    const struct tamis_design *d = s->job->design;
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
        if (sift_excess(s->loss + k * n, s->loss + best * n, n) <= s->s.se && sift_net_gain(s, k) >= sift_net_gain(s, s->chosen)) s->chosen = k;
    double beaten = sift_excess(s->loss + sizes * n, s->loss + s->chosen * n, n);
    int evident = beaten > 0 && sift_net_gain(s, s->chosen) > s->s.clear;
    if (beaten < s->s.empty_se && !evident) s->chosen = sizes;
}

void sift_choose(struct sift *s)
{
    size_choose(s);
    size_t inputs = s->job->design->inputs, at = s->chosen < s->frame.sizes ? s->chosen : s->frame.sizes - 1, left = 0;
    for (size_t i = 0; i < inputs; i++) {
        s->share[i] = 0;
        for (size_t k = 0; k < s->s.folds; k++) s->share[i] += s->path[k]->set[at * inputs + i] / (double)s->s.folds;
        s->set[i] = s->chosen < s->frame.sizes && s->path[s->s.folds]->set[at * inputs + i] && s->share[i] >= s->s.stable - 1e-9;
        left += s->set[i];
    }
    if (!left) s->chosen = s->frame.sizes;
}
