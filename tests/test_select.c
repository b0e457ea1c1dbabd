/* tamis_select end to end: known answers of sisal and forward, threads, checkpoints, models, bad tables, failing memory. */
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
#include "cases_sisal.h"
#include "data/design.h"
#include "model/model.h"
#include "model/rbf.h"

static int set_up(void **state) { return !(*state = tamis_context_new()); }
static int tear_down(void **state) { tamis_context_free(*state); return 0; }

static double relative(double a, double b) { return fabs(a - b) / fmax(fabs(b), 1e-300); }

/* ---- known answers ---- */

static tamis_table *case_table(tamis_context *cx, const struct sisal_case *c)
{
    tamis_table *t = NULL;
    double *x = malloc(c->n * (c->d + 1) * sizeof *x);
    memcpy(x, c->x, c->n * c->d * sizeof *x);
    memcpy(x + c->n * c->d, c->y, c->n * sizeof *x);
    assert_int_equal(tamis_table_from_numbers(cx, c->n, c->d + 1, x, c->n, NULL, &t), TAMIS_OK);
    free(x);
    return t;
}

static tamis_options *case_options(tamis_context *cx, const struct sisal_case *c, const char *method, const char *search)
{
    char grid[96], range[96];
    tamis_options *o = tamis_options_new(cx);
    snprintf(grid, sizeof grid, "%.17g:%.17g:%zu", c->sigma2_lo, c->sigma2_hi, c->sigma2_n);
    snprintf(range, sizeof range, "1e%g:1e%g", c->log10gamma_lo, c->log10gamma_hi);
    assert_int_equal(tamis_options_set(o, "method", method), TAMIS_OK);
    assert_int_equal(tamis_options_set(o, "sigma2", grid), TAMIS_OK);
    assert_int_equal(tamis_options_set(o, "gamma", range), TAMIS_OK);
    assert_int_equal(tamis_options_set(o, "gamma-search", search), TAMIS_OK);
    return o;
}

static void check_path(const struct sisal_case *c, const struct sisal_path *p, const tamis_result *r)
{
    double tolerance = strcmp(c->name, "friedman") ? 1e-8 : 1e-7;
    assert_int_equal(r->steps, p->count);
    for (size_t k = 0; k < p->count; k++) {
        const struct sisal_step *want = &p->steps[k];
        const tamis_step *got = &r->path[k];
        assert_int_equal(got->size, want->count);
        assert_true(relative(got->criterion, want->loo) < tolerance);
        if (k + 1 < p->count) assert_int_equal(r->path[k + 1].changed, want->removed);
        if (want->margin_sigma2 <= 1e-5) continue;
        assert_true(relative(got->parameters[0], want->sigma2) < 1e-12);
        if (!want->gamma_at_lower_bound) assert_true(fabs(log10(got->parameters[1]) - want->log10gamma) < 1e-3);
    }
    assert_int_equal(r->chosen_step, p->best_step);
    assert_int_equal(r->selected, p->best_count);
    for (size_t i = 0; i < p->best_count; i++) assert_true(r->input[p->best_inputs[i]].selected);
    const double *relevance = p->steps[p->best_step].relevance;
    for (size_t i = 0; i < p->best_count; i++) assert_true(relative(r->input[p->best_inputs[i]].relevance, relevance[i]) < 1e-4);
}

static void check_weights(const struct sisal_case *c, const struct sisal_path *p, const tamis_result *r)
{
    const struct tamis_rbf *net = r->model->body;
    double error = 0, norm = 0;
    assert_int_equal(net->centres, c->n);
    for (size_t m = 0; m <= c->n; m++) {
        error += pow(net->alpha[m] - p->alpha_best[m], 2);
        norm += pow(p->alpha_best[m], 2);
    }
    assert_true(sqrt(error / norm) < 1e-3);
}

