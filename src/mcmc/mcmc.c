/* The sampler. See mcmc.h. */
#include <math.h>
#include <string.h>
#include "base/items.h"
#include "base/rng_dist.h"
#include "mcmc/mcmc.h"

static const double ladder_power = 1.5, checkpoint_seconds = 2, first_scale = 0.1;

/* ---- memory ---- */

void tamis_mcmc_free(struct tamis_mcmc *m)
{
    if (!m) return;
    for (size_t i = 0; m->state && i < m->replicas; i++)
        if (m->state[i]) m->target.free(m->state[i]);
    void *part[] = {m->heat, m->state, m->rng, m->swap_rng, m->scale, m->count, m->swap, m->rejected, m->flow,
                    m->direction, m->trips};
    for (size_t i = 0; i < sizeof part / sizeof *part; i++) tamis_free(part[i]);
    tamis_free(m);
}

static void ladder_start(struct tamis_mcmc *m)
{
    size_t n = m->set.heats;
    for (size_t k = 0; k < n; k++) m->heat[k] = k ? pow(1 - (double)k / (double)(n - 1), ladder_power) : 1;
}

static int states_make(struct tamis_mcmc *m)
{
    size_t heats = m->set.heats;
    for (size_t i = 0; i < m->replicas; i++) {
        tamis_rng_init(&m->rng[i], m->set.seed, TAMIS_RNG_MCMC, (uint32_t)i);
        if (!(m->state[i] = m->target.make(m->cx, m->target.model, &m->rng[i]))) return tamis_status(m->cx);
        for (size_t j = 0; j < m->moves; j++) m->scale[i * m->moves + j] = first_scale;
        m->direction[i] = heats < 2 ? 0 : i % heats == 0 ? 1 : i % heats == heats - 1 ? -1 : 0;
    }
    for (size_t c = 0; c < m->set.chains; c++)
        tamis_rng_init(&m->swap_rng[c], m->set.seed, TAMIS_RNG_MCMC_SWAP, (uint32_t)c);
    return TAMIS_OK;
}

struct tamis_mcmc *tamis_mcmc_new(tamis_context *cx, const struct tamis_mcmc_target *target,
                                  const struct tamis_mcmc_settings *set)
{
    struct tamis_mcmc *m = tamis_new(cx, struct tamis_mcmc, 1);
    if (!m) return NULL;
    *m = (struct tamis_mcmc){.cx = cx, .target = *target, .set = *set, .replicas = set->chains * set->heats};
    while (target->move[m->moves].name) m->moves++;
    m->total = set->burn_in + set->samples * set->thin;
    size_t r = m->replicas;
    m->heat = tamis_new(cx, double, set->heats);
    m->state = tamis_new(cx, void *, r);
    m->rng = tamis_new(cx, struct tamis_rng, r);
    m->swap_rng = tamis_new(cx, struct tamis_rng, set->chains);
    m->scale = tamis_new(cx, double, r * m->moves);
    m->count = tamis_new(cx, struct tamis_mcmc_count, r * m->moves);
    m->swap = tamis_new(cx, struct tamis_mcmc_count, r);
    m->rejected = tamis_new(cx, double, r);
    m->flow = tamis_new(cx, struct tamis_mcmc_count, r);
    m->direction = tamis_new(cx, int, r);
    m->trips = tamis_new(cx, double, set->chains);
    if (!tamis_status(cx)) {
        ladder_start(m);
        if (!states_make(m)) return m;
    }
    tamis_mcmc_free(m);
    return NULL;
}

/* ---- a sweep ---- */

/* log u < ratio, u uniform: 1 - 1 / u <= log u <= u - 1 decides most cases without a logarithm. */
static int accepted(double ratio, struct tamis_rng *rng)
{
    if (ratio >= 0 || ratio == -INFINITY) return ratio >= 0;
    double u = tamis_rng_uniform(rng);
    return u - 1 < ratio || (u - 1 < u * ratio && log(u) < ratio);
}

/* Makes one move; returns the log acceptance ratio, NAN when the move did not apply. */
static double make_move(const struct tamis_mcmc_move *v, void *state, double heat, double scale, struct tamis_rng *rng,
                        struct tamis_mcmc_count *count)
{
    double ratio = v->propose(state, heat, scale, rng);
    if (isnan(ratio)) return NAN;
    int yes = accepted(ratio, rng);
    if (yes) v->accept(state, rng);
    if (count) count->tried++, count->accepted += yes;
    return ratio;
}

