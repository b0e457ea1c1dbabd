/* Method search end to end: known paths, every criterion under every search, weights, starts, stops and resumptions,
 * models, bad options. */
#include "base/rng.h"
#include "cases_dt.h"
#include "crit/crit.h"
#include "model/knn.h"
#include "unit.h"
#include "search/searches.h"

/* "name=value;name=value" for method search. */
static tamis_options *searching(tamis_context *cx, const char *text)
{
    char words[512];
    snprintf(words, sizeof words, "method=search;%s", text);
    return worded(cx, words);
}

static tamis_result *found(tamis_context *cx, const tamis_table *t, const char *text)
{
    return chosen(cx, t, NULL, searching(cx, text));
}

static unsigned bits(const tamis_result *r)
{
    unsigned set = 0;
    for (size_t i = 0; i < r->inputs; i++) set |= (unsigned)r->input[i].selected << i;
    return set;
}

/* ---- known answers ---- */

/* The steps of a known path without those that move a constant, which no search considers; returns how many. */
static size_t known_steps(const struct dt_path *p, const tamis_result *r, struct dt_path *to)
{
    *to = *p;
    to->count = 0;
    for (size_t s = 0; s < p->count; s++) {
        int change = p->step[s].change;
        if (!change || !r->input[abs(change) - 1].constant) to->step[to->count++] = p->step[s];
    }
    for (size_t i = 0; i < r->inputs; i++)
        if (r->input[i].constant) to->selected &= ~(1u << i);
    return to->count;
}

static void paths_are_the_known_ones(void **state)
{
    tamis_context *cx = *state;
    for (size_t i = 0; i < 2; i++) {
        tamis_table *t = joined(cx, dt_cases[i].n, dt_cases[i].d, dt_cases[i].x, dt_cases[i].y);
        for (size_t k = 0; k < dt_cases[i].paths; k++) {
            struct dt_path known, *p = &known;
            const char *options = dt_cases[i].path[k].options;
            char text[256];
            snprintf(text, sizeof text, "%s;no-standardize%s", options, strstr(options, "delta") ? ";ties=first" : "");
            tamis_result *r = found(cx, t, text);
            if (known_steps(&dt_cases[i].path[k], r, p) && r->steps != p->count)
                fail_msg("%s %s: %zu steps", dt_cases[i].name, p->name, r->steps);
            for (size_t s = 0; s < p->count; s++) {
                int change = r->path[s].changed < 0 ? 0 : (r->path[s].added ? 1 : -1) * (int)(r->path[s].changed + 1);
                assert_int_equal(change, p->step[s].change);
                assert_close(r->path[s].criterion, p->step[s].value,
                             1e-12 * fabs(p->step[s].value) + (strstr(p->options, "=mi") ? 1e-10 : 0));
            }
            assert_int_equal(bits(r), p->selected);
            assert_close(r->error, p->value, 1e-12 * fabs(p->value) + (strstr(p->options, "=mi") ? 1e-10 : 0));
            tamis_result_free(r);
        }
        tamis_table_free(t);
    }
}

static size_t right(tamis_context *cx, const char *name, const char *text, unsigned truth)
{
    size_t count = 0;
    for (int seed = 1; seed <= 12; seed++) {
        char number[16];
        snprintf(number, sizeof number, "%d", seed);
        tamis_table *t = made(cx, name, "300", number);
        tamis_result *r = found(cx, t, text);
        count += bits(r) == truth;
        tamis_result_free(r);
        tamis_table_free(t);
    }
    return count;
}

static void true_inputs_are_found(void **state)
{
    size_t friedman = right(*state, "friedman1", "", 31), product = right(*state, "interaction", "start=full", 3);
    printf("Friedman 5 of 10, N = 300: %zu of 12; product of two inputs from the full set: %zu of 12\n", friedman,
           product);
    assert_true(friedman >= 11 && product >= 11);
}

/* ---- every criterion under every search ---- */

static const char *const searches[] = {"forward", "backward", "forward-backward", "eliminate", "exhaustive"};

