/* --test-inputs: known answers, p-values of noise, row weights, adjustments, categories and constants, threads, failing
 * memory. */
#include "base/rng.h"
#include "num/order.h"
#include "unit.h"

static const char *const quick = "method=forward criterion=mrmr permutations=0 max-inputs=1 evidence=no ";

static tamis_options *asked(tamis_context *cx, const char *more)
{
    struct tamis_text t = {.cx = cx};
    tamis_text_puts(&t, quick);
    tamis_text_puts(&t, more);
    tamis_options *o = worded(cx, t.s);
    tamis_text_free(&t);
    return o;
}

static double number(const tamis_result *r, size_t k, const char *key)
{
    const tamis_value *list = tamis_value_at(tamis_result_value(r), "tests.inputs");
    return tamis_value_number(tamis_value_item(list, k), key);
}

static size_t tested(const tamis_result *r)
{
    return tamis_value_length(tamis_value_at(tamis_result_value(r), "tests.inputs"));
}

/* x1 to x5 have effects: products, a square, linear ones. */
static void effects_are_found(void **state)
{
    tamis_context *cx = *state;
    tamis_table *t = made(cx, "friedman1", "250", "4");
    tamis_result *r = chosen(cx, t, NULL, asked(cx, "test-inputs=x* test-draws=199"));
    assert_int_equal(tested(r), 10);
    for (size_t k = 0; k < 5; k++) assert_close(number(r, k, "p"), 0.005, 1e-12);
    for (size_t k = 5; k < 10; k++) assert_above(number(r, k, "p"), 0.01);
    tamis_result_free(r);
    tamis_table_free(t);
}

/* A product without main effects: x1 is seen beside x2 only if the model of the others has x2; here it has a main
 * effect. */
static void products_and_squares_are_found(void **state)
{
    enum { N = 300, D = 4 };
    tamis_context *cx = *state;
    double *x = normal_numbers(N * D, 8), *e = normal_numbers(N, 9), y[N];
    for (size_t i = 0; i < N; i++)
        y[i] = x[i + N] + x[i] * x[i + N] + 0.7 * x[i + 2 * N] * x[i + 2 * N] + 0.7 * e[i];
    tamis_table *t = joined(cx, N, D, x, y);
    tamis_result *r = chosen(cx, t, NULL, asked(cx, "test-inputs=x* test-draws=199"));
    for (size_t k = 0; k < 3; k++) assert_at_most(number(r, k, "p"), 0.01);
    assert_above(number(r, 3, "p"), 0.01);
    tamis_result_free(r);
    tamis_table_free(t);
    free(x);
    free(e);
}

/* Correlated inputs, some of few values, none of which has an effect; the target depends on others. The last column,
 * x9, serves as weights, which depend on the target. */
static tamis_table *correlated(tamis_context *cx, uint32_t seed)
{
    enum { N = 100, D = 8 };
    double *x = normal_numbers(N * (D + 1), seed), *e = normal_numbers(N, seed + 1000), y[N];
    for (size_t j = 1; j < D; j++)
        for (size_t i = 0; i < N; i++) x[i + N * j] = 0.6 * x[i + N * (j - 1)] + 0.8 * x[i + N * j];
    for (size_t i = 0; i < N; i++) y[i] = x[i] + 0.5 * x[i + 4 * N] * x[i + 4 * N] + e[i];
    for (size_t j = 1; j < D; j += 2)
        for (size_t i = 0; i < N; i++) x[i + N * j] = j % 4 == 1 ? floor(x[i + N * j]) : x[i + N * j] > 0;
    for (size_t i = 0; i < N; i++) x[i + N * D] = exp(0.3 * x[i + N * D] + 0.1 * y[i]);
    tamis_table *t = joined(cx, N, D + 1, x, y);
    free(x);
    free(e);
    return t;
}

/* 240 p-values of inputs without effect: of a uniform law, the distance of Kolmogorov and Smirnov exceeds 0.126 with
 * probability 0.001; discreteness and conservative laws only lower small shares. */
static void uniform_p_values(tamis_context *cx, const char *words)
{
    enum { TABLES = 40, NULLS = 6 };
    static const size_t none[NULLS] = {1, 2, 3, 5, 6, 7};
    double p[TABLES * NULLS], worst = 0, n = TABLES * NULLS;
    for (uint32_t s = 0; s < TABLES; s++) {
        tamis_table *t = correlated(cx, s);
        tamis_result *r = chosen(cx, t, NULL, asked(cx, words));
        for (size_t k = 0; k < NULLS; k++) p[s * NULLS + k] = number(r, none[k], "p");
        tamis_result_free(r);
        tamis_table_free(t);
    }
    qsort(p, TABLES * NULLS, sizeof *p, tamis_by_value);
    for (size_t k = 0; k < TABLES * NULLS; k++) {
        worst = fmax(worst, (double)(k + 1) / n - p[k]);                /* too many small ones */
        assert_below(p[k] - (double)k / n, 0.2);
    }
    assert_below(worst, 0.126);
}