/* Draws one of the jumps, which begin at `first`, by weight. */
static size_t draw_jump(const struct tamis_mcmc_move *move, size_t first, double total, struct tamis_rng *rng)
{
    double u = total * tamis_rng_uniform(rng);
    size_t last = first;
    for (size_t j = first; move[j].name; j++) {
        if (move[j].times > 0) continue;
        last = j;
        if ((u -= move[j].weight) < 0) break;
    }
    return last;
}

static size_t draw_times(double times, struct tamis_rng *rng)
{
    size_t whole = (size_t)times;
    return whole + (times > (double)whole && tamis_rng_uniform(rng) < times - (double)whole);
}

static void sweep(const struct tamis_mcmc_target *t, size_t jumps, void *state, double heat, double *scale, double gain,
                  struct tamis_rng *rng, struct tamis_mcmc_count *count)
{
    double total = 0;
    size_t first = SIZE_MAX;
    for (size_t j = 0; t->move[j].name; j++) {
        const struct tamis_mcmc_move *v = &t->move[j];
        if (v->times == 0 && v->weight > 0) total += v->weight, first = j < first ? j : first;
        for (size_t i = draw_times(v->times, rng); i-- > 0;) {
            double ratio = make_move(v, state, heat, scale[j], rng, count ? &count[j] : NULL);
            if (v->whole && ratio >= 0) return;
            if (v->wanted > 0 && gain > 0 && !isnan(ratio)) scale[j] *= exp(gain * (exp(fmin(ratio, 0)) - v->wanted));
        }
    }
    for (size_t i = 0; total > 0 && i < jumps; i++) {
        size_t j = draw_jump(t->move, first, total, rng);
        make_move(&t->move[j], state, heat, scale[j], rng, count ? &count[j] : NULL);
    }
}

void tamis_mcmc_sweep(const struct tamis_mcmc_target *t, size_t jumps, void *state, double heat, const double *scale,
                      struct tamis_rng *rng, struct tamis_mcmc_count *count)
{
    double copy[TAMIS_MCMC_MOVES];
    for (size_t j = 0; t->move[j].name; j++) copy[j] = scale[j];
    sweep(t, jumps, state, heat, copy, 0, rng, count);
}

static void replica_sweep(struct tamis_mcmc *m, size_t i, size_t number)
{
    int burning = number < m->set.burn_in;
    double gain = burning ? pow(1 + (double)number, -0.6) : 0;
    sweep(&m->target, m->set.jumps, m->state[i], m->heat[i % m->set.heats], m->scale + i * m->moves, gain, &m->rng[i],
          burning ? NULL : m->count + i * m->moves);
}

/* ---- swaps ---- */

/* A state that reaches the coldest place after the hottest has made a trip. */
static void directions(struct tamis_mcmc *m, size_t chain, size_t number)
{
    size_t n = m->set.heats, cold = chain * n, hot = cold + n - 1;
    if (m->direction[cold] == -1 && number >= m->set.burn_in) m->trips[chain]++;
    m->direction[cold] = 1;
    m->direction[hot] = -1;
    for (size_t i = cold; i <= hot; i++)
        m->flow[i].tried += m->direction[i] != 0, m->flow[i].accepted += m->direction[i] == -1;
}

static void swap_pair(struct tamis_mcmc *m, size_t chain, size_t k)
{
    size_t a = chain * m->set.heats + k, b = a + 1;
    double ratio = (m->heat[k] - m->heat[k + 1]) * (m->target.energy(m->state[b]) - m->target.energy(m->state[a]));
    double rate = ratio >= 0 ? 1 : ratio > -INFINITY ? exp(ratio) : 0;
    int yes = tamis_rng_uniform(&m->swap_rng[chain]) < rate;
    m->swap[a].tried++;
    m->swap[a].accepted += yes;
    m->rejected[a] += 1 - rate;
    if (!yes) return;
    void *s = m->state[a];
    int d = m->direction[a];
    m->state[a] = m->state[b];
    m->state[b] = s;
    m->direction[a] = m->direction[b];
    m->direction[b] = d;
}

/* Swaps and the sample of one chain after sweep `number`. */
static void chain_round(struct tamis_mcmc *m, size_t chain, size_t number)
{
    size_t n = m->set.heats, past = number + 1 - m->set.burn_in;
    for (size_t k = number % 2; k + 1 < n; k += 2) swap_pair(m, chain, k);
    if (n > 1) directions(m, chain, number);
    if (number >= m->set.burn_in && past % m->set.thin == 0)
        m->target.record(m->target.model, m->state[chain * n], chain, past / m->set.thin - 1);
}

/* ---- a block of sweeps ---- */

