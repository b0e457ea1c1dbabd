/* Probabilities and intervals: measures against brute force, the calibrator against finite differences and its
 * optimality conditions, conformal ranks, what models keep and lose. */
#include <stdint.h>
#include "base/rng.h"
#include "io/model_file.h"
#include "model/model.h"
#include "num/calibrate.h"
#include "num/class_measures.h"
#include "num/conformal.h"
#include "select/losses.h"
#include "unit.h"

enum { N = 150, K = 3 };

struct world { double score[N * K], y[N], weight[N], p[N * K]; };

/* Scores that tell the classes apart by `skill`; tied now and then. */
static struct world world_make(uint64_t seed, double skill)
{
    struct world w;
    struct tamis_rng r;
    tamis_rng_init(&r, seed, TAMIS_RNG_TEST, 0);
    for (size_t i = 0; i < N; i++) {
        w.y[i] = floor(K * tamis_rng_uniform(&r));
        w.weight[i] = 0.5 + tamis_rng_uniform(&r);
        double sum = 0;
        for (size_t k = 0; k < K; k++) {
            w.score[i + N * k] = round(8 * (tamis_rng_normal(&r) / 2 + skill * (w.y[i] == (double)k))) / 8;
            sum += w.p[i + N * k] = exp(w.score[i + N * k]);
        }
        for (size_t k = 0; k < K; k++) w.p[i + N * k] /= sum;
    }
    return w;
}

/* ---- measures ---- */

static double auc_by_pairs(const struct tamis_rated *r, size_t class)
{
    double won = 0, all = 0;
    for (size_t i = 0; i < r->rows; i++)
        for (size_t j = 0; j < r->rows; j++) {
            if (r->class_of[i] != (double)class || r->class_of[j] == (double)class) continue;
            double a = r->p[i + r->rows * class], b = r->p[j + r->rows * class],
                   w = r->weight ? r->weight[i] * r->weight[j] : 1;
            won += w * (a > b ? 1 : a == b ? 0.5 : 0);
            all += w;
        }
    return won / all;
}

static void auc_counts_pairs(void **state)
{
    struct tamis_place place[N];
    (void)state;
    for (uint64_t seed = 0; seed < 5; seed++) {
        struct world w = world_make(seed, 0.3 * (double)seed);
        for (size_t i = 0; i < N * K; i++) w.p[i] = round(20 * w.p[i]) / 20;
        struct tamis_rated r = {N, K, w.p, w.y, seed % 2 ? w.weight : NULL};
        for (size_t c = 0; c < K; c++) assert_close(tamis_auc(&r, c, place), auc_by_pairs(&r, c), 1e-12);
        for (size_t i = 0; i < N * K; i++) w.p[i] = 0.25;
        assert_close(tamis_auc(&r, 0, place), 0.5, 1e-14);
        for (size_t i = 0; i < N; i++) w.y[i] = 1;
        assert_true(isnan(tamis_auc(&r, 0, place)) && isnan(tamis_auc(&r, 1, place)));
    }
}

/* Weights of 2 are rows that occur twice; a class past the last does not count. */
static void measures_are_means_over_rows(void **state)
{
    (void)state;
    struct world w = world_make(7, 0.6);
    double confusion[K * K], twice[K * K], log_loss = 0, brier = 0, right[K] = {0}, rows[K] = {0};
    for (size_t i = 0; i < N; i++) w.weight[i] = 2;
    struct tamis_rated r = {N, K, w.p, w.y, NULL}, heavy = {N, K, w.p, w.y, w.weight};
    struct tamis_class_measures m = tamis_class_measure(&r, confusion), h = tamis_class_measure(&heavy, twice);
    for (size_t i = 0; i < N; i++) {
        size_t y = (size_t)w.y[i];
        log_loss -= log(w.p[i + N * y]) / N;
        for (size_t k = 0; k < K; k++) brier += pow(w.p[i + N * k] - (k == y), 2) / N;
        right[y] += tamis_largest_class(w.p, N, K, i) == y;
        rows[y]++;
    }
    assert_relative(m.log_loss, log_loss, 1e-12);
    assert_relative(m.brier, brier, 1e-12);
    assert_relative(m.error, 1 - (right[0] + right[1] + right[2]) / N, 1e-12);
    assert_relative(m.balanced_accuracy, (right[0] / rows[0] + right[1] / rows[1] + right[2] / rows[2]) / K, 1e-12);
    assert_relative(h.log_loss, m.log_loss, 1e-12);
    for (size_t i = 0; i < K * K; i++) assert_close(twice[i], 2 * confusion[i], 1e-12);
    w.y[0] = K;
    assert_close(tamis_class_measure(&r, confusion).rows, N - 1, 1e-12);
}

