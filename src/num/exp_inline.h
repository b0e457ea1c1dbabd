/* exp(x) of x <= 0 for loops that the compiler turns into vectors; see gauss.c for how. */
#ifndef TAMIS_EXP_INLINE_H
#define TAMIS_EXP_INLINE_H

#include <stdint.h>
#include <string.h>

static const double log2_e = 0x1.71547652b82fep+0;
static const double ln2_high = 0x1.62e42fefa3800p-1, ln2_low = 0x1.ef35793c76730p-45;
static const double round_magic = 0x1.8p+52;            /* adding it leaves the integer part in the low bits */
static const double underflow = -750.0;                 /* exp of this, and of all below, is 0 */

/* exp(r), |r| <= ln(2) / 2, of a number or of a vector of them */
#define EXP_NEAR(r) (1.0 + ((r) + (r) * (r) * (0.5 + (r) * (0x1.5555555555557p-3 + (r) * (0x1.5555555555556p-5 + (r) * (0x1.11111111100dcp-7  \
    + (r) * (0x1.6c16c16c162d4p-10 + (r) * (0x1.a01a01abe7fe1p-13 + (r) * (0x1.a01a01a6d889cp-16 + (r) * (0x1.71de0231960ebp-19               \
    + (r) * (0x1.27e4db646b17ep-22 + (r) * (0x1.af4de97ca4194p-26 + (r) * 0x1.1f730349868cep-29))))))))))))

static inline double exp_nonpositive(double x)
{
    x = x < underflow ? underflow : x;                  /* what is no number stays so */
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

/* Four numbers at a time. Macros: a function of quads would have an ABI of its own, and is taken apart before it is inlined. */
typedef double quad __attribute__((vector_size(4 * sizeof(double)), aligned(8), may_alias));
typedef unsigned long whole __attribute__((vector_size(4 * sizeof(long))));
typedef long mask __attribute__((vector_size(4 * sizeof(long))));
#define QUAD_LARGER(a, b) __extension__({ quad a_ = (a), b_ = (b); mask more_ = b_ > a_; (quad)(((mask)b_ & more_) | ((mask)a_ & ~more_)); })
/* exp(x), x <= 600; below -600 as at -600: numbers too small to be normal would take many times as long. */
#define QUAD_EXP(x) __extension__({                                                                                                            \
        quad x_ = QUAD_LARGER(x, (quad){0} - 600.0), t_ = x_ * log2_e + round_magic, k_ = t_ - round_magic, r_ = (x_ - k_ * ln2_high) - k_ * ln2_low;  \
        EXP_NEAR(r_) * (quad)(((whole)t_ << 52) + (1023ul << 52)); })

/* log(x) of positive normal numbers: x = 2^k (1 + f) with 1 + f in [1/sqrt 2, sqrt 2), s = f / (2 + f), and the series of log((1 + s) / (1 - s)) as in
 * fdlibm's e_log.c (1993 by Sun Microsystems): below 1 ulp. */
#define LOG_NEAR(z) ((z) * (6.666666666666735130e-01 + (z) * (3.999999999940941908e-01 + (z) * (2.857142874366239149e-01 + (z) * (2.222219843214978396e-01   \
    + (z) * (1.818357216161805012e-01 + (z) * (1.531383769920937332e-01 + (z) * 1.479819860511658591e-01)))))))
#define QUAD_LOG(x) __extension__({                                                                                                            \
        whole bits_ = (whole)(x) + (0x3ff0000000000000ul - 0x3fe6a09e00000000ul);                                                              \
        quad k_ = (quad)((bits_ >> 52) | 0x4330000000000000ul) - (0x1p52 + 1023);                                                              \
        quad f_ = (quad)((bits_ & 0xFFFFFFFFFFFFFul) + 0x3fe6a09e00000000ul) - 1.0, s_ = f_ / (2.0 + f_), z_ = s_ * s_, h_ = 0.5 * f_ * f_;    \
        k_ * ln2_high - ((h_ - (s_ * (h_ + LOG_NEAR(z_)) + k_ * ln2_low)) - f_); })

#endif
