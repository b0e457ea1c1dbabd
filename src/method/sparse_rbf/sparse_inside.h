/* What the files of the sparse network's fits share among themselves. */
#ifndef TAMIS_SPARSE_INSIDE_H
#define TAMIS_SPARSE_INSIDE_H

#include "method/sparse_rbf/sparse_fit.h"
#include "num/barrier.h"
#include "num/lasso.h"

struct tamis_sparse_fit {
    tamis_context *cx;
    enum tamis_sparse_solver solver;
    size_t rows, centres, columns_most; /* room */
    const struct tamis_sparse_data *data;
    double r;
    size_t evaluations;
    double flops;               /* projection: of all fits so far, fitted to measured times */
    double *memory;

    /* projection */
    struct tamis_lasso lasso;
    size_t most;                /* weights that move at once, at most */
    double *a, *work, *gradient, *trial, *lasso_memory;
    double *jacobian, *mixed, *part, *exact, *gauss, *g, *x0, *x, *solve;
    size_t *columns, *which;
    unsigned char *chosen;

    /* direct and alternating */
    struct tamis_barrier barrier;
};

/* Makes the workspace fit this problem. */
void tamis_sparse_bind(struct tamis_sparse_fit *f, const struct tamis_sparse_data *d, double r);

/* phi'' (f->exact) and its Gauss-Newton form (f->gauss), k x k, of the inputs f->which[0..k-1] at the point of the last
 * phi. */
void tamis_sparse_hessians(struct tamis_sparse_fit *f, size_t k);

int tamis_sparse_project(struct tamis_sparse_fit *f, double t, double tolerance, double *w, double *alpha,
                         struct tamis_sparse_answer *answer);
int tamis_sparse_barrier(struct tamis_sparse_fit *f, double t, uint64_t seed, double *w, double *alpha,
                         struct tamis_sparse_answer *answer);

#endif
