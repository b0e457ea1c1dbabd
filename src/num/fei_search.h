/* The set F of a given size with the largest sum of ratios (num/fei_index.h), and how far from the largest it can
 * be. */
#ifndef TAMIS_FEI_SEARCH_H
#define TAMIS_FEI_SEARCH_H

#include <stddef.h>

struct tamis_fei_found {
    double value;               /* of the set; NAN: no set of this size has a value */
    double bound;               /* no set of this size has more; +inf: not known */
    int proved;                 /* the set is the best: value = bound but for rounding */
    size_t nodes;               /* looked at by branch and bound */
    int stopped;
};

struct tamis_fei_search {
    size_t n, terms, size;      /* 1 <= size < n */
    const double *a, *b;        /* n x terms */
    double budget;              /* operations that branch and bound may take, about; 0: none */
    double *work;               /* tamis_fei_search_size(n, terms) doubles */
    size_t *index;              /* 2 n */
    unsigned char *flag;        /* 3 n */
    int (*stop)(void *arg);     /* asked at every node; NULL: never */
    void *arg;
};

size_t tamis_fei_search_size(size_t n, size_t terms);

/* set (n bytes): on entry a set of at most `size` features to start from (empty: from nothing), on return the best one
 * found. */
void tamis_fei_search(const struct tamis_fei_search *s, unsigned char *set, struct tamis_fei_found *found);

/* The bound of all sets of this size, without a search. */
double tamis_fei_bound(const struct tamis_fei_search *s);

#endif
