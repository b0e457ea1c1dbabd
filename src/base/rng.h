/* Counter-based random numbers (Philox 4x32-10, Salmon et al. 2011): a stream is identified by the run's seed, a
 * purpose and an index, never by a thread, so results do not depend on how work is distributed. The state is plain data
 * and can be saved. */
#ifndef TAMIS_RNG_H
#define TAMIS_RNG_H

#include <stddef.h>
#include <stdint.h>

enum { TAMIS_RNG_BLOCKS = 8, TAMIS_RNG_WORDS = 4 * TAMIS_RNG_BLOCKS };  /* blocks generated at once; their words */

struct tamis_rng {
    uint32_t key[2];            /* the seed */
    uint32_t counter[4];        /* 0, 1: blocks drawn; 2, 3: stream */
    uint32_t out[TAMIS_RNG_WORDS];
    uint32_t used;              /* words of out already used */
    uint32_t spare;             /* 1: normal holds the second value of a pair */
    double normal;
};

void tamis_rng_init(struct tamis_rng *r, uint64_t seed, uint32_t purpose, uint32_t index);
void tamis_rng_fill(struct tamis_rng *r);                       /* internal: generates the next words */
uint64_t tamis_rng_last_words(struct tamis_rng *r);             /* internal: tamis_rng_words across a refill */

static inline uint32_t tamis_rng_word(struct tamis_rng *r)
{
    if (r->used == TAMIS_RNG_WORDS) tamis_rng_fill(r);
    return r->out[r->used++];
}

static inline uint64_t tamis_rng_words(struct tamis_rng *r)     /* two words, the first in the upper half */
{
    if (r->used + 2 > TAMIS_RNG_WORDS) return tamis_rng_last_words(r);
    uint64_t high = r->out[r->used], low = r->out[r->used + 1];
    r->used += 2;
    return high << 32 | low;
}

static inline double tamis_rng_uniform(struct tamis_rng *r)     /* in (0, 1): (k + 1/2) 2^-52 */
{
    return ((double)(tamis_rng_words(r) >> 12) + 0.5) * 0x1p-52;
}

double tamis_rng_normal(struct tamis_rng *r);
size_t tamis_rng_below(struct tamis_rng *r, size_t n);          /* 0..n-1 without bias, n >= 1 */
void tamis_rng_shuffle(struct tamis_rng *r, size_t *a, size_t n);

void tamis_philox(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4]);

/* What a stream is for: one value per purpose, so that no two parts of a run share numbers. New ones go to the end. */
enum tamis_purpose {
    TAMIS_RNG_GENERATE = 1, TAMIS_RNG_HOLDOUT, TAMIS_RNG_FOLDS, TAMIS_RNG_KMEANS, TAMIS_RNG_TEST, TAMIS_RNG_CANDIDATES,
    TAMIS_RNG_FEI, TAMIS_RNG_FEI_FIT, TAMIS_RNG_SPARSE, TAMIS_RNG_ELM, TAMIS_RNG_MCMC, TAMIS_RNG_MCMC_SWAP,
    TAMIS_RNG_START, TAMIS_RNG_SIFT, TAMIS_RNG_OUTER, TAMIS_RNG_BOOTSTRAP,
    TAMIS_RNG_KNOCKOFFS, TAMIS_RNG_IMPORTANCE, TAMIS_RNG_PAIRWISE, TAMIS_RNG_INPUT_TESTS, TAMIS_RNG_STABILITY
};

#endif
