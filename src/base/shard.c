/* The shares of a run in parts, and their union; see shard.h. */
#include <string.h>
#include "base/context.h"
#include "base/format.h"
#include "base/shard.h"

static const double save_seconds = 2;

/* ---- memory ---- */

static void loop_free(struct tamis_shard_loop *k)
{
    for (size_t i = 0; i < k->items; i++) tamis_free(k->item[i].bytes);
    tamis_free(k->item);
    tamis_free(k->key);
}

void tamis_shard_clear(struct tamis_shard *s)
{
    for (size_t i = 0; i < s->loops; i++) loop_free(&s->loop[i]);
    for (size_t i = 0; i < s->facts; i++) tamis_free(s->fact[i].key), tamis_free(s->fact[i].value);
    for (size_t i = 0; i < s->parts; i++) tamis_free(s->part[i].file);
    tamis_strings_free(s->word, s->words);
    tamis_free(s->loop);
    tamis_free(s->fact);
    tamis_free(s->part);
    tamis_free(s->checkpoint);
}

void tamis_shard_free(struct tamis_shard *s)
{
    if (s) tamis_shard_clear(s);
    tamis_free(s);
}

struct tamis_shard_loop *tamis_shard_loop_find(struct tamis_shard *s, const char *key)
{
    for (size_t i = 0; i < s->loops; i++)
        if (!strcmp(s->loop[i].key, key)) return &s->loop[i];
    return NULL;
}

struct tamis_shard_loop *tamis_shard_loop_add(struct tamis_shard *s, const char *key, size_t count, uint64_t state)
{
    struct tamis_shard_loop *more = tamis_grow(s->cx, s->loop, s->loops + 1, sizeof *more);
    if (!more) return NULL;
    s->loop = more;
    more[s->loops] = (struct tamis_shard_loop){.key = tamis_strdup(s->cx, key), .count = count, .state = state};
    return more[s->loops].key ? &more[s->loops++] : NULL;
}

int tamis_shard_item_add(struct tamis_shard *s, struct tamis_shard_loop *k, struct tamis_shard_item item)
{
    if (k->items == k->room) {
        size_t room = k->room ? 2 * k->room : 8;
        struct tamis_shard_item *more = tamis_grow(s->cx, k->item, room, sizeof *more);
        if (!more) {
            tamis_free(item.bytes);
            return tamis_status(s->cx);
        }
        k->item = more;
        k->room = room;
    }
    k->item[k->items++] = item;
    return TAMIS_OK;
}

int tamis_shard_fact_add(struct tamis_shard *s, const char *key, const char *value)
{
    struct tamis_shard_fact *more = tamis_grow(s->cx, s->fact, s->facts + 1, sizeof *more);
    if (!more) return tamis_status(s->cx);
    s->fact = more;
    more[s->facts++] = (struct tamis_shard_fact){tamis_strdup(s->cx, key), tamis_strdup(s->cx, value)};
    return tamis_status(s->cx);
}

int tamis_shard_words(struct tamis_shard *s, char *const *word, size_t words)
{
    s->word = tamis_strings_copy(s->cx, (const char *const *)word, words, &s->words);
    return tamis_status(s->cx);
}

/* ---- what parts have in common ---- */

static const char *fact_find(const struct tamis_shard *s, const char *key)
{
    for (size_t i = 0; i < s->facts; i++)
        if (!strcmp(s->fact[i].key, key)) return s->fact[i].value;
    return NULL;
}

/* The first fact of a that b has not: "--outer 5, not 4", or, if b has no such fact, "--outer 5" after `none`. */
static int fact_missing(const struct tamis_shard *a, const struct tamis_shard *b, char text[TAMIS_SHARD_DIFFERENCE],
                        const char *none)
{
    for (size_t i = 0; i < a->facts; i++) {
        const char *key = a->fact[i].key, *value = fact_find(b, key);
        if (value && !strcmp(value, a->fact[i].value)) continue;
        if (value) tamis_snprintf(text, TAMIS_SHARD_DIFFERENCE, "%s %s, not %s", key, a->fact[i].value, value);
        else tamis_snprintf(text, TAMIS_SHARD_DIFFERENCE, "%s%s %s", none, key, a->fact[i].value);
        return 1;
    }
    return 0;
}