/* Shares for every row: the entropy, and one less the sum of their squares. */
static void constants_have_known_scores(void **state)
{
    (void)state;
    struct world w = world_make(8, 0);
    double share[K] = {0}, confusion[K * K], entropy = 0, squares = 0;
    for (size_t i = 0; i < N; i++) share[(size_t)w.y[i]] += 1. / N;
    for (size_t i = 0; i < N * K; i++) w.p[i] = share[i / N];
    for (size_t k = 0; k < K; k++) entropy -= share[k] * log(share[k]), squares += share[k] * share[k];
    struct tamis_rated r = {N, K, w.p, w.y, NULL};
    struct tamis_class_measures m = tamis_class_measure(&r, confusion);
    assert_relative(m.log_loss, entropy, 1e-12);
    assert_relative(m.brier, 1 - squares, 1e-12);
    assert_relative(m.balanced_accuracy, 1. / K, 1e-12);
    struct tamis_tenth t[TAMIS_TENTHS];
    double all = 0;
    tamis_reliability(&r, t);
    for (size_t b = 0; b < TAMIS_TENTHS; b++) {
        all += t[b].rows;
        if (t[b].rows > 0) assert_close(t[b].mean, t[b].observed, 1e-12);
    }
    assert_close(all, N * K, 1e-9);
}

/* ---- calibration ---- */

static void gradient_is_that_of_differences(void **state)
{
    (void)state;
    struct world w = world_make(3, 0.7);
    double slope[2 * K] = {1.5, 0.7, 2.2, 0.3, 0, 0.9}, g[2 * K], other[2 * K], work[2000], own[2 * K];
    for (int weighted = 0; weighted < 2; weighted++) {
        struct tamis_scored s = {N, K, w.score, w.y, weighted ? w.weight : NULL};
        struct tamis_calibrator c = {.classes = K, .unit = 0.8, .floor = 0.01, .slope = own};
        tamis_calibrate_value(&s, &c, slope, g, work);
        for (size_t k = 0; k < 2 * K; k++) {
            double at = slope[k], h = 1e-5, up, down;
            slope[k] = at + h, up = tamis_calibrate_value(&s, &c, slope, other, work);
            slope[k] = at - h, down = tamis_calibrate_value(&s, &c, slope, other, work);
            slope[k] = at;
            assert_close(g[k], (up - down) / (2 * h), 1e-8);
        }
    }
}

/* At the minimum of a convex function: no slope within bounds, none downwards at a bound. */
static void minimum_is_optimal(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 6; seed++) {
        struct world w = world_make(20 + seed, 0.25 * (double)seed);
        double own[2 * K], g[2 * K], work[2000], value;
        struct tamis_scored s = {N, K, w.score, w.y, seed % 2 ? w.weight : NULL};
        struct tamis_calibrator c = {.classes = K, .slope = own};
        value = tamis_calibrate(&s, &c, work);
        assert_close(tamis_calibrate_value(&s, &c, own, g, work), value, 1e-12);
        for (size_t k = 0; k < 2 * K; k++) {
            int bound = own[k] <= (k < K ? 1e-3 : 0);
            if (bound) assert_above(g[k], -2e-5);
            else assert_close(g[k], 0, 2e-5);
        }
    }
}

