/* Method fei and the RBF classifier end to end: labels, categories, constants, rare classes, noise, threads, models,
 * failing memory. */
#include "base/rng.h"
#include "data/design.h"
#include "model/model.h"
#include "model/rbf_classifier.h"
#include "unit.h"

/* ---- tables ---- */

struct sheet { char *text; size_t length; };

/* `inputs` columns x1, x2, ... and the text label y; label(x, r) gives the class, and may change x. */
typedef int labeller(double *x, struct tamis_rng *r);

static struct sheet make_table(size_t rows, size_t inputs, labeller *label, uint32_t seed)
{
    struct sheet m;
    struct tamis_rng r;
    double x[64];
    FILE *f = open_memstream(&m.text, &m.length);
    tamis_rng_init(&r, 11, TAMIS_RNG_TEST, seed);
    for (size_t j = 0; j < inputs; j++) fprintf(f, "x%zu,", j + 1);
    fprintf(f, "y\n");
    for (size_t i = 0; i < rows; i++) {
        for (size_t j = 0; j < inputs; j++) x[j] = tamis_rng_normal(&r);
        int k = label(x, &r);
        for (size_t j = 0; j < inputs; j++) fprintf(f, "%.9g,", x[j]);
        fprintf(f, "class %c\n", 'a' + k);
    }
    fclose(f);
    return m;
}

static int shifted(double *x, struct tamis_rng *r)              /* the first two inputs depend on the class */
{
    int k = (int)tamis_rng_below(r, 3);
    x[0] += 3.0 * (k - 1);
    x[1] += 2.5 * (k == 1);
    return k;
}

static int two_shifted(double *x, struct tamis_rng *r)
{
    int k = (int)tamis_rng_below(r, 2);
    for (int j = 0; j < 4; j++) x[j] += k ? 0.9 : -0.9;
    return k;
}

static int noise(double *x, struct tamis_rng *r) { (void)x; return (int)tamis_rng_below(r, 2); }

static int rare(double *x, struct tamis_rng *r)                 /* class c has one row */
{
    int k = shifted(x, r);
    return k == 2 ? 0 : k;
}

static tamis_options *indexed(tamis_context *cx, const char *words)
{
    char all[256];
    snprintf(all, sizeof all, "method=fei %s", words);
    return worded(cx, all);
}

static tamis_result *selected(tamis_context *cx, const char *text, const char *words)
{
    tamis_table *t = text_table(cx, text);
    tamis_result *r = chosen(cx, t, NULL, indexed(cx, words));
    tamis_table_free(t);
    return r;
}

/* ---- answers ---- */

static void finds_the_inputs(void **state)
{
    tamis_context *cx = *state;
    struct sheet m = make_table(150, 6, shifted, 1);
    static const char *const ways[] = {"", "index=fei", "weights=ls", "hidden=9 pairs=ordered",
                                       "classifier=lms rate=1 epochs=50"};
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        tamis_result *r = selected(cx, m.text, ways[i]);
        assert_true(r->input[0].rank + r->input[1].rank == 3);
        assert_true(r->selected >= 1 && r->selected <= 3 && r->input[r->chosen[0]].rank == 1);
        assert_below(r->error, 0.2);
        assert_true(r->steps == 7 && r->path[0].size == 0 && r->path[0].changed == -1);
        assert_close(r->path[0].criterion, 2 / 3., 0.1);
        assert_true(r->all_inputs == r->path[6].criterion && r->error == r->path[r->chosen_step].criterion);
        assert_above(r->input[0].relevance, r->input[2].relevance);
        assert_at_most(r->input[0].relevance, 1);
        assert_string_equal(r->error_name, "cv");
        tamis_result_free(r);
    }
    free(m.text);
}

static void two_classes(void **state)
{
    tamis_context *cx = *state;
    struct sheet m = make_table(200, 10, two_shifted, 2);
    tamis_result *r = selected(cx, m.text, "hidden=12 folds=5");
    for (size_t i = 0; i < 10; i++) assert_true((r->input[i].rank <= 4) == (i < 4));
    assert_below(r->error, 0.15);
    tamis_result_free(r);
    free(m.text);
}

