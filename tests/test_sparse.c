/* The method sparse-rbf end to end: threads, known inputs, classes, bad options, hard tables, failing memory. */
#include "base/rng.h"
#include "data/table.h"
#include "method/sparse_rbf/sparse_inside.h"
#include "model/sparse_net.h"
#include "unit.h"

static tamis_options *quick(tamis_context *cx)
{
    return OPTIONS("method", "sparse-rbf", "r", "2:50:3", "t", "0.1:4:3", "folds", "4");
}

static void same_bits_for_any_number_of_threads(void **state)
{
    static const char *const options[][2] = {
        {"prune", "yes"}, {"centers", "20"}, {"solver", "direct"}, {"solver", "alternating"}, {"r", "auto"}};
    tamis_context *cx = *state;
    tamis_table *t = made(cx, "tikka1d", "40", "3");
    for (size_t i = 0; i < 5; i++) {
        tamis_options *o = quick(cx);
        if (i == 2 || i == 3) tamis_options_set(o, "r", "6"), tamis_options_set(o, "t", "2:4:2");
        tamis_options_set(o, options[i][0], options[i][1]);
        same_bits(cx, t, o, "\"sparse-rbf\": {\"solver\"");
    }
    tamis_table_free(t);
}

static void first_example_keeps_its_one_input(void **state)
{
    tamis_context *cx = *state;
    tamis_table *t = made(cx, "tikka1d", "100", "1"), *fresh = made(cx, "tikka1d", "1000", "77");
    tamis_result *r = chosen(cx, t, fresh, OPTIONS("method", "sparse-rbf", "r", "2:20:5", "t", "2:15:5"));
    double p[1000];
    assert_int_equal(r->selected, 1);
    assert_int_equal(r->chosen[0], 0);
    assert_string_equal(r->error_name, "cv");
    assert_below(r->error, r->all_inputs);
    assert_below(r->test, r->test_all_inputs);
    assert_true(r->input[0].relevance == 1);
    tamis_model *m = came_back(cx, r->model, fresh, p, NULL);
    for (size_t i = 0; i < 1000; i++) p[i] -= fresh->column[5].value[i];
    assert_below(sqrt(variance(p, 1000)), 0.18);
    damage_is_refused(cx, m, 300);
    tamis_model_free(m);
    tamis_result_free(r);
    tamis_table_free(t);
    tamis_table_free(fresh);
}

static void two_classes_are_told_apart(void **state)
{
    tamis_context *cx = *state;
    tamis_table *t = made(cx, "xor", "120", "2"), *fresh = made(cx, "xor", "400", "9");
    tamis_options *o = quick(cx);
    tamis_result *r = NULL;
    double prediction[400], score[800], wrong = 0;
    tamis_options_set(o, "r", "10:300:4");
    assert_int_equal(tamis_select(cx, t, fresh, o, &r), TAMIS_OK);
    assert_true(r->input[0].selected && r->input[1].selected && r->selected <= 3);
    assert_below(r->error, 0.2);
    assert_below(r->test, 0.2);
    assert_below(r->error, r->all_inputs);
    assert_int_equal(tamis_model_predict(cx, r->model, fresh, prediction, score), TAMIS_OK);
    for (size_t i = 0; i < 400; i++) {
        assert_true(prediction[i] == (score[i + 400] > score[i]));
        wrong += (prediction[i] != fresh->column[10].value[i]) / 400.0;
    }
    assert_close(wrong, r->test, 1e-12);
    tamis_result_free(r);
    tamis_options_free(o);
    tamis_table_free(t);
    tamis_table_free(fresh);
}

