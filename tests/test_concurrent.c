/* Several contexts at once, each in its own thread, give the same bits as alone; a host's own BLAS keeps its threads.
 * tools/run-tests also runs this under ThreadSanitizer. */
#include <dlfcn.h>
#include <pthread.h>
#include "run.h"

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

/* ---- a host with its own multi-threaded BLAS ---- */

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
        TEST(a_host_keeps_its_threads),
    };
    return cmocka_run_group_tests_name("contexts side by side", tests, NULL, NULL);
}
