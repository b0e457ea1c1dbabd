/* Cost of a sweep of the sampler, against the vector exponentials that it cannot avoid: rows x kernels per evaluation
 * of the likelihood.
 *
 *     bench_rjmcmc [quick|DATA]
 *
 * quick: one generated table; DATA: folder with pima_tr.csv, wine_recognition.csv and ionosphere.csv; without it,
 * generated tables alone. */
#include <math.h>
#include "bench.h"
#include "base/rng_dist.h"
#include "method/rjmcmc/mixture_target.h"
#include "num/gauss.h"
static double sink;

static double cpu(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Seconds for `times` arrays of n exponentials. */
static double exps_take(size_t n, double *x, double times)
{
    double began = cpu();
    for (double k = 0; k < times; k++) tamis_exp_scale(n, x, 1, x + n), sink += x[n];
    return cpu() - began;
}

static void measure(tamis_context *cx, const char *name, const struct tamis_design *d, size_t kernels)
{
    struct tamis_mixture_settings set = {TAMIS_CONDITIONAL, TAMIS_WEIGHTS_KEEP, kernels, 0, 2, 0.2, 4, 0};
    struct tamis_mixture *m = tamis_mixture_new(cx, d, &set);
    struct tamis_mcmc_target target = tamis_mixture_target;
    struct tamis_mcmc_settings run = {1, 1, 3000, 100, 1, 5, 100, 3};
    target.model = m;
    if (!m || tamis_mixture_records_new(cx, m, 1, 100, 100)) return;
    struct tamis_mcmc *chain = tamis_mcmc_new(cx, &target, &run);
    if (!chain || tamis_mcmc_run(chain, NULL, 0)) return;
    struct tamis_mixture_state *s = chain->state[0];
    enum { ROUNDS = 41, SWEEPS = 60 };
    double ratio[ROUNDS], sweep[ROUNDS], each[ROUNDS], exps[ROUNDS], evaluations = 0, size = 0;
    size_t cells = d->rows * kernels;
    double *x = malloc(2 * cells * sizeof *x);
    for (size_t i = 0; i < cells; i++) x[i] = 0.01 * (double)(i % 1000);
    for (int round = 0; round < ROUNDS; round++) {      /* sweeps and exponentials alternate: noise affects both */
        double before = s->evaluations, began = cpu();
        for (int i = 0; i < SWEEPS; i++)
            tamis_mcmc_sweep(&target, 5, s, 1, chain->scale, &chain->rng[0], NULL),
                size += (double)s->size / SWEEPS / ROUNDS;
        sweep[round] = (cpu() - began) / SWEEPS;
        double made = s->evaluations - before;
        each[round] = sweep[round] * SWEEPS / made;
        exps[round] = exps_take(cells, x, made) / made;
        ratio[round] = each[round] / exps[round];
        evaluations += made / SWEEPS / ROUNDS;
    }
    qsort(ratio, ROUNDS, sizeof *ratio, tamis_by_value);
    qsort(sweep, ROUNDS, sizeof *sweep, tamis_by_value);
    qsort(each, ROUNDS, sizeof *each, tamis_by_value);
    qsort(exps, ROUNDS, sizeof *exps, tamis_by_value);
    printf("%-22s %5zu rows %4zu inputs %2zu kernels (%4.1f chosen): %7.1f us per sweep (best %7.1f), "
           "%5.1f evaluations of the likelihood, ratio to their exps: of the fastest rounds %.2f, median %.2f\n",
           name, d->rows, d->inputs, kernels, size, sweep[ROUNDS / 2] * 1e6, sweep[0] * 1e6, evaluations,
           each[0] / exps[0], ratio[ROUNDS / 2]);
    free(x);
    fflush(stdout);
    tamis_mcmc_free(chain);
    tamis_mixture_free(m);
}

static void measure_table(tamis_context *cx, const char *name, tamis_table *t, size_t kernels, size_t step)
{
    struct tamis_roles roles = {.force = 1};
    struct tamis_encoder *e = tamis_encoder_new(cx, t, &roles);
    size_t *row = NULL, rows = 0, used = 0;
    if (!e || tamis_rows_complete(cx, e, t, 1, &row, &rows)) return;
    for (size_t i = 0; i < rows; i += step) row[used++] = row[i];
    struct tamis_design *d = tamis_design_learn(cx, e, t, row, used, 1);
    if (d) measure(cx, name, d, kernels);
    else printf("%s: %s\n", name, tamis_error(cx));
    tamis_design_free(d);
    tamis_encoder_free(e);
    tamis_free(row);
}

/* Two classes that the first two inputs tell apart. */
static void made(tamis_context *cx, size_t rows, size_t inputs, size_t kernels)
{
    struct tamis_rng rng;
    tamis_table *t = NULL;
    double *x = malloc(rows * (inputs + 1) * sizeof *x);
    tamis_rng_init(&rng, 1, TAMIS_RNG_TEST, 0);
    for (size_t i = 0; i < rows * inputs; i++) x[i] = tamis_rng_normal(&rng);
    for (size_t i = 0; i < rows; i++) x[rows * inputs + i] = x[i] * x[i + rows] + 0.3 * tamis_rng_normal(&rng) > 0;
    if (!tamis_table_from_numbers(cx, rows, inputs + 1, x, 1, rows, NULL, &t)) measure_table(cx, "made", t, kernels, 1);
    tamis_table_free(t);
    free(x);
}

int main(int argc, char **argv)
{
    static const struct { const char *file; size_t kernels, step; } known[] = {
        {"pima_tr.csv", 3, 1}, {"wine_recognition.csv", 3, 3}, {"ionosphere.csv", 6, 2}};
    tamis_context *cx = tamis_context_new();
    tamis_context_limits(cx, 1, 0);
    if (argc > 1 && !strcmp(argv[1], "quick")) return made(cx, 200, 10, 3), tamis_context_free(cx), 0;
    for (size_t i = 0; argc > 1 && i < sizeof known / sizeof *known; i++) {
        char path[1024];
        tamis_table *t = NULL;
        snprintf(path, sizeof path, "%s/%s", argv[1], known[i].file);
        if (tamis_table_read(cx, path, NULL, &t)) printf("skipped: %s\n", tamis_error(cx));
        else measure_table(cx, known[i].file, t, known[i].kernels, known[i].step);
        tamis_table_free(t);
    }
    if (argc > 2) return 0;
    for (size_t rows = 200; rows <= 3200; rows *= 4) made(cx, rows, 10, 3);
    for (size_t inputs = 5; inputs <= 320; inputs *= 4) made(cx, 200, inputs, 3);
    for (size_t kernels = 2; kernels <= 32; kernels *= 4) made(cx, 200, 10, kernels);
    tamis_context_free(cx);
    return 0;
}
