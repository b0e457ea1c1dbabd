/* Several targets in the criteria: against refits without each row, and against single targets. */
#include "crit/crit.h"
#include "num/centers.h"
#include "num/loo.h"
#include "unit.h"

/* A table of d inputs and the targets y1, y2 = 5 - 3 y1 and y3, each a function of some inputs and noise. */
static tamis_table *with_targets(tamis_context *cx, size_t n, size_t d, uint64_t seed)
{
    static const char *const name[] = {"a", "b", "c", "d", "e", "y1", "y2", "y3"};
    double *v = normal_numbers(n * (d + 3), seed);
    tamis_table *t = NULL;
    for (size_t i = 0; i < n; i++) {
        v[i + n * d] = sin(v[i]) + v[i + n] + 0.2 * v[i + n * d];
        v[i + n * (d + 1)] = 5 - 3 * v[i + n * d];
        v[i + n * (d + 2)] = v[i + n] * v[i + 2 * n] + 0.3 * v[i + n * (d + 2)];
    }
    assert_int_equal(tamis_table_from_numbers(cx, n, d + 3, v, 1, n, name, &t), TAMIS_OK);
    free(v);
    return t;
}

/* ---- brute force ---- */

/* x of (A + lambda I) x = b, A p x p, by Gauss and Jordan. */
static void solve(size_t p, double *a, double lambda, double *b)
{
    for (size_t k = 0; k < p; k++) a[k + p * k] += lambda;
    for (size_t k = 0; k < p; k++)
        for (size_t i = 0; i < p; i++) {
            double ratio = a[i + p * k] / a[k + p * k];
            if (i == k) continue;
            for (size_t j = k; j < p; j++) a[i + p * j] -= ratio * a[k + p * j];
            b[i] -= ratio * b[k];
        }
    for (size_t k = 0; k < p; k++) b[k] /= a[k + p * k];
}

/* Squared error at row i of the network fitted without it; phi: n x p. */
static double without_row(size_t n, size_t p, const double *phi, const double *y, size_t i, double lambda)
{
    double *a = calloc(p * p, sizeof *a), *b = calloc(p, sizeof *b), e = y[i];
    for (size_t r = 0; r < n; r++)
        for (size_t k = 0; k < p && r != i; k++) {
            b[k] += phi[r + n * k] * y[r];
            for (size_t j = 0; j < p; j++) a[j + p * k] += phi[r + n * j] * phi[r + n * k];
        }
    solve(p, a, lambda, b);
    for (size_t k = 0; k < p; k++) e -= phi[i + n * k] * b[k];
    free(a), free(b);
    return e * e;
}

static double refits(const struct tamis_design *d, double sigma2, double lambda)
{
    size_t n = d->rows, p = n + 1, outputs = tamis_design_outputs(d);
    double *phi = malloc(n * p * sizeof *phi), sum = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= n; j++) {
            double d2 = 0;
            for (size_t k = 0; k < d->columns && j < n; k++) d2 += pow(d->x[i + n * k] - d->x[j + n * k], 2);
            phi[i + n * j] = exp(-d2 / sigma2);
        }
    for (size_t o = 0; o < outputs; o++)
        for (size_t i = 0; i < n; i++) sum += without_row(n, p, phi, d->y + n * o, i, lambda) / (double)(n * outputs);
    free(phi);
    return sum;
}

/* Mean over the rows and targets of the squared error of the mean of the k nearest other rows; k 1: half of it, which
 * is the Delta Test. */
static double neighbours(const struct tamis_design *d, size_t k)
{
    size_t n = d->rows, outputs = tamis_design_outputs(d);
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        double mean[3] = {0}, last = -1;
        for (size_t t = 0; t < k; t++) {
            size_t best = i;
            double near = INFINITY;
            for (size_t j = 0; j < n; j++) {
                double d2 = 0;
                for (size_t c = 0; c < d->columns; c++) d2 += pow(d->x[i + n * c] - d->x[j + n * c], 2);
                if (j != i && d2 > last && d2 < near) near = d2, best = j;
            }
            last = near;
            for (size_t o = 0; o < outputs; o++) mean[o] += d->y[best + n * o] / (double)k;
        }
        for (size_t o = 0; o < outputs; o++) sum += pow(d->y[i + n * o] - mean[o], 2) / (double)(n * outputs);
    }
    return k == 1 ? sum / 2 : sum;
}

