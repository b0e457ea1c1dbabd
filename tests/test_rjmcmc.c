/* The method rjmcmc end to end: choices, threads, checkpoints, models, hard tables, failing memory. */
#include "base/rng_dist.h"
#include "data/table.h"
#include "method/rjmcmc/mixture_target.h"
#include "model/mixture.h"
#include "num/density.h"
#include "unit.h"
#include "select/result.h"

/* Rows of `inputs` normal columns; the class is the sign of x1 x2, wrong in one row of twenty (xor), or a coin toss.
 * The last column holds it. */
static tamis_table *class_table(tamis_context *cx, size_t rows, size_t inputs, int xor, double unknown, uint64_t seed)
{
    struct tamis_rng r;
    tamis_table *t = NULL;
    double *x = malloc(rows * (inputs + 1) * sizeof *x);
    tamis_rng_init(&r, seed, TAMIS_RNG_TEST, 0);
    for (size_t i = 0; i < rows * inputs; i++) x[i] = tamis_rng_normal(&r);
    for (size_t i = 0; i < rows; i++)
        x[rows * inputs + i] = (double)i < unknown * (double)rows ? NAN
                               : xor? (x[i] * x[i + rows] > 0) != (tamis_rng_uniform(&r) < 0.05)
                                    : i % 2;
    assert_int_equal(tamis_table_from_numbers(cx, rows, inputs + 1, x, 1, rows, NULL, &t), TAMIS_OK);
    free(x);
    return t;
}

static tamis_options *sampling(tamis_context *cx, const char *words)
{
    char all[512];
    snprintf(all, sizeof all, "method=rjmcmc task=classification %s", words);
    return worded(cx, all);
}

static tamis_result *selected(tamis_context *cx, const tamis_table *t, const char *words)
{
    return chosen(cx, t, NULL, sampling(cx, words));
}

static void known_inputs_are_found(void **state)
{
    tamis_table *t = class_table(*state, 150, 4, 1, 0, 1);
    tamis_result *r = selected(*state, t, "samples=2500 burn-in=1000 chains=2 temperatures=8 kernels=4");
    for (size_t i = 0; i < 4; i++)
        if (i < 2 ? r->input[i].relevance < 0.98 : r->input[i].relevance > 0.8)
            fail_msg("input %zu has %.3f", i + 1, r->input[i].relevance);
    assert_true(r->input[0].selected && r->input[1].selected);
    assert_below(r->error, 0.2);
    tamis_result_free(r);
    tamis_table_free(t);
}

static void nothing_informative_stays_near_the_prior(void **state)
{
    tamis_table *t = class_table(*state, 60, 5, 0, 0, 3);
    tamis_result *r = selected(*state, t, "samples=2500 burn-in=500 chains=2 temperatures=4 lambda=2");
    double sum = 0;
    for (size_t i = 0; i < 5; i++) sum += r->input[i].relevance;
    assert_between(sum, 0.4, 3);                                                /* the prior mean is 1.92 */
    tamis_result_free(r);
    tamis_table_free(t);
}

static const char small[] = "samples=90 burn-in=40 chains=3 temperatures=4 stored=12";

static void same_bits_for_any_number_of_threads(void **state)
{
    static const char *const mode[] = {"", " likelihood=background weights=shift thin=2"};
    tamis_context *cx = *state;
    for (int i = 0; i < 2; i++) {
        tamis_table *t = class_table(cx, 40, 4, 1, i ? 0.2 : 0, 5);
        char words[256];
        snprintf(words, sizeof words, "%s%s", small, mode[i]);
        same_bits(cx, t, sampling(cx, words), NULL);
        tamis_table_free(t);
    }
}

static void stopped_runs_resume_to_the_same_result(void **state)
{
    static const char path[] = "test_rjmcmc.ckpt",
                      words[] = "samples=700 burn-in=300 chains=2 temperatures=3 stored=12";
    tamis_context *cx = *state;
    tamis_table *t = class_table(cx, 40, 4, 1, 0, 5);
    tamis_options *o = sampling(cx, words);
    tamis_context_limits(cx, 1, 0);
    char *whole = json(cx, t, o);
    cut_notes(whole);
    tamis_options_set(o, "checkpoint", path);
    for (int checks = 5; checks < 40; checks += 9) {            /* stopped once, anywhere */
        tamis_result *r = NULL;
        unlink(path);
        assert_int_equal(select_stopped(cx, t, o, checks, &r), TAMIS_STOPPED);
        assert_null(r);
        assert_int_equal(access(path, R_OK), 0);
        char *resumed = json(cx, t, o);
        cut_notes(resumed);
        assert_string_equal(resumed, whole);
        tamis_release(resumed);
    }
    unlink(path);
    tamis_release(whole);
    tamis_options_free(o);
    assert_above(stopped_and_resumed(cx, t, sampling(cx, words), 5, 9), 1);     /* stopped repeatedly */
    tamis_table_free(t);
}

static void models_come_back_the_same(void **state)
{
    tamis_context *cx = *state;
    tamis_table *t = class_table(cx, 50, 4, 1, 0, 6);
    tamis_result *r = selected(cx, t, small);
    double p[50], score[100];
    tamis_model *m = came_back(cx, r->model, t, p, score);
    for (size_t i = 0; i < 50; i++) assert_near(score[i] + score[i + 50], 1, 1e-12);
    damage_is_refused(cx, m, 300);
    tamis_model_free(m);
    tamis_result_free(r);
    tamis_table_free(t);
}

