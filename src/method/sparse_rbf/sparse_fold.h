/* One fold of the grid of sparse-rbf: the rows and columns of the fold, and its walk over the points. */
#ifndef TAMIS_SPARSE_FOLD_H
#define TAMIS_SPARSE_FOLD_H

#include <stdatomic.h>
#include "method/sparse_rbf/sparse_grid.h"

struct tamis_sparse_worker {
    struct tamis_sparse_fit *fit;
    double *x, *y, *held, *held_y;      /* training rows, held-out rows */
    double *weight, *root, *root_y, *held_weight;       /* of these rows; NULL where rows have no weights */
    double *w, *try, *last_t;           /* columns; columns; r.count x columns */
    double *alpha, *try_alpha, *equal_alpha, *last_alpha;       /* centres + 1; the last for each r at the last t */
    double *out, *work;
    struct tamis_sparse_answer *last_answer;    /* r.count: at the last t, or at this one once it is done */
    size_t n, m;                        /* training rows, held-out rows */
    size_t *list;                       /* the columns of this fold */
    double *screen, *centre, *start;
    struct tamis_sparse_task task;      /* the fold's: its columns only */
    struct tamis_sparse_data data;
};

struct tamis_sparse_grid {
    const struct tamis_sparse_task *k;
    struct tamis_sparse_surface *s;
    struct tamis_sparse_worker *worker;
    size_t cells, most_rows, most_held, most_centres;
    double *sum_error, *sum_squares, *count_inputs, *count_functions, *sum_equal;       /* folds x cells */
    const char *what;                   /* for progress */
    atomic_size_t done;                 /* cells of all folds */
};

int tamis_sparse_grid_new(struct tamis_sparse_grid *g);
void tamis_sparse_grid_free(struct tamis_sparse_grid *g);

/* The parallel loop: an item is a fold for projection, one point of a fold for the solvers of the paper. */
size_t tamis_sparse_grid_items(const struct tamis_sparse_grid *g);
int tamis_sparse_grid_item(void *grid, size_t item, int worker);
/* What the journal keeps of an item: its sums and weights. */
struct tamis_journal_items tamis_sparse_grid_kept(const struct tamis_sparse_grid *g);

/* Whether prediction f of target y (two classes) has the wrong sign. */
static inline int tamis_sparse_wrong(const struct tamis_sparse_task *k, double y, double f)
{
    return (k->mean + k->scale * f > 0) != (k->mean + k->scale * y > 0);
}

#endif
