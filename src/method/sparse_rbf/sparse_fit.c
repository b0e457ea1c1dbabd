/* The workspace of the sparse network's fits, and what the three solvers share. */
#include <math.h>
#include <string.h>
#include "method/sparse_rbf/sparse_inside.h"
#include "num/gauss.h"
#include "num/lapack.h"
#include "num/simplex.h"

enum { MOST_MOVING = 400 };

static size_t larger(size_t a, size_t b) { return a > b ? a : b; }
static size_t smaller(size_t a, size_t b) { return a < b ? a : b; }

static size_t work_size(size_t n, size_t m, size_t d, size_t most)
{
    size_t basis = tamis_wnet_basis_size(n, m, d), gradient = tamis_wnet_gradient_size(n, d, smaller(n, m + 1));
    return larger(larger(basis, gradient), 2 * n * most);
}

static size_t moving_most(size_t d) { return smaller(d, MOST_MOVING); }

double tamis_sparse_bytes(enum tamis_sparse_solver solver, size_t n, size_t m, size_t d)
{
    double rows = (double)n, p = (double)m + 1, inputs = (double)d, k = (double)moving_most(d),
           room = (double)smaller(n, m + 1), work;
    if (solver != TAMIS_SPARSE_PROJECTION)
        return 8 * (2 * rows * (p + inputs) + 2 * (p + inputs) * (p + inputs) + (3 * rows + p) * inputs);
    work = fmax(fmax((rows + p) * inputs, rows * (room + 1) + room * (inputs + 1)), 2 * rows * k);
    return 8 * (rows * p + rows * room + 2 * room * room + work + rows * k + 2 * room * k + 3 * k * k);
}

static int projection_allocate(struct tamis_sparse_fit *f)
{
    tamis_context *cx = f->cx;
    size_t n = f->rows, m = f->centres, d = f->columns_most, k = moving_most(d), room = smaller(n, m + 1);
    f->most = k;
    f->a = tamis_raw(cx, double, n * (m + 1));
    f->work = tamis_raw(cx, double, work_size(n, m, d, k));
    f->lasso_memory = tamis_raw(cx, double, tamis_lasso_size(n, m + 1));
    f->gradient = tamis_raw(cx, double, d);
    f->trial = tamis_raw(cx, double, d);
    f->columns = tamis_raw(cx, size_t, d);
    f->chosen = tamis_raw(cx, unsigned char, d);
    f->which = tamis_raw(cx, size_t, k);
    f->jacobian = tamis_raw(cx, double, n * k);
    f->mixed = tamis_raw(cx, double, 2 * room * k);
    f->exact = tamis_raw(cx, double, 2 * k * k);
    f->g = tamis_raw(cx, double, 3 * k);
    f->solve = tamis_raw(cx, double, tamis_simplex_size(k));
    if (tamis_status(cx)) return tamis_status(cx);
    f->part = f->mixed + room * k;
    f->gauss = f->exact + k * k;
    f->x0 = f->g + k;
    f->x = f->g + 2 * k;
    return TAMIS_OK;
}

struct tamis_sparse_fit *tamis_sparse_fit_new(tamis_context *cx, enum tamis_sparse_solver solver, size_t rows,
                                              size_t centres, size_t columns)
{
    struct tamis_sparse_fit *f = tamis_new(cx, struct tamis_sparse_fit, 1);
    if (!f) return NULL;
    *f = (struct tamis_sparse_fit){
        .cx = cx, .solver = solver, .rows = rows, .centres = centres, .columns_most = columns};
    if (solver == TAMIS_SPARSE_PROJECTION) projection_allocate(f);
    else f->memory = tamis_raw(cx, double, tamis_barrier_size(rows, centres, columns));
    if (!tamis_status(cx)) return f;
    tamis_sparse_fit_free(f);
    return NULL;
}

void tamis_sparse_fit_free(struct tamis_sparse_fit *f)
{
    if (!f) return;
    void *all[] = {f->memory, f->a,        f->work,  f->lasso_memory, f->gradient, f->trial, f->columns, f->chosen,
                   f->which,  f->jacobian, f->mixed, f->exact,        f->g,        f->solve, f};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) tamis_free(all[i]);
}

double tamis_sparse_work(const struct tamis_sparse_fit *f) { return f->flops; }

void tamis_sparse_bind(struct tamis_sparse_fit *f, const struct tamis_sparse_data *d, double r)
{
    f->data = d;
    f->r = r;
    f->evaluations = 0;
    if (f->solver == TAMIS_SPARSE_PROJECTION) tamis_lasso_bind(&f->lasso, d->net.n, d->net.m + 1, f->lasso_memory);
}

int tamis_sparse_solve(struct tamis_sparse_fit *f, const struct tamis_sparse_data *d, double r, double t,
                       double tolerance, int warm, uint64_t seed, double *w, double *alpha,
                       struct tamis_sparse_answer *answer)
{
    int status;
    *answer = (struct tamis_sparse_answer){.error = NAN, .gap = NAN};
    tamis_sparse_bind(f, d, r);
    if (warm && f->solver == TAMIS_SPARSE_PROJECTION) tamis_lasso_seed(&f->lasso, alpha);
    if (f->solver == TAMIS_SPARSE_PROJECTION) status = tamis_sparse_project(f, t, tolerance, w, alpha, answer);
    else status = tamis_sparse_barrier(f, t, seed, w, alpha, answer);
    answer->evaluations = f->evaluations;
    for (size_t i = 0; i < d->net.d; i++) answer->inputs += w[i] > 0;
    for (size_t m = 1; m <= d->net.m; m++) answer->functions += alpha[m] != 0;
    return status;
}

void tamis_sparse_apply(const double *x, size_t ldx, size_t rows, const struct tamis_wnet *net, const double *w,
                        const double *alpha, double *work, double *out)
{
    double *d2 = work;
    for (size_t n = 0; n < rows; n++) out[n] = alpha[0];
    for (size_t m = 0; m < net->m; m++) {
        if (alpha[m + 1] == 0) continue;
        memset(d2, 0, rows * sizeof *d2);
        for (size_t i = 0; i < net->d; i++) {
            double c = net->c[m + net->ldc * i];
            for (size_t n = 0; w[i] > 0 && n < rows; n++) d2[n] += w[i] * (x[n + ldx * i] - c) * (x[n + ldx * i] - c);
        }
        tamis_exp_scale(rows, d2, 1, d2);
        tamis_axpy(rows, alpha[m + 1], d2, out);
    }
}
