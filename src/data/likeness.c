/* How much alike the columns of two inputs are. */
#include <math.h>
#include "data/design.h"

/* |r| of two columns, over at most `most` rows that are spread evenly. */
static double columns_likeness(const struct tamis_design *d, size_t a, size_t b, size_t most)
{
    size_t rows = tamis_design_all_rows(d), n = rows < most ? rows : most,
           before = tamis_spread_shared(d->spread) ? d->spread->before : 0;
    struct { double aa, bb, ab, a, b, all; } m = {0, 0, 0, 0, 0, 0};
    tamis_spread_take(d->spread, &m, sizeof m);
    for (size_t i = 0; i < n; i++) {
        size_t at = (size_t)((double)i * (double)rows / (double)n), row = at - before;
        if (at < before || row >= d->rows) continue;
        double x = d->x[row + d->rows * a], y = d->x[row + d->rows * b], w = tamis_row_weight(d, row);
        m.all += w, m.a += w * x, m.b += w * y, m.aa += w * x * x, m.bb += w * y * y, m.ab += w * x * y;
    }
    tamis_spread_give(d->spread, &m, sizeof m);
    double va = m.aa - m.a * m.a / m.all, vb = m.bb - m.b * m.b / m.all;
    return va > 0 && vb > 0 ? fabs((m.ab - m.a * m.b / m.all) / sqrt(va * vb)) : 0;
}

double tamis_design_likeness(const struct tamis_design *d, size_t i, size_t j, size_t most)
{
    const struct tamis_feature *p = &d->encoder->input[i], *q = &d->encoder->input[j];
    double largest = 0;
    for (size_t a = 0; a < p->columns; a++)
        for (size_t b = 0; b < q->columns; b++)
            largest = fmax(largest, columns_likeness(d, p->first + a, q->first + b, most));
    return largest;
}
