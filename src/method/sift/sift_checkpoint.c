/* The finished paths of a run in a file. */
#include "base/pack.h"
#include "method/sift/sift.h"

static void path_pack(const struct sift *s, size_t k, struct tamis_pack *p)
{
    const struct sift_path *path = s->path[k];
    size_t inputs = s->run->design->inputs, sizes = s->frame.sizes, held = s->held[k];
    tamis_pack_u64(p, path && path->done);
    if (!path || !path->done) return;
    for (size_t i = 0; i < sizes * inputs; i++) tamis_pack_u64(p, path->set[i]);
    tamis_pack_f64(p, path->far);
    tamis_pack_doubles(p, path->relevance, inputs);
    tamis_pack_doubles(p, path->evidence, sizes + 1);
    tamis_pack_doubles(p, path->start, inputs + 2);
    tamis_pack_doubles(p, path->loss, (sizes + 1) * held);
    tamis_pack_doubles(p, path->error, (sizes + 1) * held);
    tamis_pack_doubles(p, path->prediction, (sizes + 1) * held);
}

static void path_unpack(struct sift *s, size_t k, struct tamis_unpack *u)
{
    size_t inputs = s->run->design->inputs, sizes = s->frame.sizes, held = s->held[k];
    if (!tamis_unpack_u64(u, 1) || u->failed) return;
    struct sift_path *p = s->path[k] = sift_path_new(&s->frame, held);
    if (!p) {
        u->failed = 1;
        return;
    }
    for (size_t i = 0; i < sizes * inputs; i++) p->set[i] = (unsigned char)tamis_unpack_u64(u, 1);
    p->far = tamis_unpack_f64(u);
    tamis_unpack_into(u, p->relevance, inputs);
    tamis_unpack_into(u, p->evidence, sizes + 1);
    tamis_unpack_into(u, p->start, inputs + 2);
    tamis_unpack_into(u, p->loss, (sizes + 1) * held);
    tamis_unpack_into(u, p->error, (sizes + 1) * held);
    tamis_unpack_into(u, p->prediction, (sizes + 1) * held);
    p->done = !u->failed;
}

static void pack(const void *state, struct tamis_pack *p)
{
    const struct sift *s = state;
    for (size_t k = 0; k <= s->s.folds; k++) path_pack(s, k, p);
}

static void unpack(void *state, struct tamis_unpack *u)
{
    struct sift *s = state;
    for (size_t k = 0; k <= s->s.folds && !u->failed; k++) path_unpack(s, k, u);
}

static struct tamis_checkpoint checkpoint_of(struct sift *s)
{
    static const struct tamis_checkpoint_kind kind = {.name = "SIFT", .version = 1, .pack = pack, .unpack = unpack};
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
    for (size_t k = 0; k <= s->s.folds; k++) done += s->path[k] && s->path[k]->done;
    tamis_note(s->run->cx, "resumed from %s with %zu of %zu paths", c.path, done, s->s.folds + 1);
    return TAMIS_OK;
}