static void noise_has_uniform_p_values(void **state)
{
    uniform_p_values(*state, "test-inputs=x1:x8 test-draws=99 ignore=x9");
    uniform_p_values(*state, "test-inputs=x1:x8 test-draws=99 row-weights=x9");
}

/* ---- row weights ---- */

/* x1 has an effect in the first half of the rows, x2 in the other half. */
static void the_rows_that_count_decide(void **state)
{
    enum { N = 200, D = 4 };
    tamis_context *cx = *state;
    double *x = normal_numbers(N * D, 12), *e = normal_numbers(N, 13), y[N];
    for (size_t i = 0; i < N; i++) {
        y[i] = x[i + (i < N / 2 ? 0 : N)] + 0.7 * e[i];
        x[i + 2 * N] = i < N / 2 ? 1 : 1e-4;
        x[i + 3 * N] = i < N / 2 ? 1e-4 : 1;
    }
    tamis_table *t = joined(cx, N, D, x, y);
    for (size_t k = 0; k < 2; k++) {
        tamis_result *r = chosen(cx, t, NULL,
                                 asked(cx, k ? "test-inputs=x1,x2 test-draws=199 row-weights=x4 ignore=x3"
                                             : "test-inputs=x1,x2 test-draws=199 row-weights=x3 ignore=x4"));
        assert_close(number(r, k, "p"), 0.005, 1e-12);
        assert_above(number(r, 1 - k, "p"), 0.02);
        tamis_result_free(r);
    }
    tamis_table_free(t);
    free(x);
    free(e);
}

/* Weights 1 to 3 in a column, or rows written out; classes: the sign of the target. */
static tamis_table *weighted(tamis_context *cx, int classes, int column)
{
    enum { N = 70 };
    struct tamis_text t = {.cx = cx};
    double *x = normal_numbers(4 * N, 21);
    tamis_text_printf(&t, "a,b,c,%sy\n", column ? "w," : "");
    for (size_t i = 0; i < N; i++)
        for (size_t copy = 0; copy < (column ? 1 : 1 + i * 7 % 3); copy++) {
            double y = x[i] + 0.4 * x[i + N] * x[i + N] + 0.5 * x[i + 3 * N];
            tamis_text_printf(&t, "%.6f,%.6f,%zu,", x[i], x[i + N], (size_t)fabs(2 * x[i + 2 * N]));
            if (column) tamis_text_printf(&t, "%zu,", 1 + i * 7 % 3);
            if (classes) tamis_text_printf(&t, "%s\n", y > 0.3 ? "yes" : "no");
            else tamis_text_printf(&t, "%.6f\n", y);
        }
    free(x);
    tamis_table *table = text_table(cx, t.s);
    tamis_text_free(&t);
    return table;
}

static void weights_are_repeated_rows(void **state)
{
    tamis_context *cx = *state;
    for (int classes = 0; classes < 2; classes++) {
        tamis_table *with = weighted(cx, classes, 1), *out = weighted(cx, classes, 0);
        tamis_result *one = chosen(cx, with, NULL, asked(cx, "test-inputs=a,b,c test-draws=99 row-weights=w")),
                     *all = chosen(cx, out, NULL, asked(cx, "test-inputs=a,b,c test-draws=99"));
        for (size_t k = 0; k < 3; k++) {
            assert_close(number(one, k, "p"), number(all, k, "p"), 0);
            assert_near(number(one, k, "statistic"), number(all, k, "statistic"), 1e-9);
        }
        tamis_result_free(one);
        tamis_result_free(all);
        tamis_table_free(with);
        tamis_table_free(out);
    }
}

/* Holm and Benjamini-Hochberg, written out. */
static void adjustments_follow_their_definitions(void **state)
{
    tamis_context *cx = *state;
    tamis_table *t = correlated(cx, 77);
    tamis_result *r = chosen(cx, t, NULL, asked(cx, "test-inputs=x2:x7 test-draws=99"));
    size_t m = tested(r);
    assert_int_equal(m, 6);
    for (size_t a = 0; a < m; a++) {
        double holm = 0, bh = 1, own = number(r, a, "p");
        for (size_t b = 0; b < m; b++) {
            double p = number(r, b, "p"), at_least = 0, at_most = 0;
            for (size_t c = 0; c < m; c++) at_least += number(r, c, "p") >= p, at_most += number(r, c, "p") <= p;
            if (p <= own) holm = fmax(holm, fmin(1, at_least * p));
            if (p >= own) bh = fmin(bh, (double)m * p / at_most);
        }
        assert_close(number(r, a, "holm"), holm, 1e-12);
        assert_close(number(r, a, "bh"), bh, 1e-12);
    }
    tamis_result_free(r);
    tamis_table_free(t);
}

static char *mixed_text(tamis_context *cx)
{
    struct tamis_text t = {.cx = cx};
    struct tamis_rng g;
    tamis_rng_init(&g, 6, TAMIS_RNG_TEST, 4);
    tamis_text_puts(&t, "colour,sex,same,x,y\n");
    for (size_t i = 0; i < 90; i++) {
        size_t sex = tamis_rng_below(&g, 2), colour = tamis_rng_below(&g, 3);
        double x = tamis_rng_normal(&g);
        tamis_text_printf(&t, "%s,%s,7,%.5f,%s\n", colour == 2 ? "red" : colour ? "green" : "blue", sex ? "f" : "m", x,
                          x + 2 * (double)sex + tamis_rng_normal(&g) > 1 ? "high" : "low");
    }
    return t.s;
}

