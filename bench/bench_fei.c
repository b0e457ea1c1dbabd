/* Speed of the feature evaluation indices on one core: all sets of 20 features, and all single features and the best
 * set of 10 among 10,000. The networks are random clusters in classes; every line gives the requirement and the
 * measurement. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "bench.h"
#include "base/base.h"
#include "base/rng.h"
#include "num/fei_index.h"
#include "num/fei_search.h"

struct net { size_t n, m, l; double *mu, *sigma, *omega, *work, *a, *b; };

/* Nodes of class c % l scatter around a mean of their own in the first `useful` features. */
static struct net make(size_t n, size_t m, size_t l, size_t useful, uint32_t seed)
{
    struct tamis_rng r;
    struct net q = {n, m, l, malloc(n * m * 8), malloc(m * 8), malloc(m * l * 8), malloc(3 * m * 8), malloc(n * l * 8),
                    malloc(n * l * 8)};
    tamis_rng_init(&r, 1, TAMIS_RNG_TEST, seed);
    for (size_t j = 0; j < n; j++) {
        double mean[16];
        for (size_t k = 0; k < l; k++) mean[k] = j < useful ? 2 * tamis_rng_normal(&r) : 0;
        for (size_t c = 0; c < m; c++) q.mu[c + m * j] = mean[c % l] + 0.5 * tamis_rng_normal(&r);
    }
    for (size_t c = 0; c < m; c++) q.sigma[c] = 1 + tamis_rng_uniform(&r);
    for (size_t c = 0; c < m; c++)
        for (size_t k = 0; k < l; k++) q.omega[c + m * k] = (c % l == k ? 1 : 0.2) + 0.2 * tamis_rng_normal(&r);
    tamis_fei_omega(m * l, q.omega, q.omega);
    return q;
}

static void drop(struct net *q)
{
    double *all[] = {q->mu, q->sigma, q->omega, q->work, q->a, q->b};
    for (int i = 0; i < 6; i++) free(all[i]);
}

/* The least that 2^n sets with l classes cost when the sums of a set come from those of another: two additions and a
 * division per set and class, in cache. */
static double arithmetic(size_t sets, size_t l)
{
    enum { BLOCK = 1024 };
    static double a[BLOCK], b[BLOCK], v[BLOCK], sink;
    for (size_t i = 0; i < BLOCK; i++) a[i] = 1 + (double)i, b[i] = 2 + (double)i;
    double began = bench_clock();
    for (size_t done = 0; done < sets; done += BLOCK)
        for (size_t k = 0; k < l; k++) {
            double p = (double)k, q = (double)done;
            for (size_t i = 0; i < BLOCK; i++) v[i] += (a[i] + p) / (b[i] + q);
        }
    double took = bench_clock() - began;
    sink += v[7];
    return sink > 0 ? took : 0;
}

static void all_sets(void)
{
    struct net q = make(20, 12, 6, 8, 1);
    size_t all = (size_t)1 << 20, low = 10;
    double *value = malloc(all * 8), *work = malloc(8 << (low + 1)), best = INFINITY, least = INFINITY;
    for (int round = 0; round < 3; round++) {
        double began = bench_clock();
        tamis_fei_terms(TAMIS_FEI2, TAMIS_SYMMETRIC, q.n, q.m, q.l, q.mu, q.sigma, q.omega, q.work, q.a, q.b);
        for (size_t h = 0; h < all >> low; h++)
            tamis_fei_block(q.n, q.l, q.a, q.b, h << low, low, work, value + (h << low));
        best = fmin(best, bench_clock() - began);
        least = fmin(least, arithmetic(all, q.l));
    }
    unsigned char set[20];
    double worst = 0;
    for (size_t f = 0; f + 1 < all; f += 997) {
        for (size_t j = 0; j < 20; j++) set[j] = f >> j & 1;
        worst = fmax(worst, fabs(value[f] / tamis_fei_value(20, q.l, q.a, q.b, set) - 1));
    }
    printf("%-52s %-12s %.4f s, its arithmetic %.4f s, ratio %.2f "
           "(largest relative difference from single evaluations %.1e)\n",
           "20 inputs, 6 classes, 1,048,575 sets", "< 0.5 s", best, least, best / least, worst);
    free(value);
    free(work);
    drop(&q);
}

static void many(size_t useful, size_t terms_of)
{
    size_t n = 10000, l = 6, m = 12;
    double *a = malloc(n * l * terms_of * 8), *b = malloc(n * l * terms_of * 8), *value = malloc(n * 8),
           *work2 = malloc(2 * n * 8), singles = INFINITY;
    for (size_t i = 0; i < terms_of; i++) {
        struct net q = make(n, m, l, useful, 2 + (uint32_t)i);
        for (int round = 0; round < 3 && i == 0; round++) {
            double began = bench_clock();
            tamis_fei_terms(TAMIS_FEI2, TAMIS_SYMMETRIC, n, m, l, q.mu, q.sigma, q.omega, q.work, q.a, q.b);
            tamis_fei_singles(n, l, q.a, q.b, work2, value);
            singles = fmin(singles, bench_clock() - began);
        }
        tamis_fei_terms(TAMIS_FEI2, TAMIS_SYMMETRIC, n, m, l, q.mu, q.sigma, q.omega, q.work, a + n * l * i,
                        b + n * l * i);
        drop(&q);
    }
    double *work = malloc(tamis_fei_search_size(n, l * terms_of) * 8);
    size_t *index = malloc(2 * n * sizeof *index);
    unsigned char *flag = malloc(3 * n), *set = calloc(n, 1);
    struct tamis_fei_search s = {n, l * terms_of, 10, a, b, 1e9, work, index, flag, NULL, NULL};
    struct tamis_fei_found found;
    double began = bench_clock();
    tamis_fei_search(&s, set, &found);
    double took = bench_clock() - began;
    char what[80];
    if (terms_of == 1) printf("%-52s %-12s %.4f s\n", "10,000 inputs: singles after training", "< 0.05 s", singles);
    snprintf(what, sizeof what, "10,000 inputs, %zu useful, %zu network%s: best 10-set", useful, terms_of,
             terms_of == 1 ? "" : "s");
    printf("%-52s %-12s %.3f s, value %.8g, bound %.8g (%.2g %% above), %s, %zu nodes\n", what, "< 10 s", took,
           found.value / (double)terms_of, found.bound / (double)terms_of, 100 * (found.bound / found.value - 1),
           found.proved ? "proved" : "not proved", found.nodes);
    free(a); free(b); free(value); free(work2); free(work); free(index); free(flag); free(set);
}

int main(void)
{
    printf("%-52s %-12s %s\n", "what", "required", "measured");
    all_sets();
    many(50, 1);
    many(0, 1);
    many(50, 20);
    return 0;
}
