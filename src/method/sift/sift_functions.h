/* The functions that every input of a design gets, and their products. A function is a column of numbers over the rows:
 * up to seven of a number (num/basis.h), the indicator columns of a category. They are learnt from the inputs of all
 * rows of the run; the target plays no part in them. */
#ifndef TAMIS_SIFT_FUNCTIONS_H
#define TAMIS_SIFT_FUNCTIONS_H

#include "base/spread.h"
#include "data/design.h"
#include "num/basis.h"

enum { SIFT_BLOCK = 1024,       /* rows that functions are made of at a time */
       SIFT_STRIP = 20 * SIFT_BLOCK,    /* rows whose sums are taken by themselves (sift_sums.h), at least */
       SIFT_STRIPS = 64,        /* strips, at most */
       SIFT_PAIR = 5,           /* functions of each input in the term of a pair */
       SIFT_TRIPLE = 2,         /* and in that of a triple */
       SIFT_LEVELS = 60 };      /* functions of a category, at most: its most frequent levels */

struct sift_functions {
    const struct tamis_design *d;
    struct tamis_basis *basis;          /* one per column; functions 0: an indicator, or a constant */
    size_t *first;                      /* inputs + 1: input i has the functions first[i] .. first[i + 1] - 1 */
    size_t count;                       /* all functions */
    size_t *column, *place;             /* of each function: its column, and its place among the column's functions */
    double *divisor;                    /* of each function: later ones are expected to be smaller */
    unsigned char *category;            /* inputs: 1 if it is one */
    const size_t *group;                /* NULL, or the group of each row, below groups: rows that count as one */
    size_t groups;
    double *cache;                      /* rows x count, or NULL: too large to keep */
    size_t strip;                       /* rows of a strip */
};

int sift_functions_learn(tamis_context *cx, const struct tamis_design *d, struct sift_functions *f);
void sift_functions_free(struct sift_functions *f);
double sift_functions_bytes(const struct tamis_design *d);      /* memory, at most */

static inline size_t sift_least(size_t a, size_t b) { return a < b ? a : b; }

/* Rows of a strip of a design of so many rows. */
static inline size_t sift_strip_rows(size_t rows)
{
    size_t blocks = (rows + SIFT_STRIPS * SIFT_BLOCK - 1) / (SIFT_STRIPS * SIFT_BLOCK);
    return blocks * SIFT_BLOCK > SIFT_STRIP ? blocks * SIFT_BLOCK : SIFT_STRIP;
}

/* Rows of the block that begins at place `at` of row[0..n-1], in increasing order: at most SIFT_BLOCK, of one strip. */
static inline size_t sift_block(const struct sift_functions *f, const size_t *row, size_t at, size_t n)
{
    size_t rows = sift_least(SIFT_BLOCK, n - at), strip = row[at] / f->strip;
    while (row[at + rows - 1] / f->strip > strip) rows--;
    return rows;
}

static inline size_t sift_functions_of(const struct sift_functions *f, size_t input)
{
    return f->first[input + 1] - f->first[input];
}

/* How many functions an input may bring into the test of a pair: three, or all of a column of few values. */
size_t sift_functions_screened(const struct sift_functions *f, size_t input);

/* The first `count` functions of an input for rows row[0..n-1], n <= SIFT_BLOCK: out[i + ld k]. */
void sift_functions_fill(const struct sift_functions *f, size_t input, size_t count, const size_t *row, size_t n,
                         double *out, size_t ld);

#endif
