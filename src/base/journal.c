/* Finished parts in a file. */
#include <math.h>
#include <string.h>
#include "base/journal.h"
#include "base/watch.h"

static const double save_seconds = 2;

/* ---- the file: numbers by their bits, as some are NAN ---- */

static void pack(const void *state, struct tamis_pack *p)
{
    const struct tamis_journal *j = state;
    tamis_pack_u64(p, j->parts);
    for (size_t k = 0; k < j->parts; k++) {
        tamis_pack_u64(p, j->part[k].n);
        tamis_pack_bits(p, j->part[k].v, j->part[k].n);
    }
}

/* Room for one more part of n numbers; NULL without memory. */
static double *part_new(struct tamis_journal *j, size_t n)
{
    if (j->parts == j->room) {
        size_t room = j->room ? 2 * j->room : 16;
        struct tamis_journal_part *more = tamis_grow(j->file.cx, j->part, room, sizeof *more);
        if (!more) return NULL;
        j->part = more;
        j->room = room;
    }
    double *v = tamis_raw(j->file.cx, double, n);
    if (v) j->part[j->parts++] = (struct tamis_journal_part){n, v};
    return v;
}

static void unpack(void *state, struct tamis_unpack *u)
{
    struct tamis_journal *j = state;
    size_t parts = (size_t)tamis_unpack_u64(u, u->length / 8);
    for (size_t k = 0; k < parts && !u->failed; k++) {
        size_t n = (size_t)tamis_unpack_u64(u, (u->length - u->at) / 8);
        double *v = u->failed ? NULL : part_new(j, n);
        if (!v) u->failed = 1;
        tamis_unpack_bits(u, v, n);
    }
}

static int save(struct tamis_journal *j)
{
    int status = tamis_checkpoint_write(&j->file);
    j->saved = j->parts;
    j->saved_at = tamis_clock();
    return status;
}

int tamis_journal_open(struct tamis_journal *j, tamis_context *cx, const char *path, uint64_t fingerprint)
{
    static const struct tamis_checkpoint_kind kind = {.name = "JRNL", .version = 1, .pack = pack, .unpack = unpack};
    *j = (struct tamis_journal){.file = {cx, &kind, path, fingerprint, j}};
    int status = tamis_checkpoint_resume(&j->file, &j->resumed);
    if (status || !j->resumed) return status ? status : save(j);
    j->saved = j->parts;
    j->saved_at = tamis_clock();
    tamis_note(cx, "resumed from %s with %zu finished parts", path, j->parts);
    return TAMIS_OK;
}

int tamis_journal_close(struct tamis_journal *j, int status)
{
    if (j->parts > j->saved && (!status || status == TAMIS_STOPPED)) {
        int saving = save(j);
        status = status ? status : saving;
    }
    if (status == TAMIS_DATA && j->resumed && !strstr(tamis_error(j->file.cx), j->file.path))
        tamis_fail_at(j->file.cx, j->file.path);        /* what the file says may be what does not fit the table */
    for (size_t k = 0; k < j->parts; k++) tamis_free(j->part[k].v);
    tamis_free(j->part);
    *j = (struct tamis_journal){0};
    return status;
}

/* ---- parts ---- */

int tamis_journal_damaged(struct tamis_journal *j)
{
    return tamis_fail(j->file.cx, TAMIS_DATA, "%s: the checkpoint is damaged; remove it or name another",
                      j->file.path);
}

int tamis_journal_counts(const double *v, size_t n, size_t most)
{
    for (size_t i = 0; i < n; i++)
        if (!(v[i] >= 0 && v[i] <= (double)most && v[i] == floor(v[i]))) return 0;
    return 1;
}

int tamis_journal_take(struct tamis_journal *j, double *v, size_t n, int *had)
{
    *had = j->at < j->parts;
    if (!*had) return TAMIS_OK;
    const struct tamis_journal_part *p = &j->part[j->at++];
    if (p->n != n) return tamis_journal_damaged(j);
    memcpy(v, p->v, n * sizeof *v);
    return TAMIS_OK;
}

int tamis_journal_add(struct tamis_journal *j, const double *v, size_t n)
{
    if (!j->file.path || tamis_stopped(j->file.cx)) return tamis_stopped(j->file.cx);
    double *to = part_new(j, n);
    if (!to) return tamis_status(j->file.cx);
    memcpy(to, v, n * sizeof *to);
    j->at = j->parts;
    return tamis_clock() - j->saved_at < save_seconds ? TAMIS_OK : save(j);
}

/* ---- the loop ---- */

struct kept {
    struct tamis_journal *j;
    tamis_body *body;
    void *arg;
    const struct tamis_journal_items *how;
    size_t items, next;         /* next: the first item that is not in the journal */
    unsigned char *done;        /* of each item; NULL: nothing is kept */
    double *v;                  /* one part, for the calling thread */
};

static int kept_item(void *arg, size_t item, int worker)
{
    const struct kept *k = arg;
    int status = k->body(k->arg, item, worker);
    if (k->done) k->done[item] = !status;
    return status;
}

static int kept_has(const void *arg, size_t item)
{
    const struct kept *k = arg;
    return k->done && k->done[item];
}

static void kept_pack(const void *arg, size_t item, struct tamis_pack *p)
{
    const struct kept *k = arg;
    k->how->pack(k->arg, item, k->v);
    tamis_pack_bits(p, k->v, k->how->size);
}

static void kept_unpack(void *arg, size_t item, struct tamis_unpack *u)
{
    struct kept *k = arg;
    tamis_unpack_bits(u, k->v, k->how->size);
    if (!u->failed && !k->how->unpack(k->arg, item, k->v)) u->failed = 1;
    if (!u->failed && k->done) k->done[item] = 1;
}

/* The journal takes parts in the order of the items. */
static int kept_keep(void *arg)
{
    struct kept *k = arg;
    int status = TAMIS_OK;
    for (; k->next < k->items && k->done[k->next] && !status; k->next++) {
        k->how->pack(k->arg, k->next, k->v);
        status = tamis_journal_add(k->j, k->v, k->how->size);
    }
    return status;
}

static int replay(struct kept *k)
{
    for (; k->next < k->items; k->next++) {
        int had, status = tamis_journal_take(k->j, k->v, k->how->size, &had);
        if (status || !had) return status;
        if (!k->how->unpack(k->arg, k->next, k->v)) return tamis_journal_damaged(k->j);
        k->done[k->next] = 1;
    }
    return TAMIS_OK;
}

int tamis_journal_loop(tamis_context *cx, struct tamis_journal *j, size_t items, tamis_body *body, void *arg,
                       const struct tamis_journal_items *how)
{
    int file = j && j->file.path;
    struct kept k = {j, body, arg, how, items, 0, file ? tamis_new(cx, unsigned char, items) : NULL,
                     tamis_raw(cx, double, how->size)};
    const struct tamis_items l = {.name = how->name, .count = items, .state = j ? j->file.fingerprint : 0,
                                  .run = kept_item, .pack = kept_pack, .unpack = kept_unpack, .arg = &k,
                                  .has = file ? kept_has : NULL, .keep = file ? kept_keep : NULL,
                                  .every = how->every};
    int status = k.v && (k.done || !file) ? TAMIS_OK : tamis_status(cx);
    if (!status && file) status = replay(&k);
    if (!status) status = tamis_items_run(cx, &l);
    tamis_free(k.done);
    tamis_free(k.v);
    return status;
}