static void probabilities_keep_the_winner(void **state)
{
    (void)state;
    struct world w = world_make(4, 0.5);
    double own[2 * K], work[2000], scores[6] = {1e200, -1e200, 3, 3, 0, 1e-300}, p[6];
    struct tamis_scored s = {N, K, w.score, w.y, NULL};
    struct tamis_calibrator c = {.classes = K, .slope = own};
    tamis_calibrate(&s, &c, work);
    tamis_calibrator_apply(&c, w.score, N, w.p);
    for (size_t i = 0; i < N; i++) {
        double sum = 0;
        for (size_t k = 0; k < K; k++) sum += w.p[i + N * k];
        assert_close(sum, 1, 1e-14);
        assert_true(tamis_largest_class(w.p, N, K, i) == tamis_largest_class(w.score, N, K, i));
    }
    tamis_calibrator_apply(&c, scores, 2, p);
    for (size_t i = 0; i < 6; i++) assert_true(p[i] > 0 && p[i] < 1);
}

/* Classes that scores separate, a class that does not occur, one class alone, no rows, equal scores. */
static void hard_scores_have_probabilities(void **state)
{
    (void)state;
    for (int which = 0; which < 5; which++) {
        struct world w = world_make(5, which == 0 ? 20 : 0.5);
        double own[2 * K], work[2000];
        struct tamis_scored s = {which == 3 ? 0 : N, K, w.score, w.y, NULL};
        struct tamis_calibrator c = {.classes = K, .slope = own};
        for (size_t i = 0; i < N; i++) {
            if (which == 1 && w.y[i] == 2) w.y[i] = 0;
            if (which == 2) w.y[i] = 1;
            for (size_t k = 0; k < K && which == 4; k++) w.score[i + N * k] = 0.25;
        }
        assert_true(isfinite(tamis_calibrate(&s, &c, work)));
        tamis_calibrator_apply(&c, w.score, N, w.p);
        for (size_t i = 0; i < N * K; i++) assert_true(w.p[i] > 0 && w.p[i] < 1);
        struct tamis_rated r = {N, K, w.p, w.y, NULL};
        if (which == 0) assert_below(tamis_class_measure(&r, work).log_loss, 0.02);
    }
}

/* Scores that are probabilities: left alone they stay what they are, but for the floor. */
static void probabilities_can_stay(void **state)
{
    (void)state;
    struct world w = world_make(6, 1);
    double own[2 * K], p[N * K];
    struct tamis_calibrator c = {.classes = K, .on_log = 1, .slope = own};
    tamis_calibrate_none(&c, 1e9);
    tamis_calibrator_apply(&c, w.p, N, p);
    for (size_t i = 0; i < N * K; i++) assert_close(p[i], w.p[i], 1e-8);
}

/* The better calibrated of two: rows from known probabilities, scores that exaggerate them. */
static void calibration_undoes_exaggeration(void **state)
{
    (void)state;
    enum { M = 3000 };
    double *score = malloc(2 * M * sizeof *score), *p = malloc(2 * M * sizeof *p), *y = malloc(M * sizeof *y),
           *truth = malloc(2 * M * sizeof *truth), own[4], work[2000];
    struct tamis_rng r;
    tamis_rng_init(&r, 11, TAMIS_RNG_TEST, 0);
    for (size_t i = 0; i < M; i++) {
        double x = tamis_rng_normal(&r), q = 1 / (1 + exp(-x));
        y[i] = tamis_rng_uniform(&r) < q;
        truth[i + M] = q, truth[i] = 1 - q;
        score[i + M] = 7 * x, score[i] = 0;
    }
    struct tamis_scored s = {M, 2, score, y, NULL};
    struct tamis_calibrator c = {.classes = 2, .slope = own};
    tamis_calibrate(&s, &c, work);
    tamis_calibrator_apply(&c, score, M, p);
    struct tamis_rated a = {M, 2, p, y, NULL}, b = {M, 2, truth, y, NULL};
    assert_close(tamis_class_measure(&a, work).log_loss, tamis_class_measure(&b, work).log_loss, 0.003);
    free(score), free(p), free(y), free(truth);
}

