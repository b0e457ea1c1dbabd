/* False discoveries and power of --fdr on tables with known answers, without the model that follows; fdr.py runs it.
 *
 *     bench_fdr family target rows inputs true draws first last
 *
 * Families and targets are those of known.h. One line for each of the tables first .. last-1: its number, then for
 * every bound (0.1, 0.2) and statistic (additive, linear, linear with one draw) the true and the false inputs selected.
 * With 0 draws: the tables themselves as CSV, the names of true inputs ending in *. */
#include "known.h"
#include "method/knockoffs/knockoffs.h"

/* ---- one table ---- */

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
    struct tamis_encoder e = {.classes = t->classes};
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
    struct table t = known_room(v[0], v[1]);
    int status = TAMIS_OK;
    for (size_t k = v[4]; k < v[5] && !status; k++) {
        known_fill(&t, word[1], word[2], v[2], k);
        if (v[3]) printf("%zu", k);
        status = v[3] ? table_run(cx, &t, v[3]) : table_print(&t);
    }
    if (status) fprintf(stderr, "%s\n", tamis_error(cx));
    known_free(&t);
    tamis_context_free(cx);
    return status;
}
