/* A run in parts: each of several processes computes its share of the items of every loop (items.h) and writes them to
 * a file, a part; a last process takes all items from the parts and finishes the run.
 *
 * Items are dealt in turn, over all loops of the run: item k after d items of earlier loops belongs to part
 * (d + k) mod N + 1. The results of loops that later ones start from are computed by every part and written by the one
 * that they belong to. */
#ifndef TAMIS_SHARD_H
#define TAMIS_SHARD_H

#include "base/items.h"

/* The result of an item, or its failure, as bytes. */
struct tamis_shard_item { size_t index; int own; unsigned char *bytes; size_t n; };

struct tamis_shard_loop {
    char *key;
    size_t count;                       /* items of the loop */
    uint64_t state;
    size_t items, room;                 /* those that are here */
    struct tamis_shard_item *item;
};

/* What parts of one run have in common: "--outer", "5". */
struct tamis_shard_fact { char *key, *value; };

struct tamis_shard {
    tamis_context *cx;
    struct tamis_runner runner;
    size_t index, count;                /* part `index` of `count`, from 1 on; index 0: all parts are being joined */
    size_t dealt;                       /* items of the loops so far */
    size_t facts, loops, words;
    struct tamis_shard_fact *fact;
    struct tamis_shard_loop *loop;
    char **word;                        /* the command */
    size_t parts;                       /* that were read: */
    struct tamis_shard_source { char *file; size_t index; } *part;
    char *checkpoint;                   /* file of the items so far; NULL: none */
    double saved_at;
    int complete;                       /* the run was gone through to its end */
};

struct tamis_shard *tamis_shard_of(const tamis_context *cx);            /* NULL: the run is not in parts */
void tamis_shard_clear(struct tamis_shard *s);         /* frees what it points to */
void tamis_shard_free(struct tamis_shard *s);           /* and itself */

/* At the beginning of a run: what it has in common with the other parts, and the command. */
int tamis_shard_fact_add(struct tamis_shard *s, const char *key, const char *value);
int tamis_shard_words(struct tamis_shard *s, char *const *word, size_t words);
/* Then: reads the checkpoint (or NULL) if there is one. */
int tamis_shard_start(struct tamis_shard *s, const char *checkpoint);
/* The first fact in which a and b differ, as "--outer 5, not 4"; 0: there is none. */
enum { TAMIS_SHARD_DIFFERENCE = 400 };
int tamis_shard_differs(const struct tamis_shard *a, const struct tamis_shard *b, char text[TAMIS_SHARD_DIFFERENCE]);

/* The loop of that key, or a new one (NULL: no memory); and a result for it, whose bytes it takes over. */
struct tamis_shard_loop *tamis_shard_loop_find(struct tamis_shard *s, const char *key);
struct tamis_shard_loop *tamis_shard_loop_add(struct tamis_shard *s, const char *key, size_t count, uint64_t state);
int tamis_shard_item_add(struct tamis_shard *s, struct tamis_shard_loop *k, struct tamis_shard_item item);

/* The file (shard_file.c). all: also items of other parts, for a checkpoint. */
int tamis_shard_write(struct tamis_shard *s, const char *path, int all);
int tamis_shard_read(struct tamis_shard *s, const void *bytes, size_t n);      /* into an empty one */

#endif
