/* The target of rjmcmc: a mixture classifier over a random subset of inputs.
 * [1] P. Sykacek, On input selection with reversible jump Markov chain Monte Carlo sampling, NIPS 12, 2000.
 *
 *     p(x_S | k) = sum_d w_kd prod_{i in S} N(x_i; mu_di, 1 / tau_di),   p(x_S) = sum_k P_k p(x_S | k)      ([1] eq. 1)
 *     mu_di ~ N(xi_i, 1 / kappa_i),  tau_di ~ Ga(alpha, beta_i),  beta_i ~ Ga(g, h_i) above beta_min_i,
 *     w_k, P ~ Dirichlet(1)
 *     p(S) = c lambda^I / I! / C(M, I),  I = |S| <= most
 *
 * DIFFERS [1] section 2.3: p(x_S, t) of different subsets S cannot be compared (other units, other answer). Two
 * likelihoods can:
 *     conditional   prod_n P(t_n | x_n,S)
 *     background    prod_n p(x_n,S, t_n) prod_{j not in S} m_j,  m_j = p(column j) under one Gaussian with its
 *                   parameters integrated out; rows without a class enter with p(x_n,S)
 * DIFFERS [1] eq. 4: the weights stay as they are in a jump; the sorting of eq. 4 breaks its own pairing, and its ratio
 * is not 1.
 * DIFFERS [1] eq. 6: the ratio of choices is 1. Proposals use the shares of the kernels in the rows, a function of the
 * parameters, instead of allocations drawn from them: the reverse density then needs no second draw.
 *
 * A row of weight c counts as c rows: its factor is raised to the power c.
 *
 * An input of several columns (a category) enters and leaves as a whole. Letters: N rows, M inputs, K classes, D
 * kernels, I inputs in S. */
#ifndef TAMIS_MIXTURE_TARGET_H
#define TAMIS_MIXTURE_TARGET_H

#include "data/design.h"
#include "mcmc/mcmc.h"
#include "num/mixture_drift.h"

enum tamis_mixture_mode { TAMIS_CONDITIONAL, TAMIS_BACKGROUND };
/* What a jump does to the weights: nothing; eq. 4 with the correct ratio; eq. 4 with the ratio 1 of [1], which is wrong
 * and only for tests. */
enum tamis_mixture_weights { TAMIS_WEIGHTS_KEEP, TAMIS_WEIGHTS_SHIFT, TAMIS_WEIGHTS_AS_PRINTED };

struct tamis_mixture_settings {
    int mode, weights;
    size_t kernels, most;               /* D; the largest I, 0: M */
    double alpha, g, lambda;
    double h;                           /* of every column; 0: 10 / (largest range)^2, standardised */
    int prior_births;                   /* kernels of an input that enters come from the prior alone */
};

struct tamis_mixture {
    struct tamis_mixture_settings set;
    size_t rows, room;                  /* N; room for rows and filling */
    size_t inputs, columns, classes;    /* M candidates: inputs that vary; their columns; K */
    size_t *origin, *first, *width;     /* per candidate: its number in the design, its columns here */
    double *x;                          /* r.n x columns */
    struct tamis_mix_rows r;
    size_t *from;
    double *keep, *least, *weight;
    double total;                       /* what all rows count */
    int whole;                          /* weights are whole numbers, and not too large to draw for each copy */
    size_t *place;                      /* where row n of the caller is */
    double *count;                      /* K: what the rows of each class count */
    double *xi, *kappa, *h, *beta_min;  /* per column */
    double *log_tail;                   /* log Q(g, h beta_min), per column */
    double *log_m;                      /* per candidate: of all its columns */
    double *tau_level, *mu_level;       /* per column: the constants of the densities of tau and mu */
    double level;                       /* lgamma(g + D alpha) - lgamma(g) - D lgamma(alpha) */
    double log_rows;                    /* log N */
    double quiet;                       /* log Q(g + D alpha, y) is 0 for y below this */
    double *choice;                     /* per candidate: relative frequency of proposals; fixed after burn-in */
    double prior_share;                 /* of the prior in proposals */
    struct tamis_mixture_records *records;
};