/* ---- losses ---- */

static void balanced_errors_have_their_mean(void **state)
{
    tamis_context *cx = *state;
    struct world w = world_make(9, 0.4);
    size_t fold[N];
    double loss[N], confusion[K * K];
    struct tamis_encoder e = {.classes = K};
    struct tamis_design d = {.encoder = &e, .rows = N, .y = w.y};
    struct tamis_run run = {.cx = cx, .encoder = &e};
    struct tamis_rated r = {N, K, w.score, w.y, NULL};
    const struct tamis_loss *balanced = tamis_loss_named(&run, "balanced-error", NULL),
                            *plain = tamis_loss_named(&run, "auto", "error");
    for (size_t i = 0; i < N; i++) fold[i] = i % 5;
    assert_int_equal(tamis_loss_rows(cx, balanced, &d, w.score, fold, 5, loss), TAMIS_OK);
    double mean = 0, wrong = 0;
    for (size_t i = 0; i < N; i++) mean += loss[i] / N;
    assert_close(mean, 1 - tamis_class_measure(&r, confusion).balanced_accuracy, 1e-12);
    assert_int_equal(tamis_loss_rows(cx, plain, &d, w.score, fold, 5, loss), TAMIS_OK);
    for (size_t i = 0; i < N; i++) wrong += loss[i] / N;
    assert_close(wrong, tamis_class_measure(&r, confusion).error, 1e-12);
}

/* The calibrator of a fold has not seen it: another class there changes nothing but that row's own loss. */
static void cross_calibration_does_not_see_the_fold(void **state)
{
    tamis_context *cx = *state;
    struct world w = world_make(10, 0.4);
    size_t fold[N];
    double before[N * K], after[N * K];
    struct tamis_encoder e = {.classes = K};
    struct tamis_design d = {.encoder = &e, .rows = N, .y = w.y};
    for (size_t i = 0; i < N; i++) fold[i] = i % 5;
    assert_int_equal(tamis_cross_calibrate(cx, &d, w.score, 0, fold, 5, before), TAMIS_OK);
    for (size_t i = 0; i < N; i += 5) w.y[i] = fmod(w.y[i] + 1, K);
    assert_int_equal(tamis_cross_calibrate(cx, &d, w.score, 0, fold, 5, after), TAMIS_OK);
    for (size_t i = 0; i < N * K; i++) assert_true(fold[i % N] ? before[i] != after[i] : before[i] == after[i]);
}

/* ---- intervals ---- */

static void intervals_are_order_statistics(void **state)
{
    (void)state;
    double point[99], lower, upper;
    struct tamis_place place[99];
    for (size_t i = 0; i < 99; i++) place[i] = (struct tamis_place){(double)((i * 37) % 99) + 1, i};
    assert_int_equal(tamis_residual_points(place, 99, NULL, 2000, point), 99);
    for (size_t i = 0; i < 99; i++) assert_close(point[i], (double)i + 1, 0);
    assert_true(tamis_interval_ends(point, 99, 0.9, &lower, &upper) && lower == 5 && upper == 95);
    assert_true(tamis_interval_ends(point, 99, 0.98, &lower, &upper) && lower == 1 && upper == 99);
    assert_false(tamis_interval_ends(point, 99, 0.985, &lower, &upper));
    assert_true(tamis_interval_ends(point, 99, 1e-6, &lower, &upper) && lower == 49 && upper == 51);
    assert_close(tamis_interval_rows(0.9), 19, 0);
    assert_close(tamis_interval_most(19), 0.9, 1e-12);
    assert_true(tamis_interval_ends(point, 19, 0.9, &lower, &upper) && lower == 1 && upper == 19);
}

