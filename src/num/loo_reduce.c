/* The reduction behind the leave-one-out error.
 *
 *     K = [G 1],  Q^T G Q = T tridiagonal,  Q^T 1 = -sqrt(n) e1:      K K^T = Q (T^2 + n e1 e1^T) Q^T
 *
 * Q = H_0 H_1 ... H_(r-1): H_0 maps the vector of ones to e1, H_(j+1) clears column j of the remainder below its
 * subdiagonal. As in [2], the pairs of vectors that reflectors take from A are gathered, and A v_j is a product with A
 * as it was, corrected by the pairs. Once there are enough of them, they are taken from A in the same pass as the next
 * product (pair_update.c). G is positive semidefinite, so the remainder is too, and its trace bounds it: once the trace
 * and the coupling to it are at the level of rounding, the remaining directions are dropped (T ends there) and enter P
 * as the identity:
 *
 *     P = lambda Q_1 (T^2 + n e1 e1^T + lambda I)^-1 Q_1^T + (I - Q_1 Q_1^T).
 *
 * The diagonal of the last term is 1 - |row of Q_1|^2, except for rows where digits would cancel: there the unit vector
 * is reflected.
 *
 * With weights (loo.c), G is V G V, 1 is sqrt(w), and n is sum w.
 *
 * [1] Tikka, Hollmen: Selection of important input variables for RBF network using partial derivatives. ESANN 2008.
 * [2] Dongarra, Sorensen, Hammarling: Block reduction of matrices to condensed forms. J. Comp. Appl. Math. 27, 1989. */
#include "num/loo.h"

#include <float.h>
#include <math.h>
#include <string.h>
#include "base/watch.h"
#include "num/lapack.h"
#include "num/loo_inside.h"
#include "num/pair_update.h"

static const double negligible = 1e-280;        /* shorter vectors are 0: far below rounding, far above underflow */
static const double cancels = 1e-3;             /* above this, 1 - |row|^2 keeps 13 digits */

/* V G V, V = diag(root); lower triangle. */
static void weigh_kernel(struct tamis_loo *w)
{
    for (size_t j = 0; w->root && j < w->n; j++)
        for (size_t i = j; i < w->n; i++)
            w->q[i + j * w->stride] *= w->root[i] * w->root[j];
}

/* The pairs of vectors that are still to be taken from A, in vectors of w->stride entries: v_0 s_0 v_1 s_1 ... */
struct pairs { size_t count; double *u; };

static double *pair_at(const struct tamis_loo *w, const struct pairs *p, size_t i)
{
    return p->u + 2 * i * w->stride;
}

/* Zero before row `from`, and from row n on. */
static void vector_pad(const struct tamis_loo *w, size_t from, double *x)
{
    memset(x, 0, from * sizeof *x);
    memset(x + w->n, 0, (w->stride - w->n) * sizeof *x);
}

/* A = G - v s^T - s v^T with v of H_0 = I - tau v v^T, v = (1, c, ..., c), or (1, c root); s = p - (tau / 2)(p.v) v,
 * p = tau G v. */
static void reflect_ones(struct tamis_loo *w, struct pairs *pairs)
{
    size_t n = w->n;
    double root = sqrt(w->total), first = w->root ? w->root[0] : 1.0, *v = pair_at(w, pairs, 0), *s = v + w->stride;
    w->tau[0] = 1.0 + first / root;
    v[0] = 1.0;
    for (size_t i = 1; i < n; i++)
        v[i] = (w->root ? w->root[i] : 1.0) / (first + root);
    vector_pad(w, 0, v);
    vector_pad(w, 0, s);
    memcpy(w->v, v, n * sizeof *v);
    tamis_pair_product(n, 0, w->q, w->stride, v, s);
    tamis_scale(n, w->tau[0], s);
    double half = 0.5 * w->tau[0] * tamis_dot(n, s, v);
    tamis_axpy(n, -half, v, s);
    pairs->count = 1;
}

/* Overwrites x (m >= 1) by v with v[0] = 1 such that (I - tau v v^T) x = beta e1. Returns tau, 0 when x is already a
 * multiple of e1. */
