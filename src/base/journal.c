/* Finished parts in a file. */
#include <math.h>
#include <string.h>
#include "base/journal.h"

static const double save_seconds = 2;

/* ---- the file: numbers by their bits, as some are NAN ---- */

static void pack(const void *state, struct tamis_pack *p)
{
    const struct tamis_journal *j = state;
    tamis_pack_u64(p, j->parts);
    for (size_t k = 0; k < j->parts; k++) {
        tamis_pack_u64(p, j->part[k].n);
        for (size_t i = 0; i < j->part[k].n; i++) {
            uint64_t bits;
            memcpy(&bits, &j->part[k].v[i], sizeof bits);
            tamis_pack_u64(p, bits);
        }
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
        for (size_t i = 0; i < n && !u->failed; i++) {
            uint64_t bits = tamis_unpack_u64(u, UINT64_MAX);
            memcpy(&v[i], &bits, sizeof bits);
        }
    }
}

static int save(struct tamis_journal *j)
{
    int status = tamis_checkpoint_save(&j->file);
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
    if (!j->file.path) return TAMIS_OK;
    double *to = part_new(j, n);
    if (!to) return tamis_status(j->file.cx);
    memcpy(to, v, n * sizeof *to);
    j->at = j->parts;
    return tamis_clock() - j->saved_at < save_seconds ? TAMIS_OK : save(j);
}

/* ---- the loop ---- */

struct batch { tamis_body *body; void *arg; size_t first; };

static int batch_item(void *arg, size_t item, int worker)
{
    const struct batch *b = arg;
    return b->body(b->arg, b->first + item, worker);
}

static int replay(struct tamis_journal *j, size_t items, void *arg, const struct tamis_journal_items *how, double *v,
                  size_t *first)
{
    for (*first = 0; *first < items; ++*first) {
        int had, status = tamis_journal_take(j, v, how->size, &had);
        if (status || !had) return status;
        if (!how->unpack(arg, *first, v)) return tamis_journal_damaged(j);
    }
    return TAMIS_OK;
}

int tamis_journal_loop(tamis_context *cx, struct tamis_journal *j, size_t items, tamis_body *body, void *arg,
                       const struct tamis_journal_items *how)
{
    struct batch b = {body, arg, 0};
    if (!j || !j->file.path) return tamis_parallel(cx, items, body, arg);
    double *v = tamis_raw(cx, double, how->size);
    int status = v ? replay(j, items, arg, how, v, &b.first) : tamis_status(cx);
    for (size_t count; b.first < items && !status; b.first += count) {
        count = items - b.first < (size_t)tamis_threads(cx) ? items - b.first : (size_t)tamis_threads(cx);
        status = tamis_parallel(cx, count, batch_item, &b);
        for (size_t k = 0; k < count && !status; k++) {
            how->pack(arg, b.first + k, v);
            status = tamis_journal_add(j, v, how->size);
        }
    }
    tamis_free(v);
    return status;
}
