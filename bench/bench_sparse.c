/* One fit of the sparse network by projection, with a centre on every row, against the arithmetic that its evaluations
 * cannot avoid, on one core. Each evaluation at weights w needs the distances (a product n x n x d), n^2 exponentials,
 * the gradient (another product n x n x d) and two passes over the matrix (A alpha, A^T e).
 *
 *     bench_sparse [rows inputs]         250 10, then twice the rows; medians of interleaved repeats */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "bench.h"
#include "base/rng.h"
#include "method/sparse_rbf/sparse_fit.h"
#include "num/gauss.h"
#include "num/lapack.h"

enum { REPEATS = 5 };

static double bound(size_t n, size_t d, size_t evaluations, const double *x, double *a, double *v)
{
    double began = bench_clock();
    for (size_t k = 0; k < evaluations; k++) {
        tamis_gemm(PLAIN, TRANS, n, n, d, 1, x, n, x, n, 0, a, n);
        for (size_t i = 0; i < n * n; i++) a[i] = fabs(a[i]);
        tamis_exp_scale(n * n, a, 1, a);
        tamis_gemm(TRANS, PLAIN, n, d, n, 1, a, n, x, n, 0, v, n);
        tamis_gemv(PLAIN, n, n, 1, a, n, x, 0, v);
        tamis_gemv(TRANS, n, n, 1, a, n, x, 0, v);
    }
    return bench_clock() - began;
}

static void report(tamis_context *cx, size_t n, size_t d, double r, double t)
{
    struct tamis_rng g;
    double *x = bench_room(n * d), *y = bench_room(n), *a = bench_room(n * n), *v = bench_room(n * d),
           *w = bench_room(d), *alpha = bench_room(n + 1);
    double mine[REPEATS], least[REPEATS];
    struct tamis_sparse_data data = {{n, n, n, n, d, x, x}, y};
    struct tamis_sparse_fit *f = tamis_sparse_fit_new(cx, TAMIS_SPARSE_PROJECTION, n, n, d);
    struct tamis_sparse_answer answer;
    tamis_rng_init(&g, 1, TAMIS_RNG_TEST, 0);
    for (size_t i = 0; i < n * d; i++) x[i] = sqrt(12.0) * (tamis_rng_uniform(&g) - 0.5);
    for (size_t i = 0; i < n; i++) y[i] = sin(x[i] * x[i + n]) + 0.5 * x[i + 2 * n] + 0.2 * tamis_rng_normal(&g);
    for (int k = 0; k < REPEATS; k++) {
        for (size_t i = 0; i < d; i++) w[i] = t / (double)d;
        double began = bench_clock();
        if (tamis_sparse_solve(f, &data, r, t, 1e-4, 0, 1, w, alpha, &answer)) exit(1);
        mine[k] = bench_clock() - began;
        least[k] = bound(n, d, answer.evaluations, x, a, v);
    }
    double took = bench_median(mine, REPEATS), floor = bench_median(least, REPEATS);
    printf("%zu rows, %zu inputs, r %g, t %g: %zu evaluations, %.1f ms, bound %.1f ms, ratio %.2f\n", n, d, r, t,
           answer.evaluations, 1e3 * took, 1e3 * floor, took / floor);
    tamis_sparse_fit_free(f);
    free(x), free(y), free(a), free(v), free(w), free(alpha);
}

int main(int argc, char **argv)
{
    size_t n = argc > 1 ? strtoul(argv[1], NULL, 10) : 250, d = argc > 2 ? strtoul(argv[2], NULL, 10) : 10;
    tamis_context *cx = tamis_context_new();
    tamis_context_limits(cx, 1, 0);
    report(cx, n, d, 20, 1);
    report(cx, 2 * n, d, 20, 1);
    tamis_context_free(cx);
    return 0;
}
