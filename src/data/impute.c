/* Missing inputs filled in from training rows.
 *
 *     median: the median of the column, or the most frequent level;
 *     knn: the mean over the k nearest training rows that have the value (or the most frequent level among them), with
 *          distance = sqrt of the mean of (z_c - z'_c)^2 over the columns that both rows have; without any such row, as
 *          with median.
 *
 * All columns are standardised, so that none counts more than another. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/parallel.h"
#include "data/design.h"
#include "num/weighted.h"

/* ---- learning ---- */

static void learn_number(struct tamis_encoder *e, const struct tamis_feature *f, const struct tamis_design *d,
                         struct tamis_place *seen)
{
    size_t n = 0;
    for (size_t i = 0; i < d->rows; i++)
        if (!isnan(d->x[i + d->rows * f->first])) seen[n++] = (struct tamis_place){d->x[i + d->rows * f->first], i};
    qsort(seen, n, sizeof *seen, tamis_by_place);
    e->fill[f->first] = n ? tamis_weighted_median(seen, d->weight, n) : 0;
}

static void learn_category(struct tamis_encoder *e, const struct tamis_feature *f, const struct tamis_design *d,
                           double *votes)
{
    size_t best = 0;
    memset(votes, 0, f->columns * sizeof *votes);
    for (size_t i = 0; i < d->rows; i++)
        if (!isnan(d->x[i + d->rows * f->first]))
            votes[tamis_level_of(e, f, d->x, d->rows, i)] += tamis_row_weight(d, i);
    for (size_t l = 1; l < f->columns; l++)
        if (votes[l] > votes[best]) best = l;
    for (size_t k = 0; k < f->columns; k++) e->fill[f->first + k] = tamis_level_indicator(e, f, best, k);
}

static void say_empty(tamis_context *cx, const struct tamis_feature *f, const struct tamis_design *d)
{
    size_t seen = 0;
    for (size_t i = 0; i < d->rows && !seen; i++) seen += !isnan(d->x[i + d->rows * f->first]);
    if (!seen) tamis_note(cx, "input '%s' is missing in all training rows and counts as a constant", f->name);
}

int tamis_impute_learn(tamis_context *cx, struct tamis_encoder *e, const struct tamis_design *d)
{
    struct tamis_place *seen = tamis_raw(cx, struct tamis_place, d->rows);
    double *votes = tamis_raw(cx, double, e->columns);
    e->fill = tamis_new(cx, double, e->columns);
    if (e->impute == TAMIS_IMPUTE_KNN) e->donor = tamis_raw(cx, double, d->rows * e->columns);
    if (!tamis_status(cx)) {
        for (size_t i = 0; i < e->inputs; i++) {
            if (e->input[i].levels) learn_category(e, &e->input[i], d, votes);
            else learn_number(e, &e->input[i], d, seen);
            say_empty(cx, &e->input[i], d);
        }
        if (e->donor) memcpy(e->donor, d->x, d->rows * e->columns * sizeof *e->donor);
        e->donors = e->donor ? d->rows : 0;
        if (e->neighbours > e->donors) e->neighbours = e->donors;
    }
    tamis_free(seen);
    tamis_free(votes);
    return tamis_status(cx);
}

/* ---- filling in ---- */

struct near { double distance; size_t donor; };

struct fill {
    const struct tamis_encoder *e;
    struct tamis_design *d;
    const size_t *row;          /* those with a gap */
    double *distance;           /* donors for each worker */
    struct near *near;          /* neighbours for each worker */
    size_t *votes;              /* columns for each worker */
};

static void fill_median(const struct tamis_encoder *e, const struct tamis_feature *f, struct tamis_design *d, size_t i)
{
    for (size_t j = f->first; j < f->first + f->columns; j++) d->x[i + d->rows * j] = e->fill[j];
}

static void distances(const struct tamis_encoder *e, const struct tamis_design *d, size_t i, double *out)
{
    for (size_t k = 0; k < e->donors; k++) {
        double sum = 0;
        size_t both = 0;
        for (size_t j = 0; j < e->columns; j++) {
            double a = d->x[i + d->rows * j], b = e->donor[k + e->donors * j];
            if (isnan(a) || isnan(b)) continue;
            sum += (a - b) * (a - b);
            both++;
        }
        out[k] = both ? sum / (double)both : INFINITY;
    }
}