static double reflector(size_t m, double *x, double *beta)
{
    double head = x[0], tail = sqrt(tamis_dot(m - 1, x + 1, x + 1));
    x[0] = 1.0;
    if (!(tail > negligible)) {
        memset(x + 1, 0, (m - 1) * sizeof *x);
        *beta = head;
        return 0.0;
    }
    *beta = -copysign(sqrt(head * head + tail * tail), head);
    tamis_scale(m - 1, 1.0 / (head - *beta), x + 1);
    return (*beta - head) / *beta;
}

/* Column k of A from the diagonal on, less the pairs. */
static void column_update(struct tamis_loo *w, const struct pairs *pairs, size_t k)
{
    double other[2 * TAMIS_PAIR_MOST];
    for (size_t i = 0; i < 2 * pairs->count; i++)
        other[i] = pairs->u[k + (i ^ 1) * w->stride];
    tamis_gemv(PLAIN, w->n - k, 2 * pairs->count, -1.0, pairs->u + k, w->stride, other, 1.0,
               w->q + k * (w->stride + 1));
}

/* s = (A - sum v_i s_i^T + s_i v_i^T) v from row `from` on. As many pairs as there may be are taken from A first. */
static void product(struct tamis_loo *w, struct pairs *pairs, size_t from, const double *v, double *s)
{
    size_t ld = w->stride, rows = w->n - from;
    double dots[2 * TAMIS_PAIR_MOST], other[2 * TAMIS_PAIR_MOST];
    if (pairs->count == TAMIS_PAIR_MOST) {
        tamis_pair_update(w->n, from, w->q, ld, pairs->u, v, s);
        pairs->count = 0;
        return;
    }
    tamis_pair_product(w->n, from, w->q, ld, v, s);
    tamis_gemv(TRANS, rows, 2 * pairs->count, 1.0, pairs->u + from, ld, v + from, 0.0, dots);
    for (size_t i = 0; i < 2 * pairs->count; i++)
        other[i] = dots[i ^ 1];
    tamis_gemv(PLAIN, rows, 2 * pairs->count, -1.0, pairs->u + from, ld, other, 1.0, s + from);
}

/* Column k: its entries of T, the reflector that clears it, and the pair that this takes from A. s = p - (tau / 2)(p.v)
 * v, p = tau A v. */
static void column_reduce(struct tamis_loo *w, struct pairs *pairs, size_t k)
{
    size_t from = k + 1, rows = w->n - from, ld = w->stride;
    double *a = w->q + k * (ld + 1), *v = w->v + from * ld, *s = w->work;
    column_update(w, pairs, k);
    w->diagonal[k] = a[0];
    if (rows == 0)
        return;
    vector_pad(w, from, v);
    memcpy(v + from, a + 1, rows * sizeof *v);
    double tau = w->tau[from] = reflector(rows, v + from, &w->beside[k]);
    if (tau == 0.0)
        return;
    vector_pad(w, from, s);
    product(w, pairs, from, v, s);
    vector_pad(w, from, s);
    tamis_scale(rows, tau, s + from);
    tamis_axpy(rows, -0.5 * tau * tamis_dot(rows, s + from, v + from), v + from, s + from);
    memcpy(pair_at(w, pairs, pairs->count), v, ld * sizeof *v);
    memcpy(pair_at(w, pairs, pairs->count) + ld, s, ld * sizeof *s);
    pairs->count++;
}

static double trace_left(const struct tamis_loo *w, const struct pairs *pairs, size_t k)
{
    double sum = 0.0;
    for (size_t i = k; i < w->n; i++) {
        double a = w->q[i * (w->stride + 1)];
        for (size_t j = 0; j < pairs->count; j++)
            a -= 2.0 * pair_at(w, pairs, j)[i] * pair_at(w, pairs, j)[i + w->stride];
        sum += fabs(a);
    }
    return sum;
}

