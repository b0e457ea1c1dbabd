/* Evidence: what a reader of the result wants to see beside the choice, computed once at the end of a selection and
 * bounded in size. A record of the result, so that a page drawn from the result alone has it:
 *
 *     file, test_file   {"name", "bytes", "sha256"}
 *     versions          {"tamis", "blas", "compiler"}
 *     audit    {"rows", "columns", "incomplete_rows", "missing_cells", "duplicates", "column": [{"name", "type", ...}]}
 *     unseen            rows the model was not fitted on: {"kind", "rows", "observed", "predicted", "rmse", "r2"} or
 *                       {"classes", "confusion"}
 *     profiles     [{"input", "x", "median", "rows"}]: the prediction along one input, the others at their medians, and
 *                       as in a few rows
 *     derivatives       [{"input", "x", "slope"}]: the derivative of the prediction at rows of the training data
 *     correlations      [{"input", "with": [{"name", "r", "selected"}]}]
 *     spectrum          {"axis", "curves"}: a few rows of inputs that are ordered, such as channels
 *
 * All in the units of the table, with six digits. */
#ifndef TAMIS_EVIDENCE_H
#define TAMIS_EVIDENCE_H

#include "select/method.h"

enum {
    TAMIS_ROWS_SHOWN = 400,             /* pairs of observed and predicted */
    TAMIS_SLOPES_SHOWN = 150,
    TAMIS_INPUTS_SHOWN = 12             /* inputs with profiles and slopes */
};

/* Fills result->evidence; the result is complete but for it. */
int tamis_evidence_fill(struct tamis_run *run);

/* Each adds its members to the record, or nothing. */
int tamis_evidence_unseen(struct tamis_run *run, tamis_value *evidence);        /* evidence_unseen.c */
int tamis_evidence_shapes(struct tamis_run *run, tamis_value *evidence);        /* profiles, derivatives */
int tamis_evidence_likeness(struct tamis_run *run, tamis_value *evidence);      /* correlations, spectrum */
/* What evidence begins with: file, versions, audit (evidence_table.c); test may be NULL. */
int tamis_evidence_table(tamis_context *cx, const tamis_table *data, const tamis_table *test, tamis_value *evidence);

/* prediction[i]: what m predicts for row i of d, standardised, or the index of the class. */
int tamis_evidence_predict(tamis_context *cx, const struct tamis_model *m, const struct tamis_design *d,
                           double *prediction);
/* The k-th of `shown` rows spread over n. */
static inline size_t tamis_spread(size_t k, size_t shown, size_t n) { return shown < n ? k * n / shown : k; }

#endif
