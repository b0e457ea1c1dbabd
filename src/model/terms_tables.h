/* What the file and the C source of a model of terms hold: the functions of all columns as tables, one column after the
 * other. */
#ifndef TAMIS_TERMS_TABLES_H
#define TAMIS_TERMS_TABLES_H

#include "model/gauss_net.h"
#include "model/terms.h"

struct tamis_terms_tables {
    size_t functions, knots, means, turns;              /* totals */
    /* Per column: functions and knots, both 0 if it is its only function; where its part of each table begins. */
    size_t *count, *knot_count, *order_at, *knot_at, *mean_at, *turn_at;
    size_t *order;
    double *lo, *hi, *knot, *rank;
    double *mean;                                       /* up to the last raw function in use */
    double *turn;                                       /* row k up to its raw function */
};

void tamis_terms_tables_free(struct tamis_terms_tables *s);     /* its members */
/* From t. */
int tamis_terms_tables_make(tamis_context *cx, const struct tamis_terms *t, struct tamis_terms_tables *s);

/* The steps of a reader: memory per column; where column c begins, after count, knot_count and order of it and the
 * columns before are known; memory for the tables; column c from its basis to the tables, or back. */
int tamis_terms_tables_columns(tamis_context *cx, struct tamis_terms_tables *s, size_t columns);
void tamis_terms_tables_place(struct tamis_terms_tables *s, size_t c, const size_t *order);
int tamis_terms_tables_fill(tamis_context *cx, struct tamis_terms_tables *s);
void tamis_terms_tables_move(const struct tamis_terms_tables *s, struct tamis_basis *b, size_t c, int back);

/* Bias and Gaussians; alpha: room for (centres + 1) x outputs, the bias last. */
struct tamis_gauss_net tamis_terms_network(const struct tamis_terms *t, double *alpha);
/* The number of functions of each column that the features need. */
void tamis_terms_needed(const struct tamis_terms *t, size_t *needed);

void tamis_terms_code(const void *body, struct tamis_code *c);

#endif
