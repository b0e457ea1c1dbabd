/* The lasso in its original form, with a bound:
 *
 *     minimise 1/2 |y - A a|^2    such that |a|_1 <= r.
 *
 * On an active set S with signs s the solution is  a_S = R^-1 (Q^T y - lambda g),  A_S = Q R,  g = R^-T s,
 * lambda = max(0, (g^T Q^T y - r) / g^T g);  it is optimal when s_k a_k >= 0 on S and |A_j^T e| <= lambda off S, where
 * e = y - A a.
 *
 * A cold start follows the path of [2] from |a|_1 = 0 to r: a grows along R^-1 g, lambda falls at rate 1, columns enter
 * where |A_j^T e| = lambda and leave where a_k = 0. A warm start, and always the end, is the descent of [1]: move
 * towards a_S until an a_k is zero, which leaves; at a_S, the column that violates |A_j^T e| <= lambda most enters.
 *
 * A_S = Q R is updated by Gram-Schmidt with a second pass and by rotations, never through A^T A: smooth basis functions
 * are nearly dependent, and half the digits would be lost. A column that depends on those of S, A_j = A_S b, is
 * exchanged for another when that lowers |a|_1 at the same fit (s_j s^T b > 1), as in linear programming; otherwise it
 * is set aside.
 *
 * [1] M.R. Osborne, B. Presnell, B.A. Turlach, A new approach to variable selection in least squares problems,
 *     IMA J. Numer. Anal. 20 (2000).
 * DIFFERS [1]: a column at zero leaves; it comes back with the other sign by itself.
 * [2] B. Efron, T. Hastie, I. Johnstone, R. Tibshirani, Least angle regression, Ann. Statist. 32 (2004), lasso
 *     modification. */
#include "num/lasso.h"

#include <math.h>
#include <string.h>
#include "num/cholesky.h"
#include "num/lapack.h"

static const double dependent = 1e-9;           /* share of a column's length below which what S leaves is rounding */
static const double violation = 1e-11;          /* times |y| sqrt(n): the tolerance of |A_j^T e| <= lambda */

enum { ZERO, ACTIVE, ASIDE };
enum { AT_ONCE = 12 };          /* from this many columns on, all are factorised together */

static size_t padded(size_t k) { return (k + 7) / 8 * 8; }

static size_t room_for(size_t n, size_t p) { return n < p ? n : p; }

size_t tamis_lasso_size(size_t n, size_t p)
{
    size_t k = room_for(n, p);
    return padded(n * k) + 2 * padded(k * k) + 6 * padded(k) + 2 * padded(n) + 3 * padded(p);
}

static double *take(double **at, size_t count)
{
    double *p = *at;
    *at += padded(count);
    return p;
}

void tamis_lasso_bind(struct tamis_lasso *w, size_t n, size_t p, double *memory)
{
    size_t k = room_for(n, p);
    *w = (struct tamis_lasso){.n = n, .p = p, .room = k};
    w->q = take(&memory, n * k);
    w->r = take(&memory, k * k);
    w->spare = take(&memory, k * k);
    w->active = (size_t *)(void *)take(&memory, k);
    w->sign = take(&memory, k);
    w->value = take(&memory, k);
    w->qy = take(&memory, k);
    w->g = take(&memory, k);
    w->target = take(&memory, k);
    w->residual = take(&memory, n);
    w->along = take(&memory, n);
    w->correlation = take(&memory, p);
    w->slope = take(&memory, p);
    w->state = (unsigned char *)take(&memory, p);
    tamis_lasso_clear(w);
}

void tamis_lasso_clear(struct tamis_lasso *w)
{
    w->count = 0;
    memset(w->state, ZERO, w->p);
}

void tamis_lasso_seed(struct tamis_lasso *w, const double *value)
{
    w->count = 0;
    for (size_t j = 0; j < w->p && w->count < w->room; j++) {
        if (value[j] == 0) continue;
        w->active[w->count] = j;
        w->value[w->count++] = value[j];
    }
}

void tamis_lasso_dense(const struct tamis_lasso *w, double *value)
{
    memset(value, 0, w->p * sizeof *value);
    for (size_t k = 0; k < w->count; k++) value[w->active[k]] = w->value[k];
}

/* ---- the factorisation ---- */

static void solve_r(const struct tamis_lasso *w, CBLAS_TRANSPOSE op, double *b)
{
    tamis_trsv(CblasUpper, op, w->count, w->r, w->room, b);
}

