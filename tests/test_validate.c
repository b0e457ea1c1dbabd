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
    struct tamis_grouping s = {N, group, GROUPS};
    assert_int_equal(tamis_split_group_folds(cx, &s, K, 3, fold), TAMIS_OK);
    for (size_t i = 0; i < N; i++) {
        if (of[group[i]] == SIZE_MAX) of[group[i]] = fold[i], seen++;
        assert_int_equal(of[group[i]], fold[i]);
        size[fold[i]]++;
    }
    for (size_t k = 0; k < K; k++) assert_true(seen < K || size[k] > 0);
    assert_int_equal(tamis_split_group_holdout(cx, &s, row, 0.3, 3, &held), TAMIS_OK);
    assert_true(held > 0 && held < N);
    for (size_t i = 0; i < held; i++)
        for (size_t j = held; j < N; j++) assert_true(group[row[i]] != group[row[j]]);
    assert_int_equal(tamis_split_group_folds(cx, &s, 13, 3, fold), TAMIS_USAGE);
}

/* The largest difference between folds in rows, and in rows of any one class. */
static size_t unevenness(size_t n, const size_t *fold, size_t folds, const double *class_of, size_t classes)
{
    size_t most = 0;
    for (size_t c = 0; c <= classes; c++) {
        size_t low = n, high = 0;
        for (size_t f = 0; f < folds; f++) {
            size_t count = 0;
            for (size_t i = 0; i < n; i++) count += fold[i] == f && (c == classes || class_of[i] == (double)c);
            if (count < low) low = count;
            if (count > high) high = count;
        }
        if (high - low > most) most = high - low;
    }
    return most;
}

static void assert_together(size_t n, const size_t *group, const size_t *fold)
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++) assert_true(group[i] != group[j] || fold[i] == fold[j]);
}

/* Nearly all groups have one row, and a few have several: rows and classes are spread as evenly as single rows. */
static void groups_are_stratified(void **state)
{
    tamis_context *cx = *state;
    enum { N = 151, CLASSES = 3, GROUPS = N - 9 };
    size_t group[N], fold[N], again[N], row[N], held = 0, of_class[CLASSES] = {0}, out[CLASSES] = {0};
    double class_of[N];
    for (size_t i = 0; i < N; i++) {
        group[i] = i < 12 ? i / 4 : i - 9;                      /* three groups of four */
        class_of[i] = i < 12 ? (double)(i / 4) : (double)(i * i % 7 % CLASSES);
        of_class[(size_t)class_of[i]]++;
        row[i] = i;
    }
    struct tamis_grouping s = {N, group, GROUPS, class_of, CLASSES, NULL};
    for (size_t folds = 2; folds < 30; folds += 3) {
        assert_int_equal(tamis_split_group_folds(cx, &s, folds, 5, fold), TAMIS_OK);
        assert_together(N, group, fold);
        assert_at_most(unevenness(N, fold, folds, class_of, CLASSES), folds < 8 ? 1 : 4);
        assert_int_equal(tamis_split_group_folds(cx, &s, folds, 5, again), TAMIS_OK);
        assert_memory_equal(fold, again, sizeof fold);
    }
    assert_int_equal(tamis_split_group_folds(cx, &s, 5, 5, fold), TAMIS_OK);
    assert_int_equal(tamis_split_group_folds(cx, &s, 5, 6, again), TAMIS_OK);
    assert_memory_not_equal(fold, again, sizeof fold);
    assert_int_equal(tamis_split_group_holdout(cx, &s, row, 0.3, 5, &held), TAMIS_OK);
    for (size_t i = 0; i < held; i++) out[(size_t)class_of[row[i]]]++;
    for (size_t c = 0; c < CLASSES; c++) assert_close((double)out[c], 0.3 * (double)of_class[c], 2.5);
    for (size_t i = 0; i < held; i++)
        for (size_t j = held; j < N; j++) assert_true(group[row[i]] != group[row[j]]);
}

