/* Radix 2, decimation in time (J. W. Cooley, J. W. Tukey, Math. Comp. 19, 1965). */
#include <math.h>
#include "num/fft.h"

size_t tamis_fft_length(size_t n)
{
    size_t length = 1;
    while (length < n) length *= 2;
    return length;
}

void tamis_fft_roots(size_t n, double *root)
{
    for (size_t j = 0; j < n / 2; j++) {
        double angle = 2 * M_PI * (double)j / (double)n;
        root[2 * j] = cos(angle);
        root[2 * j + 1] = -sin(angle);
    }
}

/* Swaps numbers whose indices are each other's bits in reverse. */
static void bit_reverse(size_t n, double *z)
{
    for (size_t i = 1, j = 0; i < n; i++) {
        size_t bit = n / 2;
        for (; j & bit; bit /= 2) j ^= bit;
        j ^= bit;
        if (i >= j) continue;
        for (int part = 0; part < 2; part++) {
            double t = z[2 * i + part];
            z[2 * i + part] = z[2 * j + part];
            z[2 * j + part] = t;
        }
    }
}

void tamis_fft(size_t n, const double *root, double *z)
{
    bit_reverse(n, z);
    for (size_t half = 1; half < n; half *= 2)
        for (size_t from = 0; from < n; from += 2 * half)
            for (size_t j = 0; j < half; j++) {
                const double *w = root + 2 * (j * (n / (2 * half)));
                double *a = z + 2 * (from + j), *b = a + 2 * half;
                double re = w[0] * b[0] - w[1] * b[1], im = w[0] * b[1] + w[1] * b[0];
                b[0] = a[0] - re, b[1] = a[1] - im;
                a[0] += re, a[1] += im;
            }
}
