/* One parallel loop, results by index. Workers belong to the context: started by the first loop that needs them, asleep
 * between loops, stopped with the context. The caller works too, and at the end waits only for workers that are busy
 * with an item: workers that the system has not woken yet do not delay the loop. A forked child starts workers of its
 * own: it has a copy of the pool's memory but not its threads, and a condition variable copied with waiters may block
 * for ever.
 *
 * Only the caller runs the user's callbacks: between its own items, and every POLL milliseconds while it waits. */
#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#include "base/blas.h"
#include "base/context.h"
#include "base/parallel.h"
#include "base/watch.h"

/* ---- one loop ---- */

struct loop {
    tamis_context *cx;
    tamis_body *body;
    void *arg;
    size_t items;
    atomic_size_t next, failed; /* failed: the lowest item that failed */
    int status;                 /* its status */
    int workers;                /* working on it now; guarded by the pool's lock */
    int watched;                /* whether the caller watches for a stop: then its workers do */
};

enum { POLL = 50 };

static _Thread_local int in_loop;       /* a loop inside a loop is serial */
static _Thread_local int on_worker;

int tamis_on_worker(void) { return on_worker; }
int tamis_in_loop(void) { return in_loop; }

static int run_item(const struct loop *l, size_t item, int worker)
{
    if (!on_worker) tamis_hand_over(l->cx);
    int status = tamis_check_cancel(l->cx);
    if (!status) status = l->body(l->arg, item, worker);
    return status ? status : tamis_stopped(l->cx);
}

static void record_failure(struct loop *l, size_t item, int status)
{
    pthread_mutex_lock(&l->cx->lock);
    if (item < atomic_load(&l->failed)) {
        l->status = status;
        atomic_store(&l->failed, item);
    }
    pthread_mutex_unlock(&l->cx->lock);
}

/* Items below the lowest failure so far still run, so that the reported failure does not depend on the number of
 * workers. */
static void run_items(struct loop *l, int worker)
{
    struct tamis_watch before = {0};
    int begins = on_worker && l->watched;
    if (begins) before = tamis_watch_begin(l->cx);
    in_loop = 1;
    for (size_t i; (i = atomic_fetch_add(&l->next, 1)) < l->items;) {
        int status = i > atomic_load(&l->failed) ? TAMIS_OK : run_item(l, i, worker);
        if (status) record_failure(l, i, status);
    }
    in_loop = 0;
    if (begins) tamis_watch_end(before);
}

/* ---- workers ---- */

struct worker { pthread_t thread; struct tamis_pool *pool; int number; };

struct tamis_pool {
    pthread_mutex_t lock;
    pthread_cond_t wake, done;
    struct loop *loop;          /* NULL: none to join */
    unsigned long turn;         /* number of loops so far */
    int wanted, stop, count;    /* workers for this loop; time to end; workers started */
    pid_t owner;                /* a forked child has its memory but not its threads */
    struct worker **worker;
};

