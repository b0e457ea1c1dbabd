/* Where an output goes: a file that is replaced whole, or a descriptor, device or pipe that is written in place. */
#ifndef TAMIS_PLACE_H
#define TAMIS_PLACE_H

#include <sys/types.h>
#include "base/base.h"

struct tamis_place {
    char *path, *folder;                /* with symbolic links followed; the folder that holds it */
    int fd;                             /* a descriptor that is open already, or -1 */
    int special;                        /* written in place */
    int exists;                         /* there is a file to replace, of this mode */
    mode_t mode;
};

/* All fields are set, whatever comes back: 0, or an errno. The caller frees. */
int tamis_place_find(tamis_context *cx, const char *path, struct tamis_place *p);
int tamis_place_writable(const struct tamis_place *p);          /* 0, or an errno; nothing is opened */
void tamis_place_free(struct tamis_place *p);

#endif
