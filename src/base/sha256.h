/* SHA-256 (FIPS 180-4): identifies a data file in a result, and a page's style and script in its security policy. */
#ifndef TAMIS_SHA256_H
#define TAMIS_SHA256_H

#include <stddef.h>
#include <stdint.h>

struct tamis_sha256 {
    uint32_t h[8];
    uint64_t bytes;
    unsigned char block[64];
};

void tamis_sha256_begin(struct tamis_sha256 *s);
void tamis_sha256_add(struct tamis_sha256 *s, const void *bytes, size_t n);
void tamis_sha256_end(struct tamis_sha256 *s, unsigned char digest[32]);

void tamis_sha256_hex(const unsigned char digest[32], char out[65]);
void tamis_sha256_base64(const unsigned char digest[32], char out[45]);
/* The digest of a regular file in hex; 0 when it is not a regular file, cannot be read or exceeds `most` bytes. */
int tamis_sha256_file(const char *path, uint64_t most, char out[65], uint64_t *size);

#endif