/* Options that make a criterion fast enough for a test. */
static const char *quick(const char *criterion) { return !strcmp(criterion, "loo-rbf") ? ";sigma2=1:100:3" : ""; }

static void every_pair_runs_and_exhaustive_is_never_worse(void **state)
{
    tamis_context *cx = *state;
    const struct tamis_criterion *c;
    for (int classes = 0; classes < 2; classes++) {
        tamis_table *t = made(cx, classes ? "xor" : "interaction", "40", "2");
        for (size_t k = 0; (c = tamis_criterion_at(k)); k++) {
            double best = NAN;
            assert_true(c->label && *c->label && c->summary && c->error_name);
            if (strcmp(c->task, "both") && strcmp(c->task, classes ? "classification" : "regression")) continue;
            for (size_t s = 5; s-- > 0;) {
                char text[256];
                snprintf(text, sizeof text, "criterion=%s;search=%s;ignore=x5,x6,x7,x8,x9,x10%s", c->name, searches[s],
                         quick(c->name));
                tamis_result *r = found(cx, t, text);
                assert_true(r->steps > 0 && isfinite(r->error) && r->model && r->inputs == 4);
                if (s == 4) best = r->error;
                if (best > r->error + 1e-9 * fabs(r->error))
                    fail_msg("%s: exhaustive %g, %s %g", c->name, best, searches[s], r->error);
                double prediction[40];
                assert_int_equal(tamis_model_predict(cx, r->model, t, prediction, NULL), TAMIS_OK);
                for (size_t i = 0; i < 40; i++) assert_true(isfinite(prediction[i]));
                tamis_result_free(r);
            }
        }
        tamis_table_free(t);
    }
}

static void starts_and_restarts(void **state)
{
    tamis_context *cx = *state;
    tamis_table *t = made(cx, "interaction", "200", "4");
    static const char *const search[] = {"forward", "backward", "forward-backward"};
    for (size_t s = 0; s < 3; s++) {
        char text[128];
        snprintf(text, sizeof text, "search=%s;start=x2,x9", search[s]);
        tamis_result *a = found(cx, t, text);
        assert_true(a->path[0].size == 2 && a->path[0].changed < 0);
        snprintf(text, sizeof text, "search=%s;start=x2,x9;restarts=6;seed=5", search[s]);
        tamis_result *b = found(cx, t, text);
        assert_at_most(b->error, a->error);
        assert_true(b->steps > a->steps);
        for (size_t k = 0; k < a->steps; k++) assert_true(a->path[k].criterion == b->path[k].criterion);
        for (size_t k = 0; k < b->steps; k++) assert_at_least(b->path[k].criterion, b->error);
        if (s == 2) assert_int_equal(bits(b), 3);
        tamis_result_free(a);
        tamis_result_free(b);
    }
    tamis_result *a = found(cx, t, "start=random;seed=3"), *b = found(cx, t, "start=random;seed=4");
    assert_true(a->path[0].criterion != b->path[0].criterion);
    tamis_result_free(a);
    tamis_result_free(b);
    tamis_table_free(t);
}

static void noise_may_leave_nothing(void **state)
{
    tamis_context *cx = *state;
    size_t none = 0;
    for (int seed = 1; seed <= 6; seed++) {
        char number[16];
        snprintf(number, sizeof number, "%d", seed);
        tamis_table *t = made(cx, "noise", "80", number);
        tamis_result *r = found(
            cx, t, "criterion=knn;neighbors=20;search=forward-backward;holdout=0.3;ignore=x4,x5,x6,x7,x8,x9,x10");
        none += !r->selected;
        if (!r->selected) assert_between(r->test, 0.3, 3);
        tamis_result_free(r);
        tamis_table_free(t);
    }
    assert_at_least(none, 1);
}

/* ---- weights ---- */

