/* The finished paths of a run in a file. */
#include <unistd.h>
#include "base/pack.h"
#include "method/sift/sift.h"

static const char kind[4] = {'S', 'I', 'F', 'T'};
enum { FORMAT = 1 };

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

int sift_checkpoint_save(struct sift *s)
{
    struct tamis_pack p;
    tamis_pack_begin(&p, s->run->cx, kind, FORMAT);
    tamis_pack_u64(&p, s->run->fingerprint);
    for (size_t k = 0; k <= s->s.folds; k++) path_pack(s, k, &p);
    return tamis_pack_write(&p, s->run->checkpoint);
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

static int restore(void *arg, const void *bytes, size_t n)
{
    struct sift *s = arg;
    struct tamis_unpack u;
    int status = tamis_unpack_begin(&u, s->run->cx, bytes, n, kind, FORMAT, "checkpoint");
    if (status) return status;
    status = tamis_checkpoint_mine(s->run->cx, tamis_unpack_u64(&u, UINT64_MAX) == s->run->fingerprint);
    if (status) return status;
    for (size_t k = 0; k <= s->s.folds && !u.failed; k++) path_unpack(s, k, &u);
    return tamis_unpack_end(&u, "checkpoint");
}

int sift_checkpoint_load(struct sift *s)
{
    tamis_context *cx = s->run->cx;
    size_t done = 0;
    if (access(s->run->checkpoint, F_OK)) return sift_checkpoint_save(s);
    int status = tamis_checkpoint_read(cx, s->run->checkpoint, restore, s);
    if (status) return status;
    for (size_t k = 0; k <= s->s.folds; k++) done += s->path[k] && s->path[k]->done;
    tamis_note(cx, "resumed from %s with %zu of %zu paths", s->run->checkpoint, done, s->s.folds + 1);
    return TAMIS_OK;
}
