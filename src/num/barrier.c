/* Algorithm 3 of [1], for all variables at once (Algorithm 1) or for some of them (Algorithm 2).
 *
 * With u = s + alpha, v = s - alpha, kappa = mu / M and S = mu / (r - sum s):
 *
 *     dB/dalpha = kappa (1/v - 1/u),   dB/ds = S - kappa (1/u + 1/v),   dB/dw_i = mu / (t - sum w) - (mu / d) / w_i,
 *     B_aa = kappa (1/u^2 + 1/v^2) = B_ss apart from S^2/mu 1 1^T,      B_as = c = kappa (1/u^2 - 1/v^2).
 *
 * s is eliminated from (H + lambda I) p = -g: with h = kappa (1/u^2 + 1/v^2) + lambda the diagonal of alpha becomes
 * (2 kappa/u^2 + lambda)(2 kappa/v^2 + lambda) / h, and the term of r - sum s becomes a matrix of rank one. The system
 * to factorise is then of order M + 1 + d, and nothing like s^2 - alpha^2 is ever formed.
 *
 * [1] J. Tikka, Simultaneous input variable and basis function selection for RBF networks, Neurocomputing 72 (2009),
 *     eq. (14), appendix A.
 * DIFFERS [1] step 4: the set is open; 0.99 of the way to its boundary. "l <= 50": at most 50 iterations.
 * DIFFERS [1] step 5: the predicted decrease is that of the quadratic model without lambda. */
#include "num/barrier.h"

#include <math.h>
#include <string.h>
#include "num/cholesky.h"
#include "num/lapack.h"

static size_t padded(size_t k) { return (k + 7) / 8 * 8; }

size_t tamis_barrier_size(size_t n, size_t m, size_t d)
{
    size_t p = m + 1;
    return 2 * padded(n * (p + d)) + 2 * padded((p + d) * (p + d)) + 4 * padded(2 * p + d) + 2 * padded(n) +
           padded((n + m) * d + 2 * n * d) + 2 * padded(p + d) + padded(p);
}

static double *take(double **at, size_t count)
{
    double *p = *at;
    *at += padded(count);
    return p;
}

void tamis_barrier_bind(struct tamis_barrier *b, const struct tamis_wnet *net, const double *y, double r, double t,
                        double *memory)
{
    size_t n = net->n, p = net->m + 1, d = net->d;
    int moves = TAMIS_BARRIER_ALPHA | TAMIS_BARRIER_WEIGHTS;
    *b = (struct tamis_barrier){.net = net, .y = y, .r = r, .t = t, .moves = moves, .p = p, .d = d};
    b->theta = take(&memory, 2 * p + d);
    b->alpha = b->theta;
    b->s = b->theta + p;
    b->w = b->theta + 2 * p;
    b->g = take(&memory, 2 * p + d);
    b->step = take(&memory, 2 * p + d);
    b->trial = take(&memory, 2 * p + d);
    b->basis = take(&memory, n * (p + d));
    b->new_basis = take(&memory, n * (p + d));
    b->h = take(&memory, 2 * padded((p + d) * (p + d)));
    b->e = take(&memory, n);
    b->new_e = take(&memory, n);
    b->work = take(&memory, (n + net->m) * d + 2 * n * d);
    b->rank = take(&memory, p);
    b->columns = (size_t *)(void *)take(&memory, p + d);
    b->all = (size_t *)(void *)take(&memory, p + d);
    for (size_t j = 0; j < p + d; j++) b->all[j] = j;
}

/* ---- the value ---- */

