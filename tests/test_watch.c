/* A stop that is heard within numbers: at any question of any method the run ends with TAMIS_STOPPED, leaves nothing
 * behind but its checkpoint, and goes on from there to the same result. The questions are counted, and everything here
 * happens at the k-th; no clock has a say. */
#include "base/watch.h"
#include "num/lapack.h"
#include "unit.h"

/* ---- the k-th question ---- */

struct count { long asked, stop_at; };          /* stop_at 0: never */

static int answer(void *user)
{
    struct count *c = user;
    return ++c->asked == c->stop_at;            /* one yes is enough */
}

static int run(tamis_context *cx, const tamis_table *t, const tamis_options *o, struct count *c, tamis_result **r)
{
    tamis_context_on_cancel(cx, answer, c);
    tamis_watch_set(cx, TAMIS_WATCH_ALWAYS);
    int status = tamis_select(cx, t, NULL, o, r);
    tamis_watch_set(cx, TAMIS_WATCH_CLOCK);
    tamis_context_on_cancel(cx, NULL, NULL);
    return status;
}

static long questions(tamis_context *cx, const tamis_table *t, const tamis_options *o, const char *words)
{
    struct count c = {0, 0};
    tamis_result *r = NULL;
    if (run(cx, t, o, &c, &r)) fail_msg("%s: %s", words, tamis_error(cx));
    tamis_result_free(r);
    return c.asked;
}

static void stop_at(tamis_context *cx, const tamis_table *t, const tamis_options *o, const char *words, long k)
{
    struct count c = {0, k};
    tamis_result *r = NULL;
    int status = run(cx, t, o, &c, &r);
    if (status != TAMIS_STOPPED || r || strcmp(tamis_error(cx), "stopped on request"))
        fail_msg("%s, stopped at question %ld: status %d, '%s'", words, k, status, tamis_error(cx));
}

/* ---- every method ---- */

/* The table, then options. */
static const char *const runs[][2] = {
    {"friedman1", "method=sift"}, {"friedman1", "method=sisal sigma2=1:500:4"},
    {"friedman1", "method=sisal sigma2=1:500:3 centers=20"}, {"friedman1", "method=forward sigma2=1:500:3"},
    {"friedman1", "method=lssvm sigma2=1:100:3"}, {"friedman1", "method=rrkrr sigma2=1:100:3"},
    {"friedman1", "method=lars"}, {"friedman1", "method=opelm"}, {"friedman1", "method=sparse-rbf r=20 t=.1:.5:2"},
    {"friedman1", "method=search criterion=delta scaling"}, {"friedman1", "method=search criterion=gamma-test"},
    {"friedman1", "method=search criterion=mi"}, {"friedman1", "method=search criterion=knn"},
    {"friedman1", "method=search criterion=press"}, {"friedman1", "method=search criterion=mrmr"},
    {"friedman1", "method=search criterion=jmi"}, {"friedman1", "method=knockoffs fdr=.5 fdr-draws=2"},
    {"friedman1", "method=lars test-inputs=x1 test-draws=60"}, {"friedman1", "method=lars outer=3 importance=drop"},
    {"friedman1", "method=lars stability=2 stability-pairs=4"}, {"logit-pair", "method=sift"},
    {"logit-pair", "method=fei hidden=3 starts=2"},
    {"logit-pair", "method=rjmcmc samples=60 burn-in=40 chains=2"}, {"logit-pair", "method=lssvm sigma2=1:100:3"},
};

static tamis_table *table_of(tamis_context *cx, const char *name, const char *rows)
{
    tamis_options *o = strcmp(name, "friedman1") ? OPTIONS("rows", rows, "seed", "3")
                                                 : OPTIONS("rows", rows, "seed", "3", "useless", "1");
    tamis_table *t = NULL;
    assert_int_equal(tamis_table_generate(cx, name, o, &t), TAMIS_OK);
    tamis_options_free(o);
    return t;
}

