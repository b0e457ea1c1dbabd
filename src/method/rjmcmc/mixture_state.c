/* States of the mixture target: memory, the energy of a state, draws from the prior, what is kept of a state. */
#include <math.h>
#include <string.h>
#include "base/rng_dist.h"
#include "method/rjmcmc/mixture_target.h"

/* ---- memory ---- */

static void mix_free(struct tamis_mix *q)
{
    double *part[] = {q->l, q->e, q->m, q->f, q->s};
    for (size_t i = 0; i < sizeof part / sizeof *part; i++) tamis_free(part[i]);
}

static void mix_new(tamis_context *cx, size_t n, size_t kernels, struct tamis_mix *q)
{
    q->l = tamis_new(cx, double, n * kernels);
    q->e = tamis_new(cx, double, n * kernels);
    q->m = tamis_new(cx, double, n);
    q->f = tamis_new(cx, double, n);
    q->s = tamis_new(cx, double, n);
}

void tamis_mixture_state_free(struct tamis_mixture_state *s)
{
    if (!s) return;
    mix_free(&s->now);
    mix_free(&s->next);
    mix_free(&s->base);
    void *part[] = {s->visits,  s->seen_p,   s->log_p, s->sums,  s->list,     s->at,    s->mu,   s->tau,
                    s->beta,    s->w,        s->v,     s->p,     s->share,    s->total, s->sum,  s->new_mu,
                    s->new_tau, s->new_beta, s->new_w, s->new_v, s->new_p,    s->mu2,   s->tau2, s->column,
                    s->cell.xi, s->y,        s->grown, s->slope, s->momentum, s->pace};
    for (size_t i = 0; i < sizeof part / sizeof *part; i++) tamis_free(part[i]);
    tamis_free(s);
}

struct tamis_mixture_state *tamis_mixture_state_new(tamis_context *cx, const struct tamis_mixture *m)
{
    struct tamis_mixture_state *s = tamis_new(cx, struct tamis_mixture_state, 1);
    size_t d = m->set.kernels, k = m->classes, n = m->room, cells = d * m->columns, wide = tamis_mix_filled(cells),
           widest = 1;
    if (!s) return NULL;
    for (size_t i = 0; i < m->inputs; i++) widest = m->width[i] > widest ? m->width[i] : widest;
    s->mix = m;
    mix_new(cx, n, d, &s->now);
    mix_new(cx, n, d, &s->next);
    mix_new(cx, n, d, &s->base);
    s->list = tamis_new(cx, size_t, m->inputs);
    s->at = tamis_new(cx, size_t, m->inputs);
    s->column = tamis_new(cx, size_t, m->columns);
    double **part[] = {&s->mu, &s->tau, &s->mu2, &s->tau2},
           **coordinate[] = {&s->y, &s->grown, &s->slope, &s->momentum, &s->pace};
    for (size_t i = 0; i < sizeof part / sizeof *part; i++) *part[i] = tamis_new(cx, double, cells);
    for (size_t i = 0; i < sizeof coordinate / sizeof *coordinate; i++)
        *coordinate[i] = tamis_new(cx, double, 2 * wide + tamis_mix_filled((d + 1) * k));
    double **of_cell[] = {&s->cell.xi, &s->cell.kappa, &s->cell.beta, &s->cell.all, &s->cell.first, &s->cell.second},
           *cell = tamis_new(cx, double, 6 * wide);
    for (size_t i = 0; i < sizeof of_cell / sizeof *of_cell; i++) *of_cell[i] = cell ? cell + i * wide : NULL;
    s->sums = tamis_new(cx, double, d * (k + 2));
    s->total = tamis_new(cx, double, d);
    s->visits = tamis_new(cx, double, m->inputs);
    s->seen_p = tamis_new(cx, double, tamis_mix_filled(k));
    s->log_p = tamis_new(cx, double, tamis_mix_filled(k));
    for (size_t i = 0; s->seen_p && i < tamis_mix_filled(k); i++) s->seen_p[i] = 1;
    s->beta = tamis_new(cx, double, m->columns);
    s->w = tamis_new(cx, double, d * k);
    s->v = tamis_new(cx, double, d);
    s->p = tamis_new(cx, double, k);
    s->share = tamis_new(cx, double, n * d);
    s->sum = tamis_new(cx, double, 6 * d * widest + k);
    s->new_mu = tamis_new(cx, double, d * widest);
    s->new_tau = tamis_new(cx, double, d * widest);
    s->new_beta = tamis_new(cx, double, widest);
    s->new_w = tamis_new(cx, double, d * k);
    s->new_v = tamis_new(cx, double, d);
    s->new_p = tamis_new(cx, double, k);
    if (tamis_status(cx)) {
        tamis_mixture_state_free(s);
        return NULL;
    }
    for (size_t i = 0; i < m->inputs; i++) s->list[i] = s->at[i] = i;
    return s;
}

