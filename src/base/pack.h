/* Our own files (models, checkpoints): magic, kind, version, length, fields, checksum. The reader trusts no count and
 * no index: every read is bounded by what remains, every failure is sticky and yields zeros. */
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
void tamis_pack_str(struct tamis_pack *p, const char *s);                       /* NULL is distinct from "" */
void tamis_pack_doubles(struct tamis_pack *p, const double *v, size_t n);       /* with their count */
void tamis_pack_bits(struct tamis_pack *p, const double *v, size_t n);          /* any numbers, also NAN */
void tamis_pack_bytes(struct tamis_pack *p, const void *bytes, size_t n);       /* with their count */
int tamis_pack_end(struct tamis_pack *p);                       /* adds length and checksum; returns the status */
int tamis_pack_write(struct tamis_pack *p, const char *path);                   /* end, write to a file, free */
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
void tamis_unpack_bits(struct tamis_unpack *u, double *v, size_t n);            /* of tamis_pack_bits */
/* Allocated; their count must be `expected` and all of them finite. */
double *tamis_unpack_doubles(struct tamis_unpack *u, size_t expected);
void tamis_unpack_into(struct tamis_unpack *u, double *to, size_t n);           /* the same, into the caller's array */
void tamis_unpack_above(struct tamis_unpack *u, double *to, size_t n, double least); /* the same, each above `least` */
unsigned char *tamis_unpack_bytes(struct tamis_unpack *u, size_t *n);           /* allocated; NULL: damage */
/* TAMIS_OK if nothing failed and all bytes were read, else TAMIS_DATA. */
int tamis_unpack_end(struct tamis_unpack *u, const char *what);

uint64_t tamis_checksum(const void *bytes, size_t n, uint64_t start);           /* start 0, or the sum so far */

/* The bytes of a file of ours or of JSON, and one more that is 0; "-" is standard input. Other files are cut. */
int tamis_file_read(tamis_context *cx, const char *path, unsigned char **bytes, size_t *n);

/* ---- checkpoints: the fingerprint of a run, then its state ---- */

struct tamis_checkpoint_kind {
    const char *name;                                           /* 4 characters */
    uint32_t version;
    void (*pack)(const void *state, struct tamis_pack *p);
    void (*unpack)(void *state, struct tamis_unpack *u);        /* sets u->failed where the bytes make no sense */
};

struct tamis_checkpoint {
    tamis_context *cx;
    const struct tamis_checkpoint_kind *kind;
    const char *path;                                           /* NULL: save and resume do nothing */
    uint64_t fingerprint;
    void *state;
};

/* Not once the run is to stop: the state may hold numbers that were left unfinished. _write, where it cannot. */
int tamis_checkpoint_save(const struct tamis_checkpoint *c);
int tamis_checkpoint_write(const struct tamis_checkpoint *c);
/* Restores the state from the file; *resumed is 0 when there is no file. TAMIS_USAGE if it belongs to another run. */
int tamis_checkpoint_resume(const struct tamis_checkpoint *c, int *resumed);
int tamis_checkpoint_restore(const struct tamis_checkpoint *c, const void *bytes, size_t n); /* the same from memory */

#endif
