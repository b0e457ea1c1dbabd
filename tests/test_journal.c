/* Journals of finished parts, and the methods that keep one: stopped and resumed, foreign and forged files. */
#include <sys/stat.h>
#include "base/items.h"
#include "base/journal.h"
#include "unit.h"

static char path[64];

static int set_up_file(void **state)
{
    snprintf(path, sizeof path, "/tmp/tamis-journal-%ld.ckpt", (long)getpid());
    unlink(path);
    return set_up(state);
}

static int tear_down_file(void **state)
{
    unlink(path);
    return tear_down(state);
}

#define TEST_FILE(f) cmocka_unit_test_setup_teardown(f, set_up_file, tear_down_file)

/* ---- parts ---- */

struct squares { double value[40]; int computed[40]; size_t stop; };

static int square(void *arg, size_t item, int worker)
{
    struct squares *s = arg;
    (void)worker;
    if (item == s->stop) return TAMIS_STOPPED;
    s->value[item] = item == 7 ? NAN : 0.1 * (double)(item * item);
    s->computed[item]++;
    return TAMIS_OK;
}

static void square_pack(const void *arg, size_t item, double *v) { *v = ((const struct squares *)arg)->value[item]; }

static int square_unpack(void *arg, size_t item, const double *v)
{
    ((struct squares *)arg)->value[item] = *v;
    return !(*v < 0);
}

static const struct tamis_journal_items kept = {1, square_pack, square_unpack};

static int squares_run(tamis_context *cx, struct squares *s, uint64_t fingerprint)
{
    struct tamis_journal j;
    int status = tamis_journal_open(&j, cx, path, fingerprint);
    if (!status) status = tamis_journal_loop(cx, &j, 40, square, s, &kept);
    return tamis_journal_close(&j, status);
}

static void parts_are_computed_once(void **state)
{
    tamis_context *cx = *state;
    struct squares s = {.stop = 0};
    for (size_t stop = 0; stop <= 40; stop += 8) {
        s.stop = stop;
        assert_int_equal(squares_run(cx, &s, 5), stop < 40 ? TAMIS_STOPPED : TAMIS_OK);
        forget(cx);
    }
    struct squares again = {.stop = 0};
    assert_int_equal(squares_run(cx, &again, 5), TAMIS_OK);
    assert_memory_equal(again.value, s.value, sizeof s.value);
    for (int i = 0; i < 40; i++) assert_int_equal(again.computed[i], 0);
    assert_int_equal(s.computed[0], 1);
    assert_int_equal(s.computed[39], 1);
}

/* A file whose only part is v[n], of a run with this fingerprint. */
static void forge(tamis_context *cx, uint64_t fingerprint, const double *v, size_t n)
{
    struct tamis_journal j;
    unlink(path);
    assert_int_equal(tamis_journal_open(&j, cx, path, fingerprint), TAMIS_OK);
    assert_int_equal(tamis_journal_add(&j, v, n), TAMIS_OK);
    assert_int_equal(tamis_journal_close(&j, TAMIS_OK), TAMIS_OK);
}

static void senseless_parts_are_refused(void **state)
{
    tamis_context *cx = *state;
    struct squares s = {.stop = 40};
    static const double v[] = {-1, 2};
    for (size_t n = 0; n < 3; n++) {
        forge(cx, 5, v, n);
        assert_int_equal(squares_run(cx, &s, 5), TAMIS_DATA);
        says(cx, "the checkpoint is damaged; remove it");
        forget(cx);
    }
    assert_int_equal(squares_run(cx, &s, 6), TAMIS_USAGE);
    says(cx, "another run");
}

static void counts_of_a_forged_file_are_bounded(void **state)
{
    tamis_context *cx = *state;
    static const uint64_t word[][3] = {
        {UINT64_MAX, 1, 0}, {1, UINT64_MAX, 0}, {1, 1ull << 61, 0}, {2, 1, 0}, {0, 1, 0}};
    struct squares s = {.stop = 40};
    for (size_t k = 0; k < 5; k++) {
        struct tamis_pack p;
        tamis_pack_begin(&p, cx, "JRNL", 1);
        tamis_pack_u64(&p, 5);
        for (int i = 0; i < 3; i++) tamis_pack_u64(&p, word[k][i]);
        assert_int_equal(tamis_pack_write(&p, path), TAMIS_OK);
        assert_int_equal(squares_run(cx, &s, 5), TAMIS_DATA);
        says(cx, "damaged");
        forget(cx);
    }
}

static int resume(tamis_context *cx, void *what)
{
    struct squares s = {.stop = 40};
    (void)what;
    forget(cx);
    return squares_run(cx, &s, 5);
}

static void every_allocation_may_fail(void **state)
{
    tamis_context *cx = *state;
    struct squares s = {.stop = 20};
    squares_run(cx, &s, 5);
    forget(cx);
    assert_above(every_allocation_fails(cx, resume, NULL, 500), 20);
}

/* ---- the methods ---- */

static const char *const method[] = {
    "method=fei starts=4 folds=3",
    "method=fei starts=3 folds=3 hidden=5 index=fei weights=ls",
    "method=sparse-rbf r=2:50:2 t=0.1:4:2 folds=3",
    "method=sparse-rbf r=auto t=1:2:2 folds=2 centers=10",
    "method=sparse-rbf r=6 t=2:4:2 folds=2 solver=direct",
};
enum { METHODS = sizeof method / sizeof *method };

