/* Seeded hold-outs and folds. */
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
    if (d->group) return tamis_split_group_folds(cx, d->rows, d->group, d->groups, folds, seed, fold);
    if (d->blocks) return tamis_split_blocks(cx, d->rows, folds, fold);
    return tamis_split_folds(cx, d->rows, d->encoder->classes ? d->y : NULL, d->encoder->classes, folds, seed, fold);
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

/* ---- groups ---- */

struct member { double value; size_t at; };

static int by_member(const void *a, const void *b)
{
    const struct member *x = a, *y = b;
    if (x->value != y->value) return x->value < y->value ? -1 : 1;
    return (x->at > y->at) - (x->at < y->at);
}

int tamis_groups_number(tamis_context *cx, const tamis_table *t, size_t column, const size_t *row, size_t rows,
                        size_t *group, size_t *groups)
{
    const struct tamis_data_column *c = &t->column[column];
    struct member *m = tamis_raw(cx, struct member, rows);
    *groups = 0;
    for (size_t i = 0; m && i < rows; i++) {
        m[i] = (struct member){c->value[row[i]], i};
        if (isnan(m[i].value))
            tamis_fail(cx, TAMIS_DATA, "%s: column '%s' of --groups is missing in row %zu", t->file, c->name,
                       row[i] + 1);
    }
    if (!tamis_status(cx)) {
        qsort(m, rows, sizeof *m, by_member);
        for (size_t i = 0; i < rows; i++) {
            *groups += !i || m[i].value != m[i - 1].value;
            group[m[i].at] = *groups - 1;
        }
    }
    tamis_free(m);
    return tamis_status(cx);
}

struct pile { size_t rows, place, group; };

static int larger_first(const void *a, const void *b)
{
    const struct pile *x = a, *y = b;
    if (x->rows != y->rows) return x->rows > y->rows ? -1 : 1;
    return (x->place > y->place) - (x->place < y->place);
}

/* The groups in seeded order, with their sizes. */
static struct pile *piles_new(tamis_context *cx, size_t n, const size_t *group, size_t groups, uint64_t seed,
                              uint32_t purpose)
{
    struct tamis_rng r;
    struct pile *pile = tamis_new(cx, struct pile, groups);
    size_t *order = tamis_raw(cx, size_t, groups), *size = tamis_new(cx, size_t, groups);
    if (pile && order && size) {
        for (size_t g = 0; g < groups; g++) order[g] = g;
        for (size_t i = 0; i < n; i++) size[group[i]]++;
        tamis_rng_init(&r, seed, purpose, 0);
        tamis_rng_shuffle(&r, order, groups);
        for (size_t k = 0; k < groups; k++) pile[k] = (struct pile){size[order[k]], k, order[k]};
    }
    tamis_free(order);
    tamis_free(size);
    if (!tamis_status(cx)) return pile;
    tamis_free(pile);
    return NULL;
}

int tamis_split_group_folds(tamis_context *cx, size_t n, const size_t *group, size_t groups, size_t folds,
                            uint64_t seed, size_t *fold)
{
    if (folds < 2 || folds > groups)
        return tamis_fail(cx, TAMIS_USAGE, "--folds %zu: expected 2 to %zu, the number of groups", folds, groups);
    struct pile *pile = piles_new(cx, n, group, groups, seed, TAMIS_RNG_FOLDS);
    size_t *load = tamis_new(cx, size_t, folds), *of = tamis_raw(cx, size_t, groups);
    if (pile && load && of) {
        qsort(pile, groups, sizeof *pile, larger_first);
        for (size_t k = 0; k < groups; k++) {
            size_t least = 0;
            for (size_t f = 1; f < folds; f++)
                if (load[f] < load[least]) least = f;
            load[least] += pile[k].rows;
            of[pile[k].group] = least;
        }
        for (size_t i = 0; i < n; i++) fold[i] = of[group[i]];
    }
    tamis_free(pile);
    tamis_free(load);
    tamis_free(of);
    return tamis_status(cx);
}

int tamis_split_group_holdout(tamis_context *cx, size_t *row, size_t n, const size_t *group, size_t groups,
                              double share, uint64_t seed, size_t *held)
{
    if (groups < 2) return tamis_fail(cx, TAMIS_DATA, "--holdout: all rows are in one group and cannot be split");
    struct pile *pile = piles_new(cx, n, group, groups, seed, TAMIS_RNG_HOLDOUT);
    unsigned char *out = tamis_new(cx, unsigned char, groups);
    size_t *copy = tamis_raw(cx, size_t, n), wanted = (size_t)floor(share * (double)n + 0.5), kept = 0;
    *held = 0;
    if (pile && out && copy) {
        for (size_t k = 0; k + 1 < groups && (!k || *held + pile[k].rows / 2 < wanted); k++)
            out[pile[k].group] = 1, *held += pile[k].rows;
        memcpy(copy, row, n * sizeof *copy);
        size_t front = 0;
        for (size_t i = 0; i < n; i++) row[out[group[i]] ? front++ : *held + kept++] = copy[i];
    }
    tamis_free(pile);
    tamis_free(out);
    tamis_free(copy);
    return tamis_status(cx);
}