int tamis_shard_differs(const struct tamis_shard *a, const struct tamis_shard *b, char text[TAMIS_SHARD_DIFFERENCE])
{
    return fact_missing(a, b, text, "") || fact_missing(b, a, text, "no ");
}

/* ---- a share of a loop ---- */

/* Which results of a loop are here, by index; the caller frees the list. */
static const struct tamis_shard_item **items_by_index(struct tamis_shard *s, const struct tamis_shard_loop *k)
{
    const struct tamis_shard_item **at = tamis_new(s->cx, const struct tamis_shard_item *, k->count);
    for (size_t i = 0; at && i < k->items; i++) at[k->item[i].index] = &k->item[i];
    return at;
}

static int own(const struct tamis_shard *s, size_t item) { return (s->dealt + item) % s->count + 1 == s->index; }

/* The items to compute here, into list. Of a loop that later ones start from, results that are here go in place. */
static int share_list(struct tamis_shard *s, const struct tamis_items *l, const struct tamis_shard_loop *k,
                      size_t *list, size_t *n)
{
    const struct tamis_shard_item **at = items_by_index(s, k);
    int status = at ? TAMIS_OK : tamis_status(s->cx);
    *n = 0;
    for (size_t i = 0; i < l->count && !status; i++) {
        if (!at[i] && (l->every || own(s, i))) list[(*n)++] = i;
        if (at[i] && l->every) status = tamis_item_unpack(s->cx, l, i, at[i]->bytes, at[i]->n);
    }
    tamis_free(at);
    return status;
}

/* The result of an item, or the failure in cx, which is then forgiven. */
static int result_keep(struct tamis_shard *s, const struct tamis_items *l, struct tamis_shard_loop *k, size_t item,
                       int failed)
{
    struct tamis_pack p;
    int status = failed ? tamis_item_pack_failure(s->cx, &p) : tamis_item_pack(s->cx, l, item, &p);
    if (failed && !status) status = tamis_forgive(s->cx, TAMIS_OK);
    if (!status)
        return tamis_shard_item_add(s, k, (struct tamis_shard_item){item, own(s, item), p.bytes, p.length});
    tamis_pack_free(&p);
    return status;
}

static int checkpoint_save(struct tamis_shard *s, int now)
{
    if (!s->checkpoint || (!now && tamis_clock() - s->saved_at < save_seconds)) return TAMIS_OK;
    int status = tamis_shard_write(s, s->checkpoint, 1);
    s->saved_at = tamis_clock();
    return status;
}

/* An item that fails where the run can do without it ends the loop: the items after it do not matter. */
static int share_run(struct tamis_shard *s, const struct tamis_items *l, struct tamis_shard_loop *k, const size_t *list,
                     size_t n)
{
    size_t batch = l->alone ? 1 : s->checkpoint ? (size_t)tamis_threads(s->cx) : n;
    int status = TAMIS_OK, failed = 0;
    for (size_t first = 0; first < n && !status && !failed; first += batch) {
        size_t many = n - first < batch ? n - first : batch;
        status = tamis_items_local(s->cx, l, list + first, many);
        failed = status && l->spares && many == 1;
        if (failed) status = result_keep(s, l, k, list[first], 1);
        for (size_t i = 0; i < many && !status && !failed; i++) status = result_keep(s, l, k, list[first + i], 0);
        if (!status) status = checkpoint_save(s, 0);
    }
    return status;
}

static struct tamis_shard_loop *share_loop(struct tamis_shard *s, const struct tamis_items *l)
{
    struct tamis_shard_loop *k = tamis_shard_loop_find(s, l->key);
    if (!k) return tamis_shard_loop_add(s, l->key, l->count, l->state);
    if (k->count == l->count && k->state == l->state) return k;
    tamis_fail(s->cx, TAMIS_USAGE, "%s: the checkpoint belongs to another run: data, options or version differ; "
                                   "remove it or name another", s->checkpoint);
    return NULL;
}

