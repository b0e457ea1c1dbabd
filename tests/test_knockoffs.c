/* The method knockoffs: its draws, its statistic, whole runs. */
#include "base/rng.h"
#include "method/knockoffs/knockoffs.h"
#include "unit.h"

/* Inputs of an autoregression with coefficient rho, n x d. */
static double *series(size_t n, size_t d, double rho, uint64_t seed)
{
    double *x = normal_numbers(n * d, seed);
    for (size_t j = 1; j < d; j++)
        for (size_t i = 0; i < n; i++) x[i + n * j] = rho * x[i + n * (j - 1)] + sqrt(1 - rho * rho) * x[i + n * j];
    return x;
}

/* A target that the first `effects` columns explain. */
static double *target_of(size_t n, const double *x, size_t effects, double strength, uint64_t seed)
{
    double *y = normal_numbers(n, seed);
    for (size_t j = 0; j < effects; j++)
        for (size_t i = 0; i < n; i++) y[i] += (j % 2 ? -strength : strength) * x[i + n * j];
    return y;
}

static double correlation(size_t n, const double *a, const double *b)
{
    double ma = 0, mb = 0, ab = 0, aa = 0, bb = 0;
    for (size_t i = 0; i < n; i++) ma += a[i] / (double)n, mb += b[i] / (double)n;
    for (size_t i = 0; i < n; i++) {
        ab += (a[i] - ma) * (b[i] - mb);
        aa += (a[i] - ma) * (a[i] - ma), bb += (b[i] - mb) * (b[i] - mb);
    }
    return ab / sqrt(aa * bb);
}

/* Cov(x~_i, x~_j) = Cov(x_i, x_j), and Cov(x_i, x~_j) too for i != j: the same when i and its knockoff change
 * places. */
static void knockoffs_have_the_moments_of_their_originals(tamis_context *cx, size_t n, size_t d, const double *x,
                                                           double tolerance)
{
    struct knockoffs_law law;
    double *k = malloc(n * d * sizeof *k);
    assert_int_equal(knockoffs_law_make(cx, n, d, x, NULL, 7, &law), TAMIS_OK);
    assert_int_equal(knockoffs_draw(&law, 7, 0, k), TAMIS_OK);
    for (size_t i = 0; i < d; i++)
        for (size_t j = 0; j < d; j++) {
            double own = correlation(n, x + n * i, x + n * j);
            assert_close(correlation(n, k + n * i, k + n * j), own, tolerance);
            if (i != j) assert_close(correlation(n, x + n * i, k + n * j), own, tolerance);
        }
    knockoffs_law_free(&law);
    free(k);
}

static void gaussian_inputs_may_change_places_with_their_knockoffs(void **state)
{
    double *x = series(20000, 6, 0.7, 11);
    knockoffs_have_the_moments_of_their_originals(*state, 20000, 6, x, 0.03);
    for (size_t i = 0; i < 6 * 20000; i++) x[i] = exp(x[i] / 2);
    knockoffs_have_the_moments_of_their_originals(*state, 20000, 6, x, 0.04);
    free(x);
}

/* Counts of a few values, a 0/1 column and numbers together. */
static void small_counts_may_change_places_with_their_knockoffs(void **state)
{
    size_t n = 20000;
    double *x = series(n, 5, 0.7, 12);
    for (size_t i = 0; i < 4 * n; i++) x[i] = i < n ? x[i] > 0.5 : fmin(fmax(floor(1.5 * x[i]), -2), 2);
    knockoffs_have_the_moments_of_their_originals(*state, n, 5, x, 0.035);
    free(x);
}

