/* Open addressing with linear probing; the labels are strings of their own, so that a table can take them over. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "data/labels.h"
#include "base/number.h"

static uint32_t hash_of(const char *s, size_t n)
{
    uint64_t h = 0x9E3779B97F4A7C15u ^ n, v;
    for (; n >= 8; s += 8, n -= 8) {
        memcpy(&v, s, 8);
        h = (h ^ v) * 0xD6E8FEB86659FD93u;
        h ^= h >> 32;
    }
    v = 0;
    memcpy(&v, s, n);
    h = (h ^ v) * 0xD6E8FEB86659FD93u;
    h = (h ^ h >> 32) * 0xD6E8FEB86659FD93u;
    return (uint32_t)(h >> 32);
}

/* The slot that holds the text, or the free one where it belongs. */
static size_t slot_of(const struct tamis_labels *l, const char *s, size_t n, uint32_t h)
{
    size_t i = h & (l->slots - 1);
    for (; l->slot[i]; i = (i + 1) & (l->slots - 1)) {
        uint32_t k = l->slot[i] - 1;
        if (l->hash[k] == h && !strncmp(l->label[k], s, n) && !l->label[k][n]) break;
    }
    return i;
}

static int slots_grow(tamis_context *cx, struct tamis_labels *l)
{
    size_t slots = l->slots ? 2 * l->slots : 16;
    uint32_t *slot = tamis_new(cx, uint32_t, slots);
    if (!slot) return TAMIS_MEMORY;
    tamis_free(l->slot);
    l->slot = slot;
    l->slots = slots;
    for (size_t k = 0; k < l->count; k++) {
        size_t i = l->hash[k] & (slots - 1);
        while (slot[i]) i = (i + 1) & (slots - 1);
        slot[i] = (uint32_t)k + 1;
    }
    return TAMIS_OK;
}

static int labels_grow(tamis_context *cx, struct tamis_labels *l)
{
    size_t room = l->room ? 2 * l->room : 8;
    char **label = tamis_grow(cx, l->label, room, sizeof *label);
    if (label) l->label = label;
    uint32_t *hash = tamis_grow(cx, l->hash, room, sizeof *hash);
    if (hash) l->hash = hash;
    if (!label || !hash) return TAMIS_MEMORY;
    l->room = room;
    return TAMIS_OK;
}

long tamis_labels_find(const struct tamis_labels *l, const char *s, size_t n)
{
    return l->slots ? (long)l->slot[slot_of(l, s, n, hash_of(s, n))] - 1 : TAMIS_NO_LABEL;
}

long tamis_labels_put(tamis_context *cx, struct tamis_labels *l, const char *s, size_t n)
{
    uint32_t h = hash_of(s, n);
    if (2 * l->count >= l->slots && slots_grow(cx, l)) return TAMIS_NO_LABEL;
    size_t i = slot_of(l, s, n, h);
    if (l->slot[i]) return (long)l->slot[i] - 1;
    if (l->count == l->room && labels_grow(cx, l)) return TAMIS_NO_LABEL;
    char *copy = tamis_grow(cx, NULL, n + 1, 1);        /* tamis_strndup would align each to 64 bytes */
    if (!copy) return TAMIS_NO_LABEL;
    memcpy(copy, s, n);
    copy[n] = 0;
    l->label[l->count] = copy;
    l->hash[l->count] = h;
    l->slot[i] = (uint32_t)++l->count;
    return (long)l->count - 1;
}

struct ordered { char *label; double x; uint32_t old; };

static int by_number(const void *a, const void *b)
{
    const struct ordered *p = a, *q = b;
    return p->x != q->x ? (p->x > q->x) - (p->x < q->x) : strcmp(p->label, q->label);
}

static int by_bytes(const void *a, const void *b)
{
    return strcmp(((const struct ordered *)a)->label, ((const struct ordered *)b)->label);
}

int tamis_labels_sort(tamis_context *cx, struct tamis_labels *l, uint32_t *rank)
{
    int numbers = 1;
    struct ordered *order = tamis_raw(cx, struct ordered, l->count);
    if (!order) return TAMIS_MEMORY;
    for (size_t k = 0; k < l->count; k++) {
        order[k] = (struct ordered){l->label[k], 0, (uint32_t)k};
        numbers = numbers && tamis_number_whole(l->label[k], strlen(l->label[k]), '.', &order[k].x) &&
                  isfinite(order[k].x);
    }
    qsort(order, l->count, sizeof *order, numbers ? by_number : by_bytes);
    for (size_t k = 0; k < l->count; k++) {
        l->label[k] = order[k].label;
        rank[order[k].old] = (uint32_t)k;
    }
    tamis_free(order);
    return TAMIS_OK;
}

void tamis_labels_free(struct tamis_labels *l)
{
    for (size_t k = 0; k < l->count; k++) tamis_free(l->label[k]);
    tamis_free(l->label);
    tamis_free(l->hash);
    tamis_free(l->slot);
    memset(l, 0, sizeof *l);
}