static void sisal_paths_are_the_known_ones(void **state)
{
    tamis_context *cx = *state;
    for (size_t i = 0; i < sizeof sisal_cases / sizeof *sisal_cases; i++)
        for (int golden = 0; golden < 2; golden++) {
            const struct sisal_case *c = &sisal_cases[i];
            const struct sisal_path *p = golden ? &c->golden : &c->scan;
            tamis_table *t = case_table(cx, c);
            tamis_options *o = case_options(cx, c, "sisal", golden ? "golden" : "scan");
            tamis_result *r = NULL;
            assert_int_equal(tamis_select(cx, t, NULL, o, &r), TAMIS_OK);
            check_path(c, p, r);
            check_weights(c, p, r);
            assert_true(r->all_inputs == r->path[0].criterion && r->error == r->path[r->chosen_step].criterion);
            tamis_result_free(r);
            tamis_options_free(o);
            tamis_table_free(t);
        }
}

static void forward_paths_are_the_known_ones(void **state)
{
    tamis_context *cx = *state;
    for (size_t i = 0; i < sizeof sisal_cases / sizeof *sisal_cases; i++) {
        const struct sisal_case *c = &sisal_cases[i];
        tamis_table *t = case_table(cx, c);
        tamis_options *o = case_options(cx, c, "forward", "golden");
        tamis_result *r = NULL;
        assert_int_equal(tamis_select(cx, t, NULL, o, &r), TAMIS_OK);
        assert_int_equal(r->steps, c->d);
        for (size_t k = 0; k < c->d; k++) {
            assert_int_equal(r->path[k].changed, c->forward.order[k]);
            assert_true(r->path[k].added && relative(r->path[k].criterion, c->forward.loo_path[k]) < 1e-7);
        }
        assert_int_equal(r->chosen_step, c->forward.best_step);
        tamis_result_free(r);
        tamis_options_free(o);
        tamis_table_free(t);
    }
}

/* ---- a table of our own ---- */

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

/* The result as JSON without the two fields that may differ. */
static char *json(tamis_context *cx, const tamis_table *t, tamis_options *o)
{
    tamis_result *r = NULL;
    char *text = NULL;
    size_t n;
    assert_int_equal(tamis_select(cx, t, NULL, o, &r), TAMIS_OK);
    assert_int_equal(tamis_result_json(cx, r, &text, &n), TAMIS_OK);
    assert_int_equal(strlen(text), n);
    char *end = strstr(text, ", \"seconds\"");
    assert_non_null(end);
    *end = 0;
    tamis_result_free(r);
    return text;
}

static void same_bits_for_any_number_of_threads(void **state)
{
    static const char *const options[][2] = {{"method", "sisal"}, {"method", "forward"}, {"centers", "20"}, {"fast", ""}};
    tamis_context *cx = *state;
    tamis_table *t = made(cx, "add10", "70", "3");
    for (size_t i = 0; i < 4; i++) {
        tamis_options *o = tamis_options_new(cx);
        assert_int_equal(tamis_options_set(o, "sigma2", i == 1 ? "30" : "1:500:7"), TAMIS_OK);
        assert_int_equal(tamis_options_set(o, options[i][0], options[i][1]), TAMIS_OK);
        char *first = NULL;
        for (int threads = 1; threads <= 7; threads += threads == 1 ? 1 : 5) {
            tamis_context_limits(cx, threads, 0);
            char *text = json(cx, t, o);
            if (first) assert_string_equal(text, first);
            if (first) tamis_release(text);
            else first = text;
        }
        tamis_release(first);
        tamis_options_free(o);
    }
    tamis_table_free(t);
}

struct budget { int checks; };

static int stop_after(void *user)
{
    struct budget *b = user;
    return __atomic_sub_fetch(&b->checks, 1, __ATOMIC_RELAXED) < 0;
}

/* The note that says "resumed" is the only difference. */
static void drop_resumed_note(char *text)
{
    char *notes = strstr(text, "\"notes\"");
    if (notes) *notes = 0;
}

