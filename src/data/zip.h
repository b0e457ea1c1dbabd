/* Members of a zip archive that is in memory. No size or offset of the file is trusted: members are unpacked within the
 * memory limit, to the declared size and checksum or not at all. */
#ifndef TAMIS_ZIP_H
#define TAMIS_ZIP_H

#include "base/base.h"

struct tamis_zip_member {
    char *name;
    size_t packed, size, offset;        /* bytes in the archive and unpacked; of the local header */
    unsigned method, flags;
    uint32_t crc;
};

struct tamis_zip {
    tamis_context *cx;
    const char *file;                   /* for messages */
    const unsigned char *bytes;         /* the caller's */
    size_t n, members;
    struct tamis_zip_member *member;
};

int tamis_zip_open(tamis_context *cx, const char *file, const unsigned char *bytes, size_t n, struct tamis_zip *z);
const struct tamis_zip_member *tamis_zip_find(const struct tamis_zip *z, const char *name);     /* NULL: none */
/* The unpacked bytes and a zero behind them; tamis_free. */
int tamis_zip_unpack(const struct tamis_zip *z, const struct tamis_zip_member *m, unsigned char **out);
void tamis_zip_close(struct tamis_zip *z);

#endif
