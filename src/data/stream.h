/* Bytes from a path, standard input or memory; gzip and zstd are recognised by their first bytes and decompressed on
 * the fly, and so is text in UTF-16, which becomes UTF-8 with a note. */
#ifndef TAMIS_STREAM_H
#define TAMIS_STREAM_H

#include "base/base.h"

struct tamis_stream;

/* "-" is standard input. TAMIS_DATA: a missing or unreadable file, or a directory. */
int tamis_stream_open(tamis_context *cx, const char *path, struct tamis_stream **out);
/* The bytes are not copied and must outlive the stream; name is for messages. */
int tamis_stream_open_memory(tamis_context *cx, const void *bytes, size_t n, const char *name,
                             struct tamis_stream **out);
/* The first bytes (decompressed), at most TAMIS_STREAM_HEAD; reading still begins with them. */
enum { TAMIS_STREAM_HEAD = 65536 };
int tamis_stream_peek(struct tamis_stream *s, const unsigned char **bytes, size_t *n);
/* Up to n bytes into buffer; *got < n only at the end. TAMIS_DATA: damaged or truncated compressed data. */
int tamis_stream_read(struct tamis_stream *s, void *buffer, size_t n, size_t *got);
void tamis_stream_close(struct tamis_stream *s);

const char *tamis_stream_name(const struct tamis_stream *s);            /* for messages */
const char *tamis_stream_path(const struct tamis_stream *s); /* of a plain file on disk; NULL: it is none */
int tamis_stream_packed(const struct tamis_stream *s);                 /* the bytes are not those of the source */
double tamis_stream_taken(const struct tamis_stream *s); /* (compressed) bytes of the source read so far */
double tamis_stream_size(const struct tamis_stream *s);                 /* of the source; 0: unknown */

#endif
