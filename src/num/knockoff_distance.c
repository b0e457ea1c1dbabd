/* How far knockoffs are from their originals.
 *
 *     G = | Sigma       Sigma - S |    S = diag(s),    tr G^-1 = tr (2 Sigma - S)^-1 + sum_j 1 / s_j
 *         | Sigma - S   Sigma     |
 *
 * mvr minimises tr G^-1 one coordinate at a time [1]: with A = (2 Sigma - S)^-1, a = A_jj and c = |A e_j|, s_j + delta
 * has
 *
 *     tr = tr A + delta c^2 / (1 - delta a) + 1 / (s_j + delta) + ...,  least at  delta = (1 - c s_j) / (c + a),
 *
 * where 1 - delta a > 0 and s_j + delta > 0 hold by themselves. The rank-one change of A costs 2 d^2 flops; A is made
 * anew in every sweep, so that rounding does not grow.
 *
 * [1] A. Spector, L. Janson, Powerful knockoffs via minimizing reconstructability, Annals of Statistics 50 (2022).
 * [2] E. Candes, Y. Fan, L. Janson, J. Lv, Panning for gold: model-X knockoffs, JRSS B 80 (2018). */
#include <math.h>
#include <string.h>
#include "num/cholesky.h"
#include "num/knockoff.h"
#include "num/lapack.h"

enum { SWEEPS = 100, HALVINGS = 40 };
static const double settled = 1e-5;             /* largest change of an s in a sweep */

/* work = 2 Sigma - diag(s) */
static void slack_fill(size_t d, const double *sigma, const double *s, double *work)
{
    for (size_t i = 0; i < d * d; i++) work[i] = 2 * sigma[i];
    for (size_t j = 0; j < d; j++) work[j + d * j] -= s[j];
}

/* inverse = A^-1, both halves; A becomes its Cholesky factor. Nonzero: not positive definite. */
static int invert(size_t d, double *a, double *inverse)
{
    if (tamis_cholesky(CblasLower, d, a, d)) return 1;
    memset(inverse, 0, d * d * sizeof *inverse);
    for (size_t j = 0; j < d; j++) inverse[j + d * j] = 1;
    tamis_cholesky_solve(d, a, d, d, inverse, d);
    return 0;
}

/* One coordinate; its change. a: (2 Sigma - S)^-1, u: d of scratch. */
static double coordinate(size_t d, size_t j, double *a, double *s, double *u)
{
    memcpy(u, a + d * j, d * sizeof *u);
    double c = tamis_norm(d, u), delta = (1 - c * s[j]) / (c + u[j]), factor = delta / (1 - delta * u[j]);
    for (size_t k = 0; k < d; k++) tamis_axpy(d, factor * u[k], u, a + d * k);
    s[j] += delta;
    return fabs(delta);
}

int tamis_knockoff_mvr(size_t d, const double *sigma, double *s, double *work)
{
    double *inverse = work + d * d, change = 1;
    if (tamis_knockoff_equal(d, sigma, s, work)) return 1;
    for (size_t j = 0; j < d; j++) s[j] *= 0.5;         /* inside */
    for (int sweep = 0; sweep < SWEEPS && change > settled; sweep++) {
        change = 0;
        slack_fill(d, sigma, s, work);
        if (invert(d, work, inverse)) return 1;
        for (size_t j = 0; j < d; j++) change = fmax(change, coordinate(d, j, inverse, s, work));
    }
    return !tamis_knockoff_feasible(d, sigma, s, work);
}

int tamis_knockoff_feasible(size_t d, const double *sigma, const double *s, double *work)
{
    for (size_t j = 0; j < d; j++)
        if (!(s[j] > 0)) return 0;
    slack_fill(d, sigma, s, work);
    return !tamis_cholesky(CblasLower, d, work, d);
}

static int all_feasible(size_t d, const double *sigma, double value, double *s, double *work)
{
    for (size_t j = 0; j < d; j++) s[j] = value;
    return tamis_knockoff_feasible(d, sigma, s, work);
}

/* s = min(1, 2 lambda_min(Sigma)), by halving the interval [2] */
int tamis_knockoff_equal(size_t d, const double *sigma, double *s, double *work)
{
    double low = 0, high = 1;
    if (all_feasible(d, sigma, 1, s, work)) return 0;
    for (int k = 0; k < HALVINGS; k++) {
        double middle = (low + high) / 2;
        if (all_feasible(d, sigma, middle, s, work)) low = middle;
        else high = middle;
    }
    return !(low > 0) || !all_feasible(d, sigma, low, s, work);
}

int tamis_knockoff_law(size_t d, const double *sigma, const double *s, double *b, double *l, double *work)
{
    memcpy(work, sigma, d * d * sizeof *work);
    if (invert(d, work, b)) return 1;                                                   /* b = Sigma^-1 */
    for (size_t j = 0; j < d; j++)
        for (size_t i = 0; i < d; i++)
            l[i + d * j] = i < j ? 0 : (i == j ? 2 * s[j] : 0) - s[i] * b[i + d * j] * s[j];
    for (size_t j = 0; j < d; j++)
        for (size_t i = 0; i < d; i++) b[i + d * j] = (double)(i == j) - s[i] * b[i + d * j];
    return tamis_cholesky(CblasLower, d, l, d);
}