struct tamis_mixture_state {
    const struct tamis_mixture *mix;
    size_t size;                        /* I */
    size_t *list, *at;                  /* candidates, those in S first; the place of each in the list */
    double *mu, *tau, *beta;            /* D x columns, D x columns, columns; of candidates in S */
    double *w, *v, *p;                  /* D x K, D, K */
    double energy;
    struct tamis_mix now, next, base;
    double *share, *total;              /* n x D; D: the sum of each kernel's */
    int shares_known;                   /* share belongs to `now` */
    double *sum;                        /* 3 D per column of the widest input, twice */
    /* the candidate state */
    size_t enters, leaves;              /* SIZE_MAX: none */
    double *new_mu, *new_tau, *new_beta;        /* of the input that enters; beta: where it is not drawn */
    double *new_w, *new_v, *new_p;
    const double *jump_w, *jump_v;              /* of a jump: new_w and new_v, or w and v where it keeps them */
    double *mu2, *tau2;                         /* D x columns, of the moves within S */
    size_t turned[2];                           /* kernels that a move of kernels changes */
    size_t columns, *column;                    /* of the inputs in S, in the order of the list, if `listed` */
    int listed;                                 /* by tamis_mixture_columns, since S last changed */
    /* coordinates of drift: mu and log tau of the cells (D per column of S), log u of weights and class priors
     * ((D + 1) K), each of the three filled up */
    double *y, *grown;                          /* the candidate; exp(y) past the means */
    double *slope, *momentum, *pace;            /* gradient; momentum; step length */
    struct tamis_mix_cells cell;
    double *sums;                       /* D (K + 2), of the gradient */
    double next_energy;
    double *seen_p, *log_p, seen_level; /* K class priors, their logarithms, and what they add to the energy */
    double *visits;                     /* per candidate: sum of the heats of the sweeps in which it was in S */
    double evaluations;                 /* of the likelihood, N D exponentials each (others in proportion) */
};

/* ---- the model ---- */

/* Of a design whose y is the class, or `classes` if there is none. In background mode beta_min comes from the smallest
 * distance between two values: ties would have infinite evidence. The conditional likelihood is bounded and needs
 * none. */
struct tamis_mixture *tamis_mixture_new(tamis_context *cx, const struct tamis_design *d,
                                        const struct tamis_mixture_settings *set);
/* An empty one of this size, priors to be filled in: for tests. */
struct tamis_mixture *tamis_mixture_sized(tamis_context *cx, size_t rows, size_t inputs, size_t classes,
                                          const size_t *width, const struct tamis_mixture_settings *set);
void tamis_mixture_free(struct tamis_mixture *m);
void tamis_mixture_prior(struct tamis_mixture *m); /* what follows from xi, kappa, h, beta_min */
/* Rows x (rows x columns, column-major) with classes y (>= K: none) and weights (NULL: 1), and what follows from
 * them. */
void tamis_mixture_rows(struct tamis_mixture *m, const double *x, const double *y, const double *weight);
double tamis_mixture_log_background(const struct tamis_mixture *m, size_t column);     /* log of m_j's factor */
double tamis_mixture_log_size(const struct tamis_mixture *m, size_t size);      /* log p(I), normalised */
double tamis_mixture_expected_size(const struct tamis_mixture *m, double lambda);

/* ---- densities of one input's parameters, width x D of each, kernel index first ---- */

double tamis_mixture_log_tau(const struct tamis_mixture *m, size_t column, const double *tau); /* beta integrated out */
/* log_tau of factor tau minus that of tau, of several columns: from the ratios of their rates of beta, and the tails
 * above beta_min, which are added up. */
double tamis_mixture_rate_scaled(const struct tamis_mixture *m, size_t column, const double *tau, double factor,
                                 double *tails);
double tamis_mixture_log_scaled(const struct tamis_mixture *m, size_t columns, const double *rate, double log_factor);
double tamis_mixture_log_prior(const struct tamis_mixture *m, size_t input, const double *mu, const double *tau);
/* The mixed proposal, given for each column and kernel the sums of shares, shares x, shares x^2 (3 D per column). */
double tamis_mixture_log_proposal(const struct tamis_mixture *m, size_t input, const double *sum, double heat,
                                  const double *mu, const double *tau);
/* log_prior - log_proposal, cheaper than both; sum NULL: the proposal is the prior */
double tamis_mixture_log_excess(const struct tamis_mixture *m, size_t input, const double *sum, double heat,
                                const double *mu, const double *tau);
void tamis_mixture_propose(const struct tamis_mixture *m, size_t input, const double *sum, double heat, double *mu,
                           double *tau, struct tamis_rng *rng);
/* Means from their full conditional given precisions: density and draw. */
double tamis_mixture_log_means(const struct tamis_mixture *m, size_t column, const double *sum, double heat,
                               const double *tau, const double *mu);
void tamis_mixture_draw_means(const struct tamis_mixture *m, size_t column, const double *sum, double heat,
                              const double *tau, double *mu, struct tamis_rng *rng);
/* Eq. 4 of one class: birth moves the share delta of each heavy weight to its light partner, death back. Log ratio;
 * -INFINITY: cannot be undone. */
double tamis_mixture_shift(size_t kernels, const double *w, const double *delta, int birth, double *out);
double tamis_mixture_draw_beta(const struct tamis_mixture *m, size_t column, const double *tau, struct tamis_rng *rng);

/* ---- states ---- */

