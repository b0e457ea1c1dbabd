/* Where libzstd was not found: files that it packed cannot be read. */
#ifndef TAMIS_R_ZSTD_H
#define TAMIS_R_ZSTD_H

#include <stddef.h>

typedef struct ZSTD_DStream ZSTD_DStream;
typedef struct { void *dst; size_t size, pos; } ZSTD_outBuffer;
typedef struct { const void *src; size_t size, pos; } ZSTD_inBuffer;

static inline ZSTD_DStream *ZSTD_createDStream(void) { return NULL; }
static inline size_t ZSTD_initDStream(ZSTD_DStream *s) { return s == NULL; }
static inline size_t ZSTD_freeDStream(ZSTD_DStream *s) { return s == NULL; }
static inline int ZSTD_isError(size_t code) { return code != 0; }
static inline size_t ZSTD_decompressStream(ZSTD_DStream *s, ZSTD_outBuffer *out, ZSTD_inBuffer *in)
{
    return s == NULL || out == NULL || in == NULL;
}

#endif
