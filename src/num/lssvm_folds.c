/* Least squares support vector machine with bias: cross-validation from one tridiagonal reduction.
 *
 *     [0  1^T        ] [b   ]   [0]
 *     [1  K + I/gamma] [beta] = [y]                                                                   [1] eqs. (4), (5)
 *
 * beta = C y with C = Q2 (Q2^T K Q2 + I/gamma)^-1 Q2^T, Q2 any orthonormal basis of the vectors that sum to 0. The
 * reduction of loo_reduce.c starts by mapping the vector of ones to e1, so its Q = [1/sqrt(n) | Q2] serves, and
 * Q2^T K Q2 is tridiagonal (T without its first row and column, T2). For P = C / gamma, with the bidiagonal Cholesky
 * factor L L^T = I + gamma T2,
 *
 *     P = Z^T Z,   Z = L^-1 Q2^T        (a one-term recurrence for each row of Q2)
 *
 * and the machine trained without the rows F predicts them with the residuals
 *
 *     e_F = (C_FF)^-1 beta_F = (P_FF)^-1 (P y)_F                                                              [2]
 *
 * Directions without kernel (rank r < n) have P = I: they are columns r.. of the full Q, so that nothing is ever
 * subtracted. Schur complements of I + gamma T2 are at least 1; values that rounding takes below 1 are reset to 1.
 *
 * A row of weight w has w gamma in place of gamma. With V = diag(sqrt(w)), beta = V beta', this is the same system in
 * V K V, V y and sqrt(w) instead of K, y and 1, so that errors are sqrt(w) e.
 *
 * [1] Tikka: Simultaneous input variable and basis function selection for RBF networks. Neurocomputing 72, 2009.
 * [2] An, Liu, Venkatesh: Fast cross-validation algorithms for least squares support vector machine and kernel ridge
 *     regression. Pattern Recognition 40, 2007 (leave-one-out: Cawley, Talbot, Neural Networks 17, 2004). */
#include "num/lssvm_folds.h"

#include <math.h>
#include <string.h>
#include "base/watch.h"
#include "num/gauss.h"
#include "num/cholesky.h"
#include "num/lapack.h"
#include "num/loo_inside.h"

enum {
    GROUP = 8,          /* gammas for which a panel stays in cache */
    SMALL = 32          /* up to this many rows, plain loops beat the recursive factorisation */
};

static int leave_one_out(const struct tamis_lssvm_data *d) { return d->folds->count == d->n; }

/* Rows that pass together: a fold, or in leave-one-out a strip of rows. */
static size_t panels(const struct tamis_lssvm_data *d)
{
    return leave_one_out(d) ? (d->n + STRIP - 1) / STRIP : d->folds->count;
}

static size_t panel_start(const struct tamis_lssvm_data *d, size_t p)
{
    if (!leave_one_out(d)) return d->folds->start[p];
    return p * STRIP < d->n ? p * STRIP : d->n;
}

static size_t panel_rows(const struct tamis_lssvm_data *d, size_t p)
{
    return panel_start(d, p + 1) - panel_start(d, p);
}

static size_t largest_panel(const struct tamis_lssvm_data *d)
{
    size_t most = 0;
    for (size_t p = 0; p < panels(d); p++) most = panel_rows(d, p) > most ? panel_rows(d, p) : most;
    return most;
}

static size_t rest_size(const struct tamis_lssvm_data *d)
{
    size_t sum = 0;
    for (size_t p = 0; p < panels(d); p++)
        sum += leave_one_out(d) ? panel_rows(d, p) : panel_rows(d, p) * panel_rows(d, p);
    return sum;
}

size_t tamis_lssvm_size(const struct tamis_lssvm_data *d)
{
    size_t n = d->n, c = d->outputs, m = largest_panel(d);
    return tamis_loo_size(n) + 2 * n * c + rest_size(d) + GROUP * n * (2 + c) + m * n + m * m + m * c;
}

void tamis_lssvm_bind(struct tamis_lssvm *w, const struct tamis_lssvm_data *d, double *memory)
{
    size_t n = d->n, c = d->outputs, m = largest_panel(d);
    w->data = *d;
    tamis_loo_bind(&w->t, n, memory);
    tamis_loo_weigh(&w->t, d->root, d->total);
    w->qy = memory + tamis_loo_size(n);
    w->rest_y = w->qy + n * c;
    w->rest = w->rest_y + n * c;
    w->factor = w->rest + rest_size(d);
    w->z = w->factor + GROUP * n * (2 + c);
    w->block = w->z + m * n;
    w->e = w->block + m * m;
}

