/* What a context holds; for src/base only. */
#ifndef TAMIS_CONTEXT_H
#define TAMIS_CONTEXT_H

#include <pthread.h>
#include <stdatomic.h>
#include "base/base.h"

/* The user's functions run on the calling thread only. What a worker has to tell waits here. */
struct tamis_context {
    pthread_mutex_t lock;       /* of error, notes and waiting progress, which workers reach too */
    tamis_note_function *on_note;
    tamis_progress_function *on_progress;
    tamis_cancel_function *on_cancel;
    void *note_user, *progress_user, *cancel_user;
    atomic_int asked;           /* by tamis_cancel; stays until tamis_cancel_clear */
    atomic_int stopping;        /* the last answer of on_cancel: what workers see of it */
    int watching;               /* tests: an enum tamis_watching */
    int threads, cores, mute;   /* threads 0: as many as cores */
    double bytes;               /* the user's limit; 0: none */
    double resident;            /* bytes in memory when the context was made */
    _Atomic double ceiling;     /* resident bytes that must not be exceeded; 0: not known yet */
    atomic_int status;
    atomic_int depth;           /* public calls under way, one inside another */
    int refused;                /* status is that of tamis_memory_check: nothing was allocated */
    char error[1024];
    size_t notes, note_room;
    size_t told;                /* notes that on_note has had */
    atomic_int waiting;         /* some note or progress has not been handed over */
    char **note;
    struct {
        int waits;
        char what[64];
        double done, total;
    } progress;                 /* the last that a worker reported */
    struct tamis_span span;     /* of the whole call: where reports belong; width 0: none */
    double reached;             /* share of the whole call that was reported */
    struct tamis_pool *pool;    /* workers, once a loop has needed them */
    struct {
        const struct tamis_runner *runner;
        struct tamis_shard *shard;      /* of a run in parts; NULL: none */
        int inside;             /* loops over items under way, one inside another */
        char part[192];         /* of the run, and how many such loops it has had */
        size_t loops;
    } items;
    atomic_long fail_at, allocations;   /* tests: the allocation that fails, 0: none; how many were tried */
    enum tamis_failing failing;
};

void tamis_pool_free(struct tamis_pool *p);
int tamis_on_worker(void);                      /* whether this thread belongs to a pool */
int tamis_in_loop(void);                        /* whether it runs an item of a parallel loop */
void tamis_stop(tamis_context *cx);             /* fails with TAMIS_STOPPED, whatever has failed before */
void tamis_hand_over(tamis_context *cx);        /* waiting notes and progress to the callbacks; not on a worker */

#endif