/* Subtracts from v its part in the range of Q, and adds that part's coordinates to h. */
static void orthogonalise(const struct tamis_lasso *w, double *v, double *h, double *part)
{
    if (!w->count) return;
    tamis_gemv(TRANS, w->n, w->count, 1, w->q, w->n, v, 0, part);
    tamis_gemv(PLAIN, w->n, w->count, -1, w->q, w->n, part, 1, v);
    tamis_axpy(w->count, 1, part, h);
}

/* Adds column j to S with this value and sign; 0, or 1 when it depends on S: then target holds R b with A_j = A_S b. */
static int column_add(struct tamis_lasso *w, size_t j, double value, double sign)
{
    const double *a = w->a + w->n * j;
    size_t k = w->count;
    double *h = k < w->room ? w->r + w->room * k : w->target, *v = w->along;
    memcpy(v, a, w->n * sizeof *v);
    memset(h, 0, k * sizeof *h);
    orthogonalise(w, v, h, w->g);
    orthogonalise(w, v, h, w->g);
    double length = tamis_norm(w->n, v), whole = tamis_norm(w->n, a);
    if (k == w->room || !(length > dependent * whole)) {
        if (h != w->target) memcpy(w->target, h, k * sizeof *h);
        return 1;
    }
    for (size_t i = 0; i < w->n; i++) w->q[w->n * k + i] = v[i] / length;
    h[k] = length;
    w->qy[k] = tamis_dot(w->n, w->q + w->n * k, w->y);
    w->active[k] = j;
    w->value[k] = value;
    w->sign[k] = sign;
    w->state[j] = ACTIVE;
    w->count++;
    return 0;
}

/* Drops column k of S; rotations restore the triangle R. */
static void column_drop(struct tamis_lasso *w, size_t k)
{
    size_t last = w->count - 1, ld = w->room;
    w->state[w->active[k]] = ZERO;
    for (size_t c = k; c < last; c++) {
        w->active[c] = w->active[c + 1];
        w->value[c] = w->value[c + 1];
        w->sign[c] = w->sign[c + 1];
        memcpy(w->r + ld * c, w->r + ld * (c + 1), (c + 2) * sizeof *w->r);
    }
    for (size_t c = k; c < last; c++) {
        double a = w->r[ld * c + c], b = w->r[ld * c + c + 1], length = hypot(a, b);
        double co = length > 0 ? a / length : 1, si = length > 0 ? b / length : 0;
        w->r[ld * c + c] = length;
        w->r[ld * c + c + 1] = 0;
        for (size_t i = c + 1; i < last; i++) tamis_rotate(1, w->r + ld * i + c, w->r + ld * i + c + 1, co, si);
        tamis_rotate(w->n, w->q + w->n * c, w->q + w->n * (c + 1), co, si);
        tamis_rotate(1, w->qy + c, w->qy + c + 1, co, si);
    }
    w->count = last;
}

static double magnitude(const struct tamis_lasso *w)
{
    double sum = 0;
    for (size_t k = 0; k < w->count; k++) sum += fabs(w->value[k]);
    return sum;
}

static void residual_update(struct tamis_lasso *w)
{
    memcpy(w->residual, w->y, w->n * sizeof *w->y);
    for (size_t k = 0; k < w->count; k++) tamis_axpy(w->n, -w->value[k], w->a + w->n * w->active[k], w->residual);
    tamis_gemv(TRANS, w->n, w->p, 1, w->a, w->n, w->residual, 0, w->correlation);
}

/* g = R^-T s; returns g^T g */
static double signs_through(struct tamis_lasso *w)
{
    memcpy(w->g, w->sign, w->count * sizeof *w->g);
    solve_r(w, TRANS, w->g);
    return tamis_dot(w->count, w->g, w->g);
}

/* ---- the path from zero ---- */

struct event { double at; size_t join, leave; double sign; };

/* Where |A_j^T e| next meets lambda off S; `except` has just left. */
static void next_join(const struct tamis_lasso *w, size_t except, struct event *e)
{
    for (size_t j = 0; j < w->p; j++) {
        if (w->state[j] != ZERO || j == except) continue;
        for (int side = 1; side >= -1; side -= 2) {
            double gap = w->lambda - side * w->correlation[j], closing = 1 - side * w->slope[j];
            if (closing <= 1e-12 || gap / closing >= e->at) continue;
            *e = (struct event){gap > 0 ? gap / closing : 0, j, SIZE_MAX, side};
        }
    }
}