/* Groups of several classes stay whole, and the others make up for them. */
static void mixed_groups_count_for_their_classes(void **state)
{
    tamis_context *cx = *state;
    enum { N = 120, CLASSES = 2, GROUPS = 4 + 100, K = 4 };
    size_t group[N], fold[N], row[N], held = 0;
    double class_of[N];
    for (size_t i = 0; i < N; i++) {
        group[i] = i < 20 ? i / 5 : i - 16;
        class_of[i] = i < 20 ? (double)(i % 5 < i / 5) : (double)(i % 2);
        row[i] = i;
    }
    struct tamis_grouping s = {N, group, GROUPS, class_of, CLASSES, NULL};
    assert_int_equal(tamis_split_group_folds(cx, &s, K, 9, fold), TAMIS_OK);
    assert_together(N, group, fold);
    assert_at_most(unevenness(N, fold, K, class_of, CLASSES), 1);
    assert_int_equal(tamis_split_group_holdout(cx, &s, row, 0.25, 5, &held), TAMIS_OK);
    assert_between((double)held, 24, 36);
}

/* ---- equal rows ---- */

/* Every row is on its own at first, or in the group that `group` says; returns the number of groups in the end. */
static size_t joined_groups(tamis_context *cx, const char *text, size_t *group, size_t groups, size_t *repeated)
{
    tamis_table *t = text_table(cx, text);
    struct tamis_roles roles = {.force = -1};
    struct tamis_encoder *e = tamis_encoder_new(cx, t, &roles);
    size_t row[64];
    for (size_t i = 0; i < t->rows; i++) row[i] = i, group[i] = groups ? group[i] : i;
    size_t count = groups ? groups : t->rows;
    assert_int_equal(tamis_groups_join_equal(cx, e, t, row, t->rows, group, &count, repeated), TAMIS_OK);
    tamis_encoder_free(e);
    tamis_table_free(t);
    return count;
}

/* Rows 0, 3 and 10 are equal, and rows 2 and 5; row 6 has another target than row 0. */
#define COPIES \
    "a,b,c,d,y\n" \
    "1.5,x,10.25,20.5,3\n2.5,y,17.25,19.5,4\n-0,z,13.25,18.5,5\n1.5,x,10.25,20.5,3\n" \
    "3.5,x,16.25,16.5,6\n0,z,13.25,18.5,5\n1.5,x,19.25,14.5,7\n4.5,y,15.25,13.5,8\n" \
    "5.5,y,11.25,12.5,9\n6.5,x,18.25,11.5,1.5\n1.5,x,10.25,20.5,3\n"

static void equal_rows_are_found(void **state)
{
    tamis_context *cx = *state;
    size_t group[64], repeated;
    assert_int_equal(joined_groups(cx, COPIES, group, 0, &repeated), 8);
    assert_int_equal(repeated, 3);
    const size_t expected[] = {0, 1, 2, 0, 3, 2, 4, 5, 6, 7, 0};
    assert_memory_equal(group, expected, sizeof expected);
    assert_int_equal(joined_groups(cx, "a,y\n1,2\n", group, 0, &repeated), 1);
    assert_int_equal(repeated, 0);
    const char *missing = "a,b,c,y\n1,,6,2\n1,,6,2\n3,4,7,5\n4,4,8,6\n5,4,9,7\n6,7,1,8\n7,1,2,9\n8,3,3,1\n9,2,4,3\n";
    assert_int_equal(joined_groups(cx, missing, group, 0, &repeated), 8);       /* missing values are equal */
}

/* Groups that contain equal rows become one, and so do those that a chain of equal rows connects. */
static void equal_rows_join_groups(void **state)
{
    tamis_context *cx = *state;
    size_t group[64] = {0, 1, 2, 3, 1, 4, 5, 5, 6, 6, 2}, repeated;
    assert_int_equal(joined_groups(cx, COPIES, group, 7, &repeated), 4);
    const size_t expected[] = {0, 1, 0, 0, 1, 0, 2, 2, 3, 3, 0};
    assert_memory_equal(group, expected, sizeof expected);
}

