/* Groups of rows: numbered by a column, and kept together in seeded folds and hold-outs.
 *
 * With classes, groups whose rows are all of one class are dealt class by class, each class spread evenly over the
 * folds; groups with several classes come first and count for every class they contain. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/rng.h"
#include "data/design.h"

/* ---- numbers of groups ---- */

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

/* ---- groups in order ---- */

struct pile { size_t rows, place, group, kind; };       /* kind 0: no or several classes; 1 + c: all of class c */

static int by_kind_larger_first(const void *a, const void *b)
{
    const struct pile *x = a, *y = b;
    if (x->kind != y->kind) return x->kind < y->kind ? -1 : 1;
    if (x->rows != y->rows) return x->rows > y->rows ? -1 : 1;
    return (x->place > y->place) - (x->place < y->place);
}

static size_t class_at(const struct tamis_grouping *s, size_t i)
{
    return s->class_of ? (size_t)s->class_of[s->row ? s->row[i] : i] : 0;
}

static void kinds_fill(const struct tamis_grouping *s, size_t *kind)
{
    for (size_t g = 0; g < s->groups; g++) kind[g] = s->class_of ? SIZE_MAX : 0;
    for (size_t i = 0; s->class_of && i < s->rows; i++) {
        size_t *k = &kind[s->group[i]], own = 1 + class_at(s, i);
        *k = *k == SIZE_MAX || *k == own ? own : 0;
    }
    for (size_t g = 0; g < s->groups; g++)
        if (kind[g] == SIZE_MAX) kind[g] = 0;           /* no rows */
}

/* The groups in seeded order, with their sizes and kinds. */
static struct pile *piles_new(tamis_context *cx, const struct tamis_grouping *s, uint64_t seed, uint32_t purpose)
{
    struct tamis_rng r;
    size_t groups = s->groups, *order = tamis_raw(cx, size_t, groups), *size = tamis_new(cx, size_t, groups),
           *kind = tamis_raw(cx, size_t, groups);
    struct pile *pile = tamis_new(cx, struct pile, groups);
    if (pile && order && size && kind) {
        for (size_t g = 0; g < groups; g++) order[g] = g;
        for (size_t i = 0; i < s->rows; i++) size[s->group[i]]++;
        kinds_fill(s, kind);
        tamis_rng_init(&r, seed, purpose, 0);
        tamis_rng_shuffle(&r, order, groups);
        for (size_t k = 0; k < groups; k++) pile[k] = (struct pile){size[order[k]], k, order[k], kind[order[k]]};
    }
    tamis_free(order);
    tamis_free(size);
    tamis_free(kind);
    if (!tamis_status(cx)) return pile;
    tamis_free(pile);
    return NULL;
}

/* ---- folds ---- */

size_t tamis_fold_count(tamis_context *cx, size_t groups, size_t folds)
{
    if (folds <= groups || groups < 2) return folds;
    tamis_note(cx, "%zu folds instead of %zu: equal rows stay together, which leaves %zu groups", groups, folds,
               groups);
    return groups;
}

/* The fold that the next group goes to is the one with the fewest rows of its class, then with the fewest rows, then
 * the first: the top of a heap. */
struct deal { size_t folds, *heap, *total, *own; };     /* own: rows of the class that is being dealt */

static int before(const struct deal *q, size_t a, size_t b)
{
    if (q->own[a] != q->own[b]) return q->own[a] < q->own[b];
    if (q->total[a] != q->total[b]) return q->total[a] < q->total[b];
    return a < b;
}

static void sink(struct deal *q, size_t at)
{
    for (size_t child; (child = 2 * at + 1) < q->folds; at = child) {
        if (child + 1 < q->folds && before(q, q->heap[child + 1], q->heap[child])) child++;
        if (!before(q, q->heap[child], q->heap[at])) return;
        size_t swap = q->heap[at];
        q->heap[at] = q->heap[child];
        q->heap[child] = swap;
    }
}

/* Deals groups of one kind, the larger first. */
static void kind_deal(struct deal *q, const struct pile *pile, size_t piles, size_t *of)
{
    for (size_t f = 0; f < q->folds; f++) q->heap[f] = f;
    for (size_t f = q->folds / 2; f-- > 0;) sink(q, f);
    for (size_t k = 0; k < piles; k++) {
        size_t fold = of[pile[k].group] = q->heap[0];
        q->total[fold] += pile[k].rows;
        q->own[fold] += pile[k].rows;
        sink(q, 0);
    }
}

/* Rows of class c in fold f, at [c + (classes + 1) f], of the groups that have a fold. */
static size_t *class_counts(tamis_context *cx, const struct tamis_grouping *s, size_t folds, const size_t *of)
{
    size_t classes = s->classes + 1, *count = tamis_new(cx, size_t, folds * classes);
    for (size_t i = 0; count && i < s->rows; i++) {
        size_t f = of[s->group[i]];
        if (f != SIZE_MAX) count[class_at(s, i) + classes * f]++;
    }
    return count;
}

