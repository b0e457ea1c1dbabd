/* What the files of the LS-SVM criteria share: the state of a scorer, and its parts. */
#ifndef TAMIS_LSSVM_INSIDE_H
#define TAMIS_LSSVM_INSIDE_H

#include "crit/lssvm.h"
#include "crit/reduced_rank.h"
#include "num/lssvm_folds.h"

struct settings {
    struct tamis_grid sigma2, gamma;
    size_t folds;
    int exact;
    double tolerance;
    size_t most, candidates;
};

enum {
    GRID_POINTS = 20,                   /* of automatic grids */
    WIDE_WIDTHS = 15, WIDE_GAMMAS = 23, /* of the coarse grid */
    CONFIRM = 3,                        /* at most this many screened candidates go to the whole grid */
    NEAR_WIDTHS = 1, NEAR_GAMMAS = 3,   /* grid steps to either side in screening */
    STRIDE = 4,                         /* of the first look at a grid that is searched from coarse to fine */
    SMALL = 2000                        /* up to this many rows, distances of many sets are held at once */
};

static const double near_best = 0.05;   /* errors within this share above the best count as equally good */

struct variant { const struct tamis_option *rows; const struct tamis_model_kind *kind; int loo, reduced; };

/* Gammas of the grid: first, first + stride, ..., at most last. */
struct window { size_t first, last, stride; };

/* A set being evaluated: its distances (with candidates: its columns), the unit of relative widths, its errors over the
 * grid (NAN: not computed), and which gammas are computed next. */
struct slot {
    size_t *column, columns;
    double *d2, scale;
    struct tamis_lssvm_error *error;
    size_t *basis;
    struct window next;
};

struct scorer {
    tamis_context *cx;
    const struct tamis_design *d;
    const struct variant *v;
    struct settings s;
    size_t outputs;
    double *y;                          /* rows x outputs; with row weights, times root */
    double *root;                       /* sqrt(w) of each row; NULL: no weights */
    struct tamis_folds folds;
    int relative;                       /* sigma2 are multiples of a set's scale */
    size_t widths, gammas;
    double *sigma2, *gamma;
    int ranged;                         /* the ranges of sigma2 and gamma are known */
    int descends;                       /* many outputs: grids are searched from coarse to fine */
    struct tamis_score wide;            /* the best of the wide grid with all inputs, once `known` */
    int known;
    int pilot;                          /* the wide grid is being evaluated */
    double *spread;                     /* mean squared distance between rows, per input */
    size_t slots;
    struct slot *slot;
    double *base;                       /* distances of the set that candidates are added to */
    double *work;                       /* work_size for each worker */
    double *some;                       /* room gammas computed together, and their errors, for each worker */
    struct tamis_lssvm_error *some_error;
    size_t room;
    size_t work_size;
    size_t *order;                      /* rows chosen, for each worker */
    struct tamis_reduced_rank *reduced_rank;    /* reduced rank with candidates, or NULL */
    int screened;                       /* the note about screening has been given */
    unsigned char *kept;                /* the set whose errors slot 0 holds, when `has` */
    int has;
};

static inline double width_at(const struct scorer *j, const struct slot *s, size_t k)
{
    return j->relative ? j->sigma2[k] * s->scale : j->sigma2[k];
}

static inline double value_of(const struct scorer *j, const struct tamis_lssvm_error *e)
{
    return j->d->encoder->classes ? e->wrong : e->squared;
}

/* ---- lssvm.c ---- */

int tamis_lssvm_settings(tamis_context *cx, const struct tamis_design *d, const tamis_options *o,
                         const struct variant *v, struct settings *s);
size_t tamis_lssvm_slots(const tamis_context *cx, const struct tamis_design *d);

/* ---- lssvm_start.c ---- */

int tamis_lssvm_start(tamis_context *cx, const struct tamis_design *d, const tamis_options *o, uint64_t seed,
                      const struct variant *v, void **self);
void tamis_lssvm_finish(void *self);
/* Ranges of width and gamma from a wide, coarse grid with all inputs, unless they are given. */
int tamis_lssvm_ranges(struct scorer *j);

/* ---- lssvm_grid.c ---- */

int tamis_lssvm_better(const struct scorer *j, const struct tamis_lssvm_error *a, const struct tamis_lssvm_error *b);
size_t tamis_lssvm_best_cell(const struct scorer *j, const struct slot *s);
struct tamis_lssvm_data tamis_lssvm_machine_data(const struct scorer *j);
int tamis_lssvm_no_numbers(const struct scorer *j, double sigma2);
/* The machine of a set at one width, reduced; memory of one worker. basis and factor (n x n) only for reduced rank;
 * factor may be NULL. */
int tamis_lssvm_machine(const struct scorer *j, const struct slot *s, double sigma2, int worker, struct tamis_lssvm *w,
                        size_t *basis, double *factor);
int tamis_lssvm_evaluate(void *self, const unsigned char *base, const size_t *toggle, size_t count,
                         const struct tamis_score *hint, struct tamis_score *score);

/* ---- lssvm_fit.c ---- */

int tamis_lssvm_fit(void *self, const unsigned char *set, const struct tamis_score *at, struct tamis_model **model,
                    double *relevance);

#endif
