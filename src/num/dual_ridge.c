/* Ridge regression on more inputs than rows, its strength by evidence.
 *
 *     Y = Z w + noise,  w ~ N(0, rho s / d),  noise ~ N(0, s):  Y ~ N(0, s (I + rho K)),  K = Z Z' / d = Q T Q'
 *
 * The eigenvalues e_i of K enter only by sum log(1 + rho e_i) = log |I + rho T| and by
 * sum |(U'Y)_i|^2 / (1 + rho e_i) = tr(X'(I + rho T)^-1 X), X = Q'Y, so that T may be tridiagonal, which takes a
 * quarter of the time of the eigenvectors. I + rho T = M P M' with P diagonal and M unit lower bidiagonal:
 *
 *     p_1 = 1 + rho t_11,  m_i = rho t_i,i-1 / p_i-1,  p_i = 1 + rho t_ii - m_i rho t_i,i-1
 *
 * One rho costs O(n l). At the end alpha = rho Q (I + rho T)^-1 X. A rho so large that a pivot is not positive in
 * floating point is left out. */
#include <math.h>
#include <string.h>
#include "num/blocks.h"
#include "num/lapack.h"

struct dual {
    size_t n, l;
    double rows;                /* what the rows count */
    double *q;                  /* n x n: K, then the reflections of Q */
    double *x;                  /* n x l */
    double *t, *off, *tau;      /* n: diagonal and subdiagonal of T, scales of the reflections */
    double *p, *m;              /* n */
    double *work;
};

static size_t lapack_work(size_t n, size_t l) { return 64 * (n + l) + 65 * 64; }       /* blocks of up to 64 columns */

size_t tamis_dual_size(size_t n, size_t l) { return n * (n + l + 5) + lapack_work(n, l) + TAMIS_ALIGNMENT; }

static void bind(struct dual *r, size_t n, size_t l, double rows, double *work)
{
    *r = (struct dual){.n = n, .l = l, .rows = rows, .q = tamis_aligned(work)};
    r->x = r->q + n * n;
    r->t = r->x + n * l;
    r->off = r->t + n;
    r->tau = r->off + n;
    r->p = r->tau + n;
    r->m = r->p + n;
    r->work = r->m + n;
}

static int reflect(const struct dual *r, const char *op)        /* x = op(Q) x */
{
    return tamis_ormtr(op, r->n, r->l, r->q, r->tau, r->x, r->work, lapack_work(r->n, r->l));
}

static int reduce(const struct dual *r, const double *k, const double *y)
{
    memcpy(r->q, k, r->n * r->n * sizeof *k);
    memcpy(r->x, y, r->n * r->l * sizeof *y);
    return tamis_sytrd(r->n, r->q, r->t, r->off, r->tau, r->work, lapack_work(r->n, r->l)) || reflect(r, "T");
}

/* log |I + rho T|, or NaN */
static double factor(const struct dual *r, double rho)
{
    double sum = 0;
    for (size_t i = 0; i < r->n; i++) {
        double beside = i ? rho * r->off[i - 1] : 0;
        r->m[i] = i ? beside / r->p[i - 1] : 0;
        r->p[i] = 1 + rho * r->t[i] - r->m[i] * beside;
        if (!(r->p[i] > 0)) return NAN;
        sum += log(r->p[i]);
    }
    return sum;
}

/* tr(X'(M P M')^-1 X) */
static double squares(const struct dual *r)
{
    double sum = 0;
    for (size_t o = 0; o < r->l; o++) {
        const double *x = r->x + r->n * o;
        double u = 0;
        for (size_t i = 0; i < r->n; i++) {
            u = x[i] - r->m[i] * u;
            sum += u * u / r->p[i];
        }
    }
    return sum;
}

/* X = (M P M')^-1 X */
static void solve(const struct dual *r)
{
    size_t n = r->n;
    for (size_t o = 0; o < r->l; o++) {
        double *x = r->x + n * o;
        for (size_t i = 1; i < n; i++) x[i] -= r->m[i] * x[i - 1];
        for (size_t i = 0; i < n; i++) x[i] /= r->p[i];
        for (size_t i = n - 1; i-- > 0;) x[i] -= r->m[i + 1] * x[i + 1];
    }
}

/* The best rho, or 0. */
static double search(const struct dual *r, double *evidence)
{
    double count = fmax(1, r->rows - 1) * (double)r->l, best = 0;
    double s0 = tamis_dot(r->n * r->l, r->x, r->x) / count;
    *evidence = -INFINITY;
    for (int k = 0; k <= 44; k++) {
        double rho = pow(10, 0.25 * k - 5), log_det = factor(r, rho);
        if (isnan(log_det)) continue;
        double s = squares(r) / count, value = -0.5 * (count * (log(fmax(s, 1e-280)) + 1) + (double)r->l * log_det);
        if ((best > 0 && s < 1e-3 * s0) || !(value > *evidence)) continue;
        *evidence = value;
        best = rho;
    }
    return best;
}

int tamis_dual_ridge(size_t n, size_t l, double rows, double *k, const double *y, double *alpha, double *evidence,
                     double *work)
{
    struct dual r;
    *evidence = 0;
    if (n == 0 || l == 0) return 0;
    bind(&r, n, l, rows, work);
    if (reduce(&r, k, y)) return 1;
    double rho = search(&r, evidence);
    if (!(rho > 0) || !isfinite(factor(&r, rho))) return 1;
    solve(&r);
    if (reflect(&r, "N")) return 1;
    for (size_t i = 0; i < n * l; i++) alpha[i] = rho * r.x[i];
    return 0;
}