double *tamis_lssvm_kernel(struct tamis_lssvm *w) { return w->t.q; }
size_t tamis_lssvm_ld(const struct tamis_lssvm *w) { return w->t.stride; }

/* ---- the reduction ---- */

/* Rows of Q panel by panel, each m x n column-major, over the reflectors, which are no longer needed. */
static void panels_pack(struct tamis_lssvm *w)
{
    const struct tamis_lssvm_data *d = &w->data;
    double *to = w->t.v;
    for (size_t p = 0; p < panels(d) && !tamis_halted(10.0 * (double)(d->n * panel_rows(d, p))); p++)
        for (size_t k = 0; k < d->n; k++) {
            const double *q = w->t.q + k * w->t.stride;
            for (size_t i = panel_start(d, p); i < panel_start(d, p + 1); i++) *to++ = q[d->folds->row[i]];
        }
}

static void add_squares(size_t m, size_t columns, const double *z, double *sum)
{
    for (size_t k = 0; k < columns; k++)
        for (size_t i = 0; i < m; i++) sum[i] += z[i + k * m] * z[i + k * m];
}

/* sum += z z^T, lower triangle; in leave-one-out the diagonal alone. */
static void add_products(const struct tamis_lssvm_data *d, size_t m, size_t columns, const double *z, double *sum)
{
    if (leave_one_out(d)) add_squares(m, columns, z, sum);
    else if (columns) tamis_syrk(CblasLower, PLAIN, m, columns, 1.0, z, m, 1.0, sum, m);
}

static void rest_fill(struct tamis_lssvm *w)
{
    const struct tamis_lssvm_data *d = &w->data;
    size_t n = d->n, r = w->t.rank;
    double *rest = w->rest, *rest_y = w->rest_y;
    memset(rest, 0, rest_size(d) * sizeof *rest);
    memset(rest_y, 0, n * d->outputs * sizeof *rest_y);
    for (size_t p = 0; p < panels(d) && r < n; p++) {
        size_t m = panel_rows(d, p);
        const double *q = w->t.v + panel_start(d, p) * n + r * m;
        add_products(d, m, n - r, q, rest);
        tamis_gemm(PLAIN, PLAIN, m, d->outputs, n - r, 1.0, q, m, w->qy + r, n, 0.0, rest_y, m);
        rest += leave_one_out(d) ? m : m * m;
        rest_y += m * d->outputs;
    }
}

int tamis_lssvm_reduce(struct tamis_lssvm *w)
{
    size_t n = w->data.n;
    double check = 0.0;
    tamis_loo_tridiagonal(&w->t);
    tamis_loo_form_q(&w->t, n);
    if (tamis_halted(0)) return 1;
    tamis_gemm(TRANS, PLAIN, n, w->data.outputs, n, 1.0, w->t.q, w->t.stride, w->data.y, n, 0.0, w->qy, n);
    panels_pack(w);
    if (tamis_halted(0)) return 1;
    rest_fill(w);
    for (size_t k = 0; k < w->t.rank; k++) check += 0.0 * w->t.diagonal[k];
    for (size_t k = 0; k < n * w->data.outputs; k++) check += 0.0 * w->qy[k];
    return check != 0.0;
}

int tamis_lssvm_gauss(struct tamis_lssvm *w, const double *d2, double sigma2)
{
    size_t n = w->data.n;
    for (size_t j = 0; j < n; j++) {
        if (tamis_halted(20.0 * (double)(n - j))) return 1;
        tamis_exp_scale(n - j, d2 + j + j * n, 1.0 / sigma2, w->t.q + j * (w->t.stride + 1));
    }
    return tamis_lssvm_reduce(w);
}

/* ---- one gamma ---- */

/* L of I + gamma T2 as inverse[k] = 1 / L_kk, below[k] = L_k,k-1, and x = L^-1 Q2^T y (rank - 1 values per output,
 * leading dimension n). */
static void factorise(const struct tamis_lssvm *w, double gamma, double *inverse, double *below, double *x)
{
    size_t n = w->data.n, size = w->t.rank - 1;
    for (size_t k = 0; k < size; k++) {
        below[k] = k ? gamma * w->t.beside[k] * inverse[k - 1] : 0.0;
        inverse[k] = 1.0 / sqrt(fmax(1.0 + gamma * w->t.diagonal[k + 1] - below[k] * below[k], 1.0));
    }
    for (size_t c = 0; c < w->data.outputs; c++)
        for (size_t k = 0; k < size; k++)
            x[k + c * n] = (w->qy[k + 1 + c * n] - (k ? below[k] * x[k - 1 + c * n] : 0.0)) * inverse[k];
}

