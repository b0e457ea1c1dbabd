/* One OP-ELM against the matrix products that it cannot avoid, on one core; m = d + L neurons:
 *
 *     hidden layer      X W                     n x d x L
 *     ranking           H^T H                   n x m x m / 2 (a triangle, so half of the product)
 *     leave-one-out     H^T H, H R^-1           n x m x m / 2 each, and both again for a basis orthogonal to rounding
 *
 *     bench_opelm [rows inputs neurons [rounds]] */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "bench.h"
#include "base/rng.h"
#include "crit/crit.h"
#include "data/table.h"
#include "num/lapack.h"

static double *random_matrix(struct tamis_rng *r, size_t cells)
{
    double *x = aligned_alloc(64, (cells * sizeof *x + 63) / 64 * 64);
    for (size_t i = 0; i < cells; i++) x[i] = tamis_rng_normal(r);
    return x;
}

/* One round of the products alone. */
static double products(size_t n, size_t d, size_t l, const double *x, const double *h, double *c)
{
    size_t m = d + l;
    double began = bench_clock();
    tamis_gemm(PLAIN, PLAIN, n, l, d, 1, x, n, h, d, 0, c, n);
    tamis_gemm(TRANS, PLAIN, m / 2, m, n, 1, h, n, h, n, 0, c, m);
    for (int pass = 0; pass < 2; pass++) {
        tamis_gemm(TRANS, PLAIN, m / 2, m, n, 1, h, n, h, n, 0, c, m);
        tamis_gemm(PLAIN, PLAIN, n, m, m / 2, 1, h, n, c, m, 0, c + m * m, n);
    }
    return bench_clock() - began;
}

static struct tamis_design *made(tamis_context *cx, size_t n, size_t d, const double *x, struct tamis_encoder **e)
{
    tamis_table *t = NULL;
    size_t *row = NULL, rows = 0;
    if (tamis_table_from_numbers(cx, n, d + 1, x, 1, n, NULL, &t)) exit(1);
    *e = tamis_encoder_new(cx, t, &(struct tamis_roles){.force = -1});
    if (!*e || tamis_rows_complete(cx, *e, t, 1, &row, &rows)) exit(1);
    struct tamis_design *design = tamis_design_learn(cx, *e, t, row, rows, 1);
    tamis_free(row);
    tamis_table_free(t);
    return design;
}

int main(int argc, char **argv)
{
    size_t n = argc > 1 ? strtoul(argv[1], NULL, 10) : 713, d = argc > 2 ? strtoul(argv[2], NULL, 10) : 53,
           l = argc > 3 ? strtoul(argv[3], NULL, 10) : 100;
    int rounds = argc > 4 ? atoi(argv[4]) : 200;
    static const size_t self[1] = {SIZE_MAX};
    const char *const sorts[] = {"lg", "ls", "lsg"};
    tamis_context *cx = tamis_context_new();
    struct tamis_rng r;
    struct tamis_encoder *e;
    tamis_rng_init(&r, 1, TAMIS_RNG_TEST, 0);
    double *x = random_matrix(&r, n * (d + 1)), *h = random_matrix(&r, n * (d + l)),
           *c = random_matrix(&r, (n + d + l) * (d + l));
    struct tamis_design *design = made(cx, n, d, x, &e);
    unsigned char *set = calloc(d, 1);
    memset(set, 1, d);
    tamis_context_limits(cx, 1, 0);
    printf("%zu rows, %zu inputs, %zu neurons besides the linear ones; %s kernels\n", n, d, l, tamis_blas());
    for (int s = 0; s < 3; s++) {
        const struct tamis_criterion *press = tamis_criterion_find("press");
        tamis_options *o = tamis_options_new(cx);
        char most[32];
        void *scorer = NULL;
        double net = 1e9, gemm = 1e9;
        struct tamis_score score;
        snprintf(most, sizeof most, "%zu", l);
        tamis_options_set(o, "neurons", sorts[s]);
        tamis_options_set(o, "max-neurons", most);
        if (press->start(cx, design, o, 1, &scorer)) return fprintf(stderr, "%s\n", tamis_error(cx)), 1;
        for (int round = 0; round < rounds; round++) {           /* interleaved; the best of each */
            double began = bench_clock();
            if (press->evaluate(scorer, set, self, 1, NULL, &score)) return 1;
            double took = bench_clock() - began, alone = products(n, d, l, x, h, c);
            if (took < net) net = took;
            if (alone < gemm) gemm = alone;
        }
        printf("  %-4s OP-ELM %7.3f ms, its products %7.3f ms, ratio %.2f\n", sorts[s], 1e3 * net, 1e3 * gemm,
               net / gemm);
        press->finish(scorer);
        tamis_options_free(o);
    }
    tamis_design_free(design);
    tamis_encoder_free(e);
    tamis_context_free(cx);
    free(set), free(x), free(h), free(c);
    return 0;
}
