/* Runs in parts through the library: the same result as in one process, and what is refused. */
#include "base/shard.h"
#include "unit.h"

enum { PARTS = 3 };
static char path[PARTS][64], kept[64];

static int set_up_files(void **state)
{
    for (int k = 0; k < PARTS; k++) snprintf(path[k], sizeof path[k], "/tmp/tamis-part-%ld-%d", (long)getpid(), k);
    snprintf(kept, sizeof kept, "/tmp/tamis-part-%ld.ckpt", (long)getpid());
    return set_up(state);
}

static int tear_down_files(void **state)
{
    for (int k = 0; k < PARTS; k++) unlink(path[k]);
    unlink(kept);
    return tear_down(state);
}

#define TEST_FILES(f) cmocka_unit_test_setup_teardown(f, set_up_files, tear_down_files)

static int part_run(tamis_context *cx, const tamis_table *t, const tamis_options *o, size_t k)
{
    tamis_result *r = NULL;
    int status = tamis_shard_begin(cx, k + 1, PARTS);
    if (!status) status = tamis_select(cx, t, NULL, o, &r);
    assert_null(r);
    if (!status) status = tamis_shard_save(cx, path[k]);
    tamis_shard_end(cx);
    return status;
}

static void parts_run(tamis_context *cx, const tamis_table *t, const tamis_options *o)
{
    for (size_t k = 0; k < PARTS; k++) assert_int_equal(part_run(cx, t, o, k), TAMIS_OK);
}

static int parts_add(tamis_context *cx)
{
    int status = TAMIS_OK;
    for (size_t k = 0; k < PARTS && !status; k++) status = tamis_shard_add(cx, path[PARTS - 1 - k]);
    return status;
}

static tamis_table *classes(tamis_context *cx)
{
    struct tamis_text text = {.cx = cx};
    tamis_text_puts(&text, "x1,x2,x3,y\n");
    for (int i = 0; i < 30; i++)
        tamis_text_printf(&text, "%g,%g,%g,%s\n", (i * 5 % 14) / 2., (i * i * 3 % 17) / 3., (i * 11 % 13) / 4.,
                          i * 5 % 14 > 6 ? "a" : "b");
    tamis_table *t = text_table(cx, text.s);
    tamis_text_free(&text);
    return t;
}

/* ---- the same result ---- */

static const struct plan { const char *words; int classes; } plans[] = {
    {"method=lars outer=3 bootstrap=4", 0},
    {"method=lars stability=1 stability-pairs=3", 0},
    {"fdr=0.3 fdr-draws=4 evidence=no", 0},
    {"method=rjmcmc samples=80 burn-in=70 chains=4 evidence=no", 1},
    {"method=fei hidden=4 starts=60 folds=3 evidence=no", 1},
    {"method=sparse-rbf r=2:6:2 t=0.2:1:2 folds=4 evidence=no", 0},
    {"method=sparse-rbf r=2:6:2 t=0.2:1:2 folds=2 solver=direct evidence=no", 0},
    {"method=lssvm folds=4 evidence=no", 0},
    {"method=lssvm folds=4 evidence=no sigma2=1:50:5", 1},
};

/* What the parts give together is what one process gives. */
static void assert_joined(tamis_context *cx, const tamis_table *t, tamis_options *o, const char *whole)
{
    assert_int_equal(parts_add(cx), TAMIS_OK);
    char *together = json(cx, t, o);
    assert_string_equal(together, whole);
    tamis_shard_end(cx);
    tamis_release(together);
}

static void parts_give_the_same_result(void **state)
{
    tamis_context *cx = *state;
    for (size_t i = 0; i < sizeof plans / sizeof *plans; i++) {
        tamis_table *t = plans[i].classes ? classes(cx) : made(cx, "friedman1", "30", "2");
        tamis_options *o = worded(cx, plans[i].words);
        char *whole = json(cx, t, o);
        parts_run(cx, t, o);
        assert_joined(cx, t, o, whole);
        tamis_release(whole);
        tamis_options_free(o);
        tamis_table_free(t);
    }
}

/* ---- stopped parts ---- */

/* A part stopped again and again resumes; it is the same as one that was not stopped, but for times. */
static void stopped_parts_resume(void **state)
{
    tamis_context *cx = *state;
    for (size_t i = 0; i < sizeof plans / sizeof *plans; i++) {
        tamis_table *t = plans[i].classes ? classes(cx) : made(cx, "friedman1", "30", "2");
        tamis_options *o = worded(cx, plans[i].words);
        char *whole = json(cx, t, o);
        tamis_result *r = NULL;
        int stops = 0, checks = 3, status = TAMIS_STOPPED;
        parts_run(cx, t, o);
        tamis_options_set(o, "checkpoint", kept);
        unlink(kept);
        for (; status == TAMIS_STOPPED; checks += 5, stops++) {
            assert_int_equal(tamis_shard_begin(cx, 1, PARTS), TAMIS_OK);
            status = select_stopped(cx, t, o, checks, &r);
            assert_true(status == TAMIS_STOPPED || status == TAMIS_OK);
        }
        assert_above(stops, 1);
        assert_int_equal(tamis_shard_save(cx, path[0]), TAMIS_OK);
        tamis_options_unset(o, "checkpoint");
        assert_joined(cx, t, o, whole);
        tamis_release(whole);
        tamis_options_free(o);
        tamis_table_free(t);
    }
}

/* ---- what is refused ---- */

