/* Penalised multinomial logistic regression: with features h_i of row i of class y_i, which counts w_i,
 *
 *     f_k(i) = c_k + h_i' b_k,    min over b, c of sum_i w_i (log sum_k exp f_k(i) - f_(y_i)(i)) + lambda / 2 sum_k
 *     |b_k|^2,
 *
 * of two classes with f_1 = 0 and one b. With the features of a kernel, K(x, Z) L^-T with L L' = K(Z, Z), this is
 * kernel logistic regression [1].
 *
 * The curvature of the likelihood is at most H' W H / 4 for two classes and half of H' W H for more [2]. The function
 * is minimised by L-BFGS in the variables u = R' b, R R' = H' W H / 4 + lambda I, in which it is never larger than 1 or
 * 2, and close to it where the penalty counts.
 *
 * [1] J. Zhu, T. Hastie: Kernel logistic regression and the import vector machine, JCGS 14 (2005).
 * [2] D. Boehning: Multinomial logistic regression algorithm, Ann. Inst. Statist. Math. 44 (1992). */
#include "num/logistic.h"

#include <math.h>
#include <string.h>
#include "num/cholesky.h"
#include "num/lapack.h"
#include "num/lbfgs.h"
#include "num/weighted.h"

struct problem {
    const struct tamis_logistic *q;
    size_t outputs;
    double *f;                          /* rows x classes */
    double *r;                          /* features x features: R, lower triangle */
    double *b;                          /* (features + 1) x outputs */
    double root;                        /* of the curvature of a constant */
};

size_t tamis_logistic_work(size_t rows, size_t features, size_t classes)
{
    size_t variables = (features + 1) * tamis_logistic_outputs(classes);
    return rows * classes + features * features + 2 * variables + tamis_lbfgs_size(variables);
}

/* ---- the function ---- */

void tamis_logistic_logs(size_t rows, size_t classes, double *f, size_t ld)
{
    if (classes == 2)
        for (size_t i = 0; i < rows; i++) f[i + ld] = f[i], f[i] = 0;
    for (size_t i = 0; i < rows; i++) {
        double most = -INFINITY, sum = 0;
        for (size_t k = 0; k < classes; k++) most = fmax(most, f[i + ld * k]);
        for (size_t k = 0; k < classes; k++) sum += exp(f[i + ld * k] - most);
        sum = most + log(sum);
        for (size_t k = 0; k < classes; k++) f[i + ld * k] -= sum;
    }
}

/* f: the log probabilities; returns minus the log likelihood. */
static double likelihood(const struct tamis_logistic *q, const double *b, double *f)
{
    size_t n = q->rows, p = q->features, outputs = tamis_logistic_outputs(q->classes);
    double value = 0;
    for (size_t k = 0; k < outputs; k++) {
        for (size_t i = 0; i < n; i++) f[i + n * k] = b[(p + 1) * k + p];
        if (p) tamis_gemv(PLAIN, n, p, 1, q->h, n, b + (p + 1) * k, 1, f + n * k);
    }
    tamis_logistic_logs(n, q->classes, f, n);
    for (size_t i = 0; i < n; i++) value -= tamis_weight_at(q->weight, i) * f[i + n * (size_t)q->class_of[i]];
    return value;
}

/* f: log probabilities on entry, w (p - y) of every output on return. */
static void residuals(const struct tamis_logistic *q, double *f)
{
    size_t n = q->rows, first = q->classes == 2;
    for (size_t k = first; k < q->classes; k++)
        for (size_t i = 0; i < n; i++)
            f[i + n * (k - first)] = tamis_weight_at(q->weight, i) *
                                     (exp(f[i + n * k]) - (q->class_of[i] == (double)k));
}

double tamis_logistic_value(const struct tamis_logistic *q, const double *b, double *gradient, double *work)
{
    size_t n = q->rows, p = q->features;
    double value = likelihood(q, b, work), sum;
    residuals(q, work);
    for (size_t k = 0; k < tamis_logistic_outputs(q->classes); k++, gradient += p + 1, b += p + 1) {
        const double *r = work + n * k;
        if (p) tamis_gemv(TRANS, n, p, 1, q->h, n, r, 0, gradient);
        for (size_t j = 0; j < p; j++) {
            gradient[j] += q->penalty * b[j];
            value += q->penalty / 2 * b[j] * b[j];
        }
        sum = 0;
        for (size_t i = 0; i < n; i++) sum += r[i];
        gradient[p] = sum;
    }
    return value;
}

/* ---- the minimum ---- */

/* R R' = H' W H / 4 + lambda I; 0, or nonzero where that is not positive. */
static int scale_make(struct problem *w)
{
    const struct tamis_logistic *q = w->q;
    size_t p = q->features;
    w->root = sqrt(tamis_weight_sum(q->weight, q->rows)) / 2;
    for (size_t j = 0; j < p; j++) {
        for (size_t i = j; i < p; i++) w->r[i + p * j] = q->gram[i + p * j] / 4;
        w->r[j * (p + 1)] += q->penalty;
    }
    return p ? tamis_cholesky(CblasLower, p, w->r, p) : 0;
}

/* b = R^-T u */
static void unscale(const struct problem *w, const double *u, double *b)
{
    size_t p = w->q->features;
    memcpy(b, u, (p + 1) * w->outputs * sizeof *b);
    for (size_t k = 0; k < w->outputs; k++, b += p + 1) {
        if (p) tamis_trsv(CblasLower, TRANS, p, w->r, p, b);
        b[p] /= w->root;
    }
}

/* u = R' b */
static void scale(const struct problem *w, const double *b, double *u)
{
    size_t p = w->q->features;
    for (size_t k = 0; k < w->outputs; k++, b += p + 1, u += p + 1) {
        for (size_t j = 0; j < p; j++) u[j] = tamis_dot(p - j, w->r + j * (p + 1), b + j);
        u[p] = w->root * b[p];
    }
}

static double scaled_value(void *arg, const double *u, double *gradient)
{
    struct problem *w = arg;
    size_t p = w->q->features;
    unscale(w, u, w->b);
    double value = tamis_logistic_value(w->q, w->b, gradient, w->f);
    for (size_t k = 0; k < w->outputs; k++, gradient += p + 1) {
        if (p) tamis_trsv(CblasLower, PLAIN, p, w->r, p, gradient);
        gradient[p] /= w->root;
    }
    return value;
}

double tamis_logistic(const struct tamis_logistic *q, double *b, double *work)
{
    size_t p = q->features, outputs = tamis_logistic_outputs(q->classes), variables = (p + 1) * outputs;
    struct problem w = {.q = q, .outputs = outputs, .f = work, .r = work + q->rows * q->classes};
    double *u = w.r + p * p, rows = tamis_weight_sum(q->weight, q->rows);
    struct tamis_lbfgs how = {.iterations = 500, .tolerance = q->tolerance * rows, .largest = 1e9};
    w.b = u + variables;
    if (!(rows > 0) || scale_make(&w)) return NAN;
    scale(&w, b, u);
    double value = tamis_lbfgs(variables, u, NULL, NULL, &how, scaled_value, &w, w.b + variables);
    unscale(&w, u, b);
    return value;
}
