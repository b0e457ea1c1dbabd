/* QR of [R; B] with R upper triangular; only R is kept.
 *
 * The reflector of column i is I - tau [e_i; v] [e_i; v]^T: it touches R in row i only, so that a block of them is
 * I - [E; V] T [E; V]^T and E costs nothing. Columns are halved recursively [1]: the left half is factored and applied
 * to the right half, the right half is factored, and T of both is [T_1, -T_1 V_1^T V_2 T_2; 0, T_2].
 *
 * [1] Elmroth, Gustavson: Applying recursion to serial and parallel QR factorization leads to better performance.
 *     IBM J. R&D 44, 2000. */
#include "num/qr_update.h"

#include <math.h>
#include <string.h>
#include "num/lapack.h"

enum { PANEL = 64, LEAF = 8 };

struct qr {
    size_t rows, ldr, ldb;
    double *r, *b;
    double *t;          /* PANEL x PANEL */
    double *work;       /* 2 x PANEL x columns */
};

size_t tamis_qr_update_size(size_t columns)
{
    return PANEL * PANEL + 2 * PANEL * (columns > PANEL ? columns : PANEL);
}

/* Applies the reflectors j..j+w-1 to `count` columns from c on: W = T^T (R_j + V^T B), R_j -= W, B -= V W. */
static void apply(const struct qr *s, size_t j, size_t w, const double *t, size_t c, size_t count)
{
    double *v = s->b + j * s->ldb, *b = s->b + c * s->ldb, *r = s->r + j + c * s->ldr, *sum = s->work,
           *turned = sum + w * count;
    for (size_t k = 0; k < count; k++)
        memcpy(sum + k * w, r + k * s->ldr, w * sizeof *sum);
    tamis_gemm(TRANS, PLAIN, w, count, s->rows, 1.0, v, s->ldb, b, s->ldb, 1.0, sum, w);
    tamis_gemm(TRANS, PLAIN, w, count, w, 1.0, t, PANEL, sum, w, 0.0, turned, w);
    for (size_t k = 0; k < count; k++)
        for (size_t i = 0; i < w; i++)
            r[i + k * s->ldr] -= turned[i + k * w];
    tamis_gemm(PLAIN, PLAIN, s->rows, count, w, -1.0, v, s->ldb, turned, w, 1.0, b, s->ldb);
}

/* The reflector that takes [R_jj; b_j] to [beta; 0]: v over b_j, returns tau. */
static double reflector(size_t rows, double *corner, double *b)
{
    double tail = sqrt(tamis_dot(rows, b, b)), head = *corner;
    if (!(tail > 1e-280)) {
        memset(b, 0, rows * sizeof *b);
        return 0.0;
    }
    *corner = -copysign(sqrt(head * head + tail * tail), head);
    tamis_scale(rows, 1.0 / (head - *corner), b);
    return (*corner - head) / *corner;
}

/* Up to LEAF columns one by one; column i of T is -tau_i T (V^T v_i), then tau_i. */
static void factor_leaf(const struct qr *s, size_t j, size_t w, double *t)
{
    double dots[LEAF];
    for (size_t i = 0; i < w; i++) {
        double *v = s->b + (j + i) * s->ldb, *row = s->r + (j + i) * (s->ldr + 1);
        double tau = reflector(s->rows, row, v);
        tamis_gemv(TRANS, s->rows, w, tau, s->b + j * s->ldb, s->ldb, v, 0.0, dots);
        for (size_t k = i + 1; k < w; k++) {
            double along = dots[k] + tau * row[(k - i) * s->ldr];
            row[(k - i) * s->ldr] -= along;
            tamis_axpy(s->rows, -along, v, s->b + (j + k) * s->ldb);
        }
        for (size_t k = 0; k < w; k++) {
            double sum = 0.0;
            for (size_t l = k; l < i; l++)
                sum -= t[k + l * PANEL] * dots[l];
            t[k + i * PANEL] = k < i ? sum : k == i ? tau : 0.0;
        }
    }
}

static void factor(const struct qr *s, size_t j, size_t w, double *t)
{
    if (w <= LEAF) {
        factor_leaf(s, j, w, t);
        return;
    }
    size_t h = w / 2, rest = w - h;
    double *right = t + h * (PANEL + 1), *corner = t + h * PANEL, *cross = s->work, *half = cross + h * rest;
    factor(s, j, h, t);
    apply(s, j, h, t, j + h, rest);
    factor(s, j + h, rest, right);
    tamis_gemm(TRANS, PLAIN, h, rest, s->rows, -1.0, s->b + j * s->ldb, s->ldb, s->b + (j + h) * s->ldb, s->ldb, 0.0,
               cross, h);
    tamis_gemm(PLAIN, PLAIN, h, rest, h, 1.0, t, PANEL, cross, h, 0.0, half, h);
    tamis_gemm(PLAIN, PLAIN, h, rest, rest, 1.0, half, h, right, PANEL, 0.0, corner, PANEL);
    for (size_t k = 0; k < h; k++)
        memset(t + h + k * PANEL, 0, rest * sizeof *t);
}

void tamis_qr_update(size_t rows, size_t columns, double *r, size_t ldr, double *b, size_t ldb, double *work)
{
    struct qr s = {rows, ldr, ldb, r, b, work, work + PANEL * PANEL};
    for (size_t j = 0; j < columns; j += PANEL) {
        size_t w = columns - j < PANEL ? columns - j : PANEL, next = j + w;
        factor(&s, j, w, s.t);
        if (next < columns)
            apply(&s, j, w, s.t, next, columns - next);
    }
}
