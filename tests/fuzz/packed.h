/* Arbitrary fields with a valid header and checksum around them, so that the fuzzer gets past both. */
#include <stdlib.h>
#include <string.h>
#include "base/pack.h"

static unsigned char *packed(tamis_context *cx, const char kind[4], const uint8_t *data, size_t n, size_t *length)
{
    struct tamis_pack p;
    tamis_pack_begin(&p, cx, kind, 1);
    size_t head = p.length;
    unsigned char *b = malloc(head + n + 8);
    memcpy(b, p.bytes, head);
    tamis_pack_free(&p);
    for (int i = 0; i < 8; i++) b[head - 8 + (size_t)i] = (unsigned char)((uint64_t)n >> 8 * i);
    memcpy(b + head, data, n);
    uint64_t sum = tamis_checksum(b, head + n, 0);
    for (int i = 0; i < 8; i++) b[head + n + (size_t)i] = (unsigned char)(sum >> 8 * i);
    *length = head + n + 8;
    return b;
}
