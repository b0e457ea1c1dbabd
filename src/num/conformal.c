/* Conformal intervals, equal tails. r_(1) <= ... <= r_(n) are residuals y - f(x) of rows that f was not fitted on. The
 * residual of a new row is equally likely to fall into each of the n + 1 places between them if the rows are
 * exchangeable, so that [1, 2]
 *
 *     f(x) + r_(k) <= y <= f(x) + r_(n + 1 - k),   k = floor((n + 1)(1 - level) / 2),
 *
 * holds with probability at least `level`. Residuals of folds, around the model of all rows, are those of models with
 * slightly fewer rows: in practice the same coverage.
 *
 * Many or weighted residuals are replaced by m points: point j is the residual at which the weights add up to
 * j / (m + 1) of the sum W (1 + 1/n), the new row having the mean weight. With equal weights and m = n that is r_(j).
 *
 * [1] Vovk, Gammerman, Shafer: Algorithmic learning in a random world, 2005.
 * [2] Barber, Candes, Ramdas, Tibshirani: Predictive inference with the jackknife+, 2021. */
#include "num/conformal.h"

#include <math.h>
#include <stdlib.h>

size_t tamis_residual_points(struct tamis_place *place, size_t n, const double *weight, size_t most, double *point)
{
    size_t m = n < most ? n : most, at = 0;
    double all = 0, sum = 0;
    qsort(place, n, sizeof *place, tamis_by_place);
    for (size_t i = 0; i < n; i++) all += weight ? weight[place[i].i] : 1;
    for (size_t j = 0; j < m; j++) {
        double until = all * (1 + 1 / (double)n) * (double)(j + 1) / (double)(m + 1) * (1 - 1e-12);
        while (at < n && sum < until) sum += weight ? weight[place[at].i] : 1, at++;
        point[j] = place[at ? at - 1 : 0].x;
    }
    return m;
}

/* k of the head; rounding does not count against a level that n residuals just reach. */
static double rank_of(size_t n, double level) { return floor(((double)n + 1) * (1 - level) / 2 + 1e-9); }

int tamis_interval_ends(const double *point, size_t n, double level, double *lower, double *upper)
{
    double k = rank_of(n, level);
    *lower = *upper = NAN;
    if (!(k >= 1)) return 0;
    size_t at = 2 * (size_t)k > n + 1 ? (n + 1) / 2 : (size_t)k;
    *lower = point[at - 1];
    *upper = point[n - at];
    return 1;
}

double tamis_interval_rows(double level) { return ceil(2 / (1 - level) - 1 - 1e-9); }

double tamis_interval_most(size_t n) { return 1 - 2 / ((double)n + 1); }