/* mu (B1 + B2), of the variables that move; NAN outside the bounds. */
static double barriers(const struct tamis_barrier *b, const double *theta)
{
    const double *alpha = theta, *s = theta + b->p, *w = s + b->p;
    double sum = 0, logs = 0, one = 0, two = 0;
    for (size_t m = 0; m < b->p; m++) {
        if (!(s[m] + alpha[m] > 0 && s[m] - alpha[m] > 0)) return NAN;
        sum += s[m];
        logs += log(s[m] + alpha[m]) + log(s[m] - alpha[m]);
    }
    one = -log(b->r - sum) - logs / (double)(b->p - 1);
    sum = logs = 0;
    for (size_t i = 0; i < b->d; i++) {
        if (!(w[i] > 0)) return NAN;
        sum += w[i];
        logs += log(w[i]);
    }
    two = -log(b->t - sum) - logs / (double)b->d;
    return b->mu * ((b->moves & TAMIS_BARRIER_ALPHA ? one : 0) + (b->moves & TAMIS_BARRIER_WEIGHTS ? two : 0));
}

/* E at theta; fresh: the basis belongs to other weights and is recomputed. */
static double error_at(struct tamis_barrier *b, const double *theta, int fresh, double *basis, double *e)
{
    size_t n = b->net->n;
    if (fresh) tamis_wnet_basis(b->net, theta + 2 * b->p, b->work, b->columns, basis);
    memcpy(e, b->y, n * sizeof *e);
    tamis_gemv(PLAIN, n, b->p, -1, basis, n, theta, 1, e);
    b->evaluations++;
    return tamis_dot(n, e, e) / (double)n;
}

int tamis_barrier_start(struct tamis_barrier *b)
{
    b->error = error_at(b, b->theta, 1, b->basis, b->e);
    b->value = b->error + barriers(b, b->theta);
    return !isfinite(b->value);
}

/* ---- derivatives ---- */

static void gradient(struct tamis_barrier *b)
{
    size_t n = b->net->n, p = b->p;
    double kappa = b->mu / (double)(p - 1), left = b->r, free = b->t, *g = b->g;
    memset(g, 0, (2 * p + b->d) * sizeof *g);
    if (b->moves & TAMIS_BARRIER_ALPHA) {
        for (size_t m = 0; m < p; m++) left -= b->s[m];
        tamis_gemv(TRANS, n, p, -2 / (double)n, b->basis, n, b->e, 0, g);
        for (size_t m = 0; m < p; m++) {
            double u = b->s[m] + b->alpha[m], v = b->s[m] - b->alpha[m];
            g[m] += kappa * (1 / v - 1 / u);
            g[p + m] = b->mu / left - kappa * (1 / u + 1 / v);
        }
    }
    if (b->moves & TAMIS_BARRIER_WEIGHTS) {
        for (size_t i = 0; i < b->d; i++) free -= b->w[i];
        tamis_gemv(TRANS, n, b->d, -2 / (double)n, b->basis + n * p, n, b->e, 0, g + 2 * p);
        for (size_t i = 0; i < b->d; i++) g[2 * p + i] += b->mu / free - b->mu / (double)b->d / b->w[i];
    }
}

/* The columns of the basis that move: the first in *from; returns how many. */
static size_t moving(const struct tamis_barrier *b, size_t *from)
{
    *from = b->moves & TAMIS_BARRIER_ALPHA ? 0 : b->p;
    return (b->moves & TAMIS_BARRIER_WEIGHTS ? b->p + b->d : b->p) - *from;
}

void tamis_barrier_derivatives(struct tamis_barrier *b)
{
    size_t n = b->net->n, from, k = moving(b, &from);
    if (b->moves & TAMIS_BARRIER_WEIGHTS)
        tamis_wnet_derivatives(b->net, b->basis, b->all, b->alpha, b->p, b->e, b->all, b->d, b->work,
                               b->basis + n * b->p, NULL, NULL);
    gradient(b);
    tamis_syrk(CblasLower, TRANS, k, n, 2 / (double)n, b->basis + n * from, n, 0, b->h, k);
}

/* ---- the step ---- */

