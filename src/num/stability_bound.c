/* How many inputs of low selection probability stability selection lets in.
 *
 * Each of B random splits of the rows into two halves is a pair; the inputs chosen in at least a share tau of the 2 B
 * halves are the stable set S. With q the mean number of inputs that a half chooses, theta = q / p, and L the inputs
 * that a half chooses with probability at most theta, [1] shows for tau > 1/2:
 *
 *     nothing assumed   E |S n L| <= theta q / (2 tau - 1)                                              [1] eq. (4)
 *     unimodal          E |S n L| <= C(tau, B) theta q                                                  [1] eq. (6)
 *     r-concave         E |S n L| <= p min{ D(theta^2, 2 tau - 1, B, -1/2), D(theta, tau, 2 B, -1/4) }  [1] eq. (8)
 *
 * where the assumption is on the distribution of the share of pairs (and, in the last, of halves) that choose an input
 * of L. A stronger assumption implies the weaker ones, so each bound is the least of its own and those above it.
 *
 * D is reached by a distribution with f(i) = c (a + i)^(1/r) at i = 0 .. k and the rest of the mass at k + 1, of mean
 * eta exactly ([1] appendix A.4): k follows from a, and P(X >= t) first rises and then falls with a.
 *
 * DIFFERS [1] appendix A.4: the maximum is sought over log a at once rather than for each k, to full precision, which
 * includes the ends of the intervals of a that belong to one k: bounds are up to 0.4 % larger than those of the
 * authors' program, whose search stops short of these ends. */
#include <math.h>
#include "num/stability_bound.h"

enum { GRID = 240, NARROW = 60 };
static const double least_log = -14, most_log = 18;     /* of a: all mass at 0; uniform */

/* ---- D ---- */

struct family { double mean, s; size_t t, b; };         /* mean eta b; exponent -s */

/* P(X >= t) of the member of the family with this a. */
static double tail_at(const struct family *f, double log_a)
{
    double a = exp(log_a), mass = 0, moment = 0, below = 0;
    for (size_t i = 0; i <= f->b; i++) {
        double x = (double)i, w = pow(1 + x / a, -f->s);
        if (moment + x * w > f->mean * (mass + w))              /* k + 1 = i: the mean is reached within its mass */
            return i < f->t ? 0 : 1 - (x - f->mean) / (x * mass - moment) * below;
        mass += w;
        moment += x * w;
        if (i < f->t) below += w;
    }
    return 1 - below / mass;
}

/* The maximum of a function that rises and then falls between low and high. */
static double peak(const struct family *f, double low, double high)
{
    static const double golden = 0.6180339887498949;
    double a = high - golden * (high - low), b = low + golden * (high - low), at_a = tail_at(f, a),
           at_b = tail_at(f, b);
    for (int k = 0; k < NARROW; k++) {
        if (at_a < at_b) low = a, a = b, at_a = at_b, b = low + golden * (high - low), at_b = tail_at(f, b);
        else high = b, b = a, at_b = at_a, a = high - golden * (high - low), at_a = tail_at(f, a);
    }
    return fmax(fmax(tail_at(f, low), tail_at(f, high)), fmax(at_a, at_b));
}

double tamis_concave_tail(double eta, size_t t, size_t b, double r)
{
    const struct family f = {eta * (double)b, -1 / r, t, b};
    double step = (most_log - least_log) / GRID, best = -1, at = least_log;
    if (t == 0 || (double)t <= ceil(2 * f.mean * (1 - 1e-12))) return 1;        /* uniform distributions reach t */
    if (!(eta > 0)) return 0;
    for (int k = 0; k <= GRID; k++) {
        double x = least_log + step * k, v = tail_at(&f, x);
        if (v > best) best = v, at = x;
    }
    return fmin(1, fmax(0, fmax(best, peak(&f, at - step, at + step))));
}

/* ---- the bounds ---- */

static double share_of(const struct tamis_stability *s, size_t times)
{
    return (double)times / (2 * (double)s->pairs);
}

static double free_bound(const struct tamis_stability *s, size_t times)
{
    return s->q * s->q / s->p / (2 * share_of(s, times) - 1);
}

/* INFINITY where [1] has none: theta too large, or tau too small. */
static double unimodal_bound(const struct tamis_stability *s, size_t times)
{
    double theta = s->q / s->p, b = (double)s->pairs, tau = share_of(s, times), square = theta * theta,
           least = 0.5 + fmin(square, 1 / (2 * b) + 0.75 * square);
    if (square > 1.0 / 3 || tau <= least || tau < 0.5 + 1 / b) return INFINITY;
    double c = tau <= 0.75 ? 1 / (2 * (2 * tau - 1 - 1 / (2 * b))) : 4 * (1 - tau + 1 / (2 * b)) / (1 + 1 / b);
    return c * theta * s->q;
}

static double concave_bound(const struct tamis_stability *s, size_t times)
{
    double theta = s->q / s->p, both = tamis_concave_tail(theta * theta, times - s->pairs, s->pairs, -0.5),
           each = tamis_concave_tail(theta, times, 2 * s->pairs, -0.25);
    return s->p * fmin(both, each);
}

double tamis_stability_bound(const struct tamis_stability *s, enum tamis_stability_assumption a, size_t times)
{
    double bound = fmin(s->p, free_bound(s, times));
    if (a >= TAMIS_STABLE_UNIMODAL) bound = fmin(bound, unimodal_bound(s, times));
    if (a >= TAMIS_STABLE_CONCAVE) bound = fmin(bound, concave_bound(s, times));
    return bound;
}

/* Bounds fall with times. */
size_t tamis_stability_times(const struct tamis_stability *s, enum tamis_stability_assumption a, double most)
{
    size_t low = s->pairs, high = 2 * s->pairs;         /* low: too few */
    if (tamis_stability_bound(s, a, high) > most) return 0;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (tamis_stability_bound(s, a, middle) > most) low = middle;
        else high = middle;
    }
    return high;
}