static void next_leave(const struct tamis_lasso *w, const double *direction, struct event *e)
{
    for (size_t k = 0; k < w->count; k++)
        if (w->sign[k] * direction[k] < 0 && -w->value[k] / direction[k] < e->at)
            *e = (struct event){-w->value[k] / direction[k], SIZE_MAX, k, 0};
}

/* One segment of the path; 0 at its end. */
static int path_step(struct tamis_lasso *w, double r, size_t *except)
{
    double growth = signs_through(w), *direction = w->target;
    if (!(growth > 0)) return 0;
    struct event e = {fmin((r - magnitude(w)) / growth, w->lambda), SIZE_MAX, SIZE_MAX, 0};
    memcpy(direction, w->g, w->count * sizeof *direction);
    solve_r(w, PLAIN, direction);
    tamis_gemv(PLAIN, w->n, w->count, 1, w->q, w->n, w->g, 0, w->along);
    tamis_gemv(TRANS, w->n, w->p, 1, w->a, w->n, w->along, 0, w->slope);
    if (!(e.at > 0)) return 0;
    next_join(w, *except, &e);
    next_leave(w, direction, &e);
    tamis_axpy(w->count, e.at, direction, w->value);
    tamis_axpy(w->p, -e.at, w->slope, w->correlation);
    w->lambda -= e.at;
    w->steps++;
    *except = SIZE_MAX;
    if (e.leave != SIZE_MAX) {
        *except = w->active[e.leave];
        column_drop(w, e.leave);
        return w->count > 0;
    }
    if (e.join == SIZE_MAX) return 0;
    if (column_add(w, e.join, 0, e.sign)) w->state[e.join] = ASIDE;
    return 1;
}

static void path_follow(struct tamis_lasso *w, double r)
{
    size_t best = 0, except = SIZE_MAX;
    residual_update(w);
    for (size_t j = 1; j < w->p; j++)
        if (fabs(w->correlation[j]) > fabs(w->correlation[best])) best = j;
    w->lambda = fabs(w->correlation[best]);
    if (!(w->lambda > 0) || column_add(w, best, 0, w->correlation[best] > 0 ? 1 : -1)) return;
    for (size_t i = 0; i < 10 * w->room + 10; i++)
        if (!path_step(w, r, &except)) break;
}

/* ---- descent from any active set ---- */

/* The solution on S, ignoring signs. */
static void target_find(struct tamis_lasso *w, double r)
{
    double squares = signs_through(w), excess = tamis_dot(w->count, w->g, w->qy) - r;
    w->lambda = excess > 0 && squares > 0 ? excess / squares : 0;
    for (size_t k = 0; k < w->count; k++) w->target[k] = w->qy[k] - w->lambda * w->g[k];
    solve_r(w, PLAIN, w->target);
}

/* Moves towards the target until a value is zero; returns that column, or count. */
static size_t target_approach(struct tamis_lasso *w, double *moved)
{
    size_t hit = w->count;
    double share = 1;
    for (size_t k = 0; k < w->count; k++) {
        if (w->sign[k] * w->target[k] >= 0) continue;
        double s = w->value[k] / (w->value[k] - w->target[k]);
        if (hit == w->count || s < share) share = s, hit = k;
    }
    for (size_t k = 0; k < w->count; k++) w->value[k] += share * (w->target[k] - w->value[k]);
    *moved = share;
    return hit;
}

/* The column off S that violates |A_j^T e| <= lambda most; p: none. */
static size_t worst_column(const struct tamis_lasso *w, double slack)
{
    size_t worst = w->p;
    double most = w->lambda + slack;
    for (size_t j = 0; j < w->p; j++)
        if (w->state[j] == ZERO && fabs(w->correlation[j]) > most) most = fabs(w->correlation[j]), worst = j;
    return worst;
}

/* A_j = A_S b, target = R b: j is exchanged for the column that reaches zero first, or set aside. */
static void column_exchange(struct tamis_lasso *w, size_t j, double sign)
{
    double gain = 0, step = INFINITY, *b = w->target;
    size_t out = w->count;
    solve_r(w, PLAIN, b);
    for (size_t k = 0; k < w->count; k++) {
        double toward = sign * b[k] * w->sign[k];
        gain += toward;
        if (toward > 0 && fabs(w->value[k]) / toward < step) step = fabs(w->value[k]) / toward, out = k;
    }
    if (!(gain > 1 + 1e-9) || out == w->count) {
        w->state[j] = ASIDE;
        return;
    }
    for (size_t k = 0; k < w->count; k++) w->value[k] -= step * sign * b[k];
    column_drop(w, out);
    if (column_add(w, j, step * sign, sign)) w->state[j] = ASIDE;
}

