/* Stops within numbers, so that Ctrl-C does not wait for the end of a factorisation.
 *
 * A thread that computes for a context watches for a stop. Numeric code, which knows no context, says how much work it
 * is about to do; once some has gathered, the thread looks: the calling thread asks the cancel callback, a worker the
 * flags that it leaves. When a stop is heard, the context fails with TAMIS_STOPPED, which nothing forgives, and from
 * then on tamis_halted() is 1: products do nothing, loops end, and what they leave is not used. Guards keep it out of
 * what outlives the run: an item that was stopped fails (parallel.c), checkpoints and journals are not written. */
#ifndef TAMIS_WATCH_H
#define TAMIS_WATCH_H

#include "base/base.h"

/* flops: about as many operations as are due until the next question. Nonzero: stop, and leave anything. */
int tamis_halted(double flops);

/* From begin to end this thread watches on behalf of cx (NULL: of none); give back what begin returned. */
struct tamis_watch { tamis_context *cx; double work, looked; int halted; };
struct tamis_watch tamis_watch_begin(tamis_context *cx);
void tamis_watch_end(struct tamis_watch before);
int tamis_watching(const tamis_context *cx);            /* whether this thread does */

/* TAMIS_STOPPED once a stop was heard, or TAMIS_OK: what was computed since is worth nothing. */
int tamis_stopped(const tamis_context *cx);

/* Tests: when a question of numeric code becomes one to the callback, whatever the clock says. */
enum tamis_watching { TAMIS_WATCH_CLOCK, TAMIS_WATCH_ALWAYS, TAMIS_WATCH_NEVER };
void tamis_watch_set(tamis_context *cx, enum tamis_watching how);

#endif
