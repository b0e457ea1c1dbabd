/* Limited-memory quasi-Newton with bounds by projection: variables at a bound that the gradient would push beyond it
 * are not part of the direction; the step is shortened along the projected path until the value falls enough (Armijo).
 *
 * [1] J. Nocedal, S. Wright: Numerical Optimization, 2nd ed., algorithms 7.4 and 7.5. */
#include "num/lbfgs.h"

#include <math.h>
#include <string.h>

enum { MEMORY = 16 };

struct state {
    size_t n, kept, next;
    double *x, *g, *direction, *trial, *trial_g, *s, *y;
    double *rho;                /* 1 / s.y; 0: the pair does not count */
    double *saved;
    const double *least, *most;
};

enum { SAVED = 3 };             /* value, kept, next: where a later call resumes */

size_t tamis_lbfgs_size(size_t n) { return n * (4 + 2 * MEMORY) + MEMORY + SAVED; }

static double dot(size_t n, const double *a, const double *b)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

static double clip(const struct state *w, size_t i, double v)
{
    if (w->least && v < w->least[i]) return w->least[i];
    return w->most && v > w->most[i] ? w->most[i] : v;
}

/* Whether variable i is at a bound and descent would carry it beyond. */
static int blocked(const struct state *w, size_t i)
{
    return (w->least && w->x[i] <= w->least[i] && w->g[i] > 0) || (w->most && w->x[i] >= w->most[i] && w->g[i] < 0);
}

/* Where the pair of this age is; 0: the newest. */
static size_t pair_place(const struct state *w, size_t age) { return (w->next + MEMORY - 1 - age) % MEMORY; }

/* [1] eq. 7.20 of the newest pair that counts; without any, the first step has length 1 at most. */
static double scale_of(const struct state *w)
{
    for (size_t k = 0; k < w->kept; k++) {
        size_t at = pair_place(w, k);
        if (w->rho[at] > 0) return 1 / (w->rho[at] * dot(w->n, w->y + at * w->n, w->y + at * w->n));
    }
    return 1 / fmax(1, sqrt(dot(w->n, w->direction, w->direction)));
}

/* [1] algorithm 7.4 */
static void direction_make(struct state *w)
{
    size_t n = w->n;
    double a[MEMORY], *q = w->direction;
    for (size_t i = 0; i < n; i++) q[i] = blocked(w, i) ? 0 : w->g[i];
    for (size_t k = 0; k < w->kept; k++) {
        size_t at = pair_place(w, k);
        a[at] = w->rho[at] * dot(n, w->s + at * n, q);
        for (size_t i = 0; i < n; i++) q[i] -= a[at] * w->y[at * n + i];
    }
    double scale = scale_of(w);
    for (size_t i = 0; i < n; i++) q[i] *= scale;
    for (size_t k = w->kept; k > 0; k--) {
        size_t at = pair_place(w, k - 1);
        double b = w->rho[at] * dot(n, w->y + at * n, q);
        for (size_t i = 0; i < n; i++) q[i] += (a[at] - b) * w->s[at * n + i];
    }
    for (size_t i = 0; i < n; i++) q[i] = blocked(w, i) ? 0 : -q[i];
    if (dot(n, q, w->g) < 0) return;
    w->kept = 0;                                        /* no descent: start again from the gradient */
    for (size_t i = 0; i < n; i++) q[i] = blocked(w, i) ? 0 : -w->g[i];
}

static void remember(struct state *w)
{
    size_t n = w->n;
    double *s = w->s + w->next * n, *y = w->y + w->next * n;
    for (size_t i = 0; i < n; i++) {
        s[i] = w->trial[i] - w->x[i];
        y[i] = w->trial_g[i] - w->g[i];
    }
    double curvature = dot(n, s, y);
    if (!(curvature > 1e-12 * dot(n, y, y))) return;
    w->rho[w->next] = 1 / curvature;
    w->next = (w->next + 1) % MEMORY;
    if (w->kept < MEMORY) w->kept++;
}

/* Backtracks along x + t direction; the value accepted, or +inf. */
static double line_search(struct state *w, double value, double largest, tamis_smooth *f, void *arg)
{
    double most = 0, t = 1;
    for (size_t i = 0; i < w->n; i++) most = fmax(most, fabs(w->direction[i]));
    if (most > largest) t = largest / most;
    for (int tries = 0; tries < 12; tries++, t *= tries < 3 ? 0.4 : 0.1) {
        double slope = 0;
        for (size_t i = 0; i < w->n; i++) {
            w->trial[i] = clip(w, i, w->x[i] + t * w->direction[i]);
            slope += w->g[i] * (w->trial[i] - w->x[i]);
        }
        double v = f(arg, w->trial, w->trial_g);
        if (isfinite(v) && v <= value + 1e-4 * slope) return v;
    }
    return INFINITY;
}

