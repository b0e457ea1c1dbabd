/* Philox 4x32-10: J. Salmon, M. Moraes, R. Dror, D. Shaw, Parallel random numbers: as easy as 1, 2, 3, SC 2011. */
#include <math.h>
#include <string.h>
#include "base/rng.h"

static const uint32_t multiply0 = 0xD2511F53u, multiply1 = 0xCD9E8D57u, weyl0 = 0x9E3779B9u, weyl1 = 0xBB67AE85u;

static inline void philox_round(uint32_t *a, uint32_t *b, uint32_t *c, uint32_t *d, uint32_t k0, uint32_t k1)
{
    uint64_t p = (uint64_t)multiply0 * *a, q = (uint64_t)multiply1 * *c;
    *a = (uint32_t)(q >> 32) ^ *b ^ k0;
    *b = (uint32_t)q;
    *c = (uint32_t)(p >> 32) ^ *d ^ k1;
    *d = (uint32_t)p;
}

void tamis_philox(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4])
{
    uint32_t k0 = key[0], k1 = key[1];
    memcpy(out, counter, 4 * sizeof *out);
    for (int round = 0; round < 10; round++, k0 += weyl0, k1 += weyl1)
        philox_round(out, out + 1, out + 2, out + 3, k0, k1);
}

#if defined(__x86_64__)
#include <immintrin.h>

/* Blocks from..from + 3: one 64-bit lane each, whose upper half does not matter. Intrinsics, because the compiler
 * multiplies three times where once is enough. */
static inline __attribute__((always_inline, target("avx2")))
void four_blocks(const struct tamis_rng *r, uint32_t from, uint32_t *out)
{
    uint64_t first = (uint64_t)r->counter[1] << 32 | r->counter[0], at[4], above[4];
    for (uint32_t i = 0; i < 4; i++) at[i] = first + from + i, above[i] = at[i] >> 32;
    __m256i a = _mm256_loadu_si256((const __m256i *)at), b = _mm256_loadu_si256((const __m256i *)above);
    __m256i c = _mm256_set1_epi64x(r->counter[2]), d = _mm256_set1_epi64x(r->counter[3]);
    __m256i m0 = _mm256_set1_epi64x(multiply0), m1 = _mm256_set1_epi64x(multiply1);
    uint32_t k0 = r->key[0], k1 = r->key[1];
    for (int round = 0; round < 10; round++, k0 += weyl0, k1 += weyl1) {
        __m256i p = _mm256_mul_epu32(a, m0), q = _mm256_mul_epu32(c, m1);
        a = _mm256_xor_si256(_mm256_xor_si256(_mm256_srli_epi64(q, 32), b), _mm256_set1_epi64x(k0));
        c = _mm256_xor_si256(_mm256_xor_si256(_mm256_srli_epi64(p, 32), d), _mm256_set1_epi64x(k1));
        b = q;
        d = p;
    }
    __m256i ab = _mm256_blend_epi32(a, _mm256_slli_epi64(b, 32), 0xAA),
            cd = _mm256_blend_epi32(c, _mm256_slli_epi64(d, 32), 0xAA);
    __m256i even = _mm256_unpacklo_epi64(ab, cd), odd = _mm256_unpackhi_epi64(ab, cd);
    _mm256_storeu_si256((__m256i *)out, _mm256_permute2x128_si256(even, odd, 0x20));
    _mm256_storeu_si256((__m256i *)out + 1, _mm256_permute2x128_si256(even, odd, 0x31));
}

static __attribute__((target("avx2"))) void fill_avx2(struct tamis_rng *r)
{
    for (uint32_t i = 0; i < TAMIS_RNG_BLOCKS; i += 4) four_blocks(r, i, r->out + 4 * i);
}
#define HAS_AVX2 __builtin_cpu_supports("avx2")
#else
static void fill_avx2(struct tamis_rng *r) { (void)r; }
#define HAS_AVX2 0
#endif

/* The blocks of the next TAMIS_RNG_BLOCKS counters. */
void tamis_rng_fill(struct tamis_rng *r)
{
    uint64_t first = (uint64_t)r->counter[1] << 32 | r->counter[0], next = first + TAMIS_RNG_BLOCKS;
    if (HAS_AVX2) fill_avx2(r);
    else
        for (uint32_t i = 0; i < TAMIS_RNG_BLOCKS; i++) {
            uint32_t counter[4] = {(uint32_t)(first + i), (uint32_t)((first + i) >> 32), r->counter[2], r->counter[3]};
            tamis_philox(counter, r->key, r->out + 4 * i);
        }
    r->counter[0] = (uint32_t)next;
    r->counter[1] = (uint32_t)(next >> 32);
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

uint64_t tamis_rng_last_words(struct tamis_rng *r)
{
    uint64_t high = tamis_rng_word(r);
    return high << 32 | tamis_rng_word(r);
}

double tamis_rng_normal(struct tamis_rng *r)                            /* polar method: two values per round */
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
    while (x < n && x < (0 - (uint64_t)n) % n);                         /* rejects 2^64 mod n values */
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
