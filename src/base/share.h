/* Files of a run that several processes make together, through a runner with `share`: the one that leads reads them and
 * gives the bytes to all, and it alone writes. All of them make the same calls in the same order. In a process on its
 * own these are plain reads and writes. */
#ifndef TAMIS_SHARE_H
#define TAMIS_SHARE_H

#include "base/items.h"

int tamis_shares(const tamis_context *cx);              /* whether there are other processes, outside of items */
int tamis_follows(const tamis_context *cx);             /* whether another process writes the files */
int tamis_reads(const tamis_context *cx);               /* whether this process reads them */
/* The n bytes of the process that leads become those of all, unless its status is a failure: then all fail with its
 * sentence. Returns the common status. */
int tamis_share(tamis_context *cx, int status, void *bytes, size_t n);
int tamis_file_there(tamis_context *cx, const char *path, int *there);  /* whether it exists; a status */

#endif
