/* SHA-256: FIPS 180-4, sections 5.1.1 and 6.2. K and H0: the first 32 fractional bits of the cube roots and the square
 * roots of the first primes. */
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/sha256.h"

static const uint32_t K[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};
static const uint32_t H0[8] = {
    0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

static uint32_t rotr(uint32_t x, int n) { return x >> n | x << (32 - n); }

static void schedule(const unsigned char *b, uint32_t w[64])
{
    for (int t = 0; t < 16; t++)
        w[t] = (uint32_t)b[4 * t] << 24 | (uint32_t)b[4 * t + 1] << 16 | (uint32_t)b[4 * t + 2] << 8 | b[4 * t + 3];
    for (int t = 16; t < 64; t++) {
        uint32_t s0 = rotr(w[t - 15], 7) ^ rotr(w[t - 15], 18) ^ w[t - 15] >> 3,
                 s1 = rotr(w[t - 2], 17) ^ rotr(w[t - 2], 19) ^ w[t - 2] >> 10;
        w[t] = s1 + w[t - 7] + s0 + w[t - 16];
    }
}

static void compress(uint32_t H[8], const unsigned char *block)
{
    uint32_t w[64], a = H[0], b = H[1], c = H[2], d = H[3], e = H[4], f = H[5], g = H[6], h = H[7];
    schedule(block, w);
    for (int t = 0; t < 64; t++) {
        uint32_t t1 = h + (rotr(e, 6) ^ rotr(e, 11) ^ rotr(e, 25)) + ((e & f) ^ (~e & g)) + K[t] + w[t];
        uint32_t t2 = (rotr(a, 2) ^ rotr(a, 13) ^ rotr(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
        h = g, g = f, f = e, e = d + t1;
        d = c, c = b, b = a, a = t1 + t2;
    }
    uint32_t v[8] = {a, b, c, d, e, f, g, h};
    for (int i = 0; i < 8; i++) H[i] += v[i];
}

void tamis_sha256_begin(struct tamis_sha256 *s)
{
    memset(s, 0, sizeof *s);
    memcpy(s->h, H0, sizeof H0);
}

void tamis_sha256_add(struct tamis_sha256 *s, const void *bytes, size_t n)
{
    const unsigned char *b = bytes;
    while (n) {
        size_t at = s->bytes % 64, take = n < 64 - at ? n : 64 - at;
        memcpy(s->block + at, b, take);
        s->bytes += take;
        b += take;
        n -= take;
        if (s->bytes % 64 == 0) compress(s->h, s->block);
    }
}

void tamis_sha256_end(struct tamis_sha256 *s, unsigned char digest[32])
{
    static const unsigned char pad[64] = {0x80};
    uint64_t bits = s->bytes * 8;
    unsigned char length[8];
    for (int i = 0; i < 8; i++) length[i] = (unsigned char)(bits >> (56 - 8 * i));
    tamis_sha256_add(s, pad, 1 + (119 - s->bytes % 64) % 64);
    tamis_sha256_add(s, length, 8);
    for (int i = 0; i < 32; i++) digest[i] = (unsigned char)(s->h[i / 4] >> (24 - 8 * (i % 4)));
}

void tamis_sha256_hex(const unsigned char digest[32], char out[65])
{
    static const char digit[] = "0123456789abcdef";
    for (int i = 0; i < 32; i++) out[2 * i] = digit[digest[i] >> 4], out[2 * i + 1] = digit[digest[i] & 15];
    out[64] = 0;
}

void tamis_sha256_base64(const unsigned char digest[32], char out[45])
{
    static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (int i = 0, k = 0; i < 33; i += 3, k += 4) {
        uint32_t v = (uint32_t)digest[i] << 16 | (uint32_t)digest[i + 1] << 8 | (i + 2 < 32 ? digest[i + 2] : 0);
        for (int j = 0; j < 4; j++) out[k + j] = digit[v >> (18 - 6 * j) & 63];
    }
    out[43] = '=';
    out[44] = 0;
}

int tamis_sha256_file(const char *path, uint64_t most, char out[65], uint64_t *size)
{
    struct stat st;
    struct tamis_sha256 s;
    unsigned char buffer[16384], digest[32];
    ssize_t n;
    if (stat(path, &st) || !S_ISREG(st.st_mode) || (uint64_t)st.st_size > most) return 0;
    int fd = open(path, O_RDONLY | O_CLOEXEC);          /* no stream: that would need memory */
    if (fd < 0) return 0;
    tamis_sha256_begin(&s);
    while ((n = read(fd, buffer, sizeof buffer)) > 0) tamis_sha256_add(&s, buffer, (size_t)n);
    close(fd);
    *size = s.bytes;
    tamis_sha256_end(&s, digest);
    tamis_sha256_hex(digest, out);
    return n == 0;
}
