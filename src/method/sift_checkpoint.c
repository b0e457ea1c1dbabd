/* The finished paths of a run in a file. */
#include <math.h>
#include <string.h>
#include <unistd.h>
#include "base/pack.h"
#include "method/sift.h"

static const char kind[4] = {'S', 'I', 'F', 'T'};
enum { FORMAT = 1 };

static void path_pack(const struct sift *s, size_t k, struct tamis_pack *p)
{
    const struct sift_path *path = s->path[k];
    size_t inputs = s->job->design->inputs, sizes = s->frame.sizes, held = s->held[k];
    tamis_pack_u64(p, path && path->done);
    if (!path || !path->done) return;
    for (size_t i = 0; i < sizes * inputs; i++) tamis_pack_u64(p, path->set[i]);
    tamis_pack_f64(p, path->far);
    tamis_pack_doubles(p, path->relevance, inputs);
    tamis_pack_doubles(p, path->evidence, sizes + 1);
    tamis_pack_doubles(p, path->start, inputs + 2);
    tamis_pack_doubles(p, path->loss, (sizes + 1) * held);
    tamis_pack_doubles(p, path->error, (sizes + 1) * held);
    tamis_pack_doubles(p, path->guess, (sizes + 1) * held);
}

int sift_checkpoint_save(struct sift *s)
{
    struct tamis_pack p;
    tamis_pack_begin(&p, s->job->cx, kind, FORMAT);
    tamis_pack_u64(&p, s->job->fingerprint);
    for (size_t k = 0; k <= s->s.folds; k++) path_pack(s, k, &p);
    int status = tamis_pack_end(&p);
    if (!status) status = tamis_file_write(s->job->cx, s->job->checkpoint, p.bytes, p.length);
    tamis_pack_free(&p);
    return status;
}

static void take(struct tamis_unpack *u, double *to, size_t n)
{
    double *v = tamis_unpack_doubles(u, n);
    if (v) memcpy(to, v, n * sizeof *to);
    else u->failed = 1;
    tamis_free(v);
}

static void path_unpack(struct sift *s, size_t k, struct tamis_unpack *u)
{
    size_t inputs = s->job->design->inputs, sizes = s->frame.sizes, held = s->held[k];
    if (!tamis_unpack_u64(u, 1) || u->failed) return;
    struct sift_path *p = s->path[k] = sift_path_new(&s->frame, held);
    if (!p) {
        u->failed = 1;
        return;
    }
    for (size_t i = 0; i < sizes * inputs; i++) p->set[i] = (unsigned char)tamis_unpack_u64(u, 1);
    p->far = tamis_unpack_f64(u);
    take(u, p->relevance, inputs);
    take(u, p->evidence, sizes + 1);
    take(u, p->start, inputs + 2);
    take(u, p->loss, (sizes + 1) * held);
    take(u, p->error, (sizes + 1) * held);
    take(u, p->guess, (sizes + 1) * held);
    p->done = !u->failed;
}

static int restore(struct sift *s, const void *bytes, size_t n)
{
    struct tamis_unpack u;
    int status = tamis_unpack_begin(&u, s->job->cx, bytes, n, kind, FORMAT, "checkpoint");
    if (status) return status;
    if (tamis_unpack_u64(&u, UINT64_MAX) != s->job->fingerprint)
        return tamis_fail(s->job->cx, TAMIS_USAGE, "the checkpoint belongs to another run: data, options or version differ; remove it or name another");
    for (size_t k = 0; k <= s->s.folds && !u.failed; k++) path_unpack(s, k, &u);
    return tamis_unpack_end(&u, "checkpoint");
}

int sift_checkpoint_load(struct sift *s)
{
    tamis_context *cx = s->job->cx;
    unsigned char *bytes = NULL;
    size_t n = 0, done = 0;
    if (access(s->job->checkpoint, F_OK)) return sift_checkpoint_save(s);
    int status = tamis_file_read(cx, s->job->checkpoint, &bytes, &n);
    if (status) return status;
    status = restore(s, bytes, n);
    tamis_free(bytes);
    if (status) return tamis_fail_at(cx, s->job->checkpoint);
    for (size_t k = 0; k <= s->s.folds; k++) done += s->path[k] && s->path[k]->done;
    tamis_note(cx, "resumed from %s with %zu of %zu paths", s->job->checkpoint, done, s->s.folds + 1);
    return TAMIS_OK;
}
