#include "num/metric.h"
#include "num/exact.h"

#include <float.h>
#include <math.h>

TAMIS_EXACT
double tamis_metric_d2(const struct tamis_metric *m, const double *a, const double *b)
{
    double sum = 0;
    for (size_t c = 0; c < m->count; c++) {
        double difference = m->weight[c] * a[m->column[c]] - m->weight[c] * b[m->column[c]],
               square = difference * difference;
        sum += square;
    }
    return sum;
}

double tamis_metric_slack(size_t count) { return 1 + 4 * ((double)count + 4) * DBL_EPSILON; }

static int before(double d, uint32_t r, double e, uint32_t s) { return d < e || (d == e && r < s); }

int tamis_nearest_insert(size_t k, double *d2, uint32_t *row, double d, uint32_t r)
{
    size_t at = k;
    while (at && before(d, r, d2[at - 1], row[at - 1])) at--;
    if (at == k || (at && row[at - 1] == r)) return 0;
    for (size_t i = k - 1; i > at; i--) d2[i] = d2[i - 1], row[i] = row[i - 1];
    d2[at] = d;
    row[at] = r;
    return 1;
}

double tamis_fixed_unit(double largest)
{
    int exponent = 0;
    if (!(largest > 0)) return 1;
    frexp(largest, &exponent);
    return ldexp(1, 90 - exponent);                     /* terms below 2^90, and 2^36 of them below 2^126 */
}
