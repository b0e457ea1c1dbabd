/* Packed files (models, checkpoints): magic, kind, version, length, fields, checksum. The reader trusts no count and no
 * index: every read is bounded by the bytes left; after a failure all reads give zeros. */
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
void tamis_pack_str(struct tamis_pack *p, const char *s);                       /* NULL differs from "" */
void tamis_pack_doubles(struct tamis_pack *p, const double *v, size_t n);       /* preceded by n */
int tamis_pack_end(struct tamis_pack *p);                                       /* adds length and checksum */
int tamis_pack_write(struct tamis_pack *p, const char *path);                   /* tamis_pack_end, to a file; frees p */
void tamis_pack_free(struct tamis_pack *p);

struct tamis_unpack {
    tamis_context *cx;
    const unsigned char *bytes;
    size_t length, at;
    uint32_t version;
    int failed;
};

/* Checks magic, kind, length and checksum of n bytes; TAMIS_DATA with a sentence about the `what` if one is wrong. */
int tamis_unpack_begin(struct tamis_unpack *u, tamis_context *cx, const void *bytes, size_t n, const char kind[4],
                       uint32_t newest, const char *what);
uint64_t tamis_unpack_u64(struct tamis_unpack *u, uint64_t largest);            /* above `largest`: damage */
double tamis_unpack_f64(struct tamis_unpack *u);                                /* not finite: damage */
char *tamis_unpack_str(struct tamis_unpack *u);                                 /* allocated; NULL for NULL or damage */
/* Allocated; the count must be `expected`, the values finite. */
double *tamis_unpack_doubles(struct tamis_unpack *u, size_t expected);
void tamis_unpack_into(struct tamis_unpack *u, double *to, size_t n);           /* the same, into the caller's array */
void tamis_unpack_above(struct tamis_unpack *u, double *to, size_t n, double least);    /* each above `least` */
/* TAMIS_DATA if a read failed or bytes are left. */
int tamis_unpack_end(struct tamis_unpack *u, const char *what);

uint64_t tamis_checksum(const void *bytes, size_t n, uint64_t start);           /* start 0, or the sum so far */

/* Whole or not at all: written to a temporary file beside it, synced, renamed. */
int tamis_file_write(tamis_context *cx, const char *path, const void *bytes, size_t n);
/* TAMIS_USAGE if `mine` is false: the fingerprint that a checkpoint begins with is that of another run. */
int tamis_checkpoint_mine(tamis_context *cx, int mine);
/* Reads a checkpoint and passes it to restore(arg, bytes, n); the error message names the file. */
int tamis_checkpoint_read(tamis_context *cx, const char *path, int (*restore)(void *arg, const void *bytes, size_t n),
                          void *arg);
/* The whole file (caller: tamis_free), followed by a zero byte. */
int tamis_file_read(tamis_context *cx, const char *path, unsigned char **bytes, size_t *n);

#endif