/* pile[] is in order: groups of several classes, then class by class. */
static int piles_deal(tamis_context *cx, const struct tamis_grouping *s, const struct pile *pile, struct deal *q,
                      size_t *of)
{
    size_t *mixed = NULL;
    for (size_t g = 0; g < s->groups; g++) of[g] = SIZE_MAX;
    for (size_t k = 0, piles; !tamis_status(cx) && k < s->groups; k += piles) {
        size_t kind = pile[k].kind, c = kind ? kind - 1 : 0;
        for (piles = 1; k + piles < s->groups && pile[k + piles].kind == kind;) piles++;
        for (size_t f = 0; f < q->folds; f++) q->own[f] = mixed ? mixed[c + (s->classes + 1) * f] : 0;
        kind_deal(q, pile + k, piles, of);
        if (!kind && piles < s->groups) mixed = class_counts(cx, s, q->folds, of);
    }
    tamis_free(mixed);
    return tamis_status(cx);
}

static int folds_check(tamis_context *cx, size_t groups, size_t folds)
{
    if (groups < 2) return tamis_fail(cx, TAMIS_DATA, "all rows are in one group and cannot be split into folds");
    if (folds >= 2 && folds <= groups) return TAMIS_OK;
    return tamis_fail(cx, TAMIS_USAGE, "--folds %zu: expected 2 to %zu, the number of groups", folds, groups);
}

int tamis_split_group_folds(tamis_context *cx, const struct tamis_grouping *s, size_t folds, uint64_t seed,
                            size_t *fold)
{
    if (folds_check(cx, s->groups, folds)) return tamis_status(cx);
    struct pile *pile = piles_new(cx, s, seed, TAMIS_RNG_FOLDS);
    size_t *of = tamis_raw(cx, size_t, s->groups);
    struct deal q = {folds, tamis_raw(cx, size_t, folds), tamis_new(cx, size_t, folds), tamis_new(cx, size_t, folds)};
    if (pile && of && q.heap && q.total && q.own) {
        qsort(pile, s->groups, sizeof *pile, by_kind_larger_first);
        if (!piles_deal(cx, s, pile, &q, of))
            for (size_t i = 0; i < s->rows; i++) fold[i] = of[s->group[i]];
    }
    tamis_free(pile);
    tamis_free(of);
    tamis_free(q.heap);
    tamis_free(q.total);
    tamis_free(q.own);
    return tamis_status(cx);
}

/* ---- hold-outs ---- */

/* Without classes: the first groups in order, until the share is reached. */
static void first_piles_out(const struct pile *pile, size_t groups, size_t wanted, unsigned char *out)
{
    size_t held = 0;
    for (size_t k = 0; k + 1 < groups && (!k || held + pile[k].rows / 2 < wanted); k++)
        out[pile[k].group] = 1, held += pile[k].rows;
}

/* In order, a group is held out if that brings the rows held out of its kind nearer to their share. At least one group
 * is held out, and not all. */
static int nearest_out(tamis_context *cx, const struct tamis_grouping *s, const struct pile *pile, double share,
                       unsigned char *out)
{
    size_t outs = 0;
    double *lack = tamis_new(cx, double, s->classes + 2);       /* rows to be held out, less those that are */
    for (size_t k = 0; lack && k < s->groups; k++) lack[pile[k].kind] += (double)pile[k].rows;
    for (size_t c = 0; lack && c < s->classes + 2; c++) lack[c] = floor(share * lack[c] + 0.5);
    for (size_t k = 0; lack && k < s->groups; k++) {
        double left = lack[pile[k].kind] - (double)pile[k].rows;
        if (fabs(left) >= fabs(lack[pile[k].kind])) continue;
        lack[pile[k].kind] = left;
        out[pile[k].group] = 1;
        outs++;
    }
    if (!outs) out[pile[0].group] = 1;
    if (outs == s->groups) out[pile[0].group] = 0;
    tamis_free(lack);
    return tamis_status(cx);
}

/* Moves the rows of groups that are held out to the front; how many. */
static size_t rows_move(size_t *row, const size_t *copy, const struct tamis_grouping *s, const unsigned char *out)
{
    size_t held = 0, front = 0, kept = 0;
    for (size_t i = 0; i < s->rows; i++) held += out[s->group[i]];
    for (size_t i = 0; i < s->rows; i++) row[out[s->group[i]] ? front++ : held + kept++] = copy[i];
    return held;
}

int tamis_split_group_holdout(tamis_context *cx, const struct tamis_grouping *s, size_t *row, double share,
                              uint64_t seed, size_t *held)
{
    if (s->groups < 2) return tamis_fail(cx, TAMIS_DATA, "--holdout: all rows are in one group and cannot be split");
    struct pile *pile = piles_new(cx, s, seed, TAMIS_RNG_HOLDOUT);
    unsigned char *out = tamis_new(cx, unsigned char, s->groups);
    size_t *copy = tamis_raw(cx, size_t, s->rows);
    if (pile && out && copy) {
        if (s->class_of) nearest_out(cx, s, pile, share, out);
        else first_piles_out(pile, s->groups, (size_t)floor(share * (double)s->rows + 0.5), out);
        memcpy(copy, row, s->rows * sizeof *copy);
        *held = rows_move(row, copy, s, out);
    }
    tamis_free(pile);
    tamis_free(out);
    tamis_free(copy);
    return tamis_status(cx);
}
