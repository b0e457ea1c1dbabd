/* Allocation: overflow checked, aligned for vector loads, the sentence left in the context on failure. */
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include "base/context.h"
#include "base/limits.h"

void tamis_fail_allocation(tamis_context *cx, long k, enum tamis_failing how)
{
    cx->failing = how;
    atomic_store(&cx->allocations, 0);
    atomic_store(&cx->fail_at, k);
}

long tamis_allocations(const tamis_context *cx) { return atomic_load(&cx->allocations); }

static int made_to_fail(tamis_context *cx)
{
    long at = atomic_load(&cx->fail_at), now = at > 0 ? atomic_fetch_add(&cx->allocations, 1) + 1 : 0;
    return now && (now == at || (cx->failing == TAMIS_ONWARDS && now > at));
}

static void *out_of_memory(tamis_context *cx, size_t count, size_t size)
{
    tamis_fail(cx, TAMIS_MEMORY, "out of memory: cannot allocate %.3g MB", (double)count * (double)size / 1e6);
    return NULL;
}

void *tamis_alloc(tamis_context *cx, size_t count, size_t size, int zero)
{
    size_t bytes;
    void *p = NULL;
    if (__builtin_mul_overflow(count, size, &bytes) || bytes > PTRDIFF_MAX - 64) return out_of_memory(cx, count, size);
    bytes = (bytes + 63) / 64 * 64 + 64 * !bytes;
    if (tamis_memory_refused(cx, bytes)) return NULL;
    if (made_to_fail(cx) || !(p = aligned_alloc(64, bytes))) return out_of_memory(cx, count, size);
    return zero ? memset(p, 0, bytes) : p;
}

void *tamis_grow(tamis_context *cx, void *p, size_t count, size_t size)
{
    size_t bytes;
    void *q = NULL;
    if (__builtin_mul_overflow(count, size, &bytes)) return out_of_memory(cx, count, size);
    size_t has = p ? malloc_usable_size(p) : 0;
    if (bytes > has && tamis_memory_refused(cx, bytes - has)) return NULL;
    if (made_to_fail(cx) || !(q = realloc(p, bytes ? bytes : 1))) return out_of_memory(cx, count, size);
    return q;
}

char *tamis_strndup(tamis_context *cx, const char *s, size_t n)
{
    char *copy = tamis_raw(cx, char, n + 1);
    if (!copy) return NULL;
    memcpy(copy, s, n);
    copy[n] = 0;
    return copy;
}

char *tamis_strdup(tamis_context *cx, const char *s) { return tamis_strndup(cx, s, strlen(s)); }

void tamis_free(void *p) { free(p); }

void tamis_release(void *memory) { free(memory); }

char **tamis_strings_copy(tamis_context *cx, const char *const *from, size_t n, size_t *count)
{
    char **to = n ? tamis_new(cx, char *, n) : NULL;
    for (*count = 0; to && *count < n; ++*count)
        if (!(to[*count] = tamis_strdup(cx, from[*count]))) break;
    return to;
}

void tamis_strings_free(char **s, size_t n)
{
    for (size_t i = 0; s && i < n; i++) tamis_free(s[i]);
    tamis_free(s);
}

int tamis_fill(void *out, const void *full, size_t size)
{
    size_t room;
    memcpy(&room, out, sizeof room);
    if (room < sizeof room) return 0;
    memcpy((char *)out + sizeof room, (const char *)full + sizeof room, (room < size ? room : size) - sizeof room);
    return 1;
}
