/* base: context, errors, memory, notes. Knows nothing of mathematics. */
#ifndef TAMIS_BASE_H
#define TAMIS_BASE_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include "tamis.h"

/* Functions that gain from wide registers are compiled several times; the loader picks one for this CPU. */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(TAMIS_SANITIZED)
#define TAMIS_CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define TAMIS_CLONES
#endif
#define TAMIS_PRINTF(a, b) __attribute__((format(printf, a, b)))

/* Keeps the first error of a run: returns status, so that `return tamis_fail(...)` reads as one thought. */
int tamis_fail(tamis_context *cx, int status, const char *format, ...) TAMIS_PRINTF(3, 4);
/* Puts "where: " before the sentence of the error in cx; returns its status. */
int tamis_fail_at(tamis_context *cx, const char *where);
int tamis_status(const tamis_context *cx);
/* A remark that the user should read: kept for the result and handed to the note callback. From a worker it waits until
 * the calling thread gets to it; the last progress reported does, too. */
void tamis_note(tamis_context *cx, const char *format, ...) TAMIS_PRINTF(2, 3);
void tamis_progress(tamis_context *cx, const char *what, double done, double total);
/* Drops notes, and progress outside of a span: a run inside a run. Returns what was set before. */
int tamis_mute(tamis_context *cx, int on);
/* What is reported until tamis_span_leave is the part from..to (0 to 1) of what was reported before: phases of a run
 * are parts of one scale, which never falls. label (or NULL) stands for what the parts call themselves. Not on a
 * worker. */
struct tamis_span { double from, width; const char *label; };
struct tamis_span tamis_span_enter(tamis_context *cx, double from, double to, const char *label);
void tamis_span_leave(tamis_context *cx, struct tamis_span before);
/* Whether to stop. The calling thread asks the cancel callback; a worker sees its last answer. */
int tamis_cancelled(tamis_context *cx);
int tamis_check_cancel(tamis_context *cx);              /* TAMIS_OK, or TAMIS_STOPPED with its sentence */
int tamis_threads(const tamis_context *cx);             /* at least 1 */
void tamis_cores_set(tamis_context *cx, int cores);     /* the threads of a context without a limit */
const char *const *tamis_notes(const tamis_context *cx, size_t *count);
void tamis_notes_clear(tamis_context *cx);

/* A status cannot be lost. The first line of every function of tamis.h that can fail is TAMIS_CALL(cx): the outermost
 * call on a context clears what the previous one left there; a call made inside another one clears nothing. */
#define TAMIS_CALL(cx) \
    __attribute__((unused, cleanup(tamis_call_end))) tamis_context *tamis_call = tamis_call_begin(cx)
tamis_context *tamis_call_begin(tamis_context *cx);
void tamis_call_end(tamis_context **cx);
/* After something that a call tried and can do without: TAMIS_OK and the failure cleared, if the context had not failed
 * before (before: tamis_status then) and the failure is one of numbers, data, usage or a limit that tamis_memory_check
 * found. A lack of memory, a stop, a failure of the system or of an item of a parallel loop stays, and comes back. */
int tamis_forgive(tamis_context *cx, int before);

/* Memory: zeroed or raw, 64-byte aligned, sizes checked for overflow; NULL with the sentence in cx on failure. */
#define tamis_new(cx, type, count) ((type *)tamis_alloc(cx, (count), sizeof(type), 1))
#define tamis_raw(cx, type, count) ((type *)tamis_alloc(cx, (count), sizeof(type), 0))
void *tamis_alloc(tamis_context *cx, size_t count, size_t size, int zero);
/* realloc; p stays valid on failure; aligned to 16 bytes only. */
void *tamis_grow(tamis_context *cx, void *p, size_t count, size_t size);
char *tamis_strdup(tamis_context *cx, const char *s);
char *tamis_strndup(tamis_context *cx, const char *s, size_t n);
void tamis_free(void *p);
/* A list of copies of n strings (NULL: n is 0, or no memory). *count: how many were made, n unless memory fails; free
 * the list with that. */
char **tamis_strings_copy(tamis_context *cx, const char *const *from, size_t n, size_t *count);
void tamis_strings_free(char **s, size_t n);
/* A public structure whose first member is its size, set by the caller: copies of `full` (size bytes) what it has room
 * for, and keeps that member. 0: its size was not set. */
int tamis_fill(void *out, const void *full, size_t size);
/* Tests: the k-th allocation from now fails, once, or with all that follow; 0: none. */
enum tamis_failing { TAMIS_ONCE, TAMIS_ONWARDS };
void tamis_fail_allocation(tamis_context *cx, long k, enum tamis_failing how);
long tamis_allocations(const tamis_context *cx);        /* tests: tried since then */
size_t tamis_memory_limit(const tamis_context *cx);     /* bytes that may still be used: see limits.c */
/* TAMIS_MEMORY saying how much is needed, and `remedy`, when bytes exceed the limit. */
int tamis_memory_check(tamis_context *cx, double bytes, const char *what, const char *remedy);

double tamis_clock(void);                               /* seconds, monotonic */

#endif