static int share(void *self, tamis_context *cx, const struct tamis_items *l)
{
    struct tamis_shard *s = self;
    struct tamis_shard_loop *k = share_loop(s, l);
    size_t *list = tamis_raw(cx, size_t, l->count), n = 0;
    int status = k && list ? share_list(s, l, k, list, &n) : tamis_status(cx);
    if (!status) status = share_run(s, l, k, list, n);
    int saved = status && status != TAMIS_STOPPED ? status : checkpoint_save(s, 1);
    s->dealt += l->count;
    tamis_free(list);
    if (!status) status = saved;
    return status || l->every ? status : tamis_items_elsewhere(cx);
}

/* ---- the union ---- */

/* What the loops of the parts started from must be what the same loop starts from here. */
static int loop_fits(struct tamis_shard *s, const struct tamis_items *l, const struct tamis_shard_loop *k)
{
    if (k->count == l->count && k->state == l->state) return TAMIS_OK;
    return tamis_fail(s->cx, TAMIS_DATA,
                      "the parts were computed from numbers that differ from those here, as another CPU rounds them; "
                      "merge where the parts were computed");
}

static int loop_take(struct tamis_shard *s, const struct tamis_items *l, const struct tamis_shard_loop *k)
{
    const struct tamis_shard_item **at = items_by_index(s, k);
    int status = at ? TAMIS_OK : tamis_status(s->cx);
    for (size_t i = 0; i < l->count && !status; i++) {
        if (l->has && l->has(l->arg, i)) continue;
        status = at[i] ? tamis_item_unpack(s->cx, l, i, at[i]->bytes, at[i]->n)
                       : tamis_fail(s->cx, TAMIS_DATA, "%s: no part has item %zu of %zu; compute the parts again",
                                    l->key, i + 1, l->count);
    }
    tamis_free(at);
    return status;
}

/* Loops that no part has are computed here. */
static int join(void *self, tamis_context *cx, const struct tamis_items *l)
{
    struct tamis_shard *s = self;
    const struct tamis_shard_loop *k = tamis_shard_loop_find(s, l->key);
    if (!k) return tamis_items_local(cx, l, NULL, l->count);
    int status = loop_fits(s, l, k);
    return status ? status : loop_take(s, l, k);
}

/* ---- the context's ---- */

struct tamis_shard *tamis_shard_of(const tamis_context *cx) { return cx->items.shard; }

void tamis_shard_end(tamis_context *cx)
{
    if (cx->items.shard) tamis_runner_set(cx, NULL);
    tamis_shard_free(cx->items.shard);
    cx->items.shard = NULL;
}

static struct tamis_shard *shard_new(tamis_context *cx, size_t index, size_t count)
{
    struct tamis_shard *s = tamis_new(cx, struct tamis_shard, 1);
    if (!s) return NULL;
    *s = (struct tamis_shard){.cx = cx, .index = index, .count = count};
    s->runner = (struct tamis_runner){s, index ? share : join, index != 0, index != 0};
    return s;
}

static struct tamis_shard *shard_begin(tamis_context *cx, size_t index, size_t count)
{
    tamis_shard_end(cx);
    cx->items.shard = shard_new(cx, index, count);
    if (cx->items.shard) tamis_runner_set(cx, &cx->items.shard->runner);
    return cx->items.shard;
}

int tamis_shard_begin(tamis_context *cx, size_t index, size_t count)
{
    TAMIS_CALL(cx);
    if (!index || index > count)
        return tamis_fail(cx, TAMIS_USAGE, "there is no part %zu of %zu; parts are numbered from 1", index, count);
    return shard_begin(cx, index, count) ? TAMIS_OK : tamis_status(cx);
}