static void aside_clear(struct tamis_lasso *w)
{
    for (size_t j = 0; j < w->p; j++)
        if (w->state[j] == ASIDE) w->state[j] = ZERO;
}

static int descend(struct tamis_lasso *w, double r)
{
    double slack = violation * sqrt((double)w->n) * tamis_norm(w->n, w->y), moved, best = INFINITY;
    for (size_t i = 0; i < 20 * w->room + 100; i++) {
        target_find(w, r);
        size_t hit = target_approach(w, &moved);
        if (hit < w->count) {
            size_t column = w->active[hit];
            column_drop(w, hit);
            if (!(moved > 0)) w->state[column] = ASIDE;
            w->steps++;
            continue;
        }
        residual_update(w);
        double squares = tamis_dot(w->n, w->residual, w->residual);
        if (!isfinite(squares + tamis_sum_abs(w->p, w->correlation))) return 1;
        if (squares < best * (1 - 1e-12)) aside_clear(w);
        best = fmin(best, squares);
        size_t j = worst_column(w, slack);
        if (j == w->p) return 0;
        double sign = w->correlation[j] > 0 ? 1 : -1;
        if (column_add(w, j, 0, sign)) column_exchange(w, j, sign);
        w->steps++;
    }
    residual_update(w);                         /* iterations ran out: a feasible, nearly optimal point */
    return 0;
}

/* One pass of A_S = Q R by Cholesky of Q^T Q, in place; the triangle into r. Nonzero: too nearly dependent for it. */
static int cholesky_pass(struct tamis_lasso *w, double *r, double far)
{
    size_t k = w->count, n = w->n, ld = w->room;
    tamis_syrk(CblasUpper, TRANS, k, n, 1, w->q, n, 0, r, ld);
    for (size_t j = 0; j < w->count; j++)
        for (size_t i = 0; i <= j; i++)
            if (!(fabs(r[i + w->room * j] - (i == j)) <= far)) return 1;
    if (tamis_cholesky(CblasUpper, k, r, ld)) return 1;
    for (size_t j = 0; j < w->count; j++)
        for (size_t i = j + 1; i < w->count; i++) r[i + w->room * j] = 0;
    tamis_trsm(CblasRight, CblasUpper, PLAIN, n, k, r, ld, w->q, n);
    return 0;
}

/* Factorises all active columns together by two passes of Cholesky, and checks that the second has little to correct.
 * Nonzero: it has too much, and nothing is kept. spare: room x room. */
static int factor_at_once(struct tamis_lasso *w)
{
    double *second = w->spare;
    for (size_t k = 0; k < w->count; k++) {
        const double *a = w->a + w->n * w->active[k];
        memcpy(w->q + w->n * k, a, w->n * sizeof *a);
    }
    if (cholesky_pass(w, w->r, INFINITY) || cholesky_pass(w, second, 0.1 / (double)w->count)) return 1;
    tamis_trmm(w->count, w->count, second, w->room, w->r, w->room);
    tamis_gemv(TRANS, w->n, w->count, 1, w->q, w->n, w->y, 0, w->qy);
    return 0;
}

/* Factorises the active set for the current A, and scales its values to the bound. */
static void warm_start(struct tamis_lasso *w, double r)
{
    size_t count = w->count, kept = 0;
    double scale = fmin(1, r / magnitude(w));
    memset(w->state, ZERO, w->p);
    for (size_t k = 0; k < count; k++) {
        if (w->value[k] * scale == 0) continue;
        w->active[kept] = w->active[k];
        w->value[kept++] = w->value[k] * scale;
    }
    w->count = kept;
    if (kept >= AT_ONCE && !factor_at_once(w)) {
        for (size_t k = 0; k < kept; k++) w->sign[k] = w->value[k] > 0 ? 1 : -1, w->state[w->active[k]] = ACTIVE;
        return;
    }
    w->count = 0;
    for (size_t k = 0; k < kept; k++) column_add(w, w->active[k], w->value[k], w->value[k] > 0 ? 1 : -1);
}

int tamis_lasso_solve(struct tamis_lasso *w, const double *a, const double *y, double r)
{
    w->a = a;
    w->y = y;
    w->steps = 0;
    if (w->count) warm_start(w, r);
    else tamis_lasso_clear(w);
    if (!w->count) path_follow(w, r);
    aside_clear(w);
    return descend(w, r);
}
