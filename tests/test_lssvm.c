/* LS-SVM and RRKRR as criteria and methods: known answers, classification, threads, bad tables, failing memory. */
#include "base/rng.h"
#include "cases_lssvm.h"
#include "crit/reduced_rank.h"
#include "crit/lssvm.h"
#include "data/design.h"
#include "model/rbf.h"
#include "num/gauss.h"
#include "num/greedy.h"
#include "num/lssvm_folds.h"
#include "unit.h"
#include "search/search.h"

/* ---- criteria ---- */

struct bench { tamis_table *t; struct tamis_encoder *e; struct tamis_design *d; tamis_options *o; void *scorer; };

static struct bench bench_new(tamis_context *cx, const struct tamis_criterion *c, const char *const (*option)[2])
{
    struct bench b = {joined(cx, LSSVM_N, LSSVM_D, lssvm_x, lssvm_y), NULL, NULL, tamis_options_new(cx), NULL};
    struct tamis_roles roles = {.force = -1};
    size_t row[LSSVM_N];
    for (size_t i = 0; i < LSSVM_N; i++) row[i] = i;
    for (; (*option)[0]; option++) assert_int_equal(tamis_options_set(b.o, (*option)[0], (*option)[1]), TAMIS_OK);
    assert_non_null(b.e = tamis_encoder_new(cx, b.t, &roles));
    assert_non_null(b.d = tamis_design_learn(cx, b.e, b.t, row, LSSVM_N, 0));
    assert_int_equal(c->start(cx, b.d, b.o, 1, &b.scorer), TAMIS_OK);
    assert_int_equal(tamis_lssvm_refold(b.scorer, lssvm_fold, LSSVM_FOLDS), TAMIS_OK);
    return b;
}

static void bench_free(struct bench *b, const struct tamis_criterion *c)
{
    c->finish(b->scorer);
    tamis_design_free(b->d);
    tamis_encoder_free(b->e);
    tamis_options_free(b->o);
    tamis_table_free(b->t);
}

/* The case's grid is not geometric, so each of its nine cells has its own scorer; each step adds the best input over
 * all of them. */
static void forward_path_is_the_known_one(void **state)
{
    static const double widths[3] = {2, 10, 60}, gammas[3] = {0.5, 20, 1000};
    tamis_context *cx = *state;
    unsigned char set[LSSVM_D] = {0};
    struct bench cell[9];
    for (size_t k = 0; k < 9; k++) {
        char width[32], gamma[32];
        snprintf(width, sizeof width, "%g", widths[k / 3]);
        snprintf(gamma, sizeof gamma, "%g", gammas[k % 3]);
        cell[k] = bench_new(cx, &tamis_cv_lssvm,
                            (const char *const[][2]){{"sigma2", width}, {"gamma", gamma}, {NULL, NULL}});
    }
    for (size_t step = 0; step < LSSVM_D; step++) {
        struct tamis_score best = {.value = INFINITY};
        size_t input = 0;
        for (size_t i = 0; i < LSSVM_D; i++)
            for (size_t k = 0; k < 9 && !set[i]; k++) {
                struct tamis_score s;
                assert_int_equal(tamis_cv_lssvm.evaluate(cell[k].scorer, set, &i, 1, NULL, &s), TAMIS_OK);
                if (s.value < best.value) best = s, input = i;
            }
        assert_int_equal(input, lssvm_path[step].input);
        assert_close(best.value, lssvm_path[step].cv, 1e-8 * lssvm_path[step].cv);
        assert_true(best.parameter[0] == lssvm_path[step].sigma2 && best.parameter[1] == lssvm_path[step].gamma);
        set[input] = 1;
    }
    for (size_t k = 0; k < 9; k++) bench_free(&cell[k], &tamis_cv_lssvm);
}

