/* A loop over items: rank 0 deals them in order, as many at a time as the rank that asks has threads, and computes some
 * itself; a thread of its own answers the others meanwhile. Their results come to rank 0 as bytes, by index. At the end
 * all bytes go to all ranks, and each puts those in place that it has not computed.
 *
 * After an item that failed, only those below it are dealt: the lowest failure is the one that all ranks report. A
 * failure that cannot be forgiven, of memory or a stop, ends the run at once, by an alarm. */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include "base/format.h"
#include "ranks.h"

enum { MOST = 256 };                    /* items dealt at a time */

/* The bytes of an item, once it is computed, or of its failure; here: it is in place. */
struct slot { unsigned char *bytes; size_t n; int here, failed; };

struct tamis_mpi_deal {
    struct tamis_mpi *m;
    const struct tamis_items *l;
    pthread_mutex_t lock;               /* of what follows, which the thread that answers reaches too */
    struct slot *slot;
    size_t next, failed;                /* the next to deal; the lowest that failed */
    size_t news;                        /* bytes that came and are not in place */
    atomic_int over, quit;              /* all ranks were told that nothing is left; stop answering */
    double kept;
    int keeping;
};

/* ---- rank 0: what is dealt, and what comes back ---- */

/* A loop without a checkpoint deals large batches first: half of an equal share of what is left. */
static size_t batch_size(const struct tamis_mpi_deal *d, size_t threads)
{
    size_t left = d->l->count - d->next, share = left / (2 * (size_t)d->m->size);
    if (d->l->alone) return 1;
    if (!d->l->keep && share > threads) threads = share;
    return threads < MOST ? threads : MOST;
}

static size_t deal(struct tamis_mpi_deal *d, size_t threads, uint64_t *list)
{
    size_t n = 0;
    pthread_mutex_lock(&d->lock);
    for (size_t most = batch_size(d, threads); n < most && d->next < d->l->count && d->next < d->failed; d->next++)
        if (!d->slot[d->next].here) list[n++] = d->next;
    pthread_mutex_unlock(&d->lock);
    return n;
}

static void put(struct tamis_mpi_deal *d, size_t item, struct slot s)
{
    pthread_mutex_lock(&d->lock);
    d->slot[item] = s;
    if (s.failed && item < d->failed) d->failed = item;
    d->news += !s.here && !s.failed;
    pthread_mutex_unlock(&d->lock);
}

/* ---- rank 0: the thread that answers ---- */

struct head { uint64_t item, failed; };

static int receive_item(struct tamis_mpi_deal *d, const MPI_Status *s)
{
    int n;
    struct head h;
    MPI_Get_count(s, MPI_BYTE, &n);
    unsigned char *bytes = malloc((size_t)n);
    if (!bytes) return TAMIS_MEMORY;
    MPI_Recv(bytes, n, MPI_BYTE, s->MPI_SOURCE, s->MPI_TAG, d->m->talk, MPI_STATUS_IGNORE);
    memcpy(&h, bytes, sizeof h);
    memmove(bytes, bytes + sizeof h, (size_t)n - sizeof h);
    put(d, (size_t)h.item, (struct slot){bytes, (size_t)n - sizeof h, 0, h.failed != 0});
    return TAMIS_OK;
}

/* Whether there was something to deal. */
static int answer(struct tamis_mpi_deal *d, int rank)
{
    uint64_t threads, list[MOST];
    MPI_Recv(&threads, sizeof threads, MPI_BYTE, rank, TAMIS_MPI_ASK, d->m->talk, MPI_STATUS_IGNORE);
    size_t n = deal(d, (size_t)threads, list);
    MPI_Send(list, (int)(n * sizeof *list), MPI_BYTE, rank, TAMIS_MPI_DEAL, d->m->talk);
    return n > 0;
}

