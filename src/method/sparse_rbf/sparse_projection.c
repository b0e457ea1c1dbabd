/* projection: the network's coefficients are projected out.
 *
 *     phi(w) = min over |alpha|_1 <= r of E(alpha, w),    minimised over w >= 0, sum w <= t
 *
 * phi(w) is a lasso (num/lasso.c), started from the last active set. Its gradient is dE/dw at the minimiser. On an
 * active set S with signs s, A_S = Q R, J = df/dw, P = A_S^T-mixed derivatives, its Hessian is that of a least squares
 * problem with variables projected out:
 *
 *     phi'' = (2/N) (J^T J - C - T^T T),  T = Z (Q^T J + R^-T D),  D_mi = sum_n e_n K_nm (x_ni - c_mi)^2,
 *     C_ij = sum_n e_n sum_m alpha_m K_nm (x_ni - c_mi)^2 (x_nj - c_mj)^2,
 *
 * Z removing the direction R^-T s while the bound is tight. Leaving out C and D gives the Gauss-Newton form, which is
 * never indefinite.
 * A step minimises the quadratic model, damped, over the weights that are not zero or want to grow, inside the bounds
 * (num/simplex.c): zeros are exact. The gradient of all inputs is one product, so that thousands of inputs cost little:
 * J is formed for the working set only. */
#include <math.h>
#include <string.h>
#include "method/sparse_rbf/sparse_inside.h"
#include "num/lapack.h"
#include "num/simplex.h"

enum { NEWCOMERS = 12, STEPS = 200, STEPS_ROUGH = 40 };
static const double second_most = 1e8; /* flops; if second derivatives cost more, the Gauss-Newton form is used */

/* Basis functions, changes of the active set, and its factorisation. */
static void work_add(struct tamis_sparse_fit *f, const double *w)
{
    const struct tamis_wnet *net = &f->data->net;
    double n = (double)net->n, m = (double)net->m, steps = (double)f->lasso.steps + 2, s = (double)f->lasso.count,
           k = 0;
    for (size_t i = 0; i < net->d; i++) k += w[i] > 0;
    f->flops += n * (m * (3.3 + 1.2 * k + 1.8 * steps) + s * (2.6 * steps + 2.4 * s));
}

static int phi(struct tamis_sparse_fit *f, const double *w, double *error)
{
    tamis_wnet_basis(&f->data->net, w, f->work, f->columns, f->a);
    if (tamis_lasso_solve(&f->lasso, f->a, f->data->y, f->r))
        return tamis_fail(f->cx, TAMIS_NUMERIC,
                          "sparse-rbf: the basis functions are not numbers; check for inputs with huge values");
    f->evaluations++;
    work_add(f, w);
    *error = tamis_dot(f->data->net.n, f->lasso.residual, f->lasso.residual) / (double)f->data->net.n;
    return TAMIS_OK;
}

/* The weights that may move: those above zero, and those that would gain most by growing. Returns how many; *left: the
 * bound on their sum. */
static size_t working_set(struct tamis_sparse_fit *f, const double *w, double t, double *left)
{
    size_t d = f->data->net.d, k = 0, kept;
    double sum = 0, pull = 0, held = 0;
    memset(f->chosen, 0, d);
    for (size_t i = 0; i < d; i++) sum += w[i], pull += w[i] * f->gradient[i];
    double nu = sum >= t * (1 - 1e-12) ? fmax(0, -pull / sum) : 0;
    for (size_t i = 0; i < d && k < f->most; i++)
        if (w[i] > 0) f->which[k++] = i, f->chosen[i] = 1;
    for (kept = k; k < f->most && k < kept + NEWCOMERS; k++) {
        size_t best = d;
        for (size_t i = 0; i < d; i++)
            if (!f->chosen[i] && w[i] == 0 && f->gradient[i] + nu < 0 &&
                (best == d || f->gradient[i] < f->gradient[best]))
                best = i;
        if (best == d) break;
        f->which[k] = best;
        f->chosen[best] = 1;
    }
    for (size_t i = 0; i < d; i++)
        if (!f->chosen[i]) held += w[i];
    *left = fmax(0, t - held);
    return k;
}

/* Removes the part along R^-T s. */
static void project_signs(struct tamis_sparse_fit *f, size_t k, double *part)
{
    struct tamis_lasso *l = &f->lasso;
    if (!(l->lambda > 0)) return;
    memcpy(l->g, l->sign, l->count * sizeof *l->g);
    tamis_trsv(CblasUpper, TRANS, l->count, l->r, l->room, l->g);
    double norm = tamis_norm(l->count, l->g);
    for (size_t i = 0; i < k; i++) {
        double *t = part + l->count * i;
        tamis_axpy(l->count, -tamis_dot(l->count, l->g, t) / (norm * norm), l->g, t);
    }
}

