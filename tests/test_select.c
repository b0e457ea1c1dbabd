/* tamis_select end to end: known answers of sisal and forward, threads, checkpoints, models, bad tables, failing
 * memory. */
#include "base/rng.h"
#include "cases_sisal.h"
#include "data/design.h"
#include "model/model.h"
#include "model/rbf.h"
#include "unit.h"

/* ---- known answers ---- */

static tamis_options *case_options(tamis_context *cx, const struct sisal_case *c, const char *method,
                                   const char *search)
{
    char grid[96], range[96];
    snprintf(grid, sizeof grid, "%.17g:%.17g:%zu", c->sigma2_lo, c->sigma2_hi, c->sigma2_n);
    snprintf(range, sizeof range, "1e%g:1e%g", c->log10gamma_lo, c->log10gamma_hi);
    return OPTIONS("method", method, "sigma2", grid, "gamma", range, "gamma-search", search);
}

static size_t constants(const tamis_result *r)
{
    size_t n = 0;
    for (size_t i = 0; i < r->inputs; i++) n += (size_t)r->input[i].constant;
    return n;
}

/* The known paths remove constants first; ours begin without them. */
static void check_path(const struct sisal_case *c, const struct sisal_path *p, const tamis_result *r)
{
    double tolerance = strcmp(c->name, "friedman") ? 1e-8 : 1e-7;
    size_t first = constants(r);
    assert_int_equal(r->steps, p->count - first);
    for (size_t k = 0; k < first; k++) assert_true(r->input[p->steps[k].removed].constant);
    for (size_t k = first; k < p->count; k++) {
        const struct sisal_step *want = &p->steps[k];
        const struct tamis_path_step *got = &r->path[k - first];
        assert_int_equal(got->size, want->count);
        assert_relative(got->criterion, want->loo, tolerance);
        if (k + 1 < p->count) assert_int_equal(r->path[k - first + 1].changed, want->removed);
        if (want->margin_sigma2 <= 1e-5) continue;
        assert_relative(got->parameters[0], want->sigma2, 1e-12);
        if (!want->gamma_at_lower_bound) assert_close(log10(got->parameters[1]), want->log10gamma, 1e-3);
    }
    assert_int_equal(r->chosen_step, p->best_step - first);
    assert_int_equal(r->selected, p->best_count);
    for (size_t i = 0; i < p->best_count; i++) assert_true(r->input[p->best_inputs[i]].selected);
    const double *relevance = p->steps[p->best_step].relevance;
    for (size_t i = 0; i < p->best_count; i++)
        assert_relative(r->input[p->best_inputs[i]].relevance, relevance[i], 1e-4);
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
    assert_below(sqrt(error / norm), 1e-3);
}

static void sisal_paths_are_the_known_ones(void **state)
{
    tamis_context *cx = *state;
    for (size_t i = 0; i < sizeof sisal_cases / sizeof *sisal_cases; i++)
        for (int golden = 0; golden < 2; golden++) {
            const struct sisal_case *c = &sisal_cases[i];
            const struct sisal_path *p = golden ? &c->golden : &c->scan;
            tamis_table *t = joined(cx, c->n, c->d, c->x, c->y);
            tamis_result *r = chosen(cx, t, NULL, case_options(cx, c, "sisal", golden ? "golden" : "scan"));
            check_path(c, p, r);
            check_weights(c, p, r);
            assert_true(r->all_inputs == r->path[0].criterion && r->error == r->path[r->chosen_step].criterion);
            tamis_result_free(r);
            tamis_table_free(t);
        }
}

static void forward_paths_are_the_known_ones(void **state)
{
    tamis_context *cx = *state;
    for (size_t i = 0; i < sizeof sisal_cases / sizeof *sisal_cases; i++) {
        const struct sisal_case *c = &sisal_cases[i];
        tamis_table *t = joined(cx, c->n, c->d, c->x, c->y);
        tamis_result *r = chosen(cx, t, NULL, case_options(cx, c, "forward", "golden"));
        assert_int_equal(r->steps, c->d - constants(r));
        for (size_t k = 0; k < r->steps; k++) {
            assert_int_equal(r->path[k].changed, c->forward.order[k]);
            assert_true(r->path[k].added);
            assert_relative(r->path[k].criterion, c->forward.loo_path[k], 1e-7);
        }
        assert_int_equal(r->chosen_step, c->forward.best_step);
        tamis_result_free(r);
        tamis_table_free(t);
    }
}