static void reduced_fits_are_the_known_ones(void **state)
{
    tamis_context *cx = *state;
    unsigned char set[LSSVM_D];
    static const size_t self[1] = {SIZE_MAX};
    memset(set, 1, sizeof set);
    for (size_t k = 0; k < sizeof rrkrr_fits / sizeof *rrkrr_fits; k++) {
        char gamma[32], most[32];
        struct tamis_score s;
        struct tamis_model *m = NULL;
        double out[LSSVM_N], largest = 0;
        size_t size = rrkrr_fits[k].size;
        snprintf(gamma, sizeof gamma, "%g", rrkrr_fits[k].gamma);
        snprintf(most, sizeof most, "%zu", size);
        struct bench b = bench_new(
            cx, &tamis_cv_rrkrr,
            (const char *const[][2]){{"sigma2", "10"}, {"gamma", gamma}, {"max-basis", most}, {NULL, NULL}});
        assert_int_equal(tamis_cv_rrkrr.evaluate(b.scorer, set, self, 1, NULL, &s), TAMIS_OK);
        assert_int_equal(tamis_cv_rrkrr.fit(b.scorer, set, &s, &m, NULL), TAMIS_OK);
        const struct tamis_rbf *net = m->body;
        assert_int_equal(net->centres, size);
        for (size_t i = 0; i < size; i++) largest = fmax(largest, fabs(rrkrr_fits[k].beta[i]));
        for (size_t i = 0; i < size; i++)
            assert_close(net->alpha[i], rrkrr_fits[k].beta[i], 1e-12 * rrkrr_fits[k].cond * largest);
        assert_close(net->alpha[size], rrkrr_fits[k].b, 1e-9);
        assert_int_equal(tamis_model_apply(cx, m, b.d, out), TAMIS_OK);
        for (size_t i = 0; i < LSSVM_N; i++) assert_close(out[i], rrkrr_fits[k].fitted[i], 1e-8);
        tamis_model_free(m);
        bench_free(&b, &tamis_cv_rrkrr);
    }
    for (size_t k = 0; k < 2; k++) {
        char gamma[32];
        struct tamis_score s;
        snprintf(gamma, sizeof gamma, "%g", rrkrr_cv_gamma[k]);
        struct bench b = bench_new(cx, &tamis_cv_rrkrr,
                                   (const char *const[][2]){{"sigma2", "10"}, {"gamma", gamma}, {NULL, NULL}});
        assert_int_equal(tamis_cv_rrkrr.evaluate(b.scorer, set, self, 1, NULL, &s), TAMIS_OK);
        assert_close(s.value, rrkrr_cv[k], 1e-8);
        assert_true(s.parameter[2] == LSSVM_N);
        bench_free(&b, &tamis_cv_rrkrr);
    }
}



/* ---- whole runs ---- */

static const char *const runs[] = {"method=lssvm sigma2=1:300:5 gamma=1:1e4:4",
                                   "method=lssvm",
                                   "method=lssvm criterion=loo-lssvm select=forward sigma2=1:300:7 gamma=1:1e4:9",
                                   "method=lssvm select=forward folds=5 exact sigma2=1:300:4 gamma=1:1e4:4",
                                   "method=rrkrr folds=4 pivot-tolerance=1e-4",
                                   "method=rrkrr select=forward sigma2=1:300:7 gamma=1:1e4:3",
                                   "method=forward criterion=cv-rrkrr max-inputs=3 sigma2=1:300:3 gamma=1:1e3:3",
                                   "method=rrkrr select=forward candidates=20 sigma2=1:300:5 gamma=1:1e3:3"};

static void same_bits_for_any_number_of_threads(void **state)
{
    tamis_context *cx = *state;
    tamis_table *t = made(cx, "add10", "50", "3");
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) same_bits(cx, t, worded(cx, runs[i]), NULL);
    tamis_table_free(t);
}

static void stopped_runs_resume_to_the_same_result(void **state)
{
    tamis_context *cx = *state;
    tamis_table *t = made(cx, "add10", "30", "5");
    assert_above(stopped_and_resumed(cx, t, worded(cx, runs[2]), 60, 40), 1);
    tamis_table_free(t);
}

