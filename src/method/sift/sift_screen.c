/* Which inputs leave the network of a path. With more than SIFT_WIDE inputs the first step keeps that many: the highest
 * in either of two rankings, by the derivatives of the network of all inputs and by what each input explains alone. */
#include <math.h>
#include <stdlib.h>
#include "method/sift/sift_walk.h"
#include "num/order.h"

enum { WAVES = 5 };

/* What a column explains alone: squared correlations of the target with WAVES cosines of the column's rank. */
static double explained_alone(const struct sift_net *t, size_t column, struct tamis_place *order)
{
    size_t n = t->n;
    double sum = 0;
    for (size_t i = 0; i < n; i++) order[i] = (struct tamis_place){t->x[i + n * column], i};
    qsort(order, n, sizeof *order, tamis_by_place);
    for (size_t o = 0; o < t->f->outputs; o++)
        for (int k = 1; k <= WAVES; k++) {
            double c = 0, below = 0;
            for (size_t i = 0; i < n; i++) {
                double w = tamis_weight_at(t->weight, order[i].i);
                c += w * t->y[order[i].i + n * o] * cos(M_PI * k * (below + 0.5 * w) / t->worth);
                below += w;
            }
            sum += c * c;
        }
    return sum;
}

/* Ranks of value[0..n-1] from 0, the largest, into rank. */
static void ranks_of(const double *value, size_t n, struct tamis_place *order, double *rank)
{
    for (size_t i = 0; i < n; i++) order[i] = (struct tamis_place){-value[i], i};
    qsort(order, n, sizeof *order, tamis_by_place);
    for (size_t i = 0; i < n; i++) rank[order[i].i] = (double)i;
}

int sift_screen(struct sift_walk *w)
{
    struct sift_net *t = &w->net;
    size_t k = t->inputs, room = k > t->n ? k : t->n;
    struct tamis_place *order = tamis_raw(w->f->cx, struct tamis_place, room);
    double *single = tamis_new(w->f->cx, double, k), *rank = tamis_raw(w->f->cx, double, k);
    if (order && single && rank) {
        for (size_t c = 0; c < t->columns; c++)
            single[t->column_input[c]] = fmax(single[t->column_input[c]], explained_alone(t, c, order));
        ranks_of(single, k, order, rank);
        ranks_of(w->relevance, k, order, w->merit);
        for (size_t i = 0; i < k; i++) w->merit[i] = -fmin(w->merit[i], rank[i]);
    }
    tamis_free(order);
    tamis_free(single);
    tamis_free(rank);
    return tamis_status(w->f->cx);
}

double sift_drop_to(struct sift_walk *w, size_t size)
{
    struct sift_net *t = &w->net;
    double moved = 0;
    for (size_t left = t->inputs; left > size; left--) {
        size_t worst = SIZE_MAX;
        for (size_t i = 0; i < t->inputs; i++)
            if (w->set[t->input[i]] && (worst == SIZE_MAX || w->merit[i] < w->merit[worst])) worst = i;
        w->set[t->input[worst]] = 0;
        moved += w->relevance[worst] * w->relevance[worst];
    }
    return moved;
}
