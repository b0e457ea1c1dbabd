/* What rjmcmc.c and rjmcmc_report.c share. */
#ifndef TAMIS_RJMCMC_H
#define TAMIS_RJMCMC_H

#include "select/method.h"
#include "method/rjmcmc/mixture_target.h"
#include "num/diagnose.h"

struct tamis_rjmcmc {
    struct tamis_run *run;
    struct settings {
        size_t kernels, samples, burn_in, chains, heats, jumps, thin, most, stored;
        double alpha, g, h, lambda;
        const char *likelihood, *weights;
    } set;
    struct tamis_mixture *mix;
    struct tamis_mcmc *mcmc;
    struct tamis_diagnosis *input, size, energy;        /* input: a candidate */
    size_t least_size, most_size;
    size_t *order;                      /* all samples, equal subsets together */
    size_t subsets;                     /* distinct ones visited */
    double worst_rhat, least_ess;
    int converged;
    double *probability;                /* an input of the design */
};

/* Fills the diagnoses, order, converged. */
int tamis_rjmcmc_diagnose(struct tamis_rjmcmc *r);
/* The block of the result. */
void tamis_rjmcmc_json(struct tamis_rjmcmc *r, struct tamis_text *t);

#endif
