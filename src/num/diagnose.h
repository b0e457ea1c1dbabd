/* Have several Markov chains converged to the same distribution, and how many independent draws are they worth? */
#ifndef TAMIS_DIAGNOSE_H
#define TAMIS_DIAGNOSE_H

#include <stddef.h>

struct tamis_diagnosis {
    double mean, sd;
    double rhat;        /* rank-normalised, split; the larger of bulk and folded; 1 when all draws are equal */
    double ess;         /* of the mean, all chains together; the number of draws when all are equal */
    double mcse;        /* sd / sqrt(ess) */
    int constant;       /* all draws are equal */
};

/* Doubles of work for `chains` of `n` draws. */
size_t tamis_diagnose_size(size_t n, size_t chains);
/* draw[t + n c] is draw t of chain c; n >= 4. */
void tamis_diagnose(size_t n, size_t chains, const double *draw, double *work, struct tamis_diagnosis *out);

#endif