static int by_number(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void a_knockoff_has_the_values_of_its_original(void **state)
{
    enum { N = 200, D = 4 };
    tamis_context *cx = *state;
    struct knockoffs_law law;
    double *x = series(N, D, 0.5, 3), *one = malloc(N * D * sizeof *one), *two = malloc(N * D * sizeof *two);
    for (size_t i = 0; i < N; i++) x[i] = floor(2 * x[i]);
    assert_int_equal(knockoffs_law_make(cx, N, D, x, NULL, 5, &law), TAMIS_OK);
    assert_int_equal(law.ties, 1);
    assert_int_equal(knockoffs_draw(&law, 5, 2, one), TAMIS_OK);
    assert_int_equal(knockoffs_draw(&law, 5, 2, two), TAMIS_OK);
    assert_memory_equal(one, two, N * D * sizeof *one);
    assert_int_equal(knockoffs_draw(&law, 5, 3, two), TAMIS_OK);
    for (size_t j = 0; j < D; j++) {
        assert_memory_not_equal(one + N * j, two + N * j, N * sizeof *one);
        qsort(one + N * j, N, sizeof *one, by_number);
        qsort(x + N * j, N, sizeof *x, by_number);
        assert_memory_equal(one + N * j, x + N * j, N * sizeof *one);
    }
    knockoffs_law_free(&law);
    free(x), free(one), free(two);
}

/* ---- the statistic ---- */

static void swap_columns(size_t n, double *a, double *b)
{
    for (size_t i = 0; i < n; i++) {
        double t = a[i];
        a[i] = b[i], b[i] = t;
    }
}

/* Whichever columns change places: their W change sign exactly, the others keep every bit. */
static void exchanges_flip_the_signs(tamis_context *cx, const struct knockoffs_target *t, size_t d, double *x,
                                     double *k)
{
    size_t n = t->design->rows;
    double *w = malloc(d * sizeof *w), *other = malloc(d * sizeof *w);
    static const unsigned sets[] = {1, 2, 1 + 4 + 16, 63};
    assert_int_equal(knockoffs_statistic(cx, t, d, x, k, w), TAMIS_OK);
    for (size_t s = 0; s < sizeof sets / sizeof *sets; s++) {
        for (size_t j = 0; j < d; j++)
            if (sets[s] >> j & 1) swap_columns(n, x + n * j, k + n * j);
        assert_int_equal(knockoffs_statistic(cx, t, d, x, k, other), TAMIS_OK);
        for (size_t j = 0; j < d; j++) {
            double expected = sets[s] >> j & 1 ? -w[j] : w[j];
            assert_true(other[j] == expected);
            if (sets[s] >> j & 1) swap_columns(n, x + n * j, k + n * j);
        }
    }
    assert_above(fabs(w[0]), 0);
    free(w), free(other);
}

static void the_statistic_is_antisymmetric(void **state)
{
    enum { N = 150, D = 6 };
    tamis_context *cx = *state;
    double *x = series(N, D, 0.6, 8), *k = series(N, D, 0.6, 9), *y = target_of(N, x, 2, 1, 10);
    for (int classes = 0; classes < 4; classes += 3) {
        for (size_t i = 0; i < N; i++) {
            y[i] += classes ? 0 : 2 * x[i + N * 2] * x[i + N * 3];              /* a pair */
            if (classes) y[i] = y[i] < -1 ? 0 : y[i] < 1 ? 1 : 2;
        }
        struct tamis_encoder e = {.classes = (size_t)classes};
        struct tamis_design d = {.encoder = &e, .rows = N, .y = y};
        struct tamis_run run = {.cx = cx, .design = &d};
        struct knockoffs_target t;
        assert_int_equal(knockoffs_target_make(&run, &t), TAMIS_OK);
        exchanges_flip_the_signs(cx, &t, D, x, k);
        tamis_free(t.y);
    }
    free(x), free(k), free(y);
}

static void a_column_that_is_its_own_knockoff_says_nothing(void **state)
{
    enum { N = 100, D = 3 };
    tamis_context *cx = *state;
    double *x = series(N, D, 0.3, 8), *k = series(N, D, 0.3, 9), *y = target_of(N, x, 3, 1, 10), w[D];
    memcpy(k, x, N * sizeof *k);
    struct tamis_encoder e = {.classes = 0};
    struct tamis_design d = {.encoder = &e, .rows = N, .y = y};
    struct tamis_run run = {.cx = cx, .design = &d};
    struct knockoffs_target t;
    assert_int_equal(knockoffs_target_make(&run, &t), TAMIS_OK);
    assert_int_equal(knockoffs_statistic(cx, &t, D, x, k, w), TAMIS_OK);
    assert_true(w[0] == 0);
    assert_above(w[1], 0);
    tamis_free(t.y);
    free(x), free(k), free(y);
}

/* ---- runs ---- */

enum { ROWS = 250, INPUTS = 30, TRUE_INPUTS = 12 };

static tamis_table *some_table(tamis_context *cx)
{
    double *x = series(ROWS, INPUTS, 0.4, 21), *y = target_of(ROWS, x, TRUE_INPUTS, 0.8, 22);
    tamis_table *t = joined(cx, ROWS, INPUTS, x, y);
    free(x), free(y);
    return t;
}

static void true_inputs_are_found(void **state)
{
    tamis_context *cx = *state;
    tamis_table *t = some_table(cx);
    tamis_result *r = chosen(cx, t, NULL, OPTIONS("fdr", "0.2", "fdr-draws", "5", "evidence", "0"));
    tamis_input in = {sizeof in};
    size_t right = 0, wrong = 0;
    for (size_t i = 0; i < INPUTS; i++) {
        tamis_result_input(r, i, &in);
        right += i < TRUE_INPUTS && in.selected, wrong += i >= TRUE_INPUTS && in.selected;
    }
    assert_at_least((double)right, 10);
    assert_at_most((double)wrong, 3);
    tamis_result_free(r);
    tamis_table_free(t);
}

/* A category of two levels among the inputs, two classes, rows held out, folds around it all. */
static void categories_of_two_levels_and_classes_are_taken(void **state)
{
    enum { N = 160, D = 8 };
    tamis_context *cx = *state;
    struct tamis_text text = {.cx = cx};
    double *x = series(N, D, 0.3, 31), *y = target_of(N, x, D, 1.5, 32);
    tamis_text_puts(&text, "a,b,c,d,e,f,g,h,class\n");
    for (size_t i = 0; i < N; i++) {
        tamis_text_puts(&text, x[i] > 0 ? "yes" : "no");
        for (size_t j = 1; j < D; j++) tamis_text_printf(&text, ",%.6f", x[i + N * j]);
        tamis_text_puts(&text, y[i] > 0 ? ",good\n" : ",bad\n");
    }
    tamis_table *t = text_table(cx, text.s);
    tamis_result *r = chosen(cx, t, NULL, OPTIONS("fdr", "0.4", "fdr-draws", "3", "fdr-statistic", "linear", "holdout",
                                                  "0.25", "outer", "2", "no-evidence", ""));
    assert_at_least((double)tamis_value_length(tamis_value_get(tamis_result_value(r), "selected")), 3);
    assert_below(tamis_value_number(tamis_result_value(r), "error.test"), 0.35);
    tamis_result_free(r);
    tamis_table_free(t);
    tamis_text_free(&text);
    free(x), free(y);
}

static void runs_do_not_depend_on_threads_and_stops(void **state)
{
    tamis_context *cx = *state;
    tamis_table *t = some_table(cx);
    same_bits(cx, t, OPTIONS("fdr", "0.2", "fdr-draws", "3", "no-evidence", ""), "\"fdr\"");
    tamis_options *o = OPTIONS("method", "knockoffs", "fdr-draws", "3", "no-evidence", "");
    assert_at_least(stopped_and_resumed(cx, t, o, 20, 40), 2);
    tamis_table_free(t);
}

static void what_it_cannot_do_is_refused(void **state)
{
    tamis_context *cx = *state;
    const char *colours = "a,c,y\n1,red,1\n2,blue,2\n3,green,4\n4,red,3\n5,blue,6\n6,green,5\n7,red,8\n";
    refused(cx, colours, OPTIONS("fdr", "0.2"), TAMIS_DATA, "'c' has 3 unordered categories");
    refused(cx, "a,b,y\n1,3,1\n2,2,2\n3,5,4\n4,1,3\n5,0,6\n6,2,5\n", OPTIONS("fdr", "0.2", "lags", "1:1"), TAMIS_USAGE,
            "--lags");
    option_refused(cx, "a,y\n1,1\n2,2\n3,4\n4,4\n", OPTIONS("method", "sisal"), "fdr", "0.2", TAMIS_USAGE, "knockoffs");
}

/* Fewer inputs than 1 / q: an empty set, a constant model, and a note that says why. */
static void too_few_inputs_are_said_to_be(void **state)
{
    tamis_context *cx = *state;
    tamis_table *t = made(cx, "friedman1", "100", "1");
    tamis_options *o = OPTIONS("fdr", "0.05", "fdr-draws", "2");
    char *text = json(cx, t, o);
    assert_non_null(strstr(text, "too few for --fdr 0.05, which needs at least 20"));
    assert_non_null(strstr(text, "\"selected\": []"));
    tamis_release(text);
    tamis_options_free(o);
    tamis_table_free(t);
}

static void failing_memory_is_survived(void **state)
{
    tamis_context *cx = *state;
    double *x = series(60, 6, 0.4, 21), *y = target_of(60, x, 6, 1.5, 22);
    for (size_t i = 0; i < 60; i++) x[i] = x[i] > 0;
    tamis_table *t = joined(cx, 60, 6, x, y);
    struct run run = {t, OPTIONS("fdr", "0.4", "fdr-draws", "2", "no-evidence", "")};
    assert_above((double)allocations_fail(cx, select_and_write, &run, 60), 100);
    tamis_options_free((tamis_options *)run.o);
    tamis_table_free(t);
    free(x), free(y);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(gaussian_inputs_may_change_places_with_their_knockoffs),
        TEST(small_counts_may_change_places_with_their_knockoffs),
        TEST(a_knockoff_has_the_values_of_its_original),
        TEST(the_statistic_is_antisymmetric),
        TEST(a_column_that_is_its_own_knockoff_says_nothing),
        TEST(true_inputs_are_found),
        TEST(categories_of_two_levels_and_classes_are_taken),
        TEST(runs_do_not_depend_on_threads_and_stops),
        TEST(what_it_cannot_do_is_refused),
        TEST(too_few_inputs_are_said_to_be),
        TEST(failing_memory_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
