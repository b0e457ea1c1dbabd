/* Several contexts at work at once, each in a thread of its own, give the bits that they give alone; callbacks run on
 * the calling thread; a run is stopped by a signal, by another thread, by a callback; a host's own BLAS keeps its
 * threads. tools/run-tests runs this under ThreadSanitizer. */
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <time.h>
#include "base/parallel.h"
#include "unit.h"

#define COUNT(a) (sizeof(a) / sizeof *(a))

struct work {
    const char *table, *words;          /* by the generator; options of the run */
    char *alone, *beside;
};

static char *work_json(const struct work *w)
{
    tamis_context *cx = tamis_context_new();
    tamis_context_limits(cx, 2, 0);
    tamis_table *t = made(cx, w->table, "70", "5");
    tamis_options *o = worded(cx, w->words);
    char *text = json(cx, t, o);
    tamis_options_free(o);
    tamis_table_free(t);
    tamis_context_free(cx);
    return text;
}

static void *work_beside(void *arg)
{
    struct work *w = arg;
    w->beside = work_json(w);
    return NULL;
}

static void contexts_side_by_side_give_the_same_bits(void **state)
{
    (void)state;
    struct work work[] = {
        {.table = "friedman1", .words = "method=sift"},
        {.table = "friedman1", .words = "method=sisal sigma2=1:100:6"},
        {.table = "friedman1", .words = "method=search"},
        {.table = "friedman1", .words = "method=lssvm sigma2=1:100:5"},
        {.table = "xor", .words = "method=fei"},
        {.table = "xor", .words = "method=rjmcmc samples=400 burn-in=200"},
        {.table = "friedman1", .words = "method=opelm"},
        {.table = "friedman1", .words = "method=sparse-rbf r=20 t=1"},
    };
    pthread_t thread[COUNT(work)];
    for (size_t i = 0; i < COUNT(work); i++) work[i].alone = work_json(work + i);
    for (int round = 0; round < 3; round++) {
        for (size_t i = 0; i < COUNT(work); i++)
            assert_int_equal(pthread_create(thread + i, NULL, work_beside, work + i), 0);
        for (size_t i = 0; i < COUNT(work); i++) {
            pthread_join(thread[i], NULL);
            assert_string_equal(work[i].beside, work[i].alone);
            tamis_release(work[i].beside);
        }
    }
    for (size_t i = 0; i < COUNT(work); i++) tamis_release(work[i].alone);
}

/* ---- callbacks ---- */

struct heard {
    tamis_context *cx;
    pthread_t caller;
    int elsewhere, notes, progress;     /* elsewhere: calls on another thread than the caller */
    int answers, stop_at;               /* of the cancel callback */
    double done;
    char last[64];
};

static void here(struct heard *h) { h->elsewhere += !pthread_equal(pthread_self(), h->caller); }

static void on_note(void *user, const char *sentence)
{
    struct heard *h = user;
    here(h);
    h->notes++;
    snprintf(h->last, sizeof h->last, "%s", sentence);
}

static void on_progress(void *user, const char *what, double done, double total)
{
    struct heard *h = user;
    here(h);
    h->progress++;
    h->done = done;
    assert_string_equal(what, "counting");
    assert_true(total == 500);
}

static int on_cancel(void *user)
{
    struct heard *h = user;
    here(h);
    return h->answers++ >= h->stop_at;
}

static struct heard *listen(tamis_context *cx, struct heard *h)
{
    *h = (struct heard){.cx = cx, .caller = pthread_self(), .stop_at = 1 << 30};
    tamis_context_on_note(cx, on_note, h);
    tamis_context_on_progress(cx, on_progress, h);
    tamis_context_on_cancel(cx, on_cancel, h);
    return h;
}

static void doze(double seconds)
{
    struct timespec t = {(time_t)seconds, (long)(1e9 * (seconds - floor(seconds)))};
    nanosleep(&t, NULL);
}

static int talking(void *arg, size_t item, int worker)
{
    const struct heard *h = arg;
    (void)worker;
    if (item % 10 == 0) tamis_note(h->cx, "item %zu", item);
    tamis_progress(h->cx, "counting", (double)item, 500);
    return tamis_check_cancel(h->cx);
}

static void callbacks_run_on_the_calling_thread(void **state)
{
    struct heard h;
    size_t kept;
    tamis_context *cx = *state;
    tamis_context_limits(cx, 5, 0);
    for (int round = 0; round < 20; round++) {
        tamis_notes_clear(cx);
        assert_int_equal(tamis_parallel(cx, 500, talking, listen(cx, &h)), TAMIS_OK);
        tamis_notes(cx, &kept);
        assert_int_equal(kept, 50);
        assert_int_equal(h.notes, 50);
        assert_int_equal(h.elsewhere, 0);
        assert_true(h.progress >= 1 && h.answers >= 1);
    }
    tamis_note(cx, "the last");
    assert_string_equal(h.last, "the last");
    tamis_mute(cx, 1);
    tamis_note(cx, "muted");
    tamis_progress(cx, "counting", 7, 500);
    tamis_mute(cx, 0);
    assert_string_equal(h.last, "the last");
    assert_true(h.done != 7);
}

/* ---- stops ---- */

struct spin { tamis_context *cx; atomic_int started; int first; };

/* Busy until someone says stop; with `first`, only the workers are, and the caller soon waits for them. */
static int busy(void *arg, size_t item, int worker)
{
    struct spin *s = arg;
    (void)item;
    atomic_fetch_add(&s->started, 1);
    if (s->first && !worker) {
        while (atomic_load(&s->started) < 2) doze(1e-4);
        return TAMIS_OK;
    }
    while (!tamis_cancelled(s->cx)) doze(1e-4);
    return tamis_check_cancel(s->cx);
}