void tamis_loo_tridiagonal(struct tamis_loo *w)
{
    size_t n = w->n, k = 0;
    double rounding = DBL_EPSILON * w->total;
    struct pairs pairs = {0, w->work + w->stride};
    weigh_kernel(w);
    tamis_pair_prepare(n, w->q, w->stride);
    reflect_ones(w, &pairs);
    while (k < n) {
        for (size_t end = k + PANEL < n ? k + PANEL : n; k < end; k++) {
            if (tamis_halted(4.0 * (double)((n - k) * (n - k)))) {
                w->rank = k ? k : 1;
                return;
            }
            column_reduce(w, &pairs, k);
        }
        if (8 * k <= 7 * n && fabs(w->beside[k - 1]) <= rounding && trace_left(w, &pairs, k) <= rounding)
            break;
    }
    w->rank = k;
}

/* T of the compact form H_0 ... H_(b-1) = I - V T V^T, from S = V^T V: column i is -tau_i T (S e_i), then tau_i. */
TAMIS_CLONES
static void compact_factor(size_t b, const double *restrict s, const double *restrict tau, double *restrict t)
{
    for (size_t i = 0; i < b; i++) {
        double column[BLOCK] = {0.0};
        for (size_t j = 0; j < i; j++) {
            double factor = -tau[i] * s[j + i * b];
            for (size_t l = 0; l < b; l++)
                column[l] += factor * t[l + j * b];
        }
        column[i] = tau[i];
        memcpy(t + i * b, column, b * sizeof *t);
    }
}

/* Q(k:, k:) = (I - V T V^T) [I 0; 0 Q(k+b:, k+b:)], V the b reflectors from k on, `rows` x b; columns: how many of Q
 * are formed. */
static void apply_block(struct tamis_loo *w, size_t k, size_t b, size_t columns)
{
    size_t ld = w->stride, rows = w->n - k, cols = columns - k - b;
    const double *v = w->v + k * (ld + 1);
    double *q = w->q + k * (ld + 1), *beyond = q + b * ld;
    double *s = w->work, *t = s + BLOCK * BLOCK, *x = t + BLOCK * BLOCK, *vq = x + BLOCK * BLOCK,
           *tvq = vq + BLOCK * w->n;
    tamis_gemm(TRANS, PLAIN, b, b, rows, 1.0, v, ld, v, ld, 0.0, s, b);
    compact_factor(b, s, w->tau + k, t);
    if (cols > 0) {
        tamis_gemm(TRANS, PLAIN, b, cols, rows - b, 1.0, v + b, ld, beyond + b, ld, 0.0, vq, b);
        tamis_gemm(PLAIN, PLAIN, b, cols, b, 1.0, t, b, vq, b, 0.0, tvq, b);
        for (size_t j = 0; j < cols; j++)
            memset(beyond + j * ld, 0, b * sizeof *q);
        tamis_gemm(PLAIN, PLAIN, rows, cols, b, -1.0, v, ld, tvq, b, 1.0, beyond, ld);
    }
    tamis_gemm(PLAIN, TRANS, b, b, b, 1.0, t, b, v, ld, 0.0, x, b);
    tamis_gemm(PLAIN, PLAIN, rows, b, b, -1.0, v, ld, x, b, 0.0, q, ld);
    for (size_t j = 0; j < b; j++)
        q[j * (ld + 1)] += 1.0;
}

/* Q = H_0 ... H_(r-1), from the last block of reflectors to the first. */
void tamis_loo_form_q(struct tamis_loo *w, size_t columns)
{
    size_t block = w->n < 256 ? BLOCK / 2 : BLOCK;
    if (tamis_halted(0))
        return;
    for (size_t j = w->rank; j < columns; j++) {
        memset(w->q + j * w->stride, 0, w->n * sizeof *w->q);
        w->q[j * (w->stride + 1)] = 1.0;
    }
    for (size_t end = w->rank; end > 0 && !tamis_halted(0);) {
        size_t k = (end - 1) / block * block;
        apply_block(w, k, end - k, columns);
        for (size_t j = k; j < end; j++)
            memset(w->q + j * w->stride, 0, k * sizeof *w->q);
        end = k;
    }
}

/* x = H_(r-1) ... H_0 x */
static void reflect_all(const struct tamis_loo *w, double *x)
{
    for (size_t j = 0; j < w->rank; j++) {
        const double *v = w->v + j * (w->stride + 1);
        size_t rows = w->n - j;
        tamis_axpy(rows, -w->tau[j] * tamis_dot(rows, v, x + j), v, x + j);
    }
}

