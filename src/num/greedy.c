/* Greedy choice of basis functions.
 *
 *     MRE(S) = sum_n (1 - K_Sn^T K_SS^-1 K_Sn / K_nn)                                                       [1] eq. (6)
 *
 * with K_nn = 1 is the trace of R = K - K_NS K_SS^-1 K_SN. Row j lowers it by |R e_j|^2 / R_jj, and then R -= g g^T
 * with g = R e_j / sqrt(R_jj), the next column of the pivoted Cholesky factor [2]. R itself is kept and its column
 * norms are summed again at each step: updated norms |R e_j|^2 would lose everything to cancellation long before the
 * pivots reach 1e-8.
 * Rows of weight w: the gain of row j is sum_n w_n R_nj^2 / R_jj, that of V R V with V = diag(sqrt(w)).
 * DIFFERS [1] "until K_SS is no longer invertible": a row is eligible while its pivot R_jj is above a tolerance. The
 * criterion favours small pivots; near machine precision it would choose rounding noise.
 *
 * [1] Tikka: Simultaneous input variable and basis function selection for RBF networks. Neurocomputing 72, 2009.
 * [2] Fine, Scheinberg: Efficient SVM training using low-rank kernel representations. JMLR 2, 2001. */
#include "num/greedy.h"

#include <math.h>
#include <string.h>
#include "base/watch.h"

/* The part of a column of R below the diagonal: r -= g gj. Adds the squares of the result to the norms of the rows, and
 * returns their sum. */
TAMIS_CLONES
static double column_update(size_t n, double *restrict r, const double *restrict g, double gj, double *restrict norm)
{
    double sum = 0.0;
    for (size_t i = 0; i < n; i++) {
        double left = r[i] - g[i] * gj, square = left * left;
        r[i] = left;
        norm[i] += square;
        sum += square;
    }
    return sum;
}

/* R -= g g^T and the squared norms of all its columns. */
static void update(size_t n, double *r, size_t ld, const double *g, double *norm)
{
    memset(norm, 0, n * sizeof *norm);
    for (size_t j = 0; j < n; j++) {
        double *column = r + j * (ld + 1);
        column[0] -= g[j] * g[j];
        norm[j] += column[0] * column[0];
        norm[j] += column_update(n - j - 1, column + 1, g + j + 1, g[j], norm + j + 1);
    }
}

/* The eligible row with the largest gain, the first among those within rounding of each other; n: none is eligible. */
static size_t best_row(size_t n, const double *r, size_t ld, const double *root, const double *norm, double tolerance)
{
    size_t best = n;
    double most = 0.0;
    for (size_t j = 0; j < n; j++) {
        double pivot = r[j * (ld + 1)], least = root ? tolerance * root[j] * root[j] : tolerance;
        if (!(pivot > least) || !(norm[j] > most * pivot)) continue;
        most = norm[j] / pivot * (1.0 + 1e-12);
        best = j;
    }
    return best;
}

/* Column j of R, from both sides of the diagonal, divided by the root of its pivot. */
static void next_column(size_t n, const double *r, size_t ld, size_t j, double *g)
{
    double scale = 1.0 / sqrt(r[j * (ld + 1)]);
    for (size_t i = 0; i < n; i++) g[i] = scale * (i < j ? r[j + i * ld] : r[i + j * ld]);
}

static double trace(size_t n, const double *r, size_t ld)
{
    double sum = 0.0;
    for (size_t j = 0; j < n; j++) sum += r[j * (ld + 1)];
    return sum;
}

/* A chosen row is explained exactly; rounding error left in it would be chosen again. */
static void clear_row(size_t n, double *r, size_t ld, size_t j, double *norm)
{
    for (size_t i = 0; i < n; i++) {
        double *cell = i < j ? &r[j + i * ld] : &r[i + j * ld];
        if (i != j) norm[i] -= *cell * *cell;
        *cell = 0.0;
    }
    norm[j] = 0.0;
}

/* Rows and columns of the lower triangle times root, or divided by it. */
static void weigh(size_t n, double *r, size_t ld, const double *root, int back)
{
    for (size_t j = 0; root && j < n; j++)
        for (size_t i = j; i < n; i++) r[i + j * ld] *= back ? 1 / (root[i] * root[j]) : root[i] * root[j];
}

size_t tamis_greedy(size_t n, double *r, size_t ld, double tolerance, size_t most, size_t *order, double *g,
                    double *mre, double *work)
{
    return tamis_greedy_weighted(n, r, ld, NULL, tolerance, most, order, g, mre, work);
}

size_t tamis_greedy_weighted(size_t n, double *r, size_t ld, const double *root, double tolerance, size_t most,
                             size_t *order, double *g, double *mre, double *work)
{
    size_t count = 0;
    double *norm = work, *own = work + n;
    weigh(n, r, ld, root, 0);
    memset(own, 0, n * sizeof *own);
    update(n, r, ld, own, norm);
    if (mre) mre[0] = trace(n, r, ld);
    while (count < most) {
        size_t j = best_row(n, r, ld, root, norm, tolerance);
        if (j == n || tamis_halted(3.0 * (double)n * (double)n)) break;
        next_column(n, r, ld, j, own);
        if (g) memcpy(g + count * n, own, n * sizeof *g);
        update(n, r, ld, own, norm);
        clear_row(n, r, ld, j, norm);
        order[count++] = j;
        if (mre) mre[count] = trace(n, r, ld);
    }
    weigh(n, r, ld, root, 1);
    return count;
}