static tamis_table *table_of(tamis_context *cx, size_t m)
{
    return m < 2 ? made(cx, "xor", "60", "4") : made(cx, "tikka1d", "24", "3");
}

static void methods_resume_to_the_same_bits(void **state)
{
    tamis_context *cx = *state;
    for (size_t m = 0; m < METHODS; m++) {
        tamis_table *t = table_of(cx, m);
        assert_above(stopped_and_resumed(cx, t, worded(cx, method[m]), 1, 3), 1);
        tamis_table_free(t);
    }
}

/* A runner that computes every loop here, and counts the items of loops with a journal: those found there, and others. */
struct tally { int found, computed; };

static int counted_loop(void *self, tamis_context *cx, const struct tamis_items *l)
{
    struct tally *t = self;
    for (size_t k = 0; l->has && k < l->count; k++) *(l->has(l->arg, k) ? &t->found : &t->computed) += 1;
    return tamis_items_local(cx, l, NULL, l->count);
}

static struct tally run_counted(tamis_context *cx, const tamis_table *t, const tamis_options *o)
{
    struct tally tally = {0, 0};
    const struct tamis_runner counts = {.self = &tally, .loop = counted_loop};
    tamis_result *r = NULL;
    tamis_runner_set(cx, &counts);
    assert_int_equal(tamis_select(cx, t, NULL, o, &r), TAMIS_OK);
    tamis_runner_set(cx, NULL);
    tamis_result_free(r);
    return tally;
}

/* Resuming a finished run finds every part and adds none. */
static void finished_parts_are_not_computed_again(void **state)
{
    tamis_context *cx = *state;
    for (size_t m = 0; m < METHODS; m++) {
        tamis_table *t = table_of(cx, m);
        tamis_options *o = worded(cx, method[m]);
        struct stat before, after;
        tamis_options_set(o, "checkpoint", path);
        unlink(path);
        struct tally fresh = run_counted(cx, t, o);
        assert_int_equal(stat(path, &before), 0);
        struct tally resumed = run_counted(cx, t, o);
        assert_int_equal(stat(path, &after), 0);
        assert_int_equal(fresh.found, 0);
        assert_above(fresh.computed, 0);
        assert_int_equal(resumed.found, fresh.computed);
        assert_int_equal(resumed.computed, 0);
        assert_int_equal(before.st_size, after.st_size);
        tamis_options_free(o);
        tamis_table_free(t);
    }
}

/* The fingerprint in a checkpoint, which follows the head of the file. */
static uint64_t fingerprint_of(tamis_context *cx, const char *file)
{
    unsigned char *bytes = NULL;
    size_t n = 0;
    uint64_t sum = 0;
    assert_int_equal(tamis_file_read(cx, file, &bytes, &n), TAMIS_OK);
    for (int i = 7; i >= 0; i--) sum = sum << 8 | bytes[7 + 4 + 4 + 8 + i];
    tamis_free(bytes);
    return sum;
}

static void methods_refuse_forged_parts(void **state)
{
    tamis_context *cx = *state;
    static const double v[] = {-1, 0.5, NAN, 4};
    for (size_t m = 0; m < METHODS; m++) {
        tamis_table *t = table_of(cx, m);
        tamis_options *o = worded(cx, method[m]);
        tamis_result *r = NULL;
        tamis_options_set(o, "checkpoint", path);
        unlink(path);
        assert_int_equal(select_stopped(cx, t, o, 1, &r), TAMIS_STOPPED);
        uint64_t sum = fingerprint_of(cx, path);
        for (size_t k = 0; k < 4; k++) {
            forge(cx, sum, v + k, k < 3 ? 1 : 0);
            assert_int_equal(tamis_select(cx, t, NULL, o, &r), TAMIS_DATA);
            says(cx, "the checkpoint is damaged");
        }
        tamis_options_free(o);
        tamis_table_free(t);
    }
}

/* Parts of the right size whose numbers make no sense. */
static void spoilt_numbers_are_refused(void **state)
{
    tamis_context *cx = *state;
    for (size_t m = 0; m < METHODS; m++) {
        tamis_table *t = table_of(cx, m);
        tamis_options *o = worded(cx, method[m]);
        tamis_result *r = NULL;
        struct tamis_journal j;
        tamis_options_set(o, "checkpoint", path);
        unlink(path);
        assert_int_equal(tamis_select(cx, t, NULL, o, &r), TAMIS_OK);
        tamis_result_free(r);
        r = NULL;
        assert_int_equal(tamis_journal_open(&j, cx, path, fingerprint_of(cx, path)), TAMIS_OK);
        j.part[j.parts - 1].v[0] = -1;
        assert_int_equal(tamis_checkpoint_save(&j.file), TAMIS_OK);
        tamis_journal_close(&j, TAMIS_OK);
        assert_int_equal(tamis_select(cx, t, NULL, o, &r), TAMIS_DATA);
        says(cx, "the checkpoint is damaged");
        tamis_options_free(o);
        tamis_table_free(t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_FILE(parts_are_computed_once),
        TEST_FILE(senseless_parts_are_refused),
        TEST_FILE(counts_of_a_forged_file_are_bounded),
        TEST_FILE(every_allocation_may_fail),
        TEST_FILE(methods_resume_to_the_same_bits),
        TEST_FILE(finished_parts_are_not_computed_again),
        TEST_FILE(methods_refuse_forged_parts),
        TEST_FILE(spoilt_numbers_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
