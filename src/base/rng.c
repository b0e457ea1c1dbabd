/* Philox 4x32-10: J. Salmon, M. Moraes, R. Dror, D. Shaw, Parallel random numbers: as easy as 1, 2, 3, SC 2011. */
#include <math.h>
#include <string.h>
#include "base/base.h"
#include "base/rng.h"

static inline void philox_round(uint32_t *a, uint32_t *b, uint32_t *c, uint32_t *d, uint32_t k0, uint32_t k1)
{
    uint64_t p = (uint64_t)0xD2511F53u * *a, q = (uint64_t)0xCD9E8D57u * *c;
    *a = (uint32_t)(q >> 32) ^ *b ^ k0;
    *b = (uint32_t)q;
    *c = (uint32_t)(p >> 32) ^ *d ^ k1;
    *d = (uint32_t)p;
}

static const uint32_t weyl0 = 0x9E3779B9u, weyl1 = 0xBB67AE85u;

void tamis_philox(uint32_t counter[4], const uint32_t key[2], uint32_t out[4])
{
    uint32_t k0 = key[0], k1 = key[1];
    memcpy(out, counter, 4 * sizeof *out);
    for (int round = 0; round < 10; round++, k0 += weyl0, k1 += weyl1) philox_round(out, out + 1, out + 2, out + 3, k0, k1);
}

/* The blocks of the next TAMIS_RNG_BLOCKS counters, side by side. */
TAMIS_CLONES
static void fill(struct tamis_rng *r)
{
    uint32_t a[TAMIS_RNG_BLOCKS], b[TAMIS_RNG_BLOCKS], c[TAMIS_RNG_BLOCKS], d[TAMIS_RNG_BLOCKS], k0 = r->key[0], k1 = r->key[1];
    for (size_t i = 0; i < TAMIS_RNG_BLOCKS; i++) {
        a[i] = r->counter[0] + (uint32_t)i;
        b[i] = r->counter[1] + (a[i] < r->counter[0]);
        c[i] = r->counter[2];
        d[i] = r->counter[3];
    }
    for (int round = 0; round < 10; round++, k0 += weyl0, k1 += weyl1)
        for (size_t i = 0; i < TAMIS_RNG_BLOCKS; i++) philox_round(&a[i], &b[i], &c[i], &d[i], k0, k1);
    for (size_t i = 0; i < TAMIS_RNG_BLOCKS; i++) r->out[4 * i] = a[i], r->out[4 * i + 1] = b[i], r->out[4 * i + 2] = c[i], r->out[4 * i + 3] = d[i];
    r->counter[1] += r->counter[0] + TAMIS_RNG_BLOCKS < r->counter[0];
    r->counter[0] += TAMIS_RNG_BLOCKS;
    r->used = 0;
}

void tamis_rng_init(struct tamis_rng *r, uint64_t seed, uint32_t purpose, uint32_t index)
{
    memset(r, 0, sizeof *r);
    r->key[0] = (uint32_t)seed;
    r->key[1] = (uint32_t)(seed >> 32);
    r->counter[2] = index;
    r->counter[3] = purpose;
    r->used = TAMIS_RNG_WORDS;
}

void tamis_rng_fill(struct tamis_rng *r) { fill(r); }

double tamis_rng_normal(struct tamis_rng *r)                            /* polar method: two values a round */
{
    double u, v, s;
    if (r->spare) {
        r->spare = 0;
        return r->normal;
    }
    do {
        u = 2 * tamis_rng_uniform(r) - 1;
        v = 2 * tamis_rng_uniform(r) - 1;
        s = u * u + v * v;
    } while (s >= 1 || s == 0);
    s = sqrt(-2 * log(s) / s);
    r->normal = v * s;
    r->spare = 1;
    return u * s;
}

size_t tamis_rng_below(struct tamis_rng *r, size_t n)
{
    uint64_t x;
    do x = tamis_rng_words(r);
    while (x < n && x < (0 - (uint64_t)n) % n);                         /* 2^64 mod n values too many */
    return (size_t)(x % n);
}

void tamis_rng_shuffle(struct tamis_rng *r, size_t *a, size_t n)
{
    for (size_t i = n; i > 1; i--) {
        size_t j = tamis_rng_below(r, i), swap = a[i - 1];
        a[i - 1] = a[j];
        a[j] = swap;
    }
}