/* ---- the set ---- */

int tamis_mixture_has(const struct tamis_mixture_state *s, size_t input) { return s->at[input] < s->size; }

void tamis_mixture_state_toggle(struct tamis_mixture_state *s, size_t input)
{
    size_t in = tamis_mixture_has(s, input), to = in ? s->size - 1 : s->size, from = s->at[input], other = s->list[to];
    s->list[to] = input;
    s->list[from] = other;
    s->at[input] = to;
    s->at[other] = from;
    s->size += in ? (size_t)-1 : 1;
    s->listed = 0;
}

size_t tamis_mixture_columns(struct tamis_mixture_state *s)
{
    if (s->listed) return s->columns;
    s->columns = 0;
    for (size_t i = 0; i < s->size; i++)
        for (size_t c = 0; c < s->mix->width[s->list[i]]; c++) s->column[s->columns++] = s->mix->first[s->list[i]] + c;
    s->listed = 1;
    return s->columns;
}

double tamis_mixture_sum_m(const struct tamis_mixture_state *s)
{
    double sum = 0;
    for (size_t i = 0; s->mix->set.mode == TAMIS_BACKGROUND && i < s->size; i++) sum += s->mix->log_m[s->list[i]];
    return sum;
}

/* ---- energy ---- */

void tamis_mixture_total(const struct tamis_mixture *m, const double *w, const double *p, double *v)
{
    for (size_t d = 0; d < m->set.kernels; d++) {
        v[d] = 0;
        for (size_t k = 0; k < m->classes; k++) v[d] += p[k] * w[d + m->set.kernels * k];
    }
}

/* sum_n log P_{t_n}, kept for the P of the last call: most moves do not change it. */
static double class_level(struct tamis_mixture_state *s, const double *p)
{
    const struct tamis_mixture *m = s->mix;
    if (!memcmp(p, s->seen_p, m->classes * sizeof *p)) return s->seen_level;
    memcpy(s->seen_p, p, m->classes * sizeof *p);
    s->seen_level = 0;
    tamis_mix_log_any(m->classes, s->seen_p, s->log_p);
    for (size_t k = 0; k < m->classes; k++) s->seen_level += m->count[k] > 0 ? m->count[k] * s->log_p[k] : 0;
    return s->seen_level;
}

/* conditional: log p(t | x) without the class priors, all that conditional mode needs. */
static double energy_of(struct tamis_mixture_state *s, const struct tamis_mix *q, double conditional, const double *p,
                        size_t columns, double log_m)
{
    const struct tamis_mixture *m = s->mix;
    double sum = class_level(s, p);
    if (m->set.mode == TAMIS_CONDITIONAL) return sum + conditional;
    return sum + tamis_mix_log_joint(&m->r, q) - 0.5 * log(2 * M_PI) * m->total * (double)columns - log_m;
}

