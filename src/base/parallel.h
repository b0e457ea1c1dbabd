/* One loop over independent items. body(arg, item, worker) writes its result by item; worker < tamis_threads numbers a
 * workspace. Returns the status of the lowest failing item. Inside another such loop it runs serially. Checks for
 * cancellation between items; the user's callbacks run on the calling thread only. */
#ifndef TAMIS_PARALLEL_H
#define TAMIS_PARALLEL_H

#include "base/base.h"

typedef int tamis_body(void *arg, size_t item, int worker);
int tamis_parallel(tamis_context *cx, size_t items, tamis_body *body, void *arg);

#endif
