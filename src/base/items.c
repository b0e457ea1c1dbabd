/* The loop over items, here or through the runner of the context. */
#include <string.h>
#include "base/context.h"
#include "base/format.h"
#include "base/items.h"
#include "base/watch.h"

static const char what[] = "result of an item";

/* ---- bytes ---- */

/* Status 0 and the result, or the status of a failure and its sentence. */
static void bytes_begin(tamis_context *cx, struct tamis_pack *p, int status)
{
    tamis_pack_begin(p, cx, "ITEM", 1);
    tamis_pack_u64(p, (uint64_t)status);
}

int tamis_item_pack(tamis_context *cx, const struct tamis_items *l, size_t item, struct tamis_pack *p)
{
    bytes_begin(cx, p, TAMIS_OK);
    l->pack(l->arg, item, p);
    return tamis_pack_end(p);
}

int tamis_item_pack_failure(tamis_context *cx, struct tamis_pack *p)
{
    bytes_begin(cx, p, tamis_status(cx));
    tamis_pack_str(p, tamis_error(cx));
    return tamis_pack_end(p);
}

int tamis_item_unpack(tamis_context *cx, const struct tamis_items *l, size_t item, const void *bytes, size_t n)
{
    struct tamis_unpack u;
    char *sentence = NULL;
    int status = tamis_unpack_begin(&u, cx, bytes, n, "ITEM", 1, what);
    if (status) return status;
    int failure = (int)tamis_unpack_u64(&u, TAMIS_STOPPED);
    if (failure) sentence = tamis_unpack_str(&u);
    else l->unpack(l->arg, item, &u);
    status = tamis_unpack_end(&u, what);
    if (!status && failure) status = tamis_fail(cx, failure, "%s", sentence ? sentence : "");
    tamis_free(sentence);
    return status;
}

/* ---- the loop ---- */

struct local { const struct tamis_items *l; const size_t *list; size_t first; };

static int local_item(void *arg, size_t k, int worker)
{
    const struct local *a = arg;
    size_t item = a->list ? a->list[a->first + k] : a->first + k;
    return a->l->has && a->l->has(a->l->arg, item) ? TAMIS_OK : a->l->run(a->l->arg, item, worker);
}

/* One item after the other, each with all threads. */
static int alone_run(tamis_context *cx, struct local *a, size_t n)
{
    const struct tamis_items *l = a->l;
    int status = TAMIS_OK;
    for (size_t k = 0; k < n && !status; k++) {
        if (l->has && l->has(l->arg, a->list ? a->list[k] : k)) continue;
        status = tamis_check_cancel(cx);
        if (!status) status = local_item(a, k, 0);
        if (!status) status = tamis_stopped(cx);
        if (!status && l->keep) status = l->keep(l->arg);
    }
    return status;
}

/* With something to keep, as many items at a time as there are threads. */
static int parallel_run(tamis_context *cx, struct local *a, size_t n)
{
    size_t batch = a->l->keep ? (size_t)tamis_threads(cx) : n;
    int status = TAMIS_OK;
    for (; a->first < n && !status; a->first += batch) {
        status = tamis_parallel(cx, n - a->first < batch ? n - a->first : batch, local_item, a);
        if (!status && a->l->keep) status = a->l->keep(a->l->arg);
    }
    return status;
}

/* cx->items.inside counts loops under way. A worker leaves it alone: it sees that of the caller, which waits. */
int tamis_items_local(tamis_context *cx, const struct tamis_items *l, const size_t *list, size_t n)
{
    struct local a = {l, list, 0};
    int counts = !tamis_in_loop();
    cx->items.inside += counts;
    int status = l->alone ? alone_run(cx, &a, n) : parallel_run(cx, &a, n);
    cx->items.inside -= counts;
    return status;
}

const struct tamis_runner *tamis_runner_of(const tamis_context *cx)
{
    return tamis_in_loop() || cx->items.inside ? NULL : cx->items.runner;
}

int tamis_items_run(tamis_context *cx, const struct tamis_items *l)
{
    const struct tamis_runner *r = tamis_runner_of(cx);
    char key[sizeof cx->items.part + 64];
    struct tamis_items named = *l;
    if (!r) return tamis_items_local(cx, l, NULL, l->count);
    tamis_snprintf(key, sizeof key, "%s: %s %zu", cx->items.part, l->name, ++cx->items.loops);
    named.key = key;
    return r->loop(r->self, cx, &named);
}

/* ---- the context's ---- */

void tamis_runner_set(tamis_context *cx, const struct tamis_runner *r)
{
    cx->items.runner = r;
    tamis_items_part(cx, "");
}

void tamis_items_part(tamis_context *cx, const char *part)
{
    if (tamis_in_loop() || cx->items.inside) return;
    tamis_snprintf(cx->items.part, sizeof cx->items.part, "%s", part);
    cx->items.loops = 0;
}

int tamis_items_elsewhere(tamis_context *cx)
{
    return tamis_fail(cx, TAMIS_ELSEWHERE, "the other items of this run are computed elsewhere");
}
