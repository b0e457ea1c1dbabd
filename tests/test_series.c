/* Time series: lagged inputs, horizons, splits in time order, models that store their lags. */
#include "base/rng.h"
#include "data/design.h"
#include "data/table.h"
#include "model/model.h"
#include "unit.h"

/* u white, y_t = 0.7 y_(t-2) + 0.5 u_(t-3) + noise; row t of u holds u_t. */
static tamis_table *series(tamis_context *cx, size_t n, uint32_t seed, double noise)
{
    struct tamis_rng r;
    double *x = malloc(2 * n * sizeof *x), *u = x, *y = x + n;
    static const char *const names[2] = {"u", "y"};
    tamis_table *t = NULL;
    tamis_rng_init(&r, 11, TAMIS_RNG_TEST, seed);
    for (size_t i = 0; i < n; i++) {
        u[i] = tamis_rng_normal(&r);
        y[i] = (i >= 2 ? 0.7 * y[i - 2] : 0) + (i >= 3 ? 0.5 * u[i - 3] : 0) + noise * tamis_rng_normal(&r);
    }
    assert_int_equal(tamis_table_from_numbers(cx, n, 2, x, 1, n, names, &t), TAMIS_OK);
    free(x);
    return t;
}

/* Inputs of row `at` do not move when every value newer than at - horizon does. */
static void horizon_sees_nothing_newer(void **state)
{
    tamis_context *cx = *state;
    for (size_t from = 0; from < 3; from++)
        for (size_t horizon = 1; horizon <= 6; horizon += 5) {
            tamis_table *t = series(cx, 30, 1, 0.1);
            size_t at = 25;
            struct tamis_encoder *e = tamis_encoder_new(
                cx, t, &(struct tamis_roles){.force = -1, .lag_from = from, .lag_to = 7, .horizon = horizon});
            double before[32];
            assert_true(e->inputs <= 32);
            size_t all[3] = {15, 20, 22};
            tamis_design_free(tamis_design_learn(cx, e, t, all, 3, 0));
            struct tamis_design *d = tamis_design_apply(cx, e, t, &at, 1, 0);
            memcpy(before, d->x, e->inputs * sizeof *before);
            tamis_design_free(d);
            size_t present = horizon == 1 && !from;     /* one step ahead, lag 0 of another column is asked for */
            for (size_t c = 0; c < 2; c++)
                for (size_t n = at - horizon + 1; n < 30; n++)
                    if (c || !present || n != at) t->column[c].value[n] += 100 + (double)n;
            d = tamis_design_apply(cx, e, t, &at, 1, 0);
            assert_memory_equal(before, d->x, e->inputs * sizeof *before);
            for (size_t i = 0; i < e->inputs; i++) assert_true(e->input[i].lag >= horizon || present);
            tamis_design_free(d);
            tamis_encoder_free(e);
            tamis_table_free(t);
        }
}

static void lags_are_named_and_placed(void **state)
{
    static const char *const names[] = {"u[t-2]", "u[t-3]", "u[t-4]", "y[t-2]", "y[t-3]", "y[t-4]"};
    tamis_context *cx = *state;
    tamis_table *t = series(cx, 20, 1, 0.1);
    size_t *row = NULL, rows;
    struct tamis_encoder *e = tamis_encoder_new(
        cx, t, &(struct tamis_roles){.force = -1, .lag_from = 1, .lag_to = 3, .horizon = 2});
    assert_int_equal(e->inputs, 6);
    for (size_t i = 0; i < 6; i++) assert_string_equal(e->input[i].name, names[i]);
    assert_int_equal(tamis_encoder_reach(e), 4);
    t->column[0].value[10] = NAN;                               /* drops rows 12, 13 and 14 too */
    assert_int_equal(tamis_rows_complete(cx, e, t, 1, &row, &rows), TAMIS_OK);
    assert_true(rows == 13 && row[0] == 4 && row[7] == 11 && row[8] == 15);
    struct tamis_design *d = tamis_design_learn(cx, e, t, row, rows, 0);
    for (size_t i = 0; i < rows; i++) {
        assert_true(d->y[i] == t->column[1].value[row[i]]);
        for (size_t l = 2; l <= 4; l++)
            assert_true(d->x[i + rows * (l - 2)] == t->column[0].value[row[i] - l] &&
                        d->x[i + rows * (l + 1)] == t->column[1].value[row[i] - l]);
    }
    size_t fold[13];
    assert_int_equal(tamis_design_folds(cx, d, 4, 1, fold), TAMIS_OK);
    assert_true(fold[0] == 0 && fold[12] == 3);
    for (size_t i = 1; i < rows; i++) assert_true(fold[i] == fold[i - 1] || fold[i] == fold[i - 1] + 1);
    tamis_design_free(d);
    tamis_encoder_free(e);
    e = tamis_encoder_new(cx, t, &(struct tamis_roles){.force = -1, .lag_from = 0, .lag_to = 1, .horizon = 1});
    assert_int_equal(e->inputs, 3); /* u of the same row is an input, y of that row is the target */
    assert_string_equal(e->input[0].name, "u[t]");
    assert_string_equal(e->input[2].name, "y[t-1]");
    tamis_encoder_free(e);
    tamis_free(row);
    tamis_table_free(t);
}