static void weights_lower_the_criterion(void **state)
{
    static const char *const criterion[] = {"delta", "gamma-test", "knn", "mi"};
    tamis_context *cx = *state;
    tamis_table *t = made(cx, "add10", "120", "3");
    for (size_t k = 0; k < 4; k++) {
        char text[128];
        snprintf(text, sizeof text, "criterion=%s", criterion[k]);
        tamis_result *plain = found(cx, t, text);
        strcat(text, ";scaling;holdout=0");
        tamis_result *scaled = found(cx, t, text);
        assert_below(scaled->error, plain->error);
        const struct tamis_knn *m = scaled->model->body;
        assert_int_equal(m->columns, scaled->selected);
        double least = 2;
        for (size_t c = 0; c < m->columns; c++) {
            assert_above(m->factor[c], 0);
            assert_at_most(m->factor[c], 1);
            assert_close(10 * m->factor[c], rint(10 * m->factor[c]), 1e-12);
            least = fmin(least, m->factor[c]);
        }
        assert_below(least, 1);
        char *out = result_text(cx, scaled);
        assert_non_null(strstr(out, "\"scaling\": ["));
        assert_non_null(strstr(out, "\"unscaled\": "));
        tamis_release(out);
        tamis_result_free(plain);
        tamis_result_free(scaled);
    }
    tamis_table_free(t);
}

/* ---- runs ---- */

static void same_bits_for_any_number_of_threads(void **state)
{
    static const char *const text[] = {"scaling", "criterion=mi;search=backward",
                                       "criterion=knn;restarts=2;holdout=0.2", "criterion=gamma-test;search=forward",
                                       "search=exhaustive;ties=mean;ignore=x9,x10"};
    tamis_context *cx = *state;
    tamis_table *t = made(cx, "add10", "90", "3");
    for (size_t i = 0; i < 5; i++) same_bits(cx, t, searching(cx, text[i]), NULL);
    tamis_table_free(t);
}

static void stopped_runs_resume_to_the_same_result(void **state)
{
    static const char *const text[] = {"scaling;importance=none", "restarts=2", "search=exhaustive;ignore=x9,x10",
                                       "search=backward;criterion=mi", "search=forward;start=x3"};
    tamis_context *cx = *state;
    tamis_table *t = made(cx, "add10", "60", "5");
    tamis_context_limits(cx, 2, 0);
    for (int m = 0; m < 5; m++) assert_above(stopped_and_resumed(cx, t, searching(cx, text[m]), 2, 2), 2);
    tamis_table_free(t);
}

static void every_allocation_may_fail(void **state)
{
    static const char *const text[] = {"scaling;holdout=0.3;inputs=x1,x2,x3",
                                       "criterion=mi;search=backward;restarts=1;inputs=x1,x2,x4",
                                       "criterion=knn;search=exhaustive;holdout=0.3;inputs=x1,x2",
                                       "criterion=gamma-test;search=forward;neighbors=3;inputs=x1,x4"};
    tamis_context *cx = *state;
    tamis_table *t = made(cx, "add10", "24", "4");
    for (size_t i = 0; i < 4; i++) run_survives_failing_memory(cx, t, searching(cx, text[i]), 100, 50000);
    tamis_table_free(t);
}

/* ---- models ---- */

static void models_come_back_the_same(void **state)
{
    static const char *const text[] = {"scaling", "criterion=knn", "criterion=mi"};
    tamis_context *cx = *state;
    for (int m = 0; m < 6; m++) {
        int classes = m >= 3;
        if (m == 3) continue;
        tamis_table *t = made(cx, classes ? "additive" : "add10", "150", "2"),
                    *fresh = made(cx, classes ? "additive" : "add10", "100", "8");
        tamis_result *r = chosen(cx, t, fresh, searching(cx, text[m % 3]));
        double a[100], score[200], wrong = 0;
        tamis_model *copy = came_back(cx, r->model, fresh, a, classes ? score : NULL);
        for (size_t i = 0; classes && i < 100; i++) {
            assert_close(score[i] + score[i + 100], 1, 1e-12);
            wrong += a[i] != fresh->column[10].value[i];
        }
        if (classes) {
            assert_close(wrong / 100, r->test, 1e-12);
            assert_below(r->test, 0.3);
        } else {
            assert_below(r->test, 0.5);
        }
        damage_is_refused(cx, copy, 200);
        tamis_model_free(copy);
        tamis_result_free(r);
        tamis_table_free(t);
        tamis_table_free(fresh);
    }
}

