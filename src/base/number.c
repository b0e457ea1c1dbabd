/* Decimal to double, correctly rounded, and back.
 *
 * A decimal is w 10^q, w an integer of at most 19 digits (more: w is the first 19 and the value lies in [w, w+1) 10^q).
 *   1. w <= 2^53 and |q| <= 22: one exact multiplication or division (Clinger [1]).
 *   2. Otherwise w times a 128-bit power of five, as in [2]. The power is a product 5^q = 5^(28a) 5^b from a table of
 *      25 and a table of 28 numbers, so that the 128-bit result r falls short of the true one by less than 12 units in
 *      its last place: the 53-bit rounding is certain unless r lies within 12 units of the middle of two doubles.
 *   3. If it is not certain, or the double is subnormal, the decimal is compared with middles of doubles in exact
 *      integers.
 *
 * [1] Clinger, How to read floating point numbers accurately, PLDI 1990.
 * [2] Lemire, Number parsing at a gigabyte per second, Software: Practice and Experience 51(8), 2021.
 * DIFFERS [2]: the table has 53 rows instead of 651 at the price of one more multiplication. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "base/format.h"
#include "base/number.h"

__extension__ typedef unsigned __int128 wide;

/* The first 128 bits of 5^(28a), a = -13..11. */
static const uint64_t coarse[25][2] = {
    {0xe1afa13afbd14d6d, 0x82189c09a3a1ec21}, {0xe3e27a444d8d98b7, 0xfd1b1b2308169b25},
    {0xe61acf033d1a45df, 0x6fb92487298e33bd}, {0xe858ad248f5c22c9, 0xd1b3400f8f9cff68},
    {0xea9c227723ee8bcb, 0x465e15a979c1cadc}, {0xece53cec4a314ebd, 0xa4f8bf5635246428},
    {0xef340a98172aace4, 0x86fb897116c87c34}, {0xf18899b1bc3f8ca1, 0xdc44e6c3cb279ac1},
    {0xf3e2f893dec3f126, 0x5a89dba3c3efccfa}, {0xf64335bcf065d37d, 0x4d4617b5ff4a16d5},
    {0xf8a95fcf88747d94, 0x75a44c6397ce912a}, {0xfb158592be068d2e, 0xeed6e2f0f0d56712},
    {0xfd87b5f28300ca0d, 0x8bca9d6e188853fc}, {0x8000000000000000, 0x0000000000000000},
    {0x813f3978f8940984, 0x4000000000000000}, {0x82818f1281ed449f, 0xbff8f10e7a8921a4},
    {0x83c7088e1aab65db, 0x792667c6da79e0fa}, {0x850fadc09923329e, 0x03e2cf6bc604ddb0},
    {0x865b86925b9bc5c2, 0x0b8a2392ba45a9b2}, {0x87aa9aff79042286, 0x90fb44d2f05d0842},
    {0x88fcf317f22241e2, 0x441fece3bdf81f03}, {0x8a5296ffe33cc92f, 0x82bd6b70d99aaa6f},
    {0x8bab8eefb6409c1a, 0x1ad089b6c2f7548e}, {0x8d07e33455637eb2, 0xdb0b487b6423e1e8},
    {0x8e679c2f5e44ff8f, 0x570f09eaa7ea7648},
};

static const uint64_t fine[28] = {
    1u, 5u, 25u, 125u, 625u, 3125u, 15625u, 78125u, 390625u, 1953125u, 9765625u, 48828125u, 244140625u, 1220703125u,
    6103515625u, 30517578125u, 152587890625u, 762939453125u, 3814697265625u, 19073486328125u, 95367431640625u,
    476837158203125u, 2384185791015625u, 11920928955078125u, 59604644775390625u, 298023223876953125u,
    1490116119384765625u, 7450580596923828125u,
};

static const double ten[23] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                               1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

