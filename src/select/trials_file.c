/* The checkpoint of nested validation, resamples and comparisons: a file of the finished trials. */
#include <math.h>
#include "base/pack.h"
#include "select/resample.h"

/* A number, or NAN: files hold finite numbers. */
static void pack_known(struct tamis_pack *p, double v)
{
    tamis_pack_u64(p, isfinite(v));
    tamis_pack_f64(p, isfinite(v) ? v : 0);
}

static double unpack_known(struct tamis_unpack *u)
{
    int known = (int)tamis_unpack_u64(u, 1);
    double v = tamis_unpack_f64(u);
    return known ? v : NAN;
}

void tamis_trial_pack(const void *trials, size_t k, struct tamis_pack *p)
{
    const struct tamis_trials *all = trials;
    const struct tamis_trial *t = &all->trial[k];
    pack_known(p, t->error);
    pack_known(p, t->all_inputs);
    pack_known(p, t->whole);
    pack_known(p, t->criterion);
    pack_known(p, t->seconds);
    pack_known(p, t->baseline.constant);
    pack_known(p, t->baseline.persistence);
    pack_known(p, t->baseline.seasonal);
    for (size_t i = 0; i < all->resample->inputs; i++) tamis_pack_u64(p, t->set[i]);
    tamis_pack_u64(p, t->loss != NULL);
    if (t->loss) tamis_pack_doubles(p, t->loss, all->resample->split[k].helds);
}

void tamis_trial_unpack(void *trials, size_t k, struct tamis_unpack *u)
{
    struct tamis_trials *all = trials;
    struct tamis_trial *t = &all->trial[k];
    size_t inputs = all->resample->inputs;
    t->error = unpack_known(u);
    t->all_inputs = unpack_known(u);
    t->whole = unpack_known(u);
    t->criterion = unpack_known(u);
    t->seconds = unpack_known(u);
    t->baseline.constant = unpack_known(u);
    t->baseline.persistence = unpack_known(u);
    t->baseline.seasonal = unpack_known(u);
    t->set = tamis_new(u->cx, unsigned char, inputs);
    for (size_t i = 0; t->set && i < inputs; i++) t->set[i] = (unsigned char)tamis_unpack_u64(u, 1);
    if (tamis_unpack_u64(u, 1)) t->loss = tamis_unpack_doubles(u, all->resample->split[k].helds);
    t->done = !u->failed && !tamis_status(u->cx);
    if (!t->done) tamis_trial_clear(t);
}

static void pack(const void *state, struct tamis_pack *p)
{
    const struct tamis_trials *t = state;
    tamis_pack_u64(p, t->resample->trials);
    for (size_t k = 0; k < t->resample->trials; k++) {
        tamis_pack_u64(p, (uint64_t)t->trial[k].done);
        if (t->trial[k].done) tamis_trial_pack(t, k, p);
    }
}

static void unpack(void *state, struct tamis_unpack *u)
{
    struct tamis_trials *t = state;
    size_t trials = t->resample->trials;
    if (u->version < 2 || tamis_unpack_u64(u, UINT64_MAX) != trials) u->failed = 1;
    for (size_t k = 0; k < trials && !u->failed; k++)
        if (tamis_unpack_u64(u, 1)) tamis_trial_unpack(t, k, u);
}

static struct tamis_checkpoint checkpoint_of(struct tamis_trials *t)
{
    static const struct tamis_checkpoint_kind kind = {.name = "TRLS", .version = 2, .pack = pack, .unpack = unpack};
    return (struct tamis_checkpoint){t->cx, &kind, t->checkpoint, t->fingerprint, t};
}

int tamis_trials_save(void *trials)
{
    struct tamis_checkpoint file = checkpoint_of(trials);
    return tamis_checkpoint_save(&file);
}

int tamis_trials_resume(struct tamis_trials *t)
{
    struct tamis_checkpoint file = checkpoint_of(t);
    int resumed;
    return tamis_checkpoint_resume(&file, &resumed);
}

int tamis_trials_restore(struct tamis_trials *t, const void *bytes, size_t n)
{
    struct tamis_checkpoint file = checkpoint_of(t);
    return tamis_checkpoint_restore(&file, bytes, n);
}