/* ---- text tables ---- */

static tamis_result *found_in(tamis_context *cx, const char *table, const char *text)
{
    tamis_table *t = text_table(cx, table);
    tamis_result *r = found(cx, t, text);
    tamis_table_free(t);
    return r;
}

static void bad_options_get_a_sentence(void **state)
{
    static const struct { const char *text, *options; int status; const char *says;
    } bad[] = {
        {"x,y\n1,5\n2,6\n3,7\n4,9\n", "criterion=magic", TAMIS_USAGE, "unknown criterion"},
        {"x,y\n1,5\n2,6\n3,7\n4,9\n", "search=magic", TAMIS_USAGE, "unknown search"},
        {"x,y\n1,5\n2,6\n3,7\n4,9\n", "start=q", TAMIS_USAGE, "--start q"},
        {"x,y\n1,5\n2,6\n3,7\n4,9\n", "criterion=loo-rbf;scaling", TAMIS_USAGE, "has no weights"},
        {"x,y\n1,5\n2,6\n3,7\n4,9\n", "search=exhaustive;start=full", TAMIS_USAGE, "--start does not belong"},
        {"x,y\n1,5\n2,6\n3,7\n4,9\n", "criterion=gamma-test;neighbors=1", TAMIS_USAGE, "--neighbors"},
        {"x,y\n1,a\n2,b\n3,a\n4,b\n", "", TAMIS_USAGE, "criterion delta is for regression"},
        {"a,b,c,d,y\n1,2,3,4,5\n2,1,4,3,6\n3,3,1,1,7\n4,9,1,2,9\n", "search=exhaustive;exhaustive-limit=3", TAMIS_USAGE,
         "2^4 sets"},
    };
    tamis_context *cx = *state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        refused(cx, bad[i].text, searching(cx, bad[i].options), bad[i].status, bad[i].says);
}

static void hard_tables_are_survived(void **state)
{
    static const char *const text[] = {
        HARD_NUMBERS,
        "x,y\n1,5\n2,6\n3,7\n9,1\n4,3\n",                                                /* one input */
        "c,x,y\nred,1,5\nblue,2,6\nred,3,7\ngreen,4,9\nblue,1,2\n"};                     /* a category */
    tamis_context *cx = *state;
    const struct tamis_criterion *c;
    for (size_t i = 0; i < sizeof text / sizeof *text; i++)
        for (size_t k = 1; (c = tamis_criterion_at(k)); k++)
            for (size_t s = 0; s < 5; s++) {
                char with[128];
                if (!c->weigh) continue;
                snprintf(with, sizeof with, "criterion=%s;search=%s%s", c->name, searches[s], s == 2 ? ";scaling" : "");
                tamis_result *r = found_in(cx, text[i], with);
                assert_true(isfinite(r->error) && isfinite(r->all_inputs));
                tamis_result_free(r);
            }
}

static void copies_of_rows_are_said(void **state)
{
    tamis_context *cx = *state;
    char text[4096] = "x,y\n";
    for (int i = 0; i < 40; i++) snprintf(text + strlen(text), 32, "%d,%d\n", i % 3, i % 3 * 2);
    tamis_result *r = found_in(cx, text, "criterion=mi");
    int said = 0;
    for (size_t i = 0; i < r->notes; i++) said |= strstr(r->note[i], "copies") != NULL;
    assert_true(said && r->selected == 1);
    assert_below(-r->error, log(3) + 0.2);
    tamis_result_free(r);
}

/* ---- noise ---- */

enum { NOISE_ROWS = 40, NOISE_INPUTS = 4, NOISE_TABLES = 200 };