/* Rows of a few columns with two values each repeat by chance, and stay on their own; so do rows that are all equal. */
static void chance_makes_no_groups(void **state)
{
    tamis_context *cx = *state;
    struct tamis_text text = {.cx = cx};
    struct tamis_rng r;
    size_t group[64], repeated;
    tamis_rng_init(&r, 4, TAMIS_RNG_TEST, 0);
    tamis_text_puts(&text, "a,b,c,y\n");
    for (int i = 0; i < 60; i++)
        tamis_text_printf(&text, "%zu,%zu,%zu,%zu\n", tamis_rng_below(&r, 2), tamis_rng_below(&r, 2),
                          tamis_rng_below(&r, 2), tamis_rng_below(&r, 2));
    assert_int_equal(joined_groups(cx, text.s, group, 0, &repeated), 60);
    assert_above((double)repeated, 40);
    tamis_text_free(&text);
    assert_int_equal(joined_groups(cx, "a,y\n1,2\n1,2\n1,2\n1,2\n", group, 0, &repeated), 4);
    assert_int_equal(repeated, 3);
}

/* Every row of friedman1 `times` times, in turn. */
static tamis_table *copied(tamis_context *cx, const char *rows, size_t times)
{
    tamis_table *t = made(cx, "friedman1", rows, "3");
    double *x = malloc(t->rows * times * t->columns * sizeof *x);
    for (size_t j = 0; j < t->columns; j++)
        for (size_t i = 0; i < t->rows * times; i++) x[i + t->rows * times * j] = t->column[j].value[i % t->rows];
    tamis_table *both = joined(cx, t->rows * times, t->columns - 1, x, x + t->rows * times * (t->columns - 1));
    tamis_table_free(t);
    free(x);
    return both;
}

/* No copy is on the other side of an outer fold, a resample, or a hold-out. */
static void copies_stay_on_one_side(void **state)
{
    tamis_context *cx = *state;
    tamis_table *t = copied(cx, "40", 3);
    tamis_options *o = OPTIONS("method", "lars", "holdout", "0.25");
    struct tamis_run c = {.cx = cx, .data = t};
    assert_int_equal(tamis_run_prepare(&c, o), TAMIS_OK);
    assert_int_equal(c.rows, 90);
    assert_int_equal(c.repeated, 60);
    assert_int_equal(c.design->rows, 30);
    for (size_t i = 0; i < 30; i++) assert_true(tamis_row_weight(c.design, i) == 3);
    for (size_t i = 0; i < c.rows; i++)
        for (size_t j = 0; j < c.rows; j++)
            assert_int_equal(c.row[i] % 40 == c.row[j] % 40, c.place[i] == c.place[j]);
    for (int k = 0; k < 2; k++) {
        struct tamis_resample *r = k ? tamis_resample_bootstrap(&c, 5) : tamis_resample_folds(&c, 5, 2);
        for (size_t s = 0; s < r->trials; s++)
            for (size_t i = 0; i < r->split[s].helds; i++)
                for (size_t j = 0; j < r->split[s].learns; j++)
                    assert_true(r->split[s].held[i] % 40 != r->split[s].learn[j] % 40);
        tamis_resample_free(r);
    }
    tamis_run_finish(&c);
    tamis_options_free(o);
    tamis_table_free(t);
}

