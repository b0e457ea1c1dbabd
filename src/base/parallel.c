/* One parallel loop, results by index. Workers belong to the context: started when the first loop wants them, asleep
 * between loops, gone with the context. The caller works too, and at the end waits only for workers that are at an
 * item: one that a busy machine has not woken yet is not missed, and after fork(), where there are none, the loop is
 * serial.
 *
 * Only the caller runs the user's callbacks: between its own items, and every POLL milliseconds while it waits. */
#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#include "base/blas.h"
#include "base/context.h"
#include "base/parallel.h"

/* ---- one loop ---- */

struct loop {
    tamis_context *cx;
    tamis_body *body;
    void *arg;
    size_t items;
    atomic_size_t next, failed; /* failed: the lowest item that did */
    int status;                 /* of that */
    int workers;                /* at it now; the pool's lock */
};

enum { POLL = 50 };

static _Thread_local int inside;        /* a loop in a loop is serial */
static _Thread_local int on_worker;

int tamis_on_worker(void) { return on_worker; }

static int one_item(const struct loop *l, size_t item, int worker)
{
    if (!on_worker) tamis_hand_over(l->cx);
    int status = tamis_check_cancel(l->cx);
    return status ? status : l->body(l->arg, item, worker);
}

static void keep_lowest(struct loop *l, size_t item, int status)
{
    pthread_mutex_lock(&l->cx->lock);
    if (item < atomic_load(&l->failed)) {
        l->status = status;
        atomic_store(&l->failed, item);
    }
    pthread_mutex_unlock(&l->cx->lock);
}

/* Items below the lowest failure so far still run, so that the failure reported does not depend on the number of
 * workers. */
static void items_take(struct loop *l, int worker)
{
    inside = 1;
    for (size_t i; (i = atomic_fetch_add(&l->next, 1)) < l->items;) {
        int status = i > atomic_load(&l->failed) ? TAMIS_OK : one_item(l, i, worker);
        if (status) keep_lowest(l, i, status);
    }
    inside = 0;
}

/* ---- workers ---- */

struct worker { pthread_t thread; struct tamis_pool *pool; int number; };

struct tamis_pool {
    pthread_mutex_t lock;
    pthread_cond_t wake, done;
    struct loop *loop;          /* NULL: nothing to begin */
    unsigned long turn;         /* number of loops so far */
    int wanted, stop, count;
    pid_t owner;                /* a child of it has the memory but not the threads */
    struct worker **worker;
};

static void *worker_main(void *arg)
{
    const struct worker *w = arg;
    struct tamis_pool *p = w->pool;
    unsigned long seen = 0;
    on_worker = 1;
    if (tamis_blas_reserve()) return NULL;              /* the others do its work */
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
        items_take(l, w->number);
        pthread_mutex_lock(&p->lock);
        if (!--l->workers) pthread_cond_signal(&p->done);
    }
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

static struct tamis_pool *pool_of(tamis_context *cx)
{
    pthread_condattr_t monotonic;
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

/* One more; 0 where there is no thread or memory to be had, and the loop makes do with fewer. Signals are the
 * caller's. */
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
    items_take(l, 0);
    workers_wait(p, l);
    tamis_hand_over(l->cx);
}

int tamis_parallel(tamis_context *cx, size_t items, tamis_body *body, void *arg)
{
    int threads = inside ? 1 : tamis_threads(cx), status = TAMIS_OK;
    struct loop l = {.cx = cx, .body = body, .arg = arg, .items = items, .failed = SIZE_MAX};
    if ((size_t)threads > items) threads = (int)items;
    if (threads > 1 && pool_of(cx)) {
        tamis_cancelled(cx);                            /* an old answer of the callback must not stop the workers */
        loop_run(cx->pool, &l, threads);
        return l.status;
    }
    for (size_t i = 0; i < items && !status; i++) status = one_item(&l, i, 0);
    return status;
}
