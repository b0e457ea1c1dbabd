/* Mutual information of one or two variables and a third, from nearest neighbours. */
#ifndef TAMIS_PAIR_INFO_H
#define TAMIS_PAIR_INFO_H

#include <stddef.h>
#include <stdint.h>

enum { TAMIS_INFO_NEIGHBOURS = 100 };           /* k, at most */

/* What a row sees: rows nearer than its k-th neighbour at eps among the first k, and rows nearer than eps and at most
 * eps away in x, in y and in both; never itself. */
struct tamis_info_counts { size_t k, before, both, nearer_x, within_x, nearer_y, within_y; double eps; };

/* psi(k) - psi(n_x + 1) - psi(n_y + 1) of a row (crit/neighbour/mutual_info.c has the formula, ties and copies); psi[m]
 * of 1 .. n + 1. */
double tamis_info_term(const double *psi, const struct tamis_info_counts *c);
void tamis_info_psi(size_t n, double *psi);     /* psi[0 .. n + 1]; psi[0] = 0 */

/* Discrete values are whole multiples of this, numbers smaller by far: different levels are infinitely far apart. */
#define TAMIS_INFO_APART 0x1p600

/* Values by row, and their order. */
struct tamis_variable {
    double *x;                          /* n */
    double *sorted;                     /* n: ascending */
    uint32_t *order;                    /* n: the row at each place of `sorted` */
    uint32_t *place, *first;            /* n: the place of each row, and the first place with its value */
    size_t values;                      /* different ones */
};

/* From x to the rest; place (n) is scratch. */
struct tamis_place;
void tamis_variable_order(size_t n, struct tamis_variable *v, struct tamis_place *place);

/* Distances within a table: rows, neighbours (fewer than the rows), psi, and how often each row counts in means over
 * rows (NULL: once). */
struct tamis_info { size_t n, k; const double *psi, *weight; };

/* I(x; y), and I((x, z); y) in the maximum norm, in nats; work: 3 n, next: 2 n. About n sqrt(n k) steps, and n^1.67 for
 * two variables. */
double tamis_pair_info(const struct tamis_info *s, const struct tamis_variable *x, const struct tamis_variable *y,
                       double *work, uint32_t *next);
double tamis_triple_info(const struct tamis_info *s, const struct tamis_variable *x, const struct tamis_variable *z,
                         const struct tamis_variable *y, double *work, uint32_t *next);

#endif