static void noise_selects_nothing(void **state)
{
    tamis_context *cx = *state;
    int empty = 0;
    for (uint32_t seed = 0; seed < 20; seed++) {
        struct sheet m = make_table(80, 5, noise, 100 + seed);
        tamis_table *t = text_table(cx, m.text);
        tamis_result *r = chosen(cx, t, NULL, indexed(cx, "folds=5 starts=5"));
        if (!r->selected) {             /* the model predicts the most frequent class everywhere */
            double p[80], score[160], first[2] = {0, 0};
            empty++;
            assert_int_equal(tamis_model_predict(cx, r->model, t, p, score), TAMIS_OK);
            for (size_t i = 0; i < 80; i++) first[(size_t)t->column[5].value[i]]++;
            for (size_t i = 0; i < 80; i++) {
                assert_close(score[i], first[0] / 80, 0.02);
                assert_true(first[0] == first[1] || p[i] == (first[1] > first[0]));
            }
            assert_true(r->notes > 0 && strstr(r->note[r->notes - 1], "most frequent class"));
        }
        tamis_result_free(r);
        tamis_table_free(t);
        free(m.text);
    }
    if (empty < 18) fail_msg("nothing selected in %d of 20", empty);
}

static void a_class_with_one_row(void **state)
{
    tamis_context *cx = *state;
    struct sheet m = make_table(60, 3, rare, 3);
    char *text = malloc(m.length + 64);
    snprintf(text, m.length + 64, "%s9,9,9,lonely\n", m.text);
    tamis_result *r = selected(cx, text, "folds=4 starts=5");
    assert_true(r->selected >= 1);
    assert_below(r->error, 0.3);
    assert_int_equal(r->model->encoder->classes, 3);
    tamis_result_free(r);
    free(text);
    free(m.text);
}

static void constants_are_left_alone(void **state)
{
    tamis_context *cx = *state;
    struct sheet m;
    struct tamis_rng r;
    FILE *f = open_memstream(&m.text, &m.length);
    tamis_rng_init(&r, 12, TAMIS_RNG_TEST, 0);
    fprintf(f, "c,x,d,z,y\n");
    for (int i = 0; i < 60; i++)
        fprintf(f, "7,%.6f,-0.1,%.6f,%s\n", tamis_rng_normal(&r) + 4 * (i % 2), tamis_rng_normal(&r),
                i % 2 ? "on" : "off");
    fclose(f);
    for (int raw = 0; raw < 2; raw++) {
        tamis_result *q = selected(cx, m.text, raw ? "folds=5 standardize=no" : "folds=5 standardize=yes");
        assert_true(isnan(q->input[0].relevance) && isnan(q->input[2].relevance) && !q->input[0].selected &&
                    !q->input[2].selected);
        assert_int_equal(q->input[1].rank, 1);
        assert_int_equal(q->input[0].rank, 0);
        assert_true(q->selected == 1 && q->steps == 3);
        tamis_result_free(q);
    }
    free(m.text);
}

static void categories_are_a_group(void **state)
{
    tamis_context *cx = *state;
    struct sheet m;
    struct tamis_rng r;
    FILE *f = open_memstream(&m.text, &m.length);
    tamis_rng_init(&r, 13, TAMIS_RNG_TEST, 0);
    fprintf(f, "z,colour,w,y\n");
    for (int i = 0; i < 120; i++) {
        int colour = (int)tamis_rng_below(&r, 3);
        fprintf(f, "%.5f,%s,%.5f,%s\n", tamis_rng_normal(&r), (const char *[]){"red", "green", "blue"}[colour],
                tamis_rng_normal(&r), colour == 1 ? "p" : "q");
    }
    fclose(f);
    tamis_result *q = selected(cx, m.text, "folds=5");
    assert_int_equal(q->inputs, 3);
    assert_true(q->selected == 1 && q->input[1].selected && q->input[1].rank == 1 && q->error == 0);
    assert_int_equal(q->model->encoder->columns, 3);
    assert_int_equal(((struct tamis_rbf_classifier *)q->model->body)->nodes,
                     3); /* three distinct rows, fewer than hidden nodes */
    tamis_result_free(q);
    free(m.text);
}

