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

static void pack_trial(struct tamis_pack *p, const struct tamis_trial *t, size_t inputs, size_t helds)
{
    pack_known(p, t->error);
    pack_known(p, t->all_inputs);
    pack_known(p, t->whole);
    pack_known(p, t->criterion);
    pack_known(p, t->seconds);
    pack_known(p, t->baseline.constant);
    pack_known(p, t->baseline.persistence);
    pack_known(p, t->baseline.seasonal);
    for (size_t i = 0; i < inputs; i++) tamis_pack_u64(p, t->set[i]);
    tamis_pack_u64(p, t->loss != NULL);
    if (t->loss) tamis_pack_doubles(p, t->loss, helds);
}

static void unpack_trial(struct tamis_unpack *u, struct tamis_trial *t, size_t inputs, size_t helds)
{
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
    if (tamis_unpack_u64(u, 1)) t->loss = tamis_unpack_doubles(u, helds);
    t->done = !u->failed && !tamis_status(u->cx);
    if (!t->done) tamis_trial_clear(t);
}

struct trials { const struct tamis_resample *resample; struct tamis_trial *trial; };

static void pack(const void *state, struct tamis_pack *p)
{
    const struct trials *t = state;
    const struct tamis_resample *r = t->resample;
    tamis_pack_u64(p, r->trials);
    for (size_t k = 0; k < r->trials; k++) {
        tamis_pack_u64(p, (uint64_t)t->trial[k].done);
        if (t->trial[k].done) pack_trial(p, &t->trial[k], r->inputs, r->split[k].helds);
    }
}

static void unpack(void *state, struct tamis_unpack *u)
{
    const struct trials *t = state;
    const struct tamis_resample *r = t->resample;
    if (u->version < 2 || tamis_unpack_u64(u, UINT64_MAX) != r->trials) u->failed = 1;
    for (size_t k = 0; k < r->trials && !u->failed; k++)
        if (tamis_unpack_u64(u, 1)) unpack_trial(u, &t->trial[k], r->inputs, r->split[k].helds);
}

static const struct tamis_checkpoint_kind kind = {.name = "TRLS", .version = 2, .pack = pack, .unpack = unpack};

int tamis_trials_save(tamis_context *cx, const char *path, const struct tamis_resample *r, uint64_t fingerprint,
                      const struct tamis_trial *trial)
{
    struct trials t = {r, (struct tamis_trial *)trial};
    return tamis_checkpoint_save(&(struct tamis_checkpoint){cx, &kind, path, fingerprint, &t});
}

int tamis_trials_resume(tamis_context *cx, const char *path, const struct tamis_resample *r, uint64_t fingerprint,
                        struct tamis_trial *trial)
{
    struct trials t = {r, trial};
    int resumed;
    return tamis_checkpoint_resume(&(struct tamis_checkpoint){cx, &kind, path, fingerprint, &t}, &resumed);
}

int tamis_trials_restore(tamis_context *cx, const void *bytes, size_t n, const struct tamis_resample *r,
                         uint64_t fingerprint, struct tamis_trial *trial)
{
    struct trials t = {r, trial};
    return tamis_checkpoint_restore(&(struct tamis_checkpoint){cx, &kind, NULL, fingerprint, &t}, bytes, n);
}