/* Weights of 3 are rows that occur three times; few points lie among many. */
static void weighted_points_are_those_of_repeated_rows(void **state)
{
    (void)state;
    enum { ROWS = 200 };
    double *r = normal_numbers(ROWS, 3), weight[ROWS], few[50], many[50];
    struct tamis_place one[ROWS], three[3 * ROWS];
    size_t n = 0;
    for (size_t i = 0; i < ROWS; i++) {
        weight[i] = i % 2 ? 3 : 1;
        one[i] = (struct tamis_place){r[i], i};
        for (size_t k = 0; k < (size_t)weight[i]; k++) three[n++] = (struct tamis_place){r[i], i};
    }
    assert_int_equal(tamis_residual_points(one, ROWS, weight, 50, few), 50);
    assert_int_equal(tamis_residual_points(three, n, NULL, 50, many), 50);
    for (size_t j = 3; j < 47; j++) assert_close(few[j], many[j], 0.25);
    free(r);
}

/* ---- models ---- */

static tamis_result *of_classes(tamis_context *cx, tamis_table **t)
{
    struct tamis_text s = {.cx = cx};
    double *x = normal_numbers(160, 5);
    tamis_text_puts(&s, "a,b,y\n");
    for (size_t i = 0; i < 80; i++)
        tamis_text_printf(&s, "%.4f,%.4f,%s\n", x[i], x[i + 80], x[i] + 0.5 * sin(9 * x[i + 80]) > 0 ? "in" : "out");
    *t = text_table(cx, s.s);
    tamis_text_free(&s);
    free(x);
    return chosen(cx, *t, NULL, OPTIONS("method", "search", "criterion", "knn"));
}

static void models_keep_their_certainty(void **state)
{
    tamis_context *cx = *state;
    tamis_table *t = NULL;
    tamis_result *r = of_classes(cx, &t);
    double p[80], score[160];
    tamis_model *back = came_back(cx, r->model, t, p, score);
    assert_true(tamis_model_probabilities(back));
    for (size_t i = 0; i < 80; i++) assert_close(score[i] + score[i + 80], 1, 1e-14);
    char *text = NULL;
    size_t n = 0;
    assert_int_equal(tamis_model_json(cx, r->model, &text, &n), TAMIS_OK);
    tamis_model *again = NULL;
    double q[80], other[160];
    assert_int_equal(tamis_model_load_memory(cx, text, n, &again), TAMIS_OK);
    assert_int_equal(tamis_model_predict(cx, again, t, q, other), TAMIS_OK);
    assert_memory_equal(score, other, sizeof score);
    damage_is_refused(cx, r->model, 60);
    double lower, upper;
    assert_int_equal(tamis_model_interval(cx, r->model, 0.9, &lower, &upper), TAMIS_USAGE);
    says(cx, "classes");
    tamis_release(text);
    tamis_model_free(back), tamis_model_free(again), tamis_result_free(r), tamis_table_free(t);
}

/* A file of format 4 is one of format 5 without its last two counts; before format 6, knn had no count of weights. */
static void older_files_load(void **state)
{
    tamis_context *cx = *state;
    tamis_table *t = NULL;
    tamis_result *r = of_classes(cx, &t);
    double a[80], score[160], b[80], same[160];
    tamis_calibrator_free(r->model->calibrator);
    r->model->calibrator = NULL;
    tamis_model *old = as_older(cx, r->model, 4, "knn", 24);
    assert_false(tamis_model_probabilities(old));
    assert_int_equal(tamis_model_predict(cx, old, t, a, score), TAMIS_OK);
    assert_int_equal(tamis_model_predict(cx, r->model, t, b, same), TAMIS_OK);
    assert_memory_equal(score, same, sizeof score);
    tamis_model_free(old), tamis_result_free(r), tamis_table_free(t);
}