struct block { struct tamis_mcmc *m; size_t from, to; };

static int chain_block(void *arg, size_t chain, int worker)
{
    struct block *b = arg;
    struct tamis_mcmc *m = b->m;
    size_t n = m->set.heats;
    (void)worker;
    for (size_t s = b->from; s < b->to; s++) {
        for (size_t k = 0; k < n; k++) replica_sweep(m, chain * n + k, s);
        chain_round(m, chain, s);
    }
    return TAMIS_OK;
}

static int replica_item(void *arg, size_t i, int worker)
{
    struct block *b = arg;
    (void)worker;
    replica_sweep(b->m, i, b->from);
    return TAMIS_OK;
}

/* With more threads than chains, the heats of a chain run in parallel too, one sweep at a time. */
static int run_block(struct tamis_mcmc *m, size_t to)
{
    struct block b = {m, m->sweep, to};
    int status = TAMIS_OK;
    if ((size_t)tamis_threads(m->cx) <= m->set.chains) status = tamis_parallel(m->cx, m->set.chains, chain_block, &b);
    else
        for (; b.from < to && !status; b.from++) {
            status = tamis_parallel(m->cx, m->replicas, replica_item, &b);
            for (size_t c = 0; c < m->set.chains && !status; c++) chain_round(m, c, b.from);
        }
    if (status) return status;
    m->sweep = to;
    for (size_t i = 0; i < m->replicas; i++) m->target.settle(m->state[i]);
    return TAMIS_OK;
}

/* ---- the ladder ---- */

/* Mean probability over all chains that a swap between heats k and k + 1 is rejected. */
static double rejection(const struct tamis_mcmc *m, size_t k)
{
    double sum = 0, tried = 0;
    for (size_t c = 0; c < m->set.chains; c++)
        sum += m->rejected[c * m->set.heats + k], tried += m->swap[c * m->set.heats + k].tried;
    return tried > 0 ? sum / tried : 0;
}

/* Among the states at heat k that came from either end of the ladder, the share that came from the hottest. */
static double from_hottest(const struct tamis_mcmc *m, size_t k)
{
    double hot = 0, all = 0;
    for (size_t c = 0; c < m->set.chains; c++)
        hot += m->flow[c * m->set.heats + k].accepted, all += m->flow[c * m->set.heats + k].tried;
    return all > 0 ? hot / all : 0;
}

/* sum[k]: the part of the ladder above heat k, measured half by rejections and half by the rise of from_hottest. */
static void ladder_measure(const struct tamis_mcmc *m, double *sum)
{
    size_t n = m->set.heats;
    double rejections = 0, fall = 0, highest = 0, step[2] = {0};
    for (size_t i = 0; i + 1 < n; i++) rejections += fmax(rejection(m, i), 1e-3);
    for (size_t i = 0; i < n; i++) fall = fmax(fall, from_hottest(m, i));
    for (size_t i = 0; i + 1 < n; i++) {
        double before = highest;
        step[0] = fmax(rejection(m, i), 1e-3) / rejections;
        highest = fmax(highest, from_hottest(m, i + 1));
        step[1] = fall > 0 ? (highest - before) / fall : step[0];
        sum[i + 1] = sum[i] + 0.5 * (step[0] + step[1]);
    }
}

/* New heats at equal steps of that measure, interpolated linearly between the old ones. */
static void ladder_move(struct tamis_mcmc *m)
{
    enum { MOST = 256 };
    size_t n = m->set.heats, k = 0;
    double sum[MOST] = {0}, heat[MOST];
    if (n < 3 || n > MOST) return;
    ladder_measure(m, sum);
    for (size_t i = 0; i < n; i++) {
        double want = sum[n - 1] * (double)i / (double)(n - 1);
        while (k + 2 < n && sum[k + 1] < want) k++;
        heat[i] = m->heat[k] + (m->heat[k + 1] - m->heat[k]) * (want - sum[k]) / (sum[k + 1] - sum[k]);
    }
    heat[0] = 1;
    heat[n - 1] = m->heat[n - 1];
    memcpy(m->heat, heat, n * sizeof *heat);
}

static void swaps_clear(struct tamis_mcmc *m)
{
    memset(m->swap, 0, m->replicas * sizeof *m->swap);
    memset(m->rejected, 0, m->replicas * sizeof *m->rejected);
    memset(m->flow, 0, m->replicas * sizeof *m->flow);
}