static void right_inputs_and_surface(void **state)
{
    tamis_context *cx = *state;
    tamis_table *t = made(cx, "add10", "100", "1");
    tamis_result *exact = chosen(cx, t, NULL, worded(cx, "method=lssvm select=forward exact")),
                 *fast = chosen(cx, t, NULL, worded(cx, "method=lssvm select=forward")),
                 *all = chosen(cx, t, NULL, worded(cx, "method=lssvm")),
                 *sparse = chosen(cx, t, NULL, worded(cx, "method=rrkrr select=forward pivot-tolerance=1e-3"));
    for (size_t i = 0; i < 10; i++)
        assert_true(exact->input[i].selected == (i < 5) && fast->input[i].selected == (i < 5) &&
                    sparse->input[i].selected == (i < 5) && all->input[i].selected);
    assert_close(fast->error, exact->error, 1e-12);
    assert_int_equal(exact->notes, 0);
    assert_true(fast->notes == 1 && strstr(fast->note[0], "--exact"));
    assert_true(all->steps == 1 && all->selected == 10 && all->error == all->all_inputs);
    assert_above(all->error, 1.5 * exact->error);
    assert_close(exact->all_inputs, all->all_inputs, 1e-12);
    assert_below(sparse->error, 1.2 * exact->error);
    assert_true(sparse->model->kind == &tamis_rrkrr_kind && ((struct tamis_rbf *)sparse->model->body)->centres < 90);
    char *text = result_text(cx, sparse);
    cut_notes(text);
    assert_non_null(strstr(text, "\"rrkrr\": {\"sigma2\": "));
    assert_null(strstr(text, "\"lssvm\": {"));
    assert_non_null(strstr(text, "\"surface\": {\"sigma2\": ["));
    tamis_release(text);
    tamis_result_free(exact), tamis_result_free(fast), tamis_result_free(all), tamis_result_free(sparse);
    tamis_table_free(t);
}

/* Three classes: rings in two of four inputs. */
static char *rings(size_t rows, uint64_t seed)
{
    static const char *const name[] = {"in", "mid", "out"};
    struct tamis_rng r;
    char *text = malloc(64 * rows + 64);
    tamis_rng_init(&r, seed, TAMIS_RNG_TEST, 0);
    strcpy(text, "a,b,c,d,ring\n");
    for (size_t i = 0; i < rows; i++) {
        size_t k = tamis_rng_below(&r, 3);
        double radius = 1 + (double)k + 0.15 * tamis_rng_normal(&r), angle = 6.283 * tamis_rng_uniform(&r);
        sprintf(text + strlen(text), "%.4f,%.4f,%.4f,%.4f,%s\n", tamis_rng_normal(&r), radius * cos(angle),
                radius * sin(angle), tamis_rng_normal(&r), name[k]);
    }
    return text;
}

static void classes_are_told_apart(void **state)
{
    static const char *const how[] = {"method=rrkrr candidates=90 select=forward", "method=lssvm select=forward",
                                      "method=lssvm select=forward criterion=loo-lssvm", "method=rrkrr select=forward"};
    tamis_context *cx = *state;
    char *text = rings(150, 1), *more = rings(200, 2);
    tamis_table *t = text_table(cx, text), *fresh = text_table(cx, more);
    for (size_t i = 0; i < 4; i++) {
        tamis_result *r = chosen(cx, t, NULL, worded(cx, how[i]));
        size_t wrong = 0;
        double b[200], score[600];
        assert_true(!r->input[0].selected && r->input[1].selected && r->input[2].selected && !r->input[3].selected);
        assert_below(r->error, 0.1);
        tamis_model *m = came_back(cx, r->model, fresh, b, score);
        for (size_t k = 0; k < 200; k++) {
            for (size_t c = 0; c < 3; c++) assert_at_least(score[k + 200 * (size_t)b[k]], score[k + 200 * c]);
            wrong += b[k] != fresh->column[4].value[k];
        }
        assert_below(wrong, 20);
        damage_is_refused(cx, m, 300);
        tamis_model_free(m), tamis_result_free(r);
    }
    tamis_table_free(t), tamis_table_free(fresh), free(text), free(more);
}

