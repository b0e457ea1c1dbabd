/* Nested validation, resamples, comparisons, rules, constraints: statistics against known values, folds against
 * their guarantees, failing memory. */
#include "base/rng.h"
#include "data/design.h"
#include "select/resample.h"
#include "num/agreement.h"
#include "unit.h"

/* ---- statistics ---- */

/* Nogueira's measure by its definition: 1 - mean sample variance over that of random sets. */
static double naive_agreement(unsigned char set[][6], size_t m, size_t d)
{
    double spread = 0, size = 0;
    for (size_t i = 0; i < d; i++) {
        double mean = 0, squares = 0;
        for (size_t k = 0; k < m; k++) mean += set[k][i] / (double)m;
        for (size_t k = 0; k < m; k++) squares += pow(set[k][i] - mean, 2);
        spread += squares / (double)(m - 1) / (double)d;
        size += mean;
    }
    return 1 - spread / (size / (double)d * (1 - size / (double)d));
}

static void agreement_is_its_definition(void **state)
{
    unsigned char set[5][6], *first[5];
    struct tamis_rng r;
    double low, high;
    (void)state;
    tamis_rng_init(&r, 5, TAMIS_RNG_TEST, 0);
    for (int k = 0; k < 5; k++) {
        first[k] = set[k];
        for (int i = 0; i < 6; i++) set[k][i] = (unsigned char)(tamis_rng_uniform(&r) < (i < 3 ? 0.8 : 0.2));
    }
    double got = tamis_agreement(5, 6, first, sizeof *first, &low, &high);
    assert_close(got, naive_agreement(set, 5, 6), 1e-12);
    assert_between(got, low, high);
    for (int k = 1; k < 5; k++) memcpy(set[k], set[0], 6);
    assert_close(tamis_agreement(5, 6, first, sizeof *first, &low, &high), 1, 1e-12);
    memset(set, 1, sizeof set);
    assert_true(isnan(tamis_agreement(5, 6, first, sizeof *first, &low, &high)));
}

/* The interval covers the value of very many sets in about 95 % of samples. */
static void agreement_interval_covers(void **state)
{
    enum { M = 50, D = 20, TRIES = 400 };
    static unsigned char set[M][D], *first[M];
    struct tamis_rng r;
    double p, spread = 0, mean = 0;
    int inside = 0;
    (void)state;
    for (int i = 0; i < D; i++) p = i < 5 ? 0.9 : 0.1, spread += p * (1 - p) / D, mean += p / D;
    double truth = 1 - spread / (mean * (1 - mean));
    for (int t = 0; t < TRIES; t++) {
        double low, high;
        tamis_rng_init(&r, 77, TAMIS_RNG_TEST, (uint32_t)t);
        for (int k = 0; k < M; k++) {
            first[k] = set[k];
            for (int i = 0; i < D; i++) set[k][i] = (unsigned char)(tamis_rng_uniform(&r) < (i < 5 ? 0.9 : 0.1));
        }
        tamis_agreement(M, D, first, sizeof *first, &low, &high);
        inside += low <= truth && truth <= high;
    }
    assert_between(inside, TRIES * 0.90, TRIES * 0.99);
}

static void student_is_known(void **state)
{
    (void)state;
    assert_close(tamis_student_two_sided(0, 4), 1, 1e-14);
    assert_close(tamis_student_two_sided(1, 1), 0.5, 1e-13);                            /* Cauchy */
    assert_close(tamis_student_two_sided(2, 2), 1 - 2 / sqrt(6), 1e-13);                /* 1 - t / sqrt(2 + t^2) */
    assert_close(tamis_student_two_sided(2.776445105197793, 4), 0.05, 1e-10);
    assert_close(tamis_student_two_sided(-1.9599639845400545, 1e7), 0.05, 1e-6);
    double none[4] = {0, 0, 0, 0}, some[5] = {0.1, 0.2, 0.15, 0.1, 0.25};
    assert_true(tamis_resampled_test(4, none, 0.25) == 1);
    double mean = 0.16, sd = sqrt((0.0036 + 0.0016 + 0.0001 + 0.0036 + 0.0081) / 4), t = mean / (sd * sqrt(0.2 + 0.25));
    assert_close(tamis_resampled_test(5, some, 0.25), tamis_student_two_sided(t, 4), 1e-12);
}

