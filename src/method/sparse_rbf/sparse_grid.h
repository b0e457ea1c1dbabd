/* Cross-validation of the sparse network over a grid of (r, t): the surface of [1] fig. 5. */
#ifndef TAMIS_SPARSE_GRID_H
#define TAMIS_SPARSE_GRID_H

#include "base/journal.h"
#include "base/options.h"
#include "data/design.h"
#include "method/sparse_rbf/sparse_fit.h"

/* What is fitted: rows, target (numbers, or +-1 standardised), candidate centres. */
struct tamis_sparse_task {
    tamis_context *cx;
    enum tamis_sparse_solver solver;
    size_t rows, columns;
    const double *x, *y;        /* rows x columns; rows */
    const double *weight;       /* of the rows; NULL: 1 */
    size_t centres;             /* 0: one on every training row */
    const double *centre;       /* centres x columns */
    const double *screen;       /* columns: how much each explains by itself; 0: constant, never given a weight */
    const double *start;        /* columns, or NULL: weights to start from as well */
    const struct tamis_design *design;  /* where x and y come from: how rows may be cut into folds */
    int classes;                /* y is +-1, and errors are counted where (mean + scale f) has the wrong sign */
    double mean, scale;
    uint64_t seed;
    struct tamis_journal *journal;       /* of the finished items of every validation */
    int pilot;                           /* its best point is where the next grid lies */
};

/* Over the grid, r changing fastest; cell (a, b) at a + r.count b. */
struct tamis_sparse_surface {
    struct tamis_grid r, t;
    size_t folds;
    size_t *fold;               /* of each row */
    double *error;              /* weighted mean over rows of the validation errors: squares, or misclassified */
    double *squares;            /* the mean squared error in either case */
    double *inputs, *functions; /* mean over folds */
    double *equal;              /* error with equal weights t / inputs and the best coefficients; NAN: not tried */
    double *fold_error;         /* folds: mean error of each at the best point */
    float *weights;             /* folds x cells x columns, column fastest */
    size_t best, best_equal;
    double flops;               /* projection: what it took */
    double plain;               /* error of predicting the mean, or the more frequent class, of the training folds */
    double gain, gain_error;    /* plain - error at the best point: mean over folds and its standard error */
};

/* Fills the surface; r, t and folds are set. What it allocates goes with tamis_sparse_surface_free. */
int tamis_sparse_validate(const struct tamis_sparse_task *k, struct tamis_sparse_surface *s, const char *what);
/* The first fold alone, for the flops that it takes; nothing else of the surface is filled. For projection. */
int tamis_sparse_first_fold(const struct tamis_sparse_task *k, struct tamis_sparse_surface *s);
void tamis_sparse_surface_free(struct tamis_sparse_surface *s);
double tamis_sparse_grid_bytes(const struct tamis_sparse_task *k, size_t cells, size_t folds, int workers);

int tamis_sparse_screened(const struct tamis_sparse_task *k); /* are there so many columns that folds drop some? */

enum { TAMIS_SPARSE_WIDE = 200 };       /* with more columns, only the most telling start with a weight */
/* How much each column explains of y by itself, as a line or a parabola; 0 only for constants. x: n x columns; weight:
 * n, or NULL. */
void tamis_sparse_screen(const double *x, size_t n, size_t columns, const double *y, const double *weight,
                         double *screen);

/* The value of rank `count` in the screen; 0 if there are no more columns than that. */
double tamis_sparse_screen_rank(const double *screen, size_t columns, size_t count);

/* Starting weights number `which` (0: equal, 1: by the screen); returns 0 if there is no such start. */
int tamis_sparse_start(const struct tamis_sparse_task *k, size_t which, double t, double *w);

#endif