static void *answer_all(void *arg)
{
    struct tamis_mpi_deal *d = arg;
    struct tamis_mpi *m = d->m;
    struct tamis_mpi_pause p = {0};
    int left = m->size - 1, there;
    while (left && !atomic_load(&m->alarmed) && !atomic_load(&d->quit)) {
        MPI_Status s;
        MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, m->talk, &there, &s);
        if (!there) tamis_mpi_pause(&p);
        else p.nanoseconds = 0;
        if (there && s.MPI_TAG == TAMIS_MPI_ALARM) tamis_mpi_hear(m, &s);
        if (there && s.MPI_TAG == TAMIS_MPI_ASK) left -= !answer(d, s.MPI_SOURCE);
        if (there && s.MPI_TAG == TAMIS_MPI_ITEM && receive_item(d, &s))
            tamis_mpi_raise(m, TAMIS_MEMORY, "out of memory: cannot receive the result of another rank");
    }
    atomic_store(&d->over, 1);
    return NULL;
}

/* As workers do, it blocks all signals. */
static int answer_start(struct tamis_mpi_deal *d, tamis_context *cx, pthread_t *thread)
{
    sigset_t every, before;
    sigfillset(&every);
    pthread_sigmask(SIG_BLOCK, &every, &before);
    int bad = pthread_create(thread, NULL, answer_all, d);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return bad ? tamis_fail(cx, TAMIS_SYSTEM, "cannot start a thread; raise the limit (ulimit -u)") : TAMIS_OK;
}

/* ---- items computed here ---- */

/* Notes which item failed. */
struct caught { const struct tamis_items *l; pthread_mutex_t lock; size_t failed; };

static int caught_run(void *arg, size_t item, int worker)
{
    struct caught *c = arg;
    int status = c->l->run(c->l->arg, item, worker);
    if (!status) return TAMIS_OK;
    pthread_mutex_lock(&c->lock);
    if (item < c->failed) c->failed = item;
    pthread_mutex_unlock(&c->lock);
    return status;
}

typedef int emit_function(struct tamis_mpi_deal *d, tamis_context *cx, size_t item, struct tamis_pack *p, int failed);

/* Computes the items and emits their bytes, or the bytes of a failure. */
static int batch_run(struct tamis_mpi_deal *d, tamis_context *cx, const uint64_t *list, size_t n, emit_function *emit)
{
    struct caught c = {d->l, PTHREAD_MUTEX_INITIALIZER, SIZE_MAX};
    struct tamis_items l = *d->l;
    struct tamis_pack p;
    size_t item[MOST];
    for (size_t k = 0; k < n; k++) item[k] = (size_t)list[k];
    l.run = caught_run, l.arg = &c, l.has = NULL, l.keep = NULL;
    int status = tamis_items_local(cx, &l, item, n);
    if (status && c.failed == SIZE_MAX) return status;          /* stopped between items */
    if (status) {
        int packed = tamis_item_pack_failure(cx, &p), stays = tamis_forgive(cx, TAMIS_OK);
        status = stays ? stays : packed ? packed : emit(d, cx, c.failed, &p, 1);
        tamis_pack_free(&p);
    }
    for (size_t k = 0; k < n && item[k] < c.failed && !status; k++) {
        status = tamis_item_pack(cx, d->l, item[k], &p);
        if (!status) status = emit(d, cx, item[k], &p, 0);
        tamis_pack_free(&p);
    }
    return status;
}

/* ---- rank 0: its own items ---- */

/* Takes the bytes. */
static int emit_here(struct tamis_mpi_deal *d, tamis_context *cx, size_t item, struct tamis_pack *p, int failed)
{
    (void)cx;
    put(d, item, (struct slot){p->bytes, p->length, !failed, failed});
    p->bytes = NULL;
    return TAMIS_OK;
}

static int place(struct tamis_mpi_deal *d, tamis_context *cx, size_t item)
{
    pthread_mutex_lock(&d->lock);
    struct slot *s = &d->slot[item], had = *s;
    int wanted = s->bytes && !s->here && !s->failed;
    if (wanted) s->here = 1, d->news--;
    pthread_mutex_unlock(&d->lock);
    return wanted ? tamis_item_unpack(cx, d->l, item, had.bytes, had.n) : TAMIS_OK;
}

static size_t news(struct tamis_mpi_deal *d)
{
    pthread_mutex_lock(&d->lock);
    size_t n = d->news;
    pthread_mutex_unlock(&d->lock);
    return n;
}

