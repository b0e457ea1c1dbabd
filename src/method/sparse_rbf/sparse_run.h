/* What the files of sparse-rbf share among themselves: one run. */
#ifndef TAMIS_SPARSE_RUN_H
#define TAMIS_SPARSE_RUN_H

#include "select/method.h"
#include "method/sparse_rbf/sparse_grid.h"

struct tamis_sparse_settings {
    struct tamis_grid r, t;
    const char *solver;
    size_t folds, centres, grid_size;
    double drop_below;
    int prune;
};

struct tamis_sparse_run {
    struct tamis_run *run;
    tamis_context *cx;
    struct tamis_sparse_settings s;
    struct tamis_journal journal;
    struct tamis_sparse_task all, part;         /* all rows; those that choose (r, t) */
    struct tamis_sparse_surface surface;
    double flops;                               /* of the coarse grid */
    double *y, *screen, *centre, *part_x, *part_y, *part_weight;
    double *root, *root_y;                      /* of all rows (num/wnet.h), and times y; NULL: rows have no weights */
    double r, t;
    double *w, *alpha;                          /* the answer: columns; centres + 1 */
    double *best_w, *best_alpha;
    struct tamis_sparse_answer answer;
    struct tamis_sparse_fit *fit;
    double error; /* validation error of the inputs left, which were chosen on all rows; NAN: not pruned */
};

/* From the bounds to w and alpha: starts, candidate centres, pruning. */
int tamis_sparse_final(struct tamis_sparse_run *u);
/* From w and alpha to the result: model, ranks, errors, the method's block. */
int tamis_sparse_result(struct tamis_sparse_run *u);

static inline size_t tamis_sparse_centres(const struct tamis_sparse_run *u)
{
    return u->s.centres ? u->s.centres : u->all.rows;
}

/* All rows, with their centres. */
static inline struct tamis_sparse_data tamis_sparse_data_of(const struct tamis_sparse_run *u)
{
    size_t n = u->all.rows, m = tamis_sparse_centres(u);
    return (struct tamis_sparse_data){{n, n, m, m, u->all.columns, u->all.x, u->centre ? u->centre : u->all.x, u->root},
                                      u->root ? u->root_y : u->y};
}

#endif