double tamis_mixture_energy(struct tamis_mixture_state *s, struct tamis_mix *q, const double *w, const double *v,
                            const double *p, size_t columns, double log_m)
{
    tamis_mix_exp(s->mix->r.n, s->mix->set.kernels, q);
    s->evaluations++;
    return tamis_mixture_energy_of_sums(s, q, w, v, p, columns, log_m);
}

double tamis_mixture_energy_of_sums(struct tamis_mixture_state *s, struct tamis_mix *q, const double *w,
                                    const double *v, const double *p, size_t columns, double log_m)
{
    return energy_of(s, q, tamis_mix_sums(&s->mix->r, s->mix->set.kernels, w, v, s->mix->classes, q), p, columns,
                     log_m);
}

void tamis_mixture_take_next(struct tamis_mixture_state *s)
{
    struct tamis_mix now = s->now;
    s->now = s->next;
    s->next = now;
    s->energy = s->next_energy;
    s->shares_known = 0;
}

/* Inputs are added in the order of their numbers, so that the sum does not depend on how the set came about. */
void tamis_mixture_state_settle(struct tamis_mixture_state *s)
{
    const struct tamis_mixture *m = s->mix;
    size_t n = m->r.n, d = m->set.kernels;
    memset(s->now.l, 0, n * d * sizeof *s->now.l);
    for (size_t i = 0; i < m->inputs; i++)
        for (size_t c = m->first[i]; tamis_mixture_has(s, i) && c < m->first[i] + m->width[i]; c++)
            tamis_mix_column(n, d, m->x + n * c, s->mu + d * c, s->tau + d * c, 1, s->now.l, s->now.l);
    tamis_mixture_total(m, s->w, s->p, s->v);
    s->listed = 0;
    s->seen_p[0] = -1;                                                          /* the rows may have changed */
    s->energy = tamis_mixture_energy(s, &s->now, s->w, s->v, s->p, tamis_mixture_columns(s), tamis_mixture_sum_m(s));
    s->shares_known = 0;
}

/* ---- the prior ---- */

void tamis_mixture_draw_betas(struct tamis_mixture_state *s, size_t input, struct tamis_rng *rng)
{
    const struct tamis_mixture *m = s->mix;
    for (size_t c = m->first[input]; c < m->first[input] + m->width[input]; c++)
        s->beta[c] = tamis_mixture_draw_beta(m, c, s->tau + m->set.kernels * c, rng);
}

static size_t draw_size(const struct tamis_mixture *m, struct tamis_rng *rng)
{
    double u = tamis_rng_uniform(rng);
    for (size_t i = 0; i < m->set.most; i++)
        if ((u -= exp(tamis_mixture_log_size(m, i))) < 0) return i;
    return m->set.most;
}

void tamis_mixture_state_prior(struct tamis_mixture_state *s, struct tamis_rng *rng)
{
    const struct tamis_mixture *m = s->mix;
    size_t d = m->set.kernels, size = draw_size(m, rng);
    s->size = 0;
    while (s->size < size) tamis_mixture_state_toggle(s, s->list[s->size + tamis_rng_below(rng, m->inputs - s->size)]);
    for (size_t i = 0; i < size; i++) {
        size_t input = s->list[i], c = m->first[input];
        tamis_mixture_propose(m, input, NULL, 0, s->mu + d * c, s->tau + d * c, rng);
        tamis_mixture_draw_betas(s, input, rng);
    }
    for (size_t k = 0; k < m->classes; k++) tamis_rng_dirichlet(rng, d, 1, NULL, s->w + d * k);
    tamis_rng_dirichlet(rng, m->classes, 1, NULL, s->p);
    tamis_mixture_state_settle(s);
}

/* ---- the functions of the target's table ---- */

static void *make(tamis_context *cx, void *model, struct tamis_rng *rng)
{
    struct tamis_mixture_state *s = tamis_mixture_state_new(cx, model);
    if (s) tamis_mixture_state_prior(s, rng);
    return s;
}