/* Z of one panel: z_k = (q_k - below_k z_(k-1)) / L_kk, m values per column; q starts at the column of the ones. */
TAMIS_CLONES
static void panel_pass(size_t m, size_t size, const double *restrict q, const double *inverse, const double *below,
                       double *restrict z)
{
    for (size_t i = 0; size && i < m; i++) z[i] = q[m + i] * inverse[0];
    for (size_t k = 1; k < size; k++) {
        const double *from = q + (k + 1) * m, *last = z + (k - 1) * m;
        double *to = z + k * m, scale = inverse[k], step = below[k] * inverse[k];
        for (size_t i = 0; i < m; i++) to[i] = from[i] * scale - step * last[i];
    }
}

/* a = L L^T in its lower triangle, and x = a^-1 x. Nonzero: not positive definite. */
static int solve_small(size_t m, size_t columns, double *a, double *x)
{
    for (size_t j = 0; j < m; j++) {
        double *column = a + j * m;
        if (!(column[j] > 0.0)) return 1;
        double scale = 1.0 / sqrt(column[j]);
        for (size_t i = j; i < m; i++) column[i] *= scale;
        for (size_t k = j + 1; k < m; k++)
            for (size_t i = k; i < m; i++) a[i + k * m] -= column[i] * column[k];
        for (size_t c = 0; c < columns; c++) {
            double *y = x + c * m, head = y[j] / column[j];
            for (size_t i = j + 1; i < m; i++) y[i] -= column[i] * head;
            y[j] = head;
        }
    }
    for (size_t c = 0; c < columns; c++)
        for (size_t j = m; j-- > 0;) {
            double *y = x + c * m, sum = y[j];
            for (size_t i = j + 1; i < m; i++) sum -= a[i + j * m] * y[i];
            y[j] = sum / a[j + j * m];
        }
    return 0;
}

/* w->e of panel p from P_FF in w->block and (P y)_F in w->e. */
static int panel_solve(struct tamis_lssvm *w, size_t m)
{
    size_t c = w->data.outputs;
    if (leave_one_out(&w->data)) {
        for (size_t i = 0; i < m; i++)
            for (size_t k = 0; k < c; k++) w->e[i + k * m] /= w->block[i];
        return 0;
    }
    if (m <= SMALL) return solve_small(m, c, w->block, w->e);
    if (tamis_cholesky(CblasLower, m, w->block, m)) return 1;
    tamis_cholesky_solve(m, w->block, m, c, w->e, m);
    return 0;
}

/* to = scale a x + keep to, a: rows x size, x: size x outputs. */
static void times(size_t rows, size_t size, size_t outputs, double scale, const double *a, size_t lda, const double *x,
                  size_t ldx, double keep, double *to, size_t ldto)
{
    if (outputs > TAMIS_MANY_OUTPUTS)
        tamis_gemm(PLAIN, PLAIN, rows, outputs, size, scale, a, lda, x, ldx, keep, to, ldto);
    else
        for (size_t c = 0; c < outputs; c++)
            tamis_gemv(PLAIN, rows, size, scale, a, lda, x + c * ldx, keep, to + c * ldto);
}

/* w->e: the residuals of panel p. rest: where its share of w->rest starts. */
static int panel_residuals(struct tamis_lssvm *w, size_t p, const double *rest, const double *inverse,
                           const double *below, const double *x)
{
    const struct tamis_lssvm_data *d = &w->data;
    size_t n = d->n, m = panel_rows(d, p), size = w->t.rank - 1;
    if (tamis_halted(4.0 * (double)m * (double)size)) return 1;
    panel_pass(m, size, w->t.v + panel_start(d, p) * n, inverse, below, w->z);
    memcpy(w->block, rest, (leave_one_out(d) ? m : m * m) * sizeof *rest);
    memcpy(w->e, w->rest_y + panel_start(d, p) * d->outputs, m * d->outputs * sizeof *w->e);
    add_products(d, m, size, w->z, w->block);
    if (size) times(m, size, d->outputs, 1.0, w->z, m, x, n, 1.0, w->e, m);
    return panel_solve(w, m);
}

/* Adds the error of row `row`, the i-th of the panel. */
static void row_error(const struct tamis_lssvm *w, size_t row, size_t i, size_t m, struct tamis_lssvm_error *sum)
{
    const struct tamis_lssvm_data *d = &w->data;
    size_t winner = 0;
    double most = -INFINITY;
    for (size_t c = 0; c < d->outputs; c++) {
        double e = w->e[i + c * m], score = d->y[row + c * d->n] - e;
        sum->squared += e * e;
        if (score > most) most = score, winner = c;
    }
    if (d->class_of && (double)winner != d->class_of[row]) sum->wrong += d->root ? d->root[row] * d->root[row] : 1;
}