/* ---- folds ---- */

static void groups_stay_together(void **state)
{
    tamis_context *cx = *state;
    enum { N = 97, GROUPS = 12, K = 4 };
    size_t group[N], fold[N], row[N], of[GROUPS], size[K] = {0}, held = 0;
    for (size_t i = 0; i < N; i++) group[i] = i * i % GROUPS, row[i] = i;
    size_t seen = 0;
    for (size_t g = 0; g < GROUPS; g++) of[g] = SIZE_MAX;
    assert_int_equal(tamis_split_group_folds(cx, N, group, GROUPS, K, 3, fold), TAMIS_OK);
    for (size_t i = 0; i < N; i++) {
        if (of[group[i]] == SIZE_MAX) of[group[i]] = fold[i], seen++;
        assert_int_equal(of[group[i]], fold[i]);
        size[fold[i]]++;
    }
    for (size_t k = 0; k < K; k++) assert_true(seen < K || size[k] > 0);
    assert_int_equal(tamis_split_group_holdout(cx, row, N, group, GROUPS, 0.3, 3, &held), TAMIS_OK);
    assert_true(held > 0 && held < N);
    for (size_t i = 0; i < held; i++)
        for (size_t j = held; j < N; j++) assert_true(group[row[i]] != group[row[j]]);
    assert_int_equal(tamis_split_group_folds(cx, N, group, GROUPS, 13, 3, fold), TAMIS_USAGE);
}

static void folds_cover_every_row_once(void **state)
{
    tamis_context *cx = *state;
    tamis_table *t = made(cx, "add10", "50", "1");
    tamis_options *o = OPTIONS("method", "lars");
    struct tamis_run c = {.cx = cx, .data = t};
    assert_int_equal(tamis_run_prepare(&c, o), TAMIS_OK);
    struct tamis_resample *r = tamis_resample_folds(&c, 7, 2);
    assert_non_null(r);
    for (size_t repeat = 0; repeat < 2; repeat++) {
        size_t count[50] = {0};
        for (size_t k = 0; k < 7; k++) {
            const struct tamis_split *s = &r->split[repeat * 7 + k];
            assert_int_equal(s->learns + s->helds, 50);
            for (size_t i = 0; i < s->helds; i++) count[s->held[i]]++;
            for (size_t i = 0; i < s->helds; i++)
                for (size_t j = 0; j < s->learns; j++) assert_true(s->held[i] != s->learn[j]);
        }
        for (size_t i = 0; i < 50; i++) assert_int_equal(count[i], 1);
    }
    tamis_resample_free(r);
    tamis_run_finish(&c);
    tamis_options_free(o);
    tamis_table_free(t);
}

/* Restandardising part of a design equals standardising those rows of the table. */
static void parts_are_learnt_anew(void **state)
{
    tamis_context *cx = *state;
    tamis_table *t = made(cx, "friedman1", "40", "2");
    struct tamis_roles roles = {.force = -1};
    struct tamis_encoder *whole = tamis_encoder_new(cx, t, &roles), *direct = tamis_encoder_new(cx, t, &roles),
                         *again = NULL;
    size_t row[40], part[25];
    for (size_t i = 0; i < 40; i++) row[i] = i;
    for (size_t i = 0; i < 25; i++) part[i] = i * 8 % 40 + i / 5;
    struct tamis_design *d = tamis_design_learn(cx, whole, t, row, 40, 1),
                        *p = tamis_design_relearn(cx, d, part, 25, &again),
                        *q = tamis_design_learn(cx, direct, t, part, 25, 1);
    for (size_t k = 0; k < 25 * d->columns; k++) assert_close(p->x[k], q->x[k], 1e-12);
    for (size_t k = 0; k < 25; k++) assert_close(p->y[k], q->y[k], 1e-12);
    assert_close(again->target_scale, direct->target_scale, 1e-12 * direct->target_scale);
    tamis_design_free(d), tamis_design_free(p), tamis_design_free(q);
    tamis_encoder_free(whole), tamis_encoder_free(direct), tamis_encoder_free(again);
    tamis_table_free(t);
}

