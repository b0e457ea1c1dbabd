/* The grid of an LS-SVM at one width (the Gaussian matrix, its reduction, exact 10-fold errors at 20 gammas) against
 * the arithmetic that it cannot avoid, on one core:
 *
 *     exponentials     n^2 / 2
 *     reduction        8/3 n^3 flops, at the speed of dgemm: 4/3 products of order n
 *     each gamma       the blocks of an inverse that belong to the folds: a product m x m/2 x n per fold, m = n / 10
 *
 *     bench_lssvm [rows ...]          400 1000; medians of interleaved repeats */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "bench.h"
#include "base/parallel.h"
#include "base/rng.h"
#include "num/gauss.h"
#include "num/lapack.h"
#include "num/lssvm_folds.h"

enum { FOLDS = 10, GAMMAS = 20, REPEATS = 15 };

struct task {
    size_t n;
    double *d2, *y, *a, *c, *memory, gamma[GAMMAS];
    struct tamis_folds folds;
    struct tamis_lssvm_data data;
    struct tamis_lssvm w;
};

static void make(struct task *s, size_t n)
{
    struct tamis_rng r;
    *s = (struct task){.n = n, .d2 = bench_room(n * n), .y = bench_room(n), .a = bench_room(n * n),
                       .c = bench_room(n * n)};
    tamis_rng_init(&r, n, TAMIS_RNG_TEST, 0);
    for (size_t v = 0; v < 10; v++) {
        for (size_t i = 0; i < n; i++)
            s->a[i] = sqrt(12.0) * (tamis_rng_uniform(&r) - 0.5), s->y[i] += v < 5 ? sin((double)(v + 1) * s->a[i]) : 0;
        tamis_dist_add(n, s->a, s->d2);
    }
    for (size_t i = 0; i < n * n; i++) s->a[i] = tamis_rng_uniform(&r);
    for (size_t g = 0; g < GAMMAS; g++) s->gamma[g] = pow(10, -1 + 5.0 * (double)g / (GAMMAS - 1));
    s->folds = (struct tamis_folds){FOLDS, calloc(FOLDS + 1, sizeof(size_t)), calloc(n, sizeof(size_t))};
    for (size_t i = 0; i < n; i++) s->folds.row[i] = i;
    for (size_t f = 0; f <= FOLDS; f++) s->folds.start[f] = f * n / FOLDS;
    s->data = (struct tamis_lssvm_data){n, 1, s->y, NULL, &s->folds};
    s->memory = bench_room(tamis_lssvm_size(&s->data));
    tamis_lssvm_bind(&s->w, &s->data, s->memory);
}

static void unmake(struct task *s)
{
    free(s->d2), free(s->y), free(s->a), free(s->c), free(s->memory), free(s->folds.start), free(s->folds.row);
}

/* Half a square of exponentials, 4/3 of a product, the blocks of the folds. */
static double bound(struct task *s)
{
    size_t n = s->n, m = n / FOLDS;
    double began = bench_clock();
    tamis_exp_scale(n * n / 2, s->d2, 0.1, s->c);
    tamis_gemm(PLAIN, PLAIN, n, n, n, 1, s->a, n, s->a, n, 0, s->c, n);
    tamis_gemm(PLAIN, PLAIN, n, n / 3, n, 1, s->a, n, s->a, n, 0, s->c, n);
    for (size_t k = 0; k < GAMMAS * FOLDS; k++) tamis_gemm(PLAIN, TRANS, m, m / 2, n, 1, s->a, n, s->a, n, 0, s->c, n);
    return bench_clock() - began;
}

static double ours(struct task *s)
{
    struct tamis_lssvm_error error[GAMMAS];
    double began = bench_clock();
    if (tamis_lssvm_gauss(&s->w, s->d2, 10)) exit(1);
    tamis_lssvm_errors(&s->w, s->gamma, GAMMAS, error);
    return bench_clock() - began;
}

static void report(size_t n)
{
    struct task s;
    double mine[REPEATS], least[REPEATS];
    make(&s, n);
    for (int k = 0; k < REPEATS; k++) mine[k] = ours(&s), least[k] = bound(&s);
    double t = bench_median(mine, REPEATS), b = bench_median(least, REPEATS);
    printf("%zu rows, one width, %d gammas, %d folds: %.2f ms, bound %.2f ms, ratio %.2f\n", n, GAMMAS, FOLDS, 1e3 * t,
           1e3 * b, t / b);
    unmake(&s);
}

int main(int argc, char **argv)
{
    if (argc < 2) report(400), report(1000);
    for (int i = 1; i < argc; i++) report(strtoul(argv[i], NULL, 10));
    return 0;
}