static double from_bits(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static uint64_t to_bits(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* ---- products with powers of ten ---- */

/* The first 128 bits of a b, a of 128 bits, b of 64. */
static inline wide multiply(wide a, uint64_t b)
{
    return (wide)(uint64_t)(a >> 64) * b + ((wide)(uint64_t)a * b >> 64);
}

/* w 10^q = r 2^e with the top bit of r set; r is short by less than 12. w > 0, -364 <= q < 336. */
static inline wide scale(uint64_t w, int q, int *e)
{
    int a = (q + 364) / 28, b = q + 364 - 28 * a, up_w = __builtin_clzll(w), up_f = __builtin_clzll(fine[b]);
    wide power = multiply((wide)coarse[a][0] << 64 | coarse[a][1], fine[b] << up_f);       /* short by < 2 */
    wide r = multiply(power, w << up_w);                                                    /* short by < 3 */
    int up = r >> 127 ? 0 : r >> 126 ? 1 : 2;
    int log2_coarse = (28 * (a - 13) * 1217359) >> 19;
    *e = log2_coarse - 127 - up_f - up_w + 128 - up + q;
    return r << up;
}

/* The double nearest to r 2^e; returns 0 if it is uncertain or not a normal number. */
static inline int round_off(wide r, int e, double *x)
{
    const wide half = (wide)1 << 74, rest = r & (((wide)1 << 75) - 1);
    uint64_t m = (uint64_t)(r >> 75);
    if (rest - (half - 12) <= 12) return 0;
    m += rest > half;
    e += 75 + 52 + (int)(m >> 53);
    if (e < -1022 || e > 1023) return 0;
    *x = from_bits(((uint64_t)(e + 1023) << 52) | ((m >> (m >> 53)) & 0xFFFFFFFFFFFFFu));
    return 1;
}

/* ---- exact comparison ---- */

enum { WORDS = 64, MOST_DIGITS = 768 };         /* 4096 bits; the largest product below has fewer than 2800 */

struct big { int n; uint64_t word[WORDS]; };

static void big_multiply(struct big *b, uint64_t by, uint64_t plus)
{
    for (int i = 0; i < b->n; i++) {
        wide v = (wide)b->word[i] * by + plus;
        b->word[i] = (uint64_t)v;
        plus = (uint64_t)(v >> 64);
    }
    if (plus && b->n < WORDS) b->word[b->n++] = plus;
}

static void big_power5(struct big *b, long n)
{
    for (; n >= 27; n -= 27) big_multiply(b, fine[27], 0);
    big_multiply(b, fine[n], 0);
}

static void big_shift(struct big *b, long bits)
{
    int words = (int)(bits / 64);
    big_multiply(b, (uint64_t)1 << bits % 64, 0);
    if (!b->n || b->n + words > WORDS) return;
    memmove(b->word + words, b->word, (size_t)b->n * sizeof *b->word);
    memset(b->word, 0, (size_t)words * sizeof *b->word);
    b->n += words;
}

static int big_compare(const struct big *a, const struct big *b)
{
    if (a->n != b->n) return a->n < b->n ? -1 : 1;
    for (int i = a->n - 1; i >= 0; i--)
        if (a->word[i] != b->word[i]) return a->word[i] < b->word[i] ? -1 : 1;
    return 0;
}

/* Sign of d 10^q - (the middle of the double with these bits and the next). */
static int against_middle(const struct big *d, long q, uint64_t bits)
{
    long e = (long)(bits >> 52);
    uint64_t m = bits & 0xFFFFFFFFFFFFFu;
    struct big left = *d, right = {1, {2 * (e ? m | 1ull << 52 : m) + 1}};
    long up = q - ((e ? e : 1) - 1076);                 /* d 10^q ? M 2^(e - 1076)   <=>   d 5^q 2^up ? M */
    big_power5(q > 0 ? &left : &right, q > 0 ? q : -q);
    big_shift(up > 0 ? &left : &right, up > 0 ? up : -up);
    return big_compare(&left, &right);
}

/* The double nearest to d 10^q, by single steps from one that is close. */
static double settle(const struct big *d, long q, double near)
{
    const uint64_t infinite = 0x7FFull << 52;
    uint64_t bits = to_bits(near);
    if (bits > infinite - 1) bits = infinite - 1;
    for (;;) {
        int above = against_middle(d, q, bits), odd = bits & 1;
        if (above > 0 || (above == 0 && odd)) {
            if (++bits == infinite) break;
        } else if (bits) {
            int below = against_middle(d, q, bits - 1);
            if (below > 0 || (below == 0 && !odd)) break;
            bits--;
        } else break;
    }
    return from_bits(bits);
}

/* A double within a few units in the last place of w 10^q; may be subnormal or infinite. */
static double estimate(uint64_t w, long q)
{
    int e;
    if (!w || q < -364) return 0;
    if (q > 309) return INFINITY;
    wide r = scale(w, (int)q, &e);
    return ldexp((double)(uint64_t)(r >> 64), e + 64);
}

static double compose_exactly(uint64_t w, long q)
{
    struct big d = {1, {w}};
    if (!w || q < -364) return 0;
    return q > 309 ? INFINITY : settle(&d, q, estimate(w, q));
}

static inline int compose_fast(uint64_t w, long q, double *x)
{
    int e;
    if (w <= 1ull << 53 && q >= -22 && q <= 22) {
        *x = q < 0 ? (double)w / ten[-q] : (double)w * ten[q];
        return 1;
    }
    if (!w || q == 0) {
        *x = (double)w;
        return 1;
    }
    if (q < -342 || q > 308) return 0;
    wide r = scale(w, (int)q, &e);
    return round_off(r, e, x);
}

double tamis_number_compose(uint64_t w, long q)
{
    double x;
    return compose_fast(w, q, &x) ? x : compose_exactly(w, q);
}

/* ---- text ---- */

static inline int is_digit(char c) { return (unsigned char)(c - '0') < 10; }

/* How many of the eight characters at s are leading digits, and their value; all eight at once. */
static inline unsigned eight(const char *s, uint64_t *value)
{
    uint64_t v;
    memcpy(&v, s, sizeof v);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    v = __builtin_bswap64(v);
#endif
    uint64_t other = ((v + 0x4646464646464646u) | (v - 0x3030303030303030u)) & 0x8080808080808080u;
    unsigned n = other ? (unsigned)__builtin_ctzll(other) / 8 : 8;
    v = n ? v << (64 - 8 * n) : 0;                      /* leading zeros */
    v = (v & 0x0F0F0F0F0F0F0F0Fu) * 2561 >> 8;
    v = (v & 0x00FF00FF00FF00FFu) * 6553601 >> 16;
    *value = (v & 0x0000FFFF0000FFFFu) * 42949672960001u >> 32;
    return n;
}

/* Appends digits to *w, which may overflow: the caller counts them. */
static inline const char *take_digits(const char *s, const char *end, uint64_t *w)
{
    static const uint64_t shift[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};
    while (end - s >= 8) {
        uint64_t v;
        unsigned n = eight(s, &v);
        *w = *w * shift[n] + v;
        s += n;
        if (n < 8) return s;
    }
    for (; is_digit(*s); s++) *w = *w * 10 + (uint64_t)(*s - '0');
    return s;
}

static const char *take_exponent(const char *s, long *q)
{
    const char *d = s + 1 + (s[1] == '-' || s[1] == '+');
    long e = 0;
    if (!is_digit(*d)) return s;
    for (; is_digit(*d); d++)
        if (e < 100000000) e = e * 10 + (*d - '0');
    *q += s[1] == '-' ? -e : e;
    return d;
}

/* A number of more than 19 digits: [s, end) holds digits and perhaps a point; q is the exponent of the last digit. */
static double read_long(const char *s, const char *end, long q)
{
    uint64_t w = 0;
    long digits = 0, beyond = 0, sticky = 0, dropped = 0;
    struct big d = {0, {0}};
    double low, high;
    for (; s < end; s++) {
        if (!is_digit(*s) || (!digits && *s == '0')) continue;
        if (digits < 19) w = w * 10 + (uint64_t)(*s - '0');
        else beyond++;
        if (digits < MOST_DIGITS) big_multiply(&d, 10, (uint64_t)(*s - '0'));
        else sticky |= *s != '0', dropped++;
        digits++;
    }
    if (!beyond) return tamis_number_compose(w, q);
    if (q + beyond < -400) return 0;
    if (q + beyond > 309) return INFINITY;
    if (compose_fast(w, q + beyond, &low) && compose_fast(w + 1, q + beyond, &high) && low == high) return low;
    if (sticky) big_multiply(&d, 10, 1), dropped--;
    return settle(&d, q + dropped, estimate(w, q + beyond));
}

static const char *read_word(const char *s, const char *end, double *x)
{
    static const struct { const char *word; size_t n; double x; } known[] = {
        {"infinity", 8, INFINITY}, {"inf", 3, INFINITY}, {"nan", 3, NAN}};
    for (size_t i = 0; i < 3; i++)
        if ((size_t)(end - s) >= known[i].n && !strncasecmp(s, known[i].word, known[i].n)) {
            *x = known[i].x;
            return s + known[i].n;
        }
    return NULL;
}

const char *tamis_number_read(const char *s, const char *end, char point, double *x)
{
    const char *start = s + (s < end && (*s == '-' || *s == '+')), *p = start, *digits_end;
    int negative = s < end && *s == '-';
    uint64_t w = 0;
    long q = 0, digits;
    double value;
    *x = 0;
    p = take_digits(p, end, &w);
    digits = p - start;
    if (p < end && *p == point) {
        const char *fraction = ++p;
        p = take_digits(p, end, &w);
        q = fraction - p;
        digits -= q;
    }
    digits_end = p;
    if (!digits) {
        if (!(p = read_word(start, end, &value))) return s;
    } else {
        if (p < end && (*p | 32) == 'e') p = take_exponent(p, &q);
        if (__builtin_expect(digits > 19, 0)) value = read_long(start, digits_end, q);
        else if (!compose_fast(w, q, &value)) value = compose_exactly(w, q);
    }
    *x = negative ? -value : value;
    return p;
}

static int is_blank(char c) { return c == ' ' || c == '\t'; }

int tamis_number_whole(const char *s, size_t n, char point, double *x)
{
    while (n && is_blank(*s)) s++, n--;
    while (n && is_blank(s[n - 1])) n--;
    return n && tamis_number_read(s, s + n, point, x) == s + n;
}

/* ---- writing ---- */

static char *write_digits(uint64_t v, int digits, char *out)
{
    for (int i = digits - 1; i >= 0; i--) {
        out[i] = (char)('0' + v % 10);
        v /= 10;
    }
    return out + digits;
}

static int count_digits(uint64_t v)
{
    int n = 1;
    for (; v >= 10000; v /= 10000) n += 4;
    return n + (v >= 10) + (v >= 100) + (v >= 1000);
}

static char *write_fixed(uint64_t d, int digits, int first, char *out)
{
    char text[24];
    write_digits(d, digits, text);
    if (first < 0) {
        *out++ = '0';
        *out++ = '.';
        for (int i = -1; i > first; i--) *out++ = '0';
        memcpy(out, text, (size_t)digits);
        return out + digits;
    }
    for (int i = 0; i <= first || i < digits; i++) {
        if (i == first + 1) *out++ = '.';
        *out++ = i < digits ? text[i] : '0';
    }
    return out;
}

static char *write_exponential(uint64_t d, int digits, int first, char *out)
{
    write_digits(d, digits, out + 1);
    out[0] = out[1];
    out[1] = '.';
    out += digits > 1 ? digits + 1 : 1;
    *out++ = 'e';
    *out++ = first < 0 ? '-' : '+';
    first = first < 0 ? -first : first;
    return write_digits((uint64_t)first, first < 100 ? 2 : 3, out);
}

/* d 10^q without the trailing zeros of d, in the form that %g chooses at this precision. */
static char *write_decimal(uint64_t d, int q, int precision, char *out)
{
    for (; d % 10 == 0; d /= 10) q++;
    int digits = count_digits(d), first = q + digits - 1;
    return first < -4 || first >= precision ? write_exponential(d, digits, first, out)
                                            : write_fixed(d, digits, first, out);
}

/* x = (d + f 2^-64) 10^(*k - 16), d an integer of 17 digits; x > 1e-300. */
static uint64_t digits17(double x, int *k, uint64_t *f)
{
    const uint64_t m = (to_bits(x) & 0xFFFFFFFFFFFFFu) | 1ull << 52;
    const int e2 = (int)(to_bits(x) >> 52) - 1075;
    for (*k = (int)floor((e2 + 52) * 0.30102999566398120);; ++*k) {
        int e;
        wide r = scale(m, 16 - *k, &e) + 12;
        if (r < 12) r = (wide)1 << 127, e++;            /* it was short of a power of two */
        e += e2;                                        /* x 10^(16 - k) = r 2^e */
        *f = (uint64_t)(r << (128 + e) >> 64);
        if ((uint64_t)(r >> -e) < 100000000000000000u) return (uint64_t)(r >> -e);
    }
}

static uint64_t round_to(uint64_t d, uint64_t f, uint64_t unit)
{
    wide rest = (wide)(d % unit) << 64 | f, half = (wide)unit << 63;
    d /= unit;
    return d + (rest > half || (rest == half && d & 1));
}

/* By printf, for what the fast paths do not cover. */
static char *by_printf(double x, char *out)
{
    for (int digits = 15;; digits++) {
        double back;
        int n = tamis_snprintf(out, 32, "%.*g", digits, x);
        tamis_number_read(out, out + n, '.', &back);
        if (digits == 17 || back == x) return out + n;
    }
}

char *tamis_number_write(double x, char *out)
{
    static const uint64_t unit[] = {100, 10, 1};
    int k, i = 0;
    uint64_t f;
    double a = fabs(x);
    if (!(a <= 1.7976931348623157e308) || (a < 1e-300 && a > 0)) return by_printf(x, out);
    if (signbit(x)) *out++ = '-';
    if (a < 1e15 && a == (double)(uint64_t)a) return write_digits((uint64_t)a, count_digits((uint64_t)a), out);
    if (a < 1e9 && a > 1e-3) {                          /* few decimals: 15 digits that read back are the shortest */
        uint64_t n = (uint64_t)(a * 1e6 + .5);
        if ((double)n / 1e6 == a) return write_decimal(n, -6, 15, out);
    }
    uint64_t d17 = digits17(a, &k, &f), d = round_to(d17, f, 100);
    for (; i < 2 && tamis_number_compose(d, k - 14 - i) != a; d = round_to(d17, f, unit[i])) i++;
    return write_decimal(d, k - 14 - i, 15 + i, out);
}

const char *tamis_number_text(double x, char *out)
{
    *tamis_number_write(x, out) = 0;
    return out;
}