/* ---- errors ---- */

static void bad_requests_get_a_sentence(void **state)
{
    static const char four[] = "x,z,y\n0,0,a\n0,1,b\n1,0,a\n1,1,b\n0,0,a\n0,1,b\n1,0,a\n1,1,b\n0,0,a\n1,1,b\n";
    static const char two[] = "x,y\n0,a\n1,b\n0,a\n1,b\n0,a\n1,b\n0,a\n1,b\n";
    static const char numbers[] = "x,y\n0,1\n1,2.5\n0,3\n1,4\n";
    static const char all[] = "x,y\n1,a\n2,b\n3,c\n";
    static const struct { const char *text, *option, *value; int status; const char *says; } bad[] = {
        {four, "hidden", "2", TAMIS_USAGE, "'2': expected a whole number from 3"},
        {"x,y\n1,a\n2,b\n3,c\n4,a\n5,b\n", "hidden", "3", TAMIS_USAGE, "need more than 3 hidden nodes"},
        {four, "hidden", "6", TAMIS_DATA, "only 4 distinct rows"},
        {two, NULL, NULL, TAMIS_DATA, "only 2 distinct rows"},
        {four, "hidden", "60", TAMIS_DATA, "only 10 rows"},
        {numbers, NULL, NULL, TAMIS_USAGE, "method fei is for classification"},
        {all, NULL, NULL, TAMIS_DATA, "more rows than classes"},
        {four, "folds", "11", TAMIS_USAGE, "--folds 11"},
        {four, "sigma2", "3", TAMIS_USAGE, "does not belong to method fei"},
        {four, "weights", "none", TAMIS_USAGE, "one of ls|lms"},
    };
    tamis_context *cx = *state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        option_refused(cx, bad[i].text, indexed(cx, ""), bad[i].option, bad[i].value, bad[i].status, bad[i].says);
}

static void hard_tables_are_survived(void **state)
{
    static const char *const text[] = {
        "x,z,y\n1e300,1,a\n-2e300,2,b\n3e299,3,a\n4e300,4,b\n-5e300,5,a\n1e299,6,b\n7e299,7,a\n", /* huge values */
        "x,z,y\n1,1,a\n1,1,b\n1,1,a\n2,2,b\n2,2,a\n3,3,b\n4,4,a\n5,5,b\n", /* equal rows of both classes, equal columns
                                                                            */
        ("a,b,c,d,e,f,g,h,y\n1,2,3,4,5,6,7,8,p\n2,1,4,3,6,5,8,7,q\n6,5,4,3,2,1,0,1,p\n5,5,4,4,3,3,1,2,q\n9,1,2,1,7,6,0,"
         "0,p\n"), /* more inputs than rows */
        "x,y\n1,a\n2,a\n3,a\n4,b\n5,b\n6,b\n7,b\n", /* one input */
        "x,z,y\n0,0,a\n0,1,b\n1,0,b\n1,1,a\n0,0,a\n0,1,b\n1,0,b\n1,1,a\n"}; /* parity */
    tamis_context *cx = *state;
    for (size_t i = 0; i < sizeof text / sizeof *text; i++)
        for (int ls = 0; ls < 2; ls++) {
            tamis_result *r = selected(cx, text[i], ls ? "weights=ls" : "weights=lms");
            assert_true(isfinite(r->error) && isfinite(r->all_inputs));
            tamis_result_free(r);
        }
}

/* ---- reproducible, saved, out of memory ---- */

