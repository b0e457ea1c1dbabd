/* Files of ours (models, checkpoints): magic, kind, version, length, fields, checksum. A reader that trusts no count
 * and no index: every take is bounded by what is left, every failure sticks and leaves zeros. */
#ifndef TAMIS_PACK_H
#define TAMIS_PACK_H

#include "base/base.h"

struct tamis_pack {
    tamis_context *cx;
    unsigned char *bytes;
    size_t length, room;
    int failed;
};

void tamis_pack_begin(struct tamis_pack *p, tamis_context *cx, const char kind[4], uint32_t version);
void tamis_pack_u64(struct tamis_pack *p, uint64_t v);
void tamis_pack_f64(struct tamis_pack *p, double v);
void tamis_pack_str(struct tamis_pack *p, const char *s);                       /* NULL is kept apart from "" */
void tamis_pack_doubles(struct tamis_pack *p, const double *v, size_t n);       /* with its count */
int tamis_pack_end(struct tamis_pack *p);                                       /* length and checksum; the status */
int tamis_pack_write(struct tamis_pack *p, const char *path);                   /* the end, to a file; frees it */
void tamis_pack_free(struct tamis_pack *p);

struct tamis_unpack {
    tamis_context *cx;
    const unsigned char *bytes;
    size_t length, at;
    uint32_t version;
    int failed;
};

/* Checks magic, kind, length and checksum of n bytes; TAMIS_DATA with a sentence that names `what` otherwise. */
int tamis_unpack_begin(struct tamis_unpack *u, tamis_context *cx, const void *bytes, size_t n, const char kind[4],
                       uint32_t newest, const char *what);
uint64_t tamis_unpack_u64(struct tamis_unpack *u, uint64_t largest);            /* larger than `largest` is damage */
double tamis_unpack_f64(struct tamis_unpack *u);                                /* finite, or damage */
char *tamis_unpack_str(struct tamis_unpack *u);                                 /* allocated; NULL for NULL or damage */
double *tamis_unpack_doubles(struct tamis_unpack *u,
                             size_t expected); /* allocated; count must be `expected`, values finite */
void tamis_unpack_into(struct tamis_unpack *u, double *to, size_t n); /* the same, to where the caller has room */
void tamis_unpack_above(struct tamis_unpack *u, double *to, size_t n, double least); /* the same, each above `least` */
int tamis_unpack_end(struct tamis_unpack *u,
                     const char *what); /* all bytes taken and nothing failed, else TAMIS_DATA */

uint64_t tamis_checksum(const void *bytes, size_t n, uint64_t start);           /* start 0, or the sum so far */

/* A file appears whole or not at all: written beside, synced, renamed. */
int tamis_file_write(tamis_context *cx, const char *path, const void *bytes, size_t n);
/* Checkpoints begin with the fingerprint of their run: TAMIS_USAGE when `mine` is false. */
int tamis_checkpoint_mine(tamis_context *cx, int mine);
/* Reads a checkpoint and gives it to restore(arg, bytes, n); a failure names the file. */
int tamis_checkpoint_read(tamis_context *cx, const char *path, int (*restore)(void *arg, const void *bytes, size_t n),
                          void *arg);
int tamis_file_read(tamis_context *cx, const char *path, unsigned char **bytes,
                    size_t *n); /* one spare zero byte at the end */

#endif
