/* Block variances by evidence (blocks.h), in the scaled form
 *
 *     B = I + D G D / s = L L',  D = diag(sqrt v),  t = D C / s,  u = L^-1 t,  z = L^-T u
 *     A^-1 = D B^-1 D,  log |A| + sum log v_i = log |B|,  b = D z
 *     gamma_i = 1 - (B^-1)_ii = 1 - |column i of L^-1|^2,  sum |b_i|^2 / v_i = |z|^2,  tr(b'C) = s |u|^2
 *     rss = tr(Y'Y) - s |u|^2 - s |z|^2                          from G b = C - s b / v
 *     evidence = -l/2 (n log s + log |B|) - 1/2 (tr(Y'Y) / s - |u|^2)
 *
 * over the features whose variance is above its floor. The others are dead: b = 0, and they stay at the floor. The
 * eigenvalues of B are at least 1, whatever the rank of G.
 *
 * With Q = rss / s + sum |b_i|^2 / v_i, 2 d evidence / d log v_g = sum |b_i|^2 / v_g - l gamma_g and
 * 2 d evidence / d log s = rss / s - l (n - sum gamma): each step of the fixed point has the sign of the slope. A step
 * that lowers the evidence is halved in the logarithms of v and s. Where both slopes are 0, Q = n l, and since
 * Q <= tr(Y'Y) / s, s <= s0, which bounds every step. */
#include "num/blocks.h"

#include <math.h>
#include <string.h>
#include "base/base.h"
#include "num/cholesky.h"
#include "num/lapack.h"

enum { LEAF = 24 };

struct fit {
    struct tamis_blocks *m;
    double s0, floor;
    size_t live;                /* features above the floor */
    double *a;                  /* live x live: B, then L, then L^-1 */
    double *z;                  /* live x l */
    double *root;               /* p: sqrt v of the live features */
    double *before, *after;     /* p: v of each feature before the last step and after it */
    size_t *at;                 /* p: where the live features are */
    double s_before;
};

size_t tamis_blocks_size(size_t p, size_t l) { return p * (p + l + 4); }

static double variance_of(double n, size_t l, double yy) { return fmax(yy / (n * (double)l), 1e-280); }

double tamis_blocks_empty(double n, size_t l, double yy)
{
    return -0.5 * n * (double)l * (log(variance_of(n, l, yy)) + 1);
}

static void bind(struct fit *f, struct tamis_blocks *m, double *work)
{
    memset(f, 0, sizeof *f);
    f->m = m;
    f->s0 = variance_of(m->n, m->l, m->yy);
    f->floor = 1e-9 * f->s0;
    f->z = work;
    f->root = f->z + m->p * m->l;
    f->before = f->root + m->p;
    f->after = f->before + m->p;
    f->at = (size_t *)(void *)(f->after + m->p);
    f->a = f->after + 2 * m->p;
}

/* Variances of another table that were at its floor are dead here, too. */
static void start(const struct fit *f)
{
    struct tamis_blocks *m = f->m;
    for (size_t g = 0; g < m->blocks; g++) {
        if (m->v[g] == 0) m->v[g] = 0.5 * f->s0 / (double)m->p;
        if (m->v[g] <= 2 * f->floor || !(m->yy > 0)) m->v[g] = f->floor;
    }
    if (m->s == 0) m->s = 0.8 * f->s0;
}

/* ---- b, gamma, rss and evidence at v and s ---- */

static void find_live(struct fit *f)
{
    const struct tamis_blocks *m = f->m;
    f->live = 0;
    for (size_t i = 0; i < m->p; i++) {
        double v = m->v[m->block[i]];
        if (v <= f->floor) continue;
        f->root[f->live] = sqrt(v);
        f->at[f->live++] = i;
    }
}

/* B (lower triangle) and t of the live features. */
static void gather(const struct fit *f)
{
    const struct tamis_blocks *m = f->m;
    size_t k = f->live;
    for (size_t j = 0; j < k; j++) {
        const double *from = m->g + f->at[j] * m->ldg;
        double *column = f->a + j * k, scale = f->root[j] / m->s;
        for (size_t i = j; i < k; i++) column[i] = from[f->at[i]] * f->root[i] * scale;
        column[j] += 1;
    }
    for (size_t o = 0; o < m->l; o++)
        for (size_t i = 0; i < k; i++) f->z[i + k * o] = m->c[f->at[i] + m->ldc * o] * f->root[i] / m->s;
}

/* z = op(L)^-1 z; |z|^2 */
static double solve(const struct fit *f, CBLAS_TRANSPOSE op)
{
    size_t k = f->live, l = f->m->l;
    if (l == 1) tamis_trsv(CblasLower, op, k, f->a, k, f->z);
    else if (k) tamis_trsm(CblasLeft, CblasLower, op, k, l, f->a, k, f->z, k);
    return tamis_dot(k * l, f->z, f->z);
}

/* Columns from the last to the first: w_jj = 1 / l_jj, w_j = -W l_j w_jj below, W being what is there already. */
TAMIS_CLONES
static void invert_leaf(size_t n, double *restrict a, size_t lda)
{
    for (size_t j = n; j-- > 0;) {
        double *restrict x = a + j * lda, pivot = x[j] = 1 / x[j];
        for (size_t k = n; --k > j;) {
            const double *w = a + k * lda;
            double factor = -pivot * x[k];
            for (size_t i = k + 1; i < n; i++) x[i] += factor * w[i];
            x[k] = factor * w[k];
        }
    }
}

