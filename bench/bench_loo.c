/* Cost of one minimisation of the leave-one-out error at one width, in matrix products of the same order, on one core.
 *
 *     bench_loo [quick|large] [low]
 *
 * quick: n up to 600; large: n = 1500 and 2000 too; low: two inputs instead of ten, so that G is of low rank. Parts:
 * gauss (the exponentials alone), reduce (including them), gamma (scan and refinement), all (the same with every error
 * of the scan finished, which the total leaves out). Medians of interleaved repeats, processor time. */
#include <math.h>
#include <cblas.h>
#include "bench.h"
#include "base/rng.h"
#include "num/gauss.h"
#include "num/loo.h"
#include "num/minimise.h"

void dsyevd_(const char *jobz, const char *uplo, const int *n, double *a, const int *lda, double *w, double *work,
             const int *lwork, int *iwork, const int *liwork, int *info, size_t jobz_length, size_t uplo_length);

enum { REPEATS = 9, PARTS = 6 };
enum part { PRODUCT, EIGEN, GAUSS, REDUCE, GAMMA, ALL };

struct bench {
    size_t n;
    double *d2, *y, *a, *b, *c, *memory, *work;
    int *integers;
    struct tamis_loo w;
    struct tamis_minimum best;
};

static void *room(size_t count, size_t size)
{
    void *p = calloc(count, size);
    if (!p) {
        fputs("bench_loo: out of memory\n", stderr);
        exit(1);
    }
    return p;
}

static size_t eigen_room(size_t n)
{
    return 1 + 6 * n + 2 * n * n;
}

/* Uniform inputs of unit variance; a target as in Friedman's example. */
static void make(struct bench *s, size_t n, size_t inputs)
{
    struct tamis_rng r;
    *s = (struct bench){.n = n, .d2 = room(n * n, sizeof(double)), .y = room(n, sizeof(double)),
                        .a = room(n * n, sizeof(double)), .b = room(n * n, sizeof(double)),
                        .c = room(n * n, sizeof(double)), .memory = bench_room(tamis_loo_size(n)),
                        .work = room(eigen_room(n) + n, sizeof(double)), .integers = room(3 + 5 * n, sizeof(int))};
    tamis_rng_init(&r, n, TAMIS_RNG_TEST, 0);
    for (size_t v = 0; v < inputs; v++) {
        for (size_t i = 0; i < n; i++) {
            s->a[i] = sqrt(12.0) * (tamis_rng_uniform(&r) - 0.5);
            s->y[i] += v < 5 ? sin((double)(v + 1) * s->a[i]) / (double)(v + 1) : 0.0;
        }
        tamis_dist_add(n, s->a, s->d2);
    }
    for (size_t i = 0; i < n; i++)
        s->y[i] += 0.2 * tamis_rng_normal(&r);
    for (size_t i = 0; i < n * n; i++) {
        s->a[i] = tamis_rng_uniform(&r);
        s->b[i] = tamis_rng_uniform(&r);
    }
    tamis_loo_bind(&s->w, n, s->memory);
}

static void unmake(struct bench *s)
{
    free(s->d2), free(s->y), free(s->a), free(s->b), free(s->c), free(s->memory), free(s->work), free(s->integers);
}

static void least(void *arg, const double *lambda, size_t count, double *value)
{
    tamis_loo_least(arg, lambda, count, value);
}

static void errors(void *arg, const double *lambda, size_t count, double *value)
{
    tamis_loo_errors(arg, lambda, count, value);
}

static void eigen(struct bench *s)
{
    int n = (int)s->n, lwork = (int)eigen_room(s->n), liwork = 3 + 5 * n, info;
    dsyevd_("V", "L", &n, s->c, &n, s->work, s->work + n, &lwork, s->integers, &liwork, &info, 1, 1);
}

static double run(struct bench *s, enum part part)
{
    int n = (int)s->n;
    if (part == EIGEN)
        tamis_gauss(s->n, s->d2, 10.0, s->c);
    double start = bench_clock();
    switch (part) {
    case PRODUCT:
        cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1.0, s->a, n, s->b, n, 0.0, s->c, n);
        break;
    case EIGEN: eigen(s); break;
    case GAUSS: tamis_gauss(s->n, s->d2, 10.0, s->c); break;
    case REDUCE: tamis_loo_reduce(&s->w, s->d2, 10.0, s->y); break;
    case GAMMA: tamis_minimise(TAMIS_SEARCH_SCAN, -14.0, 3.0, 1e-5, least, &s->w, &s->best); break;
    case ALL: tamis_minimise(TAMIS_SEARCH_SCAN, -14.0, 3.0, 1e-5, errors, &s->w, &s->best); break;
    }
    return bench_clock() - start;
}

static void report(struct bench *s)
{
    double times[PARTS][REPEATS], t[PARTS];
    for (size_t k = 0; k < REPEATS; k++)
        for (size_t p = 0; p < PARTS; p++)
            times[p][k] = run(s, (enum part)p);
    for (size_t p = 0; p < PARTS; p++)
        t[p] = bench_median(times[p], REPEATS);
    double total = t[REDUCE] + t[GAMMA];
    printf("%5zu %5zu  %9.3f %7.1f  %8.3f  %6.2f %6.2f %6.2f %6.2f  %7.2f  %7.2f   %zu\n", s->n, s->w.rank,
           1e3 * t[PRODUCT], 2e-9 * pow((double)s->n, 3.0) / t[PRODUCT], 1e3 * total, t[GAUSS] / t[PRODUCT],
           t[REDUCE] / t[PRODUCT], t[GAMMA] / t[PRODUCT], t[ALL] / t[PRODUCT], total / t[PRODUCT], t[EIGEN] / total,
           s->best.evaluations);
}

int main(int argc, char **argv)
{
    static const size_t sizes[] = {100, 200, 400, 600, 800, 1000, 1500, 2000};
    size_t count = 6, inputs = 10;
    for (int i = 1; i < argc; i++) {
        count = strcmp(argv[i], "large") == 0 ? 8 : strcmp(argv[i], "quick") == 0 ? 4 : count;
        inputs = strcmp(argv[i], "low") == 0 ? 2 : inputs;
    }
    printf("BLAS kernel %s, one core, %zu inputs, sigma2 10; parts in products of order n\n", openblas_get_corename(),
           inputs);
    printf("    n  rank  product/ms   GF/s  total/ms   gauss reduce  gamma    all    total  eigen/total  lambdas\n");
    for (size_t i = 0; i < count; i++) {
        struct bench s;
        make(&s, sizes[i], inputs);
        report(&s);
        unmake(&s);
    }
    return 0;
}