static void same_bits_for_any_number_of_threads(void **state)
{
    tamis_context *cx = *state;
    static const size_t inputs[] = {5, 12, 25};         /* all sets shown, the best shown, the best searched */
    for (size_t i = 0; i < 3; i++) {
        struct sheet m = make_table(70, inputs[i], shifted, 7);
        tamis_table *t = text_table(cx, m.text);
        same_bits(cx, t, indexed(cx, "folds=4 starts=6"), inputs[i] > 20 ? "\"proved\"" : "\"overall_rank\"");
        tamis_table_free(t);
        free(m.text);
    }
}

static void models_come_back_the_same(void **state)
{
    tamis_context *cx = *state;
    struct sheet m = make_table(90, 4, shifted, 8);
    tamis_table *t = text_table(cx, m.text);
    tamis_result *r = chosen(cx, t, NULL, indexed(cx, ""));
    double a[90], score[270];
    tamis_model *back = came_back(cx, r->model, t, a, score);
    size_t wrong = 0;
    const struct tamis_rbf_classifier *net = r->model->body;
    const struct tamis_encoder *e = r->model->encoder;
    for (size_t i = 0; i < 90; i++) {
        size_t best = 0;
        double s[3] = {0, 0, 0};
        for (size_t c = 0; c < net->nodes; c++) {
            double d2 = 0;
            for (size_t v = 0; v < e->inputs; v++) {
                double x = (t->column[e->input[v].name[1] - '1'].value[i] - e->mean[v]) / e->scale[v];
                d2 += pow(x - net->centre[c + net->nodes * v], 2);
            }
            for (size_t k = 0; k < 3; k++)
                s[k] += net->weight[c + net->nodes * k] * exp(-d2 / (2 * net->sigma[c] * net->sigma[c]));
        }
        tamis_calibrator_apply(r->model->calibrator, s, 1, s);
        for (size_t k = 0; k < 3; k++) {
            assert_close(s[k], score[i + 90 * k], 1e-9 * (1 + fabs(s[k])));
            if (score[i + 90 * k] > score[i + 90 * best]) best = k;
        }
        assert_true(a[i] == (double)best);
        wrong += a[i] != t->column[4].value[i];
    }
    assert_below(wrong, 20);
    damage_is_refused(cx, back, 300);
    tamis_model_free(back);
    tamis_result_free(r);
    tamis_table_free(t);
    free(m.text);
}

static void stops_when_asked(void **state)
{
    tamis_context *cx = *state;
    struct sheet m = make_table(60, 25, shifted, 9);
    tamis_table *t = text_table(cx, m.text);
    tamis_options *o = indexed(cx, "");
    for (int checks = 0; checks < 60; checks += 7) {
        tamis_result *r = NULL;
        assert_int_equal(select_stopped(cx, t, o, checks, &r), TAMIS_STOPPED);
        assert_null(r);
    }
    tamis_options_free(o);
    tamis_table_free(t);
    free(m.text);
}

static void every_allocation_may_fail(void **state)
{
    tamis_context *cx = *state;
    static const char *const words[] = {"folds=2 starts=2 holdout=0.3 importance=none",
                                        "folds=2 starts=1 hidden=4 sizes=1 importance=none"};
    for (size_t way = 0; way < 2; way++) {
        struct sheet m = make_table(24, way ? 22 : 3, shifted, 10);
        tamis_table *t = text_table(cx, m.text);
        run_survives_failing_memory(cx, t, indexed(cx, words[way]), 100, 5000);
        tamis_table_free(t);
        free(m.text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(finds_the_inputs),
                                       TEST(two_classes),
                                       TEST(noise_selects_nothing),
                                       TEST(a_class_with_one_row),
                                       TEST(constants_are_left_alone),
                                       TEST(categories_are_a_group),
                                       TEST(bad_requests_get_a_sentence),
                                       TEST(hard_tables_are_survived),
                                       TEST(same_bits_for_any_number_of_threads),
                                       TEST(models_come_back_the_same),
                                       TEST(stops_when_asked),
                                       TEST(every_allocation_may_fail)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
