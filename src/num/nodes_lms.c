/* Output weights by least mean squares [1] eq. 4, row by row: w += rate (t_i - w^T u_i) u_i for all classes together.
 *
 * An epoch is a linear map of the weights, W <- P W + R, the same P for every class. A block of rows u_1 .. u_B, taken
 * in order, has the errors e that solve
 *
 *     (I + rate L) e = t - U W,   L the part of U U^T below its diagonal,   W <- W + rate U^T e,
 *
 * so that P (from W = I, t = 0) and R (from W = 0) come from matrix products, and so does the sum that E epochs make:
 *
 *     W_E = (I + P + ... + P^(E-1)) R,   W_2k = W_k + P^k W_k,   W_(k+1) = P W_k + R.
 *
 * A row that counts as c rows is presented c times, one time after the other: with the gain g_i in the place of the
 * rate, c steps at once,
 *
 *     g_i = (1 - (1 - rate |u_i|^2)^c) / |u_i|^2,
 *
 * c any positive number; g_i = rate for c = 1. In a block, u_i is then u_i sqrt(g_i / rate), and so is t_i.
 *
 * DIFFERS [1] with many classes: the rows keep one random order in all epochs.
 *
 * [1] J. Basak, S. Mitra: Feature selection using radial basis function networks. Neural Computing & Applications 8,
 *     1999. */
#include <math.h>
#include <string.h>
#include "base/rng.h"
#include "num/lapack.h"
#include "num/nodes.h"
#include "num/weighted.h"

enum { BLOCK = 64 };

size_t tamis_nodes_lms_size(size_t n, size_t m, size_t l)
{
    size_t more = l > TAMIS_MANY_CLASSES ? BLOCK * BLOCK + BLOCK * (m + l) + 2 * m * (m + l) + m * m : 0;
    return n * (m + 1) + more;
}

/* phi, row-major and in the order of the epoch. */
static void rows_fill(size_t n, size_t m, const double *phi, const size_t *order, double *rows)
{
    for (size_t i = 0; i < n; i++)
        for (size_t c = 0; c < m; c++) rows[c + m * i] = phi[order[i] + n * c];
}

static double gain_of(size_t m, const double *u, double rate, double count)
{
    double square = 0.0;
    for (size_t c = 0; c < m; c++) square += u[c] * u[c];
    if (count == 1.0 || !(square > 0.0)) return rate;
    return rate * square < 1.0 ? -expm1(count * log1p(-rate * square)) / square : 1.0 / square;
}

/* ---- row by row ---- */

static void lms_row(size_t m, size_t l, const double *u, size_t label, double rate, double *w)
{
    for (size_t k = 0; k < l; k++) {
        double step = k == label ? 1.0 : 0.0;
        for (size_t c = 0; c < m; c++) step -= u[c] * w[c + m * k];             /* -e_k */
        for (size_t c = 0; c < m; c++) w[c + m * k] += rate * step * u[c];      /* [1] eq. 4 */
    }
}

/* ---- all rows as one map ---- */

struct map {
    size_t m, l;
    double *x;                  /* m x (m + l): P and R */
    double *power, *spare;      /* P^k, m x m; m x (m + l) */
};

/* x after the rows of one block, whose u are multiplied by factor already; gram: BLOCK^2, e: BLOCK x (m + l). */
static void block_pass(const struct map *p, size_t rows, const double *u, const double *factor, const size_t *order,
                       const double *y, double rate, double *gram, double *e)
{
    size_t m = p->m, all = m + p->l;
    tamis_gemm(TRANS, PLAIN, rows, all, m, -1.0, u, m, p->x, m, 0.0, e, rows);
    tamis_gemm(TRANS, PLAIN, rows, rows, m, rate, u, m, u, m, 0.0, gram, rows);
    for (size_t i = 0; i < rows; i++) {
        gram[i * (rows + 1)] = 1.0;
        e[i + rows * (m + (size_t)y[order[i]])] += factor[i];
    }
    tamis_trsm(CblasLeft, CblasLower, PLAIN, rows, all, gram, rows, e, rows);
    tamis_gemm(PLAIN, PLAIN, m, all, rows, rate, u, m, e, rows, 1.0, p->x, m);
}