static double score_of(tamis_context *cx, const char *criterion, const char *words,
                       double brute(const struct tamis_design *))
{
    tamis_table *t = with_targets(cx, 23, 5, 4);
    tamis_options *o = worded(cx, words);
    struct tamis_run run = {.cx = cx, .data = t};
    const struct tamis_criterion *c = tamis_criterion_find(criterion);
    unsigned char set[5] = {1, 1, 1, 1, 1};
    size_t self = SIZE_MAX;
    struct tamis_score score;
    void *scorer = NULL;
    assert_int_equal(tamis_run_prepare(&run, o), TAMIS_OK);
    assert_int_equal(tamis_design_outputs(run.design), 2);
    assert_int_equal(c->start(cx, run.design, o, 1, &scorer), TAMIS_OK);
    assert_int_equal(c->evaluate(scorer, set, &self, 1, NULL, &score), TAMIS_OK);
    double expected = brute(run.design);
    c->finish(scorer);
    tamis_run_finish(&run);
    tamis_options_free(o);
    tamis_table_free(t);
    assert_relative(score.value, expected, 1e-8);
    return score.value;
}

static double wide_refits(const struct tamis_design *d) { return refits(d, 12, 0.5); }
static double narrow_refits(const struct tamis_design *d) { return refits(d, 0.4, 0.01); }
static double nearest(const struct tamis_design *d) { return neighbours(d, 1); }
static double four_nearest(const struct tamis_design *d) { return neighbours(d, 4); }

static void criteria_equal_brute_force(void **state)
{
    tamis_context *cx = *state;
    const char *two = "target=y1,y3 inputs=a,b,c,d,e method=search ";
    char words[200];
    static const struct { const char *criterion, *words; double (*brute)(const struct tamis_design *); } c[] = {
        {"loo-rbf", "criterion=loo-rbf sigma2=12:12:1 regularization=0.5:0.5", wide_refits},
        {"loo-rbf", "criterion=loo-rbf sigma2=0.4:0.4:1 regularization=0.01:0.01", narrow_refits},
        {"delta", "criterion=delta", nearest},
        {"knn", "criterion=knn neighbors=4", four_nearest}};
    for (size_t k = 0; k < sizeof c / sizeof *c; k++) {
        snprintf(words, sizeof words, "%s%s", two, c[k].words);
        assert_above(score_of(cx, c[k].criterion, words, c[k].brute), 0);
    }
}

/* One reduction for several targets gives each the numbers of its own, also where G is of low rank. */
static void targets_share_the_reduction(void **state)
{
    enum { N = 60, TARGETS = 3 };
    static const double width[] = {0.3, 40, 4000}, lambda[] = {1e-9, 1e-3, 2};
    double *x = normal_numbers(N, 3), *y = normal_numbers(N * TARGETS, 5), *d2 = malloc(N * N * sizeof *d2),
           *memory = malloc((tamis_loo_size(N) + 2 * N * TARGETS) * sizeof *memory),
           *alpha = malloc((N + 1) * (TARGETS + 1) * sizeof *alpha);
    (void)state;
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < N; j++) d2[i + N * j] = pow(x[i] - x[j], 2);
    for (size_t k = 0; k < 3; k++) {
        double all[3], one[3], sum[3] = {0};
        struct tamis_loo w;
        tamis_loo_bind(&w, N, memory);
        tamis_loo_targets(&w, TARGETS, memory + tamis_loo_size(N));
        assert_int_equal(tamis_loo_reduce(&w, d2, width[k], y), 0);
        tamis_loo_errors(&w, lambda, 3, all);
        tamis_loo_weights(&w, lambda[1], alpha);
        for (size_t o = 0; o < TARGETS; o++) {
            tamis_loo_bind(&w, N, memory);
            assert_int_equal(tamis_loo_reduce(&w, d2, width[k], y + N * o), 0);
            tamis_loo_errors(&w, lambda, 3, one);
            tamis_loo_weights(&w, lambda[1], alpha + (N + 1) * TARGETS);
            for (size_t l = 0; l < 3; l++) sum[l] += one[l] / TARGETS;
            assert_memory_equal(alpha + (N + 1) * o, alpha + (N + 1) * TARGETS, (N + 1) * sizeof *alpha);
        }
        for (size_t l = 0; l < 3; l++) assert_relative(all[l], sum[l], 1e-12);
    }
    free(x), free(y), free(d2), free(memory), free(alpha);
}

