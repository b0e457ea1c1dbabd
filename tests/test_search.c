/* Method search end to end: known paths, every criterion under every search, weights, starts, stops and resumptions, models, bad options. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>
#include "base/base.h"
#include "base/rng.h"
#include "cases_dt.h"
#include "crit/crit.h"
#include "model/knn.h"
#include "search/searches.h"

static int set_up(void **state)
{
    if ((*state = tamis_context_new())) tamis_context_limits(*state, 1, 0);
    return !*state;
}
static int tear_down(void **state) { tamis_context_free(*state); return 0; }

/* Options from "name=value;name=value". */
static tamis_options *options(tamis_context *cx, const char *text)
{
    char copy[512], *rest = copy;
    tamis_options *o = tamis_options_new(cx);
    assert_int_equal(tamis_options_set(o, "method", "search"), TAMIS_OK);
    snprintf(copy, sizeof copy, "%s", text);
    for (char *word; (word = strsep(&rest, ";"));) {
        char *value = strchr(word, '=');
        if (!*word) continue;
        if (value) *value++ = 0;
        if (tamis_options_set(o, word, value)) fail_msg("%s", tamis_error(cx));
    }
    return o;
}

static tamis_result *chosen(tamis_context *cx, const tamis_table *t, const char *text)
{
    tamis_options *o = options(cx, text);
    tamis_result *r = NULL;
    if (tamis_select(cx, t, NULL, o, &r)) fail_msg("%s: %s", text, tamis_error(cx));
    tamis_options_free(o);
    return r;
}

static tamis_table *made(tamis_context *cx, const char *name, const char *rows, const char *seed)
{
    tamis_table *t = NULL;
    tamis_options *o = tamis_options_new(cx);
    assert_int_equal(tamis_options_set(o, "rows", rows), TAMIS_OK);
    assert_int_equal(tamis_options_set(o, "seed", seed), TAMIS_OK);
    assert_int_equal(tamis_table_generate(cx, name, o, &t), TAMIS_OK);
    tamis_options_free(o);
    return t;
}

static unsigned bits(const tamis_result *r)
{
    unsigned set = 0;
    for (size_t i = 0; i < r->inputs; i++) set |= (unsigned)r->input[i].selected << i;
    return set;
}

/* ---- known answers ---- */

static tamis_table *case_table(tamis_context *cx, const struct dt_case *c)
{
    tamis_table *t = NULL;
    double *x = malloc(c->n * (c->d + 1) * sizeof *x);
    memcpy(x, c->x, c->n * c->d * sizeof *x);
    memcpy(x + c->n * c->d, c->y, c->n * sizeof *x);
    assert_int_equal(tamis_table_from_numbers(cx, c->n, c->d + 1, x, c->n, NULL, &t), TAMIS_OK);
    free(x);
    return t;
}

