/* What other languages build on: readers of a result against its values, structures that grow, a model that outlives
 * its result, predictions from arrays. */
#include "select/comparison.h"
#include "unit.h"

static size_t named_size(const tamis_value *names) { return tamis_value_length(names); }

/* ---- readers ---- */

static void inputs_are_those_of_the_value(void **state)
{
    tamis_context *cx = *state;
    tamis_table *t = made(cx, "friedman1", "80", "1");
    tamis_result *r = chosen(cx, t, NULL, OPTIONS("method", "search", "criterion", "knn"));
    const tamis_value *list = tamis_value_get(tamis_result_value(r), "inputs"), *names;
    tamis_input in = {.size = sizeof in};
    const size_t *selected;
    size_t n = 0;
    for (; tamis_result_input(r, n, &in); n++) {
        const tamis_value *v = tamis_value_item(list, n);
        assert_string_equal(in.name, tamis_value_text(v, "name"));
        assert_int_equal(in.selected, tamis_value_flag(v, "selected"));
        assert_int_equal(in.rank, (size_t)fmax(0, tamis_value_number(v, "rank")));
    }
    assert_int_equal(n, tamis_result_inputs(r));
    names = tamis_value_get(tamis_result_value(r), "selected");
    assert_int_equal(tamis_result_selected(r, &selected), named_size(names));
    for (size_t k = 0; k < named_size(names); k++) {
        assert_int_equal(tamis_result_input(r, selected[k], &in), 1);
        assert_string_equal(in.name, tamis_value_text(tamis_value_item(names, k), NULL));
    }
    tamis_result_free(r);
    tamis_table_free(t);
}

/* The set after each step is that of the step before with what changed; the chosen one is the selection. */
static void sets_follow_the_path(void **state)
{
    static const char *const method[] = {"sisal", "forward", "search", "lars", "sift"};
    tamis_context *cx = *state;
    tamis_table *t = made(cx, "friedman1", "60", "1");
    for (size_t m = 0; m < sizeof method / sizeof *method; m++) {
        tamis_result *r = chosen(cx, t, NULL, OPTIONS("method", method[m]));
        unsigned char set[10], before[10] = {0};
        tamis_step step = {.size = sizeof step};
        size_t k = 0;
        for (; tamis_result_step(r, k, &step); k++) {
            size_t size = tamis_result_set(r, k, set), moved = 0;
            for (size_t i = 0; i < 10; i++) moved += set[i] != before[i];
            assert_int_equal(size, step.inputs);
            if (k) assert_int_equal(moved, step.changed < 0 ? 0 : 1 + step.also);
            if (k && step.changed >= 0) assert_int_equal(set[step.changed], step.added);
            memcpy(before, set, sizeof set);
        }
        assert_int_equal(k, tamis_result_steps(r));
        assert_above(k, 2);
        tamis_result_free(r);
    }
    tamis_table_free(t);
}

static void trials_are_those_of_the_value(void **state)
{
    tamis_context *cx = *state;
    tamis_table *t = made(cx, "friedman1", "60", "1");
    tamis_result *r = chosen(cx, t, NULL, OPTIONS("method", "search", "outer", "4"));
    const tamis_value *outer = tamis_value_get(tamis_result_value(r), "outer");
    tamis_trial_info trial = {.size = sizeof trial};
    unsigned char set[10];
    size_t k = 0;
    for (; tamis_result_trial(r, k, &trial, set); k++) {
        size_t size = 0;
        for (size_t i = 0; i < 10; i++) size += set[i];
        assert_string_equal(trial.kind, "outer");
        assert_int_equal(size, trial.inputs);
        assert_int_equal(size, named_size(tamis_value_item(tamis_value_get(outer, "sets"), k)));
        assert_close(trial.error, tamis_value_item_number(tamis_value_get(outer, "errors"), k), 0);
    }
    assert_int_equal(k, 4);
    assert_int_equal(tamis_result_trials(r), 4);
    assert_string_equal(tamis_model_target(tamis_result_model(r)), "y");
    assert_string_equal(tamis_table_name(t, 10), "y");
    tamis_result_free(r);
    tamis_table_free(t);
}

/* Predictions of rows by models that did not see them, in the target's units: worse than those of the model, and near
 * them. */
static void held_out_predictions_are_in_units(void **state)
{
    tamis_context *cx = *state;
    tamis_table *t = made(cx, "friedman1", "120", "1");
    tamis_result *r = chosen(cx, t, NULL, OPTIONS("method", "sisal"));
    const size_t *row;
    const double *held, *y = t->column[t->columns - 1].value;
    double *p = calloc(t->rows, sizeof *p), own = 0, unseen = 0, all = 0;
    assert_int_equal(tamis_result_held_out(r, &row, &held), t->rows);
    assert_int_equal(tamis_model_predict(cx, tamis_result_model(r), t, p, NULL), TAMIS_OK);
    for (size_t i = 0; i < t->rows; i++) {
        assert_int_equal(row[i], i);
        own += (p[i] - y[i]) * (p[i] - y[i]);
        unseen += (held[i] - y[i]) * (held[i] - y[i]);
    }
    all = variance(y, t->rows) * (double)t->rows;
    assert_below(own, unseen);
    assert_below(unseen, 0.3 * all);
    free(p);
    tamis_result_free(r);
    tamis_table_free(t);
}

/* ---- structures that grow ---- */

