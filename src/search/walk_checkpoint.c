/* The state of a walk in a checkpoint. */
#include <math.h>
#include "search/searches.h"

/* A criterion may be infinite, which tamis_unpack_f64 takes for damage. */
static void pack_value(struct tamis_pack *p, double v)
{
    tamis_pack_u64(p, v == INFINITY);
    tamis_pack_f64(p, v == INFINITY ? 0 : v);
}

static double unpack_value(struct tamis_unpack *u)
{
    int infinite = (int)tamis_unpack_u64(u, 1);
    double v = tamis_unpack_f64(u);
    return infinite ? INFINITY : v;
}

static void pack_move(struct tamis_pack *p, const struct tamis_move *m)
{
    tamis_pack_u64(p, m->count);
    tamis_pack_u64(p, (uint64_t)m->added);
    pack_value(p, m->score.value);
    for (int i = 0; i < TAMIS_PARAMETERS; i++) tamis_pack_f64(p, m->score.parameter[i]);
}

static void pack(const void *state, struct tamis_pack *p)
{
    const struct tamis_walk *r = state;
    tamis_pack_u64(p, r->design->inputs);
    tamis_pack_u64(p, (uint64_t)r->done);
    for (int i = 0; i < 4; i++) tamis_pack_u64(p, r->state[i]);
    tamis_pack_u64(p, r->changes);
    for (size_t i = 0; i < r->changes; i++) tamis_pack_u64(p, r->changed[i]);
    tamis_pack_u64(p, r->moves);
    for (size_t k = 0; k < r->moves; k++) pack_move(p, &r->move[k]);
    for (size_t i = 0; i < r->design->inputs; i++) {
        tamis_pack_u64(p, !isnan(r->relevance[i]));
        tamis_pack_f64(p, isnan(r->relevance[i]) ? 0 : r->relevance[i]);
        tamis_pack_u64(p, r->tenth[i]);
    }
    tamis_pack_u64(p, (uint64_t)r->scaled);
    tamis_pack_u64(p, r->scale_steps);
    tamis_pack_f64(p, r->scaled_value);
}

/* Whether these inputs can be added to the current set, or removed from it. */
static int changes_fit(struct tamis_walk *r, const size_t *changed, size_t count, int added)
{
    int fit = 1;
    for (size_t i = 0; i < count; i++) {
        fit &= r->set[changed[i]] != added;
        r->set[changed[i]] ^= 1;                        /* an input twice does not fit either */
    }
    for (size_t i = 0; i < count; i++) r->set[changed[i]] ^= 1;
    return fit;
}

static void unpack_move(struct tamis_walk *r, struct tamis_unpack *u, const size_t *changed, size_t changes)
{
    struct tamis_score score = {0};
    size_t count = (size_t)tamis_unpack_u64(u, changes - r->changes);
    int added = (int)tamis_unpack_u64(u, 1);
    score.value = unpack_value(u);
    for (int i = 0; i < TAMIS_PARAMETERS; i++) score.parameter[i] = tamis_unpack_f64(u);
    if (!changes_fit(r, changed + r->changes, count, added)) u->failed = 1;
    if (!u->failed) tamis_walk_accept(r, changed + r->changes, count, added, &score);
}

static void unpack_path(struct tamis_walk *r, struct tamis_unpack *u)
{
    size_t changes = (size_t)tamis_unpack_u64(u, (u->length - u->at) / 8), *changed = tamis_new(r->cx, size_t, changes);
    for (size_t i = 0; changed && i < changes; i++) changed[i] = (size_t)tamis_unpack_u64(u, r->design->inputs - 1);
    size_t moves = (size_t)tamis_unpack_u64(u, (u->length - u->at) / 8);
    for (size_t k = 0; changed && k < moves && !u->failed && !tamis_status(r->cx); k++)
        unpack_move(r, u, changed, changes);
    if (r->changes != changes) u->failed = 1;
    tamis_free(changed);
}

static void unpack(void *state, struct tamis_unpack *u)
{
    struct tamis_walk *r = state;
    tamis_walk_reset(r);
    if (tamis_unpack_u64(u, UINT64_MAX) != r->design->inputs) u->failed = 1;
    r->done = (int)tamis_unpack_u64(u, 1);
    for (int i = 0; i < 4; i++) r->state[i] = tamis_unpack_u64(u, UINT64_MAX);
    unpack_path(r, u);
    for (size_t i = 0; i < r->design->inputs; i++) {
        int known = (int)tamis_unpack_u64(u, 1);
        double v = tamis_unpack_f64(u);
        r->relevance[i] = known ? v : NAN;
        r->tenth[i] = (unsigned char)tamis_unpack_u64(u, 10);
    }
    r->scaled = (int)tamis_unpack_u64(u, r->scaling ? 2 : 0);
    r->scale_steps = (size_t)tamis_unpack_u64(u, UINT64_MAX);
    r->scaled_value = tamis_unpack_f64(u);
}

struct tamis_checkpoint tamis_walk_checkpoint(struct tamis_walk *r, const char *path, uint64_t fingerprint)
{
    static const struct tamis_checkpoint_kind kind = {.name = "CKPT", .version = 2, .pack = pack, .unpack = unpack};
    return (struct tamis_checkpoint){.cx = r->cx, .kind = &kind, .path = path, .fingerprint = fingerprint, .state = r};
}