/* Parts of a design have the groups of their rows, without gaps. */
static void parts_keep_their_groups(void **state)
{
    tamis_context *cx = *state;
    tamis_table *t = copied(cx, "20", 2);
    tamis_options *o = OPTIONS("method", "lars");
    struct tamis_run c = {.cx = cx, .data = t};
    struct tamis_encoder *e = NULL;
    size_t row[] = {3, 2, 7, 8, 9, 11, 19};
    assert_int_equal(tamis_run_prepare(&c, o), TAMIS_OK);
    c.design->group = tamis_raw(cx, size_t, 20);
    c.design->groups = 10;
    for (size_t i = 0; i < 20; i++) c.design->group[i] = i / 2;
    struct tamis_design *p = tamis_design_relearn(cx, c.design, row, 7, &e);
    const size_t expected[] = {0, 0, 1, 2, 2, 3, 4};
    assert_int_equal(p->groups, 5);
    assert_memory_equal(p->group, expected, sizeof expected);
    assert_int_equal(tamis_design_fold_count(cx, p, 6), 5);
    for (size_t i = 0; i < 7; i++) assert_true(p->weight[i] == 2);
    tamis_design_free(p);
    tamis_encoder_free(e);
    tamis_run_finish(&c);
    tamis_options_free(o);
    tamis_table_free(t);
}

/* Fewer different rows than folds: every method cross-validates with fewer folds. */
static void few_different_rows_make_few_folds(void **state)
{
    tamis_context *cx = *state;
    static const char *const how[] = {"method=lars",
                                      "method=lssvm sigma2=5:20:2 gamma=1:10:2",
                                      "method=sparse-rbf r=2:4:2 t=0.1:1:2",
                                      "method=sift",
                                      "method=sisal sigma2=20 select-rule=se rule-folds=10",
                                      "method=search outer=9"};
    tamis_table *t = copied(cx, "6", 5);
    for (size_t k = 0; k < sizeof how / sizeof *how; k++) {
        tamis_result *r = chosen(cx, t, NULL, worded(cx, how[k]));
        char *text = result_text(cx, r);
        assert_non_null(strstr(text, "24 rows repeat an earlier row exactly; equal rows stay in the same fold"));
        assert_non_null(strstr(text, "\"repeated_rows\": 24"));
        if (!strstr(how[k], "sift")) assert_non_null(strstr(text, "6 folds instead of"));
        if (k == 5) assert_int_equal(r->outer_folds, 6);
        tamis_release(text);
        tamis_result_free(r);
    }
    tamis_table_free(t);
}

/* The order of the rows decides: equal rows form no groups. */
static void ordered_rows_form_no_groups(void **state)
{
    tamis_context *cx = *state;
    tamis_table *t = copied(cx, "30", 2);
    for (int k = 0; k < 2; k++) {
        tamis_options *o = k ? OPTIONS("method", "lars", "lags", "1:2") : OPTIONS("method", "lars", "blocks", "yes");
        struct tamis_run c = {.cx = cx, .data = t};
        assert_int_equal(tamis_run_prepare(&c, o), TAMIS_OK);
        assert_true(!c.design->group && c.design->blocks);
        tamis_run_finish(&c);
        tamis_options_free(o);
    }
    tamis_table_free(t);
}

static void tables_of_equal_rows_have_a_sentence(void **state)
{
    tamis_context *cx = *state;
    refused(cx, "a,b,y\n1,2,3\n1,2,3\n1,2,3\n1,2,3\n", OPTIONS("method", "lars"), TAMIS_DATA, "nothing to predict");
    refused(cx, "a,b,y\n1,2,3\n1,2,3\n1,2,3\n1,2,3\n1,2,3\n", OPTIONS("method", "lars", "holdout", "0.3"), TAMIS_DATA,
            "nothing to predict");
    refused(cx, "a,b,y\n1,2,3\n", OPTIONS("method", "lars"), TAMIS_DATA, "at least 3");
}