static void older_and_newer_callers_are_served(void **state)
{
    tamis_context *cx = *state;
    tamis_table *t = made(cx, "friedman1", "60", "1");
    tamis_result *r = chosen(cx, t, NULL, OPTIONS("method", "search"));
    struct { tamis_input in; double later; } newer = {.in = {.size = sizeof newer}, .later = 7};
    tamis_input full = {.size = sizeof full}, older = {.size = offsetof(tamis_input, relevance), .relevance = 42};
    assert_int_equal(tamis_result_input(r, 0, &full), 1);
    assert_int_equal(tamis_result_input(r, 0, &older), 1);
    assert_string_equal(older.name, full.name);
    assert_close(older.relevance, 42, 0);                               /* beyond what it knows: untouched */
    assert_int_equal(tamis_result_input(r, 0, &newer.in), 1);
    assert_close(newer.later, 7, 0);
    assert_int_equal(newer.in.size, sizeof newer);
    tamis_result_free(r);
    tamis_table_free(t);
}

/* ---- models ---- */

static const char mixed[] = "a,kind,b,y\n1,red,3,4\n2,blue,1,9\n3,red,2,5\n4,blue,7,12\n5,red,1,6\n6,green,2,1\n"
                            "7,green,4,2\n8,blue,3,15\n9,red,6,9\n2,green,5,0\n3,blue,1,10\n1,green,8,-1\n";

static double level_or_number(const tamis_table *t, const tamis_model *m, size_t j, size_t row)
{
    const struct tamis_data_column *c = &t->column[tamis_table_find(t, tamis_model_input(m, j))];
    const char *const *level;
    size_t levels = tamis_model_levels(m, j, &level);
    if (!levels) return c->value[row];
    for (size_t l = 0; l < levels; l++)
        if (!strcmp(level[l], c->level[(size_t)c->value[row]])) return (double)l;
    return NAN;
}

static void models_outlive_results_and_predict_from_arrays(void **state)
{
    tamis_context *cx = *state;
    tamis_table *t = text_table(cx, mixed);
    tamis_result *r = chosen(cx, t, NULL, OPTIONS("method", "lssvm", "sigma2", "4", "gamma", "10"));
    tamis_model *m = tamis_result_take_model(r);
    assert_null(tamis_result_model(r));
    tamis_result_free(r);
    double x[12 * 3], across[12 * 3], p[12], q[12];
    size_t inputs = tamis_model_inputs(m);
    assert_int_equal(inputs, 3);
    assert_string_equal(tamis_model_kind(m), "lssvm");
    assert_int_equal(tamis_model_basis_functions(m), 12);
    assert_null(tamis_model_input(m, 3));
    for (size_t i = 0; i < 12; i++)
        for (size_t j = 0; j < 3; j++) x[i * 3 + j] = across[i + 12 * j] = level_or_number(t, m, j, i);
    assert_int_equal(tamis_model_predict(cx, m, t, p, NULL), TAMIS_OK);
    assert_int_equal(tamis_model_predict_numbers(cx, m, 12, x, 3, 1, q, NULL), TAMIS_OK);
    assert_memory_equal(p, q, sizeof p);
    assert_int_equal(tamis_model_predict_numbers(cx, m, 12, across, 1, 12, q, NULL), TAMIS_OK);
    assert_memory_equal(p, q, sizeof p);
    for (size_t j = 0; j < 3; j++)
        if (tamis_model_levels(m, j, NULL)) x[j] = 3;
    assert_int_equal(tamis_model_predict_numbers(cx, m, 12, x, 3, 1, q, NULL), TAMIS_DATA);
    says(cx, "index of one of its 3 levels");
    tamis_model_free(m);
    tamis_table_free(t);
}

/* ---- comparisons ---- */

static void comparisons_are_values(void **state)
{
    tamis_context *cx = *state;
    tamis_table *t = made(cx, "friedman1", "60", "1");
    tamis_options *o = OPTIONS("methods", "lars,search", "outer", "3");
    tamis_comparison *c = NULL;
    assert_int_equal(tamis_compare(cx, t, o, &c), TAMIS_OK);
    const tamis_value *methods = tamis_value_at(tamis_comparison_value(c), "methods");
    assert_int_equal(tamis_value_length(methods), 2);
    for (size_t k = 0; k < 2; k++)
        assert_close(tamis_value_number(tamis_value_item(methods, k), "error.mean"), c->contender[k].summary.mean, 0);
    tamis_comparison_free(c);
    tamis_options_free(o);
    tamis_table_free(t);
}

/* ---- values ---- */

static void values_come_back_from_their_json(void **state)
{
    tamis_context *cx = *state;
    tamis_table *t = made(cx, "additive", "60", "1");
    tamis_result *r = chosen(cx, t, NULL, OPTIONS("method", "fei", "outer", "2"));
    char *text = NULL, *again = NULL;
    size_t n = 0, m = 0;
    tamis_value *v = NULL;
    assert_int_equal(tamis_result_json(cx, r, &text, &n), TAMIS_OK);
    assert_int_equal(tamis_value_parse(cx, text, n, &v), TAMIS_OK);
    assert_int_equal(tamis_value_json(cx, v, &again, &m), TAMIS_OK);
    assert_string_equal(text, again);
    tamis_value_free(v);
    tamis_release(text);
    tamis_release(again);
    tamis_result_free(r);
    tamis_table_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(inputs_are_those_of_the_value),
        TEST(sets_follow_the_path),
        TEST(trials_are_those_of_the_value),
        TEST(held_out_predictions_are_in_units),
        TEST(older_and_newer_callers_are_served),
        TEST(models_outlive_results_and_predict_from_arrays),
        TEST(comparisons_are_values),
        TEST(values_come_back_from_their_json),
    };
    return cmocka_run_group_tests_name("api", tests, NULL, NULL);
}