/* Adds the barriers of alpha and s, s eliminated, to factor (k x k) and to the right-hand side. */
static void add_alpha(struct tamis_barrier *b, double lambda, size_t k, double *factor, double *right)
{
    size_t p = b->p;
    double kappa = b->mu / (double)(p - 1), left = b->r, inverse = 0, pull = 0;
    for (size_t m = 0; m < p; m++) left -= b->s[m];
    double rho = b->mu / (left * left);
    for (size_t m = 0; m < p; m++) {
        double u = b->s[m] + b->alpha[m], v = b->s[m] - b->alpha[m], uu = kappa / (u * u), vv = kappa / (v * v),
               h = uu + vv + lambda, c = uu - vv;
        factor[m * (k + 1)] += (2 * uu + lambda) * (2 * vv + lambda) / h;
        b->rank[m] = c / h;
        right[m] = -b->g[m] + c / h * b->g[p + m];
        inverse += 1 / h;
        pull += b->g[p + m] / h;
    }
    double weight = rho / (1 + rho * inverse);
    for (size_t m = 0; m < p; m++) right[m] -= weight * pull * b->rank[m];
    tamis_syr(p, weight, b->rank, factor, k);
}

/* s from alpha: (D + rho 1 1^T) p_s = -g_s - c p_alpha */
static void back_to_s(struct tamis_barrier *b, double lambda)
{
    size_t p = b->p;
    double kappa = b->mu / (double)(p - 1), left = b->r, inverse = 0, sum = 0;
    for (size_t m = 0; m < p; m++) left -= b->s[m];
    double rho = b->mu / (left * left);
    for (size_t m = 0; m < p; m++) {
        double u = b->s[m] + b->alpha[m], v = b->s[m] - b->alpha[m], uu = kappa / (u * u), vv = kappa / (v * v),
               h = uu + vv + lambda;
        b->step[p + m] = (-b->g[p + m] - (uu - vv) * b->step[m]) / h;
        b->rank[m] = 1 / h;
        inverse += 1 / h;
        sum += b->step[p + m];
    }
    for (size_t m = 0; m < p; m++) b->step[p + m] -= rho * sum / (1 + rho * inverse) * b->rank[m];
}

static void add_weights(const struct tamis_barrier *b, double lambda, size_t k, double *factor, double *right)
{
    double free = b->t, each = b->mu / (double)b->d;
    for (size_t i = 0; i < b->d; i++) free -= b->w[i];
    for (size_t j = 0; j < b->d; j++) {
        for (size_t i = j; i < b->d; i++) factor[i + k * j] += b->mu / (free * free);
        factor[j * (k + 1)] += each / (b->w[j] * b->w[j]) + lambda;
        right[j] = -b->g[2 * b->p + j];
    }
}

int tamis_barrier_step(struct tamis_barrier *b, double lambda, double *factor)
{
    size_t p = b->p, from, k = moving(b, &from), at = b->moves & TAMIS_BARRIER_ALPHA ? p : 0;
    double *right = b->trial;
    memcpy(factor, b->h, k * k * sizeof *factor);
    memset(b->step, 0, (2 * p + b->d) * sizeof *b->step);
    if (b->moves & TAMIS_BARRIER_ALPHA) add_alpha(b, lambda, k, factor, right);
    if (b->moves & TAMIS_BARRIER_WEIGHTS) add_weights(b, lambda, k, factor + at * (k + 1), right + at);
    if (tamis_cholesky(CblasLower, k, factor, k)) return 1;
    tamis_cholesky_solve(k, factor, k, 1, right, k);
    if (b->moves & TAMIS_BARRIER_ALPHA) {
        memcpy(b->step, right, p * sizeof *right);
        back_to_s(b, lambda);
    }
    if (b->moves & TAMIS_BARRIER_WEIGHTS) memcpy(b->step + 2 * p, right + at, b->d * sizeof *right);
    return 0;
}

