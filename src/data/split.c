/* Seeded hold-outs and folds of single rows; those of groups are in split_groups.c. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/rng.h"
#include "data/design.h"

static int increasing(const void *a, const void *b)
{
    size_t x = *(const size_t *)a, y = *(const size_t *)b;
    return (x > y) - (x < y);
}

/* Moves to the front of a shuffled list every row at which its class's share of the rows seen so far rounds up; returns
 * how many. */
static size_t share_to_front(size_t *row, size_t n, const double *class_of, double share, size_t *seen)
{
    size_t held = 0;
    for (size_t i = 0; i < n; i++) {
        double before = (double)seen[(size_t)class_of[row[i]]]++;
        if (floor(share * (before + 1) + 0.5) <= floor(share * before + 0.5)) continue;
        size_t swap = row[held];
        row[held++] = row[i];
        row[i] = swap;
    }
    return held;
}

int tamis_split_holdout(tamis_context *cx, size_t *row, size_t n, const double *class_of, size_t classes, double share,
                        uint64_t seed, size_t *held)
{
    struct tamis_rng r;
    if (n < 2) return tamis_fail(cx, TAMIS_DATA, "--holdout: %zu rows cannot be split", n);
    tamis_rng_init(&r, seed, TAMIS_RNG_HOLDOUT, 0);
    tamis_rng_shuffle(&r, row, n);
    *held = (size_t)floor(share * (double)n + 0.5);
    if (class_of) {
        size_t *seen = tamis_new(cx, size_t, classes + 1);
        if (!seen) return tamis_status(cx);
        *held = share_to_front(row, n, class_of, share, seen);
        tamis_free(seen);
    }
    if (*held == 0) *held = 1;
    if (*held == n) *held = n - 1;
    qsort(row, *held, sizeof *row, increasing);
    qsort(row + *held, n - *held, sizeof *row, increasing);
    return TAMIS_OK;
}

int tamis_split_last(tamis_context *cx, size_t *row, size_t n, double share, size_t *held)
{
    size_t *copy = tamis_raw(cx, size_t, n);
    if (n < 2) tamis_fail(cx, TAMIS_DATA, "--holdout: %zu rows cannot be split", n);
    if (!tamis_status(cx)) {
        *held = (size_t)floor(share * (double)n + 0.5);
        if (*held == 0) *held = 1;
        if (*held == n) *held = n - 1;
        memcpy(copy, row, n * sizeof *copy);
        memcpy(row, copy + n - *held, *held * sizeof *row);
        memcpy(row + *held, copy, (n - *held) * sizeof *row);
    }
    tamis_free(copy);
    return tamis_status(cx);
}

int tamis_split_blocks(tamis_context *cx, size_t n, size_t folds, size_t *fold)
{
    if (folds < 2 || folds > n)
        return tamis_fail(cx, TAMIS_USAGE, "--folds %zu: expected 2 to %zu, the number of rows", folds, n);
    for (size_t i = 0; i < n; i++) fold[i] = (size_t)((double)i * (double)folds / (double)n);
    return TAMIS_OK;
}

int tamis_design_folds(tamis_context *cx, const struct tamis_design *d, size_t folds, uint64_t seed, size_t *fold)
{
    const double *class_of = d->encoder->classes ? d->y : NULL;
    if (!d->group && d->blocks) return tamis_split_blocks(cx, d->rows, folds, fold);
    if (!d->group) return tamis_split_folds(cx, d->rows, class_of, d->encoder->classes, folds, seed, fold);
    struct tamis_grouping s = {d->rows, d->group, d->groups, class_of, d->encoder->classes, NULL};
    return tamis_split_group_folds(cx, &s, folds, seed, fold);
}

size_t tamis_design_fold_count(tamis_context *cx, const struct tamis_design *d, size_t folds)
{
    return d->fewer_folds ? tamis_fold_count(cx, d->group ? d->groups : d->rows, folds) : folds;
}

int tamis_split_folds(tamis_context *cx, size_t n, const double *class_of, size_t classes, size_t folds, uint64_t seed,
                      size_t *fold)
{
    struct tamis_rng r;
    size_t *row = tamis_raw(cx, size_t, n), *next = tamis_new(cx, size_t, classes + 1);
    if (folds < 2 || folds > n)
        tamis_fail(cx, TAMIS_USAGE, "--folds %zu: expected 2 to %zu, the number of rows", folds, n);
    if (!tamis_status(cx)) {
        size_t start = 0;
        for (size_t i = 0; i < n; i++) row[i] = i;
        tamis_rng_init(&r, seed, TAMIS_RNG_FOLDS, 0);
        tamis_rng_shuffle(&r, row, n);
        for (size_t i = 0; class_of && i < n; i++)
            next[(size_t)class_of[i] + 1]++; /* where each class starts in the round */
        for (size_t c = 0; class_of && c < classes; c++) start += next[c], next[c] = start;
        for (size_t i = 0; i < n; i++) fold[row[i]] = (class_of ? next[(size_t)class_of[row[i]]]++ : i) % folds;
    }
    tamis_free(row);
    tamis_free(next);
    return tamis_status(cx);
}