static void stopped_runs_resume_to_the_same_result(void **state)
{
    static const char *const method[] = {"sisal", "forward"};
    tamis_context *cx = *state;
    tamis_table *t = made(cx, "add10", "40", "5");
    char path[64];
    snprintf(path, sizeof path, "/tmp/tamis-test-%ld.ckpt", (long)getpid());
    for (int m = 0; m < 2; m++) {
        tamis_options *o = tamis_options_new(cx);
        tamis_options_set(o, "method", method[m]);
        tamis_options_set(o, "sigma2", "1:500:5");
        char *whole = json(cx, t, o);
        drop_resumed_note(whole);
        tamis_options_set(o, "checkpoint", path);
        unlink(path);
        int stops = 0, status;
        for (int budget = 7;; budget += 3) {            /* stopped again and again, a little later each time */
            struct budget b = {budget};
            tamis_callbacks call = {NULL, NULL, stop_after, &b};
            tamis_result *r = NULL;
            tamis_context_callbacks(cx, &call);
            status = tamis_select(cx, t, NULL, o, &r);
            tamis_result_free(r);
            if (!status) break;
            assert_int_equal(status, TAMIS_STOPPED);
            assert_int_equal(access(path, R_OK), 0);
            stops++;
        }
        assert_true(stops > 3);
        tamis_context_callbacks(cx, &(tamis_callbacks){0});
        char *resumed = json(cx, t, o);
        drop_resumed_note(resumed);
        assert_string_equal(resumed, whole);
        tamis_options_set(o, "seed", "99");             /* another run does not take this checkpoint */
        tamis_result *r = NULL;
        assert_int_equal(tamis_select(cx, t, NULL, o, &r), TAMIS_USAGE);
        assert_null(r);
        assert_non_null(strstr(tamis_error(cx), "another run"));
        unlink(path);
        tamis_release(whole);
        tamis_release(resumed);
        tamis_options_free(o);
    }
    tamis_table_free(t);
}

static void models_come_back_the_same(void **state)
{
    tamis_context *cx = *state;
    tamis_table *t = made(cx, "add10", "60", "2"), *fresh = made(cx, "add10", "500", "8");
    tamis_options *o = tamis_options_new(cx);
    tamis_result *r = NULL;
    tamis_model *m = NULL;
    void *bytes;
    size_t n;
    double a[500], b[500], error = 0, spread = 0;
    tamis_options_set(o, "sigma2", "1:500:7");
    assert_int_equal(tamis_select(cx, t, fresh, o, &r), TAMIS_OK);
    assert_int_equal(tamis_model_save_memory(cx, r->model, &bytes, &n), TAMIS_OK);
    assert_int_equal(tamis_model_load_memory(cx, bytes, n, &m), TAMIS_OK);
    assert_int_equal(tamis_model_predict(cx, r->model, fresh, a, NULL), TAMIS_OK);
    assert_int_equal(tamis_model_predict(cx, m, fresh, b, NULL), TAMIS_OK);
    assert_memory_equal(a, b, sizeof a);
    for (size_t i = 0; i < 500; i++) error += pow(a[i] - fresh->column[10].value[i], 2) / 500;
    for (size_t i = 0; i < 60; i++) spread += t->column[10].value[i] / 60;
    double mean = spread;
    spread = 0;
    for (size_t i = 0; i < 60; i++) spread += pow(t->column[10].value[i] - mean, 2) / 60;
    assert_true(relative(error / spread, r->test) < 1e-10);       /* predict in units = test error of the result */
    unsigned char *bad = bytes;
    for (size_t k = 0; k < n; k += 1 + n / 400) {       /* cut or altered files are refused */
        tamis_model *none = NULL;
        assert_int_equal(tamis_model_load_memory(cx, bytes, k, &none), TAMIS_DATA);
        bad[k] ^= 4;
        assert_int_equal(tamis_model_load_memory(cx, bytes, n, &none), TAMIS_DATA);
        bad[k] ^= 4;
        assert_null(none);
    }
    tamis_release(bytes);
    tamis_model_free(m);
    tamis_result_free(r);
    tamis_options_free(o);
    tamis_table_free(t);
    tamis_table_free(fresh);
}

/* ---- text tables ---- */