/* The model's probabilities against the formula, term by term. */
static void predictions_are_the_averages_of_the_samples(void **state)
{
    tamis_table *t = class_table(*state, 30, 3, 1, 0, 7);
    tamis_result *r = selected(*state, t, small);
    const struct tamis_mixture_model *b = r->model->body;
    const struct tamis_encoder *e = r->model->encoder;
    double p[30], score[60];
    tamis_calibrator_free(r->model->calibrator);        /* the scores as they are */
    r->model->calibrator = NULL;
    assert_int_equal(tamis_model_predict(*state, r->model, t, p, score), TAMIS_OK);
    for (size_t n = 0; n < 30; n++) {
        double mean = 0, largest = 0;
        for (size_t s = 0; s < b->samples; s++) {
            double f[2] = {0};
            for (size_t k = 0; k < 2; k++)
                for (size_t d = 0; d < b->kernels; d++) {
                    double l = log(b->p[k + 2 * s] * b->w[d + b->kernels * (k + 2 * s)]);
                    for (size_t c = b->first[s]; c < b->first[s + 1]; c++) {
                        size_t j = b->column[c];
                        double x = (t->column[tamis_table_find(t, e->input[j].name)].value[n] - e->mean[j]) /
                                   e->scale[j];
                        l += tamis_log_normal(x, b->mu[d + b->kernels * c], b->tau[d + b->kernels * c]);
                    }
                    largest = fmax(largest, fabs(l));
                    f[k] = d ? tamis_log_add(f[k], l) : l;
                }
            mean += 1 / (1 + exp(f[1] - f[0])) / (double)b->samples;
        }
        assert_near(score[n], mean,
             1e-9 + 1e-15 * largest); /* huge precisions: exponents differ in their last digits */
    }
    tamis_result_free(r);
    tamis_table_free(t);
}

static void hard_tables_are_defined(void **state)
{
    static const char *const text[] = {
        "x,z,y\n1,5,a\n1,5,a\n1,5,b\n2,5,b\n2,5,a\n3,5,b\n", /* ties and a constant */
        "x,z,y\n1,3,a\n2,1,a\n3,2,a\n4,7,b\n5,1,a\n", /* a class with one row */
        "x,z,y\n1e300,1,a\n-2e300,2,b\n3e299,3,a\n4e300,4,b\n-5e300,5,a\n", /* huge values */
        "x,y\n1,a\n2,b\n3,a\n", /* one input, three rows */
        "x,c,y\n1,red,a\n2,red,b\n3,blue,a\n1,green,b\n2,blue,a\n4,red,b\n", /* a category of three columns */
        "a,b,c,d,e,f,y\n1,2,3,4,5,6,p\n2,1,4,3,6,5,q\n6,5,4,3,2,1,p\n"}; /* more inputs than rows */
    static const char *const mode[] = {"conditional", "background"};
    for (size_t i = 0; i < sizeof text / sizeof *text; i++)
        for (int k = 0; k < 2; k++) {
            char words[160];
            snprintf(words, sizeof words, "samples=120 burn-in=40 chains=2 temperatures=3 likelihood=%s", mode[k]);
            tamis_table *t = text_table(*state, text[i]);
            tamis_result *r = selected(*state, t, words);
            assert_true(isfinite(r->error));
            if (!i) assert_true(r->input[1].constant && !r->input[1].selected && r->input[1].relevance == 0);
            char *out = result_text(*state, r);
            assert_null(strstr(out, "nan"));
            assert_null(strstr(out, "inf,"));
            tamis_release(out);
            tamis_result_free(r);
            tamis_table_free(t);
        }
}

static void bad_tables_get_a_sentence(void **state)
{
    static const struct { const char *text, *words, *says; int status; } bad[] = {
        {"x,y\n1,a\n2,a\n3,a\n", "", "same value", TAMIS_DATA},
        {"x,y\n1,a\n2,a\n3,\n4,a\n", "likelihood=background", "one class only", TAMIS_DATA},
        {"x,y\n1,a\n2,b\n3,a\n", "samples=10 burn-in=8", "fewer than 4", TAMIS_USAGE}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        refused(*state, bad[i].text, sampling(*state, bad[i].words), bad[i].status, bad[i].says);
}

static void two_thousand_inputs_run(void **state)
{
    tamis_table *t = class_table(*state, 40, 2000, 1, 0, 9);
    tamis_result *r = selected(*state, t, "samples=60 burn-in=20 chains=2 temperatures=2 stored=4");
    assert_true(r->inputs == 2000 && isfinite(r->error));
    tamis_result_free(r);
    tamis_table_free(t);
}

static void every_allocation_may_fail(void **state)
{
    tamis_context *cx = *state;
    tamis_table *t = class_table(cx, 12, 2, 1, 0.1, 4);
    run_survives_failing_memory(
        cx, t, sampling(cx, "samples=12 burn-in=4 chains=1 temperatures=2 stored=4 likelihood=background"), 100, 5000);
    tamis_table_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(known_inputs_are_found),
        TEST(nothing_informative_stays_near_the_prior),
        TEST(same_bits_for_any_number_of_threads),
        TEST(stopped_runs_resume_to_the_same_result),
        TEST(models_come_back_the_same),
        TEST(predictions_are_the_averages_of_the_samples),
        TEST(hard_tables_are_defined),
        TEST(bad_tables_get_a_sentence),
        TEST(two_thousand_inputs_run),
        TEST(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
