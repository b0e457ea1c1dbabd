/* Loops over coarse independent items: outer folds, resamples, half-samples, knockoff draws, chains, cells of a grid.
 *
 * A loop says how an item is computed, and how what it found becomes bytes and comes back from them. By itself the loop
 * is tamis_parallel(). A context may have a runner instead, which computes the items elsewhere, takes them from files,
 * or both; the numbers are the same, as an item depends on nothing but its index and on what all processes have.
 *
 * How a runner plugs in (shard.c has one; a runner over a network is the same):
 *
 * - tamis_runner_set(cx, &r) before tamis_select or tamis_compare. Every process makes the same call with the same
 *   table and options, so that all of them come to the same loops in the same order.
 * - r.loop(r.self, cx, l) is called once per loop, on the calling thread, for outermost loops only: what an item runs
 *   inside itself stays in its process. It returns TAMIS_OK once every item is in place: computed here by
 *   tamis_items_local (a list of items, with all threads), or put there by tamis_item_unpack.
 * - Items that l->has() names came from a checkpoint, are in place in every process that read it, and are not dealt.
 * - tamis_item_pack makes the bytes of an item that was computed here, tamis_item_pack_failure those of one that
 *   failed: bytes of a failure, unpacked, are the same failure with the same sentence. Unpack in the order of the
 *   items, so that the lowest failure is the one reported; after a failure only the items below it matter.
 * - l->state is a checksum of what the items start from. It must be the same in all processes; where it is not, their
 *   CPUs round differently, and the loop must fail with a sentence.
 * - l->key, text, names the loop: the part of the run, and its number there.
 * - l->keep(l->arg), if not NULL, writes a checkpoint of all items that are in place: call it now and then, in one
 *   process. tamis_checkpoint_save and tamis_checkpoint_resume (pack.h) are the only ways to such files.
 * - A runner that leaves items to others returns tamis_items_elsewhere(cx): the run unwinds to where the next loop can
 *   be reached without this one (tamis_items_go_on). */
#ifndef TAMIS_ITEMS_H
#define TAMIS_ITEMS_H

#include "base/pack.h"
#include "base/parallel.h"

struct tamis_items {
    const char *name;           /* "draws" */
    size_t count;
    uint64_t state;             /* checksum of what all items start from */
    tamis_body *run;            /* computes an item, into arg by index */
    void (*pack)(const void *arg, size_t item, struct tamis_pack *p);   /* what it found */
    void (*unpack)(void *arg, size_t item, struct tamis_unpack *u);     /* u->failed where the bytes make no sense */
    void *arg;
    int (*has)(const void *arg, size_t item);   /* NULL, or whether arg has the result of the item already */
    int (*keep)(void *arg);     /* NULL, or saves a checkpoint; called between items; a status */
    int alone;                  /* an item has parallel loops of its own: one item at a time */
    int spares;                 /* the run can do without an item that fails */
    int every;                  /* later loops start from this one: where items are not gathered, all compute it */
    const char *key;            /* filled by tamis_items_run */
};
int tamis_items_run(tamis_context *cx, const struct tamis_items *l);

/* What the loops that follow belong to: "selection", "outer", the name of a contender. Their numbers begin anew. */
void tamis_items_part(tamis_context *cx, const char *part);

/* ---- for runners ---- */

struct tamis_runner {
    void *self;
    int (*loop)(void *self, tamis_context *cx, const struct tamis_items *l);
    int partial;                /* loops may end with tamis_items_elsewhere: the run has no result */
    int keeps;                  /* it keeps finished items in a file of its own: the run writes no checkpoints */
    int follows;                /* another process reads and writes the files of the run (base/share.h) */
    int (*share)(void *self, tamis_context *cx, int status, void *bytes, size_t n);    /* tamis_share; NULL: alone */
    int (*poll)(void *self, tamis_context *cx);        /* on the calling thread, often: nonzero stops the run */
    int rank, ranks;            /* this process among those of the run; 0, 0: it is alone */
    /* Sends n bytes to process `to` while it receives those of process `from` into *in (tamis_free); -1: to or from
     * none. NULL: there are no others. For base/spread.h. */
    int (*exchange)(void *self, tamis_context *cx, int to, const void *out, size_t n, int from, void **in, size_t *ins);
};
void tamis_runner_set(tamis_context *cx, const struct tamis_runner *r);        /* NULL: none; not copied */
const struct tamis_runner *tamis_runner_of(const tamis_context *cx);           /* NULL: none, or within an item */

/* Computes n items of the loop here, those of `list` or, if that is NULL, the first n, except those that it has. */
int tamis_items_local(tamis_context *cx, const struct tamis_items *l, const size_t *list, size_t n);
/* The bytes of an item, ended with their checksum; the caller frees p in any case. */
int tamis_item_pack(tamis_context *cx, const struct tamis_items *l, size_t item, struct tamis_pack *p);
int tamis_item_pack_failure(tamis_context *cx, struct tamis_pack *p);          /* of the failure in cx */
/* Puts an item in place; TAMIS_DATA if the bytes are not one, or the failure that they are of. */
int tamis_item_unpack(tamis_context *cx, const struct tamis_items *l, size_t item, const void *bytes, size_t n);

/* Fails with TAMIS_ELSEWHERE: the items are computed, but not all of them here. Not a status of tamis.h. */
enum { TAMIS_ELSEWHERE = 100 };
int tamis_items_elsewhere(tamis_context *cx);
/* After a part of the run that the next one can do without: TAMIS_OK in place of TAMIS_ELSEWHERE, which is cleared. */
int tamis_items_go_on(tamis_context *cx, int status);

#endif
