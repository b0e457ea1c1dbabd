/* Tables with known answers, for the benchmarks of error bounds.
 *
 * family: independent, ar5, ar9 (autoregressions), blocks (factors of ten inputs), discrete (ar5 in three to five
 * values); target: linear, mixed (linear, squares, products), noise; two, three: classes, of which each row draws one by
 * exp(score), 0 and one or two sums of linear effects. */
#ifndef TAMIS_BENCH_KNOWN_H
#define TAMIS_BENCH_KNOWN_H

#include <math.h>
#include "base/rng.h"
#include "bench.h"

struct table { size_t n, d, effects, classes; double *x, *y, *score, *effect; size_t *order; };

/* ---- families ---- */

static inline void inputs_fill(struct table *t, const char *family, struct tamis_rng *g)
{
    size_t n = t->n;
    int blocks = !strcmp(family, "blocks");
    double rho = !strcmp(family, "independent") ? 0 : !strcmp(family, "ar9") ? 0.9 : 0.5, common = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < t->d; j++) {
            double e = tamis_rng_normal(g), before = j ? t->x[i + n * (j - 1)] : 0;
            if (blocks && j % 10 == 0) common = tamis_rng_normal(g);
            t->x[i + n * j] = blocks ? sqrt(0.5) * (common + e) : j ? rho * before + sqrt(1 - rho * rho) * e : e;
        }
}

/* Three to five values: cut points one standard deviation apart. */
static inline void discretise(struct table *t)
{
    for (size_t j = 0; j < t->d; j++)
        for (size_t i = 0; i < t->n; i++) {
            double *x = &t->x[i + t->n * j], most = 1 + (double)(j % 3) / 2;
            *x = fmin(fmax(floor(*x + 0.5 * (double)(j % 2)), -most), most);
        }
}

/* One of three classes has score 0, the others have sums of every second effect; of two, one has all. */
static inline void classes_draw(struct table *t, double strength, struct tamis_rng *g)
{
    size_t n = t->n;
    memset(t->score, 0, 2 * n * sizeof *t->score);
    for (size_t k = 0; k < t->effects; k++) {
        const double *a = t->x + n * t->order[k];
        double sign = tamis_rng_below(g, 2) ? strength : -strength, *score = t->score + n * (t->classes > 2 && k % 2);
        for (size_t i = 0; i < n; i++) score[i] += sign * a[i];
    }
    for (size_t i = 0; i < n; i++) {
        double first = exp(t->score[i]), second = t->classes > 2 ? exp(t->score[i + n]) : 0;
        double u = tamis_rng_uniform(g) * (1 + first + second);
        t->y[i] = u < 1 ? 0 : u < 1 + first ? 1 : 2;
    }
}

/* Of a mixed target, one effect in five is a square, and one input in five takes part in a product. */
static inline void effects_add(struct table *t, const char *target)
{
    size_t n = t->n;
    for (size_t k = 0; k < t->effects; k++) {
        const double *a = t->x + n * t->order[k], *b = t->x + n * t->order[k + 1 < t->effects ? k + 1 : 0];
        double size = t->effect[k];
        size_t kind = strcmp(target, "mixed") ? 0 : k % 10;
        if (kind == 9) continue;                                        /* its product is the one before */
        for (size_t i = 0; i < n; i++)
            t->y[i] += kind == 8 ? 2 * size * a[i] * b[i] : kind == 3 || kind == 6 ? size * a[i] * a[i] : size * a[i];
    }
}

/* Effects of random inputs, of random sign. */
static inline void target_fill(struct table *t, const char *target, double strength, struct tamis_rng *g)
{
    for (size_t j = 0; j < t->d; j++) t->order[j] = j;
    tamis_rng_shuffle(g, t->order, t->d);
    t->classes = !strcmp(target, "two") ? 2 : !strcmp(target, "three") ? 3 : 0;
    if (t->classes) {
        classes_draw(t, 2 * strength, g);
        return;
    }
    for (size_t i = 0; i < t->n; i++) t->y[i] = tamis_rng_normal(g);
    if (!strcmp(target, "noise")) t->effects = 0;
    for (size_t k = 0; k < t->effects; k++) t->effect[k] = tamis_rng_below(g, 2) ? strength : -strength;
    effects_add(t, target);
}

/* Table number k of a family, with `effects` inputs that matter: the first ones of order[]. */
static inline void known_fill(struct table *t, const char *family, const char *target, size_t effects, size_t k)
{
    struct tamis_rng g;
    tamis_rng_init(&g, 1000 + k, TAMIS_RNG_TEST, 1);
    t->effects = effects;
    inputs_fill(t, family, &g);
    if (!strcmp(family, "discrete")) discretise(t);
    target_fill(t, target, (strcmp(family, "ar9") ? 5.5 : 11) / sqrt((double)t->n), &g);
}

/* Other rows of the same table number k: `rows` of them, with the same effects; draw: which. No classes. */
static inline void known_again(struct table *t, const char *family, const char *target, size_t rows, size_t k, size_t draw)
{
    struct tamis_rng g;
    tamis_rng_init(&g, 1000 + k, TAMIS_RNG_TEST, 2 + draw);
    t->n = rows;
    inputs_fill(t, family, &g);
    if (!strcmp(family, "discrete")) discretise(t);
    for (size_t i = 0; i < rows; i++) t->y[i] = tamis_rng_normal(&g);
    effects_add(t, target);
}

static inline struct table known_room(size_t n, size_t d)
{
    return (struct table){.n = n, .d = d, .x = bench_room(n * d), .y = bench_room(n), .score = bench_room(2 * n),
                          .effect = bench_room(d), .order = malloc(d * sizeof(size_t))};
}

static inline void known_free(struct table *t) { free(t->x), free(t->y), free(t->score), free(t->effect), free(t->order); }

/* The true and the false inputs in set[]. */
static inline void count_print(const struct table *t, const unsigned char *set)
{
    size_t right = 0, wrong = 0;
    for (size_t k = 0; k < t->d; k++) *(k < t->effects ? &right : &wrong) += set[t->order[k]];
    printf(" %zu %zu", right, wrong);
}

#endif