/* What came is put in place and kept. */
static int keep(struct tamis_mpi_deal *d, tamis_context *cx)
{
    int status = TAMIS_OK;
    d->kept = tamis_clock();
    if (!d->l->keep || d->keeping) return TAMIS_OK;
    d->keeping = 1;
    for (size_t i = 0; i < d->l->count && !status && news(d); i++) status = place(d, cx, i);
    if (!status) status = d->l->keep(d->l->arg);
    d->keeping = 0;
    return status;
}

/* Items of which rank 0 computes one at a time may be long: what the others have finished is kept meanwhile. */
int tamis_mpi_deal_poll(struct tamis_mpi_deal *d, tamis_context *cx)
{
    static const double often = 2;
    int status = tamis_mpi_alarmed(d->m, cx);
    if (!status && d->l->alone && tamis_clock() - d->kept > often && news(d)) status = keep(d, cx);
    return status != TAMIS_OK;
}

static int own_items(struct tamis_mpi_deal *d, tamis_context *cx)
{
    struct tamis_mpi_pause p = {0};
    uint64_t list[MOST];
    int status = TAMIS_OK;
    for (size_t n; !status && (n = deal(d, (size_t)tamis_threads(cx), list));) {
        status = batch_run(d, cx, list, n, emit_here);
        if (!status) status = keep(d, cx);
    }
    while (!status && !atomic_load(&d->over)) {
        status = tamis_check_cancel(cx);
        if (!status && news(d)) status = keep(d, cx);
        tamis_mpi_pause(&p);
    }
    return status ? status : tamis_mpi_alarmed(d->m, cx);
}

static int lead(struct tamis_mpi_deal *d, tamis_context *cx)
{
    pthread_t thread;
    int status = answer_start(d, cx, &thread);
    if (status) return status;
    d->m->deal = d;
    status = own_items(d, cx);
    atomic_store(&d->quit, status != TAMIS_OK);
    pthread_join(thread, NULL);
    d->m->deal = NULL;
    return status;
}

/* ---- the other ranks ---- */

static int emit_away(struct tamis_mpi_deal *d, tamis_context *cx, size_t item, struct tamis_pack *p, int failed)
{
    const struct head h = {item, (uint64_t)failed};
    MPI_Request r;
    size_t n = sizeof h + p->length;
    if (n > INT32_MAX) return tamis_fail(cx, TAMIS_SYSTEM, "an item of %zu bytes is too long for a message", n);
    unsigned char *bytes = tamis_raw(cx, unsigned char, n);
    if (!bytes) return TAMIS_MEMORY;
    memcpy(bytes, &h, sizeof h);
    memcpy(bytes + sizeof h, p->bytes, p->length);
    d->slot[item].here = !failed;
    MPI_Isend(bytes, (int)n, MPI_BYTE, 0, TAMIS_MPI_ITEM, d->m->talk, &r);
    tamis_mpi_wait(d->m, &r);
    tamis_free(bytes);
    return TAMIS_OK;
}

/* The items that rank 0 deals; *n is 0 where nothing is left. */
static int ask(struct tamis_mpi_deal *d, tamis_context *cx, uint64_t *list, size_t *n)
{
    struct tamis_mpi_pause p = {0};
    uint64_t threads = (uint64_t)tamis_threads(cx);
    MPI_Status s;
    int there = 0, bytes, status = TAMIS_OK;
    MPI_Send(&threads, sizeof threads, MPI_BYTE, 0, TAMIS_MPI_ASK, d->m->talk);
    while (!status) {
        MPI_Iprobe(0, TAMIS_MPI_DEAL, d->m->talk, &there, &s);
        if (there) break;
        status = tamis_mpi_look(d->m, cx);
        tamis_mpi_pause(&p);
    }
    if (status) return status;
    MPI_Get_count(&s, MPI_BYTE, &bytes);
    MPI_Recv(list, bytes, MPI_BYTE, 0, TAMIS_MPI_DEAL, d->m->talk, MPI_STATUS_IGNORE);
    *n = (size_t)bytes / sizeof *list;
    return TAMIS_OK;
}

static int follow(struct tamis_mpi_deal *d, tamis_context *cx)
{
    uint64_t list[MOST];
    size_t n = 0;
    int status = ask(d, cx, list, &n);
    while (!status && n) {
        status = batch_run(d, cx, list, n, emit_away);
        if (!status) status = ask(d, cx, list, &n);
    }
    return status;
}

/* ---- all bytes to all ranks ---- */