/* The sweep after `at` at which chains next learn from each other, burn-in ends or the run does. */
static size_t stretch_end(const struct tamis_mcmc *m, size_t at)
{
    size_t burn = m->set.burn_in, stop[] = {burn / 16, burn / 8, burn / 4, burn / 2, burn, m->total}, i = 0;
    while (stop[i] <= at) i++;
    return stop[i];
}

/* The sweep at which the block from `at` on ends: after `block` sweeps, or earlier where the stretch does. */
static size_t block_end(const struct tamis_mcmc *m, size_t at)
{
    size_t to = at + m->set.block, stop = stretch_end(m, at);
    return stop < to ? stop : to;
}

static void ladder_adapt(struct tamis_mcmc *m)
{
    size_t burn = m->set.burn_in, at = m->sweep;
    int due = at && (at == burn / 16 || at == burn / 8 || at == burn / 4 || at == burn / 2 || at == burn);
    if (due && burn >= 64) {
        ladder_move(m);
        if (m->target.adapt) m->target.adapt(m->target.model, m->state, m->replicas);
    }
    if (due) swaps_clear(m);
}

/* ---- a stretch: chains as items, where a runner may hand them to other processes ---- */

struct stretch { struct tamis_mcmc *m; size_t to; };

static int chain_stretch(void *arg, size_t chain, int worker)
{
    const struct stretch *s = arg;
    struct tamis_mcmc *m = s->m;
    struct block b = {m, m->sweep, 0};
    int status = TAMIS_OK;
    for (; b.from < s->to && !status; b.from = b.to) {
        b.to = block_end(m, b.from);
        status = chain_block(&b, chain, worker);
        for (size_t k = 0; k < m->set.heats; k++) m->target.settle(m->state[chain * m->set.heats + k]);
        tamis_progress(m->cx, "sampling", (double)b.to, (double)m->total);
        if (!status) status = tamis_check_cancel(m->cx);
    }
    return status;
}

static void chain_pack(const void *arg, size_t chain, struct tamis_pack *p)
{
    const struct stretch *s = arg;
    tamis_mcmc_pack_chain(s->m, chain, s->to, p);
}

static void chain_unpack(void *arg, size_t chain, struct tamis_unpack *u)
{
    const struct stretch *s = arg;
    tamis_mcmc_unpack_chain(s->m, chain, s->to, u);
}

/* Where all chains come back to every process, a checkpoint can be written after each fiftieth of the run. */
static size_t kept_end(const struct tamis_mcmc *m)
{
    size_t most = m->sweep + (m->total / 50 / m->set.block + 1) * m->set.block, stop = stretch_end(m, m->sweep);
    return !tamis_runner_of(m->cx)->partial && most < stop ? most : stop;
}

static int run_stretch(struct tamis_mcmc *m, int kept, uint64_t fingerprint)
{
    struct stretch s = {m, kept ? kept_end(m) : stretch_end(m, m->sweep)};
    const struct tamis_items chains = {.name = "chains", .count = m->set.chains, .state = fingerprint + m->sweep,
                                       .run = chain_stretch, .pack = chain_pack, .unpack = chain_unpack, .arg = &s,
                                       .every = s.to < m->total};
    int status = tamis_items_run(m->cx, &chains);
    if (!status) m->sweep = s.to;
    return status;
}

/* ---- the run ---- */

int tamis_mcmc_run(struct tamis_mcmc *m, const char *checkpoint, uint64_t fingerprint)
{
    double saved = tamis_clock();
    int status, resumed = 0;
    for (size_t i = 0; i < m->replicas; i++) m->target.settle(m->state[i]);
    struct tamis_checkpoint file = tamis_mcmc_checkpoint(m, checkpoint, fingerprint);
    status = tamis_checkpoint_resume(&file, &resumed);
    if (!status && resumed) tamis_note(m->cx, "resumed from %s at sweep %zu", checkpoint, m->sweep);
    else if (!status) status = tamis_checkpoint_save(&file);
    while (!status && m->sweep < m->total) {
        tamis_progress(m->cx, "sampling", (double)m->sweep, (double)m->total);
        status = tamis_check_cancel(m->cx);
        if (!status)
            status = tamis_runner_of(m->cx) ? run_stretch(m, checkpoint != NULL, fingerprint)
                                            : run_block(m, block_end(m, m->sweep));
        if (!status) ladder_adapt(m);
        if (status || !checkpoint || (tamis_clock() - saved < checkpoint_seconds && m->sweep < m->total)) continue;
        status = tamis_checkpoint_save(&file);
        saved = tamis_clock();
    }
    if (!status) tamis_progress(m->cx, "sampling", (double)m->total, (double)m->total);
    return status;
}