double tamis_barrier_curvature(const struct tamis_barrier *b)
{
    size_t n = b->net->n, p = b->p;
    const double *pa = b->step, *ps = b->step + p, *pw = b->step + 2 * p;
    double kappa = b->mu / (double)(p - 1), left = b->r, free = b->t, sum = 0, q = 0, *f = b->new_e;
    memset(f, 0, n * sizeof *f);
    tamis_gemv(PLAIN, n, p, 1, b->basis, n, pa, 0, f);
    if (b->moves & TAMIS_BARRIER_WEIGHTS) tamis_gemv(PLAIN, n, b->d, 1, b->basis + n * p, n, pw, 1, f);
    q = 2 * tamis_dot(n, f, f) / (double)n;
    if (b->moves & TAMIS_BARRIER_ALPHA) {
        for (size_t m = 0; m < p; m++) {
            double u = b->s[m] + b->alpha[m], v = b->s[m] - b->alpha[m], pu = (ps[m] + pa[m]) / u,
                   pv = (ps[m] - pa[m]) / v;
            q += kappa * (pu * pu + pv * pv);
            left -= b->s[m];
            sum += ps[m];
        }
        q += b->mu * (sum / left) * (sum / left);
    }
    if (!(b->moves & TAMIS_BARRIER_WEIGHTS)) return q;
    sum = 0;
    for (size_t i = 0; i < b->d; i++) {
        q += b->mu / (double)b->d * (pw[i] / b->w[i]) * (pw[i] / b->w[i]);
        free -= b->w[i];
        sum += pw[i];
    }
    return q + b->mu * (sum / free) * (sum / free);
}

/* ---- Algorithm 3 ---- */

static void limit(double now, double step, double *most)        /* now + most step > 0 */
{
    if (step < 0 && now < -step * *most) *most = now / -step;
}

/* [1] step 4: how far the point may go along the step. */
static double to_boundary(const struct tamis_barrier *b)
{
    double most = 1e300, left = b->r, drop = 0;
    const double *pa = b->step, *ps = pa + b->p, *pw = ps + b->p;
    for (size_t m = 0; m < b->p; m++) {
        limit(b->s[m] + b->alpha[m], ps[m] + pa[m], &most);
        limit(b->s[m] - b->alpha[m], ps[m] - pa[m], &most);
        left -= b->s[m];
        drop -= ps[m];
    }
    limit(left, drop, &most);
    left = b->t;
    drop = 0;
    for (size_t i = 0; i < b->d; i++) {
        limit(b->w[i], pw[i], &most);
        left -= b->w[i];
        drop -= pw[i];
    }
    limit(left, drop, &most);
    return most;
}

int tamis_barrier_iterate(struct tamis_barrier *b, double *lambda)
{
    size_t total = 2 * b->p + b->d, cells = padded((b->p + b->d) * (b->p + b->d));
    tamis_barrier_derivatives(b);
    if (tamis_barrier_step(b, *lambda, b->h + cells)) {
        *lambda *= 2;
        return 0;
    }
    b->bound = to_boundary(b);
    b->delta = fmin(1, 0.99 * b->bound);
    double promise = -b->delta * (tamis_dot(total, b->g, b->step) + b->delta * tamis_barrier_curvature(b) / 2);
    memcpy(b->trial, b->theta, total * sizeof *b->trial);
    tamis_axpy(total, b->delta, b->step, b->trial);
    int fresh = b->moves & TAMIS_BARRIER_WEIGHTS;
    double error = error_at(b, b->trial, fresh, fresh ? b->new_basis : b->basis, b->new_e),
           value = error + barriers(b, b->trial);
    b->ratio = (b->value - value) / promise;
    if (b->ratio > 0.75) *lambda /= 2;
    if (!(b->ratio >= 0.25)) *lambda *= 2;
    if (!(value < b->value)) return 0;
    memcpy(b->theta, b->trial, total * sizeof *b->theta);
    memcpy(b->e, b->new_e, b->net->n * sizeof *b->e);
    if (fresh) {
        double *old = b->basis;
        b->basis = b->new_basis;
        b->new_basis = old;
    }
    b->value = value;
    b->error = error;
    return 1;
}

void tamis_barrier_minimise(struct tamis_barrier *b)
{
    double lambda = 1, past[5];
    for (size_t l = 0; l < 50; l++) {
        double five_ago = past[l % 5];
        if (l >= 5 && five_ago - b->value < 1e-4 * fabs(five_ago)) break;
        past[l % 5] = b->value;
        tamis_barrier_iterate(b, &lambda);
    }
}
