/* The file of a part, and its checkpoint, which has the same fields:
 *     index, count, complete | facts: key, value | words of the command
 *     loops: key, count, state, items: index, own, bytes, in increasing order of the index */
#include <stdlib.h>
#include <unistd.h>
#include "base/shard.h"
#include "base/text.h"

enum { VERSION = 1 };

/* ---- writing ---- */

static int by_index(const void *a, const void *b)
{
    const struct tamis_shard_item *x = a, *y = b;
    return (x->index > y->index) - (x->index < y->index);
}

/* Items in order, whichever was computed first. */
static void loop_pack(struct tamis_shard_loop *k, int all, struct tamis_pack *p)
{
    size_t n = 0;
    if (k->items) qsort(k->item, k->items, sizeof *k->item, by_index);
    for (size_t i = 0; i < k->items; i++) n += all || k->item[i].own;
    tamis_pack_str(p, k->key);
    tamis_pack_u64(p, k->count);
    tamis_pack_u64(p, k->state);
    tamis_pack_u64(p, n);
    for (size_t i = 0; i < k->items; i++) {
        if (!all && !k->item[i].own) continue;
        tamis_pack_u64(p, k->item[i].index);
        tamis_pack_u64(p, (uint64_t)k->item[i].own);
        tamis_pack_bytes(p, k->item[i].bytes, k->item[i].n);
    }
}

int tamis_shard_write(struct tamis_shard *s, const char *path, int all)
{
    struct tamis_pack p;
    tamis_pack_begin(&p, s->cx, "PART", VERSION);
    tamis_pack_u64(&p, s->index);
    tamis_pack_u64(&p, s->count);
    tamis_pack_u64(&p, (uint64_t)!all);
    tamis_pack_u64(&p, s->facts);
    for (size_t i = 0; i < s->facts; i++) {
        tamis_pack_str(&p, s->fact[i].key);
        tamis_pack_str(&p, s->fact[i].value);
    }
    tamis_pack_u64(&p, s->words);
    for (size_t i = 0; i < s->words; i++) tamis_pack_str(&p, s->word[i]);
    tamis_pack_u64(&p, s->loops);
    for (size_t i = 0; i < s->loops; i++) loop_pack(&s->loop[i], all, &p);
    return tamis_pack_write(&p, path);
}

/* ---- reading ---- */

/* A text that must be there; the caller frees it. */
static char *text_unpack(struct tamis_unpack *u)
{
    char *s = tamis_unpack_str(u);
    if (!s) u->failed = 1;
    return s;
}

static void facts_unpack(struct tamis_shard *s, struct tamis_unpack *u)
{
    for (size_t n = (size_t)tamis_unpack_u64(u, u->length); n && !u->failed; n--) {
        char *key = text_unpack(u), *value = text_unpack(u);
        if (!u->failed && tamis_shard_fact_add(s, key, value)) u->failed = 1;
        tamis_free(key);
        tamis_free(value);
    }
}

static void words_unpack(struct tamis_shard *s, struct tamis_unpack *u)
{
    size_t n = (size_t)tamis_unpack_u64(u, (u->length - u->at) / 8);
    if (u->failed || !(s->word = tamis_new(s->cx, char *, n))) u->failed = 1;
    for (; s->words < n && !u->failed; s->words += !u->failed) s->word[s->words] = text_unpack(u);
}

static void items_unpack(struct tamis_shard *s, struct tamis_shard_loop *k, struct tamis_unpack *u)
{
    size_t least = 0;
    for (size_t n = (size_t)tamis_unpack_u64(u, k->count); n && !u->failed; n--) {
        struct tamis_shard_item t = {.index = (size_t)tamis_unpack_u64(u, k->count - 1)};
        t.own = (int)tamis_unpack_u64(u, 1);
        if (t.index < least) u->failed = 1;
        if (!u->failed) t.bytes = tamis_unpack_bytes(u, &t.n);
        if (t.bytes && tamis_shard_item_add(s, k, t)) u->failed = 1;
        least = t.index + 1;
    }
}