/* Inputs: a continuous one, one of two values, one of four, and a constant; the target depends on none of them. */
static tamis_table *noise_table(tamis_context *cx, uint32_t seed)
{
    double x[NOISE_ROWS * NOISE_INPUTS], y[NOISE_ROWS];
    struct tamis_rng rng;
    tamis_rng_init(&rng, 41, TAMIS_RNG_TEST, seed);
    for (size_t i = 0; i < NOISE_ROWS; i++) {
        x[i] = tamis_rng_normal(&rng);
        x[i + NOISE_ROWS] = (double)tamis_rng_below(&rng, 2);
        x[i + 2 * NOISE_ROWS] = (double)tamis_rng_below(&rng, 4);
        x[i + 3 * NOISE_ROWS] = 7.25;
        y[i] = tamis_rng_normal(&rng);
    }
    return joined(cx, NOISE_ROWS, NOISE_INPUTS, x, y);
}

/* Ties must not make noise of few values look better than noise of many: with one of the tied rows instead of their
 * mean, the four-valued input is chosen far more often than the continuous one. */
static void discrete_noise_is_chosen_no_more_often(void **state)
{
    tamis_context *cx = *state;
    double chosen_of[NOISE_INPUTS] = {0};
    for (uint32_t seed = 0; seed < NOISE_TABLES; seed++) {
        tamis_table *t = noise_table(cx, seed);
        tamis_result *r = found(cx, t, "");
        for (size_t i = 0; i < NOISE_INPUTS; i++) chosen_of[i] += r->input[i].selected;
        tamis_result_free(r);
        tamis_table_free(t);
    }
    printf("noise chosen in %d tables: continuous %g, of two values %g, of four %g\n", NOISE_TABLES, chosen_of[0],
           chosen_of[1], chosen_of[2]);
    double error = 2 * sqrt(NOISE_TABLES * 0.5);        /* 2 standard errors of a difference of counts, at most */
    assert_below(chosen_of[1], chosen_of[0] + error);
    assert_below(chosen_of[2], chosen_of[0] + error);
    assert_true(chosen_of[3] == 0);
}

/* A constant is no candidate of any search, from any start, with or without weights or bundles, and is listed. */
static void constants_are_never_chosen(void **state)
{
    static const char *const how[] = {"", "start=full", "start=x4", "start=random;restarts=3", "scaling",
                                      "search=forward", "search=backward", "search=eliminate", "search=keep",
                                      "search=exhaustive", "search=forward;max-inputs=2",
                                      "group-inputs=x3,x4", "search=backward;group-inputs=x3,x4",
                                      "criterion=knn;start=full", "criterion=gamma-test;start=full"};
    tamis_context *cx = *state;
    tamis_table *t = noise_table(cx, 5);
    for (size_t k = 0; k < sizeof how / sizeof *how; k++) {
        tamis_result *r = found(cx, t, how[k]);
        assert_int_equal(r->inputs, NOISE_INPUTS);
        assert_true(!r->input[3].selected && r->input[3].constant);
        for (size_t s = 0; s < r->steps; s++) assert_in_range(r->path[s].size, 0, NOISE_INPUTS - 1);
        tamis_result_free(r);
    }
    tamis_result *must = found(cx, t, "must=x4");
    assert_true(must->input[3].selected);
    tamis_result_free(must);
    tamis_table_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST_ONE_THREAD(paths_are_the_known_ones),
                                       TEST_ONE_THREAD(true_inputs_are_found),
                                       TEST_ONE_THREAD(every_pair_runs_and_exhaustive_is_never_worse),
                                       TEST_ONE_THREAD(starts_and_restarts),
                                       TEST_ONE_THREAD(noise_may_leave_nothing),
                                       TEST_ONE_THREAD(weights_lower_the_criterion),
                                       TEST_ONE_THREAD(same_bits_for_any_number_of_threads),
                                       TEST_ONE_THREAD(stopped_runs_resume_to_the_same_result),
                                       TEST_ONE_THREAD(every_allocation_may_fail),
                                       TEST_ONE_THREAD(models_come_back_the_same),
                                       TEST_ONE_THREAD(bad_options_get_a_sentence),
                                       TEST_ONE_THREAD(hard_tables_are_survived),
                                       TEST_ONE_THREAD(copies_of_rows_are_said),
                                       TEST_ONE_THREAD(discrete_noise_is_chosen_no_more_often),
                                       TEST_ONE_THREAD(constants_are_never_chosen)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
