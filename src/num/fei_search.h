/* The set F of a given size with the largest sum of ratios (num/fei_index.h), with a bound on the optimum. */
#ifndef TAMIS_FEI_SEARCH_H
#define TAMIS_FEI_SEARCH_H

#include <stddef.h>

struct tamis_fei_found {
    double value;               /* of the set; NAN: no set of this size has a value */
    double bound;               /* no set of this size has a larger value; +inf: not known */
    int proved;                 /* the set is optimal: value = bound up to rounding */
    size_t nodes;               /* visited by branch and bound */
    int stopped;
};

struct tamis_fei_search {
    size_t n, terms, size;      /* 1 <= size < n */
    const double *a, *b;        /* n x terms */
    double budget;              /* approximate number of operations allowed to branch and bound; 0: none */
    double *work;               /* tamis_fei_search_size(n, terms) doubles */
    size_t *index;              /* 2 n */
    unsigned char *flag;        /* 3 n */
    int (*stop)(void *arg);     /* called at every node, nonzero ends the search; NULL: never */
    void *arg;
};

size_t tamis_fei_search_size(size_t n, size_t terms);

/* set (n bytes): on entry the set to start from, of at most `size` features and possibly empty; on return the best. */
void tamis_fei_search(const struct tamis_fei_search *s, unsigned char *set, struct tamis_fei_found *found);

/* The bound on all sets of this size, without a search. */
double tamis_fei_bound(const struct tamis_fei_search *s);

#endif