/* 49 classes: the cells of a grid in two of three inputs. */
static char *cells(size_t rows, uint64_t seed)
{
    struct tamis_rng r;
    char *text = malloc(64 * rows + 64);
    tamis_rng_init(&r, seed, TAMIS_RNG_TEST, 0);
    strcpy(text, "a,b,c,cell\n");
    for (size_t i = 0; i < rows; i++)
        sprintf(text + strlen(text), "%.4f,%.4f,%.4f,k%zu\n", (double)(i % 7) + 0.2 * tamis_rng_normal(&r),
                tamis_rng_normal(&r), (double)(i / 7 % 7) + 0.2 * tamis_rng_normal(&r), i % 49);
    return text;
}

/* From coarse to fine finds what the whole grid finds; the model is that of the parameters. */
static void many_classes_are_told_apart(void **state)
{
    static const char *const how[] = {"method=lssvm select=forward", "method=rrkrr select=forward",
                                      "method=rrkrr select=forward candidates=100"};
    tamis_context *cx = *state;
    char *text = cells(245, 1), *more = cells(98, 2);
    tamis_table *t = text_table(cx, text), *fresh = text_table(cx, more);
    for (size_t i = 0; i < 3; i++) {
        tamis_result *r = chosen(cx, t, NULL, worded(cx, how[i])), *exact = NULL;
        if (!i) exact = chosen(cx, t, NULL, worded(cx, "method=lssvm select=forward exact="));
        size_t wrong = 0;
        double b[98], score[98 * 49];
        assert_true(r->input[0].selected && !r->input[1].selected && r->input[2].selected);
        if (exact) assert_true(exact->input[0].selected && !exact->input[1].selected && exact->input[2].selected);
        if (exact) assert_below(r->error, exact->error + 0.03);
        tamis_model *m = came_back(cx, r->model, fresh, b, score);
        for (size_t k = 0; k < 98; k++) {
            const struct tamis_data_column *y = &fresh->column[3];
            wrong += strcmp(m->encoder->class_name[(size_t)b[k]], y->level[(size_t)y->value[k]]) != 0;
        }
        assert_below(wrong, 15);
        tamis_model_free(m), tamis_result_free(r), tamis_result_free(exact);
    }
    tamis_table_free(t), tamis_table_free(fresh), free(text), free(more);
}

static void every_search_takes_every_criterion(void **state)
{
    tamis_context *cx = *state;
    const struct tamis_criterion *all[] = {&tamis_cv_lssvm, &tamis_loo_lssvm, &tamis_cv_rrkrr};
    const struct tamis_search *s;
    for (size_t c = 0; c < 3; c++)
        for (size_t k = 0; (s = tamis_search_at(k)); k++) {
            struct bench b = bench_new(
                cx, all[c], (const char *const[][2]){{"sigma2", "1:100:6"}, {"gamma", "1:1e3:3"}, {NULL, NULL}});
            struct tamis_walk *r = tamis_walk_new(cx, b.d, all[c], b.scorer, s, b.o);
            assert_non_null(r);
            assert_int_equal(tamis_walk_drive(r, NULL, 0), TAMIS_OK);
            assert_true(tamis_walk_best(r) < r->moves);
            assert_below(r->move[tamis_walk_best(r)].score.value, 0.8);
            tamis_walk_free(r);
            bench_free(&b, all[c]);
        }
}

