/* What processes share, and what a process on its own does instead. */
#include <unistd.h>
#include "base/context.h"
#include "base/share.h"

int tamis_shares(const tamis_context *cx)
{
    const struct tamis_runner *r = tamis_runner_of(cx);
    return r && r->share;
}

int tamis_follows(const tamis_context *cx) { return cx->items.runner && cx->items.runner->follows; }

int tamis_reads(const tamis_context *cx) { return !tamis_shares(cx) || !tamis_follows(cx); }

int tamis_share(tamis_context *cx, int status, void *bytes, size_t n)
{
    const struct tamis_runner *r = tamis_runner_of(cx);
    return r && r->share ? r->share(r->self, cx, status, bytes, n) : status;
}

int tamis_file_there(tamis_context *cx, const char *path, int *there)
{
    *there = tamis_reads(cx) && !access(path, F_OK);
    return tamis_share(cx, TAMIS_OK, there, sizeof *there);
}