static void panel_errors(const struct tamis_lssvm *w, size_t p, int failed, struct tamis_lssvm_error *sum)
{
    size_t first = panel_start(&w->data, p), m = panel_rows(&w->data, p);
    for (size_t i = 0; i < m && !failed; i++) row_error(w, w->data.folds->row[first + i], i, m, sum);
    if (failed) sum->squared = sum->wrong = INFINITY;
}

static void group_errors(struct tamis_lssvm *w, const double *gamma, size_t count, struct tamis_lssvm_error *error)
{
    const struct tamis_lssvm_data *d = &w->data;
    size_t n = d->n, stride = n * (2 + d->outputs);
    const double *rest = w->rest;
    for (size_t g = 0; g < count; g++) {
        double *f = w->factor + g * stride;
        factorise(w, gamma[g], f, f + n, f + 2 * n);
        error[g] = (struct tamis_lssvm_error){0, 0};
    }
    for (size_t p = 0; p < panels(d) && !tamis_halted(0); p++) {
        for (size_t g = 0; g < count; g++) {
            const double *f = w->factor + g * stride;
            panel_errors(w, p, panel_residuals(w, p, rest, f, f + n, f + 2 * n), &error[g]);
        }
        rest += leave_one_out(d) ? panel_rows(d, p) : panel_rows(d, p) * panel_rows(d, p);
    }
    for (size_t g = 0; g < count; g++) {
        error[g].squared /= tamis_lssvm_total(d) * (double)d->outputs;
        error[g].wrong /= tamis_lssvm_total(d);
        if (isnan(error[g].squared)) error[g].squared = error[g].wrong = INFINITY;
    }
}

void tamis_lssvm_errors(struct tamis_lssvm *w, const double *gamma, size_t count, struct tamis_lssvm_error *error)
{
    for (size_t done = 0; done < count; done += GROUP)
        group_errors(w, gamma + done, count - done < GROUP ? count - done : GROUP, error + done);
}

int tamis_lssvm_residuals(struct tamis_lssvm *w, double gamma, double *e)
{
    const struct tamis_lssvm_data *d = &w->data;
    size_t n = d->n;
    const double *rest = w->rest, *f = w->factor;
    factorise(w, gamma, w->factor, w->factor + n, w->factor + 2 * n);
    for (size_t p = 0; p < panels(d); p++) {
        size_t m = panel_rows(d, p);
        if (panel_residuals(w, p, rest, f, f + n, f + 2 * n)) return 1;
        for (size_t c = 0; c < d->outputs; c++)
            for (size_t i = 0; i < m; i++) {
                size_t row = d->folds->row[panel_start(d, p) + i];
                e[row + c * n] = w->e[i + c * m] / (d->root ? d->root[row] : 1);
            }
        rest += leave_one_out(d) ? m : m * m;
    }
    return 0;
}

/* beta = gamma Q2 (I + gamma T2)^-1 Q2^T y; b from the first row of Q^T (K beta + beta / gamma + b 1 - y) = 0, with
 * Q^T 1 = -sqrt(n) e1. */
void tamis_lssvm_weights(struct tamis_lssvm *w, double gamma, double *beta)
{
    size_t n = w->data.n, size = w->t.rank - 1;
    double *inverse = w->factor, *below = inverse + n, *x = below + n;
    factorise(w, gamma, inverse, below, x);
    for (size_t c = 0; c < w->data.outputs; c++) {
        double *u = x + c * n;
        for (size_t k = size; k-- > 0;) u[k] = (u[k] - (k + 1 < size ? below[k + 1] * u[k + 1] : 0.0)) * inverse[k];
        memcpy(u + size, w->qy + size + 1 + c * n, (n - 1 - size) * sizeof *u);         /* P = I there */
        beta[n + c * (n + 1)] = ((size ? gamma * w->t.beside[0] * u[0] : 0.0) - w->qy[c * n]) / sqrt(w->t.total);
    }
    times(n, n - 1, w->data.outputs, gamma, w->t.q + w->t.stride, w->t.stride, x, n, 0.0, beta, n + 1);
    for (size_t c = 0; w->data.root && c < w->data.outputs; c++)
        for (size_t i = 0; i < n; i++) beta[i + c * (n + 1)] *= w->data.root[i];
}
