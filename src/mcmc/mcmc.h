/* Markov chain Monte Carlo that knows no model: a target and its moves are tables.
 *
 *     pi_h(state) ~ prior(state) exp(h energy(state)),  1 = h_1 > h_2 > ... >= 0
 *
 * Every chain holds one state at each heat (inverse temperature) h; a sweep makes the moves of the table at every heat
 * and then proposes swaps of neighbours, even and odd pairs in turn [1]. During burn-in the scales of moves are adapted
 * to their acceptance rates, and the ladder moves: one half of its measure makes all swaps equally likely, the other
 * concentrates heats where states that came from the hottest place meet those from the coldest, which is where states
 * change slowly [2]. Results do not depend on the number of threads.
 *
 * [1] S. Syed, A. Bouchard-Cote, G. Deligiannidis, A. Doucet, Non-reversible parallel tempering, J. R. Statist. Soc. B
 *     84, 2022.
 * [2] H. Katzgraber, S. Trebst, D. Huse, M. Troyer, Feedback-optimized parallel tempering Monte Carlo, J. Stat. Mech.
 *     P03018, 2006. */
#ifndef TAMIS_MCMC_H
#define TAMIS_MCMC_H

#include "base/pack.h"
#include "base/rng.h"

/* One way to change a state. `propose` draws a candidate into the state's own memory and returns the logarithm of the
 * acceptance ratio at this heat: INFINITY is always accepted (an exact draw), -INFINITY never; NAN: the move does not
 * apply here and is not counted. `accept` makes the candidate the state, and draws what the ratio integrates out. */
struct tamis_mcmc_move {
    const char *name;           /* NULL ends the table */
    double times;               /* per sweep, in the order of the table; 1.5: once or twice with equal probability;
                                 * 0: the move is one of the jumps */
    double weight;              /* of a jump: how often it is drawn, relative to the others; a move and its inverse have
                                 * the same weight */
    double wanted;              /* acceptance rate to which `scale` is adapted during burn-in; 0: no scale */
    double (*propose)(void *state, double heat, double scale, struct tamis_rng *rng);
    void (*accept)(void *state, struct tamis_rng *rng);
    int whole;                  /* redraws the whole state: once accepted, the sweep is over */
};

struct tamis_mcmc_target {
    const struct tamis_mcmc_move *move;
    void *model;
    void *(*make)(tamis_context *cx, void *model, struct tamis_rng *rng);       /* a state to start from */
    void (*free)(void *state);
    double (*energy)(const void *state);
    void (*settle)(void *state);        /* recomputes what follows from the parameters: rounding does not add up */
    /* During burn-in: adapts the proposals to the states seen; or NULL. */
    void (*adapt)(void *model, void *const *state, size_t states);
    /* Stores a sample by index; called for several chains in parallel. */
    void (*record)(void *model, const void *state, size_t chain, size_t sample);
    void (*pack)(const void *state, struct tamis_pack *p);
    void (*unpack)(void *state, struct tamis_unpack *u);        /* damage sets u->failed */
    void (*pack_model)(const void *model, struct tamis_pack *p);        /* what adapt() found */
    void (*unpack_model)(void *model, struct tamis_unpack *u);
    /* The first `samples` of a chain. */
    void (*pack_records)(const void *model, size_t chain, size_t samples, struct tamis_pack *p);
    void (*unpack_records)(void *model, size_t chain, size_t samples, struct tamis_unpack *u);
};

struct tamis_mcmc_settings {
    size_t chains, heats;
    size_t burn_in, samples;    /* sweeps before the first sample; samples per chain */
    size_t thin;                /* sweeps per sample */
    size_t jumps;               /* per sweep */
    size_t block;               /* sweeps between checks of the clock, checkpoints and settle(); affects the bits of the
                                 * result */
    uint64_t seed;
};

enum { TAMIS_MCMC_MOVES = 16 };

struct tamis_mcmc_count { double tried, accepted; };

struct tamis_mcmc {
    tamis_context *cx;
    struct tamis_mcmc_target target;
    struct tamis_mcmc_settings set;
    size_t moves, sweep, total;
    size_t replicas;                    /* chains x heats, the heats of a chain together, coldest first */
    double *heat;
    void **state;
    struct tamis_rng *rng, *swap_rng;   /* one per replica; one per chain */
    double *scale;                      /* replicas x moves */
    struct tamis_mcmc_count *count;     /* replicas x moves, after burn-in */
    struct tamis_mcmc_count *swap;      /* chains x heats: pair k, k + 1, since the ladder last moved */
    double *rejected;                   /* the same pairs: sum of the probabilities of no swap */
    struct tamis_mcmc_count *flow;      /* chains x heats, since the ladder last moved: visits of states that came from
                                         * an end of the ladder (tried), and from the hottest (accepted) */
    int *direction;                     /* of the state at each place: 1 came from the coldest, -1 from the hottest, 0
                                         * from neither */
    double *trips;                      /* per chain: trips from hottest to coldest, after burn-in */
};

struct tamis_mcmc *tamis_mcmc_new(tamis_context *cx, const struct tamis_mcmc_target *target,
                                  const struct tamis_mcmc_settings *set);
void tamis_mcmc_free(struct tamis_mcmc *m);
/* Runs to the end; checkpoint (or NULL) as in tamis_walk_drive. */
int tamis_mcmc_run(struct tamis_mcmc *m, const char *checkpoint, uint64_t fingerprint);
struct tamis_checkpoint tamis_mcmc_checkpoint(struct tamis_mcmc *m, const char *path, uint64_t fingerprint);
/* One chain after sweep `at`, and its samples so far; without the ladder and what adapt() found. */
void tamis_mcmc_pack_chain(const struct tamis_mcmc *m, size_t chain, size_t at, struct tamis_pack *p);
void tamis_mcmc_unpack_chain(struct tamis_mcmc *m, size_t chain, size_t at, struct tamis_unpack *u);
/* One sweep of one state outside a run, for tests and benchmarks. scale: one per move; count may be NULL. */
void tamis_mcmc_sweep(const struct tamis_mcmc_target *t, size_t jumps, void *state, double heat, const double *scale,
                      struct tamis_rng *rng, struct tamis_mcmc_count *count);

#endif
