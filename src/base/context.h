/* What a context holds; for src/base only. */
#ifndef TAMIS_CONTEXT_H
#define TAMIS_CONTEXT_H

#include <pthread.h>
#include <stdatomic.h>
#include "base/base.h"

struct tamis_context {
    pthread_mutex_t lock;       /* error, notes and callbacks may be reached from several workers */
    tamis_callbacks call;
    int threads, cores, mute;   /* threads 0: as many as cores */
    double bytes;
    int status;
    char error[1024];
    size_t notes, note_room;
    char **note;
    struct tamis_pool *pool;    /* workers, once a loop has wanted them */
    atomic_long fail_in;        /* tests: allocations until one fails */
};

void tamis_pool_free(struct tamis_pool *p);

#endif