/* The same with centres, of which there may be more than directions. */
static void targets_share_centres(void **state)
{
    enum { N = 300, M = 40, TARGETS = 3 };
    static const double width[] = {0.3, 40, 4000}, lambda[] = {1e-9, 1e-3, 2};
    static const size_t column = 0;
    double *x = normal_numbers(N, 3), *y = normal_numbers(N * TARGETS, 5),
           *memory = malloc(tamis_centers_size(M, TARGETS) * sizeof *memory), alpha[TARGETS + 1][M + 1];
    (void)state;
    for (size_t k = 0; k < 3; k++) {
        struct tamis_centers_data data = {N, N, M, N, 1, x, x, y, &column, .outputs = TARGETS};
        struct tamis_centers w;
        struct tamis_minimum best;
        double all[3], one[3], sum[3] = {0}, found, mean = 0;
        tamis_centers_bind(&w, &data, memory);
        assert_int_equal(tamis_centers_reduce(&w, width[k]), 0);
        tamis_centers_errors(&w, lambda, 3, all);
        tamis_centers_weights(&w, lambda[1], alpha[0]);
        tamis_centers_minimise(&w, -9, 3, &best);
        data.outputs = 1;
        for (size_t o = 0; o < TARGETS; o++, data.y += N) {
            tamis_centers_bind(&w, &data, memory);
            assert_int_equal(tamis_centers_reduce(&w, width[k]), 0);
            tamis_centers_errors(&w, lambda, 3, one);
            tamis_centers_errors(&w, &best.lambda, 1, &found);
            tamis_centers_weights(&w, lambda[1], alpha[TARGETS]);
            for (size_t l = 0; l < 3; l++) sum[l] += one[l] / TARGETS;
            mean += found / TARGETS;
            for (size_t i = 0; i <= M; i++) assert_near(alpha[o][i], alpha[TARGETS][i], 1e-7);
        }
        for (size_t l = 0; l < 3; l++) assert_relative(all[l], sum[l], 1e-9);
        assert_relative(best.value, mean, 1e-9);
    }
    free(x), free(y), free(memory);
}

/* The value of all inputs, of the targets named. */
static double value_of(tamis_context *cx, const tamis_table *t, const char *words, const char *target)
{
    char all[200];
    unsigned char set[5] = {1, 1, 1, 1, 1};
    size_t self = SIZE_MAX;
    struct tamis_score score;
    void *scorer = NULL;
    snprintf(all, sizeof all, "%s target=%s inputs=a,b,c,d,e method=search", words, target);
    tamis_options *o = worded(cx, all);
    struct tamis_run run = {.cx = cx, .data = t};
    assert_int_equal(tamis_run_prepare(&run, o), TAMIS_OK);
    assert_int_equal(run.criterion->start(cx, run.design, run.options, 1, &scorer), TAMIS_OK);
    assert_int_equal(run.criterion->evaluate(scorer, set, &self, 1, NULL, &score), TAMIS_OK);
    run.criterion->finish(scorer);
    tamis_run_finish(&run);
    tamis_options_free(o);
    return score.value;
}

/* At the same parameters, the value of two targets is the mean of their values. */
static void values_are_means_over_targets(void **state)
{
    static const char *const criterion[] = {
        "criterion=cv-lssvm sigma2=9:9:1 gamma=7:7:1", "criterion=loo-lssvm sigma2=9:9:1 gamma=7:7:1",
        "criterion=cv-rrkrr sigma2=9:9:1 gamma=7:7:1", "criterion=cv-rrkrr sigma2=9:9:1 gamma=7:7:1 candidates=12",
        "criterion=loo-rbf sigma2=9:9:1 regularization=0.2:0.2 centers=9", "criterion=mi"};
    tamis_context *cx = *state;
    tamis_table *t = with_targets(cx, 40, 5, 11);
    for (size_t k = 0; k < sizeof criterion / sizeof *criterion; k++) {
        double one = value_of(cx, t, criterion[k], "y1"), other = value_of(cx, t, criterion[k], "y3");
        assert_true(one != other);
        assert_relative(value_of(cx, t, criterion[k], "y1,y3"), 0.5 * (one + other), 1e-10);
    }
    tamis_table_free(t);
}

/* ---- whole runs ---- */

static const char *const ways[] = {"method=sisal sigma2=2:40:4",
                                   "method=sisal sigma2=2:40:4 select-rule=se rule-folds=3",
                                   "method=search criterion=delta",
                                   "method=search criterion=delta ties=first scaling",
                                   "method=search criterion=knn",
                                   "method=search criterion=gamma-test",
                                   "method=search criterion=press max-neurons=10",
                                   "method=forward criterion=loo-rbf sigma2=2:40:4",
                                   "method=sisal sigma2=2:40:4 centers=12",
                                   "method=search criterion=mi",
                                   "method=search criterion=mi scaling",
                                   "method=forward criterion=cv-lssvm sigma2=2:40:4 gamma=1:100:3",
                                   "method=lssvm",
                                   "method=lssvm select=forward criterion=loo-lssvm sigma2=2:40:4 gamma=1:100:3",
                                   "method=rrkrr select=forward sigma2=2:40:4 gamma=1:100:3",
                                   "method=rrkrr candidates=20 sigma2=2:40:4 gamma=1:100:3",
                                   "method=opelm max-neurons=10"};

static tamis_result *targets_chosen(tamis_context *cx, const tamis_table *t, const char *words, const char *target)
{
    char all[200];
    snprintf(all, sizeof all, "%s target=%s inputs=a,b,c,d,e", words, target);
    return chosen(cx, t, NULL, worded(cx, all));
}

