/* Numbers in text, against strtod: the same texts are numbers, the value is the same double, and what is written is
 * read back as the same double, in at most 17 digits. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include "fuzz.h"
#include "base/number.h"

enum { LONGEST = 1500 };

static void check_written(double x)
{
    char shortest[33];
    double back;
    size_t n = (size_t)(tamis_number_write(x, shortest) - shortest);
    shortest[n] = 0;
    check(n <= 24 && tamis_number_whole(shortest, n, '.', &back) && (back == x || (isnan(x) && isnan(back))));
}

/* strtod takes more: hexadecimal numbers, nan with a payload, and blanks of other kinds in front. */
static int usual_number(const char *s, double *x)
{
    char *end;
    while (*s == ' ' || *s == '\t') s++;
    if (!*s || isspace((unsigned char)*s) || strpbrk(s, "xX(")) return 0;
    *x = strtod(s, &end);
    if (end == s) return 0;
    while (*end == ' ' || *end == '\t') end++;
    return !*end;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    char text[LONGEST + 64] = {0};
    double x = 0, y = 0;
    if (n > LONGEST || memchr(data, 0, n)) return 0;
    memcpy(text, data, n);
    int number = tamis_number_whole(text, n, '.', &x);
    check(number == usual_number(text, &y));
    if (number) check((x == y && signbit(x) == signbit(y)) || (isnan(x) && isnan(y)));
    if (number) check_written(x);
    for (size_t i = 0; i < n; i++)                      /* the same with a decimal comma */
        text[i] = text[i] == '.' ? ',' : text[i] == ',' ? '.' : text[i];
    check(tamis_number_whole(text, n, ',', &y) == number && (!number || x == y || isnan(x)));
    return 0;
}

/* A double with random bits, or half way between two, with some of its digits and perhaps one of them changed. */
static void mutate(const uint8_t *data, size_t n, struct fuzz_bytes *out, struct fuzz_random *r)
{
    char text[LONGEST];
    uint64_t bits = (uint64_t)fuzz_pick(r, SIZE_MAX) << 32 ^ fuzz_pick(r, SIZE_MAX);
    long double x;
    double d, next;
    (void)data, (void)n;
    if (!fuzz_pick(r, 4)) return;                       /* libFuzzer's turn */
    memcpy(&d, &bits, sizeof d);
    if (!fuzz_pick(r, 4)) d = ldexp(d, -1022 - ilogb(d) - (int)fuzz_pick(r, 52));
    next = nextafter(d, INFINITY);
    x = fuzz_pick(r, 2) ? d : ((long double)d + next) / 2;
    int digits = (int)fuzz_pick(r, fuzz_pick(r, 8) ? 25 : 770);
    size_t length = (size_t)snprintf(text, sizeof text, fuzz_pick(r, 4) ? "%.*Le" : "%.*Lf", digits, x);
    if (length >= sizeof text) length = sizeof text - 1;
    size_t at = fuzz_pick(r, length);
    if (fuzz_pick(r, 2) && isdigit((unsigned char)text[at])) text[at] = (char)('0' + fuzz_pick(r, 10));
    fuzz_put(out, text, length);
}

FUZZ_MUTATOR(mutate)
