/* What the files of rjmcmc share. */
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
        const char *likelihood, *weights, *moves, *births;
    } set;
    struct tamis_mixture *mix;
    struct tamis_mcmc *mcmc;
    struct tamis_diagnosis *input, size, energy;        /* input: one per candidate */
    size_t least_size, most_size;
    size_t *order;                      /* all samples, equal subsets together */
    size_t subsets;                     /* distinct ones visited */
    double worst_rhat, least_ess;
    int converged;
    double *probability;                /* inputs of the design */
};

/* Fills the diagnoses, order, converged. */
int tamis_rjmcmc_diagnose(struct tamis_rjmcmc *r);
/* The members of the method's block (rjmcmc_block.c). */
void tamis_rjmcmc_block(struct tamis_rjmcmc *r, tamis_value *block);
#define TAMIS_RHAT_LIMIT 1.1            /* chains with a larger R-hat disagree */

static inline size_t tamis_rjmcmc_draws(const struct tamis_rjmcmc *r)
{
    return r->mix->records->chains * r->mix->records->samples;
}

static inline int tamis_rjmcmc_sample_has(const struct tamis_mixture_records *rec, size_t sample, size_t input)
{
    return (int)(rec->set[sample * rec->words + input / 64] >> input % 64 & 1);
}

static inline size_t tamis_rjmcmc_sample_size(const struct tamis_mixture_records *rec, size_t sample)
{
    size_t n = 0;
    for (size_t w = 0; w < rec->words; w++) n += (size_t)__builtin_popcountll(rec->set[sample * rec->words + w]);
    return n;
}

#endif