static void categories_and_constants(void **state)
{
    tamis_context *cx = *state;
    char *text = mixed_text(cx);
    tamis_table *t = text_table(cx, text);
    tamis_result *r = chosen(cx, t, NULL, asked(cx, "test-inputs=sex,same,x test-draws=199"));
    assert_int_equal(tested(r), 3);
    assert_close(number(r, 0, "p"), 0.005, 1e-12);
    assert_close(number(r, 1, "p"), 1, 0);
    assert_close(number(r, 1, "draws"), 0, 0);
    assert_close(number(r, 2, "p"), 0.005, 1e-12);
    tamis_result_free(r);
    refused(cx, text, asked(cx, "test-inputs=colour"), TAMIS_DATA, "unordered categories");
    refused(cx, text, asked(cx, "test-inputs=sexx"), TAMIS_USAGE, "--test-inputs");
    refused(cx, text, asked(cx, "test-inputs=x blocks"), TAMIS_USAGE, "independent rows");
    tamis_table_free(t);
    tamis_text_free(&(struct tamis_text){.cx = cx, .s = text});
}

static void threads_do_not_matter(void **state)
{
    tamis_context *cx = *state;
    tamis_table *t = correlated(cx, 3), *wide = made(cx, "friedman1", "15", "3");
    same_bits(cx, t, asked(cx, "test-inputs=x* test-draws=49"), "\"tests\"");
    same_bits(cx, t, asked(cx, "test-inputs=x* test-draws=49 row-weights=x9"), "\"tests\"");
    same_bits(cx, wide, asked(cx, "test-inputs=x* test-draws=49"), "\"tests\"");
    tamis_table_free(t);
    tamis_table_free(wide);
}

static void memory_may_fail(void **state)
{
    tamis_context *cx = *state;
    tamis_table *t = made(cx, "logit-pair", "30", "3");
    tamis_options *o = asked(cx, "test-inputs=x1,x2 test-draws=19 ");
    allocations_fail(cx, select_and_write, &(struct run){t, o}, 150);
    tamis_options_free(o);
    tamis_table_free(t);
    t = weighted(cx, 0, 1);
    o = asked(cx, "test-inputs=a,c test-draws=19 row-weights=w ");
    allocations_fail(cx, select_and_write, &(struct run){t, o}, 150);
    tamis_options_free(o);
    tamis_table_free(t);
}

/* ---- estimates ---- */

static int estimate(tamis_context *cx, void *run)
{
    const struct run *r = run;
    double bytes, flops;
    return tamis_estimate(cx, r->t, r->o, &bytes, &flops);
}

static double flops_of(tamis_context *cx, const tamis_table *t, const char *words)
{
    tamis_options *o = worded(cx, words);
    double bytes, flops;
    assert_int_equal(tamis_estimate(cx, t, o, &bytes, &flops), TAMIS_OK);
    tamis_options_free(o);
    return flops;
}

/* Tests count by input and draw, models that are fitted again unless importances are left out. */
static void estimates_count_what_follows(void **state)
{
    tamis_context *cx = *state;
    tamis_table *t = made(cx, "friedman1", "60", "3"), *c = made(cx, "logit-pair", "60", "3");
    static const char *const again[] = {"method=rjmcmc", "method=fei", "method=search criterion=knn"};
    double none = flops_of(cx, t, "method=lars"), one = flops_of(cx, t, "method=lars test-inputs=x1"),
           three = flops_of(cx, t, "method=lars test-inputs=x1:x3");
    assert_above(one, none);
    assert_relative(three - none, 3 * (one - none), 1e-9);
    assert_above(flops_of(cx, t, "method=lars test-inputs=x1 test-draws=20000") - none, 5 * (one - none));
    for (size_t k = 0; k < 3; k++) {
        char words[100];
        snprintf(words, sizeof words, "%s importance=none", again[k]);
        assert_above(flops_of(cx, c, again[k]), flops_of(cx, c, words));
    }
    tamis_options *o = worded(cx, "method=sparse-rbf folds=3");
    assert_above(flops_of(cx, t, "method=sparse-rbf folds=9"), 1.5 * flops_of(cx, t, "method=sparse-rbf folds=3"));
    allocations_fail(cx, estimate, &(struct run){t, o}, 40);
    tamis_options_free(o);
    tamis_table_free(t);
    tamis_table_free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(effects_are_found),        TEST(products_and_squares_are_found), TEST(noise_has_uniform_p_values),
        TEST(the_rows_that_count_decide), TEST(weights_are_repeated_rows),
        TEST(adjustments_follow_their_definitions), TEST(categories_and_constants),
        TEST(threads_do_not_matter),    TEST(memory_may_fail),
        TEST(estimates_count_what_follows)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
