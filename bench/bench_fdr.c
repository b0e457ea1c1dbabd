/* False discoveries and power of --fdr on tables with known answers, without the model that follows; fdr.py runs it.
 *
 *     bench_fdr family target rows inputs true draws first last
 *
 * family: independent, ar5, ar9 (autoregressions), blocks (factors of ten inputs), discrete (ar5 in three to five
 * values); target: linear, mixed (linear, squares, products), noise. One line for each of the tables first .. last-1:
 * its number, then for every bound (0.1, 0.2) and statistic (additive, linear, linear with one draw) the true and the
 * false inputs selected. With 0 draws: the tables themselves as CSV, the names of true inputs ending in *. */
#include <math.h>
#include "base/rng.h"
#include "bench.h"
#include "method/knockoffs/knockoffs.h"

struct table { size_t n, d, effects; double *x, *y; size_t *order; };

/* ---- families ---- */

static void inputs_fill(struct table *t, const char *family, struct tamis_rng *g)
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
static void discretise(struct table *t)
{
    for (size_t j = 0; j < t->d; j++)
        for (size_t i = 0; i < t->n; i++) {
            double *x = &t->x[i + t->n * j], most = 1 + (double)(j % 3) / 2;
            *x = fmin(fmax(floor(*x + 0.5 * (double)(j % 2)), -most), most);
        }
}

/* Effects of random inputs; of a mixed target, one in five is a square, and one in five takes part in a product. */
static void target_fill(struct table *t, const char *target, double strength, struct tamis_rng *g)
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

/* ---- one table ---- */

static void count_print(const struct table *t, const unsigned char *set)
{
    size_t right = 0, wrong = 0;
    for (size_t k = 0; k < t->d; k++) *(k < t->effects ? &right : &wrong) += set[t->order[k]];
    printf(" %zu %zu", right, wrong);
}

static int statistics(tamis_context *cx, const struct table *t, const struct knockoffs_law *law, size_t draws,
                      struct knockoffs_target *target, double *w)
{
    double *k = bench_room(t->n * t->d);
    int status = TAMIS_OK;
    for (size_t m = 0; m < draws && !status; m++) {
        status = knockoffs_draw(law, 1, m, k);
        if (!status) status = knockoffs_statistic(cx, target, t->d, t->x, k, w + t->d * m);
    }
    free(k);
    return status;
}

static int answers_print(tamis_context *cx, const struct table *t, size_t draws, const double *const *w)
{
    static const double bound[] = {0.1, 0.2};
    double *e = bench_room(t->d);
    unsigned char *set = calloc(t->d, 1);
    for (size_t q = 0; q < 2; q++)
        for (size_t s = 0; s < 3; s++) {
            knockoffs_choose(t->d, s < 2 ? draws : 1, w[s ? 1 : 0], bound[q], e, set);
            count_print(t, set);
        }
    printf("\n");
    fflush(stdout);
    free(e), free(set);
    return tamis_status(cx);
}

static int table_run(tamis_context *cx, struct table *t, size_t draws)
{
    struct tamis_encoder e = {.classes = 0};
    struct tamis_design design = {.encoder = &e, .rows = t->n, .y = t->y};
    struct tamis_run run = {.cx = cx, .design = &design};
    struct knockoffs_law law = {0};
    struct knockoffs_target target = {0};
    double *additive = bench_room(t->d * draws), *linear = bench_room(t->d * draws);
    int status = knockoffs_law_make(cx, t->n, t->d, t->x, NULL, 1, &law);
    if (!status) status = knockoffs_target_make(&run, &target);
    if (!status) status = statistics(cx, t, &law, draws, &target, additive);
    target.linear = 1;
    if (!status) status = statistics(cx, t, &law, draws, &target, linear);
    if (!status) status = answers_print(cx, t, draws, (const double *const[]){additive, linear});
    knockoffs_law_free(&law);
    tamis_free(target.y);
    free(additive), free(linear);
    return status;
}

static int table_print(const struct table *t)
{
    for (size_t j = 0; j < t->d; j++) {
        size_t k = 0;
        while (t->order[k] != j) k++;
        printf("x%zu%s,", j + 1, k < t->effects ? "*" : "");
    }
    printf("y\n");
    for (size_t i = 0; i < t->n; i++) {
        for (size_t j = 0; j < t->d; j++) printf("%.17g,", t->x[i + t->n * j]);
        printf("%.17g\n", t->y[i]);
    }
    return TAMIS_OK;
}

int main(int words, char **word)
{
    if (words != 9) return fputs("usage: bench_fdr family target rows inputs true draws first last\n", stderr), 2;
    size_t v[6];
    for (int k = 0; k < 6; k++) v[k] = strtoul(word[3 + k], NULL, 10);
    tamis_context *cx = tamis_context_new();
    struct table t = {v[0], v[1], v[2], bench_room(v[0] * v[1]), bench_room(v[0]), malloc(v[1] * sizeof(size_t))};
    int status = TAMIS_OK;
    for (size_t k = v[4]; k < v[5] && !status; k++) {
        struct tamis_rng g;
        tamis_rng_init(&g, 1000 + k, TAMIS_RNG_TEST, 1);
        t.effects = v[2];
        inputs_fill(&t, word[1], &g);
        if (!strcmp(word[1], "discrete")) discretise(&t);
        target_fill(&t, word[2], (strcmp(word[1], "ar9") ? 5.5 : 11) / sqrt((double)t.n), &g);
        if (v[3]) printf("%zu", k);
        status = v[3] ? table_run(cx, &t, v[3]) : table_print(&t);
    }
    if (status) fprintf(stderr, "%s\n", tamis_error(cx));
    free(t.x), free(t.y), free(t.order);
    tamis_context_free(cx);
    return status;
}