void tamis_sparse_hessians(struct tamis_sparse_fit *f, size_t k)
{
    struct tamis_lasso *l = &f->lasso;
    size_t n = f->data->net.n, s = l->count;
    double scale = 2 / (double)n, *j = f->jacobian, *mixed = f->mixed, *part = f->part;
    f->flops += (double)(n * k * s) * (31 + 0.43 * (double)k);
    int plain = 2.0 * (double)(n * k * k) * (double)s > second_most;
    tamis_wnet_derivatives(&f->data->net, f->a, l->active, l->value, s, l->residual, f->which, k, f->work, j,
                           plain ? NULL : mixed, plain ? NULL : f->exact);
    tamis_gemm(TRANS, PLAIN, k, k, n, scale, j, n, j, n, 0, f->gauss, k);
    if (plain) {
        memset(mixed, 0, s * k * sizeof *mixed);
        memset(f->exact, 0, k * k * sizeof *f->exact);
    }
    for (size_t i = 0; i < k * k; i++) f->exact[i] = f->gauss[i] - scale * f->exact[i];
    if (!s) return;
    tamis_gemm(TRANS, PLAIN, s, k, n, 1, l->q, n, j, n, 0, part, s);
    tamis_trsm(CblasLeft, CblasUpper, TRANS, s, k, l->r, l->room, mixed, s);
    for (size_t i = 0; i < s * k; i++) mixed[i] += part[i];
    project_signs(f, k, part);
    project_signs(f, k, mixed);
    tamis_gemm(TRANS, PLAIN, k, k, s, -scale, part, s, part, s, 1, f->gauss, k);
    tamis_gemm(TRANS, PLAIN, k, k, s, -scale, mixed, s, mixed, s, 1, f->exact, k);
}

/* The decrease that the model predicts for the step from x0 to x; trial: w with the working set at x. */
static double predicted_decrease(const struct tamis_sparse_fit *f, const double *h, size_t k, const double *w,
                                 double *trial)
{
    double linear = 0, square = 0;
    memcpy(trial, w, f->data->net.d * sizeof *trial);
    for (size_t i = 0; i < k; i++) trial[f->which[i]] = f->x[i];
    for (size_t i = 0; i < k; i++) {
        double row = 0;
        for (size_t j = 0; j < k; j++) row += h[i + k * j] * (f->x[j] - f->x0[j]);
        linear += f->g[i] * (f->x[i] - f->x0[i]);
        square += row * (f->x[i] - f->x0[i]);
    }
    return -(linear + square / 2);
}

/* One step down from w with error *error; 1: none is possible. */
static int step_down(struct tamis_sparse_fit *f, double t, double *w, double *error, double *damping)
{
    double left, scale = 0, now;
    size_t k = working_set(f, w, t, &left);
    tamis_sparse_hessians(f, k);
    for (size_t i = 0; i < k; i++) {
        f->x0[i] = w[f->which[i]];
        f->g[i] = f->gradient[f->which[i]];
        scale = fmax(scale, f->gauss[i + k * i]);
    }
    if (!(scale > 0)) scale = 1;
    for (int tries = 0; tries < 40; tries++) {
        const double *h = f->exact;
        if (tries > 0 || tamis_simplex_quadratic(k, h, *damping * scale, f->g, left, f->x0, f->solve, f->x)) {
            h = f->gauss;
            if (tamis_simplex_quadratic(k, h, *damping * scale, f->g, left, f->x0, f->solve, f->x)) return 1;
        }
        double expected = predicted_decrease(f, h, k, w, f->trial);
        if (!(expected > 1e-14 * *error)) return 1;
        if (phi(f, f->trial, &now)) return 1;
        double ratio = (*error - now) / expected;
        if (ratio > 0.75) *damping = fmax(*damping / 8, 1e-9);
        if (ratio < 0.25) *damping = fmax(*damping * 8, 1e-6);
        if (!(ratio > 1e-4)) continue;
        memcpy(w, f->trial, f->data->net.d * sizeof *w);
        *error = now;
        return 0;
    }
    return 1;
}

static void gradient_now(struct tamis_sparse_fit *f)
{
    const struct tamis_lasso *l = &f->lasso;
    tamis_wnet_gradient(&f->data->net, f->a, l->active, l->value, l->count, l->residual, f->work, f->gradient);
}

static void into_bound(size_t d, double t, double *w)
{
    double sum = 0;
    for (size_t i = 0; i < d; i++) sum += w[i];
    for (size_t i = 0; sum > t && i < d; i++) w[i] *= t / sum;
}

int tamis_sparse_project(struct tamis_sparse_fit *f, double t, double tolerance, double *w, double *alpha,
                         struct tamis_sparse_answer *answer)
{
    size_t d = f->data->net.d, slow = 0;
    double error, before, damping = 1e-3,
                          floor = 0.01 * tamis_dot(f->data->net.n, f->data->y, f->data->y) / (double)f->data->net.n;
    size_t steps = tolerance > 1e-6 ? STEPS_ROUGH : STEPS;
    into_bound(d, t, w);
    int status = phi(f, w, &error);
    for (size_t i = 0; !status; i++) {
        gradient_now(f);
        tamis_lasso_dense(&f->lasso, alpha);
        answer->gap = tamis_simplex_gap(d, f->gradient, t, w);
        if (answer->gap <= tolerance * (error + floor) || slow >= 2 || i == steps) break;
        before = error;
        if (step_down(f, t, w, &error, &damping)) break;
        slow = before - error < 0.1 * tolerance * (error + floor) ? slow + 1 : 0;
        status = tamis_check_cancel(f->cx);
    }
    answer->error = error;
    return tamis_status(f->cx);
}

int tamis_sparse_probe(struct tamis_sparse_fit *f, const struct tamis_sparse_data *d, double r, const double *w,
                       double *alpha, int warm, double *error)
{
    tamis_sparse_bind(f, d, r);
    if (warm) tamis_lasso_seed(&f->lasso, alpha);
    if (phi(f, w, error)) return tamis_status(f->cx);
    tamis_lasso_dense(&f->lasso, alpha);
    return TAMIS_OK;
}
