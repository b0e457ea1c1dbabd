/* min over centres c and assignments a of sum_i w_i |x_i - c_a(i)|^2, by Lloyd's iteration [1] started by k-means++
 * [2]: each centre is a row drawn with probability proportional to its weight times its squared distance from the
 * centres so far.
 *
 * A centre that loses all its rows moves to the row that is farthest from its own centre. Distances are sums of squared
 * differences, so that ties are exact; they go to the lowest index.
 *
 * [1] Lloyd: Least squares quantization in PCM. IEEE Trans. Inf. Theory 28, 1982.
 * [2] Arthur, Vassilvitskii: k-means++: the advantages of careful seeding. SODA 2007. */
#include "num/kmeans.h"

#include <math.h>
#include <string.h>
#include "base/base.h"
#include "base/rng.h"
#include "num/gauss.h"
#include "num/weighted.h"

enum { ROWS = 128 };

struct kmeans {
    size_t n, ldx, d, k;
    const double *x, *weight;
    const size_t *columns;
    double *centre, *distance, *block;          /* distance: of each row to its centre; block: ROWS x k */
    size_t *assignment, *count;
};

size_t tamis_kmeans_size(size_t n, size_t k)
{
    return n + ROWS * k;
}

static void place_centre(const struct kmeans *s, size_t j, size_t row)
{
    for (size_t v = 0; v < s->d; v++)
        s->centre[j + s->columns[v] * s->k] = s->x[row + s->columns[v] * s->ldx];
}

/* distance = least of itself and the distance to centre j */
static void near_centre(const struct kmeans *s, size_t j)
{
    for (size_t row = 0; row < s->n; row += ROWS) {
        size_t rows = s->n - row < ROWS ? s->n - row : ROWS;
        tamis_gauss_cross(rows, s->x + row, s->ldx, 1, s->centre + j, s->k, s->columns, s->d, 0.0, s->block, ROWS);
        for (size_t i = 0; i < rows; i++)
            s->distance[row + i] = fmin(s->distance[row + i], s->block[i]);
    }
}

/* What row i adds to the sum of squared distances. */
static double cost_of(const struct kmeans *s, size_t i) { return tamis_weight_at(s->weight, i) * s->distance[i]; }

/* A row with probability proportional to its cost; any row when all lie on centres. */
static size_t draw_row(const struct kmeans *s, struct tamis_rng *rng)
{
    double total = 0.0, sum = 0.0;
    size_t last = s->n;
    for (size_t i = 0; i < s->n; i++)
        total += cost_of(s, i);
    if (!(total > 0.0))
        return tamis_rng_below(rng, s->n);
    double goal = tamis_rng_uniform(rng) * total;
    for (size_t i = 0; i < s->n && sum <= goal; i++)
        if (s->distance[i] > 0.0) {
            sum += cost_of(s, i);
            last = i;
        }
    return last;
}

/* A row with probability proportional to its weight. */
static size_t first_row(const struct kmeans *s, struct tamis_rng *rng)
{
    if (!s->weight)
        return tamis_rng_below(rng, s->n);
    double goal = tamis_rng_uniform(rng) * tamis_weight_sum(s->weight, s->n), sum = s->weight[0];
    size_t row = 0;
    while (sum <= goal && row + 1 < s->n)
        sum += s->weight[++row];
    return row;
}

static void start(const struct kmeans *s, struct tamis_rng *rng)
{
    for (size_t i = 0; i < s->n; i++) {
        s->distance[i] = INFINITY;
        s->assignment[i] = s->k;
    }
    place_centre(s, 0, first_row(s, rng));
    for (size_t j = 1; j < s->k; j++) {
        near_centre(s, j - 1);
        place_centre(s, j, draw_row(s, rng));
    }
}

