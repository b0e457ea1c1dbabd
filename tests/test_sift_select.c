/* sift from a table to its answer: weak effects, interactions, classes, wide tables, groups of rows, constraints and
 * rules, several targets, threads, stops. */
#include "base/rng.h"
#include "data/table.h"
#include "model/model.h"
#include "unit.h"

#define COUNT(a) (sizeof(a) / sizeof *(a))

/* ---- tables ---- */

typedef double target_of(const double *x, struct tamis_rng *r);

static double weak(const double *x, struct tamis_rng *r)        /* R2 = 0.2, ten of equal weight */
{
    double sum = 2 * sqrt(10) * tamis_rng_normal(r);
    for (size_t k = 0; k < 10; k++) sum += x[k] * (k % 3 ? 1 : -1);
    return sum;
}
static double inter(const double *x, struct tamis_rng *r)       /* no input has an effect of its own */
{
    return sin(2 * x[0]) * x[1] + sin(2 * x[3]) * x[4] + sin(2 * x[6]) * x[7] + tamis_rng_normal(r);
}
static double straight(const double *x, struct tamis_rng *r)
{
    return x[0] - x[2] + 0.6 * x[4] + 0.7 * tamis_rng_normal(r);
}
static double smooth(const double *x, struct tamis_rng *r)
{
    return sin(1.7 * x[1]) + 0.8 * x[3] * x[3] + 0.9 * x[4] + 0.3 * tamis_rng_normal(r);
}
static double noise(const double *x, struct tamis_rng *r) { return (void)x, tamis_rng_normal(r); }
static double unequal(const double *x, struct tamis_rng *r)     /* some 68, 25 and 7 % of the rows */
{
    double f = x[1] + x[3] + 0.4 * tamis_rng_normal(r);
    return f > 2.2 ? 2 : f > 0.7;
}
static double three(const double *x, struct tamis_rng *r)       /* each class has its input */
{
    double best = -INFINITY, class = 0;
    for (size_t k = 0; k < 3; k++) {
        double f = 2 * x[5 + 100 * k] + 0.6 * tamis_rng_normal(r);
        if (f > best) best = f, class = (double)k;
    }
    return class;
}

/* d normal columns and the target. */
static double *numbers(size_t rows, size_t d, target_of *f, uint32_t seed)
{
    struct tamis_rng r;
    double *v = malloc(rows * (d + 1) * sizeof *v), *x = malloc(d * sizeof *x);
    tamis_rng_init(&r, seed, TAMIS_RNG_TEST, 43);
    for (size_t i = 0; i < rows; i++) {
        for (size_t k = 0; k < d; k++) v[i + rows * k] = x[k] = tamis_rng_normal(&r);
        v[i + rows * d] = f(x, &r);
    }
    free(x);
    return v;
}

static tamis_table *table_of(tamis_context *cx, size_t rows, size_t d, target_of *f, uint32_t seed)
{
    double *v = numbers(rows, d, f, seed);
    tamis_table *t = joined(cx, rows, d, v, v + rows * d);
    free(v);
    return t;
}

static tamis_result *sifted(tamis_context *cx, size_t rows, size_t d, target_of *f, uint32_t seed, const char *words)
{
    char all[300];
    tamis_table *t = table_of(cx, rows, d, f, seed);
    snprintf(all, sizeof all, "method=sift %s", words);
    tamis_result *r = chosen(cx, t, NULL, worded(cx, all));
    tamis_table_free(t);
    return r;
}

static size_t right_ones(const tamis_result *r, const size_t *input, size_t n)
{
    size_t right = 0;
    for (size_t i = 0; i < n; i++) right += r->input[input[i]].selected != 0;
    return right;
}

static void assert_chosen(const tamis_result *r, const size_t *input, size_t n)
{
    assert_int_equal(r->selected, n);
    assert_int_equal(right_ones(r, input, n), n);
}

static int noted(const tamis_result *r, const char *words)
{
    for (size_t i = 0; i < r->notes; i++)
        if (strstr(r->note[i], words)) return 1;
    return 0;
}

static double share(const tamis_result *r, const char *input)
{
    char path[40];
    snprintf(path, sizeof path, "sift.stability.%s", input);
    return tamis_value_number(r->value, path);
}

/* ---- answers ---- */