static int select_text(tamis_context *cx, const char *text, tamis_options *o, tamis_result **r)
{
    tamis_table *t = NULL;
    int status = tamis_table_read_memory(cx, text, strlen(text), "t.csv", o, &t);
    if (!status) status = tamis_select(cx, t, NULL, o, r);
    tamis_table_free(t);
    return status;
}

static void categories_are_chosen_as_a_group(void **state)
{
    tamis_context *cx = *state;
    tamis_options *o = tamis_options_new(cx);
    tamis_result *r = NULL;
    struct tamis_rng rng;
    char text[8192] = "z,colour,w,y\n";
    tamis_rng_init(&rng, 6, TAMIS_RNG_TEST, 0);
    for (int i = 0; i < 90; i++) {
        int colour = (int)tamis_rng_below(&rng, 3);
        double z = tamis_rng_normal(&rng), w = tamis_rng_normal(&rng);
        snprintf(text + strlen(text), 80, "%.5f,%s,%.5f,%.5f\n", z, (const char *[]){"red", "green", "blue"}[colour], w,
                 (colour == 1 ? 3 : colour == 2 ? -1 : 0) + sin(2 * z) + 0.05 * tamis_rng_normal(&rng));
    }
    tamis_options_set(o, "sigma2", "1:100:9");
    assert_int_equal(select_text(cx, text, o, &r), TAMIS_OK);
    assert_int_equal(r->inputs, 3);
    assert_true(r->input[0].selected && r->input[1].selected && !r->input[2].selected);
    assert_int_equal(r->model->encoder->columns, 4);
    assert_true(r->error < 0.05);
    tamis_result_free(r);
    tamis_options_free(o);
}

static void bad_tables_get_a_sentence(void **state)
{
    static const struct { const char *text, *option, *value; int status; const char *says; } bad[] = {
        {"x,y\n1,2\n", NULL, NULL, TAMIS_DATA, "1 complete row"},
        {"x,y\n1,5\n2,5\n3,5\n4,5\n", NULL, NULL, TAMIS_DATA, "target 'y' has one value"},
        {"x,y\n3,5\n3,6\n3,7\n3,8\n", NULL, NULL, TAMIS_DATA, "every input has one value"},
        {"y\n5\n6\n7\n8\n", NULL, NULL, TAMIS_DATA, "no column is left"},
        {"x,y\n1,5\n2,6\nNA,7\n4,NA\n", NULL, NULL, TAMIS_DATA, "2 complete rows"},
        {"x,y\n1,5\n2,6\n3,7\n4,9\n", "target", "z", TAMIS_USAGE, "no such column"},
        {"x,y\n1,5\n2,6\n3,7\n4,9\n", "inputs", "x,q", TAMIS_USAGE, "--inputs q"},
        {"x,y\n1,5\n2,6\n3,7\n4,9\n", "inputs", "x,y", TAMIS_USAGE, "is the target"},
        {"x,y\n1,5\n2,6\n3,7\n4,9\n", "ignore", "x", TAMIS_DATA, "no column is left"},
        {"x,y\n1,5\n2,6\n3,7\n4,9\n", "method", "magic", TAMIS_USAGE, "no such method"},
        {"x,y\n1,5\n2,6\n3,7\n4,9\n", "hidden", "7", TAMIS_USAGE, "does not belong to method"},
        {"x,y\n1,a\n2,b\n3,a\n4,b\n", "task", "regression", TAMIS_DATA, "regression wants numbers"},
    };
    tamis_context *cx = *state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        tamis_options *o = tamis_options_new(cx);
        tamis_result *r = NULL;
        if (bad[i].option) assert_int_equal(tamis_options_set(o, bad[i].option, bad[i].value), TAMIS_OK);
        assert_int_equal(select_text(cx, bad[i].text, o, &r), bad[i].status);
        assert_null(r);
        if (!strstr(tamis_error(cx), bad[i].says)) fail_msg("'%s' does not say '%s'", tamis_error(cx), bad[i].says);
        tamis_options_free(o);
    }
}

