/* Speed of one core of this machine, for comparison with the other benchmarks: dgemm, copying memory, vector
 * exponentials, strtod. Best of several. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "bench.h"
#include "num/gauss.h"
#include "num/lapack.h"

enum { N = 512, REPEATS = 7, BYTES = 1 << 28, VALUES = 2048, NUMBERS = 200000 };

static double sink;

static double products(double *a)
{
    double began = bench_clock();
    for (int k = 0; k < 4; k++) tamis_gemm(PLAIN, PLAIN, N, N, N, 1, a, N, a + N * N, N, 0, a + 2 * N * N, N);
    return (bench_clock() - began) / 4;
}

static double copies(double *a)
{
    double began = bench_clock();
    memcpy(a + BYTES / 16, a, BYTES / 2);
    sink += a[BYTES / 16 + 5];
    return bench_clock() - began;
}

static double exponentials(double *a)
{
    double began = bench_clock();
    for (int k = 0; k < 500; k++) tamis_exp_scale(VALUES, a, 1, a + VALUES), sink += a[VALUES + k];
    return (bench_clock() - began) / 500;
}

static double numbers(const char *text)
{
    double began = bench_clock();
    char *at = (char *)text;
    for (int k = 0; k < NUMBERS; k++) sink += strtod(at, &at);
    return bench_clock() - began;
}

int main(void)
{
    double *a = bench_room(BYTES / 8), best[4] = {INFINITY, INFINITY, INFINITY, INFINITY};
    char *text = malloc(NUMBERS * 16), *end = text;
    for (int k = 0; k < NUMBERS; k++) end += sprintf(end, "%.6g ", sin((double)k) * 50);
    for (size_t i = 0; i < BYTES / 8; i++) a[i] = (double)(i % 1000) * 0.01;
    for (int k = 0; k < REPEATS; k++) {
        double now[4] = {products(a), copies(a), exponentials(a), numbers(text)};
        for (int i = 0; i < 4; i++) best[i] = fmin(best[i], now[i]);
    }
    printf("%s kernels, one core: dgemm %.1f GF/s, copy %.1f GB/s, exp %.2f ns, strtod %.0f MB/s\n", tamis_blas(),
           2e-9 * N * N * N / best[0], BYTES / 2 / best[1] / 1e9, 1e9 * best[2] / VALUES,
           (double)(end - text) / 1e6 / best[3]);
    free(a), free(text);
    return sink == 1;
}
