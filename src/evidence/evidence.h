/* Evidence: what a reader of the result wants to see beside the choice, computed once at the end of a selection and
 * bounded in size.
 * A JSON object in the result, so that a page drawn from the JSON alone has it:
 *
 *     file, test_file   {"name", "bytes", "sha256"}
 *     versions          {"tamis", "blas", "compiler"}
 *     audit             {"rows", "columns", "incomplete_rows", "missing_cells", "duplicates", "constant": [...],
 *     "column": [{"name", "type", "missing", ...}]}
 *     unseen            rows the model was not fitted on: {"kind", "rows", "observed", "predicted", "rmse", "r2"} or
 *     {"classes", "confusion"}
 *     profiles          [{"input", "x", "median", "rows"}]: the prediction along one input, the others at their
 *     medians, and as in a few rows
 *     derivatives       [{"input", "x", "slope"}]: the derivative of the prediction at rows of the training data
 *     correlations      [{"input", "with": [{"name", "r", "selected"}]}]
 *     spectrum          {"axis", "curves"}: a few rows of inputs that are ordered, such as channels
 *
 * All in the units of the table. */
#ifndef TAMIS_EVIDENCE_H
#define TAMIS_EVIDENCE_H

#include "select/method.h"

struct tamis_witness {                  /* what evidence is taken from */
    struct tamis_run *run;
    const tamis_table *data, *test;     /* test: NULL where none was given */
    struct tamis_text *t;               /* where it goes */
};

enum {
    TAMIS_ROWS_SHOWN = 400,             /* pairs of observed and predicted */
    TAMIS_SLOPES_SHOWN = 150,
    TAMIS_INPUTS_SHOWN = 12             /* inputs with profiles and slopes */
};

/* Fills outcome->evidence; the result is complete but for it. */
int tamis_evidence_fill(struct tamis_run *run, const tamis_table *data, const tamis_table *test);

/* Each adds ", name: ..." or nothing. */
int tamis_evidence_unseen(struct tamis_witness *w);             /* evidence_unseen.c */
int tamis_evidence_shapes(struct tamis_witness *w);             /* evidence_shapes.c: profiles, derivatives */
int tamis_evidence_likeness(struct tamis_witness *w);           /* evidence_likeness.c: correlations, spectrum */

/* What evidence begins with: file, versions, audit (evidence_table.c); test may be NULL. */
int tamis_evidence_table(tamis_context *cx, const tamis_table *data, const tamis_table *test, struct tamis_text *t);
/* guess[i]: what m predicts for row i of d, standardised, or the index of the class. */
int tamis_evidence_guess(tamis_context *cx, const struct tamis_model *m, const struct tamis_design *d, double *guess);

/* Six digits, enough for a picture; null when not finite. */
void tamis_evidence_number(struct tamis_text *t, double x);
void tamis_evidence_numbers(struct tamis_text *t, const double *x, size_t n);
/* The k-th of `shown` rows spread over n. */
static inline size_t tamis_spread(size_t k, size_t shown, size_t n) { return shown < n ? k * n / shown : k; }

#endif