static void misuse_is_refused(void **state)
{
    tamis_context *cx = *state;
    tamis_table *t = made(cx, "friedman1", "30", "2");
    tamis_options *o = worded(cx, "method=lars outer=3"), *none = worded(cx, "method=lars");
    tamis_result *r = NULL;
    assert_int_equal(tamis_shard_begin(cx, 0, 3), TAMIS_USAGE);
    assert_int_equal(tamis_shard_begin(cx, 4, 3), TAMIS_USAGE);
    assert_int_equal(tamis_shard_save(cx, path[0]), TAMIS_USAGE);
    assert_int_equal(tamis_shard_begin(cx, 1, 3), TAMIS_OK);
    assert_int_equal(tamis_shard_save(cx, path[0]), TAMIS_USAGE);
    says(cx, "no finished part");
    assert_int_equal(tamis_select(cx, t, NULL, none, &r), TAMIS_USAGE);
    says(cx, "no independent items");
    assert_int_equal(tamis_select(cx, t, NULL, o, &r), TAMIS_USAGE);
    says(cx, "has had its run");
    tamis_shard_end(cx);
    assert_int_equal(tamis_select(cx, t, NULL, none, &r), TAMIS_OK);
    assert_non_null(r);
    tamis_result_free(r);
    tamis_options_free(o);
    tamis_options_free(none);
    tamis_table_free(t);
}

/* The part in path[0], changed. */
static void forge(tamis_context *cx, void (*change)(struct tamis_shard *s))
{
    unsigned char *bytes;
    size_t n;
    struct tamis_shard s = {.cx = cx};
    assert_int_equal(tamis_file_read(cx, path[0], &bytes, &n), TAMIS_OK);
    assert_int_equal(tamis_shard_read(&s, bytes, n), TAMIS_OK);
    change(&s);
    assert_int_equal(tamis_shard_write(&s, path[0], 0), TAMIS_OK);
    tamis_free(bytes);
    tamis_shard_clear(&s);
}

static void older(struct tamis_shard *s) { s->fact[0].value[0]++; }
static void other_cpu(struct tamis_shard *s) { s->loop[0].state++; }
static void lost(struct tamis_shard *s) { s->loop[0].item[0].own = 0; }
static void spoilt(struct tamis_shard *s) { s->loop[0].item[0].bytes[30] ^= 1; }

static void forged_parts_are_refused(void **state)
{
    static const struct { void (*change)(struct tamis_shard *); int adds; const char *words; } all[] = {
        {older, 0, "a part of another run than"}, {other_cpu, 0, "as another CPU rounds them"},
        {lost, 1, "no part has item 1 of 3"}, {spoilt, 1, "the result of an item"}};
    tamis_context *cx = *state;
    tamis_table *t = made(cx, "friedman1", "30", "2");
    tamis_options *o = worded(cx, "method=lars outer=3");
    tamis_result *r = NULL;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        parts_run(cx, t, o);
        forge(cx, all[i].change);
        int status = parts_add(cx);
        assert_int_equal(status, all[i].adds ? TAMIS_OK : TAMIS_DATA);
        if (!status) assert_int_equal(tamis_select(cx, t, NULL, o, &r), TAMIS_DATA);
        says(cx, all[i].words);
        tamis_shard_end(cx);
    }
    tamis_options_free(o);
    tamis_table_free(t);
}

static void the_call_must_be_that_of_the_parts(void **state)
{
    tamis_context *cx = *state;
    tamis_table *t = made(cx, "friedman1", "30", "2"), *u = made(cx, "friedman1", "30", "3");
    tamis_options *o = worded(cx, "method=lars outer=3"), *p = worded(cx, "method=lars outer=4");
    tamis_result *r = NULL;
    parts_run(cx, t, o);
    assert_int_equal(parts_add(cx), TAMIS_OK);
    assert_int_equal(tamis_select(cx, u, NULL, o, &r), TAMIS_DATA);
    says(cx, "a table of 30 rows");
    assert_int_equal(tamis_select(cx, t, NULL, p, &r), TAMIS_DATA);
    says(cx, "--outer 3, not 4");
    tamis_shard_end(cx);
    assert_int_equal(tamis_shard_add(cx, path[0]), TAMIS_OK);
    assert_int_equal(tamis_select(cx, t, NULL, o, &r), TAMIS_USAGE);
    says(cx, "parts 2, 3 of 3 are missing");
    tamis_options_free(o);
    tamis_options_free(p);
    tamis_table_free(t);
    tamis_table_free(u);
}

/* ---- memory ---- */

static int part_attempt(tamis_context *cx, void *what)
{
    const struct run *run = what;
    return part_run(cx, run->t, run->o, 1);
}

static int join_attempt(tamis_context *cx, void *what)
{
    int status = parts_add(cx);
    if (!status) status = select_and_write(cx, what);
    tamis_shard_end(cx);
    return status;
}

static void every_allocation_may_fail(void **state)
{
    tamis_context *cx = *state;
    tamis_table *t = made(cx, "friedman1", "30", "2");
    tamis_options *o = worded(cx, "method=lars outer=3 evidence=no");
    struct run run = {t, o};
    parts_run(cx, t, o);
    tamis_options_set(o, "checkpoint", kept);
    assert_above(allocations_fail(cx, part_attempt, &run, 60), 100);
    tamis_options_unset(o, "checkpoint");
    parts_run(cx, t, o);
    assert_above(allocations_fail(cx, join_attempt, &run, 60), 100);
    tamis_options_free(o);
    tamis_table_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_FILES(parts_give_the_same_result),
        TEST_FILES(stopped_parts_resume),
        TEST_FILES(misuse_is_refused),
        TEST_FILES(forged_parts_are_refused),
        TEST_FILES(the_call_must_be_that_of_the_parts),
        TEST_FILES(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