static struct state state_of(size_t n, double *x, const double *least, const double *most, double *work)
{
    return (struct state){.n = n, .x = x, .g = work, .direction = work + n, .trial = work + 2 * n,
                          .trial_g = work + 3 * n, .s = work + 4 * n, .y = work + (4 + MEMORY) * n,
                          .rho = work + (4 + 2 * MEMORY) * n, .saved = work + (4 + 2 * MEMORY) * n + MEMORY,
                          .least = least, .most = most};
}

static double descend(struct state *w, double value, const struct tamis_lbfgs *how, tamis_smooth *f, void *arg)
{
    size_t n = w->n;
    for (size_t k = 0; k < how->iterations && isfinite(value); k++) {
        direction_make(w);
        if (w->kept && -0.5 * dot(n, w->g, w->direction) < how->tolerance) break;      /* what a Newton step gains */
        double lower = line_search(w, value, how->largest, f, arg);
        if (!isfinite(lower) && !w->kept) break;
        if (!isfinite(lower)) {
            w->kept = 0;
            continue;
        }
        remember(w);
        memcpy(w->x, w->trial, n * sizeof *w->x);
        memcpy(w->g, w->trial_g, n * sizeof *w->g);
        double decrease = value - lower;
        value = lower;
        if (decrease < how->tolerance) break;
    }
    w->saved[0] = value;
    w->saved[1] = (double)w->kept;
    w->saved[2] = (double)w->next;
    return value;
}

double tamis_lbfgs(size_t n, double *x, const double *least, const double *most, const struct tamis_lbfgs *how,
                   tamis_smooth *f, void *arg, double *work)
{
    struct state w = state_of(n, x, least, most, work);
    for (size_t i = 0; i < n; i++) x[i] = clip(&w, i, x[i]);
    return descend(&w, f(arg, x, w.g), how, f, arg);
}

static struct state state_resumed(size_t n, double *x, const double *least, const double *most, double *work)
{
    struct state w = state_of(n, x, least, most, work);
    w.kept = (size_t)w.saved[1];
    w.next = (size_t)w.saved[2];
    return w;
}

double tamis_lbfgs_more(size_t n, double *x, const double *least, const double *most, const struct tamis_lbfgs *how,
                        tamis_smooth *f, void *arg, double *work)
{
    struct state w = state_resumed(n, x, least, most, work);
    return descend(&w, w.saved[0], how, f, arg);
}

double tamis_lbfgs_like(size_t n, double *x, const double *least, const double *most, const struct tamis_lbfgs *how,
                        tamis_smooth *f, void *arg, double *work, double ratio)
{
    struct state w = state_resumed(n, x, least, most, work);
    for (size_t k = 0; k < w.kept; k++) {
        size_t at = pair_place(&w, k);
        for (size_t i = 0; i < n; i++) w.y[at * n + i] *= ratio;
        w.rho[at] /= ratio;
    }
    for (size_t i = 0; i < n; i++) x[i] = clip(&w, i, x[i]);
    return descend(&w, f(arg, x, w.g), how, f, arg);
}

/* In place: nothing is overwritten before it has been read. */
void tamis_lbfgs_narrow(size_t n, const size_t *keep, size_t count, double *work)
{
    struct state from = state_of(n, NULL, NULL, NULL, work), to = state_of(count, NULL, NULL, NULL, work);
    for (size_t k = 0; k < 2 * MEMORY; k++)             /* y follows s */
        for (size_t i = 0; i < count; i++) to.s[k * count + i] = from.s[k * n + keep[i]];
    memmove(to.saved, from.saved, SAVED * sizeof *to.saved);
    to = state_resumed(count, NULL, NULL, NULL, work);
    for (size_t k = 0; k < to.kept; k++) {
        size_t at = pair_place(&to, k);
        const double *s = to.s + at * count, *y = to.y + at * count;
        double curvature = dot(count, s, y);
        to.rho[at] = curvature > 1e-12 * dot(count, y, y) ? 1 / curvature : 0;
    }
}