static void loops_unpack(struct tamis_shard *s, struct tamis_unpack *u)
{
    for (size_t n = (size_t)tamis_unpack_u64(u, u->length); n && !u->failed; n--) {
        char *key = text_unpack(u);
        size_t count = (size_t)tamis_unpack_u64(u, UINT32_MAX);
        uint64_t state = tamis_unpack_u64(u, UINT64_MAX);
        int again = key && tamis_shard_loop_find(s, key);
        struct tamis_shard_loop *k = u->failed || again ? NULL : tamis_shard_loop_add(s, key, count, state);
        if (k) items_unpack(s, k, u);
        else u->failed = 1;
        tamis_free(key);
    }
}

int tamis_shard_read(struct tamis_shard *s, const void *bytes, size_t n)
{
    struct tamis_unpack u;
    int status = tamis_unpack_begin(&u, s->cx, bytes, n, "PART", VERSION, "part");
    if (status) return status;
    s->index = (size_t)tamis_unpack_u64(&u, UINT32_MAX);
    s->count = (size_t)tamis_unpack_u64(&u, UINT32_MAX);
    s->complete = (int)tamis_unpack_u64(&u, 1);
    if (!s->index || s->index > s->count) u.failed = 1;
    facts_unpack(s, &u);
    words_unpack(s, &u);
    loops_unpack(s, &u);
    return tamis_unpack_end(&u, "part");
}

/* ---- the beginning of a run ---- */

/* What the checkpoint says must be of this part of this run; its items move here. */
static int checkpoint_take(struct tamis_shard *s, struct tamis_shard *kept)
{
    char text[TAMIS_SHARD_DIFFERENCE] = "";
    if (kept->index != s->index || kept->count != s->count)
        return tamis_fail(s->cx, TAMIS_USAGE, "the checkpoint is of part %zu of %zu; name another for this part",
                          kept->index, kept->count);
    if (kept->complete || tamis_shard_differs(kept, s, text))
        return tamis_fail(s->cx, TAMIS_USAGE, "the checkpoint belongs to another run (%s); remove it or name another",
                          kept->complete ? "a finished part" : text);
    s->loop = kept->loop;
    s->loops = kept->loops;
    kept->loop = NULL;
    kept->loops = 0;
    return TAMIS_OK;
}

static int checkpoint_resume(struct tamis_shard *s)
{
    struct tamis_shard *kept = tamis_new(s->cx, struct tamis_shard, 1);
    unsigned char *bytes = NULL;
    size_t n = 0;
    if (kept) kept->cx = s->cx;
    int status = kept ? tamis_file_read(s->cx, s->checkpoint, &bytes, &n) : tamis_status(s->cx);
    if (!status) {
        status = tamis_shard_read(kept, bytes, n);
        if (!status) status = checkpoint_take(s, kept);
        if (status) status = tamis_fail_at(s->cx, s->checkpoint);
    }
    tamis_free(bytes);
    tamis_shard_free(kept);
    return status;
}

/* "parts 2, 5 of 7 are missing" */
static int parts_check(const struct tamis_shard *s)
{
    struct tamis_text t = {.cx = s->cx};
    size_t missing = 0;
    for (size_t k = 1; k <= s->count; k++) {
        size_t i = 0;
        while (i < s->parts && s->part[i].index != k) i++;
        if (i == s->parts && ++missing <= 20) tamis_text_printf(&t, "%s%zu", missing > 1 ? ", " : "", k);
    }
    if (missing && !tamis_status(s->cx))
        tamis_fail(s->cx, TAMIS_USAGE, "part%s %s%s of %zu %s missing; give all parts of the run",
                   missing > 1 ? "s" : "", t.s, missing > 20 ? ", ..." : "", s->count, missing > 1 ? "are" : "is");
    tamis_text_free(&t);
    return tamis_status(s->cx);
}

int tamis_shard_start(struct tamis_shard *s, const char *checkpoint)
{
    if (!s->index) return parts_check(s);
    s->saved_at = tamis_clock();
    if (checkpoint && !(s->checkpoint = tamis_strdup(s->cx, checkpoint))) return tamis_status(s->cx);
    return checkpoint && !access(checkpoint, F_OK) ? checkpoint_resume(s) : TAMIS_OK;
}