static void paths_are_the_known_ones(void **state)
{
    tamis_context *cx = *state;
    for (size_t i = 0; i < 2; i++) {
        tamis_table *t = case_table(cx, &dt_cases[i]);
        for (size_t k = 0; k < dt_cases[i].paths; k++) {
            const struct dt_path *p = &dt_cases[i].path[k];
            char text[256];
            snprintf(text, sizeof text, "%s;no-standardize", p->options);
            tamis_result *r = chosen(cx, t, text);
            if (p->count && r->steps != p->count) fail_msg("%s %s: %zu steps", dt_cases[i].name, p->name, r->steps);
            for (size_t s = 0; s < p->count; s++) {
                int change = r->path[s].changed < 0 ? 0 : (r->path[s].added ? 1 : -1) * (int)(r->path[s].changed + 1);
                assert_int_equal(change, p->step[s].change);
                assert_true(fabs(r->path[s].criterion - p->step[s].value) <= 1e-12 * fabs(p->step[s].value) + (strstr(p->options, "=mi") ? 1e-10 : 0));
            }
            assert_int_equal(bits(r), p->selected);
            assert_true(fabs(r->error - p->value) <= 1e-12 * fabs(p->value) + (strstr(p->options, "=mi") ? 1e-10 : 0));
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
        tamis_result *r = chosen(cx, t, text);
        count += bits(r) == truth;
        tamis_result_free(r);
        tamis_table_free(t);
    }
    return count;
}

static void true_inputs_are_found(void **state)
{
    size_t friedman = right(*state, "friedman1", "", 31), product = right(*state, "interaction", "start=full", 3);
    printf("Friedman 5 of 10, N = 300: %zu of 12; product of two inputs from the full set: %zu of 12\n", friedman, product);
    assert_true(friedman >= 11 && product >= 11);
}

/* ---- every criterion under every search ---- */

static const char *const searches[] = {"forward", "backward", "forward-backward", "eliminate", "exhaustive"};

/* A criterion may be one of others' making: what it needs to be quick. */
static const char *quick(const char *criterion) { return !strcmp(criterion, "loo-rbf") ? ";sigma2=1:100:3" : ""; }

static void every_pair_runs_and_exhaustive_is_never_worse(void **state)
{
    tamis_context *cx = *state;
    const struct tamis_criterion *c;
    for (int classes = 0; classes < 2; classes++) {
        tamis_table *t = made(cx, classes ? "xor" : "interaction", "40", "2");
        for (size_t k = 0; (c = tamis_criterion_at(k)); k++) {
            double best = NAN;
            if (strcmp(c->task, "both") && strcmp(c->task, classes ? "classification" : "regression")) continue;
            for (size_t s = 5; s-- > 0;) {
                char text[256];
                snprintf(text, sizeof text, "criterion=%s;search=%s;ignore=x5,x6,x7,x8,x9,x10%s", c->name, searches[s], quick(c->name));
                tamis_result *r = chosen(cx, t, text);
                assert_true(r->steps > 0 && isfinite(r->error) && r->model && r->inputs == 4);
                if (s == 4) best = r->error;
                if (best > r->error + 1e-9 * fabs(r->error)) fail_msg("%s: exhaustive %g, %s %g", c->name, best, searches[s], r->error);
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
        tamis_result *a = chosen(cx, t, text);
        assert_true(a->path[0].size == 2 && a->path[0].changed < 0);
        snprintf(text, sizeof text, "search=%s;start=x2,x9;restarts=6;seed=5", search[s]);
        tamis_result *b = chosen(cx, t, text);
        assert_true(b->error <= a->error && b->steps > a->steps);
        for (size_t k = 0; k < a->steps; k++) assert_true(a->path[k].criterion == b->path[k].criterion);
        for (size_t k = 0; k < b->steps; k++) assert_true(b->path[k].criterion >= b->error);
        if (s == 2) assert_int_equal(bits(b), 3);
        tamis_result_free(a);
        tamis_result_free(b);
    }
    tamis_result *a = chosen(cx, t, "start=random;seed=3"), *b = chosen(cx, t, "start=random;seed=4");
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
        tamis_result *r = chosen(cx, t, "criterion=knn;neighbors=20;search=forward-backward;holdout=0.3;ignore=x4,x5,x6,x7,x8,x9,x10");
        none += !r->selected;
        if (!r->selected) assert_true(isfinite(r->test) && r->test > 0.3 && r->test < 3);
        tamis_result_free(r);
        tamis_table_free(t);
    }
    assert_true(none >= 1);
}

/* ---- weights ---- */

static char *json(tamis_context *cx, const tamis_table *t, const char *text)
{
    tamis_options *o = options(cx, text);
    tamis_result *r = NULL;
    char *out = NULL;
    size_t n;
    if (tamis_select(cx, t, NULL, o, &r)) fail_msg("%s", tamis_error(cx));
    assert_int_equal(tamis_result_json(cx, r, &out, &n), TAMIS_OK);
    char *end = strstr(out, ", \"seconds\"");
    assert_non_null(end);
    *end = 0;
    tamis_result_free(r);
    tamis_options_free(o);
    return out;
}

static void weights_lower_the_criterion(void **state)
{
    static const char *const criterion[] = {"delta", "gamma-test", "knn", "mi"};
    tamis_context *cx = *state;
    tamis_table *t = made(cx, "add10", "120", "3");
    for (size_t k = 0; k < 4; k++) {
        char text[128];
        snprintf(text, sizeof text, "criterion=%s", criterion[k]);
        tamis_result *plain = chosen(cx, t, text);
        strcat(text, ";scaling;holdout=0");
        tamis_result *scaled = chosen(cx, t, text);
        assert_true(scaled->error < plain->error);
        const struct tamis_knn *m = scaled->model->body;
        assert_int_equal(m->columns, scaled->selected);
        double least = 2;
        for (size_t c = 0; c < m->columns; c++) {
            assert_true(m->factor[c] > 0 && m->factor[c] <= 1 && fabs(10 * m->factor[c] - rint(10 * m->factor[c])) < 1e-12);
            least = fmin(least, m->factor[c]);
        }
        assert_true(least < 1);
        char *out = json(cx, t, text);
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
    static const char *const text[] = {"scaling", "criterion=mi;search=backward", "criterion=knn;restarts=2;holdout=0.2", "criterion=gamma-test;search=forward", "search=exhaustive;ties=mean;ignore=x9,x10"};
    tamis_context *cx = *state;
    tamis_table *t = made(cx, "add10", "90", "3");
    for (size_t i = 0; i < 5; i++) {
        char *first = NULL;
        for (int threads = 1; threads <= 7; threads += threads == 1 ? 1 : 5) {
            tamis_context_limits(cx, threads, 0);
            char *now = json(cx, t, text[i]);
            if (first) assert_string_equal(now, first);
            if (first) tamis_release(now);
            else first = now;
        }
        tamis_release(first);
    }
    tamis_table_free(t);
}

struct budget { int checks; };

static int stop_after(void *user)
{
    struct budget *b = user;
    return __atomic_sub_fetch(&b->checks, 1, __ATOMIC_RELAXED) < 0;
}

static void stopped_runs_resume_to_the_same_result(void **state)
{
    static const char *const text[] = {"scaling", "restarts=2", "search=exhaustive;ignore=x9,x10", "search=backward;criterion=mi", "search=forward;start=x3"};
    tamis_context *cx = *state;
    tamis_table *t = made(cx, "add10", "60", "5");
    char path[64], with[256];
    snprintf(path, sizeof path, "/tmp/tamis-search-%ld.ckpt", (long)getpid());
    tamis_context_limits(cx, 2, 0);
    for (int m = 0; m < 5; m++) {
        char *whole = json(cx, t, text[m]);
        snprintf(with, sizeof with, "%s;checkpoint=%s", text[m], path);
        unlink(path);
        int stops = 0, status;
        tamis_options *o = options(cx, with);
        for (int budget = 2;; budget += 2) {
            struct budget b = {budget};
            tamis_callbacks call = {NULL, NULL, stop_after, &b};
            tamis_result *r = NULL;
            tamis_context_callbacks(cx, &call);
            status = tamis_select(cx, t, NULL, o, &r);
            tamis_result_free(r);
            if (!status) break;
            assert_int_equal(status, TAMIS_STOPPED);
            stops++;
        }
        assert_true(stops > 2);
        tamis_options_free(o);
        tamis_context_callbacks(cx, &(tamis_callbacks){0});
        char *resumed = json(cx, t, with);
        *strstr(whole, "\"notes\"") = *strstr(resumed, "\"notes\"") = 0;
        assert_string_equal(resumed, whole);
        unlink(path);
        tamis_release(whole);
        tamis_release(resumed);
    }
    tamis_table_free(t);
}

static void every_allocation_may_fail(void **state)
{
    static const char *const text[] = {"scaling;holdout=0.3;inputs=x1,x2,x3", "criterion=mi;search=backward;restarts=1;inputs=x1,x2,x4", "criterion=knn;search=exhaustive;holdout=0.3;inputs=x1,x2", "criterion=gamma-test;search=forward;neighbors=3;inputs=x1,x4"};
    tamis_context *cx = *state;
    tamis_table *t = made(cx, "add10", "24", "4");
    tamis_context_limits(cx, 1, 0);
    for (size_t i = 0; i < 4; i++) {
        tamis_options *o = options(cx, text[i]);
        int status = TAMIS_MEMORY;
        long k = 0;
        while (status) {
            tamis_result *r = NULL;
            char *out = NULL;
            size_t n;
            tamis_fail_allocation(cx, ++k);
            status = tamis_select(cx, t, NULL, o, &r);
            if (!status) status = tamis_result_json(cx, r, &out, &n);
            tamis_fail_allocation(cx, 0);
            if (status) assert_int_equal(status, TAMIS_MEMORY);
            tamis_release(out);
            tamis_result_free(r);
            assert_true(k < 50000);
        }
        assert_true(k > 100);
        tamis_options_free(o);
    }
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
        tamis_table *t = made(cx, classes ? "additive" : "add10", "150", "2"), *fresh = made(cx, classes ? "additive" : "add10", "100", "8");
        tamis_options *o = options(cx, text[m % 3]);
        tamis_result *r = NULL;
        tamis_model *copy = NULL;
        void *bytes;
        size_t n;
        double a[100], b[100], score[200], other[200], wrong = 0;
        if (tamis_select(cx, t, fresh, o, &r)) fail_msg("%s", tamis_error(cx));
        assert_int_equal(tamis_model_save_memory(cx, r->model, &bytes, &n), TAMIS_OK);
        assert_int_equal(tamis_model_load_memory(cx, bytes, n, &copy), TAMIS_OK);
        assert_int_equal(tamis_model_predict(cx, r->model, fresh, a, classes ? score : NULL), TAMIS_OK);
        assert_int_equal(tamis_model_predict(cx, copy, fresh, b, classes ? other : NULL), TAMIS_OK);
        assert_memory_equal(a, b, sizeof a);
        for (size_t i = 0; classes && i < 100; i++) {
            assert_true(fabs(score[i] + score[i + 100] - 1) < 1e-12 && score[i] == other[i]);
            wrong += a[i] != fresh->column[10].value[i];
        }
        if (classes) assert_true(fabs(wrong / 100 - r->test) < 1e-12 && r->test < 0.3);
        else assert_true(r->test < 0.5);
        unsigned char *bad = bytes;
        for (size_t k = 0; k < n; k += 1 + n / 200) {
            tamis_model *none = NULL;
            bad[k] ^= 4;
            assert_int_equal(tamis_model_load_memory(cx, bytes, n, &none), TAMIS_DATA);
            bad[k] ^= 4;
        }
        tamis_release(bytes);
        tamis_model_free(copy);
        tamis_result_free(r);
        tamis_options_free(o);
        tamis_table_free(t);
        tamis_table_free(fresh);
    }
}

/* ---- text tables ---- */

static int select_text(tamis_context *cx, const char *text, const char *with, tamis_result **r)
{
    tamis_table *t = NULL;
    tamis_options *o = options(cx, with);
    int status = tamis_table_read_memory(cx, text, strlen(text), "t.csv", o, &t);
    if (!status) status = tamis_select(cx, t, NULL, o, r);
    tamis_table_free(t);
    tamis_options_free(o);
    return status;
}

static void bad_options_get_a_sentence(void **state)
{
    static const struct { const char *text, *options; int status; const char *says; } bad[] = {
        {"x,y\n1,5\n2,6\n3,7\n4,9\n", "criterion=magic", TAMIS_USAGE, "no such criterion"},
        {"x,y\n1,5\n2,6\n3,7\n4,9\n", "search=magic", TAMIS_USAGE, "no such search"},
        {"x,y\n1,5\n2,6\n3,7\n4,9\n", "start=q", TAMIS_USAGE, "--start q"},
        {"x,y\n1,5\n2,6\n3,7\n4,9\n", "criterion=loo-rbf;scaling", TAMIS_USAGE, "has no weights"},
        {"x,y\n1,5\n2,6\n3,7\n4,9\n", "search=exhaustive;start=full", TAMIS_USAGE, "--start does not belong"},
        {"x,y\n1,5\n2,6\n3,7\n4,9\n", "criterion=gamma-test;neighbors=1", TAMIS_USAGE, "--neighbors"},
        {"x,y\n1,a\n2,b\n3,a\n4,b\n", "", TAMIS_USAGE, "criterion delta is for regression"},
        {"a,b,c,d,y\n1,2,3,4,5\n2,1,4,3,6\n3,3,1,1,7\n4,9,1,2,9\n", "search=exhaustive;exhaustive-limit=3", TAMIS_USAGE, "2^4 sets"},
    };
    tamis_context *cx = *state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        tamis_result *r = NULL;
        assert_int_equal(select_text(cx, bad[i].text, bad[i].options, &r), bad[i].status);
        assert_null(r);
        if (!strstr(tamis_error(cx), bad[i].says)) fail_msg("'%s' does not say '%s'", tamis_error(cx), bad[i].says);
    }
}

static void hard_tables_are_survived(void **state)
{
    static const char *const text[] = {
        "x,z,y\n1e300,1,5\n-2e300,2,6\n3e299,3,7\n4e300,4,9\n-5e300,5,4\n",              /* enormous */
        "x,z,y\n1e-300,1,5\n2e-300,2,6\n-3e-300,3,7\n4e-300,4,9\n9e-300,5,4\n",          /* tiny */
        "x,z,y\n1,1,5\n1,1,5\n1,1,5\n2,2,6\n2,2,6\n",                                    /* copies of rows and columns */
        "x,z,y\n1,7,5\n2,7,6\n3,7,7\n",                                                  /* three rows, a constant */
        "x,y\n1,5\n2,6\n3,7\n9,1\n4,3\n",                                                /* one input */
        "c,x,y\nred,1,5\nblue,2,6\nred,3,7\ngreen,4,9\nblue,1,2\n",                      /* a category */
        "a,b,c,d,e,f,y\n1,2,3,4,5,6,1\n2,1,4,3,6,5,2\n6,5,4,3,2,1,4\n"};                 /* more inputs than rows */
    tamis_context *cx = *state;
    const struct tamis_criterion *c;
    for (size_t i = 0; i < sizeof text / sizeof *text; i++)
        for (size_t k = 1; (c = tamis_criterion_at(k)); k++)
            for (size_t s = 0; s < 5; s++) {
                char with[128];
                tamis_result *r = NULL;
                if (!c->weigh) continue;
                snprintf(with, sizeof with, "criterion=%s;search=%s%s", c->name, searches[s], s == 2 ? ";scaling" : "");
                if (select_text(cx, text[i], with, &r)) fail_msg("table %zu, %s: %s", i, with, tamis_error(cx));
                assert_true(isfinite(r->error) && isfinite(r->all_inputs));
                tamis_result_free(r);
            }
}

static void copies_of_rows_are_said(void **state)
{
    tamis_context *cx = *state;
    tamis_result *r = NULL;
    char text[4096] = "x,y\n";
    for (int i = 0; i < 40; i++) snprintf(text + strlen(text), 32, "%d,%d\n", i % 3, i % 3 * 2);
    assert_int_equal(select_text(cx, text, "criterion=mi", &r), TAMIS_OK);
    int said = 0;
    for (size_t i = 0; i < r->notes; i++) said |= strstr(r->note[i], "copies") != NULL;
    assert_true(said && r->selected == 1 && -r->error < log(3) + 0.2);
    tamis_result_free(r);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(paths_are_the_known_ones), TEST(true_inputs_are_found), TEST(every_pair_runs_and_exhaustive_is_never_worse), TEST(starts_and_restarts),
        TEST(noise_may_leave_nothing), TEST(weights_lower_the_criterion), TEST(same_bits_for_any_number_of_threads),
        TEST(stopped_runs_resume_to_the_same_result), TEST(every_allocation_may_fail), TEST(models_come_back_the_same),
        TEST(bad_options_get_a_sentence), TEST(hard_tables_are_survived), TEST(copies_of_rows_are_said)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