/* y2 is y1 in other units: as two targets they have the answer of one. */
static void equal_targets_are_one(void **state)
{
    tamis_context *cx = *state;
    tamis_table *t = with_targets(cx, 50, 5, 8);
    double one[50], two[100];
    for (size_t k = 0; k < sizeof ways / sizeof *ways; k++) {
        tamis_result *a = targets_chosen(cx, t, ways[k], "y1"), *b = targets_chosen(cx, t, ways[k], "y1,y2");
        assert_int_equal(a->selected, b->selected);
        for (size_t i = 0; i < 5; i++) assert_int_equal(a->input[i].selected, b->input[i].selected);
        assert_near(b->error, a->error, 1e-6);
        assert_int_equal(tamis_model_targets(b->model), 2);
        assert_int_equal(tamis_model_predict(cx, a->model, t, one, NULL), TAMIS_OK);
        tamis_model *back = came_back(cx, b->model, t, two, NULL);
        for (size_t i = 0; i < 50; i++) {
            assert_near(two[i], one[i], 1e-5);
            assert_near(two[50 + i], 5 - 3 * one[i], 1e-5);
        }
        damage_is_refused(cx, b->model, 40);
        tamis_model_free(back);
        tamis_result_free(a);
        tamis_result_free(b);
    }
    tamis_table_free(t);
}

/* Two targets that need different inputs: the set has those of both. */
static void targets_share_a_set(void **state)
{
    tamis_context *cx = *state;
    tamis_table *t = with_targets(cx, 150, 5, 8);
    tamis_result *r = targets_chosen(cx, t, "method=sisal sigma2=2:40:4", "y1,y3");
    for (size_t i = 0; i < 3; i++) assert_true(r->input[i].selected);
    assert_below(r->error, 0.5);
    tamis_result_free(r);
    tamis_table_free(t);
}

static void criteria_without_are_named(void **state)
{
    tamis_context *cx = *state;
    tamis_table *t = with_targets(cx, 30, 5, 8);
    static const struct { const char *words, *says; } c[] = {
        {"method=search criterion=mrmr target=y1,y3", "these criteria take several: loo-rbf"},
        {"method=forward criterion=jmi target=y1,y3", "criterion jmi scores one target"}};
    for (size_t k = 0; k < 2; k++) {
        tamis_options *o = worded(cx, c[k].words);
        tamis_result *r = NULL;
        assert_int_equal(tamis_select(cx, t, NULL, o, &r), TAMIS_USAGE);
        says(cx, c[k].says);
        tamis_options_free(o);
    }
    tamis_table_free(t);
}

static void same_bits_for_any_number_of_threads(void **state)
{
    tamis_context *cx = *state;
    tamis_table *t = with_targets(cx, 40, 5, 8);
    same_bits(cx, t, worded(cx, "method=sisal sigma2=2:40:4 target=y1,y3 inputs=a,b,c,d,e"), "y1,y3");
    same_bits(cx, t, worded(cx, "method=search target=y1,y3 inputs=a,b,c,d,e"), "\"knn\"");
    same_bits(cx, t, worded(cx, "method=search criterion=mi target=y1,y3 inputs=a,b,c,d,e"), "minus-mi");
    same_bits(cx, t, worded(cx, "method=sisal centers=9 sigma2=2:40:4 target=y1,y3 inputs=a,b,c,d,e"), "y1,y3");
    same_bits(cx, t, worded(cx, "method=lssvm select=forward target=y1,y3 inputs=a,b,c,d,e"), "\"lssvm\"");
    tamis_table_free(t);
}

static void every_allocation_may_fail(void **state)
{
    tamis_context *cx = *state;
    tamis_table *t = with_targets(cx, 16, 5, 8);
    static const char *const words[] = {"method=sisal sigma2=2:40:2 target=y1,y3", "method=search target=y1,y3",
                                        "method=sisal sigma2=2:40:2 centers=5 target=y1,y3",
                                        "method=search criterion=mi target=y1,y3",
                                        "method=lssvm sigma2=2:40:2 gamma=1:9:2 target=y1,y3"};
    for (size_t k = 0; k < sizeof words / sizeof *words; k++) {
        tamis_options *o = worded(cx, words[k]);
        struct run run = {t, o};
        assert_above(allocations_fail(cx, select_and_write, &run, 150), 100);
        tamis_options_free(o);
    }
    tamis_table_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(criteria_equal_brute_force), TEST(targets_share_the_reduction), TEST(targets_share_centres),
        TEST(values_are_means_over_targets), TEST(equal_targets_are_one),
        TEST(targets_share_a_set), TEST(criteria_without_are_named), TEST(same_bits_for_any_number_of_threads),
        TEST_ONE_THREAD(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