static void hard_tables_are_survived(void **state)
{
    static const char *const text[] = {
        HARD_NUMBERS, "x,z,y\n1,7,a\n2,7,b\n3,7,c\n4,9,d\n", /* one row per class */
        "x,z,y\n1,7,a\n2,7,b\n3,8,a\n4,9,a\n", /* one row of a class */
        "x,z,y\n1,1,a\n1,1,b\n1,1,a\n2,2,b\n2,2,b\n"}; /* equal rows of different classes */
    static const char *const method[] = {"method=lssvm",
                                         "method=lssvm select=forward",
                                         "method=rrkrr",
                                         "method=rrkrr select=forward",
                                         "method=lssvm select=forward criterion=loo-lssvm",
                                         "method=lssvm no-standardize",
                                         "method=rrkrr candidates=2"};
    tamis_context *cx = *state;
    for (size_t i = 0; i < sizeof text / sizeof *text; i++)
        for (size_t m = 0; m < sizeof method / sizeof *method; m++) {
            if (!i && m == 5) continue;
            tamis_table *t = text_table(cx, text[i]);
            tamis_result *r = chosen(cx, t, NULL, worded(cx, method[m]));
            assert_true(r->selected >= 1 && isfinite(r->error) && isfinite(r->all_inputs));
            tamis_result_free(r);
            tamis_table_free(t);
        }
}

static void bad_tables_get_a_sentence(void **state)
{
    static const struct { const char *text, *words; int status; const char *says;
    } bad[] = {
        {"x,y\n1,a\n2,a\n3,a\n4,a\n", "method=lssvm", TAMIS_DATA, "target 'y' has the same value"},
        {"x,y\n1,a\n2,a\n3,a\n4,a\n", "method=rrkrr select=forward", TAMIS_DATA, "target 'y' has the same value"},
        {"x,y\n1,5\n2,5\n3,5\n4,5\n", "method=lssvm", TAMIS_DATA, "target 'y' has the same value"},
        {"x,y\n3,5\n3,6\n3,7\n3,8\n", "method=rrkrr", TAMIS_DATA, "every input is constant"},
        {"x,y\n1,5\n2,6\n3,7\n4,9\n", "method=lssvm pivot-tolerance=1e-5", TAMIS_USAGE,
         "does not belong to method lssvm"},
        {"x,y\n1,5\n2,6\n3,7\n4,9\n", "method=lssvm centers=10", TAMIS_USAGE, "does not belong to method lssvm"},
        {"x,y\n1,5\n2,6\n3,7\n4,9\n", "method=lssvm gamma=1e-14:1e3", TAMIS_USAGE, "gamma"}};
    tamis_context *cx = *state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        refused(cx, bad[i].text, worded(cx, bad[i].words), bad[i].status, bad[i].says);
}

static void memory_is_refused_before_the_run(void **state)
{
    tamis_context *cx = *state;
    tamis_table *t = made(cx, "add10", "20000", "1");
    tamis_result *r = NULL;
    tamis_context_limits(cx, 2, 4e9);
    for (int m = 0; m < 2; m++) {
        tamis_options *o = worded(cx, m ? "method=rrkrr" : "method=lssvm");
        assert_int_equal(tamis_select(cx, t, NULL, o, &r), TAMIS_MEMORY);
        says(cx, "--candidates 1000");
        tamis_options_free(o);
    }
    tamis_table_free(t);
}

static void every_allocation_may_fail(void **state)
{
    static const char *const words[] = {"method=lssvm holdout=0.3 select=forward sigma2=1:100:5 gamma=1:10:2",
                                        "method=rrkrr holdout=0.3 select=forward sigma2=20 gamma=10", "method=rrkrr",
                                        "method=rrkrr select=forward candidates=6 sigma2=20 gamma=1:10:2"};
    tamis_context *cx = *state;
    tamis_table *t = made(cx, "add10", "12", "4");
    for (size_t i = 0; i < 4; i++) run_survives_failing_memory(cx, t, worded(cx, words[i]), 80, 5000);
    tamis_table_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(forward_path_is_the_known_one),
        TEST(reduced_fits_are_the_known_ones),
        TEST(same_bits_for_any_number_of_threads),
        TEST(stopped_runs_resume_to_the_same_result),
        TEST(right_inputs_and_surface),
        TEST(classes_are_told_apart),
        TEST(many_classes_are_told_apart),
        TEST(every_search_takes_every_criterion),
        TEST(hard_tables_are_survived),
        TEST(bad_tables_get_a_sentence),
        TEST(memory_is_refused_before_the_run),
        TEST(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