static void hard_numbers_are_survived(void **state)
{
    static const char *const text[] = {
        "x,z,y\n1e300,1,5\n-2e300,2,6\n3e299,3,7\n4e300,4,9\n-5e300,5,4\n",              /* enormous */
        "x,z,y\n1e-300,1,5\n2e-300,2,6\n-3e-300,3,7\n4e-300,4,9\n9e-300,5,4\n",          /* tiny */
        "x,z,y\n1,1,5\n1,1,5\n1,1,5\n2,2,6\n2,2,6\n",                                    /* duplicate rows and columns */
        "x,z,y\n1,7,5\n2,7,6\n3,7,7\n",                                                  /* three rows, a constant */
        "a,b,c,d,e,f,y\n1,2,3,4,5,6,1\n2,1,4,3,6,5,2\n6,5,4,3,2,1,4\n",                  /* more inputs than rows */
        "x,y\n1e15,1000000000000001\n1000000000000001,1000000000000002\n1000000000000002,1000000000000004\n1000000000000003,1000000000000003\n"};
    static const char *const method[] = {"sisal", "forward"};
    tamis_context *cx = *state;
    for (size_t i = 0; i < sizeof text / sizeof *text; i++)
        for (int m = 0; m < 2; m++) {
            tamis_options *o = tamis_options_new(cx);
            tamis_result *r = NULL;
            tamis_options_set(o, "method", method[m]);
            tamis_options_set(o, "sigma2", "1:500:5");
            if (select_text(cx, text[i], o, &r)) fail_msg("table %zu: %s", i, tamis_error(cx));
            assert_true(r->selected >= 1 && isfinite(r->error) && isfinite(r->all_inputs));
            tamis_result_free(r);
            tamis_options_free(o);
        }
}

static void memory_is_refused_before_the_run(void **state)
{
    tamis_context *cx = *state;
    tamis_table *t = made(cx, "add10", "20000", "1");
    tamis_options *o = tamis_options_new(cx);
    tamis_result *r = NULL;
    double bytes, flops;
    tamis_options_set(o, "method", "sisal");
    tamis_context_limits(cx, 2, 4e9);
    assert_int_equal(tamis_select(cx, t, NULL, o, &r), TAMIS_MEMORY);
    assert_non_null(strstr(tamis_error(cx), "--centers"));
    tamis_options_set(o, "centers", "500");
    assert_int_equal(tamis_estimate(cx, t, o, &bytes, &flops), TAMIS_OK);
    assert_true(bytes < 4e9 && flops > 1e9);
    tamis_options_free(o);
    tamis_table_free(t);
}

static void every_allocation_may_fail(void **state)
{
    tamis_context *cx = *state;
    tamis_table *t = made(cx, "add10", "12", "4");
    tamis_options *o = tamis_options_new(cx);
    tamis_options_set(o, "sigma2", "20");
    tamis_options_set(o, "holdout", "0.3");
    tamis_context_limits(cx, 1, 0);
    int status = TAMIS_MEMORY;
    long k = 0;
    while (status) {
        tamis_result *r = NULL;
        char *text = NULL;
        size_t n;
        tamis_fail_allocation(cx, ++k);
        status = tamis_select(cx, t, NULL, o, &r);
        if (!status) status = tamis_result_json(cx, r, &text, &n);
        tamis_fail_allocation(cx, 0);
        if (status) assert_int_equal(status, TAMIS_MEMORY);
        tamis_release(text);
        tamis_result_free(r);
        assert_true(k < 5000);
    }
    assert_true(k > 100);
    tamis_options_free(o);
    tamis_table_free(t);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(sisal_paths_are_the_known_ones), TEST(forward_paths_are_the_known_ones), TEST(same_bits_for_any_number_of_threads),
        TEST(stopped_runs_resume_to_the_same_result), TEST(models_come_back_the_same), TEST(categories_are_chosen_as_a_group),
        TEST(bad_tables_get_a_sentence), TEST(hard_numbers_are_survived), TEST(memory_is_refused_before_the_run), TEST(every_allocation_may_fail)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
