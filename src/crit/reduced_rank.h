/* Reduced rank kernel ridge regression with basis functions chosen from a sample of the rows: no rows x rows matrix. */
#ifndef TAMIS_REDUCED_RANK_H
#define TAMIS_REDUCED_RANK_H

#include "crit/crit.h"
#include "model/rbf.h"
#include "num/lssvm_folds.h"

struct tamis_reduced_rank {
    const struct tamis_design *d;
    size_t candidates, most;
    double tolerance;
    size_t *candidate;                  /* rows of the design, increasing */
    double *x, *y, *class_of;           /* rows in the order of their folds */
    struct tamis_folds folds;           /* rows 0, 1, ... */
    double *root, *candidate_root;      /* sqrt(w) in the order of the folds, and of the candidates; NULL: no weights */
    struct tamis_lssvm_data data;
};

/* y: rows x outputs, folds: of the design's rows. NULL with the sentence in cx. */
struct tamis_reduced_rank *tamis_reduced_rank_new(tamis_context *cx, const struct tamis_design *d,
                                                  const struct tamis_lssvm_data *data, size_t candidates, size_t most,
                                                  double tolerance, uint64_t seed);
void tamis_reduced_rank_free(struct tamis_reduced_rank *f);
/* An upper bound on the doubles of work. */
double tamis_reduced_rank_work(double rows, double candidates, double outputs, double fold);

/* Errors at each gamma of a machine of one width on some columns, and its number of basis functions; order has room for
 * the candidates. */
int tamis_reduced_rank_errors(const struct tamis_reduced_rank *f, const size_t *column, size_t columns, double sigma2,
                              const double *gamma, size_t count, double *work, size_t *order,
                              struct tamis_lssvm_error *error, size_t *basis);
struct tamis_rbf *tamis_reduced_rank_fit(tamis_context *cx, const struct tamis_reduced_rank *f, const size_t *column,
                                         size_t columns, double sigma2, double gamma, double *work, size_t *order);

#endif
