/* Rows that are spread over the processes of a run: process k holds those after the rows of process k - 1, in the order
 * of the file. All processes make the same calls in the same order.
 *
 * Sums over rows have the digits of one process that holds all: a running total goes from process to process (take,
 * the process's own rows, give), or the sum is exact and its order does not matter. */
#ifndef TAMIS_SPREAD_H
#define TAMIS_SPREAD_H

#include "base/items.h"

struct tamis_spread {
    tamis_context *cx;
    int rank, ranks;
    size_t before, all;                 /* rows of the processes before this one, and of all */
};

void tamis_spread_begin(tamis_context *cx, struct tamis_spread *s);     /* rank and ranks: 0 and 1 without a runner */
int tamis_spread_count(struct tamis_spread *s, size_t rows);            /* before and all */

/* Whether other processes hold rows too; s may be NULL. */
static inline int tamis_spread_shared(const struct tamis_spread *s) { return s && s->ranks > 1; }

/* A running total of n bytes: take gives what it is after the rows of the processes before (of the first process: it
 * stays), give hands it to the next, and the last total to all. Both do nothing where rows are not shared. One
 * total at a time: between take and give there is no other call. */
int tamis_spread_take(const struct tamis_spread *s, void *total, size_t n);
int tamis_spread_give(const struct tamis_spread *s, void *total, size_t n);
/* all[rank]: the n bytes of each process. */
int tamis_spread_gather(const struct tamis_spread *s, const void *own, size_t n, void *all);

/* Bytes for each process: out[k] goes to process k, and in[k] is what it has sent here. */
struct tamis_bytes { void *at; size_t n; };
int tamis_spread_deal(const struct tamis_spread *s, const struct tamis_bytes *out, struct tamis_bytes *in);
/* n records of `size` bytes, each beginning with 8 bytes of hash by which it goes to one of the processes. Of equal
 * ones all come to the same. in[k]: those from process k, `came` bytes in all; place[i]: where record i stands among
 * those for its process, owner[i]. tamis_deal_free in any case. */
struct tamis_deal {
    struct tamis_bytes *in, *out;
    size_t came;
    int *owner;
    size_t *place;
};
int tamis_deal_make(const struct tamis_spread *s, const void *record, size_t n, size_t size, struct tamis_deal *d);
void tamis_deal_free(const struct tamis_spread *s, struct tamis_deal *d);
/* *b goes to the process before (from the first to the last), and becomes that of the next. */
int tamis_spread_turn(const struct tamis_spread *s, struct tamis_bytes *b);

#endif
