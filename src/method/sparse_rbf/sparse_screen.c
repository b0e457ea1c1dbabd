/* What each input explains by itself, and the weights that a fit starts from. */
#include <math.h>
#include "method/sparse_rbf/sparse_grid.h"
#include "num/weighted.h"

enum { SCREENED = 50 };         /* beyond TAMIS_SPARSE_WIDE inputs, only the most telling have a weight at the start */

static double squared_correlation(const double *x, const double *y, const double *weight, size_t n, int square)
{
    double mean = 0, sx = 0, sy = 0, xx = 0, yy = 0, xy = 0, count = tamis_weight_sum(weight, n);
    for (size_t i = 0; square && i < n; i++) mean += tamis_weight_at(weight, i) * x[i] / count;
    for (size_t i = 0; i < n; i++) {
        double v = square ? (x[i] - mean) * (x[i] - mean) : x[i], c = tamis_weight_at(weight, i);
        sx += c * v, sy += c * y[i], xx += c * (v * v), yy += c * (y[i] * y[i]), xy += c * (v * y[i]);
    }
    double cov = xy - sx * sy / count, vx = xx - sx * sx / count, vy = yy - sy * sy / count;
    return vx > 1e-12 * xx && vy > 0 ? cov * cov / (vx * vy) : 0;
}

void tamis_sparse_screen(const double *x, size_t n, size_t columns, const double *y, const double *weight,
                         double *screen)
{
    for (size_t j = 0; j < columns; j++, x += n) {
        int varies = 0;
        for (size_t i = 1; i < n && !varies; i++) varies = x[i] != x[0];
        double line = varies ? squared_correlation(x, y, weight, n, 0) : 0;
        screen[j] = varies ? 1e-6 + fmax(line, squared_correlation(x, y, weight, n, 1)) : 0;
    }
}

double tamis_sparse_screen_rank(const double *screen, size_t columns, size_t count)
{
    double limit = INFINITY;
    for (size_t c = 0; c < count && columns > count; c++) {
        double next = 0;
        for (size_t i = 0; i < columns; i++)
            if (screen[i] < limit && screen[i] > next) next = screen[i];
        limit = next;
    }
    return columns > count ? limit : 0;
}

int tamis_sparse_start(const struct tamis_sparse_task *k, size_t which, double t, double *w)
{
    double least = k->columns > TAMIS_SPARSE_WIDE ? tamis_sparse_screen_rank(k->screen, k->columns, SCREENED) : 0,
           sum = 0;
    if (which > 1) return 0;
    for (size_t i = 0; i < k->columns; i++) {
        w[i] = k->screen[i] > 0 && k->screen[i] >= least ? (which ? k->screen[i] : 1) : 0;
        sum += w[i];
    }
    for (size_t i = 0; sum > 0 && i < k->columns; i++) w[i] *= 0.9 * t / sum;
    return 1;
}
