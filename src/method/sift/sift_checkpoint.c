/* The finished trails of a run in a file. */
#include "base/pack.h"
#include "method/sift/sift.h"

static void sizes_pack(struct tamis_pack *p, const size_t *v, size_t n)
{
    for (size_t i = 0; i < n; i++) tamis_pack_u64(p, v[i]);
}

static void bytes_pack(struct tamis_pack *p, const unsigned char *v, size_t n)
{
    for (size_t i = 0; i < n; i++) tamis_pack_u64(p, v[i]);
}

static void trail_pack(const struct sift *s, const struct sift_trail *t, struct tamis_pack *p)
{
    size_t inputs = s->run->design->inputs;
    tamis_pack_u64(p, t && t->done);
    if (!t || !t->done) return;
    tamis_pack_u64(p, t->kind);
    tamis_pack_u64(p, t->held);
    tamis_pack_u64(p, t->sizes);
    sizes_pack(p, t->size, t->sizes);
    bytes_pack(p, t->set, t->sizes * inputs);
    tamis_pack_doubles(p, t->evidence, t->sizes);
    tamis_pack_doubles(p, t->share, inputs);
    tamis_pack_doubles(p, t->loss, t->sizes * t->held);
    tamis_pack_doubles(p, t->prediction, t->sizes * t->held);
    tamis_pack_doubles(p, t->score, t->sizes * t->held * t->scores);
    tamis_pack_f64(p, t->far);
    tamis_pack_u64(p, t->terms);
    for (size_t k = 0; k < t->terms; k++) {
        tamis_pack_u64(p, t->term[k].inputs);
        sizes_pack(p, t->term[k].input, t->term[k].inputs);
    }
    tamis_pack_doubles(p, t->weight, inputs + 2);
    tamis_pack_u64(p, t->net_set != NULL);
    if (t->net_set) bytes_pack(p, t->net_set, inputs);
}

/* ---- reading: no count is trusted ---- */

static void bytes_unpack(struct tamis_unpack *u, unsigned char *v, size_t n)
{
    for (size_t i = 0; i < n && !u->failed; i++) v[i] = (unsigned char)tamis_unpack_u64(u, 1);
}

static void sets_unpack(const struct sift *s, struct sift_trail *t, size_t sizes, struct tamis_unpack *u)
{
    size_t inputs = s->run->design->inputs;
    for (size_t k = 0; k < sizes && !u->failed; k++)
        if (sift_trail_grow(s->run->cx, t, inputs) == SIZE_MAX) u->failed = 1;
    for (size_t k = 0; k < sizes && !u->failed; k++) t->size[k] = (size_t)tamis_unpack_u64(u, inputs);
    if (u->failed) return;
    bytes_unpack(u, t->set, sizes * inputs);
    tamis_unpack_into(u, t->evidence, sizes);
    tamis_unpack_into(u, t->share, inputs);
    tamis_unpack_into(u, t->loss, sizes * t->held);
    tamis_unpack_into(u, t->prediction, sizes * t->held);
    tamis_unpack_into(u, t->score, sizes * t->held * t->scores);
}

static void terms_unpack(const struct sift *s, struct sift_trail *t, struct tamis_unpack *u)
{
    size_t inputs = s->run->design->inputs, terms = (size_t)tamis_unpack_u64(u, 100 + inputs);
    t->term = u->failed ? NULL : tamis_new(s->run->cx, struct sift_probe, terms + 1);
    if (!t->term) u->failed = 1;
    for (size_t k = 0; k < terms && !u->failed; k++, t->terms++) {
        t->term[k].inputs = (size_t)tamis_unpack_u64(u, 3);
        if (!t->term[k].inputs) u->failed = 1;
        for (size_t j = 0; j < t->term[k].inputs; j++) t->term[k].input[j] = (size_t)tamis_unpack_u64(u, inputs - 1);
    }
    tamis_unpack_into(u, t->weight, inputs + 2);
    if (!tamis_unpack_u64(u, 1) || u->failed) return;
    if (!(t->net_set = tamis_raw(s->run->cx, unsigned char, inputs))) u->failed = 1;
    else bytes_unpack(u, t->net_set, inputs);
}

/* held: rows that it was measured on. NULL: it was not finished, or the file is no good. */
static struct sift_trail *trail_unpack(const struct sift *s, size_t held, struct tamis_unpack *u)
{
    if (!tamis_unpack_u64(u, 1) || u->failed) return NULL;
    struct sift_trail *t = sift_trail_new(&s->ground, held);
    if (!t) return u->failed = 1, NULL;
    t->kind = (enum sift_kind)tamis_unpack_u64(u, SIFT_NETWORK);
    if (tamis_unpack_u64(u, s->run->design->rows) != held) u->failed = 1;
    size_t sizes = (size_t)tamis_unpack_u64(u, s->run->design->inputs + 1);
    if (!sizes) u->failed = 1;
    if (!u->failed) sets_unpack(s, t, sizes, u);
    t->far = tamis_unpack_f64(u);
    if (!u->failed) terms_unpack(s, t, u);
    t->done = !u->failed;
    if (t->done) return t;
    sift_trail_free(t);
    return NULL;
}

static size_t trails_of(const struct sift *s) { return s->s.splits * s->s.folds; }

static void pack(const void *state, struct tamis_pack *p)
{
    const struct sift *s = state;
    trail_pack(s, s->all, p);
    for (size_t k = 0; k < trails_of(s); k++) trail_pack(s, s->trail[k], p);
}

static void unpack(void *state, struct tamis_unpack *u)
{
    struct sift *s = state;
    size_t n = s->run->design->rows;
    s->all = trail_unpack(s, 0, u);
    for (size_t k = 0; k < trails_of(s) && !u->failed; k++) {
        size_t split = k / s->s.folds, held = 0;
        for (size_t i = 0; i < n; i++) held += s->fold[split * n + i] == k % s->s.folds;
        s->trail[k] = trail_unpack(s, held, u);
    }
}

static struct tamis_checkpoint checkpoint_of(struct sift *s)
{
    static const struct tamis_checkpoint_kind kind = {.name = "SIFT", .version = 2, .pack = pack, .unpack = unpack};
    return (struct tamis_checkpoint){s->run->cx, &kind, s->run->checkpoint, s->run->fingerprint, s};
}

int sift_checkpoint_save(struct sift *s)
{
    struct tamis_checkpoint c = checkpoint_of(s);
    return tamis_checkpoint_save(&c);
}

int sift_checkpoint_load(struct sift *s)
{
    struct tamis_checkpoint c = checkpoint_of(s);
    size_t done = 0;
    int resumed = 0, status = tamis_checkpoint_resume(&c, &resumed);
    if (status || !resumed) return status ? status : tamis_checkpoint_save(&c);
    for (size_t k = 0; k < trails_of(s); k++) done += s->trail[k] && s->trail[k]->done;
    tamis_note(s->run->cx, "resumed from %s with %zu of %zu trails", c.path, done + (s->all != NULL), trails_of(s) + 1);
    return TAMIS_OK;
}
