/* Four numbers at a time, for kernels whose sums must not depend on the vector width of the machine. */
#ifndef TAMIS_QUADS_H
#define TAMIS_QUADS_H

#include "num/exp_inline.h"

/* Macros, because functions of quads have an ABI of their own and are split into parts before they are inlined. */
typedef double quad __attribute__((vector_size(4 * sizeof(double)), aligned(8), may_alias));
typedef unsigned long whole __attribute__((vector_size(4 * sizeof(long))));
typedef long mask __attribute__((vector_size(4 * sizeof(long))));
#define QUAD_LARGER(a, b) __extension__({                                                               \
        quad a_ = (a), b_ = (b);                                                                        \
        mask more_ = b_ > a_;                                                                           \
        (quad)(((mask)b_ & more_) | ((mask)a_ & ~more_)); })
/* exp(x), x <= 600; below -600 as at -600, because subnormal numbers take many times as long. */
#define QUAD_EXP(x) __extension__({                                                                     \
        quad x_ = QUAD_LARGER(x, (quad){0} - 600.0), t_ = x_ * log2_e + round_magic,                    \
             k_ = t_ - round_magic, r_ = (x_ - k_ * ln2_high) - k_ * ln2_low;                           \
        EXP_NEAR(r_) * (quad)(((whole)t_ << 52) + (1023ul << 52)); })

/* log(x) of positive normal numbers: x = 2^k (1 + f) with 1 + f in [1/sqrt 2, sqrt 2), s = f / (2 + f), and the series
 * of log((1 + s) / (1 - s)) as in fdlibm's e_log.c (1993 by Sun Microsystems): below 1 ulp. */
#define LOG_NEAR(z) ((z) * (6.666666666666735130e-01                                                    \
    + (z) * (3.999999999940941908e-01 + (z) * (2.857142874366239149e-01                                 \
    + (z) * (2.222219843214978396e-01 + (z) * (1.818357216161805012e-01                                 \
    + (z) * (1.531383769920937332e-01 + (z) * 1.479819860511658591e-01)))))))
#define QUAD_LOG(x) __extension__({                                                                     \
        whole bits_ = (whole)(x) + (0x3ff0000000000000ul - 0x3fe6a09e00000000ul);                       \
        quad k_ = (quad)((bits_ >> 52) | 0x4330000000000000ul) - (0x1p52 + 1023);                       \
        quad f_ = (quad)((bits_ & 0xFFFFFFFFFFFFFul) + 0x3fe6a09e00000000ul) - 1.0,                     \
             s_ = f_ / (2.0 + f_), z_ = s_ * s_, h_ = 0.5 * f_ * f_;                                    \
        k_ * ln2_high - ((h_ - (s_ * (h_ + LOG_NEAR(z_)) + k_ * ln2_low)) - f_); })

/* Numbers i to i + 3 of an array, to read and to write; the sum of a quad */
#define AT(x, i) (*(const quad *)((x) + (i)))
#define TO(x, i) (*(quad *)((x) + (i)))
#define SUM(v) (((v)[0] + (v)[1]) + ((v)[2] + (v)[3]))

#endif