/* ---- extreme targets and scales ---- */

/* The same table in units from 2^-1028, where numbers are subnormal, to 2^1015: the same inputs. */
static void units_do_not_matter(void **state)
{
    static const int power[] = {-1028, -900, 900, 1015};
    tamis_context *cx = *state;
    const struct sisal_case *c = &sisal_cases[0];
    double *x = malloc(c->n * c->d * sizeof *x), *y = malloc(c->n * sizeof *y);
    tamis_table *t = joined(cx, c->n, c->d, c->x, c->y);
    tamis_result *want = chosen(cx, t, NULL, worded(cx, "method=lars"));
    for (size_t k = 0; k < 4; k++) {
        for (size_t i = 0; i < c->n * c->d; i++) x[i] = ldexp(c->x[i], power[k]);
        for (size_t i = 0; i < c->n; i++) y[i] = ldexp(c->y[i], power[k]);
        tamis_table *moved = joined(cx, c->n, c->d, x, y);
        tamis_result *r = chosen(cx, moved, NULL, worded(cx, "method=lars"));
        for (size_t i = 0; i < c->d; i++) {
            assert_true(!r->input[i].constant);
            assert_int_equal(r->input[i].selected, want->input[i].selected);
        }
        assert_relative(r->error, want->error, 1e-6);
        tamis_result_free(r);
        tamis_table_free(moved);
    }
    tamis_result_free(want);
    tamis_table_free(t);
    free(x);
    free(y);
}

static void one_row_supports_no_input(void **state)
{
    tamis_context *cx = *state;
    for (size_t at = 0; at < 25; at += 6) {
        double x[25 * 3], y[25];
        struct tamis_rng rng;
        tamis_rng_init(&rng, 17, TAMIS_RNG_TEST, (uint32_t)at);
        for (size_t i = 0; i < 75; i++) x[i] = tamis_rng_normal(&rng);
        for (size_t i = 0; i < 25; i++) y[i] = 5, x[i] = 1 / (1 + fabs((double)i - (double)at));
        y[at] = 6;
        tamis_table *t = joined(cx, 25, 3, x, y);
        tamis_result *r = chosen(cx, t, NULL, worded(cx, "method=sift"));
        int said = 0;
        for (size_t i = 0; i < r->notes; i++) said |= strstr(r->note[i], "all rows but one") != NULL;
        assert_true(said && !r->selected);
        tamis_result_free(r);
        tamis_table_free(t);
    }
}

/* ---- a table of our own ---- */

static void same_bits_for_any_number_of_threads(void **state)
{
    static const char *const words[] = {"sigma2=1:500:7 method=sisal", "sigma2=30 method=forward",
                                        "sigma2=1:500:7 centers=20", "sigma2=1:500:7 fast"};
    tamis_context *cx = *state;
    tamis_table *t = made(cx, "add10", "70", "3");
    for (size_t i = 0; i < 4; i++) same_bits(cx, t, worded(cx, words[i]), NULL);
    tamis_table_free(t);
}

static void stopped_runs_resume_to_the_same_result(void **state)
{
    static const char *const method[] = {"sisal", "forward"};
    tamis_context *cx = *state;
    tamis_table *t = made(cx, "add10", "40", "5");
    for (int m = 0; m < 2; m++)
        assert_above(stopped_and_resumed(cx, t, OPTIONS("method", method[m], "sigma2", "1:500:5"), 7, 3), 3);
    tamis_table_free(t);
}

static void models_come_back_the_same(void **state)
{
    tamis_context *cx = *state;
    tamis_table *t = made(cx, "add10", "60", "2"), *fresh = made(cx, "add10", "500", "8");
    tamis_result *r = chosen(cx, t, fresh, OPTIONS("sigma2", "1:500:7"));
    double p[500], error = 0;
    tamis_model *m = came_back(cx, r->model, fresh, p, NULL);
    for (size_t i = 0; i < 500; i++) error += pow(p[i] - fresh->column[10].value[i], 2) / 500;
    assert_relative(error / variance(t->column[10].value, 60), r->test, 1e-10); /* predictions are in y's units */
    damage_is_refused(cx, m, 400);
    tamis_model_free(m);
    tamis_result_free(r);
    tamis_table_free(t);
    tamis_table_free(fresh);
}

/* ---- text tables ---- */