/* The first and the last questions, and some between them. */
static void every_run_ends_at_any_question(void **state)
{
    tamis_context *cx = *state;
    long parts = getenv("TAMIS_LONG") ? 200 : 6;
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        tamis_table *t = table_of(cx, runs[i][0], "48");
        tamis_options *o = worded(cx, runs[i][1]);
        long all = questions(cx, t, o, runs[i][1]);
        for (long part = 0; part < parts; part++) stop_at(cx, t, o, runs[i][1], 1 + (all - 1) * part / (parts - 1));
        tamis_options_free(o);
        tamis_table_free(t);
    }
}

/* ---- checkpoints ---- */

static void goes_on(tamis_context *cx, const tamis_table *t, tamis_options *o, const char *whole, const char *path,
                    long k)
{
    tamis_result *r = NULL;
    struct count c = {0, k}, on = {0, 0};
    unlink(path);
    if (!run(cx, t, o, &c, &r)) tamis_result_free(r);
    assert_int_equal(run(cx, t, o, &on, &r), TAMIS_OK);
    char *text = result_text(cx, r);
    cut_notes(text);
    assert_string_equal(text, whole);
    tamis_release(text);
    tamis_result_free(r);
}

static void checkpoints_hold_what_was_finished(void **state)
{
    tamis_context *cx = *state;
    char path[64];
    snprintf(path, sizeof path, "/tmp/tamis-watch-%ld.ckpt", (long)getpid());
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        tamis_table *t = table_of(cx, runs[i][0], "48");
        tamis_options *o = worded(cx, runs[i][1]);
        if (strstr(runs[i][1], "lars") || strstr(runs[i][1], "outer")) goto next;       /* keeps none, or several */
        char *whole = json(cx, t, o);
        cut_notes(whole);
        long all = questions(cx, t, o, runs[i][1]);
        assert_int_equal(tamis_options_set(o, "checkpoint", path), TAMIS_OK);
        for (long part = 1; part < 4; part++) goes_on(cx, t, o, whole, path, 1 + all * part / 4);
        unlink(path);
        tamis_release(whole);
    next:
        tamis_options_free(o);
        tamis_table_free(t);
    }
}

/* ---- how often ---- */

/* No more than 1e9 operations of a product between two questions; LAPACK asks at every call of BLAS. */
static void products_ask_between_pieces(void **state)
{
    tamis_context *cx = *state;
    enum { N = 1400 };
    struct count c = {0, 0};
    double *a = normal_numbers((size_t)N * N, 1), *b = calloc((size_t)N * N, sizeof *b);
    tamis_context_on_cancel(cx, answer, &c);
    tamis_watch_set(cx, TAMIS_WATCH_ALWAYS);
    struct tamis_watch before = tamis_watch_begin(cx);
    tamis_gemm(PLAIN, PLAIN, N, N, N, 1, a, N, a, N, 0, b, N);
    assert_at_least(c.asked * 1e9, 2.0 * N * N * N);
    assert_int_equal(tamis_halted(0), 0);
    c.stop_at = c.asked + 1;
    assert_int_equal(tamis_halted(1), 1);
    tamis_gemm(PLAIN, PLAIN, N, N, N, 1, a, N, a, N, 0, b, N);
    assert_true(b[0] == 0 && b[N * N - 1] == 0);        /* nothing was computed, and nothing is left uninitialised */
    assert_int_equal(tamis_stopped(cx), TAMIS_STOPPED);
    tamis_watch_end(before);
    assert_int_equal(tamis_halted(1e12), 0);            /* nobody watches */
    free(a), free(b);
}

/* A failure that could be forgiven does not hide the stop. */
static void a_stop_outlives_forgiveness(void **state)
{
    tamis_context *cx = *state;
    struct count c = {0, 1};
    tamis_context_on_cancel(cx, answer, &c);
    struct tamis_watch before = tamis_watch_begin(cx);
    tamis_fail(cx, TAMIS_NUMERIC, "no numbers");
    assert_int_equal(tamis_halted(1e12), 1);
    assert_int_equal(tamis_forgive(cx, TAMIS_OK), TAMIS_STOPPED);
    says(cx, "stopped on request");
    tamis_watch_end(before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_ONE_THREAD(products_ask_between_pieces),
        TEST_ONE_THREAD(a_stop_outlives_forgiveness),
        TEST_ONE_THREAD(every_run_ends_at_any_question),
        TEST_ONE_THREAD(checkpoints_hold_what_was_finished),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
