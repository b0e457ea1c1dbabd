/* exp(x), x <= 0, for loops that the compiler vectorises; gauss.c describes the method. quads.h has the version for
 * explicit vectors. */
#ifndef TAMIS_EXP_INLINE_H
#define TAMIS_EXP_INLINE_H

#include <stdint.h>
#include <string.h>

static const double log2_e = 0x1.71547652b82fep+0;
static const double ln2_high = 0x1.62e42fefa3800p-1, ln2_low = 0x1.ef35793c76730p-45;
static const double round_magic = 0x1.8p+52;            /* adding it leaves the integer part in the low bits */
static const double underflow = -750.0;                 /* exp of this, and of all below, is 0 */

/* exp(r), |r| <= ln(2) / 2, of a number or of a vector of them */
#define EXP_NEAR(r) (1.0 + ((r) + (r) * (r) * (0.5                                                              \
    + (r) * (0x1.5555555555557p-3 + (r) * (0x1.5555555555556p-5 + (r) * (0x1.11111111100dcp-7                   \
    + (r) * (0x1.6c16c16c162d4p-10 + (r) * (0x1.a01a01abe7fe1p-13 + (r) * (0x1.a01a01a6d889cp-16                \
    + (r) * (0x1.71de0231960ebp-19 + (r) * (0x1.27e4db646b17ep-22 + (r) * (0x1.af4de97ca4194p-26                \
    + (r) * 0x1.1f730349868cep-29))))))))))))

static inline double exp_nonpositive(double x)
{
    x = x < underflow ? underflow : x;                  /* NaN stays NaN */
    double t = x * log2_e + round_magic;
    double k = t - round_magic;
    double r = (x - k * ln2_high) - k * ln2_low;

    uint64_t bits;
    memcpy(&bits, &t, sizeof bits);
    bits = (bits << 52) + ((uint64_t)(1023 + 100) << 52);
    double power;
    memcpy(&power, &bits, sizeof power);
    return EXP_NEAR(r) * power * 0x1p-100;
}

#endif