static void categories_are_chosen_as_a_group(void **state)
{
    tamis_context *cx = *state;
    tamis_options *o = OPTIONS("sigma2", "1:100:9");
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
    assert_int_equal(select_text(cx, text, o, &r), TAMIS_OK);
    assert_int_equal(r->inputs, 3);
    assert_true(r->input[0].selected && r->input[1].selected && !r->input[2].selected);
    assert_int_equal(r->model->encoder->columns, 4);
    assert_below(r->error, 0.05);
    tamis_result_free(r);
    tamis_options_free(o);
}

static void bad_tables_get_a_sentence(void **state)
{
    static const struct { const char *text, *option, *value; int status; const char *says; } bad[] = {
        {"x,y\n1,2\n", NULL, NULL, TAMIS_DATA, "1 complete row"},
        {"x,y\n1,5\n2,5\n3,5\n4,5\n", NULL, NULL, TAMIS_DATA, "target 'y' has the same value"},
        {"x,y\n3,5\n3,6\n3,7\n3,8\n", NULL, NULL, TAMIS_DATA, "every input is constant"},
        {"y\n5\n6\n7\n8\n", NULL, NULL, TAMIS_DATA, "no column is left"},
        {"x,y\n1,5\n2,6\nNA,7\n4,NA\n", NULL, NULL, TAMIS_DATA, "2 complete rows"},
        {"x,y\n1,5\n2,6\n3,7\n4,9\n", "target", "z", TAMIS_USAGE, "no such column"},
        {"x,y\n1,5\n2,6\n3,7\n4,9\n", "inputs", "x,q", TAMIS_USAGE, "--inputs q"},
        {"x,y\n1,5\n2,6\n3,7\n4,9\n", "inputs", "x,y", TAMIS_USAGE, "is the target"},
        {"x,y\n1,5\n2,6\n3,7\n4,9\n", "ignore", "x", TAMIS_DATA, "no column is left"},
        {"x,y\n1,5\n2,6\n3,7\n4,9\n", "method", "magic", TAMIS_USAGE, "unknown method"},
        {"x,y\n1,5\n2,6\n3,7\n4,9\n", "hidden", "7", TAMIS_USAGE, "does not belong to method"},
        {"x,y\n1,a\n2,b\n3,a\n4,b\n", "task", "regression", TAMIS_DATA, "regression needs numbers"},
    };
    tamis_context *cx = *state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        refused(cx, bad[i].text, OPTIONS(bad[i].option, bad[i].value), bad[i].status, bad[i].says);
}

static void hard_numbers_are_survived(void **state)
{
    static const char *const text[] = {
        HARD_NUMBERS, ("x,y\n1e15,1000000000000001\n1000000000000001,1000000000000002\n1000000000000002,"
                       "1000000000000004\n1000000000000003,1000000000000003\n")};
    static const char *const method[] = {"sisal", "forward"};
    tamis_context *cx = *state;
    for (size_t i = 0; i < sizeof text / sizeof *text; i++)
        for (int m = 0; m < 2; m++) {
            tamis_options *o = OPTIONS("method", method[m], "sigma2", "1:500:5");
            tamis_result *r = NULL;
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
    tamis_options *o = OPTIONS("method", "sisal");
    tamis_result *r = NULL;
    double bytes, flops;
    tamis_context_limits(cx, 2, 4e9);
    assert_int_equal(tamis_select(cx, t, NULL, o, &r), TAMIS_MEMORY);
    says(cx, "--centers");
    tamis_options_set(o, "centers", "500");
    assert_int_equal(tamis_estimate(cx, t, o, &bytes, &flops), TAMIS_OK);
    assert_below(bytes, 4e9);
    assert_above(flops, 1e9);
    tamis_options_free(o);
    tamis_table_free(t);
}

static void every_allocation_may_fail(void **state)
{
    tamis_context *cx = *state;
    tamis_table *t = made(cx, "add10", "12", "4");
    run_survives_failing_memory(cx, t, OPTIONS("sigma2", "20", "holdout", "0.3"), 100, 5000);
    tamis_table_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(sisal_paths_are_the_known_ones),      TEST(forward_paths_are_the_known_ones),
        TEST(units_do_not_matter),                 TEST(one_row_supports_no_input),
        TEST(same_bits_for_any_number_of_threads), TEST(stopped_runs_resume_to_the_same_result),
        TEST(models_come_back_the_same),           TEST(categories_are_chosen_as_a_group),
        TEST(bad_tables_get_a_sentence),           TEST(hard_numbers_are_survived),
        TEST(memory_is_refused_before_the_run),    TEST(every_allocation_may_fail)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
