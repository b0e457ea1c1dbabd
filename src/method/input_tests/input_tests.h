/* What the parts of the tests of single inputs share. */
#ifndef TAMIS_INPUT_TESTS_H
#define TAMIS_INPUT_TESTS_H

#include "method/knockoffs/knockoffs_fit.h"

/* The table, the law of its inputs, and how many draws. */
struct input_tests {
    struct tamis_run *run;
    size_t draws;
    double *x;                          /* rows x d: the columns of the law */
    size_t *column;                     /* inputs: the first of its columns; SIZE_MAX: it is constant */
    struct knockoffs_law law;
    int plain;                          /* rows enough for a correlation that is not shrunk */
    struct knockoffs_target target;
    struct sift_functions functions;
};

struct input_test { size_t input, draws; double statistic, p, holm, bh; };

/* Fills statistic, p and draws of one input (input_test.c); depends on the table, the seed and the input alone. */
int input_test_run(const struct input_tests *t, struct input_test *o);

#endif