/* A part of the same run as those before it, and none of them again. */
static int part_fits(const struct tamis_shard *s, const struct tamis_shard *part)
{
    char text[TAMIS_SHARD_DIFFERENCE];
    if (!part->complete)
        return tamis_fail(s->cx, TAMIS_DATA, "a checkpoint of a part; run the part to its end and give what it wrote");
    if (s->parts && part->count != s->count)
        return tamis_fail(s->cx, TAMIS_DATA, "part %zu of %zu, but %s is one of %zu", part->index, part->count,
                          s->part[0].file, s->count);
    for (size_t i = 0; i < s->parts; i++)
        if (s->part[i].index == part->index)
            return tamis_fail(s->cx, TAMIS_USAGE, "part %zu of %zu, as is %s; give each part once", part->index,
                              part->count, s->part[i].file);
    if (s->parts && tamis_shard_differs(part, s, text))
        return tamis_fail(s->cx, TAMIS_DATA, "a part of another run than %s: %s", s->part[0].file, text);
    return TAMIS_OK;
}

/* Moves the items of the part to those that are here. */
static int items_move(struct tamis_shard *s, struct tamis_shard *part)
{
    int status = TAMIS_OK;
    for (size_t i = 0; i < part->loops && !status; i++) {
        struct tamis_shard_loop *from = &part->loop[i], *to = tamis_shard_loop_find(s, from->key);
        if (!to) to = tamis_shard_loop_add(s, from->key, from->count, from->state);
        if (!to) return tamis_status(s->cx);
        if (to->count != from->count || to->state != from->state)
            return tamis_fail(s->cx, TAMIS_DATA, "computed from numbers that differ from those of %s, as another CPU "
                                                 "rounds them; compute all parts on CPUs of one kind", s->part[0].file);
        while (from->items && !status) status = tamis_shard_item_add(s, to, from->item[--from->items]);
    }
    return status;
}

static int part_join(struct tamis_shard *s, struct tamis_shard *part, const char *file)
{
    int status = part_fits(s, part);
    if (!status && !s->parts) {
        s->count = part->count;
        for (size_t i = 0; i < part->facts && !status; i++)
            status = tamis_shard_fact_add(s, part->fact[i].key, part->fact[i].value);
        if (!status) status = tamis_shard_words(s, part->word, part->words);
    }
    if (!status) status = items_move(s, part);
    struct tamis_shard_source *more = status ? NULL : tamis_grow(s->cx, s->part, s->parts + 1, sizeof *more);
    if (!more) return tamis_status(s->cx);
    s->part = more;
    more[s->parts].index = part->index;
    if ((more[s->parts].file = tamis_strdup(s->cx, file))) s->parts++;
    return tamis_status(s->cx);
}

int tamis_shard_add(tamis_context *cx, const char *path)
{
    TAMIS_CALL(cx);
    struct tamis_shard *s = cx->items.shard && !cx->items.shard->index ? cx->items.shard : shard_begin(cx, 0, 0),
                       *part = s ? shard_new(cx, 0, 0) : NULL;
    unsigned char *bytes = NULL;
    size_t n = 0;
    int status = part ? tamis_file_read(cx, path, &bytes, &n) : tamis_status(cx);
    if (!status) {
        status = tamis_shard_read(part, bytes, n);
        if (!status) status = part_join(s, part, path);
        if (status) status = tamis_fail_at(cx, path);
    }
    tamis_free(bytes);
    tamis_shard_free(part);
    return status;
}

int tamis_shard_command(const tamis_context *cx, const char *const **word)
{
    const struct tamis_shard *s = cx->items.shard;
    *word = s ? (const char *const *)s->word : NULL;
    return s ? (int)s->words : 0;
}

int tamis_shard_save(tamis_context *cx, const char *path)
{
    TAMIS_CALL(cx);
    struct tamis_shard *s = cx->items.shard;
    if (!s || !s->index || !s->complete)
        return tamis_fail(cx, TAMIS_USAGE, "there is no finished part of a run to be saved");
    return tamis_shard_write(s, path, 0);
}
