/* How much memory may be used; for src/base and its tests. */
#ifndef TAMIS_LIMITS_H
#define TAMIS_LIMITS_H

#include "base/base.h"

double tamis_resident(void);                    /* bytes of this process in memory; 0: unknown */
/* What the control groups of this process may still use; INFINITY: no limit. root: "", or a folder with proc/self and
 * the mounted file systems below it, for tests. */
double tamis_groups_room(const char *root);
/* 1, with the sentence in cx, if a block of this many bytes would exceed the limit. Blocks under 1 MB always pass. */
int tamis_memory_refused(tamis_context *cx, size_t bytes);

#endif
