/* Evidence: what a report shows beside the choice, computed once at the end of a selection and bounded in size. It is a
 * record of the result, so that a report needs the result only:
 *
 *     file, test_file   {"name", "bytes", "sha256"}
 *     versions          {"tamis", "blas", "compiler"}
 *     audit             {"rows", "columns", "incomplete_rows", "missing_cells", "duplicates",
 *                        "column": [{"name", "type", ...}]}
 *     unseen            rows that the model was not fitted on: {"kind", "rows", "observed", "predicted", "rmse", "r2"}
 *                       or {"kind", "rows", "classes", "confusion"}
 *     profiles          [{"input", "x", "median", "rows"}]: the prediction along one input, with the others at their
 *                       medians, and with the others as in a few rows
 *     derivatives       [{"input", "x", "slope"}]: the derivative of the prediction at training rows
 *     correlations      [{"input", "with": [{"name", "r", "selected"}]}]
 *     spectrum          {"axis", "curves"}: a few rows, if the inputs are ordered channels
 *
 * All in the units of the table, to six digits. */
#ifndef TAMIS_EVIDENCE_H
#define TAMIS_EVIDENCE_H

#include "select/method.h"

enum {
    TAMIS_ROWS_SHOWN = 400,             /* pairs of observed and predicted */
    TAMIS_SLOPES_SHOWN = 150,           /* per input */
    TAMIS_INPUTS_SHOWN = 12             /* with profiles and slopes */
};

/* Fills result->evidence; everything else in the result must be complete. */
int tamis_evidence_fill(struct tamis_run *run);

/* Each adds its members to the record, or nothing where it does not apply. */
int tamis_evidence_unseen(struct tamis_run *run, tamis_value *evidence);        /* evidence_unseen.c */
int tamis_evidence_shapes(struct tamis_run *run, tamis_value *evidence);        /* profiles, derivatives */
int tamis_evidence_likeness(struct tamis_run *run, tamis_value *evidence);      /* correlations, spectrum */
/* file, versions, audit (evidence_table.c); test may be NULL. */
int tamis_evidence_table(tamis_context *cx, const tamis_table *data, const tamis_table *test, tamis_value *evidence);

/* prediction[i]: the prediction for row i of d, standardised, or the index of the class. */
int tamis_evidence_predict(tamis_context *cx, const struct tamis_model *m, const struct tamis_design *d,
                           double *prediction);
/* The k-th of `shown` rows spread evenly over n. */
static inline size_t tamis_spread(size_t k, size_t shown, size_t n) { return shown < n ? k * n / shown : k; }

#endif