static void *worker_main(void *arg)
{
    const struct worker *w = arg;
    struct tamis_pool *p = w->pool;
    unsigned long seen = 0;
    on_worker = 1;
    if (tamis_blas_reserve()) return NULL;              /* the other workers do its share */
    pthread_mutex_lock(&p->lock);
    while (!p->stop) {
        if (!p->loop || p->turn == seen || w->number > p->wanted) {
            pthread_cond_wait(&p->wake, &p->lock);
            continue;
        }
        struct loop *l = p->loop;
        seen = p->turn;
        l->workers++;
        pthread_mutex_unlock(&p->lock);
        run_items(l, w->number);
        pthread_mutex_lock(&p->lock);
        if (!--l->workers) pthread_cond_signal(&p->done);
    }
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

static void workers_join(struct tamis_pool *p)
{
    pthread_mutex_lock(&p->lock);
    p->stop = 1;
    pthread_cond_broadcast(&p->wake);
    pthread_mutex_unlock(&p->lock);
    for (int i = 0; i < p->count; i++) pthread_join(p->worker[i]->thread, NULL);
    pthread_cond_destroy(&p->wake);
    pthread_cond_destroy(&p->done);
    pthread_mutex_destroy(&p->lock);
}

void tamis_pool_free(struct tamis_pool *p)
{
    if (!p) return;
    if (p->owner == getpid()) workers_join(p);
    for (int i = 0; i < p->count; i++) free(p->worker[i]);
    free(p->worker);
    free(p);
}

static struct tamis_pool *pool_of(tamis_context *cx)
{
    pthread_condattr_t monotonic;
    if (cx->pool && cx->pool->owner != getpid()) {
        tamis_pool_free(cx->pool);
        cx->pool = NULL;
    }
    if (cx->pool || !(cx->pool = calloc(1, sizeof *cx->pool))) return cx->pool;
    cx->pool->owner = getpid();
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_mutex_init(&cx->pool->lock, NULL);
    pthread_cond_init(&cx->pool->wake, NULL);
    pthread_cond_init(&cx->pool->done, &monotonic);
    pthread_condattr_destroy(&monotonic);
    return cx->pool;
}

/* Starts one more worker; 0: no thread or memory available, and the loop runs with fewer. Workers block all signals. */
static int worker_add(struct tamis_pool *p)
{
    struct worker *w = malloc(sizeof *w), **all = realloc(p->worker, ((size_t)p->count + 1) * sizeof *all);
    sigset_t every, before;
    if (all) p->worker = all;
    if (!w || !all) {
        free(w);
        return 0;
    }
    *w = (struct worker){.pool = p, .number = p->count + 1};
    sigfillset(&every);
    pthread_sigmask(SIG_BLOCK, &every, &before);
    int failed = pthread_create(&w->thread, NULL, worker_main, w);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (failed) free(w);
    else p->worker[p->count++] = w;
    return !failed;
}

static struct timespec soon(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    t.tv_nsec += POLL * 1000000L;
    t.tv_sec += t.tv_nsec / 1000000000L;
    t.tv_nsec %= 1000000000L;
    return t;
}

/* Waits for the workers that are at an item. They stop early where the callback, asked here, says so. */
static void workers_wait(struct tamis_pool *p, const struct loop *l)
{
    pthread_mutex_lock(&p->lock);
    p->loop = NULL;
    while (l->workers) {
        struct timespec until = soon();
        if (!pthread_cond_timedwait(&p->done, &p->lock, &until)) continue;
        pthread_mutex_unlock(&p->lock);
        tamis_hand_over(l->cx);
        tamis_cancelled(l->cx);
        pthread_mutex_lock(&p->lock);
    }
    pthread_mutex_unlock(&p->lock);
}

static void loop_run(struct tamis_pool *p, struct loop *l, int threads)
{
    while (p->count < threads - 1 && worker_add(p)) continue;
    pthread_mutex_lock(&p->lock);
    p->loop = l;
    p->turn++;
    p->wanted = threads - 1;
    pthread_cond_broadcast(&p->wake);
    pthread_mutex_unlock(&p->lock);
    run_items(l, 0);
    workers_wait(p, l);
    tamis_hand_over(l->cx);
}

int tamis_parallel(tamis_context *cx, size_t items, tamis_body *body, void *arg)
{
    int threads = in_loop ? 1 : tamis_threads(cx), status = TAMIS_OK;
    struct loop l = {.cx = cx, .body = body, .arg = arg, .items = items, .failed = SIZE_MAX,
                     .watched = tamis_watching(cx)};
    if ((size_t)threads > items) threads = (int)items;
    if (threads > 1 && pool_of(cx)) {
        tamis_cancelled(cx);                            /* an old answer of the callback must not stop the workers */
        loop_run(cx->pool, &l, threads);
        return l.status;
    }
    for (size_t i = 0; i < items && !status; i++) status = run_item(&l, i, 0);
    return status;
}
