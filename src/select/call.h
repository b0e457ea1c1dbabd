/* One call of tamis_select: options read, rows chosen, designs learnt, the method planned. */
#ifndef TAMIS_CALL_H
#define TAMIS_CALL_H

#include "select/method.h"

/* Rows of the table to learn from, and rows that the run never sees before its end; both in increasing order. */
struct tamis_split { const size_t *learn, *held; size_t learns, helds; };

struct tamis_call {
    tamis_context *cx;
    const tamis_table *data, *test_table;
    const struct tamis_split *split;    /* NULL: rows by the options; else these, whatever --holdout and --test say */
    const tamis_options *given;
    tamis_options *options;             /* a copy: auto adds to it */
    struct tamis_common common;
    struct tamis_encoder *encoder;
    struct tamis_design *design, *test;
    size_t *row, rows;                  /* of the table: those with a target that it learns from */
    size_t dropped;
    char why[256];
    struct tamis_run run;
};

/* Fills the rest of a call that has cx, data and test_table or split. tamis_call_finish after it also when it fails. */
int tamis_call_prepare(struct tamis_call *c, const tamis_options *o);
void tamis_call_finish(struct tamis_call *c);
/* Checks memory, runs the method and gives its outcome, without what only a user wants to know (names, options,
 * notes). */
int tamis_call_run(struct tamis_call *c, struct tamis_outcome **out);
/* The tables from `first` on are of the method, its criterion and its search. */
enum { TAMIS_FIRST_OWN = 3 };

#endif
