/* Values as bits, for hash tables of values and rows: -0 is 0, and all NaNs are equal. */
#ifndef TAMIS_BITS_H
#define TAMIS_BITS_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define TAMIS_BITS_NAN UINT64_MAX       /* the bits of every NaN */

static inline uint64_t tamis_bits_of(double x)
{
    uint64_t bits;
    x = x == x ? x + 0.0 : NAN;
    memcpy(&bits, &x, sizeof bits);
    return x == x ? bits : TAMIS_BITS_NAN;
}

static inline uint64_t tamis_bits_mix(uint64_t h, uint64_t v)
{
    h = (h ^ v) * 0xD6E8FEB86659FD93u;
    return h ^ h >> 32;
}

/* Every bit of the result depends on every bit of v, and different v have different results (the finaliser of
 * MurmurHash3, after a step off 0). */
static inline uint64_t tamis_bits_whirl(uint64_t v)
{
    v += 0x9e3779b97f4a7c15u;
    v = (v ^ v >> 33) * 0xff51afd7ed558ccdu;
    v = (v ^ v >> 33) * 0xc4ceb9fe1a85ec53u;
    return v ^ v >> 33;
}

/* Slots of a hash table of n items: a power of two, at most half of them used. */
static inline size_t tamis_bits_slots(size_t n)
{
    size_t slots = 16;
    while (slots < 2 * n) slots *= 2;
    return slots;
}

#endif