static void *cancel_soon(void *arg)
{
    struct spin *s = arg;
    while (atomic_load(&s->started) < 1 + s->first) doze(1e-4);         /* the caller waits for a worker's item */
    doze(2e-3);
    tamis_cancel(s->cx);
    return NULL;
}

static void another_thread_stops_a_loop(void **state)
{
    tamis_context *cx = *state;
    tamis_context_limits(cx, 4, 0);
    for (int round = 0; round < 20; round++) {
        struct spin s = {.cx = cx, .first = round % 2};
        pthread_t thread;
        forget(cx);
        assert_int_equal(pthread_create(&thread, NULL, cancel_soon, &s), 0);
        assert_int_equal(tamis_parallel(cx, 1000, busy, &s), TAMIS_STOPPED);
        pthread_join(thread, NULL);
        assert_string_equal(tamis_error(cx), "stopped on request");
        tamis_cancel_clear(cx);
    }
}

/* The caller is done with its own items and waits: it still asks, and its workers hear the answer. */
static void a_callback_stops_workers_that_are_waited_for(void **state)
{
    struct heard h;
    struct spin s = {.cx = *state, .first = 1};
    tamis_context *cx = *state;
    tamis_context_limits(cx, 2, 0);
    listen(cx, &h)->stop_at = 6;
    double began = tamis_clock();
    assert_int_equal(tamis_parallel(cx, 2, busy, &s), TAMIS_STOPPED);
    assert_true(tamis_clock() - began < 20);
    assert_int_equal(h.elsewhere, 0);
    assert_true(h.answers > 6);
    forget(cx);
    listen(cx, &h);                                     /* the old answer is forgotten */
    assert_int_equal(tamis_parallel(cx, 500, talking, &h), TAMIS_OK);
}

static tamis_context *signalled;
static void on_signal(int number) { (void)number; tamis_cancel(signalled); }

static void a_signal_stops_a_run(void **state)
{
    tamis_context *cx = *state;
    struct itimerspec soon = {{0, 0}, {0, 30000000}};
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR2};
    struct sigaction a = {.sa_handler = on_signal}, before;
    tamis_result *r = NULL;
    tamis_table *t = made(cx, "friedman1", "400", "3");
    tamis_options *o = worded(cx, "method=sisal sigma2=1:100:40");
    timer_t timer;
    signalled = cx;
    tamis_context_limits(cx, 3, 0);
    assert_int_equal(sigaction(SIGUSR2, &a, &before), 0);
    assert_int_equal(timer_create(CLOCK_MONOTONIC, &event, &timer), 0);
    for (int round = 0; round < 3; round++) {
        tamis_cancel_clear(cx);
        timer_settime(timer, 0, &soon, NULL);
        assert_int_equal(tamis_select(cx, t, NULL, o, &r), TAMIS_STOPPED);
        assert_null(r);
    }
    timer_delete(timer);
    sigaction(SIGUSR2, &before, NULL);
    tamis_options_free(o);
    tamis_table_free(t);
}

static void a_cancelled_context_refuses_its_next_call(void **state)
{
    tamis_context *cx = *state;
    tamis_table *t = NULL;
    tamis_cancel(cx);
    assert_int_equal(tamis_table_read_memory(cx, "a,b\n1,2\n", 8, "t", NULL, &t), TAMIS_STOPPED);
    assert_null(t);
    tamis_cancel_clear(cx);
    assert_int_equal(tamis_table_read_memory(cx, "a,b\n1,2\n", 8, "t", NULL, &t), TAMIS_OK);
    tamis_table_free(t);
}

/* ---- a host with a BLAS of its own, of several threads ---- */

static void *library(const char *const *name, size_t count)
{
    void *found = NULL;
    for (size_t i = 0; !found && i < count; i++) found = dlopen(name[i], RTLD_NOW | RTLD_LOCAL);
    return found;
}

static void a_host_keeps_its_threads(void **state)
{
    tamis_context *cx = *state;
    static const char *const name[] = {"/usr/lib/x86_64-linux-gnu/openblas-pthread/libopenblas.so.0",
                                       "/usr/lib/aarch64-linux-gnu/openblas-pthread/libopenblas.so.0"};
    void *host = library(name, COUNT(name)), *set = host ? dlsym(host, "openblas_set_num_threads") : NULL,
         *get = host ? dlsym(host, "openblas_get_num_threads") : NULL;
    int (*threads)(void) = NULL;
    void (*set_threads)(int) = NULL;
    if (!set || !get) {
        printf("skipped: a_host_keeps_its_threads: there is no OpenBLAS with threads (libopenblas0-pthread)\n");
        skip();
    }
    memcpy(&set_threads, &set, sizeof set);
    memcpy(&threads, &get, sizeof get);
    set_threads(3);
    tamis_table *t = made(cx, "friedman1", "60", "2");
    tamis_result_free(chosen(cx, t, NULL, OPTIONS("method", "sisal", "sigma2", "1:100:4")));
    assert_int_equal(threads(), 3);
    tamis_table_free(t);
    dlclose(host);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contexts_side_by_side_give_the_same_bits),
        TEST(callbacks_run_on_the_calling_thread),
        TEST(another_thread_stops_a_loop),
        TEST(a_callback_stops_workers_that_are_waited_for),
        TEST(a_signal_stops_a_run),
        TEST(a_cancelled_context_refuses_its_next_call),
        TEST(a_host_keeps_its_threads),
    };
    return cmocka_run_group_tests_name("contexts side by side", tests, NULL, NULL);
}
