/* Scores of probabilities p_k and classes y over rows:
 *
 *     log loss   -log p_y                        Brier [1]   sum_k (p_k - [k = y])^2
 *     AUC of k   P(p_k(row of k) > p_k(other row)) + 1/2 P(equal)
 *
 * Log loss and Brier are proper: the true probabilities have the least expected value.
 *
 * [1] Brier: Verification of forecasts expressed in terms of probability, 1950. */
#include "num/class_measures.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double weight_of(const struct tamis_rated *r, size_t i)
{
    if (!(r->class_of[i] >= 0 && r->class_of[i] < (double)r->classes)) return 0;
    return r->weight ? r->weight[i] : 1;
}

size_t tamis_largest_class(const double *p, size_t n, size_t classes, size_t i)
{
    size_t best = 0;
    for (size_t k = 1; k < classes; k++)
        if (p[i + n * k] > p[i + n * best]) best = k;
    return best;
}

double tamis_log_loss(const struct tamis_rated *r, size_t i)
{
    return -log(r->p[i + r->rows * (size_t)r->class_of[i]]);
}

double tamis_brier(const struct tamis_rated *r, size_t i)
{
    double sum = 0;
    for (size_t k = 0; k < r->classes; k++) {
        double miss = r->p[i + r->rows * k] - (r->class_of[i] == (double)k);
        sum += miss * miss;
    }
    return sum;
}

static double balanced_accuracy(const double *confusion, size_t classes)
{
    double sum = 0, seen = 0;
    for (size_t a = 0; a < classes; a++) {
        double rows = 0;
        for (size_t b = 0; b < classes; b++) rows += confusion[a * classes + b];
        if (rows > 0) sum += confusion[a * classes + a] / rows, seen++;
    }
    return sum / seen;
}

struct tamis_class_measures tamis_class_measure(const struct tamis_rated *r, double *confusion)
{
    struct tamis_class_measures m = {0};
    memset(confusion, 0, r->classes * r->classes * sizeof *confusion);
    for (size_t i = 0; i < r->rows; i++) {
        double w = weight_of(r, i);
        if (!(w > 0)) continue;
        size_t own = (size_t)r->class_of[i], best = tamis_largest_class(r->p, r->rows, r->classes, i);
        confusion[own * r->classes + best] += w;
        m.rows += w;
        m.error += w * (own != best);
        m.log_loss += w * tamis_log_loss(r, i);
        m.brier += w * tamis_brier(r, i);
    }
    m.error /= m.rows;
    m.log_loss /= m.rows;
    m.brier /= m.rows;
    m.balanced_accuracy = balanced_accuracy(confusion, r->classes);
    return m;
}

double tamis_auc(const struct tamis_rated *r, size_t class, struct tamis_place *place)
{
    size_t n = 0, next;
    double others = 0, own = 0, area = 0;
    for (size_t i = 0; i < r->rows; i++)
        if (weight_of(r, i) > 0) place[n++] = (struct tamis_place){r->p[i + r->rows * class], i};
    qsort(place, n, sizeof *place, tamis_by_place);
    for (size_t from = 0; from < n; from = next) {
        double here = 0, equal = 0;
        for (next = from; next < n && place[next].x == place[from].x; next++) {
            double w = weight_of(r, place[next].i);
            if (r->class_of[place[next].i] == (double)class) here += w;
            else equal += w;
        }
        area += here * (others + equal / 2);
        own += here;
        others += equal;
    }
    return own > 0 && others > 0 ? area / (own * others) : NAN;
}

void tamis_reliability(const struct tamis_rated *r, struct tamis_tenth tenth[TAMIS_TENTHS])
{
    memset(tenth, 0, TAMIS_TENTHS * sizeof *tenth);
    for (size_t k = r->classes == 2; k < r->classes; k++)
        for (size_t i = 0; i < r->rows; i++) {
            double w = weight_of(r, i), p = r->p[i + r->rows * k], at = floor(p * TAMIS_TENTHS);
            struct tamis_tenth *t = &tenth[at < TAMIS_TENTHS ? (size_t)at : TAMIS_TENTHS - 1];
            if (!(w > 0)) continue;
            t->rows += w;
            t->mean += w * p;
            t->observed += w * (r->class_of[i] == (double)k);
        }
    for (size_t b = 0; b < TAMIS_TENTHS; b++)
        if (tenth[b].rows > 0) tenth[b].mean /= tenth[b].rows, tenth[b].observed /= tenth[b].rows;
}