static void bad_requests_get_a_sentence(void **state)
{
    static const struct { const char *text, *option, *value; int status; const char *says; } bad[] = {
        {"x,y\n1,5\n2,6\n3,7\n4,9\n", "r", "0", TAMIS_USAGE, "--r"},
        {"x,y\n1,5\n2,6\n3,7\n4,9\n", "r", "-3:5:4", TAMIS_USAGE, "--r"},
        {"x,y\n1,5\n2,6\n3,7\n4,9\n", "t", "inf", TAMIS_USAGE, "--t"},
        {"x,y\n1,5\n2,6\n3,7\n4,9\n", "t", "0:1:5", TAMIS_USAGE, "--t"},
        {"x,y\n1,5\n2,6\n3,7\n4,9\n", "folds", "1", TAMIS_USAGE, "--folds"},
        {"x,y\n1,5\n2,6\n3,7\n4,9\n", "solver", "magic", TAMIS_USAGE, "--solver"},
        {"x,y\n1,5\n2,6\n3,7\n4,9\n", "drop-below", "1", TAMIS_USAGE, "--drop-below"},
        {"x,y\n1,a\n2,b\n3,c\n4,a\n5,b\n6,c\n", NULL, NULL, TAMIS_USAGE, "two classes"},
        {"x,y\n1,a\n2,a\n3,a\n4,a\n", NULL, NULL, TAMIS_DATA, ""},
    };
    tamis_context *cx = *state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        option_refused(cx, bad[i].text, quick(cx), bad[i].option, bad[i].value, bad[i].status, bad[i].says);
}

static void hard_tables_are_survived(void **state)
{
    static const char *const text[] = {
        HARD_NUMBERS, "x,y\n1,a\n1,b\n2,a\n2,b\n1,a\n2,b\n"};
    static const char *const solver[] = {"projection", "direct", "alternating"};
    tamis_context *cx = *state;
    for (size_t i = 0; i < sizeof text / sizeof *text; i++)
        for (int m = 0; m < 4; m++) {
            tamis_options *o = quick(cx);
            tamis_result *r = NULL;
            tamis_options_set(o, "solver", solver[m % 3]);
            if (m == 3) tamis_options_set(o, "r", "auto"), tamis_options_set(o, "t", "auto");
            if (select_text(cx, text[i], o, &r)) fail_msg("table %zu: %s", i, tamis_error(cx));
            assert_true(isfinite(r->error));
            for (size_t k = 0; k < r->inputs; k++) assert_false(r->input[k].constant && r->input[k].selected);
            tamis_result_free(r);
            tamis_options_free(o);
        }
}

/* The same columns twice: one of each pair carries the weight. */
static void copies_of_inputs_share_nothing(void **state)
{
    tamis_context *cx = *state;
    tamis_table *t = made(cx, "tikka1d", "50", "8"), *two = NULL;
    double *x = calloc(50 * 7, sizeof *x);
    tamis_result *a = NULL, *b = NULL;
    tamis_options *o = quick(cx);
    for (size_t j = 0; j < 5; j++) memcpy(x + 50 * j, t->column[j].value, 50 * sizeof *x);
    memcpy(x + 50 * 5, t->column[0].value, 50 * sizeof *x);
    memcpy(x + 50 * 6, t->column[5].value, 50 * sizeof *x);
    assert_int_equal(tamis_table_from_numbers(cx, 50, 7, x, 1, 50, NULL, &two), TAMIS_OK);
    tamis_options_set(o, "r", "6");
    tamis_options_set(o, "t", "4");
    assert_int_equal(tamis_select(cx, t, NULL, o, &a), TAMIS_OK);
    assert_int_equal(tamis_select(cx, two, NULL, o, &b), TAMIS_OK);
    assert_true(b->input[0].selected && !b->input[5].selected);
    assert_close(a->error, b->error, 0.02);             /* other starts, perhaps another local minimum */
    assert_string_equal(a->error_name, "training");
    tamis_result_free(a);
    tamis_result_free(b);
    tamis_options_free(o);
    tamis_table_free(t);
    tamis_table_free(two);
    free(x);
}

static void every_allocation_may_fail(void **state)
{
    tamis_context *cx = *state;
    tamis_table *t = made(cx, "tikka1d", "14", "4");
    for (int m = 0; m < 2; m++)
        run_survives_failing_memory(cx, t,
                                    OPTIONS("method", "sparse-rbf", "r", "3", "t", m ? "1:2:2" : "auto", "folds", "2",
                                            "holdout", "0.2", m ? "centers" : NULL, "6"),
                                    100, 5000);
    tamis_table_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(same_bits_for_any_number_of_threads),
        TEST(first_example_keeps_its_one_input),
        TEST(two_classes_are_told_apart),
        TEST(bad_requests_get_a_sentence),
        TEST(hard_tables_are_survived),
        TEST(copies_of_inputs_share_nothing),
        TEST(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