static void state_free(void *state) { tamis_mixture_state_free(state); }
static double energy(const void *state) { return ((const struct tamis_mixture_state *)state)->energy; }
static void settle(void *state) { tamis_mixture_state_settle(state); }

static void pack(const void *state, struct tamis_pack *p)
{
    const struct tamis_mixture_state *s = state;
    const struct tamis_mixture *m = s->mix;
    size_t d = m->set.kernels;
    tamis_pack_u64(p, s->size);
    for (size_t i = 0; i < m->inputs; i++) tamis_pack_u64(p, s->list[i]);
    for (size_t i = 0; i < s->size; i++) {
        size_t input = s->list[i], c = m->first[input], w = m->width[input];
        tamis_pack_doubles(p, s->mu + d * c, d * w);
        tamis_pack_doubles(p, s->tau + d * c, d * w);
        tamis_pack_doubles(p, s->beta + c, w);
    }
    tamis_pack_doubles(p, s->w, d * m->classes);
    tamis_pack_doubles(p, s->p, m->classes);
    tamis_pack_doubles(p, s->visits, m->inputs);
}

static void unpack_list(struct tamis_mixture_state *s, struct tamis_unpack *u)
{
    size_t n = s->mix->inputs;
    s->size = (size_t)tamis_unpack_u64(u, s->mix->set.most);
    for (size_t i = 0; i < n; i++) s->at[i] = n;
    for (size_t i = 0; i < n; i++) {
        s->list[i] = (size_t)tamis_unpack_u64(u, n - 1);
        if (s->at[s->list[i]] != n) u->failed = 1;                              /* twice */
        s->at[s->list[i]] = i;
    }
}

static void unpack(void *state, struct tamis_unpack *u)
{
    struct tamis_mixture_state *s = state;
    const struct tamis_mixture *m = s->mix;
    size_t d = m->set.kernels;
    unpack_list(s, u);
    for (size_t i = 0; i < s->size && !u->failed; i++) {
        size_t input = s->list[i], c = m->first[input], w = m->width[input];
        tamis_unpack_above(u, s->mu + d * c, d * w, -INFINITY);
        tamis_unpack_above(u, s->tau + d * c, d * w, 0);
        tamis_unpack_above(u, s->beta + c, w, 0);
    }
    tamis_unpack_above(u, s->w, d * m->classes, 0);
    tamis_unpack_above(u, s->p, m->classes, 0);
    tamis_unpack_above(u, s->visits, m->inputs, -1);
}

void tamis_mixture_adapt(void *model, void *const *state, size_t states)
{
    struct tamis_mixture *m = model;
    double sum = 0;
    for (size_t i = 0; i < m->inputs; i++) {
        m->choice[i] = 0;
        for (size_t k = 0; k < states; k++) m->choice[i] += ((struct tamis_mixture_state *)state[k])->visits[i];
        sum += m->choice[i];
    }
    for (size_t i = 0; i < m->inputs; i++)
        m->choice[i] = sum > 0 ? (double)m->inputs * m->choice[i] / sum + 1.0 / 3 : 1;
    for (size_t k = 0; k < states; k++)
        memset(((struct tamis_mixture_state *)state[k])->visits, 0, m->inputs * sizeof(double));
}

/* ---- records ---- */

int tamis_mixture_records_new(tamis_context *cx, struct tamis_mixture *m, size_t chains, size_t samples, size_t stride)
{
    struct tamis_mixture_records *r = m->records = tamis_new(cx, struct tamis_mixture_records, 1);
    if (!r) return tamis_status(cx);
    *r = (struct tamis_mixture_records){.chains = chains,
                                        .samples = samples,
                                        .words = (m->inputs + 63) / 64,
                                        .stride = stride,
                                        .kept = samples / stride};
    r->length = m->classes * (1 + m->set.kernels) + 2 * m->set.kernels * m->columns;
    r->set = tamis_new(cx, uint64_t, chains * samples * r->words);
    r->energy = tamis_new(cx, double, chains * samples);
    r->body = tamis_new(cx, double, chains * r->kept * r->length);
    return tamis_status(cx);
}

