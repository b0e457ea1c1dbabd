/* What the size of a set is chosen by: a loss of every row, whose mean is the error of a size. */
#ifndef TAMIS_LOSSES_H
#define TAMIS_LOSSES_H

#include "num/class_measures.h"
#include "select/run.h"

struct tamis_loss {
    const char *name;           /* as --loss takes it */
    const char *label, *units;
    int balanced;               /* a row of a class counts by the inverse of the class's share */
    double (*rate)(const struct tamis_rated *r, size_t i);      /* of row i; NULL: 1 if the class is wrong */
};

/* The row that --loss names: by default (auto) `standard`. NULL with TAMIS_USAGE if the target has no classes. */
const struct tamis_loss *tamis_loss_named(struct tamis_run *run, const char *name, const char *standard);
/* count: rows of each class in the design, by weight; then those of all, and the number of classes that occur. */
void tamis_loss_counts(const struct tamis_design *d, double *count);
/* The loss of a row of class y that is called `predicted`, of a loss without rate. */
double tamis_loss_called(const struct tamis_loss *l, const double *count, size_t classes, double y, double predicted);
/* Losses of the rows of d from scores (rows x classes) that each fold's model gave its own rows: those of probabilities
 * are calibrated without the fold (num/calibrate.h). */
int tamis_loss_rows(tamis_context *cx, const struct tamis_loss *l, const struct tamis_design *d, const double *score,
                    const size_t *fold, size_t folds, double *loss);

/* p (rows x classes): each row by a calibrator fitted to the rows outside its fold. on_log: the scores are
 * probabilities. */
int tamis_cross_calibrate(tamis_context *cx, const struct tamis_design *d, const double *score, int on_log,
                          const size_t *fold, size_t folds, double *p);
/* One calibrator, fitted to the rows outside fold k (fold NULL: to all), evenly spread if there are very many. */
int tamis_fold_calibrate(tamis_context *cx, const struct tamis_design *d, const double *score, const size_t *fold,
                         size_t k, struct tamis_calibrator *c);

#endif