static void intervals_of_models(void **state)
{
    tamis_context *cx = *state;
    tamis_table *t = made(cx, "friedman1", "60", "2");
    tamis_result *r = chosen(cx, t, NULL, OPTIONS("method", "lars"));
    double *p = malloc(t->rows * sizeof *p), lower, upper, low, high;
    tamis_model *back = came_back(cx, r->model, t, p, NULL);
    assert_int_equal(tamis_model_interval(cx, r->model, 0.9, &lower, &upper), TAMIS_OK);
    assert_int_equal(tamis_model_interval(cx, back, 0.9, &low, &high), TAMIS_OK);
    assert_true(lower == low && upper == high && lower < 0 && upper > 0);
    assert_int_equal(tamis_model_interval(cx, r->model, 0.99, &low, &high), TAMIS_USAGE);
    says(cx, "needs 199 held-out rows, but the model has 60");
    assert_int_equal(tamis_model_interval(cx, r->model, 1, &low, &high), TAMIS_USAGE);
    const tamis_value *level = tamis_value_item(tamis_value_at(r->value, "intervals.levels"), 2);
    assert_close(tamis_value_number(level, "level"), 0.9, 0);
    assert_close(tamis_value_number(level, "lower"), lower, 1e-12);
    assert_between(tamis_value_number(level, "coverage"), 0.7, 1.0001);
    damage_is_refused(cx, r->model, 60);
    free(p), tamis_model_free(back), tamis_result_free(r), tamis_table_free(t);
}

/* ---- folds of a rare class; memory ---- */

static void rare_classes_are_in_every_fold(void **state)
{
    tamis_context *cx = *state;
    enum { ROWS = 400 };
    double y[ROWS];
    size_t fold[ROWS], count[5] = {0};
    struct tamis_encoder e = {.classes = 2};
    struct tamis_design d = {.encoder = &e, .rows = ROWS, .y = y};
    for (size_t i = 0; i < ROWS; i++) y[i] = i < 12;
    for (uint64_t seed = 0; seed < 20; seed++) {
        assert_int_equal(tamis_design_folds(cx, &d, 5, seed, fold), TAMIS_OK);
        memset(count, 0, sizeof count);
        for (size_t i = 0; i < 12; i++) count[fold[i]]++;
        for (size_t k = 0; k < 5; k++) assert_true(count[k] >= 2 && count[k] <= 3);
    }
}

static void memory_may_fail(void **state)
{
    tamis_context *cx = *state;
    static const char *const words[] = {"method=search criterion=knn", "method=lars",
                                        "method=search criterion=knn select-rule=se loss=log-loss max-inputs=2"};
    for (size_t k = 0; k < 3; k++) {
        tamis_table *t = NULL, *c = NULL;
        tamis_result *r = of_classes(cx, &c);
        tamis_result_free(r);
        if (k == 1) t = made(cx, "friedman1", "30", "2");
        tamis_options *o = worded(cx, words[k]);
        struct run run = {t ? t : c, o};
        assert_true(allocations_fail(cx, select_and_write, &run, 150) > 50);
        tamis_options_free(o), tamis_table_free(t), tamis_table_free(c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(auc_counts_pairs), TEST(measures_are_means_over_rows), TEST(constants_have_known_scores),
        TEST(gradient_is_that_of_differences), TEST(minimum_is_optimal), TEST(probabilities_keep_the_winner),
        TEST(hard_scores_have_probabilities), TEST(probabilities_can_stay), TEST(calibration_undoes_exaggeration),
        TEST(balanced_errors_have_their_mean), TEST(cross_calibration_does_not_see_the_fold),
        TEST(intervals_are_order_statistics), TEST(weighted_points_are_those_of_repeated_rows),
        TEST(models_keep_their_certainty), TEST(older_files_load), TEST(intervals_of_models),
        TEST(rare_classes_are_in_every_fold), TEST_ONE_THREAD(memory_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
