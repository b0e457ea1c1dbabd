/* Active-set method over the corner {x >= 0, sum x <= t}.
 *
 * On a face (some x at 0, the sum free or at t) the step solves  [H_F + s I, 1; 1^T, 0] [p; nu] = [-grad_F; 0],  with
 * the sum at t by Cholesky of H_F + s I + c 1 1^T: c changes nothing where 1^T p = 0, and makes a matrix definite that
 * is so on the face only. A step ends at the first bound that it meets, which becomes active; at the minimum of a face,
 * the bound with the most negative multiplier is released. */
#include "num/simplex.h"

#include <float.h>
#include <math.h>
#include <string.h>
#include "num/cholesky.h"
#include "num/level2.h"

size_t tamis_simplex_size(size_t n) { return n * n + 5 * n + 8; }

struct corner {
    size_t n, count;
    const double *h, *g, *x0;
    double shift, t, nu;
    double *x, *grad, *factor, *p, *ones;
    size_t *free;               /* `count` free variables, then those at 0 */
    int tight;                  /* the sum is at t */
};

static void gradient(struct corner *c)
{
    for (size_t i = 0; i < c->n; i++) c->p[i] = c->x[i] - c->x0[i];
    memcpy(c->grad, c->g, c->n * sizeof *c->g);
    tamis_gemv(PLAIN, c->n, c->n, 1, c->h, c->n, c->p, 1, c->grad);
    tamis_axpy(c->n, c->shift, c->p, c->grad);
}

/* p of the free variables, and nu; nonzero: not convex on the face. */
static int face_step(struct corner *c)
{
    size_t k = c->count;
    double top = 0, *b = c->p;
    for (size_t j = 0; j < c->count; j++) top = fmax(top, fabs(c->h[c->free[j] * (c->n + 1)]) + c->shift);
    for (size_t j = 0; j < c->count; j++)
        for (size_t i = j; i < c->count; i++)
            c->factor[i + c->count * j] = c->h[c->free[i] + c->n * c->free[j]] + (i == j ? c->shift : 0) +
                                          (c->tight ? 10 * top : 0);
    for (size_t j = 0; j < c->count; j++) b[j] = -c->grad[c->free[j]], b[j + c->count] = 1;
    c->nu = 0;
    if (!k) return 0;
    if (tamis_cholesky(CblasLower, k, c->factor, k)) return 1;
    tamis_cholesky_solve(k, c->factor, k, c->tight ? 2 : 1, b, k);
    if (!c->tight) return 0;
    double above = 0, below = 0;
    for (size_t j = 0; j < c->count; j++) above += b[j], below += b[j + c->count];
    c->nu = above / below;
    for (size_t j = 0; j < c->count; j++) b[j] -= c->nu * b[j + c->count];
    return 0;
}

/* Moves along p to the first bound; 1 when the minimum of the face comes first. */
static int face_move(struct corner *c)
{
    double share = 1, sum = 0, rise = 0;
    size_t hit = SIZE_MAX;
    int full = 0;
    for (size_t i = 0; i < c->n; i++) sum += c->x[i];
    for (size_t j = 0; j < c->count; j++) {
        double at = c->x[c->free[j]], step = c->p[j];
        rise += step;
        if (step < 0 && at + share * step < 0) share = at / -step, hit = j;
    }
    if (!c->tight && rise > 0 && sum + share * rise > c->t)
        share = fmax(0, (c->t - sum) / rise), hit = SIZE_MAX, full = 1;
    for (size_t j = 0; j < c->count; j++) c->x[c->free[j]] = fmax(0, c->x[c->free[j]] + share * c->p[j]);
    if (full) c->tight = 1;
    if (hit == SIZE_MAX) return !full;
    c->x[c->free[hit]] = 0;
    size_t gone = c->free[hit];
    c->free[hit] = c->free[--c->count];
    c->free[c->count] = gone;
    return 0;
}

/* Releases the bound with the most negative multiplier; 0 when none is negative. */
static int face_release(struct corner *c)
{
    double scale = 0, worst = 0;
    size_t at = SIZE_MAX;
    for (size_t i = 0; i < c->n; i++) scale = fmax(scale, fabs(c->grad[i]));
    worst = -1e-13 * scale;
    for (size_t j = c->count; j < c->n; j++)
        if (c->grad[c->free[j]] + c->nu < worst) worst = c->grad[c->free[j]] + c->nu, at = j;
    if (c->tight && c->nu < worst) {
        c->tight = 0;
        return 1;
    }
    if (at == SIZE_MAX) return 0;
    size_t back = c->free[at];
    c->free[at] = c->free[c->count];
    c->free[c->count++] = back;
    return 1;
}

/* The face that x lies on. */
static void face_find(struct corner *c)
{
    size_t k = 0, rest = c->n;
    double sum = 0;
    for (size_t i = 0; i < c->n; i++) {
        sum += c->x[i];
        if (c->x[i] > 0) c->free[k++] = i;
        else c->free[--rest] = i;
    }
    c->count = k;
    c->tight = sum >= c->t * (1 - 4 * DBL_EPSILON);
}

int tamis_simplex_quadratic(size_t n, const double *h, double shift, const double *g, double t, const double *x0,
                            double *work, double *x)
{
    struct corner c = {.n = n, .h = h, .g = g, .x0 = x0, .shift = shift, .t = t, .x = x, .factor = work,
                       .p = work + n * n, .grad = work + n * n + 2 * n,
                       .free = (size_t *)(void *)(work + n * n + 3 * n)};
    memmove(x, x0, n * sizeof *x);
    face_find(&c);
    for (size_t i = 0; i < 20 * n + 20; i++) {
        gradient(&c);
        if (face_step(&c)) return 1;
        if (!face_move(&c)) continue;
        gradient(&c);
        if (!face_release(&c)) break;
    }
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += x[i];
    for (size_t i = 0; sum > t && i < n; i++) x[i] *= t / sum;
    return 0;
}

double tamis_simplex_gap(size_t n, const double *g, double t, const double *x)
{
    double least = 0, now = 0;
    for (size_t i = 0; i < n; i++) {
        now += g[i] * x[i];
        least = fmin(least, g[i]);
    }
    return fmax(0, now - t * least);
}