static void keep_body(const struct tamis_mixture_state *s, double *to)
{
    const struct tamis_mixture *m = s->mix;
    size_t d = m->set.kernels, k = m->classes, cells = d * m->columns;
    memcpy(to, s->p, k * sizeof *to);
    memcpy(to + k, s->w, d * k * sizeof *to);
    to += k + d * k;
    memset(to, 0, 2 * cells * sizeof *to);
    for (size_t i = 0; i < s->size; i++) {
        size_t at = d * m->first[s->list[i]], bytes = d * m->width[s->list[i]] * sizeof *to;
        memcpy(to + at, s->mu + at, bytes);
        memcpy(to + cells + at, s->tau + at, bytes);
    }
}

static void record(void *model, const void *state, size_t chain, size_t sample)
{
    const struct tamis_mixture_state *s = state;
    struct tamis_mixture_records *r = ((struct tamis_mixture *)model)->records;
    size_t at = chain * r->samples + sample;
    uint64_t *set = r->set + at * r->words;
    memset(set, 0, r->words * sizeof *set);
    for (size_t i = 0; i < s->size; i++) set[s->list[i] / 64] |= (uint64_t)1 << s->list[i] % 64;
    r->energy[at] = s->energy;
    if ((sample + 1) % r->stride == 0 && sample / r->stride < r->kept)
        keep_body(s, r->body + (chain * r->kept + sample / r->stride) * r->length);
}

static void pack_model(const void *model, struct tamis_pack *p)
{
    const struct tamis_mixture *m = model;
    tamis_pack_doubles(p, m->choice, m->inputs);
}

static void unpack_model(void *model, struct tamis_unpack *u)
{
    const struct tamis_mixture *m = model;
    tamis_unpack_above(u, m->choice, m->inputs, 0);
}

static void pack_records(const void *model, size_t chain, size_t samples, struct tamis_pack *p)
{
    const struct tamis_mixture_records *r = ((const struct tamis_mixture *)model)->records;
    const uint64_t *set = r->set + chain * r->samples * r->words;
    for (size_t i = 0; i < samples * r->words; i++) tamis_pack_u64(p, set[i]);
    tamis_pack_doubles(p, r->energy + chain * r->samples, samples);
    tamis_pack_doubles(p, r->body + chain * r->kept * r->length, samples / r->stride * r->length);
}

static void unpack_records(void *model, size_t chain, size_t samples, struct tamis_unpack *u)
{
    const struct tamis_mixture *m = model;
    struct tamis_mixture_records *r = m->records;
    uint64_t last = m->inputs % 64 ? ((uint64_t)1 << m->inputs % 64) - 1 : UINT64_MAX,
             *set = r->set + chain * r->samples * r->words;
    for (size_t i = 0; i < samples * r->words && !u->failed; i++)
        set[i] = tamis_unpack_u64(u, i % r->words == r->words - 1 ? last : UINT64_MAX);
    tamis_unpack_above(u, r->energy + chain * r->samples, samples, -INFINITY);
    tamis_unpack_above(u, r->body + chain * r->kept * r->length, samples / r->stride * r->length, -INFINITY);
}

const struct tamis_mcmc_target tamis_mixture_target = {
    .move = tamis_mixture_moves,
    .make = make,
    .free = state_free,
    .energy = energy,
    .settle = settle,
    .adapt = tamis_mixture_adapt,
    .record = record,
    .pack = pack,
    .unpack = unpack,
    .pack_model = pack_model,
    .unpack_model = unpack_model,
    .pack_records = pack_records,
    .unpack_records = unpack_records,
};