static void copies_survive_failing_memory(void **state)
{
    tamis_context *cx = *state;
    tamis_table *t = copied(cx, "9", 2);
    run_survives_failing_memory(
        cx, t, worded(cx, "method=lssvm sigma2=5 gamma=3 holdout=0.3 outer=3 select-rule=se rule-folds=2"), 100, 60000);
    tamis_table_free(t);
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

/* ---- the number of inputs ---- */

static size_t size_of(tamis_context *cx, const tamis_table *t, tamis_options *o, size_t most)
{
    char k[8];
    snprintf(k, sizeof k, "%zu", most);
    assert_int_equal(tamis_options_set(o, "max-inputs", k), TAMIS_OK);
    tamis_result *r = chosen(cx, t, NULL, o);
    size_t n = r->selected;
    tamis_result_free(r);
    return n;
}

/* Most of these would select more than four inputs. */
static void no_search_exceeds_the_number_of_inputs(void **state)
{
    tamis_context *cx = *state;
    static const char *const how[] = {"method=search select-rule=se rule-folds=3",
                                      "method=search select-rule=stable rule-folds=3 search=backward",
                                      "method=search search=forward-backward criterion=press",
                                      "method=search search=forward-backward start=full criterion=press",
                                      "method=search search=forward start=full restarts=2 criterion=press",
                                      "method=search search=backward criterion=press",
                                      "method=search search=exhaustive criterion=press",
                                      "method=search scaling start=full",
                                      "method=sisal sigma2=20",
                                      "method=sisal sigma2=20 select-rule=se rule-folds=3",
                                      "method=forward sigma2=20 must=x8,x9",
                                      "method=opelm max-neurons=10",
                                      "method=lssvm select=forward sigma2=20 gamma=10"};
    tamis_table *t = made(cx, "friedman1", "60", "4");
    size_t beyond = 0;
    for (size_t k = 0; k < sizeof how / sizeof *how; k++) {
        for (size_t most = 2; most < 5; most++) assert_at_most(size_of(cx, t, worded(cx, how[k]), most), most);
        beyond += size_of(cx, t, worded(cx, how[k]), 10) > 4;
    }
    assert_at_least(beyond, 8);
    tamis_table_free(t);
}

/* The exhaustive search under the limit finds the best of all sets that are small enough. */
static void the_best_small_set_is_found(void **state)
{
    tamis_context *cx = *state;
    tamis_table *t = made(cx, "friedman1", "60", "4");
    double last = INFINITY;
    for (const char *most = "1"; *most < '4'; most = *most == '1' ? "2" : *most == '2' ? "3" : "4") {
        double best = INFINITY;
        for (unsigned bits = 1; bits < 1u << 10; bits++) {
            char names[64] = "";
            if (__builtin_popcount(bits) != *most - '0') continue;
            for (int i = 0; i < 10; i++)
                if (bits >> i & 1) snprintf(names + strlen(names), 8, "%sx%d", *names ? "," : "", i + 1);
            tamis_result *r = chosen(cx, t, NULL, OPTIONS("method", "search", "criterion", "press", "search",
                                                          "exhaustive", "inputs", names, "must", names));
            best = fmin(best, r->error);
            tamis_result_free(r);
        }
        tamis_result *r = chosen(cx, t, NULL, OPTIONS("method", "search", "criterion", "press", "search", "exhaustive",
                                                      "max-inputs", most));
        assert_relative(r->error, fmin(best, last), 1e-9);
        last = fmin(best, last);
        tamis_result_free(r);
    }
    tamis_table_free(t);
}

/* Inputs of a group count one by one, with every search and with a budget. */
static void groups_of_inputs_count_one_by_one(void **state)
{
    tamis_context *cx = *state;
    const char *const search[] = {"forward", "backward", "forward-backward", "exhaustive"};
    char path[64];
    snprintf(path, sizeof path, "/tmp/tamis-cost-%ld.csv", (long)getpid());
    FILE *f = fopen(path, "w");
    fputs("input,cost\nx1,1\nx2,1\nx3,1\nx4,3\nx5,1\nx6,1\nx7,1\nx8,1\nx9,1\nx10,1\n", f);
    fclose(f);
    tamis_table *t = made(cx, "friedman1", "80", "4");
    for (size_t k = 0; k < 8; k++) {
        tamis_options *o = OPTIONS("method", "search", "criterion", "press", "search", search[k % 4], "group-inputs",
                                   "x1,x2;x4,x5;x7,x8,x9,x10", "max-inputs", "3");
        if (k > 3) tamis_options_set(o, "cost", path), tamis_options_set(o, "budget", "5");
        tamis_result *r = chosen(cx, t, NULL, o);
        assert_between((double)r->selected, 1, 4);
        assert_int_equal(r->input[0].selected, r->input[1].selected);
        assert_int_equal(r->input[3].selected, r->input[4].selected);
        for (size_t i = 6; i < 10; i++) assert_int_equal(r->input[i].selected, 0);      /* four inputs never fit */
        tamis_result_free(r);
    }
    unlink(path);
    tamis_table_free(t);
}

static void too_few_inputs_are_refused(void **state)
{
    tamis_context *cx = *state;
    const char *text = "a,b,c,y\n1,2,3,4\n2,1,5,3\n3,4,1,6\n5,3,2,7\n4,5,6,1\n7,6,4,2\n";
    refused(cx, text, worded(cx, "method=search max-inputs=1 must=a,b"), TAMIS_USAGE, "--must keeps 2 inputs");
    refused(cx, text, worded(cx, "method=search max-inputs=2 must=a group-inputs=a,b,c"), TAMIS_USAGE,
            "--must keeps 3 inputs");
    refused(cx, text, worded(cx, "method=lssvm max-inputs=2"), TAMIS_USAGE, "keeps all 3 inputs");
    refused(cx, text, worded(cx, "method=sisal sigma2=5 max-inputs=2 group-inputs=a,b,c"), TAMIS_USAGE,
            "every set on the path has more inputs");
    option_refused(cx, text, worded(cx, "method=search"), "max-inputs", "0", TAMIS_USAGE, "max-inputs");
}

/* ---- runs ---- */

/* A run with every part that has trials. */
static const char *const everything[] = {"method", "search", "select-rule",  "stable", "rule-folds", "2",
                                         "outer",  "3",      "bootstrap",    "3",      "holdout",    "0.2",
                                         "must",   "x4",     "group-inputs", "x1,x2",  "max-inputs", "4",
                                         NULL};

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
        assert_above(allocations_fail(cx, what ? compare_and_write : select_and_write, &run, 300), 500);
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
                                       TEST(groups_are_stratified),
                                       TEST(mixed_groups_count_for_their_classes),
                                       TEST(equal_rows_are_found),
                                       TEST(equal_rows_join_groups),
                                       TEST(chance_makes_no_groups),
                                       TEST(copies_stay_on_one_side),
                                       TEST(parts_keep_their_groups),
                                       TEST(few_different_rows_make_few_folds),
                                       TEST(ordered_rows_form_no_groups),
                                       TEST(tables_of_equal_rows_have_a_sentence),
                                       TEST_ONE_THREAD(copies_survive_failing_memory),
                                       TEST(folds_cover_every_row_once),
                                       TEST(parts_are_learnt_anew),
                                       TEST(rules_find_the_inputs),
                                       TEST(what_must_stay_stays),
                                       TEST(bundles_move_together),
                                       TEST(bundles_of_one_are_inputs),
                                       TEST(no_search_exceeds_the_number_of_inputs),
                                       TEST(the_best_small_set_is_found),
                                       TEST(groups_of_inputs_count_one_by_one),
                                       TEST(too_few_inputs_are_refused),
                                       TEST(same_bits_for_any_number_of_threads),
                                       TEST(every_part_has_its_checkpoint),
                                       TEST(stopped_runs_resume_to_the_same_result),
                                       TEST(comparisons_are_of_the_same_folds),
                                       TEST(every_allocation_may_fail)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