/* ---- rules and constraints ---- */

static void rules_find_the_inputs(void **state)
{
    tamis_context *cx = *state;
    const char *rule[] = {"se", "stable"};
    for (int k = 0; k < 2; k++) {
        tamis_table *t = made(cx, "friedman1", "200", "3");
        tamis_result *r = chosen(cx, t, NULL, OPTIONS("method", "sisal", "sigma2", "1:200:4", "select-rule", rule[k]));
        assert_int_equal(r->selected, 5);
        for (size_t i = 0; i < 10; i++) assert_int_equal(r->input[i].selected, i < 5);
        tamis_result_free(r);
        tamis_table_free(t);
    }
}

static void what_must_stay_stays(void **state)
{
    tamis_context *cx = *state;
    static const char *const how[] = {
        "method=sisal sigma2=20",        "method=forward sigma2=20",        "method=search search=forward-backward",
        "method=search search=backward", "method=search search=exhaustive", "method=search search=forward"};
    tamis_table *t = made(cx, "friedman1", "60", "4");
    for (size_t k = 0; k < sizeof how / sizeof *how; k++) {
        tamis_options *o = worded(cx, how[k]);
        assert_int_equal(tamis_options_set(o, "must", "x9,x4"), TAMIS_OK);
        tamis_result *r = chosen(cx, t, NULL, o);
        assert_true(r->input[8].selected && r->input[3].selected);
        tamis_result_free(r);
    }
    tamis_table_free(t);
}

static void bundles_move_together(void **state)
{
    tamis_context *cx = *state;
    const char *const search[] = {"forward", "backward", "forward-backward", "exhaustive"};
    tamis_table *t = made(cx, "friedman1", "80", "4");
    for (size_t k = 0; k < 4; k++) {
        tamis_result *r = chosen(cx, t, NULL,
                                 OPTIONS("method", "search", "search", search[k], "group-inputs", "x1,x9;x4,x5"));
        assert_int_equal(r->input[0].selected, r->input[8].selected);
        assert_int_equal(r->input[3].selected, r->input[4].selected);
        assert_true(r->input[3].selected);
        tamis_result_free(r);
    }
    tamis_table_free(t);
}

/* Groups of one input each change nothing. */
static void bundles_of_one_are_inputs(void **state)
{
    tamis_context *cx = *state;
    tamis_table *t = made(cx, "friedman1", "80", "4");
    tamis_result *r[2];
    for (int k = 0; k < 2; k++)
        r[k] = chosen(cx, t, NULL,
                      OPTIONS("method", "sisal", "sigma2", "1:100:3", k ? "group-inputs" : "seed", k ? "x3" : "1"));
    assert_int_equal(r[0]->steps, r[1]->steps);
    for (size_t k = 0; k < r[0]->steps; k++) {
        assert_int_equal(r[0]->path[k].changed, r[1]->path[k].changed);
        assert_true(r[0]->path[k].criterion == r[1]->path[k].criterion);
    }
    for (size_t i = 0; i < 10; i++)
        assert_true(r[0]->input[i].selected == r[1]->input[i].selected && r[0]->input[i].rank == r[1]->input[i].rank);
    tamis_result_free(r[0]);
    tamis_result_free(r[1]);
    tamis_table_free(t);
}

/* ---- runs ---- */

/* A run with every part that has trials. */
static const char *const everything[] = {"method", "search", "select-rule",  "stable", "rule-folds", "2",
                                         "outer",  "3",      "bootstrap",    "3",      "holdout",    "0.2",
                                         "must",   "x4",     "group-inputs", "x1,x2",  NULL};

static void same_bits_for_any_number_of_threads(void **state)
{
    tamis_context *cx = *state;
    tamis_table *t = made(cx, "friedman1", "60", "5");
    same_bits(cx, t, options(cx, everything), NULL);
    tamis_table_free(t);
}

