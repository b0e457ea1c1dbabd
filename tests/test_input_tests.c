/* --test-inputs: known answers, p-values of noise, adjustments, categories and constants, threads, failing memory. */
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

/* Correlated inputs, some of few values, none of which has an effect; the target depends on others. */
static tamis_table *correlated(tamis_context *cx, uint32_t seed)
{
    enum { N = 100, D = 8 };
    double *x = normal_numbers(N * D, seed), *e = normal_numbers(N, seed + 1000), y[N];
    for (size_t j = 1; j < D; j++)
        for (size_t i = 0; i < N; i++) x[i + N * j] = 0.6 * x[i + N * (j - 1)] + 0.8 * x[i + N * j];
    for (size_t i = 0; i < N; i++) y[i] = x[i] + 0.5 * x[i + 4 * N] * x[i + 4 * N] + e[i];
    for (size_t j = 1; j < D; j += 2)
        for (size_t i = 0; i < N; i++) x[i + N * j] = j % 4 == 1 ? floor(x[i + N * j]) : x[i + N * j] > 0;
    tamis_table *t = joined(cx, N, D, x, y);
    free(x);
    free(e);
    return t;
}

/* 240 p-values of inputs without effect: of a uniform law, the distance of Kolmogorov and Smirnov exceeds 0.126 with
 * probability 0.001; discreteness and conservative laws only lower small shares. */
static void noise_has_uniform_p_values(void **state)
{
    enum { TABLES = 40, NULLS = 6 };
    static const size_t none[NULLS] = {1, 2, 3, 5, 6, 7};
    tamis_context *cx = *state;
    double p[TABLES * NULLS], worst = 0, n = TABLES * NULLS;
    for (uint32_t s = 0; s < TABLES; s++) {
        tamis_table *t = correlated(cx, s);
        tamis_result *r = chosen(cx, t, NULL, asked(cx, "test-inputs=x* test-draws=99"));
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
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(effects_are_found),        TEST(products_and_squares_are_found), TEST(noise_has_uniform_p_values),
        TEST(adjustments_follow_their_definitions), TEST(categories_and_constants),
        TEST(threads_do_not_matter),    TEST(memory_may_fail)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
