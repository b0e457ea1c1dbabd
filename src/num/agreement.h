/* Agreement between sets of inputs, and tests for differences of errors. */
#ifndef TAMIS_AGREEMENT_H
#define TAMIS_AGREEMENT_H

#include <stddef.h>

/* Stability of M sets among d inputs; set k is the d bytes that *(unsigned char *const *)((char *)first + k stride)
 * points to. 1: always the same set; 0: no more alike than sets drawn at random. low and high (or NULL): 95 % interval.
 * NAN when every set is empty or full.
 * [1] S. Nogueira, K. Sechidis, G. Brown, On the stability of feature selection algorithms, JMLR 18 (2018), eqs. 4
 *     and 7 and theorem 9. */
double tamis_agreement(size_t sets, size_t inputs, unsigned char *const *first, size_t stride, double *low,
                       double *high);

/* P(|T| >= |t|) of Student's t with df > 0 degrees of freedom. */
double tamis_student_two_sided(double t, double df);

/* Two-sided p-value for n paired differences from resamples that share training rows; 1 when all are 0. ratio: held-out
 * rows / training rows.
 * [2] C. Nadeau, Y. Bengio, Inference for the generalization error, Machine Learning 52 (2003):
 *     t = mean / sqrt((1/n + ratio) variance). */
double tamis_resampled_test(size_t n, const double *difference, double ratio);

#endif