/* Each effect is 12 standard errors. */
static void weak_effects_are_found(void **state)
{
    static const size_t right[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
    tamis_result *r = sifted(*state, 3000, 20, weak, 3, "");
    assert_chosen(r, right, 10);
    assert_between(r->error, 0.72, 0.88);
    assert_string_equal(r->model->kind->name, "linear");
    tamis_result_free(r);
}

static void interactions_are_found(void **state)
{
    static const size_t right[] = {0, 1, 3, 4, 6, 7};
    tamis_result *r = sifted(*state, 1500, 12, inter, 4, "");
    assert_chosen(r, right, 6);
    assert_below(r->error, 0.75);                       /* the noise is 0.45 of the variance */
    assert_between((double)tamis_value_length(tamis_value_at(r->value, "sift.terms")), 2.5, 5.5);
    assert_string_equal(r->model->kind->name, "terms");
    tamis_result_free(r);
}

/* Classes are the largest of scores that sum to 1; those of the model and of its bytes are the same. */
static double right_share(tamis_context *cx, const tamis_model *m, const tamis_table *t, size_t classes)
{
    size_t rows = t->rows;
    double *guess = malloc(rows * sizeof *guess), *score = malloc(rows * classes * sizeof *score), right = 0;
    tamis_model *back = came_back(cx, m, t, guess, score);
    for (size_t i = 0; i < rows; i++) {
        double sum = 0;
        size_t best = 0;
        for (size_t c = 0; c < classes; c++) {
            sum += score[i + rows * c];
            if (score[i + rows * c] > score[i + rows * best]) best = c;
        }
        assert_close(sum, 1, 1e-9);
        assert_true(guess[i] == (double)best);
        right += (guess[i] == t->column[t->columns - 1].value[i]) / (double)rows;
    }
    tamis_model_free(back);
    free(guess), free(score);
    return right;
}

static void classes_of_unequal_size_are_told_apart(void **state)
{
    static const size_t right[] = {1, 3};
    tamis_context *cx = *state;
    tamis_table *t = table_of(cx, 600, 8, unequal, 7), *test = table_of(cx, 500, 8, unequal, 50);
    tamis_result *r = chosen(cx, t, test, OPTIONS("method", "sift", "task", "classification"));
    assert_chosen(r, right, 2);
    assert_below(r->error, 0.2);
    assert_close(1 - right_share(cx, r->model, test, 3), r->test, 1e-9);
    assert_below(r->test, 0.2);                         /* 0.32 by the largest class */
    tamis_result_free(r);
    tamis_table_free(t);
    tamis_table_free(test);
}

static void wide_classes_are_told_apart(void **state)
{
    static const size_t right[] = {5, 105, 205};
    tamis_context *cx = *state;
    tamis_table *t = table_of(cx, 150, 500, three, 6);
    tamis_result *r = chosen(cx, t, NULL, OPTIONS("method", "sift", "task", "classification"));
    assert_chosen(r, right, 3);
    assert_below(r->error, 0.35);
    assert_above(tamis_value_number(r->value, "sift.ridge_error"), r->error + 0.1);
    assert_above(right_share(cx, r->model, t, 3), 0.7);
    tamis_result_free(r);
    tamis_table_free(t);
}

/* Three hundred inputs that each carry a little: no few of them do as well. */
static double spread_out(const double *x, struct tamis_rng *r)
{
    double sum = 2 * tamis_rng_normal(r);
    for (size_t k = 0; k < 300; k++) sum += x[k];
    return sum;
}

/* All columns are one direction and noise of their own, so that a ridge regression finds it. */
static void all_inputs_are_an_answer(void **state)
{
    enum { ROWS = 120, D = 300 };
    tamis_context *cx = *state;
    double *v = numbers(ROWS, D, spread_out, 7), *y = v + ROWS * D;
    for (size_t i = 0; i < ROWS; i++) {
        y[i] = v[i] + 0.05 * v[i + ROWS];               /* before the columns become noisy copies of it */
        for (size_t k = 2; k < D; k++) v[i + ROWS * k] = y[i] + 4 * v[i + ROWS * k];
        v[i] = v[i + ROWS] = v[i + 3 * ROWS] + v[i + 2 * ROWS];
    }
    tamis_table *t = joined(cx, ROWS, D, v, y);
    tamis_result *r = chosen(cx, t, NULL, OPTIONS("method", "sift"));
    double guess[ROWS];
    assert_int_equal(r->selected, D);
    assert_true(noted(r, "no small set does as well as all inputs"));
    assert_string_equal(r->model->kind->name, "linear");
    assert_below(r->error, 0.3);
    assert_int_equal(tamis_model_predict(cx, r->model, t, guess, NULL), TAMIS_OK);
    for (size_t i = 0; i < ROWS; i++) assert_true(isfinite(guess[i]));
    tamis_result_free(r);
    tamis_table_free(t);
    free(v);
}

/* ---- groups of rows ---- */

/* Two rows per group with nearly the same inputs and noise as target; the last input numbers the groups. */
static tamis_table *twins(tamis_context *cx, size_t groups, size_t d, target_of *f, uint32_t seed)
{
    size_t rows = 2 * groups;
    double *one = numbers(groups, d, f, seed), *v = malloc(rows * (d + 2) * sizeof *v),
           *more = normal_numbers(rows * d, seed);
    for (size_t i = 0; i < rows; i++) {
        for (size_t k = 0; k < d; k++) v[i + rows * k] = one[i / 2 + groups * k] + 0.02 * more[i + rows * k];
        v[i + rows * d] = (double)(i / 2);
        v[i + rows * (d + 1)] = one[i / 2 + groups * d];
    }
    tamis_table *t = joined(cx, rows, d + 1, v, v + rows * (d + 1));
    free(one), free(v), free(more);
    return t;
}

/* Twins of noise predict each other; nothing is chosen if they count once. 3 of 12 have probability 0.02 at 5 %. */
static void twins_are_not_evidence(void **state)
{
    tamis_context *cx = *state;
    size_t wrong = 0;
    for (uint32_t seed = 1; seed <= 12; seed++) {
        tamis_table *t = twins(cx, 50, 6, noise, seed);
        tamis_result *r = chosen(cx, t, NULL, OPTIONS("method", "sift", "groups", "x7"));
        wrong += r->selected > 0;
        assert_close(tamis_value_number(r->value, "sift.observations"), 50, 0);
        tamis_result_free(r);
        tamis_table_free(t);
    }
    assert_at_most((double)wrong, 2);
}

static void twins_with_an_effect_are_seen_through(void **state)
{
    static const size_t right[] = {0, 2, 4};
    tamis_context *cx = *state;
    tamis_table *t = twins(cx, 100, 8, straight, 3);
    tamis_result *r = chosen(cx, t, NULL, OPTIONS("method", "sift", "groups", "x9"));
    assert_chosen(r, right, 3);
    tamis_result_free(r);
    tamis_table_free(t);
}

/* ---- constraints and rules ---- */

static void inputs_that_must_stay_do(void **state)
{
    static const size_t right[] = {0, 2, 4, 5};
    tamis_result *r = sifted(*state, 200, 8, straight, 8, "must=x6");
    assert_chosen(r, right, 4);
    assert_int_equal(r->path[r->steps - 1].size, 1);    /* it never leaves */
    tamis_result_free(r);
    r = sifted(*state, 60, 4, noise, 8, "must=x2 empty-se=100 clear=1e6");
    assert_int_equal(r->selected, 1);
    assert_true(r->input[1].selected);
    tamis_result_free(r);
}

/* A constant carries no function, and still gets a model. */
static void a_constant_that_must_stay_gets_a_model(void **state)
{
    enum { ROWS = 40, D = 5 };
    static const char *const final[] = {"auto", "network", "linear"};
    tamis_context *cx = *state;
    for (size_t f = 0; f < COUNT(final); f++)
        for (int noisy = 0; noisy < 2; noisy++) {
            double *v = numbers(ROWS, D, noisy ? noise : straight, 9), guess[ROWS];
            for (size_t i = 0; i < ROWS; i++) v[i + ROWS] = 7;
            tamis_table *t = joined(cx, ROWS, D, v, v + ROWS * D);
            tamis_result *r = chosen(cx, t, NULL, OPTIONS("method", "sift", "must", "x2", "final", final[f]));
            assert_true(r->input[1].selected);
            assert_non_null(r->model);
            assert_int_equal(tamis_model_predict(cx, r->model, t, guess, NULL), TAMIS_OK);
            for (size_t i = 0; i < ROWS; i++) assert_true(isfinite(guess[i]));
            tamis_result_free(r);
            tamis_table_free(t);
            free(v);
        }
}

static void inputs_that_go_together_do(void **state)
{
    static const size_t right[] = {0, 1, 2, 4};
    tamis_context *cx = *state;
    tamis_table *t = table_of(cx, 200, 8, straight, 8);
    tamis_result *r = chosen(cx, t, NULL, OPTIONS("method", "sift", "group-inputs", "x1,x2;x4,x6,x7"));
    assert_chosen(r, right, 4);
    for (size_t k = 1; k < r->steps; k++) {
        unsigned char set[8];
        tamis_result_set(r, k, set);
        assert_true(set[0] == set[1] && set[3] == set[5] && set[5] == set[6]);
    }
    tamis_result_free(r);
    tamis_table_free(t);
}

/* The limit holds for every rule, also beside inputs that must stay. */
static void no_more_inputs_than_asked_for(void **state)
{
    static const char *const words[] = {"max-inputs=2", "max-inputs=1 select-rule=best", "max-inputs=2 must=x6",
                                        "max-inputs=2 select-rule=se"};
    static const size_t most[] = {2, 1, 2, 2};
    for (size_t k = 0; k < COUNT(words); k++) {
        tamis_result *r = sifted(*state, 200, 8, straight, 8, words[k]);
        assert_true(r->selected >= 1 && r->selected <= most[k]);
        tamis_result_free(r);
    }
}

static void a_budget_is_kept(void **state)
{
    tamis_context *cx = *state;
    char path[64], words[160];
    snprintf(path, sizeof path, "/tmp/tamis-test-%ld.cost", (long)getpid());
    FILE *f = fopen(path, "w");
    assert_true(f && fputs("input,cost\nx1,5\nx2,1\nx3,1\nx4,1\nx5,1\nx6,1\nx7,1\nx8,1\n", f) >= 0 && !fclose(f));
    for (int budget = 1; budget <= 8; budget++) {
        snprintf(words, sizeof words, "cost=%s budget=%d", path, budget);
        tamis_result *r = sifted(cx, 200, 8, straight, 8, words);
        double cost = 0;
        for (size_t i = 0; i < 8; i++) cost += r->input[i].selected ? (i ? 1 : 5) : 0;
        assert_at_most(cost, budget);
        if (budget >= 7) assert_int_equal(r->selected, 3);
        tamis_result_free(r);
    }
    unlink(path);
}

/* best: the least error; se: the fewest within its standard errors; stable: those of them that the folds agree on. */
static void rules_choose_sizes(void **state)
{
    static const size_t right[] = {1, 3, 4};
    static const char *const rule[] = {"select-rule=best", "select-rule=se", "select-rule=stable", ""};
    size_t size[4];
    for (size_t k = 0; k < 4; k++) {
        tamis_result *r = sifted(*state, 150, 10, smooth, 9, rule[k]);
        double least = INFINITY;
        size[k] = r->selected;
        assert_int_equal(right_ones(r, right, 3), 3);
        for (size_t s = 1; s < r->steps; s++) least = fmin(least, r->path[s].criterion);
        if (!k) assert_close(r->path[r->chosen_step].criterion, least, 1e-12);
        if (k >= 2)
            for (size_t i = 0; i < r->inputs; i++)
                if (r->input[i].selected) assert_at_least(share(r, r->name[i]), 0.6 - 1e-9);
        tamis_result_free(r);
    }
    assert_true(size[1] <= size[0] && size[2] <= size[0]);
    assert_int_equal(size[3], 3);
}

/* ---- several targets ---- */

static void several_targets_share_a_set(void **state)
{
    enum { ROWS = 250, D = 8 };
    static const size_t right[] = {0, 1, 2, 3, 4};
    static const char *const name[] = {"a", "b", "c", "d", "e", "f", "g", "h", "y1", "y2"};
    tamis_context *cx = *state;
    double *v = numbers(ROWS, D + 1, straight, 11), *out = malloc(2 * ROWS * sizeof *out);
    for (size_t i = 0; i < ROWS; i++) {
        double x[D + 1];
        for (size_t k = 0; k <= D; k++) x[k] = v[i + ROWS * k];
        v[i + ROWS * D] = 100 + 10 * (x[0] - x[2] + 0.6 * x[4] + 0.4 * v[i + ROWS * (D + 1)]);
        v[i + ROWS * (D + 1)] = sin(1.7 * x[1]) + x[3] * x[3] + 0.3 * x[D];
    }
    tamis_table *t = NULL;
    assert_int_equal(tamis_table_from_numbers(cx, ROWS, D + 2, v, 1, ROWS, name, &t), TAMIS_OK);
    tamis_result *r = chosen(cx, t, NULL, OPTIONS("method", "sift", "target", "y1,y2"));
    assert_chosen(r, right, 5);
    assert_below(r->error, 0.4);
    assert_int_equal(tamis_model_targets(r->model), 2);
    tamis_model *back = came_back(cx, r->model, t, out, NULL);
    for (size_t o = 0; o < 2; o++) {
        double sum = 0;
        for (size_t i = 0; i < ROWS; i++) sum += pow(out[i + ROWS * o] - v[i + ROWS * (D + o)], 2) / ROWS;
        assert_below(sum, 0.5 * variance(v + ROWS * (D + o), ROWS));
    }
    tamis_model_free(back);
    tamis_result_free(r);
    tamis_table_free(t);
    free(v), free(out);
}

/* ---- the same bits ---- */

static void same_bits_for_any_number_of_threads(void **state)
{
    tamis_context *cx = *state;
    static const struct { target_of *f; size_t rows, d; const char *words; } cases[] = {
        {inter, 520, 8, "method=sift splits=1 learn-rows=100"},
        {unequal, 150, 5, "method=sift splits=1 task=classification"},
        {three, 50, 206, "method=sift splits=1 rule-folds=2 task=classification"},
        {straight, 120, 6, "method=sift must=x2 group-inputs=x1,x4"}};
    for (size_t k = 0; k < COUNT(cases); k++) {
        tamis_table *t = table_of(cx, cases[k].rows, cases[k].d, cases[k].f, 12);
        same_bits(cx, t, worded(cx, cases[k].words), "\"sift\"");
        tamis_table_free(t);
    }
    tamis_table *t = twins(cx, 60, 5, smooth, 4);
    same_bits(cx, t, OPTIONS("method", "sift", "groups", "x6"), NULL);
    tamis_table_free(t);
}

static void stopped_runs_resume_to_the_same_result(void **state)
{
    tamis_context *cx = *state;
    tamis_table *t = table_of(cx, 200, 6, unequal, 13);
    tamis_options *o = OPTIONS("method", "sift", "task", "classification", "rule-folds", "4");
    assert_above(stopped_and_resumed(cx, t, o, 60, 100), 1);
    tamis_table_free(t);
    t = twins(cx, 60, 5, straight, 14);
    assert_above(stopped_and_resumed(cx, t, OPTIONS("method", "sift", "groups", "x6", "must", "x2"), 60, 100), 1);
    tamis_table_free(t);
}

/* ---- failing memory ---- */

static void allocations_may_fail(void **state)
{
    tamis_context *cx = *state;
    for (int wide = 0; wide < 2; wide++) {
        tamis_table *t = wide ? table_of(cx, 30, 206, three, 16) : table_of(cx, 40, 5, straight, 15);
        tamis_options *o = worded(cx, wide ? "method=sift rule-folds=2 splits=1 task=classification"
                                           : "method=sift rule-folds=2 splits=1 must=x2 group-inputs=x1,x4");
        struct run run = {t, o};
        assert_above(allocations_fail(cx, select_and_write, &run, wide ? 8 : 30), 500);
        tamis_options_free(o);
        tamis_table_free(t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(weak_effects_are_found),
                                       TEST(interactions_are_found),
                                       TEST(classes_of_unequal_size_are_told_apart),
                                       TEST(wide_classes_are_told_apart),
                                       TEST(all_inputs_are_an_answer),
                                       TEST(twins_are_not_evidence),
                                       TEST(twins_with_an_effect_are_seen_through),
                                       TEST(inputs_that_must_stay_do), TEST(no_more_inputs_than_asked_for),
                                       TEST(a_constant_that_must_stay_gets_a_model),
                                       TEST(inputs_that_go_together_do),
                                       TEST(a_budget_is_kept),
                                       TEST(rules_choose_sizes),
                                       TEST(several_targets_share_a_set),
                                       TEST(same_bits_for_any_number_of_threads),
                                       TEST(stopped_runs_resume_to_the_same_result),
                                       TEST_ONE_THREAD(allocations_may_fail)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
