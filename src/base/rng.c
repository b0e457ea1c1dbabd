/* Philox 4x32-10: J. Salmon, M. Moraes, R. Dror, D. Shaw, Parallel random numbers: as easy as 1, 2, 3, SC 2011. */
#include <math.h>
#include <string.h>
#include "base/rng.h"

void tamis_philox(uint32_t counter[4], const uint32_t key[2], uint32_t out[4])
{
    uint32_t c[4] = {counter[0], counter[1], counter[2], counter[3]}, k0 = key[0], k1 = key[1];
    for (int round = 0; round < 10; round++, k0 += 0x9E3779B9u, k1 += 0xBB67AE85u) {
        uint64_t p = (uint64_t)0xD2511F53u * c[0], q = (uint64_t)0xCD9E8D57u * c[2];
        uint32_t next[4] = {(uint32_t)(q >> 32) ^ c[1] ^ k0, (uint32_t)q, (uint32_t)(p >> 32) ^ c[3] ^ k1, (uint32_t)p};
        memcpy(c, next, sizeof c);
    }
    memcpy(out, c, sizeof c);
}

void tamis_rng_init(struct tamis_rng *r, uint64_t seed, uint32_t purpose, uint32_t index)
{
    memset(r, 0, sizeof *r);
    r->key[0] = (uint32_t)seed;
    r->key[1] = (uint32_t)(seed >> 32);
    r->counter[2] = index;
    r->counter[3] = purpose;
    r->used = 4;
}

uint32_t tamis_rng_word(struct tamis_rng *r)
{
    if (r->used == 4) {
        tamis_philox(r->counter, r->key, r->out);
        if (!++r->counter[0]) r->counter[1]++;
        r->used = 0;
    }
    return r->out[r->used++];
}

double tamis_rng_uniform(struct tamis_rng *r)
{
    uint64_t high = tamis_rng_word(r), low = tamis_rng_word(r);
    return ((double)((high << 20 | low >> 12) & 0xFFFFFFFFFFFFFull) + 0.5) * 0x1p-52;
}

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
    uint64_t reject = (0 - (uint64_t)n) % n, x;                         /* 2^64 mod n */
    do x = (uint64_t)tamis_rng_word(r) << 32 | tamis_rng_word(r);
    while (x < reject);
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