/* to = to + a b, a m x m, b m x columns; spare: m x columns. */
static void add_product(size_t m, size_t columns, const double *a, const double *b, double *spare, double *to)
{
    memcpy(spare, b, m * columns * sizeof *b);
    tamis_gemm(PLAIN, PLAIN, m, columns, m, 1.0, a, m, spare, m, 1.0, to, m);
}

/* w = W_E from P and R, over the binary digits of E from the second. */
static void epochs_sum(const struct map *p, size_t epochs, double *w)
{
    size_t m = p->m, bit = 1, side = m * p->l * sizeof *w, square = m * m * sizeof *w;
    const double *r = p->x + m * m;
    while (bit <= epochs / 2) bit *= 2;
    memcpy(w, r, side);
    memcpy(p->power, p->x, square);
    for (bit /= 2; bit; bit /= 2) {
        add_product(m, p->l, p->power, w, p->spare, w);
        memcpy(p->spare, p->power, square);
        if (bit > 1) tamis_gemm(PLAIN, PLAIN, m, m, m, 1.0, p->spare, m, p->spare, m, 0.0, p->power, m);
        if (!(epochs & bit)) continue;
        memcpy(p->spare, w, side);
        memcpy(w, r, side);
        tamis_gemm(PLAIN, PLAIN, m, p->l, m, 1.0, p->x, m, p->spare, m, 1.0, w, m);
        memcpy(p->spare, p->power, square);
        if (bit > 1) tamis_gemm(PLAIN, PLAIN, m, m, m, 1.0, p->x, m, p->spare, m, 0.0, p->power, m);
    }
}

/* gain in the order of the epoch becomes what multiplies the rows. */
static void rows_scale(size_t n, size_t m, double rate, double *rows, double *gain)
{
    for (size_t i = 0; i < n; i++) {
        gain[i] = sqrt(gain[i] / rate);
        for (size_t c = 0; c < m; c++) rows[c + m * i] *= gain[i];
    }
}

static void lms_many(size_t n, size_t m, size_t l, const double *phi, const double *y, const double *weight,
                     double rate, size_t epochs, double *work, const size_t *order, double *w)
{
    double *rows = work, *gain = rows + n * m, *gram = gain + n, *e = gram + BLOCK * BLOCK, *x = e + BLOCK * (m + l),
           *power = x + m * (m + l), *spare = power + m * m;
    struct map p = {m, l, x, power, spare};
    rows_fill(n, m, phi, order, rows);
    for (size_t i = 0; i < n; i++) gain[i] = gain_of(m, rows + m * i, rate, tamis_weight_at(weight, order[i]));
    rows_scale(n, m, rate, rows, gain);
    memset(x, 0, m * (m + l) * sizeof *x);
    for (size_t c = 0; c < m; c++) x[c * (m + 1)] = 1.0;
    for (size_t i = 0; i < n; i += BLOCK)
        block_pass(&p, n - i < BLOCK ? n - i : BLOCK, rows + m * i, gain + i, order + i, y, rate, gram, e);
    epochs_sum(&p, epochs, w);
}

void tamis_nodes_lms(size_t n, size_t m, size_t l, const double *phi, const double *y, const double *weight,
                     double rate, size_t epochs, struct tamis_rng *rng, double *work, size_t *order, double *w)
{
    double *gain = work + n * m;
    rate /= tamis_weight_sum(weight, n);
    for (size_t i = 0; i < n; i++) order[i] = i;
    if (l > TAMIS_MANY_CLASSES) {
        tamis_rng_shuffle(rng, order, n);
        lms_many(n, m, l, phi, y, weight, rate, epochs, work, order, w);
        return;
    }
    memset(w, 0, m * l * sizeof *w);
    rows_fill(n, m, phi, order, work);
    for (size_t i = 0; i < n; i++) gain[i] = gain_of(m, work + m * i, rate, tamis_weight_at(weight, i));
    for (size_t e = 0; e < epochs; e++) {
        tamis_rng_shuffle(rng, order, n);
        for (size_t i = 0; i < n; i++)
            lms_row(m, l, work + m * order[i], (size_t)y[order[i]], gain[order[i]], w);
    }
}