/* The nearest donors that have the input, nearest first, ties in row order; how many. */
static size_t nearest(const struct tamis_encoder *e, const struct tamis_feature *f, const double *distance,
                      struct near *near)
{
    size_t count = 0;
    for (size_t k = 0; k < e->donors; k++) {
        if (isnan(e->donor[k + e->donors * f->first]) || !(distance[k] < INFINITY)) continue;
        if (count == e->neighbours && !(distance[k] < near[count - 1].distance)) continue;
        size_t at = count < e->neighbours ? count++ : count - 1;
        for (; at && near[at - 1].distance > distance[k]; at--) near[at] = near[at - 1];
        near[at] = (struct near){distance[k], k};
    }
    return count;
}

static double fill_number(const struct tamis_encoder *e, const struct tamis_feature *f, const struct near *near,
                          size_t count)
{
    double sum = 0;
    for (size_t k = 0; k < count; k++) sum += e->donor[near[k].donor + e->donors * f->first];
    return sum / (double)count;
}

static size_t fill_level(const struct tamis_encoder *e, const struct tamis_feature *f, const struct near *near,
                         size_t count, size_t *votes)
{
    size_t best = 0;
    memset(votes, 0, f->columns * sizeof *votes);
    for (size_t k = 0; k < count; k++) votes[tamis_level_of(e, f, e->donor, e->donors, near[k].donor)]++;
    for (size_t l = 1; l < f->columns; l++)
        if (votes[l] > votes[best]) best = l;
    return best;
}

/* One row: distances use its values before anything is filled in. */
static int fill_row(void *arg, size_t item, int worker)
{
    const struct fill *a = arg;
    const struct tamis_encoder *e = a->e;
    struct tamis_design *d = a->d;
    size_t i = a->row[item];
    double *distance = a->distance + (size_t)worker * e->donors;
    struct near *near = a->near + (size_t)worker * e->neighbours;
    if (e->donors) distances(e, d, i, distance);
    for (size_t v = 0; v < e->inputs; v++) {
        const struct tamis_feature *f = &e->input[v];
        if (!isnan(d->x[i + d->rows * f->first])) continue;
        size_t count = e->donors ? nearest(e, f, distance, near) : 0;
        if (!count) fill_median(e, f, d, i);
        else if (!f->levels) d->x[i + d->rows * f->first] = fill_number(e, f, near, count);
        else {
            size_t l = fill_level(e, f, near, count, a->votes + (size_t)worker * e->columns);
            for (size_t k = 0; k < f->columns; k++)
                d->x[i + d->rows * (f->first + k)] = tamis_level_indicator(e, f, l, k);
        }
    }
    return TAMIS_OK;
}

static size_t rows_with_gaps(const struct tamis_design *d, size_t *row)
{
    size_t count = 0;
    for (size_t i = 0; i < d->rows; i++) {
        int gap = 0;
        for (size_t j = 0; j < d->columns; j++) gap |= isnan(d->x[i + d->rows * j]);
        if (gap) row[count++] = i;
    }
    return count;
}

int tamis_impute_apply(tamis_context *cx, const struct tamis_encoder *e, struct tamis_design *d)
{
    size_t workers = (size_t)tamis_threads(cx), *row = tamis_raw(cx, size_t, d->rows);
    struct fill a = {e,
                     d,
                     row,
                     tamis_raw(cx, double, workers * e->donors),
                     tamis_raw(cx, struct near, e->donors ? workers * e->neighbours : 0),
                     tamis_raw(cx, size_t, workers * e->columns)};
    if (row && a.distance && a.near && a.votes) tamis_parallel(cx, rows_with_gaps(d, row), fill_row, &a);
    tamis_free(row);
    tamis_free(a.distance);
    tamis_free(a.near);
    tamis_free(a.votes);
    return tamis_status(cx);
}
