/* One step of a search by the Delta Test (every candidate added to a set of three inputs) against the arithmetic of all
 * pairs: rows^2 / 2 x candidates terms of two operations each, at the speed of sgemm (half a product rows x rows x
 * candidates), on one core. Trees and the neighbours known from the last step can beat that.
 *
 *     bench_delta [rows inputs]         4000 50; medians of interleaved repeats */
#include <stdio.h>
#include <stdlib.h>
#include "bench.h"
#include "base/rng.h"
#include "crit/crit.h"
#include "data/table.h"
#include "num/lapack.h"

enum { REPEATS = 5, SET = 3 };

static struct tamis_design *made(tamis_context *cx, size_t n, size_t d, struct tamis_encoder **e)
{
    tamis_table *t = NULL;
    size_t *row = NULL, rows = 0;
    struct tamis_rng r;
    double *x = bench_room(n * (d + 1)), *y = x + n * d;
    tamis_rng_init(&r, 1, TAMIS_RNG_TEST, 0);
    for (size_t i = 0; i < n * (d + 1); i++) x[i] = tamis_rng_uniform(&r);
    for (size_t i = 0; i < n; i++) y[i] = x[i] * x[i + n] + x[i + 2 * n] + x[i + 3 * n] + 0.1 * y[i];
    if (tamis_table_from_numbers(cx, n, d + 1, x, 1, n, NULL, &t)) exit(1);
    *e = tamis_encoder_new(cx, t, &(struct tamis_roles){.force = -1});
    if (!*e || tamis_rows_complete(cx, *e, t, 1, &row, &rows)) exit(1);
    struct tamis_design *design = tamis_design_learn(cx, *e, t, row, rows, 1);
    tamis_free(row);
    tamis_table_free(t);
    free(x);
    return design;
}

static double ours(tamis_context *cx, const struct tamis_design *d, size_t inputs)
{
    const struct tamis_criterion *delta = tamis_criterion_find("delta");
    tamis_options *o = tamis_options_new(cx);
    struct tamis_score *score = calloc(inputs, sizeof *score);
    unsigned char *set = calloc(inputs, 1);
    size_t *toggle = calloc(inputs, sizeof *toggle), count = 0;
    void *scorer = NULL;
    for (size_t i = 0; i < inputs; i++) {
        set[i] = i < SET;
        if (i >= SET) toggle[count++] = i;
    }
    if (delta->start(cx, d, o, 1, &scorer)) exit(1);
    double began = bench_clock();
    if (delta->evaluate(scorer, set, toggle, count, NULL, score)) exit(1);
    double took = bench_clock() - began;
    delta->finish(scorer);
    tamis_options_free(o);
    free(score), free(set), free(toggle);
    return took;
}

static double bound(size_t n, size_t candidates, const float *x, float *c)
{
    enum { PANEL = 512 };                               /* rows of the product at a time, so that it stays in cache */
    double began = bench_clock();
    for (size_t a = 0; a + PANEL <= n; a += PANEL)
        cblas_sgemm(CblasColMajor, CblasNoTrans, CblasTrans, PANEL, (int)n / 2, (int)candidates, 1, x + a, (int)n, x,
                    (int)n, 0, c, PANEL);
    return (bench_clock() - began) * (double)n / (double)(n / PANEL * PANEL);
}

int main(int argc, char **argv)
{
    size_t n = argc > 1 ? strtoul(argv[1], NULL, 10) : 4000, d = argc > 2 ? strtoul(argv[2], NULL, 10) : 50;
    double mine[REPEATS], least[REPEATS];
    struct tamis_encoder *e;
    tamis_context *cx = tamis_context_new();
    tamis_context_limits(cx, 1, 0);
    struct tamis_design *design = made(cx, n, d, &e);
    float *x = (float *)bench_room(n * d), *c = (float *)bench_room(n * 512);
    for (size_t i = 0; i < n * d; i++) x[i] = (float)(i % 101) * 0.01f;
    for (int k = 0; k < REPEATS; k++) mine[k] = ours(cx, design, d), least[k] = bound(n, d - SET, x, c);
    double t = bench_median(mine, REPEATS), b = bench_median(least, REPEATS);
    printf("%zu rows, %zu candidates: %.1f ms, bound %.1f ms, ratio %.2f\n", n, d - SET, 1e3 * t, 1e3 * b, t / b);
    tamis_design_free(design);
    tamis_encoder_free(e);
    tamis_context_free(cx);
    free(x), free(c);
    return 0;
}
