/* One loop over independent items. body(arg, item, worker) writes its result by item; worker < tamis_threads selects a
 * workspace. Returns the status of the lowest failing item. Inside another such loop it runs serially. Cancellation is
 * checked between items. */
#ifndef TAMIS_PARALLEL_H
#define TAMIS_PARALLEL_H

#include "base/base.h"

typedef int tamis_body(void *arg, size_t item, int worker);
int tamis_parallel(tamis_context *cx, size_t items, tamis_body *body, void *arg);

#endif