/* e = Q^T e for `count` columns, block of reflectors by block: (I - V T^T V^T) e */
static void reflect_columns(const struct tamis_loo *w, size_t count, double *e, double *work)
{
    size_t ld = w->stride, n = w->n;
    double *s = work, *t = s + BLOCK * BLOCK, *x = t + BLOCK * BLOCK, *y = x + BLOCK * ROWS;
    for (size_t k = 0; k < w->rank; k += BLOCK) {
        size_t b = w->rank - k < BLOCK ? w->rank - k : BLOCK;
        const double *v = w->v + k * (ld + 1);
        tamis_gemm(TRANS, PLAIN, b, b, n - k, 1.0, v, ld, v, ld, 0.0, s, b);
        compact_factor(b, s, w->tau + k, t);
        tamis_gemm(TRANS, PLAIN, b, count, n - k, 1.0, v, ld, e + k, n, 0.0, x, b);
        tamis_gemm(TRANS, PLAIN, b, count, b, 1.0, t, b, x, b, 0.0, y, b);
        tamis_gemm(PLAIN, PLAIN, n - k, count, b, -1.0, v, ld, y, b, 1.0, e + k, n);
    }
}

/* Rows i of Q whose part outside Q_1 is small: reflecting e_i makes it a sum of squares instead of a difference. */
static void rest_of_rows(struct tamis_loo *w, size_t count, const size_t *list)
{
    double *e = w->work;
    memset(e, 0, count * w->n * sizeof *e);
    for (size_t j = 0; j < count; j++)
        e[list[j] + j * w->n] = 1.0;
    reflect_columns(w, count, e, e + ROWS * w->n);
    for (size_t j = 0; j < count; j++) {
        const double *outside = e + w->rank + j * w->n;
        w->rest[list[j]] = tamis_dot(w->n - w->rank, outside, outside);
        for (size_t o = 0; o < w->outputs; o++)
            w->rest_y[list[j] + o * w->n] = tamis_dot(w->n - w->rank, outside, w->y + w->rank + o * w->n);
    }
}

static void rest_where_small(struct tamis_loo *w, const double *y)
{
    size_t list[ROWS], count = 0;
    memcpy(w->y, y, w->outputs * w->n * sizeof *y);
    for (size_t o = 0; o < w->outputs; o++)
        reflect_all(w, w->y + o * w->n);
    for (size_t i = 0; i < w->n; i++) {
        if (w->rest[i] < cancels)
            list[count++] = i;
        if (count == ROWS || (i + 1 == w->n && count > 0)) {
            rest_of_rows(w, count, list);
            count = 0;
        }
    }
}

/* Diagonal of I - Q_1 Q_1^T as differences. Returns the least. */
TAMIS_CLONES
static double rest_by_difference(size_t n, size_t r, const double *restrict q, size_t stride, double *restrict rest)
{
    double least = 1.0;
    for (size_t i = 0; i < n; i++)
        rest[i] = 1.0;
    for (size_t k = 0; k < r; k++)
        for (size_t i = 0; i < n; i++)
            rest[i] -= q[i + k * stride] * q[i + k * stride];
    for (size_t i = 0; i < n; i++)
        least = rest[i] < least ? rest[i] : least;
    return least;
}

void tamis_loo_rest(struct tamis_loo *w, const double *y)
{
    size_t n = w->n, r = w->rank, ld = w->stride;
    for (size_t o = 0; o < w->outputs; o++)
        tamis_gemv(TRANS, n, r, 1.0, w->q, ld, y + o * n, 0.0, w->y + o * n);
    memset(w->rest, 0, n * sizeof *w->rest);
    memset(w->rest_y, 0, w->outputs * n * sizeof *w->rest_y);
    if (r == n || tamis_halted(0))
        return;
    double least = rest_by_difference(n, r, w->q, ld, w->rest);
    memcpy(w->rest_y, y, w->outputs * n * sizeof *y);
    for (size_t o = 0; o < w->outputs; o++)
        tamis_gemv(PLAIN, n, r, -1.0, w->q, ld, w->y + o * n, 1.0, w->rest_y + o * n);
    if (least < cancels)
        rest_where_small(w, y);
}
