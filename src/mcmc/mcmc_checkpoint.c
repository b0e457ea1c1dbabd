/* The state of all chains in a checkpoint. */
#include "mcmc/mcmc.h"

static void pack_rng(struct tamis_pack *p, const struct tamis_rng *r)
{
    for (int i = 0; i < 2; i++) tamis_pack_u64(p, r->key[i]);
    for (int i = 0; i < 4; i++) tamis_pack_u64(p, r->counter[i]);
    for (int i = 0; i < TAMIS_RNG_WORDS; i++) tamis_pack_u64(p, r->out[i]);
    tamis_pack_u64(p, r->used);
    tamis_pack_u64(p, r->spare);
    tamis_pack_f64(p, r->normal);
}

static void unpack_rng(struct tamis_unpack *u, struct tamis_rng *r)
{
    for (int i = 0; i < 2; i++) r->key[i] = (uint32_t)tamis_unpack_u64(u, UINT32_MAX);
    for (int i = 0; i < 4; i++) r->counter[i] = (uint32_t)tamis_unpack_u64(u, UINT32_MAX);
    for (int i = 0; i < TAMIS_RNG_WORDS; i++) r->out[i] = (uint32_t)tamis_unpack_u64(u, UINT32_MAX);
    r->used = (uint32_t)tamis_unpack_u64(u, TAMIS_RNG_WORDS);
    r->spare = (uint32_t)tamis_unpack_u64(u, 1);
    r->normal = tamis_unpack_f64(u);
}

static size_t samples_at(const struct tamis_mcmc *m, size_t sweep)
{
    return sweep < m->set.burn_in ? 0 : (sweep - m->set.burn_in) / m->set.thin;
}

void tamis_mcmc_pack_chain(const struct tamis_mcmc *m, size_t chain, size_t at, struct tamis_pack *p)
{
    size_t n = m->set.heats, first = chain * n;
    tamis_pack_doubles(p, m->scale + first * m->moves, n * m->moves);
    tamis_pack_doubles(p, (const double *)(m->count + first * m->moves), 2 * n * m->moves);
    tamis_pack_doubles(p, (const double *)(m->swap + first), 2 * n);
    tamis_pack_doubles(p, m->rejected + first, n);
    tamis_pack_doubles(p, (const double *)(m->flow + first), 2 * n);
    tamis_pack_f64(p, m->trips[chain]);
    pack_rng(p, &m->swap_rng[chain]);
    for (size_t i = first; i < first + n; i++) {
        pack_rng(p, &m->rng[i]);
        tamis_pack_u64(p, (uint64_t)(m->direction[i] + 1));
        m->target.pack(m->state[i], p);
    }
    m->target.pack_records(m->target.model, chain, samples_at(m, at), p);
}

void tamis_mcmc_unpack_chain(struct tamis_mcmc *m, size_t chain, size_t at, struct tamis_unpack *u)
{
    size_t n = m->set.heats, first = chain * n;
    tamis_unpack_into(u, m->scale + first * m->moves, n * m->moves);
    tamis_unpack_into(u, (double *)(m->count + first * m->moves), 2 * n * m->moves);
    tamis_unpack_into(u, (double *)(m->swap + first), 2 * n);
    tamis_unpack_into(u, m->rejected + first, n);
    tamis_unpack_into(u, (double *)(m->flow + first), 2 * n);
    m->trips[chain] = tamis_unpack_f64(u);
    unpack_rng(u, &m->swap_rng[chain]);
    for (size_t i = first; i < first + n && !u->failed; i++) {
        unpack_rng(u, &m->rng[i]);
        m->direction[i] = (int)tamis_unpack_u64(u, 2) - 1;
        m->target.unpack(m->state[i], u);
        if (!u->failed) m->target.settle(m->state[i]);
    }
    if (!u->failed) m->target.unpack_records(m->target.model, chain, samples_at(m, at), u);
}

static void pack(const void *state, struct tamis_pack *p)
{
    const struct tamis_mcmc *m = state;
    tamis_pack_u64(p, m->sweep);
    tamis_pack_doubles(p, m->heat, m->set.heats);
    m->target.pack_model(m->target.model, p);
    for (size_t c = 0; c < m->set.chains; c++) tamis_mcmc_pack_chain(m, c, m->sweep, p);
}

static void unpack(void *state, struct tamis_unpack *u)
{
    struct tamis_mcmc *m = state;
    if (u->version < 5) u->failed = 1;
    m->sweep = (size_t)tamis_unpack_u64(u, m->total);
    tamis_unpack_into(u, m->heat, m->set.heats);
    m->target.unpack_model(m->target.model, u);
    for (size_t c = 0; c < m->set.chains && !u->failed; c++) tamis_mcmc_unpack_chain(m, c, m->sweep, u);
}

static const struct tamis_checkpoint_kind kind = {.name = "MCMC", .version = 5, .pack = pack, .unpack = unpack};

struct tamis_checkpoint tamis_mcmc_checkpoint(struct tamis_mcmc *m, const char *path, uint64_t fingerprint)
{
    return (struct tamis_checkpoint){.cx = m->cx, .kind = &kind, .path = path, .fingerprint = fingerprint, .state = m};
}