/* L^-1 in the place of L: [L11; L21 L22]^-1 = [L11^-1; -L22^-1 L21 L11^-1  L22^-1]. n^3 / 3 flops. */
static void invert(size_t n, double *a, size_t lda)
{
    if (n <= LEAF) {
        invert_leaf(n, a, lda);
        return;
    }
    size_t h = (n / 2 + 7) / 8 * 8, rest = n - h;
    double *beside = a + h, *next = a + h * (lda + 1);
    tamis_trsm(CblasLeft, CblasLower, PLAIN, rest, h, next, lda, beside, lda);
    tamis_trsm(CblasRight, CblasLower, PLAIN, rest, h, a, lda, beside, lda);
    for (size_t j = 0; j < h; j++)
        for (size_t i = 0; i < rest; i++) beside[i + j * lda] = -beside[i + j * lda];
    invert(h, a, lda);
    invert(rest, next, lda);
}

static void find_sure(const struct fit *f)
{
    const struct tamis_blocks *m = f->m;
    size_t k = f->live;
    invert(k, f->a, k);
    memset(m->sure, 0, m->blocks * sizeof *m->sure);
    for (size_t i = 0; i < k; i++) {
        const double *w = f->a + i * (k + 1);
        m->sure[m->block[f->at[i]]] += fmax(0, 1 - tamis_dot(k - i, w, w));
    }
}

static void scatter(const struct fit *f)
{
    const struct tamis_blocks *m = f->m;
    if (m->p) memset(m->b, 0, m->p * m->l * sizeof *m->b);
    for (size_t o = 0; o < m->l; o++)
        for (size_t i = 0; i < f->live; i++) m->b[f->at[i] + m->p * o] = f->root[i] * f->z[i + f->live * o];
}

static int evaluate(struct fit *f)
{
    struct tamis_blocks *m = f->m;
    double log_b = 0, l = (double)m->l;
    find_live(f);
    gather(f);
    if (tamis_cholesky(CblasLower, f->live, f->a, f->live)) return 1;
    for (size_t i = 0; i < f->live; i++) log_b += 2 * log(f->a[i * (f->live + 1)]);
    double uu = solve(f, PLAIN), zz = solve(f, TRANS);
    m->rss = fmax(0, m->yy - m->s * (uu + zz));
    m->evidence = -0.5 * l * (m->n * log(m->s) + log_b) - 0.5 * (m->yy / m->s - uu);
    scatter(f);
    find_sure(f);
    return !isfinite(m->evidence) || !isfinite(zz);
}

/* ---- the fixed point ---- */

static void copy_v(const struct fit *f, double *to)
{
    for (size_t i = 0; i < f->m->p; i++) to[i] = f->m->v[f->m->block[i]];
}

static void step(struct fit *f)
{
    struct tamis_blocks *m = f->m;
    double left = m->n, l = (double)m->l;
    copy_v(f, f->before);
    f->s_before = m->s;
    memset(m->v, 0, m->blocks * sizeof *m->v);
    for (size_t o = 0; o < m->l; o++)
        for (size_t i = 0; i < m->p; i++) m->v[m->block[i]] += m->b[i + m->p * o] * m->b[i + m->p * o];
    for (size_t g = 0; g < m->blocks; g++) {
        m->v[g] = fmax(m->v[g] / fmax(l * m->sure[g], 1e-3), f->floor);
        left -= m->sure[g];
    }
    m->s = left > 0 ? fmin(fmax(m->rss / (l * left), 1e-3 * f->s0), f->s0) : f->s0;
}

static void halve_step(const struct fit *f)
{
    struct tamis_blocks *m = f->m;
    copy_v(f, f->after);
    for (size_t i = 0; i < m->p; i++) m->v[m->block[i]] = sqrt(f->before[i] * f->after[i]);
    m->s = sqrt(f->s_before * m->s);
}

static void undo_step(const struct fit *f)
{
    for (size_t i = 0; i < f->m->p; i++) f->m->v[f->m->block[i]] = f->before[i];
    f->m->s = f->s_before;
}

int tamis_blocks_fit(struct tamis_blocks *m, size_t rounds, double gain, double *work)
{
    struct fit f;
    double best, gained = INFINITY, loss = 0;           /* a fall of at most `loss` is rounding, or convergence */
    if (!(m->n > 0) || !isfinite(m->yy)) return 1;
    bind(&f, m, work);
    start(&f);
    if (evaluate(&f)) return 1;
    best = m->evidence;
    for (size_t r = 0; r < rounds && (gained >= gain || gained < -loss); r++) {
        if (gained < -loss) halve_step(&f);
        else best = m->evidence, step(&f);
        if (evaluate(&f)) return 1;
        gained = m->evidence - best;
        loss = fmax(gain, 1e-10 * (fabs(best) + m->n));
    }
    if (gained >= -loss) return 0;
    undo_step(&f);
    return evaluate(&f);
}