/* A run leaves a checkpoint for each of its parts. */
static void every_part_has_its_checkpoint(void **state)
{
    static const char *const part[] = {"", ".outer", ".bootstrap"};
    tamis_context *cx = *state;
    tamis_table *t = made(cx, "friedman1", "60", "5");
    tamis_options *o = options(cx, everything);
    char path[64], name[128];
    snprintf(path, sizeof path, "/tmp/tamis-parts-%ld.ckpt", (long)getpid());
    tamis_options_set(o, "checkpoint", path);
    tamis_result_free(chosen(cx, t, NULL, o));
    for (int k = 0; k < 3; k++) {
        snprintf(name, sizeof name, "%s%s", path, part[k]);
        assert_int_equal(unlink(name), 0);
    }
    tamis_table_free(t);
}

/* Stopped every few calls of the cancel callback, then resumed: the same result. */
static void stopped_runs_resume_to_the_same_result(void **state)
{
    tamis_context *cx = *state;
    tamis_table *t = made(cx, "friedman1", "60", "5");
    tamis_options *o = options(cx, everything);
    tamis_context_limits(cx, 1, 0);
    assert_above(stopped_and_resumed(cx, t, o, 8, 4), 3);
    tamis_table_free(t);
}

static int compare_and_write(tamis_context *cx, void *what)
{
    const struct run *run = what;
    tamis_comparison *c = NULL;
    char *text = NULL;
    size_t n;
    int status = tamis_compare(cx, run->t, run->o, &c);
    if (!status) status = tamis_comparison_json(cx, c, &text, &n);
    tamis_release(text);
    tamis_comparison_free(c);
    return status;
}

static void comparisons_are_of_the_same_folds(void **state)
{
    tamis_context *cx = *state;
    tamis_table *t = made(cx, "friedman1", "80", "5");
    tamis_comparison *c = NULL;
    tamis_options *o = OPTIONS("methods", "lars,search,search:criterion=knn:max-inputs=3:search=forward", "outer", "4");
    assert_int_equal(tamis_compare(cx, t, o, &c), TAMIS_OK);
    tamis_result *r = chosen(cx, t, NULL, OPTIONS("method", "search", "outer", "4"));
    assert_int_equal(c->contenders, 3);
    assert_int_equal(c->differences, 3);
    assert_above(c->contender[1].summary.mean, 0);
    assert_above(r->nested, 0);
    assert_close(c->contender[1].summary.se, r->nested_se, 1e-12);
    assert_at_most(c->contender[2].summary.size_max, 3);
    for (size_t k = 0; k < c->differences; k++) {
        const struct tamis_difference *d = &c->difference[k];
        assert_at_most(c->contender[d->a].summary.mean, c->contender[d->b].summary.mean);
        assert_at_least(d->p, 0);
        assert_at_least(d->p_adjusted, d->p);
        assert_at_most(d->p_adjusted, 1);
    }
    tamis_comparison_free(c);
    tamis_result_free(r);
    tamis_options_free(o);
    tamis_table_free(t);
}

static void every_allocation_may_fail(void **state)
{
    tamis_context *cx = *state;
    tamis_table *t = made(cx, "friedman1", "14", "4");
    tamis_context_limits(cx, 1, 0);
    for (int what = 0; what < 2; what++) {
        tamis_options *o = what ? OPTIONS("methods", "lars,search", "outer", "2") : options(cx, everything);
        if (!what) tamis_options_set(o, "outer", "2"), tamis_options_set(o, "bootstrap", "2");
        struct run run = {t, o};
        for (long k = 1; failing(cx, k, what ? compare_and_write : select_and_write, &run); k += k < 300 ? 1 : 13)
            assert_below(k, 60000);
        tamis_options_free(o);
    }
    tamis_table_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(agreement_is_its_definition),
                                       TEST(agreement_interval_covers),
                                       TEST(student_is_known),
                                       TEST(groups_stay_together),
                                       TEST(folds_cover_every_row_once),
                                       TEST(parts_are_learnt_anew),
                                       TEST(rules_find_the_inputs),
                                       TEST(what_must_stay_stays),
                                       TEST(bundles_move_together),
                                       TEST(bundles_of_one_are_inputs),
                                       TEST(same_bits_for_any_number_of_threads),
                                       TEST(every_part_has_its_checkpoint),
                                       TEST(stopped_runs_resume_to_the_same_result),
                                       TEST(comparisons_are_of_the_same_folds),
                                       TEST(every_allocation_may_fail)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
