/* Discrete Fourier transform of a length that is a power of two. */
#ifndef TAMIS_FFT_H
#define TAMIS_FFT_H

#include <stddef.h>

/* The least power of two that is not below n. */
size_t tamis_fft_length(size_t n);
/* exp(-2 pi i j / n), j < n / 2: n doubles, real and imaginary parts alternating. */
void tamis_fft_roots(size_t n, double *root);
/* z_k = sum_j z_j exp(-2 pi i j k / n), n complex numbers in place. */
void tamis_fft(size_t n, const double *root, double *z);

#endif