static void the_lags_that_matter_are_found(void **state)
{
    static const char *const method[] = {"lars", "sisal", "forward"};
    tamis_context *cx = *state;
    tamis_table *t = series(cx, 160, 2, 0.1);
    for (int m = 0; m < 3; m++) {
        tamis_options *o = OPTIONS("method", method[m], "lags", "1:4", "holdout", "0.25");
        if (m) tamis_options_set(o, "sigma2", "10:1000:4");
        tamis_result *r = chosen(cx, t, NULL, o);
        assert_true(r->inputs == 8 && r->rows == 117 && r->test_rows == 39);
        assert_true(r->input[2].selected && r->input[5].selected && r->input[2].rank <= 2 &&
                    r->input[5].rank <= 2); /* u[t-3], y[t-2] */
        assert_below(r->test, 0.06);
        tamis_result_free(r);
    }
    tamis_table_free(t);
}

/* The last rows are held out: changing them does not change the selection. */
static void the_future_teaches_nothing(void **state)
{
    tamis_context *cx = *state;
    tamis_table *t = series(cx, 100, 3, 0.1);
    double error[2], test[2];
    for (int i = 0; i < 2; i++) {
        for (size_t k = 81; i && k < 100; k++) t->column[1].value[k] += 5;
        tamis_result *r = chosen(cx, t, NULL, OPTIONS("method", "lars", "lags", "1:3", "holdout", "0.2"));
        error[i] = r->error, test[i] = r->test;
        tamis_result_free(r);
    }
    assert_true(error[0] == error[1] && test[0] != test[1]);
    tamis_table_free(t);
}

static void models_take_the_series_themselves(void **state)
{
    tamis_context *cx = *state;
    tamis_table *t = series(cx, 120, 4, 0.05), *fresh = series(cx, 61, 5, 0.05);
    tamis_result *r = chosen(cx, t, fresh, OPTIONS("method", "lars", "lags", "1:6"));
    double p[61], q[61], error = 0, truth = fresh->column[1].value[60];
    tamis_model *m = came_back(cx, r->model, fresh, q, NULL);
    size_t reach = tamis_encoder_reach(m->encoder);
    for (size_t i = 0; i < 61; i++) assert_true(isnan(q[i]) == (i < reach));
    for (size_t i = 6; i < 61; i++)
        error += pow(q[i] - fresh->column[1].value[i], 2) / 55 / variance(t->column[1].value + 6, 114);
    assert_close(error, r->test, 1e-9 * error);
    fresh->column[0].value[60] = fresh->column[1].value[60] = NAN; /* an empty row requests the next value */
    assert_int_equal(tamis_model_predict(cx, m, fresh, p, NULL), TAMIS_OK);
    assert_true(p[60] == q[60]);
    assert_close(p[60], truth, 0.4);
    tamis_model_free(m);
    tamis_result_free(r);
    tamis_table_free(t);
    tamis_table_free(fresh);
}