struct tamis_mixture_state *tamis_mixture_state_new(tamis_context *cx, const struct tamis_mixture *m);
void tamis_mixture_state_free(struct tamis_mixture_state *s);
void tamis_mixture_state_prior(struct tamis_mixture_state *s, struct tamis_rng *rng); /* a draw from the prior */
/* Of an input in S, given its tau. */
void tamis_mixture_draw_betas(struct tamis_mixture_state *s, size_t input, struct tamis_rng *rng);
void tamis_mixture_state_settle(struct tamis_mixture_state *s); /* all that follows from S, mu, tau, w, P */
void tamis_mixture_state_toggle(struct tamis_mixture_state *s, size_t input);   /* S only */
int tamis_mixture_has(const struct tamis_mixture_state *s, size_t input);
/* Inner: energy of the parameters (w, v, p) with `size` inputs and the sum of log_m given, from q->l. */
double tamis_mixture_energy(struct tamis_mixture_state *s, struct tamis_mix *q, const double *w, const double *v,
                            const double *p, size_t columns, double log_m);
/* The same from q->e and q->m, without an exponential. */
double tamis_mixture_energy_of_sums(struct tamis_mixture_state *s, struct tamis_mix *q, const double *w,
                                    const double *v, const double *p, size_t columns, double log_m);
/* v_d = sum_k P_k w_kd */
void tamis_mixture_total(const struct tamis_mixture *m, const double *w, const double *p, double *v);
double tamis_mixture_sum_m(const struct tamis_mixture_state *s);
size_t tamis_mixture_columns(struct tamis_mixture_state *s);                    /* lists them in s->column */
void tamis_mixture_take_next(struct tamis_mixture_state *s); /* the candidate's sums over rows and its energy */

/* ---- moves: rows of tamis_mixture_moves ---- */

double tamis_mixture_renew(void *state, double heat, double scale, struct tamis_rng *rng);
double tamis_mixture_gibbs(void *state, double heat, double scale, struct tamis_rng *rng);
double tamis_mixture_scales(void *state, double heat, double scale, struct tamis_rng *rng);
double tamis_mixture_drift(void *state, double heat, double scale, struct tamis_rng *rng);
double tamis_mixture_stretch(void *state, double heat, double scale, struct tamis_rng *rng);
double tamis_mixture_kernel(void *state, double heat, double scale, struct tamis_rng *rng);
double tamis_mixture_cross(void *state, double heat, double scale, struct tamis_rng *rng);
double tamis_mixture_trade(void *state, double heat, double scale, struct tamis_rng *rng);
double tamis_mixture_birth(void *state, double heat, double scale, struct tamis_rng *rng);
double tamis_mixture_death(void *state, double heat, double scale, struct tamis_rng *rng);
double tamis_mixture_exchange(void *state, double heat, double scale, struct tamis_rng *rng);
double tamis_mixture_redraw(void *state, double heat, double scale, struct tamis_rng *rng);
double tamis_mixture_rescale(void *state, double heat, double scale, struct tamis_rng *rng);
double tamis_mixture_inherit(void *state, double heat, double scale, struct tamis_rng *rng);
double tamis_mixture_carry(void *state, double heat, double scale, struct tamis_rng *rng);
/* Parts of drift: the candidate at the state; energy and log prior of the candidate y; their gradient (slope) given the
 * candidate's sums over rows. */
void tamis_mixture_candidate_start(struct tamis_mixture_state *s, struct tamis_rng *rng);
double tamis_mixture_candidate_level(struct tamis_mixture_state *s, double heat);
void tamis_mixture_candidate_gradient(struct tamis_mixture_state *s, const struct tamis_mix *q, double heat);
void tamis_mixture_accept_jump(void *state, struct tamis_rng *rng);
void tamis_mixture_accept_carry(void *state, struct tamis_rng *rng);
void tamis_mixture_accept_drift(void *state, struct tamis_rng *rng);
void tamis_mixture_accept_stretch(void *state, struct tamis_rng *rng);
void tamis_mixture_accept_kernels(void *state, struct tamis_rng *rng);
void tamis_mixture_accept_trade(void *state, struct tamis_rng *rng);
void tamis_mixture_accepted(void *state, struct tamis_rng *rng);
extern const struct tamis_mcmc_move tamis_mixture_moves[];
/* Those of [1] section 2.3, and what moves the parameters of a given set. */
extern const struct tamis_mcmc_move tamis_mixture_published_moves[];

/* choice from the visits of all states: an input that was never in S keeps a third of the mean. */
void tamis_mixture_adapt(void *model, void *const *state, size_t states);

/* ---- records: one per sample, by chain and index ---- */

struct tamis_mixture_records {
    size_t chains, samples, words;      /* words of 64 inputs */
    uint64_t *set;                      /* [chain][sample][word] */
    double *energy;                     /* [chain][sample] */
    size_t stride, kept;                /* every stride-th sample is kept whole: `kept` per chain */
    double *body;                       /* [chain][kept]: P, w, then mu, tau of all candidates (0 if not in S) */
    size_t length;                      /* of one body */
};
int tamis_mixture_records_new(tamis_context *cx, struct tamis_mixture *m, size_t chains, size_t samples, size_t stride);
extern const struct tamis_mcmc_target tamis_mixture_target;     /* model NULL: to be filled in */

#endif
