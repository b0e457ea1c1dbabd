/* direct and alternating: Algorithms 1 and 2 of
 * [1] J. Tikka, Simultaneous input variable and basis function selection for RBF networks, Neurocomputing 72 (2009).
 *
 * mu falls from 1e-3 by 0.85 to 1e-6; Algorithm 3 (num/barrier.c) minimises J at each mu over all variables (direct),
 * or over (alpha, s) and then over w (alternating). The end: mu = 1e-6 and J fell by less than 1e-4 of itself in five
 * rounds, or 400 rounds are done. */
#include <math.h>
#include <string.h>
#include "base/rng.h"
#include "method/sparse_rbf/sparse_inside.h"

static const double mu_largest = 1e-3, mu_least = 1e-6, mu_factor = 0.85;
enum { ROUNDS = 400 };

/* [1] section 5: s = 0.9 r / (M + 1), |alpha| = 0.99 s with random signs; w as the caller has it, inside the bound. */
static void start(struct tamis_barrier *b, uint64_t seed, const double *w)
{
    struct tamis_rng rng;
    double sum = 0, most = 0;
    tamis_rng_init(&rng, seed, TAMIS_RNG_SPARSE, 0);
    for (size_t m = 0; m < b->p; m++) {
        b->s[m] = 0.9 * b->r / (double)b->p;
        b->alpha[m] = (tamis_rng_uniform(&rng) < 0.5 ? -0.99 : 0.99) * b->s[m];
    }
    for (size_t i = 0; i < b->d; i++) sum += w[i];
    most = sum > 0.9 * b->t ? 0.9 * b->t / sum : 1;
    for (size_t i = 0; i < b->d; i++) b->w[i] = w[i] > 0 ? most * w[i] : 1e-3 * b->t / (double)b->d;
}

static int minimise_part(struct tamis_barrier *b, int moves)
{
    b->moves = moves;
    if (tamis_barrier_start(b)) return 1;
    tamis_barrier_minimise(b);
    return 0;
}

static int one_round(struct tamis_sparse_fit *f)
{
    struct tamis_barrier *b = &f->barrier;
    int both = TAMIS_BARRIER_ALPHA | TAMIS_BARRIER_WEIGHTS;
    if (f->solver == TAMIS_SPARSE_DIRECT) return minimise_part(b, both);
    if (minimise_part(b, TAMIS_BARRIER_ALPHA) || minimise_part(b, TAMIS_BARRIER_WEIGHTS)) return 1;
    b->moves = both;
    return tamis_barrier_start(b);
}

/* What the barrier keeps just off zero goes to zero. */
static void prune(const struct tamis_barrier *b, double *w, double *alpha)
{
    double most = 0;
    for (size_t i = 0; i < b->d; i++) most = fmax(most, b->w[i]);
    for (size_t i = 0; i < b->d; i++) w[i] = b->w[i] > 0.01 * most ? b->w[i] : 0;
    for (size_t m = 0; m < b->p; m++) alpha[m] = fabs(b->alpha[m]) > 1e-4 ? b->alpha[m] : 0;
}

int tamis_sparse_barrier(struct tamis_sparse_fit *f, double t, uint64_t seed, double *w, double *alpha,
                         struct tamis_sparse_answer *answer)
{
    struct tamis_barrier *b = &f->barrier;
    double past[5];
    size_t settled = 0;         /* rounds at the least mu */
    tamis_barrier_bind(b, &f->data->net, f->data->y, f->r, t, f->memory);
    start(b, seed, w);
    b->mu = mu_largest;
    for (size_t k = 0; k < ROUNDS; k++) {
        if (one_round(f))
            return tamis_fail(f->cx, TAMIS_NUMERIC,
                              "sparse-rbf: the barrier function is not a number; check for inputs with huge values");
        double five_ago = past[k % 5];
        if (b->mu <= mu_least && settled++ >= 5 && five_ago - b->value < 1e-4 * fabs(five_ago)) break;
        past[k % 5] = b->value;
        b->mu = fmax(mu_factor * b->mu, mu_least);
        if (tamis_check_cancel(f->cx)) return tamis_status(f->cx);
    }
    answer->error = b->error;
    answer->gap = NAN;
    f->evaluations += b->evaluations;
    prune(b, w, alpha);
    return TAMIS_OK;
}