/* Items with bytes, up to the lowest that failed: item, length, bytes. */
static int parcel_make(struct tamis_mpi_deal *d, tamis_context *cx, unsigned char **parcel, size_t *n)
{
    size_t last = d->failed < d->l->count ? d->failed + 1 : d->l->count;
    *n = 0;
    for (size_t i = 0; i < last; i++) *n += d->slot[i].bytes ? 2 * sizeof(uint64_t) + d->slot[i].n : 0;
    unsigned char *to = *parcel = tamis_raw(cx, unsigned char, *n + 1);
    if (!to) return TAMIS_MEMORY;
    for (size_t i = 0; i < last; i++) {
        const uint64_t head[2] = {i, d->slot[i].n};
        if (!d->slot[i].bytes) continue;
        memcpy(to, head, sizeof head);
        memcpy(to + sizeof head, d->slot[i].bytes, d->slot[i].n);
        to += sizeof head + d->slot[i].n;
    }
    return TAMIS_OK;
}

static int parcel_open(struct tamis_mpi_deal *d, tamis_context *cx, const unsigned char *parcel, size_t n)
{
    int status = TAMIS_OK;
    for (size_t at = 0; at < n && !status;) {
        uint64_t head[2];
        memcpy(head, parcel + at, sizeof head);
        at += sizeof head;
        if (!d->slot[head[0]].here)
            status = tamis_item_unpack(cx, d->l, (size_t)head[0], parcel + at, (size_t)head[1]);
        at += (size_t)head[1];
        if (status && at == n && status != TAMIS_MEMORY)        /* the item that failed is the last */
            tamis_snprintf(d->m->common, sizeof d->m->common, "%s", tamis_error(cx));
    }
    return status;
}

/* A failure of a rank before the second meeting is an alarm at that one. */
static int spread(struct tamis_mpi_deal *d, tamis_context *cx)
{
    struct tamis_mpi *m = d->m;
    const struct tamis_mpi_seat wish = {TAMIS_MPI_GATHER, d->l->count, 0};
    unsigned char *parcel = NULL;
    size_t n = 0;
    int status = m->rank ? TAMIS_OK : parcel_make(d, cx, &parcel, &n);
    if (!status) status = tamis_mpi_meet(m, cx, wish, "the items of a loop");
    if (!status) tamis_mpi_broadcast(m, &n, sizeof n);
    if (!status && m->rank && !(parcel = tamis_raw(cx, unsigned char, n + 1))) status = TAMIS_MEMORY;
    if (!status) status = tamis_mpi_meet(m, cx, wish, "the items of a loop");
    if (!status) tamis_mpi_broadcast(m, parcel, n);
    if (!status) status = parcel_open(d, cx, parcel, n);
    tamis_free(parcel);
    return status;
}

/* ---- the loop ---- */

static int deal_begin(struct tamis_mpi_deal *d, tamis_context *cx)
{
    d->slot = tamis_new(cx, struct slot, d->l->count);
    for (size_t i = 0; d->slot && i < d->l->count; i++) d->slot[i].here = d->l->has && d->l->has(d->l->arg, i);
    return tamis_status(cx);
}

static void deal_end(struct tamis_mpi_deal *d)
{
    for (size_t i = 0; d->slot && i < d->l->count; i++) tamis_free(d->slot[i].bytes);
    tamis_free(d->slot);
    pthread_mutex_destroy(&d->lock);
}

int tamis_mpi_loop(void *self, tamis_context *cx, const struct tamis_items *l)
{
    struct tamis_mpi *m = self;
    struct tamis_mpi_deal d = {.m = m, .l = l, .lock = PTHREAD_MUTEX_INITIALIZER, .failed = SIZE_MAX,
                               .kept = tamis_clock()};
    const struct tamis_mpi_seat wish = {TAMIS_MPI_LOOP, tamis_checksum(l->key, strlen(l->key), l->count), l->state};
    int status = deal_begin(&d, cx);
    if (!status) status = tamis_mpi_meet(m, cx, wish, l->key);
    if (!status) status = m->rank ? follow(&d, cx) : lead(&d, cx);
    if (!status) status = spread(&d, cx);
    if (!status && l->keep) status = l->keep(l->arg);
    deal_end(&d);
    return status;
}
