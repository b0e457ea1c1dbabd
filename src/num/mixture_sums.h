/* Sums over the rows of a mixture classifier: D Gaussian kernels with diagonal precisions, shared by K classes.
 *
 *     l_nd = sum_i 1/2 log tau_di - 1/2 tau_di (x_ni - mu_di)^2        (without the constant -1/2 log 2 pi per input)
 *     m_n = max_d l_nd,  e_nd = exp(l_nd - m_n)
 *     f_n = sum_d w_{t_n d} e_nd,  s_n = sum_d v_d e_nd,  v_d = sum_k P_k w_kd
 *     log p(t_n | x_n) = log P_{t_n} + log(f_n / s_n),   log p(x_n, t_n) = log P_{t_n} + m_n + log f_n
 *
 * Rows are sorted by class into ranges [from[k], from[k + 1]), k = K for rows without a class. Ranges start at
 * multiples of TAMIS_LANES and are padded to such multiples; keep_n is 1 for a row and 0 for the padding. Matrices of n
 * rows and D kernels are kernel-major.
 *
 * With weights c_n, row n counts as c_n rows: its terms in sums over rows, and its shares, are c_n times as large. */
#ifndef TAMIS_MIXTURE_NUM_H
#define TAMIS_MIXTURE_NUM_H

#include <stddef.h>

enum { TAMIS_LANES = 4 };
static inline size_t tamis_mix_filled(size_t n) { return (n + TAMIS_LANES - 1) / TAMIS_LANES * TAMIS_LANES; }
#define TAMIS_MIX_LEAST 1e-35           /* added to f and s, which keeps logarithms finite */

struct tamis_mix_rows {
    size_t n, ranges;           /* rows with padding; K, or K + 1 where rows without a class are used */
    const size_t *from;         /* ranges + 1 */
    const double *keep, *least; /* least: TAMIS_MIX_LEAST for a row, 1 for the padding */
    const double *weight;       /* c, 0 where keep is; NULL: keep */
};

struct tamis_mix {              /* l and e: n x D; m, f and s: n */
    double *l, *e, *m, *f, *s;
};

/* out = in + sign (the term of one input); out may be in. */
void tamis_mix_column(size_t n, size_t kernels, const double *x, const double *mu, const double *tau, double sign,
                      const double *in, double *out);
/* out = in - (one term) + (another) */
struct tamis_mix_term { const double *x, *mu, *tau; };
void tamis_mix_column_change(size_t n, size_t kernels, const struct tamis_mix_term *leaves,
                             const struct tamis_mix_term *enters, const double *in, double *out);
/* l = level_d - sum_c 1/2 tau_dc (x_nc - mu_dc)^2 over the columns listed (x: n values per column); mu and tau have D
 * values per column, in the order of the list. */
void tamis_mix_levels(size_t n, size_t kernels, size_t columns, const size_t *column, const double *x, const double *mu,
                      const double *tau, const double *level, double *l);
/* log sum_n keep_n exp(l_n); overwrites the padding of l. */
double tamis_mix_log_sum_exp(size_t n, double *l, const double *keep);
/* exp (of arguments clamped to -600..600) and log (of positive normal numbers); arrays have room for a multiple of
 * TAMIS_LANES. */
void tamis_mix_exp_any(size_t n, const double *x, double *out);
void tamis_mix_log_any(size_t n, const double *x, double *out);
/* out = factor in + level */
void tamis_mix_stretch(size_t n, const double *in, double factor, double level, double *out);
/* m and e from l; e is at least exp(-600). */
void tamis_mix_exp(size_t n, size_t kernels, struct tamis_mix *q);
/* f and s from e: w is kernels x classes, kernel index first; v: kernels. Rows without a class: f = s. Returns
 * sum_n log(f_n / s_n) over the rows with a class. */
double tamis_mix_sums(const struct tamis_mix_rows *r, size_t kernels, const double *w, const double *v, size_t classes,
                      const struct tamis_mix *q);
/* sum_n m_n + log f_n */
double tamis_mix_log_joint(const struct tamis_mix_rows *r, const struct tamis_mix *q);

/* r_nd = w_{t_n d} e_nd / f_n (v_d e_nd / s_n without a class): the share of kernel d in row n; 0 in the padding. */
void tamis_mix_shares(const struct tamis_mix_rows *r, size_t kernels, const double *w, const double *v, size_t classes,
                      const struct tamis_mix *q, double *share);
/* What gradients need: a_nd = r_nd - v_d e_nd / s_n (joint: r_nd), own[d + D k] = the sum of r_nd over range k,
 * all[d] = the sum of e_nd / s_n (joint: 0). */
void tamis_mix_contrast(const struct tamis_mix_rows *r, size_t kernels, const double *w, const double *v,
                        size_t classes, const struct tamis_mix *q, int joint, double *a, double *own, double *all);
/* total[d] = sum_n a_nd */
void tamis_mix_totals(size_t n, size_t kernels, const double *a, double *total);
/* all, first, second [step d] = sum_n of a_nd (copied from total), a_nd x_n, a_nd x_n^2. */
void tamis_mix_moments(size_t n, size_t kernels, const double *a, const double *x, const double *total, size_t step,
                       double *all, double *first, double *second);
/* log of the product of n positive normal numbers, whatever its size: one logarithm for all */
double tamis_mix_log_product(size_t n, const double *x);
/* sum_n a_n b_n */
double tamis_mix_dot(size_t n, const double *a, const double *b);

#endif