TAMIS_CLONES
static void nearest(size_t rows, size_t k, const double *restrict block, double *restrict least, size_t *restrict index)
{
    for (size_t i = 0; i < rows; i++) {
        least[i] = block[i];
        index[i] = 0;
    }
    for (size_t j = 1; j < k; j++)
        for (size_t i = 0; i < rows; i++) {
            int closer = block[i + j * ROWS] < least[i];
            least[i] = closer ? block[i + j * ROWS] : least[i];
            index[i] = closer ? j : index[i];
        }
}

/* Every row to its nearest centre. Returns how many changed. */
static size_t assign(const struct kmeans *s)
{
    size_t changed = 0, index[ROWS];
    memset(s->count, 0, s->k * sizeof *s->count);
    for (size_t row = 0; row < s->n; row += ROWS) {
        size_t rows = s->n - row < ROWS ? s->n - row : ROWS;
        tamis_gauss_cross(rows, s->x + row, s->ldx, s->k, s->centre, s->k, s->columns, s->d, 0.0, s->block, ROWS);
        nearest(rows, s->k, s->block, s->distance + row, index);
        for (size_t i = 0; i < rows; i++) {
            changed += s->assignment[row + i] != index[i];
            s->assignment[row + i] = index[i];
            s->count[index[i]]++;
        }
    }
    return changed;
}

static size_t farthest(const struct kmeans *s)
{
    size_t row = 0;
    for (size_t i = 1; i < s->n; i++)
        if (s->distance[i] > s->distance[row])
            row = i;
    return row;
}

/* Empty centres take over the farthest rows. Returns how many did. */
static size_t fill_empty(const struct kmeans *s)
{
    size_t moved = 0;
    for (size_t j = 0; j < s->k; j++) {
        size_t row = s->count[j] > 0 ? s->n : farthest(s);
        if (row == s->n || !(s->distance[row] > 0.0))
            continue;
        s->count[s->assignment[row]]--;
        s->assignment[row] = j;
        s->count[j] = 1;
        s->distance[row] = 0.0;
        moved++;
    }
    return moved;
}

/* Moves every centre that has rows to their mean, taken as the first of them plus the mean difference from it: the mean
 * of equal values is exact. */
static void update(const struct kmeans *s)
{
    double *first = s->block, *sum = first + s->k, *mass = sum + s->k;
    for (size_t j = 0; j < s->k; j++)
        mass[j] = s->weight ? 0.0 : (double)s->count[j];
    for (size_t i = 0; s->weight && i < s->n; i++)
        mass[s->assignment[i]] += s->weight[i];
    for (size_t v = 0; v < s->d; v++) {
        const double *x = s->x + s->columns[v] * s->ldx;
        double *centre = s->centre + s->columns[v] * s->k;
        memset(sum, 0, s->k * sizeof *sum);
        for (size_t i = s->n; i-- > 0;)
            first[s->assignment[i]] = x[i];
        for (size_t i = 0; i < s->n; i++)
            sum[s->assignment[i]] += tamis_weight_at(s->weight, i) * (x[i] - first[s->assignment[i]]);
        for (size_t j = 0; j < s->k; j++)
            if (s->count[j] > 0)
                centre[j] = first[j] + sum[j] / mass[j];
    }
}

size_t tamis_kmeans(size_t n, const double *x, size_t ldx, const double *weight, const size_t *columns, size_t d,
                    size_t k, size_t iterations, struct tamis_rng *rng, double *work, double *centre,
                    size_t *assignment, size_t *count, double *sse)
{
    struct kmeans s = {n, ldx, d, k, x, weight, columns, centre, work, work + n, assignment, count};
    size_t done = 0, changed = n;
    start(&s, rng);
    for (; done < iterations && changed > 0; done++) {
        changed = assign(&s);
        changed += fill_empty(&s);
        if (changed > 0)
            update(&s);
    }
    if (changed > 0)
        assign(&s);
    double sum = 0.0;
    for (size_t i = 0; i < n; i++)
        sum += cost_of(&s, i);
    if (sse)
        *sse = sum;
    return done;
}
