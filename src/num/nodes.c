/* Hidden nodes and output weights of a radial basis function classifier; the formulas are in nodes.h.
 *
 * [1] J. Basak, S. Mitra: Feature selection using radial basis function networks. Neural Computing & Applications 8,
 *     1999.
 * DIFFERS [1] section 2: sigma is not stated; the root mean squared distance (divisor N_c) is what makes eq. 11 an
 *     identity.
 * DIFFERS [1] eq. 4: the rate is divided by the number of rows, so that an epoch moves the weights as far whatever that
 *     is. */
#include "num/nodes.h"

#include <math.h>
#include <string.h>
#include "base/rng.h"
#include "num/gauss.h"
#include "num/lapack.h"
#include "num/weighted.h"

static const double vanishing = 1e-9;   /* a width below this share of the distance between centres is rounding */

/* Half the distance from centre c to the nearest other; 0 when there is no other, or they coincide. */
static double half_gap(size_t c, const size_t *columns, size_t d, size_t m, const double *centre)
{
    double least = INFINITY;
    for (size_t other = 0; other < m; other++) {
        double sum = 0.0;
        for (size_t v = 0; v < d; v++) {
            double gap = centre[c + m * columns[v]] - centre[other + m * columns[v]];
            sum += gap * gap;
        }
        if (other != c)
            least = fmin(least, sum);
    }
    return isfinite(least) ? 0.5 * sqrt(least) : 0.0;
}

/* mass[c]: what the rows of node c count. */
static void node_masses(size_t n, const double *weight, size_t m, const size_t *assignment, const size_t *count,
                        double *mass)
{
    for (size_t c = 0; c < m; c++)
        mass[c] = weight ? 0.0 : (double)count[c];
    for (size_t i = 0; weight && i < n; i++)
        mass[assignment[i]] += weight[i];
}

void tamis_nodes_sigma(size_t n, const double *x, size_t ldx, const double *weight, const size_t *columns, size_t d,
                       size_t m, const double *centre, const size_t *assignment, const size_t *count, double *work,
                       double *sigma)
{
    memset(work, 0, n * sizeof *work);
    memset(sigma, 0, m * sizeof *sigma);
    for (size_t v = 0; v < d; v++)
        for (size_t i = 0; i < n; i++) {
            double gap = x[i + ldx * columns[v]] - centre[assignment[i] + m * columns[v]];
            work[i] += gap * gap;
        }
    for (size_t i = 0; i < n; i++)
        sigma[assignment[i]] += tamis_weight_at(weight, i) * work[i];
    node_masses(n, weight, m, assignment, count, work);
    for (size_t c = 0; c < m; c++) {
        double floor = half_gap(c, columns, d, m, centre);
        sigma[c] = count[c] > 0 ? sqrt(sigma[c] / work[c]) : 0.0;
        if (!(sigma[c] > vanishing * floor))
            sigma[c] = floor > 0.0 ? floor : 1.0;
    }
}

size_t tamis_nodes_compact(size_t n, size_t d, size_t m, double *centre, size_t *assignment, size_t *count)
{
    size_t left = 0;
    for (size_t c = 0; c < m; c++)
        left += count[c] > 0;
    if (left == m)
        return m;
    for (size_t v = 0, to = 0; v < d; v++)
        for (size_t c = 0; c < m; c++)
            if (count[c] > 0)
                centre[to++] = centre[c + m * v];
    for (size_t c = 0, to = 0; c < m; c++) {
        if (count[c] == 0)
            continue;
        for (size_t i = 0; to < c && i < n; i++)
            if (assignment[i] == c)
                assignment[i] = to;
        count[to++] = count[c];
    }
    return left;
}

void tamis_nodes_basis(size_t n, const double *x, size_t ldx, const size_t *columns, size_t d, size_t m,
                       const double *centre, const double *sigma, double *phi, size_t ldphi)
{
    tamis_gauss_cross(n, x, ldx, m, centre, m, columns, d, 0.0, phi, ldphi);
    for (size_t c = 0; c < m; c++)
        tamis_exp_scale(n, phi + ldphi * c, 0.5 / (sigma[c] * sigma[c]), phi + ldphi * c);
}

/* ---- least squares ---- */

static size_t lapack_room(size_t m, size_t l) { return 4 * m + 64 * (m + 1) + 2 * l; }

static size_t larger(size_t a, size_t b) { return a > b ? a : b; }

size_t tamis_nodes_ls_size(size_t n, size_t m, size_t l)
{
    return n * m + larger(n, m) * l + lapack_room(m, l) + TAMIS_ALIGNMENT;
}

/* Row i of basis and target by the root of its weight. */
static void rows_weigh(size_t n, size_t m, size_t l, const double *weight, double *basis, double *target, size_t ld)
{
    for (size_t i = 0; i < n; i++) {
        double root = sqrt(weight[i]);
        for (size_t c = 0; c < m; c++)
            basis[i + n * c] *= root;
        for (size_t k = 0; k < l; k++)
            target[i + ld * k] *= root;
    }
}

size_t tamis_nodes_ls(size_t n, size_t m, size_t l, const double *phi, const double *y, const double *weight,
                      double *work, int *iwork, double *w)
{
    size_t ld = larger(n, m), rank = 0;
    double *basis = tamis_aligned(work), *target = basis + n * m, limit = 1e-10;
    memcpy(basis, phi, n * m * sizeof *phi);
    memset(target, 0, ld * l * sizeof *target);
    memset(iwork, 0, m * sizeof *iwork);
    for (size_t i = 0; i < n; i++)
        target[i + ld * (size_t)y[i]] = 1.0;
    if (weight)
        rows_weigh(n, m, l, weight, basis, target, ld);
    int failed = tamis_gelsy(n, m, l, basis, target, ld, iwork, limit, &rank, target + ld * l, lapack_room(m, l));
    for (size_t k = 0; k < l; k++)
        memcpy(w + m * k, target + ld * k, m * sizeof *w);
    return failed ? 0 : rank;
}
