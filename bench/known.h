/* Tables with known answers, for the benchmarks of error bounds.
 *
 * family: independent, ar5, ar9 (autoregressions), blocks (factors of ten inputs), discrete (ar5 in three to five
 * values); target: linear, mixed (linear, squares, products), noise. */
#ifndef TAMIS_BENCH_KNOWN_H
#define TAMIS_BENCH_KNOWN_H

#include <math.h>
#include "base/rng.h"
#include "bench.h"

struct table { size_t n, d, effects; double *x, *y; size_t *order; };

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

/* Effects of random inputs; of a mixed target, one in five is a square, and one in five takes part in a product. */
static inline void target_fill(struct table *t, const char *target, double strength, struct tamis_rng *g)
{
    size_t n = t->n;
    for (size_t j = 0; j < t->d; j++) t->order[j] = j;
    tamis_rng_shuffle(g, t->order, t->d);
    for (size_t i = 0; i < n; i++) t->y[i] = tamis_rng_normal(g);
    if (!strcmp(target, "noise")) t->effects = 0;
    for (size_t k = 0; k < t->effects; k++) {
        const double *a = t->x + n * t->order[k], *b = t->x + n * t->order[k + 1 < t->effects ? k + 1 : 0];
        double sign = tamis_rng_below(g, 2) ? strength : -strength;
        size_t kind = strcmp(target, "mixed") ? 0 : k % 10;
        if (kind == 9) continue;                                        /* its product is the one before */
        for (size_t i = 0; i < n; i++)
            t->y[i] += kind == 8 ? 2 * sign * a[i] * b[i] : kind == 3 || kind == 6 ? sign * a[i] * a[i] : sign * a[i];
    }
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

static inline struct table known_room(size_t n, size_t d)
{
    return (struct table){
        .n = n, .d = d, .x = bench_room(n * d), .y = bench_room(n), .order = malloc(d * sizeof(size_t))};
}

static inline void known_free(struct table *t) { free(t->x), free(t->y), free(t->order); }

/* The true and the false inputs in set[]. */
static inline void count_print(const struct table *t, const unsigned char *set)
{
    size_t right = 0, wrong = 0;
    for (size_t k = 0; k < t->d; k++) *(k < t->effects ? &right : &wrong) += set[t->order[k]];
    printf(" %zu %zu", right, wrong);
}

#endif