/* Three rows ahead y is 0.7 y_(t-3-1)...: direct prediction fits that horizon, with more error than one row ahead. */
static void farther_horizons_err_more(void **state)
{
    static const char *const horizon[] = {"1", "2", "5"};
    tamis_context *cx = *state;
    tamis_table *t = series(cx, 300, 6, 0.2);
    double last = 0;
    for (int h = 0; h < 3; h++) {
        tamis_result *r = chosen(cx, t, NULL, OPTIONS("method", "lars", "lags", "1:4", "horizon", horizon[h]));
        char name[16];
        snprintf(name, sizeof name, "u[t-%s]", horizon[h]);
        assert_string_equal(r->input[0].name, name);
        assert_above(r->error, 0.9 * last);
        if (h == 2) assert_above(r->error, 1.5 * last);
        last = r->error;
        tamis_result_free(r);
    }
    tamis_table_free(t);
}

static void gaps_in_a_series_are_imputed(void **state)
{
    tamis_context *cx = *state;
    tamis_table *t = series(cx, 120, 7, 0.1);
    for (size_t i = 5; i < 120; i += 10) t->column[0].value[i] = NAN;
    for (int i = 0; i < 2; i++) {
        tamis_result *r = chosen(cx, t, NULL, OPTIONS("method", "lars", "lags", "1:4", "impute", i ? "knn" : "none"));
        if (i) assert_int_equal(r->rows, 116);
        else assert_below(r->rows, 80);
        tamis_result_free(r);
    }
    tamis_table_free(t);
}

static void wrong_lags_get_a_sentence(void **state)
{
    static const struct { const char *name, *value; int status; const char *says;
    } bad[] = {{"lags", "1:40", TAMIS_DATA, "complete row"},
               {"lags", "1.5:3", TAMIS_USAGE, "whole numbers"},
               {"horizon", "3", TAMIS_USAGE, "needs --lags"},
               {"lags", "0", TAMIS_OK, ""},
               {"inputs", "y", TAMIS_USAGE, "is the target"}};
    tamis_context *cx = *state;
    tamis_table *t = series(cx, 30, 8, 0.1);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        tamis_options *o = OPTIONS("method", "lars", bad[i].name, bad[i].value);
        tamis_result *r = NULL;
        assert_int_equal(tamis_select(cx, t, NULL, o, &r), bad[i].status);
        if (bad[i].status) says(cx, bad[i].says);
        tamis_result_free(r);
        tamis_options_free(o);
    }
    tamis_result *r = chosen(cx, t, NULL,
                             OPTIONS("method", "lars", "lags", "1:3", "inputs", "y")); /* only its own past */
    assert_int_equal(r->inputs, 3);
    tamis_result_free(r);
    tamis_table_free(t);
}

static void labels_have_lags_too(void **state)
{
    tamis_context *cx = *state;
    struct tamis_rng rng;
    char text[8192] = "state,y\n";
    int before = 0;
    tamis_rng_init(&rng, 5, TAMIS_RNG_TEST, 3);
    for (int i = 0; i < 150; i++) {
        int now = (int)tamis_rng_below(&rng, 2);
        snprintf(text + strlen(text), 60, "%s,%.4f\n", now ? "on" : "off",
                 (before ? 2 : -1) + 0.1 * tamis_rng_normal(&rng));
        before = now;
    }
    tamis_table *t = text_table(cx, text);
    tamis_result *r = chosen(cx, t, NULL, OPTIONS("method", "lars", "lags", "1:2"));
    assert_string_equal(r->input[0].name, "state[t-1]");
    assert_true(r->input[0].selected && r->input[0].rank == 1);
    assert_below(r->error, 0.02);
    tamis_result_free(r);
    tamis_table_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(horizon_sees_nothing_newer), TEST(lags_are_named_and_placed),
                                       TEST(the_lags_that_matter_are_found),
                                       TEST(the_future_teaches_nothing), TEST(models_take_the_series_themselves),
                                       TEST(farther_horizons_err_more),  TEST(gaps_in_a_series_are_imputed),
                                       TEST(wrong_lags_get_a_sentence),  TEST(labels_have_lags_too)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
